/* Kernel instruction strings of PTX kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_suite.h"
#include "launch_text.h"
#include "messages.h"
#include "wings/makespan/strings/notation.h"
#include "wings/makespan/strings/path_string.h"

/* A traced block. */
struct traced {
    struct loaded_kernel loaded;
    wb_block *block;
};

static struct traced trace(struct loaded_kernel loaded) {
    struct traced traced = {.loaded = loaded};
    kernel_expect_ok(wb_block_trace(loaded.kernel, loaded.launch, NULL, loaded.diagnostics, &traced.block),
                     "trace", loaded.diagnostics);
    return traced;
}

static struct traced trace_ptx(const char *ptx, const char *threads) {
    struct loaded_kernel loaded = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    kernel_expect_ok(wb_module_parse("k.ptx", ptx, strlen(ptx), loaded.diagnostics, &loaded.module), "parse",
                     loaded.diagnostics);
    kernel_expect_ok(wb_module_find_kernel(loaded.module, "k", loaded.diagnostics, &loaded.kernel), "find",
                     loaded.diagnostics);
    assert_int_equal(wb_launch_set_grid(loaded.launch, (const uint32_t[3]){1, 1, 1}, loaded.diagnostics),
                     WB_OK);
    assert_int_equal(launch_block_text(loaded.launch, threads, loaded.diagnostics), WB_OK);
    return trace(loaded);
}

static void traced_free(struct traced *traced) {
    wb_block_free(traced->block);
    kernel_unload(&traced->loaded);
}

static struct path_string make(const struct traced *traced, enum path_extent extent) {
    struct path_string string;
    kernel_expect_ok(path_string_make(traced->block, extent, traced->loaded.diagnostics, &string), "string",
                     traced->loaded.diagnostics);
    return string;
}

static void assert_string(const struct path_string *string, const char *expected) {
    struct text out = {0};
    notation_print(&out, string->string.units.items, (uint32_t)string->string.units.count);
    assert_string_equal(out.data, expected);
    text_free(&out);
}

static struct unit_string parsed(const char *text) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const struct subject subject = {.where = text};
    struct unit_string string = {0};
    assert_int_equal(notation_parse(text, strlen(text), &subject, diagnostics, &string), WB_OK);
    wb_diagnostics_free(diagnostics);
    return string;
}

static void assert_difference(const struct unit_string *a, const char *b, const char *expected) {
    struct unit_string other = parsed(b);
    struct string_difference difference = string_difference_of(a, &other);
    struct text out = {0};
    string_difference_print(&difference, &out);
    assert_string_equal(out.data, expected);
    text_free(&out);
    unit_string_free(&other);
}

/* ETFA'13's case study, from our own CUDA source: the comparison that docs/makespan.md shows. */
static void test_voronoi(void **state) {
    (void)state;
    struct traced traced = trace(kernel_load("kernels/voronoi.ptx", "kernels/voronoi.yaml"));
    struct path_string prefix = make(&traced, PATH_BRANCHLESS_PREFIX);
    assert_string(&prefix, "L5C20LCLC11");
    assert_difference(&prefix.string, "L5C9L2C9",
                      "39 letters against 25 (L: 7 against 7, C: 32 against 18) in 6 runs against 4; equal "
                      "are the first 14 and the last 9");
    struct path_string whole = make(&traced, PATH_WHOLE);
    assert_int_equal(whole.string.units.count, 25 + 40 * 14 + 7);
    assert_int_equal(whole.warp, 0);
    assert_int_equal(whole.mapping.count, 25 + 14 + 7);
    path_string_free(&whole);
    path_string_free(&prefix);
    traced_free(&traced);
}

static const char header[] = ".version 8.0\n.target sm_80\n.address_size 64\n";

/* Unit types of opcode classes, a loop, a function, a barrier and a warp with a longer path than others. */
static void test_mapping(void **state) {
    (void)state;
    struct text ptx = {0};
    text_string(&ptx, header);
    text_string(&ptx, ".shared .b32 s[32];\n"
                      ".visible .entry k()\n{\n.reg .pred %p<3>; .reg .b32 %r<4>; .reg .f32 %f<3>;\n"
                      ".reg .f64 %d<3>;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nmov.f32 %f1, 0f3f800000;\n"
                      "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra END;\n"
                      "LOOP:\nsin.approx.f32 %f2, %f1;\ncvt.f64.f32 %d1, %f2;\nadd.f64 %d2, %d1, %d1;\n"
                      "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 3;\n@%p2 bra LOOP;\n"
                      "st.shared.u32 [s], %r2;\nEND:\nbar.sync 0;\nnanosleep.u32 9;\nmembar.gl;\n"
                      "bar.warp.sync -1;\nret;\n}\n");
    struct traced traced = trace_ptx(ptx.data, "64");
    struct path_string whole = make(&traced, PATH_WHOLE);
    assert_int_equal(whole.warp, 1);
    assert_int_equal(whole.waits, 3); /* not where lanes join */
    assert_string(&whole, "C5SD2C3SD2C3SD2C3LC4");
    struct text out = {0};
    path_string_print_mapping(traced.block, &whole, &out);
    assert_string_equal(out.data, "line    times     unit  class             opcode\n"
                                  "9       1         C     move              mov.u32\n"
                                  "10      1         C     move              mov.u32\n"
                                  "11      1         C     move              mov.f32\n"
                                  "12      1         C     compare           setp.lt.u32\n"
                                  "13      1         C     branch            bra\n"
                                  "15      3         S     fp32_special      sin.approx.f32\n"
                                  "16      3         D     convert64         cvt.f64.f32\n"
                                  "17      3         D     fp64              add.f64\n"
                                  "18      3         C     int_add           add.u32\n"
                                  "19      3         C     compare           setp.lt.u32\n"
                                  "20      3         C     branch            bra\n"
                                  "21      1         L     store_shared      st.shared.u32\n"
                                  "23      1         C     barrier           bar.sync\n"
                                  "24      1         C     other             nanosleep.u32\n"
                                  "25      1         C     fence             membar.gl\n"
                                  "26      1         C     warp_sync         bar.warp.sync\n");
    struct path_string prefix = make(&traced, PATH_BRANCHLESS_PREFIX);
    assert_string(&prefix, "C5SD2C3");
    assert_int_equal(prefix.waits, 0);
    text_free(&out);
    path_string_free(&prefix);
    path_string_free(&whole);
    traced_free(&traced);
    text_free(&ptx);
}

/* Where no instruction is executed twice the prefix is the path. */
static void test_path_without_a_loop(void **state) {
    (void)state;
    struct traced traced = trace(kernel_load("kernels/vecadd.ptx", "kernels/vecadd.yaml"));
    struct path_string whole = make(&traced, PATH_WHOLE);
    struct path_string prefix = make(&traced, PATH_BRANCHLESS_PREFIX);
    assert_int_equal(whole.string.units.count, prefix.string.units.count);
    assert_memory_equal(whole.string.units.items, prefix.string.units.items, whole.string.units.count);
    path_string_free(&prefix);
    path_string_free(&whole);
    traced_free(&traced);
}

/* A path that is longer than a string may be is refused without going through it. */
static void test_limits(void **state) {
    (void)state;
    struct text ptx = {0};
    text_string(&ptx, header);
    text_string(&ptx,
                ".visible .entry k()\n{\n.reg .pred %p<2>; .reg .b32 %r<2>;\nmov.u32 %r1, 0;\n"
                "LOOP:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 400000;\n@%p1 bra LOOP;\nret;\n}\n");
    struct traced traced = trace_ptx(ptx.data, "32");
    struct path_string string;
    assert_int_equal(path_string_make(traced.block, PATH_WHOLE, traced.loaded.diagnostics, &string),
                     WB_ERR_LIMIT);
    assert_first_message(traced.loaded.diagnostics,
                         "k: error: warp 0 executes 1200001 instructions, which is more than the 1000000 "
                         "that a string can have; its branchless prefix may be short enough",
                         ptx.data);
    path_string_free(&string);
    string = make(&traced, PATH_BRANCHLESS_PREFIX);
    assert_string(&string, "C4");
    path_string_free(&string);
    traced_free(&traced);
    text_free(&ptx);
}

static void test_kernel_without_instructions(void **state) {
    (void)state;
    struct text ptx = {0};
    text_string(&ptx, header);
    text_string(&ptx, ".visible .entry k()\n{\nret;\n}\n");
    struct traced traced = trace_ptx(ptx.data, "32");
    struct path_string string;
    assert_int_equal(path_string_make(traced.block, PATH_WHOLE, traced.loaded.diagnostics, &string),
                     WB_ERR_INPUT);
    assert_first_message(traced.loaded.diagnostics,
                         "k: error: warp 0 executes no instruction that the string could have", ptx.data);
    path_string_free(&string);
    traced_free(&traced);
    text_free(&ptx);
}

static void test_differences(void **state) {
    (void)state;
    struct unit_string string = parsed("L2CL2");
    assert_difference(&string, "LLCLL", "the strings are equal");
    assert_difference(&string, "LLSLL",
                      "5 letters against 5 (L: 4 against 4, C: 1 against 0, S: 0 against 1) in 3 runs "
                      "against 3; equal are the first 2 and the last 2");
    assert_difference(&string, "LL",
                      "5 letters against 2 (L: 4 against 2, C: 1 against 0) in 3 runs against "
                      "1; equal are the first 2 and the last 0");
    unit_string_free(&string);
}

/* Every kernel gives a string of the instructions of a warp, and its mapping has a row for each of them. */
static void test_kernel(void **state) {
    const struct kernel_case *kernel = *state;
    struct traced traced = trace(kernel_load(kernel->ptx, kernel->launch));
    struct path_string whole = make(&traced, PATH_WHOLE);
    assert_int_equal(whole.string.units.count, wb_block_warp_instructions(traced.block, whole.warp));
    for (uint32_t warp = 0; warp < wb_block_warp_count(traced.block); warp++)
        assert_true(wb_block_warp_instructions(traced.block, warp) <= whole.string.units.count);
    uint64_t times = 0;
    for (size_t i = 0; i < whole.mapping.count; i++) {
        const struct mapped_instruction *mapped = &whole.mapping.items[i];
        times += mapped->times;
        assert_true(mapped->times > 0 && mapped->unit < UNIT_TYPES);
        const struct ptx_inst *inst = block_inst(traced.block, mapped->instruction, NULL);
        assert_int_equal(mapped->line, source_place_at(&traced.block->kernel->module->source, inst->at).line);
    }
    assert_int_equal(times, whole.string.units.count);
    struct path_string prefix = make(&traced, PATH_BRANCHLESS_PREFIX);
    assert_true(prefix.string.units.count <= whole.string.units.count);
    assert_int_equal(prefix.string.units.count, prefix.mapping.count);
    assert_memory_equal(prefix.string.units.items, whole.string.units.items, prefix.string.units.count);
    path_string_free(&prefix);
    path_string_free(&whole);
    traced_free(&traced);
}

int main(void) {
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_voronoi),
        cmocka_unit_test(test_mapping),
        cmocka_unit_test(test_path_without_a_loop),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_kernel_without_instructions),
        cmocka_unit_test(test_differences),
    };
    return kernel_suite_run("strings of kernels", test_kernel, others, sizeof others / sizeof *others);
}
