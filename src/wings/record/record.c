/* A recording: the program with the library in front of its driver, and what came of it. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "warpbound_record.h"
#include "wings/record/files.h"

#define SUBJECT "record" /* what messages are about */
#define DRIVER_NAME "libcuda.so.1"
#define PATHS_VARIABLE "LD_LIBRARY_PATH"

/* How often the program is looked at; and after how many looks it is ended that was asked to end. */
#define LOOK_NS 10000000
#define LOOKS_MOST 20u

/* Most bytes of a log. */
#define LOG_BYTES_MAX ((size_t)8 << 30)

/* The library of library/, which the build puts inside this one; the last entry has no name. */
extern const struct embedded_file embedded_record_library[];

/* A folder with the library as the driver, which the program finds first, and the driver beside it. */
struct front {
    struct arena arena; /* owns the paths */
    const char *folder, *library, *other_name, *driver, *log;
};

static wb_status fail_errno(const char *path, wb_diagnostics *diagnostics) {
    diagnose(diagnostics, SEVERITY_ERROR, path, "%s", strerror_l(errno, c_locale()));
    return WB_ERR_INPUT;
}

/* ---- The folder ---------------------------------------------------------------------------------------- */

/* Makes the folder, or takes one that is empty. */
static wb_status take_folder(const char *path, wb_diagnostics *diagnostics) {
    if (mkdir(path, 0777) == 0) return WB_OK;
    DIR *folder = errno == EEXIST ? opendir(path) : NULL;
    if (folder == NULL) return fail_errno(path, diagnostics);
    size_t entries = 0;
    while (readdir(folder) != NULL)
        entries++;
    (void)closedir(folder);
    if (entries <= 2) return WB_OK; /* "." and ".." */
    diagnose(diagnostics, SEVERITY_ERROR, path, "this folder is not empty: name another one with -o");
    return WB_ERR_INPUT;
}

/* Where the driver's library lies. */
static wb_status find_driver(const char *name, char path[PATH_MAX], wb_diagnostics *diagnostics) {
    struct link_map *map = NULL;
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, name,
                 "the GPU's driver cannot be opened, without which nothing is recorded: %s", dlerror());
        return WB_ERR_DECLINED;
    }
    const bool found = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && realpath(map->l_name, path) != NULL;
    (void)dlclose(library);
    return found ? WB_OK : fail_errno(name, diagnostics);
}

static const char *join(struct arena *arena, const char *folder, const char *name) {
    struct text path = {.arena = arena};
    text_printf(&path, "%s/%s", folder, name);
    return path.failed ? NULL : path.data;
}

static void front_remove(struct front *front) {
    if (front->folder != NULL) {
        (void)unlink(front->library);
        (void)unlink(front->other_name);
        (void)unlink(front->driver);
        (void)rmdir(front->folder);
    }
    arena_free(&front->arena);
}

static wb_status front_make(const wb_record_options *options, wb_diagnostics *diagnostics,
                            struct front *front) {
    const struct embedded_file *library = &embedded_record_library[0];
    char driver[PATH_MAX], folder[PATH_MAX];
    WB_TRY(find_driver(options->driver != NULL ? options->driver : DRIVER_NAME, driver, diagnostics));
    WB_TRY(take_folder(options->folder, diagnostics));
    if (realpath(options->folder, folder) == NULL) return fail_errno(options->folder, diagnostics);
    struct arena *arena = &front->arena;
    const char *in_front = join(arena, folder, "driver");
    front->log = join(arena, folder, WB_RECORD_LOG);
    front->library = join(arena, in_front, DRIVER_NAME);
    front->other_name = join(arena, in_front, "libcuda.so");
    front->driver = join(arena, in_front, LOG_DRIVER);
    if (in_front == NULL || front->log == NULL || front->library == NULL || front->other_name == NULL ||
        front->driver == NULL)
        return diagnose_out_of_memory(diagnostics, SUBJECT);
    if (mkdir(in_front, 0777) != 0) return fail_errno(in_front, diagnostics);
    front->folder = in_front;
    if (symlink(DRIVER_NAME, front->other_name) != 0 || symlink(driver, front->driver) != 0)
        return fail_errno(in_front, diagnostics);
    WB_TRY(files_write_bytes(front->library, library->text, library->size, diagnostics));
    return files_write_bytes(front->log, LOG_MAGIC, LOG_MAGIC_BYTES, diagnostics);
}

/* ---- The program --------------------------------------------------------------------------------------- */

/* "NAME=VALUE", and ":MORE" if there is some; NULL: out of memory. */
static char *setting(struct arena *arena, const char *name, const char *value, const char *more) {
    struct text text = {.arena = arena};
    text_printf(&text, "%s=%s%s%s", name, value, more != NULL ? ":" : "", more != NULL ? more : "");
    return text.failed ? NULL : text.data;
}

static bool is_setting_of(const char *setting, const char *name) {
    const size_t length = strlen(name);
    return strncmp(setting, name, length) == 0 && setting[length] == '=';
}

/* This process's environment, with the library in front of the driver. */
static char **environment_for(struct front *front) {
    size_t count = 0, kept = 2;
    while (environ[count] != NULL)
        count++;
    char **made = arena_array(&front->arena, count + 3, sizeof *made);
    if (made == NULL) return NULL;
    made[0] = setting(&front->arena, LOG_VARIABLE, front->log, NULL);
    made[1] = setting(&front->arena, PATHS_VARIABLE, front->folder, getenv(PATHS_VARIABLE));
    for (size_t i = 0; i < count; i++)
        if (!is_setting_of(environ[i], LOG_VARIABLE) && !is_setting_of(environ[i], PATHS_VARIABLE))
            made[kept++] = environ[i];
    return made[0] != NULL && made[1] != NULL ? made : NULL;
}

/* Waits for the end of the program; true: it was asked to end, as the watch said. */
static bool wait_for(pid_t process, const wb_watch *watch, int *how) {
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    unsigned looks = 0; /* since it was asked */
    while (waitpid(process, how, WNOHANG) == 0) {
        const bool stop = watch->poll != NULL && !watch->poll(watch->user, "running the program", 0, 0);
        if ((stop || looks > 0) && looks++ == 0) (void)kill(process, SIGTERM);
        if (looks == LOOKS_MOST) (void)kill(process, SIGKILL);
        (void)nanosleep(&pause, NULL);
    }
    return looks > 0;
}

/* Runs the program to its end. */
static wb_status run_program(const wb_record_options *options, struct front *front,
                             wb_diagnostics *diagnostics, int *how, bool *stopped) {
    pid_t process;
    size_t count = 0;
    while (options->arguments[count] != NULL)
        count++;
    char **environment = environment_for(front);
    char **arguments = arena_array(&front->arena, count + 1, sizeof *arguments);
    if (environment == NULL || arguments == NULL) return diagnose_out_of_memory(diagnostics, SUBJECT);
    memcpy(arguments, options->arguments, count * sizeof *arguments);
    errno = posix_spawnp(&process, arguments[0], NULL, NULL, arguments, environment);
    if (errno != 0) return fail_errno(options->arguments[0], diagnostics);
    *stopped = wait_for(process, &options->watch, how);
    return WB_OK;
}

/* A program that fails has perhaps not launched all that it would have. */
static wb_status judge_end(const char *program, int how, bool stopped, wb_diagnostics *diagnostics) {
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0 && !stopped) return WB_OK;
    if (stopped)
        diagnose(diagnostics, SEVERITY_ERROR, program,
                 "the program was stopped: only what it launched before is recorded");
    else if (WIFSIGNALED(how))
        diagnose(diagnostics, SEVERITY_ERROR, program,
                 "the program was ended by signal %d: only what it launched before is recorded",
                 WTERMSIG(how));
    else
        diagnose(diagnostics, SEVERITY_ERROR, program,
                 "the program failed with exit status %d: only what it launched before is recorded",
                 WEXITSTATUS(how));
    return stopped ? WB_ERR_LIMIT : WB_ERR_DECLINED;
}

/* ---- The log ------------------------------------------------------------------------------------------- */

static bool has_records(const char *log) {
    struct stat status;
    return stat(log, &status) == 0 && (size_t)status.st_size > LOG_MAGIC_BYTES;
}

static wb_status decline(const char *log, const char *message, wb_diagnostics *diagnostics) {
    diagnose(diagnostics, SEVERITY_ERROR, log, "%s", message);
    return WB_ERR_DECLINED;
}

static wb_status write_recording(const char *log, const struct recording *recording, const char *folder,
                                 wb_diagnostics *diagnostics, char **text) {
    if (recording->record_count == 0 && !recording->truncated)
        return decline(log,
                       "the program called no function of the GPU's driver that is recorded: does it use a "
                       "GPU, and the driver as a shared library by the name libcuda.so.1?",
                       diagnostics);
    wb_status status = WB_OK;
    if (recording->truncated)
        status =
            decline(log, "the end of the log is missing: only what stands before is recorded", diagnostics);
    if (recording->launches.count == 0 && status == WB_OK)
        return decline(log, "the program launched no kernel in a way that is recorded", diagnostics);
    const wb_status written = files_write(recording, folder, diagnostics, text);
    return written != WB_OK ? written : status;
}

wb_status wb_record_read(const char *log, const char *folder, wb_diagnostics *diagnostics, char **text) {
    struct recording recording = {0};
    char *bytes = NULL;
    size_t size;
    *text = NULL;
    WB_TRY(file_read(log, LOG_BYTES_MAX, diagnostics, &bytes, &size));
    wb_status status = recording_read(log, bytes, size, diagnostics, &recording);
    if (status == WB_OK) status = write_recording(log, &recording, folder, diagnostics, text);
    recording_free(&recording);
    free(bytes);
    return status;
}

wb_status wb_record(const wb_record_options *options, wb_diagnostics *diagnostics, char **text) {
    struct front front = {0};
    int how = 0;
    bool stopped = false;
    *text = NULL;
    wb_status status = front_make(options, diagnostics, &front);
    if (status == WB_OK) status = run_program(options, &front, diagnostics, &how, &stopped);
    if (status == WB_OK) {
        status = judge_end(options->arguments[0], how, stopped, diagnostics);
        const bool says_why = status != WB_OK && !has_records(front.log);
        const wb_status read =
            says_why ? WB_OK : wb_record_read(front.log, options->folder, diagnostics, text);
        if (status == WB_OK) status = read;
    }
    front_remove(&front);
    return status;
}
