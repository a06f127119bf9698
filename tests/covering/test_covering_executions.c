/* Small kernels whose executions are told apart by data that the covering path does not know: each execution
 * is a part of it. */
#include "run_ptx.h"

#include "covered_execution.h"
#include "launch/launch.h"
#include "launch_text.h"

/* Every test's body may use these. %r0 is the lane, %r1 an element of `in`, which is not known; %rd1 and %rd2
 * are the addresses of the lane's elements of `in` and of `out`, which is 0. */
#define PROLOGUE                                                                                             \
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"                                                \
    ".reg .pred %p<16>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n"                                            \
    "ld.param.u64 %rd30, [in];\nld.param.u64 %rd31, [out];\nmov.u32 %r0, %tid.x;\n"                          \
    "mul.wide.u32 %rd0, %r0, 4;\nadd.s64 %rd1, %rd0, %rd30;\nadd.s64 %rd2, %rd0, %rd31;\n"                   \
    "ld.global.u32 %r1, [%rd1];\nsetp.ne.u32 %p1, %r1, 0;\n"

/* Contents of `in`. */
static const char *const inputs[] = {"zero",      "1",         "2",         "iota",      "random(1)",
                                     "random(2)", "random(3)", "random(4)", "random(5)", "random(6)"};

enum { INPUTS = sizeof inputs / sizeof *inputs };

struct kernel {
    wb_diagnostics *diagnostics;
    wb_module *module;
    const wb_kernel *parsed;
    wb_facts *facts;
    const char *threads;
};

static struct kernel parse(const char *declarations, const char *body, const char *facts,
                           const char *threads) {
    struct kernel kernel = {.diagnostics = wb_diagnostics_new(), .threads = threads};
    struct text ptx = {0};
    text_printf(&ptx, "%s%s%s%s\nret;\n}\n", PTX_HEADER, declarations, PROLOGUE, body);
    char *text = text_take(&ptx);
    wb_diagnostics *d = kernel.diagnostics;
    if (wb_module_parse("test.ptx", text, strlen(text), d, &kernel.module) != WB_OK ||
        wb_module_find_kernel(kernel.module, "k", d, &kernel.parsed) != WB_OK)
        fail_msg("%s\n%s", text, wb_diagnostics_text(d));
    free(text);
    if (facts == NULL) return kernel;
    struct text statements = {0};
    uint64_t checksum = 0;
    assert_int_equal(facts_checksum(kernel.parsed, &checksum), WB_OK);
    text_printf(&statements, "kernel k %016llx\n%s", (unsigned long long)checksum, facts);
    char *file = text_take(&statements);
    if (wb_facts_parse("test.facts", file, strlen(file), kernel.parsed, d, &kernel.facts) != WB_OK)
        fail_msg("%s\n%s", file, wb_diagnostics_text(d));
    free(file);
    return kernel;
}

static void kernel_free(struct kernel *kernel) {
    wb_facts_free(kernel->facts);
    wb_module_free(kernel->module);
    wb_diagnostics_free(kernel->diagnostics);
}

/* Runs the kernel on contents of `in`; NULL: they are not known, and the path covers all. */
static wb_status trace(const struct kernel *kernel, const char *contents, wb_block **block) {
    wb_launch *launch = wb_launch_new();
    wb_diagnostics *d = kernel->diagnostics;
    char input[64];
    (void)snprintf(input, sizeof input, "buf:u32[64]%s%s", contents == NULL ? "" : "=",
                   contents == NULL ? "" : contents);
    wb_trace_options options = {.size = sizeof options,
                                .cover = contents == NULL,
                                .record_accesses = true,
                                .instruction_limit = 2000000};
    if (options.cover) options.facts = kernel->facts;
    wb_status status = wb_launch_set_grid(launch, (const uint32_t[3]){1, 1, 1}, d);
    if (status == WB_OK) status = launch_block_text(launch, kernel->threads, d);
    if (status == WB_OK) status = wb_launch_add_argument(launch, input, d);
    if (status == WB_OK) status = wb_launch_add_argument(launch, "buf:u32[256]=zero", d);
    if (status == WB_OK) status = wb_block_trace(kernel->parsed, launch, &options, d, block);
    wb_launch_free(launch);
    return status;
}

/* A kernel all of whose executions are covered. */
static void expect_covered_by(const char *declarations, const char *body, const char *facts,
                              const char *threads) {
    struct kernel kernel = parse(declarations, body, facts, threads);
    wb_block *covering = NULL;
    if (trace(&kernel, NULL, &covering) != WB_OK)
        fail_msg("%s\n%s", body, wb_diagnostics_text(kernel.diagnostics));
    for (uint32_t i = 0; i < INPUTS; i++) {
        wb_block *real = NULL;
        if (trace(&kernel, inputs[i], &real) != WB_OK)
            fail_msg("%s\n%s\n%s", body, inputs[i], wb_diagnostics_text(kernel.diagnostics));
        for (uint32_t w = 0; w < real->warp_count; w++)
            if (!warp_is_covered(covering, real, w)) fail_msg("%s\nwarp %u on %s", body, w, inputs[i]);
        wb_block_free(real);
    }
    wb_block_free(covering);
    kernel_free(&kernel);
}

static void expect_covered(const char *body) {
    expect_covered_by("", body, NULL, "64");
}

static void expect_declined_with(const char *body, const char *facts, const char *message) {
    struct kernel kernel = parse("", body, facts, "64");
    wb_block *covering = NULL;
    wb_status status = trace(&kernel, NULL, &covering);
    const char *messages = wb_diagnostics_text(kernel.diagnostics);
    if (status != WB_ERR_DECLINED || strstr(messages, message) == NULL)
        fail_msg("%s\nstatus %d, expected '%s':\n%s", body, status, message, messages);
    kernel_free(&kernel);
}

static void expect_declined(const char *body, const char *message) {
    expect_declined_with(body, NULL, message);
}

/* ---- Sides of branches -------------------------------------------------------------------------------- */

static void sides_of_an_indirect_branch_have_an_order(void **state) {
    (void)state;
    /* the lowest lane does not decide which target is first, */
    expect_covered(
        "and.b32 %r2, %r1, 3; min.u32 %r2, %r2, 2;\nt: .branchtargets X, Y, Z, X;\nbrx.idx %r2, t;\n"
        "X: mov.u32 %r3, 1;\nbra.uni M;\nY: mov.u32 %r3, 2;\nbra.uni M;\nZ: mov.u32 %r3, 3;\n"
        "M: mov.u32 %r4, 4;\n");
    /* nor the place in the table: Z stands first in it, last in the code */
    expect_covered("and.b32 %r2, %r1, 3;\nt: .branchtargets Z, Y, X, Z;\nbrx.idx %r2, t;\n"
                   "X: mov.u32 %r3, 1;\nbra.uni M;\nY: mov.u32 %r3, 2;\nbra.uni M;\nZ: mov.u32 %r3, 3;\n"
                   "M: mov.u32 %r4, 4;\n");
}

static void a_side_may_begin_at_the_end_of_the_body(void **state) {
    (void)state;
    expect_covered(
        "@%p1 bra END;\nmov.u32 %r2, 1;\nsetp.gt.u32 %p2, %r1, 5;\n@%p2 bra END;\nmov.u32 %r2, 2;\n"
        "ret;\nEND:");
}

/* ---- Calls -------------------------------------------------------------------------------------------- */

#define FUNCTIONS                                                                                            \
    ".func (.reg .b32 %res) f(.reg .b32 %arg)\n{\nadd.u32 %res, %arg, 1;\nret;\n}\n"                         \
    ".func (.reg .b32 %res) g(.reg .b32 %arg)\n{\nadd.u32 %res, %arg, 2;\nret;\n}\n"                         \
    ".func (.reg .b32 %res) leave(.reg .b32 %arg)\n{\n.reg .pred %q;\nmov.u32 %res, 1;\n"                    \
    "setp.eq.u32 %q, %arg, 1;\n@%q bra X;\nret;\nX: exit;\n}\n"                                              \
    ".func (.reg .b32 %res) leave_behind(.reg .b32 %arg)\n{\n.reg .pred %q;\nmov.u32 %res, 1;\n"             \
    "setp.ne.u32 %q, %arg, 1;\n@%q ret;\nexit;\n}\n"

#define CALLS "p: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"

static void indirect_calls_of_part_of_a_warp(void **state) {
    (void)state;
    const char *callees = CALLS "and.b32 %r5, %r0, 1; setp.eq.u32 %p2, %r5, 0;\n"
                                "mov.u64 %rd3, g; mov.u64 %rd4, f; selp.b64 %rd5, %rd3, %rd4, %p2;\n";
    struct text body = {0};
    text_printf(&body, "%scall (%%r3), %%rd5, (%%r0), p;\nmov.u32 %%r4, 1;\n", callees);
    char *all = text_take(&body);
    expect_covered_by(FUNCTIONS, all, NULL, "64");
    /* which lane is the lowest depends on data: the order of the callees must not */
    text_printf(&body,
                "%s@!%%p1 bra M;\ncall (%%r3), %%rd5, (%%r0), p;\nmov.u32 %%r4, 1;\nM: mov.u32 %%r4, 2;\n",
                callees);
    char *some = text_take(&body);
    expect_covered_by(FUNCTIONS, some, NULL, "64");
    /* the call is put back, but has been arrived at once only */
    text_printf(&body,
                "%smov.u32 %%r6, 0;\nL: call (%%r3), %%rd5, (%%r0), p;\nadd.u32 %%r6, %%r6, 1;\n"
                "ld.global.u32 %%r7, [%%rd1]; min.u32 %%r7, %%r7, 4; setp.lt.u32 %%p3, %%r6, %%r7;\n"
                "@%%p3 bra L;\n",
                callees);
    char *loop = text_take(&body);
    expect_covered_by(FUNCTIONS, loop, "loop L <= 4;", "64");
    free(all);
    free(some);
    free(loop);
}

static void results_in_variables_are_of_one_side(void **state) {
    (void)state;
    expect_covered_by(FUNCTIONS,
                      ".param .b32 result;\n@%p1 bra L;\ncall (result), f, (5);\nbra.uni M;\n"
                      "L: call (result), f, (6);\nM: ld.param.b32 %r3, [result];\nsetp.eq.u32 %p2, %r3, 6;\n"
                      "@%p2 bra N;\nmov.u32 %r4, 1;\nN: mov.u32 %r4, 2;\n",
                      NULL, "64");
}

static void lanes_return_on_one_side_and_end_on_the_other(void **state) {
    (void)state;
    expect_covered_by(FUNCTIONS, "call (%r3), leave, (%r1);\nmov.u32 %r4, 2;\n", NULL, "64");
    expect_covered_by(FUNCTIONS, "call (%r3), leave_behind, (%r1);\nmov.u32 %r4, 2;\n", NULL, "64");
}

/* ---- Loops -------------------------------------------------------------------------------------------- */

static void an_inner_loop_may_be_entered_anew_from_the_outer_one(void **state) {
    (void)state;
    /* the sides of the inner loop's latch meet at the inner header, one by way of the outer header: whether
     * the inner loop goes on or is entered anew alternates */
    const char *body = "mov.u32 %r2, 0;\nK: mov.u32 %r3, 1;\nH: add.u32 %r2, %r2, 1;\n"
                       "setp.ge.u32 %p2, %r2, 20;\n@%p2 bra E;\n"
                       "add.u32 %r4, %r2, %r1; and.b32 %r4, %r4, 1; setp.ne.u32 %p3, %r4, 0;\n"
                       "@%p3 bra H;\nbra K;\nE: mov.u32 %r9, 1;\n";
    expect_covered_by("", body, "loop H <= 2; loop K <= 20;", "64");
}

static void sides_that_wait_for_the_end_of_a_long_loop(void **state) {
    (void)state;
    /* each lane leaves at an iteration of its own, late; code that depends on the iteration waits until all
     * have left */
    const char *body = "mov.u32 %r2, 0; and.b32 %r3, %r1, 31; mad.lo.u32 %r3, %r3, 3, 5000;\n"
                       "L: add.u32 %r2, %r2, 1; ld.global.u32 %r5, [%rd1]; and.b32 %r5, %r5, 31;\n"
                       "mad.lo.u32 %r3, %r5, 3, 5000; setp.ne.u32 %p2, %r2, %r3;\n@%p2 bra C;\n"
                       "setp.lt.u32 %p3, %r2, 4990;\n@%p3 bra M;\nmov.u32 %r4, 1;\nbra M;\n"
                       "C: setp.lt.u32 %p4, %r2, 1500000;\n@%p4 bra L;\nM: mov.u32 %r4, 2;\n";
    expect_covered_by("", body, "loop L <= 1500000;", "32");
}

static void loops_whose_end_is_unknown_are_declined(void **state) {
    (void)state;
    expect_declined("L: ld.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0;\n@%p2 exit;\nbra L;\n",
                    "loop L <= ?");
    expect_declined(
        "@%p1 bra B;\nA: mov.u32 %r2, 1;\nB: ld.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 7;\n"
        "@%p2 bra A;\n",
        "several entries");
}

/* Groups of lanes that meet only behind a loop, in which each goes on by itself, and divides again. */
#define MAYBE_BREAK                                                                                          \
    "mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1; shr.u32 %r3, %r1, %r2; and.b32 %r4, %r3, 3;\n"                 \
    "setp.eq.u32 %p2, %r4, 1;\n@%p2 bra N;\nsetp.eq.u32 %p3, %r4, 2; and.b32 %r5, %r3, 64;\n"                \
    "setp.eq.u32 %p4, %r5, 0; and.pred %p3, %p3, %p4;\n@%p3 bra X;\n"

static void lanes_that_meet_behind_the_loop(void **state) {
    (void)state;
    /* on both ways round the break, up to the end of the loop */
    expect_covered_by("", MAYBE_BREAK "N: setp.lt.u32 %p5, %r2, 25; @%p5 bra L;\nX: mov.u32 %r6, 1;\n", NULL,
                      "64");
    /* each group loads what others have stored, whose iterations come before its own */
    expect_covered_by(
        ".shared .align 4 .b32 tile[4];\n",
        "mov.u32 %r9, 5; st.shared.u32 [tile], %r9;\n" MAYBE_BREAK
        "ld.shared.u32 %r7, [tile]; setp.eq.u32 %p6, %r7, 5; @%p6 bra N; mov.u32 %r8, 2;\n"
        "N: st.shared.u32 [tile], %r2; setp.lt.u32 %p5, %r2, 25; @%p5 bra L;\nX: mov.u32 %r6, 1;\n",
        NULL, "32");
    /* out of two loops at once, and again in each iteration of a third */
    expect_covered_by(
        "",
        "mov.u32 %r10, 0;\nO: mov.u32 %r11, 0;\nM: " MAYBE_BREAK
        "N: setp.lt.u32 %p5, %r2, 9; @%p5 bra L;\nadd.u32 %r11, %r11, 1; setp.lt.u32 %p7, %r11, 7; "
        "@%p7 bra M;\nX: add.u32 %r10, %r10, 1; setp.lt.u32 %p8, %r10, 3; @%p8 bra O;\n",
        NULL, "32");
    /* a barrier that each group may come to by itself */
    expect_declined(MAYBE_BREAK "bar.sync 0;\nN: setp.lt.u32 %p5, %r2, 25; @%p5 bra L;\nX: mov.u32 %r6, 1;\n",
                    "too many paths");
}

/* ---- Memory and exchanges ----------------------------------------------------------------------------- */

static void a_copy_without_source_writes_zeros(void **state) {
    (void)state;
    /* the side is taken though it names a source that is not there: of 0 bytes */
    expect_covered_by(
        ".shared .align 16 .b8 tile[1024];\n",
        "mov.u32 %r5, tile; shl.b32 %r6, %r0, 2; add.u32 %r5, %r5, %r6; st.shared.u32 [%r5], 1;\n"
        "mov.u32 %r7, 0;\n@%p1 bra M;\nadd.s64 %rd3, %rd1, 1048576;\n"
        "cp.async.ca.shared.global [%r5], [%rd3], 4, %r7;\ncp.async.wait_all;\n"
        "M: ld.shared.u32 %r8, [%r5]; setp.eq.u32 %p2, %r8, 1;\n@%p2 bra N;\nmov.u32 %r9, 1;\n"
        "N: mov.u32 %r9, 2;\n",
        NULL, "64");
}

static void rows_of_matrices_are_of_other_lanes(void **state) {
    (void)state;
    /* lanes from 8 on give no address, and rows are 16 bytes whatever the number of matrices is */
    expect_covered_by(
        ".shared .align 16 .b8 tile[128];\n",
        "mov.u32 %r5, tile; shl.b32 %r6, %r0, 4; add.u32 %r5, %r5, %r6; mov.u32 %r8, 7;\n"
        "setp.lt.u32 %p3, %r0, 8;\n@%p3 st.shared.u32 [%r5], 0; @%p3 st.shared.u32 [%r5+4], 0;\n"
        "@%p3 st.shared.u32 [%r5+8], 0; @%p3 st.shared.u32 [%r5+12], 0;\n"
        "ld.global.u32 %r10, [%rd30]; setp.ne.u32 %p4, %r10, 0;\n@%p4 bra M;\n"
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, [%r5];\nM: setp.eq.u32 %p2, %r8, 7;\n"
        "@%p2 bra N;\nmov.u32 %r9, 1;\nN: mov.u32 %r9, 2;\n",
        NULL, "32");
}

static void generic_addresses_may_be_local(void **state) {
    (void)state;
    expect_covered(
        ".local .align 8 .b8 own[64];\n.reg .b64 %a<4>;\nmov.u64 %a0, own; cvta.local.u64 %a0, %a0;\n"
        "and.b32 %r2, %r1, 7; mul.wide.u32 %a1, %r2, 8; add.s64 %a1, %a1, %a0; mov.u64 %a2, 5;\n"
        "st.u64 [%a1], %a2;\nld.u64 %a2, [%a1];\n");
}

static void reductions_need_to_know_who_takes_part(void **state) {
    (void)state;
    expect_declined("setp.lt.u32 %p2, %r0, 3; or.pred %p3, %p1, %p2; setp.eq.u32 %p4, %r0, %r0;\n"
                    "@%p3 bar.red.popc.u32 %r2, 0, %p4;\n",
                    "guard");
}

/* Lanes that leave the kernel in front of a barrier, and do nothing else: the warp waits there unless all of
 * them do. */
static void lanes_may_leave_before_a_barrier(void **state) {
    (void)state;
#define ADD "add.u32 %r3, %r0, 1;\n"
#define WAIT "bar.sync 0;\n" ADD
    expect_covered("@%p1 bra END;\n" ADD WAIT "END:");
    /* whole warps do, */
    expect_covered("ld.global.u32 %r2, [%rd30+4]; shr.u32 %r4, %r0, 5; setp.ge.u32 %p2, %r4, %r2;\n"
                   "@%p2 bra END;\n" ADD WAIT WAIT "END:");
    /* some lanes and then others, some of them whatever the data is, */
    expect_covered("@%p1 bra END;\n" WAIT "setp.gt.u32 %p2, %r1, 9; @%p2 bra END;\n" WAIT "END:");
    expect_covered("setp.gt.u32 %p2, %r0, 40; @%p2 bra END;\n@%p1 bra END;\n" WAIT "END:");
    /* from an end of their own, on either side, */
    expect_covered("@!%p1 bra GO;\nret;\nGO:" ADD WAIT);
    expect_covered("@%p1 bra OUT;\n" ADD WAIT "ret;\nOUT: exit;\n");
    /* from iterations, */
    expect_covered("mov.u32 %r2, 0;\nL: setp.eq.u32 %p2, %r1, %r2; @%p2 bra END;\n" WAIT
                   "add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 6; @%p3 bra L;\n" WAIT "END:");
    /* and before a call */
    expect_covered_by(".func wait_here()\n{\nbar.sync 0;\nret;\n}\n",
                      "@%p1 bra END;\ncall wait_here;\n" WAIT "END:", NULL, "64");
    /* not those that do more, or that other values divide as well, or that leave from elsewhere */
    expect_declined("@!%p1 bra GO;\nbra.uni END;\nGO:" WAIT "END:", "together GO;");
    expect_declined("@%p1 bra M;\nB:" WAIT "M:" ADD, "together B;");
    expect_declined("setp.gt.u32 %p2, %r1, 9; @%p2 bra M;\n@%p1 bra END;\nB:" WAIT "M:" ADD "END:",
                    "together B;");
    expect_declined("setp.gt.u32 %p2, %r1, 9; @%p2 bra OUT;\n@%p1 bra END;\nB:" WAIT "bra END;\n"
                    "OUT: exit;\nEND:",
                    "together B;");
    expect_declined_with("@%p1 bra END;\nB:" WAIT "END:", "at most 1 of END per B;", "together B;");
}

static void barriers_that_warps_reach_in_different_ways(void **state) {
    (void)state;
    /* all warps wait once, but some come by the first branch and some by the second: in the covering path
     * these are two barriers */
    expect_declined_with("@%p1 bra L;\nmov.u32 %r2, 1; setp.eq.u32 %p2, %r1, 0;\n@%p2 bra L;\nbra M;\n"
                         "L: bar.sync 0;\nM: mov.u32 %r3, 1;\n",
                         "together L;", "more than one place");
    /* of one warp it is known that it does not wait at L: it must not meet the other one there */
    expect_declined_with("setp.lt.u32 %p2, %r0, 32; and.pred %p3, %p1, %p2;\n@!%p3 bra M;\nL: bar.sync 0;\n"
                         "M: bar.sync 0;\n",
                         "together L;", "another one than other warps");
    /* which lanes wait at a barrier that has a guard is not what the fact says */
    expect_declined_with("setp.lt.u32 %p2, %r0, 8;\n@!%p1 bra M;\nL: @%p2 bar.sync 0;\nM: mov.u32 %r3, 1;\n",
                         "together L;", "depends on unknown values");
    /* one barrier in every iteration can be told apart, though nobody knows how many there are */
    struct kernel kernel =
        parse("",
              "mov.u32 %r2, 0; ld.global.u32 %r5, [%rd30]; and.b32 %r5, %r5, 3;\n"
              "K: setp.ge.u32 %p2, %r2, %r5;\n@%p2 bra E;\nL: bar.sync 0;\nadd.u32 %r2, %r2, 1;\nbra K;\n"
              "E: mov.u32 %r3, 1;\n",
              "loop K <= 4; together L;", "64");
    wb_block *covering = NULL;
    assert_int_equal(trace(&kernel, NULL, &covering), WB_OK);
    wb_block_free(covering);
    kernel_free(&kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_may_leave_before_a_barrier),
        cmocka_unit_test(sides_of_an_indirect_branch_have_an_order),
        cmocka_unit_test(a_side_may_begin_at_the_end_of_the_body),
        cmocka_unit_test(indirect_calls_of_part_of_a_warp),
        cmocka_unit_test(results_in_variables_are_of_one_side),
        cmocka_unit_test(lanes_return_on_one_side_and_end_on_the_other),
        cmocka_unit_test(an_inner_loop_may_be_entered_anew_from_the_outer_one),
        cmocka_unit_test(sides_that_wait_for_the_end_of_a_long_loop),
        cmocka_unit_test(loops_whose_end_is_unknown_are_declined),
        cmocka_unit_test(lanes_that_meet_behind_the_loop),
        cmocka_unit_test(a_copy_without_source_writes_zeros),
        cmocka_unit_test(rows_of_matrices_are_of_other_lanes),
        cmocka_unit_test(generic_addresses_may_be_local),
        cmocka_unit_test(reductions_need_to_know_who_takes_part),
        cmocka_unit_test(barriers_that_warps_reach_in_different_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
