/* The builder: operands, temporaries, instructions and their guards. */
#include "lift/lift.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#define TEXT_MAX 96

const char *lift_text(struct lift *lift, const char *format, ...) {
    char text[TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(text, sizeof text, format, arguments);
    va_end(arguments);
    return arena_string(lift->arena, text, strlen(text));
}

uint32_t lift_sm(const struct lift *lift) {
    return lift->sm;
}

void lift_refuse(struct lift *lift, const char *reason) {
    if (lift->refused == NULL) lift->refused = reason;
}

/* ---- Registers ----------------------------------------------------------------------------------------- */

uint32_t lift_new_register(struct lift *lift, const char *name, enum ptx_type type) {
    uint32_t index = (uint32_t)lift->groups.count;
    const struct ptx_reg_group group = {
        .name = name, .first = index, .count = 1, .type = type, .temporary = true};
    arena_push(lift->arena, &lift->groups, group);
    return index;
}

static struct ptx_operand register_operand(uint32_t index) {
    return (struct ptx_operand){.kind = PTX_OPERAND_REG, .index = index};
}

/* The register behind a slot of one of the machine's files, made when it is met first. */
static struct ptx_operand machine_register(struct lift *lift, uint32_t *slot, const char *prefix,
                                           uint32_t number, enum ptx_type type) {
    if (*slot == PTX_NO_INDEX) {
        const char *name = lift_text(lift, "%%%s%u", prefix, number);
        *slot = lift_new_register(lift, name, type);
        lift->groups.items[*slot].temporary = false;
    }
    return register_operand(*slot);
}

static bool is_zero_register(uint32_t number) {
    return number == SASS_RZ; /* SASS_URZ is the same number */
}

static struct ptx_operand any_register(struct lift *lift, uint32_t number, bool uniform) {
    assert(!is_zero_register(number));
    uint32_t *slot = uniform ? &lift->ureg[number] : &lift->reg[number];
    return machine_register(lift, slot, uniform ? "UR" : "R", number, PTX_B32);
}

static struct ptx_operand any_predicate(struct lift *lift, const struct sass_predicate *predicate) {
    uint32_t *slot =
        predicate->uniform ? &lift->upredicate[predicate->number] : &lift->predicate[predicate->number];
    return machine_register(lift, slot, predicate->uniform ? "UP" : "P", predicate->number, PTX_PRED);
}

struct ptx_operand lift_temp(struct lift *lift, enum ptx_type type) {
    enum lift_temp_kind kind = type == PTX_PRED  ? LIFT_TEMP_PRED
                               : type == PTX_B64 ? LIFT_TEMP_B64
                               : type == PTX_B32 ? LIFT_TEMP_B32
                                                 : LIFT_TEMP_B16;
    assert(kind != LIFT_TEMP_B16 || type == PTX_B16);
    struct lift_temps *temps = &lift->temps[kind];
    if (temps->used == temps->registers.count) {
        const char *name = lift_text(lift, "%%%c%u", "hwdq"[kind], temps -> used);
        uint32_t index = lift_new_register(lift, name, type);
        arena_push(lift->arena, &temps->registers, index);
    }
    return register_operand(temps->registers.items[temps->used++]);
}

struct ptx_operand lift_unwritten(struct lift *lift) {
    if (lift->unwritten == PTX_NO_INDEX) lift->unwritten = lift_new_register(lift, "%unwritten", PTX_B32);
    return register_operand(lift->unwritten);
}

/* ---- What is read -------------------------------------------------------------------------------------- */

struct ptx_operand lift_int(uint64_t value) {
    return (struct ptx_operand){.kind = PTX_OPERAND_INT, .value = value};
}

struct ptx_operand lift_none(void) {
    return (struct ptx_operand){.kind = PTX_OPERAND_NONE};
}

struct ptx_operand lift_special_register(uint32_t sreg) {
    return (struct ptx_operand){.kind = PTX_OPERAND_SREG, .index = sreg};
}

struct ptx_operand lift_variable(uint32_t variable, uint64_t offset) {
    return (struct ptx_operand){.kind = PTX_OPERAND_VARIABLE, .index = variable, .value = offset};
}

struct ptx_operand lift_reg(struct lift *lift, uint32_t number, bool uniform) {
    return is_zero_register(number) ? lift_int(0) : any_register(lift, number, uniform);
}

struct ptx_operand lift_pair(struct lift *lift, uint32_t number, bool uniform) {
    if (is_zero_register(number)) return lift_int(0);
    struct ptx_operand pair = lift_temp(lift, PTX_B64);
    const struct ptx_operand halves[2] = {lift_reg(lift, number, uniform),
                                          lift_reg(lift, number + 1, uniform)};
    LIFT_EMIT(lift, "mov.b64", pair, lift_vector(lift, halves, 2));
    return pair;
}

struct ptx_operand lift_source(struct lift *lift, const struct sass_source *source) {
    switch ((enum sass_source_kind)source->kind) {
    case SASS_SOURCE_REG: return lift_reg(lift, source->number, false);
    case SASS_SOURCE_UREG: return lift_reg(lift, source->number, true);
    case SASS_SOURCE_IMM: return lift_int(source->value);
    case SASS_SOURCE_CONST: return lift_constant(lift, source->number, source->value, 4);
    case SASS_SOURCE_BINDLESS: lift_refuse(lift, "constants without a bank are unknown"); return lift_int(0);
    case SASS_SOURCE_NONE: break;
    }
    return lift_int(0);
}

struct ptx_operand lift_source_int(struct lift *lift, const struct sass_source *source, bool invert) {
    struct ptx_operand operand = lift_source(lift, source);
    if (!source->negated) return operand;
    if (operand.kind == PTX_OPERAND_INT)
        return lift_int((uint32_t)(invert ? ~operand.value : 0 - operand.value));
    struct ptx_operand value = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, invert ? "not.b32" : "neg.s32", value, operand);
    return value;
}

struct ptx_operand lift_source_f32(struct lift *lift, const struct sass_source *source) {
    struct ptx_operand operand = lift_source(lift, source);
    if (operand.kind == PTX_OPERAND_INT) {
        uint32_t bits = (uint32_t)operand.value;
        if (source->absolute) bits &= INT32_MAX;
        if (source->negated) bits ^= UINT32_C(1) << 31;
        return lift_int(bits);
    }
    if (!source->absolute && !source->negated) return operand;
    /* The sign alone is changed, of a NaN, too: neg.f32 and abs.f32 leave it open there. */
    struct ptx_operand value = lift_temp(lift, PTX_B32);
    const uint32_t sign = UINT32_C(1) << 31;
    if (!source->absolute)
        LIFT_EMIT(lift, "xor.b32", value, operand, lift_int(sign));
    else if (source->negated)
        LIFT_EMIT(lift, "or.b32", value, operand, lift_int(sign));
    else
        LIFT_EMIT(lift, "and.b32", value, operand, lift_int(INT32_MAX));
    return value;
}

/* A literal of 64 bits from the 32 of the word. */
static uint64_t widened(uint32_t value, bool is_double) {
    return is_double ? (uint64_t)value << 32 : (uint64_t)(int64_t)(int32_t)value;
}

struct ptx_operand lift_source64(struct lift *lift, const struct sass_source *source, bool is_double) {
    struct ptx_operand operand = lift_int(0);
    switch ((enum sass_source_kind)source->kind) {
    case SASS_SOURCE_REG: operand = lift_pair(lift, source->number, false); break;
    case SASS_SOURCE_UREG: operand = lift_pair(lift, source->number, true); break;
    case SASS_SOURCE_IMM: operand = lift_int(widened(source->value, is_double)); break;
    case SASS_SOURCE_CONST: operand = lift_constant(lift, source->number, source->value, 8); break;
    case SASS_SOURCE_BINDLESS: lift_refuse(lift, "constants without a bank are unknown"); break;
    case SASS_SOURCE_NONE: break;
    }
    if (!is_double || (!source->absolute && !source->negated)) return operand;
    const uint64_t sign = UINT64_C(1) << 63;
    if (operand.kind == PTX_OPERAND_INT) {
        if (source->absolute) operand.value &= ~sign;
        if (source->negated) operand.value ^= sign;
        return operand;
    }
    struct ptx_operand value = lift_temp(lift, PTX_B64);
    if (!source->absolute)
        LIFT_EMIT(lift, "xor.b64", value, operand, lift_int(sign));
    else if (source->negated)
        LIFT_EMIT(lift, "or.b64", value, operand, lift_int(sign));
    else
        LIFT_EMIT(lift, "and.b64", value, operand, lift_int(~sign));
    return value;
}

struct ptx_operand lift_predicate(struct lift *lift, const struct sass_predicate *predicate) {
    if (predicate->number == SASS_PT) return lift_int(predicate->negated ? 0 : 1);
    struct ptx_operand operand = any_predicate(lift, predicate);
    operand.negated = predicate->negated;
    return operand;
}

/* ---- What is written ----------------------------------------------------------------------------------- */

static struct ptx_operand sink(void) {
    return (struct ptx_operand){.kind = PTX_OPERAND_SINK};
}

struct ptx_operand lift_to_reg(struct lift *lift, uint32_t number, bool uniform) {
    return is_zero_register(number) ? sink() : any_register(lift, number, uniform);
}

struct ptx_operand lift_to_predicate(struct lift *lift, const struct sass_predicate *predicate) {
    return predicate->number == SASS_PT ? sink() : any_predicate(lift, predicate);
}

void lift_write_pair(struct lift *lift, uint32_t number, bool uniform, struct ptx_operand value) {
    if (is_zero_register(number)) return;
    const struct ptx_operand halves[2] = {lift_to_reg(lift, number, uniform),
                                          lift_to_reg(lift, number + 1, uniform)};
    LIFT_EMIT(lift, "mov.b64", lift_vector(lift, halves, 2), value);
}

/* ---- Instructions -------------------------------------------------------------------------------------- */

struct ptx_operand lift_address(struct lift *lift, struct ptx_operand base, int64_t offset) {
    uint32_t index = (uint32_t)lift->operands.count;
    arena_push(lift->arena, &lift->operands, base);
    return (struct ptx_operand){.kind = PTX_OPERAND_ADDRESS, .index = index, .value = (uint64_t)offset};
}

struct ptx_operand lift_vector(struct lift *lift, const struct ptx_operand *elements, uint32_t count) {
    uint32_t index = (uint32_t)lift->operands.count;
    for (uint32_t i = 0; i < count; i++)
        arena_push(lift->arena, &lift->operands, elements[i]);
    return (struct ptx_operand){.kind = PTX_OPERAND_VECTOR, .index = index, .count = (uint16_t)count};
}

static bool is_written(char role) {
    return role == 'd' || role == 'D' || role == 'O' || role == 'x';
}

static bool is_machine_register(const struct lift *lift, const struct ptx_operand *operand) {
    return operand->kind == PTX_OPERAND_REG && !lift->groups.items[operand->index].temporary;
}

/* Whether an operand that is written has a register of the machine in it. */
static bool writes_machine(const struct lift *lift, const struct ptx_operand *operand) {
    if (operand->kind != PTX_OPERAND_VECTOR) return is_machine_register(lift, operand);
    for (uint32_t i = 0; i < operand->count; i++)
        if (is_machine_register(lift, &lift->operands.items[operand->index + i])) return true;
    return false;
}

/* Whether an instruction is executed only by lanes of which the machine instruction's guard is true: all but
 * computations of temporaries. */
static bool is_guarded(const struct lift *lift, const struct ptx_inst *inst) {
    const struct ptx_form *form = inst->form;
    bool computes = form->exec == PTX_EXEC_ALU || form->exec == PTX_EXEC_NONE ||
                    (form->exec == PTX_EXEC_MEMORY && form->space == PTX_SPACE_PARAM);
    bool written = false;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (!is_written(form->roles[i])) continue;
        written = true;
        if (writes_machine(lift, &lift->operands.items[inst->first_operand + i])) return true;
    }
    return !computes || !written;
}

void lift_emit(struct lift *lift, const char *opcode, const struct ptx_operand *operands, uint32_t count) {
    struct ptx_inst inst = lift->inst;
    if (form_get(lift->in->forms, opcode, strlen(opcode), &inst.form) != WB_OK)
        arena_fail(lift->arena, WB_ERR_LIMIT);
    const char *roles = inst.form->roles;
    assert(inst.form->op != PTX_OP_UNKNOWN && count <= strlen(roles));
    if (inst.form->op == PTX_OP_UNKNOWN || count > strlen(roles)) {
        lift_refuse(lift, "its meaning cannot be expressed");
        return;
    }
    inst.first_operand = (uint32_t)lift->operands.count;
    inst.operand_count = (uint8_t)strlen(roles);
    for (uint32_t i = 0; i < inst.operand_count; i++)
        arena_push(lift->arena, &lift->operands, i < count ? operands[i] : lift_none());
    if (lift->out == &lift->prologue || !is_guarded(lift, &inst)) inst.guard = PTX_NO_INDEX;
    if (inst.guard == PTX_NO_INDEX) inst.guard_negated = false;
    arena_push(lift->arena, &lift->out->insts, inst);
}

void lift_relies_on(struct lift *lift, enum ptx_reliance what) {
    lift->out->insts.items[lift->out->insts.count - 1].relies_on = (uint8_t)what;
}

void lift_narrow(struct lift *lift, struct ptx_operand predicate) {
    if (predicate.kind == PTX_OPERAND_INT && predicate.value != 0) return;
    struct ptx_operand both = lift_temp(lift, PTX_PRED);
    if (lift->inst.guard == PTX_NO_INDEX) {
        if (predicate.kind == PTX_OPERAND_REG) {
            lift->inst.guard = predicate.index;
            lift->inst.guard_negated = predicate.negated;
            return;
        }
        LIFT_EMIT(lift, "mov.pred", both, predicate);
    } else {
        struct ptx_operand guard = {
            .kind = PTX_OPERAND_REG, .index = lift->inst.guard, .negated = lift->inst.guard_negated};
        LIFT_EMIT(lift, "and.pred", both, guard, predicate);
    }
    lift->inst.guard = both.index;
    lift->inst.guard_negated = false;
}
