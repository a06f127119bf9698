#include "wings/sweep/sweep.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

/* Longest part of a wrong value in a message. */
#define SHOWN_MAX 60

/* The values of one axis, being read. */
struct value_reader {
    wb_sweep *sweep;
    struct sweep_axis *axis;
};

static wb_status add_value(const struct value_reader *reader, const struct ytree_node *node, const char *text,
                           const char *path) {
    axis_values *values = &reader->axis->values;
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->items[i].text, text) == 0) return WB_OK;
    if (values->count >= AXIS_VALUES_MAX)
        return ytree_error(&reader->sweep->document, node, "%s: more than %u values", reader->axis->name,
                           AXIS_VALUES_MAX);
    arena_push(&reader->sweep->arena, values, ((struct axis_value){text, path, node, NULL}));
    return WB_OK;
}

static wb_status expected(const struct value_reader *reader, const struct ytree_node *node,
                          const char *what) {
    return ytree_error(&reader->sweep->document, node, "%s: expected %s, got '%.*s'", reader->axis->name,
                       what, SHOWN_MAX, node->text);
}

/* ---- Ranges
 * ------------------------------------------------------------------------------------------------ */

/* "50..800 step 50" or "32..1024 times 2"; numbers with a point count in units of 10^-scale. */
struct range {
    uint64_t from, to, by;
    uint32_t scale;
    bool times;
};

/* A word of the text, behind spaces; its length. */
static size_t next_word(const char **text) {
    *text += strspn(*text, " ");
    return strcspn(*text, " ");
}

static bool is_word(const char *text, size_t length, const char *word) {
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

/* Whether a text means a range: two words behind another, the first `step` or `times`. */
static bool find_range(const char *text, const char *ends[3], size_t lengths[3], bool *times) {
    const char *dots = strstr(text, "..");
    ends[0] = text;
    if (dots == NULL) return false;
    lengths[0] = (size_t)(dots - text);
    ends[1] = dots + 2;
    lengths[1] = strcspn(ends[1], " ");
    const char *word = ends[1] + lengths[1];
    const size_t length = next_word(&word);
    *times = is_word(word, length, "times");
    if (!*times && !is_word(word, length, "step")) return false;
    ends[2] = word + length;
    lengths[2] = next_word(&ends[2]);
    return true;
}

/* Two numbers and what is between them, in the same units. */
static bool scale_range(const struct decimal numbers[3], struct range *range) {
    uint64_t *const targets[] = {&range->from, &range->to, &range->by};
    range->scale = 0;
    for (size_t i = 0; i < 3; i++)
        if (numbers[i].scale > range->scale) range->scale = numbers[i].scale;
    if (range->times && range->scale != 0) return false;
    for (size_t i = 0; i < 3; i++) {
        const unsigned __int128 scaled =
            (unsigned __int128)numbers[i].digits * number_power_of_ten(range->scale - numbers[i].scale);
        if (scaled > INT64_MAX) return false;
        *targets[i] = (uint64_t)scaled;
    }
    return range->from <= range->to && (range->times ? range->by >= 2 && range->from > 0 : range->by > 0);
}

static const char *scaled_text(struct arena *arena, uint64_t value, uint32_t scale) {
    struct text text = {.arena = arena};
    const uint64_t unit = (uint64_t)number_power_of_ten(scale);
    uint64_t rest = value % unit;
    text_printf(&text, "%" PRIu64, value / unit);
    for (uint64_t digit = unit / 10; rest != 0; digit /= 10) {
        if (digit == unit / 10) text_char(&text, '.');
        text_char(&text, (char)('0' + rest / digit));
        rest %= digit;
    }
    return text_take(&text);
}

static wb_status add_range(const struct value_reader *reader, const struct ytree_node *node,
                           const struct range *range) {
    wb_status status = WB_OK;
    for (uint64_t value = range->from; status == WB_OK && value <= range->to;) {
        status = add_value(reader, node, scaled_text(&reader->sweep->arena, value, range->scale), NULL);
        if (range->times && value > range->to / range->by) break; /* the next one could overflow */
        value = range->times ? value * range->by : value + range->by;
    }
    return status;
}

/* Adds the values of a range. *is_range: the text means one. */
static wb_status read_range(const struct value_reader *reader, const struct ytree_node *node,
                            bool *is_range) {
    const char *ends[3];
    size_t lengths[3];
    struct decimal numbers[3];
    struct range range;
    *is_range = find_range(node->text, ends, lengths, &range.times);
    if (!*is_range) return WB_OK;
    const char *rest = ends[2] + lengths[2];
    bool right = next_word(&rest) == 0;
    for (size_t i = 0; right && i < 3; i++)
        right = number_decimal(ends[i], lengths[i], &numbers[i]);
    if (!right || !scale_range(numbers, &range))
        return expected(reader, node,
                        range.times
                            ? "a range such as 32..1024 times 2: whole numbers, from 1 and by 2 at least"
                            : "a range such as 50..800 step 50, from the smaller number to the larger one");
    return add_range(reader, node, &range);
}

/* ---- Files
 * ------------------------------------------------------------------------------------------------- */

/* The path of a pattern, in which the folder stands for itself. */
static const char *pattern_of(const char *folder, const char *pattern, struct arena *arena) {
    struct text escaped = {.arena = arena};
    for (const char *c = folder; *c != '\0'; c++) {
        if (strchr("*?[\\", *c) != NULL) text_char(&escaped, '\\');
        text_char(&escaped, *c);
    }
    return sweep_path(text_take(&escaped), pattern, arena);
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds a file by its path in the sweep file. */
static wb_status add_file(const struct value_reader *reader, const struct ytree_node *node,
                          const char *file) {
    wb_sweep *sweep = reader->sweep;
    return add_value(reader, node, file, sweep_path(sweep->folder, file, &sweep->arena));
}

/* Adds the files that match a pattern, in the order of their bytes. */
static wb_status read_pattern(const struct value_reader *reader, const struct ytree_node *node) {
    wb_sweep *sweep = reader->sweep;
    const char *pattern = pattern_of(sweep->folder, node->text, &sweep->arena);
    const bool is_joined = node->text[0] != '/' && strcmp(sweep->folder, ".") != 0;
    globfree(&sweep->found);
    sweep->found = (glob_t){0};
    const int error = glob(pattern, GLOB_NOSORT, NULL, &sweep->found);
    if (error == GLOB_NOSPACE) arena_fail(&sweep->arena, WB_ERR_LIMIT);
    if (error != 0)
        return ytree_error(&sweep->document, node, "%s: no file matches '%.*s'", reader->axis->name,
                           SHOWN_MAX, node->text);
    qsort(sweep->found.gl_pathv, sweep->found.gl_pathc, sizeof *sweep->found.gl_pathv, compare_texts);
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < sweep->found.gl_pathc; i++) {
        const char *path = sweep->found.gl_pathv[i] + (is_joined ? strlen(sweep->folder) + 1 : 0);
        status = add_file(reader, node, arena_string(&sweep->arena, path, strlen(path)));
    }
    return status;
}

static bool is_pattern(const char *text) {
    return strpbrk(text, "*?[") != NULL;
}

static wb_status read_file(const struct value_reader *reader, const struct ytree_node *node) {
    wb_sweep *sweep = reader->sweep;
    if (is_pattern(node->text)) return read_pattern(reader, node);
    if (access(sweep_path(sweep->folder, node->text, &sweep->arena), R_OK) == 0)
        return add_file(reader, node, node->text);
    return ytree_error(&sweep->document, node,
                       "%s: cannot read '%.*s': %s (paths are relative to the folder of this file)",
                       reader->axis->name, SHOWN_MAX, node->text, strerror_l(errno, c_locale()));
}

/* The file of a problem, or else a string of instructions. */
static wb_status read_string(const struct value_reader *reader, const struct ytree_node *node) {
    const char *path = sweep_path(reader->sweep->folder, node->text, &reader->sweep->arena);
    if (is_pattern(node->text)) return read_pattern(reader, node);
    return add_value(reader, node, node->text, access(path, R_OK) == 0 ? path : NULL);
}

/* Says what was probably meant. */
static wb_status unknown_word(const struct value_reader *reader, const struct ytree_node *node,
                              const char *word, const char *const *words, size_t count) {
    const char *nearest = wb_nearest_name(word, words, count);
    return ytree_error(&reader->sweep->document, node, "%s: there is no '%.*s'%s%s%s", reader->axis->name,
                       SHOWN_MAX, word, nearest != NULL ? "; did you mean '" : "",
                       nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
}

/* A preset, or a file that is a machine. */
static wb_status read_machine(const struct value_reader *reader, const struct ytree_node *node) {
    wb_sweep *sweep = reader->sweep;
    VEC(const char *) presets = {0};
    for (size_t i = 0; i < wb_machine_preset_count(); i++) {
        const char *preset = wb_machine_preset_name(i);
        if (strcmp(preset, node->text) == 0) return add_value(reader, node, preset, preset);
        arena_push(&sweep->arena, &presets, preset);
    }
    if (is_pattern(node->text)) return read_pattern(reader, node);
    const char *path = sweep_path(sweep->folder, node->text, &sweep->arena);
    if (access(path, R_OK) != 0) return unknown_word(reader, node, node->text, presets.items, presets.count);
    if (sweep_load_machine(sweep, path) == WB_OK) return add_value(reader, node, node->text, path);
    return ytree_error(&sweep->document, node, "%s: '%.*s' is not a machine: %s", reader->axis->name,
                       SHOWN_MAX, node->text, sweep_discarded_error(sweep));
}

/* ---- Words
 * ------------------------------------------------------------------------------------------------- */

static wb_status check_word(const struct value_reader *reader, const struct ytree_node *node,
                            const char *word) {
    const struct axis_row *row = reader->axis->row;
    VEC(const char *) words = {0};
    const char *name;
    for (size_t i = 0; (name = row->words != NULL ? row->words[i] : row->names(i)) != NULL; i++)
        arena_push(&reader->sweep->arena, &words, name);
    if (row->kind == AXIS_NAMES) arena_push(&reader->sweep->arena, &words, "all");
    for (size_t i = 0; i < words.count; i++)
        if (strcmp(word, words.items[i]) == 0) return WB_OK;
    return unknown_word(reader, node, word, words.items, words.count);
}

/* Names separated by commas. */
static wb_status check_names(const struct value_reader *reader, const struct ytree_node *node) {
    struct arena *arena = &reader->sweep->arena;
    wb_status status = WB_OK;
    for (const char *at = node->text; status == WB_OK; at++) {
        const size_t length = strcspn(at, ",");
        status = check_word(reader, node, arena_string(arena, at, length));
        at += length;
        if (*at == '\0') break;
    }
    return status;
}

/* "X[,Y[,Z]]" */
static bool are_dimensions(const char *text) {
    uint64_t number;
    for (uint32_t count = 1; count <= 3; count++) {
        const size_t length = strcspn(text, ",");
        if (!number_u64(text, length, &number)) return false;
        if (text[length] == '\0') return true;
        text += length + 1;
    }
    return false;
}

static wb_status check_text(const struct value_reader *reader, const struct ytree_node *node) {
    uint64_t number;
    switch (reader->axis->row->kind) {
    case AXIS_DIMENSIONS:
        return are_dimensions(node->text) ? WB_OK
                                          : expected(reader, node, "one to three numbers, such as 16,16");
    case AXIS_NUMBER:
        return number_u64(node->text, strlen(node->text), &number) ? WB_OK
                                                                   : expected(reader, node, "a whole number");
    case AXIS_WORD: return check_word(reader, node, node->text);
    case AXIS_NAMES: return check_names(reader, node);
    default: return WB_OK;
    }
}

/* ---- Values
 * ------------------------------------------------------------------------------------------------ */

/* Files in arguments would have to be read for the checksum of the unit: launch files name them. */
static wb_status refuse_file(const struct value_reader *reader, const struct ytree_node *node) {
    return expected(reader, node, "an argument without a file, which belongs in a launch file");
}

static wb_status read_scalar(const struct value_reader *reader, const struct ytree_node *node) {
    const enum axis_kind kind = reader->axis->row->kind;
    bool is_range = false;
    if (node->kind != YTREE_SCALAR || node->text[0] == '\0')
        return ytree_expected(&reader->sweep->document, node, "a value, or a list of values");
    if (node->text[strcspn(node->text, "\n\r")] != '\0') return expected(reader, node, "a value on one line");
    if (kind == AXIS_CODE || kind == AXIS_FILE) return read_file(reader, node);
    if (kind == AXIS_MACHINE) return read_machine(reader, node);
    if (kind == AXIS_STRING) return read_string(reader, node);
    if (kind == AXIS_ARGUMENT && strchr(node->text, '@') != NULL) return refuse_file(reader, node);
    if (kind == AXIS_NUMBER || kind == AXIS_DIMENSIONS || kind == AXIS_SETTING || kind == AXIS_TEXT ||
        kind == AXIS_ARGUMENT) {
        wb_status status = read_range(reader, node, &is_range);
        if (is_range) return status;
    }
    wb_status status = check_text(reader, node);
    return status == WB_OK ? add_value(reader, node, node->text, NULL) : status;
}

/* Appends an argument to the text of all of them: in quotes where it could be taken for several. */
static void put_argument(struct text *out, const char *argument) {
    const bool is_quoted = strpbrk(argument, " \"\\") != NULL;
    if (out->length > 0) text_char(out, ' ');
    if (is_quoted) text_char(out, '"');
    for (const char *c = argument; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') text_char(out, '\\');
        text_char(out, *c);
    }
    if (is_quoted) text_char(out, '"');
}

/* All arguments of a launch, which is one value. What they are is for the unit to check. */
static wb_status read_arguments(const struct value_reader *reader, const struct ytree_node *list) {
    struct text joined = {.arena = &reader->sweep->arena};
    if (list->kind != YTREE_LIST || list->count == 0)
        return ytree_expected(&reader->sweep->document, list,
                              "a list of arguments such as [\"i32:256\"], or a mapping of single ones");
    for (const struct ytree_node *value = list->first; value != NULL; value = value->next) {
        if (value->kind != YTREE_SCALAR || value->text[0] == '\0')
            return ytree_expected(&reader->sweep->document, value, "an argument such as i32:256");
        if (value->text[strcspn(value->text, "\n\r")] != '\0')
            return expected(reader, value, "an argument on one line");
        if (strchr(value->text, '@') != NULL) return refuse_file(reader, value);
        put_argument(&joined, value->text);
    }
    return add_value(reader, list, text_take(&joined), NULL);
}

/* A list of arguments, or of such lists. */
static wb_status read_all_arguments(const struct value_reader *reader, const struct ytree_node *node) {
    const bool is_one = node->kind != YTREE_LIST || node->first->kind != YTREE_LIST;
    wb_status worst = WB_OK;
    if (is_one) return read_arguments(reader, node);
    for (const struct ytree_node *list = node->first; list != NULL; list = list->next) {
        const wb_status status = read_arguments(reader, list);
        if (status > worst) worst = status;
    }
    return worst;
}

/* The values of a list as one, separated by commas. */
static wb_status read_joined(const struct value_reader *reader, const struct ytree_node *list) {
    struct text joined = {.arena = &reader->sweep->arena};
    for (const struct ytree_node *value = list->first; value != NULL; value = value->next) {
        if (value->kind != YTREE_SCALAR || value->text[0] == '\0')
            return ytree_expected(&reader->sweep->document, value, "a name");
        wb_status status = check_names(reader, value);
        if (status != WB_OK) return status;
        text_printf(&joined, "%s%s", joined.length > 0 ? "," : "", value->text);
    }
    return add_value(reader, list, text_take(&joined), NULL);
}

/* In launch files [8, 8] is a size of two numbers. */
static wb_status refuse_repeated(const struct value_reader *reader, const struct ytree_node *value) {
    return ytree_error(&reader->sweep->document, value,
                       "%s: '%.*s' occurs twice in this list of alternatives; write a size of several "
                       "numbers as one text, such as \"16,16\"",
                       reader->axis->name, SHOWN_MAX, value->text);
}

wb_status values_read(wb_sweep *sweep, const struct ytree_node *node, struct sweep_axis *axis) {
    const struct value_reader reader = {sweep, axis};
    wb_status worst = WB_OK;
    if (node->kind != YTREE_LIST && axis->row->kind != AXIS_ARGUMENTS) return read_scalar(&reader, node);
    if (node->kind == YTREE_LIST && node->count == 0)
        return ytree_error(&sweep->document, node, "%s: the list is empty", axis->name);
    if (axis->row->kind == AXIS_ARGUMENTS) return read_all_arguments(&reader, node);
    if (axis->row->joined) return read_joined(&reader, node);
    for (const struct ytree_node *value = node->first; value != NULL; value = value->next) {
        const size_t count = axis->values.count;
        wb_status status = read_scalar(&reader, value);
        if (status == WB_OK && count == axis->values.count && axis->row->kind == AXIS_DIMENSIONS)
            status = refuse_repeated(&reader, value);
        if (status > worst) worst = status;
    }
    return worst;
}
