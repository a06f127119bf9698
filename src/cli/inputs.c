#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "command_line.h"
#include "terminal.h"
#include "values.h"
#include "wing.h"

wb_status usage_error(wb_diagnostics *diagnostics, const char *message) {
    wb_diagnostics_error(diagnostics, "warpbound", message);
    return WB_ERR_INPUT;
}

wb_status require_format(const struct options *options, enum output_format first, enum output_format second,
                         wb_diagnostics *diagnostics) {
    if (options->format == first || options->format == second) return WB_OK;
    char message[160];
    const bool two = first != second;
    const bool of_schedules = options->format == OUTPUT_TRACE || options->format == OUTPUT_SVG;
    const bool has_schedules = (options->command & (COMMAND_ANALYZE | COMMAND_SIMULATE)) != 0;
    (void)snprintf(
        message, sizeof message, "this command cannot write %s with these options: expected %s%s%s%s",
        format_name(options->format), format_name(first), two ? " or " : "", two ? format_name(second) : "",
        of_schedules && has_schedules && !options->schedule ? ", or add --schedule" : "");
    return usage_error(diagnostics, message);
}

/* Applies --memory: a short name for settings of the machine. */
static wb_status set_memory(unsigned memory, wb_machine *machine, wb_diagnostics *diagnostics) {
    wb_status status = wb_machine_set(machine, "l1_size=0", diagnostics);
    return status == WB_OK && memory == MEMORY_IDEAL ? wb_machine_set(machine, "requests=ideal", diagnostics)
                                                     : status;
}

static bool sets(const char *setting, const char *key) {
    return strncmp(setting, key, strlen(key)) == 0;
}

static bool is_promise(const char *setting) {
    return sets(setting, "resident=");
}

static bool is_partition(const char *setting) {
    return sets(setting, "partition=");
}

static bool is_budget(const char *setting) {
    return sets(setting, "interference=");
}

/* Settings of wings are read by methods, which only `analyze` has. Promises, partitions and budgets are a
 * launch's: the machine that `machine show` prints would have them without saying so. */
static wb_status check_settings(const struct options *options, wb_diagnostics *diagnostics) {
    const bool has_methods = (options->command & (COMMAND_ANALYZE | COMMAND_MACHINE)) != 0;
    const bool has_launches = (options->command & (COMMAND_ANALYZE | COMMAND_SIMULATE)) != 0;
    for (size_t i = 0; i < options->sets.count; i++) {
        const char *setting = options->sets.items[i], *problem = NULL;
        if (!has_methods && settings_wing_of(setting) != NULL)
            problem = "has no effect here: only methods of `warpbound analyze` read it";
        if (!has_launches && (is_promise(setting) || is_partition(setting)))
            problem = "is for a launch: only `warpbound analyze` and `simulate` take it";
        if (options->command != COMMAND_ANALYZE && is_budget(setting))
            problem = "is for bounds of a launch: only `warpbound analyze` takes it";
        if (problem == NULL) continue;
        wb_diagnostics_error(diagnostics, setting, problem);
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

wb_status set_keys(const struct options *options, wb_machine *machine, wb_diagnostics *diagnostics) {
    char about[ABOUT_MAX];
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < options->sets.count; i++) {
        about_option("set", options->sets.items[i], about, diagnostics);
        status = wb_machine_set(machine, options->sets.items[i], diagnostics);
    }
    wb_diagnostics_about(diagnostics, NULL);
    return status;
}

/* What the command line promises of memory, or else the launch file, which may also be for models of PTX. */
static wb_status set_resident(const struct options *options, wb_machine *machine,
                              wb_diagnostics *diagnostics) {
    const char *names = options->resident;
    bool is_set = false;
    for (size_t i = 0; i < options->sets.count; i++)
        is_set |= is_promise(options->sets.items[i]);
    if (names == NULL && !is_set && !wb_machine_takes_ptx(machine))
        names = options->of_launch[WB_LAUNCH_RESIDENT];
    if (names == NULL) return WB_OK;
    char *setting = NULL;
    if (asprintf(&setting, "resident=%s", names) < 0) {
        wb_diagnostics_error(diagnostics, "resident", "out of memory");
        return WB_ERR_LIMIT;
    }
    const wb_status status = wb_machine_set(machine, setting, diagnostics);
    free(setting);
    return status;
}

/* Sets a partition, or neighbours. */
static wb_status set_value(const struct options *options, wb_launch_setting of, const char *value,
                           wb_machine *machine, wb_diagnostics *diagnostics) {
    char setting[80];
    const wb_launch_files files = options->allow_files ? WB_FILES_ANY : WB_FILES_BELOW;
    if (of == WB_LAUNCH_INTERFERENCE) return wb_machine_set_neighbours(machine, value, files, diagnostics);
    (void)snprintf(setting, sizeof setting, "partition=%s", value);
    return wb_machine_set(machine, setting, diagnostics);
}

/* What the launch file says of the machine, where the command line says nothing of it. */
static wb_status set_of_launch(const struct options *options, wb_launch_setting of,
                               bool is_it(const char *setting), wb_machine *machine,
                               wb_diagnostics *diagnostics) {
    const char *value = options->of_launch[of];
    for (size_t i = 0; i < options->sets.count; i++)
        if (is_it(options->sets.items[i])) value = NULL;
    if (value == NULL) return WB_OK;
    wb_status status = set_value(options, of, value, machine, diagnostics);
    if (status == WB_OK) status = wb_machine_check(machine, diagnostics);
    if (status != WB_OK) note_setting(options, of, value, diagnostics);
    return status;
}

/* What the command line says of the machine and then, of what that does not name, the launch file: the part
 * of the GPU, promises, the budget of others, which only bounds are beside. */
static wb_status set_machine(const struct options *options, wb_machine *machine,
                             wb_diagnostics *diagnostics) {
    wb_status status = set_keys(options, machine, diagnostics);
    if (status == WB_OK) status = wb_machine_check(machine, diagnostics);
    if (status == WB_OK)
        status = set_of_launch(options, WB_LAUNCH_PARTITION, is_partition, machine, diagnostics);
    if (status == WB_OK) status = set_resident(options, machine, diagnostics);
    if (status == WB_OK) status = wb_machine_check(machine, diagnostics);
    if (status != WB_OK || options->command != COMMAND_ANALYZE) return status;
    return set_of_launch(options, WB_LAUNCH_INTERFERENCE, is_budget, machine, diagnostics);
}

wb_status load_machine(const struct options *options, const char *name, wb_diagnostics *diagnostics,
                       wb_machine **machine) {
    wb_machine *loaded = NULL;
    char about[ABOUT_MAX];
    wb_status status = check_settings(options, diagnostics);
    const char *of_launch = options->of_launch[WB_LAUNCH_MACHINE];
    if (name == options->machine && name != of_launch) about_option("machine", name, about, diagnostics);
    if (status == WB_OK && strcmp(name, "___") == 0) /* as init leaves it */
        status = usage_error(diagnostics, "the machine is still ___: name one in the launch file, or with -m "
                                          "(warpbound machine list)");
    else if (status == WB_OK)
        status = wb_machine_load(name, diagnostics, &loaded);
    if (status != WB_OK) note_setting(options, WB_LAUNCH_MACHINE, name, diagnostics);
    wb_diagnostics_about(diagnostics, NULL);
    if (status == WB_OK && options->memory != 0) status = set_memory(options->memory, loaded, diagnostics);
    if (status == WB_OK) status = set_machine(options, loaded, diagnostics);
    if (status != WB_OK) {
        wb_machine_free(loaded);
        return status;
    }
    *machine = loaded;
    return WB_OK;
}

/* A number that may be at most `most`; `most` of what is none, which is beyond what the library takes, so
 * that its message says what is expected. */
static uint64_t number_of(const char *text, uint64_t most) {
    uint64_t number;
    return read_number(text, strlen(text), 0, most, &number) ? number : most;
}

wb_status set_dimensions(wb_launch *launch,
                         wb_status (*set)(wb_launch *, const uint32_t dimensions[3], wb_diagnostics *),
                         const char *text, wb_diagnostics *diagnostics) {
    uint32_t dimensions[3];
    if (!read_dimensions(text, 1, dimensions)) dimensions[0] = 0; /* which the library refuses */
    return set(launch, dimensions, diagnostics);
}

/* --assume, a list of names that are known. */
static wb_status assume(wb_launch *launch, const char *list, wb_diagnostics *diagnostics) {
    unsigned assumed = 0;
    for (bool more = true; more;) {
        const size_t length = strcspn(list, ",");
        if (length == 3 && strncmp(list, "all", length) == 0) assumed = WB_TAKE_ALL;
        for (unsigned bit = 1; bit <= WB_TAKE_ALL; bit <<= 1) {
            const char *name = wb_taken_name((wb_taken)bit);
            if (strncmp(list, name, length) == 0 && name[length] == '\0') assumed |= bit;
        }
        more = list[length] == ',';
        list += length + more;
    }
    return wb_launch_assume(launch, assumed, diagnostics);
}

/* Other values for single arguments: once the kernel is known, whose parameters have names. */
static wb_status set_named_arguments(const struct options *options, const struct inputs *inputs,
                                     wb_diagnostics *diagnostics) {
    char about[ABOUT_MAX];
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < options->arguments.count; i++) {
        const char *argument = options->arguments.items[i];
        if (!wb_is_named_argument(argument)) continue;
        about_option("argument", argument, about, diagnostics);
        status = wb_launch_set_argument(inputs->launch, inputs->kernel, argument, diagnostics);
    }
    wb_diagnostics_about(diagnostics, NULL);
    return status;
}

/* Sets what the options say of the launch, but for single arguments. */
static wb_status set_launch(const struct options *options, wb_launch *launch, wb_diagnostics *diagnostics) {
    char about[ABOUT_MAX];
    wb_status status =
        options->trace != NULL ? wb_launch_set_trace(launch, options->trace, diagnostics) : WB_OK;
    if (status == WB_OK && options->grid != NULL) {
        about_option("grid", options->grid, about, diagnostics);
        status = set_dimensions(launch, wb_launch_set_grid, options->grid, diagnostics);
    }
    if (status == WB_OK && options->block != NULL) {
        about_option("block", options->block, about, diagnostics);
        status = set_dimensions(launch, wb_launch_set_block, options->block, diagnostics);
    }
    if (status == WB_OK && options->shared != NULL) {
        about_option("shared", options->shared, about, diagnostics);
        uint64_t bytes;
        if (!wb_read_bytes(options->shared, &bytes)) bytes = UINT64_MAX;
        status = wb_launch_set_shared(launch, bytes, diagnostics);
    }
    if (status == WB_OK && options->registers != NULL) {
        about_option("registers", options->registers, about, diagnostics);
        status =
            wb_launch_set_registers(launch, (uint32_t)number_of(options->registers, UINT32_MAX), diagnostics);
    }
    if (status == WB_OK && options->assume != NULL) status = assume(launch, options->assume, diagnostics);
    about_option("argument", NULL, about, diagnostics);
    for (size_t i = 0; status == WB_OK && i < options->arguments.count; i++)
        if (!wb_is_named_argument(options->arguments.items[i]))
            status = wb_launch_add_argument(launch, options->arguments.items[i], diagnostics);
    if (status == WB_OK) about_option("variable", NULL, about, diagnostics);
    for (size_t i = 0; status == WB_OK && i < options->variables.count; i++)
        status = wb_launch_set_variable(launch, options->variables.items[i], diagnostics);
    wb_diagnostics_about(diagnostics, NULL);
    return status;
}

/* The launch file, if any, with the launch options on top. */
static wb_status load_launch(const struct options *options, wb_diagnostics *diagnostics, wb_launch **launch) {
    wb_launches *file = options->launch_file;
    if (file != NULL && wb_launches_is_list(file)) {
        wb_diagnostics_error(diagnostics, options->launch,
                             "expected one launch, got a list of launches, which only analyze takes");
        return WB_ERR_INPUT;
    }
    wb_launch *made = file != NULL ? wb_launches_take(file, 0) : wb_launch_new();
    wb_status status = made == NULL ? WB_ERR_LIMIT : set_launch(options, made, diagnostics);
    if (status != WB_OK) {
        wb_launch_free(made);
        return status;
    }
    *launch = made;
    return WB_OK;
}

/* The launch file beside a file of code: NAME.yaml of NAME.ptx, and of NAME.sm_86.cubin that or
 * NAME.sm_86.yaml. False: there is none. */
static bool launch_beside(const char *code, char *file, size_t size) {
    static const char *const endings[] = {".ptx", ".cubin", ".o", ".a", ".so", ".fatbin"};
    size_t stem = strlen(code);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t length = strlen(endings[i]);
        if (stem > length && strcmp(code + stem - length, endings[i]) == 0) stem -= length;
    }
    if (code[stem] == '\0') return false;
    for (;;) {
        const int length = snprintf(file, size, "%.*s.yaml", (int)stem, code);
        if (length < (int)size && access(file, R_OK) == 0) return true;
        while (stem > 0 && code[stem - 1] != '.' && code[stem - 1] != '/')
            stem--;
        if (stem < 2 || code[stem - 1] != '.' || code[stem - 2] == '/') return false;
        stem--;
    }
}

void launch_suggest(const struct options *options, wb_diagnostics *diagnostics) {
    const char *code = options->operands.count == 1 ? options->operands.items[0] : "";
    char file[256], note[600];
    if (!launch_beside(code, file, sizeof file)) return;
    (void)snprintf(note, sizeof note, "%s is in the same folder; if it is the launch file, add -l %s", file,
                   file);
    wb_diagnostics_note(diagnostics, code, note);
}

/* Loads the module, and the machine, as load_module does, and the kernel. */
static wb_status load_kernel(const struct options *options, const char *usual, wb_diagnostics *diagnostics,
                             struct inputs *inputs) {
    const wb_status status = load_module(options, usual, diagnostics, inputs);
    if (status != WB_OK) return status;
    const char *name = options->kernel;
    if (name == NULL && inputs->launch != NULL) name = wb_launch_kernel(inputs->launch);
    const wb_status found = wb_module_find_kernel(inputs->module, name, diagnostics, &inputs->kernel);
    if (found != WB_OK) note_setting(options, WB_LAUNCH_KERNEL, name, diagnostics);
    return found;
}

/* Warns of a number of registers that is not that of the machine code. */
static void compare_registers(const struct options *options, const struct inputs *inputs,
                              wb_diagnostics *diagnostics) {
    const uint32_t code = wb_kernel_registers(inputs->kernel), given = wb_launch_registers(inputs->launch);
    char message[160];
    if (given == 0 || given == code) return;
    (void)snprintf(message, sizeof message, "%u registers a thread are ignored: the machine code has %u",
                   given, code);
    wb_diagnostics_warning(diagnostics, options->registers != NULL ? "--registers" : options->launch,
                           message);
}

/* The registers of the kernel from what ptxas printed, where no number is given by hand. Machine code says
 * its own; what a launch file names was printed for its PTX. */
static wb_status load_registers(const struct options *options, struct inputs *inputs,
                                wb_diagnostics *diagnostics) {
    const bool by_hand = options->registers != NULL ||
                         (options->ptxas_info == NULL && wb_launch_registers(inputs->launch) != 0);
    const char *file = options->ptxas_info != NULL ? options->ptxas_info : options->ptxas_info_of_launch;
    if (wb_kernel_registers(inputs->kernel) != 0 && options->ptxas_info == NULL) {
        compare_registers(options, inputs, diagnostics);
        return WB_OK;
    }
    if (file == NULL || by_hand) return WB_OK;
    return wb_launch_read_ptxas_info(inputs->launch, file, inputs->kernel, diagnostics);
}

wb_status inputs_load_kernel(const struct options *options, wb_diagnostics *diagnostics,
                             struct inputs *inputs) {
    return load_kernel(options, NULL, diagnostics, inputs);
}

wb_status inputs_load_launch(const struct options *options, const char *machine, wb_diagnostics *diagnostics,
                             struct inputs *inputs) {
    wb_status status = load_launch(options, diagnostics, &inputs->launch);
    if (status == WB_OK) status = load_kernel(options, machine, diagnostics, inputs);
    if (status == WB_OK) status = set_named_arguments(options, inputs, diagnostics);
    return status == WB_OK ? load_registers(options, inputs, diagnostics) : status;
}

wb_status inputs_load(const struct options *options, const char *machine, wb_diagnostics *diagnostics,
                      struct inputs *inputs) {
    wb_status status = inputs_load_launch(options, machine, diagnostics, inputs);
    if (status == WB_OK && options->facts != NULL)
        status = wb_facts_read(options->facts, inputs->kernel, diagnostics, &inputs->facts);
    return status;
}

bool is_block_file(const struct options *options) {
    return options->operands.count == 1 && is_yaml_name(options->operands.items[0]);
}

wb_status load_block_file(const struct options *options, wb_diagnostics *diagnostics,
                          wb_analysis **analysis) {
    if (options->kernel != NULL || options->launch != NULL || options->grid != NULL ||
        options->block != NULL || options->registers != NULL || options->ptxas_info != NULL ||
        options->assume != NULL || options->trace != NULL || options->machine != NULL ||
        options->memory != 0 || options->facts != NULL || options->sets.count + options->arguments.count > 0)
        return usage_error(diagnostics, "a block file takes no kernel, launch or machine");
    return wb_analysis_read(options->operands.items[0], diagnostics, analysis);
}

/* The bits of --accept, whose names have been checked. */
static unsigned accepted_models(const struct options *options) {
    wb_diagnostics *discarded = wb_diagnostics_new();
    unsigned accepted = 0;
    if (options->accept != NULL && discarded != NULL)
        (void)wb_accept_read(options->accept, discarded, &accepted);
    wb_diagnostics_free(discarded);
    return accepted;
}

wb_analyze_options analyze_options(const struct options *options, const struct inputs *inputs) {
    const uint32_t *block = options->block_index.index;
    /* A launch file says what its buffers contain, too: its facts are for what that leaves open. */
    const bool given = options->inputs == INPUTS_GIVEN || options->facts_of_launch;
    return (wb_analyze_options){.size = sizeof(wb_analyze_options),
                                .facts = inputs->facts,
                                .one_block = options->block_index.given,
                                .block = {block[0], block[1], block[2]},
                                .state_limit = options->states.value,
                                .scheme = options->schemes,
                                .methods = options->methods,
                                .policies = options->policies,
                                .record_accesses = options->accesses,
                                .memory_limit = options->memory_limit,
                                .instruction_limit = options->instruction_limit.value,
                                .inputs = options->inputs == INPUTS_ANY ? WB_INPUTS_ANY
                                          : given                       ? WB_INPUTS_GIVEN
                                                                        : WB_INPUTS_USUAL,
                                .watch = watch_terminal(),
                                .accept = accepted_models(options),
                                .sms = options->sms,
                                .savings = options->format == OUTPUT_TEXT && !options->quiet};
}

void set_threads(const struct options *options, wb_gpu *gpu) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t usual = processors < 1 ? 1 : (uint64_t)processors;
    wb_gpu_set_threads(gpu, (uint32_t)(options->threads.given ? options->threads.value : usual));
}

void inputs_free(struct inputs *inputs) {
    wb_facts_free(inputs->facts);
    wb_machine_free(inputs->machine);
    wb_launch_free(inputs->launch);
    wb_module_free(inputs->module);
    wb_module_free(inputs->code);
}

wb_report_format report_format(const struct options *options) {
    switch (options->format) {
    case OUTPUT_JSON:
    case OUTPUT_JCSE_JSON: return WB_REPORT_JSON;
    case OUTPUT_JUNIT: return WB_REPORT_JUNIT;
    case OUTPUT_SARIF: return WB_REPORT_SARIF;
    default: return WB_REPORT_TEXT;
    }
}

char *case_label(const struct options *options) {
    const char *operand = options->operands.count > 0 ? options->operands.items[0] : "warpbound";
    const bool names_code = options->launch != NULL && operand == options->code_of_launch;
    const char *first = names_code || options->operands.count == 0 ? options->launch : operand;
    const bool is_by_hand = options->launch == NULL && is_yaml_name(operand);
    char *label = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&label, &size);
    if (out == NULL) return NULL;
    fputs(first != NULL ? first : operand, out);
    if (options->launch != NULL && options->launch != first) fprintf(out, ", %s", options->launch);
    if (options->kernel != NULL) fprintf(out, ", %s", options->kernel);
    if (options->machine != NULL || !is_by_hand)
        fprintf(out, " on %s", options->machine != NULL ? options->machine : WB_MACHINE_USUAL);
    for (size_t i = 0; i < options->sets.count; i++)
        fprintf(out, ", %s", options->sets.items[i]);
    fputs(options->deadline != NULL ? ": deadline" : ": bound", out);
    const bool is_written = ferror(out) == 0;
    if (fclose(out) == 0 && is_written) return label;
    free(label);
    return NULL;
}

void write_failure(const struct options *options, wb_status status, const wb_diagnostics *messages) {
    const wb_report_format format = report_format(options);
    wb_diagnostics *discarded =
        wb_diagnostics_new(); /* that this fails, too, is less than what is said already */
    char *text = NULL, *label = case_label(options);
    if (discarded != NULL && !*options->has_written && format != WB_REPORT_TEXT &&
        wb_messages_report(messages, status, format, label, discarded, &text) == WB_OK)
        (void)write_output(options, text, discarded);
    free(label);
    free(text);
    wb_diagnostics_free(discarded);
}

void report_look(const struct options *options, wb_report_options *report) {
    const bool to_file = options->output != NULL && strcmp(options->output, "-") != 0;
    report->width = to_file ? TERMINAL_WIDTH_USUAL : (uint32_t)terminal_width(stdout);
    report->color = to_file ? options->color == COLOR_ALWAYS : terminal_colors(stdout, options->color);
}

wb_status write_output(const struct options *options, const char *text, wb_diagnostics *diagnostics) {
    *options->has_written = true;
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

wb_status write_file(const char *path, wb_status (*make)(void *, const wb_writer *, wb_diagnostics *),
                     void *user, wb_diagnostics *diagnostics) {
    wb_file *file = NULL;
    wb_status status = wb_file_new(path, diagnostics, &file);
    const wb_writer writer = {wb_file_append, file};
    if (status == WB_OK) status = make(user, &writer, diagnostics);
    if (status == WB_OK) status = wb_file_complete(file, diagnostics);
    wb_file_free(file);
    return status;
}

wb_status write_as_made(const struct options *options,
                        wb_status (*make)(void *user, const wb_writer *writer, wb_diagnostics *diagnostics),
                        void *user, wb_diagnostics *diagnostics) {
    *options->has_written = true;
    watch_clear();
    if (options->output != NULL) return write_file(options->output, make, user, diagnostics);
    const wb_writer writer = {append_to_stream, stdout};
    const wb_status status = make(user, &writer, diagnostics);
    if (fflush(stdout) == 0) return status;
    return usage_error(diagnostics, "cannot write to standard output");
}
