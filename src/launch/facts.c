/* Flow facts once they are read: what they are asked, and how they are written. */
#include "launch/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "flow/bounds/bounds.h"
#include "flow/graph/graph.h"

wb_status wb_facts_read(const char *path, const wb_kernel *kernel, wb_diagnostics *diagnostics,
                        wb_facts **facts) {
    char *text;
    size_t size;
    WB_TRY(file_read(path, FACTS_SIZE_MAX, diagnostics, &text, &size));
    wb_status status = content_expect(CONTENT_FACTS, path, text, size, diagnostics);
    if (status == WB_OK) status = wb_facts_parse(path, text, size, kernel, diagnostics, facts);
    free(text);
    return status;
}

void wb_facts_free(wb_facts *facts) {
    if (facts == NULL) return;
    vec_free(&facts->facts);
    arena_free(&facts->arena);
    free(facts);
}

const char *const fact_scope_names[FACT_SCOPES] = {"warp", "block", "kernel"};

/* Appends the label of an instruction, with its function where that is not the kernel's own. */
static void put_label(const struct wb_kernel *kernel, uint32_t function, uint32_t inst, struct text *out) {
    const struct ptx_function *code = &kernel->module->functions[function];
    if (function != kernel->function) text_printf(out, "%s:", code->name);
    text_string(out, code->labels[ptx_first_label_from(code, inst)].name);
}

static void put_limit(const struct flow_fact *fact, struct text *out) {
    if (fact->open) {
        text_char(out, '?');
    } else {
        text_printf(out, "%" PRIu64, fact->limit);
    }
}

uint32_t facts_location(const struct wb_kernel *kernel, uint32_t function, uint32_t inst) {
    const struct ptx_function *code = &kernel->module->functions[function];
    for (uint32_t i = inst; i < code->inst_count; i++) {
        uint32_t location = code->insts[i].location;
        if (location != PTX_NO_INDEX && kernel->module->locations[location].line != 0) return location;
        if (cfg_is_branch(&code->insts[i])) break;
    }
    return PTX_NO_INDEX;
}

void facts_put_place(const struct wb_kernel *kernel, uint32_t function, uint32_t inst, struct text *out) {
    const struct ptx_function *code = &kernel->module->functions[function];
    const uint32_t location = facts_location(kernel, function, inst);
    if (location != PTX_NO_INDEX)
        ptx_put_location(kernel->module, location, out);
    else if (kernel->module->code != NULL)
        text_printf(out, "0x%04x", ptx_address(kernel->module, &code->insts[inst]));
    else
        text_printf(out, "PTX line %u", source_place_at(&kernel->module->source, code->insts[inst].at).line);
}

void facts_put_unrolled(const struct wb_kernel *kernel, uint32_t function, const struct cfg *cfg,
                        const struct loops *loops, const struct unrolled *unrolled, struct text *out) {
    const uint32_t factor = unrolled->factor;
    switch (unrolled->sign) {
    case UNROLLED_NOT: break;
    case UNROLLED_COPIES:
        text_printf(out,
                    "unrolled by %u: a pass of the machine code makes each memory access of the PTX's loop "
                    "%u times; n passes of the PTX are at most n / %u passes here, rounded up",
                    factor, factor, factor);
        break;
    case UNROLLED_MAIN:
        text_printf(out,
                    "unrolled: a pass does %u iterations of the source, so n iterations are at most n / %u "
                    "passes, rounded up; another loop does the remainder",
                    factor, factor);
        break;
    case UNROLLED_REMAINDER:
        text_string(out, "does the remainder of loop ");
        put_label(kernel, function, cfg->blocks[loops->items[unrolled->main].header].first, out);
        text_printf(out, ", which is unrolled by %u: usually at most %u passes", factor, factor - 1);
        break;
    case UNROLLED_PERHAPS:
        text_printf(out,
                    "maybe unrolled: a pass advances a counter by %u and makes each memory access %u times; "
                    "n iterations of the source are then at most n / %u passes, rounded up",
                    factor, factor, factor);
        break;
    }
}

void facts_put_header(const struct wb_kernel *kernel, uint64_t checksum, struct text *out) {
    text_printf(out, "kernel %s %016" PRIx64 "\n", wb_kernel_name(kernel), checksum);
}

void facts_put(const struct wb_kernel *kernel, const struct flow_fact *fact, struct text *out) {
    static const char *const words[] = {"loop ", "loop ", "at most ", "never ", "together "};
    text_string(out, words[fact->kind]);
    if (fact->kind == FACT_PER) {
        put_limit(fact, out);
        text_string(out, " of ");
    }
    put_label(kernel, fact->function, fact->at, out);
    if (fact->kind == FACT_PER) {
        text_string(out, " per ");
        put_label(kernel, fact->function, fact->per, out);
    } else if (fact->kind == FACT_LOOP || fact->kind == FACT_TOTAL) {
        text_string(out, " <= ");
        put_limit(fact, out);
        if (fact->kind == FACT_TOTAL) text_printf(out, " per %s", fact_scope_names[fact->per]);
    } else if (fact->open) {
        text_string(out, " ?");
    }
    static const char *const origins[] = {"", " found", " found for this launch"};
    text_string(out, origins[fact->origin]);
    text_char(out, ';');
}

void facts_put_launch_statement(uint64_t kernel_checksum, const char *launch, struct text *out) {
    text_printf(out, "launch %016" PRIx64 " %s;\n", facts_launch_checksum(kernel_checksum, launch), launch);
}

size_t facts_count(const struct wb_facts *facts, enum fact_origin a, enum fact_origin b) {
    size_t count = 0;
    for (size_t i = 0; i < facts->facts.count; i++)
        count += facts->facts.items[i].origin == a || facts->facts.items[i].origin == b;
    return count;
}

/* What an open fact needs, at its place in the text and with the source line of its code. */
static void report_open(const struct wb_facts *facts, const struct flow_fact *fact,
                        wb_diagnostics *diagnostics) {
    static const char *const passed[] = {
        [FACT_LOOP] = "a thread passes the label each time it enters the loop",
        [FACT_TOTAL] = "warps pass the label in all",
        [FACT_PER] = "a thread passes the first label between two passes of the second"};
    struct text subject = {0};
    if (fact->kind == FACT_LOOP || fact->kind == FACT_TOTAL) text_string(&subject, "loop ");
    if (fact->kind == FACT_TOGETHER) text_string(&subject, "together ");
    put_label(facts->kernel, fact->function, fact->at, &subject);
    text_string(&subject, " (");
    facts_put_place(facts->kernel, fact->function, fact->at, &subject);
    text_char(&subject, ')');
    if (fact->kind == FACT_PER) {
        text_string(&subject, " per ");
        put_label(facts->kernel, fact->function, fact->per, &subject);
    } else if (fact->kind == FACT_TOTAL) {
        text_printf(&subject, " per %s", fact_scope_names[fact->per]);
    }
    const char *what = subject.failed ? "this" : subject.data;
    if (fact->kind == FACT_TOGETHER)
        diagnose_at(diagnostics, SEVERITY_ERROR, &facts->source, fact->place,
                    "%s must be confirmed: remove ? if all warps of the block that have not ended pass the "
                    "label equally often, in the same iterations of the loops around it",
                    what);
    else
        diagnose_at(diagnostics, SEVERITY_ERROR, &facts->source, fact->place,
                    "%s needs a bound: replace ? by how often at most %s", what, passed[fact->kind]);
    text_free(&subject);
}

wb_status facts_require_complete(const wb_facts *facts, wb_diagnostics *diagnostics) {
    wb_status status = WB_OK;
    for (size_t i = 0; i < facts->facts.count; i++) {
        const struct flow_fact *fact = &facts->facts.items[i];
        if (!fact->open) continue;
        report_open(facts, fact, diagnostics);
        status = WB_ERR_DECLINED;
    }
    return status;
}

/* Which launch flow facts were found for: what of a launch loop bounds rest on, in words, and how two of them
 * differ. */

/* ---- The launch that facts were found for ---- */

/* A word of a description. */
struct word {
    const char *text;
    int length;
};

static void put_dimensions(const char *name, const uint32_t dimensions[3], struct text *out) {
    text_printf(out, "%s %u %u %u ", name, dimensions[0], dimensions[1], dimensions[2]);
}

/* A scalar's bits, a checksum of a struct's bytes; addresses of buffers are known to no bound. */
static void put_part(const struct launch_argument *argument, struct text *out) {
    const struct launch_contents *contents = &argument->contents;
    bool is_struct = !argument->is_buffer && argument->type == PTX_TYPE_NONE;
    if (argument->is_buffer)
        text_string(out, " buffer");
    else if (is_struct && contents->fill == LAUNCH_FILL_FILE)
        text_printf(out, " struct_%016" PRIx64,
                    facts_text_checksum((const char *)contents->file_bytes, contents->file_size));
    else if (!is_struct && argument->known)
        text_printf(out, " %" PRIu64, argument->bits);
    else
        text_string(out, " unknown");
}

/* Of a struct with fields a checksum of all that is said of them. */
static void put_argument(const struct launch_argument *argument, struct text *out) {
    struct text fields = {0};
    uint64_t offset;
    if (argument->fields == NULL) {
        put_part(argument, out);
        return;
    }
    for (size_t i = 0; i < argument->field_count; i++) {
        const struct launch_argument *part = launch_part(argument, i, &offset);
        text_printf(&fields, " %" PRIu64, offset);
        put_part(part, &fields);
    }
    out->failed |= fields.failed;
    if (!fields.failed)
        text_printf(out, " struct_%016" PRIx64, facts_text_checksum(fields.data, fields.length));
    text_free(&fields);
}

void facts_put_launch(const struct wb_launch *launch, struct text *out) {
    put_dimensions("grid", launch->grid, out);
    put_dimensions("block", launch->block, out);
    text_printf(out, "shared %" PRIu64 " arguments", launch->shared_bytes);
    for (size_t i = 0; i < launch->arguments.count; i++)
        put_argument(&launch->arguments.items[i], out);
}

static struct word next_word(const char **at) {
    struct word word = {*at + strspn(*at, " "), 0};
    word.length = (int)strcspn(word.text, " ");
    *at = word.text + word.length;
    return word;
}

static bool same_word(struct word a, struct word b) {
    return a.length == b.length && memcmp(a.text, b.text, (size_t)a.length) == 0;
}

/* Compares the next `count` words, of which a part of the description consists. */
static void compare_part(const char *part, uint32_t count, const char **was, const char **is,
                         struct text *out) {
    const char *old = *was, *new = *is;
    bool differs = false;
    for (uint32_t i = 0; i < count; i++)
        differs |= !same_word(next_word(was), next_word(is));
    if (!differs) return;
    old += strspn(old, " ");
    new += strspn(new, " ");
    text_printf(out, "%s%s was %.*s and is %.*s", out->length > 0 ? ", " : "", part, (int)(*was - old), old,
                (int)(*is - new), new);
}

void facts_put_difference(const char *was, const char *is, struct text *out) {
    static const struct {
        const char *part;
        uint32_t count;
    } parts[] = {{"the grid", 3}, {"the block", 3}, {"the dynamic shared memory", 1}};
    struct text differences = {0};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        (void)next_word(&was); /* its name, the same in both */
        (void)next_word(&is);
        compare_part(parts[p].part, parts[p].count, &was, &is, &differences);
    }
    (void)next_word(&was);
    (void)next_word(&is);
    for (uint32_t number = 1; *was != '\0' && *is != '\0'; number++) {
        char part[32];
        (void)text_format(part, sizeof part, "argument %u", number);
        compare_part(part, 1, &was, &is, &differences);
    }
    if (*was != *is)
        text_printf(&differences, "%sthe number of arguments", differences.length > 0 ? ", " : "");
    if (differences.failed) out->failed = true;
    if (differences.data != NULL) text_string(out, differences.data);
    text_free(&differences);
}

wb_status facts_require_launch(const struct wb_facts *facts, const struct wb_launch *launch,
                               wb_diagnostics *diagnostics) {
    struct text words = {0}, differences = {0};
    if (facts_count(facts, FACT_FOUND_FOR_LAUNCH, FACT_FOUND_FOR_LAUNCH) == 0) return WB_OK;
    facts_put_launch(launch, &words);
    wb_status status = words.failed ? diagnose_out_of_memory(diagnostics, facts->source.name) : WB_OK;
    if (status == WB_OK && strcmp(words.data, facts->launch) != 0) {
        facts_put_difference(facts->launch, words.data, &differences);
        diagnose_at(diagnostics, SEVERITY_ERROR, &facts->source, facts->launch_place,
                    "limits in this file were found for another launch: %s. Rewrite the file with 'warpbound "
                    "facts', or delete the limits 'found for this launch'",
                    differences.failed || differences.data == NULL ? "it differs" : differences.data);
        status = WB_ERR_INPUT;
    }
    text_free(&words);
    text_free(&differences);
    return status;
}

/* ---- Checksums ---- */

/* The checksums that tie flow facts to a kernel and a launch: FNV-1a over all that the kernel can execute.
 * Registers, variables and functions count by the order in which the code meets them, labels by where they
 * stand, so that names play no part. */

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

static void add_bytes(struct checksum *sum, const void *bytes, uint64_t size) {
    sum->hash = checksum_add(sum->hash, bytes, size);
}

static void add_byte(struct checksum *sum, uint8_t byte) {
    add_bytes(sum, &byte, 1);
}

/* The low byte first, on every machine. */
static void add_number(struct checksum *sum, uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8)
        add_byte(sum, (uint8_t)(number >> shift));
}

/* A text and its end. */
static void add_text(struct checksum *sum, const char *text) {
    add_bytes(sum, text, strlen(text) + 1);
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
    struct checksum sum = {.module = module, .hash = CHECKSUM_START};
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
    return checksum_add(CHECKSUM_START, text, size);
}

uint64_t facts_launch_checksum(uint64_t kernel_checksum, const char *launch) {
    struct checksum sum = {.hash = CHECKSUM_START};
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
