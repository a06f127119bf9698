/* How the times of runs are spread: bars over intervals of time. */
#include "report/write/output.h"
#include "report/write/svg_chart.h"
#include "wings/device/bins.h"
#include "wings/device/measurement.h"

void bins_lay_out(struct bins *bins, uint64_t least, uint64_t most, double unit, int decimals) {
    bins->from = least;
    bins->width = (most - least) / BINS + 1;
    for (uint32_t b = 0; b < BINS; b++) {
        (void)text_format(bins->labels[b], BIN_LABEL_MAX, "%.*f", decimals,
                          (double)(bins->from + b * bins->width) / unit);
        bins->shown[b] = bins->labels[b];
    }
}

/* From the shortest run of all to the longest. */
static void lay_out(struct bins *bins, const wb_measured_runs runs[WB_MEASURED_STATES]) {
    uint64_t least = UINT64_MAX, most = 0;
    for (int s = 0; s < WB_MEASURED_STATES; s++) {
        if (runs[s].count == 0) continue;
        if (runs[s].runs[0].ns < least) least = runs[s].runs[0].ns;
        if (runs[s].longest > most) most = runs[s].longest;
    }
    bins_lay_out(bins, least, most, 1e3, 2);
}

wb_status wb_measurement_picture(const wb_measurement *measurement, wb_diagnostics *diagnostics, char **svg) {
    struct bins bins = {0};
    struct svg_series series[WB_MEASURED_STATES];
    wb_measured_runs runs[WB_MEASURED_STATES];
    struct svg_chart chart = {.bars = true,
                              .title = "Runs on a GPU, by how long they took",
                              .x_title = "us, from here on",
                              .y_title = "runs",
                              .x_labels = bins.shown,
                              .point_count = BINS,
                              .series = series};
    struct text out = {0};
    for (int s = 0; s < WB_MEASURED_STATES; s++)
        runs[s] = wb_measurement_runs(measurement, s);
    lay_out(&bins, runs);
    for (int s = 0; s < WB_MEASURED_STATES; s++) {
        for (size_t i = 0; i < runs[s].count; i++)
            bins.values[s][(runs[s].runs[i].ns - bins.from) / bins.width]++;
        if (runs[s].count > 0)
            series[chart.series_count++] = (struct svg_series){
                .name = wb_measured_state_name(s), .values = bins.values[s], .colour = (unsigned)s};
    }
    svg_chart(&out, &chart);
    return report_take(WB_OK, &out, diagnostics, svg);
}
