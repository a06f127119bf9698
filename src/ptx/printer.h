/* PTX text from a module. */
#ifndef WB_PTX_PRINTER_H
#define WB_PTX_PRINTER_H

#include "base/text.h"
#include "ptx/ptx.h"

/* The name of a register, such as "%r5"; "CC" for the carry flag. */
void print_register(struct text *out, const struct ptx_function *function, uint32_t reg);

/* What an instruction does with a register. */
enum register_access { REGISTER_READ, REGISTER_WRITTEN, REGISTER_UPDATED /* read, then written */ };

/* Other names for registers than those of the PTX, such as names with versions. */
struct register_names {
    void (*put)(const struct register_names *names, struct text *out, uint32_t reg,
                enum register_access access);
};

/* The same with other names for registers; NULL: with those of the PTX. */
void print_inst_named(struct text *out, const struct wb_module *module, const struct ptx_function *function,
                      const struct ptx_inst *inst, const struct register_names *names);

#endif
