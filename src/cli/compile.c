/* --compile: machine code that ptxas makes of PTX, in the place of a model of the PTX. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "ptxas.h"

bool compile_is_asked(const struct options *options, const wb_machine *machine) {
    if (options->compile) return true;
    /* A launch file may be for models of PTX, too. */
    return options->compile_of_launch && machine != NULL && wb_machine_architecture(machine) != 0;
}

static wb_status fail(const char *about, const char *message, wb_diagnostics *diagnostics) {
    wb_diagnostics_error(diagnostics, about, message);
    return WB_ERR_INPUT;
}

/* The PTX to compile: the only one, or the one that --image names. *index is SIZE_MAX where the program has
 * machine code for the architecture, which is as good. */
static wb_status find_text(const struct options *options, const wb_program *program, uint32_t sm,
                           wb_diagnostics *diagnostics, size_t *index) {
    const char *file = options->operands.items[0];
    const wb_image *image;
    bool has_text = false;
    *index = SIZE_MAX;
    for (size_t i = 0; (image = wb_program_image(program, i)) != NULL; i++) {
        if (image->relocatable) continue;
        if (image->kind == WB_IMAGE_CODE && image->architecture == sm && options->image == NULL) {
            *index = SIZE_MAX;
            return WB_OK;
        }
        if (image->kind != WB_IMAGE_PTX) continue;
        if (options->image != NULL && strcmp(options->image, image->name) != 0) continue;
        if (has_text)
            return fail(file,
                        "several texts of PTX could be compiled: name one with --image, or give it as a "
                        "file (warpbound print lists them)",
                        diagnostics);
        has_text = true;
        *index = i;
    }
    return has_text ? WB_OK : fail(file, "there is no PTX in this file to compile", diagnostics);
}

/* Says what was done, and names the code by it. */
static wb_status take_code(const char *file, const struct ptxas_code *code, wb_diagnostics *diagnostics,
                           wb_module **module) {
    char name[400], note[300];
    (void)snprintf(name, sizeof name, "%s %.250s", code->command, file);
    (void)snprintf(note, sizeof note, "compiled with %s: its machine code is what is looked at",
                   code->version);
    const wb_status status = wb_module_parse(name, code->bytes, code->size, diagnostics, module);
    if (status == WB_OK) wb_diagnostics_note(diagnostics, file, note);
    return status;
}

wb_status compile_program(const struct options *options, const wb_program *program, const wb_machine *machine,
                          wb_diagnostics *diagnostics, wb_module **module) {
    struct ptxas_code code = {0};
    const uint32_t sm = machine == NULL ? 0 : wb_machine_architecture(machine);
    const char *file = options->operands.items[0];
    size_t index, size;
    char *ptx = NULL;
    if (sm == 0)
        return fail("--compile",
                    "needs a machine that times machine code, such as -m jetson-agx-orin "
                    "(warpbound machine list)",
                    diagnostics);
    wb_status status = find_text(options, program, sm, diagnostics, &index);
    if (status != WB_OK) return status;
    if (index == SIZE_MAX) return wb_program_module(program, machine, options->image, diagnostics, module);
    status = wb_program_unpack(program, index, diagnostics, &ptx, &size);
    const struct ptxas_text text = {
        .ptx = ptx, .name = file, .without = "give machine code in place of PTX", .sm = sm};
    if (status == WB_OK && strlen(ptx) != size)
        status = fail(file, "a byte that is 0 ends the PTX before its end", diagnostics);
    if (status == WB_OK) status = ptxas_assemble(options->ptxas, &text, diagnostics, &code);
    if (status == WB_OK) status = take_code(file, &code, diagnostics, module);
    free(code.bytes);
    free(ptx);
    return status;
}
