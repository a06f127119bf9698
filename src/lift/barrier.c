/* Barriers of a block, fences, and waits for copies to shared memory. */
#include "lift/lift.h"

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

static void reduce(struct lift *lift, const struct sass_inst *inst, struct ptx_operand barrier,
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

static void barrier(struct lift *lift, const struct sass_inst *inst) {
    struct ptx_operand number = operand_of(lift, inst, &inst->b, SASS_FIELD_BARRIER);
    struct ptx_operand threads = operand_of(lift, inst, &inst->c, SASS_FIELD_THREADS);
    if (threads.kind == PTX_OPERAND_INT && threads.value == 0) threads = lift_none(); /* all */
    switch (sass_field(inst, SASS_FIELD_BAR_MODE)) {
    case BAR_SYNC: LIFT_EMIT(lift, "barrier.sync", number, threads); return;
    case BAR_ARRIVE: LIFT_EMIT(lift, "barrier.arrive", number, threads); return;
    case BAR_RED: reduce(lift, inst, number, threads); return;
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
    /* They order accesses, or say what caches should do, and change no value. */
    case SASS_OP_ERRBAR:
    case SASS_OP_CGAERRBAR:
    case SASS_OP_CCTL: return;
    default: lift_refuse(lift, "this kind of wait is unknown");
    }
}
