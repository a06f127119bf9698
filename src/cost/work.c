#include "cost/costs.h"

#include "bound/grid/block_requests.h"
#include "bound/grid/grid_work.h"
#include "memory/requests/requests.h"
#include "warp/path/path.h"

/* Adds the executions by `times` warps to the differences from each entry's count to the next one's. */
static void count_run(uint64_t *differences, const struct path_entry *entry, uint64_t times) {
    differences[entry->first] += times; /* sums wrap round; only their differences count */
    differences[entry->first + entry->count] -= times;
}

uint64_t *cost_executions(const struct timed_block *timed, struct arena *arena) {
    uint64_t *counts = arena_array(arena, (size_t)timed->code.inst_count + 1, sizeof *counts);
    uint64_t *warps = arena_array(arena, (size_t)timed->path_count + 1, sizeof *warps);
    if (counts == NULL || warps == NULL) return NULL;
    for (uint32_t w = 0; w < timed->warp_count; w++)
        warps[timed->warp_path[w]]++;
    for (uint32_t p = 0; p < timed->path_count; p++) {
        struct path_runs runs = path_runs_of(&timed->paths[p]);
        struct path_entry run;
        for (uint64_t times; path_runs_next(&runs, &run, &times);)
            count_run(counts, &run, warps[p] * times);
    }
    for (uint32_t i = 0; i < timed->code.inst_count; i++)
        counts[i + 1] += counts[i];
    return counts;
}

/* Counts executions of an instruction that keep its unit for `init` cycles each. */
static void add_executions(const struct timed_inst *inst, uint64_t executions, cycles init,
                           struct cost_work *work) {
    work->executed = true;
    work->unit = inst->unit;
    if (!inst->uncounted) work->executions = cycles_add(work->executions, executions);
    if (inst->unit == UNIT_NONE) return;
    work->issue = cycles_add(work->issue, executions);
    work->busy = cycles_add(work->busy, cycles_mul(executions, cycles_sub(init, 1)));
}

/* The same of machine code that is timed: what it keeps of its units, behind the cycle of its issue. */
static void add_code_executions(const struct timed_code *timed, uint32_t entry, uint64_t executions,
                                struct cost_work *work) {
    const struct sass_timed *code = &timed->sass[entry];
    cycles held = 0;
    work->executed = true;
    if (code->stage_count > 0) work->unit = code->stages[code->stage_count - 1].unit;
    for (uint32_t s = 0; s < code->stage_count; s++)
        held += code->stages[s].init;
    if (code->fixed) held = cycles_sub(held, 1);
    if (!timed->insts[entry].uncounted) work->executions = cycles_add(work->executions, executions);
    work->issue = cycles_add(work->issue, executions);
    work->busy = cycles_add(work->busy, cycles_mul(executions, held));
}

static void add_ptx_executions(const struct timed_code *timed, uint32_t entry, uint64_t executions,
                               struct cost_work *work) {
    add_executions(&timed->insts[entry], executions, timed->insts[entry].init, work);
}

/* By what the machine times. */
static void (*const adders[])(const struct timed_code *timed, uint32_t entry, uint64_t executions,
                              struct cost_work *work) = {
    [ISA_PTX] = add_ptx_executions, [ISA_SASS] = add_code_executions};

/* Counts the requests and the conflicts of a recorded access, `times` times. */
static void add_access(const struct access *access, const uint64_t *tables, uint32_t granule, uint64_t times,
                       struct cost_work *work) {
    const uint32_t requests = access_request_count(access, tables, granule),
                   wavefronts = access_wavefront_count(access, tables);
    work->requests = cycles_add(work->requests, cycles_mul(requests, times));
    if (access->space == PTX_SPACE_SHARED)
        work->conflicts = cycles_add(work->conflicts, cycles_mul(u32_sub(wavefronts, 1), times));
}

static void add_accesses(const struct timed_block *timed, uint64_t times, struct cost_work *work) {
    const struct wb_block *block = timed->traced;
    const uint32_t granule = memory_request_bytes(&timed->machine->memory);
    for (uint32_t w = 0; block->accesses != NULL && w < block->warp_count; w++) {
        const struct access_list *list = &block->accesses[w];
        for (size_t r = 0; r < list->items.count; r++) {
            const struct access *access = &list->items.items[r];
            add_access(access, list->tables.items, granule, times, &work[access->instruction]);
        }
    }
}

wb_status cost_work_add(const struct timed_block *timed, uint32_t asking, uint64_t times,
                        struct cost_work *work) {
    struct arena arena = {0};
    const uint64_t *counts = cost_executions(timed, &arena);
    uint64_t *fetches = arena_array(&arena, (size_t)timed->code.inst_count + 1, sizeof *fetches);
    wb_status status = counts == NULL || fetches == NULL ? WB_ERR_LIMIT : code_fetch_counts(timed, fetches);
    for (uint32_t i = 0; status == WB_OK && i < timed->code.inst_count; i++) {
        if (counts[i] == 0) continue;
        const struct timed_inst *inst = &timed->code.insts[i];
        struct cost_work *of = &work[timed_origin(&timed->code, i)];
        const uint64_t executions = cycles_mul(counts[i], times);
        adders[machine_isa(timed->machine)](&timed->code, i, executions, of);
        of->fetches = cycles_add(of->fetches, cycles_mul(fetches[i], times));
        if (timed->traced == NULL && inst->unit != UNIT_NONE && (asking >> inst->unit & 1) != 0)
            of->requests = cycles_add(of->requests, cycles_mul(executions, inst->init));
    }
    if (status == WB_OK && timed->traced != NULL) add_accesses(timed, times, work);
    arena_free(&arena);
    return status;
}

void cost_work_add_block(const struct timed_grid *timed, uint32_t block, uint64_t times,
                         struct cost_work *work) {
    for (uint32_t w = 0; w < timed->grid->warp_count; w++) {
        struct warp_steps steps = warp_steps_begin(timed, block, w);
        struct warp_step step;
        while (warp_steps_next_of_sum(&steps, &step)) {
            const uint32_t entry = (uint32_t)(step.inst - timed->code.insts);
            struct cost_work *of = &work[timed_origin(&timed->code, entry)];
            add_executions(step.inst, cycles_mul(times, step.times), step.init, of);
            if (step.access != NULL)
                of->requests = cycles_add(of->requests, cycles_mul(step.access->request_count, times));
            else if (step.inst->init > 0 && step.init > step.inst->init)
                of->conflicts = cycles_add(of->conflicts, cycles_mul(step.init / step.inst->init - 1, times));
        }
    }
}

wb_status cost_add_initiations(const struct timed_block *timed, uint64_t times, struct tally *tally) {
    struct arena arena = {0};
    const uint64_t *counts = cost_executions(timed, &arena);
    for (uint32_t i = 0; counts != NULL && i < timed->code.inst_count; i++) {
        const struct timed_inst *inst = &timed->code.insts[i];
        const uint32_t origin = timed_origin(&timed->code, i);
        if (inst->unit == UNIT_NONE) continue;
        const uint64_t executions = cycles_mul(counts[i], times);
        tally_add(tally, origin, WB_PART_ISSUE, executions);
        tally_add(tally, origin, WB_PART_UNIT, cycles_mul(executions, u32_sub(inst->init, 1)));
    }
    arena_free(&arena);
    return counts == NULL ? WB_ERR_LIMIT : WB_OK;
}

void cost_add_asking(const struct cost_work *work, struct tally *weights) {
    for (size_t i = 0; i < weights->instructions; i++) {
        tally_add(weights, i, WB_PART_MEMORY, work[i].requests);
        tally_add(weights, i, WB_PART_FETCH, work[i].fetches);
    }
}
