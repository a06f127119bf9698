/* The sections about the longest execution that is known, or why there is none. */
#include "report/html/schedule.h"

#include <string.h>

/* The SM whose last block ends last; of several the first. */
static uint32_t last_sm(const wb_schedule *schedule) {
    size_t count;
    const wb_block_time *blocks = wb_schedule_blocks(schedule, &count);
    const wb_block_time *last = blocks;
    for (size_t i = 0; i < count; i++)
        if (blocks[i].end > last->end) last = &blocks[i];
    return count > 0 ? last->sm : 0;
}

/* `messages` say why it is that of the longest block and not of the kernel; or NULL. */
static void put_schedule(struct html_page *page, struct html_schedule *shown,
                         const wb_diagnostics *messages) {
    shown->info = wb_schedule_describe(shown->schedule);
    shown->sm = last_sm(shown->schedule);
    if (html_code_open(shown->analysis, &shown->code) != WB_OK) page->out.failed = true;
    page_open_section(page, "timeline", "The slowest execution found");
    if (messages != NULL)
        page_reason(page, "Of a block alone, as there is none of the whole kernel", messages);
    html_timeline(page, shown);
    page_close_section(page);
    if (shown->info->scope == WB_SCOPE_KERNEL) {
        page_open_section(page, "blocks", "Blocks on the SMs");
        html_residents(page, shown);
        page_close_section(page);
    }
    html_code_close(&shown->code);
}

/* Whether a subject has an execution: asks for it, of messages the first subject's are kept. */
static wb_schedule *schedule_of(struct html_page *page, const struct wb_analysis *analysis,
                                wb_diagnostics *messages) {
    const wb_schedule_options options = {
        .size = sizeof options, .most = page->issues_most, .watch = page->asked.watch};
    wb_schedule *schedule = NULL;
    if (wb_schedule_worst(analysis, &options, messages, &schedule) != WB_OK)
        page_note_failure(page, messages);
    return schedule;
}

void html_executions(struct html_page *page, const struct wb_analysis *analysis) {
    const struct wb_analysis *of = analysis->given != NULL ? analysis->given : analysis;
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) {
        page->out.failed = true;
        return;
    }
    wb_schedule *schedule = schedule_of(page, of, messages);
    if (schedule == NULL && of->longest != NULL) schedule = schedule_of(page, of = of->longest, messages);
    if (schedule != NULL) {
        struct html_schedule shown = {
            .analysis = of, .schedule = schedule, .with_data = analysis->given != NULL};
        put_schedule(page, &shown, wb_diagnostics_errors(messages) > 0 ? messages : NULL);
    } else {
        page_open_section(page, "timeline", "The slowest execution found");
        page_reason(page, "No execution can be shown", messages);
        page_close_section(page);
    }
    wb_schedule_free(schedule);
    wb_diagnostics_free(messages);
}
