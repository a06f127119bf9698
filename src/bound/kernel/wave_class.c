/* Teams, extras and unrolled paths of a block: docs/wave-bounds.md, section 2. */
#include "bound/kernel/wave_class.h"

#include <assert.h>
#include <string.h>

#include "bound/block/block_sums.h"

/* ---- Sums ---------------------------------------------------------------------------------------------- */

/* The initiations of a row on the units of each sub-core, and on those that all share. */
static void sum_row(const struct block_profile *profile, const struct profile_row *row, cycles *local,
                    cycles *shared) {
    for (size_t g = 0; g < profile->groups.count; g++) {
        const struct warp_group *group = &profile->groups.items[g];
        const struct section_profile *cell = profile_cell(profile, row, group->path);
        local[group->sub_core] += cell->local * group->warps;
        *shared = cycles_add(*shared, cycles_mul((cell->charge - cell->local) * group->warps, row->count));
    }
}

static int most_first(const void *a, const void *b) {
    const cycles x = *(const cycles *)a, y = *(const cycles *)b;
    return (x < y) - (x > y);
}

static int largest_first(const void *a, const void *b) {
    const struct wave_extra *x = a, *y = b;
    return (x->each < y->each) - (x->each > y->each);
}

static cycles longest_alone(const struct section_profile *warp, const struct row_sums *sums) {
    (void)sums;
    return warp->iso;
}

static void sum_rows(struct arena *arena, struct wave_class *class) {
    const struct block_profile *profile = &class->profile;
    const uint32_t sub_cores = profile->block->machine->sub_cores;
    cycles *local = arena_array(arena, sub_cores, sizeof *local);
    for (size_t r = 0; r < profile->rows.count; r++) {
        const struct profile_row *row = &profile->rows.items[r];
        memset(local, 0, sub_cores * sizeof *local);
        sum_row(profile, row, local, &class->shared);
        qsort(local, sub_cores, sizeof *local, most_first);
        class->busiest = cycles_add(class->busiest, cycles_mul(local[0], row->count));
        for (uint32_t c = 1; c < sub_cores && local[c] > 0; c++) {
            const struct wave_extra extra = {local[c], row->count};
            arena_push(arena, &class->extras, extra);
        }
    }
    if (class->extras.count > 0)
        qsort(class->extras.items, class->extras.count, sizeof *class->extras.items, largest_first);
}

cycles wave_class_extras(const struct wave_class *class, uint64_t changes) {
    cycles sum = 0;
    for (size_t i = 0; i < class->extras.count && changes > 0; i++) {
        const struct wave_extra *extra = &class->extras.items[i];
        const uint64_t taken = extra->count < changes ? extra->count : changes;
        sum = cycles_add(sum, cycles_mul(extra->each, taken));
        changes -= taken;
    }
    return sum;
}

/* Whether warps of more than one sub-core have instructions. */
static bool is_on_several_sub_cores(const struct block_profile *profile) {
    uint32_t first = UINT32_MAX;
    for (size_t g = 0; g < profile->groups.count; g++) {
        const struct warp_group *group = &profile->groups.items[g];
        if (profile->block->paths[group->path].length == 0) continue;
        if (first != UINT32_MAX && group->sub_core != first) return true;
        first = group->sub_core;
    }
    return false;
}

/* ---- Teams --------------------------------------------------------------------------------------------- */

/* Warps of each path on each sub-core that are in no team yet. */
struct team_maker {
    struct arena *arena;
    struct wave_class *class;
    uint32_t path_count, sub_cores;
    uint64_t *left; /* [path * sub_cores + sub_core] */
};

/* The first path of which the sub-core has warps left; UINT32_MAX: none. Warps of equal paths come together
 * as far as may be, as every sub-core gives its first. */
static uint32_t next_path(const struct team_maker *maker, uint32_t sub_core) {
    for (uint32_t p = 0; p < maker->path_count; p++)
        if (maker->left[(size_t)p * maker->sub_cores + sub_core] > 0) return p;
    return UINT32_MAX;
}

/* Takes as many teams as are alike: a warp of each sub-core that has one left. False when none has. */
static bool take_teams(struct team_maker *maker) {
    uint32_t *paths = arena_array(maker->arena, maker->sub_cores, sizeof *paths);
    struct wave_team team = {.paths = paths, .times = UINT64_MAX};
    for (uint32_t c = 0; c < maker->sub_cores; c++) {
        const uint32_t path = next_path(maker, c);
        if (path == UINT32_MAX) continue;
        const uint64_t left = maker->left[(size_t)path * maker->sub_cores + c];
        if (left < team.times) team.times = left;
        bool known = false;
        for (uint32_t i = 0; i < team.path_count; i++)
            known = known || paths[i] == path;
        if (!known) paths[team.path_count++] = path;
    }
    if (team.path_count == 0) return false;
    for (uint32_t c = 0; c < maker->sub_cores; c++) {
        const uint32_t path = next_path(maker, c);
        if (path != UINT32_MAX) maker->left[(size_t)path * maker->sub_cores + c] -= team.times;
    }
    arena_push(maker->arena, &maker->class->teams, team);
    maker->class->team_count += team.times;
    return true;
}

static void make_teams(struct arena *arena, struct wave_class *class) {
    const struct block_profile *profile = &class->profile;
    struct team_maker maker = {.arena = arena,
                               .class = class,
                               .path_count = profile->path_count,
                               .sub_cores = profile->block->machine->sub_cores};
    maker.left = arena_array(arena, (size_t)maker.path_count * maker.sub_cores + 1, sizeof *maker.left);
    for (size_t g = 0; g < profile->groups.count; g++) {
        const struct warp_group *group = &profile->groups.items[g];
        maker.left[(size_t)group->path * maker.sub_cores + group->sub_core] = group->warps;
    }
    while (take_teams(&maker)) {
    }
}

/* ---- Paths --------------------------------------------------------------------------------------------- */

static bool is_short(const struct timed_block *timed) {
    uint64_t length = 0;
    for (uint32_t p = 0; p < timed->path_count; p++)
        length = cycles_add(length, timed->paths[p].length);
    return length <= WAVE_INSTRUCTIONS_MAX;
}

static struct wave_path unroll(struct arena *arena, const struct timed_block *timed, const struct path *path,
                               uint64_t sections) {
    uint32_t *insts = arena_array(arena, (size_t)path->length + 1, sizeof *insts);
    uint32_t *ends = arena_array(arena, (size_t)sections + 1, sizeof *ends);
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    uint32_t count = 0;
    uint64_t section = 0;
    while (path_next(&cursor, &step)) {
        insts[count++] = step.instruction;
        if (timed->code.insts[step.instruction].barrier) ends[section++] = count;
    }
    assert(section <= sections);
    for (; section < sections; section++)
        ends[section] = count;
    return (struct wave_path){.code = {insts, count}, .section_ends = ends};
}

static void unroll_all(struct arena *arena, struct wave_class *class) {
    const struct timed_block *timed = class->profile.block;
    /* Every barrier of a path ends a section, be it with nothing behind it. */
    class->paths = arena_array(arena, (size_t)timed->path_count + 1, sizeof *class->paths);
    for (uint32_t p = 0; p < timed->path_count; p++)
        class->paths[p] = unroll(arena, timed, &timed->paths[p], class->profile.sections + 1);
}

void wave_class_fill(struct arena *arena, struct wave_class *class) {
    assert(arena_is_protected(arena));
    const struct block_profile *profile = &class->profile;
    class->alone = profile_sum_of_maxima(profile, longest_alone);
    class->sums = profile_sum_of_maxima(profile, sib_term);
    class->releases = profile_release_time(profile);
    sum_rows(arena, class);
    make_teams(arena, class);
    if (is_on_several_sub_cores(profile) && profile->sections > 0) class->changes = profile->sections - 1;
    if (is_short(profile->block)) unroll_all(arena, class);
}
