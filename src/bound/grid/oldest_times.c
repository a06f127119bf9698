#include "bound/grid/grid_work.h"

#include <assert.h>
#include <string.h>

#include "base/cycles.h"

const char *oldest_objection(const struct wb_machine *machine) {
    if (machine->policy != MACHINE_POLICY_OLDEST)
        return "the machine does not say that the oldest block issues first (policy: oldest)";
    if (machine->dispatch_depth != 0) return "not proven for units with queues (dispatch_depth)";
    if (machine->issue_per_warp > 1) return "not proven for several instructions of a warp in a cycle";
    for (uint32_t u = 0; u < machine->unit_count; u++) {
        if (machine->units[u].shared && machine->sub_cores > 1)
            return "no policy says which sub-core comes first at a shared unit";
    }
    return NULL;
}

/* An instruction may wait for one thing of a younger block in a unit: the rest of an initiation. */
static cycles blocking_of(uint32_t init) {
    return init == 0 ? 0 : init - 1;
}

static void count_path(const struct timed_block *timed, const struct path *path, uint32_t *init,
                       uint64_t *executed) {
    struct path_cursor cursor = path_begin(path);
    for (struct path_step step; path_next(&cursor, &step);) {
        const struct timed_inst *inst = &timed->code.insts[step.instruction];
        if (inst->unit == UNIT_NONE) continue;
        init[inst->unit] = u32_max(init[inst->unit], inst->init);
        executed[inst->unit]++;
    }
}

wb_status oldest_times_of(const struct block_profile *profile, bool covering, uint32_t *init,
                          struct arena *arena, struct oldest_times **times) {
    const struct timed_block *timed = profile->block;
    cycles blocking[MACHINE_UNITS_MAX];
    *times = NULL;
    if ((covering && profile->sections > 1) || !serial_can_walk(timed)) return WB_OK;
    struct oldest_times *made = arena_array(arena, 1, sizeof *made);
    if (made == NULL) return WB_ERR_LIMIT;
    for (uint32_t p = 0; p < timed->path_count; p++)
        count_path(timed, &timed->paths[p], init, made->executed);
    memcpy(made->init, init, sizeof made->init);
    for (uint32_t u = 0; u < MACHINE_UNITS_MAX; u++)
        blocking[u] = blocking_of(init[u]);
    WB_TRY(serial_sums_of(profile, blocking, &made->sums));
    *times = made;
    return WB_OK;
}

struct serial_sums oldest_sums(const struct oldest_times *times, const uint32_t *init) {
    struct serial_sums sums = times->sums;
    for (uint32_t u = 0; u < MACHINE_UNITS_MAX; u++) {
        assert(init[u] >= times->init[u]);
        const cycles more = blocking_of(init[u]) - blocking_of(times->init[u]);
        const cycles added = cycles_mul(more, times->executed[u]);
        sums.time = cycles_add(sums.time, added);
        sums.chain = cycles_add(sums.chain, added);
    }
    return sums;
}
