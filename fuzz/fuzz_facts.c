/* Any bytes as flow facts, with and without the line that names the kernel: one error, or facts that print as
 * text which reads back as the same facts. As PTX: the checksum of every kernel can be had. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/support/facts_text.h"
#include "launch/launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Two nested loops, a cycle with two entries, and a loop in a function that is called. */
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".func f()\n{\n.reg .pred %p;\nc:\n@%p bra c;\nret;\n}\n"
                          ".func g()\n{\nd:\nbra d;\n}\n"
                          ".entry k()\n{\n.reg .pred %p;\n"
                          "a:\n@%p bra b;\nb:\nbb:\n@%p bra b;\ncall f;\n@%p bra a;\n"
                          "@%p bra y;\nx:\nbar.sync 0;\ny:\n@%p bra x;\nret;\nz:\n}\n";

static _Noreturn void report(const char *what, const char *text) {
    (void)fprintf(stderr, "%s\n%s\n", what, text);
    abort();
}

static wb_module *kernel_module(void) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    if (wb_module_parse("k.ptx", ptx, sizeof ptx - 1, diagnostics, &module) != WB_OK)
        report("the kernel is wrong", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    return module;
}

static char *printed(const wb_facts *facts, wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (facts_print(facts, diagnostics, &text) != WB_OK)
        report("not printed", wb_diagnostics_text(diagnostics));
    return text;
}

static void check_round_trip(const wb_kernel *kernel, const wb_facts *facts, wb_diagnostics *diagnostics) {
    wb_facts *again = NULL;
    char *text = printed(facts, diagnostics);
    if (wb_facts_parse("printed", text, strlen(text), kernel, diagnostics, &again) != WB_OK)
        report(wb_diagnostics_text(diagnostics), text);
    char *second = printed(again, diagnostics);
    if (strcmp(text, second) != 0) report("prints differently", text);
    wb_facts_free(again);
    free(second);
    free(text);
}

static void read_facts(const wb_kernel *kernel, const char *text, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_facts *facts = NULL;
    wb_status status = wb_facts_parse("fuzz.facts", text, size, kernel, diagnostics, &facts);
    if (wb_diagnostics_errors(diagnostics) != (status != WB_OK))
        report("not one error", wb_diagnostics_text(diagnostics));
    if (status == WB_OK) {
        check_round_trip(kernel, facts, diagnostics);
        (void)facts_require_complete(facts, diagnostics);
    }
    wb_facts_free(facts);
    wb_diagnostics_free(diagnostics);
}

/* The facts of no statement, about every kernel of a module. */
static void read_headers(const char *text, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_status status = wb_module_parse("fuzz.ptx", text, size, diagnostics, &module);
    for (size_t i = 0; status == WB_OK && i < wb_module_kernel_count(module); i++) {
        const wb_kernel *kernel = wb_module_kernel(module, i);
        struct text header = {0};
        uint64_t checksum;
        if (facts_checksum(kernel, &checksum) != WB_OK) report("no checksum", wb_kernel_name(kernel));
        facts_put_header(kernel, checksum, &header);
        read_facts(kernel, header.data, header.length);
        text_free(&header);
    }
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_module *module = kernel_module();
    const wb_kernel *kernel = wb_module_kernel(module, 0);
    struct text text = {0};
    uint64_t checksum;
    if (facts_checksum(kernel, &checksum) != WB_OK) report("no checksum", ptx);
    read_facts(kernel, (const char *)data, size);
    facts_put_header(kernel, checksum, &text);
    text_append(&text, (const char *)data, size);
    read_facts(kernel, text.data, text.length);
    text_free(&text);
    wb_module_free(module);
    read_headers((const char *)data, size);
    return 0;
}
