/* Analyses of whole kernels, which are all blocks of a grid in the slots of all SMs, and beside them the
 * blocks in isolation; and of what is written by hand: blocks, grids, abstract warps. */
#include <stdlib.h>

#include "base/files.h"
#include "base/wing.h"
#include "bound/analysis/analysis.h"
#include "memory/requests/requests.h"
#include "warp/synthetic/synthetic.h"
#include "warp/trace/blocks.h"

/* The kind with the largest bound of an isolated block. */
static uint32_t longest_class(const struct grid_work *work) {
    uint32_t longest = 0;
    for (uint32_t k = 1; k < work->classes.count; k++)
        if (work->classes.items[k].residency > work->classes.items[longest].residency) longest = k;
    return longest;
}

/* The block of the grid with the most initiations, on a machine with caches. */
static uint32_t busiest_block(const struct memory_work *work) {
    uint32_t busiest = 0;
    for (uint32_t b = 1; b < work->block_count; b++)
        if (memory_work_of(work, b)->initiations > memory_work_of(work, busiest)->initiations) busiest = b;
    return busiest;
}

/* On a machine with caches, analyses block number `number` by itself, too. */
static wb_status analyse_busiest(wb_analysis *made, const struct wb_grid *grid, uint32_t number,
                                 wb_diagnostics *diagnostics) {
    if (!grid->cover.covers)
        return analysis_of_grid_block(grid, number, made->machine, diagnostics, &made->longest);
    const struct wb_block *block = grid->covering.items[grid->blocks.items[number].covering].block;
    return wb_analysis_new(block, made->machine, diagnostics, &made->longest);
}

/* Completes a kernel whose `longest`, of a class, is analysed. */
static wb_status finish_kernel(wb_analysis *made, uint32_t class, wb_diagnostics *diagnostics) {
    made->assumed = made->work.assumed;
    const uint64_t slots = cycles_mul(made->machine->memory.sms, made->work.resident_least);
    const bool one_wave = made->work.block_count <= slots;
    made->beside = (struct beside_counts){.atomics = grid_work_atomics(&made->work),
                                          .sectors = made->grid_times.fills.all,
                                          .visits = one_wave || !grid_work_is_dynamic(&made->work) ? 1 : 2};
    return kernel_blocks_make(made, class, diagnostics);
}

/* Covering paths on a machine without caches: block classes, but nothing that could be simulated. */
static wb_status analyse_covering(wb_analysis *made, const struct wb_grid *grid, const wb_watch *watch,
                                  wb_diagnostics *diagnostics) {
    WB_TRY(wb_machine_check(made->machine, diagnostics));
    WB_TRY(timed_grid_fills(grid, made->machine, diagnostics, &made->grid_times));
    const struct wb_machine *machine = made->machine = made->grid_times.machine;
    WB_TRY(block_classes_covering(grid, machine, watch, diagnostics, &made->work));
    made->facts = &made->work.covering->facts;
    const uint32_t longest = longest_class(&made->work);
    WB_TRY(wb_analysis_new(grid->covering.items[longest].block, machine, diagnostics, &made->longest));
    return finish_kernel(made, longest, diagnostics);
}

/* Makes an empty analysis one of a grid; on a machine with caches under the default scheme. With `covering`,
 * the analysis of covering paths of the same launch, it simulates that one's isolated block. `like`: as for
 * analysis_new_kernel. */
static wb_status analysis_of_grid(wb_analysis *made, const struct wb_grid *grid,
                                  const struct wb_machine *machine, const struct wb_analysis *covering,
                                  const struct wb_analysis *like, const wb_watch *watch,
                                  wb_diagnostics *diagnostics) {
    const bool shares = like != NULL && like->kind == SUBJECT_KERNEL && like->grid_times.traffic.grid == grid;
    const struct wb_analysis *longest_of = covering != NULL ? covering : made;
    made->machine = machine;
    WB_TRY(grid_decline_clusters(grid, diagnostics));
    const struct machine_memory *memory = &machine->memory;
    if (memory_has_hierarchy(memory)) {
        WB_TRY(analysis_fill_grid(made, grid, diagnostics));
        return analyse_busiest(made, grid, busiest_block(&longest_of->memory), diagnostics);
    }
    made->kind = SUBJECT_KERNEL;
    if (grid->cover.covers) return analyse_covering(made, grid, watch, diagnostics);
    WB_TRY(timed_grid_make_like(grid, machine, shares ? &like->grid_times : NULL, diagnostics,
                                &made->grid_times));
    if (memory_is_contended(memory)) WB_TRY(timed_grid_decline_long(&made->grid_times, diagnostics));
    made->machine = made->grid_times.machine;
    WB_TRY(block_classes_make(&made->grid_times, watch, diagnostics, &made->classes, &made->work));
    const uint32_t number = longest_of->work.classes.items[longest_class(&longest_of->work)].first;
    WB_TRY(analysis_of_grid_block(grid, number, made->machine, diagnostics, &made->longest));
    return finish_kernel(made, made->work.class_of[number], diagnostics);
}

/* Makes an analysis, which is empty, one of a grid written by hand, which made->by_hand holds. */
static wb_status analysis_of_hand_grid(wb_analysis *made, wb_diagnostics *diagnostics) {
    made->machine = &made->by_hand.machine;
    made->kind = SUBJECT_KERNEL;
    WB_TRY(synthetic_grid_make(&made->by_hand, diagnostics, &made->isolated, &made->grid_times));
    WB_TRY(block_classes_by_hand(&made->by_hand, NULL, diagnostics, &made->work));
    const uint32_t longest = longest_class(&made->work);
    WB_TRY(analysis_of_synthetic(&made->by_hand, &made->work.classes.items[longest], longest, diagnostics,
                                 &made->longest));
    return finish_kernel(made, longest, diagnostics);
}

wb_status analysis_new_kernel(const wb_grid *grid, const wb_machine *machine, const wb_analysis *like,
                              const wb_watch *watch, wb_diagnostics *diagnostics, wb_analysis **analysis) {
    wb_analysis *made = analysis_make();
    if (made == NULL) return analysis_no_memory(diagnostics);
    wb_status status = analysis_of_grid(made, grid, machine, NULL, like, watch, diagnostics);
    return analysis_finish(made, status, diagnostics, analysis);
}

wb_status analysis_new_given(const wb_grid *grid, const wb_analysis *covering, const wb_watch *watch,
                             wb_diagnostics *diagnostics, wb_analysis **analysis) {
    wb_analysis *made = analysis_make();
    if (made == NULL) return analysis_no_memory(diagnostics);
    wb_status status = analysis_of_grid(made, grid, covering->machine, covering, NULL, watch, diagnostics);
    return analysis_finish(made, status, diagnostics, analysis);
}

/* A file describes a block, a grid of blocks, or what a wing reads. */
static wb_status analysis_fill(wb_analysis *made, const char *path, const char *text, size_t size,
                               wb_diagnostics *diagnostics) {
    const struct wing *wing;
    for (size_t i = 0; (wing = wing_at(i)) != NULL; i++) {
        if (wing->reader == NULL || !wing->reader->is(text, size)) continue;
        made->kind = SUBJECT_OF_WING;
        made->reader = wing->reader;
        return made->reader->read(path, text, size, diagnostics, &made->subject, &made->name, &made->machine);
    }
    WB_TRY(synthetic_file_parse(path, text, size, diagnostics, &made->by_hand));
    if (made->by_hand.is_grid) return analysis_of_hand_grid(made, diagnostics);
    made->timed = &made->by_hand.timed;
    return WB_OK;
}

wb_status analysis_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                         wb_analysis **analysis) {
    wb_analysis *made = analysis_make();
    if (made == NULL) return analysis_no_memory(diagnostics);
    const wb_input input = input_of(WB_INPUT_BY_HAND, name, text, size);
    wb_status status = input_copy(&input, &made->texts, &made->by_hand_input) == WB_OK
                           ? analysis_fill(made, name, text, size, diagnostics)
                           : analysis_no_memory(diagnostics);
    return analysis_finish(made, status, diagnostics, analysis);
}

wb_status wb_analysis_read(const char *path, wb_diagnostics *diagnostics, wb_analysis **analysis) {
    char *text;
    size_t size;
    WB_TRY(file_read(path, YTREE_SIZE_MAX, diagnostics, &text, &size));
    wb_status status = content_expect(CONTENT_BLOCK, path, text, size, diagnostics);
    if (status == WB_OK) status = analysis_parse(path, text, size, diagnostics, analysis);
    free(text);
    return status;
}
