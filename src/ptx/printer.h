/* PTX text from a module. */
#ifndef WB_PTX_PRINTER_H
#define WB_PTX_PRINTER_H

#include "base/text.h"
#include "ptx/ptx.h"

/* The name of a register, such as "%r5"; "CC" for the carry flag. */
void print_register(struct text *out, const struct ptx_function *function, uint32_t reg);

/* An instruction with its guard, without semicolon and line break, such as "@%p1 bra $L__BB0_2". */
void print_inst(struct text *out, const struct wb_module *module, const struct ptx_function *function,
                const struct ptx_inst *inst);

/* A variable's declaration from its linkage to before the semicolon. */
void print_variable(struct text *out, const struct wb_module *module, const struct ptx_variable *variable);

#endif
