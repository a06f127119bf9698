#include <string.h>

#include "sim/sm.h"

/* Puts a warp of the slot's block at the start of its path. */
static void sm_rewind(struct sm *sm, struct sm_warp *warp, uint32_t block, uint32_t index) {
    const struct sm_program *program = sm->program;
    const struct path *path;
    warp->step = 0;
    warp->buffer_from = warp->buffer_end = 0;
    warp->pattern = NULL;
    warp->access = warp->access_end = NULL;
    if (program->block != NULL) {
        path = &program->block->paths[program->block->warp_path[index]];
    } else {
        const struct wb_grid *grid = program->traffic->grid;
        path = &grid->paths.items[grid->shapes.items[grid->blocks.items[block].shape].warps[index].path];
        warp->pattern = traffic_pattern_of(program->traffic, block, index);
        warp->access = warp->pattern->accesses;
        warp->access_end = warp->access + warp->pattern->access_count;
    }
    warp->cursor = path_begin(path);
    memset(warp->ready, 0, program->code->register_count * sizeof *warp->ready);
    for (uint32_t q = 0; q < QUEUE_COUNT; q++)
        memset(warp->joined[q], 0, program->code->queues[q].count * sizeof *warp->joined[q]);
    memset(warp->commits, 0, sizeof warp->commits);
}

void sm_place(struct sm *sm, uint32_t index, uint32_t block, cycles at) {
    struct sm_slot *slot = &sm->slots[index];
    *slot = (struct sm_slot){.block = block, .event_at = at};
    sm->slot_event = cycles_min(sm->slot_event, at);
    for (uint32_t w = 0; w < sm->program->warp_count; w++)
        sm_rewind(sm, &sm->warps[index * sm->program->warp_count + w], block, w);
    uint32_t age = 0;
    while (sm->oldest_first[age] != index)
        age++;
    for (; age + 1 < sm->slot_count; age++)
        sm->oldest_first[age] = sm->oldest_first[age + 1];
    sm->oldest_first[age] = index;
}

/* The slot's block can issue from now on. */
static void sm_start_block(struct sm *sm, struct sm_slot *slot) {
    slot->started = true;
    slot->release = slot->commit = slot->event_at;
    slot->event_at = CYCLES_SATURATED;
    if (sm->block_times != NULL) sm->block_times[slot->block].start = slot->commit;
    sm_begin_warps(sm, slot);
}

/* The slot is free, and gets the next block of the feed. */
static void sm_end_block(struct sm *sm, struct sm_slot *slot) {
    cycles end = slot->event_at;
    uint32_t index = (uint32_t)(slot - sm->slots);
    if (sm->block_times != NULL) sm->block_times[slot->block].end = end;
    sm->last_commit = cycles_max(sm->last_commit, end);
    *slot = (struct sm_slot){.block = SM_NONE, .event_at = CYCLES_SATURATED};
    if (sm->feed.next < sm->feed.end) {
        sm_place(sm, index, (uint32_t)sm->feed.next, end + sm->program->machine->memory.dispatch_latency);
        sm->feed.next += sm->feed.stride;
    } else {
        sm->rooms[sm->room_count++] = (struct sm_room){end, index};
    }
}

/* Starts or ends the block that does so first, of several the one in the lowest slot. */
static void sm_handle_slot(struct sm *sm) {
    struct sm_slot *due = sm->slots;
    for (uint32_t s = 1; s < sm->slot_count; s++) {
        if (sm->slots[s].event_at < due->event_at) due = &sm->slots[s];
    }
    if (due->started) {
        sm_end_block(sm, due);
    } else {
        sm_start_block(sm, due);
    }
    sm->slot_event = CYCLES_SATURATED;
    for (uint32_t s = 0; s < sm->slot_count; s++)
        sm->slot_event = cycles_min(sm->slot_event, sm->slots[s].event_at);
}

void sm_catch_up(struct sm *sm, cycles now) {
    for (;;) {
        cycles pass = heap_first(&sm->passes);
        if (cycles_min(pass, sm->slot_event) > now) return;
        sm->look_at = cycles_min(sm->look_at, now); /* it may have become another warp's turn */
        if (pass <= sm->slot_event) {
            sm_pass(sm, heap_pop(&sm->passes));
        } else {
            sm_handle_slot(sm);
        }
    }
}
