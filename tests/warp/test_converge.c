/* Where lanes of machine code meet: BSSY, BSYNC, BREAK, EXIT, WARPSYNC, BAR and BMOV. */
#include "flow/graph/graph.h"
#include "machine_text.h"
#include "run_ptx.h"
#include "warp/trace/trace.h"

#define LANE_RESULT "cvt.u64.u32 %rd9, %r9;\nst.global.u64 [%rd0], %rd9;\n"

/* What a body of machine code executed by one warp leaves behind. */
struct machine_run {
    wb_module *module;
    wb_diagnostics *diagnostics;
    wb_status status;
    wb_block *block;
    uint8_t *bytes, *known;
    size_t size;
};

static struct machine_run run_machine(const char *body, const char *threads) {
    char *text = module_of("", body);
    struct machine_run run = {.module = machine_text_parse(text), .diagnostics = wb_diagnostics_new()};
    const wb_kernel *kernel = NULL;
    wb_launch *launch = wb_launch_new();
    const wb_trace_options options = {.size = sizeof options};
    assert_int_equal(wb_module_find_kernel(run.module, "k", run.diagnostics, &kernel), WB_OK);
    assert_int_equal(launch_grid_text(launch, "1", run.diagnostics), WB_OK);
    assert_int_equal(launch_block_text(launch, threads, run.diagnostics), WB_OK);
    assert_int_equal(wb_launch_add_argument(launch, "buf:u64[1024]=zero", run.diagnostics), WB_OK);
    run.status = wb_block_trace(kernel, launch, &options, run.diagnostics, &run.block);
    if (run.status == WB_OK)
        run.status = grid_execute(kernel, launch, 0, run.diagnostics, &run.bytes, &run.known, &run.size);
    wb_launch_free(launch);
    free(text);
    return run;
}

static void machine_run_free(struct machine_run *run) {
    wb_block_free(run->block);
    wb_module_free(run->module);
    wb_diagnostics_free(run->diagnostics);
    free(run->bytes);
    free(run->known);
}

static uint64_t result(const struct machine_run *run, uint32_t lane) {
    uint64_t value;
    assert_true(run->known[lane] == 0xff);
    memcpy(&value, run->bytes + 8 * (size_t)lane, 8);
    return value;
}

/* How often a warp issues the instruction behind a label, and the lanes of the last time. */
static uint32_t issued(const struct machine_run *run, const char *label, uint32_t *mask) {
    const struct ptx_function *function = &run->module->functions[0];
    uint32_t at = PTX_NO_INDEX, count = 0;
    for (uint32_t l = 0; l < function->label_count; l++)
        if (strcmp(function->labels[l].name, label) == 0) at = function->labels[l].target;
    assert_int_not_equal(at, PTX_NO_INDEX);
    struct path_cursor cursor = path_begin(&run->block->paths.items[0]);
    struct path_step step;
    while (path_next(&cursor, &step)) {
        if (step.instruction != at) continue;
        count++;
        *mask = step.mask;
    }
    return count;
}

static struct machine_run run_well(const char *body, const char *threads) {
    struct machine_run run = run_machine(body, threads);
    if (run.status != WB_OK) fail_msg("%s\n%s", body, wb_diagnostics_text(run.diagnostics));
    return run;
}

static void expect_issued(const char *body, const char *label, uint32_t times, uint32_t lanes) {
    struct machine_run run = run_well(body, "32");
    uint32_t mask = 0;
    const uint32_t count = issued(&run, label, &mask);
    if (count != times || mask != lanes) fail_msg("%s\n%s: %u times, at last %08x", body, label, count, mask);
    machine_run_free(&run);
}

#define LOW "setp.lt.u32 %p1, %r0, 8;\n"

static void lanes_meet_behind_bsync_only(void **state) {
    (void)state;
    /* at the branch's post-dominator they do not */
    expect_issued(LOW "@%p1 bra A;\nmov.u32 %r9, 1;\nA: mov.u32 %r9, 2;\n" LANE_RESULT "exit;\n", "A", 2,
                  0xffffff00);
    expect_issued(LOW "bssy 0, T;\n@%p1 bra A;\nmov.u32 %r9, 1;\nA: bsync 0;\nT: mov.u32 %r9, 2;\nexit;\n",
                  "T", 1, 0xffffffff);
    expect_issued(LOW "bssy 0, T;\n@%p1 bra A;\nmov.u32 %r9, 1;\nA: bsync 0;\nT: mov.u32 %r9, 2;\nexit;\n",
                  "A", 2, 0xffffff00);
}

/* Lanes leave a loop one after another, and all are there behind it. */
static void lanes_leave_loops_one_by_one(void **state) {
    (void)state;
    expect_issued("mov.u32 %r1, 0;\nbssy 3, T;\nL: add.u32 %r1, %r1, 1;\nsetp.le.u32 %p1, %r1, %r0;\n"
                  "@%p1 bra L;\nbsync 3;\nT: mov.u32 %r9, %r1;\n" LANE_RESULT "exit;\n",
                  "T", 1, 0xffffffff);
}

/* Lanes that break out of an inner set are waited for at the outer one only. */
static void broken_lanes_are_not_waited_for(void **state) {
    (void)state;
    static const char body[] =
        "bssy 0, T;\n" LOW "bssy 1, S;\nsetp.lt.u32 %p2, %r0, 16;\n@%p2 bra X;\nbra J;\n"
        "X: @%p1 break 1;\n@%p1 bra K;\nJ: bsync 1;\nS: mov.u32 %r8, 1;\nK: bsync 0;\n"
        "T: mov.u32 %r9, 7;\n" LANE_RESULT "exit;\n";
    expect_issued(body, "S", 1, 0xffffff00);
    expect_issued(body, "T", 1, 0xffffffff);
    expect_issued(body, "K", 2, 0xffffff00);
}

static void ended_lanes_are_not_waited_for(void **state) {
    (void)state;
    expect_issued(LOW
                  "bssy 0, T;\n@%p1 bra A;\nmov.u32 %r9, 1;\nbsync 0;\nT: mov.u32 %r9, 2;\nexit;\nA: exit;\n",
                  "T", 1, 0xffffff00);
}

static void warpsync_waits_for_lanes_of_its_mask(void **state) {
    (void)state;
    expect_issued(LOW "@%p1 bra A;\nmov.u32 %r9, 1;\nA: warpsync 0xffffffff;\nmov.u32 %r9, 2;\n"
                      "B: mov.u32 %r9, 2;\nexit;\n",
                  "B", 1, 0xffffffff);
    expect_issued(LOW
                  "@%p1 bra A;\nwarpsync 0xffffff00;\nexit;\nA: warpsync 0xff;\nB: mov.u32 %r9, 2;\nexit;\n",
                  "B", 1, 0xff);
    /* lanes that another part has left behind come, too */
    expect_issued("bssy 0, T;\n" LOW "@%p1 break 0;\n@%p1 bra W;\nbsync 0;\nT: mov.u32 %r8, 1;\n"
                  "W: warpsync 0xffffffff;\nB: mov.u32 %r9, 2;\nexit;\n",
                  "B", 1, 0xffffffff);
}

/* The whole warp comes to a barrier of the block, though in parts: values are right, times are not modelled.
 */
static void parts_wait_at_barriers_of_blocks(void **state) {
    (void)state;
    struct machine_run run = run_well(LOW "@%p1 bra A;\nmov.u32 %r9, 1;\nbra B;\nA: mov.u32 %r9, 2;\n"
                                          "B: bar.sync 0;\nC: add.u32 %r9, %r9, 5;\n" LANE_RESULT "exit;\n",
                                      "32");
    uint32_t mask = 0;
    assert_int_equal(issued(&run, "C", &mask), 1);
    assert_int_equal(mask, 0xffffffff);
    assert_int_equal(result(&run, 3), 7);
    assert_int_equal(result(&run, 9), 6);
    assert_non_null(run.block->notes.unmodelled);
    machine_run_free(&run);
}

/* A function that is called keeps a set in a register while it uses the set for itself. */
static void sets_are_kept_in_registers(void **state) {
    (void)state;
    static const char body[] = LOW "bssy 0, T;\n@%p1 bra A;\nmov.u32 %r9, 1;\nbra J;\nA: bmov.get %r5, 0;\n"
                                   "setp.lt.u32 %p2, %r0, 4;\nbssy 0, S;\n@%p2 bra B;\nmov.u32 %r9, 3;\n"
                                   "B: bsync 0;\nS: mov.u32 %r6, 0;\nbmov.set 0, %r5;\nJ: bsync 0;\n"
                                   "T: mov.u32 %r9, %r5;\n" LANE_RESULT "exit;\n";
    expect_issued(body, "S", 1, 0xff);
    expect_issued(body, "T", 1, 0xffffffff);
    struct machine_run run = run_well(body, "32");
    assert_int_equal(result(&run, 2), 0xffffffff);
    machine_run_free(&run);
}

static void divided_tells_whether_live_lanes_are_elsewhere(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "divided %p3, 0xffffffff;\nselp.u32 %r9, 1, 0, %p3;\n" LANE_RESULT "exit;\n",
        LOW "@%p1 exit;\ndivided %p3, 0xffffffff;\nselp.u32 %r9, 1, 0, %p3;\n" LANE_RESULT "exit;\n",
        LOW "@%p1 bra A;\nA: divided %p3, 0xffffffff;\nselp.u32 %r9, 1, 0, %p3;\n" LANE_RESULT "exit;\n",
        LOW
        "@%p1 bra A;\nmov.u32 %r8, 1;\nA: divided %p3, 0xffffffff;\nselp.u32 %r9, 1, 0, %p3;\n" LANE_RESULT
        "exit;\n"};
    static const uint64_t expected[] = {0, 0, 0, 1};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct machine_run run = run_well(bodies[i], "32");
        assert_int_equal(result(&run, i == 3 ? 3 : 20), expected[i]);
        machine_run_free(&run);
    }
}

/* Hardware would wait for ever, or it is not known what it does. */
static void what_cannot_be_is_declined(void **state) {
    (void)state;
    static const struct {
        const char *body, *message;
    } cases[] = {
        {LOW "bssy 0, T;\nbssy 1, S;\n@%p1 bra J;\nbsync 1;\nS: mov.u32 %r8, 1;\nJ: bsync 0;\nT: exit;\n",
         "lane 8 of warp 0 waits here for lane 0, which went another way"},
        {LOW "bssy 0, T;\n@%p1 break 0;\nbsync 0;\nT: exit;\n", "no BSSY has put it there"},
        {LOW "@%p1 bssy 0, T;\nbsync 0;\nT: exit;\n", "its guard is false in some lanes"},
        {LOW "bssy 0, T;\n@%p1 bra A;\nwarpsync 0xffffffff;\nA: bsync 0;\nT: exit;\n", "waits here for lane"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine_run run = run_machine(cases[i].body, "32");
        const bool right = run.status == WB_ERR_DECLINED &&
                           strstr(wb_diagnostics_text(run.diagnostics), cases[i].message) != NULL;
        if (!right) fail_msg("%s\n%d %s", cases[i].body, run.status, wb_diagnostics_text(run.diagnostics));
        machine_run_free(&run);
    }
}

struct analysis {
    const struct ptx_function *function;
    struct arena arena;
    const uint32_t *points;
};

static void analyse(void *context) {
    struct analysis *analysis = context;
    const struct cfg cfg = cfg_build(analysis->function, &analysis->arena);
    const struct dominators dominators = dominators_build(&analysis->arena, &cfg.graph, CFG_ENTRY);
    analysis->points = convergence_points(&cfg, &dominators, &analysis->arena);
}

/* Where the lanes meet that the branch in front of label `N` divides, by analysis: a label, or NULL. */
static void expect_meeting(const char *body, const char *label) {
    char *text = module_of("", body);
    wb_module *module = machine_text_parse(text);
    const struct ptx_function *function = &module->functions[0];
    uint32_t branch = PTX_NO_INDEX, expected = PTX_NO_INDEX;
    for (uint32_t l = 0; l < function->label_count; l++) {
        if (strcmp(function->labels[l].name, "N") == 0) branch = function->labels[l].target - 1;
        if (label != NULL && strcmp(function->labels[l].name, label) == 0)
            expected = function->labels[l].target;
    }
    struct analysis analysis = {.function = function};
    assert_int_equal(arena_protect(&analysis.arena, analyse, &analysis), WB_OK);
    if (analysis.points[branch] != expected)
        fail_msg("%s\n%u, not %u", body, analysis.points[branch], expected);
    arena_free(&analysis.arena);
    wb_module_free(module);
    free(text);
}

static void meetings_are_found_by_analysis(void **state) {
    (void)state;
    expect_meeting(LOW "bssy 0, T;\n@%p1 bra A;\nN: mov.u32 %r9, 1;\nA: bsync 0;\nT: exit;\n", "T");
    expect_meeting(LOW "@%p1 bra A;\nN: mov.u32 %r9, 1;\nA: exit;\n", NULL);
    /* a side that ends is not waited for */
    expect_meeting(LOW "bssy 0, T;\n@%p1 bra A;\nN: bsync 0;\nT: exit;\nA: exit;\n", "T");
    /* one that breaks out meets the others further out */
    expect_meeting(LOW "bssy 0, T;\nbssy 1, S;\n@%p1 break 1;\n@%p1 bra K;\nN: bsync 1;\nS: mov.u32 %r8, 1;\n"
                       "K: bsync 0;\nT: exit;\n",
                   "T");
    /* or nowhere that is known */
    expect_meeting(LOW "bssy 1, S;\n@%p1 break 1;\n@%p1 bra K;\nN: bsync 1;\nS: mov.u32 %r8, 1;\n"
                       "K: warpsync 0xffffffff;\nT: exit;\n",
                   NULL);
    expect_meeting("mov.u32 %r1, 0;\nbssy 3, T;\nL: add.u32 %r1, %r1, 1;\nsetp.le.u32 %p1, %r1, %r0;\n"
                   "@%p1 bra L;\nN: bsync 3;\nT: exit;\n",
                   "T");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_meet_behind_bsync_only),
        cmocka_unit_test(lanes_leave_loops_one_by_one),
        cmocka_unit_test(broken_lanes_are_not_waited_for),
        cmocka_unit_test(ended_lanes_are_not_waited_for),
        cmocka_unit_test(warpsync_waits_for_lanes_of_its_mask),
        cmocka_unit_test(parts_wait_at_barriers_of_blocks),
        cmocka_unit_test(sets_are_kept_in_registers),
        cmocka_unit_test(divided_tells_whether_live_lanes_are_elsewhere),
        cmocka_unit_test(what_cannot_be_is_declined),
        cmocka_unit_test(meetings_are_found_by_analysis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
