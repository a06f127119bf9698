/* Presets, for tests. */
#ifndef WB_TESTS_LOAD_MACHINE_H
#define WB_TESTS_LOAD_MACHINE_H

#include "warpbound.h"

/* A preset, or a machine file. The header cmocka.h is included by the test before this one. */
static inline wb_machine *load_machine(const char *name) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    if (wb_machine_load(name, diagnostics, &machine) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    return machine;
}

#endif
