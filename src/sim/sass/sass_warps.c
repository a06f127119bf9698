/* Warps: program order by stall counts, dependence counters, barriers. */
#include <assert.h>

#include "sim/sass/sass_simulate.h"

/* Behind their issue increments are seen from the second cycle on. */
#define SEEN_AFTER 2u

/* ---- Dependence counters ---- */

/* Mask: the counters that the warp sees not to be 0 in this cycle. */
static uint32_t seen_up(const struct sass_sm *sm, const struct sass_warp *warp) {
    uint32_t seen = warp->up;
    if (sm->now >= warp->visible_at) return seen;
    for (uint32_t fresh = warp->up_fresh; fresh != 0; fresh &= fresh - 1) {
        const uint32_t counter = (uint32_t)__builtin_ctz(fresh);
        if (warp->counts[counter] == warp->fresh[counter]) seen &= ~(1u << counter);
    }
    return seen;
}

/* What the warp sees of a counter in this cycle. */
static uint32_t seen(const struct sass_sm *sm, const struct sass_warp *warp, uint32_t counter) {
    const uint32_t fresh = sm->now < warp->visible_at ? warp->fresh[counter] : 0;
    return warp->counts[counter] - fresh;
}

/* Whether the counters allow the head in this cycle. */
static bool sass_counters_allow(const struct sass_sm *sm, const struct sass_warp *warp) {
    const struct sass_timed *timed = warp->head;
    if ((timed->waits & warp->up) != 0 && (timed->waits & seen_up(sm, warp)) != 0) return false;
    return timed->left_counter == SASS_NO_COUNTER || seen(sm, warp, timed->left_counter) <= timed->left;
}

/* Whether the head goes by counters of which an increment is not seen yet. */
static bool issues_before_visible(const struct sass_sm *sm, const struct sass_warp *warp) {
    const struct sass_timed *timed = warp->head;
    if (warp->up_fresh == 0 || sm->now >= warp->visible_at) return false;
    uint32_t asked = timed->waits;
    if (timed->left_counter != SASS_NO_COUNTER) asked |= 1u << timed->left_counter;
    return (asked & warp->up_fresh) != 0;
}

void sass_count_up(const struct sass_sm *sm, struct sass_warp *warp) {
    const uint8_t counters[] = {warp->head->read_counter, warp->head->write_counter};
    for (uint32_t fresh = warp->up_fresh; fresh != 0; fresh &= fresh - 1)
        warp->fresh[__builtin_ctz(fresh)] = 0;
    warp->up_fresh = 0;
    if (!sass_has_counters(warp->head)) return;
    warp->visible_at = sm->now + SEEN_AFTER;
    for (uint32_t i = 0; i < 2; i++) {
        if (counters[i] == SASS_NO_COUNTER) continue;
        warp->counts[counters[i]]++;
        warp->fresh[counters[i]]++;
        warp->up |= (uint8_t)(1u << counters[i]);
        warp->up_fresh |= (uint8_t)(1u << counters[i]);
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

cycles sass_count_back(struct sass_sm *sm, uint32_t index, uint64_t step, const struct sass_timed *timed,
                       cycles there) {
    const struct sim_policy *policy = sm->run->policy;
    const bool hurries = policy->hurries != NULL && policy->hurries(policy, index, step);
    const uint32_t write =
        hurries ? timed->write_least : sass_take(sm, timed->write_least, timed->write_most);
    const uint32_t read = hurries ? timed->read_least : sass_take(sm, timed->read_least, timed->read_most);
    count_at(sm, index, timed->read_counter, step, sm->now + read);
    count_at(sm, index, timed->write_counter, step, there + write);
    return cycles_max(there + write, sm->now + read);
}

void sass_count_down(struct sass_sm *sm, uint32_t id) {
    const uint32_t index = (id & ~(SASS_COUNT_DOWN | SASS_NEVER_SEEN)) / 8, counter = id % 8;
    struct sass_warp *warp = &sm->warps[index];
    assert(warp->counts[counter] > 0);
    if (--warp->counts[counter] == 0) warp->up &= (uint8_t) ~(1u << counter);
    if ((id & SASS_NEVER_SEEN) != 0 && --warp->fresh[counter] == 0)
        warp->up_fresh &= (uint8_t) ~(1u << counter);
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
        wheel_add(&sm->wakes, warp->earliest, index);
    } else if (sass_counters_allow(sm, warp)) {
        warp->before_visible = issues_before_visible(sm, warp);
        warp_set_add(warp->core->allowed, index);
        warp->core->allowed_count++;
        sm->waiting |= 1u << warp->sub_core;
    } else {
        warp->held = true;
    }
}

void sass_put_off(struct sass_sm *sm, uint32_t index, cycles at) {
    sass_disallow(sm, index);
    sm->warps[index].earliest = at;
    sass_await(sm, index);
}

/* The entry of the code that the warp executes next, `instruction` as its path has it: of a single block the
 * entry itself. */
static uint32_t entry_of(struct sass_warp *warp, uint32_t instruction) {
    const struct traffic_pattern *pattern = warp->pattern;
    const uint32_t access = warp->access;
    if (access == pattern->access_count || pattern->accesses[access].step != warp->step) return instruction;
    while (warp->access < pattern->access_count && pattern->accesses[warp->access].step == warp->step)
        warp->access++;
    return pattern->entries == NULL ? instruction : pattern->entries[access];
}

/* The warp's next instruction, which is asked for in this cycle; false at the end of its path. */
static bool read_head(struct sass_sm *sm, struct sass_warp *warp) {
    struct path_step step;
    warp->head = NULL;
    if (!path_next(&warp->cursor, &step)) return false;
    const uint32_t entry = warp->pattern == NULL ? step.instruction : entry_of(warp, step.instruction);
    warp->entry = sm->program->block != NULL ? step.instruction : entry;
    warp->head = &sm->code->sass[warp->entry];
    warp->unit = warp->head->stage_count == 0 ? NULL : sass_unit_of(sm, warp, warp->head->stages[0].unit);
    warp->probed = warp->unit_full = false;
    warp->probe = 0;
    warp->allowed = warp->opened = 0;
    warp->fetched = sm->now + sass_take(sm, 0, warp->head->fetch);
    /* A line that the instruction before had is there, unless all miss each time. */
    if (warp->head->line != warp->line || sm->lines.l0 == NULL)
        warp->fetched = cycles_max(warp->fetched, sass_line_fetched(sm, warp->sub_core, warp->head->line));
    warp->line = warp->head->line;
    warp->earliest = cycles_max(warp->paced, warp->fetched);
    sm->places[warp - sm->warps] = (struct policy_warp){
        warp->step, warp->head->stage_count == 0 ? UNIT_NONE : warp->head->stages[0].unit};
    return true;
}

static void end_warp(struct sass_sm *sm, uint32_t index) {
    warp_set_remove(sm->running, index);
    sass_slot_of(sm, index)->live--;
}

/* Opens the block's barrier while all its warps that have not ended are held by it, and notes when it has
 * ended. */
static void settle(struct sass_sm *sm, struct sm_slot *slot) {
    const uint32_t first = (uint32_t)(slot - sm->host.slots) * sm->program->warp_count;
    while (slot->arrived > 0 && slot->arrived == slot->live) {
        const cycles open = sm->now + 1 + sass_take(sm, 0, sm->machine->barrier_release);
        slot->arrived = 0;
        for (uint32_t w = first; w < first + sm->program->warp_count; w++) {
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
    sm_host_settle(&sm->host, slot);
}

void sass_advance(struct sass_sm *sm, uint32_t index) {
    struct sass_warp *warp = &sm->warps[index];
    struct sm_slot *slot = sass_slot_of(sm, index);
    const struct sass_timed *issued = warp->head;
    warp->step++;
    warp->paced = sm->now + sass_take(sm, issued->stall_least, issued->stall);
    warp->from = warp->released = sm->now + 1;
    const bool more = read_head(sm, warp);
    if (issued->barrier) {
        warp->at_barrier = true;
        warp_set_remove(sm->running, index);
        slot->arrived++;
    } else if (more) {
        sass_await(sm, index);
    } else {
        end_warp(sm, index);
    }
    if (slot->arrived == slot->live) settle(sm, slot);
}

/* Puts a warp at the start of its path. */
static void rewind_warp(const struct sass_sm *sm, struct sass_warp *warp, uint32_t block, uint32_t index) {
    const struct sass_sm_program *program = sm->program;
    const bool alone = program->block != NULL;
    warp->cursor = path_begin(alone ? &program->block->paths[program->block->warp_path[index]]
                                    : grid_path_of(program->traffic->grid, block, index));
    if (alone) block = program->block->traffic_block;
    warp->pattern = program->traffic == NULL ? NULL : traffic_pattern_of(program->traffic, block, index);
    warp->access = 0;
    warp->step = 0;
    warp->line = UINT32_MAX;
    warp->visible_at = 0;
    warp->from = warp->released = warp->paced = sm->now;
    for (uint32_t c = 0; c < SASS_COUNTERS; c++) {
        assert(warp->counts[c] == 0);
        warp->counted_at[c] = warp->counted_by[c] = 0;
    }
}

void sass_begin(struct sass_sm *sm, struct sm_slot *slot) {
    const uint32_t first = (uint32_t)(slot - sm->host.slots) * sm->program->warp_count;
    slot->live = sm->program->warp_count;
    sass_registers_forget(sm, first, sm->program->warp_count);
    for (uint32_t w = first; w < first + sm->program->warp_count; w++) {
        struct sass_warp *warp = &sm->warps[w];
        rewind_warp(sm, warp, slot->block, w - first);
        warp_set_add(sm->running, w);
        if (read_head(sm, warp))
            sass_await(sm, w);
        else
            end_warp(sm, w);
    }
    sm_host_settle(&sm->host, slot);
}
