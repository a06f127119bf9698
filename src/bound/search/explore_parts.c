#include "bound/search/explore_parts.h"

void explore_warp_advance(struct explore_warp *warp, const struct explore_inst *inst, uint32_t result) {
    uint32_t kept = 0;
    for (uint32_t keeps = inst->keeps; keeps != 0; keeps &= keeps - 1)
        warp->live[kept++] = warp->live[__builtin_ctz(keeps)];
    if (inst->is_live) warp->live[kept++] = result;
    warp->live_count = kept;
    warp->position++;
}

/* Keeps the instances in falling order when the last, the one that is free first, is taken until `end`. */
static void take_instance(struct explore_unit *unit, uint32_t instances, uint32_t end) {
    uint32_t i = instances - 1;
    for (; i > 0 && unit->busy[i - 1] < end; i--)
        unit->busy[i] = unit->busy[i - 1];
    unit->busy[i] = end;
}

uint32_t explore_unit_take(struct explore_unit *unit, const struct explore_inst *inst, uint32_t instances,
                           uint32_t depth) {
    uint32_t start = unit->busy[instances - 1];
    take_instance(unit, instances, start + inst->init);
    if (start > 0 && explore_depth_is_finite(depth)) unit->waiting[unit->waiting_count++] = start;
    return start + inst->init + inst->latency;
}

static uint32_t earlier(uint32_t time, uint32_t passed) {
    return time > passed ? time - passed : 0;
}

void explore_warp_pass(struct explore_warp *warp, uint32_t passed) {
    for (uint32_t l = 0; l < warp->live_count; l++)
        warp->live[l] = earlier(warp->live[l], passed);
}

void explore_unit_pass(struct explore_unit *unit, uint32_t instances, uint32_t passed) {
    for (uint32_t i = 0; i < instances; i++)
        unit->busy[i] = earlier(unit->busy[i], passed);
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < unit->waiting_count; i++)
        if (unit->waiting[i] > passed) unit->waiting[waiting++] = unit->waiting[i] - passed;
    unit->waiting_count = waiting;
}

int explore_warp_order(const struct explore_warp *a, const struct explore_warp *b) {
    if (a->path != b->path) return a->path < b->path ? -1 : 1;
    if (a->position != b->position) return a->position < b->position ? -1 : 1;
    for (uint32_t l = 0; l < a->live_count; l++)
        if (a->live[l] != b->live[l]) return a->live[l] < b->live[l] ? -1 : 1;
    return 0;
}

void explore_warps_sort(struct explore_warp *warps, uint32_t count) {
    for (uint32_t w = 1; w < count; w++) {
        for (uint32_t i = w; i > 0 && explore_warp_order(&warps[i], &warps[i - 1]) < 0; i--) {
            struct explore_warp moved = warps[i];
            warps[i] = warps[i - 1];
            warps[i - 1] = moved;
        }
    }
}

uint8_t *explore_put_number(uint8_t *at, uint32_t number) {
    for (; number >= 128; number >>= 7)
        *at++ = (uint8_t)(number | 128);
    *at++ = (uint8_t)number;
    return at;
}

uint8_t *explore_put_warp(uint8_t *at, const struct explore_warp *warp) {
    at = explore_put_number(at, warp->position);
    for (uint32_t l = 0; l < warp->live_count; l++)
        at = explore_put_number(at, warp->live[l]);
    return at;
}

uint8_t *explore_put_unit(uint8_t *at, const struct explore_unit *unit, uint32_t instances, uint32_t depth) {
    for (uint32_t i = 0; i < instances; i++)
        at = explore_put_number(at, unit->busy[i]);
    if (!explore_depth_is_finite(depth)) return at;
    at = explore_put_number(at, unit->waiting_count);
    for (uint32_t i = 0; i < unit->waiting_count; i++)
        at = explore_put_number(at, unit->waiting[i]);
    return at;
}
