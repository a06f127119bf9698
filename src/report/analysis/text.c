/* The report of an analysis for people: first the verdict, then its subject and assumptions, then the
 * numbers, then the sections that the options ask for. */
#include "report/analysis/analysis.h"

#include <inttypes.h>
#include <string.h>

#include "base/wing.h"
#include "bound/analysis/verdict.h"
#include "report/costs/costs_shown.h"
#include "report/parts/parts.h"

/* Where the values of a heading stand. */
#define HEADING_COLUMN 9u

/* The arguments of every section. */
struct section {
    struct text *out;
    const struct layout *layout;
    const struct wb_analysis *analysis;
    const wb_verdict *verdict;
    const wb_report_options *options;
};

static void put_title(const struct section *section, const char *title) {
    layout_styled(section->out, section->layout, STYLE_BOLD, title);
    text_char(section->out, '\n');
}

/* ---- Assumptions of the verdict --------------------------------------------------------------------------
 * */

/* An execution decides, so its assumptions count. */
static void add_sure(struct condition_list *conditions, const wb_verdict *verdict) {
    const wb_slowest *slowest = &verdict->sure;
    const struct wb_analysis *run = slowest->with_data ? verdict->judged->given : verdict->judged;
    if (slowest->of_code) run = wb_analysis_code(verdict->judged);
    if (run == NULL) return;
    wb_assumption list[WB_ASSUMPTION_COUNT];
    size_t count;
    if (slowest->kind == WB_SIMULATED) {
        count = explain_simulation(run, list);
        conditions_add(conditions, list, count, 0);
        return;
    }
    const wb_bound *bounds = wb_analysis_bounds(run, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(bounds[i].method, slowest->name) == 0) conditions_add_bound(conditions, &bounds[i], 0);
}

/* How much is said of what a verdict rests on. */
enum words { IDS, BRIEF, ALL_WORDS };

static void put_rests_on(const struct section *section, enum words said) {
    const wb_verdict *verdict = section->verdict;
    const wb_bound *bound = verdict->bound;
    struct condition_list conditions = {0};
    const char *title = "holds if";
    if (verdict->state == WB_MISSED) {
        add_sure(&conditions, verdict);
        title = "that execution rests on";
    } else if (verdict->state == WB_BLOCK_ONLY) {
        bound = wb_analysis_best(verdict->judged);
        title = "what is proven of the block holds if";
    }
    if (verdict->state != WB_MISSED && bound != NULL) conditions_add_bound(&conditions, bound, 0);
    if (said == BRIEF && conditions.count > 0)
        conditions_put_brief(section->out, section->layout, title, &conditions);
    else
        conditions_put_titled(section->out, section->layout, title, &conditions, 0, said == ALL_WORDS);
}

/* ---- The numbers --------------------------------------------------------------------------------------- */

/* Which block classes the bounds are the largest of, and which of them the simulations are of. */
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
            text_printf(out, ", with %" PRIu64 " warp instructions", report_count_instructions(block));
    }
    text_char(out, ')');
}

/* Which block stands for all of them. */
static void put_longest_title(const struct section *section) {
    const struct wb_analysis *analysis = section->analysis;
    const struct wb_block *block = analysis->longest->block;
    const size_t classes = analysis->work.classes.count;
    struct text *out = section->out;
    layout_begin(out, section->layout, STYLE_BOLD);
    const size_t start = out->length;
    text_string(out, analysis->kind == SUBJECT_KERNEL ? "the block that takes longest"
                                                      : "the block with the most initiations");
    if (block != NULL && classes < 2)
        text_printf(out, ", (%u,%u,%u), with %" PRIu64 " warp instructions", block->index[0], block->index[1],
                    block->index[2], report_count_instructions(block));
    text_string(out, ", alone");
    if (classes > 1) put_kinds_asked(out, analysis);
    text_string(out, analysis->kind == SUBJECT_KERNEL ? ":" : "; others may take longer:");
    layout_wrap(out, section->layout, start, 0, 2);
    layout_end(out, section->layout, STYLE_BOLD);
}

static void put_kernel_table(const struct section *section) {
    if (section->analysis->longest != NULL && section->options->all)
        put_title(section, "the kernel, all blocks:");
    table_put(section->out, section->layout, section->analysis, section->options,
              section->options->all || section->options->simulated ? NULL : section->verdict);
}

static void put_block_table(const struct section *section) {
    put_longest_title(section);
    table_put(section->out, section->layout, section->analysis->longest, section->options, NULL);
}

/* The table of what is asked about, and a sentence of the rest; or both tables. */
static void put_tables(const struct section *section) {
    const struct wb_analysis *analysis = section->analysis;
    const bool block_first = section->verdict->judged != analysis;
    if (analysis->longest == NULL) {
        put_kernel_table(section);
        return;
    }
    (block_first ? put_block_table : put_kernel_table)(section);
    text_char(section->out, '\n');
    if (section->options->all)
        (block_first ? put_kernel_table : put_block_table)(section);
    else if (block_first)
        table_put_summary(section->out, section->layout, analysis, "the kernel", section->verdict);
    else
        table_put_summary(section->out, section->layout, analysis->longest,
                          analysis->kind == SUBJECT_KERNEL ? "a block alone"
                                                           : "the block with the most initiations, alone,",
                          section->verdict);
}

/* ---- What is asked for --------------------------------------------------------------------------------- */

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

/* The assumptions of every method; beside covering paths the launch with its data is another execution. */
static void put_all_conditions(const struct section *section) {
    const struct wb_analysis *analysis = section->analysis;
    const bool simulated =
        analysis->simulations.count > 0 || report_block_of(analysis)->simulations.count > 0;
    const struct report_executed executed[] = {{"simulations", simulated ? analysis->assumed : 0},
                                               {analysis->given != NULL && analysis_has_zeros(analysis->given)
                                                    ? "the numbers with zeros in buffers"
                                                    : "the numbers with the data that the launch gives",
                                                analysis->given != NULL ? analysis->given->assumed : 0},
                                               {NULL, 0}};
    if (bound_at(analysis, 0) == NULL && executed[0].assumed == 0 && executed[1].assumed == 0) return;
    text_char(section->out, '\n');
    if (section->options->all) put_title(section, "what each number assumes");
    report_put_conditions(section->out, section->layout, bound_at, analysis, executed);
}

/* ---- Phases of warps --------------------------------------------------------------------------------- */

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

/* The result of each method for one warp, and the warp's path. */
static void put_warp(struct text *out, const struct wb_analysis *analysis, uint32_t warp) {
    text_printf(out, "  warp %u: path %u", warp, analysis->timed->warp_path[warp]);
    for (size_t method = 0; bound_method_at(method) != NULL; method++) {
        cycles value;
        if (analysis_warp_bound(analysis, method, warp, &value))
            text_printf(out, ", %s %" PRIu64, bound_method_at(method)->name, value);
    }
    text_char(out, '\n');
}

/* The phases of every distinct path of a block, and what methods say of its single warps. */
static wb_status phases_put(struct text *out, const struct wb_analysis *analysis,
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

/* ---- The report -----------------------------------------------------------------------------------------
 */

/* A promise with what it saves of the bound without it, in per cent; `before` stands in front of it. */
static void put_saving(struct text *out, const wb_saving *saving, cycles bound, bool in_words,
                       const char *before) {
    const cycles with = saving->is_made ? bound : saving->cycles;
    const cycles without = saving->is_made ? saving->cycles : bound;
    const double percent = 100 * (double)cycles_sub(without, with) / (double)without;
    if (in_words)
        text_printf(out, "  %-12s %5.1f %%: %" PRIu64 " cycles %s it\n", saving->promise, percent,
                    saving->cycles, saving->is_made ? "without" : "with");
    else
        text_printf(out, "%s%s %.0f %%", before, saving->promise, percent);
}

/* What promises of where memory is save, then what others would. */
static void put_savings(const struct section *section, bool in_words) {
    const wb_bound *best = wb_analysis_best(section->analysis);
    size_t count, put = 0;
    const wb_saving *savings = wb_analysis_savings(section->analysis, &count);
    struct text *out = section->out;
    if (count == 0 || best == NULL) return;
    const size_t start = in_words ? 0 : verdict_begin_detail(out, "promises");
    if (in_words) put_title(section, "what promises save, or would save (--resident)");
    for (int made = 1; made >= 0; made--) {
        const char *before = made != 0 ? "save: " : put == 0 ? "would save: " : "; would save: ";
        for (size_t s = 0; s < count; s++) {
            if (savings[s].is_made != (made != 0)) continue;
            put_saving(out, &savings[s], best->cycles, in_words, before);
            before = ", ";
            put++;
        }
    }
    if (in_words)
        text_char(out, '\n');
    else
        verdict_end_detail(out, section->layout, start);
}

/* Whether the report is of a kernel whose bound says it all, and nobody asks for more. */
static bool is_brief(const struct wb_analysis *analysis, const wb_verdict *verdict,
                     const wb_report_options *options) {
    return analysis->kind == SUBJECT_KERNEL && analysis->grid_times.grid->kernel != NULL &&
           verdict->is_bounded && verdict->judged == analysis && !options->all && options->explain == NULL &&
           !options->simulated && !options->timing && !options->phases;
}

/* What can be done about the bound. */
static void put_lower(const struct section *section) {
    put_savings(section, false);
    const size_t start = verdict_begin_detail(section->out, "lower");
    text_string(section->out, "--lines: lines of the source that cost most; --explain: every number");
    verdict_end_detail(section->out, section->layout, start);
}

/* Behind the verdict of a brief report: what it rests on, what would lower it, and what it is about. */
static void put_brief(const struct section *section) {
    const struct wb_analysis *analysis = section->analysis;
    struct text *out = section->out;
    put_rests_on(section, BRIEF);
    marks_put_brief(out, section->layout, analysis);
    put_lower(section);
    if (wb_analysis_is_covering(analysis))
        cover_put_summary(out, section->layout, report_covering_block(report_block_of(analysis)));
    text_char(out, '\n');
    const size_t start = out->length;
    heading_put_grid(out, analysis->grid_times.grid);
    layout_wrap(out, section->layout, start, 0, HEADING_COLUMN);
}

wb_status report_analysis_text(struct text *out, const struct wb_analysis *analysis,
                               const wb_report_options *options, wb_diagnostics *diagnostics) {
    const struct wb_analysis *block = report_block_of(analysis);
    const struct layout layout = layout_of(options);
    const wb_verdict verdict = verdict_of(analysis, options);
    const bool brief = is_brief(analysis, &verdict, options);
    const struct verdict_words words = {analysis->machine, options->unit, options->quiet, brief};
    const struct section section = {out, &layout, analysis, &verdict, options};
    if (!options->simulated) verdict_put(out, &layout, &verdict, &words);
    if (options->quiet) return WB_OK;
    if (brief) {
        put_brief(&section);
        shares_put(out, &layout, analysis, options);
        return costs_report(out, NULL, analysis, options, diagnostics);
    }
    if (!options->simulated && !options->all) put_rests_on(&section, IDS);
    if (!options->simulated && !options->all) put_savings(&section, false);
    if (!options->simulated) text_char(out, '\n');
    const size_t start = out->length;
    report_heading_put(out, analysis, options->all);
    layout_wrap(out, &layout, start, 0, HEADING_COLUMN);
    if (!options->simulated && options->all) put_rests_on(&section, ALL_WORDS);
    if (options->all) put_savings(&section, true);
    if (options->all) marks_put(out, &layout, analysis);
    put_tables(&section);
    if (wb_analysis_is_covering(analysis))
        (options->all ? cover_put_causes : cover_put_summary)(out, &layout, report_covering_block(block));
    if (options->all || options->simulated) put_all_conditions(&section);
    for (size_t i = 0; wing_at(i) != NULL; i++)
        if (wing_at(i)->put_bounds != NULL) wing_at(i)->put_bounds(out, &layout, block);
    shares_put(out, &layout, analysis, options);
    WB_TRY(costs_report(out, NULL, analysis, options, diagnostics));
    if (options->all) {
        const struct sources sources = analysis_sources(analysis);
        text_char(out, '\n');
        put_title(&section, "made from");
        inputs_put(out, &sources);
    }
    if (options->explain != NULL && options->explain[0] != '\0')
        WB_TRY(explain_put(out, &layout, analysis, options->explain, diagnostics));
    return options->phases && block->timed != NULL ? phases_put(out, block, diagnostics) : WB_OK;
}
