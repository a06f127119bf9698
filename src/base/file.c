#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

static wb_status read_failed(wb_diagnostics *diagnostics, const char *path, int error) {
    if (error == ENOMEM) return diagnose_out_of_memory(diagnostics, path);
    diagnose(diagnostics, SEVERITY_ERROR, path, "cannot read: %s", strerror_l(error, c_locale()));
    return WB_ERR_INPUT;
}

static wb_status too_large(wb_diagnostics *diagnostics, const char *path, size_t most) {
    diagnose(diagnostics, SEVERITY_ERROR, path, "larger than %zu bytes", most);
    return WB_ERR_INPUT;
}

/* Bytes that are asked for at once where the size of the file is not known. */
#define PIECE ((size_t)1 << 16)

/* Reads from `fd` until its end, or until there are more than `most` bytes, into a growing buffer that starts
 * with room for `expected` bytes. */
static wb_status read_all(int fd, const char *path, size_t expected, size_t most, wb_diagnostics *diagnostics,
                          char **text, size_t *size) {
    VEC(char) buffer = {0};
    wb_status status = vec_reserve(&buffer, expected + 2);
    while (status == WB_OK) {
        if (buffer.capacity - buffer.count < 2) status = vec_reserve(&buffer, PIECE);
        if (status != WB_OK) break;
        const size_t room = buffer.capacity - buffer.count - 1, wanted = most + 1 - buffer.count;
        ssize_t got = read(fd, buffer.items + buffer.count, room < wanted ? room : wanted);
        if (got == 0) break;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            status = read_failed(diagnostics, path, errno);
            break;
        }
        buffer.count += (size_t)got;
        if (buffer.count > most) status = too_large(diagnostics, path, most);
    }
    if (status != WB_OK) {
        if (status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(diagnostics, path);
        vec_free(&buffer);
        return status;
    }
    buffer.items[buffer.count] = '\0';
    *text = buffer.items;
    *size = buffer.count;
    return WB_OK;
}

/* A file descriptor of its own for one of the standard streams, which is thus closed like any other. */
static int open_stream(int stream) {
    return fcntl(stream, F_DUPFD_CLOEXEC, 0);
}

static bool is_stream(const char *path) {
    return strcmp(path, FILE_STREAM) == 0;
}

wb_status file_read(const char *path, size_t most, wb_diagnostics *diagnostics, char **text, size_t *size) {
    int fd = is_stream(path) ? open_stream(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return read_failed(diagnostics, path, errno);
    struct stat info;
    wb_status status = WB_OK;
    if (fstat(fd, &info) != 0) status = read_failed(diagnostics, path, errno);
    if (status == WB_OK && S_ISDIR(info.st_mode)) status = read_failed(diagnostics, path, EISDIR);
    const size_t expected = status == WB_OK && S_ISREG(info.st_mode) ? (size_t)info.st_size : 0;
    if (status == WB_OK && expected > most) status = too_large(diagnostics, path, most);
    if (status == WB_OK) status = read_all(fd, path, expected, most, diagnostics, text, size);
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

/* Most links from one to the next, and names tried for a temporary file. */
#define LINKS_MAX 40
#define NAMES_MAX 100u

/* Follows the link at `path`, if it is one, and those behind it; 0 or the errno value. */
static int follow_links(const char *path, struct text *target) {
    char link[PATH_MAX];
    text_string(target, path);
    for (int links = 0; !target->failed; links++) {
        ssize_t length = readlink(target->data, link, sizeof link);
        if (length < 0) return 0; /* no link, or nothing there: opening it says what is wrong */
        if (links == LINKS_MAX || (size_t)length == sizeof link) return ELOOP;
        const char *slash = link[0] == '/' ? NULL : strrchr(target->data, '/');
        struct text next = {0};
        if (slash != NULL) text_append(&next, target->data, (size_t)(slash - target->data) + 1);
        text_append(&next, link, (size_t)length);
        text_free(target);
        *target = next;
    }
    return ENOMEM;
}

/* The name of a temporary file beside the output. */
static void name_temporary(struct file_output *output, unsigned attempt) {
    output->temporary.length = 0;
    text_printf(&output->temporary, "%s.%u-%u", output->target.data, (unsigned)getpid(), attempt);
}

/* A file without a name in the folder of the output: it goes away by itself however the process ends. -1
 * where the file system has none, or where there is no way to give it a name. */
static int open_unnamed(const struct file_output *output) {
    const char *path = output->target.data, *slash = strrchr(path, '/');
    struct text folder = {0};
    text_append(&folder, path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
    if (slash == NULL) text_char(&folder, '.');
    int fd = folder.failed || access("/proc/self/fd", X_OK) != 0
                 ? -1
                 : open(folder.data, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    text_free(&folder);
    return fd;
}

static int open_named(struct file_output *output) {
    for (unsigned attempt = 0; output->fd < 0; attempt++) {
        name_temporary(output, attempt);
        if (output->temporary.failed) return ENOMEM;
        output->fd = open(output->temporary.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->fd < 0 && (errno != EEXIST || attempt == NAMES_MAX)) return errno;
    }
    return 0;
}

/* Makes the file that is written to: the system gives it the rights of a new file, and those of the file that
 * it will replace are given to it here. */
static int open_temporary(struct file_output *output, const struct stat *replaced) {
    output->fd = open_unnamed(output);
    output->unnamed = output->fd >= 0;
    int error = output->unnamed ? 0 : open_named(output);
    if (error != 0) return error;
    if (replaced == NULL || fchmod(output->fd, replaced->st_mode & 07777) == 0) return 0;
    error = errno;
    (void)close(output->fd);
    if (!output->unnamed) (void)unlink(output->temporary.data);
    return error;
}

/* Gives the complete file the name of a temporary one, which can replace another file. */
static int name_unnamed(struct file_output *output) {
    struct text own = {0};
    int error = EEXIST;
    text_printf(&own, "/proc/self/fd/%d", output->fd);
    for (unsigned attempt = 0; error == EEXIST && attempt <= NAMES_MAX; attempt++) {
        name_temporary(output, attempt);
        const bool failed = own.failed || output->temporary.failed;
        const bool named =
            !failed && linkat(AT_FDCWD, own.data, AT_FDCWD, output->temporary.data, AT_SYMLINK_FOLLOW) == 0;
        error = named ? 0 : failed ? ENOMEM : errno;
    }
    text_free(&own);
    return error;
}

/* As file_output_open, of what is no standard stream. */
static int open_file(const char *path, struct file_output *output) {
    struct stat info;
    /* Pipes are not to be found by the links that lead to them, such as /dev/stdout. */
    const bool is_other = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    int error = is_other ? 0 : follow_links(path, &output->target);
    const bool exists = is_other || (error == 0 && stat(output->target.data, &info) == 0);
    if (error == 0 && (!exists || S_ISREG(info.st_mode))) {
        error = open_temporary(output, exists ? &info : NULL);
    } else if (error == 0) {
        output->fd = open(path, O_WRONLY | O_CLOEXEC);
        if (output->fd < 0) error = errno;
    }
    if (error == 0) return 0;
    text_free(&output->target);
    text_free(&output->temporary);
    return error;
}

int file_output_open(const char *path, struct file_output *output) {
    *output = (struct file_output){.path = path, .fd = -1};
    if (!is_stream(path)) return open_file(path, output);
    output->fd = open_stream(STDOUT_FILENO);
    return output->fd < 0 ? errno : 0;
}

int file_output_close(struct file_output *output, int error) {
    bool named = !output->unnamed && output->temporary.length > 0;
    if (error == 0 && output->unnamed) {
        error = name_unnamed(output);
        named = error == 0;
    }
    if (close(output->fd) != 0 && error == 0) error = errno;
    if (named) {
        if (error == 0 && rename(output->temporary.data, output->target.data) != 0) error = errno;
        if (error != 0) (void)unlink(output->temporary.data);
    }
    text_free(&output->target);
    text_free(&output->temporary);
    return error;
}

wb_status file_write_failed(wb_diagnostics *diagnostics, const char *path, int error) {
    if (error == ENOMEM) return diagnose_out_of_memory(diagnostics, path);
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

bool file_ends_with(const char *name, const char *ending) {
    const size_t length = strlen(name), least = strlen(ending);
    return length >= least && strcmp(name + length - least, ending) == 0;
}

/* ---- What results are made from ---- */

static const char *const role_names[] = {
    [WB_INPUT_PTX] = "ptx",         [WB_INPUT_LAUNCH] = "launch",   [WB_INPUT_DATA] = "data",
    [WB_INPUT_FACTS] = "facts",     [WB_INPUT_PRESET] = "preset",   [WB_INPUT_MACHINE] = "machine",
    [WB_INPUT_BY_HAND] = "by-hand", [WB_INPUT_PROBLEM] = "problem", [WB_INPUT_PTXAS] = "ptxas-info",
    [WB_INPUT_CUBIN] = "cubin",     [WB_INPUT_PROGRAM] = "program",
};

const char *wb_input_role_name(wb_input_role role) {
    return role_names[role];
}

static void sha256(const void *bytes, size_t size, char hex[WB_SHA256_DIGITS + 1]) {
    static const char digits[] = "0123456789abcdef";
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, size, bytes);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[WB_SHA256_DIGITS] = '\0';
}

wb_input input_of(wb_input_role role, const char *path, const void *bytes, size_t size) {
    _Static_assert(2 * SHA256_DIGEST_SIZE == WB_SHA256_DIGITS, "two digits a byte");
    wb_input input = {.role = role, .path = path, .bytes = size};
    sha256(bytes, size, input.sha256);
    return input;
}

wb_status input_copy(const wb_input *input, struct arena *arena, wb_input *copy) {
    const char *path = arena_string(arena, input->path, strlen(input->path));
    if (path == NULL) return WB_ERR_LIMIT;
    *copy = *input;
    copy->path = path;
    return WB_OK;
}

bool input_equal(const wb_input *a, const wb_input *b) {
    return a->role == b->role && a->bytes == b->bytes && strcmp(a->sha256, b->sha256) == 0 &&
           strcmp(a->path, b->path) == 0;
}
