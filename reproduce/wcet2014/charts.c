#include "charts.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/write/svg_chart.h"

void chart_windows(struct text *out, const struct study *study) {
    double with[2 * ROWS], without[2 * ROWS];
    const char *labels[2 * ROWS];
    char texts[ROWS][16];
    for (unsigned row = 0; row < ROWS; row++) {
        (void)snprintf(texts[row], sizeof texts[row], "%u", row + 1);
        labels[2 * row] = texts[row];
        labels[2 * row + 1] = "";
        with[2 * row] = (double)study->windows.before[row];
        with[2 * row + 1] = (double)study->windows.behind[row];
        without[2 * row] = without[2 * row + 1] = (double)study->windows.without[row];
    }
    const struct svg_series series[] = {
        {.name = "TriangleSum", .values = with, .colour = 0},
        {.name = "without its barriers", .values = without, .colour = 1, .dashed = true},
    };
    const struct svg_chart chart = {.title = "Analysis window before and behind each barrier",
                                    .x_title = "row of the matrix",
                                    .y_title = "cycles of T_instr",
                                    .x_labels = labels,
                                    .point_count = 2 * (size_t)ROWS,
                                    .series = series,
                                    .series_count = 2};
    svg_chart(out, &chart);
}

void chart_interleavings(struct text *out, const struct study *study) {
    const wb_bound *turns = study_bound(study->analysis, "abstract-cta-rr");
    double most[ROWS + 1], least[ROWS + 1], sum_most = 0, sum_least = 0;
    const char *labels[ROWS + 1];
    char texts[ROWS + 1][16];
    unsigned row = 0;
    for (size_t i = 0; i < turns->window_count; i++) {
        for (uint64_t k = 0; k < turns->windows[i].count && row <= ROWS; k++, row++) {
            most[row] = sum_most += (double)turns->windows[i].cycles;
            least[row] = sum_least += (double)turns->windows[i].least;
            (void)snprintf(texts[row], sizeof texts[row], row < ROWS ? "%u" : "end", row + 1);
            labels[row] = texts[row];
        }
    }
    const struct svg_series series[] = {
        {.name = "longest interleavings", .values = most, .colour = 0},
        {.name = "shortest interleavings", .values = least, .colour = 2, .dashed = true},
    };
    const struct svg_chart chart = {.title = "TriangleSum in turns: when each barrier releases the warps",
                                    .x_title = "barrier",
                                    .y_title = "cycles",
                                    .x_labels = labels,
                                    .point_count = row,
                                    .series = series,
                                    .series_count = 2};
    svg_chart(out, &chart);
}

/* ---- The abstract warp ------------------------------------------------------------------------------------
 */

/* The layout, in pixels. */
enum {
    BOX_WIDTH = 92,
    BOX_HEIGHT = 46,
    OVAL_WIDTH = 84,
    BAR_WIDTH = 14,
    GAP = 26,
    RISE = 74, /* from a line to the sides of a branch above it, and to the way back of a loop */
    MARGIN = 20
};

struct drawing {
    struct text *out; /* NULL: only measured */
    const struct acta_warp *warp;
};

static void put_line(const struct drawing *drawing, int x1, int y1, int x2, int y2) {
    if (drawing->out != NULL) text_printf(drawing->out, "<path d=\"M%d,%d L%d,%d\"/>\n", x1, y1, x2, y2);
}

static void put_words(const struct drawing *drawing, int x, int y, const char *words) {
    if (drawing->out != NULL)
        text_printf(drawing->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" %s>%s</text>\n", x, y,
                    "stroke=\"none\" fill=\"#222\"", words);
}

/* Each draws what begins at (x, y), the height of the line through it, and returns where it ends. */
static int put_time(const struct drawing *drawing, const struct acta_node *node, int x, int y) {
    char words[64];
    if (drawing->out != NULL)
        text_printf(drawing->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#e8f1f8\"/>\n",
                    x, y - BOX_HEIGHT / 2, BOX_WIDTH, BOX_HEIGHT);
    (void)snprintf(words, sizeof words, "T_instr = %" PRIu64, node->instr);
    put_words(drawing, x + BOX_WIDTH / 2, y - 5, words);
    (void)snprintf(words, sizeof words, "T_shift = %" PRIu64, node->shift);
    put_words(drawing, x + BOX_WIDTH / 2, y + 14, words);
    return x + BOX_WIDTH;
}

static int put_memory(const struct drawing *drawing, const struct acta_node *node, int x, int y) {
    if (drawing->out != NULL)
        text_printf(drawing->out, "<ellipse cx=\"%d\" cy=\"%d\" rx=\"%d\" ry=\"%d\" fill=\"#fbeee4\"/>\n",
                    x + OVAL_WIDTH / 2, y, OVAL_WIDTH / 2, BOX_HEIGHT / 2);
    put_words(drawing, x + OVAL_WIDTH / 2, y + 5, node->is_store ? "store" : "memory");
    return x + OVAL_WIDTH;
}

static int put_barrier(const struct drawing *drawing, int x, int y) {
    if (drawing->out != NULL)
        text_printf(drawing->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#444\"/>\n", x,
                    y - BOX_HEIGHT / 2, BAR_WIDTH, BOX_HEIGHT);
    put_words(drawing, x + BAR_WIDTH / 2, y + BOX_HEIGHT / 2 + 18, "barrier");
    return x + BAR_WIDTH;
}

static int put_sequence(const struct drawing *drawing, uint32_t first, int x, int y);

/* The first side above the line, the second, or nothing, on it. */
static int put_branch(const struct drawing *drawing, const struct acta_node *branch, int x, int y) {
    const int above = put_sequence(drawing, branch->side[0], x + GAP, y - RISE);
    const int below = put_sequence(drawing, branch->side[1], x + GAP, y);
    const int end = (above > below ? above : below) + GAP;
    put_line(drawing, x, y, x + GAP, y - RISE);
    put_line(drawing, above, y - RISE, end - GAP, y - RISE);
    put_line(drawing, end - GAP, y - RISE, end, y);
    put_line(drawing, x, y, x + GAP, y);
    put_line(drawing, below, y, end, y);
    return end;
}

/* The part up to the test and the rest, the way back under them, and the way out under that. */
static int put_loop(const struct drawing *drawing, const struct acta_node *loop, int x, int y) {
    const int test = put_sequence(drawing, loop->side[0], x, y);
    put_line(drawing, test, y, test + GAP, y);
    const int end = put_sequence(drawing, loop->side[1], test + GAP, y);
    const int out = end + GAP;
    put_line(drawing, end, y, end + GAP / 2, y + RISE);
    put_line(drawing, end + GAP / 2, y + RISE, x - GAP / 2, y + RISE);
    put_line(drawing, x - GAP / 2, y + RISE, x, y);
    put_line(drawing, test, y, test + GAP / 2, y + RISE + RISE / 2);
    put_line(drawing, test + GAP / 2, y + RISE + RISE / 2, out - GAP / 2, y + RISE + RISE / 2);
    put_line(drawing, out - GAP / 2, y + RISE + RISE / 2, out, y);
    put_words(drawing, (x + test) / 2, y + RISE - 8, "again");
    put_words(drawing, (test + out) / 2, y + RISE + RISE / 2 - 8, "out");
    return out;
}

static int put_node(const struct drawing *drawing, const struct acta_node *node, int x, int y) {
    switch ((enum acta_kind)node->kind) {
    case ACTA_TIME: return put_time(drawing, node, x, y);
    case ACTA_MEMORY: return put_memory(drawing, node, x, y);
    case ACTA_BARRIER: return put_barrier(drawing, x, y);
    case ACTA_BRANCH: return put_branch(drawing, node, x, y);
    case ACTA_LOOP: break;
    }
    return put_loop(drawing, node, x, y);
}

static int put_sequence(const struct drawing *drawing, uint32_t first, int x, int y) {
    for (uint32_t i = first; i != ACTA_NONE; i = drawing->warp->nodes.items[i].next) {
        const struct acta_node *node = &drawing->warp->nodes.items[i];
        x = put_node(drawing, node, x, y);
        if (node->next == ACTA_NONE) return x;
        put_line(drawing, x, y, x + GAP, y);
        x += GAP;
    }
    return x;
}

void chart_abstract_warp(struct text *out, const struct acta_warp *warp) {
    const int y = MARGIN + RISE + BOX_HEIGHT;
    const struct drawing measured = {NULL, warp}, drawn = {out, warp};
    const int width = put_sequence(&measured, warp->first, MARGIN, y) + MARGIN;
    const int height = y + RISE + RISE / 2 + MARGIN;
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "font-family=\"sans-serif\" font-size=\"14\">\n"
                "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
                "<g fill=\"none\" stroke=\"#444\" stroke-width=\"1.5\">\n",
                width, height, width, height, width, height);
    (void)put_sequence(&drawn, warp->first, MARGIN, y);
    text_string(out, "</g>\n</svg>\n");
}
