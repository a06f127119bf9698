/* Machine code as it is in its file: the listing, or as JSON (docs/json.md). */
#include <inttypes.h>

#include "base/base.h"
#include "ptx/ptx.h"
#include "report/parts/document.h"
#include "report/parts/inputs.h"
#include "report/write/json.h"
#include "report/write/output.h"
#include "sass/sass.h"

static void put_counter(struct json *json, const char *key, uint32_t counter) {
    json_put_count_if(json, key, counter != SASS_NO_COUNTER, counter);
}

static void put_control(struct json *json, const struct sass_control *control) {
    json_open_object(json, "control");
    json_put_count(json, "stall", control->stall);
    json_put_bool(json, "yield", control->yield);
    put_counter(json, "write_counter", control->write_counter);
    put_counter(json, "read_counter", control->read_counter);
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
    json_put_count(json, "address", inst->address);
    json_put_text(json, "word", word);
    json_put_text(json, "text", text.data);
    put_control(json, &inst->sass.control);
    json_put_text(json, "source_file",
                  inst->line != 0 && inst->file < code->file_count ? code->files[inst->file] : NULL);
    json_put_count_if(json, "source_line", inst->line != 0, inst->line);
    json_put_count_if(json, "ptx_line", inst->ptx_line != 0, inst->ptx_line);
    json_put_text(json, "unknown", inst->unknown);
    json_close(json);
    if (text.failed) json->out->failed = true;
    text_free(&text);
}

static void put_kernel(struct json *json, const struct machine_code *code,
                       const struct machine_kernel *kernel) {
    json_open_object(json, NULL);
    json_put_text(json, "name", kernel->name);
    json_put_count(json, "registers", kernel->registers);
    json_put_count(json, "shared_bytes", kernel->shared_bytes);
    json_put_count(json, "stack_bytes", kernel->stack_bytes);
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
                 "only machine code is printed as JSON, not PTX");
        return WB_ERR_INPUT;
    }
    put_code(&out, module);
    return report_take(WB_OK, &out, diagnostics, text);
}
