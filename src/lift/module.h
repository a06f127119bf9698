/* Modules of machine code. */
#ifndef WB_LIFT_MODULE_H
#define WB_LIFT_MODULE_H

#include "base/diagnostics.h"
#include "base/status.h"

/* Makes a module of a cubin file's `size` bytes: each kernel is a function of PTX instructions that mean what
 * its machine instructions do. What is no cubin, or a damaged one, is WB_ERR_INPUT with one message; a kernel
 * with instructions that are not known is refused when it is used. */
wb_status lift_module(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                      wb_module **out);

#endif
