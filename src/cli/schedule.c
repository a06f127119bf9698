/* What `simulate --schedule` and `analyze --schedule` have in common: which part of a schedule is asked for,
 * and how it is written. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "values.h"

wb_status require_schedule_format(const struct options *options, wb_diagnostics *diagnostics) {
    if (options->format == OUTPUT_SVG) return WB_OK;
    return require_format(options, OUTPUT_TEXT, OUTPUT_TRACE, diagnostics);
}

wb_status refuse_window(const struct options *options, wb_diagnostics *diagnostics) {
    return options->window == NULL ? WB_OK : usage_error(diagnostics, "--window needs --schedule");
}

/* A number of cycles, or `empty` where there is no text. */
static bool read_cycle(const char *text, size_t length, uint64_t empty, uint64_t *cycle) {
    *cycle = empty;
    return length == 0 || read_number(text, length, 0, UINT64_MAX - 1, cycle);
}

/* "FROM:TO"; each may be left out, but not both. */
static bool read_window(const char *text, wb_schedule_options *asked) {
    const char *colon = strchr(text, ':');
    if (colon == NULL || strlen(text) == 1) return false;
    return read_cycle(text, (size_t)(colon - text), 0, &asked->from) &&
           read_cycle(colon + 1, strlen(colon + 1), UINT64_MAX, &asked->until) && asked->from < asked->until;
}

wb_status read_schedule_options(const struct options *options, wb_diagnostics *diagnostics,
                                wb_schedule_options *asked) {
    *asked = (wb_schedule_options){.size = sizeof *asked, .watch = watch_terminal()};
    if (options->window == NULL || read_window(options->window, asked)) return WB_OK;
    wb_diagnostics_error(diagnostics, "--window",
                         "expected two numbers of cycles, the first below the second, such as 0:5000, :5000 "
                         "or 90000:");
    return WB_ERR_INPUT;
}

/* What write_as_made makes. */
struct written_schedule {
    const wb_schedule *const *schedules;
    size_t count;
    wb_schedule_format format;
};

static wb_status make(void *user, const wb_writer *writer, wb_diagnostics *diagnostics) {
    const struct written_schedule *written = user;
    if (written->count > 1)
        return wb_schedules_trace(written->schedules, written->count, writer, diagnostics);
    return wb_schedule_write(written->schedules[0], written->format, writer, diagnostics);
}

/* A trace that takes more than this many bytes is announced. */
#define TRACE_ANNOUNCED 50e6

/* What events of traces take, in bytes: an issue has three of them, an arrow two; measured on the kernels of
 * this project, of which none is off by a fifth. */
#define ISSUE_BYTES 470.0
#define WAIT_BYTES 175.0
#define ARROW_BYTES 185.0

static double trace_bytes(const wb_schedule *schedule) {
    size_t issues, waits;
    (void)wb_schedule_issues(schedule, &issues);
    const wb_wait *wait = wb_schedule_waits(schedule, &waits);
    double bytes = ISSUE_BYTES * (double)issues + WAIT_BYTES * (double)waits;
    for (size_t w = 0; w < waits; w++)
        if (wait[w].producer != WB_NO_ISSUE) bytes += ARROW_BYTES;
    return bytes;
}

/* Says how large a large trace becomes, before it is written. */
static void announce_size(const wb_schedule *const *schedules, size_t count) {
    double bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += trace_bytes(schedules[i]);
    if (bytes <= TRACE_ANNOUNCED) return;
    watch_clear();
    fprintf(stderr, "warpbound: note: the trace takes about %.0f MB; --window FROM:TO writes a part of it\n",
            bytes / 1e6);
    (void)fflush(stderr);
}

wb_status write_schedules(const struct options *options, const wb_schedule *const *schedules, size_t count,
                          wb_diagnostics *diagnostics) {
    struct written_schedule written = {schedules, count,
                                       options->format == OUTPUT_TRACE ? WB_SCHEDULE_TRACE
                                       : options->format == OUTPUT_SVG ? WB_SCHEDULE_SVG
                                                                       : WB_SCHEDULE_TEXT};
    if (options->format == OUTPUT_TRACE) announce_size(schedules, count);
    return write_as_made(options, make, &written, diagnostics);
}
