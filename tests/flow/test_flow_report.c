/* Reports of control flow: whole outputs, and the refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/files.h"
#include "launch_text.h"

static void assert_report(const char *ptx, wb_cfg_format format, const char *expected_path) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module;
    const wb_kernel *kernel;
    char *text;
    char *expected;
    size_t size;
    if (wb_module_read(ptx, diagnostics, &module) != WB_OK) fail_msg("%s", wb_diagnostics_text(diagnostics));
    assert_int_equal(wb_module_find_kernel(module, NULL, diagnostics, &kernel), WB_OK);
    assert_int_equal(wb_kernel_cfg(kernel, NULL, format, diagnostics, &text), WB_OK);
    assert_int_equal(file_read(expected_path, SOURCE_SIZE_MAX, diagnostics, &expected, &size), WB_OK);
    assert_string_equal(text, expected);
    assert_string_equal(wb_diagnostics_text(diagnostics), "");
    free(expected);
    free(text);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

static void test_nested_loops(void **state) {
    (void)state;
    assert_report("tests/data/flow/nest.ptx", WB_CFG_TEXT, "tests/data/flow/nest.txt");
    assert_report("tests/data/flow/nest.ptx", WB_CFG_DOT, "tests/data/flow/nest.dot");
}

static void test_rare_shapes(void **state) {
    (void)state;
    assert_report("tests/data/flow/shapes.ptx", WB_CFG_TEXT, "tests/data/flow/shapes.txt");
    assert_report("tests/data/flow/shapes.ptx", WB_CFG_DOT, "tests/data/flow/shapes.dot");
}

/* Why the branches at each of the labels are uniform or divergent, one report behind the other. */
static void test_reasons_of_branches(void **state) {
    (void)state;
    static const char *const labels[] = {"$UNIFORM", "$LOOP", "$MEMORY", "$GUARD", "$END"};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module;
    struct text reports = {0};
    char *expected;
    size_t size;
    assert_int_equal(wb_module_read("tests/data/flow/why.ptx", diagnostics, &module), WB_OK);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        char *text;
        assert_int_equal(wb_kernel_why(wb_module_kernel(module, 0), NULL, labels[i], diagnostics, &text),
                         WB_OK);
        text_string(&reports, text);
        free(text);
    }
    assert_int_equal(file_read("tests/data/flow/why.txt", SOURCE_SIZE_MAX, diagnostics, &expected, &size),
                     WB_OK);
    assert_string_equal(reports.data, expected);
    free(expected);
    text_free(&reports);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

/* With the shape of a block known, a branch on %tid.x / 32 is uniform. */
static void test_reasons_in_a_known_block(void **state) {
    (void)state;
    static const char source[] =
        ".version 8.0\n.target sm_80\n.entry k () {\n.reg .pred %p;\n.reg .b32 %r<3>;\n"
        "mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nsetp.eq.u32 %p, %r2, 0;\n"
        "@%p bra A;\nmov.u32 %r1, 1;\nA: ret;\n}\n";
    static const struct {
        const char *block, *answer;
    } cases[] = {{NULL, "line 9: divergent"}, {"64", "line 9: uniform"}, {"16,4", "line 9: divergent"}};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module;
    assert_int_equal(wb_module_parse("t.ptx", source, sizeof source - 1, diagnostics, &module), WB_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_launch *launch = cases[i].block == NULL ? NULL : wb_launch_new();
        char *text;
        if (launch != NULL) assert_int_equal(launch_block_text(launch, cases[i].block, diagnostics), WB_OK);
        assert_int_equal(wb_kernel_why(wb_module_kernel(module, 0), launch, "A", diagnostics, &text), WB_OK);
        if (strstr(text, cases[i].answer) == NULL) fail_msg("%s: %s", cases[i].answer, text);
        free(text);
        wb_launch_free(launch);
    }
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

static void test_unknown_label(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module;
    char *text = NULL;
    assert_int_equal(wb_module_read("tests/data/flow/why.ptx", diagnostics, &module), WB_OK);
    assert_int_equal(wb_kernel_why(wb_module_kernel(module, 0), NULL, "LOOP", diagnostics, &text),
                     WB_ERR_INPUT);
    assert_null(text);
    assert_string_equal(
        wb_diagnostics_text(diagnostics),
        "LOOP: error: kernel why has no such label; it has 7: $UNIFORM, $JOIN, $LOOP, $MEMORY, "
        "$GUARD, $UNWRITTEN, $END\n");
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

/* The report of a kernel with this body: its status, and in *messages the diagnostics. */
static wb_status report_body(const char *body, char **text, struct text *messages) {
    struct text source = {0};
    text_string(&source, ".version 8.0\n.target sm_80\n.entry k () {\n.reg .pred %p;\n.reg .b32 %r;\n");
    text_string(&source, body);
    text_string(&source, "}\n");
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module;
    if (wb_module_parse("t.ptx", source.data, source.length, diagnostics, &module) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_status status = wb_kernel_cfg(wb_module_kernel(module, 0), NULL, WB_CFG_TEXT, diagnostics, text);
    text_string(messages, wb_diagnostics_text(diagnostics));
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    text_free(&source);
    return status;
}

static void test_empty_kernel(void **state) {
    (void)state;
    struct text messages = {0};
    char *text;
    assert_int_equal(report_body("", &text, &messages), WB_OK);
    assert_string_equal(text, "kernel k (t.ptx): 0 instructions, 0 blocks, 0 loops\n");
    free(text);
    text_free(&messages);
}

static void test_deepest_nest_that_is_reported(void **state) {
    (void)state;
    for (int depth = 100; depth <= 101; depth++) {
        struct text body = {0};
        struct text messages = {0};
        char *text = NULL;
        for (int i = 0; i < depth; i++)
            text_printf(&body, "L%d: mov.u32 %%r, %d;\n", i, i);
        for (int i = depth; i-- > 0;)
            text_printf(&body, "@%%p bra L%d;\n", i);
        assert_int_equal(report_body(body.data, &text, &messages), depth == 100 ? WB_OK : WB_ERR_LIMIT);
        if (depth == 101) {
            assert_null(text);
            assert_non_null(strstr(messages.data, "t.ptx:106:7: error: loops are nested more than 100 deep"));
        }
        free(text);
        text_free(&messages);
        text_free(&body);
    }
}

static void test_too_many_edges(void **state) {
    (void)state;
    struct text body = {0};
    struct text messages = {0};
    char *text = NULL;
    text_string(&body, "TABLE: .branchtargets L0");
    for (int i = 1; i < 4097; i++)
        text_printf(&body, ", L%d", i);
    text_string(&body, ";\n");
    for (int i = 0; i < 4097; i++)
        text_printf(&body, "L%d: brx.idx %%r, TABLE;\n", i);
    assert_int_equal(report_body(body.data, &text, &messages), WB_ERR_LIMIT);
    assert_null(text);
    assert_string_equal(messages.data, "t.ptx: error: the control flow of kernel k needs too much memory\n");
    text_free(&messages);
    text_free(&body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_rare_shapes),
        cmocka_unit_test(test_empty_kernel),
        cmocka_unit_test(test_deepest_nest_that_is_reported),
        cmocka_unit_test(test_too_many_edges),
        cmocka_unit_test(test_reasons_of_branches),
        cmocka_unit_test(test_reasons_in_a_known_block),
        cmocka_unit_test(test_unknown_label),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
