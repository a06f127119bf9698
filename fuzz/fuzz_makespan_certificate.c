/* Any bytes as the contents of a certificate: an error with a message, or a proof. What it proves of small
 * problems must be true. */
#include <stdint.h>
#include <stdlib.h>

#include "../tests/support/gzip_bytes.h"
#include "wings/makespan/analysis/makespan.h"
#include "wings/makespan/certificate/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes of the tables; larger problems are refused, to keep the runs fast. */
#define TABLES_MAX (UINT64_C(1) << 18)

/* All schedules of problems with so many instructions are looked at. */
#define INSTRUCTIONS_MAX 16u

static void check_truth(const struct certificate_proof *proof) {
    static const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct makespan_run run = {
        .problem = &proof->witness.problem, .settings = &settings, .diagnostics = diagnostics};
    struct makespan_result result;
    if (makespan_solve(&makespan_brute, &run, &result) != WB_OK) abort();
    if (result.bound.cycles < proof->witness.schedule.makespan || result.bound.cycles > proof->upper) abort();
    makespan_result_free(&result);
    wb_diagnostics_free(diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct certificate_proof proof;
    size_t packed_size;
    char *packed = gzip_bytes((const char *)data, size, &packed_size);
    wb_status status = certificate_check("fuzz", packed, packed_size, TABLES_MAX, 1, diagnostics, &proof);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    if (status == WB_OK && proof.witness.problem.instruction_count <= INSTRUCTIONS_MAX) check_truth(&proof);
    certificate_proof_free(&proof);
    wb_diagnostics_free(diagnostics);
    free(packed);
    return 0;
}
