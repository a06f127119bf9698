#include "bound/loads_in_flight.h"

#include <stdlib.h>
#include <string.h>

/* The load with this number, 0: none, has been waited for. */
static void loads_in_flight_end(struct loads_in_flight *flight, uint32_t load) {
    if (load == 0) return;
    flight->now -= flight->loads.items[load - 1];
    flight->loads.items[load - 1] = 0;
}

wb_status loads_in_flight_step(struct loads_in_flight *flight, const struct timed_code *code,
                               const struct warp_step *step) {
    const struct timed_inst *inst = step->inst;
    const uint32_t *operands = code->operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    for (uint32_t i = 0; i < count; i++) { /* what is overwritten is waited for, too */
        loads_in_flight_end(flight, flight->last_load[operands[i]]);
        WB_TRY(queue_members_take(&flight->queues, code, operands[i]));
        for (size_t t = 0; t < flight->queues.taken.count; t++)
            loads_in_flight_end(flight, flight->queues.taken.items[t]);
    }
    bool is_load = step->access != NULL && (flight->stores_too || step->access->kind == TRAFFIC_LOAD);
    if (is_load) {
        WB_TRY(vec_push(&flight->loads, step->access->request_count));
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
