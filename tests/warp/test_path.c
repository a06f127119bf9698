/* Warp paths: what is written is what is read, loops take no space, equal paths are equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/containers.h"
#include "warp/path/path.h"

#define ALL 0xffffffffu

typedef VEC(struct path_step) step_list;

static void step(step_list *steps, uint32_t instruction, uint32_t mask) {
    struct path_step item = {instruction, mask};
    assert_int_equal(vec_push(steps, item), WB_OK);
}

static struct path written(const step_list *steps) {
    struct path_writer writer = {0};
    struct path path;
    for (size_t i = 0; i < steps->count; i++)
        assert_int_equal(path_append(&writer, steps->items[i].instruction, steps->items[i].mask), WB_OK);
    assert_int_equal(path_finish(&writer, &path), WB_OK);
    return path;
}

static bool reads_as(const struct path *path, const step_list *steps) {
    struct path_cursor cursor = path_begin(path);
    struct path_step got;
    size_t count = 0;
    while (path_next(&cursor, &got)) {
        if (count == steps->count || got.instruction != steps->items[count].instruction ||
            got.mask != steps->items[count].mask)
            return false;
        count++;
    }
    return count == steps->count && path->length == count;
}

/* Whether a body has some part of a fold, but not all of it, or lacks entries. */
static bool cuts_fold(const struct path *path) {
    const struct path_entry *entries = path->entries.items;
    for (size_t i = 0; i < path->entries.count; i++) {
        if (entries[i].count != PATH_REPEAT) continue;
        if (entries[i].first > i) return true;
        for (size_t j = i - entries[i].first; j < i; j++)
            if (entries[j].count == PATH_REPEAT && j - entries[j].first < i - entries[i].first) return true;
    }
    return false;
}

static void empty_path_has_no_step(void **state) {
    (void)state;
    struct path_writer writer = {0};
    struct path path;
    struct path_step got;
    assert_int_equal(path_finish(&writer, &path), WB_OK);
    struct path_cursor cursor = path_begin(&path);
    assert_false(path_next(&cursor, &got));
    assert_int_equal(path.length, 0);
    path_free(&path);
}

static void consecutive_instructions_are_one_run(void **state) {
    (void)state;
    step_list steps = {0};
    for (uint32_t i = 7; i < 100; i++)
        step(&steps, i, ALL);
    step(&steps, 100, 3);
    struct path path = written(&steps);
    assert_int_equal(path.entries.count, 2);
    assert_int_equal(path.entries.items[0].first, 7);
    assert_int_equal(path.entries.items[0].count, 93);
    assert_true(reads_as(&path, &steps));
    path_free(&path);
    vec_free(&steps);
}

/* The sequence 0xffffffff, 0 must not be taken for consecutive instructions of an empty run. */
static void first_instruction_may_have_any_index(void **state) {
    (void)state;
    step_list steps = {0};
    step(&steps, 0, 0);
    step(&steps, UINT32_MAX, 0);
    step(&steps, 0, 0);
    struct path path = written(&steps);
    assert_true(reads_as(&path, &steps));
    path_free(&path);
    vec_free(&steps);
}

/* prologue, `outer` x (head, `inner` x body), epilogue. */
static void nest(step_list *steps, uint32_t outer, uint32_t inner) {
    step(steps, 0, ALL);
    for (uint32_t i = 0; i < outer; i++) {
        step(steps, 10, ALL);
        for (uint32_t j = 0; j < inner; j++) {
            step(steps, 20, ALL);
            step(steps, 21, ALL);
        }
    }
    step(steps, 30, ALL);
}

static void loop_takes_no_space(void **state) {
    (void)state;
    step_list steps = {0};
    nest(&steps, 1, 100000);
    struct path path = written(&steps);
    assert_true(path.entries.count <= 6);
    assert_true(reads_as(&path, &steps));
    path_free(&path);
    vec_free(&steps);
}

static void outer_loop_over_a_short_inner_one_folds(void **state) {
    (void)state;
    step_list steps = {0};
    nest(&steps, 10000, 4);
    struct path path = written(&steps);
    assert_true(path.entries.count <= 30);
    assert_true(reads_as(&path, &steps));
    path_free(&path);
    vec_free(&steps);
}

static void outer_loop_over_a_long_inner_one_takes_few_entries(void **state) {
    (void)state;
    step_list steps = {0};
    nest(&steps, 100, 1000);
    struct path path = written(&steps);
    assert_true(path.entries.count <= 100 * 4);
    assert_false(cuts_fold(&path));
    assert_true(reads_as(&path, &steps));
    path_free(&path);
    steps.count = 0;
    nest(&steps, 2000, 100);
    path = written(&steps);
    assert_true(path.entries.count <= 20);
    assert_false(cuts_fold(&path));
    assert_true(reads_as(&path, &steps));
    path_free(&path);
    vec_free(&steps);
}

static void hundred_million_instructions_fit(void **state) {
    (void)state;
    struct path_writer writer = {0};
    struct path path;
    for (uint32_t i = 0; i < 10000; i++) {
        for (uint32_t j = 0; j < 1000; j++)
            for (uint32_t k = 0; k < 10; k++)
                assert_int_equal(path_append(&writer, 5 + k, ALL), WB_OK);
        assert_int_equal(path_append(&writer, 100, ALL), WB_OK);
    }
    assert_int_equal(path_finish(&writer, &path), WB_OK);
    assert_int_equal(path.length, 100010000);
    assert_true(path.entries.capacity * sizeof *path.entries.items < 1 << 20);
    path_free(&path);
}

static void paths_are_equal_exactly_when_their_steps_are(void **state) {
    (void)state;
    step_list steps = {0}, longer = {0}, other = {0};
    nest(&steps, 3, 50);
    nest(&longer, 3, 51);
    nest(&other, 3, 50);
    other.items[40].mask = 1;
    struct path a = written(&steps), b = written(&steps), c = written(&longer), d = written(&other);
    assert_true(path_equal(&a, &b));
    assert_int_equal(a.hash, b.hash);
    assert_false(path_equal(&a, &c));
    assert_false(path_equal(&a, &d));
    path_free(&a);
    path_free(&b);
    path_free(&c);
    path_free(&d);
    vec_free(&steps);
    vec_free(&longer);
    vec_free(&other);
}

/* A random program of nested loops and straight code over few instructions, so that repetitions, near
 * repetitions and broken ones all occur. */
static void random_program(struct random_state *random, step_list *steps, int depth) {
    uint64_t parts = 1 + random_below(random, 4);
    for (uint64_t part = 0; part < parts && steps->count < 20000; part++) {
        if (depth == 0 || random_below(random, 3) == 0) {
            uint32_t first = (uint32_t)random_below(random, 6);
            uint32_t mask = random_below(random, 5) == 0 ? 1 : ALL;
            for (uint64_t i = 0; i <= random_below(random, 4); i++)
                step(steps, first + (uint32_t)i, mask);
            continue;
        }
        struct random_state body = *random;
        uint64_t trips = random_below(random, 60);
        for (uint64_t i = 0; i < trips && steps->count < 20000; i++) {
            struct random_state again = body;
            random_program(&again, steps, depth - 1);
            if (random_below(random, 20) == 0) step(steps, 50, ALL);
        }
    }
}

static void random_programs_are_read_as_written(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct random_state random = random_seeded(seed);
        step_list steps = {0};
        random_program(&random, &steps, 3);
        struct path path = written(&steps);
        if (!reads_as(&path, &steps) || cuts_fold(&path)) {
            printf("seed %llu\n", (unsigned long long)seed);
            fail();
        }
        path_free(&path);
        vec_free(&steps);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_path_has_no_step),
        cmocka_unit_test(consecutive_instructions_are_one_run),
        cmocka_unit_test(first_instruction_may_have_any_index),
        cmocka_unit_test(loop_takes_no_space),
        cmocka_unit_test(outer_loop_over_a_short_inner_one_folds),
        cmocka_unit_test(outer_loop_over_a_long_inner_one_takes_few_entries),
        cmocka_unit_test(hundred_million_instructions_fit),
        cmocka_unit_test(paths_are_equal_exactly_when_their_steps_are),
        cmocka_unit_test(random_programs_are_read_as_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
