/* Where control goes. */
#include "lift/emit.h"

void lift_control(struct lift *lift, const struct sass_inst *inst) {
    (void)inst;
    lift_refuse(lift, "what it does is not known");
}
