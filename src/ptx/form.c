#include "ptx/parser.h"

#include <stddef.h>
#include <string.h>

/* One way to spell an opcode. */
struct row {
    const char *name;
    const char *roles;
    const char *modifiers;
    uint8_t op;
    uint8_t wait;
    uint8_t classes[4]; /* int, f16, f32, f64 */
};

static const struct row rows[] = {
#define OPCODE(enumerator, name, roles, modifiers, exec, class_int, class_f16, class_f32, class_f64, wait)   \
    {name,                                                                                                   \
     roles,                                                                                                  \
     modifiers,                                                                                              \
     PTX_OP_##enumerator,                                                                                    \
     PTX_WAIT_##wait,                                                                                        \
     {PTX_CLASS_##class_int, PTX_CLASS_##class_f16, PTX_CLASS_##class_f32, PTX_CLASS_##class_f64}},
#define VARIANT(enumerator, name, roles, modifiers, class, wait)                                             \
    {name,                                                                                                   \
     roles,                                                                                                  \
     modifiers,                                                                                              \
     PTX_OP_##enumerator,                                                                                    \
     PTX_WAIT_##wait,                                                                                        \
     {PTX_CLASS_##class, PTX_CLASS_##class, PTX_CLASS_##class, PTX_CLASS_##class}},
#include "ptx/opcode_table.h"
#undef OPCODE
#undef VARIANT
};

static const uint8_t op_exec[PTX_OP_COUNT] = {
#define OPCODE(enumerator, name, roles, modifiers, exec, class_int, class_f16, class_f32, class_f64, wait)   \
    [PTX_OP_##enumerator] = PTX_EXEC_##exec,
#include "ptx/opcode_table.h"
#undef OPCODE
};

/* A modifier: in an opcode that accepts its family it sets a byte of the form. */
struct word {
    const char *text;
    char family;
    uint8_t field; /* offset in struct ptx_form */
    uint8_t value;
};

#define FIELD(name) offsetof(struct ptx_form, name)

/* Of a word that is accepted but says nothing the analysis uses. */
#define IGNORED UINT8_MAX

/* clang-format off */
static const struct word words[] = {
    {"rn",  'r', FIELD(round), PTX_ROUND_RN},   {"rz",  'r', FIELD(round), PTX_ROUND_RZ},
    {"rm",  'r', FIELD(round), PTX_ROUND_RM},   {"rp",  'r', FIELD(round), PTX_ROUND_RP},
    {"rna", 'r', FIELD(round), PTX_ROUND_RNA},  {"rs",  'r', FIELD(round), PTX_ROUND_RS},
    {"rni", 'i', FIELD(round), PTX_ROUND_RNI},  {"rzi", 'i', FIELD(round), PTX_ROUND_RZI},
    {"rmi", 'i', FIELD(round), PTX_ROUND_RMI},  {"rpi", 'i', FIELD(round), PTX_ROUND_RPI},
    {"ftz", 'f', FIELD(ftz), true},             {"sat", 'f', FIELD(sat), true},
    {"satfinite", 'f', FIELD(sat), true},       {"approx", 'f', FIELD(approx), true},
    {"full", 'f', FIELD(full), true},           {"nan", 'f', FIELD(nan), true},
    {"NaN", 'f', FIELD(nan), true},             {"relu", 'f', FIELD(relu), true},
    {"xorsign", 'f', FIELD(xorsign), true},     {"abs", 'f', FIELD(abs), true},
    {"noftz", 'f', IGNORED, 0},                 {"oob", 'f', FIELD(oob), true},
    {"scaled::n2::ue8m0", 'f', IGNORED, 0},
    {"lo",   'h', FIELD(half), PTX_HALF_LO},    {"hi", 'h', FIELD(half), PTX_HALF_HI},
    {"wide", 'h', FIELD(half), PTX_HALF_WIDE},
    {"cc", 'x', FIELD(carry_out), true},
    {"eq",  'c', FIELD(compare), PTX_CMP_EQ},   {"ne",  'c', FIELD(compare), PTX_CMP_NE},
    {"lt",  'c', FIELD(compare), PTX_CMP_LT},   {"le",  'c', FIELD(compare), PTX_CMP_LE},
    {"gt",  'c', FIELD(compare), PTX_CMP_GT},   {"ge",  'c', FIELD(compare), PTX_CMP_GE},
    {"lo",  'c', FIELD(compare), PTX_CMP_LO},   {"ls",  'c', FIELD(compare), PTX_CMP_LS},
    {"hi",  'c', FIELD(compare), PTX_CMP_HI},   {"hs",  'c', FIELD(compare), PTX_CMP_HS},
    {"equ", 'c', FIELD(compare), PTX_CMP_EQU},  {"neu", 'c', FIELD(compare), PTX_CMP_NEU},
    {"ltu", 'c', FIELD(compare), PTX_CMP_LTU},  {"leu", 'c', FIELD(compare), PTX_CMP_LEU},
    {"gtu", 'c', FIELD(compare), PTX_CMP_GTU},  {"geu", 'c', FIELD(compare), PTX_CMP_GEU},
    {"num", 'c', FIELD(compare), PTX_CMP_NUM},  {"nan", 'c', FIELD(compare), PTX_CMP_NAN},
    {"and", 'b', FIELD(mode), PTX_MODE_AND},    {"or",  'b', FIELD(mode), PTX_MODE_OR},
    {"xor", 'b', FIELD(mode), PTX_MODE_XOR},    {"popc", 'b', FIELD(mode), PTX_MODE_POPC},
    {"and", 'a', FIELD(mode), PTX_MODE_AND},    {"or",  'a', FIELD(mode), PTX_MODE_OR},
    {"xor", 'a', FIELD(mode), PTX_MODE_XOR},    {"add", 'a', FIELD(mode), PTX_MODE_ADD},
    {"min", 'a', FIELD(mode), PTX_MODE_MIN},    {"max", 'a', FIELD(mode), PTX_MODE_MAX},
    {"inc", 'a', FIELD(mode), PTX_MODE_INC},    {"dec", 'a', FIELD(mode), PTX_MODE_DEC},
    {"exch", 'a', FIELD(mode), PTX_MODE_EXCH},  {"cas", 'a', FIELD(mode), PTX_MODE_CAS},
    {"to", 'p', FIELD(to), true},
    {"volatile", 'm', FIELD(is_volatile), true},
    {"weak", 'm', IGNORED, 0},    {"relaxed", 'm', FIELD(relaxed), true}, {"acquire", 'm', FIELD(ordered), true},
    {"release", 'm', FIELD(ordered), true}, {"acq_rel", 'm', FIELD(ordered), true}, {"mmio", 'm', FIELD(relaxed), true},
    {"sc", 'm', IGNORED, 0},      {"cta", 'm', FIELD(in_block), true},    {"cluster", 'm', IGNORED, 0},
    {"gpu", 'm', IGNORED, 0},     {"sys", 'm', IGNORED, 0},     {"gl", 'm', IGNORED, 0},
    {"ca", 'm', IGNORED, 0},      {"cg", 'm', FIELD(uncached), true}, {"cs", 'm', FIELD(hinted), true},
    {"lu", 'm', FIELD(hinted), true}, {"cv", 'm', FIELD(uncached), true}, {"wb", 'm', IGNORED, 0},
    {"L1::no_allocate", 'm', FIELD(uncached), true}, {"L1::evict_normal", 'm', IGNORED, 0},
    {"L2::evict_normal", 'm', IGNORED, 0},
    {"wt", 'm', IGNORED, 0},      {"nc", 'm', IGNORED, 0},      {"unified", 'm', IGNORED, 0},
    {"v2", 'v', FIELD(vector), 2}, {"v4", 'v', FIELD(vector), 4}, {"v8", 'v', FIELD(vector), 8},
    {"all", 'w', FIELD(mode), PTX_MODE_ALL},    {"any", 'w', FIELD(mode), PTX_MODE_ANY},
    {"uni", 'w', FIELD(mode), PTX_MODE_UNI},    {"ballot", 'w', FIELD(mode), PTX_MODE_BALLOT},
    {"up", 's', FIELD(mode), PTX_MODE_UP},      {"down", 's', FIELD(mode), PTX_MODE_DOWN},
    {"bfly", 's', FIELD(mode), PTX_MODE_BFLY},  {"idx", 's', FIELD(mode), PTX_MODE_IDX},
    {"l", 'k', FIELD(mode), PTX_MODE_LEFT_CLAMP}, {"r", 'k', FIELD(mode), PTX_MODE_RIGHT_CLAMP},
    {"clamp", 'k', FIELD(mode), PTX_MODE_CLAMP}, {"wrap", 'k', FIELD(mode), PTX_MODE_WRAP},
    {"shiftamt", 'k', FIELD(mode), PTX_MODE_SHIFTAMT},
    {"f4e", 'q', FIELD(mode), PTX_MODE_F4E},    {"b4e", 'q', FIELD(mode), PTX_MODE_B4E},
    {"rc8", 'q', FIELD(mode), PTX_MODE_RC8},    {"ecl", 'q', FIELD(mode), PTX_MODE_ECL},
    {"ecr", 'q', FIELD(mode), PTX_MODE_ECR},    {"rc16", 'q', FIELD(mode), PTX_MODE_RC16},
    {"finite", 't', FIELD(mode), PTX_MODE_FINITE},   {"infinite", 't', FIELD(mode), PTX_MODE_INFINITE},
    {"number", 't', FIELD(mode), PTX_MODE_NUMBER},   {"notanumber", 't', FIELD(mode), PTX_MODE_NOTANUMBER},
    {"normal", 't', FIELD(mode), PTX_MODE_NORMAL},   {"subnormal", 't', FIELD(mode), PTX_MODE_SUBNORMAL},
    {"uni", 'u', FIELD(uni), true}, {"sync", 'u', FIELD(sync), true}, {"aligned", 'u', IGNORED, 0},
    {"sync", 'B', FIELD(mode), PTX_MODE_SYNC},  {"arrive", 'B', FIELD(mode), PTX_MODE_ARRIVE},
    {"red", 'B', FIELD(mode), PTX_MODE_RED},    {"warp", 'B', FIELD(mode), PTX_MODE_WARP},
};
/* clang-format on */

#define WORD_COUNT (sizeof words / sizeof *words)

/* What only opcodes of family '*' accept, and what says nothing the analysis uses. Shapes such as m16n8k16,
 * 2d, x4 or 16x256b are not listed: see is_shape. */
static const char OTHER_WORDS[] =
    " a b c d row col trans p array_size width height depth channel_data_type channel_order "
    "normalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 force_unnormalized_coords "
    "num_mipmap_levels num_samples base level grad geom cube acube a1d a2d a2dms r g b a trap zero "
    "wait launch_dependents proxy alias async async::generic tensormap::generic mbarrier_init "
    "sync_restrict::shared::cta sync_restrict::shared::cluster alias generic::alias one "
    "async.global async.shared tensormap fractional range cvt L1 L2 L2::evict_last L2::evict_normal "
    "L2::evict_first L2::evict_unchanged read im2col im2col::w im2col::w::128 im2col_no_offs tile "
    "tile::gather4 tile::scatter4 im2col_at mbarrier::complete_tx::bytes bulk_group multicast "
    "multicast::cluster multicast::cluster::all ignore_oob cp_mask noinc noComplete nocomplete "
    "expect_tx parity global_address rank box_dim global_dim global_stride element_stride elemtype "
    "interleave_layout swizzle_mode swizzle_atomicity fill_mode is_canceled get_first_ctaid "
    "get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z cta_group::1 cta_group::2 "
    "before_thread_sync after_thread_sync warpx2::02_13 warpx2::01_23 warpx4 pack::16b unpack::16b "
    "ld st async.mbarrier kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 kind::mxf4 "
    "kind::mxf4nvf4 block_scale scale_vec::1X scale_vec::2X scale_vec::4X block16 block32 ws sp "
    "sp::ordered_metadata collector::a::fill collector::a::use collector::a::lastuse "
    "collector::a::discard collector::b0::fill collector::b0::use collector::b0::lastuse "
    "collector::b0::discard collector::b1::fill collector::b1::use collector::b1::lastuse "
    "collector::b1::discard collector::b2::fill collector::b2::use collector::b2::lastuse "
    "collector::b2::discard collector::b3::fill collector::b3::use collector::b3::lastuse "
    "collector::b3::discard ashift mbarrier::arrive::one b4x16_p64 b6x16_p32 b8x16 mask inc dec "
    "add min max and or xor safeadd safeadd::min bytes shr7 shr15 po texref samplerref surfref "
    "maxabs acc::f32 acc::f16 noftz nan abs release acquire relaxed ";

/* Modifiers such as .1d, .m16n8k16, .x128, .16x64b. */
static bool is_shape(const char *text, size_t length) {
    bool digit = false;
    for (size_t i = 0; i < length; i++) {
        if (strchr("0123456789mnkxbd", text[i]) == NULL) return false;
        digit |= text[i] >= '0' && text[i] <= '9';
    }
    return digit;
}

static bool is_other_word(const char *text, size_t length) {
    const char *at = OTHER_WORDS;
    while ((at = memmem(at, strlen(at), text, length)) != NULL) {
        if (at[-1] == ' ' && at[length] == ' ') return true;
        at++;
    }
    return false;
}

/* Cache and prefetch hints that are not among the words, such as L2::128B, L1::evict_last. */
static bool is_cache_hint(const char *text, size_t length) {
    return length > 4 && (strncmp(text, "L1::", 4) == 0 || strncmp(text, "L2::", 4) == 0);
}

static bool equals(const char *word, const char *text, size_t length) {
    return strncmp(word, text, length) == 0 && word[length] == '\0';
}

/* The row whose name is the longest prefix of the text that ends at a dot or at the end. */
static const struct row *row_of(const char *text, size_t length) {
    const struct row *best = NULL;
    size_t best_length = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t name = strlen(rows[i].name);
        if (name > length || name <= best_length || memcmp(rows[i].name, text, name) != 0) continue;
        if (name < length && text[name] != '.') continue;
        best = &rows[i];
        best_length = name;
    }
    return best;
}

/* shf says side and overflow in two words; the modes stand as side, then overflow. */
static void apply_shift_mode(struct ptx_form *form, uint8_t mode) {
    bool has_side = form->mode == PTX_MODE_LEFT_CLAMP || form->mode == PTX_MODE_RIGHT_CLAMP;
    if (has_side && mode == PTX_MODE_CLAMP) return;
    form->mode = has_side && mode == PTX_MODE_WRAP ? form->mode + 1 : mode;
}

static void apply_word(struct ptx_form *form, const struct word *word) {
    if (word->field == IGNORED) return;
    if (word->family == 'k') {
        apply_shift_mode(form, word->value);
    } else if (word->family == 'b' && form->op == PTX_OP_BAR) {
        form->mode2 = word->value;
    } else if (word->family != 'B' || form->mode == PTX_MODE_NONE) {
        ((uint8_t *)form)[word->field] = word->value;
    }
}

static bool apply_type(struct ptx_form *form, const char *text, size_t length) {
    enum ptx_type type = ptx_type_named(text, length);
    if (type == PTX_TYPE_NONE) return false;
    if (form->type == PTX_TYPE_NONE) {
        form->type = (uint8_t)type;
    } else if (form->type2 == PTX_TYPE_NONE) {
        form->type2 = (uint8_t)type;
    }
    return true;
}

static bool apply_space(struct ptx_form *form, const char *text, size_t length) {
    enum ptx_space space;
    if (!ptx_space_named(text, length, &space)) return false;
    if (form->space == PTX_GENERIC) {
        form->space = (uint8_t)space;
    } else {
        form->space_from = (uint8_t)space;
    }
    form->shared_cluster |= equals("shared::cluster", text, length);
    return true;
}

/* Takes one modifier into the form; false when the opcode does not have it. */
static bool apply_modifier(struct ptx_form *form, const char *families, const char *text, size_t length) {
    bool any = strchr(families, '*') != NULL;
    if (apply_type(form, text, length)) return true;
    if ((any || strchr(families, 'p') != NULL) && apply_space(form, text, length)) return true;
    bool found = false;
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (!any && strchr(families, words[i].family) == NULL) continue;
        if (!equals(words[i].text, text, length)) continue;
        apply_word(form, &words[i]);
        found = true;
    }
    if (!found && (any || strchr(families, 'm') != NULL) && is_cache_hint(text, length))
        found = form->hinted = true;
    return found || (any && (is_other_word(text, length) || is_shape(text, length)));
}

/* Accesses without a row for each state space: their class follows from the space. */
static uint8_t class_in_space(uint8_t class_, uint8_t space) {
    static const uint8_t loads[] = {
        [PTX_SPACE_CONST] = PTX_CLASS_LOAD_CONST,   [PTX_SPACE_GLOBAL] = PTX_CLASS_LOAD_GLOBAL,
        [PTX_SPACE_LOCAL] = PTX_CLASS_LOAD_LOCAL,   [PTX_SPACE_PARAM] = PTX_CLASS_LOAD_PARAM,
        [PTX_SPACE_SHARED] = PTX_CLASS_LOAD_SHARED, [PTX_SPACE_REG] = PTX_CLASS_LOAD_GENERIC,
    };
    static const uint8_t stores[] = {
        [PTX_SPACE_GLOBAL] = PTX_CLASS_STORE_GLOBAL, [PTX_SPACE_LOCAL] = PTX_CLASS_STORE_LOCAL,
        [PTX_SPACE_PARAM] = PTX_CLASS_STORE_PARAM,   [PTX_SPACE_SHARED] = PTX_CLASS_STORE_SHARED,
        [PTX_SPACE_REG] = PTX_CLASS_STORE_GENERIC,
    };
    if (class_ == PTX_CLASS_LOAD_GENERIC && loads[space] != 0) return loads[space];
    if (class_ == PTX_CLASS_STORE_GENERIC && stores[space] != 0) return stores[space];
    if (class_ == PTX_CLASS_ATOMIC_GLOBAL && space == PTX_SPACE_SHARED) return PTX_CLASS_ATOMIC_SHARED;
    return class_;
}

/* Instructions for which machines may state times of their own, as compilers make more or fewer machine
 * instructions of them than of the others of their class. */
static uint8_t class_of_its_own(uint8_t class_, const struct ptx_form *form) {
    const bool wide = ptx_type_bytes((enum ptx_type)form->type) == 8;
    switch (class_) {
    case PTX_CLASS_INT_ADD: return wide ? PTX_CLASS_INT_ADD64 : class_;
    case PTX_CLASS_INT_MUL: return wide ? PTX_CLASS_INT_MUL64 : class_;
    case PTX_CLASS_INT_DIV: return wide ? PTX_CLASS_INT_DIV64 : class_;
    case PTX_CLASS_FP32_DIV: return form->approx || form->full ? PTX_CLASS_FP32_DIV_APPROX : class_;
    case PTX_CLASS_FP32_SPECIAL:
        return !form->approx && (form->op == PTX_OP_RCP || form->op == PTX_OP_SQRT)
                   ? PTX_CLASS_FP32_SPECIAL_RN
                   : class_;
    default: return class_;
    }
}

static uint8_t class_of(const struct row *row, const struct ptx_form *form) {
    int column = 0;
    switch (form->type2 == PTX_F64 ? PTX_F64 : form->type) {
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2: column = 1; break;
    case PTX_F32:
    case PTX_F32X2:
    case PTX_TF32: column = 2; break;
    case PTX_F64: column = 3; break;
    default: break;
    }
    return class_of_its_own(class_in_space(row->classes[column], form->space), form);
}

/* Every row with an address that is not served lane by lane counts as one of other units. */
static enum ptx_requests requests_of(const struct row *row, const struct ptx_form *form) {
    const bool lanes = (form->class_ >= PTX_CLASS_LOAD_PARAM && form->class_ <= PTX_CLASS_ATOMIC_SHARED) ||
                       form->exec == PTX_EXEC_MEMORY;
    const bool on_chip = form->space == PTX_SPACE_SHARED &&
                         (form->space_from == PTX_GENERIC || form->space_from == PTX_SPACE_SHARED);
    if (strchr(row->roles, 'm') == NULL || form->class_ == PTX_CLASS_MOVE) return PTX_REQUESTS_NONE;
    if (lanes) return PTX_REQUESTS_COUNTED;
    return on_chip || form->class_ == PTX_CLASS_TENSOR ? PTX_REQUESTS_NONE : PTX_REQUESTS_UNCOUNTED;
}

/* Decodes all modifiers; the parts of the row's own name count where they are modifiers too (bar.red). */
static bool apply_modifiers(struct ptx_form *form, const struct row *row, const char *text, size_t length) {
    size_t name = strlen(row->name);
    size_t start = strcspn(row->name, ".");
    while (start < length) {
        const char *part = text + start + 1;
        const char *dot = memchr(part, '.', length - start - 1);
        size_t part_length = dot == NULL ? length - start - 1 : (size_t)(dot - part);
        bool known = apply_modifier(form, row->modifiers, part, part_length);
        if (!known && start >= name) return false;
        start += part_length + 1;
    }
    return true;
}

static bool is_integer(uint8_t type) {
    enum ptx_type_kind kind = ptx_type_kind((enum ptx_type)type);
    return kind == PTX_KIND_SIGNED || kind == PTX_KIND_UNSIGNED || kind == PTX_KIND_BITS;
}

/* True when no modifier is missing that the opcode has no meaning without. */
static bool is_complete(const struct ptx_form *form) {
    bool typed = form->type != PTX_TYPE_NONE;
    switch (form->op) {
    case PTX_OP_SETP:
    case PTX_OP_MACHINE_SETP:
    case PTX_OP_SET: return typed && form->compare != PTX_CMP_NONE;
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_MADC:
    case PTX_OP_MUL24:
    case PTX_OP_MAD24:
    case PTX_OP_DP2A: return typed && (!is_integer(form->type) || form->half != PTX_HALF_NONE);
    case PTX_OP_SHF: return typed && form->mode >= PTX_MODE_LEFT_CLAMP && form->mode <= PTX_MODE_RIGHT_WRAP;
    case PTX_OP_ATOM:
    case PTX_OP_RED:
    case PTX_OP_TESTP:
    case PTX_OP_SZEXT:
    case PTX_OP_BMSK:
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX: return typed && form->mode != PTX_MODE_NONE;
    case PTX_OP_CVT: return typed && form->type2 != PTX_TYPE_NONE;
    case PTX_OP_ISSPACEP: return form->space != PTX_GENERIC;
    case PTX_OP_CVTA: return typed && form->space != PTX_GENERIC;
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST: return typed;
    default: return typed || op_exec[form->op] != PTX_EXEC_ALU;
    }
}

/* The roles of the row and of the operands that modifiers append. */
static const char *roles_of(struct arena *arena, const struct row *row, const struct ptx_form *form,
                            const char *text, size_t length) {
    size_t extra = form->op == PTX_OP_ATOM && form->mode == PTX_MODE_CAS;
    extra += memmem(text, length, ".L2::cache_hint", strlen(".L2::cache_hint")) != NULL;
    if (extra == 0) return row->roles;
    size_t count = strlen(row->roles);
    char *roles = arena_alloc(arena, count + extra + 1);
    if (roles == NULL) return NULL;
    memcpy(roles, row->roles, count);
    memset(roles + count, 's', extra);
    return roles;
}

static wb_status form_decode(struct arena *arena, const char *text, size_t length,
                             const struct ptx_form **out) {
    struct ptx_form *form = arena_alloc(arena, sizeof *form);
    if (form == NULL) return WB_ERR_LIMIT;
    const struct row *row = row_of(text, length);
    if (row != NULL) form->op = row->op;
    if (row != NULL) form->wait = row->wait;
    form->vector = 1;
    if (row != NULL && (!apply_modifiers(form, row, text, length) || !is_complete(form))) row = NULL;
    if (row == NULL)
        *form = (struct ptx_form){.op = PTX_OP_UNKNOWN, .class_ = PTX_CLASS_OTHER, .roles = "", .vector = 1};
    form->text = arena_string(arena, text, length);
    form->name = form->text;
    if (form->text == NULL) return WB_ERR_LIMIT;
    *out = form;
    if (row == NULL) return WB_OK;
    if (form->type2 == PTX_TYPE_NONE) form->type2 = form->type;
    form->exec = op_exec[row->op];
    form->class_ = class_of(row, form);
    form->requests = requests_of(row, form);
    form->uncached |= form->is_volatile || ((form->relaxed || form->ordered) && !form->in_block);
    if (form->ordered && form->wait == PTX_WAIT_NOTHING) form->wait = PTX_WAIT_ORDER;
    form->carry_in = row->op == PTX_OP_ADDC || row->op == PTX_OP_SUBC || row->op == PTX_OP_MADC;
    form->dual = strchr(row->roles, 'D') != NULL;
    form->roles = roles_of(arena, row, form, text, length);
    return form->roles == NULL ? WB_ERR_LIMIT : WB_OK;
}

wb_status form_get(struct form_table *table, const char *text, size_t length, const struct ptx_form **form) {
    uint32_t number;
    WB_TRY(intern_add(&table->texts, text, length, &number));
    if (number == table->forms.count) {
        struct form_entry entry = {NULL};
        WB_TRY(vec_push(&table->forms, entry));
        WB_TRY(form_decode(table->arena, text, length, &table->forms.items[number].form));
    }
    *form = table->forms.items[number].form;
    return *form == NULL ? WB_ERR_LIMIT : WB_OK;
}

wb_status form_callee_ret(struct form_table *table, const struct ptx_form *ret,
                          const struct ptx_form **form) {
    if (table->callee_ret == NULL || strcmp(table->callee_ret->text, ret->text) != 0) {
        struct ptx_form *copy = arena_alloc(table->arena, sizeof *copy);
        if (copy == NULL) return WB_ERR_LIMIT;
        *copy = *ret;
        copy->class_ = PTX_CLASS_CALL;
        table->callee_ret = copy;
    }
    *form = table->callee_ret;
    return WB_OK;
}

wb_status form_unknown(struct form_table *table, const char *text, size_t length,
                       const struct ptx_form **form) {
    struct ptx_form *unknown = arena_alloc(table->arena, sizeof *unknown);
    if (unknown == NULL) return WB_ERR_LIMIT;
    *unknown = (struct ptx_form){.op = PTX_OP_UNKNOWN, .class_ = PTX_CLASS_OTHER, .roles = "", .vector = 1};
    unknown->text = arena_string(table->arena, text, length);
    *form = unknown;
    unknown->name = unknown->text;
    return unknown->text == NULL ? WB_ERR_LIMIT : WB_OK;
}

void form_table_free(struct form_table *table) {
    intern_free(&table->texts);
    vec_free(&table->forms);
}
