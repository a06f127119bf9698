#include "bound/grid/block_classes.h"

#include <assert.h>
#include <stdlib.h>

#include "bound/grid/contention.h"
#include "memory/requests/requests.h"
#include "warp/timed/timed.h"
#include "warp/trace/blocks.h"

/* Most cycles that latencies can count for the waiting of a request. */
#define WAIT_MAX (UINT32_C(1) << 30)

void class_times_clear(struct class_times *made) {
    timed_block_free(&made->timed);
    wb_block_free(made->block);
}

static void class_times_free(struct class_times *class) {
    if (class == NULL) return;
    class_times_clear(class);
    free(class);
}

/* A block with times, to be freed in any case. */
static wb_status time_block(const struct wb_block *block, const struct wb_machine *machine,
                            wb_diagnostics *diagnostics, struct timed_block *timed) {
    struct execution_cost *costs;
    WB_TRY(access_costs_make(block, machine, diagnostics, &costs));
    wb_status status = timed_block_from(block, machine, costs, diagnostics, timed);
    free(costs);
    return status == WB_OK ? timed_block_check(timed, diagnostics) : status;
}

/* The times of block number `number`. */
static wb_status time_class(const struct timed_grid *timed, const struct wb_machine *machine, uint32_t number,
                            wb_diagnostics *diagnostics, struct class_times *class) {
    WB_TRY(grid_block_make(timed->grid, number, diagnostics, &class->block));
    return time_block(class->block, machine, diagnostics, &class->timed);
}

/* Adds what the block is without passes of loops that facts count in all, if there are any. */
static wb_status profile_counted(const struct timed_block *timed, const struct pipeline_rules *rules,
                                 struct grid_work *work) {
    struct counted_loops counted;
    struct code_profile without;
    WB_TRY(counted_loops_make(rules, &work->arena, &counted));
    if (counted.count == 0) return WB_OK;
    wb_status status = code_profile_make_without(timed, &counted, &without);
    if (status == WB_OK) status = grid_work_add_counted(work, &without, &counted);
    code_profile_free(&without);
    return status;
}

/* The same of machine code, with and without misses on the paths of its warps. */
static wb_status profile_code_class(const struct timed_block *timed, const wb_watch *watch,
                                    wb_diagnostics *diagnostics, struct grid_work *work) {
    struct code_profile warm, cold;
    (void)watch; /* the walk is quick */
    wb_status status = code_profile_make(timed, MISSES_BESIDE, &warm);
    if (status == WB_OK) {
        status = code_profile_make(timed, MISSES_ON_PATHS, &cold);
        if (status == WB_OK) status = grid_work_add_code_class(work, timed, &warm, &cold);
        if (status == WB_OK) status = profile_counted(timed, &warm.rules, work);
        code_profile_free(&cold);
    }
    code_profile_free(&warm);
    return status == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, timed->machine->name);
}

/* Adds a class in its sums. */
static wb_status profile_ptx_class(const struct timed_block *timed, const wb_watch *watch,
                                   wb_diagnostics *diagnostics, struct grid_work *work) {
    struct block_profile profile;
    WB_TRY(block_profile_make(timed, watch, diagnostics, &profile));
    wb_status status = grid_work_add_class(work, timed, &profile);
    block_profile_free(&profile);
    return status == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, timed->machine->name);
}

/* Classes by what the machine times. */
static const struct class_model {
    wb_status (*profile)(const struct timed_block *timed, const wb_watch *watch, wb_diagnostics *diagnostics,
                         struct grid_work *work);
    bool shares_code; /* misses of a block depend on the code of all blocks that come to its SM */
} models[] = {[ISA_PTX] = {profile_ptx_class, false}, [ISA_SASS] = {profile_code_class, true}};

static wb_status profile_class(const struct timed_block *timed, const wb_watch *watch,
                               wb_diagnostics *diagnostics, struct grid_work *work) {
    return models[machine_isa(timed->machine)].profile(timed, watch, diagnostics, work);
}

/* Blocks of all classes come to an SM, so that its caches have to hold what any of them executes, and all
 * wait for its units: gives a block the misses of the whole grid's code. */
static wb_status share_sm(const struct timed_code *all, struct timed_block *timed,
                          wb_diagnostics *diagnostics) {
    struct timed_code *code = &timed->code;
    if (!models[machine_isa(timed->machine)].shares_code) return WB_OK;
    assert(all->sass != NULL);
    for (uint32_t e = 0; e < code->inst_count; e++) {
        const struct sass_timed *shared = &all->sass[timed_origin(code, e)];
        struct sass_timed *own = &code->sass[e];
        own->fetch = shared->fetch > own->fetch ? shared->fetch : own->fetch;
        own->operand = shared->operand > own->operand ? shared->operand : own->operand;
        own->slot = shared->slot > own->slot ? shared->slot : own->slot;
        code->insts[e].init = timed_init_of_sass(own);
    }
    code->footprint = all->footprint;
    code->beside = all;
    return timed_block_check(timed, diagnostics);
}

wb_status class_times_make(const struct timed_grid *timed, const struct grid_work *work, uint32_t class,
                           wb_diagnostics *diagnostics, struct class_times *made) {
    const struct wb_grid *grid = timed->grid;
    if (grid->cover.covers) {
        WB_TRY(time_block(grid->covering.items[class].block, work->machine, diagnostics, &made->timed));
        return share_sm(&work->covered, &made->timed, diagnostics);
    }
    WB_TRY(time_class(timed, work->machine, work->classes.items[class].first, diagnostics, made));
    return share_sm(&timed->code, &made->timed, diagnostics);
}

/* Adds the block class number `number`; `classes` keeps it, unless it is NULL. */
static wb_status add_class(const struct timed_grid *timed, uint32_t number, const wb_watch *watch,
                           wb_diagnostics *diagnostics, struct block_classes *classes,
                           struct grid_work *work) {
    struct class_times *class = calloc(1, sizeof *class);
    if (class == NULL) return diagnose_out_of_memory(diagnostics, timed->machine->name);
    wb_status status = time_class(timed, work->machine, number, diagnostics, class);
    if (status == WB_OK) status = share_sm(&timed->code, &class->timed, diagnostics);
    if (status == WB_OK) status = profile_class(&class->timed, watch, diagnostics, work);
    if (status == WB_OK && classes != NULL && classes->kept_count < CLASSES_KEPT_MAX) {
        classes->kept[classes->kept_count++] = class;
        return WB_OK;
    }
    if (status == WB_OK) work->classes.items[work->classes.count - 1].timed = NULL;
    class_times_free(class);
    return status;
}

static wb_status ask_watch(const wb_watch *watch, uint32_t done, uint32_t total,
                           wb_diagnostics *diagnostics) {
    if (watch == NULL || watch->poll == NULL || watch->poll(watch->user, "block classes", done, total))
        return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, "kernel", "analysis stopped");
    return WB_ERR_LIMIT;
}

/* Every block, by the variants of its traffic: blocks of one variant execute the same at the same cost. */
static wb_status add_blocks(const struct timed_grid *timed, const wb_watch *watch,
                            wb_diagnostics *diagnostics, struct block_classes *classes,
                            struct grid_work *work) {
    struct arena scratch = {0};
    const uint32_t count = (uint32_t)timed->grid->blocks.count;
    uint32_t *class_of = arena_array(&scratch, timed->traffic.variants.count + 1, sizeof *class_of); /* + 1 */
    work->class_of = arena_array(&work->arena, (size_t)count + 1, sizeof *work->class_of);
    const bool failed = class_of == NULL || work->class_of == NULL;
    wb_status status = failed ? diagnose_out_of_memory(diagnostics, timed->machine->name) : WB_OK;
    for (uint32_t b = 0; !failed && status == WB_OK && b < count; b++) {
        uint32_t *class = &class_of[timed->traffic.block_variants[b]];
        if (*class == 0) {
            status = ask_watch(watch, b, count, diagnostics);
            if (status == WB_OK) status = add_class(timed, b, watch, diagnostics, classes, work);
            *class = (uint32_t)work->classes.count;
        }
        if (status == WB_OK) grid_work_add_block(work, *class - 1, grid_blocks_alike(timed->grid, b));
    }
    arena_free(&scratch);
    return status;
}

/* How many blocks an SM holds at a time, `demand` each. */
static wb_status find_resident(const struct block_demand *demand, wb_diagnostics *diagnostics,
                               struct grid_work *work) {
    struct resident_range resident;
    WB_TRY(machine_resident_range(work->machine, demand, false, diagnostics, &resident));
    work->slots = resident.most;
    work->resident_most = resident.most < work->block_count ? resident.most : work->block_count;
    work->resident_least = resident.least < work->block_count ? resident.least : work->block_count;
    return WB_OK;
}

/* A grid whose classes are looked at: one of the three. */
struct class_source {
    const struct timed_grid *timed;        /* launched, */
    const struct wb_grid *covering;        /* launched with data that are not known, */
    const struct synthetic_block *by_hand; /* written by hand */
    struct block_demand demand;
    const wb_watch *watch;
    wb_diagnostics *diagnostics;
};

/* The code of a grid by hand with instructions that make requests as much slower as the machine of `work` is
 * than its own; NULL when memory is exhausted. */
static struct timed_inst *slow_code(const struct synthetic_block *block, struct grid_work *work) {
    const struct timed_code *code = &block->timed.code;
    struct timed_inst *insts = arena_array(&work->arena, (size_t)code->inst_count + 1, sizeof *insts);
    for (uint32_t i = 0; insts != NULL && i < code->inst_count; i++) {
        insts[i] = code->insts[i];
        if (insts[i].unit != UNIT_NONE && insts[i].unit == block->memory_unit)
            insts[i].latency += work->machine->mem_latency - block->machine.mem_latency;
    }
    return insts;
}

static wb_status add_blocks_by_hand(const struct class_source *source, struct grid_work *work) {
    const struct synthetic_block *block = source->by_hand;
    const bool is_slow = work->machine != &block->machine;
    struct timed_inst *insts = is_slow ? slow_code(block, work) : block->timed.code.insts;
    work->class_of = arena_array(&work->arena, (size_t)block->block_count + 1, sizeof *work->class_of);
    if (work->class_of == NULL || insts == NULL)
        return diagnose_out_of_memory(source->diagnostics, work->machine->name);
    for (size_t k = 0; k < block->classes.count; k++) {
        const struct synthetic_blocks *class = &block->classes.items[k];
        struct timed_block timed = class->timed; /* refers to what the block owns */
        timed.code.insts = insts;
        WB_TRY(timed_block_check(&timed, source->diagnostics));
        WB_TRY(profile_class(&timed, source->watch, source->diagnostics, work));
        work->classes.items[k].timed = is_slow ? NULL : &class->timed;
        for (uint32_t b = 0; b < class->count; b++)
            grid_work_add_block(work, (uint32_t)k, 1);
    }
    return WB_OK;
}

/* Finds the code that any covering block of a grid executes, where blocks share it; else none. */
static wb_status time_covering_code(const struct class_source *source, struct grid_work *work) {
    const struct wb_grid *grid = source->covering;
    const char *kernel = wb_kernel_name(grid->kernel);
    const uint32_t count = grid->code_first[grid->kernel->module->function_count];
    bool *any = arena_array(&work->arena, (size_t)count + 1, sizeof *any);
    if (!models[machine_isa(work->machine)].shares_code) return WB_OK;
    if (any == NULL) return diagnose_out_of_memory(source->diagnostics, kernel);
    for (size_t k = 0; k < grid->covering.count; k++) {
        const struct wb_block *block = grid->covering.items[k].block;
        const bool *used = executed_instructions(block->paths.items, block->paths.count, count, &work->arena);
        if (used == NULL) return diagnose_out_of_memory(source->diagnostics, kernel);
        for (uint32_t i = 0; i < count; i++)
            any[i] = any[i] || used[i];
    }
    const struct wb_block *first = grid->covering.items[0].block;
    const struct executed_code executed = {first->kernel, first->code_first, first->size,  first->warp_width,
                                           any,           &first->objects,   &first->notes};
    return timed_code_from(&executed, work->machine, source->diagnostics, &work->arena, &work->covered);
}

/* Adds the class of a covering block. */
static wb_status add_covering(const struct wb_block *block, const wb_watch *watch,
                              wb_diagnostics *diagnostics, struct grid_work *work) {
    struct timed_block timed = {0};
    wb_status status = time_block(block, work->machine, diagnostics, &timed);
    if (status == WB_OK) status = share_sm(&work->covered, &timed, diagnostics);
    if (status == WB_OK) status = profile_class(&timed, watch, diagnostics, work);
    if (status == WB_OK) work->classes.items[work->classes.count - 1].timed = NULL;
    timed_block_free(&timed);
    return status;
}

static wb_status add_blocks_covering(const struct class_source *source, struct grid_work *work) {
    const struct wb_grid *grid = source->covering;
    const uint32_t classes = (uint32_t)grid->covering.count;
    work->covering = grid->covering.items[0].block;
    work->class_of = arena_array(&work->arena, grid->blocks.count + 1, sizeof *work->class_of);
    if (work->class_of == NULL) return diagnose_out_of_memory(source->diagnostics, work->machine->name);
    WB_TRY(time_covering_code(source, work));
    for (uint32_t k = 0; k < classes; k++) {
        WB_TRY(ask_watch(source->watch, k, classes, source->diagnostics));
        WB_TRY(add_covering(grid->covering.items[k].block, source->watch, source->diagnostics, work));
    }
    for (size_t b = 0; b < grid->blocks.count; b++)
        grid_work_add_block(work, grid->blocks.items[b].covering, 1);
    return WB_OK;
}

/* Fills `work`, whose machine is set, but for what its requests add. */
static wb_status fill(const struct class_source *source, struct block_classes *classes,
                      struct grid_work *work) {
    if (source->by_hand != NULL)
        WB_TRY(add_blocks_by_hand(source, work));
    else if (source->covering != NULL)
        WB_TRY(add_blocks_covering(source, work));
    else if (source->timed != NULL)
        WB_TRY(add_blocks(source->timed, source->watch, source->diagnostics, classes, work));
    return find_resident(&source->demand, source->diagnostics, work);
}

/* Makes the same grid as `work` with latencies of requests that count `wait` cycles more. None where that is
 * out of range. */
static wb_status make_slow(const struct class_source *source, cycles wait, struct grid_work *work,
                           struct grid_work **made) {
    struct wb_machine *machine = arena_alloc(&work->arena, sizeof *machine);
    struct grid_work *slow = arena_alloc(&work->arena, sizeof *slow);
    if (machine == NULL || slow == NULL)
        return diagnose_out_of_memory(source->diagnostics, work->machine->name);
    if (wait == 0 || wait > WAIT_MAX) return WB_OK;
    *machine = *work->machine;
    machine->mem_latency += (uint32_t)wait;
    *slow = (struct grid_work){.machine = machine};
    *made = slow; /* work frees it */
    WB_TRY(fill(source, NULL, slow));
    contention_copy(work, wait, slow);
    if (made == &work->in_order) contention_charge(slow); /* what is published has no limit on requests */
    if (grid_work_finish(slow) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(source->diagnostics, work->machine->name);
}

/* Counts the requests to the memory that all SMs share. */
static wb_status count_requests(const struct class_source *source, struct grid_work *work) {
    if (source->timed != NULL) {
        if (contention_count(source->timed, work) == WB_OK) return WB_OK;
        return diagnose_out_of_memory(source->diagnostics, work->machine->name);
    }
    for (size_t k = 0; k < work->classes.count; k++) {
        struct request_load *load = &work->classes.items[k].load;
        struct wb_grid isolated = {0};
        struct timed_grid timed = {0};
        wb_status status =
            source->by_hand != NULL
                ? contended_block_by_hand(source->by_hand, k, source->diagnostics, &isolated, &timed, load)
                : contended_block_make(source->covering->covering.items[k].block, work->machine,
                                       source->diagnostics, &isolated, &timed, load);
        timed_grid_free(&timed);
        grid_clear(&isolated);
        WB_TRY(status);
    }
    contention_sum(work);
    return WB_OK;
}

static wb_status make_work(const struct class_source *source, struct block_classes *classes,
                           struct grid_work *work) {
    WB_TRY(fill(source, classes, work));
    if (memory_is_contended(&work->machine->memory)) WB_TRY(count_requests(source, work));
    contention_charge(work);
    if (grid_work_finish(work) != WB_OK)
        return diagnose_out_of_memory(source->diagnostics, work->machine->name);
    WB_TRY(make_slow(source, contention_wait(work), work, &work->in_order));
    return make_slow(source, contention_wait_published(work), work, &work->published);
}

wb_status block_classes_make(const struct timed_grid *timed, const wb_watch *watch,
                             wb_diagnostics *diagnostics, struct block_classes *classes,
                             struct grid_work *work) {
    const struct class_source source = {
        .timed = timed, .demand = grid_block_demand(timed->grid), .watch = watch, .diagnostics = diagnostics};
    work->machine = timed->machine;
    return make_work(&source, classes, work);
}

wb_status block_classes_covering(const struct wb_grid *grid, const struct wb_machine *machine,
                                 const wb_watch *watch, wb_diagnostics *diagnostics, struct grid_work *work) {
    const struct class_source source = {
        .covering = grid, .demand = grid_block_demand(grid), .watch = watch, .diagnostics = diagnostics};
    work->machine = machine;
    return make_work(&source, NULL, work);
}

wb_status block_classes_by_hand(const struct synthetic_block *block, const wb_watch *watch,
                                wb_diagnostics *diagnostics, struct grid_work *work) {
    const struct class_source source = {.by_hand = block, .watch = watch, .diagnostics = diagnostics};
    work->machine = &block->machine;
    return make_work(&source, NULL, work);
}

void block_classes_free(struct block_classes *classes) {
    for (uint32_t k = 0; k < classes->kept_count; k++)
        class_times_free(classes->kept[k]);
}
