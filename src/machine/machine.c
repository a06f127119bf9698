#include "machine/machine.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- Memory ---- */

/* Largest cache, in bytes; most ways, SMs, partitions, channels and entries. */
#define CACHE_BYTES_MAX (1u << 28)
#define COUNT_MAX 1024u

/* Most requests of an SM that may be on their way to a memory without caches. */
#define OUTSTANDING_MAX 65536u

/* Names of the enumerations of struct machine_memory. */
static const char *const request_rules[] = {"ideal", "fermi", "volta", NULL};
static const char *const arbiters[] = {"fifo", "round_robin", "any", NULL};
static const char *const store_policies[] = {"evict", "update", NULL};
static const char *const victims[] = {"bypass", "stall", NULL};
static const char *const dispatches[] = {"static", "greedy", "round_robin", "most_free", "any", NULL};

const struct field machine_memory_fields[] = {
    WORD_ROW(machine_memory, "requests", requests, request_rules),
    NUMBER_ROW(machine_memory, "request_cycles", request_cycles, 1, COUNT_MAX),
    NUMBER_ROW(machine_memory, "service", service, 0, MACHINE_TIME_MAX),
    WORD_ROW(machine_memory, "arbiter", arbiter, arbiters),
    NUMBER_ROW(machine_memory, "outstanding", outstanding, 0, OUTSTANDING_MAX),
    NUMBER_ROW(machine_memory, "l1_size", l1.bytes, 0, CACHE_BYTES_MAX),
    NUMBER_ROW(machine_memory, "l1_ways", l1.ways, 1, COUNT_MAX),
    NUMBER_ROW(machine_memory, "l1_line", l1.line_bytes, 1, COUNT_MAX),
    NUMBER_ROW(machine_memory, "l1_sector", l1.sector_bytes, 1, COUNT_MAX),
    BOOL_ROW(machine_memory, "l1_hash", l1.hashed),
    WORD_ROW(machine_memory, "l1_store", l1_store, store_policies),
    WORD_ROW(machine_memory, "l1_victim", l1_victim, victims),
    NUMBER_ROW(machine_memory, "l1_latency", l1_latency, 0, MACHINE_TIME_MAX),
    NUMBER_ROW(machine_memory, "l1_mshrs", l1_mshrs, 1, COUNT_MAX),
    NUMBER_ROW(machine_memory, "noc_latency", noc_latency, 1, MACHINE_TIME_MAX),
    NUMBER_ROW(machine_memory, "l2_size", l2.bytes, 1, CACHE_BYTES_MAX),
    NUMBER_ROW(machine_memory, "l2_ways", l2.ways, 1, COUNT_MAX),
    NUMBER_ROW(machine_memory, "l2_line", l2.line_bytes, 1, COUNT_MAX),
    NUMBER_ROW(machine_memory, "l2_sector", l2.sector_bytes, 1, COUNT_MAX),
    BOOL_ROW(machine_memory, "l2_hash", l2.hashed),
    NUMBER_ROW(machine_memory, "l2_partitions", l2_partitions, 1, COUNT_MAX),
    NUMBER_ROW(machine_memory, "l2_latency", l2_latency, 0, MACHINE_TIME_MAX),
    NUMBER_ROW(machine_memory, "l2_service", l2_service, 1, MACHINE_TIME_MAX),
    NUMBER_ROW(machine_memory, "dram_latency", dram_latency, 0, MACHINE_TIME_MAX),
    NUMBER_ROW(machine_memory, "dram_service", dram_service, 1, MACHINE_TIME_MAX),
    NUMBER_ROW(machine_memory, "reply_service", reply_service, 1, MACHINE_TIME_MAX),
    NUMBER_ROW(machine_memory, "sms", sms, 1, COUNT_MAX),
    WORD_ROW(machine_memory, "dispatch", dispatch, dispatches),
    NUMBER_ROW(machine_memory, "dispatch_latency", dispatch_latency, 0, MACHINE_TIME_MAX),
    NUMBER_ROW(machine_memory, "dispatch_service", dispatch_service, 0, MACHINE_TIME_MAX),
    NUMBER_ROW(machine_memory, "channels", channels, 1, COUNT_MAX),
    NUMBER_ROW(machine_memory, "channel_depth", channel_depth, 1, COUNT_MAX),
    {0},
};

void machine_memory_defaults(struct machine_memory *memory) {
    *memory = (struct machine_memory){
        .request_cycles = 1,
        .l1 = {.ways = 4, .line_bytes = MEMORY_LINE_BYTES, .sector_bytes = MEMORY_LINE_BYTES},
        .l2 = {.bytes = 256 * 1024,
               .ways = 8,
               .line_bytes = MEMORY_LINE_BYTES,
               .sector_bytes = MEMORY_LINE_BYTES},
        .l1_latency = 1,
        .l1_mshrs = 32,
        .noc_latency = 32,
        .l2_partitions = 1,
        .l2_service = 1,
        .dram_service = 1,
        .reply_service = 1,
        .sms = 1,
        .channels = 48,
        .channel_depth = 10,
    };
}

const char *memory_arbiter_name(const struct machine_memory *memory) {
    return arbiters[memory->arbiter];
}

const char *memory_requests_name(const struct machine_memory *memory) {
    return request_rules[memory->requests];
}

static bool is_power_of_two(uint32_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

/* What a cache has to fit. */
struct cache_demand {
    const char *name;      /* "l1" or "l2" */
    uint32_t sector_bytes; /* the least: whoever asks the cache asks for so many bytes */
    uint32_t parts;        /* that it is divided into */
};

/* False with a sentence in *problem when no cache looks like that. */
static bool geometry_check(const struct cache_geometry *geometry, const struct cache_demand *demand,
                           struct text *problem) {
    const char *name = demand->name;
    if (!is_power_of_two(geometry->line_bytes) || !is_power_of_two(geometry->sector_bytes) ||
        geometry->sector_bytes > geometry->line_bytes || geometry->sector_bytes < demand->sector_bytes ||
        geometry->line_bytes / geometry->sector_bytes > CACHE_SECTORS_MAX) {
        text_printf(
            problem,
            "%s_line and %s_sector: expected powers of two, a sector of at least %u bytes (one request) "
            "and a line of 1 to %u sectors, got %u and %u",
            name, name, demand->sector_bytes, CACHE_SECTORS_MAX, geometry->line_bytes,
            geometry->sector_bytes);
        return false;
    }
    uint64_t way_bytes = (uint64_t)geometry->ways * geometry->line_bytes;
    if (geometry->bytes % (way_bytes * demand->parts) == 0) return true;
    text_printf(problem, "%s_size: %u bytes", name, geometry->bytes);
    if (demand->parts > 1) text_printf(problem, " in %u partitions", demand->parts);
    text_printf(problem, " are not a whole number of sets of %u lines of %u bytes", geometry->ways,
                geometry->line_bytes);
    return false;
}

bool machine_memory_check(const struct machine_memory *memory, struct text *problem) {
    if (memory->outstanding != 0 && memory->service == 0) {
        text_string(problem, "outstanding is for a memory that all SMs share: also expected service above 0");
        return false;
    }
    if (!memory_has_hierarchy(memory)) return true;
    if (memory->dispatch_service > 0) {
        text_string(problem, "dispatch_service is for machines without caches (l1_size)");
        return false;
    }
    if (memory->requests == REQUESTS_IDEAL) {
        text_string(problem, "a machine with l1_size needs requests: fermi or volta");
        return false;
    }
    const struct cache_demand l1 = {"l1", memory_request_bytes(memory), 1};
    const struct cache_demand l2 = {"l2", memory->l1.sector_bytes, memory->l2_partitions};
    return geometry_check(&memory->l1, &l1, problem) && geometry_check(&memory->l2, &l2, problem);
}

/* ---- Instruction fetch ---- */

#define FETCH_BUFFER_MAX 64u

/* Sizes of machine instructions that there are: up to Pascal, and since Volta. */
#define NARROW_INSTRUCTION 8u
#define WIDE_INSTRUCTION 16u

const struct field machine_fetch_fields[] = {
    NUMBER_ROW(machine_fetch, "size", size, 0, FETCH_BYTES_MAX),
    NUMBER_ROW(machine_fetch, "ways", ways, 1, COUNT_MAX),
    NUMBER_ROW(machine_fetch, "line", line, NARROW_INSTRUCTION, COUNT_MAX),
    NUMBER_ROW(machine_fetch, "instruction_bytes", instruction_bytes, NARROW_INSTRUCTION, WIDE_INSTRUCTION),
    NUMBER_ROW(machine_fetch, "buffer", buffer, 1, FETCH_BUFFER_MAX),
    NUMBER_ROW(machine_fetch, "per_cycle", per_cycle, 1, COUNT_MAX),
    NUMBER_ROW(machine_fetch, "latency", latency, 0, MACHINE_TIME_MAX),
    NUMBER_ROW(machine_fetch, "miss_latency", miss_latency, 1, MACHINE_TIME_MAX),
    NUMBER_ROW(machine_fetch, "misses", misses, 1, COUNT_MAX),
    {0},
};

void machine_fetch_defaults(struct machine_fetch *fetch) {
    *fetch = (struct machine_fetch){.ways = 4,
                                    .line = MEMORY_LINE_BYTES,
                                    .instruction_bytes = WIDE_INSTRUCTION,
                                    .buffer = 2,
                                    .per_cycle = 1,
                                    .miss_latency = 1,
                                    .misses = 1};
}

bool machine_fetch_check(const struct machine_fetch *fetch, struct text *problem) {
    if (!fetch_can_stall(fetch)) return true;
    if (fetch->instruction_bytes != NARROW_INSTRUCTION && fetch->instruction_bytes != WIDE_INSTRUCTION)
        text_printf(problem, "instruction_bytes: expected %u or %u, got %u", NARROW_INSTRUCTION,
                    WIDE_INSTRUCTION, fetch->instruction_bytes);
    else if ((fetch->line & (fetch->line - 1)) != 0 || fetch->line < fetch->instruction_bytes)
        text_printf(problem, "line: expected a power of two of at least one instruction (%u bytes), got %u",
                    fetch->instruction_bytes, fetch->line);
    else if (fetch->size % (fetch->ways * fetch->line) != 0)
        text_printf(problem, "size: %u bytes are not a whole number of sets of %u lines of %u bytes",
                    fetch->size, fetch->ways, fetch->line);
    return problem->length == 0 && !problem->failed;
}

wb_status machine_fetch_read(const struct ytree *document, const struct ytree_node *value,
                             struct machine_fetch *fetch) {
    WB_TRY(ytree_read_fields(document, value, machine_fetch_fields, fetch));
    struct text problem = {0};
    wb_status status = WB_OK;
    if (!machine_fetch_check(fetch, &problem))
        status = ytree_error(document, value, "fetch: %s", problem.failed ? "wrong" : problem.data);
    text_free(&problem);
    return status;
}

/* ---- The machine ---- */

const char *wb_machine_name(const wb_machine *machine) {
    return machine->name;
}

const char *machine_unproven(const struct wb_machine *machine) {
#define X(name) [MACHINE_MODEL_##name] = MACHINE_UNPROVEN_##name,
    static const char *const reasons[MACHINE_SASS + 1] = {MACHINE_MODELS(X)[MACHINE_SASS] = NULL};
#undef X
    return reasons[machine->model];
}

bool wb_machine_takes_grids(const wb_machine *machine) {
    return machine_unproven(machine) == NULL;
}

uint32_t wb_machine_architecture(const wb_machine *machine) {
    return wb_machine_takes_ptx(machine) ? 0 : machine->sass.sm;
}

bool wb_machine_takes_ptx(const wb_machine *machine) {
    return machine_isa(machine) == ISA_PTX;
}

const char *wb_machine_policies(const wb_machine *machine) {
    if (machine->policy == MACHINE_POLICY_OLDEST) return "oldest";
    static const char *const policies[] = {[ISA_PTX] = "lrr,gto", [ISA_SASS] = "cggty,gto,lrr"};
    return policies[machine_isa(machine)];
}

uint32_t wb_machine_warp_width(const wb_machine *machine) {
    return machine->warp_width;
}

bool wb_machine_needs_accesses(const wb_machine *machine) {
    return machine_unproven(machine) != NULL || machine->memory.requests != REQUESTS_IDEAL;
}

uint32_t machine_latency_least(const struct wb_machine *machine, enum ptx_class class) {
    const struct machine_class *of = &machine->classes[class];
    const struct field_least none = {0};
    const struct field_least base = of->plus == LATENCY_PLUS_MEM      ? machine->mem_least
                                    : of->plus == LATENCY_PLUS_SHARED ? machine->shared_least
                                                                      : none;
    const bool exact = machine->exact_arithmetic && machine_class_is_arithmetic(class);
    const uint32_t own = of->latency_least.stated ? of->latency_least.value : exact ? of->latency : 0;
    return own + base.value;
}

/* ---- Units, classes and limits in a machine file ---- */

/* Most instances of a unit. */
#define UNIT_COUNT_MAX 64u

/* Largest occupancy limit: room for any memory size of an SM. */
#define LIMIT_MAX (1u << 30)

/* Names of enum latency_base. */
static const char *const latency_bases[] = {"none", "mem_latency", "shared_latency", NULL};

const struct field machine_limit_fields[] = {
    NUMBER_ROW(wb_machine, "blocks", limits.blocks, 0, LIMIT_MAX),
    NUMBER_ROW(wb_machine, "warps", limits.warps, 0, LIMIT_MAX),
    NUMBER_ROW(wb_machine, "threads", limits.threads, 0, LIMIT_MAX),
    NUMBER_ROW(wb_machine, "threads_per_block", limits.threads_per_block, 0, LIMIT_MAX),
    NUMBER_ROW(wb_machine, "registers", limits.registers, 0, LIMIT_MAX),
    NUMBER_ROW(wb_machine, "shared_bytes", limits.shared_bytes, 0, LIMIT_MAX),
    NUMBER_ROW(wb_machine, "thread_registers", limits.thread_registers, 0, LIMIT_MAX),
    NUMBER_ROW(wb_machine, "shared_per_block", limits.shared_per_block, 0, LIMIT_MAX),
    NUMBER_ROW(wb_machine, "register_unit", limits.register_unit, 0, LIMIT_MAX),
    NUMBER_ROW(wb_machine, "warp_unit", limits.warp_unit, 0, LIMIT_MAX),
    NUMBER_ROW(wb_machine, "shared_unit", limits.shared_unit, 0, LIMIT_MAX),
    NUMBER_ROW(wb_machine, "shared_reserved", limits.shared_reserved, 0, LIMIT_MAX),
    {0},
};

const struct field machine_unit_fields[] = {
    TEXT_ROW(machine_unit, "name", name, FIELD_NAME, MACHINE_NAME_MAX, .required = true),
    NUMBER_ROW(machine_unit, "count", count, 1, UNIT_COUNT_MAX),
    BOOL_ROW(machine_unit, "shared", shared),
    {0},
};

const struct field machine_class_fields[] = {
    TEXT_ROW(class_entry, "unit", unit, FIELD_NAME, MACHINE_NAME_MAX, .required = true),
    NUMBER_ROW(class_entry, "init", init, 1, MACHINE_TIME_MAX, .required = true),
    INTERVAL_ROW(class_entry, "latency", latency, latency_least, 0, MACHINE_TIME_MAX, .required = true),
    WORD_ROW(class_entry, "plus", plus, latency_bases),
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
    assert(from->unit == UNIT_NONE || from->unit < machine->unit_count);
    struct class_entry entry = {.init = from->init,
                                .latency = from->latency,
                                .latency_least = from->latency_least,
                                .plus = from->plus};
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

void machine_take_over_classes(struct wb_machine *machine) {
    for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++) {
        struct machine_class *class = &machine->classes[c];
        const enum ptx_class wider = ptx_class_wider((enum ptx_class)c);
        if (wider == (enum ptx_class)c || (class->given && !class->taken_over)) continue;
        *class = machine->classes[wider];
        class->taken_over = class->given;
    }
}

void class_entry_apply(const struct class_entry *entry, struct wb_machine *machine, enum ptx_class class) {
    uint8_t unit = UNIT_NONE;
    const bool found = machine_unit_find(machine, entry->unit, &unit);
    assert(found && "checked by class_entry_check");
    (void)found;
    machine->classes[class] = (struct machine_class){
        .given = true,
        .unit = unit,
        .init = entry->init,
        .latency = entry->latency,
        .latency_least = entry->latency_least,
        .plus = (enum latency_base)entry->plus,
    };
    machine_take_over_classes(machine);
}

enum ptx_class machine_class_find(const char *name) {
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++)
        if (strcmp(ptx_class_name((enum ptx_class)i), name) == 0) return (enum ptx_class)i;
    return PTX_CLASS_COUNT;
}

void machine_class_unknown(const char *name, bool of_sass, struct text *out) {
    const char *names[PTX_CLASS_COUNT + SASS_CLASS_COUNT];
    const uint32_t count = of_sass ? SASS_CLASS_COUNT : PTX_CLASS_COUNT;
    for (uint32_t i = 0; i < count; i++)
        names[i] = of_sass ? sass_class_name((enum sass_class)i) : ptx_class_name((enum ptx_class)i);
    const char *nearest = wb_nearest_name(name, names, count);
    text_printf(out, "unknown %s '%.60s'; ", of_sass ? "class of machine instructions" : "opcode class",
                name);
    if (nearest != NULL) {
        text_printf(out, "did you mean '%s'?", nearest);
        return;
    }
    text_string(out, "expected one of: ");
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "%s%s", i == 0 ? "" : ", ", names[i]);
}

/* ---- Deadlines in cycles or in time ---- */

/* Units of time and the power of ten of their parts of a second. */
static const struct {
    const char *name;
    uint32_t places;
    wb_unit unit;
} time_units[] = {{"s", 0, WB_UNIT_S},          {"ms", 3, WB_UNIT_MS},
                  {"us", 6, WB_UNIT_US},        {"ns", 9, WB_UNIT_NS},
                  {"\xc2\xb5s", 6, WB_UNIT_US}, {"\xce\xbcs", 6, WB_UNIT_US}}; /* the micro sign, and mu */

/* The unit behind the number of a deadline; "" is cycles. */
static const char *unit_text(const char *deadline) {
    const char *unit = deadline + strspn(deadline, "0123456789.");
    return unit + strspn(unit, " ");
}

wb_unit wb_deadline_unit(const char *deadline) {
    const char *unit = unit_text(deadline);
    for (size_t i = 0; i < sizeof time_units / sizeof *time_units; i++)
        if (strcmp(unit, time_units[i].name) == 0) return time_units[i].unit;
    return WB_UNIT_CYCLES;
}

/* floor(time * clock), exactly: time is digits / 10^(scale + places) seconds. At most 2^64 * 10^11 fits 128
 * bits. False when the result does not fit 64 bits. */
static bool time_to_cycles(struct decimal time, uint32_t places, double clock_mhz, uint64_t *result) {
    uint64_t hertz = (uint64_t)llround(clock_mhz * 1e6);
    unsigned __int128 product = (unsigned __int128)time.digits * hertz;
    product /= number_power_of_ten(time.scale + places);
    if (product >= CYCLES_SATURATED) return false;
    *result = (uint64_t)product;
    return true;
}

/* A deadline as it is written. */
struct written_deadline {
    struct decimal number;
    bool in_cycles;
    uint32_t places; /* of a time: of its unit */
};

/* NULL, or what is wrong with the text. */
static const char *read_deadline(const char *text, struct written_deadline *deadline) {
    const size_t length = strspn(text, "0123456789.");
    const char *unit = unit_text(text);
    *deadline = (struct written_deadline){.in_cycles = unit[0] == '\0' || strcmp(unit, "cycles") == 0};
    if (text[0] == '-') return "a deadline cannot be before the start";
    if (!number_decimal(text, length, &deadline->number))
        return "expected a deadline such as '4500', '4500 cycles', '100us', '1.5ms' or '2s'";
    if (deadline->number.digits == 0) return "expected a deadline above 0";
    if (deadline->in_cycles)
        return deadline->number.scale != 0 || deadline->number.digits == CYCLES_SATURATED
                   ? "expected a whole number of cycles, below 2^64 - 1"
                   : NULL;
    for (size_t i = 0; i < sizeof time_units / sizeof *time_units; i++) {
        if (strcmp(unit, time_units[i].name) != 0) continue;
        deadline->places = time_units[i].places;
        return NULL;
    }
    return "unknown unit; expected cycles, ns, us, ms or s";
}

const char *deadline_problem(const char *text) {
    struct written_deadline unused;
    return read_deadline(text, &unused);
}

wb_status wb_deadline_cycles(const wb_machine *machine, const char *deadline, wb_diagnostics *diagnostics,
                             uint64_t *deadline_cycles) {
    struct written_deadline read;
    const char *problem = read_deadline(deadline, &read);
    if (problem == NULL && read.in_cycles)
        *deadline_cycles = read.number.digits;
    else if (problem == NULL &&
             !time_to_cycles(read.number, read.places, machine->clock_mhz, deadline_cycles))
        problem = "more cycles than 64 bits can count";
    if (problem == NULL) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, deadline, "%s", problem);
    return WB_ERR_INPUT;
}
