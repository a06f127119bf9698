/* What the numbers rest on, what was given, and how the report is made again. */
#include "report/html/page.h"

#include <string.h>

#include "report/parts/bounds.h"

/* One assumption with the name that it has everywhere. */
static void put_assumption(struct html_page *page, wb_assumption what) {
    text_printf(&page->out, "<li><span class=\"id\">%s</span> ", wb_assumption_id(what));
    xml_text(&page->out, wb_assumption_text(what));
    text_string(&page->out, "</li>\n");
}

/* Assumptions by their groups, in the order in which these are met. */
static void put_assumptions(struct html_page *page, const wb_assumption *assumptions, size_t count) {
    struct text *out = &page->out;
    bool put[WB_ASSUMPTION_COUNT] = {false};
    text_string(out, "<dl class=\"conditions\">\n");
    for (size_t i = 0; i < count; i++) {
        const char *group = wb_assumption_group(assumptions[i]);
        if (put[assumptions[i]]) continue;
        text_printf(out, "<div><dt>%s</dt><dd><ul>\n", group);
        for (size_t other = i; other < count; other++) {
            if (strcmp(wb_assumption_group(assumptions[other]), group) != 0) continue;
            put[assumptions[other]] = true;
            put_assumption(page, assumptions[other]);
        }
        text_string(out, "</ul></dd></div>\n");
    }
    text_string(out, "</dl>\n");
}

/* A method with what it rests on, folded. */
static void put_bound(struct html_page *page, const wb_bound *bound) {
    struct text *out = &page->out;
    text_printf(out, "<details><summary><b>%s</b> <span class=\"kind\">%s</span></summary>\n", bound->method,
                wb_kind_name(bound->kind));
    if (bound->reason != NULL) {
        text_string(out, "<p>");
        if (bound->kind == WB_ESTIMATE) text_string(out, "Not proven: ");
        xml_text(out, bound->reason);
        text_string(out, "</p>\n");
    }
    put_assumptions(page, bound->assumptions, bound->assumption_count);
    text_string(out, "</details>\n");
}

static void put_bounds(struct html_page *page, const struct wb_analysis *analysis) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++)
        put_bound(page, &bounds[i]);
}

/* Methods and policies without a result. */
static void put_declined(struct html_page *page, const struct wb_analysis *analysis) {
    struct text *out = &page->out;
    size_t count;
    const wb_declined *declined = wb_analysis_declined(analysis, &count);
    if (count == 0) return;
    text_string(out, "<details><summary>Methods and policies without a result</summary>\n<dl>\n");
    for (size_t i = 0; i < count; i++) {
        text_printf(out, "<dt><b>%s</b> <span class=\"kind\">%s</span></dt><dd>", declined[i].method,
                    report_declined_name(declined[i].status));
        xml_text(out, declined[i].reason);
        text_string(out, "</dd>\n");
    }
    text_string(out, "</dl></details>\n");
}

void html_conditions(struct html_page *page, const struct wb_analysis *analysis) {
    struct text *out = &page->out;
    const wb_bound *best = wb_analysis_best(analysis);
    page_open_section(page, "conditions", "What this rests on");
    if (best != NULL) {
        text_string(out, "<p>The bound of ");
        page_count(page, best->cycles);
        text_printf(out, " cycles (%s) holds if</p>\n", best->method);
        put_assumptions(page, best->assumptions, best->assumption_count);
    } else {
        text_string(out, "<p>No bound is proven.</p>\n");
    }
    text_string(out, "<p>Every number with what it rests on:</p>\n");
    put_bounds(page, analysis);
    put_declined(page, analysis);
    if (analysis->longest != NULL) {
        text_string(out, "<details><summary>Numbers of a block alone</summary>\n");
        put_bounds(page, analysis->longest);
        put_declined(page, analysis->longest);
        text_string(out, "</details>\n");
    }
    page_close_section(page);
}

/* A row for each text that was read, with its checksum. */
static void put_inputs(struct html_page *page, html_input_at at, const void *owner) {
    struct text *out = &page->out;
    const wb_input *input;
    text_string(out,
                "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Input</th>"
                "<th scope=\"col\">File</th><th scope=\"col\">Bytes</th><th scope=\"col\">SHA-256</th></tr>"
                "</thead><tbody>\n");
    for (size_t i = 0; (input = at(owner, i)) != NULL; i++) {
        text_printf(out, "<tr><td>%s</td><td>", wb_input_role_name(input->role));
        xml_text(out, input->path);
        text_string(out, "</td><td class=\"num\">");
        page_count(page, input->bytes);
        text_printf(out, "</td><td><code class=\"sum\">%s</code></td></tr>\n", input->sha256);
    }
    text_string(out, "</tbody></table></div>\n");
}

/* What overrode keys of the machine. */
static void put_settings(struct html_page *page, const struct wb_machine *machine) {
    struct text *out = &page->out;
    const char *setting;
    for (size_t i = 0; (setting = wb_machine_setting(machine, i)) != NULL; i++) {
        text_string(out, i == 0 ? "<p>Of the machine, set to other values: <code>" : "</code>, <code>");
        xml_text(out, setting);
    }
    if (wb_machine_setting(machine, 0) != NULL) text_string(out, "</code></p>\n");
}

void html_origin(struct html_page *page, const struct wb_machine *machine, html_input_at at,
                 const void *owner) {
    struct text *out = &page->out;
    page_open_section(page, "origin", "Where this comes from");
    text_string(out, "<p>Written by Warpbound ");
    xml_text(out, wb_version());
    text_string(out, " from</p>\n");
    put_inputs(page, at, owner);
    put_settings(page, machine);
    if (page->asked.command != NULL) {
        text_string(out, "<p>and made again by</p>\n<pre class=\"command\"><code>");
        xml_text(out, page->asked.command);
        text_string(out, "</code></pre>\n");
    }
    page_close_section(page);
}
