/* What every benchmark needs: a clock, and an end with the message when something fails. */
#ifndef WB_BENCH_SUPPORT_H
#define WB_BENCH_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "warpbound.h"

/* Processor seconds of the process so far. */
static inline double seconds(void) {
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static inline void require(wb_status status, const wb_diagnostics *diagnostics) {
    if (status == WB_OK) return;
    (void)fputs(wb_diagnostics_text(diagnostics), stderr);
    exit(1);
}

#endif
