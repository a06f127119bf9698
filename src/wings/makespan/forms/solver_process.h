/* Solvers of others in child processes. Such a solver keeps global state, prints, and ends its process when
 * memory is exhausted; a child process keeps all of it from the caller, and can be killed where the solver
 * cannot be stopped. The child sends bytes over a link. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_SOLVER_PROCESS_H
#define WB_PAPERS_MAKESPAN_FORMS_SOLVER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "warpbound.h"

struct solver_process {
    pid_t child;
    int link;
};

/* Calls prepare(user), unless NULL, and work(user) in a child process, which may take so many bytes beyond
 * what it has in between; the child ends when that returns, and at the latest with the caller's thread.
 * WB_ERR_LIMIT without a message when no child can be made; else the process is ended with
 * solver_process_end. */
wb_status solver_process_start(void (*prepare)(void *user), void (*work)(void *user), void *user,
                               uint64_t memory, struct solver_process *process);

/* Waits a moment, so that the caller can look at its limits in between; true when there is something to
 * receive, or the child has ended. */
bool solver_process_ready(const struct solver_process *process);

/* Processor seconds that the child has taken so far; 0 when that is not known. */
double solver_process_seconds(const struct solver_process *process);

/* Receives all the bytes from the child; false when it has ended before. */
bool solver_process_receive(const struct solver_process *process, void *bytes, size_t size);

/* Ends the child, whatever it does. */
void solver_process_end(struct solver_process *process);

/* The child's side of the link: the child ends where the parent has. */
void solver_child_send(const void *bytes, size_t size);

#endif
