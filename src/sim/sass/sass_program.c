/* What of machine code is the same on all SMs that execute it: the units that instructions come to in several
 * ways, and the lines of its caches. */
#include "sim/sass/sass_simulate.h"

/* How instructions get to a unit. */
struct unit_way {
    bool reached, at_issue;
    uint32_t before; /* mask of the units that they have used */
    uint32_t behind; /* mask of the units that some ask for next, and that can keep this one blocked */
};

static void note_way(struct sass_sm_program *program, const struct sass_timed *timed, struct unit_way *ways) {
    uint32_t before = 0;
    for (uint32_t i = 0; i < timed->stage_count; i++) {
        const uint8_t unit = timed->stages[i].unit;
        const bool at_issue = i == 0 && (timed->fixed || program->machine->units[unit].queue == 0);
        struct unit_way *way = &ways[unit];
        const bool differs = way->reached && (way->before != before || way->at_issue != at_issue);
        if (differs || (before >> unit & 1) != 0) program->clash |= UINT32_C(1) << unit;
        *way = (struct unit_way){true, at_issue, before, way->behind};
        if (i > 0 && program->machine->units[unit].queue != DEPTH_UNLIMITED)
            ways[timed->stages[i - 1].unit].behind |= UINT32_C(1) << unit;
        before |= UINT32_C(1) << unit;
    }
}

/* Instructions of a warp that overtake each other come to what is behind in any order, too. */
static void close_clash(struct sass_sm_program *program, const struct unit_way *ways) {
    for (uint32_t length = 0; program->clash != 0 && length < MACHINE_UNITS_MAX; length++)
        for (uint32_t u = 0; u < MACHINE_UNITS_MAX; u++)
            if ((program->clash >> u & 1) != 0) program->clash |= ways[u].behind;
}

/* The code that is looked through. */
struct looked_through {
    struct unit_way ways[MACHINE_UNITS_MAX];
    uint32_t first, last; /* lines of instructions */
};

static void look_at_path(const struct path *path, struct sass_sm_program *program,
                         struct looked_through *code) {
    for (size_t e = 0; e < path->entries.count; e++) {
        const struct path_entry *run = &path->entries.items[e];
        for (uint32_t i = 0; i < run->count; i++) {
            const struct sass_timed *timed = &program->code->sass[run->first + i];
            note_way(program, timed, code->ways);
            code->first = timed->line < code->first ? timed->line : code->first;
            code->last = timed->line > code->last ? timed->line : code->last;
            if (timed->constant_line != SASS_NO_LINE && timed->constant_line >= program->lines.constants)
                program->lines.constants = timed->constant_line + 1;
        }
    }
}

static void look_at_paths(const struct path *paths, size_t count, struct sass_sm_program *program) {
    struct looked_through code = {.first = UINT32_MAX};
    struct sass_line_range *lines = &program->lines;
    for (uint32_t u = 0; u < program->machine->unit_count; u++)
        if (program->machine->units[u].any_order) program->clash |= UINT32_C(1) << u;
    for (size_t p = 0; p < count; p++)
        look_at_path(&paths[p], program, &code);
    close_clash(program, code.ways);
    if (code.first > code.last) return;
    lines->first = code.first;
    lines->count = code.last - code.first + 1;
    if (program->code->footprint.l1_instructions.lines == 0) return;
    lines->l1_first = sass_l1_line(program->machine, code.first);
    lines->l1_count = sass_l1_line(program->machine, code.last) - lines->l1_first + 1;
}

struct sass_sm_program sass_program_of_block(const struct timed_block *block) {
    struct sass_sm_program program = {.machine = block->machine,
                                      .code = &block->code,
                                      .block = block,
                                      .traffic = block->traffic,
                                      .warp_count = block->warp_count};
    look_at_paths(block->paths, block->path_count, &program);
    return program;
}

struct sass_sm_program sass_program_of_grid(const struct wb_machine *machine, const struct timed_code *code,
                                            const struct traffic *traffic) {
    const struct wb_grid *grid = traffic->grid;
    struct sass_sm_program program = {
        .machine = machine, .code = code, .traffic = traffic, .warp_count = grid->warp_count};
    look_at_paths(grid->paths.items, grid->paths.count, &program);
    return program;
}

/* ---- Lines of code ---- */

/* Lines of instructions and constants that each cache misses once. */

static cycles *absent(struct sass_sm *sm, size_t count) {
    cycles *lines = arena_array(&sm->arena, count, sizeof *lines);
    for (size_t i = 0; i < count; i++)
        lines[i] = CYCLES_SATURATED;
    return lines;
}

void sass_code_lines_init(struct sass_sm *sm) {
    const struct sass_footprint *footprint = &sm->code->footprint;
    struct sass_code_lines *lines = &sm->lines;
    const struct sass_line_range *range = &lines->range;
    const uint32_t sub_cores = sm->machine->sub_cores;
    const bool has_l1 = footprint->l1_instructions.lines > 0;
    lines->range = sm->program->lines;
    if (footprint->instructions.lines > 0) lines->l0 = absent(sm, (size_t)sub_cores * range->count);
    if (has_l1) lines->l1 = absent(sm, range->l1_count);
    if (footprint->constants.lines == 0) return;
    lines->constant = absent(sm, (size_t)sub_cores * range->constants);
    if (has_l1) lines->l1_constant = absent(sm, range->constants);
}

/* When a line of the L1 is there that is asked for now; `at`: its place, or NULL without such a cache. */
static cycles in_l1(const struct sass_sm *sm, cycles *at) {
    if (at == NULL) return sm->now;
    if (*at == CYCLES_SATURATED) *at = sm->now + sm->code->footprint.l1_instructions.miss;
    return cycles_max(*at, sm->now);
}

/* When a line of instructions is in the L1. */
static cycles line_in_l1(struct sass_sm *sm, uint32_t line) {
    const struct sass_code_lines *lines = &sm->lines;
    if (lines->l1 == NULL) return sm->now;
    return in_l1(sm, &lines->l1[sass_l1_line(sm->machine, line) - lines->range.l1_first]);
}

cycles sass_line_fetched(struct sass_sm *sm, uint32_t sub_core, uint32_t line) {
    struct sass_code_lines *lines = &sm->lines;
    if (lines->l0 == NULL) return line_in_l1(sm, line);
    cycles *l0 = &lines->l0[(size_t)sub_core * lines->range.count];
    const uint32_t number = line - lines->range.first, behind = sm->machine->sass.l0_prefetch;
    const cycles miss = sm->code->footprint.instructions.miss;
    if (l0[number] != CYCLES_SATURATED) return l0[number];
    for (uint32_t i = number; i - number <= behind && i < lines->range.count; i++)
        if (l0[i] == CYCLES_SATURATED) l0[i] = line_in_l1(sm, lines->range.first + i) + miss;
    return l0[number];
}

cycles sass_constant_there(struct sass_sm *sm, uint32_t sub_core, uint32_t line, bool *missed) {
    struct sass_code_lines *lines = &sm->lines;
    *missed = false;
    if (lines->constant == NULL) return 0;
    cycles *at = &lines->constant[(size_t)sub_core * lines->range.constants + line];
    if (*at != CYCLES_SATURATED) return *at;
    *missed = true;
    *at = in_l1(sm, lines->l1_constant == NULL ? NULL : &lines->l1_constant[line]) +
          sm->code->footprint.constants.miss;
    return *at;
}

/* ---- Registers ---- */

/* The register cache of a sub-core, after Huerta et al. (MICRO 2025, section 5.3): for each bank and each of
 * the operands A, B and C the register that was read there last, if the instruction says that it is used
 * again. Whoever reads it next at that place, of the same warp, needs no port of the bank; with any read of
 * the bank at that place it is lost. */

/* Whether the operand needs no port, and what is kept of it. An operand of several registers is never kept:
 * nobody has said how. */
static bool read_operand(const struct sass_sm *sm, struct sass_core *core, uint32_t index, uint32_t place,
                         const struct sass_operand *operand) {
    const uint32_t banks = sm->machine->sass.register_banks;
    bool found = false;
    for (uint32_t r = 0; r < operand->count; r++) {
        struct sass_kept *kept = &core->kept[(operand->number + r) % banks][place];
        found = operand->count == 1 && kept->warp == index && kept->number == operand->number;
        *kept = (struct sass_kept){.warp = WARP_NONE};
        if (operand->kept && operand->count == 1) *kept = (struct sass_kept){index, operand->number};
    }
    return found;
}

uint32_t sass_bubbles_saved(const struct sass_sm *sm, struct sass_core *core, uint32_t index) {
    const struct machine_sass *sass = &sm->machine->sass;
    const struct sass_timed *timed = sm->warps[index].head;
    uint8_t reads[SASS_BANKS_MAX];
    memcpy(reads, timed->bank_reads, sizeof reads);
    for (uint32_t i = 0; i < SASS_OPERANDS; i++)
        if (read_operand(sm, core, index, i, &timed->operands[i]))
            reads[timed->operands[i].number % sass->register_banks]--;
    return timed->fixed ? sass_bubbles(sass, timed->bank_reads) - sass_bubbles(sass, reads) : 0;
}

void sass_registers_forget(struct sass_sm *sm, uint32_t first, uint32_t count) {
    for (uint32_t c = 0; c < sm->machine->sub_cores; c++)
        for (uint32_t bank = 0; bank < SASS_BANKS_MAX; bank++)
            for (uint32_t i = 0; i < SASS_OPERANDS; i++) {
                struct sass_kept *kept = &sm->cores[c].kept[bank][i];
                if (kept->warp - first < count) kept->warp = WARP_NONE;
            }
}
