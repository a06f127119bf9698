#include "machine/presets.h"

#include <string.h>

#include "warpbound.h"

size_t wb_machine_preset_count(void) {
    size_t count = 0;
    while (embedded_presets[count].name != NULL)
        count++;
    return count;
}

const char *wb_machine_preset_name(size_t index) {
    return index < wb_machine_preset_count() ? embedded_presets[index].name : NULL;
}

const struct embedded_file *preset_find(const char *name) {
    for (const struct embedded_file *preset = embedded_presets; preset->name != NULL; preset++)
        if (strcmp(preset->name, name) == 0) return preset;
    return NULL;
}
