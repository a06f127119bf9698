#include "flow/bounds/bounds.h"

#include <assert.h>

/* A walk backwards from values of a loop to what they are computed of in it. A value is met as one that is
 * passed on as it is (node 2 v) or computed with (node 2 v + 1); walks end at reads of memory, behind their
 * addresses. */
struct search {
    const struct ssa *ssa;
    const struct dominators *dominators;
    const struct loops *loops;
    uint32_t loop;
    uint32_t *met; /* per node: the walk that met it last */
    uint32_t walk;
    uint32_t *pending;
    uint32_t pending_count;
    uint32_t store; /* of writes_what_it_reads */
    /* The findings of the walk: */
    bool reads;          /* memory that others may write */
    bool reads_strongly; /* as those do who wait for that */
    bool reads_hidden;   /* maybe: volatile accesses of machine code to shared memory are plain ones */
    bool retries;        /* a CAS that compares with what the loop has read */
    bool changes;        /* something that changes by itself, or that is not looked into */
    bool exchanges;      /* values of other lanes, which may leave the loop */
};

static const struct ptx_inst *inst_at(const struct search *search, uint32_t inst) {
    return &search->ssa->cfg->function->insts[inst];
}

static const struct ptx_operand *operand_at(const struct search *search, uint32_t inst, uint32_t index) {
    return &ptx_operands(search->ssa->cfg->function, inst_at(search, inst))[index];
}

/* ---- What instructions are ----------------------------------------------------------------------------- */

static bool is_strong(const struct ptx_form *form) {
    return form->op == PTX_OP_ATOM || form->is_volatile || form->relaxed || form->ordered;
}

static bool is_of_others(const struct ptx_form *form) {
    return form->space == PTX_SPACE_GLOBAL || form->space == PTX_SPACE_SHARED || form->space == PTX_GENERIC;
}

/* The value that an operand reads, if the loop computes it; SSA_NONE: it stays the same. */
static uint32_t changing(const struct search *search, uint32_t inst, const struct ptx_operand *operand) {
    if (operand->kind != PTX_OPERAND_REG) return SSA_NONE;
    const uint32_t value = value_read(search->ssa, inst, operand->index);
    if (value == SSA_NONE) return SSA_NONE;
    const bool inside = loop_contains(search->loops, search->loop, search->ssa->values[value].block);
    return inside ? value : SSA_NONE;
}

/* Whether an atomic that is done again, with nobody in between, leaves memory as it is. */
static bool is_idempotent(const struct search *search, uint32_t inst) {
    const struct ptx_form *form = inst_at(search, inst)->form;
    const struct ptx_operand *data = operand_at(search, inst, 2);
    switch (form->mode) {
    case PTX_MODE_CAS: return true;
    case PTX_MODE_EXCH:
    case PTX_MODE_AND:
    case PTX_MODE_OR:
    case PTX_MODE_MIN:
    case PTX_MODE_MAX: return changing(search, inst, data) == SSA_NONE;
    case PTX_MODE_ADD:
    case PTX_MODE_XOR: return data->kind == PTX_OPERAND_INT && data->value == 0;
    default: return false;
    }
}

/* Whether a special register changes by itself. */
static bool reads_time(const struct search *search, uint32_t inst) {
    for (uint32_t i = 0; i < inst_at(search, inst)->operand_count; i++) {
        const struct ptx_operand *operand = operand_at(search, inst, i);
        const uint32_t sreg = operand->kind == PTX_OPERAND_SREG ? operand->index : PTX_SREG_TID_X;
        if (sreg == PTX_SREG_CLOCK || sreg == PTX_SREG_CLOCK_HI || sreg == PTX_SREG_CLOCK64 ||
            sreg == PTX_SREG_GLOBALTIMER || sreg == PTX_SREG_GLOBALTIMER_LO ||
            sreg == PTX_SREG_GLOBALTIMER_HI || (sreg >= PTX_SREG_PM0 && sreg <= PTX_SREG_PM7_64))
            return true;
    }
    return false;
}

/* ---- Walking ------------------------------------------------------------------------------------------- */

static void push(struct search *search, uint32_t value, bool computed) {
    if (value == SSA_NONE) return;
    if (!loop_contains(search->loops, search->loop, search->ssa->values[value].block)) return;
    const uint32_t node = 2 * value + computed;
    if (search->met[node] == search->walk) return;
    search->met[node] = search->walk;
    search->pending[search->pending_count++] = node;
}

static void push_reads(struct search *search, uint32_t inst, bool computed) {
    for (uint32_t u = search->ssa->first_use[inst]; u < search->ssa->first_use[inst + 1]; u++)
        push(search, search->ssa->uses[u], computed);
}

static bool is_inside(const struct search *search, uint32_t block) {
    return block != search->ssa->cfg->exit && loop_contains(search->loops, search->loop, block);
}

/* Whether control may leave the loop behind a block of it. */
static bool leaves(const struct search *search, uint32_t block) {
    const struct adjacency *out = &search->ssa->cfg->graph.out;
    for (uint32_t e = out->first[block]; e < out->first[block + 1]; e++)
        if (!is_inside(search, out->nodes[e])) return true;
    return false;
}

/* The conditions of the branches that decide from where in the loop control comes to a block, which is not
 * what decides whether it goes on. */
static void push_conditions(struct search *search, uint32_t block) {
    const struct cfg *cfg = search->ssa->cfg;
    const struct adjacency *in = &cfg->graph.in;
    const bool is_header = search->loops->items[search->loop].header == block;
    const uint32_t top = is_header ? block : search->dominators->parent[block];
    for (uint32_t e = in->first[block]; e < in->first[block + 1]; e++) {
        if (!is_inside(search, in->nodes[e])) continue;
        for (uint32_t b = in->nodes[e];; b = search->dominators->parent[b]) {
            if (cfg_has_choice(cfg, b) && !leaves(search, b))
                push_reads(search, cfg->blocks[b].first + cfg->blocks[b].count - 1, true);
            if (b == top) break;
        }
    }
}

static void meet_read(struct search *search, uint32_t inst) {
    const struct ptx_form *form = inst_at(search, inst)->form;
    const struct ptx_operand *address = operand_at(search, inst, 1);
    const bool constant = form->space == PTX_SPACE_PARAM || form->space == PTX_SPACE_CONST;
    search->changes |= form->op != PTX_OP_LD && form->op != PTX_OP_ATOM;
    search->changes |= !constant && !is_of_others(form);
    search->changes |= form->op == PTX_OP_ATOM && !is_idempotent(search, inst);
    search->reads |= !constant;
    search->reads_strongly |= !constant && is_strong(form);
    search->reads_hidden |=
        form->space == PTX_SPACE_SHARED && ptx_is_machine_code(search->ssa->cfg->function);
    if (address->kind != PTX_OPERAND_ADDRESS) return;
    push(search, changing(search, inst, &search->ssa->cfg->function->operands[address->index]), true);
}

/* Goes on from a value to its operands. */
static void meet(struct search *search, uint32_t value, bool computed) {
    const struct ssa_value *definition = &search->ssa->values[value];
    for (uint32_t a = 0; a < definition->argument_count; a++)
        push(search, search->ssa->arguments[definition->first_argument + a], computed);
    if (definition->kind == SSA_PHI) push_conditions(search, definition->block);
    if (definition->kind != SSA_INST) return;
    const struct ptx_inst *inst = inst_at(search, definition->inst);
    if (inst->guard != PTX_NO_INDEX)
        push(search, value_read(search->ssa, definition->inst, inst->guard), true);
    if (inst->form->exec == PTX_EXEC_MEMORY) {
        meet_read(search, definition->inst);
        return;
    }
    search->exchanges |= inst->form->exec == PTX_EXEC_WARP;
    search->changes |= inst->form->exec == PTX_EXEC_NONE || inst->form->exec == PTX_EXEC_CONTROL;
    search->changes |= reads_time(search, definition->inst);
    push_reads(search, definition->inst, computed || inst->form->op != PTX_OP_MOV);
}

static void begin_walk(struct search *search) {
    search->walk++;
    search->reads = search->reads_strongly = search->reads_hidden = false;
    search->changes = search->exchanges = false;
}

static void finish_walk(struct search *search) {
    while (search->pending_count > 0) {
        const uint32_t node = search->pending[--search->pending_count];
        meet(search, node / 2, node % 2 != 0);
    }
}

/* ---- Loops --------------------------------------------------------------------------------------------- */

/* A test of an instruction of the loop. */
typedef bool test(struct search *search, uint32_t inst);

static bool any_inst(struct search *search, test *holds) {
    const struct loop *loop = &search->loops->items[search->loop];
    for (uint32_t m = 0; m < loop->member_count; m++) {
        const struct cfg_block *block =
            &search->ssa->cfg->blocks[search->loops->members[loop->first_member + m]];
        for (uint32_t i = block->first; i < block->first + block->count; i++)
            if (holds(search, i)) return true;
    }
    return false;
}

/* Whether warps meet there, or code is executed that is not looked into. */
static bool meets_or_calls(struct search *search, uint32_t inst) {
    const enum ptx_op op = inst_at(search, inst)->form->op;
    (void)search;
    return op == PTX_OP_CALL || op == PTX_OP_BAR || op == PTX_OP_UNKNOWN;
}

/* Whether two accesses have the same address. */
static bool is_same_place(const struct search *search, uint32_t load, uint32_t store) {
    const struct ptx_operand *pool = search->ssa->cfg->function->operands;
    const struct ptx_operand *a = operand_at(search, load, 1), *b = operand_at(search, store, 0);
    if (a->kind != PTX_OPERAND_ADDRESS || b->kind != PTX_OPERAND_ADDRESS || a->value != b->value)
        return false;
    const struct ptx_operand *x = &pool[a->index], *y = &pool[b->index];
    if (x->kind != y->kind) return false;
    return x->kind == PTX_OPERAND_REG
               ? value_read(search->ssa, load, x->index) == value_read(search->ssa, store, y->index)
               : x->index == y->index && x->value == y->value;
}

/* Whether search->store stores to where a strong load reads. */
static bool reads_store(struct search *search, uint32_t inst) {
    const struct ptx_form *form = inst_at(search, inst)->form;
    return form->op == PTX_OP_LD && is_strong(form) && is_same_place(search, inst, search->store);
}

/* Whether the loop stores by itself to what decides how often it runs: a plain load may read what any of its
 * stores writes, a strong one what is stored to the same address. */
static bool writes_what_it_reads(struct search *search, uint32_t inst) {
    const struct ptx_form *form = inst_at(search, inst)->form;
    if (form->exec != PTX_EXEC_MEMORY || form->op == PTX_OP_LD || !is_of_others(form)) return false;
    if (form->op == PTX_OP_ATOM && is_idempotent(search, inst)) return false;
    search->store = inst;
    return !search->reads_strongly || (form->op == PTX_OP_ST && any_inst(search, reads_store));
}

/* Marks what the exits of the loop are computed of in it. */
static void walk_exits(struct search *search) {
    const struct loop *loop = &search->loops->items[search->loop];
    const struct cfg *cfg = search->ssa->cfg;
    begin_walk(search);
    for (uint32_t m = 0; m < loop->member_count; m++) {
        const uint32_t block = search->loops->members[loop->first_member + m];
        if (leaves(search, block))
            push_reads(search, cfg->blocks[block].first + cfg->blocks[block].count - 1, true);
    }
    finish_walk(search);
}

/* Whether a phi of the header is computed of what it was an iteration before. */
static bool advances(struct search *search, uint32_t phi) {
    const struct ssa_value *value = &search->ssa->values[phi];
    begin_walk(search);
    for (uint32_t a = 0; a < value->argument_count; a++)
        push(search, search->ssa->arguments[value->first_argument + a], false);
    finish_walk(search);
    return search->met[2 * phi + 1] == search->walk;
}

/* Whether an atom.cas compares with what the loop has read. */
static bool compares_with_read(struct search *search, uint32_t inst) {
    const struct ptx_form *form = inst_at(search, inst)->form;
    if (form->op != PTX_OP_ATOM || form->mode != PTX_MODE_CAS) return false;
    begin_walk(search);
    push(search, changing(search, inst, operand_at(search, inst, 2)), true);
    finish_walk(search);
    return search->reads;
}

static enum waiting waiting_of(struct search *search) {
    const uint32_t header = search->loops->items[search->loop].header;
    walk_exits(search);
    if (!(search->reads_strongly || search->reads_hidden) || search->changes ||
        (search->exchanges && !search->reads_strongly))
        return WAITING_NOT;
    if (any_inst(search, meets_or_calls) || any_inst(search, writes_what_it_reads)) return WAITING_NOT;
    const uint32_t first = search->ssa->first_phi[header], count = search->ssa->phi_count[header];
    for (uint32_t phi = first; phi < first + count; phi++) {
        walk_exits(search);
        const bool decides = search->met[2 * phi] == search->walk || search->met[2 * phi + 1] == search->walk;
        if (decides && advances(search, phi)) return WAITING_NOT;
    }
    return any_inst(search, compares_with_read) ? WAITING_RETRIES : WAITING_FOR;
}

enum waiting *waiting_find(const struct ssa *ssa, const struct dominators *dominators,
                           const struct loops *loops, struct arena *arena) {
    enum waiting *found = arena_array(arena, (size_t)loops->count + 1, sizeof *found);
    struct arena scratch = {0};
    struct search search = {.ssa = ssa, .dominators = dominators, .loops = loops};
    arena_bind(&scratch, arena);
    search.met = arena_array(&scratch, 2 * (size_t)ssa->value_count + 2, sizeof *search.met);
    search.pending = arena_array(&scratch, 2 * (size_t)ssa->value_count + 2, sizeof *search.pending);
    for (search.loop = 0; search.loop < loops->count; search.loop++)
        found[search.loop] = waiting_of(&search);
    arena_free(&scratch);
    return found;
}
