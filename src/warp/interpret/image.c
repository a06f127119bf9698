#include "warp/interpret/execute.h"

#include <inttypes.h>

#include "warp/alu/lanes.h"

static bool wide_addresses(const struct run *run) {
    return run->module->address_size != 32;
}

/* "argument 2 (buf:f32[1024])", "argument 2, in (buf:f32[1024])"; NULL when memory is exhausted */
static const char *argument_name(struct arena *arena, const struct run *run, size_t index, size_t part) {
    const struct launch_argument *argument = &run->launch->arguments.items[index];
    const bool has_fields = argument->fields != NULL;
    uint64_t offset;
    struct text name = {0};
    text_printf(&name, "argument %zu%s%s (%s)", index + 1, has_fields ? ", " : "",
                has_fields ? argument->fields[part].path : "", launch_part(argument, part, &offset)->text);
    const char *copy = name.failed ? NULL : arena_string(arena, name.data, name.length);
    text_free(&name);
    return copy;
}

static bool contents_known(const struct run *run, const struct launch_contents *contents) {
    return contents->fill != LAUNCH_FILL_UNKNOWN && !run->unknown_contents;
}

static wb_status fill_contents(struct run *run, const struct launch_contents *contents, const char *name,
                               uint8_t *bytes) {
    if (contents->fill != LAUNCH_FILL_UNKNOWN && contents->fill != LAUNCH_FILL_ZERO)
        WB_TRY(run_count_contents(run, name, launch_contents_size(contents)));
    launch_contents_fill(contents, bytes);
    return WB_OK;
}

/* A region with the contents that a launch describes. */
static wb_status load_contents(struct run *run, enum ptx_space space, const struct launch_contents *contents,
                               const char *name, struct region *region) {
    if (name == NULL) return run_no_memory(run);
    WB_TRY(memory_add(&run->memory, space, wide_addresses(run), launch_contents_size(contents), name,
                      contents_known(run, contents), run->diagnostics, region));
    return fill_contents(run, contents, name, region->bytes);
}

static const struct launch_variable *given_contents(const struct run *run, const char *name) {
    for (size_t i = 0; i < run->launch->variables.count; i++)
        if (strcmp(run->launch->variables.items[i].name, name) == 0) return &run->launch->variables.items[i];
    return NULL;
}

/* Contents that the launch gives for a variable have its size. */
static wb_status check_given(const struct run *run, const struct ptx_variable *variable,
                             const struct launch_contents *contents) {
    uint64_t size = launch_contents_size(contents);
    if (variable->size == 0 || size == variable->size) return WB_OK;
    diagnose_at(run->diagnostics, SEVERITY_ERROR, &run->module->source, variable->at,
                "'%s' has %" PRIu64 " bytes, the launch gives %" PRIu64, variable->name, variable->size,
                size);
    return WB_ERR_INPUT;
}

/* Whether an earlier launch of the list maybe stored to a variable. */
static bool is_changed(const struct wb_launch *launch, const char *name) {
    for (size_t i = 0; i < launch->changed_count; i++)
        if (strcmp(launch->changed[i], name) == 0) return true;
    return false;
}

/* Whether a kernel that starts knows what the module gives a variable. */
static bool initial_known(struct run *run, const struct ptx_variable *variable) {
    bool zeroed = variable->space == PTX_SPACE_GLOBAL && variable->linkage != PTX_LINK_EXTERN;
    bool constant = variable->space == PTX_SPACE_CONST;
    const bool changed = !constant && is_changed(run->launch, variable->name);
    bool known = (variable->init != NULL || zeroed) && (constant || !run->unknown_contents) && !changed;
    run->initial_variables |= known;
    run->changed_variables |= changed;
    return known;
}

/* Whether it is known what a variable has when the kernel starts: `given`, or from the module. */
static bool starts_known(struct run *run, const struct ptx_variable *variable,
                         const struct launch_variable *given) {
    return given != NULL ? contents_known(run, &given->contents) : initial_known(run, variable);
}

static wb_status fill_variable(struct run *run, const struct ptx_variable *variable,
                               const struct launch_variable *given, uint8_t *bytes) {
    if (given != NULL) return fill_contents(run, &given->contents, variable->name, bytes);
    if (variable->init != NULL) memcpy(bytes, variable->init, variable->size);
    return WB_OK;
}

static wb_status load_variable(struct run *run, uint32_t index) {
    const struct ptx_variable *variable = &run->module->variables[index];
    const struct launch_variable *given = given_contents(run, variable->name);
    struct region region = {0};
    if (given != NULL) WB_TRY(check_given(run, variable, &given->contents));
    const uint64_t size = given != NULL ? launch_contents_size(&given->contents) : variable->size;
    WB_TRY(memory_add(&run->memory, variable->space, wide_addresses(run), size, variable->name,
                      starts_known(run, variable, given), run->diagnostics, &region));
    run->program.addresses[index] = region.base;
    return fill_variable(run, variable, given, region.bytes);
}

/* A variable of bank 3 of machine code, in the region of the bank. */
static wb_status load_into_bank(struct run *run, const struct ptx_variable *variable, struct region *bank) {
    const struct launch_variable *given = given_contents(run, variable->name);
    if (given != NULL) WB_TRY(check_given(run, variable, &given->contents));
    WB_TRY(fill_variable(run, variable, given, bank->bytes + variable->place));
    if (!starts_known(run, variable, given) &&
        region_set_known(bank, variable->place, variable->size, false) != WB_OK)
        return run_no_memory(run);
    return WB_OK;
}

/* Bank 3 of machine code that names one of its variables is one region: code that is not optimised reads all
 * of them by indices from the bank's start on. */
static wb_status load_bank(struct run *run) {
    const struct wb_module *module = run->module;
    uint64_t size = 0;
    bool used = false;
    struct region bank = {0};
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct ptx_variable *variable = &module->variables[i];
        if (!variable->in_bank) continue;
        used |= run->program.variable_used[i];
        if (variable->place + variable->size > size) size = variable->place + variable->size;
    }
    if (!used) return WB_OK;
    WB_TRY(memory_add(&run->memory, PTX_SPACE_CONST, true, size, "bank 3 of constants", true,
                      run->diagnostics, &bank));
    struct region *kept = memory_find(&run->memory, bank.base);
    for (uint32_t i = 0; i < module->variable_count; i++) {
        if (!module->variables[i].in_bank) continue;
        run->program.addresses[i] = bank.base + module->variables[i].place;
        WB_TRY(load_into_bank(run, &module->variables[i], kept));
    }
    return WB_OK;
}

/* The address that an initialiser refers to. */
static uint64_t symbol_address(const struct run *run, const struct ptx_relocation *relocation) {
    if (relocation->is_function)
        return FUNCTION_WINDOW + ptx_callee(run->module, relocation->symbol) * FUNCTION_STEP;
    const struct ptx_variable *variable = &run->module->variables[relocation->symbol];
    uint64_t window = relocation->generic ? address_window(variable->space) : 0;
    return run->program.addresses[relocation->symbol] + window;
}

static void apply_relocations(struct run *run, uint32_t index) {
    const struct ptx_variable *variable = &run->module->variables[index];
    if (given_contents(run, variable->name) != NULL) return;
    const struct region *region = memory_find(&run->memory, run->program.addresses[index]);
    const uint64_t within = region == NULL ? 0 : run->program.addresses[index] - region->base;
    for (uint32_t i = 0; region != NULL && i < variable->relocation_count; i++) {
        const struct ptx_relocation *relocation = &variable->relocations[i];
        uint64_t value = symbol_address(run, relocation) + relocation->addend;
        if (relocation->mask != 0) value = (value & relocation->mask) >> __builtin_ctzll(relocation->mask);
        if (relocation->offset + relocation->bytes <= variable->size && relocation->bytes <= 8)
            memcpy(region->bytes + within + relocation->offset, &value, relocation->bytes);
    }
}

/* A launch that names a variable which does not exist is wrong. */
static wb_status check_given_variables(const struct run *run) {
    for (size_t g = 0; g < run->launch->variables.count; g++) {
        const char *name = run->launch->variables.items[g].name;
        bool found = false;
        for (uint32_t i = 0; i < run->module->variable_count; i++) {
            const struct ptx_variable *variable = &run->module->variables[i];
            bool settable = variable->space == PTX_SPACE_GLOBAL || variable->space == PTX_SPACE_CONST;
            found |= settable && strcmp(variable->name, name) == 0;
        }
        if (found) continue;
        diagnose(run->diagnostics, SEVERITY_ERROR, name,
                 "the module has no .global or .const variable of this name");
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

static wb_status load_variables(struct run *run) {
    WB_TRY(check_given_variables(run));
    WB_TRY(load_bank(run));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < run->module->variable_count; i++) {
            const struct ptx_variable *variable = &run->module->variables[i];
            bool loaded = variable->space == PTX_SPACE_GLOBAL || variable->space == PTX_SPACE_CONST;
            if (!loaded || !run->program.variable_used[i]) continue;
            if (pass == 0 && !variable->in_bank) WB_TRY(load_variable(run, i));
            if (pass == 1) apply_relocations(run, i);
        }
    }
    return WB_OK;
}

/* Gives the parameters their addresses; returns their size. Those of machine code stand where the file has
 * them, which its words of constants go by: each may have several, or a part of one. */
static uint64_t lay_out_parameters(struct run *run) {
    const struct ptx_function *kernel = kernel_function(run->kernel);
    uint64_t end = 0;
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        const struct ptx_variable *param = &run->module->variables[kernel->params[i]];
        end = run->module->code == NULL ? align_up(end, param->align) : param->place;
        run->program.addresses[kernel->params[i]] = PARAM_WINDOW + end;
        end += param->size;
    }
    return end;
}

/* Gives a buffer a region, or finds that of the argument before it whose buffer it is. */
static wb_status place_buffer(struct run *run, const struct launch_argument **part, const char *name,
                              uint64_t *base) {
    struct region region = {0};
    size_t owner;
    if ((*part)->same_as != NULL) {
        *part = launch_buffer_named(run->launch, run->kernel, (*part)->same_as, &owner);
        assert(*part != NULL && run->buffers[owner].base != 0); /* launch_check */
        *base = run->buffers[owner].base;
        return WB_OK;
    }
    WB_TRY(load_contents(run, PTX_SPACE_GLOBAL, &(*part)->contents, name, &region));
    *base = region.base;
    return WB_OK;
}

/* Writes a part of an argument into its parameter, at an offset from the first one; buffers get a region of
 * their own, into which the part points. The region of the parameters is looked up behind that, since a new
 * region moves the others. */
static wb_status load_part(struct run *run, const struct launch_argument *part, const char *name,
                           uint64_t offset, uint64_t params_base, struct argument_buffer *buffer) {
    uint64_t bits = part->bits, bytes = ptx_type_bytes(part->type);
    bool known = part->known;
    if (part->is_buffer) {
        const struct launch_argument *owner = part;
        WB_TRY(place_buffer(run, &owner, name, &buffer->base));
        bits = buffer->base + part->offset * ptx_type_bytes(owner->contents.type);
        bytes = run->module->address_size / 8;
        known = true;
    }
    struct region *params = memory_find(&run->memory, params_base);
    if (part->is_buffer || part->type != PTX_TYPE_NONE) {
        memcpy(params->bytes + offset, &bits, bytes);
    } else {
        bytes = launch_contents_size(&part->contents);
        known = part->contents.fill != LAUNCH_FILL_UNKNOWN;
        if (known) launch_contents_fill(&part->contents, params->bytes + offset);
    }
    return region_set_known(params, offset, bytes, known) == WB_OK ? WB_OK : run_no_memory(run);
}

/* A copy of a name, which may be NULL; false: memory is exhausted. */
static bool copy_name(struct arena *arena, const char *name, const char **copy) {
    *copy = name != NULL ? arena_string(arena, name, strlen(name)) : NULL;
    return name == NULL || *copy != NULL;
}

/* What promises call the buffer of a part of an argument. */
static wb_status name_buffer(const struct run *run, struct arena *arena, size_t index, size_t part,
                             struct argument_buffer *buffer) {
    const struct launch_argument *argument = &run->launch->arguments.items[index];
    const char *field = argument->fields != NULL ? argument->fields[part].path : NULL;
    *buffer = (struct argument_buffer){.argument = (uint32_t)index + 1};
    const bool copied =
        copy_name(arena, argument->name, &buffer->called) && copy_name(arena, field, &buffer->field);
    return copied ? WB_OK : run_no_memory(run);
}

/* Between the fields of a struct are bytes that nobody writes. */
static wb_status load_argument(struct run *run, struct arena *arena, uint32_t index, uint64_t params_base,
                               size_t *part_number) {
    const struct ptx_function *kernel = kernel_function(run->kernel);
    const struct ptx_variable *param = &run->module->variables[kernel->params[index]];
    const struct launch_argument *argument = &run->launch->arguments.items[index];
    const uint64_t start = run->program.addresses[kernel->params[index]] - PARAM_WINDOW;
    if (argument->fields != NULL &&
        region_set_known(memory_find(&run->memory, params_base), start, param->size, false) != WB_OK)
        return run_no_memory(run);
    for (size_t i = 0; i < launch_part_count(argument); i++) {
        uint64_t offset;
        const struct launch_argument *part = launch_part(argument, i, &offset);
        const char *name = part->is_buffer ? argument_name(arena, run, index, i) : NULL;
        struct argument_buffer *buffer = &run->buffers[(*part_number)++];
        if (part->is_buffer) WB_TRY(name_buffer(run, arena, index, i, buffer));
        WB_TRY(load_part(run, part, name, start + offset, params_base, buffer));
    }
    return WB_OK;
}

wb_status image_load(struct run *run, struct arena *arena) {
    const struct ptx_function *kernel = kernel_function(run->kernel);
    struct region params = {0};
    size_t part = 0;
    WB_TRY(load_variables(run));
    WB_TRY(memory_add(&run->memory, PTX_SPACE_PARAM, true, lay_out_parameters(run), "the kernel's parameters",
                      true, run->diagnostics, &params));
    run->buffers =
        arena_array(arena, launch_parts_before(run->launch, kernel->param_count), sizeof *run->buffers);
    if (run->buffers == NULL) return run_no_memory(run);
    for (uint32_t i = 0; i < kernel->param_count; i++)
        WB_TRY(load_argument(run, arena, i, params.base, &part));
    return WB_OK;
}

struct region *image_buffer(const struct run *run, size_t argument) {
    if (argument >= kernel_function(run->kernel)->param_count) return NULL;
    const uint64_t base = run->buffers[launch_parts_before(run->launch, argument)].base;
    for (size_t i = 0; base != 0 && i < run->memory.regions.count; i++)
        if (run->memory.regions.items[i].base == base) return &run->memory.regions.items[i];
    return NULL;
}

const struct argument_buffer *image_argument_of(const struct run *run, const struct region *region) {
    const size_t parts = launch_parts_before(run->launch, kernel_function(run->kernel)->param_count);
    for (size_t p = 0; p < parts; p++)
        if (run->buffers[p].base == region->base) return &run->buffers[p];
    return NULL;
}
