/* Abstract CTA simulation warp by warp: the abstract warps of a work group share one compute unit, which a
 * round-robin scheduler gives to them in turn, an instruction at a time, in every interleaving that the
 * shifts of their nodes allow. docs/abstract-cta.md states the model and what is proven of it. */
#ifndef WB_WINGS_ABSTRACT_CTA_ACTA_TURNS_H
#define WB_WINGS_ABSTRACT_CTA_ACTA_TURNS_H

#include "bound/method/search_budget.h"
#include "wings/abstract_cta/acta_simulate.h"

/* Most interleavings of one window that are all simulated, and how many are when there are more. */
#define TURNS_ALL_MAX 4096u
#define TURNS_SAMPLED 256u

struct acta_turns {
    cycles most, least; /* of all interleavings that were simulated */
    uint64_t windows;
    bool all; /* they are all that the shifts allow */
};

/* Simulates, and lists the windows in *windows (empty, or NULL). Of the rules it takes no part in hiding and
 * add_shift: who hides a stall shows by itself, and shifts are what interleavings differ in. When the budget
 * is spent it goes on with one interleaving a window, all nodes at their longest. WB_ERR_LIMIT with a message
 * when memory is exhausted, a window has too many nodes or `watch` (may be NULL) stopped it. */
wb_status acta_turns_simulate(const struct acta_group *cta, const struct acta_rules *rules,
                              struct search_budget *budget, const wb_watch *watch,
                              wb_diagnostics *diagnostics, struct acta_windows *windows,
                              struct acta_turns *turns);

#endif
