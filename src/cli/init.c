/* warpbound init: a launch file to be completed by hand. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

/* Room for a path. */
#define PATH_ROOM PATH_MAX

static bool is_stream(const char *path) {
    return strcmp(path, "-") == 0;
}

/* The launch file of a PTX file: beside it, its name with .yaml for .ptx. False: it is too long. */
static bool beside(const char *ptx, char file[PATH_ROOM]) {
    const char *slash = strrchr(ptx, '/'), *dot = strrchr(ptx, '.');
    const bool has_ending = dot != NULL && (slash == NULL || dot > slash + 1) && dot != ptx;
    const int stem = (int)(has_ending ? (size_t)(dot - ptx) : strlen(ptx));
    if (is_stream(ptx)) return snprintf(file, PATH_ROOM, "-") > 0;
    return snprintf(file, PATH_ROOM, "%.*s.yaml", stem, ptx) < PATH_ROOM;
}

/* The launch file of a kernel of a program, which has several: beside it, the kernel's name with .yaml. */
static bool beside_program(const char *program, const wb_kernel *kernel, char file[PATH_ROOM]) {
    const char *slash = strrchr(program, '/');
    char *name = wb_kernel_short_name(kernel);
    const int folder = slash == NULL ? 0 : (int)(slash + 1 - program);
    const int length =
        name == NULL ? PATH_ROOM : snprintf(file, PATH_ROOM, "%.*s%s.yaml", folder, program, name);
    free(name);
    return length < PATH_ROOM;
}

/* The folder of a path, with links followed and a slash at its end. */
static bool folder_of(const char *path, char folder[PATH_ROOM]) {
    char given[PATH_ROOM];
    const char *slash = strrchr(path, '/');
    const int length = slash == NULL ? 0 : (int)(slash - path) + 1;
    if (snprintf(given, sizeof given, "%.*s", length == 0 ? 1 : length, length == 0 ? "." : path) >=
            PATH_ROOM ||
        realpath(given, folder) == NULL)
        return false;
    const size_t end = strlen(folder);
    if (end > 1 && end + 1 < PATH_ROOM) memcpy(folder + end, "/", 2);
    return true;
}

/* How a launch file names a file: relative to its own folder, but for one that is given from the root and
 * lies elsewhere. False: that is too long, or a folder is not there. */
static bool name_from(const char *launch, const char *ptx, char name[PATH_ROOM]) {
    char from[PATH_ROOM], to[PATH_ROOM];
    const char *slash = strrchr(ptx, '/'), *base = slash == NULL ? ptx : slash + 1;
    size_t same = 0, length = 0;
    if (!folder_of(is_stream(launch) ? "here" : launch, from) || !folder_of(ptx, to)) return false;
    for (size_t i = 0; from[i] == to[i] && from[i] != '\0'; i++)
        if (from[i] == '/') same = i + 1;
    if (ptx[0] == '/' && from[same] != '\0') return snprintf(name, PATH_ROOM, "%s", ptx) < PATH_ROOM;
    for (const char *c = from + same; *c != '\0'; c++) {
        if (*c != '/') continue;
        if (length + 3 >= PATH_ROOM) return false;
        (void)snprintf(name + length, PATH_ROOM - length, "../");
        length += 3;
    }
    return snprintf(name + length, PATH_ROOM - length, "%s%s", to + same, base) < (int)(PATH_ROOM - length);
}

/* How many values of the file are to be filled in: those outside of comments. */
static unsigned blanks_in(const char *text) {
    unsigned blanks = 0;
    bool comment = false;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '#' || *c == '\n') comment = *c == '#';
        blanks += !comment && strncmp(c, "___", 3) == 0;
    }
    return blanks;
}

/* Says what was done, and what comes next. Control characters in the name could do anything to a terminal. */
static wb_status say(const char *launch, const char *what, wb_diagnostics *diagnostics) {
    char name[PATH_ROOM];
    (void)snprintf(name, sizeof name, "%s", launch);
    for (char *c = name; *c != '\0'; c++) /* and those of U+2000 to U+207F could turn its direction */
        if ((unsigned char)*c < ' ' || *c == 0x7f || strncmp(c, "\xe2\x80", 2) == 0 ||
            strncmp(c, "\xe2\x81", 2) == 0)
            memset(c, '?', *c == '\xe2' ? 3 : 1);
    if (printf("%s: %s: warpbound analyze %s\n", name, what, name) < 0 || fflush(stdout) != 0)
        return usage_error(diagnostics, "cannot write to standard output");
    return WB_OK;
}

/* A launch file that exists is left as it is. */
static wb_status keep(const char *launch, wb_diagnostics *diagnostics) {
    bool is_launch = false;
    const wb_status status = wb_is_launch_file(launch, diagnostics, &is_launch);
    if (status != WB_OK) return status;
    if (!is_launch) {
        wb_diagnostics_error(
            diagnostics, launch,
            "exists and is not a launch file: name another file with -o FILE, or replace it with --force");
        return WB_ERR_INPUT;
    }
    return say(launch,
               "exists and was not changed; replace it with --force, or name another file with -o FILE\nnext",
               diagnostics);
}

static wb_status write_launch(const char *launch, const char *text, wb_diagnostics *diagnostics) {
    char what[80] = "written\nnext";
    const unsigned blanks = blanks_in(text);
    wb_status status = wb_file_write(launch, text, diagnostics);
    if (status != WB_OK || is_stream(launch)) return status;
    if (blanks > 0)
        (void)snprintf(what, sizeof what, "written; fill in %u value%s marked ___\nthen", blanks,
                       blanks == 1 ? "" : "s");
    return say(launch, what, diagnostics);
}

/* The kernel, and of its launch what is known: registers, where ptxas has said them. */
static wb_status load(const struct options *options, wb_diagnostics *diagnostics, struct inputs *inputs) {
    inputs->launch = wb_launch_new();
    if (inputs->launch == NULL) return WB_ERR_LIMIT;
    wb_status status = inputs_load_described(options, diagnostics, inputs);
    if (status != WB_OK || options->ptxas_info == NULL) return status;
    return wb_launch_read_ptxas_info(inputs->launch, options->ptxas_info, inputs->kernel, diagnostics);
}

int command_init(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    char beside_ptx[PATH_ROOM], code[PATH_ROOM];
    char *text = NULL;
    wb_status status = load(options, diagnostics, &inputs);
    if (status != WB_OK) {
        inputs_free(&inputs);
        return (int)status;
    }
    const char *ptx = options->operands.items[0];
    const bool is_program = wb_module_origin(inputs.module) != NULL && !is_stream(ptx);
    const bool named = is_program ? beside_program(ptx, inputs.kernel, beside_ptx) : beside(ptx, beside_ptx);
    const char *launch = options->output != NULL ? options->output : beside_ptx;
    if (options->output == NULL && !named) {
        status = usage_error(diagnostics, "the name of the file is too long: name a launch file with -o");
    } else if (!is_stream(launch) && !options->force && access(launch, F_OK) == 0) {
        status = keep(launch, diagnostics);
    } else {
        const bool has_code = !is_stream(ptx) && name_from(launch, ptx, code);
        status = wb_launch_template(inputs.kernel, has_code ? code : NULL, wb_launch_registers(inputs.launch),
                                    diagnostics, &text);
        if (status == WB_OK) status = write_launch(launch, text, diagnostics);
    }
    free(text);
    inputs_free(&inputs);
    return (int)status;
}
