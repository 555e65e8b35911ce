#include <stdio.h>
#include <stdlib.h>

int main(int argc, char *argv[])
{
    int a = 0;
    int b = 0;
    int sum = 0;
    int mul = 1;
    if (argc > 2) {
        a = atoi(argv[1]);
        b = atoi(argv[2]);
    } else {
        scanf("%d", &a);
        scanf("%d", &b);
    }
    sum = 0;
    mul = 1;
    while (a <= b) {
        sum = sum + a;
        mul = mul * a;
        a = a + 1;
    }
    printf("sum = %d\n", sum);
    printf("mul = %d\n", mul);
    return 0;
}
