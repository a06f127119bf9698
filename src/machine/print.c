/* A machine as the YAML that reads back as the same machine. */
#include "base/field.h"
#include "machine/keys.h"
#include "machine/schema.h"

/* Column at which the entries of classes start. */
#define CLASS_COLUMN 19

static void print_scalars(const struct wb_machine *machine, struct text *out) {
    for (const struct field *field = machine_fields; field->key != NULL; field++) {
        if (field->kind == FIELD_NESTED) continue;
        if (field->offset == offsetof(struct wb_machine, description) && machine->description[0] == '\0')
            continue;
        if (field->offset == offsetof(struct wb_machine, model) && machine->model == MACHINE_PLAIN) continue;
        text_printf(out, "%s: ", field->key);
        field_print(field, machine, out);
        text_char(out, '\n');
    }
}

static const uint32_t *field_word(const struct field *field, const void *target) {
    return (const uint32_t *)((const char *)target + field->offset);
}

/* {key: value, ...} of the fields of a table. The first word of a FIELD_WORD is its default and not printed.
 */
static void print_flow(const struct field *fields, const void *target, struct text *out) {
    const char *separator = "";
    text_char(out, '{');
    for (size_t i = 0; fields[i].key != NULL; i++) {
        if (fields[i].kind == FIELD_WORD && *field_word(&fields[i], target) == 0) continue;
        text_printf(out, "%s%s: ", separator, fields[i].key);
        separator = ", ";
        field_print(&fields[i], target, out);
    }
    text_string(out, "}\n");
}

static void print_class(const struct wb_machine *machine, enum ptx_class class, struct text *out) {
    text_printf(out, "  %s:", ptx_class_name(class));
    text_pad(out, CLASS_COLUMN);
    text_char(out, ' ');
    struct class_entry entry = class_entry_of(machine, class);
    if (machine->classes[class].unit == UNIT_NONE)
        text_string(out, "{unit: none}\n");
    else
        print_flow(machine_class_fields, &entry, out);
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

wb_status wb_machine_print(const wb_machine *machine, wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    print_scalars(machine, &out);
    text_string(&out, "units:\n");
    for (uint32_t i = 0; i < machine->unit_count; i++) {
        text_string(&out, "  - ");
        print_flow(machine_unit_fields, &machine->units[i], &out);
    }
    uint32_t given = 0;
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++)
        given += machine->classes[i].given;
    text_string(&out, given > 0 ? "classes:\n" : "classes: {}\n");
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++)
        if (machine->classes[i].given) print_class(machine, (enum ptx_class)i, &out);
    text_string(&out, "limits: ");
    print_flow(machine_limit_fields, machine, &out);
    text_string(&out, "memory:\n");
    print_memory(&machine->memory, &out);
    if (fetch_can_stall(&machine->fetch)) {
        text_string(&out, "fetch: ");
        print_flow(machine_fetch_fields, &machine->fetch, &out);
    }
    if (machine->model == MACHINE_GPGPUSIM) {
        text_string(&out, "gpgpusim: ");
        print_flow(machine_gpgpusim_fields, &machine->gpgpusim, &out);
    }
    if (machine->abstract_cta.stated) {
        text_string(&out, "abstract_cta: ");
        print_flow(machine_abstract_cta_fields, &machine->abstract_cta, &out);
    }
    char *printed = text_take(&out);
    if (printed == NULL) return diagnose_out_of_memory(diagnostics, machine->name);
    *text = printed;
    return WB_OK;
}
