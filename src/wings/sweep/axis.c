#include "wings/sweep/sweep.h"

#include <string.h>

#include "base/wing.h"
#include "warpbound.h"

static const char *const input_words[] = {"given", "any", NULL};
static const char *const memory_words[] = {"ideal", "requests", NULL};
static const char *const scope_words[] = {"kernel", "block", NULL};

#define BOTH (AXIS_ANALYZE | AXIS_SIMULATE)

static const struct axis_row rows[] = {
    {.key = "code", .kind = AXIS_CODE, .commands = AXIS_ANALYZE, .command = "analyze", .of_code = true},
    {.key = "simulate", .kind = AXIS_CODE, .commands = AXIS_SIMULATE, .command = "simulate", .of_code = true},
    {.key = "launch", .option = "launch", .kind = AXIS_FILE, .commands = BOTH},
    {.key = "image", .option = "image", .kind = AXIS_TEXT, .commands = BOTH},
    {.key = "kernel", .option = "kernel", .kind = AXIS_TEXT, .commands = BOTH},
    {.key = "grid", .option = "grid", .kind = AXIS_DIMENSIONS, .unit = "blocks", .commands = BOTH},
    {.key = "block", .option = "block", .kind = AXIS_DIMENSIONS, .unit = "threads", .commands = BOTH},
    {.key = "shared", .option = "shared", .kind = AXIS_NUMBER, .unit = "bytes per block", .commands = BOTH},
    {.key = "registers", .option = "registers", .kind = AXIS_NUMBER, .unit = "per thread", .commands = BOTH},
    {.key = "arguments", .option = "argument", .kind = AXIS_ARGUMENTS, .commands = BOTH},
    {.key = "arguments.", .option = "argument", .kind = AXIS_ARGUMENT, .commands = BOTH},
    {.key = "ptxas_info", .option = "ptxas-info", .kind = AXIS_FILE, .commands = BOTH},
    {.key = "facts", .option = "facts", .kind = AXIS_FILE, .commands = AXIS_ANALYZE},
    {.key = "cubin", .option = "cubin", .kind = AXIS_FILE, .commands = AXIS_ANALYZE},
    {.key = "inputs", .option = "inputs", .kind = AXIS_WORD, .words = input_words, .commands = AXIS_ANALYZE},
    {.key = "assume",
     .option = "assume",
     .kind = AXIS_NAMES,
     .joined = true,
     .names = wb_taken_name_at,
     .commands = BOTH},
    {.key = "block_index", .option = "block-index", .kind = AXIS_DIMENSIONS, .commands = BOTH},
    {.key = "machine", .option = "machine", .kind = AXIS_MACHINE, .commands = BOTH},
    {.key = "memory", .option = "memory", .kind = AXIS_WORD, .words = memory_words, .commands = BOTH},
    {.key = "methods",
     .option = "method",
     .kind = AXIS_NAMES,
     .joined = true,
     .names = wb_method_word,
     .commands = AXIS_ANALYZE},
    {.key = "policies",
     .option = "policy",
     .kind = AXIS_NAMES,
     .joined = true,
     .names = wb_policy_name,
     .commands = BOTH},
    {.key = "scheme", .option = "scheme", .kind = AXIS_NAMES, .names = wb_scheme_name, .commands = BOTH},
    {.key = "deadline", .option = "deadline", .kind = AXIS_TEXT, .commands = AXIS_ANALYZE},
    {.key = "accept",
     .option = "accept",
     .kind = AXIS_NAMES,
     .joined = true,
     .names = wb_accept_name_at,
     .commands = AXIS_ANALYZE},
    {.key = "scope", .option = "scope", .kind = AXIS_WORD, .words = scope_words, .commands = AXIS_ANALYZE},
    {.key = "states", .option = "states", .kind = AXIS_NUMBER, .commands = AXIS_ANALYZE},
    {.key = "instruction_limit", .option = "instruction-limit", .kind = AXIS_NUMBER, .commands = BOTH},
};

/* Keys of the machine: the last row, behind those of wings. */
static const struct axis_row setting_row = {.option = "set", .kind = AXIS_SETTING, .commands = BOTH};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

const struct axis_row *axis_at(size_t index) {
    if (index < ROW_COUNT) return &rows[index];
    index -= ROW_COUNT;
    const struct wing *wing;
    for (size_t i = 0; (wing = wing_at(i)) != NULL; index -= wing->axis_count, i++)
        if (index < wing->axis_count) return &wing->axes[index];
    return index == 0 ? &setting_row : NULL;
}

static bool is_of(const struct axis_row *row, const char *name) {
    const size_t length = strlen(row->key);
    if (row->key[length - 1] == '.') return strncmp(row->key, name, length) == 0 && name[length] != '\0';
    return strcmp(row->key, name) == 0;
}

static size_t rank(const char *name) {
    size_t row = 0;
    while (axis_at(row)->key != NULL && !is_of(axis_at(row), name))
        row++;
    return row;
}

const struct axis_row *axis_of_kind(enum axis_kind kind) {
    size_t row = 0;
    while (axis_at(row)->kind != kind)
        row++;
    return axis_at(row);
}

const struct axis_row *axis_named(const char *key) {
    const struct axis_row *row = axis_at(rank(key));
    return row->key != NULL ? row : NULL;
}

/* Units of keys of the machine, by how their names end. */
static const struct {
    const char *ending, *unit;
} units[] = {{"latency", "cycles"},  {"init", "cycles"},    {"_cycles", "cycles"},
             {"overhead", "cycles"}, {"release", "cycles"}, {"clock_mhz", "MHz"},
             {"_bytes", "bytes"},    {"_size", "bytes"},    {"registers", "registers of an SM"}};

const char *axis_unit(const char *name) {
    const struct axis_row *row = axis_named(name);
    const size_t length = strlen(name);
    if (row != NULL) return row->unit;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t ending = strlen(units[i].ending);
        if (length >= ending && strcmp(name + length - ending, units[i].ending) == 0) return units[i].unit;
    }
    return NULL;
}

int axis_compare(const char *a, const char *b) {
    const size_t of_a = rank(a), of_b = rank(b);
    if (of_a != of_b) return of_a < of_b ? -1 : 1;
    return strcmp(a, b);
}
