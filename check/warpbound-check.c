/* warpbound-check FILE: recomputes what a certificate of `warpbound analyze --certificate` claims, from the
 * certificate alone. It has no line in common with the library, and no way to be told what comes out.
 *
 * A certificate (docs/certificates.md) is a thread block, or a grid of such, as a bound saw it: instructions
 * with unit, initiation, latency and registers; sections between barriers, of runs of instructions and loops;
 * rows of sections, one a path, which the block goes through; warps, each with a path and a sub-core. What is
 * computed of them is stated and proven in docs/proofs.md: sib and fib are theorem 1, elb theorem 2, loops
 * theorem 4, k-sm and k-area theorems 5 and 6.
 *
 * Exit status: 0 when every claim is proven, 1 when one is not, 2 when the file is no certificate or was
 * changed. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_MAX 64
#define FNV_START UINT64_C(0xcbf29ce484222325) /* FNV-1a */
#define FNV_PRIME UINT64_C(0x100000001b3)
#define QUEUES_MAX 8
#define NO_UNIT UNITS_MAX
#define UNLIMITED UINT64_MAX
#define TIME_MAX ((uint64_t)1 << 62)     /* no sum may be larger */
#define WORK_MAX ((uint64_t)20000000000) /* steps: minutes */
#define TABLE_MAX ((uint64_t)1 << 26)    /* entries of a list */

static const char *file_name;
static uint64_t line_number, work;

static _Noreturn void refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, line_number == 0 ? "%s: " : "%s:%" PRIu64 ": ", file_name, line_number);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static uint64_t add(uint64_t a, uint64_t b) {
    if (a > TIME_MAX || b > TIME_MAX - a) refuse("a sum of times is larger than 2^62");
    return a + b;
}

static uint64_t mul(uint64_t a, uint64_t b) {
    if (b != 0 && a > TIME_MAX / b) refuse("a product of times is larger than 2^62");
    return a * b;
}

static uint64_t max(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t min(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static void *zeroed(uint64_t count, size_t size) {
    void *made = count <= TABLE_MAX ? calloc(count + 1, size) : NULL;
    if (made == NULL) refuse("out of memory");
    return made;
}

/* A list that grows. */
#define LIST(type)                                                                                           \
    struct {                                                                                                 \
        type *items;                                                                                         \
        uint64_t count, room;                                                                                \
    }
#define PUSH(list, item)                                                                                     \
    do {                                                                                                     \
        (list)->items = grown((list)->items, (list)->count, &(list)->room, sizeof *(list)->items);           \
        (list)->items[(list)->count++] = (item);                                                             \
    } while (0)

static void *grown(void *items, uint64_t count, uint64_t *room, size_t size) {
    if (count < *room) return items;
    *room = max(16, 2 * count);
    if (*room > TABLE_MAX) refuse("a list is too long");
    void *more = realloc(items, *room * size);
    if (more == NULL) refuse("out of memory");
    return more;
}

/* ---- What a certificate says --------------------------------------------------------------------------- */

struct machine {
    uint64_t depth, sub_cores, release;
    uint32_t units;
    bool shared[UNITS_MAX];
};

struct inst {
    uint32_t unit;
    uint64_t init, latency;
    uint64_t first, sources, destinations; /* registers, in block.operands; destinations behind sources */
    uint64_t joins, commits;               /* bit q: of queue q */
};

/* A step of a program: `count` things from number `first` on; or, with count 0, the `first` steps before it
 * `times` more. Of a section the things are instructions, of a block rows of sections. */
struct step {
    uint64_t first, count, times;
    uint64_t often; /* in all */
};

typedef LIST(struct step) program;

/* What a section of a warp amounts to. */
struct section {
    program steps;
    uint64_t alone;                               /* iso: it takes so long by itself */
    uint64_t count[UNITS_MAX], charge[UNITS_MAX]; /* instructions of each unit; what they charge others */
    uint64_t initiations;
};

struct warps {
    uint64_t path, sub_core, count;
};

struct block {
    char name[128];
    uint64_t registers;
    struct {
        uint64_t first, count;
    } queues[QUEUES_MAX];
    LIST(struct inst) insts;
    LIST(uint64_t) operands;
    LIST(struct section) sections;
    uint64_t paths;
    LIST(uint64_t) cells; /* rows: a section a path */
    program rows;
    LIST(struct warps) warps;
    uint64_t largest[UNITS_MAX];             /* initiation of any instruction */
    bool computed;                           /* nothing more can be said of it */
    uint64_t sib, fib, initiations, latency; /* the releases of barriers are in these times */
};

static struct machine machine = {.depth = UNLIMITED, .sub_cores = 1};

/* ---- Times that loops make (theorem 4) ------------------------------------------------------------------
 */

/* Somebody on the way through a program, with the times that he keeps. Each thing that he meets makes of them
 * maxima of them plus constants; so each time behind n repetitions of a loop is a convex function of those
 * before it, along any line. */
struct walk {
    const struct block *block;
    const program *steps;
    void (*meet)(struct walk *walk, uint64_t thing);
    uint64_t *times, time_count;
};

static void play(struct walk *walk, uint64_t from, uint64_t to);

static void play_often(struct walk *walk, uint64_t from, uint64_t to, uint64_t often) {
    for (; often > 0; often--)
        play(walk, from, to);
}

/* Whether the times, `often` repetitions after c, can be had from the growth between b and c: they are no
 * more than this growth says at one more point of the line. */
static bool jump(struct walk *walk, uint64_t from, uint64_t to, uint64_t period, uint64_t skipped,
                 const uint64_t *b, const uint64_t *c) {
    bool even = true;
    for (uint64_t i = 0; i < walk->time_count; i++)
        walk->times[i] = add(c[i], mul(c[i] - b[i], skipped));
    play_often(walk, from, to, period);
    for (uint64_t i = 0; i < walk->time_count; i++) {
        const uint64_t line = add(c[i], mul(c[i] - b[i], skipped + 1));
        even = even && walk->times[i] <= line;
        walk->times[i] = line;
    }
    if (!even) memcpy(walk->times, c, walk->time_count * sizeof *c);
    return even;
}

/* Walks a period twice. If all times grow by the same in both, skips what can be skipped; returns how many
 * repetitions that were. */
static uint64_t skip(struct walk *walk, uint64_t from, uint64_t to, uint64_t period, uint64_t often) {
    const size_t size = walk->time_count * sizeof *walk->times;
    uint64_t *a = zeroed(3 * walk->time_count, sizeof *a), *b = a + walk->time_count,
             *c = b + walk->time_count;
    uint64_t skipped = often / period - 1;
    bool even = true;
    memcpy(a, walk->times, size);
    play_often(walk, from, to, period);
    memcpy(b, walk->times, size);
    play_often(walk, from, to, period);
    memcpy(c, walk->times, size);
    for (uint64_t i = 0; i < walk->time_count && even; i++)
        even = a[i] <= b[i] && b[i] <= c[i] && c[i] - b[i] == b[i] - a[i];
    for (; even && skipped > 0; skipped /= 2)
        if (jump(walk, from, to, period, skipped, b, c)) break;
    free(a);
    return even && skipped > 0 ? period * (skipped + 1) : 0;
}

/* Walks the steps from .. to `often` times. */
static void repeat(struct walk *walk, uint64_t from, uint64_t to, uint64_t often) {
    static const uint64_t periods[] = {1, 2, 6, 12, 60, 420};
    size_t p = 0;
    while (p < sizeof periods / sizeof periods[0] && often / periods[p] >= 4) {
        often -= 2 * periods[p];
        const uint64_t skipped = skip(walk, from, to, periods[p], often);
        often -= skipped;
        p += skipped == 0;
    }
    play_often(walk, from, to, often);
}

static void play(struct walk *walk, uint64_t from, uint64_t to) {
    for (uint64_t s = from; s < to; s++) {
        const struct step *step = &walk->steps->items[s];
        for (uint64_t i = 0; i < step->count; i++)
            walk->meet(walk, step->first + i);
        if (step->count == 0) repeat(walk, s - step->first, s, step->times);
        work += 1 + step->count;
        if (work > WORK_MAX) refuse("takes too long");
    }
}

/* What registers say: the latest of an instruction's operands, then its result. */
static uint64_t operands_there(const struct block *block, const struct inst *inst, const uint64_t *registers,
                               uint64_t since) {
    for (uint64_t i = 0; i < inst->sources + inst->destinations; i++)
        since = max(since, registers[block->operands.items[inst->first + i]]);
    return since;
}

static void result_there(const struct block *block, const struct inst *inst, uint64_t *registers,
                         uint64_t at) {
    for (uint64_t i = inst->sources; i < inst->sources + inst->destinations; i++)
        registers[block->operands.items[inst->first + i]] = at;
    for (uint64_t q = 0; q < QUEUES_MAX; q++) {
        uint64_t *queue = registers + block->queues[q].first, count = block->queues[q].count;
        if (count == 0) continue;
        if (inst->joins >> q & 1) queue[0] = max(queue[0], at);
        for (; (inst->commits >> q & 1) != 0 && count > 1; count--)
            queue[count - 1] = queue[count - 2];
    }
}

/* ---- A section alone: iso of docs/proofs.md, section 1 ---------------------------------------------------
 */

enum { NOW, COMPLETE, ALONE_TIMES }; /* then registers, then each unit's end of initiation and last start */

static void meet_alone(struct walk *walk, uint64_t number) {
    const struct inst *inst = &walk->block->insts.items[number];
    uint64_t *times = walk->times, *registers = times + ALONE_TIMES;
    uint64_t issue = operands_there(walk->block, inst, registers, times[NOW]), end = issue;
    if (inst->unit != NO_UNIT) {
        uint64_t *unit = registers + walk->block->registers + 2 * (uint64_t)inst->unit;
        if (machine.depth == 0) issue = max(issue, unit[0]);
        if (machine.depth == 1) issue = max(issue, unit[1]);
        unit[1] = max(issue, unit[0]);
        end = unit[0] = add(unit[1], inst->init);
        times[NOW] = issue + 1;
    } else {
        times[NOW] = issue;
    }
    const uint64_t result = add(end, inst->latency);
    result_there(walk->block, inst, registers, result);
    times[COMPLETE] = max(times[COMPLETE], result);
}

static void walk_alone(const struct block *block, struct section *section) {
    const uint64_t count = ALONE_TIMES + block->registers + 2 * (uint64_t)machine.units;
    struct walk walk = {block, &section->steps, meet_alone, zeroed(count, sizeof(uint64_t)), count};
    play(&walk, 0, section->steps.count);
    section->alone = walk.times[COMPLETE];
    free(walk.times);
}

/* What an instruction is charged at: its initiation; at depth 1 the largest of its unit. */
static uint64_t charge_of(const struct block *block, const struct inst *inst) {
    return machine.depth == 1 ? block->largest[inst->unit] : inst->init;
}

static void count_section(const struct block *block, struct section *section) {
    const program *steps = &section->steps;
    for (uint64_t s = 0; s < steps->count; s++) {
        const struct step *step = &steps->items[s];
        for (uint64_t i = step->first; i < step->first + step->count; i++) {
            const struct inst *inst = &block->insts.items[i];
            if (inst->unit == NO_UNIT) continue;
            section->count[inst->unit] = add(section->count[inst->unit], step->often);
            section->charge[inst->unit] =
                add(section->charge[inst->unit], mul(charge_of(block, inst), step->often));
            section->initiations = add(section->initiations, mul(inst->init, step->often));
        }
    }
}

/* ---- Rows: sib and fib (theorem 1) -----------------------------------------------------------------------
 */

static const struct section *section_of(const struct block *block, uint64_t row, uint64_t path) {
    return &block->sections.items[block->cells.items[row * block->paths + path]];
}

/* What another warp delays one: initiations on units that both reach, of fib issue slots where this one does
 * not use the unit. */
static uint64_t delay(const struct section *own, const struct section *other, bool same_sub_core,
                      bool slots) {
    uint64_t sum = 0;
    for (uint32_t u = 0; u < machine.units; u++) {
        if (slots && own->count[u] == 0)
            sum = add(sum, same_sub_core ? other->count[u] : 0);
        else if (same_sub_core || machine.shared[u])
            sum = add(sum, other->charge[u]);
    }
    return sum;
}

/* The most that any warp takes in a row. */
static uint64_t row_time(const struct block *block, uint64_t row, bool slots) {
    const struct warps *warps = block->warps.items;
    uint64_t most = 0;
    for (uint64_t g = 0; g < block->warps.count; g++) {
        const struct section *own = section_of(block, row, warps[g].path);
        uint64_t time = own->alone;
        if (time == 0) continue; /* nothing to wait for */
        for (uint64_t h = 0; h < block->warps.count; h++) {
            const struct section *other = section_of(block, row, warps[h].path);
            const uint64_t one = delay(own, other, warps[g].sub_core == warps[h].sub_core, slots);
            time = add(time, mul(one, warps[h].count - (g == h)));
        }
        most = max(most, time);
    }
    return most;
}

static void add_row(struct block *block, uint64_t row, uint64_t often) {
    block->sib = add(block->sib, mul(row_time(block, row, false), often));
    block->fib = add(block->fib, mul(row_time(block, row, true), often));
    for (uint64_t g = 0; g < block->warps.count; g++) {
        const struct warps *warps = &block->warps.items[g];
        const uint64_t one = mul(section_of(block, row, warps->path)->initiations, warps->count);
        block->initiations = add(block->initiations, mul(one, often));
    }
}

/* ---- Latencies of the whole block: lam of docs/proofs.md, section 8 --------------------------------------
 */

enum { LAST, LATEST, LATENCY_TIMES }; /* of a path, then its registers */

static void meet_latency(struct walk *walk, uint64_t number) {
    const struct inst *inst = &walk->block->insts.items[number];
    uint64_t *times = walk->times, *registers = times + LATENCY_TIMES;
    times[LAST] = operands_there(walk->block, inst, registers, times[LAST]);
    const uint64_t result = add(times[LAST], inst->latency);
    result_there(walk->block, inst, registers, result);
    times[LATEST] = max(times[LATEST], result);
}

/* A release, then a row. Before the first row there is one, too, which is taken off at the end. */
static void meet_row(struct walk *walk, uint64_t row) {
    const struct block *block = walk->block;
    const uint64_t count = LATENCY_TIMES + block->registers;
    uint64_t last = 0;
    for (uint64_t p = 0; p < block->paths; p++)
        last = max(last, walk->times[p * count + LAST]);
    last = add(last, machine.release);
    for (uint64_t p = 0; p < block->paths; p++) {
        const program *steps = &section_of(block, row, p)->steps;
        struct walk own = {block, steps, meet_latency, walk->times + p * count, count};
        own.times[LAST] = last;
        own.times[LATEST] = max(own.times[LATEST], last);
        play(&own, 0, steps->count);
    }
}

static void compute_block(struct block *block) {
    uint64_t rows = 0;
    if (block->computed) return;
    block->computed = true;
    for (uint64_t s = 0; s < block->sections.count; s++) {
        walk_alone(block, &block->sections.items[s]);
        count_section(block, &block->sections.items[s]);
    }
    for (uint64_t s = 0; s < block->rows.count; s++) {
        const struct step *step = &block->rows.items[s];
        for (uint64_t i = 0; i < step->count; i++)
            add_row(block, step->first + i, step->often);
        rows = add(rows, mul(step->count, step->often));
    }
    const uint64_t count = LATENCY_TIMES + block->registers;
    struct walk walk = {block, &block->rows, meet_row, zeroed(block->paths * count, sizeof(uint64_t)),
                        block->paths * count};
    play(&walk, 0, block->rows.count);
    for (uint64_t p = 0; p < block->paths; p++)
        block->latency = max(block->latency, walk.times[p * count + LATEST]);
    free(walk.times);
    block->latency -= rows == 0 ? 0 : machine.release;
    const uint64_t releases = mul(machine.release, rows == 0 ? 0 : rows - 1);
    block->sib = add(block->sib, releases);
    block->fib = add(block->fib, releases);
}

/* ---- Kernels: k-sm and k-area (docs/proofs.md, section 12) ---------------------------------------- */

struct class {
    const struct block *block;
    uint64_t blocks;
    uint64_t latency; /* lam */
    uint64_t alpha;
    uint64_t ranked[3]; /* by enum rank: E, the larger of E and alpha, solo */
};

static struct {
    uint64_t sms, least, most; /* blocks that an SM holds at a time, from .. to */
    uint64_t delay, service;   /* of the dispatcher */
    LIST(struct class) classes;
    uint64_t blocks, slots, room;             /* slots of all SMs; room: blocks that an SM holds */
    uint64_t initiations, latencies, latency; /* of all blocks; of any */
} grid;

enum rank { INITIATIONS, RESIDENT, ALONE };

/* The sum over the n blocks that have most. */
static uint64_t top(enum rank rank, uint64_t n) {
    uint64_t sum = 0, below = UINT64_MAX;
    while (n > 0) {
        uint64_t value = 0, blocks = 0;
        for (uint64_t k = 0; k < grid.classes.count; k++) {
            const uint64_t one = grid.classes.items[k].ranked[rank];
            if (one >= below || one < value) continue;
            blocks = one > value ? 0 : blocks;
            value = one;
            blocks = add(blocks, grid.classes.items[k].blocks);
        }
        if (value == 0) break;
        sum = add(sum, mul(value, min(n, blocks)));
        n -= min(n, blocks);
        below = value;
    }
    return sum;
}

/* S_n: n blocks that start together. */
static uint64_t together(uint64_t n) {
    uint64_t most = 0;
    n = min(n, grid.blocks);
    for (uint64_t k = 0; k < grid.classes.count; k++) {
        const struct class *class = &grid.classes.items[k];
        const uint64_t others =
            n < 2 ? 0 : min(top(INITIATIONS, n - 1), top(INITIATIONS, n) - class->ranked[INITIATIONS]);
        most = max(most, n == 1 ? class->ranked[ALONE] : add(class->alpha, others));
    }
    return n == 0 ? 0 : most;
}

static uint64_t rounded_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

/* W(n, f): n blocks of an SM, f of them one behind the other in a slot. */
static uint64_t slot_time(uint64_t n, uint64_t f) {
    return min(add(top(INITIATIONS, n), mul(f, grid.latency)),
               add(top(grid.room == 1 ? ALONE : RESIDENT, f), top(INITIATIONS, n - f)));
}

/* h(n): an SM that gets n blocks. */
static uint64_t sm_time(uint64_t n) {
    const uint64_t waves = rounded_up(n, grid.room);
    if (waves <= 1) return together(n);
    const uint64_t time = grid.room == 1 ? slot_time(n, n) : add(slot_time(n, waves - 1), grid.latency);
    return add(time, mul(waves - 1, grid.delay));
}

static uint64_t most_of_an_sm(void) {
    return grid.blocks > grid.slots ? grid.blocks - (grid.sms - 1) * grid.room
                                    : rounded_up(grid.blocks, grid.sms);
}

static uint64_t k_sm(void) {
    return sm_time(most_of_an_sm());
}

static uint64_t k_area(void) {
    if (grid.blocks <= grid.slots) return k_sm();
    const uint64_t all = top(INITIATIONS, grid.room), start = together(grid.room);
    const uint64_t tail = min(all, start - min(start, grid.latency));
    const uint64_t delays = mul(grid.blocks - grid.slots, grid.delay);
    const uint64_t area = add(grid.initiations, mul(grid.sms - 1, tail));
    uint64_t latencies = add(add(grid.latencies, delays), mul(area % grid.sms, grid.room));
    latencies = add(latencies, mul(grid.slots - 1, add(grid.latency, grid.delay)));
    const uint64_t time = add(area / grid.sms, latencies / grid.slots);
    if (grid.room != 1) return time;
    const uint64_t last = add(top(ALONE, 1), grid.delay);
    return min(time, add(add(top(ALONE, grid.blocks), delays), mul(grid.sms - 1, last)) / grid.sms);
}

static void compute_grid(uint64_t room) {
    grid.room = room;
    grid.slots = mul(grid.sms, room);
    grid.blocks = grid.initiations = grid.latencies = grid.latency = 0;
    for (uint64_t k = 0; k < grid.classes.count; k++) {
        struct class *class = &grid.classes.items[k];
        const struct block *block = class->block;
        class->ranked[INITIATIONS] = block->initiations;
        class->latency = block->latency;
        class->alpha = class->ranked[ALONE] = add(block->initiations, block->latency);
        if (machine.depth == 0 || machine.depth == UNLIMITED) class->alpha = min(class->alpha, block->sib);
        if (machine.depth <= 1 || machine.depth == UNLIMITED)
            class->ranked[ALONE] = min(class->ranked[ALONE], min(block->sib, block->fib));
        class->ranked[RESIDENT] = max(class->alpha, class->ranked[INITIATIONS]);
        grid.blocks = add(grid.blocks, class->blocks);
        grid.initiations = add(grid.initiations, mul(class->blocks, class->ranked[INITIATIONS]));
        grid.latencies = add(grid.latencies, mul(class->blocks, class->latency));
        grid.latency = max(grid.latency, class->latency);
    }
}

/* ---- Reading ----------------------------------------------------------------------------------------------
 */

static FILE *file;
static char *line, *rest;
static size_t line_room;
static LIST(struct block *) blocks;
static struct block *block; /* being read, or NULL */
static uint64_t claims, failed;

static const char *word_or_none(void) {
    return strtok_r(NULL, " ", &rest);
}

static const char *word(const char *what) {
    const char *found = word_or_none();
    if (found == NULL) refuse("expected %s", what);
    return found;
}

static uint64_t number_of(const char *text, const char *what, uint64_t most) {
    uint64_t value = 0;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c < '0' || *c > '9') refuse("expected %s, not '%s'", what, text);
        value = 10 * value + (uint64_t)(*c - '0');
        if (value > most) refuse("%s: %s is more than %" PRIu64, what, text, most);
    }
    return value;
}

static uint64_t number(const char *what, uint64_t most) {
    return number_of(word(what), what, most);
}

/* Of the numbers below `count`. */
static uint64_t one_of(const char *text, const char *what, uint64_t count) {
    if (count == 0) refuse("no %s", what);
    return number_of(text, what, count - 1);
}

static void read_machine(void) {
    const char *depth = word("a depth");
    machine.depth = strcmp(depth, "unlimited") == 0 ? UNLIMITED : number_of(depth, "a depth", 1 << 20);
    machine.sub_cores = number("a number of sub-cores", 1024);
    machine.release = number("cycles", UINT32_MAX);
    if (machine.sub_cores == 0) refuse("no sub-cores");
}

static void read_unit(void) {
    const char *whose = word("own or shared");
    if (machine.units == UNITS_MAX) refuse("more than %d units", UNITS_MAX);
    machine.shared[machine.units] = strcmp(whose, "shared") == 0;
    if (!machine.shared[machine.units++] && strcmp(whose, "own") != 0) refuse("expected own or shared");
    (void)word("a name");
}

static void read_block(void) {
    block = zeroed(1, sizeof *block);
    snprintf(block->name, sizeof block->name, "%s", word("a name"));
    block->registers = number("a number of registers", 1 << 20);
    PUSH(&blocks, block);
}

static void read_queue(void) {
    const uint64_t q = number("a queue", QUEUES_MAX - 1);
    block->queues[q].first = number("a register", block->registers);
    block->queues[q].count = number("a number of registers", block->registers - block->queues[q].first);
}

/* inst UNIT INIT LATENCY [SOURCE ...] > [DESTINATION ...] [joins QUEUE] [commits QUEUE] */
static void read_inst(void) {
    const char *unit = word("a unit"), *found;
    struct inst inst = {.first = block->operands.count, .unit = NO_UNIT};
    if (strcmp(unit, "-") != 0) inst.unit = (uint32_t)one_of(unit, "units", machine.units);
    inst.init = number("an initiation", UINT32_MAX);
    inst.latency = number("a latency", UINT32_MAX);
    if ((inst.unit == NO_UNIT) != (inst.init == 0)) refuse("a unit takes one cycle at least, no unit none");
    uint64_t *operands = &inst.sources, *queues = NULL;
    while ((found = word_or_none()) != NULL) {
        if (strcmp(found, ">") == 0) {
            operands = &inst.destinations;
        } else if (strcmp(found, "joins") == 0 || strcmp(found, "commits") == 0) {
            queues = *found == 'j' ? &inst.joins : &inst.commits;
        } else if (queues != NULL) {
            *queues |= (uint64_t)1 << one_of(found, "queues", QUEUES_MAX);
        } else {
            PUSH(&block->operands, one_of(found, "registers", block->registers));
            ++*operands;
        }
    }
    if (inst.unit != NO_UNIT) block->largest[inst.unit] = max(block->largest[inst.unit], inst.init);
    PUSH(&block->insts, inst);
}

/* The program being read: of the last section, or behind it the rows. */
static program *steps_read(void) {
    if (block->sections.count == 0) refuse("no section");
    return block->paths > 0 ? &block->rows : &block->sections.items[block->sections.count - 1].steps;
}

static void read_section(void) {
    if (block->paths > 0) refuse("a section behind rows");
    PUSH(&block->sections, (struct section){0});
}

static void read_run(void) {
    if (block->paths > 0) refuse("a run behind rows");
    struct step step = {.first = one_of(word("an instruction"), "instructions", block->insts.count),
                        .often = 1};
    step.count = number("a number of instructions", block->insts.count - step.first);
    if (step.count == 0) refuse("no instructions");
    PUSH(steps_read(), step);
}

/* again STEPS TIMES: loops do not nest. */
static void read_again(void) {
    program *steps = steps_read();
    const struct step step = {.first = number("a number of steps", steps->count),
                              .times = number("times", TIME_MAX / 2)};
    for (uint64_t i = steps->count - step.first; i < steps->count; i++) {
        if (steps->items[i].count == 0) refuse("a loop in a loop");
        steps->items[i].often = step.times + 1;
    }
    PUSH(steps, step);
}

/* row SECTION ...: one for each path */
static void read_row(void) {
    uint64_t cells = 0;
    for (const char *found; (found = word_or_none()) != NULL; cells++)
        PUSH(&block->cells, one_of(found, "sections", block->sections.count));
    if (cells == 0 || (block->paths != 0 && cells != block->paths))
        refuse("a row has a section for every path");
    block->paths = cells;
    PUSH(&block->rows, ((struct step){block->cells.count / cells - 1, 1, 0, 1}));
}

static void read_warps(void) {
    const struct warps warps = {one_of(word("a path"), "paths", block->paths),
                                one_of(word("a sub-core"), "sub-cores", machine.sub_cores),
                                number("a number of warps", UINT32_MAX)};
    if (warps.count == 0) refuse("no warps");
    PUSH(&block->warps, warps);
}

/* grid SMS LEAST MOST DELAY SERVICE */
static void read_grid(void) {
    grid.sms = number("a number of SMs", UINT32_MAX);
    grid.least = number("a number of blocks", UINT32_MAX);
    grid.most = number("a number of blocks", UINT32_MAX);
    grid.delay = number("cycles", UINT32_MAX);
    grid.service = number("cycles", UINT32_MAX);
    if (grid.sms == 0 || grid.least == 0 || grid.most < grid.least || grid.most - grid.least > 4096)
        refuse("no SMs, or they hold no blocks");
    block = NULL;
}

/* class BLOCK COUNT: so many blocks of the grid are like that one of the file. */
static void read_class(void) {
    const uint64_t which = one_of(word("a block"), "blocks", blocks.count);
    compute_block(blocks.items[which]);
    const struct class class = {.block = blocks.items[which],
                                .blocks = number("a number of blocks", UINT32_MAX)};
    PUSH(&grid.classes, class);
}

static uint64_t computed_of_grid(const char *method) {
    uint64_t (*const formula)(void) = strcmp(method, "k-sm") == 0     ? k_sm
                                      : strcmp(method, "k-area") == 0 ? k_area
                                                                      : NULL;
    uint64_t most = 0;
    if (formula == NULL || grid.classes.count == 0) refuse("no claim of a kernel: %s", method);
    for (uint64_t room = grid.least; room <= grid.most; room++) {
        compute_grid(room);
        most = max(most, add(formula(), mul(grid.service, grid.blocks)));
    }
    return most;
}

static uint64_t computed_of_block(const char *method) {
    compute_block(block);
    if (strcmp(method, "elb") == 0) return add(block->initiations, block->latency);
    if (machine.depth > 1 && machine.depth != UNLIMITED) refuse("%s is not proven for this depth", method);
    if (strcmp(method, "sib") == 0) return block->sib;
    if (strcmp(method, "fib") != 0) refuse("no claim of a block: %s", method);
    return block->fib;
}

static void read_claim(void) {
    const char *method = word("a method");
    const uint64_t claim = number("a time", TIME_MAX);
    const uint64_t shown = block == NULL ? computed_of_grid(method) : computed_of_block(method);
    claims++;
    failed += shown > claim;
    printf("%s: %s: at most %" PRIu64 " cycles: ", block == NULL ? "kernel" : block->name, method, claim);
    if (shown > claim)
        printf("NOT PROVEN: what can be shown is %" PRIu64 "\n", shown);
    else
        printf(shown == claim ? "proven\n" : "proven, even %" PRIu64 "\n", shown);
}

static const struct {
    const char *key;
    void (*read)(void);
    bool of_block;
} keys[] = {{"machine", read_machine, false}, {"unit", read_unit, false},  {"block", read_block, false},
            {"queue", read_queue, true},      {"inst", read_inst, true},   {"section", read_section, true},
            {"run", read_run, true},          {"again", read_again, true}, {"row", read_row, true},
            {"warps", read_warps, true},      {"grid", read_grid, false},  {"class", read_class, false},
            {"claim", read_claim, false},     {NULL, NULL, false}};

static void read_line(const char *key) {
    size_t k = 0;
    while (keys[k].key != NULL && strcmp(keys[k].key, key) != 0)
        k++;
    if (keys[k].key == NULL) refuse("unknown: %s", key);
    if (keys[k].of_block && (block == NULL || block->computed))
        refuse("%s of no block, or behind its claims", key);
    if (blocks.count > 0 && (keys[k].read == read_machine || keys[k].read == read_unit))
        refuse("%s behind a block", key);
    keys[k].read();
    const char *more = word_or_none();
    if (more != NULL) refuse("more than was expected: %s", more);
}

/* Whether nothing of the file was changed since it was written: its last line is the sum of all others. */
static void check_sum(void) {
    char expected[32];
    uint64_t sum = FNV_START;
    bool ended = false;
    for (ssize_t length; !ended && (length = getline(&line, &line_room, file)) >= 0; line_number++) {
        if (strlen(line) != (size_t)length) refuse("a zero byte");
        (void)snprintf(expected, sizeof expected, "end %016" PRIx64 "\n", sum);
        ended = strcmp(line, expected) == 0;
        for (ssize_t i = 0; i < length; i++)
            sum = (sum ^ (unsigned char)line[i]) * FNV_PRIME;
    }
    if (ferror(file)) refuse("%s", strerror(errno));
    if (!ended || getline(&line, &line_room, file) >= 0)
        refuse("it was changed, or is not complete: the sum in its last line is not that of the others");
    rewind(file);
}

int main(int count, char **words) {
    file_name = count == 2 ? words[1] : "warpbound-check";
    if (count != 2) refuse("expected one certificate: warpbound-check FILE");
    file = fopen(file_name, "r");
    if (file == NULL) refuse("%s", strerror(errno));
    if (getline(&line, &line_room, file) < 0 || strcmp(line, "warpbound timing certificate 1\n") != 0)
        refuse("not a certificate of times, version 1");
    rewind(file);
    check_sum();
    for (line_number = 1; getline(&line, &line_room, file) >= 0; line_number++) {
        line[strcspn(line, "\n")] = '\0';
        const char *key = line_number == 1 ? NULL : strtok_r(line, " ", &rest);
        if (key != NULL && *key != '#' && strcmp(key, "from") != 0 && strcmp(key, "end") != 0) read_line(key);
    }
    if (claims == 0) refuse("nothing is claimed");
    return failed > 0;
}
