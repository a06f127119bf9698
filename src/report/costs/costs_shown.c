#include "report/costs/costs_shown.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bound/analysis/verdict.h"

/* ---- Which number -------------------------------------------------------------------------------------- */

/* Keeps costs that were made. */
static wb_status keep(struct costs_shown *shown, wb_costs *costs, wb_diagnostics *diagnostics) {
    if (vec_push(&shown->made, (struct made_costs){costs}) == WB_OK) return WB_OK;
    wb_costs_free(costs);
    return diagnose_out_of_memory(diagnostics, "costs");
}

static wb_status make_of_bound(struct costs_shown *shown, const wb_bound *bound, wb_diagnostics *diagnostics,
                               wb_costs **costs) {
    shown->name = bound->method;
    WB_TRY(wb_costs_of_bound(shown->analysis, bound->method, NULL, diagnostics, costs));
    shown->bound = bound;
    return keep(shown, *costs, diagnostics);
}

/* The costs of an execution of the analysis, or of the same launch with its data. */
static wb_status make_of_execution(struct costs_shown *shown, const struct wb_analysis *of, const char *name,
                                   wb_diagnostics *diagnostics, wb_costs **costs) {
    const wb_status status = wb_costs_of_simulation(of, name, NULL, diagnostics, costs);
    if (status == WB_ERR_INPUT) return WB_ERR_DECLINED; /* of other code, or on another machine */
    WB_TRY(status);
    return keep(shown, *costs, diagnostics);
}

/* The costs of the number of that name, of the kernel or of its block. */
static wb_status make_named(struct costs_shown *shown, const char *name, wb_diagnostics *diagnostics,
                            wb_costs **costs) {
    const struct wb_analysis *of[] = {shown->analysis, shown->analysis->longest};
    for (size_t i = 0; i < 2 && of[i] != NULL; i++) {
        bool is_found = false;
        shown->analysis = of[i];
        for (size_t b = 0; b < of[i]->bounds.count && !is_found; b++) {
            const wb_bound *bound = &of[i]->bounds.items[b];
            is_found = strcmp(bound->method, name) == 0;
            if (is_found && bound->kind != WB_LOWER) return make_of_bound(shown, bound, diagnostics, costs);
        }
        for (size_t s = 0; s < of[i]->simulations.count; s++)
            is_found = is_found || strcmp(of[i]->simulations.items[s].policy, name) == 0;
        if (!is_found) continue;
        shown->name = name;
        return make_of_execution(shown, of[i], name, diagnostics, costs);
    }
    diagnose(diagnostics, SEVERITY_ERROR, name, "no method or policy of this name has a result");
    return WB_ERR_INPUT;
}

/* The least bound above `least` that is proven; of the bounds of one value the first. */
static const wb_bound *next_bound(const struct wb_analysis *analysis, const wb_bound *before) {
    const wb_bound *next = NULL;
    for (size_t i = 0; i < analysis->bounds.count; i++) {
        const wb_bound *bound = &analysis->bounds.items[i];
        if (bound->kind != WB_UPPER) continue;
        const bool is_behind = before == NULL || bound->cycles > before->cycles ||
                               (bound->cycles == before->cycles && bound > before);
        if (is_behind && (next == NULL || bound->cycles < next->cycles)) next = bound;
    }
    return next;
}

/* The analysis that the slowest execution is of. */
static const struct wb_analysis *executed(const struct costs_shown *shown, const wb_slowest *slowest) {
    return slowest->with_data ? shown->analysis->given : shown->analysis;
}

/* The costs of a bound or, where that is NULL, of the slowest execution, which may not be attributed to
 * lines: of messages only those about memory are kept. */
static wb_status try_costs(struct costs_shown *shown, const wb_bound *bound, const wb_slowest *slowest,
                           wb_diagnostics *diagnostics, wb_costs **costs) {
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return diagnose_out_of_memory(diagnostics, "costs");
    const wb_status status =
        bound != NULL ? make_of_bound(shown, bound, messages, costs)
                      : make_of_execution(shown, executed(shown, slowest), slowest->name, messages, costs);
    if (status == WB_ERR_LIMIT) wb_diagnostics_append(diagnostics, messages);
    wb_diagnostics_free(messages);
    return status;
}

/* The costs of the least proven bound whose cycles are attributed; else of the slowest execution. */
static wb_status make_deciding(struct costs_shown *shown, const wb_slowest *slowest,
                               wb_diagnostics *diagnostics, wb_costs **costs) {
    for (const wb_bound *bound = NULL; (bound = next_bound(shown->analysis, bound)) != NULL;) {
        const wb_status status = try_costs(shown, bound, NULL, diagnostics, costs);
        if (status != WB_ERR_DECLINED) return status;
        if (shown->not_shown == NULL) shown->not_shown = bound->method;
    }
    if (slowest->cycles > 0) {
        shown->name = slowest->name;
        return make_of_execution(shown, executed(shown, slowest), slowest->name, diagnostics, costs);
    }
    diagnose(diagnostics, SEVERITY_ERROR, shown->analysis->machine->name,
             "there is neither a bound nor an execution whose cycles are attributed to lines");
    return WB_ERR_DECLINED;
}

/* The costs of the slowest execution, to stand beside those of a bound; NULL where it is not attributed. */
static wb_status make_beside(struct costs_shown *shown, const wb_slowest *slowest,
                             wb_diagnostics *diagnostics, wb_costs **costs) {
    *costs = NULL;
    if (shown->bound == NULL || slowest->cycles == 0 || slowest->name == NULL) return WB_OK;
    const wb_status status = try_costs(shown, NULL, slowest, diagnostics, costs);
    if (status == WB_ERR_DECLINED) return WB_OK;
    WB_TRY(status);
    shown->beside = slowest->name;
    shown->simulated = wb_costs_total(*costs);
    return WB_OK;
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

/* Whether it is of a line of the source. */
static bool has_source(const wb_cost *row) {
    return row->place.source_file != NULL && row->place.source_line > 0;
}

static bool texts_equal(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Whether two rows of the same grouping are of the same place. */
static bool same_place(const wb_cost *a, const wb_cost *b, wb_cost_grouping grouping) {
    if (a->about != NULL || b->about != NULL) return texts_equal(a->about, b->about);
    switch (grouping) {
    case WB_COST_BY_SOURCE_LINE:
        return a->place.source_line == b->place.source_line &&
               texts_equal(a->place.source_file, b->place.source_file);
    case WB_COST_BY_FUNCTION: return texts_equal(a->place.function, b->place.function);
    case WB_COST_BY_LOOP:
        return texts_equal(a->place.function, b->place.function) && a->place.code_line == b->place.code_line;
    case WB_COST_BY_CODE_LINE:
    case WB_COST_BY_INSTRUCTION: break;
    }
    return a->instruction == b->instruction;
}

/* Which groups become rows. */
typedef bool (*row_filter)(const wb_cost *row);

static bool is_of_source(const wb_cost *row) {
    return row->about != NULL || has_source(row);
}

static bool is_of_code(const wb_cost *row) {
    return row->about == NULL && !has_source(row);
}

/* Loops proper, not what is in none. */
static bool is_loop(const wb_cost *row) {
    return row->about == NULL && row->place.code_line > 0;
}

/* Whether it is of instructions. */
static bool has_code(const wb_cost *row) {
    return row->about == NULL;
}

static bool is_instruction(const wb_cost *row) {
    return row->about == NULL && (row->executions > 0 || row->cycles > 0);
}

/* The groups of costs, owned by `shown`. */
static wb_status grouped(struct costs_shown *shown, const wb_costs *costs, wb_cost_grouping grouping,
                         wb_diagnostics *diagnostics, wb_costs **groups) {
    WB_TRY(wb_costs_group(costs, grouping, diagnostics, groups));
    return keep(shown, *groups, diagnostics);
}

/* Adds the groups that the filter lets through, each with the cycles that `beside`, or NULL, has there; of
 * places of the simulation that the bound has none of, too. */
static wb_status add_rows(struct costs_shown *shown, const wb_costs *costs, const wb_costs *beside,
                          wb_cost_grouping grouping, row_filter filter, struct shown_rows *rows,
                          wb_diagnostics *diagnostics) {
    wb_costs *groups, *others = NULL;
    WB_TRY(grouped(shown, costs, grouping, diagnostics, &groups));
    if (beside != NULL) WB_TRY(grouped(shown, beside, grouping, diagnostics, &others));
    for (size_t i = 0; i < groups->rows.count; i++) {
        struct shown_row row = {.cost = &groups->rows.items[i]};
        if (!filter(row.cost)) continue;
        for (size_t j = 0; others != NULL && j < others->rows.count; j++)
            if (same_place(row.cost, &others->rows.items[j], grouping))
                row.simulated += others->rows.items[j].cycles;
        if (vec_push(&rows->items, row) != WB_OK) return diagnose_out_of_memory(diagnostics, "costs");
    }
    return WB_OK;
}

static int hotter(const void *a, const void *b) {
    const struct shown_row *left = a, *right = b;
    if (left->cost->with_inner != right->cost->with_inner)
        return left->cost->with_inner > right->cost->with_inner ? -1 : 1;
    if (left->simulated != right->simulated) return left->simulated > right->simulated ? -1 : 1;
    return (left->cost->instruction > right->cost->instruction) -
           (left->cost->instruction < right->cost->instruction);
}

static void sort_rows(struct shown_rows *rows) {
    if (rows->items.count > 0) qsort(rows->items.items, rows->items.count, sizeof *rows->items.items, hotter);
}

static wb_status make_rows(struct costs_shown *shown, const wb_costs *costs, const wb_costs *beside,
                           wb_diagnostics *diagnostics) {
    const struct {
        wb_cost_grouping grouping;
        row_filter filter;
        struct shown_rows *rows;
    } parts[] = {{WB_COST_BY_SOURCE_LINE, is_of_source, &shown->lines},
                 {WB_COST_BY_CODE_LINE, is_of_code, &shown->lines},
                 {WB_COST_BY_CODE_LINE, has_code, &shown->code_lines},
                 {WB_COST_BY_LOOP, is_loop, &shown->loops},
                 {WB_COST_BY_FUNCTION, has_code, &shown->functions},
                 {WB_COST_BY_INSTRUCTION, is_instruction, &shown->instructions}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        WB_TRY(
            add_rows(shown, costs, beside, parts[i].grouping, parts[i].filter, parts[i].rows, diagnostics));
    sort_rows(&shown->lines);
    sort_rows(&shown->loops);
    sort_rows(&shown->functions);
    sort_rows(&shown->instructions);
    return WB_OK;
}

wb_status costs_shown_open(const struct wb_analysis *analysis, const wb_report_options *options,
                           wb_diagnostics *diagnostics, struct costs_shown *shown) {
    const wb_verdict verdict = verdict_of(analysis, options);
    *shown = (struct costs_shown){.analysis = verdict.judged};
    wb_costs *costs = NULL, *beside = NULL;
    WB_TRY(options->lines_of != NULL
               ? make_named(shown, wb_method_of_word(options->lines_of), diagnostics, &costs)
               : make_deciding(shown, &verdict.slowest, diagnostics, &costs));
    const wb_slowest slowest =
        shown->analysis == verdict.judged ? verdict.slowest : analysis_slowest(shown->analysis);
    WB_TRY(make_beside(shown, &slowest, diagnostics, &beside));
    assert(costs != NULL);
    shown->costs = costs;
    shown->total = wb_costs_total(costs);
    if (costs->module != NULL) {
        shown->sources = source_texts_open(costs->module);
        shown->sources.folder = options->source;
        if (source_lines_open(costs->module, &shown->code) != WB_OK)
            return diagnose_out_of_memory(diagnostics, "costs");
    }
    WB_TRY(wb_hints_find(shown->analysis, costs, diagnostics, &shown->hints));
    return make_rows(shown, costs, beside, diagnostics);
}

void costs_shown_close(struct costs_shown *shown) {
    for (size_t i = 0; i < shown->made.count; i++)
        wb_costs_free(shown->made.items[i].costs);
    vec_free(&shown->made);
    wb_hints_free(shown->hints);
    vec_free(&shown->lines.items);
    vec_free(&shown->code_lines.items);
    vec_free(&shown->loops.items);
    vec_free(&shown->functions.items);
    vec_free(&shown->instructions.items);
    source_texts_close(&shown->sources);
    source_lines_close(&shown->code);
}

void costs_put_subject(struct text *out, const struct costs_shown *shown) {
    text_printf(out, "%s %s of the %s", shown->bound != NULL ? wb_kind_name(shown->bound->kind) : "execution",
                shown->name, wb_scope_name(wb_analysis_scope(shown->analysis)));
}
