/* Scripts by which shells complete command lines, from the tables of commands and options. */
#ifndef WB_CLI_COMPLETION_H
#define WB_CLI_COMPLETION_H

#include <stdio.h>

#include "command.h"

/* Prints the script for "bash", "zsh" or "fish"; false for another shell. */
bool completion_print(FILE *stream, const char *shell);

/* Lists what the script asks for, one a line: "kernels", the names of those of the files among the words of
 * the command line, or "keys", of the machine that these name, or of the usual one, each with a `=`. What
 * cannot be read has none. False for anything else. */
bool completion_list(FILE *stream, const char *asked, char *const *words, size_t count);

/* ---- What the scripts have in common ------------------------------------------------------------------- */

/* What a shell offers in one place: words, files, or both. */
struct candidates {
    const char *const *words;     /* these, NULL behind the last, or */
    const char *(*names)(size_t); /* those of a registry; NULL: none */
    const char *asked;            /* what `warpbound completion` lists when the shell asks; NULL: nothing */
    bool is_list;                 /* several of them may be given, separated by commas */
    bool is_prefix;               /* something follows each of them, as behind "mem_latency=" */
    bool folders, programs, files;
    char endings[64]; /* of the names of files, separated by spaces; "": any */
};

/* The word of that number, NULL past the end. */
const char *candidate_at(const struct candidates *candidates, size_t index);

/* Prints all words, each behind `before`. */
void put_candidates(FILE *stream, const struct candidates *candidates, const char *before);

/* What may follow an option, which takes a value. */
struct candidates candidates_of_option(const struct option_row *row);

/* What the command line may begin with beside a command: "help", "--version". */
struct first_word {
    const char *name, *summary;
    struct candidates operands;
};

/* The first words of that number; false past the end. Those with operands come first. */
bool first_word_at(size_t index, struct first_word *word);

enum { OPERAND_FORMS_MAX = 8 };

/* One form of a command's operands: what follows one of these words, which are separated by '|'; or else, of
 * all forms that begin with no such word, what stands first. */
struct operand_form {
    char verbs[64]; /* "": of the latter */
    struct candidates candidates;
};

/* Reads the forms from the usage line, which separates them by " | ": words in small letters stand for
 * themselves; behind them, or alone, FILE.ptx is a file whose name ends so, or in .cubin, DATABASE one that
 * ends in .db, FILE any, MACHINE a machine; of other words nothing is known. Forms without a verb are one
 * form, the first; how many forms there are. */
size_t operand_forms(const struct command *command, struct operand_form forms[OPERAND_FORMS_MAX]);

/* Prints the verbs of a form, each between `before` and `after`. */
void put_verbs(FILE *stream, const struct operand_form *form, const char *before, const char *after,
               const char *separator);

/* Whether the row is an option of the command that help shows. */
bool is_shown_option(const struct option_row *row, const struct command *command);

/* The scripts. */
void completion_bash(FILE *stream);
void completion_zsh(FILE *stream);
void completion_fish(FILE *stream);

#endif
