/* The table of analyses. A new one is a file with a `const struct bound_method bound_NAME` in the folder of
 * what it is about, and an X(NAME) here. */
#ifndef WB_BOUND_ANALYSIS_REGISTRY_H
#define WB_BOUND_ANALYSIS_REGISTRY_H

#include "bound/method/method.h"
#include "method/run.h"

/* In the order of results. */
#define BOUND_METHODS(X)                                                                                     \
    X(sib)                                                                                                   \
    X(fib)                                                                                                   \
    X(aln)                                                                                                   \
    X(fifo)                                                                                                  \
    X(elb)                                                                                                   \
    X(code_sib)                                                                                              \
    X(code_fib)                                                                                              \
    X(code_elb)                                                                                              \
    X(gub)                                                                                                   \
    X(sections)                                                                                              \
    X(exhaustive)                                                                                            \
    X(adversary)                                                                                             \
    X(adversary_short)                                                                                       \
    X(segment_sum)                                                                                           \
    X(reorder_chain)                                                                                         \
    X(turn_chain)                                                                                            \
    X(segments)                                                                                              \
    X(segments_missrate)                                                                                     \
    X(acta)                                                                                                  \
    X(acta_rr)                                                                                               \
    X(acta_safe)                                                                                             \
    X(k_area)                                                                                                \
    X(k_bal)                                                                                                 \
    X(k_sm)                                                                                                  \
    X(code_k_area)                                                                                           \
    X(code_k_bal)                                                                                            \
    X(code_k_sm)                                                                                             \
    X(code_k_chain_area)                                                                                     \
    X(code_k_chain_bal)                                                                                      \
    X(code_k_chain)                                                                                          \
    X(k_chain_area)                                                                                          \
    X(k_chain_bal)                                                                                           \
    X(k_chain)                                                                                               \
    X(k_wave)                                                                                                \
    X(k_serial)                                                                                              \
    X(k_oldest)                                                                                              \
    X(k_exhaustive)                                                                                          \
    X(k_adversary)                                                                                           \
    X(k_adversary_short)                                                                                     \
    X(waves)                                                                                                 \
    X(graham)                                                                                                \
    X(one_by_one)                                                                                            \
    X(k_busiest)                                                                                             \
    X(eq3)

#define X(name) extern const struct bound_method bound_##name;
BOUND_METHODS(X)
#undef X

/* A method by its number; NULL past the end. */
const struct bound_method *bound_method_at(size_t index);

#endif
