/* The timeline of one SM: what its warps issue and wait for, what its units do. The script draws it from data
 * (page/script.js); where there is no script a sum of each warp remains. */
#include "report/html/schedule.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/parts/bounds.h"
#include "report/write/output.h"

/* Most warps with a row of their own among the sums, and most that are not folded. */
#define WARPS_LISTED_MAX 64u
#define WARPS_UNFOLDED_MAX 8u

/* What of the schedule is shown. */
struct timeline {
    struct html_page *page;
    const struct html_schedule *shown;
    const wb_issue *issues; /* of the SM */
    size_t first_issue, issue_count;
    const wb_wait *waits; /* of the SM */
    size_t wait_count;
    uint32_t row_count;  /* warps: slot, then warp */
    uint32_t *numbers;   /* per instruction its number in the data, from 1; 0: it is not in it */
    size_t instructions; /* that have room there */
    uint32_t *unit_rows; /* per unit, sub-core and instance its row, from 1 */
    size_t unit_places, instances, sub_cores;
};

static uint32_t row_of(const struct timeline *timeline, uint32_t slot, uint32_t warp) {
    return slot * timeline->shown->info->warp_count + warp;
}

/* ---- What is shown ------------------------------------------------------------------------------------- */

static void take_issues(struct timeline *timeline) {
    size_t count;
    const wb_issue *issues = wb_schedule_issues(timeline->shown->schedule, &count);
    size_t first = 0, end;
    while (first < count && issues[first].sm < timeline->shown->sm)
        first++;
    for (end = first; end < count && issues[end].sm == timeline->shown->sm; end++) {
        const wb_issue *issue = &issues[end];
        const uint32_t row = row_of(timeline, issue->slot, issue->warp);
        if (row >= timeline->row_count) timeline->row_count = row + 1;
        if (issue->instruction >= timeline->instructions) timeline->instructions = issue->instruction + 1;
        if (issue->unit >= timeline->unit_places) timeline->unit_places = issue->unit + 1;
        if (issue->sub_core >= timeline->sub_cores) timeline->sub_cores = issue->sub_core + 1;
        if (issue->instance >= timeline->instances) timeline->instances = issue->instance + 1;
    }
    timeline->first_issue = first;
    timeline->issues = issues == NULL ? NULL : issues + first;
    timeline->issue_count = end - first;
}

static void take_waits(struct timeline *timeline) {
    size_t count;
    const wb_wait *waits = wb_schedule_waits(timeline->shown->schedule, &count);
    size_t first = 0, end;
    while (first < count && waits[first].sm < timeline->shown->sm)
        first++;
    for (end = first; end < count && waits[end].sm == timeline->shown->sm; end++)
        if (waits[end].instruction != UINT32_MAX && waits[end].instruction >= timeline->instructions)
            timeline->instructions = waits[end].instruction + 1;
    timeline->waits = waits == NULL ? NULL : waits + first;
    timeline->wait_count = end - first;
}

/* The place of an instance among unit_rows. */
static size_t unit_place(const struct timeline *timeline, const wb_issue *issue) {
    return (issue->unit * timeline->sub_cores + issue->sub_core) * timeline->instances + issue->instance;
}

/* ---- The sums of each warp ------------------------------------------------------------------------------
 */

/* Cycles of a warp, or of all: [WB_WAIT_COUNT] are those in which it issues. */
struct warp_sum {
    uint64_t cycles[WB_WAIT_COUNT + 1], all;
};

static void add_cycles(struct warp_sum *sum, size_t reason, uint64_t count) {
    sum->cycles[reason] += count;
    sum->all += count;
}

static const char *reason_name(size_t reason) {
    return reason == WB_WAIT_COUNT ? "issue" : wb_wait_name(reason);
}

static void put_sum(struct html_page *page, const char *name, const struct warp_sum *sum) {
    struct text *out = &page->out;
    size_t most = 0;
    text_printf(out,
                "<li class=\"bar\"><span class=\"name\">%s</span> <span class=\"parts\" "
                "aria-hidden=\"true\">",
                name);
    for (size_t i = 0; i <= WB_WAIT_COUNT; i++) {
        const size_t reason = (i + WB_WAIT_COUNT) % (WB_WAIT_COUNT + 1); /* issues come first */
        if (sum->cycles[reason] == 0) continue;
        if (reason != WB_WAIT_COUNT && sum->cycles[reason] > sum->cycles[most]) most = reason;
        text_printf(out, "<i class=\"w-%s\" style=\"width:", reason_name(reason));
        page_share(page, (double)sum->cycles[reason], (double)sum->all);
        text_string(out, "\"></i>");
    }
    text_printf(out, "</span> <span class=\"value\">issue %.0f %%, %s %.0f %%</span></li>\n",
                report_percent(sum->cycles[WB_WAIT_COUNT], sum->all), reason_name(most),
                report_percent(sum->cycles[most], sum->all));
}

/* The colours of the reasons, in words. */
static void put_key(struct html_page *page, const struct warp_sum *all) {
    static const char *const meanings[] = {
        [WB_WAIT_BARRIER] = "waits at a barrier",
        [WB_WAIT_RESULT] = "waits for a result",
        [WB_WAIT_FETCH] = "waits for its next instruction",
        [WB_WAIT_CHANNEL] = "waits for its memory channel",
        [WB_WAIT_UNIT] = "waits for room at its unit",
        [WB_WAIT_TURN] = "waits for its turn",
        [WB_WAIT_END] = "has ended",
        [WB_WAIT_COUNT] = "issues",
    };
    struct text *out = &page->out;
    text_string(out, "<ul class=\"parts-key\">\n");
    for (size_t i = 0; i <= WB_WAIT_COUNT; i++) {
        const size_t reason = (i + WB_WAIT_COUNT) % (WB_WAIT_COUNT + 1);
        if (all->cycles[reason] == 0) continue;
        text_printf(out, "<li><i class=\"key w-%s\"></i> %s</li>\n", reason_name(reason), meanings[reason]);
    }
    text_string(out, "</ul>\n");
}

/* A row for each warp, folded where they are many. */
static void put_each(const struct timeline *timeline, const struct warp_sum *sums) {
    struct html_page *page = timeline->page;
    const uint32_t warps = timeline->shown->info->warp_count;
    const bool is_alone = timeline->row_count <= warps;
    text_printf(&page->out,
                "<details class=\"warps\"%s><summary>Each warp</summary>\n<div class=\"bars\"><ol>\n",
                timeline->row_count <= WARPS_UNFOLDED_MAX ? " open" : "");
    for (uint32_t row = 0; row < timeline->row_count && row < WARPS_LISTED_MAX; row++) {
        char name[64];
        if (is_alone)
            (void)text_format(name, sizeof name, "warp %u", row);
        else
            (void)text_format(name, sizeof name, "slot %u, warp %u", row / warps, row % warps);
        if (sums[row].all > 0) put_sum(page, name, &sums[row]);
    }
    text_string(&page->out, "</ol></div>\n");
    if (timeline->row_count > WARPS_LISTED_MAX)
        page_note(page, "The first %u of %u warps are listed; all of them are in the timeline.",
                  WARPS_LISTED_MAX, timeline->row_count);
    text_string(&page->out, "</details>\n");
}

static void put_sums(const struct timeline *timeline) {
    struct html_page *page = timeline->page;
    struct warp_sum *sums = calloc((size_t)timeline->row_count + 1, sizeof *sums);
    if (sums == NULL) {
        page->out.failed = true;
        return;
    }
    struct warp_sum *all = &sums[timeline->row_count];
    for (size_t i = 0; i < timeline->issue_count; i++) {
        add_cycles(&sums[row_of(timeline, timeline->issues[i].slot, timeline->issues[i].warp)], WB_WAIT_COUNT,
                   1);
        add_cycles(all, WB_WAIT_COUNT, 1);
    }
    for (size_t i = 0; i < timeline->wait_count; i++) {
        const wb_wait *wait = &timeline->waits[i];
        const uint32_t row = row_of(timeline, wait->slot, wait->warp);
        if (row < timeline->row_count) add_cycles(&sums[row], wait->reason, wait->to - wait->from);
        add_cycles(all, wait->reason, wait->to - wait->from);
    }
    page_subheading(page, "What the warps do");
    text_string(&page->out, "<div class=\"bars\"><ol>\n");
    put_sum(page, "all warps", all);
    text_string(&page->out, "</ol></div>\n");
    if (timeline->row_count > 1) put_each(timeline, sums);
    put_key(page, all);
    free(sums);
}

/* ---- The data of the script -----------------------------------------------------------------------------
 */

static void rows_json(struct json *json, const struct timeline *timeline) {
    const uint32_t warps = timeline->shown->info->warp_count;
    json_open_array(json, "rows");
    for (uint32_t row = 0; row < timeline->row_count; row++) {
        char name[64];
        if (timeline->row_count <= warps)
            (void)text_format(name, sizeof name, "warp %u", row);
        else
            (void)text_format(name, sizeof name, "%u:%u", row / warps, row % warps);
        json_put_text(json, NULL, name);
    }
    json_close(json);
}

/* The units that something is issued to, in the order of the machine, numbered as rows. */
static void units_json(struct json *json, const struct timeline *timeline) {
    const size_t places = timeline->unit_places * timeline->sub_cores * timeline->instances;
    uint32_t rows = 0;
    for (size_t i = 0; i < timeline->issue_count; i++)
        timeline->unit_rows[unit_place(timeline, &timeline->issues[i])] = 1;
    json_open_array(json, "units");
    for (size_t place = 0; place < places; place++) {
        struct text name = {0};
        if (timeline->unit_rows[place] == 0) continue;
        timeline->unit_rows[place] = ++rows;
        text_string(&name, wb_schedule_unit(timeline->shown->schedule,
                                            (uint32_t)(place / timeline->instances / timeline->sub_cores)));
        if (timeline->sub_cores > 1)
            text_printf(&name, ".%zu", place / timeline->instances % timeline->sub_cores);
        if (timeline->instances > 1) text_printf(&name, "#%zu", place % timeline->instances);
        json_put_text(json, NULL, name.data);
        json->out->failed |= name.failed;
        text_free(&name);
    }
    json_close(json);
}

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
        html_code_put(&words, &timeline->shown->code, i);
        json_put_text(json, NULL, words.data);
        json->out->failed |= words.failed;
        text_free(&words);
        html_code_put_place(&words, &timeline->shown->code, i);
        json_put_text(json, NULL, words.data != NULL ? words.data : "");
        json->out->failed |= words.failed;
        text_free(&words);
        json_close(json);
    }
    json_close(json);
}

/* [row, instruction, unit, issue behind the one before, start, free, ready behind the issue], one after the
 * other. */
static void issues_json(struct json *json, const struct timeline *timeline) {
    uint64_t before = 0;
    json_open_array(json, "issues");
    for (size_t i = 0; i < timeline->issue_count; i++) {
        const wb_issue *issue = &timeline->issues[i];
        json_put_count(json, NULL, row_of(timeline, issue->slot, issue->warp));
        json_put_count(json, NULL, timeline->numbers[issue->instruction] - 1);
        json_put_count(json, NULL, timeline->unit_rows[unit_place(timeline, issue)] - 1);
        json_put_count(json, NULL, issue->issue - before);
        json_put_count(json, NULL, issue->start - issue->issue);
        json_put_count(json, NULL, issue->free - issue->issue);
        json_put_count(json, NULL, issue->ready - issue->issue);
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
        const uint32_t row = row_of(timeline, wait->slot, wait->warp);
        if (row >= timeline->row_count) continue;
        json_put_count(json, NULL, row);
        json_put_count(json, NULL, wait->reason);
        json_put_integer(json, NULL,
                         wait->instruction == UINT32_MAX ? -1
                                                         : (int64_t)timeline->numbers[wait->instruction] - 1);
        json_put_count(json, NULL, wait->from);
        json_put_count(json, NULL, wait->to - wait->from);
        json_put_integer(json, NULL, has_producer ? (int64_t)(wait->producer - timeline->first_issue) : -1);
    }
    json_close(json);
}

static void put_data(const struct timeline *timeline) {
    const wb_schedule_info *info = timeline->shown->info;
    struct text data = {0};
    struct json json = json_begin(&data, JSON_ONE_LINE);
    json_open_object(&json, NULL);
    json_put_count(&json, "end",
                   timeline->issue_count < timeline->page->issues_most ? info->cycles : info->kept_until);
    rows_json(&json, timeline);
    units_json(&json, timeline);
    json_open_array(&json, "reasons");
    for (size_t r = 0; r < WB_WAIT_COUNT; r++)
        json_put_text(&json, NULL, wb_wait_name(r));
    json_close(&json);
    instructions_json(&json, timeline);
    issues_json(&json, timeline);
    waits_json(&json, timeline);
    json_close(&json);
    page_data(timeline->page, "timeline-data", &data);
}

/* ---- The section ----------------------------------------------------------------------------------------
 */

/* Whose schedule it is, and how long it takes. */
static void put_caption(const struct timeline *timeline) {
    struct html_page *page = timeline->page;
    const wb_schedule_info *info = timeline->shown->info;
    struct text *out = &page->out;
    text_string(out, "<p>");
    page_cycles(page, info->cycles);
    text_printf(out, " of the %s: ", wb_scope_name(info->scope));
    if (info->kind == WB_SIMULATED)
        text_printf(out, "simulated under %s. ", info->policy);
    else
        text_printf(out, "found by %s (%s). ", info->method, wb_kind_name(info->kind));
    if (info->longest_by != NULL) {
        text_printf(out, "%s knows of one that takes longer, ", info->longest_by);
        page_cycles(page, info->longest);
        text_string(out, ", and keeps no schedule of it: this is the longest that can be shown. ");
    } else {
        text_string(out, "None that takes longer was found. ");
    }
    if (timeline->shown->with_data) text_string(out, "It is of the data that the launch gives. ");
    if (info->sm_count > 1)
        text_printf(out, "Shown is SM %u, whose last block ends last. ", timeline->shown->sm);
    text_string(out, "</p>\n");
    if (info->kept_until < info->cycles && timeline->issue_count >= page->issues_most)
        page_note(page,
                  "Cut: of the %" PRIu64
                  " instructions that all SMs issue, the first %zu of the SM are shown, "
                  "those before cycle %" PRIu64 ". warpbound analyze --schedule --format trace writes all.",
                  info->issues, page->issues_most, info->kept_until);
}

void html_timeline(struct html_page *page, const struct html_schedule *shown) {
    struct timeline timeline = {.page = page, .shown = shown};
    take_issues(&timeline);
    take_waits(&timeline);
    put_caption(&timeline);
    timeline.numbers = calloc(timeline.instructions + 1, sizeof *timeline.numbers);
    timeline.unit_rows = calloc(timeline.unit_places * timeline.sub_cores * timeline.instances + 1,
                                sizeof *timeline.unit_rows);
    if (timeline.numbers != NULL && timeline.unit_rows != NULL) {
        text_string(&page->out, "<div class=\"timeline\" data-of=\"timeline-data");
        if (page->launch > 0) text_printf(&page->out, "-%zu", page->launch);
        text_string(&page->out,
                    "\"><noscript><p class=\"note\">The timeline itself needs JavaScript; the sums "
                    "below do not.</p></noscript></div>\n");
        put_data(&timeline);
        put_sums(&timeline);
    } else {
        page->out.failed = true;
    }
    free(timeline.numbers);
    free(timeline.unit_rows);
}
