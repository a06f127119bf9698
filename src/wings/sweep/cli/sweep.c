/* warpbound sweep: many analyses, as a file names them, and their results in a database. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"
#include "values.h"
#include "wing.h"

/* ---- --shard ---------------------------------------------------------------------------------------------
 */

/* "I/N", both from 1 on. */
static wb_status read_shard(const char *text, wb_diagnostics *diagnostics, struct shard *shard) {
    const char *slash = text == NULL ? NULL : strchr(text, '/');
    *shard = (struct shard){0, 1};
    if (text == NULL) return WB_OK;
    if (slash != NULL && read_number(slash + 1, strlen(slash + 1), 1, UINT32_MAX, &shard->count) &&
        read_number(text, (size_t)(slash - text), 1, shard->count, &shard->index)) {
        shard->index--;
        return WB_OK;
    }
    wb_diagnostics_error(diagnostics, "--shard", "expected I/N, such as 1/4, 2/4, 3/4 and 4/4");
    return WB_ERR_INPUT;
}

uint64_t shard_size(struct shard shard, uint64_t units) {
    return units / shard.count + (shard.index < units % shard.count);
}

/* ---- --dry-run -------------------------------------------------------------------------------------------
 */

/* What is listed. */
struct listed {
    wb_sweep *sweep;
    struct shard shard;
};

static bool put_line(const wb_writer *writer, const char *line) {
    return writer->write(writer->user, line, strlen(line)) && writer->write(writer->user, "\n", 1);
}

/* How many units there are, and a line for each. */
static wb_status list_units(void *user, const wb_writer *writer, wb_diagnostics *diagnostics) {
    const struct listed *listed = user;
    wb_sweep_unit *unit = NULL;
    char line[64];
    (void)snprintf(line, sizeof line, "%" PRIu64 " units",
                   shard_size(listed->shard, wb_sweep_count(listed->sweep)));
    bool written = put_line(writer, line);
    wb_status status = wb_sweep_next(listed->sweep, diagnostics, &unit);
    for (uint64_t i = 0; status == WB_OK && unit != NULL && written; i++) {
        if (i % listed->shard.count == listed->shard.index) written = put_line(writer, unit->name);
        wb_sweep_unit_free(unit);
        status = wb_sweep_next(listed->sweep, diagnostics, &unit);
    }
    if (status == WB_OK) wb_sweep_unit_free(unit);
    return written || status != WB_OK ? status : usage_error(diagnostics, "cannot write the list of units");
}

/* ---- show ------------------------------------------------------------------------------------------------
 */

static wb_results_format results_format(const struct sweep_options *options) {
    switch (options->common.format) {
    case OUTPUT_CSV: return WB_RESULTS_CSV;
    case OUTPUT_JSON: return WB_RESULTS_JSON;
    case OUTPUT_JSON_LINES: return WB_RESULTS_JSON_LINES;
    case OUTPUT_JUNIT: return WB_RESULTS_JUNIT;
    default: return WB_RESULTS_MARKDOWN;
    }
}

/* What is shown of which results. */
struct shown {
    const wb_results *results;
    const struct sweep_options *options;
};

static wb_status write_results(void *user, const wb_writer *writer, wb_diagnostics *diagnostics) {
    const struct shown *shown = user;
    return wb_results_report(shown->results, results_format(shown->options), shown->options->where.items,
                             shown->options->where.count, writer, diagnostics);
}

static int show(const struct sweep_options *options, wb_diagnostics *diagnostics) {
    wb_results *results = NULL;
    if (options->common.operands.count != 2)
        return (int)usage_error(diagnostics, "sweep show: expected one database");
    wb_status status = wb_results_open(options->common.operands.items[1], false, diagnostics, &results);
    struct shown shown = {results, options};
    if (status == WB_OK) status = write_as_made(&options->common, write_results, &shown, diagnostics);
    wb_results_free(results);
    return (int)status;
}

/* ---- diff, merge, plot -----------------------------------------------------------------------------------
 */

/* "5", "5%" or "0.5%": a percentage from 0 on. */
static bool read_percent(const char *text, double *percent) {
    const size_t length = strspn(text, "0123456789.");
    char *end;
    *percent = strtod(text, &end);
    return length > 0 && end == text + length && (*end == '\0' || strcmp(end, "%") == 0);
}

static int diff(const struct sweep_options *options, wb_diagnostics *diagnostics) {
    wb_results *before = NULL, *after = NULL;
    char *text = NULL;
    double most = INFINITY;
    bool worse = false;
    if (options->fail_above != NULL && !read_percent(options->fail_above, &most)) {
        wb_diagnostics_error(diagnostics, "--fail-above", "expected a percentage, such as 5%");
        return WB_ERR_INPUT;
    }
    wb_status status = wb_results_open(options->common.operands.items[1], false, diagnostics, &before);
    if (status == WB_OK)
        status = wb_results_open(options->common.operands.items[2], false, diagnostics, &after);
    if (status == WB_OK) status = wb_results_diff(before, after, most, diagnostics, &text, &worse);
    if (status == WB_OK) status = write_output(&options->common, text, diagnostics);
    free(text);
    wb_results_free(before);
    wb_results_free(after);
    return status == WB_OK && worse && options->fail_above != NULL ? EXIT_DEADLINE_MISSED : (int)status;
}

static int merge(const struct sweep_options *options, wb_diagnostics *diagnostics) {
    wb_results *results = NULL;
    if (options->common.output == NULL || strcmp(options->common.output, "-") == 0)
        return (int)usage_error(diagnostics, "sweep merge: expected -o DATABASE to merge the others into");
    wb_status status = wb_results_open(options->common.output, true, diagnostics, &results);
    if (status == WB_OK)
        status = wb_results_merge(results, options->common.operands.items + 1,
                                  options->common.operands.count - 1, diagnostics);
    wb_results_free(results);
    return (int)status;
}

static int plot(const struct sweep_options *options, wb_diagnostics *diagnostics) {
    wb_plot_options asked = options->plot;
    wb_results *results = NULL;
    char *svg = NULL;
    asked.size = sizeof asked;
    asked.where = options->where.items;
    asked.where_count = options->where.count;
    if (asked.x == NULL)
        return (int)usage_error(diagnostics,
                                "sweep plot: expected --x NAME, the parameter on the horizontal axis");
    wb_status status = wb_results_open(options->common.operands.items[1], false, diagnostics, &results);
    if (status == WB_OK) status = wb_results_plot(results, &asked, diagnostics, &svg);
    if (status == WB_OK) status = write_output(&options->common, svg, diagnostics);
    free(svg);
    wb_results_free(results);
    return (int)status;
}

/* ---- --known ---------------------------------------------------------------------------------------------
 */

/* The database is open for as long as it takes to look units up: others may write to it while they run. */
static wb_status read_known(const struct sweep_options *options, wb_sweep *sweep, struct shard shard,
                            wb_diagnostics *diagnostics, struct known *known) {
    wb_results *results = NULL;
    if (options->known == NULL) return WB_OK;
    wb_status status = wb_results_open(options->known, false, diagnostics, &results);
    if (status == WB_OK) status = known_find(options, sweep, shard, results, diagnostics, known);
    wb_results_free(results);
    return status;
}

/* ---- The command -----------------------------------------------------------------------------------------
 */

static int run(const struct sweep_options *options, wb_diagnostics *diagnostics) {
    wb_sweep *sweep = NULL;
    wb_results *results = NULL;
    struct known known = {0};
    struct shard shard;
    int status = (int)read_shard(options->shard, diagnostics, &shard);
    const bool is_stream = options->common.output != NULL && strcmp(options->common.output, "-") == 0;
    if (status == WB_OK && (options->common.output == NULL || is_stream) &&
        (!options->dry_run || options->slurm))
        status = (int)usage_error(diagnostics, "expected -o DATABASE for the results, or --dry-run");
    if (status == WB_OK) status = (int)wb_sweep_read(options->common.operands.items[0], diagnostics, &sweep);
    if (status == WB_OK) wb_sweep_limit_memory(sweep, options->common.memory_limit);
    if (status == WB_OK && !options->slurm) wb_sweep_limit_time(sweep, options->unit_limit);
    if (status == WB_OK && options->slurm) {
        status = submit_sweep(options, sweep, diagnostics);
    } else if (status == WB_OK && options->dry_run) {
        struct listed listed = {sweep, shard};
        status = (int)write_as_made(&options->common, list_units, &listed, diagnostics);
    } else if (status == WB_OK) {
        status = (int)read_known(options, sweep, shard, diagnostics, &known);
        if (status == WB_OK)
            status = (int)wb_results_open(options->common.output, true, diagnostics, &results);
        if (status == WB_OK) status = run_sweep(options, sweep, shard, &known, results, diagnostics);
    }
    free(known.is);
    wb_results_free(results);
    wb_sweep_free(sweep);
    return status;
}

/* What is done with databases, by the word in front of them. */
static const struct verb {
    const char *name;
    size_t least, most; /* databases */
    int (*run)(const struct sweep_options *options, wb_diagnostics *diagnostics);
    const char *expected;
} verbs[] = {
    {"show", 1, 1, show, "sweep show: expected one database"},
    {"plot", 1, 1, plot, "sweep plot: expected one database"},
    {"diff", 2, 2, diff, "sweep diff: expected two databases"},
    {"merge", 1, SIZE_MAX, merge, "sweep merge: expected databases"},
};

/* Whether any option of `plot` is given. */
static bool is_plotting(const struct sweep_options *options) {
    const wb_plot_options *plot = &options->plot;
    const char *const given[] = {plot->x,   plot->y,     plot->of,      plot->by,
                                 plot->log, plot->title, plot->x_title, plot->y_title};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i] != NULL) return true;
    return false;
}

/* Options that something else takes: whoever gives them means something else. */
static wb_status refuse_others(const struct sweep_options *options, const struct verb *verb,
                               wb_diagnostics *diagnostics) {
    const char *name = verb == NULL ? "" : verb->name;
    const bool is_show = strcmp(name, "show") == 0, is_plot = strcmp(name, "plot") == 0;
    if (!is_show && options->common.format != OUTPUT_TEXT)
        return usage_error(diagnostics, "--format, --csv and --json belong to sweep show");
    if (verb != NULL &&
        (options->dry_run || options->retry || options->jobs.given || options->shard != NULL ||
         options->known != NULL || options->slurm || options->unit_limit > 0))
        return usage_error(diagnostics, "--dry-run, --jobs, --shard, --known, --retry, --unit-limit and "
                                        "--slurm apply only to running a sweep");
    if (options->slurm && (options->shard != NULL || options->known != NULL))
        return usage_error(diagnostics, "--slurm divides the sweep itself: omit --shard and --known");
    if (!options->slurm && (options->sbatch.count > 0 || options->task_time > 0 || options->unit_time > 0 ||
                            options->rounds.given))
        return usage_error(diagnostics, "--sbatch, --task-time, --unit-time and --rounds need --slurm");
    if (strcmp(name, "diff") != 0 && options->fail_above != NULL)
        return usage_error(diagnostics, "--fail-above belongs to sweep diff");
    if (!is_plot && is_plotting(options))
        return usage_error(diagnostics, "--x, --y, --of, --by, --log and titles belong to sweep plot");
    if (!is_show && !is_plot && options->where.count > 0)
        return usage_error(diagnostics, "--where belongs to sweep show and sweep plot");
    return WB_OK;
}

static int command_sweep(const struct options *common, wb_diagnostics *diagnostics) {
    const struct sweep_options *options = (const struct sweep_options *)common; /* it begins so */
    const char *first = options->common.operands.count > 0 ? options->common.operands.items[0] : "";
    const struct verb *verb = NULL;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].name, first) == 0) verb = &verbs[i];
    if (verb == NULL && options->common.operands.count != 1)
        return (int)usage_error(diagnostics,
                                "expected: sweep FILE.yaml -o DATABASE | FILE.yaml --dry-run | "
                                "show|plot DATABASE | diff BEFORE AFTER | merge DATABASES -o DATABASE");
    if (refuse_others(options, verb, diagnostics) != WB_OK) return WB_ERR_INPUT;
    if (verb == NULL) return run(options, diagnostics);
    const size_t databases = options->common.operands.count - 1;
    if (databases < verb->least || databases > verb->most)
        return (int)usage_error(diagnostics, verb->expected);
    return verb->run(options, diagnostics);
}

/* ---- Options ------------------------------------------------------------------------------------------- */

enum { COMMAND_SWEEP = COMMAND_WING_APART };

/* Most units at a time that can be asked for. */
#define JOBS_MAX 1024

#define OWN(kind, member) INTO_OWN(kind, struct sweep_options, member, COMMAND_SWEEP)

/* What is plotted of a sweep: these, and what is made of them. */
static const char *plotted_name(size_t index) {
    static const char *const made[] = {"bound", "slowest"};
    return index < 2 ? made[index] : number_name(index - 2);
}

static const struct option_row rows[] = {
    HEADING("What is computed"),
    {0, "dry-run", NULL, OWN(FLAG, dry_run), .help = "count and list the units without running any"},
    {'j', "jobs", "N", OWN(NUMBER, jobs), .help = "units that run at a time (default: all processors)",
     .least = 1, .most = JOBS_MAX, .expected = "a number from 1 to 1024"},
    {0, "shard", "I/N", OWN(TEXT, shard),
     .help = "only every Nth unit, from the Ith on: N computers with a database each, for `merge`, do all"},
    {0, "known", "DATABASE", OWN(TEXT, known),
     .help = "skip units that DATABASE has: merging both adds them"},
    {0, "slurm", NULL, OWN(FLAG, slurm),
     .help = "submit the units that the database lacks to Slurm, as a job array and a last job that stores "
             "the results; with --dry-run print the scripts"},
    {0, "sbatch", "OPTION", OWN(LIST, sbatch),
     .help = "with --slurm: an sbatch option for the jobs, such as --sbatch=--partition=short"},
    {0, "task-time", "SECONDS", OWN(SECONDS, task_time),
     .help = "with --slurm: how long a task of several units should take (default 300)",
     .expected = "a number of seconds above 0, such as 60 or 0.5"},
    {0, "unit-time", "SECONDS", OWN(SECONDS, unit_time),
     .help = "with --slurm: how long a unit takes (default: measured, if necessary by running a few units)",
     .expected = "a number of seconds above 0, such as 60 or 0.5"},
    {0, "rounds", "N", OWN(NUMBER, rounds),
     .help = "with --slurm: how often missing units are submitted, including the first time (default 3); 0 "
             "only collects results",
     .most = 1000, .expected = "a number from 0 to 1000"},
    {0, "retry", NULL, OWN(FLAG, retry), .help = "rerun units that have no result, although nothing changed"},
    {0, "fail-above", "PERCENT", OWN(TEXT, fail_above),
     .help = "for `diff`: exit 1 if a bound grew by more than this, such as 5%, or is missing"},
    {'x', "x", "NAME", OWN(TEXT, plot.x),
     .help = "for `plot`: the parameter on the horizontal axis, such as mem_latency; with --y also a number"},
    {'y', "y", "NAME", OWN(TEXT, plot.y),
     .help = "for `plot`: a second parameter, for a heat map; or a second number, for a point per unit: --x "
             "slowest --y bound"},
    {0, "of", "LIST", OWN(TEXT, plot.of),
     .help = "for `plot`: bound, slowest (default: both; for heat maps bound), methods, policies",
     .names = plotted_name},
    {0, "by", "NAME", OWN(TEXT, plot.by),
     .help = "for `plot --x slowest --y bound`: the parameter that colours the points"},
    {0, "log", "LIST", OWN(TEXT, plot.log), .help = "for `plot`: x, cycles or x,cycles: logarithmic axes",
     .words = {"x", "cycles"}},
    {0, "title", "TEXT", OWN(TEXT, plot.title), .help = "for `plot`: title of the picture"},
    {0, "x-title", "TEXT", OWN(TEXT, plot.x_title), .help = "for `plot`: title of the horizontal axis"},
    {0, "y-title", "TEXT", OWN(TEXT, plot.y_title), .help = "for `plot`: title of the vertical axis"},
    {0, "where", "NAME=VALUE", OWN(LIST, where),
     .help = "for `show` and `plot`: only units with that parameter, status or verdict; VALUE may be a "
             "pattern, such as *reduce*"},
    HEADING("Limits"),
    {0, "memory-limit", "SIZE", INTO(SIZE, memory_limit, COMMAND_SWEEP),
     .help = "most memory of a unit, for sweep files without memory_limit: 500M, 8G",
     .expected = "a number of bytes, such as 500M or 8G"},
    {0, "unit-limit", "SECONDS", OWN(SECONDS, unit_limit),
     .help = "most time of a unit, for sweep files without time_limit (default: none; with --slurm "
             "--task-time, ten times --unit-time, but at least 60)",
     .expected = "a number of seconds above 0, such as 60 or 0.5"},
    {0, "memory-share", "SIZE", OWN(SIZE, memory_share), .help = NULL, /* of the script finish.sh */
     .expected = "a number of bytes, such as 500M or 8G"},
    HEADING("What is written"),
    {0, "format", "FORMAT", INTO(FORMAT, format, COMMAND_SWEEP),
     .help = "for `show`: markdown, a line for each unit (default); csv, a line for each number; json; "
             "json-lines; junit",
     .words = {"markdown", "csv", "json", "json-lines", "junit"}},
    {0, "csv", NULL, INTO(JSON, format, COMMAND_SWEEP), .help = "same as --format csv"},
    {0, "json", NULL, INTO(JSON, format, COMMAND_SWEEP), .help = "same as --format json"},
    {'o', "output", "FILE", INTO(TEXT, output, COMMAND_SWEEP),
     .help = "the database that units are written or merged to; for `show`, `diff` and `plot` a file, which "
             "appears only when complete"},
    {COLOR(COMMAND_SWEEP)},
};

static const struct command command = {
    "sweep",
    COMMAND_SWEEP,
    "FILE.yaml | show|plot DATABASE | diff|merge DATABASES",
    "run many analyses and store their results",
    "runs the analyses that its file names",
    command_sweep,
    .manual = "`sweep` FILE.yaml runs an analysis for each combination of code, machines, values and "
              "options in the file, several at a time, each in its own process, and stores the results in "
              "the database of `-o`. Run again, it continues where it stopped and skips units whose inputs "
              "did not change.\n`sweep show` prints results, `sweep plot` draws a picture (SVG), `sweep "
              "diff` compares two databases, for gates in CI, and `sweep merge` combines several.",
    .examples = {"sweep docs/examples/latencies.yaml --dry-run",
                 "sweep docs/examples/latencies.yaml -o latencies.db", "sweep show latencies.db",
                 "sweep show latencies.db --where 'code=*reduce*' --csv -o latencies.csv",
                 "sweep plot latencies.db --x mem_latency -o latencies.svg",
                 "sweep diff baseline.db latencies.db --fail-above 5%"},
    .before = "machine",
    .options_size = sizeof(struct sweep_options)};

extern const struct cli_wing cli_wing_sweep; /* which the build lists */

const struct cli_wing cli_wing_sweep = {
    .command = &command, .options = rows, .option_count = sizeof rows / sizeof *rows};
