/* Certificates of times: the checker, which shares no code with the library, computes the same bounds of
 * random blocks and grids, and finds executions to be such; what is forged it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "certificate_check.h"
#include "random_grid.h"

#define BLOCKS 3000u
#define SEED UINT64_C(0xce47)

/* ---- Random blocks
 * ----------------------------------------------------------------------------------------- */

/* Puts one instruction of the execution a cycle later; false if there is none. */
static bool move_one(const char *certificate, struct random_state *random, struct text *moved) {
    uint64_t lines = 0, seen = 0;
    for (const char *at = certificate; (at = strstr(at, "\nat ")) != NULL; at++)
        lines++;
    if (lines == 0) return false;
    const uint64_t chosen = random_below(random, lines);
    const char *from = strchr(certificate, '\n') + 1, *line = certificate;
    for (; seen <= chosen; seen++)
        line = strstr(line + 1, "\nat ");
    uint64_t issue, start, init, latency;
    assert_int_equal(
        sscanf(line, "\nat %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &issue, &start, &init, &latency),
        4);
    text_append(moved, from, (size_t)(line - from));
    text_printf(moved, "\nat %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, issue + 1, start + 1, init,
                latency);
    const char *rest = strchr(line + 1, '\n');
    text_append(moved, rest, (size_t)(strstr(rest, "\nend ") + 1 - rest));
    return true;
}

/* A late instruction leaves a slot empty that it could have had. */
static void check_moved(const struct text *text, uint64_t seed, const char *label) {
    struct random_state random = {seed};
    struct text moved = {0};
    int status;
    if (move_one(text->data, &random, &moved)) {
        text_char(&moved, '\0');
        const char *said = check_lines(moved.data, &status);
        if (status != 1 || strstr(said, "this is no execution") == NULL)
            fail_msg("%s\n%s%s", said, moved.data, label);
    }
    text_free(&moved);
}

static void check_block(const struct random_block *random, uint64_t seed, const char *methods) {
    static const char *const policies[] = {"lrr", "gto", "oldest"};
    wb_analysis *analysis = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(analysis_of_timed(&random->block.timed, diagnostics, &analysis), WB_OK);
    struct text text = certificate_of(analysis, methods, policies[seed % 3]);
    if (strstr(text.data, "\nat ") != NULL) assert_non_null(strstr(text.data, "\nclaim lower "));
    check_claims(&text, false, random->label);
    check_moved(&text, seed, random->label);
    text_free(&text);
    wb_analysis_free(analysis);
    wb_diagnostics_free(diagnostics);
}

static void check_blocks(const struct random_shape *shape, uint32_t rounds, const char *methods) {
    static const uint32_t depths[] = {0, 1, 2, DEPTH_UNLIMITED};
    for (uint32_t i = 0; i < rounds; i++) {
        struct random_block random;
        random_block_make(SEED + i, shape, depths, 4, &random);
        check_block(&random, SEED + i, methods);
        synthetic_block_free(&random.block);
    }
}

static void test_random_blocks_are_computed_alike(void **state) {
    (void)state;
    static const struct random_shape shape = {
        SHAPE_BLOCK(3, 5, 9, 5, 7), .barrier_percent = 20, .real_percent = 10, .alias_percent = 30,
        SHAPE_SM(2, 3, 2),          .release = 3,          .copy_percent = 20, .fence_percent = 10};
    check_blocks(&shape, random_rounds(BLOCKS), "sib,fib,aln,fifo,elb");
}

/* The executions that searches find. */
static void test_searched_blocks(void **state) {
    (void)state;
    static const struct random_shape shape = {SHAPE_BLOCK(3, 4, 5, 3, 4), .barrier_percent = 20,
                                              .real_percent = 10,         .alias_percent = 40,
                                              SHAPE_SM(2, 2, 2),          .release = 2};
    check_blocks(&shape, random_rounds(600), "sib,fib,aln,fifo,elb,exhaustive,adversary-short");
}

/* ---- Random grids
 * ------------------------------------------------------------------------------------------ */

/* A certificate of each of some random grids; returns of how many the words are. */
static uint32_t check_grids(const struct random_grid_shape *shape, uint32_t rounds, const char *words) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        struct random_grid random;
        wb_analysis *analysis = NULL;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        random_grid_make(SEED + i, shape, &random);
        if (analysis_parse("grid", random.label, strlen(random.label), diagnostics, &analysis) != WB_OK)
            fail_msg("%s%s", wb_diagnostics_text(diagnostics), random.label);
        const bool goes_anywhere = grid_work_is_dynamic(&analysis->work);
        struct text text = certificate_of(analysis, goes_anywhere ? "k-sm,k-area,k-bal" : "k-sm", NULL);
        assert_non_null(strstr(text.data, goes_anywhere ? "\nclaim k-bal " : "\nclaim k-sm-static "));
        if (!goes_anywhere && random.block.machine.sub_cores > 1)
            assert_non_null(strstr(text.data, "\nclaim k-chain-static "));
        found += strstr(text.data, words) != NULL;
        /* With finite queues the library charges the largest initiation of any block. */
        const uint32_t depth = random.block.machine.dispatch_depth;
        check_claims(&text, depth != 0 && depth != DEPTH_UNLIMITED, random.label);
        text_free(&text);
        wb_analysis_free(analysis);
        wb_diagnostics_free(diagnostics);
        random_grid_free(&random);
    }
    return found;
}

/* Blocks go to any SM, or also to fixed ones. */
static void test_random_grids_are_computed_alike(void **state) {
    (void)state;
    static const uint32_t depths[] = {0, 1, 2, DEPTH_UNLIMITED};
    struct random_grid_shape shape = {.block = {SHAPE_BLOCK(3, 5, 9, 3, 4), .barrier_percent = 20,
                                                .real_percent = 10, .alias_percent = 30, SHAPE_SM(2, 2, 2),
                                                .release = 3},
                                      SHAPE_GRID(depths, 3, 30, 4, 4),
                                      .dispatch_latency = 5,
                                      .dispatch_service = 2,
                                      .dynamic = true,
                                      .free_percent = 30};
    (void)check_grids(&shape, random_rounds(2500), "claim ");
    shape.dynamic = false;
    (void)check_grids(&shape, random_rounds(1500), "claim ");
}

/* A grid whose first unit makes requests to a memory that all SMs share; "" if no such unit can. */
static void share_memory(struct random_state *random, const char *grid, char shared[9000]) {
    static const char *const arbiters[] = {"any", "fifo", "round_robin"};
    const char *rest = strstr(grid, "memory: {");
    assert_non_null(rest);
    (void)snprintf(shared, 9000,
                   "%.*smemory_unit: A\nmemory: {service: %" PRIu64 ", outstanding: %" PRIu64
                   ", arbiter: %s, request_cycles: 1, %s",
                   (int)(rest - grid), grid, 1 + random_below(random, 3), random_below(random, 5),
                   arbiters[random_below(random, 3)], rest + strlen("memory: {"));
}

/* SMs that share one memory: what serves requests comes on top, and requests are held back. The library has
 * turns of blocks count with all their latencies there, so that less may be proven. */
static void test_random_shared_memory(void **state) {
    (void)state;
    static const uint32_t depths[] = {0, 1, 2, DEPTH_UNLIMITED};
    static const struct random_grid_shape shape = {.block = {SHAPE_BLOCK(2, 3, 9, 4, 5),
                                                             .barrier_percent = 20, .alias_percent = 0,
                                                             SHAPE_SM(2, 2, 2), .release = 3},
                                                   SHAPE_GRID(depths, 3, 12, 3, 3),
                                                   .dispatch_latency = 5,
                                                   .dispatch_service = 2,
                                                   .free_percent = 30};
    const uint32_t rounds = random_rounds(1000);
    uint32_t held = 0, stalled = 0, chains = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        struct random_state state_of = random_seeded(SEED + i);
        struct random_grid random;
        char shared[9000];
        wb_analysis *analysis = NULL;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        random_grid_make(SEED + i, &shape, &random);
        share_memory(&state_of, random.label, shared);
        if (analysis_parse("grid", shared, strlen(shared), diagnostics, &analysis) == WB_OK) {
            struct text text = certificate_of(analysis, "k-sm", NULL);
            held += strstr(text.data, "\nheld requests 0 ") == NULL;
            stalled += strstr(text.data, "\nstalled 0 ") == NULL;
            chains += strstr(text.data, "\nclaim k-chain ") != NULL;
            check_claims(&text, true, shared);
            text_free(&text);
        }
        wb_analysis_free(analysis);
        wb_diagnostics_free(diagnostics);
        random_grid_free(&random);
    }
    if (held < rounds / 4 || stalled < rounds / 8 || chains < rounds / 16)
        fail_msg("%u held, %u stalled, %u with chains", held, stalled, chains);
}

/* Grids of which all blocks are there from the start: warps of several paths, on several sub-cores. */
static void test_random_waves_are_computed_alike(void **state) {
    (void)state;
    static const uint32_t depths[] = {0, 1, DEPTH_UNLIMITED};
    struct random_grid_shape shape = {.block = {SHAPE_BLOCK(3, 5, 9, 7, 6), .barrier_percent = 25,
                                                .real_percent = 10, .alias_percent = 30, SHAPE_SM(2, 3, 2),
                                                .release = 3, .copy_percent = 20, .fence_percent = 10},
                                      .depths = depths,
                                      .depth_count = 3,
                                      .classes = 3,
                                      .blocks = 6,
                                      .sms = 2,
                                      .resident = 4,
                                      .dispatch_latency = 5,
                                      .dispatch_service = 2,
                                      .dynamic = false,
                                      .free_percent = 30};
    const uint32_t rounds = random_rounds(1500);
    assert_true(check_grids(&shape, rounds, "\nclaim k-wave-aln ") > rounds / 4);
    shape.block.barrier_percent = 0;
    shape.classes = shape.depth_count = 1;
    shape.depths = &depths[2];
    assert_true(check_grids(&shape, rounds / 3, "\nclaim k-wave-fifo ") > rounds / 30);
}

/* A chain that changes sub-cores when a warp of each has ended does not come back to what it has met. */
static void test_a_change_behind_the_last_section(void **state) {
    (void)state;
    static const char grid[] =
        "block: change\nunits: A*2(1,6) B/*2(2,1)\nblocks: [\"1* | B^ A ; B / A | | B.0 \"]\n"
        "resident: 2\ndispatch_depth: unlimited\nsub_cores: 3\nissue_width: 2\n"
        "memory: {sms: 1, dispatch: any, dispatch_latency: 4}\n";
    wb_analysis *analysis = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (analysis_parse("grid", grid, sizeof grid - 1, diagnostics, &analysis) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    struct text text = certificate_of(analysis, "k-sm", NULL);
    assert_non_null(strstr(text.data, "\nclaim k-wave-aln 14\n"));
    check_claims(&text, false, grid);
    text_free(&text);
    wb_analysis_free(analysis);
    wb_diagnostics_free(diagnostics);
}

/* Where the oldest block issues first: blocks of several kinds, whose initiations differ. */
static void test_random_grids_of_a_policy_are_computed_alike(void **state) {
    (void)state;
    static const uint32_t depths[] = {0};
    const struct random_grid_shape shape = {
        .block = {SHAPE_BLOCK(2, 7, 9, 4, 5), .barrier_percent = 20, .real_percent = 10, .alias_percent = 40,
                  SHAPE_SM(2, 4, 2), .release = 3, .copy_percent = 20, .fence_percent = 10},
        .depths = depths,
        .depth_count = 1,
        .classes = 3,
        .blocks = 30,
        .sms = 3,
        .resident = 4,
        .dispatch_latency = 5,
        .dispatch_service = 2,
        .dynamic = true,
        .oldest_first = true,
        .free_percent = 30};
    const uint32_t rounds = random_rounds(600);
    assert_true(check_grids(&shape, rounds, "\nclaim k-oldest ") > rounds / 8);
}

/* ---- What is no certificate
 * -------------------------------------------------------------------------------- */

#define MACHINE "machine 0 2 1 0\nunit 0 1 # A\nunit 1 1 # B\n"
#define BLOCK MACHINE "block 2\ninst 0 2 3 0 0 0 0\ninst 1 1 0 0 0 1 0 1\n"
#define ROWS BLOCK "section\nrun 0 2\nrow 0\nwarps 0 0 2\n"
#define GRID(classes) ROWS "grid 2 1 2 0 0\n" classes

#define ONE_WAVE(classes) ROWS "grid 2 2 2 0 0\n" classes

/* `A B` and `B A` of one warp each, on one sub-core. */
#define CROSSED                                                                                              \
    "machine 0 1 1 0\nunit 0 1\nunit 0 1\nblock 1\ninst 0 3 0 0 0 0 0\ninst 1 3 0 0 0 0 0\nsection\nrun 0 "  \
    "2\nrow 0\nwarps 0 0 1\nblock 1\ninst 1 3 0 0 0 0 0\ninst 0 3 0 0 0 0 0\nsection\nrun 0 2\nrow "         \
    "0\nwarps 0 0 1\ngrid 1 2 2 0 0\n"

/* Warps on two sub-cores, with a barrier: 3 and 2 cycles of A, then 2 and 3. */
#define CHANGED                                                                                              \
    "machine 0 2 1 0\nunit 0 1\nblock 0\ninst 0 3 0 0 0 0\ninst 0 2 0 0 0 0\nsection\nrun 0 "                \
    "1\nsection\nrun 1 1\nrow 0 1\nrow 1 0\nwarps 0 0 1\nwarps 1 1 1\ngrid 1 2 2 0 0\n"

/* Two of six blocks on the SM at a time, of one instruction each, which can wait a cycle for a younger one.
 */
#define OLDEST(machine, unit, first)                                                                         \
    machine unit first "block 0\ninst 0 2 3 0 0 0\nsection\nrun 0 1\nrow 0\nwarps 0 0 1\ngrid 1 2 2 0 0\n"   \
                       "class 0 6\nclaim k-oldest "
#define IN_ORDER(depth) "machine " depth " 2 1 0\n"

#define PARTS(parts)                                                                                         \
    MACHINE "block 2\n" parts                                                                                \
            "inst 0 2 3 0 0 0 0\ninst 1 1 0 0 0 1 0 1\nsection\nrun 0 2\nrow 0\nwarps 0 0 2\n"

/* Two blocks of the same on one SM; of which warps may execute parts. */
#define CHANGING(parts)                                                                                      \
    "machine 0 2 1 0\nunit 0 1\nblock 0\n" parts "inst 0 3 0 0 0 0\ninst 0 2 0 0 0 0\nsection\nrun 0 "       \
    "1\nsection\nrun 1 1\nrow 0 1\nrow 1 0\nwarps 0 0 1\nwarps 1 1 1\ngrid 1 2 2 0 0\nclass 0 2\n"

#define QUEUED                                                                                               \
    "machine unlimited 1 1 0\nunit 0 1\nblock 0\ninst 0 2 3 0 0 0\nsection\nrun 0 1\nrow 0\nwarps 0 0 1\n"

/* Three services of 2 cycles, and ceil(7 / 4) cycles of a block's requests that are held back. */
#define SERVED(lines)                                                                                        \
    MACHINE "held l2 3 2\n"                                                                                  \
            "block 2\ninst 0 2 3 0 0 0 0\ninst 1 1 0 0 0 1 0 1\nsection\nrun 0 2\nrow 0\nwarps 0 0 2\n"      \
            "stalled 7 2 4 -\n" lines

#define PORTS(units, lines) SERVED("stalled 0 0 1 " units "\n" lines)

/* Blocks of two kinds, with latencies of 3 and 8, in an order. */
#define SEGMENTS(grid, lines)                                                                                \
    MACHINE "held l2 3 2\n"                                                                                  \
            "block 2\ninst 0 2 3 0 0 0 0\ninst 1 1 0 0 0 1 0 1\nsection\nrun 0 2\nrow 0\nwarps 0 0 2\n"      \
            "block 2\ninst 0 2 8 0 0 0 0\ninst 1 1 0 0 0 1 0 1\nsection\nrun 0 2\nrow 0\nwarps 0 0 2\n"      \
            "grid " grid "\nclass 0 3\nclass 1 2\nnext 0 2\nnext 1 2\nnext 0 1\n" lines

/* A warp that waits for nothing, and one that waits for 5 cycles, in an order of turns. */
#define TURNS(parts, turns, lines)                                                                           \
    "of policy pure-rr\nmachine 0 1 1 0\nunit 0 1\nblock 1\n" parts                                          \
    "inst 0 1 4 0 0 0\ninst 0 1 5 0 0 0 0\ninst 0 1 0 0 0 1 0\nsection\nrun 0 1\nagain 1 1\nsection\nrun 1 " \
    "2\n"                                                                                                    \
    "row 0 1\nwarps 0 0 1\nwarps 1 0 1\n" turns "grid 1 2 2 3 0\n" lines "held-sm 0 0 0 0\n"
#define ONE "class 0 1\nnext 0 1\n"
#define SIMPLE                                                                                               \
    "block 0\ninst 0 1 0 0 0 0\nsection\nrun 0 1\nrow 0\nwarps 0 0 1\nturns 0\ngrid 1 1 1 0 0\n" ONE         \
    "held-sm 0 0 0 0\n"

static const struct forged turns[] = {
    {TURNS("", "turns 0 1\n", ONE) "claim turn-chain 9\n", 0, "turn-chain: at most 9 cycles: proven\n"},
    {TURNS("", "turns 0 1\n", ONE) "claim turn-chain 8\n", 1, "what can be shown is 9"},
    /* The second instruction has its turn behind what waits. */
    {TURNS("", "turns 1 0\n", ONE) "claim turn-chain 12\n", 1, "what can be shown is 13"},
    /* Two that are there from the start, and a third one behind them. */
    {TURNS("", "turns 0 1\n", "class 0 2\nnext 0 2\n") "claim turn-chain 16\n", 1, "what can be shown is 17"},
    {TURNS("", "turns 0 1\n", "class 0 3\nnext 0 3\n") "claim turn-chain 41\n", 1, "what can be shown is 42"},
    {TURNS("parts\n", "turns 0 1\n", ONE) "claim turn-chain 12\n", 1, "what can be shown is 13"},
    {TURNS("", "", ONE) "claim turn-chain 99\n", 2, "turns are of other warps than there are"},
    {TURNS("", "turns 0 0\n", ONE) "claim turn-chain 99\n", 2, "turns are of other warps than there are"},
    {TURNS("", "turns 0 1\n", ONE) "claim segment-sum 99\n", 2, "no claim of a scheme: segment-sum"},
    {TURNS("", "turns 0 1\n", ONE) "claim k-sm-static 99\n", 2, "no claim of a scheme: k-sm-static"},
    {TURNS("", "turns 0 1\n", "class 0 1\n") "claim turn-chain 99\n", 2, "no SM is said to get a block"},
    {"of policy pure-rr\n" ROWS "claim sib 99\n", 2, "no claim of a scheme: sib"},
    {"of policy pure-rr\nmachine 0 1 2 0\nunit 0 1\n" SIMPLE "claim turn-chain 99\n", 2,
     "several instructions"},
    {"of policy pure-rr\nmachine 0 1 1 1\nunit 0 1\n" SIMPLE "claim turn-chain 99\n", 2,
     "barriers take time"},
    {"machine 0 1 1 0\nunit 0 1\n" SIMPLE "claim turn-chain 99\n", 2, "it is said to be of policy any"},
};

/* Two warps that load and wait for that, the second for what the first has asked for. */
#define ORDER(policy, accesses, lines)                                                                       \
    policy "machine 0 1 1 0\nunit 0 1\nblock 1\ninst 0 1 4 0 0 0 0\ninst 0 1 0 0 0 1 0\nsection\nrun 0 "     \
           "2\nrow 0\n"                                                                                      \
           "warps 0 0 2\nturns 0 0\n" accesses "grid 1 1 1 3 0\n" lines
#define ORDERED(lines) ORDER("of policy reorder\n", "accesses 1 1\n", ONE "held-sm 0 0 0 0\n" lines)
#define FIRST "channels 2\nserves 0\nserve 0 0 0 1 10 0 0\n"
#define SECOND "serve 0 1 0 1 2 1 12\n"

static const struct forged orders[] = {
    {ORDERED(FIRST SECOND "claim reorder-chain 18\n"), 0, "reorder-chain: at most 18 cycles: proven\n"},
    {ORDERED(FIRST SECOND "claim reorder-chain 17\n"), 1, "what can be shown is 18"},
    {ORDERED(FIRST SECOND "claim reorder-chain 99\n"), 0, "; that requests are made and served as it says; "},
    {ORDERED(FIRST "serve 0 1 0 1 2 0 12\nclaim reorder-chain 17\n"), 1, "what can be shown is 18"},
    {ORDERED(FIRST "serve 0 1 0 5 2 1 12\nclaim reorder-chain 21\n"), 1, "what can be shown is 22"},
    /* The second block starts 3 cycles behind the end of the first. */
    {ORDER("of policy reorder\n", "accesses 1 1\n",
           "class 0 2\nnext 0 2\nheld-sm 0 0 0 0\n" FIRST SECOND
           "serve 1 0 0 1 10 0 0\nserve 1 1 0 1 2 0 0\nclaim reorder-chain 36\n"),
     1, "what can be shown is 37"},
    {ORDER("of policy reorder\n", "accesses 1 1\n",
           "class 0 2\nnext 0 2\nheld-sm 0 0 0 0\n" FIRST SECOND
           "serve 1 0 0 1 10 0 0\nserve 0 0 1 1 1 0 0\nclaim reorder-chain 99\n"),
     2, "behind one of a later generation"},
    {ORDERED(FIRST "claim reorder-chain 99\n"), 2, "other accesses are served than there are"},
    {ORDERED(FIRST FIRST "claim reorder-chain 99\n"), 2, "SMs serve in their order"},
    {ORDERED(FIRST "serve 0 1 9 1 2 1 12\nclaim reorder-chain 99\n"), 2,
     "warp 1 of block 0 is not where it is served"},
    {ORDERED(FIRST "serve 0 2 0 1 2 1 12\nclaim reorder-chain 99\n"), 2, "SM 0 serves what it has not"},
    {ORDERED(FIRST "serve 1 1 0 1 2 1 12\nclaim reorder-chain 99\n"), 2, "SM 0 serves what it has not"},
    {ORDERED(FIRST "serve 0 1 0 1 2 2 12\nclaim reorder-chain 99\n"), 2, "SM 0 serves what it has not"},
    {ORDERED("serves 0\n" SECOND "claim reorder-chain 99\n"), 2, "it is not said what channels hold"},
    {ORDERED("channels 2\n" SECOND), 2, "no SM is said to serve"},
    {ORDERED(FIRST SECOND "claim turn-chain 99\n"), 2, "of policy reorder, and what follows of pure-rr"},
    {ORDERED(FIRST SECOND "claim segment-sum 99\n"), 2, "no claim of a scheme: segment-sum"},
    {ORDER("of policy reorder\n", "", ONE "held-sm 0 0 0 0\n" FIRST SECOND "claim reorder-chain 99\n"), 2,
     "it is not said what accesses there are"},
    {ORDER("", "accesses 1 1\n", ONE "held-sm 0 0 0 0\n" FIRST SECOND "claim reorder-chain 99\n"), 2,
     "it is said to be of policy any"},
    {ORDER("of policy reorder\n", "accesses 1 1\n", "class 0 1\n" FIRST SECOND "claim reorder-chain 99\n"), 2,
     "no SM is said to get a block"},
};

/* One warp alone takes 2 + 3 + 1; the other adds 2 + 1. */
static const struct forged forgeries[] = {
    {ROWS "claim sib 9\n", 0, "block: sib: at most 9 cycles: proven"},
    {ROWS "claim sib 8\n", 1, "at most 8 cycles: NOT PROVEN: what can be shown is 9"},
    {ROWS "claim sib 12\n", 0, "proven, even 9"},
    {GRID("class 0 5\nclaim k-sm 1\n"), 1, "kernel: k-sm: at most 1 cycles: NOT PROVEN"},
    /* docs/refutations/one-by-one.yaml: a block alone takes 4 cycles, the other initiates for 7. */
    {"machine 0 1 1 0\nunit 0 1\nunit 0 1\nblock 0\ninst 0 2 0 0 0 0\ninst 1 3 0 0 0 0\nsection\nrun 0 2\n"
     "run 0 1\nrow 0\nwarps 0 0 1\ngrid 1 2 2 0 0\nclass 0 2\nclaim k-sm 11\nclaim k-area 11\n",
     0, "k-area: at most 11 cycles: proven\n"},
    /* On one sub-core of two: 8 cycles of initiations on A, 1 on B, and 3 of latency. */
    {GRID("class 0 5\nalone chain\nclaim k-serial 29\n"), 1,
     "kernel: k-serial: at most 29 cycles: NOT PROVEN"},
    {GRID("class 0 5\nclaim k-chain 1\n"), 1, "kernel: k-chain: at most 1 cycles: NOT PROVEN"},
    {GRID("class 0 5\nclaim k-chain-area 1\nclaim k-chain-bal 1\n"), 1,
     "kernel: k-chain-bal: at most 1 cycles: NOT PROVEN"},
    /* Two stays of 4 + 3 + 1 cycles, and at the end 2 blocks of 2 + 5. */
    {OLDEST(IN_ORDER("0"), "unit 0 1\n", "of policy oldest\n") "23\n", 0,
     "k-oldest: at most 23 cycles: proven\n"},
    {OLDEST(IN_ORDER("0"), "unit 0 1\n", "of policy oldest\n") "22\n", 1, "what can be shown is 23"},
    {OLDEST(IN_ORDER("0"), "unit 0 1\n", "") "99\n", 2, "no claim where any block may issue first"},
    {OLDEST(IN_ORDER("1"), "unit 0 1\n", "of policy oldest\n") "99\n", 2, "no claim at this dispatch depth"},
    {OLDEST(IN_ORDER("0"), "unit 1 1\n", "of policy oldest\n") "99\n", 2,
     "no claim where sub-cores share a unit"},
    {ROWS "claim k-oldest 99\n", 2, "no claim of this block: k-oldest"},
    {ONE_WAVE("class 0 4\nclaim k-wave-sib 15\n"), 0, "k-wave-sib: at most 15 cycles: proven\n"},
    {ONE_WAVE("class 0 4\nclaim k-wave-sib 14\n"), 1, "what can be shown is 15"},
    {ONE_WAVE("class 0 4\nclaim k-wave-aln 14\n"), 1, "what can be shown is 15"},
    {ONE_WAVE("class 0 4\nclaim k-wave-fifo 99\n"), 2, "no claim where queues have limits"},
    {ONE_WAVE("class 0 5\nclaim k-wave-sib 99\n"), 2, "not all blocks are there from the start"},
    {ONE_WAVE("class 0 5\nclaim k-wave-aln 99\n"), 2, "not all blocks are there from the start"},
    {ONE_WAVE("class 0 1\nnext 0 4\nclaim k-wave-sib 99\n"), 2, "more or fewer blocks of class 0"},
    {ROWS "claim k-wave-aln 99\n", 2, "no claim of this block: k-wave-aln"},
    {"machine 2 1 1 0\nblock 0\ngrid 1 1 1 0 0\nclass 0 1\nclaim k-wave-sib 0\n", 2,
     "no claim at this dispatch depth"},
    {CROSSED "class 0 1\nclass 1 1\nclaim k-wave-sib 12\nclaim k-wave-aln 10\n", 0,
     "k-wave-aln: at most 10 cycles: proven\n"},
    {CROSSED "class 0 1\nclass 1 1\nclaim k-wave-sib 11\n", 1, "what can be shown is 12"},
    {CROSSED "class 0 1\nclass 1 1\nclaim k-wave-aln 9\n", 1, "what can be shown is 10"},
    {CHANGED "class 0 2\nclaim k-wave-sib 14\n", 0, "k-wave-sib: at most 14 cycles: proven\n"},
    {CHANGED "class 0 2\nclaim k-wave-sib 13\n", 1, "what can be shown is 14"},
    {QUEUED "grid 1 2 2 9 1\nclass 0 2\nclaim k-wave-fifo 9\n", 0, "at most 9 cycles: proven\n"},
    {QUEUED "grid 1 2 2 9 1\nclass 0 2\nnext 0 2\nclaim k-wave-fifo 18\n", 0, "at most 18 cycles: proven\n"},
    {QUEUED "grid 1 2 2 0 0\nclass 0 1\nclass 0 1\nclaim k-wave-fifo 9\n", 2, "blocks of several kinds"},
    {CHANGED "class 0 2\nclaim k-wave-fifo 99\n", 2, "no claim where queues have limits"},
    {"machine unlimited 2 1 0\nunit 0 1\nblock 0\ninst 0 2 3 0 0 0\nsection\nrun 0 1\nrow 0\nwarps 0 0 1\n"
     "grid 1 2 2 0 0\nclass 0 2\nclaim k-wave-fifo 99\n",
     2, "sub-cores with other warps"},
    {"machine unlimited 1 1 0\nblock 0\nsection\nrow 0\nrow 0\nwarps 0 0 1\n"
     "grid 1 2 2 0 0\nclass 0 2\nclaim k-wave-fifo 99\n",
     2, "a block of other than one section"},
    {GRID("class 0 5\nnext 0 5\nclaim k-sm-static 1\n"), 1,
     "kernel: k-sm-static: at most 1 cycles: NOT PROVEN"},
    {GRID("class 0 5\nnext 0 4\nclaim k-sm-static 99\n"), 2, "more or fewer blocks of class 0"},
    {GRID("class 0 5\nnext 0 4\nnext 0 2\nclaim k-sm-static 99\n"), 2, "more or fewer blocks of class 0"},
    {GRID("class 0 5\nclaim k-sm-static 99\n"), 2, "no SM is said to get a block"},
    {GRID("class 0 5\nnext 0 5\nclaim k-chain-static 1\n"), 1,
     "kernel: k-chain-static: at most 1 cycles: NOT PROVEN"},
    {GRID("class 0 5\nclaim k-chain-static 99\n"), 2, "no SM is said to get a block"},
    {GRID("class 0 5\nnext 0 5\nclaim k-sm 99\n"), 2, "blocks do not go to any SM"},
    {GRID("class 0 5\nnext 1 5\n"), 2, "no class 1"},
    {GRID("class 0 5\nalone lower\n"), 2, "no bound from above: lower"},
    {GRID("alone sib\n"), 2, "alone of no class"},
    {GRID("class 0 5\nalone k-sm\nclaim k-sm 9\n"), 2, "no claim of this block: k-sm"},
    /* Parts of paths: no queue, no execution, no wave, and no sums by sections, which may be joined. */
    {PARTS("parts\n") "claim sib 9\nclaim aln 9\n", 0, "block: aln: at most 9 cycles: proven"},
    {PARTS("parts\n") "claim fifo 99\n", 2, "no claim of parts of paths: fifo"},
    {PARTS("parts\n") "claim lower 0\n", 2, "no claim of parts of paths: lower"},
    {PARTS("parts\n") "grid 1 1 1 0 0\nclass 0 1\nalone fifo\nclaim k-sm 99\n", 2,
     "no claim of parts of paths: fifo"},
    {PARTS("parts\n") "grid 1 1 1 0 0\nclass 0 1\nclaim k-wave-sib 99\n", 2,
     "no claim of parts of paths: k-wave-sib"},
    {CHANGING("") "claim k-chain 14\nclaim k-serial 12\n", 0, "k-serial: at most 12 cycles: proven\n"},
    {CHANGING("parts\n") "claim k-chain 14\n", 1, "what can be shown is 16"},
    {CHANGING("parts\n") "claim k-serial 99\n", 2, "no claim of parts of paths with barriers"},
    {CHANGING("") "parts\n", 2, "parts of no block"},
    {ROWS "claim chain 9\n", 0, "block: chain: at most 9 cycles: proven"},
    {ROWS "claim chain 8\n", 1, "what can be shown is 9"},
    {ROWS "claim fifo 8\n", 1, "what can be shown is 9"},
    {ROWS "claim k-chain 9\n", 2, "no claim of this block: k-chain"},
    {ROWS "claim aln 8\n", 1, "at most 8 cycles: NOT PROVEN: what can be shown is 9"},
    {ROWS "claim gub 9\n", 2, "no method: gub"},
    {ROWS "claim k-sm 9\n", 2, "no claim of this block: k-sm"},
    {GRID("class 0 5\nclaim sib 9\n"), 2, "no claim of a kernel: sib"},
    {GRID("claim k-sm 9\n"), 2, "a kernel without a block"},
    {ROWS "grid 2 3 2 0 0\nclass 0 5\nclaim k-sm 0\n", 2, "no number of blocks is from 3 to 2"},
    {"machine 1 1 1 0\nunit 0 1\nblock 0\ninst - 0 4 0 0 0\nsection\nrun 0 1\nrow 0\nwarps 0 0 1\nclaim sib "
     "4\n",
     0, "at most 4 cycles: proven"},
    {BLOCK "section\nagain 0 4000000000000000000\nrow 0\nwarps 0 0 1\nclaim lower 1\n", 2, "takes too long"},
    {ROWS "end 0123456789abcdef\n", 2, "it was changed"},
    {GRID("class 1 5\n"), 2, "1 is not below 1"},
    {GRID("class 0 0\n"), 2, "1 is the least"},
    {GRID("run 0 1\n"), 2, "run of no block"},
    {ROWS "claim sib\n", 2, "claim: less than was expected"},
    {ROWS "claim sib 9 9\n", 2, "more than was expected: 9"},
    {ROWS "claim sib -9\n", 2, "not a number: -9"},
    {ROWS "claim sib 99999999999999999999\n", 2, "larger than 2^62"},
    {ROWS "claim sib 9\nrun 0 1\n", 2, "run behind a claim"},
    {ROWS, 2, "nothing is claimed"},
    {"", 2, "nothing is claimed"},
    {"claim sib 9\n", 2, "the machine comes first"},
    {MACHINE "claim sib 9\n", 2, "no claim of a kernel: sib"},
    {MACHINE "machine 0 1 1 0\n", 2, "the machine comes first"},
    {GRID("class 0 1\nclaim k-sm 9\nclass 0 5\n"), 2, "class behind a claim"},
    {GRID("class 0 5\ngrid 9 1 2 0 0\n"), 2, "grid behind the grid"},
    {GRID("class 0 5\nblock 1\n"), 2, "block behind the grid"},
    {ROWS "class 0 5\n", 2, "class of no grid"},
    {MACHINE "block 3\nqueue 0 2\nqueue 1 2\n", 2, "a register is of one queue"},
    {MACHINE "block 3\nqueue 0 2\ninst 0 1 1 0 0 1 0 1\n", 2, "1 is of a queue"},
    {BLOCK "queue 0 2\n", 2, "a queue behind instructions"},
    {"bound sib 9\n", 2, "unknown: bound"},
    {"machine 0 0 1 0\n", 2, "1 is the least"},
    {MACHINE "unit 2 1\n", 2, "2 is not below 2"},
    {BLOCK "machine 0 2 1 0\n", 2, "machine behind a block"},
    {MACHINE "block 2\nqueue 0 3\n", 2, "more than there are registers"},
    {BLOCK "inst 2 1 1 0 0 0\n", 2, "2 is not below 2"},
    {BLOCK "inst 0 0 1 0 0 0\n", 2, "a unit takes one cycle at least"},
    {BLOCK "inst - 1 1 0 0 0\n", 2, "a unit takes one cycle at least"},
    {BLOCK "inst 0 1 1 0 0 0 2\n", 2, "2 is not below 2"},
    {BLOCK "inst 0 1 1 0 0 2 1\n", 2, "more sources than registers"},
    {BLOCK "inst 0 1 1 1 0 0\n", 2, "1 is not below 1"},
    {BLOCK "inst 0 1 1 0 0\n", 2, "inst: less than was expected"},
    {BLOCK "run 0 1\n", 2, "no section"},
    {BLOCK "section\nrun 1 2\n", 2, "more than there are instructions"},
    {BLOCK "section\nagain 1 2\n", 2, "more than there are steps"},
    {BLOCK "section\nrun 0 1\nagain 1 2\nagain 2 2\n", 2, "a loop in a loop"},
    {BLOCK "section\nrow 1\n", 2, "1 is not below 1"},
    {BLOCK "section\nrow\n", 2, "row: less than was expected"},
    {BLOCK "section\nrow 0\nrow 0 0\n", 2, "a row has a section for every path"},
    {BLOCK "section\nrow 0\nwarps 0 2 1\n", 2, "2 is not below 2"},
    {BLOCK "section\nrow 0\nsection\n", 2, "a section behind rows"},
    {BLOCK "section\nrow 0\nrun 0 1\n", 2, "a run behind rows"},
    {BLOCK "section\nrun 0 2\nagain 1 4611686018427387903\nrow 0\nwarps 0 0 1\nclaim elb 1\n", 2,
     "larger than 2^62"},
    {BLOCK "section\nrun 0 2\nagain 1 2000000000000000000\nrow 0\nwarps 0 0 1\nclaim elb 1\n", 2,
     "larger than 2^62"},
};

/* Two warps of `A B.0`, A(2,3) at depth 1, B(1,0), on one sub-core; times of A, B of the first, then of the
 * second. */
#define EXECUTED                                                                                             \
    "machine 1 1 1 0\nunit 0 1\nunit 0 1\nblock 1\ninst 0 2 3 0 0 0 0\ninst 1 1 0 0 0 1 0\nsection\nrun 0 "  \
    "2\n"                                                                                                    \
    "row 0\nwarps 0 0 2\n"

static const struct forged executions[] = {
    {EXECUTED "at 0 0 2 3\nat 5 5 1 0\nat 1 2 2 3\nat 7 7 1 0\nclaim lower 8\n", 0,
     "at least 8 cycles: proven"},
    {EXECUTED "at 0 0 2 3\nat 5 5 1 0\nat 1 2 2 3\nat 7 7 1 0\nclaim lower 9\n", 1,
     "NOT PROVEN: what can be shown is 8"},
    {EXECUTED "at 0 0 2 3\nat 5 5 1 0\nat 1 2 2 3\nat 7 7 1 0\nclaim lower 7\n", 0, "proven, even 8"},
    {EXECUTED "at 0 0 2 1\nat 3 3 1 0\nat 1 2 1 3\nat 6 6 1 0\nclaim lower 7\n", 0, "proven"},
    {EXECUTED "at 0 0 2 4\nat 6 6 1 0\nat 1 2 2 3\nat 7 7 1 0\nclaim lower 8\n", 1, "the stated latency"},
    {EXECUTED "at 0 0 3 3\nat 6 6 1 0\nat 1 3 2 3\nat 8 8 1 0\nclaim lower 9\n", 1, "the stated initiation"},
    {EXECUTED "at 0 0 0 3\nat 3 3 1 0\nat 1 1 2 3\nat 6 6 1 0\nclaim lower 7\n", 1, "the stated initiation"},
    {EXECUTED "at 0 0 2 3\nat 4 4 1 0\nat 1 2 2 3\nat 7 7 1 0\nclaim lower 8\n", 1, "R1, R2 or R7"},
    {EXECUTED "at 0 0 2 3\nat 6 5 1 0\nat 1 2 2 3\nat 7 7 1 0\nclaim lower 8\n", 1, "R3 (it starts before"},
    {EXECUTED "at 0 1 2 3\nat 6 6 1 0\nat 1 3 2 3\nat 8 8 1 0\nclaim lower 9\n", 1,
     "R3 (it waits for a unit"},
    {EXECUTED "at 0 0 2 3\nat 5 5 1 0\nat 1 1 2 3\nat 6 6 1 0\nclaim lower 7\n", 1, "R3 (instances)"},
    {EXECUTED "at 0 3 2 3\nat 8 8 1 0\nat 1 1 2 3\nat 6 6 1 0\nclaim lower 9\n", 1,
     "R3 (first in, first out)"},
    {EXECUTED "at 0 0 2 3\nat 5 5 1 0\nat 0 2 2 3\nat 7 7 1 0\nclaim lower 8\n", 1, "R5"},
    {EXECUTED "at 0 0 2 3\nat 5 5 1 0\nat 3 3 2 3\nat 8 8 1 0\nclaim lower 9\n", 1, "R6"},
    {"machine 0"
     ""
     " 1 1 0\nunit 0 1\nblock 1\ninst 0 2 3 0 0 0 0\nsection\nrun 0 1\nrow 0\nwarps 0 0 2\n"
     "at 0 0 2 3\nat 1 2 2 3\nclaim lower 7\n",
     1, "R4"},
    /* The second section begins two cycles behind the last arrival. */
    {"machine 0 1 1 2\nunit 0 1\nblock 1\ninst 0 1 0 0 0 0 0\nsection\nrun 0 1\nrow 0\nrow 0\nwarps 0 0 1\n"
     "at 0 0 1 0\nat 3 3 1 0\nclaim lower 4\n",
     0, "at least 4 cycles: proven"},
    {"machine 0 1 1 2\nunit 0 1\nblock 1\ninst 0 1 0 0 0 0 0\nsection\nrun 0 1\nrow 0\nrow 0\nwarps 0 0 1\n"
     "at 0 0 1 0\nat 1 1 1 0\nclaim lower 2\n",
     1, "R1, R2 or R7"},
    {EXECUTED "at 0 0 2 3\nat 5 5 1 0\nat 1 2 2 3\nclaim lower 8\n", 2, "not all instructions are executed"},
    {EXECUTED "at 0 0 2 3\nat 5 5 1 0\nat 1 2 2 3\nat 7 7 1 0\nat 8 8 1 0\nclaim lower 9\n", 2,
     "more is executed than there is"},
    {EXECUTED "at 0 0 2\n", 2, "at: less than was expected"},
};

/* Cycles in which everything stands still come on top, where that is proven. */
static const struct forged held[] = {
    {SERVED("claim sib 17\nclaim elb 17\n"), 0, "sib: at most 17 cycles: proven\n"},
    {SERVED("claim sib 16\n"), 1, "what can be shown is 17"},
    {PORTS("1", "claim sib 17\n"), 0, "at most 17 cycles: proven\n"},
    {PORTS("1 0", "claim sib 17\n"), 2, "several ports: sib"},
    {PORTS("0", "claim fib 17\n"), 2, "several ports: fib"},
    {PORTS("0", "claim elb 17\n"), 0, "at most 17 cycles: proven\n"},
    {PORTS("0", "claim elb 16\n"), 1, "what can be shown is 17"},
    {SERVED("claim lower 1\n"), 2, "no execution of a machine that stands still at times"},
    {ROWS "stalled 1 0 1 -\nclaim lower 1\n", 2, "no execution of a machine that stands still at times"},
    {MACHINE "held fetch 1 1\nblock 0\nsection\nrow 0\nwarps 0 0 1\nclaim lower 0\n", 2,
     "no execution of a machine that stands still at times"},
    {SERVED("grid 2 1 2 0 0\nclass 0 5\nclaim k-sm 50\nclaim k-area 40\nclaim k-chain-area 40\n"), 0,
     "k-area: at most 40 cycles: proven\n"},
    {SERVED("grid 2 1 2 0 0\nclass 0 5\nclaim k-sm 49\n"), 1, "what can be shown is 50"},
    {SERVED("grid 2 1 2 0 0\nclass 0 5\nclaim k-area 39\n"), 1, "what can be shown is 40"},
    {SERVED("grid 2 1 2 0 0\nclass 0 5\nnext 0 5\nclaim k-sm-static 38\n"), 1, "what can be shown is 39"},
    {PORTS("0", "grid 2 1 2 0 0\nclass 0 5\nalone sib\nclaim k-sm 99\n"), 2, "several ports: sib"},
    {SERVED("grid 2 1 2 0 0\nclass 0 5\nclaim k-serial 99\n"), 2, "everything stands still at times"},
    {ROWS "stalled 1 0 1 -\ngrid 2 1 2 0 0\nclass 0 1\nclaim k-wave-sib 99\n", 2,
     "everything stands still at times"},
    {SEGMENTS("2 2 2 4 0", "held-sm 0 0 0 1\nheld-sm 1 4 2 2\nclaim segment-sum 36\n"), 0,
     "at most 36 cycles: proven\n"},
    {SEGMENTS("2 2 2 4 0", "held-sm 0 1 1 0\nheld-sm 1 5 2 0\nclaim segment-sum 35\n"), 1,
     "what can be shown is 36"},
    {SEGMENTS("2 1 1 4 0", "held-sm 0 1 1 0\nheld-sm 1 5 2 0\nclaim segment-sum 46\n"), 1,
     "what can be shown is 47"},
    {SEGMENTS("2 1 2 4 0", "held-sm 0 0 0 0\nheld-sm 1 0 0 0\nclaim segment-sum 45\n"), 1,
     "what can be shown is 46"},
    {SEGMENTS("2 1 2 4 0", "claim segment-sum 99\n"), 2, "not said what is held on SM 0"},
    {SEGMENTS("2 1 2 4 0", "held-sm 0 0 0 0\nclaim segment-sum 99\n"), 2, "not said what is held on SM 1"},
    {SEGMENTS("2 1 2 4 0", "held-sm 1 0 0 0\n"), 2, "not said what is held on SM 0"},
    {SEGMENTS("2 1 1 4 1", "claim segment-sum 99\n"), 2, "no claim where the dispatcher takes time"},
    {SEGMENTS("2 1 1 4 0", "held-sm 0 5 2 0\nclaim k-sm-static 99\n"), 2, "single SMs stand still at times"},
    {SEGMENTS("2 1 1 4 0", "held-sm 2 5 2 0\n"), 2, "no SM 2"},
    {SERVED("grid 2 1 1 0 0\nclass 0 2\nclaim segment-sum 99\n"), 2, "no SM is said to get a block"},
    {ROWS "grid 1 1 1 0 0\nclass 0 1\nfetches 1\nnext 0 1\nheld-sm 0 0 0 0\nclaim segment-sum 99\n", 2,
     "where warps wait for instructions"},
    {MACHINE "block 0\nsection\nrow 0\nwarps 0 0 1\ngrid 1 1 1 0 0\nclass 0 1\nnext 0 1\nheld-sm 0 0 0 0\n"
             "claim segment-sum 99\n",
     2, "no claim of empty blocks"},
    {MACHINE "block 0\nsection\nrow 0\nwarps 0 0 1\nstalled 1 0 1 -\ngrid 1 1 1 0 0\nclass 0 1\nnext 0 1\n"
             "held-sm 0 0 0 0\nclaim segment-sum 99\n",
     2, "no claim of empty blocks"},
    {SEGMENTS("2 2 2 4 0", "held-sm 0 0 0 1\nheld-sm 1 4 2 2\nclaim segment-sum 36\n"), 0,
     "an SM 10; that a warp issues one instruction in a cycle; that an SM holds 2 blocks; that the theorems"},
    {ROWS "grid 2 2 2 0 0\nclass 0 2\nheld-sm 0 5 2 0\nclaim k-wave-sib 99\n", 2,
     "everything stands still at times"},
    {ROWS "block 0\nsection\nrow 0\nwarps 0 0 1\ngrid 2 2 2 0 0\nclass 1 2\nclaim k-sm 99\n", 2,
     "block 0 is of no class"},
    {ROWS "held fetch 1 1\n", 2, "held behind a block"},
    {ROWS "stalled 7 2 0 -\n", 2, "1 is the least"},
    {MACHINE "stalled 7 2 1 -\n", 2, "stalled of no block"},
};

static void test_forgeries_are_refused(void **state) {
    (void)state;
    check_forgeries(forgeries, sizeof forgeries / sizeof *forgeries);
    check_forgeries(executions, sizeof executions / sizeof *executions);
    check_forgeries(held, sizeof held / sizeof *held);
    check_forgeries(turns, sizeof turns / sizeof *turns);
    check_forgeries(orders, sizeof orders / sizeof *orders);
}

/* Whatever byte is changed: what it says is not true, or the sum at the end tells. */
static void test_changes_are_noticed(void **state) {
    (void)state;
    static const struct random_shape shape = {SHAPE_BLOCK(2, 3, 5, 2, 3), SHAPE_SM(1, 1, 1)};
    static const uint32_t depths[] = {0};
    struct random_block random;
    wb_analysis *analysis = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    int status;
    random_block_make(SEED, &shape, depths, 1, &random);
    assert_int_equal(analysis_of_timed(&random.block.timed, diagnostics, &analysis), WB_OK);
    struct text text = certificate_of(analysis, "sib", "lrr");
    for (size_t i = 0; i < text.length; i++) {
        const char was = text.data[i];
        text.data[i] = (char)(was ^ 1);
        const char *said = check_text(text.data, text.length, &status);
        if (status == 0) fail_msg("byte %zu: status %d: %s", i, status, said);
        text.data[i] = was;
    }
    (void)check_text(text.data, text.length - 1, &status);
    assert_int_equal(status, 2);
    text_free(&text);
    wb_analysis_free(analysis);
    synthetic_block_free(&random.block);
    wb_diagnostics_free(diagnostics);
}

/* What stands in no certificate that is written: bytes that would move a terminal's cursor are shown as '?',
 * lines without end are refused, and so many blocks on an SM as there are none take no time. */
static void test_limits(void **state) {
    (void)state;
    static const char escapes[] = "warpbound timing certificate 3\n\033[2K\rkernel:\033[Ck-sm\007\x9b\n";
    const size_t length = 3 << 20;
    char *zeros = calloc(length, 1);
    int status;
    const char *said = check_text(escapes, sizeof escapes - 1, &status);
    assert_int_equal(status, 2);
    assert_non_null(strstr(said, "unknown: ?[2K?kernel:?[Ck-sm??\n"));
    assert_non_null(zeros);
    assert_non_null(strstr(check_text(zeros, length, &status), "a line that is too long"));
    assert_int_equal(status, 2);
    memset(zeros, '1', length);
    assert_non_null(strstr(check_text(zeros, length, &status), "a line that is too long"));
    assert_int_equal(status, 2);
    free(zeros);
    static const char *const methods[] = {"k-sm",         "k-area",      "k-bal",   "k-chain",
                                          "k-chain-area", "k-chain-bal", "k-serial"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        char lines[500];
        struct text few = {0};
        (void)snprintf(lines, sizeof lines, "%sclass 0 3\nclaim %s 1\n", ROWS "grid 2 1 3 1 0\n", methods[m]);
        text_string(&few, check_lines(lines, &status));
        assert_int_equal(status, 1);
        (void)snprintf(lines, sizeof lines, "%sclass 0 3\nclaim %s 1\n", ROWS "grid 2 1 1000000000000 1 0\n",
                       methods[m]);
        const char *room = strstr(few.data, "; that an SM holds 1 to 3 blocks");
        assert_non_null(room);
        assert_memory_equal(check_lines(lines, &status), few.data, (size_t)(room - few.data));
        assert_int_equal(status, 1);
        text_free(&few);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_blocks_are_computed_alike),
        cmocka_unit_test(test_searched_blocks),
        cmocka_unit_test(test_random_grids_are_computed_alike),
        cmocka_unit_test(test_random_grids_of_a_policy_are_computed_alike),
        cmocka_unit_test(test_random_waves_are_computed_alike),
        cmocka_unit_test(test_a_change_behind_the_last_section),
        cmocka_unit_test(test_random_shared_memory),
        cmocka_unit_test(test_forgeries_are_refused),
        cmocka_unit_test(test_changes_are_noticed),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
