/* ALN, the alignment bound: the longest path through a warp's own section, jointly with the best alignment of
 * the other warps' instructions along it. docs/proofs.md, theorem 1. */
#include "bound/block/pairwise.h"

/* Work of a cell of a table (in units of search_budget), what "all" spends on them, and what
 * is spent on them by name: some seconds. */
#define ALIGNED_CELL_WORK 3u
#define ALIGNED_WORK 1000000000u
#define ALIGNED_NAMED_WORK (ALIGNED_CELL_WORK * ((uint64_t)4 << 30))

/* length(P) + m * charges, as `others` warps contribute to the sum; where the tables are too large, the
 * larger iso + m * (what FIB charges). */
static wb_status aln_value(struct pairwise *pairwise, const struct align_rules *rules, uint32_t own,
                           uint32_t other, cycles *value) {
    const struct section_code own_code = sections_code(&pairwise->sections, own);
    const struct section_code other_code = sections_code(&pairwise->sections, other);
    const uint64_t cost = align_cost(own_code, other_code);
    if (search_spend(pairwise->input->budget, ALIGNED_CELL_WORK * cost)) {
        const wb_status status =
            align_longest(rules, own_code, other_code, pairwise->others, &pairwise->limits, value);
        if (status == WB_OK || !pairwise->limits.full) return status;
    }
    pairwise->cut_short = true;
    cycles charges = cycles_mul(pairwise->others, pairwise_fib(pairwise, rules, own, other));
    *value = cycles_add(pairwise->isolated.items[own], charges);
    return WB_OK;
}

static cycles aln_total(const struct pairwise *pairwise, uint32_t own, cycles sum) {
    return pairwise->others == 0 ? pairwise->isolated.items[own] : sum / pairwise->others;
}

static wb_status aln_run(const struct bound_input *input, wb_bound *bound) {
    return pairwise_run(input, aln_value, aln_total, bound);
}

const struct bound_method bound_aln = {
    .name = "aln",
    .summary =
        "longest path of a warp, aligned with the instructions of the others; the tightest of sib, fib, aln",
    .run = aln_run,
    .needs = FOR_BLOCKS,
    .unasked_work = ALIGNED_WORK,
    .named_work = ALIGNED_NAMED_WORK,
    .sharpens = true,
};
