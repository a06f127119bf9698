/* Loops of a covering run: how often they may be passed, how those of very many iterations are not run them
 * all, and how lanes that meet only behind them are kept together. */
#include <inttypes.h>

#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"

/* The number in its module of the function that the warp is in, as facts have it. */
static uint32_t function_number(const struct warp *warp) {
    return (uint32_t)(cover_function_of(warp) - warp->run->cover->functions);
}

/* The first instruction of a loop's header. */
static uint32_t header_of(const struct warp *warp, uint32_t loop) {
    const struct cover_function *function = cover_function_of(warp);
    return function->cfg.blocks[function->loops.items[loop].header].first;
}

/* ---- Iterations that change nothing -------------------------------------------------------------------- */

/* Loops of very many iterations, without running them all: the values at the header are joined from iteration
 * to iteration until nothing changes any more. From then on every iteration executes the same instructions
 * (docs/covering-paths.md, section 5). */

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
    lane_state_free(widening->state);
    *widening = cover->widenings.items[--cover->widenings.count];
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
    struct widening widening = {.depth = warp->depth, .loop = loop};
    WB_TRY(lane_state_save(warp, function->loops.items[loop].header, cover_top(warp)->mask, &widening.state));
    note_pass(warp, &widening);
    if (vec_push(&cover->widenings, widening) == WB_OK) return WB_OK;
    lane_state_free(widening.state);
    return run_no_memory(warp->run);
}

/* Whether passes of labels that facts count can still change what the iterations execute: only those whose
 * count does not begin anew in each. */
static bool counts_matter(const struct warp *warp, uint32_t loop) {
    const struct cover_function *function = cover_function_of(warp);
    const struct wb_facts *facts = warp->run->cover->facts;
    const uint32_t number = function_number(warp);
    for (size_t i = 0; facts != NULL && i < facts->facts.count; i++) {
        const struct flow_fact *fact = &facts->facts.items[i];
        if (fact->kind != FACT_PER || fact->function != number) continue;
        const bool counts = loop_contains(&function->loops, loop, function->cfg.block_of[fact->at]);
        if (counts && fact->per != header_of(warp, loop)) return true;
    }
    return false;
}

/* Iterations that are not run have no records: nobody looks for the steps of those that exist. They are
 * thinned whenever they have become twice as many. */
static wb_status thin_records(struct warp *warp) {
    struct access_list *list = warp->accesses;
    if (list == NULL || list->items.count < 2 * warp->thinned + THINNED_LEAST) return WB_OK;
    if (access_list_thin(list) != WB_OK) return run_no_memory(warp->run);
    warp->thinned = list->items.count;
    return WB_OK;
}

/* Appends the last `length` instructions `times` more times; `recorded`: with records of their accesses.
 * WB_ERR_LIMIT with a message when they are too long. */
static wb_status cover_repeat(struct warp *warp, uint64_t length, uint64_t times, bool recorded) {
    struct run *run = warp->run;
    assert(length <= warp->path.path.length);
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

/* The top group passes a header once more. Joins its values with those it had before; when nothing changes
 * any more, appends all further iterations up to the limit to the path: *ended is true then, and the group
 * does not get here again. */
static wb_status cover_widen(struct warp *warp, uint32_t loop, uint64_t limit, bool *ended) {
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

/* ---- Limits -------------------------------------------------------------------------------------------- */

/* Limits on how often labels are passed: arrivals that a flow fact or a loop's bound excludes are none of a
 * real execution, and are removed. */

/* Loops with larger limits are not run to them: from some iteration on their values are joined. */
#define UNROLLED_MAX LOOP_BOUND_TELLING_MAX
#define UNROLLED_OF_LONG (UINT64_C(1) << 12)

/* Once a block has executed so many instructions, loops are run only so often before their values are joined:
 * fewer when many were executed for other blocks, but always as many as the least. */
#define PATIENCE (UINT64_C(1) << 25)
#define PATIENCE_OF_GRID (UINT64_C(1) << 27)
#define PATIENCE_LEAST (UINT64_C(1) << 20)

/* The same once a warp has so many records of accesses that were not thinned, or so large a part of the
 * memory that the execution may take is theirs. */
#define RECORDS_MAX ((size_t)1 << 21)
#define RECORDS_PART 8u
#define UNROLLED_WITHOUT_PATIENCE 64u

/* The same once so many sides wait: loops that leave one behind in each iteration keep registers for all. */
#define WAITING_MAX 4096u

/* Iterations that are run of a loop whose limit is lacking, so that what else is lacking in it is asked for,
 * too. */
#define LACKING_PASSES 3u

/* The top group does not really get here. WB_ERR_INPUT with a message when a lane of it does whatever the
 * unknown values are: the fact (NULL: what analysis found) that excludes that is then wrong. */
static wb_status exclude(struct warp *warp, uint32_t pc, const struct flow_fact *fact, const char *what) {
    const struct simt_entry *top = cover_top(warp);
    uint32_t sure = top->mask & ~cover_unsure(top->group);
    if (sure != 0 && fact != NULL)
        return cover_refuse(warp, fact, pc, "lane %u of warp %u gets here, although a flow fact says that %s",
                            (uint32_t)__builtin_ctz(sure), warp->number, what);
    if (sure != 0)
        return warp_fail(warp, &warp->frame->code->micros[pc], WB_ERR_INPUT,
                         "lane %u of warp %u gets here, although the loop was found to be left before",
                         (uint32_t)__builtin_ctz(sure), warp->number);
    (void)cover_remove(warp, top->mask, 0);
    return WB_OK;
}

/* Counts passes of labels for the facts of kind FACT_PER. */
static wb_status count_per_facts(struct warp *warp, uint32_t pc) {
    const struct cover_function *function = cover_function_of(warp);
    const struct wb_facts *facts = warp->run->cover->facts;
    struct loop_pass *pass = &cover_top(warp)->group->passes[function->loops.count];
    const uint32_t number = function_number(warp);
    for (size_t i = 0; i < facts->facts.count; i++) {
        const struct flow_fact *fact = &facts->facts.items[i];
        if (fact->kind != FACT_PER || fact->function != number) continue;
        if (fact->per == pc) pass->count = 0;
        if (fact->at == pc && pass->count++ >= fact->limit)
            return exclude(warp, pc, fact, "it is passed less often");
        pass++;
    }
    return WB_OK;
}

/* Counts passes of a header for the facts of kind FACT_TOTAL: those of lanes that are sure are passes of the
 * warp whatever the unknown values are. */
static wb_status count_total_facts(const struct warp *warp, uint32_t pc) {
    const struct cover *cover = warp->run->cover;
    const struct simt_entry *top = cover_top(warp);
    const uint32_t warps = warp->run->warp_count, number = function_number(warp);
    if ((top->mask & ~cover_unsure(top->group)) == 0) return WB_OK;
    for (size_t i = 0; i < cover->facts->facts.count; i++) {
        const struct flow_fact *fact = &cover->facts->facts.items[i];
        if (fact->kind != FACT_TOTAL || fact->function != number || fact->at != pc) continue;
        uint64_t *of_block = &cover->passes_of_warps[i * ((size_t)warps + 1) + warps];
        uint64_t *const counts[FACT_SCOPES] = {of_block - warps + warp->number, of_block,
                                               &cover->passes_of_kernel[i]};
        if (++*counts[fact->per] > fact->limit)
            return cover_refuse(warp, fact, pc, "warp %u passes this label once more than all together may",
                                warp->number);
    }
    return WB_OK;
}

/* How many instructions the block may execute with patience. */
static uint64_t patience(const struct run *run) {
    if (run->earlier_instructions + PATIENCE_LEAST >= PATIENCE_OF_GRID) return PATIENCE_LEAST;
    const uint64_t left = PATIENCE_OF_GRID - run->earlier_instructions;
    return left < PATIENCE ? left : PATIENCE;
}

/* How many iterations of a loop are run before its values are joined. */
static uint64_t unrolled(const struct warp *warp, uint64_t limit) {
    if (warp->run->cover->holds) return UINT64_MAX;
    const size_t records = warp->accesses == NULL ? 0 : warp->accesses->items.count - warp->thinned;
    const bool fills =
        records > RECORDS_MAX || records > warp->run->memory_limit / (RECORDS_PART * sizeof(struct access));
    if (fills || warp->run->instructions > patience(warp->run) || warp->stack.count > WAITING_MAX)
        return UNROLLED_WITHOUT_PATIENCE;
    return limit <= UNROLLED_MAX ? limit : UNROLLED_OF_LONG;
}

/* Whether a limit is worth being run to. What analysis finds of a loop that unknown values control may be no
 * more than the number of values of a register; but once its values are joined, nothing is known of the exits
 * of any loop. */
static bool is_useful(const struct warp *warp, uint32_t loop, const struct cover_limit *limit) {
    if (!limit->bound.known) return false;
    return limit->from_fact || loop_bound_is_telling(&limit->bound) || widening_of(warp, loop) != NULL;
}

/* Most passes of a loop's header while a thread is in the outermost loop around it, if that is known: as an
 * inner loop is entered once an iteration at most, unless control goes round without passing headers. */
static bool limit_in_nest(const struct cover_function *function, uint32_t loop, uint64_t *product) {
    *product = 1;
    for (; loop != GRAPH_NONE; loop = function->loops.items[loop].parent) {
        const struct loop_bound *bound = &function->limits[loop].bound;
        if (!bound->known || function->loops.region_count != 0) return false;
        if (__builtin_mul_overflow(*product, bound->headers, product)) return false;
    }
    return true;
}

/* The user's fact about the innermost of the loops around, and of the loop, that has one, or NULL. */
static const struct flow_fact *fact_about_nest(const struct warp *warp, uint32_t loop) {
    const struct cover_function *function = cover_function_of(warp);
    for (; loop != GRAPH_NONE; loop = function->loops.items[loop].parent)
        if (function->limits[loop].from_fact) break;
    if (loop == GRAPH_NONE) return NULL;
    const struct flow_fact *fact = cover_fact_about(warp, FACT_LOOP, header_of(warp, loop));
    return fact != NULL ? fact : cover_fact_about(warp, FACT_TOTAL, header_of(warp, loop));
}

static wb_status ask_for_limit(const struct warp *warp, uint32_t loop) {
    wb_status status =
        fact_needs_add(&warp->run->needs, FACT_LOOP, function_number(warp), header_of(warp, loop));
    return status == WB_OK ? WB_OK : run_no_memory(warp->run);
}

/* Whether lanes that are maybe not there could go on in a loop by their known values: maybe for ever, as
 * those that are there need not be like them. */
static bool perhaps_for_ever(const struct warp *warp, uint32_t loop) {
    const struct simt_entry *top = cover_top(warp);
    if ((top->mask & ~cover_unsure(top->group)) != 0) return false;
    return top->group->passes[loop].count > UNROLLED_MAX ||
           fact_needs_has(&warp->run->needs, FACT_LOOP, function_number(warp), header_of(warp, loop));
}

/* One more pass of a header by the lanes that were in the loop before. */
static wb_status pass_again(struct warp *warp, uint32_t loop, uint32_t pc) {
    const struct cover_function *function = cover_function_of(warp);
    const struct cover_limit *limit = &function->limits[loop];
    struct loop_pass *pass = &cover_top(warp)->group->passes[loop];
    /* Exits that are never taken may decide for ever. */
    bool decided = pass->decided && pass->count <= UNROLLED_MAX;
    if (!is_useful(warp, loop, limit) && ((pass->undecided && !decided) || perhaps_for_ever(warp, loop))) {
        WB_TRY(ask_for_limit(warp, loop));
        if (pass->count >= LACKING_PASSES) {
            (void)cover_remove(warp, cover_top(warp)->mask, 0);
            return WB_OK;
        }
    }
    pass->decided = pass->undecided = false;
    if (pass->count < UINT32_MAX) pass->count++;
    if (!limit->bound.known) return WB_OK;
    uint64_t in_nest;
    const uint64_t most = limit->bound.headers;
    bool ended = pass->count > most || (limit_in_nest(function, loop, &in_nest) && pass->total > in_nest);
    if (!ended && !function->meets_warps[loop] && pass->count > unrolled(warp, most))
        WB_TRY(cover_widen(warp, loop, most, &ended));
    if (!ended) return WB_OK;
    return exclude(warp, pc, fact_about_nest(warp, loop), "the loop is left before");
}

static wb_status pass_header(struct warp *warp, uint32_t pc) {
    const struct cover_function *function = cover_function_of(warp);
    const uint32_t *block_of = function->cfg.block_of;
    uint32_t loop = function->loops.innermost[block_of[pc]];
    struct cover_group *group = cover_top(warp)->group;
    if (warp->run->cover->has_totals) WB_TRY(count_total_facts(warp, pc));
    if (function->waiting[loop] == WAITING_FOR)
        return warp_fail(warp, &warp->frame->code->micros[pc], WB_ERR_DECLINED, "%s", WAITS_FOR_THREADS);
    if (group->passes[loop].total < UINT64_MAX) group->passes[loop].total++;
    if (group->from != PTX_NO_INDEX && loop_contains(&function->loops, loop, block_of[group->from]))
        return pass_again(warp, loop, pc);
    group->passes[loop] = (struct loop_pass){.count = 1, .total = group->passes[loop].total};
    if (function->loops.items[loop].parent == GRAPH_NONE)
        for (uint32_t l = loop; l <= function->loops.items[loop].last_inside; l++)
            group->passes[l].total = l == loop;
    struct widening *widening = widening_of(warp, loop);
    if (widening != NULL) end_widening(warp->run->cover, widening);
    return WB_OK;
}

wb_status cover_arrive(struct warp *warp, uint32_t pc) {
    uint32_t marks = cover_function_of(warp)->marks[pc];
    if (cover_top(warp)->group->replays) return WB_OK; /* it has arrived before */
    if ((marks & COVER_AT_NEVER) != 0)
        return exclude(warp, pc, cover_fact_about(warp, FACT_NEVER, pc), "no lane does");
    if ((marks & COVER_AT_PER) != 0) WB_TRY(count_per_facts(warp, pc));
    return (marks & COVER_AT_HEADER) != 0 && cover_top(warp)->mask != 0 ? pass_header(warp, pc) : WB_OK;
}

/* ---- Lanes that meet behind a loop --------------------------------------------------------------------- */

/* Groups of lanes that meet only behind a loop, `if (a) { if (b) break; }`: each may execute the rest of the
 * loop by itself. Instead of following all of them, one run has the sides meet in each iteration, and what it
 * executes is appended for every lane: docs/covering-paths.md, section 3, says why every real path is a part
 * of that. */

/* Most records that repetitions add to those of a warp. */
#define REPEATED_RECORDS_MAX ((uint64_t)1 << 16)

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
    assert(!region->open || region->base >= region->meeting);
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
        diagnose(run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel),
                 "lanes that unknown values divide meet only after a loop in which they store known values: "
                 "the order of these stores is unknown");
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
