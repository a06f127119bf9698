/* Logic, shifts, selections, moves, predicates. */
#include "lift/emit.h"

void lift_logic(struct lift *lift, const struct sass_inst *inst) {
    (void)inst;
    lift_refuse(lift, "what it does is not known");
}
