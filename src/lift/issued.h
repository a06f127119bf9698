/* What stands for a machine instruction in times and reports: the number, the opcode class and the name of
 * the issued instruction of each group. */
#ifndef WB_LIFT_ISSUED_H
#define WB_LIFT_ISSUED_H

#include "ptx/ptx.h"
#include "sass/sass.h"

/* Numbers the issued instructions of all functions (ptx_number_issued), and gives each a form of its own with
 * the class that fits what the machine instruction does and its opcode as the listing has it. To be called
 * once, when the module is complete but for that. WB_ERR_LIMIT when memory is exhausted. */
wb_status lift_issued(struct wb_module *module);

/* The class whose times an instruction has under machines that state times by classes of PTX, given the form
 * of what stands for it: what accesses memory, synchronises or ends lanes has the class of that. */
enum ptx_class lift_class(const struct sass_inst *inst, const struct ptx_form *form);

#endif
