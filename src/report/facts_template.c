/* A file of flow facts to be completed by hand: the loops of a kernel with the bounds that are known. */
#include <inttypes.h>

#include "launch/facts.h"
#include "ptx/reach.h"
#include "warp/launch_check.h"
#include "warp/launch_environment.h"

/* A larger bound says little more than how wide the loop's counter is: it is shown, but a number is asked
 * for.
 */
#define TELLING_MAX (UINT64_C(1) << 28)

/* A function that the kernel reaches, while its loops are written. */
struct template_function {
    const struct wb_kernel *kernel;
    uint32_t index; /* of the module */
    struct cfg cfg;
    struct dominators dominators;
    struct loops loops;
    struct loop_bound *always;   /* per loop: its bound, whatever is launched */
    struct loop_bound *launched; /* per loop: its bound in the launch that is given */
};

/* The statements, and what they are made with. */
struct template_body {
    struct arena arena;
    const struct loop_environment *launched; /* what is known of the launch */
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

/* Where the number of a loop comes from, for the comment behind it. */
static void put_origin(const struct loop_bound *always, const struct loop_bound *launched, struct text *out) {
    if (launched->known && launched->headers > TELLING_MAX) {
        text_printf(out, ", found: at most %" PRIu64, launched->headers);
    } else if (launched->known) {
        bool needs_launch = !always->known || always->headers > launched->headers;
        text_string(out, needs_launch ? ", found for this launch" : ", found");
    }
}

static void put_loop(const struct template_function *function, uint32_t loop, struct template_body *body) {
    struct text *out = &body->text;
    uint32_t header = function->cfg.blocks[function->loops.items[loop].header].first;
    const struct loop_bound *bound = &function->launched[loop];
    bool open = !bound->known || bound->headers > TELLING_MAX;
    struct flow_fact fact = {.kind = FACT_LOOP, .function = function->index, .at = header, .open = open};
    /* Of a loop that is never entered 0 would do, but facts need no number for what never happens. */
    if (!open) fact.limit = bound->headers == 0 ? 1 : bound->headers;
    facts_put(function->kernel, &fact, out);
    text_string(out, " // ");
    put_place(function, header, out);
    put_origin(&function->always[loop], bound, out);
    text_char(out, '\n');
    if (open) body->open++;
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

/* Bounds of the function's loops, without and with what is known of the launch. */
static wb_status find_bounds(struct template_function *function, struct template_body *body) {
    static const struct loop_environment nothing = {0};
    const struct cfg *cfg = &function->cfg;
    struct arena *arena = &body->arena;
    struct liveness liveness;
    struct ssa ssa;
    WB_TRY(liveness_build(cfg, arena, &liveness));
    WB_TRY(ssa_build(cfg, &function->dominators, &liveness, arena, &ssa));
    WB_TRY(
        loop_bounds_find(&ssa, &function->dominators, &function->loops, &nothing, arena, &function->always));
    return loop_bounds_find(&ssa, &function->dominators, &function->loops, body->launched, arena,
                            &function->launched);
}

static wb_status put_function(const struct wb_kernel *kernel, uint32_t index, struct template_body *body) {
    struct template_function function = {.kernel = kernel, .index = index};
    const struct graph *graph = &function.cfg.graph;
    WB_TRY(cfg_build(&kernel->module->functions[index], &body->arena, &function.cfg));
    WB_TRY(dominators_build(&body->arena, graph, CFG_ENTRY, &function.dominators));
    WB_TRY(loops_build(&body->arena, graph, &function.dominators, &function.loops));
    WB_TRY(find_bounds(&function, body));
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

/* Whether anything is said of the launch: then it must fit the kernel. */
static bool is_given(const struct wb_launch *launch) {
    return launch->has_grid || launch->has_block || launch->arguments.count > 0;
}

wb_status wb_facts_template(const wb_kernel *kernel, const wb_launch *launch, wb_diagnostics *diagnostics,
                            char **text) {
    static const uint32_t first_block[3] = {0};
    static const struct launch_scope all = {0};
    struct launch_environment filled = {0};
    struct template_body body = {.launched = &filled.environment};
    struct text out = {0};
    if (is_given(launch)) {
        WB_TRY(launch_check(kernel, launch, first_block, diagnostics));
        launch_environment_fill(kernel, launch, &all, &filled);
    }
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
