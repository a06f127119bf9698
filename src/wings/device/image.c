#include "wings/device/image.h"

#include <string.h>

#include "warp/path/path.h"

static wb_status no_memory(const struct launch_image *image) {
    return run_no_memory(&image->run);
}

/* ---- Objects ------------------------------------------------------------------------------------------- */

static bool is_given(const struct wb_launch *launch, const char *name) {
    for (size_t i = 0; i < launch->variables.count; i++)
        if (strcmp(launch->variables.items[i].name, name) == 0) return true;
    return false;
}

static bool is_buffer(const struct run *run, const struct region *region) {
    return image_argument_of(run, region) != NULL;
}

static wb_status add_buffers(struct launch_image *image) {
    const struct memory *memory = &image->run.memory;
    for (size_t i = 0; i < memory->regions.count; i++) {
        const struct region *region = &memory->regions.items[i];
        if (!is_buffer(&image->run, region)) continue;
        const struct image_object object = {.name = region->name, .base = region->base, .size = region->size};
        if (vec_push(&image->objects, object) != WB_OK) return no_memory(image);
    }
    return WB_OK;
}

/* Variables that the kernel may store to, and those that are given: whatever else is in the module the driver
 * loads as it is. */
static wb_status add_variables(struct launch_image *image) {
    const struct run *run = &image->run;
    for (uint32_t i = 0; i < run->module->variable_count; i++) {
        const struct ptx_variable *variable = &run->module->variables[i];
        const bool given = is_given(run->launch, variable->name);
        if (!run->program.variable_used[i] || variable->size == 0) continue;
        if (variable->space != PTX_SPACE_GLOBAL && !(given && variable->space == PTX_SPACE_CONST)) continue;
        const struct image_object object = {.name = variable->name,
                                            .is_variable = true,
                                            .is_given = given,
                                            .base = run->program.addresses[i],
                                            .size = variable->size};
        if (vec_push(&image->objects, object) != WB_OK) return no_memory(image);
    }
    return WB_OK;
}

/* ---- Parameters ---------------------------------------------------------------------------------------- */

/* Notes a pointer to a buffer, or declines a value that is not known. */
static wb_status take_part(struct launch_image *image, const struct launch_argument *part, size_t number,
                           uint64_t at) {
    const struct run *run = &image->run;
    const bool known = part->type != PTX_TYPE_NONE ? part->known : part->contents.fill != LAUNCH_FILL_UNKNOWN;
    if (!part->is_buffer && !known) {
        diagnose(run->diagnostics, SEVERITY_ERROR, part->text,
                 "a GPU takes no argument that is not known: give it a value");
        return WB_ERR_DECLINED;
    }
    if (!part->is_buffer) return WB_OK;
    uint64_t address;
    memcpy(&address, image->params + at, sizeof address);
    struct image_pointer pointer = {.at = at, .offset = address - run->buffers[number].base};
    while (image->objects.items[pointer.object].base != run->buffers[number].base)
        pointer.object++;
    assert(pointer.object < image->objects.count);
    return vec_push(&image->pointers, pointer) == WB_OK ? WB_OK : no_memory(image);
}

static wb_status take_params(struct launch_image *image) {
    const struct run *run = &image->run;
    const struct ptx_function *kernel = kernel_function(run->kernel);
    size_t number = 0;
    if (kernel->param_count == 0) return WB_OK;
    const struct region *params = memory_find(&run->memory, PARAM_WINDOW);
    image->param_bytes = params != NULL ? params->size : 0;
    image->params = arena_alloc(&image->arena, image->param_bytes + 1);
    if (image->params == NULL) return no_memory(image);
    if (params != NULL) memcpy(image->params, params->bytes, params->size);
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        const struct launch_argument *argument = &run->launch->arguments.items[i];
        const uint64_t start = run->program.addresses[kernel->params[i]] - PARAM_WINDOW;
        for (size_t p = 0; p < launch_part_count(argument); p++) {
            uint64_t offset;
            const struct launch_argument *part = launch_part(argument, p, &offset);
            WB_TRY(take_part(image, part, number++, start + offset));
        }
    }
    return WB_OK;
}

/* ---- The image ----------------------------------------------------------------------------------------- */

static wb_status begin(struct launch_image *image, const wb_launch *launch) {
    struct run *run = &image->run;
    uint32_t *code_first = NULL;
    const wb_status zeros = launch_with_zeros(launch, &image->arena, &image->with_zeros);
    if (zeros == WB_ERR_LIMIT) return no_memory(image);
    image->has_zeros = zeros == WB_OK;
    run->launch = image->has_zeros ? &image->with_zeros : launch;
    if (code_number(run->kernel->module, &image->arena, &code_first) != WB_OK) return no_memory(image);
    WB_TRY(run_begin(run, &image->arena, code_first));
    WB_TRY(add_buffers(image));
    WB_TRY(add_variables(image));
    return take_params(image);
}

wb_status image_make(const wb_kernel *kernel, const wb_launch *launch, wb_diagnostics *diagnostics,
                     struct launch_image *image) {
    const struct wb_module *module = kernel->module;
    image->run = (struct run){.kernel = kernel,
                              .launch = launch,
                              .diagnostics = diagnostics,
                              .instruction_limit = UINT64_MAX,
                              .module = module};
    image->code = module->code != NULL ? module->image : module->source.text;
    image->code_bytes = module->code != NULL ? module->image_bytes : module->source.size;
    if (module->address_size != 64) {
        diagnose(diagnostics, SEVERITY_ERROR, module->source.name,
                 "addresses have 32 bits: no GPU runs that");
        return WB_ERR_DECLINED;
    }
    const size_t errors = wb_diagnostics_errors(diagnostics);
    const wb_status status = begin(image, launch);
    return status != WB_OK && wb_diagnostics_errors(diagnostics) == errors ? no_memory(image) : status;
}

const uint8_t *image_bytes(const struct launch_image *image, size_t object) {
    const uint64_t base = image->objects.items[object].base;
    const struct region *region = memory_find(&image->run.memory, base);
    assert(region != NULL);
    return region->bytes + (base - region->base);
}

wb_status image_execute(struct launch_image *image) {
    do {
        WB_TRY(run_block(&image->run, NULL));
    } while (run_next_block(&image->run));
    return WB_OK;
}

uint64_t image_differences(const struct launch_image *image, size_t object, const uint8_t *bytes,
                           uint64_t *first, uint64_t *unknown) {
    const struct image_object *of = &image->objects.items[object];
    const struct region *region = memory_find(&image->run.memory, of->base);
    assert(region != NULL);
    uint64_t count = 0;
    for (uint64_t i = 0; i < of->size; i++) {
        const uint64_t at = of->base - region->base + i;
        const bool known = region->known == NULL || (region->known[at / 8] >> at % 8 & 1) != 0;
        *unknown += !known;
        if (!known || region->bytes[at] == bytes[i]) continue;
        if (count++ == 0) *first = i;
    }
    return count;
}

void image_free(struct launch_image *image) {
    run_end(&image->run);
    vec_free(&image->objects);
    vec_free(&image->pointers);
    arena_free(&image->arena);
}
