/* What covering paths promise of every execution, with the costs of its accesses and its barriers. */
#ifndef WB_TESTS_COVERED_EXECUTION_H
#define WB_TESTS_COVERED_EXECUTION_H

#include "warp/path/path.h"

/* Whether a warp's path is a subsequence of its covering path: every step one of a step of more lanes that
 * makes at least as many transactions (unless the covering block has accesses that it does not record), every
 * barrier one of the same section. Both blocks have recorded accesses. */
bool warp_is_covered(const struct wb_block *covering, const struct wb_block *block, uint32_t warp);

#endif
