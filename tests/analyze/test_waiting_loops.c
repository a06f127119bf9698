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
    ASKED    /* for flow facts */
};

static const char *const answers[] = {[BOUNDED] = "bounded", [ASKED] = "asked for"};

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
    {"a lock",
     "L: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;"
     "ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1], %r2; st.volatile.global.u32 [%rd0], 0;",
     ASKED, ASKED},
    {"a flag", "L: ld.volatile.global.u32 %r1, [%rd0]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;", ASKED, ASKED},
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

static void load(struct loaded *loaded, const char *body) {
    static const uint32_t grid[3] = {4, 1, 1}, block[3] = {64, 1, 1};
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
    expect_ok(loaded, wb_launch_set_grid(loaded->launch, grid, loaded->messages));
    expect_ok(loaded, wb_launch_set_block(loaded->launch, block, loaded->messages));
    for (int i = 0; i < 2; i++)
        expect_ok(loaded, wb_launch_add_argument(loaded->launch, "buf:u32[4096]=zero", loaded->messages));
    expect_ok(loaded, wb_machine_load("ecrts2025-orin", loaded->messages, &loaded->machine));
}

static void unload(struct loaded *loaded) {
    wb_machine_free(loaded->machine);
    wb_launch_free(loaded->launch);
    wb_module_free(loaded->module);
    wb_diagnostics_free(loaded->messages);
}

static void expect(const char *what, const char *body, wb_inputs inputs, enum answer answer) {
    struct loaded loaded;
    wb_analysis *analysis = NULL;
    const wb_analyze_options options = {.size = sizeof options, .inputs = inputs};
    load(&loaded, body);
    const wb_status status = wb_analyze(wb_module_kernel(loaded.module, 0), loaded.launch, loaded.machine,
                                        &options, loaded.messages, &analysis);
    const bool asks = wb_diagnostics_needs_facts(loaded.messages);
    const bool as_expected =
        answer == BOUNDED ? status == WB_OK && wb_analysis_judge(analysis, WB_SCOPE_KERNEL, NULL).is_bounded
                          : status == WB_ERR_DECLINED && asks;
    if (!as_expected)
        fail_msg("%s, %s data, is not %s: status %d\n%s", what, inputs == WB_INPUTS_ANY ? "any" : "given",
                 answers[answer], (int)status, wb_diagnostics_text(loaded.messages));
    wb_analysis_free(analysis);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_answered),
    };
    return cmocka_run_group_tests_name("waiting loops", tests, NULL, NULL);
}
