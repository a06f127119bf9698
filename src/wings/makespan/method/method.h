/* A makespan method, what it works on and what it finds. A new one is a file with a `struct makespan_method`
 * and a line in the table of analysis/makespan.c. */
#ifndef WB_MAKESPAN_METHOD_METHOD_H
#define WB_MAKESPAN_METHOD_METHOD_H

#include "base/base.h"
#include "method/bound.h"
#include "wings/makespan/strings/schedule.h"
#include "wings/makespan/strings/spec.h"

/* One improvement that an instance of the annealing found. */
struct anneal_step {
    uint32_t instance;
    uint64_t iteration; /* 0: the initial solution */
    double seconds;     /* of processor time, since this instance started */
    uint32_t makespan;
};

struct anneal_log {
    VEC(struct anneal_step) steps; /* by instance, then by iteration; an instance's last is its end */
};

/* What a method works on. */
struct makespan_run {
    const struct makespan_problem *problem;
    const struct makespan_settings *settings;
    const wb_watch *watch; /* or NULL */
    wb_diagnostics *diagnostics;
    struct arena *arena;  /* what it works with: protected (base/base.h), and freed behind it */
    double end;           /* when the time limit is reached, by clock_elapsed; 0: never */
    double processor_end; /* when that of processor time is, by clock_processor; 0: never */
};

/* What a method found. */
struct makespan_result {
    wb_bound bound;          /* cycles: the upper end (of kind lower: the value); lower: the lower end */
    struct schedule witness; /* takes bound.lower cycles; without cycles where there is none */
    struct anneal_log anneal_log;
    struct arena arena; /* of all this; while the method runs it is protected */
};

struct makespan_method {
    const char *name;
    const char *summary;
    /* Fills a zeroed result whose bound has only its method's name: kind, cycles, lower, assumptions, reason,
     * witness. WB_ERR_LIMIT with bound.cycles set: what was found before a limit, to be kept. A witness is
     * checked by the caller before it is believed. */
    wb_status (*run)(const struct makespan_run *run, struct makespan_result *result);
    /* The name of what the method needs and the library was built without, or NULL; NULL: it needs nothing.
     */
    const char *(*missing)(void);
    /* Whether "all" includes the method for this problem; NULL: always. A message when memory is exhausted.
     */
    bool (*fits)(const struct makespan_problem *problem, wb_diagnostics *diagnostics);
};

/* To be asked regularly, by one thread of the method: false when a time limit is reached or the user has
 * had enough; the method then returns makespan_stopped(...). */
bool makespan_goes_on(const struct makespan_run *run, const char *stage, uint64_t done, uint64_t total);

/* Whether a solver in a process of its own, which has taken so many processor seconds, has reached the limit
 * of processor time. */
bool makespan_solver_spent(const struct makespan_run *run, double seconds);

/* The message that the method was stopped, with the interval so far; always WB_ERR_LIMIT. */
wb_status makespan_stopped(const struct makespan_run *run, const struct makespan_result *result);

/* The message that memory is exhausted; always WB_ERR_LIMIT. */
wb_status makespan_no_memory(const struct makespan_run *run);

/* Runs work(context) with the arena protected: its status, or WB_ERR_LIMIT with the message that memory is
 * exhausted. */
wb_status makespan_with_memory(const struct makespan_run *run, struct arena *arena,
                               wb_status (*work)(void *context), void *context);

/* A text that lives as long as the result; NULL when memory is exhausted and the result's arena is not
 * protected. */
const char *makespan_text(struct makespan_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds what every result assumes. */
void makespan_assume_model(wb_bound *bound);

/* Sets an interval: kind exact where its ends meet, else upper. `cycles` is the upper end. */
void makespan_set_interval(wb_bound *bound, uint64_t lower, uint64_t upper);

/* Bytes that the settings allow. */
uint64_t makespan_memory(const struct makespan_settings *settings);

/* Threads that the settings ask for: at least 1. */
uint32_t makespan_threads(const struct makespan_settings *settings);

/* What the method needs and the library was built without; NULL where it can be run. */
const char *makespan_method_missing(const struct makespan_method *method);

/* Runs a method and checks its witness, if it made one, against the definition of a schedule: a witness that
 * is none, or that does not take bound.lower cycles, is WB_ERR_INPUT with a message (a defect of the method).
 * WB_ERR_DECLINED with a message where something is missing for the method.
 * With WB_ERR_LIMIT and result->bound.cycles set the result is what was found before a limit. The
 * arena and the ends of the run are set, the latter from the settings. The result is freed with
 * makespan_result_free, also after an error. */
wb_status makespan_solve(const struct makespan_method *method, struct makespan_run *run,
                         struct makespan_result *result);

void makespan_result_free(struct makespan_result *result);

#endif
