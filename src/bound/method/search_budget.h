/* The budget of a search over schedules. It is counted and not measured, so that the same input has the same
 * result on every machine. */
#ifndef WB_BOUND_METHOD_SEARCH_BUDGET_H
#define WB_BOUND_METHOD_SEARCH_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* Work is counted in units of roughly a nanosecond of one core. */
#define WORK_UNLIMITED UINT64_MAX

/* Most bytes of a search that was asked for by name, and of one that was not. */
#define SEARCH_BYTES_NAMED ((uint64_t)4 << 30)
#define SEARCH_BYTES_UNASKED ((uint64_t)100 << 20)

struct search_budget {
    uint64_t states; /* most states to keep */
    uint64_t bytes;  /* most bytes that they take */
    uint64_t work;   /* that is left; searches count it down */
};

/* A budget that only states limit, for callers that know what they search. */
static inline struct search_budget search_budget_of(uint64_t states) {
    return (struct search_budget){states, UINT64_MAX, WORK_UNLIMITED};
}

/* Takes work off; false when so much is not left: then it takes nothing. */
static inline bool search_spend(struct search_budget *budget, uint64_t work) {
    if (budget->work < work) return false;
    if (budget->work != WORK_UNLIMITED) budget->work -= work;
    return true;
}

#endif
