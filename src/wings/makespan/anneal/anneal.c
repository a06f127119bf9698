/* Simulated annealing on warp pseudo-precedence strings (ETFA'13): independent instances, each looking for a
 * string whose schedule is long.
 *
 * The paper leaves open which neighbours of a string are tried. Here an instance walks along its string,
 * again and again, and proposes to exchange the identifier where it stands with a random one of those that
 * follow: not farther away than a round of all warps, and rather near than far. Near exchanges cost least,
 * since their schedules soon meet the current one again (reschedule.h), and on the case study of the
 * paper they find long schedules in less time than exchanges over any distance. Walking rather than jumping
 * keeps the schedule of what stands before. */
#include <string.h>

#include "base/containers.h"
#include "wings/makespan/anneal/anneal.h"
#include "wings/makespan/anneal/precedence_string.h"
#include "wings/makespan/anneal/reschedule.h"
#include "wings/makespan/method/closed.h"

/* Identifiers are exchanged over this distance at least, where there are few warps. */
#define REACH_MIN 16u

/* Identifiers that an instance handles between two looks at the limits: some milliseconds. */
#define WORK_BETWEEN_POLLS 1000000u

/* "all" includes the method up to so many instructions. */
#define ANNEAL_INSTRUCTIONS_MAX 4096u

/* What the instances share. */
struct annealing {
    const struct makespan_run *run;
    struct makespan_result *result;
    uint64_t longest;        /* no schedule takes longer */
    uint64_t done;           /* iterations of all instances, as far as they have told */
    bool stopped;            /* at a limit or by the user */
    bool failed;             /* memory is exhausted */
    struct anneal_log *logs; /* of each instance */
    uint32_t *best; /* the longest schedule's string; of equally long ones that of the first instance */
    uint32_t best_makespan; /* 0: there is none */
    uint32_t best_instance;
};

struct instance {
    struct annealing *shared;
    uint32_t number;
    struct arena arena; /* of all that follows */
    struct random_state random;
    struct rescheduler rescheduler;
    uint32_t *best; /* string */
    uint32_t best_makespan;
    uint64_t iteration;
    uint64_t told; /* iterations in shared->done */
    uint64_t work; /* since the last look at the limits */
    double start;  /* by clock_of_thread: one thread has it from its start to its end */
    bool stopped;  /* was told not to go on */
};

/* Appends a step to the instance's log, which is longer than the instance. */
static void log_step(struct instance *instance) {
    struct anneal_step step = {instance->number, instance->iteration, clock_of_thread() - instance->start,
                               instance->best_makespan};
    wb_status status = vec_push(&instance->shared->logs[instance->number].steps, step);
    if (status != WB_OK) arena_fail(&instance->arena, status);
}

/* Keeps the current solution as the best. */
static void keep_best(struct instance *instance) {
    const struct rescheduler *rescheduler = &instance->rescheduler;
    for (uint32_t i = 0; i < rescheduler->count; i++)
        instance->best[i] = rescheduler->string[i].warp;
    instance->best_makespan = rescheduler->makespan;
    log_step(instance);
}

/* Tells what has been done; returns whether there is reason to go on. Instances ask one at a time. */
static bool goes_on(void *user) {
    struct instance *instance = user;
    struct annealing *shared = instance->shared;
    const struct makespan_settings *settings = shared->run->settings;
    uint64_t total = (uint64_t)settings->anneal_instances * settings->anneal_iterations;
#pragma omp critical(anneal_shared)
    {
        shared->done += instance->iteration - instance->told;
        bool more = makespan_goes_on(shared->run, "anneal: iterations", shared->done, total);
        if (!more && shared->done < total) shared->stopped = true;
        instance->stopped = shared->stopped || shared->failed;
    }
    instance->told = instance->iteration;
    instance->work = 0;
    return !instance->stopped;
}

/* Makes the initial solution; false when the instance was stopped meanwhile. */
static bool begin(struct instance *instance) {
    const struct annealing *shared = instance->shared;
    const struct makespan_problem *problem = shared->run->problem;
    struct arena *arena = &instance->arena;
    instance->start = clock_of_thread();
    instance->random = random_seeded((uint64_t)shared->run->settings->seed + instance->number);
    instance->best = arena_array(arena, problem->instruction_count, sizeof *instance->best);
    anneal_start_string(problem, anneal_start_of(instance->number), &instance->random, arena, instance->best);
    if (!rescheduler_make(problem, shared->longest, instance->best, goes_on, instance, arena,
                          &instance->rescheduler))
        return false;
    keep_best(instance);
    return true;
}

/* Walks on to an index whose identifier is to be exchanged with a different one; returns that one's index, or
 * 0 when a whole walk along the string chose equal ones only. */
static uint32_t propose(struct instance *instance) {
    struct rescheduler *rescheduler = &instance->rescheduler;
    const struct string_item *string = rescheduler->string;
    uint32_t warps = rescheduler->problem->warp_count;
    for (uint32_t tries = 1; tries < rescheduler->count; tries++) {
        rescheduler_step(rescheduler);
        instance->work++;
        uint32_t reach = rescheduler->count - 1 - rescheduler->index;
        if (reach > REACH_MIN && reach > warps) reach = warps > REACH_MIN ? warps : REACH_MIN;
        uint32_t nearer = 1 + (uint32_t)random_below(&instance->random, reach);
        uint32_t other = rescheduler->index + 1 + (uint32_t)random_below(&instance->random, nearer);
        if (string[other].warp != string[rescheduler->index].warp) return other;
    }
    return 0;
}

/* Eq. (3): a candidate that is no worse is always accepted, a worse one with a probability that falls with
 * what is lost and with the temperature. */
static bool accepts(struct random_state *random, uint32_t makespan, uint32_t candidate, double temperature) {
    if (candidate >= makespan) return true;
    if (temperature <= 0) return false;
    double uniform = (double)(random_next(random) >> 11) * 0x1p-53;
    return uniform < decay((double)(makespan - candidate) / temperature);
}

/* One iteration: a candidate, and whether it replaces the current solution. */
static void iterate(struct instance *instance) {
    const struct makespan_settings *settings = instance->shared->run->settings;
    struct rescheduler *rescheduler = &instance->rescheduler;
    uint32_t other = propose(instance);
    if (other == 0) return;
    /* Linear cooling (section V). */
    double elapsed = (double)(instance->iteration - 1) / settings->anneal_iterations;
    double temperature = settings->anneal_temperature * (1 - elapsed);
    uint32_t makespan = rescheduler_exchange(rescheduler, other);
    instance->work += rescheduler->candidate.end - rescheduler->index + rescheduler->problem->warp_count;
    if (makespan == 0 || !accepts(&instance->random, rescheduler->makespan, makespan, temperature)) {
        rescheduler_drop(rescheduler);
        return;
    }
    rescheduler_keep(rescheduler);
    if (makespan > instance->best_makespan) keep_best(instance);
}

/* Iterates until the instance has had all its iterations or is stopped. The log gets its end, too. */
static void anneal(void *context) {
    struct instance *instance = context;
    uint64_t iterations = instance->shared->run->settings->anneal_iterations;
    if (!begin(instance)) return;
    (void)goes_on(instance);
    while (!instance->stopped && instance->iteration < iterations) {
        instance->iteration++;
        iterate(instance);
        if (instance->work >= WORK_BETWEEN_POLLS) (void)goes_on(instance);
    }
    (void)goes_on(instance);
    log_step(instance);
}

/* Hands over what an instance found. Which one is first in time does not matter. */
static void share_result(const struct instance *instance, bool failed) {
    struct annealing *shared = instance->shared;
#pragma omp critical(anneal_shared)
    {
        bool longer = instance->best_makespan > shared->best_makespan;
        bool earlier = instance->best_makespan > 0 && instance->best_makespan == shared->best_makespan &&
                       instance->number < shared->best_instance;
        shared->failed |= failed;
        if (!failed && (longer || earlier)) {
            memcpy(shared->best, instance->best, instance->rescheduler.count * sizeof *shared->best);
            shared->best_makespan = instance->best_makespan;
            shared->best_instance = instance->number;
        }
    }
}

/* Runs one instance, unless there was a reason to stop before. The first makes its initial solution, unless
 * that takes longer than the looks at the limits are apart. */
static void run_instance(struct annealing *shared, uint32_t number) {
    struct instance instance = {.shared = shared, .number = number};
    bool skipped;
#pragma omp critical(anneal_shared)
    skipped = number > 0 && (shared->stopped || shared->failed);
    if (skipped) return;
    wb_status status = arena_protect(&instance.arena, anneal, &instance);
    share_result(&instance, status != WB_OK);
    arena_free(&instance.arena);
}

/* As many threads as are asked for and have memory; 0 when there is not enough for one. */
static uint32_t affordable_threads(const struct annealing *shared) {
    const struct makespan_run *run = shared->run;
    uint64_t string = run->problem->instruction_count * sizeof *shared->best;
    uint64_t each = rescheduler_bytes(run->problem, shared->longest) + string;
    uint64_t memory = makespan_memory(run->settings);
    uint64_t affordable = memory > string ? (memory - string) / each : 0;
    uint32_t threads = makespan_threads(run->settings);
    if (threads > run->settings->anneal_instances) threads = run->settings->anneal_instances;
    return affordable < threads ? (uint32_t)affordable : threads;
}

/* Turns what the instances found into the result: a schedule that takes so long is a lower bound. */
static wb_status conclude(void *context) {
    const struct annealing *shared = context;
    const struct makespan_run *run = shared->run;
    struct makespan_result *result = shared->result;
    if (shared->best_makespan == 0) {
        diagnose(run->diagnostics, SEVERITY_ERROR, result->bound.method,
                 "stopped at a limit of time or by the user before it had a first schedule");
        return WB_ERR_LIMIT;
    }
    for (uint32_t i = 0; i < run->settings->anneal_instances; i++)
        for (size_t s = 0; s < shared->logs[i].steps.count; s++)
            arena_push(&result->arena, &result->anneal_log.steps, shared->logs[i].steps.items[s]);
    struct arena scratch = {0};
    arena_bind(&scratch, &result->arena);
    schedule_make(run->problem, &result->arena, &result->witness);
    (void)precedence_schedule(run->problem, shared->best, NULL, NULL, &scratch, &result->witness);
    arena_free(&scratch);
    result->bound.kind = WB_LOWER;
    result->bound.cycles = result->bound.lower = shared->best_makespan;
    makespan_assume_model(&result->bound);
    if (!shared->stopped) return WB_OK;
    diagnose(run->diagnostics, SEVERITY_WARNING, result->bound.method,
             "stopped at a limit of time or by the user; the longest schedule found so far takes %u cycles",
             shared->best_makespan);
    return WB_ERR_LIMIT;
}

static wb_status run_anneal(const struct makespan_run *run, struct makespan_result *result) {
    struct annealing shared = {.run = run, .result = result, .longest = closed_bound(run->problem)};
    uint32_t instances = run->settings->anneal_instances;
    uint32_t threads = affordable_threads(&shared);
    if (threads == 0) return makespan_no_memory(run);
    shared.logs = arena_array(run->arena, instances, sizeof *shared.logs);
    shared.best = arena_array(run->arena, run->problem->instruction_count, sizeof *shared.best);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (uint32_t i = 0; i < instances; i++)
        run_instance(&shared, i);
    wb_status status = shared.failed ? makespan_no_memory(run)
                                     : makespan_with_memory(run, &result->arena, conclude, &shared);
    for (uint32_t i = 0; i < instances; i++)
        vec_free(&shared.logs[i].steps);
    return status;
}

static bool anneal_fits(const struct makespan_problem *problem, wb_diagnostics *diagnostics) {
    (void)diagnostics;
    return problem->instruction_count <= ANNEAL_INSTRUCTIONS_MAX;
}

const struct makespan_method makespan_anneal = {
    .name = "anneal",
    .summary = "long schedules by simulated annealing on the order of the warps (ETFA 2013)",
    .run = run_anneal,
    .fits = anneal_fits,
};
