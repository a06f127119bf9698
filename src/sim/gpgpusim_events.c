/* What becomes of an instruction that has completed, and how events reach the sink in order of issue. */
#include <string.h>

#include "sim/gpgpusim_sm.h"

/* Events that have left the queue before it is moved up. */
#define EVENTS_KEPT 4096u

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
    /* take_flight has made room. */
    sm->free_flights.items[sm->free_flights.count++] = flight;
    if (event == NULL) return;
    event->completion = sm->now;
    pass_events_on(sm);
}
