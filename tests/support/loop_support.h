/* What the tests of loop bounds share: a function with its flow and the bounds of its loops. */
#ifndef WB_TESTS_LOOP_SUPPORT_H
#define WB_TESTS_LOOP_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "flow/bounds/bounds.h"

struct bounded_function {
    const struct ptx_function *function;
    const struct loop_environment *environment;
    struct arena arena;
    struct cfg cfg;
    struct dominators dominators;
    struct loops loops;
    struct loop_bound *bounds;
};

static inline void bounded_function_fill(void *context) {
    struct bounded_function *bounded = context;
    struct arena *arena = &bounded->arena;
    bounded->cfg = cfg_build(bounded->function, arena);
    bounded->dominators = dominators_build(arena, &bounded->cfg.graph, CFG_ENTRY);
    bounded->loops = loops_build(arena, &bounded->cfg.graph, &bounded->dominators);
    const struct node_regs liveness = liveness_build(&bounded->cfg, arena);
    const struct ssa ssa = ssa_build(&bounded->cfg, &bounded->dominators, &liveness, arena);
    bounded->bounds =
        loop_bounds_find(&ssa, &bounded->dominators, &bounded->loops, bounded->environment, arena);
}

/* Bounds the loops of a function with a body. Freed with arena_free. */
static inline void bound_function(const struct ptx_function *function,
                                  const struct loop_environment *environment,
                                  struct bounded_function *bounded) {
    *bounded = (struct bounded_function){.function = function, .environment = environment};
    assert_int_equal(arena_protect(&bounded->arena, bounded_function_fill, bounded), WB_OK);
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
