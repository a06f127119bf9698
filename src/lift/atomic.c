/* Atomic operations on memory. */
#include "lift/emit.h"

void lift_atomic(struct lift *lift, const struct sass_inst *inst) {
    (void)inst;
    lift_refuse(lift, "what it does is not known");
}
