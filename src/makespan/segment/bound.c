#include "makespan/segment/bound.h"

#include <stdlib.h>

#include "base/cycles.h"
#include "makespan/method/closed.h"
#include "makespan/segment/table.h"
#include "strings/problem.h"

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

typedef VEC(struct candidate) candidate_list;

/* An abstraction with everything that is needed to compute its bound. */
struct prepared {
    struct segment_abstraction abstraction;
    struct segment_choices choices;
    struct segment_layout layout;
};

static void prepared_free(struct prepared *prepared) {
    segment_abstraction_free(&prepared->abstraction);
    segment_choices_free(&prepared->choices);
    segment_layout_free(&prepared->layout);
}

/* *fits is false where the abstraction is too fine for this problem. */
static wb_status prepare(const struct makespan_problem *problem, const struct segment_cut *cut,
                         struct prepared *prepared, bool *fits) {
    *prepared = (struct prepared){.abstraction = {.problem = problem}};
    WB_TRY(segment_abstraction_make(problem, cut, &prepared->abstraction, fits));
    if (!*fits) return WB_OK;
    WB_TRY(segment_choices_make(&prepared->abstraction, &prepared->choices, fits));
    if (!*fits) return WB_OK;
    return segment_layout_make(&prepared->abstraction, &prepared->choices, &prepared->layout, fits);
}

/* Adds the abstraction to the list if it fits and can be computed; *added says whether. */
static wb_status consider(const struct makespan_problem *problem, const struct segment_cut *cut,
                          candidate_list *list, bool *added) {
    struct prepared prepared;
    wb_status status = prepare(problem, cut, &prepared, added);
    if (status == WB_OK && *added) {
        const struct candidate candidate = {.cut = *cut, .work = prepared.layout.work};
        *added = candidate.work <= WORK_MAX;
        if (*added) status = vec_push(list, candidate);
    }
    prepared_free(&prepared);
    return status;
}

/* What strings have of runs. */
struct run_counts {
    uint32_t most;                /* of the string that has most */
    uint32_t of_type[UNIT_TYPES]; /* likewise, by unit type */
};

static wb_status count_runs(const struct makespan_problem *problem, struct run_counts *counts) {
    *counts = (struct run_counts){.most = 0};
    struct run_counts here = {.most = 0};
    struct run_list runs;
    wb_status status = run_list_make(problem, &runs);
    for (uint32_t j = 0; status == WB_OK && j < runs.count; j++) {
        uint32_t *of_type = &here.of_type[runs.items[j].unit];
        uint32_t *most_of_type = &counts->of_type[runs.items[j].unit];
        if (++*of_type > *most_of_type) *most_of_type = *of_type;
        if (++here.most > counts->most) counts->most = here.most;
        if (runs.items[j].last) here = (struct run_counts){.most = 0};
    }
    run_list_free(&runs);
    return status;
}

/* Considers the abstractions with these segments. *any is false where not even the coarsest can be computed:
 * then those with more segments cannot either. */
static wb_status consider_counters(const struct makespan_problem *problem, const struct run_counts *runs,
                                   uint32_t segments, candidate_list *list, bool *any) {
    uint32_t types = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        types += runs->of_type[unit] > 0;
    /* The last type has the counter of the rest to itself. */
    uint32_t all_counted = types > 1 ? types - 1 : 1;
    struct segment_cut cut = {.segments = segments, .split_type = UNIT_TYPES};
    bool added = true;
    *any = false;
    for (cut.counted_types = 1; added && cut.counted_types <= all_counted; cut.counted_types++) {
        WB_TRY(consider(problem, &cut, list, &added));
        *any = *any || added;
    }
    cut.counted_types = all_counted;
    for (uint32_t unit = 0; added && unit < UNIT_TYPES; unit++) {
        if (runs->of_type[unit] < 2) continue;
        cut.split_type = unit;
        bool split_added;
        WB_TRY(consider(problem, &cut, list, &split_added));
    }
    return WB_OK;
}

static int compare_work(const void *left, const void *right) {
    const struct candidate *a = left;
    const struct candidate *b = right;
    if (a->work != b->work) return a->work < b->work ? -1 : 1;
    return a->cut.segments < b->cut.segments ? -1 : a->cut.segments > b->cut.segments;
}

/* Lists what can be computed, the least work first. */
static wb_status list_candidates(const struct makespan_problem *problem, candidate_list *list) {
    struct run_counts runs;
    WB_TRY(count_runs(problem, &runs));
    bool any = true;
    for (uint32_t segments = 1; any; segments = segments * 2 < runs.most ? segments * 2 : runs.most) {
        WB_TRY(consider_counters(problem, &runs, segments, list, &any));
        if (segments == runs.most) break;
    }
    if (list->count > 0) qsort(list->items, list->count, sizeof *list->items, compare_work);
    return WB_OK;
}

/* Keeps of the list, beginning with the finest, what is clearly coarser than the one kept before and within
 * the work for all together. */
static void thin_out(candidate_list *list) {
    double work_left = WORK_MAX;
    double work_most = WORK_MAX;
    size_t kept = list->count;
    for (size_t i = list->count; i-- > 0;) {
        struct candidate candidate = list->items[i];
        if (candidate.work > work_most || candidate.work > work_left) continue;
        work_left -= candidate.work;
        work_most = candidate.work / WORK_STEP;
        list->items[--kept] = candidate;
    }
    for (size_t i = kept; i < list->count; i++)
        list->items[i - kept] = list->items[i];
    list->count -= kept;
}

/* Makes the exact tail for as many warps as are worth it. *made is false where not even one is, or
 * makespan_goes_on said no. */
static wb_status make_tail(const struct makespan_run *run, struct exact_tail *exact, bool *made) {
    uint32_t warps = 0;
    while (warps < TAIL_WARPS_MAX && warps < run->problem->warp_count) {
        uint64_t size = exact_tail_size(run->problem, warps + 1);
        if (size > TAIL_STATES_MAX * sizeof(uint16_t) || size > makespan_memory(run->settings)) break;
        warps++;
    }
    *made = false;
    if (warps == 0) return WB_OK;
    wb_status status = exact_tail_make(run, warps, exact, made);
    if (status != WB_OK || !*made) exact_tail_free(exact);
    return status;
}

/* The bound of one abstraction, or SEGMENT_NO_BOUND. */
static wb_status bound_by(const struct makespan_run *run, const struct segment_cut *cut,
                          const struct exact_tail *exact, uint32_t *bound) {
    struct prepared prepared;
    bool fits;
    *bound = SEGMENT_NO_BOUND;
    wb_status status = prepare(run->problem, cut, &prepared, &fits);
    if (status == WB_OK && fits) {
        struct segment_tail tail;
        status = segment_tail_make(&prepared.layout, exact, &tail);
        uint64_t memory = cycles_sub(makespan_memory(run->settings), segment_layout_size(&prepared.layout));
        if (status == WB_OK) status = segment_table_bound(run, &prepared.layout, &tail, memory, bound);
        segment_tail_free(&tail);
    }
    prepared_free(&prepared);
    return status;
}

/* Lowers *upper to the least bound of the abstractions. */
static wb_status try_all(const struct makespan_run *run, const candidate_list *list, uint64_t lower,
                         uint64_t *upper) {
    if (list->count == 0) return WB_OK;
    struct exact_tail exact;
    bool exact_made;
    wb_status status = make_tail(run, &exact, &exact_made);
    for (size_t i = 0; status == WB_OK && *upper > lower && i < list->count; i++) {
        if (!makespan_goes_on(run, "segment abstraction", i, list->count)) break;
        uint32_t bound;
        status = bound_by(run, &list->items[i].cut, exact_made ? &exact : NULL, &bound);
        if (status == WB_OK && bound != SEGMENT_NO_BOUND && bound < *upper) *upper = bound;
    }
    if (exact_made) exact_tail_free(&exact);
    return status;
}

wb_status segment_bound(const struct makespan_run *run, uint64_t lower, uint64_t *upper) {
    const struct makespan_problem *problem = run->problem;
    *upper = closed_bound(problem);
    if (*upper <= lower) return WB_OK;
    if (problem->position_count > POSITIONS_MAX || problem->instruction_count > SEGMENT_INSTRUCTIONS_MAX)
        return WB_OK;
    candidate_list list = {0};
    wb_status status = list_candidates(problem, &list);
    if (status == WB_OK) {
        thin_out(&list);
        status = try_all(run, &list, lower, upper);
    }
    vec_free(&list);
    return status == WB_OK ? WB_OK : makespan_no_memory(run);
}
