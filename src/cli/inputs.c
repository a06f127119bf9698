#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

/* The machine of commands that need caches, unless one is named. */
#define GPU_MACHINE "jcse2017"

/* Most warp instructions that are executed with the given data only to show them beside all inputs. */
#define GIVEN_INSTRUCTIONS_MAX UINT64_C(50000000)

/* Most threads that can be asked for. */
#define THREADS_MAX 1024

wb_status usage_error(wb_diagnostics *diagnostics, const char *message) {
    wb_diagnostics_error(diagnostics, "warpbound", message);
    return WB_ERR_INPUT;
}

bool read_count(const char *text, size_t length, uint64_t most, uint64_t *count) {
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (!digit || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
            return false;
    }
    *count = value;
    return length > 0 && value <= most;
}

wb_status require_format(const struct options *options, enum output_format first, enum output_format second,
                         wb_diagnostics *diagnostics) {
    if (options->format == first || options->format == second) return WB_OK;
    char message[160];
    const bool two = first != second;
    (void)snprintf(message, sizeof message,
                   "with these options this command does not write that format, %s: expected %s%s%s",
                   format_name(options->format), format_name(first), two ? " or " : "",
                   two ? format_name(second) : "");
    return usage_error(diagnostics, message);
}

/* Applies --memory: a short name for settings of the machine. */
static wb_status set_memory(const char *model, wb_machine *machine, wb_diagnostics *diagnostics) {
    bool ideal = strcmp(model, "ideal") == 0;
    if (!ideal && strcmp(model, "requests") != 0)
        return usage_error(diagnostics, "--memory: expected ideal or requests");
    wb_status status = wb_machine_set(machine, "l1_size=0", diagnostics);
    return status == WB_OK && ideal ? wb_machine_set(machine, "requests=ideal", diagnostics) : status;
}

/* Conventions of abstract CTA simulation are of methods that only `analyze` has. */
static wb_status check_settings(const struct options *options, wb_diagnostics *diagnostics) {
    if ((options->command & (COMMAND_ANALYZE | COMMAND_MACHINE)) != 0) return WB_OK;
    for (size_t i = 0; i < options->set_count; i++) {
        if (strncmp(options->sets[i], "abstract_cta.", strlen("abstract_cta.")) != 0) continue;
        wb_diagnostics_error(diagnostics, options->sets[i],
                             "has no effect here: only methods of `warpbound analyze` read it");
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

wb_status load_machine(const struct options *options, const char *name, wb_diagnostics *diagnostics,
                       wb_machine **machine) {
    wb_machine *loaded = NULL;
    wb_status status = check_settings(options, diagnostics);
    if (status == WB_OK) status = wb_machine_load(name, diagnostics, &loaded);
    if (status == WB_OK && options->memory != NULL) status = set_memory(options->memory, loaded, diagnostics);
    for (size_t i = 0; status == WB_OK && i < options->set_count; i++)
        status = wb_machine_set(loaded, options->sets[i], diagnostics);
    if (status == WB_OK) status = wb_machine_check(loaded, diagnostics);
    if (status != WB_OK) {
        wb_machine_free(loaded);
        return status;
    }
    *machine = loaded;
    return WB_OK;
}

/* Which files the launch file may name. */
static wb_launch_files launch_files(const struct options *options) {
    return options->allow_files ? WB_FILES_ANY : WB_FILES_BELOW;
}

wb_status inputs_load_launches(const struct options *options, wb_diagnostics *diagnostics,
                               struct inputs *inputs) {
    if (options->launch == NULL) return WB_OK;
    return wb_launches_read(options->launch, launch_files(options), diagnostics, &inputs->launches);
}

/* The launch file, if any, with the launch options on top. */
static wb_status load_launch(const struct options *options, wb_diagnostics *diagnostics,
                             wb_launches *launches, wb_launch **launch) {
    wb_launch *made = NULL;
    wb_status status = WB_OK;
    if (launches != NULL) {
        made = wb_launches_take(launches, 0);
    } else if (options->launch != NULL) {
        status = wb_launch_read(options->launch, launch_files(options), diagnostics, &made);
    } else if ((made = wb_launch_new()) == NULL) {
        status = WB_ERR_LIMIT;
    }
    if (status == WB_OK && options->grid != NULL)
        status = wb_launch_set_grid(made, options->grid, diagnostics);
    if (status == WB_OK && options->block != NULL)
        status = wb_launch_set_block(made, options->block, diagnostics);
    if (status == WB_OK && options->shared != NULL)
        status = wb_launch_set_shared(made, options->shared, diagnostics);
    if (status == WB_OK && options->registers != NULL)
        status = wb_launch_set_registers(made, options->registers, diagnostics);
    if (status == WB_OK && options->assume != NULL)
        status = wb_launch_assume(made, options->assume, diagnostics);
    for (size_t i = 0; status == WB_OK && i < options->argument_count; i++)
        status = wb_launch_add_argument(made, options->arguments[i], diagnostics);
    for (size_t i = 0; status == WB_OK && i < options->variable_count; i++)
        status = wb_launch_set_variable(made, options->variables[i], diagnostics);
    if (status != WB_OK) {
        wb_launch_free(made);
        return status;
    }
    *launch = made;
    return WB_OK;
}

void launch_suggest(const struct options *options, wb_diagnostics *diagnostics) {
    const char *ptx = options->operand_count == 1 ? options->operands[0] : "";
    const size_t stem = strlen(ptx) - (strlen(ptx) > strlen(".ptx") ? strlen(".ptx") : 0);
    char file[256], note[600];
    const int length = snprintf(file, sizeof file, "%.*s.yaml", (int)stem, ptx);
    if (strcmp(ptx + stem, ".ptx") != 0 || length >= (int)sizeof file || access(file, R_OK) != 0) return;
    (void)snprintf(note, sizeof note,
                   "beside it is %s; where that is its launch file, add to this command: -l %s", file, file);
    wb_diagnostics_note(diagnostics, ptx, note);
}

/* "X[,Y[,Z]]" of --block-index; what is not given is 0. */
static wb_status parse_block_index(const char *text, wb_diagnostics *diagnostics, uint32_t index[3]) {
    for (int axis = 0; axis < 3; axis++) {
        uint64_t value;
        size_t length = strcspn(text, ",");
        if (!read_count(text, length, UINT32_MAX, &value)) break;
        index[axis] = (uint32_t)value;
        if (text[length] == '\0') return WB_OK;
        text += length + 1;
    }
    return usage_error(diagnostics, "--block-index: expected one to three numbers, such as 1,0,0");
}

wb_status load_module(const struct options *options, wb_diagnostics *diagnostics, wb_module **module) {
    if (options->operand_count != 1) return usage_error(diagnostics, "expected one PTX file (see --help)");
    return wb_module_read(options->operands[0], diagnostics, module);
}

wb_status inputs_load_kernel(const struct options *options, wb_diagnostics *diagnostics,
                             struct inputs *inputs) {
    wb_status status = load_module(options, diagnostics, &inputs->module);
    if (status != WB_OK) return status;
    const char *name = options->kernel;
    if (name == NULL && inputs->launch != NULL) name = wb_launch_kernel(inputs->launch);
    return wb_module_find_kernel(inputs->module, name, diagnostics, &inputs->kernel);
}

wb_status inputs_load_launch(const struct options *options, wb_diagnostics *diagnostics,
                             struct inputs *inputs) {
    wb_status status = load_launch(options, diagnostics, inputs->launches, &inputs->launch);
    return status == WB_OK ? inputs_load_kernel(options, diagnostics, inputs) : status;
}

/* The flow facts of --facts, which must be complete. */
static wb_status load_facts(const struct options *options, wb_diagnostics *diagnostics,
                            struct inputs *inputs) {
    if (options->facts == NULL) return WB_OK;
    wb_status status = wb_facts_read(options->facts, inputs->kernel, diagnostics, &inputs->facts);
    return status == WB_OK ? wb_facts_require_complete(inputs->facts, diagnostics) : status;
}

static bool is_block_file(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* A block written by hand: the options that describe a launch or a machine do not go with it. */
static wb_status load_block_file(const struct options *options, wb_diagnostics *diagnostics,
                                 struct inputs *inputs) {
    if (options->kernel != NULL || options->launch != NULL || options->grid != NULL ||
        options->block != NULL || options->registers != NULL || options->assume != NULL ||
        options->machine != NULL || options->memory != NULL || options->facts != NULL ||
        options->set_count + options->argument_count > 0)
        return usage_error(diagnostics,
                           "a block file stands for itself: no kernel, launch or machine with it");
    return wb_analysis_read(options->operands[0], diagnostics, &inputs->analysis);
}

wb_status inputs_load_grid(const struct options *options, bool allow_unmapped, wb_diagnostics *diagnostics,
                           struct inputs *inputs) {
    wb_grid_options trace = {.one_block = options->block_index != NULL,
                             .allow_unmapped = allow_unmapped,
                             .memory_limit = options->memory_limit,
                             .watch = watch_terminal()};
    wb_status status = inputs_load_launch(options, diagnostics, inputs);
    if (status == WB_OK && trace.one_block)
        status = parse_block_index(options->block_index, diagnostics, trace.block);
    if (status == WB_OK)
        status = wb_grid_trace(inputs->kernel, inputs->launch, &trace, diagnostics, &inputs->grid);
    return status;
}

/* Whether --inputs, or --facts alone, asks for what holds whatever buffers and variables contain. */
static wb_status asks_for_any(const struct options *options, wb_diagnostics *diagnostics, bool *any) {
    *any = options->facts != NULL;
    if (options->inputs == NULL) return WB_OK;
    *any = strcmp(options->inputs, "any") == 0;
    if (*any || strcmp(options->inputs, "given") == 0) return WB_OK;
    return usage_error(diagnostics, "--inputs: expected given or any");
}

wb_status load_analysis_machine(const struct options *options, wb_diagnostics *diagnostics,
                                wb_machine **machine) {
    const char *name = options->machine != NULL ? options->machine : DEFAULT_MACHINE;
    return load_machine(options, name, diagnostics, machine);
}

/* The machine of an analysis, and what of it tracing has to know. */
static wb_status load_block_machine(const struct options *options, wb_diagnostics *diagnostics,
                                    struct inputs *inputs, wb_trace_options *trace) {
    wb_status status = load_analysis_machine(options, diagnostics, &inputs->machine);
    if (status != WB_OK) return status;
    trace->record_accesses |= wb_machine_needs_accesses(inputs->machine);
    trace->warp_width = wb_machine_warp_width(inputs->machine);
    return WB_OK;
}

/* Executes the block with the data that the launch gives. WB_ERR_DECLINED without a message when that does
 * not determine what it executes, or, where it is only shown beside all inputs, takes too long. */
static wb_status trace_given(const wb_trace_options *trace, bool beside, const struct inputs *inputs,
                             wb_diagnostics *diagnostics, wb_block **block) {
    wb_trace_options given = *trace;
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return WB_ERR_LIMIT;
    if (beside) given.instruction_limit = GIVEN_INSTRUCTIONS_MAX;
    wb_status status = wb_block_trace(inputs->kernel, inputs->launch, &given, messages, block);
    if (beside && wb_diagnostics_over_limit(messages)) status = WB_ERR_DECLINED;
    if (status != WB_ERR_DECLINED) wb_diagnostics_append(diagnostics, messages);
    wb_diagnostics_free(messages);
    return status;
}

/* Holds the flow facts to the given data, which can show that they are wrong, but not that they are true. */
static wb_status check_facts(const wb_trace_options *trace, wb_diagnostics *diagnostics,
                             const struct inputs *inputs) {
    wb_trace_options given = *trace;
    wb_block *block = NULL;
    if (inputs->facts == NULL || inputs->given_block == NULL) return WB_OK;
    given.cover = true;
    given.facts = inputs->facts;
    wb_status status = wb_block_trace(inputs->kernel, inputs->launch, &given, diagnostics, &block);
    wb_block_free(block);
    return status;
}

/* Executes the block for all inputs, or for the given ones as far as they are known. */
static wb_status trace_covering(const struct options *options, const wb_trace_options *trace,
                                wb_diagnostics *diagnostics, struct inputs *inputs) {
    wb_trace_options covering = *trace;
    bool any;
    wb_status status = asks_for_any(options, diagnostics, &any);
    if (status == WB_OK)
        status = trace_given(trace, any, inputs, diagnostics, any ? &inputs->given_block : &inputs->block);
    if (status != WB_OK && status != WB_ERR_DECLINED) return status;
    if (status == WB_OK && !any) return WB_OK;
    status = check_facts(trace, diagnostics, inputs);
    if (status != WB_OK) return status;
    covering.cover = true;
    covering.unknown_contents = any;
    covering.facts = inputs->facts;
    return wb_block_trace(inputs->kernel, inputs->launch, &covering, diagnostics, &inputs->block);
}

/* The analysis of the block, and beside it that of the given data. */
static wb_status make_analyses(wb_diagnostics *diagnostics, struct inputs *inputs) {
    wb_status status = wb_analysis_new(inputs->block, inputs->machine, diagnostics, &inputs->analysis);
    if (status != WB_OK || inputs->given_block == NULL) return status;
    status = wb_analysis_new(inputs->given_block, inputs->machine, diagnostics, &inputs->given);
    if (status == WB_OK) wb_analysis_set_given(inputs->analysis, inputs->given);
    return status;
}

/* Whether a method of whole kernels is asked for by name. */
static bool names_kernel_method(const struct options *options) {
    return options->methods != NULL && strcmp(options->methods, "all") != 0 &&
           wb_methods_include_kernels(options->methods);
}

/* Whether the whole grid is to be analysed: unless one block is asked for, or methods of blocks only, and no
 * deadline of the kernel. */
static bool asks_for_kernel(const struct options *options, const struct inputs *inputs) {
    const char *methods = options->methods != NULL ? options->methods : "all";
    return options->block_index == NULL && wb_machine_takes_grids(inputs->machine) &&
           (wb_methods_include_kernels(methods) || analyze_judges_kernel(options));
}

/* Executes the grid with the data that the launch gives. WB_ERR_DECLINED without a message when it is only
 * shown beside all inputs and takes too long. Whether it determines what is executed shows when it is
 * analysed. */
static wb_status trace_given_grid(bool beside, const struct inputs *inputs, wb_diagnostics *diagnostics,
                                  wb_grid **grid) {
    const wb_grid_options trace = {.warp_width = wb_machine_warp_width(inputs->machine),
                                   .memory_limit = inputs->memory_limit,
                                   .instruction_limit = beside ? GIVEN_INSTRUCTIONS_MAX : 0,
                                   .watch = watch_terminal()};
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return WB_ERR_LIMIT;
    wb_status status = wb_grid_trace(inputs->kernel, inputs->launch, &trace, messages, grid);
    if (beside && wb_diagnostics_over_limit(messages)) status = WB_ERR_DECLINED;
    if (status != WB_ERR_DECLINED || !beside) wb_diagnostics_append(diagnostics, messages);
    wb_diagnostics_free(messages);
    return status;
}

/* How covering paths of all blocks are executed. */
static wb_grid_options covering_options(bool any, const struct inputs *inputs) {
    return (wb_grid_options){.cover = true,
                             .unknown_contents = any,
                             .record_accesses = wb_machine_needs_accesses(inputs->machine),
                             .facts = inputs->facts,
                             .warp_width = wb_machine_warp_width(inputs->machine),
                             .memory_limit = inputs->memory_limit,
                             .watch = watch_terminal()};
}

/* Analyses covering paths of all blocks. */
static wb_status analyse_covering_grid(bool any, wb_diagnostics *diagnostics, struct inputs *inputs) {
    const wb_grid_options covering = covering_options(any, inputs);
    wb_status status = wb_grid_trace(inputs->kernel, inputs->launch, &covering, diagnostics, &inputs->grid);
    return status == WB_OK ? wb_analysis_new_kernel(inputs->grid, inputs->machine, &covering.watch,
                                                    diagnostics, &inputs->analysis)
                           : status;
}

/* Analyses the grid with the given data beside covering paths, where the data determines what is executed. */
static wb_status analyse_given_grid(wb_diagnostics *diagnostics, struct inputs *inputs) {
    const wb_watch watch = watch_terminal();
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return WB_ERR_LIMIT;
    wb_status status = trace_given_grid(true, inputs, diagnostics, &inputs->given_grid);
    if (status == WB_OK)
        status =
            wb_analysis_new_given(inputs->given_grid, inputs->analysis, &watch, messages, &inputs->given);
    if (status == WB_OK) wb_analysis_set_given(inputs->analysis, inputs->given);
    if (status != WB_ERR_DECLINED) wb_diagnostics_append(diagnostics, messages);
    wb_diagnostics_free(messages);
    return status == WB_ERR_DECLINED ? WB_OK : status;
}

/* Warns that something else is analysed, by the first of the messages that say why. */
static void warn_instead(const char *what, wb_diagnostics *messages, wb_diagnostics *diagnostics) {
    const char *text = wb_diagnostics_text(messages), *error = strstr(text, "error: ");
    char warning[512];
    if (error == NULL) return;
    error += strlen("error: ");
    (void)snprintf(warning, sizeof warning, "%s: %.*s", what, (int)strcspn(error, "\n"), error);
    wb_diagnostics_warning(diagnostics, "analyze", warning);
}

/* Executes the grid with the given data and analyses it. WB_ERR_DECLINED without an error when the data does
 * not determine what is executed, or that is too much to be executed step by step. */
static wb_status analyse_known_grid(wb_diagnostics *diagnostics, struct inputs *inputs) {
    const wb_watch watch = watch_terminal();
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return WB_ERR_LIMIT;
    wb_status status = trace_given_grid(false, inputs, messages, &inputs->grid);
    if (status == WB_ERR_LIMIT && wb_diagnostics_over_limit(messages)) {
        warn_instead("too long to be executed step by step, so that covering paths are bounded, in which "
                     "iterations of long loops are not told apart",
                     messages, diagnostics);
        status = WB_ERR_DECLINED;
    } else if (status == WB_OK) {
        status = wb_analysis_new_kernel(inputs->grid, inputs->machine, &watch, messages, &inputs->analysis);
    }
    if (status != WB_ERR_DECLINED) wb_diagnostics_append(diagnostics, messages);
    wb_diagnostics_free(messages);
    if (status != WB_OK) {
        wb_grid_free(inputs->grid);
        inputs->grid = NULL;
    }
    return status;
}

wb_status inputs_load_kernel_analysis(const struct options *options, wb_diagnostics *diagnostics,
                                      struct inputs *inputs) {
    bool any;
    inputs->memory_limit = options->memory_limit;
    wb_status status = asks_for_any(options, diagnostics, &any);
    if (status == WB_OK && !any) {
        status = analyse_known_grid(diagnostics, inputs);
        if (status != WB_ERR_DECLINED) return status;
        status = WB_OK;
    }
    if (status == WB_OK) status = analyse_covering_grid(any, diagnostics, inputs);
    return status == WB_OK && any ? analyse_given_grid(diagnostics, inputs) : status;
}

/* Bounds one block of all inputs or with the given data, as far as they are known. */
static wb_status load_block_analysis(const struct options *options, const wb_trace_options *trace,
                                     wb_diagnostics *diagnostics, struct inputs *inputs) {
    wb_status status = trace_covering(options, trace, diagnostics, inputs);
    return status == WB_OK ? make_analyses(diagnostics, inputs) : status;
}

/* Bounds one block, as the messages say that its blocks cannot all be covered. Flow facts that are lacking
 * are those of all blocks. */
static wb_status fall_back_to_block(const struct options *options, const wb_trace_options *trace,
                                    wb_diagnostics *messages, wb_diagnostics *diagnostics,
                                    struct inputs *inputs) {
    wb_diagnostics *of_block = wb_diagnostics_new();
    if (of_block == NULL) return WB_ERR_LIMIT;
    wb_status status = load_block_analysis(options, trace, of_block, inputs);
    bool asks = status == WB_ERR_DECLINED && wb_diagnostics_needs_facts(messages);
    wb_diagnostics_append(diagnostics, asks ? messages : of_block);
    if (status == WB_OK) warn_instead("only one block is bounded, not the kernel", messages, diagnostics);
    wb_diagnostics_free(of_block);
    return status;
}

/* Bounds the kernel; one block, with a warning, where its blocks cannot be covered, unless a method of
 * kernels is asked for by name. */
static wb_status load_kernel_or_block(const struct options *options, const wb_trace_options *trace,
                                      wb_diagnostics *diagnostics, struct inputs *inputs) {
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return WB_ERR_LIMIT;
    wb_status status = inputs_load_kernel_analysis(options, messages, inputs);
    if (status == WB_ERR_DECLINED && !names_kernel_method(options)) {
        status = fall_back_to_block(options, trace, messages, diagnostics, inputs);
    } else {
        wb_diagnostics_append(diagnostics, messages);
        if (status == WB_ERR_LIMIT)
            wb_diagnostics_error(diagnostics, "analyze",
                                 "not all blocks were executed: -i 0,0,0 asks for one of them, -g for a "
                                 "smaller grid");
    }
    wb_diagnostics_free(messages);
    return status;
}

/* Holds the flow facts to the given data in the block that the options name. */
static wb_status check_facts_of_kernel(const struct options *options, const wb_trace_options *trace,
                                       wb_diagnostics *diagnostics, struct inputs *inputs) {
    bool any;
    wb_status status = asks_for_any(options, diagnostics, &any);
    if (status != WB_OK || inputs->facts == NULL || !any) return status;
    status = trace_given(trace, true, inputs, diagnostics, &inputs->given_block);
    if (status == WB_OK) status = check_facts(trace, diagnostics, inputs);
    wb_block_free(inputs->given_block);
    inputs->given_block = NULL;
    return status == WB_ERR_DECLINED ? WB_OK : status;
}

static wb_status load_traced_block(const struct options *options, enum inputs_use use,
                                   wb_diagnostics *diagnostics, struct inputs *inputs) {
    wb_trace_options trace = {.record_accesses = options->accesses,
                              .memory_limit = options->memory_limit,
                              .watch = watch_terminal()};
    wb_status status = inputs_load_launch(options, diagnostics, inputs);
    if (status == WB_OK) status = load_facts(options, diagnostics, inputs);
    if (status == WB_OK && options->block_index != NULL)
        status = parse_block_index(options->block_index, diagnostics, trace.block);
    bool timed = use == INPUTS_SIMULATION || use == INPUTS_ANALYSIS;
    if (status == WB_OK && timed) status = load_block_machine(options, diagnostics, inputs, &trace);
    if (status == WB_OK && use == INPUTS_ANALYSIS && asks_for_kernel(options, inputs)) {
        status = check_facts_of_kernel(options, &trace, diagnostics, inputs);
        return status == WB_OK ? load_kernel_or_block(options, &trace, diagnostics, inputs) : status;
    }
    if (status != WB_OK) return status;
    if (use == INPUTS_ANALYSIS) return load_block_analysis(options, &trace, diagnostics, inputs);
    if (use == INPUTS_PATHS) return trace_covering(options, &trace, diagnostics, inputs);
    status = wb_block_trace(inputs->kernel, inputs->launch, &trace, diagnostics, &inputs->block);
    return status == WB_OK && timed ? make_analyses(diagnostics, inputs) : status;
}

wb_status inputs_load(const struct options *options, enum inputs_use use, wb_diagnostics *diagnostics,
                      struct inputs *inputs) {
    bool timed = use == INPUTS_SIMULATION || use == INPUTS_ANALYSIS;
    if (timed && options->operand_count == 1 && is_block_file(options->operands[0]))
        return load_block_file(options, diagnostics, inputs);
    return load_traced_block(options, use, diagnostics, inputs);
}

/* --threads, or the number of processors. */
static wb_status set_threads(const struct options *options, wb_diagnostics *diagnostics, wb_gpu *gpu) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads = processors < 1 ? 1 : (uint64_t)processors;
    const char *asked = options->threads;
    if (asked != NULL && (!read_count(asked, strlen(asked), THREADS_MAX, &threads) || threads == 0))
        return usage_error(diagnostics, "--threads: expected a number from 1 to 1024");
    wb_gpu_set_threads(gpu, (uint32_t)threads);
    return WB_OK;
}

/* What is made of a grid on its machine. */
typedef wb_status grid_use(const struct options *options, wb_diagnostics *diagnostics, struct inputs *inputs);

/* Executes all blocks for all values that are not known, or for any. */
static wb_status use_covering(const struct options *options, bool any, grid_use *use,
                              wb_diagnostics *diagnostics, struct inputs *inputs) {
    if (options->block_index != NULL)
        return usage_error(diagnostics,
                           "--block-index: not with inputs that are not known: all blocks are covered");
    wb_grid_options covering = covering_options(any, inputs);
    covering.memory_limit = options->memory_limit;
    wb_status status = wb_grid_trace(inputs->kernel, inputs->launch, &covering, diagnostics, &inputs->grid);
    return status == WB_OK ? use(options, diagnostics, inputs) : status;
}

/* Executes all blocks with the given data, the messages into `messages`. */
static wb_status use_given(const struct options *options, bool allow_unmapped, grid_use *use,
                           wb_diagnostics *messages, struct inputs *inputs) {
    wb_status status = inputs_load_grid(options, allow_unmapped, messages, inputs);
    return status == WB_OK ? use(options, messages, inputs) : status;
}

/* Executes all blocks with the given data, or, where that leaves open what they execute, for all values. */
static wb_status use_given_or_covering(const struct options *options, bool allow_unmapped, grid_use *use,
                                       wb_diagnostics *diagnostics, struct inputs *inputs) {
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return WB_ERR_LIMIT;
    wb_status status = use_given(options, allow_unmapped, use, messages, inputs);
    if (status != WB_ERR_DECLINED || options->block_index != NULL) {
        wb_diagnostics_append(diagnostics, messages);
    } else {
        wb_grid_free(inputs->grid);
        inputs->grid = NULL;
        status = use_covering(options, false, use, diagnostics, inputs);
    }
    wb_diagnostics_free(messages);
    return status;
}

/* Loads a machine with caches and all blocks, whatever is known of their data. */
static wb_status load_any_grid(const struct options *options, bool allow_unmapped, grid_use *use,
                               wb_diagnostics *diagnostics, struct inputs *inputs) {
    const char *name = options->machine != NULL ? options->machine : GPU_MACHINE;
    bool any;
    wb_status status = asks_for_any(options, diagnostics, &any);
    if (status == WB_OK) status = load_machine(options, name, diagnostics, &inputs->machine);
    if (status != WB_OK || !any)
        return status == WB_OK ? use_given_or_covering(options, allow_unmapped, use, diagnostics, inputs)
                               : status;
    status = inputs_load_launch(options, diagnostics, inputs);
    if (status == WB_OK) status = load_facts(options, diagnostics, inputs);
    return status == WB_OK ? use_covering(options, true, use, diagnostics, inputs) : status;
}

static wb_status make_grid_analysis(const struct options *options, wb_diagnostics *diagnostics,
                                    struct inputs *inputs) {
    return wb_analysis_new_grid(inputs->grid, inputs->machine, options->schemes, diagnostics,
                                &inputs->analysis);
}

wb_status inputs_load_grid_analysis(const struct options *options, wb_diagnostics *diagnostics,
                                    struct inputs *inputs) {
    return load_any_grid(options, false, make_grid_analysis, diagnostics, inputs);
}

static wb_status make_gpu(const struct options *options, wb_diagnostics *diagnostics, struct inputs *inputs) {
    wb_status status = wb_gpu_new(inputs->grid, inputs->machine, diagnostics, &inputs->gpu);
    return status == WB_OK ? set_threads(options, diagnostics, inputs->gpu) : status;
}

wb_status inputs_load_gpu(const struct options *options, wb_diagnostics *diagnostics, struct inputs *inputs) {
    const char *name = options->machine != NULL ? options->machine : GPU_MACHINE;
    wb_status status = load_machine(options, name, diagnostics, &inputs->machine);
    return status == WB_OK ? use_given(options, false, make_gpu, diagnostics, inputs) : status;
}

wb_status inputs_load_caches(const struct options *options, bool allow_unmapped, wb_diagnostics *diagnostics,
                             struct inputs *inputs) {
    return load_any_grid(options, allow_unmapped, make_gpu, diagnostics, inputs);
}

void inputs_free(struct inputs *inputs) {
    wb_gpu_free(inputs->gpu);
    wb_analysis_free(inputs->analysis);
    wb_analysis_free(inputs->given);
    wb_block_free(inputs->block);
    wb_block_free(inputs->given_block);
    wb_facts_free(inputs->facts);
    wb_grid_free(inputs->grid);
    wb_grid_free(inputs->given_grid);
    wb_machine_free(inputs->machine);
    wb_launch_free(inputs->launch);
    wb_launches_free(inputs->launches);
    wb_module_free(inputs->module);
}

wb_status write_output(const struct options *options, const char *text, wb_diagnostics *diagnostics) {
    watch_clear();
    if (options->output != NULL) return wb_file_write(options->output, text, diagnostics);
    if (fputs(text, stdout) < 0 || fflush(stdout) != 0)
        return usage_error(diagnostics, "cannot write to standard output");
    return WB_OK;
}

static bool append_to_stream(void *stream, const char *bytes, size_t size) {
    watch_clear();
    return fwrite(bytes, 1, size, stream) == size;
}

wb_status write_as_made(const struct options *options,
                        wb_status (*make)(void *user, const wb_writer *writer, wb_diagnostics *diagnostics),
                        void *user, wb_diagnostics *diagnostics) {
    watch_clear();
    if (options->output == NULL) {
        const wb_writer writer = {append_to_stream, stdout};
        wb_status status = make(user, &writer, diagnostics);
        if (fflush(stdout) == 0) return status;
        return usage_error(diagnostics, "cannot write to standard output");
    }
    wb_file *file = NULL;
    wb_status status = wb_file_new(options->output, diagnostics, &file);
    const wb_writer writer = {wb_file_append, file};
    if (status == WB_OK) status = make(user, &writer, diagnostics);
    if (status == WB_OK) status = wb_file_complete(file, diagnostics);
    wb_file_free(file);
    return status;
}
