/* Any bytes as a kernel instruction string: an error with a message, or a string that prints as one that
 * reads back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wings/makespan/strings/notation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const struct subject subject = {.where = "fuzz"};
    struct unit_string string = {0};
    wb_status status = notation_parse((const char *)data, size, &subject, diagnostics, &string);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    if ((status == WB_OK) != (string.units.count > 0)) abort();
    if (status == WB_OK) {
        struct text printed = {0};
        struct unit_string again = {0};
        notation_print(&printed, string.units.items, (uint32_t)string.units.count);
        if (notation_parse(printed.data, printed.length, &subject, diagnostics, &again) != WB_OK) abort();
        if (again.units.count != string.units.count) abort();
        if (memcmp(again.units.items, string.units.items, string.units.count) != 0) abort();
        unit_string_free(&again);
        text_free(&printed);
    }
    unit_string_free(&string);
    wb_diagnostics_free(diagnostics);
    return 0;
}
