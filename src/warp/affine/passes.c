/* Passes of loops that only compute. The warp and a copy of it, which is one pass ahead, make a pass
 * together, as the origin and the neighbour of a class of blocks do: q counts passes. What both differ by at
 * the begin and again at the end grows by that in each pass, as long as the constraints hold
 * (docs/block-classes.md, section 5). */
#include "warp/affine/pass.h"

#include <stdlib.h>
#include <string.h>

#include "warp/interpret/base_region.h"
#include "warp/path/path.h"

/* Steps of a pass that is looked for, and how often one is tried with fewer registers taken for affine. */
#define PASS_STEPS_MAX 1024u
#define TRIES_MAX 16u
/* Polls to wait after attempts in vain, at most 2^ of this. */
#define PATIENCE 6u

/* Loops around where a warp stands, the innermost first. */
struct loop_nest {
    struct arena arena;
    uint32_t count;
    struct loop_place places[AXES];
};

/* A loop that is looked at: in runs that go on together already, all of them at its place. */
struct trial {
    struct arena arena;
    struct trial *outer; /* NULL: none */
    struct loop_nest *loops;
    struct loop_place *place; /* one of them: those before it are in this one, and known */
    const struct lockstep *around;
    bool is_copy; /* the first of these runs: nobody wants its path */
    struct run runs[AFFINE_RUNS];
    struct warp *warp, *ahead; /* of the first run, and its copy, which is the last run */
    struct affine_space space;
    struct lockstep lockstep;
    struct pass pass;
    uint32_t number, axis;
    struct path_writer path;        /* of the warp, where a pass begins */
    struct wb_diagnostics messages; /* of the copy: the warp will say the same */
};

/* ---- A pass -------------------------------------------------------------------------------------------- */

/* Whether an instruction does nothing but compute with integers, or branch. */
static bool is_plain(const struct micro *op) {
    const struct ptx_form *form = op->form;
    if (op->accesses_memory) return false;
    if (op->execute == branch_execute || op->execute == nothing_execute || op->execute == group_execute)
        return true;
    return form->exec == PTX_EXEC_ALU && op->nan_type == 0 &&
           ptx_type_kind((enum ptx_type)form->type) != PTX_KIND_FLOAT &&
           ptx_type_kind((enum ptx_type)form->type2) != PTX_KIND_FLOAT;
}

/* Makes the copy of the warp, at the same place. */
static wb_status copy_warp(struct trial *trial) {
    struct warp *ahead = trial->ahead;
    const struct warp *warp = trial->warp;
    struct lanes *registers = ahead->banks[BANK_FRAME];
    const struct path_writer path = ahead->path;
    path_restart(&ahead->path);
    vec_free(&ahead->stack);
    *ahead = *warp;
    ahead->path = path;
    ahead->run = &trial->runs[trial->around->count];
    ahead->accesses = NULL;
    ahead->banks[BANK_FRAME] = registers;
    memcpy(registers, warp->banks[BANK_FRAME], trial->pass.slots * sizeof *registers);
    memset(&ahead->stack, 0, sizeof ahead->stack);
    WB_TRY(vec_reserve(&ahead->stack, warp->stack.count));
    memcpy(ahead->stack.items, warp->stack.items, warp->stack.count * sizeof *warp->stack.items);
    ahead->stack.count = warp->stack.count;
    return WB_OK;
}

static wb_status skip_loop(struct trial *outer, struct loop_nest *loops, uint32_t place,
                           const struct lockstep *around, uint32_t number, bool is_copy, uint64_t *skipped);

/* Notes what the instruction at hand writes, and that the pass has it. */
static void note_step(struct trial *trial, const struct micro *op) {
    const struct warp *warp = trial->warp;
    for (; trial != NULL; trial = trial->outer) {
        place_note(trial->place, warp);
        pass_note(&trial->pass, op);
    }
}

/* Takes runs to behind many passes of a loop in this one, if they stand where passes of one begin. *left:
 * that loop, until they leave it. */
static wb_status skip_inner(struct trial *trial, const struct lockstep *lockstep, bool is_copy,
                            const struct loop_place **left, bool *skips) {
    const struct warp *warp = &lockstep->runs[0].warps[trial->number];
    *skips = false;
    if (*left != NULL && !place_is_around(*left, warp)) *left = NULL;
    for (uint32_t i = 0; *left == NULL && &trial->loops->places[i] != trial->place; i++) {
        uint64_t skipped = 0;
        if (!place_has(&trial->loops->places[i], warp)) continue;
        WB_TRY(skip_loop(trial, trial->loops, i, lockstep, trial->number, is_copy, &skipped));
        if (skipped == 0) return WB_ERR_DECLINED;
        *left = &trial->loops->places[i];
        *skips = true;
    }
    return WB_OK;
}

/* Lets the copy make a pass. WB_ERR_DECLINED: it is in no such loop. */
static wb_status go_ahead(struct trial *trial) {
    struct warp *ahead = trial->ahead;
    const struct lockstep alone = {.runs = &trial->runs[trial->around->count], .count = 1};
    const struct loop_place *left = NULL;
    for (uint32_t step = 0; step < PASS_STEPS_MAX; step++) {
        uint32_t active;
        bool skips;
        const struct micro *op = warp_next(ahead, &active);
        if (op != NULL && !is_plain(op)) return WB_ERR_DECLINED;
        WB_TRY(skip_inner(trial, &alone, true, &left, &skips));
        if (skips) continue;
        if (warp_advance(ahead) != WB_OK || ahead->state != WARP_READY) return WB_ERR_DECLINED;
        if (place_has(trial->place, ahead)) return WB_OK;
    }
    return WB_ERR_DECLINED;
}

/* Lets all make a pass together. WB_ERR_DECLINED: it is not known to be the same each time. */
static wb_status make_pass(struct trial *trial) {
    const struct loop_place *left = NULL;
    trial->lockstep.bend = (struct affine_bend){0};
    for (uint32_t step = 0; step < PASS_STEPS_MAX; step++) {
        uint32_t active;
        bool skips;
        const struct micro *op = warp_next(trial->warp, &active);
        WB_TRY(skip_inner(trial, &trial->lockstep, trial->is_copy, &left, &skips));
        if (skips) continue;
        if (op != NULL) note_step(trial, op);
        WB_TRY(affine_advance(&trial->lockstep, trial->number));
        if (trial->warp->state != WARP_READY) return WB_ERR_DECLINED;
        if (place_has(trial->place, trial->warp)) return WB_OK;
    }
    return WB_ERR_DECLINED;
}

/* ---- Many passes --------------------------------------------------------------------------------------- */

/* Tries from where the warp stands; *skipped: passes. WB_ERR_DECLINED: it is of no use to try again. */
static wb_status try_pass(struct trial *trial, uint64_t *skipped) {
    WB_TRY(copy_warp(trial));
    WB_TRY(go_ahead(trial));
    pass_take(&trial->pass);
    trial->path = trial->warp->path;
    trial->space.constraints.count = 0;
    memset(trial->space.recent, 0, sizeof trial->space.recent);
    trial->place->low = UINT32_MAX;
    trial->place->high = 0;
    WB_TRY(make_pass(trial));
    WB_TRY(passes_constrain(trial->around, &trial->space, trial->axis, 0));
    const uint64_t room = trial->is_copy ? UINT32_MAX : path_repeats(&trial->warp->path, &trial->path);
    if (!pass_check(&trial->pass) || room == 0) return WB_OK;
    const int64_t most = passes_reach(trial->around, &trial->space, trial->axis);
    const uint64_t passes = (uint64_t)most < room ? (uint64_t)most : room;
    if (passes < PASSES_MIN || most == INT64_MAX) return WB_ERR_DECLINED; /* limits end an endless loop */
    WB_TRY(passes_constrain(trial->around, &trial->space, trial->axis, passes));
    for (uint32_t r = 0; r < trial->around->count; r++)
        if (pass_skip(&trial->pass, trial->pass.warps[r], passes)) trial->pass.warps[r]->run->forgot = true;
    if (!trial->is_copy) path_repeat(&trial->warp->path, &trial->path, (uint32_t)passes);
    *skipped = passes;
    return WB_OK;
}

static wb_status begin(struct trial *trial) {
    const struct lockstep *around = trial->around;
    struct arena *arena = &trial->arena;
    trial->warp = &around->runs[0].warps[trial->number];
    trial->axis = AXES - around->count;
    trial->pass = (struct pass){.count = around->count, .by_shadows = around->count > 1};
    for (uint32_t r = 0; r < around->count; r++)
        trial->pass.warps[r] = &around->runs[r].warps[trial->number];
    const wb_status begun = pass_begin(&trial->pass, arena);
    struct warp *warps = arena_array(arena, (size_t)around->runs[0].warp_count + 1, sizeof *warps);
    struct lanes *registers = arena_array(arena, (size_t)trial->pass.slots + 1, sizeof *registers);
    if (begun != WB_OK || warps == NULL || registers == NULL) return run_no_memory(trial->warp->run);
    trial->lockstep = (struct lockstep){.runs = trial->runs, .count = around->count, .space = &trial->space};
    for (uint32_t r = 0; r < around->count; r++) {
        trial->runs[r] = around->runs[r];
        trial->lockstep.axis[r] = around->axis[r];
        if (r > 0) trial->space.step[around->axis[r]] = 1;
    }
    struct run *copy = &trial->runs[trial->lockstep.count];
    trial->lockstep.axis[trial->lockstep.count++] = (uint8_t)trial->axis;
    trial->space.step[trial->axis] = 1;
    *copy = around->runs[0];
    copy->warps = warps;
    copy->diagnostics = &trial->messages;
    copy->next_poll = UINT64_MAX;
    trial->ahead = trial->pass.warps[around->count] = &warps[trial->number];
    trial->ahead->banks[BANK_FRAME] = registers;
    return WB_OK;
}

static void end(struct trial *trial) {
    if (trial->ahead != NULL) {
        path_writer_free(&trial->ahead->path);
        vec_free(&trial->ahead->stack);
    }
    vec_free(&trial->space.constraints);
    diagnostics_clear(&trial->messages);
    arena_free(&trial->arena);
}

/* Skips passes of the loop at a place, where all runs of `around` stand. *skipped: how many; 0: none. */
static wb_status skip_loop(struct trial *outer, struct loop_nest *loops, uint32_t place,
                           const struct lockstep *around, uint32_t number, bool is_copy, uint64_t *skipped) {
    struct trial trial = {.outer = outer,
                          .loops = loops,
                          .place = &loops->places[place],
                          .around = around,
                          .number = number,
                          .is_copy = is_copy};
    wb_status status = begin(&trial);
    for (uint32_t i = 0; status == WB_OK && *skipped == 0 && i < TRIES_MAX; i++)
        status = try_pass(&trial, skipped);
    end(&trial);
    return status == WB_ERR_DECLINED ? WB_OK : status;
}

/* Lets the warp leave the loop whose passes were skipped. WB_ERR_DECLINED: it does not by computing. */
static wb_status leave(const struct loop_place *place, struct warp *warp) {
    for (uint32_t step = 0; step < PASS_STEPS_MAX; step++) {
        uint32_t active;
        if (!place_is_around(place, warp)) return WB_OK;
        const struct micro *op = warp_next(warp, &active);
        if (op != NULL && !is_plain(op)) return WB_ERR_DECLINED;
        WB_TRY(warp_advance(warp));
        if (warp->state != WARP_READY) return WB_ERR_DECLINED;
    }
    return WB_ERR_DECLINED;
}

/* Skips passes of the loop that the warp is in, then of the one around that. *skips: there are some. */
static wb_status skip_loops(struct loop_nest *loops, struct warp *warp, bool *skips) {
    const struct lockstep alone = {.runs = warp->run, .count = 1};
    for (uint32_t i = 0; i < AXES; i++) {
        uint64_t skipped = 0;
        if (i > 0) WB_TRY(leave(&loops->places[i - 1], warp));
        WB_TRY(place_take(&loops->places[loops->count++], warp, &loops->arena));
        WB_TRY(skip_loop(NULL, loops, i, &alone, warp->number, false, &skipped));
        if (skipped == 0) return WB_OK;
        *skips = true;
    }
    return WB_OK;
}

wb_status affine_skip_passes(struct warp *warp) {
    struct run *run = warp->run;
    struct loop_nest loops = {.count = 0};
    bool skips = false;
    if (run->skip_after > 0) {
        run->skip_after--;
        return WB_OK;
    }
    run->skip = NULL; /* not within itself */
    const wb_status status = skip_loops(&loops, warp, &skips);
    run->skip = affine_skip_passes;
    arena_free(&loops.arena);
    run->skip_failures = skips ? 0 : run->skip_failures + (run->skip_failures < PATIENCE);
    run->skip_after = skips ? 0 : (1u << run->skip_failures) - 1;
    return status == WB_ERR_DECLINED ? WB_OK : status;
}
