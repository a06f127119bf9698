/* Barriers of blocks, fences, waits for copies. */
#include "lift/emit.h"

void lift_barrier(struct lift *lift, const struct sass_inst *inst) {
    (void)inst;
    lift_refuse(lift, "what it does is not known");
}
