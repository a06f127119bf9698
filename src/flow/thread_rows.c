#include "flow/thread_rows.h"

#include "flow/transfer.h"

/* The low bits of %tid.x in which the threads of a warp differ. */
#define LANE_BITS 5u

/* Threads may differ in every bit. */
#define ANY_BITS 64u

bool thread_rows_in_block(const uint32_t block[3]) {
    return block[0] != 0 && ((block[1] <= 1 && block[2] <= 1) || block[0] % (1u << LANE_BITS) == 0);
}

/* What the rules look at. The low low[v] bits of value v may differ between the threads of a warp, the others
 * do not; a predicate has one bit. */
struct rows {
    const struct ssa *ssa;
    uint8_t *low;
};

/* An instruction of one result, and the bits of its type. */
struct row_inst {
    const struct rows *rows;
    uint32_t index;
    const struct ptx_form *form;
    const struct ptx_operand *operands;
    uint32_t bits;
    bool is_signed;
};

static uint32_t low_of_register(const struct row_inst *inst, uint32_t reg) {
    const struct ssa *ssa = inst->rows->ssa;
    for (uint32_t u = ssa->first_use[inst->index]; u < ssa->first_use[inst->index + 1]; u++)
        if (ssa->values[ssa->uses[u]].reg == reg) return inst->rows->low[ssa->uses[u]];
    return ANY_BITS;
}

static uint32_t low_of(const struct row_inst *inst, uint32_t operand) {
    const struct ptx_operand *o = &inst->operands[operand];
    if (o->negated || o->select != 0) return ANY_BITS;
    switch (o->kind) {
    case PTX_OPERAND_INT: return 0;
    case PTX_OPERAND_REG: return low_of_register(inst, o->index);
    case PTX_OPERAND_SREG:
        if (o->index == PTX_SREG_TID_X) return LANE_BITS;
        return o->index == PTX_SREG_TID_Y || o->index == PTX_SREG_TID_Z ? 0 : ANY_BITS;
    default: return ANY_BITS;
    }
}

static bool constant(const struct row_inst *inst, uint32_t operand, uint64_t *value) {
    *value = inst->operands[operand].value;
    return inst->operands[operand].kind == PTX_OPERAND_INT && !inst->operands[operand].negated;
}

/* Bits that a number needs, 0 of 0. */
static uint32_t bit_length(uint64_t x) {
    return x == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(x);
}

static uint64_t low_mask(uint32_t low) {
    return low >= 64 ? UINT64_MAX : (UINT64_C(1) << low) - 1;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* A mask takes bits away. */
static uint32_t and_low(const struct row_inst *inst) {
    const uint32_t a = low_of(inst, 1), b = low_of(inst, 2);
    uint64_t mask;
    if (constant(inst, 2, &mask)) return bit_length(mask & low_mask(a));
    if (constant(inst, 1, &mask)) return bit_length(mask & low_mask(b));
    return larger(a, b);
}

/* The shift's number counts up to the width of the type. To the right, the sign that comes in must be the
 * same in all threads. */
static uint32_t shift_low(const struct row_inst *inst) {
    const uint32_t low = low_of(inst, 1);
    uint64_t shift;
    if (low == 0 && low_of(inst, 2) == 0) return 0;
    if (!constant(inst, 2, &shift) || low >= inst->bits) return ANY_BITS;
    shift = (uint32_t)shift; /* as it is executed */
    if (shift > inst->bits) shift = inst->bits;
    if (inst->form->op == PTX_OP_SHL)
        return low + (uint32_t)shift > ANY_BITS ? ANY_BITS : low + (uint32_t)shift;
    return low > shift ? low - (uint32_t)shift : 0;
}

/* Numbers that differ in their low k bits only have the same quotient by a multiple of 2^k: it is that of the
 * other bits. Signed quotients are rounded towards 0, so that this fails below it. */
static uint32_t div_low(const struct row_inst *inst) {
    const uint32_t low = low_of(inst, 1);
    uint64_t divisor;
    if (low == 0 && low_of(inst, 2) == 0) return 0;
    const bool known = constant(inst, 2, &divisor);
    divisor &= low_mask(inst->bits);
    const bool multiple = known && divisor != 0 && (divisor & low_mask(low)) == 0;
    return multiple && low < inst->bits && !inst->is_signed ? 0 : ANY_BITS;
}

/* Such numbers are on one side of a multiple of 2^k: a < c is the same for all of them, and a <= c - 1. */
static uint32_t setp_low(const struct row_inst *inst) {
    const uint32_t low = low_of(inst, 2);
    uint64_t bound;
    if (inst->operands[1].kind != PTX_OPERAND_NONE || inst->operands[4].kind != PTX_OPERAND_NONE)
        return ANY_BITS;
    if (low == 0 && low_of(inst, 3) == 0) return 0;
    if (!constant(inst, 3, &bound) || low >= inst->bits) return ANY_BITS;
    switch (inst->form->compare) {
    case PTX_CMP_LT:
    case PTX_CMP_GE:
    case PTX_CMP_LO:
    case PTX_CMP_HS: return (bound & low_mask(low)) == 0 ? 0 : ANY_BITS;
    case PTX_CMP_LE:
    case PTX_CMP_GT:
    case PTX_CMP_LS:
    case PTX_CMP_HI: return ((bound + 1) & low_mask(low)) == 0 ? 0 : ANY_BITS;
    default: return ANY_BITS;
    }
}

/* Between integers: what is cut off or copied into the new bits is the same, if the sign is. */
static uint32_t cvt_low(const struct row_inst *inst) {
    bool is_signed;
    const uint32_t from = integer_bits(inst->form->type2, &is_signed), low = low_of(inst, 1);
    return from != 0 && low < from && low < inst->bits ? low : ANY_BITS;
}

static uint32_t result_low(const struct row_inst *inst) {
    switch (inst->form->op) {
    case PTX_OP_MOV: return low_of(inst, 1);
    case PTX_OP_CVT: return cvt_low(inst);
    case PTX_OP_AND: return and_low(inst);
    case PTX_OP_OR:
    case PTX_OP_XOR: return larger(low_of(inst, 1), low_of(inst, 2));
    case PTX_OP_NOT: return low_of(inst, 1);
    case PTX_OP_SHL:
    case PTX_OP_SHR: return shift_low(inst);
    case PTX_OP_DIV: return div_low(inst);
    case PTX_OP_SETP: return setp_low(inst);
    default: return ANY_BITS;
    }
}

/* Phis choose, and guards keep what was before: what they do depends on more than the operands. */
static uint32_t value_low(const struct rows *rows, const struct ssa_value *value) {
    if (value->kind != SSA_INST) return ANY_BITS;
    const struct ptx_function *function = rows->ssa->cfg->function;
    const struct ptx_inst *inst = &function->insts[value->inst];
    struct row_inst row = {
        .rows = rows, .index = value->inst, .form = inst->form, .operands = ptx_operands(function, inst)};
    row.bits = integer_bits(inst->form->type, &row.is_signed);
    const bool plain = inst->guard == PTX_NO_INDEX && inst->operand_count > 1 && !inst->form->sat &&
                       row.operands[0].kind == PTX_OPERAND_REG && row.operands[0].index == value->reg;
    return plain && row.bits != 0 ? result_low(&row) : ANY_BITS;
}

wb_status thread_rows_same(const struct ssa *ssa, struct arena *arena, bool **same) {
    struct rows rows = {.ssa = ssa, .low = arena_alloc(arena, ssa->value_count + 1)};
    *same = arena_alloc(arena, (ssa->value_count + 1) * sizeof **same);
    if (rows.low == NULL || *same == NULL) return WB_ERR_LIMIT;
    for (uint32_t v = 0; v < ssa->value_count; v++) { /* what an instruction reads is numbered before */
        rows.low[v] = (uint8_t)value_low(&rows, &ssa->values[v]);
        (*same)[v] = rows.low[v] == 0;
    }
    return WB_OK;
}
