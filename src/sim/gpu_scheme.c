#include "sim/gpu.h"

static const struct gpu_scheme schemes[] = {
    {"default", "requests as they come", &policy_lrr, false},
    {"pure-rr", "strict round-robin issue, requests as they come", &policy_rr, false},
    {"reorder", "requests in the one order of the reordering extension", &policy_lrr, true},
};

const struct gpu_scheme *gpu_scheme_at(size_t index) {
    return index < sizeof schemes / sizeof *schemes ? &schemes[index] : NULL;
}

const char *wb_scheme_name(size_t index) {
    const struct gpu_scheme *scheme = gpu_scheme_at(index);
    return scheme == NULL ? NULL : scheme->name;
}

const char *wb_scheme_summary(size_t index) {
    const struct gpu_scheme *scheme = gpu_scheme_at(index);
    return scheme == NULL ? NULL : scheme->summary;
}
