/* The table of analyses. A new one is a file with a `const struct bound_method bound_NAME` in the folder of
 * what it is about, and an X(NAME) here. */
#ifndef WB_BOUND_ANALYSIS_REGISTRY_H
#define WB_BOUND_ANALYSIS_REGISTRY_H

#include "bound/method/method.h"
#include "method/run.h"

/* In the order of results; those of wings (base/wing.h) come behind. */
#define BOUND_METHODS(X)                                                                                     \
    X(sib)                                                                                                   \
    X(fib)                                                                                                   \
    X(aln)                                                                                                   \
    X(fifo)                                                                                                  \
    X(elb)                                                                                                   \
    X(gub)                                                                                                   \
    X(sections)                                                                                              \
    X(exhaustive)                                                                                            \
    X(adversary)                                                                                             \
    X(adversary_short)                                                                                       \
    X(segment_sum)                                                                                           \
    X(kernel)                                                                                                \
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
X(code_sib) /* those that machine code has in place of others */
X(code_fib)
X(code_elb)
#undef X

/* A method by its number; NULL past the end. */
const struct bound_method *bound_method_at(size_t index);

/* The same as it is on a machine: sib, fib and elb have one row for machines that time PTX and one for those
 * that time machine code. */
const struct bound_method *bound_method_on(size_t index, const struct wb_machine *machine);

/* Methods that are asked for. */
struct chosen_methods {
    uint64_t methods; /* bit i: method i */
    uint32_t forms;   /* of `kernel`: bit i: form i; 0: whichever fits */
};

/* Chooses from a comma-separated list of methods, or "all". Old names go on working: "code-sib" is sib,
 * "k-area" is form area of kernel. Errors as choose_names. */
wb_status choose_methods(const char *list, wb_diagnostics *diagnostics, struct chosen_methods *chosen);

/* Whether a comma-separated list of methods names one of whole kernels; "all" does. */
bool methods_include_kernels(const char *methods);

#endif
