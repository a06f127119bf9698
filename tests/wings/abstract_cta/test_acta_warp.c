/* Abstract warps: how code becomes nodes, which code has none, and what they cost window by window. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acta_text.h"
#include "wings/abstract_cta/acta_file.h"
#include "wings/abstract_cta/acta_trace.h"

/* ---- From code -------------------------------------------------------------------------------------------
 */

#define HEAD                                                                                                 \
    ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"    \
    ".reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %a<4>;\n"
#define FIRST "ld.param.u32 %r1, [n]; ld.param.u64 %a0, [p]; mov.u32 %r0, %tid.x;\n"

/* Builds the abstract warp of a kernel `k` with this body. */
static wb_status build(const char *body, struct text *out, struct text *messages) {
    struct text ptx = {0};
    text_printf(&ptx, "%s%s}\n", HEAD, body);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    if (wb_module_parse("k.ptx", ptx.data, strlen(ptx.data), diagnostics, &module) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    const struct acta_threads threads = {{32, 1, 1}, 4};
    struct kernel_flow flow;
    struct acta_warp warp;
    assert_int_equal(kernel_flow_make(wb_module_kernel(module, 0), diagnostics, &flow), WB_OK);
    wb_status status = acta_warp_of_kernel(&flow, &threads, false, diagnostics, &warp);
    if (status == WB_OK) acta_text_print(&warp, out);
    text_string(messages, wb_diagnostics_text(diagnostics));
    acta_warp_free(&warp);
    kernel_flow_free(&flow);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    text_free(&ptx);
    return status;
}

static const struct {
    const char *what, *body, *expected;
} structured[] = {
    {"nothing but time", FIRST "add.s32 %r2, %r0, %r1; ret;", "4"},
    {"loads that are waited for together are one access",
     FIRST "ld.global.u32 %r2, [%a0]; ld.global.u32 %r3, [%a0+4]; add.s32 %r4, %r2, %r3; ret;", "6 m"},
    {"a load that needs another is one of its own",
     FIRST "ld.global.u32 %r2, [%a0]; cvt.u64.u32 %a1, %r2; ld.global.u32 %r3, [%a1]; ret;", "6 m m"},
    {"a load behind the use of another is one of its own",
     FIRST "ld.global.u32 %r2, [%a0]; add.s32 %r3, %r2, 1; ld.global.u32 %r4, [%a0+8];\n"
           "add.s32 %r5, %r4, %r3; ret;",
     "7 m m"},
    {"overwriting what is being loaded waits",
     FIRST "ld.global.u32 %r2, [%a0]; mov.u32 %r2, 0;\n"
           "ld.global.u32 %r3, [%a0]; ret;",
     "6 m m"},
    {"a wait for copies waits for all that the stretch has loaded",
     FIRST "cp.async.ca.shared.global [%r0], [%a0], 4; cp.async.commit_group; cp.async.wait_group 0;\n"
           "ld.global.u32 %r2, [%a0]; ret;",
     "7 m m"},
    {"a fence waits for what was loaded",
     FIRST "ld.global.u32 %r2, [%a0]; membar.gl; ld.global.u32 %r3, [%a0]; ret;", "6 m m"},
    {"what follows an acquire waits for it",
     FIRST "ld.acquire.gpu.global.u32 %r2, [%a0]; ld.global.u32 %r3, [%a0]; ret;", "5 m m"},
    {"parameters and constants are at hand, stores are accesses of their own",
     FIRST "st.global.u32 [%a0], %r1; st.shared.u32 [%r0], %r1; ret;", "5 w w"},
    {"a barrier ends the stretch, and what is being loaded is taken to arrive before it",
     FIRST "ld.global.u32 %r2, [%a0]; bar.sync 0; add.s32 %r3, %r2, 1; ret;", "4 m | 1"},
    {"counted barriers of the whole block are barriers", FIRST "bar.sync 1, 32; ret;", "3 |"},
    {"a uniform branch of time is the larger side",
     FIRST "setp.eq.u32 %p1, %r1, 0; @%p1 bra A; mov.u32 %r2, 0; mov.u32 %r3, 0; bra B;\n"
           "A: mov.u32 %r2, 1; B: ret;",
     "8"},
    {"a divergent branch of time is both sides",
     FIRST "setp.eq.u32 %p1, %r0, 0; @%p1 bra A; mov.u32 %r2, 0; mov.u32 %r3, 0; bra B;\n"
           "A: mov.u32 %r2, 1; B: ret;",
     "9/3"},
    {"branches nest",
     FIRST "setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r1, 0; @%p1 bra C;\n"
           "@%p2 bra B; mov.u32 %r2, 0; B: mov.u32 %r3, 0; C: ret;",
     "9/3"},
    {"a uniform branch around an access",
     FIRST "setp.eq.u32 %p1, %r1, 0; @%p1 bra A;\n"
           "ld.global.u32 %r2, [%a0]; A: ret;",
     "5 {; 1 m}"},
    {"a divergent branch around accesses",
     FIRST "setp.eq.u32 %p1, %r0, 0; @%p1 bra A;\n"
           "ld.global.u32 %r2, [%a0]; bra B; A: mov.u32 %r2, 0; B: ret;",
     "5 <1; 2 m>"},
    {"a loop tested at its start",
     FIRST "L: setp.ge.s32 %p1, %r0, %r1; @%p1 bra E; add.s32 %r0, %r0, 1; bra L;\n"
           "E: ret;",
     "3 L0(2: 2)"},
    {"a loop tested at its end", FIRST "L: add.s32 %r0, %r0, 1; setp.lt.s32 %p1, %r0, %r1; @%p1 bra L; ret;",
     "3 L0(3)"},
    {"a loop tested in its middle",
     FIRST "L: add.s32 %r0, %r0, 1; setp.ge.s32 %p1, %r0, %r1; @%p1 bra E; bar.sync 0; bra L; E: ret;",
     "3 L0(3: | 1)"},
    {"loops nest, and are numbered from inside",
     FIRST "L: mov.u32 %r2, 0; M: add.s32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, 4; @%p2 bra M;\n"
           "add.s32 %r0, %r0, 1; setp.lt.s32 %p1, %r0, %r1; @%p1 bra L; ret;",
     "3 L1(1 L0(3) 3)"},
    {"a loop in a side of a branch, which goes on with the next iteration",
     FIRST "L: setp.ge.s32 %p1, %r0, %r1; @%p1 bra E; add.s32 %r0, %r0, 1;\n"
           "setp.eq.s32 %p2, %r0, 3; @%p2 bra L; ld.global.u32 %r2, [%a0]; bra L; E: ret;",
     "3 L0(2: 3 <; 2 m>)"},
    {"a branch around a loop with a barrier",
     FIRST "setp.eq.u32 %p1, %r1, 0; @%p1 bra E; L: bar.sync 0; add.s32 %r0, %r0, 1;\n"
           "setp.lt.s32 %p2, %r0, %r1; @%p2 bra L; E: ret;",
     "5 {; L0(| 3)}"},
    {"an early return",
     FIRST "setp.eq.u32 %p1, %r1, 0; @%p1 bra A; bra B; A: ret;\n"
           "B: ld.global.u32 %r2, [%a0]; ret;",
     "5 {; 2 m}"},
    {"a guarded return", FIRST "setp.eq.u32 %p1, %r1, 0; @%p1 ret; ld.global.u32 %r2, [%a0]; ret;",
     "4 {; 1 m}"},
};

static void structured_code_becomes_nodes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof structured / sizeof *structured; i++) {
        struct text out = {0}, messages = {0};
        if (build(structured[i].body, &out, &messages) != WB_OK)
            fail_msg("%s: %s", structured[i].what, messages.data);
        if (strcmp(out.data, structured[i].expected) != 0)
            fail_msg("%s: %s, expected %s", structured[i].what, out.data, structured[i].expected);
        text_free(&out);
        text_free(&messages);
    }
}

static const struct {
    const char *what, *body, *message;
} declined[] = {
    {"a loop left at two places",
     FIRST "L: add.s32 %r0, %r0, 1; setp.eq.s32 %p1, %r0, 7; @%p1 bra E; setp.lt.s32 %p2, %r0, %r1;\n"
           "@%p2 bra L; E: ret;",
     "k.ptx:8:55: error: this loop has several exits, or none"},
    {"a loop that is never left", FIRST "L: add.s32 %r0, %r0, 1; bra L;", "or none"},
    {"a cycle with two entries",
     FIRST "setp.eq.u32 %p1, %r1, 0; @%p1 bra B; A: add.s32 %r0, %r0, 1; B: add.s32 %r0, %r0, 2;\n"
           "setp.lt.s32 %p2, %r0, %r1; @%p2 bra A; ret;",
     "is not structured"},
    {"a side that jumps into the other",
     FIRST "setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r0, 0; @%p1 bra A; mov.u32 %r2, 0; @%p2 bra C;\n"
           "mov.u32 %r2, 1; bra D; A: mov.u32 %r2, 2; C: mov.u32 %r2, 3; D: ret;",
     "is not structured"},
    {"a trap", FIRST "setp.eq.u32 %p1, %r1, 0; @%p1 bra A; ret; A: trap;", "is not structured"},
    {"barriers on both sides",
     FIRST "setp.eq.u32 %p1, %r1, 0; @%p1 bra A; bar.sync 0; bra B; A: bar.sync 1; B: ret;",
     "both sides of this branch have barriers"},
    {"a barrier of part of the block", FIRST "bar.sync 0, 16; ret;", "does not join all threads"},
    {"a barrier with a guard", FIRST "setp.eq.u32 %p1, %r1, 0; @%p1 bar.sync 0; ret;", "has a guard"},
    {"an arrival", FIRST "bar.arrive 0, 32; ret;", "does not join all threads"},
};

static void other_code_is_declined(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof declined / sizeof *declined; i++) {
        struct text out = {0}, messages = {0};
        wb_status status = build(declined[i].body, &out, &messages);
        if (status != WB_ERR_DECLINED || strstr(messages.data, declined[i].message) == NULL)
            fail_msg("%s: status %d, %s%s", declined[i].what, status, messages.data,
                     out.data == NULL ? "" : out.data);
        text_free(&out);
        text_free(&messages);
    }
}

/* ---- From paths -------------------------------------------------------------------------------------------
 */

#define ROWS_OF_TID                                                                                          \
    FIRST "L: setp.gt.s32 %p1, %r5, %r0; @%p1 bra E; add.s32 %r5, %r5, 1; bra L; E: ret;" /* tid + 1 times   \
                                                                                           */

static const struct {
    const char *what, *body;
    bool covering;        /* taken for a covering block */
    const char *expected; /* iterations of the loops of each warp, windows of warp 0 as put_windows has them;
                             or a message */
} traces[] = {
    {"the longest lane counts", "mov.u32 %r5, 0;\n" ROWS_OF_TID, false, "4 8 22/0+0+0"},
    {"a loop tested at its end",
     FIRST "mov.u32 %r5, 0; L: add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, %r1;\n"
           "@%p1 bra L; ret;",
     false, "7 7 25/0+0+0"},
    {"of several entries the longest",
     FIRST
     "mov.u32 %r5, 0; L: mov.u32 %r6, 0; M: add.s32 %r6, %r6, 1; setp.le.s32 %p2, %r6, %r5; @%p2 bra M;\n"
     "add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, %r1; @%p1 bra L; ret;",
     false, "7 7 7 7 179/0+0+0"},
    {"a side that is never taken has loops of no iterations",
     FIRST
     "setp.eq.s32 %p1, %r1, 7; @%p1 bra E; L: add.s32 %r0, %r0, 1; setp.lt.s32 %p2, %r0, 9; @%p2 bra L;\n"
     "E: ret;",
     false, "0 0 5/0+0+0"},
    {"a loop that repeats for long",
     FIRST "mov.u32 %r5, 0; L: and.b32 %r6, %r5, 3; M: add.s32 %r6, %r6, 1; setp.lt.s32 %p2, %r6, 4;\n"
           "@%p2 bra M; add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, 100000; @%p1 bra L; ret;",
     false, "4 100000 4 100000 1600004/0+0+0"},
    {"a barrier in a loop",
     FIRST "mov.u32 %r5, 0; L: setp.gt.s32 %p1, %r5, 1; @%p1 bra E; bar.sync 0;\n"
           "add.s32 %r5, %r5, 1; bra L; E: ret;",
     false, "2 2 6/0+0+0|4/0+0+0|4/0+0+0"},
    {"a branch around a barrier that all take",
     FIRST "setp.ne.s32 %p1, %r1, 7; @%p1 bra E; bar.sync 0; add.s32 %r0, %r0, 1; E: ret;", false,
     " 5/0+0+0|1/0+0+0"},
    {"the same, but known only of covering paths",
     FIRST
     "setp.ne.s32 %p1, %r1, 7; @%p1 bra D; bar.sync 0; bra E; D: mov.u32 %r2, 0; mov.u32 %r3, 0; E: ret;",
     true, " 7/0+0+0|1/0+0+0"},
    {"a branch around a barrier that lanes leave, which then wait",
     FIRST "setp.gt.s32 %p1, %r0, 9; @%p1 bra D; bar.sync 0; bra E; D: mov.u32 %r2, 0; E: ret;", false,
     " 6/0+0+0|1/0+0+0"},
    {"a branch around a barrier that only the second warp takes",
     FIRST "setp.lt.s32 %p1, %r0, 4; @%p1 bra D; bar.sync 0; bra E; D: mov.u32 %r2, 0; E: ret;", false,
     " 6/0+0+0"},
    {"a barrier now and then",
     FIRST "mov.u32 %r5, 0; L: and.b32 %r6, %r5, 1; setp.eq.s32 %p1, %r6, 0; @%p1 bra N; bar.sync 0;\n"
           "N: add.s32 %r5, %r5, 1; setp.lt.s32 %p2, %r5, %r1; @%p2 bra L; ret;",
     false, "a warp takes the side with the barrier only sometimes"},
    {"more and less often",
     FIRST "mov.u32 %r5, 0; L: mov.u32 %r6, 0; M: bar.sync 0; add.s32 %r6, %r6, 1;\n"
           "setp.le.s32 %p2, %r6, %r5; @%p2 bra M; add.s32 %r5, %r5, 1;\n"
           "setp.lt.s32 %p1, %r5, %r1; @%p1 bra L; ret;",
     false, "a varying number of times"},
};

static void put_windows_of(const struct acta_group *cta, struct acta_counting counting, struct text *out);

/* Traces a block of 8 threads in two warps, n being 7; appends what `traces` describes. */
static void put_trace(const char *body, bool covering, struct text *out) {
    struct text ptx = {0};
    text_printf(&ptx, "%s%s}\n", HEAD, body);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_block *block = NULL;
    wb_launch *launch = wb_launch_new();
    const wb_trace_options options = {.size = sizeof options, .warp_width = 4};
    wb_status status = wb_module_parse("k.ptx", ptx.data, strlen(ptx.data), diagnostics, &module);
    if (status == WB_OK) status = wb_launch_set_grid(launch, (const uint32_t[3]){1, 1, 1}, diagnostics);
    if (status == WB_OK) status = wb_launch_set_block(launch, (const uint32_t[3]){8, 1, 1}, diagnostics);
    if (status == WB_OK) status = wb_launch_add_argument(launch, "buf:u32[64]=zero", diagnostics);
    if (status == WB_OK) status = wb_launch_add_argument(launch, "i32:7", diagnostics);
    if (status == WB_OK)
        status = wb_block_trace(wb_module_kernel(module, 0), launch, &options, diagnostics, &block);
    struct acta_group cta = {0};
    if (status == WB_OK) block->covering = covering;
    if (status == WB_OK) status = acta_group_of_block(block, false, diagnostics, &cta);
    for (size_t i = 0; status == WB_OK && i < cta.warp_count * cta.warp.loops.count; i++)
        text_printf(out, "%s%u", i == 0 ? "" : " ", (unsigned)cta.iterations[i]);
    text_char(out, ' ');
    if (status == WB_OK) put_windows_of(&cta, (struct acta_counting){0}, out);
    if (status != WB_OK) text_string(out, wb_diagnostics_text(diagnostics));
    acta_group_free(&cta);
    wb_block_free(block);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    text_free(&ptx);
}

static void counts_come_from_paths(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        struct text out = {0};
        put_trace(traces[i].body, traces[i].covering, &out);
        bool message = strchr(traces[i].expected, '+') == NULL;
        if (message ? strstr(out.data, traces[i].expected) == NULL
                    : strcmp(out.data, traces[i].expected) != 0)
            fail_msg("%s: %s, expected %s", traces[i].what, out.data, traces[i].expected);
        text_free(&out);
    }
}

/* ---- From the notation ------------------------------------------------------------------------------------
 */

static const struct {
    const char *program, *expected; /* expected: as printed, or the message */
    bool wrong;
} notations[] = {
    {"", "", false},
    {"7/1 2", "9/1", false},
    {"7 m w | 3", "7 m w | 3", false},
    {"{4 ; 2}", "4", false},
    {"{4}", "4", false},
    {"<4/1; 2>", "6/4", false},
    {"{4 m} <2 ; w>", "{4 m; } <2; w>", false},
    {"{4 ; 2}@01", "{4; 2}", false},
    {"A(2: B(3 m) |) C(1)", "L1(2: L0(3 m) |) L2(1)", false},
    {"x", "column 1: expected a number, m, w, |, {...}, <...> or LOOP(...)", true},
    {"7 )", "column 3: nothing is open here", true},
    {"7/", "column 3: expected a number of cycles", true},
    {"1000001", "expected a number of cycles from 0 to 1000000", true},
    {"{4", "column 3: expected the end of the branch", true},
    {"{4>", "column 3: expected the end of the branch", true},
    {"{|}", "a branch cannot have barriers", true},
    {"A 4", "column 3: expected '(' after the name of a loop", true},
    {"A(4", "column 4: expected ')' at the end of the loop", true},
    {"A(4) A(5)", "there already is a loop of that name", true},
    {"{4}@", "expected a 0 or 1 for each iteration", true},
};

static void notations_are_read(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof notations / sizeof *notations; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct acta_notation notation;
        struct text out = {0};
        wb_status status = acta_notation_parse(notations[i].program, diagnostics, &notation);
        if (status == WB_OK) acta_text_print(&notation.warp, &out);
        const char *got =
            status == WB_OK ? out.data == NULL ? "" : out.data : wb_diagnostics_text(diagnostics);
        bool right = notations[i].wrong ? status == WB_ERR_INPUT && strstr(got, notations[i].expected) != NULL
                                        : status == WB_OK && strcmp(got, notations[i].expected) == 0;
        if (!right) fail_msg("'%s': %s, expected %s", notations[i].program, got, notations[i].expected);
        acta_notation_free(&notation);
        text_free(&out);
        wb_diagnostics_free(diagnostics);
    }
}

/* ---- Windows ----------------------------------------------------------------------------------------------
 */

/* Appends the windows of warp 0 as "instr/shift+loads+stores", behind each barrier a stroke. */
static void put_windows_of(const struct acta_group *cta, struct acta_counting counting, struct text *out) {
    struct acta_cursor cursor;
    assert_int_equal(acta_cursor_begin(&cursor, cta, 0, counting), WB_OK);
    while (!acta_cursor_ended(&cursor)) {
        struct acta_window window;
        assert_int_equal(acta_cursor_next(&cursor, &window), WB_OK);
        text_printf(out, "%" PRIu64 "/%" PRIu64 "+%" PRIu64 "+%" PRIu64 "%s", window.cost.instr,
                    window.cost.shift, window.cost.loads, window.cost.stores, window.at_barrier ? "|" : "");
    }
    acta_cursor_free(&cursor);
}

/* The same of a warp in the notation. */
static void put_windows(const char *program, const uint64_t *iterations, struct acta_counting counting,
                        struct text *out) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct acta_notation notation;
    assert_int_equal(acta_notation_parse(program, diagnostics, &notation), WB_OK);
    struct acta_group cta = {.warp = notation.warp};
    assert_int_equal(acta_group_allocate(&cta, 1), WB_OK);
    for (size_t l = 0; l < cta.warp.loops.count; l++)
        cta.iterations[l] = iterations[l];
    put_windows_of(&cta, counting, out);
    notation.warp = (struct acta_warp){0};
    acta_group_free(&cta);
    acta_notation_free(&notation);
    wb_diagnostics_free(diagnostics);
}

static const struct {
    const char *program;
    uint64_t iterations[3];
    struct acta_counting counting;
    const char *expected;
} windows[] = {
    {"7", {0}, {false, false}, "7/0+0+0"},
    {"7 | 3", {0}, {false, false}, "7/0+0+0|3/0+0+0"},
    {"{4 m; 5 w}", {0}, {false, false}, "5/0+1+1"},
    {"<4 m; 5 w>", {0}, {false, false}, "9/5+1+1"},
    {"L(2: 3 m)", {5}, {false, false}, "27/0+5+0"},
    {"L(2: 3 m)", {5}, {true, false}, "25/0+5+0"},
    {"L(2: 3 m)", {0}, {false, false}, "2/0+0+0"},
    {"L(2 m)", {5}, {false, false}, "10/0+5+0"},
    {"L(2 m)", {5}, {true, false}, "10/0+5+0"},
    {"L(2: |)", {2}, {false, false}, "2/0+0+0|2/0+0+0|2/0+0+0"},
    {"L(2: |)", {2}, {true, false}, "2/0+0+0|2/0+0+0|0/0+0+0"},
    {"L(| 4)", {2}, {false, false}, "0/0+0+0|4/0+0+0|4/0+0+0"},
    {"A(1 B(2: |) 3)", {1, 2}, {false, false}, "3/0+0+0|8/0+0+0|5/0+0+0"},
    {"L(2: 3/1 {4 m}@01 |)", {3}, {false, true}, "5/1+0+0|9/1+1+0|5/1+0+0|2/0+0+0"},
    {"L(2: 3/1 {4 m}@01 |)", {3}, {false, false}, "9/1+1+0|9/1+1+0|9/1+1+0|2/0+0+0"},
    {"L(2: {4 m; 1}@01)", {3}, {false, true}, "14/0+1+0"},
    {"L({4 m}@01 {2 w}@001)", {7}, {false, true}, "16/0+3+2"},
    /* Not iteration by iteration. */
    {"A({4 m}@01 B({1 w; 2}@011))", {1000000, 1000000}, {false, true}, "1333336000000/0+500000+666666000000"},
};

static void windows_cost_what_is_in_them(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct text out = {0};
        put_windows(windows[i].program, windows[i].iterations, windows[i].counting, &out);
        if (strcmp(out.data, windows[i].expected) != 0)
            fail_msg("case %zu, %s: %s, expected %s", i, windows[i].program, out.data, windows[i].expected);
        text_free(&out);
    }
}

/* Loops of 10^18 iterations saturate and do not wrap round. */
static void counts_saturate(void **state) {
    (void)state;
    const uint64_t iterations[] = {UINT64_MAX, UINT64_MAX};
    struct acta_window window;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct acta_notation notation;
    assert_int_equal(acta_notation_parse("A(B(1000000))", diagnostics, &notation), WB_OK);
    struct acta_group cta = {.warp = notation.warp};
    assert_int_equal(acta_group_allocate(&cta, 1), WB_OK);
    memcpy(cta.iterations, iterations, sizeof iterations);
    struct acta_cursor cursor;
    assert_int_equal(acta_cursor_begin(&cursor, &cta, 0, (struct acta_counting){0}), WB_OK);
    assert_int_equal(acta_cursor_next(&cursor, &window), WB_OK);
    assert_true(window.cost.instr == CYCLES_SATURATED);
    acta_cursor_free(&cursor);
    notation.warp = (struct acta_warp){0};
    acta_group_free(&cta);
    acta_notation_free(&notation);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structured_code_becomes_nodes), cmocka_unit_test(other_code_is_declined),
        cmocka_unit_test(counts_come_from_paths),        cmocka_unit_test(notations_are_read),
        cmocka_unit_test(windows_cost_what_is_in_them),  cmocka_unit_test(counts_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
