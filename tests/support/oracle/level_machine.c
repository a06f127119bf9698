/* One execution of docs/machine-code-bounds.md, section 1, from cycle to cycle. In each of them all happens
 * that can, one thing after the other as the tape has it, until nothing can. */
#include <stdlib.h>
#include <string.h>

#include "level_parts.h"

#define ACTIONS 512u
#define TOO_LONG 20000u

struct action {
    enum { START, ISSUE, ENTER, UNBLOCK, SERVE, WALK, OTHER } kind;
    uint8_t warp, inst; /* of WALK: SM and page */
    struct job *job;
};

/* ---- Blocks ---------------------------------------------------------------------------------------------
 */

static bool has_ended(const struct sim *sim, uint32_t block) {
    const struct sass_grid *grid = sim->grid;
    if (sim->sm[block] == LEVEL_NOBODY) return false;
    for (uint32_t w = block * grid->warps; w < (block + 1) * grid->warps; w++) {
        if (sim->next[w] < grid->programs[w].count || sim->held[w] || sim->now < sim->slot_end[w])
            return false;
        for (uint32_t k = 0; k < sim->next[w]; k++)
            if (!level_is_written(&sim->flights[w][k]) || !level_is_read(&sim->flights[w][k])) return false;
    }
    return true;
}

/* Gives a block to an SM that has a slot; false when none can be given. */
static bool dispatch(struct sim *sim) {
    const struct sass_grid *grid = sim->grid;
    uint32_t load[SASS_GRID_CORES] = {0}, given = 0, pairs[64], count = 0;
    for (uint32_t b = 0; b < grid->blocks; b++) {
        given += sim->sm[b] != LEVEL_NOBODY;
        if (sim->sm[b] != LEVEL_NOBODY && !sim->ended[b]) load[sim->sm[b]]++;
    }
    const bool one_wave = grid->blocks <= grid->sms * grid->slots;
    for (uint32_t b = 0; b < grid->blocks; b++)
        for (uint32_t sm = 0; sm < grid->sms; sm++) {
            const bool is_its = grid->is_static ? b % grid->sms == sm : !one_wave || given % grid->sms == sm;
            if (sim->sm[b] == LEVEL_NOBODY && is_its && load[sm] < grid->slots) pairs[count++] = b * 8 + sm;
        }
    if (count == 0) return false;
    const uint32_t pair = pairs[level_choose(sim, count)];
    sim->sm[pair / 8] = (uint8_t)(pair % 8);
    for (uint32_t w = pair / 8 * grid->warps; w < (pair / 8 + 1) * grid->warps; w++)
        sim->earliest[w] = sim->now;
    return true;
}

/* ---- What happens by itself -----------------------------------------------------------------------------
 */

static void settle_fetch(struct sim *sim, uint32_t sector) {
    struct job *job = &sim->fetches[sector];
    if (job->errand == COMES && job->left == 0) job->errand = WAITS;
    if (job->errand == SERVED && job->left == 0) job->errand = GOES;
    if (job->errand != GOES || job->back > 0) return;
    job->errand = PRESENT;
    for (uint32_t w = 0; w < sim->warps; w++)
        for (uint32_t k = 0; k < sim->next[w]; k++) {
            if ((sim->flights[w][k].sectors >> sector & 1) == 0) continue;
            sim->flights[w][k].sectors &= ~(1u << sector);
            if (access_of(sim, w, k)->kind == LEVEL_LOAD) sim->first_level[sm_of(sim, w)] |= 1u << sector;
        }
}

static void settle(struct sim *sim) {
    for (uint32_t sm = 0; sm < sim->grid->sms; sm++)
        for (uint32_t p = 0; p < LEVEL_PAGES; p++)
            if (sim->pages[sm][p].state == FILLED && sim->pages[sm][p].left == 0)
                sim->pages[sm][p].state = THERE;
    for (uint32_t w = 0; w < sim->warps; w++)
        for (uint32_t k = 0; k < sim->next[w]; k++)
            level_go_on(sim, w, k);
    for (uint32_t w = 0; w < sim->warps; w++)
        for (uint32_t k = 0; k < sim->next[w]; k++)
            level_settle_merged(sim, w, k);
    for (uint32_t s = 0; s < LEVEL_SECTORS; s++)
        settle_fetch(sim, s);
    for (uint32_t i = 0; i < sim->store_count; i++) {
        struct job *job = &sim->stores[i];
        if (job->errand != SERVED || job->left > 0) continue;
        job->errand = PRESENT;
        sim->flights[job->warp][job->inst].stores -= sim->machine->rules.store_waits;
    }
    for (uint32_t b = 0; b < sim->grid->blocks; b++) {
        level_release(sim, b);
        sim->ended[b] = has_ended(sim, b);
    }
    while (dispatch(sim))
        continue;
}

/* ---- What there is a choice of --------------------------------------------------------------------------
 */

static void list_of_flight(struct sim *sim, uint32_t w, uint32_t k, struct action *list, uint32_t *count) {
    const struct flight *flight = &sim->flights[w][k];
    const bool stuck = flight->place == BLOCKS || flight->place == PARKED;
    const uint32_t stage = flight->stage + stuck;
    struct action action = {.warp = (uint8_t)w, .inst = (uint8_t)k};
    if (flight->place == OUTSIDE && level_has_room(sim, w, k, 0)) {
        action.kind = ENTER;
        list[(*count)++] = action;
    }
    if (flight->place != QUEUED && !stuck) return;
    if (!*level_taken(sim, w, k, stage) && !level_is_behind(sim, w, k, stage)) {
        action.kind = START;
        list[(*count)++] = action;
    }
    if (stuck && level_has_room(sim, w, k, stage)) {
        action.kind = UNBLOCK;
        list[(*count)++] = action;
    }
}

static struct job *job_at(struct sim *sim, uint32_t i) {
    return i < LEVEL_SECTORS ? &sim->fetches[i] : &sim->stores[i - LEVEL_SECTORS];
}

static bool dram_is_busy(struct sim *sim) {
    if (sim->other_left > 0) return true;
    for (uint32_t i = 0; i < LEVEL_SECTORS + sim->store_count; i++)
        if (job_at(sim, i)->errand == SERVED) return true;
    return false;
}

static void list_fills(struct sim *sim, struct action *list, uint32_t *count) {
    for (uint32_t sm = 0; sm < sim->grid->sms; sm++) {
        uint32_t under_way = 0;
        for (uint32_t p = 0; p < LEVEL_PAGES; p++)
            under_way += sim->pages[sm][p].state == FILLED;
        for (uint32_t p = 0; p < LEVEL_PAGES && under_way < sim->machine->walkers; p++)
            if (sim->pages[sm][p].state == ASKED)
                list[(*count)++] = (struct action){.kind = WALK, .warp = (uint8_t)sm, .inst = (uint8_t)p};
    }
    if (dram_is_busy(sim)) return;
    if (sim->other_waits) list[(*count)++] = (struct action){.kind = OTHER};
    for (uint32_t i = 0; i < LEVEL_SECTORS + sim->store_count; i++)
        if (job_at(sim, i)->errand == WAITS)
            list[(*count)++] = (struct action){.kind = SERVE, .job = job_at(sim, i)};
}

static uint32_t list_actions(struct sim *sim, struct action *list) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < sim->warps; w++) {
        if (level_is_ready(sim, w)) list[count++] = (struct action){.kind = ISSUE, .warp = (uint8_t)w};
        for (uint32_t k = 0; k < sim->next[w]; k++)
            list_of_flight(sim, w, k, list, &count);
    }
    list_fills(sim, list, &count);
    return count;
}

/* Whether the victim would go on. */
static bool is_of_victim(const struct sim *sim, const struct action *action) {
    const uint32_t victim = sim->tape->victim;
    if (action->kind == WALK || action->kind == OTHER || victim >= sim->warps) return false;
    if (action->kind != SERVE) return action->warp == victim;
    for (uint32_t k = 0; k < sim->next[victim]; k++)
        for (uint32_t s = 0; s < LEVEL_SECTORS; s++)
            if (action->job == &sim->fetches[s] && (sim->flights[victim][k].sectors >> s & 1) != 0)
                return true;
    return false;
}

static const struct action *pick(struct sim *sim, struct action *list, uint32_t count) {
    uint32_t others = 0;
    if (level_choose(sim, 256) >= sim->tape->stubborn) return &list[level_choose(sim, count)];
    for (uint32_t i = 0; i < count; i++)
        if (!is_of_victim(sim, &list[i])) list[others++] = list[i];
    return &list[level_choose(sim, others > 0 ? others : count)];
}

/* DRAM serves somebody else, whose sector takes the place of one of the grid's. */
static void serve_other(struct sim *sim) {
    const uint32_t first = level_choose(sim, LEVEL_SECTORS);
    sim->other_left = level_up_to(sim, 1, sim->machine->others.hold);
    sim->other_waits = false;
    sim->budget -= sim->machine->others.every > 0 ? sim->machine->others.every : 1;
    for (uint32_t s = 0; s < LEVEL_SECTORS; s++) {
        struct job *evicted = &sim->fetches[(first + s) % LEVEL_SECTORS];
        if (evicted->errand != PRESENT) continue;
        evicted->errand = ABSENT;
        return;
    }
}

static void act(struct sim *sim, const struct action *action) {
    const uint32_t w = action->warp, k = action->inst;
    struct flight *flight = &sim->flights[w][k];
    switch (action->kind) {
    case OTHER: serve_other(sim); break;
    case START: level_start(sim, w, k); break;
    case ISSUE: level_issue(sim, w); break;
    case ENTER: level_enter(sim, w, k); break;
    case UNBLOCK:
        if (flight->place == BLOCKS) *level_taken(sim, w, k, flight->stage) = false;
        flight->place = QUEUED;
        flight->stage++;
        break;
    case SERVE:
        action->job->errand = SERVED;
        action->job->left = level_up_to(sim, 1, sim->machine->service);
        break;
    case WALK:
        sim->pages[w][k].state = FILLED;
        sim->pages[w][k].left = level_up_to(sim, 0, sim->machine->tlb);
        break;
    }
}

/* ---- Time -----------------------------------------------------------------------------------------------
 */

/* What was stored asks DRAM at any time: rather when something else waits there. */
static void write_back(struct sim *sim, bool all) {
    bool waits = false;
    for (uint32_t s = 0; s < LEVEL_SECTORS; s++)
        waits |= sim->fetches[s].errand == WAITS;
    if (sim->store_count == 0 || (!all && level_choose(sim, 16) >= (waits ? 12 : 1))) return;
    for (uint32_t i = 0; i < sim->store_count; i++)
        if (sim->stores[i].errand == LATENT) {
            sim->stores[i].errand = WAITS;
            if (!all) return;
        }
}

/* Whether others ask DRAM: rather when the grid does. */
static void let_others_come(struct sim *sim) {
    const struct level_others *others = &sim->machine->others;
    const uint32_t one = others->every > 0 ? others->every : 1, hold = others->hold;
    const uint32_t most = others->requests * one + 2 > hold ? others->requests * one + 2 - hold : 0;
    bool waits = false;
    if (others->hold == 0) return;
    if (sim->now == 0)
        sim->budget = others->every > 0 ? most : others->requests;
    else if (others->every > 0 && sim->budget < most)
        sim->budget++;
    for (uint32_t s = 0; s < LEVEL_SECTORS; s++)
        waits |= sim->fetches[s].errand == WAITS;
    if (sim->budget >= one && !sim->other_waits) sim->other_waits = level_choose(sim, 16) < (waits ? 12 : 2);
}

static void count_down(uint32_t *left) {
    *left -= *left > 0;
}

static void pass(struct sim *sim) {
    const bool busy = dram_is_busy(sim), pauses = sim->machine->rules.dram_pauses && busy;
    for (uint32_t w = 0; w < sim->warps; w++)
        for (uint32_t k = 0; k < sim->next[w]; k++) {
            struct flight *flight = &sim->flights[w][k];
            if (flight->place == HOLDS) count_down(&flight->left);
            if (flight->place != RETURNS) continue;
            if (!pauses || (flight->sectors == 0 && flight->stores == 0)) count_down(&flight->to_write);
            count_down(&flight->to_read);
        }
    count_down(&sim->other_left);
    for (uint32_t sm = 0; sm < sim->grid->sms; sm++)
        for (uint32_t p = 0; p < LEVEL_PAGES; p++)
            if (sim->pages[sm][p].state == FILLED && !(busy && sim->machine->rules.walks_pause))
                count_down(&sim->pages[sm][p].left);
    for (uint32_t i = 0; i < LEVEL_SECTORS + sim->store_count; i++) {
        struct job *job = job_at(sim, i);
        if (job->errand == SERVED || (job->errand == COMES && !pauses)) count_down(&job->left);
        if (job->errand == GOES && !pauses) count_down(&job->back);
    }
    sim->now++;
}

static bool all_ended(const struct sim *sim, bool stores) {
    for (uint32_t b = 0; b < sim->grid->blocks; b++)
        if (!sim->ended[b]) return false;
    for (uint32_t i = 0; i < sim->store_count && stores; i++)
        if (sim->stores[i].errand != PRESENT) return false;
    return true;
}

uint32_t level_run(const struct level_machine *machine, const struct level_tape *tape) {
    struct action list[ACTIONS];
    struct sim sim = {.machine = machine, .grid = &machine->grid, .tape = tape};
    sim.warps = sim.grid->blocks * sim.grid->warps;
    memset(sim.sm, LEVEL_NOBODY, sizeof sim.sm);
    memset(sim.askers, LEVEL_NOBODY, sizeof sim.askers);
    for (;;) {
        settle(&sim);
        if (all_ended(&sim, machine->rules.ends_written_back)) return sim.now;
        write_back(&sim, all_ended(&sim, false));
        let_others_come(&sim);
        for (uint32_t count; (count = list_actions(&sim, list)) > 0; settle(&sim))
            act(&sim, pick(&sim, list, count));
        pass(&sim);
        if (sim.now > TOO_LONG) abort(); /* nothing waits for ever */
    }
}
