#include "warp/trace/recorded.h"

#include "base/base.h"
#include "lift/lift.h"
#include "warp/interpret/execute.h"

/* Lanes whose addresses ldmatrix and stmatrix take: eight for each matrix. */
#define LANES_OF_MATRIX 8u

/* ---- Accesses ------------------------------------------------------------------------------------------ */

static void add_access(struct recorded_inst *inst, const struct recorded_access *access) {
    const size_t at = inst->accesses[0].lanes != 0;
    if (inst->accesses[at].lanes != 0)
        inst->refused = "it accesses more memory than a trace says";
    else
        inst->accesses[at] = *access;
}

/* What an instruction of the group accesses; constants that are operands are no accesses of their own. */
static void take_access(struct recorded_inst *inst, const struct micro *op) {
    const struct micro_memory *memory = &op->memory;
    struct recorded_access access = {.lanes = LANES_ALL,
                                     .bytes = (uint8_t)(memory->bytes * memory->count),
                                     .space = memory->address.space,
                                     .is_traced = true};
    const bool constant = access.space == PTX_SPACE_CONST || access.space == PTX_SPACE_PARAM;
    if (!op->accesses_memory || (constant && !op->issued)) return;
    if (op->execute == unrecorded_execute) {
        inst->refused = "which memory it accesses is not known";
        return;
    }
    switch (op->form->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU: access.is_traced = !constant; break;
    case PTX_OP_ST: access.is_store = true; break;
    case PTX_OP_ATOM:
    case PTX_OP_RED: access.is_store = access.is_atomic = true; break;
    case PTX_OP_LDMATRIX:
    case PTX_OP_STMATRIX:
        access.bytes = memory->bytes;
        access.lanes = lanes_first(LANES_OF_MATRIX * memory->count);
        access.is_store = op->form->op == PTX_OP_STMATRIX;
        break;
    case PTX_OP_CP_ASYNC: { /* the trace has one address of the two */
        const struct recorded_access from = {
            .lanes = LANES_ALL, .bytes = memory->bytes, .space = PTX_SPACE_GLOBAL, .is_traced = true};
        add_access(inst, &from);
        access.bytes = memory->bytes;
        access.is_store = true;
        access.is_traced = false;
        break;
    }
    default: inst->refused = "a trace does not say which memory it accesses"; return;
    }
    add_access(inst, &access);
}

/* ---- The code ------------------------------------------------------------------------------------------ */

static bool has_guard(const struct sass_inst *inst) {
    return inst->guard.number != SASS_PT || inst->guard.negated;
}

static void take_insts(const struct machine_code *code, const struct machine_kernel *kernel,
                       struct recorded_code *made) {
    for (uint32_t i = kernel->count; i-- > 0;) {
        struct recorded_inst *inst = &made->insts[i];
        inst->machine = &code->insts[kernel->first + i];
        inst->certain = has_guard(&inst->machine->sass) ? made->insts[i + 1].certain : i;
    }
}

static void take_groups(const struct program *program, const struct machine_kernel *kernel,
                        struct recorded_code *made, uint32_t *number_of) {
    const struct function_code *code = &program->functions[made->kernel->function];
    for (uint32_t i = 0; i < code->function->inst_count; i++) {
        const struct micro *op = &code->micros[i];
        const uint32_t number = op->inst->machine - kernel->first;
        struct recorded_inst *inst = &made->insts[number];
        if (number >= kernel->count) continue; /* what is made before the first one */
        number_of[op->index - made->first] = number;
        if (inst->inst == NULL) inst->index = op->index;
        if (op->issued && inst->index == op->index) inst->inst = op->inst;
        if (inst->index == op->index) take_access(inst, op);
    }
}

static const struct machine_kernel *kernel_of(const struct machine_code *code, uint32_t function) {
    for (uint32_t k = 0; code != NULL && k < code->kernel_count; k++)
        if (code->kernels[k].function == function) return &code->kernels[k];
    return NULL;
}

/* The function that arena_protect runs. */
struct making {
    struct recorded_code *made;
    const struct program *program;
    const struct machine_kernel *kernel;
    struct arena *arena;
};

static void make(void *context) {
    const struct making *making = context;
    struct recorded_code *made = making->made;
    const struct wb_module *module = made->kernel->module;
    made->count = making->kernel->count;
    made->insts = arena_array(making->arena, (size_t)made->count + 1, sizeof *made->insts);
    uint32_t *number_of = arena_array(making->arena, (size_t)made->index_count + 1, sizeof *number_of);
    for (uint32_t i = 0; i <= made->index_count; i++)
        number_of[i] = RECORDED_NONE;
    made->insts[made->count].certain = made->count;
    take_insts(module->code, making->kernel, made);
    take_groups(making->program, making->kernel, made, number_of);
    made->number_of = number_of;
    made->shared_static = machine_code_shared(module->code, making->program->shared_static);
}

wb_status recorded_code_make(const struct wb_kernel *kernel, const uint32_t *code_first, struct arena *arena,
                             wb_diagnostics *diagnostics, struct recorded_code *code) {
    struct program program = {0};
    struct making making = {code, &program, kernel_of(kernel->module->code, kernel->function), arena};
    *code = (struct recorded_code){.kernel = kernel,
                                   .first = code_first[kernel->function],
                                   .index_count =
                                       code_first[kernel->function + 1] - code_first[kernel->function]};
    if (making.kernel == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, wb_kernel_name(kernel),
                 "a trace is of machine code: name the cubin that was traced");
        return WB_ERR_INPUT;
    }
    wb_status status = program_scan(&program, kernel, arena, code_first, diagnostics);
    if (status == WB_OK) status = program_decode(&program, diagnostics);
    if (status == WB_OK && arena_protect(arena, make, &making) != WB_OK)
        status = diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
    program_free(&program);
    return status;
}

/* ---- What follows -------------------------------------------------------------------------------------- */

/* Where an instruction may go other than on: *anywhere, or to the number that is returned. */
static uint32_t jump_of(const struct sass_inst *inst, bool *anywhere) {
    *anywhere = false;
    switch ((enum sass_op)inst->op) {
    case SASS_OP_BRA:
    case SASS_OP_CALL_REL: return inst->target / SASS_BYTES;
    case SASS_OP_BRX:
    case SASS_OP_BRXU:
    case SASS_OP_CALL_ABS:
    case SASS_OP_RET: *anywhere = true; return RECORDED_NONE;
    default: return RECORDED_NONE;
    }
}

bool recorded_jumps(const struct recorded_inst *inst) {
    bool anywhere;
    return jump_of(&inst->machine->sass, &anywhere) != RECORDED_NONE || anywhere;
}

/* Whether `to` comes from `start` on before or at the first one without a guard. */
static bool reaches(const struct recorded_code *code, uint32_t start, uint32_t to) {
    return start <= to && start < code->count && to <= code->insts[start].certain;
}

bool recorded_follows(const struct recorded_code *code, uint32_t from, uint32_t to, uint32_t *next) {
    bool anywhere = false;
    uint32_t jump = 0;
    if (from != RECORDED_NONE) {
        const struct machine_inst *inst = code->insts[from].machine;
        *next = from + 1;
        if (plan_goes_on(inst) && reaches(code, *next, to)) return true;
        jump = jump_of(&inst->sass, &anywhere);
    }
    *next = anywhere ? to : jump;
    return anywhere || reaches(code, jump, to);
}
