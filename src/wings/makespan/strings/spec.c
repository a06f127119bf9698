#include "wings/makespan/strings/spec.h"

#include <string.h>

#include "base/base.h"

#define SECONDS_MAX 1000000u
#define THREADS_MAX 1024u
#define INSTANCES_MAX 10000u

/* Values such as "L=1, C=4": the list is read whole before any of it counts. */
struct unit_list {
    struct ratio of[UNIT_TYPES];
};

static const char *const unlimited[] = {"unlimited", NULL};

/* Everything that is one number. */
static const struct field spec_fields[] = {
    {.key = "warps",
     .kind = FIELD_U32,
     .offset = offsetof(struct makespan_spec, warps),
     .minimum = 1,
     .maximum = MAKESPAN_WARPS_MAX},
    {.key = "warp_size",
     .kind = FIELD_U32,
     .offset = offsetof(struct makespan_spec, warp_size),
     .minimum = 1,
     .maximum = WARP_SIZE_MAX},
    {.key = "issue",
     .kind = FIELD_U32,
     .offset = offsetof(struct makespan_spec, issue),
     .minimum = 1,
     .maximum = MAKESPAN_WARPS_MAX,
     .words = unlimited},
    {.key = "time_limit",
     .kind = FIELD_REAL,
     .offset = offsetof(struct makespan_spec, settings.time_limit),
     .maximum = SECONDS_MAX},
    {.key = "processor_limit",
     .kind = FIELD_REAL,
     .offset = offsetof(struct makespan_spec, settings.processor_limit),
     .maximum = SECONDS_MAX},
    {.key = "threads",
     .kind = FIELD_U32,
     .offset = offsetof(struct makespan_spec, settings.threads),
     .minimum = 1,
     .maximum = THREADS_MAX},
    {.key = "seed",
     .kind = FIELD_U32,
     .offset = offsetof(struct makespan_spec, settings.seed),
     .maximum = UINT32_MAX},
    {.key = "instances",
     .kind = FIELD_U32,
     .offset = offsetof(struct makespan_spec, settings.anneal_instances),
     .minimum = 1,
     .maximum = INSTANCES_MAX},
    {.key = "iterations",
     .kind = FIELD_U32,
     .offset = offsetof(struct makespan_spec, settings.anneal_iterations),
     .minimum = 1,
     .maximum = UINT32_MAX},
    {.key = "t0",
     .kind = FIELD_REAL,
     .offset = offsetof(struct makespan_spec, settings.anneal_temperature),
     .maximum = SECONDS_MAX},
    {.key = "x",
     .kind = FIELD_U32,
     .offset = offsetof(struct makespan_spec, settings.extrapolate_from),
     .minimum = 1,
     .maximum = MAKESPAN_WARPS_MAX},
    {0},
};

void spec_init(struct makespan_spec *spec) {
    *spec = (struct makespan_spec){.issue = ISSUE_UNLIMITED, .settings = MAKESPAN_SETTINGS_DEFAULTS};
}

void spec_free(struct makespan_spec *spec) {
    for (size_t i = 0; i < spec->groups.count; i++)
        unit_string_free(&spec->groups.items[i].string);
    vec_free(&spec->groups);
    vec_free(&spec->inputs);
    arena_free(&spec->texts);
}

wb_status spec_add_input(struct makespan_spec *spec, const wb_input *input, wb_diagnostics *diagnostics) {
    wb_input kept;
    if (input_copy(input, &spec->texts, &kept) != WB_OK || vec_push(&spec->inputs, kept) != WB_OK)
        return diagnose_out_of_memory(diagnostics, "makespan");
    return WB_OK;
}

/* "4", "1/2", "0.5" or "1.5" as a ratio above 0. */
static bool read_ratio(const char *text, size_t length, struct ratio *ratio) {
    const char *slash = memchr(text, '/', length);
    if (slash != NULL) {
        uint64_t numerator;
        uint64_t denominator;
        size_t before = (size_t)(slash - text);
        if (!number_u64(text, before, &numerator)) return false;
        if (!number_u64(slash + 1, length - before - 1, &denominator)) return false;
        if (numerator == 0 || denominator == 0) return false;
        if (numerator > CAPACITY_MAX || denominator > CAPACITY_MAX) return false;
        *ratio = (struct ratio){(uint32_t)numerator, (uint32_t)denominator};
        return true;
    }
    struct decimal decimal;
    if (!number_decimal(text, length, &decimal) || decimal.scale > 4 || decimal.digits == 0) return false;
    uint64_t denominator = (uint64_t)number_power_of_ten(decimal.scale);
    if (decimal.digits / denominator > CAPACITY_MAX || decimal.digits > UINT32_MAX) return false;
    *ratio = (struct ratio){(uint32_t)decimal.digits, (uint32_t)denominator};
    return true;
}

/* "L=1, C=1/2": each letter once. */
static bool read_unit_list(const char *text, struct unit_list *list) {
    *list = (struct unit_list){0};
    for (;;) {
        text += strspn(text, " ");
        size_t length = strcspn(text, ",");
        uint32_t unit = unit_of_letter(text[0]);
        if (unit == UNIT_TYPES || length < 3 || text[1] != '=' || list->of[unit].denominator != 0)
            return false;
        size_t end = length;
        while (end > 2 && text[end - 1] == ' ')
            end--;
        if (!read_ratio(text + 2, end - 2, &list->of[unit])) return false;
        if (text[length] == '\0') return true;
        text += length + 1;
    }
}

static bool store_units(struct makespan_spec *spec, const char *text) {
    struct unit_list list;
    if (!read_unit_list(text, &list)) return false;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (list.of[unit].denominator != 0) spec->units[unit] = list.of[unit];
    return true;
}

static bool store_cycles(struct makespan_spec *spec, const char *text) {
    struct unit_list list;
    if (!read_unit_list(text, &list)) return false;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (list.of[unit].denominator > 1) return false;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (list.of[unit].denominator != 0) spec->cycles[unit] = list.of[unit].numerator;
    return true;
}

/* A number of bytes, or of kB, MB or GB (K, M, G: powers of 1024). */
static bool store_memory(struct makespan_spec *spec, const char *text) {
    static const char suffixes[] = "KMG";
    size_t length = strlen(text);
    unsigned shift = 0;
    const char *suffix = length > 0 ? strchr(suffixes, text[length - 1] & ~0x20) : NULL;
    if (suffix != NULL && *suffix != '\0') {
        shift = 10 * (unsigned)(suffix - suffixes + 1);
        length--;
    }
    uint64_t value;
    if (!number_u64(text, length, &value) || value == 0 || value > UINT64_MAX >> (shift + 1)) return false;
    spec->settings.memory = value << shift;
    return true;
}

/* Keys whose value is more than one number. */
static const struct {
    const char *key;
    const char *what;
    bool (*store)(struct makespan_spec *, const char *);
} composed[] = {
    {"units", "unit types with their capacity, such as L=1,C=4 or L=1/2", store_units},
    {"cycles", "unit types with the cycles of an instruction, such as S=4,D=2", store_cycles},
    {"memory", "a number of bytes, such as 500M or 4G", store_memory},
};

static wb_status unknown_key(const char *key, const struct subject *subject, wb_diagnostics *diagnostics) {
    struct text known = {0};
    for (size_t i = 0; i < sizeof composed / sizeof *composed; i++)
        text_printf(&known, "%s, ", composed[i].key);
    field_list_keys(spec_fields, &known);
    diagnose_about(diagnostics, SEVERITY_ERROR, subject, "unknown key '%.40s' (known: %s)", key,
                   known.failed ? "" : known.data);
    text_free(&known);
    return WB_ERR_INPUT;
}

wb_status spec_set(struct makespan_spec *spec, const char *key, const char *value,
                   const struct subject *subject, wb_diagnostics *diagnostics) {
    for (size_t i = 0; i < sizeof composed / sizeof *composed; i++) {
        if (strcmp(composed[i].key, key) != 0) continue;
        if (composed[i].store(spec, value)) return WB_OK;
        diagnose_about(diagnostics, SEVERITY_ERROR, subject, "%s: expected %s, got '%.40s'", key,
                       composed[i].what, value);
        return WB_ERR_INPUT;
    }
    const struct field *field = field_find(spec_fields, key);
    if (field == NULL) return unknown_key(key, subject, diagnostics);
    if (field_store(field, value, spec)) return WB_OK;
    struct text expected = {0};
    field_describe(field, &expected);
    diagnose_about(diagnostics, SEVERITY_ERROR, subject, "%s: expected %s, got '%.40s'", key,
                   expected.failed ? "something else" : expected.data, value);
    text_free(&expected);
    return WB_ERR_INPUT;
}

wb_status spec_add_string(struct makespan_spec *spec, uint32_t warps, struct unit_string *string,
                          wb_diagnostics *diagnostics) {
    const struct spec_group group = {warps, *string};
    if (vec_push(&spec->groups, group) != WB_OK) {
        unit_string_free(string);
        return diagnose_out_of_memory(diagnostics, "makespan");
    }
    *string = (struct unit_string){0};
    return WB_OK;
}

wb_status spec_add_warps(struct makespan_spec *spec, const char *text, const struct subject *subject,
                         wb_diagnostics *diagnostics) {
    uint64_t warps = 0;
    const char *colon = strchr(text, ':');
    if (colon != NULL) {
        bool number = number_u64(text, (size_t)(colon - text), &warps);
        if (!number || warps == 0 || warps > MAKESPAN_WARPS_MAX) {
            diagnose_about(diagnostics, SEVERITY_ERROR, subject,
                           "expected a number of warps from 1 to %u before the ':' of '%.40s'",
                           MAKESPAN_WARPS_MAX, text);
            return WB_ERR_INPUT;
        }
    }
    struct subject rest = *subject;
    const char *letters = colon != NULL ? colon + 1 : text;
    rest.offset += (size_t)(letters - text);
    struct unit_string string = {0};
    WB_TRY(notation_parse(letters, strlen(letters), &rest, diagnostics, &string));
    return spec_add_string(spec, (uint32_t)warps, &string, diagnostics);
}
