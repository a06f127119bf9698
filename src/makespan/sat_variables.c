#include "makespan/sat_variables.h"

#include <stdlib.h>

#include "base/cycles.h"

/* Instructions of each unit type. */
struct unit_counts {
    uint64_t of[UNIT_TYPES];
};

/* The group whose windows are being made, at position `first` + i. */
struct window_maker {
    struct done_variables *done;
    const struct string_group *group;
    uint32_t position;
    struct unit_counts string; /* of the group's string */
    struct unit_counts others; /* of all warps of other groups */
    struct unit_counts before; /* of the string before the position */
};

static uint64_t rounded_up(uint64_t dividend, uint64_t divisor) {
    return (dividend + divisor - 1) / divisor;
}

/* Warps that can execute one position of the unit type in the same cycle. */
static uint32_t room_of(const struct makespan_problem *problem, uint32_t unit) {
    uint32_t capacity = problem->capacity[unit];
    return capacity < problem->issue_limit ? capacity : problem->issue_limit;
}

/* The cycles that `warps` warps need at least for so many instructions each. */
static uint64_t cycles_needed(const struct makespan_problem *problem, const struct unit_counts *counts,
                              uint64_t warps) {
    uint64_t most = 0;
    uint64_t total = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        total += counts->of[unit];
        most = cycles_max(most, rounded_up(warps * counts->of[unit], problem->capacity[unit]));
    }
    return cycles_max(most, rounded_up(warps * total, problem->issue_limit));
}

/* The latest cycle in which the warp of a rank executes the position: by then it has executed or waited in
 * every cycle. It waits for unit types of its string only, and in every cycle of waiting the type is full or
 * no more can issue; so as for the closed form (docs/makespan-proofs.md, T1), with the difference that warps
 * of higher rank have only executed what is before the position. */
static uint64_t latest_by_waiting(const struct window_maker *maker, uint32_t rank) {
    const struct makespan_problem *problem = maker->done->problem;
    uint64_t waits = 0;
    unsigned __int128 numerator = 0;
    uint64_t denominator = 1;
    uint64_t others[UNIT_TYPES];
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        others[unit] = maker->others.of[unit] + (rank - 1) * maker->string.of[unit] +
                       (maker->group->warps - rank) * maker->before.of[unit];
        bool waited_for = maker->before.of[unit] > 0 || problem->unit[maker->position] == unit;
        if (waited_for) waits += others[unit] / problem->capacity[unit];
        denominator *= room_of(problem, unit);
    }
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        numerator += (unsigned __int128)others[unit] * (denominator / room_of(problem, unit));
    if (problem->issue_limit != ISSUE_UNLIMITED) waits = (uint64_t)(numerator / denominator);
    return maker->position - maker->group->first + 1 + waits;
}

static struct done_window *window_of(const struct done_variables *done, uint32_t position, uint32_t rank) {
    return &done->windows[done->start[position] + rank - 1];
}

/* Sets where the windows of the maker's position start, from those of the position before it. */
static void set_earliest(const struct window_maker *maker) {
    const struct makespan_problem *problem = maker->done->problem;
    uint32_t p = maker->position;
    uint32_t room = room_of(problem, problem->unit[p]);
    struct unit_counts with = maker->before;
    with.of[problem->unit[p]]++;
    for (uint32_t rank = 1; rank <= maker->group->warps; rank++) {
        uint64_t earliest = cycles_needed(problem, &with, rank);
        if (p > maker->group->first)
            earliest = cycles_max(earliest, (uint64_t)window_of(maker->done, p - 1, rank)->earliest + 1);
        if (rank > room)
            earliest = cycles_max(earliest, (uint64_t)window_of(maker->done, p, rank - room)->earliest + 1);
        window_of(maker->done, p, rank)->earliest = (uint32_t)earliest;
    }
}

/* Sets where they end, from those of the position behind it. */
static void set_latest(const struct window_maker *maker) {
    const struct makespan_problem *problem = maker->done->problem;
    uint32_t p = maker->position;
    uint32_t room = room_of(problem, problem->unit[p]);
    struct unit_counts rest = maker->string;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        rest.of[unit] -= maker->before.of[unit];
    for (uint32_t rank = maker->group->warps; rank >= 1; rank--) {
        uint64_t needed = cycles_needed(problem, &rest, maker->group->warps - rank + 1);
        uint64_t latest = cycles_min(maker->done->horizon + 1 - needed, latest_by_waiting(maker, rank));
        if (!problem->last[p])
            latest = cycles_min(latest, (uint64_t)window_of(maker->done, p + 1, rank)->latest - 1);
        if (rank + (uint64_t)room <= maker->group->warps)
            latest = cycles_min(latest, (uint64_t)window_of(maker->done, p, rank + room)->latest - 1);
        window_of(maker->done, p, rank)->latest = (uint32_t)latest;
    }
}

/* The windows of one group. */
static void make_windows(struct window_maker *maker) {
    const struct makespan_problem *problem = maker->done->problem;
    const struct string_group *group = maker->group;
    for (uint32_t i = 0; i < group->length; i++) {
        maker->position = group->first + i;
        set_earliest(maker);
        maker->before.of[problem->unit[maker->position]]++;
    }
    for (uint32_t i = group->length; i-- > 0;) {
        maker->position = group->first + i;
        maker->before.of[problem->unit[maker->position]]--;
        set_latest(maker);
    }
}

static void make_all_windows(struct done_variables *done) {
    const struct makespan_problem *problem = done->problem;
    struct unit_counts all = {{0}};
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        for (uint32_t g = 0; g < problem->group_count; g++)
            all.of[unit] += problem_unit_count(problem, g, unit) * problem->groups[g].warps;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        struct window_maker maker = {.done = done, .group = &problem->groups[g], .others = all};
        for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
            maker.string.of[unit] = problem_unit_count(problem, g, unit);
            maker.others.of[unit] -= maker.string.of[unit] * maker.group->warps;
        }
        make_windows(&maker);
    }
}

/* Numbers the variables: all of a position one behind the other. */
static wb_status number_variables(struct done_variables *done) {
    for (uint64_t i = 0; i < done->problem->instruction_count; i++) {
        struct done_window *window = &done->windows[i];
        window->first = done->count + 1;
        uint32_t width = window->latest - window->earliest;
        if (width > (uint32_t)(CNF_VARIABLES_MAX - done->count)) return WB_ERR_LIMIT;
        done->count += (int32_t)width;
    }
    return WB_OK;
}

wb_status done_variables_make(const struct makespan_problem *problem, uint32_t horizon, uint64_t memory,
                              struct done_variables *done) {
    *done = (struct done_variables){.problem = problem, .horizon = horizon};
    uint64_t window_bytes = problem->instruction_count * sizeof *done->windows;
    uint64_t position_bytes = problem->position_count * (sizeof *done->start + sizeof *done->group);
    if (window_bytes + position_bytes > memory) return WB_ERR_LIMIT;
    done->windows = calloc(problem->instruction_count, sizeof *done->windows);
    done->start = calloc(problem->position_count, sizeof *done->start);
    done->group = calloc(problem->position_count, sizeof *done->group);
    if (done->windows == NULL || done->start == NULL || done->group == NULL) return WB_ERR_LIMIT;
    uint64_t start = 0;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        for (uint32_t i = 0; i < group->length; i++, start += group->warps) {
            done->group[group->first + i] = g;
            done->start[group->first + i] = start;
        }
    }
    make_all_windows(done);
    return number_variables(done);
}

void done_variables_free(struct done_variables *done) {
    free(done->windows);
    free(done->start);
    free(done->group);
    *done = (struct done_variables){0};
}

uint32_t done_ranks(const struct done_variables *done, uint32_t position) {
    return done->problem->groups[done->group[position]].warps;
}

literal done_literal(const struct done_variables *done, uint32_t position, uint32_t rank, uint32_t cycle) {
    if (rank == 0) return LITERAL_TRUE;
    if (rank > done_ranks(done, position)) return LITERAL_FALSE;
    const struct done_window *window = window_of(done, position, rank);
    if (cycle < window->earliest) return LITERAL_FALSE;
    if (cycle >= window->latest) return LITERAL_TRUE;
    return window->first + (int32_t)(cycle - window->earliest);
}

literal done_before(const struct done_variables *done, uint32_t position, uint32_t rank, uint32_t cycle) {
    bool first = position == done->problem->groups[done->group[position]].first;
    return first ? LITERAL_TRUE : done_literal(done, position - 1, rank, cycle);
}

literal unfinished_literal(const struct done_variables *done, uint32_t group, uint32_t cycle) {
    const struct string_group *of = &done->problem->groups[group];
    return -done_literal(done, of->first + of->length - 1, of->warps, cycle);
}
