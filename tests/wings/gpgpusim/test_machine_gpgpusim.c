/* Machines of the model gpgpusim: their files, and which imported SMs become one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files.h"
#include "load_machine.h"
#include "messages.h"
#include "warpbound_gpgpusim.h"
#include "wings/gpgpusim/import.h"

#define CONFIG "tests/data/machine/SM86_ORIN_50l/gpgpusim.config"

/* The machine of the configuration file with flags put behind those that it has. */
static wb_machine *import_with(const char *flags) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    char text[8192];
    char *config;
    size_t size;
    assert_int_equal(file_read(CONFIG, SOURCE_SIZE_MAX, diagnostics, &config, &size), WB_OK);
    int length = snprintf(text, sizeof text, "%.*s\n%s\n", (int)size, config, flags);
    assert_in_range(length, 1, sizeof text - 1);
    if (import_parse("c", text, (size_t)length, diagnostics, &machine) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    free(config);
    wb_diagnostics_free(diagnostics);
    return machine;
}

static void test_import_gives_the_preset(void **state) {
    (void)state;
    wb_machine *imported = import_with("");
    wb_machine *preset = load_machine("gpgpusim-orin");
    assert_int_equal(imported->model, MACHINE_GPGPUSIM);
    assert_int_equal(imported->mem_latency, 50);
    assert_memory_equal(&imported->gpgpusim, &preset->gpgpusim, sizeof imported->gpgpusim);
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++) {
        const struct machine_class *left = &imported->classes[i];
        const struct machine_class *right = &preset->classes[i];
        const char *left_unit = imported->units[left->unit].name;
        const char *right_unit = preset->units[right->unit].name;
        if (i == PTX_CLASS_ATOMIC_GLOBAL || i == PTX_CLASS_SHUFFLE || i == PTX_CLASS_ASYNC_COPY) continue;
        if (strcmp(left_unit, right_unit) != 0 || left->init != right->init ||
            left->latency != right->latency || left->plus != right->plus)
            fail_msg("class %s differs", ptx_class_name((enum ptx_class)i));
    }
    wb_machine_free(preset);
    wb_machine_free(imported);
}

/* The other configuration of the paper. */
static void test_import_without_cache(void **state) {
    (void)state;
    wb_machine *imported =
        import_with("-gpgpu_gmem_skip_L1D 1\n-gpgpu_enable_specialized_operand_collector 0\n"
                    "-gpgpu_operand_collector_num_units_gen 32\n"
                    "-gpgpu_operand_collector_num_in_ports_gen 32\n"
                    "-gpgpu_num_reg_banks 16\n-gpgpu_reg_file_port_throughput 16\n");
    wb_machine *preset = load_machine("gpgpusim-orin-5l");
    assert_int_equal(imported->model, MACHINE_GPGPUSIM);
    assert_memory_equal(&imported->gpgpusim, &preset->gpgpusim, sizeof imported->gpgpusim);
    wb_machine_free(preset);
    wb_machine_free(imported);
}

/* What the model cannot execute becomes a plain machine. */
static void test_import_of_other_machines(void **state) {
    (void)state;
    static const char *const flags[] = {
        "-gpgpu_perfect_mem 0",
        "-gpgpu_num_sched_per_core 4",
        "-gpgpu_max_insn_issue_per_warp 2\n-gpgpu_dual_issue_diff_exec_units 0",
        "-gpgpu_num_sp_units 2",
        "-gpgpu_num_int_units 0",
        "-gpgpu_pipeline_widths 1,1,1,1,1,1,1,4,1,1,2,1,1",
        "-gpgpu_operand_collector_num_units_gen 0",
        "-gpgpu_operand_collector_num_units_gen 60",
        "-specialized_unit_1 1,2,50,4,1,MEM",
        "-ptx_opcode_initiation_sfu 22",
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        wb_machine *machine = import_with(flags[i]);
        if (machine->model != MACHINE_PLAIN) fail_msg("%s", flags[i]);
        wb_machine_free(machine);
    }
}

static void test_widths(void **state) {
    (void)state;
    wb_machine *machine = import_with("-gpgpu_pipeline_widths 1,2,3,4,5,1,1,1,1,1,7,6,1,1,1,1");
    const uint32_t expected[GPGPUSIM_UNITS] = {
        [GPGPUSIM_SP] = 1,     [GPGPUSIM_DP] = 2,  [GPGPUSIM_INT] = 3, [GPGPUSIM_SFU] = 4,
        [GPGPUSIM_TENSOR] = 6, [GPGPUSIM_MEM] = 4, [GPGPUSIM_LSU] = 5};
    assert_memory_equal(machine->gpgpusim.id_oc, expected, sizeof expected);
    assert_int_equal(machine->gpgpusim.result_buses, 7);
    wb_machine_free(machine);
    static const char *const wrong[] = {"1,1,1,1,1,1,1,1,1,1", "1,1,1,1,1,1,1,1,1,1,0",
                                        "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        char text[128];
        int length = snprintf(text, sizeof text, "-gpgpu_pipeline_widths %s", wrong[i]);
        machine = NULL;
        assert_int_equal(import_parse("c", text, (size_t)length, diagnostics, &machine), WB_ERR_INPUT);
        assert_first_message(diagnostics,
                             "c:1:24: error: -gpgpu_pipeline_widths: expected 11 to 16 numbers from 1 to 64, "
                             "separated by commas",
                             wrong[i]);
        wb_diagnostics_free(diagnostics);
    }
}

/* A machine prints as a file that reads as the same machine, and takes overrides. */
static void test_files(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = load_machine("gpgpusim-orin-5l");
    wb_machine *again = NULL;
    char *text = NULL;
    assert_int_equal(wb_machine_set(machine, "gpgpusim.result_buses=3", diagnostics), WB_OK);
    assert_int_equal(wb_machine_print(machine, diagnostics, &text), WB_OK);
    assert_non_null(strstr(text, "model: gpgpusim\n"));
    assert_int_equal(machine_parse("again", text, strlen(text), diagnostics, &again), WB_OK);
    assert_int_equal(again->model, MACHINE_GPGPUSIM);
    assert_int_equal(again->gpgpusim.result_buses, 3);
    assert_memory_equal(&again->gpgpusim, &machine->gpgpusim, sizeof machine->gpgpusim);
    assert_int_equal(wb_machine_set(machine, "gpgpusim.register_banks=65", diagnostics), WB_ERR_INPUT);
    assert_first_message(
        diagnostics,
        "gpgpusim.register_banks=65: error: register_banks: expected a whole number from 1 to 64, "
        "got '65'",
        "register_banks");
    assert_true(wb_machine_needs_accesses(machine));
    free(text);
    wb_machine_free(again);
    wb_machine_free(machine);
    /* A plain machine says nothing of the model. */
    machine = load_machine("ecrts2025-orin");
    assert_int_equal(wb_machine_set(machine, "requests=ideal", diagnostics), WB_OK);
    assert_false(wb_machine_needs_accesses(machine));
    assert_int_equal(wb_machine_print(machine, diagnostics, &text), WB_OK);
    assert_null(strstr(text, "gpgpusim:"));
    assert_null(strstr(text, "model:"));
    free(text);
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
}

/* What the model takes for granted, and its keys in messages. */
static void test_settings(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = load_machine("gpgpusim-orin");
    assert_int_equal(wb_machine_set(machine, "fetch.size=2048", diagnostics), WB_OK);
    assert_int_equal(wb_machine_check(machine, diagnostics), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "fetch.size has to be 0, not 2048"));
    assert_int_equal(wb_machine_set(machine, "gpgpusim.x=3", diagnostics), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "gpgpusim.generic_collectors, "));
    assert_int_equal(wb_machine_set(machine, "zebras=3", diagnostics), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), ", gpgpusim.KEY"));
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_import_gives_the_preset),
        cmocka_unit_test(test_import_without_cache),
        cmocka_unit_test(test_import_of_other_machines),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
