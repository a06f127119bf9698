/* JUnit: a suite with one test case, the deadline. */
#include <inttypes.h>

#include "report/gate/gate.h"
#include "report/write/xml.h"

/* The result of the test case. */
enum outcome { PASSED, FAILED, BROKEN, SKIPPED };

/* A deadline that is not proven to be met fails; where nothing can be said, or the run did not do all that
 * was asked, the case is broken. */
static enum outcome outcome_of(const struct gate *gate) {
    if (gate->verdict == NULL) return BROKEN;
    switch (gate->verdict->state) {
    case WB_MODEL_ONLY:
    case WB_MISSED:
    case WB_OPEN: return FAILED;
    case WB_CONTRADICTION:
    case WB_BLOCK_ONLY: return BROKEN;
    case WB_UNPROVEN:
        if (gate->verdict->has_deadline) return BROKEN;
        break;
    case WB_BOUNDED:
    case WB_MET: break;
    }
    if (wb_diagnostics_errors(gate->messages) > 0) return BROKEN;
    return gate->verdict->state == WB_UNPROVEN ? SKIPPED : PASSED;
}

static void put_property(struct text *out, const char *indent, const char *name, const char *value) {
    text_printf(out, "%s<property", indent);
    xml_attribute(out, "name", name);
    xml_attribute(out, "value", value);
    text_string(out, "/>\n");
}

#define OF_SUITE "      "
#define OF_CASE "        "

static void put_number(struct text *out, const char *name, uint64_t value) {
    text_printf(out, OF_CASE "<property name=\"%s\" value=\"%" PRIu64 "\"/>\n", name, value);
}

/* The suite's version, and every input with its checksum. */
static void put_suite_properties(struct text *out, const struct gate *gate) {
    const wb_input *input;
    text_string(out, "    <properties>\n");
    put_property(out, OF_SUITE, "warpbound", wb_version());
    for (size_t i = 0; (input = gate_input(gate, i)) != NULL; i++) {
        struct text name = {0};
        text_printf(&name, "sha256 %s %s", wb_input_role_name(input->role), input->path);
        if (name.failed) out->failed = true;
        put_property(out, OF_SUITE, name.data, input->sha256);
        text_free(&name);
    }
    text_string(out, "    </properties>\n");
}

static void put_case_properties(struct text *out, const wb_verdict *verdict) {
    text_string(out, "      <properties>\n");
    put_property(out, OF_CASE, "state", wb_state_name(verdict->state));
    put_property(out, OF_CASE, "scope", wb_scope_name(verdict->scope));
    if (verdict->has_deadline) put_number(out, "deadline_cycles", verdict->deadline);
    if (verdict->is_bounded) put_number(out, "bound_cycles", verdict->cycles);
    if (verdict->overhead > 0) put_number(out, "launch_cycles", verdict->overhead);
    if (verdict->is_bounded && verdict->has_deadline)
        text_printf(out, OF_CASE "<property name=\"margin_cycles\" value=\"%" PRId64 "\"/>\n",
                    verdict->margin);
    if (verdict->bound != NULL) put_property(out, OF_CASE, "method", verdict->bound->method);
    if (verdict->slowest.cycles > 0) put_number(out, "slowest_cycles", verdict->slowest.cycles);
    if (verdict->slowest.cycles > 0 && verdict->slowest.name != NULL)
        put_property(out, OF_CASE, "slowest_how", verdict->slowest.name);
    text_string(out, "      </properties>\n");
}

/* Why the case did not pass. */
static void put_outcome(struct text *out, const struct gate *gate, enum outcome outcome) {
    static const char *const elements[] = {[FAILED] = "failure", [BROKEN] = "error", [SKIPPED] = "skipped"};
    if (outcome == PASSED) return;
    struct text line = {0};
    gate_put_line(&line, gate);
    if (line.failed) out->failed = true;
    text_printf(out, "      <%s", elements[outcome]);
    xml_attribute(out, "message", line.data);
    if (outcome != SKIPPED)
        xml_attribute(out, "type", gate->verdict != NULL ? wb_state_name(gate->verdict->state) : "run");
    text_string(out, ">");
    xml_text(out, wb_diagnostics_text(gate->messages));
    text_printf(out, "</%s>\n", elements[outcome]);
    text_free(&line);
}

static void put_case(struct text *out, const struct gate *gate, enum outcome outcome) {
    struct text name = {0};
    text_printf(&name, "%s: ", gate->name);
    if (gate->verdict == NULL)
        text_string(&name, "analysis");
    else
        text_printf(&name, "%s of the %s", gate->verdict->has_deadline ? "deadline" : "bound",
                    wb_scope_name(gate->verdict->scope));
    if (name.failed) out->failed = true;
    text_string(out, "    <testcase");
    xml_attribute(out, "classname", "warpbound");
    xml_attribute(out, "name", name.data);
    text_string(out, " time=\"0\">\n");
    if (gate->verdict != NULL) put_case_properties(out, gate->verdict);
    put_outcome(out, gate, outcome);
    if (gate->verdict != NULL) {
        struct text words = {0};
        gate_put_line(&words, gate);
        text_char(&words, '\n');
        verdict_put_details(&words, &layout_unlimited, gate->verdict, &gate->words);
        if (words.failed) out->failed = true;
        text_string(out, "      <system-out>");
        xml_text(out, words.data);
        text_string(out, "</system-out>\n");
        text_free(&words);
    }
    text_string(out, "    </testcase>\n");
    text_free(&name);
}

void gate_put_junit(struct text *out, const struct gate *gate) {
    const enum outcome outcome = outcome_of(gate);
    const char *file = gate->file != NULL ? gate->file : "warpbound";
    char counts[120];
    (void)text_format(counts, sizeof counts, " tests=\"1\" failures=\"%d\" errors=\"%d\"", outcome == FAILED,
                      outcome == BROKEN);
    text_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text_printf(out, "<testsuites name=\"warpbound\"%s>\n  <testsuite", counts);
    xml_attribute(out, "name", file);
    text_printf(out, "%s skipped=\"%d\" time=\"0\">\n", counts, outcome == SKIPPED);
    put_suite_properties(out, gate);
    put_case(out, gate, outcome);
    text_string(out, "  </testsuite>\n</testsuites>\n");
}
