/* Reports of analyses and streams as HTML: one file that is read in a browser (docs/html-report.md). */
#include "base/base.h"
#include "bound/analysis/stream.h"
#include "report/html/page.h"
#include "report/write/output.h"

/* Most instructions in the timelines of a report, some 40 bytes each; and most launches of a stream that have
 * sections of their own: beyond that a report would be too large for a phone. */
#define TIMELINE_ISSUES_MAX 12000u
#define LAUNCHES_SHOWN_MAX 24u

/* Starts a page that is written as it is made. */
static wb_status take_options(const wb_report_options *options, const wb_html_options *html,
                              wb_diagnostics *diagnostics, struct html_page *page) {
    *page = (struct html_page){.issues_most = TIMELINE_ISSUES_MAX, .diagnostics = diagnostics};
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &page->options, diagnostics));
    return OPTIONS_TAKE(wb_html_options, html, &page->asked, diagnostics);
}

/* The name of what an analysis is of. */
static const char *name_of(const struct wb_analysis *analysis) {
    if (analysis->kind == SUBJECT_OF_WING) return analysis->name;
    const struct wb_kernel *kernel = analysis->block != NULL   ? analysis->block->kernel
                                     : analysis->timed != NULL ? NULL
                                                               : analysis->grid_times.grid->kernel;
    return kernel != NULL ? wb_kernel_name(kernel) : analysis->machine->name;
}

/* The table of contents. */
static void put_contents(struct html_page *page, bool is_stream) {
    static const struct {
        const char *id, *title;
    } entries[] = {{"verdict", "Verdict"},
                   {"bounds", "Bounds"},
                   {"source", "Source"},
                   {"flow", "Control flow"},
                   {"timeline", "Slowest execution"},
                   {"conditions", "Assumptions"}};
    text_string(&page->out, "<nav aria-label=\"Contents\"><ul>");
    for (size_t i = 0; i < (is_stream ? 1 : sizeof entries / sizeof *entries); i++)
        text_printf(&page->out, "<li><a href=\"#%s\">%s</a></li>", entries[i].id, entries[i].title);
    text_string(&page->out, "<li><a href=\"#origin\">Origin</a></li></ul></nav>\n");
}

static void put_title(struct html_page *page, const char *title) {
    text_string(&page->out, "<header><p class=\"product\">Warpbound</p><h1>");
    page_name(page, title);
    text_string(&page->out, "</h1></header>\n");
}

/* The sections behind the summary. */
static void put_sections(struct html_page *page, const struct wb_analysis *analysis) {
    html_bounds(page, analysis);
    html_costs(page, analysis);
    html_executions(page, analysis);
    html_conditions(page, analysis);
}

/* Hands the page over. */
static wb_status finish(struct html_page *page, const wb_writer *writer) {
    page_end(page);
    wb_status status = report_flush(&page->out, writer, true);
    text_free(&page->out);
    return report_written(status, page->diagnostics);
}

static const wb_input *analysis_input(const void *owner, size_t index) {
    return wb_analysis_input(owner, index);
}

static const wb_input *stream_input(const void *owner, size_t index) {
    return wb_stream_input(owner, index);
}

wb_status wb_html_report(const wb_analysis *analysis, const wb_report_options *options,
                         const wb_html_options *html, const wb_writer *writer, wb_diagnostics *diagnostics) {
    struct html_page page;
    WB_TRY(take_options(options, html, diagnostics, &page));
    page.clock_mhz = analysis->machine->clock_mhz;
    page_begin(&page, name_of(analysis));
    put_title(&page, name_of(analysis));
    put_contents(&page, false);
    html_summary(&page, analysis);
    put_sections(&page, analysis);
    html_origin(&page, analysis->machine, analysis_input, analysis);
    return finish(&page, writer);
}

/* The sections of launch number `number` of a stream. */
static void put_launch(struct html_page *page, const struct wb_analysis *kernel, size_t number) {
    page->launch = number;
    text_printf(&page->out, "<article id=\"launch-%zu\"><h2>Launch %zu: ", number, number);
    page_name(page, name_of(kernel));
    text_string(&page->out, "</h2>\n");
    html_summary(page, kernel);
    put_sections(page, kernel);
    text_string(&page->out, "</article>\n");
    page->launch = 0;
}

wb_status wb_stream_html_report(const wb_stream *stream, const wb_report_options *options,
                                const wb_html_options *html, const wb_writer *writer,
                                wb_diagnostics *diagnostics) {
    struct html_page page;
    WB_TRY(take_options(options, html, diagnostics, &page));
    page.clock_mhz = stream->machine->clock_mhz;
    page_begin(&page, "stream of kernels");
    put_title(&page, "Stream of kernels");
    put_contents(&page, true);
    html_stream_summary(&page, stream);
    const bool has_deadline = page.options.has_deadline;
    page.options.has_deadline = false; /* it is of all kernels together */
    const size_t count = stream->kernels.count,
                 shown = count < LAUNCHES_SHOWN_MAX ? count : LAUNCHES_SHOWN_MAX;
    page.issues_most = shown > 0 ? TIMELINE_ISSUES_MAX / shown : 0;
    for (size_t i = 0; i < shown; i++)
        put_launch(&page, stream->kernels.items[i].analysis, i + 1);
    if (shown < count)
        page_note(&page, "The first %zu of %zu launches have sections of their own; --json has all of them.",
                  shown, count);
    page.options.has_deadline = has_deadline;
    html_origin(&page, stream->machine, stream_input, stream);
    return finish(&page, writer);
}
