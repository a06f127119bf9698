/* Processor times on pages: the only figures there that differ from run to run. */
#ifndef WB_REPRODUCE_TIMING_H
#define WB_REPRODUCE_TIMING_H

#include "base/base.h"

/* Seconds that all threads of this process have computed, and the processes that it has waited for. */
double timing_seconds(void);

/* Appends seconds, rounded to two digits: "3.2 s". */
void timing_put(double seconds, struct text *page);

/* Appends what the times were measured on: "AMD EPYC, 2 cores". */
void timing_put_machine(struct text *page);

#endif
