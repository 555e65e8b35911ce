#include <stdio.h>
#include <stdlib.h>
static int calls;
static int helper(int x)
{
    return x * 2;
}
static int compare(const void *a, const void *b)
{
    calls++;
    return helper(*(const int *)a) - helper(*(const int *)b);
}
__attribute__((constructor)) static void early(void)
{
    calls = 0;
}
int main(void)
{
    int a[] = {5, 3, 8, 1, 9, 2, 7, 4, 6, 0};
    int i;
    qsort(a, 10, sizeof a[0], compare);
    for (i = 0; i < 10; i++)
        printf("%d ", a[i]);
    return helper(1) + helper(2) - 6;
}
