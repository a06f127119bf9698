/* Searches for long executions by simulation: what was found, the patterns of issue, annealing. */
#ifndef WB_BOUND_SEARCH_ANNEALING_H
#define WB_BOUND_SEARCH_ANNEALING_H

#include "base/base.h"
#include "base/containers.h"
#include "base/cycles.h"
#include "bound/method/search_budget.h"
#include "machine/machine.h"
#include "sim/gpu/gpu.h"
#include "sim/sm/host.h"

/* A schedule that a search found, as what is to be decided to see it again in the simulator. */

struct schedule_witness {
    const char *method;
    cycles cycles;                   /* that it takes */
    const struct sim_policy *policy; /* whose choices make it */
    /* Of a kernel: */
    uint32_t dispatch;                /* enum block_dispatch */
    const struct dispatch_plan *plan; /* or NULL */
};

/* Patterns of issue: an order of the warps of a sub-core by what they are and where they are, and a choice of
 * warps that hurry, whose latencies are the least that the machine allows. Slow executions mostly follow one
 * (docs/policy-bounds.md): warps in lockstep, which use units one after the other; and one warp of each block
 * that comes last and does not hurry, on different sub-cores, so that blocks stay while sub-cores have
 * nothing to do. */

/* The priority of warps; among equal ones the next one behind the last comes first. */
enum pattern_rule {
    RULE_VICTIM,   /* victims last */
    RULE_PROGRESS, /* who has executed least first */
    RULE_UNIT,     /* by ranks of the next instruction's unit */
    RULE_AGE,      /* of the oldest block first */
    RULE_GREEDY,   /* who has issued last first */
    PATTERN_RULE_COUNT
};

struct pattern {
    uint32_t warps, block_warps, sub_cores; /* warps of an SM; of a block */
    uint32_t slots;                         /* for blocks, of an SM */
    uint32_t words;                         /* of a set of warps of the SM */
    uint32_t units;                         /* of the machine */
    uint32_t rule_count;
    uint8_t rules[PATTERN_RULE_COUNT]; /* those that count, the most important first */
    bool reversed[PATTERN_RULE_COUNT]; /* by rule: the other way round */
    uint8_t ranks[MACHINE_UNITS_MAX];  /* of units */
    uint8_t coarseness;                /* progress is counted in 2^coarseness instructions */
    uint64_t *victims, *hurried;       /* sets of warps */
    uint32_t *ages;                    /* of the choice at hand: per slot, how many older blocks there are */
};

/* Loose round-robin on SMs with `slots` slots for blocks. WB_ERR_LIMIT when the arena is exhausted. */
wb_status pattern_init(struct pattern *pattern, const struct wb_machine *machine, uint32_t slots,
                       uint32_t block_warps, struct arena *arena);

/* A copy with arrays of its own; they are NULL when the arena is exhausted. */
struct pattern pattern_copy(const struct pattern *pattern, struct arena *arena);

/* Makes *copy, of the same warps, the same as the pattern; its arrays stay where they are. */
void pattern_assign(struct pattern *copy, const struct pattern *pattern);

/* Makes it pattern number `index` of those to begin a search with, the most promising first; without
 * `may_hurry` no warp hurries. False past the end. */
bool pattern_begin(struct pattern *pattern, uint32_t index, bool may_hurry);

/* Changes it a little. */
void pattern_change(struct pattern *pattern, bool may_hurry, struct random_state *random);

/* The ready member of a sub-core that comes first, or WARP_NONE. */
uint32_t pattern_pick(const struct pattern *pattern, const struct policy_view *view);

static inline bool pattern_has_memory(const struct pattern *pattern) {
    return pattern->victims != NULL && pattern->hurried != NULL && pattern->ages != NULL;
}

/* Whether it puts the warp behind all others, at units, too. */
static inline bool pattern_yields(const struct pattern *pattern, uint32_t warp) {
    for (uint32_t r = 0; r < pattern->rule_count; r++)
        if (pattern->rules[r] == RULE_VICTIM && !pattern->reversed[RULE_VICTIM])
            return warp < pattern->warps && warp_set_has(pattern->victims, warp);
    return false;
}

static inline bool pattern_hurries(const struct pattern *pattern, uint32_t warp) {
    return warp < pattern->warps && warp_set_has(pattern->hurried, warp);
}

/* The common part of searches for long schedules. They simulate candidates at full speed, because they search
 * not for the order of all instructions but for a pattern (pattern.h), and then, by simulated annealing,
 * choose between the pattern and a priority order of the warps for each of some windows of issues of a
 * sub-core. */

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
