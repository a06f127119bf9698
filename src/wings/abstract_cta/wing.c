/* The methods that simulate an abstract CTA: as published, and with a stall term that is proven. */
#include <stdlib.h>
#include <string.h>

#include "base/wing.h"
#include "bound/analysis/analysis.h"
#include "wings/abstract_cta/acta_code.h"
#include "wings/abstract_cta/acta_file.h"
#include "wings/abstract_cta/acta_simulate.h"
#include "wings/abstract_cta/acta_trace.h"
#include "wings/abstract_cta/acta_turns.h"
#include "wings/abstract_cta/windows.h"

/* Whether the machine is the simple one of docs/abstract-cta.md: an instruction a cycle, nothing but memory
 * is waited for. *latency: the longest of what accesses memory. */
static bool is_simple_machine(const struct wb_machine *machine, cycles *latency) {
    *latency = 0;
    if (machine->model != MACHINE_PLAIN || machine->sub_cores != 1 || machine->issue_width != 1 ||
        machine->issue_per_warp > 1 || machine->memory.requests != REQUESTS_IDEAL ||
        memory_has_hierarchy(&machine->memory))
        return false;
    for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++) {
        const struct machine_class *class = &machine->classes[c];
        cycles own = machine_latency(machine, class);
        bool is_store, is_access = acta_accesses_memory((enum ptx_class)c, &is_store);
        if (!class->given) continue;
        if (class->unit != UNIT_NONE && class->init != 1) return false;
        if (own > 0 && (!is_access || is_store)) return false;
        *latency = cycles_max(*latency, own);
    }
    return true;
}

/* Lists windows in the bound. WB_ERR_LIMIT with a message when memory is exhausted. */
static wb_status give_windows(const struct bound_input *input, const struct acta_windows *windows,
                              wb_bound *bound) {
    const size_t count = windows->items.count;
    wb_window *kept = arena_array(input->results, count + 1, sizeof *kept);
    if (kept == NULL) return diagnose_out_of_memory(input->diagnostics, "abstract warps");
    if (count > 0) memcpy(kept, windows->items.items, count * sizeof *kept);
    bound->windows = kept;
    bound->window_count = count;
    bound->windows_left_out = windows->left_out;
    return WB_OK;
}

/* One of the two simulations, of abstract warps that are there: sets the bound's cycles. *all: no
 * interleaving was left out. */
static wb_status simulate_cta(const struct bound_input *input, const struct acta_group *cta,
                              const struct acta_rules *rules, bool in_turns, wb_bound *bound, bool *all) {
    struct acta_windows windows = {0};
    struct acta_turns turns = {0};
    struct acta_time time;
    wb_status status;
    if (in_turns) {
        status = acta_turns_simulate(cta, rules, input->budget, input->watch, input->diagnostics, &windows,
                                     &turns);
        bound->cycles = turns.most;
        *all = turns.all;
    } else {
        status = acta_simulate(cta, rules, input->watch, input->diagnostics, &windows, &time);
        if (status == WB_OK) bound->cycles = acta_time_total(&time);
    }
    if (status == WB_OK) status = give_windows(input, &windows, bound);
    acta_windows_free(&windows);
    return status;
}

/* The same of the abstract warps of the input, which are made from code where they were not written by hand.
 */
static wb_status simulate_input(const struct bound_input *input, const struct acta_rules *rules,
                                bool in_turns, wb_bound *bound, bool *all) {
    const struct acta_warp_file *file = input->subject;
    if (file != NULL) return simulate_cta(input, &file->cta, rules, in_turns, bound, all);
    struct acta_group made;
    wb_status status =
        acta_group_of_block(input->block->traced, rules->counting.executed, input->diagnostics, &made);
    if (status == WB_OK) status = simulate_cta(input, &made, rules, in_turns, bound, all);
    acta_group_free(&made);
    return status;
}

/* Kernels on machines that state the conventions, when abstract warps can be built of them. */
static bool acta_fits(const struct bound_input *input) {
    if (input->subject != NULL) return true;
    if (!input->machine->abstract_cta.stated) return false;
    wb_diagnostics *messages = wb_diagnostics_new();
    struct acta_group made = {0};
    const wb_status status =
        messages == NULL ? WB_ERR_LIMIT : acta_group_of_block(input->block->traced, false, messages, &made);
    acta_group_free(&made);
    wb_diagnostics_free(messages);
    if (status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(input->diagnostics, "abstract warps");
    return status == WB_OK;
}

/* What the methods say of the warps; `executed`: they count the sides of branches that were executed. */
static void assume_warps(const struct bound_input *input, bool executed, wb_bound *bound) {
    const struct wb_block *traced = input->block == NULL ? NULL : input->block->traced;
    assume(bound, WB_ASSUME_UNIFORM_BRANCHES);
    if (traced == NULL) {
        assume(bound, WB_ASSUME_WARPS_AS_WRITTEN);
        return;
    }
    if (traced->covering) {
        bound_assume_paths(input, bound);
        return;
    }
    assume(bound, executed ? WB_ASSUME_LOOPS_AND_SIDES_AS_TRACED : WB_ASSUME_LOOPS_AS_TRACED);
    assume_execution(bound, input->assumed);
}

static wb_status published_run(const struct bound_input *input, wb_bound *bound) {
    struct acta_rules rules = acta_rules_stated(input->machine);
    cycles latency;
    bool all;
    WB_TRY(simulate_input(input, &rules, false, bound, &all));
    bound->kind = WB_ESTIMATE;
    bound->reason =
        is_simple_machine(input->machine, &latency)
            ? "the published stall term counts up to N - 1 cycles too few where a barrier directly "
              "follows a load; how shifts and windows count was reconstructed"
            : "the published rules are for a machine that issues one instruction a cycle and waits only for "
              "memory, unlike this one";
    assume_warps(input, rules.counting.executed, bound);
    assume(bound, WB_ASSUME_CTA_CONVENTIONS);
    return WB_OK;
}

static wb_status turns_run(const struct bound_input *input, wb_bound *bound) {
    struct acta_rules rules = acta_rules_stated(input->machine);
    bool all;
    WB_TRY(simulate_input(input, &rules, true, bound, &all));
    bound->kind = WB_ESTIMATE;
    bound->reason = all ? "longest of all interleavings that divergence allows under one scheduler, with "
                          "waits where the published abstraction puts them: another scheduler, or the real "
                          "order of loads and uses, can take longer"
                        : "longest of only some interleavings, as divergence allows too many, under one "
                          "scheduler, with waits where the published abstraction puts them";
    assume_warps(input, rules.counting.executed, bound);
    assume(bound, WB_ASSUME_CTA_CONVENTIONS);
    assume(bound, WB_ASSUME_ROUND_ROBIN_FROM_BARRIERS);
    return WB_OK;
}

static wb_status safe_run(const struct bound_input *input, wb_bound *bound) {
    cycles latency;
    (void)is_simple_machine(input->machine, &latency);
    struct acta_rules rules = acta_rules_safe(input->machine, latency);
    bool all;
    WB_TRY(simulate_input(input, &rules, false, bound, &all));
    bound->kind = WB_UPPER;
    assume_warps(input, false, bound);
    assume(bound, WB_ASSUME_WORK_CONSERVING);
    assume(bound, WB_ASSUME_LATENCIES_OR_SHORTER);
    return WB_OK;
}

/* Why no abstract warps can be made of the input, or NULL. */
static const char *code_objection(const struct bound_input *input) {
    return input->subject == NULL && input->block->traced == NULL
               ? "this method is for kernels and abstract warps, not for handwritten blocks"
               : NULL;
}

static const char *safe_objection(const struct bound_input *input) {
    cycles latency;
    if (code_objection(input) != NULL) return code_objection(input);
    return is_simple_machine(input->machine, &latency)
               ? NULL
               : "this method is for machines that issue one instruction a cycle and wait only for memory "
                 "(such as hirvisalo)";
}

/* Covering paths take both sides of branches whose condition is not known. */
static const char *published_objection(const struct bound_input *input) {
    const bool executed = input->machine->abstract_cta.uniform_branch == BRANCH_EXECUTED_SIDE;
    if (code_objection(input) != NULL) return code_objection(input);
    return executed && input->subject == NULL && input->block->traced->covering
               ? "abstract_cta.uniform_branch=executed has no effect on covering paths, which do not say "
                 "which side of a branch is executed: give the data (--inputs given), or count larger sides"
               : NULL;
}

/* Conventions that stand in for what this simulation finds by itself. */
static const char *turns_objection(const struct bound_input *input) {
    const struct machine_abstract_cta *stated = &input->machine->abstract_cta;
    if (code_objection(input) != NULL) return code_objection(input);
    if (stated->stall_warps == STALL_ALL_WARPS)
        return "abstract_cta.stall_warps=all has no effect here: warps are simulated in turn, and those with "
               "work hide a stall";
    if (stated->shift == SHIFT_IS_ADDED)
        return "abstract_cta.shift=added has no effect here: the interleavings differ in their shifts";
    return published_objection(input);
}

#define KEY(name) "abstract_cta." name

static const char *const turns_conventions[] = {KEY("header"),
                                                KEY("barrier_slots"),
                                                KEY("barrier_cycles"),
                                                KEY("memory_latency"),
                                                KEY("uniform_branch"),
                                                KEY("stores_stall"),
                                                NULL};

static const char *const published_conventions[] = {
    KEY("header"),      KEY("barrier_slots"),  KEY("barrier_cycles"),
    KEY("stall_warps"), KEY("memory_latency"), KEY("uniform_branch"),
    KEY("shift"),       KEY("stores_stall"),   NULL};

#define FOR_ABSTRACT_WARPS                                                                                   \
    (NEED_NO_FETCH_STALLS | NEED_BLOCK | NEED_NO_CACHES | NEED_KNOWN_TIMES | NEED_PTX_MODEL)

static const struct bound_method bound_acta = {
    .name = "abstract-cta",
    .summary = "abstract CTA simulation as published (WCET 2014): all branches, stalls hidden by other warps",
    .run = published_run,
    .needs = FOR_ABSTRACT_WARPS,
    .objection = published_objection,
    .fits = acta_fits,
    .searches = true,
    .attribute = window_costs,
    .conventions = published_conventions,
};

static const struct bound_method bound_acta_rr = {
    .name = "abstract-cta-rr",
    .summary = "abstract warps simulated in turn, round-robin, in all interleavings that divergence allows",
    .run = turns_run,
    .needs = FOR_ABSTRACT_WARPS | NEED_REAL_PATHS,
    .objection = turns_objection,
    .fits = acta_fits,
    .searches = true,
    .attribute = window_costs,
    .never_proven = true,
    .conventions = turns_conventions,
    .default_budget = UINT64_C(300000000),
    .explicit_budget = UINT64_C(20000000000),
};

static const struct bound_method bound_acta_safe = {
    .name = "abstract-cta-safe",
    .summary = "the same with a proven stall term, on machines that wait only for memory",
    .run = safe_run,
    .needs = FOR_ABSTRACT_WARPS,
    .objection = safe_objection,
    .fits = acta_fits,
    .searches = true,
    .attribute = window_costs,
};

static const struct bound_method *const methods[] = {&bound_acta, &bound_acta_rr, &bound_acta_safe, NULL};

/* ---- The wing ------------------------------------------------------------------------------------------ */

static wb_status read_warps(const char *path, const char *text, size_t size, wb_diagnostics *diagnostics,
                            void **subject, const char **name, const struct wb_machine **machine) {
    struct acta_warp_file *file = calloc(1, sizeof *file);
    if (file == NULL) return diagnose_out_of_memory(diagnostics, path);
    *subject = file;
    WB_TRY(acta_warp_file_parse(path, text, size, diagnostics, file));
    *name = file->name;
    *machine = file->machine;
    return WB_OK;
}

static void free_warps(void *subject) {
    acta_warp_file_free(subject);
    free(subject);
}

static void put_heading(struct text *out, const void *subject) {
    const struct acta_warp_file *file = subject;
    text_printf(out, "abstract %s: %u warps\n", file->name, file->cta.warp_count);
}

static const struct analysis_reader reader = {
    .plural = "abstract warps",
    .unsimulated = "abstract warps cannot be simulated: they have no instructions",
    .unattributed = "abstract warps have no instructions",
    .is = acta_warp_file_is,
    .read = read_warps,
    .free = free_warps,
    .put_heading = put_heading,
};

extern const struct wing wing_abstract_cta; /* which the build lists */

const struct wing wing_abstract_cta = {
    .methods = methods, .reader = &reader, .put_bounds = windows_put, .bound_json = windows_json};
