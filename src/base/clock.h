/* How long things take: for reports and time limits. */
#ifndef WB_BASE_CLOCK_H
#define WB_BASE_CLOCK_H

#include <time.h>

/* Seconds on a clock of the system; 0 where it has none. */
static inline double clock_seconds(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) != 0) return 0;
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Processor time of the calling thread: what it takes without the others that want the processor. */
static inline double clock_of_thread(void) {
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

/* Elapsed time, from some point on. */
static inline double clock_elapsed(void) {
    return clock_seconds(CLOCK_MONOTONIC);
}

/* Processor time that all threads of this process have taken. */
static inline double clock_processor(void) {
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
