/* Questions about instructions that every later stage asks. */
#include "ptx/ptx.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

#define MESSAGE_MAX 800

const char *ptx_location_file(const struct wb_module *module, const struct ptx_location *location) {
    for (uint32_t i = 0; i < module->file_count; i++)
        if (module->files[i].number == location->file) return module->files[i].name;
    return "?";
}

void ptx_put_reg(const struct ptx_function *function, uint32_t reg, struct text *out) {
    const struct ptx_reg_group *group = &function->groups[function->reg_group[reg]];
    text_string(out, group->name);
    if (group->numbered) text_printf(out, "%u", reg - group->first);
}

void ptx_put_location(const struct wb_module *module, uint32_t index, struct text *out) {
    /* Chains of inlining are short; the limit is for those that a broken file makes circular. */
    enum { CHAIN_MAX = 8 };
    const char *before = "";
    for (int i = 0; i < CHAIN_MAX && index != PTX_NO_INDEX; i++) {
        const struct ptx_location *location = &module->locations[index];
        text_printf(out, "%s%s:%u", before, ptx_location_file(module, location), location->line);
        before = ", inlined at ";
        index = location->inlined_at;
    }
}

uint32_t ptx_first_label_from(const struct ptx_function *function, uint32_t inst) {
    uint32_t low = 0;
    uint32_t high = function->label_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (function->labels[middle].target < inst) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void ptx_diagnose(struct wb_diagnostics *diagnostics, enum severity severity, const struct wb_module *module,
                  const struct ptx_inst *inst, const char *format, ...) {
    char message[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(message, sizeof message, format, arguments);
    va_end(arguments);
    struct text place = {0};
    if (inst->location != PTX_NO_INDEX) {
        text_string(&place, " (");
        ptx_put_location(module, inst->location, &place);
        text_char(&place, ')');
    }
    diagnose_at(diagnostics, severity, &module->source, inst->at, "%s%s", message,
                place.data == NULL ? "" : place.data);
    text_free(&place);
}

static void list_add(uint32_t *list, uint32_t *count, uint32_t reg) {
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == reg) return;
    if (*count < PTX_REGS_MAX) list[(*count)++] = reg;
}

/* Adds the registers of an operand to a list. Everything inside an address or a texture access is read. */
static void operand_regs(const struct ptx_function *function, const struct ptx_operand *operand,
                         uint32_t *list, uint32_t *count) {
    uint32_t parts = 0;
    switch (operand->kind) {
    case PTX_OPERAND_REG: list_add(list, count, operand->index); break;
    case PTX_OPERAND_ADDRESS: parts = 1; break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_TEXTURE: parts = operand->count; break;
    default: break;
    }
    for (uint32_t i = 0; i < parts; i++) {
        const struct ptx_operand *part = &function->operands[operand->index + i];
        if (part->kind == PTX_OPERAND_REG) {
            list_add(list, count, part->index);
        } else if (part->kind == PTX_OPERAND_VECTOR) {
            /* The coordinates of a texture access: vectors nest no deeper. */
            for (uint32_t j = 0; j < part->count; j++) {
                const struct ptx_operand *element = &function->operands[part->index + j];
                if (element->kind == PTX_OPERAND_REG) list_add(list, count, element->index);
            }
        }
    }
}

void ptx_inst_regs(const struct ptx_function *function, const struct ptx_inst *inst, struct ptx_regs *regs) {
    const struct ptx_form *form = inst->form;
    const struct ptx_operand *operands = ptx_operands(function, inst);
    regs->read_count = regs->written_count = 0;
    if (inst->guard != PTX_NO_INDEX) list_add(regs->read, &regs->read_count, inst->guard);
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        char role = form->roles[i];
        bool written = role == 'd' || role == 'D' || role == 'O' || role == 'x';
        if (written) operand_regs(function, &operands[i], regs->written, &regs->written_count);
        if (!written || role == 'x' || operands[i].kind == PTX_OPERAND_ADDRESS)
            operand_regs(function, &operands[i], regs->read, &regs->read_count);
    }
    if (form->carry_in) list_add(regs->read, &regs->read_count, function->reg_count);
    if (form->carry_out) list_add(regs->written, &regs->written_count, function->reg_count);
}

uint32_t ptx_branch_targets(const struct ptx_function *function, const struct ptx_inst *inst,
                            uint32_t *targets, uint32_t room) {
    const struct ptx_operand *operands = ptx_operands(function, inst);
    if (inst->form->op == PTX_OP_BRA) {
        if (room > 0) targets[0] = function->labels[operands[0].index].target;
        return 1;
    }
    if (inst->form->op != PTX_OP_BRX_IDX) return 0;
    const struct ptx_prototype *table = &function->prototypes[operands[1].index];
    for (uint32_t i = 0; i < table->target_count && i < room; i++)
        targets[i] = function->labels[table->targets[i]].target;
    return table->target_count;
}
