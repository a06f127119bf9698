/* The search for the worst case of small grids: values worked out by hand, and what it says when it cannot.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bound/analysis/analysis.h"
#include "bound_named.h"

/* A grid read from a text, with messages. */
struct grid_case {
    wb_diagnostics *diagnostics;
    wb_analysis *analysis;
};

static struct grid_case begin(const char *text) {
    struct grid_case made = {.diagnostics = wb_diagnostics_new()};
    char path[] = "/tmp/warpbound_grid_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(wb_file_write(path, text, made.diagnostics), WB_OK);
    if (wb_analysis_read(path, made.diagnostics, &made.analysis) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(made.diagnostics));
    (void)unlink(path);
    return made;
}

static void end(struct grid_case *made) {
    wb_analysis_free(made->analysis);
    wb_diagnostics_free(made->diagnostics);
}

static void expect_message(const struct grid_case *made, const char *message) {
    if (strstr(wb_diagnostics_text(made->diagnostics), message) == NULL)
        fail_msg("'%s' is not in: %s", message, wb_diagnostics_text(made->diagnostics));
}

struct exact_case {
    const char *text;
    uint64_t exact;
};

#define GRID "block: x\ndispatch_depth: 0\nresident: "

#define OF_TWO_KINDS                                                                                         \
    "block: x\ndispatch_depth: 1\nbarrier_release: 2\nresident: 1\nunits: \"A/(2,0) B(2,0) C(1,0)\"\n"       \
    "blocks: [\"3* B; C; C\", \"2* C\"]\nmemory: {sms: 2, dispatch: "

static const struct exact_case exact_cases[] = {
    /* one after the other, with a latency of 2 in between */
    {GRID "1\nunits: \"A(3,1)\"\nblocks: [\"3* A\"]\nmemory: {dispatch: any, dispatch_latency: 2}\n", 16},
    /* two slots: A at 0, 3, 6 and its latency; the third block starts at 4 + 2 */
    {GRID "2\nunits: \"A(3,1)\"\nblocks: [\"3* A\"]\nmemory: {dispatch: any, dispatch_latency: 2}\n", 10},
    /* all have room, and are dealt out: two on one SM */
    {GRID "2\nunits: \"A(3,1)\"\nblocks: [\"3* A\"]\nmemory: {sms: 2, dispatch: any}\n", 7},
    /* the long block may come last; static dispatch puts it on the second SM, behind another */
    {GRID "1\nunits: \"A(1,0)\"\nblocks: [\"3* A\", \"A A A A A\"]\nmemory: {sms: 2, dispatch: any}\n", 6},
    {GRID "1\nunits: \"A(1,0)\"\nblocks: [\"2* A\", \"A A A A A\", \"A\"]\nmemory: {sms: 2, dispatch: "
          "static}\n",
     6},
    {GRID "1\nunits: \"A(1,0)\"\nblocks: [\"2* A\", \"A A A A A\", \"A\"]\nmemory: {sms: 4, dispatch: "
          "static}\n",
     5},
    /* more SMs than blocks */
    {GRID "1\nunits: \"A(1,0)\"\nblocks: [\"2* A A\"]\nmemory: {sms: 8, dispatch: round_robin}\n", 2},
    /* the dispatcher takes 4 cycles for each of 3 blocks, the last of which ends 2 later */
    {GRID "1\nunits: \"A(1,1)\"\nblocks: [\"3* A\"]\nmemory: {sms: 3, dispatch: most_free, dispatch_service: "
          "4}\n",
     14},
    /* a barrier that no other block waits for, and that opens 3 cycles late */
    {GRID "2\nbarrier_release: 3\nunits: \"A(1,0)\"\nblocks: [\"A | A; A\", \"A\"]\nmemory: {dispatch: "
          "greedy}\n",
     7},
    /* two issue slots: both warps in one cycle */
    {GRID "1\nissue_width: 2\nunits: \"A(1,0) B(1,0)\"\nblocks: [\"2* A; B\"]\nmemory: {dispatch: any}\n", 2},
    /* two instructions of a warp in a cycle: A of the second warp waits until 4 */
    {GRID "1\nissue_per_warp: 2\nissue_width: 2\nunits: \"A(4,0) B(2,0)\"\nblocks: [\"2x A B\"]\n", 8},
    /* two sub-cores: the first warps of both blocks are on the same one ... */
    {GRID "2\nsub_cores: 2\nunits: \"A/(3,0) B/(1,0)\"\nblocks: [\"2* A; B\"]\n", 6},
    /* ... or on different ones ... */
    {GRID "2\nsub_cores: 2\nunits: \"A/(3,0)\"\nblocks: [\"2* A\"]\n", 3},
    /* ... or, where the dispatcher may leave the slot between them empty, again on the same one */
    {GRID "3\nsub_cores: 2\nunits: \"A/(3,0)\"\nblocks: [\"4* A\"]\nmemory: {sms: 2, dispatch: any}\n", 6},
    {GRID "3\nsub_cores: 2\nunits: \"A/(3,0)\"\nblocks: [\"2* A\"]\n", 6},
    /* a unit that sub-cores share: the second warp can be first */
    {GRID "1\nsub_cores: 2\nunits: \"A(3,0) B/(2,0)\"\nblocks: [\"A B.0; A\"]\n", 8},
    {"block: x\nsub_cores: 2\nunits: \"A(3,0) B/(2,0)\"\nblocks: [\"A B.0; A\"]\n", 8},
    /* sub-cores idle in turn: six cycles more than one of them is busy, docs/proofs.md, section 12 */
    {GRID "2\nsub_cores: 2\nunits: \"A/(1,3) a(1,0)@A B/(1,0)\"\nblocks: [\"2* a B.0 B | B; A B.0 B | B\", "
          "\"2* A B.0 B | B; a B.0 B | B\"]\n",
     23},
    /* any order of blocks, and rules: the short blocks come last */
    {OF_TWO_KINDS "any}\n", 9},
    {OF_TWO_KINDS "greedy}\n", 8},
    {OF_TWO_KINDS "round_robin}\n", 8},
    {OF_TWO_KINDS "most_free}\n", 8},
    /* blocks that do nothing */
    {GRID "1\nunits: \"A(1,0)\"\nblocks: [\"3* \", \"A\", \"2* \"]\nmemory: {dispatch: any}\n", 1},
};

/* Whether a number says that blocks may be dispatched in any order. */
static bool is_of_any_order(const wb_bound *bound) {
    for (size_t a = 0; a < bound->assumption_count; a++)
        if (bound->assumptions[a] == WB_ASSUME_DISPATCH_IN_ANY_ORDER) return true;
    return false;
}

static void test_exact_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof exact_cases / sizeof *exact_cases; i++) {
        struct grid_case made = begin(exact_cases[i].text);
        if (wb_analysis_bound(made.analysis, "k-exhaustive,k-sm", NULL, made.diagnostics) != WB_OK)
            fail_msg("%s", wb_diagnostics_text(made.diagnostics));
        const wb_bound *bound = bound_named(made.analysis, "k-exhaustive");
        assert_int_equal(bound->kind, WB_EXACT);
        const bool ruled =
            strstr(exact_cases[i].text, "dispatch: ") != NULL && strstr(exact_cases[i].text, "any") == NULL;
        assert_true(is_of_any_order(bound) == !ruled);
        if (bound->cycles != exact_cases[i].exact)
            fail_msg("%llu, not %llu:\n%s", (unsigned long long)bound->cycles,
                     (unsigned long long)exact_cases[i].exact, exact_cases[i].text);
        assert_true(form_named(made.analysis, "sm") >= bound->cycles);
        end(&made);
    }
}

#define LARGE                                                                                                \
    "block: x\nunits: \"A(2,9) B(3,5)\"\nresident: 6\nblocks: [\"40* 4x A B.0 A B A | A B\"]\nmemory: "      \
    "{sms: 4, dispatch: greedy}\n"

/* What was found before the limit is a lower bound. */
static void test_limit_leaves_a_lower_bound(void **state) {
    (void)state;
    struct grid_case made = begin(LARGE);
    analysis_set_state_limit(made.analysis, 500);
    assert_int_equal(wb_analysis_bound(made.analysis, "k-exhaustive,k-bal", NULL, made.diagnostics),
                     WB_ERR_LIMIT);
    const wb_bound *bound = bound_named(made.analysis, "k-exhaustive");
    assert_int_equal(bound->kind, WB_LOWER);
    assert_true(bound->cycles > 0 && bound->cycles <= form_named(made.analysis, "balance"));
    expect_message(&made, "out of states or memory after 500 states");
    end(&made);
}

static bool stop(void *user, const char *what, uint64_t done, uint64_t total) {
    (void)user;
    (void)total;
    return strcmp(what, "schedules of the grid") != 0 || done == 0;
}

static void test_watch_stops_it(void **state) {
    (void)state;
    struct grid_case made = begin(LARGE);
    const wb_watch watch = {.poll = stop};
    assert_int_equal(wb_analysis_bound(made.analysis, "k-exhaustive", &watch, made.diagnostics),
                     WB_ERR_LIMIT);
    expect_message(&made, "stopped after");
    end(&made);
}

/* "all" leaves it out where it would take long. */
static void test_all_leaves_large_grids_out(void **state) {
    (void)state;
    size_t count;
    struct grid_case made = begin(LARGE);
    assert_int_equal(wb_analysis_bound(made.analysis, "all", NULL, made.diagnostics), WB_OK);
    const wb_bound *bounds = wb_analysis_bounds(made.analysis, &count);
    for (size_t i = 0; i < count; i++)
        assert_string_not_equal(bounds[i].method, "k-exhaustive");
    end(&made);
}

static const struct {
    const char *text, *message;
} declined[] = {
    {"block: x\ndispatch_depth: 9\nunits: \"A(1,0)\"\nblocks: [\"A\"]\n", "dispatch depths 0 to 8"},
    {"block: x\nunits: \"A*5(1,0)\"\nblocks: [\"A\"]\n", "at most 4 instances"},
    {"block: x\nunits: \"A(1,0)\"\nblocks: [\"33x A\"]\n", "at most 32 warps"},
    {"block: x\nunits: \"A(1,0)\"\nblocks: [\"20* A\"]\nmemory: {sms: 17, dispatch: greedy}\n",
     "at most 16 SMs"},
    {"block: x\nunits: \"A(1,0)\"\nblocks: [\"20* A\"]\nresident: 17\n", "at most 16 blocks"},
    {"block: x\nunits: \"A(1,0)\"\nblocks: [\"2* A\"]\nmemory: {sms: 2, dispatch: static, dispatch_service: "
     "1}\n",
     "where blocks go to any SM"},
    {"block: x\nunits: \"A(1000000,1000000)\"\nblocks: [\"2000* A\"]\n", "too long"},
};

static void test_declines(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof declined / sizeof *declined; i++) {
        struct grid_case made = begin(declined[i].text);
        assert_int_equal(wb_analysis_bound(made.analysis, "k-exhaustive", NULL, made.diagnostics),
                         WB_ERR_DECLINED);
        expect_message(&made, declined[i].message);
        end(&made);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_values),   cmocka_unit_test(test_limit_leaves_a_lower_bound),
        cmocka_unit_test(test_watch_stops_it), cmocka_unit_test(test_all_leaves_large_grids_out),
        cmocka_unit_test(test_declines),
    };
    return cmocka_run_group_tests_name("exact worst case of grids", tests, NULL, NULL);
}
