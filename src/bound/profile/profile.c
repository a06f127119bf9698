#include "bound/profile/profile.h"

#include "bound/profile/max_plus.h"
#include "bound/profile/sections.h"
#include "bound/profile/spill.h"

void block_profile_free(struct block_profile *profile) {
    vec_free(&profile->groups);
    vec_free(&profile->rows);
    vec_free(&profile->cells);
}

/* The sums of a row for the warps of one sub-core. */
static struct row_sums profile_sums(const struct block_profile *profile, const struct profile_row *row,
                                    uint32_t sub_core) {
    struct row_sums sums = {0};
    for (size_t g = 0; g < profile->groups.count; g++) {
        const struct warp_group *group = &profile->groups.items[g];
        const struct section_profile *cell = profile_cell(profile, row, group->path);
        sums.exec += cell->exec * group->warps;
        sums.shared += (cell->charge - cell->local) * group->warps;
        if (group->sub_core == sub_core) sums.local += cell->local * group->warps;
    }
    return sums;
}

/* The largest term of any warp of a row. */
static cycles profile_row_maximum(const struct block_profile *profile, const struct profile_row *row,
                                  section_term term) {
    cycles most = 0;
    for (uint32_t s = 0; s < profile->block->machine->sub_cores; s++) {
        const struct row_sums sums = profile_sums(profile, row, s);
        for (size_t g = 0; g < profile->groups.count; g++) {
            const struct warp_group *group = &profile->groups.items[g];
            if (group->sub_core != s) continue;
            most = cycles_max(most, term(profile_cell(profile, row, group->path), &sums));
        }
    }
    return most;
}

cycles profile_sum_of_maxima(const struct block_profile *profile, section_term term) {
    cycles sum = 0;
    for (size_t r = 0; r < profile->rows.count; r++) {
        const struct profile_row *row = &profile->rows.items[r];
        sum = cycles_add(sum, cycles_mul(profile_row_maximum(profile, row, term), row->count));
    }
    return sum;
}

cycles profile_sum_of_group(const struct block_profile *profile, section_term term,
                            const struct warp_group *group) {
    cycles sum = 0;
    for (size_t r = 0; r < profile->rows.count; r++) {
        const struct profile_row *row = &profile->rows.items[r];
        const struct row_sums sums = profile_sums(profile, row, group->sub_core);
        cycles one = term(profile_cell(profile, row, group->path), &sums);
        sum = cycles_add(sum, cycles_mul(one, row->count));
    }
    return sum;
}

/* Walks the paths of a block side by side, section by section. */

/* Rows remembered to be compared with the next sections, by hash; a power of two. */
#define PROFILE_RECENT 256u

/* How many instructions pass between two looks at the watch. */
#define PROFILE_WATCH_INSTRUCTIONS ((uint64_t)1 << 20)

struct profile_maker {
    struct block_profile *profile;
    struct arena arena; /* of the walkers */
    struct phase_walker *walkers;
    struct path_cursor *cursors;   /* of the walkers: where the section at hand ends */
    struct section_cycle cycle;    /* of the rows */
    struct section_profile *cells; /* of the section at hand */
    uint64_t *path_warps;          /* warps that have each path */
    struct block_spill spill;
    uint64_t *turns; /* per sub-core the longest sequence so far that ends with it: profile->turns */
    size_t recent[PROFILE_RECENT];    /* row number + 1 by hash, 0: none */
    uint64_t walked, total, watch_at; /* instructions */
    wb_status status;                 /* of walk_cycle */
    bool stopped;                     /* by the watch, which has left a message */
    time_list latencies;              /* of all walkers: the latency path */
    VEC(cycles *) times;              /* that sections leave to the next */
    struct profile_trace *trace;      /* or NULL */
    uint64_t repeated;                /* how often the section at hand counts to it */
};

static uint64_t profile_hash(const struct section_profile *cells, uint32_t count) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct section_profile *cell = &cells[i];
        hash = (hash ^ cell->iso) * UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ cell->charge ^ cell->instructions << 32) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash >> 32;
}

static bool profile_cells_equal(const struct section_profile *a, const struct section_profile *b,
                                uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].instructions != b[i].instructions || a[i].iso != b[i].iso || a[i].exec != b[i].exec ||
            a[i].initiations != b[i].initiations || a[i].charge != b[i].charge || a[i].local != b[i].local ||
            a[i].private_initiations != b[i].private_initiations)
            return false;
    }
    return true;
}

/* Adds the section at hand: to an equal row seen lately, or as a new one. *number is the row's. */
static wb_status profile_keep(struct profile_maker *maker, size_t *number) {
    struct block_profile *profile = maker->profile;
    size_t *recent = &maker->recent[profile_hash(maker->cells, profile->path_count) % PROFILE_RECENT];
    if (*recent != 0) {
        struct profile_row *row = &profile->rows.items[*recent - 1];
        if (profile_cells_equal(&profile->cells.items[row->first], maker->cells, profile->path_count)) {
            row->count++;
            *number = *recent - 1;
            return WB_OK;
        }
    }
    struct profile_row row = {1, profile->cells.count};
    for (uint32_t p = 0; p < profile->path_count; p++)
        WB_TRY(vec_push(&profile->cells, maker->cells[p]));
    WB_TRY(vec_push(&profile->rows, row));
    *recent = profile->rows.count;
    *number = *recent - 1;
    return WB_OK;
}

/* Sequences of active sub-cores, behind one more section. */
static void add_turn(struct profile_maker *maker) {
    const struct block_profile *profile = maker->profile;
    const uint32_t sub_cores = profile->block->machine->sub_cores;
    uint64_t most = 0, next = 0; /* of all sub-cores before the section; of those but `last` */
    uint32_t last = 0;
    for (uint32_t c = 0; c < sub_cores; c++)
        if (maker->turns[c] > most) most = maker->turns[last = c];
    for (uint32_t c = 0; c < sub_cores; c++)
        if (c != last) next = cycles_max(next, maker->turns[c]);
    for (size_t g = 0; g < profile->groups.count; g++) {
        const struct warp_group *group = &profile->groups.items[g];
        if (!maker->cells[group->path].active) continue;
        const uint64_t behind = 1 + (group->sub_core == last ? next : most);
        maker->turns[group->sub_core] = cycles_max(maker->turns[group->sub_core], behind);
    }
}

/* Takes the latency path through a barrier: each warp waits for all, and for the release. */
static void walk_latencies_through(struct profile_maker *maker, struct chain_time latest) {
    latest.at += maker->profile->block->machine->barrier_release; /* which no link stands for */
    for (uint32_t p = 0; p < maker->profile->path_count; p++) {
        struct phase_walker *walker = &maker->walkers[p];
        walker->latency = latest;
        walker->latency_complete = chain_later(walker->latency_complete, latest);
    }
}

/* Walks one section on every path, `again` if others like it are not walked. */
static wb_status walk_row(struct profile_maker *maker, bool again, bool *more) {
    const uint32_t path_count = maker->profile->path_count;
    struct profile_trace *trace = maker->trace;
    struct chain_time latest = {0, CHAIN_NONE};
    *more = false;
    if (trace != NULL && !trace->latencies) chains_clear(&trace->chains);
    for (uint32_t p = 0; p < path_count; p++) {
        struct phase_walker *walker = &maker->walkers[p];
        WB_TRY(phase_walker_section(walker, &maker->cells[p]));
        latest = chain_later(latest, walker->latency);
        *more = *more || !walker->ended;
        maker->walked += maker->cells[p].instructions;
    }
    if (*more) walk_latencies_through(maker, latest);
    add_turn(maker);
    const struct spill_warps warps = {maker->profile->groups.items, maker->profile->groups.count,
                                      maker->walkers};
    if (*more) block_spill_note(&maker->spill, maker->profile->block->machine, &warps, again);
    return trace == NULL ? WB_OK : trace->row(trace->user, maker->walkers, maker->cells, maker->repeated);
}

/* Walks the rows of the cycle once more, from the cursors on. */
static time_sum walk_cycle(void *user) {
    struct profile_maker *maker = user;
    bool more;
    for (uint32_t p = 0; p < maker->profile->path_count; p++)
        maker->walkers[p].cursor = maker->cursors[p];
    for (size_t i = 0; i < maker->cycle.rows.count && maker->status == WB_OK; i++)
        maker->status = walk_row(maker, true, &more);
    return 0; /* no sums of differences: the rows are known */
}

/* Counts the rows of the cycle `times` more times, and takes the walkers behind them. */
static wb_status repeat_rows(struct profile_maker *maker, uint64_t times) {
    struct block_profile *profile = maker->profile;
    struct profile_trace *trace = maker->trace;
    time_sum sum;
    const struct max_plus_map map = {maker,
                                     maker->times.items,
                                     maker->times.count,
                                     walk_cycle,
                                     trace == NULL ? NULL : &trace->chains,
                                     maker->latencies.items,
                                     maker->latencies.count};
    for (size_t i = 0; i < maker->cycle.rows.count; i++)
        profile->rows.items[maker->cycle.rows.items[i]].count += times;
    if (trace == NULL || trace->latencies) {
        WB_TRY(max_plus_repeat(&map, times, &sum));
    } else { /* every section starts on a clean machine */
        maker->repeated = times;
        (void)walk_cycle(maker);
        maker->repeated = 1;
    }
    section_cycle_skip(&maker->cycle, times, maker->cursors);
    for (uint32_t p = 0; p < profile->path_count; p++)
        maker->walkers[p].cursor = maker->cursors[p];
    return maker->status;
}

/* Walks one row, and skips what repeats itself behind it. */
static wb_status profile_row(struct profile_maker *maker, bool *more) {
    size_t row;
    uint64_t times;
    WB_TRY(walk_row(maker, false, more));
    WB_TRY(profile_keep(maker, &row));
    for (uint32_t p = 0; p < maker->profile->path_count; p++)
        maker->cursors[p] = maker->walkers[p].cursor;
    WB_TRY(section_cycle_note(&maker->cycle, maker->cursors, row, &times));
    return times == 0 ? WB_OK : repeat_rows(maker, times);
}

/* The sums of all rows. */
static void profile_add_up(struct profile_maker *maker) {
    struct block_profile *profile = maker->profile;
    struct chain_time latest = {0, CHAIN_NONE};
    for (size_t r = 0; r < profile->rows.count; r++) {
        const struct profile_row *row = &profile->rows.items[r];
        profile->sections += row->count;
        for (uint32_t p = 0; p < profile->path_count; p++) {
            const struct section_profile *cell = profile_cell(profile, row, p);
            profile->instructions += cell->instructions * maker->path_warps[p] * row->count;
            profile->initiations += cell->initiations * maker->path_warps[p] * row->count;
        }
    }
    for (uint32_t p = 0; p < profile->path_count; p++)
        latest = chain_later(latest, maker->walkers[p].latency_complete);
    profile->latency = latest.at;
    if (maker->trace != NULL) maker->trace->latest = latest;
    profile->spill = block_spill_most(&maker->spill, profile->block->machine);
    profile->turns = 1;
    for (uint32_t c = 0; c < profile->block->machine->sub_cores; c++)
        profile->turns = cycles_max(profile->turns, maker->turns[c]);
}

static wb_status profile_walk(struct profile_maker *maker, const wb_watch *watch,
                              wb_diagnostics *diagnostics) {
    bool more = maker->profile->path_count > 0;
    while (more) {
        WB_TRY(profile_row(maker, &more));
        if (watch == NULL || watch->poll == NULL || maker->walked < maker->watch_at) continue;
        maker->watch_at = maker->walked + PROFILE_WATCH_INSTRUCTIONS;
        if (watch->poll(watch->user, "phases", maker->walked, maker->total)) continue;
        diagnose(diagnostics, SEVERITY_ERROR, "phases", "analysis stopped");
        maker->stopped = true;
        return WB_ERR_LIMIT;
    }
    profile_add_up(maker);
    return WB_OK;
}

/* A walker at the start of every path. */
static wb_status profile_prepare(struct profile_maker *maker) {
    const struct timed_block *block = maker->profile->block;
    const uint32_t count = block->path_count;
    const cycles *charges = phase_charges(block, &maker->arena);
    maker->walkers = arena_array(&maker->arena, count, sizeof *maker->walkers);
    maker->cursors = arena_array(&maker->arena, count, sizeof *maker->cursors);
    maker->cells = arena_array(&maker->arena, count, sizeof *maker->cells);
    maker->path_warps = arena_array(&maker->arena, count, sizeof *maker->path_warps);
    maker->turns = arena_array(&maker->arena, block->machine->sub_cores, sizeof *maker->turns);
    if (charges == NULL || maker->walkers == NULL || maker->cursors == NULL || maker->cells == NULL ||
        maker->path_warps == NULL || maker->turns == NULL)
        return WB_ERR_LIMIT;
    WB_TRY(block_spill_init(&maker->spill, block->machine, &maker->arena));
    WB_TRY(section_cycle_init(&maker->cycle, count));
    for (uint32_t p = 0; p < count; p++) {
        WB_TRY(phase_walker_init(&maker->walkers[p], block, p, charges, &maker->arena));
        maker->total += block->paths[p].length;
    }
    return warp_groups_find(block, &maker->arena, &maker->profile->groups, maker->path_warps);
}

/* Lists the times of all walkers that sections leave to the next: those of the latency path, what units have
 * initiated, and the turns of sub-cores, which are maxima of such with 1 added. Every section starts on a
 * clean machine. */
static void list_times(void *context) {
    struct profile_maker *maker = context;
    const struct timed_block *block = maker->profile->block;
    struct profile_trace *trace = maker->trace;
    time_list roots = {0};
    for (uint32_t p = 0; p < block->path_count; p++) {
        struct phase_walker *walker = &maker->walkers[p];
        phase_walker_times(walker, false, &maker->arena, &maker->latencies);
        for (size_t i = 0; i < warp_progress_count(&walker->progress); i++)
            arena_push(&maker->arena, &maker->times, warp_progress_time(&walker->progress, i));
        if (trace == NULL) continue;
        *(trace->latencies ? &walker->latency_chains : &walker->alone_chains) = &trace->chains;
        phase_walker_times(walker, !trace->latencies, &maker->arena, &roots);
    }
    for (size_t i = 0; i < maker->latencies.count; i++)
        arena_push(&maker->arena, &maker->times, &maker->latencies.items[i]->at);
    for (uint32_t c = 0; c < block->machine->sub_cores; c++)
        arena_push(&maker->arena, &maker->times, &maker->turns[c]);
    if (trace == NULL) return;
    trace->chains.roots = roots.items;
    trace->chains.root_count = roots.count;
    trace->chains.entries = block->code.inst_count;
    chains_clear(&trace->chains);
}

static wb_status make(struct profile_maker *maker, const wb_watch *watch, wb_diagnostics *diagnostics) {
    wb_status status = profile_prepare(maker);
    if (status == WB_OK) status = arena_protect(&maker->arena, list_times, maker);
    if (status == WB_OK) status = profile_walk(maker, watch, diagnostics);
    section_cycle_free(&maker->cycle);
    arena_free(&maker->arena);
    return status;
}

wb_status block_profile_make(const struct timed_block *block, const wb_watch *watch,
                             wb_diagnostics *diagnostics, struct block_profile *profile) {
    struct block_profile made = {.block = block, .path_count = block->path_count};
    struct profile_maker maker = {.profile = &made};
    const wb_status status = make(&maker, watch, diagnostics);
    if (status != WB_OK && !maker.stopped) (void)diagnose_out_of_memory(diagnostics, block->machine->name);
    if (status == WB_OK) {
        *profile = made;
    } else {
        block_profile_free(&made);
    }
    return status;
}

wb_status block_profile_trace(const struct timed_block *block, struct profile_trace *trace) {
    struct block_profile made = {.block = block, .path_count = block->path_count};
    struct profile_maker maker = {.profile = &made, .trace = trace, .repeated = 1};
    const wb_status status = make(&maker, NULL, NULL);
    block_profile_free(&made);
    return status;
}
