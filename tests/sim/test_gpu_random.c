/* The GPU simulator against a naive one, cycle by cycle, on random grids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu_record.h"
#include "memory/caches/caches.h"
#include "naive_gpu.h"
#include "random_block.h"
#include "random_gpu.h"
#include "sim/gpu/gpu.h"

/* The schemes with the policies that they are tested with. */
static const struct gpu_scheme schemes[] = {
    {.name = "default", .policy = &policy_lrr},
    {.name = "default", .policy = &policy_gto},
    {.name = "default", .policy = &policy_oldest},
    {.name = "pure-rr", .policy = &policy_rr},
    {.name = "reorder", .policy = &policy_lrr, .reorder = true},
    {.name = "reorder", .policy = &policy_gto, .reorder = true},
    {.name = "reorder", .policy = &policy_oldest, .reorder = true},
};

#define SCHEMES (sizeof schemes / sizeof *schemes)

/* Every second GPU dispatches statically. */
static const enum block_dispatch dispatches[] = {
    DISPATCH_GREEDY, DISPATCH_STATIC,    DISPATCH_ROUND_ROBIN,
    DISPATCH_STATIC, DISPATCH_MOST_FREE, DISPATCH_STATIC,
};

#define DISPATCHES (sizeof dispatches / sizeof *dispatches)

/* Blocks that an SM holds at a time, counted here. */
static uint32_t slots_of(const struct random_gpu *gpu, bool reorder) {
    const struct wb_machine *machine = &gpu->hand.machine;
    uint32_t channels = machine->memory.channels / gpu->hand.grid.warp_count;
    uint32_t slots = machine->limits.blocks;
    return reorder && channels < slots ? channels : slots;
}

static const char *compare_issues(const struct naive_gpu_result *naive, const struct gpu_record *record) {
    size_t *next = calloc(record->sm_count, sizeof *next);
    const char *problem = NULL;
    for (size_t i = 0; i < naive->issues.count && problem == NULL; i++) {
        const struct naive_issue *wanted = &naive->issues.items[i];
        const struct gpu_sm_record *sm = &record->sms[wanted->sm];
        if (next[wanted->sm] == sm->issues.count) {
            problem = "an issue is missing";
            break;
        }
        const struct sim_event *event = &sm->issues.items[next[wanted->sm]++];
        if (event->issue != wanted->at) problem = "issue cycle";
        if (event->block != wanted->block || event->warp != wanted->warp || event->step != wanted->step)
            problem = "who issues";
    }
    for (uint32_t s = 0; s < record->sm_count && problem == NULL; s++)
        problem = next[s] != record->sms[s].issues.count ? "more issues" : NULL;
    free(next);
    return problem;
}

static const char *compare_turns(const struct naive_gpu_result *naive, const struct gpu_record *record) {
    static const uint8_t outcomes[] = {L1_MISS, L1_HIT, L1_HIT_UNDER_MISS, L1_PASSED};
    size_t *next = calloc(record->sm_count, sizeof *next);
    const char *problem = NULL;
    for (size_t i = 0; i < naive->turns.count && problem == NULL; i++) {
        const struct naive_turn *wanted = &naive->turns.items[i];
        const struct gpu_sm_record *sm = &record->sms[wanted->sm];
        if (next[wanted->sm] == sm->turns.count) {
            problem = "a turn is missing";
            break;
        }
        const struct sm_access *access = &sm->turns.items[next[wanted->sm]++];
        if (access->at != wanted->at) problem = "cycle of a turn";
        if (access->outcome != outcomes[wanted->outcome]) problem = "hit or miss";
        if (access->block != wanted->block || access->warp != wanted->warp ||
            access->instruction != wanted->instruction || access->address != wanted->address)
            problem = "whose turn";
    }
    for (uint32_t s = 0; s < record->sm_count && problem == NULL; s++)
        problem = next[s] != record->sms[s].turns.count ? "more turns" : NULL;
    free(next);
    return problem;
}

static const char *compare_instructions(const struct naive_gpu_result *naive,
                                        const wb_gpu_simulation *result) {
    uint64_t requests = 0, misses = 0;
    for (size_t i = 0; i < result->instruction_count; i++) {
        const wb_instruction_traffic *traffic = &result->instructions[i];
        requests = misses = 0;
        for (size_t t = 0; t < naive->turns.count; t++) {
            if (naive->turns.items[t].instruction != i) continue;
            requests++;
            misses += naive->turns.items[t].outcome == 0;
        }
        if (traffic->requests != requests || traffic->misses != misses) return "counts of an instruction";
    }
    return NULL;
}

#define COUNTS 18

static const char *const count_names[COUNTS] = {
    "cycles",      "warp_instructions", "loads",          "hits",           "misses",     "hits_under_miss",
    "stores",      "atomics",           "l2_hits",        "l2_misses",      "dram_reads", "dram_writes",
    "mshr_stalls", "victim_stalls",     "reorder_stalls", "channel_stalls", "fetches",    "fetch_misses",
};

static void counts_of(const wb_gpu_simulation *of, uint64_t counts[COUNTS]) {
    const uint64_t all[COUNTS] = {
        of->cycles,      of->warp_instructions, of->loads,          of->hits,
        of->misses,      of->hits_under_miss,   of->stores,         of->atomics,
        of->l2_hits,     of->l2_misses,         of->dram_reads,     of->dram_writes,
        of->mshr_stalls, of->victim_stalls,     of->reorder_stalls, of->channel_stalls,
        of->fetches,     of->fetch_misses,
    };
    memcpy(counts, all, sizeof all);
}

/* The first count that differs, or NULL. */
static const char *compare_counts(const uint64_t wanted[COUNTS], const wb_gpu_simulation *result) {
    uint64_t counts[COUNTS];
    counts_of(result, counts);
    for (size_t i = 0; i < COUNTS; i++) {
        if (counts[i] != wanted[i]) return count_names[i];
    }
    return NULL;
}

static const char *compare_with_naive(const struct naive_gpu_result *naive, const wb_gpu_simulation *result) {
    const uint64_t wanted[COUNTS] = {
        naive->end,         naive->instructions,    naive->loads,          naive->hits,
        naive->misses,      naive->hits_under_miss, naive->stores,         naive->atomics,
        naive->l2_hits,     naive->l2_misses,       naive->dram_reads,     naive->dram_writes,
        naive->mshr_stalls, naive->victim_stalls,   naive->reorder_stalls, naive->channel_stalls,
        naive->fetches,     naive->fetch_misses,
    };
    return compare_counts(wanted, result);
}

/* What differs, or NULL. */
static const char *compare(const struct random_gpu *gpu, const struct naive_gpu_result *naive,
                           const struct gpu_record *record) {
    const char *problem = compare_issues(naive, record);
    if (problem == NULL) problem = compare_turns(naive, record);
    if (problem == NULL) problem = compare_with_naive(naive, &record->result);
    if (problem == NULL) problem = compare_instructions(naive, &record->result);
    for (size_t b = 0; b < gpu->hand.grid.blocks.count && problem == NULL; b++) {
        if (naive->blocks[b].start != record->blocks[b].start) problem = "start of a block";
        if (naive->blocks[b].end != record->blocks[b].end) problem = "end of a block";
    }
    return problem;
}

static void check(uint64_t seed, const struct random_gpu *gpu, const struct gpu_scheme *scheme) {
    struct naive_gpu_result naive;
    struct gpu_record record;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    uint32_t slots = slots_of(gpu, scheme->reorder);
    wb_status status = gpu_record_make(&gpu->timed, scheme, 1, diagnostics, &record);
    if (status != WB_OK) {
        fail_msg("seed %llu, %s %s: %s\n%s", (unsigned long long)seed, scheme->name, scheme->policy->name,
                 wb_diagnostics_text(diagnostics), gpu->label.data);
    }
    naive_gpu_simulate(&gpu->timed, scheme->policy->name, scheme->reorder, slots, NULL, &naive);
    const char *problem = compare(gpu, &naive, &record);
    if (problem != NULL)
        fail_msg("seed %llu, %s %s: %s differs (end %llu, naive %llu)\n%s", (unsigned long long)seed,
                 scheme->name, scheme->policy->name, problem, (unsigned long long)record.result.cycles,
                 (unsigned long long)naive.end, gpu->label.data);
    naive_gpu_free(&naive);
    gpu_record_free(&record);
    wb_diagnostics_free(diagnostics);
}

static void test_against_naive(void **state) {
    (void)state;
    uint32_t rounds = random_rounds(1500);
    for (uint64_t seed = 0; seed < rounds; seed++) {
        struct random_gpu_family varied = random_small_gpus;
        struct random_gpu gpu;
        varied.dispatch = dispatches[seed % DISPATCHES];
        varied.shape.sectors = seed % 3 == 0 ? 3 : 0;
        random_gpu_make(seed, &varied, &gpu);
        if (seed % 5 != 0) random_gpu_vary_code(seed, &gpu);
        check(seed, &gpu, &schemes[seed / 2 % SCHEMES]);
        random_gpu_free(&gpu);
    }
}

/* Without caches all SMs share one memory; requests are not reordered then. */
static void test_one_memory(void **state) {
    (void)state;
    uint32_t rounds = random_rounds(1500);
    for (uint64_t seed = 0; seed < rounds; seed++) {
        struct random_gpu_family varied = random_small_gpus;
        struct random_gpu gpu;
        varied.sms = 4;
        varied.contended = true;
        varied.dispatch = dispatches[seed % DISPATCHES];
        random_gpu_make(seed, &varied, &gpu);
        if (seed % 5 != 0) random_gpu_vary_code(seed, &gpu);
        check(seed, &gpu, &schemes[seed / 2 % 4]);
        random_gpu_free(&gpu);
    }
}

/* With an instruction cache, beside caches of data or not. */
static void test_fetching(void **state) {
    (void)state;
    uint32_t rounds = random_rounds(1500);
    for (uint64_t seed = 0; seed < rounds; seed++) {
        struct random_state random = random_seeded(~seed);
        struct random_gpu_family varied = random_small_gpus;
        struct random_gpu gpu;
        varied.contended = seed % 3 == 0;
        varied.dispatch = dispatches[seed % DISPATCHES];
        random_gpu_make(seed, &varied, &gpu);
        gpu.hand.machine.fetch = random_fetch(&random);
        random_fetch_print(&gpu.hand.machine.fetch, &gpu.label);
        if (seed % 5 != 0) random_gpu_vary_code(seed, &gpu);
        check(seed, &gpu, &schemes[seed / 2 % (varied.contended ? 4 : SCHEMES)]);
        random_gpu_free(&gpu);
    }
}

/* Whether two simulations did the same. */
static bool same_records(const struct gpu_record *a, const struct gpu_record *b, size_t blocks) {
    uint64_t counts[COUNTS];
    counts_of(&a->result, counts);
    bool same = compare_counts(counts, &b->result) == NULL &&
                memcmp(a->blocks, b->blocks, blocks * sizeof *a->blocks) == 0 &&
                memcmp(a->result.instructions, b->result.instructions,
                       a->result.instruction_count * sizeof *a->result.instructions) == 0;
    for (uint32_t s = 0; s < a->sm_count && same; s++) {
        const struct gpu_sm_record *left = &a->sms[s], *right = &b->sms[s];
        same = left->issues.count == right->issues.count && left->turns.count == right->turns.count;
        for (size_t i = 0; i < left->issues.count && same; i++)
            same = left->issues.items[i].issue == right->issues.items[i].issue &&
                   left->issues.items[i].block == right->issues.items[i].block &&
                   left->issues.items[i].warp == right->issues.items[i].warp;
        for (size_t i = 0; i < left->turns.count && same; i++)
            same = left->turns.items[i].at == right->turns.items[i].at &&
                   left->turns.items[i].address == right->turns.items[i].address;
    }
    return same;
}

/* Any number of threads gives the same. */
static void test_threads(void **state) {
    (void)state;
    static const uint32_t threads[] = {8, 3, 2}; /* the most first: libomp leaks when it adds threads later */
    uint32_t rounds = random_rounds(36);
    for (uint64_t seed = 0; seed < rounds; seed++) {
        struct random_gpu_family wide = random_small_gpus;
        struct random_gpu gpu;
        struct gpu_record one, several;
        const struct gpu_scheme *scheme = &schemes[seed / 2 % SCHEMES];
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wide.sms = 12;
        wide.blocks = 40;
        wide.contended = seed % 3 == 1 && !scheme->reorder;
        wide.dispatch = dispatches[seed % DISPATCHES];
        random_gpu_make(seed, &wide, &gpu);
        assert_int_equal(gpu_record_make(&gpu.timed, scheme, 1, diagnostics, &one), WB_OK);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            assert_int_equal(gpu_record_make(&gpu.timed, scheme, threads[t], diagnostics, &several), WB_OK);
            if (!same_records(&one, &several, gpu.hand.grid.blocks.count))
                fail_msg("seed %llu: %u threads differ\n%s", (unsigned long long)seed, threads[t],
                         gpu.label.data);
            gpu_record_free(&several);
        }
        gpu_record_free(&one);
        random_gpu_free(&gpu);
        wb_diagnostics_free(diagnostics);
    }
}

/* Under reordering the turns of each SM are those of the access order, and the misses those of its replay. */
static void check_order(uint64_t seed, const struct random_gpu *gpu, const struct gpu_record *record,
                        wb_diagnostics *diagnostics) {
    const struct block_demand demand = grid_block_demand(&gpu->hand.grid);
    struct resident_range resident;
    struct miss_estimate estimate;
    assert_int_equal(machine_resident_range(&gpu->hand.machine, &demand, true, diagnostics, &resident),
                     WB_OK);
    for (uint32_t s = 0; s < record->sm_count; s++) {
        const struct sm_share share = {s, record->sm_count, resident.most};
        struct access_order order;
        struct ordered_access next;
        size_t turn = 0;
        assert_int_equal(access_order_begin(&gpu->timed.traffic, &share, &order), WB_OK);
        while (access_order_next(&order, &next)) {
            for (uint32_t r = 0; r < next.access->request_count; r++, turn++) {
                const struct sm_access *access = &record->sms[s].turns.items[turn];
                if (access->block != next.block || access->warp != next.warp ||
                    access->step != next.access->step)
                    fail_msg("seed %llu: turn %zu of SM %u\n%s", (unsigned long long)seed, turn, s,
                             gpu->label.data);
            }
        }
        assert_int_equal(turn, record->sms[s].turns.count);
        access_order_end(&order);
    }
    assert_int_equal(miss_estimate_make(&gpu->timed.traffic, 1, diagnostics, &estimate), WB_OK);
    for (size_t i = 0; i < record->result.instruction_count; i++)
        assert_int_equal(record->result.instructions[i].misses, estimate.instructions[i].load_misses);
    miss_estimate_free(&estimate);
}

static void test_reordered(void **state) {
    (void)state;
    uint32_t rounds = random_rounds(300);
    for (uint64_t seed = 0; seed < rounds; seed++) {
        struct random_gpu gpu;
        struct gpu_record record;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        random_gpu_make(seed, &random_small_gpus, &gpu);
        assert_int_equal(gpu_record_make(&gpu.timed, &schemes[4 + seed % 3], 1, diagnostics, &record), WB_OK);
        check_order(seed, &gpu, &record, diagnostics);
        gpu_record_free(&record);
        random_gpu_free(&gpu);
        wb_diagnostics_free(diagnostics);
    }
}

/* One block on a machine without caches and with ideal requests is what the simulator of blocks executes. */
static void test_without_caches(void **state) {
    (void)state;
    uint32_t rounds = random_rounds(300);
    for (uint64_t seed = 0; seed < rounds; seed++) {
        struct random_gpu_family lone = random_small_gpus;
        struct random_gpu gpu;
        struct gpu_record record;
        wb_simulation simulation;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        const struct gpu_scheme *scheme = &schemes[seed % 4];
        lone.blocks = 1;
        random_gpu_make(seed, &lone, &gpu);
        traffic_free(&gpu.timed.traffic);
        gpu.hand.machine.memory.l1.bytes = 0;
        gpu.hand.machine.memory.requests = REQUESTS_IDEAL;
        assert_int_equal(traffic_make(&gpu.hand.grid, &gpu.hand.machine, diagnostics, &gpu.timed.traffic),
                         WB_OK);
        for (uint32_t i = 0; i < HAND_INSTRUCTIONS; i++)
            gpu.hand.code.insts[i].init = 1; /* as a grid made by hand has them */
        uint32_t paths[16];
        for (uint32_t w = 0; w < gpu.hand.grid.warp_count; w++)
            paths[w] = gpu.hand.grid.shapes.items[0].warps[w].path;
        const struct timed_block block = {.machine = &gpu.hand.machine,
                                          .code = gpu.hand.code,
                                          .paths = gpu.hand.grid.paths.items,
                                          .path_count = (uint32_t)gpu.hand.grid.paths.count,
                                          .warp_path = paths,
                                          .warp_count = gpu.hand.grid.warp_count};
        assert_int_equal(simulate(&block, scheme->policy, NULL, NULL, diagnostics, &simulation), WB_OK);
        assert_int_equal(gpu_record_make(&gpu.timed, scheme, 1, diagnostics, &record), WB_OK);
        if (record.result.cycles != simulation.cycles)
            fail_msg("seed %llu: %llu, alone %llu\n%s", (unsigned long long)seed,
                     (unsigned long long)record.result.cycles, (unsigned long long)simulation.cycles,
                     gpu.label.data);
        assert_int_equal(record.result.warp_instructions, simulation.warp_instructions);
        gpu_record_free(&record);
        random_gpu_free(&gpu);
        wb_diagnostics_free(diagnostics);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_naive),  cmocka_unit_test(test_one_memory),
        cmocka_unit_test(test_threads),        cmocka_unit_test(test_reordered),
        cmocka_unit_test(test_without_caches), cmocka_unit_test(test_fetching),
    };
    return cmocka_run_group_tests_name("random GPUs", tests, NULL, NULL);
}
