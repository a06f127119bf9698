#include "slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep.h"
#include "values.h"

/* ---- Programs --------------------------------------------------------------------------------------------
 */

/* All that comes out of a pipe, up to its end; NULL when memory is exhausted. */
static char *read_pipe(int pipe_end) {
    char *text = NULL;
    size_t size = 0;
    FILE *all = open_memstream(&text, &size);
    if (all == NULL) return NULL;
    char piece[4096];
    for (;;) {
        const ssize_t got = read(pipe_end, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        (void)fwrite(piece, 1, (size_t)got, all);
    }
    if (fclose(all) == 0) return text;
    free(text);
    return NULL;
}

static int start_program(const char **arguments, int output, pid_t *process) {
    posix_spawn_file_actions_t files;
    int error = posix_spawn_file_actions_init(&files);
    if (error != 0) return error;
    error = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    if (error == 0) /* which changes none of the arguments */
        error = posix_spawnp(process, arguments[0], &files, NULL, (char **)(void *)arguments, environ);
    (void)posix_spawn_file_actions_destroy(&files);
    return error;
}

static int end_of(pid_t process) {
    int status;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int process_run(const char **arguments, char **printed) {
    int ends[2];
    pid_t process;
    *printed = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    const int error = start_program(arguments, ends[1], &process);
    (void)close(ends[1]);
    if (error == 0) *printed = read_pipe(ends[0]);
    (void)close(ends[0]);
    if (error != 0) {
        errno = error;
        return -1;
    }
    const int status = end_of(process);
    if (*printed != NULL) return status;
    errno = ENOMEM;
    return -1;
}

/* ---- Slurm -----------------------------------------------------------------------------------------------
 */

/* Where messages say that they are from. */
#define OPTION "--slurm"

/* Most characters of a job's number and its cluster's name. */
#define ANSWER_MAX 200u

/* Runs a command of Slurm; what goes wrong is said. */
static wb_status ask(const char **arguments, wb_diagnostics *diagnostics, char **printed) {
    char message[ANSWER_MAX];
    const int status = process_run(arguments, printed);
    if (status == 0) return WB_OK;
    if (status < 0 && errno == ENOENT)
        (void)snprintf(
            message, sizeof message,
            "%s is not found in PATH: there is no Slurm on this machine (--dry-run prints what would be "
            "submitted)",
            arguments[0]);
    else
        (void)snprintf(message, sizeof message, "%s failed: Slurm does not answer or refuses", arguments[0]);
    wb_diagnostics_error(diagnostics, OPTION, message);
    free(*printed);
    *printed = NULL;
    return WB_ERR_INPUT;
}

/* The word behind "KEY = " of the configuration; its length, 0: there is none. */
static size_t find_word(const char *printed, const char *key, const char **word) {
    const char *found = strstr(printed, key);
    if (found == NULL) return 0;
    found += strlen(key);
    *word = found + strspn(found, " =");
    return strcspn(*word, " \n");
}

/* Refuses a variable that sends jobs elsewhere than to the cluster that answers. */
static wb_status check_cluster(const char *variable, const char *cluster, size_t length,
                               wb_diagnostics *diagnostics) {
    const char *value = getenv(variable);
    if (value == NULL || *value == '\0') return WB_OK;
    if (strlen(value) == length && strncmp(value, cluster, length) == 0) return WB_OK;
    wb_diagnostics_error(diagnostics, variable,
                         "this variable names another cluster, which is not supported: a sweep looks for its "
                         "jobs on this one");
    return WB_ERR_INPUT;
}

/* squeue would not show all jobs, and what is submitted would be other tasks, or waited for. */
static void clear_environment(void) {
    static const char *const squeue[] = {
        "SQUEUE_ACCOUNT", "SQUEUE_LICENSES",  "SQUEUE_NAMES", "SQUEUE_PARTITION", "SQUEUE_QOS",
        "SQUEUE_STATES",  "SQUEUE_USERS",     "SQUEUE_ARRAY", "SQUEUE_FORMAT",    "SQUEUE_FORMAT2",
        "SQUEUE_SORT",    "SBATCH_ARRAY_INX", "SBATCH_WAIT"};
    for (size_t i = 0; i < sizeof squeue / sizeof *squeue; i++)
        (void)unsetenv(squeue[i]);
}

wb_status slurm_ask(wb_diagnostics *diagnostics, uint64_t *most_tasks) {
    const char *arguments[] = {"scontrol", "show", "config", NULL};
    const char *word = "";
    char *printed;
    uint64_t size = 1001; /* unless the site sets another one */
    clear_environment();
    wb_status status = ask(arguments, diagnostics, &printed);
    if (status != WB_OK) return status;
    const size_t digits = find_word(printed, "MaxArraySize", &word);
    if (digits > 0 && !read_number(word, digits, 2, UINT32_MAX, &size)) size = 1001;
    *most_tasks = size - 1; /* the size is above the largest number */
    const size_t length = find_word(printed, "ClusterName", &word);
    status = check_cluster("SBATCH_CLUSTERS", word, length, diagnostics);
    if (status == WB_OK) status = check_cluster("SLURM_CLUSTERS", word, length, diagnostics);
    free(printed);
    return status;
}

wb_status slurm_submit(const char *script, const char *after, wb_diagnostics *diagnostics,
                       char job[SLURM_JOB_MAX]) {
    char dependency[SLURM_JOB_MAX + 40];
    const char *arguments[] = {"sbatch", "--parsable", "--hold", script, NULL};
    char *printed;
    if (after != NULL) {
        (void)snprintf(dependency, sizeof dependency, "--dependency=afterany:%s", after);
        arguments[2] = dependency;
    }
    const wb_status status = ask(arguments, diagnostics, &printed);
    if (status != WB_OK) return status;
    const size_t length = strspn(printed, "0123456789"); /* ";CLUSTER" may follow */
    const bool is_number = length > 0 && length < SLURM_JOB_MAX;
    if (is_number) {
        memcpy(job, printed, length);
        job[length] = '\0';
    }
    free(printed);
    if (is_number) return WB_OK;
    wb_diagnostics_error(diagnostics, OPTION, "sbatch prints no job number");
    return WB_ERR_INPUT;
}

wb_status slurm_release(const char *job, wb_diagnostics *diagnostics) {
    const char *arguments[] = {"scontrol", "release", job, NULL};
    char *printed;
    const wb_status status = ask(arguments, diagnostics, &printed);
    free(printed);
    return status;
}

void slurm_cancel(const char *job, wb_diagnostics *diagnostics) {
    const char *arguments[] = {"scancel", job, NULL};
    char *printed;
    (void)ask(arguments, diagnostics, &printed);
    free(printed);
}

bool slurm_is_before(const char *job, const char *other) {
    const size_t length = strlen(job), other_length = strlen(other);
    return length != other_length ? length < other_length : strcmp(job, other) < 0;
}

/* Whether the number is among those that are to be read. */
static bool is_named(const struct slurm_jobs *jobs, const char *job) {
    const size_t length = strlen(job);
    for (const char *at = jobs->all; (at = strstr(at, job)) != NULL; at += length)
        if ((at == jobs->all || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

static void add_job(struct slurm_jobs *jobs, const char *job) {
    const size_t length = strlen(jobs->all);
    if (strlen(job) >= SLURM_JOB_MAX || is_named(jobs, job)) return;
    if (jobs->least[0] == '\0' || slurm_is_before(job, jobs->least))
        (void)snprintf(jobs->least, sizeof jobs->least, "%s", job);
    if (length + SLURM_JOB_MAX + 40 < sizeof jobs->all) /* and the user behind the last one */
        (void)snprintf(jobs->all + length, sizeof jobs->all - length, "%s%s", length > 0 ? " " : "", job);
}

wb_status slurm_find(const char *folder, const char *own, wb_diagnostics *diagnostics,
                     struct slurm_jobs *jobs) {
    const char *arguments[] = {"squeue", "--noheader", "--format=%F %u %Z", NULL};
    const char *self = getenv("SLURM_JOB_ID");
    char *printed, *rest, somebody[33] = "";
    const wb_status status = ask(arguments, diagnostics, &printed);
    *jobs = (struct slurm_jobs){0};
    if (status != WB_OK) return status;
    rest = printed;
    for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        const char *job = strtok_r(line, " ", &line), *user = strtok_r(line, " ", &line);
        if (user == NULL || strcmp(line, folder) != 0 || strcmp(job, own) == 0) continue;
        if (self != NULL && strcmp(job, self) == 0) continue;
        add_job(jobs, job);
        (void)snprintf(somebody, sizeof somebody, "%s", user);
    }
    const size_t length = strlen(jobs->all);
    if (length > 0) (void)snprintf(jobs->all + length, sizeof jobs->all - length, " of %s", somebody);
    free(printed);
    return WB_OK;
}
