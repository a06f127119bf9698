/* Random kernels whose control and addresses are steered by data that analysis does not know, for machines
 * with caches: loads, stores, atomics, copies and local memory at addresses that are known, that data chooses
 * within an array, or both by lanes; branches, loops, early ends and barriers that data decides on. They end
 * and stay in bounds whatever the data. */
#ifndef WB_TESTS_STEERED_KERNEL_H
#define WB_TESTS_STEERED_KERNEL_H

#include "base/base.h"
#include "warpbound.h"

/* Most statements that a kernel may have, compound ones and those inside them counted. */
#define STEERED_STATEMENTS_MAX 192u

/* Words of the constant array that steers kernels, and of each global array at most. */
#define STEERED_DATA 1024u

/* How often a loop's header can run each time the loop is entered. */
struct steered_loop {
    uint32_t label, headers;
};

struct steered_kernel {
    uint64_t seed;
    char *ptx; /* of a module with the one kernel `k` */
    uint32_t threads, blocks;
    uint32_t table, other; /* words of the two global arrays that accesses share; powers of two */
    uint32_t behind;       /* words of the second in front of where its argument points */
    bool raised;           /* facts allow far more iterations than there are */
    uint32_t statements;   /* generated, those omitted included */
    VEC(struct steered_loop) loops;
    VEC(uint32_t) together; /* labels of barriers that data decides on, alike for all threads of a block */
};

/* The kernel of a seed, without the statements i that have omitted[i] set; `omitted` may be NULL. What is
 * left stays as it was: failing kernels are made smaller this way. */
void steered_kernel_make(uint64_t seed, const bool omitted[STEERED_STATEMENTS_MAX],
                         struct steered_kernel *kernel);
void steered_kernel_free(struct steered_kernel *kernel);

/* Appends the facts that covering the kernel needs, as their file has them. */
void steered_kernel_put_facts(const struct steered_kernel *kernel, struct text *out);

/* The facts as they are parsed, to be freed. The parsed kernel must outlive them. */
wb_facts *steered_kernel_facts(const struct steered_kernel *kernel, const wb_kernel *parsed,
                               wb_diagnostics *diagnostics);

/* The launch with the words of `data` as all contents, or with contents that are not known. */
wb_launch *steered_kernel_launch(const struct steered_kernel *kernel, const uint32_t *data);

/* Words for a launch: random ones, and patterns that make lanes, warps or blocks differ, or accesses meet in
 * one set of a cache. */
void steered_data_make(uint64_t seed, uint32_t data[STEERED_DATA]);

#endif
