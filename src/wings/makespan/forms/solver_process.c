#include "wings/makespan/forms/solver_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

/* The child's end of the link: callbacks of solvers are not always given a pointer of ours. */
#define CHILD_LINK 3

/* The caller looks at its limits so often. */
#define POLL_MILLISECONDS 100

/* No signal when the other side has ended. */
static bool send_all(int link, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = send(link, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

static bool receive_all(int link, void *bytes, size_t size) {
    char *at = bytes;
    while (size > 0) {
        ssize_t got = recv(link, at, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

bool solver_process_receive(const struct solver_process *process, void *bytes, size_t size) {
    return receive_all(process->link, bytes, size);
}

void solver_child_send(const void *bytes, size_t size) {
    if (!send_all(CHILD_LINK, bytes, size)) _exit(1);
}

bool solver_process_ready(const struct solver_process *process) {
    struct pollfd wait = {.fd = process->link, .events = POLLIN};
    return poll(&wait, 1, POLL_MILLISECONDS) > 0;
}

double solver_process_seconds(const struct solver_process *process) {
    clockid_t clock;
    return clock_getcpuclockid(process->child, &clock) == 0 ? clock_seconds(clock) : 0;
}

/* Lets the child take no more than so many bytes beyond what it has. */
static void limit_memory(uint64_t memory) {
    char text[32] = {0};
    const struct rlimit no_core = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
    int file = open("/proc/self/statm", O_RDONLY);
    if (file < 0) return;
    ssize_t length = read(file, text, sizeof text - 1);
    (void)close(file);
    if (length <= 0) return;
    uint64_t born;
    if (!number_u64(text, strcspn(text, " "), &born)) return;
    born *= (uint64_t)sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || born + memory < born) return;
    if (born + memory < limit.rlim_cur) limit.rlim_cur = born + memory;
    (void)setrlimit(RLIMIT_AS, &limit);
}

/* Ends with the parent, leaves interrupts to it and its reports of crashes out, keeps its own end of the
 * link, and does not print. */
static void detach(const int ends[2], pid_t parent) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGABRT, SIG_DFL);
    (void)close(ends[0]);
    if (ends[1] != CHILD_LINK && dup2(ends[1], CHILD_LINK) < 0) _exit(1);
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0) _exit(1);
}

wb_status solver_process_start(void (*prepare)(void *user), void (*work)(void *user), void *user,
                               uint64_t memory, struct solver_process *process) {
    int ends[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return WB_ERR_LIMIT;
    pid_t child = fork();
    if (child == 0) {
        detach(ends, parent);
        if (prepare != NULL) prepare(user);
        limit_memory(memory);
        work(user);
        _exit(0);
    }
    (void)close(ends[1]);
    *process = (struct solver_process){.child = child, .link = ends[0]};
    if (child >= 0) return WB_OK;
    (void)close(ends[0]);
    return WB_ERR_LIMIT;
}

void solver_process_end(struct solver_process *process) {
    (void)kill(process->child, SIGKILL);
    while (waitpid(process->child, NULL, 0) < 0 && errno == EINTR)
        continue;
    (void)close(process->link);
}
