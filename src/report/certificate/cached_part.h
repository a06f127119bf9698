/* A grid on a machine with caches as a certificate has it (docs/certificates.md). */
#ifndef WB_REPORT_CERTIFICATE_CACHED_PART_H
#define WB_REPORT_CERTIFICATE_CACHED_PART_H

#include "bound/analysis/analysis.h"
#include "report/certificate/block_part.h"

/* Writes what segment-sum sees of a grid of real paths whose blocks go to fixed SMs: the kinds of blocks,
 * what memory adds of the whole grid and on each SM, and the order of the blocks. WB_ERR_DECLINED with a
 * message where the kinds are too many. */
wb_status certificate_put_cached(struct certificate *certificate, const wb_analysis *analysis,
                                 wb_diagnostics *diagnostics);

#endif
