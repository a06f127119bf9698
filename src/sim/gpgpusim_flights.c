/* Instructions on their way from issue to completion. Their events reach the sink in order of issue. */
#include <string.h>

#include "sim/gpgpusim_sm.h"

/* Events that have left the queue before it is moved up. */
#define EVENTS_KEPT 4096u

/* Makes the event of an instruction that is issued now. */
static wb_status make_event(struct gs_sm *sm, uint32_t number) {
    if (sm->events.sink == NULL) return WB_OK;
    const struct gs_warp *warp = &sm->frontend.warps[gs_flight_at(sm, number)->warp];
    struct sim_event event = {.flight = FLIGHT_NONE,
                              .warp = gs_flight_at(sm, number)->warp,
                              .step = warp->step,
                              .instruction = warp->next.instruction,
                              .unit = sm->timed->code.insts[warp->next.instruction].unit,
                              .issue = sm->now,
                              .completion = CYCLES_SATURATED};
    gs_flight_at(sm, number)->event = sm->events.passed_on + sm->events.queue.count - sm->events.head;
    return vec_push(&sm->events.queue, event);
}

/* A number for a flight that begins: of one that is over, or a new one. GS_NONE when memory is exhausted. */
static uint32_t take_number(struct gs_sm *sm) {
    if (sm->free_flights.count > 0) return sm->free_flights.items[--sm->free_flights.count];
    /* Room for its number in the list of free ones is made here, so that giving it back cannot fail. */
    if (vec_reserve(&sm->free_flights, sm->flights.count + 1) != WB_OK ||
        vec_push(&sm->flights, (struct gs_flight){0}) != WB_OK)
        return GS_NONE;
    return (uint32_t)sm->flights.count - 1;
}

uint32_t gs_flight_begin(struct gs_sm *sm, const struct gs_flight *flight) {
    uint32_t number = take_number(sm);
    if (number == GS_NONE) return GS_NONE;
    *gs_flight_at(sm, number) = *flight;
    return make_event(sm, number) == WB_OK ? number : GS_NONE;
}

struct sim_event *gs_event_of(struct gs_sm *sm, uint32_t flight) {
    struct gs_events *events = &sm->events;
    if (events->sink == NULL) return NULL;
    return &events->queue.items[gs_flight_at(sm, flight)->event - events->passed_on + events->head];
}

/* Passes complete events on, oldest first. */
static void pass_events_on(struct gs_sm *sm) {
    struct gs_events *events = &sm->events;
    while (events->head < events->queue.count && sm->status == WB_OK) {
        const struct sim_event *event = &events->queue.items[events->head];
        if (event->completion == CYCLES_SATURATED) break;
        sm->status = events->sink->event(events->sink->user, event);
        events->head++;
        events->passed_on++;
    }
    if (events->head < EVENTS_KEPT) return;
    events->queue.count -= events->head;
    memmove(events->queue.items, events->queue.items + events->head,
            events->queue.count * sizeof *events->queue.items);
    events->head = 0;
}

void gs_complete(struct gs_sm *sm, uint32_t flight) {
    sm->result.last_commit = sm->now;
    struct sim_event *event = gs_event_of(sm, flight);
    /* take_number has made room. */
    sm->free_flights.items[sm->free_flights.count++] = flight;
    if (event == NULL) return;
    event->completion = sm->now;
    pass_events_on(sm);
}

void gs_flights_free(struct gs_sm *sm) {
    vec_free(&sm->flights);
    vec_free(&sm->free_flights);
    vec_free(&sm->events.queue);
}
