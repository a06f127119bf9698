/* Machines, and the list of presets, as text and JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/files.h"
#include "machine/files.h"
#include "report/parts/document.h"
#include "report/write/output.h"

/* ---- A machine ----------------------------------------------------------------------------------------- */

/* Longest key of a setting. */
#define KEY_MAX 256

/* A value of the YAML as what it is: a number, true or false, or a text. */
static void put_value(struct json *json, const char *name, const struct ytree_node *value) {
    const size_t length = strlen(value->text);
    uint64_t count;
    double real;
    if (!value->quoted && number_u64(value->text, length, &count))
        json_put_count(json, name, count);
    else if (!value->quoted && number_f64(value->text, length, &real))
        json_put_real(json, name, real);
    else if (!value->quoted && (strcmp(value->text, "true") == 0 || strcmp(value->text, "false") == 0))
        json_put_bool(json, name, value->text[0] == 't');
    else
        json_put_text(json, name, value->text);
}

/* A part of a key between its dots: names identify units and classes. */
static const char *key_part(const struct ytree_node *node) {
    const struct ytree_node *name = node->key == NULL ? ytree_find(node, "name") : NULL;
    if (node->key == NULL) return name != NULL ? name->text : "";
    if (strcmp(node->key, "units") == 0) return "unit";
    return strcmp(node->key, "classes") == 0 ? "class" : node->key;
}

/* The ends of a latency that is an interval. */
static void put_interval(struct json *json, const char *key, const struct ytree_node *ends) {
    json_open_object(json, NULL);
    json_put_text(json, "key", key);
    put_value(json, "least", ends->first);
    put_value(json, "value", ends->first->next);
    json_close(json);
}

/* Where figures come from: an entry of the machine's `sources`. */
static void put_source(struct json *json, const struct figure_source *source) {
    json_open_object(json, NULL);
    json_put_text(json, "mark", figure_mark_name((enum figure_mark)(source->mark + FIGURE_ASSUMED)));
    json_put_text(json, "date", source->date[0] != '\0' ? source->date : NULL);
    json_put_text(json, "from", source->from);
    json_open_array(json, "keys");
    for (uint32_t k = 0; k < source->key_count; k++)
        json_put_text(json, NULL, source->keys[k]);
    json_close(json);
    json_close(json);
}

/* A setting, or those of a mapping or a list, each with its key as --set has it. */
static void put_settings(struct json *json, const char *prefix, const struct ytree_node *node) {
    for (const struct ytree_node *value = node->first; value != NULL; value = value->next) {
        char key[KEY_MAX];
        (void)text_format(key, sizeof key, "%s%s%s", prefix, *prefix != '\0' ? "." : "", key_part(value));
        if (value->key != NULL && strcmp(value->key, "sources") == 0) continue;
        if (value->kind == YTREE_LIST && (value->key == NULL || strcmp(value->key, "units") != 0)) {
            put_interval(json, key, value);
            continue;
        }
        if (value->kind != YTREE_SCALAR) {
            put_settings(json, key, value);
            continue;
        }
        json_open_object(json, NULL);
        json_put_text(json, "key", key);
        put_value(json, "value", value);
        json_close(json);
    }
}

wb_status wb_machine_report(const wb_machine *machine, wb_report_format format, wb_diagnostics *diagnostics,
                            char **text) {
    char *yaml;
    WB_TRY(wb_machine_print(machine, diagnostics, &yaml));
    if (format == WB_REPORT_TEXT) {
        *text = yaml;
        return WB_OK;
    }
    struct text out = {0};
    struct ytree document = {0};
    wb_status status = ytree_parse(machine->name, yaml, strlen(yaml), diagnostics, &document);
    if (status == WB_OK) {
        struct json json = json_begin(&out, JSON_MEMBERS);
        document_open(&json, "warpbound-machine", 1);
        json_put_text(&json, "name", machine->name);
        json_open_array(&json, "settings");
        put_settings(&json, "", document.root);
        json_close(&json);
        if (isa_keys[machine_isa(machine)].has_marks || machine->sources.count > 0) {
            json_open_array(&json, "sources");
            for (size_t s = 0; s < machine->sources.count; s++)
                put_source(&json, &machine->sources.items[s]);
            json_close(&json);
        }
        json_close(&json);
    }
    ytree_free(&document);
    free(yaml);
    return report_take(status, &out, diagnostics, text);
}

/* ---- The presets --------------------------------------------------------------------------------------- */

static wb_status put_preset(struct json *json, const char *name, wb_diagnostics *diagnostics) {
    wb_machine *machine;
    WB_TRY(wb_machine_load(name, diagnostics, &machine));
    json_open_object(json, NULL);
    json_put_text(json, "name", name);
    json_put_text(json, "description", machine->description);
    json_close(json);
    wb_machine_free(machine);
    return WB_OK;
}

wb_status wb_machine_presets_report(wb_report_format format, wb_diagnostics *diagnostics, char **text) {
    const size_t count = wb_machine_preset_count();
    struct text out = {0};
    wb_status status = WB_OK;
    if (format == WB_REPORT_TEXT) {
        for (size_t i = 0; i < count; i++)
            text_printf(&out, "%s\n", wb_machine_preset_name(i));
    } else {
        struct json json = json_begin(&out, JSON_MEMBERS);
        document_open(&json, "warpbound-machines", 1);
        json_open_array(&json, "presets");
        for (size_t i = 0; status == WB_OK && i < count; i++)
            status = put_preset(&json, wb_machine_preset_name(i), diagnostics);
        json_close(&json);
        json_close(&json);
    }
    return report_take(status, &out, diagnostics, text);
}
