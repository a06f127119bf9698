/* Progress of long work: a line on the terminal, drawn at most a few times a second. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "stop.h"

/* Draw after this long, and then this often. */
#define PROGRESS_SECONDS 0.5

static bool line_drawn, is_terminal;
static double last_drawn;

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool poll_terminal(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)user;
    if (stop_requested()) return false;
    if (!is_terminal || now() - last_drawn < PROGRESS_SECONDS) return true;
    last_drawn = now();
    line_drawn = true;
    fprintf(stderr, "\r\033[K%s: %llu", stage, (unsigned long long)done);
    if (total != 0) fprintf(stderr, " (%.0f %%)", 100.0 * (double)done / (double)total);
    (void)fflush(stderr);
    return true;
}

wb_watch watch_terminal(void) {
    is_terminal = isatty(STDERR_FILENO) != 0;
    last_drawn = now();
    return (wb_watch){.poll = poll_terminal, .user = NULL};
}

void watch_clear(void) {
    if (line_drawn) fprintf(stderr, "\r\033[K");
    line_drawn = false;
}
