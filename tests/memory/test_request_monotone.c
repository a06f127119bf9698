/* Covering paths rest on this: an access by fewer lanes never needs more requests or passes, and every block
 * that it requests is requested by the larger access, too. All rules, all sizes, random and regular
 * addresses; every subset of few lanes. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"
#include "memory/requests/requests.h"
#include "random_block.h"

#define ROUNDS 60000u

/* Lanes of the accesses whose subsets are all looked at. */
#define FEW_LANES 6u

/* A record with its table of addresses. */
struct sample {
    struct access access;
    uint64_t table[WARP_LANES];
};

/* What a record costs, under one granule. */
struct cost {
    uint32_t requests, passes;
    uint64_t blocks[REQUESTS_MAX];
};

/* Addresses near each other, so that lanes share blocks, words and banks. */
static uint64_t random_address(struct random_state *random, uint32_t bytes) {
    static const uint32_t reach[] = {4, 32, 128, 512, 4096};
    uint64_t address = 4096 + random_below(random, reach[random_below(random, 5)]);
    return random_below(random, 4) == 0 ? address : address / bytes * bytes;
}

static struct sample random_sample(struct random_state *random, uint32_t lanes) {
    static const uint8_t spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_LOCAL, PTX_SPACE_SHARED, PTX_SPACE_CONST};
    static const int64_t strides[] = {0, 1, 2, 4, 8, 12, 16, 32, 64, 128, 132, -4, -8, -32};
    struct sample sample = {.access = {.bytes = (uint8_t)(1u << random_below(random, 6)),
                                       .space = spaces[random_below(random, 4)],
                                       .mask = UINT32_MAX >> (WARP_LANES - lanes),
                                       .table = ACCESS_AFFINE}};
    struct access *access = &sample.access;
    access->is_atomic = access->space != PTX_SPACE_CONST && random_below(random, 3) == 0;
    access->base = random_address(random, access->bytes) + 8192;
    access->stride = strides[random_below(random, sizeof strides / sizeof *strides)];
    if (random_below(random, 2) == 0) return sample;
    access->table = 0;
    for (uint32_t l = 0; l < lanes; l++)
        sample.table[l] = random_address(random, access->bytes);
    return sample;
}

/* The same access by the lanes of `mask` only. */
static struct sample part_of(const struct sample *sample, uint32_t mask) {
    struct sample part = *sample;
    const uint64_t *from = sample->table;
    uint64_t *to = part.table;
    part.access.mask = sample->access.mask & mask;
    if (sample->access.table == ACCESS_AFFINE) return part;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        if (part.access.mask >> l & 1) *to++ = *from;
        from += sample->access.mask >> l & 1;
    }
    return part;
}

static void measure(const struct sample *sample, uint32_t granule, struct cost *cost) {
    *cost = (struct cost){0};
    if (sample->access.mask == 0) return;
    if (access_makes_requests(&sample->access))
        cost->requests = access_requests(&sample->access, sample->table, 0, granule, cost->blocks);
    else
        cost->passes = access_wavefronts(&sample->access, sample->table, 0);
}

static uint32_t times_requested(const struct cost *cost, uint64_t block) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < cost->requests; i++)
        count += cost->blocks[i] == block;
    return count;
}

static void check_part(const struct sample *sample, uint32_t mask, uint64_t seed) {
    const struct sample part = part_of(sample, mask);
    for (uint32_t granule = 32; granule <= 128; granule *= 4) {
        struct cost all, some;
        measure(sample, granule, &all);
        measure(&part, granule, &some);
        bool holds = some.requests <= all.requests && some.passes <= all.passes;
        for (uint32_t i = 0; i < some.requests; i++)
            holds &= times_requested(&some, some.blocks[i]) <= times_requested(&all, some.blocks[i]);
        if (!holds)
            fail_msg("seed %" PRIu64
                     ": space %d, %d bytes, lanes %x: %u requests, %u passes; lanes %x: %u, %u",
                     seed, sample->access.space, sample->access.bytes, sample->access.mask, all.requests,
                     all.passes, part.access.mask, some.requests, some.passes);
    }
}

/* Whole warps, and parts of them that are runs, stripes or any lanes. */
static void test_random_parts(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= random_rounds(ROUNDS); seed++) {
        struct random_state random = random_seeded(seed);
        const struct sample sample = random_sample(&random, WARP_LANES);
        const uint32_t any = (uint32_t)random_next(&random), run = (uint32_t)random_below(&random, 32);
        check_part(&sample, any, seed);
        check_part(&sample, any & (uint32_t)random_next(&random), seed);
        check_part(&sample, UINT32_MAX << run, seed);
        check_part(&sample, UINT32_MAX >> run, seed);
        check_part(&sample, UINT32_C(1) << run, seed);
        check_part(&sample, ~(UINT32_C(1) << run), seed);
        check_part(&sample, UINT32_C(0x11111111) << run % 4, seed);
    }
}

/* Every subset of every subset of a few lanes. */
static void test_all_parts_of_few_lanes(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= random_rounds(ROUNDS / 200); seed++) {
        struct random_state random = random_seeded(seed);
        const struct sample sample = random_sample(&random, FEW_LANES);
        for (uint32_t mask = 0; mask < UINT32_C(1) << FEW_LANES; mask++) {
            const struct sample larger = part_of(&sample, mask);
            for (uint32_t part = mask;; part = (part - 1) & mask) {
                check_part(&larger, part, seed);
                if (part == 0) break;
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_parts),
        cmocka_unit_test(test_all_parts_of_few_lanes),
    };
    return cmocka_run_group_tests_name("requests of fewer lanes", tests, NULL, NULL);
}
