/* The methods that prove bounds of machine code: those besides search, which takes a second each. */
#ifndef WB_TESTS_CODE_METHODS_H
#define WB_TESTS_CODE_METHODS_H

#include <string.h>

#include "base/text.h"
#include "warpbound.h"

static inline void code_methods(struct text *out) {
    for (size_t i = 0; wb_method_name(i) != NULL; i++)
        if (strncmp(wb_method_name(i), "code-", strlen("code-")) == 0)
            text_printf(out, "%s%s", out->length == 0 ? "" : ",", wb_method_name(i));
}

#endif
