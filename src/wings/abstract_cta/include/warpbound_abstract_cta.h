#ifndef WARPBOUND_ABSTRACT_CTA_H
#define WARPBOUND_ABSTRACT_CTA_H

#include "warpbound.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Abstract CTA simulation --------------------------------------------------------------------------- */

/* The abstract warp of a kernel (WCET 2014; docs/abstract-cta.md) as a graph for Graphviz. WB_ERR_DECLINED
 * with a message when the control flow is not structured, or contains what abstract warps do not have. */
wb_status wb_kernel_abstract_warp(const wb_kernel *kernel, wb_diagnostics *diagnostics, char **text);

#ifdef __cplusplus
}
#endif

#endif
