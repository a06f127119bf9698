/* All numbers of an analysis as bars on one axis: what is proven, what was found, what is only estimated; and
 * what the least proven bound is made of. */
#include "report/html/page.h"

#include <inttypes.h>
#include <string.h>

#include "bound/analysis/verdict.h"
#include "report/analysis/analysis.h"
#include "report/parts/bounds.h"

/* A number beside the axis. */
struct bar {
    const char *name, *kind;
    uint64_t cycles;
    bool is_best;
};

/* What an axis shows: from 0 to `end`, with the interval of the worst case and the deadline where there are
 * such. */
struct axis {
    uint64_t end, lower, upper, deadline;
    bool has_interval, has_deadline;
};

/* The axis ends at most so many times behind the least proven bound, or, without one, the slowest execution:
 * what lies beyond is cut, so that the others can be told apart. */
#define AXIS_REACH 3u

/* ---- The axis ----------------------------------------------------------------------------------------- */

static void reach(struct axis *axis, uint64_t place, uint64_t most) {
    if (place <= most && place > axis->end) axis->end = place;
}

static struct axis axis_of(const struct html_page *page, const struct wb_analysis *analysis, bool is_judged) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count), *best = wb_analysis_best(analysis);
    struct axis axis = {.end = report_slowest(analysis)};
    axis.has_interval = report_interval(analysis, &axis.lower, &axis.upper) && axis.lower <= axis.upper;
    if (best != NULL) reach(&axis, best->cycles, UINT64_MAX);
    const uint64_t most = axis.end > 0 ? cycles_mul(axis.end, AXIS_REACH) : UINT64_MAX;
    for (size_t i = 0; i < count; i++)
        reach(&axis, bounds[i].cycles, most);
    axis.deadline = page->options.deadline;
    axis.has_deadline = is_judged && page->options.has_deadline;
    if (axis.has_deadline) reach(&axis, axis.deadline, most);
    axis.end = cycles_add(axis.end, axis.end / 20 + 1);
    return axis;
}

/* Something that stands at a place of every track. */
static void put_mark(struct html_page *page, const struct axis *axis, const char *class, uint64_t from,
                     uint64_t to) {
    text_printf(&page->out, "<i class=\"%s\" style=\"left:", class);
    page_share(page, (double)from, (double)axis->end);
    text_string(&page->out, ";width:");
    page_share(page, (double)(to - from), (double)axis->end);
    text_string(&page->out, "\"></i>");
}

static void put_bar(struct html_page *page, const struct axis *axis, const struct bar *bar) {
    struct text *out = &page->out;
    const bool is_cut = bar->cycles > axis->end;
    text_printf(out, "<li class=\"bar %s%s%s\"><span class=\"name\"><b>", bar->kind,
                bar->is_best ? " best" : "", is_cut ? " cut" : "");
    xml_text(out, bar->name);
    text_printf(out, "</b> <span class=\"kind\">%s%s</span></span> ", bar->kind,
                bar->is_best ? ", the least" : "");
    text_string(out, "<span class=\"track\" aria-hidden=\"true\">");
    if (axis->has_interval) put_mark(page, axis, "band", axis->lower, axis->upper);
    put_mark(page, axis, "fill", 0, is_cut ? axis->end : bar->cycles);
    if (axis->has_deadline && axis->deadline <= axis->end)
        put_mark(page, axis, "deadline", axis->deadline, axis->deadline);
    text_string(out, "</span> <span class=\"value\">");
    page_count(page, bar->cycles);
    text_string(out, " <span class=\"time\">");
    report_put_time(out, page->clock_mhz, bar->cycles);
    text_string(out, "</span></span></li>\n");
}

/* ---- Groups of bars ----------------------------------------------------------------------------------- */

/* What numbers of some kinds are worth. */
struct bar_group {
    const char *title;
    uint32_t kinds; /* bits of wb_kind */
};

static const struct bar_group groups[] = {
    {"Proven: no execution takes longer", 1u << WB_UPPER | 1u << WB_EXACT},
    {"Found: executions that take so long", 1u << WB_LOWER | 1u << WB_SIMULATED},
    {"Estimated: published formulas, not proven here", 1u << WB_ESTIMATE},
};

/* Opens the list of a group with its first bar. */
static void open_group(struct html_page *page, const char *title, size_t bars) {
    if (bars > 0) return;
    text_string(&page->out, "<p class=\"group\">");
    xml_text(&page->out, title);
    text_string(&page->out, "</p>\n<ol>\n");
}

static void put_group(struct html_page *page, const struct wb_analysis *analysis, const struct axis *axis,
                      const struct bar_group *group) {
    const struct wb_analysis *run = analysis->given != NULL ? analysis->given : analysis;
    const wb_bound *best = wb_analysis_best(analysis);
    size_t count, bars = 0;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        if ((group->kinds >> bounds[i].kind & 1) == 0) continue;
        open_group(page, group->title, bars++);
        put_bar(page, axis,
                &(struct bar){bounds[i].method, wb_kind_name(bounds[i].kind), bounds[i].cycles,
                              &bounds[i] == best});
    }
    const wb_simulation *simulations = wb_analysis_simulations(run, &count);
    for (size_t i = 0; i < count && (group->kinds >> WB_SIMULATED & 1) != 0; i++) {
        if (!found_is_covered(run, &simulations[i])) continue;
        open_group(page, group->title, bars++);
        put_bar(
            page, axis,
            &(struct bar){simulations[i].policy, wb_kind_name(WB_SIMULATED), simulations[i].cycles, false});
    }
    if (bars > 0) text_string(&page->out, "</ol>\n");
}

/* What the marks of the axis mean, and what of it is cut. */
static void put_legend(struct html_page *page, const struct axis *axis) {
    struct text *out = &page->out;
    text_string(out, "<p class=\"legend\">Cycles, from 0. ");
    if (axis->has_interval) {
        text_string(out,
                    "<i class=\"key band\"></i> The worst case, with latencies as stated, lies between ");
        page_count(page, axis->lower);
        text_string(out, " and ");
        page_count(page, axis->upper);
        text_string(out, " cycles. ");
    }
    if (axis->has_deadline) {
        text_string(out, "<i class=\"key deadline\"></i> The deadline: ");
        page_cycles(page, axis->deadline);
        text_string(out, axis->deadline <= axis->end ? ". " : ", beyond the right end. ");
    }
    text_string(out, "Bars with an arrow go on beyond the right end.</p>\n");
}

/* ---- What the least proven bound is made of -------------------------------------------------------------
 */

static void put_parts(struct html_page *page, const wb_bound *best) {
    struct text *out = &page->out;
    if (best == NULL || best->part_count == 0) return;
    page_subheading(page, "What the %" PRIu64 " cycles of %s are spent on", best->cycles, best->method);
    text_string(out, "<div class=\"parts\" aria-hidden=\"true\">");
    for (size_t p = 0; p < best->part_count; p++) {
        text_printf(out, "<i class=\"part-%zu\" style=\"width:", p % 6);
        page_share(page, (double)best->parts[p].cycles, (double)best->cycles);
        text_string(out, "\"></i>");
    }
    text_string(out, "</div>\n<ul class=\"parts-key\">\n");
    for (size_t p = 0; p < best->part_count; p++) {
        const wb_part *part = &best->parts[p];
        text_printf(out, "<li><i class=\"key part-%zu\"></i> <b>%s", p % 6, wb_part_name(part->what));
        if (part->unit != NULL) {
            text_char(out, ' ');
            xml_text(out, part->unit);
        }
        text_string(out, "</b> ");
        page_count(page, part->cycles);
        text_printf(out, " (%.0f %%)</li>\n", report_percent(part->cycles, best->cycles));
    }
    text_string(out, "</ul>\n");
}

/* ---- The section -------------------------------------------------------------------------------------- */

/* One axis with everything that is known of a kernel or of a block. */
static void put_chart(struct html_page *page, const struct wb_analysis *analysis, bool is_judged) {
    const struct axis axis = axis_of(page, analysis, is_judged);
    text_string(&page->out, "<div class=\"bars\">\n");
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        put_group(page, analysis, &axis, &groups[g]);
    page_axis(page, axis.end);
    put_legend(page, &axis);
    text_string(&page->out, "</div>\n");
    if (analysis->given != NULL)
        page_note(page,
                  "Proven bounds hold for any data; simulations are of the data that the launch gives.");
    else if (wb_analysis_is_covering(analysis))
        page_note(page, "The paths cover every execution, whatever the unknown values are: nothing executes "
                        "all of them, so there is no simulation.");
    put_parts(page, wb_analysis_best(analysis));
}

void html_bounds(struct html_page *page, const struct wb_analysis *analysis) {
    const wb_verdict verdict = verdict_of(analysis, &page->options);
    struct text *out = &page->out;
    page_open_section(page, "bounds", "Bounds and executions");
    if (analysis->longest != NULL) page_subheading(page, "The kernel, all blocks");
    put_chart(page, analysis, verdict.judged == analysis);
    if (analysis->longest != NULL) {
        text_string(out, "<details class=\"block\"><summary>A block alone on an SM</summary>\n");
        put_chart(page, analysis->longest, verdict.judged == analysis->longest);
        text_string(out, "</details>\n");
    }
    page_close_section(page);
}
