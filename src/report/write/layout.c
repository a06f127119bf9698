#include "report/write/write.h"

#include <string.h>

/* The width where there is no terminal. */
#define WIDTH_USUAL 80u

/* A line has room for some words behind what it is indented by. */
#define WIDTH_LEAST 40u

const struct layout layout_unlimited = {.width = UINT32_MAX};

struct layout layout_of(const wb_report_options *options) {
    const uint32_t width = options->width == 0 ? WIDTH_USUAL : options->width;
    return (struct layout){width < WIDTH_LEAST ? WIDTH_LEAST : width, options->color};
}

/* ---- Styles -------------------------------------------------------------------------------------------- */

static const char *const sequences[] = {
    [STYLE_PLAIN] = "",           [STYLE_BOLD] = "\033[1m",   [STYLE_DIM] = "\033[2m",
    [STYLE_GREEN] = "\033[1;32m", [STYLE_RED] = "\033[1;31m", [STYLE_YELLOW] = "\033[1;33m"};

void layout_begin(struct text *out, const struct layout *layout, enum layout_style style) {
    if (layout->color) text_string(out, sequences[style]);
}

void layout_end(struct text *out, const struct layout *layout, enum layout_style style) {
    if (layout->color && style != STYLE_PLAIN) text_string(out, "\033[0m");
}

void layout_styled(struct text *out, const struct layout *layout, enum layout_style style,
                   const char *words) {
    layout_begin(out, layout, style);
    text_string(out, words);
    layout_end(out, layout, style);
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

/* A line that is being filled. */
struct line {
    struct text *out;
    uint32_t width, indent, column;
    bool fresh; /* nothing but spaces is in it */
};

static void begin_line(struct line *line) {
    text_char(line->out, '\n');
    for (uint32_t i = 0; i < line->indent; i++)
        text_char(line->out, ' ');
    line->column = line->indent;
    line->fresh = true;
}

/* Bytes of the first character. */
static size_t character(const char *words, size_t length) {
    uint32_t point;
    const size_t bytes = utf8_decode(words, length, &point);
    return bytes > 0 ? bytes : 1;
}

static uint32_t width_of(const char *words, size_t length) {
    uint32_t width = 0;
    for (size_t i = 0; i < length; i += character(words + i, length - i))
        width++;
    return width;
}

/* A word that is longer than any line goes on in the next. */
static void put_word(struct line *line, const char *word, size_t length) {
    for (size_t i = 0, bytes; i < length; i += bytes) {
        bytes = character(word + i, length - i);
        if (line->column >= line->width) begin_line(line);
        text_append(line->out, word + i, bytes);
        line->column++;
    }
    line->fresh = false;
}

/* Where the word ends that starts here: a sign of percent belongs to its number. */
static size_t word_end(const char *words, size_t start, size_t length) {
    size_t end = start;
    while (end < length && (words[end] != ' ' || (end + 1 < length && words[end + 1] == '%')))
        end++;
    return end;
}

static void put_words(struct line *line, const char *words, size_t length) {
    for (size_t at = 0; at < length;) {
        const size_t gap = strspn(words + at, " "), start = at + gap;
        const size_t end = word_end(words, start, length);
        if (start >= length) return;
        const uint32_t width = width_of(words + start, end - start);
        const bool fits = line->column + gap + width <= line->width;
        if (!fits && !line->fresh) {
            begin_line(line);
        } else if (!line->fresh || line->column == 0) {
            for (size_t i = 0; i < gap; i++)
                text_char(line->out, ' ');
            line->column += (uint32_t)gap;
        }
        put_word(line, words + start, end - start);
        at = end;
    }
}

void layout_wrap(struct text *out, const struct layout *layout, size_t start, uint32_t column,
                 uint32_t indent) {
    struct text words = {0};
    if (out->failed || out->length == start) return;
    text_append(&words, out->data + start, out->length - start);
    out->failed |= words.failed;
    out->length = start;
    for (const char *at = words.failed ? "" : words.data; *at != '\0'; column = 0) {
        const size_t length = strcspn(at, "\n");
        struct line line = {out, layout->width, indent, column, column == 0};
        put_words(&line, at, length);
        text_char(out, '\n');
        at += length + (at[length] == '\n');
    }
    text_free(&words);
}

void layout_printf(struct text *out, const struct layout *layout, uint32_t indent, const char *format, ...) {
    const size_t start = out->length;
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(out, format, arguments);
    va_end(arguments);
    layout_wrap(out, layout, start, 0, indent);
}
