/*
 * Keep the stock of a shop.  The arguments are commands, run in order:
 *
 *     NAME=AMOUNT    take goods in
 *     -NAME          stop selling something
 *
 * At the end the stock is printed in the order in which it came in.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4
#define MOST_NAMES 20

struct entry {
    char name[20];
    int amount;
    struct entry *next;
};

struct stock {
    struct entry *buckets[BUCKETS];
    char names[MOST_NAMES][20];         /* in the order of arrival */
    int count;
};

static unsigned hash(const char *name)
{
    unsigned sum = 0;

    while (*name != '\0')
        sum += (unsigned char)*name++;
    return sum % BUCKETS;
}

static struct entry *find(const struct stock *stock, const char *name)
{
    struct entry *entry = stock->buckets[hash(name)];

    while (entry != NULL && strcmp(entry->name, name) != 0)
        entry = entry->next;
    return entry;
}

static void take_in(struct stock *stock, const char *name, int amount)
{
    struct entry *entry = find(stock, name);

    if (entry == NULL) {
        unsigned slot = hash(name);

        if (stock->count == MOST_NAMES || (entry = malloc(sizeof *entry)) == NULL) {
            fprintf(stderr, "no room for %s\n", name);
            exit(2);
        }
        strcpy(entry->name, name);
        entry->amount = 0;
        entry->next = stock->buckets[slot];
        stock->buckets[slot] = entry;
        strcpy(stock->names[stock->count++], name);
    }
    entry->amount += amount;
}

static void remove_entry(struct stock *stock, const char *name)
{
    unsigned slot = hash(name);
    struct entry *previous = NULL;
    struct entry *entry = stock->buckets[slot];

    while (entry != NULL && strcmp(entry->name, name) != 0) {
        previous = entry;
        entry = entry->next;
    }
    if (entry == NULL)
        return;
    if (previous != NULL)
        previous->next = entry->next;
    else
        stock->buckets[slot] = NULL;
    free(entry);
}

static void remove_name(struct stock *stock, const char *name)
{
    int kept = 0;

    for (int i = 0; i < stock->count; i++) {
        if (strcmp(stock->names[i], name) != 0) {
            if (kept != i)
                strcpy(stock->names[kept], stock->names[i]);
            kept++;
        }
    }
    stock->count = kept;
}

static void report(const struct stock *stock)
{
    int total = 0;

    for (int i = 0; i < stock->count; i++) {
        const struct entry *entry = find(stock, stock->names[i]);

        printf("%-8s %3d\n", stock->names[i], entry->amount);
        total += entry->amount;
    }
    printf("total    %3d\n", total);
}

int main(int argc, char *argv[])
{
    struct stock stock = { .count = 0 };
    char name[20];
    int amount;

    for (int i = 1; i < argc; i++) {
        if (sscanf(argv[i], "-%19s", name) == 1) {
            remove_entry(&stock, name);
            remove_name(&stock, name);
        } else if (sscanf(argv[i], "%19[^=]=%d", name, &amount) == 2) {
            take_in(&stock, name, amount);
        } else {
            fprintf(stderr, "bad command: %s\n", argv[i]);
            return 2;
        }
    }
    report(&stock);
    return 0;
}
