/* docs/examples/README.md: every command of the page prints what stands under it, or draws the picture that
 * is there; and what the page says of ECRTS 2025 follows from the profiles that it shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define FOLDER "docs/examples/"
#define PAGE FOLDER "README.md"
#define COMMAND "    warpbound "
#define INDENT 4u

/* Text that is appended to. */
struct lines {
    char *text;
    size_t length;
};

static void add_line(struct lines *lines, const char *from, size_t length) {
    lines->text = realloc(lines->text, lines->length + length + 2);
    assert_non_null(lines->text);
    memcpy(lines->text + lines->length, from, length);
    lines->length += length;
    lines->text[lines->length++] = '\n';
    lines->text[lines->length] = '\0';
}

static size_t line_length(const char *line) {
    return strcspn(line, "\n");
}

static bool is_blank(const char *line) {
    return line[0] == '\n' || line[0] == '\0';
}

/* The lines under the command at `line`, up to the next text that is not indented or the next command; those
 * that are empty at the end left out. */
static struct lines shown_under(const char *line) {
    struct lines shown = {0};
    size_t empty = 0;
    add_line(&shown, "", 0);
    shown.length = 0;
    for (line += line_length(line); *line != '\0'; line += line_length(line)) {
        line++;
        const bool blank = is_blank(line);
        if (!blank && strncmp(line, "    ", INDENT) != 0) break;
        if (strncmp(line, COMMAND, strlen(COMMAND)) == 0) break;
        if (blank) {
            empty++;
            continue;
        }
        for (; empty > 0; empty--)
            add_line(&shown, "", 0);
        add_line(&shown, line + INDENT, line_length(line) - INDENT);
    }
    shown.text[shown.length] = '\0';
    return shown;
}

/* Runs one command of the page. */
static void check_command(const char *line) {
    char arguments[512];
    const size_t length = line_length(line) - strlen(COMMAND);
    assert_true(length < sizeof arguments);
    memcpy(arguments, line + strlen(COMMAND), length);
    arguments[length] = '\0';
    struct lines expected = shown_under(line);
    char *output = strstr(arguments, " -o " FOLDER);
    if (output != NULL) {
        assert_int_equal(expected.length, 0);
        free(expected.text);
        expected.text = read_file(output + strlen(" -o "));
        *output = '\0';
    }
    struct run run = run_command(arguments);
    if (run.status != 0) fail_msg("%s: status %d: %s", arguments, run.status, run.err);
    if (strcmp(run.out, expected.text) != 0)
        fail_msg("%s prints\n%s\nand " PAGE " has\n%s", arguments, run.out, expected.text);
    run_free(&run);
    free(expected.text);
}

static void test_commands_print_what_is_shown(void **state) {
    (void)state;
    char *page = read_file(PAGE);
    size_t commands = 0;
    for (const char *line = page; (line = strstr(line, "\n" COMMAND)) != NULL; commands++)
        check_command(++line);
    assert_true(commands >= 10);
    free(page);
}

/* Definitions 6 and 9 on the profile that the command prints. */
static void test_bounds_follow_from_the_profile(void **state) {
    (void)state;
    struct run run = run_command("analyze " FOLDER "ecrts2025-fig3.yaml --method gub --phases");
    char *page = read_file(PAGE), row[128] = "| PUB |";
    unsigned long end[8] = {0}, last = 0, execution = 0;
    unsigned phases = 0;
    char *at = strstr(run.out, "section 0: ");
    assert_non_null(at);
    for (at += strlen("section 0: "); *at == 'e' || *at == 'i'; phases++) {
        const bool executes = *at == 'e';
        assert_true(phases < 8);
        const unsigned long from = strtoul(strchr(at, '[') + 1, &at, 10);
        end[phases] = last = strtoul(at + 1, &at, 10);
        execution += executes ? last - from : 0;
        at += strlen(")");
        at += *at == ' ';
    }
    assert_int_equal(phases, 4);
    for (unsigned i = 0; i < phases; i++) {
        const size_t length = strlen(row);
        (void)snprintf(row + length, sizeof row - length, " %lu |", end[i] + execution);
    }
    if (strstr(page, row) == NULL) fail_msg("not in " PAGE ": %s", row);
    (void)snprintf(row, sizeof row, "gub %lu\n", last + execution);
    assert_int_equal(count_of(run.out, row), 2);
    free(page);
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands_print_what_is_shown),
        cmocka_unit_test(test_bounds_follow_from_the_profile),
    };
    return cmocka_run_group_tests_name("examples", tests, NULL, NULL);
}
