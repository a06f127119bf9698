/* What all machine files have in common that a calibration writes. */
#ifndef WB_CALIBRATE_CALIBRATE_H
#define WB_CALIBRATE_CALIBRATE_H

#include "machine/machine.h"

/* WB_ERR_INPUT with a message unless the machine is a preset that times machine code of exactly that
 * architecture, which `what` is of: "the machine code is for". */
wb_status calibrate_require(const struct wb_machine *machine, uint32_t sm, const char *what,
                            wb_diagnostics *diagnostics);

/* A name from outside in one line of printable characters. */
void calibrate_put_printable(const char *name, char *line, size_t size);

#endif
