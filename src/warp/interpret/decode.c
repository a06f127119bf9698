/* Decoding instructions to micro-operations. Nothing here fails for want of memory: program_decode protects
 * the arena. */

#include "flow/graph/graph.h"
#include "warp/interpret/execute.h"
#include "warp/interpret/warp.h"

/* The state of decoding. */
struct decoder {
    struct program *program;
    struct function_code *code;
    const uint32_t *reconvergence; /* per instruction; NULL: machine code */
    wb_diagnostics *diagnostics;
};

/* ---- Operands ------------------------------------------------------------------------------------------ */

/* The n-th operand of role `role`, or NULL. */
static const struct ptx_operand *decode_role(const struct ptx_form *form, const struct ptx_operand *operands,
                                             char role, uint32_t n) {
    for (uint32_t i = 0; form->roles[i] != '\0'; i++)
        if (form->roles[i] == role && n-- == 0) return &operands[i];
    return NULL;
}

/* Operands by role: the n-th of the sources (roles s and o), or NULL. */
static const struct ptx_operand *decode_nth_source(const struct ptx_form *form,
                                                   const struct ptx_operand *operands, uint32_t n) {
    for (uint32_t i = 0; form->roles[i] != '\0'; i++)
        if ((form->roles[i] == 's' || form->roles[i] == 'o') && n-- == 0) return &operands[i];
    return NULL;
}

/* Bytes of the register behind a slot of the frame. */
static uint32_t decode_register_bytes(const struct decoder *decoder, struct slot slot) {
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

/* The base region of a variable's address: itself in global memory. */
static uint64_t base_region_of(const struct decoder *decoder, uint32_t variable) {
    bool global = decoder->program->module->variables[variable].space == PTX_SPACE_GLOBAL;
    return global ? decoder->program->addresses[variable] : 0;
}

/* The slot of a source of the given type; false when the operand cannot be such a source. */
static bool decode_source(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                          struct slot *slot) {
    uint64_t address = 0;
    switch (operand->kind) {
    case PTX_OPERAND_REG: *slot = (struct slot){operand->index, BANK_FRAME, operand->negated}; return true;
    case PTX_OPERAND_INT:
    case PTX_OPERAND_F32:
    case PTX_OPERAND_F64: program_constant(decoder->program, literal_bits(operand, type), slot); break;
    case PTX_OPERAND_SREG: program_special(decoder->program, operand->index, slot); return true;
    case PTX_OPERAND_FUNCTION:
        address = FUNCTION_WINDOW + ptx_callee(decoder->program->module, operand->index) * FUNCTION_STEP;
        program_constant(decoder->program, address, slot);
        return true;
    case PTX_OPERAND_VARIABLE:
        if (!constant_address(decoder, operand, &address)) return false;
        program_address(decoder->program, address, base_region_of(decoder, operand->index), slot);
        return true;
    case PTX_OPERAND_SINK:
        *slot = (struct slot){.index = decoder->code->function->reg_count + SLOT_SINK, .bank = BANK_FRAME};
        return true;
    case PTX_OPERAND_NONE: program_constant(decoder->program, 0, slot); return true;
    default: return false;
    }
    slot->negated = operand->negated;
    return true;
}

/* The base, offset and width of an address operand in a state space; false when it is none. */
static bool decode_address(struct decoder *decoder, const struct ptx_operand *operand, uint8_t space,
                           struct micro_address *address) {
    if (operand->kind != PTX_OPERAND_ADDRESS) {
        return false;
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
        return true;
    }
    const bool known = decode_source(decoder, pointer, PTX_U64, &address->base);
    if (pointer->kind == PTX_OPERAND_REG)
        address->mask = low_bytes_mask(decode_register_bytes(decoder, address->base));
    return known;
}

/* The slots of the elements of a vector, or of a single operand; sources of the given type. */
static bool decode_elements(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                            struct slot **elements, uint8_t *count) {
    bool is_vector = operand->kind == PTX_OPERAND_VECTOR;
    const uint32_t size = is_vector ? operand->count : 1;
    if (size > UINT8_MAX) {
        return false;
    }
    *elements = arena_array(decoder->program->arena, size, sizeof **elements);
    bool known = true;
    *count = (uint8_t)size;
    for (uint32_t i = 0; i < size; i++) {
        const struct ptx_operand *element =
            is_vector ? &decoder->code->function->operands[operand->index + i] : operand;
        known &= decode_source(decoder, element, type, &(*elements)[i]);
    }
    return known;
}

/* ---- What each lane computes by itself ----------------------------------------------------------------- */

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
    case PTX_OP_MACHINE_ADD3: return n < 3 ? type : PTX_PRED;
    case PTX_OP_SELP:
    case PTX_OP_MACHINE_SETP:
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
static void decode_pack(struct decoder *decoder, const struct ptx_operand *to, const struct ptx_operand *from,
                        struct micro *op) {
    bool unpack = to->kind == PTX_OPERAND_VECTOR, known = true;
    uint32_t bytes = ptx_type_bytes((enum ptx_type)op->form->type);
    const struct ptx_operand *vector = unpack ? to : from;
    if ((unpack && from->kind == PTX_OPERAND_VECTOR) || bytes > 8 || vector->count == 0 ||
        bytes % vector->count != 0)
        return;
    op->pack.bits = (uint8_t)(8 * bytes / vector->count);
    enum ptx_type part = op->pack.bits == 8 ? PTX_B8 : op->pack.bits == 16 ? PTX_B16 : PTX_B32;
    known &= decode_elements(decoder, vector, part, &op->pack.elements, &op->pack.count);
    if (unpack)
        known &= decode_source(decoder, from, (enum ptx_type)op->form->type, &op->source[0]);
    else
        known &= decode_source(decoder, to, PTX_U64, &op->destination);
    if (known) op->execute = unpack ? unpack_execute : pack_execute;
}

static bool is_carry(const struct ptx_form *form) {
    return form->carry_in || form->carry_out;
}

/* Chooses how the form is computed; leaves op->execute NULL when nothing computes it. */
static void choose_execution(struct micro *op) {
    static const struct {
        lane_fn (*find)(const struct ptx_form *);
        bool makes_nan;
    } finders[] = {
        {alu_int_find, false}, {alu_float_find, true}, {alu_select_find, false}, {convert_find, true}};
    const struct ptx_form *form = op->form;
    if (form->op == PTX_OP_MACHINE_SETP) {
        op->compute.test = compare_operator(form, (enum ptx_type)form->type);
        if (op->compute.test != NULL) op->execute = machine_setp_execute;
        return;
    }
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
        op->compute.lanes = finders[i].find(form);
        if (op->compute.lanes == NULL) continue;
        op->execute = alu_execute;
        if (finders[i].makes_nan && float_format_of(form->type) != NULL) op->nan_type = form->type;
    }
}

/* Resolves the sources; more than MICRO_SOURCES of them only where the rest was omitted. */
static bool decode_sources(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    const struct ptx_operand *operand;
    bool known = true;
    for (uint32_t n = 0; (operand = decode_nth_source(op->form, operands, n)) != NULL; n++) {
        if (operand->kind == PTX_OPERAND_NONE) continue;
        if (n >= MICRO_SOURCES || operand->kind == PTX_OPERAND_VECTOR) {
            return false;
        }
        known &= decode_source(decoder, operand, source_type(op->form, n), &op->source[n]);
        op->source_count = (uint8_t)(n + 1);
    }
    return known;
}

/* An optional predicate destination: the sink if omitted. */
static void decode_second(struct decoder *decoder, const struct ptx_operand *operand, struct micro *op) {
    struct ptx_operand sink = {.kind = PTX_OPERAND_SINK};
    bool present = operand != NULL && operand->kind != PTX_OPERAND_NONE;
    (void)decode_source(decoder, present ? operand : &sink, PTX_PRED, &op->destination2);
}

/* machine.add3. */
static void decode_add3(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    const struct ptx_operand none = {.kind = PTX_OPERAND_NONE};
    bool known = decode_source(decoder, decode_role(op->form, operands, 'd', 0), PTX_U32, &op->destination);
    decode_second(decoder, decode_role(op->form, operands, 'O', 0), op);
    op->sum.over = op->destination2;
    decode_second(decoder, decode_role(op->form, operands, 'D', 0), op);
    for (uint32_t n = 0; n <= MICRO_SOURCES; n++) {
        const struct ptx_operand *operand = decode_nth_source(op->form, operands, n);
        struct slot *slot = n < MICRO_SOURCES ? &op->source[n] : &op->sum.carry;
        known &= decode_source(decoder, operand == NULL ? &none : operand, source_type(op->form, n), slot);
    }
    op->source_count = MICRO_SOURCES;
    op->unsure = unsure_outputs;
    if (known && int_kind_of(op->form->type) == INT_U32) op->execute = machine_add3_execute;
}

static void decode_alu(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    const struct ptx_operand *to = decode_role(op->form, operands, 'd', 0);
    bool known = true;
    if (op->form->op == PTX_OP_MACHINE_ADD3) return decode_add3(decoder, operands, op);
    op->unsure = unsure_outputs;
    if (op->form->op == PTX_OP_MOV || op->form->op == PTX_OP_CVTA) {
        const struct ptx_operand *from = decode_nth_source(op->form, operands, 0);
        if (to->kind == PTX_OPERAND_VECTOR || from->kind == PTX_OPERAND_VECTOR)
            return decode_pack(decoder, to, from, op);
        known &= decode_source(decoder, to, PTX_U64, &op->destination);
        if (decode_frame_address(decoder, from, op)) return;
    }
    if (to->kind == PTX_OPERAND_VECTOR) return;
    known &= decode_source(decoder, to, PTX_U64, &op->destination);
    decode_second(decoder, decode_role(op->form, operands, 'D', 0), op);
    known &= decode_sources(decoder, operands, op);
    if (is_carry(op->form)) {
        op->destination2 =
            (struct slot){.index = decoder->code->function->reg_count + SLOT_CARRY, .bank = BANK_FRAME};
        op->source[3] = op->destination2;
    }
    if (op->output_count == 0) op->result_mask = UINT64_MAX;
    if (!known) return;
    choose_execution(op);
    if (op->inst->relies_on != PTX_RELIES_ON_NOTHING)
        relying_decode(op);
    else
        open_result_decode(op);
    if (!ptx_is_machine_code(decoder->code->function)) contraction_decode(decoder->program, op);
    op->refine = alu_refine_find(op->form);
    op->known_bits = known_bits_find(op->form);
}

/* ---- Accesses to memory -------------------------------------------------------------------------------- */

/* Whether a load may read an address of global memory. In modules with addresses of 32 bits these are only
 * looked for among parameters: other words are numbers too often. */
static bool may_be_address(const struct wb_module *module, const struct ptx_form *form) {
    uint32_t bytes = ptx_type_bytes((enum ptx_type)form->type);
    if (ptx_type_kind((enum ptx_type)form->type) == PTX_KIND_FLOAT) return false;
    return module->address_size == 32 ? bytes == 4 && form->space == PTX_SPACE_PARAM : bytes == 8;
}

/* ld, ldu, st: the values are registers or a vector of them. */
static void decode_access(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    bool is_store = op->form->op == PTX_OP_ST, known = true;
    enum ptx_type type = (enum ptx_type)op->form->type;
    struct micro_memory *memory = &op->memory;
    const struct ptx_operand *address = decode_role(op->form, operands, 'm', 0);
    const struct ptx_operand *value =
        is_store ? decode_nth_source(op->form, operands, 0) : decode_role(op->form, operands, 'd', 0);
    memory->bytes = (uint8_t)ptx_type_bytes(type);
    memory->is_signed = ptx_type_kind(type) == PTX_KIND_SIGNED;
    if (memory->bytes == 0 || memory->bytes > 8) return;
    known &= decode_address(decoder, address, op->form->space, &memory->address);
    known &= decode_elements(decoder, value, type, &memory->values, &memory->count);
    memory->uniform = memory->address.base.bank == BANK_CONSTANT;
    memory->is_strong = op->form->relaxed || op->form->ordered || op->form->is_volatile;
    memory->may_be_address = may_be_address(decoder->program->module, op->form);
    if (!known) return;
    op->execute = is_store ? store_execute : load_execute;
    op->unsure = is_store ? unsure_store : unsure_outputs;
}

#define ATOMIC_BYTES_MAX 16u

/* Whether memory_ops.c computes the form: of floats only f32 and f64, and of vectors none. */
static bool is_computed_atomic(const struct ptx_form *form) {
    uint32_t bytes = ptx_type_bytes((enum ptx_type)form->type);
    bool is_float = ptx_type_kind((enum ptx_type)form->type) == PTX_KIND_FLOAT;
    if (form->vector != 1 || bytes > 8 || form->mode == PTX_MODE_NONE) return false;
    if (is_float) return (form->type == PTX_F32 || form->type == PTX_F64) && form->mode == PTX_MODE_ADD;
    return bytes >= 4 || (bytes == 2 && form->mode == PTX_MODE_CAS);
}

/* Whether an atomic's operands are decoded: sources 0 and 1. */
static bool decode_atomic_operands(struct decoder *decoder, const struct ptx_operand *operands,
                                   struct micro *op) {
    const enum ptx_type type = (enum ptx_type)op->form->type;
    const struct ptx_operand sink = {.kind = PTX_OPERAND_SINK};
    const struct ptx_operand *to = decode_role(op->form, operands, 'd', 0);
    for (uint32_t n = 0; n < 2; n++) {
        const struct ptx_operand *operand = decode_nth_source(op->form, operands, n);
        if (operand == NULL || operand->kind == PTX_OPERAND_NONE) continue;
        if (operand->kind == PTX_OPERAND_VECTOR || !decode_source(decoder, operand, type, &op->source[n]))
            return false;
    }
    return decode_source(decoder, to != NULL ? to : &sink, type, &op->destination);
}

/* atom, red. */
static void decode_atomic(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    struct micro_memory *memory = &op->memory;
    memory->bytes = (uint8_t)ptx_type_bytes((enum ptx_type)op->form->type);
    memory->count = op->form->vector;
    if (!decode_address(decoder, decode_role(op->form, operands, 'm', 0), op->form->space, &memory->address))
        return;
    if (op->form->mode == PTX_MODE_NONE || memory->bytes * memory->count > ATOMIC_BYTES_MAX) return;
    memory->uncomputed = !is_computed_atomic(op->form) || !decode_atomic_operands(decoder, operands, op);
    op->execute = atomic_execute;
    op->unsure = unsure_store;
}

/* cp.async: the bytes of the source, or the predicate that makes it ignored, in source 0. */
static void decode_copy(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    bool known = true;
    struct micro_memory *memory = &op->memory;
    const struct ptx_operand *size = decode_nth_source(op->form, operands, 0);
    const struct ptx_operand *used = decode_nth_source(op->form, operands, 1);
    if (size == NULL || size->kind != PTX_OPERAND_INT ||
        (size->value != 4 && size->value != 8 && size->value != 16))
        return;
    memory->bytes = (uint8_t)size->value;
    memory->count = 1;
    known &=
        decode_address(decoder, decode_role(op->form, operands, 'm', 0), op->form->space, &memory->address);
    known &=
        decode_address(decoder, decode_role(op->form, operands, 'm', 1), op->form->space_from, &memory->from);
    const struct ptx_function *function = decoder->code->function;
    bool absent = used == NULL || used->kind == PTX_OPERAND_NONE;
    op->immediate = !absent && used->kind == PTX_OPERAND_REG &&
                    function->groups[function->reg_group[used->index]].type == PTX_PRED;
    known &= decode_source(decoder, absent ? size : used, PTX_U32, &op->source[0]);
    if (!known) return;
    op->execute = copy_execute;
    op->unsure = unsure_store;
}

/* ldmatrix and stmatrix of 8x8 matrices of 16-bit elements. */
static void decode_matrices(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    const bool loads = op->form->op == PTX_OP_LDMATRIX;
    bool known = true;
    struct micro_memory *memory = &op->memory;
    if (op->form->type != PTX_B16 || op->form->type2 != PTX_B16) return;
    memory->bytes = 16;
    known &=
        decode_address(decoder, decode_role(op->form, operands, 'm', 0), op->form->space, &memory->address);
    known &= decode_elements(decoder, decode_role(op->form, operands, loads ? 'd' : 's', 0), PTX_B32,
                             &memory->values, &memory->count);
    if (!known || (memory->count != 1 && memory->count != 2 && memory->count != 4)) return;
    op->execute = loads ? ldmatrix_execute : stmatrix_execute;
    op->unrecorded = loads ? opaque_execute : opaque_store_execute;
    op->unsure = loads ? unsure_exchange : unsure_store;
}

static void decode_memory(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    switch (op->form->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST: decode_access(decoder, operands, op); return;
    case PTX_OP_ATOM:
    case PTX_OP_RED: decode_atomic(decoder, operands, op); return;
    case PTX_OP_CP_ASYNC: decode_copy(decoder, operands, op); return;
    case PTX_OP_LDMATRIX:
    case PTX_OP_STMATRIX: decode_matrices(decoder, operands, op); return;
    default: return;
    }
}

/* ---- Exchanges between the lanes of a warp ------------------------------------------------------------- */

/* How many sources stand before the member mask of a .sync form; those without one have the mask of all. */
static bool decode_members(struct decoder *decoder, const struct ptx_operand *operand, struct micro *op,
                           uint32_t source) {
    if (operand != NULL) return decode_source(decoder, operand, PTX_U32, &op->source[source]);
    program_constant(decoder->program, LANES_ALL, &op->source[source]);
    return true;
}

static void decode_predicate_out(struct decoder *decoder, const struct ptx_operand *operand,
                                 struct slot *slot) {
    struct ptx_operand sink = {.kind = PTX_OPERAND_SINK};
    bool present = operand != NULL && operand->kind == PTX_OPERAND_REG;
    (void)decode_source(decoder, present ? operand : &sink, PTX_PRED, slot);
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
static void decode_exchange(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    const struct ptx_form *form = op->form;
    bool known = true;
    uint32_t sources = 0;
    while (decode_nth_source(form, operands, sources) != NULL)
        sources++;
    /* Those without .sync have no member mask; activemask has no source at all. */
    bool has_members = form->op == PTX_OP_ELECT || (sources > 1 && form->sync);
    const struct ptx_operand *members = has_members ? decode_nth_source(form, operands, sources - 1) : NULL;
    enum ptx_type type = form->op == PTX_OP_VOTE ? PTX_PRED : (enum ptx_type)form->type;
    known &= decode_members(decoder, members, op, 3);
    for (uint32_t n = 0; n + (members != NULL) < sources && n < 3; n++)
        known &= decode_source(decoder, decode_nth_source(form, operands, n), n == 0 ? type : PTX_U32,
                               &op->source[n]);
    known &= decode_source(decoder, decode_role(form, operands, 'd', 0), PTX_U32, &op->destination);
    decode_predicate_out(decoder, decode_role(form, operands, 'D', 0), &op->destination2);
    op->unsure = unsure_exchange;
    if (known) op->execute = exchange_of(form);
}

/* ---- Branches, calls and barriers ---------------------------------------------------------------------- */

static void decode_branch(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    struct micro_branch *branch = &op->branch;
    const struct ptx_function *function = decoder->code->function;
    branch->target_count = ptx_branch_targets(function, op->inst, NULL, 0);
    branch->targets = arena_array(decoder->program->arena, branch->target_count, sizeof(uint32_t));
    (void)ptx_branch_targets(function, op->inst, branch->targets, branch->target_count);
    branch->reconvergence =
        decoder->reconvergence == NULL ? PTX_NO_INDEX : decoder->reconvergence[op->inst - function->insts];
    op->unsure = unsure_control;
    op->execute = branch_execute;
    if (op->form->op == PTX_OP_BRA) return;
    const struct ptx_operand *index = decode_nth_source(op->form, operands, 0);
    op->execute = decode_source(decoder, index, PTX_U32, &op->source[0]) ? branch_index_execute : NULL;
}

/* The parts of an argument or result list: `(a, b)`, a single operand, or nothing. */
static bool decode_list(struct decoder *decoder, const struct ptx_operand *list, struct call_operand **out,
                        uint32_t *count) {
    const struct ptx_function *function = decoder->code->function;
    const struct wb_module *module = decoder->program->module;
    bool is_vector = list != NULL && list->kind == PTX_OPERAND_VECTOR;
    *count = list == NULL || list->kind == PTX_OPERAND_NONE ? 0 : is_vector ? list->count : 1;
    *out = arena_array(decoder->program->arena, *count, sizeof **out);
    bool known = true;
    for (uint32_t i = 0; i < *count; i++) {
        const struct ptx_operand *part = is_vector ? &function->operands[list->index + i] : list;
        struct call_operand *operand = &(*out)[i];
        if (part->kind == PTX_OPERAND_VARIABLE && module->variables[part->index].space == PTX_SPACE_PARAM &&
            program_in_frame(module, &module->variables[part->index])) {
            operand->is_param = true;
            operand->offset = (uint32_t)decoder->program->addresses[part->index];
            operand->size = (uint32_t)module->variables[part->index].size;
        } else {
            known &= decode_source(decoder, part, PTX_B64, &operand->slot);
        }
    }
    return known;
}

static void decode_call(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    bool known = true;
    const bool ends = ptx_ends_grid(op->form), runtime = !ends && op->form->runtime != PTX_RUNTIME_NONE;
    struct micro_call *call = &op->call;
    const struct ptx_operand *callee = decode_role(op->form, operands, 's', 0);
    call->callee = PTX_NO_INDEX;
    if (callee->kind == PTX_OPERAND_FUNCTION)
        call->callee = ptx_callee(decoder->program->module, callee->index);
    else
        known &= decode_source(decoder, callee, PTX_U64, &op->source[0]);
    known &=
        decode_list(decoder, decode_role(op->form, operands, 'O', 0), &call->results, &call->result_count);
    known &= decode_list(decoder, decode_role(op->form, operands, 'o', 0), &call->arguments,
                         &call->argument_count);
    op->unsure = runtime ? runtime_unsure : unsure_control;
    op->execute = ends ? trap_execute : runtime ? runtime_execute : call_execute;
    if (known || runtime) return;
    ptx_diagnose(decoder->diagnostics, SEVERITY_ERROR, decoder->program->module, op->inst,
                 "this callee or one of these arguments is not supported");
    arena_fail(decoder->program->arena, WB_ERR_DECLINED);
}

/* Where lanes of machine code meet: the number of a set, or a mask, in source 0. */
static void decode_meeting(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    static const struct {
        uint8_t op;
        execute_fn execute;
    } meetings[] = {{PTX_OP_BSSY, bssy_execute},         {PTX_OP_BSYNC, bsync_execute},
                    {PTX_OP_BREAK, break_execute},       {PTX_OP_BMOV_GET, bmov_get_execute},
                    {PTX_OP_BMOV_SET, bmov_set_execute}, {PTX_OP_WARPSYNC, warpsync_execute},
                    {PTX_OP_ALONE, alone_execute},       {PTX_OP_COLLECTIVE, collective_execute},
                    {PTX_OP_DIVIDED, divided_execute}};
    for (size_t i = 0; i < sizeof meetings / sizeof *meetings; i++)
        if (meetings[i].op == op->form->op) op->execute = meetings[i].execute;
    if (op->execute == NULL) return;
    if (op->execute == divided_execute) op->unsure = divided_unsure;
    const struct ptx_operand *to = decode_role(op->form, operands, 'd', 0);
    for (uint32_t n = 0; n < 2 && decode_nth_source(op->form, operands, n) != NULL; n++)
        (void)decode_source(decoder, decode_nth_source(op->form, operands, n), PTX_U32, &op->source[n]);
    if (to != NULL) (void)decode_source(decoder, to, PTX_U32, &op->destination);
    if (op->form->op != PTX_OP_WARPSYNC && op->form->op != PTX_OP_ALONE &&
        op->form->op != PTX_OP_COLLECTIVE && op->form->op != PTX_OP_DIVIDED)
        op->meeting.set = (uint8_t)(decode_nth_source(op->form, operands, 0)->value % LANE_SETS);
    if (op->form->op == PTX_OP_BSSY)
        op->meeting.target =
            decoder->code->function->labels[decode_role(op->form, operands, 'l', 0)->index].target;
}

static void decode_control(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    op->unsure = unsure_control;
    switch (op->form->op) {
    case PTX_OP_BRA:
    case PTX_OP_BRX_IDX: decode_branch(decoder, operands, op); return;
    case PTX_OP_CALL: decode_call(decoder, operands, op); return;
    case PTX_OP_RET: op->execute = return_execute; return;
    case PTX_OP_EXIT: op->execute = exit_execute; return;
    case PTX_OP_TRAP: op->execute = trap_execute; return;
    default: decode_meeting(decoder, operands, op); return;
    }
}

/* Source 0: which barrier; 1: how many threads, 0 for all; 2: the predicate of bar.red; 3: the member mask of
 * bar.warp.sync. The immediate: whether a register says how many threads. */
static void decode_barrier(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    op->unsure = unsure_control;
    op->execute = barrier_execute;
    if (op->form->mode == PTX_MODE_WARP) {
        op->unsure = unsure_exchange;
        op->execute = warp_sync_execute;
        (void)decode_source(decoder, decode_nth_source(op->form, operands, 0), PTX_U32, &op->source[3]);
        return;
    }
    for (uint32_t n = 0; n < 3; n++) {
        const struct ptx_operand *operand = decode_nth_source(op->form, operands, n);
        if (operand == NULL) break;
        (void)decode_source(decoder, operand, n == 2 ? PTX_PRED : PTX_U32, &op->source[n]);
        if (n == 1) op->immediate = operand->kind == PTX_OPERAND_REG;
    }
    if (op->form->mode != PTX_MODE_RED) return;
    const struct ptx_operand *to = decode_role(op->form, operands, 'd', 0);
    (void)decode_source(decoder, to, PTX_U32, &op->destination);
}

/* ---- Instructions -------------------------------------------------------------------------------------- */

/* Whether operands of a role are written. */
static bool is_output(char role) {
    return role == 'd' || role == 'D' || role == 'x' || role == 'O';
}

/* Collects the registers that the instruction writes. */
static void decode_outputs(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    uint32_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) op->outputs = arena_array(decoder->program->arena, count, sizeof *op->outputs);
        for (uint32_t i = 0; op->form->roles[i] != '\0'; i++) {
            if (!is_output(op->form->roles[i])) continue;
            bool is_vector = operands[i].kind == PTX_OPERAND_VECTOR;
            const struct ptx_operand *parts =
                is_vector ? &decoder->code->function->operands[operands[i].index] : &operands[i];
            for (uint32_t j = 0; j < (is_vector ? operands[i].count : 1u); j++) {
                bool is_reg = parts[j].kind == PTX_OPERAND_REG;
                if (pass == 0) count += is_reg;
                if (pass == 1 && is_reg)
                    op->outputs[op->output_count++] =
                        (struct slot){.index = parts[j].index, .bank = BANK_FRAME};
            }
        }
    }
    if (op->output_count != 0)
        op->result_mask = low_bytes_mask(decode_register_bytes(decoder, op->outputs[0]));
}

/* Whether an instruction with an address operand, which the interpreter does not compute, writes memory that
 * loads can read: not texture, surface and tensor memory. */
static bool may_store(const struct ptx_form *form) {
    if (form->op == PTX_OP_CP_ASYNC_BULK_PREFETCH || form->op == PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR)
        return false;
    switch (form->class_) {
    case PTX_CLASS_ATOMIC_GLOBAL:
    case PTX_CLASS_ATOMIC_SHARED:
    case PTX_CLASS_ASYNC_COPY: return true;
    case PTX_CLASS_TEXTURE:
    case PTX_CLASS_TENSOR: return false;
    default: return form->roles[0] != 'd';
    }
}

/* The interpreter cannot compute this: its results are unknown, and so is the memory that it may write. */
static void decode_opaque(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    op->execute = op->unrecorded = opaque_execute;
    op->unsure = unsure_outputs;
    if (op->accesses_memory) op->execute = unrecorded_execute;
    const struct ptx_operand *address = decode_role(op->form, operands, 'm', 0);
    if (address == NULL || !may_store(op->form)) return;
    memset(&op->memory, 0, sizeof op->memory);
    const bool known = decode_address(decoder, address, op->form->space, &op->memory.address);
    op->unrecorded = known ? opaque_store_execute : refuse_execute;
    op->unsure = known ? unsure_store : unsure_control;
}

static void decode_sleep(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    op->execute = sleep_execute;
    op->unsure = unsure_sleep;
    (void)decode_source(decoder, decode_nth_source(op->form, operands, 0), PTX_U32, &op->source[0]);
}

/* Whether an instruction commits, or waits for, groups of asynchronous copies. */
static bool is_of_groups(const struct ptx_form *form) {
    return form->wait == PTX_WAIT_COPIES || form->op == PTX_OP_CP_ASYNC_COMMIT_GROUP ||
           form->op == PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP;
}

static void decode_by_kind(struct decoder *decoder, const struct ptx_operand *operands, struct micro *op) {
    if (is_of_groups(op->form)) {
        op->execute = op->unrecorded = group_execute;
        op->unsure = unsure_group;
        return;
    }
    switch (op->form->exec) {
    case PTX_EXEC_ALU: decode_alu(decoder, operands, op); return;
    case PTX_EXEC_MEMORY: decode_memory(decoder, operands, op); return;
    case PTX_EXEC_WARP: decode_exchange(decoder, operands, op); return;
    case PTX_EXEC_CONTROL:
        if (op->form->op == PTX_OP_BAR)
            decode_barrier(decoder, operands, op);
        else
            decode_control(decoder, operands, op);
        return;
    case PTX_EXEC_NOP:
        op->execute = op->accesses_memory ? unrecorded_execute : nothing_execute;
        op->unrecorded = nothing_execute;
        op->unsure = unsure_outputs;
        if (op->form->op == PTX_OP_NANOSLEEP) decode_sleep(decoder, operands, op);
        return;
    default:
        if (op->form->op == PTX_OP_LDMATRIX || op->form->op == PTX_OP_STMATRIX)
            decode_memory(decoder, operands, op);
    }
}

static void decode_inst(struct decoder *decoder, uint32_t index) {
    const struct ptx_function *function = decoder->code->function;
    const struct ptx_inst *inst = &function->insts[index];
    const struct ptx_operand *operands = ptx_operands(function, inst);
    struct micro *op = &decoder->code->micros[index];
    if (inst->form->op == PTX_OP_UNKNOWN) {
        ptx_diagnose(decoder->diagnostics, SEVERITY_ERROR, decoder->program->module, inst,
                     "unknown instruction '%s'", inst->form->name);
        arena_fail(decoder->program->arena, WB_ERR_INPUT);
    }
    op->form = inst->form;
    op->inst = inst;
    op->index = decoder->code->first + ptx_issue_of(function, index);
    op->issued = !inst->untimed;
    op->accesses_memory = strchr(op->form->roles, 'm') != NULL && op->form->class_ != PTX_CLASS_MOVE;
    op->has_guard = inst->guard != PTX_NO_INDEX;
    if (op->has_guard) op->guard = (struct slot){inst->guard, BANK_FRAME, inst->guard_negated};
    for (uint32_t i = 0; i < MICRO_SOURCES; i++)
        op->source[i] = (struct slot){.bank = BANK_CONSTANT};
    decode_outputs(decoder, operands, op);
    decode_by_kind(decoder, operands, op);
    if (op->execute == NULL) decode_opaque(decoder, operands, op);
}

/* A body whose last instruction is passed ends as if by `ret`. */
static void decode_end(struct function_code *code) {
    static const struct ptx_form end = {.text = "", .name = "", .roles = "", .op = PTX_OP_RET};
    struct micro *op = &code->micros[code->function->inst_count];
    op->form = &end;
    op->index = ORIGIN_UNWRITTEN;
    op->execute = return_execute;
}

/* Decodes a function, of which decoder->code is the code. */
static void decode_function(void *context) {
    struct decoder *decoder = context;
    const struct ptx_function *function = decoder->code->function;
    decoder->reconvergence =
        ptx_is_machine_code(function) ? NULL : flow_reconvergence(function, decoder->program->arena);
    for (uint32_t i = 0; i < function->inst_count; i++)
        decode_inst(decoder, i);
    decode_end(decoder->code);
}

wb_status program_decode(struct program *program, wb_diagnostics *diagnostics) {
    struct decoder decoder = {.program = program, .diagnostics = diagnostics};
    for (uint32_t f = 0; f < program->module->function_count; f++) {
        decoder.code = &program->functions[f];
        if (decoder.code->micros == NULL) continue;
        wb_status status = arena_protect(program->arena, decode_function, &decoder);
        if (status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(diagnostics, decoder.code->function->name);
        if (status != WB_OK) return status;
    }
    return WB_OK;
}
