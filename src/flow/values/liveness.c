#include "flow/values/values.h"

#include <assert.h>
#include <string.h>

static uint32_t key_of(const struct reg_pair *pair, enum reg_pair_key by) {
    return by == REG_PAIR_REG ? pair->reg : pair->node;
}

struct sorted_pairs reg_pairs_sort(const struct reg_pairs *pairs, enum reg_pair_key by, uint32_t keys,
                                   struct arena *arena) {
    const struct reg_pair *items = pairs->list.items;
    const size_t count = pairs->list.count;
    if (count >= UINT32_MAX) arena_fail(arena, WB_ERR_LIMIT);
    struct sorted_pairs sorted = {.first = arena_array(arena, (size_t)keys + 1, sizeof *sorted.first),
                                  .items = arena_array(arena, count, sizeof *sorted.items)};
    for (size_t i = 0; i < count; i++) {
        assert(key_of(&items[i], by) < keys);
        sorted.first[key_of(&items[i], by)]++;
    }
    for (uint32_t k = 1; k <= keys; k++)
        sorted.first[k] += sorted.first[k - 1];
    for (size_t i = count; i-- > 0;)
        sorted.items[--sorted.first[key_of(&items[i], by)]] = items[i];
    return sorted;
}

struct node_regs reg_pairs_by_node(const struct reg_pairs *pairs, uint32_t nodes, struct arena *arena) {
    struct arena scratch = {0};
    const size_t count = pairs->list.count;
    arena_bind(&scratch, arena);
    struct sorted_pairs sorted = reg_pairs_sort(pairs, REG_PAIR_NODE, nodes, &scratch);
    struct node_regs of = {.first = arena_array(arena, (size_t)nodes + 1, sizeof *of.first),
                           .regs = arena_array(arena, count, sizeof *of.regs)};
    memcpy(of.first, sorted.first, ((size_t)nodes + 1) * sizeof *of.first);
    for (size_t i = 0; i < count; i++)
        of.regs[i] = sorted.items[i].reg;
    arena_free(&scratch);
    return of;
}

/* Liveness by exploring paths, one register after the other: from every read that no write of its block
 * precedes, back to the writes (Boissinot et al., "Liveness sets revisited", APLAS 2011). That takes time
 * linear in what is found, where bit sets of all registers for all blocks take their product. */

/* The state of finding a function's live registers. */
struct explorer {
    const struct cfg *cfg;
    struct arena scratch;
    struct reg_pairs reads;  /* by a node that did not write the register before */
    struct reg_pairs writes; /* each node once a register */
    struct reg_pairs found;  /* live, by register */
    uint32_t *read_in;       /* per register: the node that was last found to read it, + 1 */
    uint32_t *written_in;    /* per register: the node that was last found to write it, + 1 */
    uint32_t *live;          /* per node: the register that was last found live there, + 1 */
    uint32_t *written;       /* per node: the last register that it was found to write, + 1 */
};

static void note_reads(struct explorer *explorer, uint32_t node, const uint32_t *regs, uint32_t count) {
    for (uint32_t r = 0; r < count; r++) {
        if (explorer->written_in[regs[r]] == node + 1 || explorer->read_in[regs[r]] == node + 1) continue;
        explorer->read_in[regs[r]] = node + 1;
        arena_push(&explorer->scratch, &explorer->reads.list, ((struct reg_pair){regs[r], node}));
    }
}

static void note_writes(struct explorer *explorer, uint32_t node, const uint32_t *regs, uint32_t count) {
    for (uint32_t r = 0; r < count; r++) {
        if (explorer->written_in[regs[r]] == node + 1) continue;
        explorer->written_in[regs[r]] = node + 1;
        arena_push(&explorer->scratch, &explorer->writes.list, ((struct reg_pair){regs[r], node}));
    }
}

/* Notes what a block reads and writes. An instruction with a guard reads what it writes: the old values stay
 * where the guard is false. */
static void note_block(struct explorer *explorer, uint32_t block) {
    const struct cfg *cfg = explorer->cfg;
    struct ptx_regs regs;
    for (uint32_t i = 0; i < cfg->blocks[block].count; i++) {
        const struct ptx_inst *inst = &cfg->function->insts[cfg->blocks[block].first + i];
        ptx_inst_regs(cfg->function, inst, &regs);
        note_reads(explorer, block, regs.read, regs.read_count);
        if (inst->guard != PTX_NO_INDEX) note_reads(explorer, block, regs.written, regs.written_count);
        note_writes(explorer, block, regs.written, regs.written_count);
    }
}

static void note_all(struct explorer *explorer) {
    const struct cfg *cfg = explorer->cfg;
    const struct ptx_function *function = cfg->function;
    for (uint32_t block = 0; block < cfg->block_count; block++)
        note_block(explorer, block);
    for (uint32_t i = 0; i < function->return_count; i++) {
        if (function->return_is_reg[i]) note_reads(explorer, cfg->exit, &function->returns[i], 1);
    }
}

static void find_live(struct explorer *explorer, uint32_t node, uint32_t reg) {
    if (explorer->live[node] == reg + 1) return;
    explorer->live[node] = reg + 1;
    arena_push(&explorer->scratch, &explorer->found.list, ((struct reg_pair){reg, node}));
}

/* Finds where one register is live: where it is read, and wherever control comes there from, back to the
 * blocks that write it. */
static void explore(struct explorer *explorer, uint32_t reg, const struct reg_pair *reads, size_t read_count,
                    const struct reg_pair *writes, size_t write_count) {
    const struct adjacency *in = &explorer->cfg->graph.in;
    size_t done = explorer->found.list.count;
    for (size_t i = 0; i < write_count; i++)
        explorer->written[writes[i].node] = reg + 1;
    for (size_t i = 0; i < read_count; i++)
        find_live(explorer, reads[i].node, reg);
    for (; done < explorer->found.list.count; done++) {
        uint32_t node = explorer->found.list.items[done].node;
        for (uint32_t i = in->first[node]; i < in->first[node + 1]; i++) {
            if (explorer->written[in->nodes[i]] != reg + 1) find_live(explorer, in->nodes[i], reg);
        }
    }
}

static void explore_all(struct explorer *explorer) {
    uint32_t regs = explorer->cfg->function->reg_count + 1;
    const struct sorted_pairs reads =
        reg_pairs_sort(&explorer->reads, REG_PAIR_REG, regs, &explorer->scratch);
    const struct sorted_pairs writes =
        reg_pairs_sort(&explorer->writes, REG_PAIR_REG, regs, &explorer->scratch);
    for (uint32_t reg = 0; reg < regs; reg++) {
        uint32_t read = reads.first[reg], write = writes.first[reg];
        explore(explorer, reg, reads.items + read, reads.first[reg + 1] - read, writes.items + write,
                writes.first[reg + 1] - write);
    }
}

struct node_regs liveness_build(const struct cfg *cfg, struct arena *arena) {
    struct explorer explorer = {.cfg = cfg};
    struct arena *scratch = &explorer.scratch;
    const size_t regs = (size_t)cfg->function->reg_count + 1, nodes = cfg->graph.node_count;
    arena_bind(scratch, arena);
    explorer.read_in = arena_array(scratch, regs, sizeof *explorer.read_in);
    explorer.written_in = arena_array(scratch, regs, sizeof *explorer.written_in);
    explorer.live = arena_array(scratch, nodes, sizeof *explorer.live);
    explorer.written = arena_array(scratch, nodes, sizeof *explorer.written);
    note_all(&explorer);
    explore_all(&explorer);
    struct node_regs liveness = reg_pairs_by_node(&explorer.found, cfg->graph.node_count, arena);
    arena_free(scratch);
    return liveness;
}

bool live_at_start(const struct node_regs *liveness, uint32_t block, uint32_t reg) {
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
