/* Which code of a program a machine executes. */
#include "lift/lift.h"
#include "machine/machine.h"

wb_status wb_program_module(const wb_program *program, const wb_machine *machine, const char *image,
                            wb_diagnostics *diagnostics, wb_module **module) {
    struct program_wish wish = {.image = image};
    if (machine != NULL) wish.machine = machine->name;
    if (machine != NULL && !wb_machine_takes_ptx(machine)) wish.sm = machine->sass.sm;
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
