/* Reading whole files and writing them so that no reader ever sees half of one. */
#ifndef WB_BASE_FILE_H
#define WB_BASE_FILE_H

#include "base/diagnostics.h"

/* Most bytes of a file of settings. */
#define SETTINGS_SIZE_MAX ((size_t)1 << 20)

/* The path that stands for the standard streams of the process: input where a file is read, output where one
 * is written. */
#define FILE_STREAM "-"

/* Reads `path` (a file, a pipe or FILE_STREAM) to its end, which must come within `most` bytes: no more are
 * read, of a device neither. On success *text is malloc'd, NUL-terminated behind its *size bytes, and the
 * caller's to free. WB_ERR_INPUT when it cannot be read or is larger, WB_ERR_LIMIT when memory is exhausted;
 * both with a message. */
wb_status file_read(const char *path, size_t most, wb_diagnostics *diagnostics, char **text, size_t *size);

/* A file being written: what is written to `fd` stands in a temporary file in the folder of the one at `path`
 * until it is complete, without a name where the file system has such files. Links are followed: the file
 * that they lead to is the one that is replaced, and keeps its rights. Pipes, devices and FILE_STREAM are
 * written at once. */
struct file_output {
    const char *path;
    int fd;
    struct text target;    /* the path with links followed */
    bool unnamed;          /* the temporary file has no name yet */
    struct text temporary; /* its name; empty where there is none */
};

/* Returns 0 or an errno value; only after 0 is there something to be closed. */
int file_output_open(const char *path, struct file_output *output);

/* Puts the file in its place if `error` is 0, else takes it away. Returns `error`, or what went wrong. */
int file_output_close(struct file_output *output, int error);

/* The message that writing failed: WB_ERR_LIMIT where memory is exhausted, else WB_ERR_INPUT. */
wb_status file_write_failed(wb_diagnostics *diagnostics, const char *path, int error);

/* Whether a name ends so, as ".ptx". */
bool file_ends_with(const char *name, const char *ending);

#endif
