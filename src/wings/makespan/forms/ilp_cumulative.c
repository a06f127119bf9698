/* The program of ilp_paper.c in other variables, which solvers find easier: instead of "warp w executes
 * instruction i in cycle t", "warp w has executed instruction i by the end of cycle t". Work conservation is
 * then a clause of three. Cycles in which an instruction cannot execute, or has no time left to wait, have no
 * variables; warps of equal strings are in order at every instruction, since two that meet can change places.
 */
#include "base/cycles.h"
#include "wings/makespan/forms/ilp_program.h"

struct cumulative {
    const struct ilp_instance *instance;
    struct ilp_model *model;
    uint32_t *first;              /* per warp: its first column */
    uint32_t full[ILP_RESOURCES]; /* column for cycle 1, where a cycle can use all */
    bool can_fill[ILP_RESOURCES];
    uint32_t busy;    /* column for cycle 1: some warp has not ended before the cycle */
    int64_t constant; /* what the known ones contribute to the row that is being written */
};

/* Cycles in which a warp's instruction may or may not have executed: as many for each of its instructions. */
static uint32_t slack(const struct ilp_instance *instance, uint32_t w) {
    return instance->horizon - instance->warps[w].length;
}

/* Adds `factor` if warp w has executed its first i instructions by the end of cycle t. */
static void add_done(struct cumulative *c, uint32_t w, uint32_t i, uint32_t t, int32_t factor) {
    uint32_t open = slack(c->instance, w);
    if (i == 0 || t >= i + open)
        c->constant += factor;
    else if (t >= i)
        ilp_term_add(c->model, c->first[w] + (i - 1) * open + (t - i), factor);
}

static void begin_row(struct cumulative *c, struct ilp_name name) {
    c->constant = 0;
    ilp_row_begin(c->model, name);
}

static void end_row(const struct cumulative *c, enum ilp_sense sense, int64_t bound) {
    ilp_row_end(c->model, sense, bound - c->constant);
}

/* Adds the uses of a resource in cycle t. */
static void add_uses(struct cumulative *c, uint32_t resource, uint32_t t) {
    for (uint32_t w = 0; w < c->instance->problem->warp_count; w++) {
        const struct ilp_warp *warp = &c->instance->warps[w];
        for (uint32_t i = 1; i <= warp->length; i++) {
            if (!ilp_uses(warp->unit[i - 1], resource)) continue;
            add_done(c, w, i, t, 1);
            add_done(c, w, i, t - 1, -1);
        }
    }
}

/* The objective is the number of cycles before which some warp has not ended. */
static void write_columns(struct cumulative *c) {
    const struct ilp_instance *instance = c->instance;
    for (uint32_t w = 0; w < instance->problem->warp_count; w++) {
        uint32_t open = slack(instance, w);
        c->first[w] = (uint32_t)c->model->columns.count;
        for (uint32_t i = 1; i <= instance->warps[w].length; i++)
            for (uint32_t t = i; t < i + open; t++)
                ilp_column_add(c->model, (struct ilp_name){"done", {w + 1, i, t}}, 1, 0);
    }
    c->busy = (uint32_t)c->model->columns.count;
    for (uint32_t t = 1; t <= instance->horizon; t++)
        ilp_column_add(c->model, (struct ilp_name){"busy", {t}}, 1, 1);
    for (uint32_t r = 0; r < ILP_RESOURCES; r++) {
        c->full[r] = (uint32_t)c->model->columns.count;
        c->can_fill[r] = ilp_can_fill(instance, r);
        for (uint32_t t = 1; c->can_fill[r] && t <= instance->horizon; t++)
            ilp_column_add(c->model, ilp_full_name(r, t), 1, 0);
    }
}

/* A cycle is busy at most if the last warp of some group has not ended before it. With one group exactly
 * then: the solver can put one variable for the other. */
static void write_busy(struct cumulative *c, uint32_t t) {
    const struct makespan_problem *problem = c->instance->problem;
    begin_row(c, (struct ilp_name){"busy_if", {t}});
    ilp_term_add(c->model, c->busy + t - 1, 1);
    for (uint32_t w = 0; w < problem->warp_count; w++)
        if (c->instance->warps[w].last) add_done(c, w, c->instance->warps[w].length, t - 1, 1);
    end_row(c, problem->group_count == 1 ? ILP_EQUAL : ILP_AT_MOST, problem->group_count);
}

/* Capacities, and that full means full. */
static void write_resources(struct cumulative *c, uint32_t t) {
    for (uint32_t r = 0; r < ILP_RESOURCES; r++) {
        if (!c->can_fill[r]) continue;
        int64_t capacity = ilp_capacity(c->instance->problem, r);
        begin_row(c, (struct ilp_name){"capacity", {r + 1, t}});
        add_uses(c, r, t);
        end_row(c, ILP_AT_MOST, capacity);
        begin_row(c, (struct ilp_name){"full_only_if", {r + 1, t}});
        add_uses(c, r, t);
        ilp_term_add(c->model, c->full[r] + t - 1, (int32_t)-capacity);
        end_row(c, ILP_AT_LEAST, 0);
    }
}

/* What is done stays done; the instruction before was done the cycle before; what could be done is done
 * unless the unit or the issue is full; warps of a group in order. */
static void write_instruction(struct cumulative *c, uint32_t w, uint32_t i, uint32_t t) {
    const struct ilp_warp *warp = &c->instance->warps[w];
    uint32_t unit = warp->unit[i - 1];
    begin_row(c, (struct ilp_name){"stays", {w + 1, i, t}});
    add_done(c, w, i, t, 1);
    add_done(c, w, i, t - 1, -1);
    end_row(c, ILP_AT_LEAST, 0);
    begin_row(c, (struct ilp_name){"before", {w + 1, i, t}});
    add_done(c, w, i - 1, t - 1, 1);
    add_done(c, w, i, t, -1);
    end_row(c, ILP_AT_LEAST, 0);
    begin_row(c, (struct ilp_name){"conserve", {w + 1, i, t}});
    add_done(c, w, i, t, 1);
    add_done(c, w, i - 1, t - 1, -1);
    if (c->can_fill[unit]) ilp_term_add(c->model, c->full[unit] + t - 1, 1);
    if (c->can_fill[ILP_ISSUE]) ilp_term_add(c->model, c->full[ILP_ISSUE] + t - 1, 1);
    end_row(c, ILP_AT_LEAST, 0);
    if (warp->last) return;
    begin_row(c, (struct ilp_name){"order", {w + 1, i, t}});
    add_done(c, w, i, t, 1);
    add_done(c, w + 1, i, t, -1);
    end_row(c, ILP_AT_LEAST, 0);
}

static void write_rows(struct cumulative *c) {
    for (uint32_t t = 1; t <= c->instance->horizon; t++) {
        write_busy(c, t);
        write_resources(c, t);
        for (uint32_t w = 0; w < c->instance->problem->warp_count; w++)
            for (uint32_t i = 1; i <= c->instance->warps[w].length; i++)
                write_instruction(c, w, i, t);
    }
}

/* Per instruction and cycle: a column, 4 rows and 17 terms at most. */
static wb_status build(const struct ilp_instance *instance, uint64_t memory, struct ilp_model *model) {
    uint64_t cells = (instance->problem->instruction_count + ILP_RESOURCES + 1) * instance->horizon;
    WB_TRY(ilp_model_fits(cells, 4 * cells, 17 * cells, memory));
    struct cumulative c = {.instance = instance, .model = model};
    c.first = arena_array(model->arena, instance->problem->warp_count, sizeof *c.first);
    write_columns(&c);
    write_rows(&c);
    return WB_OK;
}

/* The columns of an instruction stand side by side from the first cycle in which it can execute: it executes
 * as many cycles later as there are zeros. */
static void decode(const struct ilp_instance *instance, const bool *one, struct schedule *schedule) {
    uint32_t column = 0;
    for (uint32_t w = 0; w < instance->problem->warp_count; w++) {
        const struct ilp_warp *warp = &instance->warps[w];
        uint32_t open = slack(instance, w);
        for (uint32_t i = 0; i < warp->length; i++) {
            schedule->cycle[warp->start + i] = i + 1;
            for (uint32_t k = 0; k < open; k++)
                schedule->cycle[warp->start + i] += one[column++] ? 0 : 1;
        }
    }
}

const struct ilp_form ilp_form_cumulative = {
    .name = "ilp-cumulative",
    .build = build,
    .decode = decode,
};
