/* The integer linear programs of ECRTS'12, section 5, in their short and their long form, corrected:
 * - the horizon is a proven bound (see struct ilp_instance) instead of eq. (5);
 * - eqs. (33), (34), (36), (37) demand that their middle term holds, instead of only defining it, which
 * leaves it free to be false; their left-hand sides then say nothing more and are left out.
 * TL (and TC), a disjunction in the paper, is a sum here: rows stand only for instructions of the unit type
 * in question, for which at most one of its two other terms is 1. Both count the cycle t itself, as printed.
 * Generalised: all unit types in use have rows like those of L and C, a limit of issues per cycle makes
 * idling legal like a full unit, and one of several groups of warps is chosen to end last. */
#include "base/cycles.h"
#include "wings/makespan/forms/ilp_program.h"

#define NO_COLUMN UINT32_MAX

struct paper {
    const struct ilp_instance *instance;
    struct ilp_model *model;
    uint32_t horizon;
    uint32_t full[ILP_RESOURCES]; /* column for cycle 1, or NO_COLUMN where a cycle cannot use all */
};

/* The column that is 1 when warp w executes its instruction i (both from 0) in cycle t (from 1): the paper's
 * LS and CC. They stand first in the model. */
static uint32_t executes(const struct ilp_instance *instance, uint32_t w, uint32_t i, uint32_t t) {
    return (instance->warps[w].start + i) * instance->horizon + t - 1;
}

/* Adds the sum of those columns from cycle `from` to cycle `to`. */
static void add_executed(const struct paper *paper, uint32_t w, uint32_t i, uint32_t from, uint32_t to) {
    for (uint32_t t = from; t <= to; t++)
        ilp_term_add(paper->model, executes(paper->instance, w, i, t), 1);
}

/* Adds `sign` times Y, the cycle in which warp w executes its instruction i: eq. (19). */
static void add_cycle(const struct paper *paper, uint32_t w, uint32_t i, int32_t sign) {
    for (uint32_t t = 1; t <= paper->horizon; t++)
        ilp_term_add(paper->model, executes(paper->instance, w, i, t), sign * (int32_t)t);
}

/* Adds the columns of one warp's instructions that use a resource in cycle t. */
static void add_uses(const struct paper *paper, uint32_t w, uint32_t resource, uint32_t t) {
    const struct ilp_warp *warp = &paper->instance->warps[w];
    for (uint32_t i = 0; i < warp->length; i++)
        if (ilp_uses(warp->unit[i], resource))
            ilp_term_add(paper->model, executes(paper->instance, w, i, t), 1);
}

static void add_all_uses(const struct paper *paper, uint32_t resource, uint32_t t) {
    for (uint32_t w = 0; w < paper->instance->problem->warp_count; w++)
        add_uses(paper, w, resource, t);
}

/* The columns of all instructions and cycles. Those of the only last warp's last instruction are the
 * objective, eq. (13). */
static void write_columns(struct paper *paper) {
    static const char *const stems[UNIT_TYPES] = {"LS", "CC", "SF", "DP"};
    const struct makespan_problem *problem = paper->instance->problem;
    for (uint32_t w = 0; w < problem->warp_count; w++) {
        const struct ilp_warp *warp = &paper->instance->warps[w];
        for (uint32_t i = 0; i < warp->length; i++) {
            bool ends = problem->group_count == 1 && warp->last && i + 1 == warp->length;
            for (uint32_t t = 1; t <= paper->horizon; t++)
                ilp_column_add(paper->model, (struct ilp_name){stems[warp->unit[i]], {w + 1, i + 1, t}}, 1,
                               ends ? (int32_t)t : 0);
        }
    }
    for (uint32_t r = 0; r < ILP_RESOURCES; r++) {
        paper->full[r] = NO_COLUMN;
        if (!ilp_can_fill(paper->instance, r)) continue;
        paper->full[r] = (uint32_t)paper->model->columns.count;
        for (uint32_t t = 1; t <= paper->horizon; t++)
            ilp_column_add(paper->model, ilp_full_name(r, t), 1, 0);
    }
}

/* Warp w of a group ends no later than the group's last warp. */
static void write_ends_before(const struct paper *paper, uint32_t w, uint32_t last) {
    uint32_t end = paper->instance->warps[w].length - 1;
    ilp_row_begin(paper->model, (struct ilp_name){"order", {w + 1}});
    add_cycle(paper, w, end, 1);
    add_cycle(paper, last, end, -1);
    ilp_row_end(paper->model, ILP_AT_MOST, 0);
}

/* The last warp of each group ends last in its group. */
static void write_last_warps(const struct paper *paper) {
    const struct makespan_problem *problem = paper->instance->problem;
    for (uint32_t g = 0, w = 0; g < problem->group_count; g++, w++)
        for (uint32_t last = w + problem->groups[g].warps - 1; w < last; w++)
            write_ends_before(paper, w, last);
}

/* Of several groups one is chosen; the makespan, and objective, is no more than its end. */
static void write_choice(const struct paper *paper) {
    const struct makespan_problem *problem = paper->instance->problem;
    struct ilp_model *model = paper->model;
    int32_t horizon = (int32_t)paper->horizon;
    uint32_t makespan = ilp_column_add(model, (struct ilp_name){"makespan", {0}}, paper->horizon, 1);
    uint32_t chosen = makespan + 1;
    for (uint32_t g = 0; g < problem->group_count; g++)
        ilp_column_add(model, (struct ilp_name){"ends_last", {g + 1}}, 1, 0);
    for (uint32_t g = 0, w = 0; g < problem->group_count; g++, w++) {
        w += problem->groups[g].warps - 1;
        ilp_row_begin(model, (struct ilp_name){"end", {g + 1}});
        ilp_term_add(model, makespan, 1);
        add_cycle(paper, w, problem->groups[g].length - 1, -1);
        ilp_term_add(model, chosen + g, horizon);
        ilp_row_end(model, ILP_AT_MOST, horizon);
    }
    ilp_row_begin(model, (struct ilp_name){"one_end", {0}});
    for (uint32_t g = 0; g < problem->group_count; g++)
        ilp_term_add(model, chosen + g, 1);
    ilp_row_end(model, ILP_EQUAL, 1);
}

/* Capacities, eqs. (14) and (15), and what "all of it is used" means, eqs. (40) and (41). */
static void write_resources(const struct paper *paper) {
    struct ilp_model *model = paper->model;
    for (uint32_t r = 0; r < ILP_RESOURCES; r++) {
        if (paper->full[r] == NO_COLUMN) continue;
        int64_t capacity = ilp_capacity(paper->instance->problem, r);
        for (uint32_t t = 1; t <= paper->horizon; t++) {
            ilp_row_begin(model, (struct ilp_name){"capacity", {r + 1, t}});
            add_all_uses(paper, r, t);
            ilp_row_end(model, ILP_AT_MOST, capacity);
            ilp_row_begin(model, (struct ilp_name){"full_if", {r + 1, t}});
            add_all_uses(paper, r, t);
            ilp_term_add(model, paper->full[r] + t - 1, -1);
            ilp_row_end(model, ILP_AT_MOST, capacity - 1);
            ilp_row_begin(model, (struct ilp_name){"full_only_if", {r + 1, t}});
            add_all_uses(paper, r, t);
            ilp_term_add(model, paper->full[r] + t - 1, (int32_t)-capacity);
            ilp_row_end(model, ILP_AT_LEAST, 0);
        }
    }
}

/* Every instruction executes once, eq. (17), behind the one before it, eq. (18); a warp uses a unit type at
 * most once a cycle, eq. (16). */
static void write_order(const struct paper *paper, uint32_t w) {
    const struct ilp_warp *warp = &paper->instance->warps[w];
    struct ilp_model *model = paper->model;
    for (uint32_t i = 0; i < warp->length; i++) {
        ilp_row_begin(model, (struct ilp_name){"once", {w + 1, i + 1}});
        add_executed(paper, w, i, 1, paper->horizon);
        ilp_row_end(model, ILP_EQUAL, 1);
        if (i == 0) continue;
        ilp_row_begin(model, (struct ilp_name){"before", {w + 1, i + 1}});
        add_cycle(paper, w, i - 1, 1);
        add_cycle(paper, w, i, -1);
        ilp_row_end(model, ILP_AT_MOST, -1);
    }
    for (uint32_t r = 0; r < UNIT_TYPES; r++)
        for (uint32_t t = 1; t <= paper->horizon; t++) {
            ilp_row_begin(model, (struct ilp_name){"one_use", {r + 1, w + 1, t}});
            add_uses(paper, w, r, t);
            ilp_row_end(model, ILP_AT_MOST, 1);
        }
}

/* Adds E (G, ...) and its like for issues, `times` each: the reasons for which a warp may wait. */
static void add_reasons(const struct paper *paper, uint32_t unit, uint32_t t, int32_t times) {
    if (paper->full[unit] != NO_COLUMN) ilp_term_add(paper->model, paper->full[unit] + t - 1, times);
    if (paper->full[ILP_ISSUE] != NO_COLUMN)
        ilp_term_add(paper->model, paper->full[ILP_ISSUE] + t - 1, times);
}

/* Work conservation in short rows, eqs. (34) and (37): in every cycle t, instruction i of warp w does not
 * wait (TL or TC), since the one before has not executed earlier or i has, or there is a reason. */
static void write_short(const struct paper *paper, uint32_t w) {
    const struct ilp_warp *warp = &paper->instance->warps[w];
    for (uint32_t i = 0; i < warp->length; i++)
        for (uint32_t t = 1; t <= paper->horizon; t++) {
            ilp_row_begin(paper->model, (struct ilp_name){"conserve", {w + 1, i + 1, t}});
            if (i > 0) add_executed(paper, w, i - 1, t, paper->horizon);
            add_executed(paper, w, i, 1, t);
            add_reasons(paper, warp->unit[i], t, 1);
            ilp_row_end(paper->model, ILP_AT_LEAST, 1);
        }
}

/* Adds TL (TC) of all instructions of a unit type: an instruction of cycle t itself can stand in its own and
 * in that of the next instruction. Returns the number of instructions. */
static int32_t add_not_waiting(const struct paper *paper, uint32_t w, uint32_t unit, uint32_t t) {
    const struct ilp_warp *warp = &paper->instance->warps[w];
    int32_t count = 0;
    for (uint32_t i = 0; i < warp->length; i++) {
        bool own = warp->unit[i] == unit;
        bool next = i + 1 < warp->length && warp->unit[i + 1] == unit;
        for (uint32_t at = 1; at <= paper->horizon; at++) {
            int32_t factor = (own && at <= t ? 1 : 0) + (next && at >= t ? 1 : 0);
            if (factor > 0) ilp_term_add(paper->model, executes(paper->instance, w, i, at), factor);
        }
        if (own) count++;
    }
    return count;
}

/* Work conservation in long rows, eqs. (33) and (36): for every unit type and cycle the sum of the short rows
 * of that type. */
static void write_long(const struct paper *paper, uint32_t w) {
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        for (uint32_t t = 1; t <= paper->horizon; t++) {
            ilp_row_begin(paper->model, (struct ilp_name){"conserve", {unit + 1, w + 1, t}});
            int32_t count = add_not_waiting(paper, w, unit, t);
            if (count > 0) add_reasons(paper, unit, t, count);
            ilp_row_end(paper->model, ILP_AT_LEAST, count);
        }
}

/* Per instruction: a column and some 5 rows a cycle, and terms of the cycles before and behind it in the rows
 * of work conservation. */
static wb_status check_size(const struct ilp_instance *instance, uint64_t memory) {
    uint64_t cells = instance->problem->instruction_count * instance->horizon;
    cycles terms = cycles_mul(cells, cycles_add(instance->horizon, 16));
    return ilp_model_fits(cells, 5 * cells, terms, memory);
}

static wb_status build(const struct ilp_instance *instance, uint64_t memory,
                       void (*write_conservation)(const struct paper *paper, uint32_t w),
                       struct ilp_model *model) {
    WB_TRY(check_size(instance, memory));
    struct paper paper = {.instance = instance, .model = model, .horizon = instance->horizon};
    write_columns(&paper);
    write_last_warps(&paper);
    if (instance->problem->group_count > 1) write_choice(&paper);
    write_resources(&paper);
    for (uint32_t w = 0; w < instance->problem->warp_count; w++)
        write_order(&paper, w);
    for (uint32_t w = 0; w < instance->problem->warp_count; w++)
        write_conservation(&paper, w);
    return WB_OK;
}

static wb_status build_short(const struct ilp_instance *instance, uint64_t memory, struct ilp_model *model) {
    return build(instance, memory, write_short, model);
}

static wb_status build_long(const struct ilp_instance *instance, uint64_t memory, struct ilp_model *model) {
    return build(instance, memory, write_long, model);
}

static void decode(const struct ilp_instance *instance, const bool *one, struct schedule *schedule) {
    for (uint32_t w = 0; w < instance->problem->warp_count; w++)
        for (uint32_t i = 0; i < instance->warps[w].length; i++)
            for (uint32_t t = 1; t <= instance->horizon; t++)
                if (one[executes(instance, w, i, t)]) schedule->cycle[instance->warps[w].start + i] = t;
}

const struct ilp_form ilp_form_short = {.name = "ilp-short", .build = build_short, .decode = decode};
const struct ilp_form ilp_form_long = {.name = "ilp-long", .build = build_long, .decode = decode};
