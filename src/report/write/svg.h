/* Drawing of pictures (SVG). */
#ifndef WB_REPORT_WRITE_SVG_H
#define WB_REPORT_WRITE_SVG_H

#include <stdint.h>

#include "base/base.h"

/* The colours of Okabe and Ito, without the yellow that is pale on white, and grey: they tell things apart
 * also for the colour-blind. */
#define SVG_COLOURS 7u
extern const char *const svg_colours[SVG_COLOURS];

/* The colours of thin lines under a picture. */
#define SVG_PALE "#ddd"

/* Opens a picture of that size on white ground; svg_end closes it. */
void svg_begin(struct text *out, int64_t width, int64_t height, int font_size);
void svg_end(struct text *out);

/* Opens a text element at a place; what is appended then stands in it, up to svg_text_end. `attributes` are
 * "" or begin with a blank. */
#define SVG_MIDDLE " text-anchor=\"middle\""
#define SVG_END " text-anchor=\"end\""
#define SVG_TITLE " font-size=\"14\" font-weight=\"bold\""
void svg_text(struct text *out, int64_t x, int64_t y, const char *attributes);
void svg_text_end(struct text *out);

void svg_line(struct text *out, int64_t x1, int64_t y1, int64_t x2, int64_t y2, const char *stroke);

/* A filled rectangle. */
void svg_rect(struct text *out, int64_t x, int64_t y, int64_t width, int64_t height, const char *fill);

#endif
