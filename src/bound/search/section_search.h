/* The longest time that the warps of a sub-core can take for one section, over all work-conserving schedules
 * and all latencies inside their intervals (docs/proofs.md, section 17): states are relative to the present
 * cycle, and layer by layer, one issue further each, the latest time is kept at which each can be reached. */
#ifndef WB_BOUND_SEARCH_SECTION_SEARCH_H
#define WB_BOUND_SEARCH_SECTION_SEARCH_H

#include "base/cycles.h"
#include "bound/method/search_budget.h"
#include "bound/search/section_program.h"

/* Most warps of a sub-core. */
#define SECTION_LANES_MAX 4u

/* Times in states are of 16 bits: an instruction takes less. */
#define SECTION_TIME_MAX UINT32_C(60000)

/* What is searched, and what is found. */
struct section_task {
    const struct section_program *programs[SECTION_LANES_MAX]; /* of the warps, same ones side by side */
    uint32_t lanes;
    const uint32_t *unit_rests; /* per unit the most cycles for which older sections can keep it busy */
    bool queued;                /* dispatch depth: unlimited if true, else 0 */
    struct search_budget *budget;
    cycles issued;   /* one behind the last issue */
    cycles complete; /* the last completion */
};

/* Searches. WB_ERR_LIMIT when the budget does not suffice, or memory is exhausted; nothing is found then. */
wb_status section_search(struct section_task *task);

#endif
