#include "sass/sass.h"

#include <inttypes.h>

/* ---- Labels ---- */

/* Whether the instruction's target is a place in its kernel to which control goes, or lanes meet. */
static bool has_label(const struct machine_inst *inst) {
    switch (inst->sass.op) {
    case SASS_OP_BRA:
    case SASS_OP_BSSY:
    case SASS_OP_CALL_REL: return true;
    case SASS_OP_CALL_ABS: return inst->sass.a.kind == SASS_SOURCE_NONE;
    case SASS_OP_WARPSYNC: return sass_field(&inst->sass, SASS_FIELD_COLLECTIVE) != 0;
    default: return false;
    }
}

/* Marks what instructions of a kernel go to. */
static void mark_targets(const struct machine_code *code, const struct machine_kernel *kernel,
                         bool *is_target) {
    for (uint32_t i = 0; i < kernel->count; i++) {
        const struct machine_inst *inst = &code->insts[kernel->first + i];
        uint32_t target = inst->sass.target / SASS_BYTES;
        if (inst->unknown == NULL && has_label(inst) && target < kernel->count) is_target[target] = true;
    }
}

/* ---- Lines ---- */

static void put_heading(const struct machine_code *code, const struct machine_kernel *kernel,
                        struct text *text) {
    text_printf(text, "// sm_%u, %u registers, %" PRIu64 " bytes of shared memory, %u bytes of stack\n",
                code->sm, kernel->registers, kernel->shared_bytes, kernel->stack_bytes);
    text_printf(text, "%s:\n", kernel->name);
}

static void put_source_line(const struct machine_code *code, const struct machine_inst *inst,
                            struct text *text) {
    if (inst->file < code->file_count)
        text_printf(text, "    // %s:%u\n", code->files[inst->file], inst->line);
    else
        text_printf(text, "    // line %u\n", inst->line);
}

static void put_inst(const struct machine_inst *inst, struct text *text) {
    text_printf(text, "0x%04x  ", inst->address);
    sass_put_control(&inst->sass.control, text);
    text_string(text, "  ");
    sass_put(&inst->sass, text);
    if (inst->unknown != NULL) text_printf(text, " // unsupported: %s", inst->unknown);
    text_char(text, '\n');
}

static void list_kernel(const struct machine_code *code, const struct machine_kernel *kernel,
                        struct text *text, const bool *is_target, uint32_t *at) {
    uint32_t file = 0, line = 0;
    put_heading(code, kernel, text);
    for (uint32_t i = 0; i < kernel->count; i++) {
        const struct machine_inst *inst = &code->insts[kernel->first + i];
        if (is_target[i]) text_printf(text, "L_0x%04x:\n", inst->address);
        if (inst->line != 0 && (inst->line != line || inst->file != file)) put_source_line(code, inst, text);
        file = inst->file;
        line = inst->line;
        text_string(text, "    ");
        at[kernel->first + i] = (uint32_t)text->length;
        put_inst(inst, text);
    }
    text_char(text, '\n');
}

void machine_code_list(const struct machine_code *code, struct arena *arena, struct text *text,
                       uint32_t *at) {
    for (uint32_t k = 0; k < code->kernel_count; k++) {
        const struct machine_kernel *kernel = &code->kernels[k];
        bool *is_target = arena_array(arena, kernel->count, sizeof *is_target);
        mark_targets(code, kernel, is_target);
        list_kernel(code, kernel, text, is_target, at);
    }
}
