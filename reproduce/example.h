/* A command `warpbound makespan ...` on a page, and what it prints: made by the calls that the command makes,
 * so that the page cannot say anything else than the command. */
#ifndef WB_REPRODUCE_EXAMPLE_H
#define WB_REPRODUCE_EXAMPLE_H

#include "base/base.h"
#include "warpbound_makespan.h"

/* The command's operand and options; NULL where it has none. */
struct example {
    const char *operand; /* a string, or a file with '.' in its name */
    const char *warps;
    const char *units;
    const char *warp_size;
    const char *issue;
    const char *iterations;
    const char *x;
    const char *memory;
    const char *processor_limit;
    const char *refute; /* in place of a problem */
    const char *methods;
    bool schedule; /* print the longest schedule */
};

/* Makes and solves the problem. A limit that is hit is no error when something was found. */
wb_status example_solve(const struct example *example, wb_diagnostics *diagnostics, wb_makespan **makespan);

/* Appends the command, then what it prints, as a block of the page. */
wb_status example_show(const struct example *example, wb_diagnostics *diagnostics, struct text *page);

/* Appends lines indented as a block of the page, and an empty line. */
void example_put_block(const char *lines, struct text *page);

/* The result of a problem solved by one method. */
wb_status example_bound(const struct example *example, wb_diagnostics *diagnostics, wb_bound *bound);

/* The worst case of so many warps, by method exact; `issue` NULL: without a limit. WB_ERR_LIMIT when only an
 * interval was found. */
wb_status example_worst_case(const char *string, const char *units, const char *issue, unsigned warps,
                             wb_diagnostics *diagnostics, uint64_t *cycles);

#endif
