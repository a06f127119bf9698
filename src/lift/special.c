/* Special registers and constants by LDC and ULDC. */
#include "lift/emit.h"

void lift_special(struct lift *lift, const struct sass_inst *inst) {
    (void)inst;
    lift_refuse(lift, "what it does is not known");
}
