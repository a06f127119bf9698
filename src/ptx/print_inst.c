/* Instructions and their operands. */
#include <string.h>

#include "ptx/printer.h"

/* What operands of one function are printed with. */
struct inst_printer {
    struct text *out;
    const struct wb_module *module;
    const struct ptx_function *function;
    const struct register_names *names;
    enum register_access access; /* of the operand at hand */
};

void print_register(struct text *out, const struct ptx_function *function, uint32_t reg) {
    if (reg >= function->reg_count) {
        text_string(out, "CC");
        return;
    }
    const struct ptx_reg_group *group = &function->groups[function->reg_group[reg]];
    text_string(out, group->name);
    if (group->numbered) text_printf(out, "%u", reg - group->first);
}

/* The part of a register that a video instruction takes. */
static void print_select(struct text *out, const struct ptx_operand *operand) {
    static const char *const names[] = {
        [PTX_SELECT_B0] = ".b0", [PTX_SELECT_B1] = ".b1", [PTX_SELECT_B2] = ".b2",
        [PTX_SELECT_B3] = ".b3", [PTX_SELECT_H0] = ".h0", [PTX_SELECT_H1] = ".h1",
    };
    if (operand->select == PTX_SELECT_NONE) return;
    if (operand->select != PTX_SELECT_OTHER) {
        text_string(out, names[operand->select]);
        return;
    }
    char word[sizeof operand->value + 1] = {0};
    memcpy(word, &operand->value, sizeof operand->value);
    text_printf(out, ".%s", word);
}

static void print_sreg(struct text *out, uint32_t sreg) {
    text_string(out, ptx_sreg_name((enum ptx_sreg)sreg));
    if (sreg >= PTX_SREG_ENVREG0) text_printf(out, "%u", sreg - PTX_SREG_ENVREG0);
}

static void put_register(const struct inst_printer *printer, uint32_t reg) {
    if (printer->names == NULL) {
        print_register(printer->out, printer->function, reg);
    } else {
        printer->names->put(printer->names, printer->out, reg, printer->access);
    }
}

/* An operand that has no parts. */
static void print_scalar(const struct inst_printer *printer, const struct ptx_operand *operand) {
    struct text *out = printer->out;
    const struct ptx_function *function = printer->function;
    unsigned long long bits = operand->value;
    switch (operand->kind) {
    case PTX_OPERAND_REG:
        if (operand->negated) text_char(out, '!');
        put_register(printer, operand->index);
        print_select(out, operand);
        break;
    case PTX_OPERAND_INT: text_printf(out, "%lld", (long long)operand->value); break;
    case PTX_OPERAND_F32: text_printf(out, "0f%08llX", bits); break;
    case PTX_OPERAND_F64: text_printf(out, "0d%016llX", bits); break;
    case PTX_OPERAND_SREG: print_sreg(out, operand->index); break;
    case PTX_OPERAND_VARIABLE:
        text_string(out, printer->module->variables[operand->index].name);
        if (operand->value != 0) text_printf(out, "+%lld", (long long)operand->value);
        break;
    case PTX_OPERAND_FUNCTION: text_string(out, printer->module->functions[operand->index].name); break;
    case PTX_OPERAND_LABEL: text_string(out, function->labels[operand->index].name); break;
    case PTX_OPERAND_PROTOTYPE: text_string(out, function->prototypes[operand->index].name); break;
    case PTX_OPERAND_SINK: text_char(out, '_'); break;
    default: break;
    }
}

/* The elements of a vector between two brackets. */
static void print_vector(const struct inst_printer *printer, const struct ptx_operand *operand,
                         const char brackets[3]) {
    text_char(printer->out, brackets[0]);
    for (uint32_t i = 0; i < operand->count; i++) {
        if (i > 0) text_string(printer->out, ", ");
        print_scalar(printer, &printer->function->operands[operand->index + i]);
    }
    text_char(printer->out, brackets[1]);
}

/* [base+offset]; an absolute address is the offset alone. */
static void print_address(const struct inst_printer *printer, const struct ptx_operand *operand) {
    const struct ptx_operand *base = &printer->function->operands[operand->index];
    text_char(printer->out, '[');
    if (base->kind == PTX_OPERAND_INT) {
        text_printf(printer->out, "%lld", (long long)operand->value);
    } else {
        print_scalar(printer, base);
        if (operand->value != 0) text_printf(printer->out, "+%lld", (long long)operand->value);
    }
    text_char(printer->out, ']');
}

/* [texture, sampler, {coordinates}] */
static void print_texture(const struct inst_printer *printer, const struct ptx_operand *operand) {
    text_char(printer->out, '[');
    for (uint32_t i = 0; i < operand->count; i++) {
        const struct ptx_operand *part = &printer->function->operands[operand->index + i];
        if (i > 0) text_string(printer->out, ", ");
        if (part->kind == PTX_OPERAND_VECTOR) {
            print_vector(printer, part, "{}");
        } else {
            print_scalar(printer, part);
        }
    }
    text_char(printer->out, ']');
}

static void print_operand(const struct inst_printer *printer, const struct ptx_operand *operand,
                          const char brackets[3]) {
    switch (operand->kind) {
    case PTX_OPERAND_VECTOR: print_vector(printer, operand, brackets); break;
    case PTX_OPERAND_ADDRESS: print_address(printer, operand); break;
    case PTX_OPERAND_TEXTURE: print_texture(printer, operand); break;
    default: print_scalar(printer, operand); break;
    }
}

/* What an instruction does with the registers of an operand of this role; those of addresses are read. */
static enum register_access access_of(char role, const struct ptx_operand *operand) {
    if (operand->kind == PTX_OPERAND_ADDRESS) return REGISTER_READ;
    if (role == 'x') return REGISTER_UPDATED;
    return role == 'd' || role == 'D' || role == 'O' ? REGISTER_WRITTEN : REGISTER_READ;
}

void print_inst(struct text *out, const struct wb_module *module, const struct ptx_function *function,
                const struct ptx_inst *inst) {
    print_inst_named(out, module, function, inst, NULL);
}

void print_inst_named(struct text *out, const struct wb_module *module, const struct ptx_function *function,
                      const struct ptx_inst *inst, const struct register_names *names) {
    struct inst_printer printer = {out, module, function, names, REGISTER_READ};
    const struct ptx_operand *operands = ptx_operands(function, inst);
    if (inst->guard != PTX_NO_INDEX) {
        text_string(out, inst->guard_negated ? "@!" : "@");
        put_register(&printer, inst->guard);
        text_char(out, ' ');
    }
    text_string(out, inst->form->text);
    const char *before = " ";
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (operands[i].kind == PTX_OPERAND_NONE) continue;
        text_string(out, inst->form->roles[i] == 'D' ? "|" : before);
        printer.access = access_of(inst->form->roles[i], &operands[i]);
        print_operand(&printer, &operands[i], inst->form->op == PTX_OP_CALL ? "()" : "{}");
        before = ", ";
    }
}
