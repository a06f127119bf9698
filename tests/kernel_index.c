#include "kernel_index.h"

#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES 512

static const struct {
    const char *format; /* of sscanf, with the amount */
    enum tolerance_kind kind;
} amounts[] = {
    {"ulp:%lf%n", TOLERANCE_ULP},
    {"abs:%lf%n", TOLERANCE_ABS},
    {"rel:%lf%n", TOLERANCE_REL},
    {"mixed:%lf%n", TOLERANCE_MIXED},
};

/* Reads what stands behind the `=` of a result. */
static bool read_tolerance(const char *text, struct kernel_result *result) {
    if (strcmp(text, "exact") == 0 || strcmp(text, "unknown") == 0) {
        result->kind = text[0] == 'e' ? TOLERANCE_EXACT : TOLERANCE_UNKNOWN;
        return true;
    }
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        int used = 0;
        result->kind = amounts[i].kind;
        if (sscanf(text, amounts[i].format, &result->amount, &used) == 1 && text[used] == '\0') return true;
    }
    return false;
}

/* Reads one `ARGUMENT=TOLERANCE`. */
static bool read_result(const char *text, struct kernel_case *entry) {
    if (entry->result_count == KERNEL_RESULTS_MAX) return false;
    struct kernel_result *result = &entry->results[entry->result_count++];
    int used = 0;
    return sscanf(text, "%zu=%n", &result->argument, &used) == 1 && used > 0 &&
           read_tolerance(text + used, result);
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
