/* Finding a kernel of a module by its name, or by a part of it. */
#include <string.h>

#include "ptx/ptx.h"

/* Candidates shown when a name is ambiguous, and names that suggestions look at. */
#define CANDIDATES_MAX 20
#define SUGGEST_KERNELS_MAX 256

/* ---- What a name means --------------------------------------------------------------------------------- */

/* How well a name fits a kernel. Of the kernels that fit best there must be one. */
enum name_fit { FIT_NONE, FIT_INSIDE, FIT_NAME, FIT_WHOLE };

/* A name within a readable one: "ns::scan<int, 256>" of "void ns::scan<int, 256>(int*)". */
struct name_part {
    const char *start;
    size_t length;
};

/* Whether what stands at `at` is "(anonymous namespace)", whose parenthesis begins no parameters. */
static bool is_anonymous(const char *at) {
    return strncmp(at, "(anonymous namespace)", strlen("(anonymous namespace)")) == 0;
}

/* The function's name with its namespaces and template arguments: what stands before its parameters, behind
 * the type of its result. */
static struct name_part function_name(const char *readable) {
    struct name_part name = {readable, 0};
    size_t depth = 0;
    for (const char *at = readable;; at++) {
        if (is_anonymous(at)) at += strlen("(anonymous namespace)");
        if (*at == '<') depth++;
        if (*at == '>' && depth > 0) depth--;
        if (*at == ' ' && depth == 0) name.start = at + 1;
        name.length = (size_t)(at - name.start);
        if (*at == '\0' || (*at == '(' && depth == 0)) return name;
    }
}

/* The same without namespaces. */
static struct name_part last_component(struct name_part name) {
    size_t depth = 0, start = 0;
    for (size_t i = 0; i < name.length; i++) {
        if (name.start[i] == '<') depth++;
        if (name.start[i] == '>' && depth > 0) depth--;
        if (name.start[i] == ':' && depth == 0) start = i + 1;
    }
    return (struct name_part){name.start + start, name.length - start};
}

/* The same without template arguments. */
static struct name_part without_arguments(struct name_part name) {
    const char *open = memchr(name.start, '<', name.length);
    if (open != NULL && open != name.start) name.length = (size_t)(open - name.start);
    return name;
}

static bool is_name(struct name_part part, const char *name) {
    return part.length > 0 && strlen(name) == part.length && memcmp(part.start, name, part.length) == 0;
}

static enum name_fit readable_fit(const char *readable, const char *name) {
    const struct name_part whole = function_name(readable), last = last_component(whole);
    if (strcmp(readable, name) == 0) return FIT_WHOLE;
    if (is_name(whole, name) || is_name(without_arguments(whole), name) || is_name(last, name) ||
        is_name(without_arguments(last), name))
        return FIT_NAME;
    return strstr(readable, name) != NULL ? FIT_INSIDE : FIT_NONE;
}

static enum name_fit name_fit(const wb_kernel *kernel, const char *name) {
    const char *mangled = wb_kernel_name(kernel);
    if (strcmp(mangled, name) == 0) return FIT_WHOLE;
    char *readable = demangle(mangled);
    enum name_fit fit = readable != NULL ? readable_fit(readable, name) : FIT_NONE;
    free(readable);
    return fit == FIT_NONE && strstr(mangled, name) != NULL ? FIT_INSIDE : fit;
}

char *wb_kernel_short_name(const wb_kernel *kernel) {
    char *readable = demangle(wb_kernel_name(kernel));
    if (readable == NULL) return strdup(wb_kernel_name(kernel));
    const struct name_part part = without_arguments(last_component(function_name(readable)));
    char *name = strndup(part.start, part.length);
    free(readable);
    return name;
}

/* ---- Kernels that cannot be analysed ------------------------------------------------------------------- */

/* *function: a function that the kernel can call, or the kernel, with an instruction that is not known; NULL:
 * there is none. */
static wb_status find_unknown(const wb_kernel *kernel, const struct ptx_function **function) {
    struct arena arena = {0};
    struct ptx_reach reach = {0};
    wb_status status = ptx_reach(kernel, &arena, &reach);
    *function = NULL;
    for (uint32_t i = 0; status == WB_OK && *function == NULL && i < reach.count; i++) {
        const struct ptx_function *reached = &kernel->module->functions[reach.functions[i]];
        if (reached->first_unknown != PTX_NO_INDEX) *function = reached;
    }
    arena_free(&arena);
    return status;
}

/* Fails when the kernel, or a function that it can call, has an instruction that is not known. */
static wb_status check_known(const wb_kernel *kernel, wb_diagnostics *diagnostics) {
    const struct ptx_function *function;
    wb_status status = find_unknown(kernel, &function);
    if (status != WB_OK) return diagnose_out_of_memory(diagnostics, kernel->module->source.name);
    if (function == NULL) return WB_OK;
    ptx_diagnose(diagnostics, SEVERITY_ERROR, kernel->module, &function->insts[function->first_unknown],
                 "kernel '%s' cannot be analysed: %s", wb_kernel_name(kernel), function->unknown_reason);
    return WB_ERR_DECLINED;
}

/* ---- Which kernels there are --------------------------------------------------------------------------- */

/* Adds one candidate to a message. */
static void candidate_add(struct text *list, const wb_kernel *kernel) {
    char *readable = demangle(wb_kernel_name(kernel));
    const struct ptx_function *unknown = NULL;
    text_printf(list, "\n    %s", wb_kernel_name(kernel));
    if (readable != NULL) text_printf(list, "  %s", readable);
    if (find_unknown(kernel, &unknown) != WB_OK) list->failed = true;
    if (unknown != NULL) {
        const struct source_place place =
            source_place_at(&kernel->module->source, unknown->insts[unknown->first_unknown].at);
        text_printf(list, "  (cannot be analysed: %u:%u: %s)", place.line, place.column,
                    unknown->unknown_reason);
    }
    if (kernel->module->origin.text != NULL) text_printf(list, "  (%s)", kernel->module->origin.text);
    free(readable);
}

/* Candidates, those that fit `name` as well as `fit`, or all without a name. */
static void list_candidates(const wb_module *module, const char *name, enum name_fit fit, struct text *list) {
    size_t all = 0;
    for (size_t i = 0; i < module->kernel_count; i++) {
        if (name != NULL && name_fit(&module->kernels[i], name) != fit) continue;
        if (all++ < CANDIDATES_MAX) candidate_add(list, &module->kernels[i]);
    }
    if (all > CANDIDATES_MAX) text_printf(list, "\n    and %zu more", all - CANDIDATES_MAX);
}

/* Appends "; did you mean 'f'? There are:" where a kernel has a name that is spelt like this one. */
static void suggest_kernel(const wb_module *module, const char *name, struct text *out) {
    const char *names[2 * SUGGEST_KERNELS_MAX] = {0};
    char *readable[SUGGEST_KERNELS_MAX];
    size_t count = 0, copies = 0;
    for (size_t i = 0; i < module->kernel_count && i < SUGGEST_KERNELS_MAX; i++) {
        char *whole = demangle(wb_kernel_name(&module->kernels[i]));
        names[count++] = wb_kernel_name(&module->kernels[i]);
        if (whole == NULL) continue;
        free(whole);
        char *copy = wb_kernel_short_name(&module->kernels[i]);
        if (copy != NULL) names[count++] = readable[copies++] = copy;
    }
    const char *nearest = wb_nearest_name(name, names, count);
    if (nearest != NULL) text_printf(out, "; did you mean '%s'? There are:", nearest);
    while (copies > 0)
        free(readable[--copies]);
}

/* Notes how one of several units is named that have a kernel of that name. */
static void suggest_unit(const wb_module *module, const char *name, wb_diagnostics *diagnostics) {
    const char *unit = NULL;
    for (size_t i = 0; i < module->kernel_count && unit == NULL; i++)
        if (name_fit(&module->kernels[i], name) != FIT_NONE) unit = module->kernels[i].module->origin.unit;
    if (unit != NULL)
        diagnose(diagnostics, SEVERITY_NOTE, module->source.name, "name the unit, such as --image %s", unit);
}

/* The error of a name that means no kernel or several: with those it could have meant. */
static wb_status no_such_kernel(const wb_module *module, const char *name, enum name_fit fit,
                                wb_diagnostics *diagnostics) {
    const char *where = module->source.name;
    struct text list = {0}, meant = {0};
    list_candidates(module, fit != FIT_NONE ? name : NULL, fit, &list);
    const char *kernels = list.data == NULL ? "" : list.data;
    if (name != NULL && fit == FIT_NONE) suggest_kernel(module, name, &meant);
    if (meant.length == 0) text_string(&meant, "; there are:");
    if (module->kernel_count == 0)
        diagnose(diagnostics, SEVERITY_ERROR, where, "there is no kernel in this module");
    else if (name == NULL)
        diagnose(diagnostics, SEVERITY_ERROR, where, "which kernel is meant? There are:%s", kernels);
    else if (fit != FIT_NONE)
        diagnose(diagnostics, SEVERITY_ERROR, where, "'%.60s' could be any of these kernels:%s", name,
                 kernels);
    else
        diagnose(diagnostics, SEVERITY_ERROR, where, "there is no kernel '%.60s'%s%s", name,
                 meant.failed ? ":" : meant.data, kernels);
    if (name != NULL && fit != FIT_NONE && module->units != NULL) suggest_unit(module, name, diagnostics);
    text_free(&list);
    text_free(&meant);
    return WB_ERR_INPUT;
}

wb_status wb_module_find_kernel(const wb_module *module, const char *name, wb_diagnostics *diagnostics,
                                const wb_kernel **kernel) {
    const wb_kernel *found = NULL;
    enum name_fit best = FIT_NONE;
    size_t matches = 0;
    for (size_t i = 0; i < module->kernel_count; i++) {
        const wb_kernel *candidate = &module->kernels[i];
        const enum name_fit fit = name == NULL ? FIT_WHOLE : name_fit(candidate, name);
        if (fit == FIT_NONE || fit < best) continue;
        matches = fit > best ? 1 : matches + 1;
        best = fit;
        found = candidate;
    }
    if (matches != 1) return no_such_kernel(module, name, best, diagnostics);
    WB_TRY(check_known(found, diagnostics));
    *kernel = found;
    return WB_OK;
}
