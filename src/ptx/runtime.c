#include "ptx/runtime.h"

#include <string.h>

static const struct {
    const char *name;
    uint8_t class_, wait;
} functions[PTX_RUNTIME_COUNT] = {[PTX_RUNTIME_NONE] = {"", 0, 0},
#define X(enumerator, name, class, wait)                                                                     \
    [PTX_RUNTIME_##enumerator] = {name, PTX_CLASS_##class, PTX_WAIT_##wait},
                                  PTX_RUNTIME_TABLE(X)
#undef X
};

const char *ptx_runtime_name(enum ptx_runtime runtime) {
    return functions[runtime].name;
}

/* Which function of the run-time system a declaration means. */
static enum ptx_runtime runtime_of(const struct ptx_function *function) {
    if (function->has_body) return PTX_RUNTIME_NONE;
    for (int r = PTX_RUNTIME_NONE + 1; r < PTX_RUNTIME_COUNT; r++)
        if (strcmp(function->name, functions[r].name) == 0) return (enum ptx_runtime)r;
    return PTX_RUNTIME_NONE;
}

/* The form of such a call, made when it is another than the one that `last` has of that function. */
static wb_status runtime_form(struct arena *arena, const struct ptx_form *call, enum ptx_runtime runtime,
                              const struct ptx_form **last) {
    if (*last != NULL && strcmp((*last)->text, call->text) == 0) return WB_OK;
    struct ptx_form *form = arena_alloc(arena, sizeof *form);
    if (form == NULL) return WB_ERR_LIMIT;
    *form = *call;
    form->runtime = (uint8_t)runtime;
    form->class_ = functions[runtime].class_;
    form->wait = functions[runtime].wait;
    *last = form;
    return WB_OK;
}

wb_status runtime_resolve(struct wb_module *module) {
    const struct ptx_form *forms[PTX_RUNTIME_COUNT] = {0};
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        for (uint32_t i = 0; i < function->inst_count; i++) {
            struct ptx_inst *inst = &function->insts[i];
            if (inst->form->op != PTX_OP_CALL) continue;
            const struct ptx_operand *callee = &ptx_operands(function, inst)[1];
            if (callee->kind != PTX_OPERAND_FUNCTION) continue;
            enum ptx_runtime runtime = runtime_of(&module->functions[ptx_callee(module, callee->index)]);
            if (runtime == PTX_RUNTIME_NONE) continue;
            WB_TRY(runtime_form(&module->arena, inst->form, runtime, &forms[runtime]));
            inst->form = forms[runtime];
        }
    }
    return WB_OK;
}
