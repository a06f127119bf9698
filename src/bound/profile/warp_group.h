/* A group of warps that the bounds cannot tell apart: same path, same sub-core. */
#ifndef WB_BOUND_PROFILE_WARP_GROUP_H
#define WB_BOUND_PROFILE_WARP_GROUP_H

#include "base/base.h"
#include "warp/timed/timed.h"

struct warp_group {
    uint32_t path;
    uint32_t sub_core;
    uint32_t warps;
};

typedef VEC(struct warp_group) warp_group_list;

/* The warps of a block by path and sub-core, in order of the first warp of each group, into `groups`, which
 * is empty; and how many have each path, into path_warps, which are 0. WB_ERR_LIMIT when memory is exhausted.
 */
wb_status warp_groups_find(const struct timed_block *block, struct arena *arena, warp_group_list *groups,
                           uint64_t *path_warps);

#endif
