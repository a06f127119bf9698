/* Arithmetic on f64, in pairs of registers. */
#include "lift/lift.h"

static void arithmetic(struct lift *lift, const struct sass_inst *inst, const char *name,
                       const struct sass_source *const *sources, uint32_t count) {
    struct ptx_operand operands[4] = {lift_temp(lift, PTX_B64)};
    for (uint32_t i = 0; i < count; i++)
        operands[1 + i] = lift_source64(lift, sources[i], true);
    lift_emit_text(lift, operands, 1 + count, "%s.%s.f64", name, lift_rounding(inst));
    lift_write_pair(lift, inst->d, inst->d_uniform, operands[0]);
}

#define DSETP_MIN 0u
#define DSETP_MAX 15u

/* DSETP.MIN and DSETP.MAX: whether A is the smaller or larger of two numbers, and whether both are NaN: what
 * ptxas makes min.f64 and max.f64 of, with selections behind it. */
static void extreme(struct lift *lift, const struct sass_inst *inst, const char *opcode) {
    const struct ptx_operand with = lift_predicate(lift, &inst->from[0]);
    if (with.kind != PTX_OPERAND_INT || with.value != 1 || sass_field(inst, SASS_FIELD_BOOL) != 0) {
        lift_refuse(lift, "its combination of predicates is unknown");
        return;
    }
    const struct ptx_operand a = lift_source64(lift, &inst->a, true);
    const struct ptx_operand b = lift_source64(lift, &inst->b, true);
    const struct ptx_operand result = lift_temp(lift, PTX_B64);
    const struct ptx_operand no_a = lift_temp(lift, PTX_PRED);
    LIFT_EMIT(lift, opcode, result, a, b);
    LIFT_EMIT(lift, "setp.nan.f64", no_a, lift_none(), a, a);
    struct ptx_operand some_a = no_a;
    some_a.negated = true;
    LIFT_EMIT(lift, "setp.eq.and.u64", lift_to_predicate(lift, &inst->to[0]), lift_none(), result, a, some_a);
    LIFT_EMIT(lift, "setp.nan.and.f64", lift_to_predicate(lift, &inst->to[1]), lift_none(), b, b, no_a);
}

static void comparison(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t compare = sass_field(inst, SASS_FIELD_COMPARE);
    if (compare == DSETP_MIN || compare == DSETP_MAX) {
        extreme(lift, inst, compare == DSETP_MIN ? "min.f64" : "max.f64");
        return;
    }
    const struct ptx_operand a = lift_source64(lift, &inst->a, true);
    const struct ptx_operand b = lift_source64(lift, &inst->b, true);
    lift_compare(lift, inst, "f64", lift_to_predicate(lift, &inst->to[0]),
                 lift_to_predicate(lift, &inst->to[1]), a, b);
}

void lift_double(struct lift *lift, const struct sass_inst *inst) {
    const struct sass_source *const two[] = {&inst->a, &inst->b};
    const struct sass_source *const three[] = {&inst->a, &inst->b, &inst->c};
    switch (inst->op) {
    case SASS_OP_DADD: arithmetic(lift, inst, "add", two, 2); break;
    case SASS_OP_DMUL: arithmetic(lift, inst, "mul", two, 2); break;
    case SASS_OP_DFMA: arithmetic(lift, inst, "fma", three, 3); break;
    case SASS_OP_DSETP: comparison(lift, inst); break;
    default: lift_refuse(lift, "its effect is unknown"); break;
    }
}
