#include "wings/makespan/report/convergence.h"

#include <inttypes.h>

#include "base/base.h"
#include "report/write/svg_chart.h"
#include "wings/makespan/anneal/precedence_string.h"

/* The chart samples the log at so many points, the first of which is the start. */
#define POINTS 41u

/* Every so many points have a label. */
#define LABEL_STEP 8u

/* The last colour is for the longest of all; initial solutions have the first ones. */
#define COLOUR_ALL (SVG_COLOURS - 1)

/* Makespans at the points: of each instance, then of all together. */
struct lines {
    double values[CONVERGENCE_LINES_MAX + 1][POINTS];
    uint32_t count; /* instances with a line */
    double end;     /* where the horizontal axis ends */
    double least;
};

void convergence_csv(struct text *out, const struct anneal_log *log) {
    text_string(out, "instance,start,iteration,seconds,makespan\n");
    for (size_t i = 0; i < log->steps.count; i++) {
        const struct anneal_step *step = &log->steps.items[i];
        text_printf(out, "%u,%s,%" PRIu64 ",%.6f,%u\n", step->instance + 1,
                    anneal_start_name(anneal_start_of(step->instance)), step->iteration, step->seconds,
                    step->makespan);
    }
}

static double place_of(const struct anneal_step *step, enum convergence_axis axis) {
    return axis == CONVERGENCE_SECONDS ? step->seconds : (double)step->iteration;
}

/* Each step holds from its place on; makespans grow along the steps of an instance. */
static void sample(const struct anneal_log *log, enum convergence_axis axis, struct lines *lines) {
    double *all = lines->values[CONVERGENCE_LINES_MAX];
    for (size_t i = 0; i < log->steps.count; i++) {
        double place = place_of(&log->steps.items[i], axis);
        if (place > lines->end) lines->end = place;
    }
    for (size_t i = 0; i < log->steps.count; i++) {
        const struct anneal_step *step = &log->steps.items[i];
        bool shown = step->instance < CONVERGENCE_LINES_MAX;
        if (shown && step->instance >= lines->count) lines->count = step->instance + 1;
        if (i == 0 || step->makespan < lines->least) lines->least = step->makespan;
        for (uint32_t p = 0; p < POINTS; p++) {
            if (step->iteration > 0 && place_of(step, axis) > lines->end * p / (POINTS - 1)) continue;
            if (shown) lines->values[step->instance][p] = step->makespan;
            if (step->makespan > all[p]) all[p] = step->makespan;
        }
    }
}

/* Numbers under the points, in units that leave few digits. */
static const char *label_points(const struct lines *lines, enum convergence_axis axis, char texts[][16],
                                const char **labels) {
    bool millions = axis == CONVERGENCE_ITERATIONS && lines->end >= 1e6;
    double unit = millions ? 1e6 : 1;
    for (uint32_t p = 0; p < POINTS; p++) {
        (void)text_format(texts[p], sizeof texts[p], lines->end / unit < 100 ? "%.2f" : "%.0f",
                          lines->end * p / (POINTS - 1) / unit);
        labels[p] = p % LABEL_STEP == 0 ? texts[p] : "";
    }
    if (axis == CONVERGENCE_SECONDS) return "processor seconds since each instance started";
    return millions ? "iterations (millions)" : "iterations";
}

void convergence_svg(struct text *out, const struct anneal_log *log, enum convergence_axis axis) {
    struct lines lines = {0};
    char names[CONVERGENCE_LINES_MAX][32];
    char texts[POINTS][16];
    const char *labels[POINTS];
    struct svg_series series[CONVERGENCE_LINES_MAX + 1];
    sample(log, axis, &lines);
    series[0] = (struct svg_series){
        .name = "longest of all", .values = lines.values[CONVERGENCE_LINES_MAX], .colour = COLOUR_ALL};
    for (uint32_t i = 0; i < lines.count; i++) {
        enum anneal_start start = anneal_start_of(i);
        (void)text_format(names[i], sizeof names[i], "%u: %s", i + 1, anneal_start_name(start));
        series[i + 1] = (struct svg_series){
            .name = names[i], .values = lines.values[i], .colour = start, .dashed = i >= ANNEAL_STARTS};
    }
    struct svg_chart chart = {.title = "Longest schedules found by annealing",
                              .y_title = "makespan (cycles)",
                              .x_labels = labels,
                              .y_base = lines.least,
                              .point_count = POINTS,
                              .series = series,
                              .series_count = lines.count + 1};
    chart.x_title = label_points(&lines, axis, texts, labels);
    svg_chart(out, &chart);
}
