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

static const char *chain_objection(const struct bound_input *input) {
    return input->work->code_chains ? NULL : "this method is for kernels without barriers";
}

static wb_status chain_run(const struct bound_input *input, wb_bound *bound) {
    WB_TRY(kernel_code_upper(input, kernel_code_chain, bound));
    assume(bound, WB_ASSUME_SUB_CORES_KEPT);
    return WB_OK;
}

const struct bound_method bound_code_k_chain = {
    .name = "code-k-chain",
    .summary =
        "machine code without barriers: the busiest sub-core of each block, and others where they change",
    .run = chain_run,
    .objection = chain_objection,
    .fits = kernel_has_sub_cores,
    .needs = FOR_CODE_KERNELS | NEED_DYNAMIC_DISPATCH,
};
