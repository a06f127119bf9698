#include "bound/profile/profile.h"

void block_profile_free(struct block_profile *profile) {
    vec_free(&profile->groups);
    vec_free(&profile->rows);
    vec_free(&profile->cells);
}

/* The sums of a row for the warps of one sub-core. */
static struct row_sums profile_sums(const struct block_profile *profile, const struct profile_row *row,
                                    uint32_t sub_core) {
    struct row_sums sums = {0};
    for (size_t g = 0; g < profile->groups.count; g++) {
        const struct warp_group *group = &profile->groups.items[g];
        const struct section_profile *cell = profile_cell(profile, row, group->path);
        sums.exec += cell->exec * group->warps;
        sums.shared += (cell->charge - cell->local) * group->warps;
        if (group->sub_core == sub_core) sums.local += cell->local * group->warps;
    }
    return sums;
}

/* The largest term of any warp of a row. */
static cycles profile_row_maximum(const struct block_profile *profile, const struct profile_row *row,
                                  section_term term) {
    cycles most = 0;
    for (uint32_t s = 0; s < profile->block->machine->sub_cores; s++) {
        const struct row_sums sums = profile_sums(profile, row, s);
        for (size_t g = 0; g < profile->groups.count; g++) {
            const struct warp_group *group = &profile->groups.items[g];
            if (group->sub_core != s) continue;
            most = cycles_max(most, term(profile_cell(profile, row, group->path), &sums));
        }
    }
    return most;
}

cycles profile_sum_of_maxima(const struct block_profile *profile, section_term term) {
    cycles sum = 0;
    for (size_t r = 0; r < profile->rows.count; r++) {
        const struct profile_row *row = &profile->rows.items[r];
        sum = cycles_add(sum, cycles_mul(profile_row_maximum(profile, row, term), row->count));
    }
    return sum;
}

cycles profile_sum_of_group(const struct block_profile *profile, section_term term,
                            const struct warp_group *group) {
    cycles sum = 0;
    for (size_t r = 0; r < profile->rows.count; r++) {
        const struct profile_row *row = &profile->rows.items[r];
        const struct row_sums sums = profile_sums(profile, row, group->sub_core);
        cycles one = term(profile_cell(profile, row, group->path), &sums);
        sum = cycles_add(sum, cycles_mul(one, row->count));
    }
    return sum;
}
