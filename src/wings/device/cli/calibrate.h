/* warpbound machine calibrate --gpu. */
#ifndef WB_WINGS_DEVICE_CLI_CALIBRATE_H
#define WB_WINGS_DEVICE_CLI_CALIBRATE_H

#include "command.h"

int calibrate_gpu(const struct options *options, wb_diagnostics *diagnostics);

#endif
