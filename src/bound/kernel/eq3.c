/* Equation (3) of JCSE 2017 and ECRTS 2025: every access takes as long as if each SM had one outstanding
 * access at a time, used in the formulas for whole kernels. Exceeded as soon as the warps of an SM overlap
 * their accesses (docs/refutations). */
#include "bound/kernel/kernel_formula.h"

static const char *eq3_objection(const struct bound_input *input) {
    return input->work->published != NULL
               ? NULL
               : "this method is of requests that wait for one memory (keys service and requests)";
}

static struct kernel_time lesser(const struct grid_work *work, kernel_formula formula,
                                 struct kernel_time than) {
    return kernel_time_min(than, kernel_time_worst(work, formula));
}

static wb_status eq3_run(const struct bound_input *input, wb_bound *bound) {
    const struct grid_work *work = input->work->published;
    struct kernel_time time;
    if (grid_work_is_dynamic(work)) {
        time = kernel_time_worst(work, kernel_one_sm);
        time = lesser(work, kernel_balance, lesser(work, kernel_area, time));
    } else {
        time = kernel_time_worst(work, kernel_static);
    }
    kernel_bound_set(work, &time, bound);
    bound->kind = WB_ESTIMATE;
    bound->reason = "an access also waits for accesses of its own SM that warps have made before it "
                    "(docs/refutations)";
    bound_assume_model(input, bound);
    return WB_OK;
}

const struct bound_method bound_eq3 = {
    .name = "eq3",
    .summary = "kernel: every access waits for one of each SM (equation (3) of JCSE 2017; not safe)",
    .run = eq3_run,
    .needs = FOR_KERNELS,
    .objection = eq3_objection,
    .never_proven = true,
};
