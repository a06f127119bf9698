#include "makespan/method.h"

static const struct makespan_method *const methods[] = {
    &makespan_pessimistic, &makespan_closed,         &makespan_ilp_short,
    &makespan_ilp_long,    &makespan_ilp_cumulative, &makespan_exact,
    &makespan_extrapolate, &makespan_anneal,         &makespan_sat,
    &makespan_brute,
};

const struct makespan_method *makespan_method_at(size_t index) {
    return index < sizeof methods / sizeof methods[0] ? methods[index] : NULL;
}

const char *wb_makespan_method_name(size_t index) {
    const struct makespan_method *method = makespan_method_at(index);
    return method == NULL ? NULL : method->name;
}

const char *wb_makespan_method_summary(size_t index) {
    const struct makespan_method *method = makespan_method_at(index);
    return method == NULL ? NULL : method->summary;
}
