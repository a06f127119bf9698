/* Which kinds of machine instructions, opcodes with their modifiers, were executed, and with known values. */
#ifndef WB_TESTS_EXECUTED_CODE_H
#define WB_TESTS_EXECUTED_CODE_H

#include <stdbool.h>

#include "base/containers.h"
#include "sass/sass.h"
#include "warpbound.h"

/* All instructions that are written alike up to their operands. */
struct executed_kind {
    uint16_t op;
    bool executed; /* by some lane */
    bool known;    /* and what it wrote was known in some lane; of addresses, which buffer they point into */
};

/* Zero-initialised it is empty. */
struct executed_code {
    struct intern names;             /* "IADD3.X" to its number */
    VEC(struct executed_kind) kinds; /* by number */
};

/* Adds the kinds of all instructions of a module that its kernels can reach. */
void executed_code_add(struct executed_code *code, const wb_module *module);

/* Executes a grid, results that the PTX ISA leaves open being what is computed, and notes which of the
 * kernel's kinds were executed, up to where it ends with an error. A kernel of which all are known to be is
 * not executed again. One at a time. */
wb_status executed_code_run(struct executed_code *code, const wb_kernel *kernel, wb_launch *launch,
                            wb_diagnostics *diagnostics);

void executed_code_free(struct executed_code *code);

#endif
