/* What a certificate is of: files by their SHA-256, kernel, launch and block, and how blocks are scheduled.
 */
#include "report/certificate/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launch.h"

/* A line of its own: no bytes but those that are printed, and no comment. */
static void put_text(struct text *out, const char *key, const char *said) {
    text_printf(out, "of %s ", key);
    for (; *said != '\0'; said++)
        text_char(out, *said >= ' ' && *said <= '~' && *said != '#' ? *said : '?');
    text_char(out, '\n');
}

/* The files of one part; `none` where it needs one and there is none. */
static void put_files(struct text *out, const struct sources *sources, const char *part, uint32_t roles,
                      bool needed) {
    const wb_input *input;
    bool found = false;
    for (size_t i = 0; (input = sources_at(sources, i)) != NULL; i++) {
        if ((roles >> input->role & 1) == 0) continue;
        text_printf(out, "of %s %s # ", part, input->sha256);
        text_printable(out, input->path, strlen(input->path));
        text_char(out, '\n');
        found = true;
    }
    if (needed && !found) text_printf(out, "of %s none\n", part);
}

/* The machine as `machine show` prints it: a preset with all settings. */
static wb_status put_machine(struct text *out, const struct wb_machine *machine,
                             wb_diagnostics *diagnostics) {
    char *text;
    WB_TRY(wb_machine_print(machine_as_stated(machine), diagnostics, &text));
    const wb_input input = input_of(WB_INPUT_MACHINE, machine->name, text, strlen(text));
    text_printf(out, "of machine %s # ", input.sha256);
    text_printable(out, machine->name, strlen(machine->name));
    text_char(out, '\n');
    free(text);
    return WB_OK;
}

/* Three numbers, or what stands in their place. */
static void put_numbers(struct text *out, const char *key, const uint32_t *numbers, const char *none) {
    if (numbers == NULL)
        text_printf(out, "of %s %s\n", key, none);
    else
        text_printf(out, "of %s %u %u %u\n", key, numbers[0], numbers[1], numbers[2]);
}

/* What the launch file says is in that; the rest is said here. */
static void put_launch(struct text *out, const struct launch_inputs *inputs) {
    put_text(out, "inputs",
             inputs->trace != NULL  ? "traced"
             : inputs->any_contents ? "any"
             : inputs->with_zeros   ? "given, zeros"
                                    : "given");
    for (size_t i = 0; inputs->file == NULL && i < inputs->argument_count; i++)
        put_text(out, "argument", inputs->arguments[i]);
    for (size_t i = 0; i < inputs->variable_count; i++)
        put_text(out, "variable", inputs->contents[i]);
    for (int what = 0; what < LAUNCH_ASSUMPTIONS; what++)
        if ((inputs->assumptions >> what & 1) != 0)
            put_text(out, "assume", launch_assumption_name((enum launch_assumption)what));
}

static const char *dispatch_of(const wb_analysis *analysis) {
    if (analysis->kind == SUBJECT_CACHED_GRID) return "fixed";
    if (analysis->kind != SUBJECT_KERNEL) return "none";
    return grid_work_is_dynamic(&analysis->work) ? "any" : "fixed";
}

/* Every one that keeps no slot empty, unless a scheme says in which order warps issue or access memory. */
static const char *policy_of(const wb_analysis *analysis) {
    if (analysis->scheme != gpu_scheme_at(0)) return analysis->scheme->name;
    return analysis->machine->policy == MACHINE_POLICY_OLDEST ? "oldest" : "any";
}

wb_status subject_part_put(struct text *out, const wb_analysis *analysis, wb_diagnostics *diagnostics) {
    const struct sources sources = analysis_sources(analysis);
    const struct wb_block *block = analysis->block;
    const struct wb_grid *grid = block == NULL ? analysis->grid_times.grid : NULL;
    const bool is_kernel = analysis->kind == SUBJECT_KERNEL || analysis->kind == SUBJECT_CACHED_GRID;
    const uint32_t *dimensions = NULL, *size = NULL, *index = NULL;
    uint32_t width = 0;
    if (block != NULL) dimensions = block->grid, size = block->size, index = block->index;
    if (block != NULL) width = block->warp_width;
    if (grid != NULL && grid->kernel != NULL) dimensions = grid->dimensions, size = grid->block_size;
    if (grid != NULL && grid->kernel != NULL) index = grid->first_index, width = grid->warp_width;
    put_text(out, "kernel", sources.kernel == NULL ? "none" : wb_kernel_name(sources.kernel));
    put_numbers(out, "grid", dimensions, "none");
    if (size != NULL)
        text_printf(out, "of threads %u %u %u %u\n", size[0], size[1], size[2], width);
    else
        text_string(out, "of threads none\n");
    put_numbers(out, "block", is_kernel ? NULL : index, is_kernel ? "all" : "one");
    text_printf(out, "of policy %s\n", policy_of(analysis));
    text_printf(out, "of dispatch %s\n", dispatch_of(analysis));
    if (dimensions != NULL)
        text_printf(out, "of shared %" PRIu64 "\n", block != NULL ? block->shared_bytes : grid->shared_bytes);
    if (sources.launch != NULL)
        put_launch(out, sources.launch);
    else
        text_string(out, "of inputs none\n");
    put_files(out, &sources, "code",
              1u << WB_INPUT_PTX | 1u << WB_INPUT_CUBIN | 1u << WB_INPUT_PROGRAM | 1u << WB_INPUT_BY_HAND,
              true);
    put_files(out, &sources, "launch", 1u << WB_INPUT_LAUNCH, true);
    put_files(out, &sources, "facts", 1u << WB_INPUT_FACTS, true);
    put_files(out, &sources, "other", 1u << WB_INPUT_DATA | 1u << WB_INPUT_PTXAS, false);
    return put_machine(out, analysis->machine, diagnostics);
}
