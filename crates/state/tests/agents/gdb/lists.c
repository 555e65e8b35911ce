#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct list {
    int value;
    struct list *next;
} List;

enum color { RED, GREEN = 5, BLUE };
typedef struct { unsigned flag : 1; int small : 5; unsigned wide : 20; } Bits;
enum kind { KIND_NUMBER, KIND_TEXT, KIND_LIST };
struct variant {
    enum kind kind;
    union { long number; char *text; List *list; } u;
};
struct anon {
    int tag;
    union { double d; List *p; };
    struct { short x, y; };
    char name[16];
    void *any;
    int (*handler)(const char *);
    long double big;
    float f;
    _Bool ok;
};

List *head;
static int counter = 42;
int table[4] = {1, 2, 3, 4};
double ratio = 0.1;
enum color paint = GREEN;
static const char *names[] = {"one", "t\"wo\n", "gr\303\274n", NULL};

static List *push(int value, List *next)
{
    List *node = malloc(sizeof(List));
    node->value = value;
    node->next = next;
    return node;
}

static int check(List *list, struct variant *vs, struct anon *an)
{
    static int calls;
    int sum = 0;
    int *middle = &table[1];
    int *wild = (int *)0x1234567;
    char *buffer = malloc(8);
    Bits bits = {1, -3, 70000};
    memset(buffer, 200, 8);
    calls++;
    for (List *l = list; l; l = l->next)
        sum += l->value;
    if (sum && middle && wild && bits.flag && vs && an)
        return sum;
    return counter;
}

int main(int argc, char **argv, char **envp)
{
    struct variant vs[3];
    struct anon an;
    int vla[argc + 2];
    memset(&an, 0, sizeof an);
    for (int i = 0; i < argc + 2; i++)
        vla[i] = i * i;
    head = push(14, push(18, push(22, NULL)));
    vs[0].kind = KIND_NUMBER; vs[0].u.number = 7;
    vs[1].kind = KIND_TEXT; vs[1].u.text = "hello";
    vs[2].kind = KIND_LIST; vs[2].u.list = head;
    an.tag = 3; an.p = head; an.x = 4; an.y = -4; strcpy(an.name, "anna"); an.any = head; an.handler = puts;
    an.big = 0.1L; an.f = 0.1f; an.ok = 1;
    printf("%d\n", check(head, vs, &an));
    for (List *l = head; l; l = l->next)
        printf("%d ", l->value);
    printf("%s %d %d %g %.20Lg %d %s %d\n",
           names[0], vla[1], paint, an.f, an.big, an.ok, an.name, vs[0].kind);
    return 0;
}
