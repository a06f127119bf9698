#include "wings/makespan/forms/ilp_program.h"

#include <assert.h>
#include <inttypes.h>

#include "base/cycles.h"
#include "wings/makespan/method/closed.h"

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
    arena_push(model->arena, &model->columns, column);
    return (uint32_t)model->columns.count - 1;
}

void ilp_row_begin(struct ilp_model *model, struct ilp_name name) {
    const struct ilp_row row = {.name = name, .first = model->terms.count};
    arena_push(model->arena, &model->rows, row);
}

void ilp_term_add(struct ilp_model *model, uint32_t column, int32_t coefficient) {
    const struct ilp_term term = {column, coefficient};
    assert(column < model->columns.count);
    arena_push(model->arena, &model->terms, term);
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

struct ilp_matrix ilp_matrix_make(const struct ilp_model *model, struct arena *arena) {
    struct ilp_matrix matrix = {.start = arena_array(arena, model->columns.count + 2, sizeof *matrix.start),
                                .row = arena_array(arena, model->terms.count, sizeof *matrix.row),
                                .coefficient =
                                    arena_array(arena, model->terms.count, sizeof *matrix.coefficient)};
    sort_terms(model, &matrix);
    return matrix;
}

wb_status ilp_instance_make(const struct makespan_problem *problem, struct arena *arena,
                            struct ilp_instance *instance) {
    const uint64_t horizon = closed_bound(problem);
    *instance = (struct ilp_instance){.problem = problem};
    if (cycles_mul(horizon, problem->instruction_count) > INT32_MAX) return WB_ERR_LIMIT;
    instance->horizon = (uint32_t)horizon;
    instance->warps = arena_array(arena, problem->warp_count, sizeof *instance->warps);
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

/* The LP format. A line goes on in the next one behind so many characters: some readers stop at 255, and no
 * word is longer than 100. */
#define LINE_WRAP 80u

/* A line in the making. */
struct lp_line {
    struct text *out;
    size_t start; /* of the line, in the text */
};

static void open_line(struct lp_line *line, struct text *out) {
    line->out = out;
    line->start = out->length;
}

/* Goes to a new line where this one is long enough. */
static void wrap_line(struct lp_line *line) {
    if (line->out->length - line->start < LINE_WRAP) return;
    text_string(line->out, "\n ");
    line->start = line->out->length - 1;
}

static void write_term(struct lp_line *line, int64_t coefficient, const struct ilp_name *name) {
    wrap_line(line);
    text_string(line->out, coefficient < 0 ? " - " : " + ");
    uint64_t size = coefficient < 0 ? 0 - (uint64_t)coefficient : (uint64_t)coefficient;
    if (size != 1) text_printf(line->out, "%" PRIu64 " ", size);
    ilp_name_write(name, line->out);
}

static void write_objective(const struct ilp_model *model, struct text *out) {
    struct lp_line line;
    open_line(&line, out);
    text_string(out, "Maximize\n obj:");
    for (size_t i = 0; i < model->columns.count; i++) {
        const struct ilp_column *column = &model->columns.items[i];
        if (column->objective != 0) write_term(&line, column->objective, &column->name);
    }
    text_char(out, '\n');
}

static void write_row(const struct ilp_model *model, size_t row, struct text *out) {
    static const char *const senses[] = {[ILP_AT_MOST] = "<=", [ILP_EQUAL] = "=", [ILP_AT_LEAST] = ">="};
    struct lp_line line;
    open_line(&line, out);
    text_char(out, ' ');
    ilp_name_write(&model->rows.items[row].name, out);
    text_char(out, ':');
    for (size_t i = model->rows.items[row].first; i < ilp_row_last(model, row); i++) {
        const struct ilp_term *term = &model->terms.items[i];
        write_term(&line, term->coefficient, &model->columns.items[term->column].name);
    }
    text_printf(out, " %s %" PRId64 "\n", senses[model->rows.items[row].sense], model->rows.items[row].bound);
}

/* Appends a section with the names of the binary columns, or of the others. */
static void write_names(const struct ilp_model *model, bool binary, struct text *out) {
    struct lp_line line;
    bool found = false;
    for (size_t i = 0; i < model->columns.count; i++) {
        if ((model->columns.items[i].upper == 1) != binary) continue;
        if (!found) {
            text_string(out, binary ? "Binaries\n" : "Generals\n");
            open_line(&line, out);
        }
        found = true;
        wrap_line(&line);
        text_char(out, ' ');
        ilp_name_write(&model->columns.items[i].name, out);
    }
    if (found) text_char(out, '\n');
}

/* Appends the largest values of columns that are not binary. */
static void write_bounds(const struct ilp_model *model, struct text *out) {
    bool found = false;
    for (size_t i = 0; i < model->columns.count; i++) {
        const struct ilp_column *column = &model->columns.items[i];
        if (column->upper == 1) continue;
        if (!found) text_string(out, "Bounds\n");
        found = true;
        text_string(out, " 0 <= ");
        ilp_name_write(&column->name, out);
        text_printf(out, " <= %" PRIu32 "\n", column->upper);
    }
}

void ilp_lp_write(const struct ilp_model *model, const char *title, struct text *out) {
    text_printf(out, "\\ %s; obj is the makespan\n", title);
    write_objective(model, out);
    text_string(out, "Subject To\n");
    for (size_t row = 0; row < model->rows.count; row++)
        write_row(model, row, out);
    write_bounds(model, out);
    write_names(model, true, out);
    write_names(model, false, out);
    text_string(out, "End\n");
}

/* Free MPS. What precedes and follows columns that are whole numbers: all of them. */
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

static void write_mps_bounds(const struct ilp_model *model, struct text *out) {
    text_string(out, "BOUNDS\n");
    for (size_t c = 0; c < model->columns.count; c++) {
        text_string(out, " UP bound ");
        ilp_name_write(&model->columns.items[c].name, out);
        text_printf(out, " %" PRIu32 "\n", model->columns.items[c].upper);
    }
}

void ilp_mps_write(const struct ilp_model *model, const char *title, struct text *out) {
    const struct ilp_matrix matrix = ilp_matrix_make(model, model->arena);
    text_printf(out, "* %s; obj is minus the makespan\nNAME warpbound FREE\n", title);
    write_rows(model, out);
    write_columns(model, &matrix, out);
    write_right_sides(model, out);
    write_mps_bounds(model, out);
    text_string(out, "ENDATA\n");
}
