#include "bound/grid/grid_work.h"

#include <assert.h>

/* ---- Blocks -------------------------------------------------------------------------------------------- */

/* The work of a section, or of all, by sub-core. */
struct divided_work {
    cycles shared;   /* on units that sub-cores share */
    cycles *private; /* per sub-core, on its own */
};

static int most_first(const void *a, const void *b) {
    const cycles x = *(const cycles *)a, y = *(const cycles *)b;
    return (x < y) - (x > y);
}

/* Adds what the warps of a block do in the sections of a row, as if it were one section. */
static void add_row(const struct block_profile *profile, const struct profile_row *row,
                    struct divided_work *work) {
    for (size_t g = 0; g < profile->groups.count; g++) {
        const struct warp_group *group = &profile->groups.items[g];
        const struct section_profile *cell = profile_cell(profile, row, group->path);
        const cycles own = cycles_mul(cell->private_initiations, group->warps);
        const cycles all = cycles_mul(cell->initiations, group->warps);
        work->private[group->sub_core] = cycles_add(work->private[group->sub_core], own);
        work->shared = cycles_add(work->shared, all - own);
    }
}

/* The state of making a block. */
struct chain_maker {
    const struct block_profile *profile;
    struct arena *arena;
    uint32_t sub_cores;
    struct divided_work work;
    VEC(struct chain_extra) extras;
};

static void clear_work(struct chain_maker *maker) {
    maker->work.shared = 0;
    for (uint32_t c = 0; c < maker->sub_cores; c++)
        maker->work.private[c] = 0;
}

static wb_status add_extra(struct chain_maker *maker, cycles each, uint64_t count) {
    if (each == 0 || count == 0) return WB_OK;
    return vec_push(&maker->extras, ((struct chain_extra){each, count}));
}

static int dearest_first(const void *a, const void *b) {
    const struct chain_extra *x = a, *y = b;
    return (x->each < y->each) - (x->each > y->each);
}

/* Hands over the extras, equal ones counted together. */
static wb_status take_extras(struct chain_maker *maker, struct chain_share *share) {
    struct chain_extra *extras = arena_array(maker->arena, maker->extras.count + 1, sizeof *extras);
    if (extras == NULL) return WB_ERR_LIMIT;
    size_t count = 0;
    if (maker->extras.count > 0)
        qsort(maker->extras.items, maker->extras.count, sizeof *extras, dearest_first);
    for (size_t i = 0; i < maker->extras.count; i++) {
        const struct chain_extra extra = maker->extras.items[i];
        if (count > 0 && extras[count - 1].each == extra.each)
            extras[count - 1].count = cycles_add(extras[count - 1].count, extra.count);
        else
            extras[count++] = extra;
    }
    maker->extras.count = 0;
    share->extras = extras;
    share->extra_count = count;
    return WB_OK;
}

/* One window from the start of the block to its end. */
static wb_status cut_nowhere(struct chain_maker *maker, struct chain_share *share) {
    const struct block_profile *profile = maker->profile;
    cycles *sums = maker->work.private;
    cycles shared = 0;
    clear_work(maker);
    for (size_t r = 0; r < profile->rows.count; r++) {
        const struct profile_row *row = &profile->rows.items[r];
        for (size_t g = 0; g < profile->groups.count; g++) {
            const struct warp_group *group = &profile->groups.items[g];
            const struct section_profile *cell = profile_cell(profile, row, group->path);
            const uint64_t times = cycles_mul(group->warps, row->count);
            cycles *sum = &sums[group->sub_core];
            *sum = cycles_add(*sum, cycles_mul(cell->private_initiations, times));
            shared = cycles_add(shared, cycles_mul(cell->initiations - cell->private_initiations, times));
        }
    }
    qsort(sums, maker->sub_cores, sizeof *sums, most_first);
    share->work = cycles_add(sums[0], shared);
    for (uint32_t i = 1; i < maker->sub_cores; i++)
        WB_TRY(add_extra(maker, sums[i], 1));
    return take_extras(maker, share);
}

/* Cut at barriers, each of which leaves at most `spill` behind. */
static wb_status cut_at_barriers(struct chain_maker *maker, cycles spill, struct chain_share *share) {
    const struct block_profile *profile = maker->profile;
    for (size_t r = 0; r < profile->rows.count; r++) {
        const struct profile_row *row = &profile->rows.items[r];
        cycles *sums = maker->work.private;
        clear_work(maker);
        add_row(profile, row, &maker->work);
        qsort(sums, maker->sub_cores, sizeof *sums, most_first);
        const cycles busiest = cycles_add(sums[0], maker->work.shared);
        share->work = cycles_add(share->work, cycles_mul(busiest, row->count));
        for (uint32_t i = 1; i < maker->sub_cores; i++)
            WB_TRY(add_extra(maker, cycles_add(sums[i], spill), row->count));
    }
    if (maker->sub_cores > 1 && profile->sections > 0) WB_TRY(add_extra(maker, spill, profile->sections - 1));
    return take_extras(maker, share);
}

static wb_status make_shares(struct chain_maker *maker, bool covering, struct block_chain *chain) {
    const struct block_profile *profile = maker->profile;
    const bool sectioned = profile->sections > 1;
    chain->known[CHAIN_WHOLE] = true;
    /* Of covering paths blocks may leave barriers out, and readers of results, by which spills are known. */
    chain->known[CHAIN_SECTIONS] = chain->known[CHAIN_ISSUED] = !sectioned || !covering;
    WB_TRY(cut_nowhere(maker, &chain->shares[CHAIN_WHOLE]));
    WB_TRY(cut_at_barriers(maker, 0, &chain->shares[CHAIN_ISSUED]));
    return cut_at_barriers(maker, sectioned ? profile->spill : 0, &chain->shares[CHAIN_SECTIONS]);
}

wb_status block_chain_make(const struct block_profile *profile, const struct chain_demand *demand,
                           struct arena *arena, struct block_chain *chain) {
    struct chain_maker maker = {
        .profile = profile, .arena = arena, .sub_cores = profile->block->machine->sub_cores};
    *chain = (struct block_chain){.turns = profile->turns};
    maker.work.private = arena_array(arena, maker.sub_cores, sizeof *maker.work.private);
    wb_status status =
        maker.work.private == NULL ? WB_ERR_LIMIT : make_shares(&maker, demand->covering, chain);
    vec_free(&maker.extras);
    const cycles by_sections = cycles_add(chain->shares[CHAIN_SECTIONS].work, demand->latency);
    for (size_t v = 0; v < CHAIN_WINDOWS; v++) {
        struct chain_share *share = &chain->shares[v];
        /* The residency pays waiting with what initiates in that very cycle: not in the order of issue. */
        const cycles stay = v == CHAIN_ISSUED ? CYCLES_SATURATED : demand->residency;
        share->own = cycles_sub(cycles_min(stay, by_sections), share->work);
        share->beyond = cycles_sub(demand->initiations, share->work);
    }
    return status;
}

void block_chain_charge(struct block_chain *chain, cycles stalls) {
    for (size_t v = 0; v < CHAIN_WINDOWS; v++)
        chain->shares[v].work = cycles_add(chain->shares[v].work, stalls);
}

/* ---- Grids --------------------------------------------------------------------------------------------- */

struct pool_maker {
    const struct chain_class *classes;
    size_t count;
    struct arena *arena;
    struct ranked_class *ranked; /* scratch, of as many as there are classes */
    uint64_t *blocks;            /* of each of them */
};

typedef cycles (*share_cycles)(const struct chain_share *share);

static cycles work_of(const struct chain_share *share) {
    return share->work;
}

static cycles all_of(const struct chain_share *share) {
    return cycles_add(share->work, share->beyond);
}

static cycles own_of(const struct chain_share *share) {
    return share->own;
}

static cycles beyond_of(const struct chain_share *share) {
    return share->beyond;
}

static wb_status rank(const struct pool_maker *maker, enum chain_window window, share_cycles each,
                      struct class_ranking *ranking) {
    for (size_t k = 0; k < maker->count; k++)
        maker->ranked[k] = (struct ranked_class){each(&maker->classes[k].chain->shares[window]), (uint32_t)k};
    return class_ranking_make(maker->arena, maker->ranked, maker->count, maker->blocks, ranking);
}

/* All extras of all blocks. */
static wb_status rank_extras(const struct pool_maker *maker, enum chain_window window,
                             struct class_ranking *ranking) {
    struct arena scratch = {0};
    size_t count = 0, e = 0;
    for (size_t k = 0; k < maker->count; k++)
        count += maker->classes[k].chain->shares[window].extra_count;
    struct ranked_class *ranked = arena_array(&scratch, count + 1, sizeof *ranked);
    uint64_t *counts = arena_array(&scratch, count + 1, sizeof *counts);
    wb_status status = ranked == NULL || counts == NULL || count > UINT32_MAX ? WB_ERR_LIMIT : WB_OK;
    for (size_t k = 0; status == WB_OK && k < maker->count; k++) {
        const struct chain_share *share = &maker->classes[k].chain->shares[window];
        for (size_t i = 0; i < share->extra_count; i++, e++) {
            ranked[e] = (struct ranked_class){share->extras[i].each, (uint32_t)e};
            counts[e] = cycles_mul(share->extras[i].count, maker->classes[k].blocks);
        }
    }
    if (status == WB_OK) status = class_ranking_make(maker->arena, ranked, count, counts, ranking);
    arena_free(&scratch);
    return status;
}

static wb_status make_pool(const struct pool_maker *maker, enum chain_window window,
                           struct chain_pool *pool) {
    pool->known = true;
    for (size_t k = 0; k < maker->count; k++)
        pool->known = pool->known && maker->classes[k].chain->known[window];
    if (!pool->known) return WB_OK;
    WB_TRY(rank(maker, window, work_of, &pool->by_work));
    WB_TRY(rank(maker, window, own_of, &pool->by_own));
    WB_TRY(rank(maker, window, beyond_of, &pool->by_beyond));
    return rank_extras(maker, window, &pool->extras);
}

static wb_status make_pools(struct pool_maker *maker, struct chain_work *work) {
    for (size_t k = 0; k < maker->count; k++) {
        const struct chain_class *class = &maker->classes[k];
        maker->blocks[k] = class->blocks;
        work->turns_most = cycles_max(work->turns_most, class->chain->turns);
        work->turns_total = cycles_add(work->turns_total, cycles_mul(class->chain->turns, class->blocks));
    }
    WB_TRY(rank(maker, CHAIN_WHOLE, all_of, &work->by_all));
    for (enum chain_window v = 0; v < CHAIN_WINDOWS; v++)
        WB_TRY(make_pool(maker, v, &work->pools[v]));
    return WB_OK;
}

wb_status chain_work_make(const struct chain_class *classes, size_t count, struct arena *arena,
                          struct chain_work *work) {
    struct pool_maker maker = {.classes = classes, .count = count, .arena = arena};
    maker.ranked = calloc(count + 1, sizeof *maker.ranked);
    maker.blocks = calloc(count + 1, sizeof *maker.blocks);
    *work = (struct chain_work){.turns_most = 1};
    const bool failed = maker.ranked == NULL || maker.blocks == NULL;
    const wb_status status = failed ? WB_ERR_LIMIT : make_pools(&maker, work);
    free(maker.ranked);
    free(maker.blocks);
    return status;
}

cycles chain_pool_extras(const struct chain_pool *pool, uint64_t changes, uint64_t n) {
    assert(pool->known);
    return cycles_min(class_ranking_sum(&pool->extras, changes), class_ranking_sum(&pool->by_beyond, n));
}
