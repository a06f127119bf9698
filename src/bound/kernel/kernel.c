/* The bound of a whole kernel: the least of its proven forms. Each form is a theorem with hypotheses of its
 * own, on PTX models and on machine code alike (docs/proofs.md, section 12; docs/sub-core-bounds.md;
 * docs/machine-code-bounds.md, section 7). */
#include <assert.h>
#include <string.h>

#include "bound/block/align.h"
#include "bound/grid/contention.h"
#include "bound/kernel/kernel_bounds.h"

/* ---- Formulas as bounds ---------------------------------------------------------------------------------
 */

/* The lesser of two times: with all waiting for memory at once, and with each request's waiting in its
 * latency. *work: its terms. */
static struct kernel_time least_time(kernel_formula formula, const struct grid_work **work) {
    struct kernel_time time = kernel_time_worst(*work, formula);
    if ((*work)->in_order == NULL) return time;
    struct kernel_time in_order = kernel_time_worst((*work)->in_order, formula);
    if (kernel_time_sum(&in_order) >= kernel_time_sum(&time)) return time;
    *work = (*work)->in_order;
    return in_order;
}

static void assume_ptx(const struct bound_input *input, wb_bound *bound) {
    bound_assume_model(input, bound);
    assume(bound, WB_ASSUME_UNITS_NOT_IDLE);
    assume(bound, WB_ASSUME_UNITS_IN_ISSUE_ORDER);
    contention_assume(input->work, bound);
}

/* By what the machine times. */
static void (*const assume_code[])(const struct bound_input *input, wb_bound *bound) = {
    [ISA_PTX] = assume_ptx, [ISA_SASS] = bound_assume_machine_code};

void kernel_upper_set(const struct bound_input *input, const struct grid_work *work,
                      const struct kernel_time *time, wb_bound *bound) {
    kernel_bound_set(work, time, bound);
    bound->kind = WB_UPPER;
    assume_code[machine_isa(input->machine)](input, bound);
    grid_assume_dispatch(work, bound);
}

wb_status kernel_upper(const struct bound_input *input, kernel_formula formula, wb_bound *bound) {
    const struct grid_work *work = input->work;
    const struct kernel_time time = least_time(formula, &work);
    kernel_upper_set(input, work, &time, bound);
    return WB_OK;
}

bool kernel_has_sub_cores(const struct bound_input *input) {
    return input->machine->sub_cores > 1;
}

wb_status kernel_chain_upper(const struct bound_input *input, kernel_formula formula, wb_bound *bound) {
    WB_TRY(kernel_upper(input, formula, bound));
    if (kernel_has_sub_cores(input)) assume(bound, WB_ASSUME_SUB_CORES_KEPT);
    return WB_OK;
}

/* ---- The forms -------------------------------------------------------------------------------------------
 */

static wb_status area_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_upper(input, kernel_area, bound);
}

static wb_status balance_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_upper(input, kernel_balance, bound);
}

static wb_status one_sm_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_upper(input, grid_work_is_dynamic(input->work) ? kernel_one_sm : kernel_static, bound);
}

static wb_status chain_area_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_chain_upper(input, kernel_chain_area, bound);
}

static wb_status chain_balance_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_chain_upper(input, kernel_chain_balance, bound);
}

static wb_status chain_one_sm_run(const struct bound_input *input, wb_bound *bound) {
    const bool is_dynamic = grid_work_is_dynamic(input->work);
    return kernel_chain_upper(input, is_dynamic ? kernel_chain_one_sm : kernel_chain_static, bound);
}

static const struct bound_method form_area = {
    .name = "area", .run = area_run, .needs = NEED_DYNAMIC_DISPATCH};
static const struct bound_method form_balance = {
    .name = "balance", .run = balance_run, .needs = NEED_DYNAMIC_DISPATCH};
static const struct bound_method form_sm = {.name = "sm", .run = one_sm_run};
static const struct bound_method form_chain_area = {.name = "chain-area",
                                                    .run = chain_area_run,
                                                    .fits = kernel_has_sub_cores,
                                                    .needs = NEED_DYNAMIC_DISPATCH};
static const struct bound_method form_chain_balance = {.name = "chain-balance",
                                                       .run = chain_balance_run,
                                                       .fits = kernel_has_sub_cores,
                                                       .needs = NEED_DYNAMIC_DISPATCH};
static const struct bound_method form_chain_sm = {
    .name = "chain-sm", .run = chain_one_sm_run, .fits = kernel_has_sub_cores};

/* The first of forms with the same value is named: it has the fewest assumptions. */
static const struct bound_method *const forms[] = {
    &form_area,     &form_balance, &form_sm,     &form_chain_area, &form_chain_balance,
    &form_chain_sm, &form_wave,    &form_serial, &form_oldest,
};

enum { FORM_COUNT = sizeof forms / sizeof *forms };

_Static_assert(FORM_COUNT <= 32, "forms are the bits of a number");

const struct bound_method *kernel_form_at(size_t index) {
    return index < FORM_COUNT ? forms[index] : NULL;
}

const char *kernel_form_name(size_t index) {
    return index < FORM_COUNT ? forms[index]->name : NULL;
}

bool kernel_form_is_area(const char *form) {
    return form == form_area.name || form == form_chain_area.name;
}

/* ---- The least of them ----------------------------------------------------------------------------------
 */

/* Whether form number i is to be computed: those that are named, or else those that fit. */
static bool is_asked(const struct bound_input *input, size_t i) {
    if (input->forms != 0) return input->forms >> i & 1;
    return forms[i]->fits == NULL || forms[i]->fits(input);
}

/* Keeps a form's bound where it is the least so far. */
static void keep_least(const wb_bound *found, const char *form, wb_bound *bound) {
    if (bound->form != NULL && found->cycles >= bound->cycles) return;
    const wb_bound before = *bound;
    *bound = *found;
    bound->method = before.method;
    bound->forms = before.forms;
    bound->form_count = before.form_count;
    bound->form = form;
}

static wb_status kernel_run(const struct bound_input *input, wb_bound *bound) {
    wb_form *said = arena_array(input->results, FORM_COUNT, sizeof *said);
    const char *why = NULL;
    if (said == NULL) return diagnose_out_of_memory(input->diagnostics, "kernel");
    bound->forms = said;
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (!is_asked(input, i)) continue;
        wb_form *form = &said[bound->form_count++];
        wb_bound found = {0};
        *form = (wb_form){.name = forms[i]->name};
        if (!bound_method_applies(forms[i], input, &form->reason)) {
            if (why == NULL) why = form->reason;
            continue;
        }
        WB_TRY(forms[i]->run(input, &found));
        keep_least(&found, forms[i]->name, bound);
        form->cycles = cycles_add(found.cycles, beside_sum(&input->beside));
        if (form->cycles != CYCLES_SATURATED) continue;
        form->cycles = 0;
        form->reason = "the bound does not fit 64 bits";
    }
    if (bound->form != NULL) return WB_OK;
    diagnose(input->diagnostics, SEVERITY_ERROR, "kernel", "%s", why);
    return WB_ERR_DECLINED;
}

const struct bound_method bound_kernel = {
    .name = "kernel",
    .summary = "kernel: the least of its proven forms (--explain kernel lists them)",
    .run = kernel_run,
    .needs = NEED_INSTRUCTIONS | NEED_KERNEL,
    .default_budget = WAVE_WORK,
    .explicit_budget = ALIGNED_NAMED_WORK,
};
