/* A synthetic block or grid as a file again, for tests to keep, compare and read back. */
#ifndef WB_TESTS_SYNTHETIC_TEXT_H
#define WB_TESTS_SYNTHETIC_TEXT_H

#include "warp/synthetic/synthetic.h"

/* Appends the block as a YAML file that synthetic_file_read reads back (docs/blocks.md). The block's operands
 * must be as synthetic_block_parse makes them; times and flags may have been changed since. */
void synthetic_block_print(const struct synthetic_block *block, struct text *out);

#endif
