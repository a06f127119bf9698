#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/diagnostics.h"

/* Writes a text that is complete to a file, and frees it. */
static wb_status write_text(const char *path, struct text *text, wb_diagnostics *diagnostics) {
    char *complete = text_take(text);
    wb_status status = complete != NULL ? wb_file_write(path, complete, diagnostics)
                                        : diagnose_out_of_memory(diagnostics, path);
    free(complete);
    return status;
}

wb_status output_page(const struct output *output, struct text *text) {
    char path[256];
    (void)snprintf(path, sizeof path, OUTPUT_FOLDER "/%s.md", output->paper);
    return write_text(path, text, output->diagnostics);
}

wb_status output_file(const struct output *output, const char *file, struct text *text) {
    char path[256];
    (void)snprintf(path, sizeof path, OUTPUT_FOLDER "/%s", output->paper);
    (void)mkdir(path, 0777); /* where this fails for another reason than that it exists, writing does */
    (void)snprintf(path, sizeof path, OUTPUT_FOLDER "/%s/%s", output->paper, file);
    return write_text(path, text, output->diagnostics);
}

void output_put_image(const struct output *output, const char *file, const char *what, struct text *page) {
    text_printf(page, "![%s](%s/%s)\n\n", what, output->paper, file);
}

int output_main(const char *paper, wb_status (*reproduce)(const struct output *output)) {
    const struct output output = {.paper = paper, .diagnostics = wb_diagnostics_new()};
    if (output.diagnostics == NULL) return WB_ERR_LIMIT;
    wb_status status = reproduce(&output);
    if (status == WB_OK)
        printf("wrote " OUTPUT_FOLDER "/%s.md and its pictures\n", paper);
    else
        (void)fputs(wb_diagnostics_text(output.diagnostics), stderr);
    wb_diagnostics_free(output.diagnostics);
    return (int)status;
}
