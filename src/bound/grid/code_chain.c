#include "bound/grid/grid_work.h"

#include <stdlib.h>

static int most_first(const void *a, const void *b) {
    const cycles x = *(const cycles *)a, y = *(const cycles *)b;
    return (x < y) - (x > y);
}

/* What the warps of each sub-core hold that others do not reach, to `own`; what they hold that all reach. */
static cycles divide_work(const struct code_profile *profile, cycles *own) {
    cycles shared = 0;
    for (size_t r = 0; r < profile->row_counts.count; r++)
        for (size_t g = 0; g < profile->groups.count; g++) {
            const struct warp_group *group = &profile->groups.items[g];
            const struct own_section *section = code_profile_section(profile, r, group->path);
            const uint64_t times = cycles_mul(group->warps, profile->row_counts.items[r]);
            cycles *sum = &own[group->sub_core];
            *sum = cycles_add(*sum, cycles_mul(cycles_sub(section->work, section->far), times));
            shared = cycles_add(shared, cycles_mul(section->far, times));
        }
    return shared;
}

/* Sub-cores that its chain runs in, one behind the other, at most. */
static uint64_t turns_of(const struct code_profile *profile) {
    for (size_t g = 1; g < profile->groups.count; g++)
        if (profile->groups.items[g].sub_core != profile->groups.items[0].sub_core)
            return profile->sections > 0 ? profile->sections : 1;
    return 1;
}

wb_status code_chain_make(const struct code_profile *profile, cycles latency, struct arena *arena,
                          struct block_chain *chain) {
    const uint32_t sub_cores = profile->rules.block->machine->sub_cores;
    struct chain_share *share = &chain->shares[CHAIN_WHOLE];
    cycles *own = arena_array(arena, (size_t)sub_cores + 1, sizeof *own);
    struct chain_extra *extras = arena_array(arena, (size_t)sub_cores + 1, sizeof *extras);
    if (own == NULL || extras == NULL) return WB_ERR_LIMIT;
    const cycles shared = divide_work(profile, own);
    qsort(own, sub_cores, sizeof *own, most_first);
    *chain = (struct block_chain){.turns = turns_of(profile), .known[CHAIN_WHOLE] = true};
    share->work = cycles_add(own[0], shared);
    cycles met = 0; /* of its other sub-cores, by its own chain */
    for (uint32_t c = 1; c < sub_cores; c++) {
        extras[c - 1] = (struct chain_extra){own[c], 1};
        share->beyond = cycles_add(share->beyond, own[c]);
        if (c < chain->turns) met = cycles_add(met, own[c]);
    }
    share->own = cycles_add(latency, met);
    share->extras = extras;
    share->extra_count = sub_cores - 1;
    return WB_OK;
}
