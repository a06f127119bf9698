/* warpbound sweep --slurm: what a database lacks of a sweep becomes an array of jobs, each of which runs a
 * shard into a part of its own, and a last job that puts the parts into the database and does the same again.
 * So whatever becomes of a job, what is lacking is what runs next. */
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slurm.h"
#include "sweep.h"

/* Seconds that a task should take, unless --task-time says it: long against the start of a job, short against
 * what is lost with a node. */
#define TASK_SECONDS 300.0

/* Most units that are tried where the database has none, and the seconds for all of them. */
#define TRIAL_UNITS 16u
#define TRIAL_SECONDS "20"

/* How often what is lacking is submitted. */
#define ROUNDS 3u

/* A task may take so many times what is expected, and so many seconds more. */
#define TIME_FACTOR 3.0
#define TIME_MORE 120.0

/* A unit whose time nobody limits may take as long as a task should, or so many times what it is said to
 * take, or so many seconds. */
#define LIMIT_FACTOR 10.0
#define LEAST_LIMIT 60.0

/* Bytes of a task beside those of its units. */
#define MEMORY_MORE ((uint64_t)256 << 20)

struct submission {
    const struct sweep_options *options;
    wb_sweep *sweep;
    wb_diagnostics *diagnostics;
    char program[PATH_MAX], file[PATH_MAX], database[PATH_MAX], folder[PATH_MAX];
    char name[NAME_MAX + 1];
    uint64_t units, most_tasks;
    double task_seconds;
    bool is_limited;   /* the file says how long a unit may take */
    double time_limit; /* of a unit, and */
    uint64_t memory_limit;
    struct known known;
    int lock;          /* of the folder; -1: none */
    uint64_t *lacking; /* by shard */
    struct slurm_sweep scripts;
};

static wb_status fail(const struct submission *submission, const char *where, const char *why) {
    wb_diagnostics_error(submission->diagnostics, where, why);
    return WB_ERR_INPUT;
}

static wb_status fail_errno(const struct submission *submission, const char *where) {
    return fail(submission, where, strerror(errno));
}

/* ---- --sbatch --------------------------------------------------------------------------------------------
 */

/* Lines of a script, which say neither what belongs to a sweep's jobs alone nor anything else than options.
 */
static wb_status check_options(const struct submission *submission) {
    static const char *const ours[] = {"--array",      "--chdir", "--cluster=", "--cluster ", "--clusters",
                                       "--dependency", "-a",      "-D",         "-d",         "-M"};
    const struct option_list *sbatch = &submission->options->sbatch;
    for (size_t i = 0; i < sbatch->count; i++) {
        const char *option = sbatch->items[i];
        bool is_ours = false;
        for (size_t o = 0; o < sizeof ours / sizeof *ours; o++)
            is_ours |= strncmp(option, ours[o], strlen(ours[o])) == 0;
        if (is_ours)
            return fail(submission, "--sbatch",
                        "the sweep sets --array, --chdir and --dependency; --clusters is not supported: a "
                        "sweep looks for its jobs on this cluster");
        if (option[0] != '-' || strchr(option, '\n') != NULL)
            return fail(submission, "--sbatch", "expected an option of sbatch, such as --partition=short");
    }
    return WB_OK;
}

/* ---- Names -----------------------------------------------------------------------------------------------
 */

static bool is_short(int written) {
    return written > 0 && written < PATH_MAX;
}

/* The absolute name of a file that need not be there. */
static bool absolute(const char *path, char found[PATH_MAX]) {
    char copy[PATH_MAX], folder[PATH_MAX], name[NAME_MAX + 1];
    if (!is_short(snprintf(copy, sizeof copy, "%s", path))) return false;
    (void)snprintf(name, sizeof name, "%s", basename(copy));
    (void)snprintf(copy, sizeof copy, "%s", path);
    if (realpath(dirname(copy), folder) == NULL) return false;
    return is_short(snprintf(found, PATH_MAX, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name));
}

/* "FILE" of "/path/FILE.yaml". */
static void name_sweep(struct submission *submission) {
    char copy[PATH_MAX];
    (void)snprintf(copy, sizeof copy, "%s", submission->file);
    (void)snprintf(submission->name, sizeof submission->name, "%s", basename(copy));
    char *end = strrchr(submission->name, '.');
    if (end != NULL && end > submission->name) *end = '\0';
}

/* Names stand in lines of the scripts, which a line break in one of them would end. */
static wb_status check_names(const struct submission *submission) {
    const char *const names[] = {submission->program, submission->file, submission->database,
                                 submission->folder};
    static const char *const what[] = {
        "the program's path has a control character, such as a line break: scripts cannot name it",
        "the sweep file's path has a control character, such as a line break: scripts cannot name it",
        "the database's path has a control character, such as a line break: scripts cannot name it",
        "the folder's path has a control character, such as a line break: scripts cannot name it"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (const char *c = names[i]; *c != '\0'; c++)
            if ((unsigned char)*c < ' ' || *c == '\x7f') return fail(submission, "--slurm", what[i]);
    return WB_OK;
}

/* Sweeps into one database have a folder each. */
static wb_status find_names(struct submission *submission) {
    const struct sweep_options *options = submission->options;
    const ssize_t length = readlink("/proc/self/exe", submission->program, sizeof submission->program - 1);
    if (length < 0) return fail_errno(submission, "/proc/self/exe");
    submission->program[length] = '\0';
    if (realpath(options->common.operands.items[0], submission->file) == NULL)
        return fail_errno(submission, options->common.operands.items[0]);
    if (!absolute(options->common.output, submission->database))
        return fail_errno(submission, options->common.output);
    name_sweep(submission);
    if (!is_short(snprintf(submission->folder, sizeof submission->folder, "%s.%s.slurm", submission->database,
                           submission->name)))
        return fail(submission, options->common.output, "the name is too long");
    return check_names(submission);
}

/* ---- Jobs of before --------------------------------------------------------------------------------------
 */

/* Refuses while jobs of this sweep run, or wait to: they would run the same units. */
static wb_status refuse_running(const struct submission *submission) {
    struct slurm_jobs jobs;
    char message[300];
    const wb_status status = slurm_find(submission->folder, "", submission->diagnostics, &jobs);
    if (status != WB_OK || jobs.least[0] == '\0') return status;
    (void)snprintf(
        message, sizeof message,
        "this sweep was submitted before and its jobs have not ended: wait for them, or scancel %s",
        jobs.all);
    return fail(submission, submission->database, message);
}

/* A task that was killed may have left a part without tables, or with a change that is half made: whoever
 * opens it to write makes them, or takes it back, which whoever reads cannot. */
static wb_status mend_part(const struct submission *submission, const char *part) {
    wb_results *results = NULL;
    const wb_status status = wb_results_open(part, true, submission->diagnostics, &results);
    wb_results_free(results);
    return status;
}

static wb_status merge_parts(const struct submission *submission, char **parts, size_t count) {
    wb_results *results = NULL;
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < count; i++)
        status = mend_part(submission, parts[i]);
    if (status == WB_OK)
        status = wb_results_open(submission->database, true, submission->diagnostics, &results);
    if (status == WB_OK) /* which changes none of the names */
        status =
            wb_results_merge(results, (const char *const *)(void *)parts, count, submission->diagnostics);
    wb_results_free(results);
    return status;
}

/* Puts the parts into the database, and takes away those that are in it. */
static wb_status gather_parts(const struct submission *submission) {
    char **parts = NULL;
    size_t count;
    wb_status status = slurm_folder_parts(submission->folder, submission->diagnostics, &parts, &count);
    if (status == WB_OK && count > 0) status = merge_parts(submission, parts, count);
    for (size_t i = 0; status == WB_OK && i < count; i++)
        if (unlink(parts[i]) != 0) status = fail_errno(submission, parts[i]);
    for (size_t i = 0; i < count; i++)
        free(parts[i]);
    free(parts);
    return status;
}

/* ---- What is lacking -------------------------------------------------------------------------------------
 */

static bool has_database(const struct submission *submission) {
    return access(submission->database, F_OK) == 0;
}

/* Runs a few units that lie evenly in the sweep, into the database: they are done then. */
static wb_status run_trial(const struct submission *submission) {
    char shard[40], *printed;
    const uint64_t every = submission->units / TRIAL_UNITS + (submission->units % TRIAL_UNITS != 0);
    (void)snprintf(shard, sizeof shard, "1/%" PRIu64, every > 0 ? every : 1);
    const char *arguments[] = {
        submission->program, "sweep", submission->file,     "--shard", shard, "--time-limit",
        TRIAL_SECONDS,       "-o",    submission->database, NULL};
    const int status = process_run(arguments, &printed);
    free(printed);
    if (status == WB_OK || status == EXIT_DEADLINE_MISSED || status == WB_ERR_LIMIT) return WB_OK;
    return fail(submission, submission->file, "the trial run of a few units failed");
}

/* What the database knows, and how long its units took. */
static wb_status read_database(struct submission *submission, double *unit_seconds) {
    const struct shard whole = {0, 1};
    wb_results *results = NULL;
    uint64_t units = 0;
    double seconds = 0;
    wb_status status = wb_results_open(submission->database, false, submission->diagnostics, &results);
    if (status == WB_OK)
        status = known_find(submission->options, submission->sweep, whole, results, submission->diagnostics,
                            &submission->known);
    if (status == WB_OK) status = wb_results_cost(results, submission->diagnostics, &units, &seconds);
    if (status == WB_OK && units > 0) *unit_seconds = seconds / (double)units;
    wb_results_free(results);
    return status;
}

/* Units that are to be run again are not known any more, so that later rounds submit those that were lost,
 * and none that has failed again. */
static wb_status forget_failures(const struct submission *submission) {
    wb_results *results = NULL;
    wb_status status = wb_results_open(submission->database, true, submission->diagnostics, &results);
    if (status == WB_OK)
        status = wb_results_forget_failures(results, submission->sweep, submission->diagnostics);
    wb_results_free(results);
    return status;
}

/* Seconds of a unit: as it is said, as it was measured, or that a trial found none of less. */
static wb_status find_lacking(struct submission *submission, double *unit_seconds) {
    const struct sweep_options *options = submission->options;
    wb_status status = WB_OK;
    *unit_seconds = 1;
    const bool submits = !options->dry_run && !(options->rounds.given && options->rounds.value == 0);
    if (!has_database(submission) && submits && options->unit_time <= 0) {
        status = run_trial(submission);
        *unit_seconds = strtod(TRIAL_SECONDS, NULL);
    }
    if (options->retry && submits && has_database(submission)) status = forget_failures(submission);
    if (status == WB_OK && has_database(submission)) status = read_database(submission, unit_seconds);
    if (options->unit_time > 0) *unit_seconds = options->unit_time;
    return status;
}

/* How long a unit may take where the file does not say it: so long that the others of its task have their
 * turn.
 */
static double default_limit(const struct submission *submission) {
    const struct sweep_options *options = submission->options;
    return options->unit_limit > 0
               ? options->unit_limit
               : fmax(fmax(submission->task_seconds, LEAST_LIMIT), LIMIT_FACTOR * options->unit_time);
}

/* Limits of a unit: all have the same. */
static wb_status read_limits(struct submission *submission) {
    const double limit = default_limit(submission);
    wb_sweep_unit *unit = NULL;
    const wb_status status = wb_sweep_next(submission->sweep, submission->diagnostics, &unit);
    if (status == WB_OK && unit != NULL) {
        submission->is_limited = unit->time_limit > 0;
        submission->time_limit = submission->is_limited ? unit->time_limit : limit;
        submission->memory_limit = unit->memory_limit;
        wb_sweep_unit_free(unit);
    }
    wb_sweep_limit_time(submission->sweep, limit);
    wb_sweep_rewind(submission->sweep);
    return status;
}

/* ---- Tasks -----------------------------------------------------------------------------------------------
 */

/* How many units each shard lacks; the most of them. */
static uint64_t count_lacking(const struct submission *submission, uint64_t tasks) {
    uint64_t most = 0;
    for (uint64_t i = 0; i < submission->units; i++) {
        uint64_t *lacking = &submission->lacking[i % tasks];
        if (submission->known.is != NULL && submission->known.is[i]) continue;
        ++*lacking;
        if (*lacking > most) most = *lacking;
    }
    return most;
}

static uint64_t at_least(double value, uint64_t least) {
    return value > (double)least ? (uint64_t)ceil(value) : least;
}

static wb_status plan_memory(struct submission *submission) {
    uint64_t bytes;
    if (submission->memory_limit == 0) return WB_OK;
    if (__builtin_mul_overflow(submission->memory_limit, submission->scripts.jobs, &bytes) ||
        __builtin_add_overflow(bytes, MEMORY_MORE, &bytes))
        return fail(submission, submission->file, "the limit of memory times --jobs is more than 2^64 bytes");
    submission->scripts.mebibytes = bytes >> 20;
    return WB_OK;
}

/* As many tasks as it takes for each to last as long as it should. */
static wb_status plan_tasks(struct submission *submission, double unit_seconds) {
    const struct sweep_options *options = submission->options;
    struct slurm_sweep *scripts = &submission->scripts;
    *scripts = (struct slurm_sweep){.options = options,
                                    .name = submission->name,
                                    .program = submission->program,
                                    .file = submission->file,
                                    .database = submission->database,
                                    .folder = submission->folder,
                                    .has_database = has_database(submission),
                                    .units = submission->units - submission->known.count,
                                    .unit_seconds = unit_seconds,
                                    .unit_limit = submission->is_limited ? 0 : submission->time_limit,
                                    .jobs = options->jobs.given ? options->jobs.value : 1,
                                    .rounds = options->rounds.given ? options->rounds.value : ROUNDS};
    const double all_seconds = (double)scripts->units * unit_seconds / (double)scripts->jobs;
    scripts->tasks = at_least(all_seconds / submission->task_seconds, 1);
    if (scripts->tasks > scripts->units) scripts->tasks = scripts->units;
    if (scripts->tasks > submission->most_tasks) scripts->tasks = submission->most_tasks;
    submission->lacking = calloc(scripts->tasks + 1, sizeof *submission->lacking);
    scripts->lacking = submission->lacking;
    if (submission->lacking == NULL) return WB_ERR_LIMIT;
    if (scripts->tasks == 0) return WB_OK;
    const double longest =
        (double)count_lacking(submission, scripts->tasks) * unit_seconds / (double)scripts->jobs;
    scripts->minutes = at_least((TIME_FACTOR * longest + TIME_MORE + submission->time_limit) / 60, 1);
    return plan_memory(submission);
}

/* ---- Submission ------------------------------------------------------------------------------------------
 */

static wb_status write_script(const struct submission *submission, const char *name,
                              void (*write)(const struct slurm_sweep *sweep, FILE *out),
                              char path[PATH_MAX]) {
    FILE *file = slurm_folder_script(slurm_folder_path(submission->folder, name, path));
    if (file == NULL) return fail_errno(submission, path);
    write(&submission->scripts, file);
    return fclose(file) == 0 ? WB_OK : fail_errno(submission, path);
}

/* Of submissions at the same moment, which the lock keeps apart but where the file system has none for all
 * machines, the one goes on whose array has the smallest number. All are held until they have looked. */
static wb_status check_first(const struct submission *submission, const char *array) {
    struct slurm_jobs others;
    char message[300];
    const wb_status status = slurm_find(submission->folder, array, submission->diagnostics, &others);
    if (status != WB_OK || others.least[0] == '\0' || !slurm_is_before(others.least, array)) return status;
    (void)snprintf(message, sizeof message,
                   "another submission of this sweep came at the same time and continues: jobs %s",
                   others.all);
    return fail(submission, submission->database, message);
}

/* The array is held, so that nothing of it runs before all of this is done: it is taken back where something
 * fails. */
static wb_status submit_behind(const struct submission *submission, const char *array,
                               const char *finish_script, char finish[SLURM_JOB_MAX]) {
    wb_diagnostics *diagnostics = submission->diagnostics;
    wb_status status = check_first(submission, array);
    if (status == WB_OK) status = slurm_submit(finish_script, array, diagnostics, finish);
    if (status == WB_OK) status = slurm_release(array, diagnostics);
    if (status == WB_OK) return WB_OK;
    if (finish[0] != '\0') slurm_cancel(finish, diagnostics);
    slurm_cancel(array, diagnostics);
    return status;
}

static wb_status submit(const struct submission *submission) {
    char array_script[PATH_MAX], finish_script[PATH_MAX], array[SLURM_JOB_MAX], finish[SLURM_JOB_MAX] = "";
    wb_status status = write_script(submission, "array.sh", slurm_write_array, array_script);
    if (status == WB_OK) status = write_script(submission, "finish.sh", slurm_write_finish, finish_script);
    if (status == WB_OK) status = slurm_submit(array_script, NULL, submission->diagnostics, array);
    if (status == WB_OK) status = submit_behind(submission, array, finish_script, finish);
    if (status != WB_OK) return status;
    printf("%" PRIu64 " of %" PRIu64 " units in %" PRIu64 " shards, about %.3g s a unit: job %s, then %s\n"
           "scripts and logs: %s\n"
           "to end it: scancel %s %s\n",
           submission->scripts.units, submission->units, submission->scripts.tasks,
           submission->scripts.unit_seconds, array, finish, submission->folder, array, finish);
    return WB_OK;
}

static int print_scripts(const struct submission *submission) {
    printf("# %s/array.sh\n", submission->folder);
    slurm_write_array(&submission->scripts, stdout);
    printf("\n# %s/finish.sh, afterwards\n", submission->folder);
    slurm_write_finish(&submission->scripts, stdout);
    return WB_OK;
}

/* All units have run: as running them here would end. */
static int report_end(const struct submission *submission) {
    const struct known *known = &submission->known;
    printf("%" PRIu64 " units: %" PRIu64 " done, %" PRIu64 " failed\n", submission->units,
           known->count - known->failed, known->failed);
    if (known->contradicted > 0) return WB_ERR_LIMIT;
    return known->missed > 0 ? EXIT_DEADLINE_MISSED : WB_OK;
}

static int submit_or_end(const struct submission *submission) {
    char message[200];
    if (submission->scripts.units == 0) return report_end(submission);
    if (submission->scripts.rounds > 0)
        return submission->options->dry_run ? print_scripts(submission) : (int)submit(submission);
    (void)snprintf(message, sizeof message,
                   "%" PRIu64 " of %" PRIu64
                   " units have no result: their tasks failed (see their logs next to it)",
                   submission->scripts.units, submission->units);
    wb_diagnostics_error(submission->diagnostics, submission->database, message);
    return WB_ERR_LIMIT;
}

/* The parts of jobs that have ended are in the database. */
static wb_status prepare(struct submission *submission) {
    wb_status status = WB_OK;
    submission->most_tasks = UINT32_MAX;
    if (submission->options->dry_run) return WB_OK;
    status = slurm_ask(submission->diagnostics, &submission->most_tasks);
    if (status == WB_OK) status = slurm_folder_check_database(submission->database, submission->diagnostics);
    if (status == WB_OK) status = slurm_folder_make(submission->folder, submission->diagnostics);
    if (status == WB_OK)
        status = slurm_folder_lock(submission->folder, submission->diagnostics, &submission->lock);
    if (status == WB_OK) status = refuse_running(submission);
    return status == WB_OK ? gather_parts(submission) : status;
}

int submit_sweep(const struct sweep_options *options, wb_sweep *sweep, wb_diagnostics *diagnostics) {
    struct submission submission = {.options = options,
                                    .sweep = sweep,
                                    .diagnostics = diagnostics,
                                    .units = wb_sweep_count(sweep),
                                    .task_seconds =
                                        options->task_time > 0 ? options->task_time : TASK_SECONDS,
                                    .lock = -1};
    double unit_seconds = 0;
    wb_status status = check_options(&submission);
    if (status == WB_OK) status = find_names(&submission);
    if (status == WB_OK) status = read_limits(&submission);
    /* Units that failed for less memory are lacking; but tasks get no other memory than before. */
    wb_sweep_limit_memory(sweep, options->memory_share);
    if (status == WB_OK) status = prepare(&submission);
    if (status == WB_OK) status = find_lacking(&submission, &unit_seconds);
    if (status == WB_OK) status = plan_tasks(&submission, unit_seconds);
    const int result = status == WB_OK ? submit_or_end(&submission) : (int)status;
    if (submission.lock >= 0) (void)close(submission.lock);
    free(submission.known.is);
    free(submission.lacking);
    return result;
}
