/* Registers of lanes kept aside while the lanes run another side of a branch. */
#include "warp/cover/cover.h"
#include "warp/interpret/home.h"

/* Copies lanes of a register, of which `others` are there besides. A predicate register has them all in one
 * value. */
static void copy_lanes(struct lanes *to, const struct lanes *from, uint32_t mask, uint32_t others,
                       bool is_predicate) {
    if (mask == LANES_ALL) {
        *to = *from;
        return;
    }
    if (is_predicate)
        to->value[0] = (to->value[0] & ~(uint64_t)mask) | (from->value[0] & mask);
    else
        lanes_blend(to->value, from->value, mask);
    to->home = home_joined(to->home, from->home);
    const bool some_unknown = (others & ~mask & ~to->known) != 0 && to->unknown_home != HOME_NO_LANES;
    to->known = (to->known & ~mask) | (from->known & mask);
    if ((mask & ~from->known) == 0) return;
    to->origin = from->origin;
    if (some_unknown && to->unknown_home != from->unknown_home)
        to->unknown_home = HOME_NONE;
    else
        to->unknown_home = from->unknown_home;
}

void lane_state_add(const struct warp *warp, struct lane_state *state, uint32_t mask) {
    const struct cover_function *function = cover_function_of(warp);
    uint32_t count;
    const uint32_t *live = cover_live(function, state->block, &count);
    for (uint32_t i = 0; i < count; i++)
        copy_lanes(&state->registers[i], &warp->frame->registers[live[i]], mask, state->mask,
                   function->is_predicate[live[i]]);
    state->mask |= mask;
}

struct lane_state *lane_state_save(const struct warp *warp, uint32_t block, uint32_t mask) {
    uint32_t registers;
    (void)cover_live(cover_function_of(warp), block, &registers);
    size_t size = sizeof(struct lane_state) + registers * sizeof(struct lanes);
    size = (size + alignof(struct lane_state) - 1) / alignof(struct lane_state) * alignof(struct lane_state);
    struct lane_state *state = aligned_alloc(alignof(struct lane_state), size);
    if (state == NULL) return NULL;
    memset(state, 0, size);
    state->block = block;
    lane_state_add(warp, state, mask);
    return state;
}

void lane_state_load(const struct warp *warp, const struct lane_state *state) {
    const struct cover_function *function = cover_function_of(warp);
    uint32_t count;
    const uint32_t *live = cover_live(function, state->block, &count);
    for (uint32_t i = 0; i < count; i++)
        copy_lanes(&warp->frame->registers[live[i]], &state->registers[i], state->mask, warp->live,
                   function->is_predicate[live[i]]);
}

/* The lanes in which two registers have equal values. */
static uint32_t equal_lanes(const struct lanes *a, const struct lanes *b, bool is_predicate) {
    if (is_predicate) return ~(uint32_t)(a->value[0] ^ b->value[0]);
    uint32_t equal = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        equal |= (uint32_t)(a->value[l] == b->value[l]) << l;
    return equal;
}

/* The region that all unknown lanes of a register are made from when those of `lanes` are unknown from now
 * on: on both sides. */
static uint64_t joined_unknown_home(const struct warp *warp, const struct lanes *old,
                                    const struct lanes *arriving, uint32_t lanes, uint32_t all) {
    uint64_t home = HOME_NO_LANES;
    if (lanes == 0) return old->unknown_home;
    home_of_lanes(warp->run, old, lanes | (all & ~old->known), &home);
    home_of_lanes(warp->run, arriving, lanes, &home);
    return home;
}

bool lane_state_join(const struct warp *warp, struct lane_state *state, uint32_t mask, uint32_t origin) {
    const struct cover_function *function = cover_function_of(warp);
    uint32_t count;
    const uint32_t *live = cover_live(function, state->block, &count);
    bool changed = false;
    for (uint32_t i = 0; i < count; i++) {
        struct lanes *old = &state->registers[i];
        const struct lanes *arriving = &warp->frame->registers[live[i]];
        uint32_t both = old->known & arriving->known & mask;
        uint64_t home = home_joined(old->home, arriving->home);
        changed |= home != old->home;
        old->home = home;
        if (both != 0) both &= equal_lanes(old, arriving, function->is_predicate[live[i]]);
        const uint64_t unknown_home = joined_unknown_home(warp, old, arriving, mask & ~both, state->mask);
        uint32_t lost = old->known & mask & ~both;
        changed |= (mask & ~both) != 0 && old->unknown_home != unknown_home;
        if (lost != 0) lanes_forget(old, lost, (lost & ~arriving->known) != 0 ? arriving->origin : origin);
        if ((mask & ~both) != 0) old->unknown_home = unknown_home;
        changed |= lost != 0;
    }
    return changed;
}
