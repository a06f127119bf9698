/* What documents of JUnit have in common: one suite, as the schema of Ant's reports has it. */
#ifndef WB_REPORT_WRITE_JUNIT_H
#define WB_REPORT_WRITE_JUNIT_H

#include "base/base.h"

struct junit_counts {
    size_t tests, failures, errors, skipped;
};

/* The document up to the properties of the suite. Its time and its host are no one's, for the same inputs
 * make the same bytes. */
void junit_open(struct text *out, const char *name, const struct junit_counts *counts);

/* What comes behind the test cases; `output` may be NULL. */
void junit_close(struct text *out, const char *output, const char *messages);

#endif
