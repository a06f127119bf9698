#include "bound/profile/spill.h"

wb_status block_spill_init(struct block_spill *spill, const struct wb_machine *machine, struct arena *arena) {
    const size_t units = (size_t)machine->sub_cores * machine->unit_count;
    *spill = (struct block_spill){0};
    if (machine->sub_cores == 1) return WB_OK;
    spill->left = arena_array(arena, units + 1, sizeof *spill->left);
    return spill->left == NULL ? WB_ERR_LIMIT : WB_OK;
}

static cycles *left_at(const struct block_spill *spill, const struct wb_machine *machine, uint32_t sub_core,
                       uint32_t unit) {
    return &spill->left[(size_t)sub_core * machine->unit_count + unit];
}

/* The rest of a unit of a sub-core when no more is issued to it: an initiation on each instance, and a queue;
 * at most the issues of its warps that are not known to have initiated. */
static cycles left_by_unit(const struct wb_machine *machine, const struct spill_warps *warps,
                           uint32_t sub_core, uint32_t unit) {
    uint32_t largest = 0;
    cycles pending = 0;
    for (size_t g = 0; g < warps->group_count; g++) {
        const struct warp_group *group = &warps->groups[g];
        const struct unit_progress *progress = &warps->walkers[group->path].progress.units[unit];
        if (group->sub_core != sub_core) continue;
        largest = u32_max(largest, progress->largest);
        pending = cycles_add(pending, cycles_mul(cycles_sub(progress->sent, progress->done), group->warps));
    }
    if (largest == 0 || machine->dispatch_depth == DEPTH_UNLIMITED) return pending;
    const cycles under_way = cycles_mul(machine->units[unit].count, largest - 1);
    return cycles_min(pending, cycles_add(under_way, cycles_mul(machine->dispatch_depth, largest)));
}

void block_spill_note(struct block_spill *spill, const struct wb_machine *machine,
                      const struct spill_warps *warps, bool again) {
    for (uint32_t c = 0; spill->left != NULL && c < machine->sub_cores; c++) {
        cycles sum = 0;
        for (uint32_t u = 0; u < machine->unit_count; u++) {
            cycles *most = left_at(spill, machine, c, u);
            const cycles left = machine->units[u].shared ? 0 : left_by_unit(machine, warps, c, u);
            sum = cycles_add(sum, left);
            if (again) *most = cycles_max(*most, left);
        }
        if (!again) spill->most = cycles_max(spill->most, sum);
    }
}

cycles block_spill_most(const struct block_spill *spill, const struct wb_machine *machine) {
    cycles most = spill->most;
    for (uint32_t c = 0; spill->left != NULL && c < machine->sub_cores; c++) {
        cycles left = 0;
        for (uint32_t u = 0; u < machine->unit_count; u++)
            left = cycles_add(left, *left_at(spill, machine, c, u));
        most = cycles_max(most, left);
    }
    return most;
}
