/* Progress of long work: a line on the terminal, drawn at most a few times a second, that goes when the work
 * ends; elsewhere a line once in a while. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "stop.h"
#include "terminal.h"

/* Draw after this long, and then this often. */
#define PROGRESS_SECONDS 0.5

/* Off a terminal. */
#ifndef PROGRESS_LINE_SECONDS /* of a test */
#    define PROGRESS_LINE_SECONDS 30.0
#endif

/* What is left is told after this long, and when so much is done: before, it is a guess. */
#define LEFT_SECONDS 1.0
#define LEFT_PART 0.01

#define STAGE_MAX 64

/* What is being done, and since when. */
static struct {
    bool drawn, is_terminal;
    double last_drawn;
    char stage[STAGE_MAX];
    double since;             /* of the stage */
    uint64_t at_first, total; /* done when it began, of all */
    const char *note;         /* behind it all; or NULL */
} progress;

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A stage is new when its name or its total is, or when it starts again. */
static void follow_stage(const char *stage, uint64_t done, uint64_t total) {
    const bool same = strncmp(progress.stage, stage, STAGE_MAX - 1) == 0 && total == progress.total &&
                      done >= progress.at_first;
    if (same) return;
    (void)snprintf(progress.stage, STAGE_MAX, "%s", stage);
    progress.since = now();
    progress.at_first = done;
    progress.total = total;
}

/* "12 s", "3 min" or "2 h" */
static void put_duration(double seconds, char *text, size_t size) {
    if (seconds < 100)
        (void)snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000)
        (void)snprintf(text, size, "%.0f min", seconds / 60);
    else
        (void)snprintf(text, size, "%.0f h", seconds / 3600);
}

/* "executing blocks: 27 of 391 (7 %), 12 s left" */
static void put_progress(uint64_t done, uint64_t total, char *line, size_t size) {
    const double seconds = now() - progress.since;
    const uint64_t since = done - progress.at_first;
    char left[32];
    int length = snprintf(line, size, "%s: %llu", progress.stage, (unsigned long long)done);
    if (total == 0 || done > total || length < 0 || (size_t)length >= size) return;
    const double part = (double)done / (double)total;
    length += snprintf(line + length, size - (size_t)length, " of %llu (%.0f %%)", (unsigned long long)total,
                       100.0 * part);
    if (since == 0 || seconds < LEFT_SECONDS || part < LEFT_PART || (size_t)length >= size) return;
    put_duration(seconds / (double)since * (double)(total - done), left, sizeof left);
    (void)snprintf(line + length, size - (size_t)length, ", %s left", left);
}

static bool poll_terminal(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)user;
    if (stop_requested()) return false;
    follow_stage(stage, done, total);
    if (now() - progress.last_drawn < (progress.is_terminal ? PROGRESS_SECONDS : PROGRESS_LINE_SECONDS))
        return true;
    char line[160];
    put_progress(done, total, line, sizeof line);
    if (progress.note != NULL) {
        const size_t length = strlen(line);
        (void)snprintf(line + length, sizeof line - length, "%s", progress.note);
    }
    progress.last_drawn = now();
    if (!progress.is_terminal) {
        fprintf(stderr, "warpbound: %s\n", line);
        return true;
    }
    progress.drawn = true;
    stop_note_line(true);
    /* A line that is cut cannot wrap, and so can be erased. */
    fprintf(stderr, STOP_ERASE_LINE "%.*s", (int)terminal_width(stderr) - 1, line);
    (void)fflush(stderr);
    return true;
}

wb_watch watch_terminal(void) {
    progress.is_terminal = isatty(STDERR_FILENO) != 0;
    if (progress.is_terminal || progress.last_drawn == 0) progress.last_drawn = now();
    return (wb_watch){.poll = poll_terminal, .user = NULL};
}

void watch_note(const char *note) {
    progress.note = note;
}

void watch_clear(void) {
    if (progress.drawn) fprintf(stderr, STOP_ERASE_LINE);
    progress.drawn = false;
    stop_note_line(false);
}
