/* The machines that the library brings with it: the files of machines/. */
#ifndef WB_MACHINE_PRESETS_H
#define WB_MACHINE_PRESETS_H

#include "base/embedded.h"

/* The preset of that name, or NULL. */
const struct embedded_file *preset_find(const char *name);

#endif
