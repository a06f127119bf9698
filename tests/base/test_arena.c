/* Passes that never see NULL: wherever the memory of a pass ends, by the arena's limit or by the system's,
 * the pass ends there, the arenas that it bound are freed, and the arena can be used again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

/* ---- Chunks that the system refuses, and how many there are -------------------------------------------- */

/* The linker puts the one in the place of calloc and gives that the other name. */
void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);

static unsigned long chunks_asked, chunk_refused; /* the number of the one that is refused, from 1; 0: none */

void *__wrap_calloc(size_t count, size_t size) {
    return ++chunks_asked == chunk_refused ? NULL : __real_calloc(count, size);
}

/* ---- A pass that allocates in every way ---------------------------------------------------------------- */

#define ITEMS 3000

struct work {
    struct arena *arena;
    struct arena scratch; /* in the frame of the test, so that it can be looked at afterwards */
    uint64_t *copy;
    const char *text;
    bool done;
};

static void fill(struct work *work, struct arena *scratch) {
    VEC(uint64_t) numbers = {0};
    struct text text = {.arena = work->arena};
    for (uint64_t i = 0; i < ITEMS; i++) {
        arena_push(scratch, &numbers, i);
        if (i % 3 == 0) text_printf(&text, "%d,", (int)i);
        if (i % 100 == 0) memset(arena_alloc(scratch, 100 + i), 1, 100 + i);
    }
    work->copy = arena_array(work->arena, ITEMS, sizeof *work->copy);
    memcpy(work->copy, numbers.items, ITEMS * sizeof *work->copy);
    work->text = arena_string(work->arena, text.data, text.length);
}

static void pass(void *context) {
    struct work *work = context;
    struct arena local = {0};
    arena_bind(&work->scratch, work->arena);
    arena_bind(&local, &work->scratch);
    fill(work, &work->scratch);
    fill(work, &local);
    arena_free(&work->scratch); /* in another order than they were bound */
    arena_free(&local);
    work->done = true;
}

static void check_done(const struct work *work) {
    assert_true(work->done);
    for (uint64_t i = 0; i < ITEMS; i++)
        assert_int_equal(work->copy[i], i);
    assert_memory_equal(work->text, "0,3,6,9,12,", 11);
}

/* Runs the pass, checks what it leaves; whether it was done. */
static bool run_pass(struct arena *arena) {
    struct work work = {.arena = arena};
    const wb_status status = arena_protect(arena, pass, &work);
    assert_false(arena_is_protected(arena));
    assert_null(work.scratch.chunks);
    assert_null(work.scratch.bound_to);
    if (status == WB_OK) check_done(&work);
    assert_int_equal(status, work.done ? WB_OK : WB_ERR_LIMIT);
    return work.done;
}

static void test_every_limit(void **state) {
    (void)state;
    bool done = false;
    for (size_t limit = 1; !done; limit += limit < 100 ? 1 : 977) {
        struct arena arena = {.limit = limit};
        done = run_pass(&arena);
        assert_true(arena.used <= limit && arena.refused != done);
        arena_free(&arena);
    }
}

static void test_every_chunk(void **state) {
    (void)state;
    bool done = false;
    unsigned long number = 0;
    for (; !done; number++) {
        struct arena arena = {0};
        chunks_asked = 0;
        chunk_refused = number + 1;
        done = run_pass(&arena);
        chunk_refused = 0;
        assert_true(run_pass(&arena));
        arena_free(&arena);
    }
    assert_true(number > 5);
}

/* ---- Passes inside passes ------------------------------------------------------------------------------ */

/* A pass over `inner` inside one over `outer`, in which memory ends of the one that is named. */
struct nest {
    struct arena *outer, *inner, *exhausted;
    bool inner_ended, outer_went_on;
    wb_status status;
};

static void exhaust(void *context) {
    struct nest *nest = context;
    struct arena scratch = {0}, more = {0};
    arena_bind(&scratch, nest->inner);
    arena_bind(&more, nest->outer);
    assert_non_null(arena_alloc(&scratch, 100));
    assert_non_null(arena_alloc(&more, 100));
    assert_non_null(arena_alloc(nest->inner, 100));
    (void)arena_array(nest->exhausted == NULL ? &scratch : nest->exhausted, SIZE_MAX, 2);
    fail();
}

static void nested(void *context) {
    struct nest *nest = context;
    nest->status = arena_protect(nest->inner, exhaust, nest);
    nest->inner_ended = true;
    assert_true(arena_is_protected(nest->outer));
    (void)arena_alloc(nest->outer, SIZE_MAX);
    nest->outer_went_on = true;
}

static void check_nest(struct nest nest, bool inner_ends) {
    /* Arenas that the inner pass bound to the outer one are freed with the outer one. */
    assert_int_equal(arena_protect(nest.outer, nested, &nest), WB_ERR_LIMIT);
    assert_int_equal(nest.inner_ended, inner_ends);
    assert_false(nest.outer_went_on);
    assert_false(arena_is_protected(nest.outer) || arena_is_protected(nest.inner));
    assert_null(arena_alloc(nest.inner, SIZE_MAX - 100)); /* as unprotected ones do */
}

static void test_nested_passes(void **state) {
    (void)state;
    struct arena first = {.limit = 1 << 20}, second = first;
    check_nest((struct nest){.outer = &first, .inner = &second, .exhausted = &first}, false);
    check_nest((struct nest){.outer = &first, .inner = &second, .exhausted = &second}, true);
    check_nest((struct nest){.outer = &first, .inner = &second}, true);
    check_nest((struct nest){.outer = &first, .inner = &first, .exhausted = &first}, true);
    arena_free(&first);
    arena_free(&second);
}

static void declines(void *context) {
    arena_fail(context, WB_ERR_DECLINED);
}

static void test_other_ends(void **state) {
    (void)state;
    struct arena arena = {0};
    assert_int_equal(arena_protect(&arena, declines, &arena), WB_ERR_DECLINED);
    assert_true(run_pass(&arena));
    arena_free(&arena);
}

/* ---- Growing ------------------------------------------------------------------------------------------- */

static void test_growing_in_place(void **state) {
    (void)state;
    struct arena arena = {.limit = 1 << 20};
    unsigned char *first = arena_grow(&arena, NULL, 0, 10);
    memset(first, 7, 10);
    assert_ptr_equal(arena_grow(&arena, first, 10, 1000), first);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(first[i], i < 10 ? 7 : 0);
    unsigned char *other = arena_alloc(&arena, 1);
    unsigned char *moved = arena_grow(&arena, first, 1000, 2000);
    assert_true(moved != first && moved > other);
    for (int i = 0; i < 2000; i++)
        assert_int_equal(moved[i], i < 10 ? 7 : 0);
    assert_null(arena_grow(&arena, moved, 2000, SIZE_MAX));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_limit),      cmocka_unit_test(test_every_chunk),
        cmocka_unit_test(test_nested_passes),    cmocka_unit_test(test_other_ends),
        cmocka_unit_test(test_growing_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
