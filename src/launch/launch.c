#include "launch/launch.h"

#include <stdlib.h>
#include <string.h>

/* CUDA's limits on the dimensions of a grid and of a block (CUDA C++ Programming Guide, technical
 * specifications per compute capability; the same since 3.0). */
struct dimension_limits {
    const char *name;
    const char *expected;
    uint32_t maximum[3];
    uint64_t product;
};

static const struct dimension_limits grid_limits = {
    "grid",
    "one to three numbers of blocks, from 1 to 2147483647 in x and to 65535 in y and z",
    {INT32_MAX, 65535, 65535},
    UINT64_MAX,
};

static const struct dimension_limits block_limits = {
    "block",
    "one to three numbers of threads, from 1 to 1024 in x and y and to 64 in z, at most 1024 together",
    {1024, 1024, 64},
    LAUNCH_THREADS_MAX,
};

wb_launch *wb_launch_new(void) {
    return calloc(1, sizeof(wb_launch));
}

void wb_launch_free(wb_launch *launch) {
    if (launch == NULL) return;
    vec_free(&launch->arguments);
    vec_free(&launch->variables);
    free(launch->trace.text);
    arena_free(&launch->arena);
    free(launch);
}

void wb_launches_free(wb_launches *launches) {
    if (launches == NULL) return;
    for (size_t i = 0; i < launches->count; i++)
        wb_launch_free(launches->items[i]);
    free(launches->items);
    free(launches->beside);
    arena_free(&launches->arena);
    free(launches);
}

bool wb_launches_is_list(const wb_launches *launches) {
    return launches->is_list;
}

size_t wb_launches_count(const wb_launches *launches) {
    return launches->count;
}

const wb_launch *wb_launches_at(const wb_launches *launches, size_t index) {
    return index < launches->count ? launches->items[index] : NULL;
}

wb_launch *wb_launches_take(wb_launches *launches, size_t index) {
    if (index >= launches->count) return NULL;
    wb_launch *taken = launches->items[index];
    launches->items[index] = NULL;
    return taken;
}

uint32_t wb_launch_registers(const wb_launch *launch) {
    return launch->registers;
}

const char *wb_launch_kernel(const wb_launch *launch) {
    return launch->settings[WB_LAUNCH_KERNEL];
}

static wb_status bad_dimensions(const struct dimension_limits *limits, const struct subject *subject,
                                wb_diagnostics *diagnostics) {
    diagnose_about(diagnostics, SEVERITY_ERROR, subject, "%s: expected %s", limits->name, limits->expected);
    return WB_ERR_INPUT;
}

static wb_status store_dimensions(const struct dimension_limits *limits, const uint64_t *dimensions,
                                  size_t count, const struct subject *subject, wb_diagnostics *diagnostics,
                                  uint32_t stored[3]) {
    uint32_t result[3] = {1, 1, 1};
    uint64_t product = 1;
    if (count == 0 || count > 3) return bad_dimensions(limits, subject, diagnostics);
    for (size_t i = 0; i < count; i++) {
        if (dimensions[i] == 0 || dimensions[i] > limits->maximum[i])
            return bad_dimensions(limits, subject, diagnostics);
        result[i] = (uint32_t)dimensions[i];
        product *= dimensions[i]; /* at most 2^31 * 2^16 * 2^16 */
    }
    if (product > limits->product) return bad_dimensions(limits, subject, diagnostics);
    memcpy(stored, result, sizeof result);
    return WB_OK;
}

wb_status launch_grid_store(const uint64_t *dimensions, size_t count, const struct subject *subject,
                            wb_diagnostics *diagnostics, struct wb_launch *launch) {
    WB_TRY(store_dimensions(&grid_limits, dimensions, count, subject, diagnostics, launch->grid));
    launch->has_grid = true;
    return WB_OK;
}

wb_status launch_block_store(const uint64_t *dimensions, size_t count, const struct subject *subject,
                             wb_diagnostics *diagnostics, struct wb_launch *launch) {
    WB_TRY(store_dimensions(&block_limits, dimensions, count, subject, diagnostics, launch->block));
    launch->has_block = true;
    return WB_OK;
}

wb_status launch_shared_store(uint64_t bytes, const struct subject *subject, wb_diagnostics *diagnostics,
                              struct wb_launch *launch) {
    if (bytes <= LAUNCH_SHARED_MAX) {
        launch->shared_bytes = bytes;
        launch->blanks.shared = 0;
        return WB_OK;
    }
    diagnose_about(diagnostics, SEVERITY_ERROR, subject,
                   "shared: expected a number of bytes from 0 to %u, such as 4096 or 48K", LAUNCH_SHARED_MAX);
    return WB_ERR_INPUT;
}

wb_status launch_registers_store(uint64_t registers, const struct subject *subject,
                                 wb_diagnostics *diagnostics, struct wb_launch *launch) {
    if (registers >= 1 && registers <= LAUNCH_REGISTERS_MAX) {
        launch->registers = (uint32_t)registers;
        return WB_OK;
    }
    diagnose_about(diagnostics, SEVERITY_ERROR, subject, "registers: expected a number from 1 to %u",
                   LAUNCH_REGISTERS_MAX);
    return WB_ERR_INPUT;
}

_Static_assert(WB_TAKE_APPROX == 1u << LAUNCH_ASSUME_APPROX &&
                   WB_TAKE_DIV_ZERO == 1u << LAUNCH_ASSUME_DIV_ZERO &&
                   WB_TAKE_POINTER_ORDER == 1u << LAUNCH_ASSUME_POINTER_ORDER &&
                   WB_TAKE_NO_CONTRACTION == 1u << LAUNCH_ASSUME_NO_CONTRACTION &&
                   WB_TAKE_ALL == (1u << LAUNCH_ASSUMPTIONS) - 1,
               "the header has the bits of enum launch_assumption");

const char *launch_assumption_name(enum launch_assumption what) {
    static const char *const names[LAUNCH_ASSUMPTIONS] = {
        [LAUNCH_ASSUME_APPROX] = "approx",
        [LAUNCH_ASSUME_DIV_ZERO] = "div-zero",
        [LAUNCH_ASSUME_POINTER_ORDER] = "pointer-order",
        [LAUNCH_ASSUME_NO_CONTRACTION] = "no-contraction",
    };
    return names[what];
}

static bool is_name(const char *name, const char *text, size_t length) {
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

wb_status launch_assumption_store(const char *name, size_t length, const struct subject *subject,
                                  wb_diagnostics *diagnostics, struct wb_launch *launch) {
    uint32_t found = is_name("all", name, length) ? (1u << LAUNCH_ASSUMPTIONS) - 1 : 0;
    for (int what = 0; what < LAUNCH_ASSUMPTIONS; what++)
        if (is_name(launch_assumption_name((enum launch_assumption)what), name, length)) found |= 1u << what;
    launch->assumptions |= found;
    if (found != 0) return WB_OK;
    diagnose_about(diagnostics, SEVERITY_ERROR, subject,
                   "'%.*s': expected approx, div-zero, pointer-order, no-contraction or all",
                   (int)(length < 40 ? length : 40), name);
    return WB_ERR_INPUT;
}

static const struct subject launch_subject = {.where = "launch"};

wb_status wb_launch_set_grid(wb_launch *launch, const uint32_t blocks[3], wb_diagnostics *diagnostics) {
    const uint64_t numbers[] = {blocks[0], blocks[1], blocks[2]};
    return launch_grid_store(numbers, 3, &launch_subject, diagnostics, launch);
}

wb_status wb_launch_set_block(wb_launch *launch, const uint32_t threads[3], wb_diagnostics *diagnostics) {
    const uint64_t numbers[] = {threads[0], threads[1], threads[2]};
    return launch_block_store(numbers, 3, &launch_subject, diagnostics, launch);
}

wb_status wb_launch_set_shared(wb_launch *launch, uint64_t bytes, wb_diagnostics *diagnostics) {
    return launch_shared_store(bytes, &launch_subject, diagnostics, launch);
}

wb_status wb_launch_set_registers(wb_launch *launch, uint32_t registers, wb_diagnostics *diagnostics) {
    return launch_registers_store(registers, &launch_subject, diagnostics, launch);
}

wb_status wb_launch_assume(wb_launch *launch, unsigned assumed, wb_diagnostics *diagnostics) {
    if (assumed == 0 || (assumed & ~(unsigned)WB_TAKE_ALL) != 0) {
        diagnose(diagnostics, SEVERITY_ERROR, "launch", "%u is not a set of assumptions", assumed);
        return WB_ERR_INPUT;
    }
    launch->assumptions |= assumed;
    return WB_OK;
}

const char *wb_taken_name(wb_taken assumed) {
    for (int what = 0; what < LAUNCH_ASSUMPTIONS; what++)
        if (assumed == 1u << what) return launch_assumption_name((enum launch_assumption)what);
    return NULL;
}

const char *wb_taken_name_at(size_t index) {
    return index < LAUNCH_ASSUMPTIONS ? launch_assumption_name((enum launch_assumption)index) : NULL;
}

wb_status wb_launch_add_argument(wb_launch *launch, const char *argument, wb_diagnostics *diagnostics) {
    struct subject subject = {.where = "argument"};
    const struct launch_site site = {&launch->arena, &subject, NULL, diagnostics, NULL, &launch->types};
    struct launch_argument parsed;
    WB_TRY(launch_argument_parse(&site, NULL, argument, &parsed));
    if (launch->arguments_from_file) launch->arguments.count = launch->arguments_at = 0;
    launch->arguments_from_file = false;
    if (vec_push(&launch->arguments, parsed) != WB_OK) return diagnose_out_of_memory(diagnostics, "argument");
    return WB_OK;
}

/* The launch's entry for a variable, old or new; NULL when memory is exhausted. */
static struct launch_variable *launch_variable_entry(struct wb_launch *launch, const char *name,
                                                     size_t length) {
    for (size_t i = 0; i < launch->variables.count; i++) {
        struct launch_variable *variable = &launch->variables.items[i];
        if (strlen(variable->name) == length && memcmp(variable->name, name, length) == 0) return variable;
    }
    struct launch_variable made = {.name = arena_string(&launch->arena, name, length)};
    if (made.name == NULL || vec_push(&launch->variables, made) != WB_OK) return NULL;
    return &launch->variables.items[launch->variables.count - 1];
}

wb_status wb_launch_set_variable(wb_launch *launch, const char *assignment, wb_diagnostics *diagnostics) {
    struct subject subject = {.where = "variable"};
    const struct launch_site site = {&launch->arena, &subject, NULL, diagnostics, NULL, NULL};
    struct launch_contents contents;
    const char *equals = strchr(assignment, '=');
    if (equals == NULL || equals == assignment) {
        diagnose_about(diagnostics, SEVERITY_ERROR, &subject,
                       "'%.100s': expected NAME=CONTENTS such as c=f32[16]=iota", assignment);
        return WB_ERR_INPUT;
    }
    WB_TRY(launch_contents_parse(&site, equals + 1, &contents, NULL));
    struct launch_variable *variable =
        launch_variable_entry(launch, assignment, (size_t)(equals - assignment));
    if (variable == NULL) return diagnose_out_of_memory(diagnostics, subject.where);
    variable->contents = contents;
    variable->text = arena_string(&launch->arena, equals + 1, strlen(equals + 1));
    return variable->text == NULL ? diagnose_out_of_memory(diagnostics, subject.where) : WB_OK;
}

/* Zeros where contents are open: whether they were. */
static bool fill_open(struct launch_contents *contents) {
    const bool is_open = contents->fill == LAUNCH_FILL_UNKNOWN;
    if (is_open) contents->fill = LAUNCH_FILL_ZERO;
    return is_open;
}

/* What launch_with_zeros is about. */
struct zeros {
    const struct wb_launch *launch;
    struct arena *arena;
    struct wb_launch *made;
    bool was_open;
};

static bool has_contents(const struct launch_argument *part) {
    return part->is_buffer && part->same_as == NULL;
}

static void fill_argument(struct zeros *zeros, struct launch_argument *argument) {
    struct launch_field *fields = arena_array(zeros->arena, argument->field_count, sizeof *fields);
    if (has_contents(argument)) zeros->was_open |= fill_open(&argument->contents);
    for (size_t f = 0; f < argument->field_count; f++) {
        fields[f] = argument->fields[f];
        if (has_contents(&fields[f].value)) zeros->was_open |= fill_open(&fields[f].value.contents);
    }
    if (argument->fields != NULL) argument->fields = fields;
}

static void make_zeros(void *context) {
    struct zeros *zeros = context;
    const struct wb_launch *launch = zeros->launch;
    struct wb_launch *made = zeros->made;
    made->arguments.items = arena_array(zeros->arena, launch->arguments.count, sizeof *made->arguments.items);
    made->variables.items = arena_array(zeros->arena, launch->variables.count, sizeof *made->variables.items);
    for (size_t v = 0; v < launch->variables.count; v++) {
        made->variables.items[v] = launch->variables.items[v];
        zeros->was_open |= fill_open(&made->variables.items[v].contents);
    }
    for (size_t a = 0; a < launch->arguments.count; a++) {
        made->arguments.items[a] = launch->arguments.items[a];
        fill_argument(zeros, &made->arguments.items[a]);
    }
}

wb_status launch_with_zeros(const struct wb_launch *launch, struct arena *arena, struct wb_launch *made) {
    struct zeros zeros = {launch, arena, made, false};
    *made = *launch;
    made->with_zeros = true;
    WB_TRY(arena_protect(arena, make_zeros, &zeros));
    return zeros.was_open ? WB_OK : WB_ERR_DECLINED;
}

/* The `index`-th part of an argument or variable, arguments first; NULL past the end. */
static const struct launch_contents *contents_at(const wb_launch *launch, size_t index) {
    uint64_t offset;
    for (size_t a = 0; a < launch->arguments.count; a++) {
        const struct launch_argument *argument = &launch->arguments.items[a];
        const size_t parts = launch_part_count(argument);
        if (index < parts) return &launch_part(argument, index, &offset)->contents;
        index -= parts;
    }
    return index < launch->variables.count ? &launch->variables.items[index].contents : NULL;
}

const wb_input *wb_launch_input(const wb_launch *launch, size_t index) {
    if (launch->input.path != NULL && index-- == 0) return &launch->input;
    if (launch->ptxas_info.path != NULL && index-- == 0) return &launch->ptxas_info;
    if (launch->trace.input.path != NULL && index-- == 0) return &launch->trace.input;
    const struct launch_contents *contents;
    for (size_t i = 0; (contents = contents_at(launch, i)) != NULL; i++)
        if (contents->data.path != NULL && index-- == 0) return &contents->data;
    return NULL;
}

static const char *copy(const char *text, struct arena *arena) {
    return arena_string(arena, text, strlen(text));
}

/* What the launch was read from. */
static wb_status copy_files(const struct wb_launch *launch, struct arena *arena,
                            struct launch_inputs *inputs) {
    size_t count = 0;
    while (wb_launch_input(launch, count) != NULL)
        count++;
    inputs->files = arena_array(arena, count + 1, sizeof *inputs->files);
    if (inputs->files == NULL) return WB_ERR_LIMIT;
    for (; inputs->file_count < count; inputs->file_count++)
        WB_TRY(input_copy(wb_launch_input(launch, inputs->file_count), arena,
                          &inputs->files[inputs->file_count]));
    return WB_OK;
}

/* "NAME=CONTENTS" */
static const char *assignment_of(const struct launch_variable *variable, struct arena *arena) {
    const size_t size = strlen(variable->name) + strlen(variable->text) + 2;
    char *text = arena_alloc(arena, size);
    if (text != NULL) (void)text_format(text, size, "%s=%s", variable->name, variable->text);
    return text;
}

wb_status launch_inputs_of(const struct wb_launch *launch, bool any_contents, struct arena *arena,
                           struct launch_inputs *inputs) {
    const size_t arguments = launch->arguments.count, variables = launch->variables.count;
    *inputs = (struct launch_inputs){.any_contents = any_contents,
                                     .with_zeros = launch->with_zeros,
                                     .arguments = arena_array(arena, arguments + 1, sizeof(char *)),
                                     .variables = arena_array(arena, variables + 1, sizeof(char *)),
                                     .contents = arena_array(arena, variables + 1, sizeof(char *)),
                                     .assumptions = launch->assumptions};
    if (inputs->arguments == NULL || inputs->variables == NULL || inputs->contents == NULL)
        return WB_ERR_LIMIT;
    WB_TRY(copy_files(launch, arena, inputs));
    if (launch->trace.text != NULL) {
        inputs->trace = copy(launch->trace.input.path, arena);
        return inputs->trace != NULL ? WB_OK : WB_ERR_LIMIT;
    }
    if (launch->arguments_from_file && !launch->argument_replaced && launch->file != NULL) {
        inputs->file = copy(launch->file, arena);
        if (inputs->file == NULL) return WB_ERR_LIMIT;
    }
    for (; inputs->argument_count < arguments; inputs->argument_count++) {
        const char **argument = &inputs->arguments[inputs->argument_count];
        *argument = copy(launch->arguments.items[inputs->argument_count].text, arena);
        if (*argument == NULL) return WB_ERR_LIMIT;
    }
    for (; inputs->variable_count < variables; inputs->variable_count++) {
        const char **variable = &inputs->variables[inputs->variable_count];
        const struct launch_variable *given = &launch->variables.items[inputs->variable_count];
        *variable = copy(given->name, arena);
        inputs->contents[inputs->variable_count] = assignment_of(given, arena);
        if (*variable == NULL || inputs->contents[inputs->variable_count] == NULL) return WB_ERR_LIMIT;
    }
    return WB_OK;
}

/* ---- Sources ---- */

/* The `index`-th of them, be it there twice. */
static const wb_input *any_at(const struct sources *sources, size_t index) {
    if (sources->by_hand != NULL && index-- == 0) return sources->by_hand;
    if (sources->kernel != NULL && index-- == 0) return &sources->kernel->module->input;
    if (sources->code != NULL && index-- == 0) return sources->code;
    if (sources->launch != NULL) {
        if (index < sources->launch->file_count) return &sources->launch->files[index];
        index -= sources->launch->file_count;
    }
    for (size_t i = 0; sources->given != NULL && wb_launch_input(sources->given, i) != NULL; i++)
        if (index-- == 0) return wb_launch_input(sources->given, i);
    if (sources->facts != NULL && index-- == 0) return &sources->facts->input;
    return sources->machine != NULL ? wb_machine_input(sources->machine, index) : NULL;
}

/* Whether there is the same before it. */
static bool is_repeated(const struct sources *sources, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (input_equal(any_at(sources, i), any_at(sources, index))) return true;
    return false;
}

const wb_input *sources_at(const struct sources *sources, size_t index) {
    const wb_input *input;
    for (size_t i = 0; (input = any_at(sources, i)) != NULL; i++)
        if (!is_repeated(sources, i) && index-- == 0) return input;
    return NULL;
}
