#include "bound/analysis/registry.h"

#include "base/names.h"

static const struct bound_method *const methods[] = {
#define X(name) &bound_##name,
    BOUND_METHODS(X)
#undef X
};

_Static_assert(sizeof methods / sizeof methods[0] <= METHODS_MAX, "methods are the bits of a number");

const struct bound_method *bound_method_at(size_t index) {
    return index < sizeof methods / sizeof methods[0] ? methods[index] : NULL;
}

bool wb_methods_include_kernels(const char *list) {
    uint64_t chosen = 0;
    struct wb_diagnostics unheard = {0}; /* of unknown names: wb_analysis_bound tells of those */
    (void)choose_names("methods", list, wb_method_name, &unheard, &chosen);
    diagnostics_clear(&unheard);
    for (size_t i = 0; bound_method_at(i) != NULL; i++)
        if ((chosen >> i & 1) && (bound_method_at(i)->needs & NEED_KERNEL) != 0) return true;
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
