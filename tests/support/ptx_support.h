/* What the tests of the PTX front end share. */
#ifndef WB_TESTS_PTX_SUPPORT_H
#define WB_TESTS_PTX_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/files.h"
#include "ptx/ptx.h"
#include "ptx_equal.h"

#define PTX_HEADER ".version 8.0 .target sm_80 .address_size 64 "
#define PTX_KERNEL                                                                                           \
    PTX_HEADER ".entry k(.param .u64 p) { .reg .b32 %r<5>; .reg .pred %p<3>; .reg .f32 %f<3>; "              \
               ".reg .b64 %rd<3>;\n"

/* Parses text that must be correct; warnings are allowed. */
static inline wb_module *ptx_parse_good(const char *text, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_status status = wb_module_parse("good.ptx", text, size, diagnostics, &module);
    if (status != WB_OK) print_error("%s", wb_diagnostics_text(diagnostics));
    assert_int_equal(status, WB_OK);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 0);
    wb_diagnostics_free(diagnostics);
    return module;
}

/* Parses the statements of a kernel with registers %r<5>, %p<3>, %f<3>, %rd<3> and parameter p. */
static inline wb_module *ptx_parse_statements(const char *statements) {
    struct text text = {0};
    text_printf(&text, "%s%s}\n", PTX_KERNEL, statements);
    wb_module *module = ptx_parse_good(text.data, text.length);
    text_free(&text);
    return module;
}

static inline char *ptx_print_good(const wb_module *module) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *text = NULL;
    assert_int_equal(wb_module_print(module, diagnostics, &text), WB_OK);
    wb_diagnostics_free(diagnostics);
    return text;
}

/* The property of the printer: what it prints parses to the same module and prints the same again. */
static inline void ptx_check_round_trip(const wb_module *module, const char *name) {
    char *first = ptx_print_good(module);
    wb_module *again = ptx_parse_good(first, strlen(first));
    ptx_difference difference = ptx_compare_module(module, again);
    if (difference != NULL) print_error("%s: '%s' differs after printing\n", name, difference);
    assert_null(difference);
    char *second = ptx_print_good(again);
    assert_string_equal(first, second);
    free(first);
    free(second);
    wb_module_free(again);
}

/* Reads a file that must be there; *text is malloc'd. */
static inline void ptx_read_file(const char *path, char **text, size_t *size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(file_read(path, SOURCE_SIZE_MAX, diagnostics, text, size), WB_OK);
    wb_diagnostics_free(diagnostics);
}

#endif
