#include "memory/order_replay.h"

wb_status order_replay_begin(const struct traffic *traffic, const struct sm_share *share,
                             struct order_replay *replay) {
    WB_TRY(access_order_begin(traffic, share, &replay->order));
    return cache_init(&replay->cache, &traffic->machine->memory.l1, &replay->order.arena);
}

/* The requests of the access at hand meet the cache, first lane first. */
static void meet_cache(struct order_replay *replay) {
    const struct traffic_access *access = replay->at.access;
    enum store_policy policy = (enum store_policy)replay->order.traffic->machine->memory.l1_store;
    if (access->kind == TRAFFIC_ATOMIC) policy = STORE_EVICTS;
    for (uint32_t r = 0; r < access->request_count; r++) {
        if (access->kind != TRAFFIC_LOAD) {
            (void)cache_store(&replay->cache, replay->addresses[r], policy);
            replay->outcomes[r] = REQUEST_PASSES;
        } else {
            bool hit = cache_load(&replay->cache, replay->addresses[r]).hit;
            replay->outcomes[r] = hit ? REQUEST_HITS : REQUEST_MISSES;
        }
    }
}

bool order_replay_next(struct order_replay *replay) {
    if (!access_order_next(&replay->order, &replay->at)) return false;
    const struct ordered_access *at = &replay->at;
    const uint64_t *offsets = at->pattern->offsets + at->access->first_request;
    uint64_t base = traffic_base(replay->order.traffic, at->block, at->warp, at->access->group);
    for (uint32_t r = 0; r < at->access->request_count; r++)
        replay->addresses[r] = base + offsets[r];
    meet_cache(replay);
    return true;
}

void order_replay_end(struct order_replay *replay) {
    access_order_end(&replay->order);
}

wb_status order_resident_blocks(const struct traffic *traffic, wb_diagnostics *diagnostics,
                                uint32_t *resident) {
    const struct wb_machine *machine = traffic->machine;
    const struct block_demand demand = grid_block_demand(traffic->grid);
    struct resident_range range;
    if (!memory_has_hierarchy(&machine->memory)) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "the machine has no first-level cache (l1_size)");
        return WB_ERR_INPUT;
    }
    WB_TRY(machine_resident_range(machine, &demand, true, diagnostics, &range));
    *resident = range.most;
    return WB_OK;
}
