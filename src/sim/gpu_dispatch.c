#include "sim/gpu_windows.h"

/* Of several rooms that become free in one cycle the lowest slot comes first, then the lowest SM. */
#define SLOT_SHIFT 32

static void offer(struct gpu *gpu, uint32_t sm, struct sm_room room) {
    event_queue_push(&gpu->rooms, room.at, (uint64_t)room.slot << SLOT_SHIFT | sm, sm);
}

/* Takes over the rooms that an SM has reported. */
static void offer_rooms(struct gpu *gpu, uint32_t number) {
    struct sm *sm = &gpu->sms[number].sm;
    for (uint32_t r = 0; r < sm->room_count; r++)
        offer(gpu, number, sm->rooms[r]);
    sm->room_count = 0;
}

void gpu_dispatch_first(struct gpu *gpu) {
    for (uint32_t s = 0; s < gpu->sm_count; s++) {
        struct sm *sm = &gpu->sms[s].sm;
        for (uint32_t slot = 0; slot < gpu->slots; slot++) {
            if (gpu->greedy) {
                offer(gpu, s, (struct sm_room){0, slot});
            } else if (sm->feed.next < sm->feed.end) {
                sm_place(sm, slot, (uint32_t)sm->feed.next, 0);
                sm->feed.next += sm->feed.stride;
            }
        }
    }
    for (; gpu->rooms.count > 0 && gpu->next_block < gpu->block_count; gpu->next_block++) {
        struct event room = event_queue_pop(&gpu->rooms);
        sm_place(&gpu->sms[room.id].sm, (uint32_t)(room.rank >> SLOT_SHIFT), gpu->next_block, 0);
    }
}

void gpu_dispatch(struct gpu *gpu, cycles now) {
    for (uint32_t s = 0; s < gpu->sm_count; s++) {
        sm_catch_up(&gpu->sms[s].sm, now);
        offer_rooms(gpu, s);
    }
    while (gpu->rooms.count > 0 && gpu->next_block < gpu->block_count) {
        struct event room = event_queue_pop(&gpu->rooms);
        struct sm *sm = &gpu->sms[room.id].sm;
        sm_place(sm, (uint32_t)(room.rank >> SLOT_SHIFT), gpu->next_block++,
                 room.at + gpu->memory->dispatch_latency);
        /* A block that does nothing has ended by now, too. */
        sm_catch_up(sm, now);
        offer_rooms(gpu, room.id);
    }
}
