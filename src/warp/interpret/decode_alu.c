/* Decoding what each lane computes by itself. */
#include "warp/alu/alu.h"
#include "warp/interpret/address.h"
#include "warp/interpret/decode.h"
#include "warp/interpret/execute.h"
#include "warp/interpret/open_result.h"

/* The type twice as wide, for the addend of mad.wide. */
static enum ptx_type widened(enum ptx_type type) {
    return ptx_type_bytes(type) == 2 ? PTX_U32 : PTX_U64;
}

/* The type that source `n` of the instruction has, as far as it matters for literals. */
static enum ptx_type source_type(const struct ptx_form *form, uint32_t n) {
    enum ptx_type type = (enum ptx_type)form->type;
    switch (form->op) {
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_BFE: return n == 0 ? type : PTX_U32;
    case PTX_OP_BFI: return n < 2 ? type : PTX_U32;
    case PTX_OP_LOP3: return n < 4 ? PTX_B32 : PTX_PRED;
    case PTX_OP_SELP:
    case PTX_OP_SETP: return n < 2 ? type : PTX_PRED;
    case PTX_OP_SET: return n < 2 ? (enum ptx_type)form->type2 : PTX_PRED;
    case PTX_OP_SLCT: return n < 2 ? type : (enum ptx_type)form->type2;
    case PTX_OP_MAD: return n == 2 && form->half == PTX_HALF_WIDE ? widened(type) : type;
    case PTX_OP_CVT:
    case PTX_OP_CVT_PACK: return n < 2 ? (enum ptx_type)form->type2 : PTX_B32;
    case PTX_OP_DP4A:
    case PTX_OP_DP2A: return PTX_B32; /* three registers of 32 bits, whatever their parts are */
    case PTX_OP_ISSPACEP:
    case PTX_OP_CVTA: return PTX_U64;
    default: return type;
    }
}

/* The address of a variable of the frame: the local base and an offset. */
static bool decode_frame_address(struct decoder *decoder, const struct ptx_operand *operand,
                                 struct micro *op) {
    const struct wb_module *module = decoder->program->module;
    if (operand->kind != PTX_OPERAND_VARIABLE || (op->form->op == PTX_OP_CVTA && op->form->to)) return false;
    const struct ptx_variable *variable = &module->variables[operand->index];
    if (!program_in_frame(module, variable)) return false;
    bool generic = variable->space == PTX_SPACE_PARAM || op->form->op == PTX_OP_CVTA;
    decoder->code->uses_local = true;
    op->source[0] =
        (struct slot){.index = decoder->code->function->reg_count + SLOT_LOCAL_BASE, .bank = BANK_FRAME};
    op->source_count = 1;
    op->immediate =
        decoder->program->addresses[operand->index] + operand->value + (generic ? LOCAL_WINDOW : 0);
    op->compute.lanes = alu_offset;
    op->execute = alu_execute;
    return true;
}

/* mov between a register and a vector of narrower ones. */
static wb_status decode_pack(struct decoder *decoder, const struct ptx_operand *to,
                             const struct ptx_operand *from, struct micro *op) {
    bool unpack = to->kind == PTX_OPERAND_VECTOR, known = true;
    uint32_t bytes = ptx_type_bytes((enum ptx_type)op->form->type);
    const struct ptx_operand *vector = unpack ? to : from;
    if ((unpack && from->kind == PTX_OPERAND_VECTOR) || bytes > 8 || vector->count == 0 ||
        bytes % vector->count != 0)
        return WB_OK;
    op->pack.bits = (uint8_t)(8 * bytes / vector->count);
    enum ptx_type part = op->pack.bits == 8 ? PTX_B8 : op->pack.bits == 16 ? PTX_B16 : PTX_B32;
    WB_TRY(decode_elements(decoder, vector, part, &op->pack.elements, &op->pack.count, &known));
    if (unpack)
        WB_TRY(decode_source(decoder, from, (enum ptx_type)op->form->type, &op->source[0], &known));
    else
        WB_TRY(decode_source(decoder, to, PTX_U64, &op->destination, &known));
    if (known) op->execute = unpack ? unpack_execute : pack_execute;
    return WB_OK;
}

static bool is_carry(const struct ptx_form *form) {
    return form->carry_in || form->carry_out;
}

/* Chooses how the form is computed; leaves op->execute NULL when nothing computes it. */
static void choose_execution(struct micro *op) {
    static lane_fn (*const finders[])(const struct ptx_form *) = {
        alu_int_find,  alu_bits_find,   alu_float_find, alu_special_find,
        alu_half_find, alu_select_find, convert_find,
    };
    const struct ptx_form *form = op->form;
    if (is_carry(form)) {
        if (int_kind_of(form->type) >= INT_U32 && int_kind_of(form->type) != INT_KINDS)
            op->execute = carry_execute;
        return;
    }
    if (form->op == PTX_OP_SET) {
        op->compute.test = compare_operator(form, (enum ptx_type)form->type2);
        if (op->compute.test != NULL && form->type != PTX_F16X2 && form->type != PTX_BF16X2)
            op->execute = set_execute;
        return;
    }
    op->compute.test = compare_find(form);
    if (op->compute.test != NULL) {
        op->execute = form->op == PTX_OP_SETP ? setp_execute : test_execute;
        return;
    }
    for (size_t i = 0; i < sizeof finders / sizeof *finders && op->execute == NULL; i++) {
        op->compute.lanes = finders[i](form);
        if (op->compute.lanes != NULL) op->execute = alu_execute;
    }
}

/* Resolves the sources; more than MICRO_SOURCES of them only where the rest was left out. */
static wb_status decode_sources(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op,
                                bool *known) {
    const struct ptx_operand *operand;
    for (uint32_t n = 0; (operand = decode_nth_source(op->form, operands, n)) != NULL; n++) {
        if (operand->kind == PTX_OPERAND_NONE) continue;
        if (n >= MICRO_SOURCES || operand->kind == PTX_OPERAND_VECTOR) {
            *known = false;
            return WB_OK;
        }
        WB_TRY(decode_source(decoder, operand, source_type(op->form, n), &op->source[n], known));
        op->source_count = (uint8_t)(n + 1);
    }
    return WB_OK;
}

/* An optional predicate destination: the sink where it was left out. */
static wb_status decode_second(struct decoder *decoder, const struct ptx_operand *operand, struct micro *op) {
    bool known = true;
    struct ptx_operand sink = {.kind = PTX_OPERAND_SINK};
    bool present = operand != NULL && operand->kind != PTX_OPERAND_NONE;
    return decode_source(decoder, present ? operand : &sink, PTX_PRED, &op->destination2, &known);
}

wb_status decode_alu(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    const struct ptx_operand *to = decode_role(op->form, operands, 'd', 0);
    bool known = true;
    op->unsure = unsure_outputs;
    if (op->form->op == PTX_OP_MOV || op->form->op == PTX_OP_CVTA) {
        const struct ptx_operand *from = decode_nth_source(op->form, operands, 0);
        if (to->kind == PTX_OPERAND_VECTOR || from->kind == PTX_OPERAND_VECTOR)
            return decode_pack(decoder, to, from, op);
        WB_TRY(decode_source(decoder, to, PTX_U64, &op->destination, &known));
        if (decode_frame_address(decoder, from, op)) return WB_OK;
    }
    if (to->kind == PTX_OPERAND_VECTOR) return WB_OK;
    WB_TRY(decode_source(decoder, to, PTX_U64, &op->destination, &known));
    WB_TRY(decode_second(decoder, decode_role(op->form, operands, 'D', 0), op));
    WB_TRY(decode_sources(decoder, operands, op, &known));
    if (is_carry(op->form)) {
        op->destination2 =
            (struct slot){.index = decoder->code->function->reg_count + SLOT_CARRY, .bank = BANK_FRAME};
        op->source[3] = op->destination2;
    }
    if (op->output_count == 0) op->result_mask = UINT64_MAX;
    if (!known) return WB_OK;
    choose_execution(op);
    open_result_decode(op);
    op->refine = alu_refine_find(op->form);
    return WB_OK;
}
