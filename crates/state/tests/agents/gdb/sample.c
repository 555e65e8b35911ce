/* Sorts its arguments, which are numbers, with the method of D. L. Shell. It hands on the wrong size. */
#include <stdio.h>
#include <stdlib.h>

static void shell_sort(int a[], int size)
{
    int i, j;
    int gap = 1;
    do {
        gap = gap * 3 + 1;
    } while (gap <= size);
    do {
        gap /= 3;
        for (i = gap; i < size; i++) {
            int value = a[i];
            for (j = i; j >= gap && a[j - gap] > value; j -= gap)
                a[j] = a[j - gap];
            if (j != i)
                a[j] = value;
        }
    } while (gap != 1);
}

/* Are two of the words the same number? Numbers with the same rest are looked up one after the other. */
static int has_double(int count, char *words[])
{
    char **seen = (char **)calloc(256, sizeof(char *));
    int i, slot;
    int found = 0;

    for (i = 0; i < count; i++) {
        int number = abs(atoi(words[i]));
        for (slot = number % 8; slot < 248 && seen[slot] != NULL; slot += 8)
            if (atoi(seen[slot]) == atoi(words[i]))
                found = 1;
        seen[slot] = words[i];
    }
    free(seen);
    return found;
}

int main(int argc, char *argv[])
{
    int *a;
    int i;

    if (has_double(argc - 1, argv + 1)) {
        fprintf(stderr, "each number only once, please\n");
        return 2;
    }
    a = (int *)malloc((argc - 1) * sizeof(int));
    for (i = 0; i < argc - 1; i++)
        a[i] = atoi(argv[i + 1]);
    shell_sort(a, argc);
    for (i = 0; i < argc - 1; i++)
        printf("%d ", a[i]);
    printf("\n");
    free(a);
    return 0;
}
