/* warpbound-check FILE: recomputes what a certificate of `warpbound analyze --certificate` claims, from the
 * certificate alone. It has no line in common with the library, and no way to be told what comes out.
 *
 * A certificate (docs/certificates.md) is a thread block, or a grid of such, as a bound saw it: instructions
 * with unit, initiation, latency and registers; sections between barriers, of runs of instructions and loops;
 * rows of sections, one a path, which the block goes through; warps, each with a path and a sub-core; and
 * perhaps when each instruction was issued in one execution. What is computed of them is in docs/proofs.md:
 * rules R1 to R7, sib, fib and aln in theorem 1, elb in 2, loops in 4, k-sm, k-area and k-bal in 5, 6 and 7.
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
#define NO_UNIT UNITS_MAX
#define QUEUES_MAX 8
#define UNLIMITED UINT64_MAX
#define TIME_MAX ((uint64_t)1 << 62)     /* no sum may be larger */
#define WORK_MAX ((uint64_t)20000000000) /* steps: minutes */
#define TABLE_MAX ((uint64_t)1 << 26)    /* entries of a list */

static const char *file_name;
static uint64_t line_number, work;

static _Noreturn void stop(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, line_number == 0 ? "%s: " : "%s:%" PRIu64 ": ", file_name, line_number);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(status);
}

#define refuse(...) stop(2, __VA_ARGS__)

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

static uint64_t rounded_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

static void count_work(uint64_t steps) {
    work += 1 + steps;
    if (work > WORK_MAX) refuse("takes too long");
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
#define PUSH(list, type, ...)                                                                                \
    do {                                                                                                     \
        (list)->items = grown((list)->items, (list)->count, &(list)->room, sizeof(type));                    \
        (list)->items[(list)->count++] = (type)__VA_ARGS__;                                                  \
    } while (0)

static void *grown(void *items, uint64_t count, uint64_t *room, size_t size) {
    if (count < *room) return items;
    *room = max(16, 2 * count);
    void *more = *room <= TABLE_MAX ? realloc(items, *room * size) : NULL;
    if (more == NULL) refuse("a list is too long");
    return more;
}

/* ---- What a certificate says ---- */

static struct {
    uint64_t depth, sub_cores, width, release;
    uint64_t units, instances[UNITS_MAX];
    bool shared[UNITS_MAX];
} machine = {.depth = UNLIMITED, .sub_cores = 1};

struct inst {
    uint64_t unit, init, latency;
    uint64_t first, sources, operands; /* registers, in block.operands: sources, and behind them results */
    uint64_t joins, commits;           /* bit q: of queue q */
};

/* A step of a program: `count` things from number `first` on; or, with count 0, the `first` steps before it
 * `times` more. Of a section the things are instructions, of a block rows of sections. */
struct step {
    uint64_t first, count, times;
    uint64_t often; /* in all */
};

typedef LIST(struct step) program;

/* ALN of a section and that of another warp. */
struct pair {
    uint64_t other, time;
    bool together; /* on one sub-core */
};

/* What a section of a warp amounts to. */
struct section {
    program steps;
    uint64_t alone;                               /* iso: it takes so long by itself */
    uint64_t count[UNITS_MAX], charge[UNITS_MAX]; /* instructions of each unit; what they charge others */
    uint64_t initiations;
    LIST(struct pair) pairs;
};

/* Warps of the same path and sub-core. */
struct warps {
    uint64_t path, sub_core, count;
};

/* When an instruction of a warp was issued and started, and what it took. */
struct execution {
    uint64_t issue, start, init, latency, line;
    uint64_t ready;                     /* when the warp could issue it, but for slots and units */
    uint64_t sub_core, unit, instances; /* units that sub-cores have for themselves are numbered apart */
};

struct block {
    uint64_t registers, queues, queue_first[QUEUES_MAX], queue_count[QUEUES_MAX];
    LIST(struct inst) insts;
    LIST(uint64_t) operands;
    LIST(struct section) sections;
    uint64_t paths;
    LIST(uint64_t) cells; /* rows: a section a path */
    program rows;
    LIST(struct warps) warps;
    LIST(struct execution) executions;       /* row by row, warp by warp, in program order */
    uint64_t largest[UNITS_MAX];             /* initiation of any instruction */
    bool computed;                           /* nothing more can be said of it */
    uint64_t sib, fib, initiations, latency; /* the releases of barriers are in these times */
};

/* ---- Times that loops make (theorem 4) ---- */

/* A warp, or a block, on the way through a program, with the times that it keeps. Each thing that it meets
 * makes of them maxima of them plus constants; so each time behind n repetitions of a loop is a convex
 * function of those before it, along any line. */
struct walk {
    const struct block *block;
    const program *steps;
    void (*meet)(struct walk *walk, uint64_t thing);
    uint64_t *times, time_count;
    bool every;          /* loops are walked repetition by repetition, */
    uint64_t sub_core;   /* by a warp there */
    struct other *other; /* a warp that delays this one */
};

static void play(struct walk *walk, uint64_t from, uint64_t to);

static void play_often(struct walk *walk, uint64_t from, uint64_t to, uint64_t often) {
    for (; often > 0; often--, count_work(0))
        play(walk, from, to);
}

/* Whether the times, `skipped` periods after c, can be had from the growth between b and c: they are no more
 * than this growth says at one more point of the line. */
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
    const uint64_t n = walk->time_count;
    uint64_t *a = zeroed(3 * n, sizeof *a), *b = a + n, *c = b + n, skipped = often / period - 1;
    bool even = true;
    memcpy(a, walk->times, n * sizeof *a);
    play_often(walk, from, to, period);
    memcpy(b, walk->times, n * sizeof *a);
    play_often(walk, from, to, period);
    memcpy(c, walk->times, n * sizeof *a);
    for (uint64_t i = 0; i < n && even; i++)
        even = a[i] <= b[i] && b[i] <= c[i] && c[i] - b[i] == b[i] - a[i];
    while (even && skipped > 0 && !jump(walk, from, to, period, skipped, b, c))
        skipped /= 2;
    free(a);
    return even && skipped > 0 ? period * (skipped + 1) : 0;
}

/* Walks the steps from .. to `often` times. */
static void repeat(struct walk *walk, uint64_t from, uint64_t to, uint64_t often) {
    static const uint64_t periods[] = {1, 2, 6, 12, 60, 420};
    for (size_t p = 0; p < sizeof periods / sizeof periods[0] && !walk->every;) {
        if (often / periods[p] < 4) break;
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
        count_work(step->count);
    }
}

/* ---- A warp by itself (iso of docs/proofs.md, section 1), beside another (align), in latencies (lam) ----
 */

/* The times of a warp; behind them registers, and each unit's end of initiation and last start. */
enum { NOW, COMPLETE, WARP_TIMES };

static uint64_t times_of(const struct block *block) {
    return WARP_TIMES + block->registers + 2 * machine.units;
}

/* When all is there that an instruction waits for. */
static uint64_t operands_there(const struct walk *walk, const struct inst *inst) {
    uint64_t since = walk->times[NOW];
    for (uint64_t i = inst->first; i < inst->first + inst->operands; i++)
        since = max(since, walk->times[WARP_TIMES + walk->block->operands.items[i]]);
    return since;
}

/* Its result is there. */
static void result_there(struct walk *walk, const struct inst *inst, uint64_t at) {
    const struct block *block = walk->block;
    uint64_t *registers = walk->times + WARP_TIMES;
    for (uint64_t i = inst->first + inst->sources; i < inst->first + inst->operands; i++)
        registers[block->operands.items[i]] = at;
    for (uint64_t q = 0; q < block->queues; q++) {
        uint64_t *queue = registers + block->queue_first[q], count = block->queue_count[q];
        if (inst->joins >> q & 1) queue[0] = max(queue[0], at);
        for (; (inst->commits >> q & 1) != 0 && count > 1; count--)
            queue[count - 1] = queue[count - 2];
    }
    walk->times[COMPLETE] = max(walk->times[COMPLETE], at);
}

/* The instructions of another warp, each to be consumed at some node of the path of the first, at m times
 * what it costs there. */
struct other {
    const struct block *block;
    LIST(uint64_t) insts;
    bool together; /* on one sub-core */
    uint64_t m;
    uint64_t *at; /* the time of the node at hand, by how many are consumed */
};

/* What an initiation is charged at: at depth 1 as the largest of its unit. */
static uint64_t charge_of(const struct block *block, const struct inst *inst) {
    return machine.depth == 1 ? block->largest[inst->unit] : inst->init;
}

/* Consumes at the issue of an instruction on a unit, or at its start. */
static void consume(const struct other *other, uint64_t unit, bool issue) {
    for (uint64_t j = 0; j < other->insts.count && unit != NO_UNIT; j++) {
        const struct inst *inst = &other->block->insts.items[other->insts.items[j]];
        uint64_t charge = issue && other->together && inst->unit != NO_UNIT;
        if (inst->unit == unit && (other->together || machine.shared[unit]) && !(issue && machine.depth > 1))
            charge = max(charge, charge_of(other->block, inst));
        other->at[j + 1] = max(other->at[j + 1], add(other->at[j], mul(other->m, charge)));
    }
}

/* An instruction of a section alone on the machine, but for the other warp: times are kept for each number of
 * its instructions that are consumed. */
static void meet_alone(struct walk *walk, uint64_t number) {
    const struct inst *inst = &walk->block->insts.items[number];
    const uint64_t count = times_of(walk->block), lanes = walk->other->insts.count + 1,
                   slot = inst->unit != NO_UNIT;
    const uint64_t unit = WARP_TIMES + walk->block->registers + 2 * (slot ? inst->unit : 0);
    uint64_t *at = walk->other->at;
    struct walk lane = *walk;
    for (uint64_t l = 0; l < lanes; l++, lane.times += count) {
        at[l] = operands_there(&lane, inst);
        if (slot && machine.depth <= 1) at[l] = max(at[l], lane.times[unit + machine.depth]);
    }
    consume(walk->other, inst->unit, true);
    lane.times = walk->times;
    for (uint64_t l = 0; l < lanes; l++, lane.times += count) {
        lane.times[NOW] = at[l] + slot;
        if (slot) at[l] = max(at[l], lane.times[unit]);
    }
    consume(walk->other, inst->unit, false);
    lane.times = walk->times;
    for (uint64_t l = 0; l < lanes; l++, lane.times += count) {
        if (slot) lane.times[unit] = add(at[l], inst->init), lane.times[unit + 1] = at[l];
        result_there(&lane, inst, add(add(at[l], inst->init), inst->latency));
    }
    count_work(lanes);
}

/* An instruction on the path that counts latencies only. */
static void meet_latency(struct walk *walk, uint64_t number) {
    const struct inst *inst = &walk->block->insts.items[number];
    walk->times[NOW] = operands_there(walk, inst);
    result_there(walk, inst, add(walk->times[NOW], inst->latency));
}

static struct section *section_of(const struct block *block, uint64_t row, uint64_t path) {
    return &block->sections.items[block->cells.items[row * block->paths + path]];
}

/* The release of a barrier: each of `count` warps, or paths, waits for all. */
static void release_all(struct walk *walk, uint64_t count, uint64_t time_count) {
    uint64_t at = 0;
    for (uint64_t w = 0; w < count; w++)
        at = max(at, walk->times[w * time_count + NOW]);
    at = add(at, machine.release);
    for (uint64_t w = 0; w < count; w++)
        walk->times[w * time_count + NOW] = at;
}

/* A release, and the row of sections behind it, on all paths. Of the release before the first row everything
 * is later by as much, which is taken off at the end. */
static void meet_row(struct walk *walk, uint64_t row) {
    const struct block *block = walk->block;
    const uint64_t count = times_of(block);
    release_all(walk, block->paths, count);
    for (uint64_t p = 0; p < block->paths; p++) {
        const program *steps = &section_of(block, row, p)->steps;
        struct walk own = {block, steps, meet_latency, walk->times + p * count, count, .every = false};
        play(&own, 0, steps->count);
    }
}

static void meet_other(struct walk *walk, uint64_t number) {
    PUSH(&walk->other->insts, uint64_t, (number));
}

/* The longest path through a section, with `second` (or NULL) consumed on the way. */
static uint64_t aligned(const struct block *block, const struct section *own, const struct section *second,
                        bool together, uint64_t m) {
    struct other other = {.block = block, .together = together, .m = m};
    struct walk walk = {block, NULL, meet_other, NULL, 0, true, 0, &other};
    if (second != NULL) walk.steps = &second->steps, play(&walk, 0, second->steps.count);
    const uint64_t count = times_of(block), lanes = other.insts.count + 1, all = mul(count, lanes);
    other.at = zeroed(lanes, sizeof *other.at);
    walk =
        (struct walk){block, &own->steps, meet_alone, zeroed(all, sizeof(uint64_t)), all, false, 0, &other};
    play(&walk, 0, own->steps.count);
    const uint64_t longest = walk.times[(lanes - 1) * count + COMPLETE];
    free(walk.times);
    free(other.at);
    free(other.insts.items);
    return longest;
}

static void compute_section(const struct block *block, struct section *section) {
    section->alone = aligned(block, section, NULL, false, 0);
    for (uint64_t s = 0; s < section->steps.count; s++) {
        const struct step *step = &section->steps.items[s];
        for (uint64_t i = step->first; i < step->first + step->count; i++) {
            const struct inst *inst = &block->insts.items[i];
            const uint64_t u = inst->unit;
            if (u == NO_UNIT) continue;
            section->count[u] = add(section->count[u], step->often);
            section->charge[u] = add(section->charge[u], mul(charge_of(block, inst), step->often));
            section->initiations = add(section->initiations, mul(inst->init, step->often));
        }
    }
}

/* ---- A block: sib, fib, aln (theorem 1) and elb (theorem 2) ---- */

enum { ELB, SIB, FIB, ALN, LOWER, K_SM, K_AREA, K_BAL, METHODS };
static const char *const methods[] = {"elb", "sib", "fib", "aln", "lower", "k-sm", "k-area", "k-bal"};

/* What another warp delays one: initiations on units that both reach, of fib issue slots where this one does
 * not use the unit. */
static uint64_t delay(const struct section *own, const struct section *other, bool together, bool slots) {
    uint64_t sum = 0;
    for (uint64_t u = 0; u < machine.units; u++) {
        if (slots && own->count[u] == 0)
            sum = add(sum, together ? other->count[u] : 0);
        else if (together || machine.shared[u])
            sum = add(sum, other->charge[u]);
    }
    return sum;
}

/* The same of aln, with the longest path of this one, for m other warps in all; computed once. */
static uint64_t pair_time(const struct block *block, struct section *own, uint64_t other, bool together,
                          uint64_t m) {
    for (uint64_t p = 0; p < own->pairs.count; p++)
        if (own->pairs.items[p].other == other && own->pairs.items[p].together == together)
            return own->pairs.items[p].time;
    const uint64_t time = aligned(block, own, &block->sections.items[other], together, m);
    PUSH(&own->pairs, struct pair, {other, time, together});
    return time;
}

/* The most that any warp takes in a row that has anything to wait for, and the release behind it. */
static uint64_t row_time(const struct block *block, uint64_t row, int method) {
    const struct warps *warps = block->warps.items;
    uint64_t most = 0, m = 0;
    for (uint64_t g = 0; g < block->warps.count; g++)
        m = add(m, warps[g].count);
    m = method == ALN && m > 1 ? m - 1 : 0;
    for (uint64_t g = 0; g < block->warps.count; g++) {
        struct section *own = section_of(block, row, warps[g].path);
        uint64_t time = m > 0 ? 0 : own->alone;
        for (uint64_t h = 0; h < block->warps.count; h++) {
            const bool together = warps[g].sub_core == warps[h].sub_core;
            const uint64_t number = block->cells.items[row * block->paths + warps[h].path];
            const uint64_t one = m > 0 ? pair_time(block, own, number, together, m)
                                       : delay(own, &block->sections.items[number], together, method == FIB);
            time = add(time, mul(one, warps[h].count - (g == h)));
        }
        if (own->alone > 0) most = max(most, m > 0 ? time / m : time);
    }
    return add(most, machine.release);
}

/* The sum over all rows; behind the last there is no release. */
static uint64_t block_time(const struct block *block, int method) {
    uint64_t sum = 0;
    for (uint64_t s = 0; s < block->rows.count; s++)
        for (uint64_t i = 0; i < block->rows.items[s].count; i++)
            sum = add(sum, mul(row_time(block, block->rows.items[s].first + i, method),
                               block->rows.items[s].often));
    return sum - (block->paths > 0 ? machine.release : 0);
}

static void add_initiations(struct block *block, uint64_t row, uint64_t often) {
    for (uint64_t g = 0; g < block->warps.count; g++) {
        const struct warps *warps = &block->warps.items[g];
        const uint64_t one = mul(section_of(block, row, warps->path)->initiations, warps->count);
        block->initiations = add(block->initiations, mul(one, often));
    }
}

static void compute_block(struct block *block) {
    const uint64_t count = times_of(block);
    if (block->computed) return;
    block->computed = true;
    for (uint64_t s = 0; s < block->sections.count; s++)
        compute_section(block, &block->sections.items[s]);
    for (uint64_t s = 0; s < block->rows.count; s++) {
        const struct step *step = &block->rows.items[s];
        for (uint64_t i = 0; i < step->count; i++)
            add_initiations(block, step->first + i, step->often);
    }
    struct walk walk = {block,
                        &block->rows,
                        meet_row,
                        zeroed(mul(block->paths, count), sizeof(uint64_t)),
                        mul(block->paths, count),
                        .every = false};
    play(&walk, 0, block->rows.count);
    for (uint64_t p = 0; p < block->paths; p++)
        block->latency =
            max(block->latency, max(walk.times[p * count + NOW], walk.times[p * count + COMPLETE]));
    free(walk.times);
    block->latency -= block->paths > 0 ? machine.release : 0; /* that before the first row */
    block->sib = block_time(block, SIB);
    block->fib = block_time(block, FIB);
}

/* ---- An execution of a block: rules R1 to R7 ---- */

static uint64_t executed; /* of block->executions, so far */

static void hold(bool kept, const char *rule, const struct execution *x) {
    line_number = kept ? line_number : x->line;
    if (!kept) stop(1, "NOT PROVEN: this is no execution, as it breaks %s", rule);
}

/* R1, R2 and R7 for the next instruction of a warp. One without a unit is executed as soon as these allow. */
static void meet_execution(struct walk *walk, uint64_t number) {
    const struct inst *inst = &walk->block->insts.items[number];
    const uint64_t ready = operands_there(walk, inst), u = inst->unit;
    uint64_t done = add(ready, inst->latency);
    walk->times[NOW] = ready;
    if (u != NO_UNIT) {
        if (executed == walk->block->executions.count) refuse("not all instructions are executed");
        struct execution *one = &walk->block->executions.items[executed++];
        hold(one->init > 0 && one->init <= inst->init, "the stated initiation", one);
        hold(one->latency <= inst->latency, "the stated latency", one);
        hold(one->issue >= ready, "R1, R2 or R7", one);
        hold(one->start >= one->issue, "R3 (it starts before its issue)", one);
        one->ready = ready;
        one->sub_core = walk->sub_core;
        one->unit = add(mul(u, machine.sub_cores), machine.shared[u] ? 0 : walk->sub_core);
        one->instances = machine.instances[u];
        done = add(add(one->start, one->init), one->latency);
        walk->times[NOW] = one->issue + 1;
    }
    result_there(walk, inst, done);
}

/* A row of sections, of all warps, and the release before it. */
static void meet_executed_row(struct walk *walk, uint64_t row) {
    const struct block *block = walk->block;
    const uint64_t count = times_of(block);
    uint64_t *times = walk->times, *is_behind = times + walk->time_count - 1;
    if (*is_behind) release_all(walk, (walk->time_count - 1) / count, count);
    *is_behind = 1;
    for (uint64_t g = 0; g < block->warps.count; g++) {
        const struct warps *warps = &block->warps.items[g];
        const program *steps = &section_of(block, row, warps->path)->steps;
        for (uint64_t w = 0; w < warps->count; w++, times += count) {
            struct walk own = {block, steps, meet_execution, times, count, true, warps->sub_core, NULL};
            play(&own, 0, steps->count);
        }
    }
}

/* By unit, and by the cycle of issue. */
static int in_order(const void *a, const void *b) {
    const struct execution *x = a, *y = b;
    if (x->unit != y->unit) return x->unit < y->unit ? -1 : 1;
    if (x->issue != y->issue) return x->issue < y->issue ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* R3 to R6, cycle by cycle, until all units are free in cycle `end`. */
static void check_cycles(const struct execution *all, uint64_t count, uint64_t end) {
    const uint64_t units = mul(machine.units, machine.sub_cores);
    const uint64_t rows = mul(add(mul(2, units), machine.sub_cores), end);
    uint32_t *starting = zeroed(rows, sizeof *starting), *waiting = starting + units * end;
    uint32_t *issued = waiting + units * end;
    for (uint64_t i = 0; i < count; i++) {
        const struct execution *x = &all[i];
        const bool first = i == 0 || x[-1].unit != x->unit;
        hold(first || x[-1].start <= x->start, "R3 (first in, first out)", x);
        hold(++issued[x->sub_core * end + x->issue] <= machine.width, "R5", x);
        for (uint64_t t = x->issue; t < x->start; t++)
            hold(++waiting[x->unit * end + t] <= machine.depth, "R4", x);
        for (uint64_t t = x->start; t < x->start + x->init; t++)
            hold(++starting[x->unit * end + t] <= x->instances, "R3 (instances)", x);
        count_work(x->start + x->init - x->ready);
    }
    for (uint64_t i = 0; i < count; i++) {
        const struct execution *x = &all[i];
        const uint32_t *busy = starting + x->unit * end, *queue = waiting + x->unit * end;
        for (uint64_t t = x->issue; t < x->start; t++)
            hold(busy[t] == x->instances, "R3 (it waits for a unit that is free)", x);
        for (uint64_t t = x->ready; t < x->issue; t++)
            hold(issued[x->sub_core * end + t] == machine.width ||
                     (busy[t] == x->instances && queue[t] == machine.depth),
                 "R6", x);
    }
    free(starting);
}

/* How long the execution takes. */
static uint64_t execution_time(struct block *block) {
    uint64_t warps = 0, end = 0, longest = 0;
    for (uint64_t g = 0; g < block->warps.count; g++)
        warps = add(warps, block->warps.items[g].count);
    const uint64_t count = times_of(block), all = mul(warps, count) + 1;
    struct walk walk = {block, &block->rows, meet_executed_row, zeroed(all, sizeof(uint64_t)),
                        all,   .every = true};
    executed = 0;
    play(&walk, 0, block->rows.count);
    if (executed < block->executions.count) refuse("more is executed than there is");
    for (uint64_t w = 0; w < warps; w++)
        longest = max(longest, walk.times[w * count + COMPLETE]);
    free(walk.times);
    for (uint64_t i = 0; i < executed; i++)
        end = max(end, block->executions.items[i].start + block->executions.items[i].init);
    if (executed > 0) qsort(block->executions.items, executed, sizeof(struct execution), in_order);
    check_cycles(block->executions.items, executed, end);
    return longest;
}

/* ---- Kernels: k-sm, k-area and k-bal (docs/proofs.md, section 12) ---- */

enum rank { INITIATIONS, RESIDENT, ALONE };

/* Blocks that are alike. */
struct class {
    uint64_t block, blocks;
    uint64_t latency; /* lam */
    uint64_t alpha;
    uint64_t ranked[3]; /* by enum rank: E, the larger of E and alpha, solo */
};

static LIST(struct block) blocks;

static struct {
    uint64_t sms, least, most, delay, service; /* an SM holds `least` to `most` blocks at a time */
    LIST(struct class) classes;
    uint64_t blocks, slots, room;             /* slots of all SMs; room: blocks that an SM holds */
    uint64_t initiations, latencies, latency; /* of all blocks; of any */
    bool claimed;                             /* it has no more classes */
} grid;

/* The sum over the n blocks that have most. */
static uint64_t top(enum rank rank, uint64_t n) {
    uint64_t sum = 0, below = UINT64_MAX, value = UINT64_MAX;
    for (; n > 0 && value > 0; below = value) {
        uint64_t alike = 0;
        value = 0;
        for (uint64_t k = 0; k < grid.classes.count; k++) {
            const uint64_t one = grid.classes.items[k].ranked[rank];
            if (one >= below || one < value) continue;
            alike = add(one > value ? 0 : alike, grid.classes.items[k].blocks);
            value = one;
        }
        sum = add(sum, mul(value, min(n, alike)));
        n -= min(n, alike);
    }
    return sum;
}

/* S_n: n blocks that start together. */
static uint64_t together(uint64_t n) {
    uint64_t most = 0;
    n = min(n, grid.blocks);
    for (uint64_t k = 0; k < grid.classes.count && n > 1; k++) {
        const struct class *class = &grid.classes.items[k];
        const uint64_t own = class->ranked[INITIATIONS];
        most = max(most, add(class->alpha, min(top(INITIATIONS, n - 1), top(INITIATIONS, n) - own)));
    }
    return n > 1 ? most : top(ALONE, n);
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

/* The SM that ends last gets n blocks: h(n), or what the others take, one of which gets few, and then S_R. */
static uint64_t balanced(uint64_t n) {
    const uint64_t q = (grid.blocks - n) / (grid.sms - 1), f = q / grid.room;
    return min(sm_time(n), add(add(slot_time(q, f), mul(f, grid.delay)), together(grid.room)));
}

static uint64_t k_bal(void) {
    if (grid.blocks <= grid.slots || grid.sms == 1) return k_sm();
    uint64_t low = grid.room, high = most_of_an_sm();
    while (low < high) { /* to the least n at which h(n) is not the lesser */
        const uint64_t n = low + (high - low) / 2;
        if (balanced(n) < sm_time(n))
            high = n;
        else
            low = n + 1;
    }
    return max(balanced(high), high > grid.room ? balanced(high - 1) : 0);
}

static void compute_grid(uint64_t room) {
    grid.room = room;
    grid.slots = mul(grid.sms, room);
    grid.blocks = grid.initiations = grid.latencies = grid.latency = 0;
    count_work(grid.classes.count);
    for (uint64_t k = 0; k < grid.classes.count; k++) {
        struct class *class = &grid.classes.items[k];
        struct block *block = &blocks.items[class->block];
        compute_block(block);
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

/* ---- Reading ---- */

static struct block *block; /* being read, or NULL */
static uint64_t claims, failed;

static uint64_t computed_of_grid(uint64_t method) {
    uint64_t (*const formula)(void) = method == K_SM ? k_sm : method == K_AREA ? k_area : k_bal;
    uint64_t most = 0;
    if (method < K_SM || grid.classes.count == 0) refuse("no claim of a kernel: %s", methods[method]);
    for (uint64_t room = grid.least; room <= grid.most; room++) {
        compute_grid(room);
        most = max(most, add(formula(), mul(grid.service, grid.blocks)));
    }
    return most;
}

static uint64_t computed_of_block(uint64_t method) {
    const bool known = machine.depth <= 1 || machine.depth == UNLIMITED || method == ELB || method == LOWER;
    if (method >= K_SM || !known) refuse("no claim of this block: %s", methods[method]);
    compute_block(block);
    if (method == LOWER) return execution_time(block);
    if (method == ELB) return add(block->initiations, block->latency);
    if (method == ALN) return block_time(block, ALN);
    return method == SIB ? block->sib : block->fib;
}

static void check_claim(uint64_t method, uint64_t claim) {
    const uint64_t shown = block == NULL ? computed_of_grid(method) : computed_of_block(method);
    const bool proven = method == LOWER ? shown >= claim : shown <= claim;
    grid.claimed = block == NULL;
    printf("%s: %s: at %s %" PRIu64 " cycles: ", block == NULL ? "kernel" : "block", methods[method],
           method == LOWER ? "least" : "most", claim);
    if (!proven) printf("NOT PROVEN: what can be shown is %" PRIu64 "\n", shown);
    if (proven) printf(shown == claim ? "proven\n" : "proven, even %" PRIu64 "\n", shown);
    claims++;
    failed += !proven;
}

/* Lines are a key and numbers, each of the kind of its letter (limit_of), the last as often as may be where a
 * * follows. Those from `queue` to `at` are of the last block, before what is claimed of it. */
enum { MACHINE, UNIT, BLOCK, QUEUE, INST, SECTION, RUN, AGAIN, ROW, WARPS, AT, GRID, CLASS, CLAIM, KEYS };

static const char *const keys[KEYS][2] = {
    {"machine", "dnnt"},  /* depth, sub-cores, issue width, release of barriers */
    {"unit", "fn"},       /* whether sub-cores share it, instances */
    {"block", "t"},       /* registers */
    {"queue", "rn"},      /* first register, count */
    {"inst", "uttqqtr*"}, /* unit, initiation, latency, joins, commits, sources, registers: first the sources
                           */
    {"section", ""},      {"run", "in"}, /* first instruction, count: of the last section */
    {"again", "tt"},                     /* steps, times: of the last section, or behind rows of these */
    {"row", "ss*"},                      /* the section of each path */
    {"warps", "pcn"},                    /* path, sub-core, count */
    {"at", "tttt"},    /* issue, start, initiation, latency: of the next instruction that a warp issues */
    {"grid", "nnntt"}, /* SMs, blocks that one holds at a time, from .. to, dispatch latency, service */
    {"class", "bn"},   /* block, how many blocks are like it */
    {"claim", "mt"},   /* method, cycles */
};

/* Numbers of a kind are below this. */
static uint64_t limit_of(char kind) {
    switch (kind) {
    case 'b': return blocks.count;
    case 'c': return machine.sub_cores;
    case 'f': return 2;
    case 'i': return block->insts.count;
    case 'p': return block->paths;
    case 'q': return (uint64_t)1 << block->queues;
    case 'r': return block->registers;
    case 's': return block->sections.count;
    case 'u': return machine.units;
    default: return TIME_MAX;
    }
}

static uint64_t number_of(const char *word, char kind) {
    uint64_t value = 0;
    if (kind == 'u' && strcmp(word, "-") == 0) return NO_UNIT;
    if (kind == 'd' && strcmp(word, "unlimited") == 0) return UNLIMITED;
    for (uint64_t m = 0; kind == 'm'; m++) {
        if (m == METHODS) refuse("no method: %s", word);
        if (strcmp(word, methods[m]) == 0) return m;
    }
    for (const char *c = word; *c != '\0'; c++) {
        if (*c < '0' || *c > '9') refuse("not a number: %s", word);
        value = add(mul(10, value), (uint64_t)(*c - '0'));
    }
    if (value >= limit_of(kind)) refuse("%s is not below %" PRIu64, word, limit_of(kind));
    if (value == 0 && kind == 'n') refuse("1 is the least");
    return value;
}

/* What a register of a queue says is what joined it. */
static bool is_queued(uint64_t first, uint64_t count) {
    bool queued = false;
    for (uint64_t q = 0; q < block->queues; q++)
        queued = queued || (first < block->queue_first[q] + block->queue_count[q] &&
                            block->queue_first[q] < first + count);
    return queued;
}

static void read_queue(uint64_t first, uint64_t count) {
    if (block->insts.count > 0) refuse("a queue behind instructions");
    if (block->queues == QUEUES_MAX) refuse("more than %d queues", QUEUES_MAX);
    if (count > block->registers - first) refuse("more than there are registers");
    if (is_queued(first, count)) refuse("a register is of one queue");
    block->queue_first[block->queues] = first;
    block->queue_count[block->queues++] = count;
}

static void read_inst(const uint64_t *n, uint64_t count) {
    const struct inst inst = {n[0], n[1], n[2], block->operands.count, n[5], count - 6, n[3], n[4]};
    if ((inst.unit == NO_UNIT) != (inst.init == 0)) refuse("a unit takes one cycle at least, no unit none");
    if (inst.sources > inst.operands) refuse("more sources than registers");
    for (uint64_t i = 6; i < count; i++) {
        if (i >= 6 + inst.sources && is_queued(n[i], 1)) refuse("%" PRIu64 " is of a queue", n[i]);
        PUSH(&block->operands, uint64_t, (n[i]));
    }
    if (inst.unit != NO_UNIT) block->largest[inst.unit] = max(block->largest[inst.unit], inst.init);
    PUSH(&block->insts, struct inst, (inst));
}

/* A step of the rows, or, if there are none yet, of the last section. Loops do not nest. */
static void read_step(const struct step *step, bool of_rows) {
    if (block->sections.count == 0) refuse("no section");
    program *of_section = &block->sections.items[block->sections.count - 1].steps;
    program *steps = block->paths > 0 ? &block->rows : of_section;
    if (of_rows != (block->paths > 0) && step->count > 0) refuse("a run behind rows");
    if (step->count == 0 && step->first > steps->count) refuse("more than there are steps");
    for (uint64_t i = steps->count - step->first; step->count == 0 && i < steps->count; i++) {
        if (steps->items[i].count == 0) refuse("a loop in a loop");
        steps->items[i].often = add(step->times, 1);
    }
    PUSH(steps, struct step, (*step));
}

static void read_row(const uint64_t *n, uint64_t count) {
    if (block->paths != 0 && count != block->paths) refuse("a row has a section for every path");
    block->paths = count;
    for (uint64_t i = 0; i < count; i++)
        PUSH(&block->cells, uint64_t, (n[i]));
    read_step(&(struct step){block->cells.count / count - 1, 1, 0, 1}, true);
}

static void read_numbers(size_t key, const uint64_t *n, uint64_t count) {
    switch (key) {
    case MACHINE:
        machine.depth = n[0], machine.sub_cores = n[1], machine.width = n[2], machine.release = n[3];
        break;
    case UNIT:
        if (machine.units == UNITS_MAX) refuse("more than %d units", UNITS_MAX);
        machine.shared[machine.units] = n[0] != 0;
        machine.instances[machine.units++] = n[1];
        break;
    case BLOCK:
        PUSH(&blocks, struct block, {.registers = n[0]});
        block = &blocks.items[blocks.count - 1];
        break;
    case QUEUE: read_queue(n[0], n[1]); break;
    case INST: read_inst(n, count); break;
    case SECTION:
        if (block->paths > 0) refuse("a section behind rows");
        PUSH(&block->sections, struct section, {.alone = 0});
        break;
    case RUN:
        if (n[1] > block->insts.count - n[0]) refuse("more than there are instructions");
        read_step(&(struct step){n[0], n[1], 0, 1}, false);
        break;
    case AGAIN: read_step(&(struct step){n[0], 0, n[1], 1}, false); break;
    case ROW: read_row(n, count); break;
    case WARPS: PUSH(&block->warps, struct warps, {n[0], n[1], n[2]}); break;
    case AT: PUSH(&block->executions, struct execution, {n[0], n[1], n[2], n[3], .line = line_number}); break;
    case GRID:
        block = NULL;
        grid.sms = n[0], grid.least = n[1], grid.most = n[2], grid.delay = n[3], grid.service = n[4];
        if (grid.least > grid.most) refuse("no number of blocks is from %" PRIu64 " to %" PRIu64, n[1], n[2]);
        break;
    case CLASS: PUSH(&grid.classes, struct class, {.block = n[0], .blocks = n[1]}); break;
    default: check_claim(n[0], n[1]);
    }
}

static void read_line(char *text) {
    static LIST(uint64_t) numbers;
    char *rest;
    const char *name = strtok_r(text, " ", &rest), *word;
    size_t k = 0;
    if (name == NULL) return;
    while (k < KEYS && strcmp(keys[k][0], name) != 0)
        k++;
    if (strcmp(name, "end") == 0) refuse("it was changed: this is not the sum of what stands above");
    if (k == KEYS) refuse("unknown: %s", name);
    if (k >= QUEUE && k <= AT && (block == NULL || block->computed))
        refuse("%s of no block, or too late", name);
    if (k <= UNIT && blocks.count > 0) refuse("%s behind a block", name);
    if ((k == MACHINE) == (machine.width > 0)) refuse("%s: the machine comes first, and once", name);
    if ((k == BLOCK || k == GRID) && grid.sms > 0) refuse("%s behind the grid", name);
    if (k == CLASS && (grid.sms == 0 || grid.claimed)) refuse("class of no grid, or too late");
    const char *kind = keys[k][1];
    for (numbers.count = 0; (word = strtok_r(NULL, " ", &rest)) != NULL;
         kind += *kind != '\0' && kind[1] != '*') {
        if (*kind == '\0') refuse("more than was expected: %s", word);
        PUSH(&numbers, uint64_t, (number_of(word, *kind)));
    }
    if (*kind != '\0' && kind[1] != '*') refuse("%s: less than was expected", name);
    read_numbers(k, numbers.items, numbers.count);
}

int main(int count, char **words) {
    static char *line;
    char end[32] = "";
    size_t room = 0;
    uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    bool ended = false;
    file_name = count == 2 ? words[1] : "warpbound-check";
    if (count != 2) refuse("expected one certificate: warpbound-check FILE");
    FILE *file = fopen(file_name, "r");
    if (file == NULL) refuse("%s", strerror(errno));
    for (ssize_t length; (length = getline(&line, &room, file)) >= 0;) {
        const bool is_title = strcmp(line, "warpbound timing certificate 2\n") == 0;
        if (ended || strlen(line) != (size_t)length) refuse("more behind the end, or a zero byte");
        if (line_number++ == 0 && !is_title) refuse("not a certificate of times, version 2");
        (void)snprintf(end, sizeof end, "end %016" PRIx64 "\n", sum);
        ended = strcmp(line, end) == 0;
        for (ssize_t i = 0; i < length; i++)
            sum = (sum ^ (unsigned char)line[i]) * UINT64_C(0x100000001b3);
        line[strcspn(line, "#\n")] = '\0';
        if (!is_title && !ended) read_line(line);
    }
    if (!ended) refuse("it is not complete: its last line is not the sum of all others");
    if (claims == 0) refuse("nothing is claimed");
    return failed > 0;
}
