#include "bound/grid/request_load.h"

#include "memory/requests/requests.h"

/* Adds `times` requests of one execution of an instruction. */
static void add_requests(const struct wb_machine *machine, uint32_t unit, uint64_t requests, cycles latency,
                         struct request_load *load) {
    load->requests = cycles_add(load->requests, requests);
    load->returns = cycles_add(load->returns, cycles_mul(requests, latency));
    load->most = cycles_max(load->most, requests);
    if (unit < machine->unit_count) load->units |= UINT32_C(1) << unit;
}

wb_status request_load_of_block(const struct timed_grid *timed, uint32_t block,
                                struct loads_in_flight *flight, struct request_load *load) {
    *load = (struct request_load){0};
    flight->stores_too = true;
    for (uint32_t w = 0; w < timed->grid->warp_count; w++) {
        struct warp_steps steps = warp_steps_begin(timed, block, w);
        struct warp_step step;
        loads_in_flight_begin(flight, &timed->code);
        while (warp_steps_next(&steps, &step)) {
            WB_TRY(loads_in_flight_step(flight, &timed->code, &step));
            if (step.access == NULL) continue;
            add_requests(timed->machine, step.inst->unit, step.access->request_count,
                         request_return(timed->machine, step.inst), load);
        }
        load->in_flight = cycles_add(load->in_flight, flight->most);
    }
    return WB_OK;
}

wb_status request_load_alone(const struct timed_grid *timed, struct request_load *load) {
    struct loads_in_flight flight;
    wb_status status = loads_in_flight_init(&flight, &timed->code);
    if (status == WB_OK) status = request_load_of_block(timed, 0, &flight, load);
    loads_in_flight_free(&flight);
    return status;
}

void request_load_of_covering(const struct wb_block *block, const struct wb_machine *machine,
                              struct request_load *load) {
    const uint32_t granule = memory_request_bytes(&machine->memory);
    *load = (struct request_load){0};
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct access_list *list = &block->accesses[w];
        for (size_t r = 0; r < list->items.count; r++) {
            const struct access *access = &list->items.items[r];
            const uint32_t class_ = block_inst(block, access->instruction, NULL)->form->class_;
            const uint32_t requests = access_request_count(access, list->tables.items, granule);
            if (requests > 0)
                add_requests(machine, machine->classes[class_].unit, requests, machine->mem_latency, load);
        }
    }
    load->in_flight = load->requests;
}

cycles request_stalls(const struct machine_memory *memory, const struct request_load *load,
                      uint64_t in_flight, cycles wait) {
    if (memory->outstanding == 0 || in_flight <= memory->outstanding) return 0;
    const cycles on_the_way = cycles_add(load->returns, cycles_mul(load->requests, wait));
    if (on_the_way == CYCLES_SATURATED) return on_the_way;
    return cycles_ceiling(on_the_way, memory->outstanding);
}

bool request_ports_several(const struct wb_machine *machine, uint32_t units) {
    uint64_t ports = 0;
    for (uint32_t u = 0; u < machine->unit_count; u++)
        if ((units >> u & 1) != 0)
            ports += (uint64_t)machine->units[u].count * (machine->units[u].shared ? 1 : machine->sub_cores);
    return ports > 1;
}
