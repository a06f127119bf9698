/* Dynamic programming over the sections of one block: of every number of instructions of a team that have
 * been consumed, the most until the end of a section. */
#include "bound/kernel/wave_align.h"

#include <assert.h>
#include <string.h>

/* A team along the sections of a block. Each of its paths has a row of one entry per instruction and one
 * more. */
struct team_walk {
    const struct bound_input *input;
    struct arena *arena;
    const struct wave_pair *pair;
    const struct wave_team *team;
    cycles **now, **next;
    bool cut_short; /* there was not enough memory */
};

static struct section_code section_of(const struct wave_path *path, uint64_t section) {
    const uint32_t begin = section == 0 ? 0 : path->section_ends[section - 1];
    return (struct section_code){path->code.insts + begin, path->section_ends[section] - begin};
}

static const struct wave_path *member(const struct team_walk *walk, uint32_t index) {
    return &walk->pair->other->paths[walk->team->paths[index]];
}

/* The most sections of any path of the class. */
static uint64_t section_count(const struct wave_class *class) {
    return class->profile.sections + 1;
}

/* Whether a path before this one has the same section. */
static bool is_known(const struct wave_class *class, uint32_t path, uint64_t section) {
    const struct section_code code = section_of(&class->paths[path], section);
    for (uint32_t p = 0; p < path; p++) {
        const struct section_code before = section_of(&class->paths[p], section);
        if (before.count == code.count &&
            memcmp(before.insts, code.insts, code.count * sizeof *code.insts) == 0)
            return true;
    }
    return false;
}

/* Takes one member of the team through a section, along any warp of the block. */
static void take_member(struct team_walk *walk, uint64_t section, uint32_t index) {
    const struct wave_class *own = walk->pair->own;
    const struct section_code other = member(walk, index)->code;
    const struct align_rules rules = {.block = own->profile.block,
                                      .charges = walk->pair->charges,
                                      .same_sub_core = true,
                                      .other = walk->pair->other->profile.block};
    memcpy(walk->next[index], walk->now[index], ((size_t)other.count + 1) * sizeof(cycles));
    for (uint32_t p = 0; p < own->profile.path_count && !walk->cut_short; p++) {
        const struct section_code code = section_of(&own->paths[p], section);
        struct align_limits limits = {.watch = walk->input->watch, .bytes = walk->input->budget->bytes};
        if (code.count == 0 || is_known(own, p, section)) continue;
        walk->cut_short = !search_spend(walk->input->budget, ALIGNED_CELL_WORK * align_cost(code, other));
        if (walk->cut_short) return;
        const wb_status status =
            align_through(&rules, code, other, walk->pair->m, walk->now[index], &limits, walk->next[index]);
        if (status != WB_OK && !limits.full) arena_fail(walk->arena, status);
        walk->cut_short = status != WB_OK;
    }
}

/* Between two sections of the own block its chain may go to another sub-core: there another member of the
 * team is in the way, from a section on that the one before has not begun. Where both are through, a change
 * adds nothing, and one more would lead back to a section that has been counted. */
static void change_member(const struct team_walk *walk, uint32_t from, uint32_t to) {
    const struct wave_path *left = member(walk, from), *taken = member(walk, to);
    const uint64_t sections = section_count(walk->pair->other);
    cycles *row = walk->now[to];
    for (uint64_t s = 0; s < sections; s++) {
        const uint32_t at = s == 0 ? 0 : taken->section_ends[s - 1],
                       before = s == 0 ? 0 : left->section_ends[s - 1];
        if (at == taken->code.count && before == left->code.count) break;
        row[at] = cycles_max(row[at], walk->next[from][before]);
    }
    for (uint32_t i = 0; i < taken->code.count; i++)
        row[i + 1] = cycles_max(row[i + 1], row[i]);
}

/* Makes what is known behind a section what is known before the next one. */
static void pass_section(const struct team_walk *walk) {
    const uint32_t members = walk->team->path_count;
    for (uint32_t i = 0; i < members; i++)
        memcpy(walk->now[i], walk->next[i], ((size_t)member(walk, i)->code.count + 1) * sizeof(cycles));
    for (uint32_t i = 0; i < members; i++)
        for (uint32_t k = 0; k < members; k++)
            if (i != k) change_member(walk, i, k);
}

/* The longest length(P) + m * charges of a team; CYCLES_SATURATED where the budget does not do. */
static cycles walk_team(struct team_walk *walk) {
    const uint32_t members = walk->team->path_count;
    const uint64_t sections = section_count(walk->pair->own);
    cycles most = 0;
    walk->now = arena_array(walk->arena, members, sizeof *walk->now);
    walk->next = arena_array(walk->arena, members, sizeof *walk->next);
    for (uint32_t i = 0; i < members; i++) {
        const size_t entries = (size_t)member(walk, i)->code.count + 1;
        walk->now[i] = arena_array(walk->arena, entries, sizeof(cycles));
        walk->next[i] = arena_array(walk->arena, entries, sizeof(cycles));
    }
    for (uint64_t s = 0; s < sections && !walk->cut_short; s++) {
        for (uint32_t i = 0; i < members && !walk->cut_short; i++)
            take_member(walk, s, i);
        pass_section(walk);
    }
    for (uint32_t i = 0; i < members; i++)
        most = cycles_max(most, walk->now[i][member(walk, i)->code.count]);
    return walk->cut_short ? CYCLES_SATURATED : most;
}

/* Whether no sum of the alignments can overflow. */
static bool is_safe(const struct wave_pair *pair) {
    const cycles horizon = cycles_max(timed_block_horizon(pair->own->profile.block),
                                      timed_block_horizon(pair->other->profile.block));
    return cycles_mul(horizon, cycles_mul(2, pair->m + 1)) < CYCLES_SATURATED;
}

cycles wave_aligned(const struct bound_input *input, struct arena *arena, const struct wave_pair *pair,
                    bool *cut_short) {
    assert(arena_is_protected(arena));
    const struct wave_class *own = pair->own, *other = pair->other;
    const bool one_sub_core = own->profile.block->machine->sub_cores == 1;
    const cycles busiest = one_sub_core ? cycles_add(other->busiest, other->shared) : other->busiest;
    const cycles unaligned =
        cycles_add(cycles_mul(other->team_count, own->alone), cycles_mul(pair->m, busiest));
    if (own->paths == NULL || other->paths == NULL || !is_safe(pair)) {
        *cut_short = true;
        return unaligned;
    }
    struct arena scratch = {0};
    arena_bind(&scratch, arena);
    struct team_walk walk = {.input = input, .arena = &scratch, .pair = pair};
    cycles sum = 0;
    for (size_t t = 0; t < other->teams.count; t++) {
        walk.team = &other->teams.items[t];
        sum = cycles_add(sum, cycles_mul(walk_team(&walk), walk.team->times));
    }
    *cut_short = *cut_short || walk.cut_short;
    arena_free(&scratch);
    return cycles_min(sum, unaligned);
}
