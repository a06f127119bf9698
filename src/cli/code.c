/* The code that commands work on: of a program, what the machine executes; and machine code at hand beside
 * PTX. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "values.h"

/* ---- Machines for code --------------------------------------------------------------------------------- */

/* The architecture that a machine's name ends with, such as that of ampere-sm80; 0: it states none. */
static uint32_t stated_architecture(const char *machine) {
    const char *dash = strrchr(machine, '-');
    uint64_t number;
    const bool states = dash != NULL && strncmp(dash, "-sm", 3) == 0 &&
                        read_number(dash + 3, strlen(dash + 3), 1, UINT16_MAX, &number);
    return states ? (uint32_t)number : 0;
}

/* Says so where machine code is not for the machine, or no machine was named for it. */
static void compare_architectures(const wb_module *module, const char *machine, bool is_named,
                                  wb_diagnostics *diagnostics) {
    const uint32_t code = wb_module_architecture(module), stated = stated_architecture(machine);
    if (code == 0 || (is_named && (stated == 0 || stated == code))) return;
    wb_diagnostics *discarded = wb_diagnostics_new(); /* that no preset is for it is said in the note */
    wb_machine *preset = NULL;
    const bool has_preset = discarded != NULL && wb_calibration_machine(code, discarded, &preset) == WB_OK;
    char note[400];
    (void)snprintf(note, sizeof note,
                   is_named
                       ? "this machine code is for sm_%u, but the machine %s has another architecture; %s%s"
                       : "this machine code is for sm_%u, but the default machine is %s; %s%s",
                   code, machine, has_preset ? "a preset that times it: -m " : "no preset times it",
                   has_preset ? wb_machine_name(preset) : "");
    wb_diagnostics_note(diagnostics, wb_module_input(module)->path, note);
    wb_machine_free(preset);
    wb_diagnostics_free(discarded);
}

/* A deadline is one of a board: none is taken where its user names none. */
static wb_status refuse_deadline(const wb_module *module, wb_diagnostics *diagnostics) {
    wb_diagnostics *discarded = wb_diagnostics_new();
    wb_machine *preset = NULL;
    char message[300];
    const uint32_t code = wb_module_architecture(module);
    const bool has_preset =
        code != 0 && discarded != NULL && wb_calibration_machine(code, discarded, &preset) == WB_OK;
    (void)snprintf(message, sizeof message,
                   "a deadline needs a machine: name one with -m%s%s (warpbound "
                   "machine list)",
                   has_preset ? ", such as -m " : "", has_preset ? wb_machine_name(preset) : "");
    wb_machine_free(preset);
    wb_diagnostics_free(discarded);
    return usage_error(diagnostics, message);
}

/* Holds the machine that was loaded against the code. */
static wb_status check_machine(const struct options *options, const char *usual, const struct inputs *inputs,
                               wb_diagnostics *diagnostics) {
    const bool is_named = options->machine != NULL || strcmp(usual, WB_MACHINE_USUAL) != 0;
    if (options->machine == NULL && options->deadline != NULL)
        return refuse_deadline(inputs->module, diagnostics);
    compare_architectures(inputs->module, wb_machine_name(inputs->machine), is_named, diagnostics);
    return WB_OK;
}

/* ---- Programs ------------------------------------------------------------------------------------------ */

/* Says what is expected in place of no file, or of several: a launch file is an easy mistake. */
static wb_status refuse_operands(const struct options *options, wb_diagnostics *diagnostics) {
    char message[200], many[40] = "";
    const char *last =
        options->operands.count > 0 ? options->operands.items[options->operands.count - 1] : "";
    if (options->operands.count > 1)
        (void)snprintf(many, sizeof many, ", but there are %zu", options->operands.count);
    (void)snprintf(message, sizeof message, "expected one PTX file, cubin or program%s (warpbound help %s)",
                   many, command_of(options->command)->name);
    if (wb_deadline_unit(last) != WB_UNIT_CYCLES || strcmp(last, "cycles") == 0)
        (void)snprintf(message, sizeof message,
                       "'%s' is a separate word: write a deadline and its unit as one word, --deadline 100us",
                       last);
    (void)usage_error(diagnostics, message);
    for (size_t i = 0; i < options->operands.count; i++) {
        const char *operand = options->operands.items[i];
        bool is_launch = false;
        if (!is_yaml_name(operand)) continue;
        const wb_status status = wb_is_launch_file(operand, diagnostics, &is_launch);
        if (status != WB_OK) return status;
        if (is_launch)
            wb_diagnostics_note(diagnostics, operand,
                                "give a launch file with --launch, or by itself if it names its code");
    }
    return WB_ERR_INPUT;
}

wb_status load_program(const struct options *options, wb_diagnostics *diagnostics, wb_program **program) {
    if (options->operands.count != 1) return refuse_operands(options, diagnostics);
    return wb_program_read(options->operands.items[0], diagnostics, program);
}

/* The first machine code of a file that may hold PTX, too, which can be taken; or NULL. */
static const wb_image *code_of(const wb_program *program) {
    const wb_image *image;
    if (!wb_program_is_container(program)) return NULL;
    for (size_t i = 0; (image = wb_program_image(program, i)) != NULL; i++)
        if (image->kind == WB_IMAGE_CODE && !image->relocatable) return image;
    return NULL;
}

/* Machine code that is there is not passed over for its PTX, and runs on a GPU that only the user knows. */
static wb_status require_machine(const struct options *options, const char *usual, const wb_program *program,
                                 wb_diagnostics *diagnostics) {
    const wb_image *code = code_of(program);
    char message[500];
    size_t count;
    const bool is_open = options->machine == NULL && options->image == NULL && code != NULL;
    if (!is_open || usual == NULL || strcmp(usual, WB_MACHINE_USUAL) != 0) return WB_OK;
    char *presets = wb_machine_presets_for(code->architecture, &count);
    (void)snprintf(message, sizeof message,
                   "which GPU executes its machine code (%s)? Name it with -m%s%s; --image compute takes PTX",
                   code->name, presets != NULL && count > 0 ? ": " : "", presets != NULL ? presets : "");
    free(presets);
    wb_diagnostics_error(diagnostics, options->operands.items[0], message);
    return WB_ERR_INPUT;
}

/* The machine code of --cubin, in place of the PTX that it was compiled from, for a machine that times it. */
static wb_status take_cubin(const struct options *options, const wb_machine *machine,
                            wb_diagnostics *diagnostics, wb_program **program) {
    const wb_image *first = wb_program_image(*program, 0);
    if (options->cubin == NULL || machine == NULL || wb_machine_takes_ptx(machine)) return WB_OK;
    if (!wb_program_is_container(*program) && first->kind == WB_IMAGE_CODE)
        return usage_error(diagnostics, "--cubin needs PTX, but the analysed code is machine code");
    wb_program_free(*program);
    *program = NULL;
    return wb_program_read(options->cubin, diagnostics, program);
}

/* Whether all machine code that can be taken is of one architecture, or one of them is. */
static bool has_code(const wb_program *program, uint32_t architecture, bool *all) {
    const wb_image *image;
    bool has = false;
    *all = true;
    for (size_t i = 0; (image = wb_program_image(program, i)) != NULL; i++) {
        if (image->kind != WB_IMAGE_CODE || image->relocatable) continue;
        has |= image->architecture == architecture;
        *all &= image->architecture == architecture;
    }
    return has;
}

/* The machine code in the file whose PTX is analysed, to be held against that. */
static wb_status take_code_beside(const struct options *options, const wb_program *program,
                                  wb_diagnostics *diagnostics, struct inputs *inputs) {
    const wb_image *code = code_of(program);
    const uint32_t stated = stated_architecture(wb_machine_name(inputs->machine));
    char name[24];
    bool all;
    if (options->command != COMMAND_ANALYZE || options->cubin != NULL || code == NULL ||
        wb_module_architecture(inputs->module) != 0)
        return WB_OK;
    const bool is_stated = stated != 0 && has_code(program, stated, &all);
    const uint32_t architecture = is_stated ? stated : code->architecture;
    if (!is_stated && has_code(program, architecture, &all) && !all) {
        wb_diagnostics_note(diagnostics, options->operands.items[0],
                            "its machine code is of several architectures: which one runs says a machine "
                            "that times it (-m)");
        return WB_OK;
    }
    (void)snprintf(name, sizeof name, "sm_%u", architecture);
    return wb_program_module(program, NULL, name, diagnostics, &inputs->code);
}

wb_status load_module(const struct options *options, const char *usual, wb_diagnostics *diagnostics,
                      struct inputs *inputs) {
    wb_program *program = NULL;
    wb_machine *of_launch = NULL; /* which says what code is meant */
    const char *name = options->machine != NULL ? options->machine : usual;
    wb_status status = load_program(options, diagnostics, &program);
    if (status == WB_OK) status = require_machine(options, usual, program, diagnostics);
    if (status == WB_OK && usual != NULL)
        status = load_machine(options, name, diagnostics, &inputs->machine);
    else if (status == WB_OK && name != NULL)
        status = wb_machine_load(name, diagnostics, &of_launch);
    const wb_machine *machine = usual != NULL ? inputs->machine : of_launch;
    if (status == WB_OK) status = take_cubin(options, machine, diagnostics, &program);
    if (status == WB_OK)
        status = compile_is_asked(options, machine)
                     ? compile_program(options, program, machine, diagnostics, &inputs->module)
                     : wb_program_module(program, machine, options->image, diagnostics, &inputs->module);
    if (status == WB_OK && usual != NULL) status = check_machine(options, usual, inputs, diagnostics);
    if (status == WB_OK && usual != NULL) status = take_code_beside(options, program, diagnostics, inputs);
    wb_machine_free(of_launch);
    wb_program_free(program);
    return status;
}

wb_status inputs_load_described(const struct options *options, wb_diagnostics *diagnostics,
                                struct inputs *inputs) {
    struct options described = *options;
    wb_program *program = NULL;
    char name[24];
    const bool is_file = options->operands.count == 1 && strcmp(options->operands.items[0], "-") != 0;
    if (options->machine == NULL && options->image == NULL && is_file) {
        const wb_status status = load_program(options, diagnostics, &program);
        if (status != WB_OK) return status;
        const wb_image *code = code_of(program);
        (void)snprintf(name, sizeof name, "%s", code != NULL ? code->name : "");
        if (code != NULL) described.image = name;
        wb_program_free(program);
    }
    return inputs_load_kernel(&described, diagnostics, inputs);
}
