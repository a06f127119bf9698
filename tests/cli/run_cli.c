#include "run_cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

char *read_stream(FILE *stream) {
    size_t capacity = 1 << 16;
    size_t length = 0;
    char *text = malloc(capacity);
    assert_non_null(text);
    size_t got;
    while ((got = fread(text + length, 1, capacity - length - 1, stream)) > 0) {
        length += got;
        if (capacity - length > 1) continue;
        capacity *= 2;
        text = realloc(text, capacity);
        assert_non_null(text);
    }
    text[length] = '\0';
    return text;
}

struct run run_shell(const char *text) {
    char err_path[] = "/tmp/warpbound_cli_XXXXXX";
    int fd = mkstemp(err_path);
    assert_true(fd >= 0);
    char command[4096];
    int length = snprintf(command, sizeof command, "WB='%s'; { %s\n} 2>%s", WB_COMMAND, text, err_path);
    assert_true(length > 0 && (size_t)length < sizeof command);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    struct run run = {.out = read_stream(out)};
    int code = pclose(out);
    run.status = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
    FILE *err = fdopen(fd, "r");
    assert_non_null(err);
    run.err = read_stream(err);
    (void)fclose(err);
    (void)unlink(err_path);
    return run;
}

struct run run_beside_folder(const char *text) {
    char command[4096];
    const int length =
        snprintf(command, sizeof command, "D=$(mktemp -d); { %s\n}; s=$?; rm -rf \"$D\"; exit $s", text);
    assert_true(length > 0 && (size_t)length < sizeof command);
    return run_shell(command);
}

void assert_contains(const char *text, const char *part) {
    if (strstr(text, part) == NULL) fail_msg("'%s' is not in:\n%s", part, text);
}

struct run run_command(const char *arguments) {
    char text[2048];
    int length = snprintf(text, sizeof text, "\"$WB\" %s", arguments);
    assert_true(length > 0 && (size_t)length < sizeof text);
    return run_shell(text);
}

void run_free(struct run *run) {
    free(run->out);
    free(run->err);
}

char *read_file(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = read_stream(file);
    (void)fclose(file);
    return text;
}

size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        count++;
    return count;
}

/* Whether standard output has what it should after a failure: nothing, or, where JSON is asked of a command
 * that has it, messages. */
static bool is_failure(const char *arguments, const char *out) {
    if (out[0] == '\0') return true;
    return strstr(arguments, "json") != NULL && strstr(out, "\"name\": \"warpbound-messages\"") != NULL;
}

/* Whether the text begins with the words, whatever its spaces are. */
static bool begins_with(const char *text, const char *words) {
    for (; *words != '\0'; words++, text++) {
        if (*words == ' ' && (*text == ' ' || *text == '\n')) {
            words += strspn(words, " ") - 1;
            text += strspn(text, " \n") - 1;
        } else if (*words != *text) {
            return false;
        }
    }
    return true;
}

bool says(const char *text, const char *words) {
    while (*text != '\0' && !begins_with(text, words))
        text++;
    return *text != '\0';
}

void check_failure(const struct failure_case *failure) {
    struct run run = run_command(failure->arguments);
    if (run.status != failure->status || strstr(run.err, failure->message) == NULL ||
        !is_failure(failure->arguments, run.out))
        fail_msg("%s: status %d, stdout '%s', stderr '%s'", failure->arguments, run.status, run.out, run.err);
    run_free(&run);
}

json_t *run_json(const char *arguments, int status) {
    struct run run = run_command(arguments);
    if (run.status != status) fail_msg("%s: status %d, stderr '%s'", arguments, run.status, run.err);
    json_error_t error;
    json_t *root = json_loads(run.out, 0, &error);
    if (root == NULL) fail_msg("%s: line %d: %s", arguments, error.line, error.text);
    run_free(&run);
    return root;
}

json_t *entry(json_t *root, const char *array, const char *key, const char *name) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(root, array), index, item) {
        if (strcmp(json_string_value(json_object_get(item, key)), name) == 0) return item;
    }
    fail_msg("no %s '%s'", key, name);
    return NULL;
}

json_int_t number(json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

void assert_string_is(json_t *object, const char *key, const char *expected) {
    json_t *value = json_object_get(object, key);
    assert_true(json_is_string(value));
    assert_string_equal(json_string_value(value), expected);
}
