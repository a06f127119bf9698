#include "launch/launch.h"

/* The `index`-th of them, be it there twice. */
static const wb_input *any_at(const struct sources *sources, size_t index) {
    if (sources->by_hand != NULL && index-- == 0) return sources->by_hand;
    if (sources->kernel != NULL && index-- == 0) return &sources->kernel->module->input;
    if (sources->code != NULL && index-- == 0) return sources->code;
    if (sources->launch != NULL) {
        if (index < sources->launch->file_count) return &sources->launch->files[index];
        index -= sources->launch->file_count;
    }
    for (size_t i = 0; sources->given != NULL && wb_launch_input(sources->given, i) != NULL; i++)
        if (index-- == 0) return wb_launch_input(sources->given, i);
    if (sources->facts != NULL && index-- == 0) return &sources->facts->input;
    return sources->machine != NULL ? wb_machine_input(sources->machine, index) : NULL;
}

/* Whether there is the same before it. */
static bool is_repeated(const struct sources *sources, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (input_equal(any_at(sources, i), any_at(sources, index))) return true;
    return false;
}

const wb_input *sources_at(const struct sources *sources, size_t index) {
    const wb_input *input;
    for (size_t i = 0; (input = any_at(sources, i)) != NULL; i++)
        if (!is_repeated(sources, i) && index-- == 0) return input;
    return NULL;
}
