#include "flow/values/values.h"

#include <assert.h>

uint32_t ssa_argument_block(const struct ssa *ssa, const struct ssa_value *value, uint32_t a) {
    if (value->kind != SSA_PHI) return value->block;
    const struct adjacency *in = &ssa->cfg->graph.in;
    uint32_t edge = in->first[value->block] + a;
    return edge < in->first[value->block + 1] ? in->nodes[edge] : GRAPH_NONE;
}

typedef void read_visitor(struct ssa_readers *readers, uint32_t value, struct ssa_reader reader);

/* Visits what one value takes over from others. */
static void visit_arguments(const struct ssa *ssa, uint32_t index, read_visitor *visit,
                            struct ssa_readers *readers) {
    const struct ssa_value *value = &ssa->values[index];
    for (uint32_t a = 0; a < value->argument_count; a++) {
        uint32_t argument = ssa->arguments[value->first_argument + a];
        uint32_t block = ssa_argument_block(ssa, value, a);
        if (block == GRAPH_NONE) block = CFG_ENTRY;
        if (argument != SSA_NONE) visit(readers, argument, (struct ssa_reader){index, block, true});
    }
}

/* Visits every reading of every value, always in the same order. */
static void visit_reads(const struct ssa *ssa, read_visitor *visit, struct ssa_readers *readers) {
    for (uint32_t i = 0; i < ssa->cfg->function->inst_count; i++) {
        const struct ssa_reader reader = {i, ssa->cfg->block_of[i], false};
        for (uint32_t u = ssa->first_use[i]; u < ssa->first_use[i + 1]; u++)
            if (ssa->uses[u] != SSA_NONE) visit(readers, ssa->uses[u], reader);
    }
    for (uint32_t v = 0; v < ssa->value_count; v++)
        visit_arguments(ssa, v, visit, readers);
}

static void count_read(struct ssa_readers *readers, uint32_t value, struct ssa_reader reader) {
    (void)reader;
    readers->first[value]++;
}

static void store_read(struct ssa_readers *readers, uint32_t value, struct ssa_reader reader) {
    assert(readers->first[value] > 0);
    readers->items[--readers->first[value]] = reader;
}

struct ssa_readers ssa_readers_build(const struct ssa *ssa, struct arena *arena) {
    struct ssa_readers built = {.first = arena_array(arena, (size_t)ssa->value_count + 1, sizeof(uint32_t))};
    visit_reads(ssa, count_read, &built);
    for (uint32_t v = 1; v <= ssa->value_count; v++)
        built.first[v] += built.first[v - 1];
    /* Now first[v] is behind the readers of v; storing them from their end moves it to their start. */
    built.items = arena_array(arena, built.first[ssa->value_count], sizeof *built.items);
    visit_reads(ssa, store_read, &built);
    return built;
}

/* A search backwards from the branches. */
struct slicer {
    const struct ssa *ssa;
    bool *in_slice;
    uint32_t *pending; /* values whose operands are still to be marked */
    uint32_t pending_count;
};

static void mark(struct slicer *slicer, uint32_t value) {
    if (value == SSA_NONE || slicer->in_slice[value]) return;
    assert(value < slicer->ssa->value_count);
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

bool *branch_slice_find(const struct ssa *ssa, struct arena *arena) {
    struct slicer slicer = {.ssa = ssa};
    slicer.in_slice = arena_array(arena, (size_t)ssa->value_count + 1, sizeof *slicer.in_slice);
    slicer.pending = arena_array(arena, (size_t)ssa->value_count + 1, sizeof *slicer.pending);
    for (uint32_t block = 0; block < ssa->cfg->block_count; block++) {
        const struct cfg_block *code = &ssa->cfg->blocks[block];
        if (cfg_last(ssa->cfg, block)->guard != PTX_NO_INDEX)
            mark_reads(&slicer, code->first + code->count - 1);
    }
    while (slicer.pending_count > 0)
        mark_operands(&slicer, slicer.pending[--slicer.pending_count]);
    assert(slicer.pending_count == 0);
    return slicer.in_slice;
}
