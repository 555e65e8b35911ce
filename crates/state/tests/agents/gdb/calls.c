#include <stdio.h>
static int total;
static int square(int n)
{
    int result = n * n;
    total += result;
    return result;
}
static void endless(int n)
{
    while (n)
        total++;
}
static int forever(int n)
{
    return forever(n + 1) + 1;
}
int main(int argc, char **argv)
{
    int first = square(3);
    int second = square(4);
    printf("%d\n", first + second);
    printf("%d\n", total);
    if (argc > 1 && argv[1][0] == 'e')
        endless(1);
    if (argc > 1 && argv[1][0] == 'r')
        forever(1);
    return 0;
}
