/* Declarations of variables, with their initial values. */
#include <string.h>

#include "ptx/printer.h"

static const char *linkage_word(enum ptx_linkage linkage) {
    switch (linkage) {
    case PTX_LINK_VISIBLE: return ".visible ";
    case PTX_LINK_EXTERN: return ".extern ";
    case PTX_LINK_WEAK: return ".weak ";
    case PTX_LINK_COMMON: return ".common ";
    case PTX_LINK_NONE: break;
    }
    return "";
}

/* One scalar of an initial value: floats by their bits, everything else as an unsigned number. */
static void print_scalar(struct text *out, enum ptx_type type, const uint8_t *bytes) {
    uint64_t value = 0;
    uint32_t size = ptx_type_bytes(type);
    memcpy(&value, bytes, size < sizeof value ? size : sizeof value);
    if (type == PTX_F32) {
        text_printf(out, "0f%08llX", (unsigned long long)value);
    } else if (type == PTX_F64) {
        text_printf(out, "0d%016llX", (unsigned long long)value);
    } else {
        text_printf(out, "%llu", (unsigned long long)value);
    }
}

/* An address in an initial value: symbol+addend, generic(symbol)+addend, mask(symbol). */
static void print_relocation(struct text *out, const struct wb_module *module,
                             const struct ptx_relocation *relocation) {
    const char *name = relocation->is_function ? module->functions[relocation->symbol].name
                                               : module->variables[relocation->symbol].name;
    if (relocation->mask != 0) text_printf(out, "0x%llX(", (unsigned long long)relocation->mask);
    text_printf(out, relocation->generic ? "generic(%s)" : "%s", name);
    if (relocation->addend != 0) text_printf(out, "+%lld", (long long)relocation->addend);
    if (relocation->mask != 0) text_char(out, ')');
}

/* Scalars that must be written: the rest of the variable is zero. */
static uint64_t scalars_written(const struct ptx_variable *variable, uint32_t scalar) {
    uint64_t bytes = variable->size;
    while (bytes > 0 && variable->init[bytes - 1] == 0)
        bytes--;
    uint64_t count = (bytes + scalar - 1) / scalar;
    for (uint32_t i = 0; i < variable->relocation_count; i++) {
        uint64_t end = variable->relocations[i].offset / scalar + 1;
        if (end > count) count = end;
    }
    return count;
}

static void print_initialiser(struct text *out, const struct wb_module *module,
                              const struct ptx_variable *variable) {
    uint32_t scalar = ptx_type_bytes(variable->type);
    uint64_t count = scalars_written(variable, scalar);
    bool braces = variable->array || variable->vector > 1;
    uint32_t relocation = 0;
    if (count == 0 && !braces) count = 1;
    text_string(out, braces ? " = {" : " = ");
    for (uint64_t i = 0; i < count && !out->failed; i++) {
        if (i > 0) text_string(out, ", ");
        if (relocation < variable->relocation_count &&
            variable->relocations[relocation].offset == i * scalar) {
            print_relocation(out, module, &variable->relocations[relocation++]);
        } else {
            print_scalar(out, variable->type, variable->init + i * scalar);
        }
    }
    if (braces) text_char(out, '}');
}

/* Everything before the name. */
static void print_specifiers(struct text *out, const struct ptx_variable *variable) {
    uint32_t element = ptx_type_bytes(variable->type) * variable->vector;
    text_printf(out, "%s.%s ", linkage_word(variable->linkage), ptx_space_name(variable->space));
    if (variable->align != element) text_printf(out, ".align %u ", variable->align);
    if (variable->attribute != NULL) text_printf(out, ".attribute(%s) ", variable->attribute);
    if (variable->vector > 1) text_printf(out, ".v%u ", variable->vector);
    text_printf(out, ".%s ", ptx_type_name(variable->type));
    if (!variable->pointer) return;
    text_string(out, ".ptr ");
    if (variable->pointer_space != PTX_GENERIC)
        text_printf(out, ".%s ", ptx_space_name(variable->pointer_space));
    if (variable->pointer_align != 0) text_printf(out, ".align %u ", variable->pointer_align);
}

void print_variable(struct text *out, const struct wb_module *module, const struct ptx_variable *variable) {
    uint64_t element = (uint64_t)ptx_type_bytes(variable->type) * variable->vector;
    print_specifiers(out, variable);
    text_string(out, variable->name);
    if (variable->array && variable->size == 0) {
        text_string(out, "[]");
    } else if (variable->array) {
        text_printf(out, "[%llu]", (unsigned long long)(variable->size / element));
    }
    if (variable->fields != NULL) text_printf(out, " = %s", variable->fields);
    if (variable->init != NULL) print_initialiser(out, module, variable);
}
