/* What a launch tells the analysis of loops: special registers by warp and block, bytes of arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "launch_text.h"
#include "warp/cover/cover.h"

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k(.param .u32 a, .param .u64 b, .param .u64 c, "
                          ".param .align 4 .b8 d[8], .param .u32 e)\n{\nret;\n}\n";

struct fixture {
    wb_diagnostics *diagnostics;
    wb_module *module;
    const wb_kernel *kernel;
    wb_launch *launch;
};

static struct fixture fixture_of(const char *grid, const char *block) {
    struct fixture f = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    static const char *const arguments[] = {"i32:-2", "u64:0x123456789abcdef0", "buf:f32[16]",
                                            "bytes:0102030405060708", "i32:?"};
    assert_int_equal(wb_module_parse("test.ptx", ptx, strlen(ptx), f.diagnostics, &f.module), WB_OK);
    assert_int_equal(wb_module_find_kernel(f.module, "k", f.diagnostics, &f.kernel), WB_OK);
    assert_int_equal(launch_grid_text(f.launch, grid, f.diagnostics), WB_OK);
    assert_int_equal(launch_block_text(f.launch, block, f.diagnostics), WB_OK);
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        if (wb_launch_add_argument(f.launch, arguments[i], f.diagnostics) != WB_OK)
            fail_msg("%s", wb_diagnostics_text(f.diagnostics));
    return f;
}

static void fixture_free(struct fixture *f) {
    wb_launch_free(f->launch);
    wb_module_free(f->module);
    wb_diagnostics_free(f->diagnostics);
}

static void assert_range(const struct launch_environment *filled, uint32_t sreg, uint64_t low,
                         uint64_t high) {
    const struct sreg_range *range = &filled->environment.sregs[sreg];
    assert_true(range->known);
    assert_int_equal(range->low, low);
    assert_int_equal(range->high, high);
}

static void test_all_blocks_and_threads(void **state) {
    (void)state;
    struct fixture f = fixture_of("5,2", "16,4,2");
    struct launch_environment filled;
    launch_environment_fill(f.kernel, f.launch, &(struct launch_scope){0}, &filled);
    assert_range(&filled, PTX_SREG_TID_X, 0, 15);
    assert_range(&filled, PTX_SREG_TID_Y, 0, 3);
    assert_range(&filled, PTX_SREG_TID_Z, 0, 1);
    assert_range(&filled, PTX_SREG_NTID_X, 16, 16);
    assert_range(&filled, PTX_SREG_CTAID_X, 0, 4);
    assert_range(&filled, PTX_SREG_CTAID_Y, 0, 1);
    assert_range(&filled, PTX_SREG_NCTAID_X, 5, 5);
    assert_range(&filled, PTX_SREG_LANEID, 0, 31);
    assert_false(filled.environment.sregs[PTX_SREG_CLOCK].known);
    assert_false(filled.environment.sregs[PTX_SREG_SMID].known);
    fixture_free(&f);
}

/* Every thread of every warp is in its warp's ranges, and the ends of each axis are those of some thread. */
static void check_warps(const char *block) {
    struct fixture f = fixture_of("1", block);
    const uint32_t *size = f.launch->block;
    uint32_t count = size[0] * size[1] * size[2];
    for (uint32_t first = 0; first < count; first += 32) {
        struct thread_span span = {first, first + 31 < count ? first + 31 : count - 1};
        struct launch_environment filled;
        uint32_t low[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, high[3] = {0};
        launch_environment_fill(f.kernel, f.launch, &(struct launch_scope){.threads = &span}, &filled);
        for (uint32_t thread = span.first; thread <= span.last; thread++) {
            const uint32_t index[3] = {thread % size[0], thread / size[0] % size[1],
                                       thread / size[0] / size[1]};
            for (uint32_t axis = 0; axis < 3; axis++) {
                low[axis] = index[axis] < low[axis] ? index[axis] : low[axis];
                high[axis] = index[axis] > high[axis] ? index[axis] : high[axis];
            }
        }
        for (uint32_t axis = 0; axis < 3; axis++)
            assert_range(&filled, PTX_SREG_TID_X + axis, low[axis], high[axis]);
    }
    fixture_free(&f);
}

static void test_threads_of_a_warp(void **state) {
    (void)state;
    static const char *const blocks[] = {"1",     "64",   "100",     "16,16", "32,4",
                                         "8,4,4", "64,2", "128,1,2", "1,1,64"};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        check_warps(blocks[i]);
}

static void test_one_block(void **state) {
    (void)state;
    struct fixture f = fixture_of("5,2", "32");
    const uint32_t block[3] = {3, 1, 0};
    struct launch_environment filled;
    launch_environment_fill(f.kernel, f.launch, &(struct launch_scope){.block = block}, &filled);
    assert_range(&filled, PTX_SREG_CTAID_X, 3, 3);
    assert_range(&filled, PTX_SREG_CTAID_Y, 1, 1);
    assert_range(&filled, PTX_SREG_CTAID_Z, 0, 0);
    fixture_free(&f);
}

static void test_arguments(void **state) {
    (void)state;
    struct fixture f = fixture_of("1", "32");
    struct launch_environment filled;
    launch_environment_fill(f.kernel, f.launch, &(struct launch_scope){0}, &filled);
    const struct loop_environment *environment = &filled.environment;
    const uint32_t *params = kernel_function(f.kernel)->params;
    uint64_t value = 0;
    assert_true(environment->parameter(environment->user, params[0], 0, 4, &value));
    assert_int_equal(value, UINT32_MAX - 1);
    assert_true(environment->parameter(environment->user, params[1], 4, 4, &value));
    assert_int_equal(value, 0x12345678);
    assert_true(environment->parameter(environment->user, params[3], 2, 4, &value));
    assert_int_equal(value, 0x06050403);
    assert_false(environment->parameter(environment->user, params[0], 0, 8, &value));
    assert_false(environment->parameter(environment->user, params[0], 4, 4, &value));
    assert_false(environment->parameter(environment->user, params[3], 6, 4, &value));
    assert_false(environment->parameter(environment->user, params[2], 0, 8, &value));
    assert_false(environment->parameter(environment->user, params[4], 0, 4, &value));
    assert_false(environment->parameter(environment->user, params[4] + 1, 0, 4, &value));
    fixture_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_blocks_and_threads),
        cmocka_unit_test(test_threads_of_a_warp),
        cmocka_unit_test(test_one_block),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
