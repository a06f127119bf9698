/* Outputs that would take the place of what they are made from, or of each other. */
#include <limits.h>
#include <stdio.h>
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

/* Whether a field of a struct has the contents of that file. */
static bool is_named_in_struct(const char *path, const char *field) {
    char name[PATH_MAX];
    const int length = (int)strcspn(field, ",}]");
    return snprintf(name, sizeof name, "%.*s", length, field) < PATH_MAX && are_one_file(path, name);
}

static bool is_input(const struct options *options, const char *path) {
    const char *const inputs[] = {options->launch,     options->facts, options->machine,
                                  options->ptxas_info, options->cubin, options->trace};
    for (size_t i = 0; i < options->arguments.count; i++) {
        const char *argument = options->arguments.items[i];
        for (const char *data = argument; (data = strstr(data, "=@")) != NULL; data += 2)
            if (are_one_file(path, data + 2) || is_named_in_struct(path, data + 2)) return true;
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
