#include "lift/lift.h"

#include <inttypes.h>
#include <string.h>

/* A kernel that is lifted. */
struct maker {
    struct lift lift;
    struct plan plan;
    const struct lift_source_code *code;
    struct ptx_function *function;
    VEC(struct ptx_label) labels;
};

/* The location of an instruction: that of the last row of the line table before it. */
static uint32_t location_at(const struct maker *maker, uint32_t address) {
    const struct cubin_kernel *kernel = maker->code->kernel;
    uint32_t low = 0, high = kernel->line_count; /* the first row behind the address */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kernel->lines[middle].offset <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool known = low > 0 && kernel->lines[low - 1].line != 0;
    return known ? maker->code->first_location + low - 1 : PTX_NO_INDEX;
}

/* An instruction without a meaning: kernels that reach it are refused. */
static void write_unknown(struct maker *maker, const struct machine_inst *machine, const char *reason) {
    struct lift *lift = &maker->lift;
    struct ptx_inst inst = lift->inst;
    const char *name = sass_op_name((enum sass_op)machine->sass.op);
    char text[160];
    (void)text_format(text, sizeof text, "%s at 0x%04x (0x%016" PRIx64 "%016" PRIx64 "): %s",
                      machine->unknown != NULL ? "the instruction" : name, machine->address,
                      machine->sass.word[1], machine->sass.word[0], reason);
    lift->body.insts.count = lift->first;
    if (form_unknown(lift->in->forms, name, strlen(name), &inst.form) != WB_OK)
        arena_fail(lift->arena, WB_ERR_LIMIT);
    inst.first_operand = (uint32_t)lift->operands.count;
    inst.operand_count = 0;
    inst.guard = PTX_NO_INDEX;
    inst.guard_negated = inst.untimed = false;
    inst.group_head = true;
    if (maker->function->first_unknown == PTX_NO_INDEX) {
        maker->function->first_unknown = (uint32_t)lift->body.insts.count;
        maker->function->unknown_reason = arena_string(lift->arena, text, strlen(text));
    }
    arena_push(lift->arena, &lift->body.insts, inst);
}

static const char *label_name(struct maker *maker, uint32_t copy, uint32_t inst) {
    const uint32_t address = inst * SASS_BYTES;
    if (copy == 0) return lift_text(&maker->lift, "L_0x%04x", address);
    return lift_text(&maker->lift, "L_0x%04x_%u", address, copy);
}

static void write_instruction(struct maker *maker, uint32_t copy, uint32_t inst) {
    struct lift *lift = &maker->lift;
    const struct plan_copy *in = &maker->plan.copies.items[copy];
    const struct machine_inst *machine = &maker->code->insts[inst];
    const struct ptx_inst place = {.at = maker->code->at[inst],
                                   .location = location_at(maker, machine->address),
                                   .machine = maker->code->first + inst,
                                   .guard = PTX_NO_INDEX};
    if (in->label[inst - in->first] != PLAN_NONE) {
        const struct ptx_label label = {label_name(maker, copy, inst), (uint32_t)lift->body.insts.count};
        arena_push(lift->arena, &maker->labels, label);
    }
    lift->copy = copy;
    lift->position = inst;
    const char *reason = machine->unknown != NULL ? machine->unknown : in->refused[inst - in->first];
    if (reason == NULL) {
        lift_instruction(lift, &machine->sass, &place);
        reason = lift->refused;
    } else {
        lift->first = lift->body.insts.count;
        lift->inst = place;
    }
    if (reason != NULL) write_unknown(maker, machine, reason);
}

/* Memory that the code addresses by numbers is in use without being named. */
static void use_shared(struct maker *maker) {
    for (uint32_t i = 0; i < maker->code->shared_count; i++)
        arena_push(maker->lift.arena, &maker->lift.operands, lift_variable(maker->code->shared[i], 0));
}

/* What is executed before the first instruction is part of it. */
static void put_prologue_first(struct maker *maker) {
    struct lift *lift = &maker->lift;
    const size_t count = lift->prologue.insts.count;
    if (lift->body.insts.count == 0) return;
    const struct ptx_inst *first = &lift->body.insts.items[0];
    for (size_t i = 0; i < count; i++) {
        struct ptx_inst *inst = &lift->prologue.insts.items[i];
        inst->at = first->at;
        inst->location = first->location;
        inst->machine = first->machine;
        inst->untimed = true;
    }
    for (size_t i = 0; i < lift->body.insts.count; i++)
        arena_push(lift->arena, &lift->prologue.insts, lift->body.insts.items[i]);
    for (size_t i = 0; i < maker->labels.count; i++)
        maker->labels.items[i].target += (uint32_t)count;
    if (maker->function->first_unknown != PTX_NO_INDEX) maker->function->first_unknown += (uint32_t)count;
}

#define TAKE(function, field, count_field, vec)                                                              \
    ((function)->field = (vec).items, (function)->count_field = (uint32_t)(vec).count)

static void take_function(struct maker *maker) {
    struct ptx_function *function = maker->function;
    struct lift *lift = &maker->lift;
    TAKE(function, groups, group_count, lift->groups);
    TAKE(function, insts, inst_count, lift->prologue.insts);
    TAKE(function, operands, operand_count, lift->operands);
    TAKE(function, labels, label_count, maker->labels);
    function->reg_count = function->group_count;
    function->reg_group = arena_array(lift->arena, function->reg_count + (size_t)1, sizeof(uint32_t));
    for (uint32_t i = 0; i < function->reg_count; i++)
        function->reg_group[i] = i;
    function->prototypes = lift->prototypes.items;
    function->prototype_count = (uint32_t)lift->prototypes.count;
}

/* Code for sm_87 begins with a test of UR2, which says whether the barriers B are empty yet. What is in UR2
 * is not known; here they are not, and the code that empties them is executed. */
static void start_uniform_register(struct maker *maker) {
    enum { TESTED = 2 };
    struct lift *lift = &maker->lift;
    const struct sass_inst *first = &maker->code->insts[0].sass;
    const bool tests = maker->code->inst_count > 0 && first->op == SASS_OP_ISETP &&
                       ((first->a.kind == SASS_SOURCE_UREG && first->a.number == TESTED) ||
                        (first->b.kind == SASS_SOURCE_UREG && first->b.number == TESTED));
    if (lift->sm != 87 || !tests) return;
    lift->out = &lift->prologue;
    LIFT_EMIT(lift, "mov.b32", lift_to_reg(lift, TESTED, true), lift_int(0));
    lift_relies_on(lift, PTX_RELIES_ON_START);
    lift->out = &lift->body;
}

void lift_function(struct lift_module *in, const struct lift_source_code *code,
                   struct ptx_function *function) {
    struct arena *arena = &in->module->arena;
    struct maker maker = {.code = code, .function = function};
    maker.plan = (struct plan){.arena = arena,
                               .cubin = in->cubin,
                               .kernel = code->kernel,
                               .insts = code->insts,
                               .inst_count = code->inst_count};
    maker.lift = (struct lift){.arena = arena,
                               .in = in,
                               .kernel = code->kernel,
                               .sm = in->cubin->sm,
                               .first_param = code->first_param,
                               .stack = code->stack,
                               .constant2 = code->constant2,
                               .plan = &maker.plan};
    function->first_unknown = PTX_NO_INDEX;
    plan_make(&maker.plan);
    lift_begin(&maker.lift);
    start_uniform_register(&maker);
    for (uint32_t c = 0; c < maker.plan.copies.count; c++) {
        const struct plan_copy *copy = &maker.plan.copies.items[c];
        for (uint32_t i = 0; i < copy->count; i++)
            if (copy->reached[i]) write_instruction(&maker, c, copy->first + i);
    }
    use_shared(&maker);
    put_prologue_first(&maker);
    take_function(&maker);
}
