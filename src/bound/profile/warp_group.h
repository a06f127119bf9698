/* A group of warps that the bounds cannot tell apart: same path, same sub-core. */
#ifndef WB_BOUND_PROFILE_WARP_GROUP_H
#define WB_BOUND_PROFILE_WARP_GROUP_H

#include <stdint.h>

struct warp_group {
    uint32_t path;
    uint32_t sub_core;
    uint32_t warps;
};

#endif
