/* The function that is being lifted: what the builder (emit.c), constants.c, control.c and module.c share. */
#ifndef WB_LIFT_STATE_H
#define WB_LIFT_STATE_H

#include "base/arena.h"
#include "cubin/cubin.h"
#include "lift/plan.h"
#include "ptx/form.h"
#include "ptx/ptx.h"
#include "sass/machine_code.h"

/* Registers made for temporaries of one type; those below `used` are taken by the group being written. */
struct lift_temps {
    VEC(uint32_t) registers;
    uint32_t used;
};

enum lift_temp_kind { LIFT_TEMP_B16, LIFT_TEMP_B32, LIFT_TEMP_B64, LIFT_TEMP_PRED, LIFT_TEMP_KINDS };

/* A constant that the function reads: in a register from its beginning on. */
struct lift_constant {
    uint32_t bank, offset, bytes;
    uint32_t reg;
};

struct lift_code {
    VEC(struct ptx_inst) insts;
};

/* The module that is made. */
struct lift_module {
    struct wb_module *module;
    const struct cubin *cubin;
    struct form_table *forms;
    VEC(struct ptx_variable) variables;
    uint32_t *symbol_variable; /* per symbol of the file its variable, or PTX_NO_INDEX */
    uint32_t first_declared,
        declared_count;    /* functions of the module that the file calls and does not have */
    bool returns_by_stack; /* machine_code.returns_by_stack */
};

struct lift {
    struct arena *arena; /* of the module, protected */
    struct lift_module *in;
    const struct cubin_kernel *kernel;
    uint32_t sm;
    uint32_t first_param; /* variable of the kernel's first parameter; the others follow */
    uint32_t stack;       /* variable in local memory, or PTX_NO_INDEX */
    uint32_t constant2;   /* variable: bank 2, or PTX_NO_INDEX */
    const struct plan *plan;
    uint32_t copy, position; /* of the instruction that is lifted: copy of the plan, number in the kernel */

    /* The function so far. */
    VEC(struct ptx_reg_group) groups; /* of one register each */
    struct lift_code body, prologue;
    VEC(struct ptx_operand) operands;
    VEC(struct lift_constant) constants;
    VEC(struct ptx_prototype) prototypes; /* of BRX: their tables */
    /* Registers of the machine's files, or PTX_NO_INDEX. */
    uint32_t reg[SASS_RZ], ureg[SASS_RZ], predicate[SASS_PT], upredicate[SASS_PT];
    uint32_t barrier_result; /* what BAR.RED leaves for B2R.RESULT, or PTX_NO_INDEX */
    uint32_t unwritten;      /* lift_unwritten's, or PTX_NO_INDEX */
    struct lift_temps temps[LIFT_TEMP_KINDS];

    /* The group that is written. */
    struct lift_code *out; /* body, or prologue */
    size_t first;          /* its first instruction */
    struct ptx_inst inst;  /* guard, place and machine instruction of each of its instructions */
    const char *refused;   /* why the machine instruction has no meaning, or NULL */
};

/* A new register of its own name, which must outlive the module. */
uint32_t lift_new_register(struct lift *lift, const char *name, enum ptx_type type);

#endif
