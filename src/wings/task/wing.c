/* What the wing adds to the library: the bound of kernels that share their SMs. */
#include "base/wing.h"

#include "wings/task/task.h"

static const struct bound_method *const methods[] = {&bound_shared, NULL};

extern const struct wing wing_task; /* which the build lists */

const struct wing wing_task = {.methods = methods};
