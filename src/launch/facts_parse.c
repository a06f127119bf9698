/* The text of flow facts becomes wb_facts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "flow/graph/graph.h"
#include "launch/launch.h"

/* ---- What flow facts can name: the functions that a kernel reaches, their labels and their loops ---- */

/* One function; filled in when a fact first names a label of it, or a loop. */
struct facts_function {
    bool has_labels, has_loops;
    struct intern labels; /* numbers are indices of ptx_function.labels */
    struct cfg cfg;
    struct loops loops;
};

/* Zero-initialised it is empty; freed with facts_labels_close in any case. */
struct facts_labels {
    struct arena arena;
    const struct wb_kernel *kernel;
    struct intern names;              /* numbers are indices of functions of the module */
    bool *reached;                    /* per function: the kernel can execute it */
    struct facts_function *functions; /* per function */
};

/* WB_ERR_LIMIT, without a message, when memory is exhausted; so below. */
static wb_status facts_labels_open(const struct wb_kernel *kernel, struct facts_labels *labels) {
    const struct wb_module *module = kernel->module;
    struct ptx_reach reach;
    labels->kernel = kernel;
    labels->reached = arena_array(&labels->arena, module->function_count, sizeof *labels->reached);
    labels->functions = arena_array(&labels->arena, module->function_count, sizeof *labels->functions);
    if (labels->reached == NULL || labels->functions == NULL) return WB_ERR_LIMIT;
    WB_TRY(ptx_reach(kernel, &labels->arena, &reach));
    for (uint32_t i = 0; i < reach.count; i++)
        labels->reached[reach.functions[i]] = true;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const char *name = module->functions[f].name;
        uint32_t number;
        WB_TRY(intern_add(&labels->names, name, strlen(name), &number));
    }
    return WB_OK;
}

static void facts_labels_close(struct facts_labels *labels) {
    for (size_t f = 0; labels->functions != NULL && f < labels->kernel->module->function_count; f++)
        intern_free(&labels->functions[f].labels);
    intern_free(&labels->names);
    arena_free(&labels->arena);
}

/* The label of a function by name: its index, or PTX_NO_INDEX when there is none. */
static wb_status facts_labels_find(struct facts_labels *labels, uint32_t function, const char *name,
                                   size_t length, uint32_t *label) {
    const struct ptx_function *code = &labels->kernel->module->functions[function];
    struct facts_function *known = &labels->functions[function];
    for (uint32_t i = 0; !known->has_labels && i < code->label_count; i++) {
        const char *added = code->labels[i].name;
        uint32_t number;
        WB_TRY(intern_add(&known->labels, added, strlen(added), &number));
    }
    known->has_labels = true;
    uint32_t found = intern_find(&known->labels, name, length);
    *label = found == INTERN_NONE ? PTX_NO_INDEX : found;
    return WB_OK;
}

/* A function whose loops are found. */
struct loops_search {
    const struct ptx_function *function;
    struct arena *arena;
    struct facts_function *known;
};

static void find_loops(void *context) {
    const struct loops_search *search = context;
    struct cfg *cfg = &search->known->cfg;
    *cfg = cfg_build(search->function, search->arena);
    const struct dominators dominators = dominators_build(search->arena, &cfg->graph, CFG_ENTRY);
    search->known->loops = loops_build(search->arena, &cfg->graph, &dominators);
}

/* Flow graph and loops of a function. */
static wb_status facts_labels_loops(struct facts_labels *labels, uint32_t function,
                                    const struct facts_function **loops) {
    struct facts_function *known = &labels->functions[function];
    if (!known->has_loops) {
        struct loops_search search = {&labels->kernel->module->functions[function], &labels->arena, known};
        WB_TRY(arena_protect(&labels->arena, find_loops, &search));
        known->has_loops = true;
    }
    *loops = known;
    return WB_OK;
}

/* Whether a natural loop's header starts with the instruction. */
static bool facts_starts_loop(const struct facts_function *function, uint32_t inst) {
    uint32_t block = function->cfg.block_of[inst];
    return function->cfg.blocks[block].first == inst && loop_is_header(&function->loops, block);
}

/* Whether the instruction is in a cycle that is no natural loop. */
static bool facts_in_irreducible(const struct facts_function *function, uint32_t inst) {
    return function->loops.region_of[function->cfg.block_of[inst]] != GRAPH_NONE;
}

/* ---- Tokens ---- */

/* Longest part of a word, and most labels of loops, that messages show. */
#define SHOWN_MAX 60u
#define LOOPS_SHOWN_MAX 8u

#define CHECKSUM_DIGITS 16

enum token_kind { TOKEN_WORD, TOKEN_AT_MOST, TOKEN_COLON, TOKEN_SEMICOLON, TOKEN_OPEN, TOKEN_BAD, TOKEN_END };

struct facts_token {
    enum token_kind kind;
    const char *text; /* of a TOKEN_BAD the byte */
    size_t length;
};

/* A label as it stands in the text. */
struct named_label {
    uint32_t function;
    uint32_t inst;
    struct facts_token name;
};

struct facts_parser {
    struct wb_facts *facts;
    struct facts_labels labels;
    struct scanner scan;
    struct facts_token token; /* the next one: the scanner is behind it */
    uint64_t checksum;        /* of the kernel */
};

/* Byte offset of a token in the text. */
static uint32_t place_of(const struct facts_parser *parser, const struct facts_token *token) {
    return (uint32_t)(token->text - parser->facts->source.text);
}

static int shown(const struct facts_token *token) {
    return token->length < SHOWN_MAX ? (int)token->length : (int)SHOWN_MAX;
}

static wb_status out_of_memory(const struct facts_parser *parser) {
    return diagnose_out_of_memory(parser->scan.diagnostics, parser->facts->source.name);
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%';
}

/* Reads the next token. */
static void next_token(struct facts_parser *parser) {
    struct scanner *scan = &parser->scan;
    static const char signs[] = ":;?";
    static const enum token_kind kinds[] = {TOKEN_COLON, TOKEN_SEMICOLON, TOKEN_OPEN};
    struct facts_token token = {.kind = TOKEN_WORD};
    token.length = scan_word(scan, is_word, &token.text);
    if (token.length == 0 && scan_at_end(scan)) {
        token.kind = TOKEN_END;
    } else if (token.length == 0) {
        const char *sign = memchr(signs, *token.text, sizeof signs - 1);
        const bool at_most = scan->size - scan->at >= 2 && memcmp(token.text, "<=", 2) == 0;
        token.kind = at_most ? TOKEN_AT_MOST : sign != NULL ? kinds[sign - signs] : TOKEN_BAD;
        token.length = at_most ? 2 : 1;
        scan->at += token.length;
    }
    parser->token = token;
}

/* Reports an error about a token; always WB_ERR_INPUT. */
#define fail_at(parser, token, ...) scan_fail_at(&(parser)->scan, place_of(parser, token), __VA_ARGS__)

/* Reports that `what` was expected where the next token stands; always WB_ERR_INPUT. */
static wb_status expected(const struct facts_parser *parser, const char *what) {
    const struct facts_token *token = &parser->token;
    if (token->kind == TOKEN_END) return fail_at(parser, token, "expected %s, not the end", what);
    return fail_at(parser, token, "expected %s, not '%.*s'", what, shown(token), token->text);
}

static bool at_word(const struct facts_parser *parser, const char *word) {
    const struct facts_token *token = &parser->token;
    return token->kind == TOKEN_WORD && token->length == strlen(word) &&
           memcmp(token->text, word, token->length) == 0;
}

/* Passes the token of that kind, which is written `what`. */
static wb_status require(struct facts_parser *parser, enum token_kind kind, const char *what) {
    if (parser->token.kind != kind) return expected(parser, what);
    next_token(parser);
    return WB_OK;
}

static wb_status require_word(struct facts_parser *parser, const char *word) {
    if (!at_word(parser, word)) return expected(parser, word);
    next_token(parser);
    return WB_OK;
}

static wb_status require_name(struct facts_parser *parser, const char *what, struct facts_token *name) {
    *name = parser->token;
    return require(parser, TOKEN_WORD, what);
}

/* ---- Facts ---- */

/* The function that a label is qualified with. */
static wb_status find_function(const struct facts_parser *parser, const struct facts_token *name,
                               uint32_t *function) {
    uint32_t found = intern_find(&parser->labels.names, name->text, name->length);
    if (found == INTERN_NONE)
        return fail_at(parser, name, "there is no function '%.*s'", shown(name), name->text);
    if (!parser->labels.reached[found])
        return fail_at(parser, name, "kernel '%s' never calls '%.*s'", wb_kernel_name(parser->facts->kernel),
                       shown(name), name->text);
    *function = found;
    return WB_OK;
}

/* The instruction that a label of function label->function stands before. */
static wb_status find_label(struct facts_parser *parser, struct named_label *label) {
    const struct ptx_function *function = &parser->facts->kernel->module->functions[label->function];
    const struct facts_token *name = &label->name;
    uint32_t found;
    wb_status status = facts_labels_find(&parser->labels, label->function, name->text, name->length, &found);
    if (status != WB_OK) return out_of_memory(parser);
    if (found == PTX_NO_INDEX)
        return fail_at(parser, name, "'%s' has no label '%.*s'", function->name, shown(name), name->text);
    label->inst = function->labels[found].target;
    if (label->inst < function->inst_count) return WB_OK;
    return fail_at(parser, name, "no executable instruction follows this label");
}

/* LABEL, or FUNCTION:LABEL */
static wb_status read_label(struct facts_parser *parser, struct named_label *label) {
    label->function = parser->facts->kernel->function;
    WB_TRY(require_name(parser, "a label", &label->name));
    if (parser->token.kind == TOKEN_COLON) {
        WB_TRY(find_function(parser, &label->name, &label->function));
        next_token(parser);
        WB_TRY(require_name(parser, "a label", &label->name));
    }
    return find_label(parser, label);
}

/* A number, or the ? in its place. */
static wb_status read_limit(struct facts_parser *parser, struct flow_fact *fact) {
    const struct facts_token *token = &parser->token;
    uint64_t limit;
    if (token->kind == TOKEN_OPEN) {
        fact->open = true;
    } else if (token->kind == TOKEN_WORD && number_u64(token->text, token->length, &limit) &&
               limit <= FACT_LIMIT_MAX) {
        fact->limit = limit;
    } else {
        return expected(parser, "a whole number up to 4294967295, or ?");
    }
    next_token(parser);
    return WB_OK;
}

/* Reports that no loop starts at a label, and the labels of loops of its function. */
static wb_status no_loop(const struct facts_parser *parser, const struct named_label *label,
                         const struct facts_function *function) {
    const struct ptx_function *code = function->cfg.function;
    struct text loops = {0};
    uint32_t count = function->loops.count;
    for (uint32_t i = 0; i < count && i < LOOPS_SHOWN_MAX; i++) {
        const struct cfg_block *header = &function->cfg.blocks[function->loops.items[i].header];
        const char *name = code->labels[ptx_first_label_from(code, header->first)].name;
        text_printf(&loops, "%s%.*s", i == 0 ? ", but at " : ", ", (int)SHOWN_MAX, name);
    }
    if (count > LOOPS_SHOWN_MAX) text_printf(&loops, " and %u more", count - LOOPS_SHOWN_MAX);
    wb_status status = fail_at(parser, &label->name, "no loop of '%s' starts at this label%s", code->name,
                               loops.data == NULL ? "" : loops.data);
    text_free(&loops);
    return status;
}

/* Nothing, "found" or "found for this launch" */
static wb_status read_origin(struct facts_parser *parser, struct flow_fact *fact) {
    if (!at_word(parser, "found")) return WB_OK;
    if (fact->open) return expected(parser, "';'");
    next_token(parser);
    fact->origin = FACT_FOUND;
    if (!at_word(parser, "for")) return WB_OK;
    next_token(parser);
    WB_TRY(require_word(parser, "this"));
    WB_TRY(require_word(parser, "launch"));
    fact->origin = FACT_FOUND_FOR_LAUNCH;
    return WB_OK;
}

/* Nothing, or "per" and what all passes are counted of. */
static wb_status read_scope(struct facts_parser *parser, struct flow_fact *fact) {
    if (!at_word(parser, "per")) return read_origin(parser, fact);
    next_token(parser);
    fact->kind = FACT_TOTAL;
    for (fact->per = 0; fact->per < FACT_SCOPES; fact->per++) {
        if (!at_word(parser, fact_scope_names[fact->per])) continue;
        next_token(parser);
        return WB_OK;
    }
    return expected(parser, "warp, block or kernel");
}

/* loop LABEL <= N, for each entry or in all */
static wb_status read_loop(struct facts_parser *parser, struct flow_fact *fact) {
    struct named_label label;
    const struct facts_function *function;
    WB_TRY(read_label(parser, &label));
    if (facts_labels_loops(&parser->labels, label.function, &function) != WB_OK) return out_of_memory(parser);
    if (facts_in_irreducible(function, label.inst) && !facts_starts_loop(function, label.inst))
        return fail_at(parser, &label.name, "this cycle has several entry labels: it is not a loop");
    if (!facts_starts_loop(function, label.inst)) return no_loop(parser, &label, function);
    WB_TRY(require(parser, TOKEN_AT_MOST, "<="));
    struct facts_token limit = parser->token;
    WB_TRY(read_limit(parser, fact));
    if (fact->limit == 0 && !fact->open)
        return fail_at(parser, &limit,
                       "every thread that enters the loop passes its label: if none does, write 'never'");
    fact->kind = FACT_LOOP;
    fact->function = label.function;
    fact->at = label.inst;
    return read_scope(parser, fact);
}

/* at most N of LABEL per LABEL */
static wb_status read_per(struct facts_parser *parser, struct flow_fact *fact) {
    struct named_label label, per;
    WB_TRY(require_word(parser, "most"));
    WB_TRY(read_limit(parser, fact));
    WB_TRY(require_word(parser, "of"));
    WB_TRY(read_label(parser, &label));
    WB_TRY(require_word(parser, "per"));
    WB_TRY(read_label(parser, &per));
    if (per.function != label.function)
        return fail_at(parser, &per.name, "the two labels are in different functions");
    if (per.inst == label.inst)
        return fail_at(parser, &per.name, "the two labels stand before the same instruction");
    fact->kind = FACT_PER;
    fact->function = label.function;
    fact->at = label.inst;
    fact->per = per.inst;
    return WB_OK;
}

/* LABEL, behind never or together */
static wb_status read_labelled(struct facts_parser *parser, enum fact_kind kind, struct flow_fact *fact) {
    struct named_label label;
    WB_TRY(read_label(parser, &label));
    const struct wb_kernel *kernel = parser->facts->kernel;
    if (kind == FACT_NEVER && label.function == kernel->function && label.inst == 0)
        return fail_at(parser, &label.name, "the kernel starts at this label: every thread reaches it");
    fact->kind = kind;
    fact->function = label.function;
    fact->at = label.inst;
    fact->open = kind == FACT_TOGETHER && parser->token.kind == TOKEN_OPEN;
    if (fact->open) next_token(parser);
    return WB_OK;
}

/* CHECKSUM and the words that describe a launch, behind launch */
static wb_status read_launch(struct facts_parser *parser, uint32_t place) {
    struct wb_facts *facts = parser->facts;
    struct facts_token sum;
    uint64_t stated;
    struct text words = {0};
    WB_TRY(require_name(parser, "the checksum of the launch", &sum));
    for (; parser->token.kind == TOKEN_WORD; next_token(parser)) {
        if (words.length > 0) text_char(&words, ' ');
        text_append(&words, parser->token.text, parser->token.length);
    }
    if (!words.failed && words.data != NULL)
        facts->launch = arena_string(&facts->arena, words.data, words.length);
    bool failed = words.failed || (words.data != NULL && facts->launch == NULL);
    bool empty = words.length == 0;
    text_free(&words);
    if (failed) return out_of_memory(parser);
    if (empty) return expected(parser, "the description of a launch");
    if (sum.length != CHECKSUM_DIGITS || !number_hex(sum.text, sum.length, &stated) ||
        stated != facts_launch_checksum(parser->checksum, facts->launch))
        return fail_at(parser, &sum,
                       "this checksum does not match the launch described: the line was changed after "
                       "'warpbound facts' wrote it");
    facts->launch_place = place;
    return WB_OK;
}

static wb_status read_fact(struct facts_parser *parser) {
    struct flow_fact fact = {.place = place_of(parser, &parser->token)};
    if (parser->facts->launch == NULL && at_word(parser, "launch")) {
        next_token(parser);
        WB_TRY(read_launch(parser, fact.place));
        return require(parser, TOKEN_SEMICOLON, "';'");
    }
    bool loop = at_word(parser, "loop"), per = at_word(parser, "at"), never = at_word(parser, "never");
    if (!loop && !per && !never && !at_word(parser, "together"))
        return expected(parser, "loop, at most, never or together");
    next_token(parser);
    if (loop) {
        WB_TRY(read_loop(parser, &fact));
    } else if (per) {
        WB_TRY(read_per(parser, &fact));
    } else {
        WB_TRY(read_labelled(parser, never ? FACT_NEVER : FACT_TOGETHER, &fact));
    }
    WB_TRY(require(parser, TOKEN_SEMICOLON, "';'"));
    return vec_push(&parser->facts->facts, fact) == WB_OK ? WB_OK : out_of_memory(parser);
}

/* kernel NAME CHECKSUM: of the kernel that the facts are for, or they are refused. */
static wb_status read_header(struct facts_parser *parser) {
    const char *kernel = wb_kernel_name(parser->facts->kernel);
    struct facts_token name, sum;
    uint64_t stated, computed;
    WB_TRY(require_word(parser, "kernel"));
    WB_TRY(require_name(parser, "the name of a kernel", &name));
    if (name.length != strlen(kernel) || memcmp(name.text, kernel, name.length) != 0)
        return fail_at(parser, &name, "these are facts about kernel '%.*s', not about '%s'", shown(&name),
                       name.text, kernel);
    WB_TRY(require_name(parser, "the checksum of the kernel", &sum));
    if (sum.length != CHECKSUM_DIGITS || !number_hex(sum.text, sum.length, &stated))
        return fail_at(parser, &sum, "expected the checksum of the kernel, %d hexadecimal digits",
                       CHECKSUM_DIGITS);
    if (facts_checksum(parser->facts->kernel, &computed) != WB_OK) return out_of_memory(parser);
    parser->checksum = computed;
    if (stated == computed) return WB_OK;
    if (parser->facts->kernel->module->code != NULL)
        return fail_at(parser, &sum,
                       "these are facts about other code of kernel '%s' (PTX, machine code for another "
                       "architecture or an older version); this machine code has the checksum %016" PRIx64
                       " and its own labels: warpbound facts lists its loops",
                       kernel, computed);
    return fail_at(parser, &sum,
                   "these are facts about another version of kernel '%s', which now has the checksum "
                   "%016" PRIx64 ": check whether they still hold",
                   kernel, computed);
}

/* By what they are about, then by place. */
static int fact_order(const void *a, const void *b) {
    const struct flow_fact *x = a;
    const struct flow_fact *y = b;
    if (x->function != y->function) return x->function < y->function ? -1 : 1;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->per != y->per) return x->per < y->per ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Whether two facts cannot stand beside each other: a number that is given twice, or something said of a
 * label that is never reached. In the order above such facts are neighbours. */
static bool collide(const struct flow_fact *a, const struct flow_fact *b) {
    if (a->function != b->function || a->at != b->at) return false;
    if (a->kind == b->kind) return a->per == b->per;
    return a->kind == FACT_NEVER || b->kind == FACT_NEVER;
}

static wb_status report_collision(const struct facts_parser *parser, const struct flow_fact *a,
                                  const struct flow_fact *b) {
    const struct source *source = &parser->facts->source;
    const struct flow_fact *later = a->place < b->place ? b : a;
    uint32_t line = source_place_at(source, (later == a ? b : a)->place).line;
    const char *what = a->kind == b->kind
                           ? "already says this about the label"
                           : "contradicts this: a label that is never reached has no other facts";
    diagnose_at(parser->scan.diagnostics, SEVERITY_ERROR, source, later->place, "line %u %s", line, what);
    return WB_ERR_INPUT;
}

/* Refuses facts that are given twice or contradict each other. */
static wb_status check_collisions(const struct facts_parser *parser) {
    const struct flow_fact *items = parser->facts->facts.items;
    size_t count = parser->facts->facts.count;
    struct flow_fact *sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted == NULL) return out_of_memory(parser);
    for (size_t i = 0; i < count; i++)
        sorted[i] = items[i];
    qsort(sorted, count, sizeof *sorted, fact_order);
    wb_status status = WB_OK;
    for (size_t i = 1; status == WB_OK && i < count; i++)
        if (collide(&sorted[i - 1], &sorted[i]))
            status = report_collision(parser, &sorted[i - 1], &sorted[i]);
    free(sorted);
    return status;
}

/* What is found for a launch needs to say for which. */
static wb_status check_launch(const struct facts_parser *parser) {
    const struct wb_facts *facts = parser->facts;
    for (size_t i = 0; facts->launch == NULL && i < facts->facts.count; i++) {
        const struct flow_fact *fact = &facts->facts.items[i];
        if (fact->origin != FACT_FOUND_FOR_LAUNCH) continue;
        diagnose_at(parser->scan.diagnostics, SEVERITY_ERROR, &facts->source, fact->place,
                    "no statement 'launch' says which launch this was found for: write your own limits "
                    "without 'found'");
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

static wb_status read_facts(struct facts_parser *parser) {
    if (facts_labels_open(parser->facts->kernel, &parser->labels) != WB_OK) return out_of_memory(parser);
    parser->scan.at = source_start(&parser->facts->source);
    next_token(parser);
    WB_TRY(read_header(parser));
    while (parser->token.kind != TOKEN_END)
        WB_TRY(read_fact(parser));
    WB_TRY(check_launch(parser));
    return check_collisions(parser);
}

wb_status wb_facts_parse(const char *name, const char *text, size_t size, const wb_kernel *kernel,
                         wb_diagnostics *diagnostics, wb_facts **facts) {
    if (size > FACTS_SIZE_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "larger than %zu bytes", FACTS_SIZE_MAX);
        return WB_ERR_INPUT;
    }
    wb_facts *made = calloc(1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, name);
    made->kernel = kernel;
    made->source.name = arena_printable(&made->arena, name, strlen(name));
    made->source.text = arena_string(&made->arena, text, size);
    made->source.size = size;
    made->input = input_of(WB_INPUT_FACTS, arena_string(&made->arena, name, strlen(name)), text, size);
    made->checksum = facts_text_checksum(text, size);
    struct facts_parser parser = {
        .facts = made, .scan = scanner_of(&made->source, SCAN_SPACES | SCAN_SLASH_COMMENTS, diagnostics)};
    bool copied = made->source.name != NULL && made->input.path != NULL && made->source.text != NULL;
    wb_status status = copied ? read_facts(&parser) : diagnose_out_of_memory(diagnostics, name);
    facts_labels_close(&parser.labels);
    if (status != WB_OK) {
        wb_facts_free(made);
        return status;
    }
    *facts = made;
    return WB_OK;
}
