#include "machine/schema.h"

#include <string.h>

#include "base/suggest.h"

/* Most instances of a unit. */
#define COUNT_MAX 64u

/* Largest occupancy limit: room for any memory size of an SM. */
#define LIMIT_MAX (1u << 30)

/* Names of enum latency_base. */
static const char *const latency_bases[] = {"none", "mem_latency", "shared_latency", NULL};

#define LIMIT_FIELD(member)                                                                                  \
    {                                                                                                        \
        .key = #member, .kind = FIELD_U32, .offset = offsetof(struct wb_machine, limits.member),             \
        .maximum = LIMIT_MAX                                                                                 \
    }

const struct field machine_limit_fields[] = {
    LIMIT_FIELD(blocks),
    LIMIT_FIELD(warps),
    LIMIT_FIELD(threads),
    LIMIT_FIELD(threads_per_block),
    LIMIT_FIELD(registers),
    LIMIT_FIELD(shared_bytes),
    LIMIT_FIELD(thread_registers),
    LIMIT_FIELD(shared_per_block),
    LIMIT_FIELD(register_unit),
    LIMIT_FIELD(warp_unit),
    LIMIT_FIELD(shared_unit),
    LIMIT_FIELD(shared_reserved),
    {0},
};

const struct field machine_unit_fields[] = {
    {.key = "name",
     .kind = FIELD_NAME,
     .required = true,
     .offset = offsetof(struct machine_unit, name),
     .maximum = MACHINE_NAME_MAX},
    {.key = "count",
     .kind = FIELD_U32,
     .offset = offsetof(struct machine_unit, count),
     .minimum = 1,
     .maximum = COUNT_MAX},
    {.key = "shared", .kind = FIELD_BOOL, .offset = offsetof(struct machine_unit, shared)},
    {0},
};

const struct field machine_class_fields[] = {
    {.key = "unit",
     .kind = FIELD_NAME,
     .required = true,
     .offset = offsetof(struct class_entry, unit),
     .maximum = MACHINE_NAME_MAX},
    {.key = "init",
     .kind = FIELD_U32,
     .required = true,
     .offset = offsetof(struct class_entry, init),
     .minimum = 1,
     .maximum = MACHINE_TIME_MAX},
    {.key = "latency",
     .kind = FIELD_U32,
     .required = true,
     .offset = offsetof(struct class_entry, latency),
     .maximum = MACHINE_TIME_MAX},
    {.key = "plus", .kind = FIELD_WORD, .offset = offsetof(struct class_entry, plus), .words = latency_bases},
    {0},
};

bool machine_unit_find(const struct wb_machine *machine, const char *name, uint8_t *index) {
    if (strcmp(name, "none") == 0) {
        *index = UNIT_NONE;
        return true;
    }
    for (uint32_t i = 0; i < machine->unit_count; i++) {
        if (strcmp(machine->units[i].name, name) == 0) {
            *index = (uint8_t)i;
            return true;
        }
    }
    return false;
}

struct class_entry class_entry_of(const struct wb_machine *machine, enum ptx_class class) {
    const struct machine_class *from = &machine->classes[class];
    struct class_entry entry = {.init = from->init, .latency = from->latency, .plus = from->plus};
    const char *unit = from->unit == UNIT_NONE ? "none" : machine->units[from->unit].name;
    memcpy(entry.unit, unit, strlen(unit) + 1);
    return entry;
}

bool class_entry_check(const struct wb_machine *machine, const struct class_entry *entry,
                       struct text *problem) {
    uint8_t unit;
    if (!machine_unit_find(machine, entry->unit, &unit)) {
        text_printf(problem, "no unit is named '%s'; expected ", entry->unit);
        for (uint32_t i = 0; i < machine->unit_count; i++)
            text_printf(problem, "%s, ", machine->units[i].name);
        text_string(problem, "or none");
        return false;
    }
    if (unit == UNIT_NONE && (entry->init != 0 || entry->latency != 0 || entry->plus != LATENCY_FIXED)) {
        text_string(problem, "a class without a unit takes no time: expected no init, latency and plus");
        return false;
    }
    return true;
}

void class_entry_apply(const struct class_entry *entry, struct wb_machine *machine, enum ptx_class class) {
    uint8_t unit = UNIT_NONE;
    (void)machine_unit_find(machine, entry->unit, &unit);
    machine->classes[class] = (struct machine_class){
        .given = true,
        .unit = unit,
        .init = entry->init,
        .latency = entry->latency,
        .plus = (enum latency_base)entry->plus,
    };
}

enum ptx_class machine_class_find(const char *name) {
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++)
        if (strcmp(ptx_class_name((enum ptx_class)i), name) == 0) return (enum ptx_class)i;
    return PTX_CLASS_COUNT;
}

void machine_class_unknown(const char *name, struct text *out) {
    const char *names[PTX_CLASS_COUNT];
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++)
        names[i] = ptx_class_name((enum ptx_class)i);
    const char *nearest = suggest_nearest(name, names, PTX_CLASS_COUNT);
    text_printf(out, "unknown opcode class '%.60s'; ", name);
    if (nearest != NULL) {
        text_printf(out, "did you mean '%s'?", nearest);
        return;
    }
    text_string(out, "expected one of: ");
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++)
        text_printf(out, "%s%s", i == 0 ? "" : ", ", names[i]);
}
