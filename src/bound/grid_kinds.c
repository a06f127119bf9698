#include "bound/grid_kinds.h"

#include <stdlib.h>

#include "memory/access_costs.h"
#include "memory/access_order.h"
#include "warp/block_timing.h"
#include "warp/grid_block.h"

static void kind_times_free(struct kind_times *kind) {
    if (kind == NULL) return;
    timed_block_free(&kind->timed);
    wb_block_free(kind->block);
    free(kind);
}

/* A block with times, to be freed in any case. */
static wb_status time_block(const struct wb_block *block, const struct wb_machine *machine,
                            wb_diagnostics *diagnostics, struct timed_block *timed) {
    struct execution_cost *costs;
    WB_TRY(access_costs_make(block, machine, diagnostics, &costs));
    wb_status status = timed_block_from(block, machine, costs, diagnostics, timed);
    free(costs);
    return status == WB_OK ? timed_block_check(timed, diagnostics) : status;
}

/* What block number `number` executes, with times. */
static wb_status time_kind(const struct timed_grid *timed, uint32_t number, wb_diagnostics *diagnostics,
                           struct kind_times *kind) {
    WB_TRY(grid_block_make(timed->grid, number, diagnostics, &kind->block));
    return time_block(kind->block, timed->machine, diagnostics, &kind->timed);
}

/* Adds a kind in its sums. */
static wb_status profile_kind(const struct timed_block *timed, const wb_watch *watch,
                              wb_diagnostics *diagnostics, struct grid_work *work) {
    struct block_profile profile;
    WB_TRY(block_profile_make(timed, watch, diagnostics, &profile));
    wb_status status = grid_work_add_kind(work, timed, &profile);
    block_profile_free(&profile);
    return status == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, timed->machine->name);
}

/* Adds the kind of block number `number`. */
static wb_status add_kind(const struct timed_grid *timed, uint32_t number, const wb_watch *watch,
                          wb_diagnostics *diagnostics, struct grid_kinds *kinds, struct grid_work *work) {
    struct kind_times *kind = calloc(1, sizeof *kind);
    if (kind == NULL) return diagnose_out_of_memory(diagnostics, timed->machine->name);
    wb_status status = time_kind(timed, number, diagnostics, kind);
    if (status == WB_OK) status = profile_kind(&kind->timed, watch, diagnostics, work);
    if (status == WB_OK && kinds->kept_count < KINDS_KEPT_MAX) {
        kinds->kept[kinds->kept_count++] = kind;
        return WB_OK;
    }
    if (status == WB_OK) work->kinds.items[work->kinds.count - 1].timed = NULL;
    kind_times_free(kind);
    return status;
}

static wb_status ask_watch(const wb_watch *watch, uint32_t done, uint32_t total,
                           wb_diagnostics *diagnostics) {
    if (watch == NULL || watch->poll == NULL || watch->poll(watch->user, "kinds of blocks", done, total))
        return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, "kernel", "analysis stopped");
    return WB_ERR_LIMIT;
}

/* Every block, by the variants of its traffic: blocks of one variant execute the same at the same cost. */
static wb_status add_blocks(const struct timed_grid *timed, const wb_watch *watch,
                            wb_diagnostics *diagnostics, struct grid_kinds *kinds, struct grid_work *work) {
    struct arena scratch = {0};
    const uint32_t count = (uint32_t)timed->grid->blocks.count;
    uint32_t *kind_of = arena_array(&scratch, timed->traffic.variants.count + 1, sizeof *kind_of); /* + 1 */
    work->kind_of = arena_array(&work->arena, (size_t)count + 1, sizeof *work->kind_of);
    const bool failed = kind_of == NULL || work->kind_of == NULL;
    wb_status status = failed ? diagnose_out_of_memory(diagnostics, timed->machine->name) : WB_OK;
    for (uint32_t b = 0; !failed && status == WB_OK && b < count; b++) {
        uint32_t *kind = &kind_of[timed->traffic.block_variants[b]];
        if (*kind == 0) {
            status = ask_watch(watch, b, count, diagnostics);
            if (status == WB_OK) status = add_kind(timed, b, watch, diagnostics, kinds, work);
            *kind = (uint32_t)work->kinds.count;
        }
        if (status == WB_OK) grid_work_add_block(work, *kind - 1);
    }
    arena_free(&scratch);
    return status;
}

/* How many blocks an SM holds at a time, `demand` each. */
static wb_status find_resident(const struct block_demand *demand, wb_diagnostics *diagnostics,
                               struct grid_work *work) {
    struct resident_range resident;
    WB_TRY(machine_resident_range(work->machine, demand, false, diagnostics, &resident));
    work->resident_most = resident.most < work->block_count ? resident.most : work->block_count;
    work->resident_least = resident.least < work->block_count ? resident.least : work->block_count;
    return WB_OK;
}

static wb_status finish(const struct block_demand *demand, wb_diagnostics *diagnostics,
                        struct grid_work *work) {
    WB_TRY(find_resident(demand, diagnostics, work));
    if (grid_work_finish(work) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(diagnostics, work->machine->name);
}

wb_status grid_kinds_make(const struct timed_grid *timed, const wb_watch *watch, wb_diagnostics *diagnostics,
                          struct grid_kinds *kinds, struct grid_work *work) {
    const struct block_demand demand = grid_block_demand(timed->grid);
    work->machine = timed->machine;
    WB_TRY(add_blocks(timed, watch, diagnostics, kinds, work));
    return finish(&demand, diagnostics, work);
}

/* Adds the kind of a covering block. */
static wb_status add_covering(const struct wb_block *block, const wb_watch *watch,
                              wb_diagnostics *diagnostics, struct grid_work *work) {
    struct timed_block timed = {0};
    wb_status status = time_block(block, work->machine, diagnostics, &timed);
    if (status == WB_OK) status = profile_kind(&timed, watch, diagnostics, work);
    if (status == WB_OK) work->kinds.items[work->kinds.count - 1].timed = NULL;
    timed_block_free(&timed);
    work->divergent_barrier |= block->divergent_barrier;
    return status;
}

wb_status grid_kinds_covering(const struct wb_grid *grid, const struct wb_machine *machine,
                              const wb_watch *watch, wb_diagnostics *diagnostics, struct grid_work *work) {
    const uint32_t kinds = (uint32_t)grid->covering.count;
    const struct block_demand demand = grid_block_demand(grid);
    work->machine = machine;
    work->covering = grid->covering.items[0];
    work->kind_of = arena_array(&work->arena, grid->blocks.count + 1, sizeof *work->kind_of);
    if (work->kind_of == NULL) return diagnose_out_of_memory(diagnostics, machine->name);
    for (uint32_t k = 0; k < kinds; k++) {
        WB_TRY(ask_watch(watch, k, kinds, diagnostics));
        WB_TRY(add_covering(grid->covering.items[k], watch, diagnostics, work));
    }
    for (size_t b = 0; b < grid->blocks.count; b++)
        grid_work_add_block(work, grid->blocks.items[b].shape);
    return finish(&demand, diagnostics, work);
}

wb_status grid_kinds_by_hand(const struct abstract_block *block, const wb_watch *watch,
                             wb_diagnostics *diagnostics, struct grid_work *work) {
    struct block_demand demand = {0};
    work->machine = &block->machine;
    work->kind_of = arena_array(&work->arena, (size_t)block->block_count + 1, sizeof *work->kind_of);
    if (work->kind_of == NULL) return diagnose_out_of_memory(diagnostics, work->machine->name);
    for (size_t k = 0; k < block->kinds.count; k++) {
        const struct abstract_blocks *kind = &block->kinds.items[k];
        WB_TRY(timed_block_check(&kind->timed, diagnostics));
        WB_TRY(profile_kind(&kind->timed, watch, diagnostics, work));
        for (uint32_t b = 0; b < kind->count; b++)
            grid_work_add_block(work, (uint32_t)k);
    }
    return finish(&demand, diagnostics, work);
}

void grid_kinds_free(struct grid_kinds *kinds) {
    for (uint32_t k = 0; k < kinds->kept_count; k++)
        kind_times_free(kinds->kept[k]);
}
