#include <stdlib.h>
#include <string.h>
struct flex { int n; char tail[]; };
struct fixed { int n; long data[0]; };
int main(int argc, char **argv)
{
    int n = argc + 3;
    struct flex *f = malloc(sizeof *f + 6);
    struct fixed *g = malloc(sizeof *g + 16);
    unsigned char *raw = malloc(3000);
    char *big = malloc(200000);
    char text[8] = "abc";
    char raw2[4] = {'a', 'b', 'c', 'd'};
    wchar_t wide[3] = L"hi";
    int (*rows)[3] = malloc(2 * sizeof *rows);
    int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int **pp = malloc(3 * sizeof *pp);
    int later[n];
    char vt[n];
    later[0] = 1;
    memset(raw, 7, 3000);
    strcpy(f->tail, "tail");
    strcpy(big, "big text");
    strcpy(vt, "vt");
    f->n = 4;
    g->data[0] = g->data[1] = 5;
    memcpy(rows, matrix, sizeof matrix);
    pp[0] = matrix[0]; pp[1] = &matrix[1][1]; pp[2] = pp[0] + 100000000;
    return 0;
}
