/* Abstract warps as the text of wings/abstract_cta/acta_file.h, for tests to compare. */
#ifndef WB_TESTS_ACTA_TEXT_H
#define WB_TESTS_ACTA_TEXT_H

#include "base/base.h"
#include "wings/abstract_cta/acta_warp.h"

/* Appends the program. Loops are named L0, L1, ... in the order of their numbers. */
void acta_text_print(const struct acta_warp *warp, struct text *out);

#endif
