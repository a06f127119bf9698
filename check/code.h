/* Machine code (docs/machine-code-bounds.md): what code-elb and code-sib of a block have in common. */
#ifndef WARPBOUND_CHECK_CODE_H
#define WARPBOUND_CHECK_CODE_H

#include "check.h"

#define COUNTERS 8
#define NO_COUNTER COUNTERS
#define STAGES_MAX 8

struct stage {
    uint64_t unit, hold, transfer;
};

struct code {
    uint64_t stall, least, slot, fetch, operand;
    uint64_t behind; /* of a barrier: the fetch of what comes behind it */
    bool fixed, barrier;
    uint64_t writes, write, reads, read; /* counters, and when these count down */
    uint64_t waits, depbar, left;        /* counters that must be 0, and one that may be at most `left` */
    uint64_t stages;
    struct stage way[STAGES_MAX];
};

/* Sets of units, a bit each. */
static inline bool has(uint64_t set, uint64_t unit) {
    return set >> unit & 1;
}

/* What it holds of these units; of the cycles that E counts (code_elb.c); of what others of its sub-core may
 * wait for (code_sib.c). */
uint64_t holds(const struct code *code, uint64_t of_units);
uint64_t work_of(const struct code *code);
uint64_t charge_near(const struct code *code);

static inline uint64_t beyond(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

/* A warp on its way through a section: the context of a walk. */
struct passage {
    const struct code *last;   /* the instruction before, or NULL */
    uint64_t used;             /* units of all so far */
    uint64_t recent[COUNTERS]; /* counts that DEPBAR tells apart */
    uint64_t counts;           /* of the times the first that is of counters: when each of the last counts is
                                  undone, the last first, and all older ones */
};
struct passage passage_of(const struct block *of, uint64_t counts);
uint64_t times_of_counts(const struct passage *passage);

/* E3 and E4: when the counters let it go on, and what it counts up when its last stage is over at `end`. */
uint64_t counted(const struct walk *walk, const struct code *code);
void count_up(const struct walk *walk, const struct code *code, uint64_t end);

/* The sum of the times of all rows, and releases between them. `ends`: a barrier ends the row. */
struct amount;
typedef uint64_t (*row_time_function)(const struct block *of, const struct amount *amounts, uint64_t row,
                                      bool ends);
uint64_t sum_of_rows(const struct block *of, const struct amount *amounts, row_time_function row_time);

/* The number of a section in a row. */
static inline uint64_t cell(const struct block *of, uint64_t row, uint64_t path) {
    return of->cells.items[row * of->paths + path];
}

/* ---- Bounds of blocks that those of kernels are made of ---- */

uint64_t code_latency(const struct block *of); /* code_elb.c: lam, with the releases of barriers */
uint64_t code_elb(struct block *of);
uint64_t code_sib(struct block *of); /* code_sib.c */
uint64_t code_fib(struct block *of);

/* ---- Units: section 1 (code_units.c) ---- */

extern struct code_units {
    uint64_t blocking[UNITS_MAX]; /* B of each unit */
    uint64_t wide;                /* that all warps can reach */
    uint64_t clash;               /* clash units */
    uint64_t latches;             /* of instructions of fixed latency */
    uint64_t held;                /* that keep the issue stage from who finds a queue full */
} units;
void find_units(const struct block *of); /* of a kernel: those of all its blocks */
bool is_latch(const struct code *code);  /* issued into its unit, or not at all */
bool is_queued(const struct code *code); /* in a queue that can be full */

/* ---- Q: what a section leaves behind a release, section 4 (code_left.c) ---- */

uint64_t times_of_left(void);
/* `times` are those of Q. */
void meet_left(const struct passage *passage, uint64_t *times, const struct code *code);
uint64_t left_behind(const struct passage *passage, const uint64_t *times);

/* ---- Kernels (code_kernel.c) ---- */

/* Of each sub-core what warps of a block hold: work, E; near, H; and wide, of units that all warps can reach.
 */
enum { HELD_WORK, HELD_NEAR, HELD_WIDE, HELD };
uint64_t *held_by_sub_core(const struct block *of); /* to be freed */

void measure_code(struct class *class); /* E, lam, SIB, H, and what it takes alone */
void share_code(struct class *class);   /* code_chain.c: W, own and X */

#endif
