/* Grid and block of a launch as the texts of tables: "64", "2,2". */
#ifndef WB_TESTS_LAUNCH_TEXT_H
#define WB_TESTS_LAUNCH_TEXT_H

#include <stdio.h>

#include "warpbound.h"

/* What is no such text is 0 in x, which no launch takes. */
static inline void launch_numbers(const char *text, uint32_t numbers[3]) {
    numbers[0] = 0;
    numbers[1] = numbers[2] = 1;
    (void)sscanf(text, "%u,%u,%u", &numbers[0], &numbers[1], &numbers[2]);
}

static inline wb_status launch_grid_text(wb_launch *launch, const char *blocks, wb_diagnostics *diagnostics) {
    uint32_t numbers[3];
    launch_numbers(blocks, numbers);
    return wb_launch_set_grid(launch, numbers, diagnostics);
}

static inline wb_status launch_block_text(wb_launch *launch, const char *threads,
                                          wb_diagnostics *diagnostics) {
    uint32_t numbers[3];
    launch_numbers(threads, numbers);
    return wb_launch_set_block(launch, numbers, diagnostics);
}

#endif
