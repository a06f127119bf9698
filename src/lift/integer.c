/* Arithmetic on integers, and its uniform twins. */
#include "lift/emit.h"

void lift_integer(struct lift *lift, const struct sass_inst *inst) {
    (void)inst;
    lift_refuse(lift, "what it does is not known");
}
