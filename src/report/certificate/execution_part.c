#include "report/certificate/parts.h"

#include <inttypes.h>

#include "bound/profile/warp_group.h"
#include "sim/schedule/schedule.h"

/* Most instructions that are written: 20 MB. */
#define EXECUTION_ISSUES_MAX 1000000u

/* Most cycles of all sub-cores, or twice the cycles of one: what warpbound-check keeps a table of. */
#define EXECUTION_CYCLES_MAX ((cycles)1 << 27)

struct execution_writer {
    struct certificate *certificate;
    const struct timed_block *block;
    const wb_schedule *schedule;
    struct arena arena;
    struct path_cursor *cursors; /* per warp */
    bool *ended;                 /* likewise */
    size_t *next;                /* per warp: its next issue, of `issues` */
    size_t *issues;              /* those of the schedule, warp by warp */
    bool differs;                /* the schedule is not of these paths */
};

/* Sorts the issues by warp, which leaves those of a warp in their order. */
static wb_status sort_issues(struct execution_writer *writer) {
    const uint32_t warps = writer->block->warp_count;
    size_t count, before = 0;
    const wb_issue *issues = wb_schedule_issues(writer->schedule, &count);
    writer->cursors = arena_array(&writer->arena, (size_t)warps + 1, sizeof *writer->cursors);
    writer->ended = arena_array(&writer->arena, (size_t)warps + 1, sizeof *writer->ended);
    writer->next = arena_array(&writer->arena, (size_t)warps + 1, sizeof *writer->next);
    writer->issues = arena_array(&writer->arena, count + 1, sizeof *writer->issues);
    if (writer->cursors == NULL || writer->ended == NULL || writer->next == NULL || writer->issues == NULL)
        return WB_ERR_LIMIT;
    for (size_t i = 0; i < count; i++)
        writer->next[issues[i].warp]++;
    for (uint32_t w = 0; w < warps; w++) {
        const size_t own = writer->next[w];
        writer->next[w] = before;
        before += own;
        writer->cursors[w] = path_begin(&writer->block->paths[writer->block->warp_path[w]]);
    }
    for (size_t i = 0; i < count; i++)
        writer->issues[writer->next[issues[i].warp]++] = i;
    for (size_t i = 0; i < count; i++)
        writer->next[issues[i].warp]--;
    return WB_OK;
}

static void put_issue(struct execution_writer *writer, uint32_t warp, const struct timed_inst *inst) {
    size_t count;
    const wb_issue *issues = wb_schedule_issues(writer->schedule, &count);
    const wb_issue *issue = writer->next[warp] < count ? &issues[writer->issues[writer->next[warp]++]] : NULL;
    writer->differs = writer->differs || issue == NULL || issue->warp != warp || issue->unit != inst->unit;
    if (!writer->differs)
        text_printf(&writer->certificate->text, "at %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                    issue->issue, issue->start, issue->free - issue->start, issue->ready - issue->free);
}

/* A section of a warp. */
static void put_section(struct execution_writer *writer, uint32_t warp) {
    const struct timed_inst *insts = writer->block->code.insts;
    struct path_step step = {0};
    while (!writer->ended[warp]) {
        writer->ended[warp] = !path_next(&writer->cursors[warp], &step);
        if (writer->ended[warp]) return;
        if (insts[step.instruction].unit != UNIT_NONE) put_issue(writer, warp, &insts[step.instruction]);
        if (insts[step.instruction].barrier) return;
    }
}

/* Row by row, and warp by warp in the order of the lines `warps`. */
static wb_status put_rows(struct execution_writer *writer, const warp_group_list *groups) {
    const struct timed_block *block = writer->block;
    const uint32_t sub_cores = block->machine->sub_cores;
    for (bool more = true; more && !writer->differs;) {
        more = false;
        for (size_t g = 0; g < groups->count; g++)
            for (uint32_t w = groups->items[g].sub_core; w < block->warp_count; w += sub_cores) {
                if (block->warp_path[w] != groups->items[g].path) continue;
                put_section(writer, w);
                more = more || !writer->ended[w];
            }
        WB_TRY(report_flush(&writer->certificate->text, &writer->certificate->writer, false));
    }
    return WB_OK;
}

static wb_status put_schedule(struct execution_writer *writer) {
    const struct timed_block *block = writer->block;
    warp_group_list groups = {0};
    wb_status status = sort_issues(writer);
    uint64_t *path_warps = arena_array(&writer->arena, (size_t)block->path_count + 1, sizeof *path_warps);
    if (path_warps == NULL) status = WB_ERR_LIMIT;
    if (status == WB_OK) status = warp_groups_find(block, &writer->arena, &groups, path_warps);
    if (status == WB_OK) status = put_rows(writer, &groups);
    vec_free(&groups);
    arena_free(&writer->arena);
    return status;
}

wb_status certificate_put_execution(struct certificate *certificate, const wb_analysis *analysis,
                                    wb_diagnostics *diagnostics, cycles *longest) {
    struct execution_writer writer = {.certificate = certificate, .block = analysis->timed};
    wb_schedule *schedule = NULL;
    uint64_t issues = 0;
    *longest = 0;
    for (uint32_t w = 0; w < analysis->timed->warp_count; w++)
        issues += analysis->timed->paths[analysis->timed->warp_path[w]].length;
    if (issues > EXECUTION_ISSUES_MAX || analysis->machine->issue_per_warp != 1) return WB_OK;
    if (wb_analysis_is_covering(analysis)) return WB_OK; /* of parts of paths rules R1 to R7 say nothing */
    WB_TRY(analysis_longest_by_rules(analysis, diagnostics, &schedule));
    if (schedule == NULL) return WB_OK;
    writer.schedule = schedule;
    const cycles time = wb_schedule_describe(schedule)->cycles;
    const bool is_long = time > EXECUTION_CYCLES_MAX / u32_max(2, analysis->machine->sub_cores);
    const wb_status status = is_long ? WB_OK : put_schedule(&writer);
    if (!writer.differs && !is_long) *longest = time;
    wb_schedule_free(schedule);
    return status;
}
