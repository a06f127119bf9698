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

/* A stream without kernels, or NULL when memory is exhausted. */
wb_stream *stream_new(const wb_machine *machine);

/* Appends the analysis of a kernel (analysis_new_kernel), which must outlive the stream. It is bounded and
 * simulated by itself, before or after. WB_ERR_INPUT when it is of something else or of another machine. */
wb_status stream_add(wb_stream *stream, const wb_analysis *kernel, wb_diagnostics *diagnostics);

/* Gives a kernel of the stream what is known of its machine code (analysis_set_stalls); of a stream that
 * wb_analyze_launches made. WB_ERR_LIMIT when memory is exhausted. */
wb_status stream_set_stalls(wb_stream *stream, size_t index, const wb_stalls *stalls,
                            wb_diagnostics *diagnostics);

#endif
