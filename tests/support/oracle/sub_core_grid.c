#include "sub_core_grid.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The instructions of a path, one after another; the number of them, or UINT32_MAX when there are too many.
 */
static uint32_t write_out(const struct path *path, uint32_t insts[SUB_CORE_INSTS]) {
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    uint32_t count = 0;
    while (path_next(&cursor, &step)) {
        if (count == SUB_CORE_INSTS) return UINT32_MAX;
        insts[count++] = step.instruction;
    }
    return count;
}

/* The last instruction before position `at` that writes the register, as a bit; 0: none. */
static uint64_t writer_before(const struct timed_code *code, const uint32_t *insts, uint32_t at,
                              uint32_t reg) {
    for (uint32_t p = at; p-- > 0;) {
        const struct timed_inst *inst = &code->insts[insts[p]];
        const uint32_t *results = &code->operands[inst->first_operand + inst->source_count];
        for (uint32_t i = 0; i < inst->destination_count; i++)
            if (results[i] == reg) return UINT64_C(1) << p;
    }
    return 0;
}

static bool program_from(const struct timed_block *block, const struct path *path,
                         struct sub_core_program *program) {
    const struct timed_code *code = &block->code;
    uint32_t insts[SUB_CORE_INSTS];
    const uint32_t count = write_out(path, insts);
    if (count == UINT32_MAX) return false;
    *program = (struct sub_core_program){.count = count};
    for (uint32_t p = 0; p < count; p++) {
        const struct timed_inst *from = &code->insts[insts[p]];
        struct sub_core_inst *inst = &program->insts[p];
        if (from->joins != 0 || from->commits != 0) return false;
        if (from->unit == UNIT_NONE && (!from->barrier || from->latency > 0)) return false;
        *inst = (struct sub_core_inst){.unit = from->unit,
                                       .barrier = from->barrier,
                                       .bare = from->unit == UNIT_NONE,
                                       .init = from->init,
                                       .latency = from->latency};
        for (uint32_t i = 0; i < (uint32_t)from->source_count + from->destination_count; i++)
            inst->operands |= writer_before(code, insts, p, code->operands[from->first_operand + i]);
        if (inst->bare && inst->operands != 0) return false;
    }
    return true;
}

bool sub_core_grid_from(const struct synthetic_block *block, struct sub_core_grid *grid) {
    const struct wb_machine *machine = &block->machine;
    memset(grid, 0, sizeof *grid);
    if (machine->unit_count > SUB_CORE_UNITS || machine->sub_cores > SUB_CORES_MAX ||
        machine->issue_per_warp > 1 || block->classes.count > SUB_CORE_KINDS)
        return false;
    for (uint32_t q = 0; q < QUEUE_COUNT; q++)
        if (block->timed.code.queues[q].count > 0) return false;
    grid->sub_cores = machine->sub_cores;
    grid->width = machine->issue_width;
    grid->depth = machine->dispatch_depth;
    grid->release = machine->barrier_release;
    grid->sms = machine->memory.sms;
    grid->rooms = machine->limits.blocks;
    grid->is_static = machine->memory.dispatch == DISPATCH_STATIC;
    grid->delay = machine->memory.dispatch_latency;
    grid->service = machine->memory.dispatch_service;
    grid->unit_count = machine->unit_count;
    for (uint32_t u = 0; u < grid->unit_count; u++)
        grid->units[u] =
            (struct sub_core_unit){.shared = machine->units[u].shared, .instances = machine->units[u].count};
    grid->kind_count = (uint32_t)block->classes.count;
    for (uint32_t k = 0; k < grid->kind_count; k++) {
        const struct timed_block *timed = &block->classes.items[k].timed;
        struct sub_core_kind *kind = &grid->kinds[k];
        if (timed->warp_count > SUB_CORE_WARPS) return false;
        kind->blocks = block->classes.items[k].count;
        kind->warps = timed->warp_count;
        for (uint32_t w = 0; w < kind->warps; w++)
            if (!program_from(timed, &timed->paths[timed->warp_path[w]], &kind->programs[w])) return false;
    }
    return true;
}

void sub_core_grid_read(const char *units, const char *blocks, uint32_t sub_cores, uint32_t depth,
                        uint32_t rooms, struct sub_core_grid *grid) {
    struct synthetic_block block;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (synthetic_grid_parse(units, blocks, diagnostics, &block) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    machine_memory_defaults(&block.machine.memory);
    block.machine.memory.sms = 1;
    block.machine.memory.dispatch = DISPATCH_ANY;
    block.machine.sub_cores = sub_cores;
    block.machine.dispatch_depth = depth;
    block.machine.limits.blocks = rooms;
    if (!sub_core_grid_from(&block, grid)) fail_msg("too large: %s", blocks);
    synthetic_block_free(&block);
}

uint32_t sub_core_grid_blocks(const struct sub_core_grid *grid) {
    uint32_t blocks = 0;
    for (uint32_t k = 0; k < grid->kind_count; k++)
        blocks += grid->kinds[k].blocks;
    return blocks;
}

uint32_t sub_core_grid_warps(const struct sub_core_grid *grid) {
    uint32_t most = 0;
    for (uint32_t k = 0; k < grid->kind_count; k++)
        if (grid->kinds[k].warps > most) most = grid->kinds[k].warps;
    return most;
}

/* A letter for every unit and times that occur, those of a unit first. */
struct letters {
    uint32_t count;
    struct {
        uint8_t unit;
        uint32_t init, latency;
    } of[52];
};

static char letter_of(struct letters *letters, uint8_t unit, uint32_t init, uint32_t latency) {
    uint32_t i = 0;
    while (i < letters->count &&
           (letters->of[i].unit != unit || letters->of[i].init != init || letters->of[i].latency != latency))
        i++;
    if (i == 52) return '?';
    if (i == letters->count) {
        letters->of[i].unit = unit;
        letters->of[i].init = init;
        letters->of[i].latency = latency;
        letters->count++;
    }
    return (char)(i < 26 ? 'A' + (int)i : 'a' + (int)i - 26);
}

static void print_program(const struct sub_core_program *program, struct letters *letters, struct text *out) {
    uint32_t numbers[SUB_CORE_INSTS] = {0}, number = 0; /* bare barriers are not counted */
    for (uint32_t i = 0; i < program->count; i++) {
        const struct sub_core_inst *inst = &program->insts[i];
        numbers[i] = number;
        if (inst->bare) {
            text_string(out, " |");
            continue;
        }
        number++;
        text_printf(out, " %c", letter_of(letters, inst->unit, inst->init, inst->latency));
        for (uint32_t p = 0; p < i; p++)
            if ((inst->operands >> p & 1) != 0) text_printf(out, ".%" PRIu32, numbers[p]);
        if (inst->barrier) text_string(out, "!");
    }
}

void sub_core_grid_write(const struct sub_core_grid *grid, struct text *units, struct text *blocks) {
    struct letters letters = {0};
    for (uint32_t k = 0; k < grid->kind_count; k++) {
        text_printf(blocks, "%s%" PRIu32 "*", k > 0 ? " / " : "", grid->kinds[k].blocks);
        for (uint32_t w = 0; w < grid->kinds[k].warps; w++) {
            if (w > 0) text_string(blocks, ";");
            print_program(&grid->kinds[k].programs[w], &letters, blocks);
        }
    }
    uint8_t first[SUB_CORE_UNITS];
    memset(first, UINT8_MAX, sizeof first);
    for (uint32_t i = 0; i < letters.count; i++) {
        const uint8_t u = letters.of[i].unit;
        const char letter = (char)(i < 26 ? 'A' + (int)i : 'a' + (int)i - 26);
        text_printf(units, "%s%c", i > 0 ? " " : "", letter);
        if (first[u] == UINT8_MAX) {
            first[u] = (uint8_t)i;
            if (!grid->units[u].shared && grid->sub_cores > 1) text_string(units, "/");
            if (grid->units[u].instances > 1) text_printf(units, "*%" PRIu32, grid->units[u].instances);
        }
        text_printf(units, "(%" PRIu32 ",%" PRIu32 ")", letters.of[i].init, letters.of[i].latency);
        if (first[u] != i) text_printf(units, "@%c", first[u] < 26 ? 'A' + first[u] : 'a' + first[u] - 26);
    }
}

void sub_core_grid_print(const struct sub_core_grid *grid, struct text *out) {
    struct text units = {0}, blocks = {0};
    sub_core_grid_write(grid, &units, &blocks);
    text_printf(out, "\"%s\", \"%s\", %" PRIu32 ", ", units.data == NULL ? "" : units.data,
                blocks.data == NULL ? "" : blocks.data, grid->sub_cores);
    if (grid->depth == DEPTH_UNLIMITED)
        text_string(out, "DEPTH_UNLIMITED");
    else
        text_printf(out, "%" PRIu32, grid->depth);
    text_printf(out,
                ", %" PRIu32 " /* width %" PRIu32 ", release %" PRIu32 ", sms %" PRIu32 "%s, delay %" PRIu32
                ", service %" PRIu32 " */",
                grid->rooms, grid->width, grid->release, grid->sms, grid->is_static ? " static" : "",
                grid->delay, grid->service);
    text_free(&units);
    text_free(&blocks);
}
