#include "grid_bounds.h"

#include <stdlib.h>

#include "base/base.h"
#include "bound/kernel/kernel_bounds.h"
#include "bound/search/grid_search.h"

void grid_bounds_begin(struct grid_bounds *bounds, const struct random_grid *grid) {
    *bounds = (struct grid_bounds){.grid = grid, .diagnostics = wb_diagnostics_new()};
    if (bounds->diagnostics == NULL ||
        block_classes_by_hand(&grid->block, NULL, bounds->diagnostics, &bounds->work) != WB_OK)
        abort();
}

bool grid_bounds_of(struct grid_bounds *bounds, const struct bound_method *method, const wb_watch *watch,
                    wb_bound *bound) {
    struct search_budget budget = search_budget_of(1000000);
    const struct schedule_witness *witness = NULL;
    const struct bound_input input = {.work = &bounds->work,
                                      .grid = &bounds->grid->timed,
                                      .machine = &bounds->grid->block.machine,
                                      .contended = memory_is_contended(&bounds->grid->block.machine.memory),
                                      .watch = watch,
                                      .diagnostics = bounds->diagnostics,
                                      .results = &bounds->results,
                                      .witness = &witness,
                                      .budget = &budget};
    const char *why;
    *bound = (wb_bound){.method = method->name};
    if (!bound_method_applies(method, &input, &why)) return false;
    if (!method->searches && method->fits != NULL && !method->fits(&input)) return false;
    wb_status status = method->run(&input, bound);
    if (status != WB_OK && (status != WB_ERR_LIMIT || bound->cycles == 0)) abort();
    return true;
}

cycles grid_bounds_exact(const struct grid_bounds *bounds, uint64_t states) {
    struct search_budget budget = search_budget_of(states);
    struct schedule_search search = {.budget = &budget};
    if (grid_search_objection(&bounds->work) != NULL || grid_search_run(&bounds->work, &search) != WB_OK)
        return 0;
    return search.longest;
}

const struct bound_method *grid_formula_at(size_t index) {
    return kernel_form_at(index);
}

const struct bound_method *grid_formula_named(const char *form) {
    return kernel_form_at(choose_index(form, kernel_form_name));
}

void grid_bounds_end(struct grid_bounds *bounds) {
    grid_work_free(&bounds->work);
    arena_free(&bounds->results);
    wb_diagnostics_free(bounds->diagnostics);
}
