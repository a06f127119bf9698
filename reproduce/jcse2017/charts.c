#include "charts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "report/write/svg_chart.h"

/* Most series of a chart. */
enum { SERIES_MAX = 2 * SIZE_COUNT };

/* A chart being made: bars over the names of all kernels and of their mean. */
struct sheet {
    const struct study *study;
    const char **labels;
    double *values; /* [series][kernel], the mean behind the last kernel */
    char names[SERIES_MAX][48];
    struct svg_series series[SERIES_MAX];
    size_t count;
};

static size_t sheet_points(const struct sheet *sheet) {
    return sheet->study->kernel_count + 1;
}

static wb_status sheet_open(struct sheet *sheet, const struct study *study, wb_diagnostics *diagnostics) {
    size_t points = study->kernel_count + 1;
    *sheet = (struct sheet){.study = study};
    sheet->labels = calloc(points, sizeof *sheet->labels);
    sheet->values = calloc(points * SERIES_MAX, sizeof *sheet->values);
    if (sheet->labels == NULL || sheet->values == NULL) {
        free(sheet->labels);
        free(sheet->values);
        (void)diagnose_out_of_memory(diagnostics, "a chart");
        return WB_ERR_LIMIT;
    }
    for (size_t k = 0; k < study->kernel_count; k++)
        sheet->labels[k] = study->kernels[k].name;
    sheet->labels[points - 1] = "mean";
    return WB_OK;
}

/* Adds a series; `label` names it. Its values are still to be filled in. */
static double *sheet_add(struct sheet *sheet, const char *label, const char *size) {
    double *values = sheet->values + sheet->count * sheet_points(sheet);
    (void)snprintf(sheet->names[sheet->count], sizeof sheet->names[0], "%s%s", label, size);
    sheet->series[sheet->count] = (struct svg_series){
        .name = sheet->names[sheet->count], .values = values, .colour = (unsigned)sheet->count};
    sheet->count++;
    return values;
}

/* Adds a series of one value of every kernel with a cache. */
static void sheet_add_value(struct sheet *sheet, const char *label, size_t size, study_value *value) {
    const struct study *study = sheet->study;
    double *values = sheet_add(sheet, label, size_names[size]);
    for (size_t k = 0; k < study->kernel_count; k++)
        values[k] = value(&study->kernels[k].at[size]);
    values[study->kernel_count] = study_mean(study, size, value);
}

/* Draws the sheet into a file and frees it. */
static wb_status sheet_close(struct sheet *sheet, const struct output *output, const char *file,
                             const char *title, const char *y_title) {
    struct text text = {0};
    const struct svg_chart chart = {.bars = true,
                                    .title = title,
                                    .x_title = "kernel",
                                    .y_title = y_title,
                                    .x_labels = sheet->labels,
                                    .point_count = sheet_points(sheet),
                                    .series = sheet->series,
                                    .series_count = sheet->count};
    svg_chart(&text, &chart);
    free(sheet->labels);
    free(sheet->values);
    return output_file(output, file, &text);
}

/* Cycles of the three schemes with one cache, relative to the default with 16 kB. */
static wb_status write_cycles(const struct output *output, const struct study *study, size_t size,
                              const char *file, const char *title) {
    struct sheet sheet;
    WB_TRY(sheet_open(&sheet, study, output->diagnostics));
    for (size_t s = 0; s < SCHEME_COUNT; s++) {
        double *values = sheet_add(&sheet, scheme_names[s], "");
        double sum = 0;
        for (size_t k = 0; k < study->kernel_count; k++) {
            values[k] = (double)study->kernels[k].at[size].simulated[s] /
                        (double)study->kernels[k].at[0].simulated[SCHEME_DEFAULT];
            sum += values[k];
        }
        values[study->kernel_count] = sum / (double)study->kernel_count;
    }
    return sheet_close(&sheet, output, file, title, "cycles / default, 16 kB");
}

static wb_status write_miss_rates(const struct output *output, const struct study *study) {
    struct sheet sheet;
    WB_TRY(sheet_open(&sheet, study, output->diagnostics));
    for (size_t size = 0; size < SIZE_COUNT; size++) {
        sheet_add_value(&sheet, "simulated, ", size, value_miss_rate);
        sheet_add_value(&sheet, "estimated, ", size, value_miss_rate_estimated);
    }
    return sheet_close(&sheet, output, "fig15.svg", "Fig. 15: misses of loads, scheme reorder",
                       "misses (% of loads)");
}

static wb_status write_ratios(const struct output *output, const struct study *study) {
    struct sheet sheet;
    WB_TRY(sheet_open(&sheet, study, output->diagnostics));
    sheet_add_value(&sheet, "estimated / simulated, ", 0, value_estimate_ratio);
    return sheet_close(&sheet, output, "fig14.svg", "Fig. 14: estimated misses, scheme reorder", "ratio");
}

static wb_status write_wcet(const struct output *output, const struct study *study) {
    struct sheet sheet;
    WB_TRY(sheet_open(&sheet, study, output->diagnostics));
    for (size_t size = 0; size < SIZE_COUNT; size++) {
        sheet_add_value(&sheet, "without miss rate, ", size, value_over_all_miss);
        sheet_add_value(&sheet, "with miss rate, ", size, value_over_miss_rate);
    }
    return sheet_close(&sheet, output, "fig16.svg", "Fig. 16: WCET estimates above the simulation",
                       "overestimation (%)");
}

wb_status charts_write(const struct output *output, const struct study *study) {
    WB_TRY(write_cycles(output, study, 0, "fig12.svg", "Fig. 12: cycles with 16 kB"));
    WB_TRY(write_cycles(output, study, 1, "fig13_32k.svg", "Fig. 13: cycles with 32 kB"));
    WB_TRY(write_cycles(output, study, 2, "fig13_64k.svg", "Fig. 13: cycles with 64 kB"));
    WB_TRY(write_ratios(output, study));
    WB_TRY(write_miss_rates(output, study));
    return write_wcet(output, study);
}
