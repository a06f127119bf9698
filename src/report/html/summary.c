/* The first section: the verdict, and what it is about. */
#include "report/html/page.h"

#include <inttypes.h>
#include <string.h>

#include "bound/analysis/stream.h"
#include "bound/analysis/verdict.h"
#include "report/analysis/analysis.h"
#include "report/parts/bounds.h"
#include "report/parts/verdict.h"
#include "report/write/output.h"

/* The state in a word, and in a sentence; in colour as well, but not only. */
static void put_line(struct html_page *page, const wb_verdict *verdict) {
    const struct verdict_words words = {page->clock_mhz, page->options.unit, true};
    struct text *out = &page->out, line = {0};
    verdict_put_line(&line, verdict, &words);
    out->failed |= line.failed;
    if (!out->failed) {
        const size_t state = strcspn(line.data, ":");
        const char *sentence = line.data + state + strspn(line.data + state, ": ");
        text_string(out, "<p class=\"word\"><strong>");
        xml_text_part(out, line.data, state);
        text_string(out, "</strong> <span>");
        xml_text(out, sentence);
        text_string(out, "</span></p>\n");
    }
    text_free(&line);
}

/* What a state means, where the line does not say. */
static const char *meaning_of(const wb_verdict *verdict) {
    switch (verdict->state) {
    case WB_MET:
        return verdict->model == WB_MODEL_NONE
                   ? "Proven: no execution takes longer than the deadline."
                   : "Proven in the model alone, which was accepted as what the deadline is about.";
    case WB_MODEL_ONLY: return "Nothing is proven of the code that runs: only a model meets the deadline.";
    case WB_CONTRADICTION: return "One of the two numbers is wrong. Nothing here is a bound.";
    case WB_MISSED: return "Refuted: an execution was found that takes longer than the deadline.";
    case WB_OPEN:
        return "Neither proven nor refuted: no execution that was found takes longer than the deadline.";
    case WB_BLOCK_ONLY: return "The deadline is of the kernel, and only a block of it was bounded.";
    case WB_BOUNDED:
    case WB_UNPROVEN: break;
    }
    return NULL;
}

static void open_figure(struct html_page *page, const char *name) {
    text_printf(&page->out, "<div><dt>%s</dt><dd>", name);
}

static void close_figure(struct html_page *page) {
    text_string(&page->out, "</dd></div>\n");
}

static void put_bound(struct html_page *page, const wb_verdict *verdict) {
    open_figure(page, "Proven, at most");
    if (verdict->is_bounded)
        page_cycles(page, verdict->cycles);
    else
        text_string(&page->out, "nothing");
    if (verdict->is_bounded && verdict->bound != NULL)
        text_printf(&page->out, ", by %s", verdict->bound->method);
    close_figure(page);
}

static void put_slowest(struct html_page *page, const wb_slowest *slowest) {
    open_figure(page, "Slowest execution found");
    if (slowest->cycles > 0) {
        page_cycles(page, slowest->cycles);
        if (slowest->name != NULL)
            text_printf(&page->out, ", %s %s", slowest->kind == WB_SIMULATED ? "simulated under" : "by",
                        slowest->name);
        if (slowest->with_data) text_string(&page->out, ", with the data that the launch gives");
    } else {
        text_string(&page->out, "none");
    }
    close_figure(page);
}

/* A sentence on machine code as a paragraph. */
static void put_sentence(struct html_page *page, const wb_verdict *verdict, const char *about,
                         void put(struct text *out, const wb_verdict *verdict)) {
    struct text sentence = {0};
    put(&sentence, verdict);
    page->out.failed |= sentence.failed;
    text_printf(&page->out, "<p>%s: ", about);
    if (sentence.data != NULL) xml_text(&page->out, sentence.data);
    text_string(&page->out, "</p>\n");
    text_free(&sentence);
}

static void put_verdict(struct html_page *page, const wb_verdict *verdict) {
    struct text *out = &page->out;
    text_printf(out, "<div class=\"verdict %s\">\n", wb_state_name(verdict->state));
    put_line(page, verdict);
    if (meaning_of(verdict) != NULL) text_printf(out, "<p>%s</p>\n", meaning_of(verdict));
    if (verdict_model(verdict->model) != NULL)
        text_printf(out, "<p>Scope: %s.</p>\n", verdict_model(verdict->model));
    if (verdict->stalls != NULL) put_sentence(page, verdict, "Machine code", verdict_put_stalls);
    if (verdict->code.cycles > 0) put_sentence(page, verdict, "Machine code, executed", verdict_put_code);
    if (verdict->judged != NULL && verdict->refuted != NULL)
        put_sentence(page, verdict, "Refuted", verdict_put_refuted);
    text_string(out, "<dl class=\"figures\">\n");
    put_bound(page, verdict);
    if (verdict->has_deadline) {
        open_figure(page, "Deadline");
        page_cycles(page, verdict->deadline);
        close_figure(page);
    }
    put_slowest(page, &verdict->slowest);
    if (verdict->overhead > 0) {
        open_figure(page, "Launch overhead in all of these");
        page_cycles(page, verdict->overhead);
        close_figure(page);
    }
    text_string(out, "</dl>\n</div>\n");
}

/* The lines of a text report's heading, "key      value", as a list; a line without a key goes on with the
 * one before it. */
static void put_heading(struct html_page *page, const struct wb_analysis *analysis) {
    struct text heading = {0}, *out = &page->out;
    report_heading_put(&heading, analysis, true);
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
    page_open_section(page, "verdict", page->options.has_deadline ? "Verdict" : "Result");
    put_verdict(page, &verdict);
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
        page_name(page, grid->kernel != NULL ? wb_kernel_name(grid->kernel) : "by hand");
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
    page_open_section(page, "verdict", page->options.has_deadline ? "Verdict" : "Result");
    put_verdict(page, &verdict);
    put_kernels(page, stream, verdict.is_bounded ? &verdict.cycles : NULL);
    text_printf(&page->out, "<p>%zu kernel%s, one after another", stream->kernels.count,
                plural(stream->kernels.count));
    if (stream_overhead(stream) > 0) {
        text_string(&page->out, "; the sum has the launch overheads of all of them, ");
        page_cycles(page, stream_overhead(stream));
    }
    if (stream_carried(stream) > 0) {
        text_string(&page->out, ", and what earlier kernels leave to be written back, ");
        page_cycles(page, stream_carried(stream));
    }
    text_string(&page->out, ". A kernel starts when the one before has ended, and finds the memory that its "
                            "launch describes.</p>\n");
    page_close_section(page);
}
