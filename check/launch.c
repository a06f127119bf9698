/* What a launch says of the constants: sizes of grid and block, and integers among the arguments, of the
 * launch file or of lines `of argument`. What is written in another way is not known. */
#include "cubin.h"

#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 4096

static void put(struct constants *constants, uint64_t at, uint64_t size, uint64_t value) {
    for (uint64_t i = 0; i < size && at + i < BANK_BYTES; i++, value >>= 8)
        constants->bytes[at + i] = value & 255, constants->known[at + i] = true;
}

/* NAME: TYPE:VALUE or TYPE:VALUE with an integer type; returns its bytes, or 0. */
static uint64_t integer_of(const char *text, uint64_t *value) {
    uint64_t size = 0;
    const char *colon = strstr(text, ": ");
    if (colon != NULL) text = colon + 2;
    static const char *const widths[] = {"8:", "16:", "32:", "64:"};
    if (*text == '\0' || strchr("isub", *text++) == NULL) return 0;
    for (int w = 0; w < 4; w++)
        if (strncmp(text, widths[w], strlen(widths[w])) == 0) size = (uint64_t)1 << w;
    if (size == 0) return 0;
    text = strchr(text, ':') + 1;
    const bool negative = *text == '-';
    const bool is_hex = text[negative] == '0' && text[negative + 1] == 'x';
    const char *digits = text + negative + (is_hex ? 2 : 0);
    const size_t count = strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789");
    if (count == 0 || count > 15 || digits[count] != '\0' || (*digits == '0' && count > 1 && !is_hex))
        return 0;
    *value = strtoull(digits, NULL, is_hex ? 16 : 10);
    if (negative) *value = 0 - *value;
    return size;
}

/* The next item of the list of arguments, without quotes and comment: NULL at its end. *plain: so far it is a
 * list of lines. */
static char *next_item(FILE *file, char *line, bool *plain) {
    while (fgets(line, LINE_BYTES, file) != NULL) {
        char *item = line + strspn(line, " ");
        if (strchr(line, '\n') == NULL) break; /* longer than is read */
        char *comment = strstr(item, " #");
        if (comment != NULL) *comment = '\0';
        item[strcspn(item, "\r\n")] = '\0';
        for (size_t length = strlen(item); length > 0 && item[length - 1] == ' ';)
            item[--length] = '\0';
        if (*item == '\0' || *item == '#') continue;
        if (strncmp(item, "- ", 2) != 0) {
            *plain = *plain && item == line;
            return NULL;
        }
        item += 2;
        const size_t length = strlen(item);
        if (length > 1 && (*item == '"' || *item == '\'') && item[length - 1] == *item) {
            item[length - 1] = '\0';
            item++;
        }
        return item;
    }
    *plain = *plain && feof(file);
    return NULL;
}

/* Bytes of an argument, 0 where its value is not known. */
struct argument {
    uint64_t value, size;
};

static uint64_t arguments_of_file(const char *path, struct argument *arguments) {
    char line[LINE_BYTES];
    uint64_t count = 0;
    bool plain = true, found = false;
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = strcmp(line, "arguments:\n") == 0;
    for (const char *item; found && (item = next_item(file, line, &plain)) != NULL && count < PARAMETERS_MAX;
         count++)
        arguments[count].size = integer_of(item, &arguments[count].value);
    fclose(file);
    return plain ? count : 0;
}

static uint64_t read_arguments(const struct check *check, struct argument *arguments) {
    const char *path = fact_of(check, "launch", &(uint64_t){0})->path;
    const struct fact *fact;
    uint64_t count = 0;
    for (uint64_t at = 0; (fact = fact_of(check, "argument", &at)) != NULL && count < PARAMETERS_MAX; count++)
        arguments[count].size = integer_of(fact->text, &arguments[count].value);
    return count > 0 || path == NULL ? count : arguments_of_file(path, arguments);
}

bool three_numbers(const struct check *check, const char *name, uint64_t numbers[3]) {
    const char *text = subject_of(check, name);
    for (int d = 0; d < 3; d++) {
        char *end;
        if (*text < '0' || *text > '9') return false;
        numbers[d] = strtoull(text, &end, 10);
        text = end + (*end == ' ');
    }
    return true;
}

bool read_launch(const struct check *check, const struct cubin *cubin, struct launched *launch,
                 struct constants *constants) {
    struct parameter *parameters = zeroed(check, PARAMETERS_MAX, sizeof *parameters);
    struct argument *arguments = zeroed(check, PARAMETERS_MAX, sizeof *arguments);
    uint64_t grid[3], width = 0;
    const bool given = strncmp(subject_of(check, "inputs"), "given", 5) == 0;
    const bool sized = three_numbers(check, "grid", grid) && three_numbers(check, "threads", launch->threads);
    if (sized) (void)count_of_subject(check, "threads", &width);
    for (uint64_t d = 0; sized && d < 3; d++) {
        put(constants, 4 * d, 4, launch->threads[d]);
        put(constants, 12 + 4 * d, 4, grid[d]);
    }
    const uint64_t count = read_parameters(cubin, subject_of(check, "kernel"), parameters);
    const uint64_t said = given ? read_arguments(check, arguments) : 0;
    for (uint64_t k = 0; k < count && count == said; k++)
        if (arguments[k].size == parameters[k].size)
            put(constants, parameters[k].at, arguments[k].size, arguments[k].value);
    free(parameters);
    free(arguments);
    launch->constants = constants;
    return sized && width == LANES;
}
