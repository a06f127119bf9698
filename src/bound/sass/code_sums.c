/* Bounds of a block of machine code that are sums: sib, fib, elb of machines that time machine code
 * (docs/machine-code-bounds.md). */
#include "bound/method/method.h"
#include "bound/sass/code_profile.h"

/* Makes a sum a bound: misses beside it are added, the release of barriers is by whoever asked. */
static wb_status set_bound(const struct bound_input *input, cycles sum, wb_bound *bound) {
    bound->kind = WB_UPPER;
    bound->cycles = cycles_add(sum, input->code->misses);
    bound_assume_machine_code(input, bound);
    return WB_OK;
}

static wb_status sib_run(const struct bound_input *input, wb_bound *bound) {
    return set_bound(input, code_profile_sum(input->code, false), bound);
}

const struct bound_method bound_code_sib = {
    .name = "sib",
    .run = sib_run,
    .needs = FOR_CODE_BLOCKS,
};

static wb_status fib_run(const struct bound_input *input, wb_bound *bound) {
    return set_bound(input, code_profile_sum(input->code, true), bound);
}

const struct bound_method bound_code_fib = {
    .name = "fib",
    .run = fib_run,
    .needs = FOR_CODE_BLOCKS,
};

static wb_status elb_run(const struct bound_input *input, wb_bound *bound) {
    const cycles all = cycles_add(input->code->work, input->code->latency);
    return set_bound(input, cycles_min(all, input->code->by_facts), bound);
}

const struct bound_method bound_code_elb = {
    .name = "elb",
    .run = elb_run,
    .needs = FOR_CODE_BLOCKS,
    .any_order = true,
};
