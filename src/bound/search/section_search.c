#include "bound/search/section_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"

/* Work of a successor, in units of search_budget. */
#define SUCCESSOR_WORK 300u

/* The cycles until something happens, at least and at most. */
struct span {
    uint16_t least, most;
};

struct lane {
    uint16_t at;
    struct span live[SECTION_LIVE_MAX]; /* until each result can be read, as the program lists them */
};

struct section_state {
    struct lane lanes[SECTION_LANES_MAX];
    struct span units[MACHINE_UNITS_MAX]; /* until each has initiated what it has */
};

#define KEY_MAX (sizeof(struct section_state))

/* A state that was reached: how late at most, and how late the last completion is at most. */
struct reached {
    cycles now, complete;
    const uint8_t *key;
};

struct layer {
    struct key_table numbers; /* of states */
    VEC(struct reached) states;
};

struct searcher {
    struct section_task *task;
    uint64_t units; /* bits: those that some program uses */
    struct layer present, next;
};

static const struct section_position *position_of(const struct searcher *searcher,
                                                  const struct section_state *state, uint32_t lane) {
    return &searcher->task->programs[lane]->positions[state->lanes[lane].at];
}

static bool has_ended(const struct searcher *searcher, const struct section_state *state, uint32_t lane) {
    return state->lanes[lane].at == searcher->task->programs[lane]->count;
}

static const struct section_live *lives_of(const struct searcher *searcher, const struct section_state *state,
                                           uint32_t lane) {
    return &searcher->task->programs[lane]->lives[position_of(searcher, state, lane)->first_live];
}

/* ---- States as keys --------------------------------------------------------------------------------------
 */

static size_t put(uint8_t *key, const void *bytes, size_t size) {
    memcpy(key, bytes, size);
    return size;
}

/* A lane in a key: where it stands and what is under way. */
static size_t put_lane(const struct searcher *searcher, const struct section_state *state, uint32_t lane,
                       uint8_t *key) {
    const struct lane *from = &state->lanes[lane];
    const size_t size = put(key, &from->at, sizeof from->at);
    const uint32_t lives = position_of(searcher, state, lane)->live_count;
    return size + put(key + size, from->live, lives * sizeof *from->live);
}

/* Whether of two lanes with the same program the second comes first in a key. */
static bool comes_before(const struct searcher *searcher, const struct section_state *state, uint32_t second,
                         uint32_t first) {
    const struct lane *a = &state->lanes[second], *b = &state->lanes[first];
    if (a->at != b->at) return a->at < b->at;
    return memcmp(a->live, b->live, position_of(searcher, state, first)->live_count * sizeof *a->live) < 0;
}

/* Exchanges lanes with the same program until they are sorted: which of them is which does not matter. */
static void sort_lanes(const struct searcher *searcher, struct section_state *state) {
    for (uint32_t i = 1; i < searcher->task->lanes; i++) {
        for (uint32_t j = i; j > 0; j--) {
            if (searcher->task->programs[j] != searcher->task->programs[j - 1]) break;
            if (!comes_before(searcher, state, j, j - 1)) break;
            const struct lane lane = state->lanes[j];
            state->lanes[j] = state->lanes[j - 1];
            state->lanes[j - 1] = lane;
        }
    }
}

static size_t put_state(const struct searcher *searcher, struct section_state *state, uint8_t *key) {
    size_t size = 0;
    sort_lanes(searcher, state);
    for (uint32_t i = 0; i < searcher->task->lanes; i++)
        size += put_lane(searcher, state, i, key + size);
    for (uint64_t left = searcher->units; left != 0; left &= left - 1)
        size += put(key + size, &state->units[__builtin_ctzll(left)], sizeof(struct span));
    return size;
}

static void take_state(const struct searcher *searcher, const uint8_t *key, struct section_state *state) {
    for (uint32_t i = 0; i < searcher->task->lanes; i++) {
        struct lane *lane = &state->lanes[i];
        memcpy(&lane->at, key, sizeof lane->at);
        key += sizeof lane->at;
        const size_t size = position_of(searcher, state, i)->live_count * sizeof *lane->live;
        memcpy(lane->live, key, size);
        key += size;
    }
    for (uint64_t left = searcher->units; left != 0; left &= left - 1) {
        memcpy(&state->units[__builtin_ctzll(left)], key, sizeof(struct span));
        key += sizeof(struct span);
    }
}

/* ---- Layers ----------------------------------------------------------------------------------------------
 */

static void layer_clear(struct layer *layer) {
    key_table_free(&layer->numbers);
    layer->numbers = (struct key_table){0};
    layer->states.count = 0;
}

/* Adds a state to the layer, or raises what is known of it. */
static wb_status layer_add(struct searcher *searcher, struct layer *layer, struct section_state *state,
                           cycles now, cycles complete) {
    uint8_t key[KEY_MAX];
    const size_t size = put_state(searcher, state, key);
    uint32_t hash, number;
    if (key_table_find(&layer->numbers, key, size, &hash, &number)) {
        assert(layer->states.items != NULL && number < layer->states.count);
        struct reached *known = &layer->states.items[number];
        known->now = cycles_max(known->now, now);
        known->complete = cycles_max(known->complete, complete);
        return WB_OK;
    }
    struct search_budget *budget = searcher->task->budget;
    if (budget->states == 0) return WB_ERR_LIMIT;
    budget->states--;
    layer->numbers.limit = budget->bytes;
    const uint8_t *kept = key_table_keep(&layer->numbers, key, size);
    if (kept == NULL) return WB_ERR_LIMIT;
    WB_TRY(key_table_insert(&layer->numbers, kept, hash, (uint32_t)layer->states.count));
    /* kept keys begin with their length */
    const struct reached one = {now, complete, kept + sizeof(uint16_t)};
    return vec_push(&layer->states, one);
}

/* ---- One issue -------------------------------------------------------------------------------------------
 */

static uint16_t less(uint16_t time, uint32_t passed) {
    return time > passed ? (uint16_t)(time - passed) : 0;
}

static struct span later(struct span a, struct span b) {
    return (struct span){a.least > b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
}

/* When the next instruction of a lane has its operands and, at depth 0, its unit. */
static struct span ready_at(const struct searcher *searcher, const struct section_state *state,
                            uint32_t lane) {
    const struct section_position *position = position_of(searcher, state, lane);
    const struct section_live *lives = lives_of(searcher, state, lane);
    struct span ready = {0, 0};
    for (uint32_t l = 0; l < position->live_count; l++)
        if (lives[l].distance == 0) ready = later(ready, state->lanes[lane].live[l]);
    return searcher->task->queued ? ready : later(ready, state->units[position->unit]);
}

/* What is under way of a lane behind its position in `from`, `passed` cycles later. What is read before the
 * lane can wait for it counts as there. */
static void pass_time(const struct searcher *searcher, struct section_state *state, uint32_t lane,
                      uint32_t passed) {
    const struct section_live *lives = lives_of(searcher, state, lane);
    const uint32_t count = position_of(searcher, state, lane)->live_count;
    for (uint32_t l = 0; l < count; l++) {
        struct span *live = &state->lanes[lane].live[l];
        *live = (struct span){less(live->least, passed), less(live->most, passed)};
        if (live->most <= lives[l].distance) live->most = 0;
        if (live->least <= lives[l].distance) live->least = 0;
    }
}

/* Puts the lane behind its instruction: results that it has waited for are there, its own is under way. */
static void advance(const struct searcher *searcher, struct section_state *state, uint32_t lane,
                    struct span result) {
    const struct section_position *position = position_of(searcher, state, lane);
    const struct section_live *before = lives_of(searcher, state, lane);
    const uint32_t before_count = position->live_count, own = position->result;
    struct lane *moved = &state->lanes[lane];
    struct span was[SECTION_LIVE_MAX];
    memcpy(was, moved->live, before_count * sizeof *was);
    moved->at++;
    const struct section_live *lives = lives_of(searcher, state, lane);
    for (uint32_t l = 0, b = 0; l < position_of(searcher, state, lane)->live_count; l++) {
        while (b < before_count && before[b].result < lives[l].result)
            b++;
        if (lives[l].result == own) {
            moved->live[l] = result;
            continue;
        }
        assert(b < before_count && before[b].result == lives[l].result); /* it was live before */
        moved->live[l] = before[b].distance == 0 ? (struct span){0, 0} : was[b];
    }
}

/* The state after the lane has issued in cycle `at` from now. */
static wb_status issue(struct searcher *searcher, const struct reached *from,
                       const struct section_state *present, uint32_t lane, uint16_t at) {
    struct section_state state = *present;
    const struct section_position *position = position_of(searcher, present, lane);
    const struct span here = {at, at}, unit = later(here, present->units[position->unit]);
    const struct span start = searcher->task->queued ? unit : here;
    if ((uint64_t)start.most + position->init + position->most > UINT16_MAX) return WB_ERR_LIMIT;
    const struct span result = {(uint16_t)(start.least + position->init + position->least),
                                (uint16_t)(start.most + position->init + position->most)};
    state.units[position->unit] =
        (struct span){(uint16_t)(start.least + position->init), (uint16_t)(start.most + position->init)};
    advance(searcher, &state, lane, result);
    for (uint32_t i = 0; i < searcher->task->lanes; i++)
        pass_time(searcher, &state, i, (uint32_t)at + 1);
    for (uint64_t left = searcher->units; left != 0; left &= left - 1) {
        struct span *of = &state.units[__builtin_ctzll(left)];
        *of = (struct span){less(of->least, (uint32_t)at + 1), less(of->most, (uint32_t)at + 1)};
    }
    return layer_add(searcher, &searcher->next, &state, from->now + at + 1,
                     cycles_max(from->complete, from->now + result.most));
}

/* A single warp is never faster for a later result: everything takes its most. */
static void take_most(const struct searcher *searcher, struct section_state *state) {
    for (uint32_t i = 0; i < searcher->task->lanes; i++)
        for (uint32_t l = 0; l < position_of(searcher, state, i)->live_count; l++)
            state->lanes[i].live[l].least = state->lanes[i].live[l].most;
    for (uint64_t left = searcher->units; left != 0; left &= left - 1)
        state->units[__builtin_ctzll(left)].least = state->units[__builtin_ctzll(left)].most;
}

/* Every issue that can come next. Nobody is ready and not served before it: it comes no later than any warp
 * is ready at the latest. */
static wb_status expand(struct searcher *searcher, const struct reached *from) {
    struct section_state state = {0};
    struct span ready[SECTION_LANES_MAX] = {{0, 0}};
    uint32_t running = 0;
    uint16_t last = UINT16_MAX;
    take_state(searcher, from->key, &state);
    for (uint32_t i = 0; i < searcher->task->lanes; i++)
        running += !has_ended(searcher, &state, i);
    if (running == 1) take_most(searcher, &state);
    for (uint32_t i = 0; i < searcher->task->lanes; i++) {
        if (has_ended(searcher, &state, i)) continue;
        ready[i] = ready_at(searcher, &state, i);
        last = ready[i].most < last ? ready[i].most : last;
    }
    for (uint32_t i = 0; i < searcher->task->lanes; i++) {
        if (has_ended(searcher, &state, i)) continue;
        for (uint32_t at = ready[i].least; at <= last; at++) {
            if (!search_spend(searcher->task->budget, SUCCESSOR_WORK)) return WB_ERR_LIMIT;
            WB_TRY(issue(searcher, from, &state, i, (uint16_t)at));
        }
    }
    return WB_OK;
}

/* ---- The search ------------------------------------------------------------------------------------------
 */

/* The results of older sections still under way. */
static void begin(const struct searcher *searcher, struct section_state *state) {
    const struct section_task *task = searcher->task;
    *state = (struct section_state){0};
    for (uint32_t i = 0; i < task->lanes; i++) {
        const struct section_live *lives = lives_of(searcher, state, i);
        for (uint32_t l = 0; l < position_of(searcher, state, i)->live_count; l++)
            state->lanes[i].live[l].most = (uint16_t)task->programs[i]->old_rest[lives[l].result];
        pass_time(searcher, state, i, 0);
    }
    for (uint64_t left = searcher->units; left != 0; left &= left - 1)
        state->units[__builtin_ctzll(left)].most = (uint16_t)task->unit_rests[__builtin_ctzll(left)];
}

static wb_status search_layers(struct searcher *searcher, uint64_t issues) {
    struct section_state first;
    begin(searcher, &first);
    WB_TRY(layer_add(searcher, &searcher->present, &first, 0, 0));
    for (; issues > 0; issues--) {
        for (size_t s = 0; s < searcher->present.states.count; s++)
            WB_TRY(expand(searcher, &searcher->present.states.items[s]));
        const struct layer done = searcher->present;
        searcher->present = searcher->next;
        searcher->next = done;
        layer_clear(&searcher->next);
    }
    return WB_OK;
}

wb_status section_search(struct section_task *task) {
    struct searcher searcher = {.task = task};
    uint64_t issues = 0;
    for (uint32_t i = 0; i < task->lanes; i++) {
        const struct section_program *program = task->programs[i];
        issues += program->count;
        for (uint32_t k = 0; k < program->count; k++)
            searcher.units |= UINT64_C(1) << program->positions[k].unit;
    }
    wb_status status = search_layers(&searcher, issues);
    task->issued = task->complete = 0;
    for (size_t s = 0; status == WB_OK && s < searcher.present.states.count; s++) {
        task->issued = cycles_max(task->issued, searcher.present.states.items[s].now);
        task->complete = cycles_max(task->complete, searcher.present.states.items[s].complete);
    }
    layer_clear(&searcher.present);
    layer_clear(&searcher.next);
    vec_free(&searcher.present.states);
    vec_free(&searcher.next.states);
    return status;
}
