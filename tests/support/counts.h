/* Counts of a campaign in a file, which those of its other shards are added to (scripts/campaign). */
#ifndef TEST_COUNTS_H
#define TEST_COUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The file that the variable WB_COUNTS names, with the seeds that are counted; NULL where there is none. */
FILE *counts_begin(uint64_t first, uint64_t seeds);

/* A number that shards add up, or of which the largest counts. Nothing without a file. */
void counts_add(FILE *counts, const char *of, const char *what, uint64_t number);
void counts_most(FILE *counts, const char *of, const char *what, uint64_t number);

/* Whether all was written. */
bool counts_end(FILE *counts);

#endif
