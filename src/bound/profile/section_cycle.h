/* Finds where paths that are read side by side, a section of each at a time, repeat themselves: loops with
 * barriers, of which all warps are in some repetition. */
#ifndef WB_BOUND_PROFILE_SECTION_CYCLE_H
#define WB_BOUND_PROFILE_SECTION_CYCLE_H

#include "base/vec.h"
#include "warp/path/path.h"

struct section_cycle {
    uint32_t path_count;
    struct path_cursor *then; /* per path the place that the present ones are compared with */
    VEC(size_t) rows;         /* what was read since then: the caller's numbers */
    size_t most;              /* rows after which it gives way to a newer one */
};

/* A cycle of nothing yet; free it with section_cycle_free. WB_ERR_LIMIT when memory is exhausted. */
wb_status section_cycle_init(struct section_cycle *cycle, uint32_t path_count);

/* Notes that the row numbered `row` was read, which left the cursors where they are now. *times says how
 * often all of `rows` come again next, in this order; if that is not 0, section_cycle_skip must follow. */
wb_status section_cycle_note(struct section_cycle *cycle, const struct path_cursor *cursors, size_t row,
                             uint64_t *times);

/* Puts the cursors behind the rows that come again. */
void section_cycle_skip(struct section_cycle *cycle, uint64_t times, struct path_cursor *cursors);

void section_cycle_free(struct section_cycle *cycle);

#endif
