/* Decoding operands to slots and addresses: what all kinds of instructions share. */
#ifndef WB_WARP_INTERPRET_DECODE_OPERAND_H
#define WB_WARP_INTERPRET_DECODE_OPERAND_H

#include "warp/interpret/program.h"

/* What is being decoded. */
struct decoder {
    struct program *program;
    struct function_code *code;
    const uint32_t *reconvergence; /* per instruction */
    wb_diagnostics *diagnostics;
};

/* The slot of a source of the given type. *known is false when the operand cannot be such a source.
 * WB_ERR_LIMIT, here and below, when memory is exhausted. */
wb_status decode_source(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                        struct slot *slot, bool *known);

/* The base, offset and width of an address operand in a state space. */
wb_status decode_address(struct decoder *decoder, const struct ptx_operand *operand, uint8_t space,
                         struct micro_address *address, bool *known);

/* The slots of the elements of a vector, or of a single operand; sources of the given type. */
wb_status decode_elements(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                          struct slot **elements, uint8_t *count, bool *known);

/* Bytes of the register behind a slot of the frame. */
uint32_t decode_register_bytes(const struct decoder *decoder, struct slot slot);

/* Operands by role: the n-th of the sources (roles s and o), or NULL. */
const struct ptx_operand *decode_nth_source(const struct ptx_form *form, const struct ptx_operand *operands,
                                            uint32_t n);

/* The n-th operand of role `role`, or NULL. */
const struct ptx_operand *decode_role(const struct ptx_form *form, const struct ptx_operand *operands,
                                      char role, uint32_t n);

#endif
