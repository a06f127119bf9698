#include "flow/branch_slice.h"

/* A search backwards from the branches. */
struct slicer {
    const struct ssa *ssa;
    bool *in_slice;
    uint32_t *pending; /* values whose operands are still to be marked */
    uint32_t pending_count;
};

static void mark(struct slicer *slicer, uint32_t value) {
    if (value == SSA_NONE || slicer->in_slice[value]) return;
    slicer->in_slice[value] = true;
    slicer->pending[slicer->pending_count++] = value;
}

static void mark_reads(struct slicer *slicer, uint32_t inst) {
    const struct ssa *ssa = slicer->ssa;
    for (uint32_t u = ssa->first_use[inst]; u < ssa->first_use[inst + 1]; u++)
        mark(slicer, ssa->uses[u]);
}

/* Marks what a value is computed of: the arguments of phis and of guarded instructions, and what arithmetic
 * reads. */
static void mark_operands(struct slicer *slicer, uint32_t value) {
    const struct ssa_value *definition = &slicer->ssa->values[value];
    for (uint32_t a = 0; a < definition->argument_count; a++)
        mark(slicer, slicer->ssa->arguments[definition->first_argument + a]);
    if (definition->kind != SSA_INST) return;
    const struct ptx_inst *inst = &slicer->ssa->cfg->function->insts[definition->inst];
    if (inst->form->exec == PTX_EXEC_ALU) mark_reads(slicer, definition->inst);
}

wb_status branch_slice_find(const struct ssa *ssa, struct arena *arena, bool **in_slice) {
    struct slicer slicer = {.ssa = ssa};
    slicer.in_slice = arena_array(arena, (size_t)ssa->value_count + 1, sizeof *slicer.in_slice);
    slicer.pending = arena_array(arena, (size_t)ssa->value_count + 1, sizeof *slicer.pending);
    if (slicer.in_slice == NULL || slicer.pending == NULL) return WB_ERR_LIMIT;
    for (uint32_t block = 0; block < ssa->cfg->block_count; block++) {
        const struct cfg_block *code = &ssa->cfg->blocks[block];
        if (cfg_last(ssa->cfg, block)->guard != PTX_NO_INDEX)
            mark_reads(&slicer, code->first + code->count - 1);
    }
    while (slicer.pending_count > 0)
        mark_operands(&slicer, slicer.pending[--slicer.pending_count]);
    *in_slice = slicer.in_slice;
    return WB_OK;
}
