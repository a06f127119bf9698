/* Warps of other widths than 32: which threads they have, what their lanes see, when barriers open. */
#include "run_ptx.h"

#include "launch_text.h"
#include "warp/interpret/execute.h"

/* Executes the body on one block in warps of `width`; element i of *values is what thread i stored. */
static wb_status run_in_warps(const char *body, const char *threads, uint32_t width, uint64_t values[1024],
                              uint32_t *warps) {
    struct text text = {0};
    text_printf(&text,
                "%s.visible .entry k(.param .u64 out)\n{\n%s%s\nst.global.u64 [%%rd0], %%rd9;\nret;\n}\n",
                PTX_HEADER, BODY_REGISTERS, body);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_launch *launch = wb_launch_new();
    assert_int_equal(wb_module_parse("k.ptx", text.data, strlen(text.data), diagnostics, &module), WB_OK);
    assert_int_equal(wb_launch_set_grid(launch, (const uint32_t[3]){1, 1, 1}, diagnostics), WB_OK);
    assert_int_equal(launch_block_text(launch, threads, diagnostics), WB_OK);
    assert_int_equal(wb_launch_add_argument(launch, "buf:u64[1024]=zero", diagnostics), WB_OK);
    struct run run = {.kernel = wb_module_kernel(module, 0),
                      .launch = launch,
                      .diagnostics = diagnostics,
                      .warp_width = width};
    struct arena arena = {0};
    uint32_t *code_first;
    assert_int_equal(code_number(module, &arena, &code_first), WB_OK);
    wb_status status = run_begin(&run, &arena, code_first);
    if (status == WB_OK) status = run_block(&run, NULL);
    if (status == WB_OK) memcpy(values, image_buffer(&run, 0)->bytes, 1024 * sizeof *values);
    *warps = run.warp_count;
    run_end(&run);
    arena_free(&arena);
    text_free(&text);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    return status;
}

/* Ten threads in warps of four: what `body` leaves in %rd9 must be expected(thread). */
static void expect_of_ten(const char *body, uint64_t (*expected)(uint32_t thread)) {
    uint64_t values[1024];
    uint32_t warps;
    assert_int_equal(run_in_warps(body, "10", 4, values, &warps), WB_OK);
    assert_int_equal(warps, 3);
    for (uint32_t t = 0; t < 10; t++)
        assert_int_equal(values[t], expected(t));
}

static uint64_t place_of(uint32_t thread) {
    return (uint64_t)(thread / 4) << 32 | thread % 4;
}

static void threads_are_numbered_along_warps(void **state) {
    (void)state;
    expect_of_ten("mov.u32 %r1, %laneid; mov.u32 %r2, %warpid; mov.b64 %rd9, {%r1, %r2};", place_of);
}

static uint64_t lanes_above(uint32_t thread) {
    return (uint64_t)(thread < 8 ? 15 : 3) << 32 | (15u & ~((2u << thread % 4) - 1));
}

static void masks_have_the_lanes_of_the_warp(void **state) {
    (void)state;
    expect_of_ten("mov.u32 %r1, %lanemask_gt; activemask.b32 %r2; mov.b64 %rd9, {%r1, %r2};", lanes_above);
}

static uint64_t of_lane_one(uint32_t thread) {
    return thread / 4 * 4 + 1;
}

static void lanes_exchange_within_the_warp(void **state) {
    (void)state;
    expect_of_ten("shfl.sync.idx.b32 %r1, %r0, 1, 31, 0xffffffff; cvt.u64.u32 %rd9, %r1;", of_lane_one);
}

static uint64_t odd_threads(uint32_t thread) {
    (void)thread;
    return 5;
}

/* Ten threads take the room of twelve: that is the number a counted barrier of the block has. */
static void counted_barriers_count_by_the_width(void **state) {
    (void)state;
    expect_of_ten("and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 1; bar.red.popc.u32 %r2, 0, 12, %p1;\n"
                  "cvt.u64.u32 %rd9, %r2;",
                  odd_threads);
    uint64_t values[1024];
    uint32_t warps;
    assert_int_equal(run_in_warps("bar.sync 0, 10;", "10", 4, values, &warps), WB_ERR_INPUT);
}

/* More warps than a word has bits wait at one barrier. */
static void barriers_hold_many_warps(void **state) {
    (void)state;
    uint64_t values[1024];
    uint32_t warps;
    assert_int_equal(run_in_warps("bar.sync 0; setp.lt.u32 %p1, %r0, 7;\n"
                                  "bar.red.popc.u32 %r2, 0, %p1; cvt.u64.u32 %rd9, %r2;",
                                  "100", 1, values, &warps),
                     WB_OK);
    assert_int_equal(warps, 100);
    for (uint32_t t = 0; t < 100; t++)
        assert_int_equal(values[t], 7);
}

/* What a caller of the library can ask for, and there is not. */
static void wider_warps_and_others_are_refused(void **state) {
    (void)state;
    static const char ptx[] = PTX_HEADER ".visible .entry k()\n{\nret;\n}\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_launch *launch = wb_launch_new();
    wb_block *block = NULL;
    assert_int_equal(wb_module_parse("k.ptx", ptx, sizeof ptx - 1, diagnostics, &module), WB_OK);
    assert_int_equal(wb_launch_set_grid(launch, (const uint32_t[3]){1, 1, 1}, diagnostics), WB_OK);
    assert_int_equal(wb_launch_set_block(launch, (const uint32_t[3]){64, 1, 1}, diagnostics), WB_OK);
    const wb_kernel *kernel = wb_module_kernel(module, 0);
    wb_trace_options options = {.size = sizeof options, .warp_width = 33};
    assert_int_equal(wb_block_trace(kernel, launch, &options, diagnostics, &block), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "warps have at most 32 threads, not 33"));
    options.warp_width = 32;
    assert_int_equal(wb_block_trace(kernel, launch, &options, diagnostics, &block), WB_OK);
    assert_int_equal(wb_block_warp_count(block), 2);
    assert_int_equal(wb_block_warp_instructions(block, 2), 0);
    assert_int_equal(wb_block_warp_instructions(block, UINT32_MAX), 0);
    wb_block_free(block);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_numbered_along_warps),
        cmocka_unit_test(masks_have_the_lanes_of_the_warp),
        cmocka_unit_test(lanes_exchange_within_the_warp),
        cmocka_unit_test(counted_barriers_count_by_the_width),
        cmocka_unit_test(barriers_hold_many_warps),
        cmocka_unit_test(wider_warps_and_others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
