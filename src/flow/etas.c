#include "flow/etas.h"

#include <string.h>

/* A value, and the outermost loop that one of its uses is outside of. */
struct left_loop {
    uint32_t value, loop;
};

/* The predicates that decide leaving the loops from `inner` to `outer`, around it. */
struct left_loops {
    uint32_t outer;
    uint32_t next; /* with the same inner loop, or GRAPH_NONE */
    struct predicate_list list;
};

struct eta_finder {
    const struct ssa *ssa;
    const struct loops *loops;
    struct predicate_lists *lists;
    VEC(struct left_loop) found;
    VEC(struct left_loops) made;
    uint32_t *first_made; /* per loop: the first of `made` of which it is the inner one, or GRAPH_NONE */
};

/* Notes that a value is used in a block. */
static wb_status note_use(struct eta_finder *finder, uint32_t value, uint32_t block) {
    const struct loops *loops = finder->loops;
    if (value == SSA_NONE) return WB_OK;
    uint32_t loop = loops->innermost[finder->ssa->values[value].block];
    if (loop == GRAPH_NONE || loop_contains(loops, loop, block)) return WB_OK;
    for (;;) {
        uint32_t parent = loops->items[loop].parent;
        if (parent == GRAPH_NONE || loop_contains(loops, parent, block)) break;
        loop = parent;
    }
    return vec_push(&finder->found, ((struct left_loop){value, loop}));
}

static wb_status note_uses(struct eta_finder *finder) {
    const struct ssa *ssa = finder->ssa;
    for (uint32_t i = 0; i < ssa->cfg->function->inst_count; i++) {
        for (uint32_t u = ssa->first_use[i]; u < ssa->first_use[i + 1]; u++)
            WB_TRY(note_use(finder, ssa->uses[u], ssa->cfg->block_of[i]));
    }
    for (uint32_t v = 0; v < ssa->value_count; v++) {
        const struct ssa_value *value = &ssa->values[v];
        for (uint32_t a = 0; a < value->argument_count; a++)
            WB_TRY(note_use(finder, ssa->arguments[value->first_argument + a], value->block));
    }
    return WB_OK;
}

static int left_loop_order(const void *a, const void *b) {
    const struct left_loop *x = a;
    const struct left_loop *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->loop < y->loop ? -1 : x->loop > y->loop;
}

/* The predicates of leaving the loops from `inner` to `outer`. They are listed once. */
static wb_status list_of(struct eta_finder *finder, uint32_t inner, uint32_t outer,
                         struct predicate_list *list) {
    struct predicate_lists *lists = finder->lists;
    for (uint32_t m = finder->first_made[inner]; m != GRAPH_NONE; m = finder->made.items[m].next) {
        if (finder->made.items[m].outer != outer) continue;
        *list = finder->made.items[m].list;
        return WB_OK;
    }
    predicate_list_start(lists, list);
    for (uint32_t loop = inner;; loop = finder->loops->items[loop].parent) {
        WB_TRY(predicate_list_add(lists, lists->of_loops[loop]));
        if (loop == outer) break;
    }
    WB_TRY(predicate_list_end(lists, list));
    WB_TRY(vec_push(&finder->made, ((struct left_loops){outer, finder->first_made[inner], *list})));
    finder->first_made[inner] = (uint32_t)finder->made.count - 1;
    return WB_OK;
}

static wb_status write_etas(struct eta_finder *finder, struct arena *arena, struct gates *gates) {
    const struct left_loop *found = finder->found.items;
    size_t count = finder->found.count;
    if (count > 0) qsort(finder->found.items, count, sizeof *found, left_loop_order);
    gates->etas = arena_array(arena, count, sizeof *gates->etas);
    if (gates->etas == NULL) return WB_ERR_LIMIT;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && left_loop_order(&found[i - 1], &found[i]) == 0) continue;
        uint32_t inner = finder->loops->innermost[finder->ssa->values[found[i].value].block];
        struct predicate_list list;
        WB_TRY(list_of(finder, inner, found[i].loop, &list));
        gates->etas[gates->eta_count++] = (struct eta){found[i].value, found[i].loop, list.first, list.count};
    }
    return WB_OK;
}

static wb_status find(struct eta_finder *finder, struct arena *arena, struct arena *scratch,
                      struct gates *gates) {
    size_t loops = finder->loops->count;
    finder->first_made = arena_array(scratch, loops, sizeof *finder->first_made);
    if (finder->first_made == NULL) return WB_ERR_LIMIT;
    memset(finder->first_made, 0xff, loops * sizeof *finder->first_made);
    WB_TRY(note_uses(finder));
    return write_etas(finder, arena, gates);
}

wb_status etas_find(const struct ssa *ssa, const struct loops *loops, struct predicate_lists *lists,
                    struct arena *arena, struct gates *gates) {
    struct arena scratch = {0};
    struct eta_finder finder = {.ssa = ssa, .loops = loops, .lists = lists};
    wb_status status = find(&finder, arena, &scratch, gates);
    vec_free(&finder.found);
    vec_free(&finder.made);
    arena_free(&scratch);
    return status;
}
