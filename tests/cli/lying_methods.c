/* Methods that lie, in place of the library's own: what is proven is then contradicted by any execution
 * that is found (contradiction_test.py). */
#include "bound/kernel/kernel_bounds.h"

static wb_status lie(const struct bound_input *input, wb_bound *bound) {
    (void)input;
    bound->kind = WB_UPPER;
    bound->cycles = 1;
    return WB_OK;
}

const struct bound_method bound_fifo = {
    .name = "fifo", .summary = "a block takes one cycle", .run = lie, .needs = NEED_BLOCK};

const struct bound_method form_oldest = {.name = "oldest", .run = lie};
