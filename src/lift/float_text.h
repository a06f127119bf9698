/* What the floating-point families have in common: modifiers as PTX writes them, and comparisons. */
#ifndef WB_LIFT_FLOAT_TEXT_H
#define WB_LIFT_FLOAT_TEXT_H

#include "lift/emit.h"

/* "rn", "rm", "rp", "rz": how the instruction rounds. */
const char *lift_rounding(const struct sass_inst *inst);

/* "rni", "rmi", "rpi", "rzi": how it rounds to an integer. */
const char *lift_integer_rounding(const struct sass_inst *inst);

/* `word`, such as ".ftz", where the field is set; else "". */
const char *lift_word(const struct sass_inst *inst, enum sass_field field, const char *word);

/* Emits an instruction whose opcode is formatted. */
void lift_emit_text(struct lift *lift, const struct ptx_operand *operands, uint32_t count, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));

#define LIFT_EMIT_TEXT(lift, operands, ...)                                                                  \
    lift_emit_text(lift, operands, (uint32_t)(sizeof(operands) / sizeof *(operands)), __VA_ARGS__)

/* `to` = (a compared with b) joined with the instruction's predicate; `fails`: the same of the opposite. Both
 * destinations; the type is that of PTX, such as "f32". */
void lift_compare(struct lift *lift, const struct sass_inst *inst, const char *type, struct ptx_operand to,
                  struct ptx_operand fails, struct ptx_operand a, struct ptx_operand b);

#endif
