/* The bounds of grids on machines with caches: their parts, each divided in proportion to what all blocks do.
 */
#include <string.h>

#include "bound/cache/latency_path.h"
#include "cost/costs.h"

/* The blocks of a grid on their way, with the chains of their latencies. */
struct latency_walk {
    struct latency_block block;
    struct chains chains;
    cycles *spent; /* on the chain of a block */
};

/* Adds the longest path of latencies of a block, `times` times. */
static wb_status add_chain(struct latency_walk *walk, uint32_t block, uint64_t times, struct tally *weights) {
    const struct timed_code *code = &walk->block.timed->code;
    chains_clear(&walk->chains);
    latency_block_begin(&walk->block, block, 0);
    (void)latency_block_run(&walk->block);
    memset(walk->spent, 0, (size_t)code->inst_count * CHAIN_STEPS * sizeof *walk->spent);
    WB_TRY(chain_spend(&walk->chains, walk->block.longest_link, 1, walk->spent));
    chain_spent_add(code, walk->spent, times, weights, NULL);
    return WB_OK;
}

/* Adds a block of each variant of the grid, as often as there are such blocks. */
static wb_status add_variants(struct cost_maker *maker, struct latency_walk *walk, uint64_t *blocks,
                              struct tally *weights) {
    const struct timed_grid *timed = walk->block.timed;
    const size_t count = timed->grid->blocks.count;
    for (size_t b = 0; b < count; b++)
        blocks[timed->traffic.block_variants[b]]++;
    for (uint32_t b = 0; b < count; b++) {
        uint64_t *times = &blocks[timed->traffic.block_variants[b]];
        if (*times == 0) continue;
        cost_work_add_block(timed, b, *times, maker->work);
        if (add_chain(walk, b, *times, weights) != WB_OK)
            return diagnose_out_of_memory(maker->diagnostics, "costs");
        *times = 0;
        if (maker->watch == NULL || maker->watch->poll == NULL) continue;
        if (maker->watch->poll(maker->watch->user, "costs", b, count)) continue;
        diagnose(maker->diagnostics, SEVERITY_ERROR, "costs", "analysis stopped");
        return WB_ERR_LIMIT;
    }
    return WB_OK;
}

/* The same with what is known of the requests of blocks that may be on any SM, beside any others. */
static wb_status add_blocks(struct cost_maker *maker, struct tally *weights) {
    const struct timed_grid *timed = &maker->analysis->grid_times;
    const struct sm_share anywhere = {0, 1, maker->analysis->memory.resident};
    uint64_t *blocks = arena_array(&maker->costs->arena, timed->traffic.variants.count + 1, sizeof *blocks);
    struct latency_walk walk = {.spent = chain_spent_new(&timed->code, &maker->costs->arena)};
    struct must_hits hits;
    if (blocks == NULL || walk.spent == NULL ||
        latency_block_init(&walk.block, timed, &maker->costs->arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    walk.block.hits = &hits;
    walk.block.chains = &walk.chains;
    wb_status status = must_hits_make(&timed->traffic, &timed->code, &anywhere, maker->diagnostics, &hits);
    if (status == WB_OK) status = add_variants(maker, &walk, blocks, weights);
    must_hits_free(&hits);
    chains_free(&walk.chains);
    return status;
}

wb_status cached_costs(struct cost_maker *maker) {
    struct tally weights;
    if (maker->bound->part_count == 0)
        return cost_decline(maker, "its equations have one number for segments of all warps in turns");
    if (tally_init(&weights, maker->shares.instructions, &maker->costs->arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    WB_TRY(add_blocks(maker, &weights));
    for (size_t i = 0; i < weights.instructions; i++) {
        tally_add(&weights, i, WB_PART_ISSUE, maker->work[i].issue);
        tally_add(&weights, i, WB_PART_UNIT, maker->work[i].busy);
    }
    cost_add_asking(maker->work, &weights);
    WB_TRY(cost_divide_parts(maker, &weights, &weights, &weights));
    return cost_divide(maker, WB_PART_FETCH, cost_left(maker), &weights);
}
