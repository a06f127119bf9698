/* A measurement: the child process that runs the launch, and what came of it. */
#include <string.h>
#include <sys/mman.h>

#include "launch/launch.h"
#include "wings/device/measurement.h"

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
    const uint64_t results = options->results ? image_size(made->images) : 0;
    const uint64_t before = (sizeof(struct exchange) + 63) / 64 * 64;
    made->shared_bytes = before + WB_MEASURED_STATES * runs + results;
    void *shared = child_memory(made->shared_bytes);
    if (shared == NULL) return diagnose_out_of_memory(diagnostics, "measure");
    made->exchange = shared;
    for (int s = 0; s < WB_MEASURED_STATES; s++)
        made->exchange->runs[s] = (void *)((char *)shared + before + (uint64_t)s * runs);
    if (options->results) made->exchange->results = (uint8_t *)shared + before + WB_MEASURED_STATES * runs;
    return WB_OK;
}

/* The context of the child's work. */
struct work {
    struct wb_measurement *made;
    const wb_measure_options *options;
};

static wb_status run_in_child(void *context, wb_diagnostics *diagnostics) {
    const struct work *work = context;
    return runs_make(work->made->images, work->made->image_count, work->options, work->made->exchange,
                     diagnostics);
}

static wb_status run_child(struct wb_measurement *made, const wb_measure_options *options,
                           wb_diagnostics *diagnostics) {
    struct work work = {made, options};
    const struct child_work child = {.run = run_in_child,
                                     .context = &work,
                                     .state = &made->exchange->state,
                                     .patience = options->patience,
                                     .stage = "measuring",
                                     .total = ((uint64_t)options->cold + options->warm) * options->runs,
                                     .watch = &options->watch};
    return child_run(&child, diagnostics);
}

/* ---- What came of it ----------------------------------------------------------------------------------- */

static int compare_runs(const void *a, const void *b) {
    const wb_measured_run *first = a, *second = b;
    return first->ns < second->ns ? -1 : first->ns > second->ns;
}

/* Sorts the runs, and finds the longest one of both states. */
static void sum_up(struct wb_measurement *made, const wb_measure_options *options) {
    const struct device_facts *facts = &made->exchange->facts;
    wb_measured *longest = &made->longest;
    (void)text_format(made->gpu, sizeof made->gpu, "%s%s", facts->gpu,
                      options->beside ? " beside a kernel that reads and writes memory" : "");
    *longest = (wb_measured){.gpu = made->gpu,
                             .architecture = facts->sm,
                             .sms = facts->sms,
                             .memory_clock = facts->memory_clock,
                             .beside = options->beside};
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
    const size_t objects = made->images->objects.count;
    if (left == NULL) return WB_OK;
    made->differences = calloc(objects + 1, sizeof *made->differences);
    if (made->differences == NULL) return diagnose_out_of_memory(diagnostics, "measure");
    WB_TRY(image_execute(made->images));
    for (size_t i = 0; i < objects; i++) {
        struct difference *difference = &made->differences[i];
        difference->count =
            image_differences(made->images, i, left, &difference->first, &difference->unknown);
        difference->gpu = left[difference->first];
        difference->interpreter = image_bytes(made->images, i)[difference->first];
        made->difference_count += difference->count;
        left += made->images->objects.items[i].size;
    }
    return WB_OK;
}

/* Runs the launches, whose images have been made. */
static wb_status measure(struct wb_measurement *made, const wb_measure_options *options,
                         wb_diagnostics *diagnostics) {
    WB_TRY(share_memory(made, options, diagnostics));
    WB_TRY(run_child(made, options, diagnostics));
    made->when = time(NULL);
    sum_up(made, options);
    return compare_results(made, diagnostics);
}

static wb_status take_options(const wb_measure_options *options, wb_diagnostics *diagnostics,
                              wb_measure_options *asked) {
    WB_TRY(OPTIONS_TAKE(wb_measure_options, options, asked, diagnostics));
    if (asked->runs == 0) asked->runs = WB_MEASURE_RUNS_USUAL;
    if (asked->runs > WB_MEASURE_RUNS_MAX) asked->runs = WB_MEASURE_RUNS_MAX;
    if (asked->patience <= 0) asked->patience = WB_MEASURE_PATIENCE_USUAL;
    if (!asked->cold && !asked->warm) asked->cold = asked->warm = true;
    return WB_OK;
}

/* Room for so many launches; NULL, with a message, when memory is exhausted. */
static struct wb_measurement *make_empty(size_t count, wb_diagnostics *diagnostics) {
    struct wb_measurement *made = calloc(1, sizeof *made);
    if (made != NULL) made->images = calloc(count, sizeof *made->images);
    if (made != NULL && made->images != NULL) {
        made->image_count = count;
        return made;
    }
    free(made);
    (void)diagnose_out_of_memory(diagnostics, "measure");
    return NULL;
}

/* Hands it out, or frees it where it came to an error. */
static wb_status hand_out(wb_status status, struct wb_measurement *made, wb_measurement **measurement) {
    if (status == WB_OK)
        *measurement = made;
    else
        wb_measurement_free(made);
    return status;
}

wb_status wb_measurement_new(const wb_kernel *kernel, const wb_launch *launch,
                             const wb_measure_options *options, wb_diagnostics *diagnostics,
                             wb_measurement **measurement) {
    wb_measure_options asked;
    WB_TRY(take_options(options, diagnostics, &asked));
    struct wb_measurement *made = make_empty(1, diagnostics);
    if (made == NULL) return WB_ERR_LIMIT;
    wb_status status = image_make(kernel, launch, diagnostics, made->images);
    if (status == WB_OK) status = measure(made, &asked, diagnostics);
    return hand_out(status, made, measurement);
}

/* ---- Lists --------------------------------------------------------------------------------------------- */

/* Measures launch number `index` by itself, and makes its image for the whole. */
static wb_status measure_part(struct wb_measurement *made, const wb_module *module, const wb_launch *launch,
                              size_t index, const wb_measure_options *options, wb_diagnostics *diagnostics) {
    const wb_kernel *kernel = NULL;
    if (launch->variables.count > 0) {
        diagnose(diagnostics, SEVERITY_ERROR, launch->variables.items[0].name,
                 "launch %zu of the list gives a variable, which all launches share: measure it by itself",
                 index + 1);
        return WB_ERR_DECLINED;
    }
    WB_TRY(wb_module_find_kernel(module, wb_launch_kernel(launch), diagnostics, &kernel));
    WB_TRY(image_make(kernel, launch, diagnostics, &made->images[index]));
    return wb_measurement_new(kernel, launch, options, diagnostics, &made->parts[index]);
}

wb_status wb_measurement_new_list(const wb_module *module, const wb_launches *launches,
                                  const wb_measure_options *options, wb_diagnostics *diagnostics,
                                  wb_measurement **measurement) {
    const size_t count = wb_launches_count(launches);
    wb_measure_options asked;
    WB_TRY(take_options(options, diagnostics, &asked));
    asked.results = false;
    struct wb_measurement *made = make_empty(count, diagnostics);
    if (made == NULL) return WB_ERR_LIMIT;
    made->parts = calloc(count + 1, sizeof(wb_measurement *));
    if (made->parts == NULL)
        return hand_out(diagnose_out_of_memory(diagnostics, "measure"), made, measurement);
    wb_status status = WB_OK;
    for (size_t i = 0; i < count && status == WB_OK; i++)
        status = measure_part(made, module, wb_launches_at(launches, i), i, &asked, diagnostics);
    if (status == WB_OK) status = measure(made, &asked, diagnostics);
    return hand_out(status, made, measurement);
}

const wb_measurement *wb_measurement_part(const wb_measurement *measurement, size_t index) {
    return measurement->parts != NULL && index < measurement->image_count ? measurement->parts[index] : NULL;
}

void wb_measurement_free(wb_measurement *measurement) {
    if (measurement == NULL) return;
    if (measurement->exchange != NULL) (void)munmap(measurement->exchange, measurement->shared_bytes);
    for (size_t i = 0; i < measurement->image_count; i++) {
        image_free(&measurement->images[i]);
        if (measurement->parts != NULL) wb_measurement_free(measurement->parts[i]);
    }
    free(measurement->images);
    free(measurement->parts);
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
