#include "report/write/output.h"

/* Printed text that is worth writing. */
#define FLUSH_BYTES ((size_t)1 << 16)

wb_status report_take(wb_status status, struct text *out, wb_diagnostics *diagnostics, char **text) {
    if (status != WB_OK) {
        text_free(out);
        return status;
    }
    char *taken = text_take(out);
    if (taken == NULL) return diagnose_out_of_memory(diagnostics, "report");
    *text = taken;
    return WB_OK;
}

wb_status report_flush(struct text *out, const wb_writer *writer, bool all) {
    if (out->failed) return WB_ERR_LIMIT;
    if (out->length == 0 || (!all && out->length < FLUSH_BYTES)) return WB_OK;
    if (!writer->write(writer->user, out->data, out->length)) return WB_ERR_INPUT;
    out->length = 0;
    return WB_OK;
}

wb_status report_written(wb_status status, wb_diagnostics *diagnostics) {
    if (status == WB_ERR_LIMIT) return diagnose_out_of_memory(diagnostics, "report");
    if (status == WB_ERR_INPUT)
        diagnose(diagnostics, SEVERITY_ERROR, "report",
                 "it cannot be written to its end: there is no room left, or nobody reads it");
    return status;
}
