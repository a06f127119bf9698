#include "makespan/ilp_mps.h"

#include <inttypes.h>

#include "makespan/ilp_matrix.h"

/* What precedes and follows columns that are whole numbers: all of them. */
#define MARKER(end) " MARKER 'MARKER' 'INT" end "'\n"

static void write_rows(const struct ilp_model *model, struct text *out) {
    static const char senses[] = {[ILP_AT_MOST] = 'L', [ILP_EQUAL] = 'E', [ILP_AT_LEAST] = 'G'};
    text_string(out, "ROWS\n N obj\n");
    for (size_t row = 0; row < model->rows.count; row++) {
        text_printf(out, " %c ", senses[model->rows.items[row].sense]);
        ilp_name_write(&model->rows.items[row].name, out);
        text_char(out, '\n');
    }
}

static void write_entry(const struct ilp_column *column, const struct ilp_row *row, int64_t value,
                        struct text *out) {
    text_char(out, ' ');
    ilp_name_write(&column->name, out);
    text_char(out, ' ');
    if (row == NULL)
        text_string(out, "obj");
    else
        ilp_name_write(&row->name, out);
    text_printf(out, " %" PRId64 "\n", value);
}

/* A column that stands in no row is there by an entry of the objective, which may be 0. */
static void write_columns(const struct ilp_model *model, const struct ilp_matrix *matrix, struct text *out) {
    text_string(out, "COLUMNS\n" MARKER("ORG"));
    for (size_t c = 0; c < model->columns.count; c++) {
        const struct ilp_column *column = &model->columns.items[c];
        const int first = matrix->start[c], end = matrix->start[c + 1];
        if (column->objective != 0 || first == end)
            write_entry(column, NULL, -(int64_t)column->objective, out);
        for (int i = first; i < end; i++)
            write_entry(column, &model->rows.items[matrix->row[i]], (int64_t)matrix->coefficient[i], out);
    }
    text_string(out, MARKER("END"));
}

static void write_right_sides(const struct ilp_model *model, struct text *out) {
    text_string(out, "RHS\n");
    for (size_t row = 0; row < model->rows.count; row++) {
        if (model->rows.items[row].bound == 0) continue;
        text_string(out, " rhs ");
        ilp_name_write(&model->rows.items[row].name, out);
        text_printf(out, " %" PRId64 "\n", model->rows.items[row].bound);
    }
}

static void write_bounds(const struct ilp_model *model, struct text *out) {
    text_string(out, "BOUNDS\n");
    for (size_t c = 0; c < model->columns.count; c++) {
        text_string(out, " UP bound ");
        ilp_name_write(&model->columns.items[c].name, out);
        text_printf(out, " %" PRIu32 "\n", model->columns.items[c].upper);
    }
}

wb_status ilp_mps_write(const struct ilp_model *model, const char *title, struct text *out) {
    struct ilp_matrix matrix = {0};
    wb_status status = ilp_matrix_make(model, &matrix);
    if (status == WB_OK) {
        text_printf(out, "* %s; obj is minus the makespan\nNAME warpbound FREE\n", title);
        write_rows(model, out);
        write_columns(model, &matrix, out);
        write_right_sides(model, out);
        write_bounds(model, out);
        text_string(out, "ENDATA\n");
    }
    ilp_matrix_free(&matrix);
    return status;
}
