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
    struct sass_sm_program program = {
        .machine = block->machine, .code = &block->code, .block = block, .warp_count = block->warp_count};
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
