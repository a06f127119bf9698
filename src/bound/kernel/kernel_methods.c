/* The formulas for whole kernels as methods of the registry. */
#include "bound/kernel/kernel_formula.h"

static bool is_dynamic(const struct bound_input *input) {
    return grid_work_is_dynamic(input->work);
}

static wb_status area_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_upper(input, kernel_area, bound);
}

const struct bound_method bound_k_area = {
    .name = "k-area",
    .summary = "kernel: all initiations and latencies spread over all SMs and slots, plus the tail",
    .run = area_run,
    .needs = FOR_KERNELS | NEED_DYNAMIC_DISPATCH,
};

static wb_status balance_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_upper(input, kernel_balance, bound);
}

const struct bound_method bound_k_bal = {
    .name = "k-bal",
    .summary = "kernel: the SM that ends last, against the blocks that the others must have taken",
    .run = balance_run,
    .needs = FOR_KERNELS | NEED_DYNAMIC_DISPATCH,
};

static wb_status one_sm_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_upper(input, is_dynamic(input) ? kernel_one_sm : kernel_static, bound);
}

const struct bound_method bound_k_sm = {
    .name = "k-sm",
    .summary = "kernel: the SM with the most blocks, in waves of as many as it holds",
    .run = one_sm_run,
    .needs = FOR_KERNELS,
};
