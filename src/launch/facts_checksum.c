/* The checksums that tie flow facts to a kernel and a launch: FNV-1a over all that the kernel can execute.
 * Registers, variables and functions count by the order in which the code meets them, labels by where they
 * stand, so that names play no part. */
#include <string.h>

#include "launch/facts.h"
#include "ptx/reach.h"

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* Things of one kind that the code names, numbered as they are met. */
struct numbering {
    uint32_t *number; /* by index: 1 + its number, 0: not met */
    uint32_t *met;    /* by number: the index */
    uint32_t count;
};

struct checksum {
    const struct wb_module *module;
    const struct ptx_function *function; /* the one that is gone through */
    struct numbering functions, variables, registers;
    uint64_t hash;
};

static void add_byte(struct checksum *sum, uint8_t byte) {
    sum->hash = (sum->hash ^ byte) * FNV_PRIME;
}

static void add_bytes(struct checksum *sum, const uint8_t *bytes, uint64_t size) {
    for (uint64_t i = 0; i < size; i++)
        add_byte(sum, bytes[i]);
}

/* The low byte first, on every machine. */
static void add_number(struct checksum *sum, uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8)
        add_byte(sum, (uint8_t)(number >> shift));
}

/* A text and its end. */
static void add_text(struct checksum *sum, const char *text) {
    for (; *text != '\0'; text++)
        add_byte(sum, (uint8_t)*text);
    add_byte(sum, 0);
}

static wb_status numbering_open(struct arena *arena, uint32_t room, struct numbering *numbering) {
    *numbering = (struct numbering){.number = arena_array(arena, room, sizeof *numbering->number),
                                    .met = arena_array(arena, room, sizeof *numbering->met)};
    return numbering->number == NULL || numbering->met == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* Adds the number of a thing; true when it is met for the first time. */
static bool add_met(struct checksum *sum, struct numbering *numbering, uint32_t index) {
    bool first = numbering->number[index] == 0;
    if (first) {
        numbering->met[numbering->count++] = index;
        numbering->number[index] = numbering->count;
    }
    add_number(sum, numbering->number[index]);
    return first;
}

/* Its type belongs to it: a load extends to the width of the register. */
static void add_register(struct checksum *sum, uint32_t reg) {
    if (!add_met(sum, &sum->registers, reg)) return;
    add_text(sum, ptx_type_name(sum->function->groups[sum->function->reg_group[reg]].type));
}

/* By name, as the order of the enumerators may change between versions of this library. */
static void add_special_register(struct checksum *sum, uint32_t sreg) {
    add_text(sum, ptx_sreg_name((enum ptx_sreg)sreg));
    if (sreg >= PTX_SREG_ENVREG0) add_number(sum, sreg - PTX_SREG_ENVREG0);
}

static void add_function_number(struct checksum *sum, uint32_t function) {
    (void)add_met(sum, &sum->functions, ptx_callee(sum->module, function));
}

static void add_prototype(struct checksum *sum, const struct ptx_prototype *prototype) {
    if (prototype->text != NULL) add_text(sum, prototype->text);
    add_number(sum, prototype->target_count);
    for (uint32_t i = 0; i < prototype->target_count; i++)
        add_number(sum, sum->function->labels[prototype->targets[i]].target);
}

static void add_operand(struct checksum *sum, const struct ptx_operand *operand) {
    const struct ptx_function *function = sum->function;
    uint32_t parts = 0;
    add_byte(sum, operand->kind);
    add_byte(sum, operand->negated);
    add_byte(sum, operand->select);
    add_number(sum, operand->value);
    switch ((enum ptx_operand_kind)operand->kind) {
    case PTX_OPERAND_REG: add_register(sum, operand->index); break;
    case PTX_OPERAND_SREG: add_special_register(sum, operand->index); break;
    case PTX_OPERAND_VARIABLE: (void)add_met(sum, &sum->variables, operand->index); break;
    case PTX_OPERAND_FUNCTION: add_function_number(sum, operand->index); break;
    case PTX_OPERAND_LABEL: add_number(sum, function->labels[operand->index].target); break;
    case PTX_OPERAND_PROTOTYPE: add_prototype(sum, &function->prototypes[operand->index]); break;
    case PTX_OPERAND_ADDRESS: parts = 1; break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_TEXTURE: parts = operand->count; break;
    default: break;
    }
    add_number(sum, parts);
    for (uint32_t i = 0; i < parts; i++)
        add_operand(sum, &function->operands[operand->index + i]);
}

static void add_instruction(struct checksum *sum, const struct ptx_inst *inst) {
    const struct ptx_operand *operands = ptx_operands(sum->function, inst);
    add_text(sum, inst->form->text);
    add_byte(sum, inst->guard != PTX_NO_INDEX);
    if (inst->guard != PTX_NO_INDEX) {
        add_byte(sum, inst->guard_negated);
        add_register(sum, inst->guard);
    }
    for (uint32_t i = 0; i < inst->operand_count; i++)
        add_operand(sum, &operands[i]);
}

/* Parameters or results. The registers among them are those of the body: without one there are none. */
static void add_parameters(struct checksum *sum, const uint32_t *parameters, const bool *is_reg,
                           uint32_t count) {
    add_number(sum, count);
    for (uint32_t i = 0; i < count; i++) {
        add_byte(sum, is_reg[i]);
        if (!is_reg[i]) {
            (void)add_met(sum, &sum->variables, parameters[i]);
        } else if (sum->function->has_body) {
            add_register(sum, parameters[i]);
        }
    }
}

static void add_function(struct checksum *sum, uint32_t index) {
    const struct ptx_function *function = &sum->module->functions[index];
    add_function_number(sum, index);
    add_byte(sum, function->has_body);
    /* What the program does not contain can only be told by its name. */
    if (!function->has_body) add_text(sum, function->name);
    add_parameters(sum, function->params, function->param_is_reg, function->param_count);
    add_parameters(sum, function->returns, function->return_is_reg, function->return_count);
    add_number(sum, function->inst_count);
    for (uint32_t i = 0; i < function->inst_count; i++)
        add_instruction(sum, &function->insts[i]);
}

/* What it holds belongs to it: tables steer loops, too. */
static void add_variable(struct checksum *sum, const struct ptx_variable *variable) {
    add_text(sum, ptx_space_name(variable->space));
    add_text(sum, ptx_type_name(variable->type));
    add_byte(sum, variable->vector);
    add_number(sum, variable->align);
    add_number(sum, variable->size);
    add_byte(sum, variable->linkage == PTX_LINK_EXTERN);
    add_byte(sum, variable->init != NULL);
    if (variable->init != NULL) add_bytes(sum, variable->init, variable->size);
    add_number(sum, variable->relocation_count);
    for (uint32_t i = 0; i < variable->relocation_count; i++) {
        const struct ptx_relocation *relocation = &variable->relocations[i];
        add_number(sum, relocation->offset);
        add_byte(sum, relocation->bytes);
        add_byte(sum, relocation->generic);
        add_number(sum, relocation->addend);
        add_number(sum, relocation->mask);
        if (relocation->is_function) {
            add_function_number(sum, relocation->symbol);
        } else {
            (void)add_met(sum, &sum->variables, relocation->symbol);
        }
    }
}

/* Goes through the functions that the kernel reaches, then through the variables that they name, and those
 * that these point to. */
static wb_status compute(const struct wb_kernel *kernel, struct arena *arena, uint64_t *checksum) {
    const struct wb_module *module = kernel->module;
    struct checksum sum = {.module = module, .hash = FNV_BASIS};
    struct ptx_reach reach;
    WB_TRY(ptx_reach(kernel, arena, &reach));
    WB_TRY(numbering_open(arena, module->function_count, &sum.functions));
    WB_TRY(numbering_open(arena, module->variable_count, &sum.variables));
    for (uint32_t i = 0; i < reach.count; i++) {
        sum.function = &module->functions[reach.functions[i]];
        WB_TRY(numbering_open(arena, sum.function->reg_count, &sum.registers));
        add_function(&sum, reach.functions[i]);
    }
    for (uint32_t i = 0; i < sum.variables.count; i++)
        add_variable(&sum, &module->variables[sum.variables.met[i]]);
    *checksum = sum.hash;
    return WB_OK;
}

uint64_t facts_text_checksum(const char *text, size_t size) {
    struct checksum sum = {.hash = FNV_BASIS};
    add_bytes(&sum, (const uint8_t *)text, size);
    return sum.hash;
}

uint64_t facts_launch_checksum(uint64_t kernel_checksum, const char *launch) {
    struct checksum sum = {.hash = FNV_BASIS};
    add_number(&sum, kernel_checksum);
    add_text(&sum, launch);
    return sum.hash;
}

wb_status facts_checksum(const struct wb_kernel *kernel, uint64_t *checksum) {
    struct arena arena = {0};
    wb_status status = compute(kernel, &arena, checksum);
    arena_free(&arena);
    return status;
}
