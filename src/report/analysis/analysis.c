#include "report/analysis/analysis.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/text.h"
#include "bound/analysis/verdict.h"
#include "report/analysis/kernel.h"
#include "report/analysis/windows.h"
#include "report/gpu/gpu.h"
#include "report/parts/bounds.h"
#include "report/parts/cover.h"
#include "report/parts/launch.h"
#include "report/write/json.h"
#include "warp/interpret/launch_demand.h"

bool report_covers(const struct wb_analysis *analysis, const wb_simulation *simulation) {
    bool conserving = !analysis_has_caches(analysis) || analysis->memory.scheme->policy->work_conserving;
    return simulation->work_conserving == conserving;
}

uint64_t report_slowest(const struct wb_analysis *analysis) {
    size_t count;
    const struct wb_analysis *run = analysis->given != NULL ? analysis->given : analysis;
    const wb_simulation *simulations = wb_analysis_simulations(run, &count);
    uint64_t slowest = 0;
    for (size_t i = 0; i < count; i++)
        if (report_covers(run, &simulations[i])) slowest = cycles_max(slowest, simulations[i].cycles);
    return slowest;
}

bool report_overestimation(const struct wb_analysis *analysis, const wb_bound *bound, double *percent) {
    uint64_t slowest = report_slowest(analysis);
    if (slowest == 0) return false;
    *percent = 100.0 * ((double)bound->cycles / (double)slowest - 1.0);
    return true;
}

bool report_certified(const struct wb_analysis *analysis, struct report_interval *interval) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    struct report_interval found = {report_slowest(analysis), UINT64_MAX};
    for (size_t i = 0; i < count; i++) {
        const wb_bound *bound = &bounds[i];
        if (bound->kind == WB_LOWER || bound->kind == WB_EXACT)
            found.lower = cycles_max(found.lower, bound->cycles);
        if (bound->kind == WB_UPPER || bound->kind == WB_EXACT)
            found.upper = cycles_min(found.upper, bound->cycles);
    }
    if (found.lower == 0 || found.upper == UINT64_MAX) return false;
    *interval = found;
    return true;
}

const char *report_declined_name(wb_status status) {
    if (status == WB_OK) return "left out";
    return status == WB_ERR_LIMIT ? "limit" : "declined";
}

uint64_t report_instructions(const struct wb_block *block) {
    uint64_t instructions = 0;
    for (uint32_t warp = 0; warp < block->warp_count; warp++)
        instructions = cycles_add(instructions, wb_block_warp_instructions(block, warp));
    return instructions;
}

/* Reports of an analysis as a table for people. */

/* Columns of the table, in characters. */
enum {
    COLUMN_KIND = 12,
    COLUMN_KIND_WIDE = 19,
    COLUMN_CYCLES = 36,
    COLUMN_TIME = 50,
    COLUMN_ABOVE = 64,
    COLUMN_SECONDS = 76
};

static void put_seconds(struct text *out, double seconds, const wb_report_options *options) {
    char number[32];
    (void)text_format(number, sizeof number, "%.3f s", seconds);
    if (options->timing) report_put_right(out, COLUMN_SECONDS, number);
}

/* The block that was traced from PTX: nothing for one written by hand. */
static void put_block(struct text *out, const struct wb_block *block, const struct wb_machine *machine) {
    if (block == NULL) return;
    text_printf(out, "kernel   %s (%s)\n", wb_kernel_name(block->kernel), block->kernel->module->source.name);
    text_printf(out, "block    (%u,%u,%u) of grid %ux%ux%u, %ux%ux%u threads: ", block->index[0],
                block->index[1], block->index[2], block->grid[0], block->grid[1], block->grid[2],
                block->size[0], block->size[1], block->size[2]);
    text_printf(out, "%u warp%s, %zu distinct path%s, %" PRIu64 " warp instructions\n", block->warp_count,
                block->warp_count == 1 ? "" : "s", block->paths.count, block->paths.count == 1 ? "" : "s",
                report_instructions(block));
    const struct block_demand demand = block_demand_of(block);
    report_put_launch(out, &block->inputs, machine, &demand);
}

static void put_grid_launch(struct text *out, const struct wb_analysis *analysis) {
    const struct wb_grid *grid = analysis->grid_times.grid;
    const struct block_demand demand = grid_block_demand(grid);
    if (grid->kernel != NULL) report_put_launch(out, &grid->inputs, analysis->machine, &demand);
}

static void put_heading(struct text *out, const struct wb_analysis *analysis) {
    const struct wb_machine *machine = analysis->machine;
    if (analysis->kind == SUBJECT_ABSTRACT_WARPS) {
        text_printf(out, "abstract %s: %u warps\nmachine  %s at %g MHz\n\n", analysis->abstract.name,
                    analysis->abstract.cta.warp_count, machine->name, machine->clock_mhz);
        return;
    }
    if (analysis->longest != NULL) {
        kernel_put_heading(out, analysis);
        return;
    }
    if (analysis->timed == NULL) {
        report_put_gpu(out, &analysis->grid_times);
        put_grid_launch(out, analysis);
        if (wb_analysis_is_covering(analysis)) cover_put_heading(out, cover_block(analysis));
        text_printf(out, "scheme   %s\n\n", analysis->memory.scheme->name);
        return;
    }
    put_block(out, analysis->block, machine);
    if (wb_analysis_is_covering(analysis)) cover_put_heading(out, analysis->block);
    text_printf(out, "machine  %s at %g MHz, global memory latency %u, dispatch depth ", machine->name,
                machine->clock_mhz, machine->mem_latency);
    if (machine->dispatch_depth == DEPTH_UNLIMITED) {
        text_string(out, "unlimited");
    } else {
        text_printf(out, "%u", machine->dispatch_depth);
    }
    if (analysis->block != NULL) text_printf(out, ", requests %s", memory_requests_name(&machine->memory));
    report_put_fetch(out, &machine->fetch);
    text_string(out, "\n\n");
}

/* Where kinds stand: further to the right when some method has a long name. */
static size_t kind_column(const struct wb_analysis *analysis) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (strlen(bounds[i].method) >= COLUMN_KIND) return COLUMN_KIND_WIDE;
    const wb_declined *declined = wb_analysis_declined(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (declined[i].status != WB_OK && strlen(declined[i].method) >= COLUMN_KIND) return COLUMN_KIND_WIDE;
    return COLUMN_KIND;
}

/* Whether some bound of the table has a simulation beside it. */
static bool has_above(const struct wb_analysis *analysis) {
    size_t count;
    (void)wb_analysis_bounds(analysis, &count);
    if (count > 0 && report_slowest(analysis) > 0) return true;
    return analysis->given != NULL && has_above(analysis->given);
}

static void put_column_names(struct text *out, const struct wb_analysis *analysis,
                             const wb_report_options *options) {
    text_string(out, "method");
    text_pad(out, kind_column(analysis));
    text_string(out, "kind");
    report_put_right(out, COLUMN_CYCLES, "cycles");
    report_put_right(out, COLUMN_TIME, "time");
    if (has_above(analysis)) report_put_right(out, COLUMN_ABOVE, "above sim.");
    if (options->timing) report_put_right(out, COLUMN_SECONDS, "processor");
    text_char(out, '\n');
}

static void put_bound(struct text *out, const struct wb_analysis *analysis, const wb_bound *bound,
                      const wb_report_options *options) {
    text_string(out, bound->method);
    text_pad(out, kind_column(analysis));
    text_string(out, wb_kind_name(bound->kind));
    report_put_count(out, COLUMN_CYCLES, bound->cycles);
    report_put_time(out, COLUMN_TIME, analysis->machine->clock_mhz, bound->cycles);
    double percent;
    if (report_overestimation(analysis, bound, &percent)) {
        char number[32];
        (void)text_format(number, sizeof number, "%+.2f %%", percent);
        report_put_right(out, COLUMN_ABOVE, number);
    }
    put_seconds(out, bound->seconds, options);
    text_char(out, '\n');
}

static void put_simulation(struct text *out, const struct wb_analysis *analysis,
                           const wb_simulation *simulation, const wb_report_options *options) {
    text_string(out, simulation->policy);
    text_pad(out, kind_column(analysis));
    text_string(out, wb_kind_name(WB_SIMULATED));
    report_put_count(out, COLUMN_CYCLES, simulation->cycles);
    report_put_time(out, COLUMN_TIME, analysis->machine->clock_mhz, simulation->cycles);
    put_seconds(out, simulation->seconds, options);
    text_char(out, '\n');
}

/* Simulations that the bounds are about, or the others. */
static void put_simulations(struct text *out, const struct wb_analysis *analysis, bool covered,
                            const wb_report_options *options) {
    size_t count;
    size_t put = 0;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        if (report_covers(analysis, &simulations[i]) != covered) continue;
        if (put++ == 0 && !covered)
            text_printf(out, "\n%swork-conserving, so that no bound above holds for it:\n",
                        simulations[i].work_conserving ? "" : "not ");
        put_simulation(out, analysis, &simulations[i], options);
    }
}

/* The searches that "all" left out. */
static void put_left_out(struct text *out, const struct wb_analysis *analysis) {
    size_t count, put = 0;
    const wb_declined *declined = wb_analysis_declined(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (declined[i].status == WB_OK)
            text_printf(out, "%s%s", put++ == 0 ? "left out unless named, as too large: " : ", ",
                        declined[i].method);
    if (put > 0) text_char(out, '\n');
}

/* Methods and policies without a result, and why. */
static void put_declined(struct text *out, const struct wb_analysis *analysis) {
    size_t count;
    const wb_declined *declined = wb_analysis_declined(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        if (declined[i].status == WB_OK) continue;
        text_string(out, declined[i].method);
        text_pad(out, kind_column(analysis));
        text_printf(out, "%s: %s\n", report_declined_name(declined[i].status), declined[i].reason);
    }
    put_left_out(out, analysis);
}

/* What of the simulated times is until the last result, where stores are waited for behind that. */
static void put_last_results(struct text *out, const struct wb_analysis *analysis) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    if (analysis->machine->model != MACHINE_GPGPUSIM || count == 0) return;
    text_string(out, "\nof that until the last result:");
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s %s %" PRIu64, i > 0 ? "," : "", simulations[i].policy,
                    simulations[i].last_commit);
    text_string(out, "; the rest waits for acknowledgements of stores\n");
}

/* The bounds and simulations with the data that the launch gives, beside those of any data. */
static void put_given(struct text *out, const struct wb_analysis *analysis,
                      const wb_report_options *options) {
    if (analysis->given == NULL) return;
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    text_string(out, "\nwith the data that the launch gives:\n");
    for (size_t i = 0; i < count; i++) {
        const wb_bound *given = cover_given_bound(analysis, &bounds[i]);
        if (given != NULL) put_bound(out, analysis->given, given, options);
    }
    put_simulations(out, analysis->given, true, options);
    put_declined(out, analysis->given);
    put_simulations(out, analysis->given, false, options);
}

/* What is known of the worst case: between the longest schedule seen and the least proven bound. */
static void put_interval(struct text *out, const struct wb_analysis *analysis) {
    struct report_interval interval;
    if (!report_certified(analysis, &interval)) return;
    if (interval.lower == interval.upper) {
        text_printf(out, "worst case, with latencies as stated: %" PRIu64 " cycles\n\n", interval.upper);
    } else {
        text_printf(out,
                    "worst case, with latencies as stated: between %" PRIu64 " and %" PRIu64 " cycles\n\n",
                    interval.lower, interval.upper);
    }
}

/* The least proven bound. */
static void put_best(struct text *out, const struct wb_analysis *analysis) {
    const wb_bound *best = wb_analysis_best(analysis);
    char time[32];
    if (best == NULL) return;
    report_format_time(analysis->machine->clock_mhz, best->cycles, time, sizeof time);
    text_printf(out, "least proven bound: %" PRIu64 " cycles, %s (%s)\n", best->cycles, time, best->method);
}

/* Writes one phase on the line of its section. */
struct phase_lines {
    struct text *out;
    uint64_t section; /* being written */
    bool open;
};

static wb_status put_phase(void *user, uint64_t section, const struct phase *phase) {
    struct phase_lines *lines = user;
    if (!lines->open || lines->section != section) {
        text_printf(lines->out, "%s    section %" PRIu64 ":", lines->open ? "\n" : "", section);
        lines->section = section;
        lines->open = true;
    }
    text_printf(lines->out, " %s[%" PRIu64 ",%" PRIu64 ")", phase->idle ? "idle" : "exec", phase->start,
                phase->end);
    return lines->out->failed ? WB_ERR_LIMIT : WB_OK;
}

/* What each method says of one warp, and the path it takes. */
static void put_warp(struct text *out, const struct wb_analysis *analysis, uint32_t warp) {
    text_printf(out, "  warp %u: path %u", warp, analysis->timed->warp_path[warp]);
    for (size_t method = 0; bound_method_at(method) != NULL; method++) {
        cycles value;
        if (analysis_warp_bound(analysis, method, warp, &value))
            text_printf(out, ", %s %" PRIu64, bound_method_at(method)->name, value);
    }
    text_char(out, '\n');
}

static wb_status put_phases(struct text *out, const struct wb_analysis *analysis,
                            wb_diagnostics *diagnostics) {
    text_string(out, "\nbounds of single warps, all sections summed:\n");
    for (uint32_t warp = 0; warp < analysis->timed->warp_count; warp++)
        put_warp(out, analysis, warp);
    text_string(out, "\nphases of a warp alone, cycles from the start of each section between barriers:\n");
    for (uint32_t path = 0; path < analysis->timed->path_count; path++) {
        struct phase_lines lines = {.out = out};
        struct phase_sink sink = {.phase = put_phase, .user = &lines};
        const uint64_t length = analysis->timed->paths[path].length;
        text_printf(out, "  path %u\n", path);
        if (length > PHASES_LISTED_MAX) {
            text_printf(out, "    too many to be listed: %" PRIu64 " steps\n", length);
            continue;
        }
        WB_TRY(phases_of_path(analysis->timed, path, &sink, diagnostics));
        text_char(out, '\n');
    }
    return WB_OK;
}

/* Which block alone, or the kernel. */
static void put_judged(struct text *out, const struct wb_analysis *analysis,
                       const struct wb_analysis *judged) {
    const struct wb_block *block = judged->block;
    const uint32_t *index = block != NULL ? block->index : NULL;
    if (judged->timed == NULL && judged->kind != SUBJECT_ABSTRACT_WARPS)
        index = judged->grid_times.grid->first_index;
    if (wb_analysis_scope(judged) == WB_SCOPE_KERNEL)
        text_string(out, "kernel");
    else if (analysis->blocks.count > 0)
        text_string(out, "every block alone");
    else if (index != NULL)
        text_printf(out, "block (%u,%u,%u) alone", index[0], index[1], index[2]);
    else
        text_string(out, "block");
}

/* What was found of the deadline, by what. */
static void put_answer(struct text *out, const struct wb_analysis *analysis, const struct verdict *verdict,
                       uint64_t deadline) {
    const char *overhead = analysis_overhead(verdict->judged) > 0 ? " and the launch overhead" : "";
    put_judged(out, analysis, verdict->judged);
    if (verdict->proven <= deadline)
        text_printf(out, ": met, by %s%s\n", verdict->best->method, overhead);
    else
        text_printf(out, ": not met, the least proven bound is %" PRIu64 " (%s%s)\n", verdict->proven,
                    verdict->best->method, overhead);
}

static void put_verdict(struct text *out, const struct wb_analysis *analysis,
                        const wb_report_options *options) {
    if (!options->has_deadline) return;
    const struct verdict verdict = verdict_of(analysis, options->scope, options->deadline);
    text_printf(out, "\ndeadline %" PRIu64 " cycles, ", options->deadline);
    if (verdict.answer == WB_UNDECIDED) {
        text_printf(out, "%s: undecided, no bound is proven\n", wb_scope_name(verdict.scope));
        return;
    }
    put_answer(out, analysis, &verdict, options->deadline);
    if (verdict.answer == WB_NOT_ANALYSED)
        text_printf(out, "deadline %" PRIu64 " cycles, kernel: undecided, only that block was bounded\n",
                    options->deadline);
}

/* The bounds of an analysis; of a kernel those of its longest block first. */
static const wb_bound *bound_at(const void *owner, size_t index) {
    const struct wb_analysis *analysis = owner;
    size_t count;
    if (analysis->longest != NULL) {
        const wb_bound *of_block = wb_analysis_bounds(analysis->longest, &count);
        if (index < count) return &of_block[index];
        index -= count;
    }
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    return index < count ? &bounds[index] : NULL;
}

/* The table of an analysis. */
static void put_table(struct text *out, const struct wb_analysis *analysis,
                      const wb_report_options *options) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    put_column_names(out, analysis, options);
    for (size_t i = 0; i < count; i++)
        put_bound(out, analysis, &bounds[i], options);
    put_simulations(out, analysis, true, options);
    put_declined(out, analysis);
    put_simulations(out, analysis, false, options);
    put_given(out, analysis, options);
    put_last_results(out, analysis->given != NULL ? analysis->given : analysis);
    if (count > 0) text_char(out, '\n');
    put_best(out, analysis);
    put_interval(out, analysis);
}

/* Which kinds of blocks the bounds are the largest of, and which of them the simulations are of. */
static void put_kinds_asked(struct text *out, const struct wb_analysis *analysis) {
    const struct wb_block *block = analysis->longest->block;
    const uint32_t kind = analysis->blocks.items[0].class;
    uint32_t index[3];
    text_printf(out, " (bounds: the largest of %zu block classes", analysis->work.classes.count);
    if (analysis->blocks.count < analysis->work.classes.count)
        text_printf(out, ", %zu of them analysed", analysis->blocks.count);
    if (report_slowest(analysis->longest) > 0) {
        grid_block_index(analysis->grid_times.grid, analysis->work.classes.items[kind].first, index);
        text_printf(out, "; simulated: (%u,%u,%u)", index[0], index[1], index[2]);
        if (block != NULL)
            text_printf(out, ", with %" PRIu64 " warp instructions", report_instructions(block));
    }
    text_char(out, ')');
}

/* Of a kernel, what is known of the block that takes longest. */
static void put_longest(struct text *out, const struct wb_analysis *analysis,
                        const wb_report_options *options) {
    if (analysis->longest == NULL) return;
    const struct wb_block *block = analysis->longest->block;
    const size_t classes = analysis->work.classes.count;
    if (analysis->kind != SUBJECT_KERNEL)
        text_string(out, "the block with the most initiations");
    else
        text_string(out, "the block that takes longest");
    if (block != NULL && classes < 2)
        text_printf(out, ", (%u,%u,%u), with %" PRIu64 " warp instructions", block->index[0], block->index[1],
                    block->index[2], report_instructions(block));
    text_string(out, ", alone");
    if (classes > 1) put_kinds_asked(out, analysis);
    text_string(out, analysis->kind == SUBJECT_KERNEL ? ":\n" : "; others may take longer:\n");
    put_table(out, analysis->longest, options);
    size_t count;
    (void)wb_analysis_bounds(analysis->longest, &count);
    text_printf(out, "%sthe kernel, all blocks:\n", count > 0 ? "" : "\n");
}

/* What the bounds assume, and what simulations do; beside covering paths the launch with its data is another
 * execution. */
static void put_conditions(struct text *out, const struct wb_analysis *analysis) {
    const struct wb_analysis *block = analysis->longest != NULL ? analysis->longest : analysis;
    const bool simulated = analysis->simulations.count > 0 || block->simulations.count > 0;
    const struct report_executed executed[] = {
        {"simulations", simulated ? analysis_assumed(analysis) : 0},
        {"the numbers with the data that the launch gives",
         analysis->given != NULL ? analysis_assumed(analysis->given) : 0},
        {NULL, 0}};
    if (bound_at(analysis, 0) == NULL && executed[0].assumed != 0) text_char(out, '\n');
    report_put_conditions(out, bound_at, analysis, executed);
}

wb_status report_analysis_text(const struct wb_analysis *analysis, const wb_report_options *options,
                               wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    const struct wb_analysis *block = analysis->longest != NULL ? analysis->longest : analysis;
    put_heading(&out, analysis);
    put_longest(&out, analysis, options);
    put_table(&out, analysis, options);
    kernel_put_parts(&out, analysis);
    kernel_put_overhead(&out, analysis);
    put_conditions(&out, analysis);
    put_verdict(&out, analysis, options);
    if (wb_analysis_is_covering(analysis) && !cover_put_causes(&out, cover_block(block))) out.failed = true;
    report_put_windows(&out, block);
    wb_status status = options->phases && block->timed != NULL ? put_phases(&out, block, diagnostics) : WB_OK;
    if (status != WB_OK) {
        text_free(&out);
        return status;
    }
    return report_take_text(&out, diagnostics, text);
}

/* Reports of an analysis as JSON; docs/json.md documents every key. */

/* What was launched, null for a block written by hand. */
static json_t *launch_json(const struct wb_analysis *analysis) {
    const struct wb_block *block = analysis->block;
    if (block == NULL) return json_null();
    const struct block_demand demand = block_demand_of(block);
    json_t *launch = json_pack(
        "{s:o, s:o, s:I, s:o, s:I, s:I, s:b}", "grid", json_three_numbers(block->grid), "block",
        json_three_numbers(block->size), "shared_bytes", (json_int_t)block->shared_bytes, "block_index",
        json_three_numbers(block->index), "warps", (json_int_t)block->warp_count, "warp_instructions",
        (json_int_t)report_instructions(block), "covering", (int)block->covering);
    report_add_launch(&block->inputs, analysis->machine, &demand, &launch);
    return launch;
}

/* Rounded to two decimals, so that the text does not depend on the last bits of a division. */
static json_t *percent_json(const struct wb_analysis *analysis, const wb_bound *bound) {
    double percent;
    if (!report_overestimation(analysis, bound, &percent)) return json_null();
    return json_real(round(percent * 100.0) / 100.0);
}

/* A bound, and how far it is above the simulations. */
static json_t *bound_json(const struct wb_analysis *analysis, const wb_bound *bound,
                          const wb_report_options *options) {
    json_t *object = report_bound_json(bound, options);
    json_put(&object, "overestimation_percent", percent_json(analysis, bound));
    json_put(&object, "microseconds", report_microseconds_json(analysis->machine->clock_mhz, bound->cycles));
    if (bound->part_count > 0) json_put(&object, "parts", kernel_parts_json(bound));
    if (bound->window_count > 0) {
        json_put(&object, "windows", report_windows_json(bound));
        json_put(&object, "windows_left_out", json_integer((json_int_t)bound->windows_left_out));
    }
    return object;
}

static json_t *bounds_json(const struct wb_analysis *analysis, const wb_report_options *options) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_add(&array, bound_json(analysis, &bounds[i], options));
    return array;
}

static json_t *simulations_json(const struct wb_analysis *analysis, const wb_report_options *options) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const wb_simulation *s = &simulations[i];
        json_t *object = json_pack(
            "{s:s, s:b, s:I, s:I, s:I, s:I, s:o}", "policy", s->policy, "work_conserving",
            (int)s->work_conserving, "cycles", (json_int_t)s->cycles, "last_commit",
            (json_int_t)s->last_commit, "last_issue", (json_int_t)s->last_issue, "warp_instructions",
            (json_int_t)s->warp_instructions, "seconds", report_seconds_json(s->seconds, options));
        json_put_fetches(&object, analysis->machine, s->fetches, s->fetch_misses);
        json_put(&object, "assumptions", report_assumed_json(analysis_assumed(analysis)));
        json_add(&array, object);
    }
    return array;
}

/* Methods and policies without a result. */
static json_t *declined_json(const struct wb_analysis *analysis) {
    size_t count;
    const wb_declined *declined = wb_analysis_declined(analysis, &count);
    return report_declined_json(declined, count);
}

static json_t *certified_json(const struct wb_analysis *analysis) {
    struct report_interval interval;
    if (!report_certified(analysis, &interval)) return json_null();
    return json_pack("{s:I, s:I}", "lower", (json_int_t)interval.lower, "upper", (json_int_t)interval.upper);
}

/* Whether the deadline is met, and by what: by nothing where its scope was not analysed. */
static json_t *deadline_json(const struct wb_analysis *analysis, const wb_report_options *options) {
    const struct verdict verdict = verdict_of(analysis, options->scope, options->deadline);
    const bool is_judged = verdict.answer == WB_MET || verdict.answer == WB_NOT_MET;
    json_t *object =
        report_deadline_json(wb_scope_name(verdict.scope), is_judged ? &verdict.proven : NULL, options);
    json_put(&object, "method", is_judged ? json_string(verdict.best->method) : json_null());
    if (verdict.answer == WB_NOT_ANALYSED)
        json_put(&object, "block_met", json_boolean(verdict.proven <= options->deadline));
    return object;
}

/* Takes the phases of one path. */
struct sections_json {
    json_t *array; /* of sections, each an array of phases; NULL when memory was exhausted */
    wb_diagnostics *diagnostics;
};

/* Appends one phase to the section it belongs to, which is the last one so far or one behind it. */
static wb_status add_phase(void *user, uint64_t section, const struct phase *phase) {
    struct sections_json *sections = user;
    while (sections->array != NULL && json_array_size(sections->array) <= section)
        json_add(&sections->array, json_array());
    json_t *object = json_pack("{s:s, s:I, s:I}", "kind", phase->idle ? "idle" : "exec", "start",
                               (json_int_t)phase->start, "end", (json_int_t)phase->end);
    if (json_array_append_new(json_array_get(sections->array, section), object) == 0) return WB_OK;
    return diagnose_out_of_memory(sections->diagnostics, "report");
}

/* Per distinct path its sections; null for those of a path with very many phases. */
static wb_status add_paths(const struct wb_analysis *analysis, wb_diagnostics *diagnostics, json_t **root) {
    json_t *paths = json_array();
    wb_status status = WB_OK;
    for (uint32_t path = 0; path < analysis->timed->path_count && status == WB_OK; path++) {
        const bool listed = analysis->timed->paths[path].length <= PHASES_LISTED_MAX;
        struct sections_json sections = {listed ? json_array() : json_null(), diagnostics};
        struct phase_sink sink = {.phase = add_phase, .user = &sections};
        if (listed) status = phases_of_path(analysis->timed, path, &sink, diagnostics);
        json_add(&paths, json_pack("{s:o}", "sections", sections.array));
    }
    json_put(root, "paths", paths);
    return status;
}

/* Per warp the path it takes and what each method says of it. */
static json_t *warps_json(const struct wb_analysis *analysis) {
    json_t *warps = json_array();
    for (uint32_t warp = 0; warp < analysis->timed->warp_count; warp++) {
        json_t *wub = json_object();
        for (size_t method = 0; bound_method_at(method) != NULL; method++) {
            cycles value;
            if (analysis_warp_bound(analysis, method, warp, &value))
                json_put(&wub, bound_method_at(method)->name, json_integer((json_int_t)value));
        }
        json_int_t path = (json_int_t)analysis->timed->warp_path[warp];
        json_add(&warps, json_pack("{s:I, s:o}", "path", path, "wub", wub));
    }
    return warps;
}

/* Version, kernel, file, machine and launch: of a block, or of a grid with its scheme. */
static json_t *heading_json(const struct wb_analysis *analysis) {
    if (analysis->kind == SUBJECT_ABSTRACT_WARPS)
        return json_pack("{s:s, s:o, s:n, s:o, s:n}", "warpbound", wb_version(), "kernel",
                         json_text(analysis->abstract.name), "file", "machine",
                         json_machine(analysis->machine), "launch");
    if (analysis->timed == NULL) {
        json_t *grid = report_gpu_heading_json(&analysis->grid_times);
        json_put(&grid, "scheme", json_string(analysis->memory.scheme->name));
        return grid;
    }
    const struct wb_kernel *kernel = analysis->block != NULL ? analysis->block->kernel : NULL;
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "warpbound", wb_version(), "kernel",
                     json_text(kernel != NULL ? wb_kernel_name(kernel) : NULL), "file",
                     json_text(kernel != NULL ? kernel->module->source.name : NULL), "machine",
                     json_machine(analysis->machine), "launch", launch_json(analysis));
}

/* Adds the results with the data that was given, beside those of covering paths. */
static void add_given(const struct wb_analysis *analysis, const wb_report_options *options, json_t **object) {
    json_t *given = json_null();
    if (!wb_analysis_is_covering(analysis)) return;
    if (analysis->given != NULL)
        given =
            json_pack("{s:o, s:o, s:o}", "bounds", bounds_json(analysis->given, options), "simulations",
                      simulations_json(analysis->given, options), "declined", declined_json(analysis->given));
    json_put(object, "given", given);
}

/* Adds what is said of covering paths: the unknown values, and what is known of given ones. */
static void add_cover(const struct wb_analysis *analysis, const wb_report_options *options, json_t **root) {
    if (wb_analysis_is_covering(analysis)) {
        json_put(root, "facts", cover_facts_json(cover_block(analysis)));
        json_put(root, "unknown", cover_causes_json(cover_block(analysis)));
    }
    add_given(analysis, options, root);
}

/* Adds bounds and simulations. */
static void add_results(const struct wb_analysis *analysis, const wb_report_options *options,
                        json_t **object) {
    json_put(object, "bounds", bounds_json(analysis, options));
    json_put(object, "simulations", simulations_json(analysis, options));
    json_put(object, "declined", declined_json(analysis));
    json_put(object, "certified", certified_json(analysis));
}

static json_t *best_json(const wb_bound *best) {
    return best != NULL ? json_integer((json_int_t)best->cycles) : json_null();
}

/* What the report is about, and the least proven bound of that: never of a block where a kernel is meant. */
static void add_scope(const struct wb_analysis *analysis, const wb_report_options *options, json_t **root) {
    wb_scope scope = wb_analysis_scope(analysis);
    if (options->has_deadline || options->scope == WB_SCOPE_BLOCK)
        scope = verdict_scope(analysis, options->scope);
    if (scope == WB_SCOPE_BLOCK && analysis->longest != NULL) analysis = analysis->longest;
    const bool is_of_scope = wb_analysis_scope(analysis) == scope;
    json_put(root, "scope", json_string(wb_scope_name(scope)));
    json_put(root, "best_upper", best_json(is_of_scope ? wb_analysis_best(analysis) : NULL));
}

/* The whole kernel, beside its block that takes longest. */
static json_t *kernel_json(const struct wb_analysis *analysis, const wb_report_options *options) {
    const wb_bound *best = wb_analysis_best(analysis);
    json_t *kernel = kernel_heading_json(analysis);
    add_results(analysis, options, &kernel);
    json_put(&kernel, "best_upper", best_json(best));
    add_given(analysis, options, &kernel);
    json_put(&kernel, "best_method", best != NULL ? json_string(best->method) : json_null());
    json_put(&kernel, "best_upper_microseconds",
             best != NULL ? report_microseconds_json(analysis->machine->clock_mhz, best->cycles)
                          : json_null());
    uint64_t proven;
    const bool is_proven = wb_analysis_proven(analysis, &proven);
    json_put(&kernel, "best_upper_with_launch", is_proven ? json_integer((json_int_t)proven) : json_null());
    json_put(&kernel, "dominated_by", kernel_dominant_json(best));
    return kernel;
}

json_t *report_analysis_object(const struct wb_analysis *analysis, const wb_report_options *options) {
    const struct wb_analysis *block = analysis->longest != NULL ? analysis->longest : analysis;
    json_t *root = heading_json(block);
    add_results(block, options, &root);
    add_scope(analysis, options, &root);
    if (options->has_deadline) json_put(&root, "deadline", deadline_json(analysis, options));
    add_cover(block, options, &root);
    if (analysis->longest != NULL) json_put(&root, "grid", kernel_json(analysis, options));
    return root;
}

wb_status report_analysis_json(const struct wb_analysis *analysis, const wb_report_options *options,
                               wb_diagnostics *diagnostics, char **text) {
    json_t *root = report_analysis_object(analysis, options);
    wb_status status = WB_OK;
    const struct wb_analysis *block = analysis->longest != NULL ? analysis->longest : analysis;
    if (root != NULL && options->phases && block->timed != NULL) {
        json_put(&root, "warps", warps_json(block));
        status = add_paths(block, diagnostics, &root);
    }
    if (status == WB_OK) return report_take_json(root, diagnostics, text);
    json_decref(root);
    return status;
}

wb_status wb_report(const wb_analysis *analysis, wb_report_format format, const wb_report_options *options,
                    wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    switch (format) {
    case WB_REPORT_TEXT: return report_analysis_text(analysis, &asked, diagnostics, text);
    case WB_REPORT_JSON: return report_analysis_json(analysis, &asked, diagnostics, text);
    }
    diagnose(diagnostics, SEVERITY_ERROR, "report", "unknown format %d", (int)format);
    return WB_ERR_INPUT;
}
