/* What is said of all executions of a kernel on a machine with caches, against executions with data that
 * nobody told the analysis of: no bound of kind upper is exceeded, by the grid or by a block alone, under any
 * scheme and policy, and no load misses that was guaranteed to hit. */
#ifndef WB_TESTS_STEERED_CHECK_H
#define WB_TESTS_STEERED_CHECK_H

#include "base/base.h"
#include "steered_kernel.h"
#include "steered_order.h"

/* Executions of each kernel, with different data. */
#define STEERED_EXECUTIONS 4u

/* A kernel, a machine and data, all of a seed, and what was made simpler of them. */
struct steered_case {
    uint64_t seed;
    bool omitted[STEERED_STATEMENTS_MAX];
    uint32_t simple; /* of the machine: steered_machine.h */
    uint32_t blocks; /* 0: as many as the seed says */
    uint32_t data;   /* bit d: leave execution d out */
};

/* What was seen. */
struct steered_census {
    uint64_t kernels, covered, bounded; /* covered as a grid; with an upper bound of the grid */
    uint64_t executions, simulations;
    uint64_t bounds;             /* held against simulations, of grids, */
    uint64_t block_bounds;       /* and of blocks alone */
    uint64_t ordered;            /* kernels whose order of accesses under reordering is known, */
    struct order_census order;   /* and what was held against that */
    uint64_t loads, sure_loads;  /* requests that were held against what is said of hits; of them must hits */
    uint64_t tightest_per_mille; /* largest simulated time over a bound of its grid */
    uint64_t ratio_sum, ratios;  /* of those, in thousandths */
};

/* False, with what is wrong in `violation`, when something that was said does not hold. */
bool steered_check(const struct steered_case *input_dependent, struct steered_census *census,
                   struct text *violation);

/* The same of a kernel that was made in another way, with the data of a seed. */
bool steered_check_kernel(const struct steered_kernel *kernel, const wb_machine *machine, uint64_t seed,
                          struct steered_census *census, struct text *violation);

/* Leaves out of a case that does not hold all that it does not need for that. */
void steered_case_shrink(struct steered_case *input_dependent);

/* Appends the case for a person: kernel, launch, facts, machine. */
void steered_case_print(const struct steered_case *input_dependent, struct text *out);

/* Writes the case as files that the command takes, data and all, into an existing folder, and appends how to
 * call it. False when a file cannot be written. */
bool steered_case_write(const struct steered_case *input_dependent, const char *folder, struct text *out);

#endif
