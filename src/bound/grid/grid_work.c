#include "bound/grid/grid_work.h"

#include <assert.h>
#include <stdlib.h>

#include "bound/block/block_sums.h"
#include "bound/grid/serial_time.h"
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

/* The same of a path, taken by `warps` warps. */
static void add_path(const struct timed_code *code, const struct path *path, uint64_t warps, cycles *units) {
    const struct path_entry *entries = path->entries.items;
    uint64_t folded = 0, repetitions = 0; /* entries of the fold at hand that are still to come; its own */
    for (size_t i = path->entries.count; i-- > 0;) {
        if (entries[i].count == PATH_REPEAT) {
            folded = entries[i].first;
            repetitions = entries[i].mask;
            continue;
        }
        const uint64_t times = cycles_mul(warps, folded > 0 ? repetitions + 1 : 1);
        if (code->sass != NULL)
            add_code_run(code, entries[i], times, units);
        else
            add_run(code, entries[i], times, units);
        folded -= folded > 0;
    }
    assert(folded == 0); /* a fold is behind what it repeats */
}

/* The same of a block, from the arena. */
static cycles *sum_units(const struct timed_block *timed, struct arena *arena) {
    struct arena scratch = {0};
    cycles *units = arena_array(arena, MACHINE_UNITS_MAX, sizeof *units);
    uint64_t *warps = arena_array(&scratch, (size_t)timed->path_count + 1, sizeof *warps);
    for (uint32_t w = 0; warps != NULL && w < timed->warp_count; w++)
        warps[timed->warp_path[w]]++;
    for (uint32_t p = 0; units != NULL && warps != NULL && p < timed->path_count; p++)
        add_path(&timed->code, &timed->paths[p], warps[p], units);
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
    const cycles release = profile_release_time(profile);
    struct block_class class = {.first = work->block_count,
                                .instructions = profile->instructions,
                                .initiations = profile->initiations,
                                .latency = cycles_add(profile->latency, release),
                                .units = sum_units(timed, &work->arena),
                                .timed = timed};
    if (class.units == NULL) return WB_ERR_LIMIT;
    WB_TRY(code_fetches(timed, &class.fetches));
    WB_TRY(code_lines_add(&work->code, timed));
    if (timed->warp_count > work->warps) work->warps = timed->warp_count;
    work->assumed |= timed->code.assumed;
    const cycles sib = cycles_add(profile_sum_of_maxima(profile, sib_term), release);
    class.residency = class.isolated = cycles_add(class.initiations, class.latency);
    if (window_is_proven(work->machine)) class.residency = cycles_min(class.residency, sib);
    if (sib_unproven(work->machine) == NULL) class.isolated = cycles_min(class.isolated, sib);
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

/* What the block holds by sub-cores. */
static wb_status code_chain_make(const struct code_profile *profile, struct arena *arena,
                                 struct code_chain *chain) {
    const uint32_t sub_cores = profile->rules.block->machine->sub_cores;
    cycles shared = 0;
    uint32_t busiest = 0;
    chain->known = profile->sections <= 1;
    chain->own = arena_array(arena, sub_cores, sizeof *chain->own);
    if (chain->own == NULL) return WB_ERR_LIMIT;
    for (size_t r = 0; r < profile->row_counts.count; r++) {
        for (size_t g = 0; g < profile->groups.count; g++) {
            const struct warp_group *group = &profile->groups.items[g];
            const struct own_section *section = code_profile_section(profile, r, group->path);
            const uint64_t times = cycles_mul(group->warps, profile->row_counts.items[r]);
            cycles *own = &chain->own[group->sub_core];
            *own = cycles_add(*own, cycles_mul(section->work - section->far, times));
            shared = cycles_add(shared, cycles_mul(section->far, times));
        }
    }
    for (uint32_t c = 1; c < sub_cores; c++)
        if (chain->own[c] > chain->own[busiest]) busiest = c;
    chain->busiest = cycles_add(chain->own[busiest], shared);
    chain->own[busiest] = 0;
    return WB_OK;
}

wb_status grid_work_add_code_class(struct grid_work *work, const struct timed_block *timed,
                                   const struct code_profile *profile) {
    const cycles release = code_profile_releases(profile);
    struct block_class class = {.first = work->block_count,
                                .instructions = profile->instructions,
                                .initiations = profile->work,
                                .latency = cycles_add(profile->latency, release),
                                .residency = cycles_add(code_profile_sum(profile, false), release),
                                .held = profile->held,
                                .serial = CYCLES_SATURATED,
                                .units = sum_units(timed, &work->arena),
                                .timed = timed};
    if (class.units == NULL) return WB_ERR_LIMIT;
    if (timed->warp_count > work->warps) work->warps = timed->warp_count;
    work->assumed |= timed->code.assumed;
    work->misses =
        cycles_max(work->misses, sass_footprint_time(&timed->code.footprint, work->machine->sub_cores));
    class.isolated = cycles_min(cycles_add(class.initiations, class.latency),
                                cycles_add(code_profile_sum(profile, true), release));
    WB_TRY(code_chain_make(profile, &work->arena, &class.code_chain));
    return vec_push(&work->classes, class);
}

void grid_work_add_block(struct grid_work *work, uint32_t class) {
    assert(class < work->classes.count);
    if (work->classes.items[class].blocks++ == 0) work->classes.items[class].first = work->block_count;
    work->class_of[work->block_count++] = class;
}

/* What classes are ranked by. */
typedef cycles (*class_cycles)(const struct grid_work *work, const struct block_class *class);

static cycles initiations_of(const struct grid_work *work, const struct block_class *class) {
    (void)work;
    return class->initiations;
}

static cycles held_of(const struct grid_work *work, const struct block_class *class) {
    (void)work;
    return class->held;
}

static cycles busiest_of(const struct grid_work *work, const struct block_class *class) {
    (void)work;
    return class->code_chain.busiest;
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

/* Sums up what blocks of machine code amount to by sub-cores. */
static wb_status sum_code_chains(struct grid_work *work) {
    const size_t count = work->classes.count, sub_cores = work->machine->sub_cores;
    work->code_chains = machine_times_sass(work->machine);
    for (size_t k = 0; k < count; k++)
        work->code_chains = work->code_chains && work->classes.items[k].code_chain.known;
    if (!work->code_chains) return WB_OK;
    struct ranked_class *ranked = calloc(count * sub_cores + 1, sizeof *ranked);
    uint64_t *blocks = calloc(count * sub_cores + 1, sizeof *blocks);
    wb_status status = ranked == NULL || blocks == NULL ? WB_ERR_LIMIT : WB_OK;
    for (size_t e = 0; status == WB_OK && e < count * sub_cores; e++) {
        const struct block_class *class = &work->classes.items[e / sub_cores];
        ranked[e] = (struct ranked_class){class->code_chain.own[e % sub_cores], (uint32_t)e};
        blocks[e] = class->blocks;
    }
    if (status == WB_OK)
        status = class_ranking_make(&work->arena, ranked, count * sub_cores, blocks, &work->by_extra);
    free(ranked);
    free(blocks);
    return status == WB_OK ? rank_classes(work, busiest_of, &work->by_busiest) : status;
}

/* Sums up what blocks take where the oldest issues first. */
static wb_status sum_oldest(struct grid_work *work) {
    struct oldest_work *oldest = &work->oldest;
    oldest->known = oldest_objection(work->machine) == NULL;
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
    if (machine_times_sass(work->machine)) return sum_code_chains(work);
    WB_TRY(sum_chains(work));
    return sum_oldest(work);
}

void grid_work_sharpen(struct grid_work *work, uint32_t class, cycles proven) {
    struct block_class *sharpened = &work->classes.items[class];
    sharpened->isolated = cycles_min(sharpened->isolated, proven);
}

wb_status grid_work_rank_isolated(struct grid_work *work) {
    return rank_classes(work, isolated_of, &work->by_isolated);
}

/* The same for so many fetches on some SMs. */
static cycles fetch_time_of(const struct grid_work *work, uint64_t fetches, uint64_t sms, uint64_t resident) {
    const struct fetch_demand demand = {
        .fetches = fetches, .lines = &work->code, .sms = sms, .warps = work->warps * resident};
    return cycles_add(fetch_time(&work->machine->fetch, &demand), cycles_mul(sms, work->misses));
}

static uint64_t fetches_of_all(const struct grid_work *work) {
    uint64_t fetches = 0;
    for (size_t k = 0; k < work->classes.count; k++) {
        const struct block_class *class = &work->classes.items[k];
        fetches = cycles_add(fetches, cycles_mul(class->blocks, class->fetches));
    }
    return fetches;
}

cycles grid_work_fetch_time(const struct grid_work *work, uint64_t blocks, uint64_t resident) {
    uint64_t most = 0;
    for (size_t k = 0; k < work->classes.count; k++)
        most = cycles_max(most, work->classes.items[k].fetches);
    return fetch_time_of(work, cycles_min(cycles_mul(most, blocks), fetches_of_all(work)), 1, resident);
}

cycles grid_work_fetch_time_of_all(const struct grid_work *work, uint64_t resident) {
    const uint32_t sms = work->machine->memory.sms;
    return fetch_time_of(work, fetches_of_all(work), sms < work->block_count ? sms : work->block_count,
                         resident);
}

cycles grid_work_fetch_time_of_block(const struct grid_work *work, uint32_t class) {
    return fetch_time_of(work, work->classes.items[class].fetches, 1, 1);
}

void grid_work_free(struct grid_work *work) {
    if (work->in_order != NULL) grid_work_free(work->in_order);
    if (work->published != NULL) grid_work_free(work->published);
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
    const cycles with = class_ranking_sum(ranking, n + 1), without = class_ranking_sum(ranking, n);
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
        cycles one = cycles_add(class->residency, held);
        if (machine_times_sass(work->machine)) {
            const cycles initiations = others_of(&work->by_initiations, class->initiations, n - 1);
            const cycles own = cycles_add(class->initiations, class->latency);
            one = cycles_min(one, cycles_add(own, initiations));
        }
        longest = cycles_max(longest, one);
    }
    return longest;
}
