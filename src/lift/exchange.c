/* What lanes of a warp exchange. */
#include "lift/emit.h"

void lift_exchange(struct lift *lift, const struct sass_inst *inst) {
    (void)inst;
    lift_refuse(lift, "what it does is not known");
}
