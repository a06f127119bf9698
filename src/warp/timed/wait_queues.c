#include "warp/timed/timed.h"

#include <assert.h>

enum wait_queue wait_queue_of(const struct timed_code *code, uint32_t reg) {
    enum wait_queue queue = QUEUE_COPIES;
    while (queue < QUEUE_COUNT && reg - code->queues[queue].first >= code->queues[queue].count)
        queue++;
    return queue;
}

void wait_queues_step(const struct timed_code *code, const struct timed_inst *inst, cycles *times,
                      size_t stride, cycles at) {
    for (uint32_t q = 0; (inst->joins | inst->commits) >> q != 0; q++) {
        const struct timed_queue *queue = &code->queues[q];
        if (queue->count == 0) continue;
        cycles *all = times + queue->first * stride;
        if (inst->joins >> q & 1) *all = cycles_max(*all, at);
        for (uint32_t j = queue->count; (inst->commits >> q & 1) != 0 && j-- > 1;)
            all[j * stride] = all[(j - 1) * stride];
    }
}

wb_status queue_members_note(struct queue_members *queues, const struct timed_code *code,
                             const struct timed_inst *inst, uint32_t position) {
    for (uint32_t q = 0; (inst->joins | inst->commits) >> q != 0; q++) {
        struct queue_member member = {position, queues->commits[q]};
        if (code->queues[q].count == 0) continue;
        if (inst->joins >> q & 1) WB_TRY(vec_push(&queues->members[q], member));
        queues->commits[q] += inst->commits >> q & 1;
    }
    return WB_OK;
}

wb_status queue_members_take(struct queue_members *queues, const struct timed_code *code, uint32_t reg) {
    const enum wait_queue q = wait_queue_of(code, reg);
    queues->taken.count = 0;
    if (q == QUEUE_COUNT) return WB_OK;
    const uint32_t later = reg - code->queues[q].first; /* commits that stand between */
    assert(later <= WAIT_GROUPS_MAX + 1 || later < code->queues[q].count);
    struct queue_member *members = queues->members[q].items;
    size_t taken = 0;
    while (taken < queues->members[q].count && members[taken].commits + later <= queues->commits[q])
        WB_TRY(vec_push(&queues->taken, members[taken++].position));
    for (size_t m = taken; taken > 0 && m < queues->members[q].count; m++)
        members[m - taken] = members[m];
    queues->members[q].count -= taken;
    return WB_OK;
}

void queue_members_clear(struct queue_members *queues) {
    for (uint32_t q = 0; q < QUEUE_COUNT; q++)
        queues->members[q].count = queues->commits[q] = 0;
}

void queue_members_free(struct queue_members *queues) {
    for (uint32_t q = 0; q < QUEUE_COUNT; q++)
        vec_free(&queues->members[q]);
    vec_free(&queues->taken);
}
