/* What shells offer while a command line is written, from the tables of commands and options. */
#ifndef WB_CLI_COMPLETION_H
#define WB_CLI_COMPLETION_H

#include <stdio.h>

#include "command.h"

/* The scripts of shells, which are named after them; a NULL name ends them. */
struct embedded_file {
    const char *name, *text;
    size_t size;
};

extern const struct embedded_file completion_scripts[];

/* Prints the script for "bash", "zsh" or "fish"; false for another shell. */
bool completion_print(FILE *stream, const char *shell);

/* Prints what the last of the words of a command line, behind the program's name, may become: a line for
 * each candidate, with what it means behind a tab if that is known. Candidates do not have to begin like the
 * word: shells choose. Other lines tell the shell what to do:
 *   :file *.yaml  offer files with such names, and folders
 *   :folders      offer folders
 *   :programs     offer programs
 *   :nospace      put no space behind a candidate
 * If the word is --option=VALUE or -oVALUE the shell offers files for VALUE. */
void completion_offer(FILE *stream, char *const *words, size_t count);

#endif
