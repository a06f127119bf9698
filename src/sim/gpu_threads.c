#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "sim/gpu_windows.h"

/* How often a thread looks for the next window before it lets others run. */
#define SPINS 256

#define WINDOW_NONE UINT64_MAX

/* Who does what in a window. A window ends with its last task, not with the last thread, so that a thread
 * that the system does not let run holds nobody up unless it is in the middle of a task. */
struct gpu_team {
    struct gpu *gpu;
    uint32_t tasks;
    _Atomic uint64_t window;   /* its number, from 1 on; WINDOW_NONE: there are no more */
    _Atomic uint32_t finished; /* tasks of this window */
    _Atomic uint64_t *taken;   /* per task the last window in which somebody took it */
};

/* Takes a task of a window and runs it, unless somebody else has it. Who finishes the last one chooses the
 * next window. */
static void try_task(struct gpu_team *team, uint32_t task, uint64_t window) {
    uint64_t before = window - 1;
    if (!atomic_compare_exchange_strong(&team->taken[task], &before, window)) return;
    gpu_run_task(team->gpu, task);
    if (atomic_fetch_add(&team->finished, 1) + 1 < team->tasks) return;
    atomic_store(&team->finished, 0);
    gpu_end_window(team->gpu);
    atomic_store(&team->window, team->gpu->done ? WINDOW_NONE : window + 1);
}

/* Waits until the window is over. */
static void await_next(struct gpu_team *team, uint64_t window) {
    for (uint32_t looks = 1; atomic_load(&team->window) == window; looks++) {
        if (looks % SPINS == 0) (void)sched_yield();
    }
}

/* A thread begins each window with tasks of its own, whose data it has used before. */
static void work(struct gpu_team *team, uint32_t first) {
    for (uint64_t window; (window = atomic_load(&team->window)) != WINDOW_NONE;) {
        for (uint32_t t = 0; t < team->tasks; t++)
            try_task(team, (first + t) % team->tasks, window);
        await_next(team, window);
    }
}

wb_status gpu_run(struct gpu *gpu) {
    struct gpu_team team = {.gpu = gpu, .tasks = gpu_task_count(gpu), .window = 1};
    uint32_t threads = gpu->options->threads;
    if (threads <= 1 || team.tasks <= 1) {
        while (!gpu->done) {
            for (uint32_t t = 0; t < team.tasks; t++)
                gpu_run_task(gpu, t);
            gpu_end_window(gpu);
        }
        return gpu->status;
    }
    if (threads > team.tasks) threads = team.tasks;
    team.taken = arena_array(&gpu->arena, team.tasks, sizeof *team.taken);
    if (team.taken == NULL) return diagnose_out_of_memory(gpu->diagnostics, gpu->scheme->name);
#pragma omp parallel num_threads((int)threads)
    work(&team, (uint32_t)omp_get_thread_num() * team.tasks / threads);
    return gpu->status;
}
