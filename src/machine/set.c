/* Overrides of single keys: `--set KEY=VALUE`. */
#include <stddef.h>
#include <string.h>

#include "machine/files.h"
#include "machine/machine.h"

/* Longest key of an assignment: "class.", the longest class and unit names, and the last part. */
#define KEY_MAX 160

/* An assignment taken apart: up to three parts of the key, and the value. */
struct assignment {
    const char *text; /* as it was given, for messages */
    char key[KEY_MAX];
    char *parts[3];
    size_t part_count;
    const char *value; /* NULL: there is none, or its key cannot be one */
    wb_diagnostics *diagnostics;
    const struct wb_machine *machine;
};

/* Splits "class.fp32.latency=3" at its '=' and the dots before it. */
static bool split(struct assignment *assignment) {
    const char *equals = strchr(assignment->text, '=');
    if (equals == NULL || equals == assignment->text) return false;
    size_t length = (size_t)(equals - assignment->text);
    if (length >= KEY_MAX) return false;
    memcpy(assignment->key, assignment->text, length);
    assignment->key[length] = '\0';
    assignment->value = equals + 1;
    char *part = assignment->key;
    for (;;) {
        if (assignment->part_count == 3) {
            assignment->value = NULL;
            return false;
        }
        assignment->parts[assignment->part_count++] = part;
        char *dot = strchr(part, '.');
        if (dot == NULL) return true;
        *dot = '\0';
        part = dot + 1;
    }
}

static wb_status fail(const struct assignment *assignment, const char *message) {
    diagnose(assignment->diagnostics, SEVERITY_ERROR, assignment->text, "%s", message);
    return WB_ERR_INPUT;
}

/* Reports `problem` and gives its memory back. */
static wb_status fail_with(const struct assignment *assignment, struct text *problem) {
    wb_status status = fail(assignment, problem->failed ? OUT_OF_MEMORY : problem->data);
    text_free(problem);
    return status;
}

/* Mappings of the machine. Their keys stand behind the mapping's name and a dot; of units and classes behind
 * the name of one of them, too. */
static const struct mapping {
    const char *name;
    const struct field *fields;
    bool named;
    size_t offset; /* in the machine, unless named: of the struct that the fields are of */
} mappings[] = {
    {"unit", machine_unit_fields, true, 0},
    {"class", machine_class_fields, true, 0},
    {"limits", machine_limit_fields, false, 0},
    {"memory", machine_memory_fields, false, offsetof(struct wb_machine, memory)},
    {"fetch", machine_fetch_fields, false, offsetof(struct wb_machine, fetch)},
#define X(name) {#name, machine_##name##_fields, false, offsetof(struct wb_machine, name)},
    MACHINE_PARTS(X)
#undef X
        {"sass", machine_sass_fields, false, offsetof(struct wb_machine, sass)},
};
#define MAPPINGS (sizeof mappings / sizeof *mappings)

/* The mapping that a key is of, or NULL. */
static const struct mapping *mapping_of(const struct assignment *assignment) {
    for (size_t m = 0; m < MAPPINGS && assignment->part_count > 0; m++)
        if (strcmp(mappings[m].name, assignment->parts[0]) == 0 &&
            machine_has_key(assignment->machine, mappings[m].name))
            return &mappings[m];
    return NULL;
}

/* Its fields, which for units and classes depend on what the machine times. */
static const struct field *fields_of(const struct mapping *mapping, const struct wb_machine *machine) {
    const struct isa_keys *keys = &isa_keys[machine_isa(machine)];
    if (mapping->fields == machine_unit_fields) return keys->units;
    return mapping->fields == machine_class_fields ? keys->classes : mapping->fields;
}

/* "fetch.size, fetch.ways, ..." The name of a unit cannot be set. */
static void list_mapping(const struct mapping *mapping, const struct wb_machine *machine, struct text *out) {
    const char *separator = "";
    for (const struct field *field = fields_of(mapping, machine); field->key != NULL; field++) {
        if (mapping->named && strcmp(field->key, "name") == 0) continue;
        text_printf(out, "%s%s%s.%s", separator, mapping->name, mapping->named ? ".NAME" : "", field->key);
        separator = ", ";
    }
}

/* All keys, those of mappings as "fetch.KEY". */
static void list_keys(const struct wb_machine *machine, struct text *out) {
    for (const struct field *field = machine_fields; field->key != NULL; field++)
        if (field->kind != FIELD_NESTED && machine_has_key(machine, field->key))
            text_printf(out, "%s, ", field->key);
    for (const struct field *field = machine_memory_fields; field->key != NULL; field++)
        text_printf(out, "%s, ", field->key);
    for (size_t m = 0; m < MAPPINGS; m++)
        if (machine_has_key(machine, mappings[m].name))
            text_printf(out, "%s%s%s.KEY", m == 0 ? "" : ", ", mappings[m].name,
                        mappings[m].named ? ".NAME" : "");
}

/* Most keys that suggestions look at. */
#define SUGGEST_KEYS_MAX 256

/* Adds the keys of a table to names; how many there are then. */
static size_t add_keys(const struct field *fields, const char **names, size_t count) {
    for (; fields->key != NULL && count < SUGGEST_KEYS_MAX; fields++)
        if (fields->kind != FIELD_NESTED) names[count++] = fields->key;
    return count;
}

/* What was probably meant by a key: appends the whole of it and returns true where there is such a key. */
static bool suggest_key(const struct assignment *assignment, struct text *out) {
    const char *names[SUGGEST_KEYS_MAX], *last = assignment->parts[assignment->part_count - 1];
    const struct mapping *mapping = mapping_of(assignment);
    size_t count = 0;
    if (assignment->part_count == 1) {
        count = add_keys(machine_memory_fields, names, add_keys(machine_fields, names, 0));
    } else if (mapping != NULL && assignment->part_count == 2 + (size_t)mapping->named) {
        count = add_keys(fields_of(mapping, assignment->machine), names, 0);
    } else if (mapping == NULL) {
        last = assignment->parts[0];
        for (; count < MAPPINGS; count++)
            names[count] = mappings[count].name;
    }
    const char *nearest = wb_nearest_name(last, names, count);
    if (nearest == NULL || strcmp(nearest, last) == 0) return false;
    text_string(out, "unknown key; did you mean ");
    for (size_t i = 0; i < assignment->part_count; i++)
        text_printf(out, "%s%s", i == 0 ? "" : ".",
                    assignment->parts[i] == last ? nearest : assignment->parts[i]);
    text_printf(out, "=%.60s?", assignment->value);
    return true;
}

/* Those of one mapping are listed where the key names it. */
static wb_status unknown_key(const struct assignment *assignment) {
    const struct mapping *mapping = mapping_of(assignment);
    struct text message = {0};
    if (assignment->value != NULL && suggest_key(assignment, &message))
        return fail_with(assignment, &message);
    text_string(&message, "unknown key; expected KEY=VALUE with one of: ");
    if (mapping != NULL)
        list_mapping(mapping, assignment->machine, &message);
    else
        list_keys(assignment->machine, &message);
    return fail_with(assignment, &message);
}

/* Stores the assignment's value in the member `key` of `target`. */
static wb_status store(const struct assignment *assignment, const struct field *fields, const char *key,
                       void *target) {
    const struct field *field = field_find(fields, key);
    if (field == NULL || field->kind == FIELD_NESTED) return unknown_key(assignment);
    if (field_store(field, assignment->value, target)) return WB_OK;
    struct text message = {0};
    text_printf(&message, "%s: expected ", key);
    field_describe(field, &message);
    text_printf(&message, ", got '%.60s'", assignment->value);
    return fail_with(assignment, &message);
}

static wb_status set_unit(const struct assignment *assignment, struct wb_machine *machine) {
    uint8_t index = UNIT_NONE;
    if (strcmp(assignment->parts[2], "name") == 0) return unknown_key(assignment);
    if (machine_unit_find(machine, assignment->parts[1], &index) && index != UNIT_NONE)
        return store(assignment, isa_keys[machine_isa(machine)].units, assignment->parts[2],
                     &machine->units[index]);
    struct text message = {0};
    text_printf(&message, "no unit is named '%s'; units:", assignment->parts[1]);
    for (uint32_t i = 0; i < machine->unit_count; i++)
        text_printf(&message, "%s %s", i == 0 ? "" : ",", machine->units[i].name);
    return fail_with(assignment, &message);
}

/* A class that gets its first unit starts with initiation interval 1 and no latency; one that loses its unit
 * loses its times. */
static wb_status set_class(const struct assignment *assignment, struct wb_machine *machine) {
    struct text problem = {0};
    enum ptx_class class = machine_class_find(assignment->parts[1]);
    if (class == PTX_CLASS_COUNT) {
        machine_class_unknown(assignment->parts[1], false, &problem);
        return fail_with(assignment, &problem);
    }
    bool names_unit = strcmp(assignment->parts[2], "unit") == 0;
    struct class_entry entry = {0};
    if (machine->classes[class].given) entry = class_entry_of(machine, class);
    if (!names_unit && !machine->classes[class].given) {
        text_printf(&problem, "the machine does not give this class; set class.%s.unit first",
                    assignment->parts[1]);
        return fail_with(assignment, &problem);
    }
    WB_TRY(store(assignment, machine_class_fields, assignment->parts[2], &entry));
    if (names_unit && strcmp(entry.unit, "none") == 0)
        entry = (struct class_entry){.unit = "none"};
    else if (names_unit && entry.init == 0)
        entry.init = 1;
    if (!class_entry_check(machine, &entry, &problem)) return fail_with(assignment, &problem);
    class_entry_apply(&entry, machine, class);
    return WB_OK;
}

/* The same of machine code. */
static wb_status set_sass_class(const struct assignment *assignment, struct wb_machine *machine) {
    struct text problem = {0};
    const enum sass_class class = sass_class_find(assignment->parts[1]);
    if (class == SASS_CLASS_COUNT) {
        machine_class_unknown(assignment->parts[1], true, &problem);
        return fail_with(assignment, &problem);
    }
    struct sass_class_entry entry = machine_sass_class_entry(machine, class);
    WB_TRY(store(assignment, sass_class_fields, assignment->parts[2], &entry));
    if (strcmp(assignment->parts[2], "unit") == 0 && entry.stages[0].init == 0 &&
        strcmp(entry.units[0], "none") != 0)
        entry.stages[0].init = 1;
    if (!machine_sass_class_check(machine, &entry, &problem)) return fail_with(assignment, &problem);
    machine_sass_class_apply(&entry, machine, class);
    return WB_OK;
}

/* A key of machines that time something else. */
static wb_status other_key(const struct assignment *assignment) {
    struct text message = {0};
    const enum isa isa = machine_isa(assignment->machine);
    text_printf(&message, "%s is a key of machines that time %s, but this one times %s", assignment->parts[0],
                isa_keys[!isa].name, isa_keys[isa].name);
    return fail_with(assignment, &message);
}

/* By what the machine times. */
static wb_status (*const set_class_of[])(const struct assignment *assignment, struct wb_machine *machine) = {
    [ISA_PTX] = set_class, [ISA_SASS] = set_sass_class};

/* Changes the key, or says what is wrong. */
static wb_status set_key(wb_machine *machine, const char *assignment, wb_diagnostics *diagnostics) {
    struct assignment split_up = {.text = assignment, .diagnostics = diagnostics, .machine = machine};
    if (!split(&split_up)) return unknown_key(&split_up);
    const char *first = split_up.parts[0];
    if (!machine_has_key(machine, first)) return other_key(&split_up);
    if (split_up.part_count == 1 && field_find(machine_memory_fields, first) != NULL)
        return store(&split_up, machine_memory_fields, first, &machine->memory);
    if (split_up.part_count == 1) return store(&split_up, machine_fields, first, machine);
    const struct mapping *mapping = mapping_of(&split_up);
    if (mapping != NULL && mapping->named && split_up.part_count == 3)
        return mapping->fields == machine_unit_fields
                   ? set_unit(&split_up, machine)
                   : set_class_of[machine_isa(machine)](&split_up, machine);
    if (mapping == NULL || mapping->named || split_up.part_count != 2) return unknown_key(&split_up);
    WB_TRY(store(&split_up, mapping->fields, split_up.parts[1], (char *)machine + mapping->offset));
#define X(name) machine->name.stated |= mapping->fields == machine_##name##_fields;
    MACHINE_PARTS(X)
#undef X
    return WB_OK;
}

/* Has figures of DRAM follow its clock, which was changed from `before`. */
static wb_status follow_clock(wb_machine *machine, uint32_t before, const char *assignment,
                              wb_diagnostics *diagnostics) {
    const uint32_t clock = machine->sass.memory_clock;
    const char *problem = "a figure of DRAM becomes too large";
    machine->sass.memory_clock = before;
    if (clock == before) return WB_OK;
    if (before == 0)
        problem = "the machine does not say which memory clock its figures are for";
    else if (clock == 0)
        problem = "expected a clock in MHz";
    else if (machine_slow_memory(machine, clock))
        return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, assignment, "%s", problem);
    return WB_ERR_INPUT;
}

/* Promises lower figures that are set before or behind them. */
static wb_status set_figure(wb_machine *machine, const char *assignment, wb_diagnostics *diagnostics) {
    const unsigned promises = machine_take_back(machine);
    const uint32_t clock = machine->sass.memory_clock;
    wb_status status = set_key(machine, assignment, diagnostics);
    if (status == WB_OK) status = follow_clock(machine, clock, assignment, diagnostics);
    machine_promise_all(machine, promises);
    if (status != WB_OK || machine->partition.sms == 0 || machine->memory.sms == machine->partition.sms)
        return status;
    diagnose(diagnostics, SEVERITY_ERROR, assignment, "the partition says how many SMs there are");
    return WB_ERR_INPUT;
}

wb_status wb_machine_set(wb_machine *machine, const char *assignment, wb_diagnostics *diagnostics) {
    static const char promise[] = "resident=", partition[] = "partition=", others[] = "interference=";
    if (strncmp(assignment, promise, sizeof promise - 1) == 0)
        WB_TRY(machine_promise(machine, assignment + sizeof promise - 1, diagnostics));
    else if (strncmp(assignment, partition, sizeof partition - 1) == 0)
        WB_TRY(machine_set_partition(machine, assignment + sizeof partition - 1, diagnostics));
    else if (strncmp(assignment, others, sizeof others - 1) == 0)
        WB_TRY(machine_set_neighbours(machine, assignment + sizeof others - 1, diagnostics));
    else
        WB_TRY(set_figure(machine, assignment, diagnostics));
    const char *setting = arena_string(&machine->arena, assignment, strlen(assignment));
    if (setting == NULL || vec_push(&machine->settings, setting) != WB_OK)
        return diagnose_out_of_memory(diagnostics, assignment);
    return WB_OK;
}

/* What the models of whole GPUs and of wings take for granted. False with a sentence in *problem. */
static bool plain_only_check(const struct wb_machine *machine, struct text *problem) {
    bool caches = memory_has_hierarchy(&machine->memory);
    char model[MACHINE_NAME_MAX] = "l1_size";
    const bool is_of_wing = machine_unproven(machine) != NULL;
    if (!caches && !is_of_wing) return true;
    if (!caches) (void)text_format(model, sizeof model, "model %s", machine_model_name(machine));
    if (is_of_wing && fetch_can_stall(&machine->fetch)) {
        text_printf(problem, "model %s fetches without misses: fetch.size has to be 0, not %u",
                    machine_model_name(machine), machine->fetch.size);
        return false;
    }
    if (machine->warp_width != MACHINE_WARP_WIDTH)
        text_printf(problem, "%s: warp_width has to be %u, not %u", model, MACHINE_WARP_WIDTH,
                    machine->warp_width);
    else if (machine->barrier_release != 0)
        text_printf(problem, "%s: barrier_release has to be 0, not %u", model, machine->barrier_release);
    else if (machine->policy != MACHINE_POLICY_ANY)
        text_printf(problem, "%s: policy has to be any", model);
    return problem->length == 0;
}

wb_status wb_machine_check(const wb_machine *machine, wb_diagnostics *diagnostics) {
    struct text problem = {0};
    const struct isa_keys *keys = &isa_keys[machine_isa(machine)];
    bool fits = machine_memory_check(&machine->memory, &problem) &&
                machine_fetch_check(&machine->fetch, &problem) &&
                (keys->fits == NULL || keys->fits(machine, &problem)) &&
                plain_only_check(machine, &problem) && neighbours_check(machine, &problem);
    if (!fits)
        diagnose(diagnostics, SEVERITY_ERROR, machine->name, "%s", problem.failed ? "wrong" : problem.data);
    text_free(&problem);
    return fits ? WB_OK : WB_ERR_INPUT;
}
