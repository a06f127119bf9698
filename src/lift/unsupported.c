/* Instructions that are known by name, and not supported: why not. Kernels that reach one are refused. */
#include "lift/lift.h"

static void refuse(struct lift *lift, const char *reason) {
    lift_refuse(lift, lift_sm(lift) >= 100 ? "machine code of sm_100 and later is printed, but not analysed: "
                                             "compile for sm_75 to sm_90, or analyse the PTX"
                                           : reason);
}

#define UNSUPPORTED(family, reason)                                                                          \
    void lift_##family(struct lift *lift, const struct sass_inst *inst) {                                    \
        (void)inst;                                                                                          \
        refuse(lift, "not supported: " reason);                                                              \
    }

UNSUPPORTED(nothing, "what it does is not known")
UNSUPPORTED(gradient, "along gradients a filter may read many texels, for an unknown time")
UNSUPPORTED(surface_atomic, "atomics of surfaces wait for each other, for an unknown time")
UNSUPPORTED(mbarrier, "it is part of an mbarrier, of which waits take an unknown time")
UNSUPPORTED(bulk, "bulk copies and their fences (TMA) are not modelled")
UNSUPPORTED(cluster, "it waits for other blocks of a cluster, which are not modelled")
UNSUPPORTED(dependent, "launches that overlap (griddepcontrol) are not modelled")
UNSUPPORTED(warpgroup, "matrix operations in the background (wgmma) take an unknown time")
UNSUPPORTED(multicast, "memory of several GPUs (multimem) is not modelled")
