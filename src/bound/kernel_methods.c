/* The formulas for whole kernels as methods of the registry. */
#include "bound/kernel_formula.h"

static bool is_dynamic(const struct bound_input *input) {
    return grid_work_is_dynamic(input->work);
}

static wb_status area_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_upper(input, kernel_area, bound);
}

const struct bound_method bound_k_area = {
    .name = "k-area",
    .summary = "kernel: all initiations and latencies spread over all SMs and rooms, plus the tail",
    .run = area_run,
    .scope = BOUND_OF_KERNEL,
    .monotone = true,
    .dynamic_dispatch = true,
};

static wb_status balance_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_upper(input, kernel_balance, bound);
}

const struct bound_method bound_k_bal = {
    .name = "k-bal",
    .summary = "kernel: the SM that ends last, against the blocks that the others must have taken",
    .run = balance_run,
    .scope = BOUND_OF_KERNEL,
    .monotone = true,
    .dynamic_dispatch = true,
};

static wb_status one_sm_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_upper(input, is_dynamic(input) ? kernel_one_sm : kernel_static, bound);
}

const struct bound_method bound_k_sm = {
    .name = "k-sm",
    .summary = "kernel: the SM with the most blocks, in turns of as many as it holds",
    .run = one_sm_run,
    .scope = BOUND_OF_KERNEL,
    .monotone = true,
};

static wb_status waves_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_estimate(input, kernel_waves,
                           "blocks that start at different times can take longer than those that start "
                           "together, and one SM can get more blocks than its share (docs/refutations)",
                           bound);
}

const struct bound_method bound_waves = {
    .name = "waves",
    .summary = "kernel: the time of a full SM, as often as all SMs are filled (usual; not safe)",
    .run = waves_run,
    .scope = BOUND_OF_KERNEL,
    .monotone = true,
};

static wb_status graham_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_estimate(input, kernel_graham,
                           "a block can stay longer than a full SM takes from a common start "
                           "(docs/refutations)",
                           bound);
}

const struct bound_method bound_graham = {
    .name = "graham",
    .summary = "kernel: Graham's bound with the time of a full SM for that of a block (usual; not safe)",
    .run = graham_run,
    .scope = BOUND_OF_KERNEL,
    .monotone = true,
};
