/* The timing wheel beside a heap, on random items near and far: the same order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/containers.h"
#include "base/heap.h"

#define ITEMS 60000u

struct walk {
    struct arena arena;
    struct wheel wheel;
    struct heap heap; /* ranks: the order in which items were added */
    struct random_state random;
    uint32_t added;
    uint64_t reach; /* how far off items are at most */
};

static void add(struct walk *walk, cycles now) {
    const cycles at = now + random_below(&walk->random, walk->reach);
    wheel_add(&walk->wheel, at, walk->added);
    heap_push(&walk->heap, at, walk->added, walk->added);
    walk->added++;
}

/* Takes what is due in the cycle; some items add others, for the same cycle, too. */
static void take_due(struct walk *walk, cycles now) {
    wheel_advance(&walk->wheel, now);
    while (walk->wheel.first <= now) {
        assert_int_equal(wheel_take(&walk->wheel), heap_pop(&walk->heap).id);
        if (random_below(&walk->random, 3) == 0 && walk->added < ITEMS) add(walk, now);
    }
}

static void run_walk(void *context) {
    struct walk *walk = context;
    cycles now = 0;
    wheel_init(&walk->wheel, &walk->arena);
    walk->heap.items = arena_array(&walk->arena, ITEMS, sizeof *walk->heap.items);
    assert_true(walk->wheel.first == CYCLES_SATURATED);
    do {
        for (uint64_t more = random_below(&walk->random, 4); more > 0 && walk->added < ITEMS; more--)
            add(walk, now);
        /* Now and then cycles are looked at in which nothing is due. */
        const cycles next = walk->wheel.first;
        assert_true(next == heap_first(&walk->heap));
        if (next != CYCLES_SATURATED && next > now && random_below(&walk->random, 4) == 0)
            now += 1 + random_below(&walk->random, next - now);
        else if (next != CYCLES_SATURATED)
            now = next;
        take_due(walk, now);
    } while (walk->wheel.first != CYCLES_SATURATED || walk->added < ITEMS);
    assert_int_equal(walk->heap.count, 0);
}

static void test_order_is_that_of_a_heap(void **state) {
    static const uint64_t reaches[] = {3,    100,     WHEEL_CYCLES - 1, WHEEL_CYCLES, WHEEL_CYCLES + 1,
                                       5000, 1u << 20};
    (void)state;
    for (size_t r = 0; r < sizeof reaches / sizeof *reaches; r++) {
        struct walk walk = {.random = random_seeded(r), .reach = reaches[r]};
        assert_int_equal(arena_protect(&walk.arena, run_walk, &walk), WB_OK);
        arena_free(&walk.arena);
    }
}

static void test_memory_ends(void **state) {
    (void)state;
    struct walk walk = {.arena = {.limit = 100000}, .random = random_seeded(1), .reach = 100};
    assert_int_equal(arena_protect(&walk.arena, run_walk, &walk), WB_ERR_LIMIT);
    arena_free(&walk.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_is_that_of_a_heap),
        cmocka_unit_test(test_memory_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
