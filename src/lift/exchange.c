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

/* ELECT: one of the lanes that are here. */
static void elect(struct lift *lift, const struct sass_inst *inst) {
    struct ptx_operand here = lift_temp(lift, PTX_B32);
    if (inst->from[0].number != SASS_PT || inst->from[0].negated) {
        lift_refuse(lift, "this kind of election is unknown");
        return;
    }
    LIFT_EMIT(lift, "activemask.b32", here);
    LIFT_EMIT(lift, "elect.sync", lift_to_reg(lift, inst->d, inst->d_uniform),
              lift_to_predicate(lift, &inst->to[0]), here);
}

void lift_exchange(struct lift *lift, const struct sass_inst *inst) {
    switch (inst->op) {
    case SASS_OP_SHFL: shuffle(lift, inst); return;
    case SASS_OP_VOTE:
    case SASS_OP_VOTEU: vote(lift, inst); return;
    case SASS_OP_MATCH: match(lift, inst); return;
    case SASS_OP_REDUX: reduce(lift, inst); return;
    case SASS_OP_ELECT: elect(lift, inst); return;
    default: lift_refuse(lift, "this kind of exchange is unknown");
    }
}

/* ---- Barriers and fences ---- */

/* Barriers of a block, fences, and waits for copies to shared memory. */

enum bar_mode { BAR_SYNC, BAR_ARRIVE, BAR_RED };

enum bar_reduction { RED_POPC, RED_AND, RED_OR };

/* What BAR.RED leaves for B2R.RESULT: a register of 32 bits that no instruction names. */
static struct ptx_operand result_register(struct lift *lift) {
    if (lift->barrier_result == PTX_NO_INDEX) {
        lift->barrier_result = lift_new_register(lift, "%BAR", PTX_B32);
        lift->groups.items[lift->barrier_result].temporary = false;
    }
    return (struct ptx_operand){.kind = PTX_OPERAND_REG, .index = lift->barrier_result};
}

/* The number of a barrier, or of threads: a register, or a field. */
static struct ptx_operand operand_of(struct lift *lift, const struct sass_inst *inst,
                                     const struct sass_source *source, enum sass_field field) {
    if (source->kind != SASS_SOURCE_NONE) return lift_source(lift, source);
    return lift_int(sass_field(inst, field));
}

static void reduce_votes(struct lift *lift, const struct sass_inst *inst, struct ptx_operand barrier,
                         struct ptx_operand threads) {
    const uint32_t kind = sass_field(inst, SASS_FIELD_BAR_RED);
    struct ptx_operand given = lift_predicate(lift, &inst->from[0]), to = result_register(lift);
    if (kind == RED_POPC) {
        LIFT_EMIT(lift, "barrier.red.popc.u32", to, barrier, threads, given);
    } else if (kind == RED_AND || kind == RED_OR) {
        struct ptx_operand holds = lift_temp(lift, PTX_PRED);
        LIFT_EMIT(lift, kind == RED_AND ? "barrier.red.and.pred" : "barrier.red.or.pred", holds, barrier,
                  threads, given);
        LIFT_EMIT(lift, "selp.b32", to, lift_int(1), lift_int(0), holds);
    } else {
        lift_refuse(lift, "the reduction of this barrier is unknown");
    }
}

/* Some bits of a register, by themselves. */
static struct ptx_operand bits_of(struct lift *lift, const struct sass_source *source, uint32_t low,
                                  uint32_t mask) {
    struct ptx_operand shifted = lift_temp(lift, PTX_B32), bits = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, "shr.u32", shifted, lift_source(lift, source), lift_int(low));
    LIFT_EMIT(lift, "and.b32", bits, shifted, lift_int(mask));
    return bits;
}

/* Two registers: the first has both, the barrier in its lowest bits and the threads from bit 16 on, as ptxas
 * puts them together; that the code names a second one means nothing. */
static void barrier(struct lift *lift, const struct sass_inst *inst) {
    const bool both = inst->b.kind == SASS_SOURCE_REG && inst->c.kind == SASS_SOURCE_REG;
    struct ptx_operand number =
        both ? bits_of(lift, &inst->b, 0, 15) : operand_of(lift, inst, &inst->b, SASS_FIELD_BARRIER);
    struct ptx_operand threads =
        both ? bits_of(lift, &inst->b, 16, 0xfff) : operand_of(lift, inst, &inst->c, SASS_FIELD_THREADS);
    if (threads.kind == PTX_OPERAND_INT && threads.value == 0) threads = lift_none(); /* all */
    switch (sass_field(inst, SASS_FIELD_BAR_MODE)) {
    case BAR_SYNC: LIFT_EMIT(lift, "barrier.sync", number, threads); return;
    case BAR_ARRIVE: LIFT_EMIT(lift, "barrier.arrive", number, threads); return;
    case BAR_RED: reduce_votes(lift, inst, number, threads); return;
    default: lift_refuse(lift, "this kind of barrier is unknown");
    }
}

static void read_result(struct lift *lift, const struct sass_inst *inst) {
    struct ptx_operand result = result_register(lift), holds = lift_to_predicate(lift, &inst->to[0]);
    LIFT_EMIT(lift, "mov.b32", lift_to_reg(lift, inst->d, false), result);
    if (inst->to[0].present && holds.kind == PTX_OPERAND_REG)
        LIFT_EMIT(lift, "setp.ne.u32", holds, lift_none(), result, lift_int(0));
}

/* ptxas puts MEMBAR.SC.VC before the end of kernels that are compiled for a debugger, where PTX has nothing:
 * taken for the fence of the widest scope. */
static void fence(struct lift *lift, const struct sass_inst *inst) {
    static const char *const opcodes[] = {"membar.cta", "membar.cta", "membar.gl", "membar.sys"};
    const uint32_t scope = sass_field(inst, SASS_FIELD_SCOPE);
    lift_emit(lift, opcodes[scope > 3 ? 3 : scope], NULL, 0);
}

void lift_barrier(struct lift *lift, const struct sass_inst *inst) {
    switch (inst->op) {
    case SASS_OP_BAR: barrier(lift, inst); return;
    case SASS_OP_B2R: read_result(lift, inst); return;
    case SASS_OP_MEMBAR: fence(lift, inst); return;
    case SASS_OP_LDGDEPBAR: lift_emit(lift, "cp.async.commit_group", NULL, 0); return;
    case SASS_OP_DEPBAR:
        if (lift_sm(lift) >= 80)
            LIFT_EMIT(lift, "cp.async.wait_group", lift_int(sass_field(inst, SASS_FIELD_LIMIT)));
        return;
    /* They order accesses, and change no value. */
    case SASS_OP_ERRBAR:
    case SASS_OP_CGAERRBAR: return;
    default: lift_refuse(lift, "this kind of wait is unknown");
    }
}
