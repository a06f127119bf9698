/* The long form of the random checks of machine code: every family at seed after seed, up to the first grid
 * that takes longer than a bound, which is printed.
 *
 * usage: sass_campaign FIRST_SEED SEEDS [STATES [FAMILY [pauses]]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "counts.h"
#include "sass_check.h"

/* States after which a search is given up unless asked, and seeds between two lines of progress. */
#define STATES 400
#define STEP 50000u

static void print_census(uint64_t first, uint64_t seeds, const struct sass_census *census) {
    uint64_t searched = 0;
    for (size_t f = 0; f < SASS_FAMILIES; f++)
        searched += census[f].searched;
    printf("seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " grids searched, none beyond a bound\n", first,
           first + seeds - 1, searched);
    for (size_t f = 0; f < SASS_FAMILIES; f++)
        printf("  %s: %" PRIu64 ", the least bound attained in %" PRIu64 "\n", sass_families[f].name,
               census[f].searched, census[f].attained);
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: sass_campaign FIRST_SEED SEEDS [STATES [FAMILY [pauses]]]\n");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10), seeds = strtoull(argv[2], NULL, 10);
    const size_t states = argc > 3 ? strtoull(argv[3], NULL, 10) : STATES;
    const size_t only = argc > 4 ? strtoull(argv[4], NULL, 10) : SASS_FAMILIES;
    const bool pauses = argc > 5;
    struct sass_census census[SASS_FAMILIES] = {{0}};
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        for (size_t f = 0; f < SASS_FAMILIES; f++) {
            struct text violation = {0};
            if (only < SASS_FAMILIES && f != only) continue;
            if (!sass_check(&sass_families[f], seed, pauses, states, &census[f], &violation)) {
                printf("VIOLATION: %s\n", violation.failed ? "out of memory" : violation.data);
                text_free(&violation);
                return 1;
            }
        }
        if ((seed + 1 - first) % STEP == 0) print_census(first, seed + 1 - first, census);
    }
    print_census(first, seeds, census);
    FILE *counts = counts_begin(first, seeds);
    for (size_t f = 0; f < SASS_FAMILIES; f++)
        sass_census_count(&census[f], sass_families[f].name, counts);
    return counts_end(counts) ? 0 : 2;
}
