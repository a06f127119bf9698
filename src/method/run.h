/* Methods that are asked for one after another, whatever they work on: bounds of blocks and kernels, policies
 * that are simulated, makespans. None of them keeps another from its result, and one without a result leaves
 * its reason. */
#ifndef WB_METHOD_RUN_H
#define WB_METHOD_RUN_H

#include "base/base.h"

/* The methods of a table are the bits of a number. */
#define METHODS_MAX 64u

/* What methods leave besides their results. */
struct method_log {
    VEC(wb_declined) declined; /* each once, in the order in which they were asked for */
    struct arena texts;        /* of reasons, there and in results */
};

void method_log_free(struct method_log *log);

/* Keeps that a method has no result, in place of what it said before. WB_ERR_LIMIT without a message when
 * memory is exhausted. */
wb_status method_decline(struct method_log *log, const char *method, wb_status status, const char *reason);

/* The first error among the messages of a method, to be kept; "out of memory" when there is no room for it.
 */
const char *method_reason(struct method_log *log, const wb_diagnostics *messages);

/* Room for the result of method `index` among *count results of `size` bytes each, which stand in the order
 * of the table; the method joins those that are `done`, in which it is not. There must be room for one more.
 */
void *method_place(uint64_t *done, size_t index, void *items, size_t *count, size_t size);

/* Methods on their way. */
struct method_run {
    const char *where;           /* names them all in the message that memory is exhausted */
    wb_watch watch;              /* to be given to each of them */
    const wb_watch *asked;       /* whom that asks in turn, or NULL */
    bool stopped;                /* by it */
    bool no_memory;              /* the system had none left for one of them: the report is not whole */
    bool stuck;                  /* an execution of one never ends: nothing that was found holds */
    wb_diagnostics *diagnostics; /* of the caller */
    wb_diagnostics *failures;    /* what those without a result said */
    size_t results;              /* that there are in the end */
    wb_status limit;             /* WB_ERR_LIMIT where one that was named gave only what it had found */
    wb_status failed;            /* of those without a result: WB_ERR_DECLINED before others */
};

/* Begins a run, which method_run_end ends and which must not move between them. `watch` may be NULL.
 * WB_ERR_LIMIT with a message when memory is exhausted. */
wb_status method_run_begin(struct method_run *run, const char *where, const wb_watch *watch,
                           wb_diagnostics *diagnostics);

/* Asks a method. Returns an error only when memory is exhausted. */
typedef wb_status (*method_ask)(void *user, size_t index, struct method_run *run);

/* Asks the chosen methods, bit i standing for number i, that are not `done`, which each of them changes. */
wb_status method_run_chosen(struct method_run *run, uint64_t chosen, const uint64_t *done, method_ask ask,
                            void *user);

/* What came of a method. */
struct method_outcome {
    const char *method;
    wb_status status;
    bool has_result; /* with WB_ERR_LIMIT: what was found before the limit */
    bool named;      /* the limit is of whom asked for it: of "all" it is no failure, the report says so */
};

/* Takes what came of a method, with its `messages`, which are freed: where there is no result, that is kept
 * in the log. Returns an error, with a message, only when memory is exhausted. */
wb_status method_run_note(struct method_run *run, struct method_log *log,
                          const struct method_outcome *outcome, wb_diagnostics *messages);

/* What the run came to: WB_OK when there is any result, nothing was stopped, and nothing stuck. */
wb_status method_run_end(struct method_run *run);

#endif
