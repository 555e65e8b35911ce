/* Ends as its argument says: by signals, jumps, other processes and threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int hits;
static jmp_buf buf;

static void handler(int n)
{
    hits++;
    (void)n;
}

static void jumper(int n)
{
    (void)n;
    siglongjmp(buf, 1);
}

static void *worker(void *p)
{
    int *q = p;
    for (int i = 0; i < 50; i++)
        __sync_fetch_and_add(q, 1);
    return NULL;
}

static void thrower(int n)
{
    if (n == 0)
        longjmp(buf, 3);
    thrower(n - 1);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "segv"))
        *(volatile int *)0 = 1;
    if (!strcmp(what, "abort"))
        abort();
    if (!strcmp(what, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(what, "trap"))
        raise(SIGTRAP);
    if (!strcmp(what, "segvhandler")) {
        signal(SIGSEGV, jumper);
        if (sigsetjmp(buf, 1) == 0)
            *(volatile int *)0 = 1;
        printf("caught\n");
    }
    if (!strcmp(what, "longjmp")) {
        if (setjmp(buf) == 0)
            thrower(5);
        printf("jumped\n");
    }
    if (!strcmp(what, "fork")) {
        int status;
        pid_t pid = fork();
        if (pid == 0) {
            handler(1);
            printf("child\n");
            exit(3);
        }
        wait(&status);
        printf("parent %d\n", WEXITSTATUS(status));
    }
    if (!strcmp(what, "vfork")) {
        int status = system("exit 7");
        printf("system %d\n", WEXITSTATUS(status));
    }
    if (!strcmp(what, "exec"))
        execlp("echo", "echo", "from", "echo", NULL);
    if (!strcmp(what, "threads")) {
        pthread_t t[4];
        int total = 0;
        for (int i = 0; i < 4; i++)
            pthread_create(&t[i], NULL, worker, &total);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
        printf("total %d\n", total);
    }
    if (!strcmp(what, "exit"))
        _exit(200);
    return 0;
}
