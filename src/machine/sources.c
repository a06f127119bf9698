#include "machine/files.h"

#include <assert.h>
#include <string.h>

/* What the keys expect, for messages. */
#define SOURCES_EXPECTED                                                                                     \
    "a list of sources such as {mark: measured, date: 2025, from: TEXT, keys: [KEY, ...]}"
#define KEYS_EXPECTED "a list of keys such as class.alu.init"

/* Longest key of a figure. */
#define FIGURE_KEY_MAX 160

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* `keys` is read by itself: its table row only lets it be there. */
static wb_status require_keys(const struct ytree *document, const struct ytree_node *value, void *target) {
    (void)target;
    return ytree_require(document, value, YTREE_LIST, KEYS_EXPECTED);
}

static wb_status read_source_keys(const struct ytree *document, const struct ytree_node *keys,
                                  struct wb_machine *machine, struct figure_source *source) {
    source->keys = arena_array(&machine->arena, (size_t)keys->count + 1, sizeof *source->keys);
    if (source->keys == NULL) return diagnose_out_of_memory(document->diagnostics, document->source.name);
    for (const struct ytree_node *key = keys->first; key != NULL; key = key->next) {
        if (key->kind != YTREE_SCALAR || key->text[0] == '\0' || strlen(key->text) >= FIGURE_KEY_MAX)
            return ytree_expected(document, key, "the key of a figure, such as class.alu.init");
        const char *copy = arena_string(&machine->arena, key->text, strlen(key->text));
        if (copy == NULL) return diagnose_out_of_memory(document->diagnostics, document->source.name);
        source->keys[source->key_count++] = copy;
    }
    return WB_OK;
}

static wb_status read_source(const struct ytree *document, const struct ytree_node *value,
                             struct wb_machine *machine) {
    struct field fields[8] = {NESTED_ROW("keys", KEYS_EXPECTED, require_keys, .required = true)};
    for (size_t i = 0; figure_source_fields[i].key != NULL; i++) {
        assert(i + 2 < sizeof fields / sizeof *fields);
        fields[i + 1] = figure_source_fields[i];
    }
    struct figure_source source = {0};
    WB_TRY(ytree_read_fields(document, value, fields, &source));
    WB_TRY(read_source_keys(document, ytree_find(value, "keys"), machine, &source));
    if (vec_push(&machine->sources, source) != WB_OK)
        return diagnose_out_of_memory(document->diagnostics, document->source.name);
    return WB_OK;
}

wb_status machine_sources_read(const struct ytree *document, const struct ytree_node *value,
                               struct wb_machine *machine) {
    WB_TRY(ytree_require(document, value, YTREE_LIST, SOURCES_EXPECTED));
    for (const struct ytree_node *source = value->first; source != NULL; source = source->next)
        WB_TRY(read_source(document, source, machine));
    return WB_OK;
}

/* ---- Of a figure --------------------------------------------------------------------------------------- */

/* How much of `key` the other key names: its length when it is the same or one above it, else 0. */
static size_t named_part(const char *key, const char *other) {
    const size_t length = strlen(other);
    const bool is_prefix = strncmp(key, other, length) == 0 && (key[length] == '\0' || key[length] == '.');
    return is_prefix ? length : 0;
}

const struct figure_source *machine_source_of(const struct wb_machine *machine, const char *key) {
    const struct figure_source *best = NULL;
    size_t most = 0;
    for (size_t s = 0; s < machine->sources.count; s++) {
        const struct figure_source *source = &machine->sources.items[s];
        for (uint32_t k = 0; k < source->key_count; k++) {
            const size_t part = named_part(key, source->keys[k]);
            if (part == 0 || part < most) continue; /* of equal ones the last, which is nearest to the file */
            most = part;
            best = source;
        }
    }
    return best;
}

enum figure_mark machine_figure_mark(const struct wb_machine *machine, const char *key) {
    const size_t length = strlen(key);
    for (size_t s = 0; s < machine->settings.count; s++) {
        const char *setting = machine->settings.items[s];
        if (strncmp(setting, key, length) == 0 && setting[length] == '=') return FIGURE_GIVEN;
    }
    const struct figure_source *source = machine_source_of(machine, key);
    return source == NULL ? FIGURE_UNSTATED : (enum figure_mark)(source->mark + FIGURE_ASSUMED);
}

/* ---- Printing ------------------------------------------------------------------------------------------ */

static void print_source(const struct figure_source *source, struct text *out) {
    text_string(out, "  - mark: ");
    text_string(out, figure_mark_name((enum figure_mark)(source->mark + FIGURE_ASSUMED)));
    if (source->date[0] != '\0') {
        text_string(out, "\n    date: ");
        field_print_quoted(source->date, out);
    }
    text_string(out, "\n    from: ");
    field_print_quoted(source->from, out);
    text_string(out, "\n    keys: [");
    for (uint32_t k = 0; k < source->key_count; k++) {
        if (k > 0) text_string(out, ", ");
        field_print_quoted(source->keys[k], out);
    }
    text_string(out, "]\n");
}

void machine_sources_print(const struct wb_machine *machine, struct text *out) {
    if (machine->sources.count == 0) return;
    text_string(out, "sources:\n");
    for (size_t s = 0; s < machine->sources.count; s++)
        print_source(&machine->sources.items[s], out);
}
