/* Reports of a kernel's control flow: what is computed for them, and the parts that the formats share. */
#ifndef WB_REPORT_FLOW_CFG_H
#define WB_REPORT_FLOW_CFG_H

#include "flow/bounds/bounds.h"
#include "flow/graph/graph.h"
#include "flow/values/values.h"
#include "launch/launch.h"
#include "report/write/source.h"

/* Kernels with loops nested deeper are not reported: every level indents what is inside it. */
#define CFG_REPORT_DEPTH_MAX 100u

struct cfg_costs;

struct cfg_report {
    const struct wb_kernel *kernel;
    const struct cfg_costs *costs; /* what graphs show of an execution; or NULL */
    struct cfg cfg;
    struct dominators dominators, post_dominators;
    struct loops loops;
    const struct unrolled *unrolled; /* per loop; of machine code only, else NULL */
    uint32_t *reconvergence;         /* per instruction: instruction or PTX_NO_INDEX */
    struct node_regs liveness;
    struct ssa ssa;
    struct divergence divergence;
    struct source_lines lines;
};

/* Computes everything that the formats print, in memory of the arena except for the lines: close the report
 * with cfg_report_close, also after an error (which leaves a message). The launch supplies the shape of
 * blocks; NULL: not known. */
wb_status cfg_report_open(const struct wb_kernel *kernel, const struct wb_launch *launch, struct arena *arena,
                          wb_diagnostics *diagnostics, struct cfg_report *report);
void cfg_report_close(struct cfg_report *report);

/* The message that memory does not suffice; always WB_ERR_LIMIT. */
wb_status cfg_report_refuse_size(const struct cfg_report *report, wb_diagnostics *diagnostics);

/* Control flow as a graph for Graphviz. What fails here and below shows in out->failed. */
void cfg_report_dot(const struct cfg_report *report, struct text *out);

/* Whether one block has a back edge of a natural loop to the other. */
bool cfg_is_back_edge(const struct cfg_report *report, uint32_t from, uint32_t to);

/* Whether the block's last instruction can divide a warp: a branch with two successors or more. */
bool cfg_divides(const struct cfg_report *report, uint32_t block);

/* Whether the block decides where control goes on, and control gets there. */
bool cfg_decides(const struct cfg_report *report, uint32_t block);

/* The labels of a block's first instruction are labels[*first] .. labels[return value - 1] of the function.
 */
uint32_t cfg_labels(const struct cfg_report *report, uint32_t block, uint32_t *first);

/* The issued instructions of a block, *count from the number returned on: of machine code a block may have
 * none, where it stands inside of the group of one. */
uint32_t cfg_issued(const struct cfg_report *report, uint32_t block, uint32_t *count);

/* Appends "B3", or "exit". */
void cfg_put_block(struct text *out, const struct cfg_report *report, uint32_t block);

/* Appends the source lines of a block's instructions: "reduce.cu:5,7-9", files separated by spaces;
 * "unknown" when there is none. */
void cfg_put_source_lines(struct text *out, const struct cfg_report *report, uint32_t block);

/* ---- divergence.c: what divergence analysis found, in words. */

/* Appends what is known of a block's last instruction: "uniform", or "divergent: %tid.x, PTX line 24" with
 * what it comes from. */
void divergence_put_decision(struct text *out, const struct cfg_report *report, uint32_t block);

/* ---- cfg_costs.c: how often warps go through blocks and along edges, and where the cycles of a number go.
 */

/* The count of an edge is not known. */
#define EDGE_UNKNOWN UINT64_MAX

/* A block that has only uncounted instructions, such as `ret`. */
#define WARPS_UNKNOWN UINT64_MAX

struct cfg_costs {
    const char *number; /* what the cycles are of: "upper k-area of the kernel" */
    uint64_t total;     /* that it is */
    uint64_t *warps;    /* per block how often warps go through it; or WARPS_UNKNOWN */
    uint64_t *cycles;   /* per block */
    uint64_t *edges;    /* per edge how often warps go along it; or EDGE_UNKNOWN */
    bool *on_path;      /* per block: it is on the path with most cycles */
    bool *path_edge;    /* per edge: it is */
    struct source_texts *texts;
};

/* Fills in edges and path from the warps and cycles of the blocks, in memory of the protected arena. */
void cfg_costs_complete(const struct cfg_report *report, struct arena *arena, struct cfg_costs *costs);

#endif
