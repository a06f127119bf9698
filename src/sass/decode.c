#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "sass/sass.h"

/* What is done with one word. */
struct decoding {
    struct sass_inst *inst;
    const uint64_t *word;
    uint64_t claimed[2]; /* bits that are operands, fields or have the value that they must have */
    uint32_t generation;
    uint32_t form;
    uint32_t at;
    const char *reason; /* or NULL */
};

static inline uint64_t get(struct decoding *decoding, uint32_t low, uint32_t width) {
    uint64_t mask = UINT64_MAX >> (64 - width);
    if (low >= 64) {
        decoding->claimed[1] |= mask << (low - 64);
    } else {
        decoding->claimed[0] |= mask << low;
        if (low + width > 64) decoding->claimed[1] |= mask >> (64 - low);
    }
    return sass_bits(decoding->word, low, width);
}

static void refuse(struct decoding *decoding, const char *reason) {
    if (!decoding->reason) decoding->reason = reason;
}

static int64_t sign_extend(uint64_t value, uint32_t width) {
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* ---- Registers and sources ---- */

static uint16_t uniform_register(struct decoding *decoding, uint32_t low) {
    if (decoding->generation == SASS_LATER) return (uint16_t)get(decoding, low, 8);
    uint32_t number = (uint32_t)get(decoding, low, 6);
    return number == 63 ? SASS_URZ : (uint16_t)number;
}

static uint16_t register_at(struct decoding *decoding, uint32_t low, bool uniform) {
    return uniform ? uniform_register(decoding, low) : (uint16_t)get(decoding, low, 8);
}

/* Sign and magnitude of source A, and of what stands in bits 32 to 63 and in 64 to 71. */
enum place { PLACE_A, PLACE_LOW, PLACE_HIGH };

static void decode_signs(struct decoding *decoding, const struct sass_item *item, enum place place,
                         struct sass_source *source) {
    static const struct {
        uint8_t negated, absolute, half_negated, half_absolute, lanes;
    } places[] = {{72, 73, 72, 73, 74}, {63, 62, 63, 62, 60}, {75, 74, 84, 83, 81}};
    const enum sass_signs signs = (enum sass_signs)item->signs;
    bool immediate = source->kind == SASS_SOURCE_IMM;
    if (immediate || signs == SIGNS_NONE) return;
    switch (signs) {
    case SIGNS_NONE: break;
    case SIGNS_NOT:
    case SIGNS_NEG: source->negated = get(decoding, places[place].negated, 1); break;
    case SIGNS_FLOAT:
        source->negated = get(decoding, places[place].negated, 1);
        source->absolute = get(decoding, places[place].absolute, 1);
        break;
    case SIGNS_LANE:
    case SIGNS_HALF:
        source->negated = get(decoding, places[place].half_negated, 1);
        source->absolute = get(decoding, places[place].half_absolute, 1);
        source->lanes = (uint8_t)get(decoding, places[place].lanes, 2);
        break;
    case SIGNS_PART: source->lanes = (uint8_t)get(decoding, 60, 2); break;
    case SIGNS_UPPER:
        source->negated = get(decoding, places[place].negated, 1);
        source->absolute = get(decoding, places[place].absolute, 1);
        source->lanes = get(decoding, item->high, 1) ? 3 : 0;
        break;
    case SIGNS_DESC:
    case SIGNS_ROW:
    case SIGNS_COL: break;
    case SIGNS_MASK:
        source->negated = decoding->generation != SASS_LATER && get(decoding, 30, 1);
        if (!get(decoding, 91, 1)) refuse(decoding, "a uniform register without the bit that says so");
        break;
    case SIGNS_SHARED:
        decoding->inst->c = (struct sass_source){.kind = SASS_SOURCE_IMM,
                                                 .value = (uint32_t)sign_extend(get(decoding, 44, 20), 20)};
        break;
    }
}

/* Bits 32 to 63. */
static void decode_flexible(struct decoding *decoding, bool uniform, struct sass_source *source) {
    switch (decoding->form) {
    case 2:
    case 4:
        source->kind = SASS_SOURCE_IMM;
        source->value = (uint32_t)get(decoding, 32, 32);
        break;
    case 3:
    case 5:
        source->value = (uint32_t)get(decoding, 38, 16);
        if (get(decoding, 91, 1)) {
            source->kind = SASS_SOURCE_BINDLESS;
            source->number = uniform_register(decoding, 32);
        } else {
            source->kind = SASS_SOURCE_CONST;
            source->number = (uint16_t)get(decoding, 54, 5);
        }
        break;
    case 6:
    case 7:
        source->kind = SASS_SOURCE_UREG;
        source->number = uniform_register(decoding, 32);
        if (!get(decoding, 91, 1)) refuse(decoding, "a uniform register without the bit that says so");
        break;
    default:
        source->kind = uniform ? SASS_SOURCE_UREG : SASS_SOURCE_REG;
        source->number = register_at(decoding, 32, uniform);
        break;
    }
}

/* A source that stands in bits 32 to 63, or in 64 to 71; whether it is kept in the register cache goes by
 * which operand it is. */
static void decode_source(struct decoding *decoding, const struct sass_item *item, bool flexible,
                          uint32_t reuse_bit, struct sass_source *source) {
    if (flexible) {
        decode_flexible(decoding, item->uniform, source);
    } else {
        source->kind = item->uniform ? SASS_SOURCE_UREG : SASS_SOURCE_REG;
        source->number = register_at(decoding, 64, item->uniform);
    }
    decode_signs(decoding, item, flexible ? PLACE_LOW : PLACE_HIGH, source);
    if (source->kind == SASS_SOURCE_REG) source->reuse = get(decoding, reuse_bit, 1);
}

static bool flexible_is_c(uint32_t form) {
    return form == 2 || form == 3 || form == 7;
}

static void decode_b(struct decoding *decoding, const struct sass_item *item, struct sass_source *source) {
    const struct sass_row *row = decoding->inst->row;
    bool flexible =
        row->second_at_b ? !(row->second_at_64 && decoding->form == 1) : !flexible_is_c(decoding->form);
    decode_source(decoding, item, flexible, row->second_at_b ? 124 : 123, source);
}

static void decode_c(struct decoding *decoding, const struct sass_item *item, struct sass_source *source) {
    decode_source(decoding, item, flexible_is_c(decoding->form), 124, source);
    if (!sass_item_used(decoding->inst, item)) {
        if (source->number != SASS_RZ || source->reuse ||
            (source->kind != SASS_SOURCE_REG && source->kind != SASS_SOURCE_UREG))
            refuse(decoding, "a third source where there is none");
        *source = (struct sass_source){0};
    }
}

static void decode_a(struct decoding *decoding, const struct sass_item *item) {
    struct sass_source *source = &decoding->inst->a;
    if (!sass_item_used(decoding->inst, item)) return;
    source->kind = item->uniform ? SASS_SOURCE_UREG : SASS_SOURCE_REG;
    source->number = register_at(decoding, item->low, item->uniform);
    decode_signs(decoding, item, PLACE_A, source);
    if (source->kind == SASS_SOURCE_REG) source->reuse = get(decoding, 122, 1);
}

/* c[bank][offset], c[bank][R + offset], cx[UR][offset]. */
static void decode_constant(struct decoding *decoding, const struct sass_item *item) {
    struct sass_inst *inst = decoding->inst;
    uint64_t offset = get(decoding, 38, 16);
    inst->b = (struct sass_source){.kind = SASS_SOURCE_CONST, .value = (uint32_t)offset};
    if (item->value == INDEX_LDCU) inst->b.value = (uint32_t)get(decoding, 37, 17);
    if (item->value == INDEX_REG) {
        inst->a = (struct sass_source){.kind = SASS_SOURCE_REG, .number = (uint16_t)get(decoding, 24, 8)};
        if (inst->a.number != SASS_RZ) inst->b.value = (uint32_t)sign_extend(offset, 16);
    } else if (item->value == INDEX_UREG || item->value == INDEX_LDCU) {
        inst->a = (struct sass_source){.kind = SASS_SOURCE_UREG, .number = uniform_register(decoding, 24)};
        if (inst->a.number != SASS_URZ)
            inst->b.value = (uint32_t)sign_extend(inst->b.value, item->value == INDEX_LDCU ? 17 : 16);
    } else if (get(decoding, 91, 1)) {
        inst->b.kind = SASS_SOURCE_BINDLESS;
        inst->b.number = uniform_register(decoding, 24);
        return;
    }
    inst->b.number = (uint16_t)get(decoding, 54, 5);
}

static void decode_handle(struct decoding *decoding, const struct sass_item *item) {
    struct sass_source *handle = &decoding->inst->c;
    if (item->uniform) {
        *handle = (struct sass_source){.kind = SASS_SOURCE_UREG, .number = uniform_register(decoding, 40)};
        if (!get(decoding, 91, 1)) refuse(decoding, "a uniform register without the bit that says so");
    } else {
        *handle = (struct sass_source){.kind = SASS_SOURCE_CONST,
                                       .number = (uint16_t)get(decoding, 54, 5),
                                       .value = (uint32_t)get(decoding, 40, 14) * 4};
    }
}

/* ---- Predicates ---- */

static void decode_from(struct decoding *decoding, const struct sass_item *item) {
    struct sass_predicate *predicate = &decoding->inst->from[item->value];
    predicate->number = (uint8_t)get(decoding, item->low, 3);
    predicate->negated = get(decoding, item->high, 1);
    predicate->uniform = item->uniform;
    if (item->when == WHEN_ALWAYS && item->bit) predicate->uniform = get(decoding, item->bit, 1);
    if (sass_item_used(decoding->inst, item)) {
        predicate->present = true;
        return;
    }
    bool is_default = predicate->number == SASS_PT && predicate->negated == (item->when == WHEN_BIT_NOT_PT);
    if (item->when == WHEN_RED && predicate->number == 0 && !predicate->negated) is_default = true;
    if (!is_default) refuse(decoding, "a predicate where there is none");
    *predicate = (struct sass_predicate){.number = SASS_PT};
}

static void decode_to(struct decoding *decoding, const struct sass_item *item) {
    decoding->inst->to[item->value] = (struct sass_predicate){
        .number = (uint8_t)get(decoding, item->low, 3), .uniform = item->uniform, .present = true};
    if ((item->when == WHEN_PT || item->listed) && decoding->inst->to[item->value].number != SASS_PT)
        decoding->inst->listed = true;
}

/* ---- Addresses and targets ---- */

static void decode_address_part(struct decoding *decoding, const struct sass_item *item) {
    struct sass_address *address = &decoding->inst->address;
    switch (item->kind) {
    case ITEM_ADDRESS:
        if (!sass_item_used(decoding->inst, item)) break;
        address->reg = (uint16_t)get(decoding, 24, 8);
        if (item->width) address->offset = sign_extend(get(decoding, item->low, item->width), item->width);
        break;
    case ITEM_ADDRESS_UREG:
        if (item->when == WHEN_UREG && !get(decoding, 91, 1)) break;
        address->ureg = uniform_register(decoding, item->low);
        break;
    case ITEM_ADDRESS_WIDE:
        address->wide = get(decoding, sass_item_used(decoding->inst, item) ? item->low : 72, 1);
        break;
    case ITEM_ADDRESS_POLICY:
        address->ureg_is_policy = get(decoding, item->low, 1);
        if (address->ureg_is_policy && !get(decoding, 91, 1))
            refuse(decoding, "a policy where there is none");
        break;
    default:
        address->scale = (uint8_t[]){1, 4, 8, 16}[get(decoding, item->low, 2)];
        if (address->scale > 1 && address->reg == SASS_RZ) refuse(decoding, "a scale without a register");
        break;
    }
}

/* In units of 4 bytes, relative to the next instruction unless it is an address. */
static void decode_target(struct decoding *decoding, const struct sass_item *item) {
    enum { SHORT, WIDE, ABSOLUTE };
    int64_t offset;
    if (item->value == SHORT) {
        offset = sign_extend(get(decoding, 34, 30), 30) * 4;
    } else if (decoding->generation == SASS_TURING || decoding->generation == SASS_AMPERE) {
        offset = sign_extend(get(decoding, 34, 48), 48) * 4;
    } else {
        uint64_t units = get(decoding, 34, 48) << 8 | get(decoding, 16, 8);
        offset = sign_extend(units, 56) * 4;
    }
    const bool returns = decoding->inst->row->op == SASS_OP_RET && get(decoding, 85, 1); /* .ABS */
    if (item->value != ABSOLUTE && !returns) offset += (int64_t)decoding->at + SASS_BYTES;
    if (offset < 0 || offset > UINT32_MAX || offset % SASS_BYTES)
        refuse(decoding, "a target that is no instruction");
    else
        decoding->inst->target = (uint32_t)offset;
}

/* ---- Items ---- */

static void decode_named(struct decoding *decoding, const struct sass_item *item) {
    uint32_t bits = (uint32_t)get(decoding, item->low, item->width);
    if (item->high_width) bits |= (uint32_t)get(decoding, item->high, item->high_width) << item->width;
    if (item->names && !item->names[bits]) refuse(decoding, "a modifier's value");
    if (bits < 64 && item->listed >> bits & 1) decoding->inst->listed = true;
    if (item->when == WHEN_BIT && bits && !sass_item_used(decoding->inst, item))
        refuse(decoding, "a number where there is none");
}

/* A register that is printed only: none is all bits 0. */
static void decode_listed_register(struct decoding *decoding, const struct sass_item *item) {
    const uint64_t bits = get(decoding, item->low, item->width);
    if (item->high_width) (void)get(decoding, item->high, item->high_width);
    if (bits && !sass_item_used(decoding->inst, item)) refuse(decoding, "a register where there is none");
}

static void decode_item(struct decoding *decoding, const struct sass_item *item) {
    struct sass_inst *inst = decoding->inst;
    switch ((enum sass_item_kind)item->kind) {
    case ITEM_FIELD:
    case ITEM_TEXT:
    case ITEM_NUMBER:
    case ITEM_NUMBER_IF:
    case ITEM_WORD: decode_named(decoding, item); break;
    case ITEM_FIXED:
        if (get(decoding, item->low, item->width) != item->value)
            refuse(decoding, "bits that have another value in all known uses of this opcode");
        break;
    case ITEM_REGISTER: decode_listed_register(decoding, item); break;
    case ITEM_D:
        inst->has_d = true;
        inst->d_uniform = item->uniform;
        inst->d = register_at(decoding, item->low, item->uniform);
        break;
    case ITEM_A: decode_a(decoding, item); break;
    case ITEM_B:
        if (sass_item_used(inst, item)) decode_b(decoding, item, &inst->b);
        break;
    case ITEM_C: decode_c(decoding, item, &inst->c); break;
    case ITEM_REG_B:
        inst->b =
            (struct sass_source){.kind = SASS_SOURCE_REG, .number = (uint16_t)get(decoding, item->low, 8)};
        break;
    case ITEM_REG_C:
        inst->c =
            (struct sass_source){.kind = SASS_SOURCE_REG, .number = (uint16_t)get(decoding, item->low, 8)};
        break;
    case ITEM_IMM_B:
        inst->b = (struct sass_source){.kind = SASS_SOURCE_IMM,
                                       .value = (uint32_t)get(decoding, item->low, item->width)};
        break;
    case ITEM_IMM_C:
        inst->c = (struct sass_source){.kind = SASS_SOURCE_IMM,
                                       .value = (uint32_t)get(decoding, item->low, item->width)};
        break;
    case ITEM_CONSTANT_BANK: decode_constant(decoding, item); break;
    case ITEM_HANDLE: decode_handle(decoding, item); break;
    case ITEM_TO: decode_to(decoding, item); break;
    case ITEM_FROM: decode_from(decoding, item); break;
    case ITEM_ADDRESS:
    case ITEM_ADDRESS_UREG:
    case ITEM_ADDRESS_WIDE:
    case ITEM_ADDRESS_POLICY:
    case ITEM_ADDRESS_SCALE: decode_address_part(decoding, item); break;
    case ITEM_TARGET:
        if (sass_item_used(inst, item)) decode_target(decoding, item);
        break;
    case ITEM_GUARD: inst->guard.uniform = true; break;
    case ITEM_COUNTERS:
    case ITEM_CONSTANT:
    case ITEM_PLAIN:
    case ITEM_PREDICATES: break;
    }
}

/* ---- The control field ---- */

static void decode_control(struct decoding *decoding) {
    uint32_t bits = (uint32_t)get(decoding, 105, 17);
    decoding->inst->control = (struct sass_control){.stall = bits & 15,
                                                    .yield = !(bits >> 4 & 1),
                                                    .write_counter = bits >> 5 & 7,
                                                    .read_counter = bits >> 8 & 7,
                                                    .waits = bits >> 11 & 63};
    if (decoding->inst->control.write_counter == 6 || decoding->inst->control.read_counter == 6)
        refuse(decoding, "a counter that does not exist");
}

/* What an instruction is before its word has been looked at. */
static const struct sass_inst blank = {
    .to = {{.number = SASS_PT}, {.number = SASS_PT}},
    .from = {{.number = SASS_PT}, {.number = SASS_PT}, {.number = SASS_PT}},
    .address = {.reg = SASS_RZ, .ureg = SASS_URZ, .scale = 1}};

bool sass_decode(uint32_t sm, const uint8_t bytes[SASS_BYTES], uint32_t at, struct sass_inst *inst,
                 const char **reason) {
    *inst = blank;
    for (uint32_t half = 0; half < 2; half++) {
        memcpy(&inst->word[half], bytes + half * sizeof inst->word[half], sizeof inst->word[half]);
        inst->word[half] = le64toh(inst->word[half]);
    }
    struct decoding decoding = {
        .inst = inst, .word = inst->word, .generation = sass_generation(sm), .at = at};
    uint32_t opcode = (uint32_t)get(&decoding, 0, 12);
    inst->guard = (struct sass_predicate){
        .number = (uint8_t)get(&decoding, 12, 3), .negated = get(&decoding, 15, 1), .present = true};
    decode_control(&decoding);
    decoding.form = opcode >> 9;
    inst->row = find_row(decoding.generation, opcode);
    if (!inst->row) {
        *reason = decoding.generation ? "an unknown opcode" : "an unknown architecture";
        return false;
    }
    const struct sass_item *end = inst->row->items + inst->row->item_count;
    for (const struct sass_item *item = inst->row->items; item < end; item++)
        if (item->kind <= ITEM_WORD)
            decode_named(&decoding, item);
        else
            decode_item(&decoding, item);
    if ((inst->word[0] & ~decoding.claimed[0]) || (inst->word[1] & ~decoding.claimed[1]))
        refuse(&decoding, "bits of unknown meaning");
    if (decoding.reason) {
        inst->row = NULL;
        *reason = decoding.reason;
        return false;
    }
    inst->op = inst->row->op;
    return true;
}

/* ---- Fields ---- */

uint32_t sass_field(const struct sass_inst *inst, enum sass_field field) {
    if (!inst->row) return 0;
    switch (field) {
    case SASS_FIELD_LANES_A: return inst->a.lanes;
    case SASS_FIELD_LANES_B:
    case SASS_FIELD_SUBWORD: return inst->b.lanes;
    case SASS_FIELD_LANES_C: return inst->c.lanes;
    default: break;
    }
    for (uint32_t i = 0; i < inst->row->item_count; i++) {
        const struct sass_item *item = &inst->row->items[i];
        if (item->field != field) continue;
        if (item->kind == ITEM_CONSTANT) return item->value;
        if (item->kind != ITEM_FIELD && item->kind != ITEM_NUMBER && item->kind != ITEM_NUMBER_IF) continue;
        uint32_t bits = sass_item_bits(inst->word, item);
        return item->values ? item->values[bits] : bits;
    }
    return 0;
}

const char *sass_op_name(enum sass_op op) {
    static const char *const names[SASS_OP_COUNT] = {
        [SASS_OP_UNKNOWN] = "?",
#define SASS_OPCODE(enumerator, name, ...) [SASS_OP_##enumerator] = (name),
#define SASS_FORM(...)
#include "sass/opcode_table.h"
#undef SASS_OPCODE
#undef SASS_FORM
    };
    return op < SASS_OP_COUNT ? names[op] : "?";
}
