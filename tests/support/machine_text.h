/* Kernels of machine code as a text: PTX, and the instructions by which lanes of machine code meet:
 *
 *     bssy N, LABEL;  bsync N;  break N;  warpsync MASK;  bmov.get %r, N;  bmov.set N, %r;
 *     divided %p, MASK;  idle;
 *
 * N: 0 .. 15, of a set of lanes. MASK: a literal or a register. */
#ifndef WB_TESTS_MACHINE_TEXT_H
#define WB_TESTS_MACHINE_TEXT_H

#include "ptx/ptx.h"

/* The module of a text that is right; its kernels are machine code of 32 registers a thread. Ends the test
 * where it is not. */
wb_module *machine_text_parse(const char *text);

#endif
