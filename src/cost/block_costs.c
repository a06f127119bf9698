/* The bounds of a block: the longest path that decides is followed exactly, and so is what other warps add.
 */
#include <string.h>

#include "cost/block_chain.h"
#include "cost/costs.h"

/* Adds the steps of chains: issues, initiations and latencies. */
static void add_steps(const struct timed_block *timed, const uint64_t *counts, struct tally *tally) {
    const struct timed_code *code = &timed->code;
    for (uint32_t i = 0; i < code->inst_count; i++) {
        const uint64_t *of = &counts[(size_t)i * CHAIN_STEPS];
        const uint32_t origin = timed_origin(code, i), init = code->insts[i].init;
        tally_add(tally, origin, WB_PART_ISSUE, of[CHAIN_ISSUE] + of[CHAIN_START]);
        tally_add(tally, origin, WB_PART_UNIT, of[CHAIN_START] * u32_sub(init, 1));
        tally_add(tally, origin, WB_PART_LATENCY, of[CHAIN_LATENCY] * code->insts[i].latency);
    }
}

/* ---- ELB ----------------------------------------------------------------------------------------------- */

wb_status cost_add_elb(const struct cost_maker *maker, const struct timed_block *timed, uint64_t times,
                       struct tally *weights) {
    struct arena arena = {0};
    const uint32_t count = timed->code.inst_count;
    uint64_t *executions = cost_executions(timed, &arena);
    uint64_t *counts = arena_array(&arena, (size_t)count * CHAIN_STEPS + 1, sizeof *counts);
    wb_status status = WB_OK;
    cycles length;
    if (executions == NULL || counts == NULL)
        status = diagnose_out_of_memory(maker->diagnostics, "costs");
    else
        status = latency_chain(timed, maker->watch, maker->diagnostics, counts, &length);
    for (uint32_t i = 0; status == WB_OK && i < count; i++) {
        if (timed->code.insts[i].unit != UNIT_NONE)
            counts[(size_t)i * CHAIN_STEPS + CHAIN_START] = executions[i];
        for (size_t step = 0; step < CHAIN_STEPS; step++)
            counts[(size_t)i * CHAIN_STEPS + step] =
                cycles_mul(counts[(size_t)i * CHAIN_STEPS + step], times);
    }
    if (status == WB_OK) add_steps(timed, counts, weights);
    arena_free(&arena);
    return status;
}

/* ---- Sums over sections: SIB and FIB ------------------------------------------------------------------- */

/* Who adds up sections. */
struct section_sum {
    struct cost_maker *maker;
    const struct block_profile *profile;
    bool by_units; /* FIB: of units that the warp does not use only issue slots count */
    struct tally *into;
    uint64_t *counts; /* of the chains */
    const cycles *least_charges;
};

/* What an instruction of another warp costs a warp with the section of path `own`. */
static cycles charge_of(const struct section_sum *sum, const struct block_section *section, uint32_t own,
                        const struct timed_inst *inst, bool same_sub_core) {
    const struct wb_machine *machine = section->block->machine;
    if (inst->unit == UNIT_NONE) return 0;
    if (sum->by_units && section->charges[(size_t)own * machine->unit_count + inst->unit].slots == 0)
        return same_sub_core;
    if (!same_sub_core && !machine->units[inst->unit].shared) return 0;
    return cycles_max(sum->least_charges[inst->unit], inst->init);
}

/* The sum of that over the section of path `other`. */
static cycles charge_of_path(const struct section_sum *sum, const struct block_section *section, uint32_t own,
                             uint32_t other, bool same_sub_core) {
    const struct wb_machine *machine = section->block->machine;
    const struct unit_charge *uses = &section->charges[(size_t)own * machine->unit_count];
    const struct unit_charge *charges = &section->charges[(size_t)other * machine->unit_count];
    cycles all = 0;
    for (uint32_t u = 0; u < machine->unit_count; u++) {
        if (sum->by_units && uses[u].slots == 0)
            all += same_sub_core ? charges[u].slots : 0;
        else if (same_sub_core || machine->units[u].shared)
            all += charges[u].charge;
    }
    return all;
}

/* Warps of a group besides one of group `own`. */
static uint64_t others_of(const struct block_profile *profile, size_t group, size_t own) {
    return profile->groups.items[group].warps - (group == own);
}

/* The bound of a warp of a group in the section. */
static cycles term_of(const struct section_sum *sum, const struct block_section *section, size_t own) {
    const struct warp_group *groups = sum->profile->groups.items;
    cycles term = section->isolated[groups[own].path];
    for (size_t g = 0; g < sum->profile->groups.count; g++)
        term +=
            others_of(sum->profile, g, own) * charge_of_path(sum, section, groups[own].path, groups[g].path,
                                                             groups[own].sub_core == groups[g].sub_core);
    return term;
}

/* Adds what the section of a path costs a warp with that of path `own`, `times` times. */
static void add_interference(const struct section_sum *sum, const struct block_section *section, uint32_t own,
                             uint32_t other, bool same_sub_core, uint64_t times) {
    const struct chain_walker *walker = &section->walkers[other];
    const struct timed_code *code = &section->block->code;
    for (size_t r = 0; r < walker->runs.count && times > 0; r++) {
        const struct walked_run *run = &walker->runs.items[r];
        for (uint32_t i = run->first; i < run->first + run->count; i++) {
            const cycles charge = charge_of(sum, section, own, &code->insts[i], same_sub_core);
            tally_add(sum->into, timed_origin(code, i), WB_PART_INTERFERENCE, charge * run->times * times);
        }
    }
}

static wb_status add_section(void *user, const struct block_section *section) {
    struct section_sum *sum = user;
    const struct warp_group *groups = sum->profile->groups.items;
    size_t longest = 0;
    for (size_t g = 1; g < sum->profile->groups.count; g++)
        if (term_of(sum, section, g) > term_of(sum, section, longest)) longest = g;
    const uint32_t own = groups[longest].path;
    struct chain_walker *walker = &section->walkers[own];
    WB_TRY(chain_count(walker->chains, walker->complete.link, section->times, sum->counts));
    for (size_t g = 0; g < sum->profile->groups.count; g++)
        add_interference(sum, section, own, groups[g].path, groups[g].sub_core == groups[longest].sub_core,
                         others_of(sum->profile, g, longest) * section->times);
    return WB_OK;
}

/* Adds SIB, or FIB, to a tally. */
static wb_status add_sections(struct cost_maker *maker, bool by_units, struct tally *into) {
    const struct timed_block *timed = maker->analysis->timed;
    struct arena arena = {0};
    struct section_sum sum = {
        .maker = maker,
        .profile = &maker->analysis->profile,
        .by_units = by_units,
        .into = into,
        .counts = arena_array(&arena, (size_t)timed->code.inst_count * CHAIN_STEPS + 1, sizeof(uint64_t)),
        .least_charges = phase_charges(timed, &arena)};
    const struct section_visitor visitor = {add_section, &sum};
    wb_status status;
    if (sum.counts == NULL || sum.least_charges == NULL)
        status = diagnose_out_of_memory(maker->diagnostics, "costs");
    else
        status = sections_visit(timed, &visitor, maker->watch, maker->diagnostics);
    if (status == WB_OK) add_steps(timed, sum.counts, into);
    arena_free(&arena);
    return status;
}

/* ---- What is added to every bound of a block ----------------------------------------------------------- */

/* The part of the bound that its own sum does not explain: releases of barriers, fetch, and memory. */
static wb_status add_rest(struct cost_maker *maker) {
    const struct wb_analysis *analysis = maker->analysis;
    const cycles release = profile_release_time(&analysis->profile), fetch = analysis->fetch_time;
    const bool memory = analysis->kind != SUBJECT_BLOCK;
    tally_add(&maker->shares, tally_apart(&maker->shares, COST_RELEASE), WB_PART_LATENCY, release);
    tally_add(&maker->shares, tally_apart(&maker->shares, COST_FETCH), WB_PART_FETCH, fetch);
    const cycles sum = tally_sum(&maker->shares), rest = cycles_sub(maker->bound->cycles, sum);
    if (sum > maker->bound->cycles || (rest > 0 && !memory))
        return cost_decline(maker, "its parts do not sum up to it");
    tally_add(&maker->shares, tally_apart(&maker->shares, COST_MEMORY), WB_PART_MEMORY, rest);
    return WB_OK;
}

wb_status block_costs(struct cost_maker *maker) {
    const char *method = maker->bound->method;
    WB_TRY(cost_work_add(maker, maker->analysis->timed, 1));
    if (strcmp(method, "elb") == 0)
        WB_TRY(cost_add_elb(maker, maker->analysis->timed, 1, &maker->shares));
    else if (strcmp(method, "sib") == 0 || strcmp(method, "fib") == 0)
        WB_TRY(add_sections(maker, method[0] == 'f', &maker->shares));
    else
        return cost_decline(maker, "nothing says where its cycles go");
    return add_rest(maker);
}
