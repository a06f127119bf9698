/* What instructions do in the machine of level_machine.h. */
#include <stdlib.h>

#include "level_parts.h"

#define NEVER UINT32_MAX

/* ---- Choices and durations ------------------------------------------------------------------------------
 */

uint32_t level_choose(struct sim *sim, uint32_t limit) {
    return sim->tape->bytes[sim->position++ % LEVEL_TAPE] % limit;
}

uint32_t level_up_to(struct sim *sim, uint32_t least, uint32_t most) {
    if (most <= least || level_choose(sim, 256) < sim->tape->most) return most;
    return least + level_choose(sim, most - least + 1);
}

/* ---- Looking around -------------------------------------------------------------------------------------
 */

static uint32_t core_of(const struct sim *sim, uint32_t w) {
    return sm_of(sim, w) * sim->grid->sub_cores + w % sim->grid->warps % sim->grid->sub_cores;
}

bool *level_taken(struct sim *sim, uint32_t w, uint32_t k, uint32_t stage) {
    const uint8_t unit = timed_of(sim, w, k)->stages[stage].unit;
    return &sim->taken[unit][sim->grid->shared[unit] ? sm_of(sim, w) : core_of(sim, w)];
}

bool level_has_room(struct sim *sim, uint32_t w, uint32_t k, uint32_t stage) {
    const uint8_t queue = sim->grid->queue[timed_of(sim, w, k)->stages[stage].unit];
    const bool *unit = level_taken(sim, w, k, stage);
    uint32_t count = 0;
    for (uint32_t v = 0; v < sim->warps && queue != SASS_UNLIMITED; v++)
        for (uint32_t o = 0; o < sim->next[v]; o++) {
            const struct flight *flight = &sim->flights[v][o];
            if (flight->place != QUEUED || (flight->again && !sim->machine->rules.replay_in_queue)) continue;
            count += level_taken(sim, v, o, flight->stage) == unit;
        }
    return count < queue;
}

bool level_is_behind(const struct sim *sim, uint32_t w, uint32_t k, uint32_t stage) {
    const uint8_t unit = timed_of(sim, w, k)->stages[stage].unit;
    for (uint32_t o = 0; o < k && unit != LEVEL_L2; o++) {
        const struct sass_timed *timed = timed_of(sim, w, o);
        const struct flight *before = &sim->flights[w][o];
        if (timed->stage_count <= stage || timed->stages[stage].unit != unit || before->stage > stage)
            continue;
        if (before->stage < stage || before->place == OUTSIDE) return true;
        if (before->place == QUEUED && !before->again) return true;
        const enum level_order again = sim->machine->rules.again;
        if (before->again && before->place == QUEUED && again != LEVEL_ANY_AGAIN) return true;
        if (before->again && before->place == MISSES && again == LEVEL_FIRST_AGAIN) return true;
    }
    return false;
}

/* ---- Ways -----------------------------------------------------------------------------------------------
 */

static void end_way(struct sim *sim, uint32_t w, uint32_t k) {
    const struct sass_timed *timed = timed_of(sim, w, k);
    struct flight *flight = &sim->flights[w][k];
    flight->place = RETURNS;
    flight->stage = timed->stage_count;
    flight->to_write = level_up_to(sim, timed->write_least, timed->write_most);
    flight->to_read = level_up_to(sim, timed->read_least, timed->read_most);
}

static void add_store(struct sim *sim, uint32_t w, uint32_t k) {
    const bool waits = sim->machine->rules.store_waits;
    if (sim->store_count == LEVEL_STORES) abort();
    sim->stores[sim->store_count++] =
        (struct job){.errand = waits || sim->machine->rules.eager_stores ? WAITS : LATENT,
                     .warp = (uint8_t)w,
                     .inst = (uint8_t)k};
    sim->flights[w][k].stores += waits;
}

/* What an access has DRAM do when it has passed the second level. */
static void ask_dram(struct sim *sim, uint32_t w, uint32_t k) {
    const struct level_access *access = access_of(sim, w, k);
    for (uint32_t i = 0; i < access->count && sim->machine->service > 0; i++) {
        struct job *fetch = &sim->fetches[access->sectors[i]];
        if (access->kind != LEVEL_LOAD) add_store(sim, w, k);
        if (access->kind == LEVEL_STORE || fetch->errand == PRESENT) continue;
        sim->flights[w][k].sectors |= 1u << access->sectors[i];
        if (fetch->errand != ABSENT) continue;
        const uint32_t all = level_up_to(sim, 0, sim->machine->dram), where = level_choose(sim, 3);
        fetch->errand = COMES;
        fetch->left = where == 0 ? 0 : where == 1 ? all : level_choose(sim, all + 1);
        fetch->back = all - fetch->left;
    }
}

/* Cycles that a stage is held: by what merges with a fetch under way none. */
static uint32_t hold_of(struct sim *sim, uint32_t w, uint32_t k, uint32_t stage) {
    const struct level_access *access = access_of(sim, w, k);
    const struct sass_stage *stated = &timed_of(sim, w, k)->stages[stage];
    if (stated->unit != LEVEL_L2) return level_up_to(sim, 1, stated->init);
    uint32_t hold = 0;
    for (uint32_t i = 0; i < access->count; i++) {
        if ((sim->flights[w][k].merged >> access->sectors[i] & 1) != 0) continue;
        const enum errand errand = sim->fetches[access->sectors[i]].errand;
        const bool can_merge = access->kind != LEVEL_STORE && errand > ABSENT && errand < PRESENT;
        if (!can_merge || level_choose(sim, 2) == 0) hold += level_up_to(sim, 1, sim->machine->l2_sector);
    }
    return hold;
}

void level_start(struct sim *sim, uint32_t w, uint32_t k) {
    struct flight *flight = &sim->flights[w][k];
    if (flight->place == BLOCKS) *level_taken(sim, w, k, flight->stage) = false;
    if (flight->place == BLOCKS || flight->place == PARKED) flight->stage++;
    flight->place = HOLDS;
    flight->left = hold_of(sim, w, k, flight->stage);
    *level_taken(sim, w, k, flight->stage) = true;
}

/* ---- What the first level keeps -------------------------------------------------------------------------
 */

static struct asker *asker_of(struct sim *sim, uint32_t w, uint32_t sector) {
    const bool of_all = sim->machine->rules.loads_of_all;
    return &sim->askers[of_all ? sm_of(sim, w) : w / sim->grid->warps][sector];
}

/* An access has passed the LSU: finds what the first level has asked for, and has it ask for the rest. */
static void ask_first_level(struct sim *sim, uint32_t w, uint32_t k) {
    const struct level_access *access = access_of(sim, w, k);
    const bool keeps = sim->machine->rules.keeps_loads && access->kind == LEVEL_LOAD;
    for (uint32_t i = 0; i < access->count && keeps; i++) {
        const uint32_t sector = access->sectors[i];
        struct asker *asker = asker_of(sim, w, sector);
        if ((level_kept(sim->machine) >> sector & 1) == 0) continue;
        if (asker->warp != LEVEL_NOBODY)
            sim->flights[w][k].merged |= 1u << sector;
        else
            *asker = (struct asker){(uint8_t)w, (uint8_t)k};
    }
}

void level_settle_merged(struct sim *sim, uint32_t w, uint32_t k) {
    struct flight *flight = &sim->flights[w][k];
    if (flight->place != RETURNS) return;
    for (uint32_t sector = 0; sector < LEVEL_SECTORS; sector++) {
        const struct asker *asker = asker_of(sim, w, sector);
        if ((flight->merged >> sector & 1) == 0 || !level_is_written(&sim->flights[asker->warp][asker->inst]))
            continue;
        flight->merged &= ~(1u << sector);
    }
}

static bool is_all_merged(const struct sim *sim, uint32_t w, uint32_t k) {
    return sim->flights[w][k].merged != 0 &&
           (uint32_t)__builtin_popcount(sim->flights[w][k].merged) == access_of(sim, w, k)->count;
}

/* Whether the first level has all that is asked for, and answers. */
static bool hits_first_level(struct sim *sim, uint32_t w, uint32_t k) {
    const struct level_access *access = access_of(sim, w, k);
    if (access->kind != LEVEL_LOAD) return false;
    for (uint32_t i = 0; i < access->count; i++)
        if ((sim->first_level[sm_of(sim, w)] >> access->sectors[i] & 1) == 0) return false;
    return level_choose(sim, 4) == 0;
}

/* An instruction goes on behind its stage, whose unit it has still taken or not. */
static void go_to_next(struct sim *sim, uint32_t w, uint32_t k, bool takes) {
    struct flight *flight = &sim->flights[w][k];
    const uint32_t next = flight->stage + 1u;
    const bool last = next >= timed_of(sim, w, k)->stage_count;
    if (!last && timed_of(sim, w, k)->stages[next].unit == LEVEL_L2) ask_first_level(sim, w, k);
    const bool hits = !last && (is_all_merged(sim, w, k) || hits_first_level(sim, w, k));
    const bool room = last || hits || level_has_room(sim, w, k, next);
    if (takes && room) *level_taken(sim, w, k, flight->stage) = false;
    if (last) ask_dram(sim, w, k);
    if (last || hits) {
        end_way(sim, w, k);
    } else {
        flight->place = room ? QUEUED : takes ? BLOCKS : PARKED;
        flight->stage = (uint8_t)(room ? next : flight->stage);
    }
}

/* Looks for the pages of an access that has passed the LSU, and asks for those that nobody has asked for. */
static void look_for_pages(struct sim *sim, uint32_t w, uint32_t k) {
    const struct level_access *access = access_of(sim, w, k);
    struct flight *flight = &sim->flights[w][k];
    flight->again = false;
    flight->pages = 0;
    for (uint32_t i = 0; i < access->count && sim->machine->tlb > 0; i++) {
        const uint32_t number = access->sectors[i] / (LEVEL_SECTORS / LEVEL_PAGES);
        struct page *page = &sim->pages[sm_of(sim, w)][number];
        if (page->state == THERE) continue;
        if (flight->pages != 0 && sim->machine->rules.page_after_page) break;
        flight->pages |= 1u << number;
        if (page->state != NO_PAGE && !sim->machine->rules.merged_passes) continue;
        flight->again = true;
        if (page->state == NO_PAGE) page->state = ASKED;
    }
}

/* The LSU is over for an access, or a page is there that it has waited for. */
static void go_on_with_pages(struct sim *sim, uint32_t w, uint32_t k, bool again) {
    struct flight *flight = &sim->flights[w][k];
    bool takes = flight->place == HOLDS || sim->machine->rules.page_holds_lsu;
    if (again && sim->machine->rules.page_holds_lsu) {
        flight->place = HOLDS;
        flight->left = hold_of(sim, w, k, flight->stage);
        return;
    }
    if (again) {
        flight->place = QUEUED;
        return;
    }
    look_for_pages(sim, w, k);
    if (flight->pages == 0) {
        go_to_next(sim, w, k, takes);
        return;
    }
    flight->place = MISSES;
    if (takes && !sim->machine->rules.page_holds_lsu) *level_taken(sim, w, k, flight->stage) = false;
}

void level_go_on(struct sim *sim, uint32_t w, uint32_t k) {
    struct flight *flight = &sim->flights[w][k];
    if (flight->place == HOLDS && flight->left == 0) {
        if (timed_of(sim, w, k)->stages[flight->stage].unit == LEVEL_LSU)
            go_on_with_pages(sim, w, k, false);
        else
            go_to_next(sim, w, k, true);
    } else if (flight->place == MISSES) {
        for (uint32_t p = 0; p < LEVEL_PAGES; p++)
            if (sim->pages[sm_of(sim, w)][p].state == THERE) flight->pages &= ~(1u << p);
        if (flight->pages == 0) go_on_with_pages(sim, w, k, flight->again);
    }
}

/* ---- Issue ----------------------------------------------------------------------------------------------
 */

bool level_is_written(const struct flight *flight) {
    return flight->place == RETURNS && flight->to_write == 0 && flight->sectors == 0 && flight->stores == 0 &&
           flight->merged == 0;
}

bool level_is_read(const struct flight *flight) {
    return flight->place == RETURNS && flight->to_read == 0;
}

static bool counters_allow(const struct sim *sim, uint32_t w) {
    const struct sass_timed *timed = timed_of(sim, w, sim->next[w]);
    const bool hides = sim->grid->rules.hidden_count && sim->now <= sim->issued[w] + 1;
    uint32_t left = 0;
    for (uint32_t o = 0; o < sim->next[w]; o++) {
        const struct sass_timed *before = timed_of(sim, w, o);
        if (hides && o + 1 == sim->next[w]) continue;
        const bool writes =
            before->write_counter != SASS_NO_COUNTER && !level_is_written(&sim->flights[w][o]);
        const bool reads = before->read_counter != SASS_NO_COUNTER && !level_is_read(&sim->flights[w][o]);
        if (writes && (timed->waits >> before->write_counter & 1) != 0) return false;
        if (reads && (timed->waits >> before->read_counter & 1) != 0) return false;
        left += (writes && before->write_counter == timed->left_counter) +
                (reads && before->read_counter == timed->left_counter);
    }
    return timed->left_counter == SASS_NO_COUNTER || left <= timed->left;
}

bool level_is_ready(struct sim *sim, uint32_t w) {
    const uint32_t k = sim->next[w];
    if (sm_of(sim, w) == LEVEL_NOBODY || sim->held[w] || k >= sim->grid->programs[w].count) return false;
    if (sim->now < sim->earliest[w] || sim->now < sim->issue_until[core_of(sim, w)]) return false;
    const struct sass_timed *timed = timed_of(sim, w, k);
    if (!counters_allow(sim, w)) return false;
    if (timed->stage_count == 0) return true;
    if (timed->fixed) return !*level_taken(sim, w, k, 0) && !level_is_behind(sim, w, k, 0);
    return sim->grid->rules.full_holds_issue || level_has_room(sim, w, k, 0);
}

void level_issue(struct sim *sim, uint32_t w) {
    const uint32_t k = sim->next[w]++, core = core_of(sim, w);
    const struct sass_timed *timed = timed_of(sim, w, k);
    struct flight *flight = &sim->flights[w][k];
    sim->issue_until[core] = sim->slot_end[w] = sim->now + level_up_to(sim, 1, timed->slot);
    sim->earliest[w] = sim->now + level_up_to(sim, timed->stall_least, timed->stall);
    sim->held[w] = timed->barrier;
    sim->issued[w] = sim->now;
    flight->place = QUEUED;
    if (timed->stage_count == 0)
        end_way(sim, w, k);
    else if (timed->fixed)
        level_start(sim, w, k);
    else if (!level_has_room(sim, w, k, 0)) {
        flight->place = OUTSIDE;
        sim->issue_until[core] = NEVER;
    }
}

void level_enter(struct sim *sim, uint32_t w, uint32_t k) {
    const struct sass_timed *timed = timed_of(sim, w, k);
    if (sim->grid->rules.late_stall) {
        sim->slot_end[w] = sim->now + level_up_to(sim, 1, timed->slot);
        sim->earliest[w] = sim->now + level_up_to(sim, timed->stall_least, timed->stall);
    }
    sim->issue_until[core_of(sim, w)] = sim->slot_end[w];
    sim->flights[w][k].place = QUEUED;
}

void level_release(struct sim *sim, uint32_t block) {
    const struct sass_grid *grid = sim->grid;
    const uint32_t first = block * grid->warps, end = first + grid->warps;
    uint32_t held = 0, live = 0;
    for (uint32_t w = first; w < end; w++) {
        held += sim->held[w];
        live += sim->held[w] || sim->next[w] < grid->programs[w].count;
    }
    if (held == 0 || held != live) return;
    for (uint32_t w = first; w < end; w++) {
        const uint32_t at = sim->now + level_up_to(sim, 0, grid->release);
        if (sim->held[w] && at > sim->earliest[w]) sim->earliest[w] = at;
        sim->held[w] = false;
    }
}
