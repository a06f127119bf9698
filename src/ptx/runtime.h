/* The functions of CUDA's run-time system: modules call them, but do not have their bodies. */
#ifndef WB_PTX_RUNTIME_H
#define WB_PTX_RUNTIME_H

#include "ptx/ptx.h"

/* X(enumerator, name, class, wait): the opcode class of a call, and what it waits for. */
#define PTX_RUNTIME_TABLE(X)                                                                                 \
    X(ASSERTFAIL, "__assertfail", CALL, ASSERTION)                                                           \
    X(VPRINTF, "vprintf", VPRINTF, RUNTIME)                                                                  \
    X(MALLOC, "malloc", MALLOC, RUNTIME)                                                                     \
    X(FREE, "free", FREE, RUNTIME)

enum ptx_runtime {
    PTX_RUNTIME_NONE,
#define X(enumerator, name, class, wait) PTX_RUNTIME_##enumerator,
    PTX_RUNTIME_TABLE(X)
#undef X
        PTX_RUNTIME_COUNT
};

/* The name of a function of the run-time system. */
const char *ptx_runtime_name(enum ptx_runtime runtime);

/* Gives calls of the run-time system forms of their own: form->runtime says which function is called.
 * WB_ERR_LIMIT when memory is exhausted. */
wb_status runtime_resolve(struct wb_module *module);

/* Whether an instruction ends the whole grid where it is executed. */
static inline bool ptx_ends_grid(const struct ptx_form *form) {
    return form->op == PTX_OP_TRAP || form->runtime == PTX_RUNTIME_ASSERTFAIL;
}

#endif
