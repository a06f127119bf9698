#include "cost/code_chain.h"

#include <string.h>

#include "bound/profile/sections.h"
#include "cost/block_chain.h"

/* The paths of a block side by side. */
struct rows_walk {
    const struct way_rules *rules;
    struct arena arena;
    struct chains chains;
    struct code_walker *walkers; /* per path */
    struct own_walker *own;      /* the same without chains: what sections amount to */
    struct own_section *sections;
    struct path_cursor *cursors; /* where the section at hand ends */
    struct section_cycle cycle;
    struct cold_block cold, own_cold; /* of both kinds of walkers */
    const struct code_row_visitor *visitor;
    struct chain_watch watch;
};

static wb_status walk_prepare(struct rows_walk *walk, const struct code_walk_kind *kind) {
    const struct timed_block *block = walk->rules->block;
    const uint32_t paths = block->path_count;
    size_t times = 0;
    walk->walkers = arena_array(&walk->arena, (size_t)paths + 1, sizeof *walk->walkers);
    walk->own = arena_array(&walk->arena, (size_t)paths + 1, sizeof *walk->own);
    walk->sections = arena_array(&walk->arena, (size_t)paths + 1, sizeof *walk->sections);
    walk->cursors = arena_array(&walk->arena, (size_t)paths + 1, sizeof *walk->cursors);
    if (walk->walkers == NULL || walk->own == NULL || walk->sections == NULL || walk->cursors == NULL)
        return WB_ERR_LIMIT;
    /* Warps that execute parts of a path may come to lines later than the path does. */
    const bool cold = kind->cold && !kind->rules->parts;
    if (cold) WB_TRY(cold_block_init(&walk->cold, block, &walk->arena));
    if (cold) WB_TRY(cold_block_init(&walk->own_cold, block, &walk->arena));
    for (uint32_t p = 0; p < paths; p++) {
        WB_TRY(code_walker_init(&walk->walkers[p], &walk->chains, walk->rules, p, kind->alone,
                                cold ? &walk->cold : NULL, &walk->arena));
        WB_TRY(own_walker_init(&walk->own[p], walk->rules, p, cold ? &walk->own_cold : NULL, &walk->arena));
        times += walk->walkers[p].time_count;
    }
    walk->chains.entries = block->code.inst_count;
    walk->chains.roots = arena_array(&walk->arena, times + 1, sizeof(struct chain_time *));
    if (walk->chains.roots == NULL) return WB_ERR_LIMIT;
    for (uint32_t p = 0; p < paths; p++)
        for (size_t t = 0; t < walk->walkers[p].time_count; t++)
            walk->chains.roots[walk->chains.root_count++] = walk->walkers[p].roots[t];
    return section_cycle_init(&walk->cycle, paths);
}

static void walk_free(struct rows_walk *walk) {
    for (uint32_t p = 0; walk->walkers != NULL && p < walk->rules->block->path_count; p++)
        code_walker_free(&walk->walkers[p]);
    section_cycle_free(&walk->cycle);
    chains_free(&walk->chains);
    arena_free(&walk->arena);
}

/* Whether the watch lets it go on. */
static bool may_go_on(struct chain_watch *watch) {
    if (watch->watch != NULL && watch->watch->poll != NULL)
        watch->stopped = !watch->watch->poll(watch->watch->user, "costs", ++watch->walked, 0);
    return !watch->stopped;
}

/* Walks a section on every path and shows it to the visitor. */
static wb_status walk_row(struct rows_walk *walk, uint64_t times) {
    chains_clear(&walk->chains);
    for (uint32_t p = 0; p < walk->rules->block->path_count; p++) {
        WB_TRY(code_walker_section(&walk->walkers[p]));
        WB_TRY(own_walker_section(&walk->own[p], &walk->sections[p]));
    }
    own_sections_end(walk->own, walk->rules->block->path_count, walk->sections);
    if (walk->cold.code != NULL) {
        cold_section_ends(&walk->cold);
        cold_section_ends(&walk->own_cold);
    }
    if (!may_go_on(&walk->watch)) return WB_ERR_LIMIT;
    const struct code_row row = {walk->rules, walk->walkers, walk->sections, times};
    return walk->visitor->row(walk->visitor->user, &row);
}

static void set_cursors(struct rows_walk *walk) {
    for (uint32_t p = 0; p < walk->rules->block->path_count; p++)
        walk->walkers[p].cursor = walk->own[p].cursor = walk->cursors[p];
}

/* Takes the walkers behind `times` more repetitions of the cycle, each of whose sections is visited once. */
static wb_status repeat_rows(struct rows_walk *walk, uint64_t times) {
    set_cursors(walk);
    for (size_t i = 0; i < walk->cycle.rows.count && times > 0; i++)
        WB_TRY(walk_row(walk, times));
    section_cycle_skip(&walk->cycle, times, walk->cursors);
    set_cursors(walk);
    return WB_OK;
}

/* Walks the next section, and those that repeat themselves behind it. */
static wb_status walk_on(struct rows_walk *walk, bool *more) {
    uint64_t times;
    WB_TRY(walk_row(walk, 1));
    *more = false;
    for (uint32_t p = 0; p < walk->rules->block->path_count; p++) {
        walk->cursors[p] = walk->walkers[p].cursor;
        *more = *more || !walk->walkers[p].ended;
    }
    WB_TRY(section_cycle_note(&walk->cycle, walk->cursors, 0, &times));
    /* The last time has other code behind it, which its barrier asks for. */
    return times == 0 ? WB_OK : repeat_rows(walk, times - 1);
}

static wb_status walk_fail(const struct rows_walk *walk, wb_diagnostics *diagnostics) {
    if (!walk->watch.stopped && !walk->chains.too_long) return diagnose_out_of_memory(diagnostics, "costs");
    diagnose(diagnostics, SEVERITY_ERROR, "costs",
             walk->watch.stopped ? "analysis stopped" : "the paths are too long to be followed back");
    return WB_ERR_LIMIT;
}

wb_status code_rows_visit(const struct code_walk_kind *kind, const struct code_row_visitor *visitor,
                          const wb_watch *watch, wb_diagnostics *diagnostics) {
    struct rows_walk walk = {.rules = kind->rules, .visitor = visitor, .watch = {.watch = watch}};
    bool more = kind->rules->block->path_count > 0;
    wb_status status = walk_prepare(&walk, kind);
    while (status == WB_OK && more)
        status = walk_on(&walk, &more);
    if (status != WB_OK) status = walk_fail(&walk, diagnostics);
    walk_free(&walk);
    return status;
}

/* ---- What chains spend --------------------------------------------------------------------------------- */

cycles *code_spent_new(const struct timed_code *code, struct arena *arena) {
    return arena_array(arena, (size_t)code->inst_count * CHAIN_STEPS + 1, sizeof(cycles));
}

/* The unit that a step is about: of the instruction's stages. UNIT_NONE: none. */
static uint8_t unit_of(const struct sass_timed *inst, enum chain_step step) {
    switch (step) {
    case CHAIN_UNIT:
    case CHAIN_STAGE: return inst->stages[0].unit;
    case CHAIN_STAGE_2: return inst->stages[1].unit;
    case CHAIN_STAGE_3: return inst->stages[2].unit;
    default: return UNIT_NONE;
    }
}

void code_spent_add(const struct timed_code *code, const cycles *spent, uint64_t times, struct tally *tally,
                    struct code_causes *causes) {
    for (uint32_t i = 0; i < code->inst_count; i++) {
        for (enum chain_step step = 0; step < CHAIN_STEPS; step++) {
            const cycles amount = cycles_mul(spent[(size_t)i * CHAIN_STEPS + step], times);
            if (amount == 0) continue;
            const wb_part_kind what = chain_step_part(step);
            const uint8_t unit = unit_of(&code->sass[i], step);
            tally_add(tally, timed_origin(code, i), what, amount);
            if (causes == NULL) continue;
            cycles *cause = unit != UNIT_NONE ? &causes->units[unit] : &causes->of[what];
            *cause = cycles_add(*cause, amount);
        }
    }
}

/* ---- Latencies alone ----------------------------------------------------------------------------------- */

struct latency_sum {
    cycles *spent;
    cycles length;
};

const struct code_walker *code_latest(const struct code_row *row) {
    const struct code_walker *walkers = row->walkers, *latest = walkers;
    for (uint32_t p = 1; p < row->rules->block->path_count; p++)
        if (walkers[p].complete->at > latest->complete->at) latest = &walkers[p];
    return latest;
}

/* Every section begins when all of the one before is complete. */
static wb_status add_latency(void *user, const struct code_row *row) {
    struct latency_sum *sum = user;
    const struct code_walker *latest = code_latest(row);
    sum->length = cycles_add(sum->length, cycles_mul(latest->complete->at, row->times));
    return chain_spend(latest->chains, latest->complete->link, row->times, sum->spent);
}

wb_status code_latency_chain(const struct way_rules *rules, uint64_t times, struct tally *tally,
                             const wb_watch *watch, wb_diagnostics *diagnostics, cycles *length) {
    struct arena arena = {0};
    const struct timed_code *code = &rules->block->code;
    const struct code_walk_kind kind = {.rules = rules};
    struct latency_sum sum = {.spent = code_spent_new(code, &arena)};
    const struct code_row_visitor visitor = {add_latency, &sum};
    const wb_status status = sum.spent == NULL ? diagnose_out_of_memory(diagnostics, "costs")
                                               : code_rows_visit(&kind, &visitor, watch, diagnostics);
    if (status == WB_OK && sum.spent != NULL) code_spent_add(code, sum.spent, times, tally, NULL);
    *length = sum.length;
    arena_free(&arena);
    return status;
}
