/* Any text as KEY=VALUE of a makespan problem or of its methods: an error with a message, or a value. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wings/makespan/strings/transform.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct subject subject = {.where = "--fuzz"};
    char *text = strndup((const char *)data, size), *equal = strchr(text, '=');
    if (equal != NULL) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct makespan_spec spec;
        *equal = '\0';
        spec_init(&spec);
        const wb_status status = spec_set(&spec, text, equal + 1, &subject, diagnostics);
        if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
        spec_free(&spec);
        wb_diagnostics_free(diagnostics);
    }
    free(text);
    return 0;
}
