/* Passes of loops that only compute. The warp and a copy of it, which is one pass ahead, make a pass
 * together, as the origin and the neighbour of a class of blocks do: q counts passes. What both differ by at
 * the begin and again at the end grows by that in each pass, as long as the constraints hold
 * (docs/block-classes.md, section 5). */
#include "warp/affine/affine.h"

#include <stdlib.h>
#include <string.h>

#include "warp/interpret/base_region.h"
#include "warp/path/path.h"

/* Steps of a pass that is looked for, and how often one is tried with fewer registers taken for affine. */
#define PASS_STEPS_MAX 1024u
#define TRIES_MAX 16u
/* Least passes to skip. */
#define PASSES_MIN 16
/* Polls to wait after attempts in vain, at most 2^ of this. */
#define PATIENCE 6u

static const struct affine_shadow by_data = {.bend.data = true};

/* A register before the pass. */
struct before {
    struct lanes lanes[AFFINE_RUNS - 1]; /* in each run but that of the copy */
    uint32_t flat, affine;               /* lanes that are taken for so */
    uint32_t bent;                       /* and those that are not, after a try in vain */
    bool written;                        /* in the pass */
    uint64_t step[WARP_LANES];
};

/* Where passes of a loop begin, and the instructions that they have. */
struct loop_place {
    struct simt_entry *stack;
    size_t depth;
    uint32_t low, high;
};

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
    struct before *before; /* per register */
    uint32_t slots, number, axis;
    struct path_writer path;        /* of the warp, where a pass begins */
    struct wb_diagnostics messages; /* of the copy: the warp will say the same */
};

static struct lanes *register_of(const struct warp *warp, uint32_t slot) {
    return &warp->banks[BANK_FRAME][slot];
}

static struct lanes *register_in(const struct trial *trial, uint32_t run, uint32_t slot) {
    return register_of(&trial->runs[run].warps[trial->number], slot);
}

/* Bits of a register; 0 of what is no number. */
static uint32_t bits_of(const struct warp *warp, uint32_t slot) {
    const struct ptx_function *function = warp->frame->code->function;
    if (slot >= function->reg_count) return 0;
    const enum ptx_type type = function->groups[function->reg_group[slot]].type;
    return type == PTX_PRED ? 1 : 8 * ptx_type_bytes(type);
}

/* Lanes with the same value in two states of a register. */
static uint32_t equal_lanes(const struct warp *warp, uint32_t slot, const struct lanes *a,
                            const struct lanes *b) {
    return lanes_equal(a, b, bits_of(warp, slot) <= 1);
}

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

/* Whether a warp stands where a pass begins. */
static bool is_at(const struct loop_place *place, const struct warp *warp) {
    if (warp->stack.count != place->depth) return false;
    for (size_t i = place->depth; i-- > 0;) {
        const struct simt_entry *a = &warp->stack.items[i], *b = &place->stack[i];
        if (a->pc != b->pc || a->reconvergence != b->reconvergence || a->mask != b->mask ||
            a->wait != b->wait || a->set != b->set || a->expected != b->expected)
            return false;
    }
    return true;
}

static bool is_within(const struct loop_place *place, const struct warp *warp) {
    if (warp->stack.count == 0) return false;
    const uint32_t pc = warp->stack.items[warp->stack.count - 1].pc;
    return pc >= place->low && pc <= place->high;
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
    memcpy(registers, warp->banks[BANK_FRAME], trial->slots * sizeof *registers);
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
    const uint32_t pc = trial->warp->stack.items[trial->warp->stack.count - 1].pc;
    for (; trial != NULL; trial = trial->outer) {
        if (pc < trial->place->low) trial->place->low = pc;
        if (pc > trial->place->high) trial->place->high = pc;
        for (uint32_t i = 0; i < op->output_count; i++)
            if (op->outputs[i].bank == BANK_FRAME) trial->before[op->outputs[i].index].written = true;
    }
}

/* Takes runs to behind many passes of a loop in this one, if they stand where passes of one begin. *left:
 * that loop, until they leave it. */
static wb_status skip_inner(struct trial *trial, const struct lockstep *lockstep, bool is_copy,
                            const struct loop_place **left, bool *skips) {
    const struct warp *warp = &lockstep->runs[0].warps[trial->number];
    *skips = false;
    if (*left != NULL && !is_within(*left, warp)) *left = NULL;
    for (uint32_t i = 0; *left == NULL && &trial->loops->places[i] != trial->place; i++) {
        uint64_t skipped = 0;
        if (!is_at(&trial->loops->places[i], warp)) continue;
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
        if (is_at(trial->place, ahead)) return WB_OK;
    }
    return WB_ERR_DECLINED;
}

/* The lanes of a register that are flat or affine in the runs that go on together already. */
static uint32_t usable_lanes(const struct trial *trial, uint32_t slot, uint32_t *flat) {
    const struct affine_shadow *shadow = &register_of(trial->warp, slot)->shadow;
    *flat = trial->around->count == 1 ? LANES_ALL : shadow->flat;
    return *flat | (shadow->bits >= bits_of(trial->warp, slot) ? shadow->affine : 0);
}

/* Takes registers for flat or affine by what a pass changed. */
static void begin_shadows(struct trial *trial) {
    const struct function_code *code = trial->warp->frame->code;
    const uint32_t local = code->uses_local ? code->function->reg_count + SLOT_LOCAL_BASE : UINT32_MAX;
    for (uint32_t i = 0; i < trial->slots; i++) {
        struct before *before = &trial->before[i];
        const struct lanes *lanes = register_of(trial->warp, i), *next = register_of(trial->ahead, i);
        const uint32_t bits = bits_of(trial->warp, i), equal = equal_lanes(trial->warp, i, lanes, next);
        const bool alike = lanes->base_region == next->base_region && lanes->numbers == next->numbers;
        uint32_t flat, known = usable_lanes(trial, i, &flat);
        known &= alike ? lanes->known & next->known & ~before->bent : 0;
        for (uint32_t r = 0; r < trial->around->count; r++)
            before->lanes[r] = *register_in(trial, r, i);
        before->written = i >= code->function->reg_count; /* carries are no outputs */
        before->flat = known & equal & flat;
        before->affine = bits < 32 || lanes->base_region != BASE_REGION_NONE ? 0 : known & ~before->flat;
        if (bits == 0 && i != local) before->flat = 0; /* carries, and what nobody reads */
        FOR_LANES_OF(l, before->affine) before->step[l] = next->value[l] - lanes->value[l];
        struct affine_shadow shadow = by_data;
        shadow.flat = before->flat;
        shadow.affine = before->affine;
        shadow.bits = (uint8_t)bits;
        for (uint32_t r = 0; r <= trial->around->count; r++)
            register_in(trial, r, i)->shadow = shadow;
    }
}

/* The lanes of those taken for flat or affine in which a register grew by its steps in all runs. */
static uint32_t grown_lanes(const struct trial *trial, uint32_t slot) {
    const struct before *before = &trial->before[slot];
    const struct lanes *lanes = register_of(trial->warp, slot), *next = register_of(trial->ahead, slot);
    const struct affine_shadow *shadow = &lanes->shadow;
    const uint32_t bits = bits_of(trial->warp, slot);
    const uint64_t mask = low_bits(bits);
    uint32_t flat = before->flat & shadow->flat & equal_lanes(trial->warp, slot, lanes, next) &
                    equal_lanes(trial->warp, slot, lanes, &before->lanes[0]) & next->known;
    uint32_t affine =
        shadow->bits < bits ? 0 : before->affine & (shadow->flat | shadow->affine) & next->known;
    FOR_LANES_OF(l, before->affine)
    if (((next->value[l] - lanes->value[l] - before->step[l]) & mask) != 0) affine &= ~(1u << l);
    for (uint32_t r = 0; r < trial->around->count; r++) {
        const struct lanes *now = register_in(trial, r, slot), *then = &before->lanes[r];
        FOR_LANES_OF(l, before->affine)
        if (((now->value[l] - then->value[l] - before->step[l]) & mask) != 0) affine &= ~(1u << l);
        flat &= now->known;
        affine &= now->known;
        if (now->base_region != then->base_region || now->base_region != next->base_region ||
            now->numbers != then->numbers || now->numbers != next->numbers)
            return 0;
    }
    return flat | affine;
}

/* Notes which registers are not what they were taken for, now that all have made a pass; true: none. */
static bool check_shadows(struct trial *trial) {
    bool right = true;
    for (uint32_t i = 0; i < trial->slots; i++) {
        struct before *before = &trial->before[i];
        const uint32_t wrong = (before->flat | before->affine) & ~grown_lanes(trial, i);
        before->bent |= wrong;
        right &= wrong == 0;
    }
    return right;
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
        if (is_at(trial->place, trial->warp)) return WB_OK;
    }
    return WB_ERR_DECLINED;
}

/* ---- Many passes --------------------------------------------------------------------------------------- */

/* How many more passes take the same way as the one made just now, in all runs; 0: too few are known to. */
static uint64_t passes_to_skip(const struct trial *trial) {
    uint64_t room = trial->is_copy ? UINT32_MAX : path_repeats(&trial->warp->path, &trial->path);
    int64_t most = INT64_MAX;
    for (uint32_t r = 0; r < trial->around->count; r++) {
        int64_t steps[AXES] = {0};
        if (r > 0) steps[trial->around->axis[r]] = 1;
        most = affine_reach(&trial->space, steps, trial->axis, most);
    }
    if (most == INT64_MAX) return 0; /* an endless loop is left to the limits */
    return (uint64_t)most < room ? (uint64_t)most : room;
}

/* What the passes demand of the runs that go on together already: at the first of them and at the last, and
 * so at all between. */
static wb_status keep_constraints(const struct trial *trial, uint64_t passes) {
    for (size_t i = 0; trial->around->count > 1 && i < trial->space.constraints.count; i++) {
        struct affine_constraint kept = trial->space.constraints.items[i];
        const __int128 added = kept.c[trial->axis] * (__int128)passes;
        kept.c[trial->axis] = 0;
        kept.low -= added;
        kept.high -= added;
        affine_constrain(trial->around->space, &kept);
    }
    return trial->around->count > 1 && trial->around->space->failed ? WB_ERR_DECLINED : WB_OK;
}

/* Continues all runs but that of the copy, which have made the first pass, behind `passes` more. */
static void skip(struct trial *trial, uint64_t passes) {
    for (uint32_t r = 0; r < trial->around->count; r++) {
        for (uint32_t i = 0; i < trial->slots; i++) {
            const struct before *before = &trial->before[i];
            struct lanes *lanes = register_in(trial, r, i);
            const uint64_t mask = low_bits(bits_of(trial->warp, i));
            const uint32_t others = ~(before->flat | before->affine);
            lanes->shadow = before->lanes[0].shadow; /* what differs in these runs is what did */
            FOR_LANES_OF(l, before->affine)
            lanes->value[l] = (lanes->value[l] + passes * before->step[l]) & mask;
            if (!before->written) continue;
            lanes->shadow.flat &= ~others;
            lanes->shadow.affine &= ~others;
            lanes->shadow.signs = 0;
            if ((others & (lanes->known | lanes->halved | lanes->partial)) == 0) continue;
            lanes_forget(lanes, others, lanes->origin);
            trial->runs[r].warps[trial->number].run->forgot = true;
        }
    }
}

/* Tries from where the warp stands; *skipped: passes. WB_ERR_DECLINED: it is of no use to try again. */
static wb_status try_pass(struct trial *trial, uint64_t *skipped) {
    WB_TRY(copy_warp(trial));
    WB_TRY(go_ahead(trial));
    begin_shadows(trial);
    trial->path = trial->warp->path;
    trial->space.constraints.count = 0;
    memset(trial->space.recent, 0, sizeof trial->space.recent);
    trial->place->low = UINT32_MAX;
    trial->place->high = 0;
    WB_TRY(make_pass(trial));
    WB_TRY(keep_constraints(trial, 0));
    if (!check_shadows(trial) || (!trial->is_copy && path_repeats(&trial->warp->path, &trial->path) == 0))
        return WB_OK;
    const uint64_t passes = passes_to_skip(trial);
    if (passes < PASSES_MIN) return WB_ERR_DECLINED;
    WB_TRY(keep_constraints(trial, passes));
    skip(trial, passes);
    if (!trial->is_copy) path_repeat(&trial->warp->path, &trial->path, (uint32_t)passes);
    *skipped = passes;
    return WB_OK;
}

static wb_status begin(struct trial *trial) {
    const struct lockstep *around = trial->around;
    struct arena *arena = &trial->arena;
    trial->warp = &around->runs[0].warps[trial->number];
    trial->slots = trial->warp->frame->code->slot_count;
    trial->axis = AXES - around->count;
    trial->before = arena_array(arena, (size_t)trial->slots + 1, sizeof *trial->before);
    struct warp *warps = arena_array(arena, (size_t)around->runs[0].warp_count + 1, sizeof *warps);
    struct lanes *registers = arena_array(arena, (size_t)trial->slots + 1, sizeof *registers);
    if (trial->before == NULL || warps == NULL || registers == NULL) return run_no_memory(trial->warp->run);
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
    trial->ahead = &warps[trial->number];
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

/* Takes the place where the warp stands for the next one. */
static wb_status add_place(struct loop_nest *loops, const struct warp *warp) {
    struct loop_place *place = &loops->places[loops->count];
    const size_t depth = warp->stack.count;
    place->stack = arena_array(&loops->arena, depth, sizeof *place->stack);
    if (place->stack == NULL) return run_no_memory(warp->run);
    memcpy(place->stack, warp->stack.items, depth * sizeof *place->stack);
    place->depth = depth;
    loops->count++;
    return WB_OK;
}

/* Lets the warp leave the loop whose passes were skipped. WB_ERR_DECLINED: it does not by computing. */
static wb_status leave(const struct loop_place *place, struct warp *warp) {
    for (uint32_t step = 0; step < PASS_STEPS_MAX; step++) {
        uint32_t active;
        if (!is_within(place, warp)) return WB_OK;
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
        WB_TRY(add_place(loops, warp));
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
