/* The bound of scheme pure-rr, which waits for the warp whose turn it is (docs/memory-bounds.md, section 8).
 */
#include <assert.h>

#include "bound/cache/latency_path.h"
#include "bound/cache/memory_work.h"
#include "wings/jcse2017/methods.h"

/* A warp in its turns. */
struct turn_warp {
    struct latency_warp *latency;
    struct warp_step step; /* its next instruction that takes a slot */
    uint32_t block, sub_core;
    bool running; /* has not ended and is not held by a barrier */
    bool held;
};

/* The blocks of an SM, all resident from the start. */
struct turns {
    const struct memory_work *work;
    struct latency_block *blocks;
    struct turn_warp *warps; /* block by block */
    uint32_t warp_count;     /* of all blocks */
    uint32_t *live;          /* per block, warps that have not ended */
    uint32_t *arrived;       /* per block, warps that are held */
    uint32_t *turn;          /* per sub-core, where its next turn is looked for */
    cycles *issued;          /* per sub-core, the longest path to its last issue */
};

static wb_status turns_init(struct turns *turns, uint32_t block_count, struct arena *arena) {
    const struct timed_grid *timed = turns->work->timed;
    const uint32_t sub_cores = timed->machine->sub_cores;
    turns->warp_count = block_count * timed->grid->warp_count;
    turns->blocks = arena_array(arena, (size_t)block_count + 1, sizeof *turns->blocks);
    turns->warps = arena_array(arena, (size_t)turns->warp_count + 1, sizeof *turns->warps);
    turns->live = arena_array(arena, (size_t)block_count + 1, sizeof *turns->live);
    turns->arrived = arena_array(arena, (size_t)block_count + 1, sizeof *turns->arrived);
    turns->turn = arena_array(arena, sub_cores, sizeof *turns->turn);
    turns->issued = arena_array(arena, sub_cores, sizeof *turns->issued);
    if (turns->blocks == NULL || turns->warps == NULL || turns->live == NULL || turns->arrived == NULL ||
        turns->turn == NULL || turns->issued == NULL)
        return WB_ERR_LIMIT;
    for (uint32_t b = 0; b < block_count; b++)
        WB_TRY(latency_block_init(&turns->blocks[b], timed, arena));
    return WB_OK;
}

/* Goes on to the warp's next instruction with a slot, a barrier or the end. What its instructions without a
 * slot wait for is counted as if the next turn waited for it. */
static void turns_proceed(struct turns *turns, struct turn_warp *warp) {
    struct latency_warp *latency = warp->latency;
    cycles *issued = &turns->issued[warp->sub_core];
    warp->running = warp->held = false;
    while (warp_steps_next(&latency->steps, &warp->step)) {
        const struct timed_inst *inst = warp->step.inst;
        if (inst->unit != UNIT_NONE) {
            warp->running = true;
            return;
        }
        *issued = cycles_max(*issued, latency_warp_issue(latency, inst, 0));
        latency_warp_complete(latency, inst, cycles_add(latency->issue.at, inst->latency));
        if (inst->barrier) {
            warp->held = true;
            turns->arrived[warp->block]++;
            return;
        }
    }
    assert(turns->live[warp->block] > turns->arrived[warp->block]);
    turns->live[warp->block]--;
}

/* Opens the barrier of a block as long as all its live warps are held. */
static void turns_open_barrier(struct turns *turns, uint32_t block) {
    const uint32_t warp_count = turns->work->timed->grid->warp_count;
    while (turns->live[block] > 0 && turns->arrived[block] == turns->live[block]) {
        turns->arrived[block] = 0;
        (void)latency_block_join(&turns->blocks[block]);
        for (uint32_t w = 0; w < warp_count; w++) {
            struct turn_warp *warp = &turns->warps[(size_t)block * warp_count + w];
            if (warp->held) turns_proceed(turns, warp);
        }
    }
}

/* The warp whose turn it is on a sub-core, or NULL. */
static struct turn_warp *turns_pick(struct turns *turns, uint32_t sub_core) {
    const uint32_t sub_cores = turns->work->timed->machine->sub_cores;
    const uint32_t members = (turns->warp_count + sub_cores - 1 - sub_core) / sub_cores;
    for (uint32_t i = 0; i < members; i++) {
        uint32_t place = (turns->turn[sub_core] + i) % members;
        struct turn_warp *warp = &turns->warps[sub_core + place * sub_cores];
        if (!warp->running) continue;
        turns->turn[sub_core] = (place + 1) % members;
        return warp;
    }
    return NULL;
}

static void turns_issue(struct turns *turns, struct turn_warp *warp) {
    assert(warp->running && !warp->held);
    const struct timed_inst *inst = warp->step.inst;
    struct latency_warp *latency = warp->latency;
    cycles *issued = &turns->issued[warp->sub_core];
    *issued = latency_warp_issue(latency, inst, *issued);
    cycles lasts = latency_of_step(&turns->blocks[warp->block].latencies, &warp->step, latency->verdicts);
    latency_warp_complete(latency, inst, cycles_add(*issued, lasts));
    if (inst->barrier) {
        warp->running = false;
        warp->held = true;
        turns->arrived[warp->block]++;
    } else {
        turns_proceed(turns, warp);
    }
    turns_open_barrier(turns, warp->block);
}

/* Puts all warps of the SM at their starts. */
static void turns_begin(struct turns *turns, uint32_t sm, uint32_t block_count) {
    const struct timed_grid *timed = turns->work->timed;
    const uint32_t sub_cores = timed->machine->sub_cores, warp_count = timed->grid->warp_count;
    uint32_t sub_core = 0; /* of the next warp */
    turns->warp_count = block_count * warp_count;
    for (uint32_t s = 0; s < sub_cores; s++)
        turns->turn[s] = 0, turns->issued[s] = 0;
    for (uint32_t b = 0; b < block_count; b++) {
        latency_block_begin(&turns->blocks[b], b * timed->machine->memory.sms + sm, 0);
        turns->live[b] = warp_count;
        turns->arrived[b] = 0;
        for (uint32_t w = 0; w < warp_count; w++) {
            uint32_t index = b * warp_count + w;
            turns->warps[index] =
                (struct turn_warp){.latency = &turns->blocks[b].warps[w], .block = b, .sub_core = sub_core};
            sub_core = sub_core + 1 < sub_cores ? sub_core + 1 : 0;
            turns_proceed(turns, &turns->warps[index]);
        }
        turns_open_barrier(turns, b);
    }
}

/* Theorem 5: the idle cycles of an SM whose order of issue is known. The order within a sub-core does not
 * depend on how far the others are. */
static cycles turns_run(struct turns *turns, uint32_t sm, uint32_t block_count) {
    const uint32_t sub_cores = turns->work->timed->machine->sub_cores;
    turns_begin(turns, sm, block_count);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t s = 0; s < sub_cores; s++) {
            for (struct turn_warp *warp; (warp = turns_pick(turns, s)) != NULL; moved = true)
                turns_issue(turns, warp);
        }
    }
    cycles complete = 0;
    for (uint32_t w = 0; w < turns->warp_count; w++)
        complete = cycles_max(complete, turns->warps[w].latency->complete.at);
    return complete;
}

static bool turns_has_barriers(const struct timed_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++) {
        if (code->insts[i].barrier) return true;
    }
    return false;
}

/* Whether an instruction without a slot waits for operands: then warps reach a barrier, or their end, at
 * times that depend on latencies. */
static bool turns_wait_between(const struct timed_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++) {
        const struct timed_inst *inst = &code->insts[i];
        if (inst->unit == UNIT_NONE && inst->source_count + inst->destination_count > 0) return true;
    }
    return false;
}

/* Whether theorem 5 is about an SM with so many blocks. */
static bool turns_known(const struct memory_work *work, uint32_t block_count) {
    const struct timed_code *code = &work->timed->code;
    if (work->timed->grid->cover.covers || block_count > work->resident) return false;
    if (block_count == 1 || !turns_has_barriers(code)) return true;
    return work->timed->machine->sub_cores == 1 && !turns_wait_between(code);
}

/* Follows a warp to its next instruction with a slot; *reached grows to the path to what that waits for.
 * False when a barrier or the end comes before. */
static bool round_reach(struct turn_warp *warp, cycles *reached) {
    struct latency_warp *latency = warp->latency;
    while (warp_steps_next(&latency->steps, &warp->step)) {
        const struct timed_inst *inst = warp->step.inst;
        cycles issue = latency_warp_issue(latency, inst, 0);
        *reached = cycles_max(*reached, issue);
        if (inst->unit != UNIT_NONE) return true;
        latency_warp_complete(latency, inst, cycles_add(issue, inst->latency));
        warp->held = inst->barrier;
        if (warp->held) return false;
    }
    return false;
}

/* One round: every warp of `first`, `first` + `stride`, ... that is neither blocked nor at its end issues
 * once, in an unknown order: each wait counts for all. False if there is none. */
static bool round_take(struct turns *turns, uint32_t first, uint32_t stride, cycles *path) {
    const uint32_t warp_count = turns->work->timed->grid->warp_count;
    bool any = false;
    for (uint32_t w = first; w < warp_count; w += stride) {
        struct turn_warp *warp = &turns->warps[w];
        if (warp->running) warp->running = round_reach(warp, path);
        any = any || warp->running;
    }
    for (uint32_t w = first; w < warp_count; w += stride) {
        struct turn_warp *warp = &turns->warps[w];
        if (!warp->running) continue;
        cycles lasts = latency_of_step(&turns->blocks[0].latencies, &warp->step, warp->latency->verdicts);
        warp->latency->issue.at = *path;
        latency_warp_complete(warp->latency, warp->step.inst, cycles_add(*path, lasts));
        warp->held = warp->step.inst->barrier;
        warp->running = !warp->held;
    }
    return any;
}

/* Lets the warps behind their barrier go on; false when none is held. */
static bool round_release(struct turns *turns, uint32_t first, uint32_t stride) {
    bool any = false;
    for (uint32_t w = first; w < turns->work->timed->grid->warp_count; w += stride) {
        struct turn_warp *warp = &turns->warps[w];
        any = any || warp->held;
        if (warp->held) warp->running = true;
        warp->held = false;
    }
    return any;
}

/* Idle cycles that a sub-core waits for warps of a block. */
static cycles round_idle(struct turns *turns, uint32_t first, uint32_t stride) {
    const uint32_t warp_count = turns->work->timed->grid->warp_count;
    cycles path = 0, complete = 0;
    for (uint32_t w = first; w < warp_count; w += stride)
        turns->warps[w] = (struct turn_warp){.latency = &turns->blocks[0].warps[w], .running = true};
    do {
        while (round_take(turns, first, stride, &path)) {
        }
    } while (round_release(turns, first, stride));
    for (uint32_t w = first; w < warp_count; w += stride)
        complete = cycles_max(complete, turns->warps[w].latency->complete.at);
    return cycles_max(complete, path);
}

/* Idle cycles that a warp, at its start, has the turn in until its end: no one else's waiting counts. */
static cycles own_idle(struct latency_warp *warp, const struct request_latencies *latencies) {
    struct warp_step step;
    while (warp_steps_next(&warp->steps, &step)) {
        const cycles issue = latency_warp_issue(warp, step.inst, 0);
        latency_warp_complete(warp, step.inst,
                              cycles_add(issue, latency_of_step(latencies, &step, warp->verdicts)));
    }
    return cycles_max(warp->issue.at, warp->complete.at);
}

/* Theorem 12: the idle cycles of a block whose rounds are not known. */
static cycles own_sum(struct turns *turns, uint32_t block) {
    cycles idle = 0;
    latency_block_begin(&turns->blocks[0], block, 0);
    for (uint32_t w = 0; w < turns->work->timed->grid->warp_count; w++)
        idle = cycles_add(idle, own_idle(&turns->blocks[0].warps[w], &turns->blocks[0].latencies));
    return idle;
}

/* Theorem 4: the idle cycles of a block. */
static cycles rounds_sum(struct turns *turns, uint32_t block) {
    const uint32_t sub_cores = turns->work->timed->machine->sub_cores;
    cycles idle = 0;
    latency_block_begin(&turns->blocks[0], block, 0);
    for (uint32_t s = 0; s < sub_cores; s++)
        idle = cycles_add(idle, round_idle(turns, s, sub_cores));
    return idle;
}

/* The idle cycles of blocks sm, sm + sms, ... on one SM. Rounds of covering paths are not those of what is
 * executed. */
static cycles turn_sum(struct turns *turns, uint32_t sm, uint32_t sms) {
    const struct memory_work *work = turns->work;
    cycles idle = 0;
    uint32_t place = 0;
    for (uint64_t b = sm; b < work->block_count; b += sms, place++) {
        const bool covers = work->timed->grid->cover.covers;
        idle = cycles_add(idle, covers ? own_sum(turns, (uint32_t)b) : rounds_sum(turns, (uint32_t)b));
        if (place >= work->resident) idle = cycles_add(idle, work->timed->machine->memory.dispatch_latency);
    }
    return idle;
}

/* One SM under static dispatch. */
static wb_status turn_sm(struct turns *turns, const struct sm_share *share, wb_diagnostics *diagnostics,
                         struct sm_work *sm) {
    const struct timed_grid *timed = turns->work->timed;
    const uint32_t blocks = sm_share_blocks(share, timed->grid);
    struct must_hits hits;
    wb_status status = must_hits_make(&timed->traffic, &timed->code, share, diagnostics, &hits);
    if (status == WB_OK) {
        for (uint32_t b = 0; b < turns->work->resident; b++)
            turns->blocks[b].hits = &hits;
        sm->work.requests.misses = hits.misses.load_misses;
        sm->idle = turn_sum(turns, share->sm, share->sms);
        if (turns_known(turns->work, blocks))
            sm->idle = cycles_min(sm->idle, turns_run(turns, share->sm, blocks));
    }
    must_hits_free(&hits);
    return status;
}

static wb_status turn_static(struct turns *turns, struct arena *arena, wb_diagnostics *diagnostics,
                             struct kernel_time *time) {
    const struct memory_work *work = turns->work;
    struct sm_work *sms = memory_work_of_sms(work, arena);
    if (sms == NULL) return diagnose_out_of_memory(diagnostics, "turn-chain");
    for (uint32_t s = 0; s < memory_work_sms(work); s++) {
        const struct sm_share share = {s, work->timed->machine->memory.sms, work->resident};
        WB_TRY(turn_sm(turns, &share, diagnostics, &sms[s]));
    }
    *time = memory_work_time(work, sms, memory_work_sms(work));
    return WB_OK;
}

/* Under greedy dispatch any blocks can come to an SM: the sum over all of them. */
static wb_status turn_greedy(struct turns *turns, wb_diagnostics *diagnostics, struct kernel_time *time) {
    const struct memory_work *work = turns->work;
    const struct sm_share anywhere = {0, 1, work->resident};
    struct sm_work all = {.work = work->total};
    struct must_hits hits;
    wb_status status =
        must_hits_make(&work->timed->traffic, &work->timed->code, &anywhere, diagnostics, &hits);
    if (status == WB_OK) {
        turns->blocks[0].hits = &hits;
        all.idle = turn_sum(turns, 0, 1);
        all.work.requests.misses = 0;
        for (uint32_t b = 0; b < work->block_count; b++)
            all.work.requests.misses += memory_work_unsure_loads(work, &hits, b);
        *time = memory_work_time(work, &all, 1);
    }
    must_hits_free(&hits);
    return status;
}

static wb_status turn_chain_run(const struct bound_input *input, wb_bound *bound) {
    struct turns turns = {.work = input->memory};
    const uint32_t resident = turns.work->resident;
    const bool dynamic = memory_dispatch_is_dynamic(&turns.work->machine->memory);
    struct kernel_time time = {0};
    struct arena arena = {0};
    wb_status status = WB_OK;
    if (resident > 0 && turns_init(&turns, resident, &arena) != WB_OK)
        status = diagnose_out_of_memory(input->diagnostics, "turn-chain");
    if (status == WB_OK && resident > 0)
        status = dynamic ? turn_greedy(&turns, input->diagnostics, &time)
                         : turn_static(&turns, &arena, input->diagnostics, &time);
    arena_free(&arena);
    kernel_time_to_bound(&time, bound);
    bound->kind = WB_UPPER;
    if (turns.work->machine->issue_per_warp > 1) {
        bound->kind = WB_ESTIMATE;
        bound->reason = "the order of turns is known only where a warp issues one instruction in its turn";
    }
    bound_assume_grid(input, bound);
    return status;
}

const struct bound_method bound_turn_chain = {
    .name = "turn-chain",
    .summary =
        "strict round-robin: all initiations of an SM, its longest chain of latencies in turns, and memory",
    .run = turn_chain_run,
    .objection = too_long_to_walk,
    .needs = FOR_CACHED_GRIDS | NEED_PURE_RR,
};
