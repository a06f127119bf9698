/* How tight the bounds of kernels are: `make bench-tightness`. Every kernel of kernels/index.txt on GPUs with
 * one and with four sub-cores, bound beside slow executions, and where the cycles of the bound come from. */
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "tables.h"

#define JOBS_MAX 64u

struct request {
    struct sweep_choice choice;
    const char *csv, *json; /* files, or NULL */
    uint32_t jobs;
    bool means_only;
};

static const struct option options[] = {
    {"machines", required_argument, NULL, 'm'}, {"sms", required_argument, NULL, 's'},
    {"grids", required_argument, NULL, 'g'},    {"kernels", required_argument, NULL, 'k'},
    {"csv", required_argument, NULL, 'c'},      {"json", required_argument, NULL, 'j'},
    {"jobs", required_argument, NULL, 'n'},     {"means", no_argument, NULL, 'e'},
    {"no-search", no_argument, NULL, 'f'},      {NULL, 0, NULL, 0}};

static const char usage[] =
    "tightness [--machines LIST] [--sms LIST] [--grids LIST] [--kernels LIST] [--csv FILE] [--json FILE]\n"
    "          [--jobs N] [--means] [--no-search]\n"
    "    machines: ampere-sm80, hopper-sm90, ecrts2025-orin, ecrts2025-orin/4 (with four sub-cores)\n"
    "    sms: 1, 2, 8, max (as many as the machine has)      grids: one-wave, waves (three and a half)\n"
    "    kernels: names of kernels/index.txt                 means: without the tables of single kernels\n"
    "    no-search: the slowest simulation stands for the witness, in a tenth of the time\n";

static bool read_request(int count, char **words, struct request *request) {
    *request = (struct request){.choice = {"all", "all", "all", "all", false}, .jobs = 1};
    for (int option; (option = getopt_long(count, words, "", options, NULL)) != -1;)
        switch (option) {
        case 'm': request->choice.machines = optarg; break;
        case 's': request->choice.sms = optarg; break;
        case 'g': request->choice.sizes = optarg; break;
        case 'k': request->choice.kernels = optarg; break;
        case 'c': request->csv = optarg; break;
        case 'j': request->json = optarg; break;
        case 'n': request->jobs = (uint32_t)strtoul(optarg, NULL, 10); break;
        case 'e': request->means_only = true; break;
        case 'f': request->choice.no_search = true; break;
        default: return false;
        }
    return optind == count && request->jobs >= 1 && request->jobs <= JOBS_MAX;
}

/* ---- Measuring, several cases at a time ---------------------------------------------------------------- */

struct work {
    struct result *results;
    size_t count;
    atomic_size_t next, done;
    bool shows_progress; /* on a terminal */
};

static void *take_cases(void *user) {
    struct work *work = user;
    for (size_t r; (r = atomic_fetch_add(&work->next, 1)) < work->count;) {
        struct result *result = &work->results[r];
        measure(result->one, &result->measurement);
        const size_t done = atomic_fetch_add(&work->done, 1) + 1;
        if (work->shows_progress) (void)fprintf(stderr, "\r%zu of %zu ", done, work->count);
    }
    return NULL;
}

static void measure_all(struct work *work, uint32_t jobs) {
    pthread_t threads[JOBS_MAX];
    uint32_t started = 0;
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, take_cases, work) == 0)
        started++;
    (void)take_cases(work);
    for (uint32_t t = 0; t < started; t++)
        (void)pthread_join(threads[t], NULL);
    if (work->shows_progress) (void)fputs("\r                 \r", stderr);
}

/* ---- What is written ----------------------------------------------------------------------------------- */

typedef void table_writer(const struct result *results, size_t count, struct text *out);

/* Writes into a file; NULL: none. */
static wb_status write_file(const char *path, table_writer *writer, const struct work *work,
                            wb_diagnostics *diagnostics) {
    struct text text = {0};
    if (path == NULL) return WB_OK;
    writer(work->results, work->count, &text);
    char *complete = text_take(&text);
    const wb_status status = complete != NULL ? wb_file_write(path, complete, diagnostics)
                                              : diagnose_out_of_memory(diagnostics, path);
    free(complete);
    return status;
}

/* The numbers hold if none that was found is above one that was proven. */
static wb_status check(const struct work *work, wb_diagnostics *diagnostics) {
    wb_status status = WB_OK;
    for (size_t r = 0; r < work->count; r++) {
        const struct sweep_case *one = work->results[r].one;
        const struct measurement *of = &work->results[r].measurement;
        if (of->failed)
            (void)fprintf(stderr, "%s, %s, SMs: %s, %s: %s", one->kernel->name, one->machine->name, one->sms,
                          one->size->name, of->why != NULL ? of->why : "out of memory\n");
        if (of->failed || of->witness.name == NULL || of->proven.name == NULL) continue;
        if (of->witness.cycles <= of->proven.cycles && of->witness.cycles <= of->proven_unknown.cycles)
            continue;
        wb_diagnostics_error(diagnostics, one->kernel->name, "an execution takes longer than what is proven");
        status = WB_ERR_INPUT;
    }
    return status;
}

static wb_status write_all(const struct request *request, const struct work *work,
                           wb_diagnostics *diagnostics) {
    if (!request->means_only) WB_TRY(write_file("-", tables_write, work, diagnostics));
    WB_TRY(write_file("-", tables_write_means, work, diagnostics));
    WB_TRY(write_file(request->csv, tables_write_csv, work, diagnostics));
    WB_TRY(write_file(request->json, tables_write_json, work, diagnostics));
    return check(work, diagnostics);
}

static wb_status run(const struct request *request, wb_diagnostics *diagnostics) {
    struct sweep sweep;
    struct work work = {.shows_progress = isatty(STDERR_FILENO) != 0};
    wb_status status = sweep_make(&request->choice, diagnostics, &sweep);
    if (status == WB_OK) {
        work.count = sweep.cases.count;
        work.results = calloc(work.count + 1, sizeof *work.results);
        if (work.results == NULL) status = diagnose_out_of_memory(diagnostics, "tightness");
    }
    if (status == WB_OK) {
        for (size_t r = 0; r < work.count; r++)
            work.results[r].one = &sweep.cases.items[r];
        measure_all(&work, request->jobs);
        status = write_all(request, &work, diagnostics);
        for (size_t r = 0; r < work.count; r++)
            free(work.results[r].measurement.why);
    }
    free(work.results);
    sweep_free(&sweep);
    return status;
}

int main(int count, char **words) {
    struct request request;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (diagnostics == NULL) return EXIT_FAILURE;
    if (!read_request(count, words, &request)) {
        (void)fputs(usage, stderr);
        wb_diagnostics_free(diagnostics);
        return 2;
    }
    const wb_status status = run(&request, diagnostics);
    (void)fputs(wb_diagnostics_text(diagnostics), stderr);
    wb_diagnostics_free(diagnostics);
    return (int)status;
}
