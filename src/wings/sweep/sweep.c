#include "wings/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

const char *sweep_path(const char *folder, const char *path, struct arena *arena) {
    struct text joined = {.arena = arena};
    if (path[0] != '/' && strcmp(folder, ".") != 0) text_printf(&joined, "%s/", folder);
    text_string(&joined, path);
    return text_take(&joined);
}

const struct sweep_axis *sweep_find_axis(const struct sweep_product *product, const char *name) {
    for (size_t i = 0; i < product->axes.count; i++)
        if (strcmp(product->axes.items[i].name, name) == 0) return &product->axes.items[i];
    return NULL;
}

const struct sweep_axis *sweep_subject(const struct sweep_product *product) {
    for (size_t i = 0; i < product->axes.count; i++)
        if (product->axes.items[i].row->option == NULL) return &product->axes.items[i];
    return NULL;
}

void sweep_forget_errors(wb_sweep *sweep) {
    diagnostics_clear(&sweep->discarded);
    sweep->discarded = (struct wb_diagnostics){0};
}

void sweep_unload_machine(wb_sweep *sweep) {
    wb_machine_free(sweep->machine);
    sweep->machine = NULL;
    sweep_forget_errors(sweep);
}

wb_status sweep_load_machine(wb_sweep *sweep, const char *path) {
    sweep_unload_machine(sweep);
    return wb_machine_load(path, &sweep->discarded, &sweep->machine);
}

wb_status sweep_set_machine(wb_sweep *sweep, const char *setting) {
    sweep_forget_errors(sweep);
    return wb_machine_set(sweep->machine, setting, &sweep->discarded);
}

const char *sweep_discarded_error(wb_sweep *sweep) {
    size_t length;
    const char *error = diagnostics_first_error(&sweep->discarded, &length);
    return arena_string(&sweep->arena, error, length);
}

void wb_sweep_limit_memory(wb_sweep *sweep, uint64_t bytes) {
    if (sweep->memory_limit == 0) sweep->memory_limit = bytes;
}

void wb_sweep_limit_time(wb_sweep *sweep, double seconds) {
    if (sweep->time_limit <= 0) sweep->time_limit = seconds;
}

void wb_sweep_free(wb_sweep *sweep) {
    if (sweep == NULL) return;
    ytree_free(&sweep->document);
    arena_free(&sweep->arena);
    free(sweep->text);
    free(sweep);
}
