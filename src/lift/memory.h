/* Addresses of accesses to memory, as operands of PTX instructions. */
#ifndef WB_LIFT_MEMORY_H
#define WB_LIFT_MEMORY_H

#include "lift/emit.h"

/* Of global memory, or generic: 64 bits. */
struct ptx_operand lift_wide_address(struct lift *lift, const struct sass_address *address);

/* Of shared or local memory: 32 bits. */
struct ptx_operand lift_narrow_address(struct lift *lift, const struct sass_address *address);

#endif
