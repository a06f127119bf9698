#include "report/gate/gate.h"

#include <inttypes.h>

#include "bound/analysis/stream.h"
#include "bound/analysis/verdict.h"

const wb_input *gate_input(const struct gate *gate, size_t index) {
    if (gate->analysis != NULL) return wb_analysis_input(gate->analysis, index);
    return gate->stream != NULL ? wb_stream_input(gate->stream, index) : NULL;
}

void gate_put_line(struct text *out, const struct gate *gate) {
    if (gate->verdict != NULL) {
        verdict_put_line(out, gate->verdict, &gate->words);
        return;
    }
    size_t length;
    const char *error = diagnostics_first_error(gate->messages, &length);
    text_append(out, error, length);
}

void gate_put(struct text *out, wb_report_format format, const wb_analysis *analysis, const wb_stream *stream,
              const wb_report_options *options, const wb_diagnostics *messages) {
    const bool is_stream = stream != NULL;
    const wb_verdict verdict =
        is_stream ? wb_stream_judge(stream, options->has_deadline ? &options->deadline : NULL)
                  : verdict_of(analysis, options);
    const struct wb_machine *machine = is_stream ? stream->machine : analysis->machine;
    const bool is_empty = is_stream && stream->kernels.count == 0;
    const struct sources sources =
        is_empty ? (struct sources){.kernel = NULL}
                 : analysis_sources(is_stream ? stream->kernels.items[0].analysis : analysis);
    const char *by_hand = !is_stream && sources.by_hand != NULL ? sources.by_hand->path : NULL;
    const struct gate gate = {
        .verdict = &verdict,
        .words = {.machine = machine, .unit = options->unit},
        .name = is_stream                ? "stream"
                : sources.kernel != NULL ? wb_kernel_name(sources.kernel)
                : by_hand != NULL        ? by_hand
                                         : "block",
        .label = options->label,
        .source = options->source,
        .file = sources.kernel != NULL ? sources.kernel->module->input.path : by_hand,
        .kernel = sources.kernel, /* of a stream its first */
        .analysis = analysis,
        .stream = stream,
        .messages = messages,
    };
    (format == WB_REPORT_SARIF ? gate_put_sarif : gate_put_junit)(out, &gate);
}

static void put_json(struct text *out, const wb_diagnostics *messages, wb_status status) {
    wb_message message;
    struct json json = json_begin(out, JSON_LINES);
    document_open(&json, "warpbound-messages", 1);
    json_put_count(&json, "status", (uint64_t)status);
    json_open_array(&json, "messages");
    for (size_t i = 0; wb_diagnostics_message(messages, i, &message); i++) {
        json_put_object(&json, NULL, "severity %s, where %s, line %*u, column %*u, text %s",
                        wb_severity_name(message.severity), message.where, message.line != 0, message.line,
                        message.column != 0, message.column, message.text);
    }
    json_close(&json);
    json_close(&json);
}

wb_status wb_messages_report(const wb_diagnostics *messages, wb_status status, wb_report_format format,
                             const char *label, wb_diagnostics *diagnostics, char **text) {
    const struct gate gate = {.name = "run", .label = label, .messages = messages};
    struct text out = {0};
    switch (format) {
    case WB_REPORT_TEXT: text_string(&out, wb_diagnostics_text(messages)); break;
    case WB_REPORT_JSON: put_json(&out, messages, status); break;
    case WB_REPORT_JUNIT: gate_put_junit(&out, &gate); break;
    case WB_REPORT_SARIF: gate_put_sarif(&out, &gate); break;
    }
    return report_take(WB_OK, &out, diagnostics, text);
}
