/* Random structured kernels as PTX text, with a launch and flow facts. They end, stay in bounds, and are free
 * of races: between barriers a thread reads and writes only elements of its own, except by atomics. */
#ifndef WB_TESTS_RANDOM_KERNEL_H
#define WB_TESTS_RANDOM_KERNEL_H

#include "base/base.h"
#include "warpbound.h"

/* Most statements that a kernel may have, compound ones and those inside them counted. */
#define RANDOM_STATEMENTS_MAX 256u

/* Largest values. */
struct random_kernel_shape {
    uint32_t length; /* statements of a sequence; of the kernel's own twice as many */
    uint32_t depth;  /* of nested branches and loops */
    uint32_t trips;  /* of a loop: 1, 3 or 7 */
    uint32_t warps;
};

/* How often a loop's header can run each time the loop is entered, whatever the data. */
struct random_loop {
    uint32_t label; /* of the header: $L<label> */
    uint32_t headers;
    bool by_data;     /* the data decides; else constants, scalars and the thread's number */
    bool in_function; /* `f`, not the kernel */
};

struct random_kernel {
    uint64_t seed;
    char *ptx; /* of a module with the one kernel `k`, and by chance a function `f` that it calls */
    uint32_t threads;
    uint32_t scalars[2]; /* arguments n and m */
    uint32_t statements; /* generated, those omitted included */
    bool has_barriers;   /* in uniform control only */
    bool has_function;
    bool has_atomic_results; /* so that other orders of the warps can give other paths */
    VEC(struct random_loop) loops;
    VEC(uint32_t) together; /* labels of barriers that data decides on, alike for all threads */
};

/* The kernel of a seed, without the statements i that have omitted[i] set; `omitted` may be NULL. What is
 * left stays as it was: failing kernels are made smaller this way. */
void random_kernel_make(uint64_t seed, const struct random_kernel_shape *shape,
                        const bool omitted[RANDOM_STATEMENTS_MAX], struct random_kernel *kernel);
void random_kernel_free(struct random_kernel *kernel);

/* The buffers of the launch: one that is only read, one of elements of single threads, one for atomics. */
enum { RANDOM_INPUT, RANDOM_OUTPUT, RANDOM_COUNTERS, RANDOM_BUFFERS };

/* Contents that are not given. */
#define RANDOM_UNKNOWN UINT64_MAX

/* A launch of the kernel, with contents of these seeds in the buffers. */
wb_launch *random_kernel_launch(const struct random_kernel *kernel, const uint64_t contents[RANDOM_BUFFERS]);

/* Appends the facts that all threads come to certain barriers together. */
void random_kernel_together(const struct random_kernel *kernel, struct text *facts);

/* Appends the fact that a loop runs at most so often. */
void random_kernel_fact(const struct random_loop *loop, uint32_t headers, struct text *facts);

#endif
