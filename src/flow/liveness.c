/* Liveness by exploring paths: from every read that no write of its block precedes, back to the writes. Each
 * bit that is set costs one look at the predecessors of its block, and nothing is iterated to a fixed point
 * (Boissinot et al., "Liveness sets revisited", APLAS 2011). */
#include "flow/liveness.h"

#include "base/vec.h"

/* What is known of a function while its live registers are found. Sets are as in struct liveness. */
struct explorer {
    const struct cfg *cfg;
    uint32_t words;
    uint64_t *live;       /* per node: read later */
    uint64_t *written;    /* per node: written before it is read, whatever the guards say */
    VEC(uint32_t) blocks; /* whose predecessors are still to be looked at for one register */
};

static bool set_has(const struct explorer *explorer, const uint64_t *sets, uint32_t node, uint32_t reg) {
    return (sets[(size_t)node * explorer->words + reg / 64] >> (reg % 64) & 1) != 0;
}

static void set_add(const struct explorer *explorer, uint64_t *sets, uint32_t node, uint32_t reg) {
    sets[(size_t)node * explorer->words + reg / 64] |= (uint64_t)1 << (reg % 64);
}

/* A register is read at the start of a node: it is live there and wherever control comes from, back to the
 * blocks that write it. */
static wb_status explore(struct explorer *explorer, uint32_t node, uint32_t reg) {
    const struct adjacency *in = &explorer->cfg->graph.in;
    if (set_has(explorer, explorer->live, node, reg)) return WB_OK;
    set_add(explorer, explorer->live, node, reg);
    explorer->blocks.count = 0;
    WB_TRY(vec_push(&explorer->blocks, node));
    while (explorer->blocks.count > 0) {
        uint32_t at = explorer->blocks.items[--explorer->blocks.count];
        for (uint32_t i = in->first[at]; i < in->first[at + 1]; i++) {
            uint32_t from = in->nodes[i];
            if (set_has(explorer, explorer->written, from, reg)) continue;
            if (set_has(explorer, explorer->live, from, reg)) continue;
            set_add(explorer, explorer->live, from, reg);
            WB_TRY(vec_push(&explorer->blocks, from));
        }
    }
    return WB_OK;
}

/* Notes registers that an instruction of the block needs of what came before it. */
static void note_read(const struct explorer *explorer, uint64_t *read, uint32_t block, const uint32_t *regs,
                      uint32_t count) {
    for (uint32_t r = 0; r < count; r++) {
        if (!set_has(explorer, explorer->written, block, regs[r])) set_add(explorer, read, block, regs[r]);
    }
}

/* What a block reads before it writes it, and what it writes before it reads it: all blocks are looked at
 * before anything is explored. */
static void look_at_block(const struct explorer *explorer, uint64_t *read, uint32_t block) {
    const struct cfg *cfg = explorer->cfg;
    struct ptx_regs regs;
    for (uint32_t i = 0; i < cfg->blocks[block].count; i++) {
        const struct ptx_inst *inst = &cfg->function->insts[cfg->blocks[block].first + i];
        ptx_inst_regs(cfg->function, inst, &regs);
        note_read(explorer, read, block, regs.read, regs.read_count);
        if (inst->guard != PTX_NO_INDEX) note_read(explorer, read, block, regs.written, regs.written_count);
        for (uint32_t w = 0; w < regs.written_count; w++) {
            if (!set_has(explorer, read, block, regs.written[w]))
                set_add(explorer, explorer->written, block, regs.written[w]);
        }
    }
}

/* Explores from every member of `read`, the registers that each node reads before it writes them. */
static wb_status explore_all(struct explorer *explorer, const uint64_t *read) {
    for (uint32_t node = 0; node < explorer->cfg->graph.node_count; node++) {
        for (uint32_t w = 0; w < explorer->words; w++) {
            uint64_t left = read[(size_t)node * explorer->words + w];
            for (; left != 0; left &= left - 1)
                WB_TRY(explore(explorer, node, 64 * w + (uint32_t)__builtin_ctzll(left)));
        }
    }
    return WB_OK;
}

static wb_status build(struct explorer *explorer, struct arena *arena, struct arena *scratch) {
    const struct cfg *cfg = explorer->cfg;
    const struct ptx_function *function = cfg->function;
    size_t nodes = cfg->graph.node_count;
    uint64_t *read = arena_array(scratch, nodes, explorer->words * sizeof *read);
    explorer->written = arena_array(scratch, nodes, explorer->words * sizeof *explorer->written);
    explorer->live = arena_array(arena, nodes, explorer->words * sizeof *explorer->live);
    if (read == NULL || explorer->written == NULL || explorer->live == NULL) return WB_ERR_LIMIT;
    for (uint32_t block = 0; block < cfg->block_count; block++)
        look_at_block(explorer, read, block);
    for (uint32_t i = 0; i < function->return_count; i++) {
        if (function->return_is_reg[i]) set_add(explorer, read, cfg->exit, function->returns[i]);
    }
    return explore_all(explorer, read);
}

wb_status liveness_build(const struct cfg *cfg, struct arena *arena, struct liveness *liveness) {
    struct arena scratch = {0};
    /* Registers are numbered from 0 to reg_count, the carry flag. */
    struct explorer explorer = {.cfg = cfg, .words = cfg->function->reg_count / 64 + 1};
    wb_status status = build(&explorer, arena, &scratch);
    if (status == WB_OK) *liveness = (struct liveness){.words = explorer.words, .in = explorer.live};
    vec_free(&explorer.blocks);
    arena_free(&scratch);
    return status;
}
