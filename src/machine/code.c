/* Which code of a program a machine executes. */
#include "lift/lift.h"
#include "machine/machine.h"

uint32_t wb_machine_architecture(const wb_machine *machine) {
    return wb_machine_takes_ptx(machine) ? 0 : machine->sass.sm;
}

wb_status wb_program_module(const wb_program *program, const wb_machine *machine, const char *image,
                            wb_diagnostics *diagnostics, wb_module **module) {
    struct program_wish wish = {.image = image};
    if (machine != NULL) wish.machine = machine->name;
    if (machine != NULL) wish.sm = wb_machine_architecture(machine);
    return program_module(program, &wish, diagnostics, module);
}

wb_status wb_module_read_for(const char *path, const wb_machine *machine, const char *image,
                             wb_diagnostics *diagnostics, wb_module **module) {
    wb_program *program = NULL;
    WB_TRY(wb_program_read(path, diagnostics, &program));
    const wb_status status = wb_program_module(program, machine, image, diagnostics, module);
    wb_program_free(program);
    return status;
}
