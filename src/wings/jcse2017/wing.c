/* What the wing adds to the library: methods. */
#include "base/wing.h"

#include "wings/jcse2017/methods.h"

static const struct bound_method *const methods[] = {&bound_reorder_chain, &bound_turn_chain, &bound_segments,
                                                     &bound_segments_missrate, NULL};

extern const struct wing wing_jcse2017; /* which the build lists */

const struct wing wing_jcse2017 = {.methods = methods};
