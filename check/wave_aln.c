/* k-wave-aln of a kernel: theorem 2 of docs/wave-bounds.md (kernel/WaveTeamPaths.v:k_wave_teams). */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

/* ---- Teams ---- */

/* The first path of which warps on a sub-core are left. */
static uint64_t next_path(const struct block *of, const uint64_t *left, uint64_t sub_core) {
    uint64_t path = 0;
    while (path < of->paths && left[path * of->machine->sub_cores + sub_core] == 0)
        path++;
    return path;
}

static void meet_section(struct walk *walk, uint64_t row) {
    struct member *member = walk->context;
    PUSH(walk->block->check, &member->before, member->other.insts.count);
    other_executes(&member->other, section_of(walk->block, row, member->path));
}

static void add_member(team *members, const struct block *of, uint64_t path) {
    struct member member = {.path = path, .other = {.of = of, .together = true}};
    for (uint64_t i = 0; i < members->count; i++) {
        if (members->items[i].path == path) return;
        member.lane += members->items[i].other.insts.count + 1;
    }
    walk_each(of, &of->rows, meet_section, &member);
    PUSH(of->check, members, member);
}

/* Takes as many teams as are alike: a warp of each sub-core that has one left. */
static struct teams take_teams(const struct block *of, uint64_t *left) {
    struct teams teams = {.often = UNLIMITED};
    for (uint64_t c = 0; c < of->machine->sub_cores; c++) {
        const uint64_t path = next_path(of, left, c);
        if (path == of->paths) continue;
        add_member(&teams.members, of, path);
        teams.often = min(teams.often, left[path * of->machine->sub_cores + c]);
    }
    for (uint64_t c = 0; c < of->machine->sub_cores; c++) {
        const uint64_t path = next_path(of, left, c);
        if (path < of->paths) left[path * of->machine->sub_cores + c] -= teams.often;
    }
    return teams;
}

static division divide(const struct block *of) {
    uint64_t *left = zeroed(of->check, mul(of->paths, of->machine->sub_cores), sizeof *left);
    division all = {0};
    for (uint64_t g = 0; g < of->warps.count; g++) {
        const struct warps *warps = &of->warps.items[g];
        left[warps->path * of->machine->sub_cores + warps->sub_core] += warps->count;
    }
    for (struct teams teams; (teams = take_teams(of, left)).members.count > 0;)
        PUSH(of->check, &all, teams);
    free(left);
    return all;
}

/* ---- A team along the sections of a block ---- */

/* Takes a member through a section of any warp of the block, or of none. */
static void pass(const struct block *of, uint64_t row, struct member *member, const uint64_t *now,
                 uint64_t *next) {
    const uint64_t *cells = of->cells.items + row * of->paths, lanes = member->other.insts.count + 1;
    for (uint64_t p = 0; p < of->paths; p++) {
        bool known = false;
        for (uint64_t q = 0; q < p; q++)
            known = known || cells[q] == cells[p];
        if (known) continue;
        uint64_t *ends = align(of, &of->sections.items[cells[p]], &member->other, now + member->lane);
        for (uint64_t l = 0; l < lanes; l++)
            next[member->lane + l] = max(next[member->lane + l], ends[l]);
        free(ends);
    }
}

/* Between two sections of the block another member can be in the way, from a section on that the one before
 * has not begun; where both are through there is nothing more. */
static void change(const struct member *from, const struct member *to, const uint64_t *before,
                   uint64_t *now) {
    uint64_t *lanes = now + to->lane;
    for (uint64_t s = 0; s < to->before.count; s++) {
        uint64_t *at = &lanes[to->before.items[s]];
        if (at == lanes + to->other.insts.count && from->before.items[s] == from->other.insts.count) break;
        *at = max(*at, before[from->lane + from->before.items[s]]);
    }
    for (uint64_t l = 0; l < to->other.insts.count; l++)
        lanes[l + 1] = max(lanes[l + 1], lanes[l]);
}

static void meet_row(struct walk *walk, uint64_t row) {
    const team *members = walk->context;
    uint64_t *next = zeroed(walk->block->check, walk->time_count, sizeof *next);
    memcpy(next, walk->times, walk->time_count * sizeof *next);
    for (uint64_t i = 0; i < members->count; i++)
        pass(walk->block, row, &members->items[i], walk->times, next);
    memcpy(walk->times, next, walk->time_count * sizeof *next);
    for (uint64_t i = 0; i < members->count; i++)
        for (uint64_t k = 0; k < members->count; k++)
            if (i != k) change(&members->items[i], &members->items[k], next, walk->times);
    count_work(walk->block->check, members->count * walk->time_count);
    free(next);
}

/* align(team, m) */
static uint64_t team_time(const struct block *of, team *members, uint64_t m) {
    const struct member *last = &members->items[members->count - 1];
    const uint64_t lanes = last->lane + last->other.insts.count + 1;
    uint64_t longest = 0;
    for (uint64_t i = 0; i < members->count; i++)
        members->items[i].other.m = m;
    uint64_t *times = times_behind(of, &of->rows, meet_row, lanes, members);
    for (uint64_t i = 0; i < members->count; i++)
        longest = max(longest, times[members->items[i].lane + members->items[i].other.insts.count]);
    free(times);
    return longest;
}

/* ---- The wave ---- */

/* Most teams of a block. */
static uint64_t teams_at_most(const struct grid *grid) {
    uint64_t longest = 0;
    for (uint64_t k = 0; k < grid->wave.count; k++)
        longest = max(longest, grid->wave.items[k].teams);
    return longest;
}

/* m */
static uint64_t aligned_with(const struct grid *grid, const struct wave_class *own) {
    return add(mul(together(grid) - 1, teams_at_most(grid)), less(own->of.warp_count, 1));
}

/* The sum over the teams, and what is not aligned, m times. On one sub-core no unit counts as shared. */
static uint64_t teams_and_extras(struct grid *grid, const struct wave_class *own,
                                 const struct wave_class *other) {
    const division *all = &other->division;
    const uint64_t m = aligned_with(grid, own);
    const uint64_t lacking = mul(teams_at_most(grid) - other->teams, own->alone);
    uint64_t aligned = grid->machine->sub_cores == 1 ? 0 : mul(m, other->shared);
    for (uint64_t t = 0; t < all->count; t++)
        aligned = add(aligned, mul(team_time(&own->of, &all->items[t].members, m), all->items[t].often));
    const uint64_t summed = add(mul(other->teams, own->alone), mul(m, other->work));
    return add(add(min(aligned, summed), lacking), mul(m, extras(grid, own, other)));
}

static uint64_t by_alignment(struct grid *grid, const struct wave_class *own) {
    const uint64_t m = aligned_with(grid, own);
    for (uint64_t k = 0; k < grid->wave.count; k++) {
        struct wave_class *class = &grid->wave.items[k];
        if (class->division.count == 0) class->division = divide(&class->of);
    }
    if (m == 0) return by_initiations(grid, own);
    const uint64_t sum = add(alignments(&own->of, m, 1), others(grid, own, teams_and_extras));
    return min(by_initiations(grid, own), add(sum / m, releases_of(&own->of)));
}

uint64_t k_wave_aln(struct grid *grid) {
    return wave_time(grid, by_alignment);
}
