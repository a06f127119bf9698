/* A function with everything that is known of its control flow, from PTX that a test writes, a kernel, or
 * chance. Include what cmocka needs first. */
#ifndef WB_TESTS_FLOW_CASE_H
#define WB_TESTS_FLOW_CASE_H

#include "base/base.h"
#include "base/containers.h"
#include "flow/graph/graph.h"
#include "flow/values/values.h"

struct flow_case {
    wb_module *module;
    const struct ptx_function *function;
    struct arena arena;
    struct cfg cfg;
    struct dominators dominators, post_dominators;
    struct loops loops;
    struct node_regs liveness;
    struct ssa ssa;
    const struct gates *gates; /* where tests of a wing make them, in the arena */
};

/* The only kernel of a module, or the one at `index`. The test fails when anything fails. */
void flow_case_of_module(struct flow_case *flow, wb_module *module, size_t index);

/* A kernel with this body and registers %p<9>, %r<9>. */
void flow_case_of_body(struct flow_case *flow, const char *body);

void flow_case_free(struct flow_case *flow);

/* Appends a body of up to `blocks` random blocks: reads and writes of the registers, guarded ones and the
 * carry flag among them, and branches anywhere, or only forwards, `brx.idx` and guarded `ret` among them. */
void flow_case_random_body(struct random_state *random, uint32_t blocks, bool forwards, struct text *body);

/* The block of the instruction behind a label. */
uint32_t flow_case_block(const struct flow_case *flow, const char *label);

/* Which of the edges into its target an edge (its place in graph.out.nodes) from the block is. */
uint32_t flow_case_arrival(const struct flow_case *flow, uint32_t from, uint32_t edge);

/* The register of a name such as "%r3". */
uint32_t flow_case_reg(const struct flow_case *flow, const char *name);

#endif
