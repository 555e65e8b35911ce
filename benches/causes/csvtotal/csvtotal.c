/*
 * Check the payments of a CSV file against the sum in its last record.
 *
 * A record is a name and an amount.  Either may be quoted; a quoted field may
 * have commas in it.
 */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS 8
#define MOST_PAYMENTS 50

struct field {
    const char *start;
    int length;
};

struct payment {
    char name[40];
    int amount;
};

static int read_line(FILE *file, char *line, int size)
{
    if (fgets(line, size, file) == NULL)
        return 0;
    line[strcspn(line, "\n")] = '\0';
    return 1;
}

/* The comma that ends the field at `p`, or the end of the line. */
static const char *field_end(const char *p)
{
    int quoted = 0;

    while (*p != '\0' && (quoted || *p != ',')) {
        if (*p == '"')
            quoted = !quoted;
        p++;
    }
    return p;
}

static int split(const char *line, struct field fields[])
{
    const char *start = line;
    int count = 0;

    while (count < MOST_FIELDS) {
        const char *end = field_end(start);
        int length = end - start;

        if (*start == '"') {
            start++;
            length = end - start - (*end == ',' ? 1 : 2);
        }
        fields[count].start = start;
        fields[count].length = length;
        count++;
        if (*end == '\0')
            break;
        start = end + 1;
    }
    return count;
}

static void copy_field(struct field field, char *target, int size)
{
    int length = field.length < size ? field.length : size - 1;

    memcpy(target, field.start, length);
    target[length] = '\0';
}

static int read_payment(const char *line, struct payment *payment)
{
    struct field fields[MOST_FIELDS];
    char digits[12];

    if (split(line, fields) != 2)
        return 0;
    copy_field(fields[0], payment->name, sizeof payment->name);
    copy_field(fields[1], digits, sizeof digits);
    payment->amount = atoi(digits);
    return 1;
}

static int sum_of(const struct payment payments[], int count)
{
    int sum = 0;

    for (int i = 0; i < count; i++)
        sum += payments[i].amount;
    return sum;
}

int main(int argc, char *argv[])
{
    struct payment payments[MOST_PAYMENTS];
    char line[200];
    int count = 0;
    int paid;
    FILE *file;

    if (argc != 2 || (file = fopen(argv[1], "r")) == NULL) {
        fprintf(stderr, "usage: csvtotal FILE\n");
        return 2;
    }
    while (count < MOST_PAYMENTS && read_line(file, line, sizeof line)) {
        if (!read_payment(line, &payments[count])) {
            fprintf(stderr, "bad record: %s\n", line);
            return 2;
        }
        count++;
    }
    fclose(file);
    if (count == 0)
        return 0;

    paid = sum_of(payments, count - 1);
    assert(paid == payments[count - 1].amount);
    printf("%d payments, %d in all\n", count - 1, paid);
    return 0;
}
