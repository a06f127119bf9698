/* Which block goes to which SM, and when: every dispatcher on grids that can be followed by hand with
 * docs/memory-model.md, section 2, and against a naive one on random grids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gpu_record.h"
#include "naive_gpu.h"
#include "random_grid.h"

#define BLOCKS_MAX 16

/* A grid of blocks that issue an instruction a cycle, whatever is beside them: one of n ends after n. */
struct dispatch_case {
    const char *blocks;
    const char *settings; /* such as "sms=2 dispatch_latency=5" */
    uint32_t resident;
    struct {
        uint32_t sm;
        cycles start, end;
    } expected[BLOCKS_MAX]; /* an end of 0: no more blocks */
};

static const struct dispatch_case cases[] = {
    /* At 2 SMs 0 and 1 are free, and SM 0 got the last block. */
    {"A / A A / A A A A / A / A A A / A",
     "sms=3 dispatch=greedy",
     1,
     {{0, 0, 1}, {1, 0, 2}, {2, 0, 4}, {0, 1, 2}, {0, 2, 5}, {1, 2, 3}}},
    {"A / A A / A A A A / A / A A A / A",
     "sms=3 dispatch=round_robin",
     1,
     {{0, 0, 1}, {1, 0, 2}, {2, 0, 4}, {0, 1, 2}, {1, 2, 5}, {0, 2, 3}}},
    {"A / A A / A A A A / A / A A A / A",
     "sms=3 dispatch=static",
     1,
     {{0, 0, 1}, {1, 0, 2}, {2, 0, 4}, {0, 1, 2}, {1, 2, 5}, {2, 4, 5}}},
    /* At 3 SM 0 has a room free, SM 1 two. */
    {"2* A A A / A A A A A A / A A A / A / A A / A A A A",
     "sms=2 dispatch=greedy",
     2,
     {{0, 0, 3}, {1, 0, 3}, {0, 0, 6}, {1, 0, 3}, {0, 3, 4}, {1, 3, 5}, {1, 3, 7}}},
    {"2* A A A / A A A A A A / A A A / A / A A / A A A A",
     "sms=2 dispatch=round_robin",
     2,
     {{0, 0, 3}, {1, 0, 3}, {0, 0, 6}, {1, 0, 3}, {0, 3, 4}, {1, 3, 5}, {1, 3, 7}}},
    {"2* A A A / A A A A A A / A A A / A / A A / A A A A",
     "sms=2 dispatch=most_free",
     2,
     {{0, 0, 3}, {1, 0, 3}, {0, 0, 6}, {1, 0, 3}, {1, 3, 4}, {0, 3, 5}, {1, 3, 7}}},
    {"2* A A A / A A A A A A / A A A / A / A A / A A A A",
     "sms=2 dispatch=static",
     2,
     {{0, 0, 3}, {1, 0, 3}, {0, 0, 6}, {1, 0, 3}, {0, 3, 4}, {1, 3, 5}, {0, 4, 8}}},
    /* The latency comes between the end of a block and its successor only. */
    {"2* A A A / A A A A A A / A A A / A / A A / A A A A",
     "sms=2 dispatch=most_free dispatch_latency=5",
     2,
     {{0, 0, 3}, {1, 0, 3}, {0, 0, 6}, {1, 0, 3}, {1, 8, 9}, {0, 8, 10}, {1, 8, 12}}},
    /* The dispatcher takes 2 cycles for each block. Rooms are free at 0, then at 5 (SM 0), 7 (SM 1), 11 (SM
     * 1).
     */
    {"2* A A A / 2* A A A A A A / A / A A / A A A A",
     "sms=2 dispatch=greedy dispatch_service=2",
     2,
     {{0, 2, 5}, {1, 4, 7}, {0, 6, 12}, {1, 8, 14}, {0, 10, 11}, {1, 12, 14}, {0, 14, 18}}},
    /* With a latency behind it: rooms are free at 5 and 7, and again at 16 (SM 0). */
    {"2* A A A / 2* A A A A A A A A A A A A / A / A A / A A A A",
     "sms=2 dispatch=round_robin dispatch_service=2 dispatch_latency=5",
     2,
     {{0, 2, 5}, {1, 4, 7}, {0, 6, 18}, {1, 8, 20}, {0, 15, 16}, {1, 17, 19}, {0, 23, 27}}},
    /* A dispatcher that has been idle: block 2 is asked for at 6. */
    {"A A A A / A A A A A A A / A",
     "sms=2 dispatch=most_free dispatch_service=2",
     1,
     {{0, 2, 6}, {1, 4, 11}, {0, 8, 9}}},
    /* Static dispatch, served by the same dispatcher; SM 1 has no blocks left when its room becomes free. */
    {"A A A A / A A / A / A / A A",
     "sms=2 dispatch=static dispatch_service=3",
     1,
     {{0, 3, 7}, {1, 6, 8}, {0, 10, 11}, {1, 13, 14}, {0, 16, 18}}},
    /* Blocks that do nothing give their rooms on at once. */
    {"A A / 3*  / A A", "sms=2 dispatch=greedy", 1, {{0, 0, 2}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 2}}},
};

/* Whatever is given: `sms=2 dispatch=greedy`. */
static void set_all(struct wb_machine *machine, const char *settings) {
    char word[64];
    int length;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (const char *at = settings; sscanf(at, "%63s%n", word, &length) == 1; at += length)
        if (wb_machine_set(machine, word, diagnostics) != WB_OK)
            fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
}

/* A grid by hand on a machine with room for everything. */
struct example {
    struct synthetic_block block;
    struct wb_grid grid;
    struct timed_grid timed;
    wb_diagnostics *diagnostics;
};

static void begin(struct example *example, const char *blocks, const char *settings, uint32_t resident) {
    example->diagnostics = wb_diagnostics_new();
    wb_status status = synthetic_grid_parse("A*16(1,0)", blocks, example->diagnostics, &example->block);
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(example->diagnostics));
    example->block.machine.issue_width = 16;
    example->block.machine.limits.blocks = resident;
    set_all(&example->block.machine, settings);
    assert_int_equal(
        synthetic_grid_make(&example->block, example->diagnostics, &example->grid, &example->timed), WB_OK);
}

static void end(struct example *example) {
    timed_grid_free(&example->timed);
    grid_clear(&example->grid);
    machine_clear(&example->block.machine);
    synthetic_block_free(&example->block);
    wb_diagnostics_free(example->diagnostics);
}

/* The SM that issued a block's instructions. */
static uint32_t sm_of(const struct gpu_record *record, uint32_t block) {
    for (uint32_t s = 0; s < record->sm_count; s++)
        for (size_t i = 0; i < record->sms[s].issues.count; i++)
            if (record->sms[s].issues.items[i].block == block) return s;
    return record->sm_count;
}

static void check_case(size_t number, const struct dispatch_case *wanted) {
    struct example example;
    struct gpu_record record;
    begin(&example, wanted->blocks, wanted->settings, wanted->resident);
    assert_int_equal(gpu_record_make(&example.timed, gpu_scheme_at(0), 1, example.diagnostics, &record),
                     WB_OK);
    for (uint32_t b = 0; b < example.grid.blocks.count; b++) {
        const struct block_times *times = &record.blocks[b];
        uint32_t sm = sm_of(&record, b);
        if (sm == record.sm_count && wanted->expected[b].end == wanted->expected[b].start)
            sm = wanted->expected[b].sm; /* a block without instructions */
        if (sm != wanted->expected[b].sm || times->start != wanted->expected[b].start ||
            times->end != wanted->expected[b].end)
            fail_msg("case %zu (%s), block %u: on SM %u from %d to %d", number, wanted->settings, b, sm,
                     (int)times->start, (int)times->end);
    }
    gpu_record_free(&record);
    end(&example);
}

static void test_by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(i, &cases[i]);
}

static const char *const dispatchers[] = {"static", "greedy", "round_robin", "most_free", "any"};

/* Where all blocks fit, block b comes to SM b modulo their number, under every dispatcher: what bounds of
 * kernels take for granted. */
static void check_dealt(uint32_t sms, uint32_t resident, uint32_t count, const char *dispatcher,
                        uint32_t service) {
    struct example example;
    struct gpu_record record;
    char blocks[64], settings[128];
    /* The first ends before the dispatcher has come to the others. */
    snprintf(blocks, sizeof blocks, count > 1 ? "A / %u* A A A" : "A", count - 1);
    snprintf(settings, sizeof settings, "sms=%u dispatch=%s dispatch_service=%u dispatch_latency=7", sms,
             dispatcher, service);
    begin(&example, blocks, settings, resident);
    assert_int_equal(gpu_record_make(&example.timed, gpu_scheme_at(0), 1, example.diagnostics, &record),
                     WB_OK);
    for (uint32_t b = 0; b < count; b++) {
        if (sm_of(&record, b) != b % sms || record.blocks[b].start != (cycles)(b + 1) * service)
            fail_msg("%u blocks in %u rooms: block %u on SM %u from %d (%s)", count, resident, b,
                     sm_of(&record, b), (int)record.blocks[b].start, settings);
    }
    gpu_record_free(&record);
    end(&example);
}

static void test_dealt_out(void **state) {
    (void)state;
    for (size_t d = 0; d < sizeof dispatchers / sizeof *dispatchers; d++)
        for (uint32_t sms = 1; sms <= 4; sms++)
            for (uint32_t resident = 1; resident <= 4; resident++)
                for (uint32_t count = 1; count <= sms * resident; count++)
                    for (uint32_t service = 0; service <= 4; service += 2)
                        check_dealt(sms, resident, count, dispatchers[d], service);
}

static wb_status note_sm(void *user, uint32_t sm, const struct sim_event *event) {
    ((uint32_t *)user)[event->block] = sm;
    return WB_OK;
}

/* A plan: the order of the blocks, and which of the SMs with room. */
static void check_plan(const char *blocks, const struct dispatch_plan *plan, const uint32_t *sms,
                       const cycles *starts) {
    struct example example;
    struct block_times times[BLOCKS_MAX];
    uint32_t got[BLOCKS_MAX];
    struct arena arena = {0};
    wb_gpu_simulation result;
    begin(&example, blocks, "sms=2 dispatch=any", 2);
    const struct gpu_sink sink = {.sm = GPU_EVERY_SM, .issue = note_sm, .user = got};
    const struct gpu_options options = {.sink = &sink, .block_times = times, .plan = plan};
    assert_int_equal(
        gpu_simulate(&example.timed, gpu_scheme_at(0), &options, example.diagnostics, &arena, &result),
        WB_OK);
    for (uint32_t b = 0; b < example.grid.blocks.count; b++) {
        assert_int_equal(times[b].start, starts[b]);
        assert_int_equal(got[b], sms[b]);
    }
    arena_free(&arena);
    end(&example);
}

static void test_plan(void **state) {
    (void)state;
    static const uint32_t blocks[] = {4, 3, 2, 1, 0}, choices[] = {1, 7, 0, 5, 0};
    /* 1 of 2 is SM 1, 7 of 2, too; then SM 0 is the only one; at 3 block 4 ends on SM 1. */
    static const uint32_t sms[] = {1, 0, 0, 1, 1};
    static const cycles starts[] = {3, 0, 0, 0, 0};
    check_plan("A / A A A A / A A A A A / A A A A / A A A", &(struct dispatch_plan){blocks, choices}, sms,
               starts);
    /* Where all fit they are dealt out in turn, in the order of the plan. */
    static const uint32_t in_turn[] = {1, 0, 1, 0};
    static const cycles at_once[4] = {0};
    check_plan("4* A", &(struct dispatch_plan){blocks + 1, choices}, in_turn, at_once);
}

static const uint32_t depths[] = {0, 1, 2, DEPTH_UNLIMITED};

static const struct random_grid_shape shapes[] = {
    {.block = {SHAPE_BLOCK(2, 3, 6, 3, 5), .barrier_percent = 15, SHAPE_SM(2, 2, 2)},
     SHAPE_GRID(depths, 5, 12, 4, 3),
     .dispatch_latency = 6,
     .dispatch_service = 4,
     .free_percent = 30},
    /* Many small blocks, so that several rooms become free at a time. */
    {.block = {SHAPE_BLOCK(1, 1, 1, 1, 3), SHAPE_SM(3, 1, 3)},
     SHAPE_GRID(depths, 3, 40, 5, 4),
     .dispatch_latency = 2,
     .dispatch_service = 2,
     .free_percent = 50},
};

static void check_against_naive(const struct random_grid *grid, const struct sim_policy *policy) {
    struct naive_gpu_result naive;
    struct gpu_record record;
    const struct gpu_scheme scheme = {.name = "default", .policy = policy};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(gpu_record_make(&grid->timed, &scheme, 1, diagnostics, &record), WB_OK);
    naive_gpu_simulate(&grid->timed, policy->name, false, grid->block.machine.limits.blocks, NULL, &naive);
    const char *problem = naive.end != record.result.cycles ? "end" : NULL;
    for (size_t b = 0; b < grid->grid.blocks.count; b++)
        if (naive.blocks[b].start != record.blocks[b].start || naive.blocks[b].end != record.blocks[b].end)
            problem = "a block's times";
    for (size_t i = 0; i < naive.issues.count; i++)
        if (naive.issues.items[i].sm != sm_of(&record, naive.issues.items[i].block)) problem = "a block's SM";
    if (problem != NULL) fail_msg("%s differs (%s)\n%s", problem, policy->name, grid->label);
    naive_gpu_free(&naive);
    gpu_record_free(&record);
    wb_diagnostics_free(diagnostics);
}

static void test_against_naive(void **state) {
    (void)state;
    const struct sim_policy *const policies[] = {&policy_lrr, &policy_gto, &policy_oldest, &policy_rr};
    for (uint64_t seed = 1; seed <= random_rounds(2000); seed++) {
        struct random_grid grid;
        random_grid_make(seed, &shapes[seed % 2], &grid);
        check_against_naive(&grid, policies[seed / 2 % 4]);
        random_grid_free(&grid);
    }
}

/* Any number of threads gives the same. */
#define THREADS_MAX 5

/* Has all threads from the start: libomp leaks when it adds some later. */
static void start_threads(void) {
    int started = 0;
#pragma omp parallel num_threads(THREADS_MAX)
    {
#pragma omp atomic
        started++;
    }
    assert_in_range(started, 1, THREADS_MAX);
}

static void test_threads(void **state) {
    (void)state;
    static const uint32_t threads[] = {THREADS_MAX, 3, 2};
    start_threads();
    struct random_grid_shape wide = shapes[0];
    wide.sms = 8;
    wide.blocks = 60;
    for (uint64_t seed = 1; seed <= random_rounds(40); seed++) {
        struct random_grid grid;
        struct gpu_record one, several;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        random_grid_make(seed, &wide, &grid);
        assert_int_equal(gpu_record_make(&grid.timed, gpu_scheme_at(0), 1, diagnostics, &one), WB_OK);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            assert_int_equal(
                gpu_record_make(&grid.timed, gpu_scheme_at(0), threads[t], diagnostics, &several), WB_OK);
            for (uint32_t b = 0; b < grid.grid.blocks.count; b++)
                if (one.blocks[b].start != several.blocks[b].start ||
                    one.blocks[b].end != several.blocks[b].end || sm_of(&one, b) != sm_of(&several, b))
                    fail_msg("%u threads differ\n%s", threads[t], grid.label);
            gpu_record_free(&several);
        }
        gpu_record_free(&one);
        random_grid_free(&grid);
        wb_diagnostics_free(diagnostics);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_dealt_out),     cmocka_unit_test(test_plan),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_against_naive),
    };
    return cmocka_run_group_tests_name("block dispatchers", tests, NULL, NULL);
}
