/* What searches for long schedules have in common: candidates that are simulated at full speed, because what
 * is searched is not the order of all instructions but a pattern (pattern.h), and then, by simulated
 * annealing, for each of some windows of issues of a sub-core, the choice between the pattern and a priority
 * order of the warps. */
#ifndef WB_BOUND_SEARCH_ANNEALING_H
#define WB_BOUND_SEARCH_ANNEALING_H

#include "base/base.h"
#include "base/containers.h"
#include "base/cycles.h"
#include "bound/method/search_budget.h"
#include "bound/search/pattern.h"
#include "sim/sm/host.h"

/* Most instructions that the candidates of a search issue together, about a second of simulation, and what
 * "all" spends on such a search (in units of search_budget): enough for one block, or one grid. */
#define ANNEALED_INSTRUCTIONS ((uint64_t)4 << 20)
#define ANNEALED_WORK (ANNEALED_INSTRUCTIONS * 65)

/* A policy that issues as the window says that the issue count of a sub-core falls into. It is
 * work-conserving whatever the windows say. */
struct issue_orders {
    struct sim_policy policy; /* first, so that its choice finds the rest */
    struct pattern pattern;   /* without rules loose round-robin */
    bool *loose;              /* per window: the pattern, whatever the order */
    uint32_t *orders;         /* [window * warps + rank]: warps of an SM, the most preferred first */
    uint32_t windows, warps;
    bool starves; /* one warp comes last in all orders, and at units: */
    uint32_t starved;
    uint64_t window_issues; /* issues of a sub-core in one window */
    uint32_t changed;       /* the window of the last change, and what it was before: */
    bool was_loose;
    uint32_t *before;
};

/* The pattern throughout; behind it in each window an order that begins one warp further on. */
void issue_orders_rotate(struct issue_orders *orders);

/* Changes one window: a warp goes to another rank, or the order stops or begins to count. */
void issue_orders_change(struct issue_orders *orders, struct random_state *random);

/* Takes the last change back. */
void issue_orders_restore(struct issue_orders *orders);

/* A copy of the orders; NULL when the arena is exhausted. */
struct issue_orders *issue_orders_copy(const struct issue_orders *orders, struct arena *arena);

/* Makes *copy, which is one, the same as the orders again. */
void issue_orders_assign(struct issue_orders *copy, const struct issue_orders *orders);

/* A search: issue orders, and what else there is to choose. */
struct annealing {
    const char *method; /* whose search it is */
    struct issue_orders orders;
    bool may_hurry; /* latencies are chosen, too, from the least that the machine allows to those stated */
    struct random_state random;
    uint64_t candidates; /* that may still be simulated */
    cycles longest;      /* of all that were */
    bool stopped;        /* the simulator has left a message */
    struct arena *arena; /* of the orders */
    void *user;
    /* Simulates the candidate at hand. Errors leave a message. */
    wb_status (*simulate)(void *user, cycles *makespan);
    /* Changes the candidate at hand, and takes the last change back. */
    void (*change)(void *user);
    void (*take_back)(void *user);
    /* The candidate at hand is the longest so far. */
    void (*keep)(void *user);
};

/* Begins a search on SMs with `slots` slots for blocks of `block_warps` warps, of so many candidates as a
 * budget has work for, which is taken off, and one in any case: each issues `instructions` in all, `issues`
 * at most on a sub-core. Its method, `may_hurry` and the members from `user` on are there; the memory is the
 * arena's. WB_ERR_LIMIT without a message when it is exhausted. */
wb_status annealing_begin(struct annealing *annealing, const struct wb_machine *machine, uint32_t slots,
                          uint32_t block_warps, uint64_t issues, uint64_t instructions,
                          struct search_budget *budget, struct arena *arena);

/* Notes what a simulation has come to; passes its status on. */
wb_status annealing_note(struct annealing *annealing, wb_status status, cycles makespan);

/* Simulates the candidate at hand. */
wb_status annealing_try(struct annealing *annealing, cycles *makespan);

/* Starves one warp of each SM after the other, `most` of them at most, and leaves the worst in place if it is
 * worse than round-robin, which took *makespan: then that of the worst is put there. */
wb_status annealing_try_victims(struct annealing *annealing, uint64_t most, cycles *makespan);

/* Tries patterns, then changes of the best of them, `most` candidates in all, and leaves the best in place
 * with orders that do not count, if it is better than *makespan, which the candidate at hand took: then that
 * of the best is put there. */
wb_status annealing_try_patterns(struct annealing *annealing, uint64_t most, cycles *makespan);

/* Anneals from the candidate at hand, which took `present`, until all candidates have been simulated. */
wb_status annealing_run(struct annealing *annealing, cycles present);

/* The number `from` of a list goes to place `to`; what is between moves up. */
void annealing_move(uint32_t *list, uint32_t from, uint32_t to);

#endif
