/* Types of kernels' parameters from debug information: what init writes of random structs of the compiler has
 * their layout; and files that say nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "debug/types.h"
#include "launch/launch.h"
#include "random_struct.h"
#include "report/flow/template.h"

#define STRUCTS 160
#define SEED 38

/* A question, and what was found, in a pass. */
struct question {
    const char *path, *symbol;
    struct arena *arena;
    struct host_params params;
    struct text out;
    bool found, written;
};

static void ask(void *context) {
    struct question *question = context;
    question->found = host_params_find(question->path, question->symbol, question->arena, &question->params);
    if (!question->found) return;
    const struct host_type *type = question->params.types[0];
    question->written = template_put_type(&question->out, type, type->size, "");
}

/* The file as init has it, with every blank filled in. */
static wb_launch *filled(const char *argument, wb_diagnostics *diagnostics) {
    struct text text = {0};
    wb_launch *launch = NULL;
    text_string(&text, "arguments:\n");
    for (const char *at = argument; *at != '\0';) {
        const bool is_blank = strncmp(at, LAUNCH_BLANK, strlen(LAUNCH_BLANK)) == 0;
        if (is_blank)
            text_string(&text, at[-1] == '=' ? "zero" : "1");
        else
            text_char(&text, *at);
        at += is_blank ? strlen(LAUNCH_BLANK) : 1;
    }
    (void)launch_parse("x.yaml", text.data, text.length, NULL, diagnostics, &launch);
    text_free(&text);
    return launch;
}

/* Every field of `expected` is one of `launch`, and both have one size. */
static void compare(const wb_launch *launch, const wb_launch *expected, const char *text) {
    const struct launch_argument *own = &launch->arguments.items[0], *other = &expected->arguments.items[0];
    if (launch_contents_size(&own->contents) != launch_contents_size(&other->contents))
        fail_msg("seed %d: another size:\n%s%s", SEED, text, other->text);
    for (size_t i = 0; i < other->field_count; i++) {
        size_t f = 0;
        while (f < own->field_count && (own->fields[f].offset != other->fields[i].offset ||
                                        strcmp(own->fields[f].path, other->fields[i].path) != 0))
            f++;
        if (f == own->field_count)
            fail_msg("seed %d: %s at %u is not in\n%s", SEED, other->fields[i].path, other->fields[i].offset,
                     text);
    }
}

static void check_struct(const char *object, int number, const struct random_struct *made) {
    char symbol[16];
    struct arena arena = {0};
    (void)snprintf(symbol, sizeof symbol, "k%d", number);
    struct question question = {.path = object, .symbol = symbol, .arena = &arena};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(arena_protect(&arena, ask, &question), WB_OK);
    if (!question.found || !question.written)
        fail_msg("seed %d: nothing of %s (%s, %d)", SEED, made->launch.data, object, question.found);
    wb_launch *launch = filled(question.out.data, diagnostics), *expected = wb_launch_new();
    if (launch == NULL) fail_msg("%s%s", question.out.data, wb_diagnostics_text(diagnostics));
    assert_int_equal(wb_launch_add_argument(expected, made->launch.data, diagnostics), WB_OK);
    compare(launch, expected, question.out.data);
    wb_launch_free(launch);
    wb_launch_free(expected);
    wb_diagnostics_free(diagnostics);
    text_free(&question.out);
    arena_free(&arena);
}

static void test_random_structs(void **state) {
    (void)state;
    static const char *const options[] = {"-gdwarf-5", "-gdwarf-4 -gz"};
    struct random_state random = random_seeded(SEED);
    char folder[] = "/tmp/wb_typesXXXXXX", source[80], object[80], command[300];
    if (system("cc --version > /dev/null 2>&1") != 0) skip();
    assert_non_null(mkdtemp(folder));
    (void)snprintf(source, sizeof source, "%s/s.c", folder);
    (void)snprintf(object, sizeof object, "%s/s.o", folder);
    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
        struct random_struct made[STRUCTS / 2] = {0};
        FILE *file = fopen(source, "w");
        assert_non_null(file);
        (void)fputs(random_struct_prelude, file);
        for (int i = 0; i < STRUCTS / 2; i++) {
            made[i].random = random_seeded(random_next(&random));
            random_struct_make(&made[i], "s");
            (void)fprintf(file, "typedef %s s%d;\nvoid k%d(const s%d s, int n) { }\n", made[i].declared.data,
                          i, i, i);
        }
        assert_int_equal(fclose(file), 0);
        (void)snprintf(command, sizeof command, "cc -w -Wno-psabi %s -c -o %s %s", options[o], object,
                       source);
        assert_int_equal(system(command), 0);
        for (int i = 0; i < STRUCTS / 2; i++) {
            check_struct(object, i, &made[i]);
            random_struct_free(&made[i]);
        }
    }
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* The symbol of a static function that device code was linked with. */
static void test_static_symbol(void **state) {
    (void)state;
    static const char *const symbols[][2] = {{"__nv_static_4_unit__Z5scale5image", "yes"},
                                             {"__nv_static_5_unit__Z5scale5image", NULL},
                                             {"__nv_static_99_unit__Z5scale5image", NULL},
                                             {"__nv_static__Z5scale5image", NULL},
                                             {"__nv_static_4", NULL}};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        struct arena arena = {0};
        struct question question = {
            .path = "tests/data/fatbin/fields.o", .symbol = symbols[i][0], .arena = &arena};
        assert_int_equal(arena_protect(&arena, ask, &question), WB_OK);
        assert_int_equal(question.found, symbols[i][1] != NULL);
        text_free(&question.out);
        arena_free(&arena);
    }
}

/* What has no types is no error. */
static void test_nothing_known(void **state) {
    (void)state;
    static const char *const questions[][2] = {
        {"tests/data/fatbin/fields.o", "_Z5other5image"},
        {"tests/data/fatbin/lz4.o", "add"},
        {"tests/data/fatbin/units.a", "add"},
        {"tests/data/fatbin/add.cubin", "add"},
        {"tests/data/fatbin/make", "add"},
        {"tests/data", "add"},
        {"tests/data/none", "add"},
        {"-", "add"},
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct arena arena = {0};
        struct question question = {.path = questions[i][0], .symbol = questions[i][1], .arena = &arena};
        assert_int_equal(arena_protect(&arena, ask, &question), WB_OK);
        assert_false(question.found);
        arena_free(&arena);
    }
}

/* Damages some bytes of a file that is `size` bytes long, asks, and mends them. */
static void ask_damaged(int file, const char *path, char *bytes, size_t size, struct random_state *random,
                        int round) {
    struct arena arena = {.limit = round % 10 == 0 ? random_below(random, 20000) + 1 : 0};
    struct question question = {.path = path, .symbol = "k", .arena = &arena};
    const size_t cut = round % 3 == 0 ? random_below(random, size) : size;
    uint64_t places[4];
    char old[4];
    for (int p = 0; p < 4; p++) {
        places[p] = random_below(random, size);
        old[p] = bytes[places[p]];
        bytes[places[p]] = (char)random_next(random);
    }
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(pwrite(file, bytes, cut, 0), cut);
    (void)arena_protect(&arena, ask, &question);
    for (int p = 3; p >= 0; p--)
        bytes[places[p]] = old[p];
    text_free(&question.out);
    arena_free(&arena);
}

/* Damaged files and little memory end in nothing, or in some types. */
static void test_damaged(void **state) {
    (void)state;
    char path[32] = "/tmp/wb_typesXXXXXX", command[300], *bytes = NULL;
    size_t size = 0;
    struct random_state random = random_seeded(SEED);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (system("cc --version > /dev/null 2>&1") != 0) skip();
    const int made = mkstemp(path), file = memfd_create("damaged", 0);
    assert_true(made >= 0 && file >= 0);
    (void)snprintf(command, sizeof command,
                   "echo 'struct b {int x[2][3]; void *p;}; struct a {struct b b[2]; float f; char c;};"
                   "void k(struct a a, int n) { }' | cc -g -c -x c -o %s -",
                   path);
    assert_int_equal(system(command), 0);
    assert_int_equal(file_read(path, 1u << 20, diagnostics, &bytes, &size), WB_OK);
    (void)unlink(path);
    (void)close(made);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    for (int round = 0; round < 3000; round++)
        ask_damaged(file, path, bytes, size, &random, round);
    (void)close(file);
    free(bytes);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_structs),
        cmocka_unit_test(test_static_symbol),
        cmocka_unit_test(test_nothing_known),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
