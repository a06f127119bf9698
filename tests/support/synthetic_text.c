#include "synthetic_text.h"

#include <string.h>

#include "base/files.h"
#include "warp/timed/timed.h"

/* The block's name, with the quotes that YAML may want around it. */
static const struct field name_field = {
    .key = "block", .kind = FIELD_TEXT, .offset = offsetof(struct wb_machine, name)};

/* The times of instructions on one unit: the first of a unit stand with its name, further ones get names of
 * their own. */
struct print_kind {
    uint8_t unit;
    uint32_t init, latency, least;
};

struct print_kinds {
    struct print_kind items[SYNTHETIC_KINDS_MAX];
    uint32_t count;
};

static uint32_t class_of(struct print_kinds *classes, struct print_kind wanted) {
    for (uint32_t i = 0; i < classes->count; i++) {
        const struct print_kind *kind = &classes->items[i];
        if (kind->unit == wanted.unit && kind->init == wanted.init && kind->latency == wanted.latency &&
            kind->least == wanted.least)
            return i;
    }
    if (classes->count < SYNTHETIC_KINDS_MAX) classes->items[classes->count++] = wanted;
    return classes->count - 1;
}

static struct print_kind kind_of(const struct timed_inst *inst) {
    return (struct print_kind){inst->unit, inst->init, inst->latency, inst->latency_least};
}

/* Kinds are named A, B, ..., then a, b, ...: letters only, as the notation wants it. */
static void put_kind_name(struct text *out, uint32_t kind) {
    text_char(out, (char)(kind < 26 ? 'A' + (int)kind : 'a' + (int)kind - 26));
}

/* The kinds in the order of their first instructions; units without instructions behind them, since a file
 * must name a unit. */
static struct print_kinds collect_kinds(const struct synthetic_block *block) {
    struct print_kinds classes = {.count = 0};
    uint64_t used = 0; /* bit u: unit u has a kind */
    for (uint32_t i = 0; i < block->timed.code.inst_count; i++) {
        const struct timed_inst *inst = &block->timed.code.insts[i];
        if (inst->unit == UNIT_NONE) continue;
        (void)class_of(&classes, kind_of(inst));
        used |= UINT64_C(1) << inst->unit;
    }
    for (uint32_t u = 0; u < block->machine.unit_count; u++)
        if (!(used >> u & 1)) (void)class_of(&classes, (struct print_kind){.unit = (uint8_t)u, .init = 1});
    return classes;
}

/* The kind that stands for the unit itself: its first. */
static uint32_t first_of_unit(const struct print_kinds *classes, uint8_t unit) {
    uint32_t kind = 0;
    while (classes->items[kind].unit != unit)
        kind++;
    return kind;
}

static void put_units(struct text *out, const struct synthetic_block *block,
                      const struct print_kinds *classes) {
    for (uint32_t i = 0; i < classes->count; i++) {
        const struct print_kind *kind = &classes->items[i];
        const struct machine_unit *unit = &block->machine.units[kind->unit];
        uint32_t first = first_of_unit(classes, kind->unit);
        if (i > 0) text_char(out, ' ');
        put_kind_name(out, i);
        if (first == i && !unit->shared) text_char(out, '/');
        if (first == i && unit->count != 1) text_printf(out, "*%u", unit->count);
        text_printf(out, "(%u,", kind->init);
        if (kind->least > 0) text_printf(out, "%u..", kind->least);
        text_printf(out, "%u)", kind->latency);
        if (first == i) continue;
        text_char(out, '@');
        put_kind_name(out, first);
    }
}

/* The operands of an instruction, and what it has to do with queues, in the notation of warp/synthetic. */
static void put_operands(struct text *out, const struct timed_code *code, const struct timed_inst *inst) {
    const struct timed_queue *copies = &code->queues[QUEUE_COPIES];
    const uint32_t *sources = code->operands + inst->first_operand;
    uint32_t waits = 0; /* 1 + since which commit */
    bool fence = false;
    for (uint32_t s = 0; s < inst->source_count; s++) {
        if (sources[s] < copies->first) text_printf(out, ".%u", sources[s]);
        const enum wait_queue queue = wait_queue_of(code, sources[s]);
        if (queue == QUEUE_COPIES) waits = 1 + sources[s] - copies->first;
        if (queue == QUEUE_ACCESSES) fence = true;
    }
    if (inst->joins >> QUEUE_COPIES & 1) text_char(out, '~');
    if (inst->commits >> QUEUE_COPIES & 1) text_char(out, '^');
    if (waits == 1) text_string(out, "?*");
    if (waits > 1) text_printf(out, "?%u", waits - 2);
    if (inst->joins >> QUEUE_ACCESSES & 1) text_char(out, '%');
    if (fence) text_char(out, '#');
}

static void put_program(struct text *out, const struct synthetic_block *block, struct print_kinds *classes,
                        const struct path *path) {
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    while (path_next(&cursor, &step)) {
        const struct timed_inst *inst = &block->timed.code.insts[step.instruction];
        text_char(out, ' ');
        if (inst->unit == UNIT_NONE) {
            text_char(out, '|');
            continue;
        }
        put_kind_name(out, class_of(classes, kind_of(inst)));
        put_operands(out, &block->timed.code, inst);
        if (inst->barrier) text_char(out, '!');
    }
}

/* The warps of a block, program by program: those that follow each other on one path have one program, which
 * lies in memory once. */
static void put_programs(struct text *out, const struct synthetic_block *block,
                         const struct timed_block *timed, struct print_kinds *classes, const char *first,
                         const char *next, const char *end) {
    const char *separator = first;
    for (uint32_t w = 0, copies; w < timed->warp_count; w += copies) {
        copies = 1;
        while (w + copies < timed->warp_count && timed->warp_path[w + copies] == timed->warp_path[w])
            copies++;
        text_printf(out, "%s%ux", separator, copies);
        put_program(out, block, classes, &timed->paths[timed->warp_path[w]]);
        text_string(out, end);
        separator = next;
    }
}

static void put_warps(struct text *out, const struct synthetic_block *block, const struct timed_block *timed,
                      struct print_kinds *classes) {
    text_string(out, "warps:\n");
    put_programs(out, block, timed, classes, "  - \"", "  - \"", "\"\n");
}

/* Where instructions are fetched from, if that takes time. */
static void put_fetch(struct text *out, const struct machine_fetch *fetch) {
    if (!fetch_can_stall(fetch)) return;
    const char *separator = "fetch: {";
    for (const struct field *field = machine_fetch_fields; field->key != NULL; field++) {
        text_printf(out, "%s%s: ", separator, field->key);
        field_print(field, fetch, out);
        separator = ", ";
    }
    text_string(out, "}\n");
}

/* What of the machine only grids have: the keys of its memory system that differ from a machine of which a
 * file says nothing. */
static void put_memory(struct text *out, const struct wb_machine *machine) {
    struct machine_memory defaults;
    const char *separator = "{";
    machine_memory_defaults(&defaults);
    text_string(out, "memory: ");
    for (const struct field *field = machine_memory_fields; field->key != NULL; field++) {
        struct text value = {0}, unstated = {0};
        field_print(field, &machine->memory, &value);
        field_print(field, &defaults, &unstated);
        bool stated = value.failed || unstated.failed || strcmp(value.data, unstated.data) != 0;
        /* a grid's dispatcher is another one than a machine's where nothing is said */
        if (stated || field->offset == offsetof(struct machine_memory, dispatch)) {
            text_printf(out, "%s%s: %s", separator, field->key, value.failed ? "" : value.data);
            separator = ", ";
        }
        text_free(&value);
        text_free(&unstated);
    }
    text_string(out, "}\n");
}

/* The blocks of a grid, a kind each. */
static void put_blocks(struct text *out, const struct synthetic_block *block, struct print_kinds *classes) {
    text_string(out, "blocks:\n");
    for (size_t k = 0; k < block->classes.count; k++) {
        const struct timed_block *timed = &block->classes.items[k].timed;
        text_printf(out, "  - \"%u*", block->classes.items[k].count);
        put_programs(out, block, timed, classes, " ", "; ", "");
        text_string(out, "\"\n");
    }
}

void synthetic_block_print(const struct synthetic_block *block, struct text *out) {
    const struct wb_machine *machine = &block->machine;
    struct print_kinds classes = collect_kinds(block);
    text_string(out, "block: ");
    field_print(&name_field, machine, out);
    text_char(out, '\n');
    if (machine->dispatch_depth != DEPTH_UNLIMITED)
        text_printf(out, "dispatch_depth: %u\n", machine->dispatch_depth);
    if (machine->barrier_release != 0) text_printf(out, "barrier_release: %u\n", machine->barrier_release);
    if (machine->issue_per_warp != 1) text_printf(out, "issue_per_warp: %u\n", machine->issue_per_warp);
    text_printf(out, "issue_width: %u\nsub_cores: %u\nunits: \"", machine->issue_width, machine->sub_cores);
    put_units(out, block, &classes);
    text_string(out, "\"\n");
    put_fetch(out, &machine->fetch);
    if (!block->is_grid) {
        put_warps(out, block, &block->timed, &classes);
        return;
    }
    text_printf(out, "resident: %u\n", machine->limits.blocks);
    if (block->memory_unit != UNIT_NONE) {
        text_string(out, "memory_unit: ");
        put_kind_name(out, first_of_unit(&classes, block->memory_unit));
        text_char(out, '\n');
    }
    put_memory(out, machine);
    put_blocks(out, block, &classes);
}
