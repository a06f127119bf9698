#include <string.h>

#include "completion.h"

static const char functions[] = "_warpbound_words() {\n"
                                "  local what=$1 expl\n"
                                "  shift\n"
                                "  _wanted words expl $what compadd -- \"$@\"\n"
                                "}\n"
                                "\n"
                                "# Words that something follows.\n"
                                "_warpbound_beginnings() {\n"
                                "  local what=$1 expl\n"
                                "  shift\n"
                                "  _wanted words expl $what compadd -S '' -- \"$@\"\n"
                                "}\n"
                                "\n"
                                "# Words separated by commas.\n"
                                "_warpbound_list() {\n"
                                "  _values -s , \"$@\"\n"
                                "}\n"
                                "\n"
                                "# What the program lists, with the function $3.\n"
                                "_warpbound_asked() {\n"
                                "  local -a listed=(${(f)\"$(${~program} completion $2 "
                                "${(Q)words[1,CURRENT-1]} 2>/dev/null)\"})\n"
                                "  (( $#listed )) && _warpbound_$3 $1 $listed\n"
                                "}\n"
                                "\n"
                                "_warpbound_words_or_files() {\n"
                                "  local what=$1 pattern=$2 found=1\n"
                                "  shift 2\n"
                                "  _warpbound_words $what \"$@\" && found=0\n"
                                "  _files -g $pattern && found=0\n"
                                "  return found\n"
                                "}\n";

static const char driver[] = "_warpbound() {\n"
                             "  local curcontext=$curcontext program=$words[1] command=$words[2]\n"
                             "  if (( CURRENT == 2 )); then\n"
                             "    _warpbound_commands\n"
                             "    return\n"
                             "  fi\n"
                             "  shift words\n"
                             "  (( CURRENT-- ))\n"
                             "  _warpbound_options\n"
                             "}\n"
                             "\n"
                             "_warpbound \"$@\"\n";

/* Prints a text that stands in single quotes; brackets and colons have a meaning there. */
static void put_quoted(FILE *stream, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            (void)fputs("'\\'", stream);
        else if (strchr("[]:\\", *text) != NULL)
            (void)fputc('\\', stream);
        (void)fputc(*text, stream);
    }
}

/* ---- What finds candidates ----------------------------------------------------------------------------- */

/* Files of these endings: "*.(yaml|yml)", "*.db". One alone in parentheses would be no ending for zsh. */
static void put_pattern(FILE *stream, const char *endings) {
    const bool several = strchr(endings, ' ') != NULL;
    (void)fputs(several ? "\"*.(" : "\"*.", stream);
    for (; *endings != '\0'; endings++)
        (void)fputc(*endings == ' ' ? '|' : *endings, stream);
    (void)fputs(several ? ")\"" : "\"", stream);
}

/* One command that adds all candidates, which are called `what`; false where there are none. */
static bool put_call(FILE *stream, const struct candidates *candidates, const char *what) {
    const bool files = candidates->files || candidates->programs;
    if (candidate_at(candidates, 0) != NULL) {
        const char *function = candidates->is_list     ? "list"
                               : candidates->is_prefix ? "beginnings"
                               : files                 ? "words_or_files"
                                                       : "words";
        (void)fprintf(stream, "_warpbound_%s \"%s\"", function, what);
        if (files) (void)fputc(' ', stream);
        if (files) put_pattern(stream, candidates->endings);
        put_candidates(stream, candidates, " ");
        return true;
    }
    if (candidates->asked != NULL) {
        (void)fprintf(stream, "_warpbound_asked \"%s\" %s %s", what, candidates->asked,
                      candidates->is_prefix ? "beginnings" : "words");
        return true;
    }
    if (!files && !candidates->folders) return false;
    (void)fprintf(stream, "_files%s", candidates->folders ? " -/" : "");
    if (candidates->endings[0] != '\0') {
        (void)fputs(" -g ", stream);
        put_pattern(stream, candidates->endings);
    }
    return true;
}

/* ---- Commands and options ------------------------------------------------------------------------------ */

static void put_command(FILE *stream, const char *name, const char *summary) {
    (void)fprintf(stream, "    '%s:", name);
    put_quoted(stream, summary);
    (void)fputs("'\n", stream);
}

static void put_commands(FILE *stream) {
    const struct command *command;
    struct first_word word;
    (void)fputs("_warpbound_commands() {\n  local -a commands=(\n", stream);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        put_command(stream, command->name, command->summary);
    for (size_t i = 0; first_word_at(i, &word); i++)
        put_command(stream, word.name, word.summary);
    (void)fputs("  )\n  _describe -t commands command commands\n}\n\n", stream);
}

/* '(-k --kernel)'{-k+,--kernel=}'[kernel, by name]:NAME: ': given once, unless its values add up. */
static void put_option(FILE *stream, const struct option_row *row) {
    const bool repeated = row->kind == OPTION_LIST, value = row->argument != NULL;
    const char *equals = !value ? "" : "=", *plus = !value ? "" : "+";
    (void)fputs("      ", stream);
    if (repeated) (void)fputs("'*'", stream);
    if (!repeated && row->letter != 0) (void)fprintf(stream, "'(-%c --%s)'", row->letter, row->name);
    if (row->letter != 0)
        (void)fprintf(stream, "{-%c%s,--%s%s}'[", row->letter, plus, row->name, equals);
    else
        (void)fprintf(stream, "'--%s%s[", row->name, equals);
    put_quoted(stream, row->help);
    (void)fputc(']', stream);
    if (value) {
        const struct candidates candidates = candidates_of_option(row);
        (void)fputs(row->kind == OPTION_COUNT ? "::" : ":", stream);
        put_quoted(stream, row->argument);
        (void)fputs(": ", stream);
        (void)put_call(stream, &candidates, row->argument);
    }
    (void)fputs("'\n", stream);
}

static void put_options(FILE *stream) {
    const struct command *command;
    const struct option_row *row;
    (void)fputs("_warpbound_options() {\n  local -a options=()\n  case $command in\n", stream);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        (void)fprintf(stream, "  %s)\n    options=(\n", command->name);
        for (size_t j = 0; (row = option_at(j)) != NULL; j++)
            if (is_shown_option(row, command)) put_option(stream, row);
        (void)fputs("    ) ;;\n", stream);
    }
    (void)fputs("  esac\n  _arguments -s -S $options '*: :_warpbound_operands'\n}\n\n", stream);
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

static void put_operands_of(FILE *stream, const struct command *command) {
    struct operand_form forms[OPERAND_FORMS_MAX];
    const size_t count = operand_forms(command, forms);
    (void)fprintf(stream, "  %s)\n    case \" $words[2,CURRENT-1] \" in\n", command->name);
    for (size_t i = 1; i < count; i++) {
        (void)fputs("    ", stream);
        put_verbs(stream, &forms[i], "*\" ", " \"*", " | ");
        (void)fputs(") ", stream);
        (void)put_call(stream, &forms[i].candidates, "operand");
        (void)fputs(" ;;\n", stream);
    }
    (void)fputs("    *)\n", stream);
    if (count > 1) (void)fputs("      _warpbound_words \"what is done\"", stream);
    for (size_t i = 1; i < count; i++)
        put_verbs(stream, &forms[i], " ", "", "");
    (void)fputs(count > 1 ? "\n      " : "      ", stream);
    (void)put_call(stream, &forms[0].candidates, "operand");
    (void)fputs(" ;;\n    esac ;;\n", stream);
}

void completion_zsh(FILE *stream) {
    const struct command *command;
    struct first_word word;
    (void)fprintf(stream,
                  "#compdef warpbound\n"
                  "# zsh completion of warpbound %s, made from its tables of options\n\n%s\n",
                  wb_version(), functions);
    put_commands(stream);
    put_options(stream);
    (void)fputs("_warpbound_operands() {\n  case $command in\n", stream);
    for (size_t i = 0; first_word_at(i, &word); i++) {
        if (candidate_at(&word.operands, 0) == NULL) continue;
        (void)fprintf(stream, "  %s) ", word.name);
        (void)put_call(stream, &word.operands, "operand");
        (void)fputs(" ;;\n", stream);
    }
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        put_operands_of(stream, command);
    (void)fputs("  esac\n}\n\n", stream);
    (void)fputs(driver, stream);
}
