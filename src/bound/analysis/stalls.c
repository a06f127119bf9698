#include "bound/analysis/stalls.h"

#include <stdlib.h>
#include <string.h>

#include "base/cycles.h"
#include "sass/machine_code.h"
#include "sim/gpu/simulator.h"
#include "sim/sm/policy.h"
#include "warp/trace/grid.h"

/* Lanes of a warp that a mask can name. */
#define LANES 32u

/* Stalls from this count on are waited for only together with a yield: else the warp goes on sooner. */
#define STALL_WITH_YIELD 12u

/* Warp instructions that are executed at most: some ten seconds. */
#define EXECUTED_MAX UINT64_C(200000000)

uint32_t stalls_of_control(const struct sass_control *control) {
    if (control->yield) return control->stall < 2 ? 2 : control->stall;
    return control->stall == 0 || control->stall >= STALL_WITH_YIELD ? 1 : control->stall;
}

/* Kernels of sm_87 begin with code that is jumped over where an earlier kernel has been through it. Which it
 * is the code does not say (assumption E26 takes it for the first): its stalls are not counted. */
static bool is_skipped_start(const struct machine_code *code, const struct machine_inst *inst) {
    const struct machine_inst *first = &code->insts[code->kernels[inst->kernel].first];
    if (code->sm != 87 || code->kernels[inst->kernel].count < 2) return false;
    const struct sass_inst *test = &first[0].sass, *skip = &first[1].sass;
    return test->op == SASS_OP_ISETP && test->b.kind == SASS_SOURCE_UREG && skip->op == SASS_OP_BRA &&
           inst->address > first[1].address && inst->address < skip->target;
}

/* The code of a grid: what each issued instruction costs, and sums of that. */
struct code_stalls {
    const struct wb_grid *grid;
    const struct machine_code *code;
    uint32_t *machine; /* per issued instruction the machine's */
    uint64_t *before;  /* stalls of the instructions before it; one more entry */
};

static void code_stalls_free(struct code_stalls *stalls) {
    free(stalls->machine);
    free(stalls->before);
}

static wb_status code_stalls_make(const struct wb_grid *grid, struct code_stalls *stalls) {
    const struct wb_module *module = grid->kernel->module;
    const uint32_t count = grid->instruction_count;
    *stalls = (struct code_stalls){.grid = grid, .code = module->code};
    stalls->machine = calloc((size_t)count + 1, sizeof *stalls->machine);
    stalls->before = calloc((size_t)count + 1, sizeof *stalls->before);
    if (stalls->machine == NULL || stalls->before == NULL) return WB_ERR_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        stalls->machine[i] = code_inst(module, grid->code_first, i, NULL)->machine;
        const struct machine_inst *inst = &module->code->insts[stalls->machine[i]];
        const bool skipped = is_skipped_start(module->code, inst);
        stalls->before[i + 1] = stalls->before[i] + (skipped ? 0 : stalls_of_control(&inst->sass.control));
    }
    return WB_OK;
}

static uint64_t stalls_between(const struct code_stalls *stalls, uint32_t first, uint32_t end) {
    return stalls->before[end] - stalls->before[first];
}

/* ---- A path -------------------------------------------------------------------------------------------- */

/* Per lane the stalls of the instructions that it has, but for the last of them. */
struct lane_sums {
    cycles sum[LANES];
    uint32_t last[LANES];
    uint32_t lanes; /* that have any */
};

static void add_run(const struct code_stalls *stalls, const struct path_entry *run, uint64_t times,
                    void *user) {
    struct lane_sums *sums = user;
    const cycles all = cycles_mul(stalls_between(stalls, run->first, run->first + run->count), times);
    sums->lanes |= run->mask;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (!(run->mask >> lane & 1)) continue;
        sums->sum[lane] = cycles_add(sums->sum[lane], all);
        sums->last[lane] = run->first + run->count - 1;
    }
}

/* What is done with a run of a path that is executed so many times. */
typedef void run_use(const struct code_stalls *stalls, const struct path_entry *run, uint64_t times,
                     void *user);

static void for_runs(const struct code_stalls *stalls, const struct path *path, run_use *use, void *user) {
    for (size_t i = 0; i < path->entries.count; i++) {
        const struct path_entry *entry = &path->entries.items[i];
        if (entry->count != PATH_REPEAT) use(stalls, entry, 1, user);
        for (size_t run = i - entry->first; entry->count == PATH_REPEAT && run < i; run++)
            use(stalls, &path->entries.items[run], entry->mask, user);
    }
}

/* The lane with most, without what its last instruction would hold up. */
static cycles longest_lane(const struct code_stalls *stalls, const struct path *path, uint32_t *lane) {
    struct lane_sums sums = {0};
    cycles most = 0;
    for_runs(stalls, path, add_run, &sums);
    *lane = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        if (!(sums.lanes >> i & 1)) continue;
        const cycles sum = cycles_sub(sums.sum[i], stalls_between(stalls, sums.last[i], sums.last[i] + 1));
        if (sum > most) {
            most = sum;
            *lane = i;
        }
    }
    return most;
}

/* ---- The loop with most -------------------------------------------------------------------------------- */

/* Stalls of one lane, per instruction of the machine. */
struct lane_profile {
    uint32_t lane;
    uint64_t *stalls;
};

static void add_profile(const struct code_stalls *stalls, const struct path_entry *run, uint64_t times,
                        void *user) {
    const struct lane_profile *profile = user;
    if (!(run->mask >> profile->lane & 1)) return;
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        uint64_t *sum = &profile->stalls[stalls->machine[i]];
        *sum = cycles_add(*sum, cycles_mul(stalls_between(stalls, i, i + 1), times));
    }
}

static void take_lines(const struct machine_code *code, const struct machine_inst *last,
                       const struct machine_inst *first, wb_stalls *found) {
    found->loop_file = last->line != 0 && last->file < code->file_count ? code->files[last->file] : NULL;
    found->loop_lines[0] = UINT32_MAX;
    found->loop_lines[1] = 0;
    for (const struct machine_inst *inst = first; inst <= last; inst++) {
        if (inst->line == 0 || inst->file != last->file) continue;
        if (inst->line < found->loop_lines[0]) found->loop_lines[0] = inst->line;
        if (inst->line > found->loop_lines[1]) found->loop_lines[1] = inst->line;
    }
    if (found->loop_lines[1] == 0) found->loop_file = NULL;
}

/* The smallest loop, a branch back and what is between, with at least half of all stalls. */
static void find_loop(const struct machine_code *code, const struct lane_profile *profile, wb_stalls *found) {
    uint32_t size = UINT32_MAX;
    for (uint32_t i = 0; i < code->inst_count; i++) {
        const struct machine_inst *inst = &code->insts[i];
        if (inst->sass.op != SASS_OP_BRA || inst->sass.target > inst->address || profile->stalls[i] == 0)
            continue;
        const uint32_t length = (inst->address - inst->sass.target) / SASS_BYTES;
        cycles sum = 0;
        for (uint32_t in = i - length; in <= i; in++)
            sum = cycles_add(sum, profile->stalls[in]);
        if (sum < found->cycles / 2 || length >= size) continue;
        size = length;
        found->loop[0] = inst->sass.target;
        found->loop[1] = inst->address;
        found->loop_cycles = sum;
        take_lines(code, inst, inst - length, found);
    }
}

static wb_status explain_longest(const struct code_stalls *stalls, const struct path *path,
                                 wb_stalls *found) {
    struct lane_profile profile = {found->lane,
                                   calloc((size_t)stalls->code->inst_count + 1, sizeof *profile.stalls)};
    if (profile.stalls == NULL) return WB_ERR_LIMIT;
    for_runs(stalls, path, add_profile, &profile);
    find_loop(stalls->code, &profile, found);
    free(profile.stalls);
    return WB_OK;
}

/* ---- A grid -------------------------------------------------------------------------------------------- */

/* The place of a block in the grid by its number among those that were executed. */
static void block_place(const struct wb_grid *grid, size_t number, uint32_t place[3]) {
    memcpy(place, grid->first_index, 3 * sizeof *place);
    if (grid->blocks.count == 1) return;
    place[0] = (uint32_t)(number % grid->dimensions[0]);
    place[1] = (uint32_t)(number / grid->dimensions[0] % grid->dimensions[1]);
    place[2] = (uint32_t)(number / grid->dimensions[0] / grid->dimensions[1]);
}

/* The longest lane of each path, once; then the first block and warp that has the longest of all. */
static wb_status find_longest(const struct code_stalls *stalls, wb_stalls *found) {
    const struct wb_grid *grid = stalls->grid;
    size_t longest = 0;
    for (size_t p = 0; p < grid->paths.count; p++) {
        uint32_t lane;
        const cycles sum = longest_lane(stalls, &grid->paths.items[p], &lane);
        if (sum <= found->cycles) continue;
        found->cycles = sum;
        found->lane = lane;
        longest = p;
    }
    if (found->cycles == 0) return WB_OK;
    for (size_t b = grid->blocks.count; b-- > 0;) {
        const struct block_shape *shape = &grid->shapes.items[grid->blocks.items[b].shape];
        for (uint32_t w = grid->warp_count; w-- > 0;) {
            if (shape->warps[w].path != longest) continue;
            found->warp = w;
            block_place(grid, b, found->block);
        }
    }
    return explain_longest(stalls, &grid->paths.items[longest], found);
}

wb_status wb_stalls_find(const wb_kernel *kernel, const wb_launch *launch, const uint32_t *block,
                         wb_diagnostics *diagnostics, wb_stalls *stalls) {
    wb_grid_options options = {
        .size = sizeof options, .one_block = block != NULL, .instruction_limit = EXECUTED_MAX};
    struct code_stalls sums = {0};
    wb_grid *grid = NULL;
    *stalls = (wb_stalls){0};
    if (kernel->module->code == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, kernel->module->source.name,
                 "it is PTX, which has no stall counts");
        return WB_ERR_INPUT;
    }
    if (block != NULL) memcpy(options.block, block, sizeof options.block);
    WB_TRY(wb_grid_trace(kernel, launch, &options, diagnostics, &grid));
    wb_status status = code_stalls_make(grid, &sums);
    if (status == WB_OK) status = find_longest(&sums, stalls);
    if (status != WB_OK) (void)diagnose_out_of_memory(diagnostics, "stalls");
    stalls->code = &kernel->module->input;
    stalls->sm = kernel->module->code->sm;
    code_stalls_free(&sums);
    wb_grid_free(grid);
    return status;
}

/* ---- What they refute ---------------------------------------------------------------------------------- */

/* How long the machine says that the block's warp takes by itself: one warp is issued in order, and no time
 * of it that is shorter ends it later. 0: on this machine it depends on more than that. */
static wb_status lone_warp(const wb_analysis *analysis, uint32_t warp, wb_diagnostics *diagnostics,
                           uint64_t *stated) {
    *stated = 0;
    if (analysis->kind != SUBJECT_BLOCK || analysis->machine->fetch.size != 0 ||
        warp >= analysis->timed->warp_count)
        return WB_OK;
    struct timed_block alone = *analysis->timed;
    wb_simulation simulation;
    alone.warp_path = &analysis->timed->warp_path[warp];
    alone.warp_count = 1;
    WB_TRY(simulate(&alone, &policy_lrr, NULL, NULL, diagnostics, &simulation));
    *stated = simulation.cycles;
    return WB_OK;
}

wb_status wb_stalls_compare(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                            wb_diagnostics *diagnostics, wb_stalls *stalls) {
    wb_trace_options options = {.size = sizeof options,
                                .record_accesses = wb_machine_needs_accesses(machine),
                                .warp_width = wb_machine_warp_width(machine),
                                .instruction_limit = EXECUTED_MAX};
    wb_block *block = NULL;
    wb_analysis *analysis = NULL;
    memcpy(options.block, stalls->block, sizeof options.block);
    stalls->stated = 0;
    WB_TRY(wb_block_trace(kernel, launch, &options, diagnostics, &block));
    wb_status status = wb_analysis_new(block, machine, diagnostics, &analysis);
    if (status == WB_OK) status = lone_warp(analysis, stalls->warp, diagnostics, &stalls->stated);
    wb_analysis_free(analysis);
    wb_block_free(block);
    return status;
}

void wb_analysis_set_stalls(wb_analysis *analysis, const wb_stalls *stalls) {
    analysis->stalls = *stalls;
}

const wb_stalls *wb_analysis_stalls(const wb_analysis *analysis) {
    return analysis->stalls.cycles > 0 ? &analysis->stalls : NULL;
}

/* The longest of all blocks says nothing against a bound of one of them. */
static bool is_about(const struct wb_analysis *analysis, const wb_verdict *verdict) {
    return verdict->scope == WB_SCOPE_KERNEL || verdict->every_block || verdict->judged == analysis;
}

const wb_bound *stalls_refute(const struct wb_analysis *analysis, const wb_verdict *verdict) {
    const wb_stalls *stalls = &analysis->stalls;
    const wb_bound *bound = verdict->bound;
    if (bound == NULL || !is_about(analysis, verdict)) return NULL;
    const bool is_below = bound->cycles < stalls->cycles;
    const bool times_are_below = stalls->stated != 0 && stalls->stated < stalls->cycles;
    return is_below || times_are_below ? bound : NULL;
}
