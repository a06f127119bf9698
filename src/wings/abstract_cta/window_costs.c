/* Abstract CTA simulation: its windows, whose cycles are sums, each divided among the instructions that it
 * counts. */
#include "wings/abstract_cta/windows.h"

#include "cost/costs.h"

/* Weights: issue slots; and the latencies of instructions that wait for memory. */
static wb_status make_weights(struct cost_maker *maker, struct tally *weights) {
    const struct timed_block *timed = maker->analysis->timed;
    struct arena *arena = &maker->costs->arena;
    const uint64_t *executions = cost_executions(timed, arena);
    if (executions == NULL || tally_init(weights, maker->shares.instructions, arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    for (uint32_t i = 0; i < timed->code.inst_count; i++) {
        const struct timed_inst *inst = &timed->code.insts[i];
        const uint32_t origin = timed_origin(&timed->code, i);
        if (inst->unit == UNIT_NONE) continue;
        tally_add(weights, origin, WB_PART_ISSUE, executions[i]);
        if (inst->memory_latency > 0)
            tally_add(weights, origin, WB_PART_LATENCY, cycles_mul(executions[i], inst->latency));
    }
    return WB_OK;
}

wb_status window_costs(struct cost_maker *maker, cycles total) {
    cycles instructions = 0, barriers = 0, stalls = 0, shifts = 0;
    struct tally *shares = &maker->shares, weights;
    for (size_t w = 0; w < maker->bound->window_count; w++) {
        const wb_window *window = &maker->bound->windows[w];
        instructions = cycles_add(instructions, cycles_mul(window->count, window->instructions));
        barriers = cycles_add(barriers, cycles_mul(window->count, window->barrier));
        stalls = cycles_add(stalls, cycles_mul(window->count, window->stalls));
        shifts = cycles_add(shifts, cycles_mul(window->count, window->shifts));
    }
    if (cycles_add(cycles_add(instructions, barriers), cycles_add(stalls, shifts)) != total)
        return cost_decline(maker, "some of its windows were left out");
    WB_TRY(make_weights(maker, &weights));
    tally_add(shares, tally_apart(shares, COST_RELEASE), WB_PART_LATENCY, barriers);
    tally_add(shares, tally_apart(shares, COST_DIVERGENCE), WB_PART_WAIT, shifts);
    WB_TRY(cost_divide(maker, WB_PART_ISSUE, instructions, &weights));
    return cost_divide(maker, WB_PART_LATENCY, stalls, &weights);
}
