/* The page of a calibration: how the times of each probe are spread, and what a machine has. */
#include <inttypes.h>

#include "report/html/page.h"
#include "report/write/output.h"
#include "report/write/svg_chart.h"
#include "report/write/xml.h"
#include "wings/device/bins.h"
#include "wings/device/calibration.h"

static void put_table(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                      struct text *out) {
    text_string(out, "<table>\n<tr><th>figure</th><th>n</th><th>SMs</th><th>least</th><th>median</th>"
                     "<th>p99</th><th>largest</th><th>charged by ");
    xml_text(out, machine->name);
    text_string(out, "</th></tr>\n");
    for (size_t f = 0; f < FIGURES; f++) {
        const struct probe_times times = calibration_times(calibration, figures[f].probe);
        const struct figure_charge charge = figure_charge_of(calibration, machine, &figures[f]);
        const bool above = times.most > figure_charged(&charge);
        text_string(out, "<tr><td>");
        figure_put_key(&figures[f], out);
        text_printf(out,
                    "</td><td>%" PRIu64 "</td><td>%u</td><td>%u</td><td>%u</td><td>%u</td>"
                    "<td>%u</td><td>%" PRIu64 "%s</td></tr>\n",
                    times.count, calibration->exchange->seen[figures[f].probe].sms, times.least, times.median,
                    times.p99, times.most, figure_charged(&charge),
                    above ? ": <strong>too small</strong>" : "");
    }
    text_string(out, "</table>\n");
}

/* The accesses of a probe by their cycles. */
static void put_picture(const struct wb_gpu_calibration *calibration, const struct figure *figure,
                        struct text *out) {
    const struct probe_seen *seen = &calibration->exchange->seen[figure->probe];
    const struct probe_times times = calibration_times(calibration, figure->probe);
    struct bins bins = {0};
    struct text key = {0};
    const struct svg_series series = {.name = probe_name(figure->probe), .values = bins.values[0]};
    figure_put_key(figure, &key);
    const struct svg_chart chart = {.bars = true,
                                    .title = key.failed ? "" : key.data,
                                    .x_title = "cycles, from here on",
                                    .y_title = "accesses",
                                    .x_labels = bins.shown,
                                    .point_count = BINS,
                                    .series = &series,
                                    .series_count = 1};
    bins_lay_out(&bins, times.least, times.most, 1, 0);
    for (uint32_t c = seen->least; c < PROBE_BINS; c++) {
        const uint64_t bin = (c - seen->least) / bins.width;
        bins.values[0][bin < BINS ? bin : BINS - 1] += (double)seen->bins[c];
    }
    text_string(out, "<figure>");
    svg_chart(out, &chart);
    text_string(out, "</figure>\n");
    text_free(&key);
}

wb_status wb_gpu_calibration_page(const wb_gpu_calibration *calibration, const wb_machine *machine,
                                  wb_diagnostics *diagnostics, char **html) {
    struct text out = {0}, title = {0};
    text_string(&title, "Measured here: ");
    calibration_put_gpu(calibration, &title);
    if (!title.failed) html_put_head(&out, title.data);
    text_string(&out,
                "<section>\n<p>Cycles from the issue of an access until its result is there, on every SM. "
                "The machine file has the largest; other accesses may be slower.");
    if (calibration->exchange->unchecked[0] != '\0') {
        text_string(&out, " <strong>Machine code not checked:</strong> ");
        xml_text(&out, calibration->exchange->unchecked);
        text_char(&out, '.');
    }
    text_string(&out, "</p>\n");
    put_table(calibration, machine, &out);
    for (size_t f = 0; f < FIGURES; f++)
        if (calibration->exchange->seen[figures[f].probe].count > 0)
            put_picture(calibration, &figures[f], &out);
    text_string(&out, "</section>\n");
    html_put_foot(&out);
    text_string(&out, "</body>\n</html>\n");
    out.failed |= title.failed;
    text_free(&title);
    return report_take(WB_OK, &out, diagnostics, html);
}
