/* What is kept of a run table whose levels do not stay: of the planes of the two longest axes every eighth
 * row and column, the *knots*. Between them the bounds are nearly linear, so that a search for a long
 * schedule is guided as well by estimates; they prove nothing. */
#ifndef WB_MAKESPAN_RUN_GUIDE_H
#define WB_MAKESPAN_RUN_GUIDE_H

#include "makespan/run_layout.h"

struct run_guide {
    uint64_t knot_count;
    uint64_t *offset; /* per composition: its first knot */
    int16_t *knots;
};

/* Bytes that a guide takes. */
uint64_t run_guide_size(struct run_layout *layout);

/* Makes room for the knots. WB_ERR_LIMIT without a message. Freed with run_guide_free, also after an error.
 */
wb_status run_guide_make(struct run_layout *layout, struct run_guide *guide);
void run_guide_free(struct run_guide *guide);

/* Keeps the knots of a composition that is not graded. */
void run_guide_keep(const struct run_guide *guide, const struct run_layout *layout,
                    const struct composition *composition, const int16_t *cells);

/* About the bound of the cell with this slack in each run. */
uint32_t run_guide_estimate(const struct run_guide *guide, const struct run_layout *layout,
                            const struct composition *composition, const uint32_t *slack);

#endif
