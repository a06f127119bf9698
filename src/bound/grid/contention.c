#include "bound/grid/contention.h"

#include <assert.h>

#include "bound/method/method.h"
#include "warp/path/path.h"
#include "warp/trace/blocks.h"

static const struct machine_memory *memory_of(const struct grid_work *work) {
    return &work->machine->memory;
}

static wb_status count_classes(const struct timed_grid *timed, struct loads_in_flight *flight,
                               struct grid_work *work) {
    for (size_t k = 0; k < work->classes.count; k++) {
        struct block_class *class = &work->classes.items[k];
        WB_TRY(request_load_of_block(timed, class->first, flight, &class->load));
    }
    contention_sum(work);
    return WB_OK;
}

wb_status contention_count(const struct timed_grid *timed, struct grid_work *work) {
    struct loads_in_flight flight;
    wb_status status = loads_in_flight_init(&flight, &timed->code);
    if (status == WB_OK) status = count_classes(timed, &flight, work);
    loads_in_flight_free(&flight);
    return status;
}

void contention_sum(struct grid_work *work) {
    struct contention *sum = &work->contention;
    uint64_t in_flight = 0; /* of a block */
    for (size_t k = 0; k < work->classes.count; k++) {
        const struct block_class *class = &work->classes.items[k];
        sum->requests = cycles_add(sum->requests, cycles_mul(class->load.requests, class->blocks));
        sum->most = cycles_max(sum->most, class->load.most);
        sum->units |= class->load.units;
        in_flight = cycles_max(in_flight, class->load.in_flight);
    }
    sum->in_flight = cycles_mul(in_flight, work->resident_most);
}

void contention_copy(const struct grid_work *counted, cycles wait, struct grid_work *work) {
    work->contention = counted->contention;
    work->contention.wait = wait;
    for (size_t k = 0; k < work->classes.count; k++)
        work->classes.items[k].load = counted->classes.items[k].load;
}

/* How long a request can be on its way while it has its turn on a unit that another sub-core does not reach:
 * what does not make that one busy (docs/sub-core-bounds.md, section 6). */
static cycles turn_elsewhere(const struct grid_work *work) {
    const struct wb_machine *machine = work->machine;
    for (uint32_t u = 0; u < machine->unit_count && machine->sub_cores > 1; u++)
        if ((work->contention.units >> u & 1) != 0 && !machine->units[u].shared)
            return machine->memory.request_cycles;
    return 0;
}

/* Charges the chains of a class. In the order of issue a unit that is held back meets any that has its turn
 * (section 10 there): where that is more than in time, such sums do not count. */
static void charge_chains(const struct grid_work *work, bool several, struct block_class *class) {
    const struct machine_memory *memory = memory_of(work);
    const cycles wait = work->contention.wait, turn = several ? memory->request_cycles : 0;
    const uint64_t in_flight = work->contention.in_flight;
    const cycles in_time =
        request_stalls(memory, &class->load, in_flight, cycles_add(wait, turn_elsewhere(work)));
    const cycles in_order = request_stalls(memory, &class->load, in_flight, cycles_add(wait, turn));
    block_chain_charge(&class->chain, in_time);
    if (in_order > in_time) class->chain.known[CHAIN_ISSUED] = false;
}

void contention_charge_class(const struct grid_work *work, struct block_class *class) {
    const struct contention *contention = &work->contention;
    const bool several = request_ports_several(work->machine, contention->units);
    class->stalls = request_stalls(memory_of(work), &class->load, contention->in_flight, contention->wait);
    charge_chains(work, several, class);
    if (class->stalls == 0) return;
    /* Requests of several ports can hold each other back while one of them leaves. */
    if (several) class->residency = class->isolated = cycles_add(class->initiations, class->latency);
    class->initiations = cycles_add(class->initiations, class->stalls);
    class->held = cycles_add(class->held, class->stalls);
    class->residency = cycles_add(class->residency, class->stalls);
    class->isolated = cycles_add(class->isolated, class->stalls);
}

struct block_class contention_uncharged(const struct block_class *class) {
    struct block_class uncharged = *class;
    uncharged.initiations -= class->stalls;
    uncharged.held -= class->stalls;
    uncharged.residency -= class->stalls;
    uncharged.isolated -= class->stalls;
    return uncharged;
}

void contention_charge(struct grid_work *work) {
    assert(work->by_initiations.classes == NULL); /* rankings use charged times */
    for (size_t k = 0; k < work->classes.count; k++)
        contention_charge_class(work, &work->classes.items[k]);
}

/* SMs that have blocks. */
static uint32_t sms_of(const struct grid_work *work) {
    const uint32_t sms = memory_of(work)->sms;
    return sms < work->block_count ? sms : work->block_count;
}

cycles contention_wait(const struct grid_work *work) {
    const struct machine_memory *memory = memory_of(work);
    uint64_t most = work->contention.in_flight;
    if (!memory_is_contended(memory) || memory->arbiter == ARBITER_ANY) return 0;
    if (memory->outstanding != 0 && memory->outstanding < most) most = memory->outstanding;
    return cycles_mul(cycles_mul(memory->service, most), sms_of(work));
}

cycles contention_wait_published(const struct grid_work *work) {
    const struct machine_memory *memory = memory_of(work);
    if (!memory_is_contended(memory)) return 0;
    const cycles own = cycles_mul(work->contention.most, memory->request_cycles);
    const cycles others = cycles_mul(cycles_mul(work->contention.most, memory->service), sms_of(work));
    return cycles_add(own, others);
}

cycles contention_services(const struct grid_work *work) {
    if (work->contention.wait != 0) return 0;
    return cycles_mul(work->contention.requests, memory_of(work)->service);
}

cycles contention_stalls(const struct grid_work *work) {
    cycles sum = 0;
    for (size_t k = 0; k < work->classes.count; k++)
        sum = cycles_add(sum, cycles_mul(work->classes.items[k].stalls, work->classes.items[k].blocks));
    return sum;
}

bool contention_keeps_order(const struct grid_work *work) {
    const bool several = request_ports_several(work->machine, work->contention.units);
    return contention_stalls(work) == 0 || !several || turn_elsewhere(work) > 0;
}

void contention_assume(const struct grid_work *work, wb_bound *bound) {
    const struct machine_memory *memory = memory_of(work);
    if (!memory_is_contended(memory)) return;
    if (work->contention.wait == 0)
        assume(bound, WB_ASSUME_MEMORY_ANY_ORDER);
    else if (memory->arbiter == ARBITER_FIFO)
        assume(bound, WB_ASSUME_MEMORY_IN_ARRIVAL_ORDER);
    else
        assume(bound, WB_ASSUME_MEMORY_ROUND_ROBIN);
}

void grid_assume_dispatch(const struct grid_work *work, wb_bound *bound) {
    if (grid_work_is_dynamic(work)) {
        assume(bound, WB_ASSUME_DISPATCH_TO_ANY_SM);
        assume(bound, WB_ASSUME_DISPATCH_ROUND_ROBIN_AT_START);
    } else {
        assume(bound, WB_ASSUME_STATIC_DISPATCH_WHEN_ROOM);
    }
    if (work->resident_least != work->resident_most) assume(bound, WB_ASSUME_REGISTERS_ANY);
}

/* Counts the requests of the isolated block's grid. */
static wb_status count(const struct timed_grid *timed, wb_diagnostics *diagnostics,
                       struct request_load *load) {
    if (request_load_alone(timed, load) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(diagnostics, timed->machine->name);
}

wb_status contended_block_make(const struct wb_block *block, const struct wb_machine *machine,
                               wb_diagnostics *diagnostics, struct wb_grid *grid, struct timed_grid *timed,
                               struct request_load *load) {
    if (block->covering && block->repeats) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "a loop has so many iterations that their accesses were not counted, which a memory that "
                 "all SMs share needs; --set service=0 omits it");
        return WB_ERR_DECLINED;
    }
    if (block->covering) {
        request_load_of_covering(block, machine, load);
        return WB_OK;
    }
    WB_TRY(grid_from_block(block, diagnostics, grid));
    WB_TRY(timed_grid_make(grid, machine, diagnostics, timed));
    return count(timed, diagnostics, load);
}

wb_status contended_block_by_hand(const struct synthetic_block *block, size_t class,
                                  wb_diagnostics *diagnostics, struct wb_grid *grid, struct timed_grid *timed,
                                  struct request_load *load) {
    WB_TRY(synthetic_grid_make_block(block, class, diagnostics, grid, timed));
    return count(timed, diagnostics, load);
}

void contended_block_add(const struct bound_method *method, const struct wb_machine *machine,
                         const struct request_load *load, wb_bound *bound) {
    const cycles stalls = request_stalls(&machine->memory, load, load->in_flight, 0);
    const cycles services = cycles_mul(load->requests, machine->memory.service);
    bound->cycles = cycles_add(bound->cycles, cycles_add(services, stalls));
    if (bound->kind != WB_UPPER || method->any_order || stalls == 0) return;
    if (!request_ports_several(machine, load->units)) return;
    bound->kind = WB_ESTIMATE;
    bound->reason = "requests of several units delay each other at the limit on outstanding ones, which no "
                    "proof for this method covers";
}
