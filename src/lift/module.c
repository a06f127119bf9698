/* Machine code as a module. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "lift/lift.h"

/* Memory for a module: so much for each byte of the file, and so much for any. */
#define MEMORY_PER_BYTE ((size_t)512)
#define MEMORY_BASE ((size_t)64 << 20)

/* A module that is made. */
struct making {
    struct lift_module in;
    struct cubin cubin;
    struct machine_code *code;
    uint32_t *at; /* per instruction of the code its place in the text */
    VEC(struct ptx_location) locations;
    VEC(struct ptx_item) items;
    struct text text;
};

static const char *copy_name(struct making *making, const char *name) {
    return arena_string(&making->in.module->arena, name, strlen(name));
}

static void add_item(struct making *making, enum ptx_item_kind kind, uint32_t index) {
    const struct ptx_item item = {kind, index};
    arena_push(&making->in.module->arena, &making->items, item);
}

/* ---- Variables ----------------------------------------------------------------------------------------- */

static uint32_t add_variable(struct making *making, struct ptx_variable variable) {
    arena_push(&making->in.module->arena, &making->in.variables, variable);
    return (uint32_t)making->in.variables.count - 1;
}

static struct ptx_variable bytes_variable(const char *name, enum ptx_space space, uint64_t size) {
    return (struct ptx_variable){.name = name,
                                 .space = space,
                                 .type = PTX_B8,
                                 .align = 16,
                                 .vector = 1,
                                 .size = size,
                                 .array = true,
                                 .owner = PTX_NO_INDEX};
}

static uint8_t *copy_bytes(struct making *making, const uint8_t *bytes, uint64_t size) {
    if (bytes == NULL) return NULL;
    uint8_t *copy = arena_alloc(&making->in.module->arena, size);
    memcpy(copy, bytes, size);
    return copy;
}

/* Constants and variables in global memory; static variables in shared memory are one of the kernel's. */
static void add_symbols(struct making *making) {
    const struct cubin *cubin = &making->cubin;
    making->in.symbol_variable =
        arena_array(&making->in.module->arena, cubin->symbol_count, sizeof *making->in.symbol_variable);
    for (uint32_t s = 0; s < cubin->symbol_count; s++) {
        const struct cubin_symbol *symbol = &cubin->symbols[s];
        making->in.symbol_variable[s] = PTX_NO_INDEX;
        if (symbol->space == CUBIN_SHARED || symbol->bytes == 0) continue;
        const enum ptx_space space = symbol->space == CUBIN_CONST ? PTX_SPACE_CONST : PTX_SPACE_GLOBAL;
        struct ptx_variable variable = bytes_variable(copy_name(making, symbol->name), space, symbol->bytes);
        variable.linkage = PTX_LINK_VISIBLE;
        variable.in_bank = symbol->space == CUBIN_CONST;
        variable.place = variable.in_bank ? (uint32_t)symbol->offset : 0;
        variable.init = copy_bytes(making, symbol->init, symbol->bytes);
        making->in.symbol_variable[s] = add_variable(making, variable);
        add_item(making, PTX_ITEM_VARIABLE, making->in.symbol_variable[s]);
    }
}

/* The variable that an address of the file is in, and where; PTX_NO_INDEX: in none. */
static uint32_t holder_of(const struct making *making, const struct cubin_address *address,
                          uint64_t *offset) {
    *offset = address->offset;
    if (address->bank == CUBIN_NONE) return making->in.symbol_variable[address->variable];
    for (uint32_t s = 0; address->bank == 3 && s < making->cubin.symbol_count; s++) {
        const struct cubin_symbol *symbol = &making->cubin.symbols[s];
        if (symbol->space != CUBIN_CONST || address->offset < symbol->offset) continue;
        *offset = address->offset - symbol->offset;
        if (*offset < symbol->bytes) return making->in.symbol_variable[s];
    }
    return PTX_NO_INDEX;
}

static void add_relocations(struct making *making) {
    const struct cubin *cubin = &making->cubin;
    struct arena *arena = &making->in.module->arena;
    for (uint32_t a = 0; a < cubin->address_count; a++) {
        const struct cubin_address *address = &cubin->addresses[a];
        struct ptx_relocation relocation = {.bytes = 8, .addend = (uint64_t)address->addend};
        const uint32_t holder = holder_of(making, address, &relocation.offset);
        if (holder == PTX_NO_INDEX || address->symbol == CUBIN_NONE) continue;
        relocation.symbol = making->in.symbol_variable[address->symbol];
        struct ptx_variable *variable = &making->in.variables.items[holder];
        if (relocation.symbol == PTX_NO_INDEX || relocation.offset + 8 > variable->size) continue;
        const size_t old = variable->relocation_count * sizeof relocation;
        variable->relocations = arena_grow(arena, variable->relocations, old, old + sizeof relocation);
        variable->relocations[variable->relocation_count++] = relocation;
    }
}

static void add_params(struct making *making, const struct cubin_kernel *kernel, uint32_t owner,
                       struct ptx_function *function) {
    struct arena *arena = &making->in.module->arena;
    function->param_count = kernel->param_count;
    function->params = arena_array(arena, kernel->param_count, sizeof *function->params);
    function->param_is_reg = arena_array(arena, kernel->param_count, sizeof *function->param_is_reg);
    for (uint32_t p = 0; p < kernel->param_count; p++) {
        char name[32];
        (void)text_format(name, sizeof name, "param_%u", p);
        const uint32_t bytes = kernel->params[p].bytes;
        struct ptx_variable variable = bytes_variable(copy_name(making, name), PTX_SPACE_PARAM, bytes);
        variable.owner = owner;
        variable.array = bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8;
        variable.align = variable.array ? 8 : bytes;
        variable.place = kernel->params[p].offset;
        variable.type = variable.array ? PTX_B8
                        : bytes == 8   ? PTX_B64
                        : bytes == 4   ? PTX_B32
                        : bytes == 2   ? PTX_B16
                                       : PTX_B8;
        function->params[p] = add_variable(making, variable);
    }
}

/* ---- Code ---------------------------------------------------------------------------------------------- */

/* Whether the loader writes to an instruction: its relocations are sorted. */
static bool is_patched(const struct cubin_kernel *kernel, uint32_t address) {
    uint32_t first = 0, last = kernel->patched_count;
    while (first < last) {
        const uint32_t middle = first + (last - first) / 2;
        if (kernel->patched[middle] < address)
            first = middle + 1;
        else
            last = middle;
    }
    return first < kernel->patched_count && kernel->patched[first] == address;
}

static void decode_kernel(struct making *making, const struct cubin_kernel *kernel, uint32_t index) {
    struct machine_code *code = making->code;
    const uint32_t count = kernel->code_bytes / SASS_BYTES;
    struct machine_kernel *made = &code->kernels[index];
    *made = (struct machine_kernel){.name = copy_name(making, kernel->name),
                                    .first = code->inst_count,
                                    .count = count,
                                    .registers = kernel->registers,
                                    .shared_bytes = kernel->shared_bytes,
                                    .stack_bytes = kernel->stack_bytes,
                                    .function = index};
    for (uint32_t i = 0, row = 0, line = 0; i < count; i++) {
        struct machine_inst *inst = &code->insts[code->inst_count++];
        *inst = (struct machine_inst){.kernel = index, .address = i * SASS_BYTES};
        if (!sass_decode(code->sm, kernel->code + (size_t)i * SASS_BYTES, inst->address, &inst->sass,
                         &inst->unknown) &&
            inst->unknown == NULL)
            inst->unknown = "it is an unknown instruction";
        if (is_patched(kernel, inst->address)) inst->unknown = "it is only complete when the file is loaded";
        while (row < kernel->ptx_line_count && kernel->ptx_lines[row].offset <= inst->address)
            row++;
        if (row > 0) inst->ptx_line = kernel->ptx_lines[row - 1].line;
        while (line < kernel->line_count && kernel->lines[line].offset <= inst->address)
            line++;
        if (line > 0) inst->file = kernel->lines[line - 1].file;
        if (line > 0) inst->line = kernel->lines[line - 1].line;
    }
}

static void decode_code(struct making *making) {
    struct arena *arena = &making->in.module->arena;
    const struct cubin *cubin = &making->cubin;
    size_t count = 0;
    for (uint32_t k = 0; k < cubin->kernel_count; k++)
        count += cubin->kernels[k].code_bytes / SASS_BYTES;
    making->code = arena_alloc(arena, sizeof *making->code);
    making->code->sm = cubin->sm;
    making->code->address_bytes = cubin->constant4.size;
    making->code->kernel_count = cubin->kernel_count;
    making->code->file_count = cubin->file_count;
    making->code->files = arena_array(arena, cubin->file_count, sizeof *making->code->files);
    for (uint32_t f = 0; f < cubin->file_count; f++)
        making->code->files[f] = copy_name(making, cubin->files[f]);
    making->code->kernels = arena_array(arena, cubin->kernel_count, sizeof *making->code->kernels);
    making->code->insts = arena_array(arena, count, sizeof *making->code->insts);
    for (uint32_t k = 0; k < cubin->kernel_count; k++)
        decode_kernel(making, &cubin->kernels[k], k);
}

/* The text that places in the code are in: an instruction a line, from its address on. */
static void write_text(struct making *making) {
    struct arena *arena = &making->in.module->arena;
    making->at = arena_array(arena, making->code->inst_count, sizeof *making->at);
    machine_code_list(making->code, arena, &making->text, making->at);
}

static void add_locations(struct making *making, const struct cubin_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->line_count; i++) {
        const struct cubin_line *line = &kernel->lines[i];
        const struct ptx_location location = {
            .file = line->file + 1, .line = line->line, .column = line->column, .inlined_at = PTX_NO_INDEX};
        arena_push(&making->in.module->arena, &making->locations, location);
    }
}

static void add_files(struct making *making) {
    struct wb_module *module = making->in.module;
    module->file_count = making->cubin.file_count;
    module->files = arena_array(&module->arena, module->file_count, sizeof *module->files);
    for (uint32_t f = 0; f < module->file_count; f++)
        module->files[f] = (struct ptx_file){f + 1, copy_name(making, making->cubin.files[f])};
}

/* ---- Functions ----------------------------------------------------------------------------------------- */

static struct ptx_tuning tuning_of(const struct cubin_kernel *kernel) {
    struct ptx_tuning tuning = {.maxnreg = kernel->max_registers};
    memcpy(tuning.maxntid, kernel->max_threads, sizeof tuning.maxntid);
    memcpy(tuning.reqntid, kernel->required_threads, sizeof tuning.reqntid);
    memcpy(tuning.reqnctapercluster, kernel->cluster_blocks, sizeof tuning.reqnctapercluster);
    tuning.explicitcluster = kernel->in_clusters;
    return tuning;
}

static uint32_t owned_variable(struct making *making, const char *name, enum ptx_space space, uint64_t size,
                               uint32_t owner) {
    if (size == 0) return PTX_NO_INDEX;
    struct ptx_variable variable = bytes_variable(name, space, size);
    variable.owner = owner;
    return add_variable(making, variable);
}

static uint32_t add_bank2(struct making *making, const struct cubin_bank *bank, uint32_t owner) {
    const uint32_t index = owned_variable(making, "constants", PTX_SPACE_CONST, bank->size, owner);
    if (index != PTX_NO_INDEX) {
        making->in.variables.items[index].owner = PTX_NO_INDEX;
        making->in.variables.items[index].init = copy_bytes(making, bank->bytes, bank->size);
    }
    return index;
}

static void make_function(struct making *making, uint32_t index) {
    struct wb_module *module = making->in.module;
    const struct cubin_kernel *kernel = &making->cubin.kernels[index];
    const struct machine_kernel *machine = &making->code->kernels[index];
    struct ptx_function *function = &module->functions[index];
    *function = (struct ptx_function){.name = machine->name,
                                      .is_entry = true,
                                      .has_body = true,
                                      .linkage = PTX_LINK_VISIBLE,
                                      .tuning = tuning_of(kernel),
                                      .registers = kernel->registers,
                                      .alias_of = PTX_NO_INDEX,
                                      .first_unknown = PTX_NO_INDEX};
    function->at = making->at[machine->first];
    struct lift_source_code source = {.kernel = kernel,
                                      .insts = &making->code->insts[machine->first],
                                      .inst_count = machine->count,
                                      .first = machine->first,
                                      .at = &making->at[machine->first],
                                      .first_location = (uint32_t)making->locations.count,
                                      .first_param = (uint32_t)making->in.variables.count,
                                      .index = index};
    add_params(making, kernel, index, function);
    add_locations(making, kernel);
    const uint32_t shared[2] = {
        owned_variable(making, "shared", PTX_SPACE_SHARED, kernel->shared_bytes, index),
        owned_variable(making, "dynamic", PTX_SPACE_SHARED, 1, index)};
    making->in.variables.items[shared[1]].size = 0;
    making->in.variables.items[shared[1]].linkage = PTX_LINK_EXTERN;
    source.stack =
        owned_variable(making, "stack", PTX_SPACE_LOCAL, (kernel->stack_bytes + 15) / 16 * 16, index);
    source.constant2 = add_bank2(making, &kernel->constant2, index);
    source.shared = shared[0] == PTX_NO_INDEX ? &shared[1] : shared;
    source.shared_count = shared[0] == PTX_NO_INDEX ? 1 : 2;
    lift_function(&making->in, &source, function);
    making->code->returns_by_stack = making->in.returns_by_stack;
    module->kernels[index] = (struct wb_kernel){module, index};
    add_item(making, PTX_ITEM_BODY, index);
}

static bool calls(const struct cubin *cubin, const char *name) {
    for (uint32_t a = 0; a < cubin->address_count; a++)
        if (cubin->addresses[a].symbol == CUBIN_NONE && cubin->addresses[a].name != NULL &&
            strcmp(cubin->addresses[a].name, name) == 0)
            return true;
    return false;
}

/* Declares the functions of the run-time system that the file has addresses of, behind the kernels. */
static void declare_functions(struct making *making) {
    struct wb_module *module = making->in.module;
    making->in.first_declared = making->cubin.kernel_count;
    for (int r = PTX_RUNTIME_NONE + 1; r < PTX_RUNTIME_COUNT; r++) {
        const char *name = ptx_runtime_name((enum ptx_runtime)r);
        if (!calls(&making->cubin, name)) continue;
        module->functions[making->in.first_declared + making->in.declared_count++] =
            (struct ptx_function){.name = name,
                                  .linkage = PTX_LINK_EXTERN,
                                  .alias_of = PTX_NO_INDEX,
                                  .first_unknown = PTX_NO_INDEX};
    }
}

static const char *architecture_name(struct making *making) {
    char name[16];
    (void)text_format(name, sizeof name, "sm_%u", making->cubin.sm);
    return copy_name(making, name);
}

static void make_module(void *context) {
    struct making *making = context;
    struct wb_module *module = making->in.module;
    struct arena *arena = &module->arena;
    const uint32_t kernels = making->cubin.kernel_count;
    making->in.cubin = &making->cubin;
    module->version = "";
    module->target = architecture_name(making);
    module->address_size = 64;
    module->functions = arena_array(arena, kernels + (size_t)PTX_RUNTIME_COUNT, sizeof *module->functions);
    module->kernels = arena_array(arena, kernels, sizeof *module->kernels);
    add_files(making);
    add_symbols(making);
    add_relocations(making);
    decode_code(making);
    write_text(making);
    declare_functions(making);
    for (uint32_t k = 0; k < kernels; k++)
        make_function(making, k);
    module->kernel_count = kernels;
    module->function_count = kernels + making->in.declared_count;
    module->variables = making->in.variables.items;
    module->variable_count = (uint32_t)making->in.variables.count;
    module->locations = making->locations.items;
    module->location_count = (uint32_t)making->locations.count;
    module->items = making->items.items;
    module->item_count = (uint32_t)making->items.count;
    module->code = making->code;
}

static wb_status make(struct making *making, const char *name, wb_diagnostics *diagnostics) {
    struct wb_module *module = making->in.module;
    wb_status status = arena_protect(&module->arena, make_module, making);
    const char *shown = arena_printable(&module->arena, name, strlen(name));
    if (status == WB_OK && (making->text.failed || shown == NULL)) status = WB_ERR_LIMIT;
    if (status == WB_OK) status = runtime_resolve(module);
    if (status == WB_OK) status = lift_issued(module);
    if (status == WB_OK) status = lift_mark_refinements(module);
    if (status != WB_OK) {
        (void)diagnose_out_of_memory(diagnostics, name);
        text_free(&making->text);
        return status;
    }
    module->text = making->text.data;
    module->source = (struct source){shown, module->text, making->text.length};
    return WB_OK;
}

wb_status lift_module(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                      wb_module **out) {
    struct making making = {.in = {.module = calloc(1, sizeof(wb_module))}};
    struct form_table forms = {0};
    wb_module *module = making.in.module;
    if (module == NULL) return diagnose_out_of_memory(diagnostics, name);
    module->arena.limit = size * MEMORY_PER_BYTE + MEMORY_BASE;
    forms.arena = &module->arena;
    making.in.forms = &forms;
    const wb_input input = input_of(WB_INPUT_CUBIN, name, bytes, size);
    wb_status status = input_copy(&input, &module->arena, &module->input);
    module->image = arena_string(&module->arena, bytes, size);
    module->image_bytes = size;
    if (status == WB_OK && module->image == NULL) status = diagnose_out_of_memory(diagnostics, name);
    if (status == WB_OK) status = cubin_read(name, bytes, size, diagnostics, &making.cubin);
    if (status == WB_OK) {
        status = make(&making, name, diagnostics);
        cubin_free(&making.cubin);
    }
    form_table_free(&forms);
    if (status == WB_OK) {
        *out = module;
    } else {
        wb_module_free(module);
    }
    return status;
}
