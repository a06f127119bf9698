/* Runs the units of a sweep: each is a process of its own, this program with other arguments, so that
 * whatever becomes of it is a row of the results and never the end. This process alone writes to the
 * database, unless there is another sweep into it: what that runs is waited for. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stop.h"
#include "sweep.h"

/* A unit that does not end by itself at its time limit is killed so many seconds behind it. */
#define KILL_SECONDS 5.0

/* How long to wait for a child before progress is drawn and limits are looked at. */
#define WAIT_NANOSECONDS 200000000L

/* How long a unit that somebody killed is not yet a result. */
#define KILLED_NANOSECONDS 500000000L

/* Most units of other sweeps to wait for, before new ones are begun. */
#define POSTPONED_MAX 256

/* Status of a child that could not become the program. */
#define EXIT_NO_PROGRAM 127

/* ---- Units of a shard, and which of them a database has --------------------------------------------------
 */

/* The next unit of a shard, of which the sweep stands at number *next, that is not known; NULL: there is
 * none. */
static wb_status shard_next(wb_sweep *sweep, struct shard shard, const struct known *known, uint64_t *next,
                            wb_diagnostics *diagnostics, wb_sweep_unit **unit) {
    uint64_t skipped = *next == 0 ? shard.index : shard.count - 1;
    for (; known->is != NULL && *next < known->units && known->is[*next]; ++*next)
        skipped += shard.count;
    ++*next;
    wb_sweep_skip(sweep, skipped);
    return wb_sweep_next(sweep, diagnostics, unit);
}

static wb_status look_up(const struct sweep_options *options, const wb_results *results,
                         const wb_sweep_unit *unit, wb_diagnostics *diagnostics, bool *is_known,
                         struct known *known) {
    wb_outcome outcome = {0};
    const wb_status status = wb_results_has(results, unit, options->retry, diagnostics, is_known, &outcome);
    if (status != WB_OK || !*is_known) return status;
    known->count++;
    known->failed += !outcome.done;
    known->missed += outcome.missed;
    known->contradicted += outcome.contradicted;
    return WB_OK;
}

wb_status known_find(const struct sweep_options *options, wb_sweep *sweep, struct shard shard,
                     const wb_results *results, wb_diagnostics *diagnostics, struct known *known) {
    static const struct known nothing = {0};
    const uint64_t units = shard_size(shard, wb_sweep_count(sweep));
    uint64_t next = 0;
    *known = (struct known){.is = calloc(units + 1, sizeof *known->is), .units = units};
    if (known->is == NULL) return WB_ERR_LIMIT;
    wb_status status = WB_OK;
    wb_sweep_rewind(sweep);
    for (uint64_t i = 0; status == WB_OK && i < units; i++) {
        wb_sweep_unit *unit = NULL;
        status = shard_next(sweep, shard, &nothing, &next, diagnostics, &unit);
        if (status == WB_OK) status = look_up(options, results, unit, diagnostics, &known->is[i], known);
        if (unit != NULL) wb_sweep_unit_free(unit);
    }
    wb_sweep_rewind(sweep);
    return status;
}

/* ---- Processes -------------------------------------------------------------------------------------------
 */

/* A unit that runs, or a free place for one. */
struct worker {
    wb_sweep_unit *unit; /* NULL: free */
    pid_t process;
    int output, messages; /* files in memory */
    double started;
    bool killed;
};

struct crew {
    const struct sweep_options *options;
    wb_sweep *sweep;
    struct shard shard;
    const struct known *known;
    uint64_t position; /* of the next unit, in the shard */
    wb_results *results;
    wb_diagnostics *diagnostics;
    wb_watch watch;
    struct worker *workers;
    size_t worker_count, running;
    wb_sweep_unit *postponed[POSTPONED_MAX]; /* which other sweeps run into the same database */
    size_t postponed_count;
    bool ended; /* there are no more units */
    wb_status status;
    uint64_t total, unchanged, done, failed, failed_before, missed, contradicted;
    double slowest;
    char slowest_name[160];
    char note[80]; /* behind the progress */
};

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* ---- The child -------------------------------------------------------------------------------------------
 */

static void set_limit(int resource, uint64_t most) {
    const struct rlimit limit = {most, most};
    (void)setrlimit(resource, &limit);
}

/* Where memory runs out, a unit is what is killed, and not the process that keeps the results. */
static void be_first_to_be_killed(void) {
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    (void)!write(file, "1000", 4);
    (void)close(file);
}

/* Becomes the program; what is wrong is said on the child's standard error. It ends with its parent. */
static _Noreturn void become_unit(const struct worker *worker, char *const *arguments, pid_t parent) {
    sigset_t none;
    const int nothing = open("/dev/null", O_RDONLY);
    (void)dup2(nothing, STDIN_FILENO);
    (void)dup2(worker->output, STDOUT_FILENO);
    (void)dup2(worker->messages, STDERR_FILENO);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Whoever asks all processes of a job to stop means the parent: a unit that is interrupted has no result.
     */
    (void)setpgid(0, 0);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    if (getppid() != parent) _exit(EXIT_NO_PROGRAM);
    be_first_to_be_killed();
    set_limit(RLIMIT_CORE, 0);
    if (worker->unit->memory_limit > 0) set_limit(RLIMIT_AS, worker->unit->memory_limit);
    if (chdir(worker->unit->folder) == 0) (void)execv("/proc/self/exe", arguments);
    (void)dprintf(STDERR_FILENO, "sweep: error: cannot run the program: %s\n", strerror(errno));
    _exit(EXIT_NO_PROGRAM);
}

/* "warpbound", the unit's arguments, NULL; malloc'd. execv changes none of them. */
static char **program_arguments(const wb_sweep_unit *unit) {
    const char **arguments = calloc(unit->argument_count + 2, sizeof *arguments);
    if (arguments == NULL) return NULL;
    arguments[0] = "warpbound";
    memcpy(arguments + 1, unit->arguments, unit->argument_count * sizeof *arguments);
    return (char **)(void *)arguments;
}

static bool start_process(struct worker *worker) {
    char **arguments = program_arguments(worker->unit);
    const pid_t parent = getpid();
    worker->output = memfd_create("report", MFD_CLOEXEC);
    worker->messages = memfd_create("messages", MFD_CLOEXEC);
    worker->killed = false;
    worker->started = now();
    worker->process = arguments != NULL && worker->output >= 0 && worker->messages >= 0 ? fork() : -1;
    if (worker->process == 0) become_unit(worker, arguments, parent);
    free(arguments);
    return worker->process > 0;
}

static void close_worker(struct crew *crew, struct worker *worker) {
    if (worker->output >= 0) (void)close(worker->output);
    if (worker->messages >= 0) (void)close(worker->messages);
    wb_sweep_unit_free(worker->unit);
    *worker = (struct worker){.output = -1, .messages = -1};
    crew->running--;
}

/* ---- Units that begin ------------------------------------------------------------------------------------
 */

/* Whose a unit is. One that is known is counted, and freed; so it is when crew->status becomes an error. */
static wb_claim claim_unit(struct crew *crew, wb_sweep_unit *unit, bool retry) {
    wb_outcome outcome = {0};
    wb_claim claim = WB_CLAIM_KNOWN;
    crew->status = wb_results_claim(crew->results, unit, retry, crew->diagnostics, &claim, &outcome);
    if (crew->status != WB_OK) claim = WB_CLAIM_KNOWN;
    if (claim != WB_CLAIM_KNOWN) return claim;
    wb_sweep_unit_free(unit);
    crew->unchanged += crew->status == WB_OK;
    crew->failed_before += crew->status == WB_OK && !outcome.done;
    crew->missed += outcome.missed;
    crew->contradicted += outcome.contradicted;
    return claim;
}

/* A unit that another sweep ran, which ended before the unit did; NULL: there is none. */
static wb_sweep_unit *postponed_unit(struct crew *crew) {
    wb_sweep_unit *found = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < crew->postponed_count; i++) {
        wb_sweep_unit *unit = crew->postponed[i];
        const bool is_asked = found == NULL && crew->status == WB_OK;
        const wb_claim claim = is_asked ? claim_unit(crew, unit, false) : WB_CLAIM_OTHER;
        if (claim == WB_CLAIM_OWN) found = unit;
        if (claim == WB_CLAIM_OTHER) crew->postponed[kept++] = unit;
    }
    crew->postponed_count = kept;
    return found;
}

/* The next unit that nobody runs and the database does not have. NULL: there is none for now, and none at all
 * where crew->ended. */
static wb_sweep_unit *next_unit(struct crew *crew) {
    wb_sweep_unit *unit = postponed_unit(crew);
    bool is_last = false;
    while (unit == NULL && crew->status == WB_OK && !is_last && crew->postponed_count < POSTPONED_MAX) {
        crew->status =
            shard_next(crew->sweep, crew->shard, crew->known, &crew->position, crew->diagnostics, &unit);
        is_last = unit == NULL;
        if (is_last || crew->status != WB_OK) break;
        const wb_claim claim = claim_unit(crew, unit, crew->options->retry);
        if (claim == WB_CLAIM_OTHER) crew->postponed[crew->postponed_count++] = unit;
        if (claim != WB_CLAIM_OWN) unit = NULL;
    }
    crew->ended = crew->status != WB_OK || (is_last && crew->postponed_count == 0);
    return unit;
}

static void start_units(struct crew *crew) {
    for (size_t i = 0; i < crew->worker_count && !crew->ended; i++) {
        struct worker *worker = &crew->workers[i];
        if (worker->unit != NULL) continue;
        worker->unit = next_unit(crew);
        if (worker->unit == NULL) return;
        crew->running++;
        if (start_process(worker)) continue;
        crew->status = usage_error(crew->diagnostics, "sweep: cannot start a process");
        crew->ended = true;
        close_worker(crew, worker);
    }
}

/* ---- Units that end --------------------------------------------------------------------------------------
 */

/* The contents of a file in memory, with a NUL behind them; "" where there are none. */
struct mapped {
    char *text;
    size_t size;
};

static struct mapped read_all(int file) {
    const off_t size = lseek(file, 0, SEEK_END);
    struct mapped mapped = {size < 0 ? NULL : malloc((size_t)size + 1), 0};
    if (mapped.text == NULL) return mapped;
    while (mapped.size < (size_t)size) {
        const ssize_t got =
            pread(file, mapped.text + mapped.size, (size_t)size - mapped.size, (off_t)mapped.size);
        if (got <= 0) break;
        mapped.size += (size_t)got;
    }
    mapped.text[mapped.size] = '\0';
    return mapped;
}

static void note_slowest(struct crew *crew, const wb_sweep_unit *unit, double seconds) {
    if (seconds <= crew->slowest) return;
    crew->slowest = seconds;
    (void)snprintf(crew->slowest_name, sizeof crew->slowest_name, "%s", unit->name);
}

/* Whoever kills all processes of a job kills this one next: what it does not come to keep runs again. */
static void await_own_end(void) {
    const struct timespec wait = {.tv_nsec = KILLED_NANOSECONDS};
    (void)nanosleep(&wait, NULL);
}

/* Keeps what became of a unit. */
static void keep_result(struct crew *crew, struct worker *worker, int wait_status) {
    const struct mapped report = read_all(worker->output), messages = read_all(worker->messages);
    const bool is_signal = WIFSIGNALED(wait_status);
    if (is_signal && WTERMSIG(wait_status) == SIGKILL && !worker->killed) await_own_end();
    wb_run run = {.exit_status = is_signal ? 0 : WEXITSTATUS(wait_status),
                  .signal = is_signal ? WTERMSIG(wait_status) : 0,
                  .report = report.text,
                  .report_size = report.size,
                  .messages = messages.text,
                  .seconds = now() - worker->started};
    if (worker->killed)
        run = (wb_run){.exit_status = WB_ERR_LIMIT,
                       .report = "",
                       .messages = "error: the time limit is reached (time_limit)\n",
                       .seconds = run.seconds};
    wb_outcome outcome = {0};
    wb_status status = WB_ERR_LIMIT;
    if (report.text != NULL && messages.text != NULL)
        status = wb_results_add(crew->results, worker->unit, &run, crew->diagnostics, &outcome);
    if (status != WB_OK) crew->status = status;
    crew->done++;
    crew->failed += !outcome.done;
    crew->missed += outcome.missed;
    crew->contradicted += outcome.contradicted;
    note_slowest(crew, worker->unit, run.seconds);
    (void)snprintf(crew->note, sizeof crew->note, "; %" PRIu64 " failed, slowest %.1f s", crew->failed,
                   crew->slowest);
    free(report.text);
    free(messages.text);
    close_worker(crew, worker);
}

/* Keeps all that have ended. */
static void reap(struct crew *crew) {
    int wait_status;
    for (pid_t process; (process = waitpid(-1, &wait_status, WNOHANG)) > 0;)
        for (size_t i = 0; i < crew->worker_count; i++)
            if (crew->workers[i].unit != NULL && crew->workers[i].process == process)
                keep_result(crew, &crew->workers[i], wait_status);
}

static void kill_late(struct crew *crew) {
    for (size_t i = 0; i < crew->worker_count; i++) {
        struct worker *worker = &crew->workers[i];
        if (worker->unit == NULL || worker->unit->time_limit <= 0) continue;
        if (now() - worker->started < worker->unit->time_limit + KILL_SECONDS) continue;
        worker->killed = true;
        (void)kill(worker->process, SIGKILL);
    }
}

/* Units that run are lost, and run again next time. */
static void kill_all(struct crew *crew) {
    for (size_t i = 0; i < crew->worker_count; i++) {
        struct worker *worker = &crew->workers[i];
        if (worker->unit == NULL) continue;
        (void)kill(worker->process, SIGKILL);
        (void)waitpid(worker->process, NULL, 0);
        close_worker(crew, worker);
    }
}

/* ---- The sweep -------------------------------------------------------------------------------------------
 */

static void wait_for_child(const sigset_t *child) {
    const struct timespec wait = {.tv_nsec = WAIT_NANOSECONDS};
    (void)sigtimedwait(child, NULL, &wait);
}

static void work(struct crew *crew) {
    sigset_t child, before;
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &child, &before);
    start_units(crew);
    while ((crew->running > 0 || !crew->ended) && crew->status == WB_OK) {
        if (!crew->watch.poll(crew->watch.user, "units", crew->unchanged + crew->done, crew->total)) break;
        wait_for_child(&child);
        reap(crew);
        kill_late(crew);
        if (crew->status == WB_OK) start_units(crew);
    }
    kill_all(crew);
    for (size_t i = 0; i < crew->postponed_count; i++)
        wb_sweep_unit_free(crew->postponed[i]);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
}

/* "64 units: 60 done, 4 failed (12 as before); slowest 1.2 s: ..." */
static void summarize(const struct crew *crew) {
    const uint64_t failed = crew->failed + crew->failed_before;
    watch_clear();
    printf("%" PRIu64 " units: %" PRIu64 " done, %" PRIu64 " failed", crew->total,
           crew->unchanged + crew->done - failed, failed);
    if (crew->unchanged > 0) printf("; %" PRIu64 " of them as before", crew->unchanged);
    if (crew->missed > 0) printf("; %" PRIu64 " deadlines not proven to be met", crew->missed);
    if (crew->contradicted > 0) printf("; %" PRIu64 " CONTRADICTED", crew->contradicted);
    if (crew->done > 0) printf("; slowest %.1f s: %s", crew->slowest, crew->slowest_name);
    printf("\n");
}

int run_sweep(const struct sweep_options *options, wb_sweep *sweep, struct shard shard,
              const struct known *known, wb_results *results, wb_diagnostics *diagnostics) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct crew crew = {.options = options,
                        .sweep = sweep,
                        .results = results,
                        .diagnostics = diagnostics,
                        .watch = watch_terminal(),
                        .worker_count = options->jobs.given ? (size_t)options->jobs.value
                                        : processors > 0    ? (size_t)processors
                                                            : 1,
                        .shard = shard,
                        .known = known,
                        .unchanged = known->count,
                        .failed_before = known->failed,
                        .missed = known->missed,
                        .contradicted = known->contradicted,
                        .total = shard_size(shard, wb_sweep_count(sweep))};
    crew.workers = calloc(crew.worker_count, sizeof *crew.workers);
    if (crew.workers == NULL) return WB_ERR_LIMIT;
    for (size_t i = 0; i < crew.worker_count; i++)
        crew.workers[i].output = crew.workers[i].messages = -1;
    watch_note(crew.note);
    work(&crew);
    watch_note(NULL);
    summarize(&crew);
    free(crew.workers);
    if (crew.status == WB_OK && stop_requested()) return WB_ERR_LIMIT;
    if (crew.status == WB_OK && crew.contradicted > 0)
        return usage_error(diagnostics, "contradiction: for some units an execution was found that takes "
                                        "longer than a proven bound: please report them (sweep show)"),
               WB_ERR_LIMIT;
    return crew.status == WB_OK && crew.missed > 0 ? EXIT_DEADLINE_MISSED : (int)crew.status;
}
