/* How text for people is laid out: lines of at most some width, and colours where they can be shown. */
#ifndef WB_REPORT_WRITE_LAYOUT_H
#define WB_REPORT_WRITE_LAYOUT_H

#include "base/base.h"
#include "warpbound.h"

struct layout {
    uint32_t width; /* characters of a line */
    bool color;     /* escape sequences are written */
};

enum layout_style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_GREEN, /* these bold, too */
    STYLE_RED,
    STYLE_YELLOW
};

/* Lines as long as they are, without colours. */
extern const struct layout layout_unlimited;

/* The layout that the options of a report ask for. */
struct layout layout_of(const wb_report_options *options);

/* Begins and ends what is shown in a style. */
void layout_begin(struct text *out, const struct layout *layout, enum layout_style style);
void layout_end(struct text *out, const struct layout *layout, enum layout_style style);

/* A piece of a line in a style. */
void layout_styled(struct text *out, const struct layout *layout, enum layout_style style, const char *words);

/* Appends words behind `column` characters that the line has already, and ends the line. What does not fit
 * goes on in lines that begin with `indent` spaces; a word that is longer than a line is cut. */
void layout_words(struct text *out, const struct layout *layout, uint32_t column, uint32_t indent,
                  const char *words);

/* The same of the words that a format makes, from the start of a line. */
void layout_printf(struct text *out, const struct layout *layout, uint32_t indent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Lines that are there already, each laid out in this way; empty ones stay. */
void layout_lines(struct text *out, const struct layout *layout, uint32_t indent, const char *lines);

#endif
