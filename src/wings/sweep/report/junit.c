/* JUnit: a test case for each unit. It fails where a deadline is not proven to be met, is skipped where there
 * is no result to be had, and is broken where the unit did not end by itself. */
#include <inttypes.h>
#include <string.h>

#include "report/write/xml.h"
#include "wings/sweep/report/show.h"

/* The element that says why a case did not pass; NULL: it did. */
static const char *outcome_of(const struct stored_unit *unit) {
    if (strcmp(unit->status, "declined") == 0) return unit->deadline != NO_CYCLES ? "error" : "skipped";
    if (strcmp(unit->status, "done") != 0) return "error";
    static const char *const failures[] = {"missed", "open", "model-only"};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        if (strcmp(unit->state, failures[i]) == 0) return "failure";
    return unit->bound != NO_CYCLES ? NULL : "skipped";
}

static void begin(const struct show *show) {
    const struct stored_units *stored = show->stored;
    size_t failures = 0, errors = 0, skipped = 0;
    for (size_t i = 0; i < stored->units.count; i++) {
        const char *outcome = outcome_of(&stored->units.items[i]);
        failures += outcome != NULL && strcmp(outcome, "failure") == 0;
        errors += outcome != NULL && strcmp(outcome, "error") == 0;
        skipped += outcome != NULL && strcmp(outcome, "skipped") == 0;
    }
    text_printf(
        show->out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"warpbound sweep\""
        " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
        stored->units.count, failures, errors, skipped);
}

static void put_name(const struct show *show, const struct stored_unit *unit) {
    struct text name = {0};
    for (size_t i = 0; i < show->stored->columns.count; i++)
        if (unit->values[i] != NULL)
            text_printf(&name, "%s%s=%s", name.length > 0 ? " " : "", show->stored->columns.items[i],
                        unit->values[i]);
    if (name.failed) show->out->failed = true;
    xml_attribute(show->out, "name", name.data);
    text_free(&name);
}

static wb_status put_unit(const struct show *show, const struct stored_unit *unit, bool is_first) {
    const char *outcome = outcome_of(unit);
    (void)is_first;
    text_string(show->out, "    <testcase classname=\"sweep\"");
    put_name(show, unit);
    if (outcome == NULL) {
        text_string(show->out, "/>\n");
        return WB_OK;
    }
    text_printf(show->out, ">\n      <%s", outcome);
    xml_attribute(show->out, "message", unit->message[0] != '\0' ? unit->message : unit->state);
    text_string(show->out, "/>\n    </testcase>\n");
    return WB_OK;
}

static void end(const struct show *show) {
    text_string(show->out, "  </testsuite>\n</testsuites>\n");
}

const struct show_format show_junit = {begin, put_unit, end};
