#include "bound/search/grid_explorer.h"

#include <string.h>

#include "base/table.h"
#include "bound/search/grid_explore_state.h"

/* How many steps pass between two looks at the watch. */
#define SEARCH_WATCH_PERIOD ((uint64_t)1 << 12)

/* Work of a step (in units of search_budget): it copies a state, looks at all its parts and sorts them. */
#define SEARCH_STEP_WORK 300u

/* Searches of more combinations of positions are not begun unasked: each stands for some states. */
#define SEARCH_SHORT 100000.0

/* A state whose choices are being tried. */
struct search_frame {
    size_t first_choice; /* in the stack of choices, behind those of the frames below */
    uint32_t choice_count, next;
    uint32_t best;     /* longest time to come found so far */
    uint32_t at_least; /* of the choice being tried: what is longest where the state behind it does not say */
    uint32_t passed;   /* of the choice being tried: until the state behind it */
    uint64_t elapsed;  /* from the start of the grid */
    const uint8_t *key;
    uint32_t hash;
};

struct explorer {
    const struct grid_explore_model *model;
    struct grid_search *search;
    struct key_table table;
    VEC(struct search_frame) frames;
    VEC(struct grid_choice) choices; /* of all frames */
    VEC(unsigned char) states;       /* one per frame, and one behind them for what is tried */
    VEC(uint8_t) keys;               /* room for a key, and for making it */
    uint64_t steps;
};

static unsigned char *state_memory(const struct explorer *explorer, size_t frame) {
    return explorer->states.items + frame * explorer->model->layout.size;
}

/* The choice being tried in the top frame leads to `rest` more cycles behind the state it leads to. */
static void settle_choice(struct explorer *explorer, struct search_frame *frame, uint32_t rest) {
    uint32_t total = frame->passed + rest;
    if (frame->at_least > total) total = frame->at_least;
    if (total > frame->best) frame->best = total;
    explorer->search->longest = cycles_max(explorer->search->longest, frame->elapsed + total);
}

/* Makes a frame of the state behind all frames, which is settled and not in the table. */
static wb_status push_frame(struct explorer *explorer, const struct grid_choices *choices, uint64_t elapsed,
                            const uint8_t *key, uint32_t hash) {
    const struct search_frame frame = {.first_choice = explorer->choices.count,
                                       .choice_count = choices->count,
                                       .elapsed = elapsed,
                                       .key = key,
                                       .hash = hash};
    struct grid_search *search = explorer->search;
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

/* Tries the next choice of the top frame: settles it, or pushes the state it leads to. */
static wb_status try_choice(struct explorer *explorer) {
    const struct grid_explore_model *model = explorer->model;
    const size_t top = explorer->frames.count - 1, key_max = model->layout.key_max;
    struct search_frame *frame = &explorer->frames.items[top];
    struct grid_choices choices;
    memcpy(state_memory(explorer, top + 1), state_memory(explorer, top), model->layout.size);
    struct grid_state state = grid_state_in(model, state_memory(explorer, top + 1));
    grid_state_choose(model, &state, &explorer->choices.items[frame->first_choice + frame->next++]);
    grid_state_settle(model, &state, &choices, &frame->passed, &frame->at_least);
    if (choices.count == 0) {
        settle_choice(explorer, frame, 0);
        return WB_OK;
    }
    uint8_t *key = explorer->keys.items;
    const size_t length = grid_state_key(model, &state, key + key_max, key);
    uint32_t hash, rest;
    if (key_table_find(&explorer->table, key, length, &hash, &rest)) {
        settle_choice(explorer, frame, rest);
        return WB_OK;
    }
    const uint8_t *kept = key_table_keep(&explorer->table, key, length);
    if (kept == NULL) return WB_ERR_LIMIT;
    return push_frame(explorer, &choices, frame->elapsed + frame->passed, kept, hash);
}

/* All choices of the top frame are settled: remembers what was found and hands it to the frame below. */
static wb_status pop_frame(struct explorer *explorer) {
    const struct search_frame *frame = &explorer->frames.items[--explorer->frames.count];
    explorer->choices.count = frame->first_choice;
    WB_TRY(key_table_insert(&explorer->table, frame->key, frame->hash, frame->best));
    explorer->search->states++;
    if (explorer->frames.count > 0)
        settle_choice(explorer, &explorer->frames.items[explorer->frames.count - 1], frame->best);
    return WB_OK;
}

/* Whether one more step is within the budget. */
static bool may_go_on(struct explorer *explorer) {
    struct grid_search *search = explorer->search;
    const wb_watch *watch = search->watch;
    const uint64_t work = SEARCH_STEP_WORK + explorer->model->layout.size;
    search->full = search->states >= search->budget->states;
    if (search->full) return false;
    search->spent = !search_spend(search->budget, work);
    if (search->spent) return false;
    if (++explorer->steps % SEARCH_WATCH_PERIOD != 0 || watch == NULL || watch->poll == NULL) return true;
    search->stopped =
        !watch->poll(watch->user, "schedules of the grid", search->states, search->budget->states);
    return !search->stopped;
}

/* Searches until everything is settled or a limit is hit. */
static wb_status search_all(struct explorer *explorer) {
    const struct grid_explore_model *model = explorer->model;
    struct grid_choices choices;
    uint32_t passed, at_least;
    WB_TRY(vec_reserve(&explorer->states, 2 * model->layout.size));
    WB_TRY(vec_reserve(&explorer->keys, 2 * model->layout.key_max));
    if (explorer->states.items == NULL) return WB_ERR_LIMIT;
    memset(explorer->states.items, 0, model->layout.size);
    struct grid_state state = grid_state_in(model, explorer->states.items);
    grid_state_start(model, &state);
    grid_state_settle(model, &state, &choices, &passed, &at_least);
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

/* One search; the longest of it and of what was searched before is kept. */
static wb_status search_scope(struct grid_explore_model *model, const struct grid_explore_scope *scope,
                              struct grid_search *search) {
    if (!grid_explore_model_set(model, scope)) return WB_ERR_DECLINED;
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

/* `blocks` blocks from a common start on one SM, whichever they are. */
static struct grid_explore_scope together(uint64_t blocks) {
    return (struct grid_explore_scope){
        .sms = 1, .rooms = (uint32_t)blocks, .dealt = (uint32_t)blocks, .only_dealt = true};
}

/* What is searched of a grid: one scope, or one after the other. */
struct scopes {
    const struct grid_work *work;
    uint32_t sms;
    uint32_t *order; /* of static dispatch: room for the kinds of the blocks of an SM */
    uint32_t resident, next;
};

/* All SMs share the blocks. Blocks are dealt out where all fit, and, so to speak, where the dispatcher takes
 * no time: it then fills all rooms in the first cycle. */
static struct grid_explore_scope shared_scope(const struct scopes *scopes) {
    const struct machine_memory *memory = &scopes->work->machine->memory;
    const uint64_t rooms = (uint64_t)scopes->sms * scopes->resident;
    const uint64_t blocks = scopes->work->block_count;
    struct grid_explore_scope scope = {.sms = scopes->sms,
                                       .rooms = scopes->resident,
                                       .latency = memory->dispatch_latency,
                                       .service = memory->dispatch_service};
    if (blocks <= rooms || scope.service == 0) scope.dealt = (uint32_t)cycles_min(rooms, blocks);
    return scope;
}

/* One SM has its own blocks. */
static struct grid_explore_scope own_scope(const struct scopes *scopes, uint32_t sm) {
    const struct grid_work *work = scopes->work;
    uint32_t count = 0;
    for (uint64_t b = sm; b < work->block_count; b += work->machine->memory.sms)
        scopes->order[count++] = work->kind_of[b];
    return (struct grid_explore_scope){.sms = 1,
                                       .rooms = scopes->resident,
                                       .dealt = count < scopes->resident ? count : scopes->resident,
                                       .order = scopes->order,
                                       .order_count = count,
                                       .latency = work->machine->memory.dispatch_latency};
}

/* The next scope for a number of resident blocks; false when there are no more. When all blocks start at once
 * SMs have nothing to do with each other: it is the longest of any blocks that one of them may get. */
static bool next_scope(struct scopes *scopes, struct grid_explore_scope *scope) {
    const struct grid_work *work = scopes->work;
    const uint32_t number = scopes->next++;
    if (!grid_work_is_dynamic(work)) {
        if (number >= scopes->sms) return false;
        *scope = own_scope(scopes, number);
        return true;
    }
    const bool all_start = work->block_count <= (uint64_t)scopes->sms * scopes->resident;
    if (!all_start || work->machine->memory.dispatch_service > 0) {
        *scope = shared_scope(scopes);
        return number == 0;
    }
    const uint32_t share = work->block_count / scopes->sms;
    *scope = together(share + number);
    return number == 0 || (number == 1 && work->block_count % scopes->sms != 0);
}

static struct scopes scopes_of(const struct grid_work *work, uint32_t *order) {
    const uint32_t sms = work->machine->memory.sms;
    return (struct scopes){.work = work,
                           .sms = sms < work->block_count ? sms : work->block_count,
                           .order = order,
                           .resident = work->resident_least};
}

/* The next scope for any number of resident blocks. */
static bool next_of_all(struct scopes *scopes, struct grid_explore_scope *scope) {
    while (!next_scope(scopes, scope)) {
        if (scopes->resident >= scopes->work->resident_most) return false;
        scopes->resident++;
        scopes->next = 0;
    }
    return true;
}

const char *grid_search_objection(const struct grid_work *work) {
    return grid_explore_objection(work);
}

bool grid_search_is_short(const struct grid_work *work, wb_diagnostics *diagnostics) {
    if (work->block_count > SEARCH_SHORT) return false;
    uint32_t *order = calloc((size_t)work->block_count + 1, sizeof *order);
    if (order == NULL) {
        (void)diagnose_out_of_memory(diagnostics, "k-exhaustive");
        return false;
    }
    struct scopes scopes = scopes_of(work, order);
    struct grid_explore_scope scope;
    double positions = 0;
    while (positions <= SEARCH_SHORT && next_of_all(&scopes, &scope))
        positions += grid_explore_positions(work, &scope);
    free(order);
    return positions <= SEARCH_SHORT;
}

bool grid_search_together_is_short(const struct grid_work *work, uint64_t blocks) {
    if (grid_explore_objection(work) != NULL || blocks > GRID_EXPLORE_ROOMS_MAX) return false;
    const struct grid_explore_scope scope = together(blocks);
    return grid_explore_positions(work, &scope) <= SEARCH_SHORT;
}

wb_status grid_search_run(const struct grid_work *work, struct grid_search *search) {
    struct arena arena = {0};
    struct grid_explore_model model;
    struct grid_explore_scope scope;
    wb_status status = grid_explore_model_make(work, &arena, &model);
    uint32_t *order = arena_array(&arena, (size_t)work->block_count + 1, sizeof *order);
    if (status == WB_OK && order == NULL) status = WB_ERR_LIMIT;
    struct scopes scopes = scopes_of(work, order);
    while (status == WB_OK && next_of_all(&scopes, &scope))
        status = search_scope(&model, &scope, search);
    arena_free(&arena);
    return status;
}

wb_status grid_search_together(const struct grid_work *work, uint64_t blocks, struct grid_search *search) {
    struct arena arena = {0};
    struct grid_explore_model model;
    const struct grid_explore_scope scope = together(blocks);
    wb_status status = grid_explore_model_make(work, &arena, &model);
    if (status == WB_OK) status = search_scope(&model, &scope, search);
    arena_free(&arena);
    return status;
}
