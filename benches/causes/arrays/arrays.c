/*
 * A desk calculator with variables and arrays.  It runs the commands of a
 * file, one a line:
 *
 *     let NAME NUMBER          set a variable
 *     put NAME INDEX NUMBER    set an element of an array
 *     add NAME ARRAY           add all elements of an array to a variable
 *     print NAME               print a variable
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP 4
#define ELEMENTS 8

struct variable {
    char *name;
    long value;
};

struct array {
    char *name;
    long elements[ELEMENTS];
};

static struct variable **variables;
static int v_count;             /* places in `variables` */
static int v_used;

static struct array **arrays;
static int a_count;             /* places in `arrays` */
static int a_used;

static void *allocate(size_t size)
{
    void *memory = malloc(size);

    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return memory;
}

static char *copy_name(const char *name)
{
    char *copy = allocate(strlen(name) + 1);

    strcpy(copy, name);
    return copy;
}

static void more_variables(void)
{
    int old_count = v_count;
    struct variable **old = variables;
    int i;

    v_count += STEP;
    variables = allocate(v_count * sizeof *variables);
    for (i = 0; i < old_count; i++)
        variables[i] = old[i];
    for (; i < v_count; i++)
        variables[i] = NULL;
    free(old);
}

static void more_arrays(void)
{
    int old_count = a_count;
    struct array **old = arrays;
    int i;

    a_count += STEP;
    arrays = allocate(a_count * sizeof *arrays);
    for (i = 0; i < old_count; i++)
        arrays[i] = old[i];
    for (; i < v_count; i++)
        arrays[i] = NULL;
    free(old);
}

static struct variable *find_variable(const char *name)
{
    struct variable *variable;

    for (int i = 0; i < v_used; i++)
        if (strcmp(variables[i]->name, name) == 0)
            return variables[i];

    if (v_used == v_count)
        more_variables();
    variable = allocate(sizeof *variable);
    variable->name = copy_name(name);
    variable->value = 0;
    variables[v_used++] = variable;
    return variable;
}

static struct array *find_array(const char *name)
{
    struct array *array;

    for (int i = 0; i < a_used; i++)
        if (strcmp(arrays[i]->name, name) == 0)
            return arrays[i];

    if (a_used == a_count)
        more_arrays();
    array = allocate(sizeof *array);
    array->name = copy_name(name);
    memset(array->elements, 0, sizeof array->elements);
    arrays[a_used++] = array;
    return array;
}

static void add_all(struct variable *variable, const struct array *array)
{
    for (int i = 0; i < ELEMENTS; i++)
        variable->value += array->elements[i];
}

static void run_command(const char *line)
{
    char name[32], other[32];
    int index;
    long number;

    if (sscanf(line, "let %31s %ld", name, &number) == 2)
        find_variable(name)->value = number;
    else if (sscanf(line, "put %31s %d %ld", name, &index, &number) == 3
             && index >= 0 && index < ELEMENTS)
        find_array(name)->elements[index] = number;
    else if (sscanf(line, "add %31s %31s", name, other) == 2)
        add_all(find_variable(name), find_array(other));
    else if (sscanf(line, "print %31s", name) == 1)
        printf("%s = %ld\n", name, find_variable(name)->value);
    else {
        fprintf(stderr, "bad command: %s", line);
        exit(2);
    }
}

int main(int argc, char *argv[])
{
    char line[100];
    FILE *file;

    if (argc != 2 || (file = fopen(argv[1], "r")) == NULL) {
        fprintf(stderr, "usage: arrays FILE\n");
        return 2;
    }
    while (fgets(line, sizeof line, file) != NULL)
        run_command(line);
    fclose(file);
    return 0;
}
