#include "sass_block.h"

#include <stdlib.h>
#include <string.h>

static void set_machine(const struct sass_grid *grid, struct wb_machine *machine) {
    memset(machine, 0, sizeof *machine);
    machine->model = MACHINE_SASS;
    machine->sub_cores = grid->sub_cores;
    machine->barrier_release = grid->release;
    machine_sass_defaults(&machine->sass);
    machine->sass.full_queue = grid->rules.full_holds_issue ? SASS_FULL_HOLDS_ISSUE : SASS_FULL_HOLDS_WARP;
    machine->unit_count = grid->units;
    for (uint32_t u = 0; u < grid->units; u++) {
        machine->units[u].count = 1;
        machine->units[u].shared = grid->shared[u];
        machine->units[u].queue = grid->queue[u] == SASS_UNLIMITED ? DEPTH_UNLIMITED : grid->queue[u];
    }
}

static void check(wb_status status) {
    if (status != WB_OK) abort();
}

void sass_block_from(const struct sass_grid *grid, uint32_t times, bool unfolded, struct wb_machine *machine,
                     struct timed_block *block) {
    const uint32_t copies = unfolded ? times : 1;
    const uint32_t most = grid->warps * SASS_GRID_INSTS * copies;
    set_machine(grid, machine);
    *block = (struct timed_block){.machine = machine, .warp_count = grid->warps, .path_count = grid->warps};
    struct timed_code *code = &block->code;
    code->insts = arena_array(&block->arena, most, sizeof *code->insts);
    code->sass = arena_array(&block->arena, most, sizeof *code->sass);
    block->warp_path = arena_array(&block->arena, grid->warps, sizeof *block->warp_path);
    if (code->insts == NULL || code->sass == NULL || block->warp_path == NULL) abort();
    for (uint32_t w = 0; w < grid->warps; w++) {
        const struct sass_program *program = &grid->programs[w];
        struct path_writer writer = {0};
        struct path path;
        for (uint32_t i = 0; i < times && program->count > 0; i++) {
            if (i < copies)
                for (uint32_t k = 0; k < program->count; k++)
                    code->sass[code->inst_count++] = program->steps[k].stated;
            check(path_append_run(&writer, code->inst_count - program->count, program->count, 1));
        }
        check(path_finish(&writer, &path));
        path_writer_free(&writer);
        check(vec_push(&block->own_paths, path));
        block->warp_path[w] = w;
    }
    block->paths = block->own_paths.items;
}
