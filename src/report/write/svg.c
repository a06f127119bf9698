#include "report/write/svg.h"

#include <assert.h>
#include <inttypes.h>

const char *const svg_colours[SVG_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#56b4e9", "#e69f00", "#444444"};

void svg_begin(struct text *out, int64_t width, int64_t height, int font_size) {
    assert(width > 0 && height > 0 && font_size > 0);
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %" PRId64 " %" PRId64
                "\" width=\"%" PRId64 "\" height=\"%" PRId64
                "\" font-family=\"sans-serif\" font-size=\"%d\" fill=\"#222\">\n",
                width, height, width, height, font_size);
    text_printf(out, "<rect width=\"%" PRId64 "\" height=\"%" PRId64 "\" fill=\"#fff\"/>\n", width, height);
}

void svg_end(struct text *out) {
    text_string(out, "</svg>\n");
}

void svg_text(struct text *out, int64_t x, int64_t y, const char *attributes) {
    text_printf(out, "<text x=\"%" PRId64 "\" y=\"%" PRId64 "\"%s>", x, y, attributes);
}

void svg_text_end(struct text *out) {
    text_string(out, "</text>\n");
}

void svg_line(struct text *out, int64_t x1, int64_t y1, int64_t x2, int64_t y2, const char *stroke) {
    text_printf(out,
                "<line x1=\"%" PRId64 "\" y1=\"%" PRId64 "\" x2=\"%" PRId64 "\" y2=\"%" PRId64
                "\" stroke=\"%s\"/>\n",
                x1, y1, x2, y2, stroke);
}

void svg_rect(struct text *out, int64_t x, int64_t y, int64_t width, int64_t height, const char *fill) {
    text_printf(out,
                "<rect x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%" PRId64 "\" height=\"%" PRId64
                "\" fill=\"%s\"/>",
                x, y, width, height, fill);
}
