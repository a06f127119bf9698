/* A measurement: the child process that runs the launch, and what came of it. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "wings/device/measurement.h"

/* How often the child is looked at. */
#define LOOK_NS 2000000

/* ---- The child ----------------------------------------------------------------------------------------- */

/* Bytes that all objects of the image have. */
static uint64_t image_size(const struct launch_image *image) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < image->objects.count; i++)
        bytes += image->objects.items[i].size;
    return bytes;
}

static wb_status share_memory(struct wb_measurement *made, const wb_measure_options *options,
                              wb_diagnostics *diagnostics) {
    const uint64_t runs = options->runs * sizeof(wb_measured_run);
    const uint64_t results = options->results ? image_size(&made->image) : 0;
    const uint64_t before = (sizeof(struct exchange) + 63) / 64 * 64;
    made->shared_bytes = before + WB_MEASURED_STATES * runs + results;
    void *shared = mmap(NULL, made->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return diagnose_out_of_memory(diagnostics, "measure");
    made->exchange = shared;
    for (int s = 0; s < WB_MEASURED_STATES; s++)
        made->exchange->runs[s] = (void *)((char *)shared + before + (uint64_t)s * runs);
    if (options->results) made->exchange->results = (uint8_t *)shared + before + WB_MEASURED_STATES * runs;
    return WB_OK;
}

/* Copies a text, cut where it is too long. */
static void keep_text(char *to, size_t size, const char *text) {
    const size_t length = strlen(text) < size - 1 ? strlen(text) : size - 1;
    memcpy(to, text, length);
    to[length] = '\0';
}

/* What the child does: it leaves all that it found in the exchange, and ends. */
_Noreturn static void be_child(struct wb_measurement *made, const wb_measure_options *options,
                               wb_diagnostics *diagnostics) {
    struct exchange *exchange = made->exchange;
    wb_message message;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    exchange->status = runs_make(&made->image, options, exchange, diagnostics);
    for (size_t i = 0; wb_diagnostics_message(diagnostics, i, &message); i++) {
        if (message.severity != WB_SEVERITY_ERROR) continue;
        keep_text(exchange->where, sizeof exchange->where, message.where);
        keep_text(exchange->message, sizeof exchange->message, message.text);
        break;
    }
    _exit(0);
}

/* ---- Its parent ---------------------------------------------------------------------------------------- */

/* What the child is, as its parent looks at it. */
struct watched {
    pid_t process;
    const struct exchange *exchange;
    const wb_measure_options *options;
    uint64_t runs_total;
    unsigned long long beat;
    double since; /* seconds: when the beat was another one */
};

static double seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool is_stopped(const struct watched *watched) {
    const wb_watch *watch = &watched->options->watch;
    const struct exchange *exchange = watched->exchange;
    const uint64_t done = (uint64_t)exchange->counts[WB_MEASURED_COLD] + exchange->counts[WB_MEASURED_WARM];
    return watch->poll != NULL && !watch->poll(watch->user, "measuring", done, watched->runs_total);
}

static bool hangs(struct watched *watched) {
    const unsigned long long beat = atomic_load(&watched->exchange->beat);
    const double now = seconds_now();
    if (beat != watched->beat) watched->since = now;
    watched->beat = beat;
    return now - watched->since > watched->options->patience;
}

/* Ends the child. */
static void end_child(pid_t process) {
    (void)kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
    }
}

/* What an exit of the child means. */
static wb_status child_ended(const struct exchange *exchange, int how, wb_diagnostics *diagnostics) {
    if (WIFSIGNALED(how)) {
        diagnose(diagnostics, SEVERITY_ERROR, "measure",
                 "the process that calls the driver died of signal %d", WTERMSIG(how));
        return WB_ERR_DECLINED;
    }
    if (exchange->status != WB_OK)
        diagnose(diagnostics, SEVERITY_ERROR, exchange->where, "%s", exchange->message);
    return exchange->status;
}

/* Waits for the child, or ends it when it hangs. */
static wb_status watch_child(struct watched *watched, wb_diagnostics *diagnostics) {
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    for (;;) {
        int how = 0;
        const pid_t ended = waitpid(watched->process, &how, WNOHANG);
        if (ended == watched->process) return child_ended(watched->exchange, how, diagnostics);
        if (is_stopped(watched)) {
            end_child(watched->process);
            diagnose(diagnostics, SEVERITY_ERROR, "measure", "stopped before all runs were done");
            return WB_ERR_LIMIT;
        }
        if (hangs(watched)) {
            end_child(watched->process);
            diagnose(diagnostics, SEVERITY_ERROR, "measure",
                     "a call of the driver did not return within %g seconds: the process that made it was "
                     "ended",
                     watched->options->patience);
            return WB_ERR_DECLINED;
        }
        (void)nanosleep(&pause, NULL);
    }
}

static wb_status run_child(struct wb_measurement *made, const wb_measure_options *options,
                           wb_diagnostics *diagnostics) {
    const uint64_t states = (uint64_t)options->cold + options->warm;
    struct watched watched = {.exchange = made->exchange,
                              .options = options,
                              .runs_total = states * options->runs,
                              .since = seconds_now()};
    watched.process = fork();
    if (watched.process == 0) be_child(made, options, diagnostics);
    if (watched.process < 0) {
        diagnose(diagnostics, SEVERITY_ERROR, "measure", "no process can be made: %s", strerror(errno));
        return WB_ERR_LIMIT;
    }
    return watch_child(&watched, diagnostics);
}

/* ---- What came of it ----------------------------------------------------------------------------------- */

static int compare_runs(const void *a, const void *b) {
    const wb_measured_run *first = a, *second = b;
    return first->ns < second->ns ? -1 : first->ns > second->ns;
}

/* Sorts the runs, and finds the longest one of both states. */
static void sum_up(struct wb_measurement *made) {
    const struct device_facts *facts = &made->exchange->facts;
    wb_measured *longest = &made->longest;
    *longest = (wb_measured){
        .gpu = facts->gpu, .architecture = facts->sm, .sms = facts->sms, .memory_clock = facts->memory_clock};
    for (int s = 0; s < WB_MEASURED_STATES; s++) {
        wb_measured_run *runs = made->exchange->runs[s];
        const uint32_t count = made->exchange->counts[s];
        qsort(runs, count, sizeof *runs, compare_runs);
        if (count == 0 || runs[count - 1].ns < longest->ns) continue;
        longest->ns = runs[count - 1].ns;
        longest->clock = runs[count - 1].clock;
        longest->cycles = (uint64_t)((unsigned __int128)longest->ns * longest->clock / 1000);
    }
}

/* Holds what the GPU left in memory against what the interpreter does. */
static wb_status compare_results(struct wb_measurement *made, wb_diagnostics *diagnostics) {
    const uint8_t *left = made->exchange->results;
    const size_t objects = made->image.objects.count;
    if (left == NULL) return WB_OK;
    made->differences = calloc(objects + 1, sizeof *made->differences);
    if (made->differences == NULL) return diagnose_out_of_memory(diagnostics, "measure");
    WB_TRY(image_execute(&made->image));
    for (size_t i = 0; i < objects; i++) {
        struct difference *difference = &made->differences[i];
        difference->count =
            image_differences(&made->image, i, left, &difference->first, &difference->unknown);
        difference->gpu = left[difference->first];
        difference->interpreter = image_bytes(&made->image, i)[difference->first];
        made->difference_count += difference->count;
        left += made->image.objects.items[i].size;
    }
    return WB_OK;
}

static wb_status measure(struct wb_measurement *made, const wb_kernel *kernel, const wb_launch *launch,
                         const wb_measure_options *options, wb_diagnostics *diagnostics) {
    WB_TRY(image_make(kernel, launch, diagnostics, &made->image));
    WB_TRY(share_memory(made, options, diagnostics));
    WB_TRY(run_child(made, options, diagnostics));
    made->when = time(NULL);
    sum_up(made);
    return compare_results(made, diagnostics);
}

wb_status wb_measurement_new(const wb_kernel *kernel, const wb_launch *launch,
                             const wb_measure_options *given, wb_diagnostics *diagnostics,
                             wb_measurement **measurement) {
    wb_measure_options options;
    WB_TRY(OPTIONS_TAKE(wb_measure_options, given, &options, diagnostics));
    if (options.runs == 0) options.runs = WB_MEASURE_RUNS_USUAL;
    if (options.runs > WB_MEASURE_RUNS_MAX) options.runs = WB_MEASURE_RUNS_MAX;
    if (options.patience <= 0) options.patience = WB_MEASURE_PATIENCE_USUAL;
    if (!options.cold && !options.warm) options.cold = options.warm = true;
    struct wb_measurement *made = calloc(1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, "measure");
    const wb_status status = measure(made, kernel, launch, &options, diagnostics);
    if (status != WB_OK) {
        wb_measurement_free(made);
        return status;
    }
    *measurement = made;
    return WB_OK;
}

void wb_measurement_free(wb_measurement *measurement) {
    if (measurement == NULL) return;
    if (measurement->exchange != NULL) (void)munmap(measurement->exchange, measurement->shared_bytes);
    image_free(&measurement->image);
    free(measurement->differences);
    free(measurement);
}

const char *wb_measured_state_name(wb_measured_state state) {
    return state == WB_MEASURED_COLD ? "cold" : "warm";
}

const wb_measured *wb_measurement_longest(const wb_measurement *measurement) {
    return &measurement->longest;
}

wb_measured_runs wb_measurement_runs(const wb_measurement *measurement, wb_measured_state state) {
    const struct exchange *exchange = measurement->exchange;
    const size_t count = exchange->counts[state];
    const wb_measured_run *runs = exchange->runs[state];
    if (count == 0) return (wb_measured_runs){.discarded = exchange->discarded[state]};
    return (wb_measured_runs){.runs = runs,
                              .count = count,
                              .discarded = exchange->discarded[state],
                              .median = runs[count / 2].ns,
                              .p99 = runs[(count * 99 + 99) / 100 - 1].ns, /* 99 % are not longer */
                              .longest = runs[count - 1].ns};
}

uint64_t wb_measurement_differences(const wb_measurement *measurement) {
    return measurement->difference_count;
}

bool wb_measurement_misses(const wb_measurement *measurement, const wb_report_options *options) {
    const wb_measured *longest = &measurement->longest;
    if (!options->has_deadline) return false;
    return (options->unit == WB_UNIT_CYCLES ? longest->cycles : longest->ns) > options->deadline;
}
