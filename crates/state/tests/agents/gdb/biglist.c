#include <stdlib.h>
#include <stdio.h>
#include <stdint.h>
struct node { int value; double weight; struct node *next; char *label; };
static __thread int tls = 77;
static int deep(int n) {
    int here = n * 2;
    if (n == 0)
        return tls;
    return here + deep(n - 1);
}
int main(int argc, char **argv) {
    struct node *head = NULL;
    int n = atoi(argv[1]);
    for (int i = 0; i < n; i++) {
        struct node *p = malloc(sizeof *p);
        p->value = i;
        p->weight = i * 0.5;
        p->label = "x";
        p->next = head;
        head = p;
    }
    int r = deep(atoi(argv[2]));
    printf("%d %d\n", r, head ? head->value : -1);
    return 0;
}
