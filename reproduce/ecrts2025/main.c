/* Repeats the experiments of ECRTS 2025 (published.h names the paper) with Warpbound and writes
 * docs/reproduction/ecrts2025.md with its charts and data. */
#include "charts.h"
#include "output.h"
#include "page.h"
#include "tables.h"

static wb_status write_charts(const struct output *output, const struct study *study) {
    struct text text = {0};
    for (size_t p = 0; p < POLICY_COUNT; p++) {
        chart_methods(&text, study, (enum policy)p);
        WB_TRY(output_file(output, page_policy_charts[p], &text));
    }
    for (size_t k = 0; k < SGEMM_COUNT; k++) {
        chart_sgemm(&text, study, (enum sgemm)k);
        WB_TRY(output_file(output, page_sgemm_charts[k], &text));
    }
    return WB_OK;
}

static wb_status reproduce(const struct output *output) {
    struct study study;
    struct text page = {0};
    wb_status status = study_run(output->diagnostics, &study);
    if (status == WB_OK) status = write_charts(output, &study);
    if (status == WB_OK) status = tables_write(output, &study);
    if (status == WB_OK) {
        page_write(output, &page, &study);
        status = output_page(output, &page);
    }
    study_free(&study);
    return status;
}

int main(void) {
    return output_main("ecrts2025", reproduce);
}
