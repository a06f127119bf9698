/* Machine code (docs/machine-code-bounds.md): instructions, units, and what sections amount to. */
#ifndef WARPBOUND_CHECK_CODE_H
#define WARPBOUND_CHECK_CODE_H

#include "check.h"

#define COUNTERS 8
#define NO_COUNTER COUNTERS
#define STAGES_MAX 8

struct stage {
    uint64_t unit, hold, transfer;
};

/* In the order of a line. */
struct code {
    uint64_t stall, least, slot, fetch, operand;
    uint64_t behind; /* of a barrier: the fetch of what comes behind it */
    bool fixed, barrier;
    uint64_t writes, write, reads, read; /* counters, and when these count down */
    uint64_t waits, depbar, left;        /* counters that must be 0, and one that may be at most `left` */
    uint64_t address;                    /* in the kernel, or UNLIMITED: not said */
    uint64_t stages;
    struct stage way[STAGES_MAX];
};

uint64_t holds(const struct code *code, uint64_t of_units); /* what it holds of these units */

/* ---- Units: section 1 (code_units.c) ---- */

struct code_units {
    uint64_t blocking[UNITS_MAX]; /* B of each unit */
    uint64_t wide;                /* that all warps can reach */
    uint64_t clash;               /* clash units */
    uint64_t latches;             /* of instructions of fixed latency */
    uint64_t held;                /* that keep the issue stage from who finds a queue full */
};
/* Of a block, or of all blocks of a kernel. */
const struct code_units *units_of(struct check *check);
bool is_latch(const struct machine *machine, const struct code *code);  /* issued into its unit, or not */
bool is_queued(const struct machine *machine, const struct code *code); /* in a queue that can be full */

/* ---- Sections (code_section.c) ---- */

/* A warp on its way through a section: the context of a walk. */
struct passage {
    const struct code_units *units;
    const struct code *last;   /* the instruction before, or NULL */
    uint64_t used;             /* units of all so far */
    uint64_t recent[COUNTERS]; /* counts that DEPBAR tells apart */
};

/* What a section amounts to: by itself (iso and lam), in the sums of E, and for others. */
struct code_amount {
    uint64_t iso, lam, work, near, wide, clash;
    uint64_t left;             /* Q: behind the release of its barrier */
    uint64_t used;             /* its units */
    uint64_t spare[UNITS_MAX]; /* of each latch, what of `near` is beyond the slots */
};
const struct code_amount *amounts_of(struct block *of); /* of each section */

/* ---- What a section leaves behind a release, section 4 (code_left.c) ---- */

uint64_t times_of_left(const struct block *of);
/* `times` are those of Q. */
void meet_left(const struct block *of, const struct passage *passage, uint64_t *times,
               const struct code *code);
uint64_t left_behind(const struct block *of, const struct passage *passage, const uint64_t *times);

/* ---- What each line misses once: section 6 (code_missed.c) ---- */

/* By lines of code of an L0 and of the L1 behind all, cycles of a miss there; lines of constants, which each
 * sub-core misses, and cycles of that. */
struct missed {
    uint64_t l0_bytes, l0_miss, l1_bytes, l1_lines, l1_miss, constants, constant_miss;
};
void read_missed(struct check *check, const uint64_t *n);
/* Beside the times of a block, first on its SM, or of any that follow each other: 0 where warps execute whole
 * paths, whose instructions say what they miss. */
uint64_t missed_first(struct block *of);
uint64_t missed_by_all(struct check *check);

/* ---- Bounds (code_bounds.c) ---- */

uint64_t code_elb(struct block *of);
uint64_t code_sib(struct block *of);
uint64_t code_fib(struct block *of);

#endif
