/* A table in Markdown, which is readable as it is: a line for each unit, with what is proven of it and the
 * slowest execution that was found. */
#include <inttypes.h>

#include "wings/sweep/report/show.h"

void show_put_cell(struct text *out, const char *text) {
    for (; text != NULL && *text != '\0'; text++) {
        if (*text == '|' || *text == '<') text_char(out, '\\');
        text_char(out, *text);
    }
}

static void put_cell(struct text *out, const char *text) {
    text_string(out, "| ");
    show_put_cell(out, text);
    text_char(out, ' ');
}

static void put_count(struct text *out, uint64_t value) {
    if (value == NO_CYCLES)
        put_cell(out, "");
    else
        text_printf(out, "| %" PRIu64 " ", value);
}

static void begin(const struct show *show) {
    static const char *const headings[] = {"status", "verdict", "bound", "method", "slowest"};
    const size_t count = sizeof headings / sizeof *headings;
    for (size_t i = 0; i < show->stored->columns.count; i++)
        put_cell(show->out, show->stored->columns.items[i]);
    for (size_t i = 0; i < count; i++)
        put_cell(show->out, headings[i]);
    text_string(show->out, "|\n");
    for (size_t i = 0; i < show->stored->columns.count + count; i++)
        text_string(show->out, "| --- ");
    text_string(show->out, "|\n");
}

static wb_status put_unit(const struct show *show, const struct stored_unit *unit, bool is_first) {
    (void)is_first;
    for (size_t i = 0; i < show->stored->columns.count; i++)
        put_cell(show->out, unit->values[i]);
    put_cell(show->out, unit->status);
    put_cell(show->out, unit->state[0] != '\0' ? unit->state : unit->message);
    put_count(show->out, unit->bound);
    put_cell(show->out, unit->method);
    put_count(show->out, unit->slowest);
    text_string(show->out, "|\n");
    return WB_OK;
}

static void end(const struct show *show) {
    (void)show;
}

const struct show_format show_markdown = {begin, put_unit, end};
