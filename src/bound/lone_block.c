#include "bound/lone_block.h"

#include "machine/occupancy.h"
#include "memory/requests.h"
#include "warp/launch_demand.h"

/* Sets the latency of each access of a warp, which stand in the order of the pattern's; returns where those
 * of the next warp are. An instruction with several accesses has one latency. */
static struct execution_cost *warp_latencies(const struct timed_grid *timed, const struct sure_hits *hits,
                                             uint32_t warp, struct execution_cost *costs) {
    const struct request_latencies latencies = request_latencies_of(&timed->machine->memory);
    const uint32_t count = traffic_pattern_of(&timed->traffic, 0, warp)->access_count;
    struct warp_steps steps = warp_steps_begin(timed, 0, warp);
    struct warp_step step;
    for (uint32_t done = 0; done < count && warp_steps_next(&steps, &step); done = steps.access) {
        if (step.inst->unit == UNIT_NONE) continue;
        cycles latency = latency_of_step(&latencies, &step, sure_hits_of(hits, 0, warp));
        for (uint32_t a = done; a < steps.access; a++)
            costs[a].latency = (uint32_t)latency;
    }
    return costs + count;
}

/* Units that instructions with requests use: none yet, one, or UNIT_SEVERAL. */
#define UNIT_SEVERAL (UNIT_NONE - 1)

static uint32_t join_units(uint32_t unit, uint32_t own) {
    return unit == UNIT_NONE || unit == own ? own : UNIT_SEVERAL;
}

/* The unit that the requests of the grid use. */
static uint32_t request_unit_of(const struct timed_grid *timed) {
    uint32_t unit = UNIT_NONE;
    for (size_t p = 0; p < timed->traffic.patterns.count; p++) {
        const struct traffic_pattern *pattern = &timed->traffic.patterns.items[p];
        for (uint32_t a = 0; a < pattern->access_count; a++)
            if (pattern->accesses[a].request_count != 0)
                unit = join_units(unit, timed->code.insts[pattern->accesses[a].instruction].unit);
    }
    return unit;
}

wb_status lone_block_latencies(struct memory_work *work, wb_diagnostics *diagnostics,
                               struct execution_cost *costs) {
    const struct timed_grid *timed = work->timed;
    const struct sm_share alone = {0, 1, 1};
    struct sure_hits hits;
    work->request_unit = request_unit_of(timed);
    wb_status status = sure_hits_make(&timed->traffic, &timed->code, &alone, diagnostics, &hits);
    if (status == WB_OK) {
        for (uint32_t w = 0; w < timed->grid->warp_count; w++)
            costs = warp_latencies(timed, &hits, w, costs);
        work->total.requests.misses = hits.misses.load_misses;
    }
    sure_hits_free(&hits);
    return status;
}

/* Whether all requests pass one unit of which the SM has one: else they delay each other in the middle of
 * their initiations. */
static bool has_one_port(const struct memory_work *work) {
    if (work->request_unit == UNIT_NONE) return true;
    if (work->request_unit == UNIT_SEVERAL) return false;
    const struct machine_unit *port = &work->machine->units[work->request_unit];
    return port->count == 1 && (port->shared || work->machine->sub_cores == 1);
}

/* Counts the requests of one record, as many as there can be. */
static uint32_t count_requests(const struct access *access, const struct access_list *list,
                               const struct machine_memory *memory, struct request_counts *sum) {
    uint32_t count = access_request_count(access, list->tables.items, memory_request_bytes(memory));
    if (access->is_atomic)
        sum->atomics += count;
    else if (access->is_store)
        sum->stores += count;
    else
        sum->loads += count;
    return count;
}

/* Gives the records of a warp their latencies and sums up their requests; returns where the costs of the next
 * warp are. */
static struct execution_cost *cover_warp(const struct wb_block *block, const struct access_list *list,
                                         struct execution_cost *costs, struct memory_work *work) {
    const struct machine_memory *memory = &work->machine->memory;
    const struct request_latencies latencies = request_latencies_of(memory);
    for (size_t r = 0, end; r < list->items.count; r = end) {
        const struct access *access = &list->items.items[r];
        const uint32_t class_ = block_inst(block, access->instruction, NULL)->form->class_;
        const struct machine_class *class = &work->machine->classes[class_];
        bool is_load = !access->is_store && !access->is_atomic;
        uint32_t requests = 0;
        for (end = r; end < list->items.count && list->items.items[end].step == access->step; end++)
            requests += count_requests(&list->items.items[end], list, memory, &work->total.requests);
        if (requests == 0 || class->unit == UNIT_NONE) continue;
        work->request_unit = join_units(work->request_unit, class->unit);
        cycles latency = class->latency + (is_load ? latencies.miss : latencies.write);
        /* An execution that all lanes are switched off in makes no request and takes what the class says. */
        for (size_t k = r; k < end; k++)
            costs[k].latency = (uint32_t)cycles_max(latency, costs[k].latency);
    }
    return costs + list->items.count;
}

/* Whether the block can run on an SM of the machine, and its accesses are all counted. */
static wb_status check_covering(const struct wb_block *block, const struct wb_machine *machine,
                                wb_diagnostics *diagnostics) {
    const struct block_demand demand = block_demand_of(block);
    struct resident_range resident;
    WB_TRY(machine_resident_range(machine, &demand, false, diagnostics, &resident));
    if (!block->repeats) return WB_OK;
    diagnose(
        diagnostics, SEVERITY_ERROR, machine->name,
        "a loop has so many iterations that their accesses were not counted, which a machine with caches "
        "needs; --memory requests leaves the caches out");
    return WB_ERR_DECLINED;
}

wb_status lone_block_covering(const struct wb_block *block, const struct wb_machine *machine,
                              wb_diagnostics *diagnostics, struct execution_cost *costs,
                              struct memory_work *work) {
    *work = (struct memory_work){
        .machine = machine, .scheme = gpu_scheme_at(0), .block_count = 1, .request_unit = UNIT_NONE};
    WB_TRY(check_covering(block, machine, diagnostics));
    for (uint32_t w = 0; w < block->warp_count; w++)
        costs = cover_warp(block, &block->accesses[w], costs, work);
    struct request_counts *requests = &work->total.requests;
    requests->misses = work->in_flight = requests->loads;
    const uint64_t writes = requests->stores + requests->atomics;
    work->demand = (struct dram_demand){requests->loads, writes, writes};
    return WB_OK;
}

void lone_block_add_memory(const struct bound_method *method, const struct memory_work *work,
                           wb_bound *bound) {
    const struct sm_work memory_only = {.work = {.requests = work->total.requests}};
    const struct kernel_time time = memory_work_time(work, &memory_only, 1);
    bound->cycles = cycles_add(bound->cycles, kernel_time_sum(&time));
    if (bound->kind != WB_UPPER || method == &bound_elb || has_one_port(work)) return;
    bound->kind = WB_ESTIMATE;
    bound->reason =
        "memory instructions of several units delay each other at the first-level cache, which no "
        "proof for this method covers";
}
