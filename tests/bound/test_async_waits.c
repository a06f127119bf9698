/* Kernels that wait for asynchronous copies and for memory: what every bound and simulation must count, and
 * what is declined by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound_named.h"
#include "traced_kernel.h"

#define HEAD                                                                                                 \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data) {\n"                 \
    ".reg .pred %p;\n.reg .b32 %r<4>;\n.reg .b64 %x;\n.shared .align 16 .b8 s[1024];\n"                      \
    ".shared .align 8 .b64 flag;\nld.param.u64 %x, [data];\nmov.u32 %r1, s;\n"
#define TAIL "ret;\n}\n"

#define COPY "cp.async.ca.shared.global [%r1], [%x], 4;\n"
#define COMMIT "cp.async.commit_group;\n"
#define WAIT(left) "cp.async.wait_group " #left ";\n"
#define SEND "cp.async.bulk.global.shared::cta.bulk_group [%x], [%r1], 512;\n"
#define SEND_COMMIT "cp.async.bulk.commit_group;\n"
#define SEND_WAIT(left) "cp.async.bulk.wait_group " #left ";\n"
#define LOOP_COPY "mov.u32 %r3, 0;\nL:\n" COPY COMMIT WAIT(0)
#define LOOP_END "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p, %r3, 40;\n@%p bra L;\n"

/* What the copy of one instruction takes on this machine, from its issue on, if the unit is free. */
#define COPY_TIME 1004

/* More than a trip of the loops takes besides, of four warps in turns. */
#define LOOP_TIME 50

static struct traced_kernel open_on(const char *machine, const char *text, const char *threads,
                                    bool analyze) {
    static const char *const arguments[] = {"buf:u32[4096]=iota", NULL};
    static const char *const settings[] = {"mem_latency=1000", NULL};
    return traced_kernel_open(&(struct traced_launch){.text = text,
                                                      .kernel = "k",
                                                      .threads = threads,
                                                      .arguments = arguments,
                                                      .machine = machine,
                                                      .settings = settings,
                                                      .record_accesses = true,
                                                      .analyze = analyze});
}

static struct traced_kernel open_kernel(const char *text, const char *threads, bool analyze) {
    return open_on("ecrts2025-orin", text, threads, analyze);
}

/* Every bound at least, and every simulation about `trips` ways to memory and back. */
static void check_kernel(const char *text, const char *threads, uint64_t trips) {
    struct traced_kernel traced = open_kernel(text, threads, true);
    const uint64_t least = trips * COPY_TIME, most = least + COPY_TIME + trips * LOOP_TIME;
    size_t count;
    traced_expect_ok(&traced, wb_analysis_bound(traced.analysis, "sib,fib,aln,fifo,elb,gub,adversary", NULL,
                                                traced.diagnostics));
    traced_expect_ok(&traced, wb_analysis_simulate(traced.analysis, "all", NULL, traced.diagnostics));
    const wb_bound *bounds = wb_analysis_bounds(traced.analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (bounds[i].cycles < least)
            fail_msg("%s: %llu\n%s", bounds[i].method, (unsigned long long)bounds[i].cycles, text);
    const wb_simulation *simulations = wb_analysis_simulations(traced.analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (simulations[i].cycles < least || simulations[i].cycles >= most)
            fail_msg("%s: %llu\n%s", simulations[i].policy, (unsigned long long)simulations[i].cycles, text);
    traced_kernel_close(&traced);
}

static void test_copies_are_waited_for(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t trips;
    } rows[] = {
        {HEAD COPY COMMIT WAIT(0) COPY COMMIT WAIT(0) COPY COMMIT WAIT(0) TAIL, 3},
        {HEAD COPY COMMIT COPY COMMIT WAIT(1) COPY COMMIT WAIT(1) COPY COMMIT WAIT(1) TAIL, 2},
        {HEAD COPY COMMIT COPY COMMIT COPY COMMIT WAIT(3) COPY COMMIT WAIT(3) TAIL, 1},
        /* A group may be empty, and several copies one group. */
        {HEAD COPY COMMIT COMMIT WAIT(1) COPY COPY COMMIT WAIT(0) COPY TAIL, 3},
        /* What is not committed is waited for by wait_all alone. */
        {HEAD COPY WAIT(0) COPY WAIT(0) COPY TAIL, 1},
        {HEAD COPY "cp.async.wait_all;\n" COPY "cp.async.wait_all;\n" COPY TAIL, 3},
        /* The loop is a fold of the path. */
        {HEAD LOOP_COPY LOOP_END TAIL, 40},
        {HEAD LOOP_COPY "bar.sync 0;\n" LOOP_END TAIL, 40},
        /* The two kinds of groups are apart. */
        {HEAD SEND COPY COMMIT SEND_COMMIT WAIT(0) SEND SEND_COMMIT SEND_WAIT(0) SEND TAIL, 3},
        {HEAD SEND COMMIT WAIT(0) SEND COMMIT WAIT(0) SEND SEND_COMMIT SEND_WAIT(1) TAIL, 1},
        {HEAD SEND SEND_COMMIT "cp.async.bulk.wait_group.read 0;\n" SEND TAIL, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_kernel(rows[i].text, "32", rows[i].trips);
        check_kernel(rows[i].text, "128", rows[i].trips);
    }
}

/* A kernel in whose path the loop is not run is exact by the search, too. */
static void test_search_waits(void **state) {
    (void)state;
    static const char text[] =
        HEAD COPY COMMIT COPY COMMIT WAIT(1) COPY COMMIT WAIT(1) COPY COMMIT WAIT(0) TAIL;
    struct traced_kernel traced = open_kernel(text, "64", true);
    traced_expect_ok(&traced, wb_analysis_bound(traced.analysis, "sib,exhaustive", NULL, traced.diagnostics));
    const wb_bound *exact = bound_named(traced.analysis, "exhaustive");
    assert_int_equal(exact->kind, WB_EXACT);
    assert_true(exact->cycles >= 2 * COPY_TIME);
    assert_true(exact->cycles <= bound_named(traced.analysis, "sib")->cycles);
    traced_kernel_close(&traced);
}

/* A fence waits for the accesses before it, and what follows waits for the fence. */
static void test_fences_are_waited_for(void **state) {
    (void)state;
    static const char *const fences[] = {"membar.gl;\n", "fence.acq_rel.gpu;\n", "fence.proxy.async;\n",
                                         "st.release.gpu.global.u32 [%x], %r1;\n"};
    for (size_t i = 0; i < 4; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "%s%s%smov.u32 %%r3, 1;\n%s%s%s", HEAD,
                       "ld.global.u32 %r2, [%x];\n", fences[i], COPY, fences[i], TAIL);
        check_kernel(text, "32", 2);
        check_kernel(text, "96", 2);
    }
}

static bool assumes_groups_of_warps(const char *text) {
    struct traced_kernel traced = open_kernel(text, "32", true);
    traced_expect_ok(&traced, wb_analysis_bound(traced.analysis, "adversary", NULL, traced.diagnostics));
    const wb_bound *bound = bound_named(traced.analysis, "adversary");
    bool found = false;
    for (size_t i = 0; i < bound->assumption_count; i++)
        found = found || strstr(wb_assumption_text(bound->assumptions[i]),
                                "a group of asynchronous copies belongs to its warp") != NULL;
    traced_kernel_close(&traced);
    return found;
}

/* Groups belong to threads; that they are counted for warps is said where it makes a difference. */
static void test_groups_of_warps_are_assumed(void **state) {
    (void)state;
    static const char *const parted[] = {
        HEAD "mov.u32 %r2, %tid.x;\nsetp.lt.u32 %p, %r2, 7;\n" COPY "@%p " COMMIT COPY COMMIT WAIT(1) TAIL,
        HEAD "mov.u32 %r2, %tid.x;\nsetp.lt.u32 %p, %r2, 0;\n" COPY "@%p " COMMIT COPY COMMIT WAIT(1) TAIL,
        HEAD "mov.u32 %r2, %tid.x;\nsetp.ne.u32 %p, %r2, 0;\n@%p bra M;\n" SEND SEND_COMMIT SEND_WAIT(
            0) "M:\n" TAIL,
    };
    assert_false(assumes_groups_of_warps(HEAD COPY COMMIT COPY COMMIT WAIT(1) TAIL));
    for (size_t i = 0; i < 3; i++)
        assert_true(assumes_groups_of_warps(parted[i]));
}

/* On a machine whose fences take a way to memory each. */
static void test_fences_take_their_time(void **state) {
    (void)state;
    static const char text[] = HEAD "membar.gl;\nld.global.u32 %r2, [%x];\nfence.sc.gpu;\n" COPY TAIL;
    struct traced_kernel traced = open_on("ampere-sm80", text, "32", true);
    traced_expect_ok(&traced, wb_analysis_bound(traced.analysis, "sib,elb", NULL, traced.diagnostics));
    traced_expect_ok(&traced, wb_analysis_simulate(traced.analysis, "lrr", NULL, traced.diagnostics));
    size_t count;
    assert_true(wb_analysis_simulations(traced.analysis, &count)->cycles >= 4000);
    assert_true(bound_named(traced.analysis, "sib")->cycles >= 4000);
    assert_true(bound_named(traced.analysis, "elb")->cycles >= 4000);
    traced_kernel_close(&traced);
}

/* What waits for work that is not modelled has no times. */
static void check_declined(const char *wait, const char *message) {
    char text[1024];
    wb_analysis *analysis = NULL;
    (void)snprintf(text, sizeof text, "%s%s%s%s", HEAD, "mov.u32 %r2, flag;\n", wait, TAIL);
    struct traced_kernel traced = open_kernel(text, "32", false);
    assert_int_equal(wb_analysis_new(traced.block, traced.machine, traced.diagnostics, &analysis),
                     WB_ERR_DECLINED);
    if (strstr(wb_diagnostics_text(traced.diagnostics), message) == NULL)
        fail_msg("%s", wb_diagnostics_text(traced.diagnostics));
    traced_kernel_close(&traced);
}

static void test_declined_waits(void **state) {
    (void)state;
    check_declined("mbarrier.try_wait.parity.shared.b64 %p, [%r2], 0;\n",
                   "'mbarrier.try_wait.parity.shared.b64' waits for");
    check_declined("mbarrier.test_wait.parity.shared.b64 %p, [%r2], 0;\n",
                   "'mbarrier.test_wait.parity.shared.b64' waits for");
    check_declined(WAIT(65), "leaves more than 64 groups pending");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_are_waited_for),  cmocka_unit_test(test_search_waits),
        cmocka_unit_test(test_fences_are_waited_for),  cmocka_unit_test(test_declined_waits),
        cmocka_unit_test(test_fences_take_their_time), cmocka_unit_test(test_groups_of_warps_are_assumed),
    };
    return cmocka_run_group_tests_name("asynchronous waits", tests, NULL, NULL);
}
