/* CSV as RFC 4180 has it, but for the ends of lines, which are those of text files: a line for the verdict of
 * each unit, and one for each of its numbers. */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "wings/sweep/report/show.h"

/* Whether a spreadsheet takes the text for a formula, which could read files and open addresses. */
static bool is_formula(const char *text) {
    double number;
    return text[0] != '\0' && strchr("=+-@", text[0]) != NULL && !number_f64(text, strlen(text), &number);
}

/* An apostrophe in front of it makes a text of a formula. What is stored is printable, notes made so here. */
static void put_cell(struct text *out, const char *text, bool is_first) {
    if (!is_first) text_char(out, ',');
    if (text == NULL) return;
    const bool quoted = text[strcspn(text, ",\"")] != '\0';
    if (quoted) text_char(out, '"');
    if (is_formula(text)) text_char(out, '\'');
    for (const char *quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
        text_printable(out, text, (size_t)(quote - text));
        text_string(out, "\"\"");
    }
    text_printable(out, text, strlen(text));
    if (quoted) text_char(out, '"');
}

static void put_count(struct text *out, bool is_known, uint64_t value) {
    text_char(out, ',');
    if (is_known) text_printf(out, "%" PRIu64, value);
}

static void begin(const struct show *show) {
    for (size_t i = 0; i < show->stored->columns.count; i++)
        put_cell(show->out, show->stored->columns.items[i], i == 0);
    if (show->stored->columns.count > 0) text_char(show->out, ',');
    text_string(show->out, "status,scope,data,what,name,kind,cycles,lower,note\n");
}

static void put_parameters(const struct show *show, const struct stored_unit *unit) {
    for (size_t i = 0; i < show->stored->columns.count; i++)
        put_cell(show->out, unit->values[i], i == 0);
    put_cell(show->out, unit->status, show->stored->columns.count == 0);
}

/* The line of a number. */
struct number_line {
    const struct show *show;
    const struct stored_unit *unit;
};

static void put_number(void *context, const struct outcome_number *number) {
    const struct number_line *line = context;
    struct text *out = line->show->out;
    put_parameters(line->show, line->unit);
    put_cell(out, number->scope, false);
    put_cell(out, number->data, false);
    put_cell(out, number->what, false);
    put_cell(out, number->name, false);
    put_cell(out, number->kind, false);
    put_count(out, number->has_cycles, number->cycles);
    put_count(out, number->has_cycles && strcmp(number->what, "bound") == 0, number->lower);
    put_cell(out, number->note, false);
    text_string(out, "\n");
}

/* The proven bound, with the launch overhead; the slowest execution found as `lower`. */
static void put_verdict(const struct show *show, const struct stored_unit *unit) {
    put_parameters(show, unit);
    put_cell(show->out, unit->scope, false);
    put_cell(show->out, "", false);
    put_cell(show->out, "verdict", false);
    put_cell(show->out, unit->method, false);
    put_cell(show->out, unit->bound != NO_CYCLES ? "upper" : "", false);
    put_count(show->out, unit->bound != NO_CYCLES, unit->bound);
    put_count(show->out, unit->slowest != NO_CYCLES, unit->slowest);
    put_cell(show->out, unit->message[0] != '\0' ? unit->message : unit->state, false);
    text_string(show->out, "\n");
}

static wb_status put_unit(const struct show *show, const struct stored_unit *unit, bool is_first) {
    struct number_line line = {show, unit};
    (void)is_first;
    put_verdict(show, unit);
    return stored_numbers(show->results, unit, show->diagnostics, put_number, &line);
}

static void end(const struct show *show) {
    (void)show;
}

const struct show_format show_csv = {begin, put_unit, end};
