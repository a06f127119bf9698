#include "bound/cache/latency_path.h"

#include "warp/timed/timed.h"

wb_status latency_block_init(struct latency_block *block, const struct timed_grid *timed,
                             struct arena *arena) {
    const uint32_t warp_count = timed->grid->warp_count;
    *block =
        (struct latency_block){.timed = timed, .latencies = request_latencies_of(&timed->machine->memory)};
    block->warps = arena_array(arena, (size_t)warp_count + 1, sizeof *block->warps);
    if (block->warps == NULL) return WB_ERR_LIMIT;
    for (uint32_t w = 0; w < warp_count; w++) {
        block->warps[w].registers =
            arena_array(arena, (size_t)timed->code.register_count + 1, sizeof(struct chain_time));
        if (block->warps[w].registers == NULL) return WB_ERR_LIMIT;
    }
    return WB_OK;
}

void latency_block_begin(struct latency_block *block, uint32_t number, cycles start) {
    for (uint32_t w = 0; w < block->timed->grid->warp_count; w++) {
        struct latency_warp *warp = &block->warps[w];
        for (uint32_t r = 0; r < block->timed->code.register_count; r++)
            warp->registers[r] = (struct chain_time){0, CHAIN_NONE};
        *warp = (struct latency_warp){.steps = warp_steps_begin(block->timed, number, w),
                                      .verdicts =
                                          block->hits == NULL ? NULL : must_hits_of(block->hits, number, w),
                                      .registers = warp->registers,
                                      .issue = start,
                                      .issue_link = CHAIN_NONE,
                                      .complete = start,
                                      .complete_link = CHAIN_NONE};
    }
}

cycles latency_warp_issue(struct latency_warp *warp, const struct timed_inst *inst, cycles earliest) {
    const uint32_t *operands = warp->steps.code->operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    struct chain_time issue = chain_later((struct chain_time){warp->issue, warp->issue_link},
                                          (struct chain_time){earliest, CHAIN_NONE});
    for (uint32_t i = 0; i < count; i++) /* a result must not overtake an older one of its register */
        issue = chain_later(issue, warp->registers[operands[i]]);
    warp->issue = issue.at;
    warp->issue_link = issue.link;
    return issue.at;
}

static void complete_at(struct latency_warp *warp, const struct timed_inst *inst, struct chain_time at) {
    const uint32_t *written = warp->steps.code->operands + inst->first_operand + inst->source_count;
    for (uint32_t i = 0; i < inst->destination_count; i++)
        warp->registers[written[i]] = at;
    chain_queues_step(warp->steps.code, inst, warp->registers, 1, at);
    if (at.at <= warp->complete) return;
    warp->complete = at.at;
    warp->complete_link = at.link;
}

void latency_warp_complete(struct latency_warp *warp, const struct timed_inst *inst, cycles at) {
    complete_at(warp, inst, (struct chain_time){at, CHAIN_NONE});
}

/* Whether the data of all requests of a load is surely there. */
static bool surely_there(const struct traffic_access *access, const uint8_t *verdicts) {
    if (verdicts == NULL) return false;
    for (uint32_t r = 0; r < access->request_count; r++) {
        if ((verdicts[access->first_request + r] & MUST_DATA) == 0) return false;
    }
    return true;
}

cycles latency_of_step(const struct request_latencies *latencies, const struct warp_step *step,
                       const uint8_t *verdicts) {
    if (step->access == NULL) return step->inst->latency;
    cycles request = latencies->write;
    if (traffic_is_load(step->access->kind))
        request = surely_there(step->access, verdicts) ? latencies->hit : latencies->miss;
    const cycles latency = step->inst->latency - step->inst->memory_latency + request;
    /* An instruction without requests takes its class's memory time. */
    return step->access->maybe_none ? cycles_max(latency, step->inst->latency) : latency;
}

/* Walks a warp to behind its next barrier, or to its end. */
static void latency_warp_run(const struct latency_block *block, struct latency_warp *warp) {
    struct warp_step step;
    while (!warp->ended) {
        warp->ended = !warp_steps_next(&warp->steps, &step);
        if (warp->ended) return;
        const cycles issue = latency_warp_issue(warp, step.inst, 0),
                     takes = latency_of_step(&block->latencies, &step, warp->verdicts);
        struct chain_time result = {cycles_add(issue, takes), CHAIN_NONE};
        if (block->chains != NULL)
            result = chain_add(block->chains, (struct chain_time){issue, warp->issue_link}, CHAIN_LATENCY,
                               (uint32_t)(step.inst - warp->steps.code->insts), takes);
        complete_at(warp, step.inst, result);
        if (step.inst->barrier) return;
    }
}

cycles latency_block_join(struct latency_block *block) {
    const uint32_t warp_count = block->timed->grid->warp_count;
    struct chain_time latest = {0, CHAIN_NONE};
    for (uint32_t w = 0; w < warp_count; w++)
        latest = chain_later(latest, (struct chain_time){block->warps[w].issue, block->warps[w].issue_link});
    for (uint32_t w = 0; w < warp_count; w++) {
        block->warps[w].issue = latest.at;
        block->warps[w].issue_link = latest.link;
    }
    return latest.at;
}

cycles latency_block_run(struct latency_block *block) {
    const uint32_t warp_count = block->timed->grid->warp_count;
    struct chain_time complete = {0, CHAIN_NONE};
    for (bool more = warp_count > 0; more;) {
        more = false;
        for (uint32_t w = 0; w < warp_count; w++) {
            latency_warp_run(block, &block->warps[w]);
            more = more || !block->warps[w].ended;
        }
        (void)latency_block_join(block);
    }
    for (uint32_t w = 0; w < warp_count; w++)
        complete = chain_later(complete,
                               (struct chain_time){block->warps[w].complete, block->warps[w].complete_link});
    block->longest_link = complete.link;
    return complete.at;
}
