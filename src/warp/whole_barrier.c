#include "warp/whole_barrier.h"

/* Whether operand `index` of a barrier is left out or, as a count, all threads of the block. */
static bool counts_whole_block(const struct ptx_function *function, const struct ptx_inst *inst,
                               uint32_t index, const uint32_t size[3], uint32_t warp_width) {
    if (index >= inst->operand_count) return true;
    const struct ptx_operand *operand = &function->operands[inst->first_operand + index];
    if (operand->kind == PTX_OPERAND_NONE) return true;
    uint64_t threads = (uint64_t)size[0] * size[1] * size[2];
    uint64_t rounded = (threads + warp_width - 1) / warp_width * warp_width;
    return operand->kind == PTX_OPERAND_INT && operand->value == rounded;
}

enum barrier_scope barrier_scope_of(const struct ptx_function *function, const struct ptx_inst *inst,
                                    const uint32_t size[3], uint32_t warp_width) {
    enum ptx_op op = (enum ptx_op)inst->form->op;
    if (op != PTX_OP_BAR || inst->form->mode == PTX_MODE_WARP) return BARRIER_NONE;
    if (inst->form->mode == PTX_MODE_ARRIVE) return BARRIER_PART;
    uint32_t count_operand = inst->form->mode == PTX_MODE_RED ? 2 : 1;
    return counts_whole_block(function, inst, count_operand, size, warp_width) ? BARRIER_WHOLE : BARRIER_PART;
}
