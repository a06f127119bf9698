/* GUB, the General Upper Bound of ECRTS 2025 (definitions 9 and 10), section by section: what a warp takes
 * alone, plus the execution phases of all others. As published; it is not a bound (docs/proofs.md, section
 * 7).
 */
#include "bound/method/method.h"

/* WUB of one section (definition 9). */
static cycles gub_term(const struct section_profile *warp, const struct row_sums *sums) {
    return warp->iso + (sums->exec - warp->exec);
}

/* Whether in no section of no warp two initiations overlap in isolation: the execution phases then last as
 * long as the charges of SIB, and GUB is no less than SIB. */
static bool gub_is_sib(const struct block_profile *profile) {
    for (size_t i = 0; i < profile->cells.count; i++) {
        if (profile->cells.items[i].exec != profile->cells.items[i].charge) return false;
    }
    return true;
}

static wb_status gub_run(const struct bound_input *input, wb_bound *bound) {
    bound->cycles = profile_sum_of_maxima(input->profile, gub_term);
    bound->kind = WB_ESTIMATE;
    if (gub_is_sib(input->profile)) {
        bound->reason =
            "the published proof does not hold; on this block, where no two initiations of a warp overlap "
            "when it runs alone, it equals sib";
    } else {
        bound->reason = "the published proof does not hold: initiations of a warp that overlap when it runs "
                        "alone can be pulled apart by other warps; schedules that exceed it are known";
    }
    bound_assume_model(input, bound);
    assume(bound, WB_ASSUME_UNITS_IN_ISSUE_ORDER);
    return WB_OK;
}

const struct bound_method bound_gub = {
    .name = "gub",
    .summary = "General Upper Bound (ECRTS 2025): one warp alone plus the execution phases of the others",
    .run = gub_run,
    .needs = FOR_BLOCKS | NEED_REAL_PATHS,
    .term = gub_term,
};
