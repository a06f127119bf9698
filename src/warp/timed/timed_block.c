#include "warp/timed/timed.h"

#include <assert.h>
#include <string.h>

uint64_t timed_block_length(const struct timed_block *block) {
    uint64_t length = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        length += block->paths[block->warp_path[w]].length;
    return length;
}

cycles timed_block_horizon(const struct timed_block *block) {
    cycles longest = 0; /* one instruction, from its issue to its result */
    for (uint32_t i = 0; i < block->code.inst_count; i++) {
        const struct timed_inst *inst = &block->code.insts[i];
        longest = cycles_max(longest, (cycles)inst->init + inst->latency);
    }
    /* At depth 1 an instruction is charged the largest initiation of its unit: `longest` covers it. */
    const cycles held = 1 + block->machine->barrier_release + fetch_longest(&block->machine->fetch);
    cycles horizon = 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        assert(block->warp_path[w] < block->path_count);
        uint64_t length = block->paths[block->warp_path[w]].length;
        horizon = cycles_add(horizon, cycles_mul(length, longest + held));
    }
    return horizon;
}

wb_status timed_block_check(const struct timed_block *block, wb_diagnostics *diagnostics) {
    /* The numbers of JSON reports have a sign. */
    if (timed_block_horizon(block) <= INT64_MAX) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, block->machine->name,
             "the block's execution times do not fit 63 bits; shorten the latencies or the paths");
    return WB_ERR_LIMIT;
}

void timed_block_free(struct timed_block *block) {
    for (size_t p = 0; p < block->own_paths.count; p++)
        path_free(&block->own_paths.items[p]);
    vec_free(&block->own_paths);
    arena_free(&block->arena);
}

/* ---- Variants of instructions ---- */

struct code_variants code_variants_begin(const struct wb_machine *machine, struct timed_code *code,
                                         struct arena *scratch) {
    const size_t count = (size_t)code->inst_count + 1;
    struct code_variants made = {
        .machine = machine, .code = code, .scratch = scratch, .entry_count = code->inst_count};
    made.newest = arena_array(scratch, count, sizeof *made.newest);
    memset(made.newest, 0xff, count * sizeof *made.newest);
    return made;
}

static struct execution_cost class_cost(const struct timed_inst *inst) {
    return (struct execution_cost){.init = inst->init, .latency = inst->latency};
}

static struct execution_cost no_counts(const struct timed_inst *inst) {
    (void)inst;
    return (struct execution_cost){0};
}

static bool is_same_cost(const struct execution_cost *a, const struct execution_cost *b) {
    return a->init == b->init && a->latency == b->latency &&
           memcmp(&a->counts, &b->counts, sizeof a->counts) == 0;
}

uint32_t code_variant_find(const struct code_variants *variants, uint32_t instruction,
                           const struct execution_cost *cost) {
    for (uint32_t at = variants->newest[instruction]; at < variants->items.count;) {
        const struct code_variant *variant = &variants->items.items[at];
        if (is_same_cost(&variant->cost, cost)) return at;
        at = variant->next;
    }
    return NO_VARIANT;
}

uint32_t code_variant_of(struct code_variants *variants, uint32_t instruction,
                         const struct execution_cost *cost) {
    const uint32_t found = code_variant_find(variants, instruction, cost);
    if (found != NO_VARIANT) return found;
    struct code_variant variant = {*cost, instruction, instruction, variants->newest[instruction]};
    if (variant.next != NO_VARIANT) {
        if (variants->entry_count == UINT32_MAX) arena_fail(variants->scratch, WB_ERR_LIMIT);
        variant.entry = variants->entry_count++;
    }
    variants->newest[instruction] = (uint32_t)variants->items.count;
    arena_push(variants->scratch, &variants->items, variant);
    return variants->newest[instruction];
}

static void set_cost(const struct wb_machine *machine, struct timed_code *code,
                     const struct code_variant *variant) {
    struct timed_inst *inst = &code->insts[variant->entry];
    (void)machine;
    inst->init = variant->cost.init;
    inst->latency = variant->cost.latency;
    if (inst->latency_least > inst->latency) inst->latency_least = inst->latency;
}

static void set_counts(const struct wb_machine *machine, struct timed_code *code,
                       const struct code_variant *variant) {
    struct sass_timed *own = &code->sass[variant->entry];
    *own = code->sass[variant->instruction];
    sass_timing_count(machine, &variant->cost.counts, own);
    code->insts[variant->entry].init = timed_init_of_sass(own);
}

static void raise_cost(const struct wb_machine *machine, struct timed_code *code, uint32_t entry,
                       const struct execution_cost *cost) {
    struct timed_inst *inst = &code->insts[entry];
    (void)machine;
    if (cost->init > inst->init) inst->init = cost->init;
    if (cost->latency > inst->latency) inst->latency = cost->latency;
    if (cost->latency < inst->latency_least) inst->latency_least = cost->latency;
}

/* Where counts hold a stage for longer. */
static void raise_counts(const struct wb_machine *machine, struct timed_code *code, uint32_t entry,
                         const struct execution_cost *cost) {
    struct sass_timed *own = &code->sass[entry], counted = *own;
    sass_timing_count(machine, &cost->counts, &counted);
    for (uint32_t s = 0; s < own->stage_count; s++)
        if (counted.stages[s].init > own->stages[s].init) own->stages[s].init = counted.stages[s].init;
    for (uint32_t c = 0; c < SASS_COUNTS; c++)
        if (counted.counts.further[c] > own->counts.further[c])
            own->counts.further[c] = counted.counts.further[c];
    code->insts[entry].init = timed_init_of_sass(own);
}

const struct cost_model cost_models[] = {
    [ISA_PTX] = {class_cost, set_cost, raise_cost}, [ISA_SASS] = {no_counts, set_counts, raise_counts}};

/* An array of the code with room for all entries. */
static void *grown(const struct code_variants *variants, const void *array, size_t size,
                   struct arena *arena) {
    if (array == NULL) return NULL;
    return memcpy(arena_array(arena, (size_t)variants->entry_count + 1, size), array,
                  variants->code->inst_count * size);
}

static void grow(const struct code_variants *variants, struct arena *arena) {
    struct timed_code *code = variants->code;
    code->origin = arena_array(arena, (size_t)variants->entry_count + 1, sizeof *code->origin);
    code->insts = grown(variants, code->insts, sizeof *code->insts, arena);
    code->sass = grown(variants, code->sass, sizeof *code->sass, arena);
    for (uint32_t i = 0; i < code->inst_count; i++)
        code->origin[i] = i;
    code->inst_count = variants->entry_count;
}

void code_variants_apply(const struct code_variants *variants, struct arena *arena) {
    struct timed_code *code = variants->code;
    if (variants->entry_count > code->inst_count) grow(variants, arena);
    for (size_t v = 0; v < variants->items.count; v++) {
        const struct code_variant *variant = &variants->items.items[v];
        if (variant->entry != variant->instruction) {
            code->insts[variant->entry] = code->insts[variant->instruction];
            code->origin[variant->entry] = variant->instruction;
        }
        cost_models[machine_isa(variants->machine)].set(variants->machine, code, variant);
    }
}
