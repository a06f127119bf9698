#include "bound/analysis/lane_time.h"

#include <string.h>

#include "sass/sass.h"

/* Stalls from this count on are waited for only together with a yield: else the warp goes on sooner. */
#define STALL_WITH_YIELD 12u

uint32_t stalls_of_control(const struct sass_control *control) {
    if (control->yield) return control->stall < 2 ? 2 : control->stall;
    return control->stall == 0 || control->stall >= STALL_WITH_YIELD ? 1 : control->stall;
}

struct issue_rule issue_rule_of(uint32_t sm, const struct sass_inst *inst) {
    const struct sass_latency latency = sass_least_latency(sm, inst);
    struct issue_rule rule = {
        .stall = (uint8_t)stalls_of_control(&inst->control),
        .waits = inst->control.waits,
        .limited = SASS_NO_COUNTER,
        .counters = {inst->control.write_counter, inst->control.read_counter},
        .least = {latency.written, latency.read},
        .copies = inst->op == SASS_OP_LDGSTS && latency.written > SASS_COUNTER_SEEN,
        .closes = inst->op == SASS_OP_LDGDEPBAR,
    };
    if (inst->op != SASS_OP_DEPBAR) return rule;
    rule.limited = (uint8_t)sass_field(inst, SASS_FIELD_COUNTER);
    rule.limit = (uint8_t)sass_field(inst, SASS_FIELD_LIMIT);
    rule.waits |= (uint8_t)sass_field(inst, SASS_FIELD_WAIT_MORE);
    return rule;
}

/* ---- What a lane has under way ------------------------------------------------------------------------- */

/* Times at which a counter goes down at the earliest, the latest first. */
struct under_way {
    uint64_t at[LANE_UNDER_WAY];
    uint32_t count;
};

struct lane_state {
    uint64_t free;   /* the next instruction is not issued before that, by stall counts */
    uint64_t copied; /* all copies to shared memory so far have come, not before that */
    struct under_way counters[LANE_COUNTERS];
    /* For the last instruction, if the next one may be issued too soon after it to see its increments. */
    uint64_t unseen[2];
    uint8_t unseen_counters[2];
};

static void add_under_way(struct under_way *counter, uint64_t at, uint64_t now) {
    uint32_t place;
    while (counter->count > 0 && counter->at[counter->count - 1] <= now)
        counter->count--;
    if (counter->count == LANE_UNDER_WAY) {
        if (counter->at[LANE_UNDER_WAY - 1] >= at) return;
        counter->count--;
    }
    for (place = counter->count++; place > 0 && counter->at[place - 1] < at; place--)
        counter->at[place] = counter->at[place - 1];
    counter->at[place] = at;
}

/* When at most `left` of what is under way is left, at the earliest; 0: now. */
static uint64_t when_left(const struct under_way *counter, uint32_t left) {
    return left < counter->count ? counter->at[left] : 0;
}

static uint64_t earliest_issue(const struct lane_state *state, const struct issue_rule *rule) {
    uint64_t at = state->free;
    for (uint32_t i = 0; i < LANE_COUNTERS; i++)
        if (rule->waits >> i & 1) at = cycles_max(at, when_left(&state->counters[i], 0));
    if (rule->limited < LANE_COUNTERS)
        at = cycles_max(at, when_left(&state->counters[rule->limited], rule->limit));
    return at;
}

static void see(struct lane_state *state, uint64_t now) {
    for (uint32_t i = 0; i < 2; i++) {
        if (state->unseen_counters[i] < LANE_COUNTERS)
            add_under_way(&state->counters[state->unseen_counters[i]], state->unseen[i], now);
        state->unseen_counters[i] = SASS_NO_COUNTER;
    }
}

/* Counts up the counters of an instruction that is issued at `at`. */
static void count_up(struct lane_state *state, const struct issue_rule *rule, uint64_t at) {
    if (rule->copies) state->copied = cycles_max(state->copied, at + rule->least[0]);
    for (uint32_t i = 0; i < 2; i++) {
        state->unseen_counters[i] = rule->counters[i];
        state->unseen[i] = at + rule->least[i];
        if (rule->closes) state->unseen[i] = cycles_max(state->unseen[i], state->copied);
    }
    if (rule->stall > 1) see(state, at);
}

/* ---- Equal states -------------------------------------------------------------------------------------- */

static uint64_t left_of(uint64_t at, const struct lane_state *state) {
    return cycles_sub(at, state->free);
}

/* Whether two counters will make others wait for as long. */
static bool same_counter(const struct lane_state *a, const struct lane_state *b, uint32_t counter) {
    const struct under_way *in_a = &a->counters[counter], *in_b = &b->counters[counter];
    for (uint32_t i = 0; i < in_a->count || i < in_b->count; i++) {
        const uint64_t left = left_of(when_left(in_a, i), a);
        if (left != left_of(when_left(in_b, i), b)) return false;
        if (left == 0) return true;
    }
    return true;
}

/* Whether what follows takes as long from both, which stand behind one instruction: what has not been seen
 * yet is of that one, and equal where the rest is. */
static bool same_state(const struct lane_state *a, const struct lane_state *b) {
    if (left_of(a->copied, a) != left_of(b->copied, b)) return false;
    for (uint32_t i = 0; i < LANE_COUNTERS; i++)
        if (!same_counter(a, b, i)) return false;
    return true;
}

/* ---- The way ------------------------------------------------------------------------------------------- */

struct walk {
    const struct issue_rule *rules;
    uint32_t lanes;
    uint64_t *profile; /* or NULL */
    uint64_t weight;   /* how often what is walked is counted */
    struct lane_time time;
    uint32_t last_stall; /* of the last instruction */
    struct lane_state state;
};

static void add_to_profile(struct walk *walk, uint32_t instruction, uint64_t spent) {
    if (walk->profile == NULL) return;
    walk->profile[instruction] = cycles_add(walk->profile[instruction], cycles_mul(spent, walk->weight));
}

static void issue(struct walk *walk, uint32_t instruction) {
    const struct issue_rule *rule = &walk->rules[instruction];
    struct lane_state *state = &walk->state;
    if (rule->stall == 0) return;
    const uint64_t at = earliest_issue(state, rule), waited = at - state->free;
    walk->time.total = cycles_add(walk->time.total, cycles_mul(waited + rule->stall, walk->weight));
    walk->time.waits = cycles_add(walk->time.waits, cycles_mul(waited, walk->weight));
    walk->last_stall = rule->stall;
    add_to_profile(walk, instruction, waited + rule->stall);
    see(state, at);
    count_up(state, rule, at);
    state->free = at + rule->stall;
}

static void walk_fold(struct walk *walk, const struct path_entry *runs, size_t count, uint64_t times);

static void walk_runs(struct walk *walk, const struct path_entry *runs, size_t count) {
    for (const struct path_entry *run = runs; run < runs + count; run++) {
        if (run->count == PATH_REPEAT) walk_fold(walk, run - run->first, run->first, run->mask);
        if (run->count == PATH_REPEAT || (run->mask & walk->lanes) == 0) continue;
        for (uint32_t i = 0; i < run->count; i++)
            issue(walk, run->first + i);
    }
}

/* Repeats the runs that have been walked. What a lane has under way repeats itself soon, mostly from one
 * round to the next one: from then on rounds are counted, not walked. `mark` is a state further and further
 * back. */
static void walk_fold(struct walk *walk, const struct path_entry *runs, size_t count, uint64_t times) {
    struct lane_state mark = walk->state;
    uint64_t since_mark = 0, mark_for = 1;
    while (times > 0) {
        walk_runs(walk, runs, count);
        times--;
        since_mark++;
        if (same_state(&walk->state, &mark) && times >= since_mark) {
            const uint64_t periods = times / since_mark, weight = walk->weight;
            walk->weight = cycles_mul(weight, periods);
            for (uint64_t round = 0; round < since_mark; round++)
                walk_runs(walk, runs, count);
            walk->weight = weight;
            times -= periods * since_mark;
        } else if (since_mark == mark_for) {
            mark = walk->state;
            mark_for *= 2;
            since_mark = 0;
        }
    }
}

struct lane_time lane_time(const struct issue_rule *rules, const struct path *path, uint32_t lanes,
                           uint64_t *profile) {
    struct walk walk = {.rules = rules, .lanes = lanes, .weight = 1};
    walk.profile = profile;
    memset(walk.state.unseen_counters, SASS_NO_COUNTER, sizeof walk.state.unseen_counters);
    if (path->entries.count > 0) walk_runs(&walk, path->entries.items, path->entries.count);
    walk.time.total = cycles_sub(walk.time.total, walk.last_stall);
    return walk.time;
}
