#include "charts.h"

#include <stdio.h>

#include "report/write/svg_chart.h"

/* Labels of a horizontal axis that counts warps from 1. */
struct warp_labels {
    char texts[CONVERGENCE_X][8];
    const char *labels[CONVERGENCE_X];
};

static void make_labels(struct warp_labels *made) {
    for (unsigned i = 0; i < CONVERGENCE_X; i++) {
        (void)snprintf(made->texts[i], sizeof made->texts[i], "%u", i + 1);
        made->labels[i] = made->texts[i];
    }
}

void chart_fig5(struct text *out, const struct study *study) {
    static const char *const names[] = {"short", "long", "cumulative"};
    double values[FIG5_CUMULATIVE + 1][FIG5_WARPS];
    bool stopped[FIG5_CUMULATIVE + 1][FIG5_WARPS];
    struct svg_series series[FIG5_CUMULATIVE + 1];
    struct warp_labels labels;
    make_labels(&labels);
    for (unsigned m = 0; m <= FIG5_CUMULATIVE; m++) {
        for (unsigned w = 0; w < FIG5_WARPS; w++) {
            values[m][w] = study->fig5[w][m].seconds;
            stopped[m][w] = !study->fig5[w][m].solved;
        }
        series[m] =
            (struct svg_series){.name = names[m], .values = values[m], .colour = m, .stopped = stopped[m]};
    }
    const struct svg_chart chart = {.title = "Time of CBC for " FIG5_STRING " (hollow: stopped there)",
                                    .x_title = "warps",
                                    .y_title = "processor time (s)",
                                    .x_labels = labels.labels,
                                    .point_count = FIG5_WARPS,
                                    .series = series,
                                    .series_count = FIG5_CUMULATIVE + 1};
    svg_chart(out, &chart);
}

enum line { LINE_ESTIMATE, LINE_SCALED, LINE_PESSIMISTIC, LINE_UPPER, LINE_LOWER, LINES };

/* The values of all lines of Fig. 6 or 7 at one x. */
static void place_lines(const struct convergence *convergence, enum convergence_figure figure, unsigned x,
                        double values[LINES][CONVERGENCE_X]) {
    const double at[LINES] = {
        (double)convergence_estimate(convergence, figure, x),
        (double)convergence_scaled(convergence, figure, x),
        (double)convergence->pessimistic,
        (double)convergence->upper,
        (double)convergence->lower,
    };
    for (size_t line = 0; line < LINES; line++)
        values[line][x - 1] = at[line];
}

void chart_convergence(struct text *out, const struct study *study, enum convergence_figure figure) {
    const struct convergence *convergence = &study->convergence[figure];
    const bool exact = convergence->lower == convergence->upper; /* then one line says both */
    const char *const names[LINES] = {"eq. (42), estimate", "eq. (43) for x alone", "eq. (5)",
                                      exact ? "worst case, proven" : "proven upper bound", "schedule found"};
    const struct convergence_setting *setting = &convergence_settings[figure];
    double values[LINES][CONVERGENCE_X];
    struct svg_series series[LINES];
    struct warp_labels labels;
    char title[64];
    make_labels(&labels);
    for (unsigned x = 1; x <= CONVERGENCE_X; x++)
        place_lines(convergence, figure, x, values);
    for (unsigned line = 0; line < LINES; line++)
        series[line] = (struct svg_series){
            .name = names[line], .values = values[line], .colour = line, .dashed = line >= LINE_PESSIMISTIC};
    (void)snprintf(title, sizeof title, "%s, %u warps", setting->string, setting->warps);
    const struct svg_series times = {.name = "time of T(x)", .values = convergence->seconds, .colour = LINES};
    const struct svg_right_axis right = {.title = "processor time (s)", .series = &times};
    const struct svg_chart chart = {.title = title,
                                    .right = figure == FIG7 ? &right : NULL,
                                    .x_title = "x (warps solved exactly)",
                                    .y_title = "makespan (cycles)",
                                    .x_labels = labels.labels,
                                    .y_base = values[LINE_LOWER][0],
                                    .point_count = CONVERGENCE_X,
                                    .series = series,
                                    .series_count = exact ? LINE_LOWER : LINES};
    svg_chart(out, &chart);
}
