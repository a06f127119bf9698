#include "wings/sweep/check.h"

#include <string.h>

#include "base/files.h"
#include "wings/sweep/arguments.h"

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
        else if (file_ends_with(path, ".ptx") || file_ends_with(path, ".cubin"))
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

/* Which values of a key the loaded machine takes; of others `errors` says why not. */
static void try_values(wb_sweep *sweep, const struct sweep_axis *axis, bool *taken, const char **errors) {
    for (size_t v = 0; v < axis->values.count; v++) {
        if (taken[v]) continue;
        taken[v] = takes_setting(sweep, axis, &axis->values.items[v]);
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
            try_values(sweep, axis, taken, errors);
    for (size_t v = 0; v < count; v++)
        if (!taken[v] && errors[v] != NULL)
            return ytree_error(&sweep->document, axis->values.items[v].node, "set: %s", errors[v]);
    return WB_OK;
}

/* Deadlines are written alike for all machines. */
static wb_status check_deadlines(wb_sweep *sweep, const struct sweep_axis *axis) {
    uint64_t cycles;
    if (sweep_load_machine(sweep, wb_machine_preset_name(0)) != WB_OK) return WB_OK;
    for (size_t v = 0; v < axis->values.count; v++)
        if (wb_deadline_cycles(sweep->machine, axis->values.items[v].text, &sweep->discarded, &cycles) !=
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
    if (worst == WB_OK) worst = sweep_check_arguments(sweep, product);
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
