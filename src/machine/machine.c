#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/suggest.h"
#include "base/yaml.h"
#include "machine/keys.h"
#include "machine/presets.h"
#include "machine/schema.h"

/* Most presets that suggestions look at. */
#define SUGGEST_PRESETS_MAX 64

/* Neither a preset nor a file: says which presets there are and which one was probably meant. */
static wb_status unknown_machine(const char *name, wb_diagnostics *diagnostics) {
    const char *names[SUGGEST_PRESETS_MAX];
    size_t count = 0;
    struct text list = {0};
    for (; count < SUGGEST_PRESETS_MAX && embedded_presets[count].name != NULL; count++) {
        names[count] = embedded_presets[count].name;
        text_printf(&list, "%s%s", count == 0 ? "" : ", ", names[count]);
    }
    const char *nearest = suggest_nearest(name, names, count);
    if (nearest != NULL) text_printf(&list, "; did you mean '%s'?", nearest);
    diagnose(diagnostics, SEVERITY_ERROR, name, "no such file and no preset of that name; presets: %s",
             list.failed || list.data == NULL ? "none" : list.data);
    text_free(&list);
    return WB_ERR_INPUT;
}

wb_status wb_machine_load(const char *name_or_path, wb_diagnostics *diagnostics, wb_machine **machine) {
    const struct embedded_file *preset = preset_find(name_or_path);
    if (preset != NULL) return machine_parse(preset->name, preset->text, preset->size, diagnostics, machine);
    if (strcmp(name_or_path, FILE_STREAM) != 0 && access(name_or_path, F_OK) != 0)
        return unknown_machine(name_or_path, diagnostics);
    char *text;
    size_t size;
    WB_TRY(file_read(name_or_path, YTREE_SIZE_MAX, diagnostics, &text, &size));
    wb_status status = machine_parse(name_or_path, text, size, diagnostics, machine);
    free(text);
    return status;
}

void wb_machine_free(wb_machine *machine) {
    free(machine);
}

const char *wb_machine_name(const wb_machine *machine) {
    return machine->name;
}

bool wb_machine_takes_grids(const wb_machine *machine) {
    return machine->model == MACHINE_PLAIN;
}

uint32_t wb_machine_warp_width(const wb_machine *machine) {
    return machine->warp_width;
}

bool wb_machine_needs_accesses(const wb_machine *machine) {
    return machine->model == MACHINE_GPGPUSIM || machine->memory.requests != REQUESTS_IDEAL;
}
