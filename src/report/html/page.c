#include "report/html/page.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "ptx/ptx.h"
#include "report/parts/bounds.h"

/* The style or the script. */
static const char *page_file(const char *name) {
    const struct embedded_file *file = embedded_html_page;
    while (file->name != NULL && strcmp(file->name, name) != 0)
        file++;
    assert(file->name != NULL);
    return file->text;
}

void page_begin(struct html_page *page, const char *title) {
    struct text *out = &page->out;
    text_string(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>");
    xml_text(out, title);
    text_string(out, " \xe2\x80\x93 Warpbound</title>\n<style>\n");
    text_string(out, page_file("style"));
    text_string(out, "</style>\n</head>\n<body>\n<main>\n");
}

void page_end(struct html_page *page) {
    struct text *out = &page->out;
    text_string(out, "</main>\n<footer>Warpbound ");
    xml_text(out, wb_version());
    text_string(out, "</footer>\n<script>\n");
    text_string(out, page_file("script"));
    text_string(out, "</script>\n</body>\n</html>\n");
}

/* An id of the launch. */
static void put_id(struct html_page *page, const char *id) {
    text_string(&page->out, id);
    if (page->launch > 0) text_printf(&page->out, "-%zu", page->launch);
}

void page_id(struct html_page *page, const char *id) {
    text_string(&page->out, " id=\"");
    put_id(page, id);
    text_char(&page->out, '"');
}

void page_open_section(struct html_page *page, const char *id, const char *title) {
    struct text *out = &page->out;
    const int level = page->launch > 0 ? 3 : 2;
    text_string(out, "<section");
    page_id(page, id);
    text_string(out, " aria-labelledby=\"h-");
    put_id(page, id);
    text_printf(out, "\">\n<h%d id=\"h-", level);
    put_id(page, id);
    text_string(out, "\">");
    xml_text(out, title);
    text_printf(out, "</h%d>\n", level);
}

void page_close_section(struct html_page *page) {
    text_string(&page->out, "</section>\n");
}

void page_name(struct html_page *page, const char *name) {
    char *readable = demangle(name);
    xml_text(&page->out, readable != NULL ? readable : name);
    free(readable);
}

void page_count(struct html_page *page, uint64_t number) {
    char digits[24];
    const int length = text_format(digits, sizeof digits, "%" PRIu64, number);
    const int first = length <= 4 ? length : (length - 1) % 3 + 1;
    text_string(&page->out, "<span class=\"n\">");
    text_append(&page->out, digits, (size_t)first);
    for (int at = first; at < length; at += 3) {
        text_string(&page->out, "<i>");
        text_append(&page->out, digits + at, 3);
        text_string(&page->out, "</i>");
    }
    text_string(&page->out, "</span>");
}

void page_cycles(struct html_page *page, uint64_t time) {
    page_count(page, time);
    text_printf(&page->out, " cycle%s (", time == 1 ? "" : "s");
    report_put_time(&page->out, page->clock_mhz, time);
    text_char(&page->out, ')');
}

void page_share(struct html_page *page, double part, double whole) {
    text_printf(&page->out, "%.2f%%", whole > 0 ? 100.0 * part / whole : 0.0);
}

/* An element with text. */
static void put_element(struct html_page *page, const char *name, const char *class, const char *format,
                        va_list arguments) {
    struct text words = {0};
    text_vprintf(&words, format, arguments);
    text_printf(&page->out, "<%s class=\"%s\">", name, class);
    xml_text(&page->out, words.data);
    text_printf(&page->out, "</%s>\n", name);
    page->out.failed |= words.failed;
    text_free(&words);
}

void page_subheading(struct html_page *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_element(page, page->launch > 0 ? "h4" : "h3", "sub", format, arguments);
    va_end(arguments);
}

void page_note(struct html_page *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_element(page, "p", "note", format, arguments);
    va_end(arguments);
}

/* The distance of marks: 1, 2 or 5 times a power of ten, for 4 to 10 of them. */
static uint64_t step_of(uint64_t end) {
    static const uint64_t steps[] = {1, 2, 5};
    uint64_t power = 1;
    while (power <= end / 100)
        power *= 10;
    for (size_t i = 0;; i++) {
        const uint64_t step = steps[i % 3] * power;
        if (end / step < 5) return step;
        if (i % 3 == 2) power *= 10;
    }
}

void page_axis(struct html_page *page, uint64_t end) {
    struct text *out = &page->out;
    const uint64_t step = step_of(end);
    text_string(out, "<div class=\"axis\" aria-hidden=\"true\"><div class=\"track\">");
    for (uint64_t at = 0; at <= end && end - at >= step / 2; at += step) {
        text_string(out, "<span style=\"left:");
        page_share(page, (double)at, (double)end);
        text_string(out, "\">");
        page_count(page, at);
        text_string(out, "</span>");
    }
    text_string(out, "</div></div>\n");
}

void page_note_failure(struct html_page *page, const wb_diagnostics *messages) {
    if (messages->no_memory || messages->rendered.failed) page->out.failed = true;
}

void page_reason(struct html_page *page, const char *what, const wb_diagnostics *messages) {
    const char *text = wb_diagnostics_text(messages), *start = strstr(text, "error: ");
    start = start != NULL ? start + strlen("error: ") : text;
    const int length = (int)strcspn(start, "\n");
    page_note(page, "%s%s%.*s.", what, length > 0 ? ": " : "", length, start);
}

/* A parser of HTML looks for the end of a script before JSON is read: `<` stands in it as JSON's own escape,
 * and so do the two line ends that older scripts have and JSON has not. */
static void put_json_inside(struct text *out, const char *json, size_t length) {
    static const char separators[] = "\xe2\x80";
    for (size_t i = 0; i < length; i++) {
        const bool is_separator = length - i >= 3 && memcmp(json + i, separators, 2) == 0 &&
                                  (json[i + 2] == '\xa8' || json[i + 2] == '\xa9');
        if (json[i] == '<' || json[i] == '>' || json[i] == '&') {
            text_printf(out, "\\u%04x", (unsigned)json[i]);
        } else if (is_separator) {
            text_printf(out, "\\u202%c", json[i + 2] == '\xa8' ? '8' : '9');
            i += 2;
        } else {
            text_char(out, json[i]);
        }
    }
}

void page_data(struct html_page *page, const char *id, struct text *json) {
    struct text *out = &page->out;
    text_string(out, "<script type=\"application/json\"");
    page_id(page, id);
    text_char(out, '>');
    if (!json->failed) put_json_inside(out, json->data, json->length);
    text_string(out, "</script>\n");
    out->failed |= json->failed;
    text_free(json);
}
