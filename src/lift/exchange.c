/* Exchange between the lanes of a warp. Those that take part are the lanes that execute the instruction
 * together. */
#include "lift/lift.h"

static void shuffle(struct lift *lift, const struct sass_inst *inst) {
    static const char *const opcodes[] = {"shfl.idx.b32", "shfl.up.b32", "shfl.down.b32", "shfl.bfly.b32"};
    LIFT_EMIT(lift, opcodes[sass_field(inst, SASS_FIELD_SHUFFLE) & 3],
              lift_to_reg(lift, inst->d, inst->d_uniform), lift_to_predicate(lift, &inst->to[0]),
              lift_source(lift, &inst->a), lift_source(lift, &inst->b), lift_source(lift, &inst->c));
}

enum vote { VOTE_ALL, VOTE_ANY, VOTE_EQ };

/* D of VOTE.ALL: the lanes that are here if all are for it, else none. */
static void write_unanimous(struct lift *lift, struct ptx_operand to, struct ptx_operand all) {
    struct ptx_operand here = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, "activemask.b32", here);
    LIFT_EMIT(lift, "selp.b32", to, here, lift_int(0), all);
}

static void vote(struct lift *lift, const struct sass_inst *inst) {
    static const char *const opcodes[] = {"vote.all.pred", "vote.any.pred", "vote.uni.pred"};
    const uint32_t kind = sass_field(inst, SASS_FIELD_VOTE);
    struct ptx_operand to = lift_to_reg(lift, inst->d, inst->d_uniform);
    struct ptx_operand holds = lift_to_predicate(lift, &inst->to[0]);
    struct ptx_operand given = lift_predicate(lift, &inst->from[0]);
    const bool has_word = to.kind == PTX_OPERAND_REG, has_predicate = holds.kind == PTX_OPERAND_REG;
    if (kind > VOTE_EQ || (kind == VOTE_EQ && has_word)) {
        lift_refuse(lift, "this kind of vote is unknown");
        return;
    }
    if (has_word && kind == VOTE_ANY && !has_predicate) {
        LIFT_EMIT(lift, "vote.ballot.b32", to, given);
        return;
    }
    struct ptx_operand result = lift_temp(lift, PTX_PRED), ballot = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, opcodes[kind], result, given);
    if (has_word && kind == VOTE_ANY) {
        LIFT_EMIT(lift, "vote.ballot.b32", ballot, given);
        LIFT_EMIT(lift, "mov.b32", to, ballot);
    } else if (has_word) {
        write_unanimous(lift, to, result);
    }
    if (has_predicate) LIFT_EMIT(lift, "mov.pred", holds, result);
}

static void match(struct lift *lift, const struct sass_inst *inst) {
    const bool any = sass_field(inst, SASS_FIELD_MATCH_ANY), wide = sass_field(inst, SASS_FIELD_WIDE64);
    struct ptx_operand here = lift_temp(lift, PTX_B32);
    struct ptx_operand value = wide ? lift_source64(lift, &inst->a, false) : lift_source(lift, &inst->a);
    const char *opcode = lift_text(lift, "match.%s.sync.%s", any ? "any" : "all", wide ? "b64" : "b32");
    LIFT_EMIT(lift, "activemask.b32", here);
    LIFT_EMIT(lift, opcode, lift_to_reg(lift, inst->d, inst->d_uniform),
              any ? lift_none() : lift_to_predicate(lift, &inst->to[0]), value, here);
}

static void reduce(struct lift *lift, const struct sass_inst *inst) {
    static const char *const names[] = {"and", "or", "xor", "add", "min", "max"};
    const uint32_t operation = sass_field(inst, SASS_FIELD_REDUCTION);
    struct ptx_operand here = lift_temp(lift, PTX_B32);
    if (operation >= sizeof names / sizeof *names) {
        lift_refuse(lift, "this reduction is unknown");
        return;
    }
    const char *type = operation < 3 ? "b32" : sass_field(inst, SASS_FIELD_SIGNED) ? "s32" : "u32";
    LIFT_EMIT(lift, "activemask.b32", here);
    LIFT_EMIT(lift, lift_text(lift, "redux.sync.%s.%s", names[operation], type),
              lift_to_reg(lift, inst->d, inst->d_uniform), lift_source(lift, &inst->a), here);
}

void lift_exchange(struct lift *lift, const struct sass_inst *inst) {
    switch (inst->op) {
    case SASS_OP_SHFL: shuffle(lift, inst); return;
    case SASS_OP_VOTE:
    case SASS_OP_VOTEU: vote(lift, inst); return;
    case SASS_OP_MATCH: match(lift, inst); return;
    case SASS_OP_REDUX: reduce(lift, inst); return;
    default: lift_refuse(lift, "this kind of exchange is unknown");
    }
}
