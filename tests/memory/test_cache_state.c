/* Must and may states of a cache: small cases by hand, and random programs against every content that is
 * possible. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"
#include "memory/caches/caches.h"

static const enum touch_kind kinds[] = {TOUCH_LOAD, TOUCH_STORE_EVICTS, TOUCH_STORE_UPDATES};

static struct cache_geometry geometry_of(uint32_t sets, uint32_t ways, uint32_t sectors) {
    return (struct cache_geometry){
        .bytes = sets * ways * 128, .ways = ways, .line_bytes = 128, .sector_bytes = 128 / sectors};
}

static struct cache_state new_state(const struct cache_geometry *geometry, enum cache_contents contents) {
    struct cache_state state;
    assert_int_equal(cache_state_init(&state, geometry, contents), WB_OK);
    return state;
}

/* A request for one line, given by its number. */
static void touch(struct cache_state *state, enum touch_kind kind, uint64_t line) {
    uint64_t address = line * 128;
    assert_int_equal(
        cache_state_update(state, &(struct cache_touch){.kind = kind, .addresses = &address, .count = 1}),
        WB_OK);
}

static void load(struct cache_state *state, uint64_t line) {
    touch(state, TOUCH_LOAD, line);
}

static enum cache_class class_of(const struct cache_state *state, uint64_t line) {
    uint64_t address = line * 128;
    return cache_state_classify(state, &(struct cache_touch){.addresses = &address, .count = 1});
}

/* The classes of lines 0, 1, 2, ... as text: h(it), m(iss), u(nclassified). */
static void assert_classes(const struct cache_state *state, const char *expected) {
    char found[16] = {0};
    for (size_t line = 0; line < strlen(expected); line++)
        found[line] = "hmu"[class_of(state, line)];
    assert_string_equal(found, expected);
}

/* Whatever was in a cache is gone after as many distinct lines as it has ways, hits known from the first on.
 */
static void test_unknown_contents(void **state) {
    (void)state;
    struct cache_geometry geometry = geometry_of(1, 2, 1);
    struct cache_state cache = new_state(&geometry, CACHE_ANYTHING);
    assert_classes(&cache, "uuu");
    load(&cache, 0);
    assert_classes(&cache, "huu");
    load(&cache, 1);
    assert_classes(&cache, "hhm");
    cache_state_free(&cache);
}

static void test_stores(void **state) {
    (void)state;
    struct cache_geometry geometry = geometry_of(1, 2, 1);
    struct cache_state cache = new_state(&geometry, CACHE_EMPTY);
    load(&cache, 0);
    load(&cache, 1);
    touch(&cache, TOUCH_STORE_EVICTS, 1); /* leaves room: line 0 stays */
    assert_classes(&cache, "hmm");
    load(&cache, 2);
    assert_classes(&cache, "hmh");
    touch(&cache, TOUCH_STORE_UPDATES, 0);
    touch(&cache, TOUCH_STORE_UPDATES, 1); /* not there: nothing happens */
    load(&cache, 3);
    assert_classes(&cache, "hmmh");
    cache_state_free(&cache);
}

/* A store under write-through to a line that is perhaps there makes others older, but evicts nothing. */
static void test_store_to_possible_line(void **state) {
    (void)state;
    struct cache_geometry geometry = geometry_of(1, 3, 1);
    struct cache_state cache = new_state(&geometry, CACHE_ANYTHING);
    load(&cache, 0);
    touch(&cache, TOUCH_STORE_UPDATES, 1);
    touch(&cache, TOUCH_STORE_UPDATES, 2);
    touch(&cache, TOUCH_STORE_UPDATES, 3);
    assert_classes(&cache, "huuu");
    load(&cache, 4);
    assert_classes(&cache, "uuuuh");
    cache_state_free(&cache);
}

static void touch_some(struct cache_state *state, enum touch_kind kind, const uint64_t *addresses,
                       size_t count) {
    assert_int_equal(cache_state_update(
                         state, &(struct cache_touch){.kind = kind, .addresses = addresses, .count = count}),
                     WB_OK);
}

/* One of two lines of different sets: each may have been used, neither surely. */
static void test_partly_known_address(void **state) {
    (void)state;
    static const uint64_t addresses[] = {2 * 128, 3 * 128};
    struct cache_geometry geometry = geometry_of(2, 1, 1);
    struct cache_state cache = new_state(&geometry, CACHE_EMPTY);
    load(&cache, 0);
    load(&cache, 1);
    touch_some(&cache, TOUCH_LOAD, addresses, 2);
    assert_classes(&cache, "uuuum");
    struct cache_touch one_of = {.addresses = addresses, .count = 2};
    assert_int_equal(cache_state_classify(&cache, &one_of), CACHE_UNCLASSIFIED);
    load(&cache, 2);
    load(&cache, 3);
    assert_int_equal(cache_state_classify(&cache, &one_of), CACHE_ALWAYS_HIT);
    assert_classes(&cache, "mmhh");
    touch_some(&cache, TOUCH_STORE_EVICTS, addresses, 2);
    assert_classes(&cache, "mmuu"); /* one of them is gone */
    cache_state_free(&cache);
}

/* One of two lines of a set: whichever it was, the line in between is gone from one way. */
static void test_partly_known_line_of_a_set(void **state) {
    (void)state;
    static const uint64_t addresses[] = {1 * 128, 2 * 128};
    struct cache_geometry geometry = geometry_of(1, 1, 1);
    struct cache_state cache = new_state(&geometry, CACHE_EMPTY);
    load(&cache, 0);
    touch_some(&cache, TOUCH_LOAD, addresses, 2);
    assert_classes(&cache, "muum");
    cache_state_free(&cache);
}

static void test_unknown_address(void **state) {
    (void)state;
    struct cache_geometry geometry = geometry_of(2, 2, 1);
    struct cache_state cache = new_state(&geometry, CACHE_EMPTY);
    struct cache_touch any = {.count = 0};
    assert_int_equal(cache_state_classify(&cache, &any), CACHE_ALWAYS_MISS);
    load(&cache, 0);
    assert_int_equal(cache_state_classify(&cache, &any), CACHE_UNCLASSIFIED);
    touch_some(&cache, TOUCH_LOAD, NULL, 0);
    assert_classes(&cache, "huuu"); /* in its set at most one other line was used */
    touch_some(&cache, TOUCH_STORE_UPDATES, NULL, 0);
    assert_classes(&cache, "huuu");
    touch_some(&cache, TOUCH_LOAD, NULL, 0);
    assert_classes(&cache, "uuuu");
    load(&cache, 0);
    touch_some(&cache, TOUCH_STORE_EVICTS, NULL, 0);
    assert_classes(&cache, "uuuu");
    cache_state_free(&cache);
}

/* A sector is there only when it was loaded since its line came. */
static void test_sectors(void **state) {
    (void)state;
    static const uint64_t first = 0, second = 32, other = 128;
    struct cache_geometry geometry = geometry_of(1, 1, 4);
    struct cache_state cache = new_state(&geometry, CACHE_EMPTY);
    touch_some(&cache, TOUCH_LOAD, &first, 1);
    struct cache_touch again = {.addresses = &first, .count = 1},
                       neighbour = {.addresses = &second, .count = 1};
    assert_int_equal(cache_state_classify(&cache, &again), CACHE_ALWAYS_HIT);
    assert_int_equal(cache_state_classify(&cache, &neighbour), CACHE_ALWAYS_MISS);
    touch_some(&cache, TOUCH_LOAD, &second, 1);
    assert_int_equal(cache_state_classify(&cache, &again), CACHE_ALWAYS_HIT);
    touch_some(&cache, TOUCH_LOAD, &other, 1);
    touch_some(&cache, TOUCH_LOAD, &second, 1);
    assert_int_equal(cache_state_classify(&cache, &again), CACHE_ALWAYS_MISS);
    assert_int_equal(cache_state_classify(&cache, &neighbour), CACHE_ALWAYS_HIT);
    cache_state_free(&cache);
}

/* Random programs: a graph of blocks without cycles, each with a few requests, against the set of all
 * concrete caches that some path leads to. */
#define LINES_MAX 12
#define CONCRETE_MAX 4096
#define BLOCKS 5

struct concrete_caches {
    struct cache_line caches[CONCRETE_MAX][LINES_MAX];
    size_t count;
};

struct cache_program {
    struct cache_geometry geometry;
    uint64_t universe[8]; /* addresses that there are */
    uint32_t universe_size;
    struct concrete_caches contents; /* that are possible */
};

static void add_concrete(struct concrete_caches *set, const struct cache_line *lines) {
    for (size_t i = 0; i < set->count; i++) {
        if (memcmp(set->caches[i], lines, sizeof set->caches[i]) == 0) return;
    }
    assert_true(set->count < CONCRETE_MAX);
    memcpy(set->caches[set->count++], lines, sizeof set->caches[0]);
}

static void touch_concrete(struct cache *cache, enum touch_kind kind, uint64_t address) {
    if (kind == TOUCH_LOAD)
        (void)cache_load(cache, address);
    else
        (void)cache_store(cache, address, kind == TOUCH_STORE_EVICTS ? STORE_EVICTS : STORE_UPDATES);
}

/* The addresses that a request may have: those of the universe in its range, or those that it lists. */
static size_t possible_addresses(const struct cache_program *program, const struct cache_touch *touch,
                                 uint64_t addresses[8]) {
    size_t count = 0;
    const uint64_t *from = touch->count == 0 ? program->universe : touch->addresses;
    for (size_t i = 0; i < (touch->count == 0 ? program->universe_size : touch->count); i++)
        if (touch->count > 0 || touch->size == 0 || from[i] - touch->first < touch->size)
            addresses[count++] = from[i];
    return count;
}

/* All caches after a request, and whether any of them hit, any missed. One of a range is perhaps not made. */
static void touch_all(const struct cache_program *program, struct concrete_caches *set,
                      const struct cache_touch *touch, bool *any_hit, bool *any_miss) {
    static struct concrete_caches next;
    next.count = 0;
    *any_hit = *any_miss = false;
    uint64_t addresses[8];
    size_t count = possible_addresses(program, touch, addresses);
    struct cache cache = {.index = cache_index_of(&program->geometry), .ways = program->geometry.ways};
    for (size_t i = 0; i < set->count * count; i++) {
        struct cache_line lines[LINES_MAX];
        memcpy(lines, set->caches[i / count], sizeof lines);
        cache.lines = lines;
        bool hit = cache_has(&cache, addresses[i % count]);
        *any_hit |= hit;
        *any_miss |= !hit;
        touch_concrete(&cache, touch->kind, addresses[i % count]);
        add_concrete(&next, lines);
    }
    for (size_t i = 0; touch->count == 0 && i < set->count; i++)
        add_concrete(&next, set->caches[i]);
    *set = next;
}

/* Adds the caches after the requests whose bits are set, in any order, each perhaps not made. */
static void touch_subsets(const struct cache_program *program, const struct cache_line *from, uint32_t left,
                          const struct cache_touch *touch, struct concrete_caches *set) {
    add_concrete(set, from);
    for (uint32_t i = 0; i < touch->count; i++) {
        struct cache_line lines[LINES_MAX];
        struct cache cache = {
            .index = cache_index_of(&program->geometry), .ways = program->geometry.ways, .lines = lines};
        if ((left >> i & 1) == 0) continue;
        memcpy(lines, from, sizeof lines);
        touch_concrete(&cache, touch->kind, touch->addresses[i]);
        touch_subsets(program, lines, left & ~(1u << i), touch, set);
    }
}

static void touch_some_concretely(const struct cache_program *program, const struct cache_touch *touch,
                                  struct concrete_caches *set) {
    static struct concrete_caches next;
    next.count = 0;
    for (size_t i = 0; i < set->count; i++)
        touch_subsets(program, set->caches[i], (1u << touch->count) - 1, touch, &next);
    *set = next;
}

/* How often the classes were as good as the concrete caches allow. */
struct precision {
    uint32_t requests, exact;
};

static void check_class(enum cache_class class, bool any_hit, bool any_miss, uint64_t seed,
                        struct precision *precision) {
    if ((class == CACHE_ALWAYS_HIT && any_miss) || (class == CACHE_ALWAYS_MISS && any_hit))
        fail_msg("seed %llu: class %d, but hit %d, miss %d", (unsigned long long)seed, class, any_hit,
                 any_miss);
    precision->requests++;
    precision->exact += (class == CACHE_UNCLASSIFIED) == (any_hit && any_miss);
}

/* A few random requests, on the abstract state and on all concrete caches. */
static void run_cached_block(const struct cache_program *program, struct random_state *random, bool known,
                             uint64_t seed, struct concrete_caches *set, struct cache_state *state,
                             struct precision *precision) {
    for (uint64_t left = 1 + random_below(random, 4); left > 0; left--) {
        uint64_t addresses[3];
        struct cache_touch touch = {.addresses = addresses, .count = known ? 1 : random_below(random, 4)};
        touch.kind = kinds[random_below(random, 5) > 2 ? random_below(random, 3) : 0];
        if (!known && touch.count == 0 && random_below(random, 2) != 0) touch.count = 1;
        for (size_t i = 0; i < touch.count; i++)
            addresses[i] = program->universe[random_below(random, program->universe_size)];
        if (!known && touch.count > 0 && random_below(random, 4) == 0) {
            assert_int_equal(cache_state_update_some(state, touch.kind, addresses, touch.count), WB_OK);
            touch_some_concretely(program, &touch, set);
            continue;
        }
        if (touch.count == 0 && random_below(random, 3) != 0) {
            touch.first = program->universe[random_below(random, program->universe_size)];
            touch.size = 1 + random_below(random, 300);
        }
        enum cache_class class = cache_state_classify(state, &touch);
        assert_int_equal(cache_state_update(state, &touch), WB_OK);
        bool any_hit, any_miss;
        touch_all(program, set, &touch, &any_hit, &any_miss);
        check_class(class, any_hit, any_miss, seed, precision);
    }
}

/* One random program. */
static void check_program(struct cache_program *program, bool known, uint32_t blocks, uint64_t seed,
                          struct precision *precision) {
    struct random_state random = random_seeded(seed);
    static const uint32_t sectors[] = {1, 1, 2};
    uint32_t sector_count = sectors[random_below(&random, 3)];
    program->geometry = geometry_of(1 + (uint32_t)random_below(&random, 3),
                                    1 + (uint32_t)random_below(&random, 4), sector_count);
    program->universe_size = 3 + (uint32_t)random_below(&random, 6);
    for (uint32_t i = 0; i < program->universe_size; i++)
        program->universe[i] = i * program->geometry.sector_bytes;
    struct cache_state state = new_state(&program->geometry, CACHE_EMPTY);
    program->contents.count = 0;
    add_concrete(&program->contents, (struct cache_line[LINES_MAX]){{0}});
    for (uint32_t b = 0; b < blocks; b++)
        run_cached_block(program, &random, known, seed, &program->contents, &state, precision);
    cache_state_free(&state);
}

static void test_random_programs(void **state) {
    (void)state;
    static struct cache_program program;
    struct precision precision = {0};
    for (uint64_t seed = 0; seed < 1000; seed++)
        check_program(&program, seed % 2 != 0, BLOCKS, seed, &precision);
    assert_true(precision.exact >= precision.requests / 10 * 9);
}

/* A mark stays with its line while that is surely there. */
static void test_marks(void **state) {
    (void)state;
    struct cache_geometry geometry = geometry_of(1, 2, 1);
    struct cache_state left = new_state(&geometry, CACHE_EMPTY);
    cache_state_set_mark(&left, 128, 5); /* the line is not there */
    assert_int_equal(cache_state_mark(&left, 128), 0);
    load(&left, 1);
    cache_state_set_mark(&left, 128, 5);
    load(&left, 2);
    assert_int_equal(cache_state_mark(&left, 128), 5);
    load(&left, 3); /* takes its place */
    load(&left, 1);
    assert_int_equal(cache_state_mark(&left, 128), 0);
    cache_state_free(&left);
}

/* A request for some line of a range leaves other lines at most older; other sets are as they were. */
static void test_range(void **state) {
    (void)state;
    struct cache_geometry geometry = geometry_of(2, 2, 1);
    struct cache_state of = new_state(&geometry, CACHE_EMPTY);
    const struct cache_touch even = {.kind = TOUCH_LOAD, .first = 4 * 128, .size = 128};
    load(&of, 0);
    load(&of, 1);
    load(&of, 3);
    assert_int_equal(cache_state_update(&of, &even), WB_OK);
    assert_classes(&of, "hhuhu"); /* lines 2 and 4 share a set with line 0: what is not listed is one case */
    assert_int_equal(cache_state_classify(&of, &even), CACHE_UNCLASSIFIED);
    load(&of, 4);
    assert_int_equal(cache_state_classify(&of, &even), CACHE_ALWAYS_HIT);
    cache_state_free(&of);
}

/* With all addresses known nothing is left unclassified. */
static void test_straight_programs_are_exact(void **state) {
    (void)state;
    static struct cache_program program;
    struct precision precision = {0};
    for (uint64_t seed = 0; seed < 1000; seed++)
        check_program(&program, true, 1, seed, &precision);
    assert_int_equal(precision.exact, precision.requests);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_contents),
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_store_to_possible_line),
        cmocka_unit_test(test_partly_known_address),
        cmocka_unit_test(test_partly_known_line_of_a_set),
        cmocka_unit_test(test_unknown_address),
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_straight_programs_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
