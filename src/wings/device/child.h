/* A child process in which all calls of the driver are made: it may hang, or die, and its parent says so. */
#ifndef WB_WINGS_DEVICE_CHILD_H
#define WB_WINGS_DEVICE_CHILD_H

#include <stdatomic.h>

#include "base/base.h"

/* How it stands with the child, in memory that both processes have; part of what its work shares. */
struct child_state {
    atomic_ullong beat;             /* grows with every call of the driver that has returned */
    uint64_t done;                  /* of the work, for who watches */
    bool ended;                     /* the work came to its end: what follows was written */
    wb_status status;               /* what it came to, once the child is gone, */
    char where[256], message[1024]; /* and an error */
};

struct child_work {
    wb_status (*run)(void *context, wb_diagnostics *diagnostics); /* in the child */
    void *context;
    struct child_state *state;
    double patience; /* seconds after which a call that has not returned hangs */
    const char *stage;
    uint64_t total; /* of state->done */
    const wb_watch *watch;
};

/* Memory of zeros that a child made later shares with this process, which unmaps it; NULL: memory is
 * exhausted. */
void *child_memory(size_t bytes);

/* Runs the work in a child. The status of the work, with its message; WB_ERR_DECLINED when it hung, died,
 * or was ended by a call; WB_ERR_LIMIT when `watch` stopped it. */
wb_status child_run(const struct child_work *work, wb_diagnostics *diagnostics);

#endif
