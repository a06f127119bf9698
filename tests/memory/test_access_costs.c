/* What memory instructions of traced blocks cost on machines that count transactions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memory/requests/requests.h"
#include "traced_kernel.h"

#define TEXT_MAX 8192

/* %r0 is the lane, %rd1 a buffer of zeros, %rd2 one of unknown words; %p1 is unknown in all lanes, %p2 true
 * in lanes 0 .. 15. */
static const char header[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 table[128];\n"
    ".visible .entry k(.param .u64 zeros, .param .u64 unknown) {\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<16>;\n"
    ".shared .align 16 .b8 tile[8192];\n.local .align 16 .b8 depot[32];\n"
    "ld.param.u64 %rd1, [zeros];\nld.param.u64 %rd2, [unknown];\nmov.u32 %r0, %tid.x;\n"
    "ld.global.u32 %r1, [%rd2];\nsetp.eq.u32 %p1, %r1, 7;\nsetp.lt.u32 %p2, %r0, 16;\n";

/* One warp that executes the body, and a machine with a setting or two. */
static struct traced_kernel open_body(const char *body, bool record, const char *machine, const char *setting,
                                      const char *another) {
    static const char *const arguments[] = {"buf:u32[16384]=zero", "buf:u32[64]", NULL};
    const char *const settings[] = {setting, another, NULL};
    char text[TEXT_MAX];
    (void)snprintf(text, sizeof text, "%s%s\nret;\n}\n", header, body);
    return traced_kernel_open(&(struct traced_launch){.text = text,
                                                      .kernel = "k",
                                                      .threads = "32",
                                                      .arguments = arguments,
                                                      .machine = machine,
                                                      .settings = settings,
                                                      .record_accesses = record});
}

/* The cost of the last instruction with records; all of its records have the same. */
static struct execution_cost last_cost(const char *body, const char *machine, const char *setting,
                                       const char *another) {
    struct traced_kernel traced = open_body(body, true, machine, setting, another);
    struct execution_cost *costs = NULL;
    traced_expect_ok(&traced, access_costs_make(traced.block, traced.machine, traced.diagnostics, &costs));
    const struct access_list *list = &traced.block->accesses[0];
    size_t last = list->items.count - 1;
    struct execution_cost cost = costs[last];
    for (size_t r = last; list->items.items[r].step == list->items.items[last].step; r--)
        assert_int_equal(costs[r].init, cost.init);
    free(costs);
    traced_kernel_close(&traced);
    return cost;
}

/* Bodies and the initiation that they have with lines and with sectors on a machine where every class of the
 * load/store unit has initiation 1. */
struct body_case {
    const char *body;
    uint32_t lines, sectors;
};

#define BY_4 "mul.wide.u32 %rd3, %r0, 4;\nadd.s64 %rd3, %rd3, %rd1;\n"
#define BY_16 "mul.wide.u32 %rd3, %r0, 16;\nadd.s64 %rd3, %rd3, %rd1;\n"
#define BY_128 "mul.wide.u32 %rd3, %r0, 128;\nadd.s64 %rd3, %rd3, %rd1;\n"
#define TILE_BY(bytes) "mad.lo.u32 %r4, %r0, " bytes ", %r3;\n"
#define TILE "mov.u32 %r3, tile;\n"

static const struct body_case bodies[] = {
    {BY_4 "ld.global.u32 %r5, [%rd3];", 1, 4},
    {BY_4 "@%p2 ld.global.u32 %r5, [%rd3];", 1, 2},
    {BY_16 "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd3];", 4, 16},
    {BY_128 "st.global.u32 [%rd3], %r0;", 32, 32},
    {BY_4 "atom.global.add.u32 %r5, [%rd3], 1;", 1, 4},
    {"red.global.add.u32 [%rd1], 1;", 32, 32},
    {TILE TILE_BY("128") "ld.shared.u32 %r5, [%r4];", 32, 32},
    {TILE TILE_BY("132") "ld.shared.u32 %r5, [%r4];", 1, 1},
    {TILE TILE_BY("8") "ld.shared.u64 %rd5, [%r4];", 2, 2},
    {"atom.shared.add.u32 %r5, [tile], 1;", 32, 32},
    {TILE TILE_BY("16") "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r4];", 4, 4},
    {"mov.u32 %r3, table;\n" TILE_BY("4") "ld.const.u32 %r5, [%r4];", 32, 32},
    {"ld.const.u32 %r5, [table+64];", 1, 1},
    {"ld.param.u64 %rd5, [unknown];", 1, 1},
    {"st.local.u64 [depot], %rd1;", 2, 8},
    /* four lines or sixteen sectors, and then four passes */
    {TILE TILE_BY("16") BY_16 "cp.async.cg.shared.global [%r4], [%rd3], 16;", 8, 20},
    /* one side in global, the other in shared memory */
    {TILE TILE_BY("4") BY_4 "cvt.u64.u32 %rd4, %r4;\ncvta.shared.u64 %rd4, %rd4;\n"
                            "selp.u64 %rd3, %rd3, %rd4, %p2;\nld.u32 %r5, [%rd3];",
     2, 3},
    /* lanes that may take part, do */
    {BY_4 "@%p1 ld.global.u32 %r5, [%rd3];", 1, 4},
    {BY_128 "@%p1 ld.global.u32 %r5, [%rd3];", 32, 32},
    {BY_4 "@%p1 st.global.u32 [%rd3], %r0;", 1, 4},
    {"@%p1 red.global.add.u32 [%rd1], 1;", 32, 32},
    {TILE TILE_BY("16") BY_16 "@%p1 cp.async.cg.shared.global [%r4], [%rd3], 16;", 8, 20},
};

static void test_transactions_make_the_initiation(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct execution_cost lines = last_cost(bodies[i].body, "ecrts2025-orin", "requests=fermi", NULL);
        struct execution_cost sectors = last_cost(bodies[i].body, "ecrts2025-orin", "requests=volta", NULL);
        if (lines.init == bodies[i].lines && sectors.init == bodies[i].sectors) continue;
        fail_msg("%s\n%u cycles with lines, %u with sectors", bodies[i].body, lines.init, sectors.init);
    }
}

/* Lanes' addresses pass in the class's interval, requests in cycles of their own; a pass over the banks takes
 * the interval. */
static void test_initiation_of_the_class(void **state) {
    (void)state;
    static const char load[] = BY_4 "ld.global.u32 %r5, [%rd3];",
                      pairs[] = BY_16 "ld.global.u32 %r5, [%rd3];",
                      banks[] = TILE TILE_BY("8") "ld.shared.u32 %r5, [%r4];";
    const char *const volta = "requests=volta", *const slow = "request_cycles=3";
    assert_int_equal(last_cost(load, "ampere-sm80", volta, NULL).init, 4);
    assert_int_equal(last_cost(pairs, "ampere-sm80", volta, NULL).init, 16);
    assert_int_equal(last_cost(load, "ampere-sm80", volta, slow).init, 12);
    assert_int_equal(last_cost(load, "ampere-sm80", "requests=fermi", slow).init, 4);
    assert_int_equal(last_cost(banks, "ampere-sm80", volta, slow).init, 8);
    assert_int_equal(last_cost(load, "ecrts2025-orin", volta, "mem_latency=77").latency, 80);
    assert_int_equal(last_cost(load, "ecrts2025-orin", volta, "class.load_global.unit=none").init, 0);
}

static void test_ideal_requests_need_no_records(void **state) {
    (void)state;
    struct traced_kernel traced = open_body("", false, "ecrts2025-orin", "requests=ideal", NULL);
    struct execution_cost *costs = NULL;
    traced_expect_ok(&traced, access_costs_make(traced.block, traced.machine, traced.diagnostics, &costs));
    assert_null(costs);
    free(costs);
    traced_kernel_close(&traced);
}

struct refusal {
    const char *body, *machine, *setting;
    bool record;
    wb_status status;
    const char *message;
};

static const struct refusal refusals[] = {
    {"", "ecrts2025-orin", "requests=volta", false, WB_ERR_INPUT, "without recording its accesses"},
    {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12}, "
     "[%rd1], 16;",
     "ecrts2025-orin", "requests=volta", true, WB_ERR_DECLINED, "the kernel's cubin"},
    {"mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd3, %rd1;\n@%p1 ld.global.u32 %r5, [%rd3];",
     "ecrts2025-orin", "requests=volta", true, WB_ERR_DECLINED, "k.ptx:20:"},
};

static void test_what_cannot_be_counted_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *refusal = &refusals[i];
        struct traced_kernel traced =
            open_body(refusal->body, refusal->record, refusal->machine, refusal->setting, NULL);
        struct execution_cost *costs = NULL;
        wb_status status = access_costs_make(traced.block, traced.machine, traced.diagnostics, &costs);
        if (status != refusal->status ||
            strstr(wb_diagnostics_text(traced.diagnostics), refusal->message) == NULL)
            fail_msg("%s: %d, '%s'", refusal->body, (int)status, wb_diagnostics_text(traced.diagnostics));
        free(costs);
        traced_kernel_close(&traced);
    }
}

/* Prefetches and textures are not served by transactions: their classes say what they take. */
static void test_other_classes_are_not_counted(void **state) {
    (void)state;
    struct traced_kernel traced =
        open_body("prefetch.global.L2 [%rd1];", true, "ecrts2025-orin", "requests=volta", NULL);
    struct execution_cost *costs = NULL;
    traced_expect_ok(&traced, access_costs_make(traced.block, traced.machine, traced.diagnostics, &costs));
    free(costs);
    traced_kernel_close(&traced);
}

/* Bodies that end in an instruction with several records, its class, and what it costs on each machine below.
 */
static const struct {
    const char *body, *class;
    uint32_t ideal, lines, sectors;
} several_records[] = {
    {TILE TILE_BY("16") BY_16 "cp.async.cg.shared.global [%r4], [%rd3], 16;", "async_copy", 5, 25, 36},
    {TILE "cvt.u64.u32 %rd4, %r3;\ncvta.shared.u64 %rd4, %rd4;\nselp.u64 %rd3, %rd1, %rd4, %p2;\n"
          "ld.u32 %r5, [%rd3];",
     "load_generic", 5, 10, 10},
    {"mov.u64 %rd4, depot;\ncvta.local.u64 %rd4, %rd4;\nselp.u64 %rd3, %rd1, %rd4, %p2;\n"
     "ld.u32 %r5, [%rd3];",
     "load_generic", 5, 5, 5},
};

/* Cycles of the last step with records as the simulators of whole grids have them. */
static uint64_t cycles_in_grid(const struct traced_kernel *traced) {
    const wb_grid_options options = {.size = sizeof options};
    wb_grid *grid = NULL;
    struct traffic traffic;
    traced_expect_ok(
        traced, wb_grid_trace(traced->block->kernel, traced->launch, &options, traced->diagnostics, &grid));
    traced_expect_ok(traced, traffic_make(grid, traced->machine, traced->diagnostics, &traffic));
    const struct traffic_pattern *pattern = traffic_pattern_of(&traffic, 0, 0);
    uint64_t sum = 0;
    uint32_t records = 0;
    for (uint32_t a = pattern->access_count;
         a-- > 0 && pattern->accesses[a].step == pattern->accesses[pattern->access_count - 1].step;) {
        sum += pattern->accesses[a].cycles;
        records++;
    }
    assert_int_equal(records, 2);
    traffic_free(&traffic);
    wb_grid_free(grid);
    return sum;
}

/* An instruction with several records costs a block in a grid what it costs the block alone: where requests
 * are ideal, the interval of its class once. */
static void test_blocks_of_grids_cost_the_same(void **state) {
    (void)state;
    static const char *const requests[] = {"requests=ideal", "requests=fermi", "requests=volta"};
    for (size_t i = 0; i < 3 * sizeof several_records / sizeof *several_records; i++) {
        const char *body = several_records[i / 3].body;
        const uint32_t expected[] = {several_records[i / 3].ideal, several_records[i / 3].lines,
                                     several_records[i / 3].sectors};
        char init[64];
        (void)snprintf(init, sizeof init, "class.%s.init=5", several_records[i / 3].class);
        struct traced_kernel traced = open_body(body, true, "ecrts2025-orin", requests[i % 3], init);
        const uint64_t in_grid = cycles_in_grid(&traced);
        if (in_grid != expected[i % 3])
            fail_msg("%s\n%s: %llu cycles", body, requests[i % 3], (unsigned long long)in_grid);
        traced_kernel_close(&traced);
        if (i % 3 == 0) continue;
        assert_int_equal(last_cost(body, "ecrts2025-orin", requests[i % 3], init).init, expected[i % 3]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transactions_make_the_initiation),
        cmocka_unit_test(test_initiation_of_the_class),
        cmocka_unit_test(test_ideal_requests_need_no_records),
        cmocka_unit_test(test_what_cannot_be_counted_is_refused),
        cmocka_unit_test(test_other_classes_are_not_counted),
        cmocka_unit_test(test_blocks_of_grids_cost_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
