/* Repeats the examples and the case study of ETFA 2013 (study.h names the paper) and writes
 * docs/reproduction/etfa2013.md with its pictures and data. */
#include "page.h"
#include "wings/makespan/report/convergence.h"

static wb_status write_chart(const struct output *output, const struct study *study,
                             enum convergence_axis axis, const char *file) {
    struct text picture = {0};
    convergence_svg(&picture, &makespan_find_result(study->annealed, "anneal")->anneal_log, axis);
    return output_file(output, file, &picture);
}

static wb_status reproduce_study(const struct output *output, struct study *study, struct text *page) {
    WB_TRY(study_run(output->diagnostics, study));
    WB_TRY(write_chart(output, study, CONVERGENCE_SECONDS, PAGE_FIG12_SECONDS));
    WB_TRY(write_chart(output, study, CONVERGENCE_ITERATIONS, PAGE_FIG12_ITERATIONS));
    WB_TRY(page_write_worst_cases(output, study));
    WB_TRY(page_write_fig12(output, study));
    WB_TRY(page_write(output, study, page));
    return output_page(output, page);
}

static wb_status reproduce(const struct output *output) {
    struct study study;
    struct text page = {0};
    wb_status status = reproduce_study(output, &study, &page);
    study_free(&study);
    text_free(&page);
    return status;
}

int main(void) {
    return output_main("etfa2013", reproduce);
}
