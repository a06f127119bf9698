#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "sim/gpu_windows.h"

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
