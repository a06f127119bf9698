#include "bound/profile/phases.h"

#include "bound/profile/phase_fold.h"

/* Walks to behind the next barrier, or to the end of the path. */
static wb_status walk_to_barrier(struct phase_walker *walker, struct section_profile *profile) {
    bool at_barrier = false;
    while (!walker->ended && !at_barrier) {
        if (walker->cursor.left == 0) {
            if (walker->sink == NULL) WB_TRY(phase_walker_fold(walker, profile));
            walker->ended = !path_next_run(&walker->cursor);
        }
        WB_TRY(phase_walker_run(walker, &walker->cursor, profile, &at_barrier));
    }
    return WB_OK;
}

wb_status phase_walker_section(struct phase_walker *walker, struct section_profile *profile) {
    *profile = (struct section_profile){0};
    /* Every time of older sections lies before `base`, so that registers and units are free again. */
    walker->base = walker->complete;
    walker->now = walker->exec_start = walker->exec_end = walker->base;
    WB_TRY(walk_to_barrier(walker, profile));
    WB_TRY(phase_walker_close(walker, walker->complete));
    profile->iso = walker->complete - walker->base;
    walker->section++;
    return WB_OK;
}

wb_status phases_of_path(const struct timed_block *block, uint32_t path, const struct phase_sink *sink,
                         wb_diagnostics *diagnostics) {
    struct arena arena = {0};
    struct phase_walker walker;
    const cycles *charges = phase_charges(block, &arena);
    wb_status status = WB_ERR_LIMIT;
    if (charges != NULL) status = phase_walker_init(&walker, block, path, charges, &arena);
    if (status != WB_OK) (void)diagnose_out_of_memory(diagnostics, block->machine->name);
    walker.sink = sink;
    while (status == WB_OK && !walker.ended) {
        struct section_profile profile;
        status = phase_walker_section(&walker, &profile);
    }
    arena_free(&arena);
    return status;
}
