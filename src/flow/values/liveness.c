#include "flow/values/liveness.h"

static uint32_t key_of(const struct reg_pair *pair, enum reg_pair_key by) {
    return by == REG_PAIR_REG ? pair->reg : pair->node;
}

void reg_pairs_sort(const struct reg_pairs *pairs, enum reg_pair_key by, uint32_t keys, uint32_t *first,
                    struct reg_pair *sorted) {
    for (size_t i = 0; i < pairs->count; i++)
        first[key_of(&pairs->items[i], by)]++;
    for (uint32_t k = 1; k <= keys; k++)
        first[k] += first[k - 1];
    for (size_t i = pairs->count; i-- > 0;)
        sorted[--first[key_of(&pairs->items[i], by)]] = pairs->items[i];
}

/* Liveness by exploring paths, one register after the other: from every read that no write of its block
 * precedes, back to the writes (Boissinot et al., "Liveness sets revisited", APLAS 2011). That takes time
 * linear in what is found, where bit sets of all registers for all blocks take their product. */

/* What is known of a function while its live registers are found. */
struct explorer {
    const struct cfg *cfg;
    struct reg_pairs reads;  /* by a node that did not write the register before */
    struct reg_pairs writes; /* each node once a register */
    struct reg_pairs found;  /* live, by register */
    uint32_t *read_in;       /* per register: the node that was last found to read it, + 1 */
    uint32_t *written_in;    /* per register: the node that was last found to write it, + 1 */
    uint32_t *live;          /* per node: the register that was last found live there, + 1 */
    uint32_t *written;       /* per node: the last register that it was found to write, + 1 */
};

static wb_status note_reads(struct explorer *explorer, uint32_t node, const uint32_t *regs, uint32_t count) {
    for (uint32_t r = 0; r < count; r++) {
        if (explorer->written_in[regs[r]] == node + 1 || explorer->read_in[regs[r]] == node + 1) continue;
        explorer->read_in[regs[r]] = node + 1;
        WB_TRY(vec_push(&explorer->reads, ((struct reg_pair){regs[r], node})));
    }
    return WB_OK;
}

static wb_status note_writes(struct explorer *explorer, uint32_t node, const uint32_t *regs, uint32_t count) {
    for (uint32_t r = 0; r < count; r++) {
        if (explorer->written_in[regs[r]] == node + 1) continue;
        explorer->written_in[regs[r]] = node + 1;
        WB_TRY(vec_push(&explorer->writes, ((struct reg_pair){regs[r], node})));
    }
    return WB_OK;
}

/* Notes what a block reads and writes. An instruction with a guard reads what it writes: the old values stay
 * where the guard is false. */
static wb_status note_block(struct explorer *explorer, uint32_t block) {
    const struct cfg *cfg = explorer->cfg;
    struct ptx_regs regs;
    for (uint32_t i = 0; i < cfg->blocks[block].count; i++) {
        const struct ptx_inst *inst = &cfg->function->insts[cfg->blocks[block].first + i];
        ptx_inst_regs(cfg->function, inst, &regs);
        WB_TRY(note_reads(explorer, block, regs.read, regs.read_count));
        if (inst->guard != PTX_NO_INDEX)
            WB_TRY(note_reads(explorer, block, regs.written, regs.written_count));
        WB_TRY(note_writes(explorer, block, regs.written, regs.written_count));
    }
    return WB_OK;
}

static wb_status note_all(struct explorer *explorer) {
    const struct cfg *cfg = explorer->cfg;
    const struct ptx_function *function = cfg->function;
    for (uint32_t block = 0; block < cfg->block_count; block++)
        WB_TRY(note_block(explorer, block));
    for (uint32_t i = 0; i < function->return_count; i++) {
        if (function->return_is_reg[i]) WB_TRY(note_reads(explorer, cfg->exit, &function->returns[i], 1));
    }
    return WB_OK;
}

static wb_status find_live(struct explorer *explorer, uint32_t node, uint32_t reg) {
    if (explorer->live[node] == reg + 1) return WB_OK;
    explorer->live[node] = reg + 1;
    return vec_push(&explorer->found, ((struct reg_pair){reg, node}));
}

/* Finds where one register is live: where it is read, and wherever control comes there from, back to the
 * blocks that write it. */
static wb_status explore(struct explorer *explorer, uint32_t reg, const struct reg_pair *reads,
                         size_t read_count, const struct reg_pair *writes, size_t write_count) {
    const struct adjacency *in = &explorer->cfg->graph.in;
    size_t done = explorer->found.count;
    for (size_t i = 0; i < write_count; i++)
        explorer->written[writes[i].node] = reg + 1;
    for (size_t i = 0; i < read_count; i++)
        WB_TRY(find_live(explorer, reads[i].node, reg));
    for (; done < explorer->found.count; done++) {
        uint32_t node = explorer->found.items[done].node;
        for (uint32_t i = in->first[node]; i < in->first[node + 1]; i++) {
            if (explorer->written[in->nodes[i]] != reg + 1) WB_TRY(find_live(explorer, in->nodes[i], reg));
        }
    }
    return WB_OK;
}

static wb_status explore_all(struct explorer *explorer, struct arena *scratch) {
    uint32_t regs = explorer->cfg->function->reg_count + 1;
    uint32_t *first_read = arena_array(scratch, (size_t)regs + 1, sizeof *first_read);
    uint32_t *first_write = arena_array(scratch, (size_t)regs + 1, sizeof *first_write);
    struct reg_pair *reads = arena_array(scratch, explorer->reads.count, sizeof *reads);
    struct reg_pair *writes = arena_array(scratch, explorer->writes.count, sizeof *writes);
    if (first_read == NULL || first_write == NULL || reads == NULL || writes == NULL) return WB_ERR_LIMIT;
    reg_pairs_sort(&explorer->reads, REG_PAIR_REG, regs, first_read, reads);
    reg_pairs_sort(&explorer->writes, REG_PAIR_REG, regs, first_write, writes);
    for (uint32_t reg = 0; reg < regs; reg++) {
        uint32_t read = first_read[reg], write = first_write[reg];
        WB_TRY(explore(explorer, reg, reads + read, first_read[reg + 1] - read, writes + write,
                       first_write[reg + 1] - write));
    }
    return WB_OK;
}

static wb_status write_liveness(const struct explorer *explorer, struct arena *arena, struct arena *scratch,
                                struct liveness *liveness) {
    uint32_t nodes = explorer->cfg->graph.node_count;
    size_t count = explorer->found.count;
    if (count >= UINT32_MAX) return WB_ERR_LIMIT;
    struct reg_pair *sorted = arena_array(scratch, count, sizeof *sorted);
    struct liveness made = {.first = arena_array(arena, (size_t)nodes + 1, sizeof *made.first),
                            .regs = arena_array(arena, count, sizeof *made.regs)};
    if (sorted == NULL || made.first == NULL || made.regs == NULL) return WB_ERR_LIMIT;
    reg_pairs_sort(&explorer->found, REG_PAIR_NODE, nodes, made.first, sorted);
    for (size_t i = 0; i < count; i++)
        made.regs[i] = sorted[i].reg;
    *liveness = made;
    return WB_OK;
}

static wb_status build(struct explorer *explorer, struct arena *arena, struct arena *scratch,
                       struct liveness *liveness) {
    size_t regs = (size_t)explorer->cfg->function->reg_count + 1;
    size_t nodes = explorer->cfg->graph.node_count;
    explorer->read_in = arena_array(scratch, regs, sizeof *explorer->read_in);
    explorer->written_in = arena_array(scratch, regs, sizeof *explorer->written_in);
    explorer->live = arena_array(scratch, nodes, sizeof *explorer->live);
    explorer->written = arena_array(scratch, nodes, sizeof *explorer->written);
    if (explorer->read_in == NULL || explorer->written_in == NULL || explorer->live == NULL ||
        explorer->written == NULL)
        return WB_ERR_LIMIT;
    WB_TRY(note_all(explorer));
    WB_TRY(explore_all(explorer, scratch));
    return write_liveness(explorer, arena, scratch, liveness);
}

wb_status liveness_build(const struct cfg *cfg, struct arena *arena, struct liveness *liveness) {
    struct arena scratch = {0};
    struct explorer explorer = {.cfg = cfg};
    wb_status status = build(&explorer, arena, &scratch, liveness);
    vec_free(&explorer.reads);
    vec_free(&explorer.writes);
    vec_free(&explorer.found);
    arena_free(&scratch);
    return status;
}

bool live_at_start(const struct liveness *liveness, uint32_t block, uint32_t reg) {
    uint32_t low = liveness->first[block];
    uint32_t high = liveness->first[block + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (liveness->regs[middle] == reg) return true;
        if (liveness->regs[middle] < reg) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}
