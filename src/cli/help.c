#include "help.h"

#include <string.h>

#include "terminal.h"
#include "wing.h"

/* Where the explanation of an option stands; what is longer has it on the next line. */
#define EXPLANATION_COLUMN 28

/* The widest text: longer lines are hard to read. */
#define TEXT_WIDTH_MAX 100

/* ---- Text ---------------------------------------------------------------------------------------------- */

static size_t text_width(FILE *stream) {
    const size_t width = terminal_width(stream);
    return width < TEXT_WIDTH_MAX ? width : TEXT_WIDTH_MAX;
}

/* Prints words from `column` on, broken into lines that begin there. */
static void put_wrapped(FILE *stream, const char *text, size_t column) {
    const size_t width = text_width(stream);
    size_t at = column;
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        if (at > column && at + 1 + length > width) {
            (void)fprintf(stream, "\n%*s", (int)column, "");
            at = column;
        }
        at += (at > column) + length;
        (void)fprintf(stream, "%.*s", (int)length, text);
        text += length + strspn(text + length, " ");
        if (*text != '\0' && at + 1 + strcspn(text, " ") <= width) (void)fputc(' ', stream);
    }
    (void)fputc('\n', stream);
}

/* What is explained, and its explanation beside it or below. */
static void put_row(FILE *stream, const char *left, size_t column, const char *explanation) {
    const int used = fprintf(stream, "  %s", left);
    if (used < 0) return;
    if ((size_t)used + 1 > column)
        (void)fprintf(stream, "\n%*s", (int)column, "");
    else
        (void)fprintf(stream, "%*s", (int)(column - (size_t)used), "");
    put_wrapped(stream, explanation, column);
}

static void put_heading(FILE *stream, const char *title) {
    const bool bold = terminal_has_colors(stream);
    (void)fprintf(stream, "\n%s%s:%s\n", bold ? "\033[1m" : "", title, bold ? "\033[0m" : "");
}

/* ---- Commands ------------------------------------------------------------------------------------------ */

const struct exit_meaning *help_exit_status(size_t index) {
    static const struct exit_meaning statuses[] = {
        {"0", "done"},
        {"1", "the deadline is not met"},
        {"2", "wrong usage or input"},
        {"3", "needed information is unknown"},
        {"4", "a limit was reached, the run was interrupted, or results contradict each other"}};
    return index < sizeof statuses / sizeof *statuses ? &statuses[index] : NULL;
}

void help_print(FILE *stream) {
    const struct command *command;
    (void)fprintf(stream, "usage: warpbound COMMAND [OPTIONS]\n");
    put_heading(stream, "commands");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        put_row(stream, command->name, 14, command->summary);
    (void)fputc('\n', stream);
    put_wrapped(
        stream,
        "warpbound help COMMAND prints the options of a command. FILE may be -: standard input or "
        "standard output. FILE.ptx may as well be a cubin or a program (executable, .so, .o, .a, .fatbin).",
        0);
    (void)fputc('\n', stream);
    put_wrapped(stream,
                "warpbound completion SHELL prints a completion script for bash, zsh or fish; warpbound "
                "manual [COMMAND] prints a manual page, for `man -l -`.",
                0);
    put_heading(stream, "exit status");
    const struct exit_meaning *status;
    for (size_t i = 0; (status = help_exit_status(i)) != NULL; i++)
        put_row(stream, status->status, 14, status->meaning);
}

/* ---- Options ------------------------------------------------------------------------------------------- */

/* "-k, --kernel NAME" */
static void put_usage(const struct option_row *row, char *left, size_t size) {
    char letter[8] = "    ";
    if (row->letter != 0) (void)snprintf(letter, sizeof letter, "-%c, ", row->letter);
    (void)snprintf(left, size, "%s--%s%s%s", letter, row->name, row->argument != NULL ? " " : "",
                   row->argument != NULL ? row->argument : "");
}

static void put_command_usage(const struct command *command) {
    char operands[128], usage[256];
    command_operands(command, operands, sizeof operands);
    (void)snprintf(usage, sizeof usage, "warpbound %s %s [OPTIONS]", command->name, operands);
    printf("usage: ");
    put_wrapped(stdout, usage, strlen("usage: "));
}

static void put_options(unsigned command) {
    const struct option_row *row;
    const char *heading = NULL;
    for (size_t i = 0; (row = option_at(i)) != NULL; i++) {
        if (row->kind == OPTION_HEADING) heading = row->help;
        if ((row->commands & command) == 0 || row->help == NULL) continue;
        if (heading != NULL) put_heading(stdout, heading);
        heading = NULL;
        char left[64];
        put_usage(row, left, sizeof left);
        put_row(stdout, left, EXPLANATION_COLUMN, row->help);
    }
}

const struct registry *help_registry(size_t index) {
    static const struct registry registries[] = {
        {COMMAND_ANALYZE, "methods", wb_method_name, wb_method_summary, NULL},
        {COMMAND_ANALYZE | COMMAND_SIMULATE, "policies", wb_policy_name, wb_policy_summary, NULL},
        {COMMAND_ANALYZE | COMMAND_SIMULATE, "schemes", wb_scheme_name, wb_scheme_summary, NULL},
    };
    const struct cli_wing *wing;
    if (index < sizeof registries / sizeof *registries) return &registries[index];
    index -= sizeof registries / sizeof *registries;
    for (size_t i = 0; (wing = cli_wing_at(i)) != NULL; i++)
        if (wing->registry != NULL && index-- == 0) return wing->registry;
    return NULL;
}

/* The names that are declined in this build, if there are any. */
static void put_missing(const struct registry *registry) {
    const char *name;
    bool any = false;
    for (size_t i = 0; registry->missing != NULL && (name = registry->name(i)) != NULL; i++) {
        const char *missing = registry->missing(i);
        if (missing == NULL) continue;
        if (!any) put_heading(stdout, "not in this build");
        any = true;
        char text[64];
        (void)snprintf(text, sizeof text, "needs %s, which this build lacks", missing);
        put_row(stdout, name, 17, text);
    }
}

static void put_registry(const struct registry *registry) {
    const char *name;
    size_t column = 12;
    for (size_t i = 0; (name = registry->name(i)) != NULL; i++)
        if (strlen(name) > column) column = strlen(name);
    put_heading(stdout, registry->title);
    for (size_t i = 0; (name = registry->name(i)) != NULL; i++)
        put_row(stdout, name, column + 3, registry->summary(i));
    put_missing(registry);
}

void help_print_command(const struct command *command) {
    put_command_usage(command);
    put_wrapped(stdout, command->summary, 0);
    put_options(command->bit);
    const struct registry *registry;
    for (size_t i = 0; (registry = help_registry(i)) != NULL; i++)
        if ((registry->commands & command->bit) != 0) put_registry(registry);
    put_heading(stdout, "examples");
    for (size_t i = 0; command->examples[i] != NULL; i++)
        printf("  warpbound %s\n", command->examples[i]);
    for (size_t i = 0; command->bit == COMMAND_MACHINE && machine_source_at(i) != NULL; i++)
        printf("  warpbound %s\n", machine_source_at(i)->example);
}
