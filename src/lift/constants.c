/* Constants: launch data, parameters, the module's constants, addresses of its variables. What is not in the
 * file is loaded once, at the beginning of the function: constants do not change while a kernel runs. */
#include "lift/emit.h"
#include "lift/state.h"

struct ptx_operand lift_constant(struct lift *lift, uint32_t bank, uint32_t offset, uint32_t bytes) {
    (void)bank;
    (void)offset;
    (void)bytes;
    lift_refuse(lift, "a constant that is not known");
    return lift_int(0);
}

bool lift_constant_place(struct lift *lift, uint32_t bank, uint32_t offset, struct ptx_operand *variable,
                         uint64_t *within) {
    (void)bank;
    (void)offset;
    *variable = lift_none();
    *within = 0;
    lift_refuse(lift, "a constant that is not known");
    return false;
}
