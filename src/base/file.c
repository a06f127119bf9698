#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/c_locale.h"

static wb_status read_failed(wb_diagnostics *diagnostics, const char *path, int error) {
    diagnose(diagnostics, SEVERITY_ERROR, path, "cannot read: %s", strerror_l(error, c_locale()));
    return WB_ERR_INPUT;
}

/* Reads from `fd` until its end into a growing buffer that starts with room for `expected` bytes. */
static wb_status read_all(int fd, const char *path, size_t expected, wb_diagnostics *diagnostics, char **text,
                          size_t *size) {
    VEC(char) buffer = {0};
    wb_status status = vec_reserve(&buffer, expected + 1);
    while (status == WB_OK) {
        status = vec_reserve(&buffer, (size_t)1 << 16);
        if (status != WB_OK) break;
        ssize_t got = read(fd, buffer.items + buffer.count, buffer.capacity - buffer.count - 1);
        if (got == 0) break;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            status = read_failed(diagnostics, path, errno);
            break;
        }
        buffer.count += (size_t)got;
        if (buffer.count > SOURCE_SIZE_MAX) {
            diagnose(diagnostics, SEVERITY_ERROR, path, "larger than %zu bytes", SOURCE_SIZE_MAX);
            status = WB_ERR_INPUT;
        }
    }
    if (status != WB_OK) {
        if (status == WB_ERR_LIMIT) diagnose(diagnostics, SEVERITY_ERROR, path, "out of memory");
        vec_free(&buffer);
        return status;
    }
    buffer.items[buffer.count] = '\0';
    *text = buffer.items;
    *size = buffer.count;
    return WB_OK;
}

wb_status file_read(const char *path, wb_diagnostics *diagnostics, char **text, size_t *size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return read_failed(diagnostics, path, errno);
    struct stat info;
    wb_status status = WB_OK;
    if (fstat(fd, &info) != 0) status = read_failed(diagnostics, path, errno);
    if (status == WB_OK && S_ISDIR(info.st_mode)) status = read_failed(diagnostics, path, EISDIR);
    if (status == WB_OK && S_ISREG(info.st_mode) && (size_t)info.st_size > SOURCE_SIZE_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, path, "larger than %zu bytes", SOURCE_SIZE_MAX);
        status = WB_ERR_INPUT;
    }
    if (status == WB_OK) {
        size_t expected = S_ISREG(info.st_mode) ? (size_t)info.st_size : 0;
        status = read_all(fd, path, expected, diagnostics, text, size);
    }
    (void)close(fd);
    return status;
}

/* Writes all of `text` to `fd`; 0 or the errno value. */
static int write_all(int fd, const char *text, size_t size) {
    while (size > 0) {
        ssize_t put = write(fd, text, size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno;
        text += put;
        size -= (size_t)put;
    }
    return 0;
}

/* Makes the temporary file, with the rights that a new file would have. */
static int open_temporary(struct file_output *output) {
    text_printf(&output->temporary, "%s.XXXXXX", output->path);
    if (output->temporary.failed) return ENOMEM;
    output->fd = mkstemp(output->temporary.data);
    if (output->fd < 0) return errno;
    mode_t mask = umask(0);
    (void)umask(mask);
    if (fchmod(output->fd, 0666 & ~mask) == 0) return 0;
    return file_output_close(output, errno);
}

int file_output_open(const char *path, struct file_output *output) {
    struct stat info;
    *output = (struct file_output){.path = path, .fd = -1};
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode)) {
        int error = open_temporary(output);
        if (error != 0) text_free(&output->temporary);
        return error;
    }
    output->fd = open(path, O_WRONLY | O_CLOEXEC);
    return output->fd < 0 ? errno : 0;
}

int file_output_close(struct file_output *output, int error) {
    if (close(output->fd) != 0 && error == 0) error = errno;
    if (output->temporary.length > 0) {
        if (error == 0 && rename(output->temporary.data, output->path) != 0) error = errno;
        if (error != 0) (void)unlink(output->temporary.data);
    }
    text_free(&output->temporary);
    return error;
}

wb_status file_write_failed(wb_diagnostics *diagnostics, const char *path, int error) {
    diagnose(diagnostics, SEVERITY_ERROR, path, "cannot write: %s", strerror_l(error, c_locale()));
    return WB_ERR_INPUT;
}

wb_status wb_file_write(const char *path, const char *text, wb_diagnostics *diagnostics) {
    struct file_output output;
    int error = file_output_open(path, &output);
    if (error == 0) error = file_output_close(&output, write_all(output.fd, text, strlen(text)));
    return error == 0 ? WB_OK : file_write_failed(diagnostics, path, error);
}

struct wb_file {
    struct file_output output;
    char *path; /* of the output */
    int error;  /* 0, or the errno value of what went wrong first */
    bool open;
};

wb_status wb_file_new(const char *path, wb_diagnostics *diagnostics, wb_file **file) {
    struct wb_file *made = calloc(1, sizeof *made);
    char *copy = strdup(path);
    int error = made == NULL || copy == NULL ? ENOMEM : file_output_open(copy, &made->output);
    if (error != 0) {
        free(made);
        free(copy);
        return file_write_failed(diagnostics, path, error);
    }
    made->path = copy;
    made->open = true;
    *file = made;
    return WB_OK;
}

bool wb_file_append(void *file, const char *bytes, size_t size) {
    struct wb_file *to = file;
    if (to->error == 0) to->error = write_all(to->output.fd, bytes, size);
    return to->error == 0;
}

wb_status wb_file_complete(wb_file *file, wb_diagnostics *diagnostics) {
    if (file->open) file->error = file_output_close(&file->output, file->error);
    file->open = false;
    return file->error == 0 ? WB_OK : file_write_failed(diagnostics, file->path, file->error);
}

void wb_file_free(wb_file *file) {
    if (file == NULL) return;
    if (file->open) (void)file_output_close(&file->output, ECANCELED);
    free(file->path);
    free(file);
}
