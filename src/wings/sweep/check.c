/* What of a product can be checked before anything runs, and which of its units other products have, too. */
#include <string.h>

#include "base/files.h"
#include "launch/launch.h"
#include "wings/sweep/sweep.h"

/* A launch of the product, and its kernel. */
struct target {
    wb_launches *launches;
    wb_module *module;
    const wb_kernel *kernel; /* of the module */
};

/* What became of the values of all single arguments, in the order of axes and values. */
struct verdicts {
    size_t count, open;  /* open: no launch takes it so far */
    bool *taken;         /* by each value */
    const char **errors; /* of those that are not: why */
};

static bool is_varied(const struct sweep_axis *axis) {
    return axis->row->kind == AXIS_ARGUMENT;
}

/* Whether a subject is code, not a launch file or a block, which are YAML files by their names. */
static bool is_code(const char *path) {
    return !file_ends_with(path, ".yaml") && !file_ends_with(path, ".yml");
}

/* ---- Launches of a product -------------------------------------------------------------------------------
 */

static void close_target(struct target *target) {
    wb_module_free(target->module);
    wb_launches_free(target->launches);
    *target = (struct target){0};
}

/* Reads a launch file and its code, which is `code` where that is one; close_target in any case. */
static bool open_target(wb_sweep *sweep, const char *launch, const char *code, const char *kernel,
                        struct target *target) {
    const wb_launch_files files = sweep->allow_files ? WB_FILES_ANY : WB_FILES_BELOW;
    sweep_forget_errors(sweep);
    if (wb_launches_read(launch, files, &sweep->discarded, &target->launches) != WB_OK) return false;
    if (wb_launches_is_list(target->launches)) return false; /* its units are refused, whatever they vary */
    if (!is_code(code)) code = wb_launches_code(target->launches);
    if (code == NULL || wb_module_read(code, &sweep->discarded, &target->module) != WB_OK) return false;
    if (kernel == NULL) kernel = wb_launch_kernel(wb_launches_at(target->launches, 0));
    return wb_module_find_kernel(target->module, kernel, &sweep->discarded, &target->kernel) == WB_OK;
}

/* ---- Values ----------------------------------------------------------------------------------------------
 */

/* Whether the launch takes a value. */
static bool takes(wb_sweep *sweep, const struct target *target, const struct sweep_axis *axis,
                  const char *value) {
    struct text assignment = {.arena = &sweep->arena};
    struct launch_argument argument = {0};
    size_t index;
    text_printf(&assignment, "%s=%s", axis->name + strlen(axis->row->key), value);
    sweep_forget_errors(sweep);
    return launch_argument_named(target->launches->items[0], target->kernel, text_take(&assignment),
                                 &sweep->discarded, &index, &argument) == WB_OK;
}

static void try_arguments(wb_sweep *sweep, const struct sweep_product *product, const struct target *target,
                          struct verdicts *verdicts) {
    size_t v = 0;
    for (size_t i = 0; i < product->axes.count; i++) {
        const struct sweep_axis *axis = &product->axes.items[i];
        for (size_t j = 0; is_varied(axis) && j < axis->values.count; j++, v++) {
            if (verdicts->taken[v]) continue;
            verdicts->taken[v] = takes(sweep, target, axis, axis->values.items[j].text);
            verdicts->open -= verdicts->taken[v];
            if (!verdicts->taken[v]) verdicts->errors[v] = sweep_discarded_error(sweep);
        }
    }
}

/* Tries a launch file with each code and kernel that the product has for it, as long as values are open.
 * False: one of these cannot be read. */
static bool try_launch(wb_sweep *sweep, const struct sweep_product *product, const char *launch,
                       const struct sweep_axis *codes, struct verdicts *verdicts) {
    const struct sweep_axis *kernels = sweep_find_axis(product, "kernel");
    const size_t code_count = codes != NULL ? codes->values.count : 1;
    const size_t kernel_count = kernels != NULL ? kernels->values.count : 1;
    bool is_read = true;
    for (size_t c = 0; c < code_count && is_read; c++)
        for (size_t k = 0; k < kernel_count && is_read && verdicts->open > 0; k++) {
            struct target target = {0};
            is_read = open_target(sweep, launch, codes != NULL ? codes->values.items[c].path : launch,
                                  kernels != NULL ? kernels->values.items[k].text : NULL, &target);
            if (is_read) try_arguments(sweep, product, &target, verdicts);
            close_target(&target);
        }
    return is_read;
}

/* Tries all launches; false: one of them cannot be read, or there is code without a launch file. */
static bool try_launches(wb_sweep *sweep, const struct sweep_product *product, struct verdicts *verdicts) {
    const struct sweep_axis *subject = sweep_subject(product), *launches = sweep_find_axis(product, "launch");
    const struct sweep_axis *files = launches != NULL ? launches : subject;
    bool all = true;
    for (size_t i = 0; i < files->values.count && verdicts->open > 0 && all; i++)
        all = try_launch(sweep, product, files->values.items[i].path, launches != NULL ? subject : NULL,
                         verdicts);
    return all;
}

static wb_status report(wb_sweep *sweep, const struct sweep_product *product,
                        const struct verdicts *verdicts) {
    size_t v = 0;
    wb_status worst = WB_OK;
    for (size_t i = 0; i < product->axes.count; i++) {
        const struct sweep_axis *axis = &product->axes.items[i];
        const struct ytree_node *said = NULL; /* a range has many values, and one place */
        for (size_t j = 0; is_varied(axis) && j < axis->values.count; j++, v++) {
            const struct ytree_node *node = axis->values.items[j].node;
            if (verdicts->taken[v] || verdicts->errors[v] == NULL || node == said) continue;
            worst = ytree_error(&sweep->document, node, "arguments: %s", verdicts->errors[v]);
            said = node;
        }
    }
    return worst;
}

/* An error for each value of a single argument that no launch of the product takes. Where a launch cannot be
 * read nothing is said: its units will. */
static wb_status check_arguments(wb_sweep *sweep, const struct sweep_product *product) {
    struct verdicts verdicts = {0};
    for (size_t i = 0; i < product->axes.count; i++)
        if (is_varied(&product->axes.items[i])) verdicts.count += product->axes.items[i].values.count;
    /* Those that are listed stand in for the launch's. */
    if (verdicts.count == 0 || sweep_find_axis(product, axis_of_kind(AXIS_ARGUMENTS)->key) != NULL)
        return WB_OK;
    verdicts.open = verdicts.count;
    verdicts.taken = arena_array(&sweep->arena, verdicts.count, sizeof *verdicts.taken);
    verdicts.errors = arena_array(&sweep->arena, verdicts.count, sizeof *verdicts.errors);
    return try_launches(sweep, product, &verdicts) ? report(sweep, product, &verdicts) : WB_OK;
}

/* ---- Machines of a product -------------------------------------------------------------------------------
 */

/* The machines that units have. */
struct machine_list {
    VEC(const char *) names; /* presets or paths, as they can be loaded, each once */
    bool is_open;            /* there are units of which nobody knows it yet */
};

static void add_machine(wb_sweep *sweep, struct machine_list *machines, const char *name) {
    for (size_t i = 0; i < machines->names.count; i++)
        if (strcmp(machines->names.items[i], name) == 0) return;
    arena_push(&sweep->arena, &machines->names, arena_string(&sweep->arena, name, strlen(name)));
}

/* The machine that a launch file names, or the usual one. */
static void add_machine_of(wb_sweep *sweep, const char *path, const char *usual,
                           struct machine_list *machines) {
    const wb_launch_files files = sweep->allow_files ? WB_FILES_ANY : WB_FILES_BELOW;
    struct wb_diagnostics discarded = {0};
    wb_launches *launches = NULL;
    const bool is_read = wb_launches_read(path, files, &discarded, &launches) == WB_OK;
    const char *named = is_read ? wb_launches_setting(launches, WB_LAUNCH_MACHINE) : NULL;
    if (is_read)
        add_machine(sweep, machines, named != NULL ? named : usual);
    else
        machines->is_open = true;
    wb_launches_free(launches);
    diagnostics_clear(&discarded);
}

/* The axis `machine`, or else what launch files name, and what is usual without them. Whether files can be
 * read is for the units to say. */
static void list_machines(wb_sweep *sweep, const struct sweep_product *product,
                          struct machine_list *machines) {
    const struct sweep_axis *axis = sweep_find_axis(product, "machine");
    const char *usual =
        sweep_find_axis(product, "scheme") != NULL ? WB_MACHINE_WITH_CACHES : WB_MACHINE_USUAL;
    if (axis != NULL) {
        for (size_t i = 0; i < axis->values.count; i++)
            add_machine(sweep, machines, axis->values.items[i].path);
        return;
    }
    axis = sweep_find_axis(product, "launch");
    if (axis == NULL) axis = sweep_subject(product);
    for (size_t i = 0; axis != NULL && i < axis->values.count; i++) {
        const char *path = axis->values.items[i].path;
        struct wb_diagnostics discarded = {0};
        bool is_launch = false;
        (void)wb_is_launch_file(path, &discarded,
                                &is_launch); /* without memory it is open what the file is */
        diagnostics_clear(&discarded);
        if (is_launch)
            add_machine_of(sweep, path, usual, machines);
        else if (is_code(path))
            add_machine(sweep, machines, usual);
        else
            machines->is_open = true;
    }
}

/* ---- Keys and deadlines ----------------------------------------------------------------------------------
 */

/* Whether the loaded machine takes a value of one of its keys. */
static bool takes_setting(wb_sweep *sweep, const struct sweep_axis *axis, const struct axis_value *value) {
    struct text setting = {.arena = &sweep->arena};
    text_printf(&setting, "%s=%s", axis->name, value->text);
    return sweep_set_machine(sweep, text_take(&setting)) == WB_OK;
}

/* Which values of a key the machine takes; of others `errors` says why not. What one value refuses because of
 * those before it is asked of the machine as it was. */
static void try_values(wb_sweep *sweep, const char *machine, const struct sweep_axis *axis, bool *taken,
                       const char **errors) {
    for (size_t v = 0; v < axis->values.count; v++) {
        if (taken[v]) continue;
        taken[v] = takes_setting(sweep, axis, &axis->values.items[v]) ||
                   (sweep_load_machine(sweep, machine) == WB_OK &&
                    takes_setting(sweep, axis, &axis->values.items[v]));
        if (!taken[v]) errors[v] = sweep_discarded_error(sweep);
    }
}

/* Fails at a value of a key that no machine of the product takes. */
static wb_status check_setting(wb_sweep *sweep, const struct machine_list *machines,
                               const struct sweep_axis *axis) {
    const size_t count = axis->values.count;
    bool *taken = arena_array(&sweep->arena, count, sizeof *taken);
    const char **errors = arena_array(&sweep->arena, count, sizeof *errors);
    for (size_t m = 0; m < machines->names.count; m++)
        if (sweep_load_machine(sweep, machines->names.items[m]) == WB_OK)
            try_values(sweep, machines->names.items[m], axis, taken, errors);
    for (size_t v = 0; v < count; v++)
        if (!taken[v] && errors[v] != NULL)
            return ytree_error(&sweep->document, axis->values.items[v].node, "set: %s", errors[v]);
    return WB_OK;
}

/* Deadlines are written alike for all machines. */
static wb_status check_deadlines(wb_sweep *sweep, const struct sweep_axis *axis) {
    uint64_t deadline;
    if (sweep_load_machine(sweep, wb_machine_preset_name(0)) != WB_OK) return WB_OK;
    for (size_t v = 0; v < axis->values.count; v++)
        if (wb_deadline_cycles(sweep->machine, axis->values.items[v].text, &sweep->discarded, &deadline) !=
            WB_OK)
            return ytree_error(&sweep->document, axis->values.items[v].node, "%s: %s", axis->name,
                               sweep_discarded_error(sweep));
    return WB_OK;
}

/* A command takes some keys; keys of what is analysed stand for another one each. */
static wb_status check_keys(const wb_sweep *sweep, const struct sweep_product *product) {
    const struct sweep_axis *subject = sweep_subject(product);
    for (size_t i = 0; i < product->axes.count; i++) {
        const struct sweep_axis *axis = &product->axes.items[i];
        if ((axis->row->commands & subject->row->commands) == 0)
            return ytree_error(&sweep->document, axis->values.items[0].node, "%s: not for units of '%s'",
                               axis->name, subject->name);
    }
    return WB_OK;
}

wb_status sweep_check_product(wb_sweep *sweep, const struct sweep_product *product) {
    struct machine_list machines = {0};
    wb_status worst = check_keys(sweep, product);
    bool has_settings = false;
    if (worst == WB_OK) worst = check_arguments(sweep, product);
    if (worst != WB_OK) return worst;
    for (size_t i = 0; i < product->axes.count; i++)
        has_settings |= product->axes.items[i].row->kind == AXIS_SETTING;
    if (has_settings) list_machines(sweep, product, &machines);
    for (size_t i = 0; i < product->axes.count; i++) {
        const struct sweep_axis *axis = &product->axes.items[i];
        wb_status status = WB_OK;
        if (axis->row->kind == AXIS_SETTING && !machines.is_open)
            status = check_setting(sweep, &machines, axis);
        if (strcmp(axis->name, "deadline") == 0) status = check_deadlines(sweep, axis);
        if (status > worst) worst = status;
    }
    return worst;
}

/* ---- Units of several products ---------------------------------------------------------------------------
 */

/* Notes which values of an axis another one has, too; false: none. */
static bool find_common(wb_sweep *sweep, const struct sweep_axis *axis, const struct sweep_axis *other,
                        bool **common) {
    const bool is_same =
        axis->values.items == other->values.items; /* an entry of `include` has it as it is */
    bool any = is_same;
    *common = arena_array(&sweep->arena, axis->values.count, sizeof **common);
    for (size_t v = 0; v < axis->values.count; v++) {
        (*common)[v] = is_same;
        for (size_t o = 0; o < other->values.count && !(*common)[v]; o++)
            (*common)[v] = strcmp(axis->values.items[v].text, other->values.items[o].text) == 0;
        any |= (*common)[v];
    }
    return any;
}

static void find_overlap(wb_sweep *sweep, struct sweep_product *product, const struct sweep_product *other) {
    struct sweep_overlap overlap = {
        .common = arena_array(&sweep->arena, product->axes.count, sizeof *overlap.common)};
    if (product->axes.count != other->axes.count) return;
    for (size_t i = 0; i < product->axes.count; i++) {
        const struct sweep_axis *axis = &product->axes.items[i], *of_other = &other->axes.items[i];
        if (strcmp(axis->name, of_other->name) != 0) return; /* both are in one order */
        if (!find_common(sweep, axis, of_other, &overlap.common[i])) return;
    }
    arena_push(&sweep->arena, &product->overlaps, overlap);
}

void sweep_find_overlaps(wb_sweep *sweep, struct sweep_product *product) {
    for (size_t p = 0; p < sweep->products.count; p++)
        find_overlap(sweep, product, &sweep->products.items[p]);
}
