#include "bound/analysis/registry.h"

#include "base/choose.h"

static const struct bound_method *const methods[] = {&bound_sib,
                                                     &bound_fib,
                                                     &bound_aln,
                                                     &bound_fifo,
                                                     &bound_elb,
                                                     &bound_gub,
                                                     &bound_exhaustive,
                                                     &bound_adversary,
                                                     &bound_segment_sum,
                                                     &bound_reorder_chain,
                                                     &bound_turn_chain,
                                                     &bound_segments,
                                                     &bound_segments_missrate,
                                                     &bound_abstract_cta,
                                                     &bound_abstract_cta_rr,
                                                     &bound_abstract_cta_safe,
                                                     &bound_k_area,
                                                     &bound_k_bal,
                                                     &bound_k_sm,
                                                     &bound_k_exhaustive,
                                                     &bound_k_adversary,
                                                     &bound_waves,
                                                     &bound_graham,
                                                     &bound_one_by_one,
                                                     &bound_eq3};

_Static_assert(sizeof methods / sizeof methods[0] <= METHODS_MAX, "methods are the bits of a number");

const struct bound_method *bound_method_at(size_t index) {
    return index < sizeof methods / sizeof methods[0] ? methods[index] : NULL;
}

bool wb_methods_include_kernels(const char *list) {
    uint64_t chosen = 0;
    struct wb_diagnostics unheard = {0}; /* of unknown names: wb_analysis_bound tells of those */
    (void)choose_names("methods", list, wb_method_name, &unheard, &chosen);
    text_free(&unheard.rendered);
    for (size_t i = 0; bound_method_at(i) != NULL; i++)
        if ((chosen >> i & 1) && bound_method_at(i)->scope == BOUND_OF_KERNEL) return true;
    return false;
}

const char *wb_method_name(size_t index) {
    const struct bound_method *method = bound_method_at(index);
    return method == NULL ? NULL : method->name;
}

const char *wb_method_summary(size_t index) {
    const struct bound_method *method = bound_method_at(index);
    return method == NULL ? NULL : method->summary;
}
