/* The exact worst case of a small block: all work-conserving schedules, by depth-first search over states
 * that are remembered. Of a state only the time still to come is remembered, counted over the completions of
 * instructions yet to be issued: what was issued before counts where it was issued. */
#include <string.h>

#include "base/table.h"
#include "bound/method/method.h"
#include "bound/search/explore_state.h"

/* How many steps pass between two looks at the watch. */
#define EXPLORE_WATCH_PERIOD ((uint64_t)1 << 13)

/* "all" does not begin the search of a block whose warps can stand at more combinations of positions,
 * identical warps taken as one set: each stands for some states. */
#define EXPLORE_EASY 100000.0

/* What "all" spends on searches of blocks, and what a step of them costs, as it looks at every warp and unit
 * (in units of search_budget). */
#define EXPLORE_WORK 250000000u
#define EXPLORE_STEP_WORK 150u
#define EXPLORE_PART_WORK 20u

/* A state whose choices are being tried. */
struct explore_frame {
    struct explore_state state;
    uint8_t choices[EXPLORE_WARPS_MAX];
    uint32_t choice_count, next;
    uint32_t best;     /* longest time to come found so far */
    uint32_t complete; /* of the choice being tried: until its instruction is complete */
    uint32_t passed;   /* of the choice being tried: until the state behind it */
    uint64_t elapsed;  /* from the start of the block */
    const uint8_t *key;
    uint32_t hash;
};

struct explorer {
    struct arena arena;
    const struct bound_input *input;
    struct explore_model model;
    struct key_table table;
    VEC(struct explore_frame) stack;
    uint64_t steps, step_work;
    uint64_t longest; /* time of the longest schedule found so far */
    bool stopped;     /* by the watch */
    bool spent;       /* the work that it may do */
    bool full;        /* as many states as it may keep, or bytes */
};

/* Why the search does not cover this block, or NULL. */
static const char *explore_objection(const struct timed_block *block) {
    const struct wb_machine *machine = block->machine;
    if (fetch_can_stall(&machine->fetch)) return "the search knows no instruction cache (fetch)";
    if (machine->sub_cores != 1 || machine->issue_width != 1 || machine->issue_per_warp > 1)
        return "the search covers one sub-core that issues one instruction a cycle";
    if (block->warp_count > EXPLORE_WARPS_MAX) return "the search covers at most 32 warps";
    if (machine->unit_count > EXPLORE_UNITS_MAX) return "the search covers at most 16 units";
    for (uint32_t u = 0; u < machine->unit_count; u++)
        if (machine->units[u].count > EXPLORE_INSTANCES_MAX)
            return "the search covers at most 4 instances of a unit";
    if (machine->dispatch_depth > EXPLORE_DEPTH_MAX && machine->dispatch_depth != DEPTH_UNLIMITED)
        return "the search covers dispatch depths 0 to 8 and unlimited";
    if (timed_block_horizon(block) > UINT32_MAX / 2) return "the block is too long for the search";
    return NULL;
}

static const char *exhaustive_objection(const struct bound_input *input) {
    return explore_objection(input->block);
}

static bool exhaustive_too_large(const struct bound_input *input) {
    return explore_positions(input->block) > EXPLORE_EASY;
}

static wb_status explorer_prepare(struct explorer *explorer) {
    const struct timed_block *block = explorer->input->block;
    struct explore_model *model = &explorer->model;
    *model = (struct explore_model){.block = block,
                                    .warp_count = block->warp_count,
                                    .unit_count = block->machine->unit_count,
                                    .depth = block->machine->dispatch_depth};
    model->programs = arena_array(&explorer->arena, block->path_count, sizeof *model->programs);
    if (model->programs == NULL) return WB_ERR_LIMIT;
    for (uint32_t p = 0; p < block->path_count; p++)
        WB_TRY(explore_program_make(block, p, &explorer->arena, &model->programs[p]));
    return WB_OK;
}

/* The choice being tried in the top frame leads to `rest` more cycles behind the state it leads to. */
static void settle_choice(struct explorer *explorer, struct explore_frame *frame, uint32_t rest) {
    uint32_t total = frame->passed + rest;
    if (frame->complete > total) total = frame->complete;
    if (total > frame->best) frame->best = total;
    explorer->longest = cycles_max(explorer->longest, frame->elapsed + total);
}

/* Pushes a settled state that is not in the table. */
static wb_status push_frame(struct explorer *explorer, const struct explore_state *state, uint64_t elapsed,
                            const uint8_t *key, uint32_t hash) {
    const uint64_t stack = (uint64_t)explorer->stack.count * sizeof *explorer->stack.items;
    explorer->full = stack + key_table_bytes(&explorer->table) > explorer->input->budget->bytes;
    if (explorer->full) return WB_ERR_LIMIT;
    WB_TRY(vec_reserve(&explorer->stack, 1));
    struct explore_frame *frame = &explorer->stack.items[explorer->stack.count++];
    memcpy(&frame->state, state, explore_state_size(&explorer->model));
    frame->choice_count = explore_choices(&explorer->model, state, frame->choices);
    frame->next = frame->best = 0;
    frame->elapsed = elapsed;
    frame->key = key;
    frame->hash = hash;
    return WB_OK;
}

/* Tries the next choice of the top frame: settles it, or pushes the state it leads to. */
static wb_status try_choice(struct explorer *explorer) {
    struct explore_frame *frame = &explorer->stack.items[explorer->stack.count - 1];
    struct explore_state state;
    memcpy(&state, &frame->state, explore_state_size(&explorer->model));
    frame->complete = explore_issue(&explorer->model, &state, frame->choices[frame->next++]);
    uint32_t skipped;
    bool more = explore_settle(&explorer->model, &state, &skipped);
    frame->passed = 1 + skipped;
    if (!more) {
        if (skipped == 0) frame->passed = 0; /* else an instruction without a unit came last */
        settle_choice(explorer, frame, 0);
        return WB_OK;
    }
    uint8_t key[EXPLORE_KEY_MAX];
    size_t length = explore_key(&explorer->model, &state, key);
    uint32_t hash, rest;
    if (key_table_find(&explorer->table, key, length, &hash, &rest)) {
        settle_choice(explorer, frame, rest);
        return WB_OK;
    }
    const uint8_t *kept = key_table_keep(&explorer->table, key, length);
    if (kept == NULL) return WB_ERR_LIMIT;
    return push_frame(explorer, &state, frame->elapsed + frame->passed, kept, hash);
}

/* All choices of the top frame are settled: remembers what was found and hands it to the frame below. */
static wb_status pop_frame(struct explorer *explorer) {
    const struct explore_frame *frame = &explorer->stack.items[--explorer->stack.count];
    WB_TRY(key_table_insert(&explorer->table, frame->key, frame->hash, frame->best));
    if (explorer->stack.count > 0)
        settle_choice(explorer, &explorer->stack.items[explorer->stack.count - 1], frame->best);
    return WB_OK;
}

static bool explorer_may_go_on(struct explorer *explorer) {
    const wb_watch *watch = explorer->input->watch;
    struct search_budget *budget = explorer->input->budget;
    explorer->full = explorer->table.table.used >= budget->states;
    if (explorer->full) return false;
    explorer->spent = !search_spend(budget, explorer->step_work);
    if (explorer->spent) return false;
    if (++explorer->steps % EXPLORE_WATCH_PERIOD != 0 || watch == NULL || watch->poll == NULL) return true;
    explorer->stopped = !watch->poll(watch->user, "schedules", explorer->table.table.used, budget->states);
    return !explorer->stopped;
}

/* Searches until everything is settled or a limit is hit; what was found until then stays. */
static wb_status explorer_search(struct explorer *explorer) {
    struct explore_state state;
    uint32_t passed;
    explore_start(&explorer->model, &state);
    if (!explore_settle(&explorer->model, &state, &passed)) {
        explorer->longest = passed;
        return WB_OK;
    }
    static const uint8_t root_key[2];
    WB_TRY(push_frame(explorer, &state, passed, root_key, 0));
    while (explorer->stack.count > 0) {
        if (!explorer_may_go_on(explorer)) return WB_ERR_LIMIT;
        const struct explore_frame *frame = &explorer->stack.items[explorer->stack.count - 1];
        WB_TRY(frame->next < frame->choice_count ? try_choice(explorer) : pop_frame(explorer));
    }
    return WB_OK;
}

static void exhaustive_result(const struct explorer *explorer, wb_status status, wb_bound *bound) {
    bound->kind = status == WB_OK ? WB_EXACT : WB_LOWER;
    bound->cycles = bound->lower = explorer->longest;
    bound_assume_paths(explorer->input, bound);
    assume(bound, WB_ASSUME_WORK_CONSERVING);
    assume(bound, WB_ASSUME_TIMES_AS_STATED);
    assume(bound, WB_ASSUME_UNITS_IN_ISSUE_ORDER);
    if (status == WB_OK) return;
    if (!explorer->stopped && !explorer->spent && !explorer->full && !explorer->table.refused)
        (void)diagnose_out_of_memory(explorer->input->diagnostics, "exhaustive");
    diagnose(explorer->input->diagnostics, SEVERITY_ERROR, "exhaustive",
             "%s after %zu states: not all schedules were seen, the longest of them took %llu cycles",
             search_end_name(explorer->stopped, explorer->spent), explorer->table.table.used,
             (unsigned long long)explorer->longest);
}

static wb_status exhaustive_run(const struct bound_input *input, wb_bound *bound) {
    struct explorer explorer = {.input = input};
    explorer.table.limit = input->budget->bytes;
    explorer.step_work = EXPLORE_STEP_WORK + EXPLORE_PART_WORK * ((uint64_t)input->block->warp_count +
                                                                  input->block->machine->unit_count);
    wb_status status = explorer_prepare(&explorer);
    if (status == WB_OK) {
        status = explorer_search(&explorer);
        exhaustive_result(&explorer, status, bound);
    } else if (status == WB_ERR_DECLINED) {
        diagnose(input->diagnostics, SEVERITY_ERROR, "exhaustive",
                 "a program is too long or keeps too many results waiting");
    } else {
        (void)diagnose_out_of_memory(input->diagnostics, "exhaustive");
    }
    vec_free(&explorer.stack);
    key_table_free(&explorer.table);
    arena_free(&explorer.arena);
    return status;
}

const struct bound_method bound_exhaustive = {
    .name = "exhaustive",
    .summary = "exact worst case over all schedules, for small blocks",
    .run = exhaustive_run,
    .objection = exhaustive_objection,
    .too_large = exhaustive_too_large,
    .searches = true,
    .unasked_work = EXPLORE_WORK,
    .scope = BOUND_OF_KNOWN_TIMES,
};
