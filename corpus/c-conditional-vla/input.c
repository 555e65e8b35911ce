/*
 * A small recorder for weather stations.
 *
 * Stations report temperature, pressure and humidity every few minutes.
 * The recorder keeps the latest readings of every station in a ring,
 * smooths them, classifies the weather and prints a report.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STATIONS   16
#define RING_SIZE      32
#define NAME_LENGTH    24
#define ARRAY_SIZE(a)  (sizeof(a) / sizeof((a)[0]))
#define CLAMP(x, lo, hi) ((x) < (lo) ? (lo) : (x) > (hi) ? (hi) : (x))

enum quantity {
    TEMPERATURE,
    PRESSURE,
    HUMIDITY,
    QUANTITIES
};

enum weather {
    CLEAR,
    CLOUDY,
    RAIN,
    STORM
};

struct reading {
    long time;
    double value[QUANTITIES];
    unsigned char valid;
};

struct station {
    char name[NAME_LENGTH];
    double latitude, longitude;
    struct reading ring[RING_SIZE];
    unsigned head;
    unsigned count;
};

struct network {
    struct station *station[MAX_STATIONS];
    size_t size;
    void (*on_storm)(const struct station *where, const struct reading *when);
};

typedef double (*smoother)(const double *values, int count);

static const char *const weather_names[] = {
    [CLEAR] = "clear",
    [CLOUDY] = "cloudy",
    [RAIN] = "rain",
    [STORM] = "storm",
};

static const struct {
    const char *unit;
    double low, high;
} limits[QUANTITIES] = {
    { "C", -60.0, 60.0 },
    { "hPa", 870.0, 1085.0 },
    { "%", 0.0, 100.0 },
};

/* ---- smoothing ---------------------------------------------------- */

static double mean(const double *values, int count)
{
    double sum = 0.0;

    for (int i = 0; i < count; i++)
        sum += values[i];
    return count > 0 ? sum / count : 0.0;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double median(const double *values, int count)
{
    double sorted[RING_SIZE];

    if (count <= 0)
        return 0.0;
    memcpy(sorted, values, count * sizeof sorted[0]);
    qsort(sorted, count, sizeof sorted[0], compare_doubles);
    if (count % 2)
        return sorted[count / 2];
    return (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* ---- stations ------------------------------------------------------ */

static struct station *add_station(struct network *net, const char *name,
                                   double latitude, double longitude)
{
    struct station *s;

    if (net->size == MAX_STATIONS)
        return NULL;
    s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    strncpy(s->name, name, NAME_LENGTH - 1);
    s->latitude = latitude;
    s->longitude = longitude;
    net->station[net->size++] = s;
    return s;
}

static void record(struct network *net, struct station *s, struct reading r)
{
    unsigned slot = (s->head + s->count) % RING_SIZE;

    for (int q = 0; q < QUANTITIES; q++) {
        if (r.value[q] < limits[q].low || r.value[q] > limits[q].high)
            r.valid = 0;
        r.value[q] = CLAMP(r.value[q], limits[q].low, limits[q].high);
    }
    s->ring[slot] = r;
    if (s->count < RING_SIZE)
        s->count++;
    else
        s->head = (s->head + 1) % RING_SIZE;
    if (net->on_storm && r.valid && r.value[PRESSURE] < 960.0)
        net->on_storm(s, &s->ring[slot]);
}

static double smoothed(const struct station *s, enum quantity q, smoother smooth)
{
    double values[RING_SIZE];
    int n = 0;

    for (unsigned i = 0; i < s->count; i++) {
        const struct reading *r = &s->ring[(s->head + i) % RING_SIZE];

        if (!r->valid)
            continue;
        values[n++] = r->value[q];
    }
    return smooth(values, n);
}

/*
 * The longer of two windows decides the trend, unless the ring is nearly
 * empty.  Both windows live on the stack: their size depends on `width`.
 */
static int trend(const struct station *s, enum quantity q, int width)
{
    struct window {
        int steps[width];
    } recent, older;
    int rising = 0, falling = 0;

    memset(&recent, 0, sizeof recent);
    memset(&older, 0, sizeof older);
    for (int i = 1; i < width && i < (int)s->count; i++) {
        unsigned now = (s->head + s->count - i) % RING_SIZE;
        unsigned before = (now + RING_SIZE - 1) % RING_SIZE;
        double change = s->ring[now].value[q] - s->ring[before].value[q];

        recent.steps[i] = change > 0.1 ? 1 : change < -0.1 ? -1 : 0;
        older.steps[width - i - 1] = -recent.steps[i];
    }
    for (int i = 0; i < width; i++) {
        int step = (s->count > 4 ? recent : older).steps[i];

        if (step > 0)
            rising++;
        else if (step < 0)
            falling++;
    }
    return rising - falling;
}

static enum weather classify(const struct station *s)
{
    double pressure = smoothed(s, PRESSURE, median);
    double humidity = smoothed(s, HUMIDITY, mean);
    enum weather guess;

    switch ((int)pressure / 20) {
    case 43: case 44: case 45: case 46: case 47:
        guess = STORM;
        break;
    case 48: case 49:
        guess = humidity > 70 ? RAIN : CLOUDY;
        break;
    case 50:
        guess = humidity > 85 ? RAIN : humidity > 60 ? CLOUDY : CLEAR;
        break;
    default:
        guess = CLEAR;
    }
    if (trend(s, PRESSURE, 6) < -3 && guess < STORM)
        guess++;
    return guess;
}

/* ---- reports ------------------------------------------------------- */

static void warn_of_storm(const struct station *where, const struct reading *when)
{
    fprintf(stderr, "storm near %s at %ld: %.1f hPa\n",
            where->name, when->time, when->value[PRESSURE]);
}

static void report(const struct network *net, FILE *out)
{
    for (size_t i = 0; i < net->size; i++) {
        const struct station *s = net->station[i];

        fprintf(out, "%-*s %6.2f %7.2f", NAME_LENGTH, s->name,
                s->latitude, s->longitude);
        for (int q = 0; q < QUANTITIES; q++)
            fprintf(out, " %7.1f %s", smoothed(s, q, q == HUMIDITY ? mean : median),
                    limits[q].unit);
        fprintf(out, " %s\n", weather_names[classify(s)]);
    }
}

static unsigned long next_random(unsigned long *state)
{
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return *state >> 33;
}

static void simulate(struct network *net, int hours, unsigned long seed)
{
    long clock = 0;

    do {
        for (size_t i = 0; i < net->size; i++) {
            struct reading r = { .time = clock, .valid = 1 };

            r.value[TEMPERATURE] = 10 + (double)(next_random(&seed) % 200) / 10;
            r.value[PRESSURE] = 950 + (double)(next_random(&seed) % 800) / 10;
            r.value[HUMIDITY] = next_random(&seed) % 101;
            record(net, net->station[i], r);
        }
        clock += 600;
    } while (clock < hours * 3600L);
}

int main(int argc, char **argv)
{
    struct network net = { .on_storm = warn_of_storm };
    int hours = argc > 1 ? atoi(argv[1]) : 12;
    static const struct { const char *name; double lat, lon; } places[] = {
        { "Harbour", 53.55, 9.99 },
        { "Lighthouse", 54.18, 7.89 },
        { "Summit", 47.42, 10.98 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        if (!add_station(&net, places[i].name, places[i].lat, places[i].lon))
            return EXIT_FAILURE;
    simulate(&net, hours > 0 ? hours : 1, 20240229ul);
    report(&net, stdout);
    while (net.size)
        free(net.station[--net.size]);
    return EXIT_SUCCESS;
}
