#include "wings/makespan/forms/ilp_solution.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/containers.h"

/* Most characters of a word or name that messages show. */
#define SHOWN_MAX 60

/* A value differs from a whole number by no more: what solvers take for whole. */
#define ILP_WHOLE_TOLERANCE 1e-5

/* No whole number of a solution is larger. */
#define VALUE_MAX 2147483647.0

/* Words of a line that are looked at: "index name * value" and one more. */
#define WORDS_MAX 5u

/* ---- Files in which solvers write the values of variables, as they are ----------------------------------
 */

struct solution_entry {
    size_t at;     /* of the name, in the text */
    size_t length; /* of the name */
    int64_t value;
};

struct solution_file {
    VEC(struct solution_entry) entries; /* in the order of the file */
};

struct word {
    size_t at;
    size_t length;
};

struct line {
    size_t at;
    struct word words[WORDS_MAX];
    size_t count; /* WORDS_MAX: so many or more */
};

struct reader {
    const struct source *source;
    size_t at; /* where the next line starts */
    const struct makespan_run *run;
    struct solution_file *file;
};

/* Reads the next line in words, which may be none; false at the end of the file. */
static bool next_line(struct reader *reader, struct line *line) {
    const char *text = reader->source->text;
    size_t at = reader->at;
    const size_t size = reader->source->size;
    if (at >= size) return false;
    *line = (struct line){.at = at};
    while (at < size && text[at] != '\n') {
        const size_t start = at;
        while (at < size && text[at] != '\n' && !ascii_space(text[at]))
            at++;
        if (at > start && line->count < WORDS_MAX)
            line->words[line->count++] = (struct word){start, at - start};
        while (at < size && text[at] != '\n' && ascii_space(text[at]))
            at++;
    }
    reader->at = at + 1;
    return true;
}

/* Reads the next line that has words. */
static bool next_words(struct reader *reader, struct line *line) {
    while (next_line(reader, line))
        if (line->count > 0) return true;
    return false;
}

static bool word_is(const struct reader *reader, const struct line *line, size_t index,
                    const char *expected) {
    if (index >= line->count) return false;
    const struct word *word = &line->words[index];
    return word->length == strlen(expected) &&
           memcmp(reader->source->text + word->at, expected, word->length) == 0;
}

static wb_status error_at(const struct reader *reader, size_t at, const char *message) {
    diagnose_at(reader->run->diagnostics, SEVERITY_ERROR, reader->source, at, "%s", message);
    return WB_ERR_INPUT;
}

static wb_status read_value(const struct reader *reader, const struct word *word, int64_t *value) {
    double number;
    const char *text = reader->source->text + word->at;
    const int shown = word->length < SHOWN_MAX ? (int)word->length : SHOWN_MAX;
    if (!number_f64(text, word->length, &number) || isnan(number)) {
        diagnose_at(reader->run->diagnostics, SEVERITY_ERROR, reader->source, word->at,
                    "expected the value of a variable, got '%.*s'", shown, text);
        return WB_ERR_INPUT;
    }
    const double whole = round(number);
    if (fabs(number) > VALUE_MAX || fabs(number - whole) > ILP_WHOLE_TOLERANCE) {
        diagnose_at(reader->run->diagnostics, SEVERITY_ERROR, reader->source, word->at,
                    "the value %.*s is not a whole number in this program: this is not a solution of it, but "
                    "maybe of its relaxation",
                    shown, text);
        return WB_ERR_INPUT;
    }
    *value = (int64_t)whole;
    return WB_OK;
}

/* Keeps the entry of the words `name` and `value`; where a line ends before them it is wrong. */
static wb_status keep(struct reader *reader, const struct line *line, size_t name, size_t value) {
    struct solution_entry entry;
    if (value >= line->count) return error_at(reader, line->at, "expected a variable and its value");
    WB_TRY(read_value(reader, &line->words[value], &entry.value));
    entry.at = line->words[name].at;
    entry.length = line->words[name].length;
    arena_push(reader->run->arena, &reader->file->entries, entry);
    return WB_OK;
}

/* CBC: behind its heading lines of an index, a name, a value and a reduced cost; "**" stands before those
 * that it found to be infeasible, which is for the rows to say. */
static wb_status read_cbc(struct reader *reader) {
    struct line line;
    while (next_words(reader, &line)) {
        const size_t marked = word_is(reader, &line, 0, "**") ? 1 : 0;
        WB_TRY(keep(reader, &line, marked + 1, marked + 2));
    }
    return WB_OK;
}

/* SCIP: behind the status the objective, then lines of a name, a value and its part of the objective. */
static wb_status read_scip(struct reader *reader) {
    struct line line;
    while (next_words(reader, &line)) {
        if (word_is(reader, &line, 0, "objective") && word_is(reader, &line, 1, "value:")) continue;
        if (word_is(reader, &line, 0, "no") && word_is(reader, &line, 1, "solution"))
            return error_at(reader, line.at, "the solver found no solution");
        WB_TRY(keep(reader, &line, 0, 1));
    }
    return WB_OK;
}

/* GLPK: a report in which the columns stand behind the rows, up to an empty line: an index, a name, a mark,
 * and the value, which goes to the next line where the name is long. */
static wb_status read_glpk(struct reader *reader) {
    struct line line;
    do {
        if (!next_words(reader, &line))
            return error_at(reader, reader->source->size,
                            "expected a table of columns after that of the rows");
    } while (!word_is(reader, &line, 1, "Column") || !word_is(reader, &line, 2, "name"));
    if (!next_line(reader, &line)) return WB_OK; /* the line under the heading */
    while (next_line(reader, &line) && line.count > 0) {
        struct line values = line;
        size_t at = 2;
        if (line.count == 2) {
            at = 0;
            if (!next_line(reader, &values))
                return error_at(reader, line.at, "expected the value of the column");
        }
        if (word_is(reader, &values, at, "*")) at++;
        if (line.count < 2 || at >= values.count)
            return error_at(reader, line.at, "expected a variable and its value");
        struct line entry = {.at = line.at, .words = {line.words[1], values.words[at]}, .count = 2};
        WB_TRY(keep(reader, &entry, 0, 1));
    }
    return WB_OK;
}

/* Lines of a name and a value; those that begin with '#' are comments. */
static wb_status read_plain(struct reader *reader) {
    struct line line;
    while (next_words(reader, &line)) {
        if (reader->source->text[line.words[0].at] == '#') continue;
        if (line.count != 2)
            return error_at(reader, line.at,
                            "expected a variable and its value, or a solution file of CBC, GLPK or SCIP");
        WB_TRY(keep(reader, &line, 0, 1));
    }
    return WB_OK;
}

/* Whether the first line, which has words, is CBC's: "Optimal - objective value 17". */
static bool is_cbc(const struct reader *reader, const struct line *line) {
    const char *start = reader->source->text + line->at;
    return memmem(start, reader->at - 1 - line->at, " - objective value ", 19) != NULL;
}

static wb_status parse_file(const struct makespan_run *run, const struct source *source,
                            struct solution_file *file) {
    struct line line;
    *file = (struct solution_file){0};
    struct reader reader = {.source = source, .at = source_start(source), .run = run, .file = file};
    const size_t start = reader.at;
    if (!next_words(&reader, &line)) return error_at(&reader, start, "the file contains no solution");
    if (is_cbc(&reader, &line)) return read_cbc(&reader);
    if (word_is(&reader, &line, 0, "solution") && word_is(&reader, &line, 1, "status:"))
        return read_scip(&reader);
    if (word_is(&reader, &line, 0, "Problem:")) return read_glpk(&reader);
    reader.at = start;
    return read_plain(&reader);
}

/* ---- What the values mean ------------------------------------------------------------------------------ */

/* A place in the source that no variable has. */
#define NOWHERE SIZE_MAX

/* A form's program and the values that the file gives its columns. */
struct read_back {
    const struct makespan_run *run;
    const struct ilp_form *form;
    const struct source *source;
    struct ilp_instance instance;
    struct ilp_model model;
    struct text names;    /* of all columns, one behind the other */
    size_t *name_end;     /* per column: where it ends there */
    struct intern column; /* by name; numbered as the columns are */
    int64_t *value;       /* per column */
    size_t *at;           /* per column: where it is in the source, or NOWHERE */
};

/* Makes the program, and room for its values. */
static wb_status read_back_make(struct read_back *back) {
    struct arena *arena = back->run->arena;
    WB_TRY(ilp_make(back->run, back->form, &back->instance, &back->model));
    const size_t count = back->model.columns.count;
    back->name_end = arena_array(arena, count, sizeof *back->name_end);
    back->value = arena_array(arena, count, sizeof *back->value);
    back->at = arena_array(arena, count, sizeof *back->at);
    for (size_t c = 0; c < count; c++) {
        ilp_name_write(&back->model.columns.items[c].name, &back->names);
        back->name_end[c] = back->names.length;
        back->at[c] = NOWHERE;
    }
    return WB_OK;
}

/* The names of columns are all different, so that the number of one is its column. */
static wb_status number_names(struct read_back *back) {
    size_t start = 0;
    for (size_t c = 0; c < back->model.columns.count; c++) {
        uint32_t number;
        if (intern_add(&back->column, back->names.data + start, back->name_end[c] - start, &number) != WB_OK)
            return diagnose_out_of_memory(back->run->diagnostics, back->source->name);
        assert(number == c);
        start = back->name_end[c];
    }
    return WB_OK;
}

/* The first entry that is none of the program's variables, or their number. */
static size_t first_unknown(const struct read_back *back, const struct solution_file *file) {
    for (size_t i = 0; i < file->entries.count; i++) {
        const struct solution_entry *entry = &file->entries.items[i];
        if (intern_find(&back->column, back->source->text + entry->at, entry->length) == INTERN_NONE)
            return i;
    }
    return file->entries.count;
}

static wb_status unknown_name(const struct read_back *back, const struct solution_entry *entry) {
    const int shown = entry->length < SHOWN_MAX ? (int)entry->length : SHOWN_MAX;
    diagnose_at(back->run->diagnostics, SEVERITY_ERROR, back->source, entry->at,
                "'%.*s' is not a variable of the program %s of this problem: was it written for another one?",
                shown, back->source->text + entry->at, back->form->name);
    return WB_ERR_INPUT;
}

static wb_status take_value(struct read_back *back, const struct solution_entry *entry) {
    const char *name = back->source->text + entry->at;
    const uint32_t column = intern_find(&back->column, name, entry->length);
    if (column == INTERN_NONE) return unknown_name(back, entry);
    const uint32_t upper = back->model.columns.items[column].upper;
    if (back->at[column] != NOWHERE) {
        diagnose_at(back->run->diagnostics, SEVERITY_ERROR, back->source, entry->at,
                    "%.*s already has a value", (int)entry->length, name);
        return WB_ERR_INPUT;
    }
    if (entry->value < 0 || entry->value > upper) {
        diagnose_at(back->run->diagnostics, SEVERITY_ERROR, back->source, entry->at,
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
    diagnose_at(back->run->diagnostics, SEVERITY_ERROR, source, at,
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
static wb_status decode(const struct read_back *back, struct arena *arena, struct schedule *schedule) {
    const struct makespan_run *run = back->run;
    const size_t count = back->model.columns.count;
    bool *one = arena_array(run->arena, count, sizeof *one);
    for (size_t c = 0; c < count; c++)
        one[c] = back->value[c] == 1;
    schedule_make(run->problem, arena, schedule);
    ilp_decode(&back->instance, back->form, one, schedule);
    return schedule_check(run->problem, schedule, back->source->name, run->diagnostics);
}

static wb_status read_values(struct read_back *back, const struct solution_file *file) {
    for (size_t i = 0; i < file->entries.count; i++)
        WB_TRY(take_value(back, &file->entries.items[i]));
    return check_rows(back);
}

/* Takes the values with the form whose names the file has. The paper's two have the same variables, which
 * mean the same. Nothing in here is taken from an arena while there are tables of names. */
static wb_status match(struct read_back back[2], const struct solution_file *file, size_t *form) {
    size_t known[2];
    for (size_t f = 0; f < 2; f++) {
        WB_TRY(number_names(&back[f]));
        known[f] = first_unknown(&back[f], file);
    }
    *form = known[1] > known[0];
    return read_values(&back[*form], file);
}

wb_status ilp_read_back(const struct makespan_run *run, const struct source *source, struct arena *arena,
                        struct schedule *schedule) {
    static const struct ilp_form *const forms[] = {&ilp_form_cumulative, &ilp_form_short};
    struct solution_file file;
    struct read_back back[2];
    size_t form = 0;
    *schedule = (struct schedule){0};
    WB_TRY(parse_file(run, source, &file));
    for (size_t f = 0; f < 2; f++) {
        back[f] = (struct read_back){
            .run = run, .form = forms[f], .source = source, .names = {.arena = run->arena}};
        WB_TRY(read_back_make(&back[f]));
    }
    wb_status status = match(back, &file, &form);
    for (size_t f = 0; f < 2; f++)
        intern_free(&back[f].column);
    return status == WB_OK ? decode(&back[form], arena, schedule) : status;
}
