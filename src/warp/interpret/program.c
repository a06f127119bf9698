#include "warp/interpret/warp.h"

#include <inttypes.h>

/* Slots of program.constant_of. A collision only costs a constant that is stored twice. */
#define CONSTANT_SLOTS 1024u

/* Alignment of dynamic shared memory, at least. */
#define DYNAMIC_ALIGN 16u

struct scan {
    struct program *program;
    uint32_t kernel;
    const uint32_t *code_first;
    wb_diagnostics *diagnostics;
    bool *function_seen;
    bool bank_seen;
    struct arena lists;
    VEC(uint32_t) functions; /* to be looked through */
    VEC(uint32_t) variables; /* whose initialisers are to be looked through */
};

static bool is_entry_param(const struct ptx_function *function, const struct ptx_variable *variable,
                           const struct wb_module *module) {
    for (uint32_t i = 0; i < function->param_count; i++)
        if (!function->param_is_reg[i] && &module->variables[function->params[i]] == variable) return true;
    return false;
}

bool program_in_frame(const struct wb_module *module, const struct ptx_variable *variable) {
    if (variable->owner == PTX_NO_INDEX) return false;
    if (variable->space == PTX_SPACE_LOCAL) return true;
    if (variable->space != PTX_SPACE_PARAM) return false;
    const struct ptx_function *owner = &module->functions[variable->owner];
    return !(owner->is_entry && is_entry_param(owner, variable, module));
}

static void scan_function(struct scan *scan, uint32_t function) {
    function = ptx_callee(scan->program->module, function);
    if (scan->function_seen[function]) return;
    scan->function_seen[function] = true;
    arena_push(&scan->lists, &scan->functions, function);
}

static void scan_variable(struct scan *scan, uint32_t variable) {
    if (scan->program->variable_used[variable]) return;
    scan->program->variable_used[variable] = true;
    arena_push(&scan->lists, &scan->variables, variable);
}

/* Whoever can read one variable of bank 3 can read all. */
static void scan_bank(struct scan *scan) {
    const struct wb_module *module = scan->program->module;
    if (scan->bank_seen) return;
    scan->bank_seen = true;
    for (uint32_t v = 0; v < module->variable_count; v++)
        if (module->variables[v].in_bank) scan_variable(scan, v);
}

/* Follows what is on the lists to the functions and variables it refers to. */
static void scan_all(struct scan *scan) {
    const struct wb_module *module = scan->program->module;
    while (scan->functions.count + scan->variables.count != 0) {
        if (scan->functions.count != 0) {
            const struct ptx_function *function =
                &module->functions[scan->functions.items[--scan->functions.count]];
            for (uint32_t i = 0; i < function->operand_count; i++) {
                const struct ptx_operand *operand = &function->operands[i];
                if (operand->kind == PTX_OPERAND_FUNCTION) scan_function(scan, operand->index);
                if (operand->kind == PTX_OPERAND_VARIABLE) scan_variable(scan, operand->index);
            }
        } else {
            const struct ptx_variable *variable =
                &module->variables[scan->variables.items[--scan->variables.count]];
            if (variable->in_bank) scan_bank(scan);
            for (uint32_t i = 0; i < variable->relocation_count; i++) {
                const struct ptx_relocation *relocation = &variable->relocations[i];
                if (relocation->is_function)
                    scan_function(scan, relocation->symbol);
                else
                    scan_variable(scan, relocation->symbol);
            }
        }
    }
}

/* Gives every shared variable in use its address: static ones in order, then the dynamic ones, which all
 * begin at the same place. */
static void lay_out_shared(struct program *program) {
    const struct wb_module *module = program->module;
    uint64_t end = 0, dynamic_align = DYNAMIC_ALIGN;
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct ptx_variable *variable = &module->variables[i];
        if (variable->space != PTX_SPACE_SHARED || !program->variable_used[i]) continue;
        if (variable->linkage == PTX_LINK_EXTERN) {
            program->has_dynamic_shared = true;
            if (variable->align > dynamic_align) dynamic_align = variable->align;
            continue;
        }
        program->addresses[i] = align_up(end, variable->align);
        end = program->addresses[i] + variable->size;
    }
    program->shared_static = end;
    program->shared_dynamic_base = align_up(end, dynamic_align);
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct ptx_variable *variable = &module->variables[i];
        if (variable->space == PTX_SPACE_SHARED && variable->linkage == PTX_LINK_EXTERN)
            program->addresses[i] = program->shared_dynamic_base;
    }
}

/* Gives the variables of frames of the functions that are reached their offsets. Local variables of the
 * module itself stand at the bottom of the stack, below the kernel's. */
static void lay_out_frames(const struct scan *scan) {
    struct program *program = scan->program;
    const struct wb_module *module = program->module;
    for (int owned = 0; owned < 2; owned++) {
        for (uint32_t i = 0; i < module->variable_count; i++) {
            const struct ptx_variable *variable = &module->variables[i];
            bool bottom = variable->space == PTX_SPACE_LOCAL && variable->owner == PTX_NO_INDEX;
            if (owned != 0 ? !program_in_frame(module, variable) : !bottom) continue;
            const uint32_t owner = owned != 0 ? variable->owner : scan->kernel;
            struct function_code *code = &program->functions[owner];
            if (!scan->function_seen[owner]) continue;
            uint64_t offset = align_up(code->local_size, variable->align > 8 ? variable->align : 8);
            if (variable->size > WINDOW_SIZE || offset + variable->size > WINDOW_SIZE) {
                diagnose(scan->diagnostics, SEVERITY_ERROR, module->functions[owner].name,
                         "its variables in local memory end with %s of %" PRIu64
                         " bytes, which is too large: "
                         "make the array smaller, or put it into global memory",
                         variable->name, variable->size);
                arena_fail(program->arena, WB_ERR_LIMIT);
            }
            program->addresses[i] = offset;
            code->local_size = (uint32_t)align_up(offset + variable->size, 16);
        }
    }
}

/* The arguments and results of a call. */
static struct call_operand *describe_params(struct program *program, const uint32_t *params,
                                            const bool *is_reg, uint32_t count) {
    struct call_operand *described = arena_array(program->arena, count, sizeof *described);
    for (uint32_t i = 0; i < count; i++) {
        struct call_operand *operand = &described[i];
        operand->is_param = !is_reg[i];
        if (operand->is_param) {
            operand->offset = (uint32_t)program->addresses[params[i]];
            operand->size = (uint32_t)program->module->variables[params[i]].size;
        } else {
            operand->slot = (struct slot){.index = params[i], .bank = BANK_FRAME};
        }
    }
    return described;
}

/* Prepares a reached function: room for its micro-operations and what calls need to know of it. */
static void describe_function(struct program *program, uint32_t index, uint32_t first) {
    struct function_code *code = &program->functions[index];
    const struct ptx_function *function = &program->module->functions[index];
    code->function = function;
    code->first = first;
    code->slot_count = function->reg_count + FRAME_EXTRA_SLOTS;
    code->micros = arena_array(program->arena, (size_t)function->inst_count + 1, sizeof *code->micros);
    if (function->is_entry) return;
    code->params = describe_params(program, function->params, function->param_is_reg, function->param_count);
    code->returns =
        describe_params(program, function->returns, function->return_is_reg, function->return_count);
}

static void scan_kernel(void *context) {
    struct scan *scan = context;
    struct program *program = scan->program;
    const struct wb_module *module = program->module;
    struct arena *arena = program->arena;
    struct slot zero;
    arena_bind(&scan->lists, arena);
    program->functions = arena_array(arena, module->function_count, sizeof *program->functions);
    program->variable_used = arena_array(arena, module->variable_count, sizeof(bool));
    program->addresses = arena_array(arena, module->variable_count, sizeof(uint64_t));
    program->constant_of = arena_array(arena, CONSTANT_SLOTS, sizeof(uint32_t));
    program->hints =
        arena_array(arena, (size_t)scan->code_first[module->function_count] + 1, sizeof(uint32_t));
    scan->function_seen = arena_array(arena, module->function_count, sizeof(bool));
    program_constant(program, 0, &zero);
    scan_function(scan, scan->kernel);
    scan_all(scan);
    arena_free(&scan->lists);
    lay_out_shared(program);
    lay_out_frames(scan);
    for (uint32_t f = 0; f < module->function_count; f++)
        if (scan->function_seen[f] && module->functions[f].has_body)
            describe_function(program, f, scan->code_first[f]);
}

wb_status program_scan(struct program *program, const struct wb_kernel *kernel, struct arena *arena,
                       const uint32_t *code_first, wb_diagnostics *diagnostics) {
    program->module = kernel->module;
    program->arena = arena;
    struct scan scan = {
        .program = program, .kernel = kernel->function, .code_first = code_first, .diagnostics = diagnostics};
    const size_t errors = wb_diagnostics_errors(diagnostics);
    wb_status status = arena_protect(arena, scan_kernel, &scan);
    if (status == WB_ERR_LIMIT && wb_diagnostics_errors(diagnostics) == errors)
        (void)diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
    return status;
}

uint64_t program_shared_bytes(const struct program *program, const struct wb_launch *launch) {
    if (launch->shared_bytes == 0) return program->shared_static;
    return program->shared_dynamic_base + launch->shared_bytes;
}

void program_constant(struct program *program, uint64_t value, struct slot *slot) {
    program_address(program, value, 0, slot);
}

void program_address(struct program *program, uint64_t value, uint64_t base_region, struct slot *slot) {
    uint32_t *seen = &program->constant_of[(value * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
    const struct lanes *constants = program->constants.items;
    if (*seen == 0 || constants[*seen - 1].value[0] != value ||
        constants[*seen - 1].base_region != base_region) {
        struct lanes lanes = {.origin = ORIGIN_UNWRITTEN, .base_region = base_region};
        lanes_broadcast(&lanes, value);
        if (vec_push(&program->constants, lanes) != WB_OK) arena_fail(program->arena, WB_ERR_LIMIT);
        *seen = (uint32_t)program->constants.count;
    }
    assert(*seen >= 1 && *seen <= program->constants.count);
    *slot = (struct slot){.index = *seen - 1, .bank = BANK_CONSTANT};
}

void program_special(struct program *program, uint32_t sreg, struct slot *slot) {
    size_t index = 0;
    while (index < program->sregs.count && program->sregs.items[index] != sreg)
        index++;
    if (index == program->sregs.count && vec_push(&program->sregs, (uint8_t)sreg) != WB_OK)
        arena_fail(program->arena, WB_ERR_LIMIT);
    *slot = (struct slot){.index = (uint32_t)index, .bank = BANK_SPECIAL};
}

const struct ptx_inst *program_inst(const struct program *program, uint32_t index) {
    for (uint32_t f = 0; f < program->module->function_count; f++) {
        const struct function_code *code = &program->functions[f];
        if (code->micros != NULL && index - code->first < ptx_issued_count(code->function))
            return &code->function->insts[ptx_issued(code->function, index - code->first)];
    }
    return NULL;
}

void program_free(struct program *program) {
    vec_free(&program->constants);
    vec_free(&program->sregs);
}
