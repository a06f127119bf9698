#include "cost/block_chain.h"

#include <string.h>

#include "bound/profile/max_plus.h"
#include "bound/profile/sections.h"

/* The paths of a block side by side, section by section. */
struct block_walk {
    const struct timed_block *block;
    struct arena arena;
    struct chains chains;
    struct chain_walker *walkers; /* per path */
    struct path_cursor *cursors;  /* of the walkers: where the section at hand ends */
    struct section_cycle cycle;
    const struct section_visitor *visitor; /* NULL: the latency path */
    const cycles *least_charges;           /* phase_charges */
    cycles *isolated;
    struct unit_charge *charges;
    struct chain_time **times; /* of the latency path, over all walkers */
    size_t time_count;
    uint32_t mark, jump;
    struct chain_watch watch;
    wb_diagnostics *diagnostics;
    wb_status status; /* of repetitions */
};

/* The roots of all chains: the times of the walkers, of those that are alone also of their units. */
static wb_status find_roots(struct block_walk *walk) {
    const size_t units = walk->block->machine->unit_count, paths = walk->block->path_count;
    const uint32_t depth = walk->block->machine->dispatch_depth,
                   queued = depth == DEPTH_UNLIMITED || walk->visitor == NULL ? 0 : depth;
    struct chains *chains = &walk->chains;
    chains->roots = arena_array(&walk->arena, walk->time_count + paths * units * (1 + (size_t)queued) + 1,
                                sizeof(struct chain_time *));
    if (chains->roots == NULL) return WB_ERR_LIMIT;
    for (size_t t = 0; t < walk->time_count; t++)
        chains->roots[chains->root_count++] = walk->times[t];
    for (size_t p = 0; p < paths && walk->visitor != NULL; p++) {
        for (size_t u = 0; u < units; u++) {
            struct chain_unit *unit = &walk->walkers[p].units[u];
            chains->roots[chains->root_count++] = &unit->free;
            for (uint32_t i = 0; i < queued; i++)
                chains->roots[chains->root_count++] = &unit->starts[i];
        }
    }
    return WB_OK;
}

static wb_status walk_prepare(struct block_walk *walk) {
    const struct timed_block *block = walk->block;
    const size_t paths = block->path_count, registers = block->code.register_count;
    walk->walkers = arena_array(&walk->arena, paths + 1, sizeof *walk->walkers);
    walk->cursors = arena_array(&walk->arena, paths + 1, sizeof *walk->cursors);
    walk->isolated = arena_array(&walk->arena, paths + 1, sizeof *walk->isolated);
    walk->charges = arena_array(&walk->arena, paths * block->machine->unit_count + 1, sizeof *walk->charges);
    walk->times = arena_array(&walk->arena, paths * (registers + 2) + 1, sizeof(struct chain_time *));
    walk->least_charges = phase_charges(block, &walk->arena);
    if (walk->walkers == NULL || walk->cursors == NULL || walk->isolated == NULL || walk->charges == NULL ||
        walk->times == NULL || walk->least_charges == NULL)
        return WB_ERR_LIMIT;
    for (uint32_t p = 0; p < paths; p++) {
        struct chain_walker *walker = &walk->walkers[p];
        WB_TRY(chain_walker_init(walker, &walk->chains, &walk->watch, block, p, walk->visitor != NULL,
                                 &walk->arena));
        walk->times[walk->time_count++] = &walker->now;
        walk->times[walk->time_count++] = &walker->complete;
        for (size_t r = 0; r < registers; r++)
            walk->times[walk->time_count++] = &walker->registers[r];
    }
    walk->chains.entries = block->code.inst_count;
    return find_roots(walk);
}

static wb_status walk_begin(struct block_walk *walk) {
    WB_TRY(walk_prepare(walk));
    return section_cycle_init(&walk->cycle, walk->block->path_count);
}

static void walk_free(struct block_walk *walk) {
    for (uint32_t p = 0; walk->walkers != NULL && p < walk->block->path_count; p++)
        chain_walker_free(&walk->walkers[p]);
    section_cycle_free(&walk->cycle);
    chains_free(&walk->chains);
    arena_free(&walk->arena);
}

/* What the section that a walker walked last asks of the units. */
static void charge_units(const struct block_walk *walk, const struct chain_walker *walker,
                         struct unit_charge *charges) {
    const struct timed_inst *insts = walk->block->code.insts;
    memset(charges, 0, walk->block->machine->unit_count * sizeof *charges);
    for (size_t r = 0; r < walker->runs.count; r++) {
        const struct walked_run *run = &walker->runs.items[r];
        for (uint32_t i = run->first; i < run->first + run->count; i++) {
            const struct timed_inst *inst = &insts[i];
            if (inst->unit == UNIT_NONE) continue;
            charges[inst->unit].charge +=
                run->times * cycles_max(walk->least_charges[inst->unit], inst->init);
            charges[inst->unit].slots += run->times;
        }
    }
}

/* Walks a section on every path, alone on a clean machine, and shows it to the visitor. */
static wb_status walk_isolated(struct block_walk *walk, uint64_t times) {
    const uint32_t units = walk->block->machine->unit_count;
    chains_clear(&walk->chains);
    for (uint32_t p = 0; p < walk->block->path_count; p++) {
        struct chain_walker *walker = &walk->walkers[p];
        const cycles base = walker->complete.at;
        walker->now = walker->complete = (struct chain_time){base, CHAIN_NONE};
        WB_TRY(chain_walker_section(walker));
        walk->isolated[p] = walker->complete.at - base;
        charge_units(walk, walker, &walk->charges[(size_t)p * units]);
    }
    const struct block_section section = {walk->block, walk->walkers, walk->isolated, walk->charges, times};
    return walk->visitor->section(walk->visitor->user, &section);
}

/* Walks a section on every path, and through the barrier behind it: the latency path goes on from the latest
 * warp, as each waits for all, and is longer by the release, which no link stands for. */
static wb_status walk_latencies(struct block_walk *walk) {
    struct chain_time latest = {0, CHAIN_NONE};
    bool more = false;
    for (uint32_t p = 0; p < walk->block->path_count; p++) {
        WB_TRY(chain_walker_section(&walk->walkers[p]));
        latest = chain_later(latest, walk->walkers[p].now);
        more = more || !walk->walkers[p].ended;
    }
    latest.at += walk->block->machine->barrier_release;
    for (uint32_t p = 0; p < walk->block->path_count && more; p++) {
        walk->walkers[p].now = latest;
        walk->walkers[p].complete = chain_later(walk->walkers[p].complete, latest);
    }
    return WB_OK;
}

static wb_status walk_section(struct block_walk *walk, uint64_t times) {
    return walk->visitor != NULL ? walk_isolated(walk, times) : walk_latencies(walk);
}

/* ---- Loops with barriers ------------------------------------------------------------------------------- */

static void latencies_read(const void *user, cycles *times) {
    const struct block_walk *walk = user;
    for (size_t i = 0; i < walk->time_count; i++)
        times[i] = walk->times[i]->at;
}

static void latencies_write(void *user, const cycles *times) {
    struct block_walk *walk = user;
    for (size_t i = 0; i < walk->time_count; i++)
        walk->times[i]->at = times[i];
}

static void latencies_mark(void *user) {
    struct block_walk *walk = user;
    walk->mark = chain_mark(&walk->chains, walk->times, walk->time_count);
}

static void latencies_jump(void *user, uint64_t periods) {
    struct block_walk *walk = user;
    walk->jump = chain_jump(&walk->chains, walk->mark, periods, walk->times, walk->time_count);
}

static void latencies_back(void *user) {
    struct block_walk *walk = user;
    chain_back(&walk->chains, walk->jump, walk->times, walk->time_count);
}

/* Walks the sections of the cycle once more, from the cursors on. */
static wb_status walk_cycle(struct block_walk *walk, uint64_t times) {
    wb_status status = WB_OK;
    for (uint32_t p = 0; p < walk->block->path_count; p++)
        walk->walkers[p].cursor = walk->cursors[p];
    for (size_t i = 0; i < walk->cycle.rows.count && status == WB_OK; i++)
        status = walk_section(walk, times);
    return status;
}

static cycles latencies_once(void *user) {
    struct block_walk *walk = user;
    if (walk->status == WB_OK) walk->status = walk_cycle(walk, 1);
    return 0;
}

/* Applies the map; links that it marks stay where they are meanwhile. */
static wb_status repeat_latencies(struct block_walk *walk, const struct max_plus_map *map, uint64_t times) {
    walk->chains.pinned = true;
    const wb_status status = max_plus_repeat(map, times);
    walk->chains.pinned = false;
    return status;
}

/* Takes the walkers behind `times` more repetitions of the cycle. */
static wb_status repeat_sections(struct block_walk *walk, uint64_t times) {
    static const struct max_plus_trace trace = {latencies_mark, latencies_jump, latencies_back};
    const struct max_plus_map map = {walk,  walk->time_count, latencies_read, latencies_write, latencies_once,
                                     &trace};
    if (walk->visitor != NULL)
        walk->status = walk_cycle(walk, times);
    else
        WB_TRY(repeat_latencies(walk, &map, times));
    section_cycle_skip(&walk->cycle, times, walk->cursors);
    for (uint32_t p = 0; p < walk->block->path_count; p++)
        walk->walkers[p].cursor = walk->cursors[p];
    return walk->status;
}

/* Walks the next section, and those that repeat themselves behind it. */
static wb_status walk_on(struct block_walk *walk, bool *more) {
    uint64_t times;
    WB_TRY(walk_section(walk, 1));
    *more = false;
    for (uint32_t p = 0; p < walk->block->path_count; p++) {
        walk->cursors[p] = walk->walkers[p].cursor;
        *more = *more || !walk->walkers[p].ended;
    }
    WB_TRY(section_cycle_note(&walk->cycle, walk->cursors, 0, &times));
    return times == 0 ? WB_OK : repeat_sections(walk, times);
}

static wb_status walk_block(struct block_walk *walk) {
    bool more = walk->block->path_count > 0;
    while (more)
        WB_TRY(walk_on(walk, &more));
    return WB_OK;
}

static wb_status walk_fail(struct block_walk *walk) {
    if (!walk->watch.stopped && !walk->chains.too_long)
        return diagnose_out_of_memory(walk->diagnostics, "costs");
    diagnose(walk->diagnostics, SEVERITY_ERROR, "costs",
             walk->watch.stopped ? "analysis stopped" : "the paths are too long to be followed back");
    return WB_ERR_LIMIT;
}

wb_part_kind chain_step_part(enum chain_step step) {
    switch (step) {
    case CHAIN_ISSUE: return WB_PART_ISSUE;
    case CHAIN_UNIT:
    case CHAIN_STAGE:
    case CHAIN_STAGE_2:
    case CHAIN_STAGE_3: return WB_PART_UNIT;
    case CHAIN_STALL: return WB_PART_STALL;
    case CHAIN_FETCH: return WB_PART_FETCH;
    case CHAIN_BANKS: return WB_PART_BANKS;
    case CHAIN_CONSTANTS: return WB_PART_CONSTANTS;
    default: return WB_PART_LATENCY;
    }
}

void chain_spent_add(const struct timed_code *code, const cycles *spent, uint64_t times,
                     struct tally *tally) {
    for (uint32_t i = 0; i < code->inst_count; i++)
        for (enum chain_step step = 0; step < CHAIN_STEPS; step++)
            tally_add(tally, timed_origin(code, i), chain_step_part(step),
                      cycles_mul(spent[(size_t)i * CHAIN_STEPS + step], times));
}

/* The cycles of a chain that no step spends: those of releases. */
static cycles spent_on_releases(const struct timed_block *block, const cycles *spent, cycles length) {
    for (size_t s = 0; s < (size_t)block->code.inst_count * CHAIN_STEPS; s++)
        length = cycles_sub(length, spent[s]);
    return length;
}

wb_status latency_chain(const struct timed_block *block, uint64_t times, struct tally *tally,
                        const wb_watch *watch, wb_diagnostics *diagnostics, cycles *length) {
    struct block_walk walk = {.block = block, .watch = {.watch = watch}, .diagnostics = diagnostics};
    struct chain_time last = {0, CHAIN_NONE};
    cycles *spent = arena_array(&walk.arena, (size_t)block->code.inst_count * CHAIN_STEPS + 1, sizeof *spent);
    wb_status status = spent == NULL ? WB_ERR_LIMIT : walk_begin(&walk);
    if (status == WB_OK) status = walk_block(&walk);
    for (uint32_t p = 0; status == WB_OK && p < block->path_count; p++)
        last = chain_later(last, walk.walkers[p].complete);
    if (status == WB_OK) status = chain_spend(&walk.chains, last.link, 1, spent);
    if (status == WB_OK) {
        const cycles released = spent_on_releases(block, spent, last.at);
        chain_spent_add(&block->code, spent, times, tally);
        tally_add(tally, tally_apart(tally, COST_RELEASE), WB_PART_LATENCY, cycles_mul(released, times));
    }
    *length = last.at;
    if (status != WB_OK) status = walk_fail(&walk);
    walk_free(&walk);
    return status;
}

wb_status sections_visit(const struct timed_block *block, const struct section_visitor *visitor,
                         const wb_watch *watch, wb_diagnostics *diagnostics) {
    struct block_walk walk = {
        .block = block, .visitor = visitor, .watch = {.watch = watch}, .diagnostics = diagnostics};
    wb_status status = walk_begin(&walk);
    if (status == WB_OK) status = walk_block(&walk);
    if (status != WB_OK) status = walk_fail(&walk);
    walk_free(&walk);
    return status;
}
