#include <string.h>

#include "completion.h"

/* What finds candidates for the word under the cursor, $cur. Bash takes the text of an option that contains
 * '=' for several words, unless COMP_WORDBREAKS says otherwise. */
static const char functions[] =
    "_warpbound_words()\n"
    "{\n"
    "    local word\n"
    "    for word; do\n"
    "        [[ $word == \"$cur\"* ]] && COMPREPLY+=(\"$prefix$word\")\n"
    "    done\n"
    "    return 0\n"
    "}\n"
    "\n"
    "# Words that something follows.\n"
    "_warpbound_beginnings()\n"
    "{\n"
    "    compopt -o nospace 2>/dev/null\n"
    "    _warpbound_words \"$@\"\n"
    "}\n"
    "\n"
    "# Words separated by commas: those that the list does not have yet.\n"
    "_warpbound_list()\n"
    "{\n"
    "    local word done=\n"
    "    [[ $cur == *,* ]] && done=${cur%,*},\n"
    "    for word; do\n"
    "        [[ ,$done == *\",$word,\"* ]] || _warpbound_beginnings \"$done$word\"\n"
    "    done\n"
    "}\n"
    "\n"
    "# What the program lists: $1; of the words in front of the cursor, with the function $2.\n"
    "_warpbound_asked()\n"
    "{\n"
    "    local -a listed\n"
    "    mapfile -t listed < <(\"${COMP_WORDS[0]}\" completion \"$1\" \"${COMP_WORDS[@]:1:COMP_CWORD-1}\" "
    "2>/dev/null)\n"
    "    \"_warpbound_$2\" \"${listed[@]}\"\n"
    "}\n"
    "\n"
    "_warpbound_found()\n"
    "{\n"
    "    local name\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    while IFS= read -r name; do\n"
    "        COMPREPLY+=(\"$prefix$name\")\n"
    "    done\n"
    "}\n"
    "\n"
    "_warpbound_folders()\n"
    "{\n"
    "    _warpbound_found < <(compgen -d -- \"$cur\")\n"
    "}\n"
    "\n"
    "# Files whose names end so, and folders; any where there is none.\n"
    "_warpbound_files()\n"
    "{\n"
    "    local ending\n"
    "    for ending; do\n"
    "        _warpbound_found < <(compgen -f -X \"!*.$ending\" -- \"$cur\")\n"
    "    done\n"
    "    _warpbound_folders\n"
    "    ((${#COMPREPLY[@]})) || _warpbound_found < <(compgen -f -- \"$cur\")\n"
    "}\n"
    "\n"
    "_warpbound_programs()\n"
    "{\n"
    "    _warpbound_found < <(compgen -c -- \"$cur\")\n"
    "}\n";

/* The command, and the option whose value is completed. */
static const char driver[] =
    "_warpbound()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} option= prefix=\n"
    "    COMPREPLY=()\n"
    "    ((COMP_CWORD > 1)) || command=\n"
    "    ((COMP_CWORD > 2)) && option=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur=\n"
    "    elif [[ $option == = ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    elif [[ $cur == --*=* ]]; then\n"
    "        option=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=}\n"
    "    fi\n"
    "    if [[ $option == -?* ]] && _warpbound_value \"$command\" \"$option\"; then\n"
    "        return\n"
    "    elif [[ $cur == -* && $command ]]; then\n"
    "        _warpbound_options \"$command\"\n"
    "    else\n"
    "        _warpbound_operands \"$command\" \" ${COMP_WORDS[*]:2:COMP_CWORD > 2 ? COMP_CWORD - 2 : 0} \"\n"
    "    fi\n"
    "}\n"
    "\n"
    "complete -F _warpbound warpbound\n";

/* ---- Cases --------------------------------------------------------------------------------------------- */

/* Ends a case: calls the functions above; where nothing is known, nothing is offered. */
static void put_calls(FILE *stream, const struct candidates *candidates) {
    const char *function = candidates->is_list ? "list" : candidates->is_prefix ? "beginnings" : "words";
    if (candidate_at(candidates, 0) != NULL) {
        (void)fprintf(stream, "\n            _warpbound_%s", function);
        put_candidates(stream, candidates, " ");
    }
    if (candidates->asked != NULL)
        (void)fprintf(stream, "\n            _warpbound_asked %s %s", candidates->asked, function);
    if (candidates->files) (void)fprintf(stream, "\n            _warpbound_files %s", candidates->endings);
    if (candidates->folders) (void)fputs("\n            _warpbound_folders", stream);
    if (candidates->programs) (void)fputs("\n            _warpbound_programs", stream);
    (void)fputs("\n            ;;\n", stream);
}

/* The values of a command's options. */
static void put_values(FILE *stream, const struct command *command) {
    const struct option_row *row;
    (void)fprintf(stream, "    %s)\n        case $2 in\n", command->name);
    for (size_t i = 0; (row = option_at(i)) != NULL; i++) {
        if (!is_shown_option(row, command) || row->argument == NULL || row->kind == OPTION_COUNT) continue;
        const struct candidates candidates = candidates_of_option(row);
        (void)fputs("        ", stream);
        if (row->letter != 0) (void)fprintf(stream, "-%c | ", row->letter);
        (void)fprintf(stream, "--%s)", row->name);
        put_calls(stream, &candidates);
    }
    (void)fputs("        *) return 1 ;;\n        esac ;;\n", stream);
}

static void put_options(FILE *stream, const struct command *command) {
    const struct option_row *row;
    (void)fprintf(stream, "    %s) _warpbound_words", command->name);
    for (size_t i = 0; (row = option_at(i)) != NULL; i++)
        if (is_shown_option(row, command)) (void)fprintf(stream, " --%s", row->name);
    (void)fputs(" ;;\n", stream);
}

/* What stands in front of operands, and what follows each of these words. */
static void put_operands(FILE *stream, const struct command *command) {
    struct operand_form forms[OPERAND_FORMS_MAX];
    const size_t count = operand_forms(command, forms);
    (void)fprintf(stream, "    %s)\n        case $2 in\n", command->name);
    for (size_t i = 1; i < count; i++) {
        (void)fputs("        ", stream);
        put_verbs(stream, &forms[i], "*\" ", " \"*", " | ");
        (void)fputc(')', stream);
        put_calls(stream, &forms[i].candidates);
    }
    (void)fputs("        *)", stream);
    if (count > 1) (void)fputs("\n            _warpbound_words", stream);
    for (size_t i = 1; i < count; i++)
        put_verbs(stream, &forms[i], " ", "", "");
    put_calls(stream, &forms[0].candidates);
    (void)fputs("        esac ;;\n", stream);
}

/* What stands first on a command line: commands, and what is none. */
static void put_first(FILE *stream) {
    const struct command *command;
    struct first_word word;
    (void)fputs("    \"\")\n        _warpbound_words", stream);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        (void)fprintf(stream, " %s", command->name);
    for (size_t i = 0; first_word_at(i, &word); i++)
        (void)fprintf(stream, " %s", word.name);
    (void)fputs("\n        ;;\n", stream);
    for (size_t i = 0; first_word_at(i, &word); i++) {
        if (candidate_at(&word.operands, 0) == NULL) continue;
        (void)fprintf(stream, "    %s)", word.name);
        put_calls(stream, &word.operands);
    }
}

void completion_bash(FILE *stream) {
    const struct command *command;
    (void)fprintf(stream, "# bash completion of warpbound %s, made from its tables of options\n\n%s",
                  wb_version(), functions);
    (void)fputs("\n# The value of option $2 of command $1; fails where it has none.\n"
                "_warpbound_value()\n{\n    case $1 in\n",
                stream);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        put_values(stream, command);
    (void)fputs("    *) return 1 ;;\n    esac\n}\n\n_warpbound_options()\n{\n    case $1 in\n", stream);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        put_options(stream, command);
    (void)fputs("    esac\n}\n\n"
                "# What is no option of command $1, where $2 stands in front.\n"
                "_warpbound_operands()\n{\n    case $1 in\n",
                stream);
    put_first(stream);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        put_operands(stream, command);
    (void)fputs("    esac\n}\n\n", stream);
    (void)fputs(driver, stream);
}
