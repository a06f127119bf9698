/* Repeats the experiments of Huangfu and Zhang, "Warp-Based Load/Store Reordering to Improve GPU Time
 * Predictability" (JCSE 2017), and writes docs/reproduction/jcse2017.md with its pictures and data. */
#include "charts.h"
#include "output.h"
#include "page.h"

static wb_status reproduce(const struct output *output) {
    struct study study;
    struct text page = {0};
    wb_status status = study_run(output->diagnostics, &study);
    if (status == WB_OK) status = charts_write(output, &study);
    if (status == WB_OK) status = page_write_data(output, &study);
    if (status == WB_OK) {
        page_write(output, &study, &page);
        status = output_page(output, &page);
    }
    study_free(&study);
    return status;
}

int main(void) {
    return output_main("jcse2017", reproduce);
}
