#include "lift/lift.h"

#include <assert.h>
#include <string.h>

/* Copies of internal functions together have no more instructions than this. */
#define PLAN_INSTS_MAX ((uint32_t)1 << 21)

/* Instructions from which control has not been followed yet. */
struct walk {
    struct plan *plan;
    VEC(uint64_t) open; /* copy << 32 | instruction */
    uint64_t copied;    /* instructions of all copies */
};

uint32_t plan_inst_at(const struct plan *plan, uint32_t address) {
    return address % SASS_BYTES == 0 && address / SASS_BYTES < plan->inst_count ? address / SASS_BYTES
                                                                                : PLAN_NONE;
}

uint32_t plan_label(const struct plan *plan, uint32_t copy, uint32_t inst) {
    const struct plan_copy *in = &plan->copies.items[copy];
    return inst >= in->first && inst - in->first < in->count ? in->label[inst - in->first] : PLAN_NONE;
}

uint32_t plan_callee(const struct plan *plan, uint32_t copy, uint32_t call) {
    for (uint32_t c = copy + 1; c < plan->copies.count; c++)
        if (plan->copies.items[c].caller == copy && plan->copies.items[c].call == call) return c;
    return PLAN_NONE;
}

const struct cubin_branch_table *plan_table(const struct plan *plan, uint32_t inst) {
    for (uint32_t t = 0; t < plan->kernel->table_count; t++)
        if (plan->kernel->tables[t].at == inst * SASS_BYTES) return &plan->kernel->tables[t];
    return NULL;
}

uint32_t plan_address_in_register(const struct plan *plan, uint32_t lepc) {
    const struct sass_source *offset = &plan->insts[lepc].sass.b;
    if (offset->kind == SASS_SOURCE_NONE) return lepc * SASS_BYTES;
    return (lepc + 1) * SASS_BYTES + offset->value; /* from the instruction behind it on */
}

/* Whether lanes may pass by an instruction that its guard or its own predicate decides about. */
static bool is_conditional(const struct sass_inst *inst) {
    bool always = inst->guard.number == SASS_PT && !inst->guard.negated;
    for (int i = 0; i < 3; i++)
        if (inst->from[i].present && (inst->from[i].number != SASS_PT || inst->from[i].negated))
            always = false;
    return !always;
}

bool plan_calls(const struct sass_inst *inst) {
    return inst->op == SASS_OP_CALL_REL || (inst->op == SASS_OP_CALL_ABS && inst->a.kind == SASS_SOURCE_NONE);
}

bool plan_goes_on(const struct machine_inst *inst) {
    enum { DIVIDED = 2 };
    if (inst->unknown != NULL) return false;
    if (plan_calls(&inst->sass)) return is_conditional(&inst->sass);
    switch ((enum sass_op)inst->sass.op) {
    case SASS_OP_BRA:
        return is_conditional(&inst->sass) || sass_field(&inst->sass, SASS_FIELD_CONV) == DIVIDED;
    case SASS_OP_BRX:
    case SASS_OP_RET:
    case SASS_OP_EXIT:
    case SASS_OP_BPT: return is_conditional(&inst->sass);
    default: return true;
    }
}

static void refuse(struct walk *walk, uint32_t copy, uint32_t inst, const char *reason) {
    const struct plan_copy *in = &walk->plan->copies.items[copy];
    in->refused[inst - in->first] = reason;
}

static uint32_t add_copy(struct walk *walk, struct plan_copy copy) {
    struct plan *plan = walk->plan;
    copy.reached = arena_array(plan->arena, copy.count, sizeof *copy.reached);
    copy.label = arena_array(plan->arena, copy.count, sizeof *copy.label);
    copy.refused = arena_array(plan->arena, copy.count, sizeof *copy.refused);
    memset(copy.label, 0xff, copy.count * sizeof *copy.label);
    arena_push(plan->arena, &plan->copies, copy);
    walk->copied += copy.count;
    return (uint32_t)plan->copies.count - 1;
}

/* Control goes on at an instruction. */
static void reach(struct walk *walk, uint32_t copy, uint32_t from, uint32_t inst) {
    const struct plan_copy *in = &walk->plan->copies.items[copy];
    if (inst == PLAN_NONE || inst < in->first || inst - in->first >= in->count) {
        refuse(walk, copy, from, "control leaves its function here");
        return;
    }
    if (in->reached[inst - in->first]) return;
    in->reached[inst - in->first] = true;
    arena_push(walk->plan->arena, &walk->open, (uint64_t)copy << 32 | inst);
}

/* The same by a branch: the instruction has a label. */
static void branch(struct walk *walk, uint32_t copy, uint32_t from, uint32_t inst) {
    reach(walk, copy, from, inst);
    const struct plan_copy *in = &walk->plan->copies.items[copy];
    if (inst >= in->first && inst - in->first < in->count) in->label[inst - in->first] = 0;
}

static const struct cubin_internal *internal_at(const struct plan *plan, uint32_t address) {
    for (uint32_t i = 0; i < plan->kernel->internal_count; i++)
        if (plan->kernel->internals[i].offset == address) return &plan->kernel->internals[i];
    return NULL;
}

/* Whether a copy of the function is among a copy and its callers. */
static bool is_running(const struct plan *plan, uint32_t copy, const struct cubin_internal *internal) {
    for (; copy != PLAN_NONE; copy = plan->copies.items[copy].caller)
        if (plan->copies.items[copy].name == internal->name) return true;
    return false;
}

/* A call of what is no function is a branch within this one: ptxas leaves loops so. */
static void follow_call(struct walk *walk, uint32_t copy, uint32_t inst) {
    struct plan *plan = walk->plan;
    const uint32_t target = plan->insts[inst].sass.target;
    const struct cubin_internal *internal = internal_at(plan, target);
    if (internal == NULL || plan_inst_at(plan, target) == PLAN_NONE) {
        branch(walk, copy, inst, plan_inst_at(plan, target));
    } else if (is_running(plan, copy, internal)) {
        refuse(walk, copy, inst,
               "it calls itself, which is not supported in machine code: write the recursion as a loop");
    } else if (walk->copied + internal->bytes / SASS_BYTES > PLAN_INSTS_MAX) {
        refuse(walk, copy, inst, "the kernel is too large with a copy of the callee for each call");
    } else {
        uint32_t first = target / SASS_BYTES, count = internal->bytes / SASS_BYTES;
        if (count > plan->inst_count - first) count = plan->inst_count - first;
        const uint32_t callee = add_copy(
            walk, (struct plan_copy){
                      .first = first, .count = count, .name = internal->name, .caller = copy, .call = inst});
        branch(walk, callee, first, first);
    }
}

static void follow_table(struct walk *walk, uint32_t copy, uint32_t inst) {
    const struct cubin_branch_table *table = plan_table(walk->plan, inst);
    if (table == NULL || table->target_count == 0)
        refuse(walk, copy, inst, "the file does not state its targets");
    for (uint32_t t = 0; table != NULL && t < table->target_count; t++)
        branch(walk, copy, inst, plan_inst_at(walk->plan, table->targets[t]));
}

static void follow_return(struct walk *walk, uint32_t copy, uint32_t inst) {
    const struct plan_copy *in = &walk->plan->copies.items[copy];
    if (in->caller == PLAN_NONE) {
        refuse(walk, copy, inst, "it returns without a call");
    } else {
        branch(walk, in->caller, in->call, in->call + 1);
    }
}

/* Follows control from an instruction. */
static void follow(struct walk *walk, uint32_t copy, uint32_t inst) {
    const struct machine_inst *machine = &walk->plan->insts[inst];
    const struct sass_inst *sass = &machine->sass;
    if (machine->unknown != NULL) return;
    switch ((enum sass_op)sass->op) {
    case SASS_OP_BRA:
    case SASS_OP_BSSY: branch(walk, copy, inst, plan_inst_at(walk->plan, sass->target)); break;
    case SASS_OP_BRX: follow_table(walk, copy, inst); break;
    case SASS_OP_CALL_ABS:
        if (plan_calls(sass)) follow_call(walk, copy, inst);
        break;
    case SASS_OP_CALL_REL:
        if (sass->a.kind == SASS_SOURCE_NONE)
            follow_call(walk, copy, inst);
        else
            refuse(walk, copy, inst,
                   "it calls a function whose address is in a register: call the function itself, or analyse "
                   "the PTX");
        break;
    case SASS_OP_RET: follow_return(walk, copy, inst); break;
    default: break;
    }
    if (plan_goes_on(machine)) reach(walk, copy, inst, inst + 1);
}

static void number_labels(struct plan *plan) {
    for (size_t c = 0; c < plan->copies.count; c++) {
        const struct plan_copy *copy = &plan->copies.items[c];
        for (uint32_t i = 0; i < copy->count; i++) {
            plan->reached_count += copy->reached[i];
            if (copy->reached[i] && copy->label[i] != PLAN_NONE) copy->label[i] = plan->label_count++;
        }
    }
}

void plan_make(struct plan *plan) {
    assert(arena_is_protected(plan->arena));
    struct walk walk = {.plan = plan};
    (void)add_copy(&walk, (struct plan_copy){.count = plan->inst_count, .caller = PLAN_NONE});
    reach(&walk, 0, 0, 0);
    while (walk.open.count > 0) {
        const uint64_t next = walk.open.items[--walk.open.count];
        follow(&walk, (uint32_t)(next >> 32), (uint32_t)next);
    }
    number_labels(plan);
}
