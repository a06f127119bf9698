#include "cost/grid_chain.h"

#include "cost/block_chain.h"

/* A warp on its way; as struct latency_warp, but with chains. */
struct grid_warp {
    struct warp_steps steps;
    const uint8_t *verdicts;
    struct chain_time *registers;
    struct chain_time issue, complete;
    bool ended;
};

struct grid_walk {
    const struct timed_grid *timed;
    struct request_latencies latencies;
    struct chains chains;
    struct arena arena;
    struct grid_warp *warps;
};

static wb_status walk_prepare(struct grid_walk *walk, const struct must_hits *hits, uint32_t block) {
    const struct timed_grid *timed = walk->timed;
    const uint32_t warp_count = timed->grid->warp_count;
    const struct chain_time start = {0, CHAIN_NONE};
    walk->warps = arena_array(&walk->arena, (size_t)warp_count + 1, sizeof *walk->warps);
    if (walk->warps == NULL) return WB_ERR_LIMIT;
    for (uint32_t w = 0; w < warp_count; w++) {
        struct grid_warp *warp = &walk->warps[w];
        *warp = (struct grid_warp){.steps = warp_steps_begin(timed, block, w),
                                   .verdicts = hits == NULL ? NULL : must_hits_of(hits, block, w),
                                   .issue = start,
                                   .complete = start};
        warp->registers =
            arena_array(&walk->arena, (size_t)timed->code.register_count + 1, sizeof *warp->registers);
        if (warp->registers == NULL) return WB_ERR_LIMIT;
        for (uint32_t r = 0; r < timed->code.register_count; r++)
            warp->registers[r] = start;
    }
    return WB_OK;
}

static void walk_step(struct grid_walk *walk, struct grid_warp *warp, const struct warp_step *step) {
    const struct timed_code *code = &walk->timed->code;
    const struct timed_inst *inst = step->inst;
    const uint32_t *operands = code->operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    for (uint32_t i = 0; i < count; i++)
        warp->issue = chain_later(warp->issue, warp->registers[operands[i]]);
    const struct chain_time result =
        chain_behind(&walk->chains, warp->issue, CHAIN_LATENCY, (uint32_t)(inst - code->insts),
                     latency_of_step(&walk->latencies, step, warp->verdicts));
    for (uint32_t i = inst->source_count; i < count; i++)
        warp->registers[operands[i]] = result;
    chain_queues_step(code, inst, warp->registers, result);
    warp->complete = chain_later(warp->complete, result);
}

/* Walks a warp to behind its next barrier, or to its end. */
static void walk_warp(struct grid_walk *walk, struct grid_warp *warp) {
    struct warp_step step;
    while (!warp->ended) {
        warp->ended = !warp_steps_next(&warp->steps, &step);
        if (warp->ended) return;
        walk_step(walk, warp, &step);
        if (step.inst->barrier) return;
    }
}

/* Walks all warps from barrier to barrier; the latest completion. */
static struct chain_time walk_block(struct grid_walk *walk) {
    const uint32_t warp_count = walk->timed->grid->warp_count;
    struct chain_time complete = {0, CHAIN_NONE};
    for (bool more = warp_count > 0; more;) {
        struct chain_time latest = {0, CHAIN_NONE};
        more = false;
        for (uint32_t w = 0; w < warp_count; w++) {
            walk_warp(walk, &walk->warps[w]);
            more = more || !walk->warps[w].ended;
            latest = chain_later(latest, walk->warps[w].issue);
        }
        for (uint32_t w = 0; w < warp_count; w++)
            walk->warps[w].issue = latest;
    }
    for (uint32_t w = 0; w < warp_count; w++)
        complete = chain_later(complete, walk->warps[w].complete);
    return complete;
}

wb_status grid_chain(const struct timed_grid *timed, const struct must_hits *hits, uint32_t block,
                     uint64_t times, struct tally *tally) {
    struct grid_walk walk = {.timed = timed, .latencies = request_latencies_of(&timed->machine->memory)};
    cycles *spent = arena_array(&walk.arena, (size_t)timed->code.inst_count * CHAIN_STEPS + 1, sizeof *spent);
    wb_status status = spent == NULL ? WB_ERR_LIMIT : walk_prepare(&walk, hits, block);
    if (status == WB_OK) status = chain_spend(&walk.chains, walk_block(&walk).link, 1, spent);
    if (status == WB_OK) chain_spent_add(&timed->code, spent, times, tally);
    chains_free(&walk.chains);
    arena_free(&walk.arena);
    return status;
}
