/* Any bytes as a gpgpusim.config: an error with a message, or a machine that prints as a machine file. Bytes
 * up to the first NUL also serve as an override of a key. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wings/gpgpusim/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void assert_prints(const wb_machine *machine, wb_diagnostics *diagnostics) {
    char *text = NULL;
    wb_machine *again = NULL;
    if (wb_machine_print(machine, diagnostics, &text) != WB_OK) abort();
    if (machine_parse("printed.yaml", text, strlen(text), diagnostics, &again) != WB_OK) abort();
    wb_machine_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    wb_status status = import_parse("fuzz.config", (const char *)data, size, diagnostics, &machine);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    if (status == WB_OK) assert_prints(machine, diagnostics);
    wb_machine_free(machine);

    char *assignment = strndup((const char *)data, size);
    if (wb_machine_load("ecrts2025-orin", diagnostics, &machine) != WB_OK) abort();
    if (wb_machine_set(machine, assignment, diagnostics) == WB_OK) assert_prints(machine, diagnostics);
    uint64_t cycles_of_deadline;
    (void)wb_deadline_cycles(machine, assignment, diagnostics, &cycles_of_deadline);
    wb_machine_free(machine);
    free(assignment);
    wb_diagnostics_free(diagnostics);
    return 0;
}
