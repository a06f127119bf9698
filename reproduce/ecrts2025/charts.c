#include "charts.h"

#include <stdio.h>

#include "published.h"
#include "report/write/svg_chart.h"
#include "tables.h"

/* Colour of what the paper published, where the series beside it has none of its own. */
#define COLOUR_PUBLISHED (SVG_COLOURS - 1)

#define X_TITLE "latency of global memory (cycles)"
#define Y_TITLE "overestimation (%)"

/* The latencies as labels of the horizontal axis. */
struct latency_labels {
    char texts[LATENCY_COUNT][8];
    const char *labels[LATENCY_COUNT];
};

static void make_labels(struct latency_labels *made) {
    for (size_t l = 0; l < LATENCY_COUNT; l++) {
        (void)snprintf(made->texts[l], sizeof made->texts[l], "%u", study_latencies[l]);
        made->labels[l] = made->texts[l];
    }
}

/* A chart over the latencies. */
static void put_chart(struct text *out, const char *title, const struct svg_series *series, size_t count) {
    struct latency_labels labels;
    make_labels(&labels);
    const struct svg_chart chart = {.title = title,
                                    .x_title = X_TITLE,
                                    .y_title = Y_TITLE,
                                    .x_labels = labels.labels,
                                    .point_count = LATENCY_COUNT,
                                    .series = series,
                                    .series_count = count};
    svg_chart(out, &chart);
}

void chart_methods(struct text *out, const struct study *study, enum policy policy) {
    char title[64];
    double values[METHOD_COUNT + 1][LATENCY_COUNT];
    struct svg_series series[METHOD_COUNT + 1];
    for (size_t l = 0; l < LATENCY_COUNT; l++) {
        for (size_t m = 0; m < METHOD_COUNT; m++) {
            struct sample sample = sample_method(study, MODEL_GPGPUSIM, l, (enum method)m, policy);
            values[m][l] = sample_mean(&sample);
        }
        values[METHOD_COUNT][l] = published_gub[l][policy].mean;
    }
    for (unsigned m = 0; m < METHOD_COUNT; m++)
        series[m] = (struct svg_series){.name = method_titles[m], .values = values[m], .colour = m};
    series[METHOD_COUNT] = (struct svg_series){.name = "GUB, ECRTS 2025",
                                               .values = values[METHOD_COUNT],
                                               .colour = COLOUR_PUBLISHED,
                                               .dashed = true};
    (void)snprintf(title, sizeof title, "Mean overestimation above %s, %zu blocks", policy_titles[policy],
                   study->kernels.count);
    put_chart(out, title, series, METHOD_COUNT + 1);
}

void chart_sgemm(struct text *out, const struct study *study, enum sgemm sgemm) {
    static const char *const titles[SGEMM_COUNT] = {
        [SGEMM_NAIVE] = "SGEMM, naive: GUB above LRR",
        [SGEMM_DOUBLE_BUFFERED] = "SGEMM, double-buffered: GUB above LRR",
        [SGEMM_LOADS_TOGETHER] = "SGEMM, double-buffered, first loads together: GUB above LRR",
        [SGEMM_REGISTER_TILED] = "SGEMM, tiles 8 deep, four elements a thread: GUB above LRR",
    };
    char names[2 * WARPS_COUNT][32];
    double values[2 * WARPS_COUNT][LATENCY_COUNT];
    struct svg_series series[2 * WARPS_COUNT];
    for (unsigned w = 0; w < WARPS_COUNT; w++) {
        const unsigned published = WARPS_COUNT + w;
        for (size_t l = 0; l < LATENCY_COUNT; l++) {
            const struct measurement *at = &study->sgemm[sgemm][l][w];
            values[w][l] = overestimation(at->bounds[METHOD_GUB], at->simulated[POLICY_LRR]);
            values[published][l] = published_sgemm(sgemm)[l][w];
        }
        (void)snprintf(names[w], sizeof names[w], "%u warps", study_warps[w]);
        (void)snprintf(names[published], sizeof names[published], "%u warps, ECRTS 2025", study_warps[w]);
        series[w] = (struct svg_series){.name = names[w], .values = values[w], .colour = w};
        series[published] = (struct svg_series){
            .name = names[published], .values = values[published], .colour = w, .dashed = true};
    }
    put_chart(out, titles[sgemm], series, 2 * WARPS_COUNT);
}
