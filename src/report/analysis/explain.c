#include "report/analysis/analysis.h"

#include <inttypes.h>
#include <string.h>

#include "bound/analysis/verdict.h"
#include "report/parts/parts.h"

/* Policies, then methods. */
static const char *explained_name(size_t index) {
    size_t policies = 0;
    while (wb_policy_name(policies) != NULL)
        policies++;
    return index < policies ? wb_policy_name(index) : wb_method_word(index - policies);
}

size_t explain_simulation(const struct wb_analysis *analysis, wb_assumption *list) {
    size_t count = assumptions_of_execution(analysis->assumed, list);
    const bool is_kernel = analysis->kind == SUBJECT_KERNEL;
    list[count++] = WB_ASSUME_TIMES_AS_STATED;
    if (is_kernel && analysis->work.resident_least != analysis->work.resident_most)
        list[count++] = WB_ASSUME_REGISTERS_FEWEST;
    return count;
}

/* A number of a method or a policy, of "the kernel" or "a block alone". */
static void put_heading(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                        const char *name, const char *of, wb_kind kind, uint64_t time) {
    text_char(out, '\n');
    layout_styled(out, layout, STYLE_BOLD, name);
    const size_t start = out->length;
    text_printf(out, ", of %s: ", of);
    report_put_time(out, analysis->machine->clock_mhz, time);
    text_printf(out, " (%" PRIu64 " cycles), %s", time, wb_kind_name(kind));
    layout_wrap(out, layout, start, (uint32_t)strlen(name), 2);
}

static void put_conditions(struct text *out, const struct layout *layout, const wb_assumption *list,
                           size_t count) {
    struct condition_list conditions = {0};
    if (count == 0) return;
    conditions_add(&conditions, list, count, 0);
    text_string(out, "rests on\n");
    conditions_put(out, layout, &conditions, 0);
}

/* The forms of a kernel's bound: cycles, or why there is none. */
static void put_forms(struct text *out, const struct layout *layout, const wb_bound *bound) {
    for (size_t f = 0; f < bound->form_count; f++) {
        const wb_form *form = &bound->forms[f];
        if (form->cycles > 0)
            text_printf(out, "  form %-14s %" PRIu64 "%s\n", form->name, form->cycles,
                        form->name == bound->form ? ", the least" : "");
        else
            layout_printf(out, layout, 22, "  form %-14s none: %s", form->name, form->reason);
    }
}

static void put_bound(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                      const wb_bound *bound, const char *of) {
    put_heading(out, layout, analysis, bound->method, of, bound->kind, bound->cycles);
    report_put_reason(out, layout, bound);
    const size_t start = out->length;
    if (bound->part_count > 0) text_string(out, "breakdown ");
    report_put_parts(out, bound, true, 0);
    layout_wrap(out, layout, start, 0, 2);
    put_forms(out, layout, bound);
    put_conditions(out, layout, bound->assumptions, bound->assumption_count);
}

static void put_simulation(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                           const wb_simulation *simulation, const char *of) {
    wb_assumption list[WB_ASSUMPTION_COUNT];
    put_heading(out, layout, analysis, simulation->policy, of, WB_SIMULATED, simulation->cycles);
    if (!found_is_covered(analysis, simulation))
        layout_printf(out, layout, 2, "no bound of this report is about such a scheduler");
    put_conditions(out, layout, list, explain_simulation(analysis, list));
}

/* Explains a name by one analysis; false if the analysis does not know it. */
static bool put_of(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                   const char *name, const char *of) {
    bool found = false;
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(bounds[i].method, name) != 0) continue;
        put_bound(out, layout, analysis, &bounds[i], of);
        found = true;
    }
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(simulations[i].policy, name) != 0) continue;
        put_simulation(out, layout, analysis, &simulations[i], of);
        found = true;
    }
    const wb_declined *declined = wb_analysis_declined(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(declined[i].method, name) != 0) continue;
        text_char(out, '\n');
        layout_printf(out, layout, 2, "%s, of %s: %s: %s", name, of, report_declined_name(declined[i].status),
                      declined[i].reason);
        found = true;
    }
    return found;
}

static void put_name(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                     const char *name) {
    const bool is_kernel = wb_analysis_scope(analysis) == WB_SCOPE_KERNEL;
    bool found = put_of(out, layout, analysis, name, is_kernel ? "the kernel" : "the block");
    if (analysis->longest != NULL) found |= put_of(out, layout, analysis->longest, name, "a block alone");
    if (analysis->given != NULL) {
        found |= put_of(out, layout, analysis->given, name,
                        analysis_has_zeros(analysis->given) ? "the execution with zeros in buffers"
                                                            : "the execution with the data that is given");
    }
    if (!found) {
        text_char(out, '\n');
        layout_printf(out, layout, 2, "%s was not asked: --method or --policy names what is", name);
    }
}

wb_status explain_put(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                      const char *names, wb_diagnostics *diagnostics) {
    uint64_t chosen = 0;
    WB_TRY(choose_names("--explain", names, explained_name, diagnostics, &chosen));
    for (size_t i = 0; explained_name(i) != NULL; i++)
        if (chosen >> i & 1) put_name(out, layout, analysis, wb_method_of_word(explained_name(i)));
    return WB_OK;
}
