/* What ptxas 13.0 keeps between instructions of the kernels of tests/data/calibration, and the machine file
 * that is made of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calibrate/kept.h"
#include "machine/files.h"
#include "ptx/ptx.h"

static wb_diagnostics *diagnostics;

static wb_module *load(uint32_t sm) {
    char path[64];
    wb_module *module = NULL;
    (void)snprintf(path, sizeof path, "tests/data/calibration/sm_%u.cubin", sm);
    if (wb_module_read(path, diagnostics, &module) != WB_OK) fail_msg("%s", wb_diagnostics_text(diagnostics));
    return module;
}

/* ---- Distances ------------------------------------------------------------------------------------------
 */

/* Fewest cycles, by architecture; 0: nothing of the kind occurs, or a counter stands for it. */
static const struct {
    enum kept_use use;
    enum sass_class producer, reader;
    uint32_t sm_75, sm_80, sm_86, sm_90;
} distances[] = {
    {KEPT_REGISTER, SASS_CLASS_ALU, SASS_CLASS_ALU, 4, 4, 4, 4},
    {KEPT_REGISTER, SASS_CLASS_ALU, SASS_CLASS_FMA, 5, 5, 5, 5},
    {KEPT_REGISTER, SASS_CLASS_ALU, SASS_CLASS_IMAD, 5, 5, 5, 5},
    {KEPT_REGISTER, SASS_CLASS_FMA, SASS_CLASS_FMA, 4, 4, 4, 4},
    {KEPT_REGISTER, SASS_CLASS_FMA, SASS_CLASS_ALU, 5, 5, 5, 5},
    {KEPT_REGISTER, SASS_CLASS_FMA, SASS_CLASS_MUFU, 6, 4, 4, 4},
    {KEPT_REGISTER, SASS_CLASS_IMAD, SASS_CLASS_IMAD, 4, 4, 4, 4},
    {KEPT_REGISTER, SASS_CLASS_ALU, SASS_CLASS_LOAD_SHARED, 8, 5, 5, 5},
    {KEPT_REGISTER, SASS_CLASS_TENSOR, SASS_CLASS_TENSOR, 0, 24, 24, 24},
    {KEPT_PREDICATE, SASS_CLASS_ALU, SASS_CLASS_ALU, 4, 4, 4, 4},
    {KEPT_GUARD, SASS_CLASS_ALU, SASS_CLASS_BRANCH, 12, 13, 13, 0},
    {KEPT_REGISTER, SASS_CLASS_FP64, SASS_CLASS_FP64, 0, 0, 0, 8},
};

static void test_fewest_cycles_between_instructions(void **state) {
    (void)state;
    static const uint32_t architectures[] = {75, 80, 86, 90};
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        wb_module *module = load(architectures[a]);
        struct kept kept = {0};
        kept_add(module->code, &kept);
        for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
            const uint32_t expected[] = {distances[d].sm_75, distances[d].sm_80, distances[d].sm_86,
                                         distances[d].sm_90};
            const uint32_t found = kept.least[distances[d].use][distances[d].producer][distances[d].reader];
            if (found != expected[a])
                fail_msg("sm_%u: %s before %s: %u, expected %u", architectures[a],
                         sass_class_name(distances[d].producer), sass_class_name(distances[d].reader), found,
                         expected[a]);
        }
        wb_module_free(module);
    }
}

/* Arithmetic of doubles, and of matrices, is guarded by counters on some architectures only. */
static void test_which_classes_have_counters(void **state) {
    (void)state;
    static const uint32_t architectures[] = {75, 80, 86, 87, 89, 90};
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        wb_module *module = load(architectures[a]);
        const uint32_t sm = architectures[a];
        struct kept kept = {0};
        kept_add(module->code, &kept);
        assert_int_equal(kept.sm, sm);
        assert_true(kept_stalls(&kept, SASS_CLASS_ALU) && kept_stalls(&kept, SASS_CLASS_FMA));
        assert_true(kept_counts(&kept, SASS_CLASS_MUFU) && kept_counts(&kept, SASS_CLASS_LOAD_GLOBAL));
        assert_true(kept_counts(&kept, SASS_CLASS_SHUFFLE) && kept_counts(&kept, SASS_CLASS_CONVERT));
        assert_int_equal(kept_counts(&kept, SASS_CLASS_FP64), sm < 90);
        assert_int_equal(kept_stalls(&kept, SASS_CLASS_FP64), sm == 90);
        assert_int_equal(kept_stalls(&kept, SASS_CLASS_TENSOR), sm >= 80);
        wb_module_free(module);
    }
}

/* ---- The file -------------------------------------------------------------------------------------------
 */

static wb_machine *a6000(void) {
    wb_machine *machine = NULL;
    assert_int_equal(wb_machine_load("rtx-a6000", diagnostics, &machine), WB_OK);
    return machine;
}

static void test_the_file_is_a_machine(void **state) {
    (void)state;
    wb_module *module = load(86);
    wb_machine *machine = a6000(), *made = NULL;
    char *text = NULL;
    assert_int_equal(wb_calibrate(module, machine, "a compiler", diagnostics, &text), WB_OK);
    assert_int_equal(machine_parse("made", text, strlen(text), diagnostics, &made), WB_OK);
    assert_string_equal(wb_machine_name(made), "rtx-a6000-calibrated");
    assert_int_equal(made->sass.sm, machine->sass.sm);
    for (uint32_t class = 0; class < SASS_CLASS_COUNT; class ++)
        assert_int_equal(made->sass.classes[class].fixed, machine->sass.classes[class].fixed);
    assert_int_equal(made->sources.count, machine->sources.count + 1);
    const struct figure_source *source = &made->sources.items[made->sources.count - 1];
    assert_string_equal(source->from, "stall counts and dependence counters of a compiler");
    assert_int_equal(source->mark + FIGURE_ASSUMED, FIGURE_MEASURED);
    assert_true(source->key_count > 10);
    wb_machine_free(made);
    free(text);
    wb_machine_free(machine);
    wb_module_free(module);
}

static void test_presets_agree_with_the_compiler(void **state) {
    (void)state;
    static const uint32_t architectures[] = {75, 80, 86, 87, 89, 90};
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        wb_module *module = load(architectures[a]);
        wb_machine *machine = NULL;
        char *text = NULL;
        if (wb_calibration_machine(architectures[a], diagnostics, &machine) != WB_OK ||
            wb_calibrate(module, machine, "ptxas", diagnostics, &text) != WB_OK)
            fail_msg("sm_%u: %s", architectures[a], wb_diagnostics_text(diagnostics));
        free(text);
        wb_machine_free(machine);
        wb_module_free(module);
    }
}

/* Names of compilers come from outside. */
static void test_names_of_compilers_end_no_line(void **state) {
    (void)state;
    wb_module *module = load(86);
    wb_machine *machine = a6000(), *made = NULL;
    char *text = NULL, name[400];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    memcpy(name, "1\nclock_mhz: 1\n\"", 16);
    assert_int_equal(wb_calibrate(module, machine, name, diagnostics, &text), WB_OK);
    assert_int_equal(machine_parse("made", text, strlen(text), diagnostics, &made), WB_OK);
    assert_true(made->clock_mhz > 1000);
    wb_machine_free(made);
    free(text);
    wb_machine_free(machine);
    wb_module_free(module);
}

/* With one class the other way round; SASS_CLASS_COUNT: none. */
static void refuse(uint32_t sm, const char *machine_name, enum sass_class other, const char *message) {
    wb_module *module = load(sm);
    wb_machine *machine = NULL;
    char *text = NULL;
    assert_int_equal(wb_machine_load(machine_name, diagnostics, &machine), WB_OK);
    if (other != SASS_CLASS_COUNT) machine->sass.classes[other].fixed = !machine->sass.classes[other].fixed;
    assert_int_equal(wb_calibrate(module, machine, "a compiler", diagnostics, &text), WB_ERR_INPUT);
    assert_null(text);
    if (strstr(wb_diagnostics_text(diagnostics), message) == NULL)
        fail_msg("%s, expected %s", wb_diagnostics_text(diagnostics), message);
    wb_machine_free(machine);
    wb_module_free(module);
}

static void test_machines_that_contradict_are_refused(void **state) {
    (void)state;
    refuse(86, "rtx-a6000", SASS_CLASS_MUFU, "class mufu has a fixed latency on this machine");
    refuse(86, "rtx-a6000", SASS_CLASS_ALU, "class alu has no fixed latency on this machine");
    refuse(80, "rtx-a6000", SASS_CLASS_COUNT, "is a machine for sm_86, but the machine code is for sm_80");
    refuse(86, "jcse2017", SASS_CLASS_COUNT, "times PTX");
}

static int open_diagnostics(void **state) {
    (void)state;
    diagnostics = wb_diagnostics_new();
    return diagnostics == NULL;
}

static int close_diagnostics(void **state) {
    (void)state;
    wb_diagnostics_free(diagnostics);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fewest_cycles_between_instructions, open_diagnostics,
                                        close_diagnostics),
        cmocka_unit_test_setup_teardown(test_which_classes_have_counters, open_diagnostics,
                                        close_diagnostics),
        cmocka_unit_test_setup_teardown(test_the_file_is_a_machine, open_diagnostics, close_diagnostics),
        cmocka_unit_test_setup_teardown(test_presets_agree_with_the_compiler, open_diagnostics,
                                        close_diagnostics),
        cmocka_unit_test_setup_teardown(test_names_of_compilers_end_no_line, open_diagnostics,
                                        close_diagnostics),
        cmocka_unit_test_setup_teardown(test_machines_that_contradict_are_refused, open_diagnostics,
                                        close_diagnostics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
