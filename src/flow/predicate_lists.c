#include "flow/predicate_lists.h"

/* Numbers of the ends of a loop: going round again, then one for each edge that leaves it. Edges to the same
 * block are told apart, since they can bring different values to its phis. */
enum { END_AGAIN, END_FIRST_EXIT };

void predicate_list_start(struct predicate_lists *lists, struct predicate_list *list) {
    lists->list++;
    list->first = (uint32_t)lists->items.count;
    list->count = 0;
}

wb_status predicate_list_end(const struct predicate_lists *lists, struct predicate_list *list) {
    if (lists->items.count >= UINT32_MAX) return WB_ERR_LIMIT;
    list->count = (uint32_t)lists->items.count - list->first;
    return WB_OK;
}

static wb_status add_value(struct predicate_lists *lists, uint32_t value) {
    if (lists->listed[value] == lists->list) return WB_OK;
    lists->listed[value] = lists->list;
    return vec_push(&lists->items, value);
}

/* Adds what a block's last instruction reads, if control can go on from it in more than one way: that
 * instruction is a branch, `ret` or `exit`, and reads its guard and, if it is `brx.idx`, the index. */
static wb_status add_block(struct predicate_lists *lists, uint32_t block) {
    const struct ssa *ssa = lists->ssa;
    const struct cfg *cfg = ssa->cfg;
    if (cfg->graph.out.first[block + 1] - cfg->graph.out.first[block] < 2) return WB_OK;
    uint32_t last = cfg->blocks[block].first + cfg->blocks[block].count - 1;
    for (uint32_t u = ssa->first_use[last]; u < ssa->first_use[last + 1]; u++)
        WB_TRY(add_value(lists, ssa->uses[u]));
    return WB_OK;
}

wb_status predicate_list_add(struct predicate_lists *lists, struct predicate_list from) {
    for (uint32_t i = from.first; i < from.first + from.count; i++) {
        uint32_t value = lists->items.items[i];
        WB_TRY(add_value(lists, value));
    }
    return WB_OK;
}

wb_status predicate_list_add_found(struct predicate_lists *lists) {
    const struct decisions *decisions = lists->decisions;
    for (size_t i = 0; i < decisions->deciders.count; i++)
        WB_TRY(add_block(lists, decisions->deciders.items[i]));
    for (size_t i = 0; i < decisions->loops_deciding.count; i++)
        WB_TRY(predicate_list_add(lists, lists->of_loops[decisions->loops_deciding.items[i]]));
    for (size_t i = 0; i < decisions->regions_deciding.count; i++)
        WB_TRY(predicate_list_add(lists, lists->of_regions[decisions->regions_deciding.items[i]]));
    return WB_OK;
}

static wb_status add_loop_members(struct predicate_lists *lists, const struct loop *loop) {
    for (uint32_t m = 0; m < loop->member_count; m++)
        WB_TRY(add_block(lists, lists->loops->members[loop->first_member + m]));
    return WB_OK;
}

static wb_status make_region(struct predicate_lists *lists, uint32_t number) {
    const struct loops *loops = lists->loops;
    const struct irreducible_region *region = &loops->regions[number];
    struct predicate_list *list = &lists->of_regions[number];
    predicate_list_start(lists, list);
    for (uint32_t m = 0; m < region->member_count; m++) {
        uint32_t block = loops->region_members[region->first_member + m];
        WB_TRY(add_block(lists, block));
        if (loop_is_header(loops, block))
            WB_TRY(add_loop_members(lists, &loops->items[loops->innermost[block]]));
    }
    return predicate_list_end(lists, list);
}

static wb_status add_loop_ends(struct predicate_lists *lists, uint32_t number) {
    const struct loops *loops = lists->loops;
    const struct loop *loop = &loops->items[number];
    const struct adjacency *out = &lists->ssa->cfg->graph.out;
    uint32_t next_exit = END_FIRST_EXIT;
    for (uint32_t m = 0; m < loop->member_count; m++) {
        uint32_t block = loops->members[loop->first_member + m];
        for (uint32_t e = out->first[block]; e < out->first[block + 1]; e++) {
            uint32_t to = out->nodes[e];
            if (to == loop->header) WB_TRY(decisions_add_end(lists->decisions, e, END_AGAIN));
            if (!loop_contains(loops, number, to))
                WB_TRY(decisions_add_end(lists->decisions, e, next_exit++));
        }
    }
    return WB_OK;
}

/* Makes the list of a loop; those of the loops inside it are complete. */
static wb_status make_loop(struct predicate_lists *lists, uint32_t number) {
    const struct loop *loop = &lists->loops->items[number];
    decisions_start(lists->decisions);
    WB_TRY(add_loop_ends(lists, number));
    WB_TRY(decisions_take(lists->decisions, lists->loops->members + loop->first_member, loop->member_count));
    WB_TRY(decisions_find(lists->decisions, number));
    predicate_list_start(lists, &lists->of_loops[number]);
    WB_TRY(predicate_list_add_found(lists));
    return predicate_list_end(lists, &lists->of_loops[number]);
}

wb_status predicate_lists_init(const struct ssa *ssa, const struct loops *loops, struct decisions *decisions,
                               struct arena *arena, struct predicate_lists *lists) {
    *lists = (struct predicate_lists){.ssa = ssa, .loops = loops, .decisions = decisions};
    lists->listed = arena_array(arena, ssa->value_count, sizeof *lists->listed);
    lists->of_loops = arena_array(arena, loops->count, sizeof *lists->of_loops);
    lists->of_regions = arena_array(arena, loops->region_count, sizeof *lists->of_regions);
    if (lists->listed == NULL || lists->of_loops == NULL || lists->of_regions == NULL) return WB_ERR_LIMIT;
    for (uint32_t region = 0; region < loops->region_count; region++)
        WB_TRY(make_region(lists, region));
    /* Loops are numbered before those inside them. */
    for (uint32_t loop = loops->count; loop-- > 0;)
        WB_TRY(make_loop(lists, loop));
    return WB_OK;
}

void predicate_lists_free(struct predicate_lists *lists) {
    vec_free(&lists->items);
}
