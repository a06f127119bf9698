/* The text of flow facts becomes wb_facts. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "launch/facts.h"
#include "launch/facts_labels.h"

/* Longest part of a word, and most labels of loops, that messages show. */
#define SHOWN_MAX 60u
#define LOOPS_SHOWN_MAX 8u

#define MESSAGE_MAX 800
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
    struct facts_token token; /* the next one */
    uint64_t checksum;        /* of the kernel */
    wb_diagnostics *diagnostics;
};

/* Byte offset of a token in the text. */
static uint32_t place_of(const struct facts_parser *parser, const struct facts_token *token) {
    return (uint32_t)(token->text - parser->facts->source.text);
}

static int shown(const struct facts_token *token) {
    return token->length < SHOWN_MAX ? (int)token->length : (int)SHOWN_MAX;
}

static wb_status out_of_memory(const struct facts_parser *parser) {
    return diagnose_out_of_memory(parser->diagnostics, parser->facts->source.name);
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The first byte at or behind `at` that is neither blank nor in a comment. */
static const char *skip_blanks(const char *at, const char *end) {
    while (at < end) {
        if (is_blank(*at)) {
            at++;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline == NULL ? end : newline;
        } else {
            break;
        }
    }
    return at;
}

/* Reads the token that starts at `at` or behind it. */
static void read_token(struct facts_parser *parser, const char *at) {
    const char *end = parser->facts->source.text + parser->facts->source.size;
    struct facts_token token = {.kind = TOKEN_BAD, .text = skip_blanks(at, end), .length = 1};
    at = token.text;
    if (at == end) {
        token.kind = TOKEN_END;
        token.length = 0;
    } else if (is_word(*at)) {
        token.kind = TOKEN_WORD;
        while (at + token.length < end && is_word(at[token.length]))
            token.length++;
    } else if (end - at >= 2 && at[0] == '<' && at[1] == '=') {
        token.kind = TOKEN_AT_MOST;
        token.length = 2;
    } else if (*at == ':') {
        token.kind = TOKEN_COLON;
    } else if (*at == ';') {
        token.kind = TOKEN_SEMICOLON;
    } else if (*at == '?') {
        token.kind = TOKEN_OPEN;
    }
    parser->token = token;
}

static void next_token(struct facts_parser *parser) {
    read_token(parser, parser->token.text + parser->token.length);
}

/* Reports an error about a token; always WB_ERR_INPUT. */
static wb_status __attribute__((format(printf, 3, 4)))
fail_at(const struct facts_parser *parser, const struct facts_token *token, const char *format, ...) {
    char message[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(message, sizeof message, format, arguments);
    va_end(arguments);
    diagnose_at(parser->diagnostics, SEVERITY_ERROR, &parser->facts->source, place_of(parser, token), "%s",
                message);
    return WB_ERR_INPUT;
}

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
    return fail_at(parser, name, "there is no instruction behind this label that could be executed");
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

/* loop LABEL <= N */
static wb_status read_loop(struct facts_parser *parser, struct flow_fact *fact) {
    struct named_label label;
    const struct facts_function *function;
    WB_TRY(read_label(parser, &label));
    if (facts_labels_loops(&parser->labels, label.function, &function) != WB_OK) return out_of_memory(parser);
    if (facts_in_irreducible(function, label.inst) && !facts_starts_loop(function, label.inst))
        return fail_at(parser, &label.name, "this cycle can be entered at several labels: it is no loop");
    if (!facts_starts_loop(function, label.inst)) return no_loop(parser, &label, function);
    WB_TRY(require(parser, TOKEN_AT_MOST, "<="));
    struct facts_token limit = parser->token;
    WB_TRY(read_limit(parser, fact));
    if (fact->limit == 0 && !fact->open)
        return fail_at(parser, &limit, "whoever enters the loop passes its label: if none does, say 'never'");
    fact->kind = FACT_LOOP;
    fact->function = label.function;
    fact->at = label.inst;
    return read_origin(parser, fact);
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
                       "this is not the checksum of the launch that is described: the line was changed since "
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
    return fail_at(parser, &sum,
                   "these are facts about another version of kernel '%s', which now has the checksum "
                   "%016" PRIx64 ": see whether they still hold",
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
                           ? "says this of the label already"
                           : "contradicts this: nothing holds of a label that is never reached";
    diagnose_at(parser->diagnostics, SEVERITY_ERROR, source, later->place, "line %u %s", line, what);
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
        diagnose_at(parser->diagnostics, SEVERITY_ERROR, &facts->source, fact->place,
                    "no statement 'launch' says which launch this was found for: a limit of your own is "
                    "written without 'found'");
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

static wb_status read_facts(struct facts_parser *parser) {
    if (facts_labels_open(parser->facts->kernel, &parser->labels) != WB_OK) return out_of_memory(parser);
    read_token(parser, parser->facts->source.text + source_start(&parser->facts->source));
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
    made->source.name = arena_string(&made->arena, name, strlen(name));
    made->source.text = arena_string(&made->arena, text, size);
    made->source.size = size;
    made->checksum = facts_text_checksum(text, size);
    struct facts_parser parser = {.facts = made, .diagnostics = diagnostics};
    bool copied = made->source.name != NULL && made->source.text != NULL;
    wb_status status = copied ? read_facts(&parser) : diagnose_out_of_memory(diagnostics, name);
    facts_labels_close(&parser.labels);
    if (status != WB_OK) {
        wb_facts_free(made);
        return status;
    }
    *facts = made;
    return WB_OK;
}
