/* Any bytes as a witness file: an error with a message, or a schedule that prints as a file which reads back
 * as the same one and which is right or wrong as it was before. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wings/makespan/strings/witness_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Larger ones are only read, to keep the runs fast. */
#define INSTRUCTIONS_MAX 10000u

static bool is_right(const struct witness *witness) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_status status = schedule_check(&witness->problem, &witness->schedule, "fuzz", diagnostics);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    wb_diagnostics_free(diagnostics);
    return status == WB_OK;
}

static void check_print(const struct witness *witness, wb_diagnostics *diagnostics) {
    struct text printed = {0}, reprinted = {0};
    struct witness again;
    if (witness_file_print(&witness->problem, &witness->schedule, diagnostics, &printed) != WB_OK) abort();
    if (witness_file_parse("again", printed.data, printed.length, diagnostics, &again) != WB_OK) abort();
    if (witness_file_print(&again.problem, &again.schedule, diagnostics, &reprinted) != WB_OK) abort();
    if (strcmp(printed.data, reprinted.data) != 0 || is_right(witness) != is_right(&again)) abort();
    witness_free(&again);
    text_free(&printed);
    text_free(&reprinted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct witness witness;
    wb_status status = witness_file_parse("fuzz", (const char *)data, size, diagnostics, &witness);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    if (status == WB_OK && witness.problem.instruction_count <= INSTRUCTIONS_MAX)
        check_print(&witness, diagnostics);
    witness_free(&witness);
    wb_diagnostics_free(diagnostics);
    return 0;
}
