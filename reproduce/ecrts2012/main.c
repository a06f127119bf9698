/* Repeats the figures of ECRTS 2012 (study.h names the paper) and writes docs/reproduction/ecrts2012.md with
 * its pictures and data. */
#include "charts.h"
#include "page.h"

static wb_status write_files(const struct output *output, const struct study *study) {
    struct text picture = {0};
    chart_fig5(&picture, study);
    WB_TRY(output_file(output, PAGE_FIG5, &picture));
    WB_TRY(page_write_fig5(output, study));
    for (size_t f = 0; f < CONVERGENCE_FIGURES; f++) {
        chart_convergence(&picture, study, (enum convergence_figure)f);
        WB_TRY(output_file(output, page_convergence_charts[f], &picture));
        WB_TRY(page_write_convergence(output, study, (enum convergence_figure)f));
    }
    return WB_OK;
}

static wb_status reproduce(const struct output *output) {
    static struct study study;
    struct text page = {0};
    WB_TRY(study_run(output->diagnostics, &study));
    WB_TRY(write_files(output, &study));
    wb_status status = page_write(output, &study, &page);
    if (status == WB_OK) return output_page(output, &page);
    text_free(&page);
    return status;
}

int main(void) {
    return output_main("ecrts2012", reproduce);
}
