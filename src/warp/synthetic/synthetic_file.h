/* Blocks written by hand as YAML files (docs/blocks.md), so that a counterexample is a file anyone can run.
 */
#ifndef WB_WARP_SYNTHETIC_SYNTHETIC_FILE_H
#define WB_WARP_SYNTHETIC_SYNTHETIC_FILE_H

#include "warp/synthetic/synthetic_block.h"

/* Parses `size` bytes of such a file; `name` stands for it in messages. Like synthetic_file_read otherwise.
 */
wb_status synthetic_file_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                               struct synthetic_block *block);

/* Reads the file at `path`. WB_ERR_INPUT with messages when it is no such file; `block` is then empty. Free
 * it with synthetic_block_free. */
wb_status synthetic_file_read(const char *path, wb_diagnostics *diagnostics, struct synthetic_block *block);

#endif
