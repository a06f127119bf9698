/* The schedule behind an exact search: from the states it passed to a schedule that anyone can check. */
#ifndef WB_MAKESPAN_EXACT_WITNESS_H
#define WB_MAKESPAN_EXACT_WITNESS_H

#include "makespan/exact_tail.h"
#include "strings/schedule.h"

/* Makes the schedule that passes `state_count` states, each counts per position, one cycle apart, the initial
 * one first; and then, from the last, takes as long as the tail says. WB_ERR_LIMIT without a message when
 * memory is exhausted. */
wb_status exact_witness(const struct exact_tail *tail, const uint16_t *states, uint32_t state_count,
                        struct schedule *schedule);

#endif
