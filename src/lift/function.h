/* A kernel's code to a function of the module. */
#ifndef WB_LIFT_FUNCTION_H
#define WB_LIFT_FUNCTION_H

#include "lift/state.h"

/* What a function is made from. */
struct lift_source_code {
    const struct cubin_kernel *kernel;
    const struct machine_inst *insts; /* decoded, of the kernel */
    uint32_t inst_count, first;       /* first: number of its first one in the module */
    const uint32_t *at;               /* per instruction its place in the module's text */
    uint32_t first_location;          /* of the first row of the kernel's line table */
    uint32_t index;                   /* of the function in the module */
    uint32_t first_param;             /* variables */
    uint32_t stack, constant2;        /* variables, or PTX_NO_INDEX */
    const uint32_t *shared;           /* variables that stand for shared memory */
    uint32_t shared_count;
};

/* Fills what the code says of a function; the rest is the caller's. */
void lift_function(struct lift_module *in, const struct lift_source_code *code,
                   struct ptx_function *function);

#endif
