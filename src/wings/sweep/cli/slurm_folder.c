#include "slurm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "stop.h"

/* How long to wait for another submission, and between looks. */
#define LOCK_SECONDS 60
#define LOOKS_PER_SECOND 5

static wb_status fail_errno(const char *path, wb_diagnostics *diagnostics) {
    wb_diagnostics_error(diagnostics, path, strerror(errno));
    return WB_ERR_INPUT;
}

const char *slurm_folder_path(const char *folder, const char *name, char path[PATH_MAX]) {
    const int length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return length > 0 && length < PATH_MAX ? path : folder;
}

/* ---- What there is ---------------------------------------------------------------------------------------
 */

/* Says whose a file is that cannot be written to, and what helps. */
static wb_status fail_unwritable(const char *path, wb_diagnostics *diagnostics) {
    struct stat found;
    char message[300];
    const struct passwd *owner = stat(path, &found) == 0 ? getpwuid(found.st_uid) : NULL;
    (void)snprintf(message, sizeof message,
                   "this user may not write to it; it belongs to %s: users who share a sweep need a folder "
                   "of a common group (chmod g+rwxs) and umask 002",
                   owner == NULL ? "somebody else" : owner->pw_name);
    wb_diagnostics_error(diagnostics, path, message);
    return WB_ERR_INPUT;
}

static wb_status check_files(const char *folder, wb_diagnostics *diagnostics) {
    char path[PATH_MAX];
    DIR *entries = opendir(folder);
    wb_status status = entries != NULL ? WB_OK : fail_errno(folder, diagnostics);
    for (const struct dirent *entry; status == WB_OK && (entry = readdir(entries)) != NULL;)
        if (entry->d_name[0] != '.' && access(slurm_folder_path(folder, entry->d_name, path), W_OK) != 0 &&
            errno == EACCES)
            status = fail_unwritable(path, diagnostics);
    if (entries != NULL) (void)closedir(entries);
    return status;
}

wb_status slurm_folder_check_database(const char *database, wb_diagnostics *diagnostics) {
    char copy[PATH_MAX];
    (void)snprintf(copy, sizeof copy, "%s", database);
    const char *folder = dirname(copy);
    if (access(folder, W_OK | X_OK) != 0) return fail_unwritable(folder, diagnostics);
    if (access(database, W_OK) != 0 && errno != ENOENT) return fail_unwritable(database, diagnostics);
    return WB_OK;
}

wb_status slurm_folder_make(const char *folder, wb_diagnostics *diagnostics) {
    static const char *const names[] = {".", "parts", "logs"};
    char path[PATH_MAX];
    wb_status status = mkdir(folder, 0777) == 0 || errno == EEXIST ? WB_OK : fail_errno(folder, diagnostics);
    for (size_t i = 0; status == WB_OK && i < sizeof names / sizeof *names; i++) {
        if (mkdir(slurm_folder_path(folder, names[i], path), 0777) != 0 && errno != EEXIST)
            status = errno == EACCES ? fail_unwritable(folder, diagnostics) : fail_errno(path, diagnostics);
        else if (access(path, R_OK | W_OK | X_OK) != 0)
            status = fail_unwritable(path, diagnostics);
        else if (i > 0) /* scripts are replaced */
            status = check_files(path, diagnostics);
    }
    return status;
}

FILE *slurm_folder_script(const char *path) {
    if (unlink(path) != 0 && errno != ENOENT) return NULL;
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0777);
    FILE *script = file < 0 ? NULL : fdopen(file, "w");
    if (script == NULL && file >= 0) (void)close(file);
    return script;
}

static int is_part(const struct dirent *entry) {
    const size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 3 && strcmp(entry->d_name + length - 3, ".db") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

wb_status slurm_folder_parts(const char *folder, wb_diagnostics *diagnostics, char ***parts, size_t *count) {
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    const int found = scandir(slurm_folder_path(folder, "parts", path), &entries, is_part, by_name);
    *count = 0;
    if (found < 0) return fail_errno(path, diagnostics);
    *parts = calloc((size_t)found + 1, sizeof **parts);
    wb_status status = *parts != NULL ? WB_OK : WB_ERR_LIMIT;
    for (int i = 0; i < found; i++) {
        if (status == WB_OK && asprintf(&(*parts)[*count], "%s/%s", path, entries[i]->d_name) < 0)
            status = WB_ERR_LIMIT;
        if (status == WB_OK) ++*count;
        free(entries[i]);
    }
    free(entries);
    return status;
}

/* ---- The lock --------------------------------------------------------------------------------------------
 */

/* Who has it, for people. */
static void sign(int lock) {
    char host[256] = "";
    (void)gethostname(host, sizeof host - 1);
    if (ftruncate(lock, 0) == 0) (void)dprintf(lock, "process %ld on %s\n", (long)getpid(), host);
}

static wb_status fail_locked(const char *path, int lock, wb_diagnostics *diagnostics) {
    char holder[300] = "", message[400];
    const ssize_t length = pread(lock, holder, sizeof holder - 1, 0);
    holder[length > 0 ? (size_t)length : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    (void)snprintf(message, sizeof message, "another submission of this sweep is running: %s", holder);
    wb_diagnostics_error(diagnostics, path, message);
    return WB_ERR_INPUT;
}

/* Whether a file system answers so that knows no locks. */
static bool has_no_locks(int error) {
    return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS || error == EINVAL;
}

wb_status slurm_folder_lock(const char *folder, wb_diagnostics *diagnostics, int *lock) {
    static const struct timespec pause = {.tv_nsec = 1000000000L / LOOKS_PER_SECOND};
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[PATH_MAX];
    *lock = open(slurm_folder_path(folder, "lock", path), O_RDWR | O_CREAT, 0666); /* not O_CLOEXEC */
    if (*lock < 0)
        return errno == EACCES ? fail_unwritable(path, diagnostics) : fail_errno(path, diagnostics);
    for (int i = 0; i < LOCK_SECONDS * LOOKS_PER_SECOND && !stop_requested(); i++) {
        if (fcntl(*lock, F_OFD_SETLK, &whole) == 0) {
            sign(*lock);
            return WB_OK;
        }
        if (errno != EAGAIN && errno != EACCES) break;
        (void)nanosleep(&pause, NULL);
    }
    const int error = errno;
    const bool is_locked = error == EAGAIN || error == EACCES || error == EINTR;
    const wb_status status = stop_requested()      ? WB_ERR_LIMIT
                             : has_no_locks(error) ? WB_OK
                             : is_locked           ? fail_locked(path, *lock, diagnostics)
                                                   : fail_errno(path, diagnostics);
    (void)close(*lock);
    *lock = -1;
    return status;
}
