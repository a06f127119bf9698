/* The load/store unit: loads from shared memory, stores, atomics, fences. */
#include <string.h>

#include "wings/gpgpusim/pipeline.h"

void gs_lsu_init(struct gs_sm *sm) {
    sm->lsu.dispatch = sm->lsu.next_global = sm->lsu.writing = GS_NONE;
}

bool gs_lsu_busy(const struct gs_sm *sm) {
    const struct gs_lsu *lsu = &sm->lsu;
    return lsu->dispatch != GS_NONE || lsu->writing != GS_NONE || lsu->next_global != GS_NONE ||
           lsu->pipeline.count > 0 || lsu->replies.atomics > 0;
}

/* The pipeline of shared loads has this many stages. */
static uint32_t pipeline_stages(const struct gs_sm *sm) {
    uint32_t latency = sm->timed->machine->shared_latency;
    return latency > 0 ? latency : 1;
}

/* Results can be read; the instruction is over. */
static void finish(struct gs_sm *sm, uint32_t flight) {
    gs_frontend_release(sm, gs_flight_at(sm, flight)->warp, gs_flight_at(sm, flight)->inst);
    gs_complete(sm, flight);
}

/* The instruction being written back, unless a bank of its results is taken in this cycle. An atomic on
 * global memory is written back with every reply. */
static void write_results(struct gs_sm *sm) {
    struct gs_lsu *lsu = &sm->lsu;
    if (lsu->writing == GS_NONE || !gs_collector_write(sm, lsu->writing, &lsu->written)) return;
    struct gs_flight *flight = gs_flight_at(sm, lsu->writing);
    if (flight->replies <= 1)
        finish(sm, lsu->writing);
    else
        flight->replies--;
    lsu->writing = GS_NONE;
}

/* Takes the next instruction to write back: from the pipeline of shared loads, or an atomic with a reply. Who
 * was not served last is asked first. */
static void choose_results(struct gs_sm *sm) {
    struct gs_lsu *lsu = &sm->lsu;
    if (lsu->writing != GS_NONE) return;
    const struct gs_due *front = gs_queue_front(&lsu->pipeline);
    bool shared = front != NULL && front->at <= sm->now && lsu->pipeline_free <= sm->now;
    bool global = lsu->next_global != GS_NONE;
    if (!shared && !global) return;
    lsu->written = 0;
    if (global && (lsu->global_first || !shared)) {
        lsu->writing = lsu->next_global;
        lsu->next_global = GS_NONE;
        lsu->global_first = false;
    } else {
        lsu->writing = front->flight;
        gs_queue_pop(&lsu->pipeline);
        lsu->pipeline_free = sm->now + 1;
        lsu->global_first = true;
    }
    const struct gs_flight *flight = gs_flight_at(sm, lsu->writing);
    if (flight->inst->kind == GS_ATOMIC) gs_frontend_reply(sm, flight->warp);
}

/* Hands accesses of a store to the first-level cache, the last ones first, until one finds its bank taken. */
static void hand_on_store(struct gs_sm *sm) {
    struct gs_lsu *lsu = &sm->lsu;
    uint64_t taken[GPGPUSIM_STORE_BANKS_MAX / 64] = {0};
    uint32_t accepted = 0;
    for (; lsu->sector_count > 0; lsu->sector_count--) {
        uint64_t bank = lsu->sectors[lsu->sector_count - 1] % sm->config->store_banks;
        uint64_t bit = UINT64_C(1) << (bank % 64);
        if (taken[bank / 64] & bit) break;
        taken[bank / 64] |= bit;
        accepted++;
    }
    gs_replies_store(&lsu->replies, sm->now, accepted, sm->config->store_ack_delay, &sm->status);
}

/* The instruction in the dispatch register; whether it leaves. */
static bool work_on(struct gs_sm *sm, uint32_t flight) {
    struct gs_lsu *lsu = &sm->lsu;
    const struct gs_inst *inst = gs_flight_at(sm, flight)->inst;
    if (inst->kind == GS_LOAD_SHARED ||
        (inst->kind == GS_ATOMIC && gs_accesses_shared(gs_flight_at(sm, flight)))) {
        if (lsu->pipeline.count == pipeline_stages(sm)) return false;
        gs_queue_push(&lsu->pipeline, (struct gs_due){sm->now + pipeline_stages(sm), flight, 1}, &sm->status);
        return true;
    }
    if (inst->kind == GS_ATOMIC && lsu->sector_count > 0) {
        gs_replies_atomic(&lsu->replies, sm->now, flight, &sm->status);
        return --lsu->sector_count == 0;
    }
    if (inst->kind == GS_STORE) hand_on_store(sm);
    if (lsu->sector_count > 0) return false;
    finish(sm, flight);
    return true;
}

/* An instruction enters the dispatch register. */
static void start(struct gs_sm *sm) {
    struct gs_lsu *lsu = &sm->lsu;
    uint32_t flight = sm->units.oc_ex[GPGPUSIM_LSU];
    sm->units.oc_ex[GPGPUSIM_LSU] = GS_NONE;
    sm->units.waiting &= ~(1u << GPGPUSIM_LSU);
    sm->moved = true;
    lsu->dispatch = flight;
    lsu->sector_count = 0;
    const struct gs_flight *at = gs_flight_at(sm, flight);
    if (!gs_accesses_shared(at) && at->inst->kind == GS_STORE)
        lsu->sector_count = gs_store_sectors(sm, at, lsu->sectors);
    else if (at->inst->kind == GS_ATOMIC && !gs_accesses_shared(at))
        lsu->sector_count = at->replies;
    struct sim_event *event = gs_event_of(sm, flight);
    if (event != NULL) event->start = sm->now;
}

void gs_lsu_cycle(struct gs_sm *sm) {
    struct gs_lsu *lsu = &sm->lsu;
    struct gs_replies *replies = &lsu->replies;
    if (gs_lsu_busy(sm)) {
        sm->moved = true;
        gs_replies_advance(replies, sm->now, &sm->status);
        write_results(sm);
        choose_results(sm);
        uint32_t reply = gs_replies_receive(replies, sm->now, lsu->next_global == GS_NONE);
        if (reply != GS_NONE) lsu->next_global = reply;
        gs_replies_send(replies, sm->now, &sm->status);
        replies->done = sm->now + 1;
    }
    if (lsu->dispatch != GS_NONE) {
        uint32_t flight = lsu->dispatch;
        struct sim_event *event = gs_event_of(sm, flight);
        if (event != NULL) event->init_end = sm->now;
        if (work_on(sm, flight)) lsu->dispatch = GS_NONE;
    }
    if (lsu->dispatch == GS_NONE && (sm->units.waiting >> GPGPUSIM_LSU & 1) != 0) start(sm);
}

/* From the addresses of an instruction to the accesses that the simulator makes of it. */

#define SECTOR_BYTES 32u
#define WORD_BYTES 4u

/* Lanes whose words of one local address make up a sector. */
#define LOCAL_LANES (SECTOR_BYTES / WORD_BYTES)

/* The address that lane `lane` of a record accesses. */
static uint64_t lane_address(const struct gs_sm *sm, const struct gs_flight *flight,
                             const struct access *access, uint32_t lane) {
    return access_address(access, sm->block->accesses[flight->warp].tables.items, lane);
}

/* Adds a value to an ascending list in which it may stand already. Lanes mostly come in ascending order. */
static void add_ascending(uint64_t *list, uint32_t *count, uint64_t value) {
    uint32_t place = *count;
    while (place > 0 && list[place - 1] > value)
        place--;
    if ((place > 0 && list[place - 1] == value) || *count == GS_SECTORS_MAX) return;
    for (uint32_t i = *count; i > place; i--)
        list[i] = list[i - 1];
    list[place] = value;
    ++*count;
}

/* Words that all threads of the SM have at one local address: the simulator lays them side by side. */
static uint64_t local_words(const struct gs_sm *sm) {
    const uint32_t *size = sm->block->size;
    const struct machine_limits *limits = &sm->timed->machine->limits;
    uint64_t threads = (uint64_t)size[0] * size[1] * size[2];
    uint64_t padded = (threads + WARP_LANES - 1) / WARP_LANES * WARP_LANES;
    uint64_t blocks = limits->threads / padded;
    if (limits->blocks < blocks) blocks = limits->blocks;
    return padded * (blocks > 0 ? blocks : 1);
}

/* The sectors of lane `lane` at its local address `address`, one a word. */
static void add_local(const struct gs_sm *sm, const struct gs_flight *flight, uint64_t address, uint32_t lane,
                      uint64_t *sectors, uint32_t *count) {
    uint32_t bytes = flight->inst->data_bytes;
    uint64_t thread = (uint64_t)flight->warp * WARP_LANES + lane;
    for (uint32_t word = 0; word * WORD_BYTES < bytes; word++) {
        uint64_t position = (address / WORD_BYTES + word) * local_words(sm) + thread;
        add_ascending(sectors, count, position / LOCAL_LANES);
    }
}

/* The sectors of one record. */
static void add_record(const struct gs_sm *sm, const struct gs_flight *flight, const struct access *access,
                       uint64_t *sectors, uint32_t *count) {
    for (uint32_t lanes = access->mask; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint64_t address = lane_address(sm, flight, access, lane);
        if (access->space == PTX_SPACE_LOCAL) {
            add_local(sm, flight, address, lane, sectors, count);
            continue;
        }
        add_ascending(sectors, count, address / SECTOR_BYTES);
        add_ascending(sectors, count, (address + flight->inst->data_bytes - 1) / SECTOR_BYTES);
    }
}

uint32_t gs_store_sectors(const struct gs_sm *sm, const struct gs_flight *flight,
                          uint64_t sectors[GS_SECTORS_MAX]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < flight->access_count; i++)
        add_record(sm, flight, &flight->accesses[i], sectors, &count);
    return count;
}

/* The addresses of all lanes, ascending: their number. */
static uint32_t sorted_addresses(const struct gs_sm *sm, const struct gs_flight *flight,
                                 uint64_t addresses[WARP_LANES]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < flight->access_count; i++) {
        const struct access *access = &flight->accesses[i];
        for (uint32_t lanes = access->mask; lanes != 0 && count < WARP_LANES; lanes &= lanes - 1) {
            uint64_t address = lane_address(sm, flight, access, (uint32_t)__builtin_ctz(lanes));
            uint32_t place = count++;
            for (; place > 0 && addresses[place - 1] > address; place--)
                addresses[place] = addresses[place - 1];
            addresses[place] = address;
        }
    }
    return count;
}

uint32_t gs_atomic_accesses(const struct gs_sm *sm, const struct gs_flight *flight) {
    uint64_t addresses[WARP_LANES];
    uint32_t count = sorted_addresses(sm, flight, addresses);
    uint32_t accesses = 0;
    uint32_t same = 0; /* lanes so far at this address */
    uint32_t most = 0; /* at one address of this sector */
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || addresses[i] / SECTOR_BYTES != addresses[i - 1] / SECTOR_BYTES) most = 0;
        same = i > 0 && addresses[i] == addresses[i - 1] ? same + 1 : 1;
        if (same <= most) continue;
        most = same;
        accesses++;
    }
    return accesses;
}

bool gs_accesses_shared(const struct gs_flight *flight) {
    if (flight->access_count > 0) return flight->accesses[0].space == PTX_SPACE_SHARED;
    return flight->inst->space == PTX_SPACE_SHARED;
}

/* Acknowledgements of stores and replies to atomics. Stores are acknowledged long after the last instruction
 * that could notice: while no atomic waits for a reply, nobody looks at the single cycles. */

void gs_queue_push(struct gs_queue *queue, struct gs_due due, wb_status *status) {
    if (queue->count == queue->capacity) {
        size_t capacity = queue->capacity == 0 ? 64 : 2 * queue->capacity;
        struct gs_due *items = capacity > SIZE_MAX / sizeof *items ? NULL : malloc(capacity * sizeof *items);
        if (items == NULL) {
            *status = WB_ERR_LIMIT;
            return;
        }
        for (size_t i = 0; i < queue->count; i++)
            items[i] = queue->items[(queue->head + i) & (queue->capacity - 1)];
        free(queue->items);
        *queue = (struct gs_queue){.items = items, .count = queue->count, .capacity = capacity};
    }
    queue->items[(queue->head + queue->count++) & (queue->capacity - 1)] = due;
}

struct gs_due *gs_queue_front(const struct gs_queue *queue) {
    return queue->count == 0 ? NULL : &queue->items[queue->head];
}

void gs_queue_pop(struct gs_queue *queue) {
    queue->head = (queue->head + 1) & (queue->capacity - 1);
    queue->count--;
}

/* Takes one of the front's accesses. */
static void take_one(struct gs_queue *queue) {
    if (--gs_queue_front(queue)->count == 0) gs_queue_pop(queue);
}

uint32_t gs_replies_receive(struct gs_replies *replies, cycles now, bool take) {
    const struct gs_due *front = gs_queue_front(&replies->way);
    if (front == NULL || front->at >= now) return GS_NONE;
    uint32_t flight = front->flight;
    if (flight == GS_NONE)
        replies->last = now;
    else if (!take)
        return GS_NONE;
    else
        replies->atomics--;
    take_one(&replies->way);
    return flight;
}

void gs_replies_send(struct gs_replies *replies, cycles now, wb_status *status) {
    const struct gs_due *front = gs_queue_front(&replies->cache);
    if (front == NULL || front->at > now) return;
    take_one(&replies->cache);
    gs_queue_push(&replies->way, (struct gs_due){now, GS_NONE, 1}, status);
}

void gs_replies_advance(struct gs_replies *replies, cycles now, wb_status *status) {
    while (replies->done < now && *status == WB_OK) {
        if (replies->way.count > 0) {
            (void)gs_replies_receive(replies, replies->done, false);
            gs_replies_send(replies, replies->done, status);
            replies->done++;
            continue;
        }
        struct gs_due *front = gs_queue_front(&replies->cache);
        cycles start = front == NULL ? now : cycles_max(replies->done, front->at);
        if (start >= now) {
            replies->done = now;
            return;
        }
        /* One leaves the cache in each cycle from `start` on, and is acknowledged in the next. */
        uint32_t sent = (uint32_t)cycles_min(front->count, now - start);
        front->count -= sent - 1;
        take_one(&replies->cache);
        replies->done = replies->last = start + sent;
    }
}

void gs_replies_store(struct gs_replies *replies, cycles now, uint32_t count, uint32_t delay,
                      wb_status *status) {
    if (count == 0) return;
    /* The last cycle of the delay is that of the way back. */
    struct gs_queue *queue = delay > 1 ? &replies->cache : &replies->way;
    gs_queue_push(queue, (struct gs_due){now + delay - 1, GS_NONE, count}, status);
}

void gs_replies_atomic(struct gs_replies *replies, cycles now, uint32_t flight, wb_status *status) {
    gs_queue_push(&replies->way, (struct gs_due){now, flight, 1}, status);
    replies->atomics++;
}

void gs_replies_free(struct gs_replies *replies) {
    free(replies->cache.items);
    free(replies->way.items);
}

/* Instructions on their way from issue to completion. Their events reach the sink in order of issue. */

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
