/* docs/tutorial.md: its commands, run one after another in a copy of docs/examples/blur, print what stands
 * under them; "..." stands for lines that are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define PAGE "docs/tutorial.md"
#define PROMPT "    $ "
#define INDENT 4u

/* In this folder; a file of the user's is left alone. */
#define ENTER                                                                                                \
    "folder=$(mktemp -d) && trap 'rm -rf \"$folder\"' EXIT && cp docs/examples/blur/* \"$folder\" && "       \
    "cd \"$folder\" && warpbound() { \"$WB\" \"$@\"; }\n"

/* Says what a command ended with where that is not 0, as the page does. */
#define EXIT_STATUS " 2>&1 || echo \"exit status $?\"\n"

/* Between what commands print. */
#define MARK "=====next====="

/* The commands of the page as one shell script. */
static char *script_of(const char *page) {
    char *script = calloc(1, sizeof ENTER + 3 * strlen(page));
    assert_non_null(script);
    strcpy(script, ENTER);
    for (const char *line = page; (line = strstr(line, "\n" PROMPT)) != NULL;) {
        line += strlen("\n" PROMPT);
        strcat(script, "echo " MARK "\n");
        strncat(script, line, strcspn(line, "\n"));
        strcat(script, EXIT_STATUS);
    }
    return script;
}

/* Holds what a command printed against the lines of the page behind it; returns the end of these. */
static const char *check_output(const char *page, const char *printed) {
    bool gap = false;
    for (; strncmp(page, "    ", INDENT) == 0 && strncmp(page, PROMPT, strlen(PROMPT)) != 0;
         page += strcspn(page, "\n") + 1) {
        char line[256];
        const size_t length = strcspn(page, "\n") - INDENT;
        assert_true(length < sizeof line - 1);
        memcpy(line, page + INDENT, length);
        memcpy(line + length, "\n", 2);
        if (strcmp(line, "...\n") == 0) {
            gap = true;
            continue;
        }
        const char *found = gap ? strstr(printed, line) : printed;
        if (found == NULL || strncmp(found, line, length + 1) != 0)
            fail_msg("not printed, or not in this place: %sprinted:\n%s", line, printed);
        printed = found + length + 1;
        gap = false;
        while (*printed == '\n' && page[strcspn(page, "\n") + 1] == '\n') /* an empty line of both */
            printed++, page++;
    }
    if (!gap && *printed != '\0') fail_msg(PAGE " lacks: %s", printed);
    return page;
}

static void test_commands_print_what_is_shown(void **state) {
    (void)state;
    char *page = read_file(PAGE), *script = script_of(page);
    struct run run = run_shell(script);
    assert_string_equal(run.err, "");
    size_t commands = 0;
    const char *line = page;
    for (char *printed = strstr(run.out, MARK "\n"); printed != NULL; commands++) {
        printed += strlen(MARK "\n");
        char *end = strstr(printed, MARK "\n");
        if (end != NULL) end[0] = '\0';
        line = strstr(line, "\n" PROMPT);
        assert_non_null(line);
        line += 1 + strcspn(line + 1, "\n") + 1;
        check_output(line, printed);
        line--;
        if (end != NULL) end[0] = MARK[0];
        printed = end;
    }
    assert_true(commands >= 5);
    run_free(&run);
    free(script);
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_commands_print_what_is_shown)};
    return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
