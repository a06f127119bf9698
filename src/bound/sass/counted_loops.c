#include "bound/sass/counted_loops.h"

#include <assert.h>

#include "bound/sass/own_times.h"
#include "flow/graph/graph.h"

/* ---- Which loops --------------------------------------------------------------------------------------- */

struct finder {
    const struct pipeline_rules *rules;
    const struct wb_facts *facts;
    struct arena *arena;
    struct counted_loops *counted;
    uint32_t *of;    /* per instruction of the code 1 + its loop, or 0 */
    uint32_t *block; /* per instruction of such a loop the first one of its block */
};

static uint32_t code_index(const struct finder *finder, uint32_t function, uint32_t inst) {
    const struct wb_block *traced = finder->rules->block->traced;
    return traced->code_first[function] + ptx_issue_of(&traced->kernel->module->functions[function], inst);
}

/* Whether lanes that execute the instruction together go on together, as far as they stay in the function's
 * code at hand, and meet no warps. */
static bool keeps_together(const struct ptx_inst *inst) {
    switch (inst->form->op) {
    case PTX_OP_CALL:
    case PTX_OP_BAR:
    case PTX_OP_BSSY:
    case PTX_OP_BSYNC:
    case PTX_OP_BREAK:
    case PTX_OP_BMOV_GET:
    case PTX_OP_BMOV_SET:
    case PTX_OP_WARPSYNC:
    case PTX_OP_ALONE:
    case PTX_OP_COLLECTIVE:
    case PTX_OP_DIVIDED: return false;
    default: return true;
    }
}

/* Whether a block of a loop is one of a chain of blocks, from each of which one edge at most stays in the
 * loop, and has whole instructions of the machine. */
static bool is_link(const struct cfg *cfg, const struct loops *loops, uint32_t loop, uint32_t block) {
    const struct ptx_function *function = cfg->function;
    const struct cfg_block *that = &cfg->blocks[block];
    const uint32_t last = that->first + that->count - 1;
    uint32_t stay = 0;
    for (uint32_t e = cfg->graph.out.first[block]; e < cfg->graph.out.first[block + 1]; e++)
        stay += loop_contains(loops, loop, cfg->graph.out.nodes[e]);
    bool whole =
        that->first == 0 || ptx_issue_of(function, that->first - 1) != ptx_issue_of(function, that->first);
    whole = whole && (last + 1 == function->inst_count ||
                      ptx_issue_of(function, last + 1) != ptx_issue_of(function, last));
    for (uint32_t i = that->first; i <= last; i++)
        whole = whole && keeps_together(&function->insts[i]);
    return whole && stay <= 1;
}

/* Whether each of its instructions is executed by a warp at most as often as its header. */
static bool is_chain(const struct cfg *cfg, const struct loops *loops, uint32_t loop) {
    const struct loop *item = &loops->items[loop];
    for (uint32_t m = 0; m < item->member_count; m++) {
        const uint32_t block = loops->members[item->first_member + m];
        if (loops->innermost[block] != loop || !is_link(cfg, loops, loop, block)) return false;
    }
    return true;
}

static struct counted_loop *find_known(const struct finder *finder, const struct flow_fact *fact) {
    for (uint32_t l = 0; l < finder->counted->count; l++) {
        struct counted_loop *loop = &finder->counted->items[l];
        if (loop->function == fact->function && loop->header == fact->at) return loop;
    }
    return NULL;
}

static void mark(struct finder *finder, const struct cfg *cfg, const struct loops *loops, uint32_t loop,
                 uint32_t function) {
    const struct loop *item = &loops->items[loop];
    for (uint32_t m = 0; m < item->member_count; m++) {
        const struct cfg_block *block = &cfg->blocks[loops->members[item->first_member + m]];
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const uint32_t index = code_index(finder, function, i);
            finder->of[index] = finder->counted->count;
            finder->block[index] = code_index(finder, function, block->first);
        }
    }
}

static void add_fact(struct finder *finder, const struct flow_fact *fact) {
    struct counted_loop *known = find_known(finder, fact);
    if (known == NULL) {
        const struct wb_kernel *kernel = finder->rules->block->traced->kernel;
        const struct cfg cfg = cfg_build(&kernel->module->functions[fact->function], finder->arena);
        const struct dominators dominators = dominators_build(finder->arena, &cfg.graph, CFG_ENTRY);
        const struct loops loops = loops_build(finder->arena, &cfg.graph, &dominators);
        const uint32_t loop = loops.innermost[cfg.block_of[fact->at]];
        if (loop == GRAPH_NONE || !is_chain(&cfg, &loops, loop)) return;
        known = &finder->counted->items[finder->counted->count++];
        *known = (struct counted_loop){
            .function = fact->function, .header = fact->at, .most = {UINT64_MAX, UINT64_MAX, UINT64_MAX}};
        mark(finder, &cfg, &loops, loop, fact->function);
    }
    known->most[fact->per] = fact->limit;
}

static void find(void *context) {
    struct finder *finder = context;
    const struct timed_block *block = finder->rules->block;
    const struct wb_block *traced = block->traced;
    const uint32_t insts = traced->code_first[traced->kernel->module->function_count];
    struct counted_loops *counted = finder->counted;
    finder->of = arena_array(finder->arena, (size_t)insts + 1, sizeof *finder->of);
    finder->block = arena_array(finder->arena, (size_t)insts + 1, sizeof *finder->block);
    counted->items = arena_array(finder->arena, finder->facts->facts.count + 1, sizeof *counted->items);
    counted->of = arena_array(finder->arena, (size_t)block->code.inst_count + 1, sizeof *counted->of);
    for (size_t i = 0; i < finder->facts->facts.count; i++)
        if (finder->facts->facts.items[i].kind == FACT_TOTAL)
            add_fact(finder, &finder->facts->facts.items[i]);
    for (uint32_t e = 0; e < block->code.inst_count; e++)
        counted->of[e] = finder->of[timed_origin(&block->code, e)];
}

/* ---- What a pass takes --------------------------------------------------------------------------------- */

/* Counts how often all warps pass the headers on their paths, and what of that facts leave. */
static wb_status count_passes(const struct finder *finder, struct arena *arena) {
    const struct timed_block *block = finder->rules->block;
    uint64_t *warps = arena_array(arena, (size_t)block->path_count + 1, sizeof *warps);
    if (warps == NULL) return WB_ERR_LIMIT;
    for (uint32_t w = 0; w < block->warp_count; w++)
        warps[block->warp_path[w]]++;
    for (uint32_t p = 0; p < block->path_count; p++) {
        struct path_runs runs = path_runs_of(&block->paths[p]);
        struct path_entry run;
        for (uint64_t times; path_runs_next(&runs, &run, &times);) {
            for (uint32_t e = run.first; e < run.first + run.count; e++) {
                if (finder->counted->of[e] == 0) continue;
                struct counted_loop *loop = &finder->counted->items[finder->counted->of[e] - 1];
                if (timed_origin(&block->code, e) == code_index(finder, loop->function, loop->header))
                    loop->passes = cycles_add(loop->passes, cycles_mul(times, warps[p]));
            }
        }
    }
    for (uint32_t l = 0; l < finder->counted->count; l++) {
        struct counted_loop *loop = &finder->counted->items[l];
        loop->passes = cycles_min(loop->passes, cycles_mul(loop->most[FACT_OF_WARP], block->warp_count));
        loop->passes =
            cycles_min(loop->passes, cycles_min(loop->most[FACT_OF_BLOCK], loop->most[FACT_OF_KERNEL]));
    }
    return WB_OK;
}

/* Of all entries of an instruction what is most. They differ in what their accesses hold. */
static void raise_to(struct sass_timed *most, const struct sass_timed *entry) {
    if (most->slot == 0) *most = *entry;
    most->slot = cycles_max(most->slot, entry->slot);
    most->fetch = cycles_max(most->fetch, entry->fetch);
    most->operand = cycles_max(most->operand, entry->operand);
    assert(most->stage_count == entry->stage_count);
    for (uint32_t s = 0; s < entry->stage_count; s++)
        most->stages[s].init = cycles_max(most->stages[s].init, entry->stages[s].init);
}

/* The longest chain of latencies of a block of the loop, from when all is complete until it is again. */
static wb_status add_block(const struct finder *finder, const struct timed_block *pass, uint32_t first,
                           uint32_t count, struct counted_loop *loop) {
    struct path_entry run = {first, count, UINT32_MAX};
    const struct path path = {.entries = {.items = &run, .count = 1, .capacity = 1}, .length = count};
    struct timed_block alone = *pass;
    struct pipeline_rules rules = *finder->rules;
    struct own_walker walker;
    struct own_section section;
    cycles last = 0;
    alone.paths = &path;
    alone.path_count = 1;
    rules.block = &alone;
    WB_TRY(own_walker_init(&walker, &rules, 0, NULL, finder->arena));
    WB_TRY(own_walker_section(&walker, &section));
    for (size_t t = 0; t < walker.graph_times; t++)
        last = cycles_max(last, walker.latencies.times[t]->at);
    loop->chain = cycles_add(loop->chain, last);
    return WB_OK;
}

static wb_status time_passes(const struct finder *finder) {
    const struct timed_block *block = finder->rules->block;
    const uint32_t insts = block->traced->code_first[block->traced->kernel->module->function_count];
    struct timed_block pass = *block;
    struct sass_timed *most = arena_array(finder->arena, (size_t)insts + 1, sizeof *most);
    if (most == NULL) return WB_ERR_LIMIT;
    pass.code.sass = most;
    pass.code.origin = NULL;
    for (uint32_t e = 0; e < block->code.inst_count; e++)
        if (finder->counted->of[e] != 0) raise_to(&most[timed_origin(&block->code, e)], &block->code.sass[e]);
    for (uint32_t i = 0, count; i < insts; i += count) {
        count = 1;
        if (finder->of[i] == 0) continue;
        struct counted_loop *loop = &finder->counted->items[finder->of[i] - 1];
        while (i + count < insts && finder->of[i + count] == finder->of[i] &&
               finder->block[i + count] == finder->block[i])
            count++;
        for (uint32_t k = i; k < i + count; k++) {
            loop->work = cycles_add(loop->work, code_work(&most[k]));
            loop->held = cycles_add(loop->held, code_charge_near(finder->rules, &most[k]));
        }
        WB_TRY(add_block(finder, &pass, i, count, loop));
    }
    return WB_OK;
}

wb_status counted_loops_make(const struct pipeline_rules *rules, struct arena *arena,
                             struct counted_loops *counted) {
    const struct wb_block *traced = rules->block->traced;
    *counted = (struct counted_loops){0};
    if (!rules->parts || traced->facts.from == NULL) return WB_OK;
    struct finder finder = {.rules = rules, .facts = traced->facts.from, .arena = arena, .counted = counted};
    WB_TRY(arena_protect(arena, find, &finder));
    if (counted->count == 0) return WB_OK;
    WB_TRY(count_passes(&finder, arena));
    return time_passes(&finder);
}

struct counted_time counted_loops_of_block(const struct counted_loops *counted, uint64_t sections) {
    struct counted_time time = {0};
    for (uint32_t l = 0; l < counted->count; l++) {
        const struct counted_loop *loop = &counted->items[l];
        /* Behind a barrier the longest chain can go on in another warp. */
        const uint64_t of_chain =
            sections > 1 ? loop->passes : cycles_min(loop->passes, loop->most[FACT_OF_WARP]);
        time.work = cycles_add(time.work, cycles_mul(loop->passes, loop->work));
        time.held = cycles_add(time.held, cycles_mul(loop->passes, loop->held));
        time.chain = cycles_add(time.chain, cycles_mul(of_chain, loop->chain));
    }
    return time;
}
