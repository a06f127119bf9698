/* SARIF 2.1.0 (OASIS, 27 March 2020): a run whose results are a deadline that is not met and the messages
 * about places in files. Messages about nothing in particular are notifications of the invocation. */
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "report/gate/gate.h"
#include "report/write/json.h"
#include "report/write/source.h"
#include "report/write/xml.h"

/* Kinds of results, in the order of `rules`. */
enum rule {
    RULE_MISSED,
    RULE_OPEN,
    RULE_UNPROVEN,
    RULE_MODEL_ONLY,
    RULE_CONTRADICTION,
    RULE_ERROR,
    RULE_WARNING,
    RULE_NOTE,
    RULE_COUNT
};

static const struct {
    const char *id, *level, *sentence;
} rules[] = {
    [RULE_MISSED] = {"deadline-missed", "error",
                     "An execution was found that takes longer than the deadline."},
    [RULE_OPEN] = {"deadline-open", "warning",
                   "The least proven bound is above the deadline, but no execution that was found is."},
    [RULE_UNPROVEN] = {"deadline-unproven", "warning", "No bound is proven of what the deadline is about."},
    [RULE_MODEL_ONLY] = {"deadline-model-only", "warning",
                         "A model of PTX meets the deadline; nothing is proven of the code that runs."},
    [RULE_CONTRADICTION] = {"contradiction", "error",
                            "An execution was found that takes longer than what is proven: one is wrong."},
    [RULE_ERROR] = {"error", "error", "The input is wrong, or something that is needed is not known."},
    [RULE_WARNING] = {"warning", "warning", "The result may be of something else than was meant."},
    [RULE_NOTE] = {"note", "note", "A remark on an error or a warning."},
};

/* A text that was put together, and is freed. */
static void text_json(struct json *json, const char *key, const char *member, struct text *text) {
    json_open_object(json, key);
    json_take_text(json, member, text);
    json_close(json);
}

static void tool_json(struct json *json) {
    json_open_object(json, "tool");
    json_open_object(json, "driver");
    json_put(json, "name %s, version %s", "warpbound", wb_version());
    json_open_array(json, "rules");
    for (size_t rule = 0; rule < RULE_COUNT; rule++) {
        json_open_object(json, NULL);
        json_put_text(json, "id", rules[rule].id);
        json_put_object(json, "shortDescription", "text %s", rules[rule].sentence);
        json_put_object(json, "defaultConfiguration", "level %s", rules[rule].level);
        json_close(json);
    }
    json_close(json);
    json_close(json);
    json_close(json);
}

/* The part of a path that is below the folder of the process, which relative references are taken from. */
static const char *below_here(const char *path) {
    char here[PATH_MAX];
    if (path[0] != '/' || getcwd(here, sizeof here) == NULL) return path;
    const size_t length = strlen(here);
    return strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

/* "artifactLocation", or what the key is. */
static void artifact_json(struct json *json, const char *key, const char *path) {
    struct text uri = {0};
    text_string(&uri, "");
    uri_of_path(&uri, below_here(path));
    text_json(json, key, "uri", &uri);
}

/* Every file that was read, with its checksum. */
static void artifacts_json(struct json *json, const struct gate *gate) {
    const wb_input *input;
    json_open_array(json, "artifacts");
    for (size_t i = 0; (input = gate_input(gate, i)) != NULL; i++) {
        if (input->role == WB_INPUT_PRESET) continue; /* no file */
        json_open_object(json, NULL);
        artifact_json(json, "location", input->path);
        json_put_count(json, "length", input->bytes);
        json_put_object(json, "hashes", "sha-256 %s", input->sha256);
        json_put_object(json, "description", "text %s", wb_input_role_name(input->role));
        json_close(json);
    }
    json_close(json);
}

/* A place in a file; without a column when that is 0. */
static void location_json(struct json *json, const char *path, uint32_t line, uint32_t column) {
    json_open_object(json, "physicalLocation");
    artifact_json(json, "artifactLocation", path);
    if (line != 0) {
        json_open_object(json, "region");
        json_put_count(json, "startLine", line);
        if (column != 0) json_put_count(json, "startColumn", column);
        json_close(json);
    }
    json_close(json);
}

/* A place in the source that the code of file `code` names: where that lies, if it is found. */
static void source_location_json(struct json *json, const char *folder, const char *code, const char *name,
                                 uint32_t line) {
    struct text path = {0};
    location_json(json, source_find(folder, code, name, &path) ? path.data : name, line, 0);
    json->out->failed |= path.failed;
    text_free(&path);
}

static void rule_json(struct json *json, enum rule rule) {
    json_put(json, "ruleId %s, ruleIndex %u, level %s", rules[rule].id, rule, rules[rule].level);
}

/* ---- The deadline -------------------------------------------------------------------------------------- */

/* Where a kernel begins: in its source where the PTX says so, else in the PTX. */
static void kernel_place_json(struct json *json, const struct gate *gate) {
    const struct wb_module *module = gate->kernel->module;
    const struct ptx_function *function = kernel_function(gate->kernel);
    for (uint32_t i = 0; i < function->inst_count; i++) {
        if (function->insts[i].location == PTX_NO_INDEX) continue;
        const struct ptx_location *location = &module->locations[function->insts[i].location];
        const char *file = ptx_location_file(module, location);
        if (file == NULL || location->line == 0) continue;
        source_location_json(json, gate->source, gate->file != NULL ? gate->file : "", file, location->line);
        return;
    }
    const struct source_place place = source_place_at(&module->source, function->at);
    location_json(json, module->input.path, place.line, place.column);
}

static void kernel_location_json(struct json *json, const struct gate *gate) {
    json_open_array(json, "locations");
    json_open_object(json, NULL);
    if (gate->kernel != NULL)
        kernel_place_json(json, gate);
    else if (gate->file != NULL)
        location_json(json, gate->file, 1, 0);
    json_open_array(json, "logicalLocations");
    json_put_object(json, NULL, "fullyQualifiedName %s, kind %s", gate->name, "function");
    json_close(json);
    json_close(json);
    json_close(json);
}

/* Nothing where the deadline is met, or there is none and no contradiction. */
static void deadline_json(struct json *json, const struct gate *gate) {
    const wb_verdict *verdict = gate->verdict;
    if (verdict == NULL || verdict->state == WB_MET) return;
    if (!verdict->has_deadline && verdict->state != WB_CONTRADICTION) return;
    const enum rule rule = verdict->state == WB_MISSED          ? RULE_MISSED
                           : verdict->state == WB_OPEN          ? RULE_OPEN
                           : verdict->state == WB_MODEL_ONLY    ? RULE_MODEL_ONLY
                           : verdict->state == WB_CONTRADICTION ? RULE_CONTRADICTION
                                                                : RULE_UNPROVEN;
    struct text line = {0}, identity = {0}; /* of the result across runs, whatever its numbers are */
    text_printf(&line, "%s: ", gate->name);
    gate_put_line(&line, gate);
    text_printf(&identity, "deadline of %s %s", wb_scope_name(verdict->scope), gate->name);
    json_open_object(json, NULL);
    rule_json(json, rule);
    text_json(json, "message", "text", &line);
    kernel_location_json(json, gate);
    text_json(json, "partialFingerprints", "deadline/v1", &identity);
    json_open_object(json, "properties");
    verdict_json(json, verdict, gate->words.machine);
    json_close(json);
    json_close(json);
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

static const enum rule rule_of[] = {
    [WB_SEVERITY_ERROR] = RULE_ERROR, [WB_SEVERITY_WARNING] = RULE_WARNING, [WB_SEVERITY_NOTE] = RULE_NOTE};

static void place_json(struct json *json, const char *key, const wb_message *message, bool of_source) {
    json_open_array(json, key);
    json_open_object(json, NULL);
    if (of_source)
        source_location_json(json, NULL, message->where, message->source, message->source_line);
    else
        location_json(json, message->where, message->line, message->column);
    json_close(json);
    json_close(json);
}

/* Those about places: of the source where that is known, with that in the code beside it. */
static void places_json(struct json *json, const wb_diagnostics *messages) {
    wb_message message;
    for (size_t i = 0; wb_diagnostics_message(messages, i, &message); i++) {
        if (message.line == 0) continue;
        json_open_object(json, NULL);
        rule_json(json, rule_of[message.severity]);
        json_put_object(json, "message", "text %s", message.text);
        place_json(json, "locations", &message, message.source != NULL);
        if (message.source != NULL) place_json(json, "relatedLocations", &message, false);
        json_close(json);
    }
}

/* The others: about the command line, or about a file as a whole, whose name is then in the text. */
static void notifications_json(struct json *json, const wb_diagnostics *messages) {
    wb_message message;
    json_open_array(json, "toolExecutionNotifications");
    for (size_t i = 0; wb_diagnostics_message(messages, i, &message); i++) {
        if (message.line != 0) continue;
        struct text text = {0};
        text_printf(&text, "%s: %s", message.where, message.text);
        json_open_object(json, NULL);
        json_put_text(json, "level", rules[rule_of[message.severity]].level);
        text_json(json, "message", "text", &text);
        json_close(json);
    }
    json_close(json);
}

/* ---- The log ------------------------------------------------------------------------------------------- */

static void run_json(struct json *json, const struct gate *gate) {
    json_open_object(json, NULL);
    tool_json(json);
    json_open_array(json, "invocations");
    json_open_object(json, NULL);
    json_put_bool(json, "executionSuccessful", wb_diagnostics_errors(gate->messages) == 0);
    notifications_json(json, gate->messages);
    json_close(json);
    json_close(json);
    artifacts_json(json, gate);
    json_open_array(json, "results");
    deadline_json(json, gate);
    places_json(json, gate->messages);
    json_close(json);
    json_close(json);
}

void gate_put_sarif(struct text *out, const struct gate *gate) {
    struct json json = json_begin(out, JSON_LINES);
    json_open_object(&json, NULL);
    json_put(&json, "$schema %s, version %s", "https://json.schemastore.org/sarif-2.1.0.json", "2.1.0");
    json_open_array(&json, "runs");
    run_json(&json, gate);
    json_close(&json);
    json_close(&json);
}
