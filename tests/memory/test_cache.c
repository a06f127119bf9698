/* One cache, access by access, against what LRU means without any order of lines; how lines spread over sets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/containers.h"
#include "memory/caches/caches.h"

static struct cache new_cache(const struct cache_geometry *geometry, struct arena *arena) {
    struct cache cache;
    assert_int_equal(cache_init(&cache, geometry, arena), WB_OK);
    return cache;
}

/* A geometry from its number of sets. */
static struct cache_geometry geometry_of(uint32_t sets, uint32_t ways, uint32_t line_bytes,
                                         uint32_t sector_bytes) {
    return (struct cache_geometry){.bytes = sets * ways * line_bytes,
                                   .ways = ways,
                                   .line_bytes = line_bytes,
                                   .sector_bytes = sector_bytes};
}

/* What LRU means, without any order of lines: each line has the time of its last use. */
#define NAIVE_LINES 200

struct naive_line {
    bool present;
    uint64_t number, used;
    uint32_t sectors, dirty;
};

struct naive_cache {
    struct cache_geometry geometry;
    uint64_t now;
    struct naive_line lines[NAIVE_LINES]; /* any line of the cache can be anywhere */
};

/* The set by its definition: the lowest digit, or the digits' exclusive or (power of two) or sum. */
static uint64_t naive_set(const struct cache_geometry *geometry, uint64_t line) {
    uint64_t sets = geometry->bytes / geometry->line_bytes / geometry->ways, folded = 0;
    if (!geometry->hashed || sets == 1) return line % sets;
    for (; line != 0; line /= sets)
        folded = (sets & (sets - 1)) == 0 ? folded ^ (line % sets) : (folded + line % sets) % sets;
    return folded;
}

static struct naive_line *naive_find(struct naive_cache *cache, uint64_t number) {
    for (uint32_t i = 0; i < NAIVE_LINES; i++) {
        if (cache->lines[i].present && cache->lines[i].number == number) return &cache->lines[i];
    }
    return NULL;
}

/* The least recently used line of the set of `number` if the set is full, else NULL. */
static struct naive_line *naive_victim(struct naive_cache *cache, uint64_t number) {
    struct naive_line *oldest = NULL;
    uint32_t count = 0;
    uint64_t set = naive_set(&cache->geometry, number);
    for (uint32_t i = 0; i < NAIVE_LINES; i++) {
        struct naive_line *line = &cache->lines[i];
        if (!line->present || naive_set(&cache->geometry, line->number) != set) continue;
        count++;
        if (oldest == NULL || line->used < oldest->used) oldest = line;
    }
    return count == cache->geometry.ways ? oldest : NULL;
}

static uint32_t naive_sector(const struct naive_cache *cache, uint64_t address) {
    return 1u << (address % cache->geometry.line_bytes / cache->geometry.sector_bytes);
}

static struct cache_outcome naive_load(struct naive_cache *cache, uint64_t address) {
    struct cache_outcome outcome = {0};
    uint64_t number = address / cache->geometry.line_bytes;
    struct naive_line *line = naive_find(cache, number);
    if (line == NULL) {
        struct naive_line *victim = naive_victim(cache, number);
        if (victim != NULL) {
            outcome.evicted = true;
            outcome.victim = (struct cache_line){victim->number, victim->sectors, victim->dirty};
            victim->present = false;
        }
        line = cache->lines;
        while (line->present)
            line++;
        *line = (struct naive_line){.present = true, .number = number};
    }
    outcome.hit = (line->sectors & naive_sector(cache, address)) != 0;
    line->sectors |= naive_sector(cache, address);
    line->used = ++cache->now;
    return outcome;
}

static struct cache_outcome naive_write_back(struct naive_cache *cache, uint64_t address) {
    struct cache_outcome outcome = naive_load(cache, address);
    naive_find(cache, address / cache->geometry.line_bytes)->dirty |= naive_sector(cache, address);
    return outcome;
}

static bool naive_store(struct naive_cache *cache, uint64_t address, enum store_policy policy) {
    struct naive_line *line = naive_find(cache, address / cache->geometry.line_bytes);
    if (line == NULL) return false;
    line->present = policy == STORE_UPDATES;
    line->used = ++cache->now;
    return (line->sectors & naive_sector(cache, address)) != 0;
}

static void assert_same_line(const struct cache_line *line, const struct cache_line *naive, uint64_t seed) {
    if (line->number != naive->number || line->sectors != naive->sectors || line->dirty != naive->dirty)
        fail_msg("seed %llu: line %llu with sectors %x, dirty %x, expected %llu with %x, %x",
                 (unsigned long long)seed, (unsigned long long)line->number, line->sectors, line->dirty,
                 (unsigned long long)naive->number, naive->sectors, naive->dirty);
}

static void assert_same_outcome(const struct cache_outcome *outcome, const struct cache_outcome *naive,
                                uint64_t seed) {
    if (outcome->hit != naive->hit || outcome->evicted != naive->evicted)
        fail_msg("seed %llu: hit %d, evicted %d, expected %d, %d", (unsigned long long)seed, outcome->hit,
                 outcome->evicted, naive->hit, naive->evicted);
    if (naive->evicted) assert_same_line(&outcome->victim, &naive->victim, seed);
}

/* One random access to both. */
static void access_both(struct cache *cache, struct naive_cache *naive, uint64_t address, uint64_t kind,
                        uint64_t seed) {
    struct cache_outcome outcome = {0}, expected = {0};
    if (kind == 0 || kind == 1) {
        enum store_policy policy = kind == 0 ? STORE_EVICTS : STORE_UPDATES;
        outcome.hit = cache_store(cache, address, policy);
        expected.hit = naive_store(naive, address, policy);
    } else if (kind == 2) {
        outcome = cache_write_back(cache, address);
        expected = naive_write_back(naive, address);
    } else {
        outcome = cache_load(cache, address);
        expected = naive_load(naive, address);
    }
    assert_same_outcome(&outcome, &expected, seed);
}

/* What can be asked without an access. */
static void compare_queries(const struct cache *cache, struct naive_cache *naive, uint64_t address,
                            uint64_t seed) {
    uint64_t number = address / naive->geometry.line_bytes;
    const struct naive_line *line = naive_find(naive, number);
    const struct naive_line *victim = line == NULL ? naive_victim(naive, number) : NULL;
    bool present = line != NULL && (line->sectors & naive_sector(naive, address)) != 0;
    if (cache_has(cache, address) != present) fail_msg("seed %llu: has", (unsigned long long)seed);
    const struct cache_line *found = cache_victim(cache, address);
    assert_true((found == NULL) == (victim == NULL));
    if (victim != NULL)
        assert_same_line(found, &(struct cache_line){victim->number, victim->sectors, victim->dirty}, seed);
    assert_int_equal(cache_set_of(cache, address), naive_set(&naive->geometry, number));
}

/* Random streams of all kinds of accesses on caches of all shapes. */
static void test_against_naive(void **state) {
    (void)state;
    static const uint32_t set_counts[] = {1, 2, 3, 8, 12}, way_counts[] = {1, 2, 4, 5, 16};
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct random_state random = random_seeded(seed);
        uint32_t sector_bytes = 32u << random_below(&random, 3);
        struct cache_geometry geometry = geometry_of(set_counts[random_below(&random, 5)],
                                                     way_counts[random_below(&random, 5)], 128, sector_bytes);
        geometry.hashed = random_below(&random, 2) != 0;
        uint32_t lines = geometry.bytes / geometry.line_bytes;
        struct arena arena = {0};
        struct cache cache = new_cache(&geometry, &arena);
        struct naive_cache naive = {.geometry = geometry};
        for (uint32_t i = 0; i < 1000; i++) {
            uint64_t address =
                random_below(&random, (uint64_t)lines * 2 + 2) * 128 + random_below(&random, 128);
            if (random_below(&random, 4) == 0) address += UINT64_C(0x7f12345678) << 20; /* high bits count */
            access_both(&cache, &naive, address, random_below(&random, 8), seed);
            compare_queries(&cache, &naive, random_below(&random, (uint64_t)lines * 2) * 128, seed);
        }
        arena_free(&arena);
    }
}

/* Every group of as many consecutive lines as there are sets fills each set once, hashed or not. */
static void test_consecutive_lines_spread(void **state) {
    (void)state;
    static const uint32_t set_counts[] = {1, 2, 15, 32, 48, 64};
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t sets = set_counts[i / 2];
        struct cache_geometry geometry = geometry_of(sets, 4, 128, 32);
        geometry.hashed = i % 2 != 0;
        struct cache_index index = cache_index_of(&geometry);
        assert_int_equal(index.set_count, sets);
        for (uint64_t group = 0; group < UINT64_C(1) << 40; group = group * 3 + 1) {
            uint64_t seen = 0;
            for (uint64_t line = group * sets; line < (group + 1) * sets; line++)
                seen |= UINT64_C(1) << cache_set_of_line(&index, line);
            assert_int_equal(seen, sets == 64 ? UINT64_MAX : (UINT64_C(1) << sets) - 1);
        }
    }
}

/* The hash exists for strides of a multiple of the number of sets: they fill all sets instead of one. */
static void test_hash_spreads_strides(void **state) {
    (void)state;
    for (uint32_t hashed = 0; hashed < 2; hashed++) {
        struct cache_geometry geometry = geometry_of(32, 4, 128, 128);
        geometry.hashed = hashed != 0;
        struct cache_index index = cache_index_of(&geometry);
        uint32_t seen = 0;
        for (uint64_t i = 0; i < 32; i++)
            seen |= 1u << cache_set_of_line(&index, i * 32);
        assert_int_equal(seen, hashed ? UINT32_MAX : 1);
    }
}

/* A store under write-evict leaves room, which the next miss takes without evicting another line. */
static void test_store_leaves_room(void **state) {
    (void)state;
    struct cache_geometry geometry = geometry_of(1, 2, 128, 128);
    struct arena arena = {0};
    struct cache cache = new_cache(&geometry, &arena);
    assert_false(cache_load(&cache, 0).hit);
    assert_false(cache_load(&cache, 128).hit);
    assert_int_equal(cache_victim(&cache, 256)->number, 0);
    assert_true(cache_store(&cache, 0, STORE_EVICTS));
    assert_null(cache_victim(&cache, 256));
    assert_false(cache_load(&cache, 256).evicted);
    assert_true(cache_load(&cache, 128).hit);
    assert_false(cache_store(&cache, 0, STORE_UPDATES)); /* not there: nothing happens */
    assert_true(cache_store(&cache, 256, STORE_UPDATES));
    struct cache_outcome outcome = cache_load(&cache, 0);
    assert_true(outcome.evicted);
    assert_int_equal(outcome.victim.number, 1);
    cache_clear(&cache);
    assert_false(cache_has(&cache, 0));
    arena_free(&arena);
}

static void test_no_memory(void **state) {
    (void)state;
    struct cache_geometry geometry = geometry_of(1024, 16, 128, 128);
    struct arena arena = {.limit = 4096};
    struct cache cache;
    assert_int_equal(cache_init(&cache, &geometry, &arena), WB_ERR_LIMIT);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_naive),
        cmocka_unit_test(test_consecutive_lines_spread),
        cmocka_unit_test(test_hash_spreads_strides),
        cmocka_unit_test(test_store_leaves_room),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
