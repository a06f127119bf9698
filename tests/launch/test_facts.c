/* Flow facts: what their text means, what is refused, and which kernels have the same checksum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <glob.h>

#include "base/containers.h"
#include "base/files.h"
#include "facts_text.h"
#include "launch/launch.h"
#include "messages.h"

#define NESTED "tests/data/facts/nested.ptx"

/* A module with the kernel whose facts are read. */
struct fixture {
    wb_diagnostics *diagnostics;
    wb_module *module;
    const wb_kernel *kernel;
    char header[80]; /* first line of facts about the kernel */
};

static struct fixture open_text(const char *text) {
    struct fixture fixture = {.diagnostics = wb_diagnostics_new()};
    wb_status status = wb_module_parse("facts.ptx", text, strlen(text), fixture.diagnostics, &fixture.module);
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(fixture.diagnostics));
    fixture.kernel = wb_module_kernel(fixture.module, 0);
    uint64_t checksum;
    assert_int_equal(facts_checksum(fixture.kernel, &checksum), WB_OK);
    (void)snprintf(fixture.header, sizeof fixture.header, "kernel %s %016llx", wb_kernel_name(fixture.kernel),
                   (unsigned long long)checksum);
    return fixture;
}

static char *file_text(const char *path) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *text;
    size_t size;
    assert_int_equal(file_read(path, SOURCE_SIZE_MAX, diagnostics, &text, &size), WB_OK);
    wb_diagnostics_free(diagnostics);
    return text;
}

static struct fixture open_file(const char *path) {
    char *text = file_text(path);
    struct fixture fixture = open_text(text);
    free(text);
    return fixture;
}

static void close_fixture(struct fixture *fixture) {
    wb_module_free(fixture->module);
    wb_diagnostics_free(fixture->diagnostics);
}

/* Parses `statements` behind the header of the fixture's kernel. */
static wb_status parse(struct fixture *fixture, const char *statements, wb_facts **facts) {
    struct text text = {0};
    text_printf(&text, "%s\n%s", fixture->header, statements);
    wb_status status =
        wb_facts_parse("x.facts", text.data, text.length, fixture->kernel, fixture->diagnostics, facts);
    text_free(&text);
    return status;
}

static wb_facts *parse_good(struct fixture *fixture, const char *statements) {
    wb_facts *facts = NULL;
    if (parse(fixture, statements, &facts) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(fixture->diagnostics));
    return facts;
}

static void assert_same_fact(const struct flow_fact *a, const struct flow_fact *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->origin, b->origin);
    assert_int_equal(a->function, b->function);
    assert_int_equal(a->at, b->at);
    assert_int_equal(a->per, b->per);
    assert_int_equal(a->limit, b->limit);
    assert_int_equal(a->open, b->open);
}

/* The instruction that a label of the function stands before. */
static uint32_t target_of(const struct ptx_function *function, const char *label) {
    for (uint32_t i = 0; i < function->label_count; i++)
        if (strcmp(function->labels[i].name, label) == 0) return function->labels[i].target;
    fail_msg("no label %s", label);
    return 0;
}

static uint32_t function_named(const wb_module *module, const char *name) {
    for (uint32_t f = 0; f < module->function_count; f++)
        if (strcmp(module->functions[f].name, name) == 0) return f;
    fail_msg("no function %s", name);
    return 0;
}

static void test_every_statement_is_read(void **state) {
    (void)state;
    struct fixture fixture = open_file(NESTED);
    const struct ptx_function *code = kernel_function(fixture.kernel);
    uint32_t self = fixture.kernel->function, callee = function_named(fixture.module, "countdown");
    wb_facts *facts =
        parse_good(&fixture, "loop outer <= 128; // nested.cu:5\n"
                             "loop also_inner<=0x7;loop countdown:again <= 4294967295 found;\n"
                             "// a comment; loop nowhere <= 1;\r\n"
                             "at most 3 of rare per outer;\tat most ? of nested:next per\n nested:outer;\n"
                             "at most 0 of outer per rare;\n"
                             "never first ; together rare;together second?;//");
    const struct flow_fact expected[] = {
        {.kind = FACT_LOOP, .function = self, .at = target_of(code, "outer"), .limit = 128},
        {.kind = FACT_LOOP, .function = self, .at = target_of(code, "inner"), .limit = 7},
        {.kind = FACT_LOOP,
         .origin = FACT_FOUND,
         .function = callee,
         .at = target_of(&fixture.module->functions[callee], "again"),
         .limit = UINT32_MAX},
        {.kind = FACT_PER,
         .function = self,
         .at = target_of(code, "rare"),
         .per = target_of(code, "outer"),
         .limit = 3},
        {.kind = FACT_PER,
         .function = self,
         .at = target_of(code, "next"),
         .per = target_of(code, "outer"),
         .open = true},
        {.kind = FACT_PER, .function = self, .at = target_of(code, "outer"), .per = target_of(code, "rare")},
        {.kind = FACT_NEVER, .function = self, .at = target_of(code, "first")},
        {.kind = FACT_TOGETHER, .function = self, .at = target_of(code, "rare")},
        {.kind = FACT_TOGETHER, .function = self, .at = target_of(code, "second"), .open = true},
    };
    assert_int_equal(facts->facts.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < facts->facts.count; i++)
        assert_same_fact(&facts->facts.items[i], &expected[i]);
    const char *first = facts->source.text + facts->facts.items[1].place;
    assert_memory_equal(first, "loop also_inner<=0x7;", 21);
    wb_facts_free(facts);
    close_fixture(&fixture);
}

/* Statements behind the header, which is line 1, and the message that refuses them. */
static const struct {
    const char *statements, *message;
} refused[] = {
    {"loop outer <= 1", "x.facts:2:16: error: expected ';', not the end"},
    {"loop outer < 1;", "x.facts:2:12: error: expected <=, not '<'"},
    {"loop outer <= one;", "x.facts:2:15: error: expected a whole number up to 4294967295, or ?, not 'one'"},
    {"loop outer <= 4294967296;",
     "x.facts:2:15: error: expected a whole number up to 4294967295, or ?, not '4294967296'"},
    {"loop outer <= -1;", "x.facts:2:15: error: expected a whole number up to 4294967295, or ?, not '-'"},
    {"loop outer <= 0;",
     "x.facts:2:15: error: every thread that enters the loop passes its label: if none does, write 'never'"},
    {"loop outer <= 1 per;", "x.facts:2:20: error: expected warp, block or kernel, not ';'"},
    {"loop outer <= 1 per thread;", "x.facts:2:21: error: expected warp, block or kernel, not 'thread'"},
    {"loop outer <= 1 per warp found;", "x.facts:2:26: error: expected ';', not 'found'"},
    {"loop outer <= 0 per kernel;",
     "x.facts:2:15: error: every thread that enters the loop passes its label: if none does, write 'never'"},
    {"loop outer <= 1 per block; loop outer <= 2 per block;",
     "x.facts:2:28: error: line 2 already says this about the label"},
    {"loop nowhere <= 1;", "x.facts:2:6: error: 'nested' has no label 'nowhere'"},
    {"loop again <= 1;", "x.facts:2:6: error: 'nested' has no label 'again'"},
    {"loop rare <= 1;", "x.facts:2:6: error: no loop of 'nested' starts at this label, but at outer, inner"},
    {"loop first <= 1;", "x.facts:2:6: error: this cycle has several entry labels: it is not a loop"},
    {"never end;", "x.facts:2:7: error: no executable instruction follows this label"},
    {"never start;", "x.facts:2:7: error: the kernel starts at this label: every thread reaches it"},
    {"never nowhere:start;", "x.facts:2:7: error: there is no function 'nowhere'"},
    {"loop unused:idle <= 1;", "x.facts:2:6: error: kernel 'nested' never calls 'unused'"},
    {"loop countdown:inner <= 1;", "x.facts:2:16: error: 'countdown' has no label 'inner'"},
    {"loop countdown:;", "x.facts:2:16: error: expected a label, not ';'"},
    {"at least 3 of rare per outer;", "x.facts:2:4: error: expected most, not 'least'"},
    {"at most 3 rare per outer;", "x.facts:2:11: error: expected of, not 'rare'"},
    {"at most 3 of rare;", "x.facts:2:18: error: expected per, not ';'"},
    {"at most 3 of countdown:again per outer;",
     "x.facts:2:34: error: the two labels are in different functions"},
    {"at most 3 of inner per also_inner;",
     "x.facts:2:24: error: the two labels stand before the same instruction"},
    {"sometimes rare;", "x.facts:2:1: error: expected loop, at most, never or together, not 'sometimes'"},
    {"loop outer <= 1; ;", "x.facts:2:18: error: expected loop, at most, never or together, not ';'"},
    {"never rare", "x.facts:2:11: error: expected ';', not the end"},
    {"never \x01;", "x.facts:2:7: error: expected a label, not '?'"},
    {"/ a comment", "x.facts:2:1: error: expected loop, at most, never or together, not '/'"},
    {"loop outer <= ? found;", "x.facts:2:17: error: expected ';', not 'found'"},
    {"loop outer <= 1 found for launch;", "x.facts:2:27: error: expected this, not 'launch'"},
    {"loop outer <= 1 found for this;", "x.facts:2:31: error: expected launch, not ';'"},
    {"loop outer <= 1;\nloop inner <= 1 found for this launch;",
     "x.facts:3:1: error: no statement 'launch' says which launch this was found for: write your own limits "
     "without 'found'"},
    {"never rare found;", "x.facts:2:12: error: expected ';', not 'found'"},
    {"launch;", "x.facts:2:7: error: expected the checksum of the launch, not ';'"},
    {"launch 0123456789abcdef;", "x.facts:2:24: error: expected the description of a launch, not ';'"},
    {"launch 0123456789abcdef grid 1 1 1;",
     "x.facts:2:8: error: this checksum does not match the launch described: the line was changed after "
     "'warpbound facts' wrote it"},
    {"launch 0 grid 1 1 1;", "x.facts:2:8: error: this checksum does not match the launch described: the "
                             "line was changed after 'warpbound facts' wrote it"},
    {"loop outer <= 1;\n\nloop outer <= 2;", "x.facts:4:1: error: line 2 already says this about the label"},
    {"loop inner <= ?;\nloop also_inner <= 7;",
     "x.facts:3:1: error: line 2 already says this about the label"},
    {"at most 1 of rare per outer;\nat most 2 of rare per outer;",
     "x.facts:3:1: error: line 2 already says this about the label"},
    {"together rare; together rare;", "x.facts:2:16: error: line 2 already says this about the label"},
    {"never rare;\nat most 1 of rare per outer;",
     "x.facts:3:1: error: line 2 contradicts this: a label that is never reached has no other facts"},
    {"together rare;\nnever rare;",
     "x.facts:3:1: error: line 2 contradicts this: a label that is never reached has no other facts"},
};

static void test_wrong_text_is_refused_with_its_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct fixture fixture = open_file(NESTED);
        wb_facts *facts = NULL;
        assert_int_equal(parse(&fixture, refused[i].statements, &facts), WB_ERR_INPUT);
        assert_first_message(fixture.diagnostics, refused[i].message, refused[i].statements);
        assert_int_equal(wb_diagnostics_errors(fixture.diagnostics), 1);
        assert_null(facts);
        close_fixture(&fixture);
    }
}

static void test_facts_that_differ_stand_beside_each_other(void **state) {
    (void)state;
    struct fixture fixture = open_file(NESTED);
    wb_facts *facts = parse_good(
        &fixture, "loop outer <= 2 per warp; loop outer <= 3 per block; loop outer <= 4 per kernel;"
                  "loop outer <= 2; loop countdown:again <= 2; at most 1 of rare per outer;"
                  "at most 1 of rare per inner; at most 1 of outer per rare; together rare;"
                  "together outer; never first; never second;");
    assert_int_equal(facts->facts.count, 12);
    wb_facts_free(facts);
    close_fixture(&fixture);
}

/* The first line decides whether facts are about the kernel at hand. */
static void test_facts_of_another_kernel_are_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "x.facts:1:1: error: expected kernel, not the end"},
        {"loop outer <= 1;", "x.facts:1:1: error: expected kernel, not 'loop'"},
        {"kernel other 0123456789abcdef",
         "x.facts:1:8: error: these are facts about kernel 'other', not about 'nested'"},
        {"kernel nested", "x.facts:1:14: error: expected the checksum of the kernel, not the end"},
        {"kernel nested 123",
         "x.facts:1:15: error: expected the checksum of the kernel, 16 hexadecimal digits"},
        {"kernel nested 0123456789abcdeg",
         "x.facts:1:15: error: expected the checksum of the kernel, 16 hexadecimal digits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture = open_file(NESTED);
        wb_facts *facts = NULL;
        wb_status status = wb_facts_parse("x.facts", cases[i][0], strlen(cases[i][0]), fixture.kernel,
                                          fixture.diagnostics, &facts);
        assert_int_equal(status, WB_ERR_INPUT);
        assert_first_message(fixture.diagnostics, cases[i][1], cases[i][0]);
        close_fixture(&fixture);
    }
}

static void test_facts_of_another_version_are_refused(void **state) {
    (void)state;
    struct fixture fixture = open_file(NESTED);
    struct text text = {0};
    wb_facts *facts = NULL;
    text_printf(&text, "%s\n", fixture.header);
    char *last = &text.data[text.length - 2];
    *last = *last == '0' ? '1' : '0';
    wb_status status =
        wb_facts_parse("x.facts", text.data, text.length, fixture.kernel, fixture.diagnostics, &facts);
    assert_int_equal(status, WB_ERR_INPUT);
    const char *message = wb_diagnostics_text(fixture.diagnostics);
    assert_non_null(strstr(message, "x.facts:1:15: error: these are facts about another version of kernel"));
    assert_non_null(strstr(message, strrchr(fixture.header, ' ')));
    text_free(&text);
    close_fixture(&fixture);
}

static void test_texts_that_are_too_large_are_refused(void **state) {
    (void)state;
    struct fixture fixture = open_file(NESTED);
    struct text text = {0};
    wb_facts *facts = NULL;
    text_printf(&text, "%s\n", fixture.header);
    while (text.length <= FACTS_SIZE_MAX)
        text_string(&text, "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
    wb_status status =
        wb_facts_parse("x.facts", text.data, text.length, fixture.kernel, fixture.diagnostics, &facts);
    assert_int_equal(status, WB_ERR_INPUT);
    status =
        wb_facts_parse("x.facts", text.data, FACTS_SIZE_MAX, fixture.kernel, fixture.diagnostics, &facts);
    assert_int_equal(status, WB_OK);
    wb_facts_free(facts);
    assert_int_equal(wb_facts_read("/nonexistent", fixture.kernel, fixture.diagnostics, &facts),
                     WB_ERR_INPUT);
    text_free(&text);
    close_fixture(&fixture);
}

static void test_open_facts_are_declined_one_by_one(void **state) {
    (void)state;
    struct fixture fixture = open_file(NESTED);
    wb_facts *complete = parse_good(&fixture, "loop outer <= 1;");
    assert_int_equal(facts_require_complete(complete, fixture.diagnostics), WB_OK);
    wb_facts *open = parse_good(&fixture, "loop outer <= ?;\nloop inner <= 3;\nloop countdown:again <= ?;\n"
                                          "at most ? of rare per outer;");
    assert_int_equal(facts_require_complete(open, fixture.diagnostics), WB_ERR_DECLINED);
    assert_int_equal(wb_diagnostics_errors(fixture.diagnostics), 3);
    const char *messages = wb_diagnostics_text(fixture.diagnostics);
    static const char *const expected[] = {
        "x.facts:2:1: error: loop outer (nested.cu:5) needs a bound: replace ? by",
        "x.facts:4:1: error: loop countdown:again (PTX line 15) needs a bound: replace ? by",
        "x.facts:5:1: error: rare (nested.cu:6) per outer needs a bound: replace ? by",
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (strstr(messages, expected[i]) == NULL) fail_msg("missing: %s\ngot:\n%s", expected[i], messages);
    wb_facts_free(complete);
    wb_facts_free(open);
    close_fixture(&fixture);
}

static void check_difference(const char *was, const char *is, const char *expected) {
    struct text out = {0};
    facts_put_difference(was, is, &out);
    assert_string_equal(out.data == NULL ? "" : out.data, expected);
    text_free(&out);
}

static void test_differences_of_launches_are_named(void **state) {
    (void)state;
    const char *was = "grid 8 1 1 block 256 1 1 shared 0 arguments buffer 2048 unknown";
    check_difference(was, was, "");
    check_difference(was, "grid 8 2 1 block 256 1 1 shared 64 arguments buffer 2048 unknown",
                     "the grid was 8 1 1 and is 8 2 1, the dynamic shared memory was 0 and is 64");
    check_difference(was, "grid 8 1 1 block 32 1 1 shared 0 arguments buffer 2049 5",
                     "the block was 256 1 1 and is 32 1 1, argument 2 was 2048 and is 2049, argument 3 was "
                     "unknown and is 5");
    check_difference(was, "grid 8 1 1 block 256 1 1 shared 0 arguments buffer", "the number of arguments");
    /* what no template has written cannot do harm */
    check_difference("", was,
                     "the grid was  and is 8 1 1, the block was  and is 256 1 1, the dynamic shared "
                     "memory was  and is 0, the number of arguments");
    check_difference(was, "",
                     "the grid was 8 1 1 and is , the block was 256 1 1 and is , the dynamic shared "
                     "memory was 0 and is , the number of arguments");
}

/* A label of a random function that the kernel reaches, written in one of the ways it can be. */
static void put_random_label(struct random_state *random, struct text *out) {
    static const char *const labels[] = {"outer",  "inner",        "also_inner",  "rare",        "next",
                                         "second", "nested:outer", "nested:rare", "nested:first"};
    text_string(out, labels[random_below(random, sizeof labels / sizeof *labels)]);
}

static void put_random_limit(struct random_state *random, struct text *out) {
    if (random_below(random, 3) == 0) {
        text_char(out, '?');
    } else {
        text_printf(out, "%llu", (unsigned long long)(1 + random_below(random, UINT32_MAX)));
    }
}

static void put_random_fact(struct random_state *random, struct text *out) {
    static const char *const loops[] = {"outer", "inner", "also_inner", "countdown:again"};
    switch (random_below(random, 4)) {
    case 0:
        text_printf(out, "loop %s <= ", loops[random_below(random, 4)]);
        if (random_below(random, 2) == 0) {
            put_random_limit(random, out);
        } else {
            text_printf(out, "%llu found%s", (unsigned long long)(1 + random_below(random, UINT32_MAX)),
                        random_below(random, 2) == 0 ? "" : " for this launch");
        }
        break;
    case 1:
        text_string(out, "at most ");
        put_random_limit(random, out);
        text_string(out, " of ");
        put_random_label(random, out);
        text_string(out, " per ");
        put_random_label(random, out);
        break;
    case 2:
        text_string(out, "never ");
        put_random_label(random, out);
        break;
    default:
        text_string(out, "together ");
        put_random_label(random, out);
        if (random_below(random, 2) == 0) text_string(out, " ?");
        break;
    }
    text_string(out, random_below(random, 2) == 0 ? ";\n" : "; // why\n");
}

/* What is printed reads back as the same facts and prints the same again. */
static void check_round_trip(const struct fixture *fixture, const wb_facts *facts) {
    char *text = NULL, *second = NULL;
    wb_facts *again = NULL;
    assert_int_equal(facts_print(facts, fixture->diagnostics, &text), WB_OK);
    if (wb_facts_parse("printed", text, strlen(text), fixture->kernel, fixture->diagnostics, &again) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(fixture->diagnostics));
    assert_int_equal(again->facts.count, facts->facts.count);
    for (size_t i = 0; i < facts->facts.count; i++)
        assert_same_fact(&again->facts.items[i], &facts->facts.items[i]);
    assert_int_equal(facts_print(again, fixture->diagnostics, &second), WB_OK);
    assert_string_equal(text, second);
    free(text);
    free(second);
    wb_facts_free(again);
}

static void test_random_facts_survive_printing(void **state) {
    (void)state;
    enum { SETS = 400, FACTS_MAX = 5, ACCEPTED_LEAST = SETS / 5 };
    struct fixture fixture = open_file(NESTED);
    uint32_t accepted = 0;
    for (uint64_t seed = 1; seed <= SETS; seed++) {
        struct random_state random = random_seeded(seed);
        struct text statements = {0};
        wb_facts *facts = NULL;
        if (random_below(&random, 4) > 0) {
            uint64_t checksum;
            assert_int_equal(facts_checksum(fixture.kernel, &checksum), WB_OK);
            facts_put_launch_statement(checksum, "grid 1 1 1 block 32 1 1 shared 0 arguments buffer 7",
                                       &statements);
        }
        for (uint64_t left = random_below(&random, FACTS_MAX + 1); left > 0; left--)
            put_random_fact(&random, &statements);
        if (parse(&fixture, statements.data == NULL ? "" : statements.data, &facts) == WB_OK) {
            accepted++;
            check_round_trip(&fixture, facts);
            wb_facts_free(facts);
        }
        text_free(&statements);
    }
    assert_true(accepted >= ACCEPTED_LEAST);
    close_fixture(&fixture);
}

/* The text with every occurrence of `from`, at least one, replaced; malloc'd. */
static char *replaced(const char *text, const char *from, const char *to) {
    struct text out = {0};
    const char *found = strstr(text, from);
    if (found == NULL) fail_msg("'%s' does not occur", from);
    for (; found != NULL; found = strstr(text, from)) {
        text_append(&out, text, (size_t)(found - text));
        text_string(&out, to);
        text = found + strlen(from);
    }
    text_string(&out, text);
    return text_take(&out);
}

static uint64_t checksum_of(const char *text) {
    struct fixture fixture = open_text(text);
    uint64_t checksum;
    assert_int_equal(facts_checksum(fixture.kernel, &checksum), WB_OK);
    close_fixture(&fixture);
    return checksum;
}

/* A replacement in the text of NESTED. */
struct change {
    const char *from, *to;
};

static const struct change changes_of_names[] = {
    {"%r3", "%r7"},
    {"%p1", "%p0"},
    {"%n", "%number"},
    {"%r<8>", "%r<9>"},
    {"outer", "around"},
    {"also_inner:\n", ""},
    {"countdown", "count_down"},
    {"nested(", "nest("},
    {"table", "numbers"},
    {"rows", "lines"},
    {".loc 1 5 2", ".loc 1 55 2"},
    {".loc 1 5 2", "// .loc 1 5 2"},
    {"nested.cu", "src/nested.cu"},
    {"sm_80", "sm_90"},
    {"\n", "\r\n"},
    {"\t", "    "},
    {"first:\n", "first: // here\n"},
    {".visible ", ""},
    {"\tbra idle;\n", "\tbra idle;\n\tbra idle;\n"}, /* in a function that the kernel does not call */
};

static const struct change changes_of_code[] = {
    {"setp.lt.s32 %p1, %r3, %r4", "setp.le.s32 %p1, %r3, %r4"},
    {"setp.lt.s32 %p1, %r3, %r4", "setp.lt.u32 %p1, %r3, %r4"},
    {"%p1, %r3, %r4", "%p1, %r4, %r3"},
    {"@%p1 bra inner", "@!%p1 bra inner"},
    {"@%p1 bra inner", "@%p2 bra inner"},
    {"@%p1 bra inner", "bra inner"},
    {"bra outer", "bra inner"},
    {"mov.u32 %r2, 0", "mov.u32 %r2, 1"},
    {"%r3, %r3, 1", "%r3, %r3, -1"},
    {"[table+4]", "[table]"},
    {"[rows]", "[rows+2]"},
    {".param .u32 rows", ".param .u64 rows"},
    {"5, 6, 7, 8", "5, 6, 7, 9"},
    {".align 4 .b8 table", ".align 8 .b8 table"},
    {".b32 %r<8>", ".u64 %r<8>"},
    {"bar.sync 0", "bar.sync 1"},
    {"\tbar.sync 0;\n", ""},
    {"mov.b32 %total, 0", "mov.b32 %total, 1"},
    {"call.uni (%r5), countdown, (%r3)", "call.uni (%r5), countdown, (%r2)"},
    {"also_inner:\n", "also_inner: add.s32 %r7, %r7, 0;\n"},
};

static void check_change(const char *text, const struct change *change, bool same) {
    char *changed = replaced(text, change->from, change->to);
    if ((checksum_of(text) == checksum_of(changed)) != same)
        fail_msg("'%s' for '%s': the checksum %s", change->to, change->from, same ? "changes" : "stays");
    free(changed);
}

static void test_checksum_changes_with_code_only(void **state) {
    (void)state;
    char *text = file_text(NESTED);
    for (size_t i = 0; i < sizeof changes_of_names / sizeof *changes_of_names; i++)
        check_change(text, &changes_of_names[i], true);
    for (size_t i = 0; i < sizeof changes_of_code / sizeof *changes_of_code; i++)
        check_change(text, &changes_of_code[i], false);
    free(text);
}

/* A call through a register can reach every function: they all count then. */
static void test_checksum_of_indirect_calls(void **state) {
    (void)state;
    static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                               ".extern .func (.param .b32 r) outside(.param .b32 x);\n"
                               ".func one()\n{\nbar.sync 1;\nret;\n}\n"
                               ".global .u64 pointers[2] = {one, 0};\n"
                               ".entry k()\n{\n.reg .b64 %f;\n"
                               "prototype: .callprototype _ ();\n"
                               "ld.global.u64 %f, [pointers];\ncall %f, (), prototype;\nret;\n}\n";
    static const struct change same = {"pointers", "functions"};
    static const struct change other[] = {
        {"bar.sync 1", "bar.sync 2"}, {"{one, 0}", "{0, one}"}, {"outside", "beyond"}, {"%f, ()", "one, ()"}};
    check_change(text, &same, true);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        check_change(text, &other[i], false);
}

/* Printing a module keeps the code of its kernels, so that their checksums stay. */
static void check_printed(const char *path) {
    char *text = file_text(path), *printed = NULL;
    struct fixture fixture = open_text(text);
    assert_int_equal(wb_module_print(fixture.module, fixture.diagnostics, &printed), WB_OK);
    struct fixture again = open_text(printed);
    assert_int_equal(wb_module_kernel_count(fixture.module), wb_module_kernel_count(again.module));
    for (size_t i = 0; i < wb_module_kernel_count(fixture.module); i++) {
        uint64_t before, after;
        assert_int_equal(facts_checksum(wb_module_kernel(fixture.module, i), &before), WB_OK);
        assert_int_equal(facts_checksum(wb_module_kernel(again.module, i), &after), WB_OK);
        if (before != after) fail_msg("%s, kernel %zu: printing changes the checksum", path, i);
    }
    free(printed);
    free(text);
    close_fixture(&again);
    close_fixture(&fixture);
}

static void test_checksum_survives_printing(void **state) {
    (void)state;
    static const char *const patterns[] = {"kernels/*.ptx", "tests/data/ptx/*.ptx", "tests/data/facts/*.ptx"};
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        glob_t files;
        assert_int_equal(glob(patterns[p], 0, NULL, &files), 0);
        for (size_t i = 0; i < files.gl_pathc; i++)
            check_printed(files.gl_pathv[i]);
        globfree(&files);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_statement_is_read),
        cmocka_unit_test(test_wrong_text_is_refused_with_its_place),
        cmocka_unit_test(test_facts_that_differ_stand_beside_each_other),
        cmocka_unit_test(test_facts_of_another_kernel_are_refused),
        cmocka_unit_test(test_facts_of_another_version_are_refused),
        cmocka_unit_test(test_texts_that_are_too_large_are_refused),
        cmocka_unit_test(test_open_facts_are_declined_one_by_one),
        cmocka_unit_test(test_differences_of_launches_are_named),
        cmocka_unit_test(test_random_facts_survive_printing),
        cmocka_unit_test(test_checksum_changes_with_code_only),
        cmocka_unit_test(test_checksum_of_indirect_calls),
        cmocka_unit_test(test_checksum_survives_printing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
