/* A short schedule as a picture: a row an instruction, warp by warp, from its issue over its initiation, in
 * the colour of its unit, to its result. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/schedule/schedule.h"
#include "report/write/svg.h"

/* The limits of a picture. */
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
    wb_issue *issues; /* warp by warp */
    size_t count;
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
    const wb_issue *first = a, *second = b;
    if (first->warp != second->warp) return first->warp < second->warp ? -1 : 1;
    return first->step < second->step ? -1 : first->step > second->step;
}

/* A part of a row's bar; nothing when it takes no time. */
static void put_part(struct picture *picture, int y, cycles from, cycles to, const char *style) {
    if (from >= to) return;
    text_printf(&picture->report->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" %s/>\n",
                cycle_x(picture, from), y, (int)(to - from) * picture->scale, BAR, style);
}

static void put_row(struct picture *picture, const wb_issue *event, int y) {
    struct text *out = &picture->report->out;
    char initiation[40], latency[60];
    svg_text(out, LEFT - 8, y + BAR - 3, SVG_END);
    if (picture->report->module == NULL)
        text_printf(out, "%" PRIu64, event->step);
    else
        schedule_put_opcode(out, picture->report, event->instruction);
    text_char(out, ' ');
    schedule_put_unit(out, picture->report->schedule->machine, event->unit, event->sub_core, event->instance);
    svg_text_end(out);
    (void)text_format(initiation, sizeof initiation, "fill=\"%s\"", unit_colour(picture, event->unit));
    (void)text_format(latency, sizeof latency, "%s fill-opacity=\"0.3\"", initiation);
    put_part(picture, y, event->issue, event->start,
             "fill=\"none\" stroke=\"#666\" stroke-dasharray=\"3 2\"");
    put_part(picture, y, event->start, event->free, initiation);
    put_part(picture, y, event->free, event->ready, latency);
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
    int y = TOP;
    for (size_t i = 0; i < picture->count; i++, y += ROW) {
        const wb_issue *event = &picture->issues[i];
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
    const struct wb_machine *machine = picture->report->schedule->machine;
    struct text *out = &picture->report->out;
    const int y = TOP + picture->height + 20;
    int x = LEFT;
    for (uint32_t u = 0; u < schedule_unit_count(machine); u++) {
        if ((picture->used >> u & 1) == 0) continue;
        svg_rect(out, x, y, 12, 12, unit_colour(picture, u));
        svg_text(out, x + 18, y + 11, "");
        text_string(out, schedule_unit(machine, u)->name);
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

/* Sorts the issues, and finds what there has to be room for. */
static void measure(struct picture *picture) {
    uint32_t warps = 0;
    qsort(picture->issues, picture->count, sizeof *picture->issues, by_warp);
    for (size_t i = 0; i < picture->count; i++) {
        const wb_issue *event = &picture->issues[i];
        picture->used |= UINT32_C(1) << event->unit;
        picture->end = cycles_max(picture->end, event->ready);
        warps += i == 0 || event[-1].warp != event->warp;
    }
    picture->scale = picture->end <= 60 ? 16 : picture->end <= 240 ? 6 : 2;
    picture->height = (int)picture->count * ROW + (int)warps * WARP_GAP;
}

static void put_picture(struct picture *picture) {
    struct text *out = &picture->report->out;
    const wb_schedule_info *info = &picture->report->schedule->info;
    const int columns = (int)picture->end * picture->scale, legend = legend_width(picture);
    const int width = LEFT + (columns > legend ? columns : legend) + RIGHT,
              height = TOP + picture->height + LEGEND;
    svg_begin(out, width, height, 11);
    svg_text(out, 14, 22, SVG_TITLE);
    text_printf(out, "A schedule of %" PRIu64 " cycles, %s %s", picture->end,
                info->method != NULL ? "found by" : "policy",
                info->method != NULL ? info->method : info->policy);
    svg_text_end(out);
    put_axis(picture);
    put_rows(picture);
    put_legend(picture);
    svg_end(out);
}

/* WB_ERR_DECLINED with a message unless there is room. */
static wb_status check_room(const struct schedule_report *report) {
    const wb_schedule_info *info = &report->schedule->info;
    const char *origin = info->method != NULL ? info->method : info->policy;
    size_t count, late = 0;
    const wb_issue *issues = wb_schedule_issues(report->schedule, &count);
    for (size_t i = 0; i < count; i++)
        late += issues[i].ready > CYCLES_MAX;
    if (info->sm_count > 1 || info->slot_count > 1) {
        diagnose(report->diagnostics, SEVERITY_ERROR, origin,
                 "a picture is of the schedule of one block; --format trace has room for more");
        return WB_ERR_DECLINED;
    }
    if (count <= ROWS_MAX && late == 0) return WB_OK;
    diagnose(report->diagnostics, SEVERITY_ERROR, origin,
             "a picture has at most %d instructions and %d cycles; --format trace has more room", ROWS_MAX,
             CYCLES_MAX);
    return WB_ERR_DECLINED;
}

wb_status schedule_write_picture(struct schedule_report *report) {
    struct picture picture = {.report = report};
    WB_TRY(check_room(report));
    const wb_issue *issues = wb_schedule_issues(report->schedule, &picture.count);
    picture.issues = malloc((picture.count + 1) * sizeof *picture.issues);
    if (picture.issues == NULL) return WB_ERR_LIMIT;
    if (picture.count > 0) memcpy(picture.issues, issues, picture.count * sizeof *issues);
    measure(&picture);
    put_picture(&picture);
    free(picture.issues);
    return WB_OK;
}
