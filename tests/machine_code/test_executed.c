/* Every kind of instruction, an opcode with its modifiers, that machine code of kernels/ can reach is
 * executed with known values by some kernel whose results are compared: those of kernels/, the random ones of
 * the sample, those of tests/lift. What is known to the decoder and executed by none of them is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glob.h>

#include <cmocka.h>

#include "base/files.h"
#include "executed_code.h"
#include "kernel_suite.h"
#include "launch_text.h"
#include "machine_sample.h"
#include "ptx/ptx.h"
#include "random_compiled.h"
#include "sass/sass.h"

/* Code of later architectures is read and listed as far as it is known, but not executed. */
#define EXECUTED_SM_MAX 90u

#define DOCUMENT "docs/machine-code.md"

static struct executed_code executed;
static size_t kinds_of_kernels; /* those come first */

/* ---- Executing ----------------------------------------------------------------------------------------- */

static void add_files(const char *pattern) {
    glob_t files;
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    assert_true(files.gl_pathc > 200);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_module *module = NULL;
        kernel_expect_ok(wb_module_read(files.gl_pathv[i], diagnostics, &module), files.gl_pathv[i],
                         diagnostics);
        if (module->code->sm <= EXECUTED_SM_MAX) executed_code_add(&executed, module);
        wb_module_free(module);
        wb_diagnostics_free(diagnostics);
    }
    globfree(&files);
}

static void run_file(const struct kernel_case *entry, const char *path, void *user) {
    (void)user;
    struct loaded_kernel loaded = kernel_load(path, entry->launch);
    kernel_expect_ok(executed_code_run(&executed, loaded.kernel, loaded.launch, loaded.diagnostics), path,
                     loaded.diagnostics);
    kernel_unload(&loaded);
}

static void run_kernels(void) {
    struct kernel_index index;
    assert_true(kernel_index_read(&index));
    for (size_t i = 0; i < index.cases.count; i++)
        kernel_each_code(&index.cases.items[i], run_file, NULL);
    kernel_index_free(&index);
}

/* Kernels whose machine code is refused, or depends on what is not known, count as far as they came. */
static void run_sample(void) {
    struct machine_sample sample;
    assert_true(machine_sample_read(MACHINE_SAMPLE_PATH, &sample));
    for (size_t i = 0; i < sample.kernels.count; i++) {
        const struct sampled_kernel *kernel = &sample.kernels.items[i];
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_module *module = NULL;
        const wb_kernel *entry = NULL;
        wb_launch *launch = random_compiled_launch(kernel->seed, kernel->threads);
        if (wb_module_parse("random.cubin", (const char *)kernel->cubin, kernel->cubin_size, diagnostics,
                            &module) == WB_OK &&
            wb_module_find_kernel(module, "k", diagnostics, &entry) == WB_OK) {
            executed_code_add(&executed, module);
            (void)executed_code_run(&executed, entry, launch, diagnostics);
        }
        wb_launch_free(launch);
        wb_module_free(module);
        wb_diagnostics_free(diagnostics);
    }
    machine_sample_free(&sample);
}

/* A kernel of tests/lift: two buffers, and perhaps 32 bytes. */
static void run_part(const wb_kernel *kernel, wb_diagnostics *diagnostics) {
    static const char *const arguments[] = {
        "buf:u64[65536]=random(7)", "buf:u64[65536]=zero",
        "bytes:0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"};
    wb_launch *launch = wb_launch_new();
    const uint32_t count = kernel->module->functions[kernel->function].param_count;
    wb_status status = launch_grid_text(launch, "2", diagnostics);
    if (status == WB_OK) status = launch_block_text(launch, "64", diagnostics);
    for (size_t i = 0; status == WB_OK && i < count && i < sizeof arguments / sizeof *arguments; i++)
        status = wb_launch_add_argument(launch, arguments[i], diagnostics);
    if (status == WB_OK) status = executed_code_run(&executed, kernel, launch, diagnostics);
    kernel_expect_ok(status, wb_kernel_name(kernel), diagnostics);
    wb_launch_free(launch);
}

static void run_parts(void) {
    glob_t files;
    assert_int_equal(glob("tests/data/machine_code/*.cubin", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_module *module = NULL;
        kernel_expect_ok(wb_module_read(files.gl_pathv[i], diagnostics, &module), files.gl_pathv[i],
                         diagnostics);
        executed_code_add(&executed, module);
        for (size_t k = 0; k < wb_module_kernel_count(module); k++)
            run_part(wb_module_kernel(module, k), diagnostics);
        wb_module_free(module);
        wb_diagnostics_free(diagnostics);
    }
    globfree(&files);
}

/* ---- Tests --------------------------------------------------------------------------------------------- */

static int execute_all(void **state) {
    (void)state;
    add_files("kernels/cubin/*.cubin");
    add_files("kernels/cubin/o1/*.cubin");
    kinds_of_kernels = executed.kinds.count;
    run_kernels();
    run_sample();
    run_parts();
    return 0;
}

static int free_all(void **state) {
    (void)state;
    executed_code_free(&executed);
    return 0;
}

static void what_kernels_reach_is_executed(void **state) {
    (void)state;
    size_t wrong = 0, elsewhere = 0;
    for (size_t i = 0; i < executed.kinds.count; i++) {
        const struct executed_kind *kind = &executed.kinds.items[i];
        const struct intern_entry *name = &executed.names.entries.items[i];
        elsewhere += i >= kinds_of_kernels && kind->known;
        if (kind->known || i >= kinds_of_kernels) continue;
        print_error("%.*s: %s\n", (int)name->length, name->text,
                    kind->executed ? "no result is known" : "not executed");
        wrong++;
    }
    print_message("executed: %zu of %zu kinds of instructions in kernels/, and %zu others\n",
                  kinds_of_kernels - wrong, kinds_of_kernels, elsewhere);
    assert_int_equal(wrong, 0);
}

static bool is_supported(uint32_t op) {
    return sass_class_of(&(struct sass_inst){.op = (uint16_t)op}) != SASS_CLASS_COUNT;
}

/* The document names all that are not refused, in the order of the table. */
static void what_nothing_executes_is_documented(void **state) {
    (void)state;
    bool known[SASS_OP_COUNT] = {false};
    struct text list = {0};
    for (size_t i = 0; i < executed.kinds.count; i++)
        if (executed.kinds.items[i].known) known[executed.kinds.items[i].op] = true;
    for (uint32_t op = SASS_OP_UNKNOWN + 1; op < SASS_OP_COUNT; op++)
        if (!known[op] && is_supported(op))
            text_printf(&list, "%s`%s`", list.length > 0 ? " " : "", sass_op_name((enum sass_op)op));
    text_string(&list, ".");
    assert_false(list.failed);
    print_message("executed by none of these kernels: %s\n", list.data);

    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *document = NULL;
    size_t size;
    kernel_expect_ok(file_read(DOCUMENT, (size_t)1 << 30, diagnostics, &document, &size), DOCUMENT,
                     diagnostics);
    for (char *c = document; *c != '\0'; c++) /* the page breaks lines anywhere */
        if (*c == '\n') *c = ' ';
    if (strstr(document, list.data) == NULL) fail_msg("%s does not name exactly these", DOCUMENT);
    free(document);
    text_free(&list);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_kernels_reach_is_executed),
        cmocka_unit_test(what_nothing_executes_is_documented),
    };
    return cmocka_run_group_tests_name("executed machine code", tests, execute_all, free_all);
}
