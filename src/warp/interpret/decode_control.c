/* Decoding branches, calls and barriers. */
#include "ptx/runtime.h"
#include "warp/interpret/decode.h"
#include "warp/interpret/execute.h"

static wb_status decode_branch(struct decoder *decoder, const struct ptx_operand *operands,
                               struct micro *op) {
    struct micro_branch *branch = &op->branch;
    const struct ptx_function *function = decoder->code->function;
    branch->target_count = ptx_branch_targets(function, op->inst, NULL, 0);
    branch->targets = arena_array(decoder->program->arena, branch->target_count, sizeof(uint32_t));
    if (branch->targets == NULL) return WB_ERR_LIMIT;
    (void)ptx_branch_targets(function, op->inst, branch->targets, branch->target_count);
    branch->reconvergence = decoder->reconvergence[op->inst - function->insts];
    op->unsure = unsure_control;
    op->execute = branch_execute;
    if (op->form->op == PTX_OP_BRA) return WB_OK;
    bool known = true;
    WB_TRY(decode_source(decoder, decode_nth_source(op->form, operands, 0), PTX_U32, &op->source[0], &known));
    op->execute = known ? branch_index_execute : NULL;
    return WB_OK;
}

/* The parts of an argument or result list: `(a, b)`, a single operand, or nothing. */
static wb_status decode_list(struct decoder *decoder, const struct ptx_operand *list,
                             struct call_operand **out, uint32_t *count, bool *known) {
    const struct ptx_function *function = decoder->code->function;
    const struct wb_module *module = decoder->program->module;
    bool is_vector = list != NULL && list->kind == PTX_OPERAND_VECTOR;
    *count = list == NULL || list->kind == PTX_OPERAND_NONE ? 0 : is_vector ? list->count : 1;
    *out = arena_array(decoder->program->arena, *count, sizeof **out);
    if (*out == NULL) return WB_ERR_LIMIT;
    for (uint32_t i = 0; i < *count; i++) {
        const struct ptx_operand *part = is_vector ? &function->operands[list->index + i] : list;
        struct call_operand *operand = &(*out)[i];
        if (part->kind == PTX_OPERAND_VARIABLE && module->variables[part->index].space == PTX_SPACE_PARAM &&
            program_in_frame(module, &module->variables[part->index])) {
            operand->is_param = true;
            operand->offset = (uint32_t)decoder->program->addresses[part->index];
            operand->size = (uint32_t)module->variables[part->index].size;
        } else {
            WB_TRY(decode_source(decoder, part, PTX_B64, &operand->slot, known));
        }
    }
    return WB_OK;
}

static wb_status decode_call(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    bool known = true;
    const bool ends = ptx_ends_grid(op->form), runtime = !ends && op->form->runtime != PTX_RUNTIME_NONE;
    struct micro_call *call = &op->call;
    const struct ptx_operand *callee = decode_role(op->form, operands, 's', 0);
    call->callee = PTX_NO_INDEX;
    if (callee->kind == PTX_OPERAND_FUNCTION)
        call->callee = ptx_callee(decoder->program->module, callee->index);
    else
        WB_TRY(decode_source(decoder, callee, PTX_U64, &op->source[0], &known));
    WB_TRY(decode_list(decoder, decode_role(op->form, operands, 'O', 0), &call->results, &call->result_count,
                       &known));
    WB_TRY(decode_list(decoder, decode_role(op->form, operands, 'o', 0), &call->arguments,
                       &call->argument_count, &known));
    op->unsure = runtime ? runtime_unsure : unsure_control;
    op->execute = ends ? trap_execute : runtime ? runtime_execute : call_execute;
    if (known || runtime) return WB_OK;
    ptx_diagnose(decoder->diagnostics, SEVERITY_ERROR, decoder->program->module, op->inst,
                 "this callee or one of these arguments is not supported");
    return WB_ERR_DECLINED;
}

wb_status decode_control(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    op->unsure = unsure_control;
    switch (op->form->op) {
    case PTX_OP_BRA:
    case PTX_OP_BRX_IDX: return decode_branch(decoder, operands, op);
    case PTX_OP_CALL: return decode_call(decoder, operands, op);
    case PTX_OP_RET: op->execute = return_execute; return WB_OK;
    case PTX_OP_EXIT: op->execute = exit_execute; return WB_OK;
    case PTX_OP_TRAP: op->execute = trap_execute; return WB_OK;
    default: return WB_OK;
    }
}

/* Source 0: which barrier; 1: how many threads, 0 for all; 2: the predicate of bar.red; 3: the member mask of
 * bar.warp.sync. */
wb_status decode_barrier(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    bool known = true;
    op->unsure = unsure_control;
    op->execute = barrier_execute;
    if (op->form->mode == PTX_MODE_WARP) {
        op->unsure = unsure_exchange;
        op->execute = warp_sync_execute;
        return decode_source(decoder, decode_nth_source(op->form, operands, 0), PTX_U32, &op->source[3],
                             &known);
    }
    for (uint32_t n = 0; n < 3; n++) {
        const struct ptx_operand *operand = decode_nth_source(op->form, operands, n);
        if (operand == NULL) break;
        WB_TRY(decode_source(decoder, operand, n == 2 ? PTX_PRED : PTX_U32, &op->source[n], &known));
    }
    if (op->form->mode != PTX_MODE_RED) return WB_OK;
    const struct ptx_operand *to = decode_role(op->form, operands, 'd', 0);
    return decode_source(decoder, to, PTX_U32, &op->destination, &known);
}
