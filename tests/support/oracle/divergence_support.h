/* What the tests of divergence analysis share: a function with everything that is computed of it. */
#ifndef WB_TESTS_DIVERGENCE_SUPPORT_H
#define WB_TESTS_DIVERGENCE_SUPPORT_H

#include "flow/values/values.h"

struct analysed_function {
    const struct ptx_function *function;
    struct arena arena; /* owns the rest */
    struct cfg cfg;
    struct dominators dominators, post_dominators;
    struct node_regs liveness;
    struct ssa ssa;
    struct divergence divergence;
};

/* Analyses a function with a body, or fails the running test. */
void analysed_function_open(const struct ptx_function *function, struct analysed_function *analysed);
void analysed_function_close(struct analysed_function *analysed);

/* Calls `check` of so many random functions, from a first seed on, with their text and `counts`. */
void each_random_function(uint64_t first, uint32_t count,
                          void (*check)(const struct analysed_function *analysed, uint64_t seed,
                                        const char *text, void *counts),
                          void *counts);

/* Whether the instruction is the last of its block and may part threads. */
bool may_part(const struct analysed_function *analysed, uint32_t inst);

/* Whether control can go on in more than one way behind an instruction, which is the last of its block. */
bool has_choice_behind(const struct analysed_function *analysed, uint32_t inst);

/* Fails the running test unless the reasons of all values and branches end at sources, without a circle. */
void check_reasons(const struct analysed_function *analysed);

#endif
