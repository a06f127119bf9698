#include "recorded_schedule_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <inttypes.h>

/* What a warp, or an instance of a unit, does in [from, to). */
struct span {
    uint32_t sm, slot, block, warp;
    uint64_t from, to;
    uint64_t step;
    bool is_issue;
};

static int by_warp(const void *a, const void *b) {
    const struct span *left = a, *right = b;
    if (left->sm != right->sm) return left->sm < right->sm ? -1 : 1;
    if (left->block != right->block) return left->block < right->block ? -1 : 1;
    if (left->warp != right->warp) return left->warp < right->warp ? -1 : 1;
    if (left->from != right->from) return left->from < right->from ? -1 : 1;
    return (left->step > right->step) - (left->step < right->step);
}

/* All that warps do, sorted; freed by the caller. */
static struct span *spans_of(const wb_schedule *schedule, size_t *count) {
    size_t issue_count, wait_count;
    const wb_issue *issues = wb_schedule_issues(schedule, &issue_count);
    const wb_wait *waits = wb_schedule_waits(schedule, &wait_count);
    struct span *spans = calloc(issue_count + wait_count + 1, sizeof *spans);
    assert_non_null(spans);
    for (size_t i = 0; i < issue_count; i++)
        spans[i] = (struct span){issues[i].sm,    issues[i].slot,      issues[i].block, issues[i].warp,
                                 issues[i].issue, issues[i].issue + 1, issues[i].step,  true};
    for (size_t w = 0; w < wait_count; w++)
        spans[issue_count + w] = (struct span){waits[w].sm,   waits[w].slot, waits[w].block, waits[w].warp,
                                               waits[w].from, waits[w].to,   waits[w].step,  false};
    *count = issue_count + wait_count;
    qsort(spans, *count, sizeof *spans, by_warp);
    return spans;
}

static const wb_block_time *block_of(const wb_schedule *schedule, uint32_t block) {
    size_t count;
    const wb_block_time *blocks = wb_schedule_blocks(schedule, &count);
    for (size_t b = 0; b < count; b++)
        if (blocks[b].block == block) return &blocks[b];
    return NULL;
}

/* The spans of one warp, which are of the block. */
static void check_warp(const struct span *spans, size_t count, const wb_block_time *block, const char *what) {
    uint64_t at = block->start, steps = 0;
    for (size_t i = 0; i < count; i++) {
        const struct span *span = &spans[i];
        const bool together = span->is_issue && i > 0 && spans[i - 1].is_issue && span->from + 1 == at;
        if (span->from != at && !together)
            fail_msg("%s: block %u, warp %u: %" PRIu64 " to %" PRIu64 " behind %" PRIu64, what, span->block,
                     span->warp, span->from, span->to, at);
        if (span->is_issue && steps > span->step) fail_msg("%s: step %" PRIu64 " again", what, span->step);
        if (span->is_issue) steps = span->step + 1;
        assert_true(span->to > span->from && span->slot == block->slot && span->sm == block->sm);
        at = span->to;
    }
    if (at != block->end)
        fail_msg("%s: block %u, warp %u is there until %" PRIu64 ", the block until %" PRIu64, what,
                 spans->block, spans->warp, at, block->end);
}

static void check_warps(const wb_schedule *schedule, const char *what) {
    size_t count, end;
    struct span *spans = spans_of(schedule, &count);
    const wb_block_time *block = NULL;
    for (size_t i = 0; i < count; i = end) {
        if (block == NULL || block->block != spans[i].block) block = block_of(schedule, spans[i].block);
        assert_non_null(block);
        for (end = i + 1;
             end < count && spans[end].block == spans[i].block && spans[end].warp == spans[i].warp;)
            end++;
        check_warp(spans + i, end - i, block, what);
    }
    free(spans);
}

static int by_unit(const void *a, const void *b) {
    const wb_issue *left = a, *right = b;
    if (left->sm != right->sm) return left->sm < right->sm ? -1 : 1;
    if (left->unit != right->unit) return left->unit < right->unit ? -1 : 1;
    if (left->sub_core != right->sub_core) return left->sub_core < right->sub_core ? -1 : 1;
    if (left->instance != right->instance) return left->instance < right->instance ? -1 : 1;
    if (left->start != right->start) return left->start < right->start ? -1 : 1;
    return (left->free > right->free) - (left->free < right->free);
}

/* No instance of a unit does two things at a time; of a shared one sub-cores are left out. */
static void check_units(const wb_schedule *schedule, const char *what) {
    size_t count;
    const wb_issue *issues = wb_schedule_issues(schedule, &count);
    wb_issue *sorted = calloc(count + 1, sizeof *sorted);
    assert_non_null(sorted);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = issues[i];
        if (issues[i].issue > issues[i].start || issues[i].start > issues[i].free ||
            issues[i].free > issues[i].ready)
            fail_msg("%s: times of issue %zu", what, i);
    }
    qsort(sorted, count, sizeof *sorted, by_unit);
    for (size_t i = 1; i < count; i++) {
        const wb_issue *before = &sorted[i - 1], *own = &sorted[i];
        if (own->sm == before->sm && own->unit == before->unit && own->sub_core == before->sub_core &&
            own->instance == before->instance && own->start < before->free)
            fail_msg("%s: two at a time on unit %u from %" PRIu64, what, own->unit, own->start);
    }
    free(sorted);
}

/* Who waits for data waits until it is there. */
static void check_producers(const wb_schedule *schedule, const char *what) {
    size_t count, issue_count;
    const wb_wait *waits = wb_schedule_waits(schedule, &count);
    const wb_issue *issues = wb_schedule_issues(schedule, &issue_count);
    for (size_t w = 0; w < count; w++) {
        if (waits[w].producer == WB_NO_ISSUE) continue;
        assert_true(waits[w].reason == WB_WAIT_RESULT && waits[w].producer < issue_count);
        const wb_issue *producer = &issues[waits[w].producer];
        if (producer->sm != waits[w].sm || producer->block != waits[w].block ||
            producer->warp != waits[w].warp || producer->step >= waits[w].step ||
            producer->ready != waits[w].to)
            fail_msg("%s: wait %zu is not for issue %zu", what, w, waits[w].producer);
    }
}

static void check_blocks(const wb_schedule *schedule, const char *what) {
    const wb_schedule_info *info = wb_schedule_describe(schedule);
    uint64_t last = 0;
    size_t count;
    const wb_block_time *blocks = wb_schedule_blocks(schedule, &count);
    for (size_t b = 0; b < count; b++) {
        assert_true(blocks[b].start <= blocks[b].end);
        assert_true(blocks[b].sm < info->sm_count && blocks[b].slot < info->slot_count);
        if (blocks[b].end > last) last = blocks[b].end;
        if (b > 0 && blocks[b].sm == blocks[b - 1].sm && blocks[b].slot == blocks[b - 1].slot)
            assert_true(blocks[b].start >= blocks[b - 1].end);
    }
    if (last != info->cycles) fail_msg("%s: %" PRIu64 " cycles, not %" PRIu64, what, last, info->cycles);
}

void recorded_schedule_check(const wb_schedule *schedule, const char *what) {
    size_t count;
    (void)wb_schedule_issues(schedule, &count);
    assert_int_equal(wb_schedule_describe(schedule)->issues, count);
    check_blocks(schedule, what);
    check_warps(schedule, what);
    check_units(schedule, what);
    check_producers(schedule, what);
}
