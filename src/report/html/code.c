#include "report/html/page.h"

wb_status html_code_open(const struct wb_analysis *analysis, struct html_code *code) {
    const struct sources sources = analysis_sources(analysis);
    *code = (struct html_code){.kernel = sources.kernel, .code_first = sources.code_first};
    return code->kernel != NULL ? source_lines_open(code->kernel->module, &code->lines) : WB_OK;
}

void html_code_close(struct html_code *code) {
    source_lines_close(&code->lines);
}

const struct ptx_inst *html_code_inst(const struct html_code *code, size_t index,
                                      const struct ptx_function **function) {
    return code_inst(code->kernel->module, code->code_first, (uint32_t)index, function);
}

void html_code_put(struct text *out, const struct html_code *code, size_t index) {
    const struct ptx_function *function;
    if (code->kernel == NULL) {
        text_printf(out, "instruction %zu", index);
        return;
    }
    const struct ptx_inst *inst = html_code_inst(code, index, &function);
    source_lines_put_inst(out, code->kernel->module, function, inst);
}

void html_code_put_place(struct text *out, const struct html_code *code, size_t index) {
    if (code->kernel == NULL) return;
    const struct inst_place place = source_lines_place(&code->lines, html_code_inst(code, index, NULL));
    source_lines_put_code(out, &place);
    if (place.source_file != NULL) text_printf(out, ", %s:%u", place.source_file, place.source_line);
}
