/* The assumptions of numbers, for people: by group, each once, with its permanent id. */
#ifndef WB_REPORT_PARTS_CONDITIONS_H
#define WB_REPORT_PARTS_CONDITIONS_H

#include "method/bound.h"
#include "report/write/layout.h"

/* Assumptions of several numbers, and, where that matters, of which of them each is. */
struct conditions {
    wb_assumption items[WB_ASSUMPTION_COUNT];
    size_t count;
    uint64_t of[WB_ASSUMPTION_COUNT]; /* by assumption: bit i for number i, 63 for all from there on */
};

/* Adds what number `number` assumes. */
void conditions_add(struct conditions *conditions, const wb_assumption *assumptions, size_t count,
                    size_t number);
void conditions_add_bound(struct conditions *conditions, const wb_bound *bound, size_t number);

/* Appends them in their order. With numbers, the first `numbers` of which exist, an assumption of some of
 * them names these: "(launches 1, 3)". */
void conditions_put(struct text *out, const struct layout *layout, struct conditions *conditions,
                    size_t numbers);

/* Their ids by groups, and which option says what they mean. */
void conditions_list_ids(struct text *words, struct conditions *conditions);

/* The bounds of some owner by index; NULL past the end. */
typedef const wb_bound *(*report_bound_at)(const void *owner, size_t index);

/* Numbers beside the bounds, such as simulations, and what the execution that they are of takes for granted.
 */
struct report_executed {
    const char *who; /* "simulations"; NULL ends a list */
    assumed_set assumed;
};

/* Appends what stands under a table of methods: what each bound assumes, by ids (`at` is NULL where there are
 * none), what those beside them do (a list, or NULL), and what the ids stand for, each once. */
void report_put_conditions(struct text *out, const struct layout *layout, report_bound_at at,
                           const void *owner, const struct report_executed *executed);

/* Appends why an estimate is no bound, and what stopped a search; nothing of a bound without a reason. */
void report_put_reason(struct text *out, const struct layout *layout, const wb_bound *bound);

#endif
