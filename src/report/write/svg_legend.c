#include "report/write/svg_legend.h"

#include <string.h>

#include "report/write/xml.h"

enum {
    NAMES_AT = 42, /* behind the samples */
    LETTER = 8     /* more than one takes on average */
};

/* The markers, drawn around the origin. */
static const char *const markers[SVG_COLOURS] = {
    "<circle r=\"4\"/>",
    "<rect x=\"-3.5\" y=\"-3.5\" width=\"7\" height=\"7\"/>",
    "<path d=\"M0,-5 L4.5,3.5 L-4.5,3.5 Z\"/>",
    "<path d=\"M0,-5 L5,0 L0,5 L-5,0 Z\"/>",
    "<path d=\"M0,5 L4.5,-3.5 L-4.5,-3.5 Z\"/>",
    "<path d=\"M0,-5 L0,5 M-5,0 L5,0\" fill=\"none\"/>",
    "<path d=\"M-4,-4 L4,4 M-4,4 L4,-4\" fill=\"none\"/>",
};

void svg_label(struct text *out, const char *attributes, double x, double y, const char *string) {
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    xml_text(out, string);
    text_string(out, "</text>\n");
}

void svg_label_upwards(struct text *out, double x, double y, const char *string) {
    text_printf(out, "<g transform=\"translate(%.0f,%.0f) rotate(-90)\">", x, y);
    svg_label(out, "text-anchor=\"middle\"", 0, 0, string);
    text_string(out, "</g>\n");
}

void svg_open_look(struct text *out, unsigned colour, bool dashed) {
    const char *stroke = svg_colours[colour];
    text_printf(out, "<g stroke=\"%s\" stroke-width=\"2\" fill=\"%s\">\n", stroke, dashed ? "#fff" : stroke);
}

const char *svg_dashes(bool dashed) {
    return dashed ? " stroke-dasharray=\"6 4\"" : "";
}

void svg_marker(struct text *out, double x, double y, unsigned colour) {
    text_printf(out, "<g transform=\"translate(%.1f,%.1f)\">%s</g>\n", x, y, markers[colour]);
}

void svg_legend_line(struct text *out, double x, double y, const struct svg_look *look) {
    svg_open_look(out, look->colour, look->dashed);
    if (look->sample == SVG_SAMPLE_BAR)
        text_printf(out, "<rect x=\"%.0f\" y=\"%.1f\" width=\"12\" height=\"12\" stroke-width=\"1\"/>\n",
                    x + 10, y - 6);
    if (look->sample == SVG_SAMPLE_LINE)
        text_printf(out, "<line x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\"%s/>\n", x, y, x + 32, y,
                    svg_dashes(look->dashed));
    if (look->sample != SVG_SAMPLE_BAR) svg_marker(out, x + 16, y, look->colour);
    text_string(out, "</g>\n");
    svg_label(out, "", x + NAMES_AT, y + 4, look->name);
}

int svg_legend_width(const char *name) {
    return NAMES_AT + ((int)strlen(name) + 1) * LETTER;
}
