/* Any bytes as a machine file: an error with a message, or a machine that prints as one that reads back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "machine/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *printed(const wb_machine *machine, wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (wb_machine_print(machine, diagnostics, &text) != WB_OK) abort();
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    wb_status status = machine_parse("fuzz.yaml", (const char *)data, size, diagnostics, &machine);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    if (status == WB_OK) {
        char *text = printed(machine, diagnostics);
        wb_machine *again = NULL;
        if (machine_parse("printed.yaml", text, strlen(text), diagnostics, &again) != WB_OK) abort();
        char *second = printed(again, diagnostics);
        if (strcmp(text, second) != 0) abort();
        free(second);
        free(text);
        wb_machine_free(again);
        wb_machine_free(machine);
    }
    wb_diagnostics_free(diagnostics);
    return 0;
}
