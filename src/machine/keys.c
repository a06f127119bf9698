#include "machine/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/yaml.h"
#include "machine/presets.h"
#include "machine/schema.h"

/* Most slots of a sub-core and instructions of each, sub-cores. */
#define ISSUE_WIDTH_MAX 8u
#define SUB_CORES_MAX 16u

/* Most presets that a file can stand on, each the base of the one before. */
#define BASES_MAX 4u

/* Fastest clock, in megahertz. */
#define CLOCK_MAX 100000u

/* What the nested keys expect, for messages. */
#define UNITS_EXPECTED "a list of units such as {name: INT, count: 1}"
#define BASE_EXPECTED "the name of a preset"
#define CLASSES_EXPECTED "a mapping from opcode classes to {unit: NAME, init: CYCLES, latency: CYCLES}"

static const char *const unlimited[] = {"unlimited", NULL};

/* Names of enum machine_model. */
static const char *const models[] = {"plain", "gpgpusim", NULL};

static wb_status read_unit(const struct ytree *document, const struct ytree_node *value,
                           struct wb_machine *machine) {
    struct machine_unit unit = {.count = 1};
    WB_TRY(ytree_read_fields(document, value, machine_unit_fields, &unit));
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
    if (value->kind == YTREE_SCALAR && preset_find(value->text) != NULL) return WB_OK;
    return ytree_expected(document, value, BASE_EXPECTED);
}

/* Units of the file take the place of all units of its base. */
static wb_status read_units(const struct ytree *document, const struct ytree_node *value, void *target) {
    WB_TRY(ytree_require(document, value, YTREE_LIST, UNITS_EXPECTED));
    if (value->count == 0) return ytree_error(document, value, "units: expected at least one unit");
    struct wb_machine *machine = target;
    machine->unit_count = 0;
    memset(machine->classes, 0, sizeof machine->classes);
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

static wb_status read_gpgpusim(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct wb_machine *machine = target;
    return ytree_read_fields(document, value, machine_gpgpusim_fields, &machine->gpgpusim);
}

static wb_status read_abstract_cta(const struct ytree *document, const struct ytree_node *value,
                                   void *target) {
    struct wb_machine *machine = target;
    machine->abstract_cta.stated = true;
    return ytree_read_fields(document, value, machine_abstract_cta_fields, &machine->abstract_cta);
}

/* Classes name units, which may stand behind them in the file: they are read last, by read_classes. */
static wb_status require_classes(const struct ytree *document, const struct ytree_node *value, void *target) {
    (void)target;
    return ytree_require(document, value, YTREE_MAPPING, CLASSES_EXPECTED);
}

const struct field machine_fields[] = {
    {.key = "base", .kind = FIELD_NESTED, .what = BASE_EXPECTED, .read = require_base},
    {.key = "name",
     .kind = FIELD_TEXT,
     .required = true,
     .offset = offsetof(struct wb_machine, name),
     .maximum = MACHINE_NAME_MAX},
    {.key = "description",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct wb_machine, description),
     .maximum = MACHINE_TEXT_MAX},
    {.key = "model", .kind = FIELD_WORD, .offset = offsetof(struct wb_machine, model), .words = models},
    {.key = "clock_mhz",
     .kind = FIELD_REAL,
     .required = true,
     .offset = offsetof(struct wb_machine, clock_mhz),
     .maximum = CLOCK_MAX},
    {.key = "sub_cores",
     .kind = FIELD_U32,
     .offset = offsetof(struct wb_machine, sub_cores),
     .minimum = 1,
     .maximum = SUB_CORES_MAX},
    {.key = "warp_width",
     .kind = FIELD_U32,
     .offset = offsetof(struct wb_machine, warp_width),
     .minimum = 1,
     .maximum = MACHINE_WARP_WIDTH},
    {.key = "issue_width",
     .kind = FIELD_U32,
     .offset = offsetof(struct wb_machine, issue_width),
     .minimum = 1,
     .maximum = ISSUE_WIDTH_MAX},
    {.key = "issue_per_warp",
     .kind = FIELD_U32,
     .offset = offsetof(struct wb_machine, issue_per_warp),
     .minimum = 1,
     .maximum = ISSUE_WIDTH_MAX},
    {.key = "dispatch_depth",
     .kind = FIELD_U32,
     .required = true,
     .offset = offsetof(struct wb_machine, dispatch_depth),
     .maximum = MACHINE_TIME_MAX,
     .words = unlimited},
    {.key = "mem_latency",
     .kind = FIELD_U32,
     .required = true,
     .offset = offsetof(struct wb_machine, mem_latency),
     .maximum = MACHINE_TIME_MAX},
    {.key = "shared_latency",
     .kind = FIELD_U32,
     .required = true,
     .offset = offsetof(struct wb_machine, shared_latency),
     .maximum = MACHINE_TIME_MAX},
    {.key = "barrier_release",
     .kind = FIELD_U32,
     .offset = offsetof(struct wb_machine, barrier_release),
     .maximum = MACHINE_TIME_MAX},
    {.key = "launch_overhead",
     .kind = FIELD_U32,
     .offset = offsetof(struct wb_machine, launch_overhead),
     .maximum = MACHINE_TIME_MAX},
    {.key = "units", .kind = FIELD_NESTED, .required = true, .what = UNITS_EXPECTED, .read = read_units},
    {.key = "classes",
     .kind = FIELD_NESTED,
     .required = true,
     .what = CLASSES_EXPECTED,
     .read = require_classes},
    {.key = "limits", .kind = FIELD_NESTED, .what = "a mapping of occupancy limits", .read = read_limits},
    {.key = "memory", .kind = FIELD_NESTED, .what = "a mapping of the memory system", .read = read_memory},
    {.key = "fetch", .kind = FIELD_NESTED, .what = "a mapping of instruction fetch", .read = read_fetch},
    {.key = "gpgpusim",
     .kind = FIELD_NESTED,
     .what = "a mapping of what the model gpgpusim needs",
     .read = read_gpgpusim},
    {.key = "abstract_cta",
     .kind = FIELD_NESTED,
     .what = "a mapping of the conventions of abstract CTA simulation",
     .read = read_abstract_cta},
    {0},
};

void machine_defaults(struct wb_machine *machine) {
    *machine = (struct wb_machine){
        .sub_cores = 1, .warp_width = MACHINE_WARP_WIDTH, .issue_width = 1, .issue_per_warp = 1};
    machine_memory_defaults(&machine->memory);
    machine_fetch_defaults(&machine->fetch);
    machine_gpgpusim_defaults(&machine->gpgpusim);
    machine_abstract_cta_defaults(&machine->abstract_cta);
}

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
        machine_class_unknown(value->key, &problem);
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
        wb_status status = read_class(document, value, machine);
        if (status > worst) worst = status;
    }
    return worst;
}

/* Reads all keys into a machine with defaults or with what its base says; nothing is then required. */
static wb_status read_keys(const struct ytree *document, bool has_base, struct wb_machine *machine) {
    struct field fields[sizeof machine_fields / sizeof *machine_fields];
    memcpy(fields, machine_fields, sizeof machine_fields);
    for (struct field *field = fields; field->key != NULL; field++)
        field->required = field->required && !has_base;
    WB_TRY(ytree_read_fields(document, document->root, fields, machine));
    const struct ytree_node *classes = ytree_find(document->root, "classes");
    return classes == NULL ? WB_OK : read_classes(document, classes, machine);
}

/* The preset that a document is based on, or NULL. */
static const struct embedded_file *base_of(const struct ytree *document) {
    if (document->root->kind != YTREE_MAPPING) return NULL;
    const struct ytree_node *base = ytree_find(document->root, "base");
    return base != NULL && base->kind == YTREE_SCALAR ? preset_find(base->text) : NULL;
}

/* Reads a document on top of its base; `depth`: how many more bases there may be below that. */
static wb_status read_machine(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                              unsigned depth, struct wb_machine *machine) {
    struct ytree document;
    wb_status status = ytree_parse(name, text, size, diagnostics, &document);
    const struct embedded_file *base = status == WB_OK ? base_of(&document) : NULL;
    if (base != NULL && depth == 0)
        status = ytree_error(&document, document.root, "bases are nested too deeply");
    else if (base != NULL)
        status = read_machine(base->name, base->text, base->size, diagnostics, depth - 1, machine);
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
        free(made);
        return status;
    }
    *machine = made;
    return WB_OK;
}
