#include "cost/costs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making them --------------------------------------------------------------------------------------- */

wb_status cost_decline(const struct cost_maker *maker, const char *reason) {
    diagnose(maker->diagnostics, SEVERITY_ERROR, maker->name, "its cycles are not attributed: %s", reason);
    return WB_ERR_DECLINED;
}

/* Finds the bound of a method. */
static wb_status find_bound(struct cost_maker *maker, const char *word) {
    const struct wb_analysis *analysis = maker->analysis;
    const char *method = wb_method_of_word(word);
    for (size_t i = 0; bound_method_at(i) != NULL; i++)
        if (strcmp(bound_method_at(i)->name, method) == 0)
            maker->method = bound_method_on(maker->index = i, analysis->machine);
    for (size_t i = 0; i < analysis->bounds.count; i++)
        if (strcmp(analysis->bounds.items[i].method, method) == 0) maker->bound = &analysis->bounds.items[i];
    if (maker->bound != NULL && maker->method != NULL) return WB_OK;
    diagnose(maker->diagnostics, SEVERITY_ERROR, method, "this method has no result");
    return WB_ERR_INPUT;
}

/* A bound for whichever block of a kernel takes longest is attributed to the deciding block. */
static wb_status find_decider(struct cost_maker *maker) {
    const struct wb_analysis *kernel = maker->analysis->kernel;
    if (kernel == NULL) return WB_OK;
    for (size_t b = 0; b < kernel->blocks.count; b++) {
        if ((kernel->blocks.items[b].decides >> maker->index & 1) == 0) continue;
        maker->analysis = kernel->blocks.items[b].analysis;
        return WB_OK;
    }
    return cost_decline(maker, "it is a limit for block classes that were not analysed by themselves");
}

/* Finds the code: that of a module, or of what is written by hand; returns how many instructions it has. */
static size_t find_code(const struct wb_analysis *analysis, struct wb_costs *costs) {
    const struct sources sources = analysis_sources(analysis);
    if (sources.kernel != NULL) {
        costs->module = sources.kernel->module;
        costs->code_first = sources.code_first;
        return costs->code_first[costs->module->function_count];
    }
    return analysis->timed != NULL ? analysis->timed->code.inst_count
                                   : analysis->by_hand.timed.code.inst_count;
}

/* Attributes the bound. */
static wb_status attribute(struct cost_maker *maker) {
    const struct wb_analysis *analysis = maker->analysis;
    wb_status status;
    assert(maker->method != NULL);
    if (maker->bound->kind != WB_UPPER && maker->bound->kind != WB_ESTIMATE)
        return cost_decline(maker, "it was found by a search");
    if (analysis->kind == SUBJECT_OF_WING) return cost_decline(maker, analysis->reader->unattributed);
    if (analysis->kind == SUBJECT_KERNEL)
        status = kernel_costs(maker);
    else if (maker->method->needs & NEED_BLOCK)
        status = block_costs(maker);
    else
        status = cached_costs(maker);
    WB_TRY(status);
    if (cost_left(maker) != 0 || tally_sum(&maker->shares) > maker->bound->cycles)
        return cost_decline(maker, "its parts do not sum up to it");
    maker->costs->causes = maker->causes;
    return cost_rows_make(maker);
}

/* Whether the cycles of what the machine times are divided by causes, too. */
static const bool has_causes[] = {[ISA_PTX] = false, [ISA_SASS] = true};

wb_status costs_begin(struct cost_maker *maker) {
    struct wb_costs *costs = maker->costs;
    const size_t instructions = find_code(maker->analysis, costs);
    costs->method = maker->name;
    maker->work = arena_array(&costs->arena, instructions + 1, sizeof *maker->work);
    if (has_causes[machine_isa(maker->analysis->machine)]) {
        const size_t units = maker->analysis->machine->unit_count;
        maker->causes = arena_array(&costs->arena, 1, sizeof *maker->causes);
        maker->by_unit = arena_array(&costs->arena, instructions * units + 1, sizeof *maker->by_unit);
        if (maker->causes == NULL || maker->by_unit == NULL)
            return diagnose_out_of_memory(maker->diagnostics, "costs");
    }
    if (maker->work == NULL || tally_init(&maker->shares, instructions, &costs->arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    for (size_t i = 0; i < instructions; i++)
        maker->work[i].unit = UNIT_NONE;
    return WB_OK;
}

wb_status wb_costs_of_bound(const wb_analysis *analysis, const char *method, const wb_watch *watch,
                            wb_diagnostics *diagnostics, wb_costs **costs) {
    struct cost_maker maker = {.analysis = analysis, .watch = watch, .diagnostics = diagnostics};
    WB_TRY(find_bound(&maker, method));
    maker.name = maker.bound->method;
    WB_TRY(find_decider(&maker));
    maker.costs = calloc(1, sizeof *maker.costs);
    if (maker.costs == NULL) return diagnose_out_of_memory(diagnostics, "costs");
    wb_status status = costs_begin(&maker);
    if (status == WB_OK) status = attribute(&maker);
    if (status == WB_OK)
        *costs = maker.costs;
    else
        wb_costs_free(maker.costs);
    return status;
}

const wb_bound *cost_formula_of(const struct wb_analysis *analysis, const wb_bound *bound) {
    for (size_t f = 0; f < analysis->formulas.count; f++) {
        const wb_bound *formula = &analysis->formulas.items[f];
        if (strcmp(formula->method, bound->method) == 0 && formula->cycles == bound->cycles) return formula;
    }
    return bound;
}

/* Sets the parts of a bound by causes, if these sum up to it. */
static void set_parts(const struct code_causes *causes, const struct wb_machine *machine, wb_bound *bound) {
    wb_bound made = {0};
    cycles sum = 0;
    for (uint32_t u = 0; u < machine->unit_count; u++)
        bound_add_part(&made, WB_PART_UNIT, machine->units[u].name, causes->units[u]);
    for (wb_part_kind what = 0; what < WB_PART_COUNT; what++)
        bound_add_part(&made, what, NULL, causes->of[what]);
    for (size_t p = 0; p < made.part_count; p++)
        sum = cycles_add(sum, made.parts[p].cycles);
    if (sum != bound->cycles) return;
    memcpy(bound->parts, made.parts, sizeof bound->parts);
    bound->part_count = made.part_count;
}

/* Keeps the parts of a kernel's bound that its formula gives; whether that is done. */
static bool keep_formula(struct wb_analysis *analysis, const wb_bound *bound) {
    if (analysis->kind != SUBJECT_KERNEL || cost_formula_of(analysis, bound) != bound) return true;
    return vec_push(&analysis->formulas, *bound) == WB_OK;
}

/* Sets the parts of a proven bound, if its cycles are attributed. */
static wb_status set_parts_of(struct wb_analysis *analysis, wb_bound *bound, const wb_watch *watch,
                              wb_diagnostics *diagnostics) {
    wb_costs *costs = NULL;
    WB_TRY(wb_costs_of_bound(analysis, bound->method, watch, diagnostics, &costs));
    wb_status status = WB_OK;
    assert(costs != NULL);
    if (costs->causes != NULL && !keep_formula(analysis, bound))
        status = diagnose_out_of_memory(diagnostics, "costs");
    else if (costs->causes != NULL)
        set_parts(costs->causes, analysis->machine, bound);
    wb_costs_free(costs);
    return status;
}

static wb_status set_parts_of_all(struct wb_analysis *analysis, const wb_watch *watch,
                                  wb_diagnostics *diagnostics) {
    wb_status status = WB_OK;
    for (size_t i = 0; status != WB_ERR_LIMIT && i < analysis->bounds.count; i++) {
        struct wb_diagnostics messages = {0};
        if (analysis->bounds.items[i].kind != WB_UPPER) continue;
        status = set_parts_of(analysis, &analysis->bounds.items[i], watch, &messages);
        if (status == WB_ERR_LIMIT) wb_diagnostics_append(diagnostics, &messages);
        diagnostics_clear(&messages);
    }
    return status == WB_ERR_LIMIT ? status : WB_OK;
}

wb_status costs_set_parts(struct wb_analysis *analysis, const wb_watch *watch, wb_diagnostics *diagnostics) {
    if (!has_causes[machine_isa(analysis->machine)]) return WB_OK;
    WB_TRY(set_parts_of_all(analysis, watch, diagnostics));
    return analysis->longest == NULL ? WB_OK : set_parts_of_all(analysis->longest, watch, diagnostics);
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
