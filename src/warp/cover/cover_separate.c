/* Groups of lanes that meet only behind a loop, `if (a) { if (b) break; }`: each may execute the rest of the
 * loop by itself. Instead of following all of them, one run has the sides meet in each iteration, and what it
 * executes is appended for every lane: docs/covering-paths.md, section 3, says why every real path is a part
 * of that. */
#include <assert.h>

#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"
#include "warp/path/access_list.h"

/* Most records that repetitions add to those of a warp. */
#define REPEATED_RECORDS_MAX ((uint64_t)1 << 16)

/* Finds, for the blocks that a loop is the innermost one of, where ways from them come together. `local`
 * numbers the members of the loop, and is as before afterwards. */
static void find_in_loop(struct cover_function *function, uint32_t loop, uint32_t *local,
                         struct arena *arena) {
    const struct loops *loops = &function->loops;
    const struct loop *item = &loops->items[loop];
    const uint32_t *members = &loops->members[item->first_member];
    const struct adjacency *out = &function->cfg.graph.out;
    const uint32_t count = item->member_count;
    uint32_t edge_count = 0, room = 0;
    for (uint32_t i = 0; i < count; i++) {
        local[members[i]] = i;
        room += out->first[members[i] + 1] - out->first[members[i]];
    }
    struct graph_edge *edges = arena_array(arena, room, sizeof *edges);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t e = out->first[members[i]]; e < out->first[members[i] + 1]; e++) {
            const uint32_t to = out->nodes[e];
            if (to != item->header && local[to] == GRAPH_NONE) continue;
            edges[edge_count++] = (struct graph_edge){i, to == item->header ? count : local[to]};
        }
    }
    for (uint32_t i = 0; i < count; i++)
        local[members[i]] = GRAPH_NONE;
    assert(edge_count <= room);
    const struct graph graph = graph_build(arena, count + 1, edges, edge_count);
    const struct dominators tree = post_dominators_build(arena, &graph, count);
    for (uint32_t i = 0; i < count; i++) {
        if (loops->innermost[members[i]] != loop) break; /* own blocks come first */
        const uint32_t meets = tree.parent[i];
        function->meets_in_loop[members[i]] = meets >= count ? item->header : members[meets];
    }
}

void cover_find_meetings(struct cover_function *function, struct arena *arena) {
    const uint32_t nodes = function->cfg.graph.node_count;
    uint32_t *local = arena_array(arena, (size_t)nodes + 1, sizeof *local);
    function->meets_in_loop = arena_array(arena, (size_t)nodes + 1, sizeof *function->meets_in_loop);
    memset(local, 0xff, ((size_t)nodes + 1) * sizeof *local);
    for (uint32_t l = 0; l < function->loops.count; l++)
        find_in_loop(function, l, local, arena);
}

uint32_t cover_meets_in_loop(const struct cover_function *function, uint32_t block) {
    return function->cfg.blocks[function->meets_in_loop[block]].first;
}

bool cover_in_region(const struct warp *warp, uint32_t meets_at) {
    const struct separate_region *region = &warp->run->cover->region;
    return region->open && region->depth == warp->depth && region->end == meets_at;
}

/* Whether some function that may be called has a barrier. */
static bool calls_meet(const struct warp *warp) {
    const struct run *run = warp->run;
    for (uint32_t f = 0; f < run->module->function_count; f++) {
        const struct cover_function *function = &run->cover->functions[f];
        for (uint32_t i = 0; function->kinds != NULL && i < run->module->functions[f].inst_count; i++)
            if (function->kinds[i] == COVER_KIND_BARRIER) return true;
    }
    return false;
}

/* Looks at the code of a block: whether warps may meet in it; with `forget` makes unknown what it may store.
 */
static wb_status look_at(struct warp *warp, uint32_t block, bool forget, bool *meets) {
    const struct cover_function *function = cover_function_of(warp);
    const struct cfg_block *code = &function->cfg.blocks[block];
    for (uint32_t i = code->first; i < code->first + code->count; i++) {
        const struct micro *op = &warp->frame->code->micros[i];
        const bool is_call = function->kinds[i] == COVER_KIND_CALL;
        *meets |= function->kinds[i] == COVER_KIND_BARRIER || (is_call && calls_meet(warp));
        if (forget && is_call) WB_TRY(cover_forget_all(warp, op));
        if (forget && function->kinds[i] == COVER_KIND_MEMORY) WB_TRY(cover_forget_written(warp, op));
    }
    return WB_OK;
}

/* Looks at all code between the top entry's last instruction and instruction `end`. `met` and `stack` have
 * room for every block. */
static wb_status look_between(struct warp *warp, uint32_t end, bool forget, bool *met, uint32_t *stack,
                              bool *meets) {
    const struct cover_function *function = cover_function_of(warp);
    const struct adjacency *out = &function->cfg.graph.out;
    uint32_t depth = 1;
    stack[0] = cover_node_of(function, cover_top(warp)->group->from);
    while (depth > 0) {
        const uint32_t from = stack[--depth];
        for (uint32_t e = out->first[from]; e < out->first[from + 1]; e++) {
            const uint32_t to = out->nodes[e];
            if (to == cover_node_of(function, end) || to == function->cfg.exit || met[to]) continue;
            met[to] = true;
            stack[depth++] = to;
            WB_TRY(look_at(warp, to, forget, meets));
        }
    }
    return WB_OK;
}

static wb_status look(struct warp *warp, uint32_t end, bool forget, bool *meets) {
    const size_t nodes = (size_t)cover_function_of(warp)->cfg.graph.node_count + 1;
    bool *met = calloc(nodes, sizeof *met);
    uint32_t *stack = calloc(nodes, sizeof *stack);
    wb_status status = WB_OK;
    if (met != NULL && stack != NULL)
        status = look_between(warp, end, forget, met, stack, meets);
    else
        status = run_no_memory(warp->run);
    free(met);
    free(stack);
    return status;
}

wb_status cover_meets_before(struct warp *warp, uint32_t end, bool *meets) {
    *meets = false;
    return look(warp, end, false, meets);
}

wb_status cover_open_region(struct warp *warp, uint32_t end, size_t meeting, uint32_t lanes) {
    bool meets = false;
    WB_TRY(look(warp, end, true, &meets));
    warp->run->cover->region = (struct separate_region){.open = true,
                                                        .depth = warp->depth,
                                                        .end = end,
                                                        .meeting = meeting,
                                                        .base = warp->stack.count - 1,
                                                        .lanes = lanes,
                                                        .start = warp->path.path.length,
                                                        .forgotten = warp->run->forgotten};
    return WB_OK;
}

bool cover_leaves_region(const struct warp *warp) {
    const struct separate_region *region = &warp->run->cover->region;
    return region->open && region->depth == warp->depth && cover_top(warp)->pc == region->end &&
           warp->stack.count - 1 > region->meeting;
}

/* Records the accesses from a step on once more for each repetition, as long as that makes few records. */
static wb_status repeat_records(struct warp *warp, uint64_t start, uint64_t times, bool *recorded) {
    struct access_list *list = warp->accesses;
    const uint64_t length = warp->path.path.length - start;
    size_t first = list == NULL ? 0 : list->items.count;
    while (first > 0 && list->items.items[first - 1].step >= start)
        first--;
    const size_t count = list == NULL ? 0 : list->items.count - first;
    *recorded = list == NULL || count * times <= REPEATED_RECORDS_MAX;
    if (!*recorded || count == 0) return WB_OK;
    if (vec_reserve(&list->items, count * times) != WB_OK) return run_no_memory(warp->run);
    for (uint64_t t = 1; t <= times; t++) {
        for (size_t r = first; r < first + count; r++) {
            struct access access = list->items.items[r];
            access.step += t * length;
            list->items.items[list->items.count++] = access;
        }
    }
    return WB_OK;
}

wb_status cover_close_region(struct warp *warp) {
    struct run *run = warp->run;
    struct separate_region *region = &run->cover->region;
    if (!region->open || warp->depth > region->depth || warp->stack.count > region->base) return WB_OK;
    region->open = false;
    if (run->forgotten != region->forgotten) {
        diagnose(
            run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel),
            "lanes that unknown values divide meet only behind a loop, and what they store there was known: "
            "in which order they do cannot be told");
        return WB_ERR_DECLINED;
    }
    const uint64_t times = (uint64_t)__builtin_popcount(region->lanes) - 1;
    bool recorded;
    WB_TRY(repeat_records(warp, region->start, times, &recorded));
    WB_TRY(cover_repeat(warp, warp->path.path.length - region->start, times, recorded));
    const struct step_range range = {region->start, warp->path.path.length};
    if (warp->accesses == NULL || range.first == range.end) return WB_OK;
    return step_range_add(warp->accesses, &range) == WB_OK ? WB_OK : run_no_memory(run);
}
