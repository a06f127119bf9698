#include "wings/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/files.h"

/* ---- The sweep ----------------------------------------------------------------------------------------
 */

const char *sweep_path(const char *folder, const char *path, struct arena *arena) {
    struct text joined = {.arena = arena};
    if (path[0] != '/' && strcmp(folder, ".") != 0) text_printf(&joined, "%s/", folder);
    text_string(&joined, path);
    return text_take(&joined);
}

const struct sweep_axis *sweep_find_axis(const struct sweep_product *product, const char *name) {
    for (size_t i = 0; i < product->axes.count; i++)
        if (strcmp(product->axes.items[i].name, name) == 0) return &product->axes.items[i];
    return NULL;
}

const struct sweep_axis *sweep_subject(const struct sweep_product *product) {
    for (size_t i = 0; i < product->axes.count; i++)
        if (product->axes.items[i].row->option == NULL) return &product->axes.items[i];
    return NULL;
}

void sweep_forget_errors(wb_sweep *sweep) {
    diagnostics_clear(&sweep->discarded);
    sweep->discarded = (struct wb_diagnostics){0};
}

void sweep_unload_machine(wb_sweep *sweep) {
    wb_machine_free(sweep->machine);
    sweep->machine = NULL;
    sweep_forget_errors(sweep);
}

wb_status sweep_load_machine(wb_sweep *sweep, const char *path) {
    sweep_unload_machine(sweep);
    return wb_machine_load(path, &sweep->discarded, &sweep->machine);
}

wb_status sweep_set_machine(wb_sweep *sweep, const char *setting) {
    sweep_forget_errors(sweep);
    return wb_machine_set(sweep->machine, setting, &sweep->discarded);
}

const char *sweep_discarded_error(wb_sweep *sweep) {
    size_t length;
    const char *error = diagnostics_first_error(&sweep->discarded, &length);
    return arena_string(&sweep->arena, error, length);
}

void wb_sweep_limit_memory(wb_sweep *sweep, uint64_t bytes) {
    if (sweep->memory_limit == 0) sweep->memory_limit = bytes;
}

void wb_sweep_limit_time(wb_sweep *sweep, double seconds) {
    if (sweep->time_limit <= 0) sweep->time_limit = seconds;
}

void wb_sweep_free(wb_sweep *sweep) {
    if (sweep == NULL) return;
    ytree_free(&sweep->document);
    arena_free(&sweep->arena);
    free(sweep->text);
    free(sweep);
}

/* Longest part of an unknown key in a message. */
#define SHOWN_MAX 60

/* ---- Keys ------------------------------------------------------------------------------------------------
 */

enum key_kind {
    KEY_ABOUT,
    KEY_SET,
    KEY_INCLUDE,
    KEY_EXCLUDE,
    KEY_TIME_LIMIT,
    KEY_MEMORY_LIMIT,
    KEY_ALLOW_FILES,
    KEY_NONE
};

/* Keys beside those of the axes, by enum key_kind; those of a product alone are about and set. */
static const char *const key_names[] = {"about",      "set",          "include",    "exclude",
                                        "time_limit", "memory_limit", "allow_files"};

static enum key_kind key_of(const char *key) {
    size_t kind = 0;
    while (kind < KEY_NONE && strcmp(key_names[kind], key) != 0)
        kind++;
    return (enum key_kind)kind;
}

/* A key that there is not, with what was probably meant. */
static wb_status unknown_key(wb_sweep *sweep, const struct ytree_node *node, bool in_product) {
    VEC(const char *) keys = {0};
    for (size_t i = 0; axis_at(i)->key != NULL; i++)
        if (axis_at(i)->kind != AXIS_ARGUMENT) arena_push(&sweep->arena, &keys, axis_at(i)->key);
    for (size_t i = 0; i < KEY_NONE; i++)
        if (!in_product || i <= KEY_SET) arena_push(&sweep->arena, &keys, key_names[i]);
    const char *nearest = wb_nearest_name(node->key, keys.items, keys.count);
    if (nearest != NULL)
        return ytree_key_error(&sweep->document, node, "unknown key '%.*s'; did you mean '%s'?", SHOWN_MAX,
                               node->key, nearest);
    struct text list = {.arena = &sweep->arena};
    for (size_t i = 0; i < keys.count; i++)
        text_printf(&list, "%s%s", i > 0 ? ", " : "", keys.items[i]);
    return ytree_key_error(&sweep->document, node, "unknown key '%.*s'; expected one of: %s", SHOWN_MAX,
                           node->key, text_take(&list));
}

/* ---- Products --------------------------------------------------------------------------------------------
 */

static wb_status add_axis(wb_sweep *sweep, struct sweep_product *product, const struct axis_row *row,
                          const char *name, const struct ytree_node *node) {
    struct sweep_axis axis = {.row = row, .name = name};
    if (product->axes.count >= SWEEP_AXES_MAX)
        return ytree_key_error(&sweep->document, node, "more than %u keys in one product", SWEEP_AXES_MAX);
    wb_status status = values_read(sweep, node, &axis);
    if (status == WB_OK) arena_push(&sweep->arena, &product->axes, axis);
    return status;
}

/* `set`: keys of the machine, each an axis. */
static wb_status read_settings(wb_sweep *sweep, struct sweep_product *product,
                               const struct ytree_node *node) {
    wb_status worst =
        ytree_require(&sweep->document, node, YTREE_MAPPING, "a mapping of keys of the machine to values");
    for (const struct ytree_node *value = node->first; worst == WB_OK && value != NULL; value = value->next) {
        const bool is_axis = axis_named(value->key) != NULL;
        const wb_status status =
            is_axis ? ytree_key_error(&sweep->document, value,
                                      "set: '%s' is a key of sweeps, not of machines", value->key)
                    : add_axis(sweep, product, axis_of_kind(AXIS_SETTING), value->key, value);
        if (status > worst) worst = status;
    }
    return worst;
}

/* What the parameter of a single argument is called: "arguments.n". */
static const char *argument_name(wb_sweep *sweep, const char *name) {
    struct text text = {.arena = &sweep->arena};
    text_printf(&text, "%s%s", axis_of_kind(AXIS_ARGUMENT)->key, name);
    return text_take(&text);
}

/* `arguments`: a list is all of them, one axis; of a mapping each is one. */
static wb_status read_arguments(wb_sweep *sweep, struct sweep_product *product,
                                const struct ytree_node *node) {
    const struct axis_row *row = axis_of_kind(AXIS_ARGUMENTS);
    wb_status worst = WB_OK;
    if (node->kind != YTREE_MAPPING) return add_axis(sweep, product, row, row->key, node);
    if (node->count == 0) return ytree_error(&sweep->document, node, "%s: the mapping is empty", row->key);
    for (const struct ytree_node *value = node->first; value != NULL; value = value->next) {
        char wrong[2] = {value->key[strcspn(value->key, "=:[ ")], '\0'};
        const wb_status status =
            wrong[0] != '\0' || value->key[0] == '\0'
                ? ytree_key_error(&sweep->document, value,
                                  "expected the name of an argument, or its place, such as n or 3")
                : add_axis(sweep, product, axis_of_kind(AXIS_ARGUMENT), argument_name(sweep, value->key),
                           value);
        if (status > worst) worst = status;
    }
    return worst;
}

/* The axes of a product in the order of the table, whatever that of the file: parameters are listed so. */
static void sort_axes(struct sweep_product *product) {
    struct sweep_axis *axes = product->axes.items;
    for (size_t i = 1; i < product->axes.count; i++) {
        const struct sweep_axis axis = axes[i];
        size_t at = i;
        for (; at > 0 && axis_compare(axes[at - 1].name, axis.name) > 0; at--)
            axes[at] = axes[at - 1];
        axes[at] = axis;
    }
}

/* Numbers the combinations. */
static wb_status count_product(wb_sweep *sweep, struct sweep_product *product,
                               const struct ytree_node *node) {
    product->count = 1;
    for (size_t i = 0; i < product->axes.count; i++) {
        const struct sweep_axis *axis = &product->axes.items[i];
        if (__builtin_mul_overflow(product->count, axis->values.count, &product->count) ||
            product->count > SWEEP_UNITS_MAX)
            return ytree_error(&sweep->document, node, "this product has more than %llu units",
                               (unsigned long long)SWEEP_UNITS_MAX);
    }
    return WB_OK;
}

/* Reads the axes of a mapping, beside which are other keys where it is the whole file. */
static wb_status read_axes(wb_sweep *sweep, const struct ytree_node *mapping, bool is_file,
                           struct sweep_product *product) {
    wb_status worst = WB_OK;
    for (const struct ytree_node *node = mapping->first; node != NULL; node = node->next) {
        const struct axis_row *row = axis_named(node->key);
        const enum key_kind key = key_of(node->key);
        wb_status status = WB_OK;
        if (row != NULL && row->kind == AXIS_ARGUMENTS)
            status = read_arguments(sweep, product, node);
        else if (row != NULL && row->kind != AXIS_ARGUMENT)
            status = add_axis(sweep, product, row, row->key, node);
        else if (key == KEY_SET)
            status = read_settings(sweep, product, node);
        else if (key == KEY_NONE || (!is_file && key != KEY_ABOUT))
            status = unknown_key(sweep, node, !is_file);
        if (status > worst) worst = status;
    }
    sort_axes(product);
    return worst;
}

/* Adds a product, if it is of any code. */
static wb_status add_product(wb_sweep *sweep, struct sweep_product *product, const struct ytree_node *node) {
    wb_status status = count_product(sweep, product, node);
    if (status == WB_OK) status = sweep_check_product(sweep, product);
    if (status == WB_OK) sweep_find_overlaps(sweep, product);
    if (status == WB_OK) arena_push(&sweep->arena, &sweep->products, *product);
    return status;
}

/* Whether an entry of `include` has its own in place of an axis of the file: single arguments are left out
 * where it lists all of them, too. */
static bool replaces(const struct sweep_product *entry, const struct sweep_axis *axis) {
    return sweep_find_axis(entry, axis->name) != NULL ||
           (axis->row->kind == AXIS_ARGUMENT &&
            sweep_find_axis(entry, axis_of_kind(AXIS_ARGUMENTS)->key) != NULL);
}

/* An entry of `include`: the product of the file with these keys in place of its own. */
static wb_status read_included(wb_sweep *sweep, const struct sweep_product *of_file,
                               const struct ytree_node *node) {
    struct sweep_product product = {0};
    wb_status status = ytree_require(&sweep->document, node, YTREE_MAPPING, "a mapping of keys to values");
    if (status == WB_OK) status = read_axes(sweep, node, false, &product);
    if (status != WB_OK) return status;
    for (size_t i = 0; i < of_file->axes.count; i++)
        if (!replaces(&product, &of_file->axes.items[i]))
            arena_push(&sweep->arena, &product.axes, of_file->axes.items[i]);
    sort_axes(&product);
    if (sweep_subject(&product) == NULL)
        return ytree_error(&sweep->document, node, "key 'code' is missing: the code to analyse");
    return add_product(sweep, &product, node);
}

static wb_status read_list(wb_sweep *sweep, const struct ytree_node *list) {
    return list == NULL ? WB_OK : ytree_require(&sweep->document, list, YTREE_LIST, "a list of mappings");
}

/* ---- Exclusions ------------------------------------------------------------------------------------------
 */

/* Adds that a parameter matches one of the patterns. */
static wb_status read_match(wb_sweep *sweep, struct sweep_exclusion *exclusion, const char *name,
                            const struct ytree_node *node) {
    struct sweep_match match = {.name = name};
    const struct ytree_node *value = node->kind == YTREE_LIST ? node->first : node;
    bool is_known = false;
    for (size_t p = 0; p < sweep->products.count && !is_known; p++)
        is_known = sweep_find_axis(&sweep->products.items[p], name) != NULL;
    if (!is_known)
        return ytree_key_error(&sweep->document, node, "exclude: no unit has a parameter '%.*s'", SHOWN_MAX,
                               name);
    for (; value != NULL; value = node->kind == YTREE_LIST ? value->next : NULL) {
        if (value->kind != YTREE_SCALAR || value->text[0] == '\0')
            return ytree_expected(&sweep->document, value, "a value or a pattern, or a list of them");
        arena_push(&sweep->arena, &match.patterns, value->text);
    }
    arena_push(&sweep->arena, &exclusion->matches, match);
    return WB_OK;
}

/* An entry of `exclude`; keys of the machine may stand under `set`, single arguments under `arguments`, as in
 * products. */
static wb_status read_excluded(wb_sweep *sweep, const struct ytree_node *entry) {
    struct sweep_exclusion exclusion = {0};
    wb_status worst =
        ytree_require(&sweep->document, entry, YTREE_MAPPING, "a mapping of parameters to patterns");
    for (const struct ytree_node *node = entry->first; worst == WB_OK && node != NULL; node = node->next) {
        const bool is_set = key_of(node->key) == KEY_SET;
        const bool is_nested = node->kind == YTREE_MAPPING &&
                               (is_set || strcmp(node->key, axis_of_kind(AXIS_ARGUMENTS)->key) == 0);
        if (!is_nested) worst = read_match(sweep, &exclusion, node->key, node);
        for (const struct ytree_node *key = is_nested ? node->first : NULL; worst == WB_OK && key != NULL;
             key = key->next)
            worst = read_match(sweep, &exclusion, is_set ? key->key : argument_name(sweep, key->key), key);
    }
    if (worst == WB_OK && exclusion.matches.count == 0)
        return ytree_error(&sweep->document, entry, "exclude: this entry would exclude every unit");
    if (worst == WB_OK) arena_push(&sweep->arena, &sweep->excluded, exclusion);
    return worst;
}

/* ---- Limits ----------------------------------------------------------------------------------------------
 */

static wb_status read_limit(wb_sweep *sweep, const struct ytree_node *node) {
    const bool is_scalar = node->kind == YTREE_SCALAR;
    const enum key_kind key = key_of(node->key);
    if (key == KEY_TIME_LIMIT) {
        const bool read = is_scalar && number_f64(node->text, strlen(node->text), &sweep->time_limit);
        if (read && sweep->time_limit >= 0.001 && sweep->time_limit <= 1e9) return WB_OK;
        return ytree_expected(&sweep->document, node, "seconds of a unit, such as 60 or 0.5");
    }
    if (key == KEY_MEMORY_LIMIT) {
        if (is_scalar && wb_read_bytes(node->text, &sweep->memory_limit) && sweep->memory_limit > 0 &&
            sweep->memory_limit <= INT64_MAX)
            return WB_OK;
        return ytree_expected(&sweep->document, node, "a number of bytes of a unit, such as 512M or 4G");
    }
    sweep->allow_files = is_scalar && strcmp(node->text, "true") == 0;
    if (sweep->allow_files || (is_scalar && strcmp(node->text, "false") == 0)) return WB_OK;
    return ytree_expected(&sweep->document, node, "true or false");
}

static wb_status read_limits(wb_sweep *sweep, const struct ytree_node *root) {
    static const enum key_kind keys[] = {KEY_TIME_LIMIT, KEY_MEMORY_LIMIT, KEY_ALLOW_FILES};
    wb_status worst = WB_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct ytree_node *node = ytree_find(root, key_names[keys[i]]);
        const wb_status status = node != NULL ? read_limit(sweep, node) : WB_OK;
        if (status > worst) worst = status;
    }
    return worst;
}

/* ---- The file --------------------------------------------------------------------------------------------
 */

static wb_status read_lists(wb_sweep *sweep, const struct sweep_product *product,
                            const struct ytree_node *root) {
    const struct ytree_node *include = ytree_find(root, key_names[KEY_INCLUDE]);
    const struct ytree_node *exclude = ytree_find(root, key_names[KEY_EXCLUDE]);
    wb_status worst = read_list(sweep, include);
    for (const struct ytree_node *node = worst == WB_OK && include != NULL ? include->first : NULL;
         node != NULL; node = node->next) {
        const wb_status status = read_included(sweep, product, node);
        if (status > worst) worst = status;
    }
    if (worst == WB_OK) worst = read_list(sweep, exclude);
    for (const struct ytree_node *node = worst == WB_OK && exclude != NULL ? exclude->first : NULL;
         node != NULL; node = node->next) {
        const wb_status status = read_excluded(sweep, node);
        if (status > worst) worst = status;
    }
    return worst;
}

static wb_status read_file(wb_sweep *sweep) {
    const struct ytree_node *root = sweep->document.root;
    struct sweep_product product = {0};
    WB_TRY(ytree_require(&sweep->document, root, YTREE_MAPPING, "a mapping, with at least the key 'code'"));
    WB_TRY(read_axes(sweep, root, true, &product));
    WB_TRY(read_limits(sweep, root));
    const bool has_code = sweep_subject(&product) != NULL;
    if (!has_code && ytree_find(root, key_names[KEY_INCLUDE]) == NULL)
        return ytree_error(&sweep->document, root, "key 'code' is missing: the code to analyse");
    if (has_code) WB_TRY(add_product(sweep, &product, root));
    WB_TRY(read_lists(sweep, &product, root));
    if (sweep->excluded.count > 0 && wb_sweep_count(sweep) == 0)
        return ytree_error(&sweep->document, ytree_find(root, key_names[KEY_EXCLUDE]),
                           "there are no units: all of them are excluded");
    /* A gate that passes on nothing would be none. */
    return sweep->products.count > 0
               ? WB_OK
               : ytree_error(&sweep->document, root,
                             "there are no units: key 'code' is missing, and 'include' is empty");
}

/* Reading, as a pass. */
struct reading {
    wb_sweep *sweep;
    wb_status status;
};

static void read_pass(void *context) {
    struct reading *reading = context;
    reading->status = read_file(reading->sweep);
}

/* Gives back what was needed to read. */
static void end_reading(wb_sweep *sweep) {
    globfree(&sweep->found);
    sweep->found = (glob_t){0};
    sweep_unload_machine(sweep);
}

wb_status sweep_parse(const char *name, const char *folder, const char *text, size_t size,
                      wb_diagnostics *diagnostics, wb_sweep **sweep) {
    wb_sweep *made = calloc(1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, name);
    struct reading reading = {made, WB_OK};
    made->folder = arena_string(&made->arena, folder, strlen(folder));
    wb_status status = made->folder == NULL ? diagnose_out_of_memory(diagnostics, name)
                                            : ytree_parse(name, text, size, diagnostics, &made->document);
    if (status == WB_OK && arena_protect(&made->arena, read_pass, &reading) != WB_OK)
        status = diagnose_out_of_memory(diagnostics, name);
    if (status == WB_OK) status = reading.status;
    end_reading(made);
    if (status == WB_OK)
        *sweep = made;
    else
        wb_sweep_free(made);
    return status;
}

wb_status wb_sweep_read(const char *path, wb_diagnostics *diagnostics, wb_sweep **sweep) {
    const char *slash = strrchr(path, '/');
    char *text = NULL,
         *folder = slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    size_t size;
    if (folder == NULL) return diagnose_out_of_memory(diagnostics, path);
    wb_status status = file_read(path, SETTINGS_SIZE_MAX, diagnostics, &text, &size);
    if (status == WB_OK) status = sweep_parse(path, folder, text, size, diagnostics, sweep);
    if (status == WB_OK)
        (*sweep)->text = text;
    else
        free(text);
    free(folder);
    return status;
}
