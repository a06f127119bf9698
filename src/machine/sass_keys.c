#include "machine/files.h"

#include <assert.h>
#include <string.h>

#include "base/base.h"

/* Column at which the entries of classes start. */
#define CLASS_COLUMN 21

/* ---- Units --------------------------------------------------------------------------------------------- */

static const char *const queue_words[] = {"unlimited", NULL};

const struct field machine_sass_unit_fields[] = {
    TEXT_ROW(machine_unit, "name", name, FIELD_NAME, MACHINE_NAME_MAX, .required = true),
    BOOL_ROW(machine_unit, "shared", shared),
    NUMBER_ROW(machine_unit, "queue", queue, 0, MACHINE_TIME_MAX, .words = queue_words),
    BOOL_ROW(machine_unit, "any_order", any_order),
    {0},
};

/* ---- The core ------------------------------------------------------------------------------------------ */

wb_status machine_sass_read(const struct ytree *document, const struct ytree_node *value,
                            struct machine_sass *sass) {
    WB_TRY(ytree_read_fields(document, value, machine_sass_fields, sass));
    struct text problem = {0};
    wb_status status = WB_OK;
    if (!machine_sass_check(sass, &problem))
        status = ytree_error(document, value, "%s", problem.failed ? "wrong" : problem.data);
    text_free(&problem);
    return status;
}

/* ---- Classes ------------------------------------------------------------------------------------------- */

struct sass_class_entry machine_sass_class_entry(const struct wb_machine *machine, enum sass_class class) {
    const char *names[MACHINE_UNITS_MAX];
    for (uint32_t u = 0; u < machine->unit_count; u++)
        names[u] = machine->units[u].name;
    return sass_class_entry_of(&machine->sass.classes[class], names);
}

/* How many stages an entry has. */
static uint32_t stage_count_of(const struct sass_class_entry *entry) {
    uint32_t count = 0;
    while (count < SASS_STAGES_MAX && entry->units[count][0] != '\0' &&
           strcmp(entry->units[count], "none") != 0)
        count++;
    return count;
}

/* What the key of a stage ends in. */
static const char *const suffixes[SASS_STAGES_MAX] = {"", "_2", "_3"};

static bool stage_check(const struct wb_machine *machine, const struct sass_class_entry *entry,
                        uint32_t stage, struct text *problem) {
    const char *name = entry->units[stage], *suffix = suffixes[stage];
    uint8_t unit;
    if (!machine_unit_find(machine, name, &unit)) {
        text_printf(problem, "no unit is named '%s'; expected ", name);
        for (uint32_t u = 0; u < machine->unit_count; u++)
            text_printf(problem, "%s, ", machine->units[u].name);
        text_string(problem, "or none");
    } else if (entry->stages[stage].init == 0) {
        text_printf(problem, "unit%s: also expected init%s, the cycles that it is held", suffix, suffix);
    }
    for (uint32_t other = 0; other < stage; other++)
        if (strcmp(entry->units[other], name) == 0)
            text_printf(problem, "unit%s: '%s' is also an earlier stage", suffix, name);
    /* What is on its way holds nothing. Were there few places behind it, those that came later could fill
     * them and keep units blocked meanwhile (docs/machine-code-bounds.md, M5). */
    if (problem->length == 0 && stage > 0 && entry->stages[stage - 1].transfer > 0 &&
        machine->units[unit].queue != DEPTH_UNLIMITED)
        text_printf(problem, "transfer%s: expected 0 before unit '%s', whose queue is not unlimited",
                    suffixes[stage - 1], name);
    return problem->length == 0;
}

/* What is stated of stages that there are not. */
static bool is_empty_stage(const struct sass_class_entry *entry, uint32_t stage) {
    return (stage == 0 || entry->units[stage][0] == '\0') && entry->stages[stage].init == 0 &&
           entry->stages[stage].each == 0 && entry->stages[stage].count == SASS_COUNT_NONE &&
           entry->stages[stage].transfer == 0;
}

bool machine_sass_class_check(const struct wb_machine *machine, const struct sass_class_entry *entry,
                              struct text *problem) {
    const uint32_t count = stage_count_of(entry);
    for (uint32_t stage = 0; stage < count && problem->length == 0; stage++)
        (void)stage_check(machine, entry, stage, problem);
    for (uint32_t stage = count; stage < SASS_STAGES_MAX && problem->length == 0; stage++)
        if (!is_empty_stage(entry, stage))
            text_printf(problem, "a stage has no unit: expected unit%s", suffixes[count]);
    uint8_t unit;
    if (problem->length != 0) return false;
    if (entry->fixed && count > 1)
        text_string(problem, "fixed: an instruction of fixed latency has one stage at most");
    else if (entry->fixed && (entry->write_most != 0 || entry->read_most != 0))
        text_string(problem, "fixed: classes of fixed latency have no counters: expected no write and read");
    else if (entry->fixed && count == 1 && machine_unit_find(machine, entry->units[0], &unit) &&
             machine->units[unit].queue != 0)
        text_printf(problem, "fixed: unit '%s' has a queue, which needs a variable latency", entry->units[0]);
    else if (entry->plus != SASS_PLUS_NONE && count == 0)
        text_string(problem, "plus: also expected a unit");
    return problem->length == 0;
}

void machine_sass_class_apply(const struct sass_class_entry *entry, struct wb_machine *machine,
                              enum sass_class class) {
    struct machine_sass_class made = {.given = true,
                                      .fixed = entry->fixed,
                                      .stage_count = (uint8_t)stage_count_of(entry),
                                      .write_least = entry->write_least,
                                      .read_least = entry->read_least,
                                      .write_most = entry->write_most,
                                      .read_most = entry->read_most,
                                      .plus = entry->plus};
    for (uint32_t s = 0; s < made.stage_count; s++) {
        struct machine_sass_stage *stage = &made.stages[s];
        const bool found = machine_unit_find(machine, entry->units[s], &stage->unit);
        assert(found && "checked by machine_sass_class_check");
        (void)found;
        stage->init = entry->stages[s].init;
        stage->each = entry->stages[s].each;
        stage->count = entry->stages[s].count;
        stage->transfer = entry->stages[s].transfer;
    }
    machine->sass.classes[class] = made;
}

wb_status machine_sass_class_read(const struct ytree *document, const struct ytree_node *value,
                                  struct wb_machine *machine) {
    const enum sass_class class = sass_class_find(value->key);
    struct text problem = {0};
    struct sass_class_entry entry = {0};
    wb_status status = WB_OK;
    if (class == SASS_CLASS_COUNT) {
        machine_class_unknown(value->key, true, &problem);
        status = ytree_key_error(document, value, "%s", problem.failed ? "unknown class" : problem.data);
    } else {
        const bool changes = ytree_find(value, "unit") == NULL; /* what a base has */
        if (changes && machine->sass.classes[class].given) entry = machine_sass_class_entry(machine, class);
        status = ytree_read_fields(document, value, sass_class_fields, &entry);
        if (status == WB_OK && changes && !machine->sass.classes[class].given)
            status = ytree_error(document, value, "%s: key 'unit' is missing, and no base has the class",
                                 value->key);
        if (status == WB_OK && !machine_sass_class_check(machine, &entry, &problem))
            status =
                ytree_error(document, value, "%s: %s", value->key, problem.failed ? "wrong" : problem.data);
    }
    if (status == WB_OK) machine_sass_class_apply(&entry, machine, class);
    text_free(&problem);
    return status;
}

/* ---- Waits for room ------------------------------------------------------------------------------------ */

/* Units from which an instruction can go on only to a place in a queue that can be full: bit v of on[u] for
 * unit v behind u, by the way of some class (docs/machine-code-bounds.md, section 1: v blocks back onto u).
 */
struct blocking {
    uint32_t on[MACHINE_UNITS_MAX];
};

/* Whether the class goes from the one unit to the other, which can be full. */
static bool class_blocks(const struct wb_machine *machine, enum sass_class class, uint32_t from,
                         uint32_t to) {
    const struct machine_sass_class *of = &machine->sass.classes[class];
    for (uint32_t s = 1; of->given && s < of->stage_count; s++)
        if (of->stages[s - 1].unit == from && of->stages[s].unit == to)
            return machine->units[to].queue != DEPTH_UNLIMITED;
    return false;
}

static struct blocking blocking_of(const struct wb_machine *machine) {
    struct blocking blocking = {{0}};
    for (uint32_t c = 0; c < SASS_CLASS_COUNT; c++)
        for (uint32_t u = 0; u < machine->unit_count; u++)
            for (uint32_t v = 0; v < machine->unit_count; v++)
                if (class_blocks(machine, (enum sass_class)c, u, v)) blocking.on[u] |= UINT32_C(1) << v;
    return blocking;
}

/* The units from which there is no end to what they wait for; 0: none. */
static uint32_t endless(const struct blocking *blocking) {
    uint32_t left = UINT32_MAX, before;
    do {
        before = left;
        for (uint32_t u = 0; u < MACHINE_UNITS_MAX; u++)
            if ((blocking->on[u] & left) == 0) left &= ~(UINT32_C(1) << u);
    } while (left != before);
    return left;
}

/* Appends the classes that go from the one unit to the other, the first of which is returned; how many. */
static enum sass_class list_ways(const struct wb_machine *machine, uint32_t from, uint32_t to,
                                 uint32_t *count, struct text *out) {
    enum sass_class first = SASS_CLASS_COUNT;
    *count = 0;
    for (uint32_t c = 0; c < SASS_CLASS_COUNT; c++) {
        if (!class_blocks(machine, (enum sass_class)c, from, to)) continue;
        if (first == SASS_CLASS_COUNT) first = (enum sass_class)c;
        text_printf(out, "%s%s", (*count)++ == 0 ? "" : ", ", sass_class_name((enum sass_class)c));
    }
    return first;
}

bool machine_sass_ways_check(const struct wb_machine *machine, struct text *problem,
                             enum sass_class *closing) {
    const struct blocking blocking = blocking_of(machine);
    const uint32_t left = endless(&blocking);
    uint32_t fewest = UINT32_MAX;
    if (left == 0) return true;
    uint32_t unit = (uint32_t)__builtin_ctz(left);
    for (uint32_t i = 0; i < MACHINE_UNITS_MAX; i++) /* into the circle, if not there */
        unit = (uint32_t)__builtin_ctz(blocking.on[unit] & left);
    const uint32_t first = unit;
    do {
        const uint32_t next = (uint32_t)__builtin_ctz(blocking.on[unit] & left);
        uint32_t count;
        text_printf(problem, "%s waits for a place at %s (", machine->units[unit].name,
                    machine->units[next].name);
        const enum sass_class class = list_ways(machine, unit, next, &count, problem);
        text_string(problem, next == first ? ")" : "), ");
        if (count < fewest) *closing = class;
        fewest = u32_min(fewest, count);
        unit = next;
    } while (unit != first);
    text_string(problem,
                ": instructions there could wait for each other for ever; expected the same order of "
                "units in all classes, or an unlimited queue");
    return false;
}

wb_status machine_sass_ways_read(const struct ytree *document, const struct wb_machine *machine) {
    enum sass_class closing;
    struct text problem = {0};
    wb_status status = WB_OK;
    if (!machine_sass_ways_check(machine, &problem, &closing)) {
        const struct ytree_node *classes = ytree_find(document->root, "classes");
        const struct ytree_node *place =
            classes == NULL ? NULL : ytree_find(classes, sass_class_name(closing));
        if (place == NULL) place = ytree_find(document->root, "units");
        status = ytree_error(document, place != NULL ? place : document->root, "%s",
                             problem.failed ? "wrong" : problem.data);
    }
    text_free(&problem);
    return status;
}

/* ---- What fits ----------------------------------------------------------------------------------------- */

bool machine_sass_fits(const struct wb_machine *machine, struct text *problem) {
    if (!machine_sass_check(&machine->sass, problem)) return false;
    for (uint32_t c = 0; c < SASS_CLASS_COUNT; c++) {
        const struct sass_class_entry entry = machine_sass_class_entry(machine, (enum sass_class)c);
        struct text reason = {0};
        if (machine->sass.classes[c].given && !machine_sass_class_check(machine, &entry, &reason))
            text_printf(problem, "%s: %s", sass_class_name((enum sass_class)c),
                        reason.failed ? "wrong" : reason.data);
        text_free(&reason);
        if (problem->length != 0) return false;
    }
    enum sass_class closing;
    if (!machine_sass_ways_check(machine, problem, &closing)) return false;
    const struct machine_sass *sass = &machine->sass;
    if (sass->clock_most > 0 &&
        (machine->clock_mhz < sass->clock_least.value || machine->clock_mhz > sass->clock_most))
        text_printf(problem, "clock_mhz: %g MHz is outside sass.clock, [%u, %u]", machine->clock_mhz,
                    sass->clock_least.value, sass->clock_most);
    else if (machine->warp_width != MACHINE_WARP_WIDTH)
        text_printf(problem, "warp_width: machine code has warps of %u threads, not %u", MACHINE_WARP_WIDTH,
                    machine->warp_width);
    else if (memory_has_hierarchy(&machine->memory) || machine->memory.service != 0)
        text_string(
            problem,
            "l1_size and service are for machines that time PTX; latencies by level are keys of `sass`");
    else if (machine->memory.requests != REQUESTS_VOLTA)
        text_string(problem, "requests: expected volta, since requests of machine code are counted");
    return problem->length == 0;
}

/* ---- Printing ------------------------------------------------------------------------------------------ */

/* Whether a value is the one that a class has that does not state it. */
static bool is_default(const struct field *field, const void *target) {
    const void *member = (const char *)target + field->offset;
    switch (field->kind) {
    case FIELD_NAME: return *(const char *)member == '\0';
    case FIELD_BOOL: return !*(const bool *)member;
    case FIELD_U32:
    case FIELD_WORD: return *(const uint32_t *)member == 0;
    case FIELD_INTERVAL:
        return *(const uint32_t *)member == 0 &&
               !((const struct field_least *)((const char *)target + field->least_offset))->stated;
    default: return false;
    }
}

static void print_class(const struct wb_machine *machine, enum sass_class class, struct text *out) {
    const struct sass_class_entry entry = machine_sass_class_entry(machine, class);
    text_printf(out, "  %s:", sass_class_name(class));
    text_pad(out, CLASS_COLUMN);
    text_printf(out, " {unit: %s", entry.units[0][0] == '\0' ? "none" : entry.units[0]);
    for (const struct field *field = sass_class_fields + 1; field->key != NULL; field++) {
        if (is_default(field, &entry)) continue;
        text_printf(out, ", %s: ", field->key);
        field_print(field, &entry, out);
    }
    text_string(out, "}\n");
}

void machine_sass_classes_print(const struct wb_machine *machine, struct text *out) {
    uint32_t given = 0;
    for (uint32_t c = 0; c < SASS_CLASS_COUNT; c++)
        given += machine->sass.classes[c].given;
    text_string(out, given > 0 ? "classes:\n" : "classes: {}\n");
    for (uint32_t c = 0; c < SASS_CLASS_COUNT; c++)
        if (machine->sass.classes[c].given) print_class(machine, (enum sass_class)c, out);
}

void machine_sass_print(const struct wb_machine *machine, struct text *out) {
    text_string(out, "sass:\n");
    for (const struct field *field = machine_sass_fields; field->key != NULL; field++) {
        text_printf(out, "  %s: ", field->key);
        field_print(field, &machine->sass, out);
        text_char(out, '\n');
    }
}
