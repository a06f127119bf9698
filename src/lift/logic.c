/* Logic, shifts, bits and bytes, selection and moves, of registers and of predicates. */
#include "lift/lift.h"

/* ---- Truth tables -------------------------------------------------------------------------------------- */

/* The tables of the three inputs: bit 4 a + 2 b + c of a table is the result for a, b and c. */
static const uint8_t table_of_input[3] = {0xf0, 0xcc, 0xaa};

/* A table of inputs some of which are literals of all zeros or all ones, and others inverted: the table of
 * the inputs as they stand there, and which of its bits matter. */
struct truth {
    uint8_t table, relevant;
};

/* Input `i` is always `one`. */
static void fix_input(struct truth *truth, uint32_t i, bool one) {
    truth->relevant &= one ? table_of_input[i] : (uint8_t)~table_of_input[i];
}

/* Input `i` stands there inverted. */
static void invert_input(struct truth *truth, uint32_t i) {
    const uint32_t step = 4u >> i;
    uint8_t swapped = 0;
    for (uint32_t bit = 0; bit < 8; bit++)
        swapped |= (uint8_t)((truth->table >> (bit ^ step) & 1) << bit);
    truth->table = swapped;
}

static bool is_same(const struct truth *truth, uint32_t table) {
    return ((truth->table ^ table) & truth->relevant) == 0;
}

/* What a table is in few words: a constant, an input, or an operation of two of them, inverted or not. */
struct meaning {
    enum { MEANING_CONSTANT, MEANING_INPUT, MEANING_AND, MEANING_OR, MEANING_XOR, MEANING_TABLE } kind;
    bool inverted[2]; /* the inputs; of a constant, an input or xor [0] alone: the result */
    uint8_t input[2];
};

/* `x op y` for the operation with any inputs inverted. */
static bool is_operation(const struct truth *truth, uint32_t i, uint32_t j, struct meaning *meaning) {
    for (uint32_t inverted = 0; inverted < 4; inverted++) {
        const uint32_t x = table_of_input[i] ^ ((inverted & 1) != 0 ? 0xffu : 0);
        const uint32_t y = table_of_input[j] ^ ((inverted & 2) != 0 ? 0xffu : 0);
        *meaning = (struct meaning){.inverted = {(inverted & 1) != 0, (inverted & 2) != 0},
                                    .input = {(uint8_t)i, (uint8_t)j}};
        meaning->kind = is_same(truth, x & y)   ? MEANING_AND
                        : is_same(truth, x | y) ? MEANING_OR
                        : is_same(truth, x ^ y) ? MEANING_XOR
                                                : MEANING_TABLE;
        if (meaning->kind != MEANING_TABLE) return true;
    }
    return false;
}

static struct meaning meaning_of(const struct truth *truth) {
    struct meaning meaning = {.kind = MEANING_CONSTANT};
    if (is_same(truth, 0)) return meaning;
    meaning.inverted[0] = true;
    if (is_same(truth, 0xff)) return meaning;
    meaning.kind = MEANING_INPUT;
    for (uint8_t i = 0; i < 3; i++) {
        for (uint32_t inverted = 0; inverted < 2; inverted++) {
            meaning.input[0] = i;
            meaning.inverted[0] = inverted != 0;
            if (is_same(truth, table_of_input[i] ^ (inverted != 0 ? 0xffu : 0))) return meaning;
        }
    }
    if (is_operation(truth, 0, 1, &meaning) || is_operation(truth, 0, 2, &meaning) ||
        is_operation(truth, 1, 2, &meaning))
        return meaning;
    return (struct meaning){.kind = MEANING_TABLE};
}

static const char *operation_name(const struct meaning *meaning, bool of_predicates) {
    static const char *const names[][2] = {[MEANING_AND] = {"and.b32", "and.pred"},
                                           [MEANING_OR] = {"or.b32", "or.pred"},
                                           [MEANING_XOR] = {"xor.b32", "xor.pred"}};
    return names[meaning->kind][of_predicates];
}

/* ---- LOP3 ---------------------------------------------------------------------------------------------- */

/* Writes what a table gives. An operation of inverted inputs takes lop3, which has them at once. */
static void write_words(struct lift *lift, struct ptx_operand to, const struct truth *truth,
                        const struct ptx_operand inputs[3]) {
    const struct meaning meaning = meaning_of(truth);
    const bool inverts = meaning.inverted[0] || (meaning.kind > MEANING_INPUT && meaning.inverted[1]);
    if (meaning.kind == MEANING_CONSTANT) {
        LIFT_EMIT(lift, "mov.b32", to, lift_int(meaning.inverted[0] ? UINT32_MAX : 0));
    } else if (meaning.kind == MEANING_INPUT) {
        LIFT_EMIT(lift, meaning.inverted[0] ? "not.b32" : "mov.b32", to, inputs[meaning.input[0]]);
    } else if (meaning.kind == MEANING_TABLE || inverts) {
        LIFT_EMIT(lift, "lop3.b32", to, lift_none(), inputs[0], inputs[1], inputs[2], lift_int(truth->table));
    } else {
        LIFT_EMIT(lift, operation_name(&meaning, false), to, inputs[meaning.input[0]],
                  inputs[meaning.input[1]]);
    }
}

static void logic(struct lift *lift, const struct sass_inst *inst) {
    const struct sass_source *sources[3] = {&inst->a, &inst->b, &inst->c};
    struct truth truth = {(uint8_t)sass_field(inst, SASS_FIELD_LUT), 0xff};
    struct ptx_operand inputs[3], to = lift_to_reg(lift, inst->d, inst->d_uniform);
    struct ptx_operand holds = lift_to_predicate(lift, &inst->to[0]);
    for (uint32_t i = 0; i < 3; i++) {
        inputs[i] = lift_source(lift, sources[i]);
        if (inputs[i].kind != PTX_OPERAND_INT) continue;
        if ((uint32_t)inputs[i].value == 0) fix_input(&truth, i, false);
        if ((uint32_t)inputs[i].value == UINT32_MAX) fix_input(&truth, i, true);
    }
    const bool tests = inst->to[0].present && holds.kind == PTX_OPERAND_REG;
    if (!tests) {
        write_words(lift, to, &truth, inputs);
        return;
    }
    struct ptx_operand word = lift_temp(lift, PTX_B32);
    struct ptx_operand given = lift_predicate(lift, &inst->from[0]);
    const bool all = sass_field(inst, SASS_FIELD_PAND);
    write_words(lift, word, &truth, inputs);
    if (to.kind == PTX_OPERAND_REG) LIFT_EMIT(lift, "mov.b32", to, word);
    if (given.kind == PTX_OPERAND_INT && (given.value != 0) == all)
        LIFT_EMIT(lift, "setp.ne.u32", holds, lift_none(), word, lift_int(0));
    else
        LIFT_EMIT(lift, all ? "setp.ne.and.u32" : "setp.ne.or.u32", holds, lift_none(), word, lift_int(0),
                  given);
}

/* ---- PLOP3 --------------------------------------------------------------------------------------------- */

/* A predicate as the machine's register has it, to be read inverted or not. */
static struct ptx_operand read_inverted(struct lift *lift, struct ptx_operand input, bool inverted) {
    if (!inverted) return input;
    struct ptx_operand result = lift_temp(lift, PTX_PRED);
    LIFT_EMIT(lift, "not.pred", result, input);
    return result;
}

/* Any table, as one of words whose bits are all the predicate. */
static void write_table(struct lift *lift, struct ptx_operand to, const struct truth *truth,
                        const struct ptx_operand inputs[3]) {
    struct ptx_operand words[3], result = lift_temp(lift, PTX_B32);
    for (uint32_t i = 0; i < 3; i++) {
        words[i] = lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, "selp.b32", words[i], lift_int(UINT32_MAX), lift_int(0), inputs[i]);
    }
    LIFT_EMIT(lift, "lop3.b32", result, lift_none(), words[0], words[1], words[2], lift_int(truth->table));
    LIFT_EMIT(lift, "setp.ne.u32", to, lift_none(), result, lift_int(0));
}

static void write_truth(struct lift *lift, struct ptx_operand to, const struct truth *truth,
                        const struct ptx_operand inputs[3]) {
    const struct meaning meaning = meaning_of(truth);
    if (meaning.kind == MEANING_CONSTANT) {
        LIFT_EMIT(lift, "mov.pred", to, lift_int(meaning.inverted[0]));
    } else if (meaning.kind == MEANING_INPUT) {
        LIFT_EMIT(lift, meaning.inverted[0] ? "not.pred" : "mov.pred", to, inputs[meaning.input[0]]);
    } else if (meaning.kind == MEANING_TABLE) {
        write_table(lift, to, truth, inputs);
    } else {
        struct ptx_operand x = read_inverted(lift, inputs[meaning.input[0]], meaning.inverted[0]);
        struct ptx_operand y = read_inverted(lift, inputs[meaning.input[1]], meaning.inverted[1]);
        LIFT_EMIT(lift, operation_name(&meaning, true), to, x, y);
    }
}

static void predicate_logic(struct lift *lift, const struct sass_inst *inst) {
    const enum sass_field tables[2] = {SASS_FIELD_LUT, SASS_FIELD_LUT2};
    struct truth truths[2];
    struct ptx_operand inputs[3], to[2];
    for (uint32_t t = 0; t < 2; t++) {
        truths[t] = (struct truth){(uint8_t)sass_field(inst, tables[t]), 0xff};
        to[t] = lift_to_predicate(lift, &inst->to[t]);
        for (uint32_t i = 0; i < 3; i++) {
            inputs[i] = lift_predicate(lift, &inst->from[i]);
            if (inputs[i].kind == PTX_OPERAND_INT)
                fix_input(&truths[t], i, inputs[i].value != 0);
            else if (inputs[i].negated)
                invert_input(&truths[t], i);
            inputs[i].negated = false;
        }
    }
    const bool both = to[0].kind == PTX_OPERAND_REG && to[1].kind == PTX_OPERAND_REG;
    struct ptx_operand first = both ? lift_temp(lift, PTX_PRED) : to[0];
    if (to[0].kind == PTX_OPERAND_REG) write_truth(lift, first, &truths[0], inputs);
    if (to[1].kind == PTX_OPERAND_REG) write_truth(lift, to[1], &truths[1], inputs);
    if (both) LIFT_EMIT(lift, "mov.pred", to[0], first);
}

/* ---- Shifts -------------------------------------------------------------------------------------------- */

enum shift_type { SHIFT_S64, SHIFT_U64, SHIFT_S32, SHIFT_U32 };

struct shift {
    bool right, high, wrap, wide, is_signed;
    struct ptx_operand low, upper, amount;
};

/* The amount modulo the width, where it wraps. */
static void wrap_amount(struct lift *lift, struct shift *shift) {
    const uint32_t most = shift->wide ? 63 : 31;
    if (!shift->wrap) return;
    if (shift->amount.kind == PTX_OPERAND_INT) {
        shift->amount.value &= most;
        return;
    }
    struct ptx_operand wrapped = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, "and.b32", wrapped, shift->amount, lift_int(most));
    shift->amount = wrapped;
}

/* Shifts of which at most 32 bits matter: those of 32-bit types, and others by so little. */
static void shift_words(struct lift *lift, struct ptx_operand to, const struct shift *shift) {
    if (!shift->right && !shift->high)
        LIFT_EMIT(lift, "shl.b32", to, shift->low, shift->amount);
    else if (shift->right && shift->high)
        LIFT_EMIT(lift, shift->is_signed ? "shr.s32" : "shr.u32", to, shift->upper, shift->amount);
    else
        LIFT_EMIT(lift, shift->right ? "shf.r.clamp.b32" : "shf.l.clamp.b32", to, shift->low, shift->upper,
                  shift->amount);
}

static void shift_pair(struct lift *lift, struct ptx_operand to, const struct shift *shift) {
    const struct ptx_operand parts[2] = {shift->low, shift->upper};
    struct ptx_operand pair = lift_temp(lift, PTX_B64), shifted = lift_temp(lift, PTX_B64);
    struct ptx_operand halves[2] = {{.kind = PTX_OPERAND_SINK}, {.kind = PTX_OPERAND_SINK}};
    LIFT_EMIT(lift, "mov.b64", pair, lift_vector(lift, parts, 2));
    LIFT_EMIT(lift,
              !shift->right      ? "shl.b64"
              : shift->is_signed ? "shr.s64"
                                 : "shr.u64",
              shifted, pair, shift->amount);
    halves[shift->high] = to;
    LIFT_EMIT(lift, "mov.b64", lift_vector(lift, halves, 2), shifted);
}

static void shift(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t type = sass_field(inst, SASS_FIELD_TYPE);
    struct shift shift = {.right = sass_field(inst, SASS_FIELD_RIGHT),
                          .high = sass_field(inst, SASS_FIELD_HIGH),
                          .wrap = sass_field(inst, SASS_FIELD_WRAP),
                          .wide = type == SHIFT_S64 || type == SHIFT_U64,
                          .is_signed = type == SHIFT_S64 || type == SHIFT_S32,
                          .low = lift_source(lift, &inst->a),
                          .upper = lift_source(lift, &inst->c),
                          .amount = lift_source(lift, &inst->b)};
    struct ptx_operand to = lift_to_reg(lift, inst->d, inst->d_uniform);
    wrap_amount(lift, &shift);
    const bool is_small = shift.amount.kind == PTX_OPERAND_INT && shift.amount.value <= 32;
    if (shift.wide && !is_small)
        shift_pair(lift, to, &shift);
    else
        shift_words(lift, to, &shift);
}

/* ---- Bits and bytes ------------------------------------------------------------------------------------ */

static void permute(struct lift *lift, const struct sass_inst *inst) {
    static const char *const opcodes[] = {"prmt.b32",     "prmt.b32.f4e", "prmt.b32.b4e", "prmt.b32.rc8",
                                          "prmt.b32.ecl", "prmt.b32.ecr", "prmt.b32.rc16"};
    const uint32_t mode = sass_field(inst, SASS_FIELD_MODE);
    if (mode >= sizeof opcodes / sizeof *opcodes) {
        lift_refuse(lift, "its permutation of bytes is unknown");
        return;
    }
    LIFT_EMIT(lift, opcodes[mode], lift_to_reg(lift, inst->d, inst->d_uniform), lift_source(lift, &inst->a),
              lift_source(lift, &inst->c), lift_source(lift, &inst->b));
}

/* Instructions with a destination and sources A and B, and those with B alone. */
static void two_sources(struct lift *lift, const struct sass_inst *inst, const char *opcode) {
    LIFT_EMIT(lift, opcode, lift_to_reg(lift, inst->d, inst->d_uniform), lift_source(lift, &inst->a),
              lift_source(lift, &inst->b));
}

static void one_source(struct lift *lift, const struct sass_inst *inst, const char *opcode) {
    LIFT_EMIT(lift, opcode, lift_to_reg(lift, inst->d, inst->d_uniform),
              lift_source_int(lift, &inst->b, true));
}

static void extend_sign(struct lift *lift, const struct sass_inst *inst) {
    const bool is_signed = sass_field(inst, SASS_FIELD_SIGNED), wraps = sass_field(inst, SASS_FIELD_WRAP);
    two_sources(lift, inst,
                is_signed ? wraps ? "szext.wrap.s32" : "szext.clamp.s32"
                : wraps   ? "szext.wrap.u32"
                          : "szext.clamp.u32");
}

static void find_leading(struct lift *lift, const struct sass_inst *inst) {
    const bool is_signed = sass_field(inst, SASS_FIELD_SIGNED),
               shift_amount = sass_field(inst, SASS_FIELD_SH);
    one_source(lift, inst,
               is_signed      ? shift_amount ? "bfind.shiftamt.s32" : "bfind.s32"
               : shift_amount ? "bfind.shiftamt.u32"
                              : "bfind.u32");
}

/* ---- Selection and moves ------------------------------------------------------------------------------- */

static void choose(struct lift *lift, const struct sass_inst *inst) {
    struct ptx_operand choice = lift_predicate(lift, &inst->from[0]);
    struct ptx_operand a = lift_source(lift, &inst->a), b = lift_source(lift, &inst->b);
    struct ptx_operand to = lift_to_reg(lift, inst->d, inst->d_uniform);
    if (choice.kind == PTX_OPERAND_INT)
        LIFT_EMIT(lift, "mov.b32", to, choice.value != 0 ? a : b);
    else
        LIFT_EMIT(lift, "selp.b32", to, a, b, choice);
}

static void move(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t lanes = sass_field(inst, SASS_FIELD_LANE_MASK);
    if (inst->op == SASS_OP_MOV && lanes != 15) {
        lift_refuse(lift, "a move of some lanes of four is unknown");
        return;
    }
    LIFT_EMIT(lift, "mov.b32", lift_to_reg(lift, inst->d, inst->d_uniform),
              lift_source(lift, inst->op == SASS_OP_R2UR ? &inst->a : &inst->b));
}

/* R2UR: the predicate says whether lanes that are here have different values. */
static void to_uniform(struct lift *lift, const struct sass_inst *inst) {
    if (inst->to[0].number != SASS_PT) {
        struct ptx_operand here = lift_temp(lift, PTX_B32), same = lift_temp(lift, PTX_PRED);
        LIFT_EMIT(lift, "activemask.b32", here);
        LIFT_EMIT(lift, "match.all.sync.b32", lift_temp(lift, PTX_B32), same, lift_source(lift, &inst->a),
                  here);
        LIFT_EMIT(lift, "not.pred", lift_to_predicate(lift, &inst->to[0]), same);
    }
    move(lift, inst);
}

static struct sass_predicate predicate_number(uint32_t number) {
    return (struct sass_predicate){.number = (uint8_t)number, .present = true};
}

/* The predicates that a mask names, P7 being none; false: it is no literal. */
static bool predicate_mask(struct lift *lift, const struct sass_inst *inst, uint32_t *mask) {
    *mask = inst->b.value & 0x7f;
    if (inst->b.kind == SASS_SOURCE_IMM && (inst->b.value & ~UINT32_C(0x7f)) == 0) return true;
    lift_refuse(lift, "a mask of predicates that is unknown");
    return false;
}

static void predicates_to_register(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t first = 8 * sass_field(inst, SASS_FIELD_BYTE);
    uint32_t mask;
    if (!predicate_mask(lift, inst, &mask)) return;
    struct ptx_operand word = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, "and.b32", word, lift_source(lift, &inst->a), lift_int((uint32_t) ~(mask << first)));
    for (uint32_t i = 0; i < 7; i++) {
        if ((mask >> i & 1) == 0) continue;
        const struct sass_predicate predicate = predicate_number(i);
        struct ptx_operand bit = lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, "selp.b32", bit, lift_int(UINT64_C(1) << (first + i)), lift_int(0),
                  lift_predicate(lift, &predicate));
        LIFT_EMIT(lift, "or.b32", word, word, bit);
    }
    LIFT_EMIT(lift, "mov.b32", lift_to_reg(lift, inst->d, inst->d_uniform), word);
}

static void register_to_predicates(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t first = 8 * sass_field(inst, SASS_FIELD_BYTE);
    uint32_t mask;
    if (!predicate_mask(lift, inst, &mask)) return;
    for (uint32_t i = 0; i < 7; i++) {
        if ((mask >> i & 1) == 0) continue;
        const struct sass_predicate predicate = predicate_number(i);
        struct ptx_operand bit = lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, "and.b32", bit, lift_source(lift, &inst->a), lift_int(UINT64_C(1) << (first + i)));
        LIFT_EMIT(lift, "setp.ne.u32", lift_to_predicate(lift, &predicate), lift_none(), bit, lift_int(0));
    }
}

void lift_logic(struct lift *lift, const struct sass_inst *inst) {
    switch (inst->op) {
    case SASS_OP_LOP3:
    case SASS_OP_ULOP3: logic(lift, inst); return;
    case SASS_OP_PLOP3:
    case SASS_OP_UPLOP3: predicate_logic(lift, inst); return;
    case SASS_OP_SHF:
    case SASS_OP_USHF: shift(lift, inst); return;
    case SASS_OP_PRMT:
    case SASS_OP_UPRMT: permute(lift, inst); return;
    case SASS_OP_SGXT:
    case SASS_OP_USGXT: extend_sign(lift, inst); return;
    case SASS_OP_BMSK:
    case SASS_OP_UBMSK:
        two_sources(lift, inst, sass_field(inst, SASS_FIELD_WRAP) ? "bmsk.wrap.b32" : "bmsk.clamp.b32");
        return;
    case SASS_OP_POPC:
    case SASS_OP_UPOPC: one_source(lift, inst, "popc.b32"); return;
    case SASS_OP_FLO:
    case SASS_OP_UFLO: find_leading(lift, inst); return;
    case SASS_OP_BREV:
    case SASS_OP_UBREV: one_source(lift, inst, "brev.b32"); return;
    case SASS_OP_SEL:
    case SASS_OP_USEL: choose(lift, inst); return;
    case SASS_OP_MOV:
    case SASS_OP_UMOV:
    case SASS_OP_R2UR: to_uniform(lift, inst); return;
    case SASS_OP_P2R: predicates_to_register(lift, inst); return;
    case SASS_OP_R2P: register_to_predicates(lift, inst); return;
    default: lift_refuse(lift, "its result is unknown");
    }
}
