/* What is declined or assumed, as a user meets it: every row of the opcode table whose waiting is so is
 * refused by its name, or its assumption is printed, and likewise what else an execution takes for granted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/form.h"
#include "run_cli.h"

static const struct {
    const char *name;
    enum ptx_wait wait;
} rows[] = {
#define OPCODE(enumerator, name, roles, modifiers, exec, class_int, class_f16, class_f32, class_f64, wait)   \
    {name, PTX_WAIT_##wait},
#define VARIANT(enumerator, name, roles, modifiers, class, wait) {name, PTX_WAIT_##wait},
#include "ptx/opcode_table.h"
#undef OPCODE
#undef VARIANT
};

/* An instruction of each row that is declined or assumed. */
static const struct {
    const char *name, *opcode, *operands;
} cases[] = {
    {"bar.arrive", "bar.arrive", "1, 64"},
    {"bar.cta.arrive", "bar.cta.arrive", "1, 64"},
    {"barrier.arrive", "barrier.arrive", "1, 64"},
    {"barrier.cta.arrive", "barrier.cta.arrive", "1, 64"},
    {"barrier.cluster.arrive", "barrier.cluster.arrive.release.aligned", ""},
    {"barrier.cluster.wait", "barrier.cluster.wait.acquire", ""},
    {"mbarrier.test_wait", "mbarrier.test_wait.parity.shared.b64", "%p, [%r1], 0"},
    {"mbarrier.try_wait", "mbarrier.try_wait.parity.shared.b64", "%p, [%r1], 0"},
    {"clusterlaunchcontrol.try_cancel",
     "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128", "[%r1], [%r1]"},
    {"wgmma.fence", "wgmma.fence.sync.aligned", ""},
    {"wgmma.wait_group", "wgmma.wait_group.sync.aligned", "0"},
    {"tcgen05.wait::ld", "tcgen05.wait::ld.sync.aligned", ""},
    {"tcgen05.wait::st", "tcgen05.wait::st.sync.aligned", ""},
    {"tcgen05.fence::before_thread_sync", "tcgen05.fence::before_thread_sync", ""},
    {"tcgen05.fence::after_thread_sync", "tcgen05.fence::after_thread_sync", ""},
    {"tcgen05.alloc", "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32", "[%r1], 64"},
    {"setmaxnreg.inc", "setmaxnreg.inc.sync.aligned.u32", "40"},
    {"brkpt", "brkpt", ""},
    {"elect", "elect.sync", "%r2|%p, 0xffffffff"},
    {"shfl", "shfl.idx.b32", "%r2, %r0, 0, 31"},
    {"vote", "vote.all.pred", "%p, %p"},
    {"activemask", "activemask.b32", "%r2"},
    {"griddepcontrol.wait", "griddepcontrol.wait", ""},
    {"multimem.ld_reduce", "multimem.ld_reduce.relaxed.sys.global.add.u32", "%r2, [%x]"},
    {"multimem.st", "multimem.st.relaxed.sys.global.u32", "[%x], %r0"},
    {"multimem.red", "multimem.red.relaxed.sys.global.add.u32", "[%x], %r0"},
};

#define CASES (sizeof cases / sizeof *cases)

/* Runs `warpbound COMMAND` on a kernel with one instruction in two warps. */
static struct run run_instruction(const char *command, const char *opcode, const char *operands) {
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "\"$WB\" %s /dev/stdin -g 1 -b 64 -a 'buf:u32[64]' <<'END'\n"
                   ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 data) {\n"
                   ".reg .pred %%p;\n.reg .b32 %%r<4>;\n.reg .b64 %%x;\n.shared .align 16 .b8 s[64];\n"
                   "ld.param.u64 %%x, [data];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, s;\n"
                   "setp.eq.u32 %%p, %%r0, 64;\n%s %s;\nret;\n}\nEND\n",
                   command, opcode, operands);
    return run_shell(text);
}

static void expect_declined(const char *command, size_t number, enum ptx_wait wait) {
    struct run run = run_instruction(command, cases[number].opcode, cases[number].operands);
    char message[512];
    (void)snprintf(message, sizeof message, "error: '%s' %s", cases[number].opcode, ptx_wait_text(wait));
    if (run.status != 3 || strstr(run.err, message) == NULL)
        fail_msg("%s, %s: status %d\n%s", command, cases[number].opcode, run.status, run.err);
    assert_string_equal(run.out, "");
    run_free(&run);
}

static void expect_assumed(const char *command, size_t number, enum ptx_wait wait) {
    struct run run = run_instruction(command, cases[number].opcode, cases[number].operands);
    if (run.status != 0 || !says(run.out, ptx_wait_text(wait)))
        fail_msg("%s, %s: status %d\n%s%s", command, cases[number].opcode, run.status, run.err, run.out);
    run_free(&run);
}

static void expect_answer(size_t number, enum ptx_wait wait) {
    if (ptx_wait_answer(wait) == PTX_DECLINED) {
        expect_declined("analyze -m hopper-sm90", number, wait);
        expect_declined("simulate -m hopper-sm90", number, wait);
        return;
    }
    expect_assumed("analyze -m hopper-sm90 --memory ideal --method sib,k-area", number, wait);
    expect_assumed("simulate -m hopper-sm90 --memory ideal --policy lrr", number, wait);
    expect_assumed("analyze -m hopper-sm90 --memory ideal --method elb,k-sm --json", number, wait);
    expect_assumed("simulate -m hopper-sm90 --memory ideal --policy gto --json", number, wait);
}

static void rows_are_declined_or_assumed_by_name(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const enum ptx_answer answer = ptx_wait_answer(rows[i].wait);
        if (answer != PTX_DECLINED && answer != PTX_ASSUMED) continue;
        if (rows[i].wait == PTX_WAIT_ABORT) continue; /* ends with an error where it is certain */
        size_t number = 0;
        while (number < CASES && strcmp(cases[number].name, rows[i].name) != 0)
            number++;
        if (number == CASES) fail_msg("%s has no instruction here", rows[i].name);
        expect_answer(number, rows[i].wait);
    }
}

/* Sleeps and traps stand where data decide. */
static void analyze_body(const char *options, const char *body, struct run *run) {
    char text[2048];
    (void)snprintf(
        text, sizeof text,
        "\"$WB\" analyze /dev/stdin -g 1 -b 32 -a 'buf:u32[64]' -m ecrts2025-orin %s --json <<'END'\n"
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 data) {\n"
        ".reg .pred %%p;\n.reg .b32 %%r<4>;\n.reg .b64 %%x;\nld.param.u64 %%x, [data];\n"
        "ld.global.u32 %%r0, [%%x];\nsetp.eq.u32 %%p, %%r0, 7;\n@%%p add.u32 %%r0, %%r0, "
        "1;\n%s\nst.global.u32 [%%x], %%r0;\nret;\n}\nEND\n",
        options, body);
    *run = run_shell(text);
}

/* The cycles of SIB of the block. */
static json_int_t sib_of(const char *options, const char *body) {
    struct run run;
    analyze_body(options, body, &run);
    if (run.status != 0) fail_msg("%s\n%s", body, run.err);
    json_t *root = json_loads(run.out, 0, NULL);
    assert_non_null(root);
    const json_int_t cycles = number(entry(root, "bounds", "method", "sib"), "cycles");
    json_decref(root);
    run_free(&run);
    return cycles;
}

/* The warp waits for its load, of 200 cycles, and then sleeps. */
static void expect_sleep(const char *options, const char *body, json_int_t sleep) {
    const json_int_t cycles = sib_of(options, body);
    if (cycles < 200 + sleep || cycles > 240 + sleep)
        fail_msg("%s: %lld cycles, not %lld", body, (long long)cycles, (long long)(200 + sleep));
}

/* At 930 MHz a microsecond is 930 cycles; PTX lets a sleep take twice its argument. */
static void sleeps_take_their_time(void **state) {
    (void)state;
    expect_sleep("", "nanosleep.u32 1000;", 1860);
    expect_sleep("", "nanosleep.u32 1000;\nnanosleep.u32 500;", 2790);
    expect_sleep("", "mov.u32 %r1, 1000;\nnanosleep.u32 %r1;", 1860);
    /* Lanes sleep for other times; the longest argument of the kernel counts. */
    expect_sleep("", "mov.u32 %r1, %tid.x;\nnanosleep.u32 %r1;", 58);
    /* The longest sleep: not known, or more. */
    expect_sleep("", "nanosleep.u32 %r0;", 1860000);
    expect_sleep("--inputs any", "nanosleep.u32 %r0;", 1860000);
    expect_sleep("", "nanosleep.u32 0xffffffff;", 1860000);
    expect_sleep("", "setp.eq.u32 %p, %r0, 7;\n@%p nanosleep.u32 1000;", 1860);
    expect_sleep("--inputs any", "setp.eq.u32 %p, %r0, 7;\nmov.u32 %r1, 1000;\n@%p nanosleep.u32 %r1;", 1860);
}

/* A trap that data may lead to is taken to be the end. */
static void traps_end_a_kernel(void **state) {
    (void)state;
    struct run run;
    analyze_body("--method sib", "setp.ne.u32 %p, %r0, 7;\n@%p bra ON;\ntrap;\nON:", &run);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, ptx_wait_text(PTX_WAIT_ABORT)));
    run_free(&run);
    analyze_body("--method sib", "trap;", &run);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "executes 'trap'"));
    run_free(&run);
}

/* Blocks of a cluster start together: a kernel of them is declined, one block is not. */
static void clusters_are_declined(void **state) {
    (void)state;
    static const struct {
        const char *command;
        int status;
    } runs[] = {{"analyze -g 4 -m ecrts2025-orin --method k-sm", 3},
                {"analyze -g 4 -m ecrts2025-orin --method k-sm --inputs any", 3},
                {"simulate -g 4 -m jcse2017 --scheme default", 3},
                {"analyze -g 4 -m ecrts2025-orin --method sib", 0},
                {"analyze -g 1 -m ecrts2025-orin --method k-sm", 0}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "\"$WB\" %s /dev/stdin -b 32 -a 'buf:u32[64]' <<'END'\n"
                       ".version 8.0\n.target sm_90\n.address_size 64\n"
                       ".visible .entry k(.param .u64 data) .reqnctapercluster 2, 1, 1 {\n"
                       ".reg .b64 %%x;\nld.param.u64 %%x, [data];\nst.global.u32 [%%x], 1;\nret;\n}\nEND\n",
                       runs[i].command);
        struct run run = run_shell(text);
        if (run.status != runs[i].status) fail_msg("%s: %d\n%s", runs[i].command, run.status, run.err);
        assert_int_equal(strstr(run.err, "its blocks start in clusters") != NULL, runs[i].status == 3);
        run_free(&run);
    }
}

/* Which of several lanes stays in memory is not defined. With the given data the highest is taken, which
 * every number says; whatever the data is, a loop that depends on it has no bound. */
static void the_last_lane_is_assumed_or_unknown(void **state) {
    (void)state;
    static const char body[] = "mov.u32 %r1, %tid.x;\nst.global.u32 [%x], %r1;\nld.global.u32 %r1, [%x];\n"
                               "L: sub.u32 %r1, %r1, 1;\nsetp.gt.s32 %p, %r1, 0;\n@%p bra L;";
    static const char assumption[] = "of lanes of a warp that store to one place";
    struct run run;
    analyze_body("--method sib,k-sm", body, &run);
    assert_int_equal(run.status, 0);
    json_t *root = json_loads(run.out, 0, NULL);
    static const char *const lists[] = {"bounds", "simulations"};
    for (size_t l = 0; l < 2; l++) {
        json_t *numbers = json_object_get(root, lists[l]), *item;
        size_t index;
        assert_true(json_array_size(numbers) > 0);
        json_array_foreach(numbers, index, item) {
            char *text = json_dumps(json_object_get(item, "assumptions"), 0);
            assert_non_null(strstr(text, assumption));
            free(text);
        }
    }
    json_decref(root);
    run_free(&run);
    analyze_body("--method sib --inputs any", body, &run);
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.err, "how often this loop runs depends on values that are not known"));
    run_free(&run);
}

/* The model that follows GPGPU-Sim waits for fences, and for nothing else of the kind. */
static void gpgpusim_declines_what_it_does_not_wait_for(void **state) {
    (void)state;
    static const char *const opcodes[] = {"nanosleep.u32", "st.release.gpu.global.u32"};
    static const char *const operands[] = {"100", "[%x], %r0"};
    for (size_t i = 0; i < 2; i++) {
        struct run run = run_instruction("simulate -m gpgpusim-orin", opcodes[i], operands[i]);
        assert_int_equal(run.status, 3);
        assert_non_null(strstr(run.err, "the model gpgpusim does not wait as '"));
        assert_non_null(strstr(run.err, opcodes[i]));
        run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_declined_or_assumed_by_name),
        cmocka_unit_test(sleeps_take_their_time),
        cmocka_unit_test(traps_end_a_kernel),
        cmocka_unit_test(clusters_are_declined),
        cmocka_unit_test(the_last_lane_is_assumed_or_unknown),
        cmocka_unit_test(gpgpusim_declines_what_it_does_not_wait_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
