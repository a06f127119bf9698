/* Outputs that would take the place of what they are made from, or of each other. */
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "values.h"

/* Whether two names are of one regular file. */
static bool are_one_file(const char *a, const char *b) {
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && S_ISREG(of_a.st_mode) &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

static bool is_input(const struct options *options, const char *path) {
    const char *const inputs[] = {options->launch, options->facts, options->machine, options->ptxas_info,
                                  options->cubin};
    for (size_t i = 0; i < options->arguments.count; i++) {
        const char *data = strstr(options->arguments.items[i], "=@");
        if (data != NULL && are_one_file(path, data + 2)) return true;
    }
    for (size_t i = 0; i < options->operands.count; i++)
        if (are_one_file(path, options->operands.items[i])) return true;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i] != NULL && are_one_file(path, inputs[i])) return true;
    return false;
}

/* Sources are found only while a kernel is analysed: a file that has the name of one is taken for one. */
static bool is_source(const char *path) {
    static const char *const ends[] = {".cu", ".cuh", ".cl", ".c", ".h", ".cpp", ".hpp", ".ptx"};
    struct stat status;
    const char *end = strrchr(path, '.');
    if (end == NULL || stat(path, &status) != 0) return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strcmp(end, ends[i]) == 0) return true;
    return false;
}

static bool are_both(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, "-") != 0 && strcmp(a, b) == 0;
}

wb_status refuse_overwriting(struct options *options, wb_diagnostics *diagnostics) {
    const char *const outputs[] = {options->output, options->report, options->annotate, options->certificate};
    const size_t count = sizeof outputs / sizeof *outputs;
    const char *problem = NULL, *path = NULL;
    for (size_t i = 0; i < count && problem == NULL; i++) {
        path = outputs[i];
        if (path == NULL) continue;
        if (is_input(options, path))
            problem = "this input would be overwritten; write to another file";
        else if (path == options->annotate && is_source(path))
            problem = "an existing source file would be overwritten; write to another file";
        for (size_t j = 0; j < i && problem == NULL; j++)
            if (are_both(path, outputs[j])) problem = "two outputs cannot share one file";
    }
    if (problem == NULL) return WB_OK;
    wb_diagnostics_error(diagnostics, path, problem);
    options->output = NULL; /* what is written of failures, neither */
    return WB_ERR_INPUT;
}
