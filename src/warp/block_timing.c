#include "warp/block_timing.h"

#include <string.h>

/* What making one timed block needs. */
struct timing {
    const struct wb_block *block;
    const struct wb_machine *machine;
    wb_diagnostics *diagnostics;
    struct timed_block *timed;
    uint32_t *used;      /* per instruction, whether some path executes it */
    uint32_t *registers; /* per register of the function at hand its number in the code, or PTX_NO_INDEX */
    uint64_t unknown_classes[(PTX_CLASS_COUNT + 63) / 64]; /* classes already complained of */
    VEC(uint32_t) operands;
};

static wb_status timing_no_memory(const struct timing *timing) {
    diagnose(timing->diagnostics, SEVERITY_ERROR, wb_kernel_name(timing->block->kernel), "out of memory");
    return WB_ERR_LIMIT;
}

/* Marks the instructions on the paths. Runs are marked by their ends first, so that the work depends on the
 * number of runs and not on their lengths. */
static void timing_mark_used(struct timing *timing, uint32_t inst_count) {
    const struct wb_block *block = timing->block;
    for (size_t p = 0; p < block->paths.count; p++) {
        const struct path *path = &block->paths.items[p];
        for (size_t e = 0; e < path->entries.count; e++) {
            const struct path_entry *entry = &path->entries.items[e];
            if (entry->count == PATH_REPEAT) continue;
            timing->used[entry->first]++; /* sums wrap round; only their differences count */
            timing->used[entry->first + entry->count]--;
        }
    }
    uint32_t depth = 0;
    for (uint32_t i = 0; i < inst_count; i++) {
        depth += timing->used[i];
        timing->used[i] = depth != 0;
    }
}

/* Whether operand `index` of a barrier is left out or, as a count, all threads of the block. */
static bool timing_counts_whole_block(const struct timing *timing, const struct ptx_function *function,
                                      const struct ptx_inst *inst, uint32_t index) {
    if (index >= inst->operand_count) return true;
    const struct ptx_operand *operand = &function->operands[inst->first_operand + index];
    if (operand->kind == PTX_OPERAND_NONE) return true;
    const uint32_t *size = timing->block->size;
    uint64_t threads = (uint64_t)size[0] * size[1] * size[2];
    uint64_t rounded = (threads + WARP_LANES - 1) / WARP_LANES * WARP_LANES;
    return operand->kind == PTX_OPERAND_INT && operand->value == rounded;
}

/* Sets inst->barrier, or declines a barrier that does not join the whole block. Which of the 16 barriers it
 * is does not matter: warps that all wait for all others wait for the same one, or for ever. */
static wb_status timing_barrier(const struct timing *timing, const struct ptx_function *function,
                                const struct ptx_inst *inst, struct timed_inst *timed) {
    enum ptx_op op = (enum ptx_op)inst->form->op;
    if (op != PTX_OP_BAR && op != PTX_OP_BARRIER_CLUSTER_ARRIVE && op != PTX_OP_BARRIER_CLUSTER_WAIT)
        return WB_OK;
    if (op == PTX_OP_BAR && inst->form->mode == PTX_MODE_WARP) return WB_OK;
    uint32_t count_operand = inst->form->mode == PTX_MODE_RED ? 2 : 1;
    bool whole = op == PTX_OP_BAR && inst->form->mode != PTX_MODE_ARRIVE &&
                 timing_counts_whole_block(timing, function, inst, count_operand);
    if (whole) {
        timed->barrier = true;
        return WB_OK;
    }
    ptx_diagnose(timing->diagnostics, SEVERITY_ERROR, timing->block->kernel->module, inst,
                 "'%s' does not join all threads of the block; only barriers of the whole block can "
                 "be bounded",
                 inst->form->text);
    return WB_ERR_DECLINED;
}

/* Unit, initiation and latency by the instruction's class. */
static wb_status timing_class(struct timing *timing, const struct ptx_inst *inst, struct timed_inst *timed) {
    uint32_t class_index = inst->form->class_;
    const struct machine_class *class = &timing->machine->classes[class_index];
    if (class->given) {
        timed->unit = class->unit;
        timed->init = class->unit == UNIT_NONE ? 0 : class->init;
        timed->latency = machine_latency(timing->machine, class);
        return WB_OK;
    }
    uint64_t bit = UINT64_C(1) << (class_index % 64);
    if (timing->unknown_classes[class_index / 64] & bit) return WB_ERR_INPUT;
    timing->unknown_classes[class_index / 64] |= bit;
    ptx_diagnose(timing->diagnostics, SEVERITY_ERROR, timing->block->kernel->module, inst,
                 "machine '%s' gives no times for class '%s', which '%s' belongs to", timing->machine->name,
                 ptx_class_name((enum ptx_class)class_index), inst->form->text);
    return WB_ERR_INPUT;
}

/* Appends a register of the function at hand to the operands. Registers are numbered as they are met: those
 * that no path touches take no room in the simulator. */
static wb_status timing_operand(struct timing *timing, uint32_t reg) {
    if (timing->registers[reg] == PTX_NO_INDEX) timing->registers[reg] = timing->timed->code.register_count++;
    if (vec_push(&timing->operands, timing->registers[reg]) == WB_OK) return WB_OK;
    return timing_no_memory(timing);
}

static wb_status timing_operands(struct timing *timing, const struct ptx_function *function,
                                 const struct ptx_inst *inst, struct ptx_regs *regs,
                                 struct timed_inst *timed) {
    ptx_inst_regs(function, inst, regs);
    timed->first_operand = (uint32_t)timing->operands.count;
    timed->source_count = (uint16_t)regs->read_count;
    timed->destination_count = (uint16_t)regs->written_count;
    for (uint32_t i = 0; i < regs->read_count; i++)
        WB_TRY(timing_operand(timing, regs->read[i]));
    for (uint32_t i = 0; i < regs->written_count; i++)
        WB_TRY(timing_operand(timing, regs->written[i]));
    return WB_OK;
}

/* The used instructions of one function; every missing class is reported before the call fails. */
static wb_status timing_function(struct timing *timing, uint32_t index, struct ptx_regs *regs) {
    const struct ptx_function *function = &timing->block->kernel->module->functions[index];
    struct timed_code *code = &timing->timed->code;
    uint32_t first = timing->block->code_first[index];
    wb_status status = WB_OK;
    memset(timing->registers, 0xff, ((size_t)function->reg_count + 1) * sizeof *timing->registers);
    for (uint32_t i = 0; i < function->inst_count; i++) {
        if (!timing->used[first + i]) continue;
        const struct ptx_inst *inst = &function->insts[i];
        struct timed_inst *timed = &code->insts[first + i];
        timed->uncounted = inst->form->class_ == PTX_CLASS_EXIT;
        if (timing_class(timing, inst, timed) != WB_OK) status = WB_ERR_INPUT;
        WB_TRY(timing_barrier(timing, function, inst, timed));
        WB_TRY(timing_operands(timing, function, inst, regs, timed));
    }
    return status;
}

static wb_status timing_build(struct timing *timing) {
    const struct wb_module *module = timing->block->kernel->module;
    struct timed_block *timed = timing->timed;
    uint32_t inst_count = timing->block->code_first[module->function_count];
    timed->code.inst_count = inst_count;
    timed->code.insts = arena_array(&timed->arena, (size_t)inst_count + 1, sizeof *timed->code.insts);
    timing->used = arena_array(&timed->arena, (size_t)inst_count + 1, sizeof *timing->used);
    uint32_t most = 0;
    for (uint32_t f = 0; f < module->function_count; f++)
        most = module->functions[f].reg_count > most ? module->functions[f].reg_count : most;
    timing->registers = arena_array(&timed->arena, (size_t)most + 1, sizeof *timing->registers);
    struct ptx_regs *regs = arena_alloc(&timed->arena, sizeof *regs);
    if (timed->code.insts == NULL || timing->used == NULL || timing->registers == NULL || regs == NULL)
        return timing_no_memory(timing);
    timing_mark_used(timing, inst_count);
    wb_status status = WB_OK;
    for (uint32_t f = 0; f < module->function_count; f++) {
        wb_status made = timing_function(timing, f, regs);
        if (made != WB_OK && made != WB_ERR_INPUT) return made;
        if (status == WB_OK) status = made;
    }
    WB_TRY(status);
    size_t bytes = timing->operands.count * sizeof *timed->code.operands;
    timed->code.operands = arena_alloc(&timed->arena, bytes + 1);
    if (timed->code.operands == NULL) return timing_no_memory(timing);
    if (bytes > 0) memcpy(timed->code.operands, timing->operands.items, bytes);
    return WB_OK;
}

wb_status timed_block_from(const struct wb_block *block, const struct wb_machine *machine,
                           wb_diagnostics *diagnostics, struct timed_block *timed) {
    struct timed_block made = {.machine = machine,
                               .traced = block,
                               .paths = block->paths.items,
                               .path_count = (uint32_t)block->paths.count,
                               .warp_path = block->warp_path,
                               .warp_count = block->warp_count};
    struct timing timing = {.block = block, .machine = machine, .diagnostics = diagnostics, .timed = &made};
    wb_status status = timing_build(&timing);
    vec_free(&timing.operands);
    if (status == WB_OK) {
        *timed = made;
    } else {
        timed_block_free(&made);
    }
    return status;
}
