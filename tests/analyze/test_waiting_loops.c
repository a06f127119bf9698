/* Loops and branches that hang on what other warps do: every kind is bounded whatever the order is in which
 * warps come to memory, asked for, or declined by name; with the data that the launch gives, and with any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpbound.h"

enum answer {
    BOUNDED, /* with a bound of kind upper */
    ASKED,   /* for flow facts */
    DECLINED /* by name, as a wait for other threads */
};

static const char *const answers[] = {
    [BOUNDED] = "bounded", [ASKED] = "asked for", [DECLINED] = "declined as a wait"};

/* Kernels of two warps a block: %rd0 and %rd1 point to the two buffers, zeroed where data is given, %r0 is
 * the thread, 'word' four words of shared memory. */
static const struct {
    const char *what, *body;
    enum answer given, any;
} rows[] = {
    {"a loop of constants", "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;",
     BOUNDED, BOUNDED},
    {"a loop of data",
     "ld.global.u32 %r2, [%rd0]; L: add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 9;"
     "@%p1 bra L;",
     BOUNDED, ASKED},
    {"a counter that commutes, behind a barrier",
     "st.shared.u32 [word], 0; bar.sync 0; red.shared.add.u32 [word], 1; bar.sync 0;"
     "ld.shared.u32 %r1, [word]; L: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;",
     BOUNDED, ASKED},
    {"atomics that nothing hangs on", "atom.global.add.u32 %r1, [%rd0], 1; st.global.u32 [%rd1], %r1;",
     BOUNDED, BOUNDED},
    {"the block that comes last",
     "atom.global.add.u32 %r1, [%rd0], 1; setp.ne.u32 %p1, %r1, 255;"
     "@%p1 bra DONE; st.global.u32 [%rd1], %r1; DONE:",
     BOUNDED, BOUNDED},
    {"an index that an atomic gives",
     "atom.global.add.u32 %r1, [%rd0], 1; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd1;"
     "st.global.u32 [%rd2], %r1;",
     BOUNDED, BOUNDED},
    {"a queue of work", "L: atom.global.add.u32 %r1, [%rd0], 1; setp.lt.u32 %p1, %r1, 999; @%p1 bra L;",
     ASKED, ASKED},
    {"a retry in global memory",
     "ld.global.u32 %r1, [%rd0]; L: add.u32 %r2, %r1, 1; atom.global.cas.b32 %r3, [%rd0], %r1, %r2;"
     "setp.ne.u32 %p1, %r3, %r1; mov.u32 %r1, %r3; @%p1 bra L;",
     ASKED, ASKED},
    {"a retry in shared memory, read anew",
     "st.shared.u32 [word], 0; bar.sync 0; L: ld.shared.u32 %r1, [word]; add.u32 %r2, %r1, 1;"
     "atom.shared.cas.b32 %r3, [word], %r1, %r2; setp.ne.u32 %p1, %r3, %r1; @%p1 bra L;",
     ASKED, ASKED},
    {"a retry of exch, which gives back what it took",
     "mov.u32 %r1, 1; L: atom.global.exch.b32 %r1, [%rd0], %r1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;", ASKED,
     ASKED},
    {"a lock of cas",
     "L: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;"
     "ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1], %r2; st.volatile.global.u32 [%rd0], 0;",
     DECLINED, DECLINED},
    {"a lock of exch", "L: atom.shared.exch.b32 %r1, [word], 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;",
     DECLINED, DECLINED},
    {"a lock that is released in the loop",
     "mov.u32 %r5, 0; L: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra ON;"
     "ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; st.global.u32 [%rd1], %r2;"
     "atom.global.exch.b32 %r3, [%rd0], 0; mov.u32 %r5, 1; ON: setp.eq.u32 %p2, %r5, 0; @%p2 bra L;",
     DECLINED, DECLINED},
    {"a lock with a pause that grows",
     "mov.u32 %r4, 8; L: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra ON;"
     "nanosleep.u32 %r4; shl.b32 %r4, %r4, 1; bra L; ON:",
     DECLINED, DECLINED},
    {"a lock that is given up",
     "mov.u32 %r4, 0; L: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra ON;"
     "add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 8; @%p2 bra L; ON:",
     BOUNDED, BOUNDED},
    {"a ticket",
     "atom.global.add.u32 %r1, [%rd0], 1; L: ld.volatile.global.u32 %r2, [%rd0+4]; setp.ne.u32 %p1, %r2, %r1;"
     "@%p1 bra L; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd0+4], %r2;",
     DECLINED, DECLINED},
    {"a flag", "L: ld.volatile.global.u32 %r1, [%rd0]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;", DECLINED,
     DECLINED},
    {"a flag that is acquired",
     "L: ld.acquire.gpu.global.u32 %r1, [%rd0+8]; setp.eq.u32 %p1, %r1, 0;"
     "@%p1 bra L; ld.global.u32 %r2, [%rd1];",
     DECLINED, DECLINED},
    {"a flag in shared memory, read plainly: a data race",
     "L: ld.shared.u32 %r1, [word]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;", ASKED, ASKED},
    {"a flag that an atomic reads",
     "L: atom.global.add.u32 %r1, [%rd0], 0; setp.eq.u32 %p1, %r1, 0;"
     "@%p1 bra L;",
     DECLINED, DECLINED},
    {"a flag that all lanes see",
     "L: ld.volatile.global.u32 %r1, [%rd0]; setp.eq.u32 %p1, %r1, 0;"
     "vote.sync.any.pred %p2, %p1, 0xffffffff; @%p2 bra L;",
     DECLINED, DECLINED},
    {"a flag that is waited for at most for a time",
     "mov.u32 %r3, %clock; L: ld.volatile.global.u32 %r1, [%rd0]; setp.ne.u32 %p1, %r1, 0; @%p1 bra ON;"
     "mov.u32 %r4, %clock; sub.u32 %r4, %r4, %r3; setp.lt.u32 %p2, %r4, 999; @%p2 bra L; ON:",
     ASKED, ASKED},
    {"a barrier of the grid, as cooperative groups have it",
     "bar.sync 0; setp.ne.u32 %p3, %r0, 0; @%p3 bra ON; atom.add.release.gpu.global.u32 %r1, [%rd0], 1;"
     "L: ld.acquire.gpu.global.u32 %r2, [%rd0]; xor.b32 %r3, %r2, %r1; setp.gt.s32 %p1, %r3, -1;"
     "@%p1 bra L; ON: bar.sync 0;",
     DECLINED, DECLINED},
    {"lanes that take turns",
     "mov.u32 %r4, %laneid; L: activemask.b32 %r1; bfind.u32 %r2, %r1;"
     "setp.ne.u32 %p1, %r2, %r4; @%p1 bra L;",
     BOUNDED, BOUNDED},
    {"a list",
     "mov.u32 %r1, 0; L: mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd0;"
     "ld.global.u32 %r1, [%rd2]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;",
     BOUNDED, ASKED},
    {"a counter in shared memory",
     "st.volatile.shared.u32 [word], 5; L: ld.volatile.shared.u32 %r1, [word]; sub.u32 %r1, %r1, 1;"
     "st.volatile.shared.u32 [word], %r1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;",
     ASKED, ASKED},
    {"warps that go on until nothing has changed",
     "L: bar.sync 0; st.shared.u32 [word], 0; bar.sync 0; ld.global.u32 %r1, [%rd0];"
     "st.global.u32 [%rd0], 0; setp.ne.u32 %p1, %r1, 0; @%p1 st.shared.u32 [word], 1; bar.sync 0;"
     "ld.shared.u32 %r2, [word]; setp.ne.u32 %p2, %r2, 0; @%p2 bra L;",
     BOUNDED, ASKED},
};

struct loaded {
    wb_diagnostics *messages;
    wb_module *module;
    wb_launch *launch;
    wb_machine *machine;
};

static void expect_ok(const struct loaded *loaded, wb_status status) {
    if (status != WB_OK) fail_msg("status %d: %s", (int)status, wb_diagnostics_text(loaded->messages));
}

/* Four blocks of two warps, and so many buffers. */
static void launch(struct loaded *loaded, int buffers, const char *machine) {
    static const uint32_t grid[3] = {4, 1, 1}, block[3] = {64, 1, 1};
    expect_ok(loaded, wb_launch_set_grid(loaded->launch, grid, loaded->messages));
    expect_ok(loaded, wb_launch_set_block(loaded->launch, block, loaded->messages));
    for (int i = 0; i < buffers; i++)
        expect_ok(loaded, wb_launch_add_argument(loaded->launch, "buf:u32[4096]=zero", loaded->messages));
    expect_ok(loaded, wb_machine_load(machine, loaded->messages, &loaded->machine));
}

static void load(struct loaded *loaded, const char *body) {
    char text[2000];
    const int length =
        snprintf(text, sizeof text,
                 ".version 7.0\n.target sm_80\n.address_size 64\n"
                 ".visible .entry k(.param .u64 p, .param .u64 q) {\n"
                 ".reg .pred %%p<9>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>; .shared .b32 word[4];\n"
                 "ld.param.u64 %%rd0, [p]; ld.param.u64 %%rd1, [q]; mov.u32 %%r0, %%tid.x;\n%s\nret; }\n",
                 body);
    assert_in_range(length, 1, sizeof text - 1);
    *loaded = (struct loaded){.messages = wb_diagnostics_new(), .launch = wb_launch_new()};
    assert_non_null(loaded->messages);
    assert_non_null(loaded->launch);
    expect_ok(loaded, wb_module_parse("k.ptx", text, (size_t)length, loaded->messages, &loaded->module));
    launch(loaded, 2, "ecrts2025-orin");
}

static void unload(struct loaded *loaded) {
    wb_machine_free(loaded->machine);
    wb_launch_free(loaded->launch);
    wb_module_free(loaded->module);
    wb_diagnostics_free(loaded->messages);
}

/* What is answered to the kernel is this, and names a wait where it is one. */
static void expect_of(const struct loaded *loaded, const wb_kernel *kernel, const wb_facts *facts,
                      const char *what, wb_inputs inputs, enum answer answer) {
    wb_analysis *analysis = NULL;
    const wb_analyze_options options = {.size = sizeof options, .inputs = inputs, .facts = facts};
    const wb_status status =
        wb_analyze(kernel, loaded->launch, loaded->machine, &options, loaded->messages, &analysis);
    const bool asks = wb_diagnostics_needs_facts(loaded->messages);
    const bool waits = strstr(wb_diagnostics_text(loaded->messages), "waits for other threads") != NULL;
    const bool bounded = status == WB_OK && wb_analysis_judge(analysis, WB_SCOPE_KERNEL, NULL).is_bounded;
    const enum answer found = bounded ? BOUNDED : asks ? ASKED : DECLINED;
    const bool as_expected =
        found == answer && (bounded || status == WB_ERR_DECLINED) && waits == (answer == DECLINED);
    if (!as_expected)
        fail_msg("%s, %s data, is not %s: status %d\n%s", what, inputs == WB_INPUTS_ANY ? "any" : "given",
                 answers[answer], (int)status, wb_diagnostics_text(loaded->messages));
    wb_analysis_free(analysis);
}

static void expect(const char *what, const char *body, wb_inputs inputs, enum answer answer) {
    struct loaded loaded;
    load(&loaded, body);
    expect_of(&loaded, wb_module_kernel(loaded.module, 0), NULL, what, inputs, answer);
    unload(&loaded);
}

/* Each kind, with given data and with any. */
static void every_kind_is_answered(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(rows[i].what, rows[i].body, WB_INPUTS_USUAL, rows[i].given);
        expect(rows[i].what, rows[i].body, WB_INPUTS_ANY, rows[i].any);
    }
}

/* The same of machine code, in which volatile accesses to shared memory are plain ones. */
static void machine_code_is_answered_alike(void **state) {
    static const struct {
        const char *kernel;
        enum answer answer;
    } kernels[] = {{"add_float", ASKED},
                   {"largest", ASKED},
                   {"flag", DECLINED},
                   {"flag_late", DECLINED},
                   {"lock", DECLINED}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof kernels / sizeof *kernels; i++) {
        struct loaded loaded = {.messages = wb_diagnostics_new(), .launch = wb_launch_new()};
        const wb_kernel *kernel = NULL;
        expect_ok(&loaded, wb_module_read("tests/data/waiting/waiting_code.sm_86.cubin", loaded.messages,
                                          &loaded.module));
        expect_ok(&loaded,
                  wb_module_find_kernel(loaded.module, kernels[i / 2].kernel, loaded.messages, &kernel));
        launch(&loaded, 1, "rtx-a6000");
        expect_of(&loaded, kernel, NULL, kernels[i / 2].kernel, i % 2 == 0 ? WB_INPUTS_USUAL : WB_INPUTS_ANY,
                  kernels[i / 2].answer);
        unload(&loaded);
    }
}

/* A wait is in no template of facts but as a remark, and a fact that bounds it bounds no kernel. */
static void no_fact_bounds_a_wait(void **state) {
    struct loaded loaded;
    wb_facts *facts = NULL;
    char *template = NULL, stated[200];
    (void)state;
    load(&loaded, "L: ld.volatile.global.u32 %r1, [%rd0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;");
    const wb_kernel *kernel = wb_module_kernel(loaded.module, 0);
    expect_ok(&loaded, wb_facts_template(kernel, loaded.launch, loaded.messages, &template));
    assert_null(strstr(template, "loop L"));
    assert_non_null(strstr(template, "waits for other threads"));
    const int length =
        snprintf(stated, sizeof stated, "%.*s\nloop L <= 1;\n", (int)strcspn(template, "\n"), template);
    expect_ok(&loaded, wb_facts_parse("facts", stated, (size_t)length, kernel, loaded.messages, &facts));
    expect_of(&loaded, kernel, facts, "a flag with a fact", WB_INPUTS_GIVEN, DECLINED);
    expect_of(&loaded, kernel, facts, "a flag with a fact", WB_INPUTS_ANY, DECLINED);
    free(template);
    wb_facts_free(facts);
    unload(&loaded);
}

/* A retry is asked for, and the template says how to count it. */
static void a_retry_is_explained(void **state) {
    struct loaded loaded;
    char *template = NULL;
    (void)state;
    load(&loaded, "ld.global.u32 %r1, [%rd0]; L: mov.u32 %r2, %r1; add.u32 %r3, %r2, 1; "
                  "atom.global.cas.b32 %r1, [%rd0], %r2, %r3; setp.ne.u32 %p1, %r1, %r2; @%p1 bra L;");
    const wb_kernel *kernel = wb_module_kernel(loaded.module, 0);
    expect_ok(&loaded, wb_facts_template(kernel, loaded.launch, loaded.messages, &template));
    assert_non_null(strstr(template, "loop L <= ?"));
    assert_non_null(strstr(template, "// it retries an atomic"));
    free(template);
    unload(&loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_code_is_answered_alike),
        cmocka_unit_test(no_fact_bounds_a_wait),
        cmocka_unit_test(a_retry_is_explained),
        cmocka_unit_test(every_kind_is_answered),
    };
    return cmocka_run_group_tests_name("waiting loops", tests, NULL, NULL);
}
