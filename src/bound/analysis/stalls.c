#include "bound/analysis/verdict.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "bound/analysis/lane_time.h"
#include "sass/sass.h"
#include "sim/gpu/gpu.h"
#include "sim/sm/host.h"
#include "warp/trace/trace.h"

/* Lanes of a warp that a mask can name. */
#define LANES 32u

/* Warp instructions that are executed at most: some seconds. */
#define EXECUTED_MAX (UINT64_C(1) << 24)

/* Kernels of sm_87 begin with code that is jumped over where an earlier kernel has been through it. Which it
 * is the code does not say (assumption E26 takes it for the first): its stalls are not counted. */
static bool is_skipped_start(const struct machine_code *code, const struct machine_inst *inst) {
    const struct machine_inst *first = &code->insts[code->kernels[inst->kernel].first];
    if (code->sm != 87 || code->kernels[inst->kernel].count < 2) return false;
    const struct sass_inst *test = &first[0].sass, *skip = &first[1].sass;
    return test->op == SASS_OP_ISETP && test->b.kind == SASS_SOURCE_UREG && skip->op == SASS_OP_BRA &&
           inst->address > first[1].address && inst->address < skip->target;
}

/* The code of a grid: what each issued instruction waits for, and makes others wait for. */
struct code_rules {
    const struct wb_grid *grid;
    const struct machine_code *code;
    uint32_t *machine; /* per issued instruction the machine's */
    struct issue_rule *rules;
};

static void code_rules_free(struct code_rules *code) {
    free(code->machine);
    free(code->rules);
}

static wb_status code_rules_make(const struct wb_grid *grid, struct code_rules *code) {
    const struct wb_module *module = grid->kernel->module;
    const uint32_t count = grid->instruction_count;
    *code = (struct code_rules){.grid = grid, .code = module->code};
    code->machine = calloc((size_t)count + 1, sizeof *code->machine);
    code->rules = calloc((size_t)count + 1, sizeof *code->rules);
    if (code->machine == NULL || code->rules == NULL) return WB_ERR_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        code->machine[i] = code_inst(module, grid->code_first, i, NULL)->machine;
        const struct machine_inst *inst = &module->code->insts[code->machine[i]];
        code->rules[i] = issue_rule_of(module->code->sm, &inst->sass);
        if (is_skipped_start(module->code, inst)) code->rules[i].stall = 0;
    }
    return WB_OK;
}

/* ---- A path -------------------------------------------------------------------------------------------- */

/* Divides the lanes of a warp into groups that are active in the same entries; how many there are. */
static uint32_t group_lanes(const struct path *path, uint32_t groups[LANES]) {
    uint32_t count = 1, mask = 0;
    groups[0] = UINT32_MAX;
    for (size_t i = 0; i < path->entries.count; i++) {
        const struct path_entry *entry = &path->entries.items[i];
        if (entry->count == PATH_REPEAT || entry->mask == mask) continue;
        mask = entry->mask;
        for (uint32_t g = 0, before = count; g < before; g++) {
            if ((groups[g] & mask) == 0 || (groups[g] & ~mask) == 0) continue;
            groups[count++] = groups[g] & ~mask;
            groups[g] &= mask;
        }
    }
    return count;
}

/* The lanes that take longest, and how long. */
static struct lane_time longest_lanes(const struct code_rules *code, const struct path *path,
                                      uint32_t *lanes) {
    uint32_t groups[LANES];
    const uint32_t count = group_lanes(path, groups);
    struct lane_time most = {0};
    *lanes = 0;
    for (uint32_t g = 0; g < count; g++) {
        const struct lane_time time = lane_time(code->rules, path, groups[g], NULL);
        const bool is_first = __builtin_ctz(groups[g]) < __builtin_ctz(*lanes | 1U << 31);
        if (time.total < most.total || time.total == 0 || (time.total == most.total && !is_first)) continue;
        most = time;
        *lanes = groups[g];
    }
    return most;
}

/* ---- The loop with most -------------------------------------------------------------------------------- */

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

/* The smallest loop, a branch back and what is between, with at least half of all cycles; `spent` is of
 * instructions of the machine. */
static void find_loop(const struct machine_code *code, const uint64_t *spent, wb_stalls *found) {
    uint32_t size = UINT32_MAX;
    for (uint32_t i = 0; i < code->inst_count; i++) {
        const struct machine_inst *inst = &code->insts[i];
        if (inst->sass.op != SASS_OP_BRA || inst->sass.target > inst->address || spent[i] == 0) continue;
        const uint32_t length = (inst->address - inst->sass.target) / SASS_BYTES;
        cycles sum = 0;
        for (uint32_t in = i - length; in <= i; in++)
            sum = cycles_add(sum, spent[in]);
        if (sum < found->cycles / 2 || length >= size) continue;
        size = length;
        found->loop[0] = inst->sass.target;
        found->loop[1] = inst->address;
        found->loop_cycles = sum;
        take_lines(code, inst, inst - length, found);
    }
}

static wb_status explain_longest(const struct code_rules *code, const struct path *path, uint32_t lanes,
                                 wb_stalls *found) {
    const uint32_t issued = code->grid->instruction_count;
    uint64_t *profile = calloc((size_t)issued + 1, sizeof *profile);
    uint64_t *spent = calloc((size_t)code->code->inst_count + 1, sizeof *spent);
    if (profile != NULL && spent != NULL) {
        (void)lane_time(code->rules, path, lanes, profile);
        for (uint32_t i = 0; i < issued; i++)
            spent[code->machine[i]] = cycles_add(spent[code->machine[i]], profile[i]);
        find_loop(code->code, spent, found);
    }
    const bool failed = profile == NULL || spent == NULL;
    free(profile);
    free(spent);
    return failed ? WB_ERR_LIMIT : WB_OK;
}

/* ---- A grid -------------------------------------------------------------------------------------------- */

/* A path whose longest lane is among the longest of all. */
struct long_way {
    size_t path;
    uint32_t lanes; /* that take longest */
    struct lane_time time;
};

struct long_ways {
    struct long_way items[WB_STALLS_WARPS]; /* the longest first */
    size_t count;
};

static void keep_way(struct long_ways *ways, const struct long_way *way) {
    const bool is_full = ways->count == WB_STALLS_WARPS;
    if (way->time.total == 0 || (is_full && ways->items[ways->count - 1].time.total >= way->time.total))
        return;
    size_t place = is_full ? ways->count - 1 : ways->count++;
    for (; place > 0 && ways->items[place - 1].time.total < way->time.total; place--)
        ways->items[place] = ways->items[place - 1];
    ways->items[place] = *way;
}

/* The first block, and the first warp of it, that goes each of these ways. */
static void find_warps(const struct wb_grid *grid, const struct long_ways *ways, wb_stalls *found) {
    size_t left = ways->count;
    for (size_t b = 0; b < grid->blocks.count && left > 0; b++) {
        const struct block_shape *shape = &grid->shapes.items[grid->blocks.items[b].shape];
        for (uint32_t w = 0; w < grid->warp_count; w++) {
            for (size_t i = 0; i < ways->count; i++) {
                wb_stalls_warp *warp = &found->warps[i];
                if (warp->cycles > 0 || shape->warps[w].path != ways->items[i].path) continue;
                *warp = (wb_stalls_warp){.cycles = ways->items[i].time.total, .warp = w};
                grid_block_index(grid, (uint32_t)b, warp->block);
                left--;
            }
        }
    }
    assert(left == 0);
}

/* The longest lane of each path, once; then the first block and warp that has the longest of all. */
static wb_status find_longest(const struct code_rules *code, wb_stalls *found) {
    const struct wb_grid *grid = code->grid;
    struct long_ways ways = {0};
    for (size_t p = 0; p < grid->paths.count; p++) {
        struct long_way way = {.path = p};
        way.time = longest_lanes(code, &grid->paths.items[p], &way.lanes);
        keep_way(&ways, &way);
    }
    if (ways.count == 0) return WB_OK;
    const struct long_way *longest = &ways.items[0];
    found->warp_count = ways.count;
    find_warps(grid, &ways, found);
    found->cycles = longest->time.total;
    found->wait_cycles = longest->time.waits;
    found->lane = (uint32_t)__builtin_ctz(longest->lanes);
    found->warp = found->warps[0].warp;
    memcpy(found->block, found->warps[0].block, sizeof found->block);
    return explain_longest(code, &grid->paths.items[longest->path], longest->lanes, found);
}

wb_status stalls_of_grid(const wb_grid *grid, wb_diagnostics *diagnostics, wb_stalls *stalls) {
    const struct wb_module *module = grid->kernel->module;
    struct code_rules rules = {0};
    *stalls = (wb_stalls){0};
    wb_status status = code_rules_make(grid, &rules);
    if (status == WB_OK) status = find_longest(&rules, stalls);
    if (status != WB_OK) (void)diagnose_out_of_memory(diagnostics, "stalls");
    stalls->code = &module->input;
    stalls->sm = module->code->sm;
    code_rules_free(&rules);
    return status;
}

wb_status stalls_find(const wb_kernel *kernel, const wb_launch *launch, const uint32_t *block,
                      wb_diagnostics *diagnostics, wb_stalls *stalls) {
    wb_grid_options options = {.size = sizeof options,
                               .one_block = block != NULL,
                               .until_unknown = true, /* what one block executes before that is enough */
                               .instruction_limit = EXECUTED_MAX};
    wb_grid *grid = NULL;
    *stalls = (wb_stalls){0};
    if (kernel->module->code == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, kernel->module->source.name,
                 "it is PTX, which has no stall counts");
        return WB_ERR_INPUT;
    }
    if (block != NULL) memcpy(options.block, block, sizeof options.block);
    WB_TRY(wb_grid_trace(kernel, launch, &options, diagnostics, &grid));
    if (grid_walk_length(grid) > EXECUTED_MAX) { /* passes that are skipped do not count for the limit */
        diagnose(diagnostics, SEVERITY_ERROR, wb_kernel_name(kernel),
                 "its warps execute too much to be timed");
        wb_grid_free(grid);
        return WB_ERR_DECLINED;
    }
    wb_status status = stalls_of_grid(grid, diagnostics, stalls);
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
        warp >= analysis->timed->warp_count ||
        analysis->timed->paths[analysis->timed->warp_path[warp]].length > EXECUTED_MAX)
        return WB_OK;
    struct timed_block alone = *analysis->timed;
    wb_simulation simulation;
    alone.warp_path = &analysis->timed->warp_path[warp];
    alone.warp_count = 1;
    alone.traffic = NULL; /* which is of all warps */
    WB_TRY(simulate(&alone, &policy_lrr, NULL, NULL, diagnostics, &simulation));
    *stated = simulation.cycles;
    return WB_OK;
}

/* The machine's times of the warps of one block. */
static wb_status compare_block(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                               const uint32_t place[3], wb_diagnostics *diagnostics, wb_stalls *stalls) {
    wb_trace_options options = {.size = sizeof options,
                                .record_accesses = wb_machine_needs_accesses(machine),
                                .warp_width = wb_machine_warp_width(machine),
                                .instruction_limit = EXECUTED_MAX};
    wb_block *block = NULL;
    wb_analysis *analysis = NULL;
    memcpy(options.block, place, sizeof options.block);
    WB_TRY(wb_block_trace(kernel, launch, &options, diagnostics, &block));
    wb_status status = wb_analysis_new(block, machine, diagnostics, &analysis);
    for (size_t i = 0; i < stalls->warp_count && status == WB_OK; i++) {
        wb_stalls_warp *warp = &stalls->warps[i];
        if (memcmp(warp->block, place, sizeof warp->block) == 0)
            status = lone_warp(analysis, warp->warp, diagnostics, &warp->stated);
    }
    wb_analysis_free(analysis);
    wb_block_free(block);
    return status;
}

wb_status stalls_compare(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                         wb_diagnostics *diagnostics, wb_stalls *stalls) {
    for (size_t i = 0; i < stalls->warp_count; i++) {
        const uint32_t *place = stalls->warps[i].block;
        bool is_done = false;
        for (size_t j = 0; j < i; j++)
            is_done = is_done || memcmp(stalls->warps[j].block, place, 3 * sizeof *place) == 0;
        if (!is_done) WB_TRY(compare_block(kernel, launch, machine, place, diagnostics, stalls));
    }
    return WB_OK;
}

const wb_stalls_warp *wb_stalls_refuting(const wb_stalls *stalls) {
    const wb_stalls_warp *furthest = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < stalls->warp_count; i++) {
        const wb_stalls_warp *warp = &stalls->warps[i];
        if (warp->stated == 0 || warp->stated >= warp->cycles || warp->cycles - warp->stated <= most)
            continue;
        most = warp->cycles - warp->stated;
        furthest = warp;
    }
    return furthest;
}

void analysis_set_stalls(wb_analysis *analysis, const wb_stalls *stalls) {
    analysis->stalls = *stalls;
}

/* The longest of all blocks says nothing against a bound of one of them. */
static bool is_about(const struct wb_analysis *analysis, const wb_verdict *verdict) {
    return verdict->scope == WB_SCOPE_KERNEL || verdict->every_block || verdict->judged == analysis;
}

const wb_bound *stalls_refute(const struct wb_analysis *analysis, const wb_verdict *verdict) {
    const wb_stalls *stalls = &analysis->stalls;
    const wb_bound *bound = verdict->bound;
    if (bound == NULL || analysis_model(analysis) == WB_MODEL_NONE)
        return NULL; /* else it is a contradiction */
    if (!is_about(analysis, verdict)) return NULL;
    const bool is_below = bound->cycles < stalls->cycles;
    return is_below || wb_stalls_refuting(stalls) != NULL ? bound : NULL;
}
