/* What the wing adds to the library: the simulator of its model, and its files by what is in them. */
#include "base/wing.h"

#include "machine/machine.h"
#include "wings/gpgpusim/gpgpusim.h"

extern const struct wing wing_gpgpusim; /* which the build lists */

const struct wing wing_gpgpusim = {
    .model = MACHINE_GPGPUSIM,
    .simulate = gpgpusim_simulate,
    .file_line = "-gpgpu_",
    .file_name = "a configuration of GPGPU-Sim",
    .file_remedy = "to convert it to a machine: warpbound machine import %s > machine.yaml",
};
