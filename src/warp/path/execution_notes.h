/* Notes of executing a kernel, beside paths and accesses: they go with these, from the run to the block or
 * the grid, and to whoever gives them times. Zero: nothing was noted. */
#ifndef WB_WARP_PATH_EXECUTION_NOTES_H
#define WB_WARP_PATH_EXECUTION_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/opcode.h"

/* Assumptions that numbers make because of a kernel's execution, beside those of the method that makes the
 * number. Whoever executes or times a kernel notes them in a set, where they matter for that kernel; every
 * number made of it prints them. A new one is a line here and, where the execution relies on it, a call of
 * run_assume. Waits of instructions are noted by themselves (ptx/opcode.h). */

/* X(enumerator, text, where it is printed) */
#define ASSUMED_TABLE(X)                                                                                     \
    X(WHOLE_WARP_BARRIERS,                                                                                   \
      "a barrier that part of a warp executes holds the whole warp (sm_60 and earlier)",                     \
      "part of a warp's live lanes executed a barrier")                                                      \
    X(WARPS_AT_BARRIERS, "a barrier waits for the warps of the block, not for accesses in flight",           \
      "a barrier was executed")                                                                              \
    X(WARP_GROUPS,                                                                                           \
      "a group of asynchronous copies belongs to its warp: part of a warp commits and waits for all of it",  \
      "part of a warp's live lanes, or none because of its guard, executed a commit or a wait; bounds of "   \
      "kind upper hold for groups of threads too")                                                           \
    X(DIVIDED_LANES,                                                                                         \
      "divergent lanes execute one side after the other, the taken one first, and reconverge at the "        \
      "branch's post-dominator",                                                                             \
      "a branch, or a call by address, divided a warp; sm_70 and later may interleave the sides")            \
    X(MEMBERS_TOGETHER, "lanes that a member mask names execute the instruction together",                   \
      "unknown values decide which lanes executed `bar.warp.sync` or another `.sync`, or which lanes the "   \
      "mask names; if a lane is certainly elsewhere, analyses decline")                                      \
    X(LAST_LANE, "if lanes of a warp store to the same place, the value of the highest lane remains",        \
      "lanes of a warp stored values that may differ to the same bytes; covering paths treat the bytes as "  \
      "unknown instead")                                                                                     \
    X(ATOMIC_ORDER,                                                                                          \
      "atomics and relaxed, volatile and acquire loads take effect in the order of blocks, warps and lanes", \
      "with the given data, control or an address depended on the result of an atomic, on memory where its " \
      "order shows (floats, `exch`, `cas`, `inc`, `dec`), or on such a load of other warps' memory; no "     \
      "bound of kind upper or exact rests on it")                                                            \
    X(WARP_NUMBERS, "%warpid is the number of the warp in its block", "the code uses `%warpid`")             \
    X(ALIGNED_BUFFERS,                                                                                       \
      "buffers and variables start at multiples of 256 bytes unless the launch says otherwise",              \
      "requests of accesses to global memory were counted")                                                  \
    X(APPROXIMATE_RESULTS, "approximate functions return exactly what this tool computes, to the last bit",  \
      "with the given data, control or an address depended on such a result, or one was computed under "     \
      "`--assume approx`")                                                                                   \
    X(DIVISION_BY_ZERO, "an integer division by zero gives all ones; the remainder is the dividend",         \
      "with the given data, control or an address depended on such a division, or one was executed under "   \
      "`--assume div-zero`")                                                                                 \
    X(POINTER_ORDER, "buffers and variables lie in memory where this tool puts them, one after another",     \
      "with the given data, control or an address depended on their order, or a result did under "           \
      "`--assume pointer-order`")                                                                            \
    X(NO_CONTRACTION,                                                                                        \
      "the compiler fuses no multiplication and addition of the PTX: both results are rounded",              \
      "with the given data, control or an address depended on a sum that would differ, or one was executed " \
      "under `--assume no-contraction`")                                                                     \
    X(NAN_BITS, "NaN results have the bits that docs/execution.md states",                                   \
      "an instruction made a NaN of known operands")                                                         \
    X(TRACED,                                                                                                \
      "warps execute and access what the trace recorded: other data, or another order, may take longer",     \
      "the launch names a trace of one execution")                                                           \
    X(MACHINE_CODE_CLASSES,                                                                                  \
      "a machine instruction takes the machine's time for the equivalent PTX class; stall counts and "       \
      "dependence counters are ignored",                                                                     \
      "the kernel is machine code")                                                                          \
    X(PTX_FOR_MACHINE_CODE,                                                                                  \
      "the machine code compiled from the PTX takes no longer than the PTX does with these times",           \
      "the kernel is PTX")                                                                                   \
    X(DIVIDED_MACHINE_LANES,                                                                                 \
      "divergent parts of a warp execute one after another, each until it waits or ends, and reconverge "    \
      "only at BSYNC, WARPSYNC and BAR",                                                                     \
      "a branch of machine code divided a warp; hardware may interleave the parts, and merge parts that "    \
      "come to one place by chance (docs/convergence.md)")                                                   \
    X(REFINED_RESULTS,                                                                                       \
      "the division and root sequences of machine code give the correctly rounded or the exact result",      \
      "machine code refined an approximate reciprocal or root as compilers do")                              \
    X(DIVISION_CHECKS,                                                                                       \
      "FCHK takes the slow path if an exponent of the operands or the quotient is not a normal number's, "   \
      "and the fast path if all are far from that",                                                          \
      "machine code executed FCHK")                                                                          \
    X(START_OF_SM_87, "UR2 is 0 when a warp starts, so sm_87 code first clears its convergence barriers",    \
      "the kernel is machine code for sm_87, which tests UR2")                                               \
    X(RETURNS_BY_STACK, "no other store of the machine code overwrites return addresses on the stack",       \
      "a RET of the code takes the address from local memory, as code for debuggers (nvcc -G) does")         \
    X(INITIAL_VARIABLES,                                                                                     \
      "module variables have the contents that the module gives them: neither the host nor an unlisted "     \
      "kernel has changed them",                                                                             \
      "the code names a `.global` or `.const` variable whose contents the module gives and the launch does " \
      "not; with `--inputs any` a `.const` one")                                                             \
    X(CACHE_CONTROL, "CCTL and ERRBAR hold no more than their issue slot",                                   \
      "the kernel has ERRBAR or a CCTL that empties a cache (IVALL), and is timed by its control fields: "   \
      "no times are published. Forms of CCTL that write lines back are declined there")                      \
    X(BARRIER_COUNTERS, "a dependence counter of BAR counts down before the barrier releases its warp",      \
      "a BAR of the kernel has a counter, as ptxas -O0 writes it, and is timed by its control fields")       \
    X(TOUCHED,                                                                                               \
      "textures, surfaces and prefetches take the way of other accesses, with a sector for each texel that " \
      "a filter reads, or a line; textures and surfaces return in order; surfaces share no memory with "     \
      "buffers",                                                                                             \
      "the kernel has a texture, a surface or a prefetch, and is timed by its control fields")

enum assumed {
#define X(enumerator, text, where) ASSUMED_##enumerator,
    ASSUMED_TABLE(X)
#undef X
        ASSUMED_WAITS, /* and further on: what enum ptx_wait says is assumed */
    ASSUMED_COUNT = ASSUMED_WAITS + PTX_WAIT_COUNT
};

/* A set of them: bit 1 << what. */
typedef uint64_t assumed_set;

static inline assumed_set assumed_bit(enum assumed what) {
    return (assumed_set)1 << what;
}

/* The assumption of an instruction's wait; none unless its waiting is assumed. */
static inline assumed_set assumed_wait(enum ptx_wait wait) {
    return ptx_wait_answer(wait) == PTX_ASSUMED ? (assumed_set)1 << (ASSUMED_WAITS + (int)wait) : 0;
}

/* The assumption as reports print it. */
const char *assumed_text(enum assumed what);

/* Why blocks and grids are declined. */
#define ABSENT_MEMBER                                                                                        \
    "lanes that the member mask names execute something else, or other lanes execute this: that is not "     \
    "modelled"
#define UNKNOWN_MEMORY                                                                                       \
    "the memory that this instruction accesses is unknown, so its requests cannot be counted"
#define PARTIAL_BARRIER                                                                                      \
    "this barrier does not join all threads of the block; only barriers of the whole block can be bounded"
#define SKIPPED_BARRIER "a warp skips this barrier because its guard is false: that is not modelled"

/* The longest sleep: nanosleep sleeps a millisecond at most. */
#define SLEEP_MAX UINT32_C(1000000)

struct execution_notes {
    assumed_set assumed;       /* what it takes for granted */
    const char *unmodelled;    /* why its times would be wrong, a sentence about an instruction; or NULL */
    uint32_t unmodelled_index; /* of the instruction, as in paths */
    uint32_t longest_sleep;    /* nanoseconds that some lane asked to sleep for; SLEEP_MAX where unknown */
};

/* Keeps the first reason only. */
static inline void notes_unmodelled(struct execution_notes *notes, uint32_t index, const char *why) {
    if (notes->unmodelled != NULL) return;
    notes->unmodelled = why;
    notes->unmodelled_index = index;
}

static inline bool notes_equal(const struct execution_notes *a, const struct execution_notes *b) {
    return a->assumed == b->assumed && a->unmodelled == b->unmodelled &&
           a->unmodelled_index == b->unmodelled_index && a->longest_sleep == b->longest_sleep;
}

#endif
