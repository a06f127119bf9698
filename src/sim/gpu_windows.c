#include "sim/gpu_windows.h"

/* How many instructions pass between two looks at the watch. */
#define GPU_WATCH_PERIOD ((uint64_t)1 << 16)

/* One window of an SM. */
static wb_status run_sm(struct gpu *gpu, struct gpu_sm *own) {
    struct gpu_mailbox *boxes = NULL;
    if (gpu->has_hierarchy) {
        boxes = gpu->boxes[gpu->turn] + (size_t)own->number * gpu->channel_count;
        WB_TRY(sm_begin_window(&own->sm, boxes, gpu->end));
    }
    return sm_run(&own->sm, gpu->end);
}

/* Serves the requests that the SMs sent to a partition in the window before, by time and SM. */
static wb_status run_channel(struct gpu *gpu, uint32_t index) {
    struct gpu_channel *own = &gpu->channels[index];
    struct gpu_mailbox *boxes = gpu->boxes[1 - gpu->turn] + index;
    own->first_answer = CYCLES_SATURATED;
    for (uint32_t s = 0; s < gpu->sm_count; s++) {
        const struct gpu_mailbox *box = &boxes[(size_t)s * gpu->channel_count];
        own->taken[s] = 0;
        if (box->requests.count > 0) event_queue_push(&own->arrivals, box->requests.items[0].at, s, s);
    }
    while (own->arrivals.count > 0) {
        uint32_t s = event_queue_pop(&own->arrivals).id;
        struct gpu_mailbox *box = &boxes[(size_t)s * gpu->channel_count];
        const struct gpu_request *request = &box->requests.items[own->taken[s]++];
        cycles answered;
        WB_TRY(gpu_partition_serve(&own->partition, request, &answered));
        const struct gpu_answer answer = {answered + gpu->memory->noc_latency, request->sender};
        WB_TRY(vec_push(&box->answers, answer));
        own->first_answer = cycles_min(own->first_answer, answer.at);
        if (own->taken[s] < box->requests.count) {
            cycles next = box->requests.items[own->taken[s]].at;
            event_queue_push(&own->arrivals, next, s, s);
        } else {
            box->requests.count = 0;
        }
    }
    return WB_OK;
}

void gpu_run_task(struct gpu *gpu, uint32_t task) {
    if (task < gpu->channel_count) {
        gpu->channels[task].status = run_channel(gpu, task);
    } else {
        struct gpu_sm *own = &gpu->sms[task - gpu->channel_count];
        own->status = run_sm(gpu, own);
    }
}

/* The first status of a task that is not WB_OK. */
static wb_status tasks_status(const struct gpu *gpu) {
    wb_status status = WB_OK;
    for (uint32_t c = 0; c < gpu->channel_count && status == WB_OK; c++)
        status = gpu->channels[c].status;
    for (uint32_t s = 0; s < gpu->sm_count && status == WB_OK; s++)
        status = gpu->sms[s].status;
    return status;
}

static wb_status ask_watch(struct gpu *gpu) {
    const wb_watch *watch = gpu->options->watch;
    uint64_t executed = 0;
    if (watch == NULL || watch->poll == NULL) return WB_OK;
    for (uint32_t s = 0; s < gpu->sm_count; s++)
        executed += gpu->sms[s].sm.executed;
    if (executed < gpu->watch_at) return WB_OK;
    gpu->watch_at = executed + GPU_WATCH_PERIOD;
    if (watch->poll(watch->user, gpu->scheme->name, executed, gpu->total)) return WB_OK;
    diagnose(gpu->diagnostics, SEVERITY_ERROR, gpu->scheme->name, "simulation stopped");
    return WB_ERR_LIMIT;
}

/* Whether all blocks have ended. */
static bool all_ended(const struct gpu *gpu) {
    bool ended = !gpu->greedy || gpu->next_block == gpu->block_count;
    for (uint32_t s = 0; s < gpu->sm_count; s++) {
        const struct sm *sm = &gpu->sms[s].sm;
        ended = ended && sm->feed.next >= sm->feed.end;
        for (uint32_t slot = 0; slot < gpu->slots; slot++)
            ended = ended && sm->slots[slot].block == SM_NONE;
    }
    return ended;
}

/* Nothing happens any more. */
static wb_status finish(struct gpu *gpu) {
    gpu->done = true;
    if (all_ended(gpu)) return WB_OK;
    diagnose(gpu->diagnostics, SEVERITY_ERROR, gpu->scheme->name,
             "deadlock: blocks are left, and none of their warps can go on");
    return WB_ERR_INPUT;
}

/* When something happens next, as far as known. */
static cycles next_activity(const struct gpu *gpu) {
    cycles next = CYCLES_SATURATED;
    for (uint32_t c = 0; c < gpu->channel_count; c++)
        next = cycles_min(next, gpu->channels[c].first_answer);
    for (uint32_t s = 0; s < gpu->sm_count; s++)
        next = cycles_min(next, sm_next_activity(&gpu->sms[s].sm));
    return next;
}

/* When the first answer can come to the requests of the last window, which are served in the next one. */
static cycles first_unknown_answer(const struct gpu *gpu) {
    cycles first = CYCLES_SATURATED;
    for (uint32_t s = 0; gpu->has_hierarchy && s < gpu->sm_count; s++)
        first = cycles_min(first, gpu->sms[s].memory.first_sent);
    return cycles_add(first, gpu->answer_delay);
}

/* Chooses the next window: from where something happens on, and so long that all answers which arrive in it
 * are known. With the greedy dispatcher no block that ends in the window has its successor in it. */
static wb_status next_window(struct gpu *gpu) {
    const bool dispatches = gpu->greedy && gpu->next_block < gpu->block_count;
    const cycles unknown = first_unknown_answer(gpu);
    if (dispatches) gpu_dispatch(gpu, gpu->end);
    const cycles next = cycles_min(next_activity(gpu), unknown);
    if (next == CYCLES_SATURATED) return finish(gpu);
    gpu->turn = 1 - gpu->turn;
    gpu->start = cycles_max(gpu->end, next);
    gpu->end = cycles_min(cycles_add(gpu->start, gpu->longest), unknown);
    if (!dispatches) return WB_OK;
    gpu_dispatch(gpu, gpu->start);
    gpu->end = cycles_min(gpu->end, gpu->start + gpu->memory->dispatch_latency + 1);
    return WB_OK;
}

void gpu_end_window(struct gpu *gpu) {
    gpu->status = tasks_status(gpu);
    if (gpu->status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(gpu->diagnostics, gpu->scheme->name);
    if (gpu->status == WB_OK) gpu->status = ask_watch(gpu);
    if (gpu->status == WB_OK) gpu->status = next_window(gpu);
    if (gpu->status != WB_OK) gpu->done = true;
}
