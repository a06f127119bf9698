/* The row of the opcode table that an instruction word belongs to. */
#ifndef WB_SASS_FIND_ROW_H
#define WB_SASS_FIND_ROW_H

#include "sass/row.h"

/* The row of the opcode in bits 0 to 11, or NULL. */
const struct sass_row *find_row(uint32_t generation, uint32_t opcode);

#endif
