/* `warpbound analyze --lines` and `--annotate` as a user runs them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define SGEMM "kernels/sgemm_tiled.ptx -l kernels/sgemm_tiled.yaml "
#define REDUCE "kernels/reduce.ptx -l kernels/reduce.yaml "
#define QUICK "--method sib,fib,k-area,k-bal --policy lrr,gto "

static void assert_has(const char *text, const char *part) {
    if (strstr(text, part) == NULL) fail_msg("no '%s' in:\n%s", part, text);
}

/* The rows of a list of "costs" sum up to the number; the simulated cycles to theirs. */
static void check_sum(json_t *costs, const char *list) {
    json_int_t cycles = 0, simulated = 0;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(costs, list), i, row) {
        json_int_t shares = 0;
        const char *key;
        json_t *share;
        json_object_foreach(json_object_get(row, "share"), key, share) shares += json_integer_value(share);
        assert_int_equal(shares, number(row, "cycles"));
        cycles += number(row, "cycles");
        if (json_is_integer(json_object_get(row, "simulated"))) simulated += number(row, "simulated");
    }
    assert_int_equal(cycles, number(costs, "cycles"));
    if (json_is_integer(json_object_get(costs, "simulated")) && simulated != number(costs, "simulated"))
        fail_msg("%lld of %lld simulated cycles", (long long)simulated,
                 (long long)number(costs, "simulated"));
}

static void test_sums(void **state) {
    (void)state;
    static const char *const commands[] = {
        "analyze " SGEMM QUICK "--lines --json",
        "analyze " REDUCE QUICK "--lines --json",
        "analyze " REDUCE QUICK "--lines --json --of gto",
        "analyze " REDUCE QUICK "--lines --json --of fib",
        "analyze " REDUCE QUICK "--lines --json -i 1",
        "analyze " REDUCE "--policy lrr -m jcse2017 --lines --json",
        "analyze " REDUCE "--method k-area,k-adversary --lines --json --of k-adversary",
        "analyze docs/examples/ecrts2025-fig2.yaml --lines --json",
        ("analyze kernels/bfs_level.ptx -l kernels/bfs_level.yaml --facts kernels/bfs_level.facts --method "
         "k-area --lines --json"),
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        print_message("%s\n", commands[i]);
        json_t *root = run_json(commands[i], 0);
        json_t *costs = json_object_get(root, "costs");
        assert_true(json_is_object(costs));
        check_sum(costs, "lines");
        json_decref(root);
    }
}

static void test_table(void **state) {
    (void)state;
    struct run run = run_command("analyze " SGEMM QUICK "--lines 2");
    assert_int_equal(run.status, 0);
    assert_has(run.out, "\nwhere the time goes: upper kernel of the kernel, 34488 cycles (37.08 us)\n");
    assert_has(run.out, "sgemm_tiled.cu:19  for (int i = 0; i < TILE; i++) sum += ");
    assert_has(run.out, "sgemm_tiled.cu:16  tile_a[y][x] = a[row * k + start + x];\n");
    assert_int_equal(count_of(run.out, "sgemm_tiled.cu:"), 2);
    assert_has(run.out, "19 other lines\n");
    assert_has(run.out, "all of them, 21 lines\n");
    const char *lines = strstr(run.out, "where the time goes");
    for (const char *line = lines; line != NULL && *line != '\0';
         line = strchr(line, '\n') == NULL ? NULL : strchr(line, '\n') + 1)
        if (strcspn(line, "\n") > 80) fail_msg("a long line: %.90s", line);
    run_free(&run);
    /* Ten, unless a number stands behind; what follows may be anything else. */
    run = run_command("analyze --lines " REDUCE QUICK);
    assert_has(run.out, "loops, with those inside them\n");
    assert_has(run.out, "reduce.cu:13 $L__BB0_4\n");
    run_free(&run);
}

static void test_code_lines(void **state) {
    (void)state;
    struct run run =
        run_shell("D=$(mktemp -d); trap 'rm -rf $D' EXIT; grep -v '\\.loc' kernels/reduce.ptx >$D/r.ptx; "
                  "$WB analyze $D/r.ptx -l kernels/reduce.yaml " QUICK "--lines 1");
    assert_int_equal(run.status, 0);
    assert_has(run.out, "r.ptx:48  ld.global.f32  %f6, [%rd5];\n");
    run_free(&run);
}

static void test_wrong(void **state) {
    (void)state;
    static const struct failure_case failures[] = {
        {"analyze " SGEMM QUICK "--lines --of nope", 2, "nope: error: no method or policy of this name"},
        {"analyze " SGEMM QUICK "--lines=0", 2, "error: expected a number of lines from 1 on"},
        {"analyze " SGEMM QUICK "--lines=x", 2, "error: expected a number of lines from 1 on"},
        {"analyze " SGEMM QUICK "--of gto", 2, "--of and --source need --lines or --annotate"},
        {"analyze kernels/horner.ptx -l kernels/horner_stream.yaml --lines", 2, "not for a list"},
    };
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

static void test_annotate(void **state) {
    (void)state;
    struct run run = run_command("analyze " SGEMM QUICK "--annotate - -o /dev/null");
    assert_int_equal(run.status, 0);
    assert_has(run.out, "upper kernel of the kernel: 34488 cycles\n");
    assert_has(run.out, "src/sgemm_tiled.cu\n");
    assert_has(run.out,
               " 46.00%        15863        99008     19          for (int i = 0; i < TILE; i++) sum += ");
    assert_has(run.out, "#define TILE 16\n");
    run_free(&run);
}

/* Sources that are not what the PTX was made from: nothing of them can do harm. */
static void test_hostile_sources(void **state) {
    (void)state;
    static const struct {
        const char *make, *shows;
    } cases[] = {
        {"printf 'one\\033[31m\\001\\ntwo\\n' >$D/s/sgemm_tiled.cu", "one?[31m?\n"},
        {"head -c 300000 /dev/urandom >$D/s/sgemm_tiled.cu", " line"},
        {"head -c 3000000 /dev/zero | tr '\\0' x >$D/s/sgemm_tiled.cu", "xxx...\n"},
        {": >$D/s/sgemm_tiled.cu", "sgemm_tiled.cu (not found: its cycles stand with the code below)\n"},
        {"echo one >$D/s/sgemm_tiled.cu", "    19  (the file has no such line)\n"},
        {"mkdir $D/s/sgemm_tiled.cu", "#define TILE 16\n"},
        {"head -c 9000000 /dev/zero >$D/s/sgemm_tiled.cu", "#define TILE 16\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char shell[1024];
        (void)snprintf(shell, sizeof shell,
                       "D=$(mktemp -d); trap 'rm -rf $D' EXIT; mkdir $D/s; %s; "
                       "$WB analyze " SGEMM QUICK
                       "--source $D/s --lines --annotate $D/a.txt >/dev/null && cat $D/a.txt",
                       cases[i].make);
        print_message("%s\n", cases[i].make);
        struct run run = run_shell(shell);
        assert_int_equal(run.status, 0);
        assert_has(run.out, cases[i].shows);
        for (const char *at = run.out; *at != '\0'; at++)
            if ((*at < ' ' && *at > 0 && *at != '\n') || *at == 0x7f)
                fail_msg("a control character: %d", *at);
        run_free(&run);
    }
}

/* What would lower the shares, with its numbers: lanes 128 bytes apart, one bank, a division, double. */
static void test_hints(void **state) {
    (void)state;
    static const struct {
        const char *hint, *text;
    } expected[] = {
        {"uncoalesced", "32.0 requests for a warp, where 4 are enough if coalesced"},
        {"bank-conflicts", "32.0 passes over shared memory for a warp, where 1 is enough: bank conflicts"},
        {"division", "div.u32 by a variable value keeps SFU 2 cycles for a warp"},
        {"double-precision", "double precision keeps DP 64 cycles for a warp, single precision 1"},
    };
    json_t *root =
        run_json("analyze tests/data/cli/hints.ptx -g 1 -b 32 -a buf:u32[1024]=iota -a i32:3 --method "
                 "k-area --lines --json",
                 0);
    json_t *hints = json_object_get(json_object_get(root, "costs"), "hints");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        json_t *hint = NULL, *item;
        size_t index;
        json_array_foreach(hints, index,
                           item) if (hint == NULL && strcmp(json_string_value(json_object_get(item, "hint")),
                                                            expected[i].hint) == 0) hint = item;
        if (hint == NULL) fail_msg("no hint %s", expected[i].hint);
        assert_string_is(hint, "text", expected[i].text);
        assert_true(number(hint, "up_to") > 0 && number(hint, "up_to") <= number(hint, "cycles"));
    }
    json_decref(root);
    /* What needs nothing has no hint. */
    root = run_json("analyze " SGEMM QUICK "--lines --json", 0);
    hints = json_object_get(json_object_get(root, "costs"), "hints");
    size_t index;
    json_t *item;
    json_array_foreach(hints, index, item)
        assert_string_not_equal(json_string_value(json_object_get(item, "hint")), "bank-conflicts");
    json_decref(root);
}

/* The graph with counts and cycles; without a launch it is as it was. */
static void test_graph(void **state) {
    (void)state;
    struct run run = run_command("cfg " SGEMM "--format dot --method k-area");
    assert_int_equal(run.status, 0);
    assert_has(run.out, "upper kernel of the kernel, 34488 cycles");
    assert_has(run.out, "2048 warps, 33601 cycles (97.4 %)\\l");
    assert_has(run.out, "   16  tile_a[y][x] = a[row * k + start + x];\\l");
    assert_has(run.out, "B0 -> B3 [style=solid, label=\" @%p1 0\", color=gray");
    assert_has(run.out, "B2 -> B2 [style=solid, label=\" @%p2 1984\", constraint=false, color=red");
    run_free(&run);
    run = run_command("cfg kernels/sgemm_tiled.ptx --format dot");
    assert_int_equal(count_of(run.out, "warps"), 0);
    run_free(&run);
    const struct failure_case failure = {"cfg kernels/sgemm_tiled.ptx --format dot -m ecrts2025-orin", 2,
                                         "need --format dot and a launch"};
    check_failure(&failure);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),  cmocka_unit_test(test_table),    cmocka_unit_test(test_code_lines),
        cmocka_unit_test(test_wrong), cmocka_unit_test(test_annotate), cmocka_unit_test(test_hostile_sources),
        cmocka_unit_test(test_hints), cmocka_unit_test(test_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
