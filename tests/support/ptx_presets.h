/* The presets that time PTX: those for tests of its model. */
#ifndef WB_TESTS_PTX_PRESETS_H
#define WB_TESTS_PTX_PRESETS_H

#include "warpbound.h"

static inline bool preset_takes_ptx(const char *name) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    const bool takes = wb_machine_load(name, diagnostics, &machine) == WB_OK && wb_machine_takes_ptx(machine);
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
    return takes;
}

#endif
