#include "manual.h"

#include <string.h>

#include "help.h"
#include "wing.h"

/* ---- Text for troff ------------------------------------------------------------------------------------ */

/* Prints one character as itself; how many bytes that takes. */
static size_t put_character(FILE *stream, char c) {
    static const char *const escapes[] = {"\\\\e", "-\\-", "'\\(aq", "`\\(ga", "~\\(ti", "^\\(ha", "\"\\(dq"};
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        if (escapes[i][0] != c) continue;
        (void)fputs(escapes[i] + 1, stream);
        return strlen(escapes[i] + 1);
    }
    (void)fputc(c, stream);
    return 1;
}

/* Lines are broken between words before this column. */
#define TROFF_COLUMN 64

/* Prints `length` bytes of a text: what stands in backticks in bold. A line that begins with a dot would be a
 * request. */
static void put_part(FILE *stream, const char *text, size_t length) {
    bool bold = false, begins = true;
    for (size_t i = 0, column = 0; i < length; i++) {
        if (begins && text[i] == '.') (void)fputs("\\&", stream);
        begins = text[i] == ' ' && column + strcspn(text + i + 1, " \n") > TROFF_COLUMN;
        if (begins) {
            (void)fputc('\n', stream);
            column = 0;
        } else if (text[i] == '`') {
            bold = !bold;
            (void)fputs(bold ? "\\fB" : "\\fR", stream);
        } else {
            column += put_character(stream, text[i]);
        }
    }
}

static void put_text(FILE *stream, const char *text) {
    put_part(stream, text, strlen(text));
}

/* A paragraph for each line. */
static void put_paragraphs(FILE *stream, const char *text) {
    for (bool first = true; *text != '\0'; first = false) {
        const size_t length = strcspn(text, "\n");
        if (!first) (void)fputs(".PP\n", stream);
        put_part(stream, text, length);
        (void)fputc('\n', stream);
        text += length + (text[length] == '\n');
    }
}

static void put_section(FILE *stream, const char *title) {
    (void)fprintf(stream, ".SH %s\n", title);
}

/* A word, such as the name of a method, and what it is. */
static void put_definition(FILE *stream, const char *word, const char *text) {
    (void)fputs(".TP\n.B ", stream);
    put_text(stream, word);
    (void)fputc('\n', stream);
    put_text(stream, text);
    (void)fputc('\n', stream);
}

/* A line with the name of a page of section 1. */
static void put_reference(FILE *stream, const char *name, const char *behind) {
    (void)fputs(".BR ", stream);
    put_text(stream, name);
    (void)fprintf(stream, " (1)%s\n", behind);
}

/* ---- Parts of pages ------------------------------------------------------------------------------------ */

static void put_capitals(FILE *stream, const char *text) {
    for (; *text != '\0'; text++)
        (void)fputc(*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text, stream);
}

/* There is no date: the page is that of a version, whenever it was made. */
static void put_title(FILE *stream, const char *command, const char *summary) {
    (void)fprintf(stream, ".TH WARPBOUND");
    if (command[0] != '\0') (void)fputs("\\-", stream);
    put_capitals(stream, command);
    (void)fprintf(stream, " 1 \"\" \"warpbound %s\" \"Warpbound\"\n.SH NAME\nwarpbound%s%s \\- ",
                  wb_version(), command[0] != '\0' ? "\\-" : "", command);
    put_text(stream, summary);
    (void)fputc('\n', stream);
}

/* Each form of the usage line is a line; what is written as it stands is bold. */
static void put_synopsis(FILE *stream, const struct command *command) {
    char line[256], *rest = NULL;
    command_operands(command, line, sizeof line);
    put_section(stream, "SYNOPSIS");
    (void)fprintf(stream, "\\fBwarpbound %s\\fR", command->name);
    for (char *word = strtok_r(line, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "|") == 0) {
            (void)fprintf(stream, " [\\fIOPTIONS\\fR]\n.br\n\\fBwarpbound %s\\fR", command->name);
            continue;
        }
        const bool verb = word[strspn(word, "abcdefghijklmnopqrstuvwxyz|")] == '\0';
        (void)fputs(verb ? " \\fB" : " \\fI", stream);
        put_text(stream, word);
        (void)fputs("\\fR", stream);
    }
    (void)fputs(" [\\fIOPTIONS\\fR]\n", stream);
}

/* "-k, --kernel NAME", and what it does. */
static void put_option(FILE *stream, const struct option_row *row) {
    (void)fputs(".TP\n", stream);
    if (row->letter != 0) (void)fprintf(stream, "\\fB\\-%c\\fR, ", row->letter);
    (void)fputs("\\fB\\-\\-", stream);
    put_text(stream, row->name);
    (void)fputs("\\fR", stream);
    if (row->argument != NULL) {
        (void)fputs(" \\fI", stream);
        put_text(stream, row->argument);
        (void)fputs("\\fR", stream);
    }
    (void)fputc('\n', stream);
    put_text(stream, row->help);
    (void)fputc('\n', stream);
}

static void put_options(FILE *stream, const struct command *command) {
    const struct option_row *row;
    const char *heading = NULL;
    put_section(stream, "OPTIONS");
    for (size_t i = 0; (row = option_at(i)) != NULL; i++) {
        if (row->kind == OPTION_HEADING) heading = row->help;
        if ((row->commands & command->bit) == 0 || row->help == NULL) continue;
        if (heading != NULL) (void)fprintf(stream, ".SS %s\n", heading);
        heading = NULL;
        put_option(stream, row);
    }
}

/* Names that options of a command take, each with what it is. */
static void put_registries(FILE *stream, const struct command *command) {
    const struct registry *registry;
    const char *name;
    for (size_t i = 0; (registry = help_registry(i)) != NULL; i++) {
        if ((registry->commands & command->bit) == 0) continue;
        (void)fputs(".SH ", stream);
        put_capitals(stream, registry->title);
        (void)fputc('\n', stream);
        for (size_t j = 0; (name = registry->name(j)) != NULL; j++)
            put_definition(stream, name, registry->summary(j));
    }
}

static void put_statuses(FILE *stream) {
    const struct exit_meaning *status;
    put_section(stream, "EXIT STATUS");
    for (size_t i = 0; (status = help_exit_status(i)) != NULL; i++)
        put_definition(stream, status->status, status->meaning);
}

/* A line of an example is not broken. */
static void put_example(FILE *stream, const char *arguments) {
    (void)fputs("warpbound ", stream);
    for (const char *c = arguments; *c != '\0'; c++)
        (void)put_character(stream, *c);
    (void)fputc('\n', stream);
}

static void put_examples(FILE *stream, const struct command *command) {
    put_section(stream, "EXAMPLES");
    (void)fputs(".EX\n", stream);
    for (size_t i = 0; command->examples[i] != NULL; i++)
        put_example(stream, command->examples[i]);
    for (size_t i = 0; command->bit == COMMAND_MACHINE && machine_source_at(i) != NULL; i++)
        put_example(stream, machine_source_at(i)->example);
    (void)fputs(".EE\n", stream);
}

static const char general_text[] =
    "Bounds the worst-case execution time of GPU kernels. It reads PTX or machine code, a "
    "launch "
    "(grid, block, arguments) and the description of a machine, and needs no GPU and no CUDA. "
    "Every number says what it is: exact, a proven upper bound, an execution that was found, a "
    "simulation, or an estimate that is proven by nothing.\n"
    "A FILE may be `-`: standard input where it is read, standard output where it is written. "
    "Where FILE.ptx is expected, a cubin (machine code) and a program that holds either do, too: an "
    "executable, a library, an object file, a fat binary. Options may stand before and "
    "behind files; behind `--` everything is a file.";

/* ---- Pages --------------------------------------------------------------------------------------------- */

static void put_name(char name[64], const struct command *command) {
    (void)snprintf(name, 64, "warpbound-%s", command->name);
}

static void put_command_page(FILE *stream, const struct command *command) {
    put_title(stream, command->name, command->summary);
    put_synopsis(stream, command);
    put_section(stream, "DESCRIPTION");
    put_paragraphs(stream, command->manual);
    for (size_t i = 0; command->bit == COMMAND_MACHINE && machine_source_at(i) != NULL; i++)
        put_paragraphs(stream, machine_source_at(i)->manual);
    put_options(stream, command);
    put_registries(stream, command);
    put_statuses(stream);
    put_examples(stream, command);
    put_section(stream, "SEE ALSO");
    put_reference(stream, "warpbound", "");
}

static void put_environment(FILE *stream) {
    put_section(stream, "ENVIRONMENT");
    put_definition(stream, "NO_COLOR",
                   "if set and not empty, output has no colours unless `--color` requests them");
    put_definition(stream, "PATH, CUDA_HOME, CUDA_PATH", "where `machine calibrate` looks for ptxas");
    put_definition(stream, "TMPDIR", "where it writes the kernels that ptxas assembles");
}

static void put_main_page(FILE *stream) {
    const struct command *command;
    char name[64];
    put_title(stream, "", "bounds on the worst-case execution time of GPU kernels");
    put_section(stream, "SYNOPSIS");
    (void)fputs("\\fBwarpbound\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
                ".br\n\\fBwarpbound help\\fR [\\fICOMMAND\\fR]\n"
                ".br\n\\fBwarpbound manual\\fR [\\fICOMMAND\\fR] | \\fBman \\-l \\-\\fR\n"
                ".br\n\\fBwarpbound completion bash\\fR|\\fBzsh\\fR|\\fBfish\\fR\n"
                ".br\n\\fBwarpbound \\-\\-version\\fR\n",
                stream);
    put_section(stream, "DESCRIPTION");
    put_paragraphs(stream, general_text);
    put_section(stream, "COMMANDS");
    (void)fputs("Each has a page of its own.\n", stream);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        put_name(name, command);
        (void)fputs(".TP\n", stream);
        put_reference(stream, name, "");
        put_text(stream, command->summary);
        (void)fputc('\n', stream);
    }
    put_statuses(stream);
    put_environment(stream);
    put_section(stream, "EXAMPLES");
    (void)fputs(".EX\n", stream);
    put_example(stream, "init kernel.ptx");
    put_example(stream, "analyze kernel.cubin -l kernel.yaml -m rtx-a6000 --deadline 100us");
    (void)fputs(".EE\n", stream);
    put_section(stream, "SEE ALSO");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        put_name(name, command);
        put_reference(stream, name, ",");
    }
    put_reference(stream, "warpbound-check", ",");
    (void)fputs(".BR libwarpbound (3)\n", stream);
}

void manual_print(FILE *stream, const struct command *command) {
    if (command != NULL)
        put_command_page(stream, command);
    else
        put_main_page(stream);
}
