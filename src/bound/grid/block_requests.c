#include "bound/grid/block_requests.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory/requests/requests.h"

struct warp_steps warp_steps_begin(const struct timed_grid *timed, uint32_t block, uint32_t warp) {
    const struct wb_grid *grid = timed->grid;
    const struct block_shape *shape = &grid->shapes.items[grid->blocks.items[block].shape];
    return (struct warp_steps){
        .code = &timed->code,
        .cursor = path_begin(&grid->paths.items[shape->warps[warp].path]),
        .pattern = traffic_pattern_of(&timed->traffic, block, warp),
        .stream = &grid->streams.items[shape->warps[warp].stream],
    };
}

bool warp_steps_next(struct warp_steps *steps, struct warp_step *step) {
    struct path_step path;
    if (!path_next(&steps->cursor, &path)) return false;
    const struct traffic_pattern *pattern = steps->pattern;
    const struct access_stream *stream = steps->stream;
    while (steps->maybe_executed < stream->maybe_count &&
           stream->maybe_executed[steps->maybe_executed].end <= steps->step)
        steps->maybe_executed++;
    *step = (struct warp_step){.inst = &steps->code->insts[path.instruction],
                               .maybe_executed =
                                   steps->maybe_executed < stream->maybe_count &&
                                   stream->maybe_executed[steps->maybe_executed].first <= steps->step};
    cycles transactions = 0;
    while (steps->access < pattern->access_count && pattern->accesses[steps->access].step == steps->step) {
        const struct traffic_access *access = &pattern->accesses[steps->access];
        transactions += access->cycles;
        if (access->request_count > 0) {
            step->access = access;
            step->access_index = steps->access;
        }
        steps->access++;
    }
    step->init = cycles_max(step->inst->init, transactions);
    step->times = 1;
    steps->step++;
    return true;
}

bool warp_steps_at_quiet(const struct warp_steps *steps, struct path_fold *fold, uint64_t *length) {
    const struct traffic_pattern *pattern = steps->pattern;
    const struct path_place place = {.code = steps->code,
                                     .stream = steps->stream,
                                     .step = steps->step,
                                     .access_step = steps->access < pattern->access_count
                                                        ? pattern->accesses[steps->access].step
                                                        : UINT64_MAX,
                                     .maybe_executed = steps->maybe_executed};
    return path_at_fold(&steps->cursor, fold) && fold_is_quiet(&place, fold, length);
}

void warp_steps_skip(struct warp_steps *steps, uint64_t length) {
    steps->step += length;
    path_skip_fold(&steps->cursor);
}

bool warp_steps_next_of_sum(struct warp_steps *steps, struct warp_step *step) {
    struct path_fold fold;
    uint64_t length;
    while (steps->run.count == 0 && !path_runs_next(&steps->summed, &steps->run, &steps->run_times)) {
        if (!warp_steps_at_quiet(steps, &fold, &length)) return warp_steps_next(steps, step);
        steps->summed = path_runs_of_body(&fold);
        steps->repetitions = fold.repetitions;
        warp_steps_skip(steps, length);
    }
    const struct timed_inst *inst = &steps->code->insts[steps->run.first++];
    steps->run.count--;
    *step = (struct warp_step){
        .inst = inst, .init = inst->init, .times = cycles_mul(steps->run_times, steps->repetitions)};
    return true;
}

/* The load with this number (0: none), and those that it may have waited for itself, are complete. */
static void loads_in_flight_end(struct loads_in_flight *flight, uint32_t load) {
    while (load != 0) {
        assert(load <= flight->loads.count);
        struct flying_load *flying = &flight->loads.items[load - 1];
        assert(flight->now >= flying->requests);
        flight->now -= flying->requests;
        flying->requests = 0;
        load = flying->before;
        flying->before = 0;
    }
}

/* A step that is only maybe executed: no wait is certain, and older waits of its register still count. */
static wb_status loads_in_flight_perhaps(struct loads_in_flight *flight, const struct timed_code *code,
                                         const struct warp_step *step, bool is_load) {
    const struct timed_inst *inst = step->inst;
    const uint32_t *written = code->operands + inst->first_operand + inst->source_count;
    flight->unlimited |= inst->joins != 0 || inst->commits != 0;
    for (uint32_t i = 0; is_load && i < inst->destination_count; i++) {
        const struct flying_load load = {i == 0 ? step->access->request_count : 0,
                                         flight->last_load[written[i]]};
        WB_TRY(vec_push(&flight->loads, load));
        flight->last_load[written[i]] = (uint32_t)flight->loads.count;
    }
    if (!is_load) return WB_OK;
    flight->now += step->access->request_count; /* of a load into no register until the warp ends */
    flight->most = flight->now > flight->most ? flight->now : flight->most;
    return WB_OK;
}

wb_status loads_in_flight_step(struct loads_in_flight *flight, const struct timed_code *code,
                               const struct warp_step *step) {
    const struct timed_inst *inst = step->inst;
    const uint32_t *operands = code->operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    bool is_load = step->access != NULL && (flight->stores_too || traffic_is_load(step->access->kind));
    if (step->maybe_executed) return loads_in_flight_perhaps(flight, code, step, is_load);
    for (uint32_t i = 0; i < count; i++) { /* what is overwritten is waited for, too */
        loads_in_flight_end(flight, flight->last_load[operands[i]]);
        WB_TRY(queue_members_take(&flight->queues, code, operands[i]));
        for (size_t t = 0; t < flight->queues.taken.count; t++)
            loads_in_flight_end(flight, flight->queues.taken.items[t]);
    }
    if (is_load) {
        WB_TRY(vec_push(&flight->loads, ((struct flying_load){step->access->request_count, 0})));
        flight->now += step->access->request_count;
        flight->most = flight->now > flight->most ? flight->now : flight->most;
    }
    for (uint32_t i = inst->source_count; i < count; i++)
        flight->last_load[operands[i]] = is_load ? (uint32_t)flight->loads.count : 0;
    return queue_members_note(&flight->queues, code, inst, is_load ? (uint32_t)flight->loads.count : 0);
}

void loads_in_flight_begin(struct loads_in_flight *flight, const struct timed_code *code) {
    memset(flight->last_load, 0, code->register_count * sizeof *flight->last_load);
    flight->loads.count = 0;
    queue_members_clear(&flight->queues);
    flight->now = flight->most = 0;
    flight->unlimited = false;
}

wb_status loads_in_flight_init(struct loads_in_flight *flight, const struct timed_code *code) {
    *flight =
        (struct loads_in_flight){.last_load = calloc((size_t)code->register_count + 1, sizeof(uint32_t))};
    return flight->last_load == NULL ? WB_ERR_LIMIT : WB_OK;
}

void loads_in_flight_free(struct loads_in_flight *flight) {
    free(flight->last_load);
    vec_free(&flight->loads);
    queue_members_free(&flight->queues);
}

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
        while (warp_steps_next_of_sum(&steps, &step)) {
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
    assert(load->most <= load->requests);
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
