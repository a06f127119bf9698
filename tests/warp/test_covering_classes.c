/* Covering paths by classes of blocks (docs/block-classes.md, section 6): grids that are executed by classes
 * on unknown contents are, byte for byte, those of which every block is executed, for all kernels of
 * kernels/index.txt and their machine code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "kernel_suite.h"
#include "same_grid.h"

static unsigned compared, by_classes;

static void check(const char *name, const struct loaded_kernel *loaded, const wb_facts *facts) {
    struct text difference = {0};
    wb_grid *classes = same_grid_cover(loaded->kernel, loaded->launch, facts, 1, loaded->diagnostics);
    wb_grid *whole = same_grid_cover(loaded->kernel, loaded->launch, facts, UINT32_MAX, loaded->diagnostics);
    if ((classes == NULL) != (whole == NULL))
        printf("%s: %s\n", name, whole == NULL ? "classes only" : "whole only");
    if (classes != NULL && whole != NULL) {
        compared++;
        by_classes += classes->executed != 0;
        if (!same_grid(classes, whole, &difference)) fail_msg("%s: %s", name, difference.data);
    }
    text_free(&difference);
    wb_grid_free(classes);
    wb_grid_free(whole);
}

static void check_code(const struct kernel_case *entry, const char *path, void *user) {
    struct loaded_kernel loaded = kernel_load(path, entry->launch);
    (void)user;
    check(path, &loaded, NULL); /* facts are those of the PTX */
    kernel_unload(&loaded);
}

static void test_kernel(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    wb_facts *facts = kernel_facts(&loaded);
    check(entry->name, &loaded, facts);
    wb_facts_free(facts);
    kernel_unload(&loaded);
    kernel_each_code(entry, check_code, NULL);
}

/* Last: many were executed by classes. */
static void test_how_many(void **state) {
    (void)state;
    printf("%u compared, %u of them by classes\n", compared, by_classes);
    assert_true(by_classes >= 400 / kernel_suite_step());
}

int main(void) {
    static const struct CMUnitTest last[] = {cmocka_unit_test(test_how_many)};
    return kernel_suite_run("covering classes", test_kernel, last, 1);
}
