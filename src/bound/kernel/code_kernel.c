/* Bounds of whole kernels of machine code (docs/machine-code-bounds.md, section 7): the formulas for kernels
 * with the sums of machine code. */
#include "bound/kernel/kernel_bounds.h"

static wb_status area_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_code_upper(input, kernel_area, bound);
}

const struct bound_method bound_code_k_area = {
    .name = "code-k-area",
    .summary = "machine code: like k-area, by what instructions hold and their chain of waits",
    .run = area_run,
    .needs = FOR_CODE_KERNELS | NEED_DYNAMIC_DISPATCH,
};

static wb_status balance_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_code_upper(input, kernel_balance, bound);
}

const struct bound_method bound_code_k_bal = {
    .name = "code-k-bal",
    .summary = "machine code: like k-bal, by what instructions hold and their chain of waits",
    .run = balance_run,
    .needs = FOR_CODE_KERNELS | NEED_DYNAMIC_DISPATCH,
};

static wb_status one_sm_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_code_upper(input, grid_work_is_dynamic(input->work) ? kernel_one_sm : kernel_static, bound);
}

const struct bound_method bound_code_k_sm = {
    .name = "code-k-sm",
    .summary = "machine code: like k-sm, by what instructions hold and their chain of waits",
    .run = one_sm_run,
    .needs = FOR_CODE_KERNELS,
};

static wb_status chain_area_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_code_upper(input, kernel_chain_area, bound);
}

const struct bound_method bound_code_k_chain_area = {
    .name = "code-k-chain-area",
    .summary = "like code-k-area, the busiest sub-core of each block, and others where chains change",
    .run = chain_area_run,
    .fits = kernel_has_sub_cores,
    .needs = FOR_CODE_KERNELS | NEED_DYNAMIC_DISPATCH,
};

static wb_status chain_balance_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_code_upper(input, kernel_chain_balance, bound);
}

const struct bound_method bound_code_k_chain_bal = {
    .name = "code-k-chain-bal",
    .summary = "like code-k-bal, the busiest sub-core of each block, and others where chains change",
    .run = chain_balance_run,
    .fits = kernel_has_sub_cores,
    .needs = FOR_CODE_KERNELS | NEED_DYNAMIC_DISPATCH,
};

static wb_status chain_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_code_upper(
        input, grid_work_is_dynamic(input->work) ? kernel_chain_one_sm : kernel_chain_static, bound);
}

const struct bound_method bound_code_k_chain = {
    .name = "code-k-chain",
    .summary = "like code-k-sm, the busiest sub-core of each block, and others where chains change",
    .run = chain_run,
    .fits = kernel_has_sub_cores,
    .needs = FOR_CODE_KERNELS,
};
