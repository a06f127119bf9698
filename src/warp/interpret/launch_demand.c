#include "warp/interpret/launch_demand.h"

#include <inttypes.h>
#include <string.h>

#include "warp/interpret/program.h"
#include "warp/path/block.h"

/* What is held against each other, and where messages go. */
struct launch_fit {
    const struct wb_kernel *kernel;
    const struct wb_launch *launch;
    wb_diagnostics *diagnostics;
};

/* Why the launch does not fit, about the launch file or the options. */
static wb_status refuse(const struct launch_fit *fit, const char *message) {
    const char *where = fit->launch->file != NULL ? fit->launch->file : "launch";
    diagnose(fit->diagnostics, SEVERITY_ERROR, where, "%s", message);
    return WB_ERR_INPUT;
}

static uint64_t product(const uint32_t *dimensions) {
    uint64_t result = 1;
    for (uint32_t i = 0; i < 3; i++)
        result *= dimensions[i] == 0 ? 1 : dimensions[i];
    return result;
}

/* Reports a sentence about the kernel, made with a struct text. */
static wb_status refuse_text(const struct launch_fit *fit, struct text *message) {
    (void)refuse(fit, message->data == NULL ? "memory is exhausted" : message->data);
    text_free(message);
    return WB_ERR_INPUT;
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
    text_printf(&message,
                "how many blocks of how many threads execute %s%s is missing; for example: -g 1 -b ",
                wb_kernel_name(fit->kernel), kernel->param_count > 0 ? ", and with which arguments," : "");
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
    if (argument->type == PTX_TYPE_NONE) return launch_contents_size(&argument->contents) == param->size;
    return scalar_fits(argument->type, param);
}

static wb_status check_arguments(const struct launch_fit *fit) {
    const struct ptx_function *kernel = kernel_function(fit->kernel);
    size_t given = fit->launch->arguments.count;
    struct text message = {0};
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        const struct ptx_variable *param = &fit->kernel->module->variables[kernel->params[i]];
        if (i < given &&
            argument_fits(&fit->launch->arguments.items[i], param, fit->kernel->module->address_size))
            continue;
        text_printf(&message, "argument %u of %s is ", i + 1, kernel->name);
        if (i < given)
            text_printf(&message, "'%s', which does not fit ", fit->launch->arguments.items[i].text);
        else
            text_string(&message, "missing: ");
        describe_param(&message, param);
        return refuse_text(fit, &message);
    }
    if (given <= kernel->param_count) return WB_OK;
    text_printf(&message, "%s has %u parameters, not %zu", kernel->name, kernel->param_count, given);
    return refuse_text(fit, &message);
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

/* Checks the block alone. */
static wb_status launch_check_block(const struct wb_kernel *kernel, const struct wb_launch *launch,
                                    wb_diagnostics *diagnostics) {
    const struct launch_fit fit = {kernel, launch, diagnostics};
    if (!launch->has_block)
        return refuse(&fit, "the number of threads in a block is missing (-b, or block of a launch file)");
    return check_block_size(&fit);
}

wb_status launch_check(const struct wb_kernel *kernel, const struct wb_launch *launch, const uint32_t *index,
                       wb_diagnostics *diagnostics) {
    const struct launch_fit fit = {kernel, launch, diagnostics};
    const bool nothing = launch->file == NULL && !launch->has_block && launch->arguments.count == 0;
    if (!launch->has_grid && nothing) return refuse_no_launch(&fit);
    if (!launch->has_grid)
        return refuse(&fit, "the number of blocks is missing (-g, or grid of a launch file)");
    WB_TRY(launch_check_block(kernel, launch, diagnostics));
    WB_TRY(check_index(&fit, index));
    return check_arguments(&fit);
}

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
    return (struct register_facts){
        .exact = launch->registers,
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
    if (status == WB_OK) *bytes = program_shared_bytes(&program, launch);
    program_free(&program);
    return status;
}

wb_status launch_demand(const struct wb_kernel *kernel, const struct wb_launch *launch, uint32_t warp_width,
                        wb_diagnostics *diagnostics, struct block_demand *demand) {
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
                 "the machine does not state how much of anything an SM has (limits)");
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
