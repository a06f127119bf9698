#include "warp/interpret/decode_operand.h"

#include "warp/interpret/address.h"

const struct ptx_operand *decode_role(const struct ptx_form *form, const struct ptx_operand *operands,
                                      char role, uint32_t n) {
    for (uint32_t i = 0; form->roles[i] != '\0'; i++)
        if (form->roles[i] == role && n-- == 0) return &operands[i];
    return NULL;
}

const struct ptx_operand *decode_nth_source(const struct ptx_form *form, const struct ptx_operand *operands,
                                            uint32_t n) {
    for (uint32_t i = 0; form->roles[i] != '\0'; i++)
        if ((form->roles[i] == 's' || form->roles[i] == 'o') && n-- == 0) return &operands[i];
    return NULL;
}

uint32_t decode_register_bytes(const struct decoder *decoder, struct slot slot) {
    const struct ptx_function *function = decoder->code->function;
    if (slot.bank != BANK_FRAME || slot.index >= function->reg_count) return 8;
    return ptx_type_bytes(function->groups[function->reg_group[slot.index]].type);
}

/* The bits of a literal as an operand of the type: decimal literals in f32 instructions are doubles. */
static uint64_t literal_bits(const struct ptx_operand *operand, enum ptx_type type) {
    uint32_t bytes = ptx_type_bytes(type);
    bool is_float = ptx_type_kind(type) == PTX_KIND_FLOAT;
    if (type == PTX_PRED) return operand->value != 0 ? LANES_ALL : 0;
    if (operand->kind == PTX_OPERAND_F64 && is_float && bytes == 4)
        return float_bits((float)double_of(operand->value));
    if (operand->kind == PTX_OPERAND_F32 && bytes == 8 && is_float)
        return double_bits((double)float_of(operand->value));
    return operand->value & low_bytes_mask(bytes);
}

/* The address of a variable as an operand has it; false for one that depends on the frame. */
static bool constant_address(const struct decoder *decoder, const struct ptx_operand *operand,
                             uint64_t *address) {
    const struct wb_module *module = decoder->program->module;
    if (program_in_frame(module, &module->variables[operand->index])) return false;
    *address = decoder->program->addresses[operand->index] + operand->value;
    return true;
}

/* The home of a variable's address: itself in global memory. */
static uint64_t home_of(const struct decoder *decoder, uint32_t variable) {
    bool global = decoder->program->module->variables[variable].space == PTX_SPACE_GLOBAL;
    return global ? decoder->program->addresses[variable] : 0;
}

wb_status decode_source(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                        struct slot *slot, bool *known) {
    uint64_t address = 0;
    switch (operand->kind) {
    case PTX_OPERAND_REG: *slot = (struct slot){operand->index, BANK_FRAME, operand->negated}; return WB_OK;
    case PTX_OPERAND_INT:
    case PTX_OPERAND_F32:
    case PTX_OPERAND_F64:
        WB_TRY(program_constant(decoder->program, literal_bits(operand, type), slot));
        break;
    case PTX_OPERAND_SREG: return program_special(decoder->program, operand->index, slot);
    case PTX_OPERAND_FUNCTION:
        address = FUNCTION_WINDOW + ptx_callee(decoder->program->module, operand->index) * FUNCTION_STEP;
        return program_constant(decoder->program, address, slot);
    case PTX_OPERAND_VARIABLE:
        if (constant_address(decoder, operand, &address))
            return program_address(decoder->program, address, home_of(decoder, operand->index), slot);
        *known = false;
        return WB_OK;
    case PTX_OPERAND_SINK:
        *slot = (struct slot){.index = decoder->code->function->reg_count + SLOT_SINK, .bank = BANK_FRAME};
        return WB_OK;
    case PTX_OPERAND_NONE: return program_constant(decoder->program, 0, slot);
    default: *known = false; return WB_OK;
    }
    slot->negated = operand->negated;
    return WB_OK;
}

wb_status decode_address(struct decoder *decoder, const struct ptx_operand *operand, uint8_t space,
                         struct micro_address *address, bool *known) {
    if (operand->kind != PTX_OPERAND_ADDRESS) {
        *known = false;
        return WB_OK;
    }
    const struct wb_module *module = decoder->program->module;
    const struct ptx_function *function = decoder->code->function;
    const struct ptx_operand *pointer = &function->operands[operand->index];
    *address = (struct micro_address){.offset = operand->value, .mask = UINT64_MAX, .space = space};
    if (pointer->kind == PTX_OPERAND_VARIABLE &&
        program_in_frame(module, &module->variables[pointer->index])) {
        bool is_param = module->variables[pointer->index].space == PTX_SPACE_PARAM;
        uint64_t at = decoder->program->addresses[pointer->index] + pointer->value;
        decoder->code->uses_local = true;
        address->base = (struct slot){.index = function->reg_count + SLOT_LOCAL_BASE, .bank = BANK_FRAME};
        address->offset += at + (is_param ? LOCAL_WINDOW : 0);
        return WB_OK;
    }
    WB_TRY(decode_source(decoder, pointer, PTX_U64, &address->base, known));
    if (pointer->kind == PTX_OPERAND_REG)
        address->mask = low_bytes_mask(decode_register_bytes(decoder, address->base));
    return WB_OK;
}

wb_status decode_elements(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                          struct slot **elements, uint8_t *count, bool *known) {
    bool is_vector = operand->kind == PTX_OPERAND_VECTOR;
    uint32_t size = is_vector ? operand->count : 1;
    if (size > UINT8_MAX) {
        *known = false;
        return WB_OK;
    }
    *elements = arena_array(decoder->program->arena, size, sizeof **elements);
    if (*elements == NULL) return WB_ERR_LIMIT;
    *count = (uint8_t)size;
    for (uint32_t i = 0; i < size; i++) {
        const struct ptx_operand *element =
            is_vector ? &decoder->code->function->operands[operand->index + i] : operand;
        WB_TRY(decode_source(decoder, element, type, &(*elements)[i], known));
    }
    return WB_OK;
}
