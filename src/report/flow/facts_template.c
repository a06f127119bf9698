/* A file of flow facts to be completed by hand: what has to be said of a kernel, and what is found of it. */
#include <inttypes.h>
#include <string.h>

#include "flow/bounds/bounds.h"
#include "launch/launch.h"
#include "report/write/source.h"
#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"
#include "warp/path/path.h"
#include "warp/trace/trace.h"

/* The widest line of a comment about a loop. */
#define REMARK_COLUMNS 94

/* Most bytes of a source line that are shown. */
#define SOURCE_SHOWN_MAX 90

/* A function that the kernel reaches, while its loops are written. */
struct template_function {
    const struct wb_kernel *kernel;
    uint32_t index; /* of the module */
    struct found_limits found;
};

/* The statements, and what they are made with. */
struct template_body {
    struct arena arena;
    const struct loop_environment *launched; /* what is known of the launch */
    struct source_texts sources;
    struct fact_needs needs;                 /* what covering it lacks */
    bool covered;                            /* `needs` is all of it */
    bool waits;                              /* some loop waits for other threads */
    struct text open, always, here, remarks; /* statements that are to be completed, and found ones */
};

/* Appends where an instruction of the function comes from: a line break in that would end the comment. */
static void put_place(const struct template_function *function, uint32_t inst, struct text *out) {
    struct text place = {0};
    facts_put_place(function->kernel, function->index, inst, &place);
    out->failed |= place.failed;
    for (const char *c = place.failed ? "" : place.data; *c != '\0'; c++)
        text_char(out, (unsigned char)*c < ' ' ? '?' : *c);
    text_free(&place);
}

/* A statement on a line of its own, with its place. */
static void put_fact(const struct template_function *function, const struct flow_fact *fact,
                     struct text *out) {
    facts_put(function->kernel, fact, out);
    text_string(out, " // ");
    put_place(function, fact->at, out);
}

/* A comment on lines of its own. */
static void put_remark(const struct text *remark, struct text *out) {
    const char *at = remark->data;
    size_t column = 0;
    out->failed |= remark->failed;
    if (remark->failed || remark->length == 0) return;
    while (*at != '\0') {
        const size_t word = strcspn(at, " "), blanks = strspn(at + word, " ");
        if (column > 0 && column + word > REMARK_COLUMNS) {
            text_char(out, '\n');
            column = 0;
        }
        if (column == 0) text_string(out, "//");
        text_char(out, ' ');
        for (size_t i = 0; i < word; i++)
            text_char(out, (unsigned char)at[i] < ' ' ? '?' : at[i]);
        column += word + 1;
        at += word + blanks;
    }
    text_char(out, '\n');
}

/* The source line of a loop, as far as it is found. */
static void put_source(const struct template_function *function, uint32_t inst, struct source_texts *texts,
                       struct text *out) {
    const struct wb_module *module = function->kernel->module;
    const uint32_t index = facts_location(function->kernel, function->index, inst);
    struct text line = {0};
    size_t length = 0;
    if (index == PTX_NO_INDEX) return;
    const struct ptx_location *location = &module->locations[index];
    const char *text = source_texts_line(texts, ptx_location_file(module, location), location->line, &length);
    for (; text != NULL && length > 0 && ascii_space(*text); length--)
        text++;
    size_t shown = length < SOURCE_SHOWN_MAX ? length : SOURCE_SHOWN_MAX;
    while (text != NULL && shown < length && shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80)
        shown--; /* no half of a character */
    if (text != NULL) text_append(&line, text, shown);
    if (text != NULL && shown < length) text_string(&line, " ...");
    put_remark(&line, out);
    text_free(&line);
}

/* Hints how often a loop runs: its source, and the meaning of a pass there. */
static void put_hints(const struct template_function *function, uint32_t loop, uint32_t inst,
                      struct template_body *body) {
    const struct found_limits *found = &function->found;
    struct text remark = {0};
    put_source(function, inst, &body->sources, &body->open);
    facts_put_unrolled(function->kernel, function->index, &found->cfg, &found->loops, &found->unrolled[loop],
                       &remark);
    put_remark(&remark, &body->open);
    if (found->waiting[loop] == WAITING_RETRIES) {
        remark.length = 0;
        text_string(&remark, RETRIES);
        put_remark(&remark, &body->open);
    }
    text_free(&remark);
}

/* Whether the user has to say how often a loop runs: where the launch was covered, that has shown it. */
static bool is_open(const struct template_body *body, const struct flow_fact *fact,
                    const struct loop_bound *bound) {
    if (fact_needs_has(&body->needs, FACT_LOOP, fact->function, fact->at)) return true;
    return !body->covered && !loop_bound_is_telling(bound);
}

static void put_loop(const struct template_function *function, uint32_t loop, struct template_body *body) {
    const struct found_limits *found = &function->found;
    const struct loop_bound *always = &found->always[loop], *here = &found->launched[loop];
    struct flow_fact fact = {.kind = FACT_LOOP,
                             .function = function->index,
                             .at = found->cfg.blocks[found->loops.items[loop].header].first,
                             .limit = here->headers};
    if (found->waiting[loop] == WAITING_FOR) {
        body->waits = true;
        text_string(&body->remarks, "// ");
        put_place(function, fact.at, &body->remarks);
        text_string(&body->remarks, ": " WAITS_FOR_THREADS "\n");
    } else if (is_open(body, &fact, here)) {
        fact.open = true;
        put_hints(function, loop, fact.at, body);
        put_fact(function, &fact, &body->open);
        if (here->known) text_printf(&body->open, ", found: at most %" PRIu64, here->headers);
        text_char(&body->open, '\n');
    } else if (!here->known || here->headers > FACT_LIMIT_MAX) {
        text_string(&body->remarks, "// ");
        put_place(function, fact.at, &body->remarks);
        text_string(&body->remarks, ": a loop that known values end in this launch: it needs no limit\n");
    } else {
        bool needs_launch = !always->known || always->headers > here->headers;
        struct text *out = needs_launch ? &body->here : &body->always;
        fact.origin = needs_launch ? FACT_FOUND_FOR_LAUNCH : FACT_FOUND;
        put_fact(function, &fact, out);
        text_char(out, '\n');
    }
}

/* Says of a cycle that is no natural loop that no fact can bound it. */
static void put_region(const struct template_function *function, uint32_t region, struct text *out) {
    const struct loops *loops = &function->found.loops;
    uint32_t block = loops->region_members[loops->regions[region].first_member];
    text_string(out, "// ");
    put_place(function, function->found.cfg.blocks[block].first, out);
    text_string(out, ": a cycle that can be entered at several labels, which no fact bounds\n");
}

static wb_status put_function(const struct wb_kernel *kernel, uint32_t index, struct template_body *body) {
    struct template_function function = {.kernel = kernel, .index = index};
    const struct loops *loops = &function.found.loops;
    WB_TRY(
        found_limits_find(&kernel->module->functions[index], body->launched, &body->arena, &function.found));
    for (uint32_t loop = 0; loop < loops->count; loop++)
        put_loop(&function, loop, body);
    for (size_t i = 0; i < body->needs.items.count; i++) {
        const struct flow_fact *fact = &body->needs.items.items[i];
        if (fact->kind != FACT_TOGETHER || fact->function != index) continue;
        put_fact(&function, fact, &body->open);
        text_char(&body->open, '\n');
    }
    for (uint32_t region = 0; region < loops->region_count; region++)
        put_region(&function, region, &body->remarks);
    return WB_OK;
}

/* Statements under a comment. */
static void put_part(const char *comment, const struct text *part, struct text *out) {
    if (part->failed) out->failed = true;
    if (part->length == 0) return;
    text_string(out, comment);
    text_append(out, part->data, part->length);
}

/* First the questions to the user, then the facts found. */
static void put_parts(const struct template_body *body, const struct wb_launch *launch, uint64_t checksum,
                      struct text *out) {
    struct text words = {0};
    if (body->waits)
        text_string(out, "// No flow fact makes this kernel analysable: it waits for other threads.\n");
    else if (body->open.length == 0)
        text_string(
            out, "// There is nothing to be filled in. docs/flow-facts.md says what else can be stated.\n");
    put_part(
        "\n// To be stated by you: replace every ? by the most times that a thread passes the label each\n"
        "// time it enters the loop, and remove ? behind 'together' if it is true. docs/flow-facts.md says\n"
        "// what else can be stated.\n",
        &body->open, out);
    put_part("\n// Found by warpbound, for every launch.\n", &body->always, out);
    if (body->here.length > 0) {
        facts_put_launch(launch, &words);
        text_string(out, "\n// Found by warpbound, for this launch only.\n");
        facts_put_launch_statement(checksum, words.failed ? "" : words.data, out);
    }
    put_part("", &body->here, out);
    put_part("\n", &body->remarks, out);
    out->failed |= words.failed;
    text_free(&words);
}

static wb_status put_template(const struct wb_kernel *kernel, const struct wb_launch *launch,
                              struct template_body *body, struct text *out) {
    struct ptx_reach reach;
    uint64_t checksum;
    WB_TRY(ptx_reach(kernel, &body->arena, &reach));
    WB_TRY(facts_checksum(kernel, &checksum));
    for (uint32_t i = 0; i < reach.count; i++)
        if (kernel->module->functions[reach.functions[i]].has_body)
            WB_TRY(put_function(kernel, reach.functions[i], body));
    facts_put_header(kernel, checksum, out);
    put_parts(body, launch, checksum, out);
    return out->failed || body->sources.failed ? WB_ERR_LIMIT : WB_OK;
}

static void body_free(struct template_body *body) {
    text_free(&body->open);
    text_free(&body->always);
    text_free(&body->here);
    text_free(&body->remarks);
    source_texts_close(&body->sources);
    fact_needs_free(&body->needs);
    arena_free(&body->arena);
}

wb_status wb_facts_template(const wb_kernel *kernel, const wb_launch *launch, wb_diagnostics *diagnostics,
                            char **text) {
    static const uint32_t first_block[3] = {0};
    static const struct launch_scope all = {0};
    struct launch_environment filled = {0};
    struct template_body body = {.launched = &filled.environment,
                                 .sources = source_texts_open(kernel->module)};
    struct text out = {0};
    wb_status status = WB_OK;
    if (launch->has_grid || launch->has_block ||
        launch->arguments.count > 0) { /* then it must fit the kernel */
        WB_TRY(launch_check(kernel, launch, first_block, diagnostics));
        launch_environment_fill(kernel, launch, &all, &filled);
        status = grid_cover_needs(kernel, launch, &body.needs, &body.covered);
    }
    if (status == WB_OK) status = put_template(kernel, launch, &body, &out);
    body_free(&body);
    if (status == WB_OK) {
        *text = text_take(&out);
    } else {
        text_free(&out);
        diagnose(diagnostics, SEVERITY_ERROR, kernel->module->source.name,
                 "the loops of kernel %s need too much memory", wb_kernel_name(kernel));
    }
    return status;
}
