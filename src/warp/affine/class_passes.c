/* Passes of loops of blocks that are executed by classes, with all that they access. Copies of the runs make
 * a pass side by side, and one of them the next one: a pass is an axis as those of the grid are
 * (docs/block-classes.md, section 5). Nothing is known of memory here, so that copies may write to it. A loop
 * without barriers is one of a warp, one with barriers of all warps of the block. */
#include "warp/affine/pass.h"

#include <string.h>

#include "warp/path/path.h"

/* Rounds of a pass between barriers; how often one is tried with fewer registers taken
 * for affine; passes until the path repeats itself. */
#define ROUNDS_MAX 64u
#define TRIES_MAX 8u
#define TURNS_MAX 8u

/* A warp of a trial. */
struct trial_warp {
    uint32_t number;
    struct pass pass;
    struct loop_place place;
    struct access_list now, next;              /* of a pass, and of the one behind it */
    struct path_writer paths[AFFINE_RUNS - 1]; /* of the class, where its last pass began */
};

struct class_trial {
    struct arena arena;
    struct lockstep *around; /* the class */
    struct run runs[AFFINE_RUNS];
    struct lockstep lockstep, ahead; /* of the copies: all, and the one that is a pass ahead */
    struct affine_space space;
    uint32_t axis;
    struct trial_warp *warps;
    uint32_t count;
    bool of_block;
    bool rounds;          /* a pass rounds products */
    uint64_t steps, most; /* of a pass: to look for one is to take no longer than what was executed */
    struct wb_diagnostics messages; /* of the copies: the class will say the same */
};

/* ---- Copies -------------------------------------------------------------------------------------------- */

/* Makes the copy of a warp that is at the same place. */
static wb_status copy_warp(const struct warp *warp, struct run *run, struct warp *copy) {
    const uint32_t slots = warp->frame->code->slot_count;
    struct lanes *registers = copy->banks[BANK_FRAME];
    const struct path_writer path = copy->path;
    vec_free(&copy->stack);
    *copy = *warp;
    memset(&copy->stack, 0, sizeof copy->stack);
    copy->path = path;
    path_restart(&copy->path);
    copy->run = run;
    copy->accesses = NULL;
    copy->banks[BANK_FRAME] = registers;
    memcpy(registers, warp->banks[BANK_FRAME], slots * sizeof *registers);
    WB_TRY(vec_reserve(&copy->stack, warp->stack.count + 1));
    if (warp->stack.count > 0)
        memcpy(copy->stack.items, warp->stack.items, warp->stack.count * sizeof *warp->stack.items);
    copy->stack.count = warp->stack.count;
    return WB_OK;
}

static const struct run *original_of(const struct class_trial *trial, uint32_t run) {
    return &trial->around->runs[run < trial->around->count ? run : 0];
}

/* Takes all copies to where the class stands. */
static wb_status copy_warps(struct class_trial *trial) {
    for (uint32_t r = 0; r < trial->lockstep.count; r++) {
        memcpy(trial->runs[r].barriers, trial->around->runs[0].barriers, sizeof trial->runs[r].barriers);
        for (uint32_t i = 0; i < trial->count; i++) {
            const uint32_t number = trial->warps[i].number;
            WB_TRY(copy_warp(&original_of(trial, r)->warps[number], &trial->runs[r],
                             &trial->runs[r].warps[number]));
        }
    }
    return WB_OK;
}

static wb_status begin_run(struct class_trial *trial, uint32_t r) {
    struct run *run = &trial->runs[r];
    *run = *original_of(trial, r);
    run->diagnostics = &trial->messages;
    run->next_poll = UINT64_MAX;
    run->products = (struct products){.full = true};
    run->warps = arena_array(&trial->arena, (size_t)run->warp_count + 1, sizeof *run->warps);
    for (uint32_t i = 0; run->warps != NULL && i < trial->count; i++) {
        struct trial_warp *of = &trial->warps[i];
        const uint32_t slots = trial->around->runs[0].warps[of->number].frame->code->slot_count;
        struct warp *copy = of->pass.warps[r] = &run->warps[of->number];
        copy->banks[BANK_FRAME] = arena_array(&trial->arena, (size_t)slots + 1, sizeof(struct lanes));
        if (copy->banks[BANK_FRAME] == NULL) return WB_ERR_LIMIT;
    }
    return run->warps == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* An axis that the class does not use; AXES: none. */
static uint32_t free_axis(const struct lockstep *around) {
    uint32_t axis = 0;
    for (bool used = true; used && axis < AXES; axis += used) {
        used = false;
        for (uint32_t r = 1; r < around->count; r++)
            used |= around->axis[r] == axis;
    }
    return axis;
}

static wb_status begin(struct class_trial *trial, uint32_t first) {
    const struct lockstep *around = trial->around;
    trial->warps = arena_array(&trial->arena, trial->count, sizeof *trial->warps);
    if (trial->warps == NULL) return WB_ERR_LIMIT;
    trial->lockstep = *around;
    trial->lockstep.runs = trial->runs;
    trial->lockstep.space = &trial->space;
    trial->lockstep.search = NULL;
    trial->lockstep.axis[trial->lockstep.count++] = (uint8_t)trial->axis;
    trial->ahead = (struct lockstep){.runs = &trial->runs[around->count], .count = 1};
    for (uint32_t r = 1; r < trial->lockstep.count; r++)
        trial->space.step[trial->lockstep.axis[r]] = 1;
    for (uint32_t i = 0; i < trial->count; i++) {
        struct trial_warp *of = &trial->warps[i];
        of->number = first + i;
        of->pass = (struct pass){.count = around->count, .by_shadows = true};
        WB_TRY(place_take(&of->place, &around->runs[0].warps[of->number], &trial->arena));
    }
    for (uint32_t r = 0; r < trial->lockstep.count; r++)
        WB_TRY(begin_run(trial, r));
    WB_TRY(copy_warps(trial));
    for (uint32_t i = 0; i < trial->count; i++)
        WB_TRY(pass_begin(&trial->warps[i].pass, &trial->arena));
    return WB_OK;
}

static void end(struct class_trial *trial) {
    for (uint32_t i = 0; trial->warps != NULL && i < trial->count; i++) {
        struct trial_warp *of = &trial->warps[i];
        access_list_free(&of->now);
        access_list_free(&of->next);
        for (uint32_t r = 0; r < trial->lockstep.count && of->pass.warps[r] != NULL; r++) {
            path_writer_free(&of->pass.warps[r]->path);
            vec_free(&of->pass.warps[r]->stack);
        }
    }
    vec_free(&trial->space.constraints);
    diagnostics_clear(&trial->messages);
    arena_free(&trial->arena);
}

/* ---- A pass -------------------------------------------------------------------------------------------- */

/* Whether passes with the instruction can be repeated: it leaves no function, and all that it does besides is
 * in registers, the path and records of accesses. */
static bool is_repeatable(const struct class_trial *trial, const struct micro *op) {
    if (op->execute == barrier_execute) return trial->of_block;
    return op->form->exec == PTX_EXEC_ALU || op->form->exec == PTX_EXEC_WARP ||
           op->execute == branch_execute || op->execute == nothing_execute || op->execute == group_execute ||
           op->execute == load_execute || op->execute == store_execute || op->execute == atomic_execute ||
           op->execute == copy_execute || op->execute == ldmatrix_execute ||
           op->execute == stmatrix_execute || op->execute == bssy_execute || op->execute == bsync_execute ||
           op->execute == warpsync_execute || op->execute == warp_sync_execute;
}

/* Whether the instruction makes products that a compiler may join with sums. */
static bool rounds_products(const struct micro *op) {
    return op->form->exec == PTX_EXEC_ALU && op->form->op != PTX_OP_FMA &&
           ptx_type_kind((enum ptx_type)op->form->type) == PTX_KIND_FLOAT;
}

/* Lets a warp go on by an instruction in the runs of one of the three: the copy ahead, the copies, the class.
 */
static wb_status step(struct class_trial *trial, struct lockstep *lockstep, struct trial_warp *of) {
    struct warp *warp = &lockstep->runs[0].warps[of->number];
    uint32_t active;
    const struct micro *op = warp_next(warp, &active);
    trial->steps += lockstep->count;
    if (lockstep == &trial->ahead && trial->steps > trial->most) return WB_ERR_DECLINED;
    if (lockstep == &trial->ahead && op != NULL) {
        if (!is_repeatable(trial, op)) return WB_ERR_DECLINED;
        trial->rounds |= rounds_products(op);
    }
    if (lockstep == &trial->ahead) return warp_advance(warp);
    if (lockstep == &trial->lockstep && op != NULL) {
        place_note(&of->place, warp);
        pass_note(&of->pass, op);
    }
    return affine_advance(lockstep, of->number);
}

/* Whether no barrier of the block has been reached by some warps only. */
static bool are_barriers_empty(const struct run *run) {
    for (uint32_t i = 0; i < BARRIER_COUNT; i++)
        if (run->barriers[i].arrived != 0) return false;
    return true;
}

/* Lets a warp run until it waits. */
static wb_status make_turn(struct class_trial *trial, struct lockstep *lockstep, struct trial_warp *of) {
    const struct warp *warp = &lockstep->runs[0].warps[of->number];
    for (uint32_t r = 0; r < lockstep->count; r++) {
        struct warp *released = &lockstep->runs[r].warps[of->number];
        if (released->state == WARP_RELEASED) released->state = WARP_READY;
    }
    while (warp->state == WARP_READY)
        WB_TRY(step(trial, lockstep, of));
    return WB_OK;
}

/* Lets the warps of the block go from barrier to barrier until they are where the pass began. */
static wb_status make_rounds(struct class_trial *trial, struct lockstep *lockstep) {
    for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
        bool back = true;
        for (uint32_t i = 0; i < trial->count; i++)
            if (trial->warps[i].place.state != WARP_DONE)
                WB_TRY(make_turn(trial, lockstep, &trial->warps[i]));
        for (uint32_t i = 0; i < trial->count; i++) {
            const struct warp *warp = &lockstep->runs[0].warps[trial->warps[i].number];
            if (warp->state != trial->warps[i].place.state) return WB_ERR_DECLINED;
            back &= place_has(&trial->warps[i].place, warp);
        }
        if (back && are_barriers_empty(&lockstep->runs[0])) return WB_OK;
    }
    return WB_ERR_DECLINED;
}

/* Lets all runs make a pass. WB_ERR_DECLINED: they do not come back. */
static wb_status make_pass(struct class_trial *trial, struct lockstep *lockstep) {
    struct trial_warp *of = &trial->warps[0];
    if (trial->of_block) return make_rounds(trial, lockstep);
    for (;;) {
        const struct warp *warp = &lockstep->runs[0].warps[of->number];
        WB_TRY(step(trial, lockstep, of));
        if (warp->state != WARP_READY) return WB_ERR_DECLINED;
        if (place_has(&of->place, warp)) return WB_OK;
    }
}

/* Lets the copies make a pass, of which registers are taken for flat or affine by what the next one shows.
 * *right: they are. WB_ERR_DECLINED: there is no loop, or it is not known to be the same each time. */
static wb_status try_pass(struct class_trial *trial, bool *right) {
    WB_TRY(make_pass(trial, &trial->ahead));
    for (uint32_t i = 0; i < trial->count; i++) {
        struct trial_warp *of = &trial->warps[i];
        pass_take(&of->pass);
        of->place.low = UINT32_MAX;
        of->place.high = 0;
        of->now.items.count = of->now.tables.count = of->next.items.count = of->next.tables.count = 0;
        of->pass.warps[0]->accesses = &of->now;
        of->pass.warps[of->pass.count]->accesses = &of->next;
    }
    trial->space.constraints.count = 0;
    memset(trial->space.recent, 0, sizeof trial->space.recent);
    WB_TRY(make_pass(trial, &trial->lockstep));
    *right = true;
    for (uint32_t i = 0; i < trial->count; i++) {
        struct trial_warp *of = &trial->warps[i];
        *right &= pass_check(&of->pass);
        if (!access_lists_alike(&of->now, &of->next)) return WB_ERR_DECLINED;
    }
    return WB_OK;
}

/* Finds how many passes behind the next one take the same way; 0: too few, or it is not known. */
static uint64_t find_passes(struct class_trial *trial) {
    bool right = false;
    for (uint32_t i = 0; !right && i < TRIES_MAX; i++) {
        trial->most = trial->steps + trial->around->search->steps + trial->around->search->from;
        if ((i > 0 && copy_warps(trial) != WB_OK) || try_pass(trial, &right) != WB_OK) return 0;
    }
    if (!right || trial->space.failed) return 0;
    const int64_t most = passes_reach(trial->around, &trial->space, trial->axis);
    return most < PASSES_MIN || most == INT64_MAX ? 0 : (uint64_t)most;
}

/* ---- Many passes --------------------------------------------------------------------------------------- */

/* Lets the class make a pass; returns how often its paths can be told to repeat that. */
static wb_status make_real_pass(struct class_trial *trial, uint64_t *room) {
    struct lockstep *around = trial->around;
    for (uint32_t i = 0; i < trial->count; i++)
        for (uint32_t r = 0; r < around->count; r++)
            trial->warps[i].paths[r] = around->runs[r].warps[trial->warps[i].number].path;
    WB_TRY(make_pass(trial, around));
    *room = UINT64_MAX;
    for (uint32_t i = 0; i < trial->count; i++)
        for (uint32_t r = 0; r < around->count; r++) {
            const struct warp *warp = &around->runs[r].warps[trial->warps[i].number];
            const uint64_t repeats = path_repeats(&warp->path, &trial->warps[i].paths[r]);
            if (warp->state != WARP_DONE && repeats < *room) *room = repeats;
        }
    return WB_OK;
}

/* Continues a warp of a run of the class, which has just made a pass, behind so many more. */
static wb_status skip(const struct class_trial *trial, struct trial_warp *of, uint32_t r, uint64_t passes) {
    struct run *run = &trial->around->runs[r];
    struct warp *warp = &run->warps[of->number];
    if (warp->state == WARP_DONE) return WB_OK;
    const uint64_t length = warp->path.path.length - of->paths[r].path.length;
    WB_TRY(access_need_room(warp, passes, of->now.items.count));
    if (warp->accesses != NULL && access_repeat(warp->accesses, &of->now, &of->next, length, passes) != WB_OK)
        return run_no_memory(run);
    (void)pass_skip(&of->pass, warp, passes);
    path_repeat(&warp->path, &of->paths[r], (uint32_t)passes);
    run->products.full |= trial->rounds;
    return run_check_memory(run);
}

/* Continues the class behind the passes that take the same way as the next one, which are `most` more. */
static wb_status skip_passes(struct class_trial *trial, uint64_t most, bool *skips) {
    for (uint32_t turn = 0; turn < TURNS_MAX; turn++) {
        uint64_t room;
        WB_TRY(make_real_pass(trial, &room));
        if (room == 0) continue;
        const uint64_t passes = most - turn < room ? most - turn : room;
        WB_TRY(passes_constrain(trial->around, &trial->space, trial->axis, 0));
        WB_TRY(passes_constrain(trial->around, &trial->space, trial->axis, turn + passes));
        for (uint32_t i = 0; i < trial->count; i++)
            for (uint32_t r = 0; r < trial->around->count; r++)
                WB_TRY(skip(trial, &trial->warps[i], r, passes));
        *skips = true;
        return WB_OK;
    }
    return WB_OK;
}

/* Looks for passes of the loop in which a warp, or the block, stands. */
static wb_status search_from(struct lockstep *around, uint32_t first, uint32_t count, bool of_block) {
    struct pass_search *search = around->search;
    struct class_trial trial = {
        .around = around, .count = count, .of_block = of_block, .axis = free_axis(around)};
    bool skips = false, found = false;
    wb_status status = WB_OK;
    if (trial.axis < AXES && begin(&trial, first) == WB_OK) {
        const uint64_t most = find_passes(&trial);
        const struct loop_place *place = &trial.warps[0].place;
        found = place->low <= place->high;
        if (found && !of_block) {
            search->left = (struct loop_place){.low = place->low, .high = place->high};
            search->left_by = first;
            search->left_until = search->steps + 4 * trial.steps;
        }
        if (most > 0) status = skip_passes(&trial, most, &skips);
    }
    search->skips |= skips || status != WB_OK;
    search->next[of_block] = search->steps + (skips ? 0 : 2 * trial.steps) + (found ? 0 : search->from);
    end(&trial);
    return status;
}

wb_status affine_search_warp(struct lockstep *lockstep, uint32_t number) {
    const struct warp *warp = &lockstep->runs[0].warps[number];
    const struct pass_search *search = lockstep->search;
    uint32_t active;
    if (warp->depth != 1 || warp_next(&lockstep->runs[0].warps[number], &active) == NULL ||
        (search->left_by == number && search->steps < search->left_until &&
         place_is_around(&search->left, warp)))
        return WB_OK;
    return search_from(lockstep, number, 1, false);
}

wb_status affine_search_block(struct lockstep *lockstep) {
    const struct run *run = &lockstep->runs[0];
    bool begun = are_barriers_empty(run), some = false;
    for (uint32_t w = 0; w < run->warp_count; w++) {
        begun &= run->warps[w].state == WARP_RELEASED || run->warps[w].state == WARP_DONE;
        begun &= run->warps[w].depth <= 1;
        some |= run->warps[w].state == WARP_RELEASED;
    }
    return begun && some ? search_from(lockstep, 0, run->warp_count, true) : WB_OK;
}
