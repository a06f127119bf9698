/* Arithmetic on f32, approximate functions, and what ptxas makes of them. */
#include "lift/emit.h"

void lift_float(struct lift *lift, const struct sass_inst *inst) {
    (void)inst;
    lift_refuse(lift, "what it does is not known");
}
