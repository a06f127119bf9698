#include "flow/bounds/bounds.h"

#include "ptx/ptx.h"

/* Most steps from a predicate back to its operands, and from an edge up the dominator tree. */
#define PREDICATE_DEPTH_MAX 8u
#define EDGE_DEPTH_MAX 16u

static void collect(const struct value_state *state, uint32_t predicate, bool holds, uint32_t depth,
                    struct conditions *list);
static void collect_edge(const struct value_state *state, uint32_t from, uint32_t to, uint32_t depth,
                         struct conditions *list);

static void push(struct conditions *list, struct condition condition) {
    if (list->count < CONDITIONS_MAX) list->items[list->count++] = condition;
}

static const struct ptx_operand *operands_of(const struct value_state *state, uint32_t inst) {
    const struct ptx_function *function = state->ssa->cfg->function;
    return ptx_operands(function, &function->insts[inst]);
}

/* Collects from a predicate that an instruction reads. */
static void collect_operand(const struct value_state *state, uint32_t inst, const struct ptx_operand *operand,
                            bool holds, uint32_t depth, struct conditions *list) {
    if (operand->kind != PTX_OPERAND_REG) return;
    uint32_t value = value_read(state->ssa, inst, operand->index);
    if (value != SSA_NONE) collect(state, value, holds != operand->negated, depth, list);
}

uint32_t setp_joined_operand(const struct ptx_form *form) {
    return form->op == PTX_OP_MACHINE_SETP ? 5 : 4;
}

/* The relation of the integer comparison that a setp makes, and whether it is signed; false when it compares
 * no integers. */
static bool form_relation(const struct ptx_form *form, uint8_t type, enum relation *relation,
                          bool *is_signed) {
    enum ptx_type_kind kind = ptx_type_kind((enum ptx_type)type);
    *is_signed = kind == PTX_KIND_SIGNED;
    if (!*is_signed && kind != PTX_KIND_UNSIGNED && kind != PTX_KIND_BITS) return false;
    switch (form->compare) {
    case PTX_CMP_EQ: *relation = RELATION_EQ; return true;
    case PTX_CMP_NE: *relation = RELATION_NE; return true;
    case PTX_CMP_LT: *relation = RELATION_LT; return true;
    case PTX_CMP_LE: *relation = RELATION_LE; return true;
    case PTX_CMP_GT: *relation = RELATION_GT; return true;
    case PTX_CMP_GE: *relation = RELATION_GE; return true;
    default: break;
    }
    static const enum relation unsigned_relations[] = {RELATION_LT, RELATION_LE, RELATION_GT, RELATION_GE};
    if (form->compare < PTX_CMP_LO || form->compare > PTX_CMP_HS) return false;
    *relation = unsigned_relations[form->compare - PTX_CMP_LO];
    *is_signed = false;
    return true;
}

bool comparison_of(const struct value_state *state, const struct condition *condition,
                   struct comparison *comparison) {
    if (!condition->is_comparison) return false;
    const struct ptx_form *form = state->ssa->cfg->function->insts[condition->index].form;
    if (!form_relation(form, form->type, &comparison->relation, &comparison->is_signed)) return false;
    uint32_t bits = 8 * ptx_type_bytes((enum ptx_type)form->type);
    if (bits != 16 && bits != 32 && bits != 64) return false;
    if (!condition->holds) comparison->relation = relation_negated(comparison->relation);
    if (form->op == PTX_OP_MACHINE_SETP) {
        struct halves a, b;
        if (!halves_compared(state, condition->index, &a, &b)) return false;
        comparison->a = halves_reading(state, &a);
        comparison->b = halves_reading(state, &b);
        return true;
    }
    const struct ptx_operand *operands = operands_of(state, condition->index);
    comparison->a = state_operand(state, condition->index, &operands[2], bits);
    comparison->b = state_operand(state, condition->index, &operands[3], bits);
    return true;
}

/* Whether words a and b, single ones, stand in the relation. */
static bool stands(enum relation relation, bool is_signed, const struct value_range *a,
                   const struct value_range *b) {
    struct value_range related = range_related(relation, is_signed, b);
    return range_contains(&related, a->low);
}

/* A word chosen by a predicate, `selp r, 1, 0, %p`, and compared with a number: tells the predicate when the
 * comparison holds for one of the choices only. */
static void collect_selected(const struct value_state *state, const struct condition *condition,
                             uint32_t depth, struct conditions *list) {
    struct comparison comparison;
    if (!comparison_of(state, condition, &comparison) || comparison.a.value == SSA_NONE) return;
    const struct ptx_inst *inst = value_definition(state->ssa, comparison.a.value);
    if (inst == NULL || inst->form->op != PTX_OP_SELP || !range_is_single(&comparison.b.range)) return;
    uint32_t index = state->ssa->values[comparison.a.value].inst;
    const struct ptx_operand *operands = operands_of(state, index);
    uint32_t bits = comparison.b.range.bits;
    struct operand_reading first = state_operand(state, index, &operands[1], bits);
    struct operand_reading second = state_operand(state, index, &operands[2], bits);
    if (!range_is_single(&first.range) || !range_is_single(&second.range)) return;
    bool if_first = stands(comparison.relation, comparison.is_signed, &first.range, &comparison.b.range);
    bool if_second = stands(comparison.relation, comparison.is_signed, &second.range, &comparison.b.range);
    if (if_first != if_second) collect_operand(state, index, &operands[3], if_first, depth, list);
}

/* Whether what a comparison is joined with leaves it as it is. */
static bool is_joined_with_nothing(const struct value_state *state, uint32_t inst) {
    const struct ptx_form *form = state->ssa->cfg->function->insts[inst].form;
    const struct ptx_operand *joined = &operands_of(state, inst)[setp_joined_operand(form)];
    const struct value_range range = state_operand_range(state, inst, joined, 1);
    return range_is_single(&range) && range.low == (form->mode == PTX_MODE_AND);
}

/* setp gives p = comparison BOOL c and q = !comparison BOOL c. */
static void collect_setp(const struct value_state *state, uint32_t inst, uint32_t reg, bool holds,
                         uint32_t depth, struct conditions *list) {
    const struct ptx_form *form = state->ssa->cfg->function->insts[inst].form;
    const struct ptx_operand *operands = operands_of(state, inst);
    bool is_first = operands[0].kind == PTX_OPERAND_REG && operands[0].index == reg;
    if (form->mode != PTX_MODE_NONE && !is_joined_with_nothing(state, inst)) {
        if (form->mode != (holds ? PTX_MODE_AND : PTX_MODE_OR)) return;
        collect_operand(state, inst, &operands[setp_joined_operand(form)], holds, depth, list);
    }
    struct condition condition = {.is_comparison = true, .holds = holds == is_first, .index = inst};
    push(list, condition);
    collect_selected(state, &condition, depth, list);
}

/* Logic on predicates: what each operand must be, when the other leaves no choice. */
static void collect_logic(const struct value_state *state, uint32_t inst, bool holds, uint32_t depth,
                          struct conditions *list) {
    uint8_t op = state->ssa->cfg->function->insts[inst].form->op;
    const struct ptx_operand *operands = operands_of(state, inst);
    for (uint32_t i = 1; i <= 2; i++) {
        struct operand_reading other = state_operand(state, inst, &operands[3 - i], 1);
        bool known = range_is_single(&other.range);
        bool implied = op == PTX_OP_XOR   ? known
                       : op == PTX_OP_AND ? holds || (known && other.range.low == 1)
                                          : !holds || (known && other.range.low == 0);
        bool flipped = op == PTX_OP_XOR && known && other.range.low == 1;
        if (implied) collect_operand(state, inst, &operands[i], holds != flipped, depth, list);
    }
}

/* The edges between blocks that dominate one another, from `from` up to `above`. */
static void collect_edges_up(const struct value_state *state, uint32_t from, uint32_t above, uint32_t depth,
                             struct conditions *list) {
    const struct adjacency *in = &state->ssa->cfg->graph.in;
    for (uint32_t steps = 0; from != above && from != GRAPH_NONE && steps < EDGE_DEPTH_MAX; steps++) {
        if (in->first[from + 1] - in->first[from] == 1)
            collect_edge(state, in->nodes[in->first[from]], from, depth, list);
        from = state->dominators->parent[from];
    }
}

/* A phi that can have the value by one edge only: control came over it. Phis of loop headers tell nothing:
 * what held when the edge was taken may be about an earlier iteration. */
static void collect_phi(const struct value_state *state, uint32_t value, bool holds, uint32_t depth,
                        struct conditions *list) {
    const struct ssa_value *phi = &state->ssa->values[value];
    const struct adjacency *in = &state->ssa->cfg->graph.in;
    uint32_t first = in->first[phi->block], edges = in->first[phi->block + 1] - first;
    uint32_t only = GRAPH_NONE, possible = 0;
    if (phi->argument_count != edges) return;
    for (uint32_t e = 0; e < edges; e++) {
        uint32_t argument = state->ssa->arguments[phi->first_argument + e];
        if (dominates(state->dominators, phi->block, in->nodes[first + e])) return;
        if (argument == SSA_NONE || !range_contains(&state->ranges[argument], holds)) continue;
        only = e;
        possible++;
    }
    if (possible != 1) return;
    collect(state, state->ssa->arguments[phi->first_argument + only], holds, depth, list);
    collect_edge(state, in->nodes[first + only], phi->block, depth, list);
    collect_edges_up(state, in->nodes[first + only], state->dominators->parent[phi->block], depth, list);
}

static void collect(const struct value_state *state, uint32_t predicate, bool holds, uint32_t depth,
                    struct conditions *list) {
    if (depth >= PREDICATE_DEPTH_MAX || list->count == CONDITIONS_MAX) return;
    if (value_bits(state->ssa, predicate) != 1) return;
    push(list, (struct condition){.holds = holds, .index = predicate});
    const struct ssa_value *value = &state->ssa->values[predicate];
    if (value->kind == SSA_PHI) collect_phi(state, predicate, holds, depth + 1, list);
    const struct ptx_inst *inst = value_definition(state->ssa, predicate);
    if (inst == NULL) return;
    const struct ptx_operand *operands = operands_of(state, value->inst);
    switch (inst->form->op) {
    case PTX_OP_SETP:
    case PTX_OP_MACHINE_SETP: collect_setp(state, value->inst, value->reg, holds, depth + 1, list); break;
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR: collect_logic(state, value->inst, holds, depth + 1, list); break;
    case PTX_OP_NOT: collect_operand(state, value->inst, &operands[1], !holds, depth + 1, list); break;
    case PTX_OP_MOV: collect_operand(state, value->inst, &operands[1], holds, depth + 1, list); break;
    default: break;
    }
}

void conditions_of_predicate(const struct value_state *state, uint32_t predicate, bool holds,
                             struct conditions *list) {
    collect(state, predicate, holds, 0, list);
}

static void collect_edge(const struct value_state *state, uint32_t from, uint32_t to, uint32_t depth,
                         struct conditions *list) {
    const struct cfg *cfg = state->ssa->cfg;
    const struct adjacency *out = &cfg->graph.out;
    const struct ptx_inst *last = cfg_last(cfg, from);
    uint8_t op = last->form->op;
    bool decides = cfg_is_branch(last) || op == PTX_OP_RET || op == PTX_OP_EXIT || ptx_ends_grid(last->form);
    if (!decides || last->guard == PTX_NO_INDEX) return;
    uint32_t edge = GRAPH_NONE, edges = 0;
    for (uint32_t e = out->first[from]; e < out->first[from + 1]; e++) {
        if (out->nodes[e] != to) continue;
        edge = e;
        edges++;
    }
    if (edges != 1) return;
    uint32_t inst = cfg->blocks[from].first + cfg->blocks[from].count - 1;
    uint32_t guard = value_read(state->ssa, inst, last->guard);
    bool passes = cfg->edge_kinds[edge] != CFG_FALL_THROUGH;
    if (guard != SSA_NONE) collect(state, guard, passes != last->guard_negated, depth, list);
}

void conditions_of_edge(const struct value_state *state, uint32_t from, uint32_t to,
                        struct conditions *list) {
    collect_edge(state, from, to, 0, list);
}

/* Refines each side of a comparison that holds by what the other can be. */
static void comparison_apply(struct value_state *state, const struct comparison *comparison) {
    struct value_range a = range_related(comparison->relation, comparison->is_signed, &comparison->b.range);
    struct value_range b =
        range_related(relation_swapped(comparison->relation), comparison->is_signed, &comparison->a.range);
    struct value_range left = range_meet(&a, &comparison->a.range);
    state->dead |= left.empty;
    if (comparison->a.value != SSA_NONE) state_refine(state, comparison->a.value, &a);
    if (comparison->b.value != SSA_NONE) state_refine(state, comparison->b.value, &b);
}

void conditions_apply(struct value_state *state, const struct conditions *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        const struct condition *condition = &list->items[i];
        struct comparison comparison;
        if (!condition->is_comparison) {
            struct value_range truth = range_single(1, condition->holds);
            state_refine(state, condition->index, &truth);
        } else if (comparison_of(state, condition, &comparison)) {
            comparison_apply(state, &comparison);
        }
    }
}

/* Most choices that are looked at one inside the other: each doubles the forms. */
#define CHOICES_MAX 3u

/* The chosen value, and the conditions that hold then. */
struct side {
    struct operand_reading word;
    struct comparison comparisons[CONDITIONS_MAX];
    uint32_t count;
};

struct choice {
    struct side sides[2];
};

/* min and max: the word that is chosen is no more, or no less, than the other. */
static void read_extremum(struct choice *choice, bool is_min, bool is_signed) {
    for (uint32_t i = 0; i < 2; i++) {
        struct side *side = &choice->sides[i];
        const struct operand_reading *other = &choice->sides[1 - i].word;
        side->comparisons[0] =
            (struct comparison){is_min ? RELATION_LE : RELATION_GE, is_signed, side->word, *other};
        side->count = 1;
    }
}

/* selp: what the predicate's value says. */
static void read_predicate(const struct value_state *state, uint32_t inst,
                           const struct ptx_operand *predicate, struct choice *choice) {
    const uint32_t value =
        predicate->kind == PTX_OPERAND_REG ? value_read(state->ssa, inst, predicate->index) : SSA_NONE;
    for (uint32_t i = 0; i < 2 && value != SSA_NONE; i++) {
        struct side *side = &choice->sides[i];
        struct conditions list = {0};
        conditions_of_predicate(state, value, (i == 0) != predicate->negated, &list);
        for (uint32_t c = 0; c < list.count; c++)
            side->count += comparison_of(state, &list.items[c], &side->comparisons[side->count]);
    }
}

/* Whether a symbol is a word of that width which an instruction chooses. */
static bool choice_of(const struct value_state *state, uint32_t symbol, uint32_t bits,
                      struct choice *choice) {
    const struct ptx_inst *inst =
        symbol < state->ssa->value_count ? value_definition(state->ssa, symbol) : NULL;
    if (inst == NULL || value_bits(state->ssa, symbol) != bits) return false;
    const struct ptx_form *form = inst->form;
    const struct ptx_operand *operands = ptx_operands(state->ssa->cfg->function, inst);
    const uint32_t index = state->ssa->values[symbol].inst;
    const enum ptx_type_kind kind = ptx_type_kind((enum ptx_type)form->type);
    bool is_extremum = form->op == PTX_OP_MIN || form->op == PTX_OP_MAX;
    if (!is_extremum && form->op != PTX_OP_SELP) return false;
    if (8 * ptx_type_bytes((enum ptx_type)form->type) != bits || kind == PTX_KIND_FLOAT) return false;
    const bool of_three = form->roles[3] != '\0' && operands[3].kind != PTX_OPERAND_NONE;
    const bool of_pairs = form->type == PTX_U16X2 || form->type == PTX_S16X2;
    if (is_extremum && (kind == PTX_KIND_BITS || form->relu || of_pairs || of_three)) return false;
    for (uint32_t i = 0; i < 2; i++) {
        choice->sides[i].word = state_operand(state, index, &operands[1 + i], bits);
        choice->sides[i].count = 0;
        if (!choice->sides[i].word.has_form) return false;
    }
    if (is_extremum)
        read_extremum(choice, form->op == PTX_OP_MIN, kind == PTX_KIND_SIGNED);
    else
        read_predicate(state, index, &operands[3], choice);
    return true;
}

/* What the range of one operand of a comparison says of a form that is the operand, or its negative, but for
 * a constant. */
static struct value_range relative_range(const struct linear *form, const struct operand_reading *operand,
                                         const struct value_range *allowed) {
    struct value_range range = range_meet(&operand->range, allowed);
    struct linear rest;
    for (int sign = 0; operand->has_form && operand->form.bits == form->bits && sign < 2; sign++) {
        if (!linear_add(form, &operand->form, sign == 0 ? UINT64_MAX : 1, &rest) || rest.term_count != 0)
            continue;
        struct value_range constant = range_single(form->bits, rest.constant);
        if (sign != 0) range = range_neg(&range);
        return range_add(&range, &constant);
    }
    return range_full(form->bits);
}

/* Narrows the range of a form by comparisons that hold. */
static void narrow(const struct side *side, const struct linear *form, struct value_range *range) {
    for (uint32_t c = 0; c < side->count; c++) {
        const struct comparison *comparison = &side->comparisons[c];
        struct value_range a =
            range_related(comparison->relation, comparison->is_signed, &comparison->b.range);
        struct value_range b = range_related(relation_swapped(comparison->relation), comparison->is_signed,
                                             &comparison->a.range);
        a = relative_range(form, &comparison->a, &a);
        b = relative_range(form, &comparison->b, &b);
        *range = range_meet(range, &a);
        *range = range_meet(range, &b);
    }
}

static struct value_range linear_range(struct value_state *state, const struct linear *form, uint32_t depth);

/* The range of the form when one side of the choice is taken. */
static struct value_range side_range(struct value_state *state, const struct linear *form, uint32_t symbol,
                                     const struct side *side, uint32_t depth) {
    struct linear rest = linear_without(form, symbol), chosen;
    struct value_range range = range_full(form->bits);
    const struct state_mark mark = state_mark(state);
    for (uint32_t c = 0; c < side->count; c++)
        comparison_apply(state, &side->comparisons[c]);
    if (state->dead) {
        range = range_empty(form->bits);
    } else if (linear_add(&rest, &side->word.form, linear_factor(form, symbol), &chosen)) {
        range = linear_range(state, &chosen, depth - 1);
        narrow(side, &chosen, &range);
    }
    state_undo(state, mark);
    return range;
}

static struct value_range linear_range(struct value_state *state, const struct linear *form, uint32_t depth) {
    struct value_range range = state_linear(state, form);
    struct choice choice;
    for (uint32_t i = 0; depth > 0 && !state->dead && i < form->term_count; i++) {
        if (!choice_of(state, form->symbols[i], form->bits, &choice)) continue;
        struct value_range first = side_range(state, form, form->symbols[i], &choice.sides[0], depth);
        struct value_range second = side_range(state, form, form->symbols[i], &choice.sides[1], depth);
        first = range_join(&first, &second);
        return range_meet(&range, &first);
    }
    return range;
}

struct value_range choices_linear(struct value_state *state, const struct linear *form) {
    return linear_range(state, form, CHOICES_MAX);
}
