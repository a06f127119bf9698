#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "sass/sass.h"
#include "warp/interpret/execute.h"
#include "warp/interpret/warp.h"

/* Most fields of a struct in a message. */
#define SHOWN_FIELDS_MAX 32

/* The two sides compared, and the place of messages. */
struct launch_fit {
    const struct wb_kernel *kernel;
    const struct wb_launch *launch;
    wb_diagnostics *diagnostics;
};

/* Why the launch does not fit, about byte `at` of its file, about the file where that is 0, or about the
 * options. */
static wb_status refuse_at(const struct launch_fit *fit, uint32_t at, const char *message) {
    const struct wb_launch *launch = fit->launch;
    const bool has_place = at != 0 && launch->source.text != NULL;
    const struct subject subject = {.source = has_place ? &launch->source : NULL,
                                    .offset = at,
                                    .where = launch->file != NULL ? launch->file : "launch"};
    diagnose_about(fit->diagnostics, SEVERITY_ERROR, &subject, "%s", message);
    return WB_ERR_INPUT;
}

static wb_status refuse(const struct launch_fit *fit, const char *message) {
    return refuse_at(fit, 0, message);
}

static uint64_t product(const uint32_t *dimensions) {
    uint64_t result = 1;
    for (uint32_t i = 0; i < 3; i++)
        result *= dimensions[i] == 0 ? 1 : dimensions[i];
    return result;
}

/* Reports a sentence about the kernel, made with a struct text. */
static wb_status refuse_text_at(const struct launch_fit *fit, uint32_t at, struct text *message) {
    (void)refuse_at(fit, at, message->failed ? OUT_OF_MEMORY : message->data);
    text_free(message);
    return WB_ERR_INPUT;
}

static wb_status refuse_text(const struct launch_fit *fit, struct text *message) {
    return refuse_text_at(fit, 0, message);
}

static wb_status check_block_size(const struct launch_fit *fit) {
    const struct wb_launch *launch = fit->launch;
    const struct ptx_tuning *tuning = &kernel_function(fit->kernel)->tuning;
    uint64_t threads = product(launch->block);
    struct text message = {0};
    if (threads > LAUNCH_THREADS_MAX) {
        text_printf(&message, "a block has at most %u threads, not %" PRIu64, LAUNCH_THREADS_MAX, threads);
        return refuse_text(fit, &message);
    }
    if (tuning->maxntid[0] != 0 && threads > product(tuning->maxntid)) {
        text_printf(&message, "%s is made for blocks of at most %" PRIu64 " threads (.maxntid), not %" PRIu64,
                    wb_kernel_name(fit->kernel), product(tuning->maxntid), threads);
        return refuse_text(fit, &message);
    }
    bool required = tuning->reqntid[0] != 0;
    for (uint32_t i = 0; required && i < 3; i++) {
        uint32_t expected = tuning->reqntid[i] == 0 ? 1 : tuning->reqntid[i];
        if (launch->block[i] == expected) continue;
        text_printf(&message, "%s is made for blocks of %u,%u,%u threads (.reqntid), not %u,%u,%u",
                    wb_kernel_name(fit->kernel), tuning->reqntid[0], tuning->reqntid[1], tuning->reqntid[2],
                    launch->block[0], launch->block[1], launch->block[2]);
        return refuse_text(fit, &message);
    }
    return WB_OK;
}

/* ".u32 param_2", ".align 8 .b8 param_0[56]" */
static void describe_param(struct text *out, const struct ptx_variable *param) {
    text_printf(out, ".%s %s", ptx_type_name(param->type), param->name);
    if (param->array) text_printf(out, "[%" PRIu64 "]", param->size);
}

/* Appends an argument for the parameter as options have it: of what may be an address a buffer of zeros, of
 * other integers and floats 1, of a struct its bytes. */
static void put_example_argument(struct text *out, const struct ptx_variable *param, uint32_t address_size) {
    enum ptx_type_kind kind = ptx_type_kind(param->type);
    if (param->array)
        text_printf(out, " -a 'bytes[%" PRIu64 "]'", param->size);
    else if (param->size == address_size / 8 && kind != PTX_KIND_FLOAT)
        text_string(out, " -a 'buf:b32[1024]=zero'");
    else if (param->size == 2) /* halves are given as bits */
        text_string(out, " -a b16:1");
    else
        text_printf(out, " -a %s:1", ptx_type_name(param->type));
}

/* Nothing is said of the launch: what is to be said, and one of the kernel's launches. */
static wb_status refuse_no_launch(const struct launch_fit *fit) {
    const struct ptx_function *kernel = kernel_function(fit->kernel);
    const uint32_t *threads = kernel->tuning.reqntid;
    struct text message = {0};
    fit->diagnostics->needs_launch = true;
    text_printf(&message, "the grid and the block of %s%s are missing; for example: -g 1 -b ",
                wb_kernel_name(fit->kernel), kernel->param_count > 0 ? ", and its arguments," : "");
    if (threads[0] != 0)
        text_printf(&message, "%u,%u,%u", threads[0], threads[1] == 0 ? 1 : threads[1],
                    threads[2] == 0 ? 1 : threads[2]);
    else
        text_string(&message, "32");
    for (uint32_t i = 0; i < kernel->param_count; i++)
        put_example_argument(&message, &fit->kernel->module->variables[kernel->params[i]],
                             fit->kernel->module->address_size);
    return refuse_text(fit, &message);
}

/* Whether a scalar of that type can be passed: the size is that of the parameter, and no number is passed as
 * one of the other kind. */
static bool scalar_fits(enum ptx_type type, const struct ptx_variable *param) {
    enum ptx_type_kind given = ptx_type_kind(type), wanted = ptx_type_kind(param->type);
    if (param->array || ptx_type_bytes(type) != param->size) return false;
    if (given == PTX_KIND_BITS || wanted == PTX_KIND_BITS) return true;
    return (given == PTX_KIND_FLOAT) == (wanted == PTX_KIND_FLOAT);
}

static bool argument_fits(const struct launch_argument *argument, const struct ptx_variable *param,
                          uint32_t address_size) {
    if (argument->is_buffer)
        return !param->array && param->size == address_size / 8 &&
               ptx_type_kind(param->type) != PTX_KIND_FLOAT;
    for (size_t i = 0; i < argument->field_count; i++)
        if (argument->fields[i].value.is_buffer && address_size != 8 * LAUNCH_POINTER_BYTES) return false;
    if (argument->type == PTX_TYPE_NONE) return launch_contents_size(&argument->contents) == param->size;
    return scalar_fits(argument->type, param);
}

/* Appends what has to stand in the place of a blank. */
static void put_blank(struct text *out, const char *given) {
    const char *what = "the value, or ? for any value";
    if (strcmp(given, LAUNCH_BLANK) == 0)
        what = "the fields, such as in: buf:f32[1024], n: i32:7";
    else if (strstr(given, "[" LAUNCH_BLANK "]") != NULL)
        what = "the number of elements";
    else if (strchr(given, '[') != NULL)
        what = "contents such as zero or {1, 2}";
    text_printf(out, "blank: replace " LAUNCH_BLANK " in '%s' by %s", given, what);
}

/* Says of each field that is blank what it should be. */
static void refuse_blank_fields(const struct launch_fit *fit, uint32_t number,
                                const struct launch_argument *argument, const char *kernel) {
    for (size_t i = 0; i < argument->field_count; i++) {
        const struct launch_field *field = &argument->fields[i];
        struct text message = {0};
        if (!field->value.blank) continue;
        text_printf(&message, "argument %u of %s: %s%s%s is ", number, kernel,
                    argument->name != NULL ? argument->name : "", argument->name != NULL ? "." : "",
                    field->path);
        put_blank(&message, field->value.text);
        (void)refuse_text_at(fit, field->value.at, &message);
    }
}

/* Appends that a struct is not as large as its parameter, and where its fields lie, which shows why. */
static void put_other_size(struct text *out, const struct launch_argument *argument,
                           const struct ptx_variable *param) {
    text_printf(out, "a struct of %" PRIu64 " bytes, and ", launch_contents_size(&argument->contents));
    describe_param(out, param);
    text_printf(out, " has %" PRIu64 "; its fields are at", param->size);
    for (size_t i = 0; i < argument->field_count && i < SHOWN_FIELDS_MAX; i++)
        text_printf(out, "%s %s %" PRIu32, i > 0 ? "," : "", argument->fields[i].path,
                    argument->fields[i].offset);
    if (argument->field_count > SHOWN_FIELDS_MAX) text_string(out, " ...");
}

/* Appends which argument is missing, and one that would do. */
static void put_missing(struct text *out, const struct ptx_variable *param, uint32_t address_size) {
    text_string(out, "missing: ");
    describe_param(out, param);
    text_string(out, ", such as");
    put_example_argument(out, param, address_size);
}

/* Says what is wrong with argument `i`, if anything is. */
static wb_status check_argument(const struct launch_fit *fit, uint32_t i) {
    const struct ptx_function *kernel = kernel_function(fit->kernel);
    const struct ptx_variable *param = &fit->kernel->module->variables[kernel->params[i]];
    const uint32_t address_size = fit->kernel->module->address_size;
    const bool given = i < fit->launch->arguments.count;
    const struct launch_argument *argument = given ? &fit->launch->arguments.items[i] : NULL;
    struct text message = {0};
    if (given && !argument->blank && argument_fits(argument, param, address_size)) return WB_OK;
    if (given && argument->blank && argument->fields != NULL) {
        refuse_blank_fields(fit, i + 1, argument, kernel->name);
        return WB_ERR_INPUT;
    }
    text_printf(&message, "argument %u of %s is ", i + 1, kernel->name);
    if (!given) {
        put_missing(&message, param, address_size);
    } else if (argument->blank) {
        put_blank(&message, argument->text);
        text_string(&message, strchr(argument->text, '[') != NULL ? " for " : ", for ");
        describe_param(&message, param);
    } else if (argument->fields != NULL && launch_contents_size(&argument->contents) != param->size) {
        put_other_size(&message, argument, param);
    } else {
        text_printf(&message, "'%s', which does not fit ", argument->text);
        describe_param(&message, param);
    }
    return refuse_text_at(fit, given ? argument->at : fit->launch->arguments_at, &message);
}

/* Two arguments of one buffer: the first of them has it. */
static wb_status check_same(const struct launch_fit *fit, uint32_t i) {
    const struct wb_launch *launch = fit->launch;
    const struct launch_argument *argument = &launch->arguments.items[i];
    wb_status status = WB_OK;
    for (size_t p = 0; p < launch_part_count(argument); p++) {
        uint64_t offset;
        size_t owner = 0;
        const struct launch_argument *part = launch_part(argument, p, &offset), *buffer = NULL;
        struct text message = {0};
        if (part->same_as == NULL) continue;
        buffer = launch_buffer_named(launch, fit->kernel, part->same_as, &owner);
        if (buffer != NULL && owner >= launch_parts_before(launch, i) + p) buffer = NULL;
        if (buffer != NULL && (buffer->blank || part->offset <= buffer->contents.count)) continue;
        text_printf(&message, "argument %u of %s is '%s', ", i + 1, wb_kernel_name(fit->kernel), part->text);
        if (buffer == NULL)
            text_printf(&message,
                        "and no buffer before it is called '%s': a buffer of its own is buf:TYPE[COUNT]",
                        part->same_as);
        else
            text_printf(&message, "and that buffer has %" PRIu64 " elements", buffer->contents.count);
        status = refuse_text_at(fit, part->at, &message);
    }
    return status;
}

/* Says of every argument that is wrong or missing what it should be. */
static wb_status check_arguments(const struct launch_fit *fit) {
    const struct ptx_function *kernel = kernel_function(fit->kernel);
    const size_t given = fit->launch->arguments.count;
    struct text message = {0};
    wb_status status = WB_OK;
    for (uint32_t i = 0; i < kernel->param_count; i++)
        if (check_argument(fit, i) != WB_OK || check_same(fit, i) != WB_OK) status = WB_ERR_INPUT;
    if (given <= kernel->param_count) return status;
    text_printf(&message, "%s has %u parameters, not %zu", kernel->name, kernel->param_count, given);
    return refuse_text_at(fit, fit->launch->arguments_at, &message);
}

/* Which block is executed must be one of the grid. */
static wb_status check_index(const struct launch_fit *fit, const uint32_t *index) {
    const uint32_t *grid = fit->launch->grid;
    struct text message = {0};
    for (uint32_t i = 0; i < 3; i++) {
        if (index[i] < grid[i]) continue;
        text_printf(&message, "block %u,%u,%u is not in a grid of %u,%u,%u", index[0], index[1], index[2],
                    grid[0], grid[1], grid[2]);
        return refuse_text(fit, &message);
    }
    return WB_OK;
}

static wb_status check_grid(const struct launch_fit *fit, const uint32_t *index) {
    const uint32_t blank = fit->launch->blanks.grid;
    if (fit->launch->has_grid) return check_index(fit, index);
    return blank != 0
               ? refuse_at(fit, blank,
                           "fill in grid: the number of blocks in x, y and z, such as 16 or [16, 4] (or -g)")
               : refuse(fit, "the number of blocks is missing (-g, or grid of a launch file)");
}

static wb_status check_block(const struct launch_fit *fit) {
    const uint32_t blank = fit->launch->blanks.block;
    if (fit->launch->has_block) return check_block_size(fit);
    return blank != 0
               ? refuse_at(fit, blank,
                           "fill in block: the number of threads of a block in x, y and z, such as 256 or "
                           "[32, 8] (or -b)")
               : refuse(fit, "the number of threads in a block is missing (-b, or block of a launch file)");
}

static wb_status check_shared(const struct launch_fit *fit) {
    const uint32_t blank = fit->launch->blanks.shared;
    return blank == 0 ? WB_OK
                      : refuse_at(fit, blank,
                                  "fill in shared: the bytes of dynamic shared memory of a block, such as "
                                  "4096 (or --shared)");
}

/* The same only for the block and its dynamic shared memory. */
static wb_status launch_check_block(const struct wb_kernel *kernel, const struct wb_launch *launch,
                                    wb_diagnostics *diagnostics) {
    const struct launch_fit fit = {kernel, launch, diagnostics};
    const wb_status block = check_block(&fit), shared = check_shared(&fit);
    return block != WB_OK ? block : shared;
}

wb_status launch_check(const struct wb_kernel *kernel, const struct wb_launch *launch, const uint32_t *index,
                       wb_diagnostics *diagnostics) {
    const struct launch_fit fit = {kernel, launch, diagnostics};
    const bool nothing = launch->file == NULL && !launch->has_block && launch->arguments.count == 0;
    if (!launch->has_grid && nothing) return refuse_no_launch(&fit);
    const wb_status parts[] = {check_grid(&fit, index), check_block(&fit), check_shared(&fit),
                               check_arguments(&fit)};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        WB_TRY(parts[i]);
    return WB_OK;
}

/* ---- What an SM must have ---- */

/* Threads of a block of these dimensions, where trailing ones may be missing; 0: none are given. */
static uint32_t threads_of(const uint32_t dimensions[3]) {
    uint64_t threads = dimensions[0];
    for (int axis = 1; axis < 3 && threads <= UINT32_MAX; axis++)
        threads *= dimensions[axis] == 0 ? 1 : dimensions[axis];
    return threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
}

struct register_facts launch_registers(const struct wb_kernel *kernel, const struct wb_launch *launch) {
    const struct ptx_tuning *tuning = &kernel_function(kernel)->tuning;
    const uint32_t required = threads_of(tuning->reqntid);
    const uint32_t of_code = wb_kernel_registers(kernel);
    return (struct register_facts){
        .exact = of_code != 0 ? of_code : launch->registers,
        .of_code = of_code != 0,
        .most = tuning->maxnreg,
        .bound_threads = required != 0 ? required : threads_of(tuning->maxntid),
        .bound_blocks = tuning->minnctapersm,
    };
}

/* Lays out the shared memory of the kernel. */
static wb_status find_shared(const struct wb_kernel *kernel, const struct wb_launch *launch,
                             struct arena *arena, wb_diagnostics *diagnostics, uint64_t *bytes) {
    struct program program = {0};
    uint32_t *code_first;
    WB_TRY(code_number(kernel->module, arena, &code_first));
    wb_status status = program_scan(&program, kernel, arena, code_first, diagnostics);
    if (status == WB_OK)
        *bytes = machine_code_shared(kernel->module->code, program_shared_bytes(&program, launch));
    program_free(&program);
    return status;
}

/* For warps of `warp_width` threads. Errors, each with a message: WB_ERR_INPUT when the block is not given or
 * the kernel does not take such blocks; WB_ERR_LIMIT when memory is exhausted. */
static wb_status launch_demand(const struct wb_kernel *kernel, const struct wb_launch *launch,
                               uint32_t warp_width, wb_diagnostics *diagnostics,
                               struct block_demand *demand) {
    struct arena arena = {0};
    const size_t errors = wb_diagnostics_errors(diagnostics);
    WB_TRY(launch_check_block(kernel, launch, diagnostics));
    *demand = (struct block_demand){.threads = threads_of(launch->block),
                                    .registers = launch_registers(kernel, launch)};
    demand->warps = (demand->threads + warp_width - 1) / warp_width;
    wb_status status = find_shared(kernel, launch, &arena, diagnostics, &demand->shared_bytes);
    arena_free(&arena);
    if (status == WB_ERR_LIMIT && wb_diagnostics_errors(diagnostics) == errors)
        return diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
    return status;
}

wb_status wb_occupancy_find(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                            wb_diagnostics *diagnostics, wb_occupancy *occupancy) {
    struct block_demand demand;
    wb_occupancy found = {.kernel = kernel, .launch = launch};
    WB_TRY(launch_demand(kernel, launch, machine->warp_width, diagnostics, &demand));
    memcpy(found.block, launch->block, sizeof found.block);
    machine_occupancy(machine, &demand, &found);
    if (found.blocks_most == WB_UNLIMITED) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "the machine does not state the resources of an SM (limits)");
        return WB_ERR_DECLINED;
    }
    *occupancy = found;
    return WB_OK;
}

struct block_demand block_demand_of(const struct wb_block *block) {
    return (struct block_demand){.warps = block->warp_count,
                                 .threads = threads_of(block->size),
                                 .shared_bytes = block->shared_bytes,
                                 .registers = block->registers};
}

/* ---- Registers ---- */

/* The registers of a kernel as ptxas assembled it, and what else it says that the PTX does not. */

/* Bytes of the kernel's static shared memory, as it is laid out here. */
static wb_status find_static_shared(const struct wb_kernel *kernel, wb_diagnostics *diagnostics,
                                    uint64_t *bytes) {
    static const struct wb_launch without_dynamic = {0};
    struct arena arena = {0};
    struct program program = {0};
    uint32_t *code_first;
    wb_status status = code_number(kernel->module, &arena, &code_first);
    if (status == WB_OK) status = program_scan(&program, kernel, &arena, code_first, diagnostics);
    if (status == WB_OK) *bytes = program_shared_bytes(&program, &without_dynamic);
    program_free(&program);
    arena_free(&arena);
    return status;
}

/* Warns of what is in the machine code and not in the PTX. */
static wb_status hold_to_code(const char *path, const struct ptxas_entry *entry,
                              const struct wb_kernel *kernel, wb_diagnostics *diagnostics) {
    uint64_t shared = 0;
    WB_TRY(find_static_shared(kernel, diagnostics, &shared));
    if (entry->shared != shared)
        diagnose(diagnostics, SEVERITY_WARNING, path,
                 "kernel %s has %" PRIu64 " bytes of static shared memory there, and %" PRIu64
                 " in the PTX: that may be other code",
                 entry->name, entry->shared, shared);
    if (entry->spill_stores != 0 || entry->spill_loads != 0)
        diagnose(diagnostics, SEVERITY_WARNING, path,
                 "ptxas spills registers of %s to memory (%" PRIu64 " bytes are stored, %" PRIu64
                 " loaded): the PTX lacks these instructions, and no bound includes their time; more "
                 "registers a thread (-maxrregcount, __launch_bounds__) avoid them",
                 entry->name, entry->spill_stores, entry->spill_loads);
    return WB_OK;
}

/* Takes from the text of a file what it says of the kernel. */
static wb_status take_text(wb_launch *launch, const char *path, const char *text, size_t size,
                           const struct wb_kernel *kernel, wb_diagnostics *diagnostics) {
    const struct subject subject = {.where = path};
    const struct ptxas_entry *entry = NULL;
    struct ptxas_info info;
    wb_status status = ptxas_info_parse(text, size, &info);
    if (status != WB_OK) status = diagnose_out_of_memory(diagnostics, path);
    if (status == WB_OK) status = ptxas_info_find(&info, path, kernel, diagnostics, &entry);
    if (status == WB_OK) status = launch_registers_store(entry->registers, &subject, diagnostics, launch);
    if (status == WB_OK) status = hold_to_code(path, entry, kernel, diagnostics);
    ptxas_info_free(&info);
    return status;
}

wb_status wb_launch_read_ptxas_info(wb_launch *launch, const char *path, const wb_kernel *kernel,
                                    wb_diagnostics *diagnostics) {
    char *text = NULL;
    size_t size = 0;
    if (wb_kernel_registers(kernel) != 0) {
        diagnose(diagnostics, SEVERITY_ERROR, path,
                 "this is for PTX: the machine code itself says that kernel %s has %" PRIu32
                 " registers a thread; omit the file",
                 wb_kernel_name(kernel), wb_kernel_registers(kernel));
        return WB_ERR_INPUT;
    }
    WB_TRY(file_read(path, PTXAS_INFO_SIZE_MAX, diagnostics, &text, &size));
    wb_status status = take_text(launch, path, text, size, kernel, diagnostics);
    const wb_input input = input_of(WB_INPUT_PTXAS, path, text, size);
    if (status == WB_OK && input_copy(&input, &launch->arena, &launch->ptxas_info) != WB_OK)
        status = diagnose_out_of_memory(diagnostics, path);
    free(text);
    return status;
}
