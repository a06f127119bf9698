/* A cubin as a module, like that of PTX. */
#ifndef WB_LIFT_MODULE_H
#define WB_LIFT_MODULE_H

#include "warpbound.h"

/* Reads `size` bytes of an ELF file, which are copied, and lifts all kernels in it. Its input has the role
 * WB_INPUT_CUBIN; its text, owned by the module as that of PTX is, is the listing of its instructions. */
wb_status lift_module(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                      wb_module **module);

#endif
