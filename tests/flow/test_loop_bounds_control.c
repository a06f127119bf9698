/* Bounds of loops whose control is more than one counter and one test, and of those that have no bound. */
#include "loop_cases.h"

static void test_nested_loops(void **state) {
    (void)state;
    static const struct loop_case cases[] = {
        {"triangle",
         "mov.u32 %r1, 0;\nA: mov.u32 %r2, 0;\nB: add.s32 %r2, %r2, 1;\nsetp.le.s32 %p1, %r2, %r1;\n@%p1 bra "
         "B;\n"
         "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p2, %r1, 20;\n@%p2 bra A;",
         {20, 20},
         0,
         0},
        {"triangle from the diagonal",
         "mov.u32 %r1, 0;\nA: mov.u32 %r2, %r1;\nB: add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 30;\n@%p1 "
         "bra B;\n"
         "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p2, %r1, 20;\n@%p2 bra A;",
         {20, 30},
         0,
         0},
        {"bitonic: the inner halves what the outer doubles",
         "mov.u32 %r1, 2;\nA: shr.u32 %r2, %r1, 1;\nB: shr.u32 %r2, %r2, 1;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 "
         "bra B;\n"
         "shl.b32 %r1, %r1, 1;\nsetp.le.s32 %p2, %r1, 512;\n@%p2 bra A;",
         {9, 9},
         0,
         0},
        {"three deep, each up to the one around it",
         "mov.u32 %r1, 1;\nA: mov.u32 %r2, 0;\nB: mov.u32 %r3, 0;\nC: add.s32 %r3, %r3, 1;\n"
         "setp.le.s32 %p1, %r3, %r2;\n@%p1 bra C;\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p2, %r2, %r1;\n@%p2 "
         "bra B;\n"
         "add.s32 %r1, %r1, 1;\nsetp.le.s32 %p3, %r1, 12;\n@%p3 bra A;",
         {12, 12, 12},
         0,
         0},
        {"the inner loop advances the counter of the outer",
         "mov.u32 %r1, 0;\nA: mov.u32 %r2, 0;\nB: add.s32 %r1, %r1, 2;\nadd.s32 %r2, %r2, 1;\n"
         "setp.lt.s32 %p1, %r2, 5;\n@%p1 bra B;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p2, %r1, 100;\n@%p2 bra "
         "A;",
         {34, 5},
         0,
         0},
        {"and may jump over its end",
         "mov.u32 %r1, 0;\nA: mov.u32 %r2, 0;\nB: add.s32 %r1, %r1, 2;\nadd.s32 %r2, %r2, 1;\n"
         "setp.lt.s32 %p1, %r2, 5;\n@%p1 bra B;\nsetp.ne.s32 %p2, %r1, 100;\n@%p2 bra A;",
         {NO_BOUND, 5},
         0,
         0},
        {"a test inside an inner loop is none of the outer",
         "mov.u32 %r1, 0;\nA: mov.u32 %r2, 0;\nB: add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 3;\n@%p1 bra "
         "B;\n"
         "ld.global.u32 %r4, [%w];\nsetp.ne.s32 %p2, %r4, 0;\n@%p2 bra A;",
         {NO_BOUND, 3},
         0,
         0},
    };
    CHECK(cases);
}

static void test_predicates(void **state) {
    (void)state;
    static const struct loop_case cases[] = {
        {"as nvcc negates",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p3, %r1, 10;\nmov.pred %p4, 0;\n"
         "xor.pred %p5, %p3, %p4;\nnot.pred %p6, %p5;\n@%p6 bra X;\nbra A;\nX:",
         {10},
         0,
         0},
        {"xor with true",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nsetp.ge.s32 %p3, %r1, 10;\nmov.pred %p4, -1;\n"
         "xor.pred %p5, %p3, %p4;\n@%p5 bra A;",
         {10},
         0,
         0},
        {"or leaves when one holds",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nld.global.u32 %r2, [%w];\nsetp.ge.s32 %p3, %r1, 10;\n"
         "setp.eq.s32 %p4, %r2, 0;\nor.pred %p5, %p3, %p4;\n@!%p5 bra A;",
         {10},
         0,
         0},
        {"and leaves only when both hold",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nld.global.u32 %r2, [%w];\nsetp.ge.s32 %p3, %r1, 10;\n"
         "setp.eq.s32 %p4, %r2, 0;\nand.pred %p5, %p3, %p4;\n@!%p5 bra A;",
         {NO_BOUND},
         0,
         0},
        {"second destination of setp",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nsetp.ge.s32 %p3|%p4, %r1, 10;\n@%p4 bra A;",
         {10},
         0,
         0},
        {"set where branches meet",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nmov.pred %p4, 0;\nsetp.ge.s32 %p3, %r1, 10;\n@%p3 bra "
         "M;\n"
         "ld.global.u32 %r2, [%w];\nmov.pred %p4, -1;\nM: @%p4 bra A;",
         {10},
         0,
         0},
        {"carried round the outer loop, it is about an earlier value",
         "mov.u32 %r1, 0;\nmov.pred %p4, 0;\nA: mov.u32 %r2, 0;\nB: add.s32 %r2, %r2, 1;\n"
         "setp.lt.s32 %p5, %r2, %r1;\nand.pred %p6, %p4, %p5;\n@%p6 bra B;\nsetp.lt.s32 %p4, %r1, 3;\n"
         "add.s32 %r1, %r1, 10;\nsetp.lt.s32 %p7, %r1, 35;\n@%p7 bra A;",
         {4, 30},
         0,
         0},
    };
    CHECK(cases);
}

static void test_updates_that_may_not_happen(void **state) {
    (void)state;
    static const struct loop_case cases[] = {
        {"a guarded update may never happen",
         "mov.u32 %r1, 0;\nA: ld.global.u32 %r2, [%w];\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 add.s32 %r1, %r1, 1;\n"
         "setp.lt.s32 %p2, %r1, 10;\n@%p2 bra A;",
         {NO_BOUND},
         0,
         0},
        {"one more or two more",
         "mov.u32 %r1, 0;\nA: ld.global.u32 %r2, [%w];\nsetp.ne.s32 %p1, %r2, 0;\nadd.s32 %r1, %r1, 1;\n"
         "@%p1 add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p2, %r1, 10;\n@%p2 bra A;",
         {10},
         0,
         0},
        {"an update in one branch only",
         "mov.u32 %r1, 0;\nA: ld.global.u32 %r2, [%w];\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra M;\n"
         "add.s32 %r1, %r1, 1;\nM: setp.lt.s32 %p2, %r1, 10;\n@%p2 bra A;",
         {NO_BOUND},
         0,
         0},
        {"in both branches",
         "mov.u32 %r1, 0;\nA: ld.global.u32 %r2, [%w];\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra E;\n"
         "add.s32 %r1, %r1, 1;\nbra M;\nE: add.s32 %r1, %r1, 3;\nM: setp.lt.s32 %p2, %r1, 10;\n@%p2 bra A;",
         {10},
         0,
         0},
        {"in both branches, past a single end",
         "mov.u32 %r1, 0;\nA: ld.global.u32 %r2, [%w];\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra E;\n"
         "add.s32 %r1, %r1, 1;\nbra M;\nE: add.s32 %r1, %r1, 3;\nM: setp.ne.s32 %p2, %r1, 10;\n@%p2 bra A;",
         {NO_BOUND},
         0,
         0},
        {"chosen by selp",
         "mov.u32 %r1, 0;\nA: ld.global.u32 %r2, [%w];\nsetp.ne.s32 %p1, %r2, 0;\nadd.s32 %r3, %r1, 2;\n"
         "add.s32 %r4, %r1, 5;\nselp.b32 %r1, %r3, %r4, %p1;\nsetp.lt.s32 %p2, %r1, 10;\n@%p2 bra A;",
         {5},
         0,
         0},
        {"an exit that is not passed each time",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nld.global.u32 %r2, [%w];\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 "
         "bra M;\n"
         "setp.ge.s32 %p2, %r1, 10;\n@%p2 bra X;\nM: ld.global.u32 %r3, [%w];\nsetp.ne.s32 %p3, %r3, 0;\n"
         "@%p3 bra A;\nX:",
         {NO_BOUND},
         0,
         0},
        {"two ways back, the update on one",
         "mov.u32 %r1, 0;\nA: ld.global.u32 %r2, [%w];\nsetp.ge.s32 %p2, %r1, 10;\n@%p2 bra X;\n"
         "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra A;\nadd.s32 %r1, %r1, 1;\nbra A;\nX:",
         {NO_BOUND},
         0,
         0},
        {"two ways back, an update on both",
         "mov.u32 %r1, 0;\nA: ld.global.u32 %r2, [%w];\nsetp.ge.s32 %p2, %r1, 10;\n@%p2 bra X;\n"
         "add.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra A;\nadd.s32 %r1, %r1, 1;\nbra A;\nX:",
         {11},
         0,
         0},
    };
    CHECK(cases);
}

static void test_words_that_wrap(void **state) {
    (void)state;
    static const struct loop_case cases[] = {
        {"steps of 4 may pass the largest number",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 4;\nsetp.lt.s32 %p1, %r1, %n;\n@%p1 bra A;",
         {NO_BOUND},
         UNKNOWN,
         0},
        {"at most the largest number: always",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\nsetp.le.s32 %p1, %r1, %n;\n@%p1 bra A;",
         {NO_BOUND},
         UNKNOWN,
         0},
        {"unsigned, at least 0: always",
         "mov.u32 %r1, 10;\nA: sub.u32 %r1, %r1, 1;\nsetp.ge.u32 %p1, %r1, 0;\n@%p1 bra A;",
         {NO_BOUND},
         0,
         0},
        {"signed, at least 0",
         "mov.u32 %r1, 10;\nA: sub.s32 %r1, %r1, 1;\nsetp.ge.s32 %p1, %r1, 0;\n@%p1 bra A;",
         {11},
         0,
         0},
        {"down past 0, which is past every limit",
         "mov.u32 %r1, 10;\nA: sub.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 bra A;",
         {11},
         0,
         0},
        {"up past the largest signed number, to below all",
         "mov.u32 %r1, 2147483640;\nA: add.s32 %r1, %r1, 1;\nsetp.gt.s32 %p1, %r1, 0;\n@%p1 bra A;",
         {8},
         0,
         0},
        {"a signed test of an unsigned counter",
         "mov.u32 %r1, 0;\nA: add.u32 %r1, %r1, 1073741824;\nsetp.lt.s32 %p1, %r1, 2000000000;\n@%p1 bra A;",
         {NO_BOUND},
         0,
         0},
        {"an unsigned test of it",
         "mov.u32 %r1, 0;\nA: add.u32 %r1, %r1, 1073741824;\nsetp.lt.u32 %p1, %r1, 3000000000;\n@%p1 bra A;",
         {3},
         0,
         0},
        {"an end that the steps miss",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 3;\nsetp.ne.s32 %p1, %r1, 10;\n@%p1 bra A;",
         {NO_BOUND},
         0,
         0},
        {"both sides of != move",
         "mov.u32 %r1, 0;\nmov.u32 %r2, 5;\nA: add.s32 %r1, %r1, 1;\nadd.s32 %r2, %r2, 1;\n"
         "setp.ne.s32 %p1, %r1, %r2;\n@%p1 bra A;",
         {NO_BOUND},
         0,
         0},
        {"a sum of two that change",
         "mov.u32 %r1, 0;\nmov.u32 %r2, 100;\nA: add.s32 %r1, %r1, 1;\nsub.s32 %r2, %r2, 1;\n"
         "add.s32 %r3, %r1, %r2;\nsetp.lt.s32 %p1, %r3, 200;\n@%p1 bra A;",
         {NO_BOUND},
         0,
         0},
        {"a 64-bit limit beyond all 32-bit counters",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, 1;\ncvt.s64.s32 %d1, %r1;\nsetp.lt.s64 %p1, %d1, %w;\n@%p1 "
         "bra A;",
         {NO_BOUND},
         0,
         0},
        {"zeros in front, where signs were meant",
         "mov.u32 %r1, 5;\nA: add.s32 %r1, %r1, -1;\ncvt.u64.u32 %d1, %r1;\nsetp.ge.s64 %p1, %d1, 0;\n@%p1 "
         "bra A;",
         {NO_BOUND},
         0,
         0},
        {"equal, once",
         "mov.u32 %r1, 5;\nA: add.s32 %r1, %r1, 1;\nsetp.eq.s32 %p1, %r1, %n;\n@%p1 bra A;",
         {2},
         UNKNOWN,
         0},
        {"a step that may be 0",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, %m;\nsetp.lt.s32 %p1, %r1, %n;\n@%p1 bra A;",
         {NO_BOUND},
         100,
         UNKNOWN},
        {"a step of 0",
         "mov.u32 %r1, 0;\nA: add.s32 %r1, %r1, %m;\nsetp.lt.s32 %p1, %r1, %n;\n@%p1 bra A;",
         {NO_BOUND},
         100,
         0},
    };
    CHECK(cases);
}

static void test_graphs_without_bounds(void **state) {
    (void)state;
    static const struct loop_case cases[] = {
        {"an irreducible region inside",
         "mov.u32 %r1, 0;\nA: setp.lt.s32 %p1, %n, 4;\n@%p1 bra Q;\nP: ld.global.u32 %r3, [%w];\n"
         "Q: ld.global.u32 %r2, [%w];\nsetp.ne.s32 %p2, %r2, 0;\n@%p2 bra P;\nadd.s32 %r1, %r1, 1;\n"
         "setp.lt.s32 %p3, %r1, 10;\n@%p3 bra A;",
         {NO_BOUND},
         UNKNOWN,
         0},
        {"no way out", "A: add.s32 %r1, %r1, 1;\nbra A;", {NO_BOUND}, 0, 0},
        {"data", "A: ld.global.u32 %r1, [%w];\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra A;", {NO_BOUND}, 0, 0},
        {"a float",
         "mov.f32 %f1, 0f00000000;\nA: add.f32 %f1, %f1, 0f3F800000;\nsetp.lt.f32 %p1, %f1, 0f41200000;\n"
         "@%p1 bra A;",
         {NO_BOUND},
         0,
         0},
    };
    CHECK(cases);
}

/* Control enters the first block from outside, with registers that may hold anything. */
static void test_header_at_the_entry(void **state) {
    (void)state;
    static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
                               ".reg .pred %p<2>;\n.reg .b32 %r<2>;\n"
                               "A: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 10;\n@%p1 bra A;\nret;\n}\n";
    static const struct loop_environment nothing_known;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    struct bounded_function bounded;
    assert_int_equal(wb_module_parse("test.ptx", text, strlen(text), diagnostics, &module), WB_OK);
    bound_function(kernel_function(wb_module_kernel(module, 0)), &nothing_known, &bounded);
    assert_int_equal(bounded.loops.count, 1);
    assert_true(bounded.bounds[0].known);
    /* From the largest number, which one more makes the least, up to 10. */
    assert_int_equal(bounded.bounds[0].headers, (UINT64_C(1) << 31) + 11);
    arena_free(&bounded.arena);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_updates_that_may_not_happen),
        cmocka_unit_test(test_words_that_wrap),
        cmocka_unit_test(test_graphs_without_bounds),
        cmocka_unit_test(test_header_at_the_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
