/* The rules of docs/gpgpusim.md one by one, each on a few instructions in a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "messages.h"
#include "sim/gpu/gpu.h"
#include "warp/synthetic/synthetic.h"
#include "warp/timed/timed.h"
#include "wings/gpgpusim/gpgpusim.h"

static const char header[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                             ".visible .entry k(.param .u64 p)\n{\n"
                             "  .reg .pred %p<9>;\n  .reg .b32 %r<99>;\n  .reg .f32 %f<99>;\n"
                             "  .reg .f64 %fd<9>;\n  .reg .b64 %rd<9>;\n";

#define WARPS_MAX 4
#define STEPS_MAX 32

/* Warps that execute the instructions of a kernel without branches, one after another. */
struct fixture {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_machine *machine;
    struct wb_block block;
    uint32_t code_first[2];
    uint32_t warp_path[WARPS_MAX];
    struct access_list accesses[WARPS_MAX];
    struct timed_block timed;
    cycles issue[WARPS_MAX][STEPS_MAX];
    wb_simulation result;
};

static void fixture_parse(struct fixture *fixture, const char *machine, const char *body) {
    char text[4096];
    *fixture = (struct fixture){.diagnostics = wb_diagnostics_new()};
    (void)snprintf(text, sizeof text, "%s%s\n  ret;\n}\n", header, body);
    if (wb_module_parse("k.ptx", text, strlen(text), fixture->diagnostics, &fixture->module) != WB_OK ||
        wb_machine_load(machine, fixture->diagnostics, &fixture->machine) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(fixture->diagnostics));
}

/* Lane l of every store and atomic accesses address stride * l. */
static void fixture_access(struct fixture *fixture, uint32_t warp, const struct ptx_function *function,
                           int64_t stride) {
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const struct ptx_form *form = function->insts[i].form;
        if (form->op != PTX_OP_ST && form->op != PTX_OP_ATOM) continue;
        struct access access = {.step = i,
                                .base = 4096,
                                .stride = stride,
                                .instruction = i,
                                .mask = UINT32_MAX,
                                .table = ACCESS_AFFINE,
                                .bytes = 4,
                                .space = form->space,
                                .is_store = true};
        assert_int_equal(vec_push(&fixture->accesses[warp].items, access), WB_OK);
    }
}

/* `skip`: number of an instruction that is jumped over, or UINT32_MAX. */
static void fixture_block(struct fixture *fixture, uint32_t warps, int64_t stride, uint32_t skip) {
    struct wb_block *block = &fixture->block;
    block->kernel = wb_module_kernel(fixture->module, 0);
    const struct ptx_function *function = kernel_function(block->kernel);
    block->grid[0] = block->grid[1] = block->grid[2] = block->size[1] = block->size[2] = 1;
    block->size[0] = warps * 32;
    block->warp_width = 32;
    fixture->code_first[1] = function->inst_count;
    block->code_first = fixture->code_first;
    block->warp_count = warps;
    block->warp_path = fixture->warp_path;
    block->accesses = fixture->accesses;
    struct path_writer writer = {0};
    struct path path;
    for (uint32_t i = 0; i < function->inst_count; i++)
        if (i != skip) assert_int_equal(path_append(&writer, i, UINT32_MAX), WB_OK);
    assert_int_equal(path_finish(&writer, &path), WB_OK);
    assert_int_equal(vec_push(&block->paths, path), WB_OK);
    for (uint32_t w = 0; w < warps; w++)
        fixture_access(fixture, w, function, stride);
    if (timed_block_from(block, fixture->machine, NULL, fixture->diagnostics, &fixture->timed) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(fixture->diagnostics));
}

/* Keeps the issue of every instruction, and checks the order of the events. */
static wb_status keep_issue(void *user, const struct sim_event *event) {
    struct fixture *fixture = user;
    assert_true(event->warp < WARPS_MAX && event->step < STEPS_MAX);
    assert_true(event->issue < event->start && event->start <= event->init_end);
    assert_true(event->init_end <= event->completion && event->completion != CYCLES_SATURATED);
    fixture->issue[event->warp][event->step] = event->issue;
    return WB_OK;
}

static wb_status fixture_simulate(struct fixture *fixture, const char *policy) {
    const struct sim_sink sink = {.event = keep_issue, .user = fixture};
    return gpgpusim_simulate(&fixture->timed, policy_at(choose_index(policy, wb_policy_name)), &sink, NULL,
                             fixture->diagnostics, &fixture->result);
}

static void fixture_close(struct fixture *fixture) {
    timed_block_free(&fixture->timed);
    for (uint32_t w = 0; w < WARPS_MAX; w++)
        vec_free(&fixture->accesses[w].items);
    if (fixture->block.paths.count > 0) path_free(&fixture->block.paths.items[0]);
    vec_free(&fixture->block.paths);
    wb_machine_free(fixture->machine);
    wb_module_free(fixture->module);
    wb_diagnostics_free(fixture->diagnostics);
}

/* Instructions and the cycles in which a warp alone issues them; 0 ends the list. */
struct rule {
    const char *machine;
    const char *setting; /* or NULL */
    const char *body;
    int64_t stride; /* of stores and atomics */
    cycles issues[10];
    cycles last_commit, cycles; /* 0: not looked at */
};

#define ORIN "gpgpusim-orin"
#define ORIN5 "gpgpusim-orin-5l"
#define DUAL "issue_per_warp=2"

static const struct rule rules[] = {
    /* From an instruction to one that needs its result. */
    {ORIN, NULL, "mov.u32 %r1, 1; mov.u32 %r2, %r1;", 0, {2, 7, 8}, 13, 14},
    {ORIN, NULL, "add.s32 %r1, %r3, 1; mov.u32 %r2, %r1;", 0, {2, 10}, 0, 0},
    {ORIN, NULL, "mul.wide.s32 %rd1, %r3, 4; mov.b64 %rd2, %rd1;", 0, {2, 10}, 0, 0},
    {ORIN, NULL, "mad24.lo.s32 %r1, %r3, %r4, %r5; mov.u32 %r2, %r1;", 0, {2, 11}, 0, 0},
    {ORIN, NULL, "div.s32 %r1, %r3, %r4; mov.u32 %r2, %r1;", 0, {2, 27}, 0, 0},
    {ORIN, NULL, "sad.u32 %r1, %r3, %r4, %r5; mov.u32 %r2, %r1;", 0, {2, 7}, 0, 0},
    {ORIN, NULL, "fma.rn.f32 %f1, %f2, %f3, %f4; mov.f32 %f5, %f1;", 0, {2, 10}, 0, 0},
    {ORIN, NULL, "div.approx.f32 %f1, %f2, %f3; mov.f32 %f5, %f1;", 0, {2, 45}, 0, 0},
    {ORIN, NULL, "sqrt.rn.f64 %fd1, %fd2; mov.f64 %fd5, %fd1;", 0, {2, 27}, 0, 0},
    {ORIN, NULL, "add.f64 %fd1, %fd2, %fd3; mov.f64 %fd5, %fd1;", 0, {2, 70}, 0, 0},
    {ORIN, NULL, "div.rn.f64 %fd1, %fd2, %fd3; mov.f64 %fd5, %fd1;", 0, {2, 336}, 0, 0},
    {ORIN, NULL, "setp.eq.f64 %p1, %fd1, %fd2; @%p1 mov.u32 %r2, 1;", 0, {2, 7}, 0, 0},
    {ORIN, "mem_latency=50", "ld.global.u32 %r1, [%rd1]; mov.u32 %r2, %r1;", 0, {2, 56}, 0, 0},
    {ORIN, NULL, "ld.u32 %r1, [%rd1]; mov.u32 %r2, %r1;", 0, {2, 7}, 0, 0},
    {ORIN, NULL, "ld.local.u32 %r1, [%rd1]; mov.u32 %r2, %r1;", 0, {2, 7}, 0, 0},
    {ORIN, NULL, "ld.shared.u32 %r1, [%r3]; mov.u32 %r2, %r1;", 0, {2, 8}, 0, 0},
    /* A result that is under way may not be overwritten, a source may. */
    {ORIN, NULL, "add.s32 %r1, %r3, 1; mov.u32 %r1, 0;", 0, {2, 10}, 0, 0},
    {ORIN, NULL, "add.s32 %r1, %r3, 1; mov.u32 %r3, 0;", 0, {2, 3}, 0, 0},
    /* Three registers of one bank: the third is read a cycle later. With 16 steps a cycle it is not. */
    {ORIN, NULL, "mad.lo.s32 %r2, %r1, %r33, %r65; mov.u32 %r4, %r2;", 0, {2, 11}, 0, 0},
    {ORIN, NULL, "mad.lo.s32 %r2, %r1, %r33, %r64; mov.u32 %r4, %r2;", 0, {2, 10}, 0, 0},
    {ORIN, NULL, "mad.lo.s32 %r2, %r1, %r1, %r1; mov.u32 %r4, %r2;", 0, {2, 10}, 0, 0},
    {ORIN5, NULL, "mad.lo.s32 %r2, %r1, %r33, %r65; mov.u32 %r4, %r2;", 0, {2, 10}, 0, 0},
    /* The INT unit is busy for two cycles with an addition. */
    {ORIN, NULL, "add.s32 %r1, %r9, 1; add.s32 %r2, %r9, 1; mov.u32 %r3, %r2;", 0, {2, 3, 12}, 0, 0},
    /* A move three cycles behind an addition would leave INT in the same cycle. */
    {ORIN,
     NULL,
     "add.s32 %r1, %r9, 1; add.f32 %f1, %f9, %f9; add.f32 %f2, %f9, %f9; mov.u32 %r5, 1; mov.u32 %r6, %r5;",
     0,
     {2, 3, 4, 5, 11},
     0,
     0},
    /* Three results in one cycle, on two buses. */
    {ORIN,
     "mem_latency=5",
     "ld.global.u32 %r1, [%rd1]; add.f32 %f1, %f9, %f9; add.f32 %f2, %f9, %f9; add.f32 %f3, %f9, %f9; "
     "mov.u32 %r5, 1; mov.u32 %r6, %r5;",
     0,
     {2, 3, 4, 5, 6, 12},
     0,
     0},
    /* Two instructions of a warp: of one fetch, on two units, not with the result of the first. */
    {ORIN, DUAL, "add.s32 %r1, %r9, 1; add.f32 %f1, %f9, %f9; mov.u32 %r2, 1;", 0, {2, 2, 3, 4}, 0, 0},
    {ORIN, DUAL, "add.s32 %r1, %r9, 1; mov.u32 %r2, 1; add.f32 %f1, %f9, %f9;", 0, {2, 3, 4, 4}, 0, 0},
    {ORIN,
     DUAL,
     "add.s32 %r1, %r9, 1; cvt.rn.f32.s32 %f1, %r1; add.f32 %f2, %f9, %f9;",
     0,
     {2, 10, 11},
     0,
     0},
    {ORIN, NULL, "add.s32 %r1, %r9, 1; add.f32 %f1, %f9, %f9; mov.u32 %r2, 1;", 0, {2, 3, 4, 5}, 0, 0},
    /* Stores: through the cache, acknowledged 402 cycles later, one a cycle; or around it, one a cycle. */
    {ORIN, NULL, "st.global.u32 [%rd1], %r1;", 4, {2, 3}, 8, 411},
    {ORIN, NULL, "st.global.u32 [%rd1], %r1;", 128, {2, 3}, 8, 439},
    {ORIN, NULL, "st.global.u32 [%rd1], %r1;", 256, {2, 3}, 8, 439},   /* two accesses a bank */
    {ORIN, NULL, "st.global.u32 [%rd1], %r1;", 4096, {2, 3}, 36, 439}, /* all in one bank */
    {ORIN, NULL, "st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};", 16, {2, 3}, 8, 423},
    {ORIN, NULL, "st.shared.u32 [%r3], %r1;", 128, {2, 3}, 8, 9},
    {ORIN5, NULL, "st.global.u32 [%rd1], %r1;", 4, {2, 3}, 8, 10},
    {ORIN5, NULL, "st.global.u32 [%rd1], %r1;", 128, {2, 3}, 36, 38},
    {ORIN5,
     NULL,
     "st.global.u32 [%rd1], %r1; ld.shared.u32 %r2, [%r3]; mov.u32 %r4, %r2;",
     128,
     {2, 3, 40},
     0,
     0},
    /* A fence waits for results, not for acknowledgements. */
    {ORIN, NULL, "st.global.u32 [%rd1], %r1; membar.gl; mov.u32 %r2, 1;", 4, {2, 3, 4}, 0, 0},
    {ORIN, "mem_latency=50", "ld.global.u32 %r1, [%rd1]; membar.gl; mov.u32 %r2, 1;", 0, {2, 3, 56}, 0, 0},
    /* Atomics hold the warp; their address is not looked at. */
    {ORIN,
     NULL,
     "atom.shared.add.u32 %r1, [%r3], %r4; mov.u32 %r2, 1; mov.u32 %r5, %r1;",
     4,
     {2, 7, 8},
     0,
     0},
    {ORIN,
     NULL,
     "atom.global.add.u32 %r1, [%rd1], %r4; mov.u32 %r2, 1; mov.u32 %r5, %r1;",
     4,
     {2, 10, 11},
     0,
     0},
    {ORIN, NULL, "atom.global.add.u32 %r1, [%rd1], %r4; mov.u32 %r5, %r1;", 0, {2, 39}, 0, 0},
    {ORIN, NULL, "cvta.u64 %rd1, %rd2; atom.shared.add.u32 %r1, [%rd1], %r4;", 4, {2, 3}, 0, 0},
    /* A barrier of one warp, and the end: neither waits for results. */
    {ORIN, NULL, "add.f64 %fd1, %fd2, %fd3; bar.sync 0; mov.u32 %r1, 1;", 0, {2, 3, 4, 5}, 70, 71},
};

static void test_rules(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *rule = &rules[i];
        struct fixture fixture;
        fixture_parse(&fixture, rule->machine, rule->body);
        if (rule->setting != NULL)
            assert_int_equal(wb_machine_set(fixture.machine, rule->setting, fixture.diagnostics), WB_OK);
        fixture_block(&fixture, 1, rule->stride, UINT32_MAX);
        if (fixture_simulate(&fixture, "gto") != WB_OK)
            fail_msg("%s", wb_diagnostics_text(fixture.diagnostics));
        for (uint32_t k = 0; rule->issues[k] != 0; k++)
            if (fixture.issue[0][k] != rule->issues[k])
                fail_msg("%s\ninstruction %u in cycle %lu, not %lu", rule->body, k,
                         (unsigned long)fixture.issue[0][k], (unsigned long)rule->issues[k]);
        if (rule->last_commit != 0 &&
            (fixture.result.last_commit != rule->last_commit || fixture.result.cycles != rule->cycles))
            fail_msg("%s\nlast commit %lu, cycles %lu", rule->body, (unsigned long)fixture.result.last_commit,
                     (unsigned long)fixture.result.cycles);
        fixture_close(&fixture);
    }
}

/* Going on elsewhere than at the next instruction costs the warp a slot, which another can use: here the
 * first one's in cycle 4, and then the second one's in cycle 6. */
static void test_jump(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_parse(&fixture, ORIN, "mov.u32 %r1, 1; bra L; mov.u32 %r2, 1; L: mov.u32 %r3, 1;");
    fixture_block(&fixture, 2, 0, 2);
    assert_int_equal(fixture_simulate(&fixture, "gto"), WB_OK);
    const cycles first[] = {2, 3, 6, 7};
    const cycles second[] = {4, 5, 8, 9};
    assert_memory_equal(fixture.issue[0], first, sizeof first);
    assert_memory_equal(fixture.issue[1], second, sizeof second);
    fixture_close(&fixture);
}

/* The last warp's arrival opens a barrier: everyone can go on in the next cycle. */
static void test_barrier(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_parse(&fixture, ORIN, "bar.sync 0; mov.u32 %r1, 1;");
    fixture_block(&fixture, 3, 0, UINT32_MAX);
    assert_int_equal(fixture_simulate(&fixture, "lrr"), WB_OK);
    const cycles expected[3][3] = {{2, 5, 8}, {3, 6, 9}, {4, 7, 10}};
    for (uint32_t w = 0; w < 3; w++)
        assert_memory_equal(fixture.issue[w], expected[w], sizeof expected[w]);
    /* gto: the last to arrive goes on first */
    assert_int_equal(fixture_simulate(&fixture, "gto"), WB_OK);
    const cycles greedy[3][3] = {{2, 7, 8}, {3, 9, 10}, {4, 5, 6}};
    for (uint32_t w = 0; w < 3; w++)
        assert_memory_equal(fixture.issue[w], greedy[w], sizeof greedy[w]);
    fixture_close(&fixture);
}

/* The simulator's other policies are understood, too. */
static void test_other_policies(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_parse(&fixture, ORIN, "add.s32 %r1, %r2, 1; mov.u32 %r3, %r1;");
    fixture_block(&fixture, 2, 0, UINT32_MAX);
    assert_int_equal(fixture_simulate(&fixture, "oldest"), WB_OK);
    const cycles oldest[2][3] = {{2, 10, 11}, {3, 12, 13}};
    for (uint32_t w = 0; w < 2; w++)
        assert_memory_equal(fixture.issue[w], oldest[w], sizeof oldest[w]);
    assert_int_equal(fixture_simulate(&fixture, "rr"), WB_OK);
    const cycles strict[2][3] = {{2, 10, 13}, {3, 12, 14}};
    for (uint32_t w = 0; w < 2; w++)
        assert_memory_equal(fixture.issue[w], strict[w], sizeof strict[w]);
    fixture_close(&fixture);
}

/* Settings under which the model does not execute a block, and what it says. */
static const struct {
    const char *setting, *message;
} refused[] = {
    {"issue_width=2",
     "gpgpusim-orin: error: the model gpgpusim has one sub-core that issues from one warp a cycle"},
    {"sub_cores=4",
     "gpgpusim-orin: error: the model gpgpusim has one sub-core that issues from one warp a cycle"},
    {"unit.INT.count=2", "gpgpusim-orin: error: the model gpgpusim has one each of the units SP, DP, INT, "
                         "SFU, TENSOR, MEM and LSU, "
                         "not 2 INT"},
    {"class.exit.unit=none", "gpgpusim-orin: error: class exit: the model gpgpusim needs a unit, and a "
                             "latency of at least the 4 cycles "
                             "of its stages"},
    {"class.move.latency=3", "gpgpusim-orin: error: class move: the model gpgpusim needs a unit, and a "
                             "latency of at least the 4 cycles "
                             "of its stages"},
    {"gpgpusim.collectors_int=40",
     "gpgpusim-orin: error: the model gpgpusim has at most 64 collector units in all"},
};

static void test_refusals(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct fixture fixture;
        fixture_parse(&fixture, ORIN, "mov.u32 %r1, 1;");
        assert_int_equal(wb_machine_set(fixture.machine, refused[i].setting, fixture.diagnostics), WB_OK);
        fixture_block(&fixture, 1, 0, UINT32_MAX);
        assert_int_equal(fixture_simulate(&fixture, "gto"), WB_ERR_INPUT);
        assert_first_message(fixture.diagnostics, refused[i].message, refused[i].setting);
        fixture_close(&fixture);
    }
    struct fixture fixture;
    fixture_parse(&fixture, ORIN, "st.global.u32 [%rd1], %r1;");
    fixture_block(&fixture, 1, 4, UINT32_MAX);
    fixture.block.accesses = NULL;
    assert_int_equal(fixture_simulate(&fixture, "gto"), WB_ERR_INPUT);
    assert_first_message(
        fixture.diagnostics,
        "gpgpusim-orin: error: the model gpgpusim needs the block's accesses; have them recorded",
        "no accesses");
    fixture_close(&fixture);
}

/* A block by hand has no registers with names. */
static void test_by_hand(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct synthetic_block block;
    wb_simulation result;
    assert_int_equal(synthetic_block_parse("A(1,4)", "A A", diagnostics, &block), WB_OK);
    block.machine.model = MACHINE_GPGPUSIM;
    assert_int_equal(simulate(&block.timed, &policy_gto, NULL, NULL, diagnostics, &result), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "the model gpgpusim executes PTX only"));
    synthetic_block_free(&block);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),    cmocka_unit_test(test_jump),
        cmocka_unit_test(test_barrier),  cmocka_unit_test(test_other_policies),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
