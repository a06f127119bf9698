/* Coalescing, interleaving and bank conflicts: against rules written down a second time, lane by lane and
 * byte by byte, and against cases counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"
#include "memory/requests/requests.h"

#define ROUNDS 6000u
#define ALL_LANES UINT32_MAX

/* ---- The rules again ---------------------------------------------------------------------------------- */

/* Where byte `byte` of a lane's access lies; of interleaved local memory where it really does. */
static uint64_t byte_address(const struct lane_addresses *lanes, uint32_t lane, uint32_t byte,
                             bool is_local) {
    uint64_t address = lanes->address[lane] + byte;
    return is_local ? address / 4 * 128 + lane * 4 + address % 4 : address;
}

/* Every byte of every lane in turn; a block is requested when it was not before. */
static uint32_t naive_requests(const struct lane_addresses *lanes, uint32_t granule, bool is_local,
                               uint64_t *requests) {
    uint32_t count = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        for (uint32_t b = 0; b < lanes->bytes && (lanes->mask >> l & 1) != 0; b++) {
            uint64_t block = byte_address(lanes, l, b, is_local) / granule * granule;
            uint32_t i = 0;
            while (i < count && requests[i] != block)
                i++;
            if (i == count) requests[count++] = block;
        }
    }
    return count;
}

static bool touches_word(const struct lane_addresses *lanes, uint32_t lane, uint64_t word) {
    return (lanes->mask >> lane & 1) != 0 && lanes->address[lane] / 4 <= word &&
           (lanes->address[lane] + lanes->bytes - 1) / 4 >= word;
}

/* Lanes from `first` up to `end` that touch a word. */
static uint32_t lanes_on_word(const struct lane_addresses *lanes, uint32_t first, uint32_t end,
                              uint64_t word) {
    uint32_t count = 0;
    for (uint32_t l = first; l < end; l++)
        count += touches_word(lanes, l, word);
    return count;
}

/* Requests of atomics for one block: as many as the word that most lanes are on. */
static uint32_t naive_atomic_requests(const struct lane_addresses *lanes, uint32_t granule, uint64_t block) {
    uint32_t most = 0;
    for (uint64_t word = block / 4; word < (block + granule) / 4; word++) {
        uint32_t on = lanes_on_word(lanes, 0, WARP_LANES, word);
        most = on > most ? on : most;
    }
    return most;
}

/* Passes for lanes first .. end-1, bank by bank: every word of the bank within the addresses counts. */
static uint32_t naive_group(const struct lane_addresses *lanes, uint32_t first, uint32_t end,
                            bool is_atomic) {
    uint32_t most = 0;
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t l = first; l < end; l++) {
        if ((lanes->mask >> l & 1) == 0) continue;
        uint64_t from = lanes->address[l] / 4, to = (lanes->address[l] + lanes->bytes - 1) / 4;
        low = from < low ? from : low;
        high = to > high ? to : high;
    }
    for (uint32_t bank = 0; bank < 32 && low <= high; bank++) {
        uint32_t words = 0;
        for (uint64_t word = low + (bank + 32 - low % 32) % 32; word <= high; word += 32) {
            uint32_t on = lanes_on_word(lanes, first, end, word);
            words += is_atomic ? on : on > 0;
        }
        most = words > most ? words : most;
    }
    return most;
}

static uint32_t naive_passes(const struct lane_addresses *lanes, bool is_atomic) {
    uint32_t passes = 0, size = lanes->bytes <= 4 ? 32 : 128 / lanes->bytes;
    for (uint32_t first = 0; first < 32; first += size)
        passes += naive_group(lanes, first, first + size, is_atomic);
    return passes;
}

static uint32_t naive_constants(const struct lane_addresses *lanes) {
    uint32_t count = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        bool fresh = (lanes->mask >> l & 1) != 0;
        for (uint32_t k = 0; k < l; k++)
            fresh &= (lanes->mask >> k & 1) == 0 || lanes->address[k] != lanes->address[l];
        count += fresh;
    }
    return count;
}

/* ---- Random accesses ---------------------------------------------------------------------------------- */

struct sample {
    struct access access;
    uint64_t table[WARP_LANES];
    uint64_t base;
    struct lane_addresses lanes;
};

static uint32_t random_mask(struct random_state *random) {
    uint32_t low = (uint32_t)random_below(random, 32), width = (uint32_t)random_below(random, 32);
    switch (random_below(random, 4)) {
    case 0: return ALL_LANES;
    case 1: return UINT32_MAX >> (31 - width) << low; /* a run */
    case 2: return (uint32_t)random_next(random) | 1u << low;
    default: return 1u << low;
    }
}

/* Strides about the sizes at which something changes, and any others. */
static int64_t random_stride(struct random_state *random, uint32_t bytes) {
    static const int64_t sizes[] = {0, 1, 4, 31, 32, 33, 64, 127, 128, 132, 256, 4096};
    switch (random_below(random, 4)) {
    case 0: return bytes;
    case 1: return sizes[random_below(random, sizeof sizes / sizeof *sizes)];
    case 2: return -(int64_t)random_below(random, 200);
    default: return (int64_t)random_below(random, 300);
    }
}

/* Tables: anything, few different addresses, or addresses that ascend with gaps. */
static void random_table(struct random_state *random, struct sample *sample) {
    uint64_t kind = random_below(random, 3), next = random_below(random, 4096);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        if (kind == 2) next += random_below(random, 64);
        sample->table[i] = kind == 0   ? random_below(random, 8192)
                           : kind == 1 ? random_below(random, 8) * sample->access.bytes
                                       : next;
    }
    sample->access.table = 0;
}

static struct sample random_sample(struct random_state *random) {
    struct sample sample = {0};
    uint32_t bytes = 1u << random_below(random, 6);
    sample.access = (struct access){.bytes = (uint8_t)bytes,
                                    .table = ACCESS_AFFINE,
                                    .mask = random_mask(random),
                                    .stride = random_stride(random, bytes)};
    sample.access.base = 0x100000 + random_below(random, 512);
    if (random_below(random, 2) == 0) sample.access.base &= ~(uint64_t)31;
    sample.base = random_below(random, 2) * random_below(random, 10000);
    if (random_below(random, 3) == 0) random_table(random, &sample);
    sample.lanes = (struct lane_addresses){.mask = sample.access.mask, .bytes = bytes};
    for (uint32_t l = 0, rank = 0; l < WARP_LANES; l++) {
        bool active = (sample.access.mask >> l & 1) != 0;
        sample.lanes.address[l] =
            sample.base + sample.access.base +
            (sample.access.table == ACCESS_AFFINE ? (uint64_t)sample.access.stride * l : sample.table[rank]);
        rank += active;
    }
    return sample;
}

static void print_sample(const struct sample *sample, uint64_t seed) {
    printf("seed %llu: mask %08x, %u bytes, stride %lld, base %llu:", (unsigned long long)seed,
           sample->access.mask, sample->access.bytes, (long long)sample->access.stride,
           (unsigned long long)sample->base);
    for (uint32_t l = 0; l < WARP_LANES; l++)
        if ((sample->access.mask >> l & 1) != 0)
            printf(" %llu", (unsigned long long)sample->lanes.address[l]);
    printf("\n");
}

/* Fails after printing the sample. */
static void expect(bool holds, const struct sample *sample, uint64_t seed, const char *what) {
    if (holds) return;
    print_sample(sample, seed);
    fail_msg("%s", what);
}

static void check_requests(const struct sample *sample, uint64_t seed, uint32_t granule, bool is_local) {
    struct access access = sample->access;
    uint64_t got[REQUESTS_MAX], expected[REQUESTS_MAX];
    access.space = is_local ? PTX_SPACE_LOCAL : PTX_SPACE_GLOBAL;
    uint32_t count = access_requests(&access, sample->table, sample->base, granule, got);
    uint32_t naive = naive_requests(&sample->lanes, granule, is_local, expected);
    expect(count == naive, sample, seed, "another number of requests");
    expect(memcmp(got, expected, count * sizeof *got) == 0, sample, seed, "other requests");
}

static bool is_aligned(const struct lane_addresses *lanes) {
    uint64_t low = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        low |= (lanes->mask >> l & 1) != 0 ? lanes->address[l] % lanes->bytes : 0;
    return low == 0;
}

/* Every block is requested as often as it has to be and, of aligned accesses, not more often. */
static void check_atomics(const struct sample *sample, uint64_t seed, uint32_t granule) {
    struct access access = sample->access;
    uint64_t got[REQUESTS_MAX], blocks[REQUESTS_MAX];
    access.space = PTX_SPACE_GLOBAL;
    access.is_atomic = access.is_store = true;
    uint32_t count = access_requests(&access, sample->table, sample->base, granule, got);
    uint32_t block_count = naive_requests(&sample->lanes, granule, false, blocks), total = 0, next = 0;
    for (uint32_t i = 0; i < block_count; i++) {
        uint32_t requests = 0;
        for (uint32_t k = 0; k < count; k++)
            requests += got[k] == blocks[i];
        uint32_t needed = naive_atomic_requests(&sample->lanes, granule, blocks[i]);
        expect(requests >= needed, sample, seed, "too few requests of an atomic for a block");
        expect(requests == needed || !is_aligned(&sample->lanes), sample, seed, "too many requests");
        total += requests;
    }
    expect(total == count, sample, seed, "an atomic requests a block that no lane touches");
    for (uint32_t k = 0; k < count && next < block_count; k++)
        next += got[k] == blocks[next];
    expect(next == block_count, sample, seed, "blocks of an atomic are not in the order of the lanes");
}

static void check_passes(const struct sample *sample, uint64_t seed) {
    struct access access = sample->access;
    access.space = PTX_SPACE_SHARED;
    expect(access_wavefronts(&access, sample->table, sample->base) == naive_passes(&sample->lanes, false),
           sample, seed, "another number of passes over shared memory");
    access.is_atomic = true;
    expect(access_wavefronts(&access, sample->table, sample->base) == naive_passes(&sample->lanes, true),
           sample, seed, "another number of passes of an atomic");
    access.is_atomic = false;
    access.space = PTX_SPACE_CONST;
    expect(access_wavefronts(&access, sample->table, sample->base) == naive_constants(&sample->lanes), sample,
           seed, "another number of constants");
    expect(access_requests(&access, sample->table, sample->base, 128, NULL) == 0, sample, seed,
           "constants make requests");
}

static void test_random_accesses(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct random_state random = random_seeded(seed);
        struct sample sample = random_sample(&random);
        uint32_t granule = random_below(&random, 2) == 0 ? MEMORY_LINE_BYTES : MEMORY_SECTOR_BYTES;
        check_requests(&sample, seed, granule, false);
        check_requests(&sample, seed, granule, true);
        check_atomics(&sample, seed, granule);
        check_passes(&sample, seed);
    }
}

/* ---- Cases counted by hand ---------------------------------------------------------------------------- */

struct hand_case {
    const char *what;
    enum ptx_space space;
    uint32_t bytes;
    uint64_t base;
    int64_t stride;
    uint32_t mask;
    bool is_atomic;
    uint32_t lines, sectors, passes; /* requests of 128 and of 32 bytes, or passes */
};

static const struct hand_case hand_cases[] = {
    {"unit stride", PTX_SPACE_GLOBAL, 4, 0x1000, 4, ALL_LANES, false, 1, 4, 0},
    {"unit stride, 4 bytes off", PTX_SPACE_GLOBAL, 4, 0x1004, 4, ALL_LANES, false, 2, 5, 0},
    {"backwards", PTX_SPACE_GLOBAL, 4, 0x107c, -4, ALL_LANES, false, 1, 4, 0},
    {"one address", PTX_SPACE_GLOBAL, 4, 0x1000, 0, ALL_LANES, false, 1, 1, 0},
    {"every second word", PTX_SPACE_GLOBAL, 4, 0x1000, 8, ALL_LANES, false, 2, 8, 0},
    {"a column of 1024 words", PTX_SPACE_GLOBAL, 4, 0x1000, 4096, ALL_LANES, false, 32, 32, 0},
    {"doubles", PTX_SPACE_GLOBAL, 8, 0x1000, 8, ALL_LANES, false, 2, 8, 0},
    {"vectors of four words", PTX_SPACE_GLOBAL, 16, 0x1000, 16, ALL_LANES, false, 4, 16, 0},
    {"bytes", PTX_SPACE_GLOBAL, 1, 0x1000, 1, ALL_LANES, false, 1, 1, 0},
    {"a half warp of words", PTX_SPACE_GLOBAL, 4, 0x1000, 4, 0xffff, false, 1, 2, 0},
    {"a vector over two lines", PTX_SPACE_GLOBAL, 16, 0x1078, 16, 1, false, 2, 2, 0},
    {"atomics on neighbours", PTX_SPACE_GLOBAL, 4, 0x1000, 4, ALL_LANES, true, 1, 4, 0},
    {"atomics on one word", PTX_SPACE_GLOBAL, 4, 0x1000, 0, ALL_LANES, true, 32, 32, 0},
    {"local scalar", PTX_SPACE_LOCAL, 4, 8, 0, ALL_LANES, false, 1, 4, 0},
    {"local scalar of 8 lanes", PTX_SPACE_LOCAL, 4, 8, 0, 0xff, false, 1, 1, 0},
    {"local double", PTX_SPACE_LOCAL, 8, 8, 0, ALL_LANES, false, 2, 8, 0},
    {"local vector", PTX_SPACE_LOCAL, 16, 16, 0, ALL_LANES, false, 4, 16, 0},
    {"local byte", PTX_SPACE_LOCAL, 1, 3, 0, ALL_LANES, false, 1, 4, 0},
    {"local array by lane", PTX_SPACE_LOCAL, 4, 0, 4, ALL_LANES, false, 32, 32, 0},
    {"shared row", PTX_SPACE_SHARED, 4, 0, 4, ALL_LANES, false, 0, 0, 1},
    {"shared broadcast", PTX_SPACE_SHARED, 4, 64, 0, ALL_LANES, false, 0, 0, 1},
    {"shared bytes", PTX_SPACE_SHARED, 1, 0, 1, ALL_LANES, false, 0, 0, 1},
    {"column of a tile of 32 words", PTX_SPACE_SHARED, 4, 0, 128, ALL_LANES, false, 0, 0, 32},
    {"column of a tile padded to 33", PTX_SPACE_SHARED, 4, 0, 132, ALL_LANES, false, 0, 0, 1},
    {"every second word", PTX_SPACE_SHARED, 4, 0, 8, ALL_LANES, false, 0, 0, 2},
    {"every third word", PTX_SPACE_SHARED, 4, 0, 12, ALL_LANES, false, 0, 0, 1},
    {"every fourth word of 16 lanes", PTX_SPACE_SHARED, 4, 0, 16, 0xffff, false, 0, 0, 2},
    {"shared doubles", PTX_SPACE_SHARED, 8, 0, 8, ALL_LANES, false, 0, 0, 2},
    {"shared doubles of one half", PTX_SPACE_SHARED, 8, 0, 8, 0xffff, false, 0, 0, 1},
    {"column of a tile of 16 doubles", PTX_SPACE_SHARED, 8, 0, 128, ALL_LANES, false, 0, 0, 32},
    {"every second double", PTX_SPACE_SHARED, 8, 0, 16, ALL_LANES, false, 0, 0, 4},
    {"shared vectors", PTX_SPACE_SHARED, 16, 0, 16, ALL_LANES, false, 0, 0, 4},
    {"matrix rows of 16 words", PTX_SPACE_SHARED, 16, 0, 64, ALL_LANES, false, 0, 0, 16},
    {"matrix rows padded to 20", PTX_SPACE_SHARED, 16, 0, 80, ALL_LANES, false, 0, 0, 4},
    {"atomics on a row", PTX_SPACE_SHARED, 4, 0, 4, ALL_LANES, true, 0, 0, 1},
    {"atomics on one word", PTX_SPACE_SHARED, 4, 0, 0, ALL_LANES, true, 0, 0, 32},
    {"atomics on one double", PTX_SPACE_SHARED, 8, 0, 0, ALL_LANES, true, 0, 0, 32},
    {"one constant", PTX_SPACE_CONST, 4, 0x40, 0, ALL_LANES, false, 0, 0, 1},
    {"one constant of 8 bytes", PTX_SPACE_PARAM, 8, 0x40, 0, ALL_LANES, false, 0, 0, 1},
    {"a table of constants", PTX_SPACE_CONST, 4, 0x40, 4, ALL_LANES, false, 0, 0, 32},
    {"four lanes' constants", PTX_SPACE_CONST, 4, 0x40, 4, 0x0f, false, 0, 0, 4},
};

static void test_cases_by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof hand_cases / sizeof *hand_cases; i++) {
        const struct hand_case *hand = &hand_cases[i];
        const struct access access = {.space = (uint8_t)hand->space,
                                      .bytes = (uint8_t)hand->bytes,
                                      .base = hand->base,
                                      .stride = hand->stride,
                                      .mask = hand->mask,
                                      .table = ACCESS_AFFINE,
                                      .is_atomic = hand->is_atomic};
        uint64_t requests[REQUESTS_MAX];
        uint32_t lines = access_requests(&access, NULL, 0, MEMORY_LINE_BYTES, requests);
        uint32_t sectors = access_requests(&access, NULL, 0, MEMORY_SECTOR_BYTES, requests);
        uint32_t passes = hand->passes == 0 ? 0 : access_wavefronts(&access, NULL, 0);
        if (lines == hand->lines && sectors == hand->sectors && passes == hand->passes) continue;
        fail_msg("%s: %u lines, %u sectors, %u passes", hand->what, lines, sectors, passes);
    }
}

static void test_order_is_that_of_the_first_lane(void **state) {
    (void)state;
    const uint64_t table[] = {0x1280, 0x1004, 0x1284, 0x10fe};
    const struct access access = {.space = PTX_SPACE_GLOBAL, .bytes = 4, .mask = 0xf0, .table = 0};
    static const uint64_t lines[] = {0x1280, 0x1000, 0x1080, 0x1100};
    uint64_t requests[REQUESTS_MAX];
    assert_int_equal(access_requests(&access, table, 0, MEMORY_LINE_BYTES, requests), 4);
    assert_memory_equal(requests, lines, sizeof lines);
}

/* Lanes 0 and 2 are on one word: the line is requested twice, and lane 4 is served with the first. */
static void test_atomics_share_requests_of_other_words(void **state) {
    (void)state;
    const uint64_t table[] = {0x1000, 0x1004, 0x1000, 0x1084, 0x1008};
    const struct access access = {
        .space = PTX_SPACE_GLOBAL, .bytes = 4, .mask = 0x1f, .table = 0, .is_atomic = true};
    static const uint64_t lines[] = {0x1000, 0x1000, 0x1080};
    uint64_t requests[REQUESTS_MAX];
    assert_int_equal(access_requests(&access, table, 0, MEMORY_LINE_BYTES, requests), 3);
    assert_memory_equal(requests, lines, sizeof lines);
}

/* The golden example of JCSE'17: loads at 4 .. 484, of which the paper prints the lines. */
static void test_golden_example(void **state) {
    (void)state;
    const struct access access = {.space = PTX_SPACE_GLOBAL,
                                  .bytes = 4,
                                  .base = 4,
                                  .stride = 32,
                                  .mask = 0xffff,
                                  .table = ACCESS_AFFINE};
    static const uint64_t lines[] = {0, 128, 256, 384};
    uint64_t requests[REQUESTS_MAX];
    assert_int_equal(access_requests(&access, NULL, 0, MEMORY_LINE_BYTES, requests), 4);
    assert_memory_equal(requests, lines, sizeof lines);
}

static void test_cycles(void **state) {
    (void)state;
    struct machine_memory memory;
    machine_memory_defaults(&memory);
    assert_int_equal(transaction_cycles(&memory, 4, 1), 4);
    assert_int_equal(transaction_cycles(&memory, 4, 5), 5);
    memory.request_cycles = 2;
    assert_int_equal(transaction_cycles(&memory, 4, 5), 10);
    assert_int_equal(wavefront_cycles(4, 3), 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_accesses),
        cmocka_unit_test(test_cases_by_hand),
        cmocka_unit_test(test_order_is_that_of_the_first_lane),
        cmocka_unit_test(test_atomics_share_requests_of_other_words),
        cmocka_unit_test(test_golden_example),
        cmocka_unit_test(test_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
