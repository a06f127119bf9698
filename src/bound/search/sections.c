/* The bound that knows the least latencies, too: every section of every sub-core by itself, over all
 * schedules. Where units are of one sub-core, sub-cores meet at barriers only, and a barrier holds all warps
 * until the last one has arrived: the longest sections of any sub-core follow one another. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bound/method/method.h"
#include "bound/search/section_search.h"

/* The budget of "all" for such searches, and their budget by name (in units of search_budget). */
#define SECTIONS_WORK 600000000u
#define SECTIONS_NAMED_WORK 3000000000u

/* Most instructions of a path. */
#define SECTIONS_PATH_MAX 1000000u

static bool uses_queues(const struct timed_code *code) {
    for (uint32_t q = 0; q < QUEUE_COUNT; q++)
        if (code->queues[q].count > 0) return true;
    return false;
}

/* Whether an instruction without a unit would have to wait for operands, which the search does not see. */
static bool has_waits_without_units(const struct timed_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++)
        if (code->insts[i].unit == UNIT_NONE &&
            (code->insts[i].source_count != 0 || code->insts[i].destination_count != 0))
            return true;
    return false;
}

static bool has_long_times(const struct timed_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++)
        if ((uint64_t)code->insts[i].init + code->insts[i].latency > SECTION_TIME_MAX) return true;
    return false;
}

/* Whether sub-cores share units, or a unit has several instances. */
static bool has_other_units(const struct wb_machine *machine) {
    for (uint32_t u = 0; u < machine->unit_count; u++)
        if (machine->units[u].count != 1 || (machine->units[u].shared && machine->sub_cores > 1)) return true;
    return false;
}

static bool has_many_warps(const struct bound_input *input) {
    uint32_t lanes[UINT8_MAX + 1] = {0};
    for (size_t g = 0; g < input->profile->groups.count; g++) {
        const struct warp_group *group = &input->profile->groups.items[g];
        lanes[group->sub_core] += group->warps;
        if (lanes[group->sub_core] > SECTION_LANES_MAX) return true;
    }
    return false;
}

/* Barriers on a path; UINT64_MAX of one that is too long to be read. */
static uint64_t barriers_of(const struct timed_block *block, const struct path *path) {
    if (path->length > SECTIONS_PATH_MAX) return UINT64_MAX;
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    uint64_t barriers = 0;
    while (path_next(&cursor, &step))
        barriers += block->code.insts[step.instruction].barrier;
    return barriers;
}

static bool has_equal_barriers(const struct timed_block *block) {
    const uint64_t first = block->path_count > 0 ? barriers_of(block, &block->paths[0]) : 0;
    for (uint32_t p = 1; p < block->path_count; p++)
        if (barriers_of(block, &block->paths[p]) != first) return false;
    return first != UINT64_MAX;
}

static const char *sections_objection(const struct bound_input *input) {
    const struct timed_block *block = input->block;
    const struct wb_machine *machine = block->machine;
    const bool queued = machine->dispatch_depth == DEPTH_UNLIMITED;
    if (machine->model != MACHINE_PLAIN) return "the search is for the model plain";
    if (machine->issue_width != 1 || machine->issue_per_warp > 1)
        return "the search is for sub-cores that issue one instruction a cycle";
    if (!queued && machine->dispatch_depth != 0) return "the search covers dispatch depths 0 and unlimited";
    if (queued && input->profile->sections > 1)
        return "the search of several sections covers dispatch depth 0";
    if (has_other_units(machine)) return "the search is for units with one instance, of one sub-core each";
    if (has_many_warps(input)) return "the search covers at most 4 warps of a sub-core";
    if (uses_queues(&block->code)) return "the search does not cover groups of copies and fences";
    if (has_waits_without_units(&block->code) || has_long_times(&block->code))
        return "the search does not cover such instructions";
    return has_equal_barriers(block) ? NULL : "the search is for warps with equally many barriers";
}

/* Whether some instruction has a least latency: else other bounds say as much. */
static bool sections_fit(const struct bound_input *input) {
    for (uint32_t i = 0; i < input->block->code.inst_count; i++)
        if (input->block->code.insts[i].latency_least > 0) return true;
    return false;
}

/* The sections of a block, and what has been searched of them. */
struct section_sum {
    const struct bound_input *input;
    struct arena arena; /* protected in passes */
    struct block_sections sections;
    struct section_residue *before; /* per path what the rows so far can leave behind */
    struct section_residue *all;    /* per path what any row can */
    size_t last_row;                /* of the block's last sections */
    /* For the current row: per path its program, and the rest that units may have. */
    size_t row;
    struct section_program *programs;
    uint32_t *unit_rests;
    bool too_large;
    cycles complete; /* the last completion */
};

/* Whether the sections of the row are the last ones of all paths, barriers apart that end with them. */
static bool is_last_row(const struct section_sum *sum, size_t row) {
    const struct timed_block *block = sum->input->block;
    for (uint32_t p = 0; p < block->path_count; p++) {
        const struct section_code code = sections_code(&sum->sections, sections_row(&sum->sections, row)[p]);
        struct path_cursor cursor = path_begin(&block->paths[p]);
        struct path_step step;
        uint32_t same = 0; /* instructions of the section at hand that are as in the row */
        bool differs = false;
        while (path_next(&cursor, &step)) {
            differs |= same >= code.count || code.insts[same] != step.instruction;
            same++;
            if (!block->code.insts[step.instruction].barrier) continue;
            same = 0;
            differs = false;
        }
        if (differs || same != code.count) return false;
    }
    return true;
}

/* The pass before the first row. */
static void prepare(void *context) {
    struct section_sum *sum = context;
    const struct timed_block *block = sum->input->block;
    const size_t rows = sum->sections.row_counts.count, paths = (size_t)block->path_count + 1;
    sum->before = arena_array(&sum->arena, paths, sizeof *sum->before);
    sum->all = arena_array(&sum->arena, paths, sizeof *sum->all);
    sum->programs = arena_array(&sum->arena, paths, sizeof *sum->programs);
    sum->unit_rests = arena_array(&sum->arena, UNIT_NONE + 1, sizeof *sum->unit_rests);
    for (uint32_t p = 0; p < block->path_count; p++) {
        section_residue_clear(&sum->sections, &sum->arena, &sum->before[p]);
        section_residue_clear(&sum->sections, &sum->arena, &sum->all[p]);
        for (size_t r = 0; r < rows; r++)
            section_residue_raise(&sum->sections, sections_row(&sum->sections, r)[p], &sum->all[p]);
    }
    while (sum->last_row < rows && !is_last_row(sum, sum->last_row))
        sum->last_row++;
}

/* The pass of a row: what comes once has only rows before it that came first before it. */
static void make_programs(void *context) {
    struct section_sum *sum = context;
    const struct timed_block *block = sum->input->block;
    const bool once = sum->sections.row_counts.items[sum->row] == 1;
    const uint32_t *row = sections_row(&sum->sections, sum->row);
    memset(sum->unit_rests, 0, (UNIT_NONE + 1) * sizeof *sum->unit_rests);
    for (uint32_t p = 0; p < block->path_count; p++) {
        const struct section_residue *residue = once ? &sum->before[p] : &sum->all[p];
        sum->too_large |=
            !section_program_make(&sum->sections, row[p], residue, &sum->arena, &sum->programs[p]);
        for (uint32_t u = 0; u <= UNIT_NONE; u++)
            if (sum->unit_rests[u] < residue->units[u]) sum->unit_rests[u] = residue->units[u];
        section_residue_raise(&sum->sections, row[p], &sum->before[p]);
    }
}

/* The warps of a sub-core. False when those of one before it are the same. */
static bool take_lanes(const struct section_sum *sum, uint32_t sub_core, struct section_task *task) {
    const struct block_profile *profile = sum->input->profile;
    task->lanes = 0;
    for (size_t g = 0; g < profile->groups.count; g++) {
        const struct warp_group *group = &profile->groups.items[g];
        if (group->sub_core != sub_core) continue;
        for (uint32_t w = 0; w < group->warps; w++) {
            uint32_t at = task->lanes++;
            for (; at > 0 && task->programs[at - 1] > &sum->programs[group->path]; at--)
                task->programs[at] = task->programs[at - 1];
            task->programs[at] = &sum->programs[group->path];
        }
    }
    return task->lanes > 0;
}

static bool same_lanes(const struct section_task *a, const struct section_task *b) {
    for (uint32_t i = 0; i < a->lanes && i < b->lanes; i++)
        if (a->programs[i] != b->programs[i]) return false;
    return a->lanes == b->lanes;
}

/* The longest that any sub-core takes for the row at hand. */
static wb_status search_row(struct section_sum *sum, cycles *issued, cycles *complete) {
    const uint32_t sub_cores = sum->input->block->machine->sub_cores;
    struct section_task before = {0};
    *issued = *complete = 0;
    for (uint32_t c = 0; c < sub_cores; c++) {
        struct section_task task = {.unit_rests = sum->unit_rests,
                                    .queued = sum->input->block->machine->dispatch_depth != 0,
                                    .budget = sum->input->budget};
        if (!take_lanes(sum, c, &task) || same_lanes(&task, &before)) continue;
        WB_TRY(section_search(&task));
        *issued = cycles_max(*issued, task.issued);
        *complete = cycles_max(*complete, task.complete);
        before = task;
    }
    return WB_OK;
}

/* The sections one after another, and what is not complete behind the last one: of that section, or of one
 * before it, which the last one comes behind. */
static wb_status sum_up(struct section_sum *sum) {
    cycles issued = 0, behind = 0, behind_last = 0, issued_last = 0;
    WB_TRY(block_sections_make(sum->input->block, &sum->sections));
    if (sum->sections.too_large) return WB_ERR_LIMIT;
    WB_TRY(arena_protect(&sum->arena, prepare, sum));
    for (sum->row = 0; sum->row < sum->sections.row_counts.count; sum->row++) {
        const uint64_t count = sum->sections.row_counts.items[sum->row];
        cycles row_issued, row_complete;
        WB_TRY(arena_protect(&sum->arena, make_programs, sum));
        if (sum->too_large) return WB_ERR_LIMIT;
        WB_TRY(search_row(sum, &row_issued, &row_complete));
        issued = cycles_add(issued, cycles_mul(row_issued, count));
        const cycles row_behind = cycles_sub(row_complete, row_issued);
        if (sum->row == sum->last_row) {
            behind_last = row_behind;
            issued_last = row_issued;
        }
        if (sum->row != sum->last_row || count > 1) behind = cycles_max(behind, row_behind);
    }
    sum->complete = cycles_add(issued, cycles_max(behind_last, cycles_sub(behind, issued_last)));
    return WB_OK;
}

static void sections_assume(const struct bound_input *input, wb_bound *bound) {
    bound_assume_paths(input, bound);
    assume(bound, WB_ASSUME_WORK_CONSERVING);
    assume(bound, WB_ASSUME_LATENCIES_IN_INTERVALS);
    assume(bound, WB_ASSUME_NO_CACHE_MISSES);
    assume(bound, WB_ASSUME_NO_FETCH_STALLS);
    assume(bound, WB_ASSUME_UNITS_IN_ISSUE_ORDER);
}

static wb_status sections_run(const struct bound_input *input, wb_bound *bound) {
    struct section_sum sum = {.input = input};
    const wb_status status = sum_up(&sum);
    bound->kind = WB_UPPER;
    sections_assume(input, bound);
    if (status == WB_OK)
        bound->cycles = sum.complete;
    else
        diagnose(input->diagnostics, SEVERITY_ERROR, "sections",
                 "the sections have more states than may be searched: use another method");
    block_sections_free(&sum.sections);
    arena_free(&sum.arena);
    return status;
}

const struct bound_method bound_sections = {
    .name = "sections",
    .summary =
        "every section of every sub-core separately, over all schedules and latencies in their intervals",
    .run = sections_run,
    .needs = FOR_BLOCKS_OF_KNOWN_TIMES | NEED_REAL_PATHS | NEED_NO_FETCH_STALLS,
    .objection = sections_objection,
    .fits = sections_fit,
    .default_budget = SECTIONS_WORK,
    .explicit_budget = SECTIONS_NAMED_WORK,
};
