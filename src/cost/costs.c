#include "cost/costs.h"

#include <stdlib.h>
#include <string.h>

/* ---- What instructions do ------------------------------------------------------------------------------ */

/* Adds the executions by `times` warps to the differences from each entry's count to the next one's. */
static void count_run(uint64_t *differences, const struct path_entry *entry, uint64_t times) {
    differences[entry->first] += times; /* sums wrap round; only their differences count */
    differences[entry->first + entry->count] -= times;
}

uint64_t *cost_executions(const struct timed_block *timed, struct arena *arena) {
    uint64_t *counts = arena_array(arena, (size_t)timed->code.inst_count + 1, sizeof *counts);
    uint64_t *warps = arena_array(arena, (size_t)timed->path_count + 1, sizeof *warps);
    if (counts == NULL || warps == NULL) return NULL;
    for (uint32_t w = 0; w < timed->warp_count; w++)
        warps[timed->warp_path[w]]++;
    for (uint32_t p = 0; p < timed->path_count; p++) {
        const struct path *path = &timed->paths[p];
        for (size_t e = 0; e < path->entries.count; e++) {
            const struct path_entry *entry = &path->entries.items[e];
            if (entry->count != PATH_REPEAT) count_run(counts, entry, warps[p]);
            for (size_t b = 1; entry->count == PATH_REPEAT && b <= entry->first; b++)
                count_run(counts, entry - b, warps[p] * entry->mask);
        }
    }
    for (uint32_t i = 0; i < timed->code.inst_count; i++)
        counts[i + 1] += counts[i];
    return counts;
}

wb_status cost_work_add(struct cost_maker *maker, const struct timed_block *timed, uint64_t times) {
    struct arena arena = {0};
    const uint64_t *counts = cost_executions(timed, &arena);
    if (counts == NULL) {
        arena_free(&arena);
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    }
    for (uint32_t i = 0; i < timed->code.inst_count; i++) {
        if (counts[i] == 0) continue;
        const struct timed_inst *inst = &timed->code.insts[i];
        struct cost_work *work = &maker->work[timed_origin(&timed->code, i)];
        const uint64_t executions = cycles_mul(counts[i], times);
        work->executed = true;
        work->unit = inst->unit;
        if (!inst->uncounted) work->executions = cycles_add(work->executions, executions);
        if (inst->unit == UNIT_NONE) continue;
        work->issue = cycles_add(work->issue, executions);
        work->busy = cycles_add(work->busy, cycles_mul(executions, u32_sub(inst->init, 1)));
    }
    arena_free(&arena);
    return WB_OK;
}

/* ---- Making them --------------------------------------------------------------------------------------- */

wb_status cost_decline(const struct cost_maker *maker, const char *reason) {
    diagnose(maker->diagnostics, SEVERITY_ERROR, maker->bound->method, "its cycles are not attributed: %s",
             reason);
    return WB_ERR_DECLINED;
}

/* The bound of a method, or NULL with a message. */
static const wb_bound *find_bound(const struct wb_analysis *analysis, const char *method,
                                  wb_diagnostics *diagnostics) {
    for (size_t i = 0; i < analysis->bounds.count; i++)
        if (strcmp(analysis->bounds.items[i].method, method) == 0) return &analysis->bounds.items[i];
    diagnose(diagnostics, SEVERITY_ERROR, method, "this method has no result");
    return NULL;
}

/* Finds the code: that of a module, or of what is written by hand; returns how many instructions it has. */
static size_t find_code(const struct wb_analysis *analysis, struct wb_costs *costs) {
    const struct wb_grid *grid = analysis->grid_times.grid;
    const struct wb_block *block = analysis->block;
    const struct wb_kernel *kernel = NULL;
    if (block != NULL) {
        kernel = block->kernel;
        costs->code_first = block->code_first;
    } else if (grid != NULL && grid->kernel != NULL) {
        kernel = grid->kernel;
        costs->code_first = grid->code_first;
    }
    if (kernel != NULL) {
        costs->module = kernel->module;
        return costs->code_first[kernel->module->function_count];
    }
    return analysis->timed != NULL ? analysis->timed->code.inst_count
                                   : analysis->by_hand.timed.code.inst_count;
}

/* Attributes the bound. */
static wb_status attribute(struct cost_maker *maker) {
    const struct wb_analysis *analysis = maker->analysis;
    wb_status status;
    if (maker->bound->kind != WB_UPPER && maker->bound->kind != WB_ESTIMATE)
        return cost_decline(maker, "it was found by a search");
    if (analysis_is_block(analysis))
        status = block_costs(maker);
    else if (analysis->kind == SUBJECT_KERNEL)
        status = kernel_costs(maker);
    else
        return cost_decline(maker, "nothing says where its cycles go");
    if (status != WB_OK) return status;
    tally_add(&maker->shares, tally_apart(&maker->shares, COST_LAUNCH), WB_PART_LAUNCH,
              analysis_overhead(analysis));
    return cost_rows_make(maker);
}

static wb_status make_costs(struct cost_maker *maker) {
    struct wb_costs *costs = maker->costs;
    const size_t instructions = find_code(maker->analysis, costs);
    costs->method = maker->bound->method;
    maker->work = arena_array(&costs->arena, instructions + 1, sizeof *maker->work);
    if (maker->work == NULL || tally_init(&maker->shares, instructions, &costs->arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    for (size_t i = 0; i < instructions; i++)
        maker->work[i].unit = UNIT_NONE;
    return attribute(maker);
}

wb_status wb_costs_of_bound(const wb_analysis *analysis, const char *method, const wb_watch *watch,
                            wb_diagnostics *diagnostics, wb_costs **costs) {
    struct cost_maker maker = {.analysis = analysis,
                               .bound = find_bound(analysis, method, diagnostics),
                               .watch = watch,
                               .diagnostics = diagnostics};
    if (maker.bound == NULL) return WB_ERR_INPUT;
    maker.costs = calloc(1, sizeof *maker.costs);
    if (maker.costs == NULL) return diagnose_out_of_memory(diagnostics, "costs");
    wb_status status = make_costs(&maker);
    if (status == WB_OK)
        *costs = maker.costs;
    else
        wb_costs_free(maker.costs);
    return status;
}

void wb_costs_free(wb_costs *costs) {
    if (costs == NULL) return;
    arena_free(&costs->arena);
    free(costs);
}

const wb_cost *wb_costs_rows(const wb_costs *costs, size_t *count) {
    *count = costs->rows.count;
    return costs->rows.items;
}

uint64_t wb_costs_total(const wb_costs *costs) {
    return costs->total;
}

const char *wb_costs_method(const wb_costs *costs) {
    return costs->method;
}
