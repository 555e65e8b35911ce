/*
 * mixer.c -- mixes tracks of sampled sound, four samples at a time.
 *
 * The mixer works in fixed point on GNU vectors. Arithmetic traps (a division
 * by zero in the gain computation, above all) are caught by a SIGFPE handler
 * that jumps back into the mixing loop; therefore this file is compiled with
 * -fnon-call-exceptions.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LANES       4
#define BLOCK       64                  /* vectors in a block */
#define TRACKS      8
#define FIXED(x)    ((int)((x) * 65536.0 + ((x) < 0 ? -0.5 : 0.5)))
#define SPLAT(x)    ((vec){ (x), (x), (x), (x) })
#define FOR_TRACKS(t, mixer) \
    for (struct track *t = (mixer)->track; t < (mixer)->track + (mixer)->tracks; t++)

typedef int32_t vec __attribute__((vector_size(sizeof(int32_t) * LANES)));
typedef uint32_t uvec __attribute__((vector_size(sizeof(uint32_t) * LANES)));

enum effect {
    DRY = 0,
    ECHO = 1 << 0,
    GATE = 1 << 1,
    CRUSH = 1 << 2,
};

struct envelope {
    uint16_t attack, decay, release;
    unsigned sustain : 7;
    unsigned stage : 2;
    bool loop : 1;
};

struct track {
    const char *name;
    vec sample[BLOCK];
    vec gain, pan;
    enum effect effects;
    struct envelope envelope;
    int (*source)(struct track *self, unsigned long clock);
    union {
        struct { uint32_t phase, step; } tone;
        struct { uint32_t state; int hold; } noise;
    } osc;
};

struct mixer {
    struct track track[TRACKS];
    unsigned tracks;
    unsigned long clock;
    vec out[BLOCK];
    vec peak;
    unsigned traps;
};

static sigjmp_buf trap;
static volatile sig_atomic_t armed;

static void on_trap(int number)
{
    if (armed)
        siglongjmp(trap, number);
}

/* ---- sources ---------------------------------------------------------- */

static int triangle(struct track *self, unsigned long clock)
{
    uint32_t phase = self->osc.tone.phase += self->osc.tone.step;
    int value = (int)(phase >> 15) - 0x10000;

    (void)clock;
    return value < 0 ? -value - 0x8000 : value - 0x8000;
}

static int square(struct track *self, unsigned long clock)
{
    return (self->osc.tone.phase += self->osc.tone.step) >> 31 ? 0x6000 : -0x6000;
}

static int noise(struct track *self, unsigned long clock)
{
    if (clock % 3 == 0) {
        uint32_t s = self->osc.noise.state;

        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        self->osc.noise.state = s;
        self->osc.noise.hold = (int)(s & 0xffff) - 0x8000;
    }
    return self->osc.noise.hold;
}

/* ---- envelopes and effects -------------------------------------------- */

static int level(struct envelope *e, unsigned long clock)
{
    unsigned at = clock & 0xffff;

    switch (e->stage) {
    case 0:
        if (at >= e->attack) {
            e->stage = 1;
            return 0xffff;
        }
        return at * 0xffff / (e->attack ? e->attack : 1);
    case 1:
        if (at < (unsigned)e->attack + e->decay)
            return 0xffff - (0xffff - e->sustain * 512) * (at - e->attack) / (e->decay | 1);
        e->stage = 2;
        /* fall through */
    case 2:
        if (!e->loop)
            e->stage = 3;
        return e->sustain * 512;
    default:
        e->stage = 0;
        return 0;
    }
}

static vec crush(vec x, int bits)
{
    const int shift = bits & 15;

    return (x >> shift) << shift;
}

static vec clip(vec x)
{
    vec high = SPLAT(0x7fff), low = -high - 1;
    vec above = x > high, below = x < low;

    return (x & ~(above | below)) | (high & above) | (low & below);
}

static void fill(struct track *t, unsigned long clock)
{
    for (int i = 0; i < BLOCK; i++) {
        for (int lane = 0; lane < LANES; lane++) {
            int value = t->source(t, clock + i * LANES + lane);

            t->sample[i][lane] = (int)((int64_t)value * level(&t->envelope, clock + i) >> 16);
        }
        if (t->effects & CRUSH)
            t->sample[i] = crush(t->sample[i], 6);
        if ((t->effects & ECHO) && i >= 8)
            t->sample[i] += t->sample[i - 8] >> 1;
    }
}

/* ---- mixing ------------------------------------------------------------ */

static int mix(struct mixer *m, bool loud)
{
    vec scale = SPLAT(FIXED(0.5)), sum;
    int trapped;

    FOR_TRACKS(t, m)
        fill(t, m->clock);
    if (loud)
        scale += scale >> 1;
    armed = 1;
    trapped = sigsetjmp(trap, 1);
    if (trapped)
        m->traps++;
    for (int i = 0; i < BLOCK; i++) {
        sum = SPLAT(0);
        FOR_TRACKS(t, m) {
            if ((t->effects & GATE) && t->sample[i][0] < 64)
                continue;
            sum += (t->sample[i] >> 4) * (t->gain >> 12);
        }
        m->peak = clip(sum) / scale;
        m->out[i] = clip(sum - m->peak);
    }
    armed = 0;
    m->clock += BLOCK * LANES;
    return trapped ? -1 : 0;
}

static void meter(const struct mixer *m, char *line, size_t size)
{
    uvec total = { 0 };
    unsigned loudest = 0;
    size_t used = 0;

    for (int i = 0; i < BLOCK; i++) {
        vec sign = m->out[i] >> 31;

        total += (uvec)((m->out[i] ^ sign) - sign);
    }
    for (int lane = 0; lane < LANES; lane++)
        loudest = total[lane] > loudest ? total[lane] : loudest;
    while (used + 1 < size && used < loudest / BLOCK / 256)
        line[used] = used < 40 ? '=' : '!', used++;
    line[used] = '\0';
}

static struct track *add(struct mixer *m, struct track t)
{
    struct track *slot = NULL;

    if (m->tracks < TRACKS) {
        slot = &m->track[m->tracks++];
        memcpy(slot, &t, sizeof t);
    }
    return slot;
}

int main(void)
{
    static struct mixer m;
    char line[81];
    static const struct { int note; uint32_t step; } scale[] = {
        { 'c', 25479377 }, { 'd', 28599171 }, { 'e', 32101163 }, { 'g', 38175247 },
    };

    signal(SIGFPE, on_trap);
    add(&m, (struct track){
        .name = "lead", .source = triangle, .gain = SPLAT(FIXED(0.8)), .effects = ECHO,
        .envelope = { .attack = 32, .decay = 200, .sustain = 90, .loop = true },
        .osc.tone.step = scale[0].step,
    });
    add(&m, (struct track){
        .name = "bass", .source = square, .gain = SPLAT(FIXED(0.6)), .effects = CRUSH | GATE,
        .envelope = { 8, 400, 100, .sustain = 64 }, .osc.tone = { 0, scale[0].step / 4 },
    });
    add(&m, (struct track){
        .name = "hiss", .source = noise, .gain = SPLAT(FIXED(0.1)), .effects = DRY,
        .osc.noise = { .state = 2463534242u },
    });
    for (int beat = 0; beat < 16; beat++) {
        m.track[0].osc.tone.step = scale[beat * 5 % 4].step;
        if (mix(&m, beat % 4 == 0) < 0)
            fprintf(stderr, "trap %u at %lu\n", m.traps, m.clock);
        meter(&m, line, sizeof line);
        printf("%2d %c %s\n", beat, scale[beat * 5 % 4].note, line);
    }
    return m.traps > 255 ? 255 : (int)m.traps;
}
