/* What tests over all kernels share: loading a case, and running one test a case. */
#ifndef WB_TESTS_KERNEL_SUITE_H
#define WB_TESTS_KERNEL_SUITE_H

#include "address_sanitizer.h"
#include "kernel_index.h"
#include "warpbound.h"

struct CMUnitTest;

/* A suite runs one of so many kernels: all with WB_ROUNDS=all in the environment, else one of two, and one of
 * three in builds with sanitizers, which are ten times slower. */
uint32_t kernel_suite_step(void);

/* A kernel with its launch. */
struct loaded_kernel {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_launch *launch;
    const wb_kernel *kernel;
};

/* Fails the running test with the messages unless `status` is WB_OK; `what` names what was done. */
void kernel_expect_ok(wb_status status, const char *what, const wb_diagnostics *diagnostics);

/* Loads both files and finds the launch's kernel, or fails the running test. */
struct loaded_kernel kernel_load(const char *ptx, const char *launch);
void kernel_unload(struct loaded_kernel *loaded);

/* The flow facts that are shipped with a kernel, to be freed; NULL when it has none. */
wb_facts *kernel_facts(const struct loaded_kernel *loaded);

/* Calls `each` for every file that there is of the case's machine code, of six architectures at two levels.
 * There is none of PTX for later architectures only, nor of what ptxas refuses. */
typedef void (*kernel_code_fn)(const struct kernel_case *entry, const char *path, void *user);
void kernel_each_code(const struct kernel_case *entry, kernel_code_fn each, void *user);

/* Runs `test` once for every kernel_suite_step()-th case of the index (*state is its struct kernel_case),
 * each under the case's name, and then `others`. WB_PART, a number in the environment, says with which case
 * to begin. Returns the number of failures. */
int kernel_suite_run(const char *name, void (*test)(void **state), const struct CMUnitTest *others,
                     size_t other_count);

#endif
