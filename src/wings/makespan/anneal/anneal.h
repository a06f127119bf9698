/* Long schedules by simulated annealing: the method "anneal". */
#ifndef WB_MAKESPAN_ANNEAL_ANNEAL_H
#define WB_MAKESPAN_ANNEAL_ANNEAL_H

#include "wings/makespan/method/method.h"

extern const struct makespan_method makespan_anneal;

#endif
