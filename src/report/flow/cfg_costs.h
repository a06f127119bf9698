/* The execution of a kernel's blocks as far as known: how often warps go through them and along their edges,
 * and where the cycles of a number go. */
#ifndef WB_REPORT_FLOW_CFG_COSTS_H
#define WB_REPORT_FLOW_CFG_COSTS_H

#include "report/flow/cfg.h"
#include "report/write/source_text.h"

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
