/* The whole source with its costs in front, file by file; the code where no source is found. */
#include <inttypes.h>
#include <string.h>

#include "report/costs/costs_shown.h"
#include "report/parts/parts.h"

/* Most characters of a line that are written. */
#define ANNOTATED_MAX 1000

/* Writes the numbers of a line, which may have none. */
static void put_front(struct text *out, const struct costs_shown *shown, uint64_t spent,
                      uint64_t executions) {
    if (spent == 0 && executions == 0)
        text_printf(out, "%7s %12s", "", "");
    else
        text_printf(out, "%6.2f%% %12" PRIu64, report_percent(spent, shown->total), spent);
    if (executions == 0)
        text_printf(out, " %12s", "");
    else
        text_printf(out, " %12" PRIu64, executions);
}

/* A line with what is spent there: of all rows that are of it. */
struct annotated_line {
    uint64_t spent, executions;
};

/* A file as it is annotated: by number of the line, from 1. */
struct annotated_file {
    const char *name;
    bool is_code;  /* the PTX itself */
    bool is_whole; /* also lines that nothing is spent on are shown */
    size_t line_count;
    uint64_t spent;
    VEC(struct annotated_line) lines;
};

static bool is_of(const struct annotated_file *file, struct costs_shown *shown, const wb_cost *row) {
    const char *source = row->place.source_line > 0 ? row->place.source_file : NULL;
    if (row->about != NULL) return false;
    if (file->is_code) return source == NULL || source_texts_line_count(&shown->sources, source) == 0;
    return source != NULL && strcmp(source, file->name) == 0;
}

/* Adds up what the file's lines take; false when memory is exhausted. */
static bool add_rows(struct annotated_file *file, struct costs_shown *shown) {
    const struct annotated_line none = {0};
    const struct shown_rows *rows = file->is_code ? &shown->code_lines : &shown->lines;
    while (file->lines.count <= file->line_count)
        if (vec_push(&file->lines, none) != WB_OK) return false;
    for (size_t r = 0; r < rows->items.count; r++) {
        const wb_cost *row = rows->items.items[r].cost;
        const uint32_t line = file->is_code ? row->place.code_line : row->place.source_line;
        if (!is_of(file, shown, row)) continue;
        file->spent += row->cycles;
        if (line > file->line_count) continue;
        file->lines.items[line].spent += row->cycles;
        file->lines.items[line].executions += row->executions;
    }
    return true;
}

/* Rows that the file does not have a line for: it was changed since, or is another one. */
static void put_beyond(struct text *out, const struct annotated_file *file, struct costs_shown *shown) {
    if (file->is_code) return;
    for (size_t r = 0; r < shown->lines.items.count; r++) {
        const wb_cost *row = shown->lines.items.items[r].cost;
        if (!is_of(file, shown, row) || row->place.source_line <= file->line_count) continue;
        put_front(out, shown, row->cycles, row->executions);
        text_printf(out, " %6u  (the file has no such line)\n", row->place.source_line);
    }
}

/* Appends a line with its indentation. */
static void put_indented(struct text *out, const char *line, size_t length) {
    size_t blanks = 0, column = 0;
    for (; blanks < length && (line[blanks] == ' ' || line[blanks] == '\t'); blanks++)
        column += line[blanks] == '\t' ? 4 - column % 4 : 1;
    if (column > ANNOTATED_MAX) column = ANNOTATED_MAX;
    for (size_t i = 0; i < column && blanks < length; i++)
        text_char(out, ' ');
    costs_put_line(out, line + blanks, length - blanks, ANNOTATED_MAX);
}

static void put_file(struct text *out, struct costs_shown *shown, struct annotated_file *file) {
    if (!add_rows(file, shown)) {
        out->failed = true;
        return;
    }
    if (!file->is_whole && file->spent == 0) return;
    text_char(out, '\n');
    put_front(out, shown, file->spent, 0);
    text_printf(out, "         %s\n", file->name);
    for (uint32_t line = 1; line <= file->line_count; line++) {
        const struct annotated_line *own = &file->lines.items[line];
        size_t length;
        if (!file->is_whole && own->spent == 0 && own->executions == 0) continue;
        const char *text = file->is_code ? source_lines_text(&shown->code, line, &length)
                                         : source_texts_line(&shown->sources, file->name, line, &length);
        put_front(out, shown, own->spent, own->executions);
        text_printf(out, " %6u  ", line);
        if (text != NULL) put_indented(out, text, length);
        while (out->length > 0 && !out->failed && out->data[out->length - 1] == ' ')
            out->length--;
        text_char(out, '\n');
    }
    put_beyond(out, file, shown);
}

/* Whether an earlier row is of the same file. */
static bool was_seen(const struct costs_shown *shown, size_t row, const char *name) {
    for (size_t r = 0; r < row; r++) {
        const char *other = shown->lines.items.items[r].cost->place.source_file;
        if (other != NULL && strcmp(other, name) == 0) return true;
    }
    return false;
}

static void put_title(struct text *out, const struct costs_shown *shown) {
    costs_put_subject(out, shown);
    text_printf(out, ": %" PRIu64 " cycles\n", shown->total);
    text_printf(out, "%7s %12s %12s %6s\n", "share", "cycles", "executions", "line");
    for (size_t r = 0; r < shown->lines.items.count; r++) {
        const wb_cost *row = shown->lines.items.items[r].cost;
        if (row->about == NULL) continue;
        put_front(out, shown, row->cycles, 0);
        text_printf(out, "         (%s)\n", row->about);
    }
}

void costs_put_annotated(struct text *out, struct costs_shown *shown) {
    bool any = false;
    put_title(out, shown);
    for (size_t r = 0; r < shown->lines.items.count; r++) {
        const wb_cost *row = shown->lines.items.items[r].cost;
        if (row->about != NULL || row->place.source_file == NULL || row->place.source_line == 0) continue;
        if (was_seen(shown, r, row->place.source_file)) continue;
        struct annotated_file file = {.name = row->place.source_file, .is_whole = true};
        file.line_count = source_texts_line_count(&shown->sources, file.name);
        if (file.line_count == 0) {
            text_printf(out, "\n%7s %12s %12s         %s (not found: its cycles stand with the code below)\n",
                        "", "", "", file.name);
            continue;
        }
        any = true;
        put_file(out, shown, &file);
        vec_free(&file.lines);
    }
    if (shown->code.module == NULL) return;
    struct annotated_file file = {.name = shown->code.module->source.name,
                                  .is_code = true,
                                  .is_whole = !any,
                                  .line_count = shown->code.starts.count};
    put_file(out, shown, &file);
    vec_free(&file.lines);
}
