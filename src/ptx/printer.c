/* Whole modules: one canonical form, in which every function declares its registers and variables first and
 * has no inner scopes. */
#include "ptx/printer.h"

#include <stdlib.h>

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

wb_status wb_module_print(const wb_module *module, wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    struct locals locals = {0};
    char *printed = NULL;
    if (locals_build(module, &locals)) {
        text_printf(&out, ".version %s\n.target %s\n.address_size %u\n\n", module->version, module->target,
                    module->address_size);
        for (uint32_t i = 0; i < module->item_count; i++)
            print_item(&out, module, &module->items[i], &locals);
        printed = text_take(&out);
    }
    locals_free(&locals);
    if (printed == NULL) {
        (void)diagnose_out_of_memory(diagnostics, module->source.name);
        return WB_ERR_LIMIT;
    }
    *text = printed;
    return WB_OK;
}
