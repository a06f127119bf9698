/* Questions about instructions that every later stage asks. */
#include "ptx/ptx.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "sass/sass.h"

#define MESSAGE_MAX 800

const char *ptx_location_file(const struct wb_module *module, const struct ptx_location *location) {
    for (uint32_t i = 0; i < module->file_count; i++)
        if (module->files[i].number == location->file) return module->files[i].name;
    return "?";
}

void ptx_put_reg(const struct ptx_function *function, uint32_t reg, struct text *out) {
    assert(reg < function->reg_count);
    const struct ptx_reg_group *group = &function->groups[function->reg_group[reg]];
    assert(reg >= group->first);
    text_string(out, group->name);
    if (group->numbered) text_printf(out, "%u", reg - group->first);
}

void ptx_put_location(const struct wb_module *module, uint32_t index, struct text *out) {
    /* Chains of inlining are short; the limit is for those that a broken file makes circular. */
    enum { CHAIN_MAX = 8 };
    const char *before = "";
    for (int i = 0; i < CHAIN_MAX && index != PTX_NO_INDEX; i++) {
        const struct ptx_location *location = &module->locations[index];
        text_printf(out, "%s%s:%u", before, ptx_location_file(module, location), location->line);
        before = ", inlined at ";
        index = location->inlined_at;
    }
}

uint32_t ptx_first_label_from(const struct ptx_function *function, uint32_t inst) {
    uint32_t low = 0;
    uint32_t high = function->label_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (function->labels[middle].target < inst) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void ptx_diagnose(struct wb_diagnostics *diagnostics, enum severity severity, const struct wb_module *module,
                  const struct ptx_inst *inst, const char *format, ...) {
    char message[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(message, sizeof message, format, arguments);
    va_end(arguments);
    struct text place = {0};
    struct subject subject = {.source = &module->source, .offset = inst->at};
    if (inst->location != PTX_NO_INDEX) {
        text_string(&place, " (");
        ptx_put_location(module, inst->location, &place);
        text_char(&place, ')');
        const struct ptx_location *location = &module->locations[inst->location];
        subject.made_of = ptx_location_file(module, location);
        if (subject.made_of != NULL) subject.made_of_line = location->line;
    }
    diagnose_about(diagnostics, severity, &subject, "%s%s", message, place.data == NULL ? "" : place.data);
    text_free(&place);
}

static void list_add(uint32_t *list, uint32_t *count, uint32_t reg) {
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == reg) return;
    assert(*count < PTX_REGS_MAX && "the parser refuses more");
    if (*count < PTX_REGS_MAX) list[(*count)++] = reg;
}

/* Adds the registers of an operand to a list. Everything inside an address or a texture access is read. */
static void operand_regs(const struct ptx_function *function, const struct ptx_operand *operand,
                         uint32_t *list, uint32_t *count) {
    uint32_t parts = 0;
    switch (operand->kind) {
    case PTX_OPERAND_REG: list_add(list, count, operand->index); break;
    case PTX_OPERAND_ADDRESS: parts = 1; break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_TEXTURE: parts = operand->count; break;
    default: break;
    }
    for (uint32_t i = 0; i < parts; i++) {
        const struct ptx_operand *part = &function->operands[operand->index + i];
        if (part->kind == PTX_OPERAND_REG) {
            list_add(list, count, part->index);
        } else if (part->kind == PTX_OPERAND_VECTOR) {
            /* The coordinates of a texture access: vectors nest no deeper. */
            for (uint32_t j = 0; j < part->count; j++) {
                const struct ptx_operand *element = &function->operands[part->index + j];
                if (element->kind == PTX_OPERAND_REG) list_add(list, count, element->index);
            }
        }
    }
}

uint32_t ptx_address(const struct wb_module *module, const struct ptx_inst *inst) {
    assert(module->code != NULL && inst->machine < module->code->inst_count);
    return module->code->insts[inst->machine].address;
}

void ptx_inst_regs(const struct ptx_function *function, const struct ptx_inst *inst, struct ptx_regs *regs) {
    const struct ptx_form *form = inst->form;
    const struct ptx_operand *operands = ptx_operands(function, inst);
    regs->read_count = regs->written_count = 0;
    if (inst->guard != PTX_NO_INDEX) list_add(regs->read, &regs->read_count, inst->guard);
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        char role = form->roles[i];
        bool written = role == 'd' || role == 'D' || role == 'O' || role == 'x';
        if (written) operand_regs(function, &operands[i], regs->written, &regs->written_count);
        if (!written || role == 'x' || operands[i].kind == PTX_OPERAND_ADDRESS)
            operand_regs(function, &operands[i], regs->read, &regs->read_count);
    }
    if (form->carry_in) list_add(regs->read, &regs->read_count, function->reg_count);
    if (form->carry_out) list_add(regs->written, &regs->written_count, function->reg_count);
}

uint32_t ptx_issue_group(const struct ptx_function *function, uint32_t n, uint32_t *count) {
    uint32_t first = ptx_issued(function, n), end = first + 1;
    while (function->issued != NULL && first > 0 && function->issue_of[first - 1] == n)
        first--;
    while (function->issued != NULL && end < function->inst_count && function->issue_of[end] == n)
        end++;
    *count = end - first;
    return first;
}

/* Adds those registers of an instruction that are no temporaries. */
static void add_machine_regs(const struct ptx_function *function, const uint32_t *from, uint32_t from_count,
                             uint32_t *list, uint32_t *count) {
    for (uint32_t i = 0; i < from_count; i++)
        if (from[i] < function->reg_count && !function->groups[function->reg_group[from[i]]].temporary)
            list_add(list, count, from[i]);
}

void ptx_issue_regs(const struct ptx_function *function, uint32_t n, struct ptx_regs *regs) {
    uint32_t count;
    const uint32_t first = ptx_issue_group(function, n, &count);
    if (function->issued == NULL) {
        ptx_inst_regs(function, &function->insts[first], regs);
        return;
    }
    struct ptx_regs part;
    regs->read_count = regs->written_count = 0;
    for (uint32_t i = first; i < first + count; i++) {
        ptx_inst_regs(function, &function->insts[i], &part);
        add_machine_regs(function, part.read, part.read_count, regs->read, &regs->read_count);
        add_machine_regs(function, part.written, part.written_count, regs->written, &regs->written_count);
    }
}

wb_status ptx_number_issued(struct ptx_function *function, struct arena *arena) {
    const uint32_t count = function->inst_count;
    function->issued = arena_array(arena, (size_t)count + 1, sizeof *function->issued);
    function->issue_of = arena_array(arena, (size_t)count + 1, sizeof *function->issue_of);
    if (function->issued == NULL || function->issue_of == NULL) return WB_ERR_LIMIT;
    function->issued_count = 0;
    for (uint32_t first = 0, end; first < count; first = end) {
        uint32_t issued = PTX_NO_INDEX; /* none: what prepares the next group */
        for (end = first; end < count && (end == first || !function->insts[end].group_head); end++) {
            assert(function->insts[end].machine == function->insts[first].machine);
            assert(function->insts[end].untimed || issued == PTX_NO_INDEX);
            if (!function->insts[end].untimed) issued = end;
            function->issue_of[end] = function->issued_count;
        }
        if (issued != PTX_NO_INDEX) function->issued[function->issued_count++] = issued;
    }
    assert(count == 0 || function->issue_of[count - 1] < function->issued_count);
    return WB_OK;
}

uint32_t ptx_branch_targets(const struct ptx_function *function, const struct ptx_inst *inst,
                            uint32_t *targets, uint32_t room) {
    const struct ptx_operand *operands = ptx_operands(function, inst);
    if (inst->form->op == PTX_OP_BRA) {
        if (room > 0) targets[0] = function->labels[operands[0].index].target;
        return 1;
    }
    if (inst->form->op != PTX_OP_BRX_IDX) return 0;
    const struct ptx_prototype *table = &function->prototypes[operands[1].index];
    for (uint32_t i = 0; i < table->target_count && i < room; i++)
        targets[i] = function->labels[table->targets[i]].target;
    return table->target_count;
}

/* The walk over the calls: reach->functions is its queue. */
struct reach_walk {
    const struct wb_module *module;
    bool *seen; /* by function */
    bool saw_indirect;
    struct ptx_reach *reach;
};

static void add_function(struct reach_walk *walk, uint32_t function) {
    if (walk->seen[function]) return;
    walk->seen[function] = true;
    walk->reach->functions[walk->reach->count++] = function;
}

/* Adds what a call through a register can reach, the first time that one is met. */
static void add_indirect(struct reach_walk *walk) {
    if (walk->saw_indirect) return;
    walk->saw_indirect = true;
    for (uint32_t f = 0; f < walk->module->function_count; f++)
        if (!walk->module->functions[f].is_entry) add_function(walk, f);
}

static void add_callees(struct reach_walk *walk, const struct ptx_function *function) {
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const struct ptx_inst *inst = &function->insts[i];
        if (inst->form->op != PTX_OP_CALL) continue;
        const struct ptx_operand *callee = &ptx_operands(function, inst)[1];
        if (callee->kind == PTX_OPERAND_FUNCTION) {
            add_function(walk, ptx_callee(walk->module, callee->index));
        } else {
            add_indirect(walk);
        }
    }
}

wb_status ptx_reach(const struct wb_kernel *kernel, struct arena *arena, struct ptx_reach *reach) {
    const struct wb_module *module = kernel->module;
    struct reach_walk walk = {
        .module = module, .seen = arena_array(arena, module->function_count, sizeof(bool)), .reach = reach};
    *reach =
        (struct ptx_reach){.functions = arena_array(arena, module->function_count, sizeof *reach->functions)};
    if (walk.seen == NULL || reach->functions == NULL) return WB_ERR_LIMIT;
    add_function(&walk, kernel->function);
    for (uint32_t i = 0; i < reach->count; i++)
        add_callees(&walk, &module->functions[reach->functions[i]]);
    return WB_OK;
}

static const struct {
    const char *name;
    uint8_t class_, wait;
} functions[PTX_RUNTIME_COUNT] = {[PTX_RUNTIME_NONE] = {"", 0, 0},
#define X(enumerator, name, class, wait)                                                                     \
    [PTX_RUNTIME_##enumerator] = {name, PTX_CLASS_##class, PTX_WAIT_##wait},
                                  PTX_RUNTIME_TABLE(X)
#undef X
};

const char *ptx_runtime_name(enum ptx_runtime runtime) {
    return functions[runtime].name;
}

/* Which function of the run-time system a declaration means. */
static enum ptx_runtime runtime_of(const struct ptx_function *function) {
    if (function->has_body) return PTX_RUNTIME_NONE;
    for (int r = PTX_RUNTIME_NONE + 1; r < PTX_RUNTIME_COUNT; r++)
        if (strcmp(function->name, functions[r].name) == 0) return (enum ptx_runtime)r;
    return PTX_RUNTIME_NONE;
}

/* The form of such a call, made when it is another than the one that `last` has of that function. */
static wb_status runtime_form(struct arena *arena, const struct ptx_form *call, enum ptx_runtime runtime,
                              const struct ptx_form **last) {
    if (*last != NULL && strcmp((*last)->text, call->text) == 0) return WB_OK;
    struct ptx_form *form = arena_alloc(arena, sizeof *form);
    if (form == NULL) return WB_ERR_LIMIT;
    *form = *call;
    form->runtime = (uint8_t)runtime;
    form->class_ = functions[runtime].class_;
    form->wait = functions[runtime].wait;
    *last = form;
    return WB_OK;
}

wb_status runtime_resolve(struct wb_module *module) {
    const struct ptx_form *forms[PTX_RUNTIME_COUNT] = {0};
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        for (uint32_t i = 0; i < function->inst_count; i++) {
            struct ptx_inst *inst = &function->insts[i];
            if (inst->form->op != PTX_OP_CALL) continue;
            const struct ptx_operand *callee = &ptx_operands(function, inst)[1];
            if (callee->kind != PTX_OPERAND_FUNCTION) continue;
            enum ptx_runtime runtime = runtime_of(&module->functions[ptx_callee(module, callee->index)]);
            if (runtime == PTX_RUNTIME_NONE) continue;
            WB_TRY(runtime_form(&module->arena, inst->form, runtime, &forms[runtime]));
            inst->form = forms[runtime];
        }
    }
    return WB_OK;
}
