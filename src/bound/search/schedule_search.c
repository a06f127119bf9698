#include "bound/search/schedule_search.h"

#include <assert.h>
#include <string.h>

#include "base/containers.h"
#include "bound/search/search_state.h"

/* How many steps pass between two looks at the watch. */
#define SEARCH_WATCH_PERIOD ((uint64_t)1 << 12)

/* A state whose choices are being tried. */
struct search_frame {
    size_t first_choice; /* in the stack of choices, behind those of the frames below */
    uint32_t choice_count, next;
    uint32_t best;     /* longest time to come found so far */
    uint32_t at_least; /* of the choice being tried: what is longest where the state behind it does not say */
    uint32_t passed;   /* of the choice being tried: until the state behind it */
    uint64_t elapsed;  /* from the start of the schedule */
    const uint8_t *key;
    uint32_t hash;
};

struct explorer {
    const struct search_model *model;
    struct schedule_search *search;
    struct key_table table;
    VEC(struct search_frame) frames;
    VEC(struct search_choice) choices; /* of all frames */
    VEC(unsigned char) states;         /* one per frame, and one behind them for what is tried */
    VEC(uint8_t) keys;                 /* space for a key, and for making it */
    uint64_t steps;
};

static unsigned char *state_memory(const struct explorer *explorer, size_t frame) {
    return explorer->states.items + frame * explorer->model->layout.size;
}

/* The current choice of the top frame takes `rest` more cycles behind its next state. */
static void finish_choice(struct explorer *explorer, struct search_frame *frame, uint32_t rest) {
    uint32_t total = frame->passed + rest;
    assert(total >= rest);
    if (frame->at_least > total) total = frame->at_least;
    if (total > frame->best) frame->best = total;
    explorer->search->longest = cycles_max(explorer->search->longest, frame->elapsed + total);
}

/* Makes a frame of the state behind all frames, which is canonical and not in the table. */
static wb_status push_frame(struct explorer *explorer, const struct search_choices *choices, uint64_t elapsed,
                            const uint8_t *key, uint32_t hash) {
    const struct search_frame frame = {.first_choice = explorer->choices.count,
                                       .choice_count = choices->count,
                                       .elapsed = elapsed,
                                       .key = key,
                                       .hash = hash};
    struct schedule_search *search = explorer->search;
    search->full = explorer->states.count + key_table_bytes(&explorer->table) > search->budget->bytes;
    if (search->full) return WB_ERR_LIMIT;
    WB_TRY(vec_reserve(&explorer->choices, choices->count));
    memcpy(explorer->choices.items + frame.first_choice, choices->items,
           choices->count * sizeof *choices->items);
    explorer->choices.count += choices->count;
    WB_TRY(vec_push(&explorer->frames, frame));
    explorer->states.count = (explorer->frames.count + 1) * explorer->model->layout.size;
    return vec_reserve(&explorer->states, explorer->model->layout.size);
}

/* Tries the next choice of the top frame: finishes it, or pushes its next state. */
static wb_status try_choice(struct explorer *explorer) {
    const struct search_model *model = explorer->model;
    const size_t top = explorer->frames.count - 1;
    struct search_frame *frame = &explorer->frames.items[top];
    struct search_choices choices;
    unsigned char *memory = state_memory(explorer, top + 1);
    memcpy(memory, state_memory(explorer, top), model->layout.size);
    struct search_state state = search_state_in(model, memory);
    search_state_choose(model, &state, &explorer->choices.items[frame->first_choice + frame->next++]);
    search_state_advance(model, &state, &choices, &frame->passed, &frame->at_least);
    if (choices.count == 0) {
        finish_choice(explorer, frame, 0);
        return WB_OK;
    }
    uint8_t *key = explorer->keys.items;
    const size_t length = search_state_key(model, &state, key + model->layout.key_max, key);
    uint32_t hash, rest;
    if (key_table_find(&explorer->table, key, length, &hash, &rest)) {
        finish_choice(explorer, frame, rest);
        return WB_OK;
    }
    const uint8_t *kept = key_table_keep(&explorer->table, key, length);
    if (kept == NULL) return WB_ERR_LIMIT;
    return push_frame(explorer, &choices, frame->elapsed + frame->passed, kept, hash);
}

/* All choices of the top frame are finished: remembers what was found and hands it to the frame below. */
static wb_status pop_frame(struct explorer *explorer) {
    const struct search_frame *frame = &explorer->frames.items[--explorer->frames.count];
    explorer->choices.count = frame->first_choice;
    WB_TRY(key_table_insert(&explorer->table, frame->key, frame->hash, frame->best));
    explorer->search->states++;
    if (explorer->frames.count > 0)
        finish_choice(explorer, &explorer->frames.items[explorer->frames.count - 1], frame->best);
    return WB_OK;
}

/* Whether one more step is within the budget. */
static bool may_go_on(struct explorer *explorer) {
    struct schedule_search *search = explorer->search;
    const wb_watch *watch = search->watch;
    search->full = search->states >= search->budget->states;
    if (search->full) return false;
    search->spent = !search_spend(search->budget, search->step_work);
    if (search->spent) return false;
    if (++explorer->steps % SEARCH_WATCH_PERIOD != 0 || watch == NULL || watch->poll == NULL) return true;
    search->stopped = !watch->poll(watch->user, search->stage, search->states, search->budget->states);
    return !search->stopped;
}

/* Searches until everything is finished or a limit is hit. */
static wb_status search_all(struct explorer *explorer) {
    const struct search_model *model = explorer->model;
    struct search_choices choices;
    uint32_t passed, at_least;
    WB_TRY(vec_reserve(&explorer->states, 2 * model->layout.size));
    WB_TRY(vec_reserve(&explorer->keys, 2 * model->layout.key_max));
    if (explorer->states.items == NULL) return WB_ERR_LIMIT;
    memset(explorer->states.items, 0, model->layout.size);
    struct search_state state = search_state_in(model, explorer->states.items);
    search_state_start(model, &state);
    search_state_advance(model, &state, &choices, &passed, &at_least);
    explorer->search->longest = cycles_max(explorer->search->longest, passed > at_least ? passed : at_least);
    if (choices.count == 0) return WB_OK;
    static const uint8_t root_key[2];
    WB_TRY(push_frame(explorer, &choices, passed, root_key, 0));
    while (explorer->frames.count > 0) {
        if (!may_go_on(explorer)) return WB_ERR_LIMIT;
        const struct search_frame *frame = &explorer->frames.items[explorer->frames.count - 1];
        WB_TRY(frame->next < frame->choice_count ? try_choice(explorer) : pop_frame(explorer));
    }
    return WB_OK;
}

wb_status schedule_search_run(const struct search_model *model, struct schedule_search *search) {
    struct explorer explorer = {.model = model, .search = search};
    explorer.table.limit = search->budget->bytes;
    wb_status status = search_all(&explorer);
    search->full |= explorer.table.refused;
    vec_free(&explorer.frames);
    vec_free(&explorer.choices);
    vec_free(&explorer.states);
    vec_free(&explorer.keys);
    key_table_free(&explorer.table);
    return status;
}
