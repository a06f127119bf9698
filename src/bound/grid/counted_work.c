/* Passes of loops that facts count over all warps of the kernel, in the sums of a grid: any blocks amount to
 * no more than without these passes, and all passes (docs/covering-paths.md, section 10). */
#include "bound/grid/grid_work.h"

#include <assert.h>

/* The class without passes; its blocks are counted with those of the class. */
static wb_status add_without(struct grid_work *work, const struct block_class *class,
                             const struct code_profile *profile) {
    if (work->without == NULL) {
        work->without = arena_alloc(&work->arena, sizeof *work->without);
        if (work->without == NULL) return WB_ERR_LIMIT;
        *work->without = (struct grid_work){.machine = work->machine};
    }
    struct grid_work *without = work->without;
    const cycles release = code_profile_releases(profile), requests = work->machine->fills.held;
    struct block_class rest = {.initiations = cycles_add(profile->work, requests),
                               .latency = cycles_add(profile->latency, release),
                               .held = cycles_add(profile->held, requests),
                               .serial = CYCLES_SATURATED,
                               .units = class->units};
    assert(without->classes.count + 1 == work->classes.count);
    rest.residency = rest.isolated = cycles_add(rest.initiations, rest.latency);
    WB_TRY(code_chain_make(profile, rest.latency, &without->arena, &rest.chain));
    block_chain_charge(&rest.chain, requests);
    return vec_push(&without->classes, rest);
}

/* The lesser of what a class amounts to and what it does without passes, and with those of one block. */
static void lessen(cycles *most, cycles without, cycles passes) {
    *most = cycles_min(*most, cycles_add(without, passes));
}

/* What passes add to the stay of a block but for its work: sub-cores that its chain changes to, too. */
static cycles own_passes(const struct block_chain *chain, const struct counted_time *passes) {
    return chain->turns > 1 ? cycles_add(passes->chain, passes->work) : passes->chain;
}

/* A block of the class has no more passes than facts say of a block. */
static void lessen_class(struct block_class *class, const struct block_class *without,
                         const struct counted_time *passes) {
    const cycles both = cycles_add(passes->work, passes->chain);
    lessen(&class->initiations, without->initiations, passes->work);
    lessen(&class->held, without->held, passes->held);
    lessen(&class->latency, without->latency, passes->chain);
    lessen(&class->residency, without->residency, both);
    lessen(&class->isolated, without->isolated, both);
    struct chain_share *share = &class->chain.shares[CHAIN_WHOLE];
    const struct chain_share *rest = &without->chain.shares[CHAIN_WHOLE];
    lessen(&share->work, rest->work, passes->work);
    lessen(&share->own, rest->own, own_passes(&class->chain, passes));
    lessen(&share->beyond, rest->beyond, passes->work);
}

/* Raises what a pass takes in any block to what it takes in one. */
static void raise_passes(const struct counted_loops *counted, const struct grid_work *work) {
    for (uint32_t l = 0; l < counted->count; l++) {
        struct counted_loop *most = &work->counted.items[l];
        const struct counted_loop *loop = &counted->items[l];
        most->work = cycles_max(most->work, loop->work);
        most->held = cycles_max(most->held, loop->held);
        most->chain = cycles_max(most->chain, loop->chain);
    }
}

wb_status grid_work_add_counted(struct grid_work *work, const struct code_profile *profile,
                                const struct counted_loops *counted) {
    struct block_class *class = &work->classes.items[work->classes.count - 1];
    const struct counted_time passes = counted_loops_of_block(counted, profile->sections);
    WB_TRY(add_without(work, class, profile));
    if (work->counted.count == 0) {
        work->counted =
            (struct counted_loops){.items = arena_array(&work->arena, counted->count, sizeof *counted->items),
                                   .count = counted->count};
        if (work->counted.items == NULL) return WB_ERR_LIMIT;
        for (uint32_t l = 0; l < counted->count; l++)
            work->counted.items[l] = counted->items[l];
    }
    assert(work->counted.count == counted->count);
    raise_passes(counted, work);
    class->counted = counted->items;
    lessen_class(class, &work->without->classes.items[work->classes.count - 1], &passes);
    return WB_OK;
}

/* What all passes of the kernel take at most: no more than its blocks have, if that is less. */
static struct counted_time passes_of_kernel(const struct grid_work *work) {
    struct counted_time time = {0};
    for (uint32_t l = 0; l < work->counted.count; l++) {
        const struct counted_loop *loop = &work->counted.items[l];
        uint64_t all = 0;
        for (size_t k = 0; k < work->classes.count; k++) {
            const struct block_class *class = &work->classes.items[k];
            all = cycles_add(all, cycles_mul(class->counted[l].passes, class->blocks));
        }
        all = cycles_min(all, loop->most[FACT_OF_KERNEL]);
        time.work = cycles_add(time.work, cycles_mul(all, loop->work));
        time.held = cycles_add(time.held, cycles_mul(all, loop->held));
        time.chain = cycles_add(time.chain, cycles_mul(all, loop->chain));
    }
    return time;
}

static void link(struct class_ranking *ranking, const struct class_ranking *without, cycles passes) {
    ranking->without = without;
    ranking->passes = passes;
}

void grid_work_count_passes(struct grid_work *work) {
    const struct grid_work *without = work->without;
    if (without == NULL) return;
    const struct counted_time passes = passes_of_kernel(work);
    const cycles both = cycles_add(passes.work, passes.chain);
    link(&work->by_initiations, &without->by_initiations, passes.work);
    link(&work->by_held, &without->by_held, passes.held);
    link(&work->by_residency, &without->by_residency, cycles_max(both, passes.held));
    link(&work->by_isolated, &without->by_isolated, both);
    lessen(&work->latency_total, without->latency_total, passes.chain);
    struct chain_pool *pool = &work->chains.pools[CHAIN_WHOLE];
    const struct chain_pool *rest = &without->chains.pools[CHAIN_WHOLE];
    const bool turns = work->chains.turns_most > 1;
    link(&work->chains.by_all, &without->chains.by_all, passes.work);
    link(&pool->by_work, &rest->by_work, passes.work);
    link(&pool->by_own, &rest->by_own, turns ? both : passes.chain);
    link(&pool->by_beyond, &rest->by_beyond, passes.work);
    link(&pool->extras, &rest->extras, passes.work);
}
