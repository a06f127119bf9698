#include "bound/grid/loads_in_flight.h"

#include <stdlib.h>
#include <string.h>

/* The load with this number, 0: none, has been waited for, and those that it perhaps waited for itself. */
static void loads_in_flight_end(struct loads_in_flight *flight, uint32_t load) {
    while (load != 0) {
        struct flying_load *flying = &flight->loads.items[load - 1];
        flight->now -= flying->requests;
        flying->requests = 0;
        load = flying->before;
        flying->before = 0;
    }
}

/* A step that is perhaps not executed: then nothing has been waited for, and what its register waited for
 * before still counts. */
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
    bool is_load = step->access != NULL && (flight->stores_too || step->access->kind == TRAFFIC_LOAD);
    if (step->perhaps) return loads_in_flight_perhaps(flight, code, step, is_load);
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
