#include "bound/block/block_sums.h"

#include <assert.h>
#include <string.h>

#include "bound/block/align.h"

/* Sums of one section are added without checks: timed_block_check bounds all times of a block. Sums over
 * sections and pairs saturate. */

/* ---- SIB --------------------------------------------------------------------------------------------- */

/* The sum-of-initiations bound: the isolated time of a warp, plus all initiations of all others, section by
 * section. docs/proofs.md, theorem 1. */
/* iso_s(w) + sum over u != w of E_s(u|w), if there is anything in the section that w has to wait for */
cycles sib_term(const struct section_profile *warp, const struct row_sums *sums) {
    assert(sums->shared + sums->local >= warp->charge);
    if (warp->iso == 0) return 0;
    return warp->iso + (sums->shared + sums->local - warp->charge);
}

bool queues_are_long(const struct wb_machine *machine) {
    return machine->dispatch_depth > 1 && machine->dispatch_depth != DEPTH_UNLIMITED;
}

typedef wb_status (*block_sum)(const struct bound_input *input, wb_bound *bound);

/* Runs a method on the block as it is on a machine on whose units one instruction can wait. */
static wb_status with_short_queues(const struct bound_input *input, block_sum sum, wb_bound *bound) {
    struct wb_machine machine = *input->block->machine;
    struct timed_block block = *input->block;
    struct block_profile profile;
    struct bound_input shorter = *input;
    machine.dispatch_depth = 1;
    block.machine = &machine;
    WB_TRY(block_profile_make(&block, input->watch, input->diagnostics, &profile));
    shorter.block = &block;
    shorter.profile = &profile;
    const wb_status status = sum(&shorter, bound);
    block_profile_free(&profile);
    return status;
}

static wb_status at_any_depth(const struct bound_input *input, block_sum sum, wb_bound *bound) {
    const bool shorter = queues_are_long(input->block->machine);
    return shorter ? with_short_queues(input, sum, bound) : sum(input, bound);
}

static wb_status sib_sum(const struct bound_input *input, wb_bound *bound) {
    bound->cycles = profile_sum_of_maxima(input->profile, sib_term);
    bound->kind = WB_UPPER;
    bound_assume_model(input, bound);
    assume(bound, WB_ASSUME_UNITS_IN_ISSUE_ORDER);
    if (input->block->machine->dispatch_depth == 1) assume(bound, WB_ASSUME_LARGEST_INITIATIONS);
    return WB_OK;
}

static wb_status sib_run(const struct bound_input *input, wb_bound *bound) {
    return at_any_depth(input, sib_sum, bound);
}

const struct bound_method bound_sib = {
    .name = "sib",
    .summary = "sum of initiations: one isolated warp plus every initiation of the others, by section",
    .run = sib_run,
    .needs = FOR_BLOCKS,
    .term = sib_term,
};

/* ---- ELB --------------------------------------------------------------------------------------------- */

/* All initiations of all warps, plus the longest path through the block that counts latencies only.
 * Proven for every dispatch depth, issue width, number of sub-cores and of unit instances, and every order in
 * which units start what waits for them (docs/proofs.md, theorem 2). */
static wb_status elb_run(const struct bound_input *input, wb_bound *bound) {
    bound->cycles = cycles_add(input->profile->initiations, input->profile->latency);
    bound->kind = WB_UPPER;
    bound_assume_model(input, bound);
    assume(bound, WB_ASSUME_UNITS_NOT_IDLE);
    return WB_OK;
}

const struct bound_method bound_elb = {
    .name = "elb",
    .summary = "all initiations plus the longest chain of latencies; proven for every queue and width",
    .run = elb_run,
    .needs = FOR_BLOCKS,
    .any_order = true,
    .counts_releases = true,
};

/* ---- GUB --------------------------------------------------------------------------------------------- */

/* The General Upper Bound of ECRTS 2025 (definitions 9 and 10), section by section: the isolated time of a
 * warp, plus the execution phases of all others. As published; it is not a bound (docs/proofs.md, section 7).
 * This is WUB of one section (definition 9). */
static cycles gub_term(const struct section_profile *warp, const struct row_sums *sums) {
    assert(sums->exec >= warp->exec);
    return warp->iso + (sums->exec - warp->exec);
}

/* Whether in no section of no warp two initiations overlap in isolation, so that the execution phases last as
 * long as the charges of SIB, and no warp without instructions in a section makes GUB larger. */
static bool gub_is_sib(const struct block_profile *profile, cycles gub) {
    if (queues_are_long(profile->block->machine)) return false; /* SIB has other charges */
    for (size_t i = 0; i < profile->cells.count; i++) {
        if (profile->cells.items[i].exec != profile->cells.items[i].charge) return false;
    }
    return gub == profile_sum_of_maxima(profile, sib_term);
}

static wb_status gub_run(const struct bound_input *input, wb_bound *bound) {
    bound->cycles = profile_sum_of_maxima(input->profile, gub_term);
    bound->kind = WB_ESTIMATE;
    if (gub_is_sib(input->profile, bound->cycles)) {
        bound->reason = "the published proof does not hold; on this block, where no two initiations of an "
                        "isolated warp overlap, it equals sib";
    } else {
        bound->reason = "the published proof does not hold: initiations that overlap in an isolated warp can "
                        "be pulled apart by other warps; schedules that exceed it are known";
    }
    bound_assume_model(input, bound);
    assume(bound, WB_ASSUME_UNITS_IN_ISSUE_ORDER);
    return WB_OK;
}

const struct bound_method bound_gub = {
    .name = "gub",
    .summary = "General Upper Bound (ECRTS 2025): one isolated warp plus the execution phases of the others",
    .run = gub_run,
    .named_only = true,
    .needs = FOR_BLOCKS | NEED_REAL_PATHS,
    .term = gub_term,
};

/* ---- Pairs of sections: what FIB and ALN have in common ---------------------------------------------- */

struct pairwise;

/* How the instructions of a section delay a warp with section `own`, by one method. */
typedef wb_status (*pair_value)(struct pairwise *pairwise, const struct align_rules *rules, uint32_t own,
                                uint32_t other, cycles *value);

/* Turns the sum of the pair values of one warp, over all other warps, into its bound for the section. */
typedef cycles (*pair_total)(const struct pairwise *pairwise, uint32_t own, cycles sum);

struct pairwise {
    struct arena arena;
    const struct bound_input *input;
    pair_value value;
    pair_total total;
    struct block_sections sections;
    const cycles *charges;   /* phase_charges */
    VEC(cycles) isolated;    /* per distinct section its isolated time */
    struct intern pairs;     /* pairs seen: their keys as bytes */
    VEC(cycles) pair_values; /* by number of the pair */
    bool *used;              /* per unit: scratch of pairwise_fib */
    struct align_limits limits;
    bool cut_short;  /* not all pairs were aligned */
    uint64_t others; /* warps of the block but one: m of ALN */
};

/* The key of a pair value. No padding: it is hashed as bytes. */
struct pair_key {
    uint32_t own, other, same_sub_core;
};

static wb_status pairwise_prepare(struct pairwise *pairwise) {
    const struct timed_block *block = pairwise->input->block;
    pairwise->charges = phase_charges(block, &pairwise->arena);
    pairwise->used = arena_array(&pairwise->arena, (size_t)block->machine->unit_count + 1, sizeof(bool));
    if (pairwise->charges == NULL || pairwise->used == NULL) return WB_ERR_LIMIT;
    WB_TRY(block_sections_make(block, &pairwise->sections));
    if (pairwise->sections.too_large) return WB_OK;
    const struct align_rules rules = {.block = block, .charges = pairwise->charges, .same_sub_core = true};
    const struct section_code nothing = {NULL, 0};
    for (uint32_t code = 0; code < pairwise->sections.codes.entries.count; code++) {
        cycles alone;
        WB_TRY(align_longest(&rules, sections_code(&pairwise->sections, code), nothing, 0, &pairwise->limits,
                             &alone));
        WB_TRY(vec_push(&pairwise->isolated, alone));
    }
    return WB_OK;
}

/* The value of a pair, computed once. */
static wb_status pair_lookup(struct pairwise *pairwise, const struct pair_key *key, cycles *value) {
    uint32_t number = intern_find(&pairwise->pairs, key, sizeof *key);
    if (number != INTERN_NONE) {
        *value = pairwise->pair_values.items[number];
        return WB_OK;
    }
    const struct align_rules rules = {.block = pairwise->input->block,
                                      .charges = pairwise->charges,
                                      .same_sub_core = key->same_sub_core != 0};
    WB_TRY(pairwise->value(pairwise, &rules, key->own, key->other, value));
    bool is_new;
    WB_TRY(intern_copy(&pairwise->pairs, key, sizeof *key, &number, &is_new));
    return vec_push(&pairwise->pair_values, *value);
}

/* The bound of one warp of group `group` in one row of sections. */
static wb_status group_bound(struct pairwise *pairwise, const uint32_t *row, size_t group, cycles *bound) {
    const struct block_profile *profile = pairwise->input->profile;
    const struct warp_group *own = &profile->groups.items[group];
    cycles sum = 0;
    *bound = 0;
    if (pairwise->isolated.items[row[own->path]] == 0) return WB_OK; /* it has nothing to wait for */
    for (size_t g = 0; g < profile->groups.count; g++) {
        const struct warp_group *other = &profile->groups.items[g];
        const uint64_t warps = other->warps - (g == group);
        if (warps == 0) continue;
        const struct pair_key key = {row[own->path], row[other->path], own->sub_core == other->sub_core};
        cycles value;
        WB_TRY(pair_lookup(pairwise, &key, &value));
        sum = cycles_add(sum, cycles_mul(value, warps));
    }
    *bound = sum == CYCLES_SATURATED ? sum : pairwise->total(pairwise, row[own->path], sum);
    return WB_OK;
}

/* Asks the watch between rows. */
static bool may_go_on(struct align_limits *limits, size_t row, size_t rows) {
    if (limits->watch == NULL || limits->watch->poll == NULL) return true;
    limits->stopped = !limits->watch->poll(limits->watch->user, "aligning sections", row, rows);
    return !limits->stopped;
}

static wb_status pairwise_sum(struct pairwise *pairwise, cycles *sum) {
    const size_t rows = pairwise->sections.row_counts.count;
    *sum = 0;
    for (size_t r = 0; r < rows; r++) {
        cycles most = 0;
        if (!may_go_on(&pairwise->limits, r, rows)) return WB_ERR_LIMIT;
        for (size_t g = 0; g < pairwise->input->profile->groups.count; g++) {
            cycles bound;
            WB_TRY(group_bound(pairwise, sections_row(&pairwise->sections, r), g, &bound));
            most = cycles_max(most, bound);
        }
        *sum = cycles_add(*sum, cycles_mul(most, pairwise->sections.row_counts.items[r]));
    }
    return WB_OK;
}

/* The charge of FIB to a warp with section `own` for one warp with section `other`. */
static cycles pairwise_fib(struct pairwise *pairwise, const struct align_rules *rules, uint32_t own,
                           uint32_t other) {
    const struct timed_block *block = pairwise->input->block;
    const struct section_code code = sections_code(&pairwise->sections, own);
    memset(pairwise->used, 0, block->machine->unit_count * sizeof *pairwise->used);
    for (uint32_t i = 0; i < code.count; i++) {
        uint8_t unit = block->code.insts[code.insts[i]].unit;
        if (unit != UNIT_NONE) pairwise->used[unit] = true;
    }
    return align_fib_charge(rules, sections_code(&pairwise->sections, other), pairwise->used);
}

/* The sum over all sections, with charges `others` times; *sum stays as it is where the block is too large.
 */
static wb_status pairwise_cycles(const struct bound_input *input, pair_value value, pair_total total,
                                 uint64_t others, cycles *sum, bool *cut_short) {
    struct pairwise pairwise = {.input = input,
                                .value = value,
                                .total = total,
                                .limits = {.watch = input->watch, .bytes = input->budget->bytes},
                                .others = others};
    wb_status status = pairwise_prepare(&pairwise);
    if (status == WB_OK && !pairwise.sections.too_large) status = pairwise_sum(&pairwise, sum);
    *cut_short = pairwise.cut_short;
    if (status != WB_OK && pairwise.limits.stopped)
        diagnose(input->diagnostics, SEVERITY_ERROR, "sections", "analysis stopped");
    else if (status != WB_OK)
        (void)diagnose_out_of_memory(input->diagnostics, "sections");
    vec_free(&pairwise.isolated);
    vec_free(&pairwise.pair_values);
    intern_free(&pairwise.pairs);
    block_sections_free(&pairwise.sections);
    arena_free(&pairwise.arena);
    return status;
}

/* Fills in a bound: the sum over all sections of the largest bound of any warp. A block with too many
 * instructions for pairs gets SIB's value, which is no less. Errors leave a message. */
static wb_status pairwise_run(const struct bound_input *input, pair_value value, pair_total total,
                              wb_bound *bound) {
    WB_TRY(sib_sum(input, bound)); /* kind and assumptions are the same */
    if (input->block->warp_count == 0) return WB_OK;
    bool cut_short;
    const uint64_t others = input->block->warp_count - 1;
    const wb_status status = pairwise_cycles(input, value, total, others, &bound->cycles, &cut_short);
    if (cut_short && bound->kind == WB_UPPER)
        bound->reason = "pairs of long sections were not aligned, but counted as by fib";
    return status;
}

/* ---- FIB --------------------------------------------------------------------------------------------- */

/* SIB by functional units: an instruction of another warp costs its initiation only where the warp uses
 * the same unit in that section, else its issue slot. docs/proofs.md, theorem 1. */
static wb_status fib_value(struct pairwise *pairwise, const struct align_rules *rules, uint32_t own,
                           uint32_t other, cycles *value) {
    *value = pairwise_fib(pairwise, rules, own, other);
    return WB_OK;
}

static cycles fib_total(const struct pairwise *pairwise, uint32_t own, cycles sum) {
    return cycles_add(pairwise->isolated.items[own], sum);
}

static wb_status fib_sum(const struct bound_input *input, wb_bound *bound) {
    return pairwise_run(input, fib_value, fib_total, bound);
}

static wb_status fib_run(const struct bound_input *input, wb_bound *bound) {
    return at_any_depth(input, fib_sum, bound);
}

const struct bound_method bound_fib = {
    .name = "fib",
    .summary = "like sib, but initiations on units that the warp does not use cost only their issue slot",
    .run = fib_run,
    .needs = FOR_BLOCKS,
};

/* ---- ALN --------------------------------------------------------------------------------------------- */

/* The alignment bound: the longest path through a warp's own section, jointly with the best alignment of the
 * other warps' instructions along it (docs/proofs.md, theorem 1): length(P) + m * charges, as `others` warps
 * contribute to the sum; where the tables are too large, the larger iso + m * (what FIB charges). */
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

/* The sum itself. */
static cycles aligned_total(const struct pairwise *pairwise, uint32_t own, cycles sum) {
    (void)pairwise;
    (void)own;
    return sum;
}

wb_status block_aligned_sum(const struct bound_input *input, uint64_t m, cycles *sum, bool *cut_short) {
    if (input->block->warp_count == 0) return WB_OK;
    return pairwise_cycles(input, aln_value, aligned_total, m, sum, cut_short);
}

static wb_status aln_sum(const struct bound_input *input, wb_bound *bound) {
    return pairwise_run(input, aln_value, aln_total, bound);
}

static wb_status aln_run(const struct bound_input *input, wb_bound *bound) {
    return at_any_depth(input, aln_sum, bound);
}

const struct bound_method bound_aln = {
    .name = "aln",
    .summary =
        "longest path of a warp, aligned with the instructions of the others; the tightest of sib, fib, aln",
    .run = aln_run,
    .default_budget = ALIGNED_WORK,
    .explicit_budget = ALIGNED_NAMED_WORK,
    .needs = FOR_BLOCKS,
    .tightest = true,
};
