/* A file of flow facts to be completed by hand: the loops of a kernel with the bounds that are known. */
#include <stdlib.h>

#include "flow/cfg.h"
#include "flow/loops.h"
#include "launch/facts.h"
#include "ptx/reach.h"

/* A function that the kernel reaches, while its loops are written. */
struct template_function {
    const struct wb_kernel *kernel;
    uint32_t index; /* of the module */
    struct cfg cfg;
    struct dominators dominators;
    struct loops loops;
};

/* The statements, and what they are made with. */
struct template_body {
    struct arena arena;
    struct text text;
    uint32_t open; /* loops without a bound */
};

/* Appends a text from outside to a comment: a line break in it would end the comment. */
static void put_in_comment(struct text *out, const char *text) {
    for (; *text != '\0'; text++)
        text_char(out, (unsigned char)*text < ' ' ? '?' : *text);
}

/* Appends where an instruction of the function comes from. */
static void put_place(const struct template_function *function, uint32_t inst, struct text *out) {
    struct text place = {0};
    facts_put_place(function->kernel, function->index, inst, &place);
    if (place.failed) {
        out->failed = true;
    } else {
        put_in_comment(out, place.data);
    }
    text_free(&place);
}

static void put_loop(const struct template_function *function, uint32_t loop, struct template_body *body) {
    struct text *out = &body->text;
    uint32_t header = function->cfg.blocks[function->loops.items[loop].header].first;
    const struct flow_fact fact = {
        .kind = FACT_LOOP, .function = function->index, .at = header, .open = true};
    facts_put(function->kernel, &fact, out);
    text_string(out, " // ");
    put_place(function, header, out);
    text_char(out, '\n');
    body->open++;
}

/* Says of a cycle that is no natural loop that no fact can bound it. */
static void put_region(const struct template_function *function, uint32_t region, struct text *out) {
    const struct loops *loops = &function->loops;
    uint32_t block = loops->region_members[loops->regions[region].first_member];
    uint32_t inst = function->cfg.blocks[block].first;
    text_string(out, "// ");
    put_place(function, inst, out);
    text_string(out, ": a cycle that can be entered at several labels, which no fact bounds\n");
}

static wb_status put_function(const struct wb_kernel *kernel, uint32_t index, struct template_body *body) {
    struct arena *arena = &body->arena;
    struct template_function function = {.kernel = kernel, .index = index};
    const struct graph *graph = &function.cfg.graph;
    WB_TRY(cfg_build(&kernel->module->functions[index], arena, &function.cfg));
    WB_TRY(dominators_build(arena, graph, CFG_ENTRY, &function.dominators));
    WB_TRY(loops_build(arena, graph, &function.dominators, &function.loops));
    for (uint32_t loop = 0; loop < function.loops.count; loop++)
        put_loop(&function, loop, body);
    for (uint32_t region = 0; region < function.loops.region_count; region++)
        put_region(&function, region, &body->text);
    return WB_OK;
}

/* What is to be done with the file. */
static void put_introduction(uint32_t open, struct text *out) {
    if (open > 0) {
        text_string(
            out, "// Replace every ? by the most times that a thread passes the label each time it enters\n"
                 "// the loop.");
    } else {
        text_string(out, "// There is nothing to be filled in.");
    }
    text_string(out, " docs/flow-facts.md says what else can be stated.\n");
}

static wb_status put_template(const struct wb_kernel *kernel, struct template_body *body, struct text *out) {
    struct ptx_reach reach;
    uint64_t checksum;
    WB_TRY(ptx_reach(kernel, &body->arena, &reach));
    WB_TRY(facts_checksum(kernel, &checksum));
    for (uint32_t i = 0; i < reach.count; i++)
        if (kernel->module->functions[reach.functions[i]].has_body)
            WB_TRY(put_function(kernel, reach.functions[i], body));
    put_introduction(body->open, out);
    facts_put_header(kernel, checksum, out);
    if (body->text.length > 0) text_append(out, body->text.data, body->text.length);
    return out->failed || body->text.failed ? WB_ERR_LIMIT : WB_OK;
}

wb_status wb_facts_template(const wb_kernel *kernel, const wb_launch *launch, wb_diagnostics *diagnostics,
                            char **text) {
    (void)launch;
    struct template_body body = {0};
    struct text out = {0};
    wb_status status = put_template(kernel, &body, &out);
    arena_free(&body.arena);
    text_free(&body.text);
    if (status == WB_OK) {
        *text = text_take(&out);
    } else {
        text_free(&out);
        diagnose(diagnostics, SEVERITY_ERROR, kernel->module->source.name,
                 "the loops of kernel %s need too much memory", wb_kernel_name(kernel));
    }
    return status;
}
