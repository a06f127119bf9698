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

#include "ptx/opcode.h"
#include "run_cli.h"

static const struct {
    const char *name, *roles;
    enum ptx_wait wait;
} rows[] = {
#define OPCODE(enumerator, name, roles, modifiers, exec, class_int, class_f16, class_f32, class_f64, wait)   \
    {name, roles, PTX_WAIT_##wait},
#define VARIANT(enumerator, name, roles, modifiers, class, wait) {name, roles, PTX_WAIT_##wait},
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
    expect_assumed("analyze -m hopper-sm90 --memory ideal --method sib,k-area --all", number, wait);
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

/* A barrier whose threads a register counts is one of the block if these are all of its threads. */
static void registers_count_threads(void **state) {
    (void)state;
    const json_int_t whole = sib_of("", "mov.u32 %r1, %ntid.x;\nbar.sync 1;");
    /* It waits for the register. */
    assert_in_range(sib_of("", "mov.u32 %r1, %ntid.x;\nbar.sync 1, %r1;"), whole, whole + 8);
    assert_in_range(sib_of("--inputs any", "mov.u32 %r1, 32;\nbar.sync 1, %r1;"), whole, whole + 8);
    struct run run;
    analyze_body("-b 64 --method sib", "mov.u32 %r1, 32;\nbar.sync 1, %r1;", &run);
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.err, "this barrier does not join all threads of the block"));
    run_free(&run);
    analyze_body("--inputs any --method sib", "bar.sync 1, %r0;", &run);
    assert_int_equal(run.status, 3);
    run_free(&run);
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
    static const char assumption[] = "if lanes of a warp store to the same place";
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
    assert_non_null(strstr(run.err, "how often this loop runs depends on unknown values"));
    run_free(&run);
}

#ifdef WB_WING_GPGPUSIM
/* The model that follows GPGPU-Sim waits for fences, and for nothing else of the kind. */
static void gpgpusim_declines_what_it_does_not_wait_for(void **state) {
    (void)state;
    static const char *const opcodes[] = {"nanosleep.u32", "st.release.gpu.global.u32"};
    static const char *const operands[] = {"100", "[%x], %r0"};
    for (size_t i = 0; i < 2; i++) {
        struct run run = run_instruction("simulate -m gpgpusim-orin", opcodes[i], operands[i]);
        assert_int_equal(run.status, 3);
        assert_non_null(strstr(run.err, "the model gpgpusim does not support the wait of '"));
        assert_non_null(strstr(run.err, opcodes[i]));
        run_free(&run);
    }
}
#endif

/* ---- Requests ------------------------------------------------------------------------------------------ */

/* An instruction of each row of the opcode table that has an address. */
static const struct {
    const char *name, *opcode, *operands;
} with_address[] = {
    {"createpolicy.range", "createpolicy.range.global.L2::evict_last.b64", "%x, [%x], 64, 64"},
    {"ld", "ld.global.u32", "%r2, [%x]"},
    {"st", "st.global.u32", "[%x], %r0"},
    {"atom", "atom.global.add.u32", "%r2, [%x], 1"},
    {"red", "red.global.add.u32", "[%x], 1"},
    {"ldu", "ldu.global.u32", "%r2, [%x]"},
    {"prefetch", "prefetch.global.L1", "[%x]"},
    {"prefetchu", "prefetchu.L1", "[%x]"},
    {"applypriority", "applypriority.global.L2::evict_normal", "[%x], 128"},
    {"discard", "discard.global.L2", "[%x], 128"},
    {"st.async", "st.async.mmio.release.sys.global.u32", "[%x], %r0, [%r1]"},
    {"st.bulk", "st.bulk.weak.shared::cta", "[%r1], 64, 0"},
    {"red.async", "red.async.mmio.release.sys.global.add.u32", "[%x], %r0, [%r1]"},
    {"multimem.ld_reduce", "multimem.ld_reduce.relaxed.sys.global.add.u32", "%r2, [%x]"},
    {"multimem.st", "multimem.st.relaxed.sys.global.u32", "[%x], %r0"},
    {"multimem.red", "multimem.red.relaxed.sys.global.add.u32", "[%x], %r0"},
    {"cp.async", "cp.async.ca.shared.global", "[%r1], [%x], 16"},
    {"cp.async.mbarrier.arrive", "cp.async.mbarrier.arrive.noinc.shared::cta.b64", "[%r1]"},
    {"cp.async.bulk", "cp.async.bulk.global.shared::cta.bulk_group", "[%x], [%r1], 64"},
    {"cp.async.bulk.prefetch", "cp.async.bulk.prefetch.L2.global", "[%x], 64"},
    {"cp.async.bulk.prefetch.tensor", "cp.async.bulk.prefetch.tensor.1d.L2.global.tile", "[%x, {%r0}]"},
    {"cp.async.bulk.tensor", "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group",
     "[%x, {%r0}], [%r1]"},
    {"cp.reduce.async.bulk", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", "[%x], [%r1], 64"},
    {"cp.reduce.async.bulk.tensor", "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group",
     "[%x, {%r0}], [%r1]"},
    {"multimem.cp.async.bulk", "multimem.cp.async.bulk.global.shared::cta.bulk_group", "[%x], [%r1], 64"},
    {"multimem.cp.reduce.async.bulk", "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32",
     "[%x], [%r1], 64"},
    {"tensormap.replace", "tensormap.replace.tile.rank.global.b1024.b32", "[%x], %r0"},
    {"tensormap.cp_fenceproxy",
     "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned",
     "[%x], [%r1], 128"},
    {"mbarrier.init", "mbarrier.init.shared.b64", "[%r1], 1"},
    {"mbarrier.inval", "mbarrier.inval.shared.b64", "[%r1]"},
    {"mbarrier.expect_tx", "mbarrier.expect_tx.relaxed.cta.shared.b64", "[%r1], 16"},
    {"mbarrier.complete_tx", "mbarrier.complete_tx.relaxed.cta.shared.b64", "[%r1], 16"},
    {"mbarrier.arrive", "mbarrier.arrive.shared.b64", "_, [%r1]"},
    {"mbarrier.arrive_drop", "mbarrier.arrive_drop.shared.b64", "_, [%r1]"},
    {"mbarrier.test_wait", "mbarrier.test_wait.parity.shared.b64", "%p, [%r1], 0"},
    {"mbarrier.try_wait", "mbarrier.try_wait.parity.shared.b64", "%p, [%r1], 0"},
    {"clusterlaunchcontrol.try_cancel",
     "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128", "[%r1], [%r1]"},
    {"ldmatrix", "ldmatrix.sync.aligned.m8n8.x1.shared.b16", "{%r2}, [%r1]"},
    {"stmatrix", "stmatrix.sync.aligned.m8n8.x1.shared.b16", "[%r1], {%r2}"},
    {"wmma.load", "wmma.load.a.sync.aligned.row.m16n16k16.global.f16",
     "{%r2, %r2, %r2, %r2, %r2, %r2, %r2, %r2}, [%x]"},
    {"wmma.store", "wmma.store.d.sync.aligned.row.m16n16k16.global.f16", "[%x], {%r0, %r0, %r0, %r0}"},
    {"tcgen05.alloc", "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32", "[%r1], 64"},
    {"tcgen05.ld", "tcgen05.ld.sync.aligned.32x32b.x1.b32", "{%r2}, [%r0]"},
    {"tcgen05.ld.red", "tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32", "{%r2, %r3}, %r3, [%r0]"},
    {"tcgen05.st", "tcgen05.st.sync.aligned.32x32b.x1.b32", "[%r0], {%r2}"},
    {"tcgen05.cp", "tcgen05.cp.cta_group::1.128x256b", "[%r0], %x"},
    {"tcgen05.shift", "tcgen05.shift.cta_group::1.down", "[%r0]"},
    {"tcgen05.mma", "tcgen05.mma.cta_group::1.kind::f16", "[%r0], %x, %x, %r0, %p"},
    {"tcgen05.commit", "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64", "[%x]"},
    {"tex", "tex.1d.v4.u32.s32", "{%r2, %r2, %r2, %r2}, [%x, {%r0}]"},
    {"tld4", "tld4.r.2d.v4.u32.f32", "{%r2, %r2, %r2, %r2}, [%x, {%r0, %r0}]"},
    {"txq", "txq.width.b32", "%r2, [%x]"},
    {"suld", "suld.b.1d.b32.trap", "%r2, [%x, {%r0}]"},
    {"sust", "sust.b.1d.b32.trap", "[%x, {%r0}], %r0"},
    {"sured", "sured.b.add.1d.u32.trap", "[%x, {%r0}], %r0"},
    {"suq", "suq.width.b32", "%r2, [%x]"},
};

#define WITH_ADDRESS (sizeof with_address / sizeof *with_address)

/* A machine with caches, one with a memory that all wait for, and two without either. */
static const char *const machines[] = {"-m jcse2017", "-m hopper-sm90 --memory requests --set service=16",
                                       "-m hopper-sm90", "-m hopper-sm90 --memory ideal"};

/* The largest number of simulated cycles. */
static json_int_t longest_simulated(const json_t *root) {
    json_t *simulation;
    size_t index;
    json_int_t longest = 0;
    json_array_foreach(json_object_get(json_object_get(root, "grid"), "simulations"), index, simulation) {
        const json_int_t cycles = json_integer_value(json_object_get(simulation, "cycles"));
        longest = cycles > longest ? cycles : longest;
    }
    return longest;
}

/* Whether the instruction is bounded on the machine: then it is simulated, too, in no more cycles. */
static bool expect_bound_above_simulations(const char *machine, const char *opcode, const char *operands) {
    char analyze[200], simulate[200];
    (void)snprintf(analyze, sizeof analyze, "analyze --json --registers 16 %s", machine);
    (void)snprintf(simulate, sizeof simulate, "simulate --registers 16 %s", machine);
    struct run bounded = run_instruction(analyze, opcode, operands);
    struct run simulated = run_instruction(simulate, opcode, operands);
    const bool answered = bounded.status == 0;
    if (bounded.status != simulated.status || (bounded.status != 0 && bounded.status != 3))
        fail_msg("%s, %s: analyze ends with %d, simulate with %d\n%s%s", machine, opcode, bounded.status,
                 simulated.status, bounded.err, simulated.err);
    if (answered) {
        json_t *root = json_loads(bounded.out, 0, NULL);
        const json_int_t upper = json_integer_value(json_object_get(root, "best_upper"));
        if (upper < longest_simulated(root)) fail_msg("%s, %s: %s", machine, opcode, bounded.out);
        json_decref(root);
    }
    run_free(&bounded);
    run_free(&simulated);
    return answered;
}

/* Whatever makes requests that `simulate` cannot time, `analyze` does not bound: every row of the table with
 * an address, on machines of each kind. */
static void requests_are_counted_or_declined_by_both(void **state) {
    (void)state;
    size_t bounded[sizeof machines / sizeof *machines] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t number = 0;
        if (strchr(rows[i].roles, 'm') == NULL) continue;
        while (number < WITH_ADDRESS && strcmp(with_address[number].name, rows[i].name) != 0)
            number++;
        if (number == WITH_ADDRESS) fail_msg("%s has no instruction here", rows[i].name);
        for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
            bounded[m] += expect_bound_above_simulations(machines[m], with_address[number].opcode,
                                                         with_address[number].operands);
    }
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
        print_message("%s: %zu of %zu\n", machines[m], bounded[m], WITH_ADDRESS);
    assert_true(bounded[0] > 10 && bounded[0] == bounded[1] && bounded[1] < bounded[2]);
}

/* What the first level does for loads with an operator, an order or a hint: serves them, lets them pass, or
 * what is not modelled. */
enum first_level { SERVES, PASSES, DECLINES };

static const struct {
    const char *opcode;
    enum first_level does;
} operators[] = {
    {"ld.global", SERVES},
    {"ld.weak.global", SERVES},
    {"ld.global.ca", SERVES},
    {"ld.global.nc", SERVES},
    {"ldu.global", SERVES},
    {"ld.relaxed.cta.global", SERVES},
    {"ld.acquire.cta.global", SERVES},
    {"ld.global.L1::evict_normal", SERVES},
    {"ld.global.cg", PASSES},
    {"ld.cg", PASSES},
    {"ld.global.cv", PASSES},
    {"ld.volatile.global", PASSES},
    {"ld.relaxed.cluster.global", PASSES},
    {"ld.relaxed.gpu.global", PASSES},
    {"ld.relaxed.sys.global", PASSES},
    {"ld.acquire.cluster.global", PASSES},
    {"ld.acquire.gpu.global", PASSES},
    {"ld.acquire.sys.global", PASSES},
    {"ld.mmio.relaxed.sys.global", PASSES},
    {"ld.global.L1::no_allocate", PASSES},
    {"ld.global.nc.L1::no_allocate", PASSES},
    {"ld.global.cs", DECLINES},
    {"ld.global.lu", DECLINES},
    {"ld.global.L1::evict_first", DECLINES},
    {"ld.global.L1::evict_last", DECLINES},
    {"ld.global.L1::evict_unchanged", DECLINES},
    {"ld.global.L1::no_allocate.L2::evict_last", DECLINES},
    {"ld.global.L2::evict_first", DECLINES},
    {"ld.global.L2::64B", DECLINES},
    {"ld.global.nc.L2::128B", DECLINES},
    {"ld.global.L2::256B", DECLINES},
};

/* Two warps load one word four times, one load after the other: the first level serves all loads but the
 * first, or none; and what the operator changes, the bound knows. */
static void operators_of_loads_are_obeyed(void **state) {
    (void)state;
    static const json_int_t hits[] = {[SERVES] = 7, [PASSES] = 0};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        char opcode[64], body[1024], next[200];
        (void)snprintf(opcode, sizeof opcode, "%s.u32", operators[i].opcode);
        (void)snprintf(next, sizeof next, "add.u32 %%r3, %%r2, 1;\n%s %%r2, [%%x]", opcode);
        (void)snprintf(body, sizeof body,
                       "%%r2, [%%x];\n%s;\n%s;\n%s;\nadd.u32 %%r3, %%r2, 1;\nst.global.u32 [%%x], %%r3", next,
                       next, next);
        if (expect_bound_above_simulations("-m jcse2017", opcode, body) != (operators[i].does != DECLINES))
            fail_msg("%s", opcode);
        if (operators[i].does == DECLINES) continue;
        struct run run = run_instruction("simulate --json --policy lrr -m jcse2017", opcode, body);
        json_t *root = json_loads(run.out, 0, NULL);
        const json_t *first = json_array_get(json_object_get(root, "simulations"), 0);
        const json_int_t found = json_integer_value(json_object_get(first, "hits"));
        if (first == NULL || found != hits[operators[i].does]) fail_msg("%s: %s", opcode, run.out);
        json_decref(root);
        run_free(&run);
    }
}

/* Stores leave lines as the machine's l1_store says, whatever their operator; copies have one, too. */
static void operators_of_stores_and_copies(void **state) {
    (void)state;
    static const struct {
        const char *opcode, *operands;
        bool bounded;
    } others[] = {
        {"st.global.wb.u32", "[%x], %r0", true},
        {"st.global.cg.u32", "[%x], %r0", true},
        {"st.global.wt.u32", "[%x], %r0", true},
        {"st.volatile.global.u32", "[%x], %r0", true},
        {"st.relaxed.gpu.global.u32", "[%x], %r0", true},
        {"st.release.gpu.global.u32", "[%x], %r0", true},
        {"st.mmio.relaxed.sys.global.u32", "[%x], %r0", true},
        {"st.global.cs.u32", "[%x], %r0", false},
        {"st.global.L1::evict_first.u32", "[%x], %r0", false},
        {"st.global.L2::cache_hint.u32", "[%x], %r0, %x", false},
        {"atom.relaxed.cta.global.add.u32", "%r2, [%x], 1", true},
        {"atom.acquire.gpu.global.add.u32", "%r2, [%x], 1", true},
        {"atom.acq_rel.sys.global.add.u32", "%r2, [%x], 1", true},
        {"red.release.gpu.global.add.u32", "[%x], 1", true},
        {"red.global.add.L2::cache_hint.u32", "[%x], 1, %x", false},
        {"cp.async.ca.shared.global", "[%r1], [%x], 16", true},
        {"cp.async.cg.shared.global", "[%r1], [%x], 16", true},
        {"cp.async.cg.shared.global.L2::128B", "[%r1], [%x], 16", false},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (expect_bound_above_simulations("-m jcse2017", others[i].opcode, others[i].operands) !=
            others[i].bounded)
            fail_msg("%s", others[i].opcode);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_declined_or_assumed_by_name),
        cmocka_unit_test(sleeps_take_their_time),
        cmocka_unit_test(registers_count_threads),
        cmocka_unit_test(traps_end_a_kernel),
        cmocka_unit_test(clusters_are_declined),
        cmocka_unit_test(the_last_lane_is_assumed_or_unknown),
#ifdef WB_WING_GPGPUSIM
        cmocka_unit_test(gpgpusim_declines_what_it_does_not_wait_for),
#endif
        cmocka_unit_test(requests_are_counted_or_declined_by_both),
        cmocka_unit_test(operators_of_loads_are_obeyed),
        cmocka_unit_test(operators_of_stores_and_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
