#include "machine/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/machine.h"

/* Most presets that a file can stand on, each the base of the one before. */
#define BASES_MAX 4u

/* Most presets that suggestions look at. */
#define SUGGEST_PRESETS_MAX 64

/* Fastest clock, in megahertz. */
#define CLOCK_MAX 100000u

/* Megahertz: who writes less, and no unit, most likely means gigahertz. */
#define CLOCK_USUAL_MIN 10u

static const char *const clock_units[] = {"MHz", "GHz", NULL};

/* What the nested keys expect, for messages. */
#define UNITS_EXPECTED "a list of units such as {name: INT, count: 1}"
#define BASE_EXPECTED "the name of a preset"
#define CODE_EXPECTED "'ptx' or 'sass'"
#define CLASSES_EXPECTED "a mapping from opcode classes to {unit: NAME, init: CYCLES, latency: CYCLES}"

const char *const depth_words[] = {"unlimited", NULL};

/* Names of enum machine_model. */
#define X(name) #name,
static const char *const models[] = {"plain", MACHINE_MODELS(X) NULL};
#undef X

const char *machine_model_name(const struct wb_machine *machine) {
    return models[machine->model];
}

const char *const policy_words[] = {"any", "oldest", NULL};

/* ---- Presets: the machines that the library brings with it, the files of machines/ ---- */

size_t wb_machine_preset_count(void) {
    size_t count = 0;
    while (embedded_presets[count].name != NULL)
        count++;
    return count;
}

const char *wb_machine_preset_name(size_t index) {
    return index < wb_machine_preset_count() ? embedded_presets[index].name : NULL;
}

char *wb_machine_presets_for(uint32_t architecture, size_t *count) {
    wb_diagnostics discarded = {0};
    struct text names = {0};
    *count = 0;
    for (size_t i = 0; i < wb_machine_preset_count(); i++) {
        wb_machine *preset = NULL;
        const wb_status status = wb_machine_load(wb_machine_preset_name(i), &discarded, &preset);
        names.failed |= status == WB_ERR_LIMIT;
        if (preset != NULL && preset->sass.sm == architecture)
            text_printf(&names, "%s%s", (*count)++ == 0 ? "" : ", ", preset->name);
        wb_machine_free(preset);
    }
    diagnostics_clear(&discarded);
    return text_take(&names);
}

/* Names that presets once had, which files and scripts may still give. */
static const struct { const char *old, *name; } renamed_presets[] = {{"orin-sm86", "ecrts2025-orin"}};

#define RENAMED                                                                                              \
    "the preset is called %s now: it is the GPU of ECRTS 2025, which models an Orin as one sub-core"

/* What the preset is called now that once had that name, or NULL. */
static const char *preset_renamed(const char *name) {
    for (size_t i = 0; i < sizeof renamed_presets / sizeof *renamed_presets; i++)
        if (strcmp(renamed_presets[i].old, name) == 0) return renamed_presets[i].name;
    return NULL;
}

/* The preset that has or once had that name, or NULL. */
static const struct embedded_file *preset_find(const char *name) {
    const char *renamed = preset_renamed(name);
    for (const struct embedded_file *preset = embedded_presets; preset->name != NULL; preset++)
        if (strcmp(preset->name, renamed != NULL ? renamed : name) == 0) return preset;
    return NULL;
}

/* ---- Keys ---- */

static wb_status read_unit(const struct ytree *document, const struct ytree_node *value,
                           struct wb_machine *machine) {
    struct machine_unit unit = {.count = 1};
    WB_TRY(ytree_read_fields(document, value, isa_keys[machine_isa(machine)].units, &unit));
    const struct ytree_node *name = ytree_find(value, "name");
    uint8_t index;
    if (strcmp(unit.name, "none") == 0)
        return ytree_error(document, name, "a unit cannot be named 'none': it stands for no unit");
    if (machine_unit_find(machine, unit.name, &index))
        return ytree_error(document, name, "unit '%s' is given twice", unit.name);
    if (machine->unit_count == MACHINE_UNITS_MAX)
        return ytree_error(document, value, "more than %u units", MACHINE_UNITS_MAX);
    machine->units[machine->unit_count++] = unit;
    return WB_OK;
}

/* Another preset stands in for what a file leaves out; read before all other keys, by read_machine. */
static wb_status require_base(const struct ytree *document, const struct ytree_node *value, void *target) {
    (void)target;
    if (value->kind != YTREE_SCALAR || preset_find(value->text) == NULL)
        return ytree_expected(document, value, BASE_EXPECTED);
    const char *renamed = preset_renamed(value->text);
    if (renamed != NULL)
        diagnose_at(document->diagnostics, SEVERITY_WARNING, &document->source, value->at, RENAMED, renamed);
    return WB_OK;
}

/* Units of the file take the place of all units of its base. */
static wb_status read_units(const struct ytree *document, const struct ytree_node *value, void *target) {
    WB_TRY(ytree_require(document, value, YTREE_LIST, UNITS_EXPECTED));
    if (value->count == 0) return ytree_error(document, value, "units: expected at least one unit");
    struct wb_machine *machine = target;
    machine->unit_count = 0;
    memset(machine->classes, 0, sizeof machine->classes);
    memset(machine->sass.classes, 0, sizeof machine->sass.classes);
    for (const struct ytree_node *unit = value->first; unit != NULL; unit = unit->next)
        WB_TRY(read_unit(document, unit, target));
    return WB_OK;
}

static wb_status read_limits(const struct ytree *document, const struct ytree_node *value, void *target) {
    return ytree_read_fields(document, value, machine_limit_fields, target);
}

static wb_status read_memory(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct wb_machine *machine = target;
    WB_TRY(ytree_read_fields(document, value, machine_memory_fields, &machine->memory));
    struct text problem = {0};
    wb_status status = WB_OK;
    if (!machine_memory_check(&machine->memory, &problem))
        status = ytree_error(document, value, "memory: %s", problem.failed ? "wrong" : problem.data);
    text_free(&problem);
    return status;
}

static wb_status read_fetch(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct wb_machine *machine = target;
    return machine_fetch_read(document, value, &machine->fetch);
}

/* The parts of wings: figures of a model, and conventions, of which it matters whether a file states any. */
#define X(name)                                                                                              \
    static wb_status read_##name(const struct ytree *document, const struct ytree_node *value,               \
                                 void *target) {                                                             \
        struct wb_machine *machine = target;                                                                 \
        machine->name.stated = true;                                                                         \
        return ytree_read_fields(document, value, machine_##name##_fields, &machine->name);                  \
    }
MACHINE_PARTS(X)
#undef X

/* Classes name units, which may stand behind them in the file: they are read last, by read_classes. */
static wb_status require_classes(const struct ytree *document, const struct ytree_node *value, void *target) {
    (void)target;
    return ytree_require(document, value, YTREE_MAPPING, CLASSES_EXPECTED);
}

/* What is timed; read before all other keys, too, by read_code. */
static wb_status require_code(const struct ytree *document, const struct ytree_node *value, void *target) {
    (void)target;
    if (value->kind == YTREE_SCALAR && (strcmp(value->text, "ptx") == 0 || strcmp(value->text, "sass") == 0))
        return WB_OK;
    return ytree_expected(document, value, CODE_EXPECTED);
}

static wb_status read_sass(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct wb_machine *machine = target;
    return machine_sass_read(document, value, &machine->sass);
}

static wb_status read_sources(const struct ytree *document, const struct ytree_node *value, void *target) {
    return machine_sources_read(document, value, target);
}

const struct field machine_fields[] = {
    NESTED_ROW("base", BASE_EXPECTED, require_base),
    TEXT_ROW(wb_machine, "name", name, FIELD_TEXT, MACHINE_NAME_MAX, .required = true),
    TEXT_ROW(wb_machine, "description", description, FIELD_LINES, MACHINE_TEXT_MAX),
    NESTED_ROW("code", CODE_EXPECTED, require_code),
    WORD_ROW(wb_machine, "model", model, models),
    {.key = "clock_mhz",
     .kind = FIELD_REAL,
     .required = true,
     .offset = offsetof(struct wb_machine, clock_mhz),
     .minimum = CLOCK_USUAL_MIN,
     .maximum = CLOCK_MAX,
     .words = clock_units},
    SUB_CORES_ROW(wb_machine),
    NUMBER_ROW(wb_machine, "warp_width", warp_width, 1, MACHINE_WARP_WIDTH),
    ISSUE_WIDTH_ROW(wb_machine),
    ISSUE_PER_WARP_ROW(wb_machine),
    POLICY_ROW(wb_machine),
    DISPATCH_DEPTH_ROW(wb_machine, .required = true),
    INTERVAL_ROW(wb_machine, "mem_latency", mem_latency, mem_least, 0, MACHINE_TIME_MAX, .required = true),
    INTERVAL_ROW(wb_machine, "shared_latency", shared_latency, shared_least, 0, MACHINE_TIME_MAX,
                 .required = true),
    BOOL_ROW(wb_machine, "exact_arithmetic", exact_arithmetic),
    BARRIER_RELEASE_ROW(wb_machine),
    NUMBER_ROW(wb_machine, "launch_overhead", launch_overhead, 0, MACHINE_TIME_MAX),
    NESTED_ROW("units", UNITS_EXPECTED, read_units, .required = true),
    NESTED_ROW("classes", CLASSES_EXPECTED, require_classes, .required = true),
    NESTED_ROW("limits", "a mapping of occupancy limits", read_limits),
    NESTED_ROW("memory", "a mapping of the memory system", read_memory),
    NESTED_ROW("fetch", "a mapping of instruction fetch", read_fetch),
#define X(name) NESTED_ROW(#name, "a mapping of figures of " #name, read_##name),
    MACHINE_PARTS(X)
#undef X
        NESTED_ROW("sass", "a mapping of the core that executes machine code", read_sass, .required = true),
    NESTED_ROW("sources", "a list of sources of figures", read_sources),
    {0},
};

/* Keys of machines that time PTX only, and of those that time machine code only. */
static const char *const ptx_keys[] = {"model",
                                       "issue_width",
                                       "issue_per_warp",
                                       "policy",
                                       "dispatch_depth",
                                       "mem_latency",
                                       "shared_latency",
                                       "exact_arithmetic",
                                       "fetch",
#define X(name) #name,
                                       MACHINE_PARTS(X)
#undef X
                                           NULL};
static const char *const sass_keys[] = {"sass", NULL};

static bool is_among(const char *const *keys, const char *key) {
    while (*keys != NULL && strcmp(*keys, key) != 0)
        keys++;
    return *keys != NULL;
}

bool machine_has_key(const struct wb_machine *machine, const char *key) {
    return !is_among(isa_keys[!machine_isa(machine)].own, key);
}

/* In place of the reader of a key that the machine does not have. */
static wb_status reject_key(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct wb_machine *machine = target;
    const struct isa_keys *own = &isa_keys[machine_isa(machine)], *other = &isa_keys[!machine_isa(machine)];
    return ytree_key_error(document, value,
                           "%s is a key of machines that time %s (code: %s), but this one times %s",
                           value->key, other->name, other->code, own->name);
}

void machine_defaults(struct wb_machine *machine) {
    *machine = (struct wb_machine){
        .sub_cores = 1, .warp_width = MACHINE_WARP_WIDTH, .issue_width = 1, .issue_per_warp = 1};
    machine_memory_defaults(&machine->memory);
    machine_fetch_defaults(&machine->fetch);
#define X(name) machine_##name##_defaults(&machine->name);
    MACHINE_PARTS(X)
#undef X
    machine_sass_defaults(&machine->sass);
}

/* ---- Files ---- */

/* {unit: none} */
static bool is_unit_none(const struct ytree_node *value) {
    const struct ytree_node *unit = value->kind == YTREE_MAPPING ? ytree_find(value, "unit") : NULL;
    return unit != NULL && value->count == 1 && unit->kind == YTREE_SCALAR && strcmp(unit->text, "none") == 0;
}

static wb_status read_class(const struct ytree *document, const struct ytree_node *value,
                            struct wb_machine *machine) {
    enum ptx_class class = machine_class_find(value->key);
    struct text problem = {0};
    struct class_entry entry = {.unit = "none"};
    wb_status status = WB_OK;
    if (class == PTX_CLASS_COUNT) {
        machine_class_unknown(value->key, false, &problem);
        status = ytree_key_error(document, value, "%s", problem.failed ? "unknown class" : problem.data);
    } else if (!is_unit_none(value)) {
        status = ytree_read_fields(document, value, machine_class_fields, &entry);
        if (status == WB_OK && !class_entry_check(machine, &entry, &problem))
            status = ytree_error(document, ytree_find(value, "unit"), "%s: %s", value->key,
                                 problem.failed ? "wrong" : problem.data);
    }
    if (status == WB_OK) class_entry_apply(&entry, machine, class);
    text_free(&problem);
    return status;
}

static wb_status read_classes(const struct ytree *document, const struct ytree_node *classes,
                              struct wb_machine *machine) {
    wb_status worst = WB_OK;
    for (const struct ytree_node *value = classes->first; value != NULL; value = value->next) {
        wb_status status = isa_keys[machine_isa(machine)].read_class(document, value, machine);
        if (status > worst) worst = status;
    }
    return worst;
}

/* Reads all keys into a machine with defaults or with what its base says; nothing is then required. */
static wb_status read_keys(const struct ytree *document, bool has_base, struct wb_machine *machine) {
    struct field fields[sizeof machine_fields / sizeof *machine_fields];
    memcpy(fields, machine_fields, sizeof machine_fields);
    for (struct field *field = fields; field->key != NULL; field++) {
        field->required = field->required && !has_base;
        if (!machine_has_key(machine, field->key))
            *field = (struct field)NESTED_ROW(field->key, "", reject_key);
    }
    WB_TRY(ytree_read_fields(document, document->root, fields, machine));
    const struct ytree_node *classes = ytree_find(document->root, "classes");
    if (classes != NULL) WB_TRY(read_classes(document, classes, machine));
    const struct isa_keys *keys = &isa_keys[machine_isa(machine)];
    return keys->check != NULL ? keys->check(document, machine) : WB_OK;
}

/* The preset that a document is based on, or NULL. */
static const struct embedded_file *base_of(const struct ytree *document) {
    if (document->root->kind != YTREE_MAPPING) return NULL;
    const struct ytree_node *base = ytree_find(document->root, "base");
    return base != NULL && base->kind == YTREE_SCALAR ? preset_find(base->text) : NULL;
}

/* What the machine times: PTX unless the document says so, and what its base does. */
static wb_status read_code(const struct ytree *document, bool has_base, struct wb_machine *machine) {
    if (document->root->kind != YTREE_MAPPING) return WB_OK; /* read_keys says what is wrong */
    const struct ytree_node *code = ytree_find(document->root, "code");
    if (code == NULL || code->kind != YTREE_SCALAR) return WB_OK;
    const bool is_sass = strcmp(code->text, "sass") == 0;
    if (has_base && strcmp(code->text, isa_keys[machine_isa(machine)].code) != 0)
        return ytree_error(document, code, "code: a machine times the same code as its base, which is not %s",
                           code->text);
    if (is_sass && !has_base) machine->memory.requests = REQUESTS_VOLTA;
    if (is_sass) machine->model = MACHINE_SASS;
    return WB_OK;
}

/* Whether a text is one of those in the library. */
static bool is_preset(const char *text) {
    const struct embedded_file *preset = embedded_presets;
    while (preset->name != NULL && preset->text != text)
        preset++;
    return preset->name != NULL;
}

/* Reads a document on top of its base; `depth`: how many more bases there may be below that. */
static wb_status read_machine(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                              unsigned depth, struct wb_machine *machine) {
    struct ytree document;
    const wb_input_role role = is_preset(text) ? WB_INPUT_PRESET : WB_INPUT_MACHINE;
    wb_input input = input_of(role, name, text, size);
    if (input_copy(&input, &machine->arena, &input) != WB_OK || vec_push(&machine->inputs, input) != WB_OK)
        return diagnose_out_of_memory(diagnostics, name);
    wb_status status = ytree_parse(name, text, size, diagnostics, &document);
    const struct embedded_file *base = status == WB_OK ? base_of(&document) : NULL;
    if (base != NULL && depth == 0)
        status = ytree_error(&document, document.root, "bases are nested too deeply");
    else if (base != NULL)
        status = read_machine(base->name, base->text, base->size, diagnostics, depth - 1, machine);
    if (status == WB_OK) status = read_code(&document, base != NULL, machine);
    if (status == WB_OK) status = read_keys(&document, base != NULL, machine);
    ytree_free(&document);
    return status;
}

wb_status machine_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                        wb_machine **machine) {
    struct wb_machine *made = malloc(sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, name);
    machine_defaults(made);
    wb_status status = read_machine(name, text, size, diagnostics, BASES_MAX, made);
    if (status != WB_OK) {
        wb_machine_free(made);
        return status;
    }
    *machine = made;
    return WB_OK;
}

/* Neither a preset nor a file: says which presets there are and which one was probably meant. */
static wb_status unknown_machine(const char *name, wb_diagnostics *diagnostics) {
    const char *names[SUGGEST_PRESETS_MAX];
    size_t count = 0;
    struct text list = {0};
    for (; count < SUGGEST_PRESETS_MAX && embedded_presets[count].name != NULL; count++) {
        names[count] = embedded_presets[count].name;
        text_printf(&list, "%s%s", count == 0 ? "" : ", ", names[count]);
    }
    const char *nearest = wb_nearest_name(name, names, count);
    if (nearest != NULL) text_printf(&list, "; did you mean '%s'?", nearest);
    diagnose(diagnostics, SEVERITY_ERROR, name, "no such file and no preset of that name; presets: %s",
             list.failed || list.data == NULL ? "none" : list.data);
    text_free(&list);
    return WB_ERR_INPUT;
}

wb_status wb_machine_load(const char *name_or_path, wb_diagnostics *diagnostics, wb_machine **machine) {
    const struct embedded_file *preset = preset_find(name_or_path);
    const char *renamed = preset_renamed(name_or_path);
    if (renamed != NULL) diagnose(diagnostics, SEVERITY_WARNING, name_or_path, RENAMED, renamed);
    if (preset != NULL) return machine_parse(preset->name, preset->text, preset->size, diagnostics, machine);
    if (strcmp(name_or_path, FILE_STREAM) != 0 && access(name_or_path, F_OK) != 0)
        return unknown_machine(name_or_path, diagnostics);
    char *text;
    size_t size;
    WB_TRY(file_read(name_or_path, YTREE_SIZE_MAX, diagnostics, &text, &size));
    wb_status status = content_expect(CONTENT_MACHINE, name_or_path, text, size, diagnostics);
    if (status == WB_OK) status = machine_parse(name_or_path, text, size, diagnostics, machine);
    free(text);
    return status;
}

void machine_clear(struct wb_machine *machine) {
    vec_free(&machine->sources);
    vec_free(&machine->inputs);
    vec_free(&machine->settings);
    arena_free(&machine->arena);
}

void wb_machine_free(wb_machine *machine) {
    if (machine == NULL) return;
    machine_clear(machine);
    free(machine);
}

const wb_input *wb_machine_input(const wb_machine *machine, size_t index) {
    return index < machine->inputs.count ? &machine->inputs.items[index] : NULL;
}

const char *wb_machine_setting(const wb_machine *machine, size_t index) {
    return index < machine->settings.count ? machine->settings.items[index] : NULL;
}

/* ---- Printing: YAML that reads back as the same machine ---- */

/* Column at which the entries of classes start. */
#define CLASS_COLUMN 19

static void print_scalars(const struct wb_machine *machine, const char *code, struct text *out) {
    for (const struct field *field = machine_fields; field->key != NULL; field++) {
        if (strcmp(field->key, "code") == 0) text_string(out, code);
        if (field->kind == FIELD_NESTED || !machine_has_key(machine, field->key)) continue;
        if (field->offset == offsetof(struct wb_machine, description) && machine->description[0] == '\0')
            continue;
        if (field->offset == offsetof(struct wb_machine, model) && machine->model == MACHINE_PLAIN) continue;
        if (field->offset == offsetof(struct wb_machine, exact_arithmetic) && !machine->exact_arithmetic)
            continue;
        text_printf(out, "%s: ", field->key);
        field_print(field, machine, out);
        text_char(out, '\n');
    }
}

static void print_class(const struct wb_machine *machine, enum ptx_class class, struct text *out) {
    text_printf(out, "  %s:", ptx_class_name(class));
    text_pad(out, CLASS_COLUMN);
    text_char(out, ' ');
    struct class_entry entry = class_entry_of(machine, class);
    if (machine->classes[class].unit == UNIT_NONE)
        text_string(out, "{unit: none}\n");
    else
        field_print_flow(machine_class_fields, &entry, out);
}

/* Whether a key is about caches and what lies behind them. */
static bool is_of_hierarchy(const struct field *field) {
    return (field->offset >= offsetof(struct machine_memory, l1) &&
            field->offset <= offsetof(struct machine_memory, reply_service)) ||
           field->offset == offsetof(struct machine_memory, channels) ||
           field->offset == offsetof(struct machine_memory, channel_depth);
}

/* A key a line; a machine without caches has none of theirs. */
static void print_memory(const struct machine_memory *memory, struct text *out) {
    for (const struct field *field = machine_memory_fields; field->key != NULL; field++) {
        if (is_of_hierarchy(field) && !memory_has_hierarchy(memory)) continue;
        text_printf(out, "  %s: ", field->key);
        field_print(field, memory, out);
        text_char(out, '\n');
    }
}

static void print_classes(const struct wb_machine *machine, struct text *out) {
    uint32_t given = 0;
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++)
        given += machine->classes[i].given;
    text_string(out, given > 0 ? "classes:\n" : "classes: {}\n");
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++)
        if (machine->classes[i].given && !machine->classes[i].taken_over)
            print_class(machine, (enum ptx_class)i, out);
}

const struct isa_keys isa_keys[] = {
    [ISA_PTX] = {"ptx", "PTX", "", ptx_keys, false, machine_unit_fields, machine_class_fields, read_class,
                 print_classes, NULL, NULL, NULL},
    [ISA_SASS] = {"sass", "machine code", "code: sass\n", sass_keys, true, machine_sass_unit_fields,
                  sass_class_fields, machine_sass_class_read, machine_sass_classes_print,
                  machine_sass_ways_read, machine_sass_fits, machine_sass_print},
};

wb_status wb_machine_print(const wb_machine *machine, wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    const struct isa_keys *keys = &isa_keys[machine_isa(machine)];
    print_scalars(machine, keys->line, &out);
    text_string(&out, "units:\n");
    for (uint32_t i = 0; i < machine->unit_count; i++) {
        text_string(&out, "  - ");
        field_print_flow(keys->units, &machine->units[i], &out);
    }
    keys->print_classes(machine, &out);
    text_string(&out, "limits: ");
    field_print_flow(machine_limit_fields, machine, &out);
    text_string(&out, "memory:\n");
    print_memory(&machine->memory, &out);
    if (fetch_can_stall(&machine->fetch)) {
        text_string(&out, "fetch: ");
        field_print_flow(machine_fetch_fields, &machine->fetch, &out);
    }
#define X(name)                                                                                              \
    if (machine->name.stated) {                                                                              \
        text_string(&out, #name ": ");                                                                       \
        field_print_flow(machine_##name##_fields, &machine->name, &out);                                     \
    }
    MACHINE_PARTS(X)
#undef X
    if (keys->print_core != NULL) keys->print_core(machine, &out);
    machine_sources_print(machine, &out);
    char *printed = text_take(&out);
    if (printed == NULL) return diagnose_out_of_memory(diagnostics, machine->name);
    *text = printed;
    return WB_OK;
}
