#include "lift/lift.h"

#include <string.h>

#include "base/containers.h"

/* ---- Classes ------------------------------------------------------------------------------------------- */

/* The size of 64 bits in conversions. */
#define SIZE_64 3u

/* The class of the instruction that stands for the group, which accesses memory, say. */
#define PTX_CLASS_NONE PTX_CLASS_COUNT

static const uint8_t classes[SASS_OP_COUNT] = {
    PTX_CLASS_NONE,
#define SASS_OPCODE(enumerator, name, class, ptx_class, family) PTX_CLASS_##ptx_class,
#define SASS_FORM(...)
#include "sass/opcode_table.h"
#undef SASS_OPCODE
#undef SASS_FORM
};

static bool converts_wide(const struct sass_inst *inst) {
    return sass_field(inst, SASS_FIELD_TO_SIZE) == SIZE_64 ||
           sass_field(inst, SASS_FIELD_FROM_SIZE) == SIZE_64;
}

enum ptx_class lift_class(const struct sass_inst *inst, const struct ptx_form *form) {
    const enum ptx_class own = (enum ptx_class)form->class_;
    const enum ptx_class class = classes[inst->op];
    if (class == PTX_CLASS_NONE) /* a machine need not know what does nothing */
        return own == PTX_CLASS_OTHER && form->op != PTX_OP_NANOSLEEP ? PTX_CLASS_MOVE : own;
    if (class == PTX_CLASS_CONVERT && converts_wide(inst)) return PTX_CLASS_CONVERT64;
    if (own == PTX_CLASS_PREFETCH) return own; /* CCTL, which is a fence else */
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
