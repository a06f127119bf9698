#include "flow/values/values.h"

#include <assert.h>
#include <string.h>

/* Iterated dominance frontiers by the algorithm of Sreedhar and Gao (POPL 1995): the blocks that write a
 * register are taken from the deepest of the dominator tree to the highest, and of each the subtree is
 * searched for edges that leave it upwards. A node that was searched for a deeper block has nothing to add
 * for a higher one, so a register takes time linear in the graph, where sets of dominance frontiers can take
 * quadratic memory. */

/* A block, written by or joining the register at hand, whose subtree is to be searched. */
struct pending {
    uint32_t block;
    uint32_t next; /* of the same depth, or GRAPH_NONE; index into search.pending */
};

struct search {
    struct arena *scratch;
    const struct cfg *cfg;
    const struct dominators *dominators;
    const struct node_regs *liveness;
    uint32_t *preorder; /* by number in the tree's preorder, from 1: the node */
    uint32_t *depth;    /* by node: in the dominator tree, from 1; 0: not reached */
    uint32_t *escape;   /* by node: least depth that an edge from its subtree reaches, without the tree's own
                           edges; UINT32_MAX: there is no such edge */
    bool *joined;       /* by register: live at some join */
    uint32_t *by_depth; /* first pending block of each depth, or GRAPH_NONE */
    uint32_t *searched; /* by node: the register that it was searched for last, + 1 */
    uint32_t *placed;   /* by node: the register that it was last found to join, + 1 */
    VEC(struct pending) pending;
    struct reg_pairs writes; /* each block once a register */
    struct reg_pairs joins;  /* by register */
};

static bool is_reached(const struct search *search, uint32_t node) {
    return search->depth[node] != 0;
}

/* Whether an edge is one of the dominator tree: it cannot leave a subtree. */
static bool is_tree_edge(const struct search *search, uint32_t from, uint32_t to) {
    return search->dominators->parent[to] == from;
}

static void find_depths(struct search *search) {
    const struct dominators *tree = search->dominators;
    uint32_t nodes = search->cfg->graph.node_count;
    uint32_t reached = tree->descendants[tree->root];
    for (uint32_t node = 0; node < nodes; node++) {
        if (tree->first[node] != 0) search->preorder[tree->first[node]] = node;
    }
    for (uint32_t i = 1; i <= reached; i++) {
        uint32_t node = search->preorder[i];
        search->depth[node] = node == tree->root ? 1 : search->depth[tree->parent[node]] + 1;
    }
}

/* Fills `escape`, from the leaves of the tree to its root. */
static void find_escapes(struct search *search) {
    const struct adjacency *out = &search->cfg->graph.out;
    const struct dominators *tree = search->dominators;
    memset(search->escape, 0xff, search->cfg->graph.node_count * sizeof *search->escape);
    for (uint32_t i = tree->descendants[tree->root]; i >= 1; i--) {
        uint32_t node = search->preorder[i];
        uint32_t least = search->escape[node];
        for (uint32_t e = out->first[node]; e < out->first[node + 1]; e++) {
            uint32_t to = out->nodes[e];
            if (!is_tree_edge(search, node, to) && search->depth[to] < least) least = search->depth[to];
        }
        search->escape[node] = least;
        uint32_t parent = tree->parent[node];
        if (parent != GRAPH_NONE && least < search->escape[parent]) search->escape[parent] = least;
    }
}

/* The registers live at a block that an edge other than the tree's enters: no others have phis. */
static void find_joined(struct search *search) {
    const struct cfg *cfg = search->cfg;
    const struct adjacency *in = &cfg->graph.in;
    const struct node_regs *live = search->liveness;
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        bool joins = false;
        for (uint32_t e = in->first[block]; e < in->first[block + 1]; e++)
            joins |= is_reached(search, in->nodes[e]) && !is_tree_edge(search, in->nodes[e], block);
        if (!joins || !is_reached(search, block)) continue;
        for (uint32_t i = live->first[block]; i < live->first[block + 1]; i++)
            search->joined[live->regs[i]] = true;
    }
}

/* Lists which blocks write the registers that can have phis, each block once a register. */
static void list_writes(struct search *search, uint32_t *written_in) {
    const struct cfg *cfg = search->cfg;
    struct ptx_regs regs;
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        if (!is_reached(search, block)) continue;
        for (uint32_t i = 0; i < cfg->blocks[block].count; i++) {
            ptx_inst_regs(cfg->function, &cfg->function->insts[cfg->blocks[block].first + i], &regs);
            for (uint32_t w = 0; w < regs.written_count; w++) {
                uint32_t reg = regs.written[w];
                if (!search->joined[reg] || written_in[reg] == block + 1) continue;
                written_in[reg] = block + 1;
                arena_push(search->scratch, &search->writes.list, ((struct reg_pair){reg, block}));
            }
        }
    }
}

/* Adds a block to those whose subtree is to be searched, unless nothing leaves the subtree upwards. */
static void add_pending(struct search *search, uint32_t block) {
    uint32_t depth = search->depth[block];
    if (search->escape[block] > depth) return;
    arena_push(search->scratch, &search->pending, ((struct pending){block, search->by_depth[depth]}));
    search->by_depth[depth] = (uint32_t)search->pending.count - 1;
}

/* Finds the blocks that edges from the subtree of `root` enter, no deeper than `root`: its dominance
 * frontier, as far as deeper blocks have not found it. The subtree is a range of the preorder. */
static void search_subtree(struct search *search, uint32_t root, uint32_t reg) {
    const struct dominators *tree = search->dominators;
    const struct adjacency *out = &search->cfg->graph.out;
    uint32_t depth = search->depth[root];
    uint32_t end = tree->first[root] + tree->descendants[root];
    for (uint32_t i = tree->first[root]; i < end;) {
        uint32_t node = search->preorder[i];
        if (search->searched[node] == reg + 1 || search->escape[node] > depth) {
            i += tree->descendants[node];
            continue;
        }
        search->searched[node] = reg + 1;
        i++;
        for (uint32_t e = out->first[node]; e < out->first[node + 1]; e++) {
            uint32_t to = out->nodes[e];
            if (is_tree_edge(search, node, to) || search->depth[to] > depth) continue;
            if (to == search->cfg->exit || search->placed[to] == reg + 1) continue;
            if (!live_at_start(search->liveness, to, reg)) continue;
            search->placed[to] = reg + 1;
            arena_push(search->scratch, &search->joins.list, ((struct reg_pair){reg, to}));
            add_pending(search, to);
        }
    }
}

/* Finds all joins of one register, which `count` blocks write. Joins are no deeper than what they are found
 * from, so depths are gone through once. */
static void place_reg(struct search *search, const struct reg_pair *writes, size_t count) {
    uint32_t deepest = 0;
    search->pending.count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = search->pending.count;
        add_pending(search, writes[i].node);
        uint32_t depth = search->depth[writes[i].node];
        if (search->pending.count > before && depth > deepest) deepest = depth;
    }
    size_t done = 0;
    for (uint32_t depth = deepest; done < search->pending.count; depth--) {
        while (search->by_depth[depth] != GRAPH_NONE) {
            struct pending taken = search->pending.items[search->by_depth[depth]];
            search->by_depth[depth] = taken.next;
            done++;
            search_subtree(search, taken.block, writes[0].reg);
        }
    }
}

static void place_all(struct search *search) {
    uint32_t regs = search->cfg->function->reg_count + 1;
    list_writes(search, arena_array(search->scratch, regs, sizeof(uint32_t)));
    const struct sorted_pairs writes = reg_pairs_sort(&search->writes, REG_PAIR_REG, regs, search->scratch);
    for (uint32_t reg = 0; reg < regs; reg++) {
        uint32_t first = writes.first[reg], end = writes.first[reg + 1];
        if (end > first) place_reg(search, writes.items + first, end - first);
    }
}

static void search_start(struct search *search) {
    size_t nodes = search->cfg->graph.node_count;
    uint32_t *arrays = arena_array(search->scratch, nodes + 1, 6 * sizeof *arrays);
    search->joined =
        arena_array(search->scratch, (size_t)search->cfg->function->reg_count + 1, sizeof *search->joined);
    search->preorder = arrays;
    search->depth = arrays + (nodes + 1);
    search->escape = arrays + 2 * (nodes + 1);
    search->by_depth = arrays + 3 * (nodes + 1);
    search->searched = arrays + 4 * (nodes + 1);
    search->placed = arrays + 5 * (nodes + 1);
    memset(search->by_depth, 0xff, (nodes + 1) * sizeof *search->by_depth);
    find_depths(search);
    find_escapes(search);
    find_joined(search);
}

/* The registers that each block joins: where phis stand, in the pruned form of Choi, Cytron and Ferrante
 * (POPL 1991). Those of a block are in the order of registers. */
static struct node_regs phi_places_find(const struct cfg *cfg, const struct dominators *dominators,
                                        const struct node_regs *liveness, struct arena *arena) {
    struct search search = {.scratch = arena, .cfg = cfg, .dominators = dominators, .liveness = liveness};
    search_start(&search);
    place_all(&search);
    return reg_pairs_by_node(&search.joins, cfg->block_count, arena);
}

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
    struct arena scratch;
    struct node_regs places;
    uint32_t *order; /* reached blocks, in a preorder of the dominator tree */
    uint32_t order_count;
    uint32_t *arrives; /* per entry of graph.out: that of graph.in */
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
static void find_order(struct renamer *renamer) {
    const struct cfg *cfg = renamer->cfg;
    const struct dominators *tree = renamer->dominators;
    renamer->order = arena_array(&renamer->scratch, (size_t)cfg->block_count + 1, sizeof *renamer->order);
    uint32_t gap = tree->first[cfg->exit] != 0 ? tree->first[cfg->exit] : UINT32_MAX;
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        uint32_t number = tree->first[block];
        if (number == 0) continue;
        renamer->order[number - 1 - (number > gap)] = block;
        renamer->order_count++;
    }
}

/* Finds the sizes, and where the uses and definitions of each instruction stand, in the order of the text. */
static struct ssa_sizes measure(struct renamer *renamer, const struct node_regs *liveness) {
    const struct cfg *cfg = renamer->cfg;
    const struct ptx_function *function = cfg->function;
    struct ssa *ssa = &renamer->ssa;
    struct ssa_sizes sizes = {0};
    struct ptx_regs regs;
    if (cfg->block_count > 0) sizes.values = liveness->first[CFG_ENTRY + 1] - liveness->first[CFG_ENTRY];
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        uint64_t phis = phis_of(renamer, block);
        sizes.values += phis;
        sizes.arguments += phis * phi_argument_count(cfg, block);
    }
    for (uint32_t i = 0; i < function->inst_count; i++) {
        if (cfg->blocks[cfg->block_of[i]].reachable) {
            ptx_inst_regs(function, &function->insts[i], &regs);
            sizes.uses += regs.read_count;
            sizes.defs += regs.written_count;
            if (function->insts[i].guard != PTX_NO_INDEX) sizes.arguments += regs.written_count;
        }
        ssa->first_use[i + 1] = (uint32_t)sizes.uses;
        ssa->first_def[i + 1] = (uint32_t)sizes.defs;
    }
    sizes.values += sizes.defs;
    bool fits = sizes.values < SSA_NONE && sizes.arguments < SSA_NONE && sizes.uses < SSA_NONE;
    if (!fits) arena_fail(&renamer->scratch, WB_ERR_LIMIT);
    return sizes;
}

static void allocate(struct renamer *renamer, const struct node_regs *liveness, struct arena *arena) {
    const struct cfg *cfg = renamer->cfg;
    struct ssa *ssa = &renamer->ssa;
    size_t insts = (size_t)cfg->function->inst_count + 1;
    size_t blocks = (size_t)cfg->block_count + 1;
    ssa->first_use = arena_array(arena, insts, sizeof *ssa->first_use);
    ssa->first_def = arena_array(arena, insts, sizeof *ssa->first_def);
    ssa->first_phi = arena_array(arena, blocks, sizeof *ssa->first_phi);
    ssa->phi_count = arena_array(arena, blocks, sizeof *ssa->phi_count);
    const struct ssa_sizes sizes = measure(renamer, liveness);
    ssa->values = arena_array(arena, sizes.values, sizeof *ssa->values);
    ssa->arguments = arena_array(arena, sizes.arguments, sizeof *ssa->arguments);
    ssa->uses = arena_array(arena, sizes.uses, sizeof *ssa->uses);
    ssa->defs = arena_array(arena, sizes.defs, sizeof *ssa->defs);
    ssa->value_count = (uint32_t)sizes.values;
    memset(ssa->arguments, 0xff, sizes.arguments * sizeof *ssa->arguments);
}

/* Makes the values of registers that are live where the function is entered. */
static void number_entry(struct renamer *renamer, const struct node_regs *liveness, uint32_t *value) {
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
static void number_values(struct renamer *renamer, const struct node_regs *liveness) {
    uint32_t value = 0, argument = 0;
    number_entry(renamer, liveness, &value);
    for (uint32_t o = 0; o < renamer->order_count; o++) {
        number_phis(renamer, renamer->order[o], &value, &argument);
        number_defs(renamer, renamer->order[o], &value, &argument);
    }
    assert(value <= renamer->ssa.value_count);
}

/* Gives a register its next value until the walk leaves what the block at hand dominates. */
static void set_current(struct renamer *renamer, uint32_t reg, uint32_t value) {
    arena_push(&renamer->scratch, &renamer->shadowed, ((struct shadowed){reg, renamer->current[reg]}));
    renamer->current[reg] = value;
}

static void rename_inst(struct renamer *renamer, uint32_t index) {
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
        set_current(renamer, reg, number);
    }
}

/* Hands the values at the end of a block to the phis of its successors. */
static void pass_on(struct renamer *renamer, uint32_t block) {
    const struct cfg *cfg = renamer->cfg;
    struct ssa *ssa = &renamer->ssa;
    for (uint32_t e = cfg->graph.out.first[block]; e < cfg->graph.out.first[block + 1]; e++) {
        uint32_t to = cfg->graph.out.nodes[e];
        if (to == cfg->exit) continue;
        const uint32_t arrival = renamer->arrives[e] - cfg->graph.in.first[to];
        for (uint32_t p = 0; p < ssa->phi_count[to]; p++) {
            const struct ssa_value *phi = &ssa->values[ssa->first_phi[to] + p];
            ssa->arguments[phi->first_argument + arrival] = renamer->current[phi->reg];
        }
    }
}

static void rename_block(struct renamer *renamer, uint32_t block) {
    const struct cfg *cfg = renamer->cfg;
    struct ssa *ssa = &renamer->ssa;
    for (uint32_t p = 0; p < ssa->phi_count[block]; p++) {
        uint32_t number = ssa->first_phi[block] + p;
        const struct ssa_value *phi = &ssa->values[number];
        if (block == CFG_ENTRY)
            ssa->arguments[phi->first_argument + phi->argument_count - 1] = renamer->current[phi->reg];
        set_current(renamer, phi->reg, number);
    }
    for (uint32_t i = 0; i < cfg->blocks[block].count; i++)
        rename_inst(renamer, cfg->blocks[block].first + i);
    pass_on(renamer, block);
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

static void rename_all(struct renamer *renamer) {
    for (uint32_t o = 0; o < renamer->order_count; o++) {
        uint32_t block = renamer->order[o];
        close_blocks(renamer, block);
        arena_push(&renamer->scratch, &renamer->open, ((struct open_block){block, renamer->shadowed.count}));
        rename_block(renamer, block);
    }
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

struct ssa ssa_build(const struct cfg *cfg, const struct dominators *dominators,
                     const struct node_regs *liveness, struct arena *arena) {
    struct renamer renamer = {.cfg = cfg, .dominators = dominators, .ssa = {.cfg = cfg}};
    struct arena *scratch = &renamer.scratch;
    const size_t regs = (size_t)cfg->function->reg_count + 1;
    arena_bind(scratch, arena);
    renamer.places = phi_places_find(cfg, dominators, liveness, scratch);
    renamer.current = arena_array(scratch, regs, sizeof *renamer.current);
    memset(renamer.current, 0xff, regs * sizeof *renamer.current);
    find_order(&renamer);
    renamer.arrives = graph_arrivals(scratch, &cfg->graph);
    allocate(&renamer, liveness, arena);
    number_values(&renamer, liveness);
    rename_all(&renamer);
    number_versions(&renamer.ssa, arena_array(scratch, regs, sizeof(uint32_t)));
    arena_free(scratch);
    return renamer.ssa;
}

/* Bits of a register, at most 64; 1 of predicates and of the carry flag. */
static uint32_t register_bits(const struct ptx_function *function, uint32_t reg) {
    if (reg >= function->reg_count) return 1;
    enum ptx_type type = function->groups[function->reg_group[reg]].type;
    uint32_t bits = ptx_type_kind(type) == PTX_KIND_PREDICATE ? 1 : 8 * ptx_type_bytes(type);
    return bits == 0 || bits > 64 ? 64 : bits;
}

uint32_t value_bits(const struct ssa *ssa, uint32_t value) {
    return register_bits(ssa->cfg->function, ssa->values[value].reg);
}

uint32_t value_read(const struct ssa *ssa, uint32_t inst, uint32_t reg) {
    for (uint32_t u = ssa->first_use[inst]; u < ssa->first_use[inst + 1]; u++) {
        uint32_t value = ssa->uses[u];
        if (value != SSA_NONE && ssa->values[value].reg == reg) return value;
    }
    return SSA_NONE;
}

const struct ptx_inst *value_definition(const struct ssa *ssa, uint32_t value) {
    const struct ssa_value *definition = &ssa->values[value];
    if (definition->kind != SSA_INST || definition->argument_count != 0) return NULL;
    return &ssa->cfg->function->insts[definition->inst];
}

uint32_t integer_bits(uint8_t type, bool *is_signed) {
    enum ptx_type_kind kind = ptx_type_kind((enum ptx_type)type);
    uint32_t bits = 8 * ptx_type_bytes((enum ptx_type)type);
    *is_signed = kind == PTX_KIND_SIGNED;
    if (type == PTX_PRED) return 1;
    if (type == PTX_U16X2 || type == PTX_S16X2 || bits > 64) return 0;
    return *is_signed || kind == PTX_KIND_UNSIGNED || kind == PTX_KIND_BITS ? bits : 0;
}
