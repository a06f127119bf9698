#include "makespan/ilp_matrix.h"

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
