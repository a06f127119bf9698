/* Repeats the experiments of ECRTS 2025 (published.h names the paper) with Warpbound and writes
 * docs/reproduction.md with its charts. Run from the project's top folder. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/diagnostics.h"
#include "charts.h"
#include "page.h"

#define PAGE_PATH "docs/reproduction.md"
#define CHART_PATH "docs/" PAGE_CHART_FOLDER

/* Writes a text that is complete to a file, and frees it. */
static wb_status write_text(const char *path, struct text *text, wb_diagnostics *diagnostics) {
    char *complete = text_take(text);
    wb_status status = complete != NULL ? wb_file_write(path, complete, diagnostics)
                                        : diagnose_out_of_memory(diagnostics, path);
    free(complete);
    return status;
}

static wb_status write_chart(const char *name, struct text *text, wb_diagnostics *diagnostics) {
    char path[256];
    (void)snprintf(path, sizeof path, CHART_PATH "/%s", name);
    return write_text(path, text, diagnostics);
}

static wb_status write_charts(const struct study *study, wb_diagnostics *diagnostics) {
    struct text text = {0};
    (void)mkdir(CHART_PATH, 0777); /* where this fails for another reason than that it exists, writing does */
    for (size_t p = 0; p < POLICY_COUNT; p++) {
        chart_methods(&text, study, (enum policy)p);
        WB_TRY(write_chart(page_policy_charts[p], &text, diagnostics));
    }
    for (size_t k = 0; k < SGEMM_COUNT; k++) {
        chart_sgemm(&text, study, (enum sgemm)k);
        WB_TRY(write_chart(page_sgemm_charts[k], &text, diagnostics));
    }
    return WB_OK;
}

static wb_status reproduce(wb_diagnostics *diagnostics) {
    struct study study;
    struct text page = {0};
    wb_status status = study_run(diagnostics, &study);
    if (status == WB_OK) status = write_charts(&study, diagnostics);
    if (status == WB_OK) {
        page_write(&page, &study);
        status = write_text(PAGE_PATH, &page, diagnostics);
    }
    study_free(&study);
    return status;
}

int main(void) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (diagnostics == NULL) return WB_ERR_LIMIT;
    wb_status status = reproduce(diagnostics);
    if (status == WB_OK)
        puts("wrote " PAGE_PATH " and " CHART_PATH "/*.svg");
    else
        (void)fputs(wb_diagnostics_text(diagnostics), stderr);
    wb_diagnostics_free(diagnostics);
    return (int)status;
}
