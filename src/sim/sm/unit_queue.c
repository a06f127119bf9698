#include "sim/sm/sm.h"

wb_status unit_queue_init(struct unit_queue *queue, uint32_t count, uint32_t depth, struct arena *arena) {
    *queue = (struct unit_queue){.count = count, .depth = depth};
    queue->free_at = arena_array(arena, count, sizeof *queue->free_at);
    if (queue->free_at == NULL) return WB_ERR_LIMIT;
    if (depth == 0 || depth == DEPTH_UNLIMITED) return WB_OK;
    queue->starts = arena_array(arena, depth, sizeof *queue->starts);
    return queue->starts == NULL ? WB_ERR_LIMIT : WB_OK;
}
