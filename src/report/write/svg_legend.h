/* How series of charts look, and the list that says which is which. */
#ifndef WB_REPORT_WRITE_SVG_LEGEND_H
#define WB_REPORT_WRITE_SVG_LEGEND_H

#include <stdbool.h>

#include "base/base.h"
#include "report/write/svg.h"

enum {
    SVG_LEGEND_GAP = 24, /* between a chart and its legend */
    SVG_LEGEND_STEP = 22 /* from line to line */
};

/* The sample in front of a name. */
enum svg_sample { SVG_SAMPLE_LINE, SVG_SAMPLE_MARKER, SVG_SAMPLE_BAR };

struct svg_look {
    const char *name;
    unsigned colour; /* of svg_colours; chooses the marker, too */
    bool dashed;     /* with hollow markers */
    enum svg_sample sample;
};

/* A text; `attributes` says how it looks. */
void svg_label(struct text *out, const char *attributes, double x, double y, const char *string);

/* A text that reads upwards, around its place. */
void svg_label_upwards(struct text *out, double x, double y, const char *string);

/* Opens the group that gives a series its looks; `</g>` closes it. */
void svg_open_look(struct text *out, unsigned colour, bool dashed);

/* The attribute of its lines. */
const char *svg_dashes(bool dashed);

/* A marker in such a group. */
void svg_marker(struct text *out, double x, double y, unsigned colour);

/* A line of the legend, whose left end is at x. */
void svg_legend_line(struct text *out, double x, double y, const struct svg_look *look);

/* The room that a line with such a name takes. */
int svg_legend_width(const char *name);

#endif
