#include <string.h>

#include "completion.h"

static const char functions[] =
    "# Whether the command is this one; and whether one of the words behind it is in front of the cursor.\n"
    "function __warpbound_command\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
    "end\n"
    "\n"
    "function __warpbound_verb\n"
    "    set -l words (commandline -opc)\n"
    "    for word in $words[3..]\n"
    "        contains -- $word $argv; and return\n"
    "    end\n"
    "    return 1\n"
    "end\n"
    "\n"
    "function __warpbound_no_command\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n"
    "\n"
    "# Words separated by commas.\n"
    "function __warpbound_list\n"
    "    set -l given (commandline -ct | string replace -r -- '^--[^=]*=' '' | string replace -r '[^,]*$' "
    "'')\n"
    "    printf '%s\\n' $given$argv\n"
    "end\n"
    "\n"
    "# What the program lists.\n"
    "function __warpbound_asked\n"
    "    set -l words (commandline -opc)\n"
    "    $words[1] completion $argv[1] $words[2..] 2>/dev/null\n"
    "end\n"
    "\n"
    "# Files with these endings first.\n"
    "function __warpbound_files\n"
    "    for ending in $argv\n"
    "        __fish_complete_suffix $ending\n"
    "    end\n"
    "end\n"
    "\n"
    "complete -c warpbound -f\n";

/* Prints a text in single quotes. */
static void put_quoted(FILE *stream, const char *text) {
    (void)fputc('\'', stream);
    for (; *text != '\0'; text++) {
        if (strchr("'\\", *text) != NULL) (void)fputc('\\', stream);
        (void)fputc(*text, stream);
    }
    (void)fputc('\'', stream);
}

/* The arguments of `complete` that offer the candidates. */
static void put_arguments(FILE *stream, const struct candidates *candidates) {
    const bool words = candidate_at(candidates, 0) != NULL, files = candidates->endings[0] != '\0';
    if (candidates->files && !files) (void)fputs(" -F", stream);
    if (!words && !files && !candidates->folders && !candidates->programs && candidates->asked == NULL)
        return;
    (void)fputs(" -k -a '", stream);
    if (candidates->is_list) (void)fputs("(__warpbound_list", stream);
    put_candidates(stream, candidates, " ");
    if (candidates->is_list) (void)fputc(')', stream);
    if (candidates->asked != NULL) (void)fprintf(stream, "(__warpbound_asked %s)", candidates->asked);
    if (candidates->folders) (void)fputs(" (__fish_complete_directories)", stream);
    if (candidates->programs) (void)fputs(" (__fish_complete_command)", stream);
    if (files) (void)fputs(" (__warpbound_files", stream);
    for (const char *c = candidates->endings; *c != '\0'; c += strcspn(c, " "), c += *c == ' ')
        (void)fprintf(stream, " .%.*s", (int)strcspn(c, " "), c);
    (void)fputs(files ? ")'" : "'", stream);
}

static void put_option(FILE *stream, const struct command *command, const struct option_row *row) {
    (void)fprintf(stream, "complete -c warpbound -n '__warpbound_command %s'", command->name);
    if (row->letter != 0) (void)fprintf(stream, " -s %c", row->letter);
    (void)fprintf(stream, " -l %s", row->name);
    if (row->argument != NULL && row->kind != OPTION_COUNT) {
        const struct candidates candidates = candidates_of_option(row);
        (void)fputs(candidates.files && candidates.endings[0] == '\0' ? " -r" : " -x", stream);
        put_arguments(stream, &candidates);
    }
    (void)fputs(" -d ", stream);
    put_quoted(stream, row->help);
    (void)fputc('\n', stream);
}

/* Where words of forms stand in front, or none: "warpbound sweep", "warpbound sweep show". */
static void put_place(FILE *stream, const struct command *command, const char *negation,
                      const struct operand_form *forms, size_t count) {
    (void)fprintf(stream, "complete -c warpbound -n '__warpbound_command %s", command->name);
    if (count > 0) (void)fprintf(stream, "; and %s__warpbound_verb", negation);
    for (size_t i = 0; i < count; i++)
        put_verbs(stream, &forms[i], " ", "", "");
    (void)fputc('\'', stream);
}

static void put_operands(FILE *stream, const struct command *command) {
    struct operand_form forms[OPERAND_FORMS_MAX];
    const size_t count = operand_forms(command, forms);
    put_place(stream, command, "not ", forms + 1, count - 1);
    put_arguments(stream, &forms[0].candidates);
    (void)fputc('\n', stream);
    if (count == 1) return;
    put_place(stream, command, "not ", forms + 1, count - 1);
    (void)fputs(" -a '", stream);
    for (size_t i = 1; i < count; i++)
        put_verbs(stream, &forms[i], " ", "", "");
    (void)fputs("'\n", stream);
    for (size_t i = 1; i < count; i++) {
        put_place(stream, command, "", &forms[i], 1);
        put_arguments(stream, &forms[i].candidates);
        (void)fputc('\n', stream);
    }
}

static void put_command(FILE *stream, const char *name, const char *summary) {
    (void)fprintf(stream, "complete -c warpbound -n __warpbound_no_command -a %s -d ", name);
    put_quoted(stream, summary);
    (void)fputc('\n', stream);
}

void completion_fish(FILE *stream) {
    const struct command *command;
    const struct option_row *row;
    struct first_word word;
    (void)fprintf(stream, "# fish completion of warpbound %s, made from its tables of options\n\n%s\n",
                  wb_version(), functions);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        put_command(stream, command->name, command->summary);
    for (size_t i = 0; first_word_at(i, &word); i++) {
        put_command(stream, word.name, word.summary);
        if (candidate_at(&word.operands, 0) == NULL) continue;
        (void)fprintf(stream, "complete -c warpbound -n '__warpbound_command %s'", word.name);
        put_arguments(stream, &word.operands);
        (void)fputc('\n', stream);
    }
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        put_operands(stream, command);
        for (size_t j = 0; (row = option_at(j)) != NULL; j++)
            if (is_shown_option(row, command)) put_option(stream, command, row);
    }
}
