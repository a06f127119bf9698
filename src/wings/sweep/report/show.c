/* The content of a database of sweeps, in several formats. */
#include <inttypes.h>
#include <string.h>

#include "report/parts/document.h"
#include "report/write/json.h"
#include "report/write/junit.h"
#include "report/write/output.h"
#include "report/write/xml.h"
#include "wings/sweep/report/report.h"
#include "wings/sweep/sweep.h"

/* A report of all units: what comes before them, what is said of each, and what comes behind. */
struct show {
    const wb_results *results;
    const struct stored_units *stored;
    wb_diagnostics *diagnostics;
    struct text *out;
};

/* ---- Markdown -----------------------------------------------------------------------------------------
 */

void show_put_cell(struct text *out, const char *text) {
    for (; text != NULL && *text != '\0'; text++) {
        if (*text == '|' || *text == '<') text_char(out, '\\');
        text_char(out, *text);
    }
}

static void put_markdown_cell(struct text *out, const char *text) {
    text_string(out, "| ");
    show_put_cell(out, text);
    text_char(out, ' ');
}

static void put_markdown_count(struct text *out, uint64_t value) {
    if (value == NO_CYCLES)
        put_markdown_cell(out, "");
    else
        text_printf(out, "| %" PRIu64 " ", value);
}

/* "mem_latency, cycles" */
static void put_markdown_heading(struct text *out, const char *parameter) {
    const char *unit = axis_unit(parameter);
    text_string(out, "| ");
    show_put_cell(out, parameter);
    text_printf(out, "%s%s ", unit != NULL ? ", " : "", unit != NULL ? unit : "");
}

/* A table that is readable as it is: a line for each unit, with what is proven of it and the slowest
 * execution that was found. */
static void markdown_begin(const struct show *show) {
    static const char *const headings[] = {"status", "verdict", "bound, cycles", "method", "slowest, cycles"};
    const size_t count = sizeof headings / sizeof *headings;
    for (size_t i = 0; i < show->stored->columns.count; i++)
        put_markdown_heading(show->out, show->stored->columns.items[i]);
    for (size_t i = 0; i < count; i++)
        put_markdown_cell(show->out, headings[i]);
    text_string(show->out, "|\n");
    for (size_t i = 0; i < show->stored->columns.count + count; i++)
        text_string(show->out, "| --- ");
    text_string(show->out, "|\n");
}

static wb_status put_markdown_unit(const struct show *show, const struct stored_unit *unit, bool is_first) {
    (void)is_first;
    for (size_t i = 0; i < show->stored->columns.count; i++)
        put_markdown_cell(show->out, unit->values[i]);
    put_markdown_cell(show->out, unit->status);
    put_markdown_cell(show->out, unit->state[0] != '\0' ? unit->state : unit->message);
    put_markdown_count(show->out, unit->bound);
    put_markdown_cell(show->out, unit->method);
    put_markdown_count(show->out, unit->slowest);
    text_string(show->out, "|\n");
    return WB_OK;
}

/* ---- CSV ----------------------------------------------------------------------------------------------
 */

/* CSV as RFC 4180 has it, but for the ends of lines, which are those of text files: a line for the verdict of
 * each unit, and one for each of its numbers. */

/* Whether a spreadsheet takes the text for a formula, which could read files and open addresses. */
static bool is_formula(const char *text) {
    double number;
    return text[0] != '\0' && strchr("=+-@", text[0]) != NULL && !number_f64(text, strlen(text), &number);
}

/* An apostrophe in front of it makes a text of a formula. What is stored is printable, notes made so here. */
static void put_csv_cell(struct text *out, const char *text, bool is_first) {
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

static void put_csv_count(struct text *out, bool is_known, uint64_t value) {
    text_char(out, ',');
    if (is_known) text_printf(out, "%" PRIu64, value);
}

static void csv_begin(const struct show *show) {
    for (size_t i = 0; i < show->stored->columns.count; i++)
        put_csv_cell(show->out, show->stored->columns.items[i], i == 0);
    if (show->stored->columns.count > 0) text_char(show->out, ',');
    text_string(show->out, "status,scope,data,what,name,kind,cycles,lower,note\n");
}

static void put_csv_parameters(const struct show *show, const struct stored_unit *unit) {
    for (size_t i = 0; i < show->stored->columns.count; i++)
        put_csv_cell(show->out, unit->values[i], i == 0);
    put_csv_cell(show->out, unit->status, show->stored->columns.count == 0);
}

/* The line of a number. */
struct number_line {
    const struct show *show;
    const struct stored_unit *unit;
};

static void put_csv_number(void *context, const struct outcome_number *number) {
    const struct number_line *line = context;
    struct text *out = line->show->out;
    put_csv_parameters(line->show, line->unit);
    put_csv_cell(out, number->scope, false);
    put_csv_cell(out, number->data, false);
    put_csv_cell(out, number->what, false);
    put_csv_cell(out, number->name, false);
    put_csv_cell(out, number->kind, false);
    put_csv_count(out, number->has_cycles, number->cycles);
    put_csv_count(out, number->has_cycles && strcmp(number->what, "bound") == 0, number->lower);
    put_csv_cell(out, number->note, false);
    text_string(out, "\n");
}

/* The proven bound, by another name than the numbers of the method that it is by. The slowest execution found
 * as `lower`. */
static void put_csv_verdict(const struct show *show, const struct stored_unit *unit) {
    put_csv_parameters(show, unit);
    put_csv_cell(show->out, unit->scope, false);
    put_csv_cell(show->out, "", false);
    put_csv_cell(show->out, "verdict", false);
    put_csv_cell(show->out, unit->state, false);
    put_csv_cell(show->out, unit->bound != NO_CYCLES ? "upper" : "", false);
    put_csv_count(show->out, unit->bound != NO_CYCLES, unit->bound);
    put_csv_count(show->out, unit->slowest != NO_CYCLES, unit->slowest);
    put_csv_cell(show->out, unit->message[0] != '\0' ? unit->message : unit->method, false);
    text_string(show->out, "\n");
}

static wb_status put_csv_unit(const struct show *show, const struct stored_unit *unit, bool is_first) {
    struct number_line line = {show, unit};
    (void)is_first;
    put_csv_verdict(show, unit);
    return stored_numbers(show->results, unit, show->diagnostics, put_csv_number, &line);
}

/* ---- JSON ---------------------------------------------------------------------------------------------
 */

/* JSON: a document of all units, or a line for each. */

static void put_text_if(struct json *json, const char *key, const char *text) {
    json_put_text(json, key, text[0] != '\0' ? text : NULL);
}

static void put_json_number(void *context, const struct outcome_number *number) {
    struct json *json = context;
    json_open_object(json, NULL);
    json_put_text(json, "scope", number->scope);
    json_put_text(json, "data", number->data);
    json_put_text(json, "what", number->what);
    json_put_text(json, "name", number->name);
    json_put_text(json, "kind", number->kind);
    json_put_count_if(json, "cycles", number->has_cycles, number->cycles);
    json_put_count_if(json, "lower", number->has_cycles && strcmp(number->what, "bound") == 0, number->lower);
    json_put_text(json, "note", number->note);
    json_close(json);
}

static void put_json_verdict(struct json *json, const struct stored_unit *unit) {
    if (unit->state[0] == '\0') {
        json_put_null(json, "verdict");
        return;
    }
    json_open_object(json, "verdict");
    json_put_text(json, "state", unit->state);
    json_put_text(json, "scope", unit->scope);
    json_put_count_if(json, "bound", unit->bound != NO_CYCLES, unit->bound);
    put_text_if(json, "method", unit->method);
    json_put_count_if(json, "slowest", unit->slowest != NO_CYCLES, unit->slowest);
    json_put_count_if(json, "deadline", unit->deadline != NO_CYCLES, unit->deadline);
    json_close(json);
}

/* The members of a unit, into an object that is open. */
static wb_status put_members(const struct show *show, const struct stored_unit *unit, struct json *json) {
    json_open_object(json, "parameters");
    for (size_t i = 0; i < show->stored->columns.count; i++)
        if (unit->values[i] != NULL) json_put_text(json, show->stored->columns.items[i], unit->values[i]);
    json_close(json);
    json_put_text(json, "status", unit->status);
    put_text_if(json, "message", unit->message);
    put_json_verdict(json, unit);
    json_open_array(json, "numbers");
    const wb_status status = stored_numbers(show->results, unit, show->diagnostics, put_json_number, json);
    json_close(json);
    return status;
}

/* The array of units is written piece by piece: a writer of JSON for each, with commas between them. */
static void json_begin_units(const struct show *show) {
    struct json json = json_begin(show->out, JSON_ONE_LINE);
    document_open(&json, "warpbound-sweep", 1);
    json_open_array(&json, "units");
}

static wb_status put_json_unit(const struct show *show, const struct stored_unit *unit, bool is_first) {
    if (!is_first) text_char(show->out, ',');
    text_char(show->out, '\n');
    struct json json = json_begin(show->out, JSON_ONE_LINE);
    json_open_object(&json, NULL);
    const wb_status status = put_members(show, unit, &json);
    json_close(&json);
    return status;
}

static void json_end(const struct show *show) {
    text_string(show->out, "\n]}\n");
}

static wb_status put_line(const struct show *show, const struct stored_unit *unit, bool is_first) {
    struct json json = json_begin(show->out, JSON_ONE_LINE);
    (void)is_first;
    json_open_object(&json, NULL);
    const wb_status status = put_members(show, unit, &json);
    json_close(&json);
    text_char(show->out, '\n');
    return status;
}

/* ---- JUnit --------------------------------------------------------------------------------------------
 */

/* JUnit: a test case for each unit. It fails where a deadline is not proven to be met, is skipped where there
 * is no result to be had, and is broken where the unit did not end by itself. */

/* The element that says why a case did not pass; NULL: it did. */
static const char *outcome_of(const struct stored_unit *unit) {
    if (strcmp(unit->status, "declined") == 0) return unit->deadline != NO_CYCLES ? "error" : "skipped";
    if (strcmp(unit->status, "done") != 0) return "error";
    static const char *const failures[] = {"missed", "open", "model-only"};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        if (strcmp(unit->state, failures[i]) == 0) return "failure";
    return unit->bound != NO_CYCLES ? NULL : "skipped";
}

static void junit_begin(const struct show *show) {
    const struct stored_units *stored = show->stored;
    struct junit_counts counts = {.tests = stored->units.count};
    for (size_t i = 0; i < stored->units.count; i++) {
        const char *outcome = outcome_of(&stored->units.items[i]);
        counts.failures += outcome != NULL && strcmp(outcome, "failure") == 0;
        counts.errors += outcome != NULL && strcmp(outcome, "error") == 0;
        counts.skipped += outcome != NULL && strcmp(outcome, "skipped") == 0;
    }
    junit_open(show->out, "warpbound sweep", &counts);
    text_string(show->out, "    <properties/>\n");
}

static void put_junit_name(const struct show *show, const struct stored_unit *unit) {
    struct text name = {0};
    for (size_t i = 0; i < show->stored->columns.count; i++)
        if (unit->values[i] != NULL)
            text_printf(&name, "%s%s=%s", name.length > 0 ? " " : "", show->stored->columns.items[i],
                        unit->values[i]);
    if (name.failed) show->out->failed = true;
    xml_attribute(show->out, "name", name.data);
    text_free(&name);
}

static wb_status put_junit_unit(const struct show *show, const struct stored_unit *unit, bool is_first) {
    const char *outcome = outcome_of(unit);
    (void)is_first;
    text_string(show->out, "    <testcase classname=\"sweep\"");
    put_junit_name(show, unit);
    text_string(show->out, " time=\"0\"");
    if (outcome == NULL) {
        text_string(show->out, "/>\n");
        return WB_OK;
    }
    text_printf(show->out, ">\n      <%s", outcome);
    xml_attribute(show->out, "message",
                  unit->message[0] != '\0' ? unit->message
                  : unit->state[0] != '\0' ? unit->state
                                           : unit->status);
    if (strcmp(outcome, "skipped") != 0) xml_attribute(show->out, "type", unit->status);
    text_string(show->out, "/>\n    </testcase>\n");
    return WB_OK;
}

static void junit_end(const struct show *show) {
    junit_close(show->out, NULL, "");
}

/* ---- All formats -----------------------------------------------------------------------------------------
 */

static void put_nothing(const struct show *show) {
    (void)show;
}

/* By wb_results_format. */
static const struct show_format {
    void (*begin)(const struct show *show);
    wb_status (*unit)(const struct show *show, const struct stored_unit *unit, bool is_first);
    void (*end)(const struct show *show);
} formats[] = {
    [WB_RESULTS_MARKDOWN] = {markdown_begin, put_markdown_unit, put_nothing},
    [WB_RESULTS_CSV] = {csv_begin, put_csv_unit, put_nothing},
    [WB_RESULTS_JSON] = {json_begin_units, put_json_unit, json_end},
    [WB_RESULTS_JSON_LINES] = {put_nothing, put_line, put_nothing},
    [WB_RESULTS_JUNIT] = {junit_begin, put_junit_unit, junit_end},
};

static wb_status show_units(const struct show *show, const struct show_format *format,
                            const wb_writer *writer) {
    wb_status status = WB_OK;
    format->begin(show);
    for (size_t i = 0; status == WB_OK && i < show->stored->units.count; i++) {
        status = format->unit(show, &show->stored->units.items[i], i == 0);
        if (status == WB_OK)
            status = report_written(report_flush(show->out, writer, false), show->diagnostics);
    }
    if (status != WB_OK) return status;
    format->end(show);
    return report_written(report_flush(show->out, writer, true), show->diagnostics);
}

wb_status wb_results_report(const wb_results *results, wb_results_format format, const char *const *where,
                            size_t where_count, const wb_writer *writer, wb_diagnostics *diagnostics) {
    struct arena arena = {0};
    struct stored_units stored;
    struct text out = {0};
    const struct show show = {results, &stored, diagnostics, &out};
    wb_status status = stored_read(results, &arena, diagnostics, &stored);
    if (status == WB_OK) status = stored_choose(&stored, where, where_count, diagnostics);
    if (status == WB_OK) status = show_units(&show, &formats[format], writer);
    text_free(&out);
    arena_free(&arena);
    return status;
}
