/* Machines, the list of presets, and machine code as it is in its file, as text and JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/files.h"
#include "machine/files.h"
#include "report/parts/document.h"
#include "report/parts/parts.h"
#include "report/write/output.h"
#include "sass/sass.h"

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

/* Where figures come from: an entry of the machine's `sources`. */
static void put_source(struct json *json, const struct figure_source *source) {
    json_open_object(json, NULL);
    json_put(json, "mark %s, date %*s, from %s",
             figure_mark_name((enum figure_mark)(source->mark + FIGURE_ASSUMED)), source->date[0] != '\0',
             source->date, source->from);
    json_put_texts(json, "keys", source->keys, source->key_count);
    json_close(json);
}

/* A setting, or those of a mapping or a list, each with its key as --set has it. */
static void put_settings(struct json *json, const char *prefix, const struct ytree_node *node) {
    for (const struct ytree_node *value = node->first; value != NULL; value = value->next) {
        char key[KEY_MAX];
        (void)text_format(key, sizeof key, "%s%s%s", prefix, *prefix != '\0' ? "." : "", key_part(value));
        if (value->key != NULL && strcmp(value->key, "sources") == 0) continue;
        /* A latency that is an interval has two ends. */
        const bool is_interval =
            value->kind == YTREE_LIST && (value->key == NULL || strcmp(value->key, "units") != 0);
        if (value->kind != YTREE_SCALAR && !is_interval) {
            put_settings(json, key, value);
            continue;
        }
        json_open_object(json, NULL);
        json_put_text(json, "key", key);
        if (is_interval) put_value(json, "least", value->first);
        put_value(json, "value", is_interval ? value->first->next : value);
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

static void preset_json(void *json, const wb_machine *machine) {
    const bool is_code = machine_isa(machine) == ISA_SASS;
    json_put_object(json, NULL, "name %s, description %s, architecture %*u, sms %u, clock_mhz %g",
                    machine->name, machine->description, is_code, machine->sass.sm, machine->memory.sms,
                    machine->clock_mhz);
}

static void preset_row(void *table, const wb_machine *machine) {
    sheet_text(table, machine->name);
    if (machine_isa(machine) == ISA_SASS)
        sheet_printf(table, "sm_%u", machine->sass.sm);
    else
        sheet_text(table, "PTX");
    sheet_count(table, machine->memory.sms);
    sheet_printf(table, "%g", machine->clock_mhz);
    sheet_text(table, machine->description);
    sheet_end_row(table);
}

static wb_status put_presets(void (*put)(void *to, const wb_machine *machine), void *to,
                             wb_diagnostics *diagnostics) {
    for (size_t i = 0; i < wb_machine_preset_count(); i++) {
        wb_machine *machine = NULL;
        WB_TRY(wb_machine_load(wb_machine_preset_name(i), diagnostics, &machine));
        put(to, machine);
        wb_machine_free(machine);
    }
    return WB_OK;
}

static wb_status put_table_of_presets(struct text *out, wb_diagnostics *diagnostics) {
    struct sheet table = {0};
    sheet_column(&table, SHEET_LEFT, 0, "name");
    sheet_column(&table, SHEET_LEFT, 22, "times");
    sheet_column(&table, SHEET_RIGHT, 32, "SMs");
    sheet_column(&table, SHEET_RIGHT, 39, "MHz");
    sheet_column(&table, SHEET_LEFT, 41, "what it is");
    sheet_headings(&table);
    const wb_status status = put_presets(preset_row, &table, diagnostics);
    sheet_close(&table, out);
    return status;
}

wb_status wb_machine_presets_report(wb_report_format format, wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    wb_status status;
    if (format == WB_REPORT_TEXT) {
        status = put_table_of_presets(&out, diagnostics);
    } else {
        struct json json = json_begin(&out, JSON_MEMBERS);
        document_open(&json, "warpbound-machines", 1);
        json_open_array(&json, "presets");
        status = put_presets(preset_json, &json, diagnostics);
        json_close(&json);
        json_close(&json);
    }
    return report_take(status, &out, diagnostics, text);
}

/* ---- Machine code ------------------------------------------------------------------------------------ */

static void put_control(struct json *json, const struct sass_control *control) {
    json_open_object(json, "control");
    json_put(json, "stall %u, yield %d, write_counter %*u, read_counter %*u", control->stall, control->yield,
             control->write_counter != SASS_NO_COUNTER, control->write_counter,
             control->read_counter != SASS_NO_COUNTER, control->read_counter);
    json_open_array(json, "waits");
    for (uint32_t counter = 0; counter < 6; counter++)
        if ((control->waits >> counter & 1) != 0) json_put_count(json, NULL, counter);
    json_close(json);
    json_close(json);
}

static void put_inst(struct json *json, const struct machine_code *code, const struct machine_inst *inst) {
    char word[33];
    struct text text = {0};
    (void)text_format(word, sizeof word, "%016" PRIx64 "%016" PRIx64, inst->sass.word[1], inst->sass.word[0]);
    sass_put(&inst->sass, &text);
    json_open_object(json, NULL);
    json_put(json, "address %u, word %s, text %s", inst->address, word, text.data);
    put_control(json, &inst->sass.control);
    json_put(json, "source_file %s, source_line %*u, ptx_line %*u, unknown %s",
             inst->line != 0 && inst->file < code->file_count ? code->files[inst->file] : NULL,
             inst->line != 0, inst->line, inst->ptx_line != 0, inst->ptx_line, inst->unknown);
    json_close(json);
    if (text.failed) json->out->failed = true;
    text_free(&text);
}

static void put_kernel(struct json *json, const struct machine_code *code,
                       const struct machine_kernel *kernel) {
    json_open_object(json, NULL);
    json_put(json, "name %s, registers %u, shared_bytes %" PRIu64 ", stack_bytes %u", kernel->name,
             kernel->registers, kernel->shared_bytes, kernel->stack_bytes);
    json_open_array(json, "instructions");
    for (uint32_t i = 0; i < kernel->count; i++) {
        json_break(json, 4);
        put_inst(json, code, &code->insts[kernel->first + i]);
    }
    json_close(json);
    json_close(json);
}

static void put_code(struct text *out, const wb_module *module) {
    const struct machine_code *code = module->code;
    struct json json = json_begin(out, JSON_MEMBERS);
    document_open(&json, "warpbound-code", 1);
    inputs_list_json(&json, &module->input, 1);
    json_put_count(&json, "architecture", code->sm);
    json_open_array(&json, "kernels");
    for (uint32_t k = 0; k < code->kernel_count; k++)
        put_kernel(&json, code, &code->kernels[k]);
    json_close(&json);
    json_close(&json);
}

wb_status wb_module_report(const wb_module *module, wb_report_format format, wb_diagnostics *diagnostics,
                           char **text) {
    struct text out = {0};
    if (format != WB_REPORT_JSON) return wb_module_print(module, diagnostics, text);
    if (module->code == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, module->source.name,
                 module->units != NULL ? "code of one unit alone is printed as JSON: name it"
                                       : "only machine code is printed as JSON, not PTX");
        return WB_ERR_INPUT;
    }
    put_code(&out, module);
    return report_take(WB_OK, &out, diagnostics, text);
}
