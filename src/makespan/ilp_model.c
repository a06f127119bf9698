#include "makespan/ilp_model.h"

#include <inttypes.h>

#include "base/cycles.h"

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
