/* JUnit, as the schema of Ant's reports has it: a suite with one test case, the deadline. */
#include <inttypes.h>

#include "report/gate/gate.h"
#include "report/write/junit.h"
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

static void put_property(struct text *out, const char *name, const char *value) {
    text_string(out, "      <property");
    xml_attribute(out, "name", name);
    xml_attribute(out, "value", value);
    text_string(out, "/>\n");
}

static void put_number(struct text *out, const char *name, uint64_t value) {
    text_printf(out, "      <property name=\"%s\" value=\"%" PRIu64 "\"/>\n", name, value);
}

static void put_verdict_properties(struct text *out, const struct gate *gate) {
    const wb_verdict *verdict = gate->verdict;
    put_property(out, "kernel", gate->name);
    put_property(out, "machine", wb_machine_name(gate->words.machine));
    put_property(out, "state", wb_state_name(verdict->state));
    put_property(out, "scope", wb_scope_name(verdict->scope));
    if (verdict->has_deadline) put_number(out, "deadline_cycles", verdict->deadline);
    if (verdict->is_bounded) put_number(out, "bound_cycles", verdict->cycles);
    if (verdict->overhead > 0) put_number(out, "launch_cycles", verdict->overhead);
    if (verdict->is_bounded && verdict->has_deadline)
        text_printf(out, "      <property name=\"margin_cycles\" value=\"%" PRId64 "\"/>\n", verdict->margin);
    if (verdict->bound != NULL) put_property(out, "method", verdict->bound->method);
    if (verdict->slowest.cycles > 0) put_number(out, "slowest_cycles", verdict->slowest.cycles);
    if (verdict->slowest.cycles > 0 && verdict->slowest.name != NULL)
        put_property(out, "slowest_how", verdict->slowest.name);
}

/* The version, every input with its checksum, and what the verdict says. */
static void put_properties(struct text *out, const struct gate *gate) {
    const wb_input *input;
    text_string(out, "    <properties>\n");
    put_property(out, "warpbound", wb_version());
    for (size_t i = 0; (input = gate_input(gate, i)) != NULL; i++) {
        struct text name = {0};
        text_printf(&name, "sha256 %s %s", wb_input_role_name(input->role), input->path);
        if (name.failed) out->failed = true;
        put_property(out, name.data, input->sha256);
        text_free(&name);
    }
    if (gate->verdict != NULL) put_verdict_properties(out, gate);
    text_string(out, "    </properties>\n");
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

/* What it is called in every run, whatever becomes of it. */
static void put_label(struct text *out, const struct gate *gate) {
    if (gate->label != NULL)
        text_string(out, gate->label);
    else if (gate->verdict == NULL)
        text_string(out, gate->name);
    else
        text_printf(out, "%s on %s: %s", gate->name, wb_machine_name(gate->words.machine),
                    gate->verdict->has_deadline ? "deadline" : "bound");
}

static void put_case(struct text *out, const struct gate *gate, enum outcome outcome) {
    struct text name = {0};
    put_label(&name, gate);
    if (name.failed) out->failed = true;
    text_string(out, "    <testcase");
    xml_attribute(out, "classname", "warpbound");
    xml_attribute(out, "name", name.data);
    text_string(out, " time=\"0\">\n");
    put_outcome(out, gate, outcome);
    text_string(out, "    </testcase>\n");
    text_free(&name);
}

static void put_output(struct text *out, const struct gate *gate) {
    struct text words = {0};
    if (gate->verdict != NULL) {
        gate_put_line(&words, gate);
        text_char(&words, '\n');
        verdict_put_details(&words, &layout_unlimited, gate->verdict, &gate->words);
    }
    if (words.failed) out->failed = true;
    junit_close(out, words.data, wb_diagnostics_text(gate->messages));
    text_free(&words);
}

void gate_put_junit(struct text *out, const struct gate *gate) {
    const enum outcome outcome = outcome_of(gate);
    const struct junit_counts counts = {1, outcome == FAILED, outcome == BROKEN, outcome == SKIPPED};
    junit_open(out, gate->file != NULL ? gate->file : "warpbound", &counts);
    put_properties(out, gate);
    put_case(out, gate, outcome);
    put_output(out, gate);
}
