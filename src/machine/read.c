/* A machine file becomes a machine. */
#include <stdlib.h>
#include <string.h>

#include "base/yaml.h"
#include "machine/schema.h"

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

wb_status machine_read_units(const struct ytree *document, const struct ytree_node *value, void *target) {
    WB_TRY(ytree_require(document, value, YTREE_LIST, field_find(machine_fields, "units")->what));
    if (value->count == 0) return ytree_error(document, value, "units: expected at least one unit");
    for (const struct ytree_node *unit = value->first; unit != NULL; unit = unit->next)
        WB_TRY(read_unit(document, unit, target));
    return WB_OK;
}

wb_status machine_read_limits(const struct ytree *document, const struct ytree_node *value, void *target) {
    return ytree_read_fields(document, value, machine_limit_fields, target);
}

wb_status machine_read_memory(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct wb_machine *machine = target;
    WB_TRY(ytree_read_fields(document, value, machine_memory_fields, &machine->memory));
    struct text problem = {0};
    wb_status status = WB_OK;
    if (!machine_memory_check(&machine->memory, &problem))
        status = ytree_error(document, value, "memory: %s", problem.failed ? "wrong" : problem.data);
    text_free(&problem);
    return status;
}

wb_status machine_read_gpgpusim(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct wb_machine *machine = target;
    return ytree_read_fields(document, value, machine_gpgpusim_fields, &machine->gpgpusim);
}

/* Classes name units, which may stand behind them in the file: they are read last, by read_classes. */
wb_status machine_require_classes(const struct ytree *document, const struct ytree_node *value,
                                  void *target) {
    (void)target;
    return ytree_require(document, value, YTREE_MAPPING, field_find(machine_fields, "classes")->what);
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

static wb_status read_machine(const struct ytree *document, struct wb_machine *machine) {
    machine_defaults(machine);
    WB_TRY(ytree_read_fields(document, document->root, machine_fields, machine));
    return read_classes(document, ytree_find(document->root, "classes"), machine);
}

wb_status machine_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                        wb_machine **machine) {
    struct wb_machine *made = malloc(sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, name);
    struct ytree document;
    wb_status status = ytree_parse(name, text, size, diagnostics, &document);
    if (status == WB_OK) status = read_machine(&document, made);
    ytree_free(&document);
    if (status != WB_OK) {
        free(made);
        return status;
    }
    *machine = made;
    return WB_OK;
}
