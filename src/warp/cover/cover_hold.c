/* Flow facts that executions contradict (docs/flow-facts.md). Whatever the unknown values are, a lane that is
 * sure to be somewhere is there: a fact that excludes it is wrong. Where the launch gives all data
 * (wb_facts_hold) every lane is sure. */
#include <stdarg.h>
#include <stdlib.h>

#include "base/base.h"
#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"

#define MESSAGE_MAX 500

const struct flow_fact *cover_fact_about(const struct warp *warp, enum fact_kind kind, uint32_t pc) {
    const struct cover *cover = warp->run->cover;
    const struct cover_function *function = cover_function_of(warp);
    const uint32_t number = (uint32_t)(function - cover->functions);
    const uint32_t *block_of = function->cfg.block_of;
    for (size_t i = 0; cover->facts != NULL && i < cover->facts->facts.count; i++) {
        const struct flow_fact *fact = &cover->facts->facts.items[i];
        if (fact->kind != kind || fact->function != number) continue;
        if (fact->at == pc) return fact;
        if (kind == FACT_TOGETHER && fact->at < pc &&
            cover_equally_often(function, block_of[fact->at], block_of[pc]))
            return fact;
    }
    return NULL;
}

wb_status cover_refuse(const struct warp *warp, const struct flow_fact *fact, uint32_t pc, const char *format,
                       ...) {
    const struct run *run = warp->run;
    char message[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(message, sizeof message, format, arguments);
    va_end(arguments);
    diagnose_at(run->diagnostics, SEVERITY_ERROR, &run->cover->facts->source, fact->place,
                "%s contradicts this fact, in block %u,%u,%u: correct or remove it",
                run->cover->holds ? "the data that the launch gives" : "an execution of any data",
                run->index[0], run->index[1], run->index[2]);
    ptx_diagnose(run->diagnostics, SEVERITY_NOTE, run->module, warp->frame->code->micros[pc].inst, "%s",
                 message);
    return WB_ERR_INPUT;
}

/* Whether control comes from block `from` to another block, with which it shares no loop, without going round
 * in loops. */
static wb_status lies_behind(const struct warp *warp, uint32_t from, uint32_t to, bool *behind) {
    const struct cover_function *function = cover_function_of(warp);
    const struct adjacency *out = &function->cfg.graph.out;
    const size_t nodes = (size_t)function->cfg.graph.node_count + 1;
    *behind = false;
    for (uint32_t l = function->loops.innermost[from]; l != GRAPH_NONE; l = function->loops.items[l].parent)
        if (loop_contains(&function->loops, l, to)) return WB_OK;
    bool *met = calloc(nodes, sizeof *met);
    uint32_t *stack = calloc(nodes, sizeof *stack), depth = 1;
    if (met == NULL || stack == NULL) {
        free(met);
        free(stack);
        return run_no_memory(warp->run);
    }
    for (stack[0] = from; depth > 0 && !*behind;) {
        const uint32_t at = stack[--depth];
        for (uint32_t e = out->first[at]; e < out->first[at + 1]; e++) {
            const uint32_t next = out->nodes[e];
            if (met[next] || loop_is_back_edge(&function->dominators, at, next)) continue;
            met[next] = true;
            *behind |= next == to && to != from;
            stack[depth++] = next;
        }
    }
    free(met);
    free(stack);
    return WB_OK;
}

/* The instruction of the warp's function that a place is at. */
static uint32_t place_pc(const struct warp *warp, const struct barrier_place *place) {
    return (uint32_t)(program_inst(&warp->run->program, place->instruction) -
                      warp->frame->code->function->insts);
}

/* WB_ERR_INPUT when a warp has ended in code that it comes to, if the fact is true, only from the barrier at
 * which another one waits. */
static wb_status hold_ended(struct warp *warp, const struct barrier_place *place, uint32_t ended) {
    const struct run *run = warp->run;
    const uint32_t block = run->cover->ended_in[ended];
    const bool in_kernel = cover_function_of(warp) == &run->cover->functions[run->kernel->function];
    bool behind;
    if (place->together == NULL || place->together->function != run->kernel->function || !place->sure ||
        !in_kernel || block == GRAPH_NONE)
        return WB_OK;
    const uint32_t pc = place_pc(warp, place);
    WB_TRY(lies_behind(warp, cover_function_of(warp)->cfg.block_of[pc], block, &behind));
    if (!behind) return WB_OK;
    return cover_refuse(warp, place->together, pc,
                        "warp %u comes to this barrier, but warp %u continues after it without coming to it",
                        place->warp, ended);
}

/* Whether two places are the same barrier in the same iteration of the loops around it. */
static bool same_place(const struct barrier_place *a, const struct barrier_place *b) {
    return a->instruction == b->instruction && a->loops == b->loops &&
           memcmp(a->counts, b->counts, a->loops * sizeof *a->counts) == 0;
}

wb_status cover_hold_place(struct warp *warp, uint32_t pc, const struct barrier_place *place) {
    const struct run *run = warp->run;
    if (!place->sure || run->cover->meets_maybe) return WB_OK;
    for (uint32_t w = 0; w < run->warp_count; w++) {
        const struct warp *waiting = &run->warps[w];
        WB_TRY(hold_ended(warp, place, w));
        if (w == place->warp || waiting->state != WARP_WAITING) continue;
        const struct barrier_place *other = cover_latest_place(run->cover, w, waiting->waiting_for->index);
        if (other == NULL || !other->sure || same_place(place, other)) continue;
        const struct flow_fact *fact = place->together != NULL ? place->together : other->together;
        if (fact != NULL)
            return cover_refuse(
                warp, fact, pc, "warp %u comes to this barrier while warp %u waits at %s", place->warp, w,
                place->instruction == other->instruction ? "it in another iteration" : "another one");
    }
    return WB_OK;
}

wb_status cover_hold_end(struct warp *warp) {
    struct run *run = warp->run;
    const struct cover_function *function = cover_function_of(warp);
    const struct cfg *cfg = &function->cfg;
    if (!run->cover->meets_together || run->cover->meets_maybe || warp->depth != 1) return WB_OK;
    const uint32_t pc = cover_top(warp)->group->from;
    const bool only_ends = pc == cfg->function->inst_count || cfg->blocks[cfg->block_of[pc]].count == 1;
    const uint32_t last = only_ends ? run->cover->before : pc;
    if (last == PTX_NO_INDEX) return WB_OK;
    run->cover->ended_in[warp->number] = cfg->block_of[last];
    for (uint32_t w = 0; w < run->warp_count; w++) {
        const struct warp *waiting = &run->warps[w];
        if (waiting->state != WARP_WAITING) continue;
        const struct barrier_place *place = cover_latest_place(run->cover, w, waiting->waiting_for->index);
        if (place != NULL) WB_TRY(hold_ended(warp, place, warp->number));
    }
    return WB_OK;
}
