/* The longest execution that is known: the timeline of one SM, and which blocks all of them have when. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/html/page.h"
#include "report/write/output.h"

/* The part of the schedule that is shown. */
struct timeline {
    struct html_page *page;
    const struct wb_analysis *analysis; /* that it is of */
    const wb_schedule *schedule;
    const wb_schedule_info *info;
    struct html_code code;
    uint32_t sm;            /* the one whose last block ends last */
    const wb_issue *issues; /* of that SM */
    size_t first_issue, issue_count;
    const wb_wait *waits; /* of that SM */
    size_t wait_count;
    uint32_t row_count;  /* warps: slot, then warp */
    uint32_t *numbers;   /* per instruction its number in the data, from 1; 0: it is not in it */
    size_t instructions; /* that have room there */
    uint32_t units;      /* of the machine, up to the last that is used */
};

static uint32_t row_of(const struct timeline *timeline, uint32_t slot, uint32_t warp) {
    return slot * timeline->info->warp_count + warp;
}

/* ---- What is shown ------------------------------------------------------------------------------------- */

/* Makes room for a row, and for an instruction. */
static void take_row(struct timeline *timeline, uint32_t row, uint32_t instruction) {
    if (row >= timeline->row_count) timeline->row_count = row + 1;
    if (instruction != UINT32_MAX && instruction >= timeline->instructions)
        timeline->instructions = (size_t)instruction + 1;
}

/* The issues and the waits of the SM. */
static void take_events(struct timeline *timeline) {
    size_t issue_count, wait_count, first = 0, end;
    const wb_issue *issues = wb_schedule_issues(timeline->schedule, &issue_count);
    const wb_wait *waits = wb_schedule_waits(timeline->schedule, &wait_count);
    while (first < issue_count && issues[first].sm < timeline->sm)
        first++;
    for (end = first; end < issue_count && issues[end].sm == timeline->sm; end++) {
        take_row(timeline, row_of(timeline, issues[end].slot, issues[end].warp), issues[end].instruction);
        if (issues[end].unit >= timeline->units) timeline->units = issues[end].unit + 1;
    }
    timeline->first_issue = first;
    timeline->issues = issues == NULL ? NULL : issues + first;
    timeline->issue_count = end - first;
    for (first = 0; first < wait_count && waits[first].sm < timeline->sm;)
        first++;
    for (end = first; end < wait_count && waits[end].sm == timeline->sm; end++)
        take_row(timeline, row_of(timeline, waits[end].slot, waits[end].warp), waits[end].instruction);
    timeline->waits = waits == NULL ? NULL : waits + first;
    timeline->wait_count = end - first;
}

/* ---- The data of the script -----------------------------------------------------------------------------
 */

/* Each instruction that is issued or waits, with its place. */
static void instructions_json(struct json *json, const struct timeline *timeline) {
    uint32_t number = 0;
    for (size_t i = 0; i < timeline->issue_count; i++)
        timeline->numbers[timeline->issues[i].instruction] = 1;
    for (size_t i = 0; i < timeline->wait_count; i++)
        if (timeline->waits[i].instruction != UINT32_MAX)
            timeline->numbers[timeline->waits[i].instruction] = 1;
    json_open_array(json, "instructions");
    for (size_t i = 0; i < timeline->instructions; i++) {
        struct text words = {0};
        if (timeline->numbers[i] == 0) continue;
        timeline->numbers[i] = ++number;
        json_open_array(json, NULL);
        html_code_put(&words, &timeline->code, i);
        json_take_text(json, NULL, &words);
        text_string(&words, "");
        html_code_put_place(&words, &timeline->code, i);
        json_take_text(json, NULL, &words);
        json_close(json);
    }
    json_close(json);
}

/* [row, instruction, unit, sub-core, instance, issue behind the one before, start, free, ready behind the
 * issue], one after the other. */
static void issues_json(struct json *json, const struct timeline *timeline) {
    uint64_t before = 0;
    json_open_array(json, "issues");
    for (size_t i = 0; i < timeline->issue_count; i++) {
        const wb_issue *issue = &timeline->issues[i];
        json_put(json, "%u, %u, %u, %u, %u, %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                 row_of(timeline, issue->slot, issue->warp), timeline->numbers[issue->instruction] - 1,
                 issue->unit, issue->sub_core, issue->instance, issue->issue - before,
                 issue->start - issue->issue, issue->free - issue->issue, issue->ready - issue->issue);
        before = issue->issue;
    }
    json_close(json);
}

/* [row, reason, instruction or -1, from, length, issue that is waited for or -1], one after the other. */
static void waits_json(struct json *json, const struct timeline *timeline) {
    json_open_array(json, "waits");
    for (size_t i = 0; i < timeline->wait_count; i++) {
        const wb_wait *wait = &timeline->waits[i];
        const bool has_producer = wait->producer != WB_NO_ISSUE && wait->producer >= timeline->first_issue &&
                                  wait->producer - timeline->first_issue < timeline->issue_count;
        json_put(json, "%u, %u, %" PRId64 ", %" PRIu64 ", %" PRIu64 ", %" PRId64,
                 row_of(timeline, wait->slot, wait->warp), wait->reason,
                 wait->instruction == UINT32_MAX ? -1 : (int64_t)timeline->numbers[wait->instruction] - 1,
                 wait->from, wait->to - wait->from,
                 has_producer ? (int64_t)(wait->producer - timeline->first_issue) : -1);
    }
    json_close(json);
}

/* Whose execution it is, and what is shown of it. */
static void about_json(struct json *json, const struct timeline *timeline) {
    const wb_schedule_info *info = timeline->info;
    const bool is_cut = info->kept_until < info->cycles;
    json_put(json,
             "scope %s, cycles %" PRIu64 ", kind %s, by %s, longest_by %s, longest %*" PRIu64
             ", sms %u, sm %u, warps %u, row_count %u, cut %d, kept_until %" PRIu64 ", issued %" PRIu64
             ", end %" PRIu64,
             wb_scope_name(info->scope), info->cycles, wb_kind_name(info->kind),
             info->kind == WB_SIMULATED ? info->policy : info->method, info->longest_by,
             info->longest_by != NULL, info->longest, info->sm_count, timeline->sm, info->warp_count,
             timeline->row_count, is_cut, info->kept_until, info->issues,
             is_cut ? info->kept_until : info->cycles);
}

static void timeline_json(struct json *json, struct timeline *timeline) {
    take_events(timeline);
    json_open_object(json, "timeline");
    about_json(json, timeline);
    timeline->numbers = calloc(timeline->instructions + 1, sizeof *timeline->numbers);
    if (timeline->numbers != NULL) {
        json_open_array(json, "units"); /* as far as something is issued to them */
        for (uint32_t unit = 0; unit < timeline->units; unit++)
            json_put_text(json, NULL, wb_schedule_unit(timeline->schedule, unit));
        json_close(json);
        json_open_array(json, "reasons");
        for (size_t r = 0; r < WB_WAIT_COUNT; r++)
            json_put_text(json, NULL, wb_wait_name(r));
        json_close(json);
        instructions_json(json, timeline);
        issues_json(json, timeline);
        waits_json(json, timeline);
    } else {
        json->out->failed = true;
    }
    json_close(json);
    free(timeline->numbers);
}

/* ---- Blocks on SMs --------------------------------------------------------------------------------------
 */

/* Most rows, and most blocks with a box of their own. */
#define SLOT_ROWS_MAX 64u
#define SM_ROWS_MAX 128u
#define BLOCKS_DRAWN_MAX 2000u

/* Pieces of time for which slots are counted. */
#define PIECES 240u

/* Shades of how many of the slots are taken, but for none. */
#define SHADES 4u

/* [SM, slot, start, end, x, y, z] of each block. */
static void blocks_json(struct json *json, const struct timeline *timeline, const wb_block_time *blocks,
                        size_t count) {
    json_open_array(json, "blocks");
    for (size_t i = 0; i < count; i++) {
        uint32_t index[3] = {blocks[i].block, 0, 0};
        if (timeline->analysis->timed == NULL)
            grid_block_index(timeline->analysis->grid_times.grid, blocks[i].block, index);
        json_open_array(json, NULL);
        json_put(json, "%u, %u, %" PRIu64 ", %" PRIu64, blocks[i].sm, blocks[i].slot, blocks[i].start,
                 blocks[i].end);
        for (size_t axis = 0; axis < 3; axis++)
            json_put_count(json, NULL, index[axis]);
        json_close(json);
    }
    json_close(json);
}

/* Counts a block in the pieces of time that it is in: in hundredths of a piece. */
static void count_block(uint32_t pieces[PIECES], const wb_block_time *block, double piece) {
    const double start = (double)block->start / piece, end = (double)block->end / piece;
    for (uint32_t p = (uint32_t)start; p < PIECES && (double)p < end; p++) {
        const double from = start > p ? start : p, to = end < p + 1.0 ? end : p + 1.0;
        pieces[p] += (uint32_t)(100.0 * (to - from) + 0.5);
    }
}

/* A row for each SM, or for several: the first, the last, how many blocks; and of each piece of time the
 * shade of what is taken of their slots. */
static void sums_json(struct json *json, const struct timeline *timeline, const wb_block_time *blocks,
                      size_t count) {
    const uint32_t sms = timeline->info->sm_count, each = (sms + SM_ROWS_MAX - 1) / SM_ROWS_MAX;
    const uint32_t slots = each * timeline->info->slot_count;
    const double piece = (double)timeline->info->cycles / PIECES;
    json_open_array(json, "sums");
    for (size_t i = 0, next; i < count; i = next) {
        uint32_t pieces[PIECES] = {0};
        const uint32_t row = blocks[i].sm / each,
                       last = (row + 1) * each < sms ? (row + 1) * each - 1 : sms - 1;
        for (next = i; next < count && blocks[next].sm / each == row; next++)
            count_block(pieces, &blocks[next], piece);
        json_open_object(json, NULL);
        json_put(json, "first %u, last %u, blocks %zu", row * each, last, next - i);
        json_open_array(json, "shades");
        for (uint32_t p = 0; p < PIECES; p++) {
            const uint32_t shade = (pieces[p] * SHADES + slots * 100 - 1) / (slots * 100);
            json_put_count(json, NULL, shade < SHADES ? shade : SHADES);
        }
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void residents_json(struct json *json, const struct timeline *timeline) {
    size_t count;
    const wb_block_time *blocks = wb_schedule_blocks(timeline->schedule, &count);
    const uint64_t slots = (uint64_t)timeline->info->sm_count * timeline->info->slot_count;
    json_open_object(json, "residents");
    json_put(json, "count %zu, sms %u, slots %u, cycles %" PRIu64, count, timeline->info->sm_count,
             timeline->info->slot_count, timeline->info->cycles);
    if (slots <= SLOT_ROWS_MAX && count <= BLOCKS_DRAWN_MAX)
        blocks_json(json, timeline, blocks, count);
    else
        sums_json(json, timeline, blocks, count);
    json_close(json);
}

/* ---- The execution ------------------------------------------------------------------------------------- */

/* The SM whose last block ends last; of several the first. */
static uint32_t last_sm(const wb_schedule *schedule) {
    size_t count;
    const wb_block_time *blocks = wb_schedule_blocks(schedule, &count);
    const wb_block_time *last = blocks;
    for (size_t i = 0; i < count; i++)
        if (blocks[i].end > last->end) last = &blocks[i];
    return count > 0 ? last->sm : 0;
}

static void schedule_json(struct html_page *page, const struct wb_analysis *analysis,
                          const wb_schedule *schedule) {
    struct timeline timeline = {.page = page,
                                .analysis = analysis,
                                .schedule = schedule,
                                .info = wb_schedule_describe(schedule),
                                .sm = last_sm(schedule)};
    if (html_code_open(analysis, &timeline.code) != WB_OK) page->json.out->failed = true;
    timeline_json(&page->json, &timeline);
    if (timeline.info->scope == WB_SCOPE_KERNEL) residents_json(&page->json, &timeline);
    html_code_close(&timeline.code);
}

/* The longest execution of a subject, or NULL; of messages the first subject's are kept. */
static wb_schedule *schedule_of(struct html_page *page, const struct wb_analysis *analysis,
                                wb_diagnostics *messages) {
    const wb_schedule_options options = {
        .size = sizeof options, .most = page->issues_most, .watch = page->asked.watch};
    wb_schedule *schedule = NULL;
    if (wb_schedule_worst(analysis, &options, messages, &schedule) != WB_OK)
        page->json.out->failed |= messages->no_memory || messages->rendered.failed;
    return schedule;
}

void page_executions_json(struct html_page *page, const struct wb_analysis *analysis) {
    const struct wb_analysis *of = analysis->given != NULL ? analysis->given : analysis;
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) {
        page->json.out->failed = true;
        return;
    }
    wb_schedule *schedule = schedule_of(page, of, messages);
    if (schedule == NULL && of->longest != NULL) schedule = schedule_of(page, of = of->longest, messages);
    if (wb_diagnostics_errors(messages) > 0)
        page_reason_json(page, "no_execution",
                         schedule != NULL ? "Of a block alone, as there is none of the whole kernel"
                                          : "No execution can be shown",
                         messages);
    if (schedule != NULL) schedule_json(page, of, schedule);
    wb_schedule_free(schedule);
    wb_diagnostics_free(messages);
}
