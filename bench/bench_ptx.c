/* Speed of the PTX front end: parsing, and printing, of one large module made from PTX files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/files.h"
#include "bench_support.h"
#include "ptx/ptx.h"

#define MODULE_BYTES ((size_t)64 << 20)
#define REPETITIONS 3

static const char *const files[] = {
    "kernels/sgemm_tiled.ptx",       "kernels/reduce.ptx", "kernels/stencil5.ptx", "kernels/prefix_scan.ptx",
    "tests/data/ptx/calls_sm75.ptx",
};

#define FILE_COUNT ((unsigned)(sizeof files / sizeof *files))

/* Where a line starts that begins what a file declares: everything before it is the module's header. */
static const char *skip_header(const char *text) {
    const char *at = strstr(text, ".address_size");
    return at == NULL ? text : at + strcspn(at, "\n");
}

/* True for a byte that can be part of a name. */
static bool in_name(char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '$' ||
           c == '%';
}

/* True for the names that files declare at module level: mangled names, and kernels of C linkage with their
 * parameters. Registers, labels, opcodes and directives are left as they are. */
static bool is_global_name(const char *name, size_t length, const char *kernels) {
    if (length > 2 && name[0] == '_' && name[1] == 'Z') return true;
    const char *at = kernels;
    while (*at != '\0') {
        size_t kernel = strcspn(at, "\n");
        if (length >= kernel && kernel > 0 && memcmp(at, name, kernel) == 0 &&
            (length == kernel || strncmp(name + kernel, "_param_", 7) == 0))
            return true;
        at += kernel + (at[kernel] == '\n');
    }
    return false;
}

/* Appends a file's declarations with `number` behind every name that is global. */
static void append_renamed(struct text *out, const char *text, const char *kernels, unsigned number) {
    while (*text != '\0') {
        const char *name = text;
        while (in_name(*text))
            text++;
        size_t length = (size_t)(text - name);
        text_append(out, name, length);
        if (length > 0 && is_global_name(name, length, kernels)) text_printf(out, "x%u", number);
        if (length == 0) text_char(out, *text++);
    }
}

/* The names of a module's functions and variables, one a line. */
static void list_names(const wb_module *module, struct text *names) {
    for (uint32_t i = 0; i < module->function_count; i++)
        text_printf(names, "%s\n", module->functions[i].name);
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].owner == PTX_NO_INDEX) text_printf(names, "%s\n", module->variables[i].name);
}

/* One module of at least MODULE_BYTES from copies of the files. */
static void make_module(wb_diagnostics *diagnostics, struct text *out) {
    text_string(out, ".version 9.0\n.target sm_90\n.address_size 64\n");
    for (unsigned copy = 0; out->length < MODULE_BYTES; copy++) {
        for (unsigned i = 0; i < FILE_COUNT && out->length < MODULE_BYTES; i++) {
            wb_module *module = NULL;
            struct text names = {0};
            require(wb_module_read(files[i], diagnostics, &module), diagnostics);
            list_names(module, &names);
            append_renamed(out, skip_header(module->text), names.data, copy * FILE_COUNT + i);
            text_free(&names);
            wb_module_free(module);
        }
    }
}

static uint64_t instruction_count(const wb_module *module) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < module->function_count; i++)
        count += module->functions[i].inst_count;
    return count;
}

int main(void) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct text text = {0};
    make_module(diagnostics, &text);
    double best = 1e9;
    wb_module *module = NULL;
    for (int i = 0; i < REPETITIONS; i++) {
        wb_module_free(module);
        double start = seconds();
        require(wb_module_parse("large.ptx", text.data, text.length, diagnostics, &module), diagnostics);
        double taken = seconds() - start;
        if (taken < best) best = taken;
    }
    double megabytes = (double)text.length * 1e-6;
    (void)printf("parse: %.1f MB/s (%.0f MB, %llu instructions, %u functions, %.1f bytes kept a byte)\n",
                 megabytes / best, megabytes, (unsigned long long)instruction_count(module),
                 module->function_count, (double)module->arena.used / (double)text.length);
    char *printed = NULL;
    double start = seconds();
    require(wb_module_print(module, diagnostics, &printed), diagnostics);
    (void)printf("print: %.1f MB/s\n", (double)strlen(printed) * 1e-6 / (seconds() - start));
    free(printed);
    wb_module_free(module);
    text_free(&text);
    wb_diagnostics_free(diagnostics);
    return 0;
}
