#include "report/write/junit.h"

#include "report/write/xml.h"

void junit_open(struct text *out, const char *name, const struct junit_counts *counts) {
    text_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    xml_attribute(out, "name", name);
    text_printf(
        out,
        " package=\"warpbound\" id=\"0\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\""
        " time=\"0\" timestamp=\"1970-01-01T00:00:00\" hostname=\"localhost\">\n",
        counts->tests, counts->failures, counts->errors, counts->skipped);
}

static void put_element(struct text *out, const char *name, const char *text) {
    text_printf(out, "    <%s>", name);
    xml_text(out, text != NULL ? text : "");
    text_printf(out, "</%s>\n", name);
}

void junit_close(struct text *out, const char *output, const char *messages) {
    put_element(out, "system-out", output);
    put_element(out, "system-err", messages);
    text_string(out, "  </testsuite>\n</testsuites>\n");
}
