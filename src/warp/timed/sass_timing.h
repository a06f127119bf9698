/* Times of machine instructions on a machine that times machine code (`code: sass`): what simulator, explorer
 * and bounds of docs/machine-code-bounds.md work on. */
#ifndef WB_WARP_TIMED_SASS_TIMING_H
#define WB_WARP_TIMED_SASS_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycles.h"
#include "machine/machine.h"
#include "sass/machine_code.h"

/* Dependence counters of a warp: SB0 to SB5, and one that stands for the fences under way, which all that
 * follows waits for. */
#define SASS_FENCE_COUNTER 6u
#define SASS_COUNTERS 7u

/* No line of constants. */
#define SASS_NO_LINE UINT32_MAX

/* A stage of the way of an instruction of variable latency (docs/machine-code-bounds.md, section 1). */
struct sass_stage {
    uint8_t unit;      /* of the machine: of the sub-core, or shared by all of them */
    uint32_t init;     /* most cycles that it is held, at least 1 */
    uint32_t transfer; /* most cycles from then until the next stage is asked for */
};

/* One entry of the code: a machine instruction, with times. All durations are the most: actual ones may be
 * anything from 0 up to them, of a slot from 1, of a stall from stall_least and of latencies from their
 * least. */
struct sass_timed {
    /* s(k): cycles until the next issue of the warp. Hardware waits no longer than that (A1), and no shorter
     * than stall_least; both are the stall count, at least 1, unless it is one that hardware does not keep,
     * or the instruction may jump. */
    uint32_t stall, stall_least;
    uint32_t slot;  /* cycles of the issue stage: 1, bubbles of register banks, the probe for a constant that
                       can miss each time */
    uint32_t fetch; /* cycles from the issue of the one before that a miss of instructions can keep it from
                       issue each time: I(k) >= I(k-1) + fetch; 0: not at all. What is missed once only is
                       counted by struct sass_footprint instead */
    uint32_t operand;    /* cycles that a miss of its constant keeps it from issue each time, behind all that
                            it waits for besides, as constants are looked up at the issue; 0: likewise */
    uint8_t class_;      /* enum sass_class */
    bool fixed;          /* one stage of depth 0 (a latch), or none; no counters */
    uint8_t stage_count; /* 0: it only takes its slot */
    struct sass_stage stages[SASS_STAGES_MAX];
    uint8_t write_counter, read_counter; /* SASS_NO_COUNTER: none */
    uint32_t write_least, write_most;    /* cycles from the end of the last stage until the counter of the */
    uint32_t read_least, read_most;      /* result, or that of the sources, counts down */
    uint8_t waits;                       /* mask: these counters must be 0; bit SASS_FENCE_COUNTER, too */
    uint8_t left_counter, left; /* DEPBAR.LE: the counter may be at most `left`; SASS_NO_COUNTER: none */
    bool barrier;               /* BAR that joins the block */
    struct sass_operand operands[SASS_OPERANDS]; /* the registers that it reads, */
    uint8_t bank_reads[SASS_BANKS_MAX];          /* and how many of them from each bank */
    uint32_t line;                               /* of instructions: address / line of the L0 */
    uint32_t constant_line; /* of constants, numbered through the code; SASS_NO_LINE: none */
};

/* What of the code and its constants lies in caches, for misses that each line makes once: of a cache whose
 * `fits` is set every line that the code touches is missed at most once by each cache that there is (L0 and
 * constants: one a sub-core; L1 of instructions: one), whoever asks for it, and no more (A3). Those misses
 * are in no entry; those of a cache that does not fit are in the entries. */
struct sass_cached {
    bool fits;
    uint32_t lines; /* that the code touches, not those in between; 0 when it does not fit */
    uint32_t miss;  /* most cycles that a miss keeps a warp from issue */
    uint32_t hold;  /* of it cycles in which the sub-core issues nothing: the probe for a constant */
};

struct sass_footprint {
    struct sass_cached instructions, l1_instructions, constants;
};

/* Cycles until the next issue of the warp by the control field of the instruction at `address` alone: the
 * least that pass, and the most. */
uint32_t sass_stall_least(const struct sass_inst *inst);
uint32_t sass_stall_most(const struct sass_inst *inst, uint32_t address, uint32_t long_stall);

/* Whether it counts a dependence counter up. */
bool sass_has_dependence_counters(const struct sass_inst *inst);

/* Cycles that an instruction of fixed latency that reads so many operands from each bank waits for them
 * beyond the first. */
uint32_t sass_bubbles(const struct machine_sass *sass, const uint8_t bank_reads[SASS_BANKS_MAX]);

/* Gives the instruction at `address` its times; caches, barriers and counts of accesses are left out. NULL,
 * or why it has none: the end of a sentence about the instruction. */
const char *sass_timing_from(const struct sass_inst *inst, uint32_t address, const struct wb_machine *machine,
                             struct sass_timed *timed);

/* Changes the times of an entry to those of an access that makes so many requests. */
void sass_timing_count(const struct wb_machine *machine, const struct access_counts *counts,
                       struct sass_timed *timed);

/* Most cycles that an entry can keep anybody waiting for, but for its latency: the sum of all that is stated
 * of it, saturated. What stands in struct timed_inst as the initiation. */
uint32_t timed_init_of_sass(const struct sass_timed *timed);

/* What of the code caches hold. */
struct sass_cached_code {
    const struct machine_inst **insts; /* per entry; NULL where no path has it */
    uint32_t count;
    uint64_t constant_bytes; /* that what reads a constant at an index may read */
};

/* Finds out which caches the code fits into, gives the entries their lines, and adds to them what they miss
 * each time. False when memory is exhausted. */
bool sass_caches_apply(const struct machine_sass *sass, const struct sass_cached_code *code,
                       struct sass_timed *entries, struct sass_footprint *footprint);

#endif
