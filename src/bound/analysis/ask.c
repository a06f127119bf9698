/* Which methods an analysis is asked for, and how much each may do: those that are named as much as the user
 * allows, those of "all" their shares. */
#include <string.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "bound/method/neighbours.h"

/* The subject of methods: an analysis, or, for a kernel, also its isolated blocks. */
struct analysis_task {
    wb_analysis *analysis; /* that keeps the results */
    wb_analysis *kernel;   /* whose blocks they are of; or NULL */
    uint64_t *work_left;   /* of "all": by the number of a method, of its share; NULL: they are named */
};

/* What the forms of a bound say, beside neighbours. */
static wb_status add_to_forms(wb_analysis *analysis, uint64_t atomics, wb_bound *bound) {
    wb_form *forms = arena_array(&analysis->log.texts, bound->form_count, sizeof *forms);
    if (forms == NULL) return WB_ERR_LIMIT;
    for (size_t f = 0; f < bound->form_count; f++) {
        forms[f] = bound->forms[f];
        if (forms[f].cycles == 0) continue;
        forms[f].cycles = time_beside_neighbours(analysis->machine, forms[f].cycles, atomics);
    }
    bound->forms = forms;
    return WB_OK;
}

/* Adds to a bound what others than the kernel have memory do: here, once, and not to those of blocks that a
 * kernel's is made of. */
static wb_status add_neighbours(const struct analysis_task *task, wb_diagnostics *messages, wb_bound *bound) {
    const struct wb_analysis *counted = task->kernel != NULL ? task->kernel : task->analysis;
    if (counted->machine == NULL || !counted->machine->neighbours.stated) return WB_OK;
    const uint64_t atomics = counted->beside.atomics;
    if (add_to_forms(task->analysis, atomics, bound) != WB_OK) return analysis_no_memory(messages);
    bound_add_neighbours(counted->machine, atomics, bound);
    if (bound->cycles != CYCLES_SATURATED) return WB_OK;
    diagnose(messages, SEVERITY_ERROR, bound->method, "beside its neighbours the bound does not fit 64 bits");
    return WB_ERR_LIMIT;
}

/* Runs a method, of a kernel's blocks of all of them, and keeps its bound. */
static wb_status analysis_run_task(const struct analysis_task *task, size_t index,
                                   const struct analysis_request *request, wb_diagnostics *messages) {
    wb_analysis *analysis = task->analysis;
    struct analysis_attempt attempt;
    if (vec_reserve(&analysis->bounds, 1) != WB_OK) return analysis_no_memory(messages);
    wb_status status = task->kernel != NULL
                           ? kernel_blocks_try(task->kernel, index, request, messages, &attempt)
                           : analysis_try(analysis, index, request, messages, &attempt);
    if (attempt.found) {
        WB_TRY(add_neighbours(task, messages, &attempt.bound));
        wb_bound *slot = method_place(&analysis->methods_run, index, analysis->bounds.items,
                                      &analysis->bounds.count, sizeof *slot);
        *slot = attempt.bound;
        if (attempt.witness != NULL && task->kernel == NULL)
            WB_TRY(vec_push(&analysis->witnesses, *attempt.witness));
    } else if (attempt.left_out != NULL) {
        WB_TRY(method_decline(&analysis->log, bound_method_at(index)->name, WB_OK, attempt.left_out));
    }
    return status;
}

/* The budget of a method: if named, the user's states, memory and its own limit; for "all", the rest of its
 * share. */
static struct search_budget analysis_budget(const struct wb_analysis *analysis, size_t index,
                                            const uint64_t *left) {
    const uint64_t named = bound_method_at(index)->explicit_budget;
    struct search_budget budget = {analysis->state_limit, SEARCH_BYTES_NAMED,
                                   named == 0 ? WORK_UNLIMITED : named};
    if (left == NULL) return budget;
    budget.bytes = SEARCH_BYTES_UNASKED;
    budget.work = *left;
    return budget;
}

/* Asks a method, within what it may do. */
static wb_status analysis_run_method(void *user, size_t index, struct method_run *run) {
    const struct analysis_task *task = user;
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return analysis_no_memory(run->diagnostics);
    uint64_t *left = task->work_left == NULL ? NULL : &task->work_left[index];
    struct search_budget budget = analysis_budget(task->analysis, index, left);
    const struct analysis_request request = {
        .unasked = left != NULL, .budget = &budget, .watch = &run->watch};
    struct method_outcome outcome = {.method = bound_method_at(index)->name, .named = left == NULL};
    outcome.status = analysis_run_task(task, index, &request, messages);
    outcome.has_result = task->analysis->methods_run >> index & 1;
    if (left != NULL) *left = budget.work;
    if (left != NULL && outcome.has_result) task->analysis->unasked |= UINT64_C(1) << index;
    return method_run_note(run, &task->analysis->log, &outcome, messages);
}

/* The methods that bound blocks, as bits. */
static uint64_t analysis_block_methods(void) {
    uint64_t methods = 0;
    for (size_t i = 0; bound_method_at(i) != NULL; i++)
        if ((bound_method_at(i)->needs & NEED_BLOCK) != 0) methods |= UINT64_C(1) << i;
    return methods;
}

/* The work of each method for "all", by its number. */
static void analysis_shares(uint64_t work[METHODS_MAX]) {
    for (size_t i = 0; bound_method_at(i) != NULL; i++) {
        const uint64_t share = bound_method_at(i)->default_budget;
        work[i] = share == 0 ? WORK_UNLIMITED : share;
    }
}

/* Runs some methods of the analysis, and of the blocks of a kernel before; `unasked`: for "all". */
static wb_status analysis_run_both(wb_analysis *analysis, uint64_t chosen, uint64_t shares[METHODS_MAX],
                                   bool unasked, struct method_run *run) {
    const uint64_t of_blocks = analysis->longest == NULL ? 0 : analysis_block_methods();
    wb_analysis *kernel = analysis->kind == SUBJECT_KERNEL ? analysis : NULL;
    uint64_t *work_left = unasked ? shares : NULL;
    struct analysis_task blocks = {analysis->longest, kernel, work_left};
    struct analysis_task itself = {analysis, NULL, work_left};
    if ((chosen & of_blocks) != 0)
        WB_TRY(method_run_chosen(run, chosen & of_blocks, &analysis->longest->methods_run,
                                 analysis_run_method, &blocks));
    chosen &= ~of_blocks;
    if (kernel != NULL && (chosen & ~analysis->methods_run) != 0)
        WB_TRY(kernel_blocks_sharpen(kernel, shares, &run->watch, run->diagnostics));
    return method_run_chosen(run, chosen, &analysis->methods_run, analysis_run_method, &itself);
}

/* Runs some methods: those of `unasked` within what "all" gives them. */
static wb_status analysis_run(wb_analysis *analysis, uint64_t chosen, uint64_t unasked, const wb_watch *watch,
                              wb_diagnostics *diagnostics) {
    uint64_t shares[METHODS_MAX];
    struct method_run run;
    WB_TRY(method_run_begin(&run, "analysis", watch, diagnostics));
    analysis_shares(shares);
    wb_status status = analysis_run_both(analysis, chosen & ~unasked, shares, false, &run);
    if (status == WB_OK) status = analysis_run_both(analysis, chosen & unasked, shares, true, &run);
    wb_status ended = method_run_end(&run);
    return status != WB_OK ? status : ended;
}

/* Notes which forms of `kernel` are asked for. What it has said of fewer forms is forgotten, to be found
 * anew. */
static void ask_forms(wb_analysis *analysis, const struct chosen_methods *chosen) {
    const size_t kernel = choose_index(bound_kernel.name, wb_method_name);
    const uint64_t bit = UINT64_C(1) << kernel;
    if ((chosen->methods & bit) == 0) return;
    if ((analysis->methods_run & bit) == 0) {
        analysis->forms = chosen->forms;
        return;
    }
    const uint32_t both = analysis->forms == 0 || chosen->forms == 0 ? 0 : analysis->forms | chosen->forms;
    if (both == analysis->forms) return;
    wb_bound *bound = analysis->bounds.items;
    while (bound->form == NULL)
        bound++;
    const size_t behind = (size_t)(analysis->bounds.items + analysis->bounds.count - bound) - 1;
    memmove(bound, bound + 1, behind * sizeof *bound);
    analysis->bounds.count--;
    analysis->methods_run &= ~bit;
    analysis->forms = both;
}

wb_status wb_analysis_bound(wb_analysis *analysis, const char *methods, const wb_watch *watch,
                            wb_diagnostics *diagnostics) {
    struct chosen_methods chosen;
    WB_TRY(choose_methods(methods, diagnostics, &chosen));
    ask_forms(analysis, &chosen);
    return analysis_run(analysis, chosen.methods, strcmp(methods, "all") == 0 ? chosen.methods : 0, watch,
                        diagnostics);
}

wb_status analysis_bound_alike(wb_analysis *analysis, const wb_analysis *model, const wb_watch *watch,
                               wb_diagnostics *diagnostics) {
    const wb_analysis *block = model->longest;
    const uint64_t of_block = block == NULL ? 0 : block->methods_run;
    const uint64_t unasked = model->unasked | (block == NULL ? 0 : block->unasked);
    analysis->forms = model->forms;
    return analysis_run(analysis, model->methods_run | of_block, unasked, watch, diagnostics);
}

wb_status analysis_bound_kernel(wb_analysis *analysis, const wb_watch *watch, wb_diagnostics *diagnostics) {
    uint64_t chosen = 0;
    if (wb_analysis_scope(analysis) != WB_SCOPE_KERNEL) return WB_OK;
    for (size_t i = 0; bound_method_at(i) != NULL; i++)
        if (!bound_method_at(i)->searches && !bound_method_at(i)->never_proven) chosen |= UINT64_C(1) << i;
    chosen &= ~analysis_block_methods();
    return analysis_run(analysis, chosen, chosen, watch, diagnostics);
}
