/* Limits on how often labels are passed: arrivals that a flow fact or a loop's bound excludes are none of a
 * real execution, and are removed. */
#include <inttypes.h>

#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"

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
 * unknown values are: what excludes that is then wrong. */
static wb_status exclude(struct warp *warp, uint32_t pc, const char *what) {
    const struct simt_entry *top = cover_top(warp);
    uint32_t sure = top->mask & ~cover_unsure(top->group);
    if (sure != 0)
        return warp_fail(warp, &warp->frame->code->micros[pc], WB_ERR_INPUT,
                         "lane %u of warp %u gets here, although %s", (uint32_t)__builtin_ctz(sure),
                         warp->number, what);
    (void)cover_remove(warp, top->mask, 0);
    return WB_OK;
}

/* Counts passes of labels for the facts of kind FACT_PER. */
static wb_status count_per_facts(struct warp *warp, uint32_t pc) {
    const struct cover_function *function = cover_function_of(warp);
    const struct wb_facts *facts = warp->run->cover->facts;
    struct loop_pass *pass = &cover_top(warp)->group->passes[function->loops.count];
    uint32_t number = (uint32_t)(function - warp->run->cover->functions);
    for (size_t i = 0; i < facts->facts.count; i++) {
        const struct flow_fact *fact = &facts->facts.items[i];
        if (fact->kind != FACT_PER || fact->function != number) continue;
        if (fact->per == pc) pass->count = 0;
        if (fact->at == pc && pass->count++ >= fact->limit)
            return exclude(warp, pc, "a flow fact says that it is passed less often");
        pass++;
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
    return limit->from_fact || loop_bound_is_telling(&limit->bound) || cover_is_widened(warp, loop);
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

static wb_status ask_for_limit(const struct warp *warp, uint32_t loop) {
    const struct cover_function *function = cover_function_of(warp);
    const uint32_t number = (uint32_t)(function - warp->run->cover->functions);
    const uint32_t first = function->cfg.blocks[function->loops.items[loop].header].first;
    wb_status status = fact_needs_add(&warp->run->needs, FACT_LOOP, number, first);
    return status == WB_OK ? WB_OK : run_no_memory(warp->run);
}

/* One more pass of a header by the lanes that were in the loop before. */
static wb_status pass_again(struct warp *warp, uint32_t loop, uint32_t pc) {
    const struct cover_function *function = cover_function_of(warp);
    const struct cover_limit *limit = &function->limits[loop];
    struct loop_pass *pass = &cover_top(warp)->group->passes[loop];
    /* Exits that are never taken may decide for ever. */
    bool decided = pass->decided && pass->count <= UNROLLED_MAX;
    if (pass->undecided && !decided && !is_useful(warp, loop, limit)) {
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
    return exclude(warp, pc,
                   limit->from_fact ? "a flow fact says that the loop is left before"
                                    : "the loop was found to be left before");
}

static wb_status pass_header(struct warp *warp, uint32_t pc) {
    const struct cover_function *function = cover_function_of(warp);
    const uint32_t *block_of = function->cfg.block_of;
    uint32_t loop = function->loops.innermost[block_of[pc]];
    struct cover_group *group = cover_top(warp)->group;
    if (group->passes[loop].total < UINT64_MAX) group->passes[loop].total++;
    if (group->from != PTX_NO_INDEX && loop_contains(&function->loops, loop, block_of[group->from]))
        return pass_again(warp, loop, pc);
    group->passes[loop] = (struct loop_pass){.count = 1, .total = group->passes[loop].total};
    if (function->loops.items[loop].parent == GRAPH_NONE)
        for (uint32_t l = loop; l <= function->loops.items[loop].last_inside; l++)
            group->passes[l].total = l == loop;
    cover_end_widening_of(warp, loop);
    return WB_OK;
}

wb_status cover_arrive(struct warp *warp, uint32_t pc) {
    uint32_t marks = cover_function_of(warp)->marks[pc];
    if (cover_top(warp)->group->replays) return WB_OK; /* it has arrived before */
    if ((marks & COVER_AT_NEVER) != 0) return exclude(warp, pc, "a flow fact says that nobody ever does");
    if ((marks & COVER_AT_PER) != 0) WB_TRY(count_per_facts(warp, pc));
    return (marks & COVER_AT_HEADER) != 0 && cover_top(warp)->mask != 0 ? pass_header(warp, pc) : WB_OK;
}
