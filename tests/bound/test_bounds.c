/* The bounds of blocks: values worked out by hand, and against all schedules of random blocks of every kind,
 * which no bound is below and of which some reach it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "bound_named.h"
#include "explorer.h"
#include "naive_sim.h"
#include "random_check.h"

#define UNLIMITED DEPTH_UNLIMITED

/* States after which a search is given up; the blocks here need far fewer. */
#define SEARCH_STATES 2000000

static void parse(const char *units, const char *warps, uint32_t depth, struct synthetic_block *block) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (synthetic_block_parse(units, warps, diagnostics, block) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    block->machine.dispatch_depth = depth;
}

/* An analysis with these bounds and every simulation. */
static wb_analysis *analyse_with(const struct timed_block *timed, const char *methods) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_analysis *analysis = NULL;
    assert_int_equal(analysis_of_timed(timed, diagnostics, &analysis), WB_OK);
    assert_int_equal(wb_analysis_bound(analysis, methods, NULL, diagnostics), WB_OK);
    assert_int_equal(wb_analysis_simulate(analysis, "all", NULL, diagnostics), WB_OK);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 0);
    wb_diagnostics_free(diagnostics);
    return analysis;
}

/* All bounds, and the published one, which "all" leaves out. */
static wb_analysis *analyse(const struct timed_block *timed) {
    wb_analysis *analysis = analyse_with(timed, "all");
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(wb_analysis_bound(analysis, "gub", NULL, diagnostics), WB_OK);
    wb_diagnostics_free(diagnostics);
    return analysis;
}

static cycles simulated(const wb_analysis *analysis, const char *policy) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(simulations[i].policy, policy) == 0) return simulations[i].cycles;
    }
    fail_msg("no simulation %s", policy);
    return 0;
}

/* Blocks whose worst case exceeds GUB, some of them under plain LRR. */
struct counterexample {
    uint32_t depth;
    const char *units, *warps;
    cycles gub, lrr, exact;
};

static const struct counterexample beyond_gub[] = {
    {0, "A(3,0) B(2,0)", "B A B; A B", 7, 7, 8},
    {0, "A(3,0) B(2,0)", "2x B A B", 8, 8, 9},
    {0, "A(10,0) B(9,0) C(9,0)", "A B C; B A C", 22, 30, 30},
    {1, "A(2,0) B(2,0)", "2x A A B.0", 8, 8, 9},
    {1, "A(3,0) C(4,0)", "3x A A C", 18, 19, 19},
    {1, "I(2,2) S(8,13)", "4x I I I S", 57, 60, 60},
    {2, "A(3,0) B(2,0)", "2x B B B A.0", 12, 12, 13},
    {2, "B(5,0) C(3,0)", "3x C C C B", 27, 28, 28},
    {UNLIMITED, "A(3,0) B(2,0)", "A B B A.0; A A B B.2", 12, 12, 13},
    {UNLIMITED, "A(4,0) B(2,0)", "2x A B B B.1 A.0", 16, 16, 17},
    {UNLIMITED, "A(10,0) B(10,0) C(4,0)", "C C C C C A B.5; A C B.1", 40, 32, 44},
};

static void test_gub_is_exceeded(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof beyond_gub / sizeof beyond_gub[0]; i++) {
        const struct counterexample *row = &beyond_gub[i];
        struct synthetic_block block;
        parse(row->units, row->warps, row->depth, &block);
        wb_analysis *analysis = analyse(&block.timed);
        const wb_bound *gub = bound_named(analysis, "gub");
        cycles exact = explore(&block.timed, SEARCH_STATES), lrr = simulated(analysis, "lrr");
        if (gub->cycles != row->gub || lrr != row->lrr || exact != row->exact)
            fail_msg("row %zu: gub %llu, lrr %llu, exact %llu", i, (unsigned long long)gub->cycles,
                     (unsigned long long)lrr, (unsigned long long)exact);
        assert_true(exact > gub->cycles);
        assert_int_equal(gub->kind, WB_ESTIMATE);
        assert_non_null(gub->reason);
        assert_true(bound_named(analysis, "sib")->cycles >= exact);
        assert_true(bound_named(analysis, "elb")->cycles >= exact);
        wb_analysis_free(analysis);
        synthetic_block_free(&block);
    }
}

/* Known blocks that refute tempting formulas, with their exact worst cases. */
static void test_exact_worst_cases(void **state) {
    (void)state;
    static const struct {
        uint32_t depth;
        const char *units, *warps;
        cycles exact;
    } rows[] = {
        /* Several initiation times on one unit: SIB with each instruction's own initiation is 15. */
        {1, "C(2,2) B(5,3) b(2,6)@B A(1,8) x(1,4)@B", "C B b A; x", 16},
        /* More than one warp alone plus (others' instructions, or unit work): 22. */
        {UNLIMITED, "A(6,2) B(3,0)", "2x B B.0 A.1", 23},
        /* More than pairs of warps explain: 36. */
        {UNLIMITED, "A(6,1)", "3x A A.0", 37},
        {UNLIMITED, "A(1,1) B(2,4)", "4x A B", 16},
        /* Slower than one warp after the other. */
        {0, "A(3,0) B(2,0)", "B A B; A B", 8},
        /* A dependent chain: the slope of the bounds, 40, is far off. */
        {0, "A(2,2) B(2,2)", "4x A B.0 A.1 B.2", 25},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct synthetic_block block;
        parse(rows[i].units, rows[i].warps, rows[i].depth, &block);
        cycles exact = explore(&block.timed, SEARCH_STATES);
        if (exact != rows[i].exact) fail_msg("row %zu: exact %llu", i, (unsigned long long)exact);
        wb_analysis *analysis = analyse(&block.timed);
        assert_true(wb_analysis_best(analysis)->cycles >= exact);
        wb_analysis_free(analysis);
        synthetic_block_free(&block);
    }
}

/* The exact worst cases of the sections between barriers do not add up to a bound, those of SIB do. */
static void test_sections_do_not_add_up(void **state) {
    (void)state;
    static const uint32_t depths[] = {0, UNLIMITED};
    static const char *const parts[] = {"A; A", "A B.0; B A.0", "A | A.0 B.1; A | B.0 A.1"};
    for (size_t d = 0; d < 2; d++) {
        cycles exact[3], sib[3];
        for (size_t p = 0; p < 3; p++) {
            struct synthetic_block block;
            parse("A(4,3) B(1,2)", parts[p], depths[d], &block);
            exact[p] = explore(&block.timed, SEARCH_STATES);
            wb_analysis *analysis = analyse(&block.timed);
            sib[p] = bound_named(analysis, "sib")->cycles;
            wb_analysis_free(analysis);
            synthetic_block_free(&block);
        }
        assert_int_equal(exact[0] + exact[1], 23);
        assert_int_equal(exact[2], 24);
        assert_int_equal(sib[0] + sib[1], sib[2]);
        assert_true(sib[2] >= exact[2]);
    }
}

/* ECRTS'25, figure 4: two latencies get shorter and the LRR schedule gets longer. */
static void test_lrr_anomaly(void **state) {
    (void)state;
    static const struct {
        const char *warps;
        cycles lrr;
    } rows[] = {{"A A.0; C A.0 C.1; C", 13}, {"a a.0; C A.0 C.1; C", 16}};
    for (size_t i = 0; i < 2; i++) {
        struct synthetic_block block;
        parse("A(4,1) a(4,0)@A C(1,2)", rows[i].warps, UNLIMITED, &block);
        wb_analysis *analysis = analyse(&block.timed);
        assert_int_equal(simulated(analysis, "lrr"), rows[i].lrr);
        wb_analysis_free(analysis);
        synthetic_block_free(&block);
    }
}

/* Kinds: SIB and ELB are proven, GUB never; it says where it equals SIB. */
static void test_kinds(void **state) {
    (void)state;
    static const struct {
        uint32_t depth;
        const char *units, *warps;
        bool gub_is_sib;
    } rows[] = {
        {0, "A(3,0) B(2,0)", "B A", false},
        {1, "A(3,0) B(2,0)", "B A", false},
        {2, "A(3,0) B(2,0)", "B A", false},
        {UNLIMITED, "A(3,0) B(2,0)", "B A", false},
        {UNLIMITED, "A(1,9) B(1,3)", "3x B A B.1", true},
        {UNLIMITED, "A(4,9)", "3x A A", true},
        /* Of longer queues SIB is that of one entry. */
        {2, "A(4,9)", "3x A A", false},
        /* No overlap in one section is not enough. */
        {UNLIMITED, "A(3,0) B(2,0)", "A | A B", false},
        /* At depth 1 SIB charges more than the warp's own initiations. */
        {1, "A(3,0) a(2,0)@A", "A a", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct synthetic_block block;
        parse(rows[i].units, rows[i].warps, rows[i].depth, &block);
        wb_analysis *analysis = analyse(&block.timed);
        const wb_bound *sib = bound_named(analysis, "sib"), *gub = bound_named(analysis, "gub");
        bool gub_is_sib = strstr(gub->reason, "it equals sib") != NULL;
        if (sib->kind != WB_UPPER || gub_is_sib != rows[i].gub_is_sib)
            fail_msg("row %zu: sib %s, gub: %s", i, wb_kind_name(sib->kind), gub->reason);
        assert_true(!gub_is_sib || gub->cycles == sib->cycles);
        assert_int_equal(gub->kind, WB_ESTIMATE);
        assert_int_equal(bound_named(analysis, "elb")->kind, WB_UPPER);
        assert_null(sib->reason);
        assert_true(sib->assumption_count >= 5);
        assert_true(wb_analysis_best(analysis)->cycles <= bound_named(analysis, "elb")->cycles);
        wb_analysis_free(analysis);
        synthetic_block_free(&block);
    }
}

/* The values of small blocks, worked out by hand. */
static void test_values(void **state) {
    (void)state;
    static const struct {
        uint32_t depth;
        const char *units, *warps;
        cycles sib, gub, elb;
        uint32_t release;
    } rows[] = {
        /* iso 7; others: 2 * 5, their execution phases 2 * 4; E 15, longest latency 3. */
        {0, "A(3,3) B(2,1)", "3x B A", 17, 15, 18, 0},
        {0, "A(3,3) B(2,0)", "3x A B", 16, 12, 18, 0},
        /* Two sections of iso 5 and 3, with one other warp in the first. */
        {0, "A(2,3) B(3,0)", "A | B; A", 10, 10, 10, 0},
        /* Depth 1: every instruction on A counts 5. */
        {1, "A(5,0) a(1,2)@A", "a; A a", 13, 9, 9, 0},
        /* The last section, 8 long, is of the third warp alone; the other two have nothing to wait for there
         * (with them the largest term would be all that it initiates, 10). E 36, latencies 3 + 3. */
        {0, "A(2,0) B(3,0) C*2(3,3)", "A B C.1 | B.0; C B A.1 | C.2 C A.3 | B.3 C B.0", 37, 35, 42, 0},
        /* The release passes while A's result is under way: 1 + 9 and A once more, as it happens. Where the
         * release is behind it, it counts: 1 + 3 + 9 + 1. */
        {0, "A(1,9)", "A | A.0", 23, 23, 20, 3},
        {0, "A(1,9)", "A | A", 23, 23, 14, 3},
        /* A barrier that ends the path is released, too. */
        {0, "A(1,2)", "A |", 6, 6, 4, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct synthetic_block block;
        parse(rows[i].units, rows[i].warps, rows[i].depth, &block);
        block.machine.barrier_release = rows[i].release;
        wb_analysis *analysis = analyse(&block.timed);
        cycles sib = bound_named(analysis, "sib")->cycles, gub = bound_named(analysis, "gub")->cycles;
        cycles elb = bound_named(analysis, "elb")->cycles;
        if (sib != rows[i].sib || gub != rows[i].gub || elb != rows[i].elb)
            fail_msg("row %zu: sib %d, gub %d, elb %d", i, (int)sib, (int)gub, (int)elb);
        wb_analysis_free(analysis);
        synthetic_block_free(&block);
    }
}

/* What FIFO charges by the queue of a unit. Program 1: B's wait for each other, so that one B of the other
 * warp can be in the queue before an own one, 8 cycles; the path through the A's, 61, stays the longest; 6
 * slots. */
static void test_fifo_values(void **state) {
    (void)state;
    static const struct {
        uint32_t depth;
        const char *units, *warps;
        cycles fib, fifo, exact;
    } rows[] = {
        {UNLIMITED, "B(8,0) A(1,19)", "2x B A B.0 A.1 B.2 A.3", 88, 67, 63},
        /* Where A is fast, 3 * 16 + 6 on the path through the B's is more than FIB. */
        {UNLIMITED, "B(8,0) A(1,0)", "2x B A B.0 A.1 B.2 A.3", 51, 51, 48},
        /* Two B's can be in the queue at once, 16 before every own one, and the last A is issued behind the
         * third B, at 49. */
        {UNLIMITED, "B(8,0) A(1,39)", "2x B B A B.1 A.2", 108, 94, 85},
        /* Limited queues: FIB. */
        {0, "B(8,0) A(1,19)", "2x B A B.0 A.1 B.2 A.3", 88, 88, 0},
        {1, "B(8,0) A(1,19)", "2x B A B.0 A.1 B.2 A.3", 88, 88, 0},
        /* Two instances share the one B that can be there: 4 cycles. */
        {UNLIMITED, "B*2(8,0) A(1,19)", "2x B A B.0 A.1 B.2 A.3", 88, 67, 64},
        /* That the second B is done does not say that the first is: with the two that follow 24, 12 for each.
         */
        {UNLIMITED, "B*2(8,0) A(1,39)", "2x B B A.1 A.2 B.2 B.2 A.3 A.6", 212, 208, 179},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct synthetic_block block;
        parse(rows[i].units, rows[i].warps, rows[i].depth, &block);
        wb_analysis *analysis = analyse(&block.timed);
        const wb_bound *fib = bound_named(analysis, "fib"), *fifo = bound_named(analysis, "fifo");
        cycles exact = explore(&block.timed, SEARCH_STATES);
        if (fib->cycles != rows[i].fib || fifo->cycles != rows[i].fifo ||
            (rows[i].exact != 0 && exact != rows[i].exact))
            fail_msg("row %zu: fib %d, fifo %d, exact %d", i, (int)fib->cycles, (int)fifo->cycles,
                     (int)exact);
        assert_int_equal(fifo->kind, WB_UPPER);
        assert_true(exact <= fifo->cycles);
        wb_analysis_free(analysis);
        synthetic_block_free(&block);
    }
}

/* Bounds of single warps: definition 9 for GUB, the term of SIB for SIB; ELB has none. */
static void test_warp_bounds(void **state) {
    (void)state;
    struct synthetic_block block;
    parse("A(3,3) B(2,1)", "2x A B; B | A", UNLIMITED, &block);
    wb_analysis *analysis = analyse(&block.timed);
    const size_t sib = choose_index("sib", wb_method_name), gub = choose_index("gub", wb_method_name);
    cycles value;
    /* w0: iso 6, then the others' initiations 5 + 2, their phases 3 + 2. It has nothing in section 2, where
     * GUB, as published, adds the phases of w2 all the same. */
    assert_true(analysis_warp_bound(analysis, sib, 0, &value));
    assert_int_equal(value, 6 + 7);
    assert_true(analysis_warp_bound(analysis, gub, 1, &value));
    assert_int_equal(value, 6 + 5 + 3);
    /* w2: iso 3 and 6; the others' initiations 10, their phases 6. */
    assert_true(analysis_warp_bound(analysis, sib, 2, &value));
    assert_int_equal(value, 3 + 10 + 6);
    assert_true(analysis_warp_bound(analysis, gub, 2, &value));
    assert_int_equal(value, 3 + 6 + 6);
    assert_false(analysis_warp_bound(analysis, choose_index("elb", wb_method_name), 0, &value));
    /* The block: 13 in section 1 (w0, w1, w2 all have it), 6 in section 2. */
    assert_int_equal(bound_named(analysis, "sib")->cycles, 13 + 6);
    assert_int_equal(bound_named(analysis, "gub")->cycles, 11 + 6);
    wb_analysis_free(analysis);
    synthetic_block_free(&block);
}

/* Warps of other sub-cores count only on shared units. */
static void test_sub_cores(void **state) {
    (void)state;
    struct synthetic_block block;
    parse("A(4,0) B(2,0)", "4x A B.0", UNLIMITED, &block);
    block.machine.sub_cores = 2;
    block.machine.units[0].shared = false;
    wb_analysis *analysis = analyse(&block.timed);
    /* iso 6; the warp of the same sub-core 6, the other two 2 each. */
    assert_int_equal(bound_named(analysis, "sib")->cycles, 16);
    assert_int_equal(bound_named(analysis, "sib")->kind, WB_UPPER);
    assert_int_equal(bound_named(analysis, "elb")->cycles, 24);
    wb_analysis_free(analysis);
    synthetic_block_free(&block);
}

/* Two instructions of a warp in a cycle: warp 0 issues A and B in cycle 0, warp 1 in cycle 1; A of warp 1
 * waits until 4 and ends at 8. SIB is that of one instruction a cycle, 4 and 4 + 2 of the other warp. */
static void test_turns(void **state) {
    (void)state;
    struct synthetic_block block;
    parse("A(4,0) B(2,0)", "2x A B", UNLIMITED, &block);
    block.machine.issue_per_warp = 2;
    wb_analysis *analysis = analyse(&block.timed);
    assert_int_equal(bound_named(analysis, "sib")->cycles, 10);
    assert_int_equal(bound_named(analysis, "sib")->kind, WB_UPPER);
    assert_int_equal(bound_named(analysis, "adversary")->kind, WB_LOWER);
    assert_int_equal(bound_named(analysis, "adversary")->cycles, 8);
    assert_int_equal(simulated(analysis, "lrr"), 8);
    assert_int_equal(explore(&block.timed, SEARCH_STATES), 8);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(wb_analysis_bound(analysis, "exhaustive", NULL, diagnostics), WB_OK);
    assert_int_equal(bound_named(analysis, "exhaustive")->kind, WB_EXACT);
    assert_int_equal(bound_named(analysis, "exhaustive")->cycles, 8);
    wb_diagnostics_free(diagnostics);
    wb_analysis_free(analysis);
    synthetic_block_free(&block);
}

static size_t method_number(const wb_bound *bound) {
    return choose_index(bound->method, wb_method_name);
}

/* Results stand in the registry's order, once each, whatever the order they were asked for in. */
static void test_results_in_order(void **state) {
    (void)state;
    struct synthetic_block block;
    parse("A(4,0)", "2x A", UNLIMITED, &block);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_analysis *analysis = NULL;
    size_t count;
    assert_int_equal(analysis_of_timed(&block.timed, diagnostics, &analysis), WB_OK);
    assert_null(wb_analysis_best(analysis));
    assert_int_equal(wb_analysis_bound(analysis, "gub", NULL, diagnostics), WB_OK);
    assert_int_equal(wb_analysis_bound(analysis, "elb,sib,elb", NULL, diagnostics), WB_OK);
    assert_int_equal(wb_analysis_bound(analysis, "all", NULL, diagnostics), WB_OK);
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    assert_true(count >= 3);
    for (size_t i = 1; i < count; i++)
        assert_true(method_number(&bounds[i - 1]) < method_number(&bounds[i]));
    assert_int_equal(wb_analysis_simulate(analysis, "oldest,rr", NULL, diagnostics), WB_OK);
    assert_int_equal(wb_analysis_simulate(analysis, "lrr", NULL, diagnostics), WB_OK);
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    assert_int_equal(count, 3);
    assert_string_equal(simulations[0].policy, "lrr");
    assert_string_equal(simulations[1].policy, "rr");
    assert_false(simulations[1].work_conserving);
    assert_string_equal(simulations[2].policy, "oldest");
    assert_int_equal(wb_diagnostics_errors(diagnostics), 0);
    assert_int_equal(wb_analysis_bound(analysis, "sib,nosuch", NULL, diagnostics), WB_ERR_INPUT);
    assert_int_equal(wb_analysis_simulate(analysis, "", NULL, diagnostics), WB_ERR_INPUT);
    assert_non_null(
        strstr(wb_diagnostics_text(diagnostics), "methods: error: unknown name 'nosuch' (known: sib, "));
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), ", all)"));
    assert_non_null(strstr(wb_diagnostics_text(diagnostics),
                           "policies: error: unknown name '' (known: lrr, gto, rr, oldest, cggty, all)"));
    wb_analysis_free(analysis);
    wb_diagnostics_free(diagnostics);
    synthetic_block_free(&block);
}

/* So many seeds of a family from `first_seed` on. */
static struct random_census check_family(const struct random_family *family, uint64_t first_seed,
                                         uint32_t rounds) {
    struct random_census census = {0};
    struct text violation = {0};
    for (uint32_t i = 0; i < random_rounds(rounds); i++)
        if (!random_check(family, first_seed + i, false, &census, &violation)) fail_msg("%s", violation.data);
    return census;
}

/* More than 10^5 blocks together, see also the longer `make campaign`. */
#define FAMILY_ROUNDS 34000u
#define WAIT_ROUNDS 20000u
#define TURN_ROUNDS 20000u

/* No annealed schedule takes longer than the exact worst case, and on small blocks annealing finds nearly all
 * of it. */
static void test_adversary_is_witnessed(void **state) {
    (void)state;
    static const struct random_shape shape = {SHAPE_BLOCK(3, 5, 5, 4, 6), .barrier_percent = 10,
                                              SHAPE_SM(1, 1, 1)};
    static const uint32_t depths[] = {0, 1, 2, DEPTH_UNLIMITED};
    cycles found = 0, possible = 0;
    for (uint32_t i = 0; i < random_rounds(200); i++) {
        struct random_block random;
        random_block_make(300000 + i, &shape, depths, 4, &random);
        cycles exact = explore(&random.block.timed, 20000);
        if (exact != 0) {
            wb_analysis *analysis = analyse_with(&random.block.timed, "adversary");
            const wb_bound *adversary = bound_named(analysis, "adversary");
            assert_int_equal(adversary->kind, WB_LOWER);
            if (adversary->cycles > exact)
                fail_msg("adversary %llu > exact %llu\n%s", (unsigned long long)adversary->cycles,
                         (unsigned long long)exact, random.label);
            found += adversary->cycles;
            possible += exact;
            wb_analysis_free(analysis);
        }
        synthetic_block_free(&random.block);
    }
    assert_true(found * 100 > possible * 97);
}

static void test_random_blocks(void **state) {
    (void)state;
    struct random_census census = check_family(&random_families[0], 2001, FAMILY_ROUNDS);
    /* The search is worth something: it finds blocks that exceed GUB. */
    assert_true(census.beyond_gub > census.searched / 2000);
    assert_true(census.searched > random_rounds(FAMILY_ROUNDS) * 9 / 10);
}

static void test_random_barriers(void **state) {
    (void)state;
    struct random_census census = check_family(&random_families[1], 100000, FAMILY_ROUNDS);
    assert_true(census.searched > random_rounds(FAMILY_ROUNDS) * 9 / 10);
}

static void test_random_wide_machines(void **state) {
    (void)state;
    struct random_census census = check_family(&random_families[2], 200000, FAMILY_ROUNDS);
    assert_true(census.searched > random_rounds(FAMILY_ROUNDS) * 8 / 10);
}

/* Groups of copies and fences: what waits for them waits, in every search, simulation and bound. */
static void test_random_waits(void **state) {
    (void)state;
    struct random_census census = check_family(&random_families[3], 400000, WAIT_ROUNDS);
    assert_true(census.searched > random_rounds(WAIT_ROUNDS) * 8 / 10);
}

/* Several instructions of a warp in a cycle: what is proven for one holds for them, too. */
static void test_random_turns(void **state) {
    (void)state;
    struct random_census census = check_family(&random_families[4], 600000, TURN_ROUNDS);
    assert_true(census.searched > random_rounds(TURN_ROUNDS) * 7 / 10);
}

/* The result of the instruction itself. */
static uint32_t own_result(const struct timed_code *code, uint32_t inst) {
    const struct timed_inst *of = &code->insts[inst];
    return code->operands[of->first_operand + of->source_count + of->destination_count - 1];
}

/* Makes waits for queues reads of the results of all that they wait for. */
static void spell_out_waits(struct timed_block *block) {
    struct timed_code *code = &block->code;
    struct timed_code spelled = *code;
    uint32_t insts[NAIVE_INSTS], used = 0;
    spelled.operands =
        arena_array(&block->arena, (size_t)code->inst_count * 4 * NAIVE_INSTS, sizeof(uint32_t));
    spelled.insts = arena_array(&block->arena, (size_t)code->inst_count + 1, sizeof *spelled.insts);
    if (spelled.operands == NULL || spelled.insts == NULL) abort();
    memset(spelled.queues, 0, sizeof spelled.queues);
    for (uint32_t path = 0; path < block->path_count; path++) {
        const uint32_t length = naive_expand(&block->paths[path], insts);
        for (uint32_t k = 0; k < length; k++) {
            const struct timed_inst *inst = &code->insts[insts[k]];
            const uint32_t *operands = code->operands + inst->first_operand;
            struct timed_inst *made = &spelled.insts[insts[k]];
            *made = *inst;
            made->first_operand = used;
            made->joins = made->commits = 0;
            for (uint32_t s = 0; s < inst->source_count; s++) {
                const uint64_t awaited = naive_awaited(code, insts, k, operands[s]);
                spelled.operands[used++] = operands[s];
                for (uint32_t p = 0; p < k; p++)
                    if ((awaited >> p & 1) != 0) spelled.operands[used++] = own_result(code, insts[p]);
            }
            made->source_count = (uint16_t)(used - made->first_operand);
            for (uint32_t d = 0; d < inst->destination_count; d++)
                spelled.operands[used++] = operands[inst->source_count + d];
        }
    }
    *code = spelled;
}

static void assert_same_results(const wb_analysis *a, const wb_analysis *b, const char *label) {
    size_t count, same_count;
    const wb_bound *bounds = wb_analysis_bounds(a, &count), *same = wb_analysis_bounds(b, &same_count);
    assert_int_equal(count, same_count);
    for (size_t i = 0; i < count; i++)
        if (bounds[i].cycles != same[i].cycles)
            fail_msg("%s: %llu, spelled out %llu\n%s", bounds[i].method, (unsigned long long)bounds[i].cycles,
                     (unsigned long long)same[i].cycles, label);
    const wb_simulation *simulations = wb_analysis_simulations(a, &count);
    const wb_simulation *same_simulations = wb_analysis_simulations(b, &same_count);
    for (size_t i = 0; i < count; i++)
        if (simulations[i].cycles != same_simulations[i].cycles)
            fail_msg("%s: not as spelled out\n%s", simulations[i].policy, label);
}

/* Waits are operands: a block whose waits read the results that they wait for has the same bounds, the same
 * worst case and the same schedules. */
static void test_waits_are_operands(void **state) {
    (void)state;
    static const uint32_t depths[] = {0, 1, 2, DEPTH_UNLIMITED, DEPTH_UNLIMITED, DEPTH_UNLIMITED};
    struct random_shape shape = random_families[3].shape;
    shape.insts = 12;
    for (uint32_t i = 0; i < random_rounds(4000); i++) {
        struct random_block random;
        const char *methods = i % 4 == 0 ? "sib,fib,aln,fifo,elb,gub,exhaustive" : "sib,fib,aln,fifo,elb,gub";
        shape.instances = shape.sub_cores = shape.width = 1 + i % 2;
        shape.warps = i % 4 == 0 ? 2 : 5;
        if (i % 4 == 0) shape.sub_cores = shape.width = 1;
        random_block_make(700000 + i, &shape, depths, 6, &random);
        wb_analysis *waiting = analyse_with(&random.block.timed, methods);
        spell_out_waits(&random.block.timed);
        wb_analysis *spelled = analyse_with(&random.block.timed, methods);
        assert_same_results(waiting, spelled, random.label);
        wb_analysis_free(waiting);
        wb_analysis_free(spelled);
        synthetic_block_free(&random.block);
    }
}

/* Ways to get waits wrong in the code that the library bounds, and not in that of the tests' search. */
static void ignore_waits(struct timed_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++)
        code->insts[i].joins = 0;
}

static void ignore_commits(struct timed_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++)
        code->insts[i].commits = 0;
}

static void leave_a_group_more(struct timed_code *code) {
    const struct timed_queue *copies = &code->queues[QUEUE_COPIES];
    for (uint32_t i = 0; i < code->inst_count; i++) {
        const struct timed_inst *inst = &code->insts[i];
        uint32_t *sources = code->operands + inst->first_operand;
        for (uint32_t s = 0; s < inst->source_count; s++)
            if (sources[s] - copies->first + 1 < copies->count) sources[s]++;
    }
}

static void ignore_accesses(struct timed_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++)
        code->insts[i].joins &= (uint8_t) ~(1u << QUEUE_ACCESSES);
}

/* Whether some random block with waits takes longer than the bound of the mutated code says. */
static bool is_noticed(void (*mutate)(struct timed_code *code), const char *method) {
    const struct random_family *family = &random_families[3];
    bool noticed = false;
    for (uint64_t seed = 0; seed < 5000 && !noticed; seed++) {
        struct random_block random;
        random_block_make(seed, &family->shape, family->depths, family->depth_count, &random);
        cycles exact = explore(&random.block.timed, SEARCH_STATES);
        mutate(&random.block.timed.code);
        wb_analysis *analysis = analyse_with(&random.block.timed, method);
        const wb_bound *bound = bound_named(analysis, method);
        noticed = bound->kind == WB_UPPER && bound->cycles < exact;
        wb_analysis_free(analysis);
        synthetic_block_free(&random.block);
    }
    return noticed;
}

/* The search of the tests would notice. */
static void test_wrong_waits_are_noticed(void **state) {
    (void)state;
    static void (*const mutants[])(struct timed_code *) = {ignore_waits, ignore_commits, leave_a_group_more,
                                                           ignore_accesses};
    static const char *const methods[] = {"sib", "fib", "aln", "fifo", "elb"};
    for (size_t m = 0; m < 4; m++)
        for (size_t b = 0; b < 5; b++)
            if (!is_noticed(mutants[m], methods[b])) fail_msg("mutant %zu lives with %s", m, methods[b]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gub_is_exceeded),
        cmocka_unit_test(test_exact_worst_cases),
        cmocka_unit_test(test_sections_do_not_add_up),
        cmocka_unit_test(test_lrr_anomaly),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_fifo_values),
        cmocka_unit_test(test_warp_bounds),
        cmocka_unit_test(test_sub_cores),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_results_in_order),
        cmocka_unit_test(test_adversary_is_witnessed),
        cmocka_unit_test(test_random_blocks),
        cmocka_unit_test(test_random_barriers),
        cmocka_unit_test(test_random_wide_machines),
        cmocka_unit_test(test_random_waits),
        cmocka_unit_test(test_random_turns),
        cmocka_unit_test(test_wrong_waits_are_noticed),
        cmocka_unit_test(test_waits_are_operands),
    };
    return cmocka_run_group_tests_name("bounds", tests, NULL, NULL);
}
