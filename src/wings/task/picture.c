/* A picture of a task: each node from when those before it have ended at the latest to its own end. */
#include <inttypes.h>

#include "report/parts/parts.h"
#include "report/write/svg.h"
#include "report/write/svg_axis.h"
#include "report/write/xml.h"
#include "wings/task/task.h"

enum { WIDTH = 900, NAMES = 150, RIGHT = 20, TOP = 30, ROW = 26, BAR = 16, BOTTOM = 44, SHORT = 70 };

/* Of svg_colours: orange, and the paler blue. */
enum { CRITICAL = 5, OTHER = 4 };

struct picture {
    const wb_task *task;
    struct svg_axis axis; /* in microseconds */
    struct text *out;
};

static double microseconds(const struct picture *picture, cycles time) {
    return (double)time / picture->task->machine->clock_mhz;
}

static int64_t x_of(const struct picture *picture, cycles time) {
    const double part = svg_axis_part(&picture->axis, microseconds(picture, time));
    return NAMES + (int64_t)(part * (WIDTH - NAMES - RIGHT) + 0.5);
}

static int64_t y_of(size_t row) {
    return TOP + (int64_t)row * ROW;
}

static void draw_axis(const struct picture *picture, int64_t bottom) {
    for (size_t t = 0; t < picture->axis.tick_count; t++) {
        const double tick = picture->axis.ticks[t];
        const double part = svg_axis_part(&picture->axis, tick);
        const int64_t x = NAMES + (int64_t)(part * (WIDTH - NAMES - RIGHT) + 0.5);
        char label[SVG_NUMBER_MAX];
        svg_axis_label(&picture->axis, tick, label);
        svg_line(picture->out, x, TOP - 8, x, bottom, SVG_PALE);
        svg_text(picture->out, x, bottom + 16, SVG_MIDDLE);
        text_string(picture->out, label);
        svg_text_end(picture->out);
    }
    svg_text(picture->out, NAMES + (WIDTH - NAMES - RIGHT) / 2, bottom + 36, SVG_MIDDLE);
    text_string(picture->out,
                "us from the start of the task, at most; orange: the longest path; grey: added by others");
    svg_text_end(picture->out);
}

/* Its own time, and in a paler colour what others add; a line leads from the node that it waits for. */
static void draw_node(const struct picture *picture, size_t row) {
    const struct task_node *node = &picture->task->nodes.items[row];
    const bool waits = node->waits_for != TASK_NODES_MAX;
    const cycles start = waits ? picture->task->nodes.items[node->waits_for].end : 0;
    const int64_t from = x_of(picture, start), to = x_of(picture, node->end), y = y_of(row);
    const cycles own_end = cycles_min(node->end, cycles_add(start, cycles_add(node->time, node->overhead)));
    const char *colour = svg_colours[node->critical ? CRITICAL : OTHER];
    const int64_t own = x_of(picture, own_end);
    if (waits) svg_line(picture->out, from, y_of(node->waits_for) + BAR / 2, from, y + BAR / 2, colour);
    svg_text(picture->out, NAMES - 10, y + BAR - 4,
             node->critical ? SVG_END " font-weight=\"bold\"" : SVG_END);
    xml_text(picture->out, node->name);
    svg_text_end(picture->out);
    svg_rect(picture->out, from, y, to > from ? to - from : 1, BAR, SVG_PALE);
    svg_rect(picture->out, from, y, own > from ? own - from : 1, BAR, colour);
    svg_text(picture->out, to - from < SHORT ? to + 4 : from + 4, y + BAR - 4,
             " fill=\"#000\" font-size=\"11\"");
    report_put_time(picture->out, picture->task->machine->clock_mhz, node->end - start);
    svg_text_end(picture->out);
}

void task_picture(const wb_task *task, const cycles *deadline, struct text *out) {
    const int64_t bottom = y_of(task->nodes.count);
    const cycles last = deadline != NULL ? cycles_max(task->time, *deadline) : task->time;
    struct picture picture = {.task = task, .out = out};
    picture.axis = svg_axis_linear(0, microseconds(&picture, last));
    svg_begin(out, WIDTH, bottom + BOTTOM, 12);
    draw_axis(&picture, bottom);
    for (size_t n = 0; n < task->nodes.count; n++)
        draw_node(&picture, n);
    if (deadline != NULL) {
        const int64_t x = x_of(&picture, *deadline);
        svg_line(out, x, TOP - 8, x, bottom, "#000");
        svg_text(out, x, TOP - 12, SVG_END);
        text_string(out, "deadline");
        svg_text_end(out);
    }
    svg_end(out);
}
