/* Visits all states of an order model, to find those that have no successor. */
#ifndef WB_TESTS_ORDER_EXPLORER_H
#define WB_TESTS_ORDER_EXPLORER_H

#include "order_model.h"

struct exploration {
    uint64_t states;
    bool complete;                  /* all states were visited */
    bool deadlock;                  /* one of them is not the end and has no successor */
    bool head_only;                 /* whatever was served was the oldest of its channel */
    uint8_t stuck[MODEL_WARPS_MAX]; /* in the first deadlock, per warp how many ops it has done */
};

/* Visits up to `limit` states. */
struct exploration order_explore(const struct order_model *model, uint64_t limit);

#endif
