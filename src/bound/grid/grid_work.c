#include "bound/grid/grid_work.h"

#include <assert.h>
#include <stdlib.h>

#include "bound/block/block_sums.h"
#include "bound/method/beside.h"
#include "bound/method/method.h"

/* Adds what the initiations of one run, executed `times` times, take of their units behind the first cycle.
 */
static void add_run(const struct timed_code *code, struct path_entry run, uint64_t times, cycles *units) {
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const struct timed_inst *inst = &code->insts[i];
        if (inst->unit == UNIT_NONE || inst->init == 0) continue;
        units[inst->unit] = cycles_add(units[inst->unit], cycles_mul(inst->init - 1, times));
    }
}

/* The same of machine code: what is behind the slot. */
static void add_code_run(const struct timed_code *code, struct path_entry run, uint64_t times,
                         cycles *units) {
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const struct sass_timed *inst = &code->sass[i];
        for (uint32_t s = 0; s < inst->stage_count; s++) {
            const bool inside = s == 0 && inst->operand == 0;
            const cycles held = cycles_sub(inst->stages[s].init, inside ? inst->slot : 0);
            cycles *unit = &units[inst->stages[s].unit];
            *unit = cycles_add(*unit, cycles_mul(held, times));
        }
    }
}

/* By what the machine times. */
typedef void (*run_adder)(const struct timed_code *code, struct path_entry run, uint64_t times,
                          cycles *units);
static const run_adder run_adders[] = {[ISA_PTX] = add_run, [ISA_SASS] = add_code_run};

/* The same of a path, taken by `warps` warps. */
static void add_path(const struct timed_block *block, const struct path *path, uint64_t warps,
                     cycles *units) {
    const run_adder add = run_adders[machine_isa(block->machine)];
    struct path_runs runs = path_runs_of(path);
    struct path_entry run;
    for (uint64_t times; path_runs_next(&runs, &run, &times);)
        add(&block->code, run, cycles_mul(warps, times), units);
}

/* The same of a block, from the arena. */
static cycles *sum_units(const struct timed_block *timed, struct arena *arena) {
    struct arena scratch = {0};
    cycles *units = arena_array(arena, MACHINE_UNITS_MAX, sizeof *units);
    uint64_t *warps = arena_array(&scratch, (size_t)timed->path_count + 1, sizeof *warps);
    for (uint32_t w = 0; warps != NULL && w < timed->warp_count; w++)
        warps[timed->warp_path[w]]++;
    for (uint32_t p = 0; units != NULL && warps != NULL && p < timed->path_count; p++)
        add_path(timed, &timed->paths[p], warps[p], units);
    bool failed = warps == NULL;
    arena_free(&scratch);
    return failed ? NULL : units;
}

/* Whether SIB of a block bounds its residence whatever else is on the SM when it comes and goes (lemma 3). */
static bool window_is_proven(const struct wb_machine *machine) {
    return machine->dispatch_depth == 0 || machine->dispatch_depth == DEPTH_UNLIMITED;
}

wb_status grid_work_add_class(struct grid_work *work, const struct timed_block *timed,
                              const struct block_profile *profile) {
    struct block_class class = {.first = work->followed,
                                .instructions = profile->instructions,
                                .initiations = profile->initiations,
                                .latency = profile->latency,
                                .units = sum_units(timed, &work->arena),
                                .timed = timed};
    if (class.units == NULL) return WB_ERR_LIMIT;
    WB_TRY(code_fetches(timed, &class.fetches));
    WB_TRY(code_lines_add(&work->code, timed));
    if (timed->warp_count > work->warps) work->warps = timed->warp_count;
    work->assumed |= timed->code.assumed;
    const cycles sib = cycles_add(profile_sum_of_maxima(profile, sib_term), profile_release_time(profile));
    class.residency = class.isolated = cycles_add(class.initiations, class.latency);
    if (window_is_proven(work->machine)) class.residency = cycles_min(class.residency, sib);
    if (!queues_are_long(work->machine)) class.isolated = cycles_min(class.isolated, sib);
    class.held = class.initiations;
    /* Where SMs share a memory lemma 3 asks for more than is looked at here. */
    const bool contended = memory_is_contended(&work->machine->memory);
    const struct chain_demand demand = {class.initiations, class.latency,
                                        contended ? CYCLES_SATURATED : class.residency,
                                        work->covering != NULL};
    WB_TRY(block_chain_make(profile, &demand, &work->arena, &class.chain));
    WB_TRY(serial_time_of(profile, demand.covering, &class.serial));
    if (oldest_objection(work->machine) == NULL)
        WB_TRY(oldest_times_of(profile, demand.covering, work->oldest.init, &work->arena, &class.oldest));
    return vec_push(&work->classes, class);
}

/* The extra time, and blocked cycles, of a block with misses on its paths. */
static struct cold_times cold_times_of(const struct code_profile *warm, const struct code_profile *cold) {
    struct cold_times times = {.longer = CYCLES_SATURATED, .held = CYCLES_SATURATED};
    if (cold->misses > 0) return times; /* they are not on its paths */
    times.held = cycles_max(cycles_sub(cold->work, warm->work), cycles_sub(cold->held, warm->held));
    times.longer = cycles_max(times.held, cycles_sub(cold->latency, warm->latency));
    for (int by_latches = 0; by_latches <= 1; by_latches++)
        times.longer = cycles_max(times.longer, cycles_sub(code_profile_sum(cold, by_latches != 0),
                                                           code_profile_sum(warm, by_latches != 0)));
    return times;
}

/* Adds the misses that each line makes once to a class, and to the grid. */
static wb_status add_cold(struct grid_work *work, const struct timed_block *timed,
                          const struct code_profile *profile, const struct code_profile *cold,
                          struct cold_times *times) {
    struct cold_sets sets;
    WB_TRY(cold_sets_make(timed, &work->arena, &sets));
    *times = cold_times_of(profile, cold);
    times->chain = sets.chain;
    times->shared = cold_shared_time(&timed->code.footprint, work->machine->sub_cores);
    cold_sets_join(&work->cold_sets, &sets);
    work->cold.shared = cycles_max(work->cold.shared, times->shared);
    work->cold.chain = cycles_max(work->cold.chain, times->chain);
    work->cold.longer = cycles_max(work->cold.longer, times->longer);
    work->cold.held = cycles_max(work->cold.held, times->held);
    return WB_OK;
}

/* Counts cycles in which what a block asks the second level for holds its stage as work of its own that all
 * sub-cores reach (docs/machine-code-bounds.md, section 7). */
static void add_requests(const struct machine_fills *fills, struct block_class *class) {
    class->initiations = cycles_add(class->initiations, fills->held);
    class->held = cycles_add(class->held, fills->held);
    class->residency = cycles_add(class->residency, fills->held);
    class->isolated = cycles_add(class->isolated, fills->held);
    class->units[fills->unit] = cycles_add(class->units[fills->unit], fills->held);
    block_chain_charge(&class->chain, fills->held);
}

wb_status grid_work_add_code_class(struct grid_work *work, const struct timed_block *timed,
                                   const struct code_profile *profile, const struct code_profile *cold) {
    const cycles release = code_profile_releases(profile);
    struct block_class class = {.first = work->followed,
                                .instructions = profile->instructions,
                                .initiations = profile->work,
                                .latency = cycles_add(profile->latency, release),
                                .residency = cycles_add(code_profile_sum(profile, false), release),
                                .held = profile->held,
                                .serial = CYCLES_SATURATED,
                                .units = sum_units(timed, &work->arena),
                                .atomics = atomics_of(timed),
                                .requests = requests_of(timed),
                                .timed = timed};
    if (class.units == NULL) return WB_ERR_LIMIT;
    if (timed->warp_count > work->warps) work->warps = timed->warp_count;
    work->assumed |= timed->code.assumed;
    WB_TRY(add_cold(work, timed, profile, cold, &class.cold));
    class.isolated = cycles_min(cycles_add(class.initiations, class.latency),
                                cycles_add(code_profile_sum(profile, true), release));
    WB_TRY(code_chain_make(profile, class.latency, &work->arena, &class.chain));
    add_requests(&work->machine->fills, &class);
    return vec_push(&work->classes, class);
}

void grid_work_add_block(struct grid_work *work, uint32_t class, uint64_t blocks) {
    assert(class < work->classes.count && blocks <= UINT32_MAX - work->block_count);
    if (work->classes.items[class].blocks == 0) work->classes.items[class].first = work->followed;
    work->classes.items[class].blocks += blocks;
    work->class_of[work->followed++] = class;
    work->block_count += (uint32_t)blocks;
    if (work->without == NULL) return;
    work->without->classes.items[class].blocks += blocks;
    work->without->block_count += (uint32_t)blocks;
}

/* The ranking criterion of classes. */
typedef cycles (*class_cycles)(const struct grid_work *work, const struct block_class *class);

static cycles initiations_of(const struct grid_work *work, const struct block_class *class) {
    (void)work;
    return class->initiations;
}

static cycles held_of(const struct grid_work *work, const struct block_class *class) {
    (void)work;
    return class->held;
}

/* Where SMs share a memory, turns count with all their latencies. */
static cycles residency_within(const struct grid_work *work, const struct block_class *class, cycles alone) {
    if (memory_is_contended(&work->machine->memory)) return cycles_add(class->initiations, class->latency);
    return alone;
}

static cycles residency_of(const struct grid_work *work, const struct block_class *class) {
    return residency_within(work, class, cycles_max(class->held, class->residency));
}

static cycles isolated_of(const struct grid_work *work, const struct block_class *class) {
    return residency_within(work, class, class->isolated);
}

static cycles serial_of(const struct grid_work *work, const struct block_class *class) {
    (void)work;
    return class->serial;
}

static cycles oldest_of(const struct grid_work *work, const struct block_class *class) {
    return oldest_sums(class->oldest, work->oldest.init).time;
}

static wb_status rank_classes(struct grid_work *work, class_cycles each, struct class_ranking *ranking) {
    const size_t count = work->classes.count;
    struct ranked_class *ranked = calloc(count + 1, sizeof *ranked);
    uint64_t *blocks = calloc(count + 1, sizeof *blocks);
    wb_status status = ranked == NULL || blocks == NULL ? WB_ERR_LIMIT : WB_OK;
    for (size_t k = 0; status == WB_OK && k < count; k++) {
        ranked[k] = (struct ranked_class){each(work, &work->classes.items[k]), (uint32_t)k};
        blocks[k] = work->classes.items[k].blocks;
    }
    if (status == WB_OK) status = class_ranking_make(&work->arena, ranked, count, blocks, ranking);
    free(ranked);
    free(blocks);
    return status;
}

/* Sums up what blocks amount to by sub-cores. */
static wb_status sum_chains(struct grid_work *work) {
    const size_t count = work->classes.count;
    struct chain_class *classes = calloc(count + 1, sizeof *classes);
    wb_status status = classes == NULL ? WB_ERR_LIMIT : WB_OK;
    for (size_t k = 0; status == WB_OK && k < count; k++)
        classes[k] = (struct chain_class){&work->classes.items[k].chain, work->classes.items[k].blocks};
    if (status == WB_OK) status = chain_work_make(classes, count, &work->arena, &work->chains);
    free(classes);
    return status;
}

/* Sums up what blocks take where the oldest issues first. */
static wb_status sum_oldest(struct grid_work *work) {
    struct oldest_work *oldest = &work->oldest;
    oldest->known = oldest_objection(work->machine) == NULL;
    oldest->chain_most = 0;
    for (size_t k = 0; k < work->classes.count; k++)
        oldest->known = oldest->known && work->classes.items[k].oldest != NULL;
    if (!oldest->known) return WB_OK;
    for (size_t k = 0; k < work->classes.count; k++) {
        const struct serial_sums sums = oldest_sums(work->classes.items[k].oldest, oldest->init);
        oldest->chain_most = cycles_max(oldest->chain_most, sums.chain);
    }
    return rank_classes(work, oldest_of, &oldest->by_time);
}

wb_status grid_work_finish(struct grid_work *work) {
    WB_TRY(rank_classes(work, initiations_of, &work->by_initiations));
    WB_TRY(rank_classes(work, held_of, &work->by_held));
    WB_TRY(rank_classes(work, residency_of, &work->by_residency));
    WB_TRY(rank_classes(work, serial_of, &work->by_serial));
    WB_TRY(rank_classes(work, isolated_of, &work->by_isolated));
    for (size_t k = 0; k < work->classes.count; k++) {
        const struct block_class *class = &work->classes.items[k];
        work->latency_total = cycles_add(work->latency_total, cycles_mul(class->blocks, class->latency));
        work->latency_most = cycles_max(work->latency_most, class->latency);
    }
    WB_TRY(sum_chains(work));
    if (work->without != NULL) WB_TRY(grid_work_finish(work->without));
    grid_work_count_passes(work);
    return sum_oldest(work);
}

void grid_work_sharpen(struct grid_work *work, uint32_t class, cycles proven) {
    struct block_class *sharpened = &work->classes.items[class];
    sharpened->isolated = cycles_min(sharpened->isolated, proven);
}

wb_status grid_work_rank_isolated(struct grid_work *work) {
    WB_TRY(rank_classes(work, isolated_of, &work->by_isolated));
    grid_work_count_passes(work);
    return WB_OK;
}

wb_status grid_work_rank_again(struct grid_work *work) {
    WB_TRY(grid_work_rank_isolated(work));
    WB_TRY(sum_oldest(work));
    WB_TRY(sum_chains(work));
    grid_work_count_passes(work);
    return WB_OK;
}

/* The time of so many fetches on some SMs. */
static cycles fetch_time_of(const struct grid_work *work, uint64_t fetches, uint64_t sms, uint64_t resident) {
    const struct fetch_demand demand = {
        .fetches = fetches, .lines = &work->code, .sms = sms, .warps = work->warps * resident};
    return fetch_time(&work->machine->fetch, &demand);
}

/* The least of what misses add that each line of machine code makes once, where so many blocks meet them, and
 * blocks that follow these make `beside` or `behind` more. */
static cycles cold_least(const struct cold_times *times, uint64_t blocks, cycles beside, cycles behind) {
    const cycles on_paths = cycles_add(times->longer, cycles_mul(blocks, times->held));
    return cycles_min(cycles_add(cycles_add(times->shared, times->chain), beside),
                      cycles_add(on_paths, behind));
}

/* The same on an SM that gets so many blocks: chains of several of them when they follow each other. */
static cycles cold_time(const struct grid_work *work, uint64_t blocks, uint64_t resident) {
    const uint32_t sub_cores = work->machine->sub_cores;
    if (work->cold_sets.any == NULL) return 0;
    if (blocks <= resident) return cold_least(&work->cold, blocks, 0, 0);
    const cycles turns = cold_turns_time(&work->cold_sets, sub_cores);
    return cold_least(&work->cold, resident, cycles_sub(turns, work->cold.chain),
                      cold_unsure_time(&work->cold_sets, sub_cores));
}

static uint64_t fetches_of_all(const struct grid_work *work) {
    uint64_t fetches = 0;
    for (size_t k = 0; k < work->classes.count; k++) {
        const struct block_class *class = &work->classes.items[k];
        fetches = cycles_add(fetches, cycles_mul(class->blocks, class->fetches));
    }
    return fetches;
}

uint64_t grid_work_atomics(const struct grid_work *work) {
    uint64_t sum = 0;
    for (size_t k = 0; k < work->classes.count; k++)
        sum = cycles_add(sum, cycles_mul(work->classes.items[k].atomics, work->classes.items[k].blocks));
    return sum;
}

uint64_t grid_work_requests(const struct grid_work *work) {
    uint64_t sum = 0;
    for (size_t k = 0; k < work->classes.count; k++)
        sum = cycles_add(sum, cycles_mul(work->classes.items[k].requests, work->classes.items[k].blocks));
    return sum;
}

cycles grid_work_fetch_time(const struct grid_work *work, uint64_t blocks, uint64_t resident) {
    uint64_t most = 0;
    for (size_t k = 0; k < work->classes.count; k++)
        most = cycles_max(most, work->classes.items[k].fetches);
    const uint64_t fetches = cycles_min(cycles_mul(most, blocks), fetches_of_all(work));
    return cycles_add(fetch_time_of(work, fetches, 1, resident), cold_time(work, blocks, resident));
}

cycles grid_work_fetch_time_of_all(const struct grid_work *work, uint64_t resident) {
    const uint32_t most = work->machine->memory.sms,
                   sms = most < work->block_count ? most : work->block_count;
    return cycles_add(fetch_time_of(work, fetches_of_all(work), sms, resident),
                      cycles_mul(sms, cold_time(work, resident + 1, resident)));
}

cycles grid_work_fetch_time_of_block(const struct grid_work *work, uint32_t class) {
    const struct block_class *that = &work->classes.items[class];
    return cycles_add(fetch_time_of(work, that->fetches, 1, 1), cold_least(&that->cold, 1, 0, 0));
}

void grid_work_free(struct grid_work *work) {
    if (work->in_order != NULL) grid_work_free(work->in_order);
    if (work->published != NULL) grid_work_free(work->published);
    if (work->without != NULL) grid_work_free(work->without);
    vec_free(&work->classes);
    code_lines_free(&work->code);
    arena_free(&work->arena);
    *work = (struct grid_work){0};
}

cycles grid_work_most(const struct grid_work *work, uint64_t n) {
    return class_ranking_sum(&work->by_initiations, n);
}

cycles grid_work_held(const struct grid_work *work, uint64_t n) {
    return class_ranking_sum(&work->by_held, n);
}

cycles grid_work_residencies(const struct grid_work *work, bool isolated, uint64_t n) {
    return class_ranking_sum(isolated ? &work->by_isolated : &work->by_residency, n);
}

/* The sum over the n largest of a ranking without one of them, or of all others, that counts `own`. */
static cycles others_of(const struct class_ranking *ranking, cycles own, uint64_t n) {
    const cycles with = class_ranking_sum_each(ranking, n + 1), without = class_ranking_sum(ranking, n);
    return with == CYCLES_SATURATED ? without : cycles_min(without, with - own);
}

cycles grid_work_together(const struct grid_work *work, uint64_t n) {
    cycles longest = 0;
    if (n > work->block_count) n = work->block_count;
    for (size_t k = 0; n == 1 && k < work->classes.count; k++)
        longest = cycles_max(longest, work->classes.items[k].isolated);
    for (size_t k = 0; n > 1 && k < work->classes.count; k++) {
        const struct block_class *class = &work->classes.items[k];
        const cycles held = others_of(&work->by_held, class->held, n - 1);
        const cycles initiations = others_of(&work->by_initiations, class->initiations, n - 1);
        const cycles own = cycles_add(class->initiations, class->latency); /* of PTX no less than residency */
        longest =
            cycles_max(longest, cycles_min(cycles_add(class->residency, held), cycles_add(own, initiations)));
    }
    if (work->without == NULL) return longest;
    const cycles passes = work->by_isolated.passes; /* of E and lam */
    return cycles_min(longest, cycles_add(grid_work_together(work->without, n), passes));
}
