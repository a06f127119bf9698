#include "wings/device/child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* How often the child is looked at. */
#define LOOK_NS 2000000

void *child_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

/* ---- The child ----------------------------------------------------------------------------------------- */

/* Copies a text, cut where it is too long. */
static void keep_text(char *to, size_t size, const char *text) {
    const size_t length = strlen(text) < size - 1 ? strlen(text) : size - 1;
    memcpy(to, text, length);
    to[length] = '\0';
}

/* Does the work, leaves what it came to in the state, and ends. */
_Noreturn static void be_child(const struct child_work *work, wb_diagnostics *diagnostics) {
    struct child_state *state = work->state;
    wb_message message;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    state->status = work->run(work->context, diagnostics);
    for (size_t i = 0; wb_diagnostics_message(diagnostics, i, &message); i++) {
        if (message.severity != WB_SEVERITY_ERROR) continue;
        keep_text(state->where, sizeof state->where, message.where);
        keep_text(state->message, sizeof state->message, message.text);
    }
    state->ended = true;
    _exit(0);
}

/* ---- Its parent ---------------------------------------------------------------------------------------- */

struct watched {
    const struct child_work *work;
    pid_t process;
    unsigned long long beat;
    double since; /* seconds: when the beat became this */
};

static double seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool is_stopped(const struct child_work *work) {
    const wb_watch *watch = work->watch;
    return watch->poll != NULL && !watch->poll(watch->user, work->stage, work->state->done, work->total);
}

static bool hangs(struct watched *watched) {
    const unsigned long long beat = atomic_load(&watched->work->state->beat);
    const double now = seconds_now();
    if (beat != watched->beat) watched->since = now;
    watched->beat = beat;
    return now - watched->since > watched->work->patience;
}

static void end_child(pid_t process) {
    (void)kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
    }
}

/* What an exit of the child means. A call may end the process as if all were well. */
static wb_status child_ended(const struct child_state *state, int how, wb_diagnostics *diagnostics) {
    if (WIFEXITED(how) && state->ended) {
        if (state->status != WB_OK) diagnose(diagnostics, SEVERITY_ERROR, state->where, "%s", state->message);
        return state->status;
    }
    if (WIFEXITED(how))
        diagnose(diagnostics, SEVERITY_ERROR, "driver",
                 "a call ended the process that made it, with status %d", WEXITSTATUS(how));
    else
        diagnose(diagnostics, SEVERITY_ERROR, "driver", "the process that calls it died of signal %d",
                 WTERMSIG(how));
    return WB_ERR_DECLINED;
}

/* Waits for the child, or ends it when it hangs. */
static wb_status watch_child(struct watched *watched, wb_diagnostics *diagnostics) {
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    for (;;) {
        int how = 0;
        const pid_t ended = waitpid(watched->process, &how, WNOHANG);
        if (ended == watched->process) return child_ended(watched->work->state, how, diagnostics);
        if (is_stopped(watched->work)) {
            end_child(watched->process);
            diagnose(diagnostics, SEVERITY_ERROR, "driver", "%s was stopped", watched->work->stage);
            return WB_ERR_LIMIT;
        }
        if (hangs(watched)) {
            end_child(watched->process);
            diagnose(diagnostics, SEVERITY_ERROR, "driver",
                     "a call did not return within %g seconds: the process that made it was ended",
                     watched->work->patience);
            return WB_ERR_DECLINED;
        }
        (void)nanosleep(&pause, NULL);
    }
}

wb_status child_run(const struct child_work *work, wb_diagnostics *diagnostics) {
    struct watched watched = {.work = work, .since = seconds_now()};
    watched.process = fork();
    if (watched.process == 0) be_child(work, diagnostics);
    if (watched.process > 0) return watch_child(&watched, diagnostics);
    diagnose(diagnostics, SEVERITY_ERROR, "driver", "no process can be made: %s",
             strerror_l(errno, c_locale()));
    return WB_ERR_LIMIT;
}
