#include "bound/block/pairwise.h"
#include "bound/block/sib.h"

#include <string.h>

/* What a pair value depends on. Without padding: it is hashed as bytes. */
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
    const struct align_rules rules = {block, pairwise->charges, true};
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
    const struct align_rules rules = {pairwise->input->block, pairwise->charges, key->same_sub_core != 0};
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

cycles pairwise_fib(struct pairwise *pairwise, const struct align_rules *rules, uint32_t own,
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

/* Replaces SIB's value by the sum over all sections, unless the block is too large. */
static wb_status pairwise_cycles(const struct bound_input *input, pair_value value, pair_total total,
                                 wb_bound *bound) {
    struct pairwise pairwise = {.input = input,
                                .value = value,
                                .total = total,
                                .limits = {.watch = input->watch, .bytes = input->budget->bytes},
                                .others = input->block->warp_count - 1};
    wb_status status = pairwise_prepare(&pairwise);
    if (status == WB_OK && !pairwise.sections.too_large) status = pairwise_sum(&pairwise, &bound->cycles);
    if (pairwise.cut_short && bound->kind == WB_UPPER)
        bound->reason = "pairs of long sections were not aligned, but counted as by fib";
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

wb_status pairwise_run(const struct bound_input *input, pair_value value, pair_total total, wb_bound *bound) {
    WB_TRY(bound_sib.run(input, bound)); /* kind, reason and assumptions are the same */
    if (input->block->warp_count == 0) return WB_OK;
    return pairwise_cycles(input, value, total, bound);
}
