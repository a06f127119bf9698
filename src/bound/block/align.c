/* Dynamic programming over (node of the own section, instructions of the other section consumed). Rows are
 * kept only as long as an edge can still start at them, so that long sections need little memory. */
#include "bound/block/align.h"

#include <string.h>

#include "warp/timed/timed.h"

#define NO_NODE UINT32_MAX

/* Cells of a table that pass between two looks at the watch. */
#define WATCHED_CELLS ((uint64_t)1 << 24)

/* An edge that ends at the node being computed. */
struct align_edge {
    uint32_t from; /* node */
    cycles weight;
};

/* The last write of a register in the section so far. */
struct align_writer {
    uint32_t node; /* D of the writer, NO_NODE: none */
    cycles weight; /* from D to the result */
};

struct aligner {
    struct arena arena;
    const struct align_rules *rules;
    struct section_code own, other;
    uint64_t m;
    const cycles *start; /* per count of consumed instructions what is known at the start of every path; or
                            NULL: nothing */
    cycles *ends;        /* the most at a completion, of what is there already; or NULL */
    uint32_t nodes;      /* two an instruction: I(k) is node 2k, D(k) is 2k + 1 */
    uint32_t *last_use;  /* per node the last node that an edge from it ends at */
    cycles **rows;       /* per node its row, NULL once it is not needed any more */
    VEC(cycles *) spare; /* rows to be used again */
    VEC(struct align_edge) edges;
    struct align_writer *writers; /* per register */
    struct queue_members queues;  /* positions: own instructions */
    uint32_t *previous;           /* per unit the previous own instruction's D, or NO_NODE */
    uint32_t *earlier;            /* per own instruction the D of the one before it on its unit */
    cycles **unit_charges; /* per unit: what each instruction of the other counts at a node of that unit */
    cycles *slot_charges;
    cycles *queue_charges; /* scratch: the charges of an I node where its unit counts as well */
    cycles longest;
};

/* unit(j|w) of an instruction: what its initiation can cost a warp that uses the same unit, 0 when that warp
 * cannot reach the unit. */
static cycles align_unit_charge(const struct align_rules *rules, const struct timed_inst *inst) {
    if (inst->unit == UNIT_NONE) return 0;
    if (!rules->same_sub_core && !rules->block->machine->units[inst->unit].shared) return 0;
    return cycles_max(rules->charges[inst->unit], inst->init);
}

/* The other warp's instruction. */
static const struct timed_inst *other_inst(const struct align_rules *rules, uint32_t inst) {
    return &(rules->other != NULL ? rules->other : rules->block)->code.insts[inst];
}

/* slot(j|w): what its issue slot can cost. */
static cycles align_slot_charge(const struct align_rules *rules, const struct timed_inst *inst) {
    return rules->same_sub_core && inst->unit != UNIT_NONE;
}

cycles align_fib_charge(const struct align_rules *rules, struct section_code other, const bool *used) {
    cycles sum = 0;
    for (uint32_t i = 0; i < other.count; i++) {
        const struct timed_inst *inst = other_inst(rules, other.insts[i]);
        bool on_used_unit = inst->unit != UNIT_NONE && used[inst->unit];
        sum += on_used_unit ? align_unit_charge(rules, inst) : align_slot_charge(rules, inst);
    }
    return sum;
}

uint64_t align_cost(struct section_code own, struct section_code other) {
    return 2 * (uint64_t)own.count * ((uint64_t)other.count + 1);
}

static const struct timed_inst *own_inst(const struct aligner *aligner, uint32_t k) {
    return &aligner->rules->block->code.insts[aligner->own.insts[k]];
}

static wb_status add_edge(struct aligner *aligner, uint32_t from, cycles weight) {
    if (from == NO_NODE) return WB_OK;
    struct align_edge edge = {from, weight};
    return vec_push(&aligner->edges, edge);
}

/* The edges from what a register of a queue stands for to I(k). */
static wb_status edges_from_queue(struct aligner *aligner, uint32_t reg) {
    WB_TRY(queue_members_take(&aligner->queues, &aligner->rules->block->code, reg));
    for (size_t t = 0; t < aligner->queues.taken.count; t++) {
        const uint32_t member = aligner->queues.taken.items[t];
        const struct timed_inst *inst = own_inst(aligner, member);
        WB_TRY(add_edge(aligner, 2 * member + 1, (cycles)inst->init + inst->latency));
    }
    return WB_OK;
}

/* The start of the `depth`-th last own instruction on the unit before k, or NO_NODE. */
static uint32_t start_before(const struct aligner *aligner, uint8_t unit, uint32_t depth) {
    uint32_t start = aligner->previous[unit];
    for (; depth > 1 && start != NO_NODE; depth--)
        start = aligner->earlier[start / 2];
    return start;
}

/* The edges into I(k): the previous issue, the operands, and at depth d the start of the d-th previous own
 * instruction on the unit, which makes room in the queue. */
static wb_status edges_into_issue(struct aligner *aligner, uint32_t k) {
    const struct timed_inst *inst = own_inst(aligner, k);
    const uint32_t *operands = aligner->rules->block->code.operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    const uint32_t depth = aligner->rules->block->machine->dispatch_depth;
    aligner->edges.count = 0;
    if (k > 0) WB_TRY(add_edge(aligner, 2 * (k - 1), own_inst(aligner, k - 1)->unit == UNIT_NONE ? 0 : 1));
    for (uint32_t i = 0; i < count; i++) {
        const struct align_writer *writer = &aligner->writers[operands[i]];
        WB_TRY(add_edge(aligner, writer->node, writer->weight));
        WB_TRY(edges_from_queue(aligner, operands[i]));
    }
    if (inst->unit == UNIT_NONE || depth == DEPTH_UNLIMITED) return WB_OK;
    uint32_t start = start_before(aligner, inst->unit, depth);
    return add_edge(aligner, start, depth == 0 && start != NO_NODE ? own_inst(aligner, start / 2)->init : 0);
}

/* The edges into D(k): its own issue, and the previous own instruction on the unit. */
static wb_status edges_into_start(struct aligner *aligner, uint32_t k) {
    const struct timed_inst *inst = own_inst(aligner, k);
    aligner->edges.count = 0;
    WB_TRY(add_edge(aligner, 2 * k, 0));
    if (inst->unit == UNIT_NONE || aligner->previous[inst->unit] == NO_NODE) return WB_OK;
    uint32_t previous = aligner->previous[inst->unit];
    return add_edge(aligner, previous, own_inst(aligner, previous / 2)->init);
}

/* After D(k): later instructions wait for it. */
static wb_status note_writes(struct aligner *aligner, uint32_t k) {
    const struct timed_inst *inst = own_inst(aligner, k);
    const uint32_t *written = aligner->rules->block->code.operands + inst->first_operand + inst->source_count;
    for (uint32_t i = 0; i < inst->destination_count; i++)
        aligner->writers[written[i]] = (struct align_writer){2 * k + 1, (cycles)inst->init + inst->latency};
    WB_TRY(queue_members_note(&aligner->queues, &aligner->rules->block->code, inst, k));
    if (inst->unit == UNIT_NONE) return WB_OK;
    aligner->earlier[k] = aligner->previous[inst->unit];
    aligner->previous[inst->unit] = 2 * k + 1;
    return WB_OK;
}

static void forget_writes(struct aligner *aligner) {
    const struct timed_block *block = aligner->rules->block;
    for (uint32_t r = 0; r < block->code.register_count; r++)
        aligner->writers[r].node = NO_NODE;
    for (uint32_t u = 0; u < block->machine->unit_count; u++)
        aligner->previous[u] = NO_NODE;
    queue_members_clear(&aligner->queues);
}

/* First pass: until which node the row of each node is needed. */
static wb_status find_last_uses(struct aligner *aligner) {
    forget_writes(aligner);
    for (uint32_t node = 0; node < aligner->nodes; node++) {
        WB_TRY(node % 2 == 0 ? edges_into_issue(aligner, node / 2) : edges_into_start(aligner, node / 2));
        aligner->last_use[node] = node;
        for (size_t e = 0; e < aligner->edges.count; e++)
            aligner->last_use[aligner->edges.items[e].from] = node;
        if (node % 2 == 1) WB_TRY(note_writes(aligner, node / 2));
    }
    return WB_OK;
}

/* A row for a node: an old one or a new one. */
static cycles *take_row(struct aligner *aligner) {
    if (aligner->spare.count > 0) return aligner->spare.items[--aligner->spare.count];
    return arena_array(&aligner->arena, (size_t)aligner->other.count + 1, sizeof(cycles));
}

/* The best over all edges, before anything is consumed at the node itself. A path may start at any node. */
static void merge_edges(const struct aligner *aligner, cycles *restrict row) {
    const size_t width = (size_t)aligner->other.count + 1;
    if (aligner->start == NULL)
        memset(row, 0, width * sizeof *row);
    else
        memcpy(row, aligner->start, width * sizeof *row);
    for (size_t e = 0; e < aligner->edges.count; e++) {
        const cycles *restrict from = aligner->rows[aligner->edges.items[e].from];
        const cycles weight = aligner->edges.items[e].weight;
        for (size_t i = 0; i < width; i++)
            row[i] = row[i] > from[i] + weight ? row[i] : from[i] + weight;
    }
}

/* Consumes instructions of the other section at a node, each for its charge. */
static void consume(const struct aligner *aligner, const cycles *charges, cycles *row) {
    cycles best = row[0];
    for (size_t i = 0; i < aligner->other.count; i++) {
        best += charges[i];
        best = best > row[i + 1] ? best : row[i + 1];
        row[i + 1] = best;
    }
}

/* The cost of each instruction of the other section at node I(k): a slot; with a queue of at most one entry,
 * on the same unit, its initiation. */
static const cycles *issue_charges(const struct aligner *aligner, const struct timed_inst *inst) {
    if (aligner->rules->block->machine->dispatch_depth == DEPTH_UNLIMITED) return aligner->slot_charges;
    const cycles *unit = aligner->unit_charges[inst->unit];
    for (size_t i = 0; i < aligner->other.count; i++)
        aligner->queue_charges[i] = cycles_max(aligner->slot_charges[i], unit[i]);
    return aligner->queue_charges;
}

/* Rows from which no edge starts behind `node` can be used again. */
static wb_status give_back_rows(struct aligner *aligner, uint32_t node) {
    if (aligner->last_use[node] == node) WB_TRY(vec_push(&aligner->spare, aligner->rows[node]));
    for (size_t e = 0; e < aligner->edges.count; e++) {
        uint32_t from = aligner->edges.items[e].from;
        if (aligner->last_use[from] != node || aligner->rows[from] == NULL) continue;
        WB_TRY(vec_push(&aligner->spare, aligner->rows[from]));
        aligner->rows[from] = NULL;
    }
    return WB_OK;
}

/* The path may end with the completion of the instruction at hand. */
static void note_end(struct aligner *aligner, const struct timed_inst *inst, const cycles *row) {
    const cycles left = (cycles)inst->init + inst->latency;
    aligner->longest = cycles_max(aligner->longest, row[aligner->other.count] + left);
    for (size_t i = 0; aligner->ends != NULL && i <= aligner->other.count; i++)
        aligner->ends[i] = cycles_max(aligner->ends[i], row[i] + left);
}

static wb_status compute_node(struct aligner *aligner, uint32_t node) {
    const struct timed_inst *inst = own_inst(aligner, node / 2);
    WB_TRY(node % 2 == 0 ? edges_into_issue(aligner, node / 2) : edges_into_start(aligner, node / 2));
    cycles *row = take_row(aligner);
    if (row == NULL) return WB_ERR_LIMIT;
    merge_edges(aligner, row);
    if (inst->unit != UNIT_NONE)
        consume(aligner, node % 2 == 0 ? issue_charges(aligner, inst) : aligner->unit_charges[inst->unit],
                row);
    aligner->rows[node] = row;
    if (node % 2 == 1) {
        WB_TRY(note_writes(aligner, node / 2));
        note_end(aligner, inst, row);
    }
    return give_back_rows(aligner, node);
}

/* The cost of every instruction of the other section, m times: its slot, and per unit its initiation. */
static wb_status make_charges(struct aligner *aligner) {
    const struct timed_block *block = aligner->rules->block;
    const size_t count = (size_t)aligner->other.count + 1;
    aligner->slot_charges = arena_array(&aligner->arena, count, sizeof(cycles));
    aligner->queue_charges = arena_array(&aligner->arena, count, sizeof(cycles));
    aligner->unit_charges = arena_array(&aligner->arena, block->machine->unit_count, sizeof(cycles *));
    if (aligner->slot_charges == NULL || aligner->queue_charges == NULL || aligner->unit_charges == NULL)
        return WB_ERR_LIMIT;
    for (uint32_t u = 0; u < block->machine->unit_count; u++) {
        aligner->unit_charges[u] = arena_array(&aligner->arena, count, sizeof(cycles));
        if (aligner->unit_charges[u] == NULL) return WB_ERR_LIMIT;
    }
    for (uint32_t i = 0; i < aligner->other.count; i++) {
        const struct timed_inst *inst = other_inst(aligner->rules, aligner->other.insts[i]);
        if (inst->unit == UNIT_NONE) continue;
        aligner->slot_charges[i] = aligner->m * align_slot_charge(aligner->rules, inst);
        aligner->unit_charges[inst->unit][i] = aligner->m * align_unit_charge(aligner->rules, inst);
    }
    return WB_OK;
}

static wb_status make_tables(struct aligner *aligner) {
    const struct timed_block *block = aligner->rules->block;
    struct arena *arena = &aligner->arena;
    aligner->last_use = arena_array(arena, aligner->nodes, sizeof *aligner->last_use);
    aligner->rows = arena_array(arena, aligner->nodes, sizeof *aligner->rows);
    aligner->writers = arena_array(arena, block->code.register_count, sizeof *aligner->writers);
    aligner->previous = arena_array(arena, block->machine->unit_count, sizeof *aligner->previous);
    aligner->earlier = arena_array(arena, (size_t)aligner->own.count + 1, sizeof *aligner->earlier);
    if (aligner->last_use == NULL || aligner->rows == NULL || aligner->writers == NULL ||
        aligner->previous == NULL || aligner->earlier == NULL)
        return WB_ERR_LIMIT;
    return make_charges(aligner);
}

/* Asks the watch after every so many cells; false to stop. */
static bool may_go_on(const struct aligner *aligner, uint32_t node, struct align_limits *limits) {
    const uint64_t width = (uint64_t)aligner->other.count + 1, cells = width * node;
    if (limits->watch == NULL || limits->watch->poll == NULL) return true;
    if (cells / WATCHED_CELLS == (cells + width) / WATCHED_CELLS) return true;
    limits->stopped =
        !limits->watch->poll(limits->watch->user, "aligning sections", cells, width * aligner->nodes);
    return !limits->stopped;
}

/* Computes all nodes, with tables of at most so many bytes. */
static wb_status compute_nodes(struct aligner *aligner, struct align_limits *limits) {
    aligner->nodes = 2 * aligner->own.count;
    aligner->arena.limit = limits->bytes < SIZE_MAX ? (size_t)limits->bytes : SIZE_MAX;
    wb_status status = make_tables(aligner);
    if (status == WB_OK) status = find_last_uses(aligner);
    if (status == WB_OK) forget_writes(aligner);
    for (uint32_t node = 0; status == WB_OK && node < aligner->nodes; node++)
        status = may_go_on(aligner, node, limits) ? compute_node(aligner, node) : WB_ERR_LIMIT;
    vec_free(&aligner->spare);
    vec_free(&aligner->edges);
    queue_members_free(&aligner->queues);
    limits->full = aligner->arena.refused;
    arena_free(&aligner->arena);
    return status;
}

wb_status align_longest(const struct align_rules *rules, struct section_code own, struct section_code other,
                        uint64_t m, struct align_limits *limits, cycles *longest) {
    struct aligner aligner = {.rules = rules, .own = own, .other = other, .m = m};
    WB_TRY(compute_nodes(&aligner, limits));
    *longest = aligner.longest;
    return WB_OK;
}

wb_status align_through(const struct align_rules *rules, struct section_code own, struct section_code other,
                        uint64_t m, const cycles *start, struct align_limits *limits, cycles *ends) {
    struct aligner aligner = {.rules = rules, .own = own, .other = other, .m = m, .start = start};
    aligner.ends = ends;
    return compute_nodes(&aligner, limits);
}
