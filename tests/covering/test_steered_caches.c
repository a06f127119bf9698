/* Random kernels whose control and addresses depend on data, on random machines with caches: what is said of
 * all executions holds for those that are tried. `steered_campaign` does more of the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_block.h"
#include "steered_check.h"

static void test_kernels(void **state) {
    (void)state;
    struct steered_census census = {0};
    struct text violation = {0};
    for (uint64_t seed = 1; seed <= random_rounds(120); seed++) {
        struct steered_case input_dependent = {.seed = seed};
        if (steered_check(&input_dependent, &census, &violation)) continue;
        steered_case_shrink(&input_dependent);
        steered_case_print(&input_dependent, &violation);
        fail_msg("%s", violation.failed ? "out of memory" : violation.data);
    }
    print_message("%u kernels, %u covered, %u bounded, %u simulations; %u ordered: %u accesses, %u hits, %u "
                  "misses, %u unsure\n",
                  (unsigned)census.kernels, (unsigned)census.covered, (unsigned)census.bounded,
                  (unsigned)census.simulations, (unsigned)census.ordered, (unsigned)census.order.accesses,
                  (unsigned)census.order.hits, (unsigned)census.order.misses, (unsigned)census.order.unsure);
    assert_true(census.covered > census.kernels / 2);
}

/* ---- Kernels by hand ---------------------------------------------------------------------------------- */

#define HEAD                                                                                                 \
    ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b32 data[1024];\n"                      \
    ".visible .entry k(.param .u64 first, .param .u64 second, .param .u32 scalar)\n{\n"                      \
    ".reg .pred %p, %q;\n.reg .b64 %x, %y, %table, %other;\n.reg .b32 %d, %s, %t, %u, %w;\n"                 \
    "ld.param.u64 %table, [first];\ncvta.to.global.u64 %table, %table;\n"                                    \
    "ld.param.u64 %other, [second];\ncvta.to.global.u64 %other, %other;\n"                                   \
    "ld.param.u32 %u, [scalar];\nmov.u32 %t, %tid.x;\nshr.u32 %w, %t, 5;\n"

struct by_hand {
    const char *name, *body;
    uint32_t warps, blocks;
    const char *settings[12];
};

static const struct by_hand by_hand[] = {
    /* Where the words of a warp stand depends on how many the threads have, not on how many are known. */
    {.name = "local memory at unknown addresses",
     .body = ".local .align 4 .b32 own[8];\nsetp.ne.u32 %p, %w, 0;\n@%p bra $L1;\nand.b32 %u, %u, "
             "7;\nmul.wide.u32 %x, %u, 4;\n"
             "mov.u64 %y, own;\nadd.s64 %x, %x, %y;\nld.local.u32 %s, [%x];\n$L1:\nbar.sync 0;\n"
             "ld.local.u32 %d, [own];\nadd.u32 %s, %d, 1;\nld.local.u32 %d, [own];\nret;\n}\n",
     .warps = 2,
     .blocks = 1,
     .settings = {"l1_size=256", "l1_ways=1", "sms=1"}},
    /* What is loaded from shared memory after all takes the latency of its class, as no request is made. */
    {.name = "generic addresses that are perhaps of shared memory",
     .body =
         ".shared .align 4 .b32 kept[32];\nmov.u32 %d, kept;\ncvt.u64.u32 %x, %d;\ncvta.shared.u64 %x, %x;\n"
         "st.shared.u32 [kept], %t;\ncvta.global.u64 %y, %table;\nand.b32 %s, %u, 1;\n"
         "setp.eq.u32 %p, %s, 0;\nselp.b64 %x, %x, %y, %p;\nld.u32 %d, [%x];\nadd.u32 %s, %d, 1;\n"
         "ld.u32 %d, [%x];\nadd.u32 %s, %d, 1;\nld.u32 %d, [%x];\nadd.u32 %s, %d, 1;\nret;\n}\n",
     .warps = 1,
     .blocks = 1,
     .settings = {"l1_latency=1", "noc_latency=1", "l2_latency=1", "dram_latency=1", "mem_latency=2000",
                  "sms=1"}},
    /* The instruction that waits for the data is perhaps not executed: then the second load finds the line,
     * but no data. */
    {.name = "a wait that perhaps is none",
     .body = "ld.global.u32 %d, [%table];\nand.b32 %s, %u, 1;\nsetp.eq.u32 %p, %s, 0;\n@%p bra $L1;\n"
             "add.u32 %s, %d, 1;\n$L1:\nld.global.u32 %w, [%table];\nret;\n}\n",
     .warps = 1,
     .blocks = 1,
     .settings = {"l1_size=1024", "sms=1"}},
    /* Dirty lines that loads at unknown addresses push out of the second level. */
    {.name = "write-backs for loads at unknown addresses",
     .body =
         "st.global.u32 [%table], %t;\nst.global.u32 [%table+128], %t;\n"
         "and.b32 %s, %u, 3;\nmul.wide.u32 %x, %s, 128;\nadd.s64 %x, %x, %other;\nld.global.u32 %d, [%x];\n"
         "add.u32 %s, %u, 1;\nand.b32 %s, %s, 3;\nmul.wide.u32 %x, %s, 128;\nadd.s64 %x, %x, %other;\n"
         "ld.global.u32 %d, [%x];\nadd.u32 %s, %u, 2;\nand.b32 %s, %s, 3;\nmul.wide.u32 %x, %s, 128;\n"
         "add.s64 %x, %x, %other;\nld.global.u32 %d, [%x];\nadd.u32 %s, %d, 1;\nret;\n}\n",
     .warps = 1,
     .blocks = 1,
     .settings = {"l1_size=128", "l1_ways=1", "l2_size=256", "l2_ways=2", "dram_service=3000", "sms=1"}},
};

static void test_kernels_by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
        const struct by_hand *hand = &by_hand[i];
        struct steered_census census = {0};
        struct text violation = {0}, ptx = {0};
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_machine *machine = NULL;
        assert_int_equal(wb_machine_load("jcse2017", diagnostics, &machine), WB_OK);
        for (size_t s = 0; s < 12 && hand->settings[s] != NULL; s++)
            assert_int_equal(wb_machine_set(machine, hand->settings[s], diagnostics), WB_OK);
        assert_int_equal(wb_machine_check(machine, diagnostics), WB_OK);
        text_string(&ptx, HEAD);
        text_string(&ptx, hand->body);
        struct steered_kernel kernel = {.ptx = text_take(&ptx),
                                        .threads = 32 * hand->warps,
                                        .blocks = hand->blocks,
                                        .table = 512,
                                        .other = 128};
        for (uint64_t seed = 0; seed < 12; seed++)
            if (!steered_check_kernel(&kernel, machine, seed, &census, &violation))
                fail_msg("%s: %s\n%s", hand->name, violation.data, kernel.ptx);
        assert_int_equal(census.bounded, census.kernels); /* something is said that could be wrong */
        steered_kernel_free(&kernel);
        text_free(&violation);
        wb_machine_free(machine);
        wb_diagnostics_free(diagnostics);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels),
                                       cmocka_unit_test(test_kernels_by_hand)};
    return cmocka_run_group_tests_name("kernels steered by data on caches", tests, NULL, NULL);
}
