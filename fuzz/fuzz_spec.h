/* Any bytes as a file with a makespan problem: an error with a message, or a spec that becomes a problem or
 * is refused with a message. */
#ifndef WB_FUZZ_SPEC_H
#define WB_FUZZ_SPEC_H

#include <stdlib.h>

#include "wings/makespan/strings/transform.h"

typedef wb_status parse_function(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                                 struct makespan_spec *spec);

static inline void fuzz_spec(parse_function *parse, const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct makespan_spec spec;
    spec_init(&spec);
    wb_status status = parse("fuzz", (const char *)data, size, diagnostics, &spec);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    if (status == WB_OK) {
        struct transform transform;
        struct makespan_problem problem;
        status = transform_spec(&spec, diagnostics, &transform, &problem);
        if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
        if (status == WB_OK) problem_free(&problem);
    }
    spec_free(&spec);
    wb_diagnostics_free(diagnostics);
}

#endif
