/* What numbers take for granted: the ids, groups and sentences of all assumptions. A new one is an enumerator
 * of wb_assumption (warpbound.h) and a row in assumption.c; one of the execution of a kernel has its sentence
 * in warp/path/path.h. */
#ifndef WB_METHOD_ASSUMPTION_H
#define WB_METHOD_ASSUMPTION_H

#include "warp/path/execution_notes.h"
#include "warpbound.h"

/* Sorts a list by groups, then by numbers, as reports have it. */
void assumptions_sort(wb_assumption *list, size_t count);

/* Whether whoever launches a kernel, or chooses its machine, has to see to it; all others are about hardware
 * as such. */
bool assumption_is_of_launch(wb_assumption what);

/* What the execution of a kernel takes for granted, as a list; returns how many. */
size_t assumptions_of_execution(assumed_set set, wb_assumption list[WB_ASSUMPTION_COUNT]);

#endif
