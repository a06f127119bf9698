/* Formulas for whole kernels as they are published or usual. None of them is safe (docs/refutations): most
 * take the time of blocks that start together, even its exact worst case, for the time of blocks that come
 * and go; equation (3) takes every access to last as long as if each SM had one outstanding access at a time,
 * which is exceeded as soon as the warps of an SM overlap their accesses. */
#include "bound/kernel/kernel_bounds.h"
#include "bound/search/grid_search.h"

/* The worst case of blocks that start together on one SM. */
struct together {
    cycles one;  /* an isolated block */
    cycles full; /* as many as fit */
    bool exact;  /* no more than proven bounds */
};

/* Searches until `blocks` blocks that start together have ended, once for all formulas. WB_ERR_LIMIT when the
 * watch stopped it. */
static wb_status search_together(const struct bound_input *input, uint64_t blocks) {
    struct together_time *known = &input->together->of[blocks];
    struct schedule_search search = {.watch = input->watch, .budget = input->budget};
    if (known->exact || known->work >= input->budget->work) return WB_OK;
    known->work = input->budget->work;
    const wb_status status = grid_search_together(input->work, blocks, &search);
    known->exact = status == WB_OK;
    known->time = search.longest;
    if (status == WB_ERR_LIMIT && schedule_search_had_no_memory(&search))
        return diagnose_out_of_memory(input->diagnostics, "kernel");
    if (!search.stopped) return WB_OK;
    diagnose(input->diagnostics, SEVERITY_ERROR, "kernel", "analysis stopped");
    return WB_ERR_LIMIT;
}

/* Until `blocks` blocks that start together have ended: exact where that is small enough to be searched. */
static wb_status time_together(const struct bound_input *input, uint64_t blocks, cycles *time, bool *exact) {
    if (grid_search_together_is_short(input->work, blocks)) {
        WB_TRY(search_together(input, blocks));
        *time = input->together->of[blocks].time;
        if (input->together->of[blocks].exact) return WB_OK;
    }
    *exact = false;
    *time = grid_work_together(input->work, blocks);
    return WB_OK;
}

typedef struct kernel_time (*usual_formula)(const struct grid_work *work, uint64_t resident,
                                            const struct together *together);

/* The largest estimate for any number of resident blocks that is possible. */
static wb_status estimate(const struct bound_input *input, usual_formula formula, const char *reason,
                          wb_bound *bound) {
    const struct grid_work *work = input->work;
    struct kernel_time worst = {0};
    struct together together = {.exact = true};
    const uint64_t share = cycles_ceiling(work->block_count, work->machine->memory.sms);
    WB_TRY(time_together(input, 1, &together.one, &together.exact));
    for (uint64_t resident = work->resident_least; resident <= work->resident_most; resident++) {
        WB_TRY(time_together(input, resident, &together.full, &together.exact));
        struct kernel_time time = formula(work, resident, &together);
        time.fetch = grid_work_fetch_time(work, share, resident);
        worst = kernel_time_max(worst, time);
    }
    kernel_bound_set(work, &worst, bound);
    bound->kind = WB_ESTIMATE;
    bound->reason = reason;
    bound_assume_model(input, bound);
    assume(bound, together.exact ? WB_ASSUME_TOGETHER_EXACT : WB_ASSUME_TOGETHER_PROVEN);
    return WB_OK;
}

static uint64_t total_slots(const struct grid_work *work, uint64_t resident) {
    return work->machine->memory.sms * resident;
}

static struct kernel_time waves(const struct grid_work *work, uint64_t resident,
                                const struct together *together) {
    const uint64_t count = cycles_ceiling(work->block_count, total_slots(work, resident));
    return (struct kernel_time){.busy = cycles_mul(count, together->full)};
}

static wb_status waves_run(const struct bound_input *input, wb_bound *bound) {
    return estimate(input, waves,
                    "blocks that start at different times can take longer than those that start "
                    "together, and one SM can get more blocks than its share (docs/refutations)",
                    bound);
}

const struct bound_method bound_waves = {
    .name = "waves",
    .summary = "kernel: the time of a full SM, as often as all SMs are filled (usual; not safe)",
    .run = waves_run,
    .needs = FOR_KERNELS,
    .never_proven = true,
    .named_only = true,
};

static struct kernel_time graham(const struct grid_work *work, uint64_t resident,
                                 const struct together *together) {
    const cycles before = cycles_mul(work->block_count - 1, together->full);
    return (struct kernel_time){.busy = before / total_slots(work, resident), .tail = together->full};
}

static wb_status graham_run(const struct bound_input *input, wb_bound *bound) {
    return estimate(input, graham,
                    "a block can reside longer than a full SM takes from a common start "
                    "(docs/refutations)",
                    bound);
}

const struct bound_method bound_graham = {
    .name = "graham",
    .summary = "kernel: Graham's bound with the time of a full SM for that of a block (usual; not safe)",
    .run = graham_run,
    .needs = FOR_KERNELS,
    .never_proven = true,
    .named_only = true,
};

static struct kernel_time one_by_one(const struct grid_work *work, uint64_t resident,
                                     const struct together *together) {
    (void)resident;
    const uint64_t share = cycles_ceiling(work->block_count, work->machine->memory.sms);
    return (struct kernel_time){.busy = cycles_mul(share, together->one)};
}

static wb_status one_by_one_run(const struct bound_input *input, wb_bound *bound) {
    return estimate(input, one_by_one,
                    "blocks that share an SM can take longer than one after the other, and one SM can get "
                    "more blocks than its share (docs/refutations)",
                    bound);
}

const struct bound_method bound_one_by_one = {
    .name = "one-by-one",
    .summary = "kernel: the time of a block alone, as often as blocks come to an SM (usual; not safe)",
    .run = one_by_one_run,
    .needs = FOR_KERNELS,
    .never_proven = true,
    .named_only = true,
};

/* ---- The busiest sub-core --------------------------------------------------------------------------------
 * */

/* The share of an SM, as if sub-cores only shared what they do in fact. */
static struct kernel_time busiest(const struct grid_work *work, uint64_t resident) {
    const uint64_t share = cycles_ceiling(work->block_count, work->machine->memory.sms);
    return (struct kernel_time){
        .busy = class_ranking_sum(&work->chains.pools[CHAIN_WHOLE].by_work, share),
        .latency = cycles_mul(cycles_ceiling(share, resident), work->latency_most),
    };
}

static wb_status busiest_run(const struct bound_input *input, wb_bound *bound) {
    const struct grid_work *work = input->work;
    struct kernel_time worst = {0};
    for (uint64_t resident = work->resident_least; resident <= work->resident_most; resident++)
        worst = kernel_time_max(worst, busiest(work, resident));
    kernel_bound_set(work, &worst, bound);
    bound->kind = WB_ESTIMATE;
    bound->reason = "the other sub-cores can hold up a block where its warps wait for each other, or blocks "
                    "follow each other (docs/refutations)";
    bound_assume_model(input, bound);
    if (kernel_has_sub_cores(input)) assume(bound, WB_ASSUME_SUB_CORES_KEPT);
    return WB_OK;
}

const struct bound_method bound_k_busiest = {
    .name = "k-busiest",
    .summary = "kernel: the busiest sub-core of each block, and the latencies of all turns (not safe)",
    .run = busiest_run,
    .needs = FOR_KERNELS,
    .never_proven = true,
    .named_only = true,
};

/* ---- Equation (3) of JCSE 2017 and ECRTS 2025 -----------------------------------------------------------
 */

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
    .named_only = true,
};
