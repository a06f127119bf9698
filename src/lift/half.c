/* Arithmetic on pairs of f16, and matrices. */
#include "lift/emit.h"

void lift_half(struct lift *lift, const struct sass_inst *inst) {
    (void)inst;
    lift_refuse(lift, "what it does is not known");
}
