#include "flow/ssa.h"

#include <string.h>

#include "base/vec.h"
#include "flow/phi_places.h"

/* A register's value before a block, or one of those it dominates, gave it another. */
struct shadowed {
    uint32_t reg, value;
};

/* A block whose part of the dominator tree is being walked. */
struct open_block {
    uint32_t block;
    size_t shadowed_before; /* length of renamer.shadowed when it was entered */
};

/* The walk down the dominator tree that gives every definition its value (Cytron et al., figure 12). Behind
 * the part of the tree that a block dominates, what was shadowed there is restored. */
struct renamer {
    const struct cfg *cfg;
    const struct dominators *dominators;
    struct phi_places places;
    uint32_t *order; /* reached blocks, in a preorder of the dominator tree */
    uint32_t order_count;
    uint32_t *arrives; /* per edge, in the order of graph.out: which of the edges into its target it is */
    uint32_t *current; /* per register: the value it has, or SSA_NONE */
    VEC(struct shadowed) shadowed;
    VEC(struct open_block) open;
    struct ssa ssa;
};

/* Sizes of the form, in 64 bits so that they cannot wrap. */
struct ssa_sizes {
    uint64_t values, arguments, uses, defs;
};

/* Arguments of a phi of the block: one for each edge into it, and one for entering the function. */
static uint32_t phi_argument_count(const struct cfg *cfg, uint32_t block) {
    uint32_t edges = cfg->graph.in.first[block + 1] - cfg->graph.in.first[block];
    return edges + (block == CFG_ENTRY);
}

static uint32_t phis_of(const struct renamer *renamer, uint32_t block) {
    return renamer->places.first[block + 1] - renamer->places.first[block];
}

/* Fills `order`. The exit, which is no block, is a leaf of the tree and leaves a gap in its numbers. */
static wb_status find_order(struct renamer *renamer, struct arena *scratch) {
    const struct cfg *cfg = renamer->cfg;
    const struct dominators *tree = renamer->dominators;
    renamer->order = arena_array(scratch, (size_t)cfg->block_count + 1, sizeof *renamer->order);
    if (renamer->order == NULL) return WB_ERR_LIMIT;
    uint32_t gap = tree->first[cfg->exit] != 0 ? tree->first[cfg->exit] : UINT32_MAX;
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        uint32_t number = tree->first[block];
        if (number == 0) continue;
        renamer->order[number - 1 - (number > gap)] = block;
        renamer->order_count++;
    }
    return WB_OK;
}

static wb_status find_arrivals(struct renamer *renamer, struct arena *scratch) {
    const struct graph *graph = &renamer->cfg->graph;
    uint32_t *seen = arena_array(scratch, graph->node_count, sizeof *seen);
    renamer->arrives = arena_array(scratch, graph->edge_count, sizeof *renamer->arrives);
    if (seen == NULL || renamer->arrives == NULL) return WB_ERR_LIMIT;
    for (uint32_t e = 0; e < graph->edge_count; e++)
        renamer->arrives[e] = seen[graph->out.nodes[e]]++;
    return WB_OK;
}

/* Finds the sizes, and where the uses and definitions of each instruction stand, in the order of the text. */
static wb_status measure(struct renamer *renamer, const struct liveness *liveness, struct ssa_sizes *sizes) {
    const struct cfg *cfg = renamer->cfg;
    const struct ptx_function *function = cfg->function;
    struct ssa *ssa = &renamer->ssa;
    struct ptx_regs regs;
    if (cfg->block_count > 0) sizes->values = liveness->first[CFG_ENTRY + 1] - liveness->first[CFG_ENTRY];
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        uint64_t phis = phis_of(renamer, block);
        sizes->values += phis;
        sizes->arguments += phis * phi_argument_count(cfg, block);
    }
    for (uint32_t i = 0; i < function->inst_count; i++) {
        if (cfg->blocks[cfg->block_of[i]].reachable) {
            ptx_inst_regs(function, &function->insts[i], &regs);
            sizes->uses += regs.read_count;
            sizes->defs += regs.written_count;
            if (function->insts[i].guard != PTX_NO_INDEX) sizes->arguments += regs.written_count;
        }
        ssa->first_use[i + 1] = (uint32_t)sizes->uses;
        ssa->first_def[i + 1] = (uint32_t)sizes->defs;
    }
    sizes->values += sizes->defs;
    bool fits = sizes->values < SSA_NONE && sizes->arguments < SSA_NONE && sizes->uses < SSA_NONE;
    return fits ? WB_OK : WB_ERR_LIMIT;
}

static wb_status allocate(struct renamer *renamer, const struct liveness *liveness, struct arena *arena) {
    const struct cfg *cfg = renamer->cfg;
    struct ssa *ssa = &renamer->ssa;
    struct ssa_sizes sizes = {0};
    size_t insts = (size_t)cfg->function->inst_count + 1;
    size_t blocks = (size_t)cfg->block_count + 1;
    ssa->first_use = arena_array(arena, insts, sizeof *ssa->first_use);
    ssa->first_def = arena_array(arena, insts, sizeof *ssa->first_def);
    ssa->first_phi = arena_array(arena, blocks, sizeof *ssa->first_phi);
    ssa->phi_count = arena_array(arena, blocks, sizeof *ssa->phi_count);
    if (ssa->first_use == NULL || ssa->first_def == NULL || ssa->first_phi == NULL || ssa->phi_count == NULL)
        return WB_ERR_LIMIT;
    WB_TRY(measure(renamer, liveness, &sizes));
    ssa->values = arena_array(arena, sizes.values, sizeof *ssa->values);
    ssa->arguments = arena_array(arena, sizes.arguments, sizeof *ssa->arguments);
    ssa->uses = arena_array(arena, sizes.uses, sizeof *ssa->uses);
    ssa->defs = arena_array(arena, sizes.defs, sizeof *ssa->defs);
    if (ssa->values == NULL || ssa->arguments == NULL || ssa->uses == NULL || ssa->defs == NULL)
        return WB_ERR_LIMIT;
    ssa->value_count = (uint32_t)sizes.values;
    memset(ssa->arguments, 0xff, sizes.arguments * sizeof *ssa->arguments);
    return WB_OK;
}

/* Makes the values of registers that are live where the function is entered. */
static void number_entry(struct renamer *renamer, const struct liveness *liveness, uint32_t *value) {
    if (renamer->cfg->block_count == 0) return;
    for (uint32_t i = liveness->first[CFG_ENTRY]; i < liveness->first[CFG_ENTRY + 1]; i++) {
        uint32_t reg = liveness->regs[i];
        renamer->current[reg] = *value;
        renamer->ssa.values[(*value)++] =
            (struct ssa_value){.reg = reg, .kind = SSA_ENTRY, .block = CFG_ENTRY, .inst = PTX_NO_INDEX};
    }
}

static void number_phis(struct renamer *renamer, uint32_t block, uint32_t *value, uint32_t *argument) {
    struct ssa *ssa = &renamer->ssa;
    uint32_t count = phi_argument_count(renamer->cfg, block);
    ssa->first_phi[block] = *value;
    ssa->phi_count[block] = phis_of(renamer, block);
    for (uint32_t p = 0; p < ssa->phi_count[block]; p++) {
        ssa->values[(*value)++] =
            (struct ssa_value){.reg = renamer->places.regs[renamer->places.first[block] + p],
                               .kind = SSA_PHI,
                               .block = block,
                               .inst = PTX_NO_INDEX,
                               .first_argument = *argument,
                               .argument_count = count};
        *argument += count;
    }
}

static void number_defs(struct renamer *renamer, uint32_t block, uint32_t *value, uint32_t *argument) {
    const struct cfg_block *range = &renamer->cfg->blocks[block];
    struct ssa *ssa = &renamer->ssa;
    for (uint32_t i = range->first; i < range->first + range->count; i++) {
        bool guarded = renamer->cfg->function->insts[i].guard != PTX_NO_INDEX;
        for (uint32_t d = ssa->first_def[i]; d < ssa->first_def[i + 1]; d++) {
            ssa->defs[d] = *value;
            ssa->values[(*value)++] = (struct ssa_value){.kind = SSA_INST,
                                                         .block = block,
                                                         .inst = i,
                                                         .first_argument = *argument,
                                                         .argument_count = guarded};
            *argument += guarded;
        }
    }
}

/* Gives all values their numbers before any is used: a phi takes values from blocks behind it, too. */
static void number_values(struct renamer *renamer, const struct liveness *liveness) {
    uint32_t value = 0, argument = 0;
    number_entry(renamer, liveness, &value);
    for (uint32_t o = 0; o < renamer->order_count; o++) {
        number_phis(renamer, renamer->order[o], &value, &argument);
        number_defs(renamer, renamer->order[o], &value, &argument);
    }
}

/* Gives a register its next value until the walk leaves what the block at hand dominates. */
static wb_status set_current(struct renamer *renamer, uint32_t reg, uint32_t value) {
    WB_TRY(vec_push(&renamer->shadowed, ((struct shadowed){reg, renamer->current[reg]})));
    renamer->current[reg] = value;
    return WB_OK;
}

static wb_status rename_inst(struct renamer *renamer, uint32_t index) {
    const struct ptx_function *function = renamer->cfg->function;
    struct ssa *ssa = &renamer->ssa;
    struct ptx_regs regs;
    ptx_inst_regs(function, &function->insts[index], &regs);
    for (uint32_t r = 0; r < regs.read_count; r++)
        ssa->uses[ssa->first_use[index] + r] = renamer->current[regs.read[r]];
    for (uint32_t w = 0; w < regs.written_count; w++) {
        uint32_t reg = regs.written[w];
        uint32_t number = ssa->defs[ssa->first_def[index] + w];
        struct ssa_value *value = &ssa->values[number];
        value->reg = reg;
        if (value->argument_count > 0) ssa->arguments[value->first_argument] = renamer->current[reg];
        WB_TRY(set_current(renamer, reg, number));
    }
    return WB_OK;
}

/* Hands the values at the end of a block to the phis of its successors. */
static void pass_on(struct renamer *renamer, uint32_t block) {
    const struct cfg *cfg = renamer->cfg;
    struct ssa *ssa = &renamer->ssa;
    for (uint32_t e = cfg->graph.out.first[block]; e < cfg->graph.out.first[block + 1]; e++) {
        uint32_t to = cfg->graph.out.nodes[e];
        if (to == cfg->exit) continue;
        for (uint32_t p = 0; p < ssa->phi_count[to]; p++) {
            const struct ssa_value *phi = &ssa->values[ssa->first_phi[to] + p];
            ssa->arguments[phi->first_argument + renamer->arrives[e]] = renamer->current[phi->reg];
        }
    }
}

static wb_status rename_block(struct renamer *renamer, uint32_t block) {
    const struct cfg *cfg = renamer->cfg;
    struct ssa *ssa = &renamer->ssa;
    for (uint32_t p = 0; p < ssa->phi_count[block]; p++) {
        uint32_t number = ssa->first_phi[block] + p;
        const struct ssa_value *phi = &ssa->values[number];
        if (block == CFG_ENTRY)
            ssa->arguments[phi->first_argument + phi->argument_count - 1] = renamer->current[phi->reg];
        WB_TRY(set_current(renamer, phi->reg, number));
    }
    for (uint32_t i = 0; i < cfg->blocks[block].count; i++)
        WB_TRY(rename_inst(renamer, cfg->blocks[block].first + i));
    pass_on(renamer, block);
    return WB_OK;
}

/* Closes the open blocks that do not dominate the next one, and restores what they shadowed. */
static void close_blocks(struct renamer *renamer, uint32_t next) {
    while (renamer->open.count > 0) {
        const struct open_block *last = &renamer->open.items[renamer->open.count - 1];
        if (dominates(renamer->dominators, last->block, next)) return;
        while (renamer->shadowed.count > last->shadowed_before) {
            const struct shadowed *shadowed = &renamer->shadowed.items[--renamer->shadowed.count];
            renamer->current[shadowed->reg] = shadowed->value;
        }
        renamer->open.count--;
    }
}

static wb_status rename_all(struct renamer *renamer) {
    for (uint32_t o = 0; o < renamer->order_count; o++) {
        uint32_t block = renamer->order[o];
        close_blocks(renamer, block);
        WB_TRY(vec_push(&renamer->open, ((struct open_block){block, renamer->shadowed.count})));
        WB_TRY(rename_block(renamer, block));
    }
    return WB_OK;
}

/* Numbers the values of each register for people: in the order of the text. */
static void number_versions(struct ssa *ssa, uint32_t *made) {
    const struct cfg *cfg = ssa->cfg;
    for (uint32_t v = 0; v < ssa->value_count && ssa->values[v].kind == SSA_ENTRY; v++)
        made[ssa->values[v].reg]++;
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        uint32_t end = cfg->blocks[block].first + cfg->blocks[block].count;
        for (uint32_t p = 0; p < ssa->phi_count[block]; p++) {
            struct ssa_value *phi = &ssa->values[ssa->first_phi[block] + p];
            phi->version = made[phi->reg]++;
        }
        for (uint32_t d = ssa->first_def[cfg->blocks[block].first]; d < ssa->first_def[end]; d++) {
            struct ssa_value *value = &ssa->values[ssa->defs[d]];
            value->version = made[value->reg]++;
        }
    }
}

static wb_status build(struct renamer *renamer, const struct liveness *liveness, struct arena *arena,
                       struct arena *scratch) {
    size_t regs = (size_t)renamer->cfg->function->reg_count + 1;
    uint32_t *made = arena_array(scratch, regs, sizeof *made);
    renamer->current = arena_array(scratch, regs, sizeof *renamer->current);
    if (made == NULL || renamer->current == NULL) return WB_ERR_LIMIT;
    memset(renamer->current, 0xff, regs * sizeof *renamer->current);
    WB_TRY(phi_places_find(renamer->cfg, renamer->dominators, liveness, scratch, &renamer->places));
    WB_TRY(find_order(renamer, scratch));
    WB_TRY(find_arrivals(renamer, scratch));
    WB_TRY(allocate(renamer, liveness, arena));
    number_values(renamer, liveness);
    WB_TRY(rename_all(renamer));
    number_versions(&renamer->ssa, made);
    return WB_OK;
}

wb_status ssa_build(const struct cfg *cfg, const struct dominators *dominators,
                    const struct liveness *liveness, struct arena *arena, struct ssa *ssa) {
    struct arena scratch = {0};
    struct renamer renamer = {.cfg = cfg, .dominators = dominators, .ssa = {.cfg = cfg}};
    wb_status status = build(&renamer, liveness, arena, &scratch);
    if (status == WB_OK) *ssa = renamer.ssa;
    vec_free(&renamer.shadowed);
    vec_free(&renamer.open);
    arena_free(&scratch);
    return status;
}
