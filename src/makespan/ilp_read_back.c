#include "makespan/ilp_read_back.h"

#include <inttypes.h>

#include "base/intern.h"
#include "makespan/ilp_solution_file.h"

/* Most characters of a name that messages show. */
#define SHOWN_MAX 60

/* A place in the source that no variable has. */
#define NOWHERE SIZE_MAX

/* A form's program and the values that the file gives its columns. */
struct read_back {
    const struct ilp_form *form;
    const struct source *source;
    wb_diagnostics *diagnostics;
    struct ilp_instance instance;
    struct ilp_model model;
    struct text names;    /* of all columns, one behind the other */
    struct intern column; /* by name; numbered as the columns are */
    int64_t *value;       /* per column */
    size_t *at;           /* per column: where it is in the source, or NOWHERE */
};

static void read_back_free(struct read_back *back) {
    ilp_model_free(&back->model);
    ilp_instance_free(&back->instance);
    text_free(&back->names);
    intern_free(&back->column);
    free(back->value);
    free(back->at);
}

/* The names of columns are all different, so that the number of one is its column. */
static wb_status add_names(struct read_back *back) {
    const size_t count = back->model.columns.count;
    size_t *end = calloc(count + 1, sizeof *end);
    if (end == NULL) return WB_ERR_LIMIT;
    for (size_t c = 0; c < count; c++) {
        ilp_name_write(&back->model.columns.items[c].name, &back->names);
        end[c + 1] = back->names.length;
    }
    wb_status status = back->names.failed ? WB_ERR_LIMIT : WB_OK;
    uint32_t number;
    for (size_t c = 0; status == WB_OK && c < count; c++)
        status = intern_add(&back->column, back->names.data + end[c], end[c + 1] - end[c], &number);
    free(end);
    return status;
}

static wb_status read_back_make(const struct makespan_problem *problem, const struct ilp_form *form,
                                const struct makespan_settings *settings, const struct source *source,
                                wb_diagnostics *diagnostics, struct read_back *back) {
    *back = (struct read_back){.form = form, .source = source, .diagnostics = diagnostics};
    WB_TRY(ilp_make(problem, form, settings, diagnostics, &back->instance, &back->model));
    const size_t count = back->model.columns.count;
    back->value = calloc(count, sizeof *back->value);
    back->at = calloc(count, sizeof *back->at);
    if (back->value == NULL || back->at == NULL || add_names(back) != WB_OK)
        return diagnose_out_of_memory(diagnostics, source->name);
    for (size_t c = 0; c < count; c++)
        back->at[c] = NOWHERE;
    return WB_OK;
}

/* The first entry that is none of the program's variables, or their number. */
static size_t first_unknown(const struct read_back *back, const struct ilp_solution_file *file) {
    for (size_t i = 0; i < file->entries.count; i++) {
        const struct ilp_entry *entry = &file->entries.items[i];
        if (intern_find(&back->column, back->source->text + entry->at, entry->length) == INTERN_NONE)
            return i;
    }
    return file->entries.count;
}

static wb_status unknown_name(const struct read_back *back, const struct ilp_entry *entry) {
    const int shown = entry->length < SHOWN_MAX ? (int)entry->length : SHOWN_MAX;
    diagnose_at(back->diagnostics, SEVERITY_ERROR, back->source, entry->at,
                "'%.*s' is no variable of the program %s of this problem: was it written for another one?",
                shown, back->source->text + entry->at, back->form->name);
    return WB_ERR_INPUT;
}

static wb_status take_value(struct read_back *back, const struct ilp_entry *entry) {
    const char *name = back->source->text + entry->at;
    const uint32_t column = intern_find(&back->column, name, entry->length);
    if (column == INTERN_NONE) return unknown_name(back, entry);
    const uint32_t upper = back->model.columns.items[column].upper;
    if (back->at[column] != NOWHERE) {
        diagnose_at(back->diagnostics, SEVERITY_ERROR, back->source, entry->at, "%.*s has a value already",
                    (int)entry->length, name);
        return WB_ERR_INPUT;
    }
    if (entry->value < 0 || entry->value > upper) {
        diagnose_at(back->diagnostics, SEVERITY_ERROR, back->source, entry->at,
                    "%.*s is %" PRId64 ": expected 0 to %" PRIu32, (int)entry->length, name, entry->value,
                    upper);
        return WB_ERR_INPUT;
    }
    back->at[column] = entry->at;
    back->value[column] = entry->value;
    return WB_OK;
}

/* A violated row, at one of its variables. */
static wb_status row_error(const struct read_back *back, size_t row, int64_t sum) {
    static const char *const senses[] = {
        [ILP_AT_MOST] = "at most", [ILP_EQUAL] = "exactly", [ILP_AT_LEAST] = "at least"};
    const struct ilp_row *violated = &back->model.rows.items[row];
    const struct source *source = back->source;
    size_t at = source_start(source);
    for (size_t i = violated->first; i < ilp_row_last(&back->model, row); i++) {
        const size_t place = back->at[back->model.terms.items[i].column];
        if (place != NOWHERE) at = place;
    }
    struct text name = {0};
    ilp_name_write(&violated->name, &name);
    diagnose_at(back->diagnostics, SEVERITY_ERROR, source, at,
                "the values violate the row %s of %s: its sum is %" PRId64 ", expected %s %" PRId64
                " (variables without a value are 0)",
                name.failed ? "" : name.data, back->form->name, sum, senses[violated->sense],
                violated->bound);
    text_free(&name);
    return WB_ERR_INPUT;
}

static wb_status check_rows(const struct read_back *back) {
    for (size_t row = 0; row < back->model.rows.count; row++) {
        const struct ilp_row *r = &back->model.rows.items[row];
        int64_t sum = 0;
        for (size_t i = r->first; i < ilp_row_last(&back->model, row); i++) {
            const struct ilp_term *term = &back->model.terms.items[i];
            sum += term->coefficient * back->value[term->column];
        }
        const bool holds =
            (r->sense == ILP_AT_LEAST || sum <= r->bound) && (r->sense == ILP_AT_MOST || sum >= r->bound);
        if (!holds) return row_error(back, row, sum);
    }
    return WB_OK;
}

/* The schedule of values that satisfy the program. */
static wb_status decode(const struct read_back *back, struct schedule *schedule) {
    const size_t count = back->model.columns.count;
    bool *one = calloc(count, sizeof *one);
    wb_status status = one == NULL ? WB_ERR_LIMIT : schedule_make(back->instance.problem, schedule);
    if (status == WB_OK) {
        for (size_t c = 0; c < count; c++)
            one[c] = back->value[c] == 1;
        ilp_decode(&back->instance, back->form, one, schedule);
    }
    free(one);
    if (status == WB_OK)
        return schedule_check(back->instance.problem, schedule, back->source->name, back->diagnostics);
    return diagnose_out_of_memory(back->diagnostics, back->source->name);
}

static wb_status read_values(struct read_back *back, const struct ilp_solution_file *file,
                             struct schedule *schedule) {
    for (size_t i = 0; i < file->entries.count; i++)
        WB_TRY(take_value(back, &file->entries.items[i]));
    WB_TRY(check_rows(back));
    return decode(back, schedule);
}

/* Tries the forms in turn. The paper's two have the same variables, which mean the same. */
static wb_status match(const struct makespan_problem *problem, const struct makespan_settings *settings,
                       const struct source *source, const struct ilp_solution_file *file,
                       wb_diagnostics *diagnostics, struct schedule *schedule) {
    static const struct ilp_form *const forms[] = {&ilp_form_cumulative, &ilp_form_short};
    struct read_back back[2] = {0};
    size_t known[2] = {0};
    wb_status status = WB_OK;
    for (size_t f = 0; status == WB_OK && f < 2; f++) {
        status = read_back_make(problem, forms[f], settings, source, diagnostics, &back[f]);
        if (status == WB_OK) known[f] = first_unknown(&back[f], file);
    }
    if (status == WB_OK) status = read_values(&back[known[1] > known[0]], file, schedule);
    for (size_t f = 0; f < 2; f++)
        read_back_free(&back[f]);
    return status;
}

wb_status ilp_read_back(const struct makespan_problem *problem, const struct makespan_settings *settings,
                        const struct source *source, wb_diagnostics *diagnostics, struct schedule *schedule) {
    struct ilp_solution_file file;
    *schedule = (struct schedule){0};
    wb_status status = ilp_solution_file_parse(source, diagnostics, &file);
    if (status == WB_OK) status = match(problem, settings, source, &file, diagnostics, schedule);
    ilp_solution_file_free(&file);
    return status;
}
