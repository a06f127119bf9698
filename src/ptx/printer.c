/* Modules as PTX text: one canonical form. */
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

/* ---- Instructions and their operands ---- */

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

/* An instruction with its guard, without semicolon and line break, such as "@%p1 bra $L__BB0_2". */
static void print_inst(struct text *out, const struct wb_module *module, const struct ptx_function *function,
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

/* ---- Variables and their initial values ---- */

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
static void print_initial_scalar(struct text *out, enum ptx_type type, const uint8_t *bytes) {
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
            print_initial_scalar(out, variable->type, variable->init + i * scalar);
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

/* A variable's declaration from its linkage to before the semicolon. */
static void print_variable(struct text *out, const struct wb_module *module,
                           const struct ptx_variable *variable) {
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

/* ---- Modules ---- */

/* Whole modules: one canonical form, in which every function declares its registers and variables first and
 * has no inner scopes. */

/* Per function its variables other than parameters, as lists through `next`. */
struct locals {
    uint32_t *first;
    uint32_t *last;
    uint32_t *next; /* by variable */
};

static void locals_free(struct locals *locals) {
    free(locals->first);
    free(locals->last);
    free(locals->next);
}

static void locals_skip(uint32_t *next, const uint32_t *variables, const bool *is_reg, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!is_reg[i]) next[variables[i]] = 0;
}

/* One pass over functions and variables; false when memory is exhausted. */
static bool locals_build(const struct wb_module *module, struct locals *locals) {
    size_t functions = (size_t)module->function_count + 1;
    locals->first = calloc(functions, sizeof *locals->first);
    locals->last = calloc(functions, sizeof *locals->last);
    locals->next = calloc((size_t)module->variable_count + 1, sizeof *locals->next);
    if (locals->first == NULL || locals->last == NULL || locals->next == NULL) return false;
    for (uint32_t v = 0; v < module->variable_count; v++)
        locals->next[v] = PTX_NO_INDEX;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        locals->first[f] = locals->last[f] = PTX_NO_INDEX;
        locals_skip(locals->next, function->params, function->param_is_reg, function->param_count);
        locals_skip(locals->next, function->returns, function->return_is_reg, function->return_count);
    }
    for (uint32_t v = 0; v < module->variable_count; v++) {
        uint32_t owner = module->variables[v].owner;
        bool is_param = locals->next[v] != PTX_NO_INDEX;
        if (owner == PTX_NO_INDEX || is_param) continue;
        uint32_t *link =
            locals->last[owner] == PTX_NO_INDEX ? &locals->first[owner] : &locals->next[locals->last[owner]];
        *link = v;
        locals->last[owner] = v;
    }
    return true;
}

/* One parameter or result of a function. */
static void print_param(struct text *out, const struct wb_module *module, const struct ptx_function *function,
                        uint32_t index, bool is_reg) {
    if (!is_reg) {
        print_variable(out, module, &module->variables[index]);
        return;
    }
    const struct ptx_reg_group *group = &function->groups[function->reg_group[index]];
    text_printf(out, ".reg .%s %s", ptx_type_name(group->type), group->name);
}

static void print_triple(struct text *out, const char *word, const uint32_t triple[3]) {
    if (triple[0] == 0 && triple[1] == 0 && triple[2] == 0) return;
    text_printf(out, ".%s %u, %u, %u\n", word, triple[0], triple[1], triple[2]);
}

static void print_single(struct text *out, const char *word, uint32_t number) {
    if (number != 0) text_printf(out, ".%s %u\n", word, number);
}

static void print_flag(struct text *out, const char *word, bool flag) {
    if (flag) text_printf(out, ".%s\n", word);
}

static void print_tuning(struct text *out, const struct ptx_tuning *tuning) {
    print_triple(out, "maxntid", tuning->maxntid);
    print_triple(out, "reqntid", tuning->reqntid);
    print_single(out, "minnctapersm", tuning->minnctapersm);
    print_single(out, "maxnctapersm", tuning->maxnctapersm);
    print_single(out, "maxnreg", tuning->maxnreg);
    print_triple(out, "reqnctapercluster", tuning->reqnctapercluster);
    print_single(out, "maxclusterrank", tuning->maxclusterrank);
    print_single(out, "abi_preserve", tuning->abi_preserve);
    print_single(out, "abi_preserve_control", tuning->abi_preserve_control);
    print_single(out, "local_maxnreg", tuning->local_maxnreg);
    print_flag(out, "explicitcluster", tuning->explicitcluster);
    print_flag(out, "blocksareclusters", tuning->blocksareclusters);
    print_flag(out, "noreturn", tuning->noreturn);
}

/* Everything of a function before its body. */
static void print_header(struct text *out, const struct wb_module *module,
                         const struct ptx_function *function) {
    static const char *const linkages[] = {
        [PTX_LINK_NONE] = "",       [PTX_LINK_VISIBLE] = ".visible ", [PTX_LINK_EXTERN] = ".extern ",
        [PTX_LINK_WEAK] = ".weak ", [PTX_LINK_COMMON] = ".common ",
    };
    text_printf(out, "\n%s%s ", linkages[function->linkage], function->is_entry ? ".entry" : ".func");
    if (function->attribute != NULL) text_printf(out, ".attribute(%s) ", function->attribute);
    for (uint32_t i = 0; i < function->return_count; i++) {
        text_string(out, i == 0 ? "(" : ", ");
        print_param(out, module, function, function->returns[i], function->return_is_reg[i]);
        if (i + 1 == function->return_count) text_string(out, ") ");
    }
    text_printf(out, "%s(", function->name);
    for (uint32_t i = 0; i < function->param_count; i++) {
        text_string(out, i == 0 ? "\n\t" : ",\n\t");
        print_param(out, module, function, function->params[i], function->param_is_reg[i]);
    }
    text_string(out, function->param_count == 0 ? ")\n" : "\n)\n");
    print_tuning(out, &function->tuning);
}

/* The register groups that are no parameters. */
static void print_groups(struct text *out, const struct ptx_function *function) {
    uint32_t params = 0;
    for (uint32_t i = 0; i < function->return_count; i++)
        params += function->return_is_reg[i];
    for (uint32_t i = 0; i < function->param_count; i++)
        params += function->param_is_reg[i];
    /* Parameters are declared first, one group each. */
    for (uint32_t i = params; i < function->group_count; i++) {
        const struct ptx_reg_group *group = &function->groups[i];
        text_printf(out, "\t.reg .%s %s", ptx_type_name(group->type), group->name);
        if (group->numbered) text_printf(out, "<%u>", group->count);
        text_string(out, ";\n");
    }
}

static void print_prototypes(struct text *out, const struct ptx_function *function) {
    for (uint32_t i = 0; i < function->prototype_count; i++) {
        const struct ptx_prototype *prototype = &function->prototypes[i];
        text_printf(out, "%s: ", prototype->name);
        if (prototype->text != NULL) {
            text_string(out, prototype->text);
        } else {
            text_string(out, ".branchtargets");
            for (uint32_t t = 0; t < prototype->target_count; t++)
                text_printf(out, "%s %s", t == 0 ? "" : ",", function->labels[prototype->targets[t]].name);
        }
        text_string(out, ";\n");
    }
}

/* A location, after those that it was inlined at: the parser keeps the chain short. */
static void print_location(struct text *out, const struct wb_module *module, uint32_t index) {
    const struct ptx_location *location = &module->locations[index];
    if (location->inlined_at != PTX_NO_INDEX) print_location(out, module, location->inlined_at);
    text_printf(out, "\t.loc %u %u %u", location->file, location->line, location->column);
    if (location->function != NULL) text_printf(out, ", function_name %s", location->function);
    if (location->inlined_at != PTX_NO_INDEX) {
        const struct ptx_location *call = &module->locations[location->inlined_at];
        text_printf(out, ", inlined_at %u %u %u", call->file, call->line, call->column);
    }
    text_char(out, '\n');
}

/* Where a reader of a body stands in its lists. */
struct body_place {
    uint32_t label, pragma, location;
};

/* The labels and pragmas before instruction `index`. */
static void print_before(struct text *out, const struct ptx_function *function, uint32_t index,
                         struct body_place *place) {
    while (place->label < function->label_count && function->labels[place->label].target <= index)
        text_printf(out, "%s:\n", function->labels[place->label++].name);
    while (place->pragma < function->pragma_count && function->pragma_inst[place->pragma] <= index)
        text_printf(out, "\t.pragma \"%s\";\n", function->pragmas[place->pragma++]);
}

static void print_body(struct text *out, const struct wb_module *module,
                       const struct ptx_function *function) {
    struct body_place place = {.location = PTX_NO_INDEX};
    print_prototypes(out, function);
    for (uint32_t i = 0; i < function->inst_count && !out->failed; i++) {
        const struct ptx_inst *inst = &function->insts[i];
        print_before(out, function, i, &place);
        if (inst->location != place.location) print_location(out, module, inst->location);
        place.location = inst->location;
        text_char(out, '\t');
        print_inst(out, module, function, inst);
        text_string(out, ";\n");
    }
    print_before(out, function, function->inst_count, &place);
}

static void print_function(struct text *out, const struct wb_module *module, uint32_t index,
                           const struct locals *locals) {
    const struct ptx_function *function = &module->functions[index];
    print_header(out, module, function);
    text_string(out, "{\n");
    print_groups(out, function);
    for (uint32_t v = locals->first[index]; v != PTX_NO_INDEX; v = locals->next[v]) {
        text_char(out, '\t');
        print_variable(out, module, &module->variables[v]);
        text_string(out, ";\n");
    }
    print_body(out, module, function);
    text_string(out, "}\n");
}

/* A declaration without body; its pragmas have no instruction to stand before. */
static void print_declaration(struct text *out, const struct wb_module *module,
                              const struct ptx_function *function) {
    print_header(out, module, function);
    for (uint32_t i = 0; i < function->pragma_count && !function->has_body; i++)
        text_printf(out, ".pragma \"%s\";\n", function->pragmas[i]);
    text_string(out, ";\n");
}

static void print_item(struct text *out, const struct wb_module *module, const struct ptx_item *item,
                       const struct locals *locals) {
    const struct ptx_function *functions = module->functions;
    uint32_t index = item->index;
    switch (item->kind) {
    case PTX_ITEM_VARIABLE:
        print_variable(out, module, &module->variables[index]);
        text_string(out, ";\n");
        break;
    case PTX_ITEM_PROTOTYPE: print_declaration(out, module, &functions[index]); break;
    case PTX_ITEM_BODY: print_function(out, module, index, locals); break;
    case PTX_ITEM_ALIAS:
        text_printf(out, ".alias %s, %s;\n", functions[index].name,
                    functions[functions[index].alias_of].name);
        break;
    case PTX_ITEM_FILE:
        text_printf(out, ".file %u \"%s\"\n", module->files[index].number, module->files[index].name);
        break;
    case PTX_ITEM_SECTION: text_printf(out, "%s\n", module->sections[index]); break;
    case PTX_ITEM_PRAGMA: text_printf(out, ".pragma \"%s\";\n", module->pragmas[index]); break;
    }
}

/* Appends a module of one unit. */
static void print_module(struct text *out, const wb_module *module) {
    struct locals locals = {0};
    if (module->code != NULL) { /* what it was lifted to is not the code that is there */
        text_append(out, module->source.text, module->source.size);
    } else if (locals_build(module, &locals)) {
        text_printf(out, ".version %s\n.target %s\n.address_size %u\n\n", module->version, module->target,
                    module->address_size);
        for (uint32_t i = 0; i < module->item_count; i++)
            print_item(out, module, &module->items[i], &locals);
    } else {
        out->failed = true;
    }
    locals_free(&locals);
}

wb_status wb_module_print(const wb_module *module, wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    for (uint32_t u = 0; u < ptx_unit_count(module); u++) {
        const wb_module *unit = ptx_unit(module, u);
        if (module->units != NULL) text_printf(&out, "%s// %s\n", u > 0 ? "\n" : "", unit->origin.text);
        print_module(&out, unit);
    }
    char *printed = text_take(&out);
    if (printed == NULL) {
        (void)diagnose_out_of_memory(diagnostics, module->source.name);
        return WB_ERR_LIMIT;
    }
    *text = printed;
    return WB_OK;
}
