/* What the tests of loop bounds share: a function with its flow and the bounds of its loops. */
#ifndef WB_TESTS_LOOP_SUPPORT_H
#define WB_TESTS_LOOP_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "flow/bounds/loop_bounds.h"

struct bounded_function {
    struct arena arena;
    struct cfg cfg;
    struct dominators dominators;
    struct loops loops;
    struct loop_bound *bounds;
};

/* Bounds the loops of a function with a body. Freed with arena_free. */
static inline void bound_function(const struct ptx_function *function,
                                  const struct loop_environment *environment,
                                  struct bounded_function *bounded) {
    struct liveness liveness;
    struct ssa ssa;
    *bounded = (struct bounded_function){0};
    struct arena *arena = &bounded->arena;
    assert_int_equal(cfg_build(function, arena, &bounded->cfg), WB_OK);
    assert_int_equal(dominators_build(arena, &bounded->cfg.graph, CFG_ENTRY, &bounded->dominators), WB_OK);
    assert_int_equal(loops_build(arena, &bounded->cfg.graph, &bounded->dominators, &bounded->loops), WB_OK);
    assert_int_equal(liveness_build(&bounded->cfg, arena, &liveness), WB_OK);
    assert_int_equal(ssa_build(&bounded->cfg, &bounded->dominators, &liveness, arena, &ssa), WB_OK);
    assert_int_equal(
        loop_bounds_find(&ssa, &bounded->dominators, &bounded->loops, environment, arena, &bounded->bounds),
        WB_OK);
}

/* The loop whose header starts with the label, or GRAPH_NONE when that is no loop. */
static inline uint32_t loop_labelled(const struct bounded_function *bounded, const char *label) {
    const struct ptx_function *function = bounded->cfg.function;
    for (uint32_t i = 0; i < function->label_count; i++) {
        if (strcmp(function->labels[i].name, label) != 0) continue;
        uint32_t block = bounded->cfg.block_of[function->labels[i].target];
        for (uint32_t loop = 0; loop < bounded->loops.count; loop++)
            if (bounded->loops.items[loop].header == block) return loop;
    }
    return GRAPH_NONE;
}

#endif
