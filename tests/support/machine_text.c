#include "machine_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/parser.h"

static const struct {
    const char *name, *opcode;
} opcodes[] = {{"bssy", "machine bssy"},         {"bsync", "machine bsync"},
               {"break", "machine break"},       {"bmov.get", "machine bmov.get"},
               {"bmov.set", "machine bmov.set"}, {"warpsync", "machine warpsync"},
               {"divided", "machine divided"},   {"idle", "machine idle"}};

static uint32_t reg_named(const struct ptx_function *function, const char *name) {
    for (uint32_t g = 0; g < function->group_count; g++) {
        const struct ptx_reg_group *group = &function->groups[g];
        const size_t length = strlen(group->name);
        if (strncmp(group->name, name, length) != 0 || name[length] < '0' || name[length] > '9') continue;
        return group->first + (uint32_t)strtoul(name + length, NULL, 10);
    }
    fail_msg("no register %s", name);
    return 0;
}

static struct ptx_operand operand_of(const struct ptx_function *function, const char *text) {
    if (text[0] == '%')
        return (struct ptx_operand){.kind = PTX_OPERAND_REG, .index = reg_named(function, text)};
    if (text[0] >= '0' && text[0] <= '9')
        return (struct ptx_operand){.kind = PTX_OPERAND_INT, .value = strtoull(text, NULL, 0)};
    for (uint32_t l = 0; l < function->label_count; l++)
        if (strcmp(function->labels[l].name, text) == 0)
            return (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .index = l};
    fail_msg("no label %s", text);
    return (struct ptx_operand){0};
}

/* Makes a statement that is unknown to PTX the instruction that it is. */
static void resolve(struct form_table *forms, struct ptx_function *function, struct ptx_inst *inst) {
    char text[256];
    const char *opcode = NULL;
    (void)snprintf(text, sizeof text, "%s", inst->form->text);
    char *rest = NULL;
    const char *name = strtok_r(text, " ,;\n\t", &rest);
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (strcmp(opcodes[i].name, name) == 0) opcode = opcodes[i].opcode;
    if (opcode == NULL) fail_msg("unknown: %s", inst->form->text);
    assert_int_equal(form_get(forms, opcode, strlen(opcode), &inst->form), WB_OK);
    inst->first_operand = function->operand_count;
    inst->operand_count = 0;
    for (const char *part; (part = strtok_r(NULL, " ,;\n\t", &rest)) != NULL; inst->operand_count++)
        function->operands[function->operand_count++] = operand_of(function, part);
    assert_int_equal(inst->operand_count, strlen(inst->form->roles));
}

wb_module *machine_text_parse(const char *text) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    if (wb_module_parse("machine.ptx", text, strlen(text), diagnostics, &module) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    struct form_table forms = {.arena = &module->arena};
    for (uint32_t f = 0; f < module->function_count; f++) {
        struct ptx_function *function = &module->functions[f];
        struct ptx_operand *operands = arena_array(
            &module->arena, function->operand_count + 3 * (size_t)function->inst_count, sizeof *operands);
        assert_non_null(operands);
        if (function->operand_count > 0)
            memcpy(operands, function->operands, function->operand_count * sizeof *operands);
        function->operands = operands;
        for (uint32_t i = 0; i < function->inst_count; i++)
            if (function->insts[i].form->op == PTX_OP_UNKNOWN) resolve(&forms, function, &function->insts[i]);
        function->first_unknown = PTX_NO_INDEX;
        function->registers = 32;
    }
    form_table_free(&forms);
    return module;
}
