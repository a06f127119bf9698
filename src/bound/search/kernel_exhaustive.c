/* The exact worst case of a small grid: all work-conserving schedules of all SMs under all dispatches. */
#include "bound/grid/contention.h"
#include "bound/method/method.h"
#include "bound/search/grid_explorer.h"

static const char *kernel_exhaustive_objection(const struct bound_input *input) {
    return grid_search_objection(input->work);
}

static bool kernel_exhaustive_too_large(const struct bound_input *input) {
    return !grid_search_is_short(input->work, input->diagnostics);
}

static void kernel_exhaustive_result(const struct bound_input *input, const struct grid_search *search,
                                     wb_status status, wb_bound *bound) {
    bound->kind = status == WB_OK ? WB_EXACT : WB_LOWER;
    bound->cycles = bound->lower = search->longest;
    bound_assume_paths(input, bound);
    assume(bound, WB_ASSUME_WORK_CONSERVING);
    assume(bound, WB_ASSUME_TIMES_AS_STATED);
    assume(bound, WB_ASSUME_UNITS_IN_ISSUE_ORDER);
    grid_assume_dispatch(input->work, bound);
    if (status == WB_OK) return;
    if (grid_search_had_no_memory(search)) (void)diagnose_out_of_memory(input->diagnostics, "k-exhaustive");
    diagnose(input->diagnostics, SEVERITY_ERROR, "k-exhaustive",
             "%s after %llu states: not all schedules were seen, the longest of them took %llu cycles",
             search_end_name(search->stopped, search->spent), (unsigned long long)search->states,
             (unsigned long long)search->longest);
}

static wb_status kernel_exhaustive_run(const struct bound_input *input, wb_bound *bound) {
    struct grid_search search = {.watch = input->watch, .budget = input->budget};
    wb_status status = grid_search_run(input->work, &search);
    if (status != WB_ERR_DECLINED) {
        kernel_exhaustive_result(input, &search, status, bound);
        return status;
    }
    diagnose(input->diagnostics, SEVERITY_ERROR, "k-exhaustive",
             "the programs are too long or keep too many results waiting");
    return status;
}

const struct bound_method bound_k_exhaustive = {
    .name = "k-exhaustive",
    .summary = "kernel: exact worst case over all schedules and dispatches, for small grids",
    .run = kernel_exhaustive_run,
    .objection = kernel_exhaustive_objection,
    .too_large = kernel_exhaustive_too_large,
    .searches = true,
    .unasked_work = KERNEL_SEARCH_WORK,
    .scope = BOUND_OF_KERNEL,
};
