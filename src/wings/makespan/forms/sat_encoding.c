#include "wings/makespan/forms/sat_encoding.h"

#include <assert.h>

#include "base/cycles.h"
#include "wings/makespan/forms/cnf.h"

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
static bool number_variables(struct done_variables *done) {
    for (uint64_t i = 0; i < done->problem->instruction_count; i++) {
        struct done_window *window = &done->windows[i];
        window->first = done->count + 1;
        assert(window->earliest <= window->latest);
        uint32_t width = window->latest - window->earliest;
        if (width > (uint32_t)(CNF_VARIABLES_MAX - done->count)) return false;
        done->count += (int32_t)width;
    }
    return true;
}

bool done_variables_make(const struct makespan_problem *problem, uint32_t horizon, uint64_t memory,
                         struct arena *arena, struct done_variables *done) {
    *done = (struct done_variables){.problem = problem, .horizon = horizon};
    uint64_t window_bytes = problem->instruction_count * sizeof *done->windows;
    uint64_t position_bytes = problem->position_count * (sizeof *done->start + sizeof *done->group);
    if (window_bytes + position_bytes > memory) return false;
    done->windows = arena_array(arena, problem->instruction_count, sizeof *done->windows);
    done->start = arena_array(arena, problem->position_count, sizeof *done->start);
    done->group = arena_array(arena, problem->position_count, sizeof *done->group);
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

/* The same for the position before: true where there is none, since every warp is ready from the start. */
static literal done_before(const struct done_variables *done, uint32_t position, uint32_t rank,
                           uint32_t cycle) {
    bool first = position == done->problem->groups[done->group[position]].first;
    return first ? LITERAL_TRUE : done_literal(done, position - 1, rank, cycle);
}

literal unfinished_literal(const struct done_variables *done, uint32_t group, uint32_t cycle) {
    const struct string_group *of = &done->problem->groups[group];
    return -done_literal(done, of->first + of->length - 1, of->warps, cycle);
}

/* The cumulative form of the problem of ECRTS'12 section 5, with the number of warps that have executed a
 * position in place of the set of them. */

/* Of the memory allowed: a solver needs several times the size of the clauses that it is given. */
#define CLAUSE_SHARE 12

/* Instructions on a unit type, or all, whose total after each cycle is counted at most: the clauses of a
 * cycle grow with the square. */
#define TOTAL_MAX 128u

/* How many instructions on a unit type, or of all, have been executed by the end of a cycle. */
struct total {
    uint32_t certain; /* so many in every schedule */
    struct unary more;
};

/* The cycle whose clauses are made. */
struct cycle_encoder {
    const struct done_variables *done;
    struct cnf *cnf;
    struct arena arenas[2]; /* of cycles with even and with odd numbers */
    struct unary *addends;  /* numbers to be added: one for each position */
    bool totalled[FULL_ISSUE + 1];
    struct total totals[FULL_ISSUE + 1]; /* of the cycle before, then of this one */
    uint32_t cycle;
    literal *full; /* of the cycle */
};

static struct arena *arena_of(struct cycle_encoder *at) {
    return &at->arenas[at->cycle % 2];
}

/* Instructions of the kind, a unit type or FULL_ISSUE for all, that can execute in a cycle. */
static uint32_t kind_room(const struct makespan_problem *problem, uint32_t kind) {
    return kind == FULL_ISSUE ? problem->issue_limit : problem->capacity[kind];
}

/* What is done stays done; of ranks and of positions the lower come first. */
static void order_position(const struct cycle_encoder *at, uint32_t p) {
    uint32_t t = at->cycle;
    for (uint32_t rank = 1; rank <= done_ranks(at->done, p); rank++) {
        literal done = done_literal(at->done, p, rank, t);
        CNF_CLAUSE(at->cnf, -done_literal(at->done, p, rank, t - 1), done);
        CNF_CLAUSE(at->cnf, -done, done_literal(at->done, p, rank - 1, t));
        CNF_CLAUSE(at->cnf, -done, done_before(at->done, p, rank, t - 1));
    }
}

/* Work-conserving: a warp that is ready executes, or its unit type or the cycle is full. */
static void conserve_work(const struct cycle_encoder *at, uint32_t p) {
    uint32_t t = at->cycle;
    literal full = at->full[at->done->problem->unit[p]];
    for (uint32_t rank = 1; rank <= done_ranks(at->done, p); rank++)
        CNF_CLAUSE(at->cnf, -done_before(at->done, p, rank, t - 1), done_literal(at->done, p, rank, t), full,
                   at->full[FULL_ISSUE]);
}

/* Ties `enough`, "at least k warps execute position p", to what is done before and after the cycle. Ranks
 * below `low` have executed it before the cycle, ranks above `high` have not at its end. */
static void tie_served(const struct cycle_encoder *at, uint32_t p, uint32_t k, literal enough, uint32_t low,
                       uint32_t high) {
    uint32_t t = at->cycle;
    for (uint32_t before = low - 1; before <= high; before++) {
        literal after = done_literal(at->done, p, before + k, t);
        CNF_CLAUSE(at->cnf, done_literal(at->done, p, before + 1, t - 1), -after, enough);
        CNF_CLAUSE(at->cnf, -done_literal(at->done, p, before, t - 1), after, -enough);
    }
}

/* The lowest rank of which it is not certain that it has executed the position by the end of the cycle. */
static uint32_t lowest_open(const struct cycle_encoder *at, uint32_t p, uint32_t cycle) {
    uint32_t rank = 1;
    while (rank <= done_ranks(at->done, p) && done_literal(at->done, p, rank, cycle) == LITERAL_TRUE)
        rank++;
    return rank;
}

/* The highest rank that can have executed it by then, or 0. */
static uint32_t highest_open(const struct cycle_encoder *at, uint32_t p, uint32_t cycle) {
    uint32_t rank = done_ranks(at->done, p);
    while (rank > 0 && done_literal(at->done, p, rank, cycle) == LITERAL_FALSE)
        rank--;
    return rank;
}

/* How many warps execute position p, and clauses that it is not more than there is room for. */
static struct unary served_number(struct cycle_encoder *at, uint32_t p) {
    const struct makespan_problem *problem = at->done->problem;
    uint32_t low = lowest_open(at, p, at->cycle - 1);
    uint32_t high = highest_open(at, p, at->cycle);
    uint32_t most = high >= low ? high + 1 - low : 0;
    uint32_t room = kind_room(problem, problem->unit[p]);
    if (room > problem->issue_limit) room = problem->issue_limit;
    struct unary number = unary_make(at->cnf, arena_of(at), most < room ? most : room);
    for (uint32_t k = 1; k <= number.count; k++)
        tie_served(at, p, k, unary_at_least(&number, k), low, high);
    if (most > room && !at->cnf->failed) tie_served(at, p, room + 1, LITERAL_FALSE, low, high);
    return number;
}

/* Counts the warps that use each unit type and those that issue. */
static void count_cycle(struct cycle_encoder *at) {
    const struct makespan_problem *problem = at->done->problem;
    struct unary used[UNIT_TYPES];
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        size_t count = 0;
        for (uint32_t p = 0; p < problem->position_count && !at->cnf->failed; p++)
            if (problem->unit[p] == unit) at->addends[count++] = served_number(at, p);
        uint32_t capacity = problem->capacity[unit];
        used[unit] = unary_sum(at->cnf, arena_of(at), at->addends, count, capacity);
        at->full[unit] = unary_at_least(&used[unit], capacity);
    }
    at->full[FULL_ISSUE] = LITERAL_FALSE;
    if (problem->issue_limit == ISSUE_UNLIMITED) return;
    struct unary issued = unary_sum(at->cnf, arena_of(at), used, UNIT_TYPES, problem->issue_limit);
    at->full[FULL_ISSUE] = unary_at_least(&issued, problem->issue_limit);
}

/* Chooses what is totalled. That makes proofs ten times shorter where a unit type is scarce, and longer where
 * it is not. */
static void choose_totals(struct cycle_encoder *at) {
    const struct makespan_problem *problem = at->done->problem;
    for (uint32_t kind = 0; kind <= FULL_ISSUE; kind++) {
        uint64_t instructions = 0;
        for (uint32_t p = 0; p < problem->position_count; p++)
            if (kind == FULL_ISSUE || problem->unit[p] == kind) instructions += done_ranks(at->done, p);
        at->totalled[kind] = instructions <= TOTAL_MAX && kind_room(problem, kind) <= problem->warp_count / 2;
    }
}

static literal total_at_least(const struct total *total, uint32_t k) {
    return k <= total->certain ? LITERAL_TRUE : unary_at_least(&total->more, k - total->certain);
}

/* The total of a kind after the cycle. Ranks in order are a number in unary as they are. */
static struct total make_total(struct cycle_encoder *at, uint32_t kind) {
    const struct makespan_problem *problem = at->done->problem;
    struct total total = {0};
    size_t count = 0;
    for (uint32_t p = 0; p < problem->position_count && !at->cnf->failed; p++) {
        if (kind != FULL_ISSUE && problem->unit[p] != kind) continue;
        uint32_t low = lowest_open(at, p, at->cycle);
        uint32_t high = highest_open(at, p, at->cycle);
        total.certain += low - 1;
        if (high < low) continue;
        struct unary open = {arena_array(arena_of(at), high + 1 - low, sizeof(literal)), high + 1 - low};
        if (open.at_least == NULL) at->cnf->failed = true;
        for (uint32_t rank = low; rank <= high && !at->cnf->failed; rank++)
            open.at_least[rank - low] = done_literal(at->done, p, rank, at->cycle);
        at->addends[count++] = open;
    }
    if (!at->cnf->failed) total.more = unary_sum(at->cnf, arena_of(at), at->addends, count, TOTAL_MAX);
    return total;
}

/* A full cycle adds as many to the total as there is room for, and no cycle adds more. The clauses so far say
 * it already, but a proof would have to count anew in every cycle. */
static void tie_totals(struct cycle_encoder *at) {
    for (uint32_t kind = 0; kind <= FULL_ISSUE && !at->cnf->failed; kind++) {
        if (!at->totalled[kind]) continue;
        uint32_t room = kind_room(at->done->problem, kind);
        struct total before = at->totals[kind];
        struct total after = make_total(at, kind);
        for (uint32_t k = before.certain; k <= before.certain + before.more.count + 1; k++) {
            literal had = total_at_least(&before, k);
            literal has = total_at_least(&after, k + room);
            CNF_CLAUSE(at->cnf, -at->full[kind], -had, has);
            CNF_CLAUSE(at->cnf, had, -has);
        }
        at->totals[kind] = after;
    }
}

/* Variables for what linear rows are to say. */
static void declare_full(const struct cycle_encoder *at) {
    const struct makespan_problem *problem = at->done->problem;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        bool can_be = problem_uses(problem, unit) && problem->warp_count >= problem->capacity[unit];
        at->full[unit] = can_be ? cnf_variable(at->cnf) : LITERAL_FALSE;
    }
    bool limited = problem->issue_limit != ISSUE_UNLIMITED;
    at->full[FULL_ISSUE] = limited ? cnf_variable(at->cnf) : LITERAL_FALSE;
}

static wb_status encode_cycles(const struct makespan_run *run, enum sat_counting counting,
                               struct sat_encoding *encoding, struct cycle_encoder *at) {
    uint32_t positions = run->problem->position_count;
    for (uint32_t t = 1; t <= encoding->done.horizon; t++) {
        if (!makespan_goes_on(run, "sat: cycles as clauses", t - 1, encoding->done.horizon))
            return WB_ERR_LIMIT;
        at->cycle = t;
        at->full = encoding->full[t];
        arena_free(arena_of(at));
        if (counting == SAT_COUNTING_CLAUSES) {
            count_cycle(at);
            tie_totals(at);
        } else {
            declare_full(at);
        }
        for (uint32_t p = 0; p < positions && !at->cnf->failed; p++) {
            order_position(at, p);
            conserve_work(at, p);
        }
        if (at->cnf->failed) return WB_ERR_LIMIT;
    }
    return WB_OK;
}

/* "Some warp is unfinished" after each cycle: the last of the only group, or a variable that implies that of
 * some group. `groups` has room for a literal of each group and one more. */
static void encode_unfinished(struct sat_encoding *encoding, literal *groups) {
    uint32_t count = encoding->done.problem->group_count;
    for (uint32_t t = 0; t < encoding->done.horizon; t++) {
        literal some = LITERAL_FALSE;
        for (uint32_t g = 0; g < count && some != LITERAL_TRUE; g++) {
            groups[g] = unfinished_literal(&encoding->done, g, t);
            if (groups[g] != LITERAL_FALSE) some = groups[g];
        }
        if (count > 1 && some != LITERAL_TRUE && some != LITERAL_FALSE) {
            some = cnf_variable(&encoding->cnf);
            groups[count] = -some;
            cnf_clause(&encoding->cnf, groups, (size_t)count + 1);
        }
        encoding->unfinished[t] = some;
    }
}

wb_status sat_encode(const struct makespan_run *run, uint32_t horizon, enum sat_counting counting,
                     struct sat_encoding *encoding) {
    const struct makespan_problem *problem = run->problem;
    const uint64_t memory = makespan_memory(run->settings) / CLAUSE_SHARE;
    const uint64_t tables = (uint64_t)horizon * (sizeof *encoding->unfinished + sizeof *encoding->full);
    *encoding = (struct sat_encoding){.cnf = {.limit = memory}};
    if (tables > memory || !done_variables_make(problem, horizon, memory, run->arena, &encoding->done)) {
        encoding->cnf.failed = true;
        return WB_ERR_LIMIT;
    }
    encoding->unfinished = arena_array(run->arena, horizon, sizeof *encoding->unfinished);
    encoding->full = arena_array(run->arena, (size_t)horizon + 1, sizeof *encoding->full);
    encoding->cnf.variable_count = encoding->done.count;
    struct cycle_encoder at = {.done = &encoding->done,
                               .cnf = &encoding->cnf,
                               .addends =
                                   arena_array(run->arena, problem->position_count, sizeof *at.addends)};
    choose_totals(&at);
    encode_unfinished(encoding, arena_array(run->arena, (size_t)problem->group_count + 1, sizeof(literal)));
    wb_status status = encode_cycles(run, counting, encoding, &at);
    arena_free(&at.arenas[0]);
    arena_free(&at.arenas[1]);
    return status;
}

literal sat_makespan_at_least(const struct sat_encoding *encoding, uint64_t makespan) {
    if (makespan == 0) return LITERAL_TRUE;
    return makespan <= encoding->done.horizon ? encoding->unfinished[makespan - 1] : LITERAL_FALSE;
}
