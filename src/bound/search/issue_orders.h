/* What searches by simulated annealing for long schedules have in common: candidates that are simulated at
 * full speed, because what is annealed is not the order of all instructions but, for each of some windows of
 * issues of a sub-core, the choice between loose round-robin and a priority order of the warps. */
#ifndef WB_BOUND_SEARCH_ISSUE_ORDERS_H
#define WB_BOUND_SEARCH_ISSUE_ORDERS_H

#include "base/arena.h"
#include "base/cycles.h"
#include "base/random.h"
#include "base/status.h"
#include "bound/method/search_budget.h"
#include "sim/sm/policy.h"

/* Most instructions that the candidates of a search issue together, about a second of simulation; most
 * candidates, for what is so small that it costs nothing; the temperature to begin with (ETFA'13, section
 * VIII), in cycles. */
#define ANNEALED_INSTRUCTIONS ((uint64_t)4 << 20)
#define ANNEALED_CANDIDATES 2000u
#define ANNEALED_TEMPERATURE 0.3

/* Work of a simulation that is short, and of an instruction of it (in units of search_budget); what "all"
 * spends on such a search: enough for one block, or one grid. */
#define SIMULATION_WORK 10000u
#define SIMULATED_INSTRUCTION_WORK 60u
#define ANNEALED_WORK (ANNEALED_INSTRUCTIONS * 65)

#define ANNEALED_SEED 1u

/* Why there are no such searches on machines of model gpgpusim: their simulator decides for itself. */
#define ANNEALING_NEEDS_PLAIN "this method needs a scheduler whose decisions can be chosen (model plain)"

/* A policy that issues as the window says that the issue count of a sub-core falls into. It is
 * work-conserving whatever the windows say. */
struct issue_orders {
    struct sim_policy policy; /* first, so that its choice finds the rest */
    bool *loose;              /* per window: loose round-robin, whatever its order */
    uint32_t *orders;         /* [window * warps + rank]: warps of an SM, the most preferred first */
    uint32_t windows, warps;
    uint64_t window_issues; /* issues of a sub-core in one window */
    uint32_t changed;       /* the window of the last change, and what it was before: */
    bool was_loose;
    uint32_t *before;
};

/* Orders of `warps` warps for sub-cores that issue at most `issues` instructions; their memory is of `arena`.
 * WB_ERR_LIMIT when that is exhausted. */
wb_status issue_orders_init(struct issue_orders *orders, const char *name, uint32_t warps, uint64_t issues,
                            struct arena *arena);

/* All windows alike: the victim last, the others from the one behind it on. The victim is starved until it
 * runs alone. */
void issue_orders_starve(struct issue_orders *orders, uint32_t victim);

/* Loose round-robin throughout; behind it in each window an order that begins one warp further on. */
void issue_orders_rotate(struct issue_orders *orders);

/* Changes one window: a warp goes to another rank, or the order stops or begins to count. */
void issue_orders_change(struct issue_orders *orders, struct random_state *random);

/* Takes the last change back. */
void issue_orders_restore(struct issue_orders *orders);

/* How many candidates may be simulated that issue so many instructions each: as many as a budget has work
 * for, which is taken off, and one in any case. */
uint64_t annealing_candidates(uint64_t instructions, struct search_budget *budget);

/* Whether a candidate takes the place of the present one (ETFA'13, eq. (3)). */
bool annealing_accepts(struct random_state *random, cycles candidate, cycles present, double temperature);

/* The number `from` of a list goes to place `to`; what is between moves up. */
void annealing_move(uint32_t *list, uint32_t from, uint32_t to);

#endif
