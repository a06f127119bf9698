#include "bound/cache/memory_work.h"

#include "bound/grid/loads_in_flight.h"
#include "memory/requests/access_order.h"

struct block_work block_work_add(struct block_work a, struct block_work b) {
    return (struct block_work){cycles_add(a.initiations, b.initiations), cycles_add(a.turns, b.turns),
                               request_counts_add(a.requests, b.requests)};
}

/* One instruction with requests. */
static void work_add_requests(const struct machine_memory *memory, const struct traffic_access *access,
                              struct block_work *sum) {
    uint64_t count = access->request_count;
    sum->turns = cycles_add(sum->turns, count * memory->request_cycles);
    switch ((enum traffic_kind)access->kind) {
    case TRAFFIC_LOAD:
        sum->requests.loads += count;
        sum->requests.misses += count;
        break;
    case TRAFFIC_STORE: sum->requests.stores += count; break;
    case TRAFFIC_ATOMIC: sum->requests.atomics += count; break;
    case TRAFFIC_ON_CHIP: break;
    }
}

/* What the blocks like `block` do. */
static wb_status work_of_block(struct memory_work *work, uint32_t block, struct loads_in_flight *flight,
                               struct block_work *sum) {
    const struct timed_grid *timed = work->timed;
    uint64_t in_flight = 0;
    for (uint32_t w = 0; w < timed->grid->warp_count; w++) {
        struct warp_steps steps = warp_steps_begin(timed, block, w);
        struct warp_step step;
        loads_in_flight_begin(flight, &timed->code);
        while (warp_steps_next(&steps, &step)) {
            sum->initiations = cycles_add(sum->initiations, step.init);
            WB_TRY(loads_in_flight_step(flight, &timed->code, &step));
            if (step.access == NULL) continue;
            work_add_requests(&timed->machine->memory, step.access, sum);
            work->in_objects |= step.access->is_unknown && step.access->object != 0;
            if (step.access->request_count > work->most_requests)
                work->most_requests = step.access->request_count;
        }
        in_flight = cycles_add(in_flight, flight->unlimited ? UINT64_MAX : flight->most);
    }
    work->in_flight = cycles_max(work->in_flight, in_flight);
    return WB_OK;
}

/* Blocks that can be on one SM at the same time. */
static uint32_t work_beside_each_other(const struct memory_work *work) {
    const struct machine_memory *memory = &work->machine->memory;
    uint32_t most = work->block_count;
    if (work->scheme->reorder || !memory_dispatch_is_dynamic(memory))
        most = (uint32_t)cycles_ceiling(work->block_count, memory->sms);
    return most < work->resident ? most : work->resident;
}

static wb_status work_of_blocks(struct memory_work *work, struct loads_in_flight *flight) {
    const struct traffic *traffic = &work->timed->traffic;
    work->variants = arena_array(&work->arena, traffic->variants.count + 1, sizeof *work->variants);
    bool *done = arena_array(&work->arena, traffic->variants.count + 1, sizeof *done);
    if (work->variants == NULL || done == NULL) return WB_ERR_LIMIT;
    for (uint32_t b = 0; b < work->block_count; b++) {
        uint32_t variant = traffic->block_variants[b];
        if (!done[variant]) WB_TRY(work_of_block(work, b, flight, &work->variants[variant]));
        done[variant] = true;
        work->total = block_work_add(work->total, work->variants[variant]);
    }
    work->in_flight = cycles_mul(work->in_flight, work_beside_each_other(work));
    return WB_OK;
}

static wb_status work_sum_up(struct memory_work *work) {
    struct loads_in_flight flight;
    wb_status status = loads_in_flight_init(&flight, &work->timed->code);
    if (status == WB_OK) status = work_of_blocks(work, &flight);
    loads_in_flight_free(&flight);
    return status == WB_OK ? dram_demand_of(&work->timed->traffic, &work->demand) : status;
}

/* How many blocks of the grid an SM holds at a time, at most. */
static wb_status find_resident(struct memory_work *work, wb_diagnostics *diagnostics) {
    const struct block_demand demand = grid_block_demand(work->timed->grid);
    struct resident_range range;
    if (work->block_count == 0) return WB_OK;
    WB_TRY(machine_resident_range(work->machine, &demand, work->scheme->reorder, diagnostics, &range));
    work->resident = range.most < work->block_count ? range.most : work->block_count;
    work->registers_ignored = range.least < work->resident;
    return WB_OK;
}

wb_status memory_work_make(const struct timed_grid *timed, const struct gpu_scheme *scheme,
                           wb_diagnostics *diagnostics, struct memory_work *work) {
    const char *name = timed->machine->name;
    *work = (struct memory_work){.machine = timed->machine,
                                 .timed = timed,
                                 .scheme = scheme,
                                 .block_count = (uint32_t)timed->grid->blocks.count};
    WB_TRY(find_resident(work, diagnostics));
    return work_sum_up(work) == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, name);
}

void memory_work_free(struct memory_work *work) {
    arena_free(&work->arena);
}

uint64_t memory_work_unsure_loads(const struct memory_work *work, const struct sure_hits *hits,
                                  uint32_t block) {
    uint64_t loads = memory_work_of(work, block)->requests.loads;
    for (uint32_t w = 0; w < work->timed->grid->warp_count; w++) {
        const uint8_t *verdicts = sure_hits_of(hits, block, w);
        uint32_t count = traffic_pattern_of(&work->timed->traffic, block, w)->request_count;
        for (uint32_t r = 0; r < count; r++)
            loads -= (verdicts[r] & SURE_HIT) != 0;
    }
    return loads;
}

uint32_t memory_work_sms(const struct memory_work *work) {
    uint32_t sms = work->machine->memory.sms;
    return work->block_count < sms ? work->block_count : sms;
}

cycles memory_work_services(const struct memory_work *work, uint64_t misses) {
    struct request_counts all = work->total.requests;
    all.misses = cycles_min(all.misses, misses);
    uint64_t fetches = cycles_min(all.misses, work->demand.fetches);
    uint64_t write_backs = cycles_min(cycles_add(all.stores, all.atomics), work->demand.write_backs);
    return memory_services(&work->machine->memory, &all, fetches, write_backs);
}

struct sm_work *memory_work_of_sms(const struct memory_work *work, struct arena *arena) {
    const uint32_t count = memory_work_sms(work);
    struct sm_work *sms = arena_array(arena, (size_t)count + 1, sizeof *sms);
    for (uint32_t b = 0; sms != NULL && b < work->block_count; b++) {
        struct block_work *sum = &sms[b % count].work;
        *sum = block_work_add(*sum, *memory_work_of(work, b));
    }
    return sms;
}

struct kernel_time memory_work_time(const struct memory_work *work, const struct sm_work *sms,
                                    uint32_t sm_count) {
    const struct machine_memory *memory = &work->machine->memory;
    uint64_t misses = 0;
    for (uint32_t s = 0; s < sm_count; s++)
        misses = cycles_add(misses, sms[s].work.requests.misses);
    const cycles services = memory_work_services(work, misses);
    struct kernel_time latest = {0};
    for (uint32_t s = 0; s < sm_count; s++) {
        const struct request_counts *requests = &sms[s].work.requests;
        struct kernel_time time = {.busy = sms[s].work.initiations, .latency = sms[s].idle};
        if (work->scheme->reorder) time.busy = cycles_add(time.busy, sms[s].work.turns);
        time.memory = cycles_add(services, memory_replies(memory, requests));
        time.memory = cycles_add(time.memory, memory_stalls(memory, requests, work->in_flight));
        latest = kernel_time_max(latest, time);
    }
    return latest;
}
