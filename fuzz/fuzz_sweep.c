/* Any bytes as a sweep file: an error with a message, or a sweep whose units are as many as are counted, and
 * the same a second time. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wings/sweep/sweep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More units than these are only counted. */
#define LISTED_MAX 200

static wb_sweep_unit *next(wb_sweep *sweep, wb_diagnostics *diagnostics) {
    wb_sweep_unit *unit = NULL;
    if (wb_sweep_next(sweep, diagnostics, &unit) != WB_OK) abort();
    return unit;
}

static void require_units(wb_sweep *sweep, wb_diagnostics *diagnostics) {
    const uint64_t count = wb_sweep_count(sweep);
    char first[WB_SHA256_DIGITS + 1] = "";
    uint64_t listed = 0;
    wb_sweep_unit *unit;
    for (; listed < LISTED_MAX && (unit = next(sweep, diagnostics)) != NULL; listed++) {
        if (unit->argument_count < 4 || strlen(unit->key) != WB_SHA256_DIGITS) abort();
        if (listed == 0) memcpy(first, unit->key, sizeof first);
        wb_sweep_unit_free(unit);
    }
    if (listed != (count < LISTED_MAX ? count : LISTED_MAX)) abort();
    wb_sweep_rewind(sweep);
    if ((unit = next(sweep, diagnostics)) != NULL && strcmp(unit->key, first) != 0) abort();
    wb_sweep_unit_free(unit);
}

/* Files are looked for in the current folder. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_sweep *sweep = NULL;
    wb_status status = sweep_parse("fuzz.yaml", ".", (const char *)data, size, diagnostics, &sweep);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    if (status == WB_OK) require_units(sweep, diagnostics);
    wb_sweep_free(sweep);
    wb_diagnostics_free(diagnostics);
    return 0;
}
