/* What is known of the first level (docs/must-hits.md) against the GPU simulator, whose caches work in time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_record.h"
#include "memory/caches/misses.h"
#include "random_gpu.h"

static const struct gpu_scheme schemes[] = {
    {.name = "default", .policy = &policy_lrr},
    {.name = "default", .policy = &policy_gto},
    {.name = "pure-rr", .policy = &policy_rr},
    {.name = "reorder", .policy = &policy_oldest, .reorder = true},
};

#define SCHEMES (sizeof schemes / sizeof *schemes)

/* What was seen. */
struct gpu_census {
    uint32_t loads, must_hits, must_data;
};

/* The verdict on a load's turn. */
static uint8_t verdict_on(const struct traffic *traffic, const struct must_hits *hits,
                          const struct sm_access *turn) {
    const struct traffic_pattern *pattern = traffic_pattern_of(traffic, turn->block, turn->warp);
    for (uint32_t a = 0; a < pattern->access_count; a++) {
        const struct traffic_access *access = &pattern->accesses[a];
        if (access->step != turn->step) continue;
        uint64_t base = traffic_base(traffic, turn->block, turn->warp, access->group);
        for (uint32_t r = access->first_request; r < access->first_request + access->request_count; r++) {
            if (base + pattern->offsets[r] == turn->address)
                return must_hits_of(hits, turn->block, turn->warp)[r];
        }
    }
    fail_msg("a turn of no request");
    return 0;
}

/* Compares the turns of an SM with what is known, and adds its misses; what is wrong, or NULL. */
static const char *compare_turns(const struct traffic *traffic, const struct must_hits *hits,
                                 const struct gpu_sm_record *sm, uint64_t *all_misses,
                                 struct gpu_census *census) {
    uint64_t misses = 0;
    for (size_t i = 0; i < sm->turns.count; i++) {
        const struct sm_access *turn = &sm->turns.items[i];
        if (turn->kind != TRAFFIC_LOAD) continue;
        uint8_t verdict = verdict_on(traffic, hits, turn);
        if ((verdict & MUST_HIT) != 0 && turn->outcome == L1_MISS) return "a must hit misses";
        if ((verdict & MUST_DATA) != 0 && turn->outcome != L1_HIT) return "sure data is late";
        misses += turn->outcome == L1_MISS;
        census->loads++;
        census->must_hits += (verdict & MUST_HIT) != 0;
        census->must_data += (verdict & MUST_DATA) != 0;
    }
    *all_misses += misses;
    return misses > hits->misses.load_misses ? "more misses than the bound" : NULL;
}

/* Compares one simulation; hits: per SM. */
static const char *compare_scheme(const struct random_gpu *gpu, const struct gpu_scheme *scheme,
                                  const struct must_hits *hits, struct gpu_census *census) {
    struct gpu_record record;
    const char *problem = NULL;
    uint64_t misses = 0, most_misses = 0;
    if (gpu_record_make(&gpu->timed, scheme, 1, NULL, &record) == WB_OK) {
        for (uint32_t s = 0; s < record.sm_count && problem == NULL; s++)
            problem = compare_turns(&gpu->timed.traffic, &hits[s], &record.sms[s], &misses, census);
        for (uint32_t s = 0; s < record.sm_count && (s == 0 || hits[0].sms > 1); s++)
            most_misses += hits[s].misses.load_misses_spread;
        if (problem == NULL && misses > most_misses) problem = "more misses on all SMs than the bound";
    }
    gpu_record_free(&record);
    return problem;
}

#define SMS_MAX 3u

static void check_gpu(uint64_t seed, const struct random_gpu_family *family, struct gpu_census *census) {
    struct random_gpu gpu;
    struct must_hits hits[SMS_MAX];
    random_gpu_make(seed, family, &gpu);
    const struct machine_memory *memory = &gpu.hand.machine.memory;
    for (uint32_t s = 0; s < memory->sms; s++) {
        struct sm_share share = {.sm = s, .sms = memory->sms, .resident = gpu.hand.machine.limits.blocks};
        if (family->dispatch != DISPATCH_STATIC) share.sm = 0, share.sms = 1;
        assert_int_equal(must_hits_make(&gpu.timed.traffic, &gpu.timed.code, &share, NULL, &hits[s]), WB_OK);
    }
    for (uint32_t i = 0; i < SCHEMES; i++) {
        const char *problem = compare_scheme(&gpu, &schemes[i], hits, census);
        if (problem != NULL)
            fail_msg("seed %llu, %s/%s: %s\n%s", (unsigned long long)seed, schemes[i].name,
                     schemes[i].policy->name, problem, gpu.label.data);
    }
    for (uint32_t s = 0; s < memory->sms; s++)
        must_hits_free(&hits[s]);
    random_gpu_free(&gpu);
}

static void test_random_gpus(void **state) {
    (void)state;
    struct random_gpu_family family = {
        .waits = true,
        .sms = SMS_MAX,
        .sub_cores = 2,
        .width = 2,
        .units = 2,
        .blocks = 6,
        .resident = 3,
        .shape = {HAND_SHAPE(4, 12, 12, 8, 3), .store_percent = 20, .atomic_percent = 5,
                  .barrier_percent = 20},
    };
    struct gpu_census census = {0};
    for (uint64_t seed = 0; seed < 500; seed++) {
        family.dispatch = seed % 3 == 0 ? DISPATCH_GREEDY + seed / 3 % 3 : DISPATCH_STATIC;
        check_gpu(seed, &family, &census);
    }
    /* A tenth of the loads are must hits: enough to be wrong about. */
    assert_true(census.must_hits > census.loads / 10);
    assert_true(census.must_data > census.must_hits / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_gpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
