/* Where control goes, and where lanes meet. */
#include <string.h>

#include "lift/lift.h"

/* A branch within the function. */
static struct ptx_operand label_at(struct lift *lift, uint32_t copy, uint32_t inst) {
    const uint32_t label = inst == PLAN_NONE ? PLAN_NONE : plan_label(lift->plan, copy, inst);
    if (label == PLAN_NONE) lift_refuse(lift, "its target is not an instruction");
    return (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .index = label};
}

static struct ptx_operand target_of(struct lift *lift, const struct sass_inst *inst) {
    return label_at(lift, lift->copy, plan_inst_at(lift->plan, inst->target));
}

static void narrow_by_source(struct lift *lift, const struct sass_inst *inst) {
    if (inst->from[0].present) lift_narrow(lift, lift_predicate(lift, &inst->from[0]));
}

/* BRA.U is taken when all lanes that are here would take it, by none of them otherwise: ptxas puts it before
 * code that tests the same predicate again. */
static void narrow_to_unanimous(struct lift *lift) {
    if (lift->inst.guard == PTX_NO_INDEX) return;
    const struct ptx_operand taken = {
        .kind = PTX_OPERAND_REG, .index = lift->inst.guard, .negated = lift->inst.guard_negated};
    const struct ptx_operand unanimous = lift_temp(lift, PTX_PRED);
    LIFT_EMIT(lift, "vote.all.pred", unanimous, taken);
    lift->inst.guard = unanimous.index;
    lift->inst.guard_negated = false;
}

/* BRA.DIV and BRA.CONV: whether the lanes of which the guard is true are not those of the mask. All lanes
 * that are here go one way: behind R2UR with a predicate ptxas has the guard false where their masks differ,
 * and nobody could stay. */
static struct ptx_operand divided_by(struct lift *lift, const struct sass_inst *inst) {
    const bool all = inst->a.kind != SASS_SOURCE_UREG || inst->a.number == SASS_URZ;
    struct ptx_operand mask = all ? lift_int(UINT32_MAX) : lift_source(lift, &inst->a);
    struct ptx_operand divided = lift_temp(lift, PTX_PRED);
    if (lift->inst.guard != PTX_NO_INDEX) {
        struct ptx_operand others = lift_temp(lift, PTX_B32), wanted = lift_temp(lift, PTX_B32);
        const struct ptx_operand switched_off = {
            .kind = PTX_OPERAND_REG, .index = lift->inst.guard, .negated = !lift->inst.guard_negated};
        lift->inst.guard = PTX_NO_INDEX;
        lift->inst.guard_negated = false;
        LIFT_EMIT(lift, "vote.ballot.b32", others, switched_off);
        LIFT_EMIT(lift, "xor.b32", wanted, mask, others); /* these are here, and count as if they were not */
        mask = wanted;
    }
    LIFT_EMIT(lift, "machine divided", divided, mask);
    return divided;
}

static void branch(struct lift *lift, const struct sass_inst *inst) {
    enum { UNIFORM = 1, DIVIDED = 2, TOGETHER = 3 };
    const uint32_t kind = sass_field(inst, SASS_FIELD_CONV);
    if (kind == DIVIDED || kind == TOGETHER) {
        struct ptx_operand divided = divided_by(lift, inst);
        divided.negated = kind == TOGETHER;
        lift_narrow(lift, divided);
    }
    narrow_by_source(lift, inst);
    if (kind == UNIFORM) narrow_to_unanimous(lift);
    LIFT_EMIT(lift, kind == UNIFORM ? "bra.uni" : "bra", target_of(lift, inst));
}

/* BRX: the table's entry whose target the register has; where none has it, one past the last, which brx.idx
 * refuses. */
static void branch_by_table(struct lift *lift, const struct sass_inst *inst) {
    const struct cubin_branch_table *table = plan_table(lift->plan, lift->position);
    struct ptx_prototype prototype = {
        .name = lift_text(lift, "T_0x%04x_%u", lift->position * SASS_BYTES, lift->copy),
        .target_count = table->target_count};
    prototype.targets = arena_array(lift->arena, table->target_count, sizeof *prototype.targets);
    struct ptx_operand at = lift_source(lift, &inst->a);
    struct ptx_operand entry = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, "mov.b32", entry, lift_int(table->target_count));
    for (uint32_t t = table->target_count; t-- > 0;) {
        prototype.targets[t] = label_at(lift, lift->copy, plan_inst_at(lift->plan, table->targets[t])).index;
        struct ptx_operand is = lift_temp(lift, PTX_PRED);
        LIFT_EMIT(lift, "setp.eq.u32", is, lift_none(), at,
                  lift_int((uint32_t)(table->targets[t] - inst->target)));
        LIFT_EMIT(lift, "selp.b32", entry, lift_int(t), entry, is);
    }
    const struct ptx_operand targets = {.kind = PTX_OPERAND_PROTOTYPE,
                                        .index = (uint32_t)lift->prototypes.count};
    arena_push(lift->arena, &lift->prototypes, prototype);
    narrow_by_source(lift, inst);
    LIFT_EMIT(lift, "brx.idx", entry, targets);
}

/* A copy of the function, or a place within this one. */
static void call(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t callee = plan_callee(lift->plan, lift->copy, lift->position);
    narrow_by_source(lift, inst);
    LIFT_EMIT(
        lift, "bra",
        label_at(lift, callee == PLAN_NONE ? lift->copy : callee, plan_inst_at(lift->plan, inst->target)));
}

static void call_return(struct lift *lift, const struct sass_inst *inst) {
    const struct plan_copy *copy = &lift->plan->copies.items[lift->copy];
    bool by_stack;
    if (!target_is_caller(lift->plan, lift->copy, lift->position, &by_stack))
        lift_refuse(lift, "it may not return to the instruction after its call");
    lift->in->returns_by_stack |= by_stack;
    narrow_by_source(lift, inst);
    LIFT_EMIT(lift, "bra", label_at(lift, copy->caller, copy->call + 1));
}

/* What is called gives its results in R4 and the next ones, and may overwrite those up to R15. */
static struct ptx_operand overwritten(struct lift *lift) {
    enum { FIRST = 4, LAST = 15 };
    struct ptx_operand registers[LAST - FIRST + 1];
    uint32_t count = 0;
    for (uint32_t r = FIRST; r <= LAST; r++)
        registers[count++] = lift_to_reg(lift, r, false);
    return lift_vector(lift, registers, count);
}

/* CALL.ABS: a function of the run-time system. */
static void call_runtime(struct lift *lift, const struct sass_inst *inst) {
    const char *name = target_name(lift->plan, lift->copy, lift->position);
    const uint32_t callee = name == NULL ? PTX_NO_INDEX : lift_declared(lift, name);
    if (callee == PTX_NO_INDEX) {
        lift_refuse(lift, "its callee is unknown");
        return;
    }
    const struct ptx_function *function = &lift->in->module->functions[callee];
    const bool ends = strcmp(function->name, ptx_runtime_name(PTX_RUNTIME_ASSERTFAIL)) == 0;
    if (!ends && !target_comes_back(lift->plan, lift->copy, lift->position))
        lift_refuse(lift, "its callee may not return to the instruction after it");
    narrow_by_source(lift, inst);
    LIFT_EMIT(lift, "call", ends ? lift_none() : overwritten(lift),
              (struct ptx_operand){.kind = PTX_OPERAND_FUNCTION, .index = callee});
}

static struct ptx_operand barrier(const struct sass_inst *inst, enum sass_field field) {
    return lift_int(sass_field(inst, field));
}

/* Behind WARPSYNC.EXCLUSIVE and .COLLECTIVE lanes go on with those of their mask alone. WARPSYNC.COLLECTIVE
 * lets parts of a warp do together what stands up to ENDCOLLECTIVE, one exchange: ptxas writes it where
 * BRA.DIV finds the lanes of a .sync instruction divided. WARPSYNC: a mask of 0 in the word, of sm_90, stands
 * for all lanes. */
static void warp_sync(struct lift *lift, const struct sass_inst *inst) {
    const struct sass_source *named = inst->a.kind == SASS_SOURCE_NONE ? &inst->b : &inst->a;
    const bool all = named->kind == SASS_SOURCE_NONE || (named->kind == SASS_SOURCE_IMM && named->value == 0);
    struct ptx_operand mask = all ? lift_int(UINT32_MAX) : lift_source(lift, named);
    narrow_by_source(lift, inst);
    const bool collective = sass_field(inst, SASS_FIELD_COLLECTIVE) != 0;
    LIFT_EMIT(lift, collective ? "machine collective" : "machine warpsync", mask);
    if (collective || sass_field(inst, SASS_FIELD_EXCLUSIVE) != 0) LIFT_EMIT(lift, "machine alone", mask);
}

/* The set of a barrier, or the lanes that are here. */
static void read_barrier(struct lift *lift, const struct sass_inst *inst, struct ptx_operand to) {
    enum { ACTIVE_LANES = 26 };
    const uint32_t from = sass_field(inst, SASS_FIELD_BARRIER_FROM);
    if (from == ACTIVE_LANES) {
        LIFT_EMIT(lift, "activemask.b32", to);
        return;
    }
    LIFT_EMIT(lift, "machine bmov.get", to, lift_int(from));
    if (sass_field(inst, SASS_FIELD_CLEAR) != 0)
        LIFT_EMIT(lift, "machine bmov.set", lift_int(from), lift_int(0));
}

static void move_barrier(struct lift *lift, const struct sass_inst *inst) {
    if (inst->has_d) {
        read_barrier(lift, inst, lift_to_reg(lift, inst->d, false));
        return;
    }
    struct ptx_operand set;
    if (inst->b.kind != SASS_SOURCE_NONE) {
        set = lift_source(lift, &inst->b);
    } else {
        set = lift_temp(lift, PTX_B32);
        read_barrier(lift, inst, set);
    }
    LIFT_EMIT(lift, "machine bmov.set", barrier(inst, SASS_FIELD_BARRIER), set);
}

void lift_control(struct lift *lift, const struct sass_inst *inst) {
    switch ((enum sass_op)inst->op) {
    case SASS_OP_BRA: branch(lift, inst); break;
    case SASS_OP_BRX: branch_by_table(lift, inst); break;
    case SASS_OP_CALL_REL: call(lift, inst); break;
    case SASS_OP_CALL_ABS:
        if (plan_calls(inst))
            call(lift, inst);
        else
            call_runtime(lift, inst);
        break;
    case SASS_OP_RET: call_return(lift, inst); break;
    case SASS_OP_EXIT:
        narrow_by_source(lift, inst);
        lift_emit(lift, "exit", NULL, 0);
        break;
    case SASS_OP_BPT: lift_emit(lift, "trap", NULL, 0); break;
    case SASS_OP_BSSY:
        LIFT_EMIT(lift, "machine bssy", barrier(inst, SASS_FIELD_BARRIER), target_of(lift, inst));
        break;
    case SASS_OP_BSYNC:
    case SASS_OP_BREAK:
        narrow_by_source(lift, inst);
        LIFT_EMIT(lift, inst->op == SASS_OP_BREAK ? "machine break" : "machine bsync",
                  barrier(inst, SASS_FIELD_BARRIER));
        break;
    case SASS_OP_BMOV: move_barrier(lift, inst); break;
    case SASS_OP_WARPSYNC: warp_sync(lift, inst); break;
    case SASS_OP_NANOSLEEP: LIFT_EMIT(lift, "nanosleep.u32", lift_source(lift, &inst->b)); break;
    case SASS_OP_LEPC:
        lift_write_pair(lift, inst->d, false, lift_int(plan_address_in_register(lift->plan, lift->position)));
        break;
    case SASS_OP_NOP:
    case SASS_OP_ENDCOLLECTIVE:
    case SASS_OP_YIELD: lift_emit(lift, "machine idle", NULL, 0); break;
    default: lift_refuse(lift, "its effect is unknown"); break;
    }
}
