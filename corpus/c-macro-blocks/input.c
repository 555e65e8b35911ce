/*
 *  flow.c  --  a toy solver for shallow water, in a style of the eighties:
 *  the author liked Pascal, and made C look like it.
 *
 *  The blocks are opened and closed by macros, so a parser that does not
 *  expand them loses its way; the compiler does not.
 */

#include <stddef.h>

#define BEGIN        {
#define END          }
#define PROCEDURE    static void
#define FUNCTION     static double
#define IF(c)        if (c) {
#define ELSE         } else {
#define ELSIF(c)     } else if (c) {
#define FI           }
#define WHILE(c)     while (c) {
#define OD           }
#define FOR(i, a, b) for (int i = (a); i <= (b); ++i) {
#define REPEAT       do {
#define UNTIL(c)     } while (!(c))
#define CASE(x)      switch (x) {
#define OF(k)        case k: {
#define FO           } break;
#define OTHERWISE    default: {
#define ESAC         }
#define RECORD(name) typedef struct name {
#define AS(name)     } name
#define NOT          !
#define AND          &&
#define OR           ||
#define MOD          %
#define ARRAY(type, name, size) type name[size]

extern int printf(const char *, ...);
extern double sqrt(double);
extern void *malloc(size_t), free(void *);

enum { WIDTH = 48, HEIGHT = 24, LAYERS = 3, STEPS = 40 };
enum boundary { WALL, OPEN_SEA, RIVER, PERIODIC };

RECORD(cell)
    double depth, u, v;
    float bed;
    unsigned char dry : 1, source : 1, kind : 2;
AS(cell);

RECORD(basin)
    const char *name;
    int width, height;
    enum boundary edge[4];
    double (*wind)(double time, int x, int y);
    ARRAY(cell, water, WIDTH * HEIGHT);
    struct basin *next;
AS(basin);

static const double gravity = 9.81, slip = 0.02;
static double clock_, step_ = 0.05;

/* The fluxes are gathered along one row: conserved quantities, one layer at a time. */
void gather_row(int, int, int, int, int, int, int nvar,
                int, int ny, int nxy, int, int nstep,
                double depth[ny], double flux[nvar][nstep][nxy]);

FUNCTION calm(double time, int x, int y)
BEGIN
    (void)time; (void)x; (void)y;
    return 0.0;
END

FUNCTION gust(double time, int x, int y)
BEGIN
    double strength = 0.3;

    IF ((int)time MOD 7 < 3 AND x > y)
        strength = 1.5;
    ELSIF (x == y OR NOT x)
        strength = 0.0;
    FI
    return strength;
END

FUNCTION depth_at(const basin *b, int x, int y)
BEGIN
    IF (x < 0)
        CASE (b->edge[0])
            OF (PERIODIC)
                x += b->width;
            FO
            OF (OPEN_SEA)
                return 1.0;
            FO
            OTHERWISE
                x = 0;
            FO
        ESAC
    ELSIF (x >= b->width)
        x = b->edge[1] == PERIODIC ? x - b->width : b->width - 1;
    FI
    IF (y < 0) y = 0; ELSIF (y >= b->height) y = b->height - 1; FI
    return b->water[y * b->width + x].depth;
END

PROCEDURE fill(basin *b, double level)
BEGIN
    FOR (y, 0, b->height - 1)
        FOR (x, 0, b->width - 1)
            cell *c = &b->water[y * b->width + x];

            c->bed = 0.1f * (float)((x * 7 + y * 13) MOD 11);
            c->depth = level > c->bed ? level - c->bed : 0.0;
            c->u = c->v = 0.0;
            c->dry = c->depth < 1e-6;
            c->source = x == b->width / 2 AND y == b->height / 2;
            c->kind = (unsigned char)b->edge[(x + y) & 3];
        OD
    OD
END

/* Again, for the layered model; the bounds are those of the first declaration. */
void gather_row(int, int, int, int, int, int, int nvar,
                int, int ny, int nxy, int, int nstep,
                double depth[ny], double flux[nvar][nstep][nxy]);

PROCEDURE push(basin *b, cell *c, int x, int y)
BEGIN
    double west = depth_at(b, x - 1, y), east = depth_at(b, x + 1, y);
    double north = depth_at(b, x, y - 1), south = depth_at(b, x, y + 1);

    c->u += step_ * (gravity * (west - east) / 2 + b->wind(clock_, x, y));
    c->v += step_ * gravity * (north - south) / 2;
    c->u *= 1 - slip;
    c->v *= 1 - slip;
    IF (c->source)
        c->depth += step_;
    FI
END

FUNCTION fastest(const basin *b)
BEGIN
    double top = 0;
    int i = 0;

    WHILE (i < b->width * b->height)
        const cell *c = &b->water[i++];
        double speed = c->u * c->u + c->v * c->v;

        IF (c->dry) continue; FI
        IF (speed > top) top = speed; FI
    OD
    return sqrt(top);
END

PROCEDURE advance(basin *b)
BEGIN
    FOR (y, 0, b->height - 1)
        FOR (x, 0, b->width - 1)
            push(b, &b->water[y * b->width + x], x, y);
        OD
    OD
    FOR (i, 0, b->width * b->height - 1)
        cell *c = b->water + i;
        double flow = step_ * (c->u + c->v) * c->depth / 8;

        c->depth -= flow;
        IF (i + 1 < b->width * b->height)
            c[1].depth += flow;
        FI
        c->dry = c->depth < 1e-6;
    OD
    clock_ += step_;
END

PROCEDURE draw(const basin *b)
BEGIN
    static const char shade[] = " .:-=+*#%@";

    printf("%s after %.2f s\n", b->name, clock_);
    FOR (y, 0, b->height - 1)
        FOR (x, 0, b->width - 1)
            int level = (int)(depth_at(b, x, y) * 6);

            printf("%c", shade[level < 0 ? 0 : level > 9 ? 9 : level]);
        OD
        printf("\n");
    OD
END

int main(void)
BEGIN
    basin *first = NULL;
    int left = STEPS;
    struct { const char *name; double level; double (*wind)(double, int, int); } plan[] = {
        { "lagoon", 0.8, calm }, { "fjord", 1.2, gust },
    };

    FOR (i, 0, 1)
        basin *b = malloc(sizeof *b);

        IF (NOT b) return 1; FI
        b->name = plan[i].name;
        b->width = WIDTH;
        b->height = HEIGHT;
        FOR (side, 0, 3)
            b->edge[side] = side MOD 2 ? PERIODIC : WALL;
        OD
        b->wind = plan[i].wind;
        b->next = first;
        fill(b, plan[i].level);
        first = b;
    OD
    REPEAT
        for (basin *b = first; b; b = b->next)
            advance(b);
        IF (fastest(first) > 20) step_ /= 2; FI
    UNTIL (--left == 0);
    WHILE (first)
        basin *next = first->next;

        draw(first);
        free(first);
        first = next;
    OD
    return 0;
END
