/* Runs the command as a user does, for tests; what goes wrong fails the test. */
#ifndef TEST_RUN_CLI_H
#define TEST_RUN_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a run left behind; freed with run_free. */
struct run {
    int status;
    char *out, *err;
};

/* Runs a shell's text, in which $WB stands for the command. */
struct run run_shell(const char *text);

/* The same where $D stands for a folder that is gone afterwards. */
struct run run_beside_folder(const char *text);

void assert_contains(const char *text, const char *part);

/* Runs `warpbound ARGUMENTS`. */
struct run run_command(const char *arguments);
void run_free(struct run *run);

/* Runs `warpbound ARGUMENTS`, which must end with this status and print JSON; freed with json_decref. */
json_t *run_json(const char *arguments, int status);

/* Whole contents of a stream that ended, malloc'd. */
char *read_stream(FILE *stream);

/* Whole contents of a file, malloc'd. */
char *read_file(const char *path);

/* How often `part` stands in the text. */
size_t count_of(const char *text, const char *part);

/* Whether the text says this, wherever its lines are broken: as many spaces and line breaks as there are
 * count as one space. */
bool says(const char *text, const char *words);

struct failure_case {
    const char *arguments;
    int status;
    const char *message; /* in what goes to stderr */
};

/* The run must fail like this and print nothing to standard output, but where JSON is asked for its messages.
 */
void check_failure(const struct failure_case *failure);

/* The entry of array `array` whose `key` is `name`. */
json_t *entry(json_t *root, const char *array, const char *key, const char *name);

/* The whole number that a key has. */
json_int_t number(json_t *object, const char *key);

void assert_string_is(json_t *object, const char *key, const char *expected);

#endif
