/* The bounds of whole kernels: their parts, each divided in proportion to the work of the blocks'
 * instructions in it. */
#include <string.h>

#include "bound/cache/latency_path.h"
#include "bound/kernel/kernel_bounds.h"
#include "cost/costs.h"

/* The weights by which the parts of a kernel's bound are divided. */
struct kernel_weights {
    const struct grid_work *work;
    struct tally all;  /* every block: its initiations and its longest chain of latencies */
    struct tally last; /* an SM full of the blocks with the most initiations, and the longest chain of any:
                          the weights of the tail, and, for a bound on one SM, of its latencies */
    struct tally
        chains; /* of machine code that is timed: the chains of all blocks, which `all` is without, */
    struct tally misses; /* and what each line of it misses once, of any block */
    bool found_longest;
};

/* The grid as the bound sees it: if SMs share a memory and the bound counts waiting in latencies, with these.
 * */
static const struct grid_work *work_of(const struct cost_maker *maker) {
    const struct grid_work *work = &maker->analysis->work;
    if (strcmp(maker->method->name, "eq3") == 0 && work->published != NULL) return work->published;
    bool any_order = false;
    for (size_t i = 0; i < maker->bound->assumption_count; i++)
        any_order = any_order || maker->bound->assumptions[i] == WB_ASSUME_MEMORY_ANY_ORDER;
    return work->in_order != NULL && !any_order ? work->in_order : work;
}

/* Adds the longest chain of latencies of a block, with the releases of its barriers. */
static wb_status add_chain(const struct cost_maker *maker, const struct timed_block *timed, uint64_t times,
                           struct tally *tally) {
    cycles length;
    return latency_chain(timed, times, tally, maker->watch, maker->diagnostics, &length);
}

static wb_status add_timed(struct cost_maker *maker, uint32_t number, const struct timed_block *timed,
                           struct kernel_weights *weights) {
    const struct grid_work *work = weights->work;
    const struct block_class *class = &work->classes.items[number];
    wb_status status = cost_work_add(timed, work->contention.units, class->blocks, maker->work);
    if (status == WB_OK) status = cost_add_initiations(timed, class->blocks, &weights->all);
    if (status == WB_OK && work->by_initiations.classes[0] == number)
        status = cost_add_initiations(timed, work->resident_most, &weights->last);
    if (status != WB_OK) return diagnose_out_of_memory(maker->diagnostics, "costs");
    WB_TRY(add_chain(maker, timed, class->blocks, &weights->all));
    if (weights->found_longest || class->latency < work->latency_most) return WB_OK;
    weights->found_longest = true;
    return add_chain(maker, timed, 1, &weights->last);
}

/* The longest chain of a block of machine code. */
static wb_status add_code_chain(const struct cost_maker *maker, const struct block_class *class,
                                const struct timed_block *timed, uint64_t times, struct tally *tally) {
    cycles length;
    WB_TRY(latency_chain(timed, times, tally, maker->watch, maker->diagnostics, &length));
    const cycles release = cycles_sub(class->latency, length);
    tally_add(tally, tally_apart(tally, COST_RELEASE), WB_PART_LATENCY, cycles_mul(release, times));
    return WB_OK;
}

/* The same of machine code that is timed. */
static wb_status add_code(struct cost_maker *maker, uint32_t number, const struct timed_block *timed,
                          struct kernel_weights *weights) {
    const struct grid_work *work = weights->work;
    const struct block_class *class = &work->classes.items[number];
    wb_status status = cost_work_add(timed, 0, class->blocks, maker->work);
    if (status == WB_OK) status = code_add_work(timed, class->blocks, &weights->all, maker->by_unit, NULL);
    if (status == WB_OK) status = code_add_misses(timed, &weights->misses);
    if (status == WB_OK && work->by_initiations.classes[0] == number)
        status = code_add_work(timed, work->resident_most, &weights->last, NULL, NULL);
    if (status != WB_OK) return diagnose_out_of_memory(maker->diagnostics, "costs");
    WB_TRY(add_code_chain(maker, class, timed, class->blocks, &weights->chains));
    if (weights->found_longest || class->latency < work->latency_most) return WB_OK;
    weights->found_longest = true;
    return add_code_chain(maker, class, timed, 1, &weights->last);
}

static wb_status divide_ptx_parts(struct cost_maker *maker, struct kernel_weights *weights);
static wb_status divide_code_parts(struct cost_maker *maker, struct kernel_weights *weights);

static const struct kernel_model {
    wb_status (*add)(struct cost_maker *maker, uint32_t number, const struct timed_block *timed,
                     struct kernel_weights *weights);
    wb_status (*divide)(struct cost_maker *maker, struct kernel_weights *weights);
} kernel_models[] = {[ISA_PTX] = {add_timed, divide_ptx_parts}, [ISA_SASS] = {add_code, divide_code_parts}};

static const struct kernel_model *model_of(const struct cost_maker *maker) {
    return &kernel_models[machine_isa(maker->analysis->machine)];
}

static wb_status add_class(struct cost_maker *maker, uint32_t number, struct kernel_weights *weights) {
    const struct wb_analysis *analysis = maker->analysis;
    const bool by_hand = analysis->by_hand.is_grid;
    const struct grid_work *work = by_hand ? &analysis->work : weights->work;
    const struct timed_block *timed = work->classes.items[number].timed;
    struct class_times made = {0};
    wb_status status = WB_OK;
    if (timed == NULL) {
        status = class_times_make(&analysis->grid_times, work, number, maker->diagnostics, &made);
        timed = &made.timed;
    }
    if (status == WB_OK) status = model_of(maker)->add(maker, number, timed, weights);
    class_times_clear(&made);
    return status;
}

static wb_status add_classes(struct cost_maker *maker, struct kernel_weights *weights) {
    const size_t count = weights->work->classes.count;
    for (uint32_t k = 0; k < count; k++) {
        WB_TRY(add_class(maker, k, weights));
        if (maker->watch == NULL || maker->watch->poll == NULL) continue;
        if (maker->watch->poll(maker->watch->user, "costs", k, count)) continue;
        diagnose(maker->diagnostics, SEVERITY_ERROR, "costs", "analysis stopped");
        return WB_ERR_LIMIT;
    }
    return WB_OK;
}

#define KIND(what) (UINT32_C(1) << (what))
#define KINDS_HELD (KIND(WB_PART_ISSUE) | KIND(WB_PART_BANKS) | KIND(WB_PART_CONSTANTS))
#define ALL_KINDS (KIND(WB_PART_COUNT) - 1)

/* Divides a part of a bound of machine code by its weights. */
static wb_status divide_code_part(struct cost_maker *maker, const wb_part *part,
                                  const struct kernel_weights *weights) {
    const cycles all = part->cycles;
    switch (part->what) {
    case WB_PART_UNIT: return cost_divide_unit(maker, part->unit, all);
    case WB_PART_ISSUE: return cost_divide_kinds(maker, KINDS_HELD, all, &weights->all, COST_OTHER);
    case WB_PART_BUSY: return cost_divide_kinds(maker, ALL_KINDS, all, &weights->all, COST_OTHER);
    case WB_PART_LATENCY: return cost_divide_kinds(maker, ALL_KINDS, all, &weights->chains, COST_OTHER);
    case WB_PART_FETCH: return cost_divide_kinds(maker, ALL_KINDS, all, &weights->misses, COST_FETCH);
    case WB_PART_TAIL: return cost_divide(maker, WB_PART_TAIL, all, &weights->last);
    default: return cost_divide(maker, part->what, all, &weights->all);
    }
}

/* Adds shares up by causes; those of units come from the formula. */
static void sum_causes(struct cost_maker *maker, const wb_bound *formula) {
    const struct wb_machine *machine = maker->analysis->machine;
    for (size_t row = 0; row < tally_rows(&maker->shares); row++)
        for (wb_part_kind what = 0; what < WB_PART_COUNT; what++)
            if (what != WB_PART_UNIT)
                maker->causes->of[what] =
                    cycles_add(maker->causes->of[what], *tally_at(&maker->shares, row, what));
    for (size_t p = 0; p < formula->part_count; p++) {
        const wb_part *part = &formula->parts[p];
        for (uint32_t u = 0; u < machine->unit_count && part->what == WB_PART_UNIT; u++)
            if (strcmp(machine->units[u].name, part->unit) == 0) maker->causes->units[u] = part->cycles;
    }
}

static wb_status divide_code_parts(struct cost_maker *maker, struct kernel_weights *weights) {
    const wb_bound *formula = cost_formula_of(maker->analysis, maker->bound);
    for (size_t p = 0; p < formula->part_count; p++)
        WB_TRY(divide_code_part(maker, &formula->parts[p], weights));
    sum_causes(maker, formula);
    return WB_OK;
}

static wb_status divide_ptx_parts(struct cost_maker *maker, struct kernel_weights *weights) {
    const bool of_all = kernel_form_is_area(maker->bound->form);
    cost_add_asking(maker->work, &weights->all);
    return cost_divide_parts(maker, &weights->all, of_all ? &weights->all : &weights->last, &weights->last);
}

wb_status kernel_costs(struct cost_maker *maker) {
    struct kernel_weights weights = {.work = work_of(maker)};
    const size_t instructions = maker->shares.instructions;
    if (maker->bound->part_count == 0) return cost_decline(maker, "nothing says where its cycles go");
    if (tally_init(&weights.all, instructions, &maker->costs->arena) != WB_OK ||
        tally_init(&weights.last, instructions, &maker->costs->arena) != WB_OK ||
        tally_init(&weights.chains, instructions, &maker->costs->arena) != WB_OK ||
        tally_init(&weights.misses, instructions, &maker->costs->arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    WB_TRY(add_classes(maker, &weights));
    return model_of(maker)->divide(maker, &weights);
}

/* ---- Grids on machines with caches ------------------------------------------------------------------ */

/* The blocks of a grid on their way, with the chains of their latencies. */
struct latency_walk {
    struct latency_block block;
    struct chains chains;
    cycles *spent; /* on the chain of a block */
};

/* Adds the longest path of latencies of a block, `times` times. */
static wb_status add_block_chain(struct latency_walk *walk, uint32_t block, uint64_t times,
                                 struct tally *weights) {
    const struct timed_code *code = &walk->block.timed->code;
    chains_clear(&walk->chains);
    latency_block_begin(&walk->block, block, 0);
    (void)latency_block_run(&walk->block);
    memset(walk->spent, 0, (size_t)code->inst_count * CHAIN_STEPS * sizeof *walk->spent);
    WB_TRY(chain_spend(&walk->chains, walk->block.longest_link, 1, walk->spent));
    chain_spent_add(code, walk->spent, times, weights, NULL);
    return WB_OK;
}

/* Adds a block of each variant of the grid, as often as there are such blocks. */
static wb_status add_variants(struct cost_maker *maker, struct latency_walk *walk, uint64_t *blocks,
                              struct tally *weights) {
    const struct timed_grid *timed = walk->block.timed;
    const size_t count = timed->grid->blocks.count;
    for (size_t b = 0; b < count; b++)
        blocks[timed->traffic.block_variants[b]] += grid_blocks_alike(timed->grid, b);
    for (uint32_t b = 0; b < count; b++) {
        uint64_t *times = &blocks[timed->traffic.block_variants[b]];
        if (*times == 0) continue;
        cost_work_add_block(timed, b, *times, maker->work);
        if (add_block_chain(walk, b, *times, weights) != WB_OK)
            return diagnose_out_of_memory(maker->diagnostics, "costs");
        *times = 0;
        if (maker->watch == NULL || maker->watch->poll == NULL) continue;
        if (maker->watch->poll(maker->watch->user, "costs", b, count)) continue;
        diagnose(maker->diagnostics, SEVERITY_ERROR, "costs", "analysis stopped");
        return WB_ERR_LIMIT;
    }
    return WB_OK;
}

/* The same with what is known of the requests of blocks that may be on any SM, beside any others. */
static wb_status add_blocks(struct cost_maker *maker, struct tally *weights) {
    const struct timed_grid *timed = &maker->analysis->grid_times;
    const struct sm_share anywhere = {0, 1, maker->analysis->memory.resident};
    uint64_t *blocks = arena_array(&maker->costs->arena, timed->traffic.variants.count + 1, sizeof *blocks);
    struct latency_walk walk = {.spent = chain_spent_new(&timed->code, &maker->costs->arena)};
    struct must_hits hits;
    if (blocks == NULL || walk.spent == NULL ||
        latency_block_init(&walk.block, timed, &maker->costs->arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    walk.block.hits = &hits;
    walk.block.chains = &walk.chains;
    wb_status status = must_hits_make(&timed->traffic, &timed->code, &anywhere, maker->diagnostics, &hits);
    if (status == WB_OK) status = add_variants(maker, &walk, blocks, weights);
    must_hits_free(&hits);
    chains_free(&walk.chains);
    return status;
}

wb_status cached_costs(struct cost_maker *maker) {
    struct tally weights;
    if (maker->bound->part_count == 0)
        return cost_decline(maker, "its equations have one number for segments of all warps in turns");
    if (tally_init(&weights, maker->shares.instructions, &maker->costs->arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    WB_TRY(add_blocks(maker, &weights));
    for (size_t i = 0; i < weights.instructions; i++) {
        tally_add(&weights, i, WB_PART_ISSUE, maker->work[i].issue);
        tally_add(&weights, i, WB_PART_UNIT, maker->work[i].busy);
    }
    cost_add_asking(maker->work, &weights);
    WB_TRY(cost_divide_parts(maker, &weights, &weights, &weights));
    return cost_divide(maker, WB_PART_FETCH, cost_left(maker), &weights);
}
