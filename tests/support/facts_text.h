/* Flow facts as text, for tests that read what was printed. */
#ifndef WB_TESTS_SUPPORT_FACTS_TEXT_H
#define WB_TESTS_SUPPORT_FACTS_TEXT_H

#include "launch/launch.h"

/* All facts as text that reads back as the same facts. */
static inline wb_status facts_print(const struct wb_facts *facts, wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    uint64_t checksum;
    if (facts_checksum(facts->kernel, &checksum) != WB_OK)
        return diagnose_out_of_memory(diagnostics, facts->source.name);
    facts_put_header(facts->kernel, checksum, &out);
    if (facts->launch != NULL) facts_put_launch_statement(checksum, facts->launch, &out);
    for (size_t i = 0; i < facts->facts.count; i++) {
        facts_put(facts->kernel, &facts->facts.items[i], &out);
        text_char(&out, '\n');
    }
    char *taken = text_take(&out);
    if (taken == NULL) return diagnose_out_of_memory(diagnostics, facts->source.name);
    *text = taken;
    return WB_OK;
}

#endif
