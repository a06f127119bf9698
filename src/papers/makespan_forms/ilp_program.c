#include "papers/makespan_forms/ilp_program.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cycles.h"
#include "makespan/method/closed.h"

void ilp_name_write(const struct ilp_name *name, struct text *out) {
    text_string(out, name->stem);
    for (size_t i = 0; i < 3 && name->index[i] != 0; i++)
        text_printf(out, "_%" PRIu32, name->index[i]);
}

wb_status ilp_model_fits(uint64_t columns, uint64_t rows, uint64_t terms, uint64_t memory) {
    if (columns > INT32_MAX || rows > INT32_MAX || terms > INT32_MAX) return WB_ERR_LIMIT;
    cycles bytes = cycles_mul(columns, sizeof(struct ilp_column));
    bytes = cycles_add(bytes, cycles_mul(rows, sizeof(struct ilp_row)));
    bytes = cycles_add(bytes, cycles_mul(terms, sizeof(struct ilp_term)));
    return bytes > memory ? WB_ERR_LIMIT : WB_OK;
}

uint32_t ilp_column_add(struct ilp_model *model, struct ilp_name name, uint32_t upper, int32_t objective) {
    const struct ilp_column column = {name, upper, objective};
    if (!model->failed) model->failed = vec_push(&model->columns, column) != WB_OK;
    return (uint32_t)model->columns.count - 1;
}

void ilp_row_begin(struct ilp_model *model, struct ilp_name name) {
    const struct ilp_row row = {.name = name, .first = model->terms.count};
    if (!model->failed) model->failed = vec_push(&model->rows, row) != WB_OK;
}

void ilp_term_add(struct ilp_model *model, uint32_t column, int32_t coefficient) {
    const struct ilp_term term = {column, coefficient};
    if (!model->failed) model->failed = vec_push(&model->terms, term) != WB_OK;
}

/* Whether all values of the variables satisfy the last row: by the least and the largest value of its sum. */
static bool holds_always(const struct ilp_model *model, const struct ilp_row *row) {
    int64_t least = 0;
    int64_t largest = 0;
    for (size_t i = row->first; i < model->terms.count; i++) {
        const struct ilp_term *term = &model->terms.items[i];
        int64_t extreme = (int64_t)term->coefficient * model->columns.items[term->column].upper;
        if (extreme < 0) least += extreme;
        if (extreme > 0) largest += extreme;
    }
    return (row->sense == ILP_AT_MOST || least >= row->bound) &&
           (row->sense == ILP_AT_LEAST || largest <= row->bound);
}

void ilp_row_end(struct ilp_model *model, enum ilp_sense sense, int64_t bound) {
    if (model->failed) return;
    struct ilp_row *row = &model->rows.items[model->rows.count - 1];
    row->sense = sense;
    row->bound = bound;
    if (!holds_always(model, row)) return;
    model->terms.count = row->first;
    model->rows.count--;
}

size_t ilp_row_last(const struct ilp_model *model, size_t row) {
    return row + 1 < model->rows.count ? model->rows.items[row + 1].first : model->terms.count;
}

void ilp_model_free(struct ilp_model *model) {
    vec_free(&model->columns);
    vec_free(&model->rows);
    vec_free(&model->terms);
    *model = (struct ilp_model){0};
}

/* Sorts the terms by column: start[c + 1] counts up from the first term of column c to its end. */
static void sort_terms(const struct ilp_model *model, struct ilp_matrix *matrix) {
    for (size_t i = 0; i < model->terms.count; i++)
        matrix->start[model->terms.items[i].column + 2]++;
    for (size_t c = 0; c < model->columns.count; c++)
        matrix->start[c + 2] += matrix->start[c + 1];
    for (size_t row = 0; row < model->rows.count; row++)
        for (size_t i = model->rows.items[row].first; i < ilp_row_last(model, row); i++) {
            int at = matrix->start[model->terms.items[i].column + 1]++;
            matrix->row[at] = (int)row;
            matrix->coefficient[at] = model->terms.items[i].coefficient;
        }
}

wb_status ilp_matrix_make(const struct ilp_model *model, struct ilp_matrix *matrix) {
    matrix->start = calloc(model->columns.count + 2, sizeof *matrix->start);
    matrix->row = calloc(model->terms.count + 1, sizeof *matrix->row);
    matrix->coefficient = calloc(model->terms.count + 1, sizeof *matrix->coefficient);
    if (matrix->start == NULL || matrix->row == NULL || matrix->coefficient == NULL) return WB_ERR_LIMIT;
    sort_terms(model, matrix);
    return WB_OK;
}

void ilp_matrix_free(struct ilp_matrix *matrix) {
    free(matrix->start);
    free(matrix->row);
    free(matrix->coefficient);
    *matrix = (struct ilp_matrix){0};
}

/* What the formulations have in common. */

wb_status ilp_instance_make(const struct makespan_problem *problem, struct ilp_instance *instance) {
    const uint64_t horizon = closed_bound(problem);
    *instance = (struct ilp_instance){.problem = problem};
    if (cycles_mul(horizon, problem->instruction_count) > INT32_MAX) return WB_ERR_LIMIT;
    instance->horizon = (uint32_t)horizon;
    instance->warps = calloc(problem->warp_count, sizeof *instance->warps);
    if (instance->warps == NULL) return WB_ERR_LIMIT;
    struct ilp_warp *warp = instance->warps;
    uint32_t start = 0;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        for (uint32_t i = 0; i < group->warps; i++, warp++, start += group->length)
            *warp =
                (struct ilp_warp){problem->unit + group->first, group->length, start, i + 1 == group->warps};
    }
    return WB_OK;
}

void ilp_instance_free(struct ilp_instance *instance) {
    free(instance->warps);
    *instance = (struct ilp_instance){0};
}

uint32_t ilp_capacity(const struct makespan_problem *problem, uint32_t resource) {
    return resource == ILP_ISSUE ? problem->issue_limit : problem->capacity[resource];
}

bool ilp_uses(uint32_t unit, uint32_t resource) {
    return resource == ILP_ISSUE || unit == resource;
}

bool ilp_can_fill(const struct ilp_instance *instance, uint32_t resource) {
    uint32_t users = 0;
    for (uint32_t g = 0; g < instance->problem->group_count; g++)
        if (resource == ILP_ISSUE || problem_unit_count(instance->problem, g, resource) > 0)
            users += instance->problem->groups[g].warps;
    return users > 0 && users >= ilp_capacity(instance->problem, resource);
}

struct ilp_name ilp_full_name(uint32_t resource, uint32_t t) {
    static const char *const stems[ILP_RESOURCES] = {"full_L", "full_C", "full_S", "full_D", "full_issue"};
    return (struct ilp_name){stems[resource], {t}};
}
