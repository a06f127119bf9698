/* Decoding instructions to micro-operations: one file for each kind of instruction. */
#ifndef WB_WARP_INTERPRET_DECODE_H
#define WB_WARP_INTERPRET_DECODE_H

#include "warp/interpret/decode_operand.h"

/* Decodes what is special about one kind of instruction. The instruction is one that the interpreter cannot
 * compute when op->execute is NULL afterwards. WB_ERR_LIMIT when memory is exhausted. */
wb_status decode_alu(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op);
wb_status decode_memory(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op);
wb_status decode_exchange(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op);
wb_status decode_control(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op);
wb_status decode_barrier(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op);

#endif
