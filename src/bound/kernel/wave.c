/* Grids of one wave: all blocks fit on the SMs at once, so that an SM gets a few of them and no more. One of
 * them ends last; along its sections, each on one sub-core, the others are met once, in the order of their
 * programs (docs/wave-bounds.md). */
#include <assert.h>
#include <stdlib.h>

#include "bound/block/block_sums.h"
#include "bound/grid/contention.h"
#include "bound/kernel/chain_times.h"
#include "bound/kernel/kernel_bounds.h"
#include "bound/kernel/wave.h"
#include "bound/kernel/wave_align.h"

struct wave {
    struct arena arena;
    const struct bound_input *input;
    const struct grid_work *work;
    uint64_t together; /* blocks of an SM, at most */
    struct wave_class *classes;
    cycles *charges; /* per unit, of all classes: phase_charges */
    bool one_charge; /* which is the same for each of them */
    uint64_t teams;  /* of a block, at most */
    struct wave_times *times;
};

/* Blocks of the SM that gets most, whether they are dealt out in turn or assigned. */
static uint64_t blocks_together(const struct grid_work *work) {
    return cycles_ceiling(work->block_count, work->machine->memory.sms);
}

/* ---- The others ---------------------------------------------------------------------------------------- */

/* The cost of a block of a class beyond its busiest sub-cores if the own block's chain changes sub-cores. */
static cycles extras_of(const struct wave_class *own, const struct wave_class *other) {
    return wave_class_extras(other, own->changes);
}

/* The sum over the n - 1 others that add most to a block of class `own`: each[k] is what one of class k adds.
 * *extras is the part of it that is extras. */
static cycles sum_of_others(struct wave *wave, uint32_t own, const cycles *each, cycles *extras) {
    const size_t count = wave->work->classes.count;
    struct ranked_class *ranked = arena_array(&wave->arena, count, sizeof *ranked);
    uint64_t left = wave->together - 1;
    cycles sum = 0;
    *extras = 0;
    for (uint32_t k = 0; k < count; k++)
        ranked[k] = (struct ranked_class){each[k], k};
    qsort(ranked, count, sizeof *ranked, ranked_classes_compare);
    for (size_t i = 0; i < count && left > 0; i++) {
        const uint32_t class = ranked[i].class;
        const uint64_t blocks = wave->work->classes.items[class].blocks - (class == own);
        const uint64_t taken = blocks < left ? blocks : left;
        sum = cycles_add(sum, cycles_mul(ranked[i].each, taken));
        *extras =
            cycles_add(*extras, cycles_mul(extras_of(&wave->classes[own], &wave->classes[class]), taken));
        left -= taken;
    }
    return sum;
}

/* Divides a bound: the longest chain of latencies, extras, and work. */
static struct kernel_time divided(const struct grid_work *work, cycles end, cycles extras) {
    struct kernel_time time = {.extras = cycles_min(extras, end)};
    time.latency = cycles_min(work->latency_most, end - time.extras);
    time.busy = end - time.extras - time.latency;
    return time;
}

/* ---- The bounds for a block of one class that ends last --------------------------------------------------
 */

/* SIB or FIB of the block, and of each other its busiest sub-core: theorem 1. */
static struct kernel_time by_initiations(struct wave *wave, uint32_t class) {
    const struct wave_class *own = &wave->classes[class];
    cycles *each = arena_array(&wave->arena, wave->work->classes.count, sizeof *each);
    for (size_t k = 0; k < wave->work->classes.count; k++)
        each[k] = cycles_add(cycles_add(wave->classes[k].busiest, wave->classes[k].shared),
                             extras_of(own, &wave->classes[k]));
    cycles extras;
    const cycles others = sum_of_others(wave, class, each, &extras);
    return divided(wave->work, cycles_add(cycles_add(own->sums, own->releases), others), extras);
}

/* The sum of the alignments of the block's own warps. */
static cycles own_alignments(struct wave *wave, const struct wave_class *own, uint64_t m) {
    struct bound_input input = *wave->input;
    cycles sum = CYCLES_SATURATED;
    bool cut_short = false;
    input.block = own->profile.block;
    input.profile = &own->profile;
    const wb_status status = block_aligned_sum(&input, m, &sum, &cut_short);
    if (status != WB_OK) arena_fail(&wave->arena, status);
    wave->times->cut_short = wave->times->cut_short || cut_short || sum == CYCLES_SATURATED;
    return sum;
}

/* The warps of all blocks aligned with its path: theorem 2. */
static struct kernel_time by_alignment(struct wave *wave, uint32_t class) {
    const struct wave_class *own = &wave->classes[class];
    const uint64_t m = (wave->together - 1) * wave->teams + cycles_sub(own->profile.block->warp_count, 1);
    cycles *each = arena_array(&wave->arena, wave->work->classes.count, sizeof *each);
    if (m == 0) return divided(wave->work, CYCLES_SATURATED, 0);
    for (size_t k = 0; k < wave->work->classes.count; k++) {
        const struct wave_class *other = &wave->classes[k];
        const struct wave_pair pair = {own, other, wave->charges, m};
        each[k] = wave_aligned(wave->input, &wave->arena, &pair, &wave->times->cut_short);
        each[k] = cycles_add(each[k], cycles_mul(wave->teams - other->team_count, own->alone));
        /* On one sub-core, units that all share are ordinary units, and aligned. */
        const cycles shared = wave->work->machine->sub_cores == 1 ? 0 : other->shared;
        each[k] = cycles_add(each[k], cycles_mul(m, cycles_add(shared, extras_of(own, other))));
    }
    cycles extras;
    const cycles others = sum_of_others(wave, class, each, &extras);
    const cycles sum = cycles_add(own_alignments(wave, own, m), others);
    return divided(wave->work, sum == CYCLES_SATURATED ? sum : cycles_add(sum / m, own->releases), extras);
}

/* ---- Queues ----------------------------------------------------------------------------------------------
 */

/* Whether blocks without barriers are one block of all their warps, on whichever sub-cores they are. */
static bool is_one_block(const struct wave *wave) {
    const struct timed_block *block = wave->classes[0].profile.block;
    if (wave->work->classes.count > 1 || wave->classes[0].profile.sections > 1) return false;
    return block->machine->sub_cores == 1 ||
           (block->path_count == 1 && block->warp_count % block->machine->sub_cores == 0);
}

/* A block with the warps of all of them. */
static struct timed_block unite(struct wave *wave) {
    struct timed_block all = *wave->classes[0].profile.block; /* refers to what the class owns */
    const uint32_t warps = all.warp_count;
    const uint32_t *path_of = all.warp_path;
    all.warp_count = (uint32_t)(warps * wave->together);
    all.warp_path = arena_array(&wave->arena, (size_t)all.warp_count + 1, sizeof *all.warp_path);
    for (uint32_t w = 0; w < all.warp_count; w++)
        all.warp_path[w] = path_of[w % warps];
    return all;
}

/* Theorem 3 of docs/proofs.md of that block: what the queues of the units tell. */
static struct kernel_time by_queues(struct wave *wave) {
    struct bound_input input = *wave->input;
    struct block_profile profile;
    wb_bound bound = {0};
    if (wave->work->machine->dispatch_depth != DEPTH_UNLIMITED || !is_one_block(wave))
        return divided(wave->work, CYCLES_SATURATED, 0);
    const struct timed_block all = unite(wave);
    if (timed_block_horizon(&all) > INT64_MAX) return divided(wave->work, CYCLES_SATURATED, 0);
    wb_status status = block_profile_make(&all, input.watch, input.diagnostics, &profile);
    if (status != WB_OK) arena_fail(&wave->arena, status);
    input.block = &all;
    input.profile = &profile;
    status = bound_fifo.run(&input, &bound);
    block_profile_free(&profile);
    if (status != WB_OK) arena_fail(&wave->arena, status);
    return divided(wave->work, bound.cycles, 0);
}

/* ---- The wave ------------------------------------------------------------------------------------------ */

/* FIB of the class, which is the lesser where its warps leave units to others. */
static cycles fib_of(struct wave *wave, const struct wave_class *class) {
    struct bound_input input = *wave->input;
    wb_bound bound = {0};
    input.block = class->profile.block;
    input.profile = &class->profile;
    const wb_status status = bound_fib.run(&input, &bound);
    if (status != WB_OK) arena_fail(&wave->arena, status);
    return bound.cycles;
}

/* Charges of all classes. */
static void gather_charges(struct wave *wave) {
    const uint32_t units = wave->work->machine->unit_count;
    wave->charges = arena_array(&wave->arena, (size_t)units + 1, sizeof *wave->charges);
    wave->one_charge = true;
    for (size_t k = 0; k < wave->work->classes.count; k++) {
        const cycles *charges = phase_charges(wave->classes[k].profile.block, &wave->arena);
        for (uint32_t u = 0; u < units; u++) {
            if (k > 0 && charges[u] != wave->charges[u]) wave->one_charge = false;
            wave->charges[u] = cycles_max(wave->charges[u], charges[u]);
        }
    }
}

static void bound_wave(void *context) {
    struct wave *wave = context;
    const size_t count = wave->work->classes.count;
    struct kernel_time *parts = wave->times->parts;
    gather_charges(wave);
    if (!wave->one_charge) return; /* sums of one class do not hold beside another */
    for (size_t k = 0; k < count; k++) {
        struct wave_class *class = &wave->classes[k];
        wave_class_fill(&wave->arena, class);
        class->sums = cycles_min(class->sums, fib_of(wave, class));
        class->changes = cycles_min(class->changes, cycles_sub(wave->work->classes.items[k].chain.turns, 1));
        if (class->team_count > wave->teams) wave->teams = class->team_count;
    }
    parts[WAVE_SUMS] = parts[WAVE_ALIGNED] = (struct kernel_time){0};
    for (uint32_t k = 0; k < count; k++) {
        const struct kernel_time sums = by_initiations(wave, k);
        parts[WAVE_SUMS] = kernel_time_max(parts[WAVE_SUMS], sums);
        parts[WAVE_ALIGNED] =
            kernel_time_max(parts[WAVE_ALIGNED], kernel_time_min(sums, by_alignment(wave, k)));
    }
    parts[WAVE_QUEUES] = by_queues(wave);
}

static wb_status make_profiles(struct wave *wave) {
    const struct grid_work *work = wave->work;
    wave->classes = arena_array(&wave->arena, work->classes.count + 1, sizeof *wave->classes);
    if (wave->classes == NULL) return diagnose_out_of_memory(wave->input->diagnostics, "kernel");
    for (size_t k = 0; k < work->classes.count; k++)
        WB_TRY(block_profile_make(work->classes.items[k].timed, wave->input->watch, wave->input->diagnostics,
                                  &wave->classes[k].profile));
    return WB_OK;
}

static void wave_free(struct wave *wave) {
    for (size_t k = 0; wave->classes != NULL && k < wave->work->classes.count; k++)
        block_profile_free(&wave->classes[k].profile);
    arena_free(&wave->arena);
}

wb_status wave_times_find(const struct bound_input *input, struct wave_times *times) {
    struct wave wave = {
        .input = input, .work = input->work, .together = blocks_together(input->work), .times = times};
    wb_status status = WB_OK;
    *times = (struct wave_times){.cut_short = false};
    for (size_t p = 0; p < WAVE_PARTS; p++)
        times->parts[p] = divided(input->work, CYCLES_SATURATED, 0);
    if (wave.together > 1 && !queues_are_long(input->machine)) {
        status = make_profiles(&wave);
        if (status == WB_OK) {
            status = arena_protect(&wave.arena, bound_wave, &wave);
            if (status != WB_OK && wb_diagnostics_errors(input->diagnostics) == 0)
                (void)diagnose_out_of_memory(input->diagnostics, "kernel");
        }
    }
    wave_free(&wave);
    return status;
}

cycles wave_dispatch_time(const struct grid_work *work) {
    const struct machine_memory *memory = &work->machine->memory;
    const cycles busy = cycles_mul(memory->dispatch_service, work->block_count);
    /* While the dispatcher was busy, a block may have ended and left its slot to a later one. */
    const bool late =
        !grid_work_is_dynamic(work) && memory->dispatch_service > 0 && blocks_together(work) > 1;
    return late ? cycles_add(busy, memory->dispatch_latency) : busy;
}

static wb_status wave_run(const struct bound_input *input, wb_bound *bound) {
    const struct grid_work *work = input->work;
    const uint64_t together = blocks_together(work);
    struct wave_times times;
    struct kernel_time time = kernel_time_min(divided(work, grid_work_together(work, together), 0),
                                              chain_time_together(work, together));
    WB_TRY(wave_times_find(input, &times));
    for (size_t p = 0; p < WAVE_PARTS; p++)
        time = kernel_time_min(time, times.parts[p]);
    time.fetch = grid_work_fetch_time(work, together, together);
    time.dispatch = wave_dispatch_time(work);
    kernel_upper_set(input, work, &time, bound);
    if (kernel_has_sub_cores(input)) assume(bound, WB_ASSUME_SUB_CORES_KEPT);
    return WB_OK;
}

/* Most classes: each of them is aligned with each. */
#define WAVE_CLASSES_MAX 128u

const char *wave_objection(const struct bound_input *input) {
    const struct grid_work *work = input->work;
    if (work->classes.count > WAVE_CLASSES_MAX)
        return "this method is for grids with at most 128 different blocks";
    if (work->block_count > (uint64_t)work->resident_least * work->machine->memory.sms)
        return "this method is for grids whose blocks fit on the SMs all at once";
    for (size_t k = 0; k < work->classes.count; k++)
        if (work->classes.items[k].timed == NULL)
            return "this method is for grids with fewer different blocks";
    return NULL;
}

static bool wave_fits(const struct bound_input *input) {
    return wave_objection(input) == NULL;
}

const struct bound_method form_wave = {
    .name = "wave",
    .run = wave_run,
    .objection = wave_objection,
    .fits = wave_fits,
    .needs = NEED_PTX_MODEL | NEED_REAL_PATHS | NEED_KNOWN_TIMES,
};
