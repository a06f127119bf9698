#ifndef WARPBOUND_GPGPUSIM_H
#define WARPBOUND_GPGPUSIM_H

#include "warpbound.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- GPGPU-Sim ----------------------------------------------------------------------------------------- */

/* Reads a gpgpusim.config: what it says of one SM becomes a machine of this model. */
wb_status wb_machine_import(const char *path, wb_diagnostics *diagnostics, wb_machine **machine);

#ifdef __cplusplus
}
#endif

#endif
