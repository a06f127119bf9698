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
    machine->sass.l0.line_bytes = SASS_BYTES;
    machine->sass.l1_instructions.line_bytes = SASS_BYTES * grid->lines.halves;
    machine->unit_count = grid->units;
    for (uint32_t u = 0; u < grid->units; u++) {
        machine->units[u].count = 1;
        machine->units[u].shared = grid->shared[u];
        machine->units[u].any_order = grid->any_order[u];
        machine->units[u].queue = grid->queue[u] == SASS_UNLIMITED ? DEPTH_UNLIMITED : grid->queue[u];
    }
}

static void check(wb_status status) {
    if (status != WB_OK) abort();
}

/* What caches hold; how many lines those of a block are matters to who counts them apart only. */
static void set_footprint(const struct sass_grid *grid, struct sass_footprint *footprint) {
    const struct sass_lines *lines = &grid->lines;
    *footprint = (struct sass_footprint){
        .instructions = {.fits = lines->l0, .miss = lines->l0 ? lines->stated.l0 : 0},
        .l1_instructions = {.fits = lines->l1, .miss = lines->l1 ? lines->stated.l1 : 0},
        .constants = {.fits = lines->constants,
                      .miss = lines->constants ? lines->stated.constant : 0,
                      .hold = lines->constants ? lines->stated.probe : 0}};
    if (lines->l0) footprint->instructions.lines = SASS_GRID_LINES;
    if (lines->constants) footprint->constants.lines = SASS_GRID_CONSTANTS;
    if (lines->l1) footprint->l1_instructions.lines = SASS_GRID_LINES + SASS_GRID_CONSTANTS;
}

void sass_block_from(const struct sass_grid *grid, uint32_t times, bool unfolded, struct wb_machine *machine,
                     struct timed_block *block) {
    const uint32_t copies = unfolded ? times : 1;
    const uint32_t most = grid->warps * (SASS_GRID_INSTS + 1) * (copies + 1);
    set_machine(grid, machine);
    *block = (struct timed_block){.machine = machine, .warp_count = grid->warps, .path_count = grid->warps};
    struct timed_code *code = &block->code;
    code->insts = arena_array(&block->arena, most, sizeof *code->insts);
    code->sass = arena_array(&block->arena, most, sizeof *code->sass);
    code->operands = arena_array(&block->arena, 1, sizeof *code->operands); /* none, but there is a list */
    block->warp_path = arena_array(&block->arena, grid->warps, sizeof *block->warp_path);
    if (code->insts == NULL || code->sass == NULL || code->operands == NULL || block->warp_path == NULL)
        abort();
    for (uint32_t w = 0; w < grid->warps; w++) {
        const struct sass_program *program = &grid->programs[w];
        struct path_writer writer = {0};
        struct path path;
        for (uint32_t i = 0; i < times && program->count > 0; i++) {
            const bool behind = i > 0 && i + 1 == times;
            code->inst_count += behind; /* a jump to elsewhere */
            for (uint32_t k = 0; k < program->count && (i < copies || behind); k++) {
                struct sass_timed *entry = &code->sass[code->inst_count];
                *entry = program->steps[k].stated;
                code->insts[code->inst_count++].barrier = entry->barrier; /* as all machine code has it */
                if (behind) entry->line += SASS_GRID_LINES;
            }
            check(path_append_run(&writer, code->inst_count - program->count, program->count, 1));
        }
        check(path_finish(&writer, &path));
        path_writer_free(&writer);
        check(vec_push(&block->own_paths, path));
        block->warp_path[w] = w;
    }
    set_footprint(grid, &code->footprint);
    block->paths = block->own_paths.items;
}

void sass_grid_end_in_jumps(struct sass_grid *grid) {
    for (uint32_t w = 0; w < grid->warps; w++) {
        struct sass_program *program = &grid->programs[w];
        if (program->count == 0) continue;
        struct sass_timed *last = &program->steps[program->count - 1].stated;
        last->stall = last->stall < 2 ? 2 : last->stall;
        last->stall_least = last->stall;
    }
}

/* The machine with the SMs and slots of the grid, and its dispatch. */
static void set_gpu(const struct sass_grid *grid, struct wb_machine *machine) {
    set_machine(grid, machine);
    machine_memory_defaults(&machine->memory);
    machine->warp_width = MACHINE_WARP_WIDTH;
    machine->limits.blocks = grid->slots;
    machine->sass.constant_probe = SASS_PROBE;
    machine->memory.requests = REQUESTS_VOLTA;
    machine->memory.sms = grid->sms;
    machine->memory.dispatch = grid->is_static ? DISPATCH_STATIC : DISPATCH_ANY;
}

/* The code of all programs, one after the other. */
static void make_code(const struct sass_grid *grid, struct sass_gpu *gpu) {
    const uint32_t most = grid->blocks * grid->warps * SASS_GRID_INSTS;
    struct timed_code *code = &gpu->timed.code;
    code->insts = arena_array(&gpu->timed.arena, most + 1, sizeof *code->insts);
    code->sass = arena_array(&gpu->timed.arena, most + 1, sizeof *code->sass);
    gpu->grid.is_barrier = arena_array(&gpu->timed.arena, most + 1, sizeof *gpu->grid.is_barrier);
    if (code->insts == NULL || code->sass == NULL || gpu->grid.is_barrier == NULL) abort();
    for (uint32_t w = 0; w < grid->blocks * grid->warps; w++) {
        const struct sass_program *program = &grid->programs[w];
        for (uint32_t k = 0; k < program->count; k++) {
            gpu->grid.is_barrier[code->inst_count] = program->steps[k].stated.barrier;
            code->insts[code->inst_count].barrier = program->steps[k].stated.barrier;
            code->sass[code->inst_count++] = program->steps[k].stated;
        }
    }
    gpu->grid.instruction_count = code->inst_count;
    set_footprint(grid, &code->footprint);
}

void sass_gpu_from(const struct sass_grid *grid, struct sass_gpu *gpu) {
    struct access_list none[SASS_GRID_WARPS];
    uint32_t first = 0;
    memset(none, 0, sizeof none);
    memset(gpu, 0, sizeof *gpu);
    gpu->timed = (struct timed_grid){.grid = &gpu->grid, .machine = &gpu->machine};
    set_gpu(grid, &gpu->machine);
    make_code(grid, gpu);
    gpu->grid.warp_count = grid->warps;
    gpu->grid.warp_width = MACHINE_WARP_WIDTH;
    gpu->grid.block_size[0] = grid->warps * MACHINE_WARP_WIDTH;
    gpu->grid.block_size[1] = gpu->grid.block_size[2] = 1;
    gpu->grid.dimensions[0] = grid->blocks;
    gpu->grid.dimensions[1] = gpu->grid.dimensions[2] = 1;
    for (uint32_t b = 0; b < grid->blocks; b++) {
        struct path paths[SASS_GRID_WARPS];
        memset(paths, 0, sizeof paths);
        for (uint32_t w = 0; w < grid->warps; w++) {
            const uint32_t count = grid->programs[b * grid->warps + w].count;
            struct path_writer writer = {0};
            if (count > 0) check(path_append_run(&writer, first, count, 1));
            check(path_finish(&writer, &paths[w]));
            path_writer_free(&writer);
            first += count;
        }
        check(grid_add_block(&gpu->grid, paths, none));
        for (uint32_t w = 0; w < grid->warps; w++)
            path_free(&paths[w]);
    }
    struct wb_diagnostics messages = {0};
    check(traffic_make(&gpu->grid, &gpu->machine, &messages, &gpu->timed.traffic));
}

void sass_gpu_free(struct sass_gpu *gpu) {
    timed_grid_free(&gpu->timed);
    grid_clear(&gpu->grid);
}

static void state_lines(struct sass_lines *lines) {
    memset(lines->actual.l0, lines->stated.l0, sizeof lines->actual.l0);
    memset(lines->actual.l1, lines->stated.l1, sizeof lines->actual.l1);
    memset(lines->actual.constant, lines->stated.constant, sizeof lines->actual.constant);
    memset(lines->actual.l1_constant, lines->stated.l1, sizeof lines->actual.l1_constant);
    lines->actual.probe = lines->stated.probe;
}

void sass_grid_state_all(struct sass_grid *grid) {
    memset(grid->actual_release, (int)grid->release, sizeof grid->actual_release);
    grid->rules.first_in_first_out = grid->rules.issue_first = grid->rules.late_stall = false;
    grid->rules.late_release = false;
    grid->rules.prompt_start = grid->rules.hidden_count = true;
    grid->rules.probes_again = false;
    state_lines(&grid->lines);
    for (uint32_t w = 0; w < grid->warps * grid->blocks; w++)
        for (uint32_t k = 0; k < grid->programs[w].count; k++) {
            struct sass_step *step = &grid->programs[w].steps[k];
            const struct sass_timed *timed = &step->stated;
            step->probe = timed->operand > 0 ? SASS_PROBE : 0;
            step->actual.stall = (uint8_t)timed->stall;
            step->actual.slot = (uint8_t)(timed->slot - step->probe);
            step->actual.probe = (uint8_t)step->probe;
            step->actual.operand = (uint8_t)timed->operand;
            step->actual.fetch = (uint8_t)timed->fetch;
            for (uint32_t i = 0; i < timed->stage_count; i++) {
                step->actual.init[i] = (uint8_t)timed->stages[i].init;
                step->actual.transfer[i] = (uint8_t)timed->stages[i].transfer;
            }
        }
}
