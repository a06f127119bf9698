/* Flow facts that a covering run lacks: it goes on as if they were given, so that all of them can be asked
 * for at once. */
#ifndef WB_WARP_PATH_FACT_NEEDS_H
#define WB_WARP_PATH_FACT_NEEDS_H

#include "launch/facts.h"

/* Open facts, none of them twice. Zero-initialised it is empty. */
struct fact_needs {
    VEC(struct flow_fact) items;
};

void fact_needs_free(struct fact_needs *needs);

/* Whether the fact of that kind about instruction `at` of a function is lacking. */
bool fact_needs_has(const struct fact_needs *needs, enum fact_kind kind, uint32_t function, uint32_t at);

/* Adds it, if it is not there. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status fact_needs_add(struct fact_needs *needs, enum fact_kind kind, uint32_t function, uint32_t at);

/* An error for each source line that facts are lacking for: those of a loop that was unrolled or of a barrier
 * in a function that was inlined are asked for together. WB_ERR_LIMIT with a message when memory is
 * exhausted. */
wb_status fact_needs_report(const struct fact_needs *needs, const struct wb_kernel *kernel,
                            wb_diagnostics *diagnostics);

#endif
