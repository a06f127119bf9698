/* Kernels that run one after another: a stream of launches, with the analysis of each. */
#ifndef WB_BOUND_ANALYSIS_STREAM_H
#define WB_BOUND_ANALYSIS_STREAM_H

#include "bound/analysis/analysis.h"

struct stream_kernel {
    const struct wb_analysis *analysis;
    struct wb_analysis *owned; /* the same, where the stream frees it with itself; or NULL */
};

struct wb_stream {
    const struct wb_machine *machine;
    VEC(struct stream_kernel) kernels; /* in the order in which they run */
    input_list inputs;                 /* of all of them, each once; they own the paths */
};

/* The launch overheads of all kernels together. */
cycles stream_overhead(const struct wb_stream *stream);

/* The cycles of writing back, while later kernels run, lines left in the second level (docs/memory-bounds.md,
 * section 10); 0 on machines without caches. */
cycles stream_carried(const struct wb_stream *stream);

/* A bound that the machine code of its launch refutes, or NULL. */
const wb_bound *stream_refuted(const struct wb_stream *stream);

/* The kernel whose least proven bound is largest, the first of them; with bounds of all of them. */
size_t stream_longest(const struct wb_stream *stream);

#endif
