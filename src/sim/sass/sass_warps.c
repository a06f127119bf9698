/* Warps: program order by stall counts, dependence counters, barriers. */
#include <assert.h>

#include "sim/sass/sass_sm.h"

/* Behind their issue increments are seen from the second cycle on. */
#define SEEN_AFTER 2u

/* ---- Dependence counters --------------------------------------------------------------------------------
 */

/* What the warp sees of a counter in this cycle. */
static uint32_t seen(const struct sass_sm *sm, const struct sass_warp *warp, uint32_t counter) {
    const uint32_t fresh = sm->now < warp->visible_at ? warp->fresh[counter] : 0;
    return warp->counts[counter] - fresh;
}

bool sass_counters_allow(const struct sass_sm *sm, const struct sass_warp *warp) {
    const struct sass_timed *timed = warp->head;
    for (uint32_t waits = timed->waits; waits != 0; waits &= waits - 1)
        if (seen(sm, warp, (uint32_t)__builtin_ctz(waits)) > 0) return false;
    return timed->left_counter == SASS_NO_COUNTER || seen(sm, warp, timed->left_counter) <= timed->left;
}

/* Whether the head goes by counters of which an increment is not seen yet. */
static bool is_hasty(const struct sass_sm *sm, const struct sass_warp *warp) {
    const struct sass_timed *timed = warp->head;
    if (sm->now >= warp->visible_at) return false;
    uint32_t asked = timed->waits;
    if (timed->left_counter != SASS_NO_COUNTER) asked |= 1u << timed->left_counter;
    for (; asked != 0; asked &= asked - 1)
        if (warp->fresh[__builtin_ctz(asked)] > 0) return true;
    return false;
}

void sass_count_up(const struct sass_sm *sm, struct sass_warp *warp) {
    const uint8_t counters[] = {warp->head->read_counter, warp->head->write_counter};
    warp->visible_at = sm->now + SEEN_AFTER;
    for (uint32_t c = 0; c < SASS_COUNTERS; c++)
        warp->fresh[c] = 0;
    for (uint32_t i = 0; i < 2; i++) {
        if (counters[i] == SASS_NO_COUNTER) continue;
        warp->counts[counters[i]]++;
        warp->fresh[counters[i]]++;
    }
}

static void count_at(struct sass_sm *sm, uint32_t index, uint8_t counter, uint64_t step, cycles at) {
    struct sass_warp *warp = &sm->warps[index];
    uint32_t id = SASS_COUNT_DOWN | index * 8 | counter;
    _Static_assert(SASS_COUNTERS <= 8, "a counter is three bits of an id");
    if (counter == SASS_NO_COUNTER) return;
    /* Back before it was seen. */
    if (at < warp->visible_at && step + 1 >= warp->step) id |= SASS_NEVER_SEEN;
    if (at >= warp->counted_at[counter]) {
        warp->counted_at[counter] = at;
        warp->counted_by[counter] = step;
    }
    if (at == sm->now)
        sass_count_down(sm, id);
    else
        sass_event(sm, at, id);
}

cycles sass_count_back(struct sass_sm *sm, uint32_t index, uint64_t step, const struct sass_timed *timed) {
    const struct sim_policy *policy = sm->run->policy;
    const bool hurries = policy->hurries != NULL && policy->hurries(policy, index, step);
    const uint32_t write =
        hurries ? timed->write_least : sass_take(sm, timed->write_least, timed->write_most);
    const uint32_t read = hurries ? timed->read_least : sass_take(sm, timed->read_least, timed->read_most);
    count_at(sm, index, timed->read_counter, step, sm->now + read);
    count_at(sm, index, timed->write_counter, step, sm->now + write);
    return sm->now + u32_max(write, read);
}

void sass_count_down(struct sass_sm *sm, uint32_t id) {
    const uint32_t index = (id & ~(SASS_COUNT_DOWN | SASS_NEVER_SEEN)) / 8, counter = id % 8;
    struct sass_warp *warp = &sm->warps[index];
    assert(warp->counts[counter] > 0);
    warp->counts[counter]--;
    if ((id & SASS_NEVER_SEEN) != 0) warp->fresh[counter]--;
    if (!warp->held) return;
    warp->held = false;
    sass_await(sm, index);
    if (!warp->held) warp->allowed = sm->now;
}

/* ---- Program order ------------------------------------------------------------------------------------- */

void sass_await(struct sass_sm *sm, uint32_t index) {
    struct sass_warp *warp = &sm->warps[index];
    assert(!warp->asleep && !warp->held && warp->head != NULL && !warp->at_barrier);
    if (sm->now < warp->earliest) {
        warp->asleep = true;
        heap_push(&sm->wakes, warp->earliest, index, index);
    } else if (sass_counters_allow(sm, warp)) {
        warp->hasty = is_hasty(sm, warp);
        warp_set_add(sm->allowed, index);
    } else {
        warp->held = true;
    }
}

void sass_put_off(struct sass_sm *sm, uint32_t index, cycles at) {
    warp_set_remove(sm->allowed, index);
    sm->warps[index].earliest = at;
    sass_await(sm, index);
}

/* The warp's next instruction, which is asked for in this cycle; false at the end of its path. */
static bool read_head(struct sass_sm *sm, struct sass_warp *warp) {
    struct path_step step;
    warp->head = NULL;
    if (!path_next(&warp->cursor, &step)) return false;
    warp->entry = step.instruction;
    warp->head = &sm->block->code.sass[step.instruction];
    warp->probed = warp->shut = false;
    warp->probe = 0;
    warp->allowed = warp->opened = 0;
    warp->fetched = sm->now + sass_take(sm, 0, warp->head->fetch);
    warp->fetched = cycles_max(warp->fetched, sass_line_fetched(sm, warp->sub_core, warp->head->line));
    warp->earliest = cycles_max(warp->paced, warp->fetched);
    sm->places[warp - sm->warps] = (struct policy_warp){
        warp->step, warp->head->stage_count == 0 ? UNIT_NONE : warp->head->stages[0].unit};
    return true;
}

static void end_warp(struct sass_sm *sm, uint32_t index) {
    warp_set_remove(sm->running, index);
    sm->live--;
}

/* Opens the barrier while all warps that have not ended are held by it. */
static void release(struct sass_sm *sm) {
    while (sm->arrived > 0 && sm->arrived == sm->live) {
        const cycles open = sm->now + 1 + sass_take(sm, 0, sm->machine->barrier_release);
        sm->arrived = 0;
        for (uint32_t w = 0; w < sm->warp_count; w++) {
            struct sass_warp *warp = &sm->warps[w];
            if (!warp->at_barrier) continue;
            warp->at_barrier = false;
            if (warp->head == NULL) {
                end_warp(sm, w);
                continue;
            }
            warp->released = open;
            warp->earliest = cycles_max(warp->earliest, open);
            warp_set_add(sm->running, w);
            sass_await(sm, w);
        }
    }
}

void sass_advance(struct sass_sm *sm, uint32_t index) {
    struct sass_warp *warp = &sm->warps[index];
    const struct sass_timed *issued = warp->head;
    warp->step++;
    warp->paced = sm->now + sass_take(sm, issued->stall_least, issued->stall);
    warp->from = warp->released = sm->now + 1;
    const bool more = read_head(sm, warp);
    if (issued->barrier) {
        warp->at_barrier = true;
        warp_set_remove(sm->running, index);
        sm->arrived++;
    } else if (more) {
        sass_await(sm, index);
    } else {
        end_warp(sm, index);
    }
    release(sm);
}

void sass_begin(struct sass_sm *sm) {
    sm->live = sm->warp_count;
    for (uint32_t w = 0; w < sm->warp_count; w++) {
        struct sass_warp *warp = &sm->warps[w];
        warp->cursor = path_begin(&sm->block->paths[sm->block->warp_path[w]]);
        warp_set_add(sm->running, w);
        if (read_head(sm, warp))
            sass_await(sm, w);
        else
            end_warp(sm, w);
    }
}
