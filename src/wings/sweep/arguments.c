#include "wings/sweep/arguments.h"

#include <string.h>

#include "base/files.h"
#include "launch/launch.h"

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

static bool is_code(const char *path) {
    return file_ends_with(path, ".ptx") || file_ends_with(path, ".cubin");
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

static void try_values(wb_sweep *sweep, const struct sweep_product *product, const struct target *target,
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
            is_read = open_target(sweep, launch, codes != NULL ? codes->values.items[c].path : "",
                                  kernels != NULL ? kernels->values.items[k].text : NULL, &target);
            if (is_read) try_values(sweep, product, &target, verdicts);
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

wb_status sweep_check_arguments(wb_sweep *sweep, const struct sweep_product *product) {
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
