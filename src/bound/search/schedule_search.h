/* The longest schedule of a small model: depth-first search over remembered states. Each is stored with the
 * time still to come. */
#ifndef WB_BOUND_SEARCH_SCHEDULE_SEARCH_H
#define WB_BOUND_SEARCH_SCHEDULE_SEARCH_H

#include "bound/method/search_budget.h"
#include "bound/search/search_model.h"

struct schedule_search {
    const wb_watch *watch; /* or NULL */
    const char *stage;     /* the stage that the watch is given */
    struct search_budget *budget;
    uint64_t step_work; /* of a step, in units of the budget */
    uint64_t states;    /* kept so far */
    cycles longest;     /* time of the longest schedule found so far */
    bool stopped;       /* by the watch */
    bool spent;         /* the work that it may do */
    bool full;          /* as many states as it may keep, or bytes */
};

/* Whether a search that came to WB_ERR_LIMIT hit none of its limits: the system had no memory left. */
static inline bool schedule_search_had_no_memory(const struct schedule_search *search) {
    return !search->stopped && !search->spent && !search->full;
}

/* The reason of a search that ended with WB_ERR_LIMIT. */
static inline const char *schedule_search_end_name(const struct schedule_search *search) {
    if (search->stopped) return "stopped";
    return search->spent ? "stopped early, as it is not named," : "out of states or memory";
}

/* Searches what a model is set to; the longest of it and of what was searched before is kept. WB_ERR_LIMIT
 * when the budget or the watch stopped it: something may be longer than what was found. No messages. */
wb_status schedule_search_run(const struct search_model *model, struct schedule_search *search);

#endif
