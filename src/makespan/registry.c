#include <string.h>

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

size_t makespan_method_find(const char *name, size_t length) {
    for (size_t i = 0; makespan_method_at(i) != NULL; i++)
        if (strlen(methods[i]->name) == length && memcmp(methods[i]->name, name, length) == 0) return i;
    return SIZE_MAX;
}

const char *wb_makespan_method_name(size_t index) {
    const struct makespan_method *method = makespan_method_at(index);
    return method == NULL ? NULL : method->name;
}

const char *wb_makespan_method_summary(size_t index) {
    const struct makespan_method *method = makespan_method_at(index);
    return method == NULL ? NULL : method->summary;
}
