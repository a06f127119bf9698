#include "sim/sm.h"

/* Register j of queue q can be read when what it stands for is complete. */
static void sm_settle_joined(const struct sm *sm, struct sm_warp *warp, uint32_t q, uint32_t j) {
    const struct sm_joined *joined = &warp->joined[q][j];
    warp->ready[sm->program->code->queues[q].first + j] =
        joined->unknown > 0 ? CYCLES_SATURATED : joined->known;
}

void sm_join_queues(const struct sm *sm, struct sm_warp *warp, cycles at) {
    const struct timed_inst *inst = warp->head;
    for (uint32_t q = 0; (inst->joins | inst->commits) >> q != 0; q++) {
        const struct timed_queue *queue = &sm->program->code->queues[q];
        if (queue->count == 0) continue;
        struct sm_joined *all = warp->joined[q];
        if (inst->joins >> q & 1) {
            if (at == CYCLES_SATURATED)
                all->unknown++;
            else
                all->known = cycles_max(all->known, at);
            sm_settle_joined(sm, warp, q, 0);
        }
        if ((inst->commits >> q & 1) == 0) continue;
        warp->commits[q]++;
        for (uint32_t j = queue->count; j-- > 1;) {
            all[j] = all[j - 1];
            sm_settle_joined(sm, warp, q, j);
        }
    }
}

void sm_know_joined(const struct sm *sm, struct sm_warp *warp, const struct timed_inst *inst,
                    const uint64_t commits[QUEUE_COUNT], cycles at) {
    for (uint32_t q = 0; inst->joins >> q != 0; q++) {
        const struct timed_queue *queue = &sm->program->code->queues[q];
        if ((inst->joins >> q & 1) == 0) continue;
        for (uint32_t j = 0; j < queue->count && j <= warp->commits[q] - commits[q]; j++) {
            struct sm_joined *joined = &warp->joined[q][j];
            joined->unknown--;
            joined->known = cycles_max(joined->known, at);
            sm_settle_joined(sm, warp, q, j);
        }
    }
}
