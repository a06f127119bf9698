/* What `path` prints of a block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "warpbound.h"

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n"
    ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    ".loc 1 7 3\nmov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [a];\nmul.wide.u32 %rd2, %r1, 4;\n"
    "add.u64 %rd3, %rd1, %rd2;\nmov.u32 %r2, 0;\n"
    "LOOP:\n.loc 1 9 5\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 40;\n@%p1 bra LOOP;\n"
    ".loc 1 11 1\nst.global.u32 [%rd3], %r2;\nret;\n}\n";

struct traced {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_launch *launch;
    wb_block *block;
};

static struct traced trace(void) {
    const wb_trace_options options = {.size = sizeof options, .record_accesses = true};
    struct traced t = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    const wb_kernel *kernel = NULL;
    assert_int_equal(wb_module_parse("k.ptx", ptx, strlen(ptx), t.diagnostics, &t.module), WB_OK);
    assert_int_equal(wb_module_find_kernel(t.module, "k", t.diagnostics, &kernel), WB_OK);
    assert_int_equal(wb_launch_set_grid(t.launch, (const uint32_t[3]){1, 1, 1}, t.diagnostics), WB_OK);
    assert_int_equal(wb_launch_set_block(t.launch, (const uint32_t[3]){48, 1, 1}, t.diagnostics), WB_OK);
    assert_int_equal(wb_launch_add_argument(t.launch, "buf:u32[48]", t.diagnostics), WB_OK);
    assert_int_equal(wb_block_trace(kernel, t.launch, &options, t.diagnostics, &t.block), WB_OK);
    return t;
}

static void traced_free(struct traced *t) {
    wb_block_free(t->block);
    wb_launch_free(t->launch);
    wb_module_free(t->module);
    wb_diagnostics_free(t->diagnostics);
}

static void text_shows_runs_and_accesses(void **state) {
    (void)state;
    static const char expected[] =
        "k: block 0,0,0 of grid 1,1,1, threads 48,1,1, 0 bytes of shared memory\n"
        "\n"
        "path 0: warps 0, 127 steps; by lines of the PTX and lanes:\n"
        "  lines 9-18          ffffffff    k (k.cu:7)\n"
        "  lines 16-18         ffffffff    k (k.cu:9)\n"
        "  the last 1 run 37 more times\n"
        "  lines 16-21         ffffffff    k (k.cu:9)\n"
        "\n"
        "path 1: warps 1, 127 steps; by lines of the PTX and lanes:\n"
        "  lines 9-18          0000ffff    k (k.cu:7)\n"
        "  lines 16-18         0000ffff    k (k.cu:9)\n"
        "  the last 1 run 37 more times\n"
        "  lines 16-21         0000ffff    k (k.cu:9)\n"
        "\n"
        "accesses of warp 0:\n"
        "  step 1: ld.param.u64, 8 bytes of param at 0x3000000, lanes ffffffff\n"
        "  step 125: st.global.u32, 4 bytes of global at 0x79d200000000 + 4 * lane, lanes ffffffff\n"
        "\n"
        "accesses of warp 1:\n"
        "  step 1: ld.param.u64, 8 bytes of param at 0x3000000, lanes 0000ffff\n"
        "  step 125: st.global.u32, 4 bytes of global at 0x79d200000080 + 4 * lane, lanes 0000ffff\n";
    struct traced t = trace();
    char *text = NULL;
    assert_int_equal(wb_block_report(t.block, WB_REPORT_TEXT, t.diagnostics, &text), WB_OK);
    assert_string_equal(text, expected);
    free(text);
    traced_free(&t);
}

static json_int_t number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static void json_has_the_same(void **state) {
    (void)state;
    struct traced t = trace();
    char *text = NULL;
    assert_int_equal(wb_block_report(t.block, WB_REPORT_JSON, t.diagnostics, &text), WB_OK);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    const json_t *paths = json_object_get(root, "paths"), *path = json_array_get(paths, 1);
    const json_t *runs = json_object_get(path, "runs");
    assert_int_equal(json_array_size(paths), 2);
    assert_int_equal(number(path, "steps"), 127);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(path, "warps"), 0)), 1);
    assert_int_equal(json_array_size(runs), 4);
    assert_int_equal(number(json_array_get(runs, 0), "mask"), 0xffff);
    assert_int_equal(number(json_array_get(runs, 1), "source_line"), 9);
    assert_int_equal(number(json_array_get(runs, 2), "repeat_last"), 1);
    assert_int_equal(number(json_array_get(runs, 2), "times"), 37);
    const json_t *store = json_array_get(json_array_get(json_object_get(root, "accesses"), 0), 1);
    assert_string_equal(json_string_value(json_object_get(store, "opcode")), "st.global.u32");
    assert_int_equal(number(store, "stride"), 4);
    json_decref(root);
    free(text);
    traced_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_shows_runs_and_accesses),
        cmocka_unit_test(json_has_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
