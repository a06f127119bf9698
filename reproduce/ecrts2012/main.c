/* Repeats the figures of ECRTS 2012 (study.h names the paper) and writes docs/reproduction/ecrts2012.md with
 * its pictures. */
#include "charts.h"
#include "example.h"
#include "page.h"

static wb_status write_fig2(const struct output *output) {
    struct text picture = {0};
    wb_makespan *makespan = NULL;
    WB_TRY(example_solve(&page_fig2, output->diagnostics, &makespan));
    wb_status status = example_draw(makespan, output->diagnostics, &picture);
    wb_makespan_free(makespan);
    WB_TRY(status);
    return output_file(output, PAGE_FIG2, &picture);
}

static wb_status write_charts(const struct output *output, const struct study *study) {
    struct text picture = {0};
    chart_fig5(&picture, study);
    WB_TRY(output_file(output, PAGE_FIG5, &picture));
    for (size_t f = 0; f < CONVERGENCE_FIGURES; f++) {
        chart_convergence(&picture, study, (enum convergence_figure)f);
        WB_TRY(output_file(output, page_convergence_charts[f], &picture));
    }
    return WB_OK;
}

static wb_status reproduce(const struct output *output) {
    static struct study study;
    struct text page = {0};
    WB_TRY(study_run(output->diagnostics, &study));
    WB_TRY(write_fig2(output));
    WB_TRY(write_charts(output, &study));
    wb_status status = page_write(output, &study, &page);
    if (status == WB_OK) return output_page(output, &page);
    text_free(&page);
    return status;
}

int main(void) {
    return output_main("ecrts2012", reproduce);
}
