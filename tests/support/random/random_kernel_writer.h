/* What the parts of the generator of random kernels share. */
#ifndef WB_TESTS_RANDOM_KERNEL_WRITER_H
#define WB_TESTS_RANDOM_KERNEL_WRITER_H

#include "base/containers.h"
#include "random_kernel.h"

/* Elements of the buffers and arrays; powers of two. */
#define INPUT_ELEMENTS 256u
#define OUTPUT_ELEMENTS_PER_THREAD 4u
#define COUNTER_ELEMENTS 16u

/* The registers that statements read and write: integers %r0.., floats %f0.., predicates %p0... */
#define POOL_INTEGERS 8u
#define POOL_FLOATS 4u
#define POOL_PREDICATES 4u

/* A loop that statements are in. */
struct writer_loop {
    uint32_t end, latch; /* labels */
    bool meets;          /* barriers stand in it: only what is uniform may leave it */
};

#define WRITER_LOOPS_MAX 8u

/* Where statements stand. */
struct writer_place {
    uint32_t depth;
    bool uniform; /* every thread gets here equally often, whatever the data */
    struct writer_loop loops[WRITER_LOOPS_MAX];
    uint32_t loop_count;
};

struct kernel_writer {
    struct random_state random;
    const struct random_kernel_shape *shape;
    const bool *omitted;
    struct random_kernel *kernel;
    struct text body;
    uint32_t labels, counters; /* used so far */
    bool knows_much;           /* little data: most values follow from scalars and thread numbers */
    bool in_function;
    bool data_meets; /* barriers stand in control that data decides, alike for all threads */
    bool may_return; /* threads, before the others do */
};

uint32_t writer_below(struct kernel_writer *writer, uint32_t bound);
bool writer_chance(struct kernel_writer *writer, uint32_t percent);

/* Appends a line; in it
 *     #d #f #p   an integer, float, predicate to be written
 *     #i #g #q   one to be read
 *     #I         an integer to be read, or a constant
 *     #k         a constant from 0 to 31
 *     #@         a guard, or by chance none
 *     #l         the label of a barrier */
void writer_emit(struct kernel_writer *writer, const char *line);

/* random_kernel_statement.c: appends a statement without control flow of its own. */
void writer_straight(struct kernel_writer *writer, const struct writer_place *place);

/* Appends a call of the function. */
void writer_call(struct kernel_writer *writer);

/* random_kernel_control.c: appends a sequence of statements of all kinds. */
void writer_sequence(struct kernel_writer *writer, const struct writer_place *place);

#endif
