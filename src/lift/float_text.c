#include "lift/lift.h"

#include <stdarg.h>

const char *lift_rounding(const struct sass_inst *inst) {
    static const char *const words[] = {"rn", "rm", "rp", "rz"};
    return words[sass_field(inst, SASS_FIELD_ROUND) & 3];
}

const char *lift_integer_rounding(const struct sass_inst *inst) {
    static const char *const words[] = {"rni", "rmi", "rpi", "rzi"};
    return words[sass_field(inst, SASS_FIELD_ROUND) & 3];
}

const char *lift_word(const struct sass_inst *inst, enum sass_field field, const char *word) {
    return sass_field(inst, field) != 0 ? word : "";
}

void lift_emit_text(struct lift *lift, const struct ptx_operand *operands, uint32_t count, const char *format,
                    ...) {
    char opcode[64];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(opcode, sizeof opcode, format, arguments);
    va_end(arguments);
    lift_emit(lift, lift_text(lift, "%s", opcode), operands, count);
}

void lift_compare(struct lift *lift, const struct sass_inst *inst, const char *type, struct ptx_operand to,
                  struct ptx_operand fails, struct ptx_operand a, struct ptx_operand b) {
    static const char *const comparisons[16] = {NULL,  "lt",  "eq",  "le",  "gt",  "ne",  "ge",  "num",
                                                "nan", "ltu", "equ", "leu", "gtu", "neu", "geu", NULL};
    static const char *const joins[] = {"and", "or", "xor"};
    uint32_t compare = sass_field(inst, SASS_FIELD_COMPARE) & 15, join = sass_field(inst, SASS_FIELD_BOOL);
    if (join > 2) {
        lift_refuse(lift, "its combination of predicates is unknown");
        return;
    }
    const struct ptx_operand with = lift_predicate(lift, &inst->from[0]);
    const bool alone = with.kind == PTX_OPERAND_INT && with.value == (join == 0 ? 1 : 0);
    if (comparisons[compare] == NULL) { /* always true, or never */
        const struct ptx_operand operands[] = {to, fails, lift_int(compare == 0), lift_int(0), with};
        LIFT_EMIT_TEXT(lift, operands, "setp.eq.%s.u32", joins[join]);
        return;
    }
    const char *flush = lift_word(inst, SASS_FIELD_FTZ, ".ftz");
    const struct ptx_operand operands[] = {to, fails, a, b, with};
    if (alone)
        lift_emit_text(lift, operands, 4, "setp.%s%s.%s", comparisons[compare], flush, type);
    else
        LIFT_EMIT_TEXT(lift, operands, "setp.%s.%s%s.%s", comparisons[compare], joins[join], flush, type);
}
