/* Messages of a run that failed, in the formats that its report would have had. */
#include "report/gate/gate.h"
#include "report/parts/document.h"
#include "report/write/output.h"

static void put_json(struct text *out, const wb_diagnostics *messages, wb_status status) {
    wb_message message;
    struct json json = json_begin(out, JSON_LINES);
    document_open(&json, "warpbound-messages", 1);
    json_put_count(&json, "status", (uint64_t)status);
    json_open_array(&json, "messages");
    for (size_t i = 0; wb_diagnostics_message(messages, i, &message); i++) {
        json_open_object(&json, NULL);
        json_put_text(&json, "severity", wb_severity_name(message.severity));
        json_put_text(&json, "where", message.where);
        json_put_count_if(&json, "line", message.line != 0, message.line);
        json_put_count_if(&json, "column", message.column != 0, message.column);
        json_put_text(&json, "text", message.text);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

wb_status wb_messages_report(const wb_diagnostics *messages, wb_status status, wb_report_format format,
                             wb_diagnostics *diagnostics, char **text) {
    const struct gate gate = gate_of_failure(messages);
    struct text out = {0};
    switch (format) {
    case WB_REPORT_TEXT: text_string(&out, wb_diagnostics_text(messages)); break;
    case WB_REPORT_JSON: put_json(&out, messages, status); break;
    case WB_REPORT_JUNIT: gate_put_junit(&out, &gate); break;
    case WB_REPORT_SARIF: gate_put_sarif(&out, &gate); break;
    }
    return report_take(WB_OK, &out, diagnostics, text);
}
