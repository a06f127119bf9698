/* The report of an analysis for people: first the verdict, then its subject and assumptions, then the
 * numbers, then the sections that the options ask for. */
#include "report/analysis/analysis.h"

#include <inttypes.h>
#include <string.h>

#include "base/wing.h"
#include "bound/analysis/verdict.h"
#include "report/costs/costs_shown.h"
#include "report/parts/conditions.h"
#include "report/parts/cover.h"
#include "report/parts/inputs.h"
#include "report/parts/verdict.h"

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

static void put_heading(const struct section *section) {
    struct text heading = {0};
    report_heading_put(&heading, section->analysis, section->options->all);
    layout_lines(section->out, section->layout, HEADING_COLUMN, heading.data);
    section->out->failed |= heading.failed;
    text_free(&heading);
}

/* ---- Assumptions of the verdict --------------------------------------------------------------------------
 * */

/* The slowest execution decides, so its assumptions count. */
static void add_slowest(struct conditions *conditions, const wb_verdict *verdict) {
    const wb_slowest *slowest = &verdict->slowest;
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

static void put_rests_on(const struct section *section, bool in_words) {
    const wb_verdict *verdict = section->verdict;
    const wb_bound *bound = verdict->bound;
    struct conditions conditions = {0};
    const char *title = "holds if";
    if (verdict->state == WB_MISSED) {
        add_slowest(&conditions, verdict);
        title = "that execution rests on";
    } else if (verdict->state == WB_BLOCK_ONLY) {
        bound = wb_analysis_best(verdict->judged);
        title = "what is proven of the block holds if";
    }
    if (verdict->state != WB_MISSED && bound != NULL) conditions_add_bound(&conditions, bound, 0);
    if (conditions.count == 0) return;
    if (!in_words) {
        struct text ids = {0};
        conditions_list_ids(&ids, &conditions);
        verdict_put_detail(section->out, section->layout, title, &ids);
        return;
    }
    put_title(section, title);
    conditions_put(section->out, section->layout, &conditions, 0);
    text_char(section->out, '\n');
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
    struct text words = {0};
    text_string(&words, analysis->kind == SUBJECT_KERNEL ? "the block that takes longest"
                                                         : "the block with the most initiations");
    if (block != NULL && classes < 2)
        text_printf(&words, ", (%u,%u,%u), with %" PRIu64 " warp instructions", block->index[0],
                    block->index[1], block->index[2], report_count_instructions(block));
    text_string(&words, ", alone");
    if (classes > 1) put_kinds_asked(&words, analysis);
    text_string(&words, analysis->kind == SUBJECT_KERNEL ? ":" : "; others may take longer:");
    layout_begin(section->out, section->layout, STYLE_BOLD);
    if (!words.failed) layout_words(section->out, section->layout, 0, 2, words.data);
    layout_end(section->out, section->layout, STYLE_BOLD);
    section->out->failed |= words.failed;
    text_free(&words);
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
                                               {"the numbers with the data that the launch gives",
                                                analysis->given != NULL ? analysis->given->assumed : 0},
                                               {NULL, 0}};
    if (bound_at(analysis, 0) == NULL && executed[0].assumed == 0 && executed[1].assumed == 0) return;
    text_char(section->out, '\n');
    if (section->options->all) put_title(section, "what each number assumes");
    report_put_conditions(section->out, section->layout, bound_at, analysis, executed);
}

static void put_causes(const struct section *section) {
    const struct wb_block *block = report_covering_block(report_block_of(section->analysis));
    if (section->options->all)
        cover_put_causes(section->out, section->layout, block);
    else
        cover_put_summary(section->out, section->layout, block);
}

/* Every text that was read, with its checksum. */
static void put_inputs(const struct section *section) {
    const struct sources sources = analysis_sources(section->analysis);
    text_char(section->out, '\n');
    put_title(section, "made from");
    inputs_put(section->out, &sources);
}

wb_status report_analysis_text(struct text *out, const struct wb_analysis *analysis,
                               const wb_report_options *options, wb_diagnostics *diagnostics) {
    const struct wb_analysis *block = report_block_of(analysis);
    const struct layout layout = layout_of(options);
    const wb_verdict verdict = verdict_of(analysis, options);
    const struct verdict_words words = {analysis->machine->clock_mhz, options->unit, options->quiet};
    const struct section section = {out, &layout, analysis, &verdict, options};
    if (!options->simulated) verdict_put(out, &layout, &verdict, &words);
    if (options->quiet) return WB_OK;
    if (!options->simulated && !options->all) put_rests_on(&section, false);
    if (!options->simulated) text_char(out, '\n');
    put_heading(&section);
    if (!options->simulated && options->all) put_rests_on(&section, true);
    put_tables(&section);
    if (wb_analysis_is_covering(analysis)) put_causes(&section);
    if (options->all || options->simulated) put_all_conditions(&section);
    for (size_t i = 0; wing_at(i) != NULL; i++)
        if (wing_at(i)->put_bounds != NULL) wing_at(i)->put_bounds(out, &layout, block);
    WB_TRY(costs_report_text(out, analysis, options, diagnostics));
    if (options->all) put_inputs(&section);
    if (options->explain != NULL) WB_TRY(explain_put(out, &layout, analysis, options->explain, diagnostics));
    return options->phases && block->timed != NULL ? phases_put(out, block, diagnostics) : WB_OK;
}
