/* Straight-line code as nodes of an abstract warp. */
#ifndef WB_PAPERS_ABSTRACT_CTA_ABSTRACT_CODE_H
#define WB_PAPERS_ABSTRACT_CTA_ABSTRACT_CODE_H

#include "papers/abstract_cta/abstract_region.h"

/* When a register that a load writes can be read: in which stretch of code it was loaded, and how many waits
 * for memory lie before that, the one for itself included. */
struct load_mark {
    uint32_t stretch;
    uint32_t waits;
};

struct abstract_code {
    const struct kernel_flow *flow;
    const struct abstract_threads *threads;
    wb_diagnostics *diagnostics;
    struct abstract_warp *warp;
    struct load_mark *marks; /* per register */
    struct ptx_regs *regs;   /* scratch */
    uint32_t stretch;        /* number of the one at hand, from 1 */
    cycles instructions;     /* of it, so far */
    uint32_t waits;          /* waits for memory in it, so far */
    uint32_t pending;        /* waits when everything that was loaded in it has arrived */
    uint32_t stores;         /* in it, so far */
};

/* WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status abstract_code_begin(struct abstract_code *code, const struct kernel_flow *flow,
                              const struct abstract_threads *threads, wb_diagnostics *diagnostics,
                              struct abstract_warp *warp, struct arena *arena);

/* Appends a block: of each stretch between barriers a time node with its instructions, then a memory access
 * node for each time that it may have to wait for loads. Loads that are waited for together make one node;
 * what was loaded is taken to be waited for at the end of the stretch at the latest. `ret` and `exit` are no
 * instructions here, barriers are nodes of their own. Errors as of abstract_warp_of_kernel. */
wb_status abstract_code_add(struct abstract_code *code, const struct cfg_block *block,
                            struct abstract_sequence *sequence);

/* Whether instructions of a class access memory in a way that a warp can wait for; *is_store: they have no
 * result. */
bool abstract_accesses_memory(enum ptx_class class, bool *is_store);

#endif
