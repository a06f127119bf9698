#include "flow/values/values.h"

#include "base/cycles.h"

/* Blocks that a walk has reached, to be forgotten before the next walk. */
struct block_set {
    bool *has;       /* per node of the graph */
    uint32_t *nodes; /* in the order in which they were reached */
    uint32_t count;
};

/* What the analysis works with. Values and blocks that turn out divergent wait in one queue, so that each is
 * met first by a shortest way from a source. */
struct propagation {
    const struct ssa *ssa;
    const struct cfg *cfg;
    const struct dominators *dominators, *post_dominators;
    const uint32_t *meetings; /* of machine code, per block: where parts of its threads meet; NULL: PTX */
    struct divergence_rules rules;
    struct ssa_readers readers;
    struct graph_components components; /* no path comes back to a component that it has left */
    struct divergence *found;
    bool *same;                          /* per value: it only says where in the block the warp is; or NULL */
    uint32_t *first_value, *value_count; /* per block: the values that its instructions and phis define */
    uint32_t *queue;                     /* values, and blocks as numbers behind all values */
    uint32_t queue_head, queue_tail;
    struct block_set apart;  /* where the threads that a branch parted are before they meet again */
    struct block_set after;  /* where threads are that have met again */
    struct block_set shared; /* of machine code: where several parts of threads are before they meet */
};

static bool is_divergent(const struct propagation *work, uint32_t value) {
    return work->found->values[value].cause != DIVERGENCE_NONE;
}

/* Whether it is the same in all threads of a warp, whatever their ways and times. */
static bool is_same(const struct propagation *work, uint32_t value) {
    return work->same != NULL && work->same[value];
}

static void mark_value(struct propagation *work, uint32_t value, struct divergence_reason reason) {
    if (is_divergent(work, value) || is_same(work, value)) return;
    work->found->values[value] = reason;
    work->queue[work->queue_tail++] = value;
}

static void mark_decision(struct propagation *work, uint32_t block, struct divergence_reason reason) {
    if (work->found->branches[block] || !cfg_has_choice(work->cfg, block)) return;
    work->found->branches[block] = true;
    work->found->decisions[block] = reason;
    work->queue[work->queue_tail++] = work->ssa->value_count + block;
}

/* Whether an instruction does nothing but decide where control goes. */
static bool is_decision(const struct ptx_inst *inst) {
    return cfg_is_branch(inst) || inst->form->op == PTX_OP_RET || inst->form->op == PTX_OP_EXIT;
}

/* Marks what a reader of `value` makes of it, when what it reads differs between threads. */
static void mark_reader(struct propagation *work, uint32_t value, const struct ssa_reader *reader,
                        struct divergence_reason reason) {
    const struct ssa *ssa = work->ssa;
    if (reader->is_value) {
        mark_value(work, reader->index, reason);
        return;
    }
    const struct ptx_inst *inst = &work->cfg->function->insts[reader->index];
    uint32_t reg = ssa->values[value].reg;
    if (is_decision(inst)) {
        mark_decision(work, reader->block, reason);
        return;
    }
    bool is_guard = inst->guard == reg;
    if (!is_guard && !divergence_rule_passes(&work->rules, inst, reg)) return;
    if (is_guard) reason.cause = DIVERGENCE_GATE;
    for (uint32_t d = ssa->first_def[reader->index]; d < ssa->first_def[reader->index + 1]; d++)
        mark_value(work, ssa->defs[d], reason);
}

/* A divergent value makes divergent what its readers compute. */
static void spread_value(struct propagation *work, uint32_t value) {
    const struct divergence_reason reason = {DIVERGENCE_DATA, value, GRAPH_NONE, SSA_NONE};
    for (uint32_t r = work->readers.first[value]; r < work->readers.first[value + 1]; r++)
        mark_reader(work, value, &work->readers.items[r], reason);
}

static void set_add(struct block_set *set, uint32_t node) {
    if (set->has[node]) return;
    set->has[node] = true;
    set->nodes[set->count++] = node;
}

static void set_clear(struct block_set *set) {
    while (set->count > 0)
        set->has[set->nodes[--set->count]] = false;
}

/* Adds the nodes that a set reaches without passing `avoided`, which is not in it. It skips components below
 * `lowest`: they are numbered such that no way goes from them to higher ones. */
static void set_extend(const struct propagation *work, struct block_set *set, uint32_t avoided,
                       uint32_t lowest) {
    const struct adjacency *out = &work->cfg->graph.out;
    for (uint32_t n = 0; n < set->count; n++) {
        uint32_t node = set->nodes[n];
        for (uint32_t i = out->first[node]; i < out->first[node + 1]; i++) {
            uint32_t to = out->nodes[i];
            if (to != avoided && work->components.of[to] >= lowest) set_add(set, to);
        }
    }
}

/* Whether threads that came to `block` apart from each other can bring different values to a phi of it. They
 * bring the same when all of them bring one value that none of them has computed since they parted. */
static bool brings_differ(struct propagation *work, uint32_t branch, uint32_t phi) {
    const struct ssa_value *value = &work->ssa->values[phi];
    const uint32_t *component = work->components.of;
    uint32_t common = SSA_NONE;
    bool differ = false;
    for (uint32_t a = 0; a < value->argument_count; a++) {
        uint32_t from = ssa_argument_block(work->ssa, value, a);
        if (from == GRAPH_NONE || (from != branch && !work->apart.has[from])) continue;
        uint32_t argument = work->ssa->arguments[value->first_argument + a];
        const struct ssa_value *brought = &work->ssa->values[argument];
        if (brought->kind != SSA_ENTRY && work->apart.has[brought->block]) {
            differ = true;
            /* They left a cycle, in which each computed it as often as it liked. */
            if (component[brought->block] == component[branch]) work->found->parting[argument] = branch;
        }
        differ = differ || (common != SSA_NONE && common != argument);
        common = argument;
    }
    return differ;
}

/* Threads that went different ways meet at `meeting`: phis join what they bring (the gammas of gated SSA). */
static void spread_to_phis(struct propagation *work, uint32_t meeting, struct divergence_reason reason) {
    uint32_t first = work->ssa->first_phi[meeting];
    for (uint32_t phi = first; phi < first + work->ssa->phi_count[meeting]; phi++)
        if (brings_differ(work, reason.branch, phi)) mark_value(work, phi, reason);
}

/* Whether a value of `block` might be read by a reader before it is computed anew, by threads that met at
 * `meeting`: no, when the reader is in a cycle with the block that `meeting` is not in. */
static bool may_read_late(const struct propagation *work, const struct ssa_reader *reader, uint32_t block,
                          uint32_t meeting) {
    const uint32_t *component = work->components.of;
    bool outside = component[meeting] != component[block];
    return reader->block != block && !(outside && component[reader->block] == component[block]);
}

/* The lowest component of those who might read values of `block` late; UINT32_MAX when nobody might. */
static uint32_t lowest_late_reader(const struct propagation *work, uint32_t block, uint32_t meeting) {
    uint32_t lowest = UINT32_MAX;
    uint32_t first = work->first_value[block];
    for (uint32_t v = first; v < first + work->value_count[block]; v++) {
        for (uint32_t r = work->readers.first[v]; r < work->readers.first[v + 1] && !is_divergent(work, v);
             r++) {
            const struct ssa_reader *reader = &work->readers.items[r];
            uint32_t component = work->components.of[reader->block];
            if (may_read_late(work, reader, block, meeting) && component < lowest) lowest = component;
        }
    }
    return lowest;
}

/* Threads meet at `meeting` that have executed `block`, which is in a loop, different numbers of times. Its
 * values then differ where they are read before the block computes them anew (the etas of gated SSA). */
static void spread_to_late_readers(struct propagation *work, uint32_t block, uint32_t meeting,
                                   struct divergence_reason reason) {
    uint32_t lowest = lowest_late_reader(work, block, meeting);
    if (lowest == UINT32_MAX) return;
    set_add(&work->after, meeting);
    set_extend(work, &work->after, block, lowest);
    uint32_t first = work->first_value[block];
    for (uint32_t v = first; v < first + work->value_count[block]; v++) {
        if (is_divergent(work, v) || is_same(work, v)) continue;
        reason.late = v;
        for (uint32_t r = work->readers.first[v]; r < work->readers.first[v + 1]; r++) {
            const struct ssa_reader *reader = &work->readers.items[r];
            if (!work->after.has[reader->block]) continue;
            work->found->parting[v] = reason.branch;
            mark_reader(work, v, reader, reason);
        }
    }
    set_clear(&work->after);
}

/* Whether two executions of an instruction, one after the other, can give different results for equal
 * operands: memory may have changed, or other threads are there. */
static bool depends_on_time(const struct ptx_form *form) {
    if (form->op == PTX_OP_LD || form->op == PTX_OP_LDU)
        return form->space != PTX_SPACE_PARAM && form->space != PTX_SPACE_CONST;
    return form->exec == PTX_EXEC_WARP || form->op == PTX_OP_BAR;
}

/* Parts of machine code's threads execute this block one after another, before they meet: what they join or
 * read there can differ. */
static void spread_in_shared(struct propagation *work, uint32_t block, struct divergence_reason reason) {
    const struct cfg_block *code = &work->cfg->blocks[block];
    spread_to_phis(work, block, reason);
    for (uint32_t i = code->first; i < code->first + code->count; i++) {
        if (!depends_on_time(work->cfg->function->insts[i].form)) continue;
        for (uint32_t d = work->ssa->first_def[i]; d < work->ssa->first_def[i + 1]; d++)
            mark_value(work, work->ssa->defs[d], reason);
    }
}

/* The sides of a branch of machine code, up to where the threads that it parts meet, if they do: parts may
 * execute the same blocks, one part after another. */
static void add_sides(struct propagation *work, uint32_t branch, uint32_t meeting) {
    const struct adjacency *out = &work->cfg->graph.out;
    for (uint32_t i = out->first[branch]; i < out->first[branch + 1]; i++) {
        if (out->nodes[i] == meeting || out->nodes[i] == work->cfg->exit) continue;
        set_add(&work->after, out->nodes[i]);
        set_extend(work, &work->after, meeting, 0);
        for (uint32_t n = 0; n < work->after.count; n++) {
            const uint32_t node = work->after.nodes[n];
            if (node == work->cfg->exit) continue;
            if (work->apart.has[node]) set_add(&work->shared, node);
            set_add(&work->apart, node);
        }
        set_clear(&work->after);
    }
}

/* A branch that parts threads makes divergent what depends on which way they went until they meet again: at
 * its immediate post-dominator, or where machine code has them wait for each other. Threads that part and
 * meet only at the exit never compare. */
static void spread_branch(struct propagation *work, uint32_t branch) {
    const struct graph *graph = &work->cfg->graph;
    const bool machine = work->meetings != NULL;
    uint32_t meeting = machine ? work->meetings[branch] : work->post_dominators->parent[branch];
    if (!machine && (meeting == GRAPH_NONE || meeting == work->cfg->exit)) return;
    const struct divergence_reason reason = {DIVERGENCE_GATE, work->found->decisions[branch].from, branch,
                                             SSA_NONE};
    for (uint32_t i = graph->out.first[branch]; !machine && i < graph->out.first[branch + 1]; i++)
        if (graph->out.nodes[i] != meeting) set_add(&work->apart, graph->out.nodes[i]);
    if (machine)
        add_sides(work, branch, meeting);
    else
        set_extend(work, &work->apart, meeting, 0);
    for (uint32_t n = 0; n < work->shared.count; n++)
        spread_in_shared(work, work->shared.nodes[n], reason);
    set_clear(&work->shared);
    if (meeting == work->cfg->exit) {
        set_clear(&work->apart);
        return;
    }
    spread_to_phis(work, meeting, reason);
    /* Threads may compute anew, before they meet, what all ways to the branch have computed before. */
    for (uint32_t n = 0; n < work->apart.count; n++)
        if (dominates(work->dominators, work->apart.nodes[n], branch))
            spread_to_late_readers(work, work->apart.nodes[n], meeting, reason);
    set_clear(&work->apart);
}

/* Marks what differs between threads by itself. */
static void mark_sources(struct propagation *work) {
    for (uint32_t v = 0; v < work->ssa->value_count; v++) {
        const struct ssa_value *value = &work->ssa->values[v];
        enum divergence_cause cause = DIVERGENCE_NONE;
        /* An unwritten register may hold anything; the caller gives arguments of calls. */
        if (value->kind == SSA_ENTRY) cause = DIVERGENCE_SOURCE;
        if (value->kind == SSA_INST) {
            const struct ptx_inst *inst = &work->cfg->function->insts[value->inst];
            cause = divergence_rule_result(&work->rules, inst, value->reg);
        }
        const struct divergence_reason reason = {(uint8_t)cause, SSA_NONE, GRAPH_NONE, SSA_NONE};
        if (cause != DIVERGENCE_NONE) mark_value(work, v, reason);
    }
}

/* The values of one block follow one another, without those that stand for the function's entry. */
static void index_values(struct propagation *work) {
    for (uint32_t v = work->ssa->value_count; v-- > 0;) {
        const struct ssa_value *value = &work->ssa->values[v];
        if (value->kind == SSA_ENTRY) continue;
        work->first_value[value->block] = v;
        work->value_count[value->block]++;
    }
}

static struct block_set make_set(struct arena *scratch, uint32_t node_count) {
    return (struct block_set){.has = arena_array(scratch, node_count, sizeof(bool)),
                              .nodes = arena_array(scratch, node_count, sizeof(uint32_t))};
}

static void prepare(struct propagation *work, struct arena *scratch, struct arena *arena) {
    uint32_t node_count = work->cfg->graph.node_count;
    uint32_t value_count = work->ssa->value_count;
    struct divergence *found = work->found;
    work->readers = ssa_readers_build(work->ssa, scratch);
    work->components = graph_find_components(scratch, &work->cfg->graph);
    work->apart = make_set(scratch, node_count);
    work->after = make_set(scratch, node_count);
    work->shared = make_set(scratch, node_count);
    work->first_value = arena_array(scratch, node_count, sizeof(uint32_t));
    work->value_count = arena_array(scratch, node_count, sizeof(uint32_t));
    work->queue = arena_array(scratch, (size_t)value_count + node_count, sizeof(uint32_t));
    found->values = arena_array(arena, value_count, sizeof *found->values);
    found->parting = arena_array(arena, value_count, sizeof *found->parting);
    found->decisions = arena_array(arena, node_count, sizeof *found->decisions);
    found->branches = arena_array(arena, node_count, sizeof *found->branches);
    for (uint32_t v = 0; v < value_count; v++)
        found->parting[v] = GRAPH_NONE;
}

struct divergence divergence_analyse(const struct ssa *ssa, const struct dominators *dominators,
                                     const struct dominators *post_dominators, const uint32_t block[3],
                                     struct arena *arena) {
    struct arena scratch = {0};
    struct divergence found = {0};
    struct propagation work = {.ssa = ssa,
                               .cfg = ssa->cfg,
                               .dominators = dominators,
                               .post_dominators = post_dominators,
                               .rules = divergence_rules_of(ssa->cfg->function),
                               .found = &found};
    arena_bind(&scratch, arena);
    if (block == NULL) block = ssa->cfg->function->tuning.reqntid;
    if (ptx_is_machine_code(ssa->cfg->function))
        work.meetings = convergence_find(ssa->cfg, dominators, &scratch);
    if (thread_rows_in_block(block)) work.same = thread_rows_same(ssa, &scratch);
    prepare(&work, &scratch, arena);
    index_values(&work);
    mark_sources(&work);
    while (work.queue_head < work.queue_tail) {
        uint32_t next = work.queue[work.queue_head++];
        if (next < ssa->value_count) {
            spread_value(&work, next);
        } else {
            spread_branch(&work, next - ssa->value_count);
        }
    }
    arena_free(&scratch);
    return found;
}

/* The low bits of %tid.x in which the threads of a warp differ. */
#define LANE_BITS 5u

/* Threads may differ in every bit. */
#define ANY_BITS 64u

bool thread_rows_in_block(const uint32_t block[3]) {
    return block[0] != 0 && ((block[1] <= 1 && block[2] <= 1) || block[0] % (1u << LANE_BITS) == 0);
}

/* What the rules look at. The low low[v] bits of value v may differ between the threads of a warp, the others
 * do not; a predicate has one bit. */
struct rows {
    const struct ssa *ssa;
    uint8_t *low;
};

/* An instruction of one result, and the bits of its type. */
struct row_inst {
    const struct rows *rows;
    uint32_t index;
    const struct ptx_form *form;
    const struct ptx_operand *operands;
    uint32_t bits;
    bool is_signed;
};

static uint32_t low_of_register(const struct row_inst *inst, uint32_t reg) {
    const struct ssa *ssa = inst->rows->ssa;
    for (uint32_t u = ssa->first_use[inst->index]; u < ssa->first_use[inst->index + 1]; u++)
        if (ssa->values[ssa->uses[u]].reg == reg) return inst->rows->low[ssa->uses[u]];
    return ANY_BITS;
}

static uint32_t low_of(const struct row_inst *inst, uint32_t operand) {
    const struct ptx_operand *o = &inst->operands[operand];
    if (o->negated || o->select != 0) return ANY_BITS;
    switch (o->kind) {
    case PTX_OPERAND_INT: return 0;
    case PTX_OPERAND_REG: return low_of_register(inst, o->index);
    case PTX_OPERAND_SREG:
        if (o->index == PTX_SREG_TID_X) return LANE_BITS;
        return o->index == PTX_SREG_TID_Y || o->index == PTX_SREG_TID_Z ? 0 : ANY_BITS;
    default: return ANY_BITS;
    }
}

static bool constant(const struct row_inst *inst, uint32_t operand, uint64_t *value) {
    *value = inst->operands[operand].value;
    return inst->operands[operand].kind == PTX_OPERAND_INT && !inst->operands[operand].negated;
}

/* Bits that a number needs, 0 of 0. */
static uint32_t bit_length(uint64_t x) {
    return x == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(x);
}

static uint64_t low_mask(uint32_t low) {
    return low >= 64 ? UINT64_MAX : (UINT64_C(1) << low) - 1;
}

/* A mask takes bits away. */
static uint32_t and_low(const struct row_inst *inst) {
    const uint32_t a = low_of(inst, 1), b = low_of(inst, 2);
    uint64_t mask;
    if (constant(inst, 2, &mask)) return bit_length(mask & low_mask(a));
    if (constant(inst, 1, &mask)) return bit_length(mask & low_mask(b));
    return u32_max(a, b);
}

/* The shift's number counts up to the width of the type. To the right, the sign that comes in must be the
 * same in all threads. */
static uint32_t shift_low(const struct row_inst *inst) {
    const uint32_t low = low_of(inst, 1);
    uint64_t shift;
    if (low == 0 && low_of(inst, 2) == 0) return 0;
    if (!constant(inst, 2, &shift) || low >= inst->bits) return ANY_BITS;
    shift = (uint32_t)shift; /* as it is executed */
    if (shift > inst->bits) shift = inst->bits;
    if (inst->form->op == PTX_OP_SHL)
        return low + (uint32_t)shift > ANY_BITS ? ANY_BITS : low + (uint32_t)shift;
    return low > shift ? low - (uint32_t)shift : 0;
}

/* Numbers that differ in their low k bits only have the same quotient by a multiple of 2^k: it is that of the
 * other bits. Signed quotients are rounded towards 0, so that this fails below it. */
static uint32_t div_low(const struct row_inst *inst) {
    const uint32_t low = low_of(inst, 1);
    uint64_t divisor;
    if (low == 0 && low_of(inst, 2) == 0) return 0;
    const bool known = constant(inst, 2, &divisor);
    divisor &= low_mask(inst->bits);
    const bool multiple = known && divisor != 0 && (divisor & low_mask(low)) == 0;
    return multiple && low < inst->bits && !inst->is_signed ? 0 : ANY_BITS;
}

/* Such numbers are on one side of a multiple of 2^k: a < c is the same for all of them, and a <= c - 1. */
static uint32_t setp_low(const struct row_inst *inst) {
    const uint32_t low = low_of(inst, 2);
    uint64_t bound;
    if (inst->operands[1].kind != PTX_OPERAND_NONE || inst->operands[4].kind != PTX_OPERAND_NONE)
        return ANY_BITS;
    if (low == 0 && low_of(inst, 3) == 0) return 0;
    if (!constant(inst, 3, &bound) || low >= inst->bits) return ANY_BITS;
    switch (inst->form->compare) {
    case PTX_CMP_LT:
    case PTX_CMP_GE:
    case PTX_CMP_LO:
    case PTX_CMP_HS: return (bound & low_mask(low)) == 0 ? 0 : ANY_BITS;
    case PTX_CMP_LE:
    case PTX_CMP_GT:
    case PTX_CMP_LS:
    case PTX_CMP_HI: return ((bound + 1) & low_mask(low)) == 0 ? 0 : ANY_BITS;
    default: return ANY_BITS;
    }
}

/* Between integers: what is cut off or copied into the new bits is the same, if the sign is. */
static uint32_t cvt_low(const struct row_inst *inst) {
    bool is_signed;
    const uint32_t from = integer_bits(inst->form->type2, &is_signed), low = low_of(inst, 1);
    return from != 0 && low < from && low < inst->bits ? low : ANY_BITS;
}

static uint32_t result_low(const struct row_inst *inst) {
    switch (inst->form->op) {
    case PTX_OP_MOV: return low_of(inst, 1);
    case PTX_OP_CVT: return cvt_low(inst);
    case PTX_OP_AND: return and_low(inst);
    case PTX_OP_OR:
    case PTX_OP_XOR: return u32_max(low_of(inst, 1), low_of(inst, 2));
    case PTX_OP_NOT: return low_of(inst, 1);
    case PTX_OP_SHL:
    case PTX_OP_SHR: return shift_low(inst);
    case PTX_OP_DIV: return div_low(inst);
    case PTX_OP_SETP: return setp_low(inst);
    default: return ANY_BITS;
    }
}

/* Phis choose, and guards keep what was before: what they do depends on more than the operands. */
static uint32_t value_low(const struct rows *rows, const struct ssa_value *value) {
    if (value->kind != SSA_INST) return ANY_BITS;
    const struct ptx_function *function = rows->ssa->cfg->function;
    const struct ptx_inst *inst = &function->insts[value->inst];
    struct row_inst row = {
        .rows = rows, .index = value->inst, .form = inst->form, .operands = ptx_operands(function, inst)};
    row.bits = integer_bits(inst->form->type, &row.is_signed);
    const bool plain = inst->guard == PTX_NO_INDEX && inst->operand_count > 1 && !inst->form->sat &&
                       row.operands[0].kind == PTX_OPERAND_REG && row.operands[0].index == value->reg;
    return plain && row.bits != 0 ? result_low(&row) : ANY_BITS;
}

bool *thread_rows_same(const struct ssa *ssa, struct arena *arena) {
    struct rows rows = {.ssa = ssa, .low = arena_array(arena, ssa->value_count, sizeof(uint8_t))};
    bool *same = arena_array(arena, ssa->value_count, sizeof *same);
    for (uint32_t v = 0; v < ssa->value_count; v++) { /* what an instruction reads is numbered before */
        rows.low[v] = (uint8_t)value_low(&rows, &ssa->values[v]);
        same[v] = rows.low[v] == 0;
    }
    return same;
}
