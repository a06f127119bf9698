#include "sim/sm/host.h"

#include <string.h>

/* The ready member of the oldest block that has one, the first of them, or WARP_NONE. Of one block alone it
 * is the ready member of lowest index. */
static uint32_t policy_oldest_ready(const struct policy_view *view) {
    if (view->blocks <= 1) return warp_set_first_of_both(view->ready, view->members, view->words, 0);
    for (uint32_t i = 0; i < view->blocks; i++) {
        uint32_t first = view->oldest_first[i] * view->block_warps;
        uint32_t warp = warp_set_first_of_both(view->ready, view->members, view->words, first);
        if (warp != WARP_NONE && warp - first < view->block_warps) return warp;
    }
    return WARP_NONE;
}

/* Loose round-robin: as GPGPU-Sim has it, the search starts behind the warp issued last and skips whoever
 * cannot issue. */

static uint32_t lrr_pick(const struct policy_view *view) {
    return warp_set_next_of_both(view->ready, view->members, view->words, policy_round_start(view));
}

const struct sim_policy policy_lrr = {
    .name = "lrr",
    .summary = "loose round-robin: the next ready warp after the one issued last",
    .work_conserving = true,
    .pick = lrr_pick,
};

/* Greedy-then-oldest: the warp issued last as long as it can go on, else the oldest. The warps of a block
 * start together; the lowest index counts as the oldest of them. */

static uint32_t gto_pick(const struct policy_view *view) {
    if (view->last != WARP_NONE && warp_set_has(view->ready, view->last)) return view->last;
    return policy_oldest_ready(view);
}

const struct sim_policy policy_gto = {
    .name = "gto",
    .summary = "greedy, then oldest: the warp issued last, else the ready warp of lowest index",
    .work_conserving = true,
    .pick = gto_pick,
};

/* Strict round-robin: warps take turns, and the one whose turn it is is waited for unless it has ended or a
 * barrier holds it. Slots stay empty while others could go: the policy is not work-conserving. */

static uint32_t rr_pick(const struct policy_view *view) {
    uint32_t turn =
        warp_set_next_of_both(view->running, view->members, view->words, policy_round_start(view));
    return turn != WARP_NONE && warp_set_has(view->ready, turn) ? turn : WARP_NONE;
}

const struct sim_policy policy_rr = {
    .name = "rr",
    .summary = "strict round-robin: waits for the warp whose turn it is (not work-conserving)",
    .work_conserving = false,
    .pick = rr_pick,
};

/* Oldest first: fixed priorities, older blocks higher, within a block the lowest index highest. */

const struct sim_policy policy_oldest = {
    .name = "oldest",
    .summary = "oldest first: the ready warp of lowest index",
    .work_conserving = true,
    .pick = policy_oldest_ready,
};

/* Compiler-guided greedy, then youngest: what NVIDIA's cores do with the stalls that the compiler has written
 * down. The warp issued last as long as it can go on, else the ready warp of the youngest block, of highest
 * index. */

static uint32_t cggty_pick(const struct policy_view *view) {
    if (view->last != WARP_NONE && warp_set_has(view->ready, view->last)) return view->last;
    for (uint32_t i = view->blocks; i-- > 0;) {
        const uint32_t first = view->oldest_first[i] * view->block_warps;
        const uint32_t warp =
            warp_set_last_of_both(view->ready, view->members, first + view->block_warps - 1);
        if (warp != WARP_NONE && warp >= first) return warp;
    }
    return WARP_NONE;
}

const struct sim_policy policy_cggty = {
    .name = "cggty",
    .summary = "greedy, then youngest, by the stalls of machine code: the warp issued last, else the ready "
               "warp of highest index",
    .work_conserving = true,
    .pick = cggty_pick,
    .misfit[ISA_PTX] =
        "cggty is a policy for machines that time machine code by its control fields (code: sass)",
};

static const struct sim_policy *const policies[] = {&policy_lrr, &policy_gto, &policy_rr, &policy_oldest,
                                                    &policy_cggty};

wb_status policies_choose(const char *list, const struct wb_machine *machine, wb_diagnostics *diagnostics,
                          uint64_t *chosen) {
    WB_TRY(choose_names("policies", list, wb_policy_name, diagnostics, chosen));
    for (size_t i = 0; strcmp(list, "all") == 0 && policy_at(i) != NULL; i++)
        if (policy_misfit(policy_at(i), machine) != NULL) *chosen &= ~(UINT64_C(1) << i);
    return WB_OK;
}

const struct sim_policy *policy_at(size_t index) {
    return index < sizeof policies / sizeof policies[0] ? policies[index] : NULL;
}

const char *wb_policy_name(size_t index) {
    const struct sim_policy *policy = policy_at(index);
    return policy == NULL ? NULL : policy->name;
}

const char *wb_policy_summary(size_t index) {
    const struct sim_policy *policy = policy_at(index);
    return policy == NULL ? NULL : policy->summary;
}
