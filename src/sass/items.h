/* What rows of sass/opcode_table.h are written with: sets of codes, and items, as initializers of struct
 * sass_item (sass/sass.h). */
#ifndef WB_SASS_ITEMS_H
#define WB_SASS_ITEMS_H

#include "sass/sass.h"

/* clang-format off */

/* ---- Codes: operation, set of forms, and which operand the flexible one is ---- */

enum { CODE_FORMS = 16, CODE_SECOND = 1 << 24, CODE_SECOND_AT_64 = 1 << 25 };

#define ONE(opcode) (((opcode)&0x1ff) | 1 << (((opcode) >> 9) + CODE_FORMS))
#define STD(operation) ((operation) | 0xfe << CODE_FORMS)
#define B_FORMS(operation) ((operation) | 0x72 << CODE_FORMS)
#define C_FORMS(operation) ((operation) | 0x8e << CODE_FORMS | CODE_SECOND)
#define D_FORMS(operation) (C_FORMS(operation) | CODE_SECOND_AT_64)
#define U_FORMS(operation) ((operation) | 0x12 << CODE_FORMS)
#define U_STD(operation) ((operation) | 0x16 << CODE_FORMS)

#define TURING SASS_TURING
#define AMPERE SASS_AMPERE
#define HOPPER SASS_HOPPER
#define LATER SASS_LATER
#define ALL (SASS_TURING | SASS_AMPERE | SASS_HOPPER | SASS_LATER)

/* ---- Items ---- */

#define NAMES(width, ...) (const char *const[1u << (width)]) { __VA_ARGS__}
#define FIELD(f, at, bits, ...) {.kind = ITEM_FIELD, .field = SASS_FIELD_##f, .low = (at), .width = (bits), .names = NAMES(bits, __VA_ARGS__)}
#define FIELD2(f, at, bits, at2, bits2, ...) {.kind = ITEM_FIELD, .field = SASS_FIELD_##f, .low = (at), .width = (bits), .high = (at2), .high_width = (bits2), .names = NAMES((bits) + (bits2), __VA_ARGS__)}
#define FLAG(f, at, text) FIELD(f, at, 1, "", text)
#define HIDDEN(f, at, bits) {.kind = ITEM_FIELD, .field = SASS_FIELD_##f, .low = (at), .width = (bits)}
#define TEXT(at, bits, ...) {.kind = ITEM_TEXT, .low = (at), .width = (bits), .names = NAMES(bits, __VA_ARGS__)}
#define TEXT2(at, bits, at2, bits2, ...) {.kind = ITEM_TEXT, .low = (at), .width = (bits), .high = (at2), .high_width = (bits2), .names = NAMES((bits) + (bits2), __VA_ARGS__)}
/* What these texts say is not known: what has them is only listed. */
#define LISTED_FLAG(at, text) {.kind = ITEM_TEXT, .low = (at), .width = 1, .names = NAMES(1, "", text), .listed = 2}
#define FIELD_LISTED(f, at, text) {.kind = ITEM_FIELD, .field = SASS_FIELD_##f, .low = (at), .width = 1, .names = NAMES(1, "", text), .listed = 2}
#define LISTED_TEXT(at, bits, ...) {.kind = ITEM_TEXT, .low = (at), .width = (bits), .names = NAMES(bits, __VA_ARGS__), .listed = ~UINT64_C(1)}
#define PLAIN(text) {.kind = ITEM_PLAIN, .names = NAMES(0, text)}
#define CONSTANT(f, v) {.kind = ITEM_CONSTANT, .field = SASS_FIELD_##f, .value = (v)}
#define FIXED(at, bits, v) {.kind = ITEM_FIXED, .low = (at), .width = (bits), .value = (v)}
#define NUMBER(f, at, bits) {.kind = ITEM_NUMBER, .field = SASS_FIELD_##f, .low = (at), .width = (bits)}
#define NUMBER2(f, at, bits, at2, bits2) {.kind = ITEM_NUMBER, .field = SASS_FIELD_##f, .low = (at), .width = (bits), .high = (at2), .high_width = (bits2)}
#define NUMBER_IF_USED(f, at, bits) {.kind = ITEM_NUMBER_IF, .field = SASS_FIELD_##f, .low = (at), .width = (bits)}

#define D {.kind = ITEM_D, .low = 16}
#define UD {.kind = ITEM_D, .low = 16, .uniform = true}
/* Only generic atomics write a predicate. */
#define ATOMIC_PT TO_ITEM(0, 81, WHEN_PT, false)
/* Registers that are only printed. */
#define REGISTER(at) {.kind = ITEM_REGISTER, .low = (at), .width = 8}
#define REGISTER_IF(b, at) {.kind = ITEM_REGISTER, .low = (at), .width = 8, .when = WHEN_BIT, .bit = (b)}
/* With an offset in bits 40 to 63. */
#define UREGISTER_OFFSET(at) {.kind = ITEM_REGISTER, .low = (at), .width = 6, .high = 40, .high_width = 24, .uniform = true, .signs = SIGNS_SHARED}
#define UREGISTER_AT(at) {.kind = ITEM_REGISTER, .low = (at), .width = 6, .uniform = true, .signs = SIGNS_SHARED}
#define POLICY_IF(b, at) {.kind = ITEM_REGISTER, .low = (at), .width = 6, .uniform = true, .when = WHEN_BIT, .bit = (b), .signs = SIGNS_DESC}
#define UREGISTER(at) {.kind = ITEM_REGISTER, .low = (at), .width = 6, .uniform = true}
#define NUMBER_IF(b, f, at, bits) {.kind = ITEM_NUMBER, .field = SASS_FIELD_##f, .low = (at), .width = (bits), .when = WHEN_BIT, .bit = (b)}
#define TO_LISTED(i, at) {.kind = ITEM_TO, .value = (i), .low = (at), .width = 3, .when = WHEN_USED, .listed = 1}
#define ATOM_DONE TO(0, 81)
#define SPACE {.kind = ITEM_FIELD, .field = SASS_FIELD_SPACE, .low = 73, .width = 3, .names = NAMES(3, ".G", ".L", ".S", ".D")}
#define A {.kind = ITEM_A, .low = 24}
#define A_NEG {.kind = ITEM_A, .low = 24, .signs = SIGNS_NEG}
#define A_FLOAT {.kind = ITEM_A, .low = 24, .signs = SIGNS_FLOAT}
#define A_HALF {.kind = ITEM_A, .low = 24, .signs = SIGNS_HALF}
#define A_SHARED {.kind = ITEM_A, .low = 16, .signs = SIGNS_SHARED}
#define A_BYTE {.kind = ITEM_A, .low = 24}, HIDDEN(BYTE, 76, 2)
#define UA {.kind = ITEM_A, .low = 24, .uniform = true}
#define UA_NEG {.kind = ITEM_A, .low = 24, .signs = SIGNS_NEG, .uniform = true}
#define B {.kind = ITEM_B}
#define B_NEG {.kind = ITEM_B, .signs = SIGNS_NEG}
#define B_NOT {.kind = ITEM_B, .signs = SIGNS_NOT}
#define B_FLOAT {.kind = ITEM_B, .signs = SIGNS_FLOAT}
#define B_HALF {.kind = ITEM_B, .signs = SIGNS_HALF}
#define B_FLOAT_HALF {.kind = ITEM_B, .signs = SIGNS_LANE}
#define B_FLOAT_UPPER(at) {.kind = ITEM_B, .signs = SIGNS_UPPER, .high = (at)}
#define A_ROW {.kind = ITEM_A, .low = 24, .signs = SIGNS_ROW}
#define B_COL {.kind = ITEM_B, .signs = SIGNS_COL}
#define B_PART {.kind = ITEM_B, .signs = SIGNS_PART}
#define UB {.kind = ITEM_B, .uniform = true}
#define UB_NEG {.kind = ITEM_B, .signs = SIGNS_NEG, .uniform = true}
#define UB_NOT {.kind = ITEM_B, .signs = SIGNS_NOT, .uniform = true}
#define C {.kind = ITEM_C}
#define C_NEG {.kind = ITEM_C, .signs = SIGNS_NEG}
#define C_FLOAT {.kind = ITEM_C, .signs = SIGNS_FLOAT}
#define C_HALF {.kind = ITEM_C, .signs = SIGNS_HALF}
#define C_OF_LEA {.kind = ITEM_C, .when = WHEN_LEA}
#define C_OF_MERGE {.kind = ITEM_C, .when = WHEN_MERGE}
#define UC {.kind = ITEM_C, .uniform = true}
#define UC_NEG {.kind = ITEM_C, .signs = SIGNS_NEG, .uniform = true}
#define UC_OF_LEA {.kind = ITEM_C, .when = WHEN_LEA, .uniform = true}
#define SECOND_FLOAT B_FLOAT
#define SECOND_HALF B_HALF
#define DATA(at) {.kind = ITEM_REG_B, .low = (at)}
#define NEW_DATA(at) {.kind = ITEM_REG_C, .low = (at)}
#define REG_B(at) {.kind = ITEM_REG_B, .low = (at)}
#define REG_C(at) {.kind = ITEM_REG_C, .low = (at)}
#define IMM_B(at, bits) {.kind = ITEM_IMM_B, .low = (at), .width = (bits)}
#define IMM_C(at, bits) {.kind = ITEM_IMM_C, .low = (at), .width = (bits)}
#define CONSTANT_OR_BINDLESS {.kind = ITEM_CONSTANT_BANK, .value = INDEX_NONE}
#define CONSTANT_AT_REG {.kind = ITEM_CONSTANT_BANK, .value = INDEX_REG}
#define CONSTANT_OF_LDCU {.kind = ITEM_CONSTANT_BANK, .value = INDEX_LDCU}
#define CONSTANT_AT_UREG {.kind = ITEM_CONSTANT_BANK, .value = INDEX_UREG}

#define TO_ITEM(i, at, w, u) {.kind = ITEM_TO, .value = (i), .low = (at), .width = 3, .when = (w), .uniform = (u)}
#define TO(i, at) TO_ITEM(i, at, WHEN_ALWAYS, false)
#define TO_IF_USED(i, at) TO_ITEM(i, at, WHEN_USED, false)
#define UTO(i, at) TO_ITEM(i, at, WHEN_ALWAYS, true)
#define UTO_IF_USED(i, at) TO_ITEM(i, at, WHEN_USED, true)
#define FROM_ITEM(i, at, not_at, w, b, u) {.kind = ITEM_FROM, .value = (i), .low = (at), .width = 3, .high = (not_at), .when = (w), .bit = (b), .uniform = (u)}
#define FROM(i, at, not_at) FROM_ITEM(i, at, not_at, WHEN_ALWAYS, 0, false)
#define FROM_IF_USED(i, at, not_at) FROM_ITEM(i, at, not_at, WHEN_USED, 0, false)
#define FROM_IF(b, else_, i, at, not_at) FROM_ITEM(i, at, not_at, ELSE_##else_, b, false)
#define UFROM(i, at, not_at) FROM_ITEM(i, at, not_at, WHEN_ALWAYS, 0, true)
#define UFROM_IF(b, else_, i, at, not_at) FROM_ITEM(i, at, not_at, ELSE_##else_, b, true)
#define ELSE_PT WHEN_BIT
#define ELSE_NOT_PT WHEN_BIT_NOT_PT
/* A bit of its own says whether the predicate is uniform. */
#define FROM_UNIFORM_IF(b, i, at, not_at) {.kind = ITEM_FROM, .value = (i), .low = (at), .width = 3, .high = (not_at), .when = WHEN_ALWAYS, .bit = (b)}
#define BAR_FROM FROM_ITEM(0, 87, 90, WHEN_RED, 0, false)

#define ADDRESS(at, bits) {.kind = ITEM_ADDRESS, .low = (at), .width = (bits)}
#define ADDRESS_IF_UREG(at, bits) {.kind = ITEM_ADDRESS, .low = (at), .width = (bits), .when = WHEN_UREG}
#define ADDRESS_IF_NO_UREG(at, bits) {.kind = ITEM_ADDRESS, .low = (at), .width = (bits), .when = WHEN_NO_UREG}
#define ADDRESS_UREG(at) {.kind = ITEM_ADDRESS_UREG, .low = (at)}
#define ADDRESS_UREG_IF(at) {.kind = ITEM_ADDRESS_UREG, .low = (at), .when = WHEN_UREG}
#define WIDE_BIT(at) {.kind = ITEM_ADDRESS_WIDE, .low = (at), .width = 1}
/* With a uniform register the bit says it, else .E. */
#define WIDE_BIT_OR_E(at) {.kind = ITEM_ADDRESS_WIDE, .low = (at), .width = 1, .when = WHEN_UREG}
#define WIDE_BY_E WIDE_BIT(72)
/* Bit 101: the policy was given in the source; it changes nothing here. */
#define POLICY_BIT(at) {.kind = ITEM_ADDRESS_POLICY, .low = (at), .width = 1}, TEXT(101, 1, "", "")
#define SCALE_BITS {.kind = ITEM_ADDRESS_SCALE, .low = 78, .width = 2}

#define TARGET {.kind = ITEM_TARGET, .value = 1}
#define TARGET_IF_COLLECTIVE {.kind = ITEM_TARGET, .value = 1, .when = WHEN_COLLECTIVE}
/* An address, which the loader writes. */
#define TARGET_ABSOLUTE {.kind = ITEM_TARGET, .value = 2}
#define TARGET_SHORT {.kind = ITEM_TARGET}
#define BRANCH_UREG {.kind = ITEM_A, .low = 24, .uniform = true, .when = WHEN_DIVERGENT, .signs = SIGNS_MASK}
#define BRANCH_UREG_IF {.kind = ITEM_A, .low = 24, .uniform = true, .when = WHEN_UREG, .signs = SIGNS_MASK}
#define GUARD_UNIFORM {.kind = ITEM_GUARD}
#define UNIFORM GUARD_UNIFORM, FIXED(91, 1, 1)
#define NOTHING FIXED(16, 8, 0)
/* Operands and modifiers that are not looked at. */
#define ANYTHING HIDDEN(SHAPE, 16, 32), HIDDEN(SHAPE, 48, 16), HIDDEN(SHAPE, 64, 32), HIDDEN(SHAPE, 96, 9)
#define COUNTERS HIDDEN(COUNTER, 44, 3), HIDDEN(LIMIT, 38, 6), HIDDEN(WAIT_MORE, 32, 6), {.kind = ITEM_COUNTERS}
#define PREDICATES {.kind = ITEM_PREDICATES}
#define B_REGISTER(f, at) {.kind = ITEM_NUMBER, .field = SASS_FIELD_##f, .low = (at), .width = (at) == 24 ? 5 : 4, .signs = SIGNS_PART}
#define SPECIAL {.kind = ITEM_NUMBER, .field = SASS_FIELD_SPECIAL, .low = 72, .width = 8}

/* ---- Modifiers that several opcodes have ---- */

#define ROUNDING(at) FIELD(ROUND, at, 2, "", ".RM", ".RP", ".RZ")
#define ROUND_INT FIELD(ROUND, 78, 2, "", ".FLOOR", ".CEIL", ".TRUNC")
#define FTZ_ROUND FLAG(FTZ, 80, ".FTZ"), ROUNDING(78)
#define FTZ_ROUND_SAT FLAG(FTZ, 80, ".FTZ"), ROUNDING(78), FLAG(SAT, 77, ".SAT")
#define VIMNMX_TYPE HIDDEN(SIGNED, 72, 1), {.kind = ITEM_TEXT, .low = 72, .width = 2, .names = NAMES(2, ".U32", "", ".U16x2", ".S16x2"), .listed = 0xc}, LISTED_FLAG(76, ".RELU")
#define F2F_FROM {.kind = ITEM_FIELD, .field = SASS_FIELD_FROM_SIZE, .low = 84, .width = 3, .names = NAMES(3, NULL, ".F16", ".F32", ".F64", ".BF16"), .listed = 1 << 4}
#define BOOLEAN FIELD(BOOL, 74, 2, ".AND", ".OR", ".XOR")
#define COMPARE_INT(at) FIELD(COMPARE, at, 3, ".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T")
#define COMPARE_FLOAT FIELD(COMPARE, 76, 4, ".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".NUM", ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T")
#define COMPARE_DOUBLE FIELD(COMPARE, 76, 4, ".MIN", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".NUM", ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".MAX")
/* With a predicate that is always PT. */
#define RELU_PT TEXT2(79, 1, 87, 4, "", [1 | 7 << 1] = ".RELU"), HIDDEN(RELU, 79, 1)
/* With BF16. */
#define SIZE_FLOAT_90(f, at) {.kind = ITEM_FIELD, .field = SASS_FIELD_##f, .low = (at), .width = 3, .names = NAMES(3, NULL, ".F16", "", ".F64", ".BF16"), .listed = 1 << 4}
/* From and to the same. */
#define FRND_SIZE {.kind = ITEM_TEXT, .low = 75, .width = 3, .high = 84, .high_width = 3, .names = NAMES(6, [9] = ".F16", [18] = "", [27] = ".F64", [36] = ".BF16"), .listed = UINT64_C(1) << 36}, HIDDEN(TO_SIZE, 75, 3), HIDDEN(FROM_SIZE, 84, 3)
#define FIXED_SIZE(f, at, v) FIXED(at, 2, v), CONSTANT(f, v)
#define INTEGER_TYPE(f, at, sign_at) {.kind = ITEM_TEXT, .low = (at), .width = 2, .high = (sign_at), .high_width = 1, .names = NAMES(3, ".U8", ".U16", ".U32", ".U64", ".S8", ".S16", "", ".S64")}, HIDDEN(f, at, 2), HIDDEN(SIGNED, sign_at, 1)
/* .MOV, .IADD, .SHL: names for uses of it, which the printer finds; then .U32. */
#define TEXT_IMAD TEXT(73, 1, ".U32", "")
#define LANE_MASK {.kind = ITEM_NUMBER_IF, .field = SASS_FIELD_LANE_MASK, .low = 72, .width = 4, .value = 15}

#define E_FLAG FLAG(E, 72, ".E")
#define CACHE FIELD(CACHE, 84, 3, ".EF", "", ".EL", ".LU", ".EU", ".NA")
#define WIDTH FIELD(WIDTH, 73, 3, ".U8", ".S8", ".U16", ".S16", "", ".64", ".128")
#define WIDTH_GLOBAL FIELD(WIDTH, 73, 3, ".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".U.128")
#define PREFETCH_SIZE FIELD(PREFETCH, 68, 2, "", ".LTC64B", ".LTC128B", ".LTC256B")
#define LOAD_80 E_FLAG, CACHE, PREFETCH_SIZE, WIDTH_GLOBAL, ORDER_80
#define ORDER_80 {.kind = ITEM_FIELD, .field = SASS_FIELD_ORDER, .low = 77, .width = 4, .names = NAMES(4, "", [4] = ".CONSTANT", [5] = ".STRONG.SM", [7] = ".STRONG.GPU", [10] = ".STRONG.SYS", [12] = ".MMIO.SYS"), .listed = 1 << 12}
/* Scope CTA, SM, GPU, SYS; four each of constant, weak, strong. */
#define ORDER_75 {.kind = ITEM_FIELD, .field = SASS_FIELD_ORDER, .low = 77, .width = 4, .names = NAMES(4, ".CONSTANT.CTA", ".CONSTANT.SM", ".CONSTANT.GPU", ".CONSTANT.SYS", ".CTA", ".SM", ".GPU", ".SYS", ".STRONG.CTA", ".STRONG.SM", ".STRONG.GPU", ".STRONG.SYS", [15] = ".MMIO.SYS"), .values = (const uint8_t[16]) { 4, 4, 4, 4, 0, 0, 0, 0, 5, 5, 7, 10, [15] = 12 }, .listed = 1 << 15}
#define GLOBAL_75 E_FLAG, CACHE, WIDTH_GLOBAL, ORDER_75
#define LOAD_75 E_FLAG, CACHE, PREFETCH_SIZE, WIDTH_GLOBAL, ORDER_75
#define GLOBAL_80 E_FLAG, CACHE, WIDTH_GLOBAL, ORDER_80

#define ATOMIC_OF(bits, ...) FIELD(ATOMIC, 87, bits, ".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", __VA_ARGS__)
#define ATOMIC ATOMIC_OF(4, ".XOR", ".EXCH")
#define REDUCE ATOMIC_OF(3, ".XOR")
#define CAS PLAIN(".CAS"), CONSTANT(ATOMIC, 9)
#define CAS_90 {.kind = ITEM_FIELD, .field = SASS_FIELD_ATOMIC, .low = 87, .width = 4, .names = NAMES(4, ".CAS", [3] = ".CAST.SPIN"), .values = (const uint8_t[16]) { 9, [3] = 11 }}
#define ATOMIC_TYPES FIELD(ATOMIC_TYPE, 73, 3, "", ".S32", ".64", ".F32.FTZ.RN", ".F16x2.RN", ".S64", ".F64.RN")
#define ATOMIC_TYPES_90 {.kind = ITEM_FIELD, .field = SASS_FIELD_ATOMIC_TYPE, .low = 73, .width = 4, .names = NAMES(4, "", ".S32", ".64", ".S64"), .values = (const uint8_t[16]) { 0, 1, 2, 5 }}
#define ATOMIC_FLOATS_90 {.kind = ITEM_FIELD, .field = SASS_FIELD_ATOMIC_TYPE, .low = 73, .width = 4, .names = NAMES(4, ".F16x2.RN", ".F16x4.RN", ".F16x8.RN", ".BF16x2.RN", ".BF16x4.RN", ".BF16x8.RN", [9] = ".F32.FTZ.RN", ".F32x2.FTZ.RN", ".F32x4.FTZ.RN", ".F32.RN", ".F32x2.RN", ".F32x4.RN", ".F64.RN"), .values = (const uint8_t[16]) { 4, 9, 10, 8, 11, 12, [9] = 3, 13, 14, 7, 13, 14, 6 }}
#define ATOMS_COUNT PLAIN(".POPC.INC.32"), CONSTANT(ATOMIC, 10)
#define ATOMS_COUNT_OR_ARRIVE {.kind = ITEM_FIELD, .field = SASS_FIELD_ATOMIC, .low = 87, .width = 4, .names = NAMES(4, [9] = ".ARRIVE", ".POPC.INC"), .values = (const uint8_t[16]) { [9] = 12, 10 }}, FIELD(ATOMIC_TYPE, 73, 3, ".32", NULL, ".64")
#define ATOMS_CAS {.kind = ITEM_FIELD, .field = SASS_FIELD_ATOMIC, .low = 87, .width = 4, .names = NAMES(4, ".CAS", [3] = ".CAST.SPIN"), .values = (const uint8_t[16]){9, [3] = 11}}, FIELD(ATOMIC_TYPE, 73, 3, "", [2] = ".64")

#define F2FP_TO {.kind = ITEM_TEXT, .low = 76, .width = 1, .high = 86, .high_width = 5, .names = NAMES(6, ".F16", ".BF16", [16] = ".F16", [19] = ".TF32", [24] = ".F16", [36] = ".E5M2", ".E4M3"), .listed = ~UINT64_C(3)}
#define F2FP_FROM {.kind = ITEM_TEXT, .low = 73, .width = 2, .high = 86, .high_width = 4, .names = NAMES(6, ".F32", [8] = ".F32", ".F16", [34] = ".E5M2", ".E4M3", ".F32", [50] = ".E5M2", ".E4M3"), .listed = ~UINT64_C(1)}
#define TENSOR_DIMENSIONS TEXT(79, 3, ".1D", ".2D", ".3D", ".4D", ".5D")
#define BULK_SPACES TEXT(73, 2, NULL, ".S.G", ".G.S", ".S.S")
#define BULK_TYPES TEXT(81, 4, ".U32", ".S32", ".U64", NULL, ".F16.RN", ".F32.FTZ.RN", NULL, ".F64.RN", ".BF16.RN")
#define ARRIVE_COUNTS TEXT(84, 3, "", ".A1T0", ".A0T1", ".A0TR", ".A0TX", ".ART0")
#define SYNCS_ADDRESS ADDRESS(40, 24), ADDRESS_UREG(64), FIXED(91, 1, 1)
#define B_IF_ALONE {.kind = ITEM_B, .when = WHEN_ALONE}
#define WORD(at, bits, ...) {.kind = ITEM_WORD, .low = (at), .width = (bits), .names = NAMES(bits, __VA_ARGS__)}
#define HANDLE {.kind = ITEM_HANDLE}
#define HANDLE_UREG {.kind = ITEM_HANDLE, .uniform = true}
#define SECOND_D REGISTER(64), HIDDEN(SECOND, 64, 8)
#define TEX_LOD FIELD(MODE, 87, 3, "", ".LZ", ".LB", ".LL", ".LC", ".LB.LC")
#define TEX_FLAGS(at, text) TEXT(60, 1, "", ".SCR"), TEXT(59, 1, "", ".B"), TEXT(76, 1, "", ".AOFFI"), TEXT(at, 1, "", text), CACHE, TEXT(90, 1, "", ".NODEP")
#define TEX_DESTINATIONS TO_IF_USED(0, 81), SECOND_D, D, A, REG_B(32)
/* Of sm_75 the last texture of several has bit 124: a hint. */
#define LAST_OF_SEVERAL TEXT(124, 1, "", "")
#define TEX_SHAPE LAST_OF_SEVERAL, HIDDEN(SHAPE, 61, 3), WORD(61, 3, "1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", NULL, "ARRAY_CUBE"), NUMBER(LUT, 72, 4)
#define TEX_MODIFIERS TEX_FLAGS(77, ".NDV"), TEXT(78, 1, "", ".DC"), TEXT(79, 1, "", ".F16"), TEX_LOD
#define TLD_MODIFIERS TEX_FLAGS(78, ".MS"), TEX_LOD
#define TLD4_MODIFIERS TEXT(87, 2, ".R", ".G", ".B", ".A"), TEX_FLAGS(78, ".DC"), TEXT(77, 1, "", ".PTP")
#define TXD_MODIFIERS TEX_FLAGS(79, ".F16")
#define TXQ_OPERANDS SECOND_D, D, A
#define TXQ_QUERY LAST_OF_SEVERAL, WORD(62, 2, "TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE", "TEX_HEADER_SAMPLER_POSITION", NULL), NUMBER(LUT, 72, 4)
#define SURFACE_SHAPE TEXT(61, 3, ".1D", ".BUFFER", ".1D_ARRAY", ".2D", ".2D_ARRAY", ".3D")
#define SURFACE_LIMIT TEXT(59, 2, ".IGN", ".NEAR", ".TRAP")
#define SURFACE(order) TEXT(72, 1, "", ".BA"), SURFACE_SHAPE, WIDTH, CACHE, order, SURFACE_LIMIT
#define SURFACE_PIXELS(order) SURFACE_SHAPE, TEXT(72, 4, NULL, ".R", NULL, ".RG", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ".RGBA"), CACHE, order, SURFACE_LIMIT
#define SURFACE_AT {.kind = ITEM_ADDRESS}
#define SURFACE_REDUCE(order) REDUCE, TEXT(72, 1, "", ".BA"), TEXT(73, 3, "", ".S32", ".64", ".F32.FTZ.RN", ".F16x2.RN", ".S64", ".SD32", ".SD64"), SURFACE_SHAPE, CACHE, order, SURFACE_LIMIT
#define SHUFFLE FIELD(SHUFFLE, 58, 2, ".IDX", ".UP", ".DOWN", ".BFLY")
#define BAR_MODES FIELD(BAR_MODE, 77, 2, ".SYNC", ".ARV", ".RED", ".SCAN"), BAR_RED_TEXT, FLAG(DEFER, 80, ".DEFER_BLOCKING")
#define BAR_RED_TEXT {.kind = ITEM_TEXT, .low = 74, .width = 2, .high = 77, .high_width = 2, .names = NAMES(4, "", [4] = "", [8] = ".POPC", ".AND", ".OR", NULL)}, HIDDEN(BAR_RED, 74, 2)
#define RESULT PLAIN(".RESULT"), FIXED(78, 1, 1)

/* clang-format on */

#endif
