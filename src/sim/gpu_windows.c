#include "sim/gpu_windows.h"

/* How many instructions pass between two looks at the watch. */
#define GPU_WATCH_PERIOD ((uint64_t)1 << 16)

/* One window of an SM. */
static wb_status run_sm(const struct gpu *gpu, struct gpu_sm *own, struct gpu_summary *summary) {
    if (gpu_is_connected(gpu)) {
        struct gpu_mailbox *boxes = gpu->boxes[gpu->turn] + (size_t)own->number * gpu->channel_count;
        WB_TRY(sm_begin_window(&own->sm, boxes, gpu->end));
    }
    WB_TRY(sm_run(&own->sm, gpu->end));
    summary->next = sm_next_activity(&own->sm);
    summary->first_sent = own->memory.first_sent;
    summary->executed = own->sm.executed;
    return WB_OK;
}

/* Serves the requests that the SMs sent to a partition in the window before, by time and SM. */
static wb_status run_channel(const struct gpu *gpu, uint32_t index, struct gpu_summary *summary) {
    struct gpu_channel *own = &gpu->channels[index];
    struct gpu_mailbox *boxes = gpu->boxes[1 - gpu->turn] + index;
    for (uint32_t s = 0; s < gpu->sm_count; s++) {
        const struct gpu_mailbox *box = &boxes[(size_t)s * gpu->channel_count];
        own->taken[s] = 0;
        if (box->requests.count > 0) heap_push(&own->arrivals, box->requests.items[0].at, s, s);
    }
    while (own->arrivals.count > 0) {
        uint32_t s = heap_pop(&own->arrivals).id;
        struct gpu_mailbox *box = &boxes[(size_t)s * gpu->channel_count];
        const struct gpu_request *request = &box->requests.items[own->taken[s]++];
        cycles answered;
        WB_TRY(gpu_partition_serve(&own->partition, request, &answered));
        const struct gpu_answer answer = {answered + gpu->memory->noc_latency, request->sender};
        WB_TRY(vec_push(&box->answers, answer));
        summary->next = cycles_min(summary->next, answer.at);
        if (own->taken[s] < box->requests.count) {
            cycles next = box->requests.items[own->taken[s]].at;
            heap_push(&own->arrivals, next, s, s);
        } else {
            box->requests.count = 0;
        }
    }
    return WB_OK;
}

/* The one memory serves what the SMs sent in the window before, and what waits since then. A request that
 * waits on counts as if it arrived when it is served at the earliest. */
static wb_status run_server(const struct gpu *gpu, struct gpu_summary *summary) {
    const cycles known_to = gpu->start + gpu->memory->request_cycles;
    return gpu_server_run(&gpu->channels->server, gpu->boxes[1 - gpu->turn], known_to, &summary->next,
                          &summary->first_sent);
}

/* One window of a partition, or of the one memory. */
static wb_status run_memory(const struct gpu *gpu, uint32_t index, struct gpu_summary *summary) {
    return gpu->is_contended ? run_server(gpu, summary) : run_channel(gpu, index, summary);
}

void gpu_summarise(struct gpu_summary *summary, const struct gpu_summary *other) {
    summary->next = cycles_min(summary->next, other->next);
    summary->first_sent = cycles_min(summary->first_sent, other->first_sent);
    summary->executed += other->executed;
    if (other->failed > summary->failed) return;
    summary->failed = other->failed;
    summary->status = other->status;
}

void gpu_run_task(struct gpu *gpu, uint32_t task, struct gpu_summary *summary) {
    struct gpu_summary own = GPU_SUMMARY_EMPTY;
    own.status = task < gpu->channel_count ? run_memory(gpu, task, &own)
                                           : run_sm(gpu, &gpu->sms[task - gpu->channel_count], &own);
    if (own.status != WB_OK) own.failed = task;
    gpu_summarise(summary, &own);
}

static wb_status ask_watch(struct gpu *gpu, uint64_t executed) {
    const wb_watch *watch = gpu->options->watch;
    if (watch == NULL || watch->poll == NULL || executed < gpu->watch_at) return WB_OK;
    gpu->watch_at = executed + GPU_WATCH_PERIOD;
    if (watch->poll(watch->user, gpu->scheme->name, executed, gpu->total)) return WB_OK;
    diagnose(gpu->diagnostics, SEVERITY_ERROR, gpu->scheme->name, "simulation stopped");
    return WB_ERR_LIMIT;
}

/* Whether all blocks have ended. */
static bool all_ended(const struct gpu *gpu) {
    bool ended = !gpu_blocks_left(gpu);
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

/* Gives blocks to slots that are free by cycle `now`; when something happens next that may not be in the
 * summary. */
static cycles dispatch(struct gpu *gpu, cycles now) {
    cycles next = CYCLES_SATURATED;
    gpu_dispatch(gpu, now);
    for (uint32_t s = 0; s < gpu->sm_count; s++)
        next = cycles_min(next, sm_next_activity(&gpu->sms[s].sm));
    return next;
}

/* Chooses the next window: from where something happens on, and so long that all answers which arrive in it
 * are known. With a dispatcher of all SMs no block that ends in the window has its successor in it. */
static wb_status next_window(struct gpu *gpu, const struct gpu_summary *summary) {
    const bool dispatches = gpu_blocks_left(gpu);
    const cycles unknown = cycles_add(summary->first_sent, gpu->answer_delay);
    cycles next = cycles_min(summary->next, unknown);
    if (dispatches) next = cycles_min(next, dispatch(gpu, gpu->end));
    if (next == CYCLES_SATURATED) return finish(gpu);
    gpu->turn = 1 - gpu->turn;
    gpu->start = cycles_max(gpu->end, next);
    gpu->end = cycles_min(cycles_add(gpu->start, gpu->longest), unknown);
    if (!dispatches) return WB_OK;
    gpu_dispatch(gpu, gpu->start);
    const cycles apart = (cycles)gpu->memory->dispatch_service + gpu->memory->dispatch_latency;
    gpu->end = cycles_min(gpu->end, gpu->start + apart + 1);
    return WB_OK;
}

void gpu_end_window(struct gpu *gpu, const struct gpu_summary *summary) {
    gpu->status = summary->status;
    if (gpu->status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(gpu->diagnostics, gpu->scheme->name);
    if (gpu->status == WB_OK) gpu->status = ask_watch(gpu, summary->executed);
    if (gpu->status == WB_OK) gpu->status = next_window(gpu, summary);
    if (gpu->status != WB_OK) gpu->done = true;
}
