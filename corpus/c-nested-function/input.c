/* expr.c -- a calculator for matrices, in the GNU dialect of C.
 *
 * Reads lines such as
 *
 *     let a = [1 2; 3 4]
 *     print a * a' + 2
 *
 * from a built-in script, parses them by recursive descent and prints the
 * results.  It leans on nested functions, statement expressions, computed
 * gotos and case ranges on purpose.
 */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 26
#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define NEW(type, ...) ({ type *new_ = malloc(sizeof *new_); if (new_) *new_ = (type){ __VA_ARGS__ }; new_; })
#define CELL(m, r, c) ((m)->cell[(size_t)(r) * (m)->columns + (c)])
#define likely(x) __builtin_expect(!!(x), 1)

typedef struct matrix {
    int rows, columns;
    int references;
    double cell[];
} matrix;

typedef matrix *(*binary)(const matrix *, const matrix *);

enum token_kind {
    T_END, T_NUMBER, T_NAME, T_LET, T_PRINT,
    T_OPEN = '(', T_CLOSE = ')', T_LEFT = '[', T_RIGHT = ']',
    T_SEMICOLON = ';', T_EQUALS = '=', T_PLUS = '+', T_MINUS = '-',
    T_TIMES = '*', T_QUOTE = '\'',
};

struct token {
    enum token_kind kind;
    union {
        double number;
        char name;
    };
};

struct parser {
    const char *at;
    struct token token;
    matrix *names[MAX_NAMES];
    jmp_buf failed;
    char message[80];
};

static matrix *matrix_new(int rows, int columns)
{
    matrix *m = calloc(1, sizeof *m + sizeof(double) * rows * columns);

    if (!m)
        abort();
    m->rows = rows;
    m->columns = columns;
    m->references = 1;
    return m;
}

static void matrix_drop(matrix *m)
{
    if (m && --m->references == 0)
        free(m);
}

static matrix *matrix_map(const matrix *m, double (*f)(double, int, int))
{
    matrix *result = matrix_new(m->rows, m->columns);

    for (int r = 0; r < m->rows; r++)
        for (int c = 0; c < m->columns; c++)
            CELL(result, r, c) = f(CELL(m, r, c), r, c);
    return result;
}

static matrix *matrix_scale(const matrix *m, double by)
{
    double times(double x, int r, int c)
    {
        (void)r, (void)c;
        return x * by;
    }
    return matrix_map(m, times);
}

static matrix *matrix_add(const matrix *a, const matrix *b)
{
    double plus(double x, int r, int c)
    {
        if (b->rows == 1 && b->columns == 1)
            return x + b->cell[0];
        return r < b->rows && c < b->columns ? x + CELL(b, r, c) : NAN;
    }
    return matrix_map(a, plus);
}

static matrix *matrix_transpose(const matrix *m)
{
    matrix *result = matrix_new(m->columns, m->rows);
    double flip(double x, int r, int c) { return CELL(result, c, r) = x; }

    matrix_drop(matrix_map(m, flip));
    return result;
}

/* Multiply in tiles; a tile has a row of partial sums beside its cells. */
static matrix *matrix_multiply(const matrix *a, const matrix *b)
{
    matrix *result = matrix_new(a->rows, b->columns);
    int size = MAX(a->rows, b->columns);

    void tile(int width, struct { double sum[width]; int used; } *row, int r)
    {
        for (int c = 0; c < width; c++) {
            double sum = 0;

            for (int k = 0; k < a->columns; k++)
                sum += CELL(a, r, k) * CELL(b, k, c);
            row->sum[c] = sum;
            row->used++;
        }
    }

    if (b->rows == 1 && b->columns == 1) {
        matrix_drop(result);
        return matrix_scale(a, b->cell[0]);
    }
    for (int r = 0; r < a->rows; r++) {
        double *space = calloc(size + 1, sizeof *space);

        if (likely(space)) {
            tile(b->columns, (void *)space, r);
            memcpy(&CELL(result, r, 0), space, b->columns * sizeof *space);
            free(space);
        }
    }
    return result;
}

__attribute__((noreturn, format(printf, 2, 3)))
static void fail(struct parser *p, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(p->message, sizeof p->message, format, arguments);
    va_end(arguments);
    longjmp(p->failed, 1);
}

static void advance(struct parser *p)
{
    static const struct { const char *word; enum token_kind kind; } keywords[] = {
        { "let", T_LET }, { "print", T_PRINT },
    };

again:
    switch (*p->at) {
    case '\0':
        p->token.kind = T_END;
        return;
    case ' ': case '\t':
        p->at++;
        goto again;
    case '0' ... '9': {
        char *end;

        p->token = (struct token){ T_NUMBER, { .number = strtod(p->at, &end) } };
        p->at = end;
        return;
    }
    case 'a' ... 'z':
        for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
            size_t length = strlen(keywords[i].word);

            if (!strncmp(p->at, keywords[i].word, length)) {
                p->token.kind = keywords[i].kind;
                p->at += length;
                return;
            }
        }
        p->token = (struct token){ T_NAME, { .name = *p->at++ } };
        return;
    default:
        if (!strchr("()[];=+-*'", *p->at))
            fail(p, "what is '%c'?", *p->at);
        p->token.kind = (enum token_kind)*p->at++;
    }
}

static int accept(struct parser *p, enum token_kind kind)
{
    return p->token.kind == kind && (advance(p), 1);
}

static matrix *parse_sum(struct parser *p);

static matrix *parse_rows(struct parser *p)
{
    double cells[64];
    int count = 0, rows = 1;
    matrix *m;

    while (!accept(p, T_RIGHT)) {
        if (accept(p, T_SEMICOLON)) {
            rows++;
            continue;
        }
        if (p->token.kind != T_NUMBER || count == 64)
            fail(p, "a number, please (%d so far)", count);
        cells[count++] = p->token.number;
        advance(p);
    }
    if (count % rows)
        fail(p, "%d cells in %d rows", count, rows);
    m = matrix_new(rows, count / rows);
    memcpy(m->cell, cells, count * sizeof cells[0]);
    return m;
}

static matrix *parse_atom(struct parser *p)
{
    matrix *m = NULL;

    if (p->token.kind == T_NUMBER) {
        m = matrix_new(1, 1);
        m->cell[0] = p->token.number;
        advance(p);
    } else if (p->token.kind == T_NAME) {
        m = p->names[p->token.name - 'a'] ?: (fail(p, "no %c", p->token.name), NULL);
        m->references++;
        advance(p);
    } else if (accept(p, T_LEFT)) {
        m = parse_rows(p);
    } else if (accept(p, T_OPEN)) {
        m = parse_sum(p);
        if (!accept(p, T_CLOSE))
            fail(p, "unbalanced");
    } else {
        fail(p, "unexpected token %d", p->token.kind);
    }
    while (accept(p, T_QUOTE))
        m = matrix_transpose(m);
    return m;
}

static matrix *parse_chain(struct parser *p, enum token_kind kind,
                           matrix *(*next)(struct parser *), binary apply)
{
    matrix *left = next(p);

    while (accept(p, kind)) {
        matrix *right = next(p), *both = apply(left, right);

        matrix_drop(left);
        matrix_drop(right);
        left = both;
    }
    return left;
}

static matrix *parse_product(struct parser *p)
{
    return parse_chain(p, T_TIMES, parse_atom, matrix_multiply);
}

static matrix *parse_sum(struct parser *p)
{
    return parse_chain(p, T_PLUS, parse_product, matrix_add);
}

static void show(const matrix *m)
{
    for (int i = 0; i < m->rows * m->columns; i++)
        printf("%8.3g%s", m->cell[i], (i + 1) % m->columns ? "" : "\n");
}

static int run(struct parser *p, const char *line)
{
    static const void *const actions[] = { &&stop, &&assign, &&display };
    char name;

    p->at = line;
    if (setjmp(p->failed)) {
        fprintf(stderr, "%s: %s\n", line, p->message);
        return 1;
    }
    advance(p);
    goto *actions[accept(p, T_LET) ? 1 : accept(p, T_PRINT) ? 2 : 0];
assign:
    name = p->token.name;
    if (!accept(p, T_NAME) || !accept(p, T_EQUALS))
        fail(p, "let NAME = ...");
    p->names[name - 'a'] = parse_sum(p);
    return 0;
display:
    show(parse_sum(p));
    return 0;
stop:
    return p->token.kind != T_END;
}

int main(void)
{
    static const char *const script[] = {
        "let a = [1 2; 3 4]",
        "let b = [0 1; 1 0]",
        "print a * b + 2",
        "print (a + b) * a'",
        "print [1 2 3] * [1; 2; 3]",
    };
    struct parser *p = NEW(struct parser, .at = "");
    int failures = 0;

    for (size_t i = 0; p && i < sizeof script / sizeof *script; i++)
        failures += run(p, script[i]);
    for (int i = 0; p && i < MAX_NAMES; i++)
        matrix_drop(p->names[i]);
    free(p);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
