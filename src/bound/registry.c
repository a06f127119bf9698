#include "bound/registry.h"

#include <string.h>

#include "warp/block.h"

static const struct bound_method *const methods[] = {&bound_sib,        &bound_fib,      &bound_aln,
                                                     &bound_fifo,       &bound_elb,      &bound_gub,
                                                     &bound_exhaustive, &bound_adversary};

const struct bound_method *bound_method_at(size_t index) {
    return index < sizeof methods / sizeof methods[0] ? methods[index] : NULL;
}

size_t bound_method_find(const char *name, size_t length) {
    for (size_t i = 0; bound_method_at(i) != NULL; i++) {
        if (strlen(methods[i]->name) == length && memcmp(methods[i]->name, name, length) == 0) return i;
    }
    return SIZE_MAX;
}

void bound_assume(wb_bound *bound, const char *assumption) {
    if (bound->assumption_count < WB_ASSUMPTIONS_MAX)
        bound->assumptions[bound->assumption_count++] = assumption;
}

void bound_assume_paths(const struct bound_input *input, wb_bound *bound) {
    bound_assume(bound, "the warps execute these paths, alone on the streaming multiprocessor");
    if (input->block->traced != NULL && input->block->traced->divergent_barrier)
        bound_assume(bound, "a barrier that part of a warp executes holds the whole warp (sm_60 and before)");
}

void bound_assume_model(const struct bound_input *input, wb_bound *bound) {
    bound_assume_paths(input, bound);
    bound_assume(bound, "work-conserving issue (any policy but strict round-robin)");
    bound_assume(bound, "initiations and latencies as the machine states them, or shorter");
    bound_assume(bound, "no cache misses and no memory interference beyond the stated latencies");
    bound_assume(bound, "no instruction fetch stalls");
}

void bound_qualify(const struct wb_machine *machine, wb_bound *bound) {
    if (machine->model != MACHINE_GPGPUSIM) return;
    bound->kind = WB_ESTIMATE;
    bound->lower = 0;
    bound->reason = "no proof covers the operand collectors of this profile";
}

const char *wb_method_name(size_t index) {
    const struct bound_method *method = bound_method_at(index);
    return method == NULL ? NULL : method->name;
}

const char *wb_method_summary(size_t index) {
    const struct bound_method *method = bound_method_at(index);
    return method == NULL ? NULL : method->summary;
}

const char *wb_kind_name(wb_kind kind) {
    switch (kind) {
    case WB_EXACT: return "exact";
    case WB_UPPER: return "upper";
    case WB_LOWER: return "lower";
    case WB_SIMULATED: return "simulated";
    case WB_ESTIMATE: break;
    }
    return "estimate";
}
