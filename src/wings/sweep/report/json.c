/* JSON: a document of all units, or a line for each. */
#include <string.h>

#include "report/parts/document.h"
#include "report/write/json.h"
#include "wings/sweep/report/show.h"

static void put_text_if(struct json *json, const char *key, const char *text) {
    json_put_text(json, key, text[0] != '\0' ? text : NULL);
}

static void put_number(void *context, const struct outcome_number *number) {
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

static void put_verdict(struct json *json, const struct stored_unit *unit) {
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
    put_verdict(json, unit);
    json_open_array(json, "numbers");
    const wb_status status = stored_numbers(show->results, unit, show->diagnostics, put_number, json);
    json_close(json);
    return status;
}

/* The array of units is written piece by piece: a writer of JSON for each, with commas between them. */
static void begin(const struct show *show) {
    struct json json = json_begin(show->out, JSON_ONE_LINE);
    document_open(&json, "warpbound-sweep", 1);
    json_open_array(&json, "units");
}

static wb_status put_unit(const struct show *show, const struct stored_unit *unit, bool is_first) {
    if (!is_first) text_char(show->out, ',');
    text_char(show->out, '\n');
    struct json json = json_begin(show->out, JSON_ONE_LINE);
    json_open_object(&json, NULL);
    const wb_status status = put_members(show, unit, &json);
    json_close(&json);
    return status;
}

static void end(const struct show *show) {
    text_string(show->out, "\n]}\n");
}

const struct show_format show_json = {begin, put_unit, end};

static void begin_lines(const struct show *show) {
    (void)show;
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

const struct show_format show_json_lines = {begin_lines, put_line, begin_lines};
