/* The bounds of a block: the longest path that decides is followed exactly, and so is what other warps add.
 */
#include <string.h>

#include "bound/cache/isolated_block.h"
#include "bound/method/beside.h"
#include "cost/costs.h"

/* ---- ELB ----------------------------------------------------------------------------------------------- */

static wb_status add_elb(struct cost_maker *maker, struct tally *tally) {
    const struct timed_block *timed = maker->analysis->timed;
    cycles length;
    if (cost_add_initiations(timed, 1, tally) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    return latency_chain(timed, 1, tally, maker->watch, maker->diagnostics, &length);
}

/* ---- Sums over sections: SIB and FIB ------------------------------------------------------------------- */

/* The demand of one section of one path on a unit. */
struct unit_charge {
    cycles charge; /* as SIB sums initiations */
    uint64_t slots;
};

/* Who adds up sections. */
struct section_sum {
    const struct timed_block *block;
    const struct block_profile *profile;
    struct chain_watch watch;
    struct profile_trace trace;
    bool by_units; /* FIB: of units that the warp does not use only issue slots count */
    struct tally *into;
    cycles *spent; /* on the chains */
    const cycles *least_charges;
    struct unit_charge *charges; /* of the section at hand: [path * unit_count + unit] */
    /* Of the section at hand: */
    const struct phase_walker *walkers;
    const struct section_profile *cells;
};

static struct section_reader read_section(const struct section_sum *sum, uint32_t path) {
    return (struct section_reader){.code = &sum->block->code, .cursor = sum->walkers[path].begin};
}

static struct unit_charge *charges_of(const struct section_sum *sum, uint32_t path) {
    return &sum->charges[(size_t)path * sum->block->machine->unit_count];
}

/* What the section of a path asks of the units. */
static void charge_units(const struct section_sum *sum, uint32_t path) {
    struct unit_charge *charges = charges_of(sum, path);
    struct section_reader reader = read_section(sum, path);
    struct section_run run;
    memset(charges, 0, sum->block->machine->unit_count * sizeof *charges);
    while (section_next_run(&reader, &run)) {
        for (uint32_t i = run.first; i < run.first + run.count; i++) {
            const struct timed_inst *inst = &sum->block->code.insts[i];
            if (inst->unit == UNIT_NONE) continue;
            charges[inst->unit].charge += run.times * cycles_max(sum->least_charges[inst->unit], inst->init);
            charges[inst->unit].slots += run.times;
        }
    }
}

/* The charge of an instruction of another warp to a warp with the section of path `own`. */
static cycles charge_of(const struct section_sum *sum, uint32_t own, const struct timed_inst *inst,
                        bool same_sub_core) {
    if (inst->unit == UNIT_NONE) return 0;
    if (sum->by_units && charges_of(sum, own)[inst->unit].slots == 0) return same_sub_core;
    if (!same_sub_core && !sum->block->machine->units[inst->unit].shared) return 0;
    return cycles_max(sum->least_charges[inst->unit], inst->init);
}

/* The sum of that over the section of path `other`. */
static cycles charge_of_path(const struct section_sum *sum, uint32_t own, uint32_t other,
                             bool same_sub_core) {
    const struct wb_machine *machine = sum->block->machine;
    const struct unit_charge *uses = charges_of(sum, own), *charges = charges_of(sum, other);
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
static cycles term_of(const struct section_sum *sum, size_t own) {
    const struct warp_group *groups = sum->profile->groups.items;
    cycles term = sum->cells[groups[own].path].iso;
    if (term == 0) return 0;
    for (size_t g = 0; g < sum->profile->groups.count; g++)
        term += others_of(sum->profile, g, own) * charge_of_path(sum, groups[own].path, groups[g].path,
                                                                 groups[own].sub_core == groups[g].sub_core);
    return term;
}

/* Adds what the section of a path costs a warp with that of path `own`, `times` times. */
static void add_interference(const struct section_sum *sum, uint32_t own, uint32_t other, bool same_sub_core,
                             uint64_t times) {
    const struct timed_code *code = &sum->block->code;
    struct section_reader reader = read_section(sum, other);
    struct section_run run;
    while (times > 0 && section_next_run(&reader, &run)) {
        for (uint32_t i = run.first; i < run.first + run.count; i++) {
            const cycles charge = charge_of(sum, own, &code->insts[i], same_sub_core);
            tally_add(sum->into, timed_origin(code, i), WB_PART_INTERFERENCE, charge * run.times * times);
        }
    }
}

static wb_status add_section(void *user, const struct phase_walker *walkers,
                             const struct section_profile *cells, uint64_t times) {
    struct section_sum *sum = user;
    const struct warp_group *groups = sum->profile->groups.items;
    size_t longest = 0;
    if (!chain_may_go_on(&sum->watch, 1)) return WB_ERR_LIMIT;
    sum->walkers = walkers;
    sum->cells = cells;
    for (uint32_t p = 0; p < sum->block->path_count; p++)
        charge_units(sum, p);
    for (size_t g = 1; g < sum->profile->groups.count; g++)
        if (term_of(sum, g) > term_of(sum, longest)) longest = g;
    const uint32_t own = groups[longest].path;
    if (cells[own].iso == 0) return WB_OK;
    WB_TRY(chain_spend(&sum->trace.chains, walkers[own].complete.link, times, sum->spent));
    for (size_t g = 0; g < sum->profile->groups.count; g++)
        add_interference(sum, own, groups[g].path, groups[g].sub_core == groups[longest].sub_core,
                         others_of(sum->profile, g, longest) * times);
    return WB_OK;
}

/* Adds SIB, or FIB, to a tally. */
static wb_status add_sections(struct cost_maker *maker, bool by_units, struct tally *into) {
    const struct timed_block *timed = maker->analysis->timed;
    const size_t charges = (size_t)timed->path_count * timed->machine->unit_count;
    struct arena arena = {0};
    struct section_sum sum = {.block = timed,
                              .profile = &maker->analysis->profile,
                              .watch = {.watch = maker->watch},
                              .trace = {.row = add_section, .user = &sum},
                              .by_units = by_units,
                              .into = into,
                              .spent = chain_spent_new(&timed->code, &arena),
                              .least_charges = phase_charges(timed, &arena),
                              .charges = arena_array(&arena, charges + 1, sizeof *sum.charges)};
    wb_status status = WB_ERR_LIMIT;
    if (sum.spent != NULL && sum.least_charges != NULL && sum.charges != NULL)
        status = block_profile_trace(timed, &sum.trace);
    status = chain_end(&sum.trace.chains, &sum.watch, status, maker->diagnostics);
    if (status == WB_OK) chain_spent_add(&timed->code, sum.spent, 1, into, NULL);
    arena_free(&arena);
    return status;
}

/* ---- Bounds of blocks ---------------------------------------------------------------------------------- */

/* The time that a memory behind the SM adds to every bound of the block. */
static cycles memory_time(const struct cost_maker *maker) {
    const struct wb_analysis *analysis = maker->analysis;
    wb_bound added = {.kind = WB_ESTIMATE};
    if (analysis_has_caches(analysis)) isolated_block_add_memory(maker->method, &analysis->memory, &added);
    contended_block_add(maker->method, analysis->machine, &analysis->load, &added);
    return added.cycles;
}

/* Methods whose cycles are followed one by one. */
enum block_sum { SUM_ELB, SUM_SIB, SUM_FIB };

static wb_status add_ptx_sum(struct cost_maker *maker, enum block_sum sum, struct tally *tally) {
    return sum == SUM_ELB ? add_elb(maker, tally) : add_sections(maker, sum == SUM_FIB, tally);
}

/* Of machine code there is one sum, that of the method. */
static wb_status add_code_sum(struct cost_maker *maker, enum block_sum sum, struct tally *tally) {
    (void)sum;
    return code_block_costs(maker, tally, maker->causes);
}

static const struct sum_model {
    wb_status (*add)(struct cost_maker *maker, enum block_sum sum, struct tally *tally);
    size_t tried; /* sums that may give the value of a method */
} sum_models[] = {[ISA_PTX] = {add_ptx_sum, 2}, [ISA_SASS] = {add_code_sum, 1}};

/* How a method is attributed: by the first of two sums that gives its value, else in proportion to the
 * first. */
struct block_rule {
    const char *method;
    enum block_sum sum, or_else;
};

static const struct block_rule rules[] = {
    {"elb", SUM_ELB, SUM_ELB}, {"sib", SUM_SIB, SUM_SIB},  {"fib", SUM_FIB, SUM_SIB},
    {"aln", SUM_FIB, SUM_SIB}, {"fifo", SUM_FIB, SUM_SIB}, {"gub", SUM_SIB, SUM_SIB},
};

static bool of_any_kind(const void *user, size_t row, wb_part_kind what) {
    (void)user, (void)row, (void)what;
    return true;
}

/* Adds `total` cycles by a rule. */
static wb_status add_by_rule(struct cost_maker *maker, const struct block_rule *rule, cycles total) {
    struct tally sums[2];
    const enum block_sum tried[] = {rule->sum, rule->or_else};
    const struct sum_model *model = &sum_models[machine_isa(maker->analysis->machine)];
    for (size_t i = 0; i < sizeof tried / sizeof tried[0] && i < model->tried; i++) {
        if (tally_init(&sums[i], maker->shares.instructions, &maker->costs->arena) != WB_OK)
            return diagnose_out_of_memory(maker->diagnostics, "costs");
        if (i > 0 && tried[1] == tried[0]) break;
        WB_TRY(model->add(maker, tried[i], &sums[i]));
        if (tally_sum(&sums[i]) != total) continue;
        tally_add_all(&maker->shares, &sums[i], 1);
        return WB_OK;
    }
    maker->causes = NULL; /* of another sum */
    if (tally_apportion(&maker->shares, WB_PART_COUNT, total, &sums[0], of_any_kind, NULL, COST_OTHER) ==
        WB_OK)
        return WB_OK;
    return diagnose_out_of_memory(maker->diagnostics, "costs");
}

/* What is added to the bounds of blocks: releases of barriers, memory, and fetch. Methods that
 * search have releases and fetch of their own. */
struct additions {
    cycles release, memory, fetch;
    struct beside_times beside;
};

static struct additions additions_of(const struct cost_maker *maker) {
    const struct wb_analysis *analysis = maker->analysis;
    struct additions added = {.memory = memory_time(maker),
                              .beside = beside_times_of(analysis->machine, &analysis->beside)};
    if (maker->method->searches) return added;
    if (bound_method_lacks_releases(maker->method)) added.release = profile_release_time(&analysis->profile);
    added.fetch = analysis->fetch_time;
    return added;
}

/* What no warp does, and no instruction in particular asks for. */
static void add_beside(struct cost_maker *maker, wb_part_kind what, cycles time) {
    tally_add(&maker->shares, tally_apart(&maker->shares, COST_MEMORY), what, time);
    if (maker->causes != NULL) maker->causes->of[what] = cycles_add(maker->causes->of[what], time);
}

/* What is asked of the second level. */
static void add_requests(struct cost_maker *maker, cycles time) {
    tally_add(&maker->shares, tally_apart(&maker->shares, COST_MEMORY), WB_PART_UNIT, time);
    if (maker->causes == NULL) return;
    cycles *unit = &maker->causes->units[maker->analysis->machine->fills.unit];
    *unit = cycles_add(*unit, time);
}

static wb_status add_additions(struct cost_maker *maker, const struct additions *added) {
    struct tally weights;
    if (tally_init(&weights, maker->shares.instructions, &maker->costs->arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    cost_add_asking(maker->work, &weights);
    tally_add(&maker->shares, tally_apart(&maker->shares, COST_RELEASE), WB_PART_LATENCY, added->release);
    if (maker->causes != NULL)
        maker->causes->of[WB_PART_LATENCY] = cycles_add(maker->causes->of[WB_PART_LATENCY], added->release);
    WB_TRY(cost_divide(maker, WB_PART_MEMORY, added->memory, &weights));
    add_beside(maker, WB_PART_MEMORY, added->beside.atomics);
    add_beside(maker, WB_PART_TRANSLATIONS, added->beside.translations);
    add_beside(maker, WB_PART_DRAM, added->beside.sectors);
    add_requests(maker, added->beside.requests);
    add_beside(maker, WB_PART_NEIGHBOURS, maker->bound->neighbours);
    return cost_divide(maker, WB_PART_FETCH, added->fetch, &weights);
}

/* How the method is attributed, or NULL. */
static const struct block_rule *rule_of(const struct bound_method *method) {
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++)
        if (strcmp(rules[r].method, method->name) == 0) return &rules[r];
    return NULL;
}

wb_status block_costs(struct cost_maker *maker) {
    const struct wb_analysis *analysis = maker->analysis;
    const struct additions added = additions_of(maker);
    const cycles beside = cycles_add(beside_sum(&added.beside), maker->bound->neighbours);
    const cycles all = cycles_add(beside, cycles_add(added.release, cycles_add(added.memory, added.fetch)));
    const struct block_rule *rule = rule_of(maker->method);
    if (rule == NULL && maker->method->attribute == NULL)
        return cost_decline(maker, "nothing says where its cycles go");
    if (all > maker->bound->cycles) return cost_decline(maker, "its parts do not sum up to it");
    if (cost_work_add(analysis->timed, analysis->load.units, 1, maker->work) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    const cycles own = maker->bound->cycles - all;
    WB_TRY(rule == NULL ? maker->method->attribute(maker, own) : add_by_rule(maker, rule, own));
    return add_additions(maker, &added);
}
