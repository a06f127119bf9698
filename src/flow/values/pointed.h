/* What a kernel does with its parameters and the addresses that they pass, as far as it is plain to see: for
 * those who are to describe the buffers behind them. A hint: nothing that is proven rests on it. */
#ifndef WB_FLOW_VALUES_POINTED_H
#define WB_FLOW_VALUES_POINTED_H

#include "base/arena.h"
#include "ptx/ptx.h"

/* Of one parameter. */
struct pointed {
    bool is_address;      /* memory is accessed at it, or it is made an address of a state space */
    bool read, written;   /* in what the kernel itself executes, not in functions that it calls */
    enum ptx_type type;   /* of the elements accessed; PTX_TYPE_NONE: there are none, or of several types */
    enum ptx_type number; /* PTX_F32 or PTX_F64: the parameter itself is calculated with as such a number */
};

/* By parameter of the kernel; in memory of the arena, which is protected. */
struct pointed *pointed_find(const struct wb_kernel *kernel, struct arena *arena);

#endif
