/* What flow facts can name: the functions that a kernel reaches, their labels and their loops. */
#ifndef WB_LAUNCH_FACTS_LABELS_H
#define WB_LAUNCH_FACTS_LABELS_H

#include "base/table.h"
#include "flow/graph/cfg.h"
#include "flow/graph/loops.h"
#include "ptx/ptx.h"

/* One function; filled in when a fact first names a label of it, or a loop. */
struct facts_function {
    bool has_labels, has_loops;
    struct intern labels; /* numbers are indices of ptx_function.labels */
    struct cfg cfg;
    struct loops loops;
};

/* Zero-initialised it is empty; freed with facts_labels_close in any case. */
struct facts_labels {
    struct arena arena;
    const struct wb_kernel *kernel;
    struct intern names;              /* numbers are indices of functions of the module */
    bool *reached;                    /* per function: the kernel can execute it */
    struct facts_function *functions; /* per function */
};

/* WB_ERR_LIMIT, without a message, when memory is exhausted; so below. */
wb_status facts_labels_open(const struct wb_kernel *kernel, struct facts_labels *labels);
void facts_labels_close(struct facts_labels *labels);

/* The label of a function by name: its index, or PTX_NO_INDEX when there is none. */
wb_status facts_labels_find(struct facts_labels *labels, uint32_t function, const char *name, size_t length,
                            uint32_t *label);

/* Flow graph and loops of a function. */
wb_status facts_labels_loops(struct facts_labels *labels, uint32_t function,
                             const struct facts_function **loops);

/* Whether a natural loop's header starts with the instruction. */
bool facts_starts_loop(const struct facts_function *function, uint32_t inst);

/* Whether the instruction is in a cycle that is no natural loop. */
bool facts_in_irreducible(const struct facts_function *function, uint32_t inst);

#endif
