/* A short schedule as a picture: a row an instruction, warp by warp, from its issue over its initiation, in
 * the colour of its unit, to its result. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/schedule/schedule.h"
#include "report/write/svg.h"

/* What a picture has room for. */
enum { ROWS_MAX = 400, CYCLES_MAX = 4000 };

/* The layout, in pixels. */
enum {
    LEFT = 190, /* of the cycles */
    TOP = 60,
    ROW = 18,
    BAR = 14,      /* height of a row's bar */
    WARP_GAP = 10, /* in front of every warp */
    RIGHT = 24,
    LEGEND = 52,
    LEGEND_STEP = 96,
    NUMBER_ROOM = 40, /* between two numbers of the axis */
};

/* Units have the first colours in turn; more of them take these again. */
#define COLOURS (SVG_COLOURS - 1)

struct picture {
    struct schedule_report *report;
    uint32_t used; /* units, as bits */
    cycles end;    /* the last result */
    int scale;     /* pixels of a cycle */
    int height;    /* of all rows */
};

static int cycle_x(const struct picture *picture, cycles at) {
    return LEFT + (int)at * picture->scale;
}

/* Units that are used have colours in turn. */
static const char *unit_colour(const struct picture *picture, uint32_t unit) {
    const uint32_t before = picture->used & ((UINT32_C(1) << unit) - 1);
    return svg_colours[(size_t)__builtin_popcount(before) % COLOURS];
}

static int by_warp(const void *a, const void *b) {
    const struct sim_event *first = a, *second = b;
    if (first->warp != second->warp) return first->warp < second->warp ? -1 : 1;
    return first->step < second->step ? -1 : first->step > second->step;
}

/* A part of a row's bar; nothing when it takes no time. */
static void put_part(struct picture *picture, int y, cycles from, cycles to, const char *style) {
    if (from >= to) return;
    text_printf(&picture->report->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" %s/>\n",
                cycle_x(picture, from), y, (int)(to - from) * picture->scale, BAR, style);
}

static void put_row(struct picture *picture, const struct sim_event *event, int y) {
    struct text *out = &picture->report->out;
    const char *opcode = schedule_opcode(picture->report, event->instruction);
    char initiation[40], latency[60];
    svg_text(out, LEFT - 8, y + BAR - 3, SVG_END);
    if (opcode[0] != '\0')
        text_printf(out, "%s ", opcode);
    else
        text_printf(out, "%" PRIu64 " ", event->step);
    schedule_put_unit(out, picture->report->machine, event->unit, event->sub_core, event->instance);
    svg_text_end(out);
    (void)text_format(initiation, sizeof initiation, "fill=\"%s\"", unit_colour(picture, event->unit));
    (void)text_format(latency, sizeof latency, "%s fill-opacity=\"0.3\"", initiation);
    put_part(picture, y, event->issue, event->start,
             "fill=\"none\" stroke=\"#666\" stroke-dasharray=\"3 2\"");
    put_part(picture, y, event->start, event->init_end, initiation);
    put_part(picture, y, event->init_end, event->completion, latency);
    text_printf(out, "<path d=\"M%d,%d v%d\" stroke=\"#222\" stroke-width=\"2\"/>\n",
                cycle_x(picture, event->issue), y - 1, BAR + 2);
}

/* Numbers above the cycles, and a line under each of them. */
static void put_axis(struct picture *picture) {
    struct text *out = &picture->report->out;
    static const cycles steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    size_t s = 0;
    while (s + 1 < sizeof steps / sizeof *steps && (int)steps[s] * picture->scale < NUMBER_ROOM)
        s++;
    for (cycles at = 0; at <= picture->end; at += steps[s]) {
        const int x = cycle_x(picture, at);
        svg_text(out, x, TOP - 8, SVG_MIDDLE);
        text_printf(out, "%" PRIu64, at);
        svg_text_end(out);
        svg_line(out, x, TOP, x, TOP + picture->height, SVG_PALE);
    }
}

/* Every event a row, with room and a name in front of each warp. */
static void put_rows(struct picture *picture) {
    const struct schedule_report *report = picture->report;
    int y = TOP;
    for (size_t i = 0; i < report->kept.count; i++, y += ROW) {
        const struct sim_event *event = &report->kept.items[i];
        if (i == 0 || event[-1].warp != event->warp) {
            y += WARP_GAP;
            svg_text(&picture->report->out, 14, y + BAR - 3, " font-weight=\"bold\"");
            text_printf(&picture->report->out, "warp %u", event->warp);
            svg_text_end(&picture->report->out);
        }
        put_row(picture, event, y);
    }
}

/* The units that are used, and what the parts of a bar are. */
static void put_legend(struct picture *picture) {
    const struct wb_machine *machine = picture->report->machine;
    struct text *out = &picture->report->out;
    const int y = TOP + picture->height + 20;
    int x = LEFT;
    for (uint32_t u = 0; u < machine->unit_count; u++) {
        if ((picture->used >> u & 1) == 0) continue;
        svg_rect(out, x, y, 12, 12, unit_colour(picture, u));
        svg_text(out, x + 18, y + 11, "");
        text_string(out, machine->units[u].name);
        svg_text_end(out);
        x += LEGEND_STEP;
    }
    svg_text(out, LEFT, y + 28, "");
    text_string(out, "line: issue; dashed: waits for its unit; full: initiation; pale: latency");
    svg_text_end(out);
}

/* The width that the legend needs. */
static int legend_width(const struct picture *picture) {
    const int units = __builtin_popcount(picture->used) * LEGEND_STEP;
    const int words = 420;
    return units > words ? units : words;
}

static wb_status picture_begin(struct schedule_report *report) {
    (void)report;
    return WB_OK;
}

static wb_status picture_event(struct schedule_report *report, uint32_t sm, const struct sim_event *event) {
    (void)sm;
    if (report->kept.count == ROWS_MAX || event->completion > CYCLES_MAX) {
        diagnose(report->diagnostics, SEVERITY_ERROR, report->policy,
                 "a picture has at most %d instructions and %d cycles; --format trace has more room",
                 ROWS_MAX, CYCLES_MAX);
        return WB_ERR_LIMIT;
    }
    if (vec_push(&report->kept, *event) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(report->diagnostics, report->policy);
}

static wb_status picture_end(struct schedule_report *report) {
    struct picture picture = {.report = report};
    uint32_t warps = 0;
    if (report->kept.count > 0)
        qsort(report->kept.items, report->kept.count, sizeof *report->kept.items, by_warp);
    for (size_t i = 0; i < report->kept.count; i++) {
        const struct sim_event *event = &report->kept.items[i];
        picture.used |= UINT32_C(1) << event->unit;
        picture.end = cycles_max(picture.end, event->completion);
        warps += i == 0 || event[-1].warp != event->warp;
    }
    picture.scale = picture.end <= 60 ? 16 : picture.end <= 240 ? 6 : 2;
    picture.height = (int)report->kept.count * ROW + (int)warps * WARP_GAP;
    const int columns = (int)picture.end * picture.scale, legend = legend_width(&picture);
    const int width = LEFT + (columns > legend ? columns : legend) + RIGHT,
              height = TOP + picture.height + LEGEND;
    svg_begin(&report->out, width, height, 11);
    svg_text(&report->out, 14, 22, SVG_TITLE);
    text_printf(&report->out, "A schedule of %" PRIu64 " cycles, policy %s", picture.end, report->policy);
    svg_text_end(&report->out);
    put_axis(&picture);
    put_rows(&picture);
    put_legend(&picture);
    svg_end(&report->out);
    return WB_OK;
}

const struct schedule_writer schedule_svg = {picture_begin, picture_event, picture_end};
