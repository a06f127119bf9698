#include "flow/ssa_readers.h"

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
    readers->items[--readers->first[value]] = reader;
}

wb_status ssa_readers_build(const struct ssa *ssa, struct arena *arena, struct ssa_readers *readers) {
    struct ssa_readers built = {.first = arena_array(arena, (size_t)ssa->value_count + 1, sizeof(uint32_t))};
    if (built.first == NULL) return WB_ERR_LIMIT;
    visit_reads(ssa, count_read, &built);
    for (uint32_t v = 1; v <= ssa->value_count; v++)
        built.first[v] += built.first[v - 1];
    /* Now first[v] is behind the readers of v; storing them from their end moves it to their start. */
    built.items = arena_array(arena, built.first[ssa->value_count], sizeof *built.items);
    if (built.items == NULL) return WB_ERR_LIMIT;
    visit_reads(ssa, store_read, &built);
    *readers = built;
    return WB_OK;
}
