#include "warp/interpret/execute.h"

#include <inttypes.h>
#include <string.h>

/* What is held against each other, and where messages go. */
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

/* Appends what has to stand in the place of a blank. */
static void put_blank(struct text *out, const char *given, const struct ptx_variable *param) {
    text_printf(out, "to be filled in: in place of " LAUNCH_BLANK " in '%s', %s for ", given,
                strchr(given, '[') != NULL ? "the number of elements"
                                           : "the value, or ? where it may be any,");
    describe_param(out, param);
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
    text_printf(&message, "argument %u of %s is ", i + 1, kernel->name);
    if (!given) {
        put_missing(&message, param, address_size);
    } else if (argument->blank) {
        put_blank(&message, argument->text, param);
    } else {
        text_printf(&message, "'%s', which does not fit ", argument->text);
        describe_param(&message, param);
    }
    return refuse_text_at(fit, given ? argument->at : 0, &message);
}

/* Says of every argument that is wrong or missing what it should be. */
static wb_status check_arguments(const struct launch_fit *fit) {
    const struct ptx_function *kernel = kernel_function(fit->kernel);
    const size_t given = fit->launch->arguments.count;
    struct text message = {0};
    wb_status status = WB_OK;
    for (uint32_t i = 0; i < kernel->param_count; i++)
        if (check_argument(fit, i) != WB_OK) status = WB_ERR_INPUT;
    if (given <= kernel->param_count) return status;
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

static wb_status check_grid(const struct launch_fit *fit, const uint32_t *index) {
    const uint32_t blank = fit->launch->blanks.grid;
    if (fit->launch->has_grid) return check_index(fit, index);
    return blank != 0
               ? refuse_at(fit, blank,
                           "grid is to be filled in: the number of blocks in x, y and z, such as 16 or "
                           "[16, 4] (or -g)")
               : refuse(fit, "the number of blocks is missing (-g, or grid of a launch file)");
}

static wb_status check_block(const struct launch_fit *fit) {
    const uint32_t blank = fit->launch->blanks.block;
    if (fit->launch->has_block) return check_block_size(fit);
    return blank != 0
               ? refuse_at(fit, blank,
                           "block is to be filled in: the number of threads of a block in x, y and z, such "
                           "as 256 or [32, 8] (or -b)")
               : refuse(fit, "the number of threads in a block is missing (-b, or block of a launch file)");
}

static wb_status check_shared(const struct launch_fit *fit) {
    const uint32_t blank = fit->launch->blanks.shared;
    return blank == 0 ? WB_OK
                      : refuse_at(fit, blank,
                                  "shared is to be filled in: the bytes of dynamic shared memory of a block, "
                                  "such as 4096 (or --shared)");
}

wb_status launch_check_block(const struct wb_kernel *kernel, const struct wb_launch *launch,
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
