/* Grids on SMs with several sub-cores whose exact worst case is above the bounds of docs/sub-core-bounds.md
 * as soon as one of their terms is dropped or weakened, and never above the bounds as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bound/grid/block_classes.h"
#include "bound/kernel/kernel_bounds.h"
#include "naive_chain_bounds.h"
#include "random_block.h"
#include "sub_core_climb.h"
#include "sub_core_explorer.h"

/* States after which a search is given up. */
#define STATES 600000

/* A grid as it is stated and, where it turns out faster, as it turns out. */
struct grid_case {
    const char *units, *blocks, *actual_units, *actual_blocks;
    uint32_t sub_cores, depth, rooms;
    uint32_t width, release, sms, delay, service; /* 0: as if 1, 0, 1, 0, 0 */
    bool is_static;
    uint32_t longest; /* its exact worst case */
};

static struct sub_core_grid stated, actual;

static void set_machine(const struct grid_case *that, struct wb_machine *machine) {
    machine_memory_defaults(&machine->memory);
    machine->sub_cores = that->sub_cores;
    machine->dispatch_depth = that->depth;
    machine->limits.blocks = that->rooms;
    machine->issue_width = that->width > 0 ? that->width : 1;
    machine->barrier_release = that->release;
    machine->memory.sms = that->sms > 0 ? that->sms : 1;
    machine->memory.dispatch_latency = that->delay;
    machine->memory.dispatch_service = that->service;
    machine->memory.dispatch = that->is_static ? DISPATCH_STATIC : DISPATCH_ANY;
}

/* A grid as it is written, for both the library and the tests' own search. */
static void read_grid(const struct grid_case *that, const char *units, const char *blocks,
                      struct synthetic_block *block, struct sub_core_grid *grid) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (synthetic_grid_parse(units, blocks, diagnostics, block) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    set_machine(that, &block->machine);
    if (!sub_core_grid_from(block, grid)) fail_msg("too large: %s", blocks);
}

static bool is_faster(const struct sub_core_kind *fast, const struct sub_core_kind *kind) {
    if (fast->warps != kind->warps) return false;
    for (uint32_t w = 0; w < kind->warps; w++) {
        if (fast->programs[w].count != kind->programs[w].count) return false;
        for (uint32_t i = 0; i < kind->programs[w].count; i++) {
            const struct sub_core_inst *a = &fast->programs[w].insts[i], *b = &kind->programs[w].insts[i];
            if (a->unit != b->unit || a->operands != b->operands || a->barrier != b->barrier ||
                a->init > b->init || a->latency > b->latency)
                return false;
        }
    }
    return true;
}

/* Whether each kind of the grid is one of the stated ones or a faster one, in their order. */
static bool is_faster_grid(void) {
    uint32_t k = 0, left = stated.kinds[0].blocks;
    for (uint32_t f = 0; f < actual.kind_count; f++) {
        while (left == 0 && k + 1 < stated.kind_count)
            left = stated.kinds[++k].blocks;
        if (!is_faster(&actual.kinds[f], &stated.kinds[k]) || actual.kinds[f].blocks > left) return false;
        left -= actual.kinds[f].blocks;
    }
    return left == 0 && k + 1 == stated.kind_count;
}

/* What is proven as the tests compute it, and as the library does. */
static const struct chain_view exact_paths = {.covering = false};

static void expect_library(const struct grid_case *that, const struct synthetic_block *block,
                           uint32_t longest) {
    struct grid_work work = {.warps = 0};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (block_classes_by_hand(block, NULL, diagnostics, &work) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    struct kernel_time (*const dynamic[])(const struct grid_work *, uint64_t) = {
        kernel_chain_one_sm, kernel_chain_balance, kernel_chain_area};
    for (size_t i = 0; i < sizeof dynamic / sizeof *dynamic; i++) {
        const struct kernel_time time =
            that->is_static ? kernel_chain_static(&work, that->rooms) : dynamic[i](&work, that->rooms);
        if (longest > kernel_time_sum(&time))
            fail_msg("%s takes %" PRIu32 ", above %" PRIu64, that->blocks, longest, kernel_time_sum(&time));
    }
    grid_work_free(&work);
}

/* The exact worst case, which is not above what is proven. `stated` is the grid afterwards. */
static uint32_t explore(const struct grid_case *that) {
    struct synthetic_block block, faster;
    read_grid(that, that->units, that->blocks, &block, &stated);
    read_grid(that, that->actual_units == NULL ? that->units : that->actual_units,
              that->actual_blocks == NULL ? that->blocks : that->actual_blocks, &faster, &actual);
    if (!is_faster_grid()) fail_msg("not faster: %s", that->actual_blocks);
    const uint32_t longest = sub_core_explore(&actual, STATES);
    if (longest == 0) fail_msg("not searched: %s", that->blocks);
    for (enum chain_bound bound = CHAIN_ONE_SM; bound < CHAIN_BOUND_COUNT; bound++) {
        const uint64_t proven = naive_chain_bound(&stated, &exact_paths, bound, CHAIN_AS_PROVEN);
        if (longest > proven) fail_msg("%s takes %" PRIu32 ", above %" PRIu64, that->blocks, longest, proven);
    }
    expect_library(that, &block, longest);
    synthetic_block_free(&faster);
    synthetic_block_free(&block);
    return longest;
}

/* ---- Mistakes ---- */

#define ONE_SM 1u
#define BALANCE 2u
#define AREA 4u

/* What a grid shows to be needed. */
struct mutant_case {
    enum chain_mutant mutant;
    uint32_t bounds; /* that would be too low */
    struct grid_case grid;
};

#define ALL (ONE_SM | BALANCE | AREA)

/* Found by climbing, but for the families that are explained. */
static const struct mutant_case mutant_cases[] = {
    {CHAIN_NO_EXTRAS,
     ALL,
     {"A/(1,1)", "2* A A A; A! A | A", .sub_cores = 2, .depth = 2, .rooms = 2, .longest = 10}},
    {CHAIN_NO_EXTRAS,
     ALL,
     {"A/(1,1)", "2* A A A; A! A | A", .sub_cores = 2, .depth = 0, .rooms = 2, .longest = 10}},
    {CHAIN_PICK_FEWER,
     ALL,
     {"A/(1,1)", "2* A A A; A! A | A", .sub_cores = 2, .depth = 2, .rooms = 2, .longest = 10}},
    {CHAIN_REST_OF_FEWER,
     ALL,
     {"A/(1,1)", "2* A A A; A! A | A", .sub_cores = 2, .depth = 1, .rooms = 2, .longest = 10}},
    {CHAIN_CHANGE_FEWER,
     ALL,
     {"A/(1,1)", "2* A A A; A! A | A", .sub_cores = 2, .depth = 2, .rooms = 2, .longest = 10}},
    {CHAIN_ONE_SECTION,
     ALL,
     {"A/(1,1)", "2* A A A; A! A | A", .sub_cores = 2, .depth = DEPTH_UNLIMITED, .rooms = 2, .longest = 10}},
    {CHAIN_NO_LAST, ALL, {"A/(1,1)", "1* A", .sub_cores = 3, .depth = 0, .rooms = 1, .longest = 2}},
    {CHAIN_LAST_IS_LATENCY,
     ONE_SM | BALANCE,
     {"A/(1,3)", "3* A | A; A | A; A A", .sub_cores = 3, .depth = 0, .rooms = 1, .sms = 2, .longest = 12}},
    {CHAIN_LAST_IS_LATENCY,
     ALL,
     {"A/(1,2) B/(1,2)", "3* A A |; B | A A |", .sub_cores = 2, .depth = 1, .rooms = 1, .sms = 2,
      .is_static = true, .longest = 12}},
    {CHAIN_NO_OWN, ALL, {"A(1,1)", "2* A", .sub_cores = 2, .depth = 0, .rooms = 1, .longest = 4}},
    {CHAIN_OWN_FEWER, ALL, {"A(1,1)", "2* A", .sub_cores = 2, .depth = 0, .rooms = 1, .longest = 4}},
    {CHAIN_LATENCY_CUT,
     ALL,
     {"A/(1,1)", "1* A! A.0", .sub_cores = 3, .depth = 0, .rooms = 2, .width = 2, .longest = 4}},
    {CHAIN_NO_RELEASE,
     ALL,
     {"A/(1,0)", "1* A | A", .sub_cores = 2, .depth = 0, .rooms = 2, .release = 1, .longest = 3}},
    {CHAIN_WORK_OF_FIRST,
     ALL,
     {"A(1,0) B/(3,0)", "3* A A; B", .sub_cores = 2, .depth = 0, .rooms = 2, .delay = 2, .longest = 9}},
    {CHAIN_WORK_COARSE,
     ALL,
     {"A/(1,0)", "1* A A!; A! A", .sub_cores = 2, .depth = 0, .rooms = 1, .release = 1, .longest = 4}},
    {CHAIN_NO_SHARED, ALL, {"A(1,0)", "1* A", .sub_cores = 2, .depth = 2, .rooms = 2, .longest = 1}},
    {CHAIN_SHARED_APART,
     ALL,
     {"A(1,0) B/(1,1)", "1* A B", .sub_cores = 3, .depth = 0, .rooms = 2, .width = 2, .longest = 3}},
    {CHAIN_BLOCK_FEWER, ALL, {"A(1,0)", "1* A", .sub_cores = 2, .depth = 1, .rooms = 1, .longest = 1}},
    {CHAIN_NO_DELAY,
     ALL,
     {"A/(1,0)", "2* A", .sub_cores = 3, .depth = 1, .rooms = 1, .delay = 1, .longest = 3}},
    {CHAIN_DELAY_FEWER,
     ALL,
     {"A/(1,0)", "2* A", .sub_cores = 3, .depth = 1, .rooms = 1, .delay = 1, .longest = 3}},
    {CHAIN_NO_SERVICE,
     ALL,
     {"A/(1,0)", "1* A", .sub_cores = 2, .depth = 2, .rooms = 3, .service = 2, .longest = 3}},
    {CHAIN_SERVICE_FEWER,
     ALL,
     {"A/(1,0)", "1* A", .sub_cores = 2, .depth = 2, .rooms = 3, .service = 2, .longest = 3}},
    {CHAIN_NO_TAIL,
     BALANCE | AREA,
     {"A/(1,0)", "3* A", .sub_cores = 3, .depth = 2, .rooms = 1, .sms = 2, .longest = 2}},
    {CHAIN_TAIL_OF_ONE,
     BALANCE,
     {"A(4,0)", "6* A! A.0 A.0", "A(4,0) B(2,0)@A", "3* A! A.0 A.0 / 3* A! B.0 A.0", .sub_cores = 3,
      .depth = 1, .rooms = 2, .sms = 2, .delay = 3, .longest = 42}},
    {CHAIN_TAIL_OF_ONE,
     AREA,
     {"A/(2,2) B(4,3)", "3* A / 2* B B B", "A/(2,2) B(4,3) C(4,2)@B", "1* A / 2* A / 1* B B B / 1* C B B",
      .sub_cores = 3, .depth = 0, .rooms = 2, .sms = 2, .longest = 27}},
    {CHAIN_SM_MORE,
     BALANCE,
     {"A(1,1)", "5* A", .sub_cores = 2, .depth = 0, .rooms = 1, .sms = 2, .delay = 1, .longest = 8}},
    {CHAIN_SM_MORE, AREA, {"A(1,0)", "2* A", .sub_cores = 2, .depth = 0, .rooms = 1, .longest = 2}},
    {CHAIN_ROOM_MORE,
     ALL,
     {"A/(1,0)", "2* A", .sub_cores = 3, .depth = 1, .rooms = 1, .delay = 1, .longest = 3}},
    /* Extras without any barrier, which takes eight blocks: in three of them warp 0 is fast, in five warp 1.
     */
    {CHAIN_NO_EXTRAS,
     ONE_SM | BALANCE,
     {"A/(1,2)", "8* A A.0 A.1; A A.0 A.1", "A/(1,2) a(1,0)@A",
      "3* a a.0 A.1; A A.0 A.1 / 5* A A.0 A.1; a a.0 A.1", .sub_cores = 2, .depth = 0, .rooms = 2,
      .longest = 49}},
    /* While one block goes through its long section, one sub-core after the other, the other block waits in
       its short ones, and so most of what chains could pick is picked. */
    {CHAIN_HALF_PICKS,
     ONE_SM | BALANCE,
     {"A/(30,0) b(1,0)@A C/(1,30) D(1,60)@C F(1,90)@C",
      "4* b | b | b | b | A; b | b | b | b | C A.4; b | b | b | b | D A.4; b | b | b | b | F A.4",
      .sub_cores = 4, .depth = 0, .rooms = 2, .delay = 2, .longest = 492}},
    {CHAIN_PICKS_OF_TURNS,
     ONE_SM | BALANCE,
     {"A/(12,0) b(1,0)@A C/(1,12) D(1,24)@C F(1,36)@C",
      "4* b | b | b | b | A; b | b | b | b | C A.4; b | b | b | b | D A.4; b | b | b | b | F A.4",
      .sub_cores = 4, .depth = 0, .rooms = 2, .longest = 193}},
};

/* Mistakes that no grid is known to show. What a section leaves behind for later ones counts in extras: the
 * lemma that counts it fails without it (test_chain_lemmas.c), but in grids the sub-core that a chain changes
 * to has been busy with other work while that was left, and this has paid. Where blocks follow each other,
 * the last pick and the latencies of the last block beyond its own are what the proof needs; no grid takes
 * all picks. */
static bool is_not_shown(enum chain_mutant mutant) {
    return (mutant >= CHAIN_NO_SIGMA && mutant <= CHAIN_SIGMA_READ_ALL) || mutant == CHAIN_PICK_FEWER_LATER ||
           mutant == CHAIN_LAST_IS_OWN;
}

static void test_mutants(void **state) {
    (void)state;
    bool shown[CHAIN_MUTANTS] = {false};
    for (size_t i = 0; i < sizeof mutant_cases / sizeof *mutant_cases; i++) {
        const struct mutant_case *that = &mutant_cases[i];
        const uint32_t longest = explore(&that->grid);
        if (longest != that->grid.longest)
            fail_msg("%s takes %" PRIu32 ", not %" PRIu32, that->grid.blocks, longest, that->grid.longest);
        for (enum chain_bound bound = CHAIN_ONE_SM; bound < CHAIN_BOUND_COUNT; bound++) {
            const uint64_t claimed = naive_chain_bound(&stated, &exact_paths, bound, that->mutant);
            if ((that->bounds >> bound & 1) != 0 && longest <= claimed)
                fail_msg("%s: %s takes %" PRIu32 ", not above %" PRIu64, chain_mutant_names[that->mutant],
                         that->grid.blocks, longest, claimed);
        }
        shown[that->mutant] = true;
    }
    for (enum chain_mutant mutant = CHAIN_AS_PROVEN + 1; mutant < CHAIN_MUTANTS; mutant++)
        if (!shown[mutant] && !is_not_shown(mutant))
            fail_msg("nothing shows: %s", chain_mutant_names[mutant]);
}

/* ---- Families ---- */

static const uint32_t depths[] = {0, 1, 2, DEPTH_UNLIMITED};

/* Programs of `warps` warps, of which number `fast` has `fast_program`. */
static void put_warps(struct text *out, uint32_t warps, uint32_t fast, const char *program,
                      const char *fast_program) {
    for (uint32_t w = 0; w < warps; w++)
        text_printf(out, "%s%s", w > 0 ? "; " : "", w == fast ? fast_program : program);
}

/* A grid of `blocks` blocks of a program, in some of which warp 0 is fast and in the others the last one: its
 * worst case, and whether the work of the busiest sub-core and the latencies of turns are less. */
struct uneven_family {
    const char *units, *program, *fast_program;
    uint32_t sub_cores, blocks, first_fast;
    uint32_t longest; /* at depth 0; 0: not known beforehand */
    bool refutes;
};

static const struct uneven_family uneven_families[] = {
    {"A/(1,3) B/(1,0) a(1,0)@A", "A B.0 B | B", "a B.0 B | B", 2, 4, 2, 23, true},
    {"A/(1,3) B/(1,0) a(1,0)@A", "A B.0 B | B", "a B.0 B | B", 3, 4, 2, 0, false},
    /* grows by 13 a block, and the formula by 11 */
    {"A/(1,6) B/(1,0) a(1,0)@A", "A B.0 B B B B | B | B", "a B.0 B B B B | B | B", 2, 4, 2, 48, true},
    {"A/(1,6) B/(1,0) a(1,0)@A", "A B.0 B B B B | B | B", "a B.0 B B B B | B | B", 2, 8, 4, 100, true},
    {"A/(1,6) B/(1,0) a(1,0)@A", "A B.0 B B B B | B | B", "a B.0 B B B B | B | B", 2, 12, 6, 152, true},
    {"A/(1,2) a(1,0)@A", "A A.0 A.1", "a a.0 A.1", 2, 8, 3, 49, true},
    {"A/(1,2) a(1,0)@A", "A A.0 A.1", "a a.0 A.1", 3, 6, 3, 0, false},
};

static void check_uneven(const struct uneven_family *family, uint32_t depth) {
    struct text blocks = {0}, faster = {0};
    text_printf(&blocks, "%" PRIu32 "* ", family->blocks);
    put_warps(&blocks, family->sub_cores, family->sub_cores, family->program, family->program);
    text_printf(&faster, "%" PRIu32 "* ", family->first_fast);
    put_warps(&faster, family->sub_cores, 0, family->program, family->fast_program);
    text_printf(&faster, " / %" PRIu32 "* ", family->blocks - family->first_fast);
    put_warps(&faster, family->sub_cores, family->sub_cores - 1, family->program, family->fast_program);
    const uint32_t longest = explore(&(struct grid_case){.units = family->units,
                                                         .blocks = blocks.data,
                                                         .actual_units = family->units,
                                                         .actual_blocks = faster.data,
                                                         .sub_cores = family->sub_cores,
                                                         .depth = depth,
                                                         .rooms = 2});
    if (depth == 0 && family->longest > 0) assert_int_equal(longest, family->longest);
    if (family->refutes)
        assert_true(longest > naive_chain_bound(&stated, &exact_paths, CHAIN_ONE_SM, CHAIN_NO_EXTRAS));
    text_free(&blocks);
    text_free(&faster);
}

static void test_uneven_families(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof uneven_families / sizeof *uneven_families; i++)
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
            check_uneven(&uneven_families[i], depths[d]);
}

/* Four blocks of some short sections and a long one, which works on one sub-core after the other: meanwhile
 * the next block waits for each of them in a short section. */
static void check_serial(uint32_t sub_cores, uint32_t sections, uint32_t depth) {
    struct text units = {0}, blocks = {0};
    const uint32_t work = 8;
    text_printf(&units, "A/(%" PRIu32 ",0) a(1,0)@A W/(1,0)", work);
    text_string(&blocks, "4* ");
    for (uint32_t c = 0; c < sub_cores; c++) {
        const char wait = (char)('b' + (int)c);
        if (c > 0) text_printf(&units, " %c(1,%" PRIu32 ")@W", wait, c * work);
        if (c > 0) text_string(&blocks, "; ");
        for (uint32_t i = 0; i < sections; i++)
            text_string(&blocks, "a | ");
        if (c == 0)
            text_string(&blocks, "A");
        else
            text_printf(&blocks, "%c A.%" PRIu32, wait, sections);
    }
    const uint32_t longest = explore(&(struct grid_case){.units = units.data,
                                                         .blocks = blocks.data,
                                                         .sub_cores = sub_cores,
                                                         .depth = depth,
                                                         .rooms = 2,
                                                         .delay = 2});
    if (depth == 0 && sections >= sub_cores)
        assert_true(longest > naive_chain_bound(&stated, &exact_paths, CHAIN_ONE_SM, CHAIN_NO_EXTRAS));
    text_free(&units);
    text_free(&blocks);
}

static void test_serial_families(void **state) {
    (void)state;
    for (uint32_t sub_cores = 2; sub_cores <= SUB_CORES_MAX; sub_cores++)
        for (uint32_t sections = 1; sections <= sub_cores; sections++)
            for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
                check_serial(sub_cores, sections, depths[d]);
}

/* ---- Climbs ---- */

#define CLIMBS 750
#define CLIMB_STEPS 60
#define CLIMB_STATES 1500

static const struct climb_limits climb_limits[] = {
    {CLIMB_GRID(1, 2, 2, 4, 3, 5, 6), CLIMB_SMS(2, 2, 1, 2, depths)},
    {CLIMB_GRID(2, 2, 3, 3, 2, 4, 4), CLIMB_SMS(3, 3, 2, 2, depths), .dispatcher = true},
    {CLIMB_GRID(2, 1, 2, 5, 1, 6, 8), CLIMB_SMS(2, 2, 1, 2, depths)},
    {CLIMB_GRID(1, 2, 3, 4, 2, 5, 5), CLIMB_SMS(3, 2, 2, 2, depths), .leave_out = true},
};

/* The worst case over the bound; 0: not known. */
static double nearness(const struct climb_case *at, const struct chain_view *view, enum chain_bound bound) {
    climb_case_build(at, &stated, &actual);
    const uint32_t longest = sub_core_explore(&actual, CLIMB_STATES);
    const uint64_t proven = naive_chain_bound(&stated, view, bound, CHAIN_AS_PROVEN);
    if (longest > proven) {
        struct text text = {0};
        sub_core_grid_print(&stated, &text);
        text_string(&text, "\nwhich is ");
        sub_core_grid_print(&actual, &text);
        fail_msg("%" PRIu32 " cycles, above %" PRIu64 ": %s", longest, proven, text.data);
    }
    return (double)longest / (double)proven;
}

static double climb(uint64_t seed) {
    struct random_state random = random_seeded(seed);
    const struct climb_limits *limits = &climb_limits[seed % (sizeof climb_limits / sizeof *climb_limits)];
    const enum chain_bound bound = (enum chain_bound)random_below(&random, CHAIN_BOUND_COUNT);
    struct climb_case best_case;
    climb_case_make(&random, limits, &best_case);
    const struct chain_view view = {.covering = limits->leave_out};
    double best = nearness(&best_case, &view, bound);
    for (uint32_t step = 0; step < CLIMB_STEPS; step++) {
        struct climb_case next = best_case;
        for (uint64_t changes = 1 + random_below(&random, 3); changes > 0; changes--)
            climb_case_change(&random, limits, &next);
        const double near = nearness(&next, &view, bound);
        if (near < best) continue;
        best = near;
        best_case = next;
    }
    return best;
}

static void test_climbs(void **state) {
    (void)state;
    const uint32_t climbs = random_rounds(CLIMBS);
    uint32_t reached = 0;
    for (uint64_t seed = 1; seed <= climbs; seed++)
        reached += climb(seed) >= 1;
    print_message("%" PRIu32 " of %" PRIu32 " climbs reach the bound\n", reached, climbs);
    assert_true(reached * 2 > climbs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mutants),
        cmocka_unit_test(test_uneven_families),
        cmocka_unit_test(test_serial_families),
        cmocka_unit_test(test_climbs),
    };
    return cmocka_run_group_tests_name("terms of bounds on several sub-cores", tests, NULL, NULL);
}
