/* Where the cells of the run abstraction stand (docs/makespan-proofs.md, T2).
 *
 * A *composition* says how many warps are in each run: n_1 ... n_R. Within one, a *cell* says how many
 * instructions they have left in their run beyond the one that each of them has: x_j = w_j - n_j, from 0 to
 * n_j * (l_j - 1), where l_j is the length of run j. The axes of the box of cells are the runs of more than
 * one instruction, the shortest outermost; a run without warps has extent 1.
 *
 * Compositions are numbered by group: multisets of the group's warps over its runs (multiset_rank.h), the
 * last group fastest. Their *level* is the number of times that warps will still leave a run. Every leaving
 * lowers it by 1, so compositions of one level do not depend on each other. Cells are laid out level by
 * level; only those of compositions with few warps (*graded* ones) stand apart from the levels. */
#ifndef WB_MAKESPAN_EXACT_RUN_LAYOUT_H
#define WB_MAKESPAN_EXACT_RUN_LAYOUT_H

#include "wings/makespan/method/method.h"
#include "wings/makespan/states/multiset_rank.h"
#include "wings/makespan/states/serve_choice.h"
#include "wings/makespan/strings/problem.h"

/* The abstraction is of no use for more runs: it has too many cells even for few warps. */
#define LAYOUT_RUNS_MAX 64u

struct composition {
    uint64_t number;
    uint32_t level;
    uint32_t warps;                   /* in all runs */
    uint32_t in_run[LAYOUT_RUNS_MAX]; /* n */
};

struct run_layout {
    const struct makespan_run *run; /* asked while compositions are walked through */
    bool stopped;                   /* makespan_goes_on said no: what was being made is not complete */
    const struct run_list *runs;
    uint32_t axes[LAYOUT_RUNS_MAX]; /* runs, the innermost axis last */
    uint32_t axis_count;
    struct multiset_rank *rank; /* per group */
    uint32_t *first_run;        /* per group */
    uint64_t *stride;           /* per group: what its number counts in that of the composition */
    uint64_t composition_count;
    uint32_t graded_warps; /* compositions of at most so many warps are graded */
    uint64_t graded_cells;
    uint64_t *offset;      /* per composition: its first cell among those of its level, or of the graded */
    uint32_t *order;       /* compositions that are not graded, by level, then by number */
    uint32_t level_count;  /* levels: from 0 */
    uint64_t *level_start; /* per level, and one past the last: where it begins in `order` */
    uint64_t *level_cells; /* per level */
};

/* Compositions and cells, UINT64_MAX when they do not fit 64 bits. For cells the arena is protected. */
uint64_t layout_composition_count(const struct run_list *runs);
uint64_t layout_cell_count(const struct run_list *runs, const struct arena *arena);

/* Lays out a problem whose cells can be counted, with at most LAYOUT_RUNS_MAX runs and UINT32_MAX
 * compositions, in a protected arena. */
void layout_make(const struct makespan_run *run, const struct run_list *runs, uint32_t graded_warps,
                 struct arena *arena, struct run_layout *layout);

/* To be asked at every composition of a walk through them all; false when it is to end. */
bool layout_goes_on(struct run_layout *layout, uint64_t number);

/* The composition with this number. */
void composition_at(const struct run_layout *layout, uint64_t number, struct composition *composition);

/* The number of the composition with these warps in the runs. */
uint64_t composition_number(const struct run_layout *layout, const uint32_t *in_run);

/* The most that x_j can be in run j when n warps are in it. */
static inline uint32_t run_slack(const struct unit_run *run, uint32_t warps) {
    return warps * (run->length - 1);
}

/* What one cycle does to the warps of the runs: abstract transitions of the run abstraction
 * (docs/makespan-proofs.md, T2). How many each run serves is a choice of serve_choice.h; how many of those
 * leave it is chosen here. */

/* All by run. The fewest and the most of the served warps that can leave are the caller's. */
struct run_moves {
    uint32_t fewest[LAYOUT_RUNS_MAX];
    uint32_t most[LAYOUT_RUNS_MAX];
    uint32_t leave[LAYOUT_RUNS_MAX];
    uint32_t arrive[LAYOUT_RUNS_MAX];
    uint32_t stay[LAYOUT_RUNS_MAX]; /* served, but do not leave */
    uint32_t leavers;               /* of all runs */
};

/* The first moves for what the runs serve. */
void run_moves_first(const struct run_list *runs, const struct serve_choice *serve, struct run_moves *moves);

/* The next ones; false when there are none. */
bool run_moves_next(const struct run_list *runs, const struct serve_choice *serve, struct run_moves *moves);

/* The composition that the moves lead to. */
void run_moves_target(const struct run_layout *layout, const struct composition *from,
                      const struct run_moves *moves, struct composition *target);

#endif
