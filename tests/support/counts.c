#include "counts.h"

#include <inttypes.h>
#include <stdlib.h>

FILE *counts_begin(uint64_t first, uint64_t seeds) {
    const char *path = getenv("WB_COUNTS");
    FILE *counts = path == NULL ? NULL : fopen(path, "w");
    if (counts != NULL)
        (void)fprintf(counts, "seeds\t%" PRIu64 "\t%" PRIu64 "\n", first, seeds);
    else if (path != NULL)
        perror(path);
    return counts;
}

static void put(FILE *counts, const char *how, const char *of, const char *what, uint64_t number) {
    if (counts != NULL) (void)fprintf(counts, "%s\t%s\t%s\t%" PRIu64 "\n", how, of, what, number);
}

void counts_add(FILE *counts, const char *of, const char *what, uint64_t number) {
    put(counts, "sum", of, what, number);
}

void counts_most(FILE *counts, const char *of, const char *what, uint64_t number) {
    put(counts, "most", of, what, number);
}

bool counts_end(FILE *counts) {
    return counts == NULL ? getenv("WB_COUNTS") == NULL : fclose(counts) == 0;
}
