#include "bound/cache/latency_path.h"

#include "bound/profile/max_plus.h"
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
                                      .issue = {start, CHAIN_NONE},
                                      .complete = {start, CHAIN_NONE}};
    }
}

cycles latency_warp_issue(struct latency_warp *warp, const struct timed_inst *inst, cycles earliest) {
    const uint32_t *operands = warp->steps.code->operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    warp->issue = chain_later(warp->issue, (struct chain_time){earliest, CHAIN_NONE});
    for (uint32_t i = 0; i < count; i++) /* a result must not overtake an older one of its register */
        warp->issue = chain_later(warp->issue, warp->registers[operands[i]]);
    return warp->issue.at;
}

static void complete_at(struct latency_warp *warp, const struct timed_inst *inst, struct chain_time at) {
    const uint32_t *written = warp->steps.code->operands + inst->first_operand + inst->source_count;
    for (uint32_t i = 0; i < inst->destination_count; i++)
        warp->registers[written[i]] = at;
    chain_queues_step(warp->steps.code, inst, warp->registers, 1, at);
    warp->complete = chain_later(warp->complete, at);
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

/* Takes a warp over an instruction. */
static void take_step(const struct latency_block *block, struct latency_warp *warp,
                      const struct warp_step *step) {
    const cycles issue = latency_warp_issue(warp, step->inst, 0),
                 takes = latency_of_step(&block->latencies, step, warp->verdicts);
    struct chain_time result = {cycles_add(issue, takes), CHAIN_NONE};
    if (block->chains != NULL)
        result = chain_add(block->chains, warp->issue, CHAIN_LATENCY,
                           (uint32_t)(step->inst - warp->steps.code->insts), takes);
    complete_at(warp, step->inst, result);
}

/* Repetitions below which walking is as quick. */
#define FOLD_WORTH_SKIPPING 64u

/* A warp in the body of a quiet fold. */
struct quiet_fold {
    const struct latency_block *block;
    struct latency_warp *warp;
    struct path_cursor body;
};

static bool repeat_quiet(const struct latency_block *block, struct latency_warp *warp,
                         const struct path_fold *fold);

/* Walks the body once. */
static time_sum quiet_once(void *user) {
    const struct quiet_fold *quiet = user;
    struct path_cursor cursor = quiet->body;
    struct path_fold inner;
    struct path_step path;
    for (;;) {
        while (path_at_fold(&cursor, &inner) && repeat_quiet(quiet->block, quiet->warp, &inner))
            path_skip_fold(&cursor);
        if (!path_next(&cursor, &path)) return 0; /* no sums of differences */
        const struct warp_step step = {.inst = &quiet->warp->steps.code->insts[path.instruction]};
        take_step(quiet->block, quiet->warp, &step);
    }
}

/* The most that any time can come to in all repetitions; saturated, too, where it would be too much. */
static cycles quiet_end(const struct latency_warp *warp, const struct path_fold *fold) {
    struct path_runs runs = path_runs_of_body(fold);
    struct path_entry run;
    cycles sum = 0;
    for (uint64_t times; path_runs_next(&runs, &run, &times);)
        for (uint32_t i = run.first; i < run.first + run.count; i++)
            sum = cycles_add(sum, cycles_mul(warp->steps.code->insts[i].latency, times));
    return cycles_add(warp->complete.at, cycles_mul(sum, (uint64_t)fold->repetitions + 1));
}

/* Takes a warp that has read the body of a quiet fold through its repetitions, if that is worth it. */
static bool repeat_quiet(const struct latency_block *block, struct latency_warp *warp,
                         const struct path_fold *fold) {
    const uint32_t registers = warp->steps.code->register_count;
    struct quiet_fold quiet = {block, warp, fold->body};
    struct arena arena = {0};
    time_sum sum;
    if (fold->repetitions < FOLD_WORTH_SKIPPING || quiet_end(warp, fold) == CYCLES_SATURATED) return false;
    cycles **times = arena_array(&arena, (size_t)registers + 2, sizeof *times);
    struct chain_time **traced = arena_array(&arena, (size_t)registers + 2, sizeof *traced);
    wb_status status = times == NULL || traced == NULL ? WB_ERR_LIMIT : WB_OK;
    for (uint32_t i = 0; status == WB_OK && i < registers + 2; i++) {
        traced[i] = i < registers ? &warp->registers[i] : i == registers ? &warp->issue : &warp->complete;
        times[i] = &traced[i]->at;
    }
    const struct max_plus_map map = {&quiet,        times,  (size_t)registers + 2, quiet_once,
                                     block->chains, traced, (size_t)registers + 2};
    if (status == WB_OK) status = max_plus_repeat(&map, fold->repetitions, &sum);
    arena_free(&arena);
    return status == WB_OK;
}

/* Walks a warp to behind its next barrier, or to its end. */
static void latency_warp_run(const struct latency_block *block, struct latency_warp *warp) {
    struct warp_step step = {.inst = NULL};
    while (!warp->ended && (step.inst == NULL || !step.inst->barrier)) {
        struct path_fold fold;
        uint64_t length;
        if (warp_steps_at_quiet(&warp->steps, &fold, &length) && repeat_quiet(block, warp, &fold))
            warp_steps_skip(&warp->steps, length);
        warp->ended = !warp_steps_next(&warp->steps, &step);
        if (!warp->ended) take_step(block, warp, &step);
    }
}

cycles latency_block_join(struct latency_block *block) {
    const uint32_t warp_count = block->timed->grid->warp_count;
    struct chain_time latest = {0, CHAIN_NONE};
    for (uint32_t w = 0; w < warp_count; w++)
        latest = chain_later(latest, block->warps[w].issue);
    for (uint32_t w = 0; w < warp_count; w++)
        block->warps[w].issue = latest;
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
        complete = chain_later(complete, block->warps[w].complete);
    block->longest_link = complete.link;
    return complete.at;
}
