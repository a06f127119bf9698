#include "bound/analysis/registry.h"

#include <assert.h>
#include <string.h>

#include "base/base.h"
#include "base/wing.h"
#include "bound/kernel/kernel_bounds.h"

static const struct bound_method *const core_methods[] = {
#define X(name) &bound_##name,
    BOUND_METHODS(X)
#undef X
};

enum { CORE_COUNT = sizeof core_methods / sizeof core_methods[0] };

const struct bound_method *bound_method_at(size_t index) {
    const struct wing *wing;
    if (index < CORE_COUNT) return core_methods[index];
    index -= CORE_COUNT;
    for (size_t i = 0; (wing = wing_at(i)) != NULL; i++)
        for (const struct bound_method *const *method = wing->methods; method != NULL && *method != NULL;
             method++)
            if (index-- == 0) return *method;
    return NULL;
}

static size_t method_count(void) {
    size_t count = 0;
    while (bound_method_at(count) != NULL)
        count++;
    assert(count <= METHODS_MAX); /* they are the bits of a number */
    return count;
}

const struct bound_method *bound_method_on(size_t index, const struct wb_machine *machine) {
    static const struct bound_method *const rows[][ISA_COUNT] = {
        {&bound_sib, &bound_code_sib}, {&bound_fib, &bound_code_fib}, {&bound_elb, &bound_code_elb}};
    const struct bound_method *method = bound_method_at(index);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        if (method == rows[r][ISA_PTX]) return rows[r][machine_isa(machine)];
    return method;
}

const char *wb_method_name(size_t index) {
    const struct bound_method *method = bound_method_at(index);
    return method == NULL ? NULL : method->name;
}

const char *wb_method_summary(size_t index) {
    const struct bound_method *method = bound_method_at(index);
    return method == NULL ? NULL : method->summary;
}

/* ---- Old names ------------------------------------------------------------------------------------------
 */

/* Names of earlier versions, and what has their numbers now: a method, and of `kernel` one of its forms. */
static const struct old_name {
    const char *name, *method, *form;
} old_names[] = {
    {"code-sib", "sib", NULL},
    {"code-fib", "fib", NULL},
    {"code-elb", "elb", NULL},
    {"k-area", "kernel", "area"},
    {"k-bal", "kernel", "balance"},
    {"k-sm", "kernel", "sm"},
    {"k-chain-area", "kernel", "chain-area"},
    {"k-chain-bal", "kernel", "chain-balance"},
    {"k-chain", "kernel", "chain-sm"},
    {"k-wave", "kernel", "wave"},
    {"k-serial", "kernel", "serial"},
    {"k-oldest", "kernel", "oldest"},
    {"code-k-area", "kernel", "area"},
    {"code-k-bal", "kernel", "balance"},
    {"code-k-sm", "kernel", "sm"},
    {"code-k-chain-area", "kernel", "chain-area"},
    {"code-k-chain-bal", "kernel", "chain-balance"},
    {"code-k-chain", "kernel", "chain-sm"},
};

enum { OLD_COUNT = sizeof old_names / sizeof old_names[0] };

const char *wb_method_word(size_t index) {
    const size_t count = method_count();
    if (index < count) return bound_method_at(index)->name;
    return index - count < OLD_COUNT ? old_names[index - count].name : NULL;
}

const char *wb_method_of_word(const char *word) {
    for (size_t i = 0; i < OLD_COUNT; i++)
        if (strcmp(old_names[i].name, word) == 0) return old_names[i].method;
    return word;
}

wb_status choose_methods(const char *list, wb_diagnostics *diagnostics, struct chosen_methods *chosen) {
    const size_t count = method_count();
    uint64_t words;
    bool whole_kernel = false;
    *chosen = (struct chosen_methods){0};
    if (strcmp(list, "all") == 0)
        return choose_names("methods", list, wb_method_name, diagnostics, &chosen->methods);
    WB_TRY(choose_names("methods", list, wb_method_word, diagnostics, &words));
    for (size_t i = 0; wb_method_word(i) != NULL; i++) {
        if ((words >> i & 1) == 0) continue;
        const struct old_name *old = i < count ? NULL : &old_names[i - count];
        const size_t method = old == NULL ? i : choose_index(old->method, wb_method_name);
        chosen->methods |= UINT64_C(1) << method;
        if (old != NULL && old->form != NULL)
            chosen->forms |= UINT32_C(1) << choose_index(old->form, kernel_form_name);
        else if (bound_method_at(method) == &bound_kernel)
            whole_kernel = true;
    }
    if (whole_kernel) chosen->forms = 0;
    return WB_OK;
}

bool methods_include_kernels(const char *list) {
    struct chosen_methods chosen;
    struct wb_diagnostics discarded = {0}; /* of unknown names: wb_analysis_bound tells of those */
    (void)choose_methods(list, &discarded, &chosen);
    diagnostics_clear(&discarded);
    for (size_t i = 0; bound_method_at(i) != NULL; i++)
        if ((chosen.methods >> i & 1) && (bound_method_at(i)->needs & NEED_KERNEL) != 0) return true;
    return false;
}
