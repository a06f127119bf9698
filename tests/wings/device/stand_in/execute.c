/* Executes a launch with the interpreter, on the memory of the stand-in. */
#include "stand_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warp/interpret/execute.h"
#include "warp/path/path.h"

uint32_t stand_in_param_count(const wb_kernel *kernel) {
    return kernel_function(kernel)->param_count;
}

size_t stand_in_param_at(const wb_kernel *kernel, uint32_t index, size_t *bytes) {
    const struct wb_module *module = kernel->module;
    const struct ptx_function *function = kernel_function(kernel);
    uint64_t end = 0, at = 0;
    for (uint32_t i = 0; i <= index; i++) {
        const struct ptx_variable *param = &module->variables[function->params[i]];
        at = module->code == NULL ? align_up(end, param->align) : param->place;
        *bytes = param->size;
        end = at + param->size;
    }
    return at;
}

/* The launch as a launch file would have it: each parameter as its bytes. */
static wb_status make_launch(const struct stand_in_launch *given, struct wb_launch *launch) {
    *launch = (struct wb_launch){.has_grid = true, .has_block = true, .shared_bytes = given->shared};
    memcpy(launch->grid, given->grid, sizeof launch->grid);
    memcpy(launch->block, given->block, sizeof launch->block);
    for (uint32_t i = 0; i < stand_in_param_count(given->kernel); i++) {
        size_t bytes;
        const size_t at = stand_in_param_at(given->kernel, i, &bytes);
        const struct launch_contents contents = {.type = PTX_B8,
                                                 .count = bytes,
                                                 .fill = LAUNCH_FILL_FILE,
                                                 .file_bytes = (uint8_t *)(uintptr_t)given->params + at,
                                                 .file_size = bytes};
        const struct launch_argument argument = {
            .text = "a parameter", .known = true, .type = PTX_TYPE_NONE, .contents = contents};
        if (at + bytes > given->param_bytes) return WB_ERR_INPUT;
        WB_TRY(vec_push(&launch->arguments, argument));
    }
    return WB_OK;
}

/* Lets the run use the allocations as they are. */
static wb_status lend_memory(struct run *run) {
    for (struct allocation *from = stand_in_memory; from != NULL; from = from->next) {
        const struct region region = {.base = from->address,
                                      .size = from->size,
                                      .bytes = from->bytes,
                                      .name = "an allocation",
                                      .writable = true};
        WB_TRY(vec_push(&run->memory.regions, region));
        struct region *items = run->memory.regions.items;
        for (size_t i = run->memory.regions.count - 1; i > 0 && items[i - 1].base > items[i].base; i--) {
            const struct region moved = items[i];
            items[i] = items[i - 1];
            items[i - 1] = moved;
        }
    }
    return WB_OK;
}

static void take_memory_back(struct run *run) {
    for (struct allocation *from = stand_in_memory; from != NULL; from = from->next) {
        struct region *region = memory_find(&run->memory, from->address);
        if (region == NULL || region->base != from->address) continue;
        if (region->stored && stand_in_flag("wrong-result")) from->bytes[0] ^= 1;
        from->changed |= region->stored;
        region->bytes = NULL; /* which memory_free leaves alone */
    }
}

/* Copies the variables of the module that were changed into the run, or out of it those that it changed. */
static void copy_variables(struct run *run, const struct stand_in_module *module, bool out) {
    for (uint32_t i = 0; i < module->code->variable_count; i++) {
        struct allocation *of = module->variables[i];
        struct region *region = of != NULL && run->program.variable_used[i]
                                    ? memory_find(&run->memory, run->program.addresses[i])
                                    : NULL;
        if (region == NULL || !(out ? region->stored : of->changed)) continue;
        uint8_t *bytes = region->bytes + (run->program.addresses[i] - region->base);
        memcpy(out ? of->bytes : bytes, out ? bytes : of->bytes, of->size);
        if (!out) (void)region_set_known(region, (uint64_t)(bytes - region->bytes), of->size, true);
        of->changed = true;
    }
}

static wb_status execute(struct run *run, struct arena *arena, const struct stand_in_module *module) {
    uint32_t *code_first = NULL;
    WB_TRY(code_number(run->kernel->module, arena, &code_first));
    WB_TRY(run_begin(run, arena, code_first));
    copy_variables(run, module, false);
    wb_status status = lend_memory(run);
    while (status == WB_OK && (status = run_block(run, NULL)) == WB_OK && run_next_block(run)) {
    }
    if (status == WB_OK) copy_variables(run, module, true);
    take_memory_back(run);
    return status;
}

bool stand_in_execute(const struct stand_in_launch *given, uint64_t *instructions) {
    struct wb_launch launch = {0};
    struct arena arena = {0};
    struct run run = {.kernel = given->kernel,
                      .launch = &launch,
                      .diagnostics = wb_diagnostics_new(),
                      .assumptions = (1u << (OPEN_ATOMIC_ORDER + 1)) - 1,
                      .instruction_limit = UINT64_MAX,
                      .run_warp = stand_in_run_warp};
    stand_in_begin_launch();
    wb_status status = make_launch(given, &launch);
    if (status == WB_OK) status = execute(&run, &arena, given->module);
    if (status != WB_OK) (void)fputs(wb_diagnostics_text(run.diagnostics), stderr);
    *instructions = run.instructions;
    run_end(&run);
    vec_free(&launch.arguments);
    arena_free(&arena);
    wb_diagnostics_free(run.diagnostics);
    return status == WB_OK;
}
