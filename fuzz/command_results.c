#include "command_results.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_DEADLINE_MISSED 1
#define EXIT_LAST 4

static void require(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void require(bool holds, const char *format, ...) {
    if (holds) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

/* What the bounds of one program prove. */
struct proven {
    json_int_t lower, upper; /* upper: negative where nothing is */
};

static json_int_t number_of(const json_t *object, const char *key, json_int_t otherwise) {
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text == NULL ? "" : text;
}

static void check_parts(const json_t *bound) {
    const json_t *parts = json_object_get(bound, "parts");
    json_int_t sum = 0;
    size_t i;
    json_t *part;
    if (!json_is_array(parts) || json_array_size(parts) == 0) return;
    json_array_foreach(parts, i, part) sum += number_of(part, "cycles", 0);
    require(sum == number_of(bound, "cycles", -1), "parts of %s add up to %" JSON_INTEGER_FORMAT,
            text_of(bound, "method"), sum);
}

static struct proven check_bounds(const json_t *bounds) {
    struct proven proven = {0, -1};
    size_t i;
    json_t *bound;
    json_array_foreach(bounds, i, bound) {
        const char *method = text_of(bound, "method"), *kind = text_of(bound, "kind");
        const json_int_t cycles = number_of(bound, "cycles", -1), lower = number_of(bound, "lower", 0);
        const json_int_t upper = number_of(bound, "upper", -1);
        if (cycles < 0) continue; /* a method that declined */
        if (strcmp(kind, "estimate") == 0 || strcmp(kind, "lower") == 0)
            require(upper < 0, "%s is a %s and has an upper end", method, kind);
        if (strcmp(kind, "exact") == 0 || strcmp(kind, "upper") == 0)
            require(upper == cycles, "%s is %s and its upper end another number", method, kind);
        if (strcmp(kind, "exact") == 0) require(lower == upper, "%s is exact and an interval", method);
        if (upper >= 0 && (proven.upper < 0 || upper < proven.upper)) proven.upper = upper;
        if (strcmp(kind, "estimate") != 0 && lower > proven.lower) proven.lower = lower;
        check_parts(bound);
    }
    require(proven.upper < 0 || proven.lower <= proven.upper,
            "lower %" JSON_INTEGER_FORMAT " > upper %" JSON_INTEGER_FORMAT, proven.lower, proven.upper);
    return proven;
}

static void check_simulations(const json_t *simulations, const struct proven *proven) {
    size_t i;
    json_t *simulation;
    json_array_foreach(simulations, i, simulation) {
        const json_int_t cycles = number_of(simulation, "cycles", 0);
        if (proven->upper >= 0 && json_is_true(json_object_get(simulation, "work_conserving")))
            require(cycles <= proven->upper, "%s %" JSON_INTEGER_FORMAT " > upper %" JSON_INTEGER_FORMAT,
                    text_of(simulation, "policy"), cycles, proven->upper);
    }
}

/* An object with bounds and simulations of one program, and those in it. */
static void check_results(json_t *value) {
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_array(value)) {
        json_array_foreach(value, i, member) check_results(member);
        return;
    }
    if (!json_is_object(value)) return;
    const json_t *bounds = json_object_get(value, "bounds");
    if (json_is_array(bounds)) {
        const struct proven proven = check_bounds(bounds);
        check_simulations(json_object_get(value, "simulations"), &proven);
        /* Of covering paths: the data that the launch gives is part of all data. */
        check_simulations(json_object_get(json_object_get(value, "given"), "simulations"), &proven);
    }
    json_object_foreach(value, key, member) check_results(member);
}

void require_command_results(const char *command, int status, const char *output, const char *messages) {
    require(status >= 0 && status <= EXIT_LAST, "%s: exit status %d", command, status);
    require(status == 0 || status == EXIT_DEADLINE_MISSED || messages[0] != '\0',
            "%s: exit status %d without a message", command, status);
    require(status != EXIT_DEADLINE_MISSED || strcmp(command, "analyze") == 0, "%s: exit status %d", command,
            status);
    if (output[0] != '{') return;
    json_error_t error;
    json_t *root = json_loads(output, JSON_REJECT_DUPLICATES, &error);
    /* The graph of `cfg --format dot` and PTX in braces are not JSON: only what says its version is. */
    if (root == NULL) {
        require(strncmp(output, "{\n  \"warpbound\"", 15) != 0, "%s: broken JSON, line %d: %s", command,
                error.line, error.text);
        return;
    }
    check_results(root);
    json_decref(root);
}
