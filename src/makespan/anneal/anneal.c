/* Simulated annealing on warp pseudo-precedence strings (ETFA'13): independent instances, each looking for a
 * string whose schedule is long.
 *
 * The paper leaves open which neighbours of a string are tried. Here an instance walks along its string,
 * again and again, and proposes to exchange the identifier where it stands with a random one of those that
 * follow: not farther away than a round of all warps, and rather near than far. Near exchanges cost least,
 * since their schedules soon meet the current one again (reschedule.h), and on the case study of the
 * paper they find long schedules in less time than exchanges over any distance. Walking rather than jumping
 * keeps the schedule of what stands before. */
#include <stdlib.h>

#include "base/decay.h"
#include "base/random.h"
#include "makespan/anneal/anneal.h"
#include "makespan/anneal/precedence_string.h"
#include "makespan/anneal/reschedule.h"
#include "makespan/method/closed.h"

/* Identifiers are exchanged over this distance at least, where there are few warps. */
#define REACH_MIN 16u

/* Identifiers that an instance handles between two looks at the limits: some milliseconds. */
#define WORK_BETWEEN_POLLS 1000000u

/* "all" includes the method up to so many instructions. */
#define ANNEAL_INSTRUCTIONS_MAX 4096u

/* What the instances share. */
struct annealing {
    const struct makespan_run *run;
    uint64_t longest;        /* no schedule takes longer */
    uint64_t done;           /* iterations of all instances, as far as they have told */
    bool stopped;            /* at a limit or by the user */
    bool failed;             /* memory is exhausted */
    struct anneal_log *logs; /* of each instance */
    uint32_t *best; /* the longest schedule's string; of equally long ones that of the first instance */
    uint32_t best_makespan;
    uint32_t best_instance;
};

struct instance {
    struct annealing *shared;
    uint32_t number;
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

/* Appends a step to the instance's log. */
static wb_status log_step(struct instance *instance) {
    struct anneal_step step = {instance->number, instance->iteration, clock_of_thread() - instance->start,
                               instance->best_makespan};
    return vec_push(&instance->shared->logs[instance->number].steps, step);
}

/* Keeps the current solution as the best. */
static wb_status keep_best(struct instance *instance) {
    const struct rescheduler *rescheduler = &instance->rescheduler;
    for (uint32_t i = 0; i < rescheduler->count; i++)
        instance->best[i] = rescheduler->string[i].warp;
    instance->best_makespan = rescheduler->makespan;
    return log_step(instance);
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

/* Makes the initial solution. */
static wb_status instance_make(struct annealing *shared, uint32_t number, struct instance *instance) {
    const struct makespan_problem *problem = shared->run->problem;
    *instance = (struct instance){.shared = shared, .number = number, .start = clock_of_thread()};
    instance->random = random_seeded((uint64_t)shared->run->settings->seed + number);
    instance->best = malloc(problem->instruction_count * sizeof *instance->best);
    if (instance->best == NULL) return WB_ERR_LIMIT;
    WB_TRY(anneal_start_string(problem, anneal_start_of(number), &instance->random, instance->best));
    WB_TRY(rescheduler_make(problem, shared->longest, instance->best, goes_on, instance,
                            &instance->rescheduler));
    return keep_best(instance);
}

static void instance_free(struct instance *instance) {
    rescheduler_free(&instance->rescheduler);
    free(instance->best);
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
static wb_status iterate(struct instance *instance) {
    const struct makespan_settings *settings = instance->shared->run->settings;
    struct rescheduler *rescheduler = &instance->rescheduler;
    uint32_t other = propose(instance);
    if (other == 0) return WB_OK;
    /* Linear cooling (section V). */
    double elapsed = (double)(instance->iteration - 1) / settings->anneal_iterations;
    double temperature = settings->anneal_temperature * (1 - elapsed);
    uint32_t makespan = rescheduler_exchange(rescheduler, other);
    instance->work += rescheduler->candidate.end - rescheduler->index + rescheduler->problem->warp_count;
    if (makespan == 0 || !accepts(&instance->random, rescheduler->makespan, makespan, temperature)) {
        rescheduler_drop(rescheduler);
        return WB_OK;
    }
    rescheduler_keep(rescheduler);
    return makespan > instance->best_makespan ? keep_best(instance) : WB_OK;
}

/* Iterates until the instance has had all its iterations or is stopped. The log gets its end, too. */
static wb_status anneal(struct instance *instance) {
    uint64_t iterations = instance->shared->run->settings->anneal_iterations;
    (void)goes_on(instance);
    while (!instance->stopped && instance->iteration < iterations) {
        instance->iteration++;
        WB_TRY(iterate(instance));
        if (instance->work >= WORK_BETWEEN_POLLS) (void)goes_on(instance);
    }
    (void)goes_on(instance);
    return log_step(instance);
}

/* Hands over what an instance found. Which one is first in time does not matter. */
static void share_result(struct instance *instance, wb_status status) {
    struct annealing *shared = instance->shared;
#pragma omp critical(anneal_shared)
    {
        bool stopped_early = instance->stopped && instance->best_makespan == 0;
        if (status != WB_OK && !stopped_early) shared->failed = true;
        bool longer = instance->best_makespan > shared->best_makespan;
        bool earlier =
            instance->best_makespan == shared->best_makespan && instance->number < shared->best_instance;
        if (status == WB_OK && (longer || earlier)) {
            uint32_t *best = shared->best;
            shared->best = instance->best;
            instance->best = best;
            shared->best_makespan = instance->best_makespan;
            shared->best_instance = instance->number;
        }
    }
}

/* Runs one instance, unless there was a reason to stop before. The first makes its initial solution, unless
 * that takes longer than the looks at the limits are apart. */
static void run_instance(struct annealing *shared, uint32_t number) {
    struct instance instance;
    bool skipped;
#pragma omp critical(anneal_shared)
    skipped = number > 0 && (shared->stopped || shared->failed);
    if (skipped) return;
    wb_status status = instance_make(shared, number, &instance);
    if (status == WB_OK) status = anneal(&instance);
    share_result(&instance, status);
    instance_free(&instance);
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

/* Puts the logs of all instances one behind the other. */
static wb_status join_logs(const struct annealing *shared, struct anneal_log *joined) {
    for (uint32_t i = 0; i < shared->run->settings->anneal_instances; i++)
        for (size_t s = 0; s < shared->logs[i].steps.count; s++)
            WB_TRY(vec_push(&joined->steps, shared->logs[i].steps.items[s]));
    return WB_OK;
}

/* Turns what the instances found into the result: a schedule that takes so long is a lower bound. */
static wb_status conclude(const struct annealing *shared, struct makespan_result *result) {
    const struct makespan_run *run = shared->run;
    if (shared->best == NULL && !shared->failed) {
        diagnose(run->diagnostics, SEVERITY_ERROR, result->bound.method,
                 "stopped at a limit of time or by the user before it had a first schedule");
        return WB_ERR_LIMIT;
    }
    if (shared->failed || join_logs(shared, &result->anneal_log) != WB_OK) return makespan_no_memory(run);
    if (precedence_schedule(run->problem, shared->best, NULL, NULL, &result->witness) != WB_OK)
        return makespan_no_memory(run);
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
    struct annealing shared = {.run = run, .longest = closed_bound(run->problem)};
    uint32_t instances = run->settings->anneal_instances;
    uint32_t threads = affordable_threads(&shared);
    if (threads == 0) return makespan_no_memory(run);
    shared.logs = calloc(instances, sizeof *shared.logs);
    if (shared.logs == NULL) return makespan_no_memory(run);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (uint32_t i = 0; i < instances; i++)
        run_instance(&shared, i);
    wb_status status = conclude(&shared, result);
    for (uint32_t i = 0; i < instances; i++)
        vec_free(&shared.logs[i].steps);
    free(shared.logs);
    free(shared.best);
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
