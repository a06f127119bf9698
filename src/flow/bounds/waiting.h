/* Loops that wait for other threads: an iteration leads to the next one unchanged, but for what it reads of
 * memory that others write. How often they run is not in the code (docs/execution.md, Waiting). */
#ifndef WB_FLOW_BOUNDS_WAITING_H
#define WB_FLOW_BOUNDS_WAITING_H

#include "flow/graph/loops.h"
#include "flow/values/ssa.h"

enum waiting {
    WAITING_NOT, /* something else changes from iteration to iteration, or nothing is read that others write
                  */
    WAITING_RETRIES, /* atom.cas compares with what was read before: an attempt fails as another one succeeds
                      */
    WAITING_FOR      /* others have to do something: a lock, a flag, a barrier of the grid */
};

#define WAITS_FOR_THREADS                                                                                    \
    "this loop waits for other threads (a lock, a flag, a grid barrier): this code alone does not bound "    \
    "how often it runs, and no flow fact can"

#define RETRIES                                                                                              \
    "it retries an atomic: an attempt fails only if another thread succeeds, so a thread needs at most one " \
    "attempt more than the others succeed there"

/* By loop. A sign, not a proof: those that are not found are asked for like any other loop. In memory of the
 * arena, which is protected. */
enum waiting *waiting_find(const struct ssa *ssa, const struct dominators *dominators,
                           const struct loops *loops, struct arena *arena);

#endif
