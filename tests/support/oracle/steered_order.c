#include "steered_order.h"

#include "memory/caches/caches.h"

/* What is said of a request of an access: of one that is not its own, REQUEST_OUTCOMES. */
static uint8_t said_of(const struct order_replay *replay, uint64_t address) {
    const struct traffic_access *access = replay->at.access;
    if (access->is_unknown) return replay->met.outcomes[0];
    for (uint32_t r = 0; r < access->request_count; r++)
        if (replay->met.addresses[r] == address) return replay->met.outcomes[r];
    return REQUEST_OUTCOMES;
}

/* One turn against what is said of it. */
static bool turn_holds(const struct order_replay *replay, const struct sm_access *turn,
                       struct order_census *census) {
    const uint8_t said = said_of(replay, turn->address);
    census->hits += said == REQUEST_HITS;
    census->misses += said == REQUEST_MISSES;
    census->unsure += said == REQUEST_UNSURE;
    if (said == REQUEST_OUTCOMES) return false;
    if (said == REQUEST_PASSES) return turn->kind != TRAFFIC_LOAD;
    if (said == REQUEST_HITS) return turn->outcome != L1_MISS;
    return said != REQUEST_MISSES || turn->outcome == L1_MISS;
}

/* The turns of the access that the replay has come to: at least one, at most as many as it has. */
static bool access_holds(const struct order_replay *replay, const struct gpu_sm_record *sm, size_t *at,
                         struct order_census *census) {
    const size_t first = *at;
    census->accesses++;
    for (; *at < sm->turns.count; ++*at) {
        const struct sm_access *turn = &sm->turns.items[*at];
        const bool same = turn->block == replay->at.block && turn->warp == replay->at.warp &&
                          turn->instruction == replay->at.access->instruction &&
                          turn->step == sm->turns.items[first].step;
        if (!same) break;
        if (!turn_holds(replay, turn, census)) return false;
    }
    return *at > first && *at - first <= replay->at.access->request_count;
}

static bool sm_holds(const struct timed_grid *timed, const struct sm_share *share,
                     const struct gpu_sm_record *sm, struct order_census *census) {
    struct order_replay replay;
    size_t at = 0;
    bool holds = order_replay_begin(&timed->traffic, share, &replay) == WB_OK;
    while (holds && order_replay_next(&replay))
        holds = access_holds(&replay, sm, &at, census);
    holds = holds && replay.status == WB_OK && at == sm->turns.count;
    order_replay_end(&replay);
    return holds;
}

bool steered_order_holds(const struct timed_grid *timed, uint32_t resident, const struct gpu_record *run,
                         struct order_census *census) {
    for (uint32_t s = 0; s < run->sm_count; s++) {
        const struct sm_share share = {s, timed->machine->memory.sms, resident};
        if (!sm_holds(timed, &share, &run->sms[s], census)) return false;
    }
    return true;
}
