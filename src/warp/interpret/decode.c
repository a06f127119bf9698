#include "warp/interpret/decode.h"

#include <string.h>

#include "flow/graph/cfg.h"
#include "warp/interpret/execute.h"

/* Collects the registers that the instruction writes. */
static wb_status decode_outputs(struct decoder *decoder, const struct ptx_operand *operands,
                                struct micro *op) {
    uint32_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) op->outputs = arena_array(decoder->program->arena, count, sizeof *op->outputs);
        if (pass == 1 && op->outputs == NULL) return WB_ERR_LIMIT;
        for (uint32_t i = 0; op->form->roles[i] != '\0'; i++) {
            if (strchr("dDxO", op->form->roles[i]) == NULL) continue;
            bool is_vector = operands[i].kind == PTX_OPERAND_VECTOR;
            const struct ptx_operand *parts =
                is_vector ? &decoder->code->function->operands[operands[i].index] : &operands[i];
            for (uint32_t j = 0; j < (is_vector ? operands[i].count : 1u); j++) {
                bool is_reg = parts[j].kind == PTX_OPERAND_REG;
                if (pass == 0) count += is_reg;
                if (pass == 1 && is_reg)
                    op->outputs[op->output_count++] =
                        (struct slot){.index = parts[j].index, .bank = BANK_FRAME};
            }
        }
    }
    if (op->output_count != 0)
        op->result_mask = low_bytes_mask(decode_register_bytes(decoder, op->outputs[0]));
    return WB_OK;
}

/* Whether an instruction with an address operand, which the interpreter does not compute, writes memory that
 * loads can read: not texture, surface and tensor memory. */
static bool may_store(const struct ptx_form *form) {
    if (form->op == PTX_OP_CP_ASYNC_BULK_PREFETCH || form->op == PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR)
        return false;
    switch (form->class_) {
    case PTX_CLASS_ATOMIC_GLOBAL:
    case PTX_CLASS_ATOMIC_SHARED:
    case PTX_CLASS_ASYNC_COPY: return true;
    case PTX_CLASS_TEXTURE:
    case PTX_CLASS_TENSOR: return false;
    default: return form->roles[0] != 'd';
    }
}

/* What the interpreter cannot compute: its results are unknown, and so is the memory that it may write. */
static wb_status decode_opaque(struct decoder *decoder, const struct ptx_operand *operands,
                               struct micro *op) {
    op->execute = op->unrecorded = opaque_execute;
    op->unsure = unsure_outputs;
    if (op->accesses_memory) op->execute = unrecorded_execute;
    const struct ptx_operand *address = decode_role(op->form, operands, 'm', 0);
    if (address == NULL || !may_store(op->form)) return WB_OK;
    bool known = true;
    memset(&op->memory, 0, sizeof op->memory);
    WB_TRY(decode_address(decoder, address, op->form->space, &op->memory.address, &known));
    op->unrecorded = known ? opaque_store_execute : refuse_execute;
    op->unsure = known ? unsure_store : unsure_control;
    return WB_OK;
}

static wb_status decode_sleep(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    bool known = true;
    op->execute = sleep_execute;
    op->unsure = unsure_sleep;
    return decode_source(decoder, decode_nth_source(op->form, operands, 0), PTX_U32, &op->source[0], &known);
}

/* Whether an instruction commits, or waits for, groups of asynchronous copies. */
static bool is_of_groups(const struct ptx_form *form) {
    return form->wait == PTX_WAIT_COPIES || form->op == PTX_OP_CP_ASYNC_COMMIT_GROUP ||
           form->op == PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP;
}

static wb_status decode_by_kind(struct decoder *decoder, const struct ptx_operand *operands,
                                struct micro *op) {
    if (is_of_groups(op->form)) {
        op->execute = op->unrecorded = group_execute;
        op->unsure = unsure_group;
        return WB_OK;
    }
    switch (op->form->exec) {
    case PTX_EXEC_ALU: return decode_alu(decoder, operands, op);
    case PTX_EXEC_MEMORY: return decode_memory(decoder, operands, op);
    case PTX_EXEC_WARP: return decode_exchange(decoder, operands, op);
    case PTX_EXEC_CONTROL:
        return op->form->op == PTX_OP_BAR ? decode_barrier(decoder, operands, op)
                                          : decode_control(decoder, operands, op);
    case PTX_EXEC_NOP:
        op->execute = op->accesses_memory ? unrecorded_execute : nothing_execute;
        op->unrecorded = nothing_execute;
        op->unsure = unsure_outputs;
        return op->form->op == PTX_OP_NANOSLEEP ? decode_sleep(decoder, operands, op) : WB_OK;
    default: return op->form->op == PTX_OP_LDMATRIX ? decode_memory(decoder, operands, op) : WB_OK;
    }
}

static wb_status decode_inst(struct decoder *decoder, uint32_t index) {
    const struct ptx_function *function = decoder->code->function;
    const struct ptx_inst *inst = &function->insts[index];
    const struct ptx_operand *operands = ptx_operands(function, inst);
    struct micro *op = &decoder->code->micros[index];
    if (inst->form->op == PTX_OP_UNKNOWN) {
        ptx_diagnose(decoder->diagnostics, SEVERITY_ERROR, decoder->program->module, inst,
                     "unknown instruction '%s'", inst->form->text);
        return WB_ERR_INPUT;
    }
    op->form = inst->form;
    op->inst = inst;
    op->index = decoder->code->first + index;
    op->accesses_memory = strchr(op->form->roles, 'm') != NULL && op->form->class_ != PTX_CLASS_MOVE;
    op->has_guard = inst->guard != PTX_NO_INDEX;
    if (op->has_guard) op->guard = (struct slot){inst->guard, BANK_FRAME, inst->guard_negated};
    for (uint32_t i = 0; i < MICRO_SOURCES; i++)
        op->source[i] = (struct slot){.bank = BANK_CONSTANT};
    WB_TRY(decode_outputs(decoder, operands, op));
    WB_TRY(decode_by_kind(decoder, operands, op));
    return op->execute == NULL ? decode_opaque(decoder, operands, op) : WB_OK;
}

/* A body whose last instruction is passed ends as if by `ret`. */
static void decode_end(struct function_code *code) {
    static const struct ptx_form end = {.text = "", .roles = "", .op = PTX_OP_RET};
    struct micro *op = &code->micros[code->function->inst_count];
    op->form = &end;
    op->index = ORIGIN_UNWRITTEN;
    op->execute = return_execute;
}

/* Where the branches of a function reconverge. */
struct reconvergence {
    const struct ptx_function *function;
    struct arena *arena;
    uint32_t *points; /* per instruction */
};

static void find_reconvergence(void *context) {
    struct reconvergence *reconvergence = context;
    reconvergence->points = flow_reconvergence(reconvergence->function, reconvergence->arena);
}

wb_status program_decode(struct program *program, wb_diagnostics *diagnostics) {
    struct decoder decoder = {.program = program, .diagnostics = diagnostics};
    for (uint32_t f = 0; f < program->module->function_count; f++) {
        struct function_code *code = &program->functions[f];
        if (code->micros == NULL) continue;
        struct reconvergence reconvergence = {code->function, program->arena, NULL};
        wb_status status = arena_protect(program->arena, find_reconvergence, &reconvergence);
        decoder.code = code;
        decoder.reconvergence = reconvergence.points;
        for (uint32_t i = 0; status == WB_OK && i < code->function->inst_count; i++)
            status = decode_inst(&decoder, i);
        if (status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(diagnostics, code->function->name);
        if (status != WB_OK) return status;
        decode_end(code);
    }
    return WB_OK;
}
