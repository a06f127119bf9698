/* The cumulative form of the problem of ECRTS'12 section 5, with the number of warps that have executed a
 * position in place of the set of them. */
#include "makespan/sat_encoding.h"

#include <stdlib.h>

#include "makespan/unary.h"

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
static uint32_t room_of(const struct makespan_problem *problem, uint32_t kind) {
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
    uint32_t room = room_of(problem, problem->unit[p]);
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
        at->totalled[kind] = instructions <= TOTAL_MAX && room_of(problem, kind) <= problem->warp_count / 2;
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
        uint32_t room = room_of(at->done->problem, kind);
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

/* All clauses, with working memory for positions and groups. */
static wb_status encode_all(const struct makespan_run *run, enum sat_counting counting,
                            struct sat_encoding *encoding) {
    const struct makespan_problem *problem = run->problem;
    struct cycle_encoder at = {.done = &encoding->done, .cnf = &encoding->cnf};
    at.addends = calloc(problem->position_count, sizeof *at.addends);
    literal *groups = calloc((size_t)problem->group_count + 1, sizeof *groups);
    wb_status status = WB_ERR_LIMIT;
    if (at.addends == NULL || groups == NULL) {
        encoding->cnf.failed = true;
    } else {
        choose_totals(&at);
        encode_unfinished(encoding, groups);
        status = encode_cycles(run, counting, encoding, &at);
    }
    arena_free(&at.arenas[0]);
    arena_free(&at.arenas[1]);
    free(at.addends);
    free(groups);
    return status;
}

/* The tables by cycle. */
static bool make_tables(uint32_t horizon, uint64_t memory, struct sat_encoding *encoding) {
    uint64_t bytes = (uint64_t)horizon * (sizeof *encoding->unfinished + sizeof *encoding->full);
    if (bytes > memory) return false;
    encoding->unfinished = calloc(horizon, sizeof *encoding->unfinished);
    encoding->full = calloc((size_t)horizon + 1, sizeof *encoding->full);
    return encoding->unfinished != NULL && encoding->full != NULL;
}

wb_status sat_encode(const struct makespan_run *run, uint32_t horizon, enum sat_counting counting,
                     struct sat_encoding *encoding) {
    uint64_t memory = makespan_memory(run->settings) / CLAUSE_SHARE;
    *encoding = (struct sat_encoding){.cnf = {.limit = memory}};
    if (done_variables_make(run->problem, horizon, memory, &encoding->done) != WB_OK ||
        !make_tables(horizon, memory, encoding)) {
        encoding->cnf.failed = true;
        return WB_ERR_LIMIT;
    }
    encoding->cnf.variable_count = encoding->done.count;
    return encode_all(run, counting, encoding);
}

void sat_encoding_free(struct sat_encoding *encoding) {
    done_variables_free(&encoding->done);
    cnf_free(&encoding->cnf);
    free(encoding->unfinished);
    free(encoding->full);
    *encoding = (struct sat_encoding){0};
}

literal sat_makespan_at_least(const struct sat_encoding *encoding, uint64_t makespan) {
    if (makespan == 0) return LITERAL_TRUE;
    return makespan <= encoding->done.horizon ? encoding->unfinished[makespan - 1] : LITERAL_FALSE;
}
