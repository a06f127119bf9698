#ifndef WARPBOUND_GATED_SSA_H
#define WARPBOUND_GATED_SSA_H

#include "warpbound.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Gated SSA form ------------------------------------------------------------------------------------ */

/* The instructions of a kernel in gated SSA form: registers with versions, phis as mu, gamma and eta
 * functions (docs/control-flow.md), with their divergence, for which the launch counts as in wb_kernel_cfg.
 */
wb_status wb_kernel_ssa(const wb_kernel *kernel, const wb_launch *launch, wb_diagnostics *diagnostics,
                        char **text);

#ifdef __cplusplus
}
#endif

#endif
