/* Graphs, which are made by hand or captured from a stream, and launched node after node. What is made to be
 * launched is a graph's copy. None is ever freed. */
#include <stdlib.h>
#include <string.h>

#include "stand_in.h"
#include "wings/device/driver.h"

enum { INVALID_VALUE = 1, OUT_OF_GPU_MEMORY = 2, NODES_MAX = 16, PARAMS_MAX = 16 };
enum { NODE_KERNEL = 0, NODE_GRAPH = 4 };

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

int cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **params,
                   void **extra);

/* CUDA_KERNEL_NODE_PARAMS_v2. */
struct node_params {
    CUfunction function;
    unsigned shape[7];
    void **params, **extra;
    CUfunction kernel;
    void *context;
};

struct graph {
    struct graph_node {
        const struct graph *child; /* NULL: a kernel */
        struct node_params of;
        void *params[PARAMS_MAX];
    } nodes[NODES_MAX];
    size_t count, edge_count;
    struct graph_node *from[NODES_MAX], *to[NODES_MAX];
};

static CUstream captured; /* the stream that is */
static struct graph *capturing;

EXPORT int cuGraphCreate(struct graph **graph, unsigned flags) {
    STAND_IN_BEGIN();
    *graph = calloc(1, sizeof **graph);
    return *graph != NULL && flags == 0 ? CUDA_SUCCESS : OUT_OF_GPU_MEMORY;
}

static int add(struct graph *graph, struct graph_node *const *after, size_t count, struct graph_node **node) {
    if (graph->count == NODES_MAX || graph->edge_count + count > NODES_MAX) return OUT_OF_GPU_MEMORY;
    *node = &graph->nodes[graph->count++];
    for (size_t i = 0; i < count; i++) {
        graph->from[graph->edge_count] = after[i];
        graph->to[graph->edge_count++] = *node;
    }
    return CUDA_SUCCESS;
}

/* The node has parameters of its own. */
EXPORT int cuGraphAddKernelNode_v2(struct graph_node **node, struct graph *graph,
                                   struct graph_node *const *after, size_t count,
                                   const struct node_params *made) {
    STAND_IN_BEGIN();
    const struct CUfunc_st *function = made->function != NULL ? made->function : made->kernel;
    if (function == NULL) return INVALID_VALUE;
    const uint32_t params = stand_in_param_count(function->kernel);
    const int result = add(graph, after, count, node);
    if (result != CUDA_SUCCESS || params > PARAMS_MAX || made->params == NULL) return result | INVALID_VALUE;
    (*node)->of = *made;
    (*node)->of.params = (*node)->params;
    for (uint32_t i = 0; i < params; i++) {
        size_t size;
        (void)stand_in_param_at(function->kernel, i, &size);
        (*node)->params[i] = malloc(size);
        if ((*node)->params[i] == NULL) return OUT_OF_GPU_MEMORY;
        memcpy((*node)->params[i], made->params[i], size);
    }
    return CUDA_SUCCESS;
}

EXPORT int cuGraphAddChildGraphNode(struct graph_node **node, struct graph *graph,
                                    struct graph_node *const *after, size_t count,
                                    const struct graph *child) {
    STAND_IN_BEGIN();
    const int result = add(graph, after, count, node);
    if (result == CUDA_SUCCESS) (*node)->child = child;
    return result;
}

/* ---- What a graph has ---------------------------------------------------------------------------------- */

EXPORT int cuGraphGetNodes(struct graph *graph, struct graph_node **nodes, size_t *count) {
    STAND_IN_BEGIN();
    *count = graph->count;
    for (size_t i = 0; nodes != NULL && i < graph->count; i++)
        nodes[i] = &graph->nodes[graph->count - 1 - i]; /* in any order */
    return CUDA_SUCCESS;
}

EXPORT int cuGraphGetEdges(struct graph *graph, struct graph_node **from, struct graph_node **to,
                           size_t *count) {
    STAND_IN_BEGIN();
    *count = graph->edge_count;
    for (size_t i = 0; from != NULL && i < graph->edge_count; i++) {
        from[i] = graph->from[i];
        to[i] = graph->to[i];
    }
    return CUDA_SUCCESS;
}

EXPORT int cuGraphNodeGetType(const struct graph_node *node, int *type) {
    STAND_IN_BEGIN();
    *type = node->child != NULL ? NODE_GRAPH : NODE_KERNEL;
    return CUDA_SUCCESS;
}

EXPORT int cuGraphKernelNodeGetParams_v2(const struct graph_node *node, struct node_params *params) {
    STAND_IN_BEGIN();
    *params = node->of;
    return CUDA_SUCCESS;
}

EXPORT int cuGraphChildGraphNodeGetGraph(const struct graph_node *node, const struct graph **graph) {
    STAND_IN_BEGIN();
    *graph = node->child;
    return CUDA_SUCCESS;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

EXPORT int cuGraphInstantiateWithFlags(struct graph **exec, const struct graph *graph, uint64_t flags) {
    STAND_IN_BEGIN();
    *exec = malloc(sizeof **exec);
    if (*exec == NULL || flags != 0) return OUT_OF_GPU_MEMORY;
    **exec = *graph;
    return CUDA_SUCCESS;
}

/* As they were added, which is behind those that they wait for. */
EXPORT int cuGraphLaunch(const struct graph *exec, CUstream stream) {
    STAND_IN_BEGIN();
    int result = CUDA_SUCCESS;
    for (size_t i = 0; i < exec->count && result == CUDA_SUCCESS; i++) {
        const struct graph_node *node = &exec->nodes[i];
        const unsigned *shape = node->of.shape;
        if (node->child != NULL)
            result = cuGraphLaunch(node->child, stream);
        else
            result = cuLaunchKernel(node->of.function != NULL ? node->of.function : node->of.kernel, shape[0],
                                    shape[1], shape[2], shape[3], shape[4], shape[5], shape[6], stream,
                                    node->of.params, NULL);
    }
    return result;
}

EXPORT int cuStreamBeginCapture_v2(CUstream stream, int mode) {
    STAND_IN_BEGIN();
    captured = stream;
    return mode == 0 ? cuGraphCreate(&capturing, 0) : INVALID_VALUE;
}

EXPORT int cuStreamIsCapturing(CUstream stream, int *status) {
    STAND_IN_BEGIN();
    *status = capturing != NULL && stream == captured;
    return CUDA_SUCCESS;
}

EXPORT int cuStreamEndCapture(CUstream stream, struct graph **graph) {
    STAND_IN_BEGIN();
    *graph = capturing;
    capturing = NULL;
    return stream == captured && *graph != NULL ? CUDA_SUCCESS : INVALID_VALUE;
}

bool stand_in_capture(CUfunction function, const unsigned shape[7], CUstream stream, void **params,
                      int *result) {
    struct node_params made = {.function = function, .params = params};
    struct graph_node *node, *last;
    if (capturing == NULL || stream != captured) return false;
    last = capturing->count > 0 ? &capturing->nodes[capturing->count - 1] : NULL;
    memcpy(made.shape, shape, sizeof made.shape);
    *result = cuGraphAddKernelNode_v2(&node, capturing, &last, last != NULL, &made);
    return true;
}
