/* Print the numbers of the command line in ascending order. */

#include <stdio.h>
#include <stdlib.h>

static long parse_number(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || *end != '\0') {
        fprintf(stderr, "not a number: %s\n", text);
        exit(2);
    }
    return number;
}

/* The largest gap of the sequence 1, 4, 13, 40, ... below `size`. */
static int first_gap(int size)
{
    int gap = 1;

    while (gap * 3 + 1 < size)
        gap = gap * 3 + 1;
    return gap;
}

static void shell_sort(long values[], int size)
{
    for (int gap = first_gap(size); gap > 0; gap /= 3) {
        for (int i = gap; i < size; i++) {
            long value = values[i];
            int j = i;

            while (j >= gap && values[j - gap] > value) {
                values[j] = values[j - gap];
                j -= gap;
            }
            if (j != i)
                values[j] = value;
        }
    }
}

static void print_numbers(const long values[], int size)
{
    for (int i = 0; i < size; i++)
        printf("%ld ", values[i]);
    printf("\n");
}

int main(int argc, char *argv[])
{
    long *numbers = malloc((argc - 1) * sizeof *numbers);

    if (numbers == NULL)
        return 2;
    for (int i = 0; i < argc - 1; i++)
        numbers[i] = parse_number(argv[i + 1]);

    shell_sort(numbers, argc);
    print_numbers(numbers, argc - 1);

    free(numbers);
    return 0;
}
