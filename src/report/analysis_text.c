/* Reports of an analysis as a table for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "bound/verdict.h"
#include "report/analysis_report.h"
#include "report/bound_text.h"
#include "report/cover_report.h"
#include "report/gpu_report.h"
#include "report/kernel_report.h"
#include "report/launch_report.h"
#include "report/window_report.h"
#include "warp/launch_demand.h"

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
    if (analysis->is_abstract) {
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
    if (judged->timed == NULL && !judged->is_abstract) index = judged->grid_times.grid->first_index;
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
    const uint32_t kind = analysis->blocks.items[0].kind;
    uint32_t index[3];
    text_printf(out, " (bounds: the largest of %zu kinds", analysis->work.kinds.count);
    if (analysis->blocks.count < analysis->work.kinds.count)
        text_printf(out, ", %zu of them looked at", analysis->blocks.count);
    if (report_slowest(analysis->longest) > 0) {
        grid_block_index(analysis->grid_times.grid, analysis->work.kinds.items[kind].first, index);
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
    const size_t kinds = analysis->work.kinds.count;
    if (!analysis->has_work)
        text_string(out, "the block with the most initiations");
    else
        text_string(out, "the block that takes longest");
    if (block != NULL && kinds < 2)
        text_printf(out, ", (%u,%u,%u), with %" PRIu64 " warp instructions", block->index[0], block->index[1],
                    block->index[2], report_instructions(block));
    text_string(out, ", alone");
    if (kinds > 1) put_kinds_asked(out, analysis);
    text_string(out, analysis->has_work ? ":\n" : "; others may take longer:\n");
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
