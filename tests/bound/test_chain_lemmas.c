/* Lemmas 1 and 3 of docs/sub-core-bounds.md on schedules: over all paths through the sub-cores with few
 * changes, what a block initiates in their reach, and what its stay takes. Larger blocks than any search can
 * take, and terms that make no difference to the longest schedule of small ones. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <inttypes.h>

#include "faster_grid.h"
#include "gpu_record.h"
#include "grid_bounds.h"
#include "random_policy.h"
#include "warp/synthetic/synthetic.h"

#define SUB_CORES 4
#define CHANGES 8 /* paths with fewer are looked at */

static const uint32_t every_depth[] = {0, 1, 2, DEPTH_UNLIMITED};

static const struct random_grid_shape shape = {
    .block = {SHAPE_BLOCK(3, 4, 9, 8, 7), .barrier_percent = 25, .real_percent = 10, .alias_percent = 30,
              SHAPE_SM(2, SUB_CORES, 2), .per_warp = 2, .release = 2},
    SHAPE_GRID(every_depth, 3, 12, 2, 4),
    .dispatch_latency = 2,
    .dispatch_service = 2,
    .free_percent = 60,
};

/* What units do for a block and for others in a cycle of its stay, as each sub-core can see it. */
struct cycle_seen {
    uint32_t own[SUB_CORES]; /* instances that initiate for it */
    bool other[SUB_CORES];   /* some initiates for others */
};

/* A block on its SM. */
struct stay {
    const struct wb_machine *machine;
    uint32_t block;
    struct block_times times;
    VEC(struct cycle_seen) seen;
};

static uint64_t length_of(const struct stay *stay) {
    return stay->times.end - stay->times.start;
}

static void see(struct stay *stay, const struct sim_event *event) {
    const bool shared = stay->machine->units[event->unit].shared;
    for (cycles t = cycles_max(event->start, stay->times.start); t < event->init_end && t < stay->times.end;
         t++) {
        assert(stay->seen.items != NULL);
        struct cycle_seen *seen = &stay->seen.items[t - stay->times.start];
        for (uint32_t c = 0; c < stay->machine->sub_cores; c++) {
            if (!shared && event->sub_core != c) continue;
            if (event->block == stay->block)
                seen->own[c]++;
            else
                seen->other[c] = true;
        }
    }
}

/* Where the block was; false when it had no instructions. */
static bool stay_make(const struct random_grid *grid, const struct gpu_record *record, uint32_t block,
                      struct stay *stay) {
    *stay = (struct stay){.machine = &grid->block.machine, .block = block, .times = record->blocks[block]};
    for (uint64_t t = 0; t < length_of(stay); t++)
        assert_int_equal(vec_push(&stay->seen, ((struct cycle_seen){0})), WB_OK);
    for (uint32_t s = 0; s < record->sm_count; s++) {
        bool here = false;
        for (size_t i = 0; i < record->sms[s].issues.count; i++)
            here = here || record->sms[s].issues.items[i].block == block;
        if (!here) continue;
        for (size_t i = 0; i < record->sms[s].issues.count; i++) {
            const struct sim_event *event = &record->sms[s].issues.items[i];
            if (event->unit != UNIT_NONE) see(stay, event);
        }
        return true;
    }
    return false;
}

enum counted { OWN, OTHERS };

/* The most that a path with `changes` changes or fewer counts, for each number of changes. */
static void most_on_paths(const struct stay *stay, enum counted counted, uint64_t most[CHANGES]) {
    uint64_t best[CHANGES][SUB_CORES] = {{0}};
    const uint32_t sub_cores = stay->machine->sub_cores;
    for (size_t t = 0; t < stay->seen.count; t++) {
        const struct cycle_seen *seen = &stay->seen.items[t];
        for (uint32_t n = CHANGES - 1; t > 0 && n > 0; n--)
            for (uint32_t c = 0; c < sub_cores; c++)
                for (uint32_t from = 0; from < sub_cores; from++)
                    best[n][c] = cycles_max(best[n][c], best[n - 1][from]);
        for (uint32_t n = 0; n < CHANGES; n++)
            for (uint32_t c = 0; c < sub_cores; c++)
                best[n][c] += counted == OWN ? seen->own[c] : seen->other[c];
    }
    for (uint32_t n = 0; n < CHANGES; n++) {
        most[n] = n > 0 ? most[n - 1] : 0;
        for (uint32_t c = 0; c < sub_cores; c++)
            most[n] = cycles_max(most[n], best[n][c]);
    }
}

/* The n largest extras of a block. */
static uint64_t extras_of(const struct chain_share *share, uint64_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < share->extra_count && n > 0; i++) {
        const uint64_t taken = share->extras[i].count < n ? share->extras[i].count : n;
        sum += taken * share->extras[i].each;
        n -= taken;
    }
    return sum;
}

static struct { uint64_t stays, cut, attained, chains, attained_chains; } tally;

/* Lemma 3: what a path cuts a block into. It counts by time, which extras in the order of issue do not bound.
 */
static void check_cuts(const struct random_grid *grid, const struct block_class *class,
                       const struct stay *stay) {
    uint64_t most[CHANGES];
    most_on_paths(stay, OWN, most);
    for (size_t v = 0; v < CHAIN_WINDOWS; v++) {
        const struct chain_share *share = &class->chain.shares[v];
        if (!class->chain.known[v] || v == CHAIN_ISSUED) continue;
        for (uint32_t n = 0; n < CHANGES; n++) {
            const uint64_t bound = share->work + extras_of(share, n);
            if (most[n] > bound)
                fail_msg("block %u: %" PRIu64 " cycles on a path with %u changes, not %" PRIu64
                         " (way %zu)\n%s",
                         stay->block, most[n], n, bound, v, grid->label);
            tally.cut++;
            tally.attained += n > 0 && most[n] == bound && bound < class->initiations;
        }
    }
}

/* Lemma 1: the stay is work of its busiest sub-cores, latencies, and what others do on some path that changes
 * no more often than the block does. */
static void check_chain(const struct random_grid *grid, const struct block_class *class,
                        const struct stay *stay) {
    uint64_t most[CHANGES];
    if (class->chain.turns > CHANGES) return;
    most_on_paths(stay, OTHERS, most);
    const uint64_t bound =
        class->chain.shares[CHAIN_SECTIONS].work + class->latency + most[class->chain.turns - 1];
    if (length_of(stay) > bound)
        fail_msg("block %u stays %" PRIu64 " cycles, not %" PRIu64 "\n%s", stay->block, length_of(stay),
                 bound, grid->label);
    tally.chains++;
    tally.attained_chains += length_of(stay) == bound;
}

static void check_grid(uint64_t seed, const struct random_grid *grid, const struct grid_work *work) {
    const struct random_policy any = random_policy_seeded(seed);
    const struct gpu_scheme scheme = {.name = "default", .policy = &any.policy};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct gpu_record record;
    assert_int_equal(gpu_record_make(&grid->timed, &scheme, 1, diagnostics, &record), WB_OK);
    for (uint32_t b = 0; b < work->block_count; b++) {
        struct stay stay;
        if (stay_make(grid, &record, b, &stay)) {
            const struct block_class *class = &work->classes.items[work->class_of[b]];
            check_cuts(grid, class, &stay);
            check_chain(grid, class, &stay);
            tally.stays++;
        }
        vec_free(&stay.seen);
    }
    gpu_record_free(&record);
    wb_diagnostics_free(diagnostics);
}

static void tally_print(void) {
    print_message("%" PRIu64 " stays; %" PRIu64 " times cut, %" PRIu64 " of them as much as can be; %" PRIu64
                  " chains, %" PRIu64 " of them as long as can be\n",
                  tally.stays, tally.cut, tally.attained, tally.chains, tally.attained_chains);
}

static void test_random_grids(void **state) {
    (void)state;
    const uint32_t rounds = random_rounds(12000);
    memset(&tally, 0, sizeof tally);
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_grid stated, faster;
        struct grid_bounds bounds;
        random_grid_make(seed, &shape, &stated);
        faster_grid_make(seed, &stated, &faster);
        grid_bounds_begin(&bounds, &stated);
        check_grid(seed, &stated, &bounds.work);
        check_grid(seed, &faster, &bounds.work);
        grid_bounds_end(&bounds);
        random_grid_free(&faster);
        random_grid_free(&stated);
    }
    tally_print();
    assert_true(tally.stays > rounds * UINT64_C(4));
    assert_true(tally.attained > 0 && tally.attained_chains > 0);
}

static const char queues[] = "block: queues\n"
                             "dispatch_depth: 2\n"
                             "sub_cores: 2\n"
                             "units: \"A/(1,0) B/*2(2,0) C/(3,0)\"\n"
                             "blocks: [\"8* C | C | C A.0.2 B.1; B | B | B B.1\"]\n"
                             "resident: 2\n"
                             "memory: {sms: 2}\n";

/* Two sections wait in queues when the second barrier is released. */
static void test_queues_behind_releases(void **state) {
    (void)state;
    struct random_grid grid = {0};
    struct grid_bounds bounds;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    (void)snprintf(grid.label, sizeof grid.label, "%s", queues);
    assert_int_equal(synthetic_file_parse("queues", queues, strlen(queues), diagnostics, &grid.block), WB_OK);
    random_grid_make_times(&grid);
    grid_bounds_begin(&bounds, &grid);
    memset(&tally, 0, sizeof tally);
    for (uint64_t seed = 1; seed <= random_rounds(300); seed++)
        check_grid(seed, &grid, &bounds.work);
    tally_print();
    assert_true(tally.stays > 0);
    grid_bounds_end(&bounds);
    random_grid_free(&grid);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_grids),
        cmocka_unit_test(test_queues_behind_releases),
    };
    return cmocka_run_group_tests_name("chain lemmas", tests, NULL, NULL);
}
