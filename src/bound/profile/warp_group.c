#include "bound/profile/warp_group.h"

wb_status warp_groups_find(const struct timed_block *block, struct arena *arena, warp_group_list *groups,
                           uint64_t *path_warps) {
    const uint32_t sub_cores = block->machine->sub_cores;
    uint32_t *number_of = /* + 1 */
        arena_array(arena, (size_t)block->path_count * sub_cores + 1, sizeof *number_of);
    if (number_of == NULL) return WB_ERR_LIMIT;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct warp_group group = {block->warp_path[w], w % sub_cores, 0};
        uint32_t *number = &number_of[(size_t)group.path * sub_cores + group.sub_core];
        if (*number == 0) {
            WB_TRY(vec_push(groups, group));
            *number = (uint32_t)groups->count;
        }
        groups->items[*number - 1].warps++;
        path_warps[group.path]++;
    }
    return WB_OK;
}
