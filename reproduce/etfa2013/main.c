/* Repeats the examples and the case study of ETFA 2013 (study.h names the paper) and writes
 * docs/reproduction/etfa2013.md with its pictures. */
#include "page.h"

static wb_status reproduce_study(const struct output *output, struct study *study, struct text *page) {
    WB_TRY(study_run(output->diagnostics, study));
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
