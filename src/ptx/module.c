/* Modules: reading, freeing, finding a kernel. */
#include <string.h>

#include "base/file.h"
#include "base/input.h"
#include "ptx/demangle.h"
#include "ptx/parser.h"
#include "ptx/ptx.h"

/* A module of `size` bytes of text may take this much memory. Real modules take about 5 bytes a byte; the
 * rest is for short texts that declare much. */
#define MEMORY_PER_BYTE ((size_t)64)
#define MEMORY_BASE ((size_t)64 << 20)

/* Largest text of a module. */
#define PTX_SIZE_MAX ((size_t)256 << 20)

/* Candidates shown when a name is ambiguous. */
#define CANDIDATES_MAX 20

/* Makes a module of a text that it takes over. */
static wb_status module_of_text(const char *name, char *text, size_t size, wb_diagnostics *diagnostics,
                                wb_module **out) {
    wb_module *module = calloc(1, sizeof *module);
    if (module == NULL) {
        free(text);
        (void)diagnose_out_of_memory(diagnostics, name);
        return WB_ERR_LIMIT;
    }
    const size_t given = size;
    /* Compilers that hand out strings count the zero byte behind them. */
    while (size > 0 && text[size - 1] == '\0')
        size--;
    module->arena.limit = size * MEMORY_PER_BYTE + MEMORY_BASE;
    module->text = text;
    module->source = (struct source){name, text, size};
    const wb_input input = input_of(WB_INPUT_PTX, name, text, given);
    wb_status status = input_copy(&input, &module->arena, &module->input);
    module->source.name = module->input.path;
    if (status == WB_OK) status = parse_module(module, diagnostics);
    if (status == WB_ERR_LIMIT)
        diagnose(diagnostics, SEVERITY_ERROR, name, "this module needs too much memory (more than %zu MB)",
                 module->arena.limit >> 20);
    if (status == WB_OK) {
        *out = module;
    } else {
        wb_module_free(module);
    }
    return status;
}

wb_status wb_module_read(const char *path, wb_diagnostics *diagnostics, wb_module **module) {
    char *text;
    size_t size;
    WB_TRY(file_read(path, PTX_SIZE_MAX, diagnostics, &text, &size));
    return module_of_text(path, text, size, diagnostics, module);
}

wb_status wb_module_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                          wb_module **module) {
    if (size > PTX_SIZE_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "larger than %zu bytes", PTX_SIZE_MAX);
        return WB_ERR_INPUT;
    }
    char *copy = malloc(size + 1);
    if (copy == NULL) {
        (void)diagnose_out_of_memory(diagnostics, name);
        return WB_ERR_LIMIT;
    }
    if (size > 0) memcpy(copy, text, size);
    copy[size] = '\0';
    return module_of_text(name, copy, size, diagnostics, module);
}

void wb_module_free(wb_module *module) {
    if (module == NULL) return;
    free(module->text);
    arena_free(&module->arena);
    free(module);
}

const wb_input *wb_module_input(const wb_module *module) {
    return &module->input;
}

size_t wb_module_kernel_count(const wb_module *module) {
    return module->kernel_count;
}

const wb_kernel *wb_module_kernel(const wb_module *module, size_t index) {
    return index < module->kernel_count ? &module->kernels[index] : NULL;
}

const char *wb_kernel_name(const wb_kernel *kernel) {
    return kernel_function(kernel)->name;
}

/* True when the kernel's name, mangled or not, contains `name`. */
static bool name_matches(const wb_kernel *kernel, const char *name) {
    const char *mangled = wb_kernel_name(kernel);
    if (strstr(mangled, name) != NULL) return true;
    char *readable = demangle(mangled);
    bool matches = readable != NULL && strstr(readable, name) != NULL;
    free(readable);
    return matches;
}

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
    free(readable);
}

/* The error of a name that means no kernel or several: with those it could have meant. */
static wb_status no_such_kernel(const wb_module *module, const char *name, size_t matches,
                                wb_diagnostics *diagnostics) {
    struct text list = {0};
    size_t shown = 0;
    for (size_t i = 0; i < module->kernel_count && shown < CANDIDATES_MAX; i++) {
        if (matches > 0 && name != NULL && !name_matches(&module->kernels[i], name)) continue;
        candidate_add(&list, &module->kernels[i]);
        shown++;
    }
    size_t all = matches > 0 ? matches : module->kernel_count;
    if (shown < all) text_printf(&list, "\n    and %zu more", all - shown);
    const char *kernels = list.data == NULL ? "" : list.data;
    const char *where = module->source.name;
    if (module->kernel_count == 0) {
        diagnose(diagnostics, SEVERITY_ERROR, where, "there is no kernel in this module");
    } else if (name == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, where, "which kernel is meant? There are:%s", kernels);
    } else if (matches > 1) {
        diagnose(diagnostics, SEVERITY_ERROR, where, "'%s' could be any of these kernels:%s", name, kernels);
    } else {
        diagnose(diagnostics, SEVERITY_ERROR, where, "there is no kernel '%s'; there are:%s", name, kernels);
    }
    text_free(&list);
    return WB_ERR_INPUT;
}

/* Fails when the kernel, or a function that it can call, has an instruction that is not known. */
static wb_status check_known(const wb_kernel *kernel, wb_diagnostics *diagnostics) {
    const struct ptx_function *function;
    wb_status status = find_unknown(kernel, &function);
    if (status != WB_OK) return diagnose_out_of_memory(diagnostics, kernel->module->source.name);
    if (function == NULL) return WB_OK;
    ptx_diagnose(diagnostics, SEVERITY_ERROR, kernel->module, &function->insts[function->first_unknown],
                 "kernel '%s' cannot be analysed: %s", wb_kernel_name(kernel), function->unknown_reason);
    return WB_ERR_INPUT;
}

wb_status wb_module_find_kernel(const wb_module *module, const char *name, wb_diagnostics *diagnostics,
                                const wb_kernel **kernel) {
    const wb_kernel *found = NULL;
    size_t matches = 0;
    for (size_t i = 0; i < module->kernel_count; i++) {
        const wb_kernel *candidate = &module->kernels[i];
        if (name != NULL && strcmp(wb_kernel_name(candidate), name) == 0) {
            found = candidate;
            matches = 1;
            break;
        }
        if (name != NULL && !name_matches(candidate, name)) continue;
        found = candidate;
        matches++;
    }
    if (matches != 1) return no_such_kernel(module, name, matches, diagnostics);
    WB_TRY(check_known(found, diagnostics));
    *kernel = found;
    return WB_OK;
}
