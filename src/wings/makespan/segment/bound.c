#include "wings/makespan/segment/bound.h"

#include <stdlib.h>

#include "base/cycles.h"
#include "wings/makespan/method/closed.h"
#include "wings/makespan/segment/table.h"
#include "wings/makespan/strings/problem.h"

/* Work (layout.h) on all abstractions together, and on the first, coarse ones. A unit is about 50 ns
 * of one processor. */
#define WORK_MAX 1.5e9

/* An abstraction is left out if the next finer one takes less than so many times the work. */
#define WORK_STEP 4.0

/* Strings with more positions have too many layers. */
#define POSITIONS_MAX 20000u

/* The exact tail takes at most so many states, and warps. */
#define TAIL_STATES_MAX 300000u
#define TAIL_WARPS_MAX 5u

/* An abstraction that can be computed. */
struct candidate {
    struct segment_cut cut;
    double work;
};

struct candidate_list {
    struct arena *arena;
    VEC(struct candidate) of;
};

/* An abstraction with everything that is needed to compute its bound. */
struct prepared {
    struct segment_abstraction abstraction;
    struct segment_choices choices;
    struct segment_layout layout;
};

/* False where the abstraction is too fine for this problem. */
static bool prepare(const struct makespan_problem *problem, const struct segment_cut *cut,
                    struct arena *arena, struct prepared *prepared) {
    return segment_abstraction_make(problem, cut, arena, &prepared->abstraction) &&
           segment_choices_make(&prepared->abstraction, arena, &prepared->choices) &&
           segment_layout_make(&prepared->abstraction, &prepared->choices, arena, &prepared->layout);
}

/* Adds the abstraction to the list if it fits and can be computed, and says whether. */
static bool consider(const struct makespan_problem *problem, const struct segment_cut *cut,
                     struct candidate_list *list) {
    struct prepared prepared;
    struct arena scratch = {0};
    arena_bind(&scratch, list->arena);
    bool added = prepare(problem, cut, &scratch, &prepared) && prepared.layout.work <= WORK_MAX;
    if (added) {
        const struct candidate candidate = {.cut = *cut, .work = prepared.layout.work};
        arena_push(list->arena, &list->of, candidate);
    }
    arena_free(&scratch);
    return added;
}

/* What strings have of runs. */
struct run_counts {
    uint32_t most;                /* of the string that has most */
    uint32_t of_type[UNIT_TYPES]; /* likewise, by unit type */
};

static struct run_counts count_runs(const struct makespan_problem *problem, struct arena *arena) {
    struct run_counts counts = {.most = 0};
    struct run_counts here = {.most = 0};
    struct run_list runs;
    run_list_make(problem, arena, &runs);
    for (uint32_t j = 0; j < runs.count; j++) {
        uint32_t *of_type = &here.of_type[runs.items[j].unit];
        uint32_t *most_of_type = &counts.of_type[runs.items[j].unit];
        if (++*of_type > *most_of_type) *most_of_type = *of_type;
        if (++here.most > counts.most) counts.most = here.most;
        if (runs.items[j].last) here = (struct run_counts){.most = 0};
    }
    return counts;
}

/* Considers the abstractions with these segments. False where not even the coarsest can be computed: then
 * those with more segments cannot either. */
static bool consider_counters(const struct makespan_problem *problem, const struct run_counts *runs,
                              uint32_t segments, struct candidate_list *list) {
    uint32_t types = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        types += runs->of_type[unit] > 0;
    /* The last type has the counter of the rest to itself. */
    uint32_t all_counted = types > 1 ? types - 1 : 1;
    struct segment_cut cut = {.segments = segments, .split_type = UNIT_TYPES};
    bool added = true;
    bool any = false;
    for (cut.counted_types = 1; added && cut.counted_types <= all_counted; cut.counted_types++) {
        added = consider(problem, &cut, list);
        any = any || added;
    }
    cut.counted_types = all_counted;
    for (uint32_t unit = 0; added && unit < UNIT_TYPES; unit++) {
        if (runs->of_type[unit] < 2) continue;
        cut.split_type = unit;
        (void)consider(problem, &cut, list);
    }
    return any;
}

static int compare_work(const void *left, const void *right) {
    const struct candidate *a = left;
    const struct candidate *b = right;
    if (a->work != b->work) return a->work < b->work ? -1 : 1;
    return a->cut.segments < b->cut.segments ? -1 : a->cut.segments > b->cut.segments;
}

/* Lists what can be computed, the least work first. */
static void list_candidates(const struct makespan_problem *problem, struct candidate_list *list) {
    const struct run_counts runs = count_runs(problem, list->arena);
    bool any = true;
    for (uint32_t segments = 1; any; segments = segments * 2 < runs.most ? segments * 2 : runs.most) {
        any = consider_counters(problem, &runs, segments, list);
        if (segments == runs.most) break;
    }
    if (list->of.count > 0) qsort(list->of.items, list->of.count, sizeof *list->of.items, compare_work);
}

/* Keeps of the list, beginning with the finest, what is clearly coarser than the one kept before and within
 * the work for all together. */
static void thin_out(struct candidate_list *list) {
    double work_left = WORK_MAX;
    double work_most = WORK_MAX;
    size_t kept = list->of.count;
    for (size_t i = list->of.count; i-- > 0;) {
        struct candidate candidate = list->of.items[i];
        if (candidate.work > work_most || candidate.work > work_left) continue;
        work_left -= candidate.work;
        work_most = candidate.work / WORK_STEP;
        list->of.items[--kept] = candidate;
    }
    for (size_t i = kept; i < list->of.count; i++)
        list->of.items[i - kept] = list->of.items[i];
    list->of.count -= kept;
}

/* Makes the exact tail for as many warps as are worth it. False where not even one is, or makespan_goes_on
 * said no. */
static bool make_tail(const struct makespan_run *run, struct arena *arena, struct exact_tail *exact) {
    uint32_t warps = 0;
    while (warps < TAIL_WARPS_MAX && warps < run->problem->warp_count) {
        uint64_t size = exact_tail_size(run->problem, warps + 1);
        if (size > TAIL_STATES_MAX * sizeof(uint16_t) || size > makespan_memory(run->settings)) break;
        warps++;
    }
    return warps > 0 && exact_tail_make(run, warps, arena, exact);
}

/* The bound of one abstraction, or SEGMENT_NO_BOUND. */
static uint32_t bound_by(const struct makespan_run *run, const struct segment_cut *cut,
                         const struct exact_tail *exact) {
    uint32_t bound = SEGMENT_NO_BOUND;
    struct prepared prepared;
    struct arena scratch = {0};
    arena_bind(&scratch, run->arena);
    if (prepare(run->problem, cut, &scratch, &prepared)) {
        struct segment_tail tail;
        segment_tail_make(&prepared.layout, exact, &scratch, &tail);
        uint64_t memory = cycles_sub(makespan_memory(run->settings), segment_layout_size(&prepared.layout));
        bound = segment_table_bound(run, &prepared.layout, &tail, memory);
    }
    arena_free(&scratch);
    return bound;
}

uint64_t segment_bound(const struct makespan_run *run, uint64_t lower) {
    const struct makespan_problem *problem = run->problem;
    uint64_t upper = closed_bound(problem);
    if (upper <= lower) return upper;
    if (problem->position_count > POSITIONS_MAX || problem->instruction_count > SEGMENT_INSTRUCTIONS_MAX)
        return upper;
    struct arena scratch = {0};
    struct candidate_list list = {.arena = &scratch};
    struct exact_tail exact;
    arena_bind(&scratch, run->arena);
    list_candidates(problem, &list);
    thin_out(&list);
    const bool has_tail = list.of.count > 0 && make_tail(run, &scratch, &exact);
    for (size_t i = 0; upper > lower && i < list.of.count; i++) {
        if (!makespan_goes_on(run, "segment abstraction", i, list.of.count)) break;
        uint32_t bound = bound_by(run, &list.of.items[i].cut, has_tail ? &exact : NULL);
        if (bound != SEGMENT_NO_BOUND) upper = cycles_min(upper, bound);
    }
    arena_free(&scratch);
    return upper;
}
