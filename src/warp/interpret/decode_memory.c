/* Decoding accesses to memory. */
#include "warp/interpret/decode.h"
#include "warp/interpret/execute.h"

/* Whether a load may read an address of global memory. In modules with addresses of 32 bits these are only
 * looked for among parameters: other words are numbers too often. */
static bool may_be_address(const struct wb_module *module, const struct ptx_form *form) {
    uint32_t bytes = ptx_type_bytes((enum ptx_type)form->type);
    if (ptx_type_kind((enum ptx_type)form->type) == PTX_KIND_FLOAT) return false;
    return module->address_size == 32 ? bytes == 4 && form->space == PTX_SPACE_PARAM : bytes == 8;
}

/* ld, ldu, st: the values are registers or a vector of them. */
static wb_status decode_access(struct decoder *decoder, const struct ptx_operand *operands,
                               struct micro *op) {
    bool is_store = op->form->op == PTX_OP_ST, known = true;
    enum ptx_type type = (enum ptx_type)op->form->type;
    struct micro_memory *memory = &op->memory;
    const struct ptx_operand *address = decode_role(op->form, operands, 'm', 0);
    const struct ptx_operand *value =
        is_store ? decode_nth_source(op->form, operands, 0) : decode_role(op->form, operands, 'd', 0);
    memory->bytes = (uint8_t)ptx_type_bytes(type);
    memory->is_signed = ptx_type_kind(type) == PTX_KIND_SIGNED;
    if (memory->bytes == 0 || memory->bytes > 8) return WB_OK;
    WB_TRY(decode_address(decoder, address, op->form->space, &memory->address, &known));
    WB_TRY(decode_elements(decoder, value, type, &memory->values, &memory->count, &known));
    memory->uniform = memory->address.base.bank == BANK_CONSTANT;
    memory->is_strong = op->form->relaxed || op->form->ordered || op->form->is_volatile;
    memory->may_be_address = may_be_address(decoder->program->module, op->form);
    if (!known) return WB_OK;
    op->execute = is_store ? store_execute : load_execute;
    op->unsure = is_store ? unsure_store : unsure_outputs;
    return WB_OK;
}

/* Whether atomics.c computes the form: of floats only f32 and f64, and of vectors none. */
static bool is_computed_atomic(const struct ptx_form *form) {
    uint32_t bytes = ptx_type_bytes((enum ptx_type)form->type);
    bool is_float = ptx_type_kind((enum ptx_type)form->type) == PTX_KIND_FLOAT;
    if (form->vector != 1 || bytes > 8 || form->mode == PTX_MODE_NONE) return false;
    if (is_float) return (form->type == PTX_F32 || form->type == PTX_F64) && form->mode == PTX_MODE_ADD;
    return bytes >= 4 || (bytes == 2 && form->mode == PTX_MODE_CAS);
}

/* atom, red: operands in sources 0 and 1. */
static wb_status decode_atomic(struct decoder *decoder, const struct ptx_operand *operands,
                               struct micro *op) {
    bool known = true;
    enum ptx_type type = (enum ptx_type)op->form->type;
    struct micro_memory *memory = &op->memory;
    memory->bytes = (uint8_t)ptx_type_bytes(type);
    memory->count = 1;
    WB_TRY(decode_address(decoder, decode_role(op->form, operands, 'm', 0), op->form->space, &memory->address,
                          &known));
    if (!known || !is_computed_atomic(op->form)) return WB_OK;
    for (uint32_t n = 0; n < 2; n++) {
        const struct ptx_operand *operand = decode_nth_source(op->form, operands, n);
        if (operand == NULL || operand->kind == PTX_OPERAND_NONE) continue;
        if (operand->kind == PTX_OPERAND_VECTOR) return WB_OK;
        WB_TRY(decode_source(decoder, operand, type, &op->source[n], &known));
    }
    struct ptx_operand sink = {.kind = PTX_OPERAND_SINK};
    const struct ptx_operand *to = decode_role(op->form, operands, 'd', 0);
    WB_TRY(decode_source(decoder, to != NULL ? to : &sink, type, &op->destination, &known));
    if (!known) return WB_OK;
    op->execute = atomic_execute;
    op->unsure = unsure_store;
    return WB_OK;
}

/* cp.async: the bytes of the source, or the predicate that makes it ignored, in source 0. */
static wb_status decode_copy(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    bool known = true;
    struct micro_memory *memory = &op->memory;
    const struct ptx_operand *size = decode_nth_source(op->form, operands, 0);
    const struct ptx_operand *used = decode_nth_source(op->form, operands, 1);
    if (size == NULL || size->kind != PTX_OPERAND_INT ||
        (size->value != 4 && size->value != 8 && size->value != 16))
        return WB_OK;
    memory->bytes = (uint8_t)size->value;
    memory->count = 1;
    WB_TRY(decode_address(decoder, decode_role(op->form, operands, 'm', 0), op->form->space, &memory->address,
                          &known));
    WB_TRY(decode_address(decoder, decode_role(op->form, operands, 'm', 1), op->form->space_from,
                          &memory->from, &known));
    const struct ptx_function *function = decoder->code->function;
    bool absent = used == NULL || used->kind == PTX_OPERAND_NONE;
    op->immediate = !absent && used->kind == PTX_OPERAND_REG &&
                    function->groups[function->reg_group[used->index]].type == PTX_PRED;
    WB_TRY(decode_source(decoder, absent ? size : used, PTX_U32, &op->source[0], &known));
    if (!known) return WB_OK;
    op->execute = copy_execute;
    op->unsure = unsure_store;
    return WB_OK;
}

/* ldmatrix of 8x8 matrices of 16-bit elements. */
static wb_status decode_ldmatrix(struct decoder *decoder, const struct ptx_operand *operands,
                                 struct micro *op) {
    bool known = true;
    struct micro_memory *memory = &op->memory;
    if (op->form->type != PTX_B16 || op->form->type2 != PTX_B16) return WB_OK;
    memory->bytes = 16;
    WB_TRY(decode_address(decoder, decode_role(op->form, operands, 'm', 0), op->form->space, &memory->address,
                          &known));
    WB_TRY(decode_elements(decoder, decode_role(op->form, operands, 'd', 0), PTX_B32, &memory->values,
                           &memory->count, &known));
    if (!known || (memory->count != 1 && memory->count != 2 && memory->count != 4)) return WB_OK;
    op->execute = ldmatrix_execute;
    op->unrecorded = opaque_execute;
    op->unsure = unsure_exchange;
    return WB_OK;
}

wb_status decode_memory(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    switch (op->form->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST: return decode_access(decoder, operands, op);
    case PTX_OP_ATOM:
    case PTX_OP_RED: return decode_atomic(decoder, operands, op);
    case PTX_OP_CP_ASYNC: return decode_copy(decoder, operands, op);
    case PTX_OP_LDMATRIX: return decode_ldmatrix(decoder, operands, op);
    default: return WB_OK;
    }
}
