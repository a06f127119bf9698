#include "bound/analysis/analysis.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bound/method/beside.h"

/* The most cycles of any block of a class, isolated on its SM. If SMs share a memory, the classes' sums
 * exclude its cost. */
static cycles cap_of(const wb_analysis *kernel, uint32_t class) {
    const struct grid_work *work = &kernel->work;
    if (memory_is_contended(&work->machine->memory)) return CYCLES_SATURATED;
    const struct block_class *that = &work->classes.items[class];
    const struct beside_counts counts = {
        .atomics = that->atomics, .sectors = kernel->grid_times.fills.most_of_block, .visits = 1};
    const struct beside_times beside = beside_times_of(work->machine, &counts);
    return cycles_add(cycles_add(that->isolated, beside_sum(&beside)),
                      grid_work_fetch_time_of_block(work, class));
}

/* The analysis of a block of a class. */
static wb_status analyse_class(const wb_analysis *kernel, wb_diagnostics *diagnostics,
                               struct kernel_block *block) {
    const struct wb_grid *grid = kernel->grid_times.grid;
    const struct block_class *class = &kernel->work.classes.items[block->class];
    if (grid->covering.count > 0)
        return wb_analysis_new(grid->covering.items[block->class].block, kernel->machine, diagnostics,
                               &block->analysis);
    if (kernel->by_hand.is_grid)
        return analysis_of_synthetic(&kernel->by_hand, class, block->class, diagnostics, &block->analysis);
    return analysis_of_grid_block(grid, class->first, kernel->machine, diagnostics, &block->analysis);
}

/* Adds a block of each class but the longest, while there is room; notes the largest cap of the others. */
static wb_status add_others(wb_analysis *kernel, const struct ranked_class *classes, uint32_t longest,
                            wb_diagnostics *diagnostics) {
    for (size_t k = 0; k < kernel->work.classes.count; k++) {
        struct kernel_block block = {
            .class = classes[k].class, .cap = classes[k].each, .least = CYCLES_SATURATED};
        if (block.class == longest) continue;
        if (kernel->blocks.count == KERNEL_BLOCKS_MAX) {
            kernel->rest = block.cap;
            return WB_OK;
        }
        wb_status status = analyse_class(kernel, diagnostics, &block);
        kernel->blocks.items[kernel->blocks.count++] = block;
        WB_TRY(status);
    }
    return WB_OK;
}

/* Of all blocks the most sectors; the accesses are those of the grid. */
static void note_fills(const wb_analysis *kernel, const struct kernel_block *block) {
    wb_analysis *made = block->analysis;
    made->beside.sectors = kernel->grid_times.fills.most_of_block;
    if (!machine_fills_once(kernel->machine) || kernel->grid_times.grid->cover.covers) return;
    made->own.traffic = &kernel->grid_times.traffic;
    made->own.traffic_block = kernel->work.classes.items[block->class].first;
}

wb_status kernel_blocks_make(wb_analysis *kernel, uint32_t longest, wb_diagnostics *diagnostics) {
    const struct grid_work *work = &kernel->work;
    struct ranked_class *classes = calloc(work->classes.count + 1, sizeof *classes);
    wb_status status = vec_reserve(&kernel->blocks, KERNEL_BLOCKS_MAX);
    if (classes == NULL || status != WB_OK) {
        free(classes);
        return analysis_no_memory(diagnostics);
    }
    for (uint32_t k = 0; k < work->classes.count; k++)
        classes[k] = (struct ranked_class){cap_of(kernel, k), k};
    qsort(classes, work->classes.count, sizeof *classes, ranked_classes_compare);
    kernel->blocks.items[kernel->blocks.count++] = (struct kernel_block){.analysis = kernel->longest,
                                                                         .class = longest,
                                                                         .cap = cap_of(kernel, longest),
                                                                         .least = CYCLES_SATURATED};
    kernel->longest->kernel = kernel;
    status = add_others(kernel, classes, longest, diagnostics);
    for (size_t b = 0; b < kernel->blocks.count; b++)
        if (kernel->blocks.items[b].analysis != NULL) note_fills(kernel, &kernel->blocks.items[b]);
    free(classes);
    return status;
}

/* The kind of a number that is the larger of two: what both are. */
static wb_kind weaker_kind(wb_kind a, wb_kind b) {
    if (a == b) return a;
    if (a == WB_ESTIMATE || b == WB_ESTIMATE) return WB_ESTIMATE;
    if (a == WB_LOWER || b == WB_LOWER) return WB_LOWER;
    return WB_UPPER;
}

/* Makes of the bound for some blocks one that is for another, too. */
static void merge(const wb_bound *bound, wb_bound *into) {
    if (bound->reason != NULL && (into->reason == NULL || bound->cycles > into->cycles))
        into->reason = bound->reason;
    into->kind = weaker_kind(into->kind, bound->kind);
    into->cycles = cycles_max(into->cycles, bound->cycles);
    into->lower = cycles_max(into->lower, bound->lower);
    into->seconds += bound->seconds;
    for (size_t i = 0; i < bound->assumption_count; i++)
        assume(into, bound->assumptions[i]);
}

/* Counts in blocks of which the method said nothing: none of them exceeds `skipped`. A search that missed a
 * block which can take longer has found a schedule, but not the longest. */
static void count_skipped(cycles skipped, wb_bound *bound) {
    static const char *const reason = "not all block classes were analysed by themselves";
    if (skipped <= bound->cycles || bound->kind == WB_LOWER) return;
    if (bound->kind == WB_UPPER && skipped != CYCLES_SATURATED) {
        bound->cycles = skipped;
        assume(bound, WB_ASSUME_UNITS_NOT_IDLE);
        assume(bound, WB_ASSUME_OTHER_CLASSES_AS_SUMMED);
        return;
    }
    bound->kind = bound->kind == WB_EXACT ? WB_LOWER : WB_ESTIMATE;
    if (bound->reason == NULL) bound->reason = reason;
}

/* Whether a search can find nothing longer in a block, or has seen enough of them. */
static bool is_skipped(const struct bound_method *method, const struct kernel_block *block, size_t number,
                       bool unasked, const struct analysis_attempt *so_far) {
    if (!method->searches || !so_far->found) return false;
    return block->cap <= so_far->bound.cycles || (unasked && number >= KERNEL_BLOCKS_SEARCHED);
}

/* How many blocks share what a method may do. */
static uint32_t blocks_asked(const wb_analysis *kernel, const struct bound_method *method, bool unasked) {
    const uint32_t blocks = (uint32_t)kernel->blocks.count;
    return method->searches && unasked && blocks > KERNEL_BLOCKS_SEARCHED ? KERNEL_BLOCKS_SEARCHED : blocks;
}

/* Adds what came of one block to what came of those before. */
static void add_attempt(const struct analysis_attempt *one, struct kernel_block *block, cycles *skipped,
                        struct analysis_attempt *all) {
    if (one->left_out != NULL) all->left_out = one->left_out;
    if (!one->found) {
        *skipped = cycles_max(*skipped, block->cap);
        return;
    }
    if (one->bound.kind == WB_UPPER) block->least = cycles_min(block->least, one->bound.cycles);
    if (all->found)
        merge(&one->bound, &all->bound);
    else
        all->bound = one->bound;
    all->found = true;
}

/* Runs a method on a block that shares the work that is left with `among` blocks, itself included. */
static wb_status try_block(wb_analysis *block, size_t index, const struct analysis_request *request,
                           uint64_t among, wb_diagnostics *messages, struct analysis_attempt *attempt) {
    struct search_budget share = *request->budget;
    if (share.work != WORK_UNLIMITED) share.work /= among;
    const uint64_t given = share.work;
    struct analysis_request own = *request;
    own.budget = &share;
    wb_status status = analysis_try(block, index, &own, messages, attempt);
    (void)search_spend(request->budget, given - share.work);
    return status;
}

wb_status kernel_blocks_try(wb_analysis *kernel, size_t index, const struct analysis_request *request,
                            wb_diagnostics *messages, struct analysis_attempt *attempt) {
    const struct bound_method *method = bound_method_at(index);
    const uint32_t blocks = blocks_asked(kernel, method, request->unasked);
    assert(kernel->kind == SUBJECT_KERNEL && (method->needs & NEED_BLOCK) != 0);
    kernel->block_methods |= UINT64_C(1) << index;
    if (method->searches && kernel->executed != NULL)
        return kernel_blocks_try(kernel->executed, index, request, messages, attempt);
    struct kernel_block *decider = NULL;
    cycles skipped = kernel->rest;
    wb_status status = WB_OK;
    *attempt = (struct analysis_attempt){.found = false};
    for (size_t b = 0; b < kernel->blocks.count; b++) {
        struct kernel_block *block = &kernel->blocks.items[b];
        struct analysis_attempt one = {.found = false};
        if (!is_skipped(method, block, b, request->unasked, attempt)) {
            wb_status came_to =
                try_block(block->analysis, index, request, b < blocks ? blocks - b : 1, messages, &one);
            if (came_to != WB_OK && (status == WB_OK || came_to == WB_ERR_DECLINED)) status = came_to;
        }
        if (one.found && (!attempt->found || one.bound.cycles > attempt->bound.cycles)) decider = block;
        add_attempt(&one, block, &skipped, attempt);
    }
    if (!attempt->found) return status;
    const cycles decided = attempt->bound.cycles;
    count_skipped(skipped, &attempt->bound);
    for (size_t b = 0; b < kernel->blocks.count; b++)
        kernel->blocks.items[b].decides &= ~(UINT64_C(1) << index);
    if (decided == attempt->bound.cycles) decider->decides |= UINT64_C(1) << index;
    return status == WB_ERR_LIMIT ? status : WB_OK;
}

/* Whether some block can have an SM to itself. */
static bool has_isolated(const struct grid_work *work) {
    return work->resident_least == 1 || work->block_count <= work->machine->memory.sms;
}

/* Asks the tightest methods that have not been asked; one that says nothing is done without. */
static void ask_tightest(wb_analysis *kernel, uint64_t *work_left, const wb_watch *watch,
                         wb_diagnostics *messages) {
    struct search_budget budget = {0, SEARCH_BYTES_UNASKED, 0};
    const struct analysis_request request = {.unasked = true, .budget = &budget, .watch = watch};
    struct analysis_attempt attempt;
    for (size_t i = 0; bound_method_at(i) != NULL; i++) {
        const struct bound_method *method = bound_method_at(i);
        if (!method->tightest || (kernel->block_methods >> i & 1)) continue;
        budget.work = work_left[i];
        if (kernel_blocks_try(kernel, i, &request, messages, &attempt) == WB_ERR_LIMIT &&
            wb_diagnostics_errors(messages) == 0)
            messages->no_memory = true;
        work_left[i] = budget.work;
    }
}

wb_status kernel_blocks_sharpen(wb_analysis *kernel, uint64_t *work_left, const wb_watch *watch,
                                wb_diagnostics *diagnostics) {
    struct grid_work *work = &kernel->work;
    if (memory_is_contended(&work->machine->memory) || !has_isolated(work)) return WB_OK;
    wb_diagnostics *discarded = wb_diagnostics_new();
    if (discarded == NULL) return analysis_no_memory(diagnostics);
    ask_tightest(kernel, work_left, watch, discarded);
    const bool no_memory = discarded->no_memory;
    wb_diagnostics_free(discarded);
    if (no_memory) return analysis_no_memory(diagnostics);
    for (size_t b = 0; b < kernel->blocks.count; b++)
        grid_work_sharpen(work, kernel->blocks.items[b].class, kernel->blocks.items[b].least);
    return grid_work_rank_isolated(work) == WB_OK ? WB_OK : analysis_no_memory(diagnostics);
}
