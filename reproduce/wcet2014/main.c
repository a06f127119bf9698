/* Repeats what the slides of WCET 2014 (study.h names them) publish and writes docs/reproduction/wcet2014.md
 * with its pictures and data. */
#include "charts.h"
#include "page.h"

static wb_status write_charts(const struct output *output, const struct study *study) {
    struct text windows = {0}, interleavings = {0}, warp = {0};
    chart_windows(&windows, study);
    chart_interleavings(&interleavings, study);
    chart_abstract_warp(&warp, &study->slide.cta.warp);
    wb_status status = output_file(output, PAGE_FIG6, &windows);
    if (status == WB_OK) status = output_file(output, PAGE_INTERLEAVINGS, &interleavings);
    if (status == WB_OK) status = output_file(output, PAGE_WARP, &warp);
    text_free(&windows);
    text_free(&interleavings);
    text_free(&warp);
    return status;
}

static wb_status reproduce(const struct output *output) {
    struct study study;
    struct text page = {0};
    wb_status status = study_run(output->diagnostics, &study);
    if (status == WB_OK) status = write_charts(output, &study);
    if (status == WB_OK) status = page_write_data(output, &study);
    if (status == WB_OK) {
        page_write(output, &study, &page);
        status = output_page(output, &page);
    }
    study_free(&study);
    return status;
}

int main(void) {
    return output_main("wcet2014", reproduce);
}
