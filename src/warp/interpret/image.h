/* What a launch puts into memory before the first block runs: the variables of the module, the buffers, the
 * parameters of the kernel. */
#ifndef WB_WARP_INTERPRET_IMAGE_H
#define WB_WARP_INTERPRET_IMAGE_H

#include "warp/interpret/warp.h"

/* Creates the regions of buffers, parameters and of those variables of the module that the kernel can reach,
 * and fills them. `const` variables without an initialiser are unknown unless the launch gives their
 * contents: only the host can have written them; `.global` ones are zero. */
wb_status image_load(struct run *run, struct arena *arena);

/* The region of buffer argument `argument`; NULL when it is none. */
struct region *image_buffer(const struct run *run, size_t argument);

#endif
