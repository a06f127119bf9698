#include "kernel_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 512

static const struct {
    const char *name;
    enum tolerance_kind kind;
} tolerances[] = {
    {"exact", TOLERANCE_EXACT}, {"unknown", TOLERANCE_UNKNOWN}, {"ulp:", TOLERANCE_ULP},
    {"abs:", TOLERANCE_ABS},    {"rel:", TOLERANCE_REL},        {"mixed:", TOLERANCE_MIXED},
};

/* Reads what stands behind the `=` of a result: a name, with an amount where the name ends in a colon. */
static bool read_tolerance(const char *text, struct kernel_result *result) {
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
        size_t length = strlen(tolerances[i].name);
        if (strncmp(text, tolerances[i].name, length) != 0) continue;
        const char *amount = text + length;
        char *end = NULL;
        result->kind = tolerances[i].kind;
        result->amount = strtod(amount, &end);
        bool has_amount = amount[-1] == ':';
        return has_amount == (end != amount) && *end == '\0';
    }
    return false;
}

/* Reads one `ARGUMENT=TOLERANCE`. */
static bool read_result(const char *text, struct kernel_case *entry) {
    if (entry->result_count == KERNEL_RESULTS_MAX) return false;
    struct kernel_result *result = &entry->results[entry->result_count++];
    char *end = NULL;
    result->argument = strtoul(text, &end, 10);
    return end != text && *end == '=' && read_tolerance(end + 1, result);
}

/* Copies a field behind a prefix; false when it is missing or too long. */
static bool copy_field(char *target, const char *prefix, const char *field) {
    if (!field) return false;
    int length = snprintf(target, KERNEL_FIELD_MAX, "%s%s", prefix, field);
    return length > 0 && length < KERNEL_FIELD_MAX;
}

/* Reads a line that is neither empty nor a comment; cuts it into its fields. */
static bool read_case(char *line, struct kernel_case *entry) {
    static const char blanks[] = " \t\n";
    char *rest = NULL;
    if (!copy_field(entry->name, "", strtok_r(line, blanks, &rest)) ||
        !copy_field(entry->ptx, "kernels/", strtok_r(NULL, blanks, &rest)) ||
        !copy_field(entry->launch, "kernels/", strtok_r(NULL, blanks, &rest)) ||
        !copy_field(entry->reference, "", strtok_r(NULL, blanks, &rest)))
        return false;
    for (char *field = strtok_r(NULL, blanks, &rest); field; field = strtok_r(NULL, blanks, &rest))
        if (!read_result(field, entry)) return false;
    return entry->result_count > 0;
}

bool kernel_index_read(struct kernel_index *index) {
    *index = (struct kernel_index){0};
    FILE *file = fopen(KERNEL_INDEX_PATH, "r");
    char line[LINE_MAX_BYTES];
    bool right = file != NULL;
    for (int number = 1; right && fgets(line, sizeof line, file); number++) {
        if (line[0] == '#' || line[strspn(line, " \t\n")] == '\0') continue;
        struct kernel_case entry = {0};
        right = read_case(line, &entry) && vec_push(&index->cases, entry) == WB_OK;
        if (!right) (void)fprintf(stderr, "%s:%d: not a case\n", KERNEL_INDEX_PATH, number);
    }
    if (file)
        (void)fclose(file);
    else
        perror(KERNEL_INDEX_PATH);
    return right;
}

void kernel_index_free(struct kernel_index *index) {
    vec_free(&index->cases);
}

void kernel_code(const struct kernel_case *entry, const char *level, unsigned architecture,
                 char path[static KERNEL_CODE_MAX]) {
    const char *name = strrchr(entry->ptx, '/') + 1;
    (void)snprintf(path, KERNEL_CODE_MAX, "kernels/cubin/%s%.*s.sm_%u.cubin", level, (int)strcspn(name, "."),
                   name, architecture);
}
