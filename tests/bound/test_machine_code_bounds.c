/* The bounds of docs/machine-code-bounds.md against the longest of all executions of small random grids of
 * machine code, and mistakes in them that such a search finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "random_block.h"
#include "sass_check.h"

/* Of each family; searches that go through more states are given up: one in fifteen. */
#define FAMILY_ROUNDS 8000u
#define STATES 400

static void check_family(const struct sass_family *family, uint32_t rounds) {
    struct sass_census census = {0};
    struct text violation = {0};
    for (uint64_t seed = 1; seed <= rounds; seed++)
        if (!sass_check(family, seed, false, STATES, &census, &violation))
            fail_msg("%s", violation.failed ? "out of memory" : violation.data);
    text_free(&violation);
    printf("%s: %" PRIu64 " of %" PRIu32 " searched, the least bound attained in %" PRIu64 "\n", family->name,
           census.searched, rounds, census.attained);
    /* Grids whose chains change their sub-core have many states, and every extra in their bounds; units in
     * any order add states, too. */
    const uint32_t least = family->chains ? 2 : family->any_order ? 5 : 6;
    assert_true(census.searched > rounds / 10 * least);
    assert_true(census.attained > rounds / (family->chains ? 300 : 25));
}

static void test_no_execution_is_beyond_a_bound(void **state) {
    (void)state;
    for (size_t f = 0; f < SASS_FAMILIES; f++)
        check_family(&sass_families[f], random_rounds(FAMILY_ROUNDS));
}

/* Pauses add states: fewer grids, of which more are given up. */
#define PAUSES_ROUNDS 300u
#define PAUSES_STATES 1000

static void test_pauses_add_no_more_than_they_take(void **state) {
    (void)state;
    const uint32_t rounds = random_rounds(PAUSES_ROUNDS);
    struct sass_census census = {0};
    struct text violation = {0};
    for (size_t f = 0; f < SASS_FAMILIES; f++)
        for (uint64_t seed = 1; seed <= rounds; seed++)
            if (!sass_check(&sass_families[f], seed, true, PAUSES_STATES, &census, &violation))
                fail_msg("%s", violation.failed ? "out of memory" : violation.data);
    text_free(&violation);
    printf("with pauses: %" PRIu64 " of %" PRIu32 " searched, the least bound attained in %" PRIu64 "\n",
           census.searched, rounds * SASS_FAMILIES, census.attained);
    assert_true(census.searched > rounds * SASS_FAMILIES / 3);
    assert_true(census.attained > rounds * SASS_FAMILIES / 25);
}

/* ---- Grids written by hand ------------------------------------------------------------------------------
 */

static struct sass_grid grid;

static void begin(uint32_t warps, uint32_t units) {
    memset(&grid, 0, sizeof grid);
    grid.sub_cores = grid.blocks = grid.sms = grid.slots = 1;
    grid.warps = warps;
    grid.units = units;
    grid.lines.halves = 1;
}

static struct sass_timed *add(uint32_t warp, bool fixed, uint8_t stall) {
    struct sass_program *program = &grid.programs[warp];
    struct sass_step *step = &program->steps[program->count++];
    step->stated = (struct sass_timed){.stall = stall,
                                       .stall_least = stall,
                                       .slot = 1,
                                       .fixed = fixed,
                                       .write_counter = SASS_NO_COUNTER,
                                       .read_counter = SASS_NO_COUNTER,
                                       .left_counter = SASS_NO_COUNTER,
                                       .constant_line = SASS_NO_LINE};
    step->actual.stall = stall;
    step->actual.slot = 1;
    return &step->stated;
}

static void add_stage(uint32_t warp, uint8_t unit, uint8_t init, uint8_t transfer) {
    struct sass_program *program = &grid.programs[warp];
    struct sass_step *step = &program->steps[program->count - 1];
    const uint32_t i = step->stated.stage_count++;
    step->stated.stages[i] = (struct sass_stage){.unit = unit, .init = init, .transfer = transfer};
    step->actual.init[i] = init;
    step->actual.transfer[i] = transfer;
}

static void add_many(uint32_t count, uint32_t warp, bool fixed, uint8_t stall, uint8_t unit, uint8_t init) {
    for (uint32_t i = 0; i < count; i++) {
        (void)add(warp, fixed, stall);
        add_stage(warp, unit, init, 0);
    }
}

static uint32_t explored(void) {
    const uint32_t time = sass_explore(&grid, 100000);
    assert_int_not_equal(time, 0);
    assert_false(sass_exceeds(&grid, time, SASS_AS_PROVEN));
    return time;
}

/* A queue of depth d in front of u1 that another warp fills holds up instructions of u0. */
static void begin_full_queue(uint8_t depth) {
    begin(2, 2);
    grid.queue[1] = depth;
    grid.rules.full_holds_issue = true;
}

static void test_full_queue_holds_up_other_pipes(void **state) {
    (void)state;
    const uint32_t longest[] = {19, 23};
    for (uint8_t depth = 1; depth <= 2; depth++) {
        begin_full_queue(depth);
        add_many(1u + depth, 0, false, 1, 1, 4);
        add_many(3, 0, true, 5, 0, 1);
        add_many(1u + depth, 1, false, 1, 1, 1);
        assert_int_equal(explored(), longest[depth - 1]);
    }
    begin_full_queue(1);
    add_many(1, 0, false, 1, 1, 10);
    add_many(3, 0, true, 5, 0, 1);
    add_many(3, 1, false, 1, 1, 1);
    assert_int_equal(explored(), 22);
    assert_true(sass_exceeds(&grid, 22, SASS_NO_HOLDING));
}

/* An instruction that is sooner at a stage than one of its warp before it waits for that. */
static void test_own_order_is_part_of_the_chain(void **state) {
    (void)state;
    begin(1, 2);
    grid.queue[0] = 1;
    grid.queue[1] = SASS_UNLIMITED;
    (void)add(0, false, 1);
    add_stage(0, 0, 1, 10);
    add_stage(0, 1, 1, 0);
    struct sass_timed *load = add(0, false, 1);
    add_stage(0, 0, 1, 0);
    add_stage(0, 1, 1, 0);
    load->write_least = load->write_most = 20;
    assert_int_equal(explored(), 33);
    assert_true(sass_exceeds(&grid, 33, SASS_LAM_OWN_ORDER));
}

/* Own instructions come to u2 by u0 and by u1, and by u1 alone go on to u3: a later one there keeps u2
 * blocked, and so u0, in which an earlier one waits. */
static void test_later_own_instructions_behind_a_clash(void **state) {
    (void)state;
    begin(3, 4);
    grid.queue[0] = grid.queue[1] = SASS_UNLIMITED;
    struct sass_timed *load = add(0, false, 1);
    load->write_counter = 0;
    load->write_least = load->write_most = 16;
    add_stage(0, 0, 1, 0);
    add_stage(0, 2, 1, 0);
    for (uint32_t w = 0; w < 2; w++) {
        (void)add(w, false, 1);
        add_stage(w, 1, 1, 0);
        add_stage(w, 2, 1, 0);
        add_stage(w, 3, w == 0 ? 16 : 1, 0);
    }
    add(0, true, 1)->waits = 1;
    (void)add(2, false, 1);
    add_stage(2, 0, 3, 0);
    add_stage(2, 2, 1, 0);
    assert_int_equal(explored(), 39);
    assert_true(sass_exceeds(&grid, 39, SASS_CLASH_ALONE));
}

/* A later load of the warp overtakes the one that it waits for, at a memory that keeps no order, while that
 * is busy with another warp's. */
static void test_a_memory_in_any_order(void **state) {
    (void)state;
    const uint32_t longest[] = {23, 31};
    for (uint32_t any_order = 0; any_order < 2; any_order++) {
        begin(2, 2);
        grid.sub_cores = 2;
        grid.queue[0] = grid.queue[1] = SASS_UNLIMITED;
        grid.shared[1] = true;
        grid.any_order[1] = any_order;
        struct sass_timed *load = add(0, false, 1);
        load->write_counter = 0;
        load->write_least = load->write_most = 16;
        add_stage(0, 0, 1, 0);
        add_stage(0, 1, 1, 0);
        for (uint32_t w = 0; w < 2; w++) {
            (void)add(w, false, 1);
            add_stage(w, 0, 1, 0);
            add_stage(w, 1, w == 0 ? 8 : 4, 0);
        }
        add(0, true, 1)->waits = 1;
        assert_int_equal(explored(), longest[any_order]);
    }
    assert_true(sass_exceeds(&grid, 31, SASS_ALL_IN_ORDER));
}

/* Of a path that begins the miss of line 1 while a load is under way a warp may execute all but the
 * instruction that does. */
static void test_parts_miss_elsewhere(void **state) {
    (void)state;
    uint64_t bounds[2];
    uint32_t times[2] = {0};
    for (uint32_t part = 0; part < 2; part++) {
        begin(1, 1);
        grid.queue[0] = SASS_UNLIMITED;
        grid.lines = (struct sass_lines){.l0 = true, .halves = 1, .stated.l0 = 10, .actual.l0 = {10, 10}};
        struct sass_timed *load = add(0, false, 1);
        add_stage(0, 0, 1, 0);
        load->write_counter = 0;
        load->write_least = load->write_most = 10;
        if (part == 0) add(0, true, 1)->line = 1;
        add(0, true, 2)->waits = 1;
        add(0, true, 1)->line = 1;
        times[part] = explored();
        bounds[part] = naive_sass_block(&grid, 0, SASS_AS_PROVEN).sib;
    }
    assert_int_equal(bounds[0], 24);
    assert_int_equal(times[1], 32);
    assert_int_equal(bounds[1], 32);
}

/* A barrier leaves a latch behind. Where nothing need be issued in a pause, one of a cycle costs two: a load
 * that could be issued in it is not before the latch of the other warp, and holds up that one's load. */
static void test_a_latch_left_at_a_barrier(void **state) {
    (void)state;
    const uint32_t longest[] = {18, 20, 21, 22};
    begin(2, 2);
    grid.queue[1] = SASS_UNLIMITED;
    for (uint32_t w = 0; w < 2; w++) {
        add_many(1, w, false, 1, 1, w == 0 ? 3 : 1);
        if (w == 0) add_many(1, w, true, 1, 0, 8);
        add(w, true, 1)->barrier = true;
        add_many(1, w, true, 1, 0, 2);
        add_many(1, w, false, 1, 1, 3);
    }
    for (uint8_t pauses = 0; pauses <= 3; pauses++) {
        grid.pauses = (struct sass_pauses){.cycles = pauses, .kinds = SASS_PAUSE_ALL};
        assert_int_equal(explored(), longest[pauses]);
        grid.pauses.issue = true;
        assert_int_equal(explored(), longest[0] + pauses);
    }
}

/* Two SMs, four blocks of 2 cycles. Pauses of the one keep it at its first block until the other begins its
 * third, which pauses of that one make longer: K-BAL, 4, with both. */
static void test_each_sm_has_its_own_pauses(void **state) {
    (void)state;
    for (uint32_t common = 0; common < 2; common++) {
        begin(1, 1);
        grid.queue[0] = SASS_UNLIMITED;
        grid.blocks = 4;
        grid.sms = 2;
        grid.pauses = (struct sass_pauses){.cycles = 2, .common = common, .kinds = SASS_PAUSE_ALL};
        add_many(1, 0, false, 1, 0, 2);
        for (uint32_t b = 1; b < 4; b++)
            grid.programs[b] = grid.programs[0];
        const uint32_t time = explored();
        assert_int_equal(time, common ? 6 : 8);
        assert_int_equal(naive_sass_grid(&grid, SASS_AS_PROVEN).balance, time);
        assert_int_equal(sass_exceeds(&grid, time, SASS_PAUSES_ONCE), !common);
    }
}

/* ---- Mistakes -------------------------------------------------------------------------------------------
 */

struct mutant_case {
    enum sass_mutant mutant;
    const char *what;
    uint32_t family;
    uint64_t seed;
};

static const struct mutant_case mutant_cases[] = {
    {SASS_NO_BUBBLES, "a slot of one cycle", 0, 23},
    {SASS_PROBE_INSIDE, "max(slot, init) where a constant can miss", 0, 983},
    {SASS_LARGEST_STAGE, "the largest stage only", 2, 5},
    {SASS_NO_FETCH, "no fetch", 0, 7},
    {SASS_NO_READ_COUNTER, "no counters of what is read", 0, 124},
    {SASS_OPERAND_BESIDE, "constants that are missed beside other waits", 0, 815},
    {SASS_NO_CLOSING_STALL, "the stall of a barrier forgotten", 0, 54},
    {SASS_NO_OWN_CLASH, "own instructions that overtake forgotten", 4, 301},
    {SASS_SHARED_ONLY, "units of other sub-cores that keep shared ones blocked", 2, 3085},
    {SASS_NO_TRANSFER, "no way between stages", 2, 639},
    {SASS_DEPBAR_WRITE_FIRST, "both counters of an instruction as one", 0, 6459},
    {SASS_ISO_AND_WARPS, "iso + warps - 1", 0, 1},
    {SASS_NO_COLD, "no misses that are made once", 7, 5},
    {SASS_COLD_FIRST_WARP, "misses of the first warp only", 7, 39},
    {SASS_COLD_ONE_CORE, "misses of the first sub-core only", 8, 46},
    {SASS_COLD_SAME_SECTION, "what others come to in the same section is there", 8, 6},
    {SASS_COLD_ASKED, "what is asked for at a barrier is there behind it", 7, 37880},
    {SASS_COLD_PROBE, "no probes of constants that are missed once", 7, 116},
    {SASS_COLD_PROBE_ONCE, "one probe a sub-core", 7, 318},
    {SASS_LARGEST_STAGE, "the largest stage only, in grids", 5, 5},
    {SASS_NO_TRANSFER, "no way between stages, in grids", 5, 43},
    {SASS_COLD_ONE_SECTION, "misses of one section, in grids", 9, 867},
    {SASS_COLD_WARM, "blocks that come later find all lines", 9, 58},
    {SASS_ONE_TURN, "chains that change their sub-core at no barrier", 15, 650},
    {SASS_NO_EXTRAS, "the busiest sub-core of each block only", 16, 2791},
    {SASS_COLD_HELD, "probes of blocks that come first", 9, 27808},
    {SASS_PAUSES_SHORT, "a cycle of pauses forgotten", 0, 1},
    {SASS_PAUSES_SHORT, "a cycle of pauses forgotten, in grids", 5, 3},
    {SASS_PAUSES_ONCE, "pauses of the last SM only", 5, 72},
};

static void test_mistakes_are_found(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mutant_cases / sizeof *mutant_cases; i++) {
        const struct mutant_case *that = &mutant_cases[i];
        random_sass_grid(&sass_families[that->family], that->seed, &grid);
        if (that->mutant >= SASS_PAUSES_SHORT) random_sass_pauses(that->seed, &grid);
        if (!sass_exceeds(&grid, explored(), that->mutant)) fail_msg("not found: %s", that->what);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_execution_is_beyond_a_bound),
        cmocka_unit_test(test_pauses_add_no_more_than_they_take),
        cmocka_unit_test(test_full_queue_holds_up_other_pipes),
        cmocka_unit_test(test_own_order_is_part_of_the_chain),
        cmocka_unit_test(test_later_own_instructions_behind_a_clash),
        cmocka_unit_test(test_a_memory_in_any_order),
        cmocka_unit_test(test_parts_miss_elsewhere),
        cmocka_unit_test(test_a_latch_left_at_a_barrier),
        cmocka_unit_test(test_each_sm_has_its_own_pauses),
        cmocka_unit_test(test_mistakes_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
