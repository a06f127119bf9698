#include "kernel_suite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void kernel_expect_ok(wb_status status, const char *what, const wb_diagnostics *diagnostics) {
    if (status != WB_OK) fail_msg("%s: status %d:\n%s", what, (int)status, wb_diagnostics_text(diagnostics));
}

struct loaded_kernel kernel_load(const char *ptx, const char *launch) {
    struct loaded_kernel loaded = {.diagnostics = wb_diagnostics_new()};
    assert_non_null(loaded.diagnostics);
    kernel_expect_ok(wb_module_read(ptx, loaded.diagnostics, &loaded.module), ptx, loaded.diagnostics);
    kernel_expect_ok(wb_launch_read(launch, WB_FILES_BELOW, loaded.diagnostics, &loaded.launch), launch,
                     loaded.diagnostics);
    kernel_expect_ok(wb_module_find_kernel(loaded.module, wb_launch_kernel(loaded.launch), loaded.diagnostics,
                                           &loaded.kernel),
                     ptx, loaded.diagnostics);
    return loaded;
}

void kernel_unload(struct loaded_kernel *loaded) {
    wb_launch_free(loaded->launch);
    wb_module_free(loaded->module);
    wb_diagnostics_free(loaded->diagnostics);
}

wb_facts *kernel_facts(const struct loaded_kernel *loaded) {
    char path[200];
    (void)snprintf(path, sizeof path, "kernels/%s.facts", wb_kernel_name(loaded->kernel));
    wb_facts *facts = NULL;
    if (access(path, R_OK) != 0) return NULL;
    kernel_expect_ok(wb_facts_read(path, loaded->kernel, loaded->diagnostics, &facts), path,
                     loaded->diagnostics);
    return facts;
}

void kernel_each_code(const struct kernel_case *entry, kernel_code_fn each, void *user) {
    static const unsigned architectures[] = {75, 80, 86, 87, 89, 90};
    static const char *const levels[] = {"", "o1/"};
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++)
        for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
            char path[KERNEL_CODE_MAX];
            kernel_code(entry, levels[l], architectures[a], path);
            if (access(path, R_OK) == 0) each(entry, path, user);
        }
}

uint32_t kernel_suite_step(void) {
    const char *rounds = getenv("WB_ROUNDS");
    if (rounds != NULL && strcmp(rounds, "all") == 0) return 1;
    return ADDRESS_SANITIZER ? 3 : 2;
}

int kernel_suite_run(const char *name, void (*test)(void **state), const struct CMUnitTest *others,
                     size_t other_count) {
    struct kernel_index index;
    VEC(struct CMUnitTest) tests = {0};
    bool right = kernel_index_read(&index);
    const char *part = getenv("WB_PART");
    const uint32_t step = kernel_suite_step();
    /* Suites begin with different kernels, so that together they run most of them. */
    const size_t first = strlen(name) + (part != NULL ? strtoul(part, NULL, 10) : 0);
    for (size_t i = first % step; right && i < index.cases.count; i += step) {
        struct kernel_case *entry = &index.cases.items[i];
        const struct CMUnitTest one = {entry->name, test, NULL, NULL, entry};
        right = vec_push(&tests, one) == WB_OK;
    }
    for (size_t i = 0; right && i < other_count; i++)
        right = vec_push(&tests, others[i]) == WB_OK;
    int failed = right ? _cmocka_run_group_tests(name, tests.items, tests.count, NULL, NULL) : 1;
    vec_free(&tests);
    kernel_index_free(&index);
    return failed;
}
