#include <math.h>
#include <string.h>

#include "sass/sass.h"

/* ---- Immediates ---- */

/* How the operation reads its immediate. */
enum immediate_kind { IMMEDIATE_HEX, IMMEDIATE_SIGNED, IMMEDIATE_F32, IMMEDIATE_F64, IMMEDIATE_F16X2 };

static enum immediate_kind immediate_kind(const struct sass_inst *inst) {
    switch (inst->op) {
    case SASS_OP_IADD3:
    case SASS_OP_UIADD3:
    case SASS_OP_VIADD:
    case SASS_OP_IMAD:
    case SASS_OP_UIMAD: return IMMEDIATE_SIGNED;
    case SASS_OP_IMAD_WIDE:
    case SASS_OP_IMAD_HI:
    case SASS_OP_ISETP:
    case SASS_OP_UISETP:
    case SASS_OP_IMNMX:
    case SASS_OP_VIMNMX:
    case SASS_OP_VIADDMNMX: return sass_field(inst, SASS_FIELD_SIGNED) ? IMMEDIATE_SIGNED : IMMEDIATE_HEX;
    case SASS_OP_FADD:
    case SASS_OP_FMUL:
    case SASS_OP_FFMA:
    case SASS_OP_FMNMX:
    case SASS_OP_FSEL:
    case SASS_OP_FSETP:
    case SASS_OP_FSET:
    case SASS_OP_FCHK:
    case SASS_OP_F2FP:
    case SASS_OP_MUFU: return IMMEDIATE_F32;
    case SASS_OP_DADD:
    case SASS_OP_DMUL:
    case SASS_OP_DFMA:
    case SASS_OP_DSETP: return IMMEDIATE_F64;
    case SASS_OP_HADD2:
    case SASS_OP_HMUL2:
    case SASS_OP_HFMA2: return sass_field(inst, SASS_FIELD_BF16) ? IMMEDIATE_HEX : IMMEDIATE_F16X2;
    default: return IMMEDIATE_HEX;
    }
}

/* The shortest decimal that reads back as the value; NaNs are written by whoever has their bits. */
static void put_number(struct text *text, double value, bool is_float) {
    char buffer[40];
    for (int digits = 1; digits <= 17; digits++) {
        double back = 0;
        const int length = text_format(buffer, sizeof buffer, "%.*g", digits, value);
        if (!number_f64(buffer, (size_t)length, &back)) continue;
        if (is_float ? (float)back == (float)value : back == value) break;
    }
    text_string(text, buffer);
}

/* A float of `fraction` bits behind the point, whose bits these are. */
static void put_float(struct text *text, uint32_t bits, uint32_t sign, uint32_t fraction, double value) {
    const uint32_t magnitude = bits & (sign - 1), quiet = sign - (UINT32_C(1) << (fraction - 1));
    if (isnan(value) && magnitude != quiet)
        text_printf(text, "0x%x", bits);
    else if (isnan(value) || isinf(value))
        text_printf(text, "%c%s", bits & sign ? '-' : '+', isnan(value) ? "QNAN" : "INF");
    else
        put_number(text, value, sign == UINT32_C(1) << 15 || fraction == 23);
}

static double half_value(uint32_t bits) {
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                   : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                                  : ldexp(fraction, -24);
    return bits >> 15 & 1 ? -value : value;
}

static void put_half(struct text *text, uint32_t bits) {
    put_float(text, bits, UINT32_C(1) << 15, 10, half_value(bits));
}

static void put_f32(struct text *text, uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    put_float(text, bits, UINT32_C(1) << 31, 23, (double)value);
}

/* A double whose upper half this is. */
static void put_f64(struct text *text, uint32_t upper) {
    const uint64_t bits = (uint64_t)upper << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    put_float(text, upper, UINT32_C(1) << 31, 20, value);
}

static void put_immediate(const struct sass_inst *inst, uint32_t value, struct text *text) {
    switch (immediate_kind(inst)) {
    case IMMEDIATE_SIGNED:
        text_printf(text, value >> 31 ? "-0x%x" : "0x%x", value >> 31 ? -value : value);
        break;
    case IMMEDIATE_F32: put_f32(text, value); break;
    case IMMEDIATE_F64: put_f64(text, value); break;
    case IMMEDIATE_F16X2:
        put_half(text, value >> 16);
        text_string(text, ", ");
        put_half(text, value & 0xffff);
        break;
    case IMMEDIATE_HEX: text_printf(text, "0x%x", value); break;
    }
}

/* ---- Registers, predicates, sources ---- */

static void put_register(struct text *text, uint32_t number, bool uniform) {
    if (number == SASS_RZ)
        text_string(text, uniform ? "URZ" : "RZ");
    else
        text_printf(text, "%s%u", uniform ? "UR" : "R", number);
}

static void put_predicate(struct text *text, const struct sass_predicate *predicate) {
    text_printf(text, "%s%sP", predicate->negated ? "!" : "", predicate->uniform ? "U" : "");
    if (predicate->number == SASS_PT)
        text_char(text, 'T');
    else
        text_printf(text, "%u", predicate->number);
}

static void put_constant(const struct sass_inst *inst, const struct sass_source *source, bool indexed,
                         struct text *text) {
    int32_t offset = (int32_t)source->value;
    if (source->kind == SASS_SOURCE_BINDLESS)
        text_printf(text, "cx[UR%u][", source->number);
    else
        text_printf(text, "c[0x%x][", source->number);
    if (indexed && inst->a.kind != SASS_SOURCE_NONE && inst->a.number != SASS_RZ) {
        put_register(text, inst->a.number, inst->a.kind == SASS_SOURCE_UREG);
        if (offset)
            text_printf(text, "%s0x%x", offset < 0 ? "-" : "+", offset < 0 ? -source->value : source->value);
    } else {
        text_printf(text, "0x%x", source->value);
    }
    text_char(text, ']');
}

static void put_source(const struct sass_inst *inst, const struct sass_item *item,
                       const struct sass_source *source, struct text *text) {
    bool inverted = item->signs == SIGNS_NOT || item->signs == SIGNS_MASK || sass_field(inst, SASS_FIELD_X);
    if (item->signs == SIGNS_SHARED) text_char(text, '[');
    if (source->negated) text_char(text, inverted ? '~' : '-');
    if (source->absolute) text_char(text, '|');
    switch ((enum sass_source_kind)source->kind) {
    case SASS_SOURCE_NONE: break;
    case SASS_SOURCE_REG: put_register(text, source->number, false); break;
    case SASS_SOURCE_UREG: put_register(text, source->number, true); break;
    case SASS_SOURCE_IMM: put_immediate(inst, source->value, text); break;
    case SASS_SOURCE_CONST:
    case SASS_SOURCE_BINDLESS: put_constant(inst, source, item->kind == ITEM_CONSTANT_BANK, text); break;
    }
    if (source->reuse) text_string(text, ".reuse");
    if (source->absolute) text_char(text, '|');
    static const char *const halves[] = {"", ".F32", ".H0_H0", ".H1_H1"}, *const parts[] = {"", ".B1", ".B2",
                                                                                            ".B3"};
    if (item->signs == SIGNS_SHARED) {
        int32_t offset = (int32_t)inst->c.value;
        if (offset)
            text_printf(text, "%s0x%x", offset < 0 ? "-" : "+", offset < 0 ? -inst->c.value : inst->c.value);
        text_char(text, ']');
    }
    text_string(text, item->signs == SIGNS_PART ? parts[source->lanes] : halves[source->lanes]);
    if (item->signs == SIGNS_ROW || item->signs == SIGNS_COL)
        text_string(text, item->signs == SIGNS_ROW ? ".ROW" : ".COL");
}

static void put_address(const struct sass_inst *inst, struct text *text) {
    const struct sass_address *address = &inst->address;
    bool parts = false;
    if (address->ureg != SASS_URZ && address->ureg_is_policy) text_printf(text, "desc[UR%u]", address->ureg);
    text_char(text, '[');
    if (address->reg != SASS_RZ) {
        text_printf(text, "R%u", address->reg);
        if (address->scale > 1)
            text_printf(text, ".X%u", address->scale);
        else if (sass_field(inst, SASS_FIELD_E) || inst->op == SASS_OP_LDGSTS)
            text_string(text, address->wide ? ".64" : ".U32");
        parts = true;
    }
    if (address->ureg != SASS_URZ && !address->ureg_is_policy) {
        text_printf(text, "%sUR%u", parts ? "+" : "", address->ureg);
        parts = true;
    }
    if (address->offset < 0)
        text_printf(text, "%s-0x%llx", "", (unsigned long long)-address->offset);
    else if (address->offset || !parts)
        text_printf(text, "%s0x%llx", parts ? "+" : "", (unsigned long long)address->offset);
    text_char(text, ']');
}

/* ---- Numbers ---- */

static const char *special_name(uint32_t number) {
    static const char *const names[256] = {
        [0x00] = "SR_LANEID",        [0x02] = "SR_VIRTCFG",   [0x03] = "SR_VIRTID",
        [0x20] = "SR_TID",           [0x21] = "SR_TID.X",     [0x22] = "SR_TID.Y",
        [0x23] = "SR_TID.Z",         [0x25] = "SR_CTAID.X",   [0x26] = "SR_CTAID.Y",
        [0x27] = "SR_CTAID.Z",       [0x28] = "SR_NTID",      [0x2f] = "SR_SWINHI",
        [0x32] = "SR_SMEMSZ",        [0x37] = "SR_LMEMHIOFF", [0x38] = "SR_EQMASK",
        [0x39] = "SR_LTMASK",        [0x3a] = "SR_LEMASK",    [0x3b] = "SR_GTMASK",
        [0x3c] = "SR_GEMASK",        [0x42] = "SR_PHYSID",    [0x43] = "SR_VIRTUALSMID",
        [0x50] = "SR_CLOCKLO",       [0x51] = "SR_CLOCKHI",   [0x52] = "SR_GLOBALTIMERLO",
        [0x53] = "SR_GLOBALTIMERHI", [0x88] = "SR_CgaCtaId",  [0xff] = "SRZ"};
    return names[number & 255];
}

static void put_field(const struct sass_inst *inst, const struct sass_item *item, struct text *text) {
    uint32_t value = sass_item_bits(inst->word, item);
    if (item->field == SASS_FIELD_SPECIAL && special_name(value))
        text_string(text, special_name(value));
    else if (item->field == SASS_FIELD_SPECIAL)
        text_printf(text, "SR%u", value);
    else if (item->signs == SIGNS_PART && value == 26)
        text_string(text, "MACTIVE");
    else if (item->signs == SIGNS_PART)
        text_printf(text, "B%u", value);
    else
        text_printf(text, "0x%x", value);
}

static void put_counters(const struct sass_inst *inst, struct text *text) {
    text_printf(text, "SB%u, 0x%x", sass_field(inst, SASS_FIELD_COUNTER), sass_field(inst, SASS_FIELD_LIMIT));
    uint32_t more = sass_field(inst, SASS_FIELD_WAIT_MORE);
    const char *before = ", {";
    for (uint32_t i = 6; i-- > 0;)
        if (more >> i & 1) {
            text_printf(text, "%s%u", before, i);
            before = ",";
        }
    if (more) text_char(text, '}');
}

/* ---- Instructions ---- */

static bool is_zero_register(const struct sass_source *source) {
    return source->kind == SASS_SOURCE_REG && source->number == SASS_RZ;
}

/* What the customary text calls a multiplication that only moves, adds or shifts. */
static const char *imad_use(const struct sass_inst *inst) {
    if (inst->op != SASS_OP_IMAD || sass_field(inst, SASS_FIELD_X)) return "";
    if (is_zero_register(&inst->a) && is_zero_register(&inst->b)) return ".MOV";
    if (inst->b.kind != SASS_SOURCE_IMM) return "";
    if (inst->b.value == 1) return ".IADD";
    bool power = inst->b.value && !(inst->b.value & (inst->b.value - 1));
    return power && is_zero_register(&inst->c) ? ".SHL" : "";
}

static void put_modifiers(const struct sass_inst *inst, struct text *text) {
    text_string(text, imad_use(inst));
    for (uint32_t i = 0; i < inst->row->item_count; i++) {
        const struct sass_item *item = &inst->row->items[i];
        if (item->kind == ITEM_PLAIN)
            text_string(text, item->names[0]);
        else if ((item->kind == ITEM_FIELD || item->kind == ITEM_TEXT) && item->names)
            text_string(text, item->names[sass_item_bits(inst->word, item)]);
    }
    if (inst->op == SASS_OP_WARPSYNC && inst->b.kind == SASS_SOURCE_IMM && inst->b.value == 0)
        text_string(text, ".ALL");
}

/* Whether the item is an operand that is written out. */
static bool is_printed(const struct sass_inst *inst, const struct sass_item *item) {
    bool used = sass_item_used(inst, item);
    bool present = item->when != WHEN_USED;
    switch ((enum sass_item_kind)item->kind) {
    case ITEM_NUMBER_IF: return sass_item_bits(inst->word, item) != item->value;
    case ITEM_TO: return present || inst->to[item->value].number != SASS_PT;
    case ITEM_FROM:
        return used &&
               (present || inst->from[item->value].number != SASS_PT || inst->from[item->value].negated);
    case ITEM_A:
    case ITEM_ADDRESS:
    case ITEM_TARGET:
    case ITEM_REGISTER:
    case ITEM_NUMBER:
    case ITEM_B:
    case ITEM_C: return used;
    case ITEM_D:
    case ITEM_REG_B:
    case ITEM_REG_C:
    case ITEM_IMM_B:
    case ITEM_IMM_C:
    case ITEM_CONSTANT_BANK:
    case ITEM_HANDLE:
    case ITEM_WORD:
    case ITEM_COUNTERS:
    case ITEM_PREDICATES: return true;
    case ITEM_FIELD:
    case ITEM_TEXT:
    case ITEM_CONSTANT:
    case ITEM_PLAIN:
    case ITEM_FIXED:
    case ITEM_ADDRESS_UREG:
    case ITEM_ADDRESS_WIDE:
    case ITEM_ADDRESS_POLICY:
    case ITEM_ADDRESS_SCALE:
    case ITEM_GUARD: return false;
    }
    return false;
}

static void put_listed_register(const struct sass_inst *inst, const struct sass_item *item,
                                struct text *text) {
    const uint32_t number = (uint32_t)sass_bits(inst->word, item->low, item->width);
    static const char *const before[] = {[SIGNS_SHARED] = "[", [SIGNS_DESC] = "desc["};
    const bool brackets = item->signs == SIGNS_SHARED || item->signs == SIGNS_DESC;
    if (brackets) text_string(text, before[item->signs]);
    put_register(text, number == (UINT32_C(1) << item->width) - 1 ? SASS_RZ : number, item->uniform);
    if (item->high_width) {
        const uint32_t offset = (uint32_t)sass_bits(inst->word, item->high, item->high_width);
        if (offset) text_printf(text, "+0x%x", offset);
    }
    if (brackets) text_char(text, ']');
}

static void put_operand(const struct sass_inst *inst, const struct sass_item *item, struct text *text) {
    switch ((enum sass_item_kind)item->kind) {
    case ITEM_D: put_register(text, inst->d, inst->d_uniform); break;
    case ITEM_REGISTER: put_listed_register(inst, item, text); break;
    case ITEM_A: put_source(inst, item, &inst->a, text); break;
    case ITEM_B:
    case ITEM_REG_B:
    case ITEM_IMM_B:
    case ITEM_CONSTANT_BANK: put_source(inst, item, &inst->b, text); break;
    case ITEM_WORD: text_string(text, item->names[sass_item_bits(inst->word, item)]); break;
    case ITEM_C:
    case ITEM_REG_C:
    case ITEM_HANDLE:
    case ITEM_IMM_C: put_source(inst, item, &inst->c, text); break;
    case ITEM_TO: put_predicate(text, &inst->to[item->value]); break;
    case ITEM_FROM: put_predicate(text, &inst->from[item->value]); break;
    case ITEM_ADDRESS: put_address(inst, text); break;
    case ITEM_TARGET: text_printf(text, "L_0x%04x", inst->target); break;
    case ITEM_COUNTERS: put_counters(inst, text); break;
    case ITEM_PREDICATES: text_string(text, "PR"); break;
    default: put_field(inst, item, text); break;
    }
}

void sass_put(const struct sass_inst *inst, struct text *text) {
    if (!inst->row) {
        text_printf(text, "? 0x%016llx 0x%016llx", (unsigned long long)inst->word[0],
                    (unsigned long long)inst->word[1]);
        return;
    }
    if (inst->guard.number != SASS_PT || inst->guard.negated) {
        text_char(text, '@');
        put_predicate(text, &inst->guard);
        text_char(text, ' ');
    }
    text_string(text, sass_op_name((enum sass_op)inst->op));
    put_modifiers(inst, text);
    const char *before = " ";
    for (uint32_t i = 0; i < inst->row->item_count; i++) {
        const struct sass_item *item = &inst->row->items[i];
        if (!is_printed(inst, item)) continue;
        text_string(text, before);
        put_operand(inst, item, text);
        before = ", ";
    }
}

void sass_put_control(const struct sass_control *control, struct text *text) {
    text_char(text, 'B');
    for (uint32_t i = 0; i < 6; i++)
        text_char(text, control->waits >> i & 1 ? (char)('0' + i) : '-');
    text_string(text, ":R");
    text_char(text, control->read_counter == SASS_NO_COUNTER ? '-' : (char)('0' + control->read_counter));
    text_string(text, ":W");
    text_char(text, control->write_counter == SASS_NO_COUNTER ? '-' : (char)('0' + control->write_counter));
    text_printf(text, ":%c:S%02u", control->yield ? 'Y' : '-', control->stall);
}
