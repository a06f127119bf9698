/* `warpbound cache --order` and `--channels` as a user runs them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define STENCIL "kernels/stencil5.ptx -l kernels/stencil5.yaml "
/* The example of JCSE 2017: its two blocks of two warps on one SM, as in the paper's Fig. 6 and 7. */
#define EXAMPLE "tests/data/jcse_example.ptx -g 1,2 -b 16,4 -a u64:0 --set sms=1 "

static const struct failure_case failures[] = {
    {"cache " STENCIL "--order --channels", 2, "cannot be combined with --order"},
    {"cache " STENCIL "--sm 0", 2, "--sm and --first need --order or --channels"},
    {"cache " STENCIL "--first 3", 2, "--sm and --first need --order or --channels"},
    {"cache " STENCIL "--order --sm 15", 2, "no SM 15: the machine has 15 of them, from 0 on"},
    {"cache " STENCIL "--order --sm x", 2, "--sm x: error: expected a number"},
    {"cache " STENCIL "--order --first 0", 2, "--first 0: error: expected a number from 1 on"},
    {"cache " STENCIL "--order --format dot", 2, "--format dot: error: expected text, json or svg"},
    {"cache " STENCIL "--order >/dev/full", 2, "there is no room left, or nobody reads it"},
    {"cache " STENCIL "--order --format svg --first 10001", 2, "at most 10000 accesses, not 10001"},
    {"cache " STENCIL "--channels --format svg", 2, "only of the order; expected text or json"},
    {"cache " STENCIL "--order -m ecrts2025-orin", 2,
     "no first-level cache (l1_size); expected one that has"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

/* The output has these lines one below the other, spaces apart. */
static void check_lines(const char *arguments, const char *expected) {
    char shell[400];
    (void)snprintf(shell, sizeof shell, "$WB %s | tr -s ' ' | sed 's/ $//'", arguments);
    struct run run = run_shell(shell);
    assert_int_equal(run.status, 0);
    if (strstr(run.out, expected) == NULL) fail_msg("no\n%sin\n%s", expected, run.out);
    run_free(&run);
}

/* Fig. 6: whatever order they come in, the first level sees B0W0, B0W1, B1W0, B1W1. */
static void test_order_of_the_paper(void **state) {
    (void)state;
    check_lines("cache " EXAMPLE "--order",
                " 0 0 0 22 ld.global.f32 0,0,0 0 0 miss 0x0 0x80 0x100 0x180\n"
                " 1 0 0 22 ld.global.f32 0,0,0 1 1 hit 0x0 0x80 0x100 0x180\n"
                " 2 0 0 25 st.global.f32 0,1,0 0 2 0x800 0x880 0x900 0x980\n"
                " 3 0 0 25 st.global.f32 0,1,0 1 3 0x800 0x880 0x900 0x980\n"
                "SM 0: 4 accesses; requests: 4 hit, 4 miss, 8 of stores and atomics\n");
}

/* Requests are named by what the user gave: the number of the argument, or the variable. */
static void test_places(void **state) {
    (void)state;
    check_lines("cache " STENCIL "--order --sm 0 --first 9",
                " 1 0 0 72 ld.global.f32 0,0,0 1 1 miss arg1+384 arg1+512\n");
    check_lines("cache kernels/hotspot.ptx -l kernels/hotspot.yaml --order --set limits.blocks=1 --set sms=1",
                " 40 2 0 77 ld.global.f32 2,0,0 1 1 hit arg1+0 miss arg1+128 hit arg1+256 miss arg1+384\n");
}

/* Fig. 7: the configuration at first, behind the first access, and behind the last. */
static void test_configuration_of_the_paper(void **state) {
    (void)state;
    check_lines("cache " EXAMPLE "--channels", "channel block warp 22 25\n"
                                               "0-1 0,0,0 0-1 1 0\n"
                                               "2-3 0,1,0 0-1 0 1\n");
    check_lines("cache " EXAMPLE "--channels --first 1", "channel block warp 22 25\n"
                                                         "0 0,0,0 0 0 0\n"
                                                         "1 0,0,0 1 1 0\n"
                                                         "2-3 0,1,0 0-1 0 1\n");
    check_lines("cache " EXAMPLE "--channels --first 4", "channel block warp 22 25\n"
                                                         "0-1 0,0,0 0-1 0 0\n"
                                                         "2-3 0,1,0 0-1 0 0\n");
}

/* The key of an access: generation, epoch, instruction, block, warp. */
static void read_key(json_t *access, json_int_t key[5]) {
    key[0] = number(access, "generation");
    key[1] = number(access, "epoch");
    key[2] = number(access, "instruction");
    key[3] = json_integer_value(json_array_get(json_object_get(access, "block"), 0));
    key[4] = number(access, "warp");
}

static bool is_before(const json_int_t a[5], const json_int_t b[5]) {
    for (int i = 0; i < 5; i++)
        if (a[i] != b[i]) return a[i] < b[i];
    return false;
}

/* Checks the order of one SM, and adds up its misses and how often each channel executes each instruction. */
static json_int_t check_sm(json_t *sm, json_int_t counts[2][8][6]) {
    json_t *access, *hit, *order = json_object_get(sm, "order");
    json_int_t misses = 0, before[5] = {-1}, key[5];
    size_t turn, r;
    assert_int_equal(json_array_size(order), number(sm, "turns"));
    json_array_foreach(order, turn, access) {
        assert_int_equal(number(access, "turn"), turn);
        read_key(access, key);
        assert_true(is_before(before, key));
        memcpy(before, key, sizeof key);
        counts[key[0]][number(access, "channel")][key[2]]++;
        json_array_foreach(json_object_get(access, "hits"), r, hit) misses += json_is_false(hit);
    }
    return misses;
}

/* The order is that of the keys, its misses are those of the estimate, and the channels execute what comes in
 * the order. With one slot an SM, the second block of SM 0 is another generation. */
static void test_order_is_what_is_estimated(void **state) {
    (void)state;
#define SMALL STENCIL "-m jcse2017 --set sms=3 --set limits.blocks=1 "
    json_t *root = run_json("cache " SMALL "--order --json", 0), *sm;
    json_t *cache = run_json("cache " SMALL "--json", 0);
    json_t *channels = run_json("cache " SMALL "--channels --json", 0);
    json_int_t misses = 0;
    size_t s, c;
    assert_int_equal(json_array_size(json_object_get(root, "sms")), 3);
    json_array_foreach(json_object_get(root, "sms"), s, sm) {
        json_int_t counts[2][8][6] = {{{0}}};
        misses += check_sm(sm, counts);
        json_t *of_sm = json_array_get(json_object_get(channels, "sms"), s), *channel;
        assert_int_equal(json_array_size(json_object_get(of_sm, "channels")), s == 0 ? 16 : 8);
        json_array_foreach(json_object_get(of_sm, "channels"), c, channel) {
            for (size_t i = 0; i < 6; i++)
                assert_int_equal(
                    json_integer_value(json_array_get(json_object_get(channel, "executions"), i)),
                    counts[number(channel, "generation")][number(channel, "channel")][i]);
        }
    }
    assert_int_equal(misses, number(cache, "misses_estimated"));
    json_decref(channels);
    json_decref(cache);
    json_decref(root);
}

/* Some of it: the first accesses of one SM, and what is printed of many. */
static void test_parts(void **state) {
    (void)state;
    json_t *root = run_json("cache " STENCIL "--order --sm 2 --first 5 --json", 0);
    json_t *sm = json_array_get(json_object_get(root, "sms"), 0);
    assert_int_equal(json_array_size(json_object_get(root, "sms")), 1);
    assert_int_equal(number(sm, "sm"), 2);
    assert_int_equal(json_array_size(json_object_get(sm, "order")), 5);
    assert_int_equal(number(sm, "turns"), 352);
    json_decref(root);
    struct run run = run_command("cache " STENCIL "--order --sm 2 --first 5");
    assert_int_equal(count_of(run.out, "ld.global"), 5);
    assert_int_equal(count_of(run.out, "347 more\n"), 1);
    run_free(&run);
    /* An SM without blocks. */
    run = run_command("cache " STENCIL "--order --sm 14");
    assert_int_equal(run.status, 0);
    assert_int_equal(count_of(run.out, "SM 14: 0 accesses"), 1);
    run_free(&run);
}

#define HISTOGRAM "kernels/histogram.ptx -l kernels/histogram.yaml "
#define UNKNOWN "kernels/histogram.ptx -l kernels/histogram_unknown.yaml "

#define REORDERED "-m jcse2017 --scheme reorder --method segments,segments-missrate,reorder-chain --json"

/* Data that decides on addresses of shared memory only changes nothing under reordering: not the order, not
 * what hits in it, not the segments of the paper. */
static void test_unknown_data_in_shared_memory(void **state) {
    (void)state;
    static const char *const methods[] = {"segments", "segments-missrate"};
    struct run run =
        run_shell("$WB cache " HISTOGRAM "--order | grep '^ .*arg' > /tmp/wb_order.$$\n"
                  "$WB cache " UNKNOWN "--order | grep '^ .*arg' | cmp - /tmp/wb_order.$$; echo $?\n"
                  "wc -l < /tmp/wb_order.$$; rm /tmp/wb_order.$$");
    assert_string_equal(run.out, "0\n321\n");
    run_free(&run);
    json_t *given = run_json("cache " HISTOGRAM "--json", 0), *any = run_json("cache " UNKNOWN "--json", 0);
    assert_int_equal(number(any, "least_misses_reordered"), number(given, "misses_estimated"));
    assert_int_equal(number(any, "most_misses_reordered"), number(given, "misses_estimated"));
    assert_true(json_is_null(json_object_get(any, "no_order")));
    json_decref(any);
    json_decref(given);
    given = run_json("analyze " HISTOGRAM REORDERED, 0);
    any = run_json("analyze " UNKNOWN REORDERED, 0);
    for (size_t m = 0; m < 2; m++) {
        json_t *bound = entry(any, "bounds", "method", methods[m]);
        assert_string_is(bound, "kind", "estimate");
        assert_int_equal(number(bound, "cycles"),
                         number(entry(given, "bounds", "method", methods[m]), "cycles"));
    }
    assert_string_is(entry(any, "bounds", "method", "reorder-chain"), "kind", "upper");
    /* Of conflicts of banks the worst is taken. */
    assert_true(number(any, "best_upper") >= number(given, "best_upper"));
    assert_true(number(any, "best_upper") < 2 * number(given, "best_upper"));
    json_decref(any);
    json_decref(given);
}

#define BFS "kernels/bfs_level.ptx -l kernels/bfs_level.yaml --facts kernels/bfs_level.facts "

/* Where an access is perhaps not made, the order depends on data: that is said with the line, and all else is
 * done. */
static void test_order_that_depends_on_data(void **state) {
    (void)state;
    check_failure(&(struct failure_case){"cache " BFS "--order", 3, "bfs_level.ptx:59:"});
    json_t *root = run_json("cache " BFS "--json", 0);
    assert_non_null(strstr(json_string_value(json_object_get(root, "no_order")),
                           "bfs_level.ptx:59:2: whether a warp makes this access depends"));
    assert_true(json_is_null(json_object_get(root, "most_misses_reordered")));
    json_decref(root);
    root = run_json("analyze " BFS "-m jcse2017 --scheme reorder --method segments,reorder-chain --json", 0);
    assert_string_is(entry(root, "declined", "method", "reorder-chain"), "status", "declined");
    assert_string_is(entry(root, "bounds", "method", "segments"), "kind", "estimate");
    assert_true(json_is_null(json_object_get(root, "best_upper")));
    json_decref(root);
}

#define BRANCH "tests/data/branch_then_store.ptx -g 1 -b 64 -a 'buf:u32[64]' -a 'buf:u32[64]' "

/* The kernel analyzer lists what comes behind a branch that data decides on, and marks what is on one side of
 * it. */
static void test_analyzer_behind_a_branch(void **state) {
    (void)state;
    struct run run = run_command("path " BRANCH "--format jcse");
    assert_int_equal(run.status, 0);
    assert_int_equal(count_of(run.out, "Warp0 [ 1 , ? , 1 ]\nWarp0 [ [ ["), 1);
    assert_int_equal(count_of(run.out, " , [ ? [ "), 2);
    assert_int_equal(count_of(run.out, " , S ] ]\n"), 2);
    assert_int_equal(count_of(run.out, "None"), 0);
    assert_int_equal(count_of(run.out, "-covering"), 1);
    run_free(&run);
    json_t *root = run_json("path " BRANCH "--format jcse-json", 0);
    json_t *block = json_array_get(json_object_get(root, "blocks"), 0);
    json_t *warp = json_array_get(json_object_get(block, "warps"), 1);
    assert_true(json_is_true(json_object_get(root, "covering")));
    assert_int_equal(json_array_size(warp), 3);
    for (size_t i = 0; i < 3; i++) {
        json_t *maybe_executed = json_object_get(json_array_get(warp, i), "perhaps");
        assert_int_equal(json_is_true(json_array_get(maybe_executed, 0)), i == 1);
    }
    json_decref(root);
    /* The order of accesses depends on data then. */
    check_failure(&(struct failure_case){"cache " BRANCH "--order", 3, "branch_then_store.ptx:22:"});
}

/* The picture has a cell for each access, in the colours of what it meets. */
static void test_picture(void **state) {
    (void)state;
    struct run run = run_command("cache " EXAMPLE "--order --format svg");
    assert_int_equal(run.status, 0);
    assert_int_equal(count_of(run.out, "<title>turn "), 4);
    assert_int_equal(count_of(run.out, "#e69f00"), 2); /* one cell, and the legend */
    assert_int_equal(count_of(run.out, "#56b4e9"), 2);
    assert_int_equal(count_of(run.out, "#bbb"), 3);
    assert_int_equal(count_of(run.out, "block 0,1,0 warp 1: channel 3"), 1);
    run_free(&run);
    run = run_command("cache " STENCIL "--order --format svg --sm 1");
    assert_int_equal(count_of(run.out, "<title>turn "), 64);
    assert_int_equal(count_of(run.out, "the first 64 of 352 turns"), 1);
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_say_what_is_wrong),
        cmocka_unit_test(test_order_of_the_paper),
        cmocka_unit_test(test_configuration_of_the_paper),
        cmocka_unit_test(test_order_is_what_is_estimated),
        cmocka_unit_test(test_unknown_data_in_shared_memory),
        cmocka_unit_test(test_order_that_depends_on_data),
        cmocka_unit_test(test_analyzer_behind_a_branch),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
