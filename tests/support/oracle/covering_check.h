/* What covering paths, divergence analysis and loop bounds promise, checked from the definitions. */
#ifndef WB_TESTS_COVERING_CHECK_H
#define WB_TESTS_COVERING_CHECK_H

#include "flow/graph/graph.h"
#include "warp/path/path.h"

/* Whether a path is a subsequence of a covering one, each of its steps by a subset of the lanes. When not,
 * *step is the first step that finds no partner. */
bool path_is_covered(const struct path *covering, const struct path *path, uint64_t *step);

/* The flow of the kernel's function, which all that follows looks at; calls are passed over. */
struct observed_flow {
    const struct ptx_function *function;
    struct arena arena;
    struct cfg cfg;
    struct dominators dominators, post_dominators;
    struct loops loops;
};

void observed_flow_make(const struct ptx_function *function, struct observed_flow *flow);
void observed_flow_free(struct observed_flow *flow);

/* The largest number of times that any lane of a warp ran the header of each loop between entering and
 * leaving the loop, into most[0 .. loops.count-1], which are only raised. */
void observe_headers(const struct wb_block *block, uint32_t warp, const struct observed_flow *flow,
                     uint64_t *most);

/* Marks the blocks of the graph at whose end the lanes of a warp parted in some path of the block: by a
 * branch that some of them took, or by a guarded end of the kernel that some of them came to. */
void observe_partings(const struct wb_block *block, const struct observed_flow *flow, bool *parted);

#endif
