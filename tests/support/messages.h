/* Comparing diagnostics in tests. */
#ifndef WB_TESTS_MESSAGES_H
#define WB_TESTS_MESSAGES_H

#include <string.h>

#include "warpbound.h"

/* Asserts that the first line of the messages is `expected`, and says which case failed. The header cmocka.h
 * is included by the test before this one. */
static inline void assert_first_message(const wb_diagnostics *diagnostics, const char *expected,
                                        const char *input) {
    const char *text = wb_diagnostics_text(diagnostics);
    size_t length = strcspn(text, "\n");
    if (strlen(expected) != length || memcmp(text, expected, length) != 0)
        fail_msg("input:\n%s\nexpected: %s\ngot:      %.*s", input, expected, (int)length, text);
}

#endif
