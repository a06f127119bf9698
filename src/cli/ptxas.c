#include "ptxas.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stop.h"

/* What is looked for, and where messages say that they are from. */
#define PROGRAM "ptxas"

/* Seconds that a run may take, and between two looks whether it has ended. */
#define RUN_SECONDS 60
#define LOOK_SECONDS 0.01

/* Most bytes of machine code, and of what is said on standard output and error, that are read. */
#define CODE_MAX (64u << 20)
#define SAID_MAX 2000u

/* ---- Where it is ----------------------------------------------------------------------------------------
 */

static bool is_program(const char *path) {
    struct stat stat_of;
    return stat(path, &stat_of) == 0 && S_ISREG(stat_of.st_mode) && access(path, X_OK) == 0;
}

static bool is_in(const char *folder, size_t length, const char *below, char path[PATH_MAX]) {
    if (length == 0) return false;
    const int written = snprintf(path, PATH_MAX, "%.*s%s/" PROGRAM, (int)length, folder, below);
    return written > 0 && written < PATH_MAX && is_program(path);
}

static bool is_in_path(char path[PATH_MAX]) {
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        const size_t length = strcspn(folders, ":");
        if (length < PATH_MAX && is_in(folders, length, "", path)) return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

static bool is_in_toolkit(const char *variable, char path[PATH_MAX]) {
    const char *folder = getenv(variable);
    return folder != NULL && strlen(folder) < PATH_MAX && is_in(folder, strlen(folder), "/bin", path);
}

static wb_status find_program(const char *given, const char *without, wb_diagnostics *diagnostics,
                              char path[PATH_MAX]) {
    char message[300];
    static const char usual[] = "/usr/local/cuda";
    if (given != NULL) {
        if (strlen(given) < PATH_MAX && is_program(given)) {
            (void)snprintf(path, PATH_MAX, "%s", given);
            return WB_OK;
        }
        wb_diagnostics_error(diagnostics, given, "is not an executable program");
        return WB_ERR_INPUT;
    }
    if (is_in_path(path) || is_in_toolkit("CUDA_HOME", path) || is_in_toolkit("CUDA_PATH", path) ||
        is_in(usual, sizeof usual - 1, "/bin", path))
        return WB_OK;
    (void)snprintf(
        message, sizeof message,
        "is not found in PATH, CUDA_HOME, CUDA_PATH or /usr/local/cuda: name it with --ptxas, or %s",
        without);
    wb_diagnostics_error(diagnostics, PROGRAM, message);
    return WB_ERR_DECLINED;
}

/* ---- A folder for it ------------------------------------------------------------------------------------
 */

/* What their names begin with. */
#define FOLDER_PREFIX "warpbound-ptxas-"

struct folder {
    char path[PATH_MAX - 16]; /* with room for the names of files in it */
    int lock;                 /* held as long as the process lives, however it ends */
};

/* Locks a folder of this user; -1: it is none, or who made it still lives. */
static int folder_lock(const char *path) {
    struct stat stat_of;
    const int lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (lock < 0) return -1;
    if (fstat(lock, &stat_of) == 0 && stat_of.st_uid == geteuid() && flock(lock, LOCK_EX | LOCK_NB) == 0)
        return lock;
    (void)close(lock);
    return -1;
}

static int remove_entry(const char *path, const struct stat *stat_of, int kind, struct FTW *at) {
    (void)stat_of;
    (void)kind;
    (void)at;
    (void)remove(path);
    return 0;
}

static void folder_remove(const struct folder *folder) {
    (void)nftw(folder->path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    (void)close(folder->lock);
}

/* Removes the folders of processes that were killed. One that was just made and is not locked yet may go,
 * too: whoever made it finds that and makes another. */
static void folders_clean(const char *place) {
    char pattern[PATH_MAX];
    glob_t found = {0};
    const int length = snprintf(pattern, sizeof pattern, "%s/" FOLDER_PREFIX "??????", place);
    if (length < 0 || (size_t)length >= sizeof pattern || glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct folder left = {.lock = folder_lock(found.gl_pathv[i])};
        if (left.lock < 0) continue;
        (void)snprintf(left.path, sizeof left.path, "%s", found.gl_pathv[i]);
        folder_remove(&left);
    }
    globfree(&found);
}

static bool folder_make(struct folder *folder) {
    const char *place = getenv("TMPDIR");
    if (place == NULL || *place == '\0') place = "/tmp";
    folders_clean(place);
    for (unsigned attempt = 0; attempt < 9; attempt++) {
        const int written = snprintf(folder->path, sizeof folder->path, "%s/" FOLDER_PREFIX "XXXXXX", place);
        if (written < 0 || (size_t)written >= sizeof folder->path || mkdtemp(folder->path) == NULL)
            return false;
        folder->lock = folder_lock(folder->path);
        if (folder->lock >= 0 && access(folder->path, W_OK) == 0) return true;
        if (folder->lock >= 0) (void)close(folder->lock);
    }
    return false;
}

static void folder_file(const struct folder *folder, const char *name, char path[PATH_MAX]) {
    (void)snprintf(path, PATH_MAX, "%s/%s", folder->path, name);
}

static bool write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wbx");
    if (file == NULL) return false;
    const bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written;
}

/* At most `most` bytes of a file with a zero byte behind them, malloc'd; NULL when it is no usual file, or,
 * with `whole`, longer. */
static char *read_bytes(const char *path, size_t most, bool whole, size_t *size) {
    const int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat stat_of;
    if (descriptor < 0) return NULL;
    char *bytes = NULL;
    if (fstat(descriptor, &stat_of) == 0 && S_ISREG(stat_of.st_mode) &&
        (!whole || (uintmax_t)stat_of.st_size <= most)) {
        const size_t wanted = (uintmax_t)stat_of.st_size < most ? (size_t)stat_of.st_size : most;
        bytes = malloc(wanted + 1);
        size_t count = 0;
        while (bytes != NULL && count < wanted) {
            const ssize_t got = read(descriptor, bytes + count, wanted - count);
            if (got <= 0) break;
            count += (size_t)got;
        }
        if (bytes != NULL) bytes[count] = '\0';
        *size = count;
    }
    (void)close(descriptor);
    return bytes;
}

/* ---- A run ----------------------------------------------------------------------------------------------
 */

/* Waits for the end of a process, which is ended with all that it started when it takes too long or the
 * command is to stop. */
static bool wait_for(pid_t process, int *status) {
    const struct timespec pause = {0, (long)(LOOK_SECONDS * 1e9)};
    const int looks = (int)(RUN_SECONDS / LOOK_SECONDS);
    for (int look = 0; look < looks && !stop_requested(); look++) {
        if (waitpid(process, status, WNOHANG) == process) {
            (void)kill(-process, SIGKILL);
            return true;
        }
        (void)nanosleep(&pause, NULL);
    }
    (void)kill(-process, SIGKILL);
    (void)waitpid(process, status, 0);
    return false;
}

/* Starts a program, in a group of processes of its own, without input, all that it says in a file. */
static bool start(char *const arguments[], const char *said, pid_t *process) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&files) != 0) return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&files);
        return false;
    }
    const bool started =
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, said, O_WRONLY | O_CREAT | O_TRUNC, 0600) ==
            0 &&
        posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO) == 0 &&
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP) == 0 &&
        posix_spawn(process, arguments[0], &files, &attributes, arguments, environ) == 0;
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&files);
    return started;
}

/* One line of what it said, which begins at *said, as far as a message has room; false: there is none. The
 * folder's name, which is gone afterwards, is left out. */
static bool next_line(const char **said, const struct folder *folder, char line[301]) {
    const size_t folder_length = strlen(folder->path);
    size_t length = 0;
    const char *at = *said == NULL ? "" : *said;
    while (*at == '\n')
        at++;
    const bool some = *at != '\0';
    while (*at != '\0' && *at != '\n') {
        if (strncmp(at, folder->path, folder_length) == 0 && at[folder_length] == '/') {
            at += folder_length + 1;
            continue;
        }
        if (length < 300) line[length++] = *at >= ' ' && *at <= '~' ? *at : '?';
        at++;
    }
    line[length] = '\0';
    *said = at;
    return some;
}

/* Passes on what it said: the first line as the error. */
static void explain(const char *program, const char *name, const struct folder *folder, const char *said,
                    wb_diagnostics *diagnostics) {
    char line[301], message[600];
    const bool some = next_line(&said, folder, line);
    (void)snprintf(message, sizeof message, "fails to assemble %.200s%s%s", name,
                   some ? ": " : " without a message", some ? line : "");
    wb_diagnostics_error(diagnostics, program, message);
    while (some && next_line(&said, folder, line))
        wb_diagnostics_note(diagnostics, program, line);
}

/* Runs a program to its end; what it said is in `*said`, malloc'd or NULL. */
static wb_status run(char *const arguments[], const char *name, const struct folder *folder,
                     wb_diagnostics *diagnostics, char **said) {
    char path[PATH_MAX];
    pid_t process;
    int status = 0;
    size_t size = 0;
    folder_file(folder, "said", path);
    if (!start(arguments, path, &process)) {
        wb_diagnostics_error(diagnostics, arguments[0], "cannot be started");
        return WB_ERR_INPUT;
    }
    if (!wait_for(process, &status)) {
        if (stop_requested()) return WB_ERR_LIMIT;
        wb_diagnostics_error(diagnostics, arguments[0], "does not end within a minute");
        return WB_ERR_INPUT;
    }
    *said = read_bytes(path, SAID_MAX, false, &size);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return WB_OK;
    explain(arguments[0], name, folder, *said, diagnostics);
    return WB_ERR_INPUT;
}

/* "ptxas 13.0, V13.0.88" from "Cuda compilation tools, release 13.0, V13.0.88". */
static wb_status ask_version(char *program, const char *name, const struct folder *folder,
                             wb_diagnostics *diagnostics, char version[PTXAS_VERSION_MAX]) {
    char option[] = "--version";
    char *const arguments[] = {program, option, NULL};
    char *said = NULL;
    const wb_status status = run(arguments, name, folder, diagnostics, &said);
    const char *release = said != NULL ? strstr(said, "release ") : NULL;
    if (release != NULL) {
        release += strlen("release ");
        (void)snprintf(version, PTXAS_VERSION_MAX, PROGRAM " %.*s", (int)strcspn(release, "\r\n"), release);
    } else {
        (void)snprintf(version, PTXAS_VERSION_MAX, PROGRAM " of an unknown version");
    }
    free(said);
    return status;
}

static wb_status assemble(char *program, const struct ptxas_text *text, const struct folder *folder,
                          wb_diagnostics *diagnostics, struct ptxas_code *code) {
    char target[32], in[PATH_MAX], out[PATH_MAX], output_option[] = "-o", lines_option[] = "-lineinfo";
    (void)snprintf(target, sizeof target, "-arch=sm_%u", text->sm);
    (void)snprintf(code->command, sizeof code->command, PROGRAM " %s %s", target, lines_option);
    folder_file(folder, "kernels.ptx", in);
    folder_file(folder, "code.cubin", out);
    char *const arguments[] = {program, target, output_option, out, in, lines_option, NULL};
    char *said = NULL;
    wb_status status = run(arguments, text->name, folder, diagnostics, &said);
    free(said);
    if (status != WB_OK) return status;
    code->bytes = read_bytes(out, CODE_MAX, true, &code->size);
    if (code->bytes != NULL) return WB_OK;
    wb_diagnostics_error(diagnostics, program, "succeeds but writes no machine code");
    return WB_ERR_INPUT;
}

wb_status ptxas_assemble(const char *program, const struct ptxas_text *text, wb_diagnostics *diagnostics,
                         struct ptxas_code *code) {
    char path[PATH_MAX], in[PATH_MAX];
    struct folder folder;
    wb_status status = find_program(program, text->without, diagnostics, path);
    if (status != WB_OK) return status;
    if (!folder_make(&folder)) {
        wb_diagnostics_error(diagnostics, PROGRAM, "cannot create a temporary folder (TMPDIR)");
        return WB_ERR_INPUT;
    }
    folder_file(&folder, "kernels.ptx", in);
    if (!write_text(in, text->ptx)) {
        wb_diagnostics_error(diagnostics, in, "cannot be written");
        status = WB_ERR_INPUT;
    }
    if (status == WB_OK) status = ask_version(path, text->name, &folder, diagnostics, code->version);
    if (status == WB_OK) status = assemble(path, text, &folder, diagnostics, code);
    folder_remove(&folder);
    return status;
}
