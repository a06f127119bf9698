/* What the kernel analyzer prints: the example of JCSE 2017, loops, divergence, and values that steer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "launch_text.h"
#include "warp/trace/blocks.h"
#include "warp/trace/trace.h"

/* A module with the kernel `k`, whose parameter is an address: in %rd1, and with 4 bytes a thread in %rd2. */
#define KERNEL(declarations, body)                                                                           \
    ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n" declarations                         \
    ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"            \
    "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"                            \
    "add.u64 %rd2, %rd2, %rd1;\nmov.u32 %r2, %ctaid.x;\n" body "\nret;\n}\n"

/* Instructions of the kernel before `body`. */
#define BODY_PC 40

/* A launch of `k` and what came of it. */
struct analyzed {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_launch *launch;
    wb_grid *grid; /* NULL unless `status` is WB_OK */
    wb_status status;
};

static struct analyzed analyze(const char *ptx, const char *grid, const char *block, const char *argument) {
    struct analyzed made = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    const wb_grid_options options = {.size = sizeof options, .allow_unmapped = true};
    const wb_kernel *kernel = NULL;
    wb_status status = wb_module_parse("k.ptx", ptx, strlen(ptx), made.diagnostics, &made.module);
    if (status == WB_OK) status = wb_module_find_kernel(made.module, NULL, made.diagnostics, &kernel);
    if (status == WB_OK) status = launch_grid_text(made.launch, grid, made.diagnostics);
    if (status == WB_OK) status = launch_block_text(made.launch, block, made.diagnostics);
    if (status == WB_OK) status = wb_launch_add_argument(made.launch, argument, made.diagnostics);
    if (status != WB_OK) print_error("%s\n", wb_diagnostics_text(made.diagnostics));
    assert_int_equal(status, WB_OK);
    made.status = wb_grid_trace(kernel, made.launch, &options, made.diagnostics, &made.grid);
    return made;
}

static void analyzed_free(struct analyzed *analyzed) {
    wb_grid_free(analyzed->grid);
    wb_launch_free(analyzed->launch);
    wb_module_free(analyzed->module);
    wb_diagnostics_free(analyzed->diagnostics);
}

/* A report that was written, and in how many pieces. */
struct written {
    struct text text;
    size_t pieces;
};

static bool append(void *user, const char *bytes, size_t size) {
    struct written *written = user;
    text_append(&written->text, bytes, size);
    written->pieces++;
    return true;
}

static struct written report(const struct analyzed *analyzed, wb_report_format format) {
    struct written written = {0};
    const wb_writer writer = {append, &written};
    assert_int_equal(analyzed->status, WB_OK);
    assert_int_equal(wb_grid_report(analyzed->grid, format, &writer, analyzed->diagnostics), WB_OK);
    assert_non_null(written.text.data);
    return written;
}

/* The report of the launch from its first "Block" on. */
static void assert_blocks(const char *ptx, const char *grid, const char *block, const char *argument,
                          const char *expected) {
    struct analyzed analyzed = analyze(ptx, grid, block, argument);
    if (analyzed.status != WB_OK) print_error("%s\n", wb_diagnostics_text(analyzed.diagnostics));
    struct written written = report(&analyzed, WB_REPORT_TEXT);
    const char *blocks = strstr(written.text.data, "Block");
    assert_non_null(blocks);
    assert_string_equal(blocks, expected);
    text_free(&written.text);
    analyzed_free(&analyzed);
}

static void test_loop(void **state) {
    (void)state;
    static const char ptx[] = KERNEL("", "mov.u32 %r3, 0;\nLOOP:\nld.global.u32 %r4, [%rd2];\n"
                                         "add.u64 %rd2, %rd2, 256;\nadd.u32 %r3, %r3, 1;\n"
                                         "setp.lt.u32 %p1, %r3, 3;\n@%p1 bra LOOP;\n"
                                         "st.global.u32 [%rd2], %r4;");
    assert_blocks(ptx, "1", "32", "u64:4096",
                  "Block [ 0 , 0 , 0 ]\n"
                  "Warp0 [ 1 , 1 ]\n"
                  "Warp0 [ [ [ 4096 ] , [ 4352 ] , [ 4608 ] , L ] , [ [ 4864 ] , S ] ]\n");
}

/* Lane l goes round l / 16 + 1 times; then odd lanes go another way than even ones. */
static void test_divergence(void **state) {
    (void)state;
    static const char ptx[] =
        KERNEL("", "shr.u32 %r3, %r1, 4;\nand.b32 %r5, %r1, 1;\nsetp.eq.u32 %p2, %r5, 0;\n"
                   "LOOP:\nld.global.u32 %r4, [%rd2];\nadd.u64 %rd2, %rd2, 512;\n"
                   "setp.ne.u32 %p1, %r3, 0;\nmov.u32 %r3, 0;\n@%p1 bra LOOP;\n"
                   "@%p2 bra EVEN;\nld.global.u32 %r4, [%rd2];\nbra END;\n"
                   "EVEN:\nst.global.u32 [%rd2+8192], %r1;\nEND:");
    assert_blocks(ptx, "1", "40", "u64:65472", /* 64 bytes before a line */
                  "Block [ 0 , 0 , 0 ]\n"
                  "Warp0 [ 1 , 1 , 1 ]\n"
                  "Warp0 [ [ [ 65408 , 65536 ] , [ 66048 ] , L ] , [ [ 65920 , 66560 ] , L ] , "
                  "[ [ 74112 , 74752 ] , S ] ]\n"
                  "Warp1 [ 1 , 1 , 1 ]\n"
                  "Warp1 [ [ [ 65536 ] , [ 66048 ] , L ] , [ [ 66560 ] , L ] , [ [ 74752 ] , S ] ]\n");
}

/* Generic addresses count where they are in global memory, and instructions that nobody executes are listed
 * if they say so; a predicated-off instruction makes no request. */
static void test_what_is_listed(void **state) {
    (void)state;
    static const char ptx[] =
        KERNEL("", ".shared .b32 s[64];\nmov.u32 %r5, s;\nst.shared.u32 [%r5], %r1;\nmov.u64 %rd3, s;\n"
                   "cvta.shared.u64 %rd3, %rd3;\nld.u32 %r4, [%rd3];\nld.u32 %r4, [%rd2];\n"
                   "atom.global.add.u32 %r4, [%rd1+4], %r1;\nsetp.eq.u32 %p1, %r2, 7;\n"
                   "@%p1 st.global.u32 [%rd2], %r1;\nbra END;\nld.global.u32 %r4, [%rd1];\nEND:");
    struct analyzed analyzed = analyze(ptx, "1", "32", "u64:512");
    struct written written = report(&analyzed, WB_REPORT_TEXT);
    assert_string_equal(written.text.data, "-num_pcs 4\n-pc_addrs [ 80 , 88 , 104 , 120 ]\n"
                                           "-grid [ 1 , 1 , 1 ]\n-block [ 32 , 1 , 1 ]\n"
                                           "Block [ 0 , 0 , 0 ]\n"
                                           "Warp0 [ 1 , 1 , 0 , 0 ]\n"
                                           "Warp0 [ [ [ 512 ] , L ] , [ [ 512 ] , A ] , None , None ]\n");
    text_free(&written.text);
    analyzed_free(&analyzed);
}

/* Addresses run through the functions that are entered, in the order of the module. */
static void test_functions(void **state) {
    (void)state;
    static const char ptx[] =
        KERNEL(".func unused(.param .b64 p)\n{\nret;\n}\n"
               ".func f(.param .b64 p)\n{\n.reg .b32 %r<2>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n"
               "ld.global.u32 %r1, [%rd1];\nret;\n}\n",
               "{\n.param .b64 p;\nst.param.b64 [p], %rd2;\ncall.uni f, (p);\n}\n"
               "st.global.u32 [%rd2], %r1;");
    struct analyzed analyzed = analyze(ptx, "1", "32", "u64:512");
    struct written written = report(&analyzed, WB_REPORT_TEXT);
    assert_string_equal(written.text.data, "-num_pcs 2\n-pc_addrs [ 8 , 80 ]\n"
                                           "-grid [ 1 , 1 , 1 ]\n-block [ 32 , 1 , 1 ]\n"
                                           "Block [ 0 , 0 , 0 ]\n"
                                           "Warp0 [ 1 , 1 ]\n"
                                           "Warp0 [ [ [ 512 ] , L ] , [ [ 512 ] , S ] ]\n");
    text_free(&written.text);
    analyzed_free(&analyzed);
}

/* In blocks 1 and 2 a branch depends on what is loaded; block 3 and warp 1 do not get there. */
static void test_steering_branch(void **state) {
    (void)state;
    static const char ptx[] =
        KERNEL("", "add.u32 %r3, %r2, -1;\nsetp.gt.u32 %p1, %r3, 1;\n@%p1 bra END;\n"
                   "setp.gt.u32 %p2, %r1, 31;\n@%p2 bra END;\n"
                   ".loc 1 7 3\nld.global.u32 %r4, [%rd1];\nadd.u32 %r4, %r4, 1;\n"
                   "setp.eq.u32 %p3, %r4, 0;\n.loc 1 9 5\n@%p3 bra END;\nst.global.u32 [%rd1], %r1;\n"
                   "END:\nst.global.u32 [%rd1+128], %r1;");
    static const char other[] = "Warp%d [ 0 , 0 , 1 ]\nWarp%d [ None , None , [ [ 640 ] , S ] ]\n";
    struct text expected = {0};
    for (int b = 0; b < 4; b++) {
        text_printf(&expected, "Block [ %d , 0 , 0 ]\n", b);
        if (b == 1 || b == 2)
            text_string(&expected, "Warp0 [ 1 , 0 , 0 ]\nWarp0 [ [ [ 512 ] , L ] , None , None ]\n");
        else
            text_printf(&expected, other, 0, 0);
        text_printf(&expected, other, 1, 1);
    }
    text_string(&expected, "-num_steered_warps 2 (what they execute from there on is not listed)\n"
                           "line 23 (k.cu:9): bra: control depends on line 19 (k.cu:7): ld.global.u32\n"
                           "  blocks 1-2: warp 0\n");
    assert_blocks(ptx, "4", "64", "u64:512", expected.data);
    text_free(&expected);
}

/* An address that is loaded, and a load whose guard is. Every consumer but the analyzer declines. */
static void test_steering_address(void **state) {
    (void)state;
    static const char ptx[] =
        KERNEL("", ".loc 1 5 1\nld.global.u32 %r4, [%rd2];\nmul.wide.u32 %rd3, %r4, 4;\n"
                   "add.u64 %rd3, %rd3, %rd1;\nsetp.eq.u32 %p1, %r4, 0;\nsetp.eq.u32 %p2, %r2, 0;\n"
                   "@%p2 bra GUARD;\n.loc 1 6 1\nld.global.u32 %r5, [%rd3];\nbra END;\n"
                   "GUARD:\n.loc 1 7 1\n@%p1 ld.global.u32 %r5, [%rd1];\nEND:");
    struct analyzed analyzed = analyze(ptx, "2", "32", "buf:u32[64]");
    struct written written = report(&analyzed, WB_REPORT_TEXT);
    const char *input_dependent = strstr(written.text.data, "-num_steered");
    assert_non_null(input_dependent);
    assert_string_equal(
        input_dependent,
        "-num_steered_warps 2 (what they execute from there on is not listed)\n"
        "line 25 (k.cu:7): ld.global.u32: control depends on line 14 (k.cu:5): ld.global.u32\n"
        "  block 0: warp 0\n"
        "line 21 (k.cu:6): ld.global.u32: its address depends on line 14 (k.cu:5): "
        "ld.global.u32\n"
        "  block 1: warp 0\n");
    assert_int_equal(grid_decline_steered(analyzed.grid, analyzed.diagnostics), WB_ERR_DECLINED);
    const char *messages = wb_diagnostics_text(analyzed.diagnostics);
    assert_non_null(strstr(messages,
                           "k.ptx:25:6: error: whether this is executed depends on an unknown value "
                           "(block 0,0,0, warp 0; 2 warps in all)"));
    assert_non_null(strstr(messages, "k.cu:7"));
    assert_non_null(strstr(messages, "k.ptx:14:1: note: the value comes from here"));
    text_free(&written.text);
    analyzed_free(&analyzed);
}

/* A steered warp is treated as gone by barriers of the whole block; who counts on it is steered as well. */
static void test_steering_at_barriers(void **state) {
    (void)state;
    static const char whole[] =
        KERNEL("", "setp.gt.u32 %p1, %r1, 31;\n@%p1 bra WAIT;\nld.global.u32 %r4, [%rd1];\n"
                   "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra WAIT;\nst.global.u32 [%rd2], %r1;\n"
                   "WAIT:\nbar.sync 0;\nst.global.u32 [%rd2], %r1;");
    assert_blocks(whole, "1", "64", "u64:512",
                  "Block [ 0 , 0 , 0 ]\n"
                  "Warp0 [ 1 , 0 , 0 ]\nWarp0 [ [ [ 512 ] , L ] , None , None ]\n"
                  "Warp1 [ 0 , 0 , 1 ]\nWarp1 [ None , None , [ [ 640 ] , S ] ]\n"
                  "-num_steered_warps 1 (what they execute from there on is not listed)\n"
                  "line 17: bra: control depends on line 15: ld.global.u32\n"
                  "  block 0: warp 0\n");
    static const char counted[] =
        KERNEL("", "setp.gt.u32 %p1, %r1, 31;\n@%p1 bra WAIT;\nld.global.u32 %r4, [%rd1];\n"
                   "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra WAIT;\n"
                   "WAIT:\nbar.sync 0, 64;\nst.global.u32 [%rd2], %r1;");
    assert_blocks(counted, "1", "64", "u64:512",
                  "Block [ 0 , 0 , 0 ]\n"
                  "Warp0 [ 1 , 0 ]\nWarp0 [ [ [ 512 ] , L ] , None ]\n"
                  "Warp1 [ 0 , 0 ]\nWarp1 [ None , None ]\n"
                  "-num_steered_warps 2 (what they execute from there on is not listed)\n"
                  "line 17: bra: control depends on line 15: ld.global.u32\n"
                  "  block 0: warp 0\n"
                  "line 19: bar.sync: control depends on line 15: ld.global.u32\n"
                  "  block 0: warp 1\n");
}

/* Instructions whose accesses the interpreter does not follow, and values that come from nowhere. */
static void test_steering_without_origin(void **state) {
    (void)state;
    static const char ptx[] = KERNEL(
        "", "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra UNSET;\n"
            "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%rd2], {%r3, %r3, %r3, %r3};\nbra END;\n"
            "UNSET:\nst.global.u32 [%rd7], %r1;\nEND:");
    assert_blocks(
        ptx, "2", "32", "u64:512",
        "Block [ 0 , 0 , 0 ]\nWarp0 [ 0 ]\nWarp0 [ None ]\n"
        "Block [ 1 , 0 , 0 ]\nWarp0 [ 0 ]\nWarp0 [ None ]\n"
        "-num_steered_warps 2 (what they execute from there on is not listed)\n"
        "line 18: st.global.u32: its address depends on a register that was never written\n"
        "  block 0: warp 0\n"
        "line 15: wmma.store.d.sync.aligned.row.m16n16k16.global.f16: which memory it accesses is not known\n"
        "  block 1: warp 0\n");
}

/* A barrier whose guard is false for all of a warp does not hold it: the analyses, for which every barrier
 * holds every warp, must not take it for one. */
static void test_skipped_barrier(void **state) {
    (void)state;
    static const char ptx[] = KERNEL("", "setp.gt.u32 %p1, %r1, 31;\n@%p1 bar.sync 0;\n"
                                         "st.global.u32 [%rd2], %r1;");
    struct analyzed analyzed = analyze(ptx, "1", "64", "u64:512");
    assert_int_equal(analyzed.status, WB_OK);
    assert_int_equal(analyzed.grid->input_dependent.count, 0);
    assert_int_equal(grid_decline_steered(analyzed.grid, analyzed.diagnostics), WB_ERR_DECLINED);
    assert_non_null(
        strstr(wb_diagnostics_text(analyzed.diagnostics), "k.ptx:14:6: error: a warp skips this"));
    analyzed_free(&analyzed);
}

/* Unmapped addresses may be anything but misaligned; what is stored there does not come back. */
static void test_unmapped(void **state) {
    (void)state;
    static const char back[] = KERNEL("", "st.global.u32 [%rd1], 1;\nld.global.u32 %r4, [%rd1];\n"
                                          "setp.eq.u32 %p1, %r4, 1;\n@%p1 bra END;\nEND:");
    /* A number in the window of shared memory is still one of global memory. */
    assert_blocks(back, "1", "32", "u64:0x1000000",
                  "Block [ 0 , 0 , 0 ]\nWarp0 [ 1 , 1 ]\n"
                  "Warp0 [ [ [ 16777216 ] , S ] , [ [ 16777216 ] , L ] ]\n"
                  "-num_steered_warps 1 (what they execute from there on is not listed)\n"
                  "line 16: bra: control depends on line 14: ld.global.u32\n"
                  "  block 0: warp 0\n");
    struct analyzed analyzed = analyze(back, "1", "32", "u64:2");
    assert_int_equal(analyzed.status, WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(analyzed.diagnostics), "not aligned"));
    analyzed_free(&analyzed);
}

static char *read_whole(const char *path) {
    static char bytes[1 << 14];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    bytes[fread(bytes, 1, sizeof bytes - 1, file)] = '\0';
    (void)fclose(file);
    return bytes;
}

static struct analyzed analyze_example(const char *grid) {
    return analyze(read_whole("tests/data/jcse_example.ptx"), grid, "16,4", "u64:0");
}

/* The output that the paper prints. */
static void test_example(void **state) {
    (void)state;
    struct analyzed analyzed = analyze_example("1,2");
    struct written written = report(&analyzed, WB_REPORT_TEXT);
    assert_string_equal(written.text.data, read_whole("tests/data/jcse_example.txt"));
    text_free(&written.text);
    analyzed_free(&analyzed);
}

static void test_json(void **state) {
    (void)state;
    struct analyzed analyzed = analyze_example("1,2");
    struct written written = report(&analyzed, WB_REPORT_JSON);
    json_error_t error;
    json_t *root = json_loads(written.text.data, 0, &error);
    assert_non_null(root);
    json_t *insts = json_object_get(root, "instructions"), *blocks = json_object_get(root, "blocks");
    assert_int_equal(json_array_size(insts), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(insts, 1), "pc")), 80);
    assert_int_equal(json_array_size(blocks), 2);
    json_t *warps = json_object_get(json_array_get(blocks, 1), "warps");
    assert_int_equal(json_array_size(warps), 2);
    json_t *access = json_array_get(json_array_get(warps, 1), 0);
    json_t *expected =
        json_loads("{\"pc\": 80, \"kind\": \"store\", \"requests\": [[2048,2176,2304,2432]]}", 0, &error);
    assert_true(json_equal(access, expected));
    json_decref(expected);
    json_decref(root);
    text_free(&written.text);
    analyzed_free(&analyzed);
}

static bool refuse(void *user, const char *bytes, size_t size) {
    (void)user, (void)bytes, (void)size;
    return false;
}

/* Large reports come in pieces; a writer that fails ends them. */
static void test_pieces(void **state) {
    (void)state;
    struct analyzed analyzed = analyze_example("500,2");
    struct written written = report(&analyzed, WB_REPORT_TEXT);
    assert_true(written.pieces > 1);
    assert_int_equal(analyzed.grid->shapes.count, 2);
    size_t blocks = 0;
    for (const char *at = written.text.data; (at = strstr(at, "Block")) != NULL; at++)
        blocks++;
    assert_int_equal(blocks, 1000);
    const wb_writer writer = {refuse, NULL};
    assert_int_equal(wb_grid_report(analyzed.grid, WB_REPORT_TEXT, &writer, analyzed.diagnostics),
                     WB_ERR_INPUT);
    assert_true(wb_diagnostics_errors(analyzed.diagnostics) > 0);
    text_free(&written.text);
    analyzed_free(&analyzed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_what_is_listed),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_steering_branch),
        cmocka_unit_test(test_steering_address),
        cmocka_unit_test(test_steering_at_barriers),
        cmocka_unit_test(test_steering_without_origin),
        cmocka_unit_test(test_skipped_barrier),
        cmocka_unit_test(test_unmapped),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
