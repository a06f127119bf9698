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
/* The axis that stands for passes. */
#define PASS_AXIS 2u

static const struct affine_shadow by_data = {.bend.data = true};

/* A register before the pass. */
struct before {
    struct lanes lanes;
    uint32_t flat, affine; /* lanes that are taken for so */
    uint32_t bent;         /* and those that are not, after a try in vain */
    bool written;          /* in the pass */
    uint64_t step[WARP_LANES];
};

struct trial {
    struct arena arena;
    struct run runs[2]; /* the warp's, and that of the copy */
    struct warp *warp, *ahead;
    struct affine_space space;
    struct lockstep lockstep;
    struct before *before; /* per register */
    uint32_t slots;
    struct simt_entry *stack; /* of the warp, where a pass begins */
    size_t stack_count;
    struct path_writer path;        /* likewise */
    struct wb_diagnostics messages; /* of the copy: the warp will say the same */
};

static struct lanes *register_of(const struct warp *warp, uint32_t slot) {
    return &warp->banks[BANK_FRAME][slot];
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
static bool is_at_begin(const struct trial *trial, const struct warp *warp) {
    if (warp->stack.count != trial->stack_count) return false;
    for (size_t i = 0; i < trial->stack_count; i++) {
        const struct simt_entry *a = &warp->stack.items[i], *b = &trial->stack[i];
        if (a->pc != b->pc || a->reconvergence != b->reconvergence || a->mask != b->mask ||
            a->wait != b->wait || a->set != b->set || a->expected != b->expected)
            return false;
    }
    return true;
}

/* Makes the copy of the warp, at the same place. */
static wb_status copy_warp(struct trial *trial) {
    struct warp *ahead = trial->ahead;
    const struct warp *warp = trial->warp;
    struct lanes *registers = ahead->banks[BANK_FRAME];
    const struct path_writer path = ahead->path;
    const struct simt_entry *items = trial->stack;
    path_restart(&ahead->path);
    vec_free(&ahead->stack);
    *ahead = *warp;
    ahead->path = path;
    ahead->run = &trial->runs[1];
    ahead->accesses = NULL;
    ahead->banks[BANK_FRAME] = registers;
    memcpy(registers, warp->banks[BANK_FRAME], trial->slots * sizeof *registers);
    memset(&ahead->stack, 0, sizeof ahead->stack);
    WB_TRY(vec_reserve(&ahead->stack, trial->stack_count));
    memcpy(ahead->stack.items, items, trial->stack_count * sizeof *items);
    ahead->stack.count = trial->stack_count;
    return WB_OK;
}

/* Lets the copy make a pass. False: it is in no such loop. */
static bool go_ahead(const struct trial *trial) {
    struct warp *ahead = trial->ahead;
    for (uint32_t step = 0; step < PASS_STEPS_MAX; step++) {
        uint32_t active;
        const struct micro *op = warp_next(ahead, &active);
        if (op != NULL && !is_plain(op)) return false;
        if (warp_advance(ahead) != WB_OK || ahead->state != WARP_READY) return false;
        if (is_at_begin(trial, ahead)) return true;
    }
    return false;
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
        const uint32_t known = alike ? lanes->known & next->known & ~before->bent : 0;
        before->lanes = *lanes;
        before->written = i >= code->function->reg_count; /* carries are no outputs */
        before->flat = known & equal;
        before->affine = bits < 32 || lanes->base_region != BASE_REGION_NONE ? 0 : known & ~equal;
        if (bits == 0 && i != local) before->flat = 0; /* carries, and what nobody reads */
        FOR_LANES_OF(l, before->affine) before->step[l] = next->value[l] - lanes->value[l];
        struct affine_shadow shadow = by_data;
        shadow.flat = before->flat;
        shadow.affine = before->affine;
        shadow.bits = (uint8_t)bits;
        register_of(trial->warp, i)->shadow = register_of(trial->ahead, i)->shadow = shadow;
    }
}

/* Notes which registers are not what they were taken for, now that both have made a pass; true: none. */
static bool check_shadows(struct trial *trial) {
    bool right = true;
    for (uint32_t i = 0; i < trial->slots; i++) {
        struct before *before = &trial->before[i];
        const struct lanes *lanes = register_of(trial->warp, i), *next = register_of(trial->ahead, i);
        const struct affine_shadow *shadow = &lanes->shadow;
        const uint32_t bits = bits_of(trial->warp, i), known = lanes->known & next->known;
        const bool alike = lanes->base_region == before->lanes.base_region &&
                           lanes->base_region == next->base_region &&
                           lanes->numbers == before->lanes.numbers && lanes->numbers == next->numbers;
        uint32_t wrong = before->flat & ~(shadow->flat & known & equal_lanes(trial->warp, i, lanes, next) &
                                          equal_lanes(trial->warp, i, lanes, &before->lanes));
        FOR_LANES_OF(l, before->affine) {
            const bool grows = (shadow->flat | shadow->affine) >> l & known >> l & 1;
            const uint64_t step = before->step[l];
            if (!grows || shadow->bits < bits ||
                ((lanes->value[l] - before->lanes.value[l] - step) & low_bits(bits)) != 0 ||
                ((next->value[l] - lanes->value[l] - step) & low_bits(bits)) != 0)
                wrong |= 1u << l;
        }
        if (!alike) wrong |= before->flat | before->affine;
        before->bent |= wrong;
        right &= wrong == 0;
    }
    return right;
}

/* Lets both make a pass together. WB_ERR_DECLINED: it is not known to be the same each time. */
static wb_status make_pass(struct trial *trial) {
    const uint32_t number = trial->warp->number;
    trial->lockstep.bend = (struct affine_bend){0};
    for (uint32_t step = 0; step < PASS_STEPS_MAX; step++) {
        uint32_t active;
        const struct micro *op = warp_next(trial->warp, &active);
        for (uint32_t i = 0; op != NULL && i < op->output_count; i++)
            if (op->outputs[i].bank == BANK_FRAME) trial->before[op->outputs[i].index].written = true;
        WB_TRY(affine_advance(&trial->lockstep, number));
        if (trial->warp->state != WARP_READY) return WB_ERR_DECLINED;
        if (is_at_begin(trial, trial->warp)) return WB_OK;
    }
    return WB_ERR_DECLINED;
}

/* ---- Many passes --------------------------------------------------------------------------------------- */

/* Continues the warp, which has made the first pass, behind `passes` more. */
static void skip(struct trial *trial, uint64_t passes) {
    struct warp *warp = trial->warp;
    for (uint32_t i = 0; i < trial->slots; i++) {
        const struct before *before = &trial->before[i];
        struct lanes *lanes = register_of(warp, i);
        const uint64_t mask = low_bits(bits_of(warp, i));
        const uint32_t others = ~(before->flat | before->affine);
        FOR_LANES_OF(l, before->affine) lanes->value[l] = (lanes->value[l] + passes * before->step[l]) & mask;
        if (!before->written || (others & (lanes->known | lanes->halved | lanes->partial)) == 0) continue;
        lanes_forget(lanes, others, lanes->origin);
        warp->run->forgot = true;
    }
}

/* Tries from where the warp stands; *skipped: passes. */
static wb_status try_pass(struct trial *trial, bool *done, uint64_t *skipped) {
    struct warp *warp = trial->warp;
    const int64_t none[AXES] = {0};
    *done = true;
    trial->path = warp->path;
    WB_TRY(copy_warp(trial));
    if (!go_ahead(trial)) return WB_OK;
    begin_shadows(trial);
    trial->space.constraints.count = 0;
    memset(trial->space.recent, 0, sizeof trial->space.recent);
    const wb_status status = make_pass(trial);
    if (status != WB_OK) return status == WB_ERR_DECLINED ? WB_OK : status;
    *done = check_shadows(trial);
    if (!*done) return WB_OK;
    const uint64_t length = warp->path.path.length - trial->path.path.length;
    const int64_t room = (int64_t)UINT32_MAX - 1 - warp->path.repeats;
    const int64_t most = affine_reach(&trial->space, none, PASS_AXIS, INT64_MAX);
    if (most == INT64_MAX || most < PASSES_MIN || room < PASSES_MIN ||
        !path_repeats(&warp->path, &trial->path, length))
        return WB_OK; /* an endless loop is left to the limits */
    *skipped = (uint64_t)(most < room ? most : room);
    skip(trial, *skipped);
    path_repeat(&warp->path, length, (uint32_t)*skipped);
    return WB_OK;
}

static wb_status begin(struct trial *trial, struct warp *warp) {
    struct run *run = warp->run;
    struct arena *arena = &trial->arena;
    trial->warp = warp;
    trial->slots = warp->frame->code->slot_count;
    trial->stack_count = warp->stack.count;
    trial->stack = arena_array(arena, trial->stack_count + 1, sizeof *trial->stack);
    trial->before = arena_array(arena, (size_t)trial->slots + 1, sizeof *trial->before);
    struct warp *warps = arena_array(arena, (size_t)run->warp_count + 1, sizeof *warps);
    struct lanes *registers = arena_array(arena, (size_t)trial->slots + 1, sizeof *registers);
    if (trial->stack == NULL || trial->before == NULL || warps == NULL || registers == NULL)
        return run_no_memory(run);
    memcpy(trial->stack, warp->stack.items, trial->stack_count * sizeof *trial->stack);
    trial->runs[0] = trial->runs[1] = *run;
    trial->runs[1].warps = warps;
    trial->runs[1].diagnostics = &trial->messages;
    trial->runs[1].next_poll = UINT64_MAX;
    trial->ahead = &warps[warp->number];
    trial->ahead->banks[BANK_FRAME] = registers;
    trial->space.step[PASS_AXIS] = 1;
    trial->lockstep =
        (struct lockstep){.runs = trial->runs, .count = 2, .axis = {[1] = PASS_AXIS}, .space = &trial->space};
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

wb_status affine_skip_passes(struct warp *warp) {
    struct run *run = warp->run;
    struct trial trial = {.warp = NULL};
    uint64_t skipped = 0;
    bool done = false;
    if (run->skip_after > 0) {
        run->skip_after--;
        return WB_OK;
    }
    wb_status status = begin(&trial, warp);
    run->skip = NULL; /* not within itself */
    for (uint32_t i = 0; status == WB_OK && !done && i < TRIES_MAX; i++)
        status = try_pass(&trial, &done, &skipped);
    run->skip = affine_skip_passes;
    end(&trial);
    run->skip_failures = skipped > 0 ? 0 : run->skip_failures + (run->skip_failures < PATIENCE);
    run->skip_after = skipped > 0 ? 0 : (1u << run->skip_failures) - 1;
    return status;
}
