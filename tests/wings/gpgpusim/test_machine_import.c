/* What is imported from a gpgpusim.config, and what is named as ignored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "load_machine.h"
#include "messages.h"
#include "warpbound_gpgpusim.h"
#include "wings/gpgpusim/import.h"

#define DATA "tests/data/machine/"

/* What is ignored is told, and nothing else. */
static void assert_only_notes(const wb_diagnostics *diagnostics) {
    const char *text = wb_diagnostics_text(diagnostics);
    if (strstr(text, "error:") != NULL || strstr(text, "warning:") != NULL) fail_msg("%s", text);
}

static wb_machine *import_file(const char *path) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    if (wb_machine_import(path, diagnostics, &machine) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    assert_only_notes(diagnostics);
    wb_diagnostics_free(diagnostics);
    return machine;
}

static wb_machine *import_text(const char *text) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    if (import_parse("c.config", text, strlen(text), diagnostics, &machine) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    assert_string_equal(wb_diagnostics_text(diagnostics), "");
    wb_diagnostics_free(diagnostics);
    return machine;
}

/* Asserts that the machines execute a class alike, units being compared by name. */
static void assert_same_class(const wb_machine *a, const wb_machine *b, enum ptx_class class) {
    const struct machine_class *left = &a->classes[class];
    const struct machine_class *right = &b->classes[class];
    const char *left_unit = left->unit == UNIT_NONE ? "none" : a->units[left->unit].name;
    const char *right_unit = right->unit == UNIT_NONE ? "none" : b->units[right->unit].name;
    if (left->given != right->given || strcmp(left_unit, right_unit) != 0 || left->init != right->init ||
        left->latency != right->latency || left->plus != right->plus)
        fail_msg("%s: %s %u %u %u, expected %s %u %u %u", ptx_class_name(class), left_unit, left->init,
                 left->latency, left->plus, right_unit, right->init, right->latency, right->plus);
}

static void assert_same_sm(const wb_machine *a, const wb_machine *b) {
    assert_true(a->clock_mhz == b->clock_mhz);
    assert_int_equal(a->sub_cores, b->sub_cores);
    assert_int_equal(a->issue_width, b->issue_width);
    assert_int_equal(a->dispatch_depth, b->dispatch_depth);
    assert_int_equal(a->mem_latency, b->mem_latency);
    assert_int_equal(a->shared_latency, b->shared_latency);
    assert_int_equal(a->limits.blocks, b->limits.blocks);
    assert_int_equal(a->limits.warps, b->limits.warps);
    assert_int_equal(a->limits.threads, b->limits.threads);
    assert_int_equal(a->limits.threads_per_block, b->limits.threads_per_block);
    assert_int_equal(a->limits.registers, b->limits.registers);
    assert_int_equal(a->limits.shared_bytes, b->limits.shared_bytes);
}

/* The paper's settings give the paper's machine, but for what ecrts2025-orin says otherwise in its comments.
 */
static void test_settings_of_the_paper_give_its_preset(void **state) {
    (void)state;
    wb_machine *imported = import_file(DATA "SM86_ONE/gpgpusim.config");
    wb_machine *preset = load_machine("ecrts2025-orin");
    assert_string_equal(wb_machine_name(imported), "SM86_ONE");
    assert_same_sm(imported, preset);
    assert_int_equal(imported->unit_count, 7);
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++) {
        if (i == PTX_CLASS_EXIT || i == PTX_CLASS_ATOMIC_GLOBAL || i == PTX_CLASS_SHUFFLE) continue;
        assert_same_class(imported, preset, (enum ptx_class)i);
    }
    const struct machine_class *shuffle = &imported->classes[PTX_CLASS_SHUFFLE];
    assert_int_equal(shuffle->init, 4); /* the simulator's defaults, 32 / 4 */
    assert_int_equal(shuffle->init + shuffle->latency, 36);
    assert_int_equal(imported->classes[PTX_CLASS_EXIT].init, 1);
    assert_int_equal(machine_latency(imported, &imported->classes[PTX_CLASS_ATOMIC_GLOBAL]), 203);
    wb_machine_free(preset);
    wb_machine_free(imported);
}

static void test_settings_of_fermi_give_its_preset(void **state) {
    (void)state;
    wb_machine *imported = import_file(DATA "SM2_TWO/gpgpusim.config");
    wb_machine *preset = load_machine("fermi-sm20");
    assert_same_sm(imported, preset);
    assert_int_equal(imported->unit_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(imported->units[i].name, preset->units[i].name);
        assert_int_equal(imported->units[i].count, preset->units[i].count);
        assert_int_equal(imported->units[i].shared, preset->units[i].shared);
    }
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++) {
        if (i == PTX_CLASS_TENSOR) continue;
        assert_same_class(imported, preset, (enum ptx_class)i);
    }
    assert_false(imported->classes[PTX_CLASS_TENSOR].given);
    wb_machine_free(preset);
    wb_machine_free(imported);
}

static void test_sub_cores_own_their_part_of_the_units(void **state) {
    (void)state;
    wb_machine *machine = import_text("-gpgpu_num_sched_per_core 4 -gpgpu_sub_core_model 1\n"
                                      "-gpgpu_num_sp_units 8\n-gpgpu_num_sfu_units 2\n");
    assert_int_equal(machine->sub_cores, 4);
    assert_int_equal(machine->units[0].count, 2);
    assert_false(machine->units[0].shared);
    assert_int_equal(machine->units[1].count, 2);
    assert_true(machine->units[1].shared); /* two do not divide among four */
    wb_machine_free(machine);
}

static void test_missing_flags_have_the_simulators_defaults(void **state) {
    (void)state;
    wb_machine *machine = import_text("-gpgpu_num_sp_units 1");
    assert_true(machine->clock_mhz == 500);
    assert_int_equal(machine->sub_cores, 1);
    assert_int_equal(machine->mem_latency, 1 + 85 + 30);
    assert_int_equal(machine->shared_latency, 3);
    const struct machine_class *division = &machine->classes[PTX_CLASS_INT_DIV];
    assert_int_equal(division->init, 32);
    assert_int_equal(division->init + division->latency, 149);
    assert_int_equal(machine->limits.threads, 1024);
    wb_machine_free(machine);
}

static void test_latency_shorter_than_the_interval_is_no_underflow(void **state) {
    (void)state;
    wb_machine *machine = import_text("-ptx_opcode_latency_sfu 1\n-ptx_opcode_initiation_sfu 64\n");
    assert_int_equal(machine->classes[PTX_CLASS_FP32_SPECIAL].init, 64);
    assert_int_equal(machine->classes[PTX_CLASS_FP32_SPECIAL].latency, 0);
    wb_machine_free(machine);
}

static void test_imported_machines_print_as_machine_files(void **state) {
    (void)state;
    wb_machine *machine = import_file(DATA "SM2_TWO/gpgpusim.config");
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *text = NULL;
    assert_int_equal(wb_machine_print(machine, diagnostics, &text), WB_OK);
    assert_non_null(strstr(text, "name: \"SM2_TWO\"\n"));
    assert_non_null(strstr(text, "mem_latency: 255\n"));
    assert_null(strstr(text, "tensor"));
    free(text);
    wb_diagnostics_free(diagnostics);
    wb_machine_free(machine);
}

/* Instructions that a warp issues in a cycle: as stated, and two as in the simulator where nothing is; to
 * different units, whatever a file says. */
static void test_issue_per_warp(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t expected;
        const char *warning;
    } cases[] = {
        {"-gpgpu_num_sp_units 1\n", 2, NULL},
        {"-gpgpu_num_sp_units 1\n-gpgpu_max_insn_issue_per_warp 1\n-gpgpu_dual_issue_diff_exec_units 0\n", 1,
         NULL},
        {"-gpgpu_max_insn_issue_per_warp 3\n-gpgpu_dual_issue_diff_exec_units 1\n", 3, NULL},
        {"-gpgpu_max_insn_issue_per_warp 2\n-gpgpu_dual_issue_diff_exec_units 0\n", 2,
         "c.config:2:35: warning: instructions that a warp issues in one cycle go to different units here, "
         "not "
         "to one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = cases[i].text;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_machine *machine = NULL;
        assert_int_equal(import_parse("c.config", text, strlen(text), diagnostics, &machine), WB_OK);
        if (cases[i].warning != NULL)
            assert_first_message(diagnostics, cases[i].warning, text);
        else
            assert_string_equal(wb_diagnostics_text(diagnostics), "");
        assert_int_equal(machine->issue_width, 1);
        assert_int_equal(machine->issue_per_warp, cases[i].expected);
        wb_machine_free(machine);
        wb_diagnostics_free(diagnostics);
    }
}

/* An instruction cache, unless it has everything; one instruction of 8 bytes an instruction of PTX. */
static void test_instruction_cache(void **state) {
    (void)state;
    static const char flag[] = "-gpgpu_cache:il1 N:64:128:16,L:R:f:N:L,S:2:48,4\n"
                               "-gpgpu_l2_rop_latency 100\n-dram_latency 50\n";
    char text[512];
    wb_machine *machine = import_text(flag);
    const struct machine_fetch *fetch = &machine->fetch;
    assert_int_equal(fetch->size, 64 * 128 * 16);
    assert_int_equal(fetch->ways, 16);
    assert_int_equal(fetch->line, 128);
    assert_int_equal(fetch->instruction_bytes, 8);
    assert_int_equal(fetch->buffer, 2);
    assert_int_equal(fetch->per_cycle, 1);
    assert_int_equal(fetch->latency, 1);
    assert_int_equal(fetch->miss_latency, 150);
    assert_int_equal(fetch->misses, 2);
    wb_machine_free(machine);
    (void)snprintf(text, sizeof text, "%s-gpgpu_inst_fetch_throughput 4\n", flag);
    machine = import_text(text);
    assert_int_equal(machine->fetch.per_cycle, 4);
    assert_int_equal(machine->fetch.latency, 0);
    wb_machine_free(machine);
    (void)snprintf(text, sizeof text, "%s-gpgpu_perfect_inst_const_cache 1\n", flag);
    machine = import_text(text);
    assert_false(fetch_can_stall(&machine->fetch));
    wb_machine_free(machine);
    machine = import_text("-gpgpu_cache:il1 4:128:4,L:R:f:N:L,A:2:32,4\n");
    assert_int_equal(machine->fetch.size, 2048);
    wb_machine_free(machine);
    machine = import_text("-gpgpu_num_sp_units 1\n");
    assert_false(fetch_can_stall(&machine->fetch));
    wb_machine_free(machine);
}

#define NO_CACHE                                                                                             \
    "c.config:1:18: error: -gpgpu_cache:il1: expected TYPE:SETS:LINE:WAYS,POLICIES,TYPE:MISSES:MERGED,... "  \
    "with a line of 8 to 1024 bytes, a power of two"

static void test_errors(void **state) {
    (void)state;
#define NO_CONFIG "c.config: error: not a gpgpusim.config: none of its flags describes an SM"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", NO_CONFIG},
        {"# only a comment", NO_CONFIG},
        {"-network_mode 1\n-unknown\n", NO_CONFIG},
        {"garbage", "c.config:1:1: error: expected a flag that starts with '-'"},
        {"-gpgpu_num_sp_units 1 2\n", "c.config:1:23: error: expected a flag that starts with '-'"},
        {"-gpgpu_num_sp_units 1\n-other 1\n-x 1 y # z\n",
         "c.config:3:6: error: expected a flag that starts with '-'"},
        {"-1 2\n", "c.config:1:1: error: expected a flag that starts with '-'"},
        {"\"-gpgpu_num_sp_units\" 1\n", "c.config:1:1: error: expected a flag that starts with '-'"},
        {"-gpgpu_num_sp_units\n-dram_latency 1\n",
         "c.config:1:1: error: -gpgpu_num_sp_units: expected a value"},
        {"-gpgpu_num_sp_units # 1\n", "c.config:1:1: error: -gpgpu_num_sp_units: expected a value"},
        {"-gpgpu_num_sp_units 0\n",
         "c.config:1:21: error: -gpgpu_num_sp_units: expected a whole number from 1 to 64"},
        {"-gpgpu_num_sp_units -3\n",
         "c.config:1:21: error: -gpgpu_num_sp_units: expected a whole number from 1 to 64"},
        {"-dram_latency 1.5\n",
         "c.config:1:15: error: -dram_latency: expected a whole number from 0 to 1000000"},
        {"\n\n-ptx_opcode_latency_int 4,4,4,4\n",
         "c.config:3:25: error: -ptx_opcode_latency_int: expected the numbers ADD,MAX,MUL,MAD,DIV or "
         "ADD,MAX,MUL,MAD,DIV,SHFL"},
        {"-ptx_opcode_latency_fp 1,2,3,4,5,6,7\n",
         "c.config:1:24: error: -ptx_opcode_latency_fp: expected the numbers ADD,MAX,MUL,MAD,DIV or "
         "ADD,MAX,MUL,MAD,DIV,SHFL"},
        {"-ptx_opcode_latency_dp 1,2,x,4,5\n",
         "c.config:1:28: error: -ptx_opcode_latency_dp: expected a whole number from 0 to 1000000"},
        {"-ptx_opcode_initiation_dp 1,2,3,4,0\n",
         "c.config:1:35: error: -ptx_opcode_initiation_dp: expected a whole number from 1 to 1000000"},
        {"-ptx_opcode_latency_int 4,4,4,4,\n",
         "c.config:1:33: error: -ptx_opcode_latency_int: expected a whole number from 0 to 1000000"},
        {"-gpgpu_clock_domains 700\n",
         "c.config:1:22: error: -gpgpu_clock_domains: expected CORE:INTERCONNECT:L2:DRAM in megahertz"},
        {"-gpgpu_clock_domains 0:1:1:1\n",
         "c.config:1:22: error: -gpgpu_clock_domains: expected CORE:INTERCONNECT:L2:DRAM in megahertz"},
        {"-gpgpu_clock_domains 1:1:1:1:1\n",
         "c.config:1:22: error: -gpgpu_clock_domains: expected CORE:INTERCONNECT:L2:DRAM in megahertz"},
        {"-gpgpu_shader_core_pipeline 1536:16\n",
         "c.config:1:29: error: -gpgpu_shader_core_pipeline: expected THREADS:32, the threads being a "
         "multiple of 32"},
        {"-gpgpu_shader_core_pipeline 1500:32\n",
         "c.config:1:29: error: -gpgpu_shader_core_pipeline: expected THREADS:32, the threads being a "
         "multiple of 32"},
        {"-specialized_unit_1 1,1,200\n", "c.config:1:21: error: -specialized_unit: expected "
                                          "ENABLED,UNITS,LATENCY,ID_OC_WIDTH,OC_EX_WIDTH,NAME"},
        {"-gpgpu_cache:il1 none\n", NO_CACHE},
        {"-gpgpu_cache:il1 N:64:128,L:R:f:N:L,S:2:48,4\n", NO_CACHE},
        {"-gpgpu_cache:il1 N:64:100:4,L:R:f:N:L,S:2:48,4\n", NO_CACHE},
        {"-gpgpu_cache:il1 N:64:128:0,L:R:f:N:L,S:2:48,4\n", NO_CACHE},
        {"-gpgpu_cache:il1 N:1000000000:128:16,L:R:f:N:L,S:2:48,4\n", NO_CACHE},
        {"-gpgpu_cache:il1 N:64:128:4,L:R:f:N:L\n", NO_CACHE},
        {"-gpgpu_dram_timing_opt \"nbk=16\n", "c.config:1:24: error: expected a closing '\"'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_machine *machine = NULL;
        wb_status status =
            import_parse("c.config", cases[i].text, strlen(cases[i].text), diagnostics, &machine);
        assert_first_message(diagnostics, cases[i].message, cases[i].text);
        assert_int_equal(status, WB_ERR_INPUT);
        assert_null(machine);
        wb_diagnostics_free(diagnostics);
    }
}

static void test_missing_file(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    assert_int_equal(wb_machine_import(DATA "none.config", diagnostics, &machine), WB_ERR_INPUT);
    assert_first_message(diagnostics, DATA "none.config: error: cannot read: No such file or directory", "");
    wb_diagnostics_free(diagnostics);
}

/* What there is beyond one SM; and what no key of a machine file is for, each flag once. */
static void test_gpu_and_ignored_flags(void **state) {
    (void)state;
    static const char text[] =
        "-gpgpu_n_clusters 8 -gpgpu_n_cores_per_cluster 2\n-gpgpu_kernel_launch_latency 5000\n"
        "-gpgpu_TB_launch_latency 7 -gpgpu_coalesce_arch 86 -gpgpu_shmem_per_block 49152\n"
        "-gpgpu_cache:dl2 x -visualizer_enabled 0 -visualizer_enabled 1\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    assert_int_equal(import_parse("c.config", text, strlen(text), diagnostics, &machine), WB_OK);
    assert_string_equal(wb_diagnostics_text(diagnostics),
                        "c.config: note: 2 flags of this file have no counterpart in machine files and are "
                        "ignored: -gpgpu_cache:dl2, -visualizer_enabled\n");
    assert_int_equal(machine->memory.sms, 16);
    assert_int_equal(machine->memory.dispatch, DISPATCH_ROUND_ROBIN);
    assert_int_equal(machine->memory.dispatch_latency, 7);
    assert_int_equal(machine->memory.requests, REQUESTS_VOLTA);
    assert_int_equal(machine->launch_overhead, 5000);
    assert_int_equal(machine->limits.shared_per_block, 49152);
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
    machine = import_text("-gpgpu_n_clusters 5 -gpgpu_coalesce_arch 35");
    assert_int_equal(machine->memory.sms, 15); /* of 3 SMs, as in the simulator */
    assert_int_equal(machine->memory.requests, REQUESTS_FERMI);
    wb_machine_free(machine);
    machine = import_text("-gpgpu_num_sp_units 1");
    assert_int_equal(machine->memory.sms, 1);
    assert_int_equal(machine->memory.requests, REQUESTS_IDEAL);
    wb_machine_free(machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gpu_and_ignored_flags),
        cmocka_unit_test(test_settings_of_the_paper_give_its_preset),
        cmocka_unit_test(test_settings_of_fermi_give_its_preset),
        cmocka_unit_test(test_sub_cores_own_their_part_of_the_units),
        cmocka_unit_test(test_missing_flags_have_the_simulators_defaults),
        cmocka_unit_test(test_latency_shorter_than_the_interval_is_no_underflow),
        cmocka_unit_test(test_imported_machines_print_as_machine_files),
        cmocka_unit_test(test_issue_per_warp),
        cmocka_unit_test(test_instruction_cache),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
