/* Constants: launch data, parameters, the module's constants, addresses of its variables. What is not in the
 * file is loaded once, at the beginning of the function: constants do not change while a kernel runs. */
#include <assert.h>
#include <string.h>

#include "lift/lift.h"

/* Words of bank 0 that the launch fills, by their offset before sm_90, of sm_90, and after it. */
enum launch_word {
    WORD_SREG,
    WORD_STACK,
    WORD_LOCAL_WINDOW,
    WORD_SHARED_WINDOW,
    WORD_CONST_WINDOW,
    WORD_GRID_BARRIER
};

static const struct launch_constant {
    uint16_t before_90, of_90, from_100;
    uint8_t bytes;
    uint8_t word; /* enum launch_word */
    uint16_t sreg;
} launch_constants[] = {
    {0x00, 0x00, 0x360, 4, WORD_SREG, PTX_SREG_NTID_X},
    {0x04, 0x04, 0x364, 4, WORD_SREG, PTX_SREG_NTID_Y},
    {0x08, 0x08, 0x368, 4, WORD_SREG, PTX_SREG_NTID_Z},
    {0x0c, 0x0c, 0x36c, 4, WORD_SREG, PTX_SREG_NCTAID_X},
    {0x10, 0x10, 0x370, 4, WORD_SREG, PTX_SREG_NCTAID_Y},
    {0x14, 0x14, 0x374, 4, WORD_SREG, PTX_SREG_NCTAID_Z},
    {0x18, 0x18, UINT16_MAX, 8, WORD_SHARED_WINDOW, 0},
    {0x20, 0x20, UINT16_MAX, 8, WORD_LOCAL_WINDOW, 0},
    {0x28, 0x28, 0x37c, 4, WORD_STACK, 0},
    {0x2c, 0x2c, UINT16_MAX, 4, WORD_SREG, PTX_SREG_DYNAMIC_SMEM_SIZE},
    {0x10c, 0x10c, UINT16_MAX, 4, WORD_SREG, PTX_SREG_NSMID},
    {0x50, 0xd0, UINT16_MAX, 8, WORD_CONST_WINDOW, 0},
    {0x90, 0x44, UINT16_MAX, 4, WORD_GRID_BARRIER, 0},
    {0x94, 0x48, UINT16_MAX, 4, WORD_GRID_BARRIER, 0},
};

/* Where the 64 bits are that say how global memory is cached. */
static uint32_t policy_offset(uint32_t sm) {
    return sm >= 100 ? 0x358 : sm >= 90 ? 0x208 : sm >= 80 ? 0x118 : UINT32_MAX;
}

static struct ptx_operand constant_register(struct lift *lift, uint32_t bank, uint32_t offset,
                                            uint32_t bytes) {
    for (size_t i = 0; i < lift->constants.count; i++) {
        const struct lift_constant *known = &lift->constants.items[i];
        if (known->bank == bank && known->offset == offset && known->bytes == bytes)
            return (struct ptx_operand){.kind = PTX_OPERAND_REG, .index = known->reg};
    }
    return lift_none();
}

/* A new register for a constant. */
static struct ptx_operand new_constant(struct lift *lift, uint32_t bank, uint32_t offset, uint32_t bytes) {
    struct lift_constant made = {.bank = bank, .offset = offset, .bytes = bytes};
    made.reg = lift_new_register(
        lift, lift_text(lift, bytes == 8 ? "c[0x%x][0x%x].64" : "c[0x%x][0x%x]", bank, offset),
        bytes == 8 ? PTX_B64 : PTX_B32);
    arena_push(lift->arena, &lift->constants, made);
    return (struct ptx_operand){.kind = PTX_OPERAND_REG, .index = made.reg};
}

/* ---- Parameters ---------------------------------------------------------------------------------------- */

/* The parameter that has `bytes` bytes of bank 0 at `offset`, or NULL. */
static const struct cubin_param *param_at(const struct lift *lift, uint32_t offset, uint32_t bytes) {
    const struct cubin_kernel *kernel = lift->kernel;
    for (uint32_t p = 0; p < kernel->param_count; p++) {
        const struct cubin_param *param = &kernel->params[p];
        const uint32_t first = kernel->param_base + param->offset;
        if (offset >= first && bytes <= param->bytes && offset - first <= param->bytes - bytes) return param;
    }
    return NULL;
}

static struct ptx_operand param_address(struct lift *lift, const struct cubin_param *param, uint32_t offset) {
    const uint32_t variable = lift->first_param + (uint32_t)(param - lift->kernel->params);
    return lift_address(lift, lift_variable(variable, 0),
                        (int64_t)offset - lift->kernel->param_base - param->offset);
}

/* A word that lies in several parameters, or beside them: by bytes, those of none are 0. */
static void load_bytes(struct lift *lift, uint32_t offset, struct ptx_operand word) {
    LIFT_EMIT(lift, "mov.b32", word, lift_int(0));
    for (uint32_t i = 0; i < 4; i++) {
        const struct cubin_param *param = param_at(lift, offset + i, 1);
        if (param == NULL) continue;
        struct ptx_operand byte = lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, "ld.param.u8", byte, param_address(lift, param, offset + i));
        LIFT_EMIT(lift, "shl.b32", byte, byte, lift_int(UINT64_C(8) * i));
        LIFT_EMIT(lift, "or.b32", word, word, byte);
    }
}

static bool is_param(const struct lift *lift, uint32_t offset) {
    const struct cubin_kernel *kernel = lift->kernel;
    return offset >= kernel->param_base && offset - kernel->param_base < kernel->param_bytes;
}

/* Half of a constant of 64 bits, which keeps what is known of addresses. */
static void load_half(struct lift *lift, uint32_t bank, uint32_t offset, struct ptx_operand half) {
    struct ptx_operand halves[2] = {{.kind = PTX_OPERAND_SINK}, {.kind = PTX_OPERAND_SINK}};
    halves[offset / 4 % 2] = half;
    struct ptx_operand whole = lift_constant(lift, bank, offset & ~UINT32_C(7), 8);
    LIFT_EMIT(lift, "mov.b64", lift_vector(lift, halves, 2), whole);
}

static void load_param(struct lift *lift, uint32_t offset, uint32_t bytes, struct ptx_operand to) {
    const struct cubin_param *param = param_at(lift, offset, bytes);
    if (bytes == 4 && param_at(lift, offset & ~UINT32_C(7), 8) != NULL) {
        load_half(lift, 0, offset, to);
    } else if (param != NULL) {
        LIFT_EMIT(lift, bytes == 8 ? "ld.param.b64" : "ld.param.b32", to, param_address(lift, param, offset));
    } else if (bytes == 4) {
        load_bytes(lift, offset, to);
    } else {
        const struct ptx_operand halves[2] = {lift_constant(lift, 0, offset, 4),
                                              lift_constant(lift, 0, offset + 4, 4)};
        LIFT_EMIT(lift, "mov.b64", to, lift_vector(lift, halves, 2));
    }
}

/* ---- Launch data --------------------------------------------------------------------------------------- */

static const struct launch_constant *launch_constant_at(const struct lift *lift, uint32_t offset) {
    for (size_t i = 0; i < sizeof launch_constants / sizeof *launch_constants; i++) {
        const struct launch_constant *constant = &launch_constants[i];
        uint32_t first = lift->sm >= 100  ? constant->from_100
                         : lift->sm >= 90 ? constant->of_90
                                          : constant->before_90;
        if (first != UINT16_MAX && offset >= first && offset - first < constant->bytes) return constant;
    }
    return NULL;
}

/* Where bank 3 begins, as one of its variables says. */
static void load_const_window(struct lift *lift, struct ptx_operand to) {
    const struct cubin *cubin = lift->in->cubin;
    for (uint32_t s = 0; s < cubin->symbol_count; s++) {
        const uint32_t variable = lift->in->symbol_variable[s];
        if (cubin->symbols[s].space != CUBIN_CONST || variable == PTX_NO_INDEX) continue;
        LIFT_EMIT(lift, "mov.u64", to, lift_variable(variable, -cubin->symbols[s].offset));
        return;
    }
    lift_refuse(lift, "it reads the address of constants, but the file has none");
}

static void load_launch_word(struct lift *lift, const struct launch_constant *constant, uint32_t offset,
                             uint32_t bytes, struct ptx_operand to) {
    const uint64_t stack = lift->stack == PTX_NO_INDEX ? 0 : lift->in->variables.items[lift->stack].size;
    if (constant->bytes == 8 && bytes == 4) {
        load_half(lift, 0, offset, to);
        return;
    }
    switch ((enum launch_word)constant->word) {
    case WORD_SREG: LIFT_EMIT(lift, "mov.u32", to, lift_special_register(constant->sreg)); break;
    case WORD_STACK: LIFT_EMIT(lift, "mov.u32", to, lift_variable(lift->stack, stack)); break;
    case WORD_LOCAL_WINDOW: LIFT_EMIT(lift, "cvta.local.u64", to, lift_int(0)); break;
    case WORD_SHARED_WINDOW: LIFT_EMIT(lift, "cvta.shared.u64", to, lift_int(0)); break;
    case WORD_CONST_WINDOW: load_const_window(lift, to); break;
    case WORD_GRID_BARRIER:
        lift_refuse(lift, "it reads the grid barrier (grid.sync), which waits for all blocks");
        break;
    }
}

static void load_launch_data(struct lift *lift, uint32_t offset, uint32_t bytes, struct ptx_operand to) {
    const struct launch_constant *constant = launch_constant_at(lift, offset);
    if (constant == NULL) {
        lift_refuse(lift, "it reads an unknown constant of the launch");
    } else if (bytes == 8 && constant->bytes == 4) {
        const struct ptx_operand halves[2] = {lift_constant(lift, 0, offset, 4),
                                              lift_constant(lift, 0, offset + 4, 4)};
        LIFT_EMIT(lift, "mov.b64", to, lift_vector(lift, halves, 2));
    } else {
        load_launch_word(lift, constant, offset, bytes, to);
    }
}

/* ---- Banks --------------------------------------------------------------------------------------------- */

/* The little-endian number at `offset`; bytes behind the end are 0. */
static uint64_t number_in(const struct cubin_bank *bank, uint32_t offset, uint32_t bytes) {
    uint64_t value = 0;
    for (uint32_t i = 0; bank->bytes != NULL && i < bytes; i++)
        if (offset + (uint64_t)i < bank->size) value |= (uint64_t)bank->bytes[offset + i] << (8 * i);
    return value;
}

/* The variable of bank 3 that has `bytes` bytes at `offset`, or PTX_NO_INDEX. */
static uint32_t constant_variable(const struct lift *lift, uint32_t offset, uint32_t bytes,
                                  uint64_t *within) {
    const struct cubin *cubin = lift->in->cubin;
    for (uint32_t s = 0; s < cubin->symbol_count; s++) {
        const struct cubin_symbol *symbol = &cubin->symbols[s];
        if (symbol->space != CUBIN_CONST || offset < symbol->offset) continue;
        *within = offset - symbol->offset;
        if (bytes <= symbol->bytes && *within <= symbol->bytes - bytes) return lift->in->symbol_variable[s];
    }
    return PTX_NO_INDEX;
}

static void load_variable(struct lift *lift, uint32_t offset, uint32_t bytes, struct ptx_operand to) {
    uint64_t within;
    const uint32_t variable = constant_variable(lift, offset, bytes, &within);
    if (variable == PTX_NO_INDEX) {
        lift_refuse(lift, "it reads constants outside all variables");
        return;
    }
    LIFT_EMIT(lift, bytes == 8 ? "ld.const.b64" : "ld.const.b32", to,
              lift_address(lift, lift_variable(variable, 0), (int64_t)within));
}

uint32_t lift_declared(const struct lift *lift, const char *name) {
    const struct lift_module *in = lift->in;
    for (uint32_t f = in->first_declared; f < in->first_declared + in->declared_count; f++)
        if (strcmp(in->module->functions[f].name, name) == 0) return f;
    return PTX_NO_INDEX;
}

/* The address of a variable or function in bank 4. */
static void load_address(struct lift *lift, uint32_t offset, struct ptx_operand to) {
    const struct cubin *cubin = lift->in->cubin;
    for (uint32_t a = 0; a < cubin->address_count; a++) {
        const struct cubin_address *address = &cubin->addresses[a];
        if (address->bank != 4 || address->offset != offset) continue;
        const uint32_t variable =
            address->symbol == CUBIN_NONE ? PTX_NO_INDEX : lift->in->symbol_variable[address->symbol];
        const uint32_t function = variable != PTX_NO_INDEX || address->name == NULL || address->addend != 0
                                      ? PTX_NO_INDEX
                                      : lift_declared(lift, address->name);
        if (function != PTX_NO_INDEX) {
            LIFT_EMIT(lift, "mov.u64", to,
                      (struct ptx_operand){.kind = PTX_OPERAND_FUNCTION, .index = function});
            return;
        }
        if (variable == PTX_NO_INDEX) break;
        LIFT_EMIT(lift, "mov.u64", to, lift_variable(variable, (uint64_t)address->addend));
        return;
    }
    lift_refuse(lift, "it reads an address that the file lacks");
}

static void load(struct lift *lift, uint32_t bank, uint32_t offset, uint32_t bytes, struct ptx_operand to) {
    if (bank == 0 && is_param(lift, offset)) {
        load_param(lift, offset, bytes, to);
    } else if (bank == 0) {
        load_launch_data(lift, offset, bytes, to);
    } else if (bank == 3) {
        load_variable(lift, offset, bytes, to);
    } else if (bank == 4 && bytes == 8) {
        load_address(lift, offset, to);
    } else if (bank == 4) {
        load_half(lift, bank, offset, to);
    } else {
        lift_refuse(lift, "it reads an unknown bank of constants");
    }
}

struct ptx_operand lift_constant(struct lift *lift, uint32_t bank, uint32_t offset, uint32_t bytes) {
    assert(bytes == 4 || bytes == 8);
    const uint32_t policy = policy_offset(lift->sm);
    if (bank == 2) return lift_int(number_in(&lift->kernel->constant2, offset, bytes));
    if (bank == 0 && offset >= policy && offset - policy < 8) return lift_int(0); /* no part of any value */
    struct ptx_operand known = constant_register(lift, bank, offset, bytes);
    if (known.kind == PTX_OPERAND_REG) return known;
    const struct launch_constant *stack = bank == 0 ? launch_constant_at(lift, offset) : NULL;
    if (stack != NULL && stack->word == WORD_STACK && lift->stack == PTX_NO_INDEX) return lift_int(0);
    struct ptx_operand made = new_constant(lift, bank, offset, bytes);
    struct lift_code *before = lift->out;
    lift->out = &lift->prologue;
    load(lift, bank, offset, bytes, made);
    lift->out = before;
    return made;
}

bool lift_constant_place(struct lift *lift, uint32_t bank, uint32_t offset, struct ptx_operand *variable,
                         uint64_t *within) {
    uint32_t index = PTX_NO_INDEX;
    const struct cubin_param *param = bank == 0 ? param_at(lift, offset, 1) : NULL;
    if (param != NULL) {
        index = lift->first_param + (uint32_t)(param - lift->kernel->params);
        *within = offset - lift->kernel->param_base - param->offset;
    } else if (bank == 3) {
        index = constant_variable(lift, offset, 1, within);
    } else if (bank == 2) {
        index = lift->constant2;
        *within = offset;
    }
    *variable = lift_variable(index, 0);
    if (index == PTX_NO_INDEX) lift_refuse(lift, "it reads constants outside all variables");
    return index != PTX_NO_INDEX;
}
