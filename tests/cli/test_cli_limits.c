/* The command within its limits: of time and of memory, and when it is interrupted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define ENDLESS "tests/data/limits/endless.ptx -g 1 -b 32 -a 'buf:u32[64]=zero' "
#define NESTED                                                                                               \
    "tests/data/limits/nested.ptx -g 1 -b 32 -a 'buf:u32[4]' -m ampere-sm80 --inputs any "                   \
    "--facts tests/data/limits/nested.facts"
#define NEST "tests/data/limits/nest.ptx -g 2 -b 32 "
#define SPINNING "tests/data/limits/endless.ptx -k spinning -g 1 -b 32 "

static void test_execution_keeps_to_its_memory(void **state) {
    (void)state;
    static const char *const runs[] = {
        "path --accesses -k endless " ENDLESS "--memory-limit 20M",
        "simulate -k endless " ENDLESS "-m kepler-sm35 --memory requests --memory-limit 20M",
        "cache -k endless " ENDLESS "--memory-limit 20480K",
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const struct failure_case failure = {
            runs[i], 4, "the execution exceeds its limit of 20 MB of memory (addresses: "};
        check_failure(&failure);
    }
}

static void test_local_memory_has_a_limit(void **state) {
    (void)state;
    static const struct failure_case failures[] = {
        {"path tests/data/limits/large_local.ptx -k whole -g 1 -b 32", 4,
         "1048576 bytes of local memory a thread, 1048576 of them of function whole: more than the 524288"},
        {"path tests/data/limits/large_local.ptx -k halves -g 1 -b 32", 4,
         "614400 bytes of local memory a thread, 307200 of them of function half: more than the 524288"},
        {"path tests/data/limits/large_local.ptx -k window -g 1 -b 32", 4,
         "window: error: its variables in local memory end with vast of 33554432 bytes, which is too large"},
    };
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

static void test_contents_of_buffers_count(void **state) {
    (void)state;
    static const struct failure_case failure = {
        "path kernels/vecadd.ptx -g 1 -b 32 -a 'buf:f32[1048576]=iota' -a 'buf:f32[4]=zero' -a 'buf:f32[4]' "
        "-a i32:4 --memory-limit 4194303",
        4,
        "argument 1 (buf:f32[1048576]=iota): error: with its contents of 4 MB the execution exceeds its "
        "limit"};
    check_failure(&failure);
}

/* 90 branches inside each other, with 500 live registers. */
static const char nested_branches[] =
    "awk 'BEGIN { print \".version 7.0 .target sm_70 .address_size 64 .visible .entry nested(.param .u64 v) {"
    ".reg .pred %p; .reg .b64 %a; .reg .b32 %r<501>; ld.param.u64 %a, [v]; ld.global.u32 %r500, [%a];\";"
    "for (i = 0; i < 500; i++) print \"mov.u32 %r\" i \", %tid.x;\";"
    "for (i = 0; i < 90; i++) print \"setp.gt.u32 %p, %r500, \" i \"; @%p bra L\" i \";\";"
    "for (i = 90; i-- > 0;) print \"L\" i \": add.u32 %r500, %r500, 1;\";"
    "for (i = 0; i < 500; i++) print \"st.global.u32 [%a], %r\" i \";\"; print \"ret; }\" }'";

/* Those of the frames of a warp, and what is kept of them while one side of a branch after another waits. */
static void test_registers_count(void **state) {
    (void)state;
    static const char *const runs[] = {
        "path tests/data/limits/many_registers.ptx -k many -g 1 -b 256",
        "analyze tests/data/limits/many_registers.ptx -k many -g 1000 -b 1024 -m ecrts2025-orin",
        "simulate tests/data/limits/many_registers.ptx -k many -g 9 -b 1024 -m ecrts2025-orin",
        "cache tests/data/limits/many_registers.ptx -k many -g 9 -b 1024",
        "path tests/data/limits/many_registers.ptx -k recursive -g 1 -b 64",
        "analyze $d/nested.ptx -g 1 -b 32 -a 'buf:u32[1]' --inputs any -m ecrts2025-orin",
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char text[1500];
        (void)snprintf(text, sizeof text,
                       "d=$(mktemp -d); %s > $d/nested.ptx; timeout 20 \"$WB\" %s --memory-limit 40M; s=$?; "
                       "rm -r $d; exit $s",
                       nested_branches, runs[i]);
        struct run run = run_shell(text);
        if (run.status != 4 || strstr(run.err, "registers, of ") == NULL ||
            strstr(run.err, "exceed the limit of 40 MB of memory") == NULL)
            fail_msg("%s: status %d, stderr '%s'", runs[i], run.status, run.err);
        run_free(&run);
    }
}

/* What is very long ends by itself: with what is known of it, and a message that names what would help. */
static void test_long_executions_end(void **state) {
    (void)state;
#define LONG "analyze tests/data/limits/long.ptx -b 32 -m ampere-sm80 -q "
    static const struct {
        const char *command;
        int status;
        const char *found, *said;
    } cases[] = {
        {LONG "-g 1 -k loop", 0, "bounded: in the PTX model, the kernel takes at most 21.00 s", ""},
        {LONG "-g 1 -k loop -i 0 --instruction-limit 1000000", 0,
         "bounded: in the PTX model, block (0,0,0) alone ", "covering paths are bounded"},
        {LONG "-g 2147483647 -k blocks --instruction-limit 100000", 4,
         "bounded: in the PTX model, block (0,0,0) alone ",
         "more than 100000 warp instructions, up to block "},
        {LONG "-g 1 -k nest --instruction-limit 100000", 4, "",
         "nest: error: more than 100000 warp instructions"},
        {LONG "-g 1 -k two_entries -a 'buf:u32[1]' --inputs any --instruction-limit 100000", 4, "",
         "two_entries: error: more than 100000 warp instructions"},
        {LONG "-g 1 -k shifted_out -a 'buf:u8[1]' --inputs any", 3, "",
         "how often this loop runs depends on unknown values"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run = run_command(cases[i].command);
        if (run.status != cases[i].status || strncmp(run.out, cases[i].found, strlen(cases[i].found)) != 0 ||
            (cases[i].found[0] == '\0' && run.out[0] != '\0') || strstr(run.err, cases[i].said) == NULL)
            fail_msg("%s: status %d\n%s%s", cases[i].command, run.status, run.out, run.err);
        run_free(&run);
    }
}

/* Two loops of 2^32 - 1 passes each, by flow facts: their cycles would not fit into 64 bits. Each takes half
 * a minute: `make nightly` has them. */
static void test_paths_that_cannot_be_counted(void **state) {
    (void)state;
    static const struct failure_case failures[] = {
        {"analyze " NESTED, 4, "nested: error: code of 12884901890 instructions is too long to be repeated"},
        {"analyze -i 0 " NESTED, 4, "is too long to be repeated 42949645"},
    };
    if (getenv("WB_ROUNDS") == NULL) skip();
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

static void test_limits_must_be_numbers(void **state) {
    (void)state;
    static const struct failure_case failures[] = {
        {"path " SPINNING "--memory-limit 0", 2, "--memory-limit 0: error: expected a number of bytes"},
        {"path " SPINNING "--memory-limit 5T", 2, "--memory-limit 5T: error: expected a number of bytes"},
        {"path " SPINNING "--memory-limit 99999999999999G", 2,
         "--memory-limit 99999999999999G: error: expected"},
        {"path " SPINNING "--time-limit 0", 2, "--time-limit 0: error: expected a number of seconds"},
        {"path " SPINNING "--time-limit -1", 2, "--time-limit -1: error: expected a number of seconds"},
        {"path " SPINNING "--time-limit 1h", 2, "--time-limit 1h: error: expected a number of seconds"},
    };
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

static void test_time_limit_ends_every_command(void **state) {
    (void)state;
    static const char *const commands[] = {"path", "simulate", "cache", "analyze -i 0,0,0"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char text[300];
        (void)snprintf(text, sizeof text, "timeout -s KILL 3 \"$WB\" %s " SPINNING "--time-limit 0.1",
                       commands[i]);
        struct run run = run_shell(text);
        if (run.status != 4 || strstr(run.err, "the time limit is reached (--time-limit)") == NULL)
            fail_msg("%s: status %d, stderr '%s'", text, run.status, run.err);
        run_free(&run);
    }
}

/* The cause alone is said, not each thing that it ended. */
static void test_time_limit_is_one_message(void **state) {
    (void)state;
    struct run run = run_command("analyze kernels/sgemm_naive.yaml --time-limit 0.05");
    if (strcmp(run.err, "warpbound: error: the time limit is reached (--time-limit)\n") != 0)
        fail_msg("status %d, stderr '%s'", run.status, run.err);
    assert_int_equal(run.status, 4);
    run_free(&run);
}

/* The same size in all ways to write it. */
static void test_sizes(void **state) {
    (void)state;
    struct run run =
        run_shell("for s in 4096 4K 4k 4KB 4KiB 4096B 0x1000; do \"$WB\" occupancy kernels/vecadd.ptx -b 64 "
                  "-m jcse2017 --shared $s | grep 'shared memory'; done | sort -u | wc -l; sed "
                  "'s/^arg/shared: 4K\\narg/' kernels/vecadd.yaml > /tmp/wb_size.$$.yaml; \"$WB\" occupancy "
                  "kernels/vecadd.ptx -l /tmp/wb_size.$$.yaml | grep -c ' 4096 bytes of shared'; rm "
                  "/tmp/wb_size.$$.yaml; \"$WB\" path kernels/vecadd.yaml --memory-limit 1GB > /dev/null");
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, "2\n1\n"); /* of the heading, and of the table */
    assert_int_equal(run.status, 0);
    run_free(&run);
}

/* Signals end a run that executes, with status 4 and a message. One that is ignored stays so. */
static void test_signals_end_a_run(void **state) {
    (void)state;
    static const char *const signals[] = {"INT", "TERM", "HUP"};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        char text[300];
        (void)snprintf(text, sizeof text,
                       "timeout --preserve-status -k 3 -s %s 0.2 \"$WB\" simulate " SPINNING, signals[i]);
        struct run run = run_shell(text);
        if (run.status != 4 || strstr(run.err, "interrupted") == NULL)
            fail_msg("%s: status %d, stderr '%s'", text, run.status, run.err);
        run_free(&run);
    }
}

/* Where nothing asks whether to go on, as while a pipe is read into which nobody writes, the run is ended,
 * too. */
static void test_signal_ends_what_waits(void **state) {
    (void)state;
    struct run run =
        run_shell("d=$(mktemp -d); mkfifo $d/f; sleep 3 > $d/f & "
                  "timeout --preserve-status -k 3 -s TERM 0.2 \"$WB\" print $d/f; s=$?; kill $!; "
                  "rm -r $d; exit $s");
    assert_int_equal(run.status, 4);
    assert_non_null(strstr(run.err, "interrupted"));
    run_free(&run);
}

/* Loops of 10^15 passes in all are bounded in a moment; who follows each of them declines. */
static void test_loops_in_loops(void **state) {
    (void)state;
    static const struct {
        const char *command;
        uint64_t cycles;
    } bounds[] = {
        {"analyze " NEST "-m ecrts2025-orin --json", 14000190001500005},
        {"analyze " NEST "-i 0 -m ecrts2025-orin --json", 14000190001500005},
        {"analyze " NEST "-m jcse2017 --json", 11000160001200006},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        json_t *root = run_json(bounds[i].command, 0);
        assert_int_equal(number(json_object_get(root, "verdict"), "bound"), bounds[i].cycles);
        json_decref(root);
    }
    static const struct failure_case failures[] = {
        {"analyze " NEST "-m jcse2017 --scheme pure-rr --method turn-chain", 3,
         "turn-chain: error: warps execute too many instructions to follow each"},
        {"simulate " NEST "-m ecrts2025-orin --instruction-limit 100000", 4, "more than 100000 warp instr"},
        {"simulate " NEST "-m jcse2017 --instruction-limit 100000", 4, "more than 100000 warp instr"},
        {"simulate " NEST "-i 0 -m ecrts2025-orin --instruction-limit 100000", 4, "more than 100000 warp"},
        {"cache " NEST "-m jcse2017 --instruction-limit 100000", 4, "more than 100000 warp instructions"},
    };
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
    struct run run = run_command("analyze " NEST "-m ecrts2025-orin --certificate /dev/null");
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.err, "no bound is claimed: loops around loops have too many passes"));
    run_free(&run);
}

/* Loops within each other whose registers wait for each other: the bound that a walk of each pass gives. */
static void test_chains_through_loops(void **state) {
    (void)state;
    struct run run = run_shell(
        "f=$(mktemp --suffix .ptx); sed 's/%p2 bra C;/&  mad.lo.u32 %r4, %r2, %r4, %r5;/; s/^C: /& "
        "mul.lo.u32 "
        "%r5, %r4, %r0; mad.lo.u32 %r4, %r2, %r4, %r5;/; s/%r<3>/%r<6>/; s/100000/70/' "
        "tests/data/limits/nest.ptx > $f; \"$WB\" analyze $f -g 2 -b 32 -m jcse2017; s=$?; rm $f; exit $s");
    assert_int_equal(run.status, 0);
    assert_true(says(run.out, "  bound     6924550 cycles, proven by segment-sum"));
    run_free(&run);
}

/* What passes that were skipped would have computed decides the rest: they are executed. */
static void test_forgotten_values(void **state) {
    (void)state;
    struct run run = run_command("analyze tests/data/limits/forgotten.ptx -g 2 -b 32 -i 0 -m ecrts2025-orin");
    assert_int_equal(run.status, 0);
    assert_true(says(run.out, "1 distinct path, 500004"));
    run_free(&run);
}

/* However a run ends while it writes, no temporary file stays. */
static void test_no_temporary_file_stays(void **state) {
    (void)state;
    struct run run = run_shell(
        "d=$(mktemp -d); echo old > $d/out; for s in TERM INT HUP KILL; do "
        "timeout -s $s 0.2 \"$WB\" path kernels/histogram.ptx -l kernels/histogram.yaml -g 30000 --format "
        "jcse-json -o $d/out >/dev/null 2>&1; done; ls $d; rm -r $d");
    assert_string_equal(run.out, "out\n");
    run_free(&run);
}

/* A barrier behind loops whose passes are not executed: nothing walks through all of them. */
static void test_barrier_behind_a_nest(void **state) {
    (void)state;
    struct run run = run_shell("f=$(mktemp --suffix .ptx); sed 's/    ret;/bar.sync 0; ret;/' "
                               "tests/data/limits/nest.ptx > $f; timeout 20 \"$WB\" analyze $f -g 2 -b 32 -m "
                               "ecrts2025-orin; s=$?; rm $f; exit $s");
    assert_int_equal(run.status, 0);
    assert_true(says(run.out, "  bound     14000190001500006 cycles, proven"));
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barrier_behind_a_nest),
        cmocka_unit_test(test_execution_keeps_to_its_memory),
        cmocka_unit_test(test_local_memory_has_a_limit),
        cmocka_unit_test(test_contents_of_buffers_count),
        cmocka_unit_test(test_registers_count),
        cmocka_unit_test(test_long_executions_end),
        cmocka_unit_test(test_paths_that_cannot_be_counted),
        cmocka_unit_test(test_limits_must_be_numbers),
        cmocka_unit_test(test_time_limit_ends_every_command),
        cmocka_unit_test(test_time_limit_is_one_message),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_loops_in_loops),
        cmocka_unit_test(test_chains_through_loops),
        cmocka_unit_test(test_forgotten_values),
        cmocka_unit_test(test_signals_end_a_run),
        cmocka_unit_test(test_signal_ends_what_waits),
        cmocka_unit_test(test_no_temporary_file_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
