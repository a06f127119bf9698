/* The proven counterpart of the segment equations: all issue and initiation times of an SM, the longest chain
 * of latencies, and what memory can add (docs/memory-bounds.md, theorems 1 and 2). */
#include <stdlib.h>
#include <string.h>

#include "bound/cache/latency_path.h"
#include "bound/cache/memory_work.h"
#include "bound/method/method.h"

/* The properties of the blocks that do not depend on their times. */
struct sum_block {
    cycles latency;  /* its longest latency path */
    uint64_t misses; /* at most, whatever runs beside it */
};

/* The latency paths of the blocks of an SM, in the order of their numbers. Blocks of one variant about whose
 * requests the same is known have the same. */
struct sum_paths {
    struct latency_block block;
    uint32_t *alike; /* per variant 1 + the last block of the SM, or 0 */
};

static bool same_verdicts(const struct memory_work *work, const struct must_hits *hits, uint32_t a,
                          uint32_t b) {
    for (uint32_t w = 0; w < work->timed->grid->warp_count; w++) {
        const size_t count = traffic_pattern_of(&work->timed->traffic, a, w)->request_count;
        const uint8_t *of_a = must_hits_of(hits, a, w), *of_b = must_hits_of(hits, b, w);
        if (count > 0 && of_a != of_b && memcmp(of_a, of_b, count) != 0) return false;
    }
    return true;
}

/* All blocks of `share`. */
static void sum_blocks(const struct memory_work *work, const struct sm_share *share,
                       const struct must_hits *hits, struct sum_paths *paths, struct sum_block *blocks) {
    const struct traffic *traffic = &work->timed->traffic;
    memset(paths->alike, 0, traffic->variants.count * sizeof *paths->alike);
    paths->block.hits = hits;
    for (uint64_t b = share->sm; b < work->block_count; b += share->sms) {
        uint32_t *alike = &paths->alike[traffic->block_variants[b]];
        if (*alike != 0 && same_verdicts(work, hits, *alike - 1, (uint32_t)b)) {
            blocks[b] = blocks[*alike - 1];
            continue;
        }
        latency_block_begin(&paths->block, (uint32_t)b, 0);
        blocks[b] = (struct sum_block){latency_block_run(&paths->block),
                                       memory_work_unsure_loads(work, hits, (uint32_t)b)};
        *alike = (uint32_t)b + 1;
    }
}

/* Lemma 5: the idle cycles of an SM whose blocks take the slots in their order. */
static cycles sum_idle(const struct memory_work *work, uint32_t sm, const struct sum_block *blocks,
                       cycles *slots) {
    const uint32_t sms = memory_work_sms(work), delay = work->timed->machine->memory.dispatch_latency;
    cycles latest = 0;
    memset(slots, 0, work->resident * sizeof *slots);
    for (uint64_t b = sm, i = 0; b < work->block_count; b += sms, i++) {
        uint32_t first = 0; /* the slot that is free first */
        for (uint32_t r = 1; r < work->resident; r++)
            first = slots[r] < slots[first] ? r : first;
        cycles start = i < work->resident ? 0 : cycles_add(slots[first], delay);
        slots[first] = cycles_add(start, blocks[b].latency);
        latest = cycles_max(latest, slots[first]);
    }
    return latest;
}

/* The state of a pass over the SMs. */
struct sum {
    const struct memory_work *work;
    wb_diagnostics *diagnostics;
    struct arena arena;
    struct sum_paths paths;
    struct sum_block *blocks; /* of the grid */
};

static wb_status sum_init(struct sum *sum) {
    const struct memory_work *work = sum->work;
    sum->blocks = arena_array(&sum->arena, (size_t)work->block_count + 1, sizeof *sum->blocks);
    sum->paths.alike =
        arena_array(&sum->arena, work->timed->traffic.variants.count + 1, sizeof *sum->paths.alike);
    if (sum->blocks == NULL || sum->paths.alike == NULL ||
        latency_block_init(&sum->paths.block, work->timed, &sum->arena) != WB_OK)
        return diagnose_out_of_memory(sum->diagnostics, "segment-sum");
    return WB_OK;
}

/* Looks at the blocks of an SM; *misses: at most so many of their loads miss, in any order. */
static wb_status sum_sm(struct sum *sum, const struct sm_share *share, uint64_t *misses) {
    const struct timed_grid *timed = sum->work->timed;
    struct must_hits hits;
    wb_status status = must_hits_make(&timed->traffic, &timed->code, share, sum->diagnostics, &hits);
    if (status == WB_OK) sum_blocks(sum->work, share, &hits, &sum->paths, sum->blocks);
    sum->paths.block.hits = NULL;
    *misses = hits.misses.load_misses;
    must_hits_free(&hits);
    return status;
}

/* Theorem 1. */
static wb_status sum_static(struct sum *sum, struct kernel_time *time) {
    const struct memory_work *work = sum->work;
    struct sm_work *sms = memory_work_of_sms(work, &sum->arena);
    cycles *slots = arena_array(&sum->arena, (size_t)work->resident + 1, sizeof *slots);
    if (sms == NULL || slots == NULL) return diagnose_out_of_memory(sum->diagnostics, "segment-sum");
    for (uint32_t s = 0; s < memory_work_sms(work); s++) {
        const struct sm_share share = {s, work->timed->machine->memory.sms, work->resident};
        WB_TRY(sum_sm(sum, &share, &sms[s].work.requests.misses));
        sms[s].idle = sum_idle(work, s, sum->blocks, slots);
    }
    *time = memory_work_time(work, sms, memory_work_sms(work));
    return WB_OK;
}

static int descending(const void *a, const void *b) {
    cycles x = *(const cycles *)a, y = *(const cycles *)b;
    return (x < y) - (x > y);
}

/* P(b) of theorem 2: busy, reply and stalled cycles that a block can cause on its SM. */
static cycles sum_pressure(const struct memory_work *work, const struct block_work *block, uint64_t misses,
                           uint64_t all_misses) {
    const struct machine_memory *memory = &work->timed->machine->memory;
    struct request_counts requests = block->requests;
    requests.misses = misses;
    cycles on_the_way = cycles_mul(misses, memory_miss_latency(memory)), stalls = 0;
    if (all_misses > memory->l1_mshrs && work->in_flight > memory->l1_mshrs)
        stalls = cycles_ceiling(on_the_way, memory->l1_mshrs);
    if (memory->l1_victim == VICTIM_STALLS) stalls = cycles_add(stalls, on_the_way);
    return cycles_add(block->initiations, cycles_add(memory_replies(memory, &requests), stalls));
}

/* The sums and maxima of theorem 2 over all blocks. */
struct sum_totals {
    cycles pressure, most_pressure; /* P_tot, P_R */
    cycles latency, most_latency;   /* lam_tot, lam_max */
    uint64_t misses;
};

static wb_status sum_up(struct sum *sum, struct sum_totals *totals) {
    const struct memory_work *work = sum->work;
    cycles *pressures = arena_array(&sum->arena, (size_t)work->block_count + 1, sizeof *pressures);
    if (pressures == NULL) return diagnose_out_of_memory(sum->diagnostics, "segment-sum");
    for (uint32_t b = 0; b < work->block_count; b++)
        totals->misses = cycles_add(totals->misses, sum->blocks[b].misses);
    for (uint32_t b = 0; b < work->block_count; b++) {
        pressures[b] = sum_pressure(work, memory_work_of(work, b), sum->blocks[b].misses, totals->misses);
        totals->pressure = cycles_add(totals->pressure, pressures[b]);
        totals->latency = cycles_add(totals->latency, sum->blocks[b].latency);
        totals->most_latency = cycles_max(totals->most_latency, sum->blocks[b].latency);
    }
    qsort(pressures, work->block_count, sizeof *pressures, descending);
    for (uint32_t r = 0; r < work->resident; r++)
        totals->most_pressure = cycles_add(totals->most_pressure, pressures[r]);
    return WB_OK;
}

/* Theorem 2. Any blocks may be on an SM at the same time. */
static wb_status sum_greedy(struct sum *sum, struct kernel_time *time) {
    const struct memory_work *work = sum->work;
    const struct sm_share anywhere = {0, 1, work->resident};
    const uint64_t sms = work->timed->machine->memory.sms, slots = cycles_mul(sms, work->resident);
    const cycles delay = work->timed->machine->memory.dispatch_latency;
    struct sum_totals totals = {0};
    uint64_t misses;
    WB_TRY(sum_sm(sum, &anywhere, &misses));
    WB_TRY(sum_up(sum, &totals));
    *time = (struct kernel_time){.memory = memory_work_services(work, totals.misses)};
    if (work->block_count <= work->resident) {
        time->busy = totals.most_pressure;
        time->latency = totals.most_latency;
        return WB_OK;
    }
    /* All over sms * resident, so that only the end is rounded. */
    cycles all =
        cycles_mul(cycles_add(totals.pressure, cycles_mul(sms - 1, totals.most_pressure)), work->resident);
    all = cycles_add(all, cycles_add(totals.latency, cycles_mul(work->block_count, delay)));
    all = cycles_add(all, cycles_mul(slots - 1, cycles_add(totals.most_latency, delay)));
    time->busy = cycles_sub(totals.pressure, totals.most_pressure) / sms;
    time->latency = cycles_sub(totals.latency, totals.most_latency) / slots;
    time->tail = all == CYCLES_SATURATED ? all : cycles_sub(all / slots, time->busy + time->latency);
    return WB_OK;
}

static wb_status segment_sum_run(const struct bound_input *input, wb_bound *bound) {
    struct sum sum = {.work = input->memory, .diagnostics = input->diagnostics};
    const bool dynamic = memory_dispatch_is_dynamic(&sum.work->machine->memory);
    struct kernel_time time = {0};
    wb_status status = sum_init(&sum);
    if (status == WB_OK) status = dynamic ? sum_greedy(&sum, &time) : sum_static(&sum, &time);
    arena_free(&sum.arena);
    kernel_time_to_bound(&time, bound);
    bound->kind = WB_UPPER;
    bound_assume_grid(input, bound);
    return status;
}

const struct bound_method bound_segment_sum = {
    .name = "segment-sum",
    .summary = "all initiations of an SM, its longest chain of latencies, and what memory can add",
    .run = segment_sum_run,
    .needs = FOR_CACHED_GRIDS | NEED_DEFAULT_SCHEME,
};
