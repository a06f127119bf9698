#include "lift/lift.h"

#include <string.h>

#include "base/containers.h"

/* ---- Classes ------------------------------------------------------------------------------------------- */

/* The size of 64 bits in conversions. */
#define SIZE_64 3u

/* 0: the class of the instruction that stands for the group, which accesses memory, say. */
#define CLASS(name) (PTX_CLASS_##name + 1)

static const uint8_t classes[SASS_OP_COUNT] = {
    [SASS_OP_IADD3] = CLASS(INT_ADD),      [SASS_OP_VIADD] = CLASS(INT_ADD),
    [SASS_OP_UIADD3] = CLASS(INT_ADD),     [SASS_OP_IMNMX] = CLASS(INT_ADD),
    [SASS_OP_VIMNMX] = CLASS(INT_ADD),     [SASS_OP_VIMNMX3] = CLASS(INT_ADD),
    [SASS_OP_VIADDMNMX] = CLASS(INT_ADD),  [SASS_OP_VABSDIFF] = CLASS(INT_ADD),
    [SASS_OP_LEA] = CLASS(INT_ADD),        [SASS_OP_ULEA] = CLASS(INT_ADD),
    [SASS_OP_IMAD] = CLASS(INT_MUL),       [SASS_OP_IMAD_WIDE] = CLASS(INT_MUL),
    [SASS_OP_IMAD_HI] = CLASS(INT_MUL),    [SASS_OP_UIMAD] = CLASS(INT_MUL),
    [SASS_OP_UIMAD_WIDE] = CLASS(INT_MUL), [SASS_OP_IDP] = CLASS(INT_MUL),
    [SASS_OP_LOP3] = CLASS(LOGIC),         [SASS_OP_ULOP3] = CLASS(LOGIC),
    [SASS_OP_PLOP3] = CLASS(LOGIC),        [SASS_OP_UPLOP3] = CLASS(LOGIC),
    [SASS_OP_SHF] = CLASS(LOGIC),          [SASS_OP_USHF] = CLASS(LOGIC),
    [SASS_OP_SGXT] = CLASS(BITS),          [SASS_OP_USGXT] = CLASS(BITS),
    [SASS_OP_BMSK] = CLASS(BITS),          [SASS_OP_UBMSK] = CLASS(BITS),
    [SASS_OP_PRMT] = CLASS(BITS),          [SASS_OP_UPRMT] = CLASS(BITS),
    [SASS_OP_POPC] = CLASS(BITS),          [SASS_OP_UPOPC] = CLASS(BITS),
    [SASS_OP_FLO] = CLASS(BITS),           [SASS_OP_UFLO] = CLASS(BITS),
    [SASS_OP_BREV] = CLASS(BITS),          [SASS_OP_UBREV] = CLASS(BITS),
    [SASS_OP_MOV] = CLASS(MOVE),           [SASS_OP_UMOV] = CLASS(MOVE),
    [SASS_OP_SEL] = CLASS(MOVE),           [SASS_OP_USEL] = CLASS(MOVE),
    [SASS_OP_IABS] = CLASS(MOVE),          [SASS_OP_FSEL] = CLASS(MOVE),
    [SASS_OP_S2R] = CLASS(MOVE),           [SASS_OP_S2UR] = CLASS(MOVE),
    [SASS_OP_CS2R] = CLASS(MOVE),          [SASS_OP_R2UR] = CLASS(MOVE),
    [SASS_OP_P2R] = CLASS(MOVE),           [SASS_OP_R2P] = CLASS(MOVE),
    [SASS_OP_B2R] = CLASS(MOVE),           [SASS_OP_LEPC] = CLASS(MOVE),
    [SASS_OP_NOP] = CLASS(MOVE),           [SASS_OP_YIELD] = CLASS(MOVE),
    [SASS_OP_ISETP] = CLASS(COMPARE),      [SASS_OP_UISETP] = CLASS(COMPARE),
    [SASS_OP_FSETP] = CLASS(COMPARE),      [SASS_OP_FSET] = CLASS(COMPARE),
    [SASS_OP_DSETP] = CLASS(COMPARE),      [SASS_OP_HSETP2] = CLASS(COMPARE),
    [SASS_OP_HSET2] = CLASS(COMPARE),      [SASS_OP_FCHK] = CLASS(COMPARE),
    [SASS_OP_FADD] = CLASS(FP32),          [SASS_OP_FMUL] = CLASS(FP32),
    [SASS_OP_FFMA] = CLASS(FP32),          [SASS_OP_FMNMX] = CLASS(FP32),
    [SASS_OP_MUFU] = CLASS(FP32_SPECIAL),  [SASS_OP_I2FP] = CLASS(CONVERT),
    [SASS_OP_I2I] = CLASS(CONVERT),        [SASS_OP_I2IP] = CLASS(CONVERT),
    [SASS_OP_F2FP] = CLASS(CONVERT),       [SASS_OP_DADD] = CLASS(FP64),
    [SASS_OP_DMUL] = CLASS(FP64),          [SASS_OP_DFMA] = CLASS(FP64),
    [SASS_OP_HADD2] = CLASS(FP16),         [SASS_OP_HMUL2] = CLASS(FP16),
    [SASS_OP_HFMA2] = CLASS(FP16),         [SASS_OP_HMNMX2] = CLASS(FP16),
    [SASS_OP_HMMA] = CLASS(TENSOR),        [SASS_OP_IMMA] = CLASS(TENSOR),
    [SASS_OP_DMMA] = CLASS(TENSOR),        [SASS_OP_SHFL] = CLASS(SHUFFLE),
    [SASS_OP_MOVM] = CLASS(SHUFFLE),       [SASS_OP_VOTE] = CLASS(VOTE),
    [SASS_OP_VOTEU] = CLASS(VOTE),         [SASS_OP_MATCH] = CLASS(MATCH),
    [SASS_OP_REDUX] = CLASS(REDUX),        [SASS_OP_BRA] = CLASS(BRANCH),
    [SASS_OP_BRX] = CLASS(BRANCH),         [SASS_OP_RET] = CLASS(BRANCH),
    [SASS_OP_BSSY] = CLASS(BRANCH),        [SASS_OP_BSYNC] = CLASS(BRANCH),
    [SASS_OP_BREAK] = CLASS(BRANCH),       [SASS_OP_BMOV] = CLASS(BRANCH),
    [SASS_OP_WARPSYNC] = CLASS(WARP_SYNC), [SASS_OP_BAR] = CLASS(BARRIER),
    [SASS_OP_MEMBAR] = CLASS(FENCE),       [SASS_OP_ERRBAR] = CLASS(FENCE),
    [SASS_OP_CGAERRBAR] = CLASS(FENCE),    [SASS_OP_CCTL] = CLASS(FENCE),
    [SASS_OP_LDC] = CLASS(LOAD_CONST),     [SASS_OP_ULDC] = CLASS(LOAD_CONST),
    [SASS_OP_CALL_REL] = CLASS(BRANCH),    [SASS_OP_UIMAD_HI] = CLASS(INT_MUL),
    [SASS_OP_EXIT] = CLASS(EXIT),          [SASS_OP_F2F] = CLASS(CONVERT),
    [SASS_OP_F2I] = CLASS(CONVERT),        [SASS_OP_I2F] = CLASS(CONVERT),
    [SASS_OP_FRND] = CLASS(CONVERT),
};

#undef CLASS

static bool converts_wide(const struct sass_inst *inst) {
    return sass_field(inst, SASS_FIELD_TO_SIZE) == SIZE_64 ||
           sass_field(inst, SASS_FIELD_FROM_SIZE) == SIZE_64;
}

enum ptx_class lift_class(const struct sass_inst *inst, const struct ptx_form *form) {
    const enum ptx_class own = (enum ptx_class)form->class_;
    if (classes[inst->op] == 0) /* a machine need not know what does nothing */
        return own == PTX_CLASS_OTHER && form->op != PTX_OP_NANOSLEEP ? PTX_CLASS_MOVE : own;
    const enum ptx_class class = (enum ptx_class)(classes[inst->op] - 1);
    if (class == PTX_CLASS_CONVERT && converts_wide(inst)) return PTX_CLASS_CONVERT64;
    /* Parameters are in a constant bank. */
    if (class == PTX_CLASS_LOAD_CONST && own == PTX_CLASS_LOAD_PARAM) return own;
    return class;
}

/* ---- Forms --------------------------------------------------------------------------------------------- */

/* The issued instructions of a module are given forms, one for each that is different. */
struct issuer {
    struct wb_module *module;
    struct intern keys;
    VEC(struct form_entry) forms; /* by number of their key */
    struct text key, text;
};

/* The opcode of a machine instruction with its modifiers: the word behind the guard of its text, which stays
 * in issuer->text. */
static const char *find_opcode(struct issuer *issuer, const struct sass_inst *sass, size_t *length) {
    struct text *text = &issuer->text;
    text->length = 0;
    sass_put(sass, text);
    if (text->failed) return NULL;
    const char *at = text->data;
    if (*at == '@') at += strcspn(at, " ");
    at += strspn(at, " ");
    *length = strcspn(at, " ");
    return at;
}

/* The form that stands for a machine instruction: that of the instruction with its class and name. */
static wb_status form_of(struct issuer *issuer, const struct ptx_inst *inst, const struct ptx_form **form) {
    const struct sass_inst *sass = &issuer->module->code->insts[inst->machine].sass;
    const enum ptx_class class = lift_class(sass, inst->form);
    size_t length;
    uint32_t number;
    bool is_new;
    const char *opcode = find_opcode(issuer, sass, &length);
    if (opcode == NULL) return WB_ERR_LIMIT;
    issuer->key.length = 0;
    text_printf(&issuer->key, "%p %d %.*s", (const void *)inst->form, (int)class, (int)length, opcode);
    if (issuer->key.failed) return WB_ERR_LIMIT;
    WB_TRY(intern_copy(&issuer->keys, issuer->key.data, issuer->key.length, &number, &is_new));
    if (is_new) {
        struct ptx_form *made = arena_alloc(&issuer->module->arena, sizeof *made);
        char *name = arena_string(&issuer->module->arena, opcode, length);
        if (made == NULL || name == NULL) return WB_ERR_LIMIT;
        *made = *inst->form;
        made->class_ = (uint8_t) class;
        made->name = name;
        WB_TRY(vec_push(&issuer->forms, (struct form_entry){made}));
    }
    *form = issuer->forms.items[number].form;
    return WB_OK;
}

static wb_status name_function(struct issuer *issuer, struct ptx_function *function) {
    WB_TRY(ptx_number_issued(function, &issuer->module->arena));
    function->code = issuer->module->code;
    for (uint32_t n = 0; n < function->issued_count; n++) {
        struct ptx_inst *inst = &function->insts[function->issued[n]];
        WB_TRY(form_of(issuer, inst, &inst->form));
    }
    return WB_OK;
}

wb_status lift_issued(struct wb_module *module) {
    struct issuer issuer = {.module = module};
    wb_status status = WB_OK;
    for (uint32_t f = 0; status == WB_OK && f < module->function_count; f++)
        if (module->functions[f].has_body) status = name_function(&issuer, &module->functions[f]);
    intern_free(&issuer.keys);
    vec_free(&issuer.forms);
    text_free(&issuer.key);
    text_free(&issuer.text);
    return status;
}
