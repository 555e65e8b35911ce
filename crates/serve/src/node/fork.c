/* Turns a program into which it is loaded by LD_PRELOAD (Node with a script) into a test server.
 *
 * The program runs as usual up to the fork point: the first access to the candidate, to a path that can be another file
 * for the next candidate, or any externally visible action (a write, a process, a thread, a wait). There it stops, and
 * forks for each candidate; the fork continues. Everything before the fork point is done once, and a fork is in the same
 * state as a fresh process at that point. Candidates cannot affect each other.
 *
 * The fork is created before the question arrives. The fork reads the question itself, and also answers it if it ends
 * regularly. If it dies, its parent answers.
 *
 * A fork contains only the main thread. Each internal thread of V8 therefore runs as a fiber in the main thread, with
 * a separate stack, up to its first wait, and becomes a thread in each fork. The clocks are stopped between the fork point
 * and the fork, so no earlier timer has expired.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* The maximum length of a question, in bytes. */
#define MOST_BYTES (1 << 16)
/* The maximum number of paths of a candidate. */
#define MOST_PATHS 16
/* The maximum number of threads before the fork point; Node starts five. */
#define MOST_THREADS 64
/* A thread with a smaller stack waits for SIGUSR1 from a debugger; it is not started. */
#define SMALL_STACK (1 << 20)
/* The size of the stack of a fiber. */
#define STACK (8 << 20)
/* The first descriptor for questions and answers; it is large to avoid conflicts. */
#define DESCRIPTORS 400
/* The descriptor of this library, which the starting shell has opened. */
#define LIBRARY 9
/* Functions that are loaded before the fork point are compiled once, not in each fork. */
#define V8_FLAGS "--no-lazy"

enum state { OFF, BEFORE, AT, FORK, OVER };
static enum state state;

static int questions, answers;
static char question[MOST_BYTES];
static long number;
static char paths[MOST_PATHS][PATH_MAX];
static int path_count;
static char directory[PATH_MAX], output[PATH_MAX], errors[PATH_MAX];
/* The paths that can differ for the next candidate, each as it was given and resolved. */
static char places[2 * (MOST_PATHS + 2)][PATH_MAX];
static int place_count;
/* Whether the directory is the same for all candidates. */
static int stays;
/* Shared with the parent: the number of the question that a fork has read, and whether it has answered. */
static struct note {
    volatile long number;
    volatile char has_read, has_answered;
} *note;
static pthread_t main_thread;
static pid_t parent, self;
/* Disables the cache of compiled code of Node: its directory is cleared, and it would be written before the fork point. */
#define NO_CACHE "NODE_DISABLE_COMPILE_CACHE"
static int has_cache;
/* When the clocks were stopped, and for how long. */
static struct timespec stopped, pause_;

#define REAL(name)                                     \
    ({                                                 \
        static __typeof__(name) *real;                 \
        if (!real) real = dlsym(RTLD_NEXT, #name);     \
        real;                                          \
    })

/* ---- V8's flags ---- */

/* The bytes of V8's flags that differ from those in an ordinary process. */
struct change {
    unsigned char *at, before, after;
};
static struct change changes[32];
static int change_count, is_mended;

static void compile_all(void) {
    void (*set)(const char *) = dlsym(RTLD_DEFAULT, "_ZN2v82V818SetFlagsFromStringEPKc");
    void (*imply)(void) = dlsym(RTLD_DEFAULT, "_ZN2v88internal8FlagList23EnforceFlagImplicationsEv");
    unsigned char *all = dlsym(RTLD_DEFAULT, "_ZN2v88internal8v8_flagsE");
    static unsigned char before[1 << 14];
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    if (!set || !imply || !all || !dladdr1(all, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
        symbol->st_size > sizeof before)
        return;
    /* Implied flags are set first, because they are also set without this flag. */
    imply();
    memcpy(before, all, symbol->st_size);
    set(V8_FLAGS);
    imply();
    for (size_t at = 0; at < symbol->st_size; at++)
        if (all[at] != before[at] && change_count < (int)(sizeof changes / sizeof *changes))
            changes[change_count++] = (struct change){all + at, before[at], all[at]};
}

static void swap(int back) {
    for (int i = 0; i < change_count; i++) *changes[i].at = back ? changes[i].before : changes[i].after;
}

/* V8 accepts precompiled code, such as the modules of Node, only if the hash of the flags is the same. The flag does not
 * change the generated code, so the hash is computed from the usual flags. */
static void mend_hash(void) {
    void (*forget)(void) = dlsym(RTLD_DEFAULT, "_ZN2v88internal8FlagList13ResetFlagHashEv");
    uint32_t (*hash)(void) = dlsym(RTLD_DEFAULT, "_ZN2v88internal8FlagList4HashEv");
    if (is_mended || !forget || !hash || !change_count) return;
    is_mended = 1;
    swap(1);
    forget();
    hash();
    swap(0);
}

static int has_isolate(void) {
    static void *(*current)(void);
    if (!current) current = dlsym(RTLD_DEFAULT, "_ZN2v87Isolate13TryGetCurrentEv");
    if (!current) current = dlsym(RTLD_DEFAULT, "_ZN2v87Isolate10GetCurrentEv");
    return current && current();
}

/* ---- Questions and answers ---- */

static int read_question(void) {
    size_t length = 0;
    while (length < sizeof question - 1) {
        ssize_t part = REAL(read)(questions, question + length, sizeof question - 1 - length);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return 0;
        length += part;
        question[length] = 0;
        if (question[length - 1] == '\n') return 1;
    }
    return 0;
}

/* Decodes the string at `from`, after its opening quote, and returns the position after its closing quote. */
static char *string(char *from, char *to) {
    size_t length = 0;
    while (*from && *from != '"') {
        char byte = *from++;
        if (byte == '\\') {
            byte = *from++;
            if (byte == 'u') {
                char digits[5] = {0};
                memcpy(digits, from, 4);
                byte = strtol(digits, NULL, 16);
                from += 4;
            } else {
                static const char names[] = "bfnrt", bytes[] = "\b\f\n\r\t";
                const char *name = strchr(names, byte);
                if (name) byte = bytes[name - names];
            }
        }
        if (length < PATH_MAX - 1) to[length++] = byte;
    }
    to[length] = 0;
    return *from ? from + 1 : from;
}

static char *value(char *from, const char *key) {
    char *found = strstr(from, key);
    return found ? found + strlen(key) : from + strlen(from);
}

/* Parses a question, whose keys have a fixed order. */
static void understand(void) {
    char *at = value(question, "\"id\":");
    number = strtol(at, &at, 10);
    at = value(at, "\"paths\":[");
    path_count = 0;
    while (*at == '"' && path_count < MOST_PATHS) {
        at = string(at + 1, paths[path_count++]);
        if (*at == ',') at++;
    }
    if (*at == '"') stays = 0;
    at = string(value(at, "\"directory\":\""), directory);
    at = string(value(at, "\"stdout\":\""), output);
    string(value(at, "\"stderr\":\""), errors);
}

static void say(long number, const char *what, int code) {
    char text[96];
    int length = snprintf(text, sizeof text, "{\"id\":%ld,\"%s\":%d}\n", number, what, code);
    if (REAL(write)(answers, text, length) != length) REAL(_exit)(1);
}

static void redirect(const char *path, int to) {
    int file = REAL(open)(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) {
        dup2(file, to);
        close(file);
    }
}

/* ---- Fibers ---- */

/* A thread that was created before the fork point: not started, waiting, or running as a thread of this fork. */
struct fiber {
    void *(*run)(void *);
    void *argument, *result;
    ucontext_t context, back;
    pthread_t thread;
    int has_begun, has_ended;
};
static struct fiber fibers[MOST_THREADS];
static int fiber_count;
/* The fiber that is running in the main thread. */
static struct fiber *current;

static void enter(void) {
    struct fiber *fiber = current;
    fiber->result = fiber->run(fiber->argument);
    fiber->has_ended = 1;
    current = NULL;
    setcontext(&fiber->back);
}

/* Runs each new fiber up to its first wait; returns whether there was one. */
static int run_fibers(void) {
    int found = 0;
    for (int i = 0; i < fiber_count; i++) {
        struct fiber *fiber = fibers + i;
        if (fiber->has_begun) continue;
        found = fiber->has_begun = 1;
        current = fiber;
        swapcontext(&fiber->back, &fiber->context);
    }
    return found;
}

/* Suspends a fiber; it continues in a thread of a fork. */
static void park(void) {
    struct fiber *fiber = current;
    current = NULL;
    swapcontext(&fiber->context, &fiber->back);
}

static void *go_on(void *fiber) {
    swapcontext(&((struct fiber *)fiber)->back, &((struct fiber *)fiber)->context);
    return ((struct fiber *)fiber)->result;
}

static void revive(void) {
    pthread_attr_t how;
    pthread_attr_init(&how);
    pthread_attr_setstacksize(&how, 1 << 16);
    run_fibers();
    for (int i = 0; i < fiber_count; i++)
        if (!fibers[i].has_ended && REAL(pthread_create)(&fibers[i].thread, &how, go_on, fibers + i))
            REAL(_exit)(1);
    pthread_attr_destroy(&how);
}

static int add_fiber(pthread_t *thread, void *(*run)(void *), void *argument) {
    struct fiber *fiber = fibers + fiber_count;
    void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) return EAGAIN;
    fiber_count++;
    fiber->run = run;
    fiber->argument = argument;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = stack;
    fiber->context.uc_stack.ss_size = STACK;
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, enter, 0);
    *thread = (pthread_t)fiber;
    return 0;
}

/* ---- The fork point ---- */

static struct timespec sum(struct timespec a, struct timespec b, int sign) {
    struct timespec c = {a.tv_sec + sign * b.tv_sec, a.tv_nsec + sign * b.tv_nsec};
    if (c.tv_nsec >= 1000000000) c.tv_sec++, c.tv_nsec -= 1000000000;
    if (c.tv_nsec < 0) c.tv_sec--, c.tv_nsec += 1000000000;
    return c;
}

/* Prepares a fork before it continues. */
static void begin(void) {
    void *(*loop)(void) = dlsym(RTLD_DEFAULT, "uv_default_loop");
    int (*renew)(void *) = dlsym(RTLD_DEFAULT, "uv_loop_fork");
    struct timespec now;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    self = syscall(SYS_getpid);
    setsid();
    redirect(output, 1);
    redirect(errors, 2);
    if (REAL(chdir)(directory)) REAL(_exit)(127);
    close(questions);
    if (loop && renew) renew(loop());
    REAL(clock_gettime)(CLOCK_MONOTONIC, &now);
    pause_ = sum(now, stopped, -1);
    swap(1);
    if (has_cache) unsetenv(NO_CACHE);
    state = FORK;
    revive();
}

static void point(void) {
    int kept = errno;
    if (state != BEFORE || !pthread_equal(pthread_self(), main_thread)) return;
    state = AT;
    mend_hash();
    REAL(clock_gettime)(CLOCK_MONOTONIC, &stopped);
    for (int is_first = 1;; is_first = 0) {
        memset(note, 0, sizeof *note);
        pid_t child = REAL(fork)();
        if (child == 0) {
            if (!is_first) {
                if (!read_question()) REAL(_exit)(0);
                understand();
            }
            note->number = number;
            note->has_read = 1;
            begin();
            errno = kept;
            return;
        }
        int status = 0;
        if (child < 0) REAL(_exit)(1);
        while (waitpid(child, &status, 0) < 0)
            if (errno != EINTR) REAL(_exit)(1);
        if (!note->has_read) REAL(_exit)(0);
        if (note->has_answered) continue;
        if (WIFSIGNALED(status))
            say(note->number, "signal", WTERMSIG(status));
        else
            say(note->number, "exit", WEXITSTATUS(status));
    }
}

static void finish(int status) {
    if (state == FORK && syscall(SYS_getpid) == self) {
        state = OVER;
        fflush(NULL);
        note->has_answered = 1;
        say(number, "exit", status & 0xff);
        REAL(_exit)(status);
    }
}

/* ---- Paths ---- */

static int is_in(const char *path, const char *place) {
    size_t length = strlen(place);
    return length > 1 && !strncmp(path, place, length) && (path[length] == 0 || path[length] == '/');
}

/* Removes `.`, `..` and double slashes from an absolute path. */
static void plain(const char *from, char *to) {
    size_t length = 0;
    while (*from) {
        while (*from == '/') from++;
        size_t part = strcspn(from, "/");
        if (part == 2 && from[0] == '.' && from[1] == '.') {
            while (length && to[--length] != '/') {}
        } else if (part && !(part == 1 && from[0] == '.') && length + part + 2 < PATH_MAX) {
            to[length++] = '/';
            memcpy(to + length, from, part);
            length += part;
        }
        from += part;
    }
    to[length] = 0;
}

/* Adds a path; relative paths start in the directory of the probe. */
static void add_place(const char *path) {
    char whole[2 * PATH_MAX + 2];
    if (!path || !path[0]) return;
    snprintf(whole, sizeof whole, path[0] == '/' ? "%s%s" : "%s/%s", path[0] == '/' ? "" : directory, path);
    plain(whole, places[place_count++]);
    char *real = realpath(whole, NULL);
    if (real) snprintf(places[place_count++], PATH_MAX, "%s", real);
    free(real);
}

static void find_places(void) {
    add_place(getenv("TMPDIR"));
    if (!stays) add_place(directory);
    for (int i = 0; i < path_count; i++) add_place(paths[i]);
}

/* Called before a path is accessed. */
static void looks(const char *path) {
    /* An empty path refers to an open file. */
    if (state != BEFORE || !path || !path[0]) return;
    char whole[2 * PATH_MAX + 2], clean[PATH_MAX];
    int own = 0;
    snprintf(whole, sizeof whole, path[0] == '/' ? "%s%s" : "%s/%s", path[0] == '/' ? "" : directory, path);
    plain(whole, clean);
    for (int i = 0; i < place_count; i++) own |= is_in(clean, places[i]);
    if (own) point();
}

/* Called before a path is opened with these flags. */
static void opens(const char *path, int flags) {
    looks(path);
    if ((flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) && !is_in(path, "/dev")) point();
}

#define OPEN(name)                            \
    int name(const char *path, int flags, ...) { \
        va_list more;                         \
        va_start(more, flags);                \
        mode_t mode = va_arg(more, int);      \
        va_end(more);                         \
        opens(path, flags);                   \
        return REAL(name)(path, flags, mode); \
    }
#define OPENAT(name)                                         \
    int name(int at, const char *path, int flags, ...) {     \
        va_list more;                                        \
        va_start(more, flags);                               \
        mode_t mode = va_arg(more, int);                     \
        va_end(more);                                        \
        opens(path, flags);                                  \
        return REAL(name)(at, path, flags, mode);            \
    }
#define FOPEN(name)                                       \
    FILE *name(const char *path, const char *mode) {      \
        opens(path, mode[0] == 'r' && !strchr(mode, '+') ? O_RDONLY : O_RDWR); \
        return REAL(name)(path, mode);                    \
    }
/* Functions of older C libraries; programs that were built for them call these instead of `stat`. */
#define OLD_STAT(name)                                                       \
    int hook_##name(int, const char *, void *) __asm__(#name);               \
    int hook_##name(int version, const char *path, void *to) {               \
        static int (*real)(int, const char *, void *);                       \
        looks(path);                                                         \
        if (!real) real = dlsym(RTLD_NEXT, #name);                           \
        return real(version, path, to);                                      \
    }

#undef open
#undef open64
#undef openat
#undef openat64
#undef fopen
#undef fopen64
OPEN(open)
OPENAT(openat)
FOPEN(fopen)
#ifdef __GLIBC__
OPEN(open64)
OPENAT(openat64)
FOPEN(fopen64)
#endif
OLD_STAT(__xstat)
OLD_STAT(__lxstat)
OLD_STAT(__xstat64)
OLD_STAT(__lxstat64)

/* Called before an externally visible action or a wait. Actions before V8 is initialized are ignored. */
static void acts(void) {
    if (state == BEFORE && has_isolate()) point();
}

/* The arguments of these functions are passed on unchanged, so their types are generic. */
#define LOOK_BY(name)                                                        \
    long hook_##name(const char *, long, long, long) __asm__(#name);         \
    long hook_##name(const char *path, long a, long b, long c) {             \
        static long (*real)(const char *, long, long, long);                 \
        looks(path);                                                         \
        if (!real) real = dlsym(RTLD_NEXT, #name);                           \
        return real(path, a, b, c);                                          \
    }
#define ACT_BY(name) ACT_WITH(name, acts)
#define ACT_WITH(name, act)                                                  \
    long hook_##name(long, long, long, long, long, long) __asm__(#name);     \
    long hook_##name(long a, long b, long c, long d, long e, long f) {       \
        static long (*real)(long, long, long, long, long, long);             \
        act();                                                               \
        if (!real) real = dlsym(RTLD_NEXT, #name);                           \
        return real(a, b, c, d, e, f);                                       \
    }

LOOK_BY(stat)
LOOK_BY(lstat)
LOOK_BY(stat64)
LOOK_BY(lstat64)
LOOK_BY(access)
LOOK_BY(readlink)
LOOK_BY(realpath)
LOOK_BY(chdir)
LOOK_BY(opendir)
LOOK_BY(scandir)
LOOK_BY(scandir64)
LOOK_BY(statfs)
LOOK_BY(statfs64)
ACT_BY(mkdir)
ACT_BY(mkdirat)
ACT_BY(mkdtemp)
ACT_BY(mkstemp)
ACT_BY(mkstemp64)
ACT_BY(rmdir)
ACT_BY(unlink)
ACT_BY(unlinkat)
ACT_BY(remove)
ACT_BY(rename)
ACT_BY(renameat)
ACT_BY(link)
ACT_BY(symlink)
ACT_BY(truncate)
ACT_BY(truncate64)
ACT_BY(chmod)
ACT_BY(chown)
ACT_BY(lchown)
ACT_BY(utimensat)
ACT_WITH(execve, point)
ACT_WITH(execvp, point)
ACT_WITH(posix_spawn, point)
ACT_WITH(posix_spawnp, point)
ACT_BY(socket)
ACT_BY(shmget)
ACT_BY(inotify_init1)
ACT_BY(poll)
ACT_BY(select)
ACT_BY(nanosleep)
ACT_BY(sleep)
ACT_BY(usleep)

long syscall(long call, ...) {
    long words[6];
    va_list more;
    va_start(more, call);
    for (int i = 0; i < 6; i++) words[i] = va_arg(more, long);
    va_end(more);
    if (call == SYS_statx) looks((const char *)words[1]);
    return REAL(syscall)(call, words[0], words[1], words[2], words[3], words[4], words[5]);
}

/* ---- Streams, processes, threads ---- */

ssize_t read(int file, void *to, size_t most) {
    if (file == 0) point();
    return REAL(read)(file, to, most);
}

ssize_t write(int file, const void *from, size_t length) {
    if (file == 1 || file == 2) point();
    return REAL(write)(file, from, length);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    if (file == 1 || file == 2) point();
    return REAL(writev)(file, parts, count);
}

pid_t fork(void) {
    point();
    return REAL(fork)();
}

/* A program that kills itself can use the process number from before the fork point. */
int kill(pid_t process, int signal) {
    point();
    return REAL(kill)(state == FORK && process == parent ? self : process, signal);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *argument) {
    size_t stack = SMALL_STACK;
    if (state == BEFORE) {
        if (how) pthread_attr_getstacksize(how, &stack);
        if (has_isolate()) mend_hash();
        if (stack < SMALL_STACK) return 0;
        if (!has_isolate() && fiber_count < MOST_THREADS) return add_fiber(thread, run, argument);
        point();
    }
    return REAL(pthread_create)(thread, how, run, argument);
}

int pthread_join(pthread_t thread, void **result) {
    for (int i = 0; i < fiber_count; i++) {
        if (thread != (pthread_t)(fibers + i)) continue;
        point();
        return fibers[i].has_ended ? 0 : REAL(pthread_join)(fibers[i].thread, result);
    }
    return REAL(pthread_join)(thread, result);
}

/* A fiber has no thread yet, so it cannot be named. */
int pthread_setname_np(pthread_t thread, const char *name) {
    return current ? 0 : REAL(pthread_setname_np)(thread, name);
}

/* A wait of the main thread first runs new fibers; any other wait happens in each fork. */
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    if (current) {
        pthread_mutex_unlock(mutex);
        park();
        pthread_mutex_lock(mutex);
        return 0;
    }
    if (state == BEFORE) {
        pthread_mutex_unlock(mutex);
        int found = run_fibers();
        pthread_mutex_lock(mutex);
        if (found) return 0;
        point();
    }
    return REAL(pthread_cond_wait)(condition, mutex);
}

int sem_wait(sem_t *semaphore) {
    if (current) park();
    if (state == BEFORE) {
        run_fibers();
        if (!sem_trywait(semaphore)) return 0;
        point();
    }
    return REAL(sem_wait)(semaphore);
}

int epoll_wait(int file, struct epoll_event *events, int most, int time) {
    if (current) park();
    acts();
    return REAL(epoll_wait)(file, events, most, time);
}

int epoll_pwait(int file, struct epoll_event *events, int most, int time, const sigset_t *mask) {
    if (current) park();
    acts();
    return REAL(epoll_pwait)(file, events, most, time, mask);
}

/* V8 excludes some memory from forks, but the forks need it. */
int madvise(void *from, size_t length, int advice) {
    if (advice == MADV_DONTFORK) return 0;
    return REAL(madvise)(from, length, advice);
}

void exit(int status) {
    point();
    finish(status);
    REAL(exit)(status);
    __builtin_unreachable();
}

void _exit(int status) {
    point();
    finish(status);
    REAL(_exit)(status);
    __builtin_unreachable();
}

/* ---- Clocks ---- */

static int is_paused(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = REAL(clock_gettime)(clock, now);
    if (!failed && state >= FORK && is_paused(clock)) *now = sum(*now, pause_, -1);
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    if (current) park();
    point();
    struct timespec later = state >= FORK ? sum(*until, pause_, 1) : *until;
    return REAL(pthread_cond_timedwait)(condition, mutex, &later);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until) {
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    struct timespec later = state >= FORK ? sum(*until, pause_, 1) : *until;
    if (!real) real = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
    return real(condition, mutex, clock, &later);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
    struct timespec later = state >= FORK ? sum(*until, pause_, 1) : *until;
    return REAL(sem_timedwait)(semaphore, &later);
}

/* ---- The start ---- */

static int (*program)(int, char **, char **);

/* Removes the library from the front of the variable; the value of the user follows it. */
static void leave_no_trace(void) {
    char *rest = strchr(getenv("LD_PRELOAD"), ':');
    if (rest && rest[1]) {
        rest = strdup(rest + 1);
        setenv("LD_PRELOAD", rest, 1);
    } else {
        unsetenv("LD_PRELOAD");
    }
    close(LIBRARY);
}

static int serve(int count, char **words, char **environment) {
    char here[PATH_MAX];
    (void)environment;
    main_thread = pthread_self();
    leave_no_trace();
    questions = fcntl(0, F_DUPFD_CLOEXEC, DESCRIPTORS);
    answers = fcntl(1, F_DUPFD_CLOEXEC, DESCRIPTORS);
    int nothing = REAL(open)("/dev/null", O_RDWR | O_CLOEXEC, 0);
    if (questions < 0 || answers < 0 || nothing < 0) return 1;
    dup2(nothing, 0);
    close(nothing);
    if (!getcwd(here, sizeof here)) here[0] = 0;
    stays = 1;
    if (!read_question()) return 0;
    understand();
    if (strcmp(here, directory)) stays = 0;
    redirect(output, 1);
    redirect(errors, 2);
    if (REAL(chdir)(directory)) return 127;
    setenv("PWD", directory, 1);
    find_places();
    note = mmap(NULL, sizeof *note, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (note == MAP_FAILED) return 1;
    parent = getpid();
    has_cache = !getenv(NO_CACHE);
    if (has_cache) setenv(NO_CACHE, "1", 1);
    compile_all();
    state = BEFORE;
    exit(program(count, words, environ));
}

int __libc_start_main(int (*main)(int, char **, char **), int count, char **words, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end) {
    const char *libraries = getenv("LD_PRELOAD");
    program = main;
    /* Only the program that the shell of the server starts becomes a server. */
    int is_served = libraries && !strncmp(libraries, "/proc/self/fd/", 14);
    static int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                       void *);
    real = dlsym(RTLD_NEXT, "__libc_start_main");
    return real(is_served ? serve : main, count, words, init, fini, loader_fini, stack_end);
}
