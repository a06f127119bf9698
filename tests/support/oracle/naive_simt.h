/* A warp in lock-step, as simple as can be: recursion instead of a stack, post-dominators by sets, memory
 * that is something else at every moment. It executes what random_flow.h generates, and watches divergence
 * analysis. */
#ifndef WB_TESTS_NAIVE_SIMT_H
#define WB_TESTS_NAIVE_SIMT_H

#include "divergence_support.h"

#define SIMT_LANES 8u
#define SIMT_REGS 16u
#define SIMT_BLOCKS_MAX 32u

/* What is wrong with the analysis, in one word; SIMT_FINE: nothing was seen. */
enum simt_fault {
    SIMT_FINE,
    SIMT_UNIFORM_BRANCH_PARTED,
    SIMT_UNIFORM_PHI_DIFFERS,
    SIMT_UNIFORM_RESULT_DIFFERS
};

struct simt {
    const struct analysed_function *analysed;
    uint32_t meeting[SIMT_BLOCKS_MAX]; /* per block its immediate post-dominator */
    uint32_t registers[SIMT_REGS][SIMT_LANES];
    uint64_t seed; /* of memory and of what atomics return */
    uint64_t time; /* instructions executed */
    uint64_t fuel; /* most instructions to execute */
    bool executed[SIMT_BLOCKS_MAX], parted[SIMT_BLOCKS_MAX];
    enum simt_fault fault;
    uint32_t fault_inst; /* at which it was seen */
};

/* Prepares a warp for a function of few blocks, registers of 32 bits and predicates; false when it is too
 * large, or when control cannot leave it from everywhere. */
bool simt_open(const struct analysed_function *analysed, struct simt *simt);

/* Runs all lanes from the function's start until they have left it, fuel is spent, or a fault is seen.
 * Registers start with contents of the seed, other ones in each lane. */
void simt_run(struct simt *simt, uint64_t seed, uint64_t fuel);

#endif
