#include "stop.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* A command that was asked to stop has so long to print what it has. */
#define GRACE_SECONDS 0.8

static volatile sig_atomic_t stop_signal; /* that asked to stop; SIGALRM: the time limit; 0: none */
static pid_t command_process;             /* children have this one's handlers */
static volatile sig_atomic_t line_drawn;  /* on the terminal, not ended */

static void arm_timer(double seconds) {
    const double whole = floor(seconds);
    const struct itimerval timer = {.it_value = {(time_t)whole, (suseconds_t)((seconds - whole) * 1e6)}};
    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

static void put_at_once(const char *text) {
    (void)!write(STDERR_FILENO, text, strlen(text));
}

static const char *reason(void) {
    return stop_signal == SIGALRM ? "error: the time limit is reached (--time-limit)\n"
                                  : "error: interrupted\n";
}

/* Asked the first time it waits for the next poll, asked again or when that takes too long it waits no more.
 * What is written to files has no name before it is complete (base/files.h). */
static void on_signal(int number) {
    if (stop_signal == 0) {
        stop_signal = number;
        arm_timer(GRACE_SECONDS);
        return;
    }
    if (getpid() == command_process) {
        if (line_drawn) put_at_once(STOP_ERASE_LINE);
        put_at_once(reason());
    }
    _exit(WB_ERR_LIMIT);
}

/* A signal that the caller ignores, as nohup does, stays ignored. */
static void listen_to(int number) {
    struct sigaction action = {.sa_handler = on_signal}, before;
    if (sigaction(number, NULL, &before) != 0 || before.sa_handler == SIG_IGN) return;
    (void)sigfillset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

void stop_listen(double seconds) {
    command_process = getpid();
    listen_to(SIGINT);
    listen_to(SIGTERM);
    listen_to(SIGHUP);
    listen_to(SIGALRM);
    if (seconds > 0) arm_timer(seconds < 1e-6 ? 1e-6 : seconds);
}

void stop_note_line(bool drawn) {
    line_drawn = drawn;
}

bool stop_requested(void) {
    return stop_signal != 0;
}

/* What everything that is stopped says of itself. */
static bool says_it_was_stopped(const wb_message *message) {
    static const char *const words[] = {"analysis stopped", "simulation stopped", "interrupted"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(message->text, words[i]) == 0) return true;
    return false;
}

/* The cause, and behind it what else there is to say. */
void stop_explain(const wb_diagnostics *said, wb_diagnostics *diagnostics) {
    bool says_more = false;
    wb_message message;
    for (size_t i = 0; wb_diagnostics_message(said, i, &message); i++)
        says_more |= !says_it_was_stopped(&message);
    if (stop_signal == SIGALRM)
        wb_diagnostics_error(diagnostics, "warpbound", "the time limit is reached (--time-limit)");
    else if (stop_signal != 0)
        wb_diagnostics_error(diagnostics, "warpbound", "interrupted");
    if (says_more) wb_diagnostics_append(diagnostics, said);
}
