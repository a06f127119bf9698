/* Liveness by exploring paths: from every read that no write of its block precedes, back to the writes. Each
 * bit that is set costs one look at the predecessors of its block, and nothing is iterated to a fixed point
 * (Boissinot et al., "Liveness sets revisited", APLAS 2011). */
#include "flow/liveness.h"

#include <string.h>

#include "base/vec.h"

/* A node that needs a register from what comes before it. */
struct need {
    uint32_t node, reg;
};

/* What is known of a function while its live registers are found. */
struct explorer {
    const struct cfg *cfg;
    struct liveness liveness;
    VEC(struct need) needs;
    uint32_t *needed_in;  /* per register: the block that was last found to need it, + 1 */
    uint32_t *written_in; /* per register: the block that was last found to write it first, + 1 */
    uint64_t *written;    /* per node, in the form of liveness.in: written before it is needed */
    VEC(uint32_t) nodes;  /* whose predecessors are still to be looked at for one register */
};

static bool has_bit(const struct explorer *explorer, const uint64_t *sets, uint32_t node, uint32_t column) {
    return (sets[(size_t)node * explorer->liveness.words + column / 64] >> (column % 64) & 1) != 0;
}

static void set_bit(const struct explorer *explorer, uint64_t *sets, uint32_t node, uint32_t column) {
    sets[(size_t)node * explorer->liveness.words + column / 64] |= (uint64_t)1 << (column % 64);
}

static wb_status note_needs(struct explorer *explorer, uint32_t block, const uint32_t *regs, uint32_t count) {
    for (uint32_t r = 0; r < count; r++) {
        if (explorer->written_in[regs[r]] == block + 1 || explorer->needed_in[regs[r]] == block + 1) continue;
        explorer->needed_in[regs[r]] = block + 1;
        WB_TRY(vec_push(&explorer->needs, ((struct need){block, regs[r]})));
    }
    return WB_OK;
}

/* Notes what a block reads before it writes it. An instruction with a guard needs what it writes, too. */
static wb_status find_needs(struct explorer *explorer, uint32_t block) {
    const struct cfg *cfg = explorer->cfg;
    struct ptx_regs regs;
    for (uint32_t i = 0; i < cfg->blocks[block].count; i++) {
        const struct ptx_inst *inst = &cfg->function->insts[cfg->blocks[block].first + i];
        ptx_inst_regs(cfg->function, inst, &regs);
        WB_TRY(note_needs(explorer, block, regs.read, regs.read_count));
        if (inst->guard != PTX_NO_INDEX)
            WB_TRY(note_needs(explorer, block, regs.written, regs.written_count));
        for (uint32_t w = 0; w < regs.written_count; w++)
            explorer->written_in[regs.written[w]] = block + 1;
    }
    return WB_OK;
}

static wb_status find_all_needs(struct explorer *explorer) {
    const struct cfg *cfg = explorer->cfg;
    const struct ptx_function *function = cfg->function;
    for (uint32_t block = 0; block < cfg->block_count; block++)
        WB_TRY(find_needs(explorer, block));
    for (uint32_t i = 0; i < function->return_count; i++) {
        if (function->return_is_reg[i])
            WB_TRY(vec_push(&explorer->needs, ((struct need){cfg->exit, function->returns[i]})));
    }
    return WB_OK;
}

/* Gives a column to every register that some block needs. */
static void number_columns(struct explorer *explorer) {
    uint32_t *column = explorer->liveness.column;
    uint32_t regs = explorer->cfg->function->reg_count + 1;
    uint32_t columns = 0;
    memset(column, 0xff, regs * sizeof *column);
    for (size_t i = 0; i < explorer->needs.count; i++)
        column[explorer->needs.items[i].reg] = 0;
    for (uint32_t reg = 0; reg < regs; reg++) {
        if (column[reg] != GRAPH_NONE) column[reg] = columns++;
    }
    explorer->liveness.words = columns / 64 + 1;
}

/* Marks the registers with columns that each block writes. What a block needs as well is explored from there,
 * not from behind it. */
static void mark_written(struct explorer *explorer) {
    const struct cfg *cfg = explorer->cfg;
    struct ptx_regs regs;
    for (uint32_t i = 0; i < cfg->function->inst_count; i++) {
        ptx_inst_regs(cfg->function, &cfg->function->insts[i], &regs);
        for (uint32_t w = 0; w < regs.written_count; w++) {
            uint32_t column = explorer->liveness.column[regs.written[w]];
            if (column != GRAPH_NONE) set_bit(explorer, explorer->written, cfg->block_of[i], column);
        }
    }
}

/* What a node needs is live there and wherever control comes from, back to the blocks that write it. */
static wb_status explore(struct explorer *explorer, const struct need *need) {
    const struct adjacency *in = &explorer->cfg->graph.in;
    uint32_t column = explorer->liveness.column[need->reg];
    uint64_t *live = explorer->liveness.in;
    if (has_bit(explorer, live, need->node, column)) return WB_OK;
    set_bit(explorer, live, need->node, column);
    explorer->nodes.count = 0;
    WB_TRY(vec_push(&explorer->nodes, need->node));
    while (explorer->nodes.count > 0) {
        uint32_t node = explorer->nodes.items[--explorer->nodes.count];
        for (uint32_t i = in->first[node]; i < in->first[node + 1]; i++) {
            uint32_t from = in->nodes[i];
            if (has_bit(explorer, explorer->written, from, column) || has_bit(explorer, live, from, column))
                continue;
            set_bit(explorer, live, from, column);
            WB_TRY(vec_push(&explorer->nodes, from));
        }
    }
    return WB_OK;
}

static wb_status build(struct explorer *explorer, struct arena *arena, struct arena *scratch) {
    struct liveness *liveness = &explorer->liveness;
    size_t regs = (size_t)explorer->cfg->function->reg_count + 1;
    size_t nodes = explorer->cfg->graph.node_count;
    explorer->needed_in = arena_array(scratch, regs, sizeof *explorer->needed_in);
    explorer->written_in = arena_array(scratch, regs, sizeof *explorer->written_in);
    liveness->column = arena_array(arena, regs, sizeof *liveness->column);
    if (explorer->needed_in == NULL || explorer->written_in == NULL || liveness->column == NULL)
        return WB_ERR_LIMIT;
    WB_TRY(find_all_needs(explorer));
    number_columns(explorer);
    explorer->written = arena_array(scratch, nodes, liveness->words * sizeof *explorer->written);
    liveness->in = arena_array(arena, nodes, liveness->words * sizeof *liveness->in);
    if (explorer->written == NULL || liveness->in == NULL) return WB_ERR_LIMIT;
    mark_written(explorer);
    for (size_t i = 0; i < explorer->needs.count; i++)
        WB_TRY(explore(explorer, &explorer->needs.items[i]));
    return WB_OK;
}

wb_status liveness_build(const struct cfg *cfg, struct arena *arena, struct liveness *liveness) {
    struct arena scratch = {0};
    struct explorer explorer = {.cfg = cfg};
    wb_status status = build(&explorer, arena, &scratch);
    if (status == WB_OK) *liveness = explorer.liveness;
    vec_free(&explorer.needs);
    vec_free(&explorer.nodes);
    arena_free(&scratch);
    return status;
}
