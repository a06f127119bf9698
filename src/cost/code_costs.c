#include "cost/costs.h"

#include <stdlib.h>
#include <string.h>

/* Where cycles of machine code go that its machine times: what instructions hold and miss, and the bounds of
 * a block of them (docs/machine-code-bounds.md). */
/* ---- What an instruction holds ------------------------------------------------------------------------- */

/* Cycles that it keeps others waiting, or that ELB counts, by cause. */
struct code_holds {
    cycles issue, banks, constants;
    cycles stages[SASS_STAGES_MAX];
};

/* Takes `most` from `*left`, or as much as there is. */
static cycles take(cycles *left, cycles most) {
    const cycles taken = cycles_min(*left, most);
    *left -= taken;
    return taken;
}

/* Divides `all` cycles that an instruction is counted with: one is its issue, its later stages are held
 * whole, its first one, which its slot may be a part of, for what is left. */
static struct code_holds divide_holds(const struct timed_code *code, uint32_t entry, cycles all) {
    const struct sass_timed *inst = &code->sass[entry];
    struct code_holds holds = {.issue = take(&all, 1)};
    const cycles probe = inst->operand > 0 ? code->footprint.constants.hold : 0;
    for (uint32_t s = inst->stage_count; s-- > 1;)
        holds.stages[s] = take(&all, inst->stages[s].init);
    holds.banks = take(&all, code_bubbles(code, entry));
    holds.constants = take(&all, probe);
    if (inst->stage_count > 0)
        holds.stages[0] = all;
    else
        holds.issue += all;
    return holds;
}

/* Units of other sub-cores that an instruction blocks. */
static struct code_holds far_holds(const struct pipeline_rules *rules, const struct sass_timed *inst) {
    struct code_holds holds = {0};
    for (uint32_t s = 0; s < inst->stage_count; s++)
        if (rules->shared >> inst->stages[s].unit & 1) holds.stages[s] = inst->stages[s].init;
    return holds;
}

static cycles sum_holds(const struct code_holds *holds) {
    return holds->issue + holds->banks + holds->constants + holds->stages[0] + holds->stages[1] +
           holds->stages[2];
}

static void add_cause(struct code_causes *causes, wb_part_kind what, cycles amount) {
    causes->of[what] = cycles_add(causes->of[what], amount);
}

static void add_causes(struct code_causes *causes, const struct sass_timed *inst,
                       const struct code_holds *holds, uint64_t times) {
    add_cause(causes, WB_PART_ISSUE, cycles_mul(holds->issue, times));
    add_cause(causes, WB_PART_BANKS, cycles_mul(holds->banks, times));
    add_cause(causes, WB_PART_CONSTANTS, cycles_mul(holds->constants, times));
    for (uint32_t s = 0; s < inst->stage_count; s++) {
        cycles *unit = &causes->units[inst->stages[s].unit];
        *unit = cycles_add(*unit, cycles_mul(holds->stages[s], times));
    }
}

wb_status code_add_work(const struct timed_block *timed, uint64_t times, struct tally *tally, cycles *units,
                        struct code_causes *causes) {
    struct arena arena = {0};
    const struct timed_code *code = &timed->code;
    const uint64_t *counts = cost_executions(timed, &arena);
    for (uint32_t i = 0; counts != NULL && i < code->inst_count; i++) {
        if (counts[i] == 0) continue;
        const struct sass_timed *inst = &code->sass[i];
        const struct code_holds holds = divide_holds(code, i, code_work(inst));
        const uint64_t executions = cycles_mul(counts[i], times);
        const uint32_t origin = timed_origin(code, i);
        tally_add(tally, origin, WB_PART_ISSUE, cycles_mul(holds.issue, executions));
        tally_add(tally, origin, WB_PART_BANKS, cycles_mul(holds.banks, executions));
        tally_add(tally, origin, WB_PART_CONSTANTS, cycles_mul(holds.constants, executions));
        for (uint32_t s = 0; s < inst->stage_count; s++) {
            const cycles held = cycles_mul(holds.stages[s], executions);
            tally_add(tally, origin, WB_PART_UNIT, held);
            if (units == NULL) continue;
            cycles *unit = &units[(size_t)origin * timed->machine->unit_count + inst->stages[s].unit];
            *unit = cycles_add(*unit, held);
        }
        if (causes != NULL) add_causes(causes, inst, &holds, executions);
    }
    arena_free(&arena);
    return counts == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* ---- Misses -------------------------------------------------------------------------------------------- */

/* Cycles of a line's misses are divided among its instructions in units that are small enough. */
#define MISS_WEIGHT UINT64_C(2520)

/* An instruction of a cached line. */
struct line_user {
    uint32_t line, instruction;
};

static int compare_users(const void *a, const void *b) {
    const struct line_user *x = a, *y = b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

/* Adds what each line takes, divided among those that use it. */
static void divide_lines(struct line_user *users, size_t count, cycles each, wb_part_kind what,
                         struct tally *weights) {
    if (count > 0) qsort(users, count, sizeof *users, compare_users);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && users[end].line == users[first].line;)
            end++;
        const uint64_t share = cycles_mul(each, MISS_WEIGHT) / (end - first);
        for (size_t i = first; i < end; i++)
            tally_add(weights, users[i].instruction, what, share);
    }
}

/* Adds the misses of one cache: of the instructions, or, for lines of 0 bytes, of their constants. */
static void add_cache(const struct timed_code *code, const uint64_t *counts, uint32_t line_bytes, cycles each,
                      wb_part_kind what, struct line_user *users, struct tally *weights) {
    size_t count = 0;
    for (uint32_t i = 0; i < code->inst_count && each > 0; i++) {
        const struct sass_timed *inst = &code->sass[i];
        const bool constants = line_bytes == 0;
        if (counts[i] == 0 || (constants && inst->constant_line == SASS_NO_LINE)) continue;
        const uint32_t line =
            constants ? inst->constant_line : (uint32_t)(timed_address(code, i, 1) / line_bytes);
        users[count++] = (struct line_user){line, timed_origin(code, i)};
    }
    divide_lines(users, count, each, what, weights);
}

wb_status code_add_misses(const struct timed_block *timed, struct tally *weights) {
    struct arena arena = {0};
    const struct timed_code *code = &timed->code;
    const struct machine_sass *sass = &timed->machine->sass;
    const struct sass_footprint *caches = &code->footprint;
    const uint64_t *counts = cost_executions(timed, &arena);
    struct line_user *users = arena_array(&arena, (size_t)code->inst_count + 1, sizeof *users);
    if (counts != NULL && users != NULL) {
        const struct sass_cached *l0 = &caches->instructions, *constants = &caches->constants;
        const cycles shared = caches->l1_instructions.fits ? caches->l1_instructions.miss : 0;
        const cycles fetching = l0->fits ? timed->machine->sub_cores : 0;
        const cycles reading = constants->fits ? timed->machine->sub_cores : 0;
        const cycles probed = (cycles)sass->constants.miss + constants->hold;
        add_cache(code, counts, sass->l0.line_bytes, fetching * sass->l0.miss, WB_PART_FETCH, users, weights);
        add_cache(code, counts, sass->l0.line_bytes, fetching * (l0->miss - sass->l0.miss), WB_PART_CODE,
                  users, weights);
        add_cache(code, counts, sass->l1_instructions.line_bytes, shared, WB_PART_CODE, users, weights);
        add_cache(code, counts, 0, reading * probed, WB_PART_CONSTANTS, users, weights);
        add_cache(code, counts, 0, reading * (constants->miss - sass->constants.miss) + shared, WB_PART_CODE,
                  users, weights);
    }
    const bool failed = counts == NULL || users == NULL;
    arena_free(&arena);
    return failed ? WB_ERR_LIMIT : WB_OK;
}

static bool of_any_kind(const void *user, size_t row, wb_part_kind what) {
    (void)user, (void)row, (void)what;
    return true;
}

/* Adds what all lines miss once, where that is counted beside the paths, to those that use them. */
static wb_status add_misses(struct cost_maker *maker, struct tally *tally, struct code_causes *causes) {
    const struct timed_block *timed = maker->analysis->timed;
    const cycles all = maker->analysis->code.misses;
    struct tally weights, missed;
    if (tally_init(&weights, tally->instructions, &maker->costs->arena) != WB_OK ||
        tally_init(&missed, tally->instructions, &maker->costs->arena) != WB_OK ||
        code_add_misses(timed, &weights) != WB_OK ||
        tally_apportion(&missed, WB_PART_COUNT, all, &weights, of_any_kind, NULL, COST_FETCH) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    for (size_t row = 0; row < tally_rows(&missed); row++)
        for (wb_part_kind what = 0; what < WB_PART_COUNT; what++)
            add_cause(causes, what, *tally_at(&missed, row, what));
    tally_add_all(tally, &missed, 1);
    return WB_OK;
}

/* ---- Sums over sections: SIB and FIB ------------------------------------------------------------------- */

struct section_sum {
    const struct code_profile *profile;
    struct chain_watch watch;
    struct code_trace trace;
    bool by_latches;
    struct tally *tally;
    struct code_causes *causes;
    cycles *spent; /* on the chains of the warps that decide */
};

static struct section_reader read_section(const struct section_sum *sum, const struct own_walker *walker) {
    return (struct section_reader){.code = &sum->profile->rules.block->code, .cursor = walker->begin};
}

/* Cycles that an instruction of another warp of the sub-core costs one that does not use some latches. */
static cycles near_charge(const struct pipeline_rules *rules, uint32_t unused,
                          const struct sass_timed *inst) {
    const bool is_unused = inst->fixed && inst->stage_count == 1 && (unused >> inst->stages[0].unit & 1) != 0;
    return is_unused ? inst->slot : code_charge_near(rules, inst);
}

/* The charge of an instruction of another warp to the warp that decides. */
static struct code_holds charge_of(const struct section_sum *sum, uint32_t unused, bool same_sub_core,
                                   uint32_t entry) {
    const struct pipeline_rules *rules = &sum->profile->rules;
    const struct timed_code *code = &rules->block->code;
    const struct sass_timed *inst = &code->sass[entry];
    if (!same_sub_core) return far_holds(rules, inst);
    return divide_holds(code, entry, near_charge(rules, unused, inst));
}

/* Adds what misses of constants that are made once lengthen the holds of another path's section by. */
static void add_missed(const struct section_sum *sum, const struct own_walker *other, uint32_t unused,
                       uint64_t times) {
    const struct pipeline_rules *rules = &sum->profile->rules;
    for (size_t m = 0; m < other->miss_count; m++) {
        const struct walked_miss *miss = &other->misses[m];
        const cycles more = near_charge(rules, unused, &miss->timed) -
                            near_charge(rules, unused, &rules->block->code.sass[miss->entry]);
        tally_add(sum->tally, timed_origin(&rules->block->code, miss->entry), WB_PART_INTERFERENCE,
                  cycles_mul(more, times));
        add_cause(sum->causes, WB_PART_CONSTANTS, cycles_mul(more, times));
    }
}

/* Adds what the section of another path costs, `times` times. */
static void add_others(const struct section_sum *sum, const struct own_walker *other, uint32_t unused,
                       bool same_sub_core, uint64_t times) {
    const struct timed_code *code = &sum->profile->rules.block->code;
    struct section_reader reader = read_section(sum, other);
    struct section_run run;
    while (times > 0 && section_next_run(&reader, &run)) {
        for (uint32_t i = run.first; i < run.first + run.count; i++) {
            const struct code_holds holds = charge_of(sum, unused, same_sub_core, i);
            const uint64_t executions = cycles_mul(run.times, times);
            tally_add(sum->tally, timed_origin(code, i), WB_PART_INTERFERENCE,
                      cycles_mul(sum_holds(&holds), executions));
            add_causes(sum->causes, &code->sass[i], &holds, executions);
        }
    }
    if (same_sub_core) add_missed(sum, other, unused, times);
}

/* Adds own holds of units in which own instructions may overtake each other. */
static void add_clashes(const struct section_sum *sum, const struct own_walker *own, uint64_t times) {
    const struct pipeline_rules *rules = &sum->profile->rules;
    const struct timed_code *code = &rules->block->code;
    struct section_reader reader = read_section(sum, own);
    struct section_run run;
    while (rules->clash != 0 && section_next_run(&reader, &run)) {
        for (uint32_t i = run.first; i < run.first + run.count; i++) {
            const struct sass_timed *inst = &code->sass[i];
            struct code_holds holds = {0};
            for (uint32_t s = 0; s < inst->stage_count; s++)
                if (rules->clash >> inst->stages[s].unit & 1) holds.stages[s] = inst->stages[s].init;
            const uint64_t executions = cycles_mul(run.times, times);
            tally_add(sum->tally, timed_origin(code, i), WB_PART_UNIT,
                      cycles_mul(sum_holds(&holds), executions));
            add_causes(sum->causes, inst, &holds, executions);
        }
    }
}

/* Adds what a row costs the warp that takes longest. */
static wb_status add_row(void *user, const struct own_walker *walkers, const struct own_section *sections,
                         uint64_t times) {
    struct section_sum *sum = user;
    const struct warp_group *groups = sum->profile->groups.items;
    size_t decider;
    if (!chain_may_go_on(&sum->watch, 1)) return WB_ERR_LIMIT;
    (void)code_row_longest(sum->profile, sections, sum->by_latches, &decider);
    const uint32_t path = groups[decider].path;
    const struct own_section *section = &sections[path];
    const uint32_t unused = sum->by_latches ? code_unused_latches(&sum->profile->rules, section) : 0;
    WB_TRY(chain_spend(&sum->trace.chains, walkers[path].alone.complete->link, times, sum->spent));
    for (size_t g = 0; g < sum->profile->groups.count; g++)
        add_others(sum, &walkers[groups[g].path], unused, groups[g].sub_core == groups[decider].sub_core,
                   cycles_mul(groups[g].warps - (g == decider), times));
    add_clashes(sum, &walkers[path], times);
    const cycles left = cycles_mul(section->left, times);
    tally_add(sum->tally, tally_apart(sum->tally, COST_RELEASE), WB_PART_BUSY, left);
    add_cause(sum->causes, WB_PART_BUSY, left);
    return WB_OK;
}

/* ---- Bounds of blocks ---------------------------------------------------------------------------------- */

/* The sum of latencies, and of what misses on the way add to what is held. */
static wb_status add_latency_row(void *user, const struct own_walker *walkers,
                                 const struct own_section *sections, uint64_t times) {
    struct section_sum *sum = user;
    const struct own_graph *latest = code_latest(walkers, sum->profile->path_count);
    const struct timed_code *code = &sum->profile->rules.block->code;
    (void)sections;
    if (!chain_may_go_on(&sum->watch, 1)) return WB_ERR_LIMIT;
    for (size_t g = 0; g < sum->profile->groups.count; g++) {
        const struct warp_group *group = &sum->profile->groups.items[g];
        const struct own_walker *walker = &walkers[group->path];
        for (size_t m = 0; m < walker->miss_count; m++) {
            const struct walked_miss *miss = &walker->misses[m];
            const cycles more = code_work(&miss->timed) - code_work(&code->sass[miss->entry]);
            const cycles all = cycles_mul(more, cycles_mul(group->warps, times));
            tally_add(sum->tally, timed_origin(code, miss->entry), WB_PART_CONSTANTS, all);
            add_cause(sum->causes, WB_PART_CONSTANTS, all);
        }
    }
    return chain_spend(latest->chains, latest->complete->link, times, sum->spent);
}

wb_status code_block_costs(struct cost_maker *maker, struct tally *tally, struct code_causes *causes) {
    const struct timed_block *timed = maker->analysis->timed;
    const bool latencies = strcmp(maker->method->name, "elb") == 0;
    struct arena arena = {0};
    struct section_sum sum = {
        .profile = &maker->analysis->code,
        .watch = {.watch = maker->watch},
        .trace = {.latencies = latencies, .row = latencies ? add_latency_row : add_row, .user = &sum},
        .by_latches = strcmp(maker->method->name, "fib") == 0,
        .tally = tally,
        .causes = causes,
        .spent = chain_spent_new(&timed->code, &arena)};
    wb_status status = sum.spent == NULL ? WB_ERR_LIMIT : WB_OK;
    if (status == WB_OK && latencies) status = code_add_work(timed, 1, tally, NULL, causes);
    if (status == WB_OK) status = code_profile_trace(timed, MISSES_ON_PATHS, &sum.trace);
    status = chain_end(&sum.trace.chains, &sum.watch, status, maker->diagnostics);
    if (status == WB_OK) chain_spent_add(&timed->code, sum.spent, 1, tally, causes);
    arena_free(&arena);
    return status == WB_OK ? add_misses(maker, tally, causes) : status;
}
