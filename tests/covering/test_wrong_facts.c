/* Every kind of flow fact is held to the data that the launch gives: a fact that some block contradicts is
 * refused by its place in the file, a true one is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "launch/launch.h"
#include "launch_text.h"

/* Of each thread: %r1 is the number of its block, %r2 that of its warp, %r3 300000; all of them data. */
#define PROLOGUE                                                                                             \
    ".version 7.0\n.target sm_75\n.address_size 64\n"                                                        \
    ".visible .entry k(.param .u64 in)\n{\n.reg .b32 %r<12>; .reg .b64 %d<6>; .reg .pred %p<6>;\n"           \
    "ld.param.u64 %d1, [in]; mov.u32 %r4, %ctaid.x; mul.wide.u32 %d2, %r4, 4; add.u64 %d2, %d1, %d2;\n"      \
    "ld.global.u32 %r1, [%d2]; mov.u32 %r5, %tid.x; shr.u32 %r5, %r5, 5; mul.wide.u32 %d3, %r5, 4;\n"        \
    "add.u64 %d3, %d1, %d3; ld.global.u32 %r2, [%d3]; mad.lo.u32 %r3, %r2, 1, 300000; mov.u32 %r6, 0;\n"

/* Block b passes L 3 b + 1 times. */
#define LOOP                                                                                                 \
    "mad.lo.u32 %r7, %r1, 3, 1;\nL: add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r7; @%p1 bra L;\nret;\n}\n"

#define LONG "L: add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r3; @%p1 bra L;\nret;\n}\n"

/* Block b passes IN 2 b times in 10 passes of OUT, and 11 only if it is the second. */
#define RARE                                                                                                 \
    "shl.b32 %r7, %r1, 1;\nOUT: setp.ge.u32 %p1, %r6, %r7; @%p1 bra ON;\nIN: add.u32 %r5, %r5, 1;\n"         \
    "ON: add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 10; @%p2 bra OUT;\nsetp.ne.u32 %p3, %r1, 1;\n"           \
    "@%p3 bra END;\nSECOND: add.u32 %r5, %r5, 1;\nEND: setp.ne.u32 %p3, %r1, 9; @%p3 bra OFF;\n"             \
    "TENTH: add.u32 %r5, %r5, 1;\nOFF: ret;\n}\n"

/* Nest: in iteration i of OUT a thread of block b passes IN min(i, b) + 1 times. */
#define NEST                                                                                                 \
    "mov.u32 %r5, 0;\nOUT: min.u32 %r7, %r6, %r1; mov.u32 %r8, 0;\nIN: add.u32 %r8, %r8, 1; setp.le.u32 "    \
    "%p1, %r8, %r7;\n"                                                                                       \
    "@%p1 bra IN;\nadd.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 4; @%p2 bra OUT;\nret;\n}\n"

/* The first warp goes to another barrier than the others. */
#define OTHER_BARRIER                                                                                        \
    "setp.eq.u32 %p1, %r2, 0; @%p1 bra M;\nB: bar.sync 0;\nM: bar.sync 0; bar.sync 0;\nret;\n}\n"

/* Warp w waits in iteration w; in iteration 0. */
#define OTHER_ITERATION                                                                                      \
    "L: setp.ne.u32 %p1, %r6, %r2; @%p1 bra M;\nB: bar.sync 0;\nM: add.u32 %r6, %r6, 1;\n"                   \
    "setp.lt.u32 %p2, %r6, 2; @%p2 bra L;\nret;\n}\n"
#define SAME_ITERATION                                                                                       \
    "L: setp.ne.u32 %p1, %r6, %r1; @%p1 bra M;\nB: bar.sync 0;\nM: add.u32 %r6, %r6, 1;\n"                   \
    "setp.lt.u32 %p2, %r6, 2; @%p2 bra L;\nret;\n}\n"

/* The second warp does not wait, but goes on where the others do behind the barrier, and ends; before the
 * others wait, or after. */
#define GOES_ON "setp.eq.u32 %p1, %r2, 1; @%p1 bra M;\nB: bar.sync 0;\nM: add.u32 %r5, %r5, 1;\nret;\n}\n"
#define GOES_ON_FIRST                                                                                        \
    "setp.eq.u32 %p1, %r2, 0; @%p1 bra M;\nB: bar.sync 0;\nM: add.u32 %r5, %r5, 1;\nret;\n}\n"

/* It ends at once. */
#define LEAVES "setp.eq.u32 %p1, %r2, 1; @%p1 bra M;\nadd.u32 %r5, %r5, 1;\nB: bar.sync 0;\nM: ret;\n}\n"

/* All warps of block 0 wait, those of the others do not. */
#define BLOCKS_WAIT "setp.ne.u32 %p1, %r1, 0; @%p1 bra M;\nB: bar.sync 0;\nM: add.u32 %r5, %r5, 1;\nret;\n}\n"

static const struct {
    const char *body, *statement;
    bool kept;
} cases[] = {
    {LOOP, "loop L <= 6;", false}, /* the last of three blocks passes it 7 times */
    {LOOP, "loop L <= 7;", true},
    {LONG, "loop L <= 299999;", false}, /* its iterations would be joined otherwise */
    {LONG, "loop L <= 300001;", true},
    {RARE, "at most 3 of IN per OUT; at most 3 of IN per B0;", false},
    {RARE, "at most 4 of IN per B0;", true},
    {RARE, "never SECOND;", false},
    {RARE, "never TENTH;", true},
    {NEST, "at most 8 of IN per B0;", false}, /* 1 + 2 + 3 + 3 in the last block */
    {NEST, "at most 9 of IN per B0;", true},
    {NEST, "loop IN <= 2;", false},
    {NEST, "loop IN <= 3;", true},
    {NEST, "loop OUT <= 3 found;", false},
    {NEST, "loop OUT <= 4 found; loop IN <= 3;", true},
    {OTHER_BARRIER, "together B;", false},
    {OTHER_ITERATION, "together B;", false},
    {SAME_ITERATION, "together B;", true},
    {GOES_ON, "together B;", false},
    {GOES_ON_FIRST, "together B;", false},
    {LEAVES, "together B;", true},
    {BLOCKS_WAIT, "together B;", true},
};

static wb_status analyze(const char *body, const char *statement, wb_diagnostics *messages) {
    char ptx[2048], text[512];
    wb_module *module = NULL;
    const wb_kernel *kernel = NULL;
    wb_machine *machine = NULL;
    wb_facts *facts = NULL;
    wb_analysis *analysis = NULL;
    wb_launch *launch = wb_launch_new();
    uint64_t checksum;
    (void)snprintf(ptx, sizeof ptx, "%sB0:\n%s", PROLOGUE, body);
    assert_int_equal(wb_module_parse("k.ptx", ptx, strlen(ptx), messages, &module), WB_OK);
    assert_int_equal(wb_module_find_kernel(module, "k", messages, &kernel), WB_OK);
    assert_int_equal(facts_checksum(kernel, &checksum), WB_OK);
    (void)snprintf(text, sizeof text, "kernel k %016llx\n%s\n", (unsigned long long)checksum, statement);
    assert_int_equal(launch_grid_text(launch, "3", messages), WB_OK);
    assert_int_equal(launch_block_text(launch, "64", messages), WB_OK);
    assert_int_equal(wb_launch_add_argument(launch, "buf:u32[8]=iota", messages), WB_OK);
    assert_int_equal(wb_machine_load("ecrts2025-orin", messages, &machine), WB_OK);
    wb_status status = wb_facts_parse("k.facts", text, strlen(text), kernel, messages, &facts);
    if (status != WB_OK) fail_msg("%s: %s", statement, wb_diagnostics_text(messages));
    const wb_analyze_options options = {.size = sizeof options, .facts = facts, .methods = "k-sm"};
    status = wb_analyze(kernel, launch, machine, &options, messages, &analysis);
    wb_analysis_free(analysis);
    wb_machine_free(machine);
    wb_facts_free(facts);
    wb_launch_free(launch);
    wb_module_free(module);
    return status;
}

/* Whether what is wrong is said of this fact, the last of its line, and nothing of another one. */
static void test_facts_are_held_to_the_given_data(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *messages = wb_diagnostics_new();
        const wb_status status = analyze(cases[i].body, cases[i].statement, messages);
        const char *said = wb_diagnostics_text(messages);
        if (cases[i].kept ? status != WB_OK : status != WB_ERR_INPUT)
            fail_msg("case %zu: %s: status %d: %s", i, cases[i].statement, (int)status, said);
        const char *last = strrchr(cases[i].statement, ';');
        while (last > cases[i].statement && !(last[-1] == ' ' && last[-2] == ';'))
            last--;
        char place[40];
        (void)snprintf(place, sizeof place, "k.facts:2:%d: error: ", (int)(last - cases[i].statement) + 1);
        if (!cases[i].kept && strstr(said, place) == NULL)
            fail_msg("case %zu: %s: expected %s in %s", i, cases[i].statement, place, said);
        wb_diagnostics_free(messages);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts_are_held_to_the_given_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
