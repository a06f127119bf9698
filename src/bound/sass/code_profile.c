#include "bound/sass/code_profile.h"

#include "bound/profile/sections.h"
#include "bound/sass/cold_sets.h"

void code_profile_free(struct code_profile *profile) {
    vec_free(&profile->groups);
    vec_free(&profile->row_counts);
    intern_free(&profile->rows);
}

const struct own_section *code_profile_section(const struct code_profile *profile, size_t row,
                                               uint32_t path) {
    /* The copy came from an arena, which aligns for any type. */
    const void *sections = profile->rows.entries.items[row].text;
    return (const struct own_section *)sections + path;
}

cycles code_profile_releases(const struct code_profile *profile) {
    const uint64_t barriers = profile->sections == 0 ? 0 : profile->sections - 1;
    return cycles_mul(barriers, profile->rules.block->machine->barrier_release);
}

/* ---- The walk ------------------------------------------------------------------------------------------ */

struct code_profile_maker {
    struct code_profile *profile;
    struct arena arena;
    struct cold_block cold;       /* of a profile with misses on its paths */
    struct own_walker *walkers;   /* per path */
    struct own_section *sections; /* per path: the row at hand */
    struct path_cursor *cursors;  /* per path: where it ends */
    uint64_t *path_warps;         /* per path */
    struct section_cycle cycle;   /* of the rows */
    struct code_trace *trace;     /* or NULL */
};

static wb_status prepare(struct code_profile_maker *maker, bool cold) {
    const struct timed_block *block = maker->profile->rules.block;
    const uint32_t count = block->path_count;
    maker->walkers = arena_array(&maker->arena, (size_t)count + 1, sizeof *maker->walkers);
    maker->sections = arena_array(&maker->arena, (size_t)count + 1, sizeof *maker->sections);
    maker->cursors = arena_array(&maker->arena, (size_t)count + 1, sizeof *maker->cursors);
    maker->path_warps = arena_array(&maker->arena, (size_t)count + 1, sizeof *maker->path_warps);
    if (maker->walkers == NULL || maker->sections == NULL || maker->cursors == NULL ||
        maker->path_warps == NULL)
        return WB_ERR_LIMIT;
    if (cold) WB_TRY(cold_block_init(&maker->cold, block, &maker->arena));
    for (uint32_t p = 0; p < count; p++)
        WB_TRY(own_walker_init(&maker->walkers[p], &maker->profile->rules, p, cold ? &maker->cold : NULL,
                               &maker->arena));
    WB_TRY(section_cycle_init(&maker->cycle, count));
    return warp_groups_find(block, &maker->arena, &maker->profile->groups, maker->path_warps);
}

/* Has the chains of one kind of times followed. */
static wb_status follow_chains(struct code_profile_maker *maker) {
    const struct timed_block *block = maker->profile->rules.block;
    struct chains *chains = &maker->trace->chains;
    size_t count = 0;
    for (uint32_t p = 0; p < block->path_count; p++)
        count += maker->walkers[p].graph_times;
    chains->roots = arena_array(&maker->arena, count + 1, sizeof(struct chain_time *));
    if (chains->roots == NULL) return WB_ERR_LIMIT;
    chains->entries = block->code.inst_count;
    for (uint32_t p = 0; p < block->path_count; p++) {
        struct own_walker *walker = &maker->walkers[p];
        struct own_graph *graph = maker->trace->latencies ? &walker->latencies : &walker->alone;
        graph->chains = chains;
        for (size_t t = 0; t < walker->graph_times; t++)
            chains->roots[chains->root_count++] = graph->times[t];
    }
    return WB_OK;
}

/* Walks one section on every path, `times` times. */
static wb_status walk_sections(struct code_profile_maker *maker, uint64_t times) {
    const uint32_t path_count = maker->profile->path_count;
    struct code_trace *trace = maker->trace;
    if (trace != NULL) chains_clear(&trace->chains);
    for (uint32_t p = 0; p < path_count; p++)
        WB_TRY(own_walker_section(&maker->walkers[p], &maker->sections[p]));
    own_sections_end(maker->walkers, path_count, maker->sections);
    if (maker->cold.code != NULL) cold_section_ends(&maker->cold);
    return trace == NULL ? WB_OK : trace->row(trace->user, maker->walkers, maker->sections, times);
}

static void set_cursors(struct code_profile_maker *maker) {
    for (uint32_t p = 0; p < maker->profile->path_count; p++)
        maker->walkers[p].cursor = maker->cursors[p];
}

/* Walks the next section, and skips what repeats itself behind it: sections start clean, so that equal ones
 * are as long. */
static wb_status walk_row(struct code_profile_maker *maker, bool *more) {
    struct code_profile *profile = maker->profile;
    uint32_t row;
    bool is_new;
    uint64_t times;
    WB_TRY(walk_sections(maker, 1));
    *more = false;
    for (uint32_t p = 0; p < profile->path_count; p++) {
        maker->cursors[p] = maker->walkers[p].cursor;
        *more = *more || !maker->walkers[p].ended;
    }
    WB_TRY(intern_copy(&profile->rows, maker->sections, profile->path_count * sizeof *maker->sections, &row,
                       &is_new));
    if (is_new) WB_TRY(vec_push(&profile->row_counts, 0));
    profile->row_counts.items[row]++;
    WB_TRY(section_cycle_note(&maker->cycle, maker->cursors, row, &times));
    if (times == 0) return WB_OK;
    times--; /* the last time has other code behind it, which its barrier asks for */
    for (size_t i = 0; i < maker->cycle.rows.count; i++) {
        profile->row_counts.items[maker->cycle.rows.items[i]] += times;
        if (maker->trace != NULL && times > 0) WB_TRY(walk_sections(maker, times));
    }
    section_cycle_skip(&maker->cycle, times, maker->cursors);
    set_cursors(maker);
    return WB_OK;
}

/* The sums of all rows. */
static void add_up(const struct code_profile_maker *maker) {
    struct code_profile *profile = maker->profile;
    for (size_t r = 0; r < profile->row_counts.count; r++) {
        const uint64_t count = profile->row_counts.items[r];
        cycles latency = 0;
        for (uint32_t p = 0; p < profile->path_count; p++) {
            const struct own_section *section = code_profile_section(profile, r, p);
            const uint64_t times = cycles_mul(maker->path_warps[p], count);
            profile->instructions =
                cycles_add(profile->instructions, cycles_mul(section->instructions, times));
            profile->work = cycles_add(profile->work, cycles_mul(section->work, times));
            profile->held = cycles_add(profile->held, cycles_mul(section->near, times));
            latency = cycles_max(latency, section->lam);
        }
        profile->sections += count;
        profile->latency = cycles_add(profile->latency, cycles_mul(latency, count));
    }
}

static wb_status sum_misses(struct code_profile_maker *maker) {
    struct code_profile *profile = maker->profile;
    const struct timed_block *block = profile->rules.block;
    struct cold_sets cold;
    WB_TRY(cold_sets_make(block, &maker->arena, &cold));
    profile->misses =
        cycles_add(cold.chain, cold_shared_time(&block->code.footprint, block->machine->sub_cores));
    return WB_OK;
}

static wb_status make(struct code_profile_maker *maker, const struct timed_block *block,
                      enum code_misses misses, const uint32_t *apart) {
    struct code_profile *profile = maker->profile;
    bool more = block->path_count > 0;
    *profile = (struct code_profile){.path_count = block->path_count};
    wb_status status = pipeline_rules_make(block, &profile->rules);
    profile->rules.apart = apart;
    /* Warps that execute parts of a path may come to lines later than the path does. */
    const bool cold = misses == MISSES_ON_PATHS && !profile->rules.parts;
    if (status == WB_OK && !cold && maker->trace == NULL) status = sum_misses(maker);
    if (status == WB_OK) status = prepare(maker, cold);
    if (status == WB_OK && maker->trace != NULL) status = follow_chains(maker);
    while (status == WB_OK && more)
        status = walk_row(maker, &more);
    if (status == WB_OK) add_up(maker);
    section_cycle_free(&maker->cycle);
    arena_free(&maker->arena);
    return status;
}

wb_status code_profile_make(const struct timed_block *block, enum code_misses misses,
                            struct code_profile *profile) {
    struct code_profile_maker maker = {.profile = profile};
    return make(&maker, block, misses, NULL);
}

wb_status code_profile_make_without(const struct timed_block *block, const struct counted_loops *counted,
                                    struct code_profile *profile) {
    struct code_profile_maker maker = {.profile = profile};
    return make(&maker, block, MISSES_BESIDE, counted->of);
}

wb_status code_profile_count_passes(struct code_profile *profile) {
    const struct timed_block *block = profile->rules.block;
    struct arena arena = {0};
    struct counted_loops counted;
    struct code_profile without;
    wb_status status = counted_loops_make(&profile->rules, &arena, &counted);
    profile->by_facts = CYCLES_SATURATED;
    if (status == WB_OK && counted.count > 0) {
        status = code_profile_make_without(block, &counted, &without);
        const struct counted_time passes = counted_loops_of_block(&counted, profile->sections);
        const cycles rest = cycles_add(without.work, without.latency);
        profile->by_facts = cycles_add(rest, cycles_add(passes.work, passes.chain));
        code_profile_free(&without);
    }
    arena_free(&arena);
    return status;
}

wb_status code_profile_trace(const struct timed_block *block, enum code_misses misses,
                             struct code_trace *trace) {
    struct code_profile profile;
    struct code_profile_maker maker = {.profile = &profile, .trace = trace};
    const wb_status status = make(&maker, block, misses, NULL);
    code_profile_free(&profile);
    return status;
}

/* ---- Sums ---------------------------------------------------------------------------------------------- */

/* The most that the warps of a row delay a warp of one sub-core, itself included. */
struct row_charges {
    cycles near, far;
    cycles spare[MACHINE_UNITS_MAX]; /* per latch what of `near` is more than the slots */
};

static struct row_charges sum_charges(const struct code_profile *profile, const struct own_section *sections,
                                      uint32_t sub_core) {
    struct row_charges sums = {0};
    for (size_t g = 0; g < profile->groups.count; g++) {
        const struct warp_group *group = &profile->groups.items[g];
        const struct own_section *section = &sections[group->path];
        if (group->sub_core != sub_core) {
            sums.far = cycles_add(sums.far, cycles_mul(section->far, group->warps));
            continue;
        }
        sums.near = cycles_add(sums.near, cycles_mul(section->near, group->warps));
        for (uint32_t unit = 0; unit < profile->rules.block->machine->unit_count; unit++)
            sums.spare[unit] = cycles_add(sums.spare[unit], cycles_mul(section->spare[unit], group->warps));
    }
    return sums;
}

uint32_t code_unused_latches(const struct pipeline_rules *rules, const struct own_section *section) {
    return rules->latches & ~rules->clash & ~rules->shared & ~section->units;
}

/* What others hold of latches that the warp does not use; it has none of them itself. */
static cycles unused_latches(const struct pipeline_rules *rules, const struct own_section *section,
                             const struct row_charges *sums) {
    cycles sum = 0;
    for (uint32_t units = code_unused_latches(rules, section); units != 0; units &= units - 1)
        sum = cycles_add(sum, sums->spare[__builtin_ctz(units)]);
    return sum;
}

cycles code_row_longest(const struct code_profile *profile, const struct own_section *sections,
                        bool by_latches, size_t *decider) {
    cycles most = 0;
    *decider = 0;
    for (uint32_t c = 0; c < profile->rules.block->machine->sub_cores; c++) {
        const struct row_charges sums = sum_charges(profile, sections, c);
        for (size_t g = 0; g < profile->groups.count; g++) {
            const struct warp_group *group = &profile->groups.items[g];
            if (group->sub_core != c) continue;
            const struct own_section *own = &sections[group->path];
            cycles others = cycles_add(cycles_sub(sums.near, own->near), sums.far);
            if (others != CYCLES_SATURATED && by_latches)
                others -= unused_latches(&profile->rules, own, &sums);
            const cycles alone = cycles_add(own->iso, cycles_add(own->clash, own->left));
            const cycles all = cycles_add(alone, others);
            if (all <= most) continue;
            most = all;
            *decider = g;
        }
    }
    return most;
}

cycles code_profile_sum(const struct code_profile *profile, bool by_latches) {
    cycles sum = 0;
    for (size_t r = 0; r < profile->row_counts.count; r++) {
        size_t decider;
        const struct own_section *sections = code_profile_section(profile, r, 0);
        const cycles longest = code_row_longest(profile, sections, by_latches, &decider);
        sum = cycles_add(sum, cycles_mul(longest, profile->row_counts.items[r]));
    }
    return sum;
}
