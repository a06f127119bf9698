#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Shorter times say more of the clock than of the method. */
#define SHORTEST 0.01

static double seconds_of(int who) {
    struct rusage usage;
    if (getrusage(who, &usage) != 0) return 0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

double timing_seconds(void) {
    return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
}

void timing_put(double seconds, struct text *page) {
    if (seconds < SHORTEST) {
        text_printf(page, "< %.2f s", SHORTEST);
        return;
    }
    double digit = pow(10, floor(log10(seconds)) - 1); /* the second one */
    int decimals = digit < 1 ? (int)lround(-log10(digit)) : 0;
    text_printf(page, "%.*f s", decimals, round(seconds / digit) * digit);
}

void timing_put_machine(struct text *page) {
    char line[256];
    char model[256] = "unknown processor";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "model name : %255[^\n]", model) == 1) break;
    }
    if (file != NULL) (void)fclose(file);
    text_printf(page, "%s, %ld cores", model, sysconf(_SC_NPROCESSORS_ONLN));
}
