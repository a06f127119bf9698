/* Decoding instructions by which the lanes of a warp exchange values. */
#include <string.h>

#include "warp/interpret/decode.h"
#include "warp/interpret/execute.h"

/* How many sources stand before the member mask of a .sync form; those without one have the mask of all. */
static wb_status decode_members(struct decoder *decoder, const struct ptx_operand *operand, struct micro *op,
                                uint32_t source, bool *known) {
    if (operand == NULL) return program_constant(decoder->program, LANES_ALL, &op->source[source]);
    return decode_source(decoder, operand, PTX_U32, &op->source[source], known);
}

static wb_status decode_predicate_out(struct decoder *decoder, const struct ptx_operand *operand,
                                      struct slot *slot) {
    struct ptx_operand sink = {.kind = PTX_OPERAND_SINK};
    bool known = true, present = operand != NULL && operand->kind == PTX_OPERAND_REG;
    return decode_source(decoder, present ? operand : &sink, PTX_PRED, slot, &known);
}

static execute_fn exchange_of(const struct ptx_form *form) {
    uint32_t bytes = ptx_type_bytes((enum ptx_type)form->type);
    switch (form->op) {
    case PTX_OP_SHFL: return bytes == 4 ? shuffle_execute : NULL;
    case PTX_OP_VOTE: return vote_execute;
    case PTX_OP_MATCH: return match_execute;
    case PTX_OP_ACTIVEMASK: return activemask_execute;
    case PTX_OP_REDUX:
        return ptx_type_kind((enum ptx_type)form->type) == PTX_KIND_FLOAT ? NULL : redux_execute;
    case PTX_OP_ELECT: return elect_execute;
    default: return NULL;
    }
}

/* Sources 0, 1, 2 as written; the member mask, if any, is the last of them and goes to source 3. */
wb_status decode_exchange(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    const struct ptx_form *form = op->form;
    bool known = true;
    uint32_t sources = 0;
    while (decode_nth_source(form, operands, sources) != NULL)
        sources++;
    /* Those without .sync have no member mask; activemask has no source at all. */
    bool has_members = form->op == PTX_OP_ELECT || (sources > 1 && form->sync);
    const struct ptx_operand *members = has_members ? decode_nth_source(form, operands, sources - 1) : NULL;
    enum ptx_type type = form->op == PTX_OP_VOTE ? PTX_PRED : (enum ptx_type)form->type;
    WB_TRY(decode_members(decoder, members, op, 3, &known));
    for (uint32_t n = 0; n + (members != NULL) < sources && n < 3; n++)
        WB_TRY(decode_source(decoder, decode_nth_source(form, operands, n), n == 0 ? type : PTX_U32,
                             &op->source[n], &known));
    WB_TRY(decode_source(decoder, decode_role(form, operands, 'd', 0), PTX_U32, &op->destination, &known));
    WB_TRY(decode_predicate_out(decoder, decode_role(form, operands, 'D', 0), &op->destination2));
    op->unsure = unsure_exchange;
    if (known) op->execute = exchange_of(form);
    return WB_OK;
}
