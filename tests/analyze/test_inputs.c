/* What results are made from: every text that is read is described with its checksum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "launch/launch.h"
#include "warpbound.h"

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static wb_diagnostics *messages;

static void expect_ok(wb_status status) {
    if (status != WB_OK) fail_msg("status %d: %s", (int)status, wb_diagnostics_text(messages));
}

static int open_messages(void **state) {
    (void)state;
    messages = wb_diagnostics_new();
    return messages == NULL;
}

static int close_messages(void **state) {
    (void)state;
    wb_diagnostics_free(messages);
    return 0;
}

/* A file with these bytes, whose name is then in `path`. */
static void write_file(char path[64], const char *name, const char *text) {
    (void)snprintf(path, 64, "/tmp/test_inputs_%ld_%s", (long)getpid(), name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* What `sha256sum` says of a file. */
static void assert_checksum(const wb_input *input, wb_input_role role, const char *path) {
    assert_non_null(input);
    assert_int_equal(input->role, role);
    assert_string_equal(input->path, path);
    char command[200], digits[WB_SHA256_DIGITS + 1] = "";
    (void)snprintf(command, sizeof command, "sha256sum '%s'", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fread(digits, 1, WB_SHA256_DIGITS, pipe), WB_SHA256_DIGITS);
    (void)pclose(pipe);
    assert_string_equal(input->sha256, digits);
}

/* The examples of the standard, FIPS 180-4; a module keeps what it was given, zero bytes at its end too. */
static void test_known_checksums(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        const char *checksum;
    } cases[] = {{"", 0, EMPTY}, {"abc", 3, ABC}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[64];
        wb_launch *launch = wb_launch_new();
        char argument[100];
        write_file(path, "data", cases[i].text);
        (void)snprintf(argument, sizeof argument, "buf:b8[16]=@%s", path);
        expect_ok(wb_launch_add_argument(launch, argument, messages));
        const wb_input *input = wb_launch_input(launch, 0);
        assert_non_null(input);
        assert_int_equal(input->role, WB_INPUT_DATA);
        assert_int_equal(input->bytes, cases[i].size);
        assert_string_equal(input->sha256, cases[i].checksum);
        assert_string_equal(input->path, path);
        assert_null(wb_launch_input(launch, 1));
        wb_launch_free(launch);
        (void)remove(path);
    }
    static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n";
    wb_module *with = NULL, *without = NULL;
    expect_ok(wb_module_parse("a.ptx", ptx, sizeof ptx, messages, &with));
    expect_ok(wb_module_parse("a.ptx", ptx, sizeof ptx - 1, messages, &without));
    assert_int_equal(wb_module_input(with)->bytes, sizeof ptx);
    assert_int_equal(wb_module_input(without)->bytes, sizeof ptx - 1);
    assert_string_not_equal(wb_module_input(with)->sha256, wb_module_input(without)->sha256);
    wb_module_free(with);
    wb_module_free(without);
}

/* The data of arguments that were replaced is no input; that of variables is. */
static void test_launch(void **state) {
    (void)state;
    wb_launch *launch = NULL;
    expect_ok(wb_launch_read("kernels/bfs_level.yaml", WB_FILES_BELOW, messages, &launch));
    assert_checksum(wb_launch_input(launch, 0), WB_INPUT_LAUNCH, "kernels/bfs_level.yaml");
    assert_checksum(wb_launch_input(launch, 1), WB_INPUT_DATA, "kernels/data/graph_starts.bin");
    assert_checksum(wb_launch_input(launch, 2), WB_INPUT_DATA, "kernels/data/graph_targets.bin");
    assert_checksum(wb_launch_input(launch, 3), WB_INPUT_DATA, "kernels/data/graph_levels.bin");
    assert_null(wb_launch_input(launch, 4));
    expect_ok(wb_launch_add_argument(launch, "i32:1", messages));
    assert_null(wb_launch_input(launch, 1));
    expect_ok(wb_launch_set_variable(launch, "c=b8[100000]=@kernels/data/graph_starts.bin", messages));
    assert_checksum(wb_launch_input(launch, 1), WB_INPUT_DATA, "kernels/data/graph_starts.bin");
    expect_ok(wb_launch_set_variable(launch, "c=b8[16]=zero", messages));
    assert_null(wb_launch_input(launch, 1));
    wb_launch_free(launch);
}

/* A preset, a file on a preset, and what overrides keys of it. */
static void test_machine(void **state) {
    (void)state;
    char path[64];
    wb_machine *machine = NULL;
    write_file(path, "machine.yaml", "name: mine\nbase: ecrts2025-orin\nmem_latency: 3\n");
    expect_ok(wb_machine_load(path, messages, &machine));
    assert_checksum(wb_machine_input(machine, 0), WB_INPUT_MACHINE, path);
    assert_int_equal(wb_machine_input(machine, 1)->role, WB_INPUT_PRESET);
    assert_string_equal(wb_machine_input(machine, 1)->path, "ecrts2025-orin");
    assert_null(wb_machine_input(machine, 2));
    assert_null(wb_machine_setting(machine, 0));
    wb_machine *preset = NULL;
    expect_ok(wb_machine_load("ecrts2025-orin", messages, &preset));
    assert_string_equal(wb_machine_input(preset, 0)->sha256, wb_machine_input(machine, 1)->sha256);
    expect_ok(wb_machine_set(machine, "mem_latency=7", messages));
    assert_int_equal(wb_machine_set(machine, "mem_latency=many", messages), WB_ERR_INPUT);
    expect_ok(wb_machine_set(machine, "unit.INT.count=2", messages));
    assert_string_equal(wb_machine_setting(machine, 0), "mem_latency=7");
    assert_string_equal(wb_machine_setting(machine, 1), "unit.INT.count=2");
    assert_null(wb_machine_setting(machine, 2));
    (void)remove(path);
    wb_machine_free(preset);
    wb_machine_free(machine);
}

/* How many inputs of that role an analysis has. */
static size_t count_role(const wb_analysis *analysis, wb_input_role role) {
    size_t count = 0;
    for (size_t i = 0; wb_analysis_input(analysis, i) != NULL; i++)
        count += wb_analysis_input(analysis, i)->role == role;
    return count;
}

static void check_analysis(const char *ptx, const char *launch_path, const char *facts_path, size_t data) {
    wb_module *module = NULL;
    wb_launch *launch = NULL;
    wb_machine *machine = NULL;
    wb_facts *facts = NULL;
    wb_analysis *analysis = NULL;
    const wb_kernel *kernel = NULL;
    expect_ok(wb_module_read(ptx, messages, &module));
    expect_ok(wb_launch_read(launch_path, WB_FILES_BELOW, messages, &launch));
    expect_ok(wb_module_find_kernel(module, wb_launch_kernel(launch), messages, &kernel));
    expect_ok(wb_machine_load("ecrts2025-orin", messages, &machine));
    if (facts_path != NULL) expect_ok(wb_facts_read(facts_path, kernel, messages, &facts));
    for (int one_block = 0; one_block < 2; one_block++) {
        const wb_analyze_options options = {
            .size = sizeof options, .facts = facts, .one_block = one_block != 0, .methods = "sib,k-area"};
        wb_analyze_options of_block = options;
        of_block.methods = "sib";
        expect_ok(
            wb_analyze(kernel, launch, machine, one_block != 0 ? &of_block : &options, messages, &analysis));
        assert_checksum(wb_analysis_input(analysis, 0), WB_INPUT_PTX, ptx);
        assert_checksum(wb_analysis_input(analysis, 1), WB_INPUT_LAUNCH, launch_path);
        assert_int_equal(count_role(analysis, WB_INPUT_DATA), data);
        assert_int_equal(count_role(analysis, WB_INPUT_PRESET), 1);
        assert_int_equal(count_role(analysis, WB_INPUT_FACTS), facts != NULL);
        if (facts != NULL) assert_checksum(&facts->input, WB_INPUT_FACTS, facts_path);
        wb_analysis_free(analysis);
    }
    wb_facts_free(facts);
    wb_machine_free(machine);
    wb_launch_free(launch);
    wb_module_free(module);
}

static void test_analysis(void **state) {
    (void)state;
    check_analysis("kernels/vecadd.ptx", "kernels/vecadd.yaml", NULL, 0);
    check_analysis("kernels/sparse_matvec.ptx", "kernels/sparse_matvec.yaml", NULL, 2);
    check_analysis("kernels/bfs_level.ptx", "kernels/bfs_level.yaml", "kernels/bfs_level.facts", 3);
}

/* Of a file written by hand it is that file. */
static void test_by_hand(void **state) {
    (void)state;
    char path[64];
    wb_analysis *analysis = NULL;
    write_file(path, "block.yaml", "block: gub-lrr\nunits: \"A(3,0) C(4,0)\"\nwarps:\n  - \"3x A A C\"\n");
    if (wb_analysis_read(path, messages, &analysis) != WB_OK) {
        (void)remove(path);
        fail_msg("%s", wb_diagnostics_text(messages));
    }
    assert_checksum(wb_analysis_input(analysis, 0), WB_INPUT_BY_HAND, path);
    assert_null(wb_analysis_input(analysis, 1));
    (void)remove(path);
    wb_analysis_free(analysis);
}

/* Of a stream each text once, however many of its kernels were made from it. */
static void test_stream(void **state) {
    (void)state;
    wb_module *module = NULL;
    wb_launches *launches = NULL;
    wb_machine *machine = NULL;
    wb_stream *stream = NULL;
    expect_ok(wb_module_read("kernels/horner.ptx", messages, &module));
    expect_ok(wb_launches_read("kernels/horner_stream.yaml", WB_FILES_BELOW, messages, &launches));
    expect_ok(wb_machine_load("ecrts2025-orin", messages, &machine));
    expect_ok(wb_analyze_launches(module, launches, machine, NULL, messages, &stream));
    assert_true(wb_stream_count(stream) > 1);
    assert_checksum(wb_stream_input(stream, 0), WB_INPUT_PTX, "kernels/horner.ptx");
    assert_checksum(wb_stream_input(stream, 1), WB_INPUT_LAUNCH, "kernels/horner_stream.yaml");
    assert_int_equal(wb_stream_input(stream, 2)->role, WB_INPUT_PRESET);
    assert_null(wb_stream_input(stream, 3));
    wb_stream_free(stream);
    wb_machine_free(machine);
    wb_launches_free(launches);
    wb_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_known_checksums, open_messages, close_messages),
        cmocka_unit_test_setup_teardown(test_launch, open_messages, close_messages),
        cmocka_unit_test_setup_teardown(test_machine, open_messages, close_messages),
        cmocka_unit_test_setup_teardown(test_analysis, open_messages, close_messages),
        cmocka_unit_test_setup_teardown(test_by_hand, open_messages, close_messages),
        cmocka_unit_test_setup_teardown(test_stream, open_messages, close_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
