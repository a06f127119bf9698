#include "warp/interpret/home.h"

uint32_t settle_open(struct warp *warp, uint32_t known, uint32_t open) {
    if (open == 0 || open_is_assumed(warp->run, LAUNCH_ASSUME_POINTER_ORDER)) return known;
    warp->run->left_open |= 1u << LAUNCH_ASSUME_POINTER_ORDER;
    return known & ~open;
}

uint32_t settle_known(const struct micro *op, const struct inputs *in, uint32_t mask, uint32_t *origin) {
    uint32_t known = in->known;
    if (op->refine != NULL) {
        uint32_t each[MICRO_SOURCES];
        for (uint32_t i = 0; i < MICRO_SOURCES; i++)
            each[i] = in->lanes[i]->known;
        known |= op->refine(op, in->values, each);
    }
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        if ((mask & ~known & ~in->lanes[i]->known) == 0) continue;
        *origin = warp_origin(in->lanes[i], op);
        break;
    }
    return known;
}

uint64_t settle_joined_home(const struct warp *warp, const struct lanes *out, uint32_t mask, uint64_t home) {
    const bool others =
        (warp->live & ~mask & ~out->known & ~out->halved) != 0 && out->unknown_home != HOME_NO_LANES;
    return others && out->unknown_home != home ? HOME_NONE : home;
}

uint64_t settle_unknown_home(const struct warp *warp, const struct micro *op, const struct lanes *out,
                             uint32_t mask, uint32_t lanes) {
    return settle_joined_home(warp, out, mask, home_of_unknown(warp, op, lanes));
}
