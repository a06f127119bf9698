/* Loops of very many iterations, without running them all: the values at the header are joined from iteration
 * to iteration until nothing changes any more. From then on every iteration executes the same instructions
 * (docs/covering-paths.md, section 5). */
#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"
#include "warp/path/access_list.h"

/* Records that are not worth thinning. */
#define THINNED_LEAST ((size_t)1 << 12)

/* The widening of a loop of the current frame, or NULL. */
static struct widening *widening_of(const struct warp *warp, uint32_t loop) {
    const struct cover *cover = warp->run->cover;
    for (size_t i = 0; i < cover->widenings.count; i++) {
        struct widening *widening = &cover->widenings.items[i];
        if (widening->depth == warp->depth && widening->loop == loop) return widening;
    }
    return NULL;
}

static void end_widening(struct cover *cover, struct widening *widening) {
    free(widening->state);
    *widening = cover->widenings.items[--cover->widenings.count];
}

void cover_end_widening_of(struct warp *warp, uint32_t loop) {
    struct widening *widening = widening_of(warp, loop);
    if (widening != NULL) end_widening(warp->run->cover, widening);
}

void cover_end_widenings(struct warp *warp, uint32_t pc) {
    struct cover *cover = warp->run->cover;
    const struct cover_function *function = cover_function_of(warp);
    for (size_t i = cover->widenings.count; i-- > 0;) {
        struct widening *widening = &cover->widenings.items[i];
        bool inside = widening->depth < warp->depth ||
                      (widening->depth == warp->depth &&
                       loop_contains(&function->loops, widening->loop, cover_node_of(function, pc)));
        if (!inside) end_widening(cover, widening);
    }
}

/* Notes how things are at a pass of the header. */
static void note_pass(const struct warp *warp, struct widening *widening) {
    widening->length = warp->path.path.length;
    widening->forgotten = warp->run->forgotten;
    widening->unsure = cover_unsure(cover_top(warp)->group);
    widening->entries = warp->stack.count;
}

/* Begins with the values that the top group has. */
static wb_status begin(struct warp *warp, uint32_t loop) {
    struct cover *cover = warp->run->cover;
    const struct cover_function *function = cover_function_of(warp);
    struct widening widening = {
        .depth = warp->depth,
        .loop = loop,
        .state = lane_state_save(warp, function->loops.items[loop].header, cover_top(warp)->mask),
    };
    note_pass(warp, &widening);
    if (widening.state != NULL && vec_push(&cover->widenings, widening) == WB_OK) return WB_OK;
    free(widening.state);
    return run_no_memory(warp->run);
}

/* Whether passes of labels that facts count can still change what the iterations execute: only those whose
 * count does not begin anew in each. */
static bool counts_matter(const struct warp *warp, uint32_t loop) {
    const struct cover_function *function = cover_function_of(warp);
    const struct wb_facts *facts = warp->run->cover->facts;
    uint32_t number = (uint32_t)(function - warp->run->cover->functions);
    for (size_t i = 0; facts != NULL && i < facts->facts.count; i++) {
        const struct flow_fact *fact = &facts->facts.items[i];
        if (fact->kind != FACT_PER || fact->function != number) continue;
        const uint32_t *block_of = function->cfg.block_of;
        bool counts = loop_contains(&function->loops, loop, block_of[fact->at]);
        if (counts && fact->per != function->cfg.blocks[function->loops.items[loop].header].first)
            return true;
    }
    return false;
}

/* Of iterations that are not run there are no records: nobody looks for the steps of those that there are.
 * They are thinned whenever they have become twice as many. */
static wb_status thin_records(struct warp *warp) {
    struct access_list *list = warp->accesses;
    if (list == NULL || list->items.count < 2 * warp->thinned + THINNED_LEAST) return WB_OK;
    if (access_list_thin(list) != WB_OK) return run_no_memory(warp->run);
    warp->thinned = list->items.count;
    return WB_OK;
}

wb_status cover_repeat(struct warp *warp, uint64_t length, uint64_t times, bool recorded) {
    struct run *run = warp->run;
    if (times == 0) return WB_OK;
    run->cover->repeats |= !recorded;
    if (!recorded) WB_TRY(thin_records(warp));
    if (path_repeat_last(&warp->path, length, times) == WB_OK) return WB_OK;
    diagnose(run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel),
             "code of %llu instructions is too long to be repeated %llu times", (unsigned long long)length,
             (unsigned long long)times);
    return WB_ERR_LIMIT;
}

/* Nothing changes any more: appends the iterations that are left. */
static wb_status repeat(struct warp *warp, struct widening *widening, uint64_t limit) {
    uint64_t length = warp->path.path.length - widening->length;
    uint64_t left = limit - cover_top(warp)->group->passes[widening->loop].count + 1;
    end_widening(warp->run->cover, widening);
    return cover_repeat(warp, length, left, false);
}

/* How many iterations that change nothing are executed before the others are appended. When sides of branches
 * have to wait until the loop has ended, those of so many iterations must wait that each lane can have one: a
 * lane leaves the loop only once. */
static uint32_t repetitions_needed(const struct warp *warp, const struct widening *widening) {
    if (warp->stack.count <= widening->entries) return 1;
    return (uint32_t)__builtin_popcount(cover_top(warp)->mask);
}

bool cover_is_widened(const struct warp *warp, uint32_t loop) {
    return widening_of(warp, loop) != NULL;
}

wb_status cover_widen(struct warp *warp, uint32_t loop, uint64_t limit, bool *ended) {
    struct widening *widening = widening_of(warp, loop);
    if (counts_matter(warp, loop)) return WB_OK;
    if (widening != NULL && widening->state->mask != cover_top(warp)->mask) {
        end_widening(warp->run->cover, widening);
        widening = NULL;
    }
    if (widening == NULL) return begin(warp, loop);
    bool changed =
        lane_state_join(warp, widening->state, widening->state->mask, cover_top(warp)->group->branch);
    changed |= warp->run->forgotten != widening->forgotten;
    changed |= cover_unsure(cover_top(warp)->group) != widening->unsure;
    widening->repetitions = changed ? 0 : widening->repetitions + 1;
    *ended = widening->repetitions >= repetitions_needed(warp, widening);
    if (*ended) return repeat(warp, widening, limit);
    lane_state_load(warp, widening->state);
    note_pass(warp, widening);
    return WB_OK;
}
