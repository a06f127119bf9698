#include "makespan/ilp_solution_file.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/number.h"

/* Most characters of a word that messages show. */
#define SHOWN_MAX 60

/* No whole number of a solution is larger. */
#define VALUE_MAX 2147483647.0

/* Words of a line that are looked at: "index name * value" and one more. */
#define WORDS_MAX 5u

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
    wb_diagnostics *diagnostics;
    struct ilp_solution_file *file;
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
    diagnose_at(reader->diagnostics, SEVERITY_ERROR, reader->source, at, "%s", message);
    return WB_ERR_INPUT;
}

static wb_status read_value(const struct reader *reader, const struct word *word, int64_t *value) {
    double number;
    const char *text = reader->source->text + word->at;
    const int shown = word->length < SHOWN_MAX ? (int)word->length : SHOWN_MAX;
    if (!number_f64(text, word->length, &number) || isnan(number)) {
        diagnose_at(reader->diagnostics, SEVERITY_ERROR, reader->source, word->at,
                    "expected the value of a variable, got '%.*s'", shown, text);
        return WB_ERR_INPUT;
    }
    const double whole = round(number);
    if (fabs(number) > VALUE_MAX || fabs(number - whole) > ILP_WHOLE_TOLERANCE) {
        diagnose_at(
            reader->diagnostics, SEVERITY_ERROR, reader->source, word->at,
            "the value %.*s is no whole number of this program: this is no solution of it, but perhaps "
            "one of its relaxation",
            shown, text);
        return WB_ERR_INPUT;
    }
    *value = (int64_t)whole;
    return WB_OK;
}

/* Keeps the entry of the words `name` and `value`; where a line ends before them it is wrong. */
static wb_status keep(struct reader *reader, const struct line *line, size_t name, size_t value) {
    struct ilp_entry entry;
    if (value >= line->count) return error_at(reader, line->at, "expected a variable and its value");
    WB_TRY(read_value(reader, &line->words[value], &entry.value));
    entry.at = line->words[name].at;
    entry.length = line->words[name].length;
    if (vec_push(&reader->file->entries, entry) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(reader->diagnostics, reader->source->name);
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
                            "expected a table of columns behind that of the rows");
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

wb_status ilp_solution_file_parse(const struct source *source, wb_diagnostics *diagnostics,
                                  struct ilp_solution_file *file) {
    struct line line;
    *file = (struct ilp_solution_file){0};
    struct reader reader = {
        .source = source, .at = source_start(source), .diagnostics = diagnostics, .file = file};
    const size_t start = reader.at;
    if (!next_words(&reader, &line)) return error_at(&reader, start, "the file has no solution in it");
    if (is_cbc(&reader, &line)) return read_cbc(&reader);
    if (word_is(&reader, &line, 0, "solution") && word_is(&reader, &line, 1, "status:"))
        return read_scip(&reader);
    if (word_is(&reader, &line, 0, "Problem:")) return read_glpk(&reader);
    reader.at = start;
    return read_plain(&reader);
}

void ilp_solution_file_free(struct ilp_solution_file *file) {
    vec_free(&file->entries);
}
