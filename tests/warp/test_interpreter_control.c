/* Control flow: divergence and reconvergence, calls, barriers, limits, and the paths that they leave. */
#include "launch_text.h"
#include "run_ptx.h"

#define STORE "st.global.u64 [%rd0], %rd9;\n"
#define STORE_R "cvt.u64.u32 %rd9, %r9;\n" STORE

static void expect_lanes(struct outcome *outcome, uint64_t (*expected)(uint64_t lane), uint32_t lanes) {
    for (uint32_t l = 0; l < lanes; l++) {
        if (outcome->known[l] && outcome->values[l] == expected(l)) continue;
        print_error("lane %u: %s %llx, expected %llx\n", l, outcome->known[l] ? "got" : "unknown",
                    (unsigned long long)outcome->values[l], (unsigned long long)expected(l));
        fail();
    }
    outcome_free(outcome);
}

static uint64_t nested(uint64_t l) {
    return l < 16 ? (l % 2 == 0 ? 1 : 2) + 100 : 3;
}

static void nested_branches_meet_again(void **state) {
    (void)state;
    struct outcome outcome =
        run_body("",
                 "setp.ge.u32 %p1, %r0, 16; and.b32 %r1, %r0, 1; setp.eq.u32 %p2, %r1, 1;\n"
                 "@%p1 bra FAR;\n@%p2 bra ODD;\nmov.u32 %r9, 1;\nbra.uni JOIN;\nODD: mov.u32 %r9, 2;\n"
                 "JOIN: activemask.b32 %r2; setp.eq.u32 %p3, %r2, 0xffff; @%p3 add.u32 %r9, %r9, 100;\n"
                 "bra.uni END;\nFAR: mov.u32 %r9, 3;\nEND:\n" STORE_R,
                 "32");
    expect_lanes(&outcome, nested, 32);
}

static uint64_t triangle(uint64_t l) {
    return l * (l + 1) / 2 + (UINT64_C(0xffffffff) << 32);
}

static void loops_with_different_trip_counts_meet_behind(void **state) {
    (void)state;
    struct outcome outcome = run_body(
        "",
        "mov.u32 %r1, 0; mov.u32 %r9, 0;\nLOOP: add.u32 %r9, %r9, %r1; add.u32 %r1, %r1, 1;\n"
        "setp.le.u32 %p1, %r1, %r0; @%p1 bra LOOP;\nactivemask.b32 %r2; mov.b64 %rd9, {%r9, %r2};\n" STORE,
        "32");
    expect_lanes(&outcome, triangle, 32);
}

static uint64_t broken(uint64_t l) {
    return l < 5 ? l : l < 20 ? 5 + 1000 : 20 + 2000;
}

/* A loop that lanes leave in three ways. */
static void breaks_leave_a_loop(void **state) {
    (void)state;
    struct outcome outcome =
        run_body("",
                 "mov.u32 %r1, 0; mov.u32 %r3, 0;\nLOOP: setp.eq.u32 %p1, %r1, %r0; @%p1 bra END;\n"
                 "add.u32 %r1, %r1, 1;\n"
                 "setp.lt.u32 %p2, %r0, 20; setp.eq.u32 %p3, %r1, 5; and.pred %p2, %p2, %p3;\n"
                 "@!%p2 bra NEXT;\nmov.u32 %r3, 1000;\nbra.uni END;\n"
                 "NEXT: setp.eq.u32 %p4, %r1, 20; @%p4 mov.u32 %r3, 2000; @%p4 bra END;\nbra.uni LOOP;\n"
                 "END: add.u32 %r9, %r1, %r3;\n" STORE_R,
                 "32");
    expect_lanes(&outcome, broken, 32);
}

static uint64_t exited(uint64_t l) {
    return l < 8 ? 0 : 0xffffff00;
}

static void lanes_that_exit_are_gone(void **state) {
    (void)state;
    struct outcome outcome =
        run_body("", "setp.lt.u32 %p1, %r0, 8; @%p1 exit; activemask.b32 %r9;\n" STORE_R, "32");
    expect_lanes(&outcome, exited, 32);
}

static uint64_t switched(uint64_t l) {
    return (l % 3 == 0 ? 10 : l % 3 == 1 ? 20 : 30) + (UINT64_C(0xffffffff) << 32);
}

static void indexed_branches_divide_lanes(void **state) {
    (void)state;
    struct outcome outcome =
        run_body("",
                 "rem.u32 %r1, %r0, 3;\nTABLE: .branchtargets A, B, C;\nbrx.idx %r1, TABLE;\n"
                 "A: mov.u32 %r9, 10;\nbra.uni END;\nB: mov.u32 %r9, 20;\nbra.uni END;\nC: mov.u32 %r9, 30;\n"
                 "END: activemask.b32 %r2; mov.b64 %rd9, {%r9, %r2};\n" STORE,
                 "32");
    expect_lanes(&outcome, switched, 32);
    assert_fails("", "add.u32 %r1, %r0, 1;\nT: .branchtargets A, B;\nbrx.idx %r1, T;\nA:\nB:\n", "32",
                 WB_ERR_INPUT, "lane 1 of warp 0: index 2 of 2 targets");
}

#define FACTORIAL                                                                                            \
    ".func (.param .b32 result) factorial(.param .b32 n)\n{\n.reg .pred %p; .reg .b32 %r<6>;\n"              \
    "ld.param.u32 %r1, [n]; setp.gt.u32 %p, %r1, 1; @%p bra MORE;\n"                                         \
    "st.param.b32 [result], 1; ret;\n"                                                                       \
    "MORE: sub.u32 %r2, %r1, 1;\n{\n.param .b32 p0; .param .b32 r0;\nst.param.b32 [p0], %r2;\n"              \
    "call (r0), factorial, (p0);\nld.param.b32 %r3, [r0];\n}\nmul.lo.u32 %r4, %r3, %r1;\n"                   \
    "st.param.b32 [result], %r4; ret;\n}\n"

static uint64_t factorial(uint64_t l) {
    uint64_t result = 1;
    for (uint64_t i = 2; i <= l % 8; i++)
        result *= i;
    return result;
}

static void functions_call_themselves(void **state) {
    (void)state;
    struct outcome outcome =
        run_body(FACTORIAL,
                 "and.b32 %r1, %r0, 7;\n{\n.param .b32 p0; .param .b32 r0;\nst.param.b32 [p0], %r1;\n"
                 "call.uni (r0), factorial, (p0);\nld.param.b32 %r9, [r0];\n}\n" STORE_R,
                 "32");
    expect_lanes(&outcome, factorial, 32);
}

static void endless_recursion_is_a_limit(void **state) {
    (void)state;
    assert_fails(".func deep()\n{\ncall deep;\nret;\n}\n", "call deep;", "32", WB_ERR_LIMIT,
                 "calls nest deeper than 512");
}

static uint64_t chosen(uint64_t l) {
    return (l % 2 == 0 ? l + 1 : l * 2) + (UINT64_C(0xffffffff) << 32);
}

static void indirect_calls_divide_lanes(void **state) {
    (void)state;
    struct outcome outcome = run_body(
        ".func (.reg .u32 %ro) one(.reg .u32 %ri)\n{\nadd.u32 %ro, %ri, 1;\nret;\n}\n"
        ".func (.reg .u32 %ro) two(.reg .u32 %ri)\n{\nshl.b32 %ro, %ri, 1;\nret;\n}\n"
        ".global .u64 table[2] = {one, two};\n",
        "and.b32 %r1, %r0, 1; mul.wide.u32 %rd1, %r1, 8; mov.u64 %rd2, table; add.u64 %rd1, %rd1, %rd2;\n"
        "ld.global.u64 %rd3, [%rd1];\nP: .callprototype (.reg .u32 _) _ (.reg .u32 _);\n"
        "call (%r9), %rd3, (%r0), P;\nactivemask.b32 %r2; mov.b64 %rd9, {%r9, %r2};\n" STORE,
        "32");
    expect_lanes(&outcome, chosen, 32);
}

static void calls_into_nowhere_are_refused(void **state) {
    (void)state;
    assert_fails(".extern .func missing();\n", "call missing;", "32", WB_ERR_DECLINED,
                 "the body of 'missing' is not in the module");
    assert_fails("", "P: .callprototype _ ();\nmov.u64 %rd1, 5;\ncall %rd1, P;", "32", WB_ERR_INPUT,
                 "0x5 is not the address of a function");
}

static uint64_t early(uint64_t l) {
    return (l < 10 ? 7 : l + 1) + (UINT64_C(0xffffffff) << 32);
}

/* A function that some lanes leave early gives every lane its own result. */
static void early_returns_wait_for_the_others(void **state) {
    (void)state;
    struct outcome outcome = run_body(
        ".func (.param .b32 o) f(.param .b32 i)\n{\n.reg .pred %p; .reg .b32 %r<4>;\nld.param.u32 %r1, [i];\n"
        "setp.lt.u32 %p, %r1, 10; st.param.b32 [o], 7; @%p ret; add.u32 %r2, %r1, 1; st.param.b32 [o], %r2; "
        "ret;\n}\n",
        "{\n.param .b32 p0; .param .b32 r0;\nst.param.b32 [p0], %r0;\ncall (r0), f, (p0);\nld.param.b32 %r9, "
        "[r0];\n}\n"
        "activemask.b32 %r2; mov.b64 %rd9, {%r9, %r2};\n" STORE,
        "32");
    expect_lanes(&outcome, early, 32);
}

static uint64_t reduction(uint64_t l) {
    (void)l;
    return 48 | UINT64_C(1) << 32;
}

static void barriers_reduce_predicates(void **state) {
    (void)state;
    struct outcome outcome = run_body(
        "",
        "setp.lt.u32 %p1, %r0, 48; bar.red.popc.u32 %r9, 0, %p1; bar.red.or.pred %p2, 0, %p1;\n"
        "bar.red.and.pred %p3, 0, %p1; not.pred %p3, %p3; and.pred %p2, %p2, %p3; selp.u32 %r8, 1, 0, %p2;\n"
        "mov.b64 %rd9, {%r9, %r8};\n" STORE,
        "96");
    expect_lanes(&outcome, reduction, 96);
}

static uint64_t handed_over(uint64_t l) {
    return l < 32 ? 0 : l - 32 + 5;
}

/* Warp 0 produces and goes on, warp 1 consumes: a named barrier for 64 of 96 threads. */
static void named_barriers_count_threads(void **state) {
    (void)state;
    struct outcome outcome = run_body(
        ".shared .u32 data[32];\n",
        "mov.u32 %r9, 0; setp.ge.u32 %p1, %r0, 64; @%p1 exit; and.b32 %r1, %r0, 31; shl.b32 %r1, %r1, 2;\n"
        "mov.u32 %r2, data; add.u32 %r1, %r1, %r2; setp.ge.u32 %p2, %r0, 32; @%p2 bra CONSUME;\n"
        "add.u32 %r3, %r0, 5; st.shared.u32 [%r1], %r3; bar.arrive 3, 64; bra.uni END;\n"
        "CONSUME: bar.sync 3, 64; ld.shared.u32 %r9, [%r1];\nEND:\n" STORE_R,
        "96");
    expect_lanes(&outcome, handed_over, 64);
}

static void barriers_that_nobody_reaches_are_a_deadlock(void **state) {
    (void)state;
    assert_fails("",
                 "setp.lt.u32 %p1, %r0, 32; @%p1 bra A;\nbar.sync 1;\nbra.uni E;\nA: bar.sync 2;\nE:", "64",
                 WB_ERR_INPUT, "deadlock: warp 0 waits here for ever, 32 threads have arrived at barrier 2");
    assert_fails("",
                 "setp.lt.u32 %p1, %r0, 32; @%p1 bra A;\nbar.sync 1;\nbra.uni E;\nA: bar.sync 2;\nE:", "64",
                 WB_ERR_INPUT, "note: warp 1 waits here, at barrier 1");
    assert_fails("", "bar.sync 0, 128;", "64", WB_ERR_INPUT, "deadlock");
    assert_fails("", "bar.sync 16;", "64", WB_ERR_INPUT, "there are 16 barriers");
    assert_fails("", "setp.lt.u32 %p1, %r0, 32; selp.u32 %r1, 64, 96, %p1; bar.sync 0, %r1;", "64",
                 WB_ERR_INPUT, "warp 1 expects 96 threads at barrier 0, others 64");
}

/* Traces block 0 of a body; the caller frees block, module and launch. */
struct traced {
    wb_module *module;
    wb_launch *launch;
    wb_block *block;
    wb_status status;
    char *messages;
};

static struct traced trace_body(const char *body, const char *threads, const wb_trace_options *options) {
    struct traced traced = {.launch = wb_launch_new()};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const wb_kernel *kernel = NULL;
    char *ptx = module_of(".shared .u32 data[64];\n", body);
    assert_int_equal(wb_module_parse("test.ptx", ptx, strlen(ptx), diagnostics, &traced.module), WB_OK);
    assert_int_equal(wb_module_find_kernel(traced.module, NULL, diagnostics, &kernel), WB_OK);
    assert_int_equal(wb_launch_set_grid(traced.launch, (const uint32_t[3]){1, 1, 1}, diagnostics), WB_OK);
    assert_int_equal(launch_block_text(traced.launch, threads, diagnostics), WB_OK);
    assert_int_equal(wb_launch_add_argument(traced.launch, "buf:u64[1024]", diagnostics), WB_OK);
    traced.status = wb_block_trace(kernel, traced.launch, options, diagnostics, &traced.block);
    traced.messages = strdup(wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    free(ptx);
    return traced;
}

static void traced_free(struct traced *traced) {
    wb_block_free(traced->block);
    wb_launch_free(traced->launch);
    wb_module_free(traced->module);
    free(traced->messages);
}

/* Instructions of module_of before the body, and the `ret` behind it. */
enum { PROLOGUE = 4 };

static void paths_say_what_warps_execute(void **state) {
    (void)state;
    const wb_trace_options options = {.size = sizeof options};
    struct traced traced =
        trace_body("setp.lt.u32 %p1, %r0, 16;\n@!%p1 bra B;\nmov.u32 %r1, 1;\nB: bar.sync 0;\n"
                   "@%p1 mov.u32 %r2, 1;",
                   "96", &options);
    assert_int_equal(traced.status, WB_OK);
    const struct wb_block *block = traced.block;
    assert_int_equal(wb_block_warp_count(block), 3);
    assert_int_equal(block->paths.count, 2);
    assert_int_equal(block->warp_path[0], 0);
    assert_int_equal(block->warp_path[1], 1);
    assert_int_equal(block->warp_path[2], 1);
    assert_int_equal(wb_block_warp_instructions(block, 0), PROLOGUE + 5);
    assert_int_equal(wb_block_warp_instructions(block, 1), PROLOGUE + 4);
    assert_false(block->notes.assumed & assumed_bit(ASSUMED_WHOLE_WARP_BARRIERS));
    static const struct path_step expected[] = {
        {4, 0xffffffff}, {5, 0xffffffff}, {6, 0xffff}, {7, 0xffffffff}, {8, 0xffffffff}, {9, 0xffffffff},
    };
    struct path_cursor cursor = path_begin(&block->paths.items[0]);
    struct path_step step;
    for (uint32_t i = 0; i < PROLOGUE; i++)
        assert_true(path_next(&cursor, &step));
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(path_next(&cursor, &step));
        assert_int_equal(step.instruction, expected[i].instruction);
        assert_int_equal(step.mask, expected[i].mask);
    }
    assert_false(path_next(&cursor, &step));
    traced_free(&traced);
}

static void divergent_barriers_are_noticed(void **state) {
    (void)state;
    const wb_trace_options options = {.size = sizeof options};
    struct traced traced = trace_body(
        "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra A;\nbar.sync 0;\nbra.uni E;\nA: bar.sync 0;\nE:", "64",
        &options);
    assert_int_equal(traced.status, WB_OK);
    assert_true(traced.block->notes.assumed & assumed_bit(ASSUMED_WHOLE_WARP_BARRIERS));
    traced_free(&traced);
    traced = trace_body("setp.lt.u32 %p1, %r0, 16;\n@%p1 exit;\nbar.sync 0;\n", "64", &options);
    assert_int_equal(traced.status, WB_OK);
    assert_false(traced.block->notes.assumed & assumed_bit(ASSUMED_WHOLE_WARP_BARRIERS));
    traced_free(&traced);
}

static void accesses_are_recorded(void **state) {
    (void)state;
    const wb_trace_options options = {.size = sizeof options, .record_accesses = true};
    struct traced traced =
        trace_body("shl.b32 %r1, %r0, 2; mov.u32 %r2, data; add.u32 %r1, %r1, %r2;\n"
                   "st.shared.u32 [%r1], %r0;\nmul.lo.u32 %r3, %r0, %r0; and.b32 %r3, %r3, 31;\n"
                   "shl.b32 %r3, %r3, 2; add.u32 %r3, %r3, %r2; setp.lt.u32 %p1, %r0, 4;\n"
                   "@%p1 atom.shared.add.u32 %r5, [%r3], 1;",
                   "32", &options);
    assert_int_equal(traced.status, WB_OK);
    const struct access_list *list = &traced.block->accesses[0];
    assert_int_equal(list->items.count, 3);
    const struct access *param = &list->items.items[0], *store = &list->items.items[1],
                        *atomic = &list->items.items[2];
    assert_int_equal(param->space, PTX_SPACE_PARAM);
    assert_int_equal(param->stride, 0);
    assert_int_equal(param->bytes, 8);
    assert_int_equal(store->step, PROLOGUE + 3);
    assert_int_equal(store->space, PTX_SPACE_SHARED);
    assert_int_equal(store->table, ACCESS_AFFINE);
    assert_int_equal(store->base, 0);
    assert_int_equal(store->stride, 4);
    assert_true(store->is_store && !store->is_atomic);
    assert_true(atomic->is_atomic);
    assert_int_equal(atomic->mask, 0xf);
    assert_int_not_equal(atomic->table, ACCESS_AFFINE);
    for (uint32_t l = 0; l < 4; l++)
        assert_int_equal(atomic->base + list->tables.items[atomic->table + l], l * l * 4);
    traced_free(&traced);
}

/* The first passes access the same; the next one other words in the same way, the last one in fewer lanes. */
static void accesses_that_repeat_share_a_table(void **state) {
    (void)state;
    const wb_trace_options options = {.size = sizeof options, .record_accesses = true};
    const uint32_t tables[] = {0, 0, 0, 32};
    struct traced traced = trace_body(
        "mul.lo.u32 %r3, %r0, %r0; and.b32 %r3, %r3, 31; shl.b32 %r3, %r3, 2; mov.u32 %r2, data;\n"
        "add.u32 %r3, %r3, %r2; mov.u32 %r5, 0;\nL: setp.eq.u32 %p1, %r5, 2;\n"
        "@%p1 add.u32 %r3, %r3, 4;\nsetp.lt.u32 %p2, %r5, 3; setp.lt.or.u32 %p1, %r0, 16, %p2;\n"
        "@%p1 st.shared.u32 [%r3], %r0;\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 4; @%p1 bra L;",
        "32", &options);
    assert_int_equal(traced.status, WB_OK);
    const struct access_list *list = &traced.block->accesses[0];
    assert_int_equal(list->items.count, 1 + 4);
    for (uint32_t pass = 0; pass < 4; pass++)
        assert_int_equal(list->items.items[1 + pass].table, tables[pass]);
    assert_int_equal(list->tables.count, 32 + 16);
    traced_free(&traced);
}

static bool refuse(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    return ++*(uint32_t *)user < 3;
}

static void endless_loops_end(void **state) {
    (void)state;
    const wb_trace_options limited = {.size = sizeof limited, .instruction_limit = 1000};
    struct traced traced = trace_body("L: bra.uni L;", "32", &limited);
    assert_int_equal(traced.status, WB_ERR_LIMIT);
    assert_non_null(strstr(traced.messages, "more than 1000 warp instructions"));
    traced_free(&traced);
    uint32_t questions = 0;
    const wb_trace_options watched = {.size = sizeof watched, .watch = {refuse, &questions}};
    traced = trace_body("L: bra.uni L;", "32", &watched);
    assert_int_equal(traced.status, WB_ERR_LIMIT);
    assert_non_null(strstr(traced.messages, "interrupted"));
    assert_int_equal(questions, 3);
    traced_free(&traced);
}

static void blocks_outside_of_the_grid_are_refused(void **state) {
    (void)state;
    const wb_trace_options options = {.size = sizeof options, .block = {0, 1, 0}};
    struct traced traced = trace_body("", "32", &options);
    assert_int_equal(traced.status, WB_ERR_INPUT);
    assert_non_null(strstr(traced.messages, "block 0,1,0 is not in a grid of 1,1,1"));
    traced_free(&traced);
}

/* What PTX leaves undefined, or what makes lanes wait for others that are elsewhere: the results are not
 * known, and analyses decline. */
static void absent_members_are_not_modelled(void **state) {
    static const struct {
        const char *text;
        bool modelled;
    } rows[] = {
        {"shfl.sync.idx.b32 %r9, %r0, 2, 31, -1;", true},
        {"@%p3 shfl.sync.idx.b32 %r9, %r0, 2, 31, 0xff;", true},
        {"@%p3 shfl.sync.idx.b32 %r9, %r0, 2, 31, -1;", false},
        {"@%p3 shfl.sync.idx.b32 %r9, %r0, 2, 31, 0xfe;", false},
        {"shfl.sync.idx.b32 %r9, %r0, 2, 31, 0xffff;", false},
        {"@%p3 vote.sync.ballot.b32 %r9, %p3, -1;", false},
        {"@%p3 redux.sync.add.u32 %r9, %r0, 0x1ff;", false},
        {"@%p3 match.any.sync.b32 %r9, %r0, -1;", false},
        {"@%p3 elect.sync %r9|%p4, -1;", false},
        {"mov.u32 %r9, 0; bar.warp.sync -1;", true},
        {"mov.u32 %r9, 0; @%p3 bar.warp.sync 0xff;", true},
        {"mov.u32 %r9, 0; @%p3 bar.warp.sync -1;", false},
        {"@%p3 bra ON; exit; ON: vote.sync.ballot.b32 %r9, %p3, -1;", true},
        {"@!%p3 bra OFF; vote.sync.ballot.b32 %r9, %p3, -1; cvt.u64.u32 %rd9, %r9; st.global.u64 [%rd0], "
         "%rd9;"
         "OFF: ret;",
         true},
        {"@!%p3 bra OFF; vote.sync.ballot.b32 %r9, %p3, -1; cvt.u64.u32 %rd9, %r9; st.global.u64 [%rd0], "
         "%rd9;"
         "OFF: st.global.u64 [%rd0], %rd31; ret;",
         false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[512];
        (void)snprintf(body, sizeof body, "setp.lt.u32 %%p3, %%r0, 8;\n%s\ncvt.u64.u32 %%rd9, %%r9;\n%s",
                       rows[i].text, STORE);
        const wb_trace_options options = {.size = sizeof options};
        struct traced traced = trace_body(body, "32", &options);
        assert_int_equal(traced.status, WB_OK);
        if ((traced.block->notes.unmodelled == NULL) != rows[i].modelled) fail_msg("%s", rows[i].text);
        traced_free(&traced);
        struct outcome outcome = run_body("", body, "32");
        const bool writes = strncmp(rows[i].text, "mov", 3) != 0 && strstr(rows[i].text, "%rd31") == NULL;
        if (writes) assert_int_equal(outcome.known[1], rows[i].modelled);
        outcome_free(&outcome);
    }
}

#define ZEROED "st.global.u32 [%rd0], 0;"

/* A branch whose sides all lanes take alike. */
#define BRANCH " setp.lt.s32 %p1, %r9, 0; @%p1 bra ON; mov.u32 %r8, 1; ON:"

/* What an execution takes for granted is noted where it does. */
static void assumptions_are_noted_where_they_matter(void **state) {
    enum { NONE = ASSUMED_COUNT };
    static const struct {
        const char *text;
        int assumed; /* enum assumed, or NONE */
    } rows[] = {
        {"mov.u32 %r9, 1;", NONE},
        {"setp.lt.u32 %p1, %r0, 32; @%p1 bra ON; mov.u32 %r9, 1; ON:", NONE}, /* not divided */
        {"setp.lt.u32 %p1, %r0, 8; @%p1 bra ON; mov.u32 %r9, 1; ON:", ASSUMED_DIVIDED_LANES},
        {"setp.lt.u32 %p1, %r0, 8; @%p1 mov.u32 %r9, 1;", NONE},
        {"mov.u32 %r9, %warpid;", ASSUMED_WARP_NUMBERS},
        /* Of atomics and strong loads only where control or an address hangs on their order. */
        {ZEROED "atom.global.add.u32 %r9, [%rd0], 1;", NONE},
        {ZEROED "atom.global.add.u32 %r9, [%rd0], 1;" BRANCH, ASSUMED_ATOMIC_ORDER},
        {ZEROED "atom.global.add.u32 %r9, [%rd0], 1; and.b32 %r9, %r9, 0; mul.wide.u32 %rd1, %r9, 4;"
                "add.u64 %rd1, %rd1, %rd0; ld.global.u32 %r8, [%rd1];",
         NONE},
        {ZEROED "atom.global.add.u32 %r9, [%rd0], 1; and.b32 %r9, %r9, 1; mul.wide.u32 %rd1, %r9, 4;"
                "add.u64 %rd1, %rd1, %rd0; ld.global.u32 %r8, [%rd1];",
         ASSUMED_ATOMIC_ORDER},
        {ZEROED "red.global.add.u32 [%rd0], 1; ld.global.u32 %r9, [%rd0];" BRANCH, NONE}, /* they commute */
        {ZEROED "red.global.max.s32 [%rd0], 1; ld.global.u32 %r9, [%rd0];" BRANCH, NONE},
        {ZEROED
         "red.global.add.u32 [%rd0], 1; red.global.max.u32 [%rd0], 1; ld.global.u32 %r9, [%rd0];" BRANCH,
         ASSUMED_ATOMIC_ORDER},
        {ZEROED "red.global.add.f32 [%rd0], 0f3f800000; ld.global.u32 %r9, [%rd0];" BRANCH,
         ASSUMED_ATOMIC_ORDER},
        {ZEROED "atom.global.exch.b32 %r8, [%rd0], 1; ld.global.u32 %r9, [%rd0];" BRANCH,
         ASSUMED_ATOMIC_ORDER},
        {ZEROED "atom.global.cas.b32 %r8, [%rd0], 0, 1; ld.global.u32 %r9, [%rd0];" BRANCH,
         ASSUMED_ATOMIC_ORDER},
        {ZEROED "ld.relaxed.gpu.global.u32 %r9, [%rd0];" BRANCH, ASSUMED_ATOMIC_ORDER},
        {ZEROED "ld.volatile.global.u32 %r9, [%rd0];" BRANCH, ASSUMED_ATOMIC_ORDER},
        {ZEROED "ld.acquire.gpu.global.u32 %r9, [%rd0];" BRANCH, ASSUMED_ATOMIC_ORDER},
        {ZEROED "ld.global.u32 %r9, [%rd0];" BRANCH, NONE},
        {ZEROED "red.global.add.u32 [%rd0], 1;", NONE},
        {ZEROED "ld.relaxed.gpu.global.u32 %r9, [%rd0];", NONE},
        {ZEROED "ld.global.u32 %r9, [%rd0];", NONE},
        {"st.global.u32 [%rd31], 7;", NONE}, /* all lanes the same */
        {"st.global.u32 [%rd31], %r0;", ASSUMED_LAST_LANE},
        {"setp.eq.u32 %p1, %r0, 7; @%p1 st.global.u32 [%rd31], %r0;", NONE},
        {"and.b32 %r1, %r0, 15; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd31;"
         "st.global.u32 [%rd1], %r0;",
         ASSUMED_LAST_LANE},
        {"and.b32 %r1, %r0, 15; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd31;"
         "st.global.u32 [%rd1], %r1;",
         NONE},
        {"sub.u32 %r1, 31, %r0; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd31;"
         "st.global.u32 [%rd1], %r0;",
         NONE},
        /* A value that is not known could be another one. */
        {"ld.global.u32 %r1, [%rd31+4096]; setp.eq.u32 %p1, %r0, 3; @%p1 mov.u32 %r1, 5;"
         "st.global.u32 [%rd31], %r1;",
         ASSUMED_LAST_LANE},
        {".local .b32 own; st.local.u32 [own], %r0; mov.u32 %r9, 0;", NONE},
        /* A NaN that is made, not one that is moved, compared or made an integer. */
        {"mov.f32 %f1, 0f7F800000; sub.f32 %f2, %f1, %f1;", ASSUMED_NAN_BITS},
        {"mov.f32 %f1, 0f7F800000; add.f32 %f2, %f1, %f1;", NONE},
        {"mov.f32 %f1, 0f7F800000; setp.eq.u32 %p1, %r0, 99; @%p1 sub.f32 %f2, %f1, %f1;", NONE},
        {"mov.f32 %f1, 0f7FC00001; mov.f32 %f2, %f1; setp.eq.f32 %p1, %f1, %f2;", NONE},
        {"mov.f32 %f1, 0f7FC00001; cvt.rni.s32.f32 %r1, %f1;", NONE},
        {"mov.f32 %f1, 0f7FC00001; cvt.f64.f32 %fd1, %f1;", ASSUMED_NAN_BITS},
        {"mov.f64 %fd1, 0d7FF0000000000000; sub.f64 %fd2, %fd1, %fd1;", ASSUMED_NAN_BITS},
        {"mov.f64 %fd1, 0d7FF0000000000000; add.f64 %fd2, %fd1, %fd1;", NONE},
        {"mov.b16 %rs1, 0x7c00; sub.f16 %rs2, %rs1, %rs1;", ASSUMED_NAN_BITS},
        {"mov.b16 %rs1, 0x7f80; sub.rn.bf16 %rs2, %rs1, %rs1;", ASSUMED_NAN_BITS},
        {"mov.b32 %r1, 0x7c000000; sub.f16x2 %r2, %r1, %r1;", ASSUMED_NAN_BITS},
        {"mov.b32 %r1, 0x00007c00; sub.f16x2 %r2, %r1, %r1;", ASSUMED_NAN_BITS},
        {"mov.b32 %r1, 0x7c007c00; add.f16x2 %r2, %r1, %r1;", NONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const wb_trace_options options = {.size = sizeof options};
        struct traced traced = trace_body(rows[i].text, "32", &options);
        assert_int_equal(traced.status, WB_OK);
        if (traced.block->notes.assumed !=
            (rows[i].assumed == NONE ? 0 : assumed_bit((enum assumed)rows[i].assumed)))
            fail_msg("%s: %llx", rows[i].text, (unsigned long long)traced.block->notes.assumed);
        traced_free(&traced);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_branches_meet_again),
        cmocka_unit_test(loops_with_different_trip_counts_meet_behind),
        cmocka_unit_test(breaks_leave_a_loop),
        cmocka_unit_test(lanes_that_exit_are_gone),
        cmocka_unit_test(indexed_branches_divide_lanes),
        cmocka_unit_test(functions_call_themselves),
        cmocka_unit_test(endless_recursion_is_a_limit),
        cmocka_unit_test(indirect_calls_divide_lanes),
        cmocka_unit_test(calls_into_nowhere_are_refused),
        cmocka_unit_test(early_returns_wait_for_the_others),
        cmocka_unit_test(barriers_reduce_predicates),
        cmocka_unit_test(named_barriers_count_threads),
        cmocka_unit_test(barriers_that_nobody_reaches_are_a_deadlock),
        cmocka_unit_test(paths_say_what_warps_execute),
        cmocka_unit_test(divergent_barriers_are_noticed),
        cmocka_unit_test(absent_members_are_not_modelled),
        cmocka_unit_test(assumptions_are_noted_where_they_matter),
        cmocka_unit_test(accesses_are_recorded),
        cmocka_unit_test(accesses_that_repeat_share_a_table),
        cmocka_unit_test(endless_loops_end),
        cmocka_unit_test(blocks_outside_of_the_grid_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
