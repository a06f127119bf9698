/* What results are made from: files and texts, with checksums by which they are known again. */
#ifndef WB_BASE_INPUT_H
#define WB_BASE_INPUT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"

typedef VEC(wb_input) input_list;

/* The description of a text that was read; its path is the caller's. */
wb_input input_of(wb_input_role role, const char *path, const void *bytes, size_t size);

/* The same description with a path of its own in `arena`. WB_ERR_LIMIT, without a message, when memory is
 * exhausted. */
wb_status input_copy(const wb_input *input, struct arena *arena, wb_input *copy);

/* Whether both are the same text in the same role under the same name. */
bool input_equal(const wb_input *a, const wb_input *b);

#endif
