/* The first section: the verdict, and what it is about. */
#include "report/html/page.h"

#include <inttypes.h>
#include <string.h>

#include "bound/analysis/stream.h"
#include "bound/analysis/verdict.h"
#include "report/analysis/analysis.h"
#include "report/analysis/results.h"
#include "report/parts/bounds.h"
#include "report/write/output.h"

/* What a page says of a deadline, or of a bound without one. */
struct answer {
    const char *state; /* "met", "missed", "open", "unknown", or "" without a deadline */
    const char *of;    /* "kernel", "block", "stream" */
    bool is_proven;
    uint64_t proven, slowest; /* slowest: of the executions found; 0: there is none */
    const char *method;
};

/* The class of the page that shows a verdict. */
static const char *state_of(const wb_verdict *verdict) {
    if (!verdict->has_deadline) return "";
    if (verdict->state == WB_UNPROVEN || verdict->state == WB_BLOCK_ONLY) return "unknown";
    return wb_state_name(verdict->state);
}

/* What a page says of a verdict: where that is about a kernel of which nothing is known, what is known of the
 * block. */
static struct answer answer_of(const wb_verdict *verdict) {
    wb_verdict shown = *verdict;
    if (verdict->state == WB_BLOCK_ONLY) shown = wb_analysis_judge(verdict->judged, WB_SCOPE_BLOCK, NULL);
    return (struct answer){.state = state_of(verdict),
                           .of = wb_scope_name(shown.scope),
                           .is_proven = shown.is_bounded,
                           .proven = shown.cycles,
                           .slowest = shown.slowest.cycles,
                           .method = shown.bound != NULL ? shown.bound->method : NULL};
}

/* The word for a state, and what it means. */
static void put_state(struct html_page *page, const struct answer *answer) {
    static const struct {
        const char *state, *word, *meaning;
    } states[] = {
        {"met", "Met", "no execution takes longer"},
        {"missed", "Missed", "an execution was found that takes longer"},
        {"open", "Open", "neither proven nor refuted: the bound is later, no execution that was found is"},
        {"unknown", "Undecided", "no bound is proven"},
    };
    struct text *out = &page->out;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (strcmp(states[i].state, answer->state) != 0) continue;
        text_printf(out, "<p class=\"word\"><strong>%s</strong> <span>%s</span></p>\n<p>Deadline of the %s: ",
                    states[i].word, states[i].meaning, answer->of);
        page_cycles(page, page->options.deadline);
        text_string(out, "</p>\n");
    }
}

/* What is left until the deadline, or how much the bound is beyond it. */
static void put_margin(struct html_page *page, const struct answer *answer) {
    const uint64_t deadline = page->options.deadline, proven = answer->proven;
    const uint64_t margin = proven <= deadline ? deadline - proven : proven - deadline;
    text_string(&page->out, "<div><dt>Margin</dt><dd>");
    if (proven > deadline) text_string(&page->out, "\xe2\x88\x92");
    page_cycles(page, margin);
    text_printf(&page->out, ", %.1f %% of the deadline</dd></div>\n", report_percent(margin, deadline));
}

static void put_answer(struct html_page *page, const struct answer *answer) {
    struct text *out = &page->out;
    text_printf(out, "<div class=\"verdict %s\">\n", answer->state);
    if (answer->state[0] != '\0') put_state(page, answer);
    text_string(out, "<dl class=\"figures\">\n<div><dt>Proven</dt><dd>");
    if (answer->is_proven) {
        text_printf(out, "the %s takes at most ", answer->of);
        page_cycles(page, answer->proven);
        if (answer->method != NULL) text_printf(out, ", by %s", answer->method);
    } else {
        text_string(out, "nothing");
    }
    text_string(out, "</dd></div>\n");
    if (answer->is_proven && answer->state[0] != '\0') put_margin(page, answer);
    text_string(out, "<div><dt>Slowest execution found</dt><dd>");
    if (answer->slowest > 0)
        page_cycles(page, answer->slowest);
    else
        text_string(out, "none");
    text_string(out, "</dd></div>\n</dl>\n</div>\n");
}

/* The lines of a text report's heading, "key      value", as a list; a line without a key goes on with the
 * one before it. */
static void put_heading(struct html_page *page, const struct wb_analysis *analysis) {
    struct text heading = {0}, *out = &page->out;
    report_heading_put(&heading, analysis);
    out->failed |= heading.failed;
    text_string(out, "<dl class=\"about\">\n");
    bool open = false;
    for (const char *line = heading.data; line != NULL && *line != '\0';) {
        const size_t length = strcspn(line, "\n"), key = strcspn(line, " \n"), gap = strspn(line + key, " ");
        if (length > 0 && key > 0) {
            text_printf(out, "%s<div><dt>", open ? "</dd></div>\n" : "");
            xml_text_part(out, line, key);
            text_string(out, "</dt><dd>");
            open = true;
        } else if (length > 0) {
            text_string(out, "<br>");
        }
        if (length > 0) xml_text_part(out, line + key + gap, length - key - gap);
        line += length + (line[length] == '\n');
    }
    text_printf(out, "%s</dl>\n", open ? "</dd></div>\n" : "");
    text_free(&heading);
}

void html_summary(struct html_page *page, const struct wb_analysis *analysis) {
    const wb_verdict verdict = verdict_of(analysis, &page->options);
    const struct answer answer = answer_of(&verdict);
    page_open_section(page, "verdict", page->options.has_deadline ? "Verdict" : "Result");
    put_answer(page, &answer);
    put_heading(page, analysis);
    page_close_section(page);
}

/* Of each kernel its bound, with its share of the whole. */
static void put_kernels(struct html_page *page, const struct wb_stream *stream, const uint64_t *proven) {
    struct text *out = &page->out;
    text_string(out, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Launch</th>"
                     "<th scope=\"col\">Kernel</th><th scope=\"col\">Blocks</th><th scope=\"col\">Proven</th>"
                     "<th scope=\"col\">Method</th><th scope=\"col\">Share</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < stream->kernels.count; i++) {
        const struct wb_analysis *kernel = stream->kernels.items[i].analysis;
        const struct wb_grid *grid = kernel->grid_times.grid;
        const wb_bound *best = wb_analysis_best(kernel);
        text_printf(out, "<tr><td>%zu</td><td><a href=\"#launch-%zu\">", i + 1, i + 1);
        xml_text(out, grid->kernel != NULL ? wb_kernel_name(grid->kernel) : "by hand");
        text_printf(out, "</a></td><td>%u\xc3\x97%u\xc3\x97%u</td><td>", grid->dimensions[0],
                    grid->dimensions[1], grid->dimensions[2]);
        if (best != NULL) {
            page_cycles(page, best->cycles);
            text_printf(out, "</td><td>%s</td><td>", best->method);
            if (proven != NULL) text_printf(out, "%.1f %%", report_percent(best->cycles, *proven));
            text_string(out, "</td></tr>\n");
        } else {
            text_string(out, "nothing</td><td></td><td></td></tr>\n");
        }
    }
    text_string(out, "</tbody></table></div>\n");
}

void html_stream_summary(struct html_page *page, const struct wb_stream *stream) {
    const wb_report_options *options = &page->options;
    const wb_verdict verdict = wb_stream_judge(stream, options->has_deadline ? &options->deadline : NULL);
    const struct answer answer = answer_of(&verdict);
    page_open_section(page, "verdict", page->options.has_deadline ? "Verdict" : "Result");
    put_answer(page, &answer);
    put_kernels(page, stream, answer.is_proven ? &answer.proven : NULL);
    text_printf(&page->out,
                "<p>%zu kernel%s, one after another; the sum has the launch overheads of all of them, ",
                stream->kernels.count, plural(stream->kernels.count));
    page_cycles(page, stream_overhead(stream));
    if (stream_carried(stream) > 0) {
        text_string(&page->out, ", and what earlier kernels leave to be written back, ");
        page_cycles(page, stream_carried(stream));
    }
    text_string(&page->out, ". A kernel starts when the one before has ended, and finds the memory that its "
                            "launch describes.</p>\n");
    page_close_section(page);
}
