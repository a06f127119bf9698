#include "chart.h"

#include <stdio.h>

#include "makespan/anneal_start.h"
#include "report/svg_chart.h"

/* The paper has time on the horizontal axis; iterations are the same in every run. */
#define POINTS 21u
#define ITERATIONS_A_POINT 100000u
#define LABELLED_POINTS 5u /* every so many */

#define INSTANCES 8u
#define COLOUR_ALL (SVG_COLOURS - 1)

/* Values of the instances, then of all together. */
struct lines {
    double values[INSTANCES + 1][POINTS];
    double least;
};

/* Each step holds from its iteration on; makespans grow along the steps of an instance. */
static void sample_steps(const struct anneal_log *log, struct lines *lines) {
    for (size_t i = 0; i < log->steps.count; i++) {
        const struct anneal_step *step = &log->steps.items[i];
        if (step->instance >= INSTANCES) continue;
        for (uint32_t p = 0; p < POINTS; p++) {
            if (step->iteration > (uint64_t)p * ITERATIONS_A_POINT) continue;
            lines->values[step->instance][p] = step->makespan;
            if (step->makespan > lines->values[INSTANCES][p]) lines->values[INSTANCES][p] = step->makespan;
        }
    }
    lines->least = lines->values[0][0];
    for (size_t i = 1; i < INSTANCES; i++)
        if (lines->values[i][0] < lines->least) lines->least = lines->values[i][0];
}

void chart_convergence(struct text *out, const struct anneal_log *log) {
    struct lines lines = {0};
    char names[INSTANCES][32];
    char texts[POINTS][8];
    const char *labels[POINTS];
    struct svg_series series[INSTANCES + 1];
    sample_steps(log, &lines);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        enum anneal_start start = anneal_start_of(i);
        (void)snprintf(names[i], sizeof names[i], "%u: %s", i + 1, anneal_start_name(start));
        series[i + 1] = (struct svg_series){
            .name = names[i], .values = lines.values[i], .colour = start, .dashed = i >= ANNEAL_STARTS};
    }
    series[0] = (struct svg_series){
        .name = "longest of all", .values = lines.values[INSTANCES], .colour = COLOUR_ALL};
    for (uint32_t p = 0; p < POINTS; p++) {
        (void)snprintf(texts[p], sizeof texts[p], "%.1f", p * (double)ITERATIONS_A_POINT / 1e6);
        labels[p] = p % LABELLED_POINTS == 0 ? texts[p] : "";
    }
    const struct svg_chart chart = {.title = "Longest schedule found by annealing, 16 warps",
                                    .x_title = "iterations (millions)",
                                    .y_title = "makespan (cycles)",
                                    .x_labels = labels,
                                    .y_base = lines.least,
                                    .point_count = POINTS,
                                    .series = series,
                                    .series_count = INSTANCES + 1};
    svg_chart(out, &chart);
}
