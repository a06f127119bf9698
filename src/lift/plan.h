/* Which instructions of a kernel can be executed, and where branches go. Internal functions (64-bit division,
 * device functions that were not inlined) stand behind the kernel's code and are entered by CALL.REL: each
 * call has a copy of its own, so that what follows sees a function without calls. */
#ifndef WB_LIFT_PLAN_H
#define WB_LIFT_PLAN_H

#include "base/arena.h"
#include "cubin/cubin.h"
#include "sass/machine_code.h"

#define PLAN_NONE UINT32_MAX

/* The kernel's own code, or a copy of an internal function. */
struct plan_copy {
    uint32_t first, count; /* its instructions, numbered in the kernel */
    const char *name;      /* of the internal function; NULL: the kernel */
    uint32_t caller, call; /* the copy that calls it, or PLAN_NONE, and the instruction there */
    bool *reached;         /* per instruction */
    uint32_t *label;       /* per instruction the number of its label, or PLAN_NONE */
    const char **refused;  /* per instruction why its way on is not known, or NULL */
};

struct plan {
    struct arena *arena; /* protected */
    const struct cubin *cubin;
    const struct cubin_kernel *kernel;
    const struct machine_inst *insts; /* of the kernel */
    uint32_t inst_count;
    VEC(struct plan_copy) copies;
    uint32_t label_count;
    uint32_t reached_count; /* instructions of all copies */
};

/* Follows control from the kernel's first instruction. Labels are numbered in the order of copies and
 * addresses. */
void plan_make(struct plan *plan);

/* The instruction at a byte offset, as a number in the kernel; PLAN_NONE: there is none. */
uint32_t plan_inst_at(const struct plan *plan, uint32_t address);

/* The label of an instruction of a copy; PLAN_NONE: nothing branches there. */
uint32_t plan_label(const struct plan *plan, uint32_t copy, uint32_t inst);

/* The copy that a call enters; PLAN_NONE: none. */
uint32_t plan_callee(const struct plan *plan, uint32_t copy, uint32_t call);

/* What LEPC writes to the lower register: a place in the code, counted from the kernel's first instruction.
 */
uint32_t plan_address_in_register(const struct plan *plan, uint32_t lepc);

/* Whether the instruction behind it may be executed next: of a call not by itself, but when it returns. */
bool plan_goes_on(const struct machine_inst *inst);

/* Whether it is a call of code of the file. */
bool plan_calls(const struct sass_inst *inst);

/* The targets of a BRX, or NULL. */
const struct cubin_branch_table *plan_table(const struct plan *plan, uint32_t inst);

#endif
