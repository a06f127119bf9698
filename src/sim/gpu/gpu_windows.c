/* The windows that time runs in, and the threads that share their tasks. */
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "sim/gpu/gpu.h"

/* How many instructions pass between two looks at the watch. */
#define GPU_WATCH_PERIOD ((uint64_t)1 << 16)

/* One window of an SM. */
static wb_status run_sm(const struct gpu *gpu, struct gpu_sm *own, struct gpu_summary *summary) {
    if (gpu_is_connected(gpu)) {
        struct gpu_mailbox *boxes = gpu->boxes[gpu->turn] + (size_t)own->number * gpu->channel_count;
        WB_TRY(sm_begin_window(&own->sm, boxes, gpu->end));
    }
    WB_TRY(own->host->model->run(own->host, gpu->end));
    summary->next = own->host->model->next(own->host);
    summary->first_sent = own->memory.first_sent;
    summary->executed = own->host->executed;
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

/* Adds another summary. */
static void gpu_summarise(struct gpu_summary *summary, const struct gpu_summary *other) {
    summary->next = cycles_min(summary->next, other->next);
    summary->first_sent = cycles_min(summary->first_sent, other->first_sent);
    summary->executed += other->executed;
    if (other->failed > summary->failed) return;
    summary->failed = other->failed;
    summary->status = other->status;
}

/* gpu_windows.c: one task of a window, a partition or an SM; adds it to the summary. */
static void gpu_run_task(struct gpu *gpu, uint32_t task, struct gpu_summary *summary) {
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
        const struct sm_host *host = gpu->sms[s].host;
        ended = ended && host->feed.next >= host->feed.end;
        for (uint32_t slot = 0; slot < gpu->slots; slot++)
            ended = ended && host->slots[slot].block == SM_NONE;
    }
    return ended;
}

/* Nothing happens any more. */
static wb_status finish(struct gpu *gpu) {
    gpu->done = true;
    return all_ended(gpu) ? WB_OK : diagnose_stuck(gpu->diagnostics, gpu->scheme->name);
}

/* Gives blocks to slots that are free by cycle `now`; *next: no later than when something happens next that
 * may not be in the summary. */
static wb_status dispatch(struct gpu *gpu, cycles now, cycles *next) {
    WB_TRY(gpu_dispatch(gpu, now));
    for (uint32_t s = 0; s < gpu->sm_count; s++) {
        const struct sm_host *host = gpu->sms[s].host;
        *next = cycles_min(*next, host->model->next(host));
    }
    return WB_OK;
}

/* Chooses the next window: from where something happens on, and so long that all answers which arrive in it
 * are known. With a dispatcher of all SMs no block that ends in the window has its successor in it. */
static wb_status next_window(struct gpu *gpu, const struct gpu_summary *summary) {
    const bool dispatches = gpu_blocks_left(gpu);
    const cycles unknown = cycles_add(summary->first_sent, gpu->answer_delay);
    cycles next = cycles_min(summary->next, unknown);
    if (dispatches) WB_TRY(dispatch(gpu, gpu->end, &next));
    if (next == CYCLES_SATURATED) return finish(gpu);
    gpu->turn = 1 - gpu->turn;
    gpu->start = cycles_max(gpu->end, next);
    gpu->end = cycles_min(cycles_add(gpu->start, gpu->longest), unknown);
    if (!dispatches) return WB_OK;
    WB_TRY(gpu_dispatch(gpu, gpu->start));
    const cycles apart = (cycles)gpu->memory->dispatch_service + gpu->memory->dispatch_latency;
    gpu->end = cycles_min(gpu->end, gpu->start + apart + 1);
    return WB_OK;
}

/* All tasks have been run: chooses the next window, or ends with gpu->done and gpu->status. */
static void gpu_end_window(struct gpu *gpu, const struct gpu_summary *summary) {
    gpu->status = summary->status == WB_OK ? next_window(gpu, summary) : summary->status;
    if (gpu->status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(gpu->diagnostics, gpu->scheme->name);
    if (gpu->status == WB_OK && !gpu->done) gpu->status = ask_watch(gpu, summary->executed);
    if (gpu->status != WB_OK) gpu->done = true;
}

/* How often a thread looks for the next window before it lets others run. */
#define SPINS 256

#define WINDOW_NONE UINT64_MAX

/* Bytes that processors exchange at a time: what different threads write stands so far apart. */
#define SHARED_BYTES 128

/* Who took a task: the last window in which somebody did. */
struct gpu_claim {
    _Atomic uint64_t window;
    char apart[SHARED_BYTES - sizeof(uint64_t)];
};

struct gpu_worker {
    uint32_t first; /* a thread begins each window here, with tasks whose data it has used before */
    struct gpu_summary summary; /* of the tasks that it has run in the window */
    char apart[SHARED_BYTES - sizeof(struct gpu_summary)];
};

/* Who does what in a window. A window ends with its last task, not with the last thread, so that a thread
 * that the system does not let run holds nobody up unless it is in the middle of a task. */
struct gpu_team {
    struct gpu *gpu;
    uint32_t tasks, threads;
    struct gpu_claim *claims;   /* per task */
    struct gpu_worker *workers; /* per thread */
    _Atomic uint64_t window;    /* its number, from 1 on; WINDOW_NONE: there are no more */
    char apart[SHARED_BYTES];
    _Atomic uint32_t finished; /* tasks of this window */
};

/* All tasks of a window have been run: sums up what the threads know of them, and chooses the next one. */
static void end_window(struct gpu_team *team, uint64_t window) {
    struct gpu_summary summary = GPU_SUMMARY_EMPTY;
    for (uint32_t t = 0; t < team->threads; t++) {
        gpu_summarise(&summary, &team->workers[t].summary);
        team->workers[t].summary = GPU_SUMMARY_EMPTY;
    }
    atomic_store(&team->finished, 0);
    gpu_end_window(team->gpu, &summary);
    atomic_store(&team->window, team->gpu->done ? WINDOW_NONE : window + 1);
}

/* Runs the tasks of a window that nobody else has taken. Who finishes the last one ends the window. */
static void run_tasks(struct gpu_team *team, struct gpu_worker *worker, uint64_t window) {
    uint32_t run = 0;
    for (uint32_t t = 0; t < team->tasks; t++) {
        uint32_t task = (worker->first + t) % team->tasks;
        uint64_t before = atomic_load(&team->claims[task].window);
        if (before != window - 1 ||
            !atomic_compare_exchange_strong(&team->claims[task].window, &before, window))
            continue;
        gpu_run_task(team->gpu, task, &worker->summary);
        run++;
    }
    if (run > 0 && atomic_fetch_add(&team->finished, run) + run == team->tasks) end_window(team, window);
}

/* Waits until the window is over. */
static void await_next(struct gpu_team *team, uint64_t window) {
    for (uint32_t looks = 1; atomic_load(&team->window) == window; looks++) {
        if (looks % SPINS == 0) (void)sched_yield();
    }
}

static void work(struct gpu_team *team, uint32_t thread) {
    for (uint64_t window; (window = atomic_load(&team->window)) != WINDOW_NONE;) {
        run_tasks(team, &team->workers[thread], window);
        await_next(team, window);
    }
}

static wb_status run_together(struct gpu *gpu, uint32_t threads) {
    struct gpu_team team = {.gpu = gpu, .tasks = gpu_task_count(gpu), .threads = threads, .window = 1};
    team.claims = arena_array(&gpu->arena, team.tasks, sizeof *team.claims);
    team.workers = arena_array(&gpu->arena, threads, sizeof *team.workers);
    if (team.claims == NULL || team.workers == NULL)
        return diagnose_out_of_memory(gpu->diagnostics, gpu->scheme->name);
    for (uint32_t t = 0; t < threads; t++) {
        team.workers[t].first = (uint32_t)((uint64_t)t * team.tasks / threads);
        team.workers[t].summary = GPU_SUMMARY_EMPTY;
    }
#pragma omp parallel num_threads((int)threads)
    work(&team, (uint32_t)omp_get_thread_num());
    return gpu->status;
}

static wb_status run_alone(struct gpu *gpu) {
    while (!gpu->done) {
        struct gpu_summary summary = GPU_SUMMARY_EMPTY;
        for (uint32_t t = 0; t < gpu_task_count(gpu); t++)
            gpu_run_task(gpu, t, &summary);
        gpu_end_window(gpu, &summary);
    }
    return gpu->status;
}

wb_status gpu_run(struct gpu *gpu) {
    uint32_t tasks = gpu_task_count(gpu), threads = gpu->options->threads;
    if (threads > tasks) threads = tasks;
    return threads <= 1 ? run_alone(gpu) : run_together(gpu, threads);
}
