/* What was measured: as tables for people, with geometric means, and for programs. */
#ifndef WB_BENCH_TIGHTNESS_TABLES_H
#define WB_BENCH_TIGHTNESS_TABLES_H

#include "base/base.h"
#include "measure.h"

struct result {
    const struct sweep_case *one;
    struct measurement measurement;
};

/* A table of a machine, a number of SMs and a size: a row a kernel, and their geometric means. */
void tables_write(const struct result *results, size_t count, struct text *out);

/* A row for each of those tables. */
void tables_write_means(const struct result *results, size_t count, struct text *out);

void tables_write_csv(const struct result *results, size_t count, struct text *out);
void tables_write_json(const struct result *results, size_t count, struct text *out);

#endif
