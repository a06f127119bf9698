#include "bound/search/annealing.h"

#include <assert.h>
#include <string.h>

/* Coarsest counting of progress: in 2^COARSENESS_MAX instructions. */
#define COARSENESS_MAX 8u

wb_status pattern_init(struct pattern *pattern, const struct wb_machine *machine, uint32_t slots,
                       uint32_t block_warps, struct arena *arena) {
    const uint32_t warps = slots * block_warps;
    *pattern = (struct pattern){.warps = warps,
                                .block_warps = block_warps,
                                .sub_cores = machine->sub_cores,
                                .slots = slots,
                                .words = warp_set_words(warps),
                                .units = machine->unit_count};
    for (uint32_t u = 0; u < MACHINE_UNITS_MAX; u++)
        pattern->ranks[u] = (uint8_t)u;
    pattern->victims = arena_array(arena, (size_t)pattern->words + 1, sizeof *pattern->victims);
    pattern->hurried = arena_array(arena, (size_t)pattern->words + 1, sizeof *pattern->hurried);
    pattern->ages = arena_array(arena, (size_t)slots + 1, sizeof *pattern->ages);
    return pattern_has_memory(pattern) ? WB_OK : WB_ERR_LIMIT;
}

struct pattern pattern_copy(const struct pattern *pattern, struct arena *arena) {
    struct pattern copy = *pattern;
    copy.victims = arena_array(arena, (size_t)pattern->words + 1, sizeof *copy.victims);
    copy.hurried = arena_array(arena, (size_t)pattern->words + 1, sizeof *copy.hurried);
    copy.ages = arena_array(arena, (size_t)pattern->slots + 1, sizeof *copy.ages);
    if (pattern_has_memory(&copy)) pattern_assign(&copy, pattern);
    return copy;
}

void pattern_assign(struct pattern *copy, const struct pattern *pattern) {
    uint64_t *victims = copy->victims, *hurried = copy->hurried;
    uint32_t *ages = copy->ages;
    assert(copy->words == pattern->words && copy->slots == pattern->slots);
    *copy = *pattern;
    copy->victims = victims;
    copy->hurried = hurried;
    copy->ages = ages; /* each choice finds them anew */
    memcpy(victims, pattern->victims, pattern->words * sizeof *victims);
    memcpy(hurried, pattern->hurried, pattern->words * sizeof *hurried);
}

/* ---- Patterns to begin with ---------------------------------------------------------------------------- */

/* Who is a victim: the n-th warp of each block among those of sub-core (slot mod sub-cores), so that the
 * victims of different blocks are on different sub-cores; the n-th of each block; the n-th of the SM. */
enum victims { NOBODY, ONE_BY_ROOM, ONE_BY_BLOCK, ONE_OF_SM };

struct beginning {
    enum victims victims;
    uint8_t number;                         /* n */
    bool hurry;                             /* all but the victims do */
    uint8_t rule_count, rules[3], reversed; /* bit r: rule r */
};

#define ALONE(rule)                                                                                          \
    1, {                                                                                                     \
        rule                                                                                                 \
    }
#define BOTH(first, second)                                                                                  \
    2, {                                                                                                     \
        first, second                                                                                        \
    }
#define THREE(first, second, third)                                                                          \
    3, {                                                                                                     \
        first, second, third                                                                                 \
    }
#define REVERSED(rule) (1u << (rule))

static const struct beginning beginnings[] = {
    {ONE_BY_ROOM, 0, true, BOTH(RULE_VICTIM, RULE_PROGRESS), 0},
    {NOBODY, 0, false, ALONE(RULE_PROGRESS), 0},
    {ONE_BY_ROOM, 0, true, BOTH(RULE_VICTIM, RULE_UNIT), 0},
    {ONE_BY_ROOM, 0, false, BOTH(RULE_VICTIM, RULE_PROGRESS), 0},
    {ONE_BY_ROOM, 0, true, THREE(RULE_VICTIM, RULE_GREEDY, RULE_AGE), 0},
    {ONE_OF_SM, 0, false, BOTH(RULE_VICTIM, RULE_PROGRESS), 0},
    {ONE_BY_ROOM, 0, true, ALONE(RULE_VICTIM), 0},
    {ONE_BY_BLOCK, 0, false, BOTH(RULE_VICTIM, RULE_PROGRESS), 0},
    {ONE_BY_ROOM, 1, true, BOTH(RULE_VICTIM, RULE_PROGRESS), 0},
    {NOBODY, 0, false, BOTH(RULE_UNIT, RULE_PROGRESS), 0},
    {ONE_BY_BLOCK, 0, true, BOTH(RULE_VICTIM, RULE_PROGRESS), 0},
    {NOBODY, 0, false, BOTH(RULE_PROGRESS, RULE_AGE), REVERSED(RULE_AGE)},
    {ONE_BY_ROOM, 0, true, BOTH(RULE_VICTIM, RULE_UNIT), REVERSED(RULE_UNIT)},
    {ONE_BY_ROOM, 1, false, BOTH(RULE_VICTIM, RULE_PROGRESS), 0},
    {ONE_BY_ROOM, 1, true, BOTH(RULE_VICTIM, RULE_UNIT), 0},
    {NOBODY, 0, false, ALONE(RULE_AGE), REVERSED(RULE_AGE)},
    {ONE_OF_SM, 0, true, BOTH(RULE_VICTIM, RULE_UNIT), 0},
    {ONE_BY_ROOM, 0, false, BOTH(RULE_VICTIM, RULE_UNIT), 0},
    {ONE_BY_BLOCK, 0, true, BOTH(RULE_VICTIM, RULE_UNIT), 0},
    {ONE_BY_ROOM, 0, false, THREE(RULE_VICTIM, RULE_GREEDY, RULE_AGE), 0},
    {NOBODY, 0, false, ALONE(RULE_PROGRESS), REVERSED(RULE_PROGRESS)},
    {NOBODY, 0, false, ALONE(RULE_UNIT), 0},
    {NOBODY, 0, false, ALONE(RULE_UNIT), REVERSED(RULE_UNIT)},
};

#define BEGINNINGS (sizeof beginnings / sizeof *beginnings)

static bool is_victim(const struct pattern *pattern, const struct beginning *beginning, uint32_t warp) {
    const uint32_t slot = warp / pattern->block_warps, index = warp % pattern->block_warps;
    const uint32_t cores = pattern->sub_cores;
    /* The warps of the block that are in the sub-core meant are number `first` and each `cores`-th behind. */
    const uint32_t begins = slot * pattern->block_warps % cores, first = (slot + cores - begins) % cores;
    switch (beginning->victims) {
    case ONE_BY_ROOM: return index == (first + beginning->number * cores) % pattern->block_warps;
    case ONE_BY_BLOCK: return index == beginning->number % pattern->block_warps;
    case ONE_OF_SM: return warp == beginning->number;
    case NOBODY: break;
    }
    return false;
}

static void set_member(uint64_t *set, uint32_t warp, bool is_member) {
    if (is_member)
        warp_set_add(set, warp);
    else
        warp_set_remove(set, warp);
}

static void begin_with(struct pattern *pattern, const struct beginning *beginning) {
    pattern->rule_count = beginning->rule_count;
    memcpy(pattern->rules, beginning->rules, sizeof beginning->rules);
    for (uint32_t r = 0; r < PATTERN_RULE_COUNT; r++)
        pattern->reversed[r] = (beginning->reversed >> r & 1) != 0;
    for (uint32_t u = 0; u < MACHINE_UNITS_MAX; u++)
        pattern->ranks[u] = (uint8_t)u;
    pattern->coarseness = 0;
    for (uint32_t w = 0; w < pattern->warps; w++) {
        const bool victim = is_victim(pattern, beginning, w);
        set_member(pattern->victims, w, victim);
        set_member(pattern->hurried, w, beginning->hurry && !victim);
    }
}

bool pattern_begin(struct pattern *pattern, uint32_t index, bool may_hurry) {
    for (size_t b = 0; b < BEGINNINGS; b++) {
        if (beginnings[b].hurry && !may_hurry) continue;
        if (index-- > 0) continue;
        begin_with(pattern, &beginnings[b]);
        return true;
    }
    return false;
}

/* ---- Changes ------------------------------------------------------------------------------------------- */

enum change {
    CHANGE_RULES,
    CHANGE_DIRECTION,
    CHANGE_RANKS,
    CHANGE_COARSENESS,
    CHANGE_VICTIMS,
    CHANGE_HURRIED,
    CHANGES
};

/* Puts a rule to another place, in from outside, or out. */
static void change_rules(struct pattern *pattern, struct random_state *random) {
    const uint8_t rule = (uint8_t)random_below(random, PATTERN_RULE_COUNT);
    uint32_t count = 0;
    for (uint32_t r = 0; r < pattern->rule_count; r++)
        if (pattern->rules[r] != rule) pattern->rules[count++] = pattern->rules[r];
    const bool was_there = count < pattern->rule_count;
    pattern->rule_count = count;
    if (was_there && random_below(random, 2) == 0) return;
    const uint32_t at = (uint32_t)random_below(random, count + 1);
    memmove(pattern->rules + at + 1, pattern->rules + at, count - at);
    pattern->rules[at] = rule;
    pattern->rule_count++;
}

static void change_ranks(struct pattern *pattern, struct random_state *random) {
    const uint32_t a = (uint32_t)random_below(random, pattern->units);
    const uint32_t b = (uint32_t)random_below(random, pattern->units);
    const uint8_t rank = pattern->ranks[a];
    pattern->ranks[a] = pattern->ranks[b];
    pattern->ranks[b] = rank;
}

/* One warp of one block or of all, or all of one sub-core, join or leave the set. */
static void change_set(const struct pattern *pattern, uint64_t *set, struct random_state *random) {
    const uint32_t chosen = (uint32_t)random_below(random, pattern->warps);
    const uint64_t scope = random_below(random, 3);
    const bool joins = !warp_set_has(set, chosen);
    for (uint32_t w = 0; w < pattern->warps; w++)
        if (w == chosen || (scope == 1 && w % pattern->block_warps == chosen % pattern->block_warps) ||
            (scope == 2 && w % pattern->sub_cores == chosen % pattern->sub_cores))
            set_member(set, w, joins);
}

void pattern_change(struct pattern *pattern, bool may_hurry, struct random_state *random) {
    const uint64_t change = random_below(random, may_hurry ? CHANGES : CHANGE_HURRIED);
    switch ((enum change)change) {
    case CHANGE_RULES: change_rules(pattern, random); break;
    case CHANGE_DIRECTION: {
        const uint64_t rule = random_below(random, PATTERN_RULE_COUNT);
        pattern->reversed[rule] = !pattern->reversed[rule];
        break;
    }
    case CHANGE_RANKS: change_ranks(pattern, random); break;
    case CHANGE_COARSENESS: pattern->coarseness = (uint8_t)random_below(random, COARSENESS_MAX + 1); break;
    case CHANGE_VICTIMS: change_set(pattern, pattern->victims, random); break;
    case CHANGE_HURRIED: change_set(pattern, pattern->hurried, random); break;
    case CHANGES: break;
    }
}

/* ---- Choices ------------------------------------------------------------------------------------------- */

/* How late a warp comes by a rule, below 2^RULE_BITS. */
#define RULE_BITS 12u
#define LATEST ((1u << RULE_BITS) - 1)

/* Finds how many blocks are older than each that is resident, where a rule asks for it. */
static void find_ages(const struct pattern *pattern, const struct policy_view *view) {
    if (memchr(pattern->rules, RULE_AGE, pattern->rule_count) == NULL) return;
    for (uint32_t age = 0; age < view->blocks; age++)
        if (view->oldest_first[age] < pattern->slots) pattern->ages[view->oldest_first[age]] = age;
}

static uint32_t age_of(const struct pattern *pattern, const struct policy_view *view, uint32_t warp) {
    const uint32_t block = warp / view->block_warps;
    return block < pattern->slots ? pattern->ages[block] : 0;
}

/* The least progress of all that are asked counts from 0, so that long programs fit. */
static uint32_t lateness(const struct pattern *pattern, const struct policy_view *view, uint32_t warp,
                         enum pattern_rule rule, uint64_t least_step) {
    uint64_t late = 0;
    switch (rule) {
    case RULE_VICTIM: late = warp < pattern->warps && warp_set_has(pattern->victims, warp); break;
    case RULE_PROGRESS: late = (view->warps[warp].step - least_step) >> pattern->coarseness; break;
    case RULE_UNIT: late = pattern->ranks[view->warps[warp].unit % MACHINE_UNITS_MAX]; break;
    case RULE_AGE: late = age_of(pattern, view, warp); break;
    case RULE_GREEDY: late = warp != view->last; break;
    case PATTERN_RULE_COUNT: break;
    }
    if (late > LATEST) late = LATEST;
    return (uint32_t)(pattern->reversed[rule] ? LATEST - late : late);
}

static uint64_t key_of(const struct pattern *pattern, const struct policy_view *view, uint32_t warp,
                       uint64_t least_step) {
    uint64_t key = 0;
    for (uint32_t r = 0; r < pattern->rule_count; r++)
        key = key << RULE_BITS |
              lateness(pattern, view, warp, (enum pattern_rule)pattern->rules[r], least_step);
    return key;
}

static uint64_t least_step_of(const struct policy_view *view) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < view->words; i++)
        for (uint64_t left = view->ready[i] & view->members[i]; left != 0; left &= left - 1) {
            const uint32_t warp = i * 64 + (uint32_t)__builtin_ctzll(left);
            if (view->warps[warp].step < least) least = view->warps[warp].step;
        }
    return least;
}

uint32_t pattern_pick(const struct pattern *pattern, const struct policy_view *view) {
    _Static_assert(PATTERN_RULE_COUNT * RULE_BITS <= 64, "a key has room for all rules");
    if (pattern->rule_count == 0) return policy_lrr.pick(view);
    const uint32_t start = policy_round_start(view);
    const uint64_t least_step = least_step_of(view);
    find_ages(pattern, view);
    uint32_t best = WARP_NONE, best_turn = 0;
    uint64_t best_key = 0;
    for (uint32_t i = 0; i < view->words; i++)
        for (uint64_t left = view->ready[i] & view->members[i]; left != 0; left &= left - 1) {
            const uint32_t warp = i * 64 + (uint32_t)__builtin_ctzll(left);
            const uint32_t turn = warp >= start ? warp - start : warp + view->words * 64 - start;
            const uint64_t key = key_of(pattern, view, warp, least_step);
            if (best != WARP_NONE && (key > best_key || (key == best_key && turn > best_turn))) continue;
            best = warp;
            best_key = key;
            best_turn = turn;
        }
    return best;
}
